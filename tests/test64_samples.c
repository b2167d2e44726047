/* test64_samples.c -- sampled losses against exact enumeration of all sets of four labels, in
 * double precision. Tolerances are standard errors measured over the runs. */
#include "tests/scene.h"

enum { B = 3, D = 5, L = 4, N = 1 << L, PAIRS = N * N };

/* ---- outputs by number: label l of output i is bit l ---- */

/* Bits [rows * N, L] of all outputs: probabilities 0 and 1 leave nothing to chance. */
static bs_id all_bits(scene *c, bs_id y)
{
    return bs_bits_sample(c->g, bs_reshape(c->g, y, bs_shape2(c->s.v.size.rows * N, L)), 1, 1);
}

static void fill_all(scene *c, bs_id y)
{
    for (int i = 0; i < c->s.v.size.rows * N * L; i++)
        scene_data(c, y)[i] = (real)(i / L % N >> i % L & 1);
}

static void samples_are_worth_what_dense_outputs_are(void **state)
{
    static const char *const words[] = {
        "energy.kind=label",
        "energy.kind=label energy.shift=yes energy.scale=0.3",
        "energy.kind=deep",
        "energy.kind=quadratic energy.shift=yes",
        "energy.kind=pairs energy.scale=0.7",
        "energy.base=net",
    };
    (void)state;
    for (int i = 0; i < 6; i++) {
        scene           *c = scene_new(words[i], B, D, L, 11);
        bs_output_space *v = &c->s.v;
        bs_id y = scene_output(c, N, 0, 1), bits = all_bits(c, y), z = bs_net_logits(&c->s);
        scene_result(c, c->s.t->sample_energy(v, bits, N), -1);
        scene_result(c, c->s.t->energy(v, y), -1);
        scene_result(c, c->s.t->sample_score(v, bits, N), -1);
        scene_result(c, c->s.t->score(v, y), -1);
        scene_result(c, c->s.t->sample_log_prob(v, bits, N, z), -1);
        scene_result(c, c->s.t->cross_entropy(v, z), -1);
        scene_start(c, 3);
        fill_all(c, y);
        machine_run(&c->m, 2);
        assert_true(distance(machine_value(&c->m, 0), machine_value(&c->m, 1), B * N, 0) < 1e-14);
        assert_true(distance(machine_value(&c->m, 2), machine_value(&c->m, 3), B * N, 0) < 1e-14);
        const real *log_prob = machine_value(&c->m, 4);
        for (int r = 0; r < B; r++) {
            double sum = 0;
            int    truth = 0;
            for (int k = 0; k < N; k++)
                sum += exp((double)log_prob[r * N + k]);
            for (int l = 0; l < L; l++)
                truth |= (c->gold[r * L + l] > 0) << l;
            CHECK(fabs(sum - 1) < 1e-13, "row %d: probabilities sum to %.15g", r, sum);
            double want = -(double)machine_value(&c->m, 5)[r];
            assert_true(fabs((double)log_prob[r * N + truth] - want) < 1e-13);
        }
        scene_free(c);
    }
}

/* ---- means over many runs ---- */

typedef struct {
    double mean, error; /* standard error */
} estimate;

static estimate estimate_result(scene *c, int result, int runs)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < runs; i++) {
        machine_run(&c->m, (uint64_t)i);
        double x = scene_number(c, result);
        sum += x;
        squares += x * x;
    }
    double mean = sum / runs;
    return (estimate){mean, sqrt((squares / runs - mean * mean) / runs)};
}

/* How often each output is drawn, against the net's probabilities. */
static void samples_follow_the_net(void **state)
{
    enum { K = 50, RUNS = 400 };
    (void)state;
    scene           *c = scene_new("net.dropout=0", B, D, L, 12);
    bs_output_space *v = &c->s.v;
    bs_id            z = bs_net_logits(&c->s), y = scene_output(c, N, 0, 1);
    bs_id            drawn = c->s.t->sample(v, z, K, BS_STREAM_SAMPLE);
    scene_result(c, bs_bits_dense(c->g, drawn), -1);
    scene_result(c, c->s.t->sample_log_prob(v, all_bits(c, y), N, z), -1);
    scene_start(c, 3);
    fill_all(c, y);
    int count[B][N] = {{0}};
    for (int i = 0; i < RUNS; i++) {
        machine_run(&c->m, (uint64_t)i);
        for (int r = 0; r < B * K; r++) {
            int output = 0;
            for (int l = 0; l < L; l++)
                output |= (machine_value(&c->m, 0)[r * L + l] > 0) << l;
            count[r / K][output]++;
        }
    }
    for (int r = 0; r < B; r++) {
        double chi2 = 0;
        for (int k = 0; k < N; k++) {
            double expected = K * RUNS * exp((double)machine_value(&c->m, 1)[r * N + k]);
            chi2 += (count[r][k] - expected) * (count[r][k] - expected) / expected;
        }
        CHECK(chi2 < 45, "row %d: chi-square of the samples is %.1f with 15 degrees", r, chi2);
    }
    scene_free(c);
}

/* ---- losses with two samples against the mean over all pairs ---- */

/* What the truth and each output count in the softmax of a loss. */
typedef struct {
    double truth[B], other[B][N], log_prob[B][N];
    double own[B]; /* one more of the others, where there is one */
    bool   has_own;
} tables;

static double exact_mean(const tables *t)
{
    double total = 0;
    for (int r = 0; r < B; r++)
        for (int pair = 0; pair < PAIRS; pair++) {
            int    i = pair % N, j = pair / N;
            double sum = exp(t->truth[r]) + exp(t->other[r][i]) + exp(t->other[r][j]);
            if (t->has_own)
                sum += exp(t->own[r]);
            total += exp(t->log_prob[r][i] + t->log_prob[r][j]) * (log(sum) - t->truth[r]);
        }
    return total / B;
}

typedef enum { NCE, RANKING, DIVERGENCE, COMPETING, OWN_RANKING, KINDS } sampled;

#define SAMPLED "net.dropout=0 samples=2 net.loss=ranking ce.weight=0 cost=l1"

static bs_id sampled_loss(bs_loss_context *s, sampled kind)
{
    switch (kind) {
    case NCE: return bs_loss_nce(s);
    case RANKING: return bs_loss_ranking(s);
    case DIVERGENCE:
    case COMPETING: return bs_primary_divergence(s, bs_net_logits(s));
    case OWN_RANKING:
    case KINDS: break;
    }
    return bs_loss_net(s);
}

static tables tables_of(const scene *c, sampled kind, int first)
{
    const real *energy = machine_value(&c->m, first), *score = machine_value(&c->m, first + 1);
    const real *log_prob = machine_value(&c->m, first + 2);
    const real *own = machine_value(&c->m, first + 3), *own_cost = machine_value(&c->m, first + 4);
    tables      t = {.has_own = kind == COMPETING};
    for (int r = 0; r < B; r++) {
        int truth = 0;
        for (int l = 0; l < L; l++)
            truth |= (c->gold[r * L + l] > 0) << l;
        for (int k = 0; k < N; k++) {
            double e = (double)energy[r * N + k], p = (double)log_prob[r * N + k];
            double rival = -e + 1 - (double)score[r * N + k];
            double by_kind[KINDS] = {-e - p, -e, rival, rival, p};
            t.other[r][k] = by_kind[kind];
            t.log_prob[r][k] = p;
            if (k == truth) /* whose cost is zero */
                t.truth[r] = by_kind[kind];
        }
        t.own[r] = (double)(own_cost[r] - own[r]);
    }
    return t;
}

static void sampled_losses_estimate_the_exact_ones(void **state)
{
    static const char *const name[KINDS] = {"nce", "ranking", "divergence",
                                            "divergence with the net's output", "own ranking"};
    (void)state;
    for (int kind = NCE; kind < KINDS; kind++) {
        scene *c =
            scene_new(kind == COMPETING ? SAMPLED " implicit.own=yes" : SAMPLED, B, D, L, 13);
        bs_output_space *v = &c->s.v;
        bs_id z = bs_net_logits(&c->s), y = scene_output(c, N, 0, 1), own = bs_net_output(&c->s);
        scene_result(c, sampled_loss(&c->s, (sampled)kind), -1);
        int first = scene_result(c, c->s.t->energy(v, y), -1);
        scene_result(c, c->s.t->score(v, y), -1);
        scene_result(c, c->s.t->sample_log_prob(v, all_bits(c, y), N, z), -1);
        scene_result(c, c->s.t->energy(v, own), -1);
        scene_result(c, c->s.t->cost(v, BS_COST_L1, own), -1);
        scene_start(c, 3);
        fill_all(c, y);
        estimate got = estimate_result(c, 0, 4000);
        for (int other = NCE; other < KINDS; other++) {
            tables t = tables_of(c, (sampled)other, first);
            double off = fabs(got.mean - exact_mean(&t));
            if (other == kind)
                CHECK(off < 4 * got.error, "%s: %.6g +- %.2g, exactly %.6g", name[kind], got.mean,
                      got.error, exact_mean(&t));
            else
                CHECK(off > 10 * got.error, "%s cannot be told from %s", name[kind], name[other]);
        }
        scene_free(c);
    }
}

/* ---- where the losses of the energy come to rest ---- */

enum { ROWS = 64, HIGH = 40 };

/* True sets, each as often as its probability in 64ths. */
static const int often[N] = {3, 1, 6, 2, 9, 1, 4, 2, 5, 12, 1, 3, 7, 2, 5, 1};

/* An energy that is a free table: unit i of the label energy is HIGH at output i and 0 at all
 * others, so -E of output i is HIGH * v[i]. */
static void make_table(scene *c, const double score[N])
{
    real *M = scene_param(c, "energy/M/W"), *m = scene_param(c, "energy/M/b");
    for (int i = 0; i < N; i++) {
        m[i] = HIGH;
        for (int l = 0; l < L; l++) {
            M[l * N + i] = i >> l & 1 ? 2 * HIGH : -2 * HIGH;
            m[i] -= i >> l & 1 ? 2 * HIGH : 0;
        }
        scene_param(c, "energy/v")[i] = (real)(score[i] / HIGH);
    }
    memset(scene_param(c, "energy/labels/W"), 0,
           (size_t)scene_param_count(c, "energy/labels/W") * sizeof(real));
}

/* Chi-square of the mean gradient by the table, of 15 degrees where it is zero. */
static double restlessness(sampled kind, const char *more, int K, double correction, double mistake)
{
    enum { RUNS = 2000 };
    char words[128];
    snprintf(words, sizeof words, "net.layers=0 net.dropout=0 energy.hidden=16 %s samples=%d", more,
             K);
    scene *c = scene_new(words, ROWS, 1, L, 14);
    scene_result(c, sampled_loss(&c->s, kind), -1);
    scene_gradient(c, c->result[0].id, "energy/v");
    scene_start(c, 3);
    for (int r = 0, i = 0, left = often[0]; r < ROWS; r++, left--) {
        while (left == 0)
            left = often[++i];
        c->x[r] = 1;
        for (int l = 0; l < L; l++)
            c->gold[r * L + l] = (real)(i >> l & 1);
    }
    double score[N], sum[N] = {0}, squares[N] = {0}, chi2 = 0;
    for (int i = 0; i < N; i++) {
        double log_prob = 0;
        for (int l = 0; l < L; l++) {
            double z = (double)scene_param(c, "net/labels/W")[l];
            log_prob += (i >> l & 1 ? z : 0) - log1p(exp(z));
        }
        score[i] = log(often[i] / 64.0) - correction * log_prob + (i == 9 ? mistake : 0);
    }
    make_table(c, score);
    const bs_segment *v = bs_params_find(c->learner.params, "energy/v");
    for (int run = 0; run < RUNS; run++) {
        machine_run(&c->m, (uint64_t)run);
        for (int i = 0; i < N; i++) {
            double d = (double)((real *)host_of(c->learner.params->block.grad))[v->offset + i];
            sum[i] += d;
            squares[i] += d * d;
        }
    }
    for (int i = 0; i < N; i++) {
        double mean = sum[i] / RUNS, variance = squares[i] / RUNS - mean * mean;
        chi2 += mean * mean / (variance / RUNS);
    }
    scene_free(c);
    return chi2;
}

/* Noise contrast rests where -E = log p of the data, whatever the noise and the number of samples
 * (Ma and Collins 2018); without the correction, at log p - log P_net. */
static void noise_contrast_rests_at_the_data(void **state)
{
    (void)state;
    for (int K = 1; K <= 8; K += 7) {
        double rest = restlessness(NCE, "", K, 0, 0), off = restlessness(NCE, "", K, 0, 0.5);
        double other = restlessness(NCE, "", K, 1, 0);
        CHECK(rest < 45, "nce, %d samples: chi-square %.1f at the data", K, rest);
        CHECK(off > 150, "nce, %d samples: chi-square %.1f beside it", K, off);
        CHECK(other > 150, "nce, %d samples: chi-square %.1f without the noise", K, other);
        rest = restlessness(NCE, "samples.share=0.4", K, 0, 0);
        off = restlessness(NCE, "samples.share=0.4", K, 0, 1);
        CHECK(rest < 45, "nce of parts, %d samples: chi-square %.1f at the data", K, rest);
        CHECK(off > 150, "nce of parts, %d samples: chi-square %.1f beside it", K, off);
        rest = restlessness(RANKING, "", K, 1, 0);
        other = restlessness(RANKING, "", K, 0, 0);
        CHECK(rest < 45, "ranking, %d samples: chi-square %.1f at its rest", K, rest);
        CHECK(other > 150, "ranking, %d samples: chi-square %.1f at the data", K, other);
    }
}

/* E(y) - E(nothing) = -z.y, z being the net's logits, before anything is learned. */
static void a_correction_starts_at_the_net(void **state)
{
    (void)state;
    scene *c = scene_new("energy.base=net energy.kind=pairs net.dropout=0", B, D, L, 15);
    bs_id  y = scene_output(c, N, 0, 1), z = bs_net_logits(&c->s);
    scene_result(c, c->s.t->energy(&c->s.v, y), -1);
    scene_result(c, z, -1);
    assert_int_equal(bs_params_allocate(c->learner.params, device_here(), 3, NULL), BASIN_OK);
    scene_start(c, 3);
    fill_all(c, y);
    machine_run(&c->m, 2);
    for (int r = 0; r < B; r++)
        for (int k = 0; k < N; k++) {
            double want = 0;
            for (int l = 0; l < L; l++)
                want -= k >> l & 1 ? (double)machine_value(&c->m, 1)[r * L + l] : 0;
            assert_true(fabs((double)machine_value(&c->m, 0)[r * N + k] - want) < 1e-13);
        }
    scene_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_worth_what_dense_outputs_are),
        cmocka_unit_test(samples_follow_the_net),
        cmocka_unit_test(sampled_losses_estimate_the_exact_ones),
        cmocka_unit_test(noise_contrast_rests_at_the_data),
        cmocka_unit_test(a_correction_starts_at_the_net),
    };
    return cmocka_run_group_tests_name("samples, double", tests, NULL, NULL);
}
