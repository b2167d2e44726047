/* bins.c -- numbers as ramps between their quantiles (piecewise-linear encoding). */
#include "data/bins.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

/* Quantiles of some ten thousand rows are as good as those of all; the second is the most numbers
 * we look at. */
enum { MOST_CELLS = 16000000, FEWEST_ROWS = 1000 };

/* Edges between `bins` bins with equally many of n sorted values; equal edges are merged. */
static int edges_of(const float *sorted, int32_t n, int bins, float *edge)
{
    int found = 0;
    for (int i = 0; i <= bins; i++) {
        float e = sorted[(int64_t)(n - 1) * i / bins];
        if (found == 0 || e > edge[found - 1])
            edge[found++] = e;
    }
    return found;
}

static void ramps(const float *edge, int edges, int bins, float *scale, float *shift)
{
    for (int i = 0; i < bins; i++) {
        const bool   used = i + 1 < edges;
        const double width = used ? (double)edge[i + 1] - (double)edge[i] : 0;
        scale[i] = used ? (float)(1 / width) : 0;
        shift[i] = used ? (float)(-(double)edge[i] / width) : 0;
    }
}

/* A category is on or off: one ramp from 0 to 1. */
static bool is_category(const bs_schema *s, int32_t i)
{
    return s->feature && s->feature[i].kind != BS_FEATURE_NUMERIC;
}

basin_status bs_bins_fit(const bs_rows *train, const bs_schema *schema, int bins, bs_arena *arena,
                         bs_bins *out, basin_error *err)
{
    const int32_t D = schema->n_features;
    const size_t  cells = (size_t)D * (size_t)bins;
    int64_t       most = MOST_CELLS / (D > 0 ? D : 1);
    most = most < FEWEST_ROWS ? FEWEST_ROWS : most;
    const int32_t      n = train->rows < most ? train->rows : (int32_t)most;
    static const float both[] = {0, 1};
    float             *value = bs_calloc((size_t)n * (size_t)D + 1, sizeof *value);
    float             *column = bs_calloc((size_t)n + 1, sizeof *column);
    float             *edge = bs_calloc((size_t)bins + 1, sizeof *edge);
    int32_t           *row = bs_calloc((size_t)n + 1, sizeof *row);
    float             *scale = bs_arena_alloc(arena, (cells + 1) * sizeof *scale);
    float             *shift = bs_arena_alloc(arena, (cells + 1) * sizeof *shift);
    const bool         ok = value && column && edge && row && scale && shift;
    if (ok) {
        for (int32_t i = 0; i < n; i++)
            row[i] = (int32_t)((int64_t)train->rows * i / n);
        bs_rows_dense(train, schema, row, 0, n, value);
    }
    for (int32_t f = 0; f < D && ok; f++) {
        const size_t at = (size_t)f * (size_t)bins;
        for (int32_t i = 0; i < n; i++)
            column[i] = value[(size_t)i * (size_t)D + (size_t)f];
        qsort(column, (size_t)n, sizeof *column, bs_by_float);
        if (is_category(schema, f) || n == 0)
            ramps(both, 2, bins, scale + at, shift + at);
        else
            ramps(edge, edges_of(column, n, bins, edge), bins, scale + at, shift + at);
    }
    bs_free(value);
    bs_free(column);
    bs_free(edge);
    bs_free(row);
    *out = (bs_bins){bins, scale, shift};
    return ok ? BASIN_OK : bs_fail_nomem(err);
}
