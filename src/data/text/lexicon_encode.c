/* lexicon_encode.c -- texts to numbers of the lexicon. Unknown ones become 0, long words keep their
 * two ends. */
#include "data/text/lexicon.h"

#include <string.h>

/* -1 becomes `unknown`. */
static int32_t known_or(int32_t found, int32_t unknown)
{
    return found < 0 ? unknown : found;
}

int32_t bs_lexicon_word(const bs_lexicon *l, const char *text, size_t len)
{
    int32_t k = bs_names_find(&l->words, text, len);
    if (k < 0) {
        bs_fold fold = bs_lexicon_fold(l);
        char    form[BS_FORM_MAX + 1];
        size_t  n = bs_wordform(&fold, text, len, form);
        k = bs_names_find(&l->words, form, n);
    }
    return known_or(k, 0);
}

void bs_lexicon_words(const bs_lexicon *l, const bs_names *words, int32_t *row)
{
    for (int32_t i = 0; i < words->n; i++)
        row[i] = bs_lexicon_word(l, words->item[i].text, words->item[i].len);
}

static int32_t value_of(const bs_lexicon *l, int column, const char *text, size_t n)
{
    const bs_names *value = &l->value[column];
    if (l->column_source[column] >= 0) {
        char   form[BS_FORM_MAX + 1];
        size_t len = bs_wordform(NULL, text, n, form);
        return bs_names_find(value, form, len);
    }
    if (l->column_source[column] == -1 - BS_COLUMN_CASE) {
        const char *name = bs_case_names[bs_word_case(text, n)];
        return bs_names_find(value, name, strlen(name));
    }
    const bs_clusters *c = &l->clusters;
    const bs_fold      fold = bs_lexicon_fold(l);
    int32_t            k = bs_find_spelling(&c->words, &fold, text, n);
    if (k < 0)
        return -1;
    const bs_name *path = &c->paths.item[c->path[k]];
    size_t         bits = (size_t)l->column_prefix[column];
    return bs_names_find(value, path->text, bits && bits < path->len ? bits : path->len);
}

int32_t bs_lexicon_value(const bs_lexicon *l, int column, const char *text, size_t len)
{
    return known_or(value_of(l, column, text, len), 0);
}

void bs_lexicon_column(const bs_lexicon *l, int column, const bs_names *texts, int32_t *id)
{
    for (int32_t i = 0; i < texts->n; i++)
        id[i] = bs_lexicon_value(l, column, texts->item[i].text, texts->item[i].len);
}

static int32_t count_characters(const char *text, size_t len)
{
    int32_t n = 0;
    for (size_t at = 0; at < len; n++) {
        uint32_t c;
        at += bs_char_next(text + at, len - at, &c);
    }
    return n;
}

int32_t bs_lexicon_letters(const bs_lexicon *l, const char *text, size_t len, int32_t *id)
{
    const int32_t C = l->max_characters, n = count_characters(text, len);
    int32_t       put = 0;
    if (!id)
        return n < C ? n : C;
    /* Keeps the first half (the larger one if C is odd) and the last. */
    int32_t head = C - C / 2, tail = n - C / 2;
    for (size_t at = 0, k = 0; at < len; k++) {
        uint32_t c;
        char     bytes[4];
        at += bs_char_next(text + at, len - at, &c);
        if (n > C && (int32_t)k >= head && (int32_t)k < tail)
            continue;
        id[put++] = known_or(bs_names_find(&l->characters, bytes, bs_char_put(c, bytes)), 1);
    }
    return put;
}

void bs_lexicon_characters(const bs_lexicon *l, const bs_names *words, int32_t *id, int32_t *length)
{
    const int32_t C = l->max_characters;
    for (int32_t i = 0; i < words->n; i++, id += C) {
        length[i] = bs_lexicon_letters(l, words->item[i].text, words->item[i].len, id);
        memset(id + length[i], 0, (size_t)(C - length[i]) * sizeof *id);
    }
}

void bs_lexicon_tags(const bs_lexicon *l, const bs_names *tags, int32_t *id)
{
    for (int32_t i = 0; i < tags->n; i++)
        id[i] = bs_names_find(&l->tags, tags->item[i].text, tags->item[i].len);
}
