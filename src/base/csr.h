/* csr.h -- a sparse matrix by rows: how data travels from files to matrix products. */
#ifndef BS_CSR_H
#define BS_CSR_H

#include <stdint.h>

/* Borrowed memory. value == NULL means all ones. */
typedef struct {
    int32_t        rows, cols;
    const int32_t *start; /* [rows + 1]; row i is start[i] .. start[i + 1] of index and value */
    const int32_t *index; /* column numbers, increasing within a row */
    const float   *value;
} bs_csr;

#endif
