/* role_metric.h -- how good predicted semantic roles are, as CoNLL-2005 counts.
 *
 * An argument is right if its role and all of its words are. "C-X" continues the last argument of
 * role X before it, and is part of it; without one it is an argument of role X. "R-X" is a role of
 * its own. V, the predicate, does not count.
 *
 * Precision, recall and F1 of nothing are 0; any other share of nothing is NaN. All counts are
 * whole numbers, so the order of batches does not change a bit. */
#ifndef BS_TEXT_ROLE_METRIC_H
#define BS_TEXT_ROLE_METRIC_H

#include "base/err.h"
#include "data/stats.h"
#include "data/text/tag_metric.h"

typedef enum {
#define ROLE_METRIC(key, ...) BS_ROLE_METRIC_##key,
#include "data/text/role_metrics.def"
#undef ROLE_METRIC
    BS_ROLE_METRIC_COUNT
} bs_role_metric_id;

extern const bs_metric bs_role_metric_table[BS_ROLE_METRIC_COUNT];

typedef struct bs_role_metrics bs_role_metrics;

/* Borrows the tags, which must be of spans. keep_rows: for intervals and tests. */
basin_status bs_role_metrics_new(const bs_tagset *tags, bool keep_rows, bs_role_metrics **out,
                                 basin_error *err);
void         bs_role_metrics_free(bs_role_metrics *m); /* accepts NULL */

/* Row r is the tags start[r] .. start[r + 1] - 1 for one predicate; a tag of -1 is one that the set
 * lacks, and in no span. raw: the likeliest tag of each word; NULL: ill_formed is NaN. */
basin_status bs_role_metrics_add(bs_role_metrics *m, const int32_t *gold, const int32_t *predicted,
                                 const int32_t *raw, const int32_t *start, int32_t rows,
                                 basin_error *err);
void         bs_role_metrics_finish(const bs_role_metrics *m, double out[BS_ROLE_METRIC_COUNT]);

/* In alphabetical order, without V; *n of them. The caller frees the list. */
basin_status bs_role_metrics_roles(const bs_role_metrics *m, bs_type_score **out, int32_t *n,
                                   basin_error *err);

/* Which role was predicted where both have an argument of the same words: [n, n] by gold and
 * predicted, in the same order; the last, n - 1, is no argument. */
basin_status bs_role_metrics_confused(const bs_role_metrics *m, double **out, basin_error *err);

basin_status bs_role_metrics_sampled(const bs_role_metrics *m, bs_sampled *out, basin_error *err);

#endif
