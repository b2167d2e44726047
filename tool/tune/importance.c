/* importance.c -- how much of the differences between settings each option explains.
 *
 * The model's mean m(u) stands for scores that nobody has measured. Over the whole space, uniformly
 * weighted, V = Var m(u); the curve of option i is m_i(v) = E[m(u) | u_i = v], and its share is Var
 * m_i / V, as in functional ANOVA (Hutter et al. 2014), where m is a forest. */
#include <math.h>

#include "tune/search.h"

enum { POINTS = 256 };

static double variance_of(const double *x, int n)
{
    double mean = 0, square = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    for (int i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / n;
    return square;
}

static void curve_of(const bs_gp *g, int option, double *work, double curve[BS_TUNE_GRID])
{
    double u[BS_TUNE_MOST];
    for (int k = 0; k < BS_TUNE_GRID; k++) {
        curve[k] = 0;
        for (int i = 0; i < POINTS; i++) {
            bs_tune_point(0, i, g->space->n, u);
            bs_space_snap(g->space, u);
            u[option] = k / (double)(BS_TUNE_GRID - 1); /* few values are not evenly spread */
            if (g->space->at[option].n_words > 0 || g->space->at[option].row.kind == BS_INT)
                bs_space_snap(g->space, u);
            curve[k] += bs_gp_mean(g, u, NULL, work) / POINTS;
        }
    }
}

basin_status bs_tune_importance(const bs_gp *g, bs_importance out[BS_TUNE_MOST], basin_error *err)
{
    double *work = bs_calloc((size_t)g->n + 1, sizeof *work);
    double *mean = bs_calloc(4 * POINTS, sizeof *mean);
    if (!work || !mean) {
        bs_free(work);
        bs_free(mean);
        return bs_fail_nomem(err);
    }
    for (int i = 0; i < 4 * POINTS; i++) {
        double u[BS_TUNE_MOST];
        bs_tune_point(0, i, g->space->n, u);
        bs_space_snap(g->space, u);
        mean[i] = bs_gp_mean(g, u, NULL, work);
    }
    const double all = variance_of(mean, 4 * POINTS);
    for (int k = 0; k < g->space->n; k++) {
        curve_of(g, k, work, out[k].curve);
        out[k].share = all > 0 ? variance_of(out[k].curve, BS_TUNE_GRID) / all : 0;
    }
    bs_free(work);
    bs_free(mean);
    return BASIN_OK;
}
