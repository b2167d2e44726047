/* monotone.c -- increasing functions that are linear between knots. */
#include "base/monotone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"

double bs_monotone_at(const bs_monotone *m, double x)
{
    int below = 0, above = m->n + 1; /* knots 0 and n + 1 are the ends */
    if (!(x > 0 && x < 1))
        return x;
    while (above - below > 1) {
        const int middle = (below + above) / 2;
        if (m->from[middle - 1] <= x)
            below = middle;
        else
            above = middle;
    }
    const double x0 = below > 0 ? m->from[below - 1] : 0, y0 = below > 0 ? m->to[below - 1] : 0;
    const double x1 = above <= m->n ? m->from[above - 1] : 1;
    const double y1 = above <= m->n ? m->to[above - 1] : 1;
    return fmin(y0 + (y1 - y0) * ((x - x0) / (x1 - x0)), y1);
}

bs_monotone bs_monotone_inverse(const bs_monotone *m)
{
    return (bs_monotone){m->n, m->to, m->from};
}

/* ---- fitting ---- */

typedef struct {
    double cells, on, scores;
} pool;

static int by_score(const void *a, const void *b)
{
    const float x = ((const bs_scored_truth *)a)->score, y = ((const bs_scored_truth *)b)->score;
    return (x > y) - (x < y);
}

static double share(const pool *p)
{
    return p->on / p->cells;
}

/* Pools of neighbours, equal scores together, in which the share of true ones increases. */
static int make_pools(const bs_scored_truth *x, size_t n, pool *p)
{
    const size_t least = n / BS_MOST_KNOTS + 1;
    int          pools = 0;
    for (size_t i = 0; i < n;) {
        pool now = {0};
        for (size_t k = 0; i < n && (k < least || x[i].score <= x[i - 1].score); k++, i++) {
            now.cells++;
            now.on += x[i].truth;
            now.scores += (double)x[i].score;
        }
        p[pools++] = now;
        for (; pools > 1 && share(&p[pools - 2]) >= share(&p[pools - 1]); pools--) {
            p[pools - 2].cells += p[pools - 1].cells;
            p[pools - 2].on += p[pools - 1].on;
            p[pools - 2].scores += p[pools - 1].scores;
        }
    }
    return pools;
}

/* A pool without true ones, which only the first can be, says little more than that they are rare;
 * and the other way round for the last. */
static double value_of(const pool *p, int i, int pools)
{
    const double rare = 0.5 / (p[i].cells + 1);
    if (p[i].on <= 0)
        return pools > 1 ? fmin(rare, share(&p[i + 1]) / 2) : rare;
    if (p[i].on >= p[i].cells)
        return pools > 1 ? fmax(1 - rare, (share(&p[i - 1]) + 1) / 2) : 1 - rare;
    return share(&p[i]);
}

basin_status bs_monotone_fit(bs_scored_truth *x, size_t n, bs_arena *a, bs_monotone *out,
                             basin_error *err)
{
    const size_t room = (n < BS_MOST_KNOTS ? n : BS_MOST_KNOTS) + 1;
    pool        *p = bs_calloc(room, sizeof *p);
    *out = (bs_monotone){0, bs_arena_alloc(a, room * sizeof *out->from),
                         bs_arena_alloc(a, room * sizeof *out->to)};
    if (!p || !out->from || !out->to) {
        bs_free(p);
        return bs_fail_nomem(err);
    }
    qsort(x, n, sizeof *x, by_score);
    const int pools = make_pools(x, n, p);
    for (int i = 0; i < pools; i++) {
        const double from = p[i].scores / p[i].cells, to = value_of(p, i, pools);
        const bool   first = out->n == 0;
        /* means of scores that are 0, 1 or equal but for rounding are no knots */
        if (!(from > (first ? 0 : out->from[out->n - 1]) && from < 1 &&
              to > (first ? 0 : out->to[out->n - 1]) && to < 1))
            continue;
        out->from[out->n] = from;
        out->to[out->n++] = to;
    }
    bs_free(p);
    return BASIN_OK;
}

/* ---- text ---- */

void bs_monotone_write(const bs_monotone *m, bs_buf *out)
{
    for (int i = 0; i < 2 * m->n; i++) {
        char number[BS_NUMBER_TEXT];
        bs_format_double(i % 2 ? m->to[i / 2] : m->from[i / 2], number);
        bs_buf_printf(out, "%s%s", i ? " " : "", number);
    }
}

bool bs_monotone_read(const char *text, bs_arena *a, bs_monotone *out)
{
    size_t words = 1;
    for (const char *at = text; *at; at++)
        words += *at == ' ';
    *out = (bs_monotone){0, NULL, NULL};
    if (words % 2 || words > 2 * BS_MOST_KNOTS)
        return false;
    out->from = bs_arena_alloc(a, words / 2 * sizeof *out->from);
    out->to = bs_arena_alloc(a, words / 2 * sizeof *out->to);
    double last[2] = {0, 0};
    for (size_t i = 0; i < words && out->from && out->to; i++) {
        double      number;
        const char *end = bs_scan_double(text, &number);
        if (!end || (*end && *end != ' ') || !(number > last[i % 2] && number < 1))
            return false;
        last[i % 2] = number;
        (i % 2 ? out->to : out->from)[i / 2] = number;
        text = end + (*end == ' ');
    }
    out->n = (int)(words / 2);
    return out->from && out->to;
}
