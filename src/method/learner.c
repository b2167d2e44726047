/* learner.c -- turns stages into programs, runs phases, and orders the steps that methods share. */
#include <math.h>
#include <string.h>

#include "method/loss.h"
#include "method/shards.h"

void bs_learner_see(bs_learner *l, bs_diagnostic_id id, double value)
{
    l->diagnostic[id].sum += value;
    l->diagnostic[id].n++;
}

/* ---- building ---- */

bs_gbi bs_options_gbi(const bs_train_options *o, bool predicting)
{
    static const char *const rules[] = {"plain", "momentum", "adam", "normalised", "mirror"};
    static const char *const starts[] = {"zeros", "uniform", "random", "net"};
    bs_gbi                   s = {.steps = o->gbi_steps,
                                  .starts = 1,
                                  .logits = strcmp(o->gbi_space, "logits") == 0,
                                  .rate = o->gbi_lr,
                                  .momentum = o->gbi_momentum,
                                  .entropy = o->gbi_entropy,
                                  .tolerance = o->gbi_tolerance,
                                  .halvings = o->gbi_halvings,
                                  .best = o->gbi_best,
                                  .skip_last = strcmp(o->mode, "code") == 0};
    for (int i = 0; i < 5; i++)
        if (strcmp(o->gbi_rule, rules[i]) == 0)
            s.rule = (bs_gbi_rule)i;
    for (int i = 0; i < 4; i++)
        if (strcmp(o->gbi_start, starts[i]) == 0)
            s.start = (bs_gbi_start)i;
    if (s.start == BS_GBI_RANDOM)
        s.starts = o->gbi_restarts;
    if (predicting && o->gbi_test_steps > 0)
        s.steps = o->gbi_test_steps;
    return s;
}

bs_inference bs_options_inference(const bs_train_options *o, const char *infer)
{
    return (bs_inference){.how = strcmp(infer, "gbi") == 0       ? BS_INFER_GBI
                                 : strcmp(infer, "refine") == 0  ? BS_INFER_REFINE
                                 : strcmp(infer, "viterbi") == 0 ? BS_INFER_VITERBI
                                 : strcmp(infer, "cost") == 0    ? BS_INFER_COST
                                                                 : BS_INFER_NET,
                          .gbi = bs_options_gbi(o, true),
                          .constrained = o->constrain || o->roles_unique,
                          .unique = o->roles_unique,
                          .cost_net = bs_cost_net_named(o->infnet_form),
                          .cost_hidden = o->infnet_hidden,
                          .cost_logits = bs_cost_net_reads_logits(o)};
}

/* Dropout is on in the net being trained and, as in the published runs, in the other one as well
 * (dropout.both): samples come from a net with dropout, and an energy with dropout is the loss. A
 * net that is no longer trained has none. */
bs_loss_context bs_loss_context_make(bs_learner *l, bs_graph *g, bs_size size, const char *trains)
{
    const bs_phase *p = &l->method->phase[l->phase];
    bs_loss_context s = {.t = l->spec.graph, .o = l->o};
    s.v = bs_output_space_make(g, l->params, &l->spec, size, true);
    s.v.net_dropout = (p->net && l->o->dropout_both) || bs_params_has_prefix(trains, "net/");
    s.v.energy_dropout =
        (p->energy && l->o->dropout_both) || bs_params_has_prefix(trains, "energy/");
    return s;
}

void bs_loss_context_results(const bs_loss_context *s, bs_id loss, bs_recipe *r)
{
    r->result[r->n_results++] = (bs_result){loss, -1};
    for (int i = 0; i < BS_DIAGNOSTIC_COUNT; i++)
        r->result[r->n_results++] =
            (bs_result){s->diagnostic[i] ? s->diagnostic[i] : bs_const(s->v.g, NAN), -1};
}

/* One stage, or two of which the second uses what the first leaves behind. */
enum { KEY_FIRST, KEY_ROWS, KEY_LENGTH, KEY_WIDTH, KEY_PHASE, KEY_SECOND };
typedef struct {
    int  stage; /* -1: none */
    bool without_energy;
} turn;

static const turn no_turn = {.stage = -1};

static int coded(turn t)
{
    return 2 * (t.stage + 1) + t.without_energy;
}

static turn decoded(int code)
{
    return (turn){code / 2 - 1, code % 2};
}

static void build_stage(bs_learner *l, const bs_stage *stage, bs_loss_context *s, bs_recipe *r)
{
    bs_graph *g = s->v.g;
    bs_id     theta[BS_CACHE_RESULTS], d[BS_CACHE_RESULTS];
    int       segment[BS_CACHE_RESULTS];
    const int most = BS_CACHE_RESULTS / 2 - BS_RESULT_REST;
    bs_push(g, "loss");
    bs_id loss = stage->loss(s);
    int   n = bs_params_nodes(g, l->params, stage->trains, theta, segment, most);
    if (n == most)
        bs_graph_refuse(g, "more than %d parameters with a name", most - 1);
    if (n == 0)
        bs_graph_refuse(g, "no parameter is called '%s...', or all are frozen", stage->trains);
    bs_grad(g, loss, theta, n, d, true);
    bs_loss_context_results(s, loss, r);
    n += bs_params_distances(g, l->params, stage->trains, d + n, segment + n, most - n);
    for (int i = 0; i < n; i++)
        r->result[r->n_results++] = (bs_result){d[i], segment[i]};
    bs_pop(g);
}

/* After an optimiser has changed the parameters with this prefix. */
static void begin_second_turn(bs_graph *g, const bs_params *p, const char *changed)
{
    uint8_t *anew = bs_calloc((size_t)p->n + 1, sizeof *anew);
    for (int i = 0; i < p->n && anew; i++)
        anew[i] = !p->segment[i].frozen && bs_params_has_prefix(p->segment[i].name, changed);
    if (anew)
        bs_graph_turn(g, anew, p->n);
    else
        bs_graph_nomem(g);
    bs_free(anew);
}

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    bs_learner     *l = ctx;
    const turn      first = decoded(key.v[KEY_FIRST]), second = decoded(key.v[KEY_SECOND]);
    const bs_stage *stage = l->method->stage;
    bs_size         size = {key.v[KEY_ROWS], key.v[KEY_LENGTH], key.v[KEY_WIDTH]};
    bs_loss_context s = bs_loss_context_make(l, g, size, stage[first.stage].trains);
    s.without_energy = first.without_energy;
    bs_output_space_inputs(&s.v, r);
    build_stage(l, &stage[first.stage], &s, r);
    if (second.stage < 0)
        return;
    bs_loss_context t = bs_loss_context_make(l, g, size, stage[second.stage].trains);
    t.v.x = s.v.x;
    t.v.gold = s.v.gold;
    t.v.weight = s.v.weight;
    t.without_energy = second.without_energy;
    r->second = r->n_results;
    begin_second_turn(g, l->params, stage[first.stage].trains);
    build_stage(l, &stage[second.stage], &t, r);
}

static bs_optim *optimiser_of(bs_learner *l, const char *trains)
{
    return bs_params_has_prefix(trains, "net/") ? l->net : l->energy;
}

static void bind(bs_learner *l, bs_entry *e)
{
    const turn first = decoded(e->key.v[KEY_FIRST]), second = decoded(e->key.v[KEY_SECOND]);
    bs_params_bind(l->params, e->program);
    if (l->shards) /* sums of gradients are whole */
        return;
    bs_optim_use_rows(optimiser_of(l, l->method->stage[first.stage].trains), e->program);
    if (second.stage >= 0)
        bs_optim_use_rows(optimiser_of(l, l->method->stage[second.stage].trains), e->program);
}

/* Which nets are trained is part of the key: it decides where dropout is. */
static basin_status program(bs_learner *l, turn first, turn second, bs_size z, bs_entry **e,
                            basin_error *err)
{
    bool         fresh;
    bs_key       key = {{coded(first), z.rows, z.length, z.width, l->phase, coded(second)}};
    basin_status s = bs_cache_get(l->cache, key, e, &fresh, err);
    if (!s && fresh && l->params->block.value)
        bind(l, *e);
    return s;
}

/* ---- setting up ---- */

static basin_status make_optim(bs_learner *l, const char *prefix, double rate, double decay,
                               double clip, bs_optim **out, basin_error *err)
{
    bs_optim_options o;
    basin_status     s = bs_options_default(bs_optim_rows, &o, err);
    if (s)
        return s;
    const char *rule = l->o->rule;
    if (bs_params_has_prefix(prefix, "energy/") && strcmp(l->o->rule_energy, "same") != 0)
        rule = l->o->rule_energy;
    memcpy(o.rule, rule, sizeof o.rule);
    o.momentum = strcmp(rule, "sgd") == 0 ? l->o->momentum : 0;
    o.rate = rate;
    o.decay = decay;
    o.clip = clip;
    o.beta1 = l->o->beta1;
    return bs_optim_new(l->w, l->params, prefix, &o, out, err);
}

/* ---- the net as pre-training left it ---- */

bool bs_is_anchored(const bs_segment *s)
{
    return bs_params_has_prefix(s->name, "net/") && !s->frozen &&
           !bs_params_has_prefix(s->name, "net/cost/");
}

bs_id bs_anchor(bs_graph *g, bs_params *p, int segment)
{
    char name[256];
    bs_print(name, sizeof name, "anchor/%s", p->segment[segment].name);
    return bs_param_frozen(g, p, name, p->segment[segment].shape, bs_init_zero());
}

/* Declares anchors that no loss has declared: after all others, whose places must not change. */
static basin_status declare_anchors(bs_learner *l, basin_error *err)
{
    bs_graph *g = bs_graph_new();
    if (!g)
        return bs_fail_nomem(err);
    for (int i = 0, n = l->params->n; i < n; i++)
        if (bs_is_anchored(&l->params->segment[i]))
            bs_anchor(g, l->params, i);
    basin_status s = bs_graph_check(g, err);
    bs_graph_free(g);
    return s;
}

static void copy_anchors(bs_learner *l, bool back)
{
    bs_params *p = l->params;
    for (int i = 0; i < p->n; i++) {
        const bs_segment *held = &p->segment[i];
        if (!bs_params_has_prefix(held->name, "anchor/"))
            continue;
        const bs_segment *now = bs_params_find(p, held->name + strlen("anchor/"));
        bs_params_copy(p, back ? now : held, back ? held : now);
    }
}

void bs_learner_anchor(bs_learner *l)
{
    copy_anchors(l, false);
}

void bs_learner_return(bs_learner *l)
{
    copy_anchors(l, true);
}

/* Initial values that are not drawn at random. */
static basin_status fill(bs_learner *l, const char *prefix, basin_error *err)
{
    basin_status s = BASIN_OK;
    if (l->task && l->task->fill)
        s = l->task->fill(l->known, l->params, prefix, err);
    if (!s && l->heritage)
        s = bs_inherit(l->heritage, l->params, prefix, err);
    return s;
}

static basin_status renew(bs_learner *l, const char *prefix, uint64_t seed, basin_error *err)
{
    basin_status s = bs_params_renew(l->params, prefix, seed, err);
    return s ? s : fill(l, prefix, err);
}

/* Pre-training or fine-tuning for no epochs, after the stages that are needed: a method may have no
 * net. */
static bool never_comes(const bs_learner *l, int stage)
{
    const bs_stage *all = l->method->stage;
    const bool      last = stage + 1 >= BS_STAGES || !all[stage + 1].trains;
    return last && ((all[stage].when == BS_BEFORE && l->o->pretrain_epochs == 0) ||
                    (all[stage].when == BS_AFTER && l->o->finetune_epochs == 0));
}

basin_status bs_learner_setup(bs_learner *l, basin_error *err)
{
    const bs_method *m = l->method;
    bs_entry        *e;
    basin_status     s = BASIN_OK;
    if (!(l->cache = bs_cache_new(l->w, build, l, 0)))
        return bs_fail_nomem(err);
    for (int i = 0; i < BS_STAGES && m->stage[i].trains && !s; i++)
        if (!never_comes(l, i))
            s = program(l, (turn){i, false}, no_turn, l->spec.least, &e,
                        err); /* declares parameters */
    bs_cache_free(l->cache);  /* a later stage may have added some to the first one's net */
    if (!s && !(l->cache = bs_cache_new(l->w, build, l, 0)))
        return bs_fail_nomem(err);
    if (s) {
        l->cache = NULL;
        return s;
    }
    if (l->o->energy_proof > 0 && l->o->pretrain_epochs > 0 && m->phase[0].step == bs_step_pretrain)
        s = declare_anchors(l, err);
    if (!s && l->heritage)
        s = bs_inherit_check(l->heritage, l->params, err);
    if (!s)
        s = bs_params_allocate(l->params, l->w->device, (uint64_t)l->o->seed, err);
    if (!s)
        s = fill(l, "", err);
    if (!s)
        s = l->w->device->alloc(l->w->device, BS_LATE * BS_LATE_ROW * sizeof(double), true, &l->log,
                                err);
    if (!s && bs_params_count(l->params, "net/") > 0)
        s = make_optim(l, "net/", l->o->lr_net, l->o->decay_net, l->o->clip, &l->net, err);
    if (!s && bs_params_count(l->params, "energy/") > 0)
        s = make_optim(l, "energy/", l->o->lr_energy, l->o->decay_energy, l->o->clip_energy,
                       &l->energy, err);
    if (!s && l->energy && l->spec.graph->over_outputs)
        bs_optim_scale(l->energy, l->spec.graph->over_outputs, l->o->lr_energy_y,
                       l->o->decay_energy_y);
    if (!s)
        s = bs_shards_new(l, &l->shards, err);
    if (!s && m->setup)
        s = m->setup(l, err);
    return s ? s : bs_learner_enter(l, 0, err);
}

void bs_learner_free(bs_learner *l)
{
    if (l->method && l->method->free)
        l->method->free(l);
    bs_cache_free(l->cache);
    bs_optim_free(l->net);
    bs_optim_free(l->energy);
    bs_buffer_free(l->log);
    bs_shards_free(l->shards);
}

bs_pace bs_learner_pace(const bs_learner *l, const bs_optim *o)
{
    const bs_phase *p = &l->method->phase[l->phase];
    if (o == l->net)
        return (bs_pace){p->step == bs_step_pretrain    ? l->o->pretrain_lr
                         : p->step == bs_step_fine_tune ? l->o->finetune_lr
                                                        : l->o->lr_net,
                         l->o->clip};
    return (bs_pace){l->o->lr_energy, p->net ? l->o->clip_energy : l->o->clip};
}

static void reset(bs_learner *l, bs_optim *o)
{
    const bs_pace    pace = bs_learner_pace(l, o);
    const bs_blocks *b = &l->params->block;
    for (int i = 0; i < o->n; i++) {
        l->w->device->fill(b->m, o->span[i].offset, o->span[i].count, 0);
        l->w->device->fill(b->v, o->span[i].offset, o->span[i].count, 0);
    }
    o->update.step = 0;
    o->update.rate = pace.rate;
    o->clip = pace.clip;
}

basin_status bs_learner_enter(bs_learner *l, int phase, basin_error *err)
{
    const bs_phase *p = &l->method->phase[phase];
    if (phase > 0 && p[-1].step == bs_step_pretrain) {
        /* no part of pre-training, but weight decay has moved it */
        basin_status s = renew(l, "net/cost/", (uint64_t)l->o->seed, err);
        if (s)
            return s;
        bs_learner_anchor(l);
    }
    l->phase = phase;
    if (l->net)
        reset(l, l->net);
    if (l->energy)
        reset(l, l->energy);
    return p->enter ? p->enter(l, err) : BASIN_OK;
}

/* ---- a step ---- */

basin_status bs_learner_note(bs_learner *l, const bs_entry *e, int first, const bs_optim *o,
                             basin_error *err)
{
    basin_status s = l->n_late == BS_LATE ? bs_learner_read(l, err) : BASIN_OK;
    if (s)
        return s;
    e->program->device->note(e->program, first, 1 + BS_DIAGNOSTIC_COUNT, l->log,
                             l->n_late * BS_LATE_ROW);
    l->late[l->n_late++] = (bs_late){.o = o, .step = l->step, .rate = o->update.rate};
    return BASIN_OK;
}

/* The same for numbers that the host has. */
static basin_status note_values(bs_learner *l, const double *value, const bs_optim *o,
                                basin_error *err)
{
    const size_t bytes = (1 + BS_DIAGNOSTIC_COUNT) * sizeof *value;
    void        *to;
    basin_status s = l->n_late == BS_LATE ? bs_learner_read(l, err) : BASIN_OK;
    const size_t at = (size_t)l->n_late * BS_LATE_ROW * sizeof *value;
    if (!s)
        s = l->w->device->map(l->log, at, bytes, BS_WRITE, &to, err);
    if (s)
        return s;
    memcpy(to, value, bytes);
    l->w->device->unmap(l->log, at, bytes, BS_WRITE, to);
    l->late[l->n_late++] = (bs_late){.o = o, .step = l->step, .rate = o->update.rate};
    return BASIN_OK;
}

void bs_learner_follow(bs_learner *l, bs_optim *o, bool look)
{
    const int row = l->n_late - 1;
    bs_optim_step(o, look, l->log, row * BS_LATE_ROW + BS_LATE_NORM);
    l->late[row].norm = look || o->clip > 0;
}

static basin_status read_step(bs_learner *l, const bs_late *is, const double *row, basin_error *err)
{
    const bool  net = is->o == l->net;
    const char *which = net ? "net" : "energy";
    if (!isfinite(row[BS_RESULT_LOSS]))
        return bs_fail(err, BASIN_ENUMERIC,
                       "the loss of the %s is no longer finite at step %llu; a lower lr.%s (now "
                       "%g) or clip may help",
                       which, (unsigned long long)is->step, which, is->rate);
    if (is->norm && !isfinite(row[BS_LATE_NORM]))
        return bs_fail(err, BASIN_ENUMERIC,
                       "the gradient of the %s is no longer finite at step %llu; a lower lr.%s "
                       "(now %g) or clip may help",
                       which, (unsigned long long)is->step, which, is->rate);
    for (int i = 0; i < BS_DIAGNOSTIC_COUNT; i++)
        if (!isnan(row[BS_RESULT_DIAGNOSTIC + i]))
            bs_learner_see(l, (bs_diagnostic_id)i, row[BS_RESULT_DIAGNOSTIC + i]);
    bs_learner_see(l, net ? BS_DIAGNOSTIC_loss_net : BS_DIAGNOSTIC_loss_energy,
                   row[BS_RESULT_LOSS]);
    if (is->norm)
        bs_learner_see(l, net ? BS_DIAGNOSTIC_grad_net : BS_DIAGNOSTIC_grad_energy,
                       row[BS_LATE_NORM]);
    return BASIN_OK;
}

basin_status bs_learner_read(bs_learner *l, basin_error *err)
{
    const size_t bytes = (size_t)l->n_late * BS_LATE_ROW * sizeof(double);
    void        *log;
    if (l->n_late == 0)
        return BASIN_OK;
    basin_status s = l->w->device->map(l->log, 0, bytes, BS_READ, &log, err);
    if (s)
        return s;
    for (int i = 0; i < l->n_late && !s; i++)
        s = read_step(l, &l->late[i], (const double *)log + i * BS_LATE_ROW, err);
    l->w->device->unmap(l->log, 0, bytes, BS_READ, log);
    l->n_late = 0;
    return s;
}
/* Pure diagnostics that are expensive (an energy of the truth, a norm unless clipping needs it) are
 * only measured now and then, at least once per epoch. */
static bool looks(const bs_learner *l, const bs_optim *o)
{
    const bs_diagnostic_id loss = o == l->net ? BS_DIAGNOSTIC_loss_net : BS_DIAGNOSTIC_loss_energy;
    bool                   first = l->diagnostic[loss].n == 0;
    for (int i = 0; i < l->n_late; i++)
        first &= l->late[i].o != o;
    return first || o->update.step % 16 == 0;
}

static turn turn_of(bs_learner *l, int stage)
{
    const bs_optim *o = optimiser_of(l, l->method->stage[stage].trains);
    return (turn){stage, l->spec.graph->expensive && !looks(l, o)};
}

/* Turn k of a bound program, whose results start at `first`: a step of the stage's optimiser. */
static basin_status take_turn(bs_learner *l, bs_entry *e, int stage, int k, int first,
                              basin_error *err)
{
    bs_optim  *o = optimiser_of(l, l->method->stage[stage].trains);
    const bool look = looks(l, o);
    if (o->program != e->program)
        bs_optim_use_rows(o, e->program);
    basin_status s =
        bs_program_turn(e->program, &(bs_run){(uint64_t)l->o->seed, ++l->step}, k, err);
    if (!s)
        s = bs_learner_note(l, e, first, o, err);
    if (!s)
        bs_learner_follow(l, o, look);
    return s;
}

/* ---- a step by shards ---- */

static basin_status run_shard(bs_learner *l, const bs_batch *b, const void *ctx, bs_entry **e,
                              basin_error *err)
{
    const turn  *which = ctx;
    basin_status s = program(l, *which, no_turn, b->size, e, err);
    if (s)
        return s;
    bs_truth_bind(&l->spec, b, *e);
    return bs_program_turn((*e)->program, &(bs_run){(uint64_t)l->o->seed, l->step}, 0, err);
}

static basin_status run_shards(bs_learner *l, int stage, basin_error *err)
{
    const turn    which = turn_of(l, stage);
    bs_optim     *o = optimiser_of(l, l->method->stage[stage].trains);
    const bool    look = looks(l, o);
    const double *loss;
    basin_status  s = bs_shards_run(l, run_shard, &which, &loss, err);
    if (!s)
        s = note_values(l, loss, o, err);
    if (!s)
        bs_learner_follow(l, o, look);
    return s;
}

basin_status bs_learner_run(bs_learner *l, int stage, const bs_batch *b, basin_error *err)
{
    bs_entry *e;
    if (l->shards)
        return run_shards(l, stage, err);
    basin_status s = program(l, turn_of(l, stage), no_turn, b->size, &e, err);
    if (s)
        return s;
    bs_truth_bind(&l->spec, b, e);
    return take_turn(l, e, stage, 0, 0, err);
}

/* Two stages, the first of which does not change what the second's net depends on: equivalent to
 * two runs, but what they share, a net's pass without dropout or up to it, is computed once. */
static basin_status run_both(bs_learner *l, int stage, int after, const bs_batch *b,
                             basin_error *err)
{
    bs_entry *e;
    if (l->shards) {
        basin_status first = run_shards(l, stage, err);
        return first ? first : run_shards(l, after, err);
    }
    basin_status s = program(l, turn_of(l, stage), turn_of(l, after), b->size, &e, err);
    if (s)
        return s;
    bs_truth_bind(&l->spec, b, e);
    s = take_turn(l, e, stage, 0, 0, err);
    return s ? s : take_turn(l, e, after, 1, e->second, err);
}

/* ---- orders of steps ---- */

static int stage_of(const bs_learner *l, const char *trains, int when)
{
    const bs_stage *stage = l->method->stage;
    int             found = 0;
    for (int i = 0; i < BS_STAGES && stage[i].trains; i++)
        if ((int)stage[i].when == when && strcmp(stage[i].trains, trains) == 0)
            found = i;
    return found;
}

basin_status bs_step_pretrain(bs_learner *l, const bs_batch *b, basin_error *err)
{
    return bs_learner_run(l, stage_of(l, "net/", BS_BEFORE), b, err);
}

basin_status bs_step_fine_tune(bs_learner *l, const bs_batch *b, basin_error *err)
{
    return bs_learner_run(l, stage_of(l, "net/", BS_AFTER), b, err);
}

basin_status bs_step_net(bs_learner *l, const bs_batch *b, basin_error *err)
{
    const int    stage = stage_of(l, "net/", BS_AMID);
    basin_status s = BASIN_OK;
    for (int i = 0; i < l->o->steps_net && !s; i++)
        s = bs_learner_run(l, stage, b, err);
    return s;
}

basin_status bs_step_energy(bs_learner *l, const bs_batch *b, basin_error *err)
{
    const int    stage = stage_of(l, "energy/", BS_AMID);
    basin_status s = BASIN_OK;
    for (int i = 0; i < l->o->steps_energy && !s; i++)
        s = bs_learner_run(l, stage, b, err);
    return s;
}

/* As published: the outer net makes its steps one by one, each after all those of the inner. */
basin_status bs_step_alternating(bs_learner *l, const bs_batch *b, basin_error *err)
{
    const int    net = stage_of(l, "net/", BS_AMID), energy = stage_of(l, "energy/", BS_AMID);
    const bool   net_inside = strcmp(l->o->inner, "net") == 0;
    const int    outer = net_inside ? l->o->steps_energy : l->o->steps_net;
    const int    inner = net_inside ? l->o->steps_net : l->o->steps_energy;
    basin_status s = BASIN_OK;
    for (int i = 0; i < outer && !s; i++) {
        const bool both = !net_inside && inner > 0;
        for (int k = 0; k < inner - both && !s; k++)
            s = bs_learner_run(l, net_inside ? net : energy, b, err);
        if (!s && both)
            s = run_both(l, energy, net, b, err);
        else if (!s)
            s = bs_learner_run(l, net_inside ? energy : net, b, err);
    }
    return s;
}

/* ---- beginnings of phases ---- */

basin_status bs_enter_new_net(bs_learner *l, basin_error *err)
{
    return renew(l, "net/", (uint64_t)l->o->seed + 1, err);
}

/* energy/T/0/W <- net/T/0/W and so on: -E starts as the net's logits plus the global term. An
 * energy of images also reads the mask: its first layer has another shape and is left alone. */
basin_status bs_enter_energy(bs_learner *l, basin_error *err)
{
    bs_params *p = l->params;
    const bool there = l->heritage && bs_params_count(l->heritage->values, "energy/") > 0;
    if (there || strcmp(l->o->energy_init, "net") != 0)
        return BASIN_OK;
    for (int i = 0; i < p->n; i++) {
        char name[256];
        if (!bs_params_has_prefix(p->segment[i].name, "net/"))
            continue;
        bs_print(name, sizeof name, "energy/%s", p->segment[i].name + 4);
        const bs_segment *to = bs_params_find(p, name);
        /* if there are members, the first one, which comes first */
        if (to && (to->count == p->segment[i].count ||
                   to->count * l->o->net_members == p->segment[i].count))
            bs_params_copy(p, to, &p->segment[i]);
    }
    return bs_member_fold(p, "net/", "energy/", err);
}
