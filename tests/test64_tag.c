/* test64_tag.c -- nets and energies over sentences, in double precision: against plain C, against
 * differences, and that padding never counts. */
#include "tests/tag_hand.h"

enum { B = 3, T = 5, N = 3 }; /* of tag_scene() */

static const char *const nets[] = {
    "net.layers=1",           "net.layers=2",   "columns net.layers=1",
    "chars.net=cnn",          "chars.net=lstm", "columns chars.net=cnn net.layers=2",
    "columns chars.net=lstm",
};

static const char *const energies[] = {
    "energy.kind=chain",
    "energy.kind=lm energy.scale=0.7",
    "energy.kind=lm-both",
    "energy.kind=lm-words energy.words=0.6 energy.scale=1.3",
    "columns energy.kind=lm-words energy.words=2 chars.net=cnn",
    "columns energy.kind=lm-words energy.words=0.5 chars.net=lstm",
    "energy.kind=attention energy.hidden=4 energy.dropout=0",
    "energy.kind=attention-pairs energy.hidden=3 energy.scale=0.6 energy.dropout=0",
};

enum {
    NETS = sizeof nets / sizeof nets[0],
    ENERGIES = sizeof energies / sizeof energies[0],
    ATTENTION = ENERGIES - 2 /* the first of its kind */
};

/* ---- values ---- */

static void logits_follow_their_formula(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * NETS; i++) {
        scene       *c = tag_scene(nets[i / 2], N);
        bs_tag_shape shape = *bs_net_spec_tag(&c->learner.spec);
        shape.tuned = i % 2; /* a table of its own, or the common one */
        c->learner.spec =
            bs_net_spec_make(c->learner.spec.graph, c->learner.spec.least, &shape, sizeof shape);
        scene_result(c, c->s.t->logits(&c->s.v, "net"), -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        for (int s = 0; s < B; s++) {
            hand_row want[HAND_STEPS];
            hand_scores(c, "net", s, want);
            for (int k = 0; k < tag_length(s) * N; k++) {
                double got = (double)machine_value(&c->m, 0)[s * T * N + k];
                CHECK(fabs(got - want[k / N][k % N]) < 1e-13, "%s: sentence %d: %.15g, not %.15g",
                      nets[i / 2], s, got, want[k / N][k % N]);
            }
        }
        scene_free(c);
    }
}

static void energies_follow_their_formula(void **state)
{
    (void)state;
    for (int i = 0; i < ENERGIES; i++)
        for (int K = 1; K <= 2; K++)
            for (int tags = 2; tags <= 3; tags++) {
                scene *c = tag_scene(energies[i], tags);
                bs_id  y = tag_output(c, K);
                scene_result(c, c->s.t->energy(&c->s.v, y), -1);
                scene_result(c, c->s.t->truth_energy(&c->s.v), -1);
                scene_start(c, 4);
                machine_run(&c->m, 1);
                for (int r = 0; r < B * K; r++) {
                    double want = hand_energy(c, r / K, scene_data(c, y) + r * T * tags);
                    double got = (double)machine_value(&c->m, 0)[r];
                    CHECK(fabs(want - got) < 1e-12, "%s: output %d: %.15g, not %.15g", energies[i],
                          r, got, want);
                }
                for (int s = 0; s < B; s++) {
                    double want = hand_energy(c, s, c->gold + s * T * tags);
                    double got = (double)machine_value(&c->m, 1)[s];
                    CHECK(fabs(want - got) < 1e-12, "%s: truth of %d: %.15g, not %.15g",
                          energies[i], s, got, want);
                }
                scene_free(c);
            }
}

/* ---- derivatives ---- */

static void energies_have_true_gradients(void **state)
{
    enum { K = 2, PARTS = B * K * T * N };
    (void)state;
    for (int i = 0; i < ENERGIES; i++) {
        scene *c = tag_scene(energies[i], N);
        bs_id  y = tag_output(c, K), dy, e = c->s.t->energy(&c->s.v, y);
        assert_true(bs_shape_equal(bs_shape_of(c->g, e), bs_shape3(B, K, 1)));
        /* unequal weights, so that outputs cannot be mixed up */
        bs_id weights = bs_example_real(c->g, &c->ex, bs_shape3(B, K, 1), -1, 1);
        bs_id target = bs_dot(c->g, e, weights);
        bs_grad(c->g, target, &y, 1, &dy, false);
        int value = scene_result(c, target, -1), by_y = scene_result(c, dy, -1);
        scene_gradient(c, target, "energy/");
        scene_start(c, 3);
        machine_run(&c->m, 1);
        real analytic[PARTS], numeric[PARTS];
        memcpy(analytic, machine_value(&c->m, by_y), sizeof analytic);
        check_parameter_gradient(c, target, scene_number(c, value), "energy/", 1, energies[i]);
        trial t = trial_new(c, target, &y, 1, 1);
        trial_differences(c, &t, scene_data(c, y), PARTS, numeric);
        /* padding of y is zeros by contract: only what is there is compared */
        for (int k = 0; k < PARTS; k++)
            if (k / N % T >= tag_length(k / (K * T * N)))
                analytic[k] = numeric[k] = 0;
        double off = distance(analytic, numeric, PARTS, 1e-9);
        CHECK(off < 1e-7, "%s: the gradient by y is off by %.3g", energies[i], off);
        trial_free(c, &t);
        scene_free(c);
    }
}

static bs_id total_energy(bs_graph *g, void *ctx, bs_id y)
{
    bs_loss_context *s = ctx;
    return bs_sum(g, s->t->energy(&s->v, y));
}

/* The energy of a chain is a polynomial: differences of its gradient are exact, too. */
static void the_hessian_of_a_chain(void **state)
{
    enum { K = 2 };
    (void)state;
    scene *c = tag_scene("columns energy.kind=chain", N);
    bs_id  y = tag_output(c, K), u = tag_output(c, K), v = tag_output(c, K);
    bs_id  hv = bs_hvp(c->g, total_energy, &c->s, y, v, BS_HVP_EXACT, 0);
    bs_id  hu = bs_hvp(c->g, total_energy, &c->s, y, u, BS_HVP_EXACT, 0);
    bs_id  near = bs_hvp(c->g, total_energy, &c->s, y, v, BS_HVP_CENTRAL, 0.01);
    int    a = scene_result(c, bs_dot(c->g, u, hv), -1);
    int    b = scene_result(c, bs_dot(c->g, v, hu), -1);
    int    exact = scene_result(c, hv, -1), central = scene_result(c, near, -1);
    int    value = scene_result(c, bs_dot(c->g, u, hv), -1);
    scene_gradient(c, c->result[value].id, "energy/W");
    scene_start(c, 3);
    machine_run(&c->m, 1);
    double left = scene_number(c, a), right = scene_number(c, b), want = 0;
    CHECK(fabs(left) > 1e-3, "u'Hv is %g: nothing to compare", left);
    CHECK(fabs(left - right) < 1e-12, "u'Hv = %.15g, v'Hu = %.15g", left, right);
    double e =
        distance(machine_value(&c->m, exact), machine_value(&c->m, central), tag_parts(c, K), 1e-6);
    CHECK(e < 1e-11, "exact and difference products differ by %.3g", e);
    const real *W = scene_param(c, "energy/W"), *p = scene_data(c, u), *q = scene_data(c, v);
    for (int r = 0; r < B * K; r++)
        for (int t = 1; t < tag_length(r / K); t++)
            for (int k = 0; k < N * N; k++) {
                const int from = (r * T + t - 1) * N + k / N, to = (r * T + t) * N + k % N;
                want -= (double)(W[k / N * (N + 1) + k % N] * (p[from] * q[to] + q[from] * p[to]));
            }
    CHECK(fabs(left - want) < 1e-12, "u'Hv = %.15g, by its formula %.15g", left, want);
    /* and once more: by the parameters */
    check_parameter_gradient(c, c->result[value].id, scene_number(c, value), "energy/W", 1,
                             "third derivative");
    scene_free(c);
}

static void a_second_derivative_of_a_language_model_is_refused(void **state)
{
    (void)state;
    for (int i = 1; i < ATTENTION; i++) {
        basin_error err = {0};
        scene      *c = tag_scene(energies[i], N);
        bs_id       y = tag_output(c, 1), v = tag_output(c, 1);
        bs_hvp(c->g, total_energy, &c->s, y, v, BS_HVP_EXACT, 0);
        CHECK(bs_graph_check(c->g, &err) == BASIN_EARG, "%s: not refused", energies[i]);
        CHECK(strstr(err.msg, "energy/lm/") && strstr(err.msg, "lstm"), "%s", err.msg);
        scene_free(c);
    }
}

/* Attention can be differentiated again: products with its Hessian are those of differences. */
static void the_hessian_of_attention(void **state)
{
    (void)state;
    for (int i = ATTENTION; i < ENERGIES; i++) {
        scene *c = tag_scene(energies[i], N);
        bs_id  y = tag_output(c, 2), u = tag_output(c, 2), v = tag_output(c, 2);
        bs_id  hv = bs_hvp(c->g, total_energy, &c->s, y, v, BS_HVP_EXACT, 0);
        bs_id  hu = bs_hvp(c->g, total_energy, &c->s, y, u, BS_HVP_EXACT, 0);
        bs_id  near = bs_hvp(c->g, total_energy, &c->s, y, v, BS_HVP_CENTRAL, 1e-4);
        int    a = scene_result(c, bs_dot(c->g, u, hv), -1);
        int    b = scene_result(c, bs_dot(c->g, v, hu), -1);
        int    exact = scene_result(c, hv, -1), central = scene_result(c, near, -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        CHECK(fabs(scene_number(c, a)) > 1e-6, "%s: u'Hv is %g: nothing to compare", energies[i],
              scene_number(c, a));
        CHECK(fabs(scene_number(c, a) - scene_number(c, b)) < 1e-12, "%s: not symmetric",
              energies[i]);
        double e = distance(machine_value(&c->m, exact), machine_value(&c->m, central),
                            tag_parts(c, 2), 1e-6);
        CHECK(e < 1e-6, "%s: exact and difference products differ by %.3g", energies[i], e);
        scene_free(c);
    }
}

/* ---- padding ---- */

/* What a search that is smoothed by entropy is scaled with: rules take the norm of a gradient. */
static bs_id entropy_slope(scene *c, bs_id y)
{
    bs_id d, total = bs_sum(c->g, c->s.t->entropy(&c->s.v, y));
    bs_grad(c->g, total, &y, 1, &d, true);
    return bs_sum_axis(c->g, bs_square(c->g, d), -1);
}

/* Everything that is a value of a sentence, [rows, 1, 1], and some that are outputs. */
static int ask(scene *c, bs_id y)
{
    bs_output_space     *v = &c->s.v;
    const bs_task_space *t = c->s.t;
    bs_id                z = t->logits(v, "net");
    scene_result(c, t->energy(v, y), -1);
    scene_result(c, t->truth_energy(v), -1);
    scene_result(c, t->score(v, y), -1);
    for (int kind = BS_COST_F1; kind <= BS_COST_SQUARED; kind++)
        scene_result(c, t->cost(v, (bs_cost)kind, y), -1);
    scene_result(c, t->cross_entropy(v, z), -1);
    scene_result(c, t->entropy(v, y), -1);
    scene_result(c, t->entropy(v, t->relax(v, z)), -1);
    scene_result(c, entropy_slope(c, y), -1);
    scene_result(c, t->sample_log_prob(v, y, 1, z), -1);
    const bool chain = t->chain(v->spec);
    if (chain)
        scene_result(c, t->log_partition(v), -1);
    int scalars = c->n_results;
    scene_result(c, t->relax(v, z), -1);
    scene_result(c, t->potentials(v), -1);
    if (chain)
        scene_result(c, t->marginals(v), -1);
    scene_result(c, t->project(v, bs_scale(c->g, z, 3)), -1);
    return scalars;
}

/* A y that is a function of the sentence. */
static void fill_output(scene *c, real *y, tag_batch z)
{
    memset(y, 0, (size_t)tag_parts(c, 1) * sizeof *y);
    for (int b = 0; b < z.rows; b++)
        for (int t = 0; t < tag_length(z.first + b); t++) {
            double p[N], sum = 0;
            for (int j = 0; j < N; j++)
                sum += p[j] = 1 + tag_hash(z.first + b, t, 30 + j) % 97;
            for (int j = 0; j < N; j++)
                y[(b * z.length + t) * N + j] = (real)(p[j] / sum);
        }
}

static scene *asked(const char *words, tag_batch z, int *scalars)
{
    scene *c = tag_scene_sized(words, N, z);
    bs_id  y = bs_example_real(c->g, &c->ex, bs_shape3(z.rows, 1, z.length * N), 0, 1);
    fill_output(c, scene_data(c, y), z);
    *scalars = ask(c, y);
    scene_start(c, 3);
    machine_run(&c->m, 1);
    return c;
}

static void compare_row(scene *alone, scene *batch, int b, int scalars, const char *words)
{
    const int n = tag_length(b), far = batch->s.v.size.length;
    for (int i = 0; i < alone->n_results; i++) {
        const int   count = i < scalars ? 1 : n * N;
        const real *got = machine_value(&batch->m, i) + b * (i < scalars ? 1 : far * N);
        for (int k = 0; k < count; k++) {
            double want = (double)machine_value(&alone->m, i)[k];
            CHECK(fabs((double)got[k] - want) < 1e-12 * (1 + fabs(want)),
                  "%s: result %d of sentence %d: %.15g, alone %.15g", words, i, b, (double)got[k],
                  want);
        }
    }
}

static void padding_never_counts(void **state)
{
    (void)state;
    for (int i = 0; i < NETS + ENERGIES; i++) {
        const char *words = i < NETS ? nets[i] : energies[i - NETS];
        int         scalars;
        scene      *tight = asked(words, (tag_batch){4, 4, 4, 0}, &scalars);
        scene      *loose = asked(words, (tag_batch){4, 7, 9, 0}, &scalars);
        for (int s = 0; s < 4; s++) {
            scene *alone = asked(words, (tag_batch){1, tag_length(s), 4, s}, &scalars);
            compare_row(alone, tight, s, scalars, words);
            compare_row(alone, loose, s, scalars, words);
            scene_free(alone);
        }
        scene_free(tight);
        scene_free(loose);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logits_follow_their_formula),
        cmocka_unit_test(energies_follow_their_formula),
        cmocka_unit_test(energies_have_true_gradients),
        cmocka_unit_test(the_hessian_of_a_chain),
        cmocka_unit_test(the_hessian_of_attention),
        cmocka_unit_test(a_second_derivative_of_a_language_model_is_refused),
        cmocka_unit_test(padding_never_counts),
    };
    return cmocka_run_group_tests_name("tags, double", tests, NULL, NULL);
}
