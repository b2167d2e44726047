/* test_plan_turns.c -- a program of two turns does what two programs do, and less work. */
#include "tests/random_graph.h"

#include "device/cache.h"

enum { SEEDS = 60, ROUNDS = 3 };

/* Parameters; those of the energy are trained in the first turn, those of the net in the second. */
enum { NET_FULL, NET_SQUARE, NET_ROW, NET_COLUMN, ENERGY_FULL, ENERGY_ROW, SEGMENTS };
enum { FIRST, SECOND, BOTH };

static bs_shape shape_of(int segment)
{
    switch (segment) {
    case NET_SQUARE: return bs_shape2(RG_COLS, RG_COLS);
    case NET_ROW:
    case ENERGY_ROW: return bs_shape2(1, RG_COLS);
    case NET_COLUMN: return bs_shape2(RG_ROWS, 1);
    default: return bs_shape2(RG_ROWS, RG_COLS);
    }
}

static bs_id param(bs_graph *g, int segment)
{
    return bs_param_leaf(g, segment, shape_of(segment));
}

static void add_steps(random_graph *r, int steps)
{
    for (int i = 0; i < steps && r->n < RG_POOL; i++) {
        bs_id next = rg_step(r);
        r->full[r->n++] = next;
    }
}

/* A random net of x and a beginning of a loss with the energy, the same expressions for both
 * turns, then more that differs. */
static void build_turn(bs_graph *g, bs_id x, uint64_t seed, int turn, bs_recipe *recipe)
{
    random_graph r = {.g = g,
                      .full = {x, param(g, NET_FULL)},
                      .row = param(g, NET_ROW),
                      .column = param(g, NET_COLUMN),
                      .square = param(g, NET_SQUARE),
                      .n = 2};
    r.ex.rng = bs_rng_make(seed, 0, 1);
    add_steps(&r, 2 + (int)(seed % 9));
    r.full[r.n++] = param(g, ENERGY_FULL);
    r.row = param(g, ENERGY_ROW);
    add_steps(&r, 3); /* the same steps, of other values then */
    r.ex.rng = bs_rng_make(seed, 0, turn == FIRST ? 2 : 3);
    add_steps(&r, 4 + (int)(seed % 17));
    const int first = turn == FIRST ? ENERGY_FULL : 0,
              last = turn == FIRST ? SEGMENTS : ENERGY_FULL;
    bs_id theta[SEGMENTS], d[SEGMENTS];
    bs_id loss = bs_mean(g, bs_square(g, bs_tanh(g, r.full[r.n - 1])));
    for (int i = first; i < last; i++)
        theta[i] = param(g, i);
    bs_grad(g, loss, theta + first, last - first, d + first, true);
    recipe->result[recipe->n_results++] = (bs_result){loss, -1};
    for (int i = first; i < last; i++)
        recipe->result[recipe->n_results++] = (bs_result){d[i], i};
}

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *recipe)
{
    static const uint8_t anew[SEGMENTS] = {[ENERGY_FULL] = 1, [ENERGY_ROW] = 1};
    const uint64_t       seed = *(const uint64_t *)ctx;
    bs_id                x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(RG_ROWS, RG_COLS));
    bs_inputs_add(g, &recipe->input, x);
    if (key.v[0] != SECOND)
        build_turn(g, x, seed, FIRST, recipe);
    recipe->second = recipe->n_results;
    if (key.v[0] == BOTH)
        bs_graph_turn(g, anew, SEGMENTS);
    if (key.v[0] != FIRST)
        build_turn(g, x, seed, SECOND, recipe);
}

typedef struct {
    uint64_t      seed;
    bs_workspace *w;
    bs_cache     *cache;
    real         *x;
    bs_buffer    *value, *grad;
    int64_t       offset[SEGMENTS + 1];
    double        loss[2 * ROUNDS];
} world;

static world world_new(uint64_t seed, int threads)
{
    world  o = {.seed = seed};
    bs_rng rng = bs_rng_make(seed, 0, 9);
    for (int i = 0; i < SEGMENTS; i++)
        o.offset[i + 1] = o.offset[i] + bs_shape_count(shape_of(i));
    assert_int_equal(bs_workspace_open((bs_machine){.threads = threads}, &o.w, NULL), BASIN_OK);
    o.x = calloc(RG_ROWS * RG_COLS, sizeof *o.x);
    o.value = buffer_of(o.offset[SEGMENTS]);
    o.grad = buffer_of(o.offset[SEGMENTS]);
    real *value = host_of(o.value);
    for (int i = 0; i < RG_ROWS * RG_COLS; i++)
        o.x[i] = (real)(bs_rng_uniform(&rng) - 0.5);
    for (int64_t i = 0; i < o.offset[SEGMENTS]; i++)
        value[i] = (real)(0.2 * bs_rng_uniform(&rng) - 0.1);
    return o;
}

static void world_free(world *o)
{
    bs_cache_free(o->cache);
    bs_workspace_close(o->w);
    free(o->x);
    bs_buffer_free(o->value);
    bs_buffer_free(o->grad);
}

static bs_entry *entry_of(world *o, int kind)
{
    bs_entry   *e;
    basin_error err = {0};
    bool        fresh;
    CHECK(!bs_cache_get(o->cache, (bs_key){{kind}}, &e, &fresh, &err), "%s", err.msg);
    if (fresh)
        e->program->device->bind_params(e->program, o->value, o->grad, o->offset);
    bs_bind_input(e->program, e->input.id[0], o->x);
    return e;
}

static void follow(world *o, int from, int to)
{
    real       *value = host_of(o->value);
    const real *grad = host_of(o->grad);
    for (int64_t i = o->offset[from]; i < o->offset[to]; i++)
        value[i] -= (real)300 * grad[i]; /* of a mean over 4810 numbers */
}

static double loss_of(const bs_entry *e, int result)
{
    return (double)*(const real *)result_of(e->program, result);
}

/* Steps of the energy and the net by turns, by two programs or by one. */
static void train(world *o, bool together)
{
    basin_error err = {0};
    for (uint64_t i = 0; i < ROUNDS; i++) {
        bs_entry *e = entry_of(o, together ? BOTH : FIRST);
        bs_run    run = {o->seed, 2 * i + 1};
        CHECK(!(together ? bs_program_turn(e->program, &run, 0, &err)
                         : bs_program_run(e->program, &run, &err)),
              "%s", err.msg);
        o->loss[2 * i] = loss_of(e, 0);
        follow(o, ENERGY_FULL, SEGMENTS);
        run.step++;
        if (!together)
            e = entry_of(o, SECOND);
        CHECK(!(together ? bs_program_turn(e->program, &run, 1, &err)
                         : bs_program_run(e->program, &run, &err)),
              "%s", err.msg);
        o->loss[2 * i + 1] = loss_of(e, e->second);
        follow(o, 0, ENERGY_FULL);
    }
}

static world trained(uint64_t seed, unsigned flags, int threads, bool together)
{
    world o = world_new(seed, threads);
    o.cache = bs_cache_new(o.w, build, &seed, flags);
    assert_non_null(o.cache);
    train(&o, together);
    return o;
}

/* Adjoints may be added up in another order, so values agree, bits of gradients need not. */
static void turns_do_what_programs_do(void **state)
{
    static const unsigned flags[] = {0,
                                     BS_PLAN_NO_FUSE,
                                     BS_PLAN_NO_REUSE,
                                     BS_PLAN_NO_VIEWS,
                                     BS_PLAN_NO_ACCUMULATE,
                                     BS_PLAN_NO_PAIRS};
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        world want = trained(seed, 0, 1, false);
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
            world got = trained(seed, flags[k], k == 0 ? 3 : 1, true);
            for (int i = 0; i < 2 * ROUNDS; i++)
                CHECK(fabs(got.loss[i] - want.loss[i]) <= 1e-5 * (1 + fabs(want.loss[i])),
                      "seed %d, flags %u: loss %d is %.9g, not %.9g", (int)seed, flags[k], i,
                      got.loss[i], want.loss[i]);
            double e =
                distance(host_of(want.value), host_of(got.value), want.offset[SEGMENTS], 1e-2);
            CHECK(e < 1e-5, "seed %d, flags %u: parameters differ by %.3g", (int)seed, flags[k], e);
            world_free(&got);
        }
        world_free(&want);
    }
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        world one = trained(seed, 0, 1, true), three = trained(seed, 0, 3, true);
        CHECK(memcmp(host_of(one.value), host_of(three.value), one.value->bytes) == 0,
              "seed %d: 1 and 3 threads differ", (int)seed);
        world_free(&one);
        world_free(&three);
    }
}

/* ---- what is shared ---- */

enum { B = 4, D = 6 };

/* softplus(x W) with dropout or without, once before and once after a turn. */
static int products(double dropout, bool anew)
{
    bs_graph     *g = bs_graph_new();
    bs_plan      *p;
    bs_result     r[2];
    const uint8_t changed[] = {anew};
    int           n = 0;
    bs_id         x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(B, D));
    for (int turn = 0; turn < 2; turn++) {
        bs_id h = bs_dropout(g, x, dropout, 7);
        bs_id y = bs_softplus(g, bs_matmul(g, h, bs_param_leaf(g, 0, bs_shape2(D, D)), 0, 0));
        r[turn] = (bs_result){bs_scale(g, bs_sum(g, y), turn + 1), -1};
        if (turn == 0)
            bs_graph_turn(g, changed, 1);
    }
    assert_int_equal(bs_plan_make(g, r, 2, 0, bs_devices[0]->order, &p, NULL), BASIN_OK);
    CHECK(p->turn[1] > 0 && p->turn[1] < p->n_steps, "%d of %d steps in the first turn", p->turn[1],
          p->n_steps);
    for (int i = 0; i < p->n_steps; i++)
        n += p->step[i].node.op == BS_OP_matmul;
    bs_plan_free(p);
    bs_graph_free(g);
    return n;
}

static void what_did_not_change_is_computed_once(void **state)
{
    (void)state;
    assert_int_equal(products(0, false), 1);
    assert_int_equal(products(0, true), 2);
    assert_int_equal(products(0.5, false), 2);
}

/* Twice a parameter, made in the first turn and needed in the second, when it has changed. */
static void values_of_the_first_turn_stay(void **state)
{
    const uint8_t changed[] = {1};
    const int64_t offset[] = {0};
    bs_buffer    *value = buffer_of(1), *grad = buffer_of(1);
    bs_graph     *g = bs_graph_new();
    bs_workspace *w;
    bs_plan      *plan;
    bs_program   *p;
    bs_id         twice = bs_scale(g, bs_param_leaf(g, 0, bs_shape1(1)), 2);
    bs_id         first = bs_const(g, 1);
    (void)state;
    bs_graph_turn(g, changed, 1);
    bs_id     second = bs_sub(g, twice, bs_param_leaf(g, 0, bs_shape1(1)));
    bs_result r[] = {{first, -1}, {second, -1}};
    bs_workspace_open((bs_machine){0}, &w, NULL);
    assert_int_equal(bs_plan_make(g, r, 2, 0, NULL, &plan, NULL), BASIN_OK);
    assert_int_equal(w->device->compile(w, plan, &p, NULL), BASIN_OK);
    p->device->bind_params(p, value, grad, offset);
    *(real *)host_of(value) = 3;
    assert_int_equal(bs_program_turn(p, &(bs_run){1, 1}, 0, NULL), BASIN_OK);
    *(real *)host_of(value) = 10;
    assert_int_equal(bs_program_turn(p, &(bs_run){1, 2}, 1, NULL), BASIN_OK);
    assert_true(*(const real *)result_of(p, 1) == 2 * 3 - 10);
    bs_program_free(p);
    bs_buffer_free(value);
    bs_buffer_free(grad);
    bs_workspace_close(w);
    bs_plan_free(plan);
    bs_graph_free(g);
}

/* ---- loops ---- */

/* Turns of x alone, of x and a state, and of both again: the same expressions and some more. Built
 * as a loop, or as one program of which each turn is a result. */
static void build_loop(bs_graph *g, void *ctx, bs_key key, bs_recipe *recipe)
{
    const uint64_t seed = *(const uint64_t *)ctx;
    bs_id          x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(RG_ROWS, RG_COLS));
    bs_id          y = bs_leaf(g, "state", BS_T_REAL, bs_shape2(RG_ROWS, RG_COLS));
    random_graph   r = {.g = g,
                        .full = {x, param(g, NET_FULL)},
                        .row = param(g, NET_ROW),
                        .column = param(g, NET_COLUMN),
                        .square = param(g, NET_SQUARE),
                        .n = 2};
    bs_inputs_add(g, &recipe->input, x);
    bs_inputs_add(g, &recipe->input, y);
    r.ex.rng = bs_rng_make(seed, 0, 1);
    add_steps(&r, 2 + (int)(seed % 9));
    for (int turn = 0; turn < 3; turn++) {
        random_graph now = r;
        if (turn > 0) {
            if (key.v[0] == BOTH)
                bs_graph_loop(g);
            now.full[now.n++] = y;
            add_steps(&now, 4 + (int)(seed % 11) + 3 * turn);
        }
        recipe->result[recipe->n_results++] = (bs_result){bs_tanh(g, now.full[now.n - 1]), -1};
    }
}

/* In any order and again and again, every turn of a loop finds what one program does. */
static void loops_run_in_any_order(void **state)
{
    static const int order[] = {2, 1, 1, 2, 2, 1, 2, 1};
    enum { CELLS = RG_ROWS * RG_COLS };
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        real  *y = calloc(CELLS, sizeof *y);
        world  o = world_new(seed, seed % 2 ? 1 : 3);
        bs_rng rng = bs_rng_make(seed, 0, 10);
        o.cache = bs_cache_new(o.w, build_loop, &seed, 0);
        bs_entry     *loop = entry_of(&o, BOTH);
        const bs_run  run = {seed, 1};
        real         *found = calloc(CELLS, sizeof *found);
        bs_workspace *own; /* between turns nothing else may run in the loop's workspace */
        bs_workspace_open((bs_machine){.threads = 1}, &own, NULL);
        bs_cache *plain = bs_cache_new(own, build_loop, &seed, 0);
        bs_entry *e;
        assert_int_equal(bs_cache_get(plain, (bs_key){{FIRST}}, &e, NULL, NULL), BASIN_OK);
        e->program->device->bind_params(e->program, o.value, o.grad, o.offset);
        bs_bind_input(e->program, e->input.id[0], o.x);
        bs_bind_input(loop->program, loop->input.id[1], y);
        assert_int_equal(bs_program_turn(loop->program, &run, 0, NULL), BASIN_OK);
        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
            for (int k = 0; k < CELLS; k++)
                y[k] = (real)(bs_rng_uniform(&rng) - 0.5);
            bs_bind_input(e->program, e->input.id[1], y);
            bs_bind_input(loop->program, loop->input.id[1], y);
            assert_int_equal(bs_program_turn(loop->program, &run, order[i], NULL), 0);
            memcpy(found, result_of(loop->program, order[i]), CELLS * sizeof *found);
            assert_int_equal(bs_program_run(e->program, &run, NULL), BASIN_OK);
            double d = distance(result_of(e->program, order[i]), found, CELLS, 1e-2);
            CHECK(d < 1e-5, "seed %d: turn %d is off by %.3g in run %d", (int)seed, order[i], d,
                  (int)i);
        }
        bs_cache_free(plain);
        bs_workspace_close(own);
        world_free(&o);
        free(y);
        free(found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_do_what_programs_do),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(what_did_not_change_is_computed_once),
        cmocka_unit_test(values_of_the_first_turn_stay),
        cmocka_unit_test(loops_run_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
