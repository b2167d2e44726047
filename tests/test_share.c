/* test_share.c -- work divided by leases: every item once, workers that are killed, that are gone
 * without a trace, or that wake up too late. */
#include "tests/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/print.h"
#include "base/share.h"

#define OK(call) assert_int_equal((call), BASIN_OK)

enum { ITEMS = 24 };

static basin_error err[1];

static char root[64];

typedef struct {
    bs_share *share;
    int       n, failed;
    char      why[256];
    int       waits;
} side;

static void folder(void *ctx, int item, char *path, size_t size)
{
    (void)ctx;
    bs_print(path, size, "%s/%d", root, item);
}

static basin_status finished(void *ctx, int item, bool *yes, basin_error *e)
{
    char path[128];
    (void)ctx, (void)e;
    bs_print(path, sizeof path, "%s/%d/done", root, item);
    *yes = access(path, F_OK) == 0;
    return BASIN_OK;
}

static void failed(void *ctx, int item, const basin_error *why)
{
    side *s = ctx;
    (void)item;
    s->failed++;
    bs_print(s->why, sizeof s->why, "%s", why->msg);
}

static void waits(void *ctx)
{
    ((side *)ctx)->waits++;
}

static void finish(side *s, int item)
{
    char path[128];
    bs_print(path, sizeof path, "%s/%d/done", root, item);
    OK(bs_write_file(path, "", 0, err));
    bs_share_leave(s->share, item, true, NULL);
}

static void open_side(side *s, int n, const char *machine, double beat, double stale)
{
    const bs_items      work = {s, n, folder, finished, failed, waits, NULL};
    const bs_share_pace pace = {machine, beat, stale, 0.01};
    *s = (side){.n = n};
    OK(bs_share_new(&work, true, &pace, &s->share, err));
}

static int leases(int item)
{
    int  n = 0;
    char path[128];
    for (int i = 1; i < 20; i++) {
        bs_print(path, sizeof path, "%s/%d/.lease-%d", root, item, i);
        n += access(path, F_OK) == 0;
    }
    return n;
}

static int setup(void **state)
{
    (void)state;
    bs_print(root, sizeof root, "/tmp/basin-share-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[128];
    (void)state;
    bs_print(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/* ---- many at once ---- */

static atomic_int taken[ITEMS];

static void *work(void *arg)
{
    side *s = arg;
    for (int i = bs_share_take(s->share); i >= 0; i = bs_share_take(s->share)) {
        atomic_fetch_add(&taken[i], 1);
        finish(s, i);
    }
    return NULL;
}

static void every_item_is_taken_once(void **state)
{
    enum { SIDES = 4, THREADS = 2 };
    side      all[SIDES];
    pthread_t thread[SIDES * THREADS];
    (void)state;
    for (int i = 0; i < SIDES; i++)
        open_side(&all[i], ITEMS, i % 2 ? "one" : "two", 0.01, 1000);
    for (int i = 0; i < SIDES * THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &all[i / THREADS]), 0);
    for (int i = 0; i < SIDES * THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < SIDES; i++)
        bs_share_free(all[i].share);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(taken[i], 1);
        assert_int_equal(leases(i), 0);
    }
}

/* ---- workers that are lost ---- */

/* A process that takes the item and hangs; returns when it has it. */
static pid_t hang(const char *machine, double beat)
{
    int  pipes[2];
    char byte;
    assert_int_equal(pipe(pipes), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        side s;
        open_side(&s, 1, machine, beat, 1000);
        byte = bs_share_take(s.share) == 0 ? 'y' : 'n';
        if (write(pipes[1], &byte, 1) == 1)
            pause();
        _exit(1);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(pipes[0]);
    return pid;
}

static void kill_now(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_killed_worker_on_this_machine_is_noticed_at_once(void **state)
{
    side        s;
    const pid_t pid = hang("here", 0.01);
    (void)state;
    open_side(&s, 1, "here", 0.01, 1000);
    kill_now(pid);
    assert_int_equal(bs_share_take(s.share), 0);
    assert_int_equal(leases(0), 2);
    finish(&s, 0);
    assert_int_equal(bs_share_take(s.share), -1);
    assert_int_equal(leases(0), 0);
    bs_share_free(s.share);
}

/* A stopped process still exists; only on other machines nobody can tell. */
static void a_silent_worker_elsewhere_is_void_after_a_while(void **state)
{
    const double stale = 0.3;
    side         s;
    const pid_t  pid = hang("there", 0.01);
    (void)state;
    kill(pid, SIGSTOP);
    open_side(&s, 1, "here", 0.01, stale);
    const double start = bs_seconds();
    assert_int_equal(bs_share_take(s.share), 0);
    assert_true(bs_seconds() - start >= stale);
    assert_int_equal(s.waits, 1);
    kill_now(pid);
    finish(&s, 0);
    bs_share_free(s.share);
}

static void a_beating_worker_elsewhere_keeps_its_lease(void **state)
{
    const struct timespec moment = {.tv_nsec = 600000000};
    side                  s;
    int                   stop = 0;
    const pid_t           pid = hang("there", 0.02);
    const bs_items        one = {&s, 1, folder, finished, failed, waits, &stop};
    const bs_share_pace   pace = {"here", 0.02, 0.3, 0.01};
    pthread_t             thread;
    (void)state;
    s = (side){.n = 1};
    taken[0] = 0;
    OK(bs_share_new(&one, true, &pace, &s.share, err));
    assert_int_equal(pthread_create(&thread, NULL, work, &s), 0);
    nanosleep(&moment, NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(taken[0], 0);
    kill_now(pid);
    bs_share_free(s.share);
}

static void a_worker_that_wakes_up_too_late_is_told(void **state)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    side                  late, next;
    (void)state;
    open_side(&late, 1, "there", 0.4, 1000);
    assert_int_equal(bs_share_take(late.share), 0);
    open_side(&next, 1, "here", 0.01, 0.1);
    assert_int_equal(bs_share_take(next.share), 0);
    for (int i = 0; i < 500 && !bs_stop_asked(bs_share_lost(late.share, 0)); i++)
        nanosleep(&moment, NULL);
    assert_true(bs_stop_asked(bs_share_lost(late.share, 0)));
    assert_false(bs_stop_asked(bs_share_lost(next.share, 0)));
    bs_share_leave(late.share, 0, false, NULL); /* changes nothing for the other */
    assert_int_equal(leases(0), 2);
    finish(&next, 0);
    assert_int_equal(bs_share_take(late.share), -1);
    bs_share_free(late.share);
    bs_share_free(next.share);
    assert_int_equal(leases(0), 0);
}

/* ---- released, failed ---- */

static void released_work_is_taken_at_once_and_failures_are_told(void **state)
{
    side        a, b;
    basin_error why;
    (void)state;
    open_side(&a, 1, "here", 1, 1000);
    open_side(&b, 1, "there", 1, 1000);
    assert_int_equal(bs_share_take(a.share), 0);
    bs_fail(&why, BASIN_EINTERRUPTED, "stopped");
    bs_share_leave(a.share, 0, false, &why);
    assert_int_equal(bs_share_take(b.share), 0);
    bs_fail(&why, BASIN_ENUMERIC, "the loss is \"bad\"");
    bs_share_leave(b.share, 0, false, &why);
    assert_int_equal(bs_share_take(b.share), -1);
    assert_int_equal(bs_share_take(a.share), -1);
    assert_int_equal(a.failed, 1);
    assert_string_equal(a.why, "the loss is \"bad\"");
    bs_share_free(a.share);
    bs_share_free(b.share);
    open_side(&a, 1, "here", 1, 1000); /* later it is tried again */
    assert_int_equal(bs_share_take(a.share), 0);
    finish(&a, 0);
    bs_share_free(a.share);
}

static void damaged_leases_are_waited_for_and_then_void(void **state)
{
    static const char *const bad[] = {"",  "{", "[]", "{\"state\": 3}", "{\"machine\": \"here\"}",
                                      NULL /* a pipe */};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[128];
        side s;
        OK(bs_make_dir(root, err));
        bs_print(path, sizeof path, "%s/0", root);
        OK(bs_make_dir(path, err));
        bs_print(path, sizeof path, "%s/0/.lease-7", root);
        if (bad[i])
            OK(bs_write_file(path, bad[i], strlen(bad[i]), err));
        else
            assert_int_equal(mkfifo(path, 0600), 0);
        open_side(&s, 1, "here", 1, 0.05);
        assert_int_equal(bs_share_take(s.share), 0);
        finish(&s, 0);
        bs_share_free(s.share);
        assert_int_equal(teardown(NULL), 0);
    }
}

static void the_first_one_writes(void **state)
{
    char text[32];
    (void)state;
    OK(bs_make_dir(root, err));
    OK(bs_share_first(root, ".shared", "one", text, sizeof text, err));
    assert_string_equal(text, "one");
    OK(bs_share_first(root, ".shared", "another", text, sizeof text, err));
    assert_string_equal(text, "one");
    assert_int_not_equal(bs_share_first("nowhere", ".shared", "x", text, sizeof text, err),
                         BASIN_OK);
}

/* Names of temporary files can be guessed in a folder that is open to all. */
static void links_planted_by_others_are_not_followed(void **state)
{
    char path[256], host[BS_TEMP_HOST], target[128], text[8];
    side s;
    (void)state;
    bs_temp_host(host);
    bs_print(target, sizeof target, "%s/precious", root);
    OK(bs_write_file(target, "data", 4, err));
    bs_print(path, sizeof path, "%s/0", root);
    OK(bs_make_dir(path, err));
    for (int i = 0; i < 1000; i++) {
        bs_print(path, sizeof path, "%s/0/.lease-1-%ld-%d%s.tmp", root, (long)getpid(), i, host);
        assert_int_equal(symlink(target, path), 0);
    }
    open_side(&s, 1, "here", 1, 1000);
    assert_int_equal(bs_share_take(s.share), -1);
    assert_int_equal(s.failed, 1);
    bs_share_free(s.share);
    FILE *f = fopen(target, "r");
    assert_non_null(f);
    assert_string_equal(fgets(text, sizeof text, f), "data");
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_item_is_taken_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_killed_worker_on_this_machine_is_noticed_at_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_silent_worker_elsewhere_is_void_after_a_while, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_beating_worker_elsewhere_keeps_its_lease, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_worker_that_wakes_up_too_late_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(released_work_is_taken_at_once_and_failures_are_told, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(damaged_leases_are_waited_for_and_then_void, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_first_one_writes, setup, teardown),
        cmocka_unit_test_setup_teardown(links_planted_by_others_are_not_followed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
