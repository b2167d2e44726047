/* threads.h -- how many threads may work. */
#ifndef BS_THREADS_H
#define BS_THREADS_H

/* The most that are used, and the most that may be asked for. */
enum { BS_MOST_THREADS = 64, BS_ASKED_THREADS = 1024 };

/* Meaning of a requested number: 0 = one per core. Returns 1 to BS_MOST_THREADS. */
int bs_threads(int asked);

/* How many threads, of those wanted, a parallel region may have now: 1 where OpenMP would wait for
 * ever (in a child forked while the process had several threads, which do not exist there) or end
 * the process (when no further thread can start). */
int bs_team(int threads);

#endif
