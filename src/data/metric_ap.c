/* metric_ap.c -- average precision of labels, which needs the scores of all rows at once.
 *
 *     AP = sum over n of (R_n - R_{n-1}) P_n
 * over the distinct scores n of a column, best first. Nothing after the last positive row adds to
 * it, so only rows that score at least as high as the worst positive one are sorted, and kept as
 * the list that the bootstrap walks. */
#include "data/metric_part.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/metric_sort.h"

/* An item is row * 4 + these. END: a step of the sum is complete. */
enum { POSITIVE = 2, END = 1 };

enum { BLOCK = 16 }; /* columns copied together: a cache line of scores */

void bs_ap_init(bs_ap *a, int32_t L)
{
    *a = (bs_ap){.L = L, .built = -1};
}

void bs_ap_clear(bs_ap *a)
{
    a->rows = 0;
    a->built = -1;
}

void bs_ap_free(bs_ap *a)
{
    bs_free(a->score);
    bs_free(a->start);
    bs_free(a->index);
    bs_free(a->item_start);
    bs_free(a->item);
    bs_free(a->support);
    bs_free(a->ap);
    *a = (bs_ap){.L = a->L, .built = -1};
}

basin_status bs_ap_add(bs_ap *a, const bs_metric_row *r, basin_error *err)
{
    const size_t  L = (size_t)a->L, rows = (size_t)a->rows;
    const int64_t from = rows ? a->start[rows] : 0;
    if (!BS_GROW(a->score, a->score_cap, (rows + 1) * L, SIZE_MAX) ||
        !BS_GROW(a->start, a->start_cap, rows + 2, SIZE_MAX) ||
        !BS_GROW(a->index, a->index_cap, (size_t)from + (size_t)r->n_gold, SIZE_MAX))
        return bs_fail_nomem(err);
    memcpy(a->score + rows * L, r->scores, L * sizeof *a->score);
    if (r->n_gold)
        memcpy(a->index + from, r->gold, (size_t)r->n_gold * sizeof *a->index);
    a->start[rows] = from;
    a->start[rows + 1] = from + r->n_gold;
    a->rows++;
    return BASIN_OK;
}

/* Temporary memory of bs_ap_build. */
typedef struct {
    bs_arena  room;
    int64_t  *at;          /* [L + 1] first positive row of each label in `row` */
    int32_t  *row;         /* positive rows, label by label */
    uint8_t  *mark;        /* [rows] the positive rows of one label */
    float    *column;      /* [BLOCK, rows] */
    uint64_t *key, *spare; /* [rows] */
} work;

static bool work_new(const bs_ap *a, work *w)
{
    const size_t rows = (size_t)a->rows;
    const size_t positives = rows ? (size_t)a->start[rows] : 0;
    w->at = bs_arena_alloc(&w->room, ((size_t)a->L + 1) * sizeof *w->at);
    w->row = bs_arena_alloc(&w->room, positives * sizeof *w->row);
    w->mark = bs_arena_alloc(&w->room, rows * sizeof *w->mark);
    w->column = bs_arena_alloc(&w->room, rows * BLOCK * sizeof *w->column);
    w->key = bs_arena_alloc(&w->room, rows * sizeof *w->key);
    w->spare = bs_arena_alloc(&w->room, rows * sizeof *w->spare);
    return w->at && w->row && w->mark && w->column && w->key && w->spare;
}

/* Turns labels of rows into rows of labels, and counts. */
static void transpose_gold(bs_ap *a, work *w)
{
    memset(a->support, 0, (size_t)a->L * sizeof *a->support);
    const int64_t positives = a->rows ? a->start[a->rows] : 0;
    for (int64_t i = 0; i < positives; i++)
        a->support[a->index[i]]++;
    for (int32_t l = 0; l < a->L; l++)
        w->at[l + 1] = w->at[l] + a->support[l];
    for (int32_t row = 0; row < a->rows; row++)
        for (int64_t i = a->start[row]; i < a->start[row + 1]; i++)
            w->row[w->at[a->index[i]]++] = row;
    for (int32_t l = a->L; l > 0; l--)
        w->at[l] = w->at[l - 1];
    w->at[0] = 0;
}

/* The keys of the rows that matter for label l, sorted; returns how many. */
static size_t sort_column(const bs_ap *a, work *w, int32_t l, const float *column)
{
    float worst = INFINITY;
    for (int64_t i = w->at[l]; i < w->at[l + 1]; i++) {
        w->mark[w->row[i]] = 1;
        worst = fminf(worst, column[w->row[i]]);
    }
    size_t n = 0;
    for (int32_t row = 0; row < a->rows; row++)
        if (column[row] >= worst)
            w->key[n++] = bs_score_key(column[row], (uint32_t)row << 1 | w->mark[row]);
    for (int64_t i = w->at[l]; i < w->at[l + 1]; i++)
        w->mark[w->row[i]] = 0;
    bs_score_sort(w->key, n, w->spare);
    return n;
}

/* Writes the n items of label l and returns its average precision. */
static double make_items(const work *w, size_t n, bool strict, uint32_t *item)
{
    double found = 0, step = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t tag = (uint32_t)w->key[i];
        item[i] = (tag >> 1) << 2 | ((tag & 1) ? POSITIVE : 0);
        found += tag & 1;
        step += tag & 1;
        bool last = i + 1 == n || w->key[i + 1] >> 32 != w->key[i] >> 32;
        if (step > 0 && (strict || last)) {
            item[i] |= END;
            sum += step * found / (double)(i + 1);
            step = 0;
        }
    }
    return sum / found;
}

static basin_status build_label(bs_ap *a, work *w, const bs_profile *p, int32_t l,
                                const float *column, basin_error *err)
{
    const size_t from = a->item_start[l];
    a->item_start[l + 1] = from;
    a->ap[l] = NAN;
    if (a->support[l] == 0)
        return BASIN_OK;
    size_t n = sort_column(a, w, l, column);
    if (!BS_GROW(a->item, a->item_cap, from + n, SIZE_MAX))
        return bs_fail_nomem(err);
    a->ap[l] = make_items(w, n, p->ap_strict, a->item + from);
    a->item_start[l + 1] = from + n;
    return BASIN_OK;
}

static basin_status build(bs_ap *a, work *w, const bs_profile *p, basin_error *err)
{
    const size_t rows = (size_t)a->rows, L = (size_t)a->L;
    if (!a->support)
        a->support = bs_calloc(L, sizeof *a->support);
    if (!a->item_start)
        a->item_start = bs_calloc(L + 1, sizeof *a->item_start);
    if (!a->ap)
        a->ap = bs_calloc(L, sizeof *a->ap);
    if (!a->support || !a->item_start || !a->ap || !work_new(a, w))
        return bs_fail_nomem(err);
    transpose_gold(a, w);
    for (size_t first = 0; first < L; first += BLOCK) {
        const size_t wide = L - first < BLOCK ? L - first : BLOCK;
        for (size_t row = 0; row < rows; row++)
            for (size_t c = 0; c < wide; c++)
                w->column[c * rows + row] = a->score[row * L + first + c];
        for (size_t c = 0; c < wide; c++) {
            basin_status s = build_label(a, w, p, (int32_t)(first + c), w->column + c * rows, err);
            if (s)
                return s;
        }
    }
    a->built = a->rows;
    return BASIN_OK;
}

basin_status bs_ap_build(bs_ap *a, const bs_profile *p, basin_error *err)
{
    if (a->built == a->rows)
        return BASIN_OK;
    work         w = {0};
    basin_status s = build(a, &w, p, err);
    bs_arena_free(&w.room);
    return s;
}

/* A row drawn twice ties with itself, whatever the profile says about ties. Float counts are exact
 * up to 2^24 rows, and sixteen of them fit into registers. */
static void lanes_of_label(const bs_ap *a, int32_t l, const float *weight, float found[BS_LANES],
                           double sum[BS_LANES])
{
    float all[BS_LANES] = {0}, step[BS_LANES] = {0};
    for (int j = 0; j < BS_LANES; j++) {
        found[j] = 0;
        sum[j] = 0;
    }
    for (size_t i = a->item_start[l]; i < a->item_start[l + 1]; i++) {
        const uint32_t item = a->item[i];
        const float   *w = weight + (size_t)(item >> 2) * BS_LANES;
        for (int j = 0; j < BS_LANES; j++)
            all[j] += w[j];
        if (item & POSITIVE) {
            for (int j = 0; j < BS_LANES; j++) {
                found[j] += w[j];
                step[j] += w[j];
            }
        }
        if (item & END) {
            for (int j = 0; j < BS_LANES; j++) {
                sum[j] += all[j] > 0 ? (double)step[j] * (double)found[j] / (double)all[j] : 0;
                step[j] = 0;
            }
        }
    }
}

void bs_ap_lanes(const bs_ap *a, const bs_profile *p, const float *weight, double *sums)
{
    for (int32_t l = 0; l < a->L; l++) {
        float  found[BS_LANES];
        double sum[BS_LANES];
        lanes_of_label(a, l, weight, found, sum);
        for (int j = 0; j < BS_LANES; j++) {
            const bool present = found[j] > 0;
            sums[j] += present ? sum[j] / (double)found[j] : 0;
            sums[BS_LANES + j] += present || !p->ap_skip_absent;
        }
    }
}
