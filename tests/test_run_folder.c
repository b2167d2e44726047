/* test_run_folder.c -- one run folder has one writer and keeps what is finished; it is gone on with
 * only if it is of the same data; training stops when it should. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "api_folder.h"
#include "base/io.h"
#include "base/mem.h"

static const char busy[] = "another training writes to this folder";

static basin_config *config(const char *epochs)
{
    static const char *const set[][2] = {{"method", "ce"},
                                         {"net.width", "4"},
                                         {"threads", "1"},
                                         {"net.layers", "1"},
                                         {"report", "no"}};
    basin_config            *c;
    OK(basin_config_new(&c, err));
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        OK(basin_config_set(c, set[i][0], set[i][1], err));
    OK(basin_config_set(c, "epochs", epochs, err));
    return c;
}

static basin_status train_with(basin_config *c, const basin_train_options *o, const int *stop,
                               basin_error *why)
{
    basin_text         text = {NULL, NULL};
    basin_session      session = {sizeof session, .stop = stop};
    const basin_status s = basin_train_with(c, o, &session, &text, why);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static basin_status train(const basin_train_options *o, basin_error *why)
{
    basin_config *c = config("2");
    OK(basin_config_file(c, "train", "d.arff", err));
    return train_with(c, o, NULL, why);
}

static bool there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static void run_command(const char *command)
{
    assert_int_equal(system(command), 0);
}

/* ---- the lock ---- */

static void two_of_one_process_conflict(void **state)
{
    bs_lock    *one, *two;
    basin_error err;
    (void)state;
    assert_int_equal(bs_lock_take("a/b/c", &one, &err), BASIN_OK);
    assert_int_equal(bs_lock_take("a/b/c", &two, &err), BASIN_EARG);
    assert_null(two);
    assert_true(strncmp(err.msg, "a/b/c: ", 7) == 0 && strstr(err.msg, busy));
    bs_lock_free(one);
    assert_false(there("a")); /* nothing is left of what was made */
    assert_int_equal(mkdir("a", 0777), 0);
    assert_int_equal(bs_lock_take("a/b", &one, &err), BASIN_OK);
    run_command("touch a/b/file");
    bs_lock_free(one);
    run_command("[ \"$(ls -A a/b)\" = file ] && rm a/b/file");
    assert_int_equal(bs_lock_take("a/b", &one, &err), BASIN_OK);
    bs_lock_free(one);
    assert_true(there("a/b")); /* it was there before */
    run_command("rm -r a");
}

/* Not for ever, should the test fail before. */
static void wait_to_be_killed(void)
{
    alarm(60);
    pause();
}

/* However a process ends, nobody has to clean up after it. */
static void who_is_killed_holds_nothing(void **state)
{
    bs_lock    *lock;
    basin_error err;
    int         pipes[2];
    char        byte;
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        const bool got = bs_lock_take("k", &lock, NULL) == BASIN_OK;
        if (write(pipes[1], got ? "y" : "n", 1) == 1)
            wait_to_be_killed();
        _exit(1);
    }
    assert_true(child > 0 && read(pipes[0], &byte, 1) == 1 && byte == 'y');
    assert_int_equal(bs_lock_take("k", &lock, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, busy));
    assert_int_equal(train(&BASIN_OPTIONS(basin_train_options, .folder = "k"), &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, busy));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(there("k/" BS_LOCK_NAME));
    assert_int_equal(bs_lock_take("k", &lock, &err), BASIN_OK);
    bs_lock_free(lock);
    assert_false(there("k/" BS_LOCK_NAME));
    close(pipes[0]);
    close(pipes[1]);
    run_command("rmdir k");
}

/* A child that was forked meanwhile has the file open, but not the lock when it is given up. */
static void children_hold_nothing(void **state)
{
    bs_lock    *lock;
    basin_error err;
    (void)state;
    assert_int_equal(bs_lock_take("k", &lock, &err), BASIN_OK);
    const pid_t child = fork();
    if (child == 0) {
        wait_to_be_killed();
        _exit(1);
    }
    run_command("ln k/" BS_LOCK_NAME " kept"); /* the very same file, after it was removed */
    bs_lock_free(lock);
    run_command("mkdir -p k && mv kept k/" BS_LOCK_NAME);
    assert_int_equal(bs_lock_take("k", &lock, &err), BASIN_OK);
    bs_lock_free(lock);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    run_command("rm -rf k");
}

/* What happens between opening the file and locking it. */
static void (*between)(void);

int flock(int fd, int how)
{
    void (*happens)(void) = how & LOCK_EX ? between : NULL;
    if (happens) {
        between = NULL;
        happens();
    }
    return (int)syscall(SYS_flock, fd, how);
}

static bs_lock *held;

static void hand_over(void)
{
    bs_lock_free(held);
    assert_int_equal(bs_lock_take("h", &held, NULL), BASIN_OK);
}

/* A file that was removed meanwhile can be locked, and yet the folder is another's. */
static void a_removed_file_is_no_lock(void **state)
{
    bs_lock *lock;
    (void)state;
    assert_int_equal(mkdir("h", 0777), 0);
    assert_int_equal(bs_lock_take("h", &held, NULL), BASIN_OK);
    between = hand_over;
    assert_int_equal(bs_lock_take("h", &lock, NULL), BASIN_EARG);
    assert_null(between);
    bs_lock_free(held);
    assert_int_equal(bs_lock_take("h", &lock, NULL), BASIN_OK);
    bs_lock_free(lock);
    run_command("rmdir h");
}

static void links_are_not_followed(void **state)
{
    bs_lock    *lock;
    basin_error err;
    (void)state;
    run_command("mkdir s && ln -s ../outside s/" BS_LOCK_NAME);
    assert_int_equal(bs_lock_take("s", &lock, &err), BASIN_EIO);
    assert_false(there("outside"));
    run_command("rm -r s");
}

/* Files come and go, and yet there is never more than one who has it. */
static atomic_int holders, most, taken;

static void *compete(void *arg)
{
    (void)arg;
    for (int i = 0; i < 500; i++) {
        bs_lock *lock;
        if (bs_lock_take("c", &lock, NULL))
            continue;
        const int now = atomic_fetch_add(&holders, 1) + 1;
        if (now > atomic_load(&most))
            atomic_store(&most, now);
        atomic_fetch_add(&taken, 1);
        atomic_fetch_sub(&holders, 1);
        bs_lock_free(lock);
    }
    return NULL;
}

static void only_one_has_it(void **state)
{
    enum { THREADS = 4 };
    pthread_t t[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, compete, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(t[i], NULL), 0);
    assert_int_equal(most, 1);
    assert_true(taken > 0);
    run_command("[ -z \"$(ls -A c 2>/dev/null)\" ] && rm -rf c");
}

/* ---- two trainings ---- */

typedef struct {
    int          stop;
    basin_status status;
    basin_error  err;
} background;

static void *train_long(void *arg)
{
    background   *b = arg;
    basin_config *c = config("1000000");
    OK(basin_config_set(c, "early_stop.patience", "1000000", err));
    OK(basin_config_file(c, "train", "d.arff", err));
    b->status =
        train_with(c, &BASIN_OPTIONS(basin_train_options, .folder = "busy"), &b->stop, &b->err);
    return NULL;
}

static basin_status compare_in(const char *name, int resume, basin_error *why)
{
    basin_config         *c = config("1");
    basin_compare_options o = {.methods = "ce", .seeds = 1, .folder = name, .resume = resume};
    basin_text            text = {NULL, NULL};
    OK(basin_config_file(c, "train", "d.arff", err));
    const basin_status s = basin_compare(c, &o, NULL, &text, why);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static basin_status tune_in(const char *name, int resume, basin_error *why)
{
    basin_config      *c = config("1");
    basin_tune_options o = {.trials = 1, .folder = name, .resume = resume};
    basin_text         text = {NULL, NULL};
    OK(basin_config_file(c, "train", "d.arff", err));
    const basin_status s = basin_tune(c, &o, NULL, &text, why);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static void a_second_training_is_refused(void **state)
{
    background  b = {0};
    pthread_t   first;
    basin_error err;
    (void)state;
    assert_int_equal(pthread_create(&first, NULL, train_long, &b), 0);
    for (int i = 0; i < 60000 && !there("busy/metrics.jsonl"); i++)
        usleep(1000);
    for (int resume = 0; resume < 2; resume++) {
        const basin_train_options o = {sizeof o, .folder = "busy", .resume = resume,
                                       .force = !resume};
        assert_int_equal(train(&o, &err), BASIN_EARG);
        assert_non_null(strstr(err.msg, busy));
    }
    assert_int_equal(compare_in("busy", 1, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, busy));
    assert_int_equal(tune_in("busy", 1, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, busy));
    __atomic_store_n(&b.stop, 1, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(first, NULL), 0);
    assert_int_equal(b.status, BASIN_EINTERRUPTED); /* it did not notice */
    assert_false(there("busy/" BS_LOCK_NAME));
    run_command("rm -r busy");
}

/* Runs inside of a comparison, a search or several seeds are run folders, too. */
static void runs_inside_are_locked(void **state)
{
    bs_lock    *lock;
    basin_error err;
    (void)state;
    assert_int_equal(bs_lock_take("in/ce/seed-0", &lock, &err), BASIN_OK);
    assert_int_equal(compare_in("in", 1, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, busy));
    bs_lock_free(lock);
    assert_int_equal(bs_lock_take("in/trial-000", &lock, &err), BASIN_OK);
    assert_int_equal(tune_in("in", 1, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, busy));
    bs_lock_free(lock);
    run_command("rm -rf in");
    assert_int_equal(bs_lock_take("in/seed-1", &lock, &err), BASIN_OK);
    assert_int_equal(train(&BASIN_OPTIONS(basin_train_options, .folder = "in", .seeds = 2), &err),
                     BASIN_EARG);
    assert_true(strncmp(err.msg, "in/seed-1: ", 11) == 0 && strstr(err.msg, busy));
    bs_lock_free(lock);
    run_command("rm -rf in");
    assert_int_equal(compare_in("in", 0, &err), BASIN_OK);
    run_command("[ -z \"$(find in -name " BS_LOCK_NAME ")\" ] && rm -r in");
}

/* ---- what is finished ---- */

static void a_finished_run_is_kept(void **state)
{
    basin_error               why;
    const basin_train_options o = {sizeof o, .folder = "f"},
                              go_on = {sizeof go_on, .folder = "f", .resume = 1},
                              anew = {sizeof anew, .folder = "f", .force = 1},
                              both = {sizeof both, .folder = "f", .force = 1, .resume = 1};
    (void)state;
    assert_int_equal(train(&o, &why), BASIN_OK);
    run_command("find f -type f | sort | xargs sha256sum > before");
    assert_int_equal(train(&o, &why), BASIN_EARG);
    assert_string_equal(why.msg,
                        "f: holds a finished run; --resume continues it, --force replaces it, "
                        "another -o keeps both");
    basin_config *c = config("2");
    basin_text    text;
    OK(basin_config_file(c, "train", "d.arff", err));
    assert_int_equal(basin_train(c, "f", 1, 0, NULL, &text, &why), BASIN_EARG);
    basin_config_free(c);
    assert_int_equal(train(&both, &why), BASIN_EARG);
    run_command("find f -type f | sort | xargs sha256sum | cmp - before");
    run_command("mv f/outcome.json kept");
    assert_int_equal(train(&o, &why), BASIN_EARG); /* the model is there */
    run_command("mv kept f/outcome.json");
    assert_int_equal(train(&go_on, &why), BASIN_OK);
    run_command("find f -type f | sort | xargs sha256sum | cmp - before");
    const char *const number[] = {"params_net", "params_energy", "epochs", "best_epoch"};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        char damage[200];
        snprintf(damage, sizeof damage,
                 "cp f/outcome.json kept && "
                 "sed -i 's/\\(.*\"%s\": \\)[0-9]*,/\\1-1,/' f/outcome.json && "
                 "! cmp -s f/outcome.json kept",
                 number[i]); /* the last: settings before it have such names, too */
        run_command(damage);
        assert_int_equal(train(&go_on, &why), BASIN_EDATA);
        assert_non_null(strstr(why.msg, "f/outcome.json: is not the outcome of a training"));
        run_command("mv kept f/outcome.json");
    }
    assert_int_equal(train(&anew, &why), BASIN_OK);
    run_command("! find f -type f | sort | xargs sha256sum | cmp -s - before");

    /* one of several seeds: refused before another is trained */
    run_command("mkdir n && mv f n/seed-1");
    const basin_train_options seeds = {sizeof seeds, .folder = "n", .seeds = 2};
    assert_int_equal(train(&seeds, &why), BASIN_EARG);
    assert_true(strncmp(why.msg, "n/seed-1: holds a finished run", 30) == 0);
    assert_false(there("n/seed-0"));
    run_command("rm -r n before");
}

/* A training that does not come to it makes no folder. */
static void nothing_is_left_of_what_failed(void **state)
{
    basin_error   why;
    basin_config *c = config("1");
    (void)state;
    OK(basin_config_file(c, "train", "no-such.arff", err));
    assert_int_not_equal(
        train_with(c, &BASIN_OPTIONS(basin_train_options, .folder = "x/y/z"), NULL, &why), 0);
    assert_false(there("x"));
}

/* ---- the same data ---- */

/* Rows of which the first of one part can be another. */
static void write_part(const char *path, const char *first)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "a,b,x,y\n%s", first);
    for (int i = 0; i < 12; i++)
        fprintf(f, "%d,%d,%d,%d\n", i % 3, i % 5, i % 2, i % 3 == 0);
    fclose(f);
}

static basin_status train_parts(int resume, const int *stop, basin_error *why)
{
    static const char *const role[] = {"train", "valid", "test"};
    basin_config            *c = config("3");
    OK(basin_config_set(c, "data.labels", "last:2", err));
    OK(basin_config_set(c, "standardise", "no", err));
    for (int i = 0; i < 3; i++) {
        char path[32];
        snprintf(path, sizeof path, "%s.csv", role[i]);
        OK(basin_config_file(c, role[i], path, err));
    }
    return train_with(c, &BASIN_OPTIONS(basin_train_options, .folder = "p", .resume = resume), stop,
                      why);
}

/* One number of one part is another, and all else the same: of a stopped run as of a finished. */
static void a_run_is_of_its_data(void **state)
{
    static const char *const file[] = {"train.csv", "valid.csv", "test.csv"};
    static const char *const message[] = {"the data for train is not the same",
                                          "the data for valid is not the same",
                                          "the data for test is not the same"};
    const int                now = 1;
    basin_error              err;
    (void)state;
    for (int finished = 0; finished < 2; finished++) {
        for (int i = 0; i < 3; i++)
            write_part(file[i], "1,2,1,0\n");
        const basin_status s = train_parts(0, finished ? NULL : &now, &err);
        assert_int_equal(s, finished ? BASIN_OK : BASIN_EINTERRUPTED);
        run_command("find p -type f | sort | xargs sha256sum > before");
        for (int i = 0; i < 3; i++) {
            write_part(file[i], "1,3,1,0\n");
            assert_int_equal(train_parts(1, NULL, &err), BASIN_EARG);
            if (!strstr(err.msg, message[i])) {
                fprintf(stderr, "  %s: %s\n", file[i], err.msg);
                fail();
            }
            run_command("find p -type f | sort | xargs sha256sum | cmp - before");
            write_part(file[i], "1,2,1,0\n");
        }
        assert_int_equal(train_parts(1, NULL, &err), BASIN_OK);
        run_command("rm -r p before");
    }
}

/* ---- stopping ---- */

static int number_of(const char *json, const char *key)
{
    char text[32];
    snprintf(text, sizeof text, "\"%s\": ", key);
    const char *at = strstr(json, text);
    assert_non_null(at);
    return atoi(at + strlen(text));
}

/* Rates of zero: the first evaluation of a phase is its best, and after `patience` more it ends. */
static void patience_is_exact(void **state)
{
    static const struct {
        const char *method, *patience, *every;
        int         epochs, best;
    } rows[] = {
        {"ce", "1", "1", 2, 1},       {"ce", "3", "1", 4, 1},    {"ce", "3", "2", 8, 2},
        {"seal-nce", "2", "1", 6, 4}, {"spen", "1", "3", 12, 9},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char *const zero[] = {"lr.net", "lr.energy", "pretrain.lr"};
        basin_config            *c = config("50");
        basin_text               text;
        for (int k = 0; k < 3; k++)
            OK(basin_config_set(c, zero[k], "0", err));
        OK(basin_config_set(c, "method", rows[i].method, err));
        OK(basin_config_set(c, "early_stop.patience", rows[i].patience, err));
        OK(basin_config_set(c, "early_stop.epochs", rows[i].every, err));
        OK(basin_config_set(c, "pretrain.epochs", "50", err));
        OK(basin_config_set(c, "energy.proof", "0", err));
        OK(basin_config_set(c, "gbi.steps", "2", err));
        OK(basin_config_file(c, "train", "d.arff", err));
        OK(basin_train(c, NULL, 1, 0, NULL, &text, err));
        if (number_of(text.json, "epochs") != rows[i].epochs ||
            number_of(text.json, "best_epoch") != rows[i].best) {
            fprintf(stderr, "  %s, patience %s: %s\n", rows[i].method, rows[i].patience, text.json);
            fail();
        }
        basin_text_free(&text);
        basin_config_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_one_process_conflict),
        cmocka_unit_test(who_is_killed_holds_nothing),
        cmocka_unit_test(children_hold_nothing),
        cmocka_unit_test(a_removed_file_is_no_lock),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(only_one_has_it),
        cmocka_unit_test(a_second_training_is_refused),
        cmocka_unit_test(runs_inside_are_locked),
        cmocka_unit_test(a_finished_run_is_kept),
        cmocka_unit_test(nothing_is_left_of_what_failed),
        cmocka_unit_test(a_run_is_of_its_data),
        cmocka_unit_test(patience_is_exact),
    };
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
