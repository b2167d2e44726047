/* metric_check.c -- checks numbers from outside before anything is computed from them. */
#include "data/metric_part.h"

#include <float.h>
#include <math.h>

basin_status bs_check_gold(const bs_csr *gold, basin_error *err)
{
    for (int32_t row = 0; row < gold->rows; row++) {
        int32_t last = -1;
        for (int32_t i = gold->start[row]; i < gold->start[row + 1]; i++) {
            if (gold->index[i] <= last || gold->index[i] >= gold->cols)
                return bs_fail(err, BASIN_EDATA,
                               "row %d: gold label %d after %d; must increase and be below %d", row,
                               gold->index[i], last, gold->cols);
            last = gold->index[i];
        }
    }
    return BASIN_OK;
}

basin_status bs_check_scores(const float *scores, int32_t rows, int32_t L, basin_error *err)
{
    const size_t cells = (size_t)rows * (size_t)L;
    for (size_t i = 0; i < cells; i++)
        if (!(fabsf(scores[i]) <= FLT_MAX))
            return bs_fail(err, BASIN_ENUMERIC,
                           "row %zu, label %zu: the score is not a finite number", i / (size_t)L,
                           i % (size_t)L);
    return BASIN_OK;
}
