/* format_tokens.c -- JSON rows with lists of words and of tags.
 *
 *     {"id": "7", "tokens": ["Ada", "sleeps"], "tags": ["B-PER", "O"]}
 *     {"tokens": ["Ada", "sleeps"], "pos_tags": [22, 42], "ner_tags": [1, 0]}
 *
 * Other lists of the same length are feature columns; numeric tags get names (tag_names.h); -100
 * and null are no tag. */
#include <string.h>
#include "base/json.h"

#include "data/text/json_rows.h"
#include "data/text/making.h"
#include "data/text/tag_names.h"
#include "data/text/tags_out.h"

typedef struct {
    bs_corpus_builder m;
    const char       *key[BS_MOST_CELLS]; /* words, features, tags; in the corpus's arena */
    int               n;
    bool              tags;    /* the last of them is tags */
    bool              numbers; /* some tag is a number */
    long              first;   /* line of the row where the keys were found */
    long              without; /* rows without tags */
    bs_buf            rest;
} rows;

/* --- which members ------------------------------------------------------- */

/* Lists added by programs that say nothing about words by themselves. */
static bool is_by_product(const char *key)
{
    static const char *const known[] = {"scores",    "ids",     "input_ids", "attention_mask",
                                        "token_ids", "offsets", "word_ids"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(key, known[i]) == 0)
            return true;
    return false;
}

static bool is_column(const json_t *list, size_t n)
{
    if (!json_is_array(list) || json_array_size(list) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_string(v) && !json_is_integer(v) && !json_is_null(v))
            return false;
    }
    return true;
}

static basin_status add_key(rows *x, const char *key)
{
    if (x->n == BS_MOST_CELLS)
        return bs_corpus_fail(x->m.r, x->first, 0, "more than %d lists", (int)BS_MOST_CELLS);
    x->key[x->n] = bs_arena_copy(&x->m.r->c->arena, key, strlen(key));
    return x->key[x->n++] ? BASIN_OK : bs_fail_nomem(x->m.r->err);
}

/* The member named by --tag-column, or one with a typical name for tags. */
static const char *tags_key(const rows *x, const json_t *row, size_t n)
{
    const char *want = x->m.r->o->tag_column;
    if (strcmp(want, "none") == 0)
        return NULL;
    return is_column(json_object_get(row, want), n) ? want : bs_json_tags_key(row);
}

static basin_status find_keys(rows *x, json_t *row, const char *words, long line)
{
    const size_t n = json_array_size(json_object_get(row, words));
    const char  *tags = tags_key(x, row, n), *key;
    const char *not = tags ? tags : bs_json_tags_key(row); /* never a feature, even if unused */
    const bool bare = strcmp(x->m.r->o->feature_columns, "none") == 0;
    json_t    *v;
    x->first = line;
    basin_status s = add_key(x, words);
    json_object_foreach(row, key, v)
    {
        if (!s && strcmp(key, words) != 0 && !(not &&strcmp(key, not ) == 0) && !bare &&
            !is_by_product(key) && is_column(v, n))
            s = add_key(x, key);
    }
    if (!s && tags)
        s = add_key(x, tags);
    x->tags = tags != NULL;
    return s;
}

/* --- rows ---------------------------------------------------------------- */

static basin_status check_list(const rows *x, const json_t *list, const char *key, size_t n,
                               long line)
{
    if (!list)
        return bs_corpus_fail(x->m.r, line, 0, "no \"%.60s\", which line %ld has", key, x->first);
    if (!json_is_array(list))
        return bs_corpus_fail(x->m.r, line, 0, "\"%.60s\" is %s; it must be a list", key,
                              bs_tree_kind(list));
    if (json_array_size(list) != n)
        return bs_corpus_fail(x->m.r, line, 0, "%zu \"%.60s\" for %zu \"%s\"; every word needs one",
                              json_array_size(list), key, n, x->key[0]);
    return BASIN_OK;
}

/* A tag given by number, where numbers have names. */
static basin_status put_number(rows *x, json_int_t number, long line)
{
    const bs_names *names = &x->m.r->c->classes;
    char            text[24];
    if (number == -100) { /* ignored by Hugging Face's trainers */
        bs_corpus_builder_cell(&x->m, "", 0);
        return BASIN_OK;
    }
    if (names->n && (number < 0 || number >= names->n))
        return bs_corpus_fail(x->m.r, line, 0, "tag %lld, but there are names for 0 to %d",
                              (long long)number, (int)names->n - 1);
    if (names->n) {
        bs_corpus_builder_cell(&x->m, names->item[number].text, names->item[number].len);
        return BASIN_OK;
    }
    x->numbers = true;
    const int n = bs_print(text, sizeof text, "%lld", (long long)number);
    bs_corpus_builder_cell(&x->m, text, (size_t)n);
    return BASIN_OK;
}

static basin_status put_value(rows *x, const json_t *v, int column, long line)
{
    const bool tag = x->tags && column == x->n - 1;
    char       text[24];
    if (json_is_null(v) || (json_is_string(v) && json_string_length(v) == 0 && !tag)) {
        bs_corpus_builder_cell(&x->m, tag ? "" : "_", tag ? 0 : 1);
        return BASIN_OK;
    }
    if (json_is_integer(v) && tag)
        return put_number(x, json_integer_value(v), line);
    if (json_is_integer(v)) {
        const int n = bs_print(text, sizeof text, "%lld", (long long)json_integer_value(v));
        bs_corpus_builder_cell(&x->m, text, (size_t)n);
        return BASIN_OK;
    }
    if (!json_is_string(v) || json_string_length(v) == 0)
        return bs_corpus_fail(x->m.r, line, 0,
                              "one of \"%.60s\" is %s; it must be a text or a "
                              "whole number",
                              x->key[column], json_is_string(v) ? "empty" : bs_tree_kind(v));
    bs_corpus_builder_cell(&x->m, json_string_value(v), json_string_length(v));
    return BASIN_OK;
}

static basin_status put_word(rows *x, const json_t *const *list, size_t i, long line)
{
    const json_t *word = json_array_get(list[0], i);
    if (!json_is_string(word))
        return bs_corpus_fail(x->m.r, line, 0, "word %zu of \"%s\" is %s; it must be a text", i + 1,
                              x->key[0], bs_tree_kind(word));
    bs_corpus_builder_word(&x->m, json_string_value(word), json_string_length(word), 0, 0);
    basin_status s = BASIN_OK;
    for (int k = 1; k < x->n && !s; k++) {
        if (list[k])
            s = put_value(x, json_array_get(list[k], i), k, line);
        else
            bs_corpus_builder_cell(&x->m, "", 0);
    }
    return s;
}

static basin_status take_row(void *to, json_t *row, long line)
{
    rows         *x = to;
    const char   *words = bs_json_words_key(row);
    const json_t *list[BS_MOST_CELLS];
    basin_status  s = BASIN_OK;
    if (!words)
        return bs_corpus_fail(x->m.r, line, 0,
                              "no list of words; write {\"tokens\": [\"Ada\", ...], \"tags\": "
                              "[\"B-PER\", ...]}");
    const size_t n = json_array_size(json_object_get(row, words));
    if (x->n == 0 && n > 0) {
        s = find_keys(x, row, words, line);
        if (!s && x->tags)
            s = bs_tag_names(x->m.r, x->key[x->n - 1]);
    }
    for (int k = 0; k < x->n && !s && n > 0; k++) {
        list[k] = json_object_get(row, x->key[k]);
        if (!list[k] && x->tags && k == x->n - 1 && x->m.r->o->label_free)
            x->without++;
        else
            s = check_list(x, list[k], x->key[k], n, line);
    }
    if (s)
        return s;
    bs_json_rest(row, n ? x->key : &words, n ? x->n : 1, &x->rest);
    if (x->rest.failed)
        return bs_fail_nomem(x->m.r->err);
    bs_corpus_builder_record(&x->m, NULL, 0, x->rest.data, NULL, line);
    for (size_t i = 0; i < n && !s; i++)
        s = put_word(x, list, i, line);
    bs_corpus_builder_sentence(&x->m);
    return s;
}

static basin_status read_tokens(bs_corpus_reading *r)
{
    rows x = {.n = 0};
    bs_corpus_builder_begin(&x.m, r);
    bs_buf_init(&x.rest, (size_t)1 << 30);
    basin_status s = bs_json_rows_read(r, take_row, &x);
    if (!s && x.numbers)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "%s: the tags are numbers without names, so no spans are known; --tag-names "
                     "O,B-PER,... or a file STEM.labels with one name per line gives them",
                     r->name);
    if (x.without)
        bs_notes_add(r->notes, "untagged", "%ld rows have no \"%s\"", x.without, x.key[x.n - 1]);
    r->tag_column = x.tags ? x.n : 0;
    s = bs_corpus_builder_end(&x.m, s, x.key, x.n);
    bs_buf_free(&x.rest);
    return s;
}

static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    return bs_json_sniff(head, n, BS_ROW_TOKENS);
}

/* --- writing ------------------------------------------------------------- */

/* "name": [...] of a column; column -1: the words, which come first. */
static void put_list(const bs_tags_out *t, int32_t s, int column, const char *name, bs_buf *out)
{
    const bs_corpus *c = t->c;
    const bs_names  *names = column < 0 ? &c->words : &c->value[column];
    const int32_t   *of = column < 0 ? c->word : c->feature[column];
    bs_json_open(out, name, '[');
    for (int32_t i = c->start[s]; i < c->start[s + 1]; i++)
        bs_json_text(out, NULL, names->item[of[i]].text);
    bs_json_close(out, ']');
}

static void put_sentence(void *to, int32_t s, bs_buf *out)
{
    const bs_tags_out *t = to;
    const bs_corpus   *c = t->c;
    const char        *words = c->heading ? c->heading[c->word_column - 1] : "tokens";
    put_list(t, s, -1, bs_is_words_heading(words) ? words : "tokens", out);
    for (int k = 0; k < c->columns; k++) {
        char name[32];
        bs_print(name, sizeof name, "column_%d", c->column[k]);
        put_list(t, s, k, c->heading ? c->heading[c->column[k] - 1] : name, out);
    }
    if (!t->names)
        return;
    bs_json_open(out, "tags", '[');
    for (int32_t i = c->start[s]; i < c->start[s + 1]; i++)
        bs_json_text(out, NULL, t->tag[i] < 0 ? NULL : t->names[t->tag[i]]);
    bs_json_close(out, ']');
}

static void write_tokens(const bs_tags_out *t, bs_writing *w)
{
    bs_tags_out copy = *t;
    copy.set = NULL; /* only tags are written */
    bs_put_sentences(&copy, w, put_sentence, &copy);
}

const bs_corpus_format bs_corpus_format_tokens = {
    .name = "tokens",
    .help = "rows of JSON: {\"tokens\": [...], \"tags\": [...]}; also ner_tags, words, numbers",
    .ending = ".jsonl",
    .unit = 'l',
    .sniff = sniff,
    .read = read_tokens,
    .write = write_tokens,
};
