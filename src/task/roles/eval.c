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
    bs_tag_warn_unknown(c->name, c, &bs_preprocess_tag(&e->model->saved->known)->lexicon, log);
}

static basin_status json(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(&e->data);
    (void)err;
    bs_json_members(out, "sentences %d tokens %d", (int)c->records, (int)c->tokens);
    return BASIN_OK;
}

static basin_status put_roles(const bs_evaluation *e, bool json, bs_buf *out, basin_error *err)
{
    bs_type_score *row;
    int32_t        n;
    basin_status   s =
        bs_role_metrics_roles(bs_measurement_roles(&e->counts)->metrics, &row, &n, err);
    if (!s && json)
        bs_tag_score_json("per_role", row, n, out);
    else if (!s)
        bs_tag_score_table("role", row, n, out);
    bs_free(row);
    return s;
}

static basin_status roles(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    return put_roles(e, false, out, err);
}

static basin_status json_roles(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    return put_roles(e, true, out, err);
}

const bs_task_eval bs_task_eval_roles = {
    .check = check, .remark = remark, .labels = roles, .json = json, .json_metrics = json_roles};
