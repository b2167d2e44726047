/* pairs.h -- numbers for pairs of labels: how often two occur together or in sequence, and whether
 * two such matrices agree. Matrices are [n, n]. */
#ifndef BS_DATA_PAIRS_H
#define BS_DATA_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/csr.h"
#include "base/err.h"

/* Rows that have both i and j; on the diagonal those that have i. */
void bs_pairs_together(const bs_csr *labels, double *count);

/* Counts expected under independence: for sets of labels f_i f_j / rows, from the diagonal; for
 * ordered pairs (i, then j) the total of row i times that of column j, divided by the total. */
basin_status bs_pairs_expected(const double *count, int32_t n, double rows, bool ordered,
                               double *out, basin_error *err);
/* log (count + 1/2) / (expected + 1/2): pointwise mutual information that stays finite. */
void bs_pairs_information(const double *count, const double *expected, int32_t n, double *out);

/* Subtracts what all pairs of a label share, leaving what is specific to a pair. For an ordered
 * matrix, means of rows and columns: in a chain of tags these can be moved to the scores of single
 * tags and mean nothing. For a symmetric one, ignoring its diagonal, a sum a_i + a_j: how much
 * label i favours large sets. */
basin_status bs_pairs_centre(const double *a, int32_t n, bool ordered, double *out,
                             basin_error *err);

/* Rank correlation (Spearman) of two matrices over pairs i != j, (i, j) and (j, i) being two pairs
 * if they are ordered, and its values when the labels of one are shuffled (Mantel 1967). Entries
 * are not independent of each other, so only the latter shows whether a value is large. */
typedef struct {
    double  rho;      /* NaN if one matrix is constant */
    double  mean, sd; /* over shuffles */
    double  p;        /* share of shuffles with at least this value, each count plus one */
    int     shuffles;
    int64_t pairs;
} bs_agreement;

/* given: NULL, or a third matrix whose influence is removed from both (partial correlation). */
basin_status bs_pairs_agree(const double *a, const double *b, const double *given, int32_t n,
                            bool ordered, int shuffles, uint64_t seed, bs_agreement *out,
                            basin_error *err);

/* An order that puts related labels next to each other: starts with the most frequent one and
 * always appends the one most similar to the last few. */
basin_status bs_pairs_order(const double *count, int32_t n, int32_t *order, basin_error *err);

#endif
