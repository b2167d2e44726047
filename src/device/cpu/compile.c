/* compile.c -- from a plan to calls: kernels chosen, loaders prepared, pointers
 * listed so that they can be set when memory is bound. */
#include <string.h>

#include "device/cpu/dense.h"
#include "device/cpu/program.h"

/* A fork-join or barrier costs a microsecond or two; work below this many
 * nanoseconds stays on one thread. */
static const double WORTH_SHARING = 6000;

/* ---- loaders ---- */

/* Merges neighbouring dimensions that are both repeated or both walked. */
static bs_loader make_loader(bs_shape from, bs_shape to)
{
    bs_loader l = {0};
    int64_t   stride[4], s = 1;
    for (int k = 3; k >= 0; k--) {
        stride[k] = from.d[k] == 1 ? 0 : s;
        s *= from.d[k];
    }
    if (bs_shape_count(from) == 1)
        return l;
    for (int k = 0; k < 4; k++) {
        if (to.d[k] == 1)
            continue;
        bool merges = l.rank > 0 && l.stride[l.rank - 1] == stride[k] * to.d[k];
        if (!merges)
            l.size[l.rank++] = 1;
        l.size[l.rank - 1] *= to.d[k];
        l.stride[l.rank - 1] = stride[k];
    }
    return l;
}

/* ---- calls ---- */

static void add_patch(bs_cpu_program *p, void *slot, bs_loc loc)
{
    if (loc.place == BS_AT_INPUT)
        p->bound[p->n_bound++] = (bs_patch){slot, loc};
    else
        p->fixed[p->n_fixed++] = (bs_patch){slot, loc};
}

/* A gradient that one sparse product makes alone can be written by rows. */
static bool writes_alone(const bs_plan *plan, int i)
{
    const bs_step *s = &plan->step[i];
    if (s->out.place != BS_AT_GRAD || s->accumulate ||
        (s->node.op != BS_OP_spmm_t && s->node.op != BS_OP_scatter))
        return false;
    for (int k = 0; k < plan->n_steps; k++)
        if (k != i && plan->step[k].out.place == BS_AT_GRAD &&
            plan->step[k].out.index == s->out.index)
            return false;
    for (int k = 0; k < plan->n_steps; k++)
        for (int j = 0; j < plan->step[k].n_in; j++)
            if (plan->step[k].in[j].loc.place == BS_AT_GRAD &&
                plan->step[k].in[j].loc.index == s->out.index)
                return false;
    return true;
}

static basin_status compile_group(bs_cpu_program *p, bs_call *call, const bs_step *s)
{
    bs_loader *loader = bs_arena_alloc(&p->arena, ((size_t)s->n_in + 1) * sizeof *loader);
    bs_micro  *micro = bs_arena_alloc(&p->arena, (size_t)s->n_micro * sizeof *micro);
    if (!loader || !micro)
        return BASIN_ENOMEM;
    memcpy(micro, s->micro, (size_t)s->n_micro * sizeof *micro);
    call->kernel = &bs_kernel_group;
    call->n_micro = s->n_micro;
    call->n_operands = s->n_in;
    call->micro = micro;
    call->loader = loader;
    for (int k = 0; k < s->n_in; k++) {
        /* a copy to the gradient block reads its operand as it is */
        loader[k] = make_loader(s->in[k].shape, s->node.shape);
        if (loader[k].rank == 0 && bs_shape_count(s->node.shape) == 1)
            loader[k].rank = 1;
        add_patch(p, &call->operand[k], s->in[k].loc);
    }
    return BASIN_OK;
}

static basin_status compile_step(bs_cpu_program *p, const bs_step *s, bool apart, bs_call *call,
                                 bs_step *own)
{
    *own = *s;
    own->label = bs_arena_copy(&p->arena, s->label, strlen(s->label));
    bs_stretch *dead = bs_arena_alloc(&p->arena, ((size_t)s->n_dead + 1) * sizeof *dead);
    if (!own->label || !dead)
        return BASIN_ENOMEM;
    if (s->n_dead)
        memcpy(dead, s->dead, (size_t)s->n_dead * sizeof *dead);
    own->dead = dead;
    own->in = NULL;
    own->micro = NULL;
    call->vec = p->w->vec;
    call->apart = apart;
    call->args.node = &own->node;
    call->args.accumulate = s->accumulate;
    call->args.run = &p->run;
    call->work = (bs_work){1, 0, 0};
    add_patch(p, &call->args.out, s->out);
    if (s->n_micro > 0) {
        basin_status status = compile_group(p, call, s);
        if (status)
            return status;
    } else {
        call->kernel = bs_kernel_of((bs_op_id)s->node.op);
        for (int k = 0; k < s->n_in; k++) {
            call->args.in_shape[k] = s->in[k].shape;
            add_patch(p, &call->args.in[k], s->in[k].loc);
        }
    }
    if (call->kernel)
        call->kernel->measure(call, &call->work);
    return BASIN_OK;
}

static basin_status allocate(bs_cpu_program *p, const bs_plan *plan)
{
    size_t n = (size_t)plan->n_steps + 1, pointers = 1;
    for (int i = 0; i < plan->n_steps; i++)
        pointers += 1 + (size_t)plan->step[i].n_in;
    p->call = bs_arena_alloc(&p->arena, n * sizeof *p->call);
    p->step = bs_arena_alloc(&p->arena, n * sizeof *p->step);
    p->row_sparse = bs_arena_alloc(&p->arena, n * sizeof *p->row_sparse);
    p->section = bs_arena_alloc(&p->arena, n * sizeof *p->section);
    p->dense = bs_arena_alloc(&p->arena, n * sizeof *p->dense);
    p->fixed = bs_arena_alloc(&p->arena, pointers * sizeof *p->fixed);
    p->bound = bs_arena_alloc(&p->arena, pointers * sizeof *p->bound);
    p->result = bs_arena_alloc(&p->arena, ((size_t)plan->n_results + 1) * sizeof *p->result);
    p->input = bs_arena_alloc(&p->arena, ((size_t)plan->n_inputs + 1) * sizeof *p->input);
    p->input_data = bs_arena_alloc(&p->arena, ((size_t)plan->n_inputs + 1) * sizeof *p->input_data);
    if (p->w->profile)
        p->timing = bs_arena_alloc(&p->arena, n * sizeof *p->timing);
    bool ok = p->call && p->step && p->row_sparse && p->section && p->dense && p->fixed &&
              p->bound && p->result && p->input && p->input_data && (p->timing || !p->w->profile);
    return ok ? BASIN_OK : BASIN_ENOMEM;
}

static bool worth_sharing(const bs_cpu_program *p, int first, int last)
{
    int64_t pieces = 0;
    double  cost = 0;
    for (int i = first; i <= last; i++) {
        pieces += p->call[i].work.pieces;
        cost += p->call[i].work.cost;
    }
    return pieces > 1 && cost > WORTH_SHARING;
}

/* Neighbours that are not worth sharing become one section. */
static void make_sections(bs_cpu_program *p, bs_turn *t)
{
    t->first_section = p->n_sections;
    for (int i = t->first; i < t->end; i++) {
        bs_section *s = p->n_sections > t->first_section ? &p->section[p->n_sections - 1] : NULL;
        const int   last = i + 1 < t->end && p->step[i + 1].may_overlap ? i + 1 : i;
        const bool  shared = worth_sharing(p, i, last);
        if (s && !s->shared && !shared) {
            s->last = last;
        } else {
            s = &p->section[p->n_sections++];
            s->first = i;
            s->last = last;
            s->shared = shared;
            t->parallel |= shared;
        }
        i = last;
    }
    t->end_section = p->n_sections;
}

static void make_turns(bs_cpu_program *p, const bs_plan *plan)
{
    for (int k = 0; k < BS_TURNS; k++) {
        bs_turn *t = &p->turn[k];
        *t = (bs_turn){.first = plan->turn[k], .end = plan->turn[k + 1]};
        for (int i = t->first; i < t->end; i++)
            t->cost += p->call[i].work.cost + 100;
        make_sections(p, t);
    }
}

basin_status bs_cpu_compile(bs_workspace *base, const bs_plan *plan, bs_program **out,
                            basin_error *err)
{
    bs_cpu         *w = (bs_cpu *)base;
    bs_cpu_program *p = bs_calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return bs_fail_nomem(err);
    bs_arena_init(&p->arena, 0);
    p->head.device = base->device;
    p->w = w;
    size_t       scratch = 0;
    basin_status s = allocate(p, plan);
    if (!s && plan->apart && !bs_apart_prepare(w->vec))
        s = BASIN_ENOMEM;
    for (int i = 0; i < plan->n_steps && !s; i++) {
        s = compile_step(p, &plan->step[i], plan->apart, &p->call[i], &p->step[i]);
        if (p->call[i].work.scratch > scratch)
            scratch = p->call[i].work.scratch;
        p->row_sparse[i] = writes_alone(plan, i);
        p->n++;
    }
    if (!s) {
        make_turns(p, plan);
        p->n_results = plan->n_results;
        p->n_inputs = plan->n_inputs;
        memcpy(p->result, plan->result, (size_t)plan->n_results * sizeof *p->result);
        memcpy(p->input, plan->input, (size_t)plan->n_inputs * sizeof *p->input);
    }
    if (s || bs_cpu_reserve(w, plan->bytes, scratch, NULL)) {
        bs_arena_free(&p->arena);
        bs_free(p);
        return bs_fail_nomem(err);
    }
    *out = &p->head;
    return BASIN_OK;
}

void bs_cpu_program_free(bs_program *base)
{
    bs_cpu_program *p = (bs_cpu_program *)base;
    if (p->timing)
        bs_profile_print(p);
    bs_arena_free(&p->arena);
    bs_free(p);
}
