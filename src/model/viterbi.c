/* viterbi.c -- the best sequences of tags under a linear chain.
 *
 * Viterbi (1967): best[t][j] is the score of the best beginning that ends in tag j at position t.
 * No back-pointers are stored: the way back finds each maximum again, for one tag per position
 * instead of all.
 *
 * The n best by the partition of Lawler (1972). A sequence found splits the rest at every position
 * t: what follows t stays, the tag at t changes, and before it comes the best beginning, whose
 * score is known from best[t]. Every other sequence is in exactly one of these parts; the best part
 * gives the next sequence and is split in turn, at positions before the one where it left its
 * parent (the others were split with the parent). No more parts are kept than sequences are still
 * needed. */
#include "model/viterbi.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Two numbers at a time, which every x86-64 supports; without -ffast-math gcc does not make such a
 * loop itself. It takes 17 tags a third of the time. */
enum { PAIRS = 4, LANES = 2 * PAIRS };
typedef double pair __attribute__((vector_size(16), may_alias));

/* b if a is NaN */
static inline pair larger(pair a, pair b)
{
#ifdef __SSE2__
    return _mm_max_pd(a, b);
#else
    return (pair){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
#endif
}

/* A sequence not yet written: the parent's tags after `at`, `tag` there, the best before. */
typedef struct {
    double  value;
    int32_t parent, at, tag;
} part;

struct bs_viterbi {
    int      N, P;  /* tags; rows padded to whole lanes with minus infinity */
    double  *start; /* [P] */
    double  *from;  /* [N, P]: from[i][j] scores tag j after i */
    double  *into;  /* [N + 1, P]: its transpose; row N is the end */
    double  *best;  /* [T, P] */
    part    *parts; /* sorted, best first; ties in the order they were found */
    int32_t *left;  /* [n]: where each sequence left its parent */
    size_t   cap_best, cap_parts, cap_left;
    int      n_parts;
};

static const size_t MOST = (size_t)1 << 40;

basin_status bs_viterbi_new(int n_tags, bs_viterbi **out, basin_error *err)
{
    *out = NULL;
    if (n_tags < 1 || n_tags > 1 << 15)
        return bs_fail(err, BASIN_EARG, "viterbi: %d tags; there may be 1 to %d", n_tags, 1 << 15);
    bs_viterbi  *v = bs_calloc(1, sizeof *v);
    const size_t N = (size_t)n_tags, P = (N + LANES - 1) / LANES * LANES;
    if (v) {
        v->N = n_tags;
        v->P = (int)P;
        v->start = bs_calloc(P, sizeof *v->start);
        v->from = bs_calloc(N * P, sizeof *v->from);
        v->into = bs_calloc((N + 1) * P, sizeof *v->into);
    }
    if (!v || !v->start || !v->from || !v->into) {
        bs_viterbi_free(v);
        return bs_fail_nomem(err);
    }
    *out = v;
    return BASIN_OK;
}

void bs_viterbi_free(bs_viterbi *v)
{
    if (!v)
        return;
    bs_free(v->start);
    bs_free(v->from);
    bs_free(v->into);
    bs_free(v->best);
    bs_free(v->parts);
    bs_free(v->left);
    bs_free(v);
}

/* From tag i to j, N being the start and the end; minus infinity if forbidden. */
static double step(const float *transition, const uint8_t *allowed, int N, int i, int j)
{
    const int at = i * (N + 1) + j;
    return allowed && !allowed[at] ? -INFINITY : (double)transition[at];
}

void bs_viterbi_set(bs_viterbi *v, const float *transition, const uint8_t *allowed)
{
    const int N = v->N, P = v->P;
    for (int i = 0; i <= N; i++)
        for (int j = 0; j < P; j++) {
            double *to = i < N ? v->from + (int64_t)i * P : v->start;
            to[j] = j < N ? step(transition, allowed, N, i, j) : -INFINITY;
            v->into[(int64_t)i * P + j] = j < N ? step(transition, allowed, N, j, i) : -INFINITY;
        }
}

/* ---- the best ---- */

/* out_j = the largest x_i + w[i][j], ignoring NaN */
static void max_product(double *out, const double *x, const double *w, int N, int P)
{
    for (int k = 0; k < P; k += LANES) {
        const pair none = {-INFINITY, -INFINITY};
        pair       top[PAIRS] = {none, none, none, none};
        for (int i = 0; i < N; i++) {
            const pair  here = {x[i], x[i]};
            const pair *row = (const pair *)(w + (int64_t)i * P + k);
            top[0] = larger(here + row[0], top[0]);
            top[1] = larger(here + row[1], top[1]);
            top[2] = larger(here + row[2], top[2]);
            top[3] = larger(here + row[3], top[3]);
        }
        memcpy(out + k, top, sizeof top);
    }
}

/* Largest x_i + w_i; minus infinity if there is none. */
static double max_sum(const double *x, const double *w, int P)
{
    pair        top = {-INFINITY, -INFINITY}, other = top;
    const pair *a = (const pair *)x, *b = (const pair *)w;
    for (int i = 0; i < P / 2; i += 2) {
        top = larger(a[i] + b[i], top);
        other = larger(a[i + 1] + b[i + 1], other);
    }
    top = larger(top, other);
    return top[0] > top[1] ? top[0] : top[1];
}

static int first_max(const double *x, const double *w, int P)
{
    const double top = max_sum(x, w, P);
    int          i = 0;
    while (i < P - 1 && x[i] + w[i] != top)
        i++;
    return i;
}

static bool fill_best(bs_viterbi *v, const float *unary, int T)
{
    const int N = v->N, P = v->P;
    if (!BS_GROW(v->best, v->cap_best, (size_t)T * (size_t)P, MOST))
        return false;
    for (int t = 0; t < T; t++) {
        const float *u = unary + (int64_t)t * N;
        double      *row = v->best + (int64_t)t * P;
        if (t)
            max_product(row, row - P, v->from, N, P);
        else
            memcpy(row, v->start, (size_t)P * sizeof *row);
        for (int j = 0; j < N; j++)
            row[j] += (double)u[j];
    }
    return true;
}

/* Tags 0 .. t - 1 of the best beginning before `next` (N: the end) at position t. */
static void walk_back(const bs_viterbi *v, int t, int next, int32_t *tag)
{
    while (t-- > 0)
        next = tag[t] =
            first_max(v->best + (int64_t)t * v->P, v->into + (int64_t)next * v->P, v->P);
}

basin_status bs_viterbi_path(bs_viterbi *v, const float *unary, int T, int32_t *tag, double *score,
                             basin_error *err)
{
    if (T < 0)
        return bs_fail(err, BASIN_EARG, "viterbi: a sentence of %d tokens", T);
    if (!fill_best(v, unary, T))
        return bs_fail_nomem(err);
    const double *end = v->into + (int64_t)v->N * v->P;
    double        top = T ? max_sum(v->best + (int64_t)(T - 1) * v->P, end, v->P) : 0;
    if (score)
        *score = top;
    if (top == -INFINITY)
        return bs_fail(err, BASIN_EARG, "viterbi: no sequence of %d tags is allowed", T);
    walk_back(v, T, v->N, tag);
    return BASIN_OK;
}

/* ---- the n best ---- */

/* Keeps the part if it is among the best `room`. */
static void keep_part(bs_viterbi *v, part p, int room)
{
    int i = v->n_parts;
    if (i == room && (room == 0 || !(p.value > v->parts[i - 1].value)))
        return;
    i = i == room ? i - 1 : v->n_parts++;
    for (; i > 0 && p.value > v->parts[i - 1].value; i--)
        v->parts[i] = v->parts[i - 1];
    v->parts[i] = p;
}

/* Splits off sequence k: a part for every other tag before the position where it left. */
static void split(bs_viterbi *v, const float *unary, int T, const int32_t *tag, int k, int room)
{
    double after = 0;
    for (int t = T - 1, next = v->N; t >= 0; next = tag[t--]) {
        const double *x = v->best + (int64_t)t * v->P, *w = v->into + (int64_t)next * v->P;
        for (int i = 0; i < v->N && t < v->left[k]; i++) {
            double value = x[i] + w[i] + after;
            if (i != tag[t] && value > -INFINITY)
                keep_part(v, (part){value, k, t, i}, room);
        }
        after += w[tag[t]] + (double)unary[(int64_t)t * v->N + tag[t]];
    }
}

/* From left to right, in the order best[] was summed. */
static double path_sum(const bs_viterbi *v, const float *unary, int T, const int32_t *tag)
{
    double sum = 0;
    for (int t = 0; t < T; t++) {
        double step = t ? v->into[(int64_t)tag[t] * v->P + tag[t - 1]] : v->start[tag[t]];
        sum = (t ? sum + step : step) + (double)unary[(int64_t)t * v->N + tag[t]];
    }
    return sum + v->into[(int64_t)v->N * v->P + tag[T - 1]];
}

/* Parts were found by sums in another order: two that differ by a rounding error may be swapped. */
static void sort_last(int T, int32_t *tag, double *score, int k)
{
    for (; k > 0 && score[k] > score[k - 1]; k--) {
        double swap = score[k];
        score[k] = score[k - 1];
        score[k - 1] = swap;
        for (int t = 0; t < T; t++) {
            int32_t *a = tag + (int64_t)k * T + t, *b = a - T, other = *a;
            *a = *b;
            *b = other;
        }
    }
}

basin_status bs_viterbi_best(bs_viterbi *v, const float *unary, int T, int n, int32_t *tag,
                             double *score, int *found, basin_error *err)
{
    *found = 0;
    if (n < 1)
        return bs_fail(err, BASIN_EARG, "viterbi: the %d best are asked for", n);
    if (!BS_GROW(v->parts, v->cap_parts, (size_t)n, MOST) ||
        !BS_GROW(v->left, v->cap_left, (size_t)n, MOST))
        return bs_fail_nomem(err);
    double       top = 0;
    basin_status s = bs_viterbi_path(v, unary, T, tag, &top, err);
    if (top == -INFINITY)
        bs_err_clear(err);
    if (s)
        return top == -INFINITY ? BASIN_OK : s;
    v->n_parts = 0;
    v->left[0] = T;
    score[0] = top;
    for (*found = 1; *found < n && T > 0; ++*found) {
        const int k = *found;
        split(v, unary, T, tag + (int64_t)(k - 1) * T, k - 1, n - k);
        if (v->n_parts == 0)
            break;
        part     p = v->parts[0];
        int32_t *path = tag + (int64_t)k * T;
        memmove(v->parts, v->parts + 1, (size_t)--v->n_parts * sizeof *v->parts);
        memcpy(path, tag + (int64_t)p.parent * T, (size_t)T * sizeof *path);
        path[p.at] = p.tag;
        walk_back(v, p.at, p.tag, path);
        v->left[k] = p.at;
        score[k] = path_sum(v, unary, T, path);
    }
    for (int k = 1; k < *found; k++)
        sort_last(T, tag, score, k);
    return BASIN_OK;
}

/* ---- tags that occur once ---- */

/* best[t][set][j] is the score of the best beginning that ends in tag j at position t and has used
 * this set of the numbers that are watched, one bit each. */
typedef struct {
    const int8_t *once;
    int           bit[32]; /* of a number that is watched; else -1 */
    int           sets, P;
} watch;

static int bit_of(const watch *w, int tag)
{
    return w->once[tag] < 0 ? -1 : w->bit[w->once[tag]];
}

/* The row before with this set; NULL: none. */
static double *row_of(const bs_viterbi *v, const watch *w, int t, int set)
{
    return v->best + ((int64_t)t * w->sets + set) * w->P;
}

static bool is_reached(const bs_viterbi *v, const double *row)
{
    for (int j = 0; j < v->N; j++)
        if (row[j] > -INFINITY)
            return true;
    return false;
}

/* Beginnings that end at position t: each set of the position before leads to itself, and with a
 * tag that is watched to a larger one. Sets that nothing has reached are left out. */
static void step_sets(const bs_viterbi *v, const watch *w, const float *u, int t, double *from)
{
    for (int64_t i = 0; i < (int64_t)w->sets * w->P; i++)
        row_of(v, w, t, 0)[i] = -INFINITY;
    for (int set = 0; set < (t ? w->sets : 1); set++) {
        if (t && !is_reached(v, row_of(v, w, t - 1, set)))
            continue;
        if (t)
            max_product(from, row_of(v, w, t - 1, set), v->from, v->N, w->P);
        else
            memcpy(from, v->start, (size_t)w->P * sizeof *from);
        for (int j = 0; j < v->N; j++) {
            const int bit = bit_of(w, j);
            if (bit < 0 || !(set >> bit & 1))
                row_of(v, w, t, bit < 0 ? set : set | 1 << bit)[j] = from[j] + (double)u[j];
        }
    }
}

static basin_status watched_path(bs_viterbi *v, const watch *w, const float *unary, int T,
                                 int32_t *tag, double *score, basin_error *err)
{
    const double *end = v->into + (int64_t)v->N * v->P;
    const size_t  need = (size_t)(T + 1) * (size_t)w->sets * (size_t)w->P;
    double        top = -INFINITY;
    int           set = 0;
    if (!BS_GROW(v->best, v->cap_best, need, MOST))
        return bs_fail_nomem(err);
    for (int t = 0; t < T; t++)
        step_sets(v, w, unary + (int64_t)t * v->N, t, row_of(v, w, T, 0));
    for (int k = 0; k < w->sets; k++) {
        const double found = max_sum(row_of(v, w, T - 1, k), end, v->P);
        set = found > top ? k : set;
        top = found > top ? found : top;
    }
    if (top == -INFINITY)
        return bs_fail(err, BASIN_EARG, "viterbi: no sequence of %d tags is allowed", T);
    for (int t = T - 1, next = v->N; t >= 0; t--) {
        next = tag[t] = first_max(row_of(v, w, t, set), v->into + (int64_t)next * v->P, v->P);
        if (bit_of(w, next) >= 0)
            set &= ~(1 << bit_of(w, next));
    }
    *score = top;
    return BASIN_OK;
}

/* Numbers that the sequence repeats, as bits. */
static uint32_t repeated(const int8_t *once, const int32_t *tag, int T)
{
    uint32_t seen = 0, twice = 0;
    for (int t = 0; t < T; t++) {
        const uint32_t bit = once[tag[t]] < 0 ? 0 : (uint32_t)1 << once[tag[t]];
        twice |= seen & bit;
        seen |= bit;
    }
    return twice;
}

basin_status bs_viterbi_once(bs_viterbi *v, const float *unary, int T, const int8_t *once,
                             int32_t *tag, double *score, basin_error *err)
{
    double       value;
    uint32_t     all = 0, more;
    basin_status s = bs_viterbi_path(v, unary, T, tag, &value, err);
    while (!s && (more = repeated(once, tag, T))) {
        watch w = {.once = once, .sets = 1, .P = v->P};
        int   bits = 0;
        all |= more;
        for (int k = 0; k < 32; k++)
            w.bit[k] = all >> k & 1 ? bits++ : -1;
        w.sets = 1 << bits;
        s = bits > 16 ? bs_fail(err, BASIN_EARG, "viterbi: %d tags that may occur once", bits)
                      : watched_path(v, &w, unary, T, tag, &value, err);
    }
    if (score && !s)
        *score = value;
    return s;
}
