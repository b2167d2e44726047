/* paths.c -- backward messages of a window, then one tag after the other. */
#include "model/paths.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

struct bs_paths {
    int          N, T;
    double      *score, *factor; /* [N + 1, N + 1], and exp of it, the largest being 1 */
    const float *unary;
    double      *emit, *back; /* [T, N] exp of unary, the largest of a token being 1; messages */
    size_t       room;
};

basin_status bs_paths_new(int n_tags, bs_paths **out, basin_error *err)
{
    const size_t cells = ((size_t)n_tags + 1) * ((size_t)n_tags + 1);
    bs_paths    *p = *out = bs_calloc(1, sizeof *p);
    if (p && (p->score = bs_calloc(2 * cells, sizeof *p->score))) {
        p->factor = p->score + cells;
        p->N = n_tags;
        return BASIN_OK;
    }
    bs_paths_free(p);
    *out = NULL;
    return bs_fail_nomem(err);
}

void bs_paths_free(bs_paths *p)
{
    if (!p)
        return;
    bs_free(p->score);
    bs_free(p->emit);
    bs_free(p);
}

void bs_paths_set(bs_paths *p, const float *transition, const uint8_t *allowed)
{
    const int cells = (p->N + 1) * (p->N + 1);
    double    top = -INFINITY;
    for (int i = 0; i < cells; i++) {
        p->score[i] = allowed && !allowed[i] ? -INFINITY : (double)transition[i];
        top = i + 1 < cells ? fmax(top, p->score[i]) : top; /* the corner is not used */
    }
    for (int i = 0; i < cells; i++)
        p->factor[i] = top > -INFINITY ? exp(fmin(p->score[i] - top, 0)) : 0;
}

basin_status bs_paths_start(bs_paths *p, const float *unary, int T, basin_error *err)
{
    const size_t cells = (size_t)T * (size_t)p->N;
    p->unary = unary;
    p->T = T;
    if (cells > p->room) {
        bs_free(p->emit);
        p->emit = bs_alloc(2 * cells * sizeof *p->emit);
        p->room = p->emit ? cells : 0;
        if (!p->emit)
            return bs_fail_nomem(err);
    }
    p->back = p->emit + p->room;
    for (int t = 0; t < T; t++) {
        const float *u = unary + (size_t)t * (size_t)p->N;
        double       top = -INFINITY;
        for (int i = 0; i < p->N; i++)
            top = fmax(top, (double)u[i]);
        for (int i = 0; i < p->N; i++)
            p->emit[t * p->N + i] = top > -INFINITY ? exp((double)u[i] - top) : 0;
    }
    return BASIN_OK;
}

double bs_paths_score(const bs_paths *p, const int32_t *tag)
{
    const int N = p->N;
    double    sum = 0;
    for (int t = 0; t < p->T; t++)
        sum += p->score[(t ? tag[t - 1] : N) * (N + 1) + tag[t]] +
               (double)p->unary[(size_t)t * (size_t)N + (size_t)tag[t]];
    return p->T ? sum + p->score[tag[p->T - 1] * (N + 1) + N] : 0;
}

/* back[t][i] ~ what follows tag i at t, up to the tag after the window. */
static void messages(bs_paths *p, int first, int end, int after)
{
    const int N = p->N, M = N + 1;
    for (int i = 0; i < N; i++)
        p->back[(end - 1) * N + i] = p->factor[i * M + after];
    for (int t = end - 2; t >= first; t--) {
        const double *emit = p->emit + (t + 1) * N, *next = p->back + (t + 1) * N;
        double       *back = p->back + t * N, top = 0;
        for (int i = 0; i < N; i++) {
            back[i] = 0;
            for (int j = 0; j < N; j++)
                back[i] += p->factor[i * M + j] * emit[j] * next[j];
            top = fmax(top, back[i]);
        }
        for (int i = 0; i < N && top > 0; i++)
            back[i] /= top;
    }
}

static int draw_one(const bs_paths *p, int before, int t, double u)
{
    const int     N = p->N;
    const double *factor = p->factor + before * (N + 1);
    const double *emit = p->emit + t * N, *back = p->back + t * N;
    double        sum = 0;
    int           last = -1;
    for (int i = 0; i < N; i++)
        sum += factor[i] * emit[i] * back[i];
    for (int i = 0; i < N && sum > 0; i++) {
        const double w = factor[i] * emit[i] * back[i];
        if (!(w > 0))
            continue;
        last = i;
        if ((u -= w / sum) < 0)
            break;
    }
    return last;
}

void bs_paths_draw(bs_paths *p, int32_t *tag, int first, int end, bs_rng *rng)
{
    if (first >= end)
        return;
    messages(p, first, end, end < p->T ? tag[end] : p->N);
    for (int t = first; t < end; t++) {
        const int drawn = draw_one(p, t ? tag[t - 1] : p->N, t, bs_rng_uniform(rng));
        if (drawn < 0)
            return; /* only at the first: what follows a drawn tag is possible */
        tag[t] = drawn;
    }
}
