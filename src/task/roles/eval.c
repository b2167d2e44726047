/* eval.c -- evaluating semantic roles: the table of roles, gold tags that a model does not know. */
#include <string.h>

#include "api/eval.h"
#include "task/roles/data.h"

static basin_status check(const basin_eval_options *o, basin_error *err)
{
    if (o->threshold && strcmp(o->threshold, "auto") != 0)
        return bs_fail(err, BASIN_EARG, "--threshold: is for label sets; a word has one role");
    if (o->profile)
        return bs_fail(err, BASIN_EARG, "--metric-profile: is for label sets");
    if (o->conlleval)
        return bs_fail(err, BASIN_EARG,
                       "--conlleval: is for spans of tags; --per-label prints a table of roles");
    return BASIN_OK;
}

static void remark(const bs_evaluation *e, bs_logger *log)
{
    const bs_corpus *c = bs_dataset_tag(&e->data);
    char             tag[48];
    int32_t          first;
    const int32_t    n =
        bs_tag_unknown(c, &bs_preprocess_tag(&e->model->saved->known)->lexicon, &first);
    if (n > 0)
        bs_log_say(log, BS_WARN,
                   "%s: %d of %d gold tags are unknown to the model, such as '%s': it cannot "
                   "predict them",
                   c->name, (int)n, (int)c->tokens, bs_corpus_file_tag(c, first, tag));
}

static basin_status json(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(&e->data);
    (void)err;
    bs_json_members(out, "sentences %d tokens %d", (int)c->records, (int)c->tokens);
    return BASIN_OK;
}

static basin_status roles(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    char           name[BS_VISIBLE];
    bs_role_score *row;
    int32_t        n;
    basin_status   s =
        bs_role_metrics_roles(bs_measurement_roles(&e->counts)->metrics, &row, &n, err);
    if (s)
        return s;
    bs_buf_printf(out, "\n%-24s %8s %9s %8s %9s %7s %7s\n", "role", "gold", "predicted", "correct",
                  "precision", "recall", "F1");
    for (int32_t i = 0; i < n; i++)
        bs_buf_printf(out, "%-24s %8lld %9lld %8lld %9.2f %7.2f %7.2f\n",
                      bs_visible(row[i].role, 24, name), (long long)row[i].gold,
                      (long long)row[i].predicted, (long long)row[i].right, 100 * row[i].precision,
                      100 * row[i].recall, 100 * row[i].f1);
    bs_free(row);
    return BASIN_OK;
}

static basin_status json_roles(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    bs_role_score *row;
    int32_t        n;
    basin_status   s =
        bs_role_metrics_roles(bs_measurement_roles(&e->counts)->metrics, &row, &n, err);
    if (s)
        return s;
    bs_json_open(out, "per_role", '{');
    for (int32_t i = 0; i < n; i++) {
        bs_json_open(out, row[i].role, '{');
        bs_json_members(out,
                        "gold %lld predicted %lld correct %lld precision %.6f recall %.6f f1 %.6f",
                        (long long)row[i].gold, (long long)row[i].predicted,
                        (long long)row[i].right, row[i].precision, row[i].recall, row[i].f1);
        bs_json_close(out, '}');
    }
    bs_json_close(out, '}');
    bs_free(row);
    return BASIN_OK;
}

const bs_task_eval bs_task_eval_roles = {
    .check = check, .remark = remark, .labels = roles, .json = json, .json_metrics = json_roles};
