/* plan.h -- from a graph to a list of steps with places for their values.
 *
 * A plan is independent of hardware. It decides which nodes become steps, which are folded into
 * fused groups or views, and where each value lives: offsets in one arena, or an address bound from
 * outside. Backends turn it into kernels. Each optimisation can be switched off without changing
 * results. */
#ifndef BS_PLAN_H
#define BS_PLAN_H

#include "graph/op.h"

enum {
    BS_PLAN_NO_FUSE = 1,        /* every elementwise node is a step of its own */
    BS_PLAN_NO_REUSE = 2,       /* no slot is used twice */
    BS_PLAN_NO_INPLACE = 4,     /* no step writes over its operand */
    BS_PLAN_NO_VIEWS = 8,       /* reshape, stop and leading slices are copied */
    BS_PLAN_NO_ACCUMULATE = 16, /* sums of products are added, not accumulated (rounds
                                   differently) */
    BS_PLAN_NO_PAIRS = 32,      /* steps stay in order, one after another */
    BS_PLAN_APART = 64,         /* a row of a product has the same bits whatever rows are beside it
                                   and however many: for scores (rounds differently) */
};

/* What a program computes: a value to fetch, or the gradient of a parameter, written to that
 * segment of the gradient block. */
typedef struct {
    bs_id id;
    int   segment; /* -1: fetch */
} bs_result;

typedef enum { BS_AT_ARENA, BS_AT_INPUT, BS_AT_PARAM, BS_AT_GRAD } bs_place;

typedef struct {
    bs_place place;
    int32_t  index;  /* which input or segment */
    int64_t  offset; /* bytes from its start */
} bs_loc;

typedef struct {
    bs_loc   loc;
    bs_shape shape;
    bs_type  type;
} bs_operand;

/* One operation of a fused group. Sources >= 0 are registers, < 0 are
 * operand -1 - src of the step. Generated leaves have no sources. */
typedef struct {
    uint16_t op;
    int8_t   dst, src[3];
    int32_t  attr;
    double   value[2];
} bs_micro;

enum { BS_GROUP_MICRO = 48, BS_GROUP_OPERANDS = 12, BS_GROUP_REGISTERS = 64 };

typedef struct {
    int64_t offset, bytes;
} bs_stretch;

typedef struct {
    bs_node           node; /* the op whose kernel runs; for a group, its root */
    const char       *label;
    bs_loc            out;
    bool              accumulate;
    bool              may_overlap; /* may run at the same time as the step before it */
    int               n_in, n_micro, n_dead;
    const bs_operand *in;    /* [n_in] */
    const bs_micro   *micro; /* [n_micro]; 0 = not a group; the last one writes out */
    const bs_stretch *dead;  /* [n_dead] parts of the arena whose value is not needed after this
                               step */
} bs_step;

typedef struct {
    bs_arena    arena;
    bs_step    *step;   /* [n_steps] */
    bs_operand *result; /* [n_results], where to find each result */
    bs_id      *input;  /* [n_inputs] ids of the inputs used */
    int         n_steps, n_results, n_inputs;
    int         turn[BS_TURNS + 1]; /* those of turn k are turn[k] .. turn[k + 1] - 1 */
    bool        apart;              /* BS_PLAN_APART */
    size_t      bytes;              /* of the arena */
    size_t      total_bytes;        /* what it would be without reuse */
} bs_plan;

/* A device may reorder independent steps before they are given places, and mark which of them may
 * overlap the one before: analysis.h has what is known by then. step_store[i] is what step i
 * writes, operand_ids[i] what it reads. */
typedef struct bs_analysis bs_analysis;
typedef void (*bs_order_fn)(const bs_analysis *a, bs_plan *p, bs_id *step_store,
                            bs_id **operand_ids);

/* order may be NULL. The steps of a turn need nothing from a later one; its gradients are complete
 * after it, and values that later turns need are kept (in a loop, for all rounds). On success
 * release *out with bs_plan_free. The graph is not needed afterwards. */
basin_status bs_plan_make(const bs_graph *g, const bs_result *results, int n, unsigned flags,
                          bs_order_fn order, bs_plan **out, basin_error *err);
void         bs_plan_free(bs_plan *p);
void         bs_plan_text(const bs_plan *p, bs_buf *out); /* one line a step */

#endif
