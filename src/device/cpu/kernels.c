/* kernels.c -- the table of fast kernels. An op that is not in it runs its plain eval. */
#include "device/cpu/kernel.h"

#define KERNEL(op) extern const bs_kernel bs_kernel_##op;
#include "device/cpu/kernels.def"
#undef KERNEL

const bs_kernel *bs_kernel_of(bs_op_id op)
{
    static const bs_kernel *const table[BS_OP_COUNT] = {
#define KERNEL(op) [BS_OP_##op] = &bs_kernel_##op,
#include "device/cpu/kernels.def"
#undef KERNEL
    };
    return table[op];
}
