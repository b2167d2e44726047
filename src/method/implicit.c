/* implicit.c -- the implicit gradient: Hessian products, solvers, the mixed derivative.
 *
 * Programs, all at the same (seed, step) and so with the same dropout and samples:
 *
 *   PRIMARY   L_prim, its gradients by theta and phi    -> params->grad
 *   PRODUCT   d_theta <d_theta L_aux, v> = H v           -> hv, parts of theta
 *   CROSS     d_phi <d_theta L_aux, v>                   -> hv, parts of phi
 *   NET, ENERGY   d_theta L_aux and d_phi L_aux, of which implicit.product=central takes
 *             differences at theta +- eps v; they read a copy of the parameters, so that the
 *             parameters themselves never move
 *
 *   WHOLE     a series with a known rate: everything above in one program. The terms
 *             share the passes through the nets, and their vectors never leave it
 *
 * v is one flat leaf, laid out as the parameters; its slices are views. */
#include "method/implicit.h"

#include <math.h>
#include <string.h>

#include "method/inverse.h"

enum { STAGE_NET, STAGE_ENERGY }; /* L_aux and L_prim */
enum { PRIMARY, PRODUCT, CROSS, NET, ENERGY, WHOLE };
enum { REFRESH = 64, POWER_STEPS = 10, MOST_SKIPPED = 20, WHOLE_TERMS = 32, MOST_DAMPINGS = 6 };
#define DAMPING_KEPT 0.8 /* of what was added to the Hessian, from step to step */

typedef struct {
    bs_cache  *cache;
    bs_range  *net, *energy; /* [n_net], [n_energy] */
    int        n_net, n_energy;
    bs_buffer *v, *hv, *r, *p; /* blocks as large as the parameters */
    bs_buffer *moved, *minus;  /* central: the parameters at theta +- eps v, a second gradient */

    /* of the gradient being computed */
    const bs_batch *batch;
    bs_run          run;
    real            rate; /* of WHOLE */
} implicit;

static bool is(const char *option, const char *value)
{
    return strcmp(option, value) == 0;
}

/* ---- programs ---- */

/* Nodes and segments of the parameters with a prefix, appended to n existing ones. */
static int append_nodes(bs_graph *g, const bs_learner *l, const char *prefix, bs_id *node,
                        int *segment, int n)
{
    const int most = BS_CACHE_RESULTS - BS_RESULT_REST;
    n += bs_params_nodes(g, l->params, prefix, node + n, segment + n, most - n);
    if (n == most)
        bs_graph_refuse(g, "implicit gradients: more than %d parameters with a name", most - 1);
    return n;
}

/* sum over i of <a_i, b_i> */
static bs_id all_dots(bs_graph *g, const bs_id *a, const bs_id *b, int n)
{
    bs_id sum = 0;
    for (int i = 0; i < n; i++) {
        bs_id term = bs_dot(g, a[i], b[i]);
        sum = sum ? bs_add(g, sum, term) : term;
    }
    return sum;
}

/* <d_theta L_aux, v> as a function of theta and phi; v is flat */
static bs_id along(bs_graph *g, const bs_learner *l, bs_id loss, bs_id v)
{
    bs_id theta[BS_CACHE_RESULTS], d[BS_CACHE_RESULTS], part[BS_CACHE_RESULTS] = {0};
    int   segment[BS_CACHE_RESULTS], n = append_nodes(g, l, "net/", theta, segment, 0);
    bs_grad(g, loss, theta, n, d, true);
    for (int i = 0; i < n; i++) {
        const bs_segment *s = &l->params->segment[segment[i]];
        part[i] = bs_reshape(g, bs_slice(g, v, -1, (int)s->offset, (int)s->count), s->shape);
    }
    return all_dots(g, d, part, n);
}

/* the same with v by segments, and constant although it depends on theta */
static bs_id along_constant(bs_graph *g, const bs_id *d, const bs_id *v, int n)
{
    bs_id still[BS_CACHE_RESULTS] = {0};
    for (int i = 0; i < n; i++)
        still[i] = bs_stop(g, v[i]);
    return all_dots(g, d, still, n);
}

static void give_gradients(bs_graph *g, bs_id target, const bs_id *node, const int *segment, int n,
                           bs_recipe *r)
{
    bs_id d[BS_CACHE_RESULTS];
    bs_grad(g, target, node, n, d, true);
    for (int i = 0; i < n; i++)
        r->result[r->n_results++] = (bs_result){d[i], segment[i]};
}

static bs_size size_of(bs_key key)
{
    return (bs_size){key.v[1], key.v[2], key.v[3]};
}

/* bs_solve_series and the cross product as nodes. Results: the loss, diagnostics, squared norms of
 * the first and last term, the gradient. */
static void build_whole(bs_graph *g, bs_learner *l, bs_key key, bs_recipe *r)
{
    const bs_stage *stage = l->method->stage;
    bs_loss_context s = bs_loss_context_make(l, g, size_of(key), stage[STAGE_ENERGY].trains);
    bs_loss_context t = bs_loss_context_make(l, g, size_of(key), stage[STAGE_NET].trains);
    bs_id           theta[BS_CACHE_RESULTS], d[BS_CACHE_RESULTS], v[BS_CACHE_RESULTS];
    bs_id           p[BS_CACHE_RESULTS], hv[BS_CACHE_RESULTS];
    int             segment[BS_CACHE_RESULTS];
    t.v.x = s.v.x;
    t.v.gold = s.v.gold;
    t.v.weight = s.v.weight;
    bs_output_space_inputs(&s.v, r);
    bs_id rate = bs_inputs_add(g, &r->more, bs_leaf(g, "rate", BS_T_REAL, bs_shape1(1)));
    bs_push(g, "loss");
    bs_id loss = stage[STAGE_ENERGY].loss(&s), followed = stage[STAGE_NET].loss(&t);
    int   n = append_nodes(g, l, "net/", theta, segment, 0);
    bs_grad(g, loss, theta, n, v, true);
    bs_grad(g, followed, theta, n, d, true);
    memcpy(p, v, (size_t)n * sizeof *p);
    bs_loss_context_results(&s, loss, r);
    r->result[r->n_results++] = (bs_result){all_dots(g, v, v, n), -1};
    for (int k = 0; k < key.v[5]; k++) {
        bs_grad(g, along_constant(g, d, v, n), theta, n, hv, true);
        for (int i = 0; i < n; i++) {
            bs_id change = bs_add(g, hv[i], bs_scale(g, v[i], l->o->implicit_damping));
            v[i] = bs_sub(g, v[i], bs_mul(g, change, rate));
            p[i] = bs_add(g, p[i], v[i]);
        }
    }
    r->result[r->n_results++] = (bs_result){all_dots(g, v, v, n), -1};
    for (int i = 0; i < n; i++)
        p[i] = bs_mul(g, p[i], rate);
    bs_id target = bs_sub(g, loss, along_constant(g, d, p, n));
    n = append_nodes(g, l, "energy/", theta, segment, 0);
    give_gradients(g, target, theta, segment, n, r);
    bs_pop(g);
}

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    bs_learner *l = ctx;
    const int   kind = key.v[0];
    if (kind == WHOLE) {
        build_whole(g, l, key, r);
        return;
    }
    const bs_stage *stage = &l->method->stage[kind == PRIMARY ? STAGE_ENERGY : STAGE_NET];
    bs_loss_context s = bs_loss_context_make(l, g, size_of(key), stage->trains);
    bs_id           node[BS_CACHE_RESULTS];
    int             segment[BS_CACHE_RESULTS], n = 0;
    bs_output_space_inputs(&s.v, r);
    bs_push(g, "loss");
    bs_id target = stage->loss(&s);
    if (kind == PRODUCT || kind == CROSS) {
        bs_id v = bs_leaf(g, "v", BS_T_REAL, bs_shape1((int)l->params->moving));
        bs_inputs_add(g, &r->more, v);
        target = along(g, l, target, v);
    } else if (kind == PRIMARY) {
        bs_loss_context_results(&s, target, r);
    }
    if (kind == PRIMARY || kind == PRODUCT || kind == NET)
        n = append_nodes(g, l, "net/", node, segment, n);
    if (kind == PRIMARY || kind == CROSS || kind == ENERGY)
        n = append_nodes(g, l, "energy/", node, segment, n);
    give_gradients(g, target, node, segment, n, r);
    bs_pop(g);
}

/* Runs a program; gradients are written to `out`, parameters are read from `value`. */
static basin_status run(bs_learner *l, int kind, const bs_buffer *value, const bs_buffer *v,
                        bs_buffer *out, bs_entry **e, basin_error *err)
{
    implicit    *m = l->state;
    bs_entry    *entry;
    const int    terms = kind == WHOLE ? l->o->implicit_terms : 0;
    bs_size      z = m->batch->size;
    bs_key       key = {{kind, z.rows, z.length, z.width, l->phase, terms}};
    basin_status s = bs_cache_get(m->cache, key, &entry, NULL, err);
    if (s)
        return s;
    bs_program *p = entry->program;
    p->device->bind_params(p, value, out, l->params->offset);
    bs_truth_bind(&l->spec, m->batch, entry);
    if (kind == WHOLE)
        bs_entry_bind(entry, &entry->more, 0, &m->rate);
    else if (entry->more.n > 0)
        p->device->bind_buffer(p, entry->more.id[0], v, 0);
    if (e)
        *e = entry;
    return bs_program_run(p, &m->run, err);
}

/* ---- products ---- */

static void copy_all(const bs_learner *l, const bs_buffer *from, bs_buffer *to)
{
    to->device->copy(to, 0, from, 0, l->params->size);
}

static void axpby(const bs_range *range, int n, double b, bs_buffer *y, double a,
                  const bs_buffer *x)
{
    y->device->axpby(range, n, b, y, a, x);
}

/* moved <- theta + eps v */
static void move(const bs_learner *l, double eps, const bs_buffer *v)
{
    const implicit *m = l->state;
    copy_all(l, l->params->block.value, m->moved);
    axpby(m->net, m->n_net, 1, m->moved, eps, v);
}

/* The step is as long as rounding (eps of a real, in the gradients) and the third derivative
 * together allow: a cube root, about 0.01 in float, whatever the length of v. */
static basin_status central(bs_learner *l, bool cross, const bs_buffer *v, bs_buffer *out,
                            basin_error *err)
{
    implicit       *m = l->state;
    const int       kind = cross ? ENERGY : NET, n = cross ? m->n_energy : m->n_net;
    const bs_range *range = cross ? m->energy : m->net;
    const double    length = sqrt(v->device->dot(m->net, m->n_net, v, v));
    const double    eps = 2 * cbrt(BS_REAL_EPS) / (length > 0 ? length : 1);
    move(l, eps, v);
    basin_status s = run(l, kind, m->moved, NULL, out, NULL, err);
    if (s)
        return s;
    move(l, -eps, v);
    s = run(l, kind, m->moved, NULL, m->minus, NULL, err);
    axpby(range, n, 1, out, -1, m->minus);
    axpby(range, n, 0.5 / eps, out, 0, NULL);
    return s;
}

static basin_status product(void *ctx, bs_buffer *v, bs_buffer *out, basin_error *err)
{
    bs_learner *l = ctx;
    if (is(l->o->implicit_product, "central"))
        return central(l, false, v, out, err);
    return run(l, PRODUCT, l->params->block.value, v, out, NULL, err);
}

static basin_status cross_product(bs_learner *l, const bs_buffer *v, bs_buffer *out,
                                  basin_error *err)
{
    if (is(l->o->implicit_product, "central"))
        return central(l, true, v, out, err);
    return run(l, CROSS, l->params->block.value, v, out, NULL, err);
}

/* ---- the inverse ---- */

/* The curvature is kept, because it changes slowly and costs ten products; what a series meets in
 * between can only raise it. In l->memory it survives a restart. */
static basin_status series(bs_learner *l, const bs_inverse *a, const bs_buffer *g, bs_solved *out,
                           basin_error *err)
{
    implicit    *m = l->state;
    double      *known = &l->memory[BS_IMPLICIT_CURVATURE], *age = &l->memory[BS_IMPLICIT_AGE];
    double       rate = l->o->implicit_rate;
    basin_status s = BASIN_OK;
    if (!(*known > 0) || *age >= REFRESH) {
        s = bs_power_iteration(a, g, POWER_STEPS, known, err);
        *age = 0;
    }
    *out = (bs_solved){.finite = *known > 0 && isfinite(*known)};
    if (s || !out->finite) {
        *known = 0;
        return s;
    }
    ++*age;
    bool too_fast = rate * *known >= BS_TOO_FAST;
    s = bs_solve_series(a, g, rate > 0 && !too_fast ? rate : 1 / *known, l->o->implicit_terms, m->p,
                        out, err);
    out->lowered |= too_fast;
    if (out->curvature > *known)
        *known = out->curvature;
    out->curvature = *known;
    if (out->lowered)
        l->memory[BS_IMPLICIT_LOWERED]++;
    return s;
}

/* The Hessian of a net that is not at its minimum has negative curvature, where conjugate gradients
 * end with less than nothing. Then the damping is raised until they do not, as in Levenberg's
 * method; the next step begins with a little less of it. */
static basin_status positive_cg(bs_learner *l, bs_inverse a, const bs_buffer *g, bs_solved *out,
                                basin_error *err)
{
    double      *more = &l->memory[BS_IMPLICIT_DAMPING];
    const double least = a.damping;
    basin_status s = BASIN_OK;
    *more *= DAMPING_KEPT;
    for (int i = 0; i < MOST_DAMPINGS && !s; i++) {
        a.damping = least + *more;
        s = bs_solve_cg(&a, g, l->o->implicit_terms, ((implicit *)l->state)->p, out, err);
        if (s || !out->finite || !(out->negative < 0))
            break;
        *more = fmax(2 * *more, *more - 2 * out->negative);
    }
    bs_learner_see(l, BS_DIAGNOSTIC_damping, a.damping);
    return s;
}

static basin_status solve(bs_learner *l, const bs_buffer *g, bs_solved *out, basin_error *err)
{
    implicit  *m = l->state;
    bs_inverse a = {.range = m->net,
                    .n = m->n_net,
                    .product = product,
                    .ctx = l,
                    .damping = l->o->implicit_damping,
                    .enough = l->o->implicit_residual,
                    .v = m->v,
                    .hv = m->hv,
                    .r = m->r};
    if (is(l->o->implicit_solver, "cg"))
        return positive_cg(l, a, g, out, err);
    if (is(l->o->implicit_solver, "diagonal"))
        return bs_solve_diagonal(&a, g, l->o->implicit_terms, m->run.seed, m->run.step, m->p, out,
                                 err);
    return series(l, &a, g, out, err);
}

/* After non-finite numbers: no program overwrites the padding of a block. */
static void forget(bs_learner *l)
{
    implicit        *m = l->state;
    bs_buffer *const all[] = {m->v, m->hv, m->r, m->p};
    l->memory[BS_IMPLICIT_CURVATURE] = 0;
    for (int i = 0; i < 4; i++)
        all[i]->device->fill(all[i], 0, l->params->moving, 0);
}

static double square_sum(const bs_range *range, int n, const bs_buffer *x)
{
    return x->device->dot(range, n, x, x);
}

/* How the implicit part of the gradient, -hv, compares with the explicit one. */
static void see_parts(bs_learner *l, const bs_buffer *g)
{
    const implicit *m = l->state;
    const double    a = square_sum(m->energy, m->n_energy, g);
    const double    b = square_sum(m->energy, m->n_energy, m->hv);
    if (!(a > 0) || !(b > 0))
        return;
    bs_learner_see(l, BS_DIAGNOSTIC_implicit_ratio, sqrt(b / a));
    bs_learner_see(l, BS_DIAGNOSTIC_implicit_cosine,
                   -g->device->dot(m->energy, m->n_energy, g, m->hv) / sqrt(a * b));
}

/* Subtracts the implicit term from the gradient of phi, if it is finite. */
static basin_status add_implicit(bs_learner *l, bool *finite, basin_error *err)
{
    implicit  *m = l->state;
    bs_buffer *g = l->params->block.grad;
    bs_solved  solved = {0};
    double     size = square_sum(m->net, m->n_net, g);
    *finite = isfinite(size);
    if (!(size > 0) || !*finite) /* for example, no row violates a margin: nothing to propagate */
        return BASIN_OK;
    basin_status s = solve(l, g, &solved, err);
    if (!s && solved.finite)
        s = cross_product(l, m->p, m->hv, err);
    if (s)
        return s;
    *finite = solved.finite && isfinite(square_sum(m->energy, m->n_energy, m->hv));
    if (!*finite) {
        forget(l);
        return BASIN_OK;
    }
    see_parts(l, g);
    axpby(m->energy, m->n_energy, 1, g, -1, m->hv);
    bs_learner_see(l, BS_DIAGNOSTIC_residual, solved.residual);
    bs_learner_see(l, BS_DIAGNOSTIC_curvature, solved.curvature);
    bs_learner_see(l, BS_DIAGNOSTIC_rate_lowered, solved.lowered);
    return BASIN_OK;
}

/* ---- a step ---- */

/* Whether the rate of a series is known well enough to be a part of a program; sets it. */
static bool rate_is_known(bs_learner *l)
{
    const double known = l->memory[BS_IMPLICIT_CURVATURE], rate = l->o->implicit_rate;
    const int    terms = l->o->implicit_terms;
    implicit    *m = l->state;
    m->rate = (real)(rate > 0 ? rate : 1 / known);
    return is(l->o->implicit_solver, "series") && is(l->o->implicit_product, "exact") &&
           l->o->implicit_residual == 0 && terms > 0 && terms <= WHOLE_TERMS && known > 0 &&
           rate * known < BS_TOO_FAST && l->memory[BS_IMPLICIT_AGE] < REFRESH;
}

/* The gradient by a single program; *done is false if the terms grow, and the step must be done by
 * the programs that can tell why. */
static basin_status whole_gradient(bs_learner *l, bool *done, basin_error *err)
{
    const int    norms = BS_RESULT_REST;
    const real  *first, *last;
    bs_entry    *e;
    basin_status s = run(l, WHOLE, l->params->block.value, NULL, l->params->block.grad, &e, err);
    if (!s)
        s = bs_fetch(e->program, norms, &first, err);
    if (!s)
        s = bs_fetch(e->program, norms + 1, &last, err);
    if (s)
        return s;
    *done = *first == 0 || *last < *first;
    if (!*done)
        return BASIN_OK;
    if (*first > 0) {
        bs_learner_see(l, BS_DIAGNOSTIC_residual, sqrt((double)*last / (double)*first));
        bs_learner_see(l, BS_DIAGNOSTIC_curvature, l->memory[BS_IMPLICIT_CURVATURE]);
        bs_learner_see(l, BS_DIAGNOSTIC_rate_lowered, 0);
    }
    bs_learner_see(l, BS_DIAGNOSTIC_implicit_skipped, 0);
    l->memory[BS_IMPLICIT_AGE]++;
    l->memory[BS_IMPLICIT_SKIPPED] = 0;
    return bs_learner_note(l, e, 0, l->energy, err);
}

basin_status bs_implicit_gradient(bs_learner *l, const bs_batch *b, basin_error *err)
{
    implicit    *m = l->state;
    double      *skipped = &l->memory[BS_IMPLICIT_SKIPPED];
    bool         done = false, finite = true;
    bs_entry    *e;
    basin_status s = BASIN_OK;
    m->batch = b;
    m->run = (bs_run){(uint64_t)l->o->seed, ++l->step};
    if (rate_is_known(l))
        s = whole_gradient(l, &done, err);
    if (s || done)
        return s;
    s = run(l, PRIMARY, l->params->block.value, NULL, l->params->block.grad, &e, err);
    if (!s)
        s = bs_learner_note(l, e, 0, l->energy, err);
    if (s || is(l->o->implicit_solver, "none"))
        return s;
    s = add_implicit(l, &finite, err);
    *skipped = finite ? 0 : *skipped + 1;
    bs_learner_see(l, BS_DIAGNOSTIC_implicit_skipped, !finite);
    if (!s && *skipped >= MOST_SKIPPED)
        s = bs_learner_read(l, err); /* a loss that is not finite is the better reason */
    if (!s && *skipped >= MOST_SKIPPED)
        s = bs_fail(
            err, BASIN_ENUMERIC,
            "the implicit gradient has not been finite for %d steps, the last of them %llu; "
            "a larger implicit.damping or a lower lr.energy (now %g) may help",
            MOST_SKIPPED, (unsigned long long)l->step, l->energy->update.rate);
    return s;
}

static basin_status energy_step(bs_learner *l, const bs_batch *b, basin_error *err)
{
    if (is(l->o->implicit_solver, "none"))
        return bs_learner_run(l, STAGE_ENERGY, b, err);
    basin_status s = bs_implicit_gradient(l, b, err);
    if (!s)
        bs_learner_follow(l, l->energy, true);
    return s;
}

basin_status bs_step_implicit(bs_learner *l, const bs_batch *b, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < l->o->steps_energy && !s; i++) {
        for (int k = 0; k < l->o->steps_net && !s; k++)
            s = bs_learner_run(l, STAGE_NET, b, err);
        if (!s)
            s = energy_step(l, b, err);
    }
    return s;
}

/* ---- making and freeing ---- */

/* The ranges of a net; those declared one after the other are joined: padding between segments is
 * always zero. */
static int make_ranges(const bs_params *p, const char *prefix, bs_range *out)
{
    int n = 0, last = -1;
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        if (!bs_params_has_prefix(s->name, prefix) || s->frozen || s->follow > 0)
            continue;
        if (n > 0 && last == i - 1)
            out[n - 1].count += bs_segment_range(s).count;
        else
            out[n++] = bs_segment_range(s);
        last = i;
    }
    return n;
}

basin_status bs_implicit_setup(bs_learner *l, basin_error *err)
{
    const bs_params *p = l->params;
    const size_t     ranges = (size_t)p->n + 1;
    bool             differences = is(l->o->implicit_product, "central");
    implicit        *m = l->state = bs_calloc(1, sizeof *m);
    if (!m)
        return bs_fail_nomem(err);
    if (p->size > INT32_MAX)
        return bs_fail(err, BASIN_EARG, "implicit gradients: the nets are too large");
    m->cache = bs_cache_new(l->w, build, l, 0);
    m->net = bs_calloc(ranges, sizeof *m->net);
    m->energy = bs_calloc(ranges, sizeof *m->energy);
    if (!m->cache || !m->net || !m->energy)
        return bs_fail_nomem(err);
    bs_buffer  **block[] = {&m->v, &m->hv, &m->r, &m->p, &m->moved, &m->minus};
    basin_status s = BASIN_OK;
    for (int i = 0; i < (differences ? 6 : 4) && !s; i++)
        s = bs_buffer_new(l->w->device, block[i] == &m->moved ? p->size : p->moving, true, block[i],
                          err);
    if (s)
        return s;
    m->n_net = make_ranges(p, "net/", m->net);
    m->n_energy = make_ranges(p, "energy/", m->energy);
    return BASIN_OK;
}

void bs_implicit_free(bs_learner *l)
{
    implicit *m = l->state;
    if (!m)
        return;
    bs_cache_free(m->cache);
    bs_free(m->net);
    bs_free(m->energy);
    bs_buffer_free(m->v);
    bs_buffer_free(m->hv);
    bs_buffer_free(m->r);
    bs_buffer_free(m->p);
    bs_buffer_free(m->moved);
    bs_buffer_free(m->minus);
    bs_free(m);
    l->state = NULL;
}
