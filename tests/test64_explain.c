/* test64_explain.c -- second derivatives of energies by their outputs, in double precision:
 * against differences of the gradient and against formulas; searches stopped on the way. */
#include "tests/tag_scene.h"

#include "model/probe.h"
#include "model/score.h"
#include "task/mlc/curvature.h"

enum { ROWS = 5, FEATURES = 6, LABELS = 7, TAGS = 4 };

typedef struct {
    scene           *c;
    bs_workspace    *w;
    bs_energy_probe *probe;
    bs_batch         b;
    size_t           parts;
    real            *y, *v;
} subject;

static void subject_start(subject *s, bs_hvp_kind kind)
{
    basin_error err = {0};
    bs_rng      rng = bs_rng_make(3, 0, 7);
    scene      *c = s->c;
    c->s.t->energy(&c->s.v, c->s.t->start(&c->s.v, 0, 1));
    scene_allocate(c, 11);
    s->parts = c->s.t->parts(&c->learner.spec, s->b.size);
    const size_t n = (size_t)s->b.size.rows * s->parts;
    s->y = calloc(n, sizeof *s->y);
    s->v = calloc(n, sizeof *s->v);
    for (size_t i = 0; i < n; i++) {
        s->y[i] = 0.1 + 0.8 * bs_rng_uniform(&rng);
        s->v[i] = 2 * bs_rng_uniform(&rng) - 1;
    }
    CHECK(!bs_workspace_open((bs_machine){.threads = 1}, &s->w, &err), "%s", err.msg);
    CHECK(!bs_energy_probe_new(s->w, c->learner.params, &c->learner.spec, kind, &s->probe, &err),
          "%s", err.msg);
}

static void subject_free(subject *s)
{
    bs_energy_probe_free(s->probe);
    bs_workspace_close(s->w);
    scene_free(s->c);
    free(s->y);
    free(s->v);
}

static subject labels_new(const char *words)
{
    subject s = {.c = scene_new(words, ROWS, FEATURES, LABELS, 4)};
    s.b = (bs_batch){.size = {ROWS, 1, 1}, .x = {s.c->x}};
    subject_start(&s, BS_HVP_EXACT);
    return s;
}

/* The scene's leaves are bound in the order of the view. */
static subject tags_new(const char *words, bs_hvp_kind kind)
{
    const tag_batch z = {.rows = 3, .length = 5, .width = 1};
    subject         s = {.c = tag_scene_sized(words, TAGS, z)};
    s.b.size = (bs_size){z.rows, z.length, z.width};
    for (int i = 0; i < BS_MOST_INPUTS; i++)
        for (int k = 0; k < s.c->ex.n; k++)
            if (s.c->s.v.x.id[i] && s.c->ex.leaf[k].id == s.c->s.v.x.id[i])
                s.b.x[i] = s.c->ex.leaf[k].data;
    subject_start(&s, kind);
    return s;
}

/* (dE/dy (y + e v) - dE/dy (y - e v)) / 2e, of fourth order */
static void differences(subject *s, const real *v, real *out)
{
    static const double weight[] = {1, -8, 8, -1}, place[] = {-2, -1, 1, 2}, h = 1e-4;
    const size_t        n = (size_t)s->b.size.rows * s->parts;
    real               *at = calloc(n, sizeof *at);
    memset(out, 0, n * sizeof *out);
    for (int k = 0; k < 4; k++) {
        const real *dy;
        for (size_t i = 0; i < n; i++)
            at[i] = s->y[i] + place[k] * h * v[i];
        assert_int_equal(bs_energy_probe_gradient(s->probe, &s->b, at, &dy, NULL), BASIN_OK);
        for (size_t i = 0; i < n; i++)
            out[i] += weight[k] * dy[i] / (12 * h);
    }
    free(at);
}

static void check_product(subject *s, const char *what, double tolerance)
{
    const size_t n = (size_t)s->b.size.rows * s->parts;
    real        *numeric = calloc(n, sizeof *numeric);
    const real  *hv;
    basin_error  err = {0};
    double       size = 0;
    differences(s, s->v, numeric);
    CHECK(!bs_energy_probe_product(s->probe, &s->b, s->y, s->v, &hv, &err), "%s: %s", what,
          err.msg);
    for (size_t i = 0; i < n; i++)
        size += numeric[i] * numeric[i];
    double e = distance(hv, numeric, (int64_t)n, 1e-12);
    CHECK(size > 1e-8, "%s: the product is %g: nothing to compare", what, sqrt(size));
    CHECK(e < tolerance, "%s: a product with the Hessian is off by %.3g", what, e);
    free(numeric);
}

static const char *const energies[] = {"energy.kind=label",
                                       "energy.kind=deep",
                                       "energy.kind=quadratic",
                                       "energy.kind=label energy.shift=yes",
                                       "energy.kind=label energy.scale=3",
                                       "energy.kind=pairs energy.scale=0.5",
                                       "energy.kind=attention",
                                       "energy.kind=tree energy.scale=2"};

static void products_of_label_energies_are_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof energies / sizeof energies[0]; i++) {
        subject s = labels_new(energies[i]);
        check_product(&s, energies[i], 1e-8);
        subject_free(&s);
    }
}

static void products_of_tag_energies_are_right(void **state)
{
    (void)state;
    subject s = tags_new("energy.kind=chain", BS_HVP_EXACT);
    check_product(&s, "chain", 1e-8);
    subject_free(&s);
    s = tags_new("energy.kind=lm-both", BS_HVP_CENTRAL);
    check_product(&s, "language models of tags", 1e-5);
    subject_free(&s);
}

/* Mean Hessian over rows, by way of the hidden units: [LABELS, LABELS]. */
static void curvature_of(subject *s, double *out)
{
    bs_label_curvature *c;
    basin_error         err = {0};
    float               y[ROWS * LABELS];
    for (int i = 0; i < ROWS * LABELS; i++) {
        y[i] = (float)s->y[i];
        s->y[i] = (real)y[i];
    }
    CHECK(!bs_label_curvature_new(s->w, s->c->learner.params, &s->c->learner.spec, &c, &err), "%s",
          err.msg);
    /* in two parts: sums go on */
    CHECK(!bs_label_curvature_add(c, y, 2, &err), "%s", err.msg);
    CHECK(!bs_label_curvature_add(c, y + 2 * LABELS, ROWS - 2, &err), "%s", err.msg);
    CHECK(!bs_label_curvature_mean(c, out, &err), "%s", err.msg);
    bs_label_curvature_free(c);
}

/* The same by products in the space of labels. */
static void by_products(subject *s, real *out)
{
    const real *hv;
    memset(out, 0, LABELS * LABELS * sizeof *out);
    for (int j = 0; j < LABELS; j++) {
        for (int i = 0; i < ROWS * LABELS; i++)
            s->v[i] = i % LABELS == j;
        assert_int_equal(bs_energy_probe_product(s->probe, &s->b, s->y, s->v, &hv, NULL), BASIN_OK);
        for (int i = 0; i < ROWS * LABELS; i++)
            out[(i % LABELS) * LABELS + j] += hv[i] / ROWS;
    }
}

static void curvature_of_labels_is_the_mean_hessian(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof energies / sizeof energies[0]; i++) {
        subject s = labels_new(energies[i]);
        double  got[LABELS * LABELS];
        real    want[LABELS * LABELS];
        curvature_of(&s, got);
        by_products(&s, want);
        double e = distance(got, want, LABELS * LABELS, 1e-12);
        CHECK(e < 1e-9, "%s: the mean Hessian is off by %.3g", energies[i], e);
        subject_free(&s);
    }
}

/* E = -sum_h v_h softplus(h), h = M y + m: H_ij = -sum_h v_h s(h) (1 - s(h)) M_ih M_jh. */
static void curvature_of_the_label_energy_is_the_formula(void **state)
{
    subject s = labels_new("energy.kind=label");
    double  got[LABELS * LABELS], want[LABELS * LABELS] = {0};
    (void)state;
    curvature_of(&s, got);
    const int   H = bs_net_spec_mlc(&s.c->learner.spec)->hidden;
    const real *M = scene_param(s.c, "energy/M/W"), *m = scene_param(s.c, "energy/M/b");
    const real *v = scene_param(s.c, "energy/v");
    for (int r = 0; r < ROWS; r++)
        for (int h = 0; h < H; h++) {
            double z = m[h];
            for (int i = 0; i < LABELS; i++)
                z += s.y[r * LABELS + i] * M[i * H + h];
            const double bend = v[h] * exp(-z) / ((1 + exp(-z)) * (1 + exp(-z)));
            for (int i = 0; i < LABELS; i++)
                for (int j = 0; j < LABELS; j++)
                    want[i * LABELS + j] -= bend * M[i * H + h] * M[j * H + h] / ROWS;
        }
    double e = distance(got, want, LABELS * LABELS, 1e-12);
    CHECK(e < 1e-10, "the mean Hessian differs from its formula by %.3g", e);
    subject_free(&s);
}

/* d2E / dy_t[a] dy_{t+1}[b] of a chain is -W[a][b], wherever there are two tokens. */
static void neighbours_of_a_chain_interact_by_its_transitions(void **state)
{
    subject     s = tags_new("energy.kind=chain", BS_HVP_EXACT);
    const real *W = scene_param(s.c, "energy/W"), *hv;
    const int   T = s.b.size.length, t = 2, row = 0; /* of four tokens */
    (void)state;
    for (int b = 0; b < TAGS; b++) {
        memset(s.v, 0, (size_t)s.b.size.rows * s.parts * sizeof *s.v);
        s.v[(row * T + t) * TAGS + b] = 1;
        assert_int_equal(bs_energy_probe_product(s.probe, &s.b, s.y, s.v, &hv, NULL), BASIN_OK);
        for (int a = 0; a < TAGS; a++) {
            assert_true(fabs(hv[(row * T + t - 1) * TAGS + a] + W[a * (TAGS + 1) + b]) < 1e-12);
            assert_true(fabs(hv[(row * T + t + 1) * TAGS + a] + W[b * (TAGS + 1) + a]) < 1e-12);
            assert_true(fabs(hv[(row * T + t) * TAGS + a]) < 1e-12);
        }
    }
    subject_free(&s);
}

/* Local scores are what the energy loses by each label, where it has no other term. */
static void potentials_are_the_local_part(void **state)
{
    subject     s = labels_new("energy.scale=0");
    const real *p, *dy;
    real        local[ROWS * LABELS];
    (void)state;
    assert_int_equal(bs_energy_probe_potentials(s.probe, &s.b, &p, NULL), BASIN_OK);
    memcpy(local, p, sizeof local);
    assert_int_equal(bs_energy_probe_gradient(s.probe, &s.b, s.y, &dy, NULL), BASIN_OK);
    for (int i = 0; i < ROWS * LABELS; i++)
        assert_true(fabs(local[i] + dy[i]) < 1e-12);
    subject_free(&s);
}

/* ---- searches stopped on the way ---- */

static void score_rows(subject *s, const bs_inference *how, int point, real *y, real *energy)
{
    bs_scorer  *scorer;
    bs_scored   found;
    basin_error err = {0};
    CHECK(!bs_scorer_new(s->w, s->c->learner.params, &s->c->learner.spec, how, &scorer, &err), "%s",
          err.msg);
    CHECK(!bs_scorer_batch(scorer, &s->b, &found, &err), "%s", err.msg);
    if (point >= 0) {
        bs_scorer_replay(scorer, point);
        CHECK(!bs_scorer_batch(scorer, &s->b, &found, &err), "%s", err.msg);
        bs_scored beyond;
        assert_int_equal(bs_scorer_batch(scorer, &s->b, &beyond, NULL), BASIN_EARG);
    }
    memcpy(y, found.y, ROWS * LABELS * sizeof *y);
    memcpy(energy, found.energy, ROWS * sizeof *energy);
    bs_scorer_free(scorer);
}

/* What is remembered of a long search is what a short one finds, bit by bit. */
static void check_stops(const char *words)
{
    subject          s = labels_new(words);
    bs_inference     how = bs_options_inference(&s.c->settings.train, "gbi");
    static const int at[] = {0, 1, 3, 6};
    how.energies = true;
    for (int i = 0; i < 4; i++) {
        bs_inference all = how;
        real         y[2][ROWS * LABELS], energy[2][ROWS];
        all.points = 4;
        memcpy(all.step, at, sizeof at);
        how.gbi.steps = at[i];
        score_rows(&s, &how, -1, y[0], energy[0]);
        score_rows(&s, &all, i, y[1], energy[1]);
        CHECK(memcmp(y[0], y[1], sizeof y[0]) == 0, "%s: another y after %d steps", words, at[i]);
        CHECK(memcmp(energy[0], energy[1], sizeof energy[0]) == 0, "%s: another energy", words);
    }
    subject_free(&s);
}

static void searches_can_be_stopped_anywhere(void **state)
{
    (void)state;
    check_stops("gbi.rule=adam");
    check_stops("gbi.rule=momentum gbi.best=no gbi.space=logits gbi.start=uniform");
    check_stops("gbi.start=random gbi.restarts=3 gbi.rule=plain");
    check_stops("gbi.rule=mirror gbi.start=uniform gbi.entropy=0.1 gbi.tolerance=0.01");
    check_stops("gbi.rule=plain gbi.halvings=3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_label_energies_are_right),
        cmocka_unit_test(products_of_tag_energies_are_right),
        cmocka_unit_test(curvature_of_labels_is_the_mean_hessian),
        cmocka_unit_test(curvature_of_the_label_energy_is_the_formula),
        cmocka_unit_test(neighbours_of_a_chain_interact_by_its_transitions),
        cmocka_unit_test(potentials_are_the_local_part),
        cmocka_unit_test(searches_can_be_stopped_anywhere),
    };
    return cmocka_run_group_tests_name("explain, double", tests, NULL, NULL);
}
