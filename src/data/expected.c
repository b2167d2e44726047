/* expected.c -- decisions that maximise an expected metric. */
#include "data/expected.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

enum {
    MOST_IN_PAIRS = 64,   /* labels of which pairs are tried */
    MOST_LABELS = 2000,   /* that may be chosen, if more occur in the samples: the likeliest; ... */
    MOST_CELLS = 1 << 22, /* ... fewer if samples are large: labels times sizes */
    MOST_ROUNDS = 100,    /* of changes that help */
};

static const char *const names[BS_DECISIONS] = {
    [BS_DECIDE_THRESHOLD] = "threshold", [BS_DECIDE_F1] = "f1",
    [BS_DECIDE_SUBSET] = "subset",       [BS_DECIDE_HAMMING] = "hamming",
    [BS_DECIDE_JACCARD] = "jaccard",
};

const char *bs_decision_name(bs_decision d)
{
    return names[d];
}

basin_status bs_decision_parse(const char *name, bs_decision *out, basin_error *err)
{
    for (int i = 0; i < BS_DECISIONS; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (bs_decision)i;
            return BASIN_OK;
        }
    return bs_fail(err, BASIN_EARG,
                   "decide: '%.40s' is not threshold, f1, subset, hamming or jaccard", name);
}

/* ---- F1 ---- */

double bs_expected_f1(const double *p, int L, int W, const uint8_t *choice)
{
    int    h = 0;
    double sum = 0;
    for (int j = 0; j < L; j++)
        h += choice[j];
    for (int j = 0; j < L; j++)
        for (int t = 1; choice[j] && t < W; t++)
            sum += 2 * p[(size_t)j * (size_t)W + (size_t)t] / (t + h);
    return sum;
}

/* No set of h labels has more: at most min(h, t) of t labels are in it, and P(t labels are on) is
 * the sum of P(y_j = 1, t) over j, divided by t. */
static double bound(const double *p, int L, int W, int h)
{
    double most = 0;
    for (int t = 1; t < W; t++) {
        double sum = 0;
        for (int j = 0; j < L; j++)
            sum += p[(size_t)j * (size_t)W + (size_t)t];
        most += 2 * sum / t * (h < t ? h : t) / (t + h);
    }
    return most;
}

/* Among sets of h labels, F1 is a sum over the members: the h largest terms win. */
double bs_best_expected_f1(const double *p, int L, int W, double empty, uint8_t *choice,
                           double *scratch, int *order)
{
    double best = empty;
    memset(choice, 0, (size_t)L);
    for (int h = 1; h <= L; h++) {
        double sum = 0;
        if (h >= W && bound(p, L, W, h) <= best)
            break; /* it falls from there on */
        for (int j = 0; j < L; j++) {
            double v = 0;
            for (int t = 1; t < W; t++)
                v += 2 * p[(size_t)j * (size_t)W + (size_t)t] / (t + h);
            scratch[j] = v;
            int at = j;
            for (; at > 0 && scratch[order[at - 1]] < v; at--)
                order[at] = order[at - 1];
            order[at] = j;
        }
        for (int j = 0; j < h; j++)
            sum += scratch[order[j]];
        if (sum <= best)
            continue;
        best = sum;
        memset(choice, 0, (size_t)L);
        for (int j = 0; j < h; j++)
            choice[order[j]] = 1;
    }
    return best;
}

/* ---- samples ---- */

typedef struct {
    const bs_set_samples *s;
    int                  *label, *order; /* [m] labels that occur; room */
    int                  *size;          /* [n] labels of a sample */
    double               *p, *scratch;   /* [m, W] or [m] */
    uint8_t              *chosen, *tried;
    int                   m, W;
} work;

static const uint8_t *sample(const work *w, int k)
{
    return w->s->y + (size_t)k * (size_t)w->s->L;
}

static void work_free(work *w)
{
    bs_free(w->label);
    bs_free(w->p);
    bs_free(w->chosen);
}

/* The labels that may be chosen: of those that occur the likeliest, if there are too many. Chance
 * and order have L elements. */
static void take_labels(work *w, double *chance, double *order)
{
    const int L = w->s->L, room = MOST_CELLS / w->W < MOST_LABELS ? MOST_CELLS / w->W : MOST_LABELS,
              most = room > 0 ? room : 1;
    int    n = 0, equal = 0; /* labels with the least chance that still fit */
    double least = 0;
    for (int k = 0; k < w->s->n; k++)
        for (int l = 0; l < L; l++)
            chance[l] += sample(w, k)[l] ? w->s->weight[k] : 0;
    for (int l = 0; l < L; l++)
        if (chance[l] > 0)
            order[n++] = chance[l];
    if (n > most) {
        qsort(order, (size_t)n, sizeof *order, bs_by_double);
        least = order[n - most];
        for (int i = n - most; i < n; i++)
            equal += order[i] == least;
    }
    for (int l = 0; l < L; l++)
        if (chance[l] > least || (chance[l] == least && equal-- > 0))
            w->label[w->m++] = l;
}

static basin_status work_init(work *w, const bs_set_samples *s, basin_error *err)
{
    const size_t L = (size_t)s->L, n = (size_t)s->n;
    double      *chance = bs_calloc(2 * L, sizeof *chance);
    *w = (work){.s = s, .label = bs_calloc(2 * L + n, sizeof *w->label), .W = 1};
    if (!w->label || !chance) {
        bs_free(chance);
        work_free(w);
        return bs_fail_nomem(err);
    }
    w->order = w->label + L;
    w->size = w->order + L;
    for (int k = 0; k < s->n; k++) {
        for (int l = 0; l < s->L; l++)
            w->size[k] += sample(w, k)[l] != 0;
        if (s->weight[k] > 0 && w->size[k] >= w->W)
            w->W = w->size[k] + 1;
    }
    take_labels(w, chance, chance + L);
    bs_free(chance);
    w->p = bs_calloc((size_t)w->m * ((size_t)w->W + 1) + 1, sizeof *w->p);
    w->chosen = bs_calloc(2 * (size_t)w->m + 2, 1);
    if (!w->p || !w->chosen) {
        work_free(w);
        return bs_fail_nomem(err);
    }
    w->scratch = w->p + (size_t)w->m * (size_t)w->W;
    w->tried = w->chosen + w->m;
    for (int k = 0; k < s->n; k++)
        for (int j = 0; j < w->m && s->weight[k] > 0; j++)
            if (sample(w, k)[w->label[j]])
                w->p[(size_t)j * (size_t)w->W + (size_t)w->size[k]] += s->weight[k];
    return BASIN_OK;
}

static double empty_share(const work *w)
{
    double sum = 0;
    for (int k = 0; k < w->s->n; k++)
        sum += w->size[k] == 0 ? w->s->weight[k] : 0;
    return sum;
}

/* P(y = 1) of each label that occurs, to scratch. */
static void marginals(const work *w)
{
    for (int j = 0; j < w->m; j++) {
        w->scratch[j] = 0;
        for (int t = 1; t < w->W; t++)
            w->scratch[j] += w->p[(size_t)j * (size_t)w->W + (size_t)t];
    }
}

static double expected_jaccard(const work *w, const uint8_t *set)
{
    double sum = 0;
    int    h = 0;
    for (int j = 0; j < w->m; j++)
        h += set[j];
    for (int k = 0; k < w->s->n; k++) {
        int common = 0;
        for (int j = 0; j < w->m && w->s->weight[k] > 0; j++)
            common += set[j] && sample(w, k)[w->label[j]];
        const int all = h + w->size[k] - common;
        sum += w->s->weight[k] * (all > 0 ? (double)common / all : w->s->empty);
    }
    return sum;
}

static bool better(const work *w, double *best)
{
    const double value = expected_jaccard(w, w->tried);
    if (value <= *best + 1e-12)
        return false;
    *best = value;
    memcpy(w->chosen, w->tried, (size_t)w->m);
    return true;
}

/* Changes one label, or two, of the set chosen so far, if that helps. */
static bool flip(const work *w, int i, int j, double *best)
{
    memcpy(w->tried, w->chosen, (size_t)w->m);
    w->tried[i] = !w->tried[i];
    w->tried[j] = i == j ? w->tried[j] : !w->tried[j];
    return better(w, best);
}

static void decide_jaccard(const work *w)
{
    double best = -1;
    marginals(w);
    for (int j = 0, at; j < w->m; j++) {
        for (at = j; at > 0 && w->scratch[w->order[at - 1]] < w->scratch[j]; at--)
            w->order[at] = w->order[at - 1];
        w->order[at] = j;
    }
    for (int j = 0; j < w->m; j++)
        w->tried[j] = 0;
    better(w, &best);
    for (int j = 0; j < w->m; j++) {
        w->tried[w->order[j]] = 1;
        better(w, &best);
    }
    for (int k = 0; k < w->s->n; k++) {
        for (int j = 0; j < w->m; j++)
            w->tried[j] = sample(w, k)[w->label[j]];
        better(w, &best);
    }
    bool found = true;
    for (int round = 0; found && round < MOST_ROUNDS; round++) {
        found = false;
        for (int j = 0; j < w->m; j++)
            found |= flip(w, j, j, &best);
        for (int j = 0; j < w->m && w->m <= MOST_IN_PAIRS && !found; j++)
            for (int i = 0; i < j; i++)
                found |= flip(w, i, j, &best);
    }
}

/* Equal sets count together. */
static void decide_subset(const bs_set_samples *s, uint8_t *choice)
{
    const size_t L = (size_t)s->L;
    double       most = -1;
    for (int k = 0; k < s->n; k++) {
        const uint8_t *set = s->y + (size_t)k * L;
        double         sum = 0;
        for (int i = 0; i < s->n; i++)
            sum += memcmp(s->y + (size_t)i * L, set, L) == 0 ? s->weight[i] : 0;
        if (sum <= most)
            continue;
        most = sum;
        memcpy(choice, set, L);
    }
}

static void decide_hamming(const bs_set_samples *s, uint8_t *choice)
{
    for (int l = 0; l < s->L; l++) {
        double sum = 0;
        for (int k = 0; k < s->n; k++)
            sum += s->y[(size_t)k * (size_t)s->L + (size_t)l] ? s->weight[k] : 0;
        choice[l] = sum > 0.5;
    }
}

basin_status bs_decide_set(const bs_set_samples *s, bs_decision d, uint8_t *choice,
                           basin_error *err)
{
    work w;
    if (d == BS_DECIDE_SUBSET || d == BS_DECIDE_HAMMING) {
        (d == BS_DECIDE_SUBSET ? decide_subset : decide_hamming)(s, choice);
        return BASIN_OK;
    }
    basin_status status = work_init(&w, s, err);
    if (status)
        return status;
    if (d == BS_DECIDE_F1)
        bs_best_expected_f1(w.p, w.m, w.W, s->empty * empty_share(&w), w.chosen, w.scratch,
                            w.order);
    else
        decide_jaccard(&w);
    memset(choice, 0, (size_t)s->L);
    for (int j = 0; j < w.m; j++)
        choice[w.label[j]] = w.chosen[j];
    work_free(&w);
    return BASIN_OK;
}
