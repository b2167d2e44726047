/* op_bits.c -- binary label samples as packed bits.
 *
 * NCE, ranking and contrastive divergence score K sampled label sets per row.
 * A sample has few ones, so M y is a sum of rows of M, and y' b a sum of
 * elements of b: the cost follows the active labels, and no dense [B K, L]
 * matrix exists. Samples are constants; the products are linear in their other
 * operand, and their adjoints close the family. */
#include <string.h>

#include "graph/op.h"
#include "graph/sampling.h"

static inline int bit_at(const uint64_t *row, int l)
{
    return (int)(row[l / 64] >> (l % 64) & 1);
}

/* bits_sample: attr = K, stream. Row b K + k is sample k of row b; see sampling.h. */

static const char *bits_sample_shape(const bs_graph *g, bs_node *n)
{
    bs_shape p = bs_shape_of(g, n->src[0]);
    n->type = BS_T_BITS;
    if (p.d[0] != 1 || p.d[1] != 1)
        return "the probabilities are not a matrix";
    if (n->attr[0] < 1 || (int64_t)p.d[2] * n->attr[0] > INT32_MAX)
        return "the number of samples is not positive or too large";
    n->shape = bs_shape2(p.d[2] * n->attr[0], p.d[3]);
    return NULL;
}

/* One label of row b: a bit in K words, `words` apart. */
static void sample_label(const bs_args *a, const real *p, int b, int l, bool full)
{
    const int      K = a->node->attr[0], L = a->node->shape.d[3], rows = a->in_shape[0].d[2];
    const uint32_t stream = (uint32_t)a->node->attr[1];
    const uint64_t seed = a->run->seed, step = a->run->step, bit = (uint64_t)1 << (l % 64);
    const int      words = bs_bits_words(L);
    uint64_t      *out = (uint64_t *)a->out + (int64_t)b * K * words + l / 64;
    if (full || p[l] >= BS_RARE) {
        for (int k = 0; k < K; k++) {
            uint64_t e = full ? bs_full_element(b, L, l, K, k) : bs_single_element(b, L, l, K, k);
            uint32_t from = full ? stream : stream | BS_STREAM_SINGLE;
            if (bs_unit(bs_rng_at(seed, step, from, e)) < p[l])
                out[(int64_t)k * words] |= bit;
        }
        return;
    }
    for (int k = 0, draw = 0;; k++, draw++) {
        uint64_t e = bs_gap_element(draw, rows, b, L, l);
        uint32_t w = bs_rng_at(seed, step, stream | BS_STREAM_GAP, e);
        if (!bs_next_sample(bs_unit(w), p[l], K, &k))
            return;
        out[(int64_t)k * words] |= bit;
    }
}

static void bits_sample_eval(const bs_args *a)
{
    const int N = a->node->shape.d[2], L = a->node->shape.d[3];
    memset(a->out, 0, (size_t)N * (size_t)bs_bits_words(L) * sizeof(uint64_t));
    for (int b = 0; b < a->in_shape[0].d[2]; b++) {
        const real *p = (const real *)a->in[0] + (int64_t)b * L;
        int         often = 0;
        for (int l = 0; l < L; l++)
            often += p[l] >= BS_RARE;
        for (int l = 0; l < L; l++)
            sample_label(a, p, b, l, bs_is_full(often, L));
    }
}

static bs_id bits_sample_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id p = bs_example_real(g, ex, bs_shape2(3, variant ? 131 : 7), 0, variant ? 0.1 : 1);
    return bs_bits_sample(g, p, 4, (uint32_t)variant);
}

const bs_op bs_op_bits_sample = {.name = "bits_sample",
                                 .in = "r",
                                 .flags = BS_OP_CONSTANT | BS_OP_RANDOM,
                                 .shape = bits_sample_shape,
                                 .eval = bits_sample_eval,
                                 .example = bits_sample_example,
                                 .examples = 2};

bs_id bs_bits_sample(bs_graph *g, bs_id p, int K, uint32_t stream)
{
    bs_node n = bs_make_node(BS_OP_bits_sample, p, 0, 0, 0);
    n.attr[0] = K;
    n.attr[1] = (int32_t)stream;
    return bs_emit(g, n);
}

/* bits_pack ---------------------------------------------------------------------- */

static const char *bits_pack_shape(const bs_graph *g, bs_node *n)
{
    bs_shape a = bs_shape_of(g, n->src[0]);
    n->type = BS_T_BITS;
    n->shape = a;
    return a.d[0] == 1 && a.d[1] == 1 ? NULL : "the operand is not a matrix";
}

static void bits_pack_eval(const bs_args *a)
{
    const int   N = a->node->shape.d[2], L = a->node->shape.d[3], words = bs_bits_words(L);
    const real *x = a->in[0];
    uint64_t   *out = a->out;
    for (int r = 0; r < N; r++, x += L, out += words)
        for (int w = 0; w < words; w++) {
            const int end = L - 64 * w < 64 ? L - 64 * w : 64;
            uint64_t  word = 0;
            for (int i = 0; i < end; i++)
                word |= (uint64_t)(x[64 * w + i] > BS_REAL(0.5)) << i;
            out[w] = word;
        }
}

static bs_id bits_pack_example(bs_graph *g, bs_example *ex, int variant)
{
    return bs_bits_pack(g, bs_example_real(g, ex, bs_shape2(3, variant ? 131 : 7), 0, 1));
}

const bs_op bs_op_bits_pack = {.name = "bits_pack",
                               .in = "r",
                               .flags = BS_OP_CONSTANT,
                               .shape = bits_pack_shape,
                               .eval = bits_pack_eval,
                               .example = bits_pack_example,
                               .examples = 2};

bs_id bs_bits_pack(bs_graph *g, bs_id a)
{
    return bs_emit(g, bs_make_node(BS_OP_bits_pack, a, 0, 0, 0));
}

/* operands of the examples below: 12 rows, 3 for each row of probabilities */
static bs_id example_bits(bs_graph *g, int labels)
{
    bs_id u = bs_uniform(g, 7, bs_shape2(4, labels));
    return bs_bits_sample(g, bs_scale(g, u, 0.8), 3, 8);
}

/* bits_dense --------------------------------------------------------------------- */

static const char *bits_dense_shape(const bs_graph *g, bs_node *n)
{
    n->type = BS_T_REAL;
    n->shape = bs_shape_of(g, n->src[0]);
    return NULL;
}

static void bits_dense_eval(const bs_args *a)
{
    const int N = a->node->shape.d[2], L = a->node->shape.d[3];
    for (int r = 0; r < N; r++)
        for (int l = 0; l < L; l++)
            ((real *)a->out)[(int64_t)r * L + l] =
                (real)bit_at((const uint64_t *)a->in[0] + (int64_t)r * bs_bits_words(L), l);
}

static bs_id bits_dense_example(bs_graph *g, bs_example *ex, int variant)
{
    (void)ex;
    return bs_bits_dense(g, example_bits(g, variant ? 131 : 7));
}

const bs_op bs_op_bits_dense = {.name = "bits_dense",
                                .in = "b",
                                .flags = BS_OP_CONSTANT,
                                .shape = bits_dense_shape,
                                .eval = bits_dense_eval,
                                .example = bits_dense_example,
                                .examples = 2};

bs_id bs_bits_dense(bs_graph *g, bs_id bits)
{
    return bs_emit(g, bs_make_node(BS_OP_bits_dense, bits, 0, 0, 0));
}

/* bits_matmul, bits_matmul_t ---------------------------------------------------------- */

static const char *bits_matmul_shape(const bs_graph *g, bs_node *n)
{
    bs_shape s = bs_shape_of(g, n->src[0]), m = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    if (m.d[0] != 1 || m.d[1] != 1 || s.d[3] != m.d[2])
        return "the labels are not the rows of the matrix";
    n->shape = bs_shape2(s.d[2], m.d[3]);
    return NULL;
}

static void bits_matmul_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[1] = bs_bits_matmul_t(g, n->src[0], dy);
}

static void bits_matmul_eval(const bs_args *a)
{
    const int   N = a->node->shape.d[2], H = a->node->shape.d[3], L = a->in_shape[0].d[3];
    const real *m = a->in[1];
    for (int r = 0; r < N; r++) {
        const uint64_t *row = (const uint64_t *)a->in[0] + (int64_t)r * bs_bits_words(L);
        for (int h = 0; h < H; h++) {
            real  *out = (real *)a->out + (int64_t)r * H + h;
            double sum = a->accumulate ? (double)*out : 0;
            for (int l = 0; l < L; l++)
                sum += bit_at(row, l) ? (double)m[(int64_t)l * H + h] : 0;
            *out = (real)sum;
        }
    }
}

static bs_id bits_matmul_example(bs_graph *g, bs_example *ex, int variant)
{
    int L = variant ? 131 : 7;
    return bs_bits_matmul(g, example_bits(g, L), bs_example_real(g, ex, bs_shape2(L, 5), -1, 1));
}

const bs_op bs_op_bits_matmul = {.name = "bits_matmul",
                                 .in = "br",
                                 .flags = BS_OP_CAN_ADD,
                                 .shape = bits_matmul_shape,
                                 .vjp = bits_matmul_vjp,
                                 .eval = bits_matmul_eval,
                                 .example = bits_matmul_example,
                                 .examples = 2};

bs_id bs_bits_matmul(bs_graph *g, bs_id bits, bs_id m)
{
    return bs_emit(g, bs_make_node(BS_OP_bits_matmul, bits, m, 0, 0));
}

static const char *bits_matmul_t_shape(const bs_graph *g, bs_node *n)
{
    bs_shape s = bs_shape_of(g, n->src[0]), dy = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    if (dy.d[0] != 1 || dy.d[1] != 1 || s.d[2] != dy.d[2])
        return "samples and matrix differ in rows";
    n->shape = bs_shape2(s.d[3], dy.d[3]);
    return NULL;
}

static void bits_matmul_t_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[1] = bs_bits_matmul(g, n->src[0], dy);
}

static void bits_matmul_t_eval(const bs_args *a)
{
    const int   L = a->node->shape.d[2], H = a->node->shape.d[3], N = a->in_shape[0].d[2];
    const real *dy = a->in[1];
    real       *out = a->out;
    for (int64_t i = 0; i < (int64_t)L * H && !a->accumulate; i++)
        out[i] = 0;
    for (int r = 0; r < N; r++) {
        const uint64_t *row = (const uint64_t *)a->in[0] + (int64_t)r * bs_bits_words(L);
        for (int l = 0; l < L; l++)
            for (int h = 0; h < H && bit_at(row, l); h++)
                out[(int64_t)l * H + h] += dy[(int64_t)r * H + h];
    }
}

static bs_id bits_matmul_t_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id dy = bs_example_real(g, ex, bs_shape2(12, 5), -1, 1);
    return bs_bits_matmul_t(g, example_bits(g, variant ? 131 : 7), dy);
}

const bs_op bs_op_bits_matmul_t = {.name = "bits_matmul_t",
                                   .in = "br",
                                   .flags = BS_OP_CAN_ADD,
                                   .shape = bits_matmul_t_shape,
                                   .vjp = bits_matmul_t_vjp,
                                   .eval = bits_matmul_t_eval,
                                   .example = bits_matmul_t_example,
                                   .examples = 2};

bs_id bs_bits_matmul_t(bs_graph *g, bs_id bits, bs_id dy)
{
    return bs_emit(g, bs_make_node(BS_OP_bits_matmul_t, bits, dy, 0, 0));
}

/* bits_dot, bits_dot_t ------------------------------------------------------------------ */

static const char *bits_dot_shape(const bs_graph *g, bs_node *n)
{
    bs_shape s = bs_shape_of(g, n->src[0]), a = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    if (a.d[0] != 1 || a.d[1] != 1 || s.d[3] != a.d[3] || s.d[2] % a.d[2] != 0)
        return "the samples are not a multiple of the rows, or the labels differ";
    n->shape = bs_shape2(s.d[2], 1);
    return NULL;
}

static void bits_dot_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[1] = bs_bits_dot_t(g, n->src[0], dy, bs_shape_of(g, n->src[1]).d[2]);
}

static void bits_dot_eval(const bs_args *a)
{
    const int N = a->in_shape[0].d[2], L = a->in_shape[0].d[3], K = N / a->in_shape[1].d[2];
    for (int r = 0; r < N; r++) {
        const uint64_t *row = (const uint64_t *)a->in[0] + (int64_t)r * bs_bits_words(L);
        const real     *b = (const real *)a->in[1] + (int64_t)(r / K) * L;
        double          sum = 0;
        for (int l = 0; l < L; l++)
            sum += bit_at(row, l) ? (double)b[l] : 0;
        ((real *)a->out)[r] = (real)sum;
    }
}

static bs_id bits_dot_example(bs_graph *g, bs_example *ex, int variant)
{
    int L = variant ? 131 : 7;
    return bs_bits_dot(g, example_bits(g, L), bs_example_real(g, ex, bs_shape2(4, L), -1, 1));
}

const bs_op bs_op_bits_dot = {.name = "bits_dot",
                              .in = "br",
                              .shape = bits_dot_shape,
                              .vjp = bits_dot_vjp,
                              .eval = bits_dot_eval,
                              .example = bits_dot_example,
                              .examples = 2};

bs_id bs_bits_dot(bs_graph *g, bs_id bits, bs_id a)
{
    return bs_emit(g, bs_make_node(BS_OP_bits_dot, bits, a, 0, 0));
}

static const char *bits_dot_t_shape(const bs_graph *g, bs_node *n)
{
    bs_shape s = bs_shape_of(g, n->src[0]), dy = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    if (bs_shape_count(dy) != s.d[2] || dy.d[2] != s.d[2])
        return "there is not one value per sample";
    if (n->attr[0] < 1 || s.d[2] % n->attr[0] != 0)
        return "the samples are not a multiple of the rows";
    n->shape = bs_shape2(n->attr[0], s.d[3]);
    return NULL;
}

static void bits_dot_t_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[1] = bs_bits_dot(g, n->src[0], dy);
}

static void bits_dot_t_eval(const bs_args *a)
{
    const int   N = a->in_shape[0].d[2], L = a->in_shape[0].d[3], K = N / a->node->attr[0];
    const real *dy = a->in[1];
    real       *out = a->out;
    memset(out, 0, (size_t)bs_shape_count(a->node->shape) * sizeof *out);
    for (int r = 0; r < N; r++) {
        const uint64_t *row = (const uint64_t *)a->in[0] + (int64_t)r * bs_bits_words(L);
        for (int l = 0; l < L; l++)
            if (bit_at(row, l))
                out[(int64_t)(r / K) * L + l] += dy[r];
    }
}

static bs_id bits_dot_t_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id dy = bs_example_real(g, ex, bs_shape2(12, 1), -1, 1);
    return bs_bits_dot_t(g, example_bits(g, variant ? 131 : 7), dy, 4);
}

const bs_op bs_op_bits_dot_t = {.name = "bits_dot_t",
                                .in = "br",
                                .shape = bits_dot_t_shape,
                                .vjp = bits_dot_t_vjp,
                                .eval = bits_dot_t_eval,
                                .example = bits_dot_t_example,
                                .examples = 2};

bs_id bs_bits_dot_t(bs_graph *g, bs_id bits, bs_id dy, int b)
{
    bs_node n = bs_make_node(BS_OP_bits_dot_t, bits, dy, 0, 0);
    n.attr[0] = b;
    return bs_emit(g, n);
}
