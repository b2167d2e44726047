/* check.c -- refuses settings that contradict each other, or that would only be noticed at the end,
 * before any work is done. */
#include <string.h>

#include "data/metric.h"
#include "run/trainer.h"
#include "task/weights.h"

static bool is(const char *setting, const char *word)
{
    return strcmp(setting, word) == 0;
}

static basin_status check_threshold(const bs_train_options *o, basin_error *err)
{
    static const char *const kinds[] = {"auto", "label", "top-k", "cardinality"};
    bs_metric_id             metric;
    double                   number;
    basin_error              why = {0};
    basin_status             s = bs_metric_parse(o->threshold_metric, &metric, &why);
    bool                     known = bs_parse_double(o->threshold, &number);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        known |= is(o->threshold, kinds[i]);
    if (s)
        return bs_fail(err, s, "threshold.metric: %s", why.msg);
    if (!known)
        return bs_fail(err, BASIN_EARG,
                       "threshold: '%s' is not auto, a number, label, top-k or cardinality",
                       o->threshold);
    if (!bs_metric_table[metric].decided)
        return bs_fail(err, BASIN_EARG, "threshold.metric: %s does not depend on a threshold",
                       o->threshold_metric);
    return BASIN_OK;
}

/* Whether an energy is trained before any net has been. */
static bool is_energy_first(const bs_train_options *o, const bs_method *m)
{
    for (const bs_phase *p = m->phase; p < m->phase + BS_PHASES && p->name; p++) {
        const bool skipped = p->step == bs_step_pretrain && o->pretrain_epochs == 0;
        if (!skipped && (p->net || p->energy))
            return !p->net;
    }
    return false;
}

/* A net that the energy reads, its encoder or its logits, must have been trained before the energy
 * needs it, and must stay. */
static basin_status check_encoder(const bs_train_options *o, const bs_method *m, basin_error *err)
{
    bool energy = false, anew = false;
    for (const bs_phase *p = m->phase; p < m->phase + BS_PHASES && p->name; p++) {
        anew |= energy && p->net && !p->energy;
        energy |= p->energy;
    }
    const bool encoder = is(o->energy_encoder, "shared");
    if (!energy || !(encoder || is(o->energy_base, "net")))
        return BASIN_OK;
    if (anew)
        return bs_fail(err, BASIN_EARG,
                       "%s: %s trains a new net after the energy, which cannot %s; use %s",
                       encoder ? "energy.encoder" : "energy.base", m->name,
                       encoder ? "share its encoder" : "start from it", encoder ? "own" : "none");
    if (is_energy_first(o, m))
        return bs_fail(err, BASIN_EARG, "%s: %s has no trained net %s%s; use %s",
                       encoder ? "energy.encoder" : "energy.base", m->name,
                       encoder ? "whose encoder could be shared" : "to correct",
                       m->phase[0].step == bs_step_pretrain ? " (pretrain.epochs is 0)" : "",
                       encoder ? "own" : "none");
    return BASIN_OK;
}

static basin_status check_search(const bs_train_options *o, const bs_method *m, basin_error *err)
{
    if (is(o->gbi_start, "zeros") && (is(o->gbi_space, "logits") || is(o->gbi_rule, "mirror")))
        return bs_fail(err, BASIN_EARG,
                       "gbi.start: a search of logits cannot leave zeros, which are logits of "
                       "minus infinity; use uniform, random or net");
    if (is(o->gbi_start, "net") && is_energy_first(o, m))
        return bs_fail(err, BASIN_EARG,
                       "gbi.start: %s has no trained net when it searches%s; use zeros, uniform or "
                       "random",
                       m->name,
                       m->phase[0].step == bs_step_pretrain ? " (pretrain.epochs is 0)" : "");
    return BASIN_OK;
}

static basin_status check_inference(const bs_train_options *o, const bs_net_spec *spec,
                                    basin_error *err)
{
    if (!is(o->infer, "viterbi") || is(o->method, "crf")) /* its loss checks for a chain itself */
        return BASIN_OK;
    if (!spec->graph->chain)
        return bs_fail(err, BASIN_EARG,
                       "infer: viterbi is for chains, which task %s has none of; use net, gbi or "
                       "refine",
                       o->task);
    if (!spec->graph->chain(spec))
        return bs_fail(err, BASIN_EARG,
                       "infer: viterbi needs an energy that is a chain (energy.kind=chain); use "
                       "net, gbi or refine");
    return BASIN_OK;
}

/* Words separated by commas. */
static basin_status check_samples(const bs_train_options *o, basin_error *err)
{
    static const char *const kinds[] = {"inference", "adversarial", "truth"};
    const char              *p = o->dvn_samples;
    for (bool more = true; more; p++) {
        const size_t n = strcspn(p, ",");
        bool         known = false;
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            known |= strlen(kinds[i]) == n && strncmp(p, kinds[i], n) == 0;
        if (!known)
            return bs_fail(err, BASIN_EARG,
                           "dvn.samples: '%.*s' is not inference, adversarial or truth, with "
                           "commas between them",
                           (int)n, p);
        p += n;
        more = *p == ',';
    }
    return BASIN_OK;
}

/* Samples are weighted by what they lack of a full score. */
static basin_status check_cost(const bs_train_options *o, const bs_net_spec *spec, basin_error *err)
{
    const bool hamming = spec->graph->sample_cost == BS_COST_HAMMING;
    if (!is(o->method, "implicit-cd") || is(o->cost, "f1") || (hamming && is(o->cost, "hamming")))
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG,
                   "cost: implicit-cd compares outputs with samples, whose cost is %s here; use "
                   "that",
                   hamming ? "hamming" : "f1");
}

static basin_status check_weights(const bs_train_options *o, const bs_method *m, basin_error *err)
{
    if (!bs_weights_wanted(o))
        return BASIN_OK;
    if (o->ce_weight == 0)
        return bs_fail(err, BASIN_EARG,
                       "weights: they are part of the cross-entropy, which ce.weight=0 leaves out");
    bool has = !m->unweighed;
    for (int i = 0; i < BS_STAGES && m->stage[i].trains; i++)
        has |= m->stage[i].when == BS_BEFORE && o->pretrain_epochs > 0;
    if (has)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG,
                   "weights: they are part of the cross-entropy of a net, which method %s does not "
                   "have; ce, seal-* and infnet+ have it",
                   m->name);
}

/* Settings of energies over label sets, which would have no effect. */
static basin_status check_label_sets(const bs_train_options *o, const bs_task *t, basin_error *err)
{
    const char *what = is(o->energy_base, "net") ? "energy.base"
                       : o->samples_share != 1   ? "samples.share"
                       : o->lr_energy_y != 1     ? "lr.energy.y"
                       : o->decay_energy_y != 1  ? "decay.energy.y"
                                                 : NULL;
    if (!what || t->graph->corner_energy)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG, "%s: is for label sets; this is task %s", what, t->name);
}

/* What a batch does as a whole, and sums that are no means, have no parts. */
static basin_status check_shards(const bs_train_options *o, const bs_method *m, basin_error *err)
{
    if (o->shards == 1)
        return BASIN_OK;
    if (m->setup)
        return bs_fail(err, BASIN_EARG,
                       "dist.shards: the implicit gradient of method %s is one of the whole batch; "
                       "use dist.shards=1",
                       m->name);
    if (is(o->mode, "code"))
        return bs_fail(err, BASIN_EARG,
                       "dist.shards: some losses of mode=code are sums over the batch, which parts "
                       "of it would weigh otherwise; use mode=paper");
    if (o->shards > o->batch)
        return bs_fail(err, BASIN_EARG, "dist.shards: %d parts of a batch of %d rows; use fewer",
                       o->shards, o->batch);
    return BASIN_OK;
}

basin_status bs_check_settings(const bs_train_options *o, const bs_task *t, const bs_method *m,
                               const bs_net_spec *spec, basin_error *err)
{
    basin_status s = check_threshold(o, err);
    if (!s)
        s = bs_task_decide(t, o, NULL, &(bs_inference){.decide = 0}, err);
    if (!s)
        s = check_weights(o, m, err);
    if (!s)
        s = check_encoder(o, m, err);
    if (!s)
        s = check_label_sets(o, t, err);
    if (!s)
        s = check_search(o, m, err);
    if (!s)
        s = check_inference(o, spec, err);
    if (!s)
        s = check_samples(o, err);
    if (!s)
        s = check_shards(o, m, err);
    if (!s)
        s = check_cost(o, spec, err);
    if (!s && is(o->net_loss, "ranking") && !t->graph->sample)
        s = bs_fail(err, BASIN_EARG, "net.loss: outputs of task %s cannot be sampled; use value",
                    t->name);
    return s || !t->check ? s : t->check(o, err);
}
