/* gbi.c -- the steps of a search as graph nodes: momentum, Adam, line search, stopping, and the
 * best of several starts. */
#include "model/gbi.h"

#include <math.h>

enum { MOMENT_DECAY_1 = 900, MOMENT_DECAY_2 = 999 }; /* thousandths: Adam's usual values */

/* The state of all rows between two steps. */
typedef struct {
    bs_id z, y;             /* the iterate, and the relaxed output it gives */
    bs_id m, v;             /* moments */
    bs_id best, best_value; /* so far */
    bs_id moving;           /* 1 while a row still moves, [rows, K, 1] */
    bs_id taken;            /* steps so far, the same shape */
} state;

bs_id bs_energy_objective(bs_output_space *v, void *ctx, bs_id y)
{
    (void)ctx;
    return v->spec->graph->energy(v, y);
}

bs_id bs_gbi_begin(bs_output_space *v, const bs_gbi *o, uint32_t stream)
{
    const bs_task_space *t = v->spec->graph;
    switch (o->start) {
    case BS_GBI_ZEROS: return t->start(v, 0, 1);
    case BS_GBI_UNIFORM: return t->start(v, 0.5, 1);
    case BS_GBI_RANDOM: return t->random(v, o->starts, stream);
    case BS_GBI_NET: break;
    }
    return t->relax(v, t->logits(v, "net"));
}

static bool in_logits(const bs_gbi *o)
{
    return o->logits || o->rule == BS_GBI_MIRROR;
}

static bs_id output_of(bs_output_space *v, const bs_gbi *o, bs_id z)
{
    return in_logits(o) ? v->spec->graph->relax(v, z) : z;
}

static bs_id objective(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, bs_id y)
{
    bs_id value = f(v, ctx, y);
    if (o->entropy > 0)
        value = bs_sub(v->g, value, bs_scale(v->g, v->spec->graph->entropy(v, y), o->entropy));
    return value;
}

/* The number of the step, from 1; or, in a loop, its number in the block, whose factors are then
 * inputs. */
typedef struct {
    int   t;
    bs_id rates;
} when;

/* The two factors of a step that depend on its number. */
static double factor(const bs_gbi *o, int t, int which)
{
    const double b1 = MOMENT_DECAY_1 / 1000.0, b2 = MOMENT_DECAY_2 / 1000.0;
    if (o->rule == BS_GBI_MIRROR)
        return o->rate / sqrt(t);
    return which == 0 ? o->rate / (1 - pow(b1, t)) : 1 / sqrt(1 - pow(b2, t));
}

static bool has_factors(const bs_gbi *o)
{
    return o->rule == BS_GBI_MIRROR || o->rule == BS_GBI_ADAM;
}

static bs_id timed(bs_output_space *v, const bs_gbi *o, bs_id a, when now, int which)
{
    if (!now.rates)
        return bs_scale(v->g, a, factor(o, now.t, which));
    return bs_mul(v->g, a, bs_slice(v->g, now.rates, -2, 2 * (now.t - 1) + which, 1));
}

void bs_gbi_rates(const bs_gbi *o, int t, int n, real *out)
{
    for (int i = 0; i < 2 * n && has_factors(o); i++)
        out[i] = (real)factor(o, t + 1 + i / 2, i % 2);
}

/* What is subtracted from the iterate. */
static bs_id step_of(bs_output_space *v, const bs_gbi *o, state *s, bs_id d, when now)
{
    bs_graph    *g = v->g;
    const double b1 = MOMENT_DECAY_1 / 1000.0, b2 = MOMENT_DECAY_2 / 1000.0;
    switch (o->rule) {
    case BS_GBI_PLAIN: return bs_scale(g, d, o->rate);
    case BS_GBI_MIRROR: return timed(v, o, d, now, 0);
    case BS_GBI_MOMENTUM:
        s->m = s->m ? bs_add(g, bs_scale(g, s->m, o->momentum), d) : d;
        return bs_scale(g, s->m, o->rate);
    case BS_GBI_NORMALISED: {
        bs_id norm = bs_sqrt_safe(g, bs_output_total(v, bs_square(g, d)), 1e-24);
        return bs_scale(g, bs_div(g, d, norm), o->rate);
    }
    case BS_GBI_ADAM: break;
    }
    bs_id first = bs_scale(g, d, 1 - b1), second = bs_scale(g, bs_square(g, d), 1 - b2);
    s->m = s->m ? bs_add(g, bs_scale(g, s->m, b1), first) : first;
    s->v = s->v ? bs_add(g, bs_scale(g, s->v, b2), second) : second;
    /* sqrt_safe keeps the derivative finite where the gradient is zero */
    bs_id root = timed(v, o, bs_sqrt_safe(g, s->v, 1e-30), now, 1);
    return bs_div(g, timed(v, o, s->m, now, 0), bs_offset(g, root, 1e-8));
}

static bs_id moved(bs_output_space *v, const bs_gbi *o, bs_id z, bs_id step)
{
    bs_id next = bs_sub(v->g, z, step);
    return in_logits(o) ? next : v->spec->graph->project(v, next);
}

/* Backtracking: the first of step, step / 2, ... that lowers the objective; none: stays. */
static bs_id line_search(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx,
                         const state *s, bs_id value, bs_id step)
{
    bs_graph *g = v->g;
    bs_id     chosen = s->z, open = bs_fill(g, 1, bs_shape_of(g, value));
    for (int i = 0; i <= o->halvings; i++) {
        bs_id next = moved(v, o, s->z, bs_scale(g, step, ldexp(1, -i)));
        bs_id lower = bs_less(g, objective(v, o, f, ctx, output_of(v, o, next)), value);
        bs_id take = bs_mul(g, lower, open);
        chosen = bs_where(g, take, next, chosen);
        open = bs_sub(g, open, take);
    }
    return chosen;
}

static void keep_best(bs_output_space *v, state *s, bs_id value)
{
    bs_graph *g = v->g;
    if (!s->best) {
        s->best = s->y;
        s->best_value = value;
        return;
    }
    /* in this order, so that NaN is neither better nor forgotten at the start */
    bs_id better = bs_less(g, value, s->best_value);
    s->best = bs_where(g, better, s->y, s->best);
    s->best_value = bs_minimum(g, s->best_value, value);
}

static void take_step(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, state *s,
                      when now, bs_id *value)
{
    bs_graph *g = v->g;
    bs_id     d, wrt = o->rule == BS_GBI_MIRROR ? s->y : s->z;
    *value = objective(v, o, f, ctx, s->y);
    if (o->best)
        keep_best(v, s, *value);
    bs_grad(g, *value, &wrt, 1, &d, false);
    bs_id step = step_of(v, o, s, d, now);
    bs_id next =
        o->halvings > 0 ? line_search(v, o, f, ctx, s, *value, step) : moved(v, o, s->z, step);
    if (o->tolerance > 0) {
        /* the length of the step bounds every component */
        bs_id way = bs_sub(g, next, s->z);
        next = bs_where(g, s->moving, next, s->z);
        s->taken = bs_add(g, s->taken, s->moving);
        bs_id length = bs_output_total(v, bs_square(g, way));
        s->moving =
            bs_mul(g, s->moving, bs_less(g, bs_const(g, o->tolerance * o->tolerance), length));
    }
    s->z = next;
    s->y = output_of(v, o, next);
}

/* The best of the K starts of each row. */
static void pick_start(bs_output_space *v, bs_found *found)
{
    bs_graph *g = v->g;
    const int K = bs_shape_of(g, found->y).d[2];
    bs_id     y = bs_slice(g, found->y, -2, 0, 1), value = bs_slice(g, found->value, -2, 0, 1);
    for (int k = 1; k < K; k++) {
        bs_id other = bs_slice(g, found->value, -2, k, 1), better = bs_less(g, other, value);
        y = bs_where(g, better, bs_slice(g, found->y, -2, k, 1), y);
        value = bs_minimum(g, value, other);
    }
    found->y = y;
    found->value = value;
}

static state begin(bs_output_space *v, const bs_gbi *o, bs_id start)
{
    bs_graph *g = v->g;
    bs_shape  s = bs_shape_of(g, start), rows = bs_shape3(s.d[1], s.d[2], 1);
    bs_id     z = in_logits(o) ? v->spec->graph->unrelax(v, start) : start;
    return (state){.z = z,
                   .y = output_of(v, o, z),
                   .moving = bs_fill(g, 1, rows),
                   .taken = bs_fill(g, 0, rows)};
}

/* What a search ending here has found, including a last look. The state is a copy: continuing makes
 * the same nodes again. */
static bs_found finish(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, state at,
                       int steps)
{
    bs_graph *g = v->g;
    bs_found  found = {0};
    bs_id     value = 0;
    bool      last = o->best && (!o->skip_last || !at.best), look = last || o->starts > 1;
    if (look)
        value = objective(v, o, f, ctx, at.y);
    if (last)
        keep_best(v, &at, value);
    found.y = o->best ? at.best : at.y;
    found.value = o->best ? at.best_value : value;
    found.steps = o->tolerance > 0 ? bs_mean(g, at.taken) : bs_const(g, steps);
    if (bs_shape_of(g, found.y).d[2] > 1)
        pick_start(v, &found);
    return found;
}

void bs_gbi_trace(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, bs_id start,
                  const int *at, int n, bs_found *out)
{
    state s = begin(v, o, start);
    bs_id value = 0, first = 0;
    bs_push(v->g, "search");
    for (int t = 0, i = 0; i < n; t++) {
        for (; i < n && at[i] <= t; i++) {
            out[i] = finish(v, o, f, ctx, s, t);
            out[i].first = first;
        }
        if (i == n)
            break;
        take_step(v, o, f, ctx, &s, (when){.t = t + 1}, &value);
        first = first ? first : value;
    }
    bs_pop(v->g);
}

bs_found bs_gbi_search(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, bs_id start)
{
    bs_found found;
    bs_gbi_trace(v, o, f, ctx, start, &o->steps, 1, &found);
    return found;
}

/* ---- loops ---- */

/* What a step needs from the one before, in a fixed order. */
static int carried(const bs_gbi *o, state *s, bs_id *member[BS_GBI_STATE],
                   bool narrow[BS_GBI_STATE])
{
    const bool m = o->rule == BS_GBI_MOMENTUM || o->rule == BS_GBI_ADAM;
    const struct {
        bs_id *member;
        bool   used, narrow;
    } all[] = {{&s->z, true, false},
               {&s->m, m, false},
               {&s->v, o->rule == BS_GBI_ADAM, false},
               {&s->best, o->best, false},
               {&s->best_value, o->best, true},
               {&s->moving, o->tolerance > 0, true}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].used) {
            member[n] = all[i].member;
            narrow[n++] = all[i].narrow;
        }
    return n;
}

int bs_gbi_state(const bs_gbi *o, bool narrow[BS_GBI_STATE])
{
    state  s = {0};
    bs_id *member[BS_GBI_STATE];
    return carried(o, &s, member, narrow);
}

static void read_members(const bs_gbi *o, state s, bs_id out[BS_GBI_STATE])
{
    bs_id    *member[BS_GBI_STATE];
    bool      narrow[BS_GBI_STATE];
    const int n = carried(o, &s, member, narrow);
    for (int i = 0; i < n; i++)
        out[i] = *member[i];
}

/* The state whose members are inputs. */
static state given(bs_output_space *v, const bs_gbi *o, const bs_id input[BS_GBI_STATE])
{
    state     s = {0};
    bs_id    *member[BS_GBI_STATE];
    bool      narrow[BS_GBI_STATE];
    const int n = carried(o, &s, member, narrow);
    for (int i = 0; i < n; i++)
        *member[i] = input[i];
    s.y = output_of(v, o, s.z);
    s.taken = bs_const(v->g, 0); /* is not used */
    return s;
}

bs_found bs_gbi_loop(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, bs_id start,
                     int first, int block, bs_gbi_turns *out)
{
    bs_graph *g = v->g;
    bool      narrow[BS_GBI_STATE];
    state     s = begin(v, o, start);
    bs_id     value;
    *out = (bs_gbi_turns){.rates = 0};
    bs_push(g, "search");
    for (int t = 1; t <= first; t++)
        take_step(v, o, f, ctx, &s, (when){.t = t}, &value);
    read_members(o, s, out->begun);

    bs_graph_loop(g);
    for (int i = 0; i < bs_gbi_state(o, narrow); i++)
        out->input[i] = bs_leaf(g, "state", BS_T_REAL, bs_shape_of(g, out->begun[i]));
    if (has_factors(o))
        out->rates = bs_leaf(g, "rates", BS_T_REAL, bs_shape2(2 * block, 1));
    s = given(v, o, out->input);
    for (int t = 1; t <= block; t++)
        take_step(v, o, f, ctx, &s, (when){t, out->rates}, &value);
    read_members(o, s, out->next);

    bs_graph_loop(g);
    bs_found found = finish(v, o, f, ctx, given(v, o, out->input), 0);
    bs_pop(g);
    return found;
}
