/* test64_tag_outputs.c -- relaxed and sampled sequences of tags, in double precision: they are
 * distributions, projections are the nearest ones, samples follow the net, and sampled losses
 * estimate what enumeration of all sequences gives. */
#include "tests/tag_scene.h"

enum { B = 3, T = 5 }; /* of tag_scene() */

/* Every scene needs some parameter. */
static void scene_begin(scene *c)
{
    scene_result(c, c->s.t->truth_energy(&c->s.v), -1);
    scene_start(c, 3);
    machine_run(&c->m, 1);
}

/* ---- relaxed outputs ---- */

static void check_distributions(const real *y, int K, int N, const char *what)
{
    for (int i = 0; i < B * K * T; i++) {
        double sum = 0, least = 1;
        for (int j = 0; j < N; j++) {
            sum += (double)y[i * N + j];
            least = fmin(least, (double)y[i * N + j]);
        }
        bool there = i % T < tag_length(i / (K * T));
        CHECK(least >= 0 && fabs(sum - there) < (there ? 1e-12 : 1e-300),
              "%s: token %d: the sum is %.15g, the least %.3g", what, i, sum, least);
    }
}

static void outputs_are_distributions(void **state)
{
    enum { K = 3, N = 4 };
    (void)state;
    scene               *c = tag_scene("", N);
    bs_output_space     *v = &c->s.v;
    const bs_task_space *t = c->s.t;
    bs_shape             s = bs_shape3(B, K, T * N);
    bs_id                z = bs_example_real(c->g, &c->ex, s, -40, 40);
    scene_result(c, t->relax(v, z), -1);
    scene_result(c, t->project(v, z), -1);
    scene_result(c, t->project(v, bs_scale(c->g, z, 0.02)), -1);
    scene_result(c, t->random(v, K, 9), -1);
    scene_result(c, t->sample(v, z, K, 7), -1);
    scene_result(c, t->start(v, 0.5, K), -1);
    int zeros = scene_result(c, t->start(v, 0, K), -1);
    scene_begin(c);
    static const char *const what[] = {"relax",  "project", "project, near",
                                       "random", "sample",  "uniform start"};
    for (int i = 0; i < zeros; i++)
        check_distributions(machine_value(&c->m, i), K, N, what[i]);
    for (int i = 0; i < B * K * T * N; i++) {
        bool there = i / N % T < tag_length(i / (K * T * N));
        assert_true(machine_value(&c->m, zeros - 1)[i] == (there ? 1.0 / N : 0));
        assert_true(machine_value(&c->m, zeros)[i] == 0);
    }
    scene_free(c);
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The t of max(y - t, 0), from the sorted numbers (Held et al. 1974). */
static double exact_shift(const real *y, int N)
{
    double u[64], sum = 0, t = 0;
    for (int j = 0; j < N; j++)
        u[j] = (double)y[j];
    qsort(u, (size_t)N, sizeof *u, descending);
    for (int j = 0; j < N; j++) {
        sum += u[j];
        if (u[j] > (sum - 1) / (j + 1))
            t = (sum - 1) / (j + 1);
    }
    return t;
}

/* Vectors whose projection needs many steps: near, far, of all sizes, growing by a factor. */
static double hard_number(bs_rng *rng, int kind, int j, double base)
{
    double u = bs_rng_uniform(rng), normal = bs_rng_normal(rng);
    switch (kind) {
    case 0: return u;
    case 1: return normal;
    case 2: return 100 * normal;
    case 3: return -exp(3 * normal);
    case 4: return tan(3.1 * (u - 0.5));
    case 5: return -pow(base, j % 16 - 4) * (1 + 1e-3 * u);
    case 6: return -pow(base, -j) * (1 + 1e-3 * u);
    default: return u < 0.2 ? 1e9 + normal : -1e9 * u;
    }
}

static void projection_finds_the_nearest(void **state)
{
    enum { K = 40, KINDS = 8, RUNS = 5 };
    static const int tags[] = {1, 2, 3, 9, 17, 50};
    (void)state;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        const int N = tags[i];
        double    worst = 0;
        scene    *c = tag_scene("", N);
        bs_rng    rng = bs_rng_make(8, 0, (uint32_t)N);
        bs_id     z = bs_example_real(c->g, &c->ex, bs_shape3(B, K, T * N), 0, 1);
        bs_id     p = c->s.t->project(&c->s.v, z);
        real     *y = scene_data(c, z);
        scene_result(c, p, -1);
        scene_result(c, c->s.t->project(&c->s.v, p), -1);
        scene_begin(c);
        for (int run = 0; run < KINDS * RUNS; run++) {
            for (int k = 0; k < B * K * T * N; k++)
                y[k] = (real)hard_number(&rng, run % KINDS, k % N, 1.5 + 40.0 * run / 40);
            machine_run(&c->m, 1);
            const real *got = machine_value(&c->m, 0), *again = machine_value(&c->m, 1);
            for (int k = 0; k < B * K * T; k++) {
                const bool   there = k % T < tag_length(k / (K * T));
                const double t = exact_shift(y + k * N, N);
                for (int j = k * N; j < (k + 1) * N; j++) {
                    double want = there ? fmax((double)y[j] - t, 0) : 0;
                    double size = 1 + 1e-3 * fabs((double)y[j]); /* rounding of the shift */
                    worst = fmax(worst, fabs((double)got[j] - want) / size);
                    worst = fmax(worst, fabs((double)(got[j] - again[j])));
                }
            }
        }
        print_message("  %d tags: projections are off by at most %.2g\n", N, worst);
        CHECK(worst < 1e-12, "%d tags: a projection is off by %.3g", N, worst);
        scene_free(c);
    }
}

static void unrelax_undoes_relax(void **state)
{
    enum { N = 3 };
    (void)state;
    scene *c = tag_scene("", N);
    bs_id  z = bs_example_real(c->g, &c->ex, bs_shape3(B, 2, T * N), -5, 5);
    bs_id  y = c->s.t->relax(&c->s.v, z), back = c->s.t->unrelax(&c->s.v, y);
    scene_result(c, y, -1);
    scene_result(c, back, -1);
    scene_result(c, c->s.t->relax(&c->s.v, back), -1);
    scene_begin(c);
    assert_true(distance(machine_value(&c->m, 0), machine_value(&c->m, 2), tag_parts(c, 2), 1) <
                1e-14);
    for (int i = 0; i < B * 2 * T; i++)
        for (int j = 1; j < N && i % T < tag_length(i / (2 * T)); j++) {
            const real *was = scene_data(c, z) + i * N, *is = machine_value(&c->m, 1) + i * N;
            assert_true(fabs((double)((was[j] - was[0]) - (is[j] - is[0]))) < 1e-12);
        }
    scene_free(c);
}

/* Of the uniform distribution over distributions E p = 1 / N and E p^2 = 2 / (N (N + 1)). */
static void random_starts_are_uniform(void **state)
{
    enum { N = 3, K = 20, RUNS = 300 };
    (void)state;
    scene *c = tag_scene("", N);
    double mean[N] = {0}, square[N] = {0}, tokens = 0;
    scene_result(c, c->s.t->random(&c->s.v, K, BS_STREAM_START), -1);
    scene_begin(c);
    for (int run = 0; run < RUNS; run++) {
        machine_run(&c->m, (uint64_t)run);
        for (int i = 0; i < B * K * T; i++) {
            const real *p = machine_value(&c->m, 0) + i * N;
            tokens += i % T < tag_length(i / (K * T));
            for (int j = 0; j < N; j++) {
                mean[j] += (double)p[j];
                square[j] += (double)(p[j] * p[j]);
            }
        }
    }
    for (int j = 0; j < N; j++) {
        mean[j] /= tokens;
        square[j] /= tokens;
        CHECK(fabs(mean[j] - 1.0 / 3) < 5 * 0.24 / sqrt(tokens), "tag %d: mean %g", j, mean[j]);
        CHECK(fabs(square[j] - 1.0 / 6) < 5 * 0.2 / sqrt(tokens), "tag %d: square %g", j,
              square[j]);
    }
    scene_free(c);
}

/* ---- scores ---- */

static void scores_and_costs_count_tokens(void **state)
{
    enum { N = 3, K = 81 };
    (void)state;
    scene *c = tag_scene("", N);
    bs_id  y = tag_all(c);
    for (int kind = BS_COST_F1; kind <= BS_COST_SQUARED; kind++)
        scene_result(c, c->s.t->cost(&c->s.v, (bs_cost)kind, y), -1);
    int score = scene_result(c, c->s.t->score(&c->s.v, y), -1);
    scene_begin(c);
    for (int r = 0; r < B * K; r++) {
        const int s = r / K, n = tag_length(s);
        double    wrong = 0;
        for (int t = 0; t < n; t++)
            wrong += tag_of(r % K, t, N) != tag_gold(s, t, N);
        double want[] = {wrong / n, wrong / n, 2 * wrong, 2 * wrong};
        for (int kind = 0; kind < 4; kind++)
            assert_true(fabs((double)machine_value(&c->m, kind)[r] - want[kind]) < 1e-14);
        assert_true(fabs((double)machine_value(&c->m, score)[r] - (1 - wrong / n)) < 1e-14);
    }
    scene_free(c);
}

/* ---- samples ---- */

/* log of the probability of sequence k, from logits [T, N] */
static double log_prob_of(const real *z, int sentence, int k, int N)
{
    double sum = 0;
    for (int t = 0; t < tag_length(sentence); t++, z += N) {
        double all = 0;
        for (int j = 0; j < N; j++)
            all += exp((double)z[j]);
        sum += (double)z[tag_of(k, t, N)] - log(all);
    }
    return sum;
}

static void samples_are_worth_what_outputs_are(void **state)
{
    static const char *const kinds[] = {"energy.kind=chain", "energy.kind=lm-words"};
    enum { N = 2, K = 16 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        scene           *c = tag_scene(kinds[i], N);
        bs_output_space *v = &c->s.v;
        bs_id            y = tag_all(c), z = bs_net_logits(&c->s);
        scene_result(c, c->s.t->sample_energy(v, y, K), -1);
        scene_result(c, c->s.t->energy(v, y), -1);
        scene_result(c, c->s.t->sample_score(v, y, K), -1);
        scene_result(c, c->s.t->score(v, y), -1);
        scene_result(c, c->s.t->sample_log_prob(v, y, K, z), -1);
        scene_result(c, c->s.t->cross_entropy(v, z), -1);
        scene_result(c, z, -1);
        scene_begin(c);
        assert_true(distance(machine_value(&c->m, 0), machine_value(&c->m, 1), B * K, 0) < 1e-14);
        assert_true(distance(machine_value(&c->m, 2), machine_value(&c->m, 3), B * K, 0) < 1e-14);
        const real *log_prob = machine_value(&c->m, 4), *logits = machine_value(&c->m, 6);
        for (int s = 0; s < B; s++) {
            double sum = 0;
            for (int k = 0; k < tag_sequences(s, N); k++) {
                double want = log_prob_of(logits + s * T * N, s, k, N);
                assert_true(fabs((double)log_prob[s * K + k] - want) < 1e-13);
                sum += exp(want);
            }
            CHECK(fabs(sum - 1) < 1e-13, "sentence %d: probabilities sum to %.15g", s, sum);
            double want = -(double)machine_value(&c->m, 5)[s];
            assert_true(fabs((double)log_prob[s * K + tag_truth(s, N)] - want) < 1e-13);
        }
        scene_free(c);
    }
}

/* How often each sequence is drawn, against the net's probabilities. */
static void samples_follow_the_net(void **state)
{
    enum { N = 3, K = 50, RUNS = 1000 };
    static int count[B][81];
    (void)state;
    scene *c = tag_scene("", N);
    bs_id  z = bs_net_logits(&c->s);
    scene_result(c, c->s.t->sample(&c->s.v, bs_scale(c->g, z, 3), K, BS_STREAM_SAMPLE), -1);
    int logits = scene_result(c, bs_scale(c->g, z, 3), -1);
    scene_begin(c);
    for (int run = 0; run < RUNS; run++) {
        machine_run(&c->m, (uint64_t)run);
        for (int r = 0; r < B * K; r++) {
            int k = 0;
            for (int t = tag_length(r / K) - 1; t >= 0; t--)
                for (int j = 0; j < N; j++)
                    if (machine_value(&c->m, 0)[(r * T + t) * N + j] > 0)
                        k = k * N + j;
            count[r / K][k]++;
        }
    }
    for (int s = 0; s < B; s++) {
        double chi2 = 0, least = 1e9, free = tag_sequences(s, N) - 1;
        for (int k = 0; k < tag_sequences(s, N); k++) {
            const real *at = machine_value(&c->m, logits) + s * T * N;
            double      expected = K * RUNS * exp(log_prob_of(at, s, k, N));
            chi2 += (count[s][k] - expected) * (count[s][k] - expected) / expected;
            least = fmin(least, expected);
        }
        CHECK(least > 5, "sentence %d: a sequence is expected %.1f times", s, least);
        CHECK(chi2 < free + 5 * sqrt(2 * free), "sentence %d: chi-square %.1f with %.0f degrees", s,
              chi2, free);
    }
    scene_free(c);
}

/* Equal logits so large that no noise can tell them apart: still one tag a token. */
static void ties_are_broken(void **state)
{
    enum { N = 3, K = 4 };
    (void)state;
    scene *c = tag_scene("", N);
    bs_id  z = bs_example_real(c->g, &c->ex, bs_shape3(B, 1, T * N), 1, 1);
    scene_result(c, c->s.t->sample(&c->s.v, bs_scale(c->g, z, 1e18), K, BS_STREAM_SAMPLE), -1);
    scene_begin(c);
    check_distributions(machine_value(&c->m, 0), K, N, "ties");
    scene_free(c);
}

/* ---- losses with two samples against the mean over all pairs ---- */

typedef enum { NCE, RANKING, DIVERGENCE, COMPETING, OWN_RANKING, KINDS } sampled;

/* What the truth and each sequence count in the softmax of a loss. */
typedef struct {
    double truth[B], other[B][16], log_prob[B][16];
    double own[B]; /* one more of the others, where there is one */
    bool   has_own;
} tables;

static double exact_mean(const tables *t, int N)
{
    double total = 0;
    for (int s = 0; s < B; s++)
        for (int i = 0; i < tag_sequences(s, N); i++)
            for (int j = 0; j < tag_sequences(s, N); j++) {
                double sum = exp(t->truth[s]) + exp(t->other[s][i]) + exp(t->other[s][j]);
                if (t->has_own)
                    sum += exp(t->own[s]);
                total += exp(t->log_prob[s][i] + t->log_prob[s][j]) * (log(sum) - t->truth[s]);
            }
    return total / B;
}

#define SAMPLED "samples=2 net.loss=ranking ce.weight=0 cost=hamming"

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

static tables tables_of(const scene *c, sampled kind, int first, int N)
{
    const int   K = tag_sequences(0, N);
    const real *energy = machine_value(&c->m, first), *score = machine_value(&c->m, first + 1);
    const real *log_prob = machine_value(&c->m, first + 2);
    tables      t = {.has_own = kind == COMPETING};
    for (int s = 0; s < B; s++) {
        for (int k = 0; k < tag_sequences(s, N); k++) {
            double e = (double)energy[s * K + k], p = (double)log_prob[s * K + k];
            double rival = -e + 1 - (double)score[s * K + k];
            double by_kind[KINDS] = {-e - p, -e, rival, rival, p};
            t.other[s][k] = by_kind[kind];
            t.log_prob[s][k] = p;
            if (k == tag_truth(s, N)) /* whose cost is zero */
                t.truth[s] = by_kind[kind];
        }
        t.own[s] =
            (double)(machine_value(&c->m, first + 4)[s] - machine_value(&c->m, first + 3)[s]);
    }
    return t;
}

static void sampled_losses_estimate_the_exact_ones(void **state)
{
    enum { N = 2, RUNS = 4000 };
    static const char *const name[KINDS] = {"nce", "ranking", "divergence",
                                            "divergence with the net's output", "own ranking"};
    (void)state;
    for (int kind = NCE; kind < KINDS; kind++) {
        scene *c = tag_scene(kind == COMPETING ? SAMPLED " implicit.own=yes" : SAMPLED, N);
        bs_output_space *v = &c->s.v;
        bs_id            y = tag_all(c), z = bs_net_logits(&c->s), own = bs_net_output(&c->s);
        scene_result(c, sampled_loss(&c->s, (sampled)kind), -1);
        int first = scene_result(c, c->s.t->energy(v, y), -1);
        scene_result(c, c->s.t->score(v, y), -1);
        scene_result(c, c->s.t->sample_log_prob(v, y, tag_sequences(0, N), z), -1);
        scene_result(c, c->s.t->energy(v, own), -1);
        scene_result(c, c->s.t->cost(v, BS_COST_HAMMING, own), -1);
        scene_start(c, 3);
        double sum = 0, squares = 0;
        for (int run = 0; run < RUNS; run++) {
            machine_run(&c->m, (uint64_t)run);
            sum += scene_number(c, 0);
            squares += scene_number(c, 0) * scene_number(c, 0);
        }
        double mean = sum / RUNS, error = sqrt((squares / RUNS - mean * mean) / RUNS);
        for (int other = NCE; other < KINDS; other++) {
            tables t = tables_of(c, (sampled)other, first, N);
            double want = exact_mean(&t, N), off = fabs(mean - want);
            if (other == kind)
                CHECK(off < 4 * error, "%s: %.6g +- %.2g, exactly %.6g", name[kind], mean, error,
                      want);
            else
                CHECK(off > 10 * error, "%s cannot be told from %s", name[kind], name[other]);
        }
        scene_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_distributions),
        cmocka_unit_test(projection_finds_the_nearest),
        cmocka_unit_test(unrelax_undoes_relax),
        cmocka_unit_test(random_starts_are_uniform),
        cmocka_unit_test(scores_and_costs_count_tokens),
        cmocka_unit_test(samples_are_worth_what_outputs_are),
        cmocka_unit_test(samples_follow_the_net),
        cmocka_unit_test(ties_are_broken),
        cmocka_unit_test(sampled_losses_estimate_the_exact_ones),
    };
    return cmocka_run_group_tests_name("outputs of tags, double", tests, NULL, NULL);
}
