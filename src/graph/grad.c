/* grad.c -- reverse-mode derivatives that are nodes of the same graph.
 *
 * One sweep from the target down. Only nodes that lie between some wrt and the
 * target are visited, so the encoder of x is never differentiated when the
 * gradient by y is asked for. Each op's vjp gives adjoints of the shape of its
 * result; broadcasting is undone here, in one place. Since every vjp emits
 * ordinary nodes, the result can be differentiated again; ops marked
 * BS_OP_ONCE refuse that when the graph is built, not when it runs. */
#include <string.h>

#include "graph/op.h"

/* reach[id]: the value of id depends on some wrt through differentiable ops */
static void mark_reach(const bs_graph *g, bs_id target, const bs_id *wrt, int n, bool *reach)
{
    bs_id lowest = target;
    for (int i = 0; i < n; i++) {
        if (wrt[i] > 0 && wrt[i] <= target) {
            reach[wrt[i]] = true;
            lowest = wrt[i] < lowest ? wrt[i] : lowest;
        }
    }
    for (bs_id id = lowest + 1; id <= target; id++) {
        const bs_node *node = bs_graph_node(g, id);
        if (bs_ops[node->op]->flags & BS_OP_CONSTANT)
            continue;
        for (int k = 0; k < 4; k++)
            reach[id] |= node->src[k] && reach[node->src[k]];
    }
}

static void add_adjoint(bs_graph *g, bs_id *adjoint, bs_id to, bs_id dx)
{
    if (!bs_shape_equal(bs_shape_of(g, dx), bs_shape_of(g, to)))
        dx = bs_sum_to(g, dx, bs_shape_of(g, to));
    adjoint[to] = adjoint[to] ? bs_add(g, adjoint[to], dx) : dx;
}

static void sweep(bs_graph *g, bs_id target, bs_id lowest, const bool *reach, bs_id *adjoint)
{
    adjoint[target] = bs_fill(g, 1, bs_shape_of(g, target));
    for (bs_id id = target; id > lowest; id--) {
        if (!reach[id] || !adjoint[id])
            continue;
        bs_node      node = *bs_graph_node(g, id); /* a copy: emitting may move the array */
        const bs_op *op = bs_ops[node.op];
        bool         wanted = false;
        for (int k = 0; k < 4; k++)
            wanted |= node.src[k] && reach[node.src[k]];
        if (!wanted)
            continue;
        if (!op->vjp) {
            bs_graph_refuse(g,
                            "%s of '%s' has no further derivative (node %d, '%s'); build this part "
                            "from primitives, for example bs_lstm_unrolled",
                            op->name, bs_graph_label(g, node.src[0]), (int)id,
                            bs_graph_label(g, id));
            return;
        }
        bs_id dx[4] = {0};
        op->vjp(g, &node, id, adjoint[id], dx);
        for (int k = 0; k < 4; k++)
            if (node.src[k] && reach[node.src[k]] && dx[k])
                add_adjoint(g, adjoint, node.src[k], dx[k]);
    }
}

/* A reshape stands for the value under it, and builders look through it, so the target may depend
 * on that value without depending on the node: we differentiate by the value. */
static bs_id under_reshape(const bs_graph *g, bs_id id)
{
    while (id > 0 && bs_graph_node(g, id)->op == BS_OP_reshape)
        id = bs_graph_node(g, id)->src[0];
    return id;
}

void bs_grad(bs_graph *g, bs_id target, const bs_id *wrt, int n, bs_id *out, bool allow_unused)
{
    memset(out, 0, (size_t)n * sizeof *out);
    if (bs_graph_check(g, NULL))
        return;
    if (target <= 0 || target >= bs_graph_size(g)) {
        bs_graph_refuse(g, "grad: the target is not a node");
        return;
    }
    size_t size = (size_t)target + 1;
    bool  *reach = bs_calloc(size, sizeof *reach);
    bs_id *adjoint = bs_calloc(size, sizeof *adjoint);
    bs_id *place = bs_calloc((size_t)n + 1, sizeof *place);
    bs_id  lowest = target;
    if (!reach || !adjoint || !place) {
        bs_graph_nomem(g);
        goto done;
    }
    for (int i = 0; i < n; i++) {
        /* simplification may have removed a constant from the target */
        if (wrt[i] > 0 && bs_graph_node(g, wrt[i])->op == BS_OP_fill) {
            bs_graph_refuse(g, "grad: node %d, '%s', is a constant; bs_stop() makes it a place",
                            (int)wrt[i], bs_graph_label(g, wrt[i]));
            goto done;
        }
        place[i] = under_reshape(g, wrt[i]);
        lowest = place[i] < lowest ? place[i] : lowest;
    }
    mark_reach(g, target, place, n, reach);
    sweep(g, target, lowest, reach, adjoint);

    for (int i = 0; i < n && !bs_graph_check(g, NULL); i++) {
        bs_id a = place[i] > 0 && place[i] <= target ? adjoint[place[i]] : 0;
        if (!a && !allow_unused) {
            bs_graph_refuse(g, "grad: the target does not depend on node %d, '%s'", (int)wrt[i],
                            bs_graph_label(g, wrt[i]));
            break;
        }
        out[i] =
            a ? bs_reshape(g, a, bs_shape_of(g, wrt[i])) : bs_fill(g, 0, bs_shape_of(g, wrt[i]));
    }
done:
    bs_free(reach);
    bs_free(adjoint);
    bs_free(place);
}

/* Pearlmutter (1994): the Hessian times v is the derivative of <df/dy, v>. */
static bs_id hvp_exact(bs_graph *g, bs_scalar_fn f, void *ctx, bs_id y, bs_id v)
{
    bs_id dy, hv;
    bs_grad(g, f(g, ctx, y), &y, 1, &dy, true);
    bs_grad(g, bs_dot(g, dy, bs_stop(g, v)), &y, 1, &hv, true);
    return hv;
}

static bs_id gradient_at(bs_graph *g, bs_scalar_fn f, void *ctx, bs_id y)
{
    bs_id dy;
    bs_grad(g, f(g, ctx, y), &y, 1, &dy, true);
    return dy;
}

bs_id bs_hvp(bs_graph *g, bs_scalar_fn f, void *ctx, bs_id y, bs_id v, bs_hvp_kind kind, double eps)
{
    if (kind == BS_HVP_EXACT)
        return hvp_exact(g, f, ctx, y, v);
    bs_id step = bs_scale(g, v, eps);
    bs_id up = gradient_at(g, f, ctx, bs_add(g, y, step));
    bs_id down = gradient_at(g, f, ctx, bs_sub(g, y, step));
    return bs_scale(g, bs_sub(g, up, down), 0.5 / eps);
}
