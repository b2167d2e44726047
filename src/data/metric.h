/* metric.h -- how good predictions of label sets are.
 *
 *     bs_metrics_new(&(bs_metric_options){.keep_rows = true}, L, &m, err);
 *     for each batch:  bs_metrics_add(m, &gold, scores, &threshold, NULL, err);
 *     bs_metrics_finish(m, values, err);      values[BS_METRIC_example_f1]
 *
 * Every metric has many conventions for rows without labels, ties and labels that never occur. A
 * profile is one complete set of them (metric_profile.c). A metric that cannot be computed (no
 * rows, no scores) is NaN. */
#ifndef BS_DATA_METRIC_H
#define BS_DATA_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/csr.h"
#include "base/err.h"
#include "data/stats.h"
#include "data/threshold.h"

typedef enum {
#define METRIC(key, ...) BS_METRIC_##key,
#include "data/metrics.def"
#undef METRIC
    BS_METRIC_COUNT
} bs_metric_id;

#define BS_METRIC_BIT(key) (UINT32_C(1) << BS_METRIC_##key)
#define BS_METRIC_ALL      ((UINT32_C(1) << BS_METRIC_COUNT) - 1)

extern const bs_metric bs_metric_table[BS_METRIC_COUNT];

typedef enum {
    BS_PROFILE_SKLEARN,
    BS_PROFILE_MULAN,
    BS_PROFILE_MEKA,
    BS_PROFILE_SEAL,
    BS_PROFILE_COUNT
} bs_profile_id;

const char *bs_profile_name(bs_profile_id id);
/* F1 where there is nothing to find and nothing was found: of a row, of a label. */
double bs_profile_row_empty(bs_profile_id id);
double bs_profile_label_empty(bs_profile_id id);

/* By name; the error for an unknown one suggests the nearest. */
basin_status bs_metric_parse(const char *name, bs_metric_id *out, basin_error *err);
basin_status bs_profile_parse(const char *name, bs_profile_id *out, basin_error *err);

/* All zero is the default: sklearn, all metrics, nothing kept, 15 bins (lo, hi]. */
typedef struct {
    bs_profile_id profile;
    uint32_t      want;      /* BS_METRIC_BIT()s; 0 = all */
    bool          keep_rows; /* what each row contributed: for intervals and tests */
    int           ece_bins;  /* 0 = 15, at most 100 */
    bool          ece_left;  /* bins are [lo, hi) instead */
    size_t        ap_bytes;  /* do without map_label rather than keep more scores; 0 = 1 GiB */
} bs_metric_options;

typedef struct bs_metrics bs_metrics;

basin_status bs_metrics_new(const bs_metric_options *o, int32_t L, bs_metrics **out,
                            basin_error *err);
void         bs_metrics_free(bs_metrics *m);
void         bs_metrics_clear(bs_metrics *m); /* removes all rows; keeps the memory */

/* Adds gold->rows rows. scores [rows, L] may be NULL; metrics that need them are then NaN.
 * Decisions: `on` [rows, L] of 0 and 1 if given, else `t` applied to the scores, else none. Gold
 * cells with value 0 count as off. Refuses gold that is out of order or range and scores that are
 * not finite, and then adds nothing. After BASIN_ENOMEM only clear and free are allowed. To pass
 * part of a matrix, move `start` of the bs_csr. */
basin_status bs_metrics_add(bs_metrics *m, const bs_csr *gold, const float *scores,
                            const bs_threshold *t, const uint8_t *on, basin_error *err);

/* The values so far; NaN if not wanted or not computable. More rows may be added later. Sorts the
 * columns for map_label: O(N L log N). */
basin_status bs_metrics_finish(bs_metrics *m, double out[BS_METRIC_COUNT], basin_error *err);

typedef struct {
    int64_t rows;       /* that count */
    int64_t dropped;    /* left out because they have no gold label (seal) */
    int64_t empty_gold; /* rows without gold labels, dropped ones included */
    int64_t empty_pred; /* counted rows without predicted labels */
    double  gold, pred; /* total labels of the counted rows */
    bool    ap_gave_up; /* the scores outgrew ap_bytes: map_label is NaN */
} bs_metric_counts;

bs_metric_counts bs_metrics_counts(const bs_metrics *m);

/* A line of the table of labels. 0/0 follows the profile; ap is NaN unless map_label is wanted and
 * has scores. */
typedef struct {
    int64_t tp, fp, fn, tn, support;
    double  precision, recall, f1, ap;
} bs_label_score;

basin_status bs_metrics_labels(bs_metrics *m, bs_label_score *out /* [L] */, basin_error *err);

/* The rows as a source for stats.h: needs keep_rows. Borrows m, which must not change meanwhile.
 * Two systems can be compared if they saw the same rows in the same order with the same options. */
basin_status bs_metrics_sampled(bs_metrics *m, bs_sampled *out, basin_error *err);

#endif
