/* plan.c -- runs the passes in order and writes down the steps. */
#include "plan/plan.h"

#include <string.h>

#include "plan/analysis.h"

typedef struct {
    bs_analysis a;
    bs_plan    *p;
    bs_arena    scratch;     /* dies with the planner */
    bs_loc     *place;       /* by store */
    bs_id     **operand_ids; /* by step */
    bs_id      *step_store;  /* by step */
} planner;

/* ---- places bound from outside ---- */

static basin_status collect_inputs(planner *pl)
{
    bs_analysis *a = &pl->a;
    pl->p->input = bs_arena_alloc(&pl->p->arena, (size_t)a->n * sizeof *pl->p->input);
    if (!pl->p->input)
        return BASIN_ENOMEM;
    for (bs_id id = 1; id < a->n; id++) {
        const bs_node *n = bs_graph_node(a->g, id);
        if (!a->fact[id].live)
            continue;
        if (n->op == BS_OP_param)
            pl->place[id] = (bs_loc){BS_AT_PARAM, n->attr[0], 0};
        if (n->op == BS_OP_input) {
            pl->place[id] = (bs_loc){BS_AT_INPUT, pl->p->n_inputs, 0};
            pl->p->input[pl->p->n_inputs++] = id;
        }
    }
    return BASIN_OK;
}

/* A gradient is written straight to its place if its store holds nothing else and no other result
 * has taken it; otherwise a copy is added at the end. */
static bool bind_gradient(planner *pl, const bs_result *r)
{
    const bs_fact *f = &pl->a.fact[r->id];
    bs_loc        *place = &pl->place[f->store];
    bool           whole = f->offset == 0 && bs_shape_count(bs_shape_of(pl->a.g, f->store)) ==
                                       bs_shape_count(bs_shape_of(pl->a.g, r->id));
    if (place->place != BS_AT_ARENA || !whole)
        return false;
    *place = (bs_loc){BS_AT_GRAD, r->segment, 0};
    return true;
}

/* ---- steps ---- */

static basin_status plain_operands(planner *pl, bs_step *s, bs_id node, bs_id *ids)
{
    const bs_node *n = bs_graph_node(pl->a.g, node);
    bs_operand    *in = bs_arena_alloc(&pl->p->arena, 4 * sizeof *in);
    if (!in)
        return BASIN_ENOMEM;
    s->in = in;
    /* a view that must be copied reads only the value it shows */
    int operands = bs_ops[n->op]->flags & BS_OP_ALIAS ? 1 : 4;
    for (int k = 0; k < operands && n->src[k]; k++) {
        const bs_node *src = bs_graph_node(pl->a.g, n->src[k]);
        in[s->n_in] = (bs_operand){.shape = src->shape, .type = (bs_type)src->type};
        ids[s->n_in++] = n->src[k];
    }
    return BASIN_OK;
}

static basin_status add_step(planner *pl, bs_id id)
{
    bs_analysis *a = &pl->a;
    int          i = pl->p->n_steps++;
    bs_step     *s = &pl->p->step[i];
    bs_id       *ids = bs_arena_alloc(&pl->scratch, BS_GROUP_OPERANDS * sizeof *ids);
    if (!ids)
        return BASIN_ENOMEM;
    pl->operand_ids[i] = ids;
    pl->step_store[i] = a->fact[id].store;
    const char *label = bs_graph_label(a->g, id);
    s->label = bs_arena_copy(&pl->p->arena, label, strlen(label));
    if (!s->label)
        return BASIN_ENOMEM;
    if (bs_is_group_root(a, id)) {
        s->node = *bs_graph_node(a->g, id);
        return bs_build_group(a, id, s, ids) ? BASIN_OK : BASIN_ENOMEM;
    }
    bs_id node = a->fact[id].product ? a->fact[id].product : id;
    s->node = *bs_graph_node(a->g, node);
    s->accumulate = a->fact[id].product != 0;
    return plain_operands(pl, s, node, ids);
}

/* One micro-operation that copies a value to the gradient block. */
static basin_status add_copy(planner *pl, const bs_result *r)
{
    int         i = pl->p->n_steps++;
    bs_step    *s = &pl->p->step[i];
    bs_id      *ids = bs_arena_alloc(&pl->scratch, sizeof *ids);
    bs_micro   *micro = bs_arena_alloc(&pl->p->arena, sizeof *micro);
    bs_operand *in = bs_arena_alloc(&pl->p->arena, sizeof *in);
    if (!ids || !micro || !in)
        return BASIN_ENOMEM;
    ids[0] = r->id;
    *micro = (bs_micro){.op = BS_OP_expand, .src = {-1, 0, 0}};
    *in = (bs_operand){.shape = bs_shape_of(pl->a.g, r->id)};
    s->node = *bs_graph_node(pl->a.g, r->id);
    s->node.op = BS_OP_expand;
    s->label = "copy";
    s->micro = micro;
    s->n_micro = s->n_in = 1;
    s->in = in;
    s->out = (bs_loc){BS_AT_GRAD, r->segment, 0};
    pl->operand_ids[i] = ids;
    pl->step_store[i] = 0; /* no store of the graph; place[0] is outside the arena */
    return BASIN_OK;
}

/* The steps of nodes from .. to, then copies of the gradients among them. */
static basin_status add_turn(planner *pl, bs_id from, bs_id to)
{
    bs_analysis *a = &pl->a;
    basin_status s = BASIN_OK;
    for (bs_id id = from; id < to && !s; id++)
        if (a->fact[id].live && a->fact[id].made)
            s = add_step(pl, id);
    for (int i = 0; i < a->n_results && !s; i++) {
        const bs_result *r = &a->results[i];
        if (r->segment >= 0 && r->id >= from && r->id < to && !bind_gradient(pl, r))
            s = add_copy(pl, r);
    }
    return s;
}

static basin_status add_steps(planner *pl)
{
    bs_analysis *a = &pl->a;
    size_t       most = (size_t)a->n + (size_t)a->n_results;
    pl->p->step = bs_arena_alloc(&pl->p->arena, most * sizeof *pl->p->step);
    pl->operand_ids = bs_arena_alloc(&pl->scratch, most * sizeof *pl->operand_ids);
    pl->step_store = bs_arena_alloc(&pl->scratch, most * sizeof *pl->step_store);
    if (!pl->p->step || !pl->operand_ids || !pl->step_store)
        return BASIN_ENOMEM;
    basin_status s = BASIN_OK;
    for (int k = 0; k < BS_TURNS; k++) {
        pl->p->turn[k] = pl->p->n_steps;
        if (!s)
            s = add_turn(pl, bs_graph_turn_begin(a->g, k), bs_graph_turn_begin(a->g, k + 1));
    }
    pl->p->turn[BS_TURNS] = pl->p->n_steps;
    return s;
}

static bs_loc locate(const planner *pl, bs_id id)
{
    const bs_fact *f = &pl->a.fact[id];
    bs_loc         loc = pl->place[f->store];
    loc.offset += f->offset;
    return loc;
}

/* Tells steps and results where their stores are. An operand list lives in the plan's arena; it is
 * const only for readers of the plan. */
static basin_status write_locations(planner *pl)
{
    for (int i = 0; i < pl->p->n_steps; i++) {
        bs_step    *s = &pl->p->step[i];
        bs_operand *in = bs_arena_alloc(&pl->p->arena, ((size_t)s->n_in + 1) * sizeof *in);
        if (!in)
            return BASIN_ENOMEM;
        for (int k = 0; k < s->n_in; k++) {
            in[k] = s->in[k];
            in[k].loc = locate(pl, pl->operand_ids[i][k]);
        }
        s->in = in;
        if (pl->step_store[i])
            s->out = pl->place[pl->step_store[i]];
    }
    pl->p->n_results = pl->a.n_results;
    pl->p->result =
        bs_arena_alloc(&pl->p->arena, ((size_t)pl->a.n_results + 1) * sizeof *pl->p->result);
    if (!pl->p->result)
        return BASIN_ENOMEM;
    for (int i = 0; i < pl->a.n_results; i++) {
        const bs_node *n = bs_graph_node(pl->a.g, pl->a.results[i].id);
        pl->p->result[i] =
            (bs_operand){locate(pl, pl->a.results[i].id), n->shape, (bs_type)n->type};
    }
    return BASIN_OK;
}

static basin_status run_passes(planner *pl, bs_order_fn order)
{
    bs_analysis *a = &pl->a;
    a->fact = bs_arena_alloc(&pl->scratch, (size_t)a->n * sizeof *a->fact);
    pl->place = bs_arena_alloc(&pl->scratch, (size_t)a->n * sizeof *pl->place);
    if (!a->fact || !pl->place)
        return BASIN_ENOMEM;
    pl->place[0].place = BS_AT_GRAD;
    bs_find_live(a);
    bs_find_accumulations(a);
    if (!bs_find_groups(a))
        return BASIN_ENOMEM;
    bs_find_stores(a);
    basin_status s = collect_inputs(pl);
    if (!s)
        s = add_steps(pl);
    if (!s && order && !(a->flags & BS_PLAN_NO_PAIRS))
        order(a, pl->p, pl->step_store, pl->operand_ids);
    if (!s && !bs_assign_slots(a, pl->p, pl->step_store, pl->operand_ids, pl->place))
        s = BASIN_ENOMEM;
    return s ? s : write_locations(pl);
}

basin_status bs_plan_make(const bs_graph *g, const bs_result *results, int n, unsigned flags,
                          bs_order_fn order, bs_plan **out, basin_error *err)
{
    *out = NULL;
    if (bs_graph_check(g, err))
        return bs_graph_check(g, NULL);
    for (int i = 0; i < n; i++)
        if (results[i].id <= 0 || results[i].id >= bs_graph_size(g))
            return bs_fail(err, BASIN_EARG, "plan: result %d is not a node of the graph", i);
    bs_plan *p = bs_calloc(1, sizeof *p);
    if (!p)
        return bs_fail_nomem(err);
    bs_arena_init(&p->arena, 0);
    p->apart = flags & BS_PLAN_APART;
    planner pl = {.p = p};
    bs_arena_init(&pl.scratch, 0);
    pl.a = (bs_analysis){.g = g,
                         .results = results,
                         .n_results = n,
                         .n = bs_graph_size(g),
                         .flags = flags,
                         .arena = &p->arena};
    basin_status s = run_passes(&pl, order);
    bs_arena_free(&pl.scratch);
    if (s) {
        bs_plan_free(p);
        return bs_fail_nomem(err);
    }
    *out = p;
    return BASIN_OK;
}

void bs_plan_free(bs_plan *p)
{
    if (!p)
        return;
    bs_arena_free(&p->arena);
    bs_free(p);
}

/* ---- looking at it ---- */

static void loc_text(bs_loc loc, bs_buf *out)
{
    static const char *const name[] = {"arena", "input", "param", "grad"};
    bs_buf_text(out, name[loc.place]);
    if (loc.place != BS_AT_ARENA)
        bs_buf_printf(out, "[%d]", loc.index);
    if (loc.place == BS_AT_ARENA || loc.offset)
        bs_buf_printf(out, "+%lld", (long long)loc.offset);
}

void bs_plan_text(const bs_plan *p, bs_buf *out)
{
    char shape[48];
    for (int i = 0; i < p->n_steps; i++) {
        const bs_step *s = &p->step[i];
        bs_buf_printf(out, "%3d  ", i);
        if (s->n_micro == 0)
            bs_buf_printf(out, "%s%s%s", s->may_overlap ? "|| " : "", bs_ops[s->node.op]->name,
                          s->accumulate ? " +=" : "");
        for (int m = 0; m < s->n_micro; m++)
            bs_buf_printf(out, "%s%s", m ? "." : "", bs_ops[s->micro[m].op]->name);
        bs_buf_printf(out, " %s -> ", bs_shape_text(s->node.shape, shape));
        loc_text(s->out, out);
        for (int k = 0; k < s->n_in; k++) {
            bs_buf_text(out, k ? ", " : " from ");
            loc_text(s->in[k].loc, out);
        }
        bs_buf_printf(out, "%s%s\n", *s->label ? "  # " : "", s->label);
    }
    bs_buf_printf(out, "%d steps, %zu bytes (%zu without reuse)\n", p->n_steps, p->bytes,
                  p->total_bytes);
}
