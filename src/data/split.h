/* split.h -- dealing rows to parts that each get their share of every label. */
#ifndef BS_SPLIT_H
#define BS_SPLIT_H

#include "data/dataset.h"

enum { BS_MOST_PARTS = 100 };

typedef struct {
    int32_t rows;
    double  label_error;   /* mean over labels of |share in the part / wanted share - 1| */
    double  worst_error;   /* the largest of them, among labels with at least `parts` rows */
    int32_t worst_label;   /* -1: none */
    int32_t labels_absent; /* labels of the data that the part lacks */
} bs_split_part;

typedef struct {
    int           parts;
    bs_split_part part[BS_MOST_PARTS];
    int32_t       crossing; /* rows equal to a row (features and labels) in another part */
} bs_split_balance;

/* Iterative stratification (Sechidis, Tsoumakas, Vlahavas 2011): part[row] becomes the number of a
 * part, 0 .. parts - 1, of relative size share[]. Rows of one group (group[row] >= 0; NULL = no
 * groups) stay together. The same seed gives the same parts. Time: the number of labels in all rows
 * times `parts`. */
basin_status bs_split(const bs_rows *ds, const double *share, int parts, const int32_t *group,
                      uint64_t seed, int32_t *part, basin_error *err);

basin_status bs_split_measure(const bs_rows *ds, const double *share, int parts,
                              const int32_t *part, bs_split_balance *out, basin_error *err);

/* The rows of one part in order: *rows is a bs_alloc block of *n. */
basin_status bs_split_rows(const int32_t *part, int32_t rows, int which, int32_t **out, int32_t *n,
                           basin_error *err);

#endif
