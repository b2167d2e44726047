/* op_attention.c -- self-attention within the documents of a packed batch, fused, and from
 * primitives.
 *
 *   out_i = sum_j p_ij v_j,   p_i = softmax_j(q_i . k_j / sqrt(width of a head)),
 *
 * where j goes over the pieces of the document of i. Queries, keys and values of all heads are the
 * columns of one matrix [N, 3 d]; the documents lie end to end. attention_back computes p again
 * from these instead of keeping it: it would be as large as everything else together. It has no
 * derivative; energies and losses that need a second one by x are built on features that do not
 * follow it, or from bs_attention_unrolled.
 *
 * Offsets start [B + 1]: document b has the rows from start[b] to start[b + 1]. Rows after the last
 * one give zeros. attr = heads, the most rows of a document. */
#include <math.h>
#include <string.h>

#include "graph/op.h"

/* One head of one document. */
typedef struct {
    int         n, width, stride; /* rows; columns of a head; 3 d */
    const real *q, *k, *v;
    double      scale;
} head;

static const char *packed_shape(const bs_graph *g, const bs_node *n, bs_shape qkv)
{
    bs_shape start = bs_shape_of(g, n->src[1]);
    if (qkv.d[0] != 1 || qkv.d[1] != 1 || n->attr[0] < 1 || qkv.d[3] % (3 * n->attr[0]) != 0)
        return "queries, keys and values are not [N, 3 heads width]";
    if (start.d[3] < 2 || bs_shape_count(start) != start.d[3])
        return "the offsets are not [documents + 1]";
    return NULL;
}

static head head_of(const bs_args *a, int b, int h)
{
    const int      d = a->in_shape[0].d[3] / 3, width = d / a->node->attr[0];
    const int32_t *start = a->in[1];
    const real    *x = (const real *)a->in[0] + (int64_t)start[b] * 3 * d + h * width;
    return (head){start[b + 1] - start[b], width, 3 * d, x, x + d, x + 2 * d,
                  1 / sqrt((double)width)};
}

static double dot(const real *a, const real *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* p[j] = how much row i looks at row j */
static void weights(const head *t, int i, double *p)
{
    double top = -INFINITY, sum = 0;
    for (int j = 0; j < t->n; j++) {
        p[j] = dot(t->q + i * t->stride, t->k + j * t->stride, t->width) * t->scale;
        top = p[j] > top ? p[j] : top;
    }
    for (int j = 0; j < t->n; j++)
        sum += p[j] = exp(p[j] - top);
    for (int j = 0; j < t->n; j++)
        p[j] /= sum;
}

enum { PLAIN_LONGEST = 2048 }; /* the plain kernels keep lines of weights on the stack */

/* attention: operands qkv, start ------------------------------------------------------ */

static const char *attention_shape(const bs_graph *g, bs_node *n)
{
    bs_shape qkv = bs_shape_of(g, n->src[0]);
    n->type = BS_T_REAL;
    n->shape = bs_shape2(qkv.d[2], qkv.d[3] / 3);
    return packed_shape(g, n, qkv);
}

static void attention_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_node back = bs_make_node(BS_OP_attention_back, n->src[0], n->src[1], dy, 0);
    (void)y;
    memcpy(back.attr, n->attr, sizeof back.attr);
    dx[0] = bs_emit(g, back);
}

static void attention_eval(const bs_args *a)
{
    const int      B = a->in_shape[1].d[3] - 1, d = a->node->shape.d[3];
    const int32_t *start = a->in[1];
    double         p[PLAIN_LONGEST];
    memset(a->out, 0, bs_value_bytes(BS_T_REAL, a->node->shape));
    for (int b = 0; b < B; b++)
        for (int h = 0; h < a->node->attr[0]; h++) {
            const head t = head_of(a, b, h);
            for (int i = 0; i < t.n && t.n <= PLAIN_LONGEST; i++) {
                real *out = (real *)a->out + (int64_t)(start[b] + i) * d + h * t.width;
                weights(&t, i, p);
                for (int c = 0; c < t.width; c++) {
                    double sum = 0;
                    for (int j = 0; j < t.n; j++)
                        sum += p[j] * (double)t.v[j * t.stride + c];
                    out[c] = (real)sum;
                }
            }
        }
}

/* Documents of these lengths, and some rows of none. */
static bs_id packed_example(bs_graph *g, bs_example *ex, int variant, int *heads, bs_id *start)
{
    static const int documents[] = {3, 2, 3};
    static const int length[][3] = {{2, 0, 3}, {17, 5, 0}, {1, 70, 33}};
    static const int head_count[] = {2, 3, 1}, width[] = {2, 20, 32}, more[] = {1, 2, 0};
    int32_t         *at = NULL;
    int              rows = 0;
    *start = bs_example_int(g, ex, bs_shape1(documents[variant] + 1), 1, false);
    if (*start)
        at = ex->leaf[ex->n - 1].data;
    for (int b = 0; b < documents[variant]; b++) {
        rows += length[variant][b];
        if (at)
            at[b + 1] = rows;
    }
    *heads = head_count[variant];
    return bs_example_real(g, ex, bs_shape2(rows + more[variant], 3 * *heads * width[variant]), -1,
                           1);
}

static bs_id attention_example(bs_graph *g, bs_example *ex, int variant)
{
    int   heads;
    bs_id start, qkv = packed_example(g, ex, variant, &heads, &start);
    return bs_attention(g, qkv, start, heads, 72);
}

const bs_op bs_op_attention = {.name = "attention",
                               .in = "ri",
                               .flags = BS_OP_ONCE,
                               .shape = attention_shape,
                               .vjp = attention_vjp,
                               .eval = attention_eval,
                               .example = attention_example,
                               .examples = 3};

bs_id bs_attention(bs_graph *g, bs_id qkv, bs_id start, int heads, int longest)
{
    bs_node n = bs_make_node(BS_OP_attention, qkv, start, 0, 0);
    n.attr[0] = heads;
    n.attr[1] = longest;
    return bs_emit(g, n);
}

/* attention_back: operands qkv, start, the adjoint of the result; that of qkv ----------- */

static const char *attention_back_shape(const bs_graph *g, bs_node *n)
{
    bs_shape qkv = bs_shape_of(g, n->src[0]), dy = bs_shape_of(g, n->src[2]);
    n->type = BS_T_REAL;
    n->shape = qkv;
    if (!bs_shape_equal(dy, bs_shape2(qkv.d[2], qkv.d[3] / 3)))
        return "operands and adjoint do not agree";
    return packed_shape(g, n, qkv);
}

/* The part of row i: dv_j += p_j dy_i; ds_j = p_j (dy_i . v_j - sum_j p_j dy_i . v_j). */
static void row_back(const head *t, int i, const real *dy, double *p, double *dq, double *dk,
                     double *dv)
{
    double ds[PLAIN_LONGEST], mean = 0;
    weights(t, i, p);
    for (int j = 0; j < t->n; j++) {
        ds[j] = dot(dy, t->v + j * t->stride, t->width);
        mean += p[j] * ds[j];
    }
    for (int j = 0; j < t->n; j++) {
        ds[j] = p[j] * (ds[j] - mean) * t->scale;
        for (int c = 0; c < t->width; c++) {
            dv[j * t->width + c] += p[j] * (double)dy[c];
            dq[i * t->width + c] += ds[j] * (double)t->k[j * t->stride + c];
            dk[j * t->width + c] += ds[j] * (double)t->q[i * t->stride + c];
        }
    }
}

static void attention_back_eval(const bs_args *a)
{
    const int      B = a->in_shape[1].d[3] - 1, d = a->in_shape[0].d[3] / 3;
    const int32_t *start = a->in[1];
    double         p[PLAIN_LONGEST];
    memset(a->out, 0, bs_value_bytes(BS_T_REAL, a->node->shape));
    for (int b = 0; b < B; b++)
        for (int h = 0; h < a->node->attr[0]; h++) {
            const head   t = head_of(a, b, h);
            const size_t size = (size_t)t.n * (size_t)t.width;
            const real  *dy = (const real *)a->in[2] + (int64_t)start[b] * d + h * t.width;
            real        *out = (real *)a->out + (int64_t)start[b] * 3 * d + h * t.width;
            double      *sum = t.n > PLAIN_LONGEST ? NULL : bs_calloc(3 * size + 1, sizeof *sum);
            for (int i = 0; i < t.n && sum; i++)
                row_back(&t, i, dy + (int64_t)i * d, p, sum, sum + size, sum + 2 * size);
            for (size_t k = 0; k < 3 * size && sum; k++) {
                const size_t at = k % size, w = (size_t)t.width;
                out[at / w * 3 * (size_t)d + k / size * (size_t)d + at % w] = (real)sum[k];
            }
            bs_free(sum);
        }
}

static bs_id attention_back_example(bs_graph *g, bs_example *ex, int variant)
{
    int      heads;
    bs_id    start, qkv = packed_example(g, ex, variant, &heads, &start);
    bs_shape s = bs_shape_of(g, qkv);
    bs_id    dy = bs_example_real(g, ex, bs_shape2(s.d[2], s.d[3] / 3), -1, 1);
    bs_node  n = bs_make_node(BS_OP_attention_back, qkv, start, dy, 0);
    n.attr[0] = heads;
    n.attr[1] = 72;
    return bs_emit(g, n);
}

const bs_op bs_op_attention_back = {.name = "attention_back",
                                    .in = "rir",
                                    .shape = attention_back_shape,
                                    .eval = attention_back_eval,
                                    .example = attention_back_example,
                                    .examples = 3};

/* ---- the same from primitives ---- */

/* Part `which` of qkv as [heads, N, width]. */
static bs_id part(bs_graph *g, bs_id qkv, int which, int heads)
{
    const bs_shape s = bs_shape_of(g, qkv);
    const int      d = s.d[3] / 3;
    bs_id          x = bs_slice(g, qkv, -1, which * d, d);
    return bs_permute(g, bs_reshape(g, x, bs_shape3(s.d[2], heads, d / heads)), 0, 2, 1, 3);
}

bs_id bs_attention_unrolled(bs_graph *g, bs_id qkv, bs_id same, int heads)
{
    const bs_shape s = bs_shape_of(g, qkv);
    const int      N = s.d[2], d = s.d[3] / 3;
    bs_id          q = part(g, qkv, 0, heads), k = part(g, qkv, 1, heads);
    bs_id scores = bs_scale(g, bs_matmul(g, q, k, false, true), 1 / sqrt((double)(d / heads)));
    bs_id hidden = bs_scale(g, bs_offset(g, same, -1), 1e9);
    bs_id p = bs_mul(g, bs_softmax(g, bs_add(g, scores, hidden), -1), same);
    bs_id out = bs_matmul(g, p, part(g, qkv, 2, heads), false, false);
    return bs_reshape(g, bs_permute(g, out, 0, 2, 1, 3), bs_shape2(N, d));
}
