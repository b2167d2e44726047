/* test64_tag_search.c -- searches over tags and implicit gradients, in double precision: every
 * step against its formula, minima against enumeration, products against each other. */
#include "tests/tag_scene.h"

#include "method/implicit.h"

enum { B = 3, T = 5, N = 3, PARTS = B * T * N }; /* of tag_scene() */

/* ---- steps ---- */

/* The energy's gradient at any y, by a program of its own. */
typedef struct {
    scene *c;
    real  *y;
} slope;

static slope slope_new(const char *words)
{
    slope s = {.c = tag_scene(words, N)};
    bs_id y = tag_output(s.c, 1), d, e = bs_sum(s.c->g, s.c->s.t->energy(&s.c->s.v, y));
    bs_grad(s.c->g, e, &y, 1, &d, false);
    scene_result(s.c, d, -1);
    scene_start(s.c, 3);
    s.y = scene_data(s.c, y);
    return s;
}

static const real *slope_at(slope *s, const double *y)
{
    for (int i = 0; i < PARTS; i++)
        s->y[i] = (real)y[i];
    machine_run(&s->c->m, 1);
    return machine_value(&s->c->m, 0);
}

static bool is_token(int i)
{
    return i % T < tag_length(i / T);
}

static void softmax(const double *z, double *y)
{
    double all = 0;
    for (int j = 0; j < N; j++)
        all += exp(z[j]);
    for (int j = 0; j < N; j++)
        y[j] = exp(z[j]) / all;
}

/* The nearest distribution by trying every number of tags that are not zero. */
static void nearest(const double *a, double *y)
{
    double t = 0;
    for (int set = 1; set < 1 << N; set++) {
        double sum = -1, low = INFINITY, high = -INFINITY;
        int    n = 0;
        for (int j = 0; j < N; j++)
            if (set >> j & 1) {
                sum += a[j];
                low = fmin(low, a[j]);
                n++;
            } else {
                high = fmax(high, a[j]);
            }
        if (low > sum / n && high <= sum / n)
            t = sum / n;
    }
    for (int j = 0; j < N; j++)
        y[j] = fmax(a[j] - t, 0);
}

typedef enum { PROJECTED, LOGITS, MIRROR } space;

static void move_token(space how, const real *d, double rate, double *z, double *y)
{
    double mean = 0;
    for (int j = 0; j < N; j++)
        mean += y[j] * (double)d[j];
    for (int j = 0; j < N; j++) {
        double down = how == LOGITS ? y[j] * ((double)d[j] - mean) : (double)d[j];
        z[j] = (how == PROJECTED ? y[j] : z[j]) - rate * down;
    }
    if (how == PROJECTED)
        nearest(z, y);
    else
        softmax(z, y);
}

static void walk_by_hand(space how, const char *words, int steps, double rate, double *y)
{
    slope  s = slope_new(words);
    double z[PARTS];
    for (int i = 0; i < PARTS; i++) {
        y[i] = is_token(i / N) ? 1.0 / N : 0;
        z[i] = log(1.0 / N);
    }
    for (int t = 1; t <= steps; t++) {
        const real *d = slope_at(&s, y);
        for (int i = 0; i < B * T; i++)
            if (is_token(i))
                move_token(how, d + i * N, how == MIRROR ? rate / sqrt(t) : rate, z + i * N,
                           y + i * N);
    }
    scene_free(s.c);
}

static void searches_follow_their_formula(void **state)
{
    static const char *const spaces[] = {"gbi.rule=plain gbi.space=projected",
                                         "gbi.rule=plain gbi.space=logits", "gbi.rule=mirror"};
    static const char *const kinds[] = {"energy.kind=chain", "energy.kind=lm-words"};
    enum { STEPS = 6 };
    (void)state;
    for (int i = 0; i < 6; i++) {
        char words[256];
        snprintf(words, sizeof words, "%s %s gbi.lr=0.4 gbi.steps=%d gbi.best=no gbi.start=uniform",
                 kinds[i / 3], spaces[i % 3], STEPS);
        scene *c = tag_scene(words, N);
        bs_gbi o = bs_options_gbi(c->learner.o, false);
        bs_id  start = bs_gbi_begin(&c->s.v, &o, BS_STREAM_START);
        scene_result(c, bs_gbi_search(&c->s.v, &o, bs_energy_objective, NULL, start).y, -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        double want[PARTS], moved = 0;
        walk_by_hand((space)(i % 3), words, STEPS, 0.4, want);
        for (int k = 0; k < PARTS; k++) {
            double got = (double)machine_value(&c->m, 0)[k];
            CHECK(fabs(got - want[k]) < 1e-11, "%s: part %d is %.15g, not %.15g", words, k, got,
                  want[k]);
            moved = fmax(moved, is_token(k / N) ? fabs(got - 1.0 / N) : 0);
        }
        CHECK(moved > 0.05, "%s: moved by %.3g only", words, moved);
        scene_free(c);
    }
}

/* Without transitions the energy is a sum over tokens, and searches must find its minimum. (Not
 * adam on projected y: all tags of a word that gain move by the same length, so that the best of
 * them never comes out on top.) */
static void searches_find_the_minimum(void **state)
{
    static const char *const how[] = {
        "gbi.space=projected gbi.rule=plain gbi.lr=3",
        "gbi.space=projected gbi.rule=normalised gbi.lr=0.5",
        "gbi.space=projected gbi.rule=momentum gbi.lr=2 gbi.halvings=2",
        "gbi.space=projected gbi.rule=plain gbi.lr=3 gbi.start=zeros",
        "gbi.space=projected gbi.rule=plain gbi.lr=3 gbi.start=random gbi.restarts=2",
        "gbi.rule=mirror gbi.lr=200",
        "gbi.space=logits gbi.rule=adam gbi.lr=2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        char words[256];
        snprintf(words, sizeof words, "gbi.steps=60 %s", how[i]);
        scene   *c = tag_scene(words, N);
        bs_gbi   o = bs_options_gbi(c->learner.o, false);
        bs_id    start = bs_gbi_begin(&c->s.v, &o, BS_STREAM_START), y = tag_all(c);
        bs_found found = bs_gbi_search(&c->s.v, &o, bs_energy_objective, NULL, start);
        scene_result(c, found.value, -1);
        scene_result(c, c->s.t->energy(&c->s.v, y), -1);
        scene_result(c, c->s.t->energy(&c->s.v, found.y), -1);
        scene_start(c, 3);
        memset(scene_param(c, "energy/W"), 0, (N + 1) * (N + 1) * sizeof(real));
        machine_run(&c->m, 1);
        for (int s = 0; s < B; s++) {
            double got = (double)machine_value(&c->m, 0)[s], least = INFINITY;
            for (int k = 0; k < tag_sequences(s, N); k++)
                least = fmin(least, (double)machine_value(&c->m, 1)[s * tag_sequences(0, N) + k]);
            CHECK(fabs(got - least) < 1e-6, "%s: sentence %d: %.9g, the least is %.9g", how[i], s,
                  got, least);
            assert_true(fabs((double)machine_value(&c->m, 2)[s] - got) < 1e-12);
        }
        scene_free(c);
    }
}

/* ---- implicit gradients ---- */

typedef struct {
    scene     *c;
    bs_learner l;
    bs_batch   b;
} setting;

/* With the settings of the method for tags, then `words`. */
static basin_status setting_new(setting *s, const char *method, const char *words, basin_error *err)
{
    const bs_method *m;
    char             all[512];
    assert_int_equal(bs_method_find(method, "tag", &m, NULL), BASIN_OK);
    snprintf(all, sizeof all, "%s %s samples=4 implicit.terms=4 %s", m->defaults,
             bs_method_own(m, "tag") ? bs_method_own(m, "tag") : "", words);
    *s = (setting){.c = tag_scene(all, N)};
    s->l = (bs_learner){
        .o = s->c->learner.o, .method = m, .spec = s->c->learner.spec, .params = bs_params_new()};
    s->b.size = s->c->s.v.size;
    for (int i = 0; i < BS_MOST_INPUTS; i++)
        s->b.x[i] = s->c->s.v.x.id[i] ? scene_data(s->c, s->c->s.v.x.id[i]) : NULL;
    s->b.gold = s->c->gold;
    assert_int_equal(bs_workspace_open((bs_machine){.threads = 1}, &s->l.w, NULL), BASIN_OK);
    basin_status status = bs_learner_setup(&s->l, err);
    return status ? status : bs_implicit_gradient(&s->l, &s->b, err);
}

static void setting_free(setting *s)
{
    bs_learner_free(&s->l);
    bs_params_free(s->l.params);
    bs_workspace_close(s->l.w);
    scene_free(s->c);
}

/* The gradient of the energy, the caller frees; *n is its size. */
static real *implicit_gradient(const char *method, const char *words, int64_t *n)
{
    basin_error err = {0};
    setting     s;
    CHECK(setting_new(&s, method, words, &err) == BASIN_OK, "%s, %s: %s", method, words, err.msg);
    const bs_params *p = s.l.params;
    real            *out = calloc((size_t)p->size, sizeof *out);
    for (int i = 0; i < p->n; i++)
        if (bs_params_has_prefix(p->segment[i].name, "energy/"))
            memcpy(out + p->segment[i].offset,
                   (real *)host_of(p->block.grad) + p->segment[i].offset,
                   (size_t)p->segment[i].count * sizeof *out);
    *n = p->size;
    setting_free(&s);
    return out;
}

/* Nets without an LSTM have exact products: differences must agree with them. */
static void products_agree(void **state)
{
    static const char *const methods[] = {"implicit-ssvm", "implicit-dvn", "implicit-cd"};
    static const char *const solver[] = {"cg", "series"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        char    words[2][128];
        int64_t n;
        for (int k = 0; k < 2; k++)
            snprintf(words[k], sizeof words[k],
                     "net.layers=0 implicit.solver=%s implicit.product=%s", solver[i / 3],
                     k ? "central" : "exact");
        real  *exact = implicit_gradient(methods[i % 3], words[0], &n);
        real  *central = implicit_gradient(methods[i % 3], words[1], &n);
        real  *none = implicit_gradient(methods[i % 3], "net.layers=0 implicit.solver=none", &n);
        double off = distance(exact, central, n, 1e-9), term = distance(exact, none, n, 1e-9);
        CHECK(off < 1e-6, "%s, %s: differences are off by %.3g", methods[i % 3], words[0], off);
        CHECK(term > 1e-4, "%s, %s: the implicit term is %.3g", methods[i % 3], words[0], term);
        free(exact);
        free(central);
        free(none);
    }
}

/* The methods work with an LSTM as they are; exact products are refused and the reason named. */
static void implicit_methods_take_differences(void **state)
{
    static const char *const methods[] = {"implicit-ssvm", "implicit-dvn", "implicit-cd"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        basin_error err = {0};
        setting     s;
        int64_t     n;
        real       *own = implicit_gradient(methods[i], "", &n);
        real       *none = implicit_gradient(methods[i], "implicit.solver=none", &n);
        CHECK(distance(own, none, n, 1e-9) > 1e-6, "%s: no implicit term", methods[i]);
        free(own);
        free(none);
        assert_int_equal(setting_new(&s, methods[i], "implicit.product=exact", &err), BASIN_EARG);
        CHECK(strstr(err.msg, "net/T/0/") && strstr(err.msg, "lstm"), "%s", err.msg);
        setting_free(&s);
    }
}

/* A derivative by a reshape is one by what is under it: builders look through reshapes, and the
 * target need not contain the node. */
static void derivatives_by_reshapes(void **state)
{
    (void)state;
    bs_graph  *g = bs_graph_new();
    bs_example ex;
    bs_example_init(&ex, 2);
    bs_id x = bs_example_real(g, &ex, bs_shape2(2, 6), -1, 1), d[2];
    bs_id flat = bs_reshape(g, bs_square(g, x), bs_shape1(12));
    bs_id target = bs_sum(g, bs_exp(g, bs_reshape(g, flat, bs_shape2(4, 3))));
    bs_grad(g, target, (bs_id[]){flat, x}, 2, d, false);
    check_graph(g);
    assert_true(bs_shape_equal(bs_shape_of(g, d[0]), bs_shape1(12)));
    bs_result r[] = {{d[0], -1}, {d[1], -1}};
    machine   m = machine_new(g, &ex, r, 2, 0, 1);
    machine_run(&m, 1);
    for (int i = 0; i < 12; i++) {
        double at = (double)((real *)ex.leaf[0].data)[i];
        assert_true(fabs((double)machine_value(&m, 0)[i] - exp(at * at)) < 1e-14);
        assert_true(fabs((double)machine_value(&m, 1)[i] - 2 * at * exp(at * at)) < 1e-14);
    }
    machine_free(&m);
    bs_example_free(&ex);
    bs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_follow_their_formula),
        cmocka_unit_test(searches_find_the_minimum),
        cmocka_unit_test(products_agree),
        cmocka_unit_test(implicit_methods_take_differences),
        cmocka_unit_test(derivatives_by_reshapes),
    };
    return cmocka_run_group_tests_name("searches of tags, double", tests, NULL, NULL);
}
