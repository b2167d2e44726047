/* expected_mask.c -- all sets of likeliest pixels in one sweep, then changes of one pixel. */
#include "data/image/expected_mask.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { SWEEPS = 20 };
#define MOST_COMPARED 1e8 /* numbers read to compare samples with each other */

typedef struct {
    double  p;
    int32_t at;
} pixel;

typedef struct {
    const int32_t *y;
    const double  *weight;
    int            n, pixels;
    bool           f1;
    int           *size, *common; /* [n] of samples: pixels that are on, also in the set */
    pixel         *order;         /* likeliest first */
    int            h;             /* pixels of the set */
} sets;

static int compare(const void *a, const void *b)
{
    const pixel *x = a, *z = b;
    if (x->p != z->p)
        return x->p > z->p ? -1 : 1;
    return (x->at > z->at) - (x->at < z->at);
}

static int value_at(const sets *s, int k, int i)
{
    return s->y[(size_t)k * (size_t)s->pixels + (size_t)i];
}

/* Expected metric of the set with pixel i added (more 1), removed (-1), or as it is (0). */
static double expected(const sets *s, int i, int more)
{
    double sum = 0;
    for (int k = 0; k < s->n; k++) {
        const int common = s->common[k] + (more ? more * value_at(s, k, i) : 0);
        const int both = s->h + more + s->size[k], all = s->f1 ? both : both - common;
        sum += s->weight[k] * (all > 0 ? (s->f1 ? 2.0 : 1.0) * common / all : 1);
    }
    return sum;
}

static void change(sets *s, int i, int more)
{
    s->h += more;
    for (int k = 0; k < s->n; k++)
        s->common[k] += more * value_at(s, k, i);
}

static void take(sets *s, const uint8_t *mask)
{
    s->h = 0;
    memset(s->common, 0, (size_t)s->n * sizeof *s->common);
    for (int i = 0; i < s->pixels; i++)
        if (mask[i])
            change(s, i, 1);
}

/* The best number of likeliest pixels. */
static double best_level(sets *s, uint8_t *mask)
{
    int    most = 0;
    double best;
    memset(mask, 0, (size_t)s->pixels);
    take(s, mask);
    best = expected(s, 0, 0);
    for (int h = 0; h < s->pixels; h++) {
        change(s, s->order[h].at, 1);
        const double value = expected(s, 0, 0);
        if (value > best) {
            best = value;
            most = h + 1;
        }
    }
    for (int h = 0; h < most; h++)
        mask[s->order[h].at] = 1;
    return best;
}

static double best_sample(sets *s, double best, uint8_t *mask)
{
    int from = -1;
    for (int j = 0; j < s->n; j++) {
        s->h = s->size[j];
        for (int k = 0; k < s->n; k++) {
            s->common[k] = 0;
            for (int i = 0; i < s->pixels; i++)
                s->common[k] += value_at(s, j, i) & value_at(s, k, i);
        }
        const double value = expected(s, 0, 0);
        if (value > best) {
            best = value;
            from = j;
        }
    }
    for (int i = 0; i < s->pixels && from >= 0; i++)
        mask[i] = (uint8_t)value_at(s, from, i);
    return best;
}

static void climb(sets *s, double best, uint8_t *mask)
{
    bool found = true;
    take(s, mask);
    for (int sweep = 0; sweep < SWEEPS && found; sweep++) {
        found = false;
        for (int i = 0; i < s->pixels; i++) {
            const int    more = mask[i] ? -1 : 1;
            const double value = expected(s, i, more);
            if (value <= best + 1e-12)
                continue;
            best = value;
            change(s, i, more);
            mask[i] = !mask[i];
            found = true;
        }
    }
}

basin_status bs_decide_mask(const int32_t *y, const double *weight, int n, int pixels,
                            bs_decision by, uint8_t *mask, basin_error *err)
{
    sets s = {.y = y,
              .weight = weight,
              .n = n,
              .pixels = pixels,
              .f1 = by == BS_DECIDE_F1,
              .size = bs_calloc(2 * (size_t)n, sizeof *s.size),
              .order = bs_calloc((size_t)pixels + 1, sizeof *s.order)};
    if (!s.size || !s.order) {
        bs_free(s.size);
        bs_free(s.order);
        return bs_fail_nomem(err);
    }
    s.common = s.size + n;
    for (int i = 0; i < pixels; i++) {
        s.order[i].at = i;
        for (int k = 0; k < n; k++) {
            s.size[k] += value_at(&s, k, i);
            s.order[i].p += weight[k] * value_at(&s, k, i);
        }
        mask[i] = s.order[i].p > 0.5;
    }
    if (by == BS_DECIDE_F1 || by == BS_DECIDE_JACCARD) {
        qsort(s.order, (size_t)pixels, sizeof *s.order, compare);
        double best = best_level(&s, mask);
        if ((double)n * n * pixels < MOST_COMPARED)
            best = best_sample(&s, best, mask);
        climb(&s, best, mask);
    }
    bs_free(s.size);
    bs_free(s.order);
    return BASIN_OK;
}
