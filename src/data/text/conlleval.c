/* conlleval.c -- counts phrases by either set of rules and prints the table; see conlleval.h. */
#include "data/text/conlleval.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/visible.h"
#include "data/names.h"
#include "data/text/scheme_part.h"
#include "data/text/tag_metric.h"

typedef struct {
    const char *type;
    int64_t     gold, found, right;
    bool        twice; /* compat: this row is printed twice */
} line;

typedef struct {
    int64_t tokens, right; /* tokens */
    line    all;
    line   *type; /* [types] */
    int32_t types;
} result;

/* ---- printing ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const line *)a)->type, ((const line *)b)->type);
}

/* Percentages computed in the same steps as the original, for the same last digit. */
static void print_scores(const line *l, bs_buf *out)
{
    const double right = 100 * (double)l->right;
    const double precision = l->found ? right / (double)l->found : 0;
    const double recall = l->gold ? right / (double)l->gold : 0;
    const double sum = precision + recall;
    bs_buf_printf(out, "precision: %6.2f%%; recall: %6.2f%%; FB1: %6.2f", precision, recall,
                  sum > 0 ? 2 * precision * recall / sum : 0);
}

static void print(result *r, bs_buf *out)
{
    const line *all = &r->all;
    char        type[BS_VISIBLE];
    bs_buf_printf(out, "processed %lld tokens with %lld phrases; ", (long long)r->tokens,
                  (long long)all->gold);
    bs_buf_printf(out, "found: %lld phrases; correct: %lld.\n", (long long)all->found,
                  (long long)all->right);
    if (r->tokens) {
        bs_buf_printf(out, "accuracy: %6.2f%%; ", 100 * (double)r->right / (double)r->tokens);
        print_scores(all, out);
        bs_buf_text(out, "\n");
    }
    if (r->types)
        qsort(r->type, (size_t)r->types, sizeof *r->type, by_name);
    for (int32_t i = 0; i < r->types; i++) {
        const line *l = &r->type[i];
        for (int k = 0; k < (l->gold || l->found) + l->twice; k++) {
            bs_buf_printf(out, "%17s: ", bs_visible(l->type, 0, type));
            print_scores(l, out);
            bs_buf_printf(out, "  %lld\n", (long long)l->found);
        }
    }
}

/* ---- by the rules of the scheme ---- */

static basin_status by_scheme(const char *const *tags, int32_t n_tags, bs_scheme scheme,
                              const int32_t *gold, const int32_t *predicted, const int32_t *start,
                              int32_t sentences, bs_buf *out, basin_error *err)
{
    bs_tagset       set;
    bs_tag_metrics *m = NULL;
    bs_type_score  *score = NULL;
    result          r = {0};
    basin_status    s = bs_tagset_make(tags, n_tags, scheme, &set, err);
    if (!s)
        s = bs_tag_metrics_new(&set, NULL, &m, err);
    if (!s)
        s = bs_tag_metrics_add(m, gold, predicted, start, sentences, NULL, err);
    if (!s) {
        score = bs_calloc((size_t)set.types.n + 1, sizeof *score);
        r.type = bs_calloc((size_t)set.types.n + 1, sizeof *r.type);
        if (!score || !r.type)
            s = bs_fail_nomem(err);
    }
    if (!s) {
        const bs_tag_counts counts = bs_tag_metrics_counts(m);
        r.tokens = counts.tokens;
        r.right = counts.right;
        bs_tag_metrics_types(m, score);
        for (int32_t i = 0; i < set.types.n; i++) {
            const bs_type_score *t = &score[i];
            if (scheme == BS_SCHEME_RAW && !strcmp(t->type, "O"))
                continue;
            r.type[r.types++] = (line){t->type, t->gold, t->predicted, t->right, false};
            r.all.gold += t->gold;
            r.all.found += t->predicted;
            r.all.right += t->right;
        }
        print(&r, out);
    }
    bs_free(score);
    bs_free(r.type);
    bs_tag_metrics_free(m);
    bs_tagset_free(&set);
    return s;
}

/* ---- by the rules of the historical program ---- */

/* A tag as that program splits it: the text before the first hyphen, and the rest. */
typedef struct {
    char    letter; /* the first part if it is a single character, else 0 */
    int32_t head, type;
} chunk;

static bool is_in(char letter, const char *set)
{
    return letter && strchr(set, letter);
}

static bool outside(chunk c)
{
    return is_in(c.letter, "O.");
}

/* Does a phrase end between the two tags? */
static bool ends(chunk a, chunk b)
{
    if (is_in(a.letter, "BI") && is_in(b.letter, "BO"))
        return true;
    if (a.letter == 'E' && is_in(b.letter, "EIO"))
        return true;
    return is_in(a.letter, "[]") || (!outside(a) && a.type != b.type);
}

/* Does a phrase start between the two tags? */
static bool starts(chunk a, chunk b)
{
    if (b.letter == 'B' && is_in(a.letter, "BIO"))
        return true;
    if (is_in(b.letter, "IE") && is_in(a.letter, "OE"))
        return true;
    return is_in(b.letter, "[]") || (!outside(b) && a.type != b.type);
}

typedef struct {
    bs_arena arena;
    bs_names heads, types;
    chunk   *chunk; /* [tags], then O */
    line    *line;  /* [types] */
} history;

/* To that program a type "0" is false, so there is no type. */
static bool take_apart(history *h, const char *tag, bool raw, chunk *out)
{
    const char *type = strchr(tag, '-'), *head = tag;
    size_t      len = type ? (size_t)(type - tag) : strlen(tag);
    bool        fresh;
    type = type ? type + 1 : "";
    if (raw && strcmp(tag, "O") != 0) {
        head = "B";
        len = 1;
        type = tag;
    }
    if (!strcmp(type, "0"))
        type = "";
    out->letter = len == 1 ? *head : 0;
    out->head = bs_names_add(&h->heads, head, len, &fresh);
    out->type = bs_names_add(&h->types, type, strlen(type), &fresh);
    return out->head >= 0 && out->type >= 0;
}

/* Compares one token, or a sentence end, with the one before. `open`: a phrase started here in both
 * and they agree so far. */
static void step(history *h, result *r, const chunk last[2], const chunk now[2], bool *open)
{
    const bool end_gold = ends(last[0], now[0]), end_found = ends(last[1], now[1]);
    const bool start_gold = starts(last[0], now[0]), start_found = starts(last[1], now[1]);
    const bool same = now[0].type == now[1].type;
    if (*open && end_gold && end_found && last[0].type == last[1].type) {
        *open = false;
        r->all.right++;
        h->line[last[0].type].right++;
    } else if (*open && (end_gold != end_found || !same)) {
        *open = false;
    }
    *open = *open || (start_gold && start_found && same);
    r->all.gold += start_gold;
    r->all.found += start_found;
    h->line[now[0].type].gold += start_gold;
    h->line[now[1].type].found += start_found;
}

static void count(history *h, result *r, chunk none, const int32_t *gold, const int32_t *predicted,
                  const int32_t *start, int32_t sentences)
{
    chunk last[2] = {none, none};
    bool  open = false;
    for (int32_t i = 0; i < sentences; i++) {
        for (int32_t k = start[i]; k <= start[i + 1]; k++) { /* one more, for the empty line */
            chunk now[2] = {none, none};
            if (k < start[i + 1]) {
                now[0] = gold[k] < 0 ? none : h->chunk[gold[k]];
                now[1] = predicted[k] < 0 ? none : h->chunk[predicted[k]];
                r->tokens++;
                r->right += gold[k] >= 0 && predicted[k] >= 0 && now[0].head == now[1].head &&
                            now[0].type == now[1].type;
            }
            step(h, r, last, now, &open);
            last[0] = now[0];
            last[1] = now[1];
        }
    }
    if (open) {
        r->all.right++;
        h->line[last[0].type].right++;
    }
}

static basin_status as_ever(const char *const *tags, int32_t n_tags, bool raw, const int32_t *gold,
                            const int32_t *predicted, const int32_t *start, int32_t sentences,
                            bs_buf *out, basin_error *err)
{
    history h = {0};
    result  r = {0};
    bs_arena_init(&h.arena, 0);
    bs_names_init(&h.heads, &h.arena);
    bs_names_init(&h.types, &h.arena);
    h.chunk = bs_calloc((size_t)n_tags + 1, sizeof *h.chunk);
    bool ok = h.chunk && take_apart(&h, "O", raw, &h.chunk[n_tags]);
    for (int32_t i = 0; i < n_tags && ok; i++)
        ok = take_apart(&h, tags[i], raw, &h.chunk[i]);
    if (ok)
        h.line = bs_calloc((size_t)h.types.n, sizeof *h.line);
    if (h.line) {
        count(&h, &r, h.chunk[n_tags], gold, predicted, start, sentences);
        for (int32_t i = 0; i < h.types.n; i++) {
            line *l = &h.line[i];
            l->type = h.types.item[i].text;
            l->twice = !*l->type && l->gold && l->found; /* its check for duplicates fails here */
        }
        r.type = h.line;
        r.types = h.types.n;
        print(&r, out);
    }
    ok = h.line;
    bs_free(h.chunk);
    bs_free(h.line);
    bs_names_free(&h.heads);
    bs_names_free(&h.types);
    bs_arena_free(&h.arena);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

basin_status bs_conlleval(const char *const *tags, int32_t n_tags, bs_scheme scheme,
                          const int32_t *gold, const int32_t *predicted, const int32_t *start,
                          int32_t sentences, bool compat, bs_buf *out, basin_error *err)
{
    basin_status s = bs_text_check(n_tags, gold, start, sentences, err);
    if (!s)
        s = bs_text_check(n_tags, predicted, start, sentences, err);
    if (!s && compat)
        s = as_ever(tags, n_tags, scheme == BS_SCHEME_RAW, gold, predicted, start, sentences, out,
                    err);
    else if (!s)
        s = by_scheme(tags, n_tags, scheme, gold, predicted, start, sentences, out, err);
    return s || !out->failed ? s : bs_fail_nomem(err);
}
