/* data.c -- the task of semantic roles: for each predicate of a sentence, which words are its
 * arguments, and in which role. Nets, batches and decoding are those of tags. */
#include "task/roles/data.h"

#include <string.h>

/* ---- files ---- */

static int sniff(const char *path, const char *head, size_t n)
{
    return head ? bs_roles_sniff(head, n, path) : 0;
}

/* The predicates of a sentence are kept together. */
static basin_status split(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(p);
    const bool       several = c->records >= parts && c->documents >= parts;
    return bs_corpus_split(c, share, parts, several, seed, part, err);
}

/* ---- what a model remembers ---- */

static basin_status fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err)
{
    basin_status status = bs_tag_fit(s, part, n, log, out, err);
    out->deciding = BS_ROLE_METRIC_argument_f1;
    return status;
}

static basin_status known_read(struct json_t *o, const char *where, bs_preprocess *out,
                               basin_error *err)
{
    basin_status s = bs_tag_known_read(o, where, out, err);
    if (!s && bs_preprocess_tag(out)->lexicon.scheme != BS_SCHEME_IOB2)
        s = bs_fail(err, BASIN_EDATA, "%s: the tags of roles must be iob2", where);
    out->deciding = BS_ROLE_METRIC_argument_f1;
    return s;
}

/* ---- metrics ---- */

static void counts_free(bs_measurement *c)
{
    bs_role_counted *own = bs_measurement_roles(c);
    if (!own)
        return;
    bs_role_metrics_free(own->metrics);
    bs_tagset_free(&own->tags);
    bs_free(own);
    c->own = NULL;
}

static basin_status count(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(p);
    bs_tag_truth     truth = {0};
    bs_role_counted *own = bs_calloc(1, sizeof *own);
    (void)threshold;
    *out = (bs_measurement){.task = &bs_task_roles, .own = own};
    if (!own)
        return bs_fail_nomem(err);
    if (!c->labelled) {
        counts_free(out);
        return bs_fail(err, BASIN_EDATA, "the data has no roles to compare with");
    }
    basin_status s = bs_tag_truth_make(c, &bs_preprocess_tag(k)->lexicon, &truth, err);
    if (!s)
        s = bs_tagset_make(&truth.names, BS_SCHEME_IOB2, &own->tags, err);
    if (!s)
        s = bs_role_metrics_new(&own->tags, how->keep_rows, &own->metrics, err);
    if (!s)
        s = bs_role_metrics_add(own->metrics, truth.gold, bs_outputs_tag(y)->tag,
                                bs_outputs_tag(y)->raw, c->start, c->sentences, err);
    bs_tag_truth_free(&truth);
    if (s)
        counts_free(out);
    return s;
}

static basin_status values(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err)
{
    (void)err;
    bs_role_metrics_finish(bs_measurement_roles(c)->metrics, out);
    return BASIN_OK;
}

static basin_status sampled(bs_measurement *c, bs_sampled *out, basin_error *err)
{
    return bs_role_metrics_sampled(bs_measurement_roles(c)->metrics, out, err);
}

static const bs_candidate candidates[] = {
    {"net", "ce", "", 1, false},
    {"chain", "crf", "", 1.5, false},
    {"energy", "seal-nce", "samples=20", 4, true},
    {.name = NULL},
};

const bs_task bs_task_roles = {
    .name = "roles",
    .help = "semantic roles: the arguments of each predicate of a sentence",
    .graph = &bs_task_space_tag,
    .unit = "predicates",
    .reads = BS_READS_SENTENCES,
    .method = "seal-nce",
    .energy_kinds = &bs_tag_energy_kinds,
    .candidates = candidates,
    .options = " text. words. chars. columns. roles. ",
    .akin = "tag",
    .defaults = "net.layers=2 net.width=128 net.dropout=0.3 lr.net=0.001 lr.energy=0.001 "
                "energy.kind=attention energy.hidden=256 energy.dropout=0.5 gbi.space=logits "
                "gbi.start=uniform gbi.lr=1 cost=l1 clip=5 clip.energy=5 epochs=50 "
                "early_stop.patience=8 constrain=yes samples=20",
    .metric = bs_role_metric_table,
    .n_metrics = BS_ROLE_METRIC_COUNT,
    .shown = {{BS_ROLE_METRIC_argument_f1, "arg-F1", 12, 2, true},
              {BS_ROLE_METRIC_ucr, "UCR", 8, 2, true},
              {BS_ROLE_METRIC_ill_formed, "ill", 8, 2, true},
              {BS_ROLE_METRIC_argument_precision, "prec", 7, 2, true},
              {BS_ROLE_METRIC_argument_recall, "recall", 7, 2, true},
              {BS_ROLE_METRIC_predicate_accuracy, "pred-acc", 9, 2, true},
              {BS_ROLE_METRIC_role_accuracy, "role-acc", 9, 2, true}},
    .sniff = sniff,
    .split = split,
    .split_how = "by roles and length, sentences kept together",
    .fit = fit,
    .known_read = known_read,
    BS_TAG_FUNCTIONS,
    .count = count,
    .values = values,
    .sampled = sampled,
    .counts_free = counts_free,
    .eval = &bs_task_eval_roles,
    .predict_files = &bs_task_write_roles,
    .memory = &bs_task_memory_roles,
};
