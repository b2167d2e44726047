/* device.h -- what a device must offer. The CPU is the reference; another device fills in this
 * table, with no change to graph or plan.
 *
 * To add one: a const bs_device bs_device_NAME in a folder of its own, and its line in
 * devices.def. */
#ifndef BS_DEVICE_H
#define BS_DEVICE_H

#include "plan/plan.h"

typedef struct bs_device bs_device;

/* Memory of a device. The host sees it through bs_map alone. */
typedef struct {
    const bs_device *device;
    size_t           bytes;
} bs_buffer;

/* Scratch memory shared by all programs of a model: as large as the largest
 * of them, since only one runs at a time. Devices put their own members behind these. */
typedef struct {
    const bs_device *device;
} bs_workspace;

typedef struct {
    const bs_device *device;
} bs_program;

/* Flat blocks of one layout: parameters, their gradients, the optimiser's two states; and a byte
 * for each row of parameters, which says whether a gradient was written there. */
typedef struct {
    bs_buffer *value, *grad, *m, *v, *touched;
} bs_blocks;

/* Elements of a block; a multiple of BS_RANGE_STEP, and padding is zero in every vector. */
typedef struct {
    int64_t offset, count;
} bs_range;

enum { BS_RANGE_STEP = 8 };

/* Rules of the optimisers. m and v are state blocks laid out as the parameters. */
typedef enum { BS_UPDATE_SGD, BS_UPDATE_ADAM, BS_UPDATE_ADAMW } bs_update_rule;

typedef struct bs_update {
    bs_update_rule rule;
    double         rate, momentum, beta1, beta2, eps;
    double         clip;       /* largest norm of the gradient; 0: any */
    bool           measure;    /* the norm is wanted though nothing is clipped */
    int64_t        step;       /* from 1 */
    double         scale;      /* of the gradient, and ... */
    double         fix1, fix2; /* ... Adam's bias corrections 1 - beta^step: set by the device */
} bs_update;

/* A range of the blocks with its own factors. */
typedef struct {
    int64_t offset, count;
    double  rate;    /* factor on the update's rate */
    double  decay;   /* weight decay */
    double  follow;  /* > 0: instead of the rule, subtract this share of the gradient, or 1 / step
                      * where that is more */
    int64_t touched; /* -1, or where its rows begin in that block: 0 there = the gradient is zero
                      * and was not written */
    int64_t row;     /* elements a row */
} bs_span_update;

typedef enum { BS_READ = 1, BS_WRITE = 2, BS_READ_WRITE = 3 } bs_access;

/* What returns no status and fails all the same is told by the next call that returns one. Calls
 * take effect in the order in which they are made. */
struct bs_device {
    const char *name, *help;

    basin_status (*open)(const bs_device *d, int threads, bs_workspace **out, basin_error *err);
    void (*close)(bs_workspace *w);
    /* What last bits depend on beside the program: instruction set and library. */
    const char *(*arithmetic)(const bs_workspace *w);

    /* ---- memory ---- */

    basin_status (*alloc)(const bs_device *d, size_t bytes, bool zero, bs_buffer **out,
                          basin_error *err);
    void (*free)(bs_buffer *b);
    /* Bytes as the host may touch them until unmap: the memory itself, or a copy, which is
     * downloaded to be read and, if it was to be written, uploaded by unmap. So what is mapped only
     * to be written is written whole, and until then nothing else is done with the buffer. */
    basin_status (*map)(const bs_buffer *b, size_t at, size_t bytes, bs_access access, void **out,
                        basin_error *err);
    void (*unmap)(const bs_buffer *b, size_t at, size_t bytes, bs_access access, void *mapped);
    /* Reals: to[to_at + i] <- from[from_at + i]; b[at + i] <- value. */
    void (*copy)(bs_buffer *to, int64_t to_at, const bs_buffer *from, int64_t from_at, int64_t n);
    void (*fill)(bs_buffer *b, int64_t at, int64_t n, double value);
    /* y <- b y + a x over the ranges. What has the factor 0 is not read, and x may be NULL. */
    void (*axpby)(const bs_range *range, int n, double b, bs_buffer *y, double a,
                  const bs_buffer *x);
    /* The sum of x y over the ranges, always in the same order. */
    double (*dot)(const bs_range *range, int n, const bs_buffer *x, const bs_buffer *y);

    /* ---- programs ---- */

    /* bs_plan_make; may be NULL. */
    bs_order_fn order;
    /* Copies what it needs of the plan. */
    basin_status (*compile)(bs_workspace *w, const bs_plan *plan, bs_program **out,
                            basin_error *err);
    void (*program_free)(bs_program *p);

    /* What lives outside, borrowed until it is bound anew. An input is reals of a buffer, or memory
     * of the host (real*, int32_t* or bs_csr*), which a device reads in each run or copies when it
     * is bound: what has changed must be bound again. offset[s] is where segment s starts, in
     * elements; blocks without a gradient will do for programs that make none. */
    void (*bind_input)(bs_program *p, bs_id input, const void *data);
    void (*bind_buffer)(bs_program *p, bs_id input, const bs_buffer *b, int64_t at);
    void (*bind_params)(bs_program *p, const bs_buffer *value, bs_buffer *grad,
                        const int64_t *offset);
    /* Rows of segment s are touched[row[s]] and so on. A gradient that is made by one sparse
     * product only then leaves untouched rows unwritten, and marks the others. */
    void (*bind_touched)(bs_program *p, bs_buffer *touched, const int64_t *row);
    bool (*is_row_sparse)(const bs_program *p, int segment);

    /* The steps of one turn (bs_graph_turn, bs_graph_loop), or BS_ALL_TURNS. Between turns no other
     * program of the workspace may run: shared values lie in its arena. */
    basin_status (*run)(bs_program *p, const bs_run *run, int turn, basin_error *err);
    /* Result i for the host. It waits for the run, and downloads. Like the two below it is called,
     * and what it gives is valid, until the workspace runs a program again or this one is freed. */
    basin_status (*fetch)(bs_program *p, int i, const void **out, basin_error *err);
    /* Result i, reals, to a buffer; and n results of one real each, as doubles, to a log. */
    void (*copy_result)(bs_program *p, int i, bs_buffer *to, int64_t at);
    void (*note)(bs_program *p, int first, int n, bs_buffer *log, int64_t at);

    /* A step of an optimiser. The norm of the gradient, if it is made (clip, measure), goes to
     * log[at], a double; where it is not finite nothing is changed. */
    void (*update)(bs_workspace *w, const bs_update *u, const bs_span_update *span, int n,
                   const bs_blocks *b, bs_buffer *log, int64_t at);
};

enum { BS_ALL_TURNS = -1 };

extern const bs_device *const bs_devices[]; /* ends with NULL; the first, the default, has memory of
                                             * the host: what is mapped stays valid */

/* By name; NULL: the default. The error for an unknown one lists them. */
basin_status bs_device_find(const char *name, const bs_device **out, basin_error *err);

/* Where programs run. */
typedef struct {
    const char *device;  /* NULL: the default */
    int         threads; /* 0 = as many as the machine has */
} bs_machine;

basin_status bs_workspace_open(bs_machine where, bs_workspace **out, basin_error *err);
void         bs_workspace_close(bs_workspace *w); /* accepts NULL */

/* A program for the results of a graph; flags are those of bs_plan_make. */
basin_status bs_program_make(bs_workspace *w, const bs_graph *g, const bs_result *results, int n,
                             unsigned flags, bs_program **out, basin_error *err);
void         bs_program_free(bs_program *p); /* accepts NULL */

static inline void bs_bind_input(bs_program *p, bs_id input, const void *data)
{
    p->device->bind_input(p, input, data);
}

static inline const char *bs_arithmetic(const bs_workspace *w)
{
    return w->device->arithmetic(w);
}

static inline basin_status bs_program_run(bs_program *p, const bs_run *run, basin_error *err)
{
    return p->device->run(p, run, BS_ALL_TURNS, err);
}

static inline basin_status bs_program_turn(bs_program *p, const bs_run *run, int turn,
                                           basin_error *err)
{
    return p->device->run(p, run, turn, err);
}

/* A result of reals. */
basin_status bs_fetch(bs_program *p, int i, const real **out, basin_error *err);

/* ---- memory ---- */

basin_status bs_buffer_new(const bs_device *d, int64_t reals, bool zero, bs_buffer **out,
                           basin_error *err);
void         bs_buffer_free(bs_buffer *b); /* accepts NULL */

/* Reals at .. at + n for the host, until they are unmapped. */
basin_status bs_map(const bs_buffer *b, int64_t at, int64_t n, bs_access access, real **out,
                    basin_error *err);
void         bs_unmap(const bs_buffer *b, int64_t at, int64_t n, bs_access access, real *mapped);

#endif
