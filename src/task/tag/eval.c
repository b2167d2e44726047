/* eval.c -- evaluating tagged sentences: the table of span types, conlleval, unusual gold tags. */
#include <string.h>

#include "api/eval.h"
#include "data/text/conlleval.h"
#include "data/text/retag.h"
#include "task/tag/data.h"

static basin_status check(const basin_eval_options *o, basin_error *err)
{
    if (o->threshold && strcmp(o->threshold, "auto") != 0)
        return bs_fail(err, BASIN_EARG, "--threshold: is for label sets; a word has one tag");
    if (o->profile)
        return bs_fail(err, BASIN_EARG, "--metric-profile: is for label sets");
    if (o->conlleval && o->per_label)
        return bs_fail(err, BASIN_EARG,
                       "--per-label: --conlleval prints types by itself; choose one of the two");
    return BASIN_OK;
}

/* ---- gold tags that are not as they should be ---- */

static long long repaired(const bs_evaluation *e)
{
    return (
        long long)(bs_dataset_tag(&e->data)->repaired +
                   bs_tag_metrics_counts(bs_measurement_tag(&e->counts)->metrics).gold_repaired);
}

static void remark(const bs_evaluation *e, bs_logger *log)
{
    const bs_corpus  *c = bs_dataset_tag(&e->data);
    const bs_lexicon *l = &bs_preprocess_tag(&e->model->saved->known)->lexicon;
    const long long   missing =
        (long long)bs_tag_metrics_counts(bs_measurement_tag(&e->counts)->metrics).gold_missing;
    if (e->constrained && l->scheme == BS_SCHEME_RAW)
        bs_log_say(log, BS_INFO,
                   "--constrain: the tags of this model do not describe spans, so nothing can be "
                   "ill-formed");
    if (repaired(e) > 0)
        bs_log_say(log, BS_WARN, "%s: %lld ill-formed gold tags were read as the nearest span",
                   c->name, repaired(e));
    bs_tag_warn_unknown(c->name, c, l, log);
    if (missing > 0)
        bs_log_say(log, BS_WARN, "%s: %lld of %d words have no gold tag and count as wrong",
                   c->name, missing, (int)c->tokens);
}

static basin_status json(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    (void)err;
    const bs_corpus *c = bs_dataset_tag(&e->data);
    int32_t          first;
    bs_json_members(
        out, "tokens %d gold_repaired %lld gold_unknown %d", c->tokens, repaired(e),
        bs_tag_unknown(c, &bs_preprocess_tag(&e->model->saved->known)->lexicon, &first));
    return BASIN_OK;
}

/* ---- types ---- */

static basin_status take_types(const bs_evaluation *e, bs_type_score **out, basin_error *err)
{
    *out = bs_calloc((size_t)bs_measurement_tag(&e->counts)->tags.types.n + 1, sizeof **out);
    if (!*out)
        return bs_fail_nomem(err);
    bs_tag_metrics_types(bs_measurement_tag(&e->counts)->metrics, *out);
    return BASIN_OK;
}

void bs_tag_score_table(const char *what, const bs_type_score *row, int32_t n, bs_buf *out)
{
    char type[BS_VISIBLE];
    bs_buf_printf(out, "\n%-24s %8s %9s %8s %9s %7s %7s\n", what, "gold", "predicted", "correct",
                  "precision", "recall", "F1");
    for (int32_t i = 0; i < n; i++)
        bs_buf_printf(out, "%-24s %8lld %9lld %8lld %9.2f %7.2f %7.2f\n",
                      bs_visible(row[i].type, 24, type), (long long)row[i].gold,
                      (long long)row[i].predicted, (long long)row[i].right, 100 * row[i].precision,
                      100 * row[i].recall, 100 * row[i].f1);
}

void bs_tag_score_json(const char *key, const bs_type_score *row, int32_t n, bs_buf *out)
{
    bs_json_open(out, key, '{');
    for (int32_t i = 0; i < n; i++) {
        bs_json_open(out, row[i].type, '{');
        bs_json_members(out,
                        "gold %lld predicted %lld correct %lld precision %.6f recall %.6f f1 %.6f",
                        (long long)row[i].gold, (long long)row[i].predicted,
                        (long long)row[i].right, row[i].precision, row[i].recall, row[i].f1);
        bs_json_close(out, '}');
    }
    bs_json_close(out, '}');
}

static basin_status types(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const bs_tagset *tags = &bs_measurement_tag(&e->counts)->tags;
    bs_type_score   *row;
    basin_status     s = take_types(e, &row, err);
    if (s)
        return s;
    bs_tag_score_table(tags->scheme == BS_SCHEME_RAW ? "tag" : "type", row, tags->types.n, out);
    bs_free(row);
    return BASIN_OK;
}

static basin_status json_types(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    bs_type_score *row;
    basin_status   s = take_types(e, &row, err);
    if (s)
        return s;
    bs_tag_score_json("per_type", row, bs_measurement_tag(&e->counts)->tags.types.n, out);
    bs_free(row);
    return BASIN_OK;
}

static basin_status conlleval(const bs_evaluation *e, const basin_eval_options *o, bs_buf *out,
                              bool *done, basin_error *err)
{
    *done = o->conlleval != 0;
    return *done ? bs_conlleval(bs_measurement_tag(&e->counts)->metrics, out, err) : BASIN_OK;
}

const bs_task_eval bs_task_eval_tag = {.check = check,
                                       .remark = remark,
                                       .instead = conlleval,
                                       .labels = types,
                                       .json = json,
                                       .json_metrics = json_types};
