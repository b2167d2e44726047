/* program.h -- a plan made executable on the CPU. Internal to cpu/. */
#ifndef BS_CPU_PROGRAM_H
#define BS_CPU_PROGRAM_H

#include <stdatomic.h>

#include "cpu/kernel.h"
#include "plan/backend.h"

/* Where the threads of a run wait for each other. A short spin covers the usual
 * case; then the core is given away, since on a busy machine the thread waited
 * for may need it. (libgomp's own barrier spins for up to milliseconds.) */
typedef struct {
    _Alignas(BS_ALIGN) atomic_int arrived;
    _Alignas(BS_ALIGN) atomic_int phase;
} bs_barrier;

struct bs_workspace {
    bs_barrier    barrier;
    int           threads;
    const bs_vec *vec;
    char         *arena;   /* [arena_bytes], shared by all programs */
    char         *scratch; /* [threads][scratch_bytes] */
    size_t        arena_bytes, scratch_bytes;
    uint64_t      generation; /* grows whenever the memory moves */
    bool          profile;    /* BASIN_PROFILE=1 */
    bool          check_nan;  /* BASIN_DEBUG=nan */
};

/* Where a pointer of a call comes from, so that it can be set anew. */
typedef struct {
    void  *slot; /* address of a pointer, const or not: written with memcpy */
    bs_loc loc;
} bs_patch;

typedef struct {
    double seconds;
    long   calls;
} bs_timing;

struct bs_program {
    bs_arena       arena;
    bs_workspace  *w;
    bs_call       *call;          /* [n] */
    bs_step       *step;          /* [n], node, label and dead spans of the plan's steps */
    bool          *row_sparse;    /* [n] a gradient that may be written by rows */
    bs_patch      *fixed, *bound; /* arena, parameters and gradients / inputs */
    bs_operand    *result;
    bs_id         *input;
    const void   **input_data; /* [n_inputs] */
    bs_timing     *timing;     /* [n] when profiling */
    int            n, n_fixed, n_bound, n_results, n_inputs;
    bool           parallel; /* some call is worth more than one thread */
    const real    *params;
    real          *grads;
    const int64_t *offset;
    struct {
        uint8_t *row; /* all ones before each run: this program writes every row */
        size_t   n;
    } * dense; /* [n_dense] */
    int      n_dense;
    uint64_t generation; /* of the workspace the pointers belong to; 0 = set them anew */
    bs_run   run;
};

/* Makes the workspace at least this large. */
basin_status bs_workspace_reserve(bs_workspace *w, size_t arena, size_t scratch, basin_error *err);

/* compile.c */
basin_status bs_cpu_compile(bs_workspace *w, const bs_plan *plan, bs_program **out,
                            basin_error *err);
void         bs_cpu_program_free(bs_program *p);

/* profile.c: where the time went, by label, when the program is freed */
void bs_profile_print(const bs_program *p);

#endif
