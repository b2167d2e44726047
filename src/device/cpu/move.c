/* move.c -- the same numbers elsewhere: slices, joins, transposes, picks.
 *
 * All of it is bound by memory. Pieces are blocks of the dimensions outside
 * the axis; a single block is a plain copy and stays serial. */
#include <string.h>

#include "device/cpu/kernel.h"

enum {
    WORK = 8192, /* elements moved in a piece */
    TILE = 32,   /* side of the squares in which a transpose goes: two of them fit in L1 */
};

/* Rows of this many elements that make a piece. */
static int64_t rows_per_piece(int64_t length)
{
    return length < WORK ? WORK / length : 1;
}

static void copy(real *out, const real *x, int64_t n)
{
    memcpy(out, x, (size_t)n * sizeof *out);
}

static void zero(real *out, int64_t n)
{
    memset(out, 0, (size_t)n * sizeof *out);
}

/* The result around the axis of attr[0]; its outer rows are what pieces are made of. */
static bs_axis_view out_view(const bs_call *c)
{
    return bs_around_axis(c->args.node->shape, c->args.node->attr[0]);
}

static void rows_measure(const bs_call *c, bs_work *w)
{
    bs_axis_view v = out_view(c);
    w->pieces = bs_divide_up(v.outer, rows_per_piece(v.n * v.inner));
    w->cost = (double)bs_shape_count(c->args.node->shape) * 0.1 + (double)v.outer * 6;
}

/* Outer rows [o, last) of pieces [begin, end). */
static int64_t rows_of(bs_axis_view v, int64_t begin, int64_t end, int64_t *last)
{
    int64_t per = rows_per_piece(v.n * v.inner);
    *last = end * per < v.outer ? end * per : v.outer;
    return begin * per;
}

/* ---- slice, pad, concat ---- */

static void slice_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_axis_view v = out_view(c);
    const int64_t      len = v.n * v.inner, start = c->args.node->attr[1] * v.inner;
    const int64_t      whole = c->args.in_shape[0].d[c->args.node->attr[0]] * v.inner;
    int64_t            last, o = rows_of(v, begin, end, &last);
    (void)scratch;
    for (; o < last; o++)
        copy((real *)c->args.out + o * len, (const real *)c->args.in[0] + o * whole + start, len);
}

const bs_kernel bs_kernel_slice = {.measure = rows_measure, .run = slice_run};

static void pad_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_axis_view v = out_view(c);
    const int64_t      total = v.n * v.inner, before = c->args.node->attr[1] * v.inner;
    const int64_t      len = c->args.in_shape[0].d[c->args.node->attr[0]] * v.inner;
    int64_t            last, o = rows_of(v, begin, end, &last);
    (void)scratch;
    for (; o < last; o++) {
        real *out = (real *)c->args.out + o * total;
        zero(out, before);
        copy(out + before, (const real *)c->args.in[0] + o * len, len);
        zero(out + before + len, total - before - len);
    }
}

const bs_kernel bs_kernel_pad = {.measure = rows_measure, .run = pad_run};

static void concat_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_axis_view v = out_view(c);
    const int64_t      left = c->args.in_shape[0].d[c->args.node->attr[0]] * v.inner;
    const int64_t      right = v.n * v.inner - left;
    int64_t            last, o = rows_of(v, begin, end, &last);
    (void)scratch;
    for (; o < last; o++) {
        real *out = (real *)c->args.out + o * (left + right);
        copy(out, (const real *)c->args.in[0] + o * left, left);
        copy(out + left, (const real *)c->args.in[1] + o * right, right);
    }
}

const bs_kernel bs_kernel_concat = {.measure = rows_measure, .run = concat_run};

/* ---- take, put ---- */

static void take_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_axis_view v = out_view(c);
    const int64_t      n = c->args.in_shape[0].d[c->args.node->attr[0]];
    int64_t            last, o = rows_of(v, begin, end, &last);
    (void)scratch;
    for (; o < last; o++) {
        const int32_t *index = (const int32_t *)c->args.in[1] + o * v.n * v.inner;
        const real    *x = (const real *)c->args.in[0] + o * n * v.inner;
        real          *out = (real *)c->args.out + o * v.n * v.inner;
        for (int64_t k = 0; k < v.n; k++)
            for (int64_t i = 0; i < v.inner; i++, index++)
                *out++ = *index >= 0 && *index < n ? x[*index * v.inner + i] : 0;
    }
}

const bs_kernel bs_kernel_take = {.measure = rows_measure, .run = take_run};

static void put_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_axis_view v = out_view(c);
    const int64_t      m = c->args.in_shape[0].d[c->args.node->attr[0]];
    int64_t            last, o = rows_of(v, begin, end, &last);
    (void)scratch;
    for (; o < last; o++) {
        const int32_t *index = (const int32_t *)c->args.in[1] + o * m * v.inner;
        const real    *x = (const real *)c->args.in[0] + o * m * v.inner;
        real          *out = (real *)c->args.out + o * v.n * v.inner;
        zero(out, v.n * v.inner);
        for (int64_t k = 0; k < m; k++)
            for (int64_t i = 0; i < v.inner; i++, index++, x++)
                if (*index >= 0 && *index < v.n)
                    out[*index * v.inner + i] += *x;
    }
}

const bs_kernel bs_kernel_put = {.measure = rows_measure, .run = put_run};

/* ---- permute ---- */

/* The operand's last dimension becomes dimension `fast` of the result. Either it stays the last,
 * and rows are copied, or squares of (fast, last) are transposed, for each of the other two. */
typedef struct {
    int     fast;
    int64_t size[4], in[4], out[4]; /* of the result's dimensions; strides */
    int     other[2];
    int64_t blocks; /* of dimension `fast` */
} permutation;

static permutation permutation_of(const bs_call *c)
{
    const bs_shape s = c->args.in_shape[0], t = c->args.node->shape;
    const int64_t  stride[4] = {(int64_t)s.d[1] * s.d[2] * s.d[3], (int64_t)s.d[2] * s.d[3], s.d[3],
                                1};
    permutation    p = {.other = {0, 1}};
    int64_t        out = 1;
    for (int i = 3; i >= 0; i--) {
        p.size[i] = t.d[i];
        p.in[i] = stride[c->args.node->attr[i]];
        p.out[i] = out;
        out *= t.d[i];
        if (c->args.node->attr[i] == 3)
            p.fast = i;
    }
    /* with the last one in its place its neighbour takes the part of `fast` */
    int across = p.fast == 3 ? 2 : p.fast;
    for (int i = 0, k = 0; i < 3; i++)
        if (i != across)
            p.other[k++] = i;
    p.blocks = bs_divide_up(p.size[across], TILE);
    return p;
}

static void permute_measure(const bs_call *c, bs_work *w)
{
    permutation p = permutation_of(c);
    w->pieces = p.size[p.other[0]] * p.size[p.other[1]] * p.blocks;
    w->cost = (double)bs_shape_count(c->args.node->shape) * (p.fast == 3 ? 0.15 : 0.6);
}

/* out[a][l] = x[l][a] for a below na, l below nl, with strides in elements */
static void transpose_block(real *out, int64_t out_stride, const real *x, int64_t in_stride,
                            int64_t na, int64_t nl)
{
    for (int64_t l0 = 0; l0 < nl; l0 += TILE) {
        int64_t l1 = l0 + TILE < nl ? l0 + TILE : nl;
        for (int64_t a = 0; a < na; a++)
            for (int64_t l = l0; l < l1; l++)
                out[a * out_stride + l] = x[l * in_stride + a];
    }
}

static void permute_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const permutation p = permutation_of(c);
    const int         across = p.fast == 3 ? 2 : p.fast;
    (void)scratch;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t i = piece / p.blocks / p.size[p.other[1]];
        int64_t j = piece / p.blocks % p.size[p.other[1]];
        int64_t a0 = piece % p.blocks * TILE;
        int64_t na = p.size[across] - a0 < TILE ? p.size[across] - a0 : TILE;
        real   *out = (real *)c->args.out + i * p.out[p.other[0]] + j * p.out[p.other[1]] +
                    a0 * p.out[across];
        const real *x = (const real *)c->args.in[0] + i * p.in[p.other[0]] + j * p.in[p.other[1]] +
                        a0 * p.in[across];
        if (p.fast == 3)
            for (int64_t a = 0; a < na; a++)
                copy(out + a * p.out[across], x + a * p.in[across], p.size[3]);
        else
            transpose_block(out, p.out[across], x, p.in[3], na, p.size[3]);
    }
}

const bs_kernel bs_kernel_permute = {.measure = permute_measure, .run = permute_run};
