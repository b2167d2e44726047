/* metric_rank.c -- metrics of the order in which scores rank the labels of a row.
 *
 * The labels come sorted, best first, and are walked in groups of equal score. With BS_TIE_WORST
 * every member of a group has its last place; with BS_TIE_LAST the members are ranked, highest
 * index first. Average precision of a row and its term of lrap are the same number,
 *     1/|Y| sum over relevant r of (relevant at or above r) / (all at or above r),
 * and differ only in what a row without labels counts. */
#include "data/metric_part.h"

#include <math.h>

#include "data/metric_sort.h"

typedef struct {
    double precision;            /* sum over relevant labels */
    double worst_precision;      /* the same under the other tie rule */
    double errors, worst_errors; /* pairs in the wrong order */
    double depth, worst_depth;   /* place of the last relevant label */
} walk;

/* One group [first, end) of equal scores; `above` labels and `hits` relevant ones precede it. */
static void walk_group(const bs_metric_row *r, int32_t first, int32_t end, int32_t hits, walk *w)
{
    int32_t above = first, found = hits;
    for (int32_t i = end; i-- > first;) {
        above++;
        if (!r->is_gold[(uint32_t)r->order[i]])
            continue;
        found++;
        w->precision += (double)found / above;
        w->errors += above - found;
        w->depth = above;
    }
    if (found > hits) {
        w->worst_precision += (double)(found - hits) * found / end;
        w->worst_errors += (double)(found - hits) * (end - found);
        w->worst_depth = end;
    }
}

static walk walk_row(const bs_metric_row *r)
{
    walk    w = {0};
    int32_t hits = 0;
    for (int32_t first = 0, end; first < r->L && hits < r->n_gold; first = end) {
        int32_t here = 0;
        for (end = first; end < r->L && r->order[end] >> 32 == r->order[first] >> 32; end++)
            here += r->is_gold[(uint32_t)r->order[end]];
        if (here)
            walk_group(r, first, end, hits, &w);
        hits += here;
    }
    return w;
}

/* The index in r->order of the label at place i of the profile's ranking. */
static int32_t place(const bs_profile *p, const bs_metric_row *r, int32_t i)
{
    if (!p->last_first)
        return i;
    int32_t first = i, last = i;
    while (first > 0 && r->order[first - 1] >> 32 == r->order[i] >> 32)
        first--;
    while (last + 1 < r->L && r->order[last + 1] >> 32 == r->order[i] >> 32)
        last++;
    return first + last - i;
}

static void first_labels(const bs_profile *p, const bs_metric_row *r, double *rec)
{
    double hits = 0;
    for (int32_t i = 0; i < 5; i++) {
        if (i < r->L)
            hits += r->is_gold[(uint32_t)r->order[place(p, r, i)]];
        if (i == 0) {
            rec[BS_REC_ONE_ERROR] = 1 - hits;
            rec[BS_REC_P1] = hits;
        } else if (i == 2) {
            rec[BS_REC_P3] = hits / 3;
        }
    }
    rec[BS_REC_P5] = hits / 5;
}

void bs_metric_rank_row(const bs_profile *p, const bs_metric_row *r, double *rec)
{
    const double relevant = r->n_gold, rest = r->L - r->n_gold;
    first_labels(p, r, rec);
    if (r->n_gold == 0) {
        rec[BS_REC_LRAP] = rec[BS_REC_LRAP_ROWS] = !p->lrap_skip_empty;
        rec[BS_REC_AP_ROWS] = !p->map_skip_empty;
        return;
    }
    const walk   w = walk_row(r);
    const double precision = p->lrap_tie == BS_TIE_WORST ? w.worst_precision : w.precision;
    rec[BS_REC_LRAP] = rec[BS_REC_AP] = precision / relevant;
    rec[BS_REC_LRAP_ROWS] = rec[BS_REC_AP_ROWS] = 1;
    rec[BS_REC_DEPTH] =
        (p->depth_tie == BS_TIE_WORST ? w.worst_depth : w.depth) - 1 + p->depth_base;
    if (rest > 0) {
        double errors = p->loss_tie == BS_TIE_WORST ? w.worst_errors : w.errors;
        rec[BS_REC_RANK_LOSS] = errors / (relevant * rest);
    }
}

BS_METRIC_RATIO(lrap, LRAP, LRAP_ROWS)
BS_METRIC_RATIO(ranking_loss, RANK_LOSS, ROWS)
BS_METRIC_RATIO(coverage, DEPTH, ROWS)
BS_METRIC_RATIO(one_error, ONE_ERROR, ROWS)
BS_METRIC_RATIO(p_at_1, P1, ROWS)
BS_METRIC_RATIO(p_at_3, P3, ROWS)
BS_METRIC_RATIO(p_at_5, P5, ROWS)
BS_METRIC_RATIO(map_example, AP, AP_ROWS)
