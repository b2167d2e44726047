/* corpus_describe.c -- a corpus summarised as text and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"

#include "base/visible.h"
#include "data/text/corpus_part.h"

enum { MOST_LISTED = 12 };

/* --- names with counts --------------------------------------------------- */

typedef struct {
    int64_t count;
    int32_t at;
} counted;

static int by_count(const void *a, const void *b)
{
    const counted *p = a, *q = b;
    if (p->count != q->count)
        return p->count > q->count ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

/* The most frequent names and how many others; all of them in the JSON object. */
static bool list_counts(const bs_names *names, const int64_t *count, bs_buf *table, bs_buf *json)
{
    counted *list = bs_alloc(((size_t)names->n + 1) * sizeof *list);
    int32_t  n = 0;
    char     shown[BS_VISIBLE];
    if (!list)
        return false;
    for (int32_t i = 0; i < names->n; i++)
        if (count[i])
            list[n++] = (counted){count[i], i};
    qsort(list, (size_t)n, sizeof *list, by_count);
    for (int32_t i = 0; i < n; i++) {
        const bs_name *name = &names->item[list[i].at];
        if (i < MOST_LISTED) {
            bs_buf_text(table, i ? ", " : " ");
            bs_buf_text(table, bs_visible(name->text, 40, shown));
            bs_buf_printf(table, " %lld", (long long)list[i].count);
        }
        bs_json_int(json, name->text, list[i].count);
    }
    if (n > MOST_LISTED)
        bs_buf_printf(table, " and %d more", (int)n - MOST_LISTED);
    bs_free(list);
    return true;
}

/* --- lines --------------------------------------------------------------- */

static void print_size(const bs_corpus *c, const bs_corpus_summary *s, bs_buf *table, bs_buf *json)
{
    bs_buf_printf(table, "format   %s, %d column%s, %d %s, %d tokens", c->format, c->file_columns,
                  c->file_columns == 1 ? "" : "s", (int)c->sentences,
                  c->roles.word ? "predicates" : "sentences", (int)c->tokens);
    if (c->documents > 1)
        bs_buf_printf(table, ", %d documents", (int)c->documents);
    long line = c->sentences ? bs_corpus_line(c, c->start[s->longest_sentence]) : 0;
    char place[80] = "line 0";
    if (c->sentences)
        bs_corpus_place(c, c->start[s->longest_sentence], place);
    bs_buf_printf(table,
                  "\nlengths  mean %.1f tokens, longest %d (%s)\n"
                  "words    %d distinct, %d of them seen once\n",
                  c->sentences ? (double)c->tokens / c->sentences : 0, (int)s->longest, place,
                  (int)s->words, (int)s->words_once);
    bs_json_open(json, NULL, '{');
    bs_json_members(json,
                    "file %s format %s columns %d sentences %d tokens %d documents %d "
                    "longest %d longest_line %lld words %d words_once %d",
                    c->name, c->format, c->file_columns, c->sentences, c->tokens, c->documents,
                    s->longest, (long long)line, s->words, s->words_once);
    bs_json_bool(json, "labelled", c->labelled);
}

static bool print_tags(const bs_corpus *c, const bs_corpus_summary *s, bs_buf *table, bs_buf *json)
{
    if (!c->labelled) {
        bs_buf_text(table, "tags     none\n");
        return true;
    }
    bs_buf_printf(table, "tags     %d, %s", (int)s->tags, bs_scheme_name(c->file_scheme));
    if (c->scheme != c->file_scheme)
        bs_buf_printf(table, " -> %s", bs_scheme_name(c->scheme));
    bs_buf_text(table, ":");
    bs_json_members(json, "file_scheme %s scheme %s", bs_scheme_name(c->file_scheme),
                    bs_scheme_name(c->scheme));
    bs_json_open(json, "tags", '{');
    if (!list_counts(&c->tags, s->tag_count, table, json))
        return false;
    if (s->tokens_unknown)
        bs_buf_printf(table, "; %lld tokens without tag", (long long)s->tokens_unknown);
    bs_json_close(json, '}');
    bs_json_int(json, "tokens_unknown", s->tokens_unknown);
    bs_buf_text(table, "\n");
    if (c->scheme == BS_SCHEME_RAW)
        return true;
    bs_buf_printf(table, "spans    %lld:", (long long)s->spans);
    bs_json_int(json, "spans", s->spans);
    bs_json_open(json, "types", '{');
    if (!list_counts(&s->types, s->type_count, table, json))
        return false;
    bs_buf_printf(table, "; %lld ill-formed tags", (long long)s->ill_formed);
    bs_json_close(json, '}');
    bs_json_int(json, "ill_formed", s->ill_formed);
    if (s->ill_formed_at >= 0)
        bs_buf_printf(table, ", the first in the sentence of line %ld",
                      bs_corpus_line(c, s->ill_formed_at));
    bs_buf_text(table, "\n");
    return true;
}

static void print_checks(const bs_corpus_summary *s, bs_buf *table, bs_buf *json)
{
    bs_buf_printf(table, "checks   %d duplicate sentences, %d equal sentences with other tags\n",
                  (int)s->duplicates, (int)s->contradictions);
    bs_json_members(json, "duplicates %d contradictions %d", s->duplicates, s->contradictions);
}

static void print_against(const bs_corpus *c, const bs_corpus *train, const bs_corpus_summary *s,
                          bs_buf *table, bs_buf *json)
{
    double unknown = c->tokens ? (double)s->tokens_new / c->tokens : 0;
    char   tag[48], shown[BS_VISIBLE];
    bs_buf_printf(table, "against  %s: %d unknown %s", bs_visible(train->name, 80, shown),
                  (int)s->tags_new, c->scheme == BS_SCHEME_RAW ? "tags" : "types");
    if (s->first_new >= 0)
        bs_buf_printf(table, " ('%s')",
                      bs_visible(bs_corpus_file_tag(c, s->first_new, tag), 0, shown));
    bs_buf_printf(table, ", %.2f %% of the tokens unknown, %d sentences are there, too\n",
                  100 * unknown, (int)s->shared);
    bs_json_open(json, "against", '{');
    bs_json_members(json, "name %s tags_new %d tokens_new %lld shared %d", train->name, s->tags_new,
                    (long long)s->tokens_new, s->shared);
    bs_json_close(json, '}');
}

basin_status bs_corpus_describe(const bs_corpus *c, const bs_corpus *train, const bs_notes *notes,
                                bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_corpus_summary s;
    basin_status      status = bs_corpus_summarise(c, train, &s, err);
    if (!status) {
        print_size(c, &s, table, json);
        if (!print_tags(c, &s, table, json))
            status = bs_fail_nomem(err);
        print_checks(&s, table, json);
        if (train)
            print_against(c, train, &s, table, json);
        for (size_t i = 0; notes && i < notes->n; i++)
            bs_buf_printf(table, "note     %s\n", notes->note[i].text);
        bs_json_hash(json, "hash", c->hash);
        bs_notes_json(notes, json);
        bs_json_close(json, '}');
    }
    bs_corpus_summary_free(&s);
    if (!status && (table->failed || json->failed))
        status = bs_fail_nomem(err);
    return status;
}
