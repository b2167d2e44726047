/* test_decide.c -- sets with the best expected metric against exhaustive search, and samples of an
 * energy against its exact distribution over all sets of ten labels. */
#include "tests/scene.h"

#include "data/expected.h"
#include "model/posterior.h"

enum { L = 10, SETS = 1 << L, ROWS = 5, D = 4 };

/* ---- decisions ---- */

static double f1(int y, int h)
{
    const int both = __builtin_popcount((unsigned)(y & h));
    const int sum = __builtin_popcount((unsigned)y) + __builtin_popcount((unsigned)h);
    return sum ? 2.0 * both / sum : 0.25;
}

static double jaccard(int y, int h)
{
    const int any = __builtin_popcount((unsigned)(y | h));
    return any ? (double)__builtin_popcount((unsigned)(y & h)) / any : 0.25;
}

static double value(bs_decision d, int y, int h)
{
    switch (d) {
    case BS_DECIDE_F1: return f1(y, h);
    case BS_DECIDE_JACCARD: return jaccard(y, h);
    case BS_DECIDE_HAMMING: return -__builtin_popcount((unsigned)(y ^ h));
    default: return y == h;
    }
}

static void sets_have_the_best_expected_metric(void **state)
{
    enum { N = 40 };
    (void)state;
    bs_rng rng = bs_rng_make(3, 0, 0);
    int    exactly = 0;
    for (int round = 0; round < 60; round++) {
        uint8_t        y[N * L], choice[L];
        double         weight[N], sum = 0;
        int            set[N];
        const uint32_t alike = round % 4 ? SETS - 1 : 0x2a; /* few different sets, too */
        for (int k = 0; k < N; k++) {
            set[k] = (int)(bs_rng_below(&rng, SETS) & bs_rng_below(&rng, SETS) & alike);
            sum += weight[k] = pow(bs_rng_uniform(&rng), round % 3 ? 8 : 1);
            for (int l = 0; l < L; l++)
                y[k * L + l] = (uint8_t)(set[k] >> l & 1);
        }
        for (int k = 0; k < N; k++)
            weight[k] /= sum;
        for (int d = BS_DECIDE_F1; d < BS_DECISIONS; d++) {
            const bs_set_samples s = {y, weight, N, L, 0.25};
            double               best = -L, got = 0;
            int                  h = 0;
            assert_int_equal(bs_decide_set(&s, (bs_decision)d, choice, NULL), BASIN_OK);
            for (int l = 0; l < L; l++)
                h |= choice[l] << l;
            for (int other = 0; other < SETS; other++) {
                double expected = 0;
                for (int k = 0; k < N; k++)
                    expected += weight[k] * value((bs_decision)d, set[k], other);
                best = fmax(best, expected);
                got = other == h ? expected : got;
            }
            exactly += d == BS_DECIDE_JACCARD && got > best - 1e-12;
            CHECK(got > best - (d == BS_DECIDE_JACCARD ? 0.002 : 1e-12),
                  "round %d, %s: %.9f where %.9f is possible", round,
                  bs_decision_name((bs_decision)d), got, best);
        }
    }
    CHECK(exactly >= 57, "the best Jaccard index in %d of 60 rounds", exactly);
}

/* Of more labels than are tried, the likeliest are; sets of most of many labels take little. */
static void many_labels_take_little(void **state)
{
    enum { N = 700, MANY = 2200, CROWD = 60000, SETS_OF = 3 };
    uint8_t *y = calloc(N, MANY), *crowd = calloc(SETS_OF, CROWD), *choice = calloc(CROWD, 1);
    double   weight[N];
    (void)state;
    for (int k = 0; k < N; k++) {
        weight[k] = 1.0 / N;
        for (int i = 0; i < 3; i++)
            y[k * MANY + 3 * k + i] = 1;
        y[k * MANY + MANY - 1] = y[k * MANY + MANY / 2] = 1;
    }
    const bs_set_samples many = {y, weight, N, MANY, 0};
    assert_int_equal(bs_decide_set(&many, BS_DECIDE_F1, choice, NULL), BASIN_OK);
    for (int l = 0; l < MANY; l++)
        assert_int_equal(choice[l], l == MANY - 1 || l == MANY / 2);
    for (int k = 0; k < SETS_OF; k++)
        for (int l = 100; l < CROWD; l++)
            crowd[k * CROWD + l] = l % 50 != k;
    weight[0] = weight[1] = weight[2] = 1.0 / SETS_OF;
    const bs_set_samples crowds = {crowd, weight, SETS_OF, CROWD, 0};
    for (int d = BS_DECIDE_F1; d < BS_DECISIONS; d++) {
        int chosen = 0, wrong = 0;
        assert_int_equal(bs_decide_set(&crowds, (bs_decision)d, choice, NULL), BASIN_OK);
        for (int l = 0; l < CROWD; l++) {
            chosen += choice[l];
            wrong += choice[l] && l < 100;
        }
        CHECK(chosen > 0 && wrong == 0, "%s: %d labels, %d wrong ones",
              bs_decision_name((bs_decision)d), chosen, wrong);
    }
    free(y);
    free(crowd);
    free(choice);
}

static void names_are_read_back(void **state)
{
    bs_decision d;
    basin_error err = {0};
    (void)state;
    for (int i = 0; i < BS_DECISIONS; i++) {
        assert_int_equal(bs_decision_parse(bs_decision_name((bs_decision)i), &d, NULL), BASIN_OK);
        assert_int_equal(d, i);
    }
    assert_int_equal(bs_decision_parse("F1", &d, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "'F1' is not threshold, f1, subset"));
}

/* ---- samples ---- */

/* What the sampler tells of ROWS rows. */
typedef struct {
    double one[ROWS][L], two[ROWS][L][L]; /* P(y_i), P(y_i and y_j) */
    double effective[ROWS], energy[ROWS];
    int    best[ROWS];
} told;

/* An energy over pairs: labels 0 to 3 and 4 to 7 exclude each other by `strength`, one of each must
 * be on, and the rest is small noise. */
static scene *subject_new(double strength)
{
    scene *c = scene_new("energy.kind=pairs net.dropout=0", ROWS, D, L, 21);
    c->s.t->energy(&c->s.v, c->s.t->start(&c->s.v, 0, 1));
    c->s.t->logits(&c->s.v, "net");
    scene_allocate(c, 7);
    scene_shake(c, "energy/pairs", 0.5);
    real *w = scene_param(c, "energy/pairs");
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (i / 4 == j / 4)
                w[i * L + j] += (real)(i == j ? strength : -strength);
    return c;
}

/* E of all sets of all rows. */
static void exact_energies(scene *c, double e[ROWS][SETS])
{
    bs_id y = bs_leaf(c->g, "all", BS_T_REAL, bs_shape3(ROWS, SETS, L));
    real *all = scene_bind(c, y);
    for (int i = 0; i < ROWS * SETS * L; i++)
        all[i] = (real)(i / L % SETS >> i % L & 1);
    c->s.v.net_dropout = c->s.v.energy_dropout = false;
    scene_result(c, c->s.t->energy(&c->s.v, y), -1);
    scene_start(c, 7);
    machine_run(&c->m, 0);
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < SETS; k++)
            e[r][k] = (double)machine_value(&c->m, 0)[r * SETS + k];
}

static void exactly(double e[ROWS][SETS], told *out)
{
    memset(out, 0, sizeof *out);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int k = 1; k < SETS; k++)
            out->best[r] = e[r][k] < e[r][out->best[r]] ? k : out->best[r];
        out->energy[r] = e[r][out->best[r]];
        for (int k = 0; k < SETS; k++)
            sum += exp(out->energy[r] - e[r][k]);
        for (int k = 0; k < SETS; k++)
            for (int i = 0; i < L; i++)
                for (int j = 0; j < L && k >> i & 1; j++)
                    out->two[r][i][j] += (k >> j & 1) * exp(out->energy[r] - e[r][k]) / sum;
        for (int i = 0; i < L; i++)
            out->one[r][i] = out->two[r][i][i];
    }
}

static void take(const bs_posterior_samples *s, int from, int rows, told *out)
{
    for (int r = 0; r < rows; r++) {
        out->effective[from + r] = s->effective[r];
        for (int k = 0; k < s->samples; k++) {
            const real *y = s->y + (r * s->samples + k) * L;
            for (int i = 0; i < L; i++)
                for (int j = 0; j < L && y[i] > 0; j++)
                    out->two[from + r][i][j] += s->weight[r * s->samples + k] * (double)y[j];
        }
        for (int i = 0; i < L; i++)
            out->one[from + r][i] = out->two[from + r][i][i];
    }
}

static void take_best(const bs_posterior_samples *s, int from, int rows, told *out)
{
    for (int r = 0; r < rows; r++) {
        out->best[from + r] = 0;
        out->energy[from + r] = s->energy[r];
        for (int i = 0; i < L; i++)
            out->best[from + r] |= (s->best[r * L + i] > 0) << i;
    }
}

/* rows at a time: 1 or all. models: the same one so many times. */
static void sample(scene *c, const float *net, int samples, int rows, int threads, int models,
                   told *out)
{
    bs_workspace        *w;
    bs_energy_program   *e = NULL;
    bs_posterior        *p;
    bs_posterior_samples s;
    basin_error          err = {0};
    real                 x[8 * D] = {0};
    memset(out, 0, sizeof *out);
    assert_int_equal(bs_workspace_open((bs_machine){.threads = threads}, &w, NULL), BASIN_OK);
    if (bs_params_count(c->learner.params, "energy/") > 0)
        CHECK(!bs_energy_program_new(w, c->learner.params, &c->learner.spec, &e, &err), "%s",
              err.msg);
    for (int i = 1; i < models; i++)
        assert_int_equal(bs_energy_program_join(e, w, c->learner.params, NULL), BASIN_OK);
    assert_int_equal(bs_posterior_new(e, &c->learner.spec, samples, &p, NULL), BASIN_OK);
    for (int first = 0; first < ROWS; first += rows) {
        const bs_batch b = {.size = {rows == 1 ? 1 : 8, 1, 1}, .x = {x}};
        memcpy(x, c->x + first * D, (size_t)rows * D * sizeof *x);
        CHECK(!bs_posterior_draw(p, &b, net + first * L, rows, false, &s, &err), "%s", err.msg);
        take(&s, first, rows, out);
        CHECK(!bs_posterior_draw(p, &b, net + first * L, rows, true, &s, &err), "%s", err.msg);
        take_best(&s, first, rows, out);
    }
    bs_posterior_free(p);
    bs_energy_program_free(e);
    bs_workspace_close(w);
}

static void samples_follow_the_energy(void **state)
{
    static double e[ROWS][SETS];
    static told   want, got;
    (void)state;
    for (int hard = 0; hard < 2; hard++) {
        scene *c = subject_new(hard ? 12 : 0.2);
        float  net[ROWS * L];
        for (int i = 0; i < ROWS * L; i++)
            net[i] = (float)(0.1 + 0.08 * (i % 7));
        exact_energies(c, e);
        exactly(e, &want);
        sample(c, net, 1000, ROWS, 1, 1, &got);
        for (int r = 0; r < ROWS; r++) {
            double off = 0;
            CHECK(hard ? got.effective[r] < 0.2 : got.effective[r] > 0.01,
                  "row %d: %.3f of the samples are effective", r, got.effective[r]);
            for (int i = 0; i < L; i++)
                for (int j = 0; j < L; j++)
                    off = fmax(off, fabs(got.two[r][i][j] - want.two[r][i][j]));
            CHECK(off < 0.07, "strength %d, row %d: a probability of a pair is off by %.3f", hard,
                  r, off);
            CHECK(got.best[r] == want.best[r] && fabs(got.energy[r] - want.energy[r]) < 1e-3,
                  "row %d: set %x with energy %g, not %x with %g", r, (unsigned)got.best[r],
                  got.energy[r], (unsigned)want.best[r], want.energy[r]);
        }
        scene_free(c);
    }
}

static void rows_do_not_depend_on_their_company(void **state)
{
    static told all, alone, three, twice;
    (void)state;
    scene *c = subject_new(8);
    float  net[ROWS * L];
    for (int i = 0; i < ROWS * L; i++)
        net[i] = (float)(0.05 + 0.11 * (i % 8));
    sample(c, net, 64, ROWS, 1, 1, &all);
    sample(c, net, 64, 1, 1, 1, &alone);
    sample(c, net, 64, ROWS, 3, 1, &three);
    sample(c, net, 64, ROWS, 1, 2, &twice);
    assert_memory_equal(&all, &alone, sizeof all);
    assert_memory_equal(&all, &three, sizeof all);
    assert_memory_equal(&all, &twice, sizeof all); /* the mean of two equal energies */
    scene_free(c);
}

/* Without an energy the samples are the net's. */
static void nets_decide_by_their_own_probabilities(void **state)
{
    (void)state;
    scene *c = scene_new("", ROWS, D, L, 3);
    told   got;
    float  net[ROWS * L];
    c->s.t->logits(&c->s.v, "net");
    scene_allocate(c, 2);
    for (int i = 0; i < ROWS * L; i++)
        net[i] = (float)(0.02 + 0.019 * i);
    sample(c, net, 500, ROWS, 1, 1, &got);
    for (int r = 0; r < ROWS; r++) {
        assert_true(got.effective[r] == 1);
        for (int i = 0; i < L; i++)
            CHECK(fabs(got.one[r][i] - (double)net[r * L + i]) < 0.0021,
                  "label %d of row %d: %.4f, not %.4f", i, r, got.one[r][i],
                  (double)net[r * L + i]);
    }
    scene_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_have_the_best_expected_metric),
        cmocka_unit_test(many_labels_take_little),
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(samples_follow_the_energy),
        cmocka_unit_test(rows_do_not_depend_on_their_company),
        cmocka_unit_test(nets_decide_by_their_own_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
