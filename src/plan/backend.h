/* backend.h -- what a device must offer. The CPU is the reference; another
 * device fits in by filling this table, without a change to graph or plan. */
#ifndef BS_BACKEND_H
#define BS_BACKEND_H

#include "plan/plan.h"

typedef struct bs_program bs_program;

/* Scratch memory shared by all programs of a model: as large as the largest
 * of them, since only one runs at a time. */
typedef struct bs_workspace bs_workspace;

/* Rules of the optimisers. m and v are state blocks laid out as the parameters. */
typedef enum { BS_UPDATE_SGD, BS_UPDATE_ADAM, BS_UPDATE_ADAMW } bs_update_rule;

typedef struct bs_update {
    bs_update_rule rule;
    double         rate, momentum, beta1, beta2, eps;
    double         scale;      /* of the gradient: clipping, averaging */
    int64_t        step;       /* from 1 */
    double         fix1, fix2; /* Adam's bias corrections 1 - beta^step; set by the backend */
} bs_update;

/* A range of a flat block with its own factors. */
typedef struct {
    int64_t offset, count;
    double  rate;  /* factor on the update's rate */
    double  decay; /* weight decay */
    const uint8_t
           *touched; /* NULL, or per row: 0 = the gradient there is zero and was not written */
    int64_t row;     /* elements a row */
} bs_span_update;

typedef struct {
    int threads; /* 0 = as many as the machine has */
} bs_backend_options;

typedef struct bs_backend {
    const char *name;

    basin_status (*workspace_new)(const bs_backend_options *o, bs_workspace **out,
                                  basin_error *err);
    void (*workspace_free)(bs_workspace *w);
    /* What last bits depend on beside the program: instruction set and library. */
    const char *(*arithmetic)(const bs_workspace *w);

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

    basin_status (*run)(bs_program *p, const bs_run *run, basin_error *err);
    /* The steps of one turn (bs_graph_turn, bs_graph_loop). Between turns no other program of the
     * workspace may run: what they share lies in its arena. */
    basin_status (*run_turn)(bs_program *p, const bs_run *run, int turn, basin_error *err);
    const void *(*result)(const bs_program *p, int i); /* valid until the next run */

    /* params, grads and states are flat blocks of the same layout. */
    void (*update)(bs_workspace *w, const bs_update *u, const bs_span_update *span, int n,
                   real *params, const real *grads, real *m, real *v);
    double (*square_sum)(bs_workspace *w, const bs_span_update *span, int n, const real *grads);
} bs_backend;

extern const bs_backend bs_backend_cpu;

#endif
