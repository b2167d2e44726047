/* winner.c -- puts the comparison of the best with the second best into a sentence. */
#include "runs/winner.h"

#include <math.h>

double bs_best_of_p(const bs_best_of *w)
{
    return fmin(1, w->test.p * w->others);
}

bool bs_best_of_matters(const bs_best_of *w)
{
    return w->next && bs_best_of_p(w) < 0.05;
}

void bs_paired_cells(const bs_metric *m, double scale, int digits, const bs_paired *bootstrap,
                     double p_randomisation, bs_cell out[3])
{
    const bool sure = bootstrap->p < 0.05 && !(p_randomisation >= 0.05);
    const bool up = (bootstrap->difference > 0) == m->higher;
    out[0] = bs_cell_as(!sure ? "" : up ? "better" : "worse", bootstrap->difference, digits);
    out[0].kind = scale > 1 ? BS_CELL_PERCENT : BS_CELL_NUMBER;
    out[0].sign = true;
    out[0].lo = bootstrap->lo;
    out[0].hi = bootstrap->hi;
    out[1] = bs_cell_number(bootstrap->p, 3);
    out[2] = bs_cell_number(p_randomisation, 3);
}

static void how_sure(const bs_best_of *w, bs_buf *out)
{
    const double p = bs_best_of_p(w);
    bs_buf_printf(out, p < 0.001 ? "p below 0.001" : "p %.3f", p);
    bs_buf_printf(out, " over %s%s", w->unit, w->seeds > 1 ? " and seeds" : "");
    if (w->others > 1)
        bs_buf_printf(out, ", times %d for the others it was chosen from", w->others);
    if (w->seeds == 1)
        bs_buf_text(out, "; one seed says nothing of other trainings");
}

void bs_best_of_text(const bs_best_of *w, bs_buf *out)
{
    const double scale = w->metric->greatest <= 1 ? 100 : 1, sign = w->metric->higher ? 1 : -1;
    const char  *percent = scale > 1 ? " %" : "", *points = scale > 1 ? " points" : "";
    const int    digits = scale > 1 ? 2 : 4;
    double       lo = sign * scale * w->test.lo, hi = sign * scale * w->test.hi;
    if (!w->next) {
        bs_buf_printf(out, "%s has %.*f%s %s on %d %s %s, and there is nothing to compare it with.",
                      w->best, digits, scale * w->value, percent, w->metric->name, w->rows, w->part,
                      w->unit);
        return;
    }
    if (w->test.difference == 0) {
        bs_buf_printf(out, "%s and %s are equally good: %.*f%s %s on %d %s %s.", w->best, w->next,
                      digits, scale * w->value, percent, w->metric->name, w->rows, w->part,
                      w->unit);
        return;
    }
    if (lo > hi) {
        const double other = lo;
        lo = hi;
        hi = other;
    }
    bs_buf_printf(out, "%s is best%s: %.*f%s %s on %d %s %s, %.*f%s %s than %s [%.*f, %.*f] (",
                  w->best,
                  bs_best_of_matters(w) ? ", and by more than chance" : ", but that may be chance",
                  digits, scale * w->value, percent, w->metric->name, w->rows, w->part, w->unit,
                  digits, fabs(scale * w->test.difference), points,
                  w->metric->higher ? "more" : "less", w->next, digits, lo, digits, hi);
    how_sure(w, out);
    bs_buf_text(out, ").");
}
