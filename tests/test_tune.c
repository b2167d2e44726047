/* test_tune.c -- the search for settings without any training: ranges, points, the model, halving,
 * and whole searches of functions whose best point is known. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "tune/search.h"

static bs_settings settings(const char *words)
{
    bs_settings s;
    basin_error err;
    assert_int_equal(bs_settings_default(&s, &err), BASIN_OK);
    assert_int_equal(bs_settings_words(&s, words, "test", &err), BASIN_OK);
    return s;
}

static const bs_method *method(const char *name)
{
    const bs_method *m;
    assert_int_equal(bs_method_find(name, "mlc", &m, NULL), BASIN_OK);
    return m;
}

static bs_space space_of(const char *words, const char *name, const char *const *wish, int n)
{
    bs_settings     s = settings(words);
    bs_space        out;
    basin_error     err;
    bs_space_wishes w = {.wish = wish, .n_wishes = n};
    if (bs_space_make(&s, method(name), &w, &out, &err)) {
        fprintf(stderr, "  %s\n", err.msg);
        fail();
    }
    return out;
}

static const bs_dimension *find(const bs_space *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i].row.name, name) == 0)
            return &s->at[i];
    return NULL;
}

/* ---- ranges ---- */

static void a_method_has_its_own_space(void **state)
{
    (void)state;
    bs_space s = space_of("lr.net=0.004", "ce", NULL, 0);
    assert_int_equal(s.n, 3);
    const bs_dimension *d = find(&s, "lr.net");
    assert_non_null(d);
    assert_true(d->log && fabs(d->lo - 4e-4) < 1e-12 && fabs(d->hi - 4e-2) < 1e-12);
    assert_true(fabs(d->start - 0.5) < 1e-9);
    assert_null(find(&s, "lr.energy"));

    /* wide enough for the value that one starts from; without what is switched off */
    s = space_of("net.dropout=0.9 energy.weight=0", "seal-nce", NULL, 0);
    d = find(&s, "net.dropout");
    assert_true(d->lo == 0 && d->hi == 0.9 && d->start == 1);
    assert_null(find(&s, "energy.weight"));
}

static void wishes_narrow_and_add(void **state)
{
    (void)state;
    const char         *wish[] = {"lr.net=1e-4..1e-3", "batch=16|32|64", "optimiser=adam|sgd",
                                  "net.width",         "dropout.both",   "clip=1..20:log"};
    bs_space            s = space_of("", "ce", wish, 6);
    const bs_dimension *d = find(&s, "lr.net");
    assert_true(d->lo == 1e-4 && d->hi == 1e-3 && d->start == 1); /* 0.002 is outside: the end */
    d = find(&s, "batch");
    assert_int_equal(d->n_words, 3);
    assert_true(fabs(d->start - 0.5) < 1e-9); /* 32 */
    d = find(&s, "optimiser");
    assert_true(d->n_words == 2 && fabs(d->start - 0.25) < 1e-9); /* adamw is not among them */
    d = find(&s, "net.width");
    assert_true(d->lo == 100 && d->hi == 1600);
    assert_int_equal(find(&s, "dropout.both")->n_words, 2);
    assert_true(find(&s, "clip")->log);
}

static void refused(const char *words, const char *fixed, const char *wish, const char *message)
{
    bs_settings     s = settings(words);
    bs_space        out;
    basin_error     err = {0};
    bs_space_wishes w = {.fixed = &fixed, .n_fixed = fixed != NULL, .wish = &wish, .n_wishes = 1};
    assert_int_equal(bs_space_make(&s, method("ce"), &w, &out, &err), BASIN_EARG);
    assert_string_equal(err.msg, message);
}

static void what_is_no_range_is_refused(void **state)
{
    (void)state;
    refused("", NULL, "lr.nett=1..2", "--space: unknown option 'lr.nett'; did you mean 'lr.net'?");
    refused("", NULL, "=1..2", "--space: '=1..2' is not KEY=RANGE, as in lr.net=1e-4..1e-2");
    refused("", NULL, "lr.net=", "--space: 'lr.net=' is not KEY=RANGE, as in lr.net=1e-4..1e-2");
    refused("", NULL, "lr.net=0.1",
            "--space: lr.net=0.1: is not a range such as LO..HI, x10 or A|B|C");
    refused("", NULL, "lr.net=a..b",
            "--space: lr.net=a..b: both ends of a range are numbers, as in 1e-4..1e-2");
    refused("", NULL, "lr.net=0.1..0.01",
            "--space: lr.net=0.1..0.01: the first end must be below the second");
    refused("", NULL, "lr.net=0..0.1",
            "--space: lr.net=0..0.1: a logarithmic range starts above 0; with :linear it need not");
    refused("", NULL, "lr.net=1e-4..1e-2:cubic",
            "--space: lr.net: 'cubic' is not a scale; use log or linear");
    refused("", NULL, "lr.net=x1", "--space: lr.net=x1: after x comes a number above 1, as in x10");
    refused("decay.net=0", NULL, "decay.net=x10",
            "--space: decay.net=x10: the value to start from is 0; give a range LO..HI");
    refused("", NULL, "net.dropout=0..2",
            "--space: net.dropout=0..2: the option itself takes numbers from 0 to 0.95");
    refused("", NULL, "optimiser=adam",
            "--space: optimiser=adam: a single word is not a choice; --set fixes a value");
    refused("", NULL, "optimiser=adam|adma",
            "--space: optimiser: 'adma' is not one of adam, adamw, sgd; did you mean 'adam'?");
    refused("", NULL, "clip", "--space: clip has no range of its own; give clip=LO..HI");
    refused(
        "", NULL, "seed=1..5",
        "--space: seed is the same for all trials, since they share their data and how they are "
        "measured; --set changes it");
    refused("", "lr.net", "lr.net=1e-4..1e-2",
            "--space: lr.net is fixed by --set; give one of them");
    const char     *all[] = {"lr.net", "net.dropout", "decay.net"};
    bs_settings     s = settings("");
    bs_space        out;
    basin_error     err = {0};
    bs_space_wishes w = {.fixed = all, .n_fixed = 3};
    assert_int_equal(bs_space_make(&s, method("ce"), &w, &out, &err), BASIN_EARG);
    assert_string_equal(err.msg,
                        "nothing is left to search: --set fixes all that method ce is tuned "
                        "in; --space KEY=LO..HI adds an option");
}

/* ---- points ---- */

static void points_come_back(void **state)
{
    (void)state;
    const char *wish[] = {"batch=16|32|64", "net.width", "optimiser.beta1=0.5..0.9999"};
    bs_space    s = space_of("", "seal-nce", wish, 3);
    for (int i = 0; i < 500; i++) {
        double      u[BS_TUNE_MOST], v[BS_TUNE_MOST];
        bs_settings x = settings("");
        bs_tune_point(7, i, s.n, u);
        bs_space_snap(&s, u);
        memcpy(v, u, sizeof v);
        bs_space_snap(&s, v);
        for (int k = 0; k < s.n; k++) {
            char text[BS_TUNE_NAME];
            assert_true(u[k] >= 0 && u[k] <= 1);
            assert_true(u[k] == v[k]); /* exactly: a log is read back to the same search */
            bs_space_text(&s.at[k], u[k], text);
            assert_true(strlen(text) < 10);
        }
        assert_int_equal(bs_space_apply(&s, u, &x, NULL), BASIN_OK);
        assert_true(x.train.net_width >= 100 && x.train.net_width <= 1600);
        assert_true(x.train.steps_energy >= 1 && x.train.steps_energy <= 4);
    }
}

/* Every whole number gets its share. */
static void whole_numbers_are_equally_likely(void **state)
{
    (void)state;
    bs_space            s = space_of("", "seal-nce", NULL, 0);
    const bs_dimension *d = find(&s, "steps.energy");
    int                 n[5] = {0};
    for (int i = 0; i < 1000; i++)
        n[(int)bs_space_value(d, (i + 0.5) / 1000)]++;
    for (int i = 1; i <= 4; i++)
        assert_int_equal(n[i], 250);
}

/* One point in every slice, for each coordinate: what makes it a Sobol sequence. */
static void sequences_are_even(void **state)
{
    (void)state;
    enum { D = 16, N = 64 };
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int block = 0; block < 2; block++) {
            char hit[D][N] = {{0}};
            for (int i = 0; i < N; i++) {
                double u[BS_TUNE_MOST];
                bs_tune_point(seed, block * N + i, D, u);
                for (int k = 0; k < D; k++)
                    hit[k][(int)(u[k] * N)]++;
            }
            for (int k = 0; k < D; k++)
                for (int i = 0; i < N; i++)
                    assert_int_equal(hit[k][i], 1);
        }
    double a[BS_TUNE_MOST], b[BS_TUNE_MOST];
    bs_tune_point(1, 5, 3, a);
    bs_tune_point(2, 5, 3, b);
    assert_true(a[0] != b[0] && a[1] != b[1]);
}

/* Of two coordinates, 2^12 points are even in all rectangles of 2^t points, where t is what the
 * degrees of their polynomials leave uneven. */
static void pairs_of_coordinates_are_even(void **state)
{
    enum { D = 16, BITS = 12, N = 1 << BITS };
    static const int uneven[D] = {0, 0, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5};
    static uint16_t  digits[N][D];
    static int       hit[N];
    double           u[BS_TUNE_MOST];
    (void)state;
    for (int i = 0; i < N; i++) {
        bs_tune_point(7, i, D, u);
        for (int k = 0; k < D; k++)
            digits[i][k] = (uint16_t)(u[k] * N);
    }
    for (int a = 0; a < D; a++)
        for (int b = a + 1; b < D; b++) {
            const int t = uneven[a] + uneven[b], bits = BITS - t;
            for (int first = 0; first <= bits; first++) {
                memset(hit, 0, sizeof hit);
                for (int i = 0; i < N; i++)
                    hit[digits[i][a] >> (BITS - first) << (bits - first) |
                        digits[i][b] >> (BITS - bits + first)]++;
                for (int i = 0; i < 1 << bits; i++)
                    assert_int_equal(hit[i], 1 << t);
            }
        }
}

/* ---- the model ---- */

static void the_model_learns_a_function(void **state)
{
    (void)state;
    enum { N = 60 };
    bs_space s = space_of("", "seal-nce", NULL, 0);
    double  *u = calloc(N * (size_t)s.n, sizeof *u), y[N], work[N], far = 0;
    for (int i = 0; i < N; i++) {
        double *x = u + i * s.n;
        bs_tune_point(3, i, s.n, x);
        y[i] = 40 + 5 * x[0] - 3 * (x[1] - 0.3) * (x[1] - 0.3);
    }
    bs_gp g;
    assert_int_equal(bs_gp_fit(&s, u, y, NULL, N, &g, NULL), BASIN_OK);
    for (int i = 0; i < 50; i++) {
        double x[BS_TUNE_MOST], sd;
        bs_tune_point(4, i, s.n, x);
        const double want = 40 + 5 * x[0] - 3 * (x[1] - 0.3) * (x[1] - 0.3);
        const double mean = bs_gp_mean(&g, x, &sd, work);
        assert_true(sd >= 0 && sd < 2);
        far = fmax(far, fabs(mean - want));
    }
    assert_true(far < 0.7);
    bs_gp_free(&g);
    free(u);
}

static void noise_is_not_learnt(void **state)
{
    (void)state;
    enum { N = 40 };
    bs_space s = space_of("", "ce", NULL, 0);
    double   u[N * 3], y[N], error = 0, total = 0;
    bs_rng   r = bs_rng_make(5, 0, 1);
    for (int i = 0; i < N; i++) {
        bs_tune_point(3, i, 3, u + 3 * i);
        y[i] = bs_rng_normal(&r);
    }
    for (int i = 0; i < N; i++) { /* what the others say about one of them */
        double v[N * 3], others[N], work[N];
        bs_gp  g;
        memcpy(v, u, (size_t)i * 3 * sizeof *v);
        memcpy(v + 3 * i, u + 3 * (i + 1), (size_t)(N - 1 - i) * 3 * sizeof *v);
        memcpy(others, y, (size_t)i * sizeof *others);
        memcpy(others + i, y + i + 1, (size_t)(N - 1 - i) * sizeof *others);
        assert_int_equal(bs_gp_fit(&s, v, others, NULL, N - 1, &g, NULL), BASIN_OK);
        const double off = y[i] - bs_gp_mean(&g, u + 3 * i, NULL, work);
        error += off * off;
        total += y[i] * y[i];
        bs_gp_free(&g);
    }
    assert_true(1 - error / total < 0.3);
}

/* ---- halving ---- */

static void the_best_third_goes_on(void **state)
{
    (void)state;
    bs_space  space = space_of("", "ce", NULL, 0);
    bs_trial  t[7] = {{.state = BS_TRIAL_FINISHED, .passed = 2, .rung = {30, 40}, .score = 42}};
    bs_search s = {.space = &space, .trial = t, .n = 7};
    for (int i = 1; i < 7; i++)
        t[i] = (bs_trial){.state = BS_TRIAL_PAUSED, .passed = 1, .rung = {20 + i}, .score = 20 + i};
    /* two of seven: trial 0, which went on long ago, and the best of the others */
    assert_int_equal(bs_tune_promoted(&s, 2, false), 6);
    assert_true(bs_tune_worth(&s, 6, 2, false));
    assert_false(bs_tune_worth(&s, 5, 2, false));
    assert_int_equal(bs_tune_promoted(&s, 2, true), 6);
    assert_false(bs_tune_worth(&s, 5, 2, true));
    /* one at the second rung: one of two is no third, but in the end it goes on, and first */
    t[6].passed = 2;
    t[6].rung[1] = t[6].score = 41;
    assert_int_equal(bs_tune_promoted(&s, 2, false), -1);
    assert_int_equal(bs_tune_promoted(&s, 2, true), 6);
    t[6].state = BS_TRIAL_FAILED;
    t[6].passed = 0;
    assert_int_equal(bs_tune_promoted(&s, 2, false), 5);

    int epoch[BS_TUNE_RUNGS];
    assert_int_equal(bs_tune_rungs(45, epoch), 2);
    assert_true(epoch[0] == 23 && epoch[1] == 45);
    assert_int_equal(bs_tune_rungs(2, epoch), 2);
    assert_true(epoch[0] == 1 && epoch[1] == 2);
    assert_int_equal(bs_tune_rungs(1, epoch), 1);
    assert_int_equal(epoch[0], 1);
}

/* A trial that is behind at a rung but still rises goes on before one that does not. */
static void rising_trials_go_on(void **state)
{
    (void)state;
    enum { N = 9 };
    bs_space  space = space_of("", "ce", NULL, 0);
    bs_trial  t[N];
    bs_search s = {.space = &space, .trial = t, .n = N};
    for (int i = 0; i < N; i++) /* flat ones, a little better each */
        t[i] = (bs_trial){.state = i < 3 ? BS_TRIAL_FINISHED : BS_TRIAL_PAUSED,
                          .passed = 1,
                          .rung = {40 + 0.1 * i},
                          .rise = {1},
                          .score = 40 + 0.1 * i};
    t[3].rung[0] = t[3].score = 39;
    t[3].rise[0] = 6;
    assert_true(bs_tune_expected(&t[3], 0) > bs_tune_expected(&t[8], 0));
    assert_int_equal(bs_tune_promoted(&s, 1, false), 3);
    t[3].rise[0] = 1;
    assert_int_equal(bs_tune_promoted(&s, 1, false), 8);
}

/* ---- whole searches ---- */

/* Scores fall with the square of the distance to a point; `noise` is another one for each trial. */
typedef struct {
    const bs_space *space;
    double          best[BS_TUNE_MOST], noise;
    uint64_t        seed;
} world;

static double truth(const world *w, const double *u)
{
    double sum = 0;
    for (int k = 0; k < w->space->n; k++)
        sum += (u[k] - w->best[k]) * (u[k] - w->best[k]) * (k < 3 ? 1 : 0.1);
    return 45 - 20 * sum;
}

static double noisy(const world *w, const double *u, int trial)
{
    bs_rng r = bs_rng_make(w->seed, (uint64_t)trial, 9);
    return truth(w, u) + w->noise * bs_rng_normal(&r);
}

/* The true score of the trial that looks best after n trials. */
static double search(const world *w, int n, bool blind)
{
    bs_trial *t = calloc((size_t)n, sizeof *t);
    int       best = 0;
    for (int i = 0; i < n; i++) {
        bs_search       s = {.space = w->space, .seed = w->seed, .trial = t, .n = i};
        bs_trial_source from;
        if (blind && i > 0)
            bs_tune_point(w->seed + 1000, i - 1, w->space->n, t[i].u);
        else
            assert_int_equal(bs_tune_next(&s, t[i].u, &from, NULL), BASIN_OK);
        t[i].state = BS_TRIAL_FINISHED;
        t[i].score = noisy(w, t[i].u, i);
        if (t[i].score > t[best].score)
            best = i;
    }
    const double found = truth(w, t[best].u);
    free(t);
    return found;
}

static world make_world(const bs_space *space, uint64_t seed, double noise)
{
    world  w = {.space = space, .noise = noise, .seed = seed};
    bs_rng r = bs_rng_make(seed, 0, 8);
    for (int k = 0; k < space->n; k++)
        w.best[k] = 0.1 + 0.8 * bs_rng_uniform(&r);
    return w;
}

static void searches_find_the_best_point(void **state)
{
    (void)state;
    enum { WORLDS = 8, TRIALS = 40 };
    const char *fixed[] = {"steps.energy"};
    bs_settings base = settings("");
    bs_space    space;
    double      ours = 0, theirs = 0;
    int         won = 0;
    assert_int_equal(bs_space_make(&base, method("seal-nce"),
                                   &(bs_space_wishes){.fixed = fixed, .n_fixed = 1}, &space, NULL),
                     BASIN_OK);
    for (int i = 0; i < WORLDS; i++) {
        world        w = make_world(&space, (uint64_t)i, 0.2);
        const double a = search(&w, TRIALS, false), b = search(&w, TRIALS, true);
        ours += a / WORLDS;
        theirs += b / WORLDS;
        won += a > b;
        assert_true(a > 44); /* of 45, in five dimensions with noise of 0.2 */
    }
    print_message("  found %.2f of 45, evenly spread points %.2f\n", ours, theirs);
    assert_true(ours > 44.6);
    assert_true(ours > theirs + 0.5);
    assert_true(won >= WORLDS - 1);
}

/* The next point follows from the trials, not from how one came to them. */
static void searches_can_be_repeated(void **state)
{
    (void)state;
    bs_space space = space_of("", "seal-nce", NULL, 0);
    world    w = make_world(&space, 3, 0.3);
    bs_trial t[20] = {{.score = NAN}};
    for (int i = 0; i < 20; i++) {
        bs_search       s = {.space = &space, .seed = 4, .trial = t, .n = i};
        bs_trial_source from;
        double          again[BS_TUNE_MOST];
        assert_int_equal(bs_tune_next(&s, t[i].u, &from, NULL), BASIN_OK);
        assert_int_equal(bs_tune_next(&s, again, &from, NULL), BASIN_OK);
        assert_memory_equal(again, t[i].u, (size_t)space.n * sizeof *again);
        t[i].state = i % 5 == 3   ? BS_TRIAL_FAILED
                     : i % 3 == 0 ? BS_TRIAL_FINISHED
                                  : BS_TRIAL_PAUSED;
        t[i].score = t[i].state == BS_TRIAL_FAILED ? (double)NAN : noisy(&w, t[i].u, i);
        t[i].passed = t[i].state == BS_TRIAL_PAUSED ? 1 : t[i].state == BS_TRIAL_FINISHED ? 2 : 0;
        t[i].rung[0] = t[i].score - 3;
        t[i].rung[1] = t[i].score - 1;
        if (t[i].state == BS_TRIAL_PAUSED)
            t[i].score = t[i].rung[0];
    }
}

/* What rests at a rung counts with what it may still gain. */
static void resting_trials_are_not_taken_for_poor(void **state)
{
    (void)state;
    enum { N = 30 };
    bs_space space = space_of("", "ce", NULL, 0);
    world    w = make_world(&space, 2, 0);
    bs_trial t[N] = {{.score = 0}};
    double   work[N], off = 0;
    for (int i = 0; i < N; i++) {
        bs_tune_point(1, i, space.n, t[i].u);
        const double end = truth(&w, t[i].u);
        t[i] = (bs_trial){.state = i % 3 ? BS_TRIAL_PAUSED : BS_TRIAL_FINISHED,
                          .passed = i % 3 ? 1 : 2,
                          .rung = {end - 10, end - 2},
                          .rise = {25, 5},
                          .score = i % 3 ? end - 10 : end};
        bs_tune_point(1, i, space.n, t[i].u);
    }
    bs_search s = {.space = &space, .trial = t, .n = N};
    bs_gp     g;
    assert_int_equal(bs_tune_model(&s, &g, NULL), BASIN_OK);
    for (int i = 0; i < N; i++)
        if (truth(&w, t[i].u) > 38) /* those that are far lower are cut */
            off = fmax(off, fabs(bs_gp_mean(&g, t[i].u, NULL, work) - truth(&w, t[i].u)));
    assert_true(off < 1);
    bs_gp_free(&g);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    bs_space  space = space_of("", "ce", NULL, 0);
    world     w = make_world(&space, 1, 0);
    bs_trial  t[10] = {{.score = NAN}};
    bs_search s = {.space = &space, .trial = t, .n = 10};
    for (int i = 0; i < 10; i++) {
        bs_tune_point(1, i, space.n, t[i].u);
        t[i].state = i < 9 ? BS_TRIAL_FINISHED : BS_TRIAL_RUNNING;
        t[i].score = i < 9 ? truth(&w, t[i].u) : (double)NAN;
    }
    const long      alive = bs_mem_live();
    basin_status    status = BASIN_ENOMEM;
    bs_trial_source from;
    double          u[BS_TUNE_MOST];
    for (long n = 1; status == BASIN_ENOMEM && n < 100; n++) {
        bs_mem_fail_at(n);
        status = bs_tune_next(&s, u, &from, NULL);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), alive);
    }
    assert_int_equal(status, BASIN_OK);
}

/* ---- methods ---- */

/* Every option that a method is tuned in exists, has a range, and the start lies in it. */
static void all_methods_can_be_tuned(void **state)
{
    (void)state;
    for (int i = 0; bs_methods[i]; i++) {
        bs_settings     s = settings(bs_methods[i]->defaults ? bs_methods[i]->defaults : "");
        bs_space        out;
        basin_error     err = {0};
        bs_space_wishes w = {.n_wishes = 0};
        if (bs_space_make(&s, bs_methods[i], &w, &out, &err)) {
            fprintf(stderr, "  %s: %s\n", bs_methods[i]->name, err.msg);
            fail();
        }
        assert_true(out.n >= 3);
        for (int k = 0; k < out.n; k++)
            assert_true(out.at[k].start >= 0 && out.at[k].start <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_method_has_its_own_space),
        cmocka_unit_test(wishes_narrow_and_add),
        cmocka_unit_test(what_is_no_range_is_refused),
        cmocka_unit_test(points_come_back),
        cmocka_unit_test(whole_numbers_are_equally_likely),
        cmocka_unit_test(sequences_are_even),
        cmocka_unit_test(pairs_of_coordinates_are_even),
        cmocka_unit_test(the_model_learns_a_function),
        cmocka_unit_test(noise_is_not_learnt),
        cmocka_unit_test(the_best_third_goes_on),
        cmocka_unit_test(rising_trials_go_on),
        cmocka_unit_test(searches_find_the_best_point),
        cmocka_unit_test(searches_can_be_repeated),
        cmocka_unit_test(resting_trials_are_not_taken_for_poor),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(all_methods_can_be_tuned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
