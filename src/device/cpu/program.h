/* program.h -- a plan made executable on the CPU. Internal to cpu/. */
#ifndef BS_CPU_PROGRAM_H
#define BS_CPU_PROGRAM_H

#include <stdatomic.h>

#include "device/cpu/kernel.h"
#include "device/device.h"

/* A stretch of calls that is done as one: a single shared call, two that run at the same time and
 * are shared together, or a run of calls that are not worth sharing. */
typedef struct {
    int              first, last; /* calls first .. last */
    bool             shared;
    _Atomic uint64_t claimed; /* bit k: somebody does share k */
    atomic_int       done;    /* shares that are finished */
} bs_section;

/* Whether sharing pays now. On a machine whose cores are busy with other work,
 * waiting for a thread that has lost its core costs milliseconds a run; results
 * are the same bits either way, so the faster way is found by trying: now and
 * then a few runs are done the other way and compared. Times are per unit of
 * estimated work, so that programs of all sizes count together. */
typedef struct {
    bool   alone;    /* the way that is in use */
    int    left;     /* runs until the other way is tried */
    int    interval; /* between two trials; grows while they bring nothing */
    int    trial;    /* runs left of a trial */
    double spent[2]; /* seconds of the runs counted: the way in use, the trial */
    int    runs[2];
} bs_choice;

typedef struct {
    bs_workspace  head;
    bs_choice     run_choice, update_choice;
    int           threads;
    const bs_vec *vec;
    char          arithmetic[96]; /* instruction set, libraries */
    bs_buffer    *arena;          /* shared by all programs */
    bs_buffer    *scratch;        /* [threads][scratch_bytes] */
    size_t        scratch_bytes;
    uint64_t      generation; /* grows whenever the memory moves */
    bool          profile;    /* BASIN_PROFILE=1 */
    bool          check_nan;  /* BASIN_DEBUG=nan */
} bs_cpu;

/* What is run at a time (bs_graph_turn); of programs of one turn the others are empty. */
typedef struct {
    int    first, end;                 /* calls first .. end - 1 */
    int    first_section, end_section; /* and their sections */
    bool   parallel;                   /* some call is worth more than one thread */
    double cost;                       /* estimated nanoseconds on one thread */
} bs_turn;

/* Where a pointer of a call comes from, so that it can be set anew. */
typedef struct {
    void  *slot; /* address of a pointer, const or not: written with memcpy */
    bs_loc loc;
} bs_patch;

typedef struct {
    double seconds;
    long   calls;
} bs_timing;

typedef struct {
    bs_program     head;
    bs_arena       arena;
    bs_cpu        *w;
    bs_call       *call;          /* [n] */
    bs_step       *step;          /* [n], node, label and dead spans of the plan's steps */
    bool          *row_sparse;    /* [n] a gradient that may be written by rows */
    bs_patch      *fixed, *bound; /* arena, parameters and gradients / inputs */
    bs_operand    *result;
    bs_id         *input;
    const void   **input_data; /* [n_inputs] */
    bs_section    *section;    /* [n_sections] */
    bs_timing     *timing;     /* [n] when profiling */
    int            n, n_fixed, n_bound, n_results, n_inputs, n_sections;
    bs_turn        turn[BS_TURNS];
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
} bs_cpu_program;

typedef struct {
    bs_buffer head;
    void     *data;
} bs_cpu_buffer;

/* Where it lies; NULL for none. */
static inline void *bs_cpu_data(const bs_buffer *b)
{
    return b ? ((const bs_cpu_buffer *)b)->data : NULL;
}

/* memory.c: bs_device.alloc and so on */
basin_status bs_cpu_alloc(const bs_device *d, size_t bytes, bool zero, bs_buffer **out,
                          basin_error *err);
void         bs_cpu_free(bs_buffer *b);
basin_status bs_cpu_map(const bs_buffer *b, size_t at, size_t bytes, bs_access access, void **out,
                        basin_error *err);
void   bs_cpu_unmap(const bs_buffer *b, size_t at, size_t bytes, bs_access access, void *mapped);
void   bs_cpu_copy(bs_buffer *to, int64_t to_at, const bs_buffer *from, int64_t from_at, int64_t n);
void   bs_cpu_fill(bs_buffer *b, int64_t at, int64_t n, double value);
void   bs_cpu_axpby(const bs_range *range, int n, double b, bs_buffer *y, double a,
                    const bs_buffer *x);
double bs_cpu_dot(const bs_range *range, int n, const bs_buffer *x, const bs_buffer *y);

/* update.c: bs_device.update */
void bs_cpu_update(bs_workspace *base, const bs_update *rule, const bs_span_update *span, int n,
                   const bs_blocks *b, bs_buffer *log, int64_t at);

/* Makes the workspace at least this large. */
basin_status bs_cpu_reserve(bs_cpu *w, size_t arena, size_t scratch, basin_error *err);

/* compile.c */
basin_status bs_cpu_compile(bs_workspace *base, const bs_plan *plan, bs_program **out,
                            basin_error *err);
void         bs_cpu_program_free(bs_program *base);

/* pair.c: puts steps that may run at the same time next to each other */
void bs_cpu_pair_steps(const bs_analysis *a, bs_plan *p, bs_id *step_store, bs_id **operand_ids);

/* choice.c */
bool bs_choice_alone(bs_choice *c, double cost);     /* how to do the next run, of so many ns */
void bs_choice_report(bs_choice *c, double seconds); /* how long it took */

/* What a thread's settings were before it ran kernels: subnormal numbers are flushed (they
 * cost a hundred times more than others and mean nothing here), libraries stay on one thread.
 * Signals wait until the end, from the first product by oneDNN on. */
typedef struct {
    unsigned csr;
    int      threads;
} bs_thread_mode;
bs_thread_mode bs_enter_kernels(void);
bool           bs_leave_kernels(bs_thread_mode old); /* false: memory ran out in a product */

/* team.c: all calls of a turn, by as many threads as the workspace has and the work is worth */
bool bs_run_calls(bs_cpu_program *p, const bs_turn *t); /* false: out of memory */
void bs_run_pieces(const bs_cpu_program *p, int i, int64_t begin, int64_t end, int thread);

/* profile.c: where the time went, by label, when the program is freed */
void bs_profile_print(const bs_cpu_program *p);

#endif
