/* op_crf.c -- the partition function of a linear chain, fused, and from primitives.
 *
 *   log Z = log sum_y exp s(y),   s(y) = sum_t u_t[y_t] + W[y_{t-1}][y_t], with start and end
 *
 * by forward-backward (Rabiner 1989; Lafferty, McCallum and Pereira 2001). Three ops, as with lstm.
 * crf_forward gives log Z [B] and, behind it, the forward messages a [B, T, N]: log sums over all
 * beginnings, each row shifted so that its maximum is 0; long sentences therefore lose no digits.
 * crf_log_z is a view of the first part that knows how to differentiate: its derivative is
 * crf_posterior, the token marginals [B, T, N] and behind them, for each sentence, the expected
 * number of each transition [B, N + 1, N + 1].
 *
 * The derivative of crf_posterior is a Hessian of log Z times a vector. It is taken of the same
 * function built from primitives, so that everything here can be differentiated again, at the cost
 * of some nodes per position from the second derivative on.
 *
 * Scores below -1e30, minus infinity included, count as -1e30: this forbids a tag or a transition
 * without producing infinities. */
#include <math.h>
#include <string.h>

#include "graph/op.h"

typedef struct {
    int            B, T, N;
    const real    *unary, *transition;
    const int32_t *len;
} chain;

static double bounded(real x)
{
    return (double)x < -1e30 ? -1e30 : (double)x;
}

static double unary_at(const chain *c, int b, int t, int j)
{
    return bounded(c->unary[((int64_t)b * c->T + t) * c->N + j]);
}

static double step_at(const chain *c, int from, int to)
{
    return bounded(c->transition[(int64_t)from * (c->N + 1) + to]);
}

static int length_of(const chain *c, int b)
{
    return c->len[b] < 0 ? 0 : c->len[b] > c->T ? c->T : c->len[b];
}

/* Adds e^x to a sum kept as e^top times sum. */
static void log_add(double *top, double *sum, double x)
{
    if (x > *top) {
        *sum = *sum * exp(*top - x) + 1;
        *top = x;
    } else {
        *sum += exp(x - *top);
    }
}

/* Subtracts the maximum from a row and returns it. */
static double lower_to_zero(real *row, int n)
{
    double top = (double)row[0];
    for (int j = 1; j < n; j++)
        top = (double)row[j] > top ? (double)row[j] : top;
    for (int j = 0; j < n; j++)
        row[j] = (real)((double)row[j] - top);
    return top;
}

/* unary, transition, len from operand `first` on; NULL, or what is wrong with them */
static const char *chain_shape(const bs_graph *g, const bs_node *n, int first, bs_shape *unary)
{
    bs_shape w = bs_shape_of(g, n->src[first + 1]), len = bs_shape_of(g, n->src[first + 2]);
    *unary = bs_shape_of(g, n->src[first]);
    if (unary->d[0] != 1)
        return "the scores are not [B, T, N]";
    if (!bs_shape_equal(w, bs_shape2(unary->d[3] + 1, unary->d[3] + 1)))
        return "the transitions are not [N + 1, N + 1]";
    if (bs_shape_count(len) != unary->d[1])
        return "there is not one length per sentence";
    return NULL;
}

static chain chain_of(const bs_args *a, int first)
{
    bs_shape u = a->in_shape[first];
    return (chain){u.d[1], u.d[2], u.d[3], a->in[first], a->in[first + 1], a->in[first + 2]};
}

static const char *flat(bs_node *n, int64_t count)
{
    n->type = BS_T_REAL;
    if (count > INT32_MAX)
        return "the chains have too many elements";
    n->shape = bs_shape1((int)count);
    return NULL;
}

/* crf_forward: operands unary, transition, len ------------------------------------ */

static const char *crf_forward_shape(const bs_graph *g, bs_node *n)
{
    bs_shape    u;
    const char *wrong = chain_shape(g, n, 0, &u);
    return wrong ? wrong : flat(n, u.d[1] + bs_shape_count(u));
}

static double forward_plain(const chain *c, int b, real *a)
{
    const int N = c->N, L = length_of(c, b);
    double    shift = 0, top = -INFINITY, sum = 0;
    memset(a, 0, (size_t)c->T * N * sizeof *a);
    for (int t = 0; t < L; t++) {
        real *row = a + (int64_t)t * N, *before = row - N;
        for (int j = 0; j < N; j++) {
            double arrive_top = -INFINITY, arrive = 0;
            for (int i = 0; i < N && t > 0; i++)
                log_add(&arrive_top, &arrive, (double)before[i] + step_at(c, i, j));
            row[j] = (real)(unary_at(c, b, t, j) +
                            (t > 0 ? arrive_top + log(arrive) : step_at(c, N, j)));
        }
        shift += lower_to_zero(row, N);
    }
    for (int j = 0; j < N && L > 0; j++)
        log_add(&top, &sum, (double)a[(int64_t)(L - 1) * N + j] + step_at(c, j, N));
    return L > 0 ? shift + top + log(sum) : 0;
}

static void crf_forward_eval(const bs_args *args)
{
    const chain c = chain_of(args, 0);
    real       *log_z = args->out, *a = log_z + c.B;
    for (int b = 0; b < c.B; b++)
        log_z[b] = (real)forward_plain(&c, b, a + (int64_t)b * c.T * c.N);
}

enum { EX_B = 3, EX_T = 3 };

/* The operands of all examples: random lengths, full lengths, many tags, one tag. */
static void example_operands(bs_graph *g, bs_example *ex, int variant, bs_id in[3])
{
    const int N = variant == 3 ? 1 : variant == 2 ? 17 : 2;
    in[0] = bs_example_real(g, ex, bs_shape3(EX_B, EX_T, N), -1.5, 1.5);
    in[1] = bs_example_real(g, ex, bs_shape2(N + 1, N + 1), -1.5, 1.5);
    in[2] = bs_example_int(g, ex, bs_shape1(EX_B), EX_T + 1, false);
    int32_t *len = ex->n > 2 ? ex->leaf[2].data : NULL;
    for (int b = 0; b < EX_B && len && variant == 1; b++)
        len[b] = EX_T;
}

static bs_id forward_node(bs_graph *g, const bs_id in[3])
{
    return bs_emit(g, bs_make_node(BS_OP_crf_forward, in[0], in[1], in[2], 0));
}

static bs_id crf_forward_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id in[3];
    example_operands(g, ex, variant, in);
    return forward_node(g, in);
}

const bs_op bs_op_crf_forward = {.name = "crf_forward",
                                 .in = "rri",
                                 .shape = crf_forward_shape,
                                 .eval = crf_forward_eval,
                                 .example = crf_forward_example,
                                 .examples = 4};

/* crf_log_z: operands forward, unary, transition, len -------------------------------- */

static const char *with_forward(const bs_graph *g, const bs_node *n, bs_shape *u)
{
    const char *wrong = chain_shape(g, n, 1, u);
    if (!wrong && bs_shape_of(g, n->src[0]).d[3] != u->d[1] + bs_shape_count(*u))
        wrong = "the first operand is not what crf_forward gives";
    return wrong;
}

static const char *crf_log_z_shape(const bs_graph *g, bs_node *n)
{
    bs_shape    u;
    const char *wrong = with_forward(g, n, &u);
    n->type = BS_T_REAL;
    n->shape = bs_shape2(u.d[1], 1);
    return wrong;
}

static void split_posterior(bs_graph *g, bs_id posterior, bs_shape u, bs_id *tokens, bs_id *pairs)
{
    const int B = u.d[1], M = u.d[3] + 1, count = (int)bs_shape_count(u);
    *tokens = bs_reshape(g, bs_slice(g, posterior, -1, 0, count), u);
    *pairs = bs_reshape(g, bs_slice(g, posterior, -1, count, B * M * M), bs_shape3(B, M, M));
}

static void crf_log_z_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_shape u = bs_shape_of(g, n->src[1]);
    int      B = u.d[1], M = u.d[3] + 1;
    bs_id    tokens, pairs;
    bs_node  p = bs_make_node(BS_OP_crf_posterior, n->src[0], n->src[1], n->src[2], n->src[3]);
    (void)y;
    split_posterior(g, bs_emit(g, p), u, &tokens, &pairs);
    dx[1] = bs_mul(g, tokens, bs_reshape(g, dy, bs_shape3(B, 1, 1)));
    bs_id weights = bs_reshape(g, dy, bs_shape2(1, B));
    bs_id each = bs_reshape(g, pairs, bs_shape2(B, M * M));
    dx[2] = bs_reshape(g, bs_matmul(g, weights, each, false, false), bs_shape2(M, M));
}

static void crf_log_z_eval(const bs_args *a)
{
    memcpy(a->out, a->in[0], bs_value_bytes(BS_T_REAL, a->node->shape));
}

static bool crf_log_z_view(const bs_graph *g, const bs_node *n, int64_t *offset)
{
    (void)g, (void)n;
    *offset = 0;
    return true;
}

static bs_id crf_log_z_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id in[3];
    example_operands(g, ex, variant < 2 ? variant : 3, in);
    return bs_crf_log_z(g, in[0], in[1], in[2]);
}

const bs_op bs_op_crf_log_z = {.name = "crf_log_z",
                               .in = "rrri",
                               .flags = BS_OP_ALIAS,
                               .shape = crf_log_z_shape,
                               .vjp = crf_log_z_vjp,
                               .eval = crf_log_z_eval,
                               .view = crf_log_z_view,
                               .example = crf_log_z_example,
                               .examples = 3};

bs_id bs_crf_log_z(bs_graph *g, bs_id unary, bs_id transition, bs_id len)
{
    const bs_id in[3] = {unary, transition, len};
    bs_id       forward = forward_node(g, in);
    return bs_emit(g, bs_make_node(BS_OP_crf_log_z, forward, unary, transition, len));
}

/* crf_posterior: operands forward, unary, transition, len ------------------------------ */

static const char *crf_posterior_shape(const bs_graph *g, bs_node *n)
{
    bs_shape    u;
    const char *wrong = with_forward(g, n, &u);
    int64_t     M = u.d[3] + 1;
    return wrong ? wrong : flat(n, bs_shape_count(u) + u.d[1] * M * M);
}

/* The backward messages before position t from those after it; returns their maximum, which was
 * subtracted. */
static double message_back(const chain *c, int b, int t, const real *after, real *before)
{
    for (int i = 0; i < c->N; i++) {
        double top = -INFINITY, sum = 0;
        for (int j = 0; j < c->N; j++)
            log_add(&top, &sum, step_at(c, i, j) + unary_at(c, b, t, j) + (double)after[j]);
        before[i] = (real)(top + log(sum));
    }
    return lower_to_zero(before, c->N);
}

static double log_total(const real *a, const real *b, int n)
{
    double top = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++)
        log_add(&top, &sum, (double)a[j] + (double)b[j]);
    return top + log(sum);
}

/* Rows of `token` hold the backward messages until they are overwritten. */
static void posterior_plain(const chain *c, int b, const real *a, real *token, real *pair)
{
    const int N = c->N, M = N + 1, L = length_of(c, b);
    memset(token, 0, (size_t)c->T * N * sizeof *token);
    memset(pair, 0, (size_t)M * M * sizeof *pair);
    for (int j = 0; j < N && L > 0; j++)
        token[(int64_t)(L - 1) * N + j] = (real)step_at(c, j, N);
    for (int t = L - 1; t >= 0; t--) {
        real       *row = token + (int64_t)t * N, *before = row - N;
        const real *at = a + (int64_t)t * N, *old = at - N;
        double      shift = t > 0 ? message_back(c, b, t, row, before) : 0;
        double      all = t > 0 ? shift + log_total(old, before, N) : 0;
        for (int i = 0; i < N && t > 0; i++)
            for (int j = 0; j < N; j++)
                pair[i * M + j] += (real)exp((double)old[i] + step_at(c, i, j) +
                                             unary_at(c, b, t, j) + (double)row[j] - all);
        all = log_total(at, row, N);
        for (int j = 0; j < N; j++)
            row[j] = (real)exp((double)at[j] + (double)row[j] - all);
    }
    for (int j = 0; j < N && L > 0; j++) {
        pair[N * M + j] = token[j];
        pair[j * M + N] = token[(int64_t)(L - 1) * N + j];
    }
}

static void crf_posterior_eval(const bs_args *args)
{
    const chain   c = chain_of(args, 1);
    const int64_t size = (int64_t)c.T * c.N, M = c.N + 1;
    const real   *a = (const real *)args->in[0] + c.B;
    real         *token = args->out, *pair = token + c.B * size;
    for (int b = 0; b < c.B; b++)
        posterior_plain(&c, b, a + b * size, token + b * size, pair + b * M * M);
}

static bs_id posterior_node(bs_graph *g, const bs_id in[3])
{
    bs_id forward = forward_node(g, in);
    return bs_emit(g, bs_make_node(BS_OP_crf_posterior, forward, in[0], in[1], in[2]));
}

static bs_id crf_posterior_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id in[3];
    example_operands(g, ex, variant, in);
    return posterior_node(g, in);
}

bs_id bs_crf_marginals(bs_graph *g, bs_id unary, bs_id transition, bs_id len)
{
    const bs_id in[3] = {unary, transition, len};
    bs_id       tokens, pairs, posterior = posterior_node(g, in);
    if (bs_graph_check(g, NULL))
        return 0;
    split_posterior(g, posterior, bs_shape_of(g, unary), &tokens, &pairs);
    return tokens;
}

/* ---- the same from primitives ---- */

/* [B, 1, 1]: 1 where a sentence has a token t */
static bs_id inside(bs_graph *g, bs_id len, int t, int T, int B)
{
    bs_id longer = bs_pad(g, bs_fill(g, 1, bs_shape2(T - t, 1)), -2, t + 1, T + 1);
    return bs_reshape(g, bs_gather(g, longer, len), bs_shape3(B, 1, 1));
}

/* w is [N + 1, N + 1], or one per sentence: [B, N + 1, N + 1] */
static bs_id log_z_from_primitives(bs_graph *g, bs_id unary, bs_id w, bs_id len)
{
    bs_shape s = bs_shape_of(g, unary);
    int      B = s.d[1], T = s.d[2], N = s.d[3];
    bs_id    rows = bs_slice(g, w, -2, 0, N), step = bs_slice(g, rows, -1, 0, N);
    bs_id    start = bs_slice(g, bs_slice(g, w, -2, N, 1), -1, 0, N);
    bs_id    end = bs_slice(g, rows, -1, N, 1); /* [., N, 1] */
    bs_id    a = bs_add(g, bs_slice(g, unary, -2, 0, 1), start), first = inside(g, len, 0, T, B);
    for (int t = 1; t < T; t++) {
        bs_id all = bs_add(g, bs_reshape(g, a, bs_shape3(B, N, 1)), step);
        bs_id next = bs_add(g, bs_logsumexp(g, all, -2), bs_slice(g, unary, -2, t, 1));
        a = bs_where(g, inside(g, len, t, T, B), next, a);
    }
    bs_id z = bs_logsumexp(g, bs_add(g, bs_reshape(g, a, bs_shape3(B, N, 1)), end), -2);
    return bs_reshape(g, bs_where(g, first, z, bs_fill(g, 0, bs_shape3(B, 1, 1))), bs_shape2(B, 1));
}

bs_id bs_crf_log_z_unrolled(bs_graph *g, bs_id unary, bs_id transition, bs_id len)
{
    bs_node     n = bs_make_node(BS_OP_crf_forward, unary, transition, len, 0);
    bs_shape    s;
    const char *wrong = bs_graph_check(g, NULL) ? NULL : chain_shape(g, &n, 0, &s);
    if (wrong || bs_graph_check(g, NULL))
        return wrong ? bs_graph_refuse(g, "crf_log_z_unrolled: %s", wrong) : 0;
    return log_z_from_primitives(g, unary, transition, len);
}

/* ---- the derivative of the posterior ---- */

/* The value of a, expanded to s, as a new node that nothing else depends on. */
static bs_id place_of(bs_graph *g, bs_id a, bs_shape s)
{
    uint32_t old = bs_graph_salt(g, UINT32_C(0x80000000) + (uint32_t)bs_graph_size(g));
    bs_node  n = bs_make_node(BS_OP_expand, a, 0, 0, 0);
    n.shape = s;
    bs_id place = bs_emit(g, n);
    bs_graph_salt(g, old);
    return place;
}

/* <tokens, v> + <pairs, w> is the derivative of log Z along (v, w), with a transition matrix for
 * each sentence; its gradient is the vector we need. */
static void crf_posterior_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_shape u = bs_shape_of(g, n->src[1]);
    bs_id    d[2], v[2], wrt[2];
    (void)y;
    split_posterior(g, dy, u, &v[0], &v[1]);
    wrt[0] = place_of(g, n->src[1], u);
    wrt[1] = place_of(g, n->src[2], bs_shape_of(g, v[1]));
    bs_grad(g, log_z_from_primitives(g, wrt[0], wrt[1], n->src[3]), wrt, 2, d, false);
    bs_grad(g, bs_add(g, bs_dot(g, d[0], v[0]), bs_dot(g, d[1], v[1])), wrt, 2, dx + 1, false);
}

const bs_op bs_op_crf_posterior = {.name = "crf_posterior",
                                   .in = "rrri",
                                   .shape = crf_posterior_shape,
                                   .vjp = crf_posterior_vjp,
                                   .eval = crf_posterior_eval,
                                   .example = crf_posterior_example,
                                   .examples = 4};
