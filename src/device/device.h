/* device.h -- what a device must offer. The CPU is the reference; another device fills in this
 * table, with no change to graph or plan.
 *
 * To add one: a const bs_device bs_device_NAME in a folder of its own, and its line in
 * devices.def. */
#ifndef BS_DEVICE_H
#define BS_DEVICE_H

#include "plan/plan.h"

typedef struct bs_device bs_device;

/* Scratch memory shared by all programs of a model: as large as the largest needs, since only one
 * runs at a time. Devices append their own members. */
typedef struct {
    const bs_device *device;
} bs_workspace;

typedef struct {
    const bs_device *device;
} bs_program;

/* Rules of the optimisers. m and v are state blocks laid out as the parameters. */
typedef enum { BS_UPDATE_SGD, BS_UPDATE_ADAM, BS_UPDATE_ADAMW } bs_update_rule;

typedef struct bs_update {
    bs_update_rule rule;
    double         rate, momentum, beta1, beta2, eps;
    double         scale;      /* of the gradient: clipping, averaging */
    int64_t        step;       /* from 1 */
    double         fix1, fix2; /* Adam's bias corrections 1 - beta^step; set by the device */
} bs_update;

/* A range of a flat block with its own factors. */
typedef struct {
    int64_t offset, count;
    double  rate;   /* factor on the update's rate */
    double  decay;  /* weight decay */
    double  follow; /* > 0: instead of applying the rule, subtract this share of the gradient, or 1
                       / step if that is larger */
    const uint8_t
           *touched; /* NULL, or per row: 0 = the gradient there is zero and was not written */
    int64_t row;     /* elements a row */
} bs_span_update;

struct bs_device {
    const char *name, *help;

    basin_status (*open)(const bs_device *d, int threads, bs_workspace **out, basin_error *err);
    void (*close)(bs_workspace *w);
    /* What last bits depend on beside the program: instruction set and library. */
    const char *(*arithmetic)(const bs_workspace *w);

    /* bs_plan_make; may be NULL. */
    bs_order_fn order;
    /* Copies what it needs of the plan. */
    basin_status (*compile)(bs_workspace *w, const bs_plan *plan, bs_program **out,
                            basin_error *err);
    void (*program_free)(bs_program *p);

    /* Addresses of what lives outside; borrowed until the next call. An input is
     * real*, int32_t* or bs_csr*. offset[s] is where segment s starts, in elements. */
    void (*bind_input)(bs_program *p, bs_id input, const void *data);
    void (*bind_params)(bs_program *p, const real *params, real *grads, const int64_t *offset);
    /* touched[s] is NULL or one byte a row of segment s. A gradient that is made by one
     * sparse product only then leaves untouched rows unwritten, and marks the others. */
    void (*bind_touched)(bs_program *p, uint8_t *const *touched);
    bool (*is_row_sparse)(const bs_program *p, int segment);

    /* The steps of one turn (bs_graph_turn, bs_graph_loop), or BS_ALL_TURNS. Between turns no other
     * program of the workspace may run: shared values lie in its arena. */
    basin_status (*run)(bs_program *p, const bs_run *run, int turn, basin_error *err);
    const void *(*result)(const bs_program *p, int i); /* valid until the next run */

    /* params, grads and states are flat blocks of the same layout. */
    void (*update)(bs_workspace *w, const bs_update *u, const bs_span_update *span, int n,
                   real *params, const real *grads, real *m, real *v);
    double (*square_sum)(bs_workspace *w, const bs_span_update *span, int n, const real *grads);
};

enum { BS_ALL_TURNS = -1 };

extern const bs_device *const bs_devices[]; /* ends with NULL; the first is the default */

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

static inline void bs_bind_params(bs_program *p, const real *params, real *grads,
                                  const int64_t *offset)
{
    p->device->bind_params(p, params, grads, offset);
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

static inline const void *bs_program_result(const bs_program *p, int i)
{
    return p->device->result(p, i);
}

#endif
