/* test_search.c -- searches that predict: of any length and number of starts in a program of one
 * size, with the bits of the same search as one long program. */
#include "tests/scene.h"

#include "device/cpu/program.h"
#include "model/score.h"

enum { ROWS = 5, FEATURES = 6, LABELS = 7, LONG = 77 };

/* What a scorer finds. */
typedef struct {
    real   y[ROWS * LABELS], energy[ROWS], value[ROWS];
    size_t arena;
    long   allocations;
} outcome;

static scene *subject_new(const char *words)
{
    scene *c = scene_new(words, ROWS, FEATURES, LABELS, 4);
    c->s.t->energy(&c->s.v, c->s.t->start(&c->s.v, 0, 1));
    c->s.t->logits(&c->s.v, "net");
    scene_allocate(c, 11);
    return c;
}

static bs_inference searched(const scene *c)
{
    bs_inference how = bs_options_inference(&c->settings.train, "gbi");
    how.energies = true;
    return how;
}

static outcome score(scene *c, const bs_inference *how, int threads)
{
    bs_workspace *w;
    bs_scorer    *scorer;
    bs_scored     found;
    basin_error   err = {0};
    outcome       out;
    bs_batch      b = {.size = {ROWS, 1, 1}, .x = {c->x}};
    const long    before = bs_mem_calls();
    assert_int_equal(bs_workspace_open((bs_machine){.threads = threads}, &w, &err), 0);
    CHECK(!bs_scorer_new(w, c->learner.params, &c->learner.spec, how, &scorer, &err), "%s",
          err.msg);
    for (int i = 0; i < 2; i++) /* the second batch with what the first has left */
        CHECK(!bs_scorer_batch(scorer, &b, &found, &err), "%s", err.msg);
    memcpy(out.y, found.y, sizeof out.y);
    memcpy(out.energy, found.energy, sizeof out.energy);
    if (found.value)
        memcpy(out.value, found.value, sizeof out.value);
    out.arena = ((const bs_cpu *)w)->arena->bytes;
    out.allocations = bs_mem_calls() - before;
    bs_scorer_free(scorer);
    bs_workspace_close(w);
    return out;
}

/* The search with its steps unrolled, one program of its own. */
static void unrolled(const char *words, const bs_gbi *o, real *y)
{
    scene *c = subject_new(words);
    c->s.v.energy_dropout = c->s.v.net_dropout = false;
    c->s.v.apart = true;
    bs_id start = bs_gbi_begin(&c->s.v, o, BS_STREAM_START);
    scene_result(c, bs_gbi_search(&c->s.v, o, bs_energy_objective, NULL, start).y, -1);
    c->m = machine_new(c->g, &c->ex, c->result, c->n_results, BS_PLAN_APART, 1);
    bs_params_bind(c->learner.params, c->m.p);
    assert_int_equal(bs_program_run(c->m.p, &(bs_run){0, 0}, NULL), BASIN_OK);
    memcpy(y, machine_value(&c->m, 0), ROWS * LABELS * sizeof *y);
    scene_free(c);
}

static const char *const ways[] = {
    "gbi.rule=adam",
    "gbi.rule=adam gbi.best=no gbi.space=logits gbi.start=uniform",
    "gbi.rule=momentum gbi.start=net",
    "gbi.rule=momentum gbi.best=no gbi.space=logits gbi.start=uniform",
    "gbi.rule=normalised gbi.lr=0.02",
    "gbi.rule=mirror gbi.start=uniform gbi.entropy=0.1",
    "gbi.rule=plain gbi.start=random gbi.restarts=3",
    "gbi.rule=plain gbi.halvings=3",
    "gbi.rule=plain gbi.halvings=20 gbi.best=no",
    "gbi.rule=adam gbi.tolerance=0.02 gbi.lr=0.05",
    "gbi.rule=adam mode=code gbi.start=random gbi.restarts=3",
    NULL,
};

static void long_searches_have_the_bits_of_one_program(void **state)
{
    (void)state;
    for (int i = 0; ways[i]; i++)
        for (int steps = LONG - 3; steps <= LONG; steps++) {
            scene       *c = subject_new(ways[i]);
            bs_inference how = searched(c);
            real         y[ROWS * LABELS];
            how.gbi.steps = steps;
            unrolled(ways[i], &how.gbi, y);
            outcome one = score(c, &how, 1), three = score(c, &how, 3);
            CHECK(memcmp(one.y, y, sizeof y) == 0, "%s: another y after %d steps", ways[i], steps);
            CHECK(memcmp(one.y, three.y, sizeof y) == 0, "%s: other bits on 3 threads", ways[i]);
            scene_free(c);
        }
}

/* Points of a long search are what searches of that length find. */
static void long_searches_can_be_stopped_anywhere(void **state)
{
    static const int at[] = {0, 1, 20, 50, 64, LONG};
    (void)state;
    for (int i = 0; ways[i]; i++) {
        scene         *c = subject_new(ways[i]);
        bs_inference   all = searched(c), how = all;
        bs_workspace  *w;
        bs_scorer     *scorer;
        bs_scored      found;
        const bs_batch b = {.size = {ROWS, 1, 1}, .x = {c->x}};
        all.points = 6;
        memcpy(all.step, at, sizeof at);
        assert_int_equal(bs_workspace_open((bs_machine){.threads = 1}, &w, NULL), 0);
        assert_int_equal(bs_scorer_new(w, c->learner.params, &c->learner.spec, &all, &scorer, NULL),
                         BASIN_OK);
        assert_int_equal(bs_scorer_batch(scorer, &b, &found, NULL), BASIN_OK);
        for (int k = 0; k < 6; k++) {
            how.gbi.steps = at[k];
            outcome short_one = score(c, &how, 1);
            bs_scorer_replay(scorer, k);
            assert_int_equal(bs_scorer_batch(scorer, &b, &found, NULL), BASIN_OK);
            double e = 0;
            for (int j = 0; j < ROWS * LABELS; j++)
                e = fmax(e, fabs((double)found.y[j] - (double)short_one.y[j]));
            CHECK(e < 1e-6, "%s: y is off by %g after %d steps", ways[i], e, at[k]);
            for (int j = 0; j < ROWS; j++)
                CHECK(fabs((double)found.energy[j] - (double)short_one.energy[j]) < 1e-4,
                      "%s: another energy after %d steps", ways[i], at[k]);
        }
        bs_scorer_free(scorer);
        bs_workspace_close(w);
        scene_free(c);
    }
}

static void memory_does_not_depend_on_steps_or_starts(void **state)
{
    (void)state;
    for (int i = 0; ways[i]; i++) {
        scene       *c = subject_new(ways[i]);
        bs_inference how = searched(c);
        how.gbi.steps = 100;
        outcome a = score(c, &how, 1);
        how.gbi.steps = 2500;
        outcome b = score(c, &how, 1);
        CHECK(b.arena <= a.arena + a.arena / 2 && b.allocations <= a.allocations + 40,
              "%s: %zu bytes in %ld allocations for 100 steps, %zu in %ld for 2500", ways[i],
              a.arena, a.allocations, b.arena, b.allocations);
        scene_free(c);
    }
}

/* The best of all rounds: never worse than the best of the first, and sometimes better. */
static void starts_are_searched_in_rounds(void **state)
{
    enum { MOST = 16384 / LABELS };
    scene       *c = subject_new("gbi.start=random gbi.rule=plain gbi.lr=0.001");
    bs_inference how = searched(c);
    int          better = 0;
    (void)state;
    for (int steps = 2; steps <= 40; steps += 38) { /* unrolled, and a loop */
        how.gbi.steps = steps;
        how.gbi.starts = MOST;
        outcome once = score(c, &how, 1);
        how.gbi.starts = 4 * MOST;
        outcome more = score(c, &how, 1);
        for (int i = 0; i < ROWS; i++) {
            CHECK(more.value[i] <= once.value[i], "row %d became worse", i);
            CHECK(fabs((double)more.value[i] - (double)more.energy[i]) < 1e-4,
                  "row %d: the energy is not that of the best", i);
            better += more.value[i] < once.value[i];
        }
        CHECK(more.arena <= once.arena, "%zu bytes for one round, %zu for four", once.arena,
              more.arena);
    }
    CHECK(better > 0, "four rounds found nothing better than one");
    scene_free(c);
}

/* Rows that all rest are not searched further; the result is that of all steps. */
static void rest_ends_a_search(void **state)
{
    static const char words[] = "gbi.rule=plain gbi.tolerance=0.05 gbi.lr=0.5";
    scene            *c = subject_new(words);
    bs_inference      how = searched(c);
    real              y[ROWS * LABELS];
    (void)state;
    how.gbi.steps = 200;
    unrolled(words, &how.gbi, y);
    how.gbi.steps = 2000000000; /* would take days */
    outcome all = score(c, &how, 1);
    assert_memory_equal(all.y, y, sizeof y);
    scene_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_searches_have_the_bits_of_one_program),
        cmocka_unit_test(long_searches_can_be_stopped_anywhere),
        cmocka_unit_test(memory_does_not_depend_on_steps_or_starts),
        cmocka_unit_test(starts_are_searched_in_rounds),
        cmocka_unit_test(rest_ends_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
