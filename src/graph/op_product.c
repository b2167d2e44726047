/* op_product.c -- matrix products, dense and with a sparse left side.
 *
 * A product's adjoints are products again: matmul with other transpose flags, spmm and its
 * transpose. A sparse matrix is data: there is no derivative by its values. */
#include "graph/op.h"

/* matmul: attr = ta, tb --------------------------------------------------------- */

static const char *matmul_shape(const bs_graph *g, bs_node *n)
{
    bs_shape a = bs_shape_of(g, n->src[0]), b = bs_shape_of(g, n->src[1]);
    bool     ta = n->attr[0], tb = n->attr[1];
    n->type = BS_T_REAL;
    for (int i = 0; i < 2; i++) {
        if (a.d[i] != b.d[i] && a.d[i] != 1 && b.d[i] != 1)
            return "the batch dimensions differ";
        n->shape.d[i] = a.d[i] == 1 ? b.d[i] : a.d[i];
    }
    if (a.d[ta ? 2 : 3] != b.d[tb ? 3 : 2])
        return "the inner dimensions differ";
    n->shape.d[2] = a.d[ta ? 3 : 2];
    n->shape.d[3] = b.d[tb ? 2 : 3];
    return NULL;
}

static void matmul_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id a = n->src[0], b = n->src[1];
    bool  ta = n->attr[0], tb = n->attr[1];
    (void)y;
    dx[0] = ta ? bs_matmul(g, b, dy, tb, true) : bs_matmul(g, dy, b, false, !tb);
    dx[1] = tb ? bs_matmul(g, dy, a, true, ta) : bs_matmul(g, a, dy, !ta, false);
}

static void matmul_eval(const bs_args *a)
{
    const bs_shape s = a->in_shape[0], t = a->in_shape[1], u = a->node->shape;
    const bool     ta = a->node->attr[0], tb = a->node->attr[1];
    const int      M = u.d[2], N = u.d[3], K = s.d[ta ? 2 : 3];
    real          *out = a->out;
    for (int b = 0; b < u.d[0] * u.d[1]; b++) {
        int         i0 = b / u.d[1], i1 = b % u.d[1];
        const real *x = (const real *)a->in[0] +
                        ((s.d[0] == 1 ? 0 : i0) * s.d[1] + (s.d[1] == 1 ? 0 : i1)) * (int64_t)M * K;
        const real *w = (const real *)a->in[1] +
                        ((t.d[0] == 1 ? 0 : i0) * t.d[1] + (t.d[1] == 1 ? 0 : i1)) * (int64_t)N * K;
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++, out++) {
                double sum = a->accumulate ? (double)*out : 0;
                for (int k = 0; k < K; k++)
                    sum += (double)x[ta ? k * (int64_t)M + m : m * (int64_t)K + k] *
                           (double)w[tb ? n * (int64_t)K + k : k * (int64_t)N + n];
                *out = (real)sum;
            }
    }
}

static bs_id matmul_example(bs_graph *g, bs_example *ex, int variant)
{
    bool     ta = variant & 1, tb = variant & 2;
    int      kind = variant / 4; /* plain matrices; both batched; one batched; a row; a column */
    int      M = kind == 3 ? 1 : 4, N = kind == 4 ? 1 : kind == 3 ? 37 : 3, K = 5;
    int      batch_a = kind == 1 || kind == 2 ? 2 : 1, batch_b = kind == 1 ? 2 : 1;
    bs_shape a = bs_shape4(1, batch_a, ta ? K : M, ta ? M : K);
    bs_shape b = bs_shape4(1, batch_b, tb ? N : K, tb ? K : N);
    bs_id    x = bs_example_real(g, ex, a, -1, 1);
    return bs_matmul(g, x, bs_example_real(g, ex, b, -1, 1), ta, tb);
}

const bs_op bs_op_matmul = {.name = "matmul",
                            .in = "rr",
                            .flags = BS_OP_CAN_ADD,
                            .shape = matmul_shape,
                            .vjp = matmul_vjp,
                            .eval = matmul_eval,
                            .example = matmul_example,
                            .examples = 20};

/* With an inner dimension of 1 every element is a single product and can join a fused group. The
 * adjoint of a sum of rows is of this kind. */
static bs_id outer_product(bs_graph *g, bs_id a, bs_id b, bool ta, bool tb)
{
    bs_shape s = bs_shape_of(g, a), t = bs_shape_of(g, b);
    bs_shape column = bs_shape4(s.d[0], s.d[1], s.d[ta ? 3 : 2], 1);
    bs_shape row = bs_shape4(t.d[0], t.d[1], 1, t.d[tb ? 2 : 3]);
    return bs_mul(g, bs_reshape(g, a, column), bs_reshape(g, b, row));
}

bs_id bs_matmul(bs_graph *g, bs_id a, bs_id b, bool ta, bool tb)
{
    if (bs_shape_of(g, a).d[ta ? 2 : 3] == 1 && bs_shape_of(g, b).d[tb ? 3 : 2] == 1)
        return outer_product(g, a, b, ta, tb);
    bs_node n = bs_make_node(BS_OP_matmul, a, b, 0, 0);
    n.attr[0] = ta;
    n.attr[1] = tb;
    return bs_emit(g, n);
}

/* spmm, spmm_t ------------------------------------------------------------------- */

static const char *spmm_shape(const bs_graph *g, bs_node *n)
{
    bs_shape x = bs_shape_of(g, n->src[0]), w = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    if (w.d[0] != 1 || w.d[1] != 1 || x.d[3] != w.d[2])
        return "the columns of the sparse matrix are not the rows of the other";
    n->shape = bs_shape2(x.d[2], w.d[3]);
    return NULL;
}

static void spmm_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[1] = bs_spmm_t(g, n->src[0], dy);
}

static void spmm_eval(const bs_args *a)
{
    const bs_csr *x = a->in[0];
    const real   *w = a->in[1];
    const int     H = a->node->shape.d[3];
    for (int i = 0; i < x->rows; i++)
        for (int h = 0; h < H; h++) {
            real  *out = (real *)a->out + i * (int64_t)H + h;
            double sum = a->accumulate ? (double)*out : 0;
            for (int k = x->start[i]; k < x->start[i + 1]; k++)
                sum +=
                    (x->value ? (double)x->value[k] : 1) * (double)w[x->index[k] * (int64_t)H + h];
            *out = (real)sum;
        }
}

static bs_id spmm_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id x = bs_example_csr(g, ex, 6, 9, variant);
    return bs_spmm(g, x, bs_example_real(g, ex, bs_shape2(9, 4), -1, 1));
}

const bs_op bs_op_spmm = {.name = "spmm",
                          .in = "cr",
                          .flags = BS_OP_CAN_ADD,
                          .shape = spmm_shape,
                          .vjp = spmm_vjp,
                          .eval = spmm_eval,
                          .example = spmm_example,
                          .examples = 2};

bs_id bs_spmm(bs_graph *g, bs_id csr, bs_id w)
{
    return bs_emit(g, bs_make_node(BS_OP_spmm, csr, w, 0, 0));
}

static const char *spmm_t_shape(const bs_graph *g, bs_node *n)
{
    bs_shape x = bs_shape_of(g, n->src[0]), dy = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    if (dy.d[0] != 1 || dy.d[1] != 1 || x.d[2] != dy.d[2])
        return "the two sides differ in rows";
    n->shape = bs_shape2(x.d[3], dy.d[3]);
    return NULL;
}

static void spmm_t_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[1] = bs_spmm(g, n->src[0], dy);
}

static void spmm_t_eval(const bs_args *a)
{
    const bs_csr *x = a->in[0];
    const real   *dy = a->in[1];
    const int     H = a->node->shape.d[3];
    real         *out = a->out;
    for (int64_t i = 0; i < bs_shape_count(a->node->shape) && !a->accumulate; i++)
        out[i] = 0;
    for (int i = 0; i < x->rows; i++)
        for (int k = x->start[i]; k < x->start[i + 1]; k++)
            for (int h = 0; h < H; h++)
                out[x->index[k] * (int64_t)H + h] +=
                    (x->value ? (real)x->value[k] : 1) * dy[i * (int64_t)H + h];
}

static bs_id spmm_t_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id x = bs_example_csr(g, ex, 6, 9, variant);
    return bs_spmm_t(g, x, bs_example_real(g, ex, bs_shape2(6, 4), -1, 1));
}

const bs_op bs_op_spmm_t = {.name = "spmm_t",
                            .in = "cr",
                            .flags = BS_OP_CAN_ADD,
                            .shape = spmm_t_shape,
                            .vjp = spmm_t_vjp,
                            .eval = spmm_t_eval,
                            .example = spmm_t_example,
                            .examples = 2};

bs_id bs_spmm_t(bs_graph *g, bs_id csr, bs_id dy)
{
    return bs_emit(g, bs_make_node(BS_OP_spmm_t, csr, dy, 0, 0));
}
