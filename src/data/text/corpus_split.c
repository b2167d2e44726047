/* corpus_split.c -- sentences into parts alike in tags and lengths.
 *
 * The stratification of data/split.c does the work: a sentence is a row whose labels are its tags,
 * as often as they occur, and one label for its length (1, 2-3, 4-7, ...; the last class is open
 * and not too rare). Thus every part gets its share of tags, rare ones first, and of long
 * sentences. */
#include <string.h>
#include "base/json.h"

#include "base/visible.h"
#include "data/split.h"
#include "data/text/corpus_part.h"

enum { LENGTHS = 31 };

typedef struct {
    bs_rows  ds; /* borrows everything below and the corpus */
    int32_t *start, *index;
    int      longest; /* the last class of lengths */
} rows;

static void free_rows(rows *r)
{
    bs_free(r->start);
    bs_free(r->index);
}

static int length_class(int32_t n)
{
    return 31 - __builtin_clz((unsigned)n);
}

/* The last class that, with all longer ones, holds a hundredth of the sentences. */
static int last_class(const bs_corpus *c)
{
    int32_t count[LENGTHS] = {0}, sum = 0;
    int     k = LENGTHS - 1;
    for (int32_t s = 0; s < c->sentences; s++)
        count[length_class(c->start[s + 1] - c->start[s])]++;
    for (sum = count[k]; k > 0 && sum * 100LL < c->sentences; k--)
        sum += count[k - 1];
    return k;
}

static basin_status make_rows(const bs_corpus *c, rows *r, basin_error *err)
{
    *r = (rows){.start = NULL};
    if ((int64_t)c->tokens + c->sentences >= INT32_MAX)
        return bs_fail(err, BASIN_EDATA, "%s: too many tokens to be split", c->name);
    r->start = bs_alloc(((size_t)c->sentences + 1) * sizeof *r->start);
    r->index = bs_alloc(((size_t)c->tokens + (size_t)c->sentences + 1) * sizeof *r->index);
    if (!r->start || !r->index)
        return bs_fail_nomem(err);
    int32_t n = 0;
    r->longest = last_class(c);
    for (int32_t s = 0; s < c->sentences; s++) {
        int length = length_class(c->start[s + 1] - c->start[s]);
        r->start[s] = n;
        for (int32_t t = c->start[s]; t < c->start[s + 1]; t++)
            if (c->tag[t] >= 0)
                r->index[n++] = c->tag[t];
        r->index[n++] = c->tags.n + (length < r->longest ? length : r->longest);
    }
    r->start[c->sentences] = n;
    r->ds.rows = c->sentences;
    r->ds.schema.n_labels = c->tags.n + LENGTHS;
    r->ds.x = (bs_csr){.rows = c->sentences, .start = c->start, .index = c->word};
    r->ds.y = (bs_csr){.rows = c->sentences, .start = r->start, .index = r->index};
    return BASIN_OK;
}

basin_status bs_corpus_split(const bs_corpus *c, const double *share, int parts, bool by_document,
                             uint64_t seed, int32_t *part, basin_error *err)
{
    rows         r;
    basin_status s = make_rows(c, &r, err);
    if (!s)
        s = bs_split(&r.ds, share, parts, by_document ? c->document : NULL, seed, part, err);
    free_rows(&r);
    return s;
}

/* --- the report ---------------------------------------------------------- */

static void label_name(const bs_corpus *c, int32_t label, int longest, char out[40])
{
    if (label < 0)
        bs_print(out, 40, "-");
    else if (label < c->tags.n)
        bs_print(out, 40, "%.30s", c->tags.item[label].text);
    else if (label == c->tags.n + longest)
        bs_print(out, 40, "length %ld and more", 1L << longest);
    else if (label == c->tags.n)
        bs_print(out, 40, "length 1");
    else
        bs_print(out, 40, "length %ld-%ld", 1L << (label - c->tags.n),
                 (2L << (label - c->tags.n)) - 1);
}

static void print_parts(const bs_corpus *c, int longest, const int32_t *part,
                        const char *const *file, const bs_split_balance *b, bs_buf *table,
                        bs_buf *json)
{
    int64_t tokens[BS_MOST_PARTS] = {0};
    char    worst[40];
    for (int32_t s = 0; s < c->sentences; s++)
        tokens[part[s]] += c->start[s + 1] - c->start[s];
    bs_buf_printf(table, "%-40s %9s %10s %10s %10s %8s  %s\n", "part", "sentences", "tokens",
                  "mean off%", "worst off%", "absent", "worst");
    bs_json_open(json, NULL, '{');
    bs_json_open(json, "parts", '[');
    for (int i = 0; i < b->parts; i++) {
        const bs_split_part *p = &b->part[i];
        label_name(c, p->worst_label, longest, worst);
        bs_buf_printf(table, "%-40.40s %9d %10lld %10.2f %10.2f %8d  %s\n", file[i], (int)p->rows,
                      (long long)tokens[i], 100 * p->label_error, 100 * p->worst_error,
                      (int)p->labels_absent, worst);
        bs_json_open(json, NULL, '{');
        bs_json_members(json, "file %s sentences %d tokens %lld mean_off %.6f", file[i], p->rows,
                        (long long)tokens[i], p->label_error);
        bs_json_close(json, '}');
    }
    bs_json_close(json, ']');
    bs_json_int(json, "crossing", b->crossing);
    bs_json_close(json, '}');
    if (b->crossing)
        bs_buf_printf(table, "%d sentences are equal to a sentence in another part\n",
                      (int)b->crossing);
}

basin_status bs_corpus_split_describe(const bs_corpus *c, const double *share, int parts,
                                      const int32_t *part, const char *const *file, bs_buf *table,
                                      bs_buf *json, basin_error *err)
{
    rows              r;
    bs_split_balance *balance = bs_calloc(1, sizeof *balance);
    basin_status      s = make_rows(c, &r, err);
    if (!s && !balance)
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_split_measure(&r.ds, share, parts, part, balance, err);
    if (!s) {
        print_parts(c, r.longest, part, file, balance, table, json);
        if (table->failed || json->failed)
            s = bs_fail_nomem(err);
    }
    bs_free(balance);
    free_rows(&r);
    return s;
}
