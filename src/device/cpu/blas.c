/* blas.c -- loads OpenBLAS and hands out tickets: it must never ask for a buffer in vain. */
#include "device/cpu/blas.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/threads.h"

enum { BUFFER = 128 << 20, MOST_BUFFERS = BS_MOST_THREADS };

bs_blas_table bs_blas;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int      inside, buffers; /* threads with a ticket; buffers that are there for them */

bool bs_can_map(size_t bytes, int n)
{
    void *at[MOST_BUFFERS + 1];
    int   got = 0;
    while (got < n && got <= MOST_BUFFERS) {
        at[got] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at[got] == MAP_FAILED)
            break;
        got++;
    }
    const bool all = got == n;
    while (got-- > 0)
        munmap(at[got], bytes);
    return all;
}

/* ---- loading ---- */

#ifdef BS_BLAS_FILE

static const struct {
    const char *name;
    size_t      at;
    bool        wish; /* it is optional */
} symbols[] = {
    {"cblas_sgemm", offsetof(bs_blas_table, sgemm), false},
    {"cblas_sgemv", offsetof(bs_blas_table, sgemv), false},
    {"cblas_dgemm", offsetof(bs_blas_table, dgemm), false},
    {"cblas_dgemv", offsetof(bs_blas_table, dgemv), false},
    {"openblas_get_corename", offsetof(bs_blas_table, core), false},
    {"openblas_get_config", offsetof(bs_blas_table, config), false},
    {"openblas_get_parallel", offsetof(bs_blas_table, parallel), false},
    {"blas_memory_alloc", offsetof(bs_blas_table, take_buffer), true},
    {"blas_memory_free", offsetof(bs_blas_table, give_buffer), true},
};

static basin_status find_symbols(void *library, basin_error *err)
{
    bs_blas_table t = {0};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found && !symbols[i].wish)
            return bs_fail(err, BASIN_EUNSUPPORTED, "OpenBLAS: has no %s", symbols[i].name);
        memcpy((char *)&t + symbols[i].at, &found, sizeof found);
    }
    bs_blas = t;
    return BASIN_OK;
}

/* How many threads OpenBLAS prepares for: as many as there are cores, or fewer if told so. */
static int own_threads(void)
{
    static const char *const variable[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"};
    const int                cores = bs_threads(omp_get_num_procs());
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(variable[i]);
        const long  n = text ? strtol(text, NULL, 10) : 0;
        if (n > 0)
            return n < cores ? (int)n : cores;
    }
    return cores;
}

static basin_status load(basin_error *err)
{
    void     *library = dlopen(BS_BLAS_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    const int threads = own_threads();
    if (!library && !bs_can_map(BUFFER, threads + 1))
        return bs_fail(err, BASIN_ENOMEM,
                       "out of memory: OpenBLAS needs %d MiB of address space for %d threads%s",
                       (threads + 1) * (BUFFER >> 20), threads,
                       threads > 1 ? "; with OPENBLAS_NUM_THREADS=1 in the environment less" : "");
    if (!library)
        library = dlopen(BS_BLAS_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        return bs_fail(err, BASIN_EUNSUPPORTED, "OpenBLAS cannot be loaded: %s",
                       why ? why : BS_BLAS_FILE);
    }
    return find_symbols(library, err);
}

#else

/* Another one was linked. */
static basin_status load(basin_error *err)
{
    (void)err;
    bs_blas = (bs_blas_table){
        .sgemm = cblas_sgemm,
        .sgemv = cblas_sgemv,
        .dgemm = cblas_dgemm,
        .dgemv = cblas_dgemv,
        .core = openblas_get_corename,
        .config = openblas_get_config,
        .parallel = openblas_get_parallel,
    };
    return BASIN_OK;
}

#endif

/* In a child the threads that held tickets are gone, and so are their buffers. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    atomic_store(&inside, 0);
    atomic_store(&buffers, 0);
    pthread_mutex_unlock(&lock);
}

basin_status bs_blas_load(basin_error *err)
{
    static bool  loaded;
    basin_status s = BASIN_OK;
    pthread_mutex_lock(&lock);
    if (!loaded) {
        s = load(err);
        loaded = !s;
        if (loaded)
            pthread_atfork(before_fork, in_parent, in_child);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

/* ---- tickets ---- */

/* Takes as many buffers as there are threads inside and releases them: from then on OpenBLAS has
 * that many. While they are held, threads that are inside already may need others instead. */
static bool make_buffers(int n)
{
    void *held[MOST_BUFFERS];
    if (!bs_can_map(BUFFER, n <= MOST_BUFFERS ? n : 1))
        return false;
    if (n <= MOST_BUFFERS && bs_blas.take_buffer && bs_blas.give_buffer) {
        for (int i = 0; i < n; i++)
            held[i] = bs_blas.take_buffer(0);
        for (int i = 0; i < n; i++)
            bs_blas.give_buffer(held[i]);
    }
    atomic_store(&buffers, n);
    return true;
}

bool bs_blas_enter(void)
{
    if (atomic_fetch_add(&inside, 1) < atomic_load(&buffers))
        return true;
    pthread_mutex_lock(&lock);
    const int  n = atomic_load(&inside);
    const bool ok = n <= atomic_load(&buffers) || make_buffers(n);
    if (!ok)
        atomic_fetch_sub(&inside, 1);
    pthread_mutex_unlock(&lock);
    return ok;
}

void bs_blas_leave(void)
{
    atomic_fetch_sub(&inside, 1);
}
