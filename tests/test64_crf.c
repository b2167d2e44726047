/* test64_crf.c -- chains of tags in double precision, against the list of all sequences. */
#include "tests/chain.h"

#include "nn/chain.h"

enum { B = 5, T = 4, N = 3, PATHS = 81 };

static const int32_t lengths[B] = {4, 1, 0, 3, 2};

typedef struct {
    bs_graph  *g;
    bs_example ex;
    chain      c;
    bs_id      unary, transition, len;
} setting;

static setting setting_new(double range)
{
    setting s = {.g = bs_graph_new()};
    bs_example_init(&s.ex, 6);
    s.unary = bs_example_real(s.g, &s.ex, bs_shape3(B, T, N), -range, range);
    s.transition = bs_example_real(s.g, &s.ex, bs_shape2(N + 1, N + 1), -range, range);
    s.len = bs_example_int(s.g, &s.ex, bs_shape1(B), T + 1, false);
    memcpy(s.ex.leaf[2].data, lengths, sizeof lengths);
    s.c = (chain){B, T, N, s.ex.leaf[0].data, s.ex.leaf[1].data, lengths};
    return s;
}

static void setting_free(setting *s)
{
    bs_example_free(&s->ex);
    bs_graph_free(s->g);
}

/* ---- scores ---- */

static bs_id mask_leaf(setting *s)
{
    bs_id mask = bs_example_real(s->g, &s->ex, bs_shape4(B, 1, T, 1), 0, 1);
    real *m = s->ex.leaf[s->ex.n - 1].data;
    for (int i = 0; i < B * T; i++)
        m[i] = i % T < lengths[i / T];
    return mask;
}

/* One-hot outputs of all sequences at once, with rubbish at padding. */
static void scores_of_all_sequences(void **state)
{
    (void)state;
    setting s = setting_new(2);
    bs_id   y = bs_example_real(s.g, &s.ex, bs_shape4(B, PATHS, T, N), 5, 9);
    real   *one_hot = s.ex.leaf[s.ex.n - 1].data;
    for (int b = 0; b < B; b++)
        for (int k = 0; k < PATHS; k++)
            for (int t = 0; t < lengths[b]; t++)
                for (int j = 0; j < N; j++)
                    one_hot[((b * PATHS + k) * T + t) * N + j] =
                        chain_tag(&s.c, lengths[b], k % chain_count(&s.c, lengths[b]), t) == j;
    bs_result r = {bs_chain_score(s.g, s.unary, s.transition, y, mask_leaf(&s)), -1};
    check_graph(s.g);
    machine m = machine_new(s.g, &s.ex, &r, 1, 0, 1);
    machine_run(&m, 0);
    for (int b = 0; b < B; b++)
        for (int k = 0; k < PATHS; k++) {
            double want = chain_value(&s.c, b, k % chain_count(&s.c, lengths[b]));
            assert_true(fabs((double)machine_value(&m, 0)[b * PATHS + k] - want) < 1e-12);
        }
    machine_free(&m);
    setting_free(&s);
}

/* A relaxed output scores what sequences drawn from it score on average. */
static void relaxed_scores_are_means(void **state)
{
    (void)state;
    setting s = setting_new(2);
    bs_id   y = bs_example_real(s.g, &s.ex, bs_shape4(B, 1, T, N), 0.1, 1);
    real   *p = s.ex.leaf[s.ex.n - 1].data;
    for (int i = 0; i < B * T; i++) {
        real sum = p[i * N] + p[i * N + 1] + p[i * N + 2];
        for (int j = 0; j < N; j++)
            p[i * N + j] /= sum;
    }
    bs_result r = {bs_chain_score(s.g, s.unary, s.transition, y, mask_leaf(&s)), -1};
    check_graph(s.g);
    machine m = machine_new(s.g, &s.ex, &r, 1, 0, 1);
    machine_run(&m, 0);
    for (int b = 0; b < B; b++) {
        double mean = 0;
        for (int k = 0; k < chain_count(&s.c, lengths[b]); k++) {
            double weight = 1;
            for (int t = 0; t < lengths[b]; t++)
                weight *= (double)p[(b * T + t) * N + chain_tag(&s.c, lengths[b], k, t)];
            mean += weight * chain_value(&s.c, b, k);
        }
        assert_true(fabs((double)machine_value(&m, 0)[b] - mean) < 1e-12);
    }
    machine_free(&m);
    setting_free(&s);
}

/* Leaves tag and pair of sequence k (modulo their number) for every sentence. */
static void path_leaves(setting *s, int k, bs_id *tag, bs_id *pair)
{
    *tag = bs_example_int(s->g, &s->ex, bs_shape3(B, T, 1), N, false);
    *pair = bs_example_int(s->g, &s->ex, bs_shape2(B, T + 1), N, false);
    int32_t *tags = s->ex.leaf[s->ex.n - 2].data, *pairs = s->ex.leaf[s->ex.n - 1].data;
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++)
            tags[b * T + t] =
                t < lengths[b] ? chain_tag(&s->c, lengths[b], k % chain_count(&s->c, lengths[b]), t)
                               : -1;
        bs_chain_pairs(tags + b * T, lengths[b], T, N, pairs + b * (T + 1));
    }
}

static void scores_of_given_sequences(void **state)
{
    (void)state;
    for (int k = 0; k < PATHS; k += 7) {
        setting s = setting_new(2);
        bs_id   tag, pair;
        path_leaves(&s, k, &tag, &pair);
        bs_result r = {bs_chain_path_score(s.g, s.unary, s.transition, tag, pair), -1};
        check_graph(s.g);
        machine m = machine_new(s.g, &s.ex, &r, 1, 0, 1);
        machine_run(&m, 0);
        for (int b = 0; b < B; b++) {
            double want = chain_value(&s.c, b, k % chain_count(&s.c, lengths[b]));
            assert_true(fabs((double)machine_value(&m, 0)[b] - want) < 1e-12);
        }
        machine_free(&m);
        setting_free(&s);
    }
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        setting     s = setting_new(1);
        basin_error err = {0};
        bs_id       y = bs_example_real(s.g, &s.ex, bs_shape4(B, 2, T, N), 0, 1);
        bs_id       wide = bs_example_real(s.g, &s.ex, bs_shape2(N, N), 0, 1);
        bs_chain_score(s.g, i == 2 ? wide : s.unary, i == 0 ? wide : s.transition, y,
                       i == 1 ? wide : mask_leaf(&s));
        CHECK(bs_graph_check(s.g, &err) == BASIN_EARG, "case %d was taken", i);
        setting_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_all_sequences),
        cmocka_unit_test(relaxed_scores_are_means),
        cmocka_unit_test(scores_of_given_sequences),
        cmocka_unit_test(wrong_shapes_are_refused),
    };
    return cmocka_run_group_tests_name("chains, double", tests, NULL, NULL);
}
