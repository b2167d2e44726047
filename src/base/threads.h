/* threads.h -- how many threads may work. */
#ifndef BS_THREADS_H
#define BS_THREADS_H

/* What is used at most, and what may be asked for at most. */
enum { BS_MOST_THREADS = 64, BS_ASKED_THREADS = 1024 };

/* What a number of threads means: 0 = one for each core. From 1 to BS_MOST_THREADS. */
int bs_threads(int asked);

/* How many a parallel region that begins now may have, of so many: 1 where OpenMP would wait for
 * ever (in a child that was forked while the process had several threads: they do not exist there)
 * or end the process (when no further thread can be started). */
int bs_team(int threads);

#endif
