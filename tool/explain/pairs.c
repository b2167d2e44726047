/* pairs.c -- statistics of label pairs: centring, ranks, correlation, an order for drawing. */
#include "explain/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"
#include "data/stats.h"

/* ---- counts ---- */

void bs_pairs_together(const bs_csr *labels, double *count)
{
    const size_t n = (size_t)labels->cols;
    memset(count, 0, n * n * sizeof *count);
    for (int32_t r = 0; r < labels->rows; r++)
        for (int32_t a = labels->start[r]; a < labels->start[r + 1]; a++)
            for (int32_t b = labels->start[r]; b < labels->start[r + 1]; b++)
                count[(size_t)labels->index[a] * n + (size_t)labels->index[b]] += 1;
}

basin_status bs_pairs_expected(const double *count, int32_t n, double rows, bool ordered,
                               double *out, basin_error *err)
{
    const size_t N = (size_t)n;
    double      *first = bs_calloc(2 * N + 1, sizeof *first), all = 0;
    if (!first)
        return bs_fail_nomem(err);
    double *second = first + N;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N && ordered; j++) {
            first[i] += count[i * N + j];
            second[j] += count[i * N + j];
            all += count[i * N + j];
        }
    for (size_t i = 0; i < N && !ordered; i++)
        first[i] = second[i] = count[i * N + i];
    all = ordered ? all : rows;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            out[i * N + j] = all > 0 ? first[i] * second[j] / all : 0;
    bs_free(first);
    return BASIN_OK;
}

void bs_pairs_information(const double *count, const double *expected, int32_t n, double *out)
{
    const size_t cells = (size_t)n * (size_t)n;
    for (size_t i = 0; i < cells; i++)
        out[i] = log((count[i] + 0.5) / (expected[i] + 0.5));
}

/* The a_i of the best fit a_i + a_j + mean for i != j, with the a_i summing to 0. */
static void centre_symmetric(const double *a, size_t n, double *label, double *out)
{
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j) {
                label[i] += a[i * n + j];
                mean += a[i * n + j] / (double)n / (double)(n - 1);
            }
    for (size_t i = 0; i < n; i++)
        label[i] = n > 2 ? (label[i] - (double)(n - 1) * mean) / (double)(n - 2) : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = i == j ? 0 : a[i * n + j] - mean - label[i] - label[j];
}

static void centre_ordered(const double *a, size_t n, double *first, double *second, double *out)
{
    double all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            first[i] += a[i * n + j] / (double)n;
            second[j] += a[i * n + j] / (double)n;
            all += a[i * n + j] / (double)n / (double)n;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = a[i * n + j] - first[i] - second[j] + all;
}

basin_status bs_pairs_centre(const double *a, int32_t n, bool ordered, double *out,
                             basin_error *err)
{
    const size_t N = (size_t)n;
    double      *room = bs_calloc(2 * N + 1, sizeof *room);
    if (!room)
        return bs_fail_nomem(err);
    if (ordered)
        centre_ordered(a, N, room, room + N, out);
    else
        centre_symmetric(a, N, room, out);
    bs_free(room);
    return BASIN_OK;
}

/* ---- ranks ---- */

/* Ranks of the entries that count, ties sharing their mean, shifted and scaled so that they sum to
 * 0 and their squares to 1; a symmetric matrix stays symmetric. Returns the factor, 0 if all
 * entries are equal. */
static double rank(const double *a, size_t n, bool ordered, bs_ranked *room, double *out)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = ordered ? 0 : i + 1; j < n; j++)
            if (i != j)
                room[m++] = (bs_ranked){(int64_t)(i * n + j), -a[i * n + j]};
    qsort(room, m, sizeof *room, bs_heaviest_first);
    double square = 0;
    for (size_t first = 0, end; first < m; first = end) {
        for (end = first; end < m && !(room[end].weight < room[first].weight); end++)
            ;
        const double r = ((double)first + (double)end) / 2 - (double)m / 2;
        for (size_t k = first; k < end; k++)
            out[room[k].which] = r;
        square += r * r * (double)(end - first);
    }
    const double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (size_t k = 0; k < m; k++) {
        const size_t i = (size_t)room[k].which / n, j = (size_t)room[k].which % n;
        out[i * n + j] *= scale;
        if (!ordered)
            out[j * n + i] = out[i * n + j];
    }
    return scale;
}

/* The rank correlation; labels of a are permuted by `order`, or unchanged. */
static double correlation(const double *a, const double *b, const int32_t *order, size_t n,
                          bool ordered)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double *row = a + (order ? (size_t)order[i] : i) * n;
        for (size_t j = ordered ? 0 : i + 1; j < n; j++)
            if (i != j)
                sum += row[order ? (size_t)order[j] : j] * b[i * n + j];
    }
    return sum;
}

typedef struct {
    const double *a, *b, *given; /* ranks */
    size_t        n;
    bool          ordered;
    double        b_given; /* correlation of these two */
} ranks;

static double agreement(const ranks *r, const int32_t *order)
{
    const double ab = correlation(r->a, r->b, order, r->n, r->ordered);
    if (!r->given)
        return ab;
    const double ag = correlation(r->a, r->given, order, r->n, r->ordered);
    return (ab - ag * r->b_given) / sqrt((1 - ag * ag) * (1 - r->b_given * r->b_given));
}

static void shuffle(const ranks *r, uint64_t seed, int32_t *order, double *found, bs_agreement *out)
{
    bs_rng rng = bs_rng_make(seed, 0, 0);
    int    higher = 0;
    for (int i = 0; i < out->shuffles; i++) {
        bs_rng_permutation(&rng, order, (int32_t)r->n);
        found[i] = agreement(r, order);
        higher += found[i] >= out->rho;
    }
    out->mean = bs_stats_mean(found, out->shuffles);
    out->sd = bs_stats_sd(found, out->shuffles);
    out->p = (higher + 1.0) / (out->shuffles + 1.0);
}

basin_status bs_pairs_agree(const double *a, const double *b, const double *given, int32_t n,
                            bool ordered, int shuffles, uint64_t seed, bs_agreement *out,
                            basin_error *err)
{
    const size_t  N = (size_t)n, cells = N * N;
    const double *matrix[3] = {a, b, given};
    double       *rank_of[3] = {NULL, NULL, NULL};
    bs_ranked    *room = bs_calloc(cells + 1, sizeof *room);
    int32_t      *order = bs_calloc(N + 1, sizeof *order);
    double       *found = bs_calloc((size_t)shuffles + 1, sizeof *found);
    bool          ok = room && order && found, varied = true;
    *out = (bs_agreement){.rho = NAN,
                          .mean = NAN,
                          .sd = NAN,
                          .p = NAN,
                          .shuffles = shuffles,
                          .pairs = (int64_t)n * (n - 1) / (ordered ? 1 : 2)};
    for (int i = 0; i < 3 && ok; i++) {
        if (!matrix[i])
            continue;
        rank_of[i] = bs_calloc(cells + 1, sizeof *rank_of[i]);
        ok = rank_of[i] != NULL;
        varied &= ok && rank(matrix[i], N, ordered, room, rank_of[i]) > 0;
    }
    if (ok && varied) {
        ranks r = {
            .a = rank_of[0], .b = rank_of[1], .given = rank_of[2], .n = N, .ordered = ordered};
        if (given)
            r.b_given = correlation(r.b, r.given, NULL, N, ordered);
        out->rho = agreement(&r, NULL);
        shuffle(&r, seed, order, found, out);
    }
    for (int i = 0; i < 3; i++)
        bs_free(rank_of[i]);
    bs_free(room);
    bs_free(order);
    bs_free(found);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

/* ---- order ---- */

basin_status bs_pairs_order(const double *count, int32_t n, int32_t *order, basin_error *err)
{
    static const double fade = 0.6; /* weight of labels placed before the last, for similarity */
    const size_t        N = (size_t)n;
    double             *like = bs_calloc(N + 1, sizeof *like);
    bool               *placed = bs_calloc(N + 1, sizeof *placed);
    bool                ok = like && placed;
    for (int32_t at = 0; at < n && ok; at++) {
        size_t best = N;
        for (size_t i = 0; i < N; i++) {
            if (placed[i])
                continue;
            /* nothing similar is left: start again with the most frequent one */
            bool better = best == N || like[i] > like[best] ||
                          (!(like[i] < like[best]) && count[i * N + i] > count[best * N + best]);
            best = better ? i : best;
        }
        placed[best] = true;
        order[at] = (int32_t)best;
        for (size_t i = 0; i < N; i++) {
            const double both = count[best * N + i] + count[i * N + best];
            const double size = sqrt((count[i * N + i] + 1) * (count[best * N + best] + 1));
            like[i] = fade * like[i] + both / size;
        }
    }
    bs_free(like);
    bs_free(placed);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}
