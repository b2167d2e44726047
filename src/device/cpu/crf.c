/* crf.c -- forward-backward over linear chains. A piece is a sentence; a thread prepares the
 * transitions once for all its sentences. */
#include <string.h>

#include "device/cpu/crf.h"

static void *take(size_t *used, char *base, size_t bytes)
{
    void *at = base ? base + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return at;
}

/* Places in scratch; returns the bytes that takes, also when base is NULL. */
static size_t lay_out(int N, bool back, char *base, bs_crf *c)
{
    *c = (bs_crf){.N = N, .P = (N + BS_CRF_BLOCK - 1) / BS_CRF_BLOCK * BS_CRF_BLOCK};
    const size_t line = (size_t)c->P * sizeof(real), table = (size_t)N * line;
    size_t       used = 0;
    real       **lines[] = {&c->start, &c->end, &c->col, &c->row, &c->u,
                            &c->x,     &c->g,   &c->e,   &c->s,   &c->m};
    real       **forward[] = {&c->w, &c->by_col};
    real       **posterior[] = {&c->w, &c->wt, &c->by_row, &c->by_row_t, &c->count};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        *lines[i] = take(&used, base, line);
    for (int i = 0; i < (back ? 5 : 2); i++)
        *(back ? posterior : forward)[i] = take(&used, base, table);
    if (back) {
        c->total = take(&used, base, (size_t)N * (size_t)c->P * sizeof *c->total);
        c->rare = take(&used, base, (size_t)N * (size_t)c->P * sizeof *c->rare);
    }
    return used;
}

static void measure(bs_shape unary, bool back, bs_work *w)
{
    bs_crf c;
    w->pieces = unary.d[1];
    w->scratch = lay_out(unary.d[3], back, NULL, &c);
    double pairs = (double)c.N * c.P; /* measured from 9 to 60 tags */
    w->cost = (double)unary.d[1] * unary.d[2] * (back ? 150 + 0.11 * pairs : 75 + 0.04 * pairs);
}

static int length_of(const int32_t *len, int64_t b, int T)
{
    return len[b] < 0 ? 0 : len[b] > T ? T : len[b];
}

/* crf_forward: operands unary, transition, len --------------------------------------- */

static void forward_measure(const bs_call *c, bs_work *w)
{
    measure(c->args.in_shape[0], false, w);
}

static void forward_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_shape s = c->args.in_shape[0];
    const int      B = s.d[1], T = s.d[2], N = s.d[3];
    const real    *unary = c->args.in[0];
    real          *log_z = c->args.out, *a = log_z + B;
    bs_crf         crf;
    lay_out(N, false, scratch, &crf);
    c->vec->crf->prepare(&crf, c->args.in[1], false);
    for (int64_t b = begin; b < end; b++) {
        const int64_t at = b * T * N, L = length_of(c->args.in[2], b, T);
        log_z[b] = L ? (real)c->vec->crf->forward(&crf, unary + at, (int)L, a + at) : 0;
        memset(a + at + L * N, 0, (size_t)((T - L) * N) * sizeof *a);
    }
}

const bs_kernel bs_kernel_crf_forward = {.measure = forward_measure, .run = forward_run};

/* crf_posterior: operands forward, unary, transition, len ------------------------------- */

static void posterior_measure(const bs_call *c, bs_work *w)
{
    measure(c->args.in_shape[1], true, w);
}

static void posterior_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_shape s = c->args.in_shape[1];
    const int      B = s.d[1], T = s.d[2], N = s.d[3];
    const int64_t  M = N + 1;
    const real    *a = (const real *)c->args.in[0] + B, *unary = c->args.in[1];
    real          *token = c->args.out, *pair = token + (int64_t)B * T * N;
    bs_crf         crf;
    lay_out(N, true, scratch, &crf);
    c->vec->crf->prepare(&crf, c->args.in[2], true);
    for (int64_t b = begin; b < end; b++) {
        const int64_t at = b * T * N, L = length_of(c->args.in[3], b, T);
        if (L)
            c->vec->crf->posterior(&crf, unary + at, a + at, (int)L, token + at, pair + b * M * M);
        else
            memset(pair + b * M * M, 0, (size_t)(M * M) * sizeof *pair);
        memset(token + at + L * N, 0, (size_t)((T - L) * N) * sizeof *token);
    }
}

const bs_kernel bs_kernel_crf_posterior = {.measure = posterior_measure, .run = posterior_run};
