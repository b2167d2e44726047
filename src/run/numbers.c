/* numbers.c -- the numbers of a run that outlive its process: position, rates, sums.
 *
 * One list names each of them and its range, given the data, the method, the settings and the
 * numbers before it in the list. Files are foreign: they are read into a copy of the trainer, and a
 * number is only converted and used once it is known to be in range. If any is not, nothing has
 * changed. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/trainer.h"

/* Exact in a double; no count comes near it. */
static const double most_count = 9007199254740992.0;
static const double most_seconds = 1e12;
/* Tolerance for a mean of shares. */
static const double rounding = 1e-6;

typedef enum { WHOLE, REAL, REAL_OR_NAN } sort;

typedef struct {
    double     *at; /* [n] */
    int         n;
    bool        store;
    const char *bad; /* reading: the first number out of range; NULL: none */
    sort        what;
    double      value, least, most; /* ... and details */
} list;

static bool fits(sort what, double x, double least, double most)
{
    if (isnan(x))
        return what == REAL_OR_NAN;
    return x >= least && x <= most && (what != WHOLE || x == floor(x));
}

/* The number from now on. */
static double number(list *v, const char *name, sort what, double x, double least, double most)
{
    const int i = v->n++;
    if (v->store)
        return v->at[i] = x;
    if (v->bad)
        return x;
    if (fits(what, v->at[i], least, most))
        return v->at[i];
    v->bad = name;
    v->what = what;
    v->value = v->at[i];
    v->least = least;
    v->most = most;
    return x;
}

#define COUNT(type, name, field, least, most) \
    (field) = (type)number(v, name, WHOLE, (double)(field), (double)(least), (double)(most))
#define VALUE(name, field, least, most) (field) = number(v, name, REAL, field, least, most)
#define SCORE(name, field, what, limits) \
    (field) = number(v, name, what, field, (limits)[0], (limits)[1])

/* Limits of a score as early stopping compares it: higher is better. */
static void score_limits(const bs_trainer *t, bool any, double limits[2])
{
    const bs_metric *m = &t->job->valid->task->metric[t->stop_metric];
    limits[0] = !any ? 0 : m->higher ? m->least - rounding : -m->greatest - rounding;
    limits[1] = !any ? 0 : m->higher ? m->greatest + rounding : -m->least + rounding;
}

static int least_int(int a, int b)
{
    return a < b ? a : b;
}

/* A phase starts with an evaluation, which is its best so far; every row is seen once per epoch.
 * `ended`: the phase is over. */
static void visit_progress(list *v, bs_trainer *t, bool ended)
{
    const int first = t->phase_start, most = bs_phase_epochs(t, t->learner.phase);
    COUNT(int, "epoch", t->epoch, first + 1 + ended, first + most + 1);
    const int  done = t->epoch - 1 - first, patience = t->o->stop_patience;
    const bool evaluated = done > 0 && done >= least_int(t->every, most);
    const bool refines = t->method->phase[t->learner.phase].refines; /* the best may be older */
    COUNT(int, "best_epoch", t->best_epoch,
          !evaluated && !ended ? 0
          : refines            ? 1
                               : first + 1,
          t->epoch - 1);
    const int since = t->best_epoch > first ? t->epoch - 1 - t->best_epoch : refines ? done : 0;
    COUNT(int, "bad", t->bad, ended &&done < most ? patience : 0, least_int(patience, since));
    double limits[2];
    score_limits(t, t->best_epoch > 0, limits);
    SCORE("best_score", t->best_score, REAL_OR_NAN, limits);
    VALUE("seconds", t->seconds, 0, most_seconds);
    VALUE("train_seconds", t->train_seconds, 0, most_seconds);
    const double rows = (t->epoch - 1.0) * t->feed->epoch + t->next_row;
    COUNT(int64_t, "rows_seen", t->rows_seen, rows, rows);
    COUNT(uint64_t, "step", t->learner.step, 0, most_count);
}

static void visit_learner(list *v, bs_learner *l)
{
    static const double ranges[][2] = {
#define ANY                                 (double)INFINITY
#define DIAGNOSTIC(name, least, most, help) {least, most},
#include "method/diagnostics.def"
#undef DIAGNOSTIC
#undef ANY
    };
    for (int i = 0; i < BS_DIAGNOSTIC_COUNT; i++) {
        COUNT(int64_t, "seen", l->diagnostic[i].n, 0, l->step);
        const double n = (double)l->diagnostic[i].n;
        const double limits[2] = {n > 0 ? n * (ranges[i][0] - rounding) : 0,
                                  n > 0 ? n * (ranges[i][1] + rounding) : 0};
        SCORE("sum", l->diagnostic[i].sum, n > 0 ? REAL_OR_NAN : REAL, limits);
    }
    for (int i = 0; i < BS_MEMORY; i++)
        VALUE("memory", l->memory[i], 0, l->method->setup ? (double)FLT_MAX : 0);
}

/* Rates never rise. */
static void visit_optim(list *v, const bs_learner *l, bs_optim *o, const char *rate)
{
    const bs_pace pace = bs_learner_pace(l, o);
    COUNT(int64_t, "optimiser step", o->update.step, 0, l->step);
    VALUE(rate, o->update.rate, 0, pace.rate);
    VALUE("clip", o->clip, pace.clip, pace.clip);
}

static int phases(const bs_method *m)
{
    int n = 0;
    while (n < BS_PHASES && m->phase[n].name)
        n++;
    return n;
}

static void visit(list *v, bs_trainer *t, bs_numbers_of of)
{
    bs_learner *l = &t->learner;
    int         before = 0;
    double      limits[2];
    if (of == BS_NUMBERS_PRETRAINING) {
        visit_progress(v, t, true);
        return;
    }
    COUNT(int, "phase", l->phase, 0, phases(t->method) - 1);
    for (int i = 0; i < l->phase; i++)
        before += bs_phase_epochs(t, i);
    COUNT(int, "phase_start", t->phase_start, 0, before);
    COUNT(int, "net_epoch", t->net_epoch, 0, t->phase_start);
    COUNT(int32_t, "next_row", t->next_row, 0, t->feed->epoch);
    visit_progress(v, t, false);
    visit_learner(v, l);
    COUNT(bool, "plateau", t->plateau.started, 0, t->epoch > t->phase_start + 1);
    COUNT(int, "plateau bad", t->plateau.bad, 0,
          least_int(t->plateau.patience, t->epoch - 1 - t->phase_start));
    score_limits(t, t->plateau.started, limits);
    SCORE("plateau best", t->plateau.best, REAL, limits);
    if (l->net)
        visit_optim(v, l, l->net, "lr.net");
    if (l->energy)
        visit_optim(v, l, l->energy, "lr.energy");
}

int bs_numbers_store(const bs_trainer *t, bs_numbers_of of, double row[BS_MOST_NUMBERS])
{
    bs_trainer same = *t;
    list       v = {.at = row, .store = true};
    visit(&v, &same, of);
    return v.n;
}

static basin_status refuse(const list *v, const char *path, basin_error *err)
{
    char value[BS_NUMBER_TEXT], least[BS_NUMBER_TEXT], most[BS_NUMBER_TEXT];
    bs_format_double(v->value, value);
    bs_format_double(v->least, least);
    bs_format_double(v->most, most);
    if (v->least < v->most)
        return bs_fail(err, BASIN_EDATA, "%s: %s is %s, not a %snumber from %s to %s", path, v->bad,
                       value, v->what == WHOLE ? "whole " : "", least, most);
    if (v->least > v->most)
        return bs_fail(err, BASIN_EDATA, "%s: %s is %s, which the numbers before it rule out", path,
                       v->bad, value);
    return bs_fail(err, BASIN_EDATA, "%s: %s is %s, not %s", path, v->bad, value, least);
}

basin_status bs_numbers_read(bs_trainer *t, bs_numbers_of of, const bs_safetensors *f,
                             const char *path, basin_error *err)
{
    double           row[BS_MOST_NUMBERS];
    const int        n = bs_numbers_store(t, of, row);
    bs_trainer       next = *t;
    bs_optim         net, energy;
    const bs_tensor *x = bs_safetensors_find(f, "numbers");
    if (!x || x->dtype != BS_DTYPE_F64 || x->bytes != (size_t)n * sizeof *row)
        return bs_fail(err, BASIN_EDATA, "%s: does not hold the %d numbers of a run", path, n);
    memcpy(row, x->data, x->bytes);
    if (next.learner.net)
        next.learner.net = memcpy(&net, t->learner.net, sizeof net);
    if (next.learner.energy)
        next.learner.energy = memcpy(&energy, t->learner.energy, sizeof energy);
    list v = {.at = row};
    visit(&v, &next, of);
    if (v.bad)
        return refuse(&v, path, err);
    next.learner.net = t->learner.net;
    next.learner.energy = t->learner.energy;
    if (next.learner.net)
        *next.learner.net = net;
    if (next.learner.energy)
        *next.learner.energy = energy;
    *t = next;
    return BASIN_OK;
}

basin_status bs_block_find(const bs_safetensors *f, const char *path, const char *name,
                           int64_t count, double least, const real **out, basin_error *err)
{
    const bs_tensor *x = bs_safetensors_find(f, name);
    const double     most = least < 0 ? DBL_MAX : (double)INFINITY;
    if (!x || x->dtype != BS_DTYPE_REAL || x->bytes != (size_t)count * sizeof(real))
        return bs_fail(err, BASIN_EDATA, "%s: '%s' is missing or has another size", path, name);
    *out = x->data;
    for (int64_t i = 0; i < count; i++)
        if (!fits(REAL, (double)(*out)[i], least, most))
            return bs_fail(err, BASIN_EDATA, "%s: element %lld of '%s' is %s", path, (long long)i,
                           name, least < 0 ? "not finite" : "negative or not a number");
    return BASIN_OK;
}
