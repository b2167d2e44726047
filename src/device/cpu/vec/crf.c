/* crf.c -- forward-backward for one sentence of a linear chain, tags across vector lanes.
 *
 * Messages are logarithms, shifted at every position so that their maximum is 0; what was
 * subtracted is summed in double. A step from position to position is a product of N x N:
 *
 *   forward:   s_j = sum_i e^(a_i) e^(w_ij - col_j),     a'_j = u_j + col_j + log s_j
 *   backward:  s_i = sum_j e^(w_ij - row_i) e^(g_j),     b'_i = row_i + log s_i,   g = u + b
 *
 * with col_j = max_i w_ij, row_i = max_j w_ij. All terms are at most 1, and those that underflow
 * add up to less than N FLT_MIN; so where every s is above TINY the result is exact to
 * rounding, whatever the scores. Where one is not, the step is done again with a maximum for each
 * sum, which costs N x N exponentials.
 *
 * Given the marginals m of the position before, P(i, j) = m_i / s_i e^(w_ij - row_i) e^(g_j): the
 * expected transitions of a sentence are by_row times a sum of outer products, one fused
 * multiplication and addition per pair and position. That sum goes to double every FLUSH
 * positions. What the slow step finds is added to `rare`. */
#include <math.h>
#include <string.h>

#include "device/cpu/crf.h"
#include "device/cpu/vec/pack.h"
#include "graph/vecmath.h"

enum { BLOCK = BS_CRF_BLOCK, PACKS = BLOCK / LANES };
enum { FLUSH = 256 };

static const real FORBIDDEN = BS_REAL(-1e30);
#ifdef BS_DOUBLE
static const real TINY = 1e-280;
#else
static const real TINY = 1e-26f;
#endif

/* ---- rows of P ---- */

static inline void raise_to(real part[BLOCK], const real *x)
{
#pragma omp simd
    for (int j = 0; j < BLOCK; j++)
        part[j] = bs_vmax(part[j], x[j]);
}

static real largest(const real *x, int P)
{
    real part[BLOCK];
    memcpy(part, x, sizeof part);
    for (int k = BLOCK; k < P; k += BLOCK)
        raise_to(part, x + k);
    for (int width = BLOCK / 2; width > 0; width /= 2)
        for (int j = 0; j < width; j++)
            part[j] = bs_vmax(part[j], part[j + width]);
    return part[0];
}

/* No element is below TINY, and none is NaN. */
static bool all_above_tiny(const real *x, int P)
{
    int above = 0;
#pragma omp simd reduction(+ : above)
    for (int j = 0; j < P; j++)
        above += x[j] >= TINY;
    return above == P;
}

static void subtract(real *x, real y, int P)
{
#pragma omp simd
    for (int j = 0; j < P; j++)
        x[j] -= y;
}

static void add_rows(real *out, const real *x, const real *y, int P)
{
#pragma omp simd
    for (int j = 0; j < P; j++)
        out[j] = x[j] + y[j];
}

/* A row of N scores into x, whose padding stays. */
static void load(real *x, const real *from, int N)
{
    for (int j = 0; j < N; j++)
        x[j] = bs_vmax(FORBIDDEN, from[j]);
}

static void exp_row(real *out, const real *x, int P)
{
#pragma omp simd
    for (int j = 0; j < P; j++)
        out[j] = bs_vexp(x[j]);
}

/* out = base + log s */
static void log_row(real *out, const real *base, const real *s, int P)
{
#pragma omp simd
    for (int j = 0; j < P; j++)
        out[j] = base[j] + bs_vlog(s[j]);
}

static real sum_row(const real *x, int P)
{
    real part[BLOCK] = {0};
    for (int k = 0; k < P; k += BLOCK) {
#pragma omp simd
        for (int j = 0; j < BLOCK; j++)
            part[j] += x[k + j];
    }
    for (int width = BLOCK / 2; width > 0; width /= 2)
        for (int j = 0; j < width; j++)
            part[j] += part[j + width];
    return part[0];
}

/* s_j = sum over i < N of e_i m[i][j] */
static void weigh(real *s, const real *e, const real *m, int N, int P)
{
    for (int k = 0; k < P; k += BLOCK) {
        pack        even[PACKS], odd[PACKS];
        const real *at = m + k;
        int         i = 0;
        UNROLL
        for (int j = 0; j < PACKS; j++)
            even[j] = odd[j] = (pack){0};
        for (; i + 2 <= N; i += 2, at += 2 * P) {
            UNROLL
            for (int j = 0; j < PACKS; j++) {
                even[j] += e[i] * *(const pack *)(at + j * LANES);
                odd[j] += e[i + 1] * *(const pack *)(at + P + j * LANES);
            }
        }
        if (i < N) {
            UNROLL
            for (int j = 0; j < PACKS; j++)
                even[j] += e[i] * *(const pack *)(at + j * LANES);
        }
        UNROLL
        for (int j = 0; j < PACKS; j++)
            *(pack *)(s + k + j * LANES) = even[j] + odd[j];
    }
}

/* The same with logarithms: out_j = log sum over i < N of e^(x_i + w[i][j]), each sum with a
 * maximum of its own. */
static void log_weigh(real *out, const real *x, const real *w, int N, int P)
{
    for (int k = 0; k < P; k += BLOCK) {
        real top[BLOCK], sum[BLOCK] = {0};
        for (int j = 0; j < BLOCK; j++)
            top[j] = x[0] + w[k + j];
        for (int i = 1; i < N; i++) {
#pragma omp simd
            for (int j = 0; j < BLOCK; j++)
                top[j] = bs_vmax(top[j], x[i] + w[i * P + k + j]);
        }
        for (int i = 0; i < N; i++) {
#pragma omp simd
            for (int j = 0; j < BLOCK; j++)
                sum[j] += bs_vexp((x[i] + w[i * P + k + j]) - top[j]);
        }
#pragma omp simd
        for (int j = 0; j < BLOCK; j++)
            out[k + j] = top[j] + bs_vlog(sum[j]);
    }
}

/* ---- tables ---- */

/* out[i][j] = e^(w[i][j] - top[j]), or - top[i] when by_row; padded columns give 1 */
static void exp_table(real *out, const real *w, const real *top, bool by_row, int N, int P)
{
    for (int i = 0; i < N; i++) {
#pragma omp simd
        for (int j = 0; j < P; j++)
            out[i * P + j] = bs_vexp(w[i * P + j] - (by_row ? top[i] : top[j]));
        for (int j = N; j < P; j++)
            out[i * P + j] = 1;
    }
}

static void transpose(real *out, const real *x, real padding, int N, int P)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < P; j++)
            out[i * P + j] = j < N ? x[j * P + i] : padding;
}

static void column_maxima(real *top, const real *w, int N, int P)
{
    memcpy(top, w, (size_t)P * sizeof *top);
    for (int i = 1; i < N; i++)
#pragma omp simd
        for (int j = 0; j < P; j++)
            top[j] = bs_vmax(top[j], w[i * P + j]);
}

static void prepare(bs_crf *c, const real *transition, bool back)
{
    const int N = c->N, P = c->P, M = N + 1;
    c->shift = FORBIDDEN;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c->shift = bs_vmax(transition[i * M + j], c->shift);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < P; j++)
            c->w[i * P + j] =
                j < N ? bs_vmax(FORBIDDEN, transition[i * M + j]) - c->shift : FORBIDDEN;
    for (int j = 0; j < P; j++) {
        c->start[j] = j < N ? bs_vmax(FORBIDDEN, transition[N * M + j]) : FORBIDDEN;
        c->end[j] = j < N ? bs_vmax(FORBIDDEN, transition[j * M + N]) : FORBIDDEN;
        c->u[j] = FORBIDDEN;
    }
    if (!back) {
        column_maxima(c->col, c->w, N, P);
        exp_table(c->by_col, c->w, c->col, false, N, P);
    } else {
        transpose(c->wt, c->w, FORBIDDEN, N, P);
        column_maxima(c->row, c->wt, N, P);
        exp_table(c->by_row, c->w, c->row, true, N, P);
        transpose(c->by_row_t, c->by_row, 1, N, P);
    }
}

/* ---- forward ---- */

/* s = what one more transition makes of the messages x */
static void arrive(const bs_crf *c)
{
    exp_row(c->e, c->x, c->P);
    weigh(c->s, c->e, c->by_col, c->N, c->P);
    if (all_above_tiny(c->s, c->P))
        log_row(c->s, c->col, c->s, c->P);
    else
        log_weigh(c->s, c->x, c->w, c->N, c->P);
}

/* out = (x - top) + y: scores of 1e3 lose no digits where they matter */
static void add_relative(real *out, const real *x, real top, const real *y, int P)
{
#pragma omp simd
    for (int j = 0; j < P; j++)
        out[j] = (x[j] - top) + y[j];
}

static double forward(const bs_crf *c, const real *unary, int len, real *a)
{
    const int N = c->N, P = c->P;
    double    total = 0;
    for (int t = 0; t < len; t++) {
        load(c->u, unary + (int64_t)t * N, N);
        real high = largest(c->u, P);
        if (t > 0)
            arrive(c);
        add_relative(c->x, c->u, high, t > 0 ? c->s : c->start, P);
        real top = largest(c->x, P);
        subtract(c->x, top, P);
        memcpy(a + (int64_t)t * N, c->x, (size_t)N * sizeof *a);
        total += (double)high + (double)top + (t > 0 ? (double)c->shift : 0);
    }
    add_rows(c->s, c->x, c->end, P);
    real top = largest(c->s, P);
    subtract(c->s, top, P);
    exp_row(c->e, c->s, P);
    return total + (double)top + log((double)sum_row(c->e, P));
}

/* ---- backward ---- */

/* m = the normalised e^(a + b) of one position, a from memory; also to token. */
static void marginals(const bs_crf *c, const real *a, const real *b, real *m, real *token)
{
    const int N = c->N, P = c->P;
    memcpy(c->u, a, (size_t)N * sizeof *a);
    add_rows(m, c->u, b, P);
    subtract(m, largest(m, P), P);
    exp_row(m, m, P);
    real scale = 1 / sum_row(m, P);
#pragma omp simd
    for (int j = 0; j < P; j++)
        m[j] *= scale;
    memcpy(token, m, (size_t)N * sizeof *token);
}

/* count[i][j] += m_i / s_i e_j; s is overwritten */
static void add_outer(const bs_crf *c, const real *m, real *s, const real *e)
{
    const int N = c->N, P = c->P;
    real     *row = c->count;
#pragma omp simd
    for (int j = 0; j < P; j++)
        s[j] = m[j] / s[j];
    for (int i = 0; i < N; i++, row += P)
        for (int k = 0; k < P; k += LANES)
            *(pack *)(row + k) += s[i] * *(const pack *)(e + k);
}

/* rare[i][j] += m_i e^(w_ij + g_j - all_i), the same where s underflowed */
static void add_rare(const bs_crf *c, const real *m, const real *all, const real *g)
{
    const int N = c->N, P = c->P;
    for (int i = 0; i < N; i++) {
        const real *w = c->w + i * P;
        double     *rare = c->rare + i * P;
#pragma omp simd
        for (int j = 0; j < P; j++)
            rare[j] += (double)(m[i] * bs_vexp((w[j] + g[j]) - all[i]));
    }
}

/* total += count, which starts again from zero. Both rests are cleared when first needed. */
static void flush(const bs_crf *c, bool first)
{
    const int n = c->N * c->P;
#pragma omp simd
    for (int i = 0; i < n; i++)
        c->total[i] = (first ? 0 : c->total[i]) + (double)c->count[i];
    memset(c->count, 0, (size_t)n * sizeof *c->count);
}

/* One position back: x holds b at t and then at t - 1; the marginals of t - 1 and the transitions
 * between the two are added up. */
static void step_back(const bs_crf *c, const real *unary, const real *a, real *token, bool *rare)
{
    const int N = c->N, P = c->P;
    load(c->u, unary, N);
    add_rows(c->g, c->u, c->x, P);
    subtract(c->g, largest(c->g, P), P);
    exp_row(c->e, c->g, P);
    weigh(c->s, c->e, c->by_row_t, N, P);
    if (all_above_tiny(c->s, P)) {
        log_row(c->x, c->row, c->s, P);
        marginals(c, a, c->x, c->m, token);
        add_outer(c, c->m, c->s, c->e);
        return;
    }
    log_weigh(c->x, c->g, c->wt, N, P);
    marginals(c, a, c->x, c->m, token);
    if (!*rare)
        memset(c->rare, 0, (size_t)N * (size_t)P * sizeof *c->rare);
    *rare = true;
    add_rare(c, c->m, c->x, c->g);
}

/* Row i of the expected transitions, in place of count. */
static void finish_row(const bs_crf *c, int i, bool flushed, bool rare)
{
    const int     P = c->P;
    const real   *by_row = c->by_row + i * P;
    const double *total = c->total + i * P, *slow = c->rare + i * P;
    real         *count = c->count + i * P;
#pragma omp simd
    for (int j = 0; j < P; j++)
        count[j] *= by_row[j];
    for (int j = 0; j < P && flushed; j++)
        count[j] += (real)((double)by_row[j] * total[j]);
    for (int j = 0; j < P && rare; j++)
        count[j] += (real)slow[j];
}

static void posterior(const bs_crf *c, const real *unary, const real *a, int len, real *token,
                      real *pair)
{
    const int     N = c->N, P = c->P, M = N + 1;
    const int64_t last = (int64_t)(len - 1) * N;
    bool          flushed = false, rare = false;
    memset(c->count, 0, (size_t)N * (size_t)P * sizeof *c->count);
    memcpy(c->x, c->end, (size_t)P * sizeof *c->x);
    marginals(c, a + last, c->x, c->m, token + last);
    for (int t = len - 1; t > 0; t--) {
        int64_t at = (int64_t)t * N;
        step_back(c, unary + at, a + at - N, token + at - N, &rare);
        if (t % FLUSH == 0) {
            flush(c, !flushed);
            flushed = true;
        }
    }
    for (int i = 0; i < N; i++) {
        finish_row(c, i, flushed, rare);
        memcpy(pair + i * M, c->count + i * P, (size_t)N * sizeof *pair);
        pair[i * M + N] = token[last + i];
    }
    memcpy(pair + N * M, token, (size_t)N * sizeof *pair);
    pair[N * M + N] = 0;
}

const bs_vec_crf BS_V(bs_vec_crf) = {prepare, forward, posterior};
