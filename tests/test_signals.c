/* test_signals.c -- a host whose timer interrupts every 200 us: nothing is written over, whatever
 * the task, in training and prediction, on one thread and two. Kernels of oneDNN use the stack
 * pointer for other things; no handler may begin there. */
#define _GNU_SOURCE /* registers of a signal's context */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "three_tasks.h"

/* ---- the timer ---- */

static volatile sig_atomic_t arrived, astray;
static volatile unsigned     sink;
static char                 *stack_low, *stack_high;

/* What any handler does: it uses some stack. */
static void use_stack(int number)
{
    volatile unsigned char block[1024];
    (void)number;
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (unsigned char)(0xa5 + i);
    sink += block[arrived & 1023];
    arrived++;
}

/* Runs on a stack of its own and looks where the stack of the interrupted code was. */
static void look_at_stack(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
#if defined(__x86_64__)
    const ucontext_t *c = context;
    const char       *at = (const char *)c->uc_mcontext.gregs[REG_RSP];
    astray += at < stack_low || at >= stack_high;
#endif
    arrived++;
}

static void find_stack(void)
{
    pthread_attr_t a;
    void          *low = NULL;
    size_t         bytes = 0;
    assert_int_equal(pthread_getattr_np(pthread_self(), &a), 0);
    pthread_attr_getstack(&a, &low, &bytes);
    pthread_attr_destroy(&a);
    stack_low = low;
    stack_high = stack_low + bytes;
}

static void begin_timer(bool look)
{
    static char      alternative[1 << 16];
    stack_t          own = {.ss_sp = alternative, .ss_size = sizeof alternative};
    struct sigaction a = {.sa_flags = SA_RESTART};
    arrived = astray = 0;
    sigemptyset(&a.sa_mask);
    if (look) {
        find_stack();
        assert_int_equal(sigaltstack(&own, NULL), 0);
        a.sa_flags |= SA_ONSTACK | SA_SIGINFO;
        a.sa_sigaction = look_at_stack;
    } else {
        a.sa_handler = use_stack;
    }
    assert_int_equal(sigaction(SIGALRM, &a, NULL), 0);
    const struct itimerval every = {{0, 200}, {0, 200}};
    assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void end_timer(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
}

/* ---- tests ---- */

static answer quiet, disturbed;

/* One subject on so many threads, with the timer and without. */
static void disturb(const subject *s, int threads, bool look)
{
    char run[32], number[16];
    snprintf(run, sizeof run, "%s-%d-%d", s->task, threads, look);
    snprintf(number, sizeof number, "%d", threads);
    memset(&quiet, 0, sizeof quiet);
    memset(&disturbed, 0, sizeof disturbed);
    OK(predict(s, s->task, threads, &quiet, err));
    begin_timer(look);
    OK(train(s, run, number, err));
    OK(predict(s, run, threads, &disturbed, err));
    end_timer();
    assert_true(arrived > 0);
    assert_int_equal(astray, 0);
    same_files(s->task, run);
    assert_memory_equal(&quiet, &disturbed, sizeof quiet);
}

/* Only the thread itself gets the signals here, as only it has another stack for them. */
static void no_handler_begins_off_the_stack(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        disturb(&subjects[i], 1, true);
}

/* In processes of their own, since nobody knows what dies when the heap is ruined. */
static void an_ordinary_handler_does_no_harm(void **state)
{
    extern char **environ;
    (void)state;
    for (int i = 0; i < SUBJECTS * 2; i++) {
        char        which[2] = {(char)('0' + i), '\0'}, self[] = "test_signals";
        char *const argv[] = {self, which, NULL};
        int         status = 0;
        pid_t       child;
        assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status)
            fail_msg("%s on %d threads: %s %d", subjects[i / 2].task, 1 + i % 2,
                     WIFSIGNALED(status) ? "died of signal" : "ended with status",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}

static void one_of_these(void **state)
{
    const struct rlimit none = {0, 0};
    const int           i = *(const char *)*state - '0';
    setrlimit(RLIMIT_CORE, &none);
    disturb(&subjects[i / 2], 1 + i % 2, false);
}

/* After a call the mask is as it was, what the host blocks included. */
static void the_mask_is_restored(void **state)
{
    sigset_t mine, after;
    (void)state;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &mine, NULL), 0);
    OK(predict(&subjects[0], subjects[0].task, 1, &quiet, err));
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    for (int i = 1; i < NSIG; i++)
        assert_int_equal(sigismember(&after, i), i == SIGUSR1);
    sigemptyset(&mine);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
}

/* Once more with a processor that OpenBLAS knows nothing of: then oneDNN does all products. */
static void run_as_another(char **argv)
{
    if (getenv("OPENBLAS_CORETYPE"))
        return;
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordinary_handler_does_no_harm),
        cmocka_unit_test(no_handler_begins_off_the_stack),
        cmocka_unit_test(the_mask_is_restored),
    };
    const struct CMUnitTest one[] = {cmocka_unit_test_prestate(one_of_these, argv[1])};
    if (argc > 1)
        return cmocka_run_group_tests_name("a child", one, NULL, NULL);
    int failed = cmocka_run_group_tests_name("signals", tests, three_models, leave_folder);
    if (!failed)
        run_as_another(argv);
    return failed;
}
