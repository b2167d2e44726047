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
        return bs_fail(err, BASIN_EARG,
                       "--metric-profile: is for label sets; --conlleval-compat counts spans as "
                       "that program does");
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

static int32_t unknown(const bs_evaluation *e, int32_t *first)
{
    return bs_tag_unknown(bs_dataset_tag(&e->data),
                          &bs_preprocess_tag(&e->model->saved->known)->lexicon, first);
}

static void remark(const bs_evaluation *e, bs_logger *log)
{
    const bs_corpus *c = bs_dataset_tag(&e->data);
    char             tag[48];
    int32_t          first;
    const int32_t    n = unknown(e, &first);
    const long long  missing =
        (long long)bs_tag_metrics_counts(bs_measurement_tag(&e->counts)->metrics).gold_missing;
    if (e->constrained &&
        bs_preprocess_tag(&e->model->saved->known)->lexicon.scheme == BS_SCHEME_RAW)
        bs_log_say(log, BS_INFO,
                   "--constrain: the tags of this model do not describe spans, so nothing can be "
                   "ill-formed");
    if (repaired(e) > 0)
        bs_log_say(log, BS_WARN, "%s: %lld ill-formed gold tags were read as the nearest span",
                   c->name, repaired(e));
    if (n > 0)
        bs_log_say(log, BS_WARN,
                   "%s: %d of %d gold tags are unknown to the model, such as '%s': it cannot "
                   "predict them",
                   c->name, (int)n, (int)c->tokens, bs_corpus_file_tag(c, first, tag));
    if (missing > 0)
        bs_log_say(log, BS_WARN, "%s: %lld of %d words have no gold tag and count as wrong",
                   c->name, missing, (int)c->tokens);
}

static basin_status json(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    (void)err;
    int32_t first;
    bs_json_members(out, "tokens %d gold_repaired %lld gold_unknown %d",
                    bs_dataset_tag(&e->data)->tokens, repaired(e), unknown(e, &first));
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

static basin_status types(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const bs_tagset *tags = &bs_measurement_tag(&e->counts)->tags;
    char             type[BS_VISIBLE];
    bs_type_score   *row;
    basin_status     s = take_types(e, &row, err);
    if (s)
        return s;
    bs_buf_printf(out, "\n%-24s %8s %9s %8s %9s %7s %7s\n",
                  tags->scheme == BS_SCHEME_RAW ? "tag" : "type", "gold", "predicted", "correct",
                  "precision", "recall", "F1");
    for (int32_t i = 0; i < tags->types.n; i++)
        bs_buf_printf(out, "%-24s %8lld %9lld %8lld %9.2f %7.2f %7.2f\n",
                      bs_visible(row[i].type, 24, type), (long long)row[i].gold,
                      (long long)row[i].predicted, (long long)row[i].right, 100 * row[i].precision,
                      100 * row[i].recall, 100 * row[i].f1);
    bs_free(row);
    return BASIN_OK;
}

static basin_status json_types(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    bs_type_score *row;
    basin_status   s = take_types(e, &row, err);
    if (s)
        return s;
    bs_json_open(out, "per_type", '{');
    for (int32_t i = 0; i < bs_measurement_tag(&e->counts)->tags.types.n; i++) {
        bs_json_open(out, row[i].type, '{');
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

/* ---- conlleval ---- */

/* Gold tags as in the file, predictions in its scheme: what that program would have read. Its rules
 * know no suffixes, so such tags are turned around. */
static basin_status as_in_file(const bs_evaluation *e, bs_scheme to, bs_retagged *found,
                               int32_t *gold, basin_error *err)
{
    const bs_corpus  *c = bs_dataset_tag(&e->data);
    const bs_lexicon *l = &bs_preprocess_tag(&e->model->saved->known)->lexicon;
    bs_retagged       truth = {0};
    bool              fresh;
    basin_status      s = bs_retag(&l->tags, (bs_scheme)l->scheme, to, false, c,
                                   bs_outputs_tag(&e->y)->tag, found, err);
    if (s || !c->suffix)
        return s ? s : bs_corpus_file_tags(c, &found->names, gold, err);
    s = bs_retag(&c->tags, c->scheme, to, false, c, c->tag, &truth, err);
    for (int32_t i = 0; i < c->tokens && !s; i++) {
        const bs_name *tag = truth.tag[i] < 0 ? NULL : &truth.names.item[truth.tag[i]];
        gold[i] = tag ? bs_names_add(&found->names, tag->text, tag->len, &fresh) : -1;
        s = tag && gold[i] < 0 ? bs_fail_nomem(err) : BASIN_OK;
    }
    bs_retagged_free(&truth);
    return s;
}

static basin_status compatible(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(&e->data);
    const bs_scheme  own = (bs_scheme)bs_preprocess_tag(&e->model->saved->known)->lexicon.scheme;
    const bs_scheme  to = own == BS_SCHEME_RAW ? own : c->file_scheme;
    const char     **name = NULL;
    bs_retagged      found = {0};
    if (c->mixed)
        return bs_fail(err, BASIN_EARG,
                       "--conlleval-compat: the files have tags of several schemes; give them one "
                       "at a time");
    int32_t     *gold = bs_calloc((size_t)c->tokens + 1, sizeof *gold);
    basin_status s = gold ? as_in_file(e, to, &found, gold, err) : bs_fail_nomem(err);
    if (!s && !(name = bs_names_texts(&found.names)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_conlleval(name, found.names.n, own, gold, found.tag, c->start, c->sentences, true,
                         out, err);
    bs_free(name);
    bs_free(gold);
    bs_retagged_free(&found);
    return s;
}

static basin_status conlleval(const bs_evaluation *e, const basin_eval_options *o, bs_buf *out,
                              bool *done, basin_error *err)
{
    const bs_corpus  *c = bs_dataset_tag(&e->data);
    const bs_lexicon *l = &bs_preprocess_tag(&e->model->saved->known)->lexicon;
    bs_tag_truth      t;
    const char      **name = NULL;
    *done = o->conlleval != 0;
    if (!*done)
        return BASIN_OK;
    if (o->conlleval > 1)
        return compatible(e, out, err);
    basin_status s = bs_tag_truth_make(c, l, &t, err);
    if (!s && !(name = bs_names_texts(&t.names)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_conlleval(name, t.names.n, (bs_scheme)l->scheme, t.gold, bs_outputs_tag(&e->y)->tag,
                         c->start, c->sentences, false, out, err);
    bs_free(name);
    bs_tag_truth_free(&t);
    return s;
}

const bs_task_eval bs_task_eval_tag = {.check = check,
                                       .remark = remark,
                                       .instead = conlleval,
                                       .labels = types,
                                       .json = json,
                                       .json_metrics = json_types};
