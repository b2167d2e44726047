/* score.h -- label probabilities from a trained net, for any number of rows.
 *
 * Rows go through in blocks of a few fixed sizes, padded with empty rows, so
 * that a handful of programs serves every request. One scorer serves one
 * thread at a time; the parameters are only read. */
#ifndef BS_SCORE_H
#define BS_SCORE_H

#include "model/mlc.h"
#include "plan/backend.h"

typedef struct bs_scorer bs_scorer;

/* Borrows everything for its lifetime. */
basin_status bs_scorer_new(const bs_backend *backend, bs_workspace *w, bs_params *params,
                           const bs_mlc_shape *shape, bs_scorer **out, basin_error *err);
void         bs_scorer_free(bs_scorer *s);

/* scores [rows, labels]. The shape says which of the two is wanted. */
basin_status bs_scorer_csr(bs_scorer *s, const bs_csr *x, float *scores, basin_error *err);
basin_status bs_scorer_dense(bs_scorer *s, const float *x, int32_t rows, float *scores,
                             basin_error *err);

enum { BS_SCORE_BLOCK = 256 }; /* the largest block; callers that stream use it */

#endif
