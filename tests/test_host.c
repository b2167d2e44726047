/* test_host.c -- a guest in somebody's process: what belongs to the whole process or to the calling
 * thread is after a call as it was before, and a forked child works. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/threads.h"
#include "three_tasks.h"

extern char **environ;

static answer first, again;

/* Training, evaluation, prediction: the public calls that compute. The model must be that of the
 * task, bit by bit. */
static basin_status everything(const subject *s, const char *run, int threads, basin_error *err)
{
    const char              *file = s->file;
    char                     number[8];
    basin_text               text = {0};
    const basin_eval_options o = {sizeof o, .threads = threads, .part = "all"};
    snprintf(number, sizeof number, "%d", threads);
    basin_status status = train(s, run, number, err);
    if (!status)
        status = basin_eval(run, &file, 1, &o, NULL, &text, err);
    basin_text_free(&text);
    return status ? status : predict(s, run, threads, &again, err);
}

/* ---- settings ---- */

/* OpenBLAS as the host has it: the same that the library uses. */
static void *of_blas(const char *name)
{
    void *library = NULL, *found = NULL;
#ifdef BS_BLAS_FILE
    library = dlopen(BS_BLAS_FILE, RTLD_NOW);
#else
    library = dlopen(NULL, RTLD_NOW);
#endif
    if (library)
        found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

static int blas_threads(void)
{
    void *found = of_blas("openblas_get_num_threads");
    int (*get)(void);
    memcpy(&get, &found, sizeof get);
    return get();
}

static void set_blas_threads(int n)
{
    void *found = of_blas("openblas_set_num_threads");
    void (*set)(int);
    memcpy(&set, &found, sizeof set);
    set(n);
}

typedef struct {
    int      blas_threads, omp_threads, omp_dynamic, omp_levels, rounding;
    unsigned csr;
    mode_t   umask;
    char     folder[256], locale[256];
    void (*handler[NSIG])(int);
    int           handler_flags[NSIG];
    sigset_t      mask;
    struct rlimit limit[RLIM_NLIMITS];
    char        **environment;
    const char   *variable[256];
} settings;

static void look_at_handler(int number, settings *s)
{
    struct sigaction a;
    memset(&a, 0, sizeof a);
    sigaction(number, NULL, &a);
    s->handler[number] = a.sa_handler;
    s->handler_flags[number] = a.sa_flags;
}

static void look(settings *s)
{
    memset(s, 0, sizeof *s);
    s->blas_threads = blas_threads();
    s->omp_threads = omp_get_max_threads();
    s->omp_dynamic = omp_get_dynamic();
    s->omp_levels = omp_get_max_active_levels();
    s->rounding = fegetround();
#if defined(__x86_64__)
    s->csr = _mm_getcsr() & ~0x3fU; /* without the flags of what happened */
#endif
    s->umask = umask(0);
    umask(s->umask);
    assert_non_null(getcwd(s->folder, sizeof s->folder));
    snprintf(s->locale, sizeof s->locale, "%s", setlocale(LC_ALL, NULL));
    for (int i = 1; i < NSIG; i++)
        look_at_handler(i, s);
    pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
    for (int i = 0; i < (int)RLIM_NLIMITS; i++)
        getrlimit(i, &s->limit[i]);
    s->environment = environ;
    for (int i = 0; i < 256 && environ[i]; i++)
        s->variable[i] = environ[i];
}

static void same_settings(const settings *before)
{
    static settings now;
    look(&now);
    assert_int_equal(now.blas_threads, before->blas_threads);
    assert_int_equal(now.omp_threads, before->omp_threads);
    assert_memory_equal(&now, before, sizeof now);
}

/* A region of the host's own. */
static int size_of_team(int threads)
{
    int team = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp atomic
        team++;
    }
    return team;
}

static void nothing_of_the_process_changes(void **state)
{
    static settings before;
    (void)state;
    /* a host that has plans of its own */
    omp_set_num_threads(3);
    set_blas_threads(3);
    umask(027);
    look(&before);
    for (int i = 0; i < SUBJECTS; i++)
        for (int threads = 1; threads <= 2; threads++) {
            char run[32];
            snprintf(run, sizeof run, "%s-settings-%d", subjects[i].task, threads);
            OK(everything(&subjects[i], run, threads, err));
            same_settings(&before);
        }
    assert_int_equal(size_of_team(omp_get_max_threads()), 3);
    umask(022);
}

/* Calls that only look at things, which begin with nothing that a run would set back. */
static void small_calls_change_nothing(void **state)
{
    static settings  before;
    basin_text       text = {0};
    basin_model     *m = NULL;
    basin_predictor *p = NULL;
    (void)state;
    omp_set_num_threads(5);
    look(&before);
    OK(basin_doctor(&text, err));
    basin_text_free(&text);
    same_settings(&before);
    OK(basin_list("methods", &text, err));
    basin_text_free(&text);
    OK(basin_model_load("mlc", &m, err));
    same_settings(&before);
    OK(basin_predictor_new(m, 1, &p, err));
    same_settings(&before);
    basin_predictor_free(p);
    basin_model_free(m);
    same_settings(&before);
}

/* ---- errno ---- */

/* errno is the same after the call, which succeeds or not. */
#define KEEPS(call)                           \
    do {                                      \
        errno = 4711;                         \
        (void)(call);                         \
        if (errno != 4711)                    \
            fail_msg("%s: %d", #call, errno); \
    } while (0)
#define KEEPS_OK(call)                           \
    do {                                         \
        basin_error        err_ = {0};           \
        basin_error *const err = &err_;          \
        basin_status       status_;              \
        KEEPS(status_ = (call));                 \
        if (status_)                             \
            fail_msg("%s: %s", #call, err_.msg); \
    } while (0)

static void errno_of_files(void)
{
    const char                 *file = "m.arff", *gone = "gone.arff", *run = "mlc";
    const basin_predict_options o = {sizeof o, .path = "p.jsonl", .threads = 2};
    basin_config               *c = NULL;
    basin_text                  text = {0};
    basin_error                 e;
    KEEPS_OK(basin_config_new(&c, err));
    KEEPS_OK(basin_config_read(c, "mlc/config", err));
    KEEPS_OK(basin_config_set(c, "epochs", "3", err));
    KEEPS(basin_config_set(c, "epochs", "99999999999999999999", &e));
    KEEPS(basin_config_read(c, "gone", &e));
    KEEPS_OK(basin_data_inspect(c, &file, 1, 0, NULL, &text, err));
    KEEPS(basin_text_free(&text));
    KEEPS(basin_data_inspect(c, &gone, 1, 0, NULL, &text, &e));
    KEEPS_OK(basin_data_convert(c, &file, 1, "m.csv", NULL, NULL, err));
    KEEPS(basin_data_convert(c, &file, 1, "gone/m.csv", NULL, NULL, &e));
    KEEPS_OK(basin_data_split(c, &file, 1, "part", NULL, NULL, &text, err));
    KEEPS(basin_text_free(&text));
    KEEPS_OK(basin_data_make("tag", "rows=5", 1, "x.conll", NULL, NULL, &text, err));
    KEEPS(basin_text_free(&text));
    KEEPS_OK(basin_eval(run, &file, 1, NULL, NULL, &text, err));
    KEEPS(basin_text_free(&text));
    KEEPS(basin_eval("gone", &file, 1, NULL, NULL, &text, &e));
    KEEPS_OK(basin_predict_files(run, &file, 1, &o, NULL, NULL, err));
    KEEPS(basin_predict_files(run, &gone, 1, &o, NULL, NULL, &e));
    KEEPS_OK(basin_report(&run, 1, NULL, NULL, &text, err));
    KEEPS(basin_text_free(&text));
    KEEPS(basin_config_free(c));
}

static void errno_is_kept(void **state)
{
    basin_text   text = {0};
    basin_model *m = NULL;
    basin_error  e;
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        char run[32];
        snprintf(run, sizeof run, "%s-errno", subjects[i].task);
        KEEPS_OK(train(&subjects[i], run, "2", err));
        KEEPS_OK(predict(&subjects[i], run, 2, &first, err));
    }
    KEEPS(basin_model_load("gone", &m, &e));
    KEEPS(basin_model_load(".", &m, &e));
    KEEPS(basin_model_load("m.arff", &m, &e));
    KEEPS_OK(basin_doctor(&text, err));
    KEEPS(basin_text_free(&text));
    KEEPS_OK(basin_list("options", &text, err));
    KEEPS(basin_text_free(&text));
    errno_of_files();
}

/* ---- forks ---- */

/* What a child does, in its own process; a child that hangs is ended by the clock. */
static bool in_child(bool (*work)(const subject *s, int threads), const subject *s, int threads)
{
    int         status = 0;
    const pid_t child = fork();
    if (child == 0) {
        alarm(120); /* a busy machine, a sanitizer */
        _exit(work(s, threads) ? 0 : 3);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status)
        fprintf(stderr, "  %s: a child %s %d\n", s->task,
                WIFSIGNALED(status) ? "died of signal" : "ended with status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return status == 0;
}

static bool the_same_again(const subject *s, int threads)
{
    basin_error err = {0};
    char        run[32];
    snprintf(run, sizeof run, "%s-child-%d", s->task, (int)getpid());
    memset(&again, 0, sizeof again);
    if (everything(s, run, threads, &err) || predict(s, s->task, threads, &again, &err)) {
        fprintf(stderr, "  %s: %s\n", s->task, err.msg);
        return false;
    }
    same_files(s->task, run);
    return memcmp(&first, &again, sizeof first) == 0;
}

/* A predictor of the parent, asked by the child. */
static basin_predictor *inherited;

static bool asks_what_it_inherited(const subject *s, int threads)
{
    basin_model *m = NULL;
    bool         ok = !basin_model_load(s->task, &m, NULL);
    (void)threads;
    memset(&again, 0, sizeof again);
    for (int i = 0; i < CALLS; i++)
        ok = ok && !ask_rows(m, inherited, &again, NULL);
    return ok && memcmp(&first, &again, sizeof first) == 0;
}

static void a_child_works_after_threads(void **state)
{
    basin_model *m = NULL;
    (void)state;
    assert_int_equal(size_of_team(4), 4);
    for (int i = 0; i < SUBJECTS; i++) {
        memset(&first, 0, sizeof first);
        memset(&again, 0, sizeof again);
        OK(predict(&subjects[i], subjects[i].task, 2, &first, err));
        assert_true(in_child(the_same_again, &subjects[i], 4 - i));
        OK(predict(&subjects[i], subjects[i].task, 2, &again, err)); /* the parent goes on */
        assert_memory_equal(&first, &again, sizeof first);
    }
    memset(&first, 0, sizeof first);
    OK(basin_model_load("mlc", &m, err));
    OK(basin_predictor_new(m, 2, &inherited, err));
    for (int i = 0; i < CALLS; i++)
        OK(ask_rows(m, inherited, &first, err));
    assert_true(in_child(asks_what_it_inherited, &subjects[0], 2));
    basin_predictor_free(inherited);
    basin_model_free(m);
}

static int threads_now(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int  n = 0;
    for (struct dirent *e = tasks ? readdir(tasks) : NULL; e; e = readdir(tasks))
        n += e->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return n;
}

static bool has_a_team(const subject *s, int threads)
{
    (void)s;
    return bs_team(threads) == threads;
}

/* A daemon that forks before it starts threads loses nothing. Sanitizers may have threads. */
static void a_child_of_one_thread_may_share(void **state)
{
    const int n = threads_now();
    (void)state;
    assert_true(n >= 1);
    assert_true(in_child(has_a_team, &subjects[0], n == 1 ? 2 : 1));
}

/* ---- numbers of threads ---- */

static void numbers_of_threads_are_bounded(void **state)
{
    basin_model     *m = NULL;
    basin_predictor *p = NULL;
    basin_error      e = {0};
    (void)state;
    OK(basin_model_load("tag", &m, err));
    assert_int_equal(basin_predictor_new(m, 1000000, &p, &e), BASIN_EARG);
    assert_string_equal(e.msg, "threads: 1000000 is not in 0..1024; 0 = all cores");
    assert_null(p);
    basin_model_free(m);
    assert_int_equal(bs_threads(1), 1);
    assert_int_equal(bs_threads(1024), BS_MOST_THREADS);
    assert_true(bs_threads(0) >= 1 && bs_threads(0) <= BS_MOST_THREADS);
    memset(&first, 0, sizeof first);
    memset(&again, 0, sizeof again);
    OK(predict(&subjects[1], "tag", 1, &first, err));
    OK(predict(&subjects[1], "tag", 1024, &again, err));
    assert_memory_equal(&first, &again, sizeof first);
    assert_true(threads_now() <= BS_MOST_THREADS + 4);
}

/* ---- all of it in one program ---- */

enum { GUESTS = 120, NUMBERS = 10, SIGNS = 4 };

static float       numbers[GUESTS * NUMBERS], told[GUESTS * SIGNS];
static int32_t     sign[GUESTS * SIGNS];
static int64_t     sign_start[GUESTS + 1];
static basin_bytes kept;

static basin_status ask_bytes(const basin_bytes *model, int threads, float *scores,
                              basin_error *err)
{
    basin_model     *m = NULL;
    basin_predictor *p = NULL;
    basin_status     status = basin_model_read(model->data, model->n, &m, err);
    if (!status)
        status = basin_predictor_new(m, threads, &p, err);
    if (!status)
        status = basin_predict_dense(p, numbers, GUESTS, scores, err);
    basin_predictor_free(p);
    basin_model_free(m);
    return status;
}

static bool a_child_says_the_same(const subject *s, int threads)
{
    static float scores[GUESTS * SIGNS];
    basin_error  err = {0};
    (void)s;
    if (ask_bytes(&kept, threads, scores, &err)) {
        fprintf(stderr, "  %s\n", err.msg);
        return false;
    }
    return memcmp(scores, told, sizeof told) == 0;
}

static basin_status train_on_arrays(basin_bytes *out, basin_error *err)
{
    const basin_label_sets    rows = {sizeof rows,     .rows = GUESTS,   .features = NUMBERS,
                                      .labels = SIGNS, .dense = numbers, .label_start = sign_start,
                                      .label = sign};
    const char *const         set[][2] = {{"method", "seal-nce"},
                                          {"epochs", "2"},
                                          {"net.width", "300"},
                                          {"threads", "2"},
                                          {"folds", "1"}};
    basin_data               *d = NULL;
    basin_config             *c = NULL;
    basin_model              *m = NULL;
    basin_text                text = {0};
    const basin_train_options o = {sizeof o, .model = &m};
    basin_status              status = basin_data_label_sets(&rows, &d, err);
    if (!status)
        status = basin_config_new(&c, err);
    for (size_t i = 0; i < sizeof set / sizeof *set && !status; i++)
        status = basin_config_set(c, set[i][0], set[i][1], err);
    if (!status)
        status = basin_config_data(c, "train", d, err);
    if (!status)
        status = basin_train_with(c, &o, NULL, &text, err);
    if (!status)
        status = basin_model_write(m, out, err);
    basin_text_free(&text);
    basin_model_free(m);
    basin_config_free(c);
    basin_data_free(d);
    return status;
}

/* A program in German, with threads of its own, that trains from arrays, keeps the model as bytes
 * and lets a forked child predict. */
static void a_program_of_its_own(void **state)
{
    static settings before;
    basin_bytes     plain;
    char            locales[128];
    int64_t         n = 0;
    (void)state;
    for (int i = 0; i < GUESTS * NUMBERS; i++)
        numbers[i] = (float)(i * 37 % 101) / 10 - 5;
    for (int i = 0; i < GUESTS; i++) {
        for (int k = 0; k < SIGNS; k++)
            if (numbers[i * NUMBERS + k] + numbers[i * NUMBERS + k + 1] > 0)
                sign[n++] = k;
        sign_start[i + 1] = n;
    }
    OK(train_on_arrays(&plain, err));

    assert_int_equal(system("mkdir locales && localedef -i de_DE -f UTF-8 ./locales/de_DE.UTF-8"),
                     0);
    snprintf(locales, sizeof locales, "%s/locales", folder);
    setenv("LOCPATH", locales, 1);
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    omp_set_num_threads(3);
    set_blas_threads(3);
    look(&before);
    OK(train_on_arrays(&kept, err));
    assert_int_equal(kept.n, plain.n);
    assert_memory_equal(kept.data, plain.data, kept.n);
    OK(ask_bytes(&kept, 2, told, err));
    same_settings(&before);
    assert_true(in_child(a_child_says_the_same, &subjects[0], 2));
    same_settings(&before);
    setlocale(LC_ALL, "C");
    basin_bytes_free(&kept);
    basin_bytes_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_of_one_thread_may_share), /* before anybody starts threads */
        cmocka_unit_test(nothing_of_the_process_changes),
        cmocka_unit_test(small_calls_change_nothing),
        cmocka_unit_test(errno_is_kept),
        cmocka_unit_test(a_child_works_after_threads),
        cmocka_unit_test(numbers_of_threads_are_bounded),
        cmocka_unit_test(a_program_of_its_own),
    };
    return cmocka_run_group_tests_name("host", tests, three_models, leave_folder);
}
