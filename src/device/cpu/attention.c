/* attention.c -- self-attention within packed documents (graph/op_attention.c).
 *
 * A piece is one head of one document. Its columns are copied together first, keys and, on the way
 * back, values also transposed, so that all products run along whole vectors. Queries go by TILE at
 * a time against all keys: their weights stay in the second-level cache and never reach memory. */
#include <math.h>
#include <string.h>

#include "device/cpu/kernel.h"

enum { TILE = 48, STEP = 16 };

/* Where a thread has its copies; lines of weights and of transposed columns are `room` long, a
 * multiple of STEP, with zeros past the end. */
typedef struct {
    int   n, width, room;
    real *q, *k, *v, *dy; /* [n, width]; q is scaled */
    real *kt, *vt;        /* [width, room] */
    real *p, *ds;         /* [TILE, room] */
    real *dq, *dk, *dv;   /* [n, width] */
} head;

static int longest_of(const bs_call *c)
{
    const int most = c->args.node->attr[1], rows = c->args.in_shape[0].d[2];
    return most > 0 && most < rows ? most : rows;
}

static int room_for(int n)
{
    return (n + STEP - 1) / STEP * STEP;
}

static int width_of(const bs_call *c)
{
    return c->args.in_shape[0].d[3] / 3 / c->args.node->attr[0];
}

static int documents(const bs_call *c)
{
    return c->args.in_shape[1].d[3] - 1;
}

/* matrices: of [n, width] that are needed, transposed ones included; tiles of weights */
static void measure(const bs_call *c, int matrices, int tiles, double products, bs_work *w)
{
    const int64_t room = room_for(longest_of(c)), width = width_of(c);
    const double  rows = c->args.in_shape[0].d[2];
    w->pieces = (int64_t)documents(c) * c->args.node->attr[0];
    w->scratch = (size_t)(room * width * matrices + room * TILE * tiles) * sizeof(real);
    w->cost = rows * rows / documents(c) * (double)c->args.in_shape[0].d[3] * products * 0.01;
}

static real *take(real **at, int64_t n)
{
    real *here = *at;
    *at += n;
    return here;
}

/* Copies the columns of head h of document b; false if it is empty. A document that is longer than
 * it may be is cut: its memory was measured. */
static bool open_head(const bs_call *c, int b, int h, bool back, real *scratch, head *t)
{
    const bs_vec_attention *v = c->vec->attention;
    const int32_t          *start = c->args.in[1];
    const int     width = width_of(c), longest = longest_of(c), n = start[b + 1] - start[b];
    const int64_t d = c->args.in_shape[0].d[3] / 3, size = (int64_t)longest * width;
    const real   *x = (const real *)c->args.in[0] + start[b] * 3 * d + h * width;
    *t = (head){.n = n < longest ? n : longest, .width = width};
    t->room = room_for(t->n);
    t->q = take(&scratch, size);
    t->v = take(&scratch, size);
    t->kt = take(&scratch, (int64_t)room_for(longest) * width);
    t->p = take(&scratch, (int64_t)room_for(longest) * TILE);
    if (back) {
        t->k = take(&scratch, size);
        t->dy = take(&scratch, size);
        t->vt = take(&scratch, (int64_t)room_for(longest) * width);
        t->ds = take(&scratch, (int64_t)room_for(longest) * TILE);
        t->dq = take(&scratch, size);
        t->dk = take(&scratch, size);
        t->dv = take(&scratch, size);
    } else {
        t->k = t->v; /* until they are transposed */
    }
    if (t->n <= 0)
        return false;
    v->take(t->q, x, 3 * d, t->n, width, (real)(1 / sqrt((double)width)));
    v->take(t->k, x + d, 3 * d, t->n, width, 1);
    v->transpose(t->kt, t->k, t->n, width, t->room);
    v->take(t->v, x + 2 * d, 3 * d, t->n, width, 1);
    return true;
}

/* p = the weights of rows i .. i + m. */
static void weights(const bs_call *c, const head *t, int i, int m)
{
    c->vec->attention->product(&(bs_product){.m = m,
                                             .n = t->room,
                                             .k = t->width,
                                             .a = t->q + (int64_t)i * t->width,
                                             .outer = t->width,
                                             .inner = 1,
                                             .b = t->kt,
                                             .ldb = t->room,
                                             .c = t->p,
                                             .ldc = t->room});
    for (int r = 0; r < m; r++)
        c->vec->reduce->softmax(t->p + r * t->room, t->p + r * t->room, t->n);
}

/* Rows after the last document, in the columns of a head. */
static void clear_rest(const bs_call *c, int64_t columns, int64_t at, int width)
{
    const int32_t *start = c->args.in[1];
    for (int64_t i = start[documents(c)]; i < c->args.in_shape[0].d[2]; i++)
        memset((real *)c->args.out + i * columns + at, 0, (size_t)width * sizeof(real));
}

/* ---- attention: operands qkv, start ---- */

static void forward_measure(const bs_call *c, bs_work *w)
{
    measure(c, 3, 1, 1.5, w);
}

static void forward_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int      heads = c->args.node->attr[0], width = width_of(c);
    const int64_t  d = c->args.node->shape.d[3];
    const int32_t *start = c->args.in[1];
    head           t;
    for (int64_t piece = begin; piece < end; piece++) {
        const int b = (int)(piece / heads), h = (int)(piece % heads);
        real     *out = (real *)c->args.out + start[b] * d + h * width;
        if (b == documents(c) - 1)
            clear_rest(c, d, h * width, width);
        if (!open_head(c, b, h, false, scratch, &t))
            continue;
        for (int i = 0; i < t.n; i += TILE) {
            const int m = t.n - i < TILE ? t.n - i : TILE;
            weights(c, &t, i, m);
            c->vec->attention->product(&(bs_product){.m = m,
                                                     .n = width,
                                                     .k = t.n,
                                                     .a = t.p,
                                                     .outer = t.room,
                                                     .inner = 1,
                                                     .b = t.v,
                                                     .ldb = width,
                                                     .c = out + i * d,
                                                     .ldc = d});
        }
    }
}

const bs_kernel bs_kernel_attention = {.measure = forward_measure, .run = forward_run};

/* ---- attention_back: operands qkv, start, dy ---- */

static void back_measure(const bs_call *c, bs_work *w)
{
    measure(c, 9, 2, 4, w);
}

/* p: weights of rows i .. i + m; ds = p (dy v' - their weighted mean). */
static void tile_back(const bs_call *c, const head *t, int i, int m)
{
    const bs_vec_attention *v = c->vec->attention;
    const int64_t           w = t->width, room = t->room;
    const real             *dy = t->dy + i * w;
    weights(c, t, i, m);
    v->product(&(bs_product){m, t->room, t->width, dy, w, 1, t->vt, room, t->ds, room, false});
    v->product(&(bs_product){t->n, t->width, m, t->p, 1, room, dy, w, t->dv, w, i > 0});
    for (int r = 0; r < m; r++) {
        real      *p = t->p + r * room, *ds = t->ds + r * room;
        const real mean = c->vec->reduce->dot(p, ds, t->n);
        v->slope(ds, p, mean, t->n);
    }
    v->product(&(bs_product){m, t->width, t->n, t->ds, room, 1, t->k, w, t->dq + i * w, w, false});
    v->product(&(bs_product){t->n, t->width, m, t->ds, 1, room, t->q + i * w, w, t->dk, w, i > 0});
}

static void back_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int      heads = c->args.node->attr[0], width = width_of(c);
    const int64_t  d = c->args.in_shape[0].d[3] / 3;
    const int32_t *start = c->args.in[1];
    head           t;

    const bs_vec_attention *v = c->vec->attention;
    for (int64_t piece = begin; piece < end; piece++) {
        const int   b = (int)(piece / heads), h = (int)(piece % heads);
        const real *dy = (const real *)c->args.in[2] + start[b] * d + h * width;
        real       *out = (real *)c->args.out + start[b] * 3 * d + h * width;
        for (int part = 0; part < 3 && b == documents(c) - 1; part++)
            clear_rest(c, 3 * d, part * d + h * width, width);
        if (!open_head(c, b, h, true, scratch, &t))
            continue;
        v->take(t.dy, dy, d, t.n, width, 1);
        v->transpose(t.vt, t.v, t.n, width, t.room);
        for (int i = 0; i < t.n; i += TILE)
            tile_back(c, &t, i, t.n - i < TILE ? t.n - i : TILE);
        v->put(out, 3 * d, t.dq, t.n, width, (real)(1 / sqrt((double)width)));
        v->put(out + d, 3 * d, t.dk, t.n, width, 1);
        v->put(out + 2 * d, 3 * d, t.dv, t.n, width, 1);
    }
}

const bs_kernel bs_kernel_attention_back = {.measure = back_measure, .run = back_run};
