/* pairs.h -- numbers for pairs of labels: how often two occur together or one after the other, and
 * whether two such matrices agree. Matrices are [n, n]. */
#ifndef BS_DATA_PAIRS_H
#define BS_DATA_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/csr.h"
#include "base/err.h"

/* Rows that have both i and j; on the diagonal those that have i. */
void bs_pairs_together(const bs_csr *labels, double *count);

/* What independence would give: for sets of labels f_i f_j / rows, from the diagonal; for ordered
 * pairs (i, then j) the total of row i times that of column j, divided by all. */
basin_status bs_pairs_expected(const double *count, int32_t n, double rows, bool ordered,
                               double *out, basin_error *err);
/* log (count + 1/2) / (expected + 1/2): pointwise mutual information that stays finite. */
void bs_pairs_information(const double *count, const double *expected, int32_t n, double *out);

/* Takes away what is the same for all pairs of a label: what a pair has of its own. Of an ordered
 * matrix, means of rows and columns: for a chain of tags these can be moved to the scores of single
 * tags and say nothing. Of a symmetric one, without its diagonal, a sum a_i + a_j: how much
 * label i likes sets to be large. */
basin_status bs_pairs_centre(const double *a, int32_t n, bool ordered, double *out,
                             basin_error *err);

/* The rank of each entry i != j among all of them, 0 to 1; equal ones share theirs. */
basin_status bs_pairs_rank(const double *a, int32_t n, bool ordered, double *out, basin_error *err);

/* Rank correlation (Spearman) of two matrices over pairs i != j, (i, j) and (j, i) being two pairs
 * when they are ordered, and what it is when the labels of one are shuffled (Mantel 1967). Entries
 * are not independent of each other, so that only the latter tells what a value is worth. */
typedef struct {
    double  rho;      /* NaN where one matrix is constant */
    double  mean, sd; /* over shuffles */
    double  p;        /* shuffles that give as much or more, each count plus one */
    int     shuffles;
    int64_t pairs;
} bs_agreement;

/* given: NULL, or a third matrix whose share is taken out of both (partial correlation). */
basin_status bs_pairs_agree(const double *a, const double *b, const double *given, int32_t n,
                            bool ordered, int shuffles, uint64_t seed, bs_agreement *out,
                            basin_error *err);

/* An order of labels in which those that go together stand together: from the most frequent one
 * on, always the one most like the last few. */
basin_status bs_pairs_order(const double *count, int32_t n, int32_t *order, basin_error *err);

#endif
