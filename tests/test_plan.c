/* test_plan.c -- what the planner and the executor must not change: results.
 * Optimisations off, any number of threads, memory that runs out. */
#include "tests/random_graph.h"

#include "device/cpu/vec.h"
#include "device/cache.h"

enum { SEEDS = 120, RESULTS = 8 };

typedef struct {
    real   *value[RESULTS];
    int64_t count[RESULTS];
    int     n;
} outcome;

static outcome run_graph(const random_graph *r, const bs_result *res, int n, unsigned flags,
                         int threads)
{
    outcome o = {.n = n};
    machine m = machine_new(r->g, &r->ex, res, n, flags, threads);
    machine_run(&m, 1);
    machine_run(&m, 2); /* a second run must not see leftovers of the first */
    for (int i = 0; i < n; i++) {
        o.count[i] = bs_shape_count(bs_shape_of(r->g, res[i].id));
        o.value[i] = malloc((size_t)o.count[i] * sizeof(real));
        memcpy(o.value[i], machine_value(&m, i), (size_t)o.count[i] * sizeof(real));
    }
    machine_free(&m);
    return o;
}

static void outcome_free(outcome *o)
{
    for (int i = 0; i < o->n; i++)
        free(o->value[i]);
}

static bool identical(const outcome *a, const outcome *b)
{
    for (int i = 0; i < a->n; i++)
        if (memcmp(a->value[i], b->value[i], (size_t)a->count[i] * sizeof(real)) != 0)
            return false;
    return true;
}

static void switches_do_not_change_results(void **state)
{
    static const struct {
        const char *name;
        unsigned    flags;
    } row[] = {{"fusion", BS_PLAN_NO_FUSE},
               {"reuse", BS_PLAN_NO_REUSE},
               {"in place", BS_PLAN_NO_INPLACE},
               {"views", BS_PLAN_NO_VIEWS},
               {"pairs", BS_PLAN_NO_PAIRS},
               {"all", BS_PLAN_NO_FUSE | BS_PLAN_NO_REUSE | BS_PLAN_NO_INPLACE | BS_PLAN_NO_VIEWS |
                           BS_PLAN_NO_PAIRS}};
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        bs_result    res[RESULTS];
        int          n;
        random_graph r = random_graph_new(seed, 5 + (int)(seed % 50), res, &n);
        outcome      want = run_graph(&r, res, n, 0, 1);
        for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
            outcome got = run_graph(&r, res, n, row[k].flags, 1);
            CHECK(identical(&want, &got), "seed %d: %s off changes bits", (int)seed, row[k].name);
            outcome_free(&got);
        }
        outcome sums = run_graph(&r, res, n, BS_PLAN_NO_ACCUMULATE, 1);
        for (int i = 0; i < n; i++) {
            double e = distance(want.value[i], sums.value[i], want.count[i], 1e-3);
            CHECK(e < 1e-6, "seed %d: accumulation off moves result %d by %.3g", (int)seed, i, e);
        }
        outcome_free(&sums);
        outcome_free(&want);
        random_graph_free(&r);
    }
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        bs_result    res[RESULTS];
        int          n;
        random_graph r = random_graph_new(seed, 40, res, &n);
        outcome      want = run_graph(&r, res, n, 0, 1);
        for (int threads = 2; threads <= 4; threads++) {
            outcome got = run_graph(&r, res, n, 0, threads);
            CHECK(identical(&want, &got), "seed %d: %d threads change bits", (int)seed, threads);
            outcome_free(&got);
        }
        outcome_free(&want);
        random_graph_free(&r);
    }
}

/* Both directions over x [T, B, D], their sum, and its gradient by the weights. */
static int both_directions(bs_graph *g, bs_example *ex, int T, int B, bs_result *out)
{
    enum { H = 20, D = 30 };
    bs_id x = bs_example_real(g, ex, bs_shape3(T, B, D), -1, 1), w[4], d[4], h[2];
    bs_id len = bs_example_int(g, ex, bs_shape1(B), T + 1, false);
    for (int i = 0; i < 2; i++) {
        w[2 * i] = bs_example_real(g, ex, bs_shape2(D, 4 * H), -1, 1);
        w[2 * i + 1] = bs_example_real(g, ex, bs_shape2(H, 4 * H), -1, 1);
        h[i] = bs_lstm(g, bs_tanh(g, bs_matmul(g, x, w[2 * i], false, false)), w[2 * i + 1], len,
                       i == 1);
    }
    bs_id all = bs_concat(g, h[0], h[1], -1);
    bs_grad(g, bs_sum(g, bs_square(g, all)), w, 4, d, false);
    out[0] = (bs_result){all, -1};
    for (int i = 0; i < 4; i++)
        out[i + 1] = (bs_result){d[i], -1};
    return 5;
}

static int pairs_of(const bs_graph *g, const bs_result *res, int n, bs_op_id op)
{
    bs_plan *plan;
    int      found = 0;
    assert_int_equal(bs_plan_make(g, res, n, 0, bs_devices[0]->order, &plan, NULL), BASIN_OK);
    for (int i = 1; i < plan->n_steps; i++)
        if (plan->step[i].may_overlap && plan->step[i].node.op == op) {
            assert_int_equal(plan->step[i - 1].node.op, op);
            assert_false(plan->step[i - 1].may_overlap);
            found++;
        }
    bs_plan_free(plan);
    return found;
}

static void directions_run_side_by_side(void **state)
{
    (void)state;
    for (int B = 1; B <= 40; B += 15) {
        random_graph r = {.g = bs_graph_new()};
        bs_result    res[RESULTS];
        bs_example_init(&r.ex, 3);
        const int n = both_directions(r.g, &r.ex, 9, B, res);
        assert_int_equal(pairs_of(r.g, res, n, BS_OP_lstm_cells), B <= 16);
        assert_int_equal(pairs_of(r.g, res, n, BS_OP_lstm_back), B <= 16);
        outcome want = run_graph(&r, res, n, BS_PLAN_NO_PAIRS | BS_PLAN_NO_REUSE, 1);
        for (int threads = 1; threads <= 4; threads++) {
            outcome got = run_graph(&r, res, n, 0, threads);
            CHECK(identical(&want, &got), "%d sequences, %d threads: other bits", B, threads);
            outcome_free(&got);
        }
        outcome_free(&want);
        random_graph_free(&r);
    }
}

/* The programs of these graphs really use what the switches switch. */
static void plans_fuse_reuse_and_accumulate(void **state)
{
    (void)state;
    bs_result    res[RESULTS];
    int          n, micro = 0, sums = 0, pairs = 0;
    random_graph r = random_graph_new(16, 60, res, &n);
    bs_plan     *plan, *plain;
    assert_int_equal(bs_plan_make(r.g, res, n, 0, bs_devices[0]->order, &plan, NULL), BASIN_OK);
    assert_int_equal(bs_plan_make(r.g, res, n, BS_PLAN_NO_FUSE | BS_PLAN_NO_VIEWS,
                                  bs_devices[0]->order, &plain, NULL),
                     BASIN_OK);
    for (int i = 0; i < plan->n_steps; i++) {
        micro = plan->step[i].n_micro > micro ? plan->step[i].n_micro : micro;
        sums += plan->step[i].accumulate;
        pairs += plan->step[i].may_overlap;
    }
    CHECK(plan->n_steps * 10 < plain->n_steps * 9, "%d steps of %d", plan->n_steps, plain->n_steps);
    CHECK(plan->bytes * 2 < plan->total_bytes, "%zu bytes of %zu", plan->bytes, plan->total_bytes);
    CHECK(micro >= 4 && sums >= 1, "largest group %d, %d accumulations", micro, sums);
    CHECK(pairs >= 1, "no two products side by side");
    bs_plan_free(plan);
    bs_plan_free(plain);
    random_graph_free(&r);
}

/* Steps of a plan that write over one of their operands. */
static int written_over(const random_graph *r, const bs_result *res, int n, unsigned flags)
{
    bs_plan *p;
    int      found = 0;
    assert_int_equal(bs_plan_make(r->g, res, n, flags, bs_devices[0]->order, &p, NULL), BASIN_OK);
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < p->step[i].n_in && p->step[i].n_micro > 0; k++) {
            const bs_loc *in = &p->step[i].in[k].loc, *out = &p->step[i].out;
            found +=
                in->place == BS_AT_ARENA && out->place == BS_AT_ARENA && in->offset == out->offset;
        }
    bs_plan_free(p);
    return found;
}

static void operands_are_written_over_unless_forbidden(void **state)
{
    bs_result    res[RESULTS];
    int          n;
    random_graph r = random_graph_new(16, 60, res, &n);
    (void)state;
    assert_true(written_over(&r, res, n, 0) > 0);
    assert_int_equal(written_over(&r, res, n, BS_PLAN_NO_INPLACE), 0);
    assert_int_equal(written_over(&r, res, n, BS_PLAN_NO_REUSE), 0);
    random_graph_free(&r);
}

/* A gradient is computed where it belongs. It is copied there if it is that of another parameter as
 * well, or an input. */
static void gradients_are_written_in_their_places(void **state)
{
    bs_graph *g = bs_graph_new();
    bs_id     x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(4, 8)), y = bs_tanh(g, bs_square(g, x));
    const bs_result res[] = {{y, 0}, {y, 1}, {x, 2}};
    bs_plan        *p;
    int             written[3] = {0};
    (void)state;
    assert_int_equal(bs_plan_make(g, res, 3, 0, bs_devices[0]->order, &p, NULL), BASIN_OK);
    assert_int_equal(p->n_steps, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(p->step[i].out.place, BS_AT_GRAD);
        written[p->step[i].out.index]++;
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(written[i], 1);
    bs_plan_free(p);
    bs_graph_free(g);
}

/* BASIN_DEBUG=nan fills slots with NaN when their value dies: nothing may read them. */
static void dead_slots_are_not_read(void **state)
{
    (void)state;
    setenv("BASIN_DEBUG", "nan", 1);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        bs_result    res[RESULTS];
        int          n;
        random_graph r = random_graph_new(seed, 40, res, &n);
        outcome      got = run_graph(&r, res, n, 0, 1);
        outcome_free(&got);
        random_graph_free(&r);
    }
    unsetenv("BASIN_DEBUG");
}

static void a_nan_is_reported_by_label(void **state)
{
    (void)state;
    setenv("BASIN_DEBUG", "nan", 1);
    bs_graph  *g = bs_graph_new();
    bs_example ex;
    bs_example_init(&ex, 1);
    bs_id x = bs_example_real(g, &ex, bs_shape2(3, 3), -2, -1);
    bs_push(g, "energy");
    bs_result r = {bs_log(g, x), -1};
    bs_pop(g);
    machine     m = machine_new(g, &ex, &r, 1, 0, 1);
    basin_error err = {0};
    bs_run      run = {1, 1};
    assert_int_equal(bs_program_run(m.p, &run, &err), BASIN_ENUMERIC);
    CHECK(strstr(err.msg, "energy/log") && strstr(err.msg, "nan"), "message: %s", err.msg);
    machine_free(&m);
    bs_example_free(&ex);
    bs_graph_free(g);
    unsetenv("BASIN_DEBUG");
}

/* ---- memory ---- */

static void a_run_allocates_nothing(void **state)
{
    (void)state;
    bs_result    res[RESULTS];
    int          n;
    random_graph r = random_graph_new(3, 40, res, &n);
    machine      m = machine_new(r.g, &r.ex, res, n, 0, 2);
    long         before = bs_mem_calls();
    machine_run(&m, 1);
    machine_run(&m, 2);
    assert_int_equal(bs_mem_calls(), before);
    machine_free(&m);
    random_graph_free(&r);
}

static void build_cached(bs_graph *g, void *ctx, bs_key key, bs_recipe *recipe)
{
    (void)ctx;
    bs_id x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(key.v[1], 9)), dx;
    bs_id w = bs_leaf(g, "w", BS_T_REAL, bs_shape2(9, 9));
    bs_id y = bs_sum(g, bs_softplus(g, bs_matmul(g, bs_tanh(g, x), w, false, false)));
    bs_grad(g, y, &x, 1, &dx, false);
    bs_inputs_add(g, &recipe->input, x);
    for (int i = 0; i < key.v[2]; i++)
        bs_inputs_add(g, &recipe->input, 0);
    bs_inputs_add(g, &recipe->input, w);
    recipe->result[recipe->n_results++] = (bs_result){y, -1};
    recipe->result[recipe->n_results++] = (bs_result){dx, -1};
}

/* Everything from an empty machine to a result, as one function that may fail. */
static basin_status whole_life(const real *data, basin_error *err)
{
    bs_workspace *w = NULL;
    bs_cache     *c = NULL;
    bs_entry     *e = NULL;
    basin_status  s = bs_workspace_open((bs_machine){.threads = 2}, &w, err);
    if (!s && !(c = bs_cache_new(w, build_cached, NULL, 0)))
        s = bs_fail_nomem(err);
    for (int batch = 1; batch <= 2 && !s; batch++) {
        s = bs_cache_get(c, (bs_key){{0, batch, 0, 0}}, &e, NULL, err);
        if (s)
            break;
        bs_bind_input(e->program, e->input.id[0], data);
        bs_bind_input(e->program, e->input.id[1], data);
        s = bs_program_run(e->program, &(bs_run){1, 1}, err);
    }
    bs_cache_free(c);
    bs_workspace_close(w);
    return s;
}

static void every_allocation_may_fail(void **state)
{
    real data[81];
    (void)state;
    for (int i = 0; i < 81; i++)
        data[i] = (real)(0.01 * i - 0.4);
    long live = bs_mem_live();
    for (long n = 1;; n++) {
        basin_error err = {0};
        bs_mem_fail_at(n);
        basin_status s = whole_life(data, &err);
        bs_mem_fail_at(0);
        CHECK(bs_mem_live() == live, "allocation %ld fails: %ld blocks leak", n,
              bs_mem_live() - live);
        if (s == BASIN_OK) {
            CHECK(n > 30, "only %ld allocations", n);
            return;
        }
        CHECK(s == BASIN_ENOMEM && err.status == BASIN_ENOMEM && strstr(err.msg, "memory"),
              "allocation %ld fails: status %d, '%s'", n, (int)s, err.msg);
    }
}

/* ---- use ---- */

static void programs_are_built_once_per_shape(void **state)
{
    (void)state;
    bs_workspace *w;
    bs_entry     *a, *b, *again;
    bool          fresh;
    bs_workspace_open((bs_machine){0}, &w, NULL);
    bs_cache *c = bs_cache_new(w, build_cached, NULL, 0);
    bs_cache_get(c, (bs_key){{0, 4, 0, 0}}, &a, &fresh, NULL);
    assert_true(fresh);
    bs_cache_get(c, (bs_key){{0, 5, 0, 0}}, &b, &fresh, NULL);
    assert_true(fresh && a != b);
    bs_cache_get(c, (bs_key){{0, 4, 0, 0}}, &again, &fresh, NULL);
    assert_true(!fresh && again == a);
    bs_cache_free(c);
    bs_workspace_close(w);
}

/* Two inputs, and places that this program does not use between them. */
static void the_list_of_inputs_ends(void **state)
{
    (void)state;
    bs_workspace *w;
    bs_entry     *e;
    real          data[81] = {0};
    basin_error   err = {0};
    assert_int_equal(bs_workspace_open((bs_machine){.threads = 1}, &w, NULL), BASIN_OK);
    bs_cache *c = bs_cache_new(w, build_cached, NULL, 0);
    assert_int_equal(bs_cache_get(c, (bs_key){{0, 4, BS_MOST_INPUTS - 2}}, &e, NULL, NULL),
                     BASIN_OK);
    assert_int_equal(e->input.n, BS_MOST_INPUTS);
    for (int i = 0; i < BS_MOST_INPUTS + 3; i++)
        bs_entry_bind(e, &e->input, i, data);
    assert_int_equal(bs_program_run(e->program, &(bs_run){1, 1}, &err), BASIN_OK);
    assert_int_equal(bs_cache_get(c, (bs_key){{0, 4, BS_MOST_INPUTS - 1}}, &e, NULL, &err),
                     BASIN_EARG);
    assert_non_null(strstr(err.msg, "a program has at most 32 inputs"));
    bs_cache_free(c);
    bs_workspace_close(w);
}

static void unbound_inputs_are_an_error(void **state)
{
    (void)state;
    bs_graph   *g = bs_graph_new();
    bs_result   r = {bs_exp(g, bs_leaf(g, "x", BS_T_REAL, bs_shape1(3))), -1};
    machine     m = machine_new(g, NULL, &r, 1, 0, 1);
    basin_error err = {0};
    assert_int_equal(bs_program_run(m.p, &(bs_run){1, 1}, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "not bound"));
    machine_free(&m);
    bs_graph_free(g);
}

/* Not another one in its place: who names a set wants its bits. */
static void unknown_instruction_sets_are_refused(void **state)
{
    static const char *const wrong[] = {"avx1024", "AVX2", " plain", "plain ", "sse"};
    bs_workspace            *w;
    basin_error              err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("BASIN_ISA", wrong[i], 1);
        assert_int_equal(bs_workspace_open((bs_machine){0}, &w, &err), BASIN_EARG);
        assert_null(w);
        CHECK(strstr(err.msg, "BASIN_ISA: '") && strstr(err.msg, wrong[i]) &&
                  strstr(err.msg, "; plain"),
              "'%s'", err.msg);
    }
    static const char *const right[] = {"plain", "avx2", "avx512", ""};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        const bool there = !*right[i] || bs_vec_named(right[i]);
        setenv("BASIN_ISA", right[i], 1);
        assert_int_equal(bs_workspace_open((bs_machine){0}, &w, &err), there ? 0 : BASIN_EARG);
        assert_true(!there || !*right[i] ||
                    strncmp(bs_arithmetic(w), right[i], strlen(right[i])) == 0);
        bs_workspace_close(w);
    }
    unsetenv("BASIN_ISA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_do_not_change_results),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(directions_run_side_by_side),
        cmocka_unit_test(plans_fuse_reuse_and_accumulate),
        cmocka_unit_test(operands_are_written_over_unless_forbidden),
        cmocka_unit_test(gradients_are_written_in_their_places),
        cmocka_unit_test(dead_slots_are_not_read),
        cmocka_unit_test(a_nan_is_reported_by_label),
        cmocka_unit_test(a_run_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(programs_are_built_once_per_shape),
        cmocka_unit_test(the_list_of_inputs_ends),
        cmocka_unit_test(unbound_inputs_are_an_error),
        cmocka_unit_test(unknown_instruction_sets_are_refused),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
