/* kernels.c -- the fast kernels. An op that is not here runs its plain eval. */
#include "cpu/kernel.h"

#define KERNELS(K)                                                                           \
    K(matmul)                                                                                \
    K(spmm) K(spmm_t) K(gather) K(scatter) K(bits_sample) K(bits_matmul) K(bits_matmul_t)    \
        K(bits_dot) K(bits_dot_t) K(slice) K(pad) K(concat) K(permute) K(take) K(put) K(sum_to) K(argmax) K(logsumexp) K(softmax) K(log_softmax) \
            K(conv) K(conv_dx) K(conv_dw) K(pool_index) K(lstm_cells) K(lstm_back)

#define DECLARE(op) extern const bs_kernel bs_kernel_##op;
KERNELS(DECLARE)

const bs_kernel *bs_kernel_of(bs_op_id op)
{
#define ENTRY(op) [BS_OP_##op] = &bs_kernel_##op,
    static const bs_kernel *const table[BS_OP_COUNT] = {KERNELS(ENTRY)};
    return table[op];
}
