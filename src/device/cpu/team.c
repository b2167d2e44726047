/* team.c -- how threads share the calls of a program.
 *
 * A run is one OpenMP region. Every thread walks the sections in order. A shared
 * call is cut into one share per thread; a thread does its own share, then any
 * that nobody has begun, and goes on when all shares are finished. So nobody
 * waits for a thread, only for work that is under way, until the end of the
 * region, where OpenMP waits for all. Who does a share never changes its result. */
#include <omp.h>
#include <sched.h>

#include "base/log.h"
#include "base/threads.h"
#include "device/cpu/dense.h"
#include "device/cpu/program.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    SPINS = 2000, /* some ten microseconds, before the core is given away */
    GRACE = 200,  /* before another thread does what is the first one's by custom */
};

bs_thread_mode bs_enter_kernels(void)
{
    bs_thread_mode old = {.threads = omp_get_max_threads()};
    omp_set_num_threads(1); /* of this thread's libraries: BLAS and oneDNN */
#if defined(__x86_64__)
    old.csr = _mm_getcsr();
    _mm_setcsr(old.csr | 0x8040);
#endif
    bs_products_begin();
    return old;
}

bool bs_leave_kernels(bs_thread_mode old)
{
    omp_set_num_threads(old.threads);
#if defined(__x86_64__)
    _mm_setcsr(old.csr);
#endif
    /* last: handlers that waited begin here, with the settings of the caller */
    return bs_products_end();
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

void bs_run_pieces(const bs_cpu_program *p, int i, int64_t begin, int64_t end, int thread)
{
    const bs_call *c = &p->call[i];
    char *scratch = (char *)bs_cpu_data(p->w->scratch) + (size_t)thread * p->w->scratch_bytes;
    if (begin >= end)
        return;
    if (c->kernel)
        c->kernel->run(c, begin, end, scratch);
    else
        bs_ops[c->args.node->op]->eval(&c->args);
}

/* Pieces are counted over all calls of the section. */
static void run_share(const bs_cpu_program *p, const bs_section *s, int share, int shares,
                      int thread)
{
    int64_t all = 0, before = 0;
    for (int i = s->first; i <= s->last; i++)
        all += p->call[i].work.pieces;
    const int64_t begin = all * share / shares, end = all * (share + 1) / shares;
    for (int i = s->first; i <= s->last; i++) {
        const int64_t pieces = p->call[i].work.pieces;
        const int64_t from = begin - before, to = end - before;
        bs_run_pieces(p, i, from > 0 ? from : 0, to < pieces ? to : pieces, thread);
        before += pieces;
    }
}

static bool finished(bs_section *s, int shares)
{
    return atomic_load_explicit(&s->done, memory_order_acquire) == shares;
}

/* True when the share was free and is ours now. */
static bool claim(bs_section *s, int share)
{
    const uint64_t bit = UINT64_C(1) << share;
    if (atomic_load_explicit(&s->claimed, memory_order_relaxed) & bit)
        return false;
    return !(atomic_fetch_or_explicit(&s->claimed, bit, memory_order_acq_rel) & bit);
}

static void work_on(bs_cpu_program *p, bs_section *s, int me, int team)
{
    const int shares = s->shared ? team : 1;
    /* small work stays with the first thread, whose cache has it, unless that one is away */
    for (int i = 0; !s->shared && me > 0 && i < GRACE && !finished(s, shares); i++)
        pause_briefly();
    for (int k = 0; k < shares; k++) {
        int share = (me + k) % shares;
        if (!claim(s, share))
            continue;
        run_share(p, s, share, shares, me);
        atomic_fetch_add_explicit(&s->done, 1, memory_order_release);
    }
    for (int i = 0; !finished(s, shares); i++)
        if (i < SPINS)
            pause_briefly();
        else
            sched_yield();
}

static bool run_alone(bs_cpu_program *p, const bs_turn *t)
{
    bs_thread_mode old = bs_enter_kernels();
    for (int i = t->first; i < t->end; i++)
        bs_run_pieces(p, i, 0, p->call[i].work.pieces, 0);
    return bs_leave_kernels(old);
}

static bool run_shared(bs_cpu_program *p, const bs_turn *t, int threads)
{
    atomic_bool ok = true;
    for (int i = t->first_section; i < t->end_section; i++) {
        atomic_store_explicit(&p->section[i].claimed, 0, memory_order_relaxed);
        atomic_store_explicit(&p->section[i].done, 0, memory_order_relaxed);
    }
#pragma omp parallel num_threads(threads)
    {
        const int      me = omp_get_thread_num(), team = omp_get_num_threads();
        bs_thread_mode old = bs_enter_kernels();
        for (int i = t->first_section; i < t->end_section; i++)
            work_on(p, &p->section[i], me, team);
        if (!bs_leave_kernels(old))
            atomic_store_explicit(&ok, false, memory_order_relaxed);
    }
    return ok;
}

bool bs_run_calls(bs_cpu_program *p, const bs_turn *t)
{
    const int threads = t->parallel ? bs_team(p->w->threads) : 1;
    if (threads == 1)
        return run_alone(p, t);
    double     start = bs_seconds();
    const bool alone = bs_choice_alone(&p->w->run_choice, t->cost);
    const bool ok = alone ? run_alone(p, t) : run_shared(p, t, threads);
    bs_choice_report(&p->w->run_choice, (bs_seconds() - start) / t->cost);
    return ok;
}
