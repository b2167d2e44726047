/* crf.h -- memory of the kernels of linear chains. Internal to cpu/.
 *
 * Rows of N tags are padded to P, whole vectors; padding holds what changes no sum and no
 * maximum. The tables depend on the transitions alone, the rest is for one sentence. */
#ifndef BS_CPU_CRF_H
#define BS_CPU_CRF_H

#include "device/cpu/kernel.h"

enum { BS_CRF_BLOCK = 16 }; /* P is a multiple */

typedef struct {
    int  N, P;
    real shift; /* the largest transition, which w is relative to */
    /* [P]: scores of start and end; maxima of the columns and rows of w; rows at work */
    real *start, *end, *col, *row, *u, *x, *g, *e, *s, *m;
    real *w;      /* [N, P]: transitions, as all tables */
    real *by_col; /* forward: e^(w - col) */
    /* posterior: the transpose of w, e^(w - row), its transpose */
    real *wt, *by_row, *by_row_t;
    /* expected transitions divided by by_row, of late and of before, and those found otherwise */
    real   *count;
    double *total, *rare;
} bs_crf;

struct bs_vec_crf {
    /* Fills the tables from transition [N + 1, N + 1]; back: those of posterior. */
    void (*prepare)(bs_crf *c, const real *transition, bool back);
    /* Messages a [len, N] from unary [len, N], len > 0; returns log Z. */
    double (*forward)(const bs_crf *c, const real *unary, int len, real *a);
    /* Marginals token [len, N] and pair [N + 1, N + 1] from unary and a. */
    void (*posterior)(const bs_crf *c, const real *unary, const real *a, int len, real *token,
                      real *pair);
};

#endif
