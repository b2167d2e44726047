/* trainer.c -- the epoch loop: batches, evaluation, early stopping, the best snapshot. */
#include "run/trainer.h"

#include <math.h>
#include <string.h>

#include "base/io.h"
#include "method/shards.h"
#include "pretrained/pretrained.h"

enum { SHUFFLE_STREAM = 0x5eed };

const char *const bs_ended_name[] = {"epochs", "patience", "time limit"};

static double elapsed(const bs_trainer *t)
{
    return t->seconds + bs_seconds() - t->started;
}

static bool stop_asked(const bs_trainer *t)
{
    const bs_train_job *j = t->job;
    return t->paused || bs_stop_asked(j->stop) || bs_stop_asked(j->lost) || j->log->stopped ||
           (j->deadline > 0 && bs_seconds() >= j->deadline);
}

static const bs_phase *phase_of(const bs_trainer *t)
{
    return &t->method->phase[t->learner.phase];
}

/* Whether no phase with epochs follows. */
static bool last_phase(const bs_trainer *t)
{
    for (int i = t->learner.phase + 1; i < BS_PHASES && t->method->phase[i].name; i++)
        if (bs_phase_epochs(t, i) > 0)
            return false;
    return true;
}

/* Whether there are parameters that an epoch of this phase must beat. */
static bool has_best(const bs_trainer *t)
{
    return t->best_epoch > (phase_of(t)->refines ? 0 : t->phase_start);
}

/* ---- making and freeing ---- */

/* A feed's batch is valid until its next one, and all shards are needed at the same time. */
static basin_status make_shards(bs_trainer *t, basin_error *err)
{
    const bs_train_job *job = t->job;
    basin_status        s = BASIN_OK;
    t->of_shard = *t->o;
    t->of_shard.batch = (t->o->batch + t->o->shards - 1) / t->o->shards;
    if (!(t->shard = bs_calloc((size_t)t->o->shards, sizeof *t->shard)))
        return bs_fail_nomem(err);
    for (int i = 0; i < t->o->shards && !s; i++)
        s = job->train->task->feed(job->train, job->known, &t->learner.spec, &t->of_shard,
                                   &t->shard[i], err);
    return s;
}

static basin_status allocate(bs_trainer *t, basin_error *err)
{
    const bs_train_job *job = t->job;
    t->order = bs_calloc((size_t)job->train->rows + 1, sizeof *t->order);
    if (!t->order)
        return bs_fail_nomem(err);
    basin_status s =
        bs_buffer_new(t->learner.w->device, t->learner.params->moving, true, &t->best, err);
    if (!s)
        s = job->valid->task->outputs(job->valid, job->known, &t->outputs, err);
    if (!s)
        s = job->train->task->feed(job->train, job->known, &t->learner.spec, t->o, &t->feed, err);
    return s || t->o->shards <= 1 ? s : make_shards(t, err);
}

/* Decisions by the energy are those of the last phase: before it, the energy is not trained. */
static basin_status make_scorer_by(bs_trainer *t, const char *infer, bool last, basin_error *err)
{
    bs_inference how = bs_options_inference(t->o, infer);
    how.log = t->job->log;
    bs_scorer_free(t->scorer);
    t->scorer = NULL;
    t->seen = 0;
    basin_status s = last ? bs_task_decide(t->job->valid->task, t->o, NULL, &how, err) : BASIN_OK;
    return s ? s
             : bs_scorer_new(t->learner.w, t->learner.params, &t->learner.spec, &how, &t->scorer,
                             err);
}

void bs_best_keep(bs_trainer *t)
{
    const bs_params *p = t->learner.params;
    t->best->device->copy(t->best, 0, p->block.value, 0, p->moving);
}

void bs_best_take(bs_trainer *t)
{
    const bs_params *p = t->learner.params;
    t->best->device->copy(p->block.value, 0, t->best, 0, p->moving);
}

static bool is_last(const bs_trainer *t, int phase)
{
    return phase + 1 == BS_PHASES || !t->method->phase[phase + 1].name;
}

/* Each phase has its own way to predict. */
static basin_status make_scorer(bs_trainer *t, basin_error *err)
{
    const char *infer = phase_of(t)->infer;
    return make_scorer_by(t, infer ? infer : t->o->infer, is_last(t, t->learner.phase), err);
}

static basin_status trainer_init(bs_trainer *t, const bs_train_job *job, basin_error *err)
{
    const bs_train_options *o = &job->settings->train;
    bs_learner             *l = &t->learner;
    t->job = job;
    t->o = o;
    t->epoch = 1;
    t->last_score = NAN;
    t->every = o->stop_epochs;
    if (t->every == 0)
        t->every = job->valid->task->every
                       ? job->valid->task->every(job->train, job->valid, job->known)
                       : 1;
    t->started = t->saved_at = bs_seconds();
    t->plateau = bs_plateau_make(o->plateau_factor, o->plateau_patience, 0);
    l->o = o;
    basin_status s = job->train->task->spec(o, job->known, &l->spec, err);
    basin_error  why = {0};
    l->spec.weight = job->known->weight;
    l->spec.weights = job->known->weights;
    if (!s &&
        (s = bs_task_metric(job->train->task, job->known, o->stop_metric, &t->stop_metric, &why)))
        bs_fail(err, s, "early_stop.metric: %s", why.msg);
    if (!s)
        s = bs_profile_parse(o->profile, &t->profile, err);
    if (!s)
        s = bs_method_find(o->method, o->task, &t->method, err);
    if (!s)
        s = bs_check_settings(o, job->train->task, t->method, &l->spec, err);
    if (!s)
        s = bs_workspace_open((bs_machine){o->device, o->threads}, &l->w, err);
    if (!s && !(l->params = bs_params_new()))
        s = bs_fail_nomem(err);
    l->method = t->method;
    l->task = job->train->task;
    l->known = job->known;
    if (job->from) {
        t->heritage = bs_base_model_file(job->from, job->from_model);
        l->heritage = &t->heritage;
    }
    if (!s)
        s = bs_learner_setup(l, err);
    return s ? s : allocate(t, err);
}

static void trainer_free(bs_trainer *t)
{
    bs_learner *l = &t->learner;
    bs_scorer_free(t->scorer);
    if (t->feed)
        t->feed->free(t->feed);
    for (int i = 0; t->shard && i < t->o->shards; i++)
        if (t->shard[i])
            t->shard[i]->free(t->shard[i]);
    bs_free(t->shard);
    bs_learner_free(l);
    bs_params_free(l->params);
    bs_workspace_close(l->w);
    bs_free(t->order);
    bs_outputs_free(&t->outputs);
    bs_buffer_free(t->best);
    bs_buf_free(&t->beginning);
}

/* ---- an epoch ---- */

static basin_status save_if_due(bs_trainer *t, bool now, basin_error *err)
{
    if (!t->job->folder || t->cut_short ||
        (!now && bs_seconds() - t->saved_at < t->o->checkpoint_seconds))
        return BASIN_OK;
    basin_status s = bs_learner_read(&t->learner, err);
    if (!s)
        s = bs_checkpoint_write(t, err);
    t->saved_at = bs_seconds();
    return s;
}

int bs_phase_epochs(const bs_trainer *t, int phase)
{
    const int       most = t->o->epochs, first = t->o->pretrain_epochs;
    const bs_phase *p = &t->method->phase[phase];
    if (p->step == bs_step_pretrain)
        return first < most ? first : most;
    if (p->step == bs_step_fine_tune)
        return t->o->finetune_epochs;
    return p->energy && t->o->energy_epochs > 0 ? t->o->energy_epochs : most;
}

static int phase_epochs(const bs_trainer *t)
{
    return bs_phase_epochs(t, t->learner.phase);
}

static bs_progress_event news_of(const bs_trainer *t, double part)
{
    const bool higher = t->job->valid->task->metric[t->stop_metric].higher;
    const bool any = has_best(t);
    return (bs_progress_event){.epoch = t->epoch,
                               .own = t->epoch - t->phase_start,
                               .last = last_phase(t),
                               .part = part,
                               .score = t->last_score,
                               .best = !any     ? (double)NAN
                                       : higher ? t->best_score
                                                : -t->best_score,
                               .best_epoch = t->best_epoch};
}

/* Seconds from the start of this epoch to the end of the phase, if no evaluation beats the best so
 * far; 0 before any epoch is known. */
static double time_to_end(const bs_trainer *t)
{
    const int done = t->epoch - 1, own = done - t->phase_start;
    int       most = phase_epochs(t) - own;
    int       left = (t->o->stop_patience - t->bad) * t->every - own % t->every;
    left = left < most ? left : most;
    return done < 1 || left < 1 ? 0 : left * elapsed(t) / done;
}

/* Whether rates are those of a plan, rather than of scores. */
static bool planned(const bs_trainer *t)
{
    return strcmp(t->o->schedule, "plateau") != 0;
}

/* A function of epoch and row alone, so that a resumed run has the same rates; but of time, if a
 * time limit will end the run before its last epoch. n: rows of the batch, in whose middle a
 * straight line is read, since a rate of 0 would waste it. */
static void set_rates(bs_trainer *t, int32_t n)
{
    bs_learner  *l = &t->learner;
    const int    epochs = t->epoch - t->phase_start - 1, all = phase_epochs(t);
    const bool   line = strcmp(t->o->schedule, "linear") == 0;
    const double done = epochs + (line ? (t->next_row + 0.5 * n) / t->feed->epoch : 0);
    const double gone = last_phase(t) ? bs_limit_share(t) : 0;
    const double share = line ? bs_linear_share(fmax(gone, done / all), t->o->lr_warmup)
                         : gone * all > done ? bs_cosine_share(gone, 1)
                                             : bs_cosine_share(done, all);
    if (l->net)
        l->net->update.rate = share * bs_learner_pace(l, l->net).rate;
    if (l->energy)
        l->energy->update.rate = share * bs_learner_pace(l, l->energy).rate;
}

/* Every phase gets some training, however short the time. */
static bool time_is_up(const bs_trainer *t)
{
    const bool begun = t->next_row > 0 || t->epoch - 1 > t->phase_start;
    return begun && bs_limit_reached(t);
}

/* The same order for all feeds: some also draw from it what they do with the rows. */
static void order_epoch(bs_trainer *t)
{
    const bs_rng start = bs_rng_make((uint64_t)t->o->seed, (uint64_t)t->epoch, SHUFFLE_STREAM);
    for (int i = 0; i < t->o->shards && t->shard; i++) {
        bs_rng rng = start;
        t->shard[i]->order(t->shard[i], &rng, t->order);
    }
    bs_rng rng = start;
    t->feed->order(t->feed, &rng, t->order);
}

/* Rows of the epoch's order as the next batch. */
static const bs_batch *take_batch(bs_trainer *t, int32_t n)
{
    const int32_t *index = t->order + t->next_row;
    bs_shards     *s = t->learner.shards;
    if (!s)
        return t->feed->rows(t->feed, index, n);
    s->all = n;
    for (int i = 0; i < s->n; i++) {
        const int32_t begin = bs_shard_begin(n, i, s->n);
        s->rows[i] = bs_shard_begin(n, i + 1, s->n) - begin;
        s->batch[i] =
            s->rows[i] > 0 ? t->shard[i]->rows(t->shard[i], index + begin, s->rows[i]) : NULL;
    }
    return s->batch[s->n - 1]; /* never empty */
}

/* Continues at next_row, so that a run can be stopped within an epoch. */
static basin_status train_epoch(bs_trainer *t, basin_error *err)
{
    const int32_t rows = t->feed->epoch;
    char          what[32];
    bs_print(what, sizeof what, "epoch %d", t->epoch);
    bs_progress bar = bs_progress_start(t->job->log, what, t->job->train->task->unit, rows);
    bar.later = time_to_end(t);
    basin_status s = BASIN_OK;
    double       start = bs_seconds();
    order_epoch(t);
    while (t->next_row < rows && !s && !stop_asked(t) && !time_is_up(t)) {
        int32_t left = rows - t->next_row, n = left < t->o->batch ? left : t->o->batch;
        n = t->feed->fits(t->feed, t->order + t->next_row, n);
        if (planned(t))
            set_rates(t, n);
        s = phase_of(t)->step(&t->learner, take_batch(t, n), err);
        t->next_row += n;
        t->rows_seen += n;
        bs_progress_set(&bar, t->next_row);
        if (t->job->watch && t->job->watch->moved) {
            bs_progress_event news = news_of(t, t->next_row / (double)rows);
            t->job->watch->moved(t->job->watch->ctx, &news);
        }
        if (!s)
            s = save_if_due(t, false, err);
        if (!s)
            s = bs_limit_probe(t, err);
    }
    if (!s)
        s = bs_learner_read(&t->learner, err);
    bs_progress_end(&bar);
    t->train_seconds += bs_seconds() - start;
    return s;
}

/* ---- evaluation ---- */

static basin_status predict(bs_trainer *t, const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    basin_status s = p->task->predict(t->scorer, &t->learner.spec, t->job->known, p, out, err);
    if (s == BASIN_ENUMERIC && err)
        bs_fail(err, s, "%s data after epoch %d: %s; lower rates (lr.net, lr.energy) may help",
                p == t->job->valid ? "validation" : "test", t->epoch, err->msg);
    return s;
}

static basin_status measure(const bs_trainer *t, const bs_dataset *p, const bs_outputs *y,
                            const bs_threshold *threshold, uint32_t want,
                            double out[BS_MOST_METRICS], basin_error *err)
{
    bs_counting how = {.profile = t->profile, .want = want};
    return bs_task_measure(p, t->job->known, y, threshold, &how, out, err);
}

/* Only the metrics shown: some cost more than the prediction. */
static basin_status evaluate(bs_trainer *t, double valid[BS_MOST_METRICS], basin_error *err)
{
    const bs_dataset *p = t->job->valid;
    uint32_t          want = UINT32_C(1) << t->stop_metric;
    bs_threshold      threshold = bs_threshold_fixed(0.5f);
    const double      start = bs_seconds();
    for (int i = 0; i < BS_SHOWN && p->task->shown[i].heading; i++)
        if (p->task->metric[p->task->shown[i].metric].decided)
            want |= UINT32_C(1) << p->task->shown[i].metric;
    t->outputs.cross_entropy = &t->valid_loss;
    basin_status s = predict(t, p, &t->outputs, err);
    t->outputs.cross_entropy = NULL;
    threshold.by = t->outputs.by;
    if (!s && p->task->tunes && strcmp(t->o->stop_at, "shipped") == 0)
        s = p->task->choose(t->o, t->job->train, p, &t->outputs, &threshold, err);
    if (!s)
        s = measure(t, p, &t->outputs, &threshold, want, valid, err);
    bs_threshold_free(&threshold);
    t->seen = t->epoch;
    t->evaluation = bs_seconds() - start;
    return s;
}

/* The plateau rule applies to the net, or to an energy trained alone. */
static void lower_rates(bs_trainer *t, double value)
{
    bs_learner *l = &t->learner;
    bs_optim   *first = phase_of(t)->net ? l->net : l->energy;
    if (planned(t))
        return;
    double before = first->update.rate;
    first->update.rate = bs_plateau_rate(&t->plateau, value, before);
    if (t->o->plateau_both && first == l->net && l->energy && before > 0)
        l->energy->update.rate *= first->update.rate / before;
}

/* Keeps the parameters if they are the best of this phase so far, and says so. */
static bool keep_if_best(bs_trainer *t, double score)
{
    double value = t->job->valid->task->metric[t->stop_metric].higher ? score : -score;
    bool   best = !has_best(t) || value > t->best_score;
    if (best) {
        t->best_epoch = t->epoch;
        t->best_score = value;
        bs_best_keep(t);
    }
    t->bad = best ? 0 : t->bad + 1;
    lower_rates(t, value);
    return best;
}

static bool tell_evaluated(bs_trainer *t, double score)
{
    const bs_observer *w = t->job->watch;
    t->last_score = score;
    if (!w)
        return false;
    bs_progress_event news = news_of(t, 1);
    return w->evaluated(w->ctx, &news);
}

static basin_status finish_epoch(bs_trainer *t, basin_error *err)
{
    double       valid[BS_MOST_METRICS];
    basin_status s = BASIN_OK;
    int          mine = t->epoch - t->phase_start;
    bool         due = mine % t->every == 0 || mine == phase_epochs(t) || bs_limit_reached(t);
    if (due) {
        s = evaluate(t, valid, err);
        if (s == BASIN_EINTERRUPTED)
            return s; /* a resumed run starts with it */
        bool best = !s && keep_if_best(t, valid[t->stop_metric]);
        if (!s)
            s = bs_record_epoch(t, valid, best, err);
        if (!s)
            t->paused = tell_evaluated(t, valid[t->stop_metric]);
    }
    bs_train_advise(t);
    memset(t->learner.diagnostic, 0, sizeof t->learner.diagnostic);
    t->next_row = 0;
    t->epoch++;
    return s;
}

static bool out_of_time(const bs_trainer *t)
{
    return has_best(t) && bs_limit_reached(t);
}

static bool phase_done(const bs_trainer *t)
{
    return t->epoch - t->phase_start > phase_epochs(t) || t->bad >= t->o->stop_patience ||
           out_of_time(t);
}

/* Moves on to the next phase with the best parameters of this one. */
static basin_status next_phase(bs_trainer *t, basin_error *err)
{
    basin_status s = bs_pretrained_keep(t, err);
    if (s)
        return s;
    if (has_best(t))
        bs_best_take(t);
    if (phase_of(t)->step == bs_step_pretrain && t->best_epoch > 0)
        t->net_epoch = t->best_epoch;
    if (t->epoch - 1 > t->phase_start)
        bs_log_say(t->job->log, BS_INFO, "  %s done: best epoch %d; now: %s", phase_of(t)->name,
                   t->best_epoch, t->method->phase[t->learner.phase + 1].name);
    t->phase_start = t->epoch - 1;
    t->bad = 0;
    t->plateau = bs_plateau_make(t->o->plateau_factor, t->o->plateau_patience, 0);
    t->entered = bs_limit_spent(t);
    s = bs_learner_enter(&t->learner, t->learner.phase + 1, err);
    return s ? s : make_scorer(t, err);
}

/* Time is up within an epoch. A resumed run continues here, with the rest of it. */
static basin_status cut_epoch(bs_trainer *t, basin_error *err)
{
    if (t->next_row >= t->feed->epoch)
        return BASIN_OK;
    basin_status s = save_if_due(t, true, err);
    t->cut_short = true;
    return s;
}

static basin_status run_epochs(bs_trainer *t, basin_error *err)
{
    basin_status s = BASIN_OK;
    while (!s && !(phase_done(t) && last_phase(t))) {
        if (phase_done(t)) {
            s = next_phase(t, err);
            continue;
        }
        s = train_epoch(t, err);
        if (s || stop_asked(t))
            break;
        s = cut_epoch(t, err);
        if (!s)
            s = finish_epoch(t, err);
        if (s == BASIN_EINTERRUPTED)
            break;
        t->paused =
            t->paused && !(phase_done(t) && last_phase(t)); /* at its end there is no rest */
        if (s || t->paused)
            break;
        s = save_if_due(t, false, err);
    }
    if ((!s || s == BASIN_EINTERRUPTED) && stop_asked(t)) {
        s = save_if_due(t, true, err);
        if (!s)
            s = bs_fail(err, BASIN_EINTERRUPTED, "interrupted in epoch %d", t->epoch);
    }
    return s;
}

/* ---- the end ---- */

static basin_status predict_test(bs_trainer *t, bs_outputs *out, basin_error *err)
{
    const bs_dataset *test = t->job->test;
    basin_status      s = test ? test->task->outputs(test, t->job->known, out, err) : BASIN_OK;
    return s || !test ? s : predict(t, test, out, err);
}

static bs_ended why_ended(const bs_trainer *t)
{
    if (!t->cut_short && t->epoch - t->phase_start > phase_epochs(t))
        return BS_ENDED_EPOCHS;
    return !t->cut_short && t->bad >= t->o->stop_patience ? BS_ENDED_PATIENCE : BS_ENDED_TIME;
}

/* The threshold for a model with these outputs for the validation rows. */
static basin_status choose_threshold(const bs_trainer *t, const bs_outputs *y,
                                     bs_threshold *threshold, basin_error *err)
{
    const bs_dataset *valid = t->job->valid;
    *threshold = bs_threshold_fixed(0.5f);
    return valid->task->tunes ? valid->task->choose(t->o, t->job->train, valid, y, threshold, err)
                              : BASIN_OK;
}

static void say_verdict(const bs_trainer *t, const bs_train_outcome *out)
{
    bs_log_say(t->job->log, BS_INFO,
               "  it is %.0f %% sure on validation %s that epoch %d, with the energy, is better "
               "than epoch %d, before it%s",
               100 * out->sure, t->job->valid->task->unit, t->best_epoch, t->net_epoch,
               out->net_kept ? ": not enough (energy.proof), the net before it is the model" : "");
}

/* With model.dtype=f16, numbers of a pretrained encoder become those that the model will have. */
static basin_status as_kept(bs_trainer *t, bool *changed, basin_error *err)
{
    *changed = false;
    return strcmp(t->o->model_dtype, "f16") == 0
               ? bs_pretrained_round(t->learner.params, changed, err)
               : BASIN_OK;
}

/* The pre-trained net becomes the model, unless validation shows that the best of the later epochs,
 * whose outputs are given, is better. */
static basin_status weigh_net(bs_trainer *t, bs_train_outcome *out, basin_error *err)
{
    const bs_dataset *valid = t->job->valid;
    bs_outputs        y = {0};
    bool              changed;
    bs_threshold      threshold = bs_threshold_fixed(0.5f), used = threshold;
    basin_status      s = choose_threshold(t, &t->outputs, &used, err);
    bs_learner_return(&t->learner);
    if (!s)
        s = as_kept(t, &changed, err);
    if (!s)
        s = make_scorer_by(t, "net", false, err);
    if (!s)
        s = valid->task->outputs(valid, t->job->known, &y, err);
    if (!s)
        s = predict(t, valid, &y, err);
    if (!s)
        s = choose_threshold(t, &y, &threshold, err);
    if (!s)
        s = bs_energy_confidence(t, (bs_rival){&y, &threshold}, (bs_rival){&t->outputs, &used},
                                 &out->sure, err);
    if (!s && out->sure < t->o->energy_proof) {
        const bs_outputs other = t->outputs;
        t->outputs = y;
        y = other;
        out->net_kept = true;
        out->infer = "net";
        out->best_epoch = t->net_epoch;
    } else if (!s) {
        bs_best_take(t);
        s = as_kept(t, &changed, err);
        if (!s)
            s = make_scorer(t, err);
    }
    if (!s)
        say_verdict(t, out);
    bs_threshold_free(&threshold);
    bs_threshold_free(&used);
    bs_outputs_free(&y);
    return s;
}

/* Restores the best parameters. Their outputs for validation rows are at hand, or made again. */
static basin_status take_best(bs_trainer *t, basin_error *err)
{
    bool changed;
    bs_best_take(t);
    basin_status s = as_kept(t, &changed, err);
    return !s && (changed || t->seen != t->best_epoch) ? predict(t, t->job->valid, &t->outputs, err)
                                                       : s;
}

/* Threshold, full metrics, the model file. */
static basin_status conclude(bs_trainer *t, bs_train_outcome *out, basin_error *err)
{
    const bs_train_job *job = t->job;
    bs_params          *p = t->learner.params;
    bs_outputs          test = {0};
    basin_status        s = take_best(t, err);
    out->epochs = t->epoch - 1;
    out->best_epoch = t->best_epoch;
    out->ended = why_ended(t);
    out->sure = NAN;
    out->params_net = bs_params_count(p, "net/");
    out->params_energy = bs_params_count(p, "energy/");
    if (!s && t->o->energy_proof > 0 && t->net_epoch > 0 && t->best_epoch > t->net_epoch)
        s = weigh_net(t, out, err);
    if (!s)
        s = predict_test(t, &test, err);
    if (!s)
        s = bs_train_finish(job, &t->outputs, job->test ? &test : NULL, out, err);
    bs_outputs_free(&test);
    out->seconds = elapsed(t);
    out->rows_per_s = t->train_seconds > 0 ? (double)t->rows_seen / t->train_seconds : 0;
    if (!s && !out->unfinished)
        s = bs_record_manifest(job, p->size, err);
    if (!s)
        s = bs_train_finish_write(job, out, &p, 1, err);
    if (!s && job->keep) {
        *job->keep = p;
        t->learner.params = NULL;
    }
    return s;
}

/* As in the phase that the best parameters are from, which may be an earlier one. */
static basin_status predict_as_best(bs_trainer *t, bs_train_outcome *out, basin_error *err)
{
    int phase = t->learner.phase;
    if (t->best_epoch <= t->phase_start)
        while (--phase > 0 && bs_phase_epochs(t, phase) == 0)
            ;
    out->infer = t->method->phase[phase].infer;
    return t->seen == t->best_epoch
               ? BASIN_OK
               : make_scorer_by(t, out->infer ? out->infer : t->o->infer, is_last(t, phase), err);
}

/* The best model so far of a training that was asked to stop, in place of what it would come to.
 * The checkpoint is already written. */
static void leave_best(bs_trainer *t, bs_train_outcome *out)
{
    const bs_train_job *job = t->job;
    bs_train_job        rest = *job;
    bs_logger           quiet = bs_log_make(NULL, BS_QUIET); /* is not asked to stop */
    basin_error         err = {0};
    rest.log = &quiet;
    rest.stop = NULL;
    rest.test = NULL;
    t->job = &rest;
    out->unfinished = true;
    basin_status s = predict_as_best(t, out, &err);
    if (!s)
        s = conclude(t, out, &err);
    if (s)
        bs_log_say(job->log, BS_WARN, "the best model so far was not written: %s", err.msg);
}

basin_status bs_train(const bs_train_job *job, bs_train_outcome *out, basin_error *err)
{
    bs_trainer t = {0};
    bool       found = false;
    memset(out, 0, sizeof *out);
    basin_status s = trainer_init(&t, job, err);
    if (!s)
        s = bs_pretrained_identify(&t, err);
    if (!s && job->folder && job->resume)
        s = bs_checkpoint_read(&t, &found, err);
    if (!s && phase_epochs(&t) > 0) /* else the next phase makes one, and there may be no net */
        s = make_scorer(&t, err);
    if (!s)
        s = bs_record_start(job, t.learner.params->size, !found, err);
    if (!s && found)
        s = bs_record_rewind(&t, err);
    if (!s && !found)
        s = bs_pretrained_take(&t, err);
    if (!s) {
        bs_record_header(&t);
        s = run_epochs(&t, err);
    }
    if (!s && job->so_far && job->folder && (found || !bs_checkpoint_there(job->folder)))
        s = save_if_due(&t, true, err); /* so that it can be given more epochs */
    if (!s)
        s = conclude(&t, out, err);
    if (s == BASIN_EINTERRUPTED && job->so_far && t.best_epoch > 0)
        leave_best(&t, out);
    trainer_free(&t);
    return s;
}
