/* lexicon_encode.c -- distinct texts of a corpus to numbers of the lexicon; see lexicon.h. */
#include "text/lexicon.h"

#include <string.h>

/* -1 becomes `unknown`. */
static int32_t known_or(int32_t found, int32_t unknown)
{
    return found < 0 ? unknown : found;
}

void bs_lexicon_words(const bs_lexicon *l, const bs_names *words, int32_t *row)
{
    bs_fold fold = bs_lexicon_fold(l);
    for (int32_t i = 0; i < words->n; i++) {
        const bs_name *word = &words->item[i];
        int32_t        k = bs_names_find(&l->words, word->text, word->len);
        if (k < 0) {
            char   form[BS_FORM_MAX + 1];
            size_t len = bs_wordform(&fold, word->text, word->len, form);
            k = bs_names_find(&l->words, form, len);
        }
        row[i] = known_or(k, 0);
    }
}

static int32_t value_of(const bs_lexicon *l, int column, const bs_fold *fold, const bs_name *text)
{
    const bs_names *value = &l->value[column];
    if (l->column_source[column] >= 0) {
        char   form[BS_FORM_MAX + 1];
        size_t len = bs_wordform(NULL, text->text, text->len, form);
        return bs_names_find(value, form, len);
    }
    if (l->column_source[column] == -1 - BS_COLUMN_CASE) {
        const char *name = bs_case_names[bs_word_case(text->text, text->len)];
        return bs_names_find(value, name, strlen(name));
    }
    const bs_clusters *c = &l->clusters;
    int32_t            k = bs_find_spelling(&c->words, fold, text->text, text->len);
    if (k < 0)
        return -1;
    const bs_name *path = &c->paths.item[c->path[k]];
    size_t         bits = (size_t)l->column_prefix[column];
    return bs_names_find(value, path->text, bits && bits < path->len ? bits : path->len);
}

void bs_lexicon_column(const bs_lexicon *l, int column, const bs_names *texts, int32_t *id)
{
    bs_fold fold = bs_lexicon_fold(l);
    for (int32_t i = 0; i < texts->n; i++)
        id[i] = known_or(value_of(l, column, &fold, &texts->item[i]), 0);
}

static int32_t count_characters(const bs_name *word)
{
    int32_t n = 0;
    for (size_t at = 0; at < word->len; n++) {
        uint32_t c;
        at += bs_char_next(word->text + at, word->len - at, &c);
    }
    return n;
}

void bs_lexicon_characters(const bs_lexicon *l, const bs_names *words, int32_t *id, int32_t *length)
{
    const int32_t C = l->max_characters;
    for (int32_t i = 0; i < words->n; i++, id += C) {
        const bs_name *word = &words->item[i];
        int32_t        n = count_characters(word), put = 0;
        /* Kept are the first half (and one more when C is odd) and the last. */
        int32_t head = C - C / 2, tail = n - C / 2;
        for (size_t at = 0, k = 0; at < word->len; k++) {
            uint32_t c;
            char     bytes[4];
            at += bs_char_next(word->text + at, word->len - at, &c);
            if (n > C && (int32_t)k >= head && (int32_t)k < tail)
                continue;
            id[put++] = known_or(bs_names_find(&l->characters, bytes, bs_char_put(c, bytes)), 1);
        }
        length[i] = put;
        memset(id + put, 0, (size_t)(C - put) * sizeof *id);
    }
}

void bs_lexicon_tags(const bs_lexicon *l, const bs_names *tags, int32_t *id)
{
    for (int32_t i = 0; i < tags->n; i++)
        id[i] = bs_names_find(&l->tags, tags->item[i].text, tags->item[i].len);
}
