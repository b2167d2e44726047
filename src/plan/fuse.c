/* fuse.c -- which nodes are folded into others.
 *
 * Elementwise DAGs: walking backwards, a node joins a group when all its consumers are in that one
 * group and have its shape. Such groups are convex, so running all of a group at its root is a
 * valid order, and only the root is written to memory. Chains would break at every value that a
 * derivative reuses (y - y*y).
 *
 * Accumulations: add(acc, product), where both die there and acc is itself a product or such a sum,
 * becomes the product's kernel adding into acc. That is how the weight gradient of K unrolled steps
 * stays one buffer. */
#include "plan/analysis.h"

static const bs_op *op_of(const bs_analysis *a, bs_id id)
{
    return bs_ops[bs_graph_node(a->g, id)->op];
}

/* What a turn reads must be computed in that turn, not when a later one needs it. */
static bool same_turn(const bs_analysis *a, bs_id x, bs_id y)
{
    return bs_graph_turn_of(a->g, x) == bs_graph_turn_of(a->g, y);
}

/* ---- liveness ---- */

void bs_find_live(bs_analysis *a)
{
    for (int i = 0; i < a->n_results; i++)
        a->fact[a->results[i].id].live = a->fact[a->results[i].id].result = true;
    for (bs_id id = a->n - 1; id > 0; id--) {
        const bs_node *n = bs_graph_node(a->g, id);
        if (!a->fact[id].live)
            continue;
        /* a view needs only the value it shows; its other operands are for the derivative */
        int operands = op_of(a, id)->flags & BS_OP_ALIAS ? 1 : 4;
        for (int k = 0; k < operands && n->src[k]; k++) {
            a->fact[n->src[k]].live = true;
            a->fact[n->src[k]].uses++;
            a->fact[n->src[k]].kept |= bs_graph_loops(a->g) && !same_turn(a, n->src[k], id);
        }
    }
}

/* ---- accumulation ---- */

static bool dies_into_its_consumer(const bs_analysis *a, bs_id id)
{
    return a->fact[id].uses == 1 && !a->fact[id].result && !a->fact[id].kept;
}

void bs_find_accumulations(bs_analysis *a)
{
    if (a->flags & BS_PLAN_NO_ACCUMULATE)
        return;
    for (bs_id id = 1; id < a->n; id++) {
        const bs_node *n = bs_graph_node(a->g, id);
        if (!a->fact[id].live || n->op != BS_OP_add || n->src[0] == n->src[1])
            continue;
        for (int k = 0; k < 2 && !a->fact[id].product; k++) {
            bs_id product = n->src[1 - k], acc = n->src[k];
            bool  sum_of_products = (op_of(a, acc)->flags & BS_OP_CAN_ADD) || a->fact[acc].product;
            if ((op_of(a, product)->flags & BS_OP_CAN_ADD) && sum_of_products &&
                dies_into_its_consumer(a, product) && dies_into_its_consumer(a, acc) &&
                same_turn(a, product, id) && bs_shape_equal(bs_shape_of(a->g, product), n->shape) &&
                bs_shape_equal(bs_shape_of(a->g, acc), n->shape))
                a->fact[id].product = product;
        }
    }
}

/* ---- groups ---- */

enum { UNDECIDED = 0, SEVERAL = -1 };

static bool fusable(const bs_analysis *a, bs_id id)
{
    return (op_of(a, id)->flags & BS_OP_ELEMENTWISE) && !a->fact[id].product;
}

/* The size of a group is bounded: micro-operations, and an upper estimate of its operands. */
typedef struct {
    int micro, operands;
} extent;

static bool fits(extent e, int operands)
{
    return e.micro + 1 <= BS_GROUP_MICRO && e.operands + operands - 1 <= BS_GROUP_OPERANDS;
}

static int arity(const bs_node *n)
{
    int k = 0;
    while (k < 4 && n->src[k])
        k++;
    return k;
}

/* Decides group[id] for elementwise nodes; owner[id] is the one group that all its consumers seen
 * so far belong to. */
bool bs_find_groups(bs_analysis *a)
{
    bs_id  *owner = bs_arena_alloc(a->arena, (size_t)a->n * sizeof *owner);
    extent *size = bs_arena_alloc(a->arena, (size_t)a->n * sizeof *size);
    if (!owner || !size)
        return false;
    for (bs_id id = a->n - 1; id > 0; id--) {
        const bs_node *n = bs_graph_node(a->g, id);
        if (!a->fact[id].live)
            continue;
        if (fusable(a, id)) {
            bs_id into = owner[id];
            bool  join = into > 0 && !a->fact[id].result && !(a->flags & BS_PLAN_NO_FUSE) &&
                        same_turn(a, id, into) && fits(size[into], arity(n));
            bs_id group = join ? into : id;
            a->fact[id].group = group;
            a->fact[id].next = a->fact[group].first;
            a->fact[group].first = id;
            size[group].micro++;
            size[group].operands += join ? arity(n) - 1 : arity(n);
        }
        for (int k = 0; k < 4 && n->src[k]; k++) {
            bs_id s = n->src[k], group = a->fact[id].group;
            bool  same = group && bs_shape_equal(bs_shape_of(a->g, s), n->shape);
            if (!same || (owner[s] != UNDECIDED && owner[s] != group))
                owner[s] = SEVERAL;
            else
                owner[s] = group;
        }
    }
    return true;
}

/* A generated leaf is made inside each group that uses it at its own shape (a constant: at any
 * shape); other readers need it in memory. */
static bool made_inside(const bs_analysis *a, bs_id leaf, bs_id consumer)
{
    if (!(op_of(a, leaf)->flags & BS_OP_GENERATED) || !a->fact[consumer].group)
        return false;
    return bs_graph_node(a->g, leaf)->op == BS_OP_fill ||
           bs_shape_equal(bs_shape_of(a->g, leaf), bs_shape_of(a->g, consumer));
}

bool bs_is_group_root(const bs_analysis *a, bs_id id)
{
    return a->fact[id].made && (a->fact[id].group == id || (op_of(a, id)->flags & BS_OP_GENERATED));
}

/* ---- stores ---- */

static void mark_made(bs_analysis *a, bs_id id)
{
    const bs_op *op = op_of(a, id);
    bs_fact     *f = &a->fact[id];
    if (op->flags & BS_OP_LEAF)
        f->made = false;
    else if (op->flags & BS_OP_GENERATED)
        f->made = f->result; /* also if something reads it from memory: see below */
    else if (f->group)
        f->made = f->group == id;
    else
        f->made = true;
}

void bs_find_stores(bs_analysis *a)
{
    for (bs_id id = 1; id < a->n; id++) {
        const bs_node *n = bs_graph_node(a->g, id);
        const bs_op   *op = op_of(a, id);
        bs_fact       *f = &a->fact[id];
        int64_t        offset = 0;
        f->store = id;
        if (!f->live)
            continue;
        mark_made(a, id);
        if ((op->flags & BS_OP_ALIAS) && !(a->flags & BS_PLAN_NO_VIEWS) &&
            op->view(a->g, n, &offset)) {
            f->made = false;
            f->store = a->fact[n->src[0]].store;
            f->offset = a->fact[n->src[0]].offset + offset * (int64_t)sizeof(real);
        } else if (f->product) {
            bs_id acc = n->src[0] == f->product ? n->src[1] : n->src[0];
            a->fact[f->product].made = false;
            f->store = a->fact[acc].store;
        }
        int operands = op->flags & BS_OP_ALIAS ? 1 : 4;
        for (int k = 0; k < operands && n->src[k]; k++)
            if ((op_of(a, n->src[k])->flags & BS_OP_GENERATED) && !made_inside(a, n->src[k], id))
                a->fact[n->src[k]].made = true;
    }
}

/* ---- the inside of a group ---- */

typedef struct {
    bs_analysis *a;
    bs_step     *step;
    bs_micro    *micro;
    bs_operand  *operand;
    bs_id       *operand_id;
    bs_id        value_of[BS_GROUP_REGISTERS]; /* node a register holds; 0 = free */
    int          left[BS_GROUP_MICRO];         /* uses still to come, by member */
    bs_id        member[BS_GROUP_MICRO];
    int          n_members;
} builder;

static int member_index(const builder *b, bs_id id)
{
    for (int i = 0; i < b->n_members; i++)
        if (b->member[i] == id)
            return i;
    return -1;
}

static int free_register(builder *b, bs_id value)
{
    for (int r = 0; r < BS_GROUP_REGISTERS; r++)
        if (!b->value_of[r]) {
            b->value_of[r] = value;
            return r;
        }
    return -1;
}

static int operand_index(builder *b, bs_id id)
{
    for (int i = 0; i < b->step->n_in; i++)
        if (b->operand_id[i] == id)
            return i;
    if (b->step->n_in == BS_GROUP_OPERANDS)
        return -1;
    const bs_node *n = bs_graph_node(b->a->g, id);
    b->operand[b->step->n_in] = (bs_operand){.shape = n->shape, .type = (bs_type)n->type};
    b->operand_id[b->step->n_in] = id;
    return b->step->n_in++;
}

/* Where micro-operation `consumer` finds operand `id`: INT8_MIN if there is no room. */
static int source_of(builder *b, bs_id consumer, bs_id id)
{
    const bs_node *n = bs_graph_node(b->a->g, id);
    int            m = member_index(b, id);
    if (m >= 0) {
        for (int r = 0; r < BS_GROUP_REGISTERS; r++)
            if (b->value_of[r] == id)
                return r;
        return INT8_MIN;
    }
    if (made_inside(b->a, id, consumer)) {
        int r = free_register(b, id);
        if (r < 0)
            return INT8_MIN;
        b->micro[b->step->n_micro++] = (bs_micro){
            .op = n->op, .dst = (int8_t)r, .attr = n->attr[0], .value = {n->value[0], n->value[1]}};
        return r;
    }
    int i = operand_index(b, id);
    return i < 0 ? INT8_MIN : -1 - i;
}

static void release(builder *b, int source, bs_id id)
{
    int m = member_index(b, id);
    if (source < 0 || (m >= 0 && --b->left[m] > 0))
        return;
    b->value_of[source] = 0;
}

static bool emit_member(builder *b, bs_id id)
{
    const bs_node *n = bs_graph_node(b->a->g, id);
    bs_micro       m = {.op = n->op, .attr = n->attr[0], .value = {n->value[0], n->value[1]}};
    int            source[3] = {0, 0, 0};
    for (int k = 0; k < 3 && n->src[k]; k++) {
        source[k] = k > 0 && n->src[k] == n->src[0] ? source[0] : source_of(b, id, n->src[k]);
        if (source[k] == INT8_MIN)
            return false;
        m.src[k] = (int8_t)source[k];
    }
    for (int k = 0; k < 3 && n->src[k]; k++) {
        bool again = (k > 0 && n->src[k] == n->src[0]) || (k > 1 && n->src[k] == n->src[1]);
        if (!again || member_index(b, n->src[k]) >= 0)
            release(b, source[k], n->src[k]);
    }
    int r = free_register(b, id);
    if (r < 0)
        return false;
    m.dst = (int8_t)r;
    b->micro[b->step->n_micro++] = m;
    return true;
}

/* Members in id order, and how often each is used inside. */
static void collect_members(builder *b, bs_id root)
{
    for (bs_id id = b->a->fact[root].first; id; id = b->a->fact[id].next)
        b->member[b->n_members++] = id;
    for (int i = 0; i < b->n_members; i++) {
        const bs_node *n = bs_graph_node(b->a->g, b->member[i]);
        for (int k = 0; k < 3 && n->src[k]; k++) {
            int m = member_index(b, n->src[k]);
            if (m >= 0)
                b->left[m]++;
        }
    }
}

bool bs_build_group(bs_analysis *a, bs_id root, bs_step *step, bs_id operand_ids[])
{
    builder b = {.a = a, .step = step, .operand_id = operand_ids};
    collect_members(&b, root);
    /* each member may bring three generated operands */
    b.micro = bs_arena_alloc(a->arena, (size_t)(4 * b.n_members + 1) * sizeof *b.micro);
    b.operand = bs_arena_alloc(a->arena, BS_GROUP_OPERANDS * sizeof *b.operand);
    if (!b.micro || !b.operand)
        return false;
    step->micro = b.micro;
    step->in = b.operand;
    const bs_node *n = bs_graph_node(a->g, root);
    if (bs_ops[n->op]->flags & BS_OP_GENERATED) {
        b.micro[step->n_micro++] =
            (bs_micro){.op = n->op, .attr = n->attr[0], .value = {n->value[0], n->value[1]}};
        return true;
    }
    for (int i = 0; i < b.n_members; i++)
        if (!emit_member(&b, b.member[i]))
            return false;
    return true;
}
