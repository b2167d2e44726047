/* kernel.h -- how the CPU backend runs one step.
 *
 * A kernel cuts its work into numbered pieces whose borders depend on shapes
 * alone; threads take ranges of pieces. Pieces write disjoint outputs and sum
 * in an order of their own, so results never depend on the number of threads.
 * A new fast kernel is a file here and a line in kernels.def; the op's plain eval
 * stays as the reference it is tested against. */
#ifndef BS_KERNEL_H
#define BS_KERNEL_H

#include "device/cpu/vec.h"
#include "plan/plan.h"

typedef struct bs_call bs_call;

typedef struct {
    int64_t pieces;  /* 1 = serial */
    double  cost;    /* rough nanoseconds of all pieces together on one thread */
    size_t  scratch; /* bytes each thread needs while running a piece */
} bs_work;

typedef struct {
    void (*measure)(const bs_call *c, bs_work *w); /* shapes are known, pointers are not */
    void (*run)(const bs_call *c, int64_t begin, int64_t end, void *scratch);
    /* NULL, or whether only few threads can share one of this size, so that it pays to run another
     * of the op at the same time (pair.c). in: shapes of the operands. */
    bool (*hard_to_share)(const bs_node *n, const bs_shape in[4]);
} bs_kernel;

/* How an operand of a fused group is read at a tile of the output. Dimensions
 * that behave alike are merged; stride 0 = repeated. */
typedef struct {
    int     rank; /* 0: one element; 1: as the output */
    int64_t size[4], stride[4];
} bs_loader;

struct bs_call {
    bs_args          args;
    const bs_kernel *kernel; /* NULL: the op's eval, in one piece */
    const bs_vec    *vec;
    bool             apart; /* of a program with BS_PLAN_APART */
    bs_work          work;
    /* fused groups only */
    int              n_micro, n_operands;
    const bs_micro  *micro;
    const bs_loader *loader;                     /* [n_operands] */
    const void      *operand[BS_GROUP_OPERANDS]; /* resolved */
};

static inline int64_t bs_divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* NULL where only the plain kernel exists. */
const bs_kernel       *bs_kernel_of(bs_op_id op);
extern const bs_kernel bs_kernel_group;

#endif
