/* conv.h -- what the files of the convolution kernels share. Internal to cpu/. */
#ifndef BS_CPU_CONV_H
#define BS_CPU_CONV_H

#include "device/cpu/kernel.h"

/* The arithmetic on vectors of channels, with output channels in panels of PANEL. */
enum { BS_CONV_PANEL = 32, BS_CONV_DEPTH = 64 };
typedef struct {
    /* dst[j ldd + i] = src[i lds + j] for i < rows, j < cols; or added */
    void (*transpose)(real *dst, int64_t ldd, const real *src, int64_t lds, int rows, int cols,
                      bool add);

    /* few.c. y[p] for p < n, and some beyond: the sum over q < k of w[q] x[offset[q] + p]. */
    void (*shifted)(real *y, const real *x, const int32_t *offset, const real *w, int n, int k);
    /* dw[q] for q < k: adds the sum over p < n of dy[p] x[offset[q] + p]; dy is zero and x finite
     * for as many p beyond as fill a vector. */
    void (*dots)(real *dw, const real *x, const int32_t *offset, const real *dy, int k, int n);

    /* winograd.c; see vec/conv.c for the matrices. n is a multiple of 16; `point` is the
     * distance between the 36 points of a transformed tile. */
    /* 6x6 pixels to 36 points */
    void (*input)(real *dst, int64_t point, const real *src, int64_t row, int64_t col, int n);
    /* 36 points to 4x4 pixels */
    void (*output)(real *dst, int64_t row, int64_t col, const real *src, int64_t point, int n);
    /* 4x4 pixels to 36 points, the adjoint of output */
    void (*output_t)(real *dst, int64_t point, const real *src, int64_t row, int64_t col, int n);
    /* 3x3 taps to 36 points; a tap may be NULL for zeros */
    void (*weights)(real *dst, int64_t point, const real *const tap[9], int n);
    /* its adjoint: 36 points to 9 taps, PANEL apart */
    void (*weights_t)(real *dst, const real *src, int64_t point, int n);
    /* c [rows, PANEL] (+)= a [rows, k] b [k, PANEL]; rows of a are DEPTH apart */
    void (*product)(real *c, const real *a, const real *b, int rows, int k, bool add);
    /* c [rows, PANEL] (+)= a' b with a [k, rows], rows of a PANEL apart */
    void (*product_t)(real *c, const real *a, const real *b, int rows, int k, bool add);
} bs_vec_conv;

/* The next part of a block of scratch, of which *used bytes are taken; with base NULL only the sum
 * is of interest. */
static inline void *bs_conv_take(size_t *used, char *base, size_t bytes)
{
    char *at = base ? base + *used : NULL;
    *used += (bytes + BS_ALIGN - 1) / BS_ALIGN * BS_ALIGN;
    return at;
}

/* The set that belongs to the call's. */
const bs_vec_conv *bs_vec_conv_of(const bs_vec *vec);

/* Other ways than that of conv.c, best first. False: not for these shapes. */
typedef enum { BS_CONV_Y, BS_CONV_DX, BS_CONV_DW } bs_conv_kind;
bool bs_winograd_measure(const bs_call *c, bs_conv_kind kind, bs_work *w);
bool bs_winograd_run(const bs_call *c, bs_conv_kind kind, int64_t begin, int64_t end,
                     void *scratch);
bool bs_examples_measure(const bs_call *c, bs_conv_kind kind, bs_work *w);
bool bs_examples_run(const bs_call *c, bs_conv_kind kind, int64_t begin, int64_t end,
                     void *scratch);

#endif
