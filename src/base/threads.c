/* threads.c -- how many threads a region may have. A fork handler marks children that lost their
 * threads; starting threads on trial shows how many more there can be. */
#include "base/threads.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

int bs_threads(int asked)
{
    const int n = asked > 0 ? asked : omp_get_num_procs();
    return n < BS_MOST_THREADS ? n : BS_MOST_THREADS;
}

/* ---- after a fork ---- */

static _Thread_local bool several; /* the process had several threads when it forked */
static bool               orphan;  /* set once, before the child has a second thread */

static void before_fork(void)
{
    struct stat task;
    several = stat("/proc/self/task", &task) != 0 || task.st_nlink != 2 + 1;
}

static void in_child(void)
{
    orphan |= several;
}

/* Runs when the library is loaded: threads of the host's own OpenMP regions count like ours. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, NULL, in_child);
}

/* ---- before a region ---- */

static void *pass(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Whether n more threads can exist at the same time. */
static bool can_start(int n)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t       thread[BS_MOST_THREADS];
    int             started = 0;
    pthread_mutex_lock(&gate);
    while (started < n && pthread_create(&thread[started], NULL, pass, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return started == n;
}

int bs_team(int threads)
{
    /* per thread, since each has a team of its own: the largest region that was possible, the
     * smallest that was not */
    static _Thread_local int possible = 1, impossible = BS_MOST_THREADS + 1;
    if (orphan || threads >= impossible)
        return 1;
    if (threads > possible) {
        if (!can_start(threads - 1)) {
            impossible = threads;
            return 1;
        }
        possible = threads;
    }
    return threads;
}
