/* test64_gbi.c -- gradient-based inference in double precision: it finds minima, returns what it
 * says, and treats every row on its own. (Its steps against PyTorch: test_golden_methods.c.) */
#include "tests/scene.h"

enum { B = 4, D = 5, L = 5, STEPS = 12 };

/* ---- objectives ---- */

/* (y - c)' A (y - c), A positive definite */
typedef struct {
    bs_id A, c;
} bowl;

static bs_id bowl_at(bs_output_space *v, void *ctx, bs_id y)
{
    bowl    *b = ctx;
    bs_shape s = bs_shape_of(v->g, y);
    bs_id    d = bs_sub(v->g, y, b->c);
    bs_id    rows = bs_reshape(v->g, d, bs_shape2(s.d[1] * s.d[2], s.d[3]));
    bs_id    product = bs_reshape(v->g, bs_matmul(v->g, rows, b->A, false, false), s);
    return bs_output_total(v, bs_mul(v->g, d, product));
}

static bowl bowl_new(scene *c, double lo, double hi)
{
    bowl b = {bs_example_real(c->g, &c->ex, bs_shape2(L, L), -1, 1), scene_output(c, 1, lo, hi)};
    return b;
}

/* A <- I + R R' / 4 of what was drawn; diagonal: without the rest of it. */
static void bowl_fill(scene *c, const bowl *b, bool diagonal)
{
    real *A = scene_data(c, b->A), R[L * L];
    memcpy(R, A, sizeof R);
    for (int i = 0; i < L; i++)
        for (int j = 0; j < L; j++) {
            double sum = i == j;
            for (int k = 0; k < L; k++)
                sum += 0.25 * (double)R[i * L + k] * (double)R[j * L + k];
            A[i * L + j] = (real)(diagonal && i != j ? 0 : sum);
        }
}

static bs_gbi way(bs_gbi_rule rule, bool logits, int steps, double rate)
{
    return (bs_gbi){.rule = rule,
                    .logits = logits,
                    .start = BS_GBI_UNIFORM,
                    .steps = steps,
                    .starts = 1,
                    .rate = rate,
                    .momentum = 0.5};
}

static bs_found search(scene *c, const bs_gbi *o, bs_objective f, void *ctx)
{
    return bs_gbi_search(&c->s.v, o, f, ctx, bs_gbi_begin(&c->s.v, o, BS_STREAM_START));
}

/* ---- minima ---- */

/* Every rule finds the lowest point of a bowl: inside the box where it is the centre, outside
 * (without coupling) the nearest point of the box. Logits only come close to the sides. */
static void every_rule_finds_the_minimum(void **state)
{
    static const struct {
        const char *name;
        bs_gbi      o;
        double      inside, outside; /* tolerances */
    } rule[] = {
        {"plain", {.rule = BS_GBI_PLAIN, .rate = 0.1}, 1e-6, 1e-6},
        {"momentum", {.rule = BS_GBI_MOMENTUM, .rate = 0.05, .momentum = 0.7}, 1e-6, 1e-6},
        {"adam", {.rule = BS_GBI_ADAM, .rate = 0.01}, 1e-3, 1e-3},
        {"normalised", {.rule = BS_GBI_NORMALISED, .rate = 0.01, .best = true}, 1e-2, 1e-2},
        {"plain, halved", {.rule = BS_GBI_PLAIN, .rate = 8, .halvings = 12}, 1e-6, 1e-6},
        {"plain, logits", {.rule = BS_GBI_PLAIN, .rate = 1, .logits = true}, 1e-4, 4e-2},
        {"momentum, logits",
         {.rule = BS_GBI_MOMENTUM, .rate = 1, .momentum = 0.7, .logits = true},
         1e-4,
         4e-2},
        {"adam, logits", {.rule = BS_GBI_ADAM, .rate = 0.1, .logits = true}, 1e-3, 4e-2},
        {"normalised, logits",
         {.rule = BS_GBI_NORMALISED, .rate = 0.05, .logits = true, .best = true},
         1e-2,
         4e-2},
        {"mirror", {.rule = BS_GBI_MIRROR, .rate = 4}, 1e-4, 4e-2},
    };
    enum { RULES = sizeof rule / sizeof rule[0] };
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        scene *c = scene_new("", B, D, L, 21);
        bowl   b = bowl_new(c, inside ? 0.2 : -0.7, inside ? 0.8 : 1.7);
        for (int i = 0; i < RULES; i++) {
            bs_gbi o = rule[i].o;
            o.steps = 300;
            o.starts = 1;
            o.start = BS_GBI_UNIFORM;
            scene_result(c, search(c, &o, bowl_at, &b).y, -1);
        }
        scene_start(c, 3);
        bowl_fill(c, &b, !inside);
        machine_run(&c->m, 1);
        for (int i = 0; i < RULES; i++)
            for (int k = 0; k < B * L; k++) {
                double want = fmin(fmax((double)scene_data(c, b.c)[k], 0), 1);
                double got = (double)machine_value(&c->m, i)[k];
                CHECK(fabs(got - want) < (inside ? rule[i].inside : rule[i].outside),
                      "%s: part %d is %.6f, not %.6f", rule[i].name, k, got, want);
            }
        scene_free(c);
    }
}

static void make_convex(scene *c, double curvature)
{
    for (int64_t k = 0; k < scene_param_count(c, "energy/v"); k++)
        scene_param(c, "energy/v")[k] = (real)-curvature;
}

/* With v <= 0 the quadratic energy is convex in y. A minimum over the box has no descent left: the
 * projected gradient is zero, and no corner is lower. */
static void a_convex_energy_is_minimised(void **state)
{
    enum { N = 1 << L };
    (void)state;
    scene *c = scene_new("net.dropout=0 energy.kind=quadratic", B, D, L, 22);
    bs_gbi o = way(BS_GBI_MOMENTUM, false, 600, 0.02);
    o.momentum = 0.9;
    bs_id y = search(c, &o, bs_energy_objective, NULL).y, corner = scene_output(c, N, 0, 1), dy;
    bs_id here = bs_stop(c->g, y), e = c->s.t->energy(&c->s.v, here);
    bs_grad(c->g, e, &here, 1, &dy, false);
    scene_result(c, y, -1);
    scene_result(c, dy, -1);
    scene_result(c, e, -1);
    scene_result(c, c->s.t->energy(&c->s.v, corner), -1);
    scene_start(c, 3);
    for (int i = 0; i < B * N * L; i++)
        scene_data(c, corner)[i] = (real)(i / L % N >> i % L & 1);
    make_convex(c, 1);
    machine_run(&c->m, 1);
    int inside = 0;
    for (int i = 0; i < B * L; i++) {
        double at = (double)machine_value(&c->m, 0)[i], d = (double)machine_value(&c->m, 1)[i];
        double left = at - fmin(fmax(at - d, 0), 1);
        CHECK(fabs(left) < 1e-6, "part %d is %.6f, where the gradient is %.3g", i, at, d);
        inside += at > 0.01 && at < 0.99;
    }
    CHECK(inside > 0, "all minima lie in corners");
    for (int i = 0; i < B * N; i++)
        assert_true(machine_value(&c->m, 2)[i / N] <= machine_value(&c->m, 3)[i] + (real)1e-9);
    scene_free(c);
}

/* The first step from a constant start follows the gradient there, too. */
static void constant_starts_have_a_gradient(void **state)
{
    (void)state;
    for (int start = BS_GBI_ZEROS; start <= BS_GBI_UNIFORM; start++) {
        scene *c = scene_new("net.dropout=0", B, D, L, 23);
        bs_gbi o = way(BS_GBI_PLAIN, false, 1, 1e-3);
        bs_id  y = scene_output(c, 1, 0, 1), dy;
        o.start = (bs_gbi_start)start;
        bs_grad(c->g, c->s.t->energy(&c->s.v, y), &y, 1, &dy, false);
        scene_result(c, search(c, &o, bs_energy_objective, NULL).y, -1);
        scene_result(c, dy, -1);
        scene_start(c, 3);
        const double from = start == BS_GBI_ZEROS ? 0 : 0.5;
        for (int i = 0; i < B * L; i++)
            scene_data(c, y)[i] = (real)from;
        machine_run(&c->m, 1);
        int moved = 0;
        for (int i = 0; i < B * L; i++) {
            double want = fmax(from - 1e-3 * (double)machine_value(&c->m, 1)[i], 0);
            double got = (double)machine_value(&c->m, 0)[i];
            CHECK(fabs(got - want) < 1e-12, "part %d is %.9f, not %.9f", i, got, want);
            moved += got != from;
        }
        assert_true(moved > 0);
        scene_free(c);
    }
}

/* ---- the course of a search ---- */

/* A rough objective: the energy of a scene, steps far too long. */
typedef struct {
    scene *c;
    real   y[STEPS + 1][B * L], value[STEPS + 1][B]; /* iterate t, and its objective */
    int    first;
} course;

static void course_build(course *k, scene *c, bs_gbi o)
{
    k->c = c;
    k->first = c->n_results;
    o.best = o.skip_last = false;
    bs_id start = bs_gbi_begin(&c->s.v, &o, BS_STREAM_START);
    for (int t = 0; t <= STEPS; t++) {
        o.steps = t;
        bs_id y = t ? bs_gbi_search(&c->s.v, &o, bs_energy_objective, NULL, start).y : start;
        scene_result(c, y, -1);
        scene_result(c, c->s.t->energy(&c->s.v, y), -1);
    }
}

static void course_read(course *k)
{
    for (int t = 0; t <= STEPS; t++) {
        memcpy(k->y[t], machine_value(&k->c->m, k->first + 2 * t), sizeof k->y[t]);
        memcpy(k->value[t], machine_value(&k->c->m, k->first + 2 * t + 1), sizeof k->value[t]);
    }
}

static int lowest(const course *k, int row, int last)
{
    int at = 0;
    for (int t = 1; t <= last; t++)
        if (k->value[t][row] < k->value[at][row])
            at = t;
    return at;
}

/* The best iterate is the lowest of all, the start and the end included; skip_last leaves out the
 * end. */
static void the_best_iterate_is_returned(void **state)
{
    (void)state;
    int at_end = 0, within = 0;
    for (uint64_t seed = 30; seed < 36; seed++) {
        scene *c = scene_new("net.dropout=0 energy.kind=deep energy.scale=4", B, D, L, seed);
        bs_gbi o = way(BS_GBI_MOMENTUM, false, STEPS, 0.08);
        course k;
        course_build(&k, c, o);
        o.best = true;
        for (int skip = 0; skip < 2; skip++) {
            o.skip_last = skip;
            bs_found f = search(c, &o, bs_energy_objective, NULL);
            scene_result(c, f.y, -1);
            scene_result(c, f.value, -1);
            scene_result(c, f.first, -1);
        }
        scene_start(c, seed);
        machine_run(&c->m, 1);
        course_read(&k);
        for (int skip = 0; skip < 2; skip++) {
            const int at = c->n_results - 6 + 3 * skip;
            for (int r = 0; r < B; r++) {
                int         t = lowest(&k, r, STEPS - skip);
                const real *y = machine_value(&c->m, at) + r * L;
                CHECK(distance(y, k.y[t] + r * L, L, 1e-9) < 1e-12, "row %d: not iterate %d", r, t);
                double value = (double)machine_value(&c->m, at + 1)[r];
                assert_true(fabs(value - (double)k.value[t][r]) < 1e-12);
                assert_true(skip || value <= (double)k.value[STEPS][r] + 1e-12);
                assert_true(value <= (double)k.value[0][r] + 1e-12);
                assert_true(fabs((double)machine_value(&c->m, at + 2)[r] - (double)k.value[0][r]) <
                            1e-12);
                at_end += !skip && t == STEPS;
                within += t > 0 && t < STEPS;
            }
        }
        scene_free(c);
    }
    CHECK(at_end > 0 && within > 0, "%d searches end lowest, %d before", at_end, within);
}

/* Steps that are halved until they help never go up; the same steps unhalved do. */
static void a_line_search_never_goes_up(void **state)
{
    static const bs_gbi_rule rules[] = {BS_GBI_PLAIN, BS_GBI_MOMENTUM, BS_GBI_ADAM,
                                        BS_GBI_NORMALISED, BS_GBI_MIRROR};
    (void)state;
    for (int i = 0; i < 5; i++) {
        int up[2] = {0}, down = 0;
        for (int halved = 0; halved < 2; halved++) {
            scene *c = scene_new("net.dropout=0 energy.kind=quadratic", B, D, L, 40);
            bs_gbi o = way(rules[i], i == 1, STEPS, 1.5);
            course k;
            o.halvings = halved ? 8 : 0;
            course_build(&k, c, o);
            scene_start(c, 41);
            make_convex(c, 4);
            machine_run(&c->m, 1);
            course_read(&k);
            for (int t = 1; t <= STEPS; t++)
                for (int r = 0; r < B; r++) {
                    up[halved] += (double)k.value[t][r] > (double)k.value[t - 1][r] + 1e-12;
                    down += halved && k.value[t][r] < k.value[t - 1][r];
                }
            scene_free(c);
        }
        CHECK(up[0] > 0, "rule %d: no step goes up without a line search", rules[i]);
        CHECK(up[1] == 0, "rule %d: %d steps go up", rules[i], up[1]);
        CHECK(down >= B, "rule %d: only %d steps go down", rules[i], down);
    }
}

/* A row rests after the first step shorter than the tolerance, at the end of that step; the others
 * go on. */
static void rows_come_to_rest(void **state)
{
    const double tolerance = 0.2;
    (void)state;
    scene *c = scene_new("net.dropout=0 energy.kind=quadratic", B, D, L, 50);
    bs_gbi o = way(BS_GBI_PLAIN, true, STEPS, 0.8);
    course k;
    course_build(&k, c, o);
    o.tolerance = tolerance;
    bs_found f = search(c, &o, bs_energy_objective, NULL);
    int      at = scene_result(c, f.y, -1), steps = scene_result(c, f.steps, -1);
    scene_start(c, 51);
    make_convex(c, 1);
    machine_run(&c->m, 1);
    course_read(&k);
    int total = 0, seen[STEPS + 1] = {0}, kinds = 0;
    for (int r = 0; r < B; r++) {
        int t = 0;
        for (bool moving = true; moving && t < STEPS; t++) {
            double way2 = 0;
            for (int l = 0; l < L; l++) {
                double a = (double)k.y[t][r * L + l], b = (double)k.y[t + 1][r * L + l];
                double dz = log(b / (1 - b)) - log(a / (1 - a));
                way2 += dz * dz;
            }
            moving = sqrt(way2) > tolerance;
        }
        CHECK(distance(machine_value(&c->m, at) + r * L, k.y[t] + r * L, L, 1e-9) < 1e-12,
              "row %d does not rest after %d steps", r, t);

        total += t;
        seen[t]++;
    }
    for (int t = 0; t <= STEPS; t++)
        kinds += seen[t] > 0;
    CHECK(kinds > 1, "all rows take the same number of steps");
    CHECK(seen[STEPS] < B, "no row rests");
    assert_true(fabs(scene_number(c, steps) - (double)total / B) < 1e-12);
    scene_free(c);
}

/* Searches rows[0 .. n) of the batch of seed 60. */
static void search_rows(const bs_gbi *o, const int *row, int n, real *y)
{
    scene *all = scene_new("net.dropout=0 energy.kind=deep", B, D, L, 60);
    scene *c = scene_new("net.dropout=0 energy.kind=deep", n, D, L, 60);
    for (int i = 0; i < n; i++)
        memcpy(c->x + i * D, all->x + row[i] * D, D * sizeof *c->x);
    bs_gbi mine = *o;
    scene_result(c, search(c, &mine, bs_energy_objective, NULL).y, -1);
    scene_start(c, 61);
    machine_run(&c->m, 1);
    memcpy(y, machine_value(&c->m, 0), (size_t)n * L * sizeof *y);
    scene_free(all);
    scene_free(c);
}

/* What is found for a row does not depend on the rows beside it. */
static void rows_are_independent(void **state)
{
    static const int every[] = {0, 1, 2, 3}, some[] = {3, 1};
    (void)state;
    for (int rule = BS_GBI_PLAIN; rule <= BS_GBI_MIRROR; rule++)
        for (int kind = 0; kind < 3; kind++) {
            bs_gbi o = way((bs_gbi_rule)rule, false, STEPS, 0.1);
            real   all[B * L], pair[2 * L], one[L];
            o.start = BS_GBI_NET;
            o.best = kind == 0;
            o.tolerance = kind == 1 ? 0.15 : 0;
            o.halvings = kind == 2 ? 3 : 0;
            search_rows(&o, every, B, all);
            search_rows(&o, some, 2, pair);
            search_rows(&o, every + 2, 1, one);
            CHECK(distance(pair, all + 3 * L, L, 1e-9) < 1e-12, "rule %d, %d: row 3", rule, kind);
            CHECK(distance(pair + L, all + L, L, 1e-9) < 1e-12, "rule %d, %d: row 1", rule, kind);
            CHECK(distance(one, all + 2 * L, L, 1e-9) < 1e-12, "rule %d, %d: row 2", rule, kind);
        }
}

/* Of several random starts the one that ends lowest counts, row by row. */
static void the_best_start_counts(void **state)
{
    enum { K = 5 };
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        scene *c = scene_new("net.dropout=0 energy.kind=deep energy.scale=5", B, D, L, 70);
        bs_gbi o = way(BS_GBI_PLAIN, false, 6, 0.05);
        o.start = BS_GBI_RANDOM;
        o.starts = K;
        o.best = kind > 0;
        o.skip_last = kind > 1;
        bs_id    starts = bs_gbi_begin(&c->s.v, &o, BS_STREAM_START);
        bs_found all = bs_gbi_search(&c->s.v, &o, bs_energy_objective, NULL, starts);
        assert_true(bs_shape_equal(bs_shape_of(c->g, starts), bs_shape3(B, K, L)));
        assert_true(bs_shape_equal(bs_shape_of(c->g, all.y), bs_shape3(B, 1, L)));
        scene_result(c, all.y, -1);
        scene_result(c, all.value, -1);
        o.starts = 1;
        for (int k = 0; k < K; k++) {
            bs_id one = bs_slice(c->g, starts, -2, k, 1);
            bs_id y = bs_gbi_search(&c->s.v, &o, bs_energy_objective, NULL, one).y;
            scene_result(c, y, -1);
            scene_result(c, c->s.t->energy(&c->s.v, y), -1);
        }
        scene_start(c, 71);
        machine_run(&c->m, 1);
        int kinds = 0, seen[K] = {0};
        for (int r = 0; r < B; r++) {
            int at = 0;
            for (int k = 1; k < K; k++)
                if (machine_value(&c->m, 3 + 2 * k)[r] < machine_value(&c->m, 3 + 2 * at)[r])
                    at = k;
            const real *y = machine_value(&c->m, 0) + r * L;
            const real *want = machine_value(&c->m, 2 + 2 * at) + r * L;
            CHECK(distance(y, want, L, 1e-9) < 1e-12, "row %d: not start %d", r, at);
            double value = (double)machine_value(&c->m, 1)[r];
            assert_true(fabs(value - (double)machine_value(&c->m, 3 + 2 * at)[r]) < 1e-12);
            kinds += !seen[at]++;
        }
        CHECK(kinds > 1, "the same start is best in every row");
        scene_free(c);
    }
}

/* ---- settings ---- */

static bs_gbi described(const char *words, bool predicting)
{
    scene *c = scene_new(words, B, D, L, 1);
    bs_gbi o = bs_options_gbi(c->learner.o, predicting);
    scene_free(c);
    return o;
}

static void settings_describe_a_search(void **state)
{
    static const char *const rules[] = {"plain", "momentum", "adam", "normalised", "mirror"};
    static const char *const starts[] = {"zeros", "uniform", "random", "net"};
    char                     words[64];
    (void)state;
    for (int i = 0; i < 5; i++) {
        snprintf(words, sizeof words, "gbi.rule=%s", rules[i]);
        assert_int_equal(described(words, false).rule, (bs_gbi_rule)i);
    }
    for (int i = 0; i < 4; i++) {
        snprintf(words, sizeof words, "gbi.start=%s gbi.restarts=4", starts[i]);
        assert_int_equal(described(words, false).start, (bs_gbi_start)i);
        assert_int_equal(described(words, false).starts, i == BS_GBI_RANDOM ? 4 : 1);
    }
    assert_int_equal(described("gbi.steps=7 gbi.test_steps=9", false).steps, 7);
    assert_int_equal(described("gbi.steps=7 gbi.test_steps=9", true).steps, 9);
    assert_int_equal(described("gbi.steps=7", true).steps, 7);
    assert_false(described("", false).skip_last);
    assert_true(described("mode=code", false).skip_last);
    assert_true(described("", false).best);
    assert_false(described("gbi.best=no", false).best);
    assert_false(described("", false).logits);
    assert_true(described("gbi.space=logits", false).logits);
    assert_true(described("gbi.lr=0.5", false).rate == 0.5);
    assert_true(described("gbi.momentum=0.25", false).momentum == 0.25);
    assert_true(described("gbi.entropy=2", false).entropy == 2);
    assert_true(described("gbi.tolerance=0.125", false).tolerance == 0.125);
    assert_int_equal(described("gbi.halvings=5", false).halvings, 5);
}

/* Simplification may have removed it from the expression: zeros would be wrong. */
static void a_constant_has_no_gradient(void **state)
{
    (void)state;
    basin_error err = {0};
    bs_graph   *g = bs_graph_new();
    bs_id       x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(2, 3)), d;
    bs_id       one = bs_fill(g, 1, bs_shape2(2, 3));
    bs_grad(g, bs_sum(g, bs_mul(g, x, one)), &one, 1, &d, true);
    assert_int_not_equal(bs_graph_check(g, &err), BASIN_OK);
    assert_non_null(strstr(err.msg, "is a constant"));
    bs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_finds_the_minimum),
        cmocka_unit_test(a_convex_energy_is_minimised),
        cmocka_unit_test(constant_starts_have_a_gradient),
        cmocka_unit_test(the_best_iterate_is_returned),
        cmocka_unit_test(a_line_search_never_goes_up),
        cmocka_unit_test(rows_come_to_rest),
        cmocka_unit_test(rows_are_independent),
        cmocka_unit_test(the_best_start_counts),
        cmocka_unit_test(settings_describe_a_search),
        cmocka_unit_test(a_constant_has_no_gradient),
    };
    return cmocka_run_group_tests_name("gbi, double", tests, NULL, NULL);
}
