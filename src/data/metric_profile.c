/* metric_profile.c -- the conventions of other tools, one row each, and lookup by name.
 *
 * Taken from scikit-learn 1.2.1, MULAN 43f6389, MEKA f9ffe23 and the SEAL code 989dc07. If a tool
 * lacks a metric, sklearn's rule applies, except that MULAN's map_example is its "Average
 * Precision", which is also its lrap. */
#include "data/metric_part.h"
#include "base/find.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* To add a profile: a row here and an enumerator in metric.h. */
const bs_profile bs_profile_table[BS_PROFILE_COUNT] = {
    [BS_PROFILE_SKLEARN] = {.name = "sklearn", .depth_base = 1, .log_eps = FLT_EPSILON},
    /* Ranks come from a stable ascending sort read backwards: of equal scores the last is first. */
    [BS_PROFILE_MULAN] = {.name = "mulan",
                          .row_f1_empty = 1,
                          .label_f1_empty = 1,
                          .jaccard_empty = 1,
                          .label_pr_empty = 1,
                          .lrap_tie = BS_TIE_LAST,
                          .loss_tie = BS_TIE_LAST,
                          .depth_tie = BS_TIE_LAST,
                          .last_first = true,
                          .lrap_skip_empty = true,
                          .map_skip_empty = true,
                          .ap_strict = true,
                          .ap_skip_absent = true,
                          .log_sum = true,
                          .log_eps = 1e-8},
    /* Its rank loss sorts ascending with Weka's sort, assumed stable here. */
    [BS_PROFILE_MEKA] = {.name = "meka",
                         .jaccard_empty = 1,
                         .loss_tie = BS_TIE_LAST,
                         .depth_base = 1,
                         .log_cap = true},
    [BS_PROFILE_SEAL] = {.name = "seal",
                         .drop_empty = true,
                         .depth_base = 1,
                         .log_eps = FLT_EPSILON},
};

enum { SCORES, DECISIONS };
const bs_metric bs_metric_table[BS_METRIC_COUNT] = {
#define METRIC(key, direction, lo, hi, input, text) {#key, text, BS_##direction, input, lo, hi},
#include "data/metrics.def"
#undef METRIC
};

const char *bs_profile_name(bs_profile_id id)
{
    return bs_profile_table[id].name;
}

double bs_profile_row_empty(bs_profile_id id)
{
    return bs_profile_table[id].row_f1_empty;
}

double bs_profile_label_empty(bs_profile_id id)
{
    return bs_profile_table[id].label_f1_empty;
}

basin_status bs_metric_parse(const char *name, bs_metric_id *out, basin_error *err)
{
    const bs_named table = {"no metric", NULL, BS_NAMED_ROWS(bs_metric_table),
                            .n = BS_METRIC_COUNT};
    int            at;
    basin_status   s = bs_find_named(&table, name, &at, err);
    *out = (bs_metric_id)at;
    return s;
}

basin_status bs_profile_parse(const char *name, bs_profile_id *out, basin_error *err)
{
    const bs_named table = {"no metric profile", NULL, BS_NAMED_ROWS(bs_profile_table),
                            .n = BS_PROFILE_COUNT};
    int            at;
    basin_status   s = bs_find_named(&table, name, &at, err);
    *out = (bs_profile_id)at;
    return s;
}
