/* test_far.c -- the far device ends the process at an access that another device would not allow,
 * and computes the bits of the CPU. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/harness.h"

enum { N = 6 };

typedef struct {
    machine    m;
    bs_graph  *g;
    bs_buffer *b;
    real       x[N];
    bs_id      input;
} place;

/* 2 x and the sum of x as a program, and a buffer. */
static place place_new(void)
{
    place o = {.x = {1, 2, 3}};
    o.g = bs_graph_new();
    o.input = bs_leaf(o.g, "x", BS_T_REAL, bs_shape1(N));
    bs_result r[] = {{bs_scale(o.g, o.input, 2), -1}, {bs_sum(o.g, o.input), -1}};
    o.m = machine_new(o.g, NULL, r, 2, 0, 1);
    assert_int_equal(bs_buffer_new(o.m.w->device, N, true, &o.b, NULL), BASIN_OK);
    return o;
}

static void place_free(place *o)
{
    bs_buffer_free(o->b);
    machine_free(&o->m);
    bs_graph_free(o->g);
}

static void bind_and_run(place *o)
{
    bs_bind_input(o->m.p, o->input, o->x);
    machine_run(&o->m, 1);
}

static volatile real seen;

static void touch_a_buffer(place *o)
{
    seen = ((const real *)((bs_cpu_buffer *)o->b)->data)[0];
}

static void touch_the_arena(place *o)
{
    bind_and_run(o);
    seen = *(const real *)((const bs_cpu_buffer *)((const bs_cpu *)o->m.w)->arena)->data;
}

static void read_what_is_unmapped(place *o)
{
    real *at;
    assert_int_equal(bs_map(o->b, 0, N, BS_READ, &at, NULL), BASIN_OK);
    bs_unmap(o->b, 0, N, BS_READ, at);
    seen = at[0];
}

static void write_what_is_mapped_to_be_read(place *o)
{
    real *at;
    assert_int_equal(bs_map(o->b, 0, N, BS_READ, &at, NULL), BASIN_OK);
    at[0] = 1;
}

static void fill_while_mapped(place *o)
{
    real *at;
    assert_int_equal(bs_map(o->b, 0, 1, BS_READ_WRITE, &at, NULL), BASIN_OK);
    o->b->device->fill(o->b, 1, 1, 0);
}

static void read_behind_the_end(place *o)
{
    real *at;
    assert_int_equal(bs_map(o->b, 0, N, BS_READ, &at, NULL), BASIN_OK);
    seen = at[BS_ALIGN / sizeof(real)];
}

static void read_a_result_too_late(place *o)
{
    bind_and_run(o);
    const real *y = machine_value(&o->m, 0);
    machine_run(&o->m, 1);
    seen = y[0];
}

static void fetch_after_another_run(place *o)
{
    bs_program *other;
    bs_result   r = {bs_scale(o->g, o->input, 3), -1};
    const real *y;
    assert_int_equal(bs_program_make(o->m.w, o->g, &r, 1, 0, &other, NULL), BASIN_OK);
    bs_bind_input(other, o->input, o->x);
    bind_and_run(o);
    assert_int_equal(bs_program_run(other, &(bs_run){1, 1}, NULL), BASIN_OK);
    seen = (real)bs_fetch(o->m.p, 0, &y, NULL);
}

static void change_an_input_that_is_bound(place *o)
{
    bind_and_run(o);
    o->x[1] = 7;
    machine_run(&o->m, 1);
}

/* Whether a child survives it. */
static bool survives(void (*f)(place *))
{
    int         status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr) || signal(SIGSEGV, SIG_DFL) == SIG_ERR ||
            signal(SIGABRT, SIG_DFL) == SIG_ERR)
            _exit(2);
        place o = place_new();
        f(&o);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void what_other_devices_forbid_ends_the_process(void **state)
{
    static const struct {
        const char *what;
        void (*f)(place *);
    } wrong[] = {{"touch a buffer", touch_a_buffer},
                 {"touch the arena", touch_the_arena},
                 {"read what is unmapped", read_what_is_unmapped},
                 {"write what is mapped to be read", write_what_is_mapped_to_be_read},
                 {"fill while mapped", fill_while_mapped},
                 {"read behind the end", read_behind_the_end},
                 {"read a result too late", read_a_result_too_late},
                 {"fetch after another run", fetch_after_another_run},
                 {"change an input that is bound", change_an_input_that_is_bound}};
    (void)state;
    assert_true(survives(bind_and_run));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!survives(wrong[i].f), "a child could %s", wrong[i].what);
}

static void what_is_mapped_is_a_copy(void **state)
{
    place       o = place_new();
    real       *at;
    const real *y;
    (void)state;
    assert_int_equal(bs_map(o.b, 1, 2, BS_WRITE, &at, NULL), BASIN_OK);
    assert_true(isnan(at[0]) && isnan(at[1]));
    at[0] = 4, at[1] = 5;
    bs_unmap(o.b, 1, 2, BS_WRITE, at);
    assert_int_equal(bs_map(o.b, 0, N, BS_READ, &at, NULL), BASIN_OK);
    assert_true(at[0] == 0 && at[1] == 4 && at[2] == 5 && at[3] == 0);
    bs_unmap(o.b, 0, N, BS_READ, at);
    bind_and_run(&o);
    y = machine_value(&o.m, 0);
    assert_true(y == machine_value(&o.m, 0) && y[1] == 4 && *machine_value(&o.m, 1) == 6);
    o.m.p->device->copy_result(o.m.p, 0, o.b, 0);
    o.m.p->device->bind_buffer(o.m.p, o.input, o.b, 0);
    machine_run(&o.m, 1);
    assert_true(machine_value(&o.m, 0)[2] == 12);
    place_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_other_devices_forbid_ends_the_process),
        cmocka_unit_test(what_is_mapped_is_a_copy),
    };
    setenv("BASIN_DEVICE", "far", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
