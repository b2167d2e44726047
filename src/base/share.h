/* share.h -- items of work that several processes divide among themselves, on machines that have
 * nothing in common but a folder.
 *
 * Every item has a folder of its own. A process claims the item by a lease: a file .lease-1 that is
 * made under another name and then linked, which succeeds for one process alone, over NFS as well.
 * Its owner changes it every few seconds. A lease is void if its owner ran on this machine and is
 * gone, or if it has not changed for a while by the clock of the process that looks: clocks of
 * different machines are not compared. Then .lease-2 may be linked, and so on; the highest number
 * counts. Leases are removed when the item is finished, and whoever gets one looks again whether it
 * is. So an item is worked on once, unless its worker is lost on the way. */
#ifndef BS_SHARE_H
#define BS_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"

typedef struct bs_share bs_share;

typedef struct {
    void *ctx;
    int   n; /* items, taken in this order */
    /* The rest is only called where work is shared; by one thread at a time. */
    void (*folder)(void *ctx, int item, char *path, size_t size);
    /* Whether somebody has finished it; its result is then taken over. */
    basin_status (*finished)(void *ctx, int item, bool *yes, basin_error *err);
    /* It has failed elsewhere, or cannot be claimed. */
    void (*failed)(void *ctx, int item, const basin_error *why);
    /* Said once: there is nothing to do here until others have finished, or are lost. */
    void (*waits)(void *ctx);
    const volatile int *stop;
} bs_items;

/* For tests; zero: the usual. machine: where flock() tells whether a process still exists. */
typedef struct {
    const char *machine;
    double      beat, stale, poll; /* seconds */
} bs_share_pace;

/* shared = false: items are only handed out, to the threads of this process. */
basin_status bs_share_new(const bs_items *work, bool shared, const bs_share_pace *pace,
                          bs_share **out, basin_error *err);
void         bs_share_free(bs_share *s); /* accepts NULL; releases what is held */

/* An item is finished already, before any is taken. */
void bs_share_known(bs_share *s, int item);
/* The next item for the calling thread, which must leave it; -1: nothing is left to do, here or
 * elsewhere, or a stop was asked for. Waits while others work on what is left. */
int bs_share_take(bs_share *s);
/* Becomes nonzero when somebody else has taken the item over: this process was believed dead. */
const volatile int *bs_share_lost(const bs_share *s, int item);
/* why: NULL, or with BASIN_EINTERRUPTED: somebody else may continue; else it failed for good. If
 * the item was lost, it is looked at again. */
void bs_share_leave(bs_share *s, int item, bool finished, const basin_error *why);

/* A file that the first process writes; others read what it wrote. Up to size - 1 bytes. */
basin_status bs_share_first(const char *folder, const char *name, const char *text, char *theirs,
                            size_t size, basin_error *err);

#endif
