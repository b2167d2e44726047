/* next.c -- what to try next: the settings themselves, quasi-random points around them, then where
 * a model of the scores expects the most improvement (Jones et al. 1998). Every fourth point is
 * still quasi-random, over the whole space, in case the model is confidently wrong.
 *
 * The model is of final scores. A trial paused at a rung has none; it counts with its expected
 * score, and half of what that is above the score at the rung as its uncertainty. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "tune/search.h"

enum { STREAM_NEAR = 0x6e656172, STREAM_REFINE = 0x7265666e };
enum { FIRST = 3, EVEN = 4, WIDE = 1024, NEAR = 64, LEADERS = 6, REFINE = 256, MOST_POINTS = 256 };

const char *const bs_trial_sources[] = {"default", "sequence", "model"};

/* ---- scores ---- */

/* The expected final score and its variance; NaN if there is none yet. */
static double expected(const bs_trial *t, double *variance)
{
    *variance = 0;
    if (t->state == BS_TRIAL_FINISHED)
        return t->score;
    if (t->state == BS_TRIAL_FAILED || t->passed == 0)
        return NAN;
    const int    rung = t->passed - 1;
    const double y = bs_tune_expected(t, rung), gain = (y - t->rung[rung]) / 2;
    *variance = gain * gain;
    return y > t->score ? y : t->score;
}

/* Scores far below the others are clipped: how bad a bad one is must not flatten the good ones. */
static basin_status cut_low(double *y, int n, basin_error *err)
{
    double *sorted = bs_alloc((size_t)n * sizeof *sorted);
    if (!sorted)
        return bs_fail_nomem(err);
    memcpy(sorted, y, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, bs_by_double);
    const double middle = sorted[n / 2], best = sorted[n - 1];
    const double least = middle - 2 * (best - middle);
    for (int i = 0; i < n; i++)
        if (y[i] < least)
            y[i] = least;
    bs_free(sorted);
    return BASIN_OK;
}

/* ---- the model ---- */

typedef struct {
    double *u, *y, *extra;
    int     n;
} points;

static void add_point(points *p, const bs_search *s, int trial, double y, double extra)
{
    const size_t D = (size_t)s->space->n;
    memcpy(p->u + (size_t)p->n * D, s->trial[trial].u, D * sizeof *p->u);
    p->y[p->n] = y;
    p->extra[p->n++] = extra;
}

/* If there are very many trials: not among the last, and not finished. */
static bool is_old(const bs_search *s, int trial)
{
    return s->n - trial > MOST_POINTS && s->trial[trial].state != BS_TRIAL_FINISHED;
}

static void collect(const bs_search *s, points *p)
{
    double worst = INFINITY, variance;
    for (int i = 0; i < s->n; i++) {
        const double y = expected(&s->trial[i], &variance);
        worst = y < worst ? y : worst;
        if (!isnan(y) && !is_old(s, i) && p->n < 2 * MOST_POINTS)
            add_point(p, s, i, y, variance);
    }
    for (int i = 0; i < s->n && isfinite(worst); i++)
        if (s->trial[i].state == BS_TRIAL_FAILED && !is_old(s, i) && p->n < 2 * MOST_POINTS)
            add_point(p, s, i, worst, 0);
}

/* Running points count with the model's prediction without them, so it looks elsewhere. */
static void add_pending(const bs_search *s, const bs_gp *g, points *p, double *work)
{
    for (int i = 0; i < s->n && p->n < 2 * MOST_POINTS; i++)
        if (s->trial[i].state == BS_TRIAL_RUNNING && s->trial[i].passed == 0)
            add_point(p, s, i, bs_gp_mean(g, s->trial[i].u, NULL, work), 0);
}

basin_status bs_tune_model(const bs_search *s, bs_gp *out, basin_error *err)
{
    const size_t room = 2 * MOST_POINTS + 1;
    points       p = {.u = bs_calloc(room * (size_t)s->space->n, sizeof *p.u),
                      .y = bs_calloc(room, sizeof *p.y),
                      .extra = bs_calloc(room, sizeof *p.extra)};
    double      *work = bs_calloc(room, sizeof *work);
    basin_status status = p.u && p.y && p.extra && work ? BASIN_OK : bs_fail_nomem(err);
    *out = (bs_gp){0};
    if (!status)
        collect(s, &p);
    if (!status && p.n > 0)
        status = cut_low(p.y, p.n, err);
    if (!status)
        status = bs_gp_fit(s->space, p.u, p.y, p.extra, p.n, out, err);
    const int known = p.n;
    if (!status && known > 0)
        add_pending(s, out, &p, work);
    if (!status && p.n > known) {
        bs_gp_free(out);
        status = bs_gp_fit(s->space, p.u, p.y, p.extra, p.n, out, err);
    }
    bs_free(p.u);
    bs_free(p.y);
    bs_free(p.extra);
    bs_free(work);
    return status;
}

/* ---- improvement ---- */

/* E max(0, f - best) for f normal. */
static double improvement(double mean, double sd, double best)
{
    if (sd <= 0)
        return mean > best ? mean - best : 0;
    const double z = (mean - best) / sd;
    return (mean - best) * 0.5 * erfc(-z / sqrt(2)) + sd * exp(-z * z / 2) / sqrt(2 * M_PI);
}

typedef struct {
    const bs_search *s;
    const bs_gp     *g;
    double           best;  /* highest model mean among the points tried */
    double          *work;  /* [g->n] */
    double           found; /* expected improvement at u */
    double          *u;
} chase;

static bool was_tried(const bs_search *s, const double *u)
{
    for (int i = 0; i < s->n; i++) {
        double far = 0;
        for (int k = 0; k < s->space->n; k++)
            far = fmax(far, fabs(u[k] - s->trial[i].u[k]));
        if (far < 1e-6)
            return true;
    }
    return false;
}

static void look_at(chase *c, double *u)
{
    double sd;
    bs_space_snap(c->s->space, u);
    const double mean = bs_gp_mean(c->g, u, &sd, c->work);
    const double value = improvement(mean, sd, c->best);
    if (value > c->found && !was_tried(c->s, u)) {
        c->found = value;
        memcpy(c->u, u, (size_t)c->s->space->n * sizeof *u);
    }
}

static double reflect(double x)
{
    x = fabs(x);
    x -= 2 * floor(x / 2);
    return x > 1 ? 2 - x : x;
}

/* Moves some coordinates of a point by about `far`. */
static void look_near(chase *c, const double *from, bs_rng *rng, double far)
{
    const int D = c->s->space->n;
    double    u[BS_TUNE_MOST];
    const int sure = (int)bs_rng_below(rng, (uint32_t)D); /* at least one moves */
    for (int k = 0; k < D; k++) {
        const bool   moves = k == sure || bs_rng_uniform(rng) < 0.6;
        const double d = far * bs_rng_normal(rng);
        u[k] = moves ? reflect(from[k] + d) : from[k];
        if (moves && c->s->space->at[k].n_words > 0)
            u[k] = bs_rng_uniform(rng);
    }
    look_at(c, u);
}

/* The points with the highest expected scores, to look nearby. */
static int find_leaders(chase *c, int leader[LEADERS])
{
    double value[LEADERS];
    int    n = 0;
    c->best = -INFINITY;
    for (int i = 0; i < c->s->n; i++) {
        const bs_trial *t = &c->s->trial[i];
        if (t->state == BS_TRIAL_FAILED || isnan(t->score))
            continue;
        const double mean = bs_gp_mean(c->g, t->u, NULL, c->work);
        c->best = fmax(c->best, mean);
        int at = n < LEADERS ? n++ : mean > value[n - 1] ? n - 1 : -1;
        for (; at > 0 && value[at - 1] < mean; at--) {
            value[at] = value[at - 1];
            leader[at] = leader[at - 1];
        }
        if (at >= 0) {
            value[at] = mean;
            leader[at] = i;
        }
    }
    return n;
}

static basin_status ask_model(const bs_search *s, double u[BS_TUNE_MOST], bool *found,
                              basin_error *err)
{
    bs_gp        g;
    int          leader[LEADERS];
    double       point[BS_TUNE_MOST];
    basin_status status = bs_tune_model(s, &g, err);
    if (status)
        return status;
    chase  c = {.s = s, .g = &g, .found = 0, .u = u};
    bs_rng near = bs_rng_make(s->seed, (uint64_t)s->n, STREAM_NEAR);
    bs_rng refine = bs_rng_make(s->seed, (uint64_t)s->n, STREAM_REFINE);
    c.work = bs_calloc((size_t)g.n + 1, sizeof *c.work);
    if (!c.work) {
        bs_gp_free(&g);
        return bs_fail_nomem(err);
    }
    const int leaders = find_leaders(&c, leader);
    for (int i = 0; i < WIDE; i++) {
        bs_tune_point(s->seed + (uint64_t)s->n, i, s->space->n, point);
        look_at(&c, point);
    }
    for (int i = 0; i < leaders * NEAR; i++)
        look_near(&c, s->trial[leader[i / NEAR]].u, &near, i % 2 ? 0.15 : 0.04);
    for (int i = 0; i < REFINE && c.found > 0; i++) {
        memcpy(point, u, (size_t)s->space->n * sizeof *point);
        look_near(&c, point, &refine, 0.1 * (1 - i / (double)REFINE) + 0.01);
    }
    *found = c.found > 0;
    bs_free(c.work);
    bs_gp_free(&g);
    return BASIN_OK;
}

/* ---- the next one ---- */

static int scored(const bs_search *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        n += s->trial[i].state == BS_TRIAL_FINISHED ||
             (s->trial[i].state != BS_TRIAL_FAILED && s->trial[i].passed > 0);
    return n;
}

/* Into the half of each range around the start: defaults are seldom far off. */
static void pull_to_start(const bs_space *s, double *u)
{
    for (int k = 0; k < s->n; k++) {
        if (s->at[k].n_words > 0)
            continue;
        const double lo = fmin(fmax(s->at[k].start - 0.25, 0), 0.5);
        u[k] = lo + u[k] / 2;
    }
}

basin_status bs_tune_next(const bs_search *s, double u[BS_TUNE_MOST], bs_trial_source *from,
                          basin_error *err)
{
    const int    D = s->space->n;
    bool         found = false;
    basin_status status = BASIN_OK;
    *from = s->n == 0 ? BS_FROM_DEFAULT : BS_FROM_SEQUENCE;
    if (s->n == 0) {
        for (int k = 0; k < D; k++)
            u[k] = s->space->at[k].start;
        return BASIN_OK;
    }
    if (s->n >= D + FIRST && s->n % EVEN != 0 && scored(s) >= FIRST)
        status = ask_model(s, u, &found, err);
    if (found) {
        *from = BS_FROM_MODEL;
    } else if (!status) {
        bs_tune_point(s->seed, s->n - 1, D, u);
        if (s->n < D + FIRST)
            pull_to_start(s->space, u);
    }
    if (!status)
        bs_space_snap(s->space, u);
    return status;
}
