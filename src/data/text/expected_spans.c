/* expected_spans.c -- expected F1 of spans. */
#include "data/text/expected_spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1 << 22 }; /* of tables, for sentences of up to 2000 words */

typedef struct {
    int      T, W; /* tokens; the most spans of a sample, and one */
    int      n;    /* different spans, by where they end */
    bs_span *span;
    double  *p;     /* [n, W]: P(this span, and so many in all) */
    double  *share; /* [W]: P(so many) */
    double  *gain;  /* [n] at the number of spans at hand */
    double  *best;  /* [T + 1, T + 1]: of q spans among the first t tokens */
} choice;

static int order_of(const bs_span *a, const bs_span *b)
{
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->type > b->type) - (a->type < b->type);
}

/* A span of a sample. */
typedef struct {
    bs_span span;
    int     sample;
} met;

static int by_span(const void *a, const void *b)
{
    const met *x = a, *y = b;
    const int  order = order_of(&x->span, &y->span);
    return order ? order : (x->sample > y->sample) - (x->sample < y->sample);
}

/* Each span once, and how likely it is among so many; large: however many there are. */
static void join(choice *c, const met *list, size_t n, const int32_t *count, const double *weight,
                 bool large)
{
    for (size_t i = 0; i < n; i++) {
        const int k = list[i].sample;
        if (i == 0 || order_of(&list[i - 1].span, &list[i].span) != 0)
            c->span[c->n++] = list[i].span;
        c->p[(size_t)(c->n - 1) * (size_t)c->W + (size_t)(large ? 0 : count[k])] += weight[k];
    }
}

/* No set of h spans has more: at most min(h, t) of t are in it. */
static double bound(const choice *c, int h)
{
    double most = 0;
    for (int t = 1; t < c->W; t++)
        most += c->share[t] * 2 * (h < t ? h : t) / (t + h);
    return most;
}

/* The best h spans that do not overlap: their expected F1, or minus infinity. */
static double best_of(choice *c, int h)
{
    const int T = c->T, M = T + 1;
    for (int i = 0; i < c->n; i++) {
        c->gain[i] = 0;
        for (int t = 1; t < c->W; t++)
            c->gain[i] += 2 * c->p[i * c->W + t] / (t + h);
    }
    for (int q = 0; q <= h; q++)
        c->best[q] = q ? -INFINITY : 0;
    for (int t = 1, i = 0; t <= T; t++) {
        double *row = c->best + t * M;
        memcpy(row, row - M, (size_t)(h + 1) * sizeof *row);
        for (; i < c->n && c->span[i].end == t; i++)
            for (int q = 1; q <= h; q++)
                row[q] = fmax(row[q], c->best[c->span[i].first * M + q - 1] + c->gain[i]);
    }
    return c->best[T * M + h];
}

/* Those that best_of found. */
static void trace(const choice *c, int h, bs_span *out)
{
    const int M = c->T + 1;
    int       i = c->n;
    for (int t = c->T, q = h; q > 0;) {
        while (i > 0 && c->span[i - 1].end > t)
            i--;
        int j = i;
        if (c->best[t * M + q] > c->best[(t - 1) * M + q]) {
            do
                j--;
            while (c->best[c->span[j].first * M + q - 1] + c->gain[j] < c->best[t * M + q]);
            out[--q] = c->span[j];
            t = c->span[j].first;
        } else {
            t--;
        }
    }
}

static double choose(choice *c, bs_span *out, int *found)
{
    double best = c->share[0];
    *found = 0;
    for (int h = 1; h <= c->T; h++) {
        if (h >= c->W && bound(c, h) <= best)
            break;
        const double value = best_of(c, h);
        if (value <= best)
            continue;
        best = value;
        *found = h;
        trace(c, h, out);
    }
    return best;
}

/* Spans of more than half of the weight never overlap. */
static double choose_likely(const choice *c, bs_span *out, int *found)
{
    double sum = 0;
    *found = 0;
    for (int i = 0; i < c->n; i++)
        if (c->p[i] > 0.5) {
            sum += c->p[i];
            out[(*found)++] = c->span[i];
        }
    return sum;
}

double bs_expected_spans(const bs_tagset *s, const int32_t *tag, const double *weight, int n, int T,
                         bs_span *out, int *found)
{
    const size_t K = (size_t)n, L = (size_t)T;
    bs_span     *all = bs_calloc(L + 1, sizeof *all); /* of a sample */
    met         *list = bs_calloc(K * L + 1, sizeof *list);
    int32_t     *count = bs_calloc(K + 1, sizeof *count);
    choice       c = {.T = T, .W = 1};
    int64_t      repaired = 0;
    size_t       most = 0;
    double       value = -1;
    *found = 0;
    for (size_t k = 0; k < K && all && list && count; k++) {
        count[k] = bs_spans(s, tag + k * L, T, all, &repaired);
        c.W = count[k] >= c.W ? count[k] + 1 : c.W;
        for (int32_t i = 0; i < count[k]; i++)
            list[most++] = (met){all[i], (int)k};
    }
    const bool large = (L + 1) * (L + 1) > MOST_CELLS || (most + 1) * (size_t)c.W > MOST_CELLS;
    const int  W = c.W;
    c.W = large ? 1 : W;
    c.span = bs_calloc(most + 1, sizeof *c.span);
    c.p = bs_calloc((most + 1) * (size_t)c.W + most + (size_t)W, sizeof *c.p);
    c.best = bs_calloc(large ? 1 : (L + 1) * (L + 1), sizeof *c.best);
    if (all && list && count && c.span && c.p && c.best) {
        c.share = c.p + (most + 1) * (size_t)c.W;
        c.gain = c.share + W;
        for (size_t k = 0; k < K; k++)
            c.share[count[k]] += weight[k];
        if (most > 1)
            qsort(list, most, sizeof *list, by_span);
        join(&c, list, most, count, weight, large);
        value = large ? choose_likely(&c, out, found) : choose(&c, out, found);
    }
    bs_free(all);
    bs_free(list);
    bs_free(count);
    bs_free(c.span);
    bs_free(c.p);
    bs_free(c.best);
    return value;
}

/* ---- tags of spans ---- */

static int32_t tag_with(const bs_tagset *s, const char *parts, int32_t type)
{
    for (; *parts; parts++)
        for (int32_t i = 0; i < s->n; i++)
            if (s->tag[i].part == *parts && s->tag[i].type == type)
                return i;
    return 0;
}

bool bs_tagset_has_spans(const bs_tagset *s)
{
    return s->scheme != BS_SCHEME_RAW && s->n > 0 && s->tag[tag_with(s, "O", -1)].part == 'O';
}

/* Schemes lack some letters; the next best one is read alike. */
void bs_spans_write(const bs_tagset *s, const bs_span *span, int n, int T, int32_t *tag)
{
    for (int t = 0; t < T; t++)
        tag[t] = tag_with(s, "O", -1);
    for (int i = 0; i < n; i++)
        for (int t = span[i].first; t < span[i].end; t++) {
            const bool first = t == span[i].first, last = t + 1 == span[i].end;
            tag[t] = tag_with(s,
                              first && last ? "SBEI"
                              : first       ? "BI"
                              : last        ? "EI"
                                            : "IE",
                              span[i].type);
        }
}
