/* sparse.c -- products with a sparse matrix, and rows of a table by index.
 *
 * Forward, an output row is a sum of rows of w. Backward, an output row d is a
 * sum of rows of dy: the batch is turned around first, by a linked list for
 * each d in the order of the rows, and every row of the gradient is then
 * summed in registers and written once. Adding row by row into memory instead
 * takes more than twice as long (bibtex shape, 162 us against 70).
 *
 * Backward, pieces are rows of the gradient. A row is summed in the same order
 * whoever does it, so the borders may follow the data: they are set such that
 * pieces hold about the same number of nonzeros, and every piece finds the
 * same borders by counting them, about 1 ns each. */
#include <string.h>

#include "device/cpu/kernel.h"

enum {
    PIECES = 64,     /* of a gradient */
    ENTRIES = 32768, /* turned around at a time, bounds the scratch memory */
    RUN = 64,        /* rows summed in one call */
};

/* ---- spmm ---- */

/* The nonzeros are not known yet: 100 a row, or all of a narrow matrix. */
static double guess_nonzeros(bs_shape x)
{
    return (double)x.d[2] * (x.d[3] < 100 ? x.d[3] : 100);
}

static void spmm_measure(const bs_call *c, bs_work *w)
{
    w->pieces = c->args.node->shape.d[2];
    w->cost = guess_nonzeros(c->args.in_shape[0]) * (2 + 0.045 * c->args.node->shape.d[3]);
}

static void spmm_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_csr *x = c->args.in[0];
    const int64_t H = c->args.node->shape.d[3];
    (void)scratch;
    for (int64_t i = begin; i < end && i < x->rows; i++) {
        int32_t k = x->start[i];
        c->vec->sparse->gather_rows((real *)c->args.out + i * H, c->args.in[1], H, 0, H,
                                    x->index + k, x->value ? x->value + k : NULL,
                                    x->start[i + 1] - k, c->args.accumulate);
    }
}

const bs_kernel bs_kernel_spmm = {.measure = spmm_measure, .run = spmm_run};

/* ---- turning a batch around ---- */

/* The rows of dy that belong to each row d of the gradient, for some of the entries. */
typedef struct {
    const bs_call *c;
    const real    *dy;
    int64_t        D, H;
    int64_t        d0, d1;     /* rows to be written */
    int32_t       *head;       /* [D] first entry of a list, or -1; before that, entries of d */
    int32_t       *next, *row; /* [entries]; row of dy */
    uint8_t       *written;    /* [D] in this run */
} inverse;

/* As many entries are turned around at a time. */
static int64_t chunk_of(int64_t entries)
{
    return entries < ENTRIES ? entries : ENTRIES;
}

static int64_t pieces_of(int64_t D)
{
    return D < PIECES ? D : PIECES;
}

static void transposed_measure(const bs_call *c, bs_work *w, double entries, int64_t most)
{
    const int64_t D = c->args.node->shape.d[2], H = c->args.node->shape.d[3];
    w->pieces = pieces_of(D);
    w->cost = entries * (4 + 0.045 * (double)H) + (double)D * (2 + 0.04 * (double)H);
    w->scratch = (size_t)D * (sizeof(int32_t) + 1) + (size_t)chunk_of(most) * 2 * sizeof(int32_t);
}

/* Counts start at zero, for all rows. */
static inverse inverse_make(const bs_call *c, const real *dy, int64_t most, void *scratch)
{
    inverse v = {.c = c, .dy = dy, .D = c->args.node->shape.d[2], .H = c->args.node->shape.d[3]};
    v.d1 = v.D;
    v.head = scratch;
    v.next = v.head + v.D;
    v.row = v.next + chunk_of(most);
    v.written = (uint8_t *)(v.row + chunk_of(most));
    memset(v.head, 0, (size_t)v.D * sizeof *v.head);
    memset(v.written, 0, (size_t)v.D);
    return v;
}

static bool zeroes_rows(const inverse *v)
{
    return !v->c->args.touched && !v->c->args.accumulate;
}

/* From the counts: a row is in the piece in which its share of all work begins. A row that gets
 * nothing costs half a sum if it must be zeroed. */
static void find_borders(inverse *v, int64_t begin, int64_t end, int64_t entries)
{
    const int64_t row = zeroes_rows(v) ? 8 : 1, entry = 16;
    const int64_t total = entry * entries + row * v->D, pieces = pieces_of(v->D);
    const int64_t from = total * begin / pieces, to = total * end / pieces;
    int64_t       sum = 0, d = 0;
    for (; d < v->D && sum < from; d++)
        sum += row + entry * v->head[d];
    for (v->d0 = d; d < v->D && sum < to; d++)
        sum += row + entry * v->head[d];
    v->d1 = d;
}

static void forget(inverse *v)
{
    memset(v->head + v->d0, 0xff, (size_t)(v->d1 - v->d0) * sizeof *v->head);
}

/* Lists are built from their ends. */
static inline void push(inverse *v, int64_t entry, int32_t d, int64_t row)
{
    if (d < v->d0 || d >= v->d1)
        return;
    v->row[entry] = (int32_t)row;
    v->next[entry] = v->head[d];
    v->head[d] = (int32_t)entry;
}

static void sum_list(inverse *v, int64_t d, const float *value)
{
    int32_t index[RUN];
    float   factor[RUN];
    bool    add = v->c->args.accumulate || v->written[d];
    for (int32_t e = v->head[d]; e >= 0; add = true) {
        int n = 0;
        for (; e >= 0 && n < RUN; e = v->next[e], n++) {
            index[n] = v->row[e];
            factor[n] = value ? value[e] : 1;
        }
        v->c->vec->sparse->gather_rows((real *)v->c->args.out + d * v->H, v->dy, v->H, 0, v->H,
                                       index, value ? factor : NULL, n, add);
    }
    v->written[d] = 1;
}

/* Adds what the lists hold; value[entry], or NULL = ones. The last time, rows that got nothing
 * are zeroed, unless only those written are asked for. */
static void sum_lists(inverse *v, const float *value, bool last)
{
    const bool zero = last && zeroes_rows(v);
    for (int64_t d = v->d0; d < v->d1; d++)
        if (v->head[d] >= 0)
            sum_list(v, d, value);
        else if (zero && !v->written[d])
            memset((real *)v->c->args.out + d * v->H, 0, (size_t)v->H * sizeof(real));
}

/* Tells which rows are valid now. Added to a whole value all of them are. */
static void report(const inverse *v)
{
    const bs_args *a = &v->c->args;
    size_t         n = (size_t)(v->d1 - v->d0);
    if (a->touched && a->accumulate)
        memset(a->touched + v->d0, 1, n);
    else if (a->touched)
        memcpy(a->touched + v->d0, v->written + v->d0, n);
}

/* ---- spmm_t ---- */

static int64_t spmm_t_most(const bs_call *c)
{
    return (int64_t)c->args.in_shape[0].d[2] * c->args.in_shape[0].d[3];
}

static void spmm_t_measure(const bs_call *c, bs_work *w)
{
    transposed_measure(c, w, guess_nonzeros(c->args.in_shape[0]), spmm_t_most(c));
}

static void spmm_t_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_csr *x = c->args.in[0];
    const int64_t most = spmm_t_most(c), step = chunk_of(most), n = x->start[x->rows];
    inverse       v = inverse_make(c, c->args.in[1], most, scratch);
    int32_t       row = 0;
    for (int64_t k = x->start[0]; k < n; k++)
        v.head[x->index[k]]++;
    find_borders(&v, begin, end, n - x->start[0]);
    for (int64_t k0 = x->start[0]; k0 == x->start[0] || k0 < n; k0 += step) {
        int64_t k1 = k0 + step < n ? k0 + step : n;
        forget(&v);
        while (row < x->rows && x->start[row] < k1)
            row++;
        for (int64_t k = k1 - 1, i = row - 1; k >= k0; k--) {
            while (x->start[i] > k)
                i--;
            push(&v, k - k0, x->index[k], i);
        }
        sum_lists(&v, x->value ? x->value + k0 : NULL, k1 == n);
    }
    report(&v);
}

const bs_kernel bs_kernel_spmm_t = {.measure = spmm_t_measure, .run = spmm_t_run};

/* ---- scatter ---- */

static void scatter_measure(const bs_call *c, bs_work *w)
{
    int64_t n = bs_shape_count(c->args.in_shape[1]);
    transposed_measure(c, w, (double)n, n);
}

static void scatter_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int32_t *index = c->args.in[1];
    const int64_t  n = bs_shape_count(c->args.in_shape[1]), step = chunk_of(n);
    inverse        v = inverse_make(c, c->args.in[0], n, scratch);
    int64_t        entries = 0;
    for (int64_t k = 0; k < n; k++)
        if (index[k] >= 0 && index[k] < v.D) {
            v.head[index[k]]++;
            entries++;
        }
    find_borders(&v, begin, end, entries);
    for (int64_t k0 = 0; k0 < n; k0 += step) {
        int64_t k1 = k0 + step < n ? k0 + step : n;
        forget(&v);
        for (int64_t k = k1 - 1; k >= k0; k--)
            push(&v, k - k0, index[k], k);
        sum_lists(&v, NULL, k1 == n);
    }
    report(&v);
}

const bs_kernel bs_kernel_scatter = {.measure = scatter_measure, .run = scatter_run};

/* ---- gather ---- */

/* Rows in a piece: some 16 KiB. */
static int64_t gather_rows_per_piece(int64_t D)
{
    return D < 4096 ? 4096 / D : 1;
}

static void gather_measure(const bs_call *c, bs_work *w)
{
    const int64_t n = bs_shape_count(c->args.in_shape[1]), D = c->args.in_shape[0].d[3];
    w->pieces = bs_divide_up(n, gather_rows_per_piece(D));
    w->cost = (double)n * (5 + 0.08 * (double)D);
}

static void gather_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int64_t  V = c->args.in_shape[0].d[2], D = c->args.in_shape[0].d[3];
    const int64_t  n = bs_shape_count(c->args.in_shape[1]), per = gather_rows_per_piece(D);
    const int32_t *index = c->args.in[1];
    real          *out = c->args.out;
    (void)scratch;
    for (int64_t i = begin * per; i < end * per && i < n; i++)
        if (index[i] >= 0 && index[i] < V)
            memcpy(out + i * D, (const real *)c->args.in[0] + index[i] * D,
                   (size_t)D * sizeof(real));
        else
            memset(out + i * D, 0, (size_t)D * sizeof(real));
}

const bs_kernel bs_kernel_gather = {.measure = gather_measure, .run = gather_run};
