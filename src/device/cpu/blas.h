/* blas.h -- OpenBLAS: loaded by the first workspace, and never asked for memory that is not there.
 * Internal to cpu/, and for basin_doctor.
 *
 * It takes buffers of 128 MiB of address space: one for each core as soon as it is loaded, and one
 * for each thread that is inside of it. When it gets none it tries again for ever. So it is not
 * linked but loaded, when something is to be computed, after a look whether what it takes can be
 * had; and a thread that is to call it takes a ticket, for which there is a buffer. */
#ifndef BS_CPU_BLAS_H
#define BS_CPU_BLAS_H

#include <cblas.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

typedef struct {
    __typeof__(cblas_sgemm)           *sgemm;
    __typeof__(cblas_sgemv)           *sgemv;
    __typeof__(cblas_dgemm)           *dgemm;
    __typeof__(cblas_dgemv)           *dgemv;
    __typeof__(openblas_get_corename) *core;
    __typeof__(openblas_get_config)   *config;
    __typeof__(openblas_get_parallel) *parallel;
    void *(*take_buffer)(int); /* NULL where the library does not show these */
    void (*give_buffer)(void *);
} bs_blas_table;

/* Empty until bs_blas_load has succeeded; the same from then on. */
extern bs_blas_table bs_blas;

/* Whether n blocks of so many bytes can be had now, n up to BS_MOST_THREADS + 1. One by one: a
 * system that refuses a block larger than its memory grants as much in pieces. */
bool bs_can_map(size_t bytes, int n);

basin_status bs_blas_load(basin_error *err);

/* False when there is no buffer for one more thread. A ticket is given back by bs_blas_leave. */
bool bs_blas_enter(void);
void bs_blas_leave(void);

#endif
