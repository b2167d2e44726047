/* test_cpu_blas.c -- OpenBLAS and oneDNN where there is no memory for them: products fail, nobody
 * waits for ever or dies. */
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cpu/blas.h"
#include "device/cpu/dense.h"
#include "device/cpu/program.h"

/* A sanitizer needs more address space than any limit leaves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

enum { SIZE = 600 };

static float a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE], x[SIZE], y[SIZE];

static void no_more_than_so_many_mib(long more)
{
    long  pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld", &pages) != 1)
        _exit(9);
    fclose(f);
    const rlim_t        now = (rlim_t)(pages * sysconf(_SC_PAGESIZE));
    const struct rlimit limit = {now + ((rlim_t)more << 20), now + ((rlim_t)more << 20)};
    if (setrlimit(RLIMIT_AS, &limit))
        _exit(9);
}

/* What a child with so much more address space answers; a child that hangs is ended. */
static int in_child(int (*work)(void), long more)
{
    int         status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        no_more_than_so_many_mib(more);
        _exit(work());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("with %ld MiB: died of signal %d", more, WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* ---- loading ---- */

static int load(void)
{
    basin_error        err = {0};
    const basin_status s = bs_blas_load(&err);
    return s == BASIN_OK ? 0 : s == BASIN_ENOMEM && err.msg[0] ? 1 : 2;
}

static void it_is_not_loaded_without_room(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    for (long more = 0; more <= 250; more += 50)
        assert_int_equal(in_child(load, more), 1);
    for (long more = 300; more <= 1200; more += 300)
        assert_true(in_child(load, more) < 2);
}

/* ---- buffers ---- */

static int count_tickets(void)
{
    int n = 0;
    while (n < 20 && bs_blas_enter())
        n++;
    return n;
}

static void every_ticket_has_a_buffer(void **state)
{
    basin_error err = {0};
    (void)state;
    assert_int_equal(bs_blas_load(&err), BASIN_OK);
    if (SANITIZED)
        skip();
    const int few = in_child(count_tickets, 200), more = in_child(count_tickets, 700);
    assert_true(few < more);
    assert_true(more < 20);
    for (int i = 0; i < 3; i++)
        assert_true(bs_blas_enter());
    for (int i = 0; i < 3; i++)
        bs_blas_leave();
}

/* As if threads were inside that are not in the child. */
static void a_child_begins_without_tickets(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    const int before = in_child(count_tickets, 700);
    for (int i = 0; i < 3; i++)
        assert_true(bs_blas_enter());
    assert_int_equal(in_child(count_tickets, 700), before);
    for (int i = 0; i < 3; i++)
        bs_blas_leave();
}

/* ---- products ---- */

static bool multiply(void)
{
    const bs_thread_mode old = bs_enter_kernels();
    bs_gemm(false, false, SIZE, SIZE, SIZE, a, SIZE, b, SIZE, 0, c, SIZE);
    bs_gemm(false, true, 3, SIZE, SIZE, a, SIZE, b, SIZE, 0, c, SIZE);
    bs_gemv(false, SIZE, SIZE, a, SIZE, x, 0, y);
    return bs_leave_kernels(old);
}

static int multiply_or_not(void)
{
    return multiply() ? c[0] == SIZE && c[3] == SIZE && y[1] == SIZE ? 0 : 2 : 1;
}

/* The parent has multiplied nothing yet, so that a child needs all that there is to need. */
static void products_fail_without_room(void **state)
{
    (void)state;
    for (int i = 0; i < SIZE * SIZE; i++)
        a[i] = b[i] = x[i % SIZE] = 1;
    if (SANITIZED)
        skip();
    assert_int_equal(in_child(multiply_or_not, 0), 1);
    for (long more = 1; more <= 400; more += more < 40 ? 3 : 40)
        assert_true(in_child(multiply_or_not, more) < 2);
    assert_int_equal(in_child(multiply_or_not, 2000), 0);
    assert_int_equal(multiply_or_not(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_not_loaded_without_room), /* first: later it is loaded */
        cmocka_unit_test(every_ticket_has_a_buffer),
        cmocka_unit_test(a_child_begins_without_tickets),
        cmocka_unit_test(products_fail_without_room),
    };
    return cmocka_run_group_tests_name("blas", tests, NULL, NULL);
}
