/* signals.c -- handlers stay away from a thread while it multiplies by oneDNN. See signals.h. */
#include "device/cpu/signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system call itself, since the library's function leaves out two signals of its own (of
 * pthread_cancel and of setuid), whose handlers do the same harm. */
uint64_t bs_signals_block(void)
{
    /* what a thread does wrong itself is told at once, as is abort() */
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    uint64_t         set = UINT64_MAX, before = 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        set &= ~(UINT64_C(1) << (own[i] - 1));
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &before, sizeof before);
    return before;
}

void bs_signals_restore(uint64_t before)
{
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}
