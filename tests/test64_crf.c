/* test64_crf.c -- chains of tags in double precision, against the list of all sequences. */
#include "tests/chain.h"

#include "nn/chain.h"

enum { B = 5 };

typedef struct {
    bs_graph  *g;
    bs_example ex;
    chain      c;
    bs_id      unary, transition, len;
} setting;

static setting setting_new(int T, int N, double range)
{
    const int32_t lengths[B] = {T, 1, 0, T - 1, T > 2 ? 2 : T};
    setting       s = {.g = bs_graph_new()};
    bs_example_init(&s.ex, 6);
    s.unary = bs_example_real(s.g, &s.ex, bs_shape3(B, T, N), -range, range);
    s.transition = bs_example_real(s.g, &s.ex, bs_shape2(N + 1, N + 1), -range, range);
    s.len = bs_example_int(s.g, &s.ex, bs_shape1(B), T + 1, false);
    memcpy(s.ex.leaf[2].data, lengths, sizeof lengths);
    s.c = (chain){B, T, N, s.ex.leaf[0].data, s.ex.leaf[1].data, s.ex.leaf[2].data};
    return s;
}

static void setting_free(setting *s)
{
    bs_example_free(&s->ex);
    bs_graph_free(s->g);
}

static machine start(setting *s, const bs_result *r, int n)
{
    check_graph(s->g);
    machine m = machine_new(s->g, &s->ex, r, n, 0, 2);
    machine_run(&m, 0);
    return m;
}

static void *last_data(setting *s)
{
    return s->ex.leaf[s->ex.n - 1].data;
}

/* ---- scores ---- */

static bs_id mask_leaf(setting *s)
{
    const int T = s->c.T;
    bs_id     mask = bs_example_real(s->g, &s->ex, bs_shape4(B, 1, T, 1), 0, 1);
    real     *m = last_data(s);
    for (int i = 0; i < B * T; i++)
        m[i] = i % T < s->c.len[i / T];
    return mask;
}

/* Outputs y [B, K, T, N], output k one-hot for sequence k, with rubbish at padding. */
static bs_id one_hot_leaf(setting *s, int K)
{
    const int T = s->c.T, N = s->c.N;
    bs_id     y = bs_example_real(s->g, &s->ex, bs_shape4(B, K, T, N), 5, 9);
    real     *one_hot = last_data(s);
    for (int b = 0; b < B; b++)
        for (int k = 0; k < K; k++)
            for (int t = 0; t < s->c.len[b]; t++)
                for (int j = 0; j < N; j++)
                    one_hot[((b * K + k) * T + t) * N + j] = chain_tag(&s->c, b, k, t) == j;
    return y;
}

static void scores_of_all_sequences(void **state)
{
    enum { PATHS = 81 };
    (void)state;
    setting   s = setting_new(4, 3, 2);
    bs_id     y = one_hot_leaf(&s, PATHS);
    bs_result r = {bs_chain_score(s.g, s.unary, s.transition, y, mask_leaf(&s)), -1};
    machine   m = start(&s, &r, 1);
    for (int b = 0; b < B; b++)
        for (int k = 0; k < PATHS; k++)
            assert_true(fabs((double)machine_value(&m, 0)[b * PATHS + k] -
                             chain_value(&s.c, b, k)) < 1e-12);
    machine_free(&m);
    setting_free(&s);
}

/* A relaxed output scores what sequences drawn from it score on average. */
static void relaxed_scores_are_means(void **state)
{
    enum { T = 4, N = 3 };
    (void)state;
    setting s = setting_new(T, N, 2);
    bs_id   y = bs_example_real(s.g, &s.ex, bs_shape4(B, 1, T, N), 0.1, 1);
    real   *p = last_data(&s);
    for (int i = 0; i < B * T; i++) {
        real sum = p[i * N] + p[i * N + 1] + p[i * N + 2];
        for (int j = 0; j < N; j++)
            p[i * N + j] /= sum;
    }
    bs_result r = {bs_chain_score(s.g, s.unary, s.transition, y, mask_leaf(&s)), -1};
    machine   m = start(&s, &r, 1);
    for (int b = 0; b < B; b++) {
        double mean = 0;
        for (int k = 0; k < chain_count(&s.c, b); k++) {
            double weight = 1;
            for (int t = 0; t < s.c.len[b]; t++)
                weight *= (double)p[(b * T + t) * N + chain_tag(&s.c, b, k, t)];
            mean += weight * chain_value(&s.c, b, k);
        }
        assert_true(fabs((double)machine_value(&m, 0)[b] - mean) < 1e-12);
    }
    machine_free(&m);
    setting_free(&s);
}

/* The score of sequence k (modulo their number) of every sentence, by index. */
static bs_id path_score(setting *s, int k)
{
    const int T = s->c.T, N = s->c.N;
    bs_id     tag = bs_example_int(s->g, &s->ex, bs_shape3(B, T, 1), N, false);
    int32_t  *tags = last_data(s);
    bs_id     pair = bs_example_int(s->g, &s->ex, bs_shape2(B, T + 1), N, false);
    int32_t  *pairs = last_data(s);
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++)
            tags[b * T + t] = t < s->c.len[b] ? chain_tag(&s->c, b, k, t) : -1;
        bs_chain_pairs(tags + b * T, s->c.len[b], T, N, pairs + b * (T + 1));
    }
    return bs_chain_path_score(s->g, s->unary, s->transition, tag, pair);
}

static void scores_of_given_sequences(void **state)
{
    (void)state;
    for (int k = 0; k < 81; k += 7) {
        setting   s = setting_new(4, 3, 2);
        bs_result r = {path_score(&s, k), -1};
        machine   m = start(&s, &r, 1);
        for (int b = 0; b < B; b++)
            assert_true(fabs((double)machine_value(&m, 0)[b] - chain_value(&s.c, b, k)) < 1e-12);
        machine_free(&m);
        setting_free(&s);
    }
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        setting     s = setting_new(4, 3, 1);
        basin_error err = {0};
        bs_id       y = bs_example_real(s.g, &s.ex, bs_shape4(B, 2, 4, 3), 0, 1);
        bs_id       wrong = bs_example_real(s.g, &s.ex, bs_shape2(3, 3), 0, 1);
        bs_id       unary = i % 3 == 2 ? wrong : s.unary, w = i % 3 == 0 ? wrong : s.transition;
        bs_id       mask = i % 3 == 1 ? wrong : mask_leaf(&s), len = i % 3 == 1 ? wrong : s.len;
        if (i < 3)
            bs_chain_score(s.g, unary, w, y, mask);
        else
            bs_crf_log_z_unrolled(s.g, unary, w, len);
        CHECK(bs_graph_check(s.g, &err) == BASIN_EARG, "case %d was taken", i);
        setting_free(&s);
    }
}

/* ---- partition function ---- */

static double log_z(const chain *c, int b)
{
    double top = -INFINITY, sum = 0;
    for (int k = 0; k < chain_count(c, b); k++)
        top = fmax(top, chain_value(c, b, k));
    for (int k = 0; k < chain_count(c, b); k++)
        sum += exp(chain_value(c, b, k) - top);
    return top + log(sum);
}

/* Adds the marginals of sentence b to tokens [T, N], `weight` times the transitions to pairs. */
static void add_posterior(const chain *c, int b, double weight, real *tokens, real *pairs)
{
    const double z = log_z(c, b);
    for (int k = 0; k < chain_count(c, b) && c->len[b]; k++) {
        double p = exp(chain_value(c, b, k) - z);
        int    before = c->N;
        for (int t = 0; t <= c->len[b]; t++) {
            int tag = t < c->len[b] ? chain_tag(c, b, k, t) : c->N;
            if (t < c->len[b])
                tokens[t * c->N + tag] += (real)p;
            pairs[before * (c->N + 1) + tag] += (real)(weight * p);
            before = tag;
        }
    }
}

/* log Z, marginals and the gradients of sum_b weight_b log Z_b, fused and from primitives. */
static void check_partition(setting *s, double tolerance)
{
    const int T = s->c.T, N = s->c.N, M = N + 1;
    bs_id     weight = bs_example_real(s->g, &s->ex, bs_shape2(B, 1), -1, 1);
    real     *w = last_data(s), *tokens = calloc((size_t)(B * T * N), sizeof *tokens);
    real     *pairs = calloc((size_t)(M * M), sizeof *pairs);
    bs_id     wrt[2] = {s->unary, s->transition}, d[2];
    bs_result r[7];
    for (int k = 0; k < 2; k++) {
        bs_id z = k ? bs_crf_log_z_unrolled(s->g, s->unary, s->transition, s->len)
                    : bs_crf_log_z(s->g, s->unary, s->transition, s->len);
        bs_grad(s->g, bs_dot(s->g, z, weight), wrt, 2, d, false);
        r[3 * k] = (bs_result){z, -1};
        r[3 * k + 1] = (bs_result){d[0], -1};
        r[3 * k + 2] = (bs_result){d[1], -1};
    }
    r[6] = (bs_result){bs_crf_marginals(s->g, s->unary, s->transition, s->len), -1};
    machine m = start(s, r, 7);
    for (int b = 0; b < B; b++)
        add_posterior(&s->c, b, (double)w[b], tokens + b * T * N, pairs);
    double e = distance(machine_value(&m, 6), tokens, B * T * N, 1e-3);
    CHECK(e < tolerance, "T %d, N %d: marginals off by %.3g", T, N, e);
    for (int i = 0; i < B * T * N; i++)
        tokens[i] *= w[i / (T * N)];
    for (int k = 0; k < 2; k++) {
        for (int b = 0; b < B; b++) {
            double want = s->c.len[b] ? log_z(&s->c, b) : 0;
            double got = (double)machine_value(&m, 3 * k)[b];
            CHECK(fabs(got - want) <= tolerance * fmax(1, fabs(want)),
                  "T %d, N %d, sentence %d, way %d: log Z is %.15g, not %.15g", T, N, b, k, got,
                  want);
        }
        double off[] = {distance(machine_value(&m, 3 * k + 1), tokens, B * T * N, 1e-3),
                        distance(machine_value(&m, 3 * k + 2), pairs, M * M, 1e-3)};
        CHECK(off[0] < tolerance && off[1] < tolerance,
              "T %d, N %d, way %d: gradients off by %.3g and %.3g", T, N, k, off[0], off[1]);
    }
    machine_free(&m);
    free(tokens);
    free(pairs);
}

static const int sizes[][2] = {{1, 1}, {1, 4}, {2, 2}, {5, 1}, {4, 3}, {6, 4}, {2, 40}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void partition_is_the_sum_over_sequences(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        setting s = setting_new(sizes[i][0], sizes[i][1], 3);
        check_partition(&s, 1e-12);
        setting_free(&s);
    }
}

/* e^1000 overflows, and a product of e^-1000 is nothing: exact all the same. */
static void extreme_scores(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        setting s = setting_new(sizes[i][0], sizes[i][1], 1000);
        check_partition(&s, 1e-11);
        setting_free(&s);
    }
}

/* The way back to a good end leads through what looks worst at first. */
static void late_reward(void **state)
{
    enum { T = 6, N = 3 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        setting s = setting_new(T, N, 1);
        real   *u = s.ex.leaf[0].data, *w = s.ex.leaf[1].data;
        for (int b = 0; b < B; b++)
            u[(b * T) * N + 1] -= 900;
        for (int from = 0; from < N; from++) /* once in tag 1, always in tag 1 */
            w[from * (N + 1) + 1] -= from == 1 ? 0 : 1000;
        w[1 * (N + 1) + N] += i ? 2000 : 900;
        check_partition(&s, 1e-11);
        setting_free(&s);
    }
}

/* Minus infinity forbids: the others share what is left. */
static void forbidden_transitions(void **state)
{
    enum { T = 5, N = 3 };
    (void)state;
    setting s = setting_new(T, N, 2);
    real   *w = s.ex.leaf[1].data, *u = s.ex.leaf[0].data;
    w[0 * (N + 1) + 1] = w[N * (N + 1) + 2] = w[2 * (N + 1) + N] = (real)-INFINITY;
    u[0] = (real)-INFINITY;
    bs_id     wrt[2] = {s.unary, s.transition}, d[2];
    bs_result r[3] = {{bs_crf_log_z(s.g, s.unary, s.transition, s.len), -1}};
    bs_grad(s.g, r[0].id, wrt, 2, d, false);
    r[1] = (bs_result){d[0], -1};
    r[2] = (bs_result){d[1], -1};
    machine m = start(&s, r, 3);
    real    tokens[B * T * N] = {0}, pairs[(N + 1) * (N + 1)] = {0};
    for (int b = 0; b < B; b++) {
        if (s.c.len[b])
            assert_true(fabs((double)machine_value(&m, 0)[b] - log_z(&s.c, b)) < 1e-12);
        add_posterior(&s.c, b, 1, tokens + b * T * N, pairs);
    }
    assert_true(distance(machine_value(&m, 1), tokens, B * T * N, 1e-3) < 1e-12);
    assert_true(distance(machine_value(&m, 2), pairs, (N + 1) * (N + 1), 1e-3) < 1e-12);
    assert_true(machine_value(&m, 2)[1] == 0);
    machine_free(&m);
    setting_free(&s);
}

/* -log p of given sequences and its gradients: three ways to write it are one function. */
static void likelihood_by_every_route(void **state)
{
    enum { T = 4, N = 3, M = N + 1, K = 5 };
    (void)state;
    setting   s = setting_new(T, N, 2);
    bs_id     y = one_hot_leaf(&s, K + 1), wrt[2] = {s.unary, s.transition}, d[2];
    bs_id     by_index = path_score(&s, K), mask = mask_leaf(&s);
    bs_id     relaxed = bs_chain_score(s.g, s.unary, s.transition, y, mask);
    bs_id     by_one_hot = bs_reshape(s.g, bs_slice(s.g, relaxed, -3, K, 1), bs_shape2(B, 1));
    bs_result r[9];
    for (int k = 0; k < 3; k++) {
        bs_id z = k == 1 ? bs_crf_log_z_unrolled(s.g, s.unary, s.transition, s.len)
                         : bs_crf_log_z(s.g, s.unary, s.transition, s.len);
        bs_id loss = bs_mean(s.g, bs_sub(s.g, z, k == 2 ? by_one_hot : by_index));
        bs_grad(s.g, loss, wrt, 2, d, false);
        r[3 * k] = (bs_result){loss, -1};
        r[3 * k + 1] = (bs_result){d[0], -1};
        r[3 * k + 2] = (bs_result){d[1], -1};
    }
    machine m = start(&s, r, 9);
    double  want = 0;
    for (int b = 0; b < B; b++)
        want += s.c.len[b] ? (log_z(&s.c, b) - chain_value(&s.c, b, K)) / B : 0;
    for (int k = 0; k < 3; k++) {
        assert_true(fabs((double)machine_value(&m, 3 * k)[0] - want) < 1e-12);
        assert_true(distance(machine_value(&m, 3 * k + 1), machine_value(&m, 1), B * T * N, 1e-3) <
                    1e-12);
        assert_true(distance(machine_value(&m, 3 * k + 2), machine_value(&m, 2), M * M, 1e-3) <
                    1e-12);
    }
    machine_free(&m);
    setting_free(&s);
}

/* Sums over sentences are in the order of the sentences, whoever did which. */
static void same_bits_with_any_number_of_threads(void **state)
{
    enum { S = 40, T = 20, N = 17, M = N + 1 };
    bs_graph  *g = bs_graph_new();
    bs_example ex;
    (void)state;
    bs_example_init(&ex, 8);
    bs_id wrt[2] = {bs_example_real(g, &ex, bs_shape3(S, T, N), -9, 9),
                    bs_example_real(g, &ex, bs_shape2(M, M), -9, 9)},
          d[2];
    bs_id len = bs_example_int(g, &ex, bs_shape1(S), T + 1, false);
    bs_id weight = bs_example_real(g, &ex, bs_shape2(S, 1), -1, 1);
    bs_id loss = bs_dot(g, bs_crf_log_z(g, wrt[0], wrt[1], len), weight);
    bs_grad(g, loss, wrt, 2, d, false);
    check_graph(g);
    bs_result r[3] = {{loss, -1}, {d[0], -1}, {d[1], -1}};
    machine   one = machine_new(g, &ex, r, 3, 0, 1);
    machine_run(&one, 0);
    for (int threads = 2; threads <= 5; threads++) {
        machine m = machine_new(g, &ex, r, 3, 0, threads);
        machine_run(&m, 0);
        assert_memory_equal(machine_value(&one, 0), machine_value(&m, 0), sizeof(real));
        assert_memory_equal(machine_value(&one, 1), machine_value(&m, 1), S * T * N * sizeof(real));
        assert_memory_equal(machine_value(&one, 2), machine_value(&m, 2), M * M * sizeof(real));
        machine_free(&m);
    }
    machine_free(&one);
    bs_example_free(&ex);
    bs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_all_sequences),
        cmocka_unit_test(relaxed_scores_are_means),
        cmocka_unit_test(scores_of_given_sequences),
        cmocka_unit_test(wrong_shapes_are_refused),
        cmocka_unit_test(partition_is_the_sum_over_sequences),
        cmocka_unit_test(extreme_scores),
        cmocka_unit_test(late_reward),
        cmocka_unit_test(forbidden_transitions),
        cmocka_unit_test(likelihood_by_every_route),
        cmocka_unit_test(same_bits_with_any_number_of_threads),
    };
    return cmocka_run_group_tests_name("chains, double", tests, NULL, NULL);
}
