/* metric_part.h -- shared by the metric families; not for other folders.
 *
 * Each row of data becomes a record of numbers that are summed over rows, and a metric is a
 * function of those sums. So evaluation can stream, and the bootstrap only needs weights. Two
 * metrics need more: macro_f1 counts per label, map_label the scores of a whole column. */
#ifndef BS_DATA_METRIC_PART_H
#define BS_DATA_METRIC_PART_H

#include "base/buf.h"
#include "base/mem.h"
#include "data/metric.h"

/* How equal scores are ranked. */
typedef enum {
    BS_TIE_WORST, /* all get the last place of the tie: a tie is an error */
    BS_TIE_LAST   /* the label with the highest index comes first */
} bs_tie;

/* One complete set of conventions; the rows are in metric_profile.c. */
typedef struct {
    const char *name;
    bool        drop_empty;     /* rows without gold labels do not count anywhere */
    double      row_f1_empty;   /* F1 of a row without gold or predicted labels */
    double      label_f1_empty; /* the same for a label, and for all cells together */
    double      jaccard_empty;
    double      label_pr_empty;                /* precision and recall when tp + fp + fn = 0 */
    bs_tie      lrap_tie, loss_tie, depth_tie; /* of lrap and map_example; ranking_loss; coverage */
    bool        last_first;      /* top label, P@k: among equal scores the highest index is first */
    bool        lrap_skip_empty; /* skip such a row; else it counts 1 */
    bool        map_skip_empty;  /* skip such a row; else it counts 0 */
    double      depth_base;      /* coverage of a row whose only label comes first */
    bool        ap_strict;       /* map_label: equal scores are taken in row order, not as one
                                    step */
    bool        ap_skip_absent;  /* skip labels without gold rows; else they count 0 */
    bool        log_sum;         /* log loss is summed over the labels of a row, not averaged */
    bool        log_cap;         /* each cell at most ln L, and 0 within 1e-6 */
    double      log_eps;
} bs_profile;

extern const bs_profile bs_profile_table[BS_PROFILE_COUNT];

/* Fields of a record, then one per calibration bin: the sum of gold - score in it. */
enum {
    BS_REC_ROWS,
    BS_REC_F1,
    BS_REC_SUBSET,
    BS_REC_JACCARD,
    BS_REC_TP,
    BS_REC_FP,
    BS_REC_FN,
    BS_REC_LRAP,
    BS_REC_LRAP_ROWS,
    BS_REC_RANK_LOSS,
    BS_REC_DEPTH,
    BS_REC_ONE_ERROR,
    BS_REC_P1,
    BS_REC_P3,
    BS_REC_P5,
    BS_REC_AP,
    BS_REC_AP_ROWS,
    BS_REC_LOG_LOSS,
    BS_REC_BINS
};

enum { BS_TP, BS_FP, BS_FN, BS_LABEL_FIELDS };

/* One row of data as the families see it. */
typedef struct {
    int32_t         L, n_gold, n_pred;
    const int32_t  *gold;    /* [n_gold] increasing */
    const int32_t  *pred;    /* [n_pred] increasing */
    const uint8_t  *is_gold; /* [L] */
    const float    *scores;  /* [L] */
    const uint64_t *order;   /* [L] keys of metric_sort.h, best first */
} bs_metric_row;

/* What the metrics are computed from. */
typedef struct {
    const bs_profile *profile;
    int32_t           L;
    int               bins;
    const double     *rec;   /* [BS_REC_BINS + bins] */
    const double     *label; /* [L, BS_LABEL_FIELDS] */
    double            ap_sum, ap_labels;
} bs_metric_sums;

#define METRIC(key, ...) double bs_metric_##key(const bs_metric_sums *s);
#include "data/metrics.def"
#undef METRIC

/* Most are a quotient of two fields. 0/0 is NaN: there are no rows. */
#define BS_METRIC_RATIO(key, field, count)                      \
    double bs_metric_##key(const bs_metric_sums *s)             \
    {                                                           \
        return s->rec[BS_REC_##field] / s->rec[BS_REC_##count]; \
    }

/* The families: each fills its fields of a zeroed record. */
void bs_metric_set_row(const bs_profile *p, const bs_metric_row *r, double *rec);
void bs_metric_rank_row(const bs_profile *p, const bs_metric_row *r, double *rec);
void bs_metric_log_row(const bs_profile *p, const bs_metric_row *r, double *rec);
void bs_metric_ece_row(const bs_metric_row *r, int bins, bool left, double *rec);

/* F1 from counts, `empty` if there is nothing to count; the others likewise. */
double bs_count_f1(double tp, double fp, double fn, double empty);

/* Gold must be in order and in range, scores [rows, L] finite; otherwise an error names the
 * cell. */
basin_status bs_check_gold(const bs_csr *gold, basin_error *err);
basin_status bs_check_scores(const float *scores, int32_t rows, int32_t L, basin_error *err);

/* The scores of all rows, for metrics of whole columns. */
typedef struct {
    int32_t  L;
    int32_t  rows;
    float   *score; /* [rows, L] */
    size_t   score_cap;
    int64_t *start; /* [rows + 1] into index */
    size_t   start_cap;
    int32_t *index; /* gold labels */
    size_t   index_cap;

    /* Per label, best score first and no further than its last positive row: what average precision
     * walks along. Built by bs_ap_build from the above; adding rows invalidates it. */
    int32_t   built;      /* rows it was built from, -1 = not yet */
    size_t   *item_start; /* [L + 1] */
    uint32_t *item;
    size_t    item_cap;
    int32_t  *support; /* [L] */
    double   *ap;      /* [L], NaN without positives */
} bs_ap;

void         bs_ap_init(bs_ap *a, int32_t L);
void         bs_ap_clear(bs_ap *a);
void         bs_ap_free(bs_ap *a);
basin_status bs_ap_add(bs_ap *a, const bs_metric_row *r, basin_error *err);
basin_status bs_ap_build(bs_ap *a, const bs_profile *p, basin_error *err);
/* sums [2, BS_LANES] += sum over labels of the weighted average precision, and how many labels
 * count. */
void bs_ap_lanes(const bs_ap *a, const bs_profile *p, const float *weight, double *sums);

struct bs_metrics {
    bs_arena          room; /* of what has a fixed size */
    bs_metric_options o;
    const bs_profile *p;
    int32_t           L;
    size_t            width; /* of a record */
    bs_metric_counts  counts;
    bool              unscored, undecided; /* some row came without */

    double *rec;   /* [width] sums */
    double *label; /* [L, BS_LABEL_FIELDS] */

    double   *row; /* [rows, width], with keep_rows */
    size_t    row_cap;
    uint32_t *event; /* label * 4 + BS_TP, BS_FP or BS_FN, with keep_rows */
    size_t    event_cap;
    int64_t  *event_start; /* [rows + 1] */
    size_t    event_start_cap;
    bs_ap     ap;

    /* scratch of one row, each [L] */
    int32_t  *gold, *pred;
    uint8_t  *is_gold;
    uint64_t *order, *spare;
};

/* Those of the wanted metrics that the given rows allow. */
uint32_t bs_metrics_possible(const bs_metrics *m);
void     bs_metric_values(const bs_metric_sums *s, uint32_t which, double *out);

#endif
