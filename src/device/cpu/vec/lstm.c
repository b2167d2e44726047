/* lstm.c -- the gates of an LSTM step, forward and backward, for one sequence.
 *
 * Rows are cut into blocks of LANES and the last block is moved back so that it ends at the row's
 * end: an H of 100 would otherwise leave four elements to scalar code, which costs as
 * much as four blocks. Elements of the overlap are computed twice, from the same operands. */
#include "device/cpu/vec.h"
#include "graph/vecmath.h"

enum { LANES = 16 };

typedef struct {
    const real *z, *before; /* before is NULL or [H] */
    real       *h, *c, *i, *f, *u, *o;
    int         H;
} cell;

/* A call left in the loop would end its vectorisation, hence the attribute. */
static inline __attribute__((always_inline)) void forward_at(const cell *a, int j, real before)
{
    real i = bs_vsigmoid(a->z[j]), f = bs_vsigmoid(a->z[a->H + j]);
    real u = bs_vtanh(a->z[2 * a->H + j]), o = bs_vsigmoid(a->z[3 * a->H + j]);
    real c = f * before + i * u;
    a->i[j] = i;
    a->f[j] = f;
    a->u[j] = u;
    a->o[j] = o;
    a->c[j] = c;
    a->h[j] = o * bs_vtanh(c);
}

/* n is LANES or, in rows shorter than that, H */
static inline void forward_block(cell a, int start, int n)
{
    if (a.before) {
#pragma omp simd
        for (int j = start; j < start + n; j++)
            forward_at(&a, j, a.before[j]);
    } else {
#pragma omp simd
        for (int j = start; j < start + n; j++)
            forward_at(&a, j, 0);
    }
}

static void forward(const real *z, const real *before, real *h, real *c, real *i, real *f, real *u,
                    real *o, int H)
{
    const cell a = {z, before, h, c, i, f, u, o, H};
    int        j = 0;
    for (; j + LANES <= H; j += LANES)
        forward_block(a, j, LANES);
    if (j < H && H < LANES)
        forward_block(a, 0, H);
    else if (j < H)
        forward_block(a, H - LANES, LANES);
}

typedef struct {
    const real *dh, *before, *c, *i, *f, *u, *o;
    real       *dc, *dz;
    int         H;
} cell_back;

static inline __attribute__((always_inline)) void backward_at(const cell_back *a, int j,
                                                              real before)
{
    real i = a->i[j], f = a->f[j], u = a->u[j], o = a->o[j], dh = a->dh[j];
    real tc = bs_vtanh(a->c[j]);
    real d = a->dc[j] + dh * o * (1 - tc * tc);
    a->dz[j] = d * u * i * (1 - i);
    a->dz[a->H + j] = d * before * f * (1 - f);
    a->dz[2 * a->H + j] = d * i * (1 - u * u);
    a->dz[3 * a->H + j] = dh * tc * o * (1 - o);
    a->dc[j] = d * f;
}

static inline void backward_block(cell_back a, int start, int n)
{
    if (a.before) {
#pragma omp simd
        for (int j = start; j < start + n; j++)
            backward_at(&a, j, a.before[j]);
    } else {
#pragma omp simd
        for (int j = start; j < start + n; j++)
            backward_at(&a, j, 0);
    }
}

static void backward(const real *dh, real *dc, const real *before, const real *c, const real *i,
                     const real *f, const real *u, const real *o, real *dz, int H)
{
    const cell_back a = {dh, before, c, i, f, u, o, dc, dz, H};
    real            last[LANES]; /* dc is read and written: the overlap needs its old values */
    int             j = 0;
    if (H >= LANES)
        memcpy(last, dc + H - LANES, sizeof last);
    for (; j + LANES <= H; j += LANES)
        backward_block(a, j, LANES);
    if (j < H && H < LANES) {
        backward_block(a, 0, H);
    } else if (j < H) {
        memcpy(dc + H - LANES, last, sizeof last);
        backward_block(a, H - LANES, LANES);
    }
}

const bs_vec_lstm BS_V(bs_vec_lstm) = {forward, backward};
