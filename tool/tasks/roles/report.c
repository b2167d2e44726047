/* report.c -- where a model of semantic roles errs: roles, confusions, and the worst predicates. */
#include <stdlib.h>
#include <string.h>

#include "task/roles/data.h"
#include "tasks/tag/base.h"

enum { MAPPED = 400 };

static const bs_role_counted *counted_of(const bs_report_group *g)
{
    return bs_measurement_roles(&g->run[g->shown].counts[0]);
}

/* The names in the order of the counts, before the table sorts them. */
static basin_status confusions(const bs_report_group *g, const bs_type_score *row, int32_t n,
                               bs_doc *d, basin_error *err)
{
    const char *name[MAPPED];
    double     *count = NULL;
    if (n + 1 > MAPPED)
        return BASIN_OK;
    basin_status s = bs_role_metrics_confused(counted_of(g)->metrics, &count, err);
    for (int32_t i = 0; i < n && !s; i++)
        name[i] = row[i].type;
    if (!s) {
        name[n] = "none";
        s = bs_report_confusions(g, count, n + 1, name,
                                 "Arguments of a true role (row) by the role that is predicted for "
                                 "the same words (column), in percent of the row; none: no "
                                 "argument has these words.",
                                 d->page, err);
    }
    bs_free(count);
    return s;
}

static basin_status errors(const bs_report_group *g, bs_doc *d, basin_error *err)
{
    bs_type_score *row = NULL;
    int32_t        n = 0;
    basin_status   s = bs_role_metrics_roles(counted_of(g)->metrics, &row, &n, err);
    if (!s)
        s = confusions(g, row, n, d, err);
    if (!s) {
        bs_doc_heading(d, g->level, "Roles");
        bs_report_score_table(row, n, "role", "arguments", d);
        s = bs_report_worst_sentences(g, &counted_of(g)->tags, d, err);
    }
    bs_free(row);
    return s;
}

/* Where most is lost, and whether core roles are repeated. */
static basin_status advise(const bs_report_group *g, bs_notes *advice, basin_error *err)
{
    bs_type_score *row = NULL;
    int32_t        n = 0;
    const double   twice = g->run[g->shown].value[0][BS_ROLE_METRIC_ucr];
    basin_status   s = bs_role_metrics_roles(counted_of(g)->metrics, &row, &n, err);
    if (!s && twice > 0.02)
        bs_notes_add(advice, "unique",
                     "%.1f %% of the predicates have a core role more than once: train with an "
                     "energy, or predict with --set roles.unique=yes",
                     100 * twice);
    if (!s)
        bs_report_advise_lost(row, n, "roles", "arguments", advice);
    bs_free(row);
    return s;
}

static basin_status guess(const bs_lesson *t, const bs_dataset *p, bs_outputs *y, basin_error *err)
{
    basin_status s = bs_base_guess_tag(t, p, y, err);
    if (!s)
        memcpy(bs_outputs_tag(y)->raw, bs_outputs_tag(y)->tag,
               (size_t)bs_dataset_tag(p)->tokens * sizeof *bs_outputs_tag(y)->raw);
    return s;
}

const bs_task_report bs_task_report_roles = {
    .errors = errors,
    .advise = advise,
    .base = {"no arguments", "each word's most frequent role"},
    .base_note = "",
    .base_advice = "train longer or on more data, for %s %s as well",
    .guess = guess,
};
