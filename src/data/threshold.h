/* threshold.h -- from scores to decisions, and how to choose the threshold. */
#ifndef BS_DATA_THRESHOLD_H
#define BS_DATA_THRESHOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/csr.h"
#include "base/err.h"
#include "data/expected.h"

typedef enum {
    BS_THRESHOLD_FIXED,       /* given by the user, 0.5 by default */
    BS_THRESHOLD_GLOBAL,      /* one value tuned on validation data */
    BS_THRESHOLD_LABEL,       /* one value per label, shrunk towards `global` */
    BS_THRESHOLD_TOP_K,       /* the k best labels of each row, whatever their scores */
    BS_THRESHOLD_CARDINALITY, /* one value that gives as many labels per row as in training */
    BS_THRESHOLD_KINDS
} bs_threshold_kind;

/* A label is on when score >= its threshold; NaN is never on. */
typedef struct {
    bs_threshold_kind kind;
    float             global;
    int32_t           k;         /* top-k only */
    int32_t           labels;    /* length of per_label, 0 for other kinds */
    float            *per_label; /* owned */
    bs_decision       by;        /* not BS_DECIDE_THRESHOLD: sets are decided without it */
} bs_threshold;

const char  *bs_threshold_kind_name(bs_threshold_kind kind);
bool         bs_threshold_is_one(const bs_threshold *t); /* `global`, for all labels */
bs_threshold bs_threshold_fixed(float value);
bs_threshold bs_threshold_top_k(int32_t k);
void         bs_threshold_free(bs_threshold *t);

/* The labels of a row that are on, in increasing order, into out [L]; returns how many. For equal
 * scores at the k-th place the lowest index wins. */
int32_t bs_threshold_apply(const bs_threshold *t, const float *scores, int32_t L, int32_t *out);

/* For tables: "@0.31", "per label" or "top-k". */
#define BS_THRESHOLD_TEXT 16
const char *bs_threshold_text(const bs_threshold *t, char text[BS_THRESHOLD_TEXT]);
/* Members of an object: "threshold": 0.31, "threshold_kind": "global". The number is null unless it
 * is one for all labels. */
void bs_threshold_json(const bs_threshold *t, bs_buf *out);

/* One line such as "global 0.31" or "label 0.31 : 0.2 0.4"; reads back exactly. */
void         bs_threshold_write(const bs_threshold *t, bs_buf *out);
basin_status bs_threshold_read(const char *text, bs_threshold *out, basin_error *err);

/* ---- choosing (threshold_tune.c); scores [gold->rows, gold->cols], all finite ---- */

/* `metric` and `profile` are a bs_metric_id and a bs_profile_id; the metric must be one of
 * decisions. The sweep is exact: it tries all distinct scores and "nothing on", with one sort and
 * O(1) per cell. Of equally good thresholds it takes the one nearest 0.5; between two scores that
 * is 0.5 if possible, else the middle. *value (may be NULL) is the metric there. */
basin_status bs_threshold_tune(const bs_csr *gold, const float *scores, int metric, int profile,
                               bs_threshold *out, double *value, basin_error *err);

/* For each label the threshold with the best F1 (of equal ones the nearest to `global`), then
 *     t_l = global + n_l / (n_l + strength) * (best_l - global),
 * with n_l positives of the label: with none it is the global value, with `strength` of them
 * half-way. strength 0 does not shrink; 10 is a good default. */
basin_status bs_threshold_tune_labels(const bs_csr *gold, const float *scores, int profile,
                                      float global, double strength, bs_threshold *out,
                                      basin_error *err);

/* One value whose mean number of labels per row is as near to `cardinality` as the scores allow
 * (Read et al. 2011); of two equally near, the one with fewer labels. */
basin_status bs_threshold_cut(const float *scores, int32_t rows, int32_t L, double cardinality,
                              bs_threshold *out, basin_error *err);

#endif
