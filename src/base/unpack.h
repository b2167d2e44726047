/* unpack.h -- the compressed half of base/io.h, for input.c only. */
#ifndef BS_UNPACK_H
#define BS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* read(2) that waits and restarts after signals; -1 with errno on failure. */
ssize_t bs_fd_read(int fd, void *dst, size_t n);

/* The compression whose signature the bytes begin with ("gzip"), or NULL.
 * *undecided = true when more bytes could still change the answer. */
const char *bs_unpack_kind(const void *bytes, size_t n, bool *undecided);

/* Unpacks `first` and then the rest of fd. Takes `first` (a bs_alloc block of `room` bytes, n of
 * them read), also on failure; borrows name. */
typedef struct bs_unpack bs_unpack;

basin_status bs_unpack_open(const char *name, int fd, char *first, size_t n, size_t room,
                            bs_unpack **out, basin_error *err);
void         bs_unpack_limit(bs_unpack *u, int mb); /* as bs_input_limit */
/* *got = 0 only at the end. */
basin_status bs_unpack_read(bs_unpack *u, void *dst, size_t n, size_t *got, basin_error *err);
void         bs_unpack_close(bs_unpack *u); /* accepts NULL; leaves fd open */

#endif
