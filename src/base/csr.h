/* csr.h -- a sparse matrix by rows: how data travels from files to matrix products. */
#ifndef BS_CSR_H
#define BS_CSR_H

#include <stdint.h>

/* The first of n rows that ends before it starts, or n. Of starts that never fall, each row lies
 * within what the last one promises: only then may a row of a foreign program be followed. */
static inline int32_t bs_csr_falls(const int32_t *start, int32_t n)
{
    int32_t i = 0;
    while (i < n && start[i + 1] >= start[i])
        i++;
    return i;
}

/* Borrowed memory. value == NULL means all ones. */
typedef struct {
    int32_t        rows, cols;
    const int32_t *start; /* [rows + 1]; row i is start[i] .. start[i + 1] of index and value */
    const int32_t *index; /* column numbers, increasing within a row */
    const float   *value;
} bs_csr;

#endif
