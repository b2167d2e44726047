/* posterior.c -- annealed importance sampling of many rows in step, and local descent. */
#include "model/posterior.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

enum {
    ROOM = 8192,      /* particles of a block, ... */
    CELLS = 1 << 23,  /* ... and their parts, unless one row has more */
    MOVES = 24,       /* of a particle at each temperature, ... */
    LAST_MOVES = 96,  /* ... and at the last one */
    MOST_STEPS = 200, /* of temperature; the last one is as large as it has to be */
    MOST_DESCENTS = 1000,
    MOST_SWAPS = 32, /* parts that are off and may change places with one that is on */
};
#define LEAST     1e-4 /* probability of a part being on or off, for the samples of the net */
#define EFFECTIVE 0.5  /* share of the particles that a step of temperature leaves */

/* A proposal, and its probability backwards against forwards. */
typedef struct {
    int    part[2]; /* to flip; -1: none */
    double log_back;
} proposal;

struct bs_posterior {
    bs_energy_program *energy;     /* or NULL */
    int                K, L, rows; /* samples, parts, rows of a block */
    real              *y;          /* [rows, K, L] particles, with what is proposed applied */
    double            *e, *found;  /* [rows, K] energies of particles and of proposals */
    double            *lp, *w;     /* [rows, K] log P_net, log weights; at the end weights */
    proposal          *tried;      /* [rows, K] */
    double *odds, *reach; /* [rows, L] log odds of the net; cumulated chances of being moved */
    double *b;            /* [rows] the power of exp(-E) */
    int    *left, *steps; /* [rows] moves before the next step; -1: finished */
    double *effective, *lowest;
    real   *best, *copy; /* [rows, L], [K, L] */
    double *uniform;     /* [K, 4] of a move, the same for all rows */
};

basin_status bs_posterior_new(bs_energy_program *energy, const bs_net_spec *spec, int samples,
                              bs_posterior **out, basin_error *err)
{
    bs_posterior *p = bs_calloc(1, sizeof *p);
    *out = p;
    if (!p)
        return bs_fail_nomem(err);
    p->K = samples;
    p->L = (int)spec->graph->parts(spec, (bs_size){1, 1, 1});
    p->energy = energy;
    p->rows = BS_POSTERIOR_BLOCK;
    while (p->rows > 1 && (p->rows * samples > ROOM || (int64_t)p->rows * samples * p->L > CELLS))
        p->rows /= 2;
    const size_t R = (size_t)p->rows, K = (size_t)samples, L = (size_t)p->L;
    p->y = bs_calloc(R * K * L, sizeof *p->y);
    p->e = bs_calloc(4 * R * K, sizeof *p->e);
    p->tried = bs_calloc(R * K, sizeof *p->tried);
    p->odds = bs_calloc(2 * R * L, sizeof *p->odds);
    p->b = bs_calloc(3 * R, sizeof *p->b);
    p->left = bs_calloc(2 * R, sizeof *p->left);
    p->best = bs_calloc((R + K) * L, sizeof *p->best);
    p->uniform = bs_calloc(4 * K, sizeof *p->uniform);
    if (!(p->y && p->e && p->tried && p->odds && p->b && p->left && p->best && p->uniform)) {
        bs_posterior_free(p);
        *out = NULL;
        return bs_fail_nomem(err);
    }
    p->found = p->e + R * K;
    p->lp = p->found + R * K;
    p->w = p->lp + R * K;
    p->reach = p->odds + R * L;
    p->effective = p->b + R;
    p->lowest = p->effective + R;
    p->steps = p->left + R;
    p->copy = p->best + R * L;
    return BASIN_OK;
}

void bs_posterior_free(bs_posterior *p)
{
    if (!p)
        return;
    bs_free(p->y);
    bs_free(p->e);
    bs_free(p->tried);
    bs_free(p->odds);
    bs_free(p->b);
    bs_free(p->left);
    bs_free(p->best);
    bs_free(p->uniform);
    bs_free(p);
}

int bs_posterior_rows(const bs_posterior *p)
{
    return p->rows;
}

/* ---- energies ---- */

/* Of y, for all rows of the block. */
static basin_status energies(bs_posterior *p, int rows, double *out, basin_error *err)
{
    if (p->energy)
        return bs_energy_program_run(p->energy, rows * p->K, out, err);
    memset(out, 0, (size_t)(rows * p->K) * sizeof *out);
    return BASIN_OK;
}

static void keep_lowest(bs_posterior *p, int r, int k, double e)
{
    const size_t L = (size_t)p->L;
    if (e >= p->lowest[r])
        return;
    p->lowest[r] = e;
    memcpy(p->best + (size_t)r * L, p->y + ((size_t)r * (size_t)p->K + (size_t)k) * L,
           L * sizeof *p->best);
}

/* ---- samples of the net ---- */

static double uniform_at(uint64_t step, uint32_t stream, uint64_t element)
{
    return (bs_rng_at(0, step, stream, element) + 0.5) * 0x1p-32;
}

/* Parts that are uncertain move more often; all do at times. */
static void take_net(bs_posterior *p, int r, const float *net)
{
    double *odds = p->odds + (size_t)r * (size_t)p->L, *reach = p->reach + (size_t)r * (size_t)p->L;
    double  sum = 0;
    for (int l = 0; l < p->L; l++) {
        const double x = fmin(fmax((double)net[l], LEAST), 1 - LEAST);
        odds[l] = log(x / (1 - x));
        reach[l] = sqrt(x * (1 - x));
        sum += reach[l];
    }
    for (int l = 0; l < p->L; l++)
        reach[l] = 0.9 * reach[l] / sum + 0.1 / p->L + (l > 0 ? reach[l - 1] : 0);
}

static double chance(const bs_posterior *p, int r, int l)
{
    const double *reach = p->reach + (size_t)r * (size_t)p->L;
    return reach[l] - (l > 0 ? reach[l - 1] : 0);
}

/* Latin-hypercube over the samples: of K uniform numbers, one lies in each K-th of [0, 1). */
static void draw_net(bs_posterior *p, int rows)
{
    int32_t *order = (int32_t *)(void *)p->uniform; /* not used yet */
    for (int l = 0; l < p->L; l++) {
        bs_rng rng = bs_rng_make(0, (uint64_t)l, BS_STREAM_SAMPLE);
        bs_rng_permutation(&rng, order, p->K);
        for (int k = 0; k < p->K; k++) {
            const double u = (order[k] + bs_rng_uniform(&rng)) / p->K;
            for (int r = 0; r < rows; r++) {
                const double odds = p->odds[(size_t)r * (size_t)p->L + (size_t)l];
                p->y[((size_t)r * (size_t)p->K + (size_t)k) * (size_t)p->L + (size_t)l] =
                    u * (1 + exp(-odds)) < 1;
            }
        }
    }
}

static double log_net(const bs_posterior *p, int r, const real *y)
{
    const double *odds = p->odds + (size_t)r * (size_t)p->L;
    double        sum = 0;
    for (int l = 0; l < p->L; l++)
        sum -= log1p(exp(y[l] > 0 ? -odds[l] : odds[l]));
    return sum;
}

/* ---- temperatures ---- */

/* The effective number of particles, (sum w)^2 / sum w^2, if exp(-E) counted `more` more. */
static double effective(const bs_posterior *p, int r, double more)
{
    const size_t at = (size_t)r * (size_t)p->K;
    double       top = -INFINITY, sum = 0, squares = 0;
    for (int k = 0; k < p->K; k++)
        top =
            fmax(top, p->w[at + (size_t)k] - more * (p->e[at + (size_t)k] + p->lp[at + (size_t)k]));
    for (int k = 0; k < p->K; k++) {
        const double w =
            exp(p->w[at + (size_t)k] - more * (p->e[at + (size_t)k] + p->lp[at + (size_t)k]) - top);
        sum += w;
        squares += w * w;
    }
    return sum * sum / squares;
}

static void weigh(bs_posterior *p, int r, double more)
{
    const size_t at = (size_t)r * (size_t)p->K;
    for (int k = 0; k < p->K; k++)
        p->w[at + (size_t)k] -= more * (p->e[at + (size_t)k] + p->lp[at + (size_t)k]);
    p->b[r] += more;
}

/* Weights that add up to 1 in place of their logarithms. */
static void normalise(bs_posterior *p, int r)
{
    double *w = p->w + (size_t)r * (size_t)p->K, top = -INFINITY, sum = 0;
    for (int k = 0; k < p->K; k++)
        top = fmax(top, w[k]);
    for (int k = 0; k < p->K; k++)
        sum += w[k] = exp(w[k] - top);
    for (int k = 0; k < p->K; k++)
        w[k] /= sum;
}

/* Systematic resampling: K evenly spaced points of the cumulated weights. */
static void resample(bs_posterior *p, int r, uint64_t step)
{
    const size_t K = (size_t)p->K, L = (size_t)p->L, at = (size_t)r * K;
    const double u = uniform_at(step, BS_STREAM_START, 0);
    double      *e = p->found + at, *lp = p->w + at; /* room for what is drawn from */
    size_t       from = 0;
    normalise(p, r);
    double sum = p->w[at];
    for (size_t k = 0; k < K; k++) {
        while ((double)k + u > sum * (double)K && from + 1 < K)
            sum += p->w[at + ++from];
        p->tried[at + k].part[0] = (int)from;
    }
    memcpy(p->copy, p->y + at * L, K * L * sizeof *p->copy);
    memcpy(e, p->e + at, K * sizeof *e);
    memcpy(lp, p->lp + at, K * sizeof *lp);
    for (size_t k = 0; k < K; k++) {
        const size_t j = (size_t)p->tried[at + k].part[0];
        if (j != k)
            memcpy(p->y + (at + k) * L, p->copy + j * L, L * sizeof *p->y);
        p->e[at + k] = e[j];
        p->lp[at + k] = lp[j];
    }
    memset(p->w + at, 0, K * sizeof *p->w);
}

/* The next power of exp(-E); rows whose weights are good enough at 1 are finished. */
static void step_temperature(bs_posterior *p, int r, uint64_t step)
{
    const double enough = EFFECTIVE * p->K;
    double       most = 1 - p->b[r], more = most;
    if (p->b[r] >= 1) {
        normalise(p, r);
        p->left[r] = -1;
        return;
    }
    p->steps[r]++;
    if (effective(p, r, more) < enough && p->steps[r] < MOST_STEPS) {
        double least = 0;
        for (int i = 0; i < 40; i++) {
            more = (least + most) / 2;
            *(effective(p, r, more) < enough ? &most : &least) = more;
        }
    }
    weigh(p, r, more);
    p->b[r] = p->b[r] > 1 - 1e-9 ? 1 : p->b[r];
    if (p->b[r] >= 1 && p->steps[r] == 1) {
        normalise(p, r);
        p->left[r] = -1;
        return;
    }
    resample(p, r, step);
    p->left[r] = p->b[r] >= 1 ? LAST_MOVES : MOVES;
}

/* ---- moves ---- */

static int pick(const bs_posterior *p, int r, double u)
{
    const double *reach = p->reach + (size_t)r * (size_t)p->L;
    int           lo = 0, hi = p->L - 1;
    for (u *= reach[p->L - 1]; lo < hi;) {
        const int mid = (lo + hi) / 2;
        if (reach[mid] > u)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Any of the parts that are on, or -1. */
static int pick_on(const real *y, int L, double u)
{
    int n = 0, at = 0;
    for (int l = 0; l < L; l++)
        n += y[l] > 0;
    at = (int)(u * n);
    for (int l = 0; l < L; l++)
        if (y[l] > 0 && at-- == 0)
            return l;
    return -1;
}

typedef enum { FLIP, SWAP, FLIP_TWO, KINDS } move;

static proposal propose(const bs_posterior *p, int r, const real *y, move kind, const double *u)
{
    proposal out = {{pick(p, r, u[0]), -1}, 0};
    if (kind == FLIP_TWO)
        out.part[1] = pick(p, r, u[1]);
    if (kind == SWAP) {
        out.part[1] = pick_on(y, p->L, u[1]);
        if (out.part[1] < 0 || y[out.part[0]] > 0)
            return (proposal){{-1, -1}, 0};
        out.log_back = log(chance(p, r, out.part[1]) / chance(p, r, out.part[0]));
    }
    if (out.part[0] == out.part[1])
        return (proposal){{-1, -1}, 0};
    return out;
}

/* Flips the parts; returns by how much log P_net changes. */
static double apply(const bs_posterior *p, int r, const proposal *t, real *y)
{
    double change = 0;
    for (int i = 0; i < 2 && t->part[i] >= 0; i++) {
        const int l = t->part[i];
        change += (y[l] > 0 ? -1 : 1) * p->odds[(size_t)r * (size_t)p->L + (size_t)l];
        y[l] = 1 - y[l];
    }
    return change;
}

static void propose_all(bs_posterior *p, int rows, uint64_t step)
{
    static const move order[] = {FLIP, SWAP, FLIP, FLIP_TWO};
    for (int i = 0; i < 4 * p->K; i++)
        p->uniform[i] = uniform_at(step, BS_STREAM_START + 1, (uint64_t)i);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < p->K && p->left[r] > 0; k++) {
            const size_t at = (size_t)r * (size_t)p->K + (size_t)k;
            real        *y = p->y + at * (size_t)p->L;
            p->tried[at] = propose(p, r, y, order[step % 4], p->uniform + (size_t)k * 4);
            apply(p, r, &p->tried[at], y);
        }
}

static void accept_all(bs_posterior *p, int rows)
{
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < p->K && p->left[r] > 0; k++) {
            const size_t    at = (size_t)r * (size_t)p->K + (size_t)k;
            real           *y = p->y + at * (size_t)p->L;
            const proposal *t = &p->tried[at];
            if (t->part[0] < 0)
                continue;
            keep_lowest(p, r, k, p->found[at]);
            const double back = apply(p, r, t, y); /* as it was */
            const double gain = -(1 - p->b[r]) * back + p->b[r] * (p->e[at] - p->found[at]);
            if (log(p->uniform[(size_t)k * 4 + 2]) >= gain + t->log_back)
                continue;
            apply(p, r, t, y);
            p->lp[at] -= back;
            p->e[at] = p->found[at];
        }
        p->left[r] -= p->left[r] > 0;
    }
}

static basin_status anneal(bs_posterior *p, int rows, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (uint64_t step = 0; !s; step++) {
        bool moves = false;
        for (int r = 0; r < rows; r++) {
            if (p->left[r] == 0)
                step_temperature(p, r, step);
            moves |= p->left[r] > 0;
        }
        if (!moves)
            return BASIN_OK;
        propose_all(p, rows, step);
        s = energies(p, rows, p->found, err);
        if (!s)
            accept_all(p, rows);
    }
    return s;
}

/* ---- descent ---- */

/* Neighbour i of a row's best output: a flip of part i, then swaps of parts that are on with the
 * likeliest of those that are off. False: there are no more. */
static bool neighbour(const bs_posterior *p, const real *y, const int *off, int n_off, int i,
                      int part[2])
{
    part[0] = i;
    part[1] = -1;
    if (i < p->L)
        return true;
    i -= p->L;
    for (int l = 0; l < p->L && n_off > 0; l++) {
        if (!(y[l] > 0))
            continue;
        if (i < n_off) {
            part[0] = l;
            part[1] = off[i];
            return true;
        }
        i -= n_off;
    }
    return false;
}

static int likely_off(const bs_posterior *p, int r, const real *y, int off[MOST_SWAPS])
{
    const double *odds = p->odds + (size_t)r * (size_t)p->L;
    int           n = 0;
    for (int l = 0; l < p->L; l++) {
        if (y[l] > 0 || (n == MOST_SWAPS && odds[l] <= odds[off[n - 1]]))
            continue;
        int at = n < MOST_SWAPS ? n++ : n - 1;
        for (; at > 0 && odds[off[at - 1]] < odds[l]; at--)
            off[at] = off[at - 1];
        off[at] = l;
    }
    return n;
}

/* K neighbours at a time, until a row's best has been better than all of them. */
static basin_status descend(bs_posterior *p, int rows, basin_error *err)
{
    const size_t K = (size_t)p->K, L = (size_t)p->L;
    memset(p->left, 0, (size_t)rows * sizeof *p->left); /* neighbours of the best tried so far */
    for (int round = 0; round < MOST_DESCENTS; round++) {
        bool any = false;
        for (int r = 0; r < rows; r++) {
            const real *best = p->best + (size_t)r * L;
            int         off[MOST_SWAPS], part[2];
            const int   n_off = likely_off(p, r, best, off);
            for (size_t k = 0; k < K; k++) {
                real      *y = p->y + ((size_t)r * K + k) * L;
                const bool more =
                    p->left[r] >= 0 && neighbour(p, best, off, n_off, p->left[r] + (int)k, part);
                memcpy(y, best, L * sizeof *y);
                for (int i = 0; i < 2 && more && part[i] >= 0; i++)
                    y[part[i]] = 1 - y[part[i]];
                any |= more;
            }
        }
        if (!any)
            return BASIN_OK;
        basin_status s = energies(p, rows, p->found, err);
        if (s)
            return s;
        for (int r = 0; r < rows; r++) {
            const double before = p->lowest[r];
            for (size_t k = 0; k < K; k++)
                keep_lowest(p, r, (int)k, p->found[(size_t)r * K + k]);
            const int tried = p->left[r] + p->K;
            p->left[r] = p->lowest[r] < before ? 0 : tried > p->L * (1 + MOST_SWAPS) ? -1 : tried;
        }
    }
    return BASIN_OK;
}

basin_status bs_posterior_draw(bs_posterior *p, const bs_batch *b, const float *net, int rows,
                               bool lowest, bs_posterior_samples *out, basin_error *err)
{
    const size_t K = (size_t)p->K;
    basin_status s = BASIN_OK;
    for (int r = 0; r < rows; r++)
        take_net(p, r, net + (size_t)r * (size_t)p->L);
    draw_net(p, rows);
    if (p->energy)
        s = bs_energy_program_start(p->energy, b, p->K, p->y, err);
    if (!s)
        s = energies(p, rows, p->e, err);
    for (int r = 0; r < rows && !s; r++) {
        p->lowest[r] = INFINITY;
        p->b[r] = p->left[r] = p->steps[r] = 0;
        for (size_t k = 0; k < K; k++) {
            const size_t at = (size_t)r * K + k;
            p->lp[at] = log_net(p, r, p->y + at * (size_t)p->L);
            p->e[at] = p->energy ? p->e[at] : -p->lp[at];
            p->w[at] = 0;
            keep_lowest(p, r, (int)k, p->e[at]);
        }
        p->effective[r] = effective(p, r, 1) / p->K;
    }
    if (!s)
        s = anneal(p, rows, err);
    *out = (bs_posterior_samples){.samples = p->K,
                                  .y = p->y,
                                  .weight = p->w,
                                  .effective = p->effective,
                                  .best = p->best,
                                  .energy = p->lowest};
    return !s && lowest && p->energy ? descend(p, rows, err) : s;
}
