/* test64_members.c -- nets over label sets with members, biases and ramps, in double precision,
 * against what they are by definition; and the ramps themselves. */
#include "data/bins.h"
#include "tests/scene.h"

enum { ROWS = 5, D = 3, L = 4, W = 4, M = 3, BINS = 2 };

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

/* out = softplus(s * ((r * x) W) + b) of one member; r NULL: all 1. */
static void layer(scene *c, const char *name, int member, const double *x, int in, double *out)
{
    char        path[64];
    const real *factor = NULL;
    snprintf(path, sizeof path, "%s/r", name);
    if (bs_params_find(c->learner.params, path))
        factor = scene_param(c, path) + member * in;
    snprintf(path, sizeof path, "%s/W", name);
    const real *w = scene_param(c, path);
    snprintf(path, sizeof path, "%s/s", name);
    const real *s = scene_param(c, path) + member * W;
    snprintf(path, sizeof path, "%s/b", name);
    const real *b = scene_param(c, path) + member * W;
    for (int j = 0; j < W; j++) {
        double sum = 0;
        for (int i = 0; i < in; i++)
            sum += x[i] * (factor ? (double)factor[i] : 1) * (double)w[i * W + j];
        out[j] = softplus(sum * (double)s[j] + (double)b[j]);
    }
}

/* The mean over members of the probability of a label. */
static void by_definition(scene *c, int row, double p[L])
{
    const real *scale = scene_param(c, "bins/scale"), *shift = scene_param(c, "bins/shift");
    const real *w = scene_param(c, "net/labels/W"), *b = scene_param(c, "net/labels/b");
    double      ramp[D * BINS], h[W], top[W];
    for (int i = 0; i < D * BINS; i++) {
        double at = (double)c->x[row * D + i / BINS] * (double)scale[i] + (double)shift[i];
        ramp[i] = fmin(fmax(at, 0), 1);
    }
    memset(p, 0, L * sizeof *p);
    for (int m = 0; m < M; m++) {
        layer(c, "net/T/0", m, ramp, D * BINS, h);
        layer(c, "net/T/1", m, h, W, top);
        for (int l = 0; l < L; l++) {
            double z = (double)b[m * L + l];
            for (int j = 0; j < W; j++)
                z += top[j] * (double)w[(m * W + j) * L + l];
            p[l] += 1 / (1 + exp(-z)) / M;
        }
    }
}

static void a_net_says_what_its_members_say_on_average(void **state)
{
    (void)state;
    scene *c = scene_new("net.members=3 net.bias=yes net.bins=2 net.dropout=0", ROWS, D, L, 3);
    int    at = scene_result(c, bs_net_output(&c->s), -1);
    scene_start(c, 5);
    machine_run(&c->m, 1);
    const real *y = machine_value(&c->m, at);
    for (int row = 0; row < ROWS; row++) {
        double p[L];
        by_definition(c, row, p);
        for (int l = 0; l < L; l++)
            CHECK(fabs((double)y[row * L + l] - p[l]) < 1e-9, "row %d, label %d: %.12g, not %.12g",
                  row, l, (double)y[row * L + l], p[l]);
    }
    scene_free(c);
}

/* Members that are alike would be one net, trained M times. */
static void members_begin_different(void **state)
{
    (void)state;
    scene *c = scene_new("net.members=3 net.bias=yes net.dropout=0", ROWS, D, L, 3);
    int    at = scene_result(c, bs_net_members(&c->s), -1);
    check_graph(c->g);
    assert_int_equal(bs_params_allocate(c->learner.params, device_here(), 5, NULL), BASIN_OK);
    const real *sign = scene_param(c, "net/T/0/s");
    int         negative = 0;
    for (int i = 0; i < M * W; i++) {
        assert_true(fabs((double)sign[i]) == 1);
        negative += sign[i] < 0;
    }
    assert_true(negative > 0 && negative < M * W);
    scene_start(c, 5);
    machine_run(&c->m, 1);
    const real *z = machine_value(&c->m, at); /* [ROWS, M, L] */
    for (int m = 1; m < M; m++)
        assert_true(fabs((double)z[m * L] - (double)z[0]) > 1e-3);
    scene_free(c);
}

/* One member is the net as it was: no parameters but those of a plain one. */
static void one_member_is_a_plain_net(void **state)
{
    (void)state;
    scene *c = scene_new("net.dropout=0", ROWS, D, L, 3);
    scene_result(c, bs_net_members(&c->s), -1);
    scene_start(c, 5);
    assert_null(bs_params_find(c->learner.params, "net/T/0/s"));
    assert_null(bs_params_find(c->learner.params, "net/labels/b"));
    assert_null(bs_params_find(c->learner.params, "bins/scale"));
    scene_free(c);
}

/* energy.init=net: the local part of the energy is then the first member. */
static void an_energy_may_begin_as_the_first_member(void **state)
{
    (void)state;
    scene *c = scene_new("net.members=3 net.bias=yes net.bins=2 net.dropout=0 energy.init=net",
                         ROWS, D, L, 3);
    int    net = scene_result(c, bs_net_members(&c->s), -1);
    int    energy = scene_result(c, c->s.t->potentials(&c->s.v), -1);
    scene_start(c, 5);
    assert_int_equal(bs_enter_energy(&c->learner, NULL), BASIN_OK);
    machine_run(&c->m, 1);
    for (int row = 0; row < ROWS; row++)
        for (int l = 0; l < L; l++) {
            double z = (double)machine_value(&c->m, net)[row * M * L + l];
            double b = (double)machine_value(&c->m, energy)[row * L + l];
            CHECK(fabs(z - b) < 1e-12, "row %d, label %d: %.12g, not %.12g", row, l, b, z);
        }
    scene_free(c);
}

/* ---- ramps ---- */

static double ramped(const bs_bins *b, int feature, int bin, double x)
{
    const int at = feature * b->n + bin;
    return fmin(fmax(x * (double)b->scale[at] + (double)b->shift[at], 0), 1);
}

static void ramps_lie_between_quantiles(void **state)
{
    enum { N = 9 };
    (void)state;
    /* a number with an outlier, a category, a constant */
    static const float number[N] = {4, 1, 2, 3, 5, 6, 7, 8, 1000};
    static const char *label[] = {"y"};
    float              value[3 * N];
    int32_t            start[N + 1], index[3 * N], none[N + 1] = {0};
    static bs_feature  feature[] = {{"n", "n", NULL, BS_FEATURE_NUMERIC},
                                    {"c=a", "c", "a", BS_FEATURE_ONEHOT},
                                    {"k", "k", NULL, BS_FEATURE_NUMERIC}};
    for (int i = 0; i < N; i++) {
        start[i] = 3 * i;
        for (int f = 0; f < 3; f++)
            index[3 * i + f] = f;
        value[3 * i] = number[i];
        value[3 * i + 1] = (float)(i % 3 == 0);
        value[3 * i + 2] = 7;
    }
    start[N] = 3 * N;
    bs_schema schema = {
        .n_features = 3, .n_labels = 1, .feature = feature, .label = label, .dense = true};
    bs_rows  ds = {.schema = schema,
                   .rows = N,
                   .x = {N, 3, start, index, value},
                   .y = {N, 1, none, NULL, NULL}};
    bs_arena arena;
    bs_bins  b;
    bs_arena_init(&arena, 0);
    assert_int_equal(bs_bins_fit(&ds, &schema, 4, &arena, &b, NULL), BASIN_OK);
    /* sorted 1 2 3 4 5 6 7 8 1000: edges 1, 3, 5, 7, 1000 */
    static const double edge[] = {1, 3, 5, 7, 1000};
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(ramped(&b, 0, i, edge[i])) < 1e-6);
        assert_true(fabs(ramped(&b, 0, i, edge[i + 1]) - 1) < 1e-5);
        assert_true(fabs(ramped(&b, 0, i, (edge[i] + edge[i + 1]) / 2) - 0.5) < 1e-5);
    }
    assert_true(ramped(&b, 0, 3, 1e30) == 1 && ramped(&b, 0, 0, -1e30) == 0);
    assert_true(ramped(&b, 1, 0, 0) == 0 && ramped(&b, 1, 0, 1) == 1);
    for (int i = 1; i < 4; i++)
        assert_true(ramped(&b, 1, i, 1) == 0);
    for (int i = 0; i < 4; i++)
        assert_true(ramped(&b, 2, i, 7) == 0 && ramped(&b, 2, i, 9) == 0);
    bs_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_net_says_what_its_members_say_on_average),
        cmocka_unit_test(members_begin_different),
        cmocka_unit_test(one_member_is_a_plain_net),
        cmocka_unit_test(an_energy_may_begin_as_the_first_member),
        cmocka_unit_test(ramps_lie_between_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
