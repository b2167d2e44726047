/* decide.c -- tag sequences that maximise an expected metric, or have the lowest energy, where the
 * energy need not be a chain.
 *
 * The chain of an energy (without one, the net's tokens) is drawn from exactly; what the energy has
 * beyond it counts by weights, and by moves where these collapse (anneal.h). Sentences are decided
 * one by one: their samples fill a batch, in which the sentence is repeated. */
#include <math.h>
#include <string.h>

#include "data/text/expected_spans.h"
#include "model/anneal.h"
#include "model/paths.h"
#include "model/viterbi.h"
#include "task/tag/data.h"

enum {
    WINDOW = 4,     /* most words drawn anew together */
    ROOM = 1 << 22, /* most words of all samples together, ... */
    LEAST = 16,     /* ... if there are not fewer samples than that */
    LISTED = 64,    /* best sequences of the chain */
    MOST_DESCENTS = 50,
    MOST_LOOKED = 100000, /* sequences whose energies a descent computes */
    MOST_TAGS = 4096,     /* the chain's table is their square */
    STREAM = 7010,
};

struct bs_tag_sampler {
    bs_energy_program *energies; /* or NULL */
    bool               chain;    /* nothing beyond the chain */
    bs_decision        by;
    bs_tagset          set;
    bs_paths          *paths;
    bs_viterbi        *best; /* borrowed */
    int                most, N, K, n, m,
        length;        /* samples asked for, tags, samples; tokens, rows and length of the batch */
    float      *unary; /* [n, N] */
    real       *y;     /* [m, length, N] */
    double     *u;     /* [K] or [n, N] */
    bs_span    *span;
    bs_annealed a;
    bs_logger  *log;
};

basin_status bs_tag_sampler_new(bs_scorer *s, const bs_lexicon *l, const float *transition,
                                const uint8_t *allowed, bool chain, bs_viterbi *best,
                                bs_tag_sampler **out, basin_error *err)
{
    const bs_inference *how = bs_scorer_inference(s);
    bs_tag_sampler     *d = *out = bs_calloc(1, sizeof *d);
    if (!d)
        return bs_fail_nomem(err);
    d->energies = bs_scorer_energy_program(s);
    d->chain = chain || !d->energies;
    d->by = (bs_decision)how->decide;
    d->best = best;
    d->log = how->log;
    d->N = l->tags.n;
    d->most = how->decide_samples;
    basin_status status = bs_tagset_make(&l->tags, (bs_scheme)l->scheme, &d->set, err);
    if (!status && d->N > MOST_TAGS)
        status = bs_fail(err, BASIN_EARG,
                         "decide: is for at most %d tags, and the model has %d; use threshold",
                         (int)MOST_TAGS, d->N);
    if (!status && d->by == BS_DECIDE_F1 && !bs_tagset_has_spans(&d->set))
        status = bs_fail(err, BASIN_EARG,
                         "decide: f1 is for spans, and these tags are none; use subset or hamming");
    if (!status)
        status = bs_paths_new(d->N, &d->paths, err);
    if (!status)
        bs_paths_set(d->paths, transition, allowed);
    return status;
}

static void free_sentence(bs_tag_sampler *d)
{
    bs_free(d->unary);
    bs_free(d->y);
    bs_free(d->u);
    bs_free(d->span);
    bs_annealed_free(&d->a);
    d->unary = NULL;
    d->y = NULL;
    d->u = NULL;
    d->span = NULL;
}

void bs_tag_sampler_free(bs_tag_sampler *d)
{
    if (!d)
        return;
    free_sentence(d);
    bs_tagset_free(&d->set);
    bs_paths_free(d->paths);
    bs_free(d);
}

/* ---- the energy ---- */

static void redraw(void *ctx, int32_t *tag, bs_rng *rng)
{
    bs_tag_sampler *d = ctx;
    const int       most = WINDOW < d->n ? WINDOW : d->n;
    const int       size = 1 + (int)bs_rng_below(rng, (uint32_t)most);
    const int       first = (int)bs_rng_below(rng, (uint32_t)(d->n - size + 1));
    bs_paths_draw(d->paths, tag, first, first + size, rng);
}

static double base(void *ctx, const int32_t *tag)
{
    const bs_tag_sampler *d = ctx;
    return bs_paths_score(d->paths, tag);
}

/* What energies have beyond the chain, of `count` sequences. */
static basin_status beyond(bs_tag_sampler *d, const int32_t *tag, int count, double *u,
                           basin_error *err)
{
    const size_t each = (size_t)d->length * (size_t)d->N;
    basin_status s = BASIN_OK;
    for (int k = 0; k < count && !s; k += d->m) {
        const int rows = count - k < d->m ? count - k : d->m;
        memset(d->y, 0, (size_t)rows * each * sizeof *d->y);
        for (int r = 0; r < rows; r++)
            for (int t = 0; t < d->n; t++)
                d->y[(size_t)r * each + (size_t)(t * d->N + tag[(k + r) * d->n + t])] = 1;
        s = bs_energy_program_run(d->energies, rows, u + k, err);
        for (int r = 0; r < rows && !s; r++)
            u[k + r] += bs_paths_score(d->paths, tag + (size_t)(k + r) * (size_t)d->n);
    }
    return s;
}

static basin_status terms(void *ctx, const int32_t *tag, double *u, basin_error *err)
{
    bs_tag_sampler *d = ctx;
    return beyond(d, tag, d->K, u, err);
}

/* Looks at `count` sequences. */
static basin_status look(bs_tag_sampler *d, const bs_annealing *how, const int32_t *tag, int count,
                         bool *better, basin_error *err)
{
    basin_status s = beyond(d, tag, count, d->u, err);
    if (!s)
        *better |= bs_annealed_look(how, &d->a, tag, d->u, count);
    return s;
}

/* Changes one tag of the best sequence as long as that lowers its energy. */
static basin_status descend(bs_tag_sampler *d, const bs_annealing *how, basin_error *err)
{
    const size_t n = (size_t)d->n;
    int32_t     *now = bs_alloc(n * sizeof *now), *tag = d->a.y;
    basin_status s = now ? BASIN_OK : bs_fail_nomem(err);
    bool         better = true;
    int          looked = 0;
    for (int round = 0; round < MOST_DESCENTS && better && !s; round++) {
        int waiting = 0;
        better = false;
        memcpy(now, d->a.best, n * sizeof *now);
        for (int i = 0; i < d->n * d->N && looked < MOST_LOOKED && !s; i++) {
            int32_t *one = tag + (size_t)waiting * n;
            memcpy(one, now, n * sizeof *one);
            one[i / d->N] = i % d->N;
            waiting += now[i / d->N] != i % d->N;
            if (waiting < d->K && i + 1 < d->n * d->N)
                continue;
            s = look(d, how, tag, waiting, &better, err);
            looked += waiting;
            waiting = 0;
        }
    }
    bs_free(now);
    return s;
}

/* The lowest energy: of the best sequences of the chain, of samples and what they led to, then of
 * changes of one tag. */
static basin_status lowest(bs_tag_sampler *d, const bs_annealing *how, int32_t *tag,
                           basin_error *err)
{
    const int    most = d->K < LISTED ? d->K : LISTED;
    bool         better;
    int          many;
    basin_status s = bs_anneal(how, &d->a, err);
    if (!s)
        s = bs_viterbi_best(d->best, d->unary, d->n, most, d->a.y, d->u, &many, err);
    if (!s)
        s = look(d, how, d->a.y, many, &better, err);
    if (!s)
        s = descend(d, how, err);
    if (!s)
        memcpy(tag, d->a.best, (size_t)d->n * sizeof *tag);
    return s;
}

/* ---- expectations ---- */

static basin_status likeliest_spans(bs_tag_sampler *d, int32_t *tag, basin_error *err)
{
    int many;
    if (bs_expected_spans(&d->set, d->a.y, d->a.weight, d->K, d->n, d->span, &many) < 0)
        return bs_fail_nomem(err);
    bs_spans_write(&d->set, d->span, many, d->n, tag);
    return BASIN_OK;
}

static void likeliest_tags(bs_tag_sampler *d, int32_t *tag)
{
    double *p = d->u;
    memset(p, 0, (size_t)(d->n * d->N) * sizeof *p);
    for (int i = 0; i < d->K * d->n; i++)
        p[i % d->n * d->N + d->a.y[i]] += d->a.weight[i / d->n];
    for (int t = 0; t < d->n; t++) {
        tag[t] = 0;
        for (int i = 1; i < d->N; i++)
            tag[t] = p[t * d->N + i] > p[t * d->N + tag[t]] ? i : tag[t];
    }
}

/* ---- a sentence ---- */

static basin_status make_room(bs_tag_sampler *d, int32_t n, basin_error *err)
{
    const size_t cells = (size_t)n * (size_t)d->N;
    free_sentence(d);
    d->n = n;
    d->K = ROOM / n < LEAST ? LEAST : ROOM / n;
    d->K = d->K < d->most ? d->K : d->most;
    d->length = bs_tag_rounded(n);
    for (d->m = 1; d->m < d->K && 2 * d->m <= BS_TAG_SENTENCES;)
        if ((d->m *= 2) * d->length > BS_TAG_POSITIONS) {
            d->m /= 2;
            break;
        }
    d->unary = bs_calloc(cells, sizeof *d->unary);
    d->y = bs_calloc((size_t)d->m * (size_t)d->length * (size_t)d->N, sizeof *d->y);
    d->u = bs_calloc(cells + (size_t)d->K, sizeof *d->u);
    d->span = bs_calloc((size_t)n, sizeof *d->span);
    if (!d->unary || !d->y || !d->u || !d->span)
        return bs_fail_nomem(err);
    return bs_annealed_new(d->K, n, &d->a, err);
}

/* Scores of the chain. Outputs of a net: their logarithms. */
static basin_status take_unary(bs_tag_sampler *d, const bs_tag_repeat *again, int32_t sentence,
                               const real *y, basin_error *err)
{
    const size_t cells = (size_t)d->n * (size_t)d->N;
    if (!d->energies) {
        for (size_t i = 0; i < cells; i++)
            d->unary[i] = logf((float)y[i] + 1e-30f);
        return BASIN_OK;
    }
    const bs_batch *b;
    basin_status    s = again->rows(again->ctx, sentence, d->m, &b, err);
    if (!s)
        s = bs_energy_program_start(d->energies, b, 1, d->y, err);
    return s ? s : bs_energy_program_potentials(d->energies, cells, d->unary, err);
}

static basin_status decide_one(bs_tag_sampler *d, const bs_tag_repeat *again, int32_t sentence,
                               const real *y, int32_t n, int32_t *tag, basin_error *err)
{
    if (n == 0)
        return BASIN_OK;
    basin_status       s = make_room(d, n, err);
    const bs_annealing how = {d, d->K, n, redraw, base, d->chain ? NULL : terms};
    if (!s)
        s = take_unary(d, again, sentence, y, err);
    if (!s)
        s = bs_paths_start(d->paths, d->unary, n, err);
    if (!s)
        s = bs_viterbi_path(d->best, d->unary, n, tag, NULL, err);
    if (s || (d->by == BS_DECIDE_SUBSET && d->chain))
        return s;
    for (int k = 0; k < d->K; k++) {
        int32_t *one = d->a.y + (size_t)k * (size_t)n;
        bs_rng   rng = bs_rng_make(0, (uint64_t)k, STREAM);
        memcpy(one, tag, (size_t)n * sizeof *one);
        bs_paths_draw(d->paths, one, 0, n, &rng);
    }
    if (d->by == BS_DECIDE_SUBSET)
        return lowest(d, &how, tag, err);
    s = bs_anneal(&how, &d->a, err);
    if (!s && d->by == BS_DECIDE_F1)
        s = likeliest_spans(d, tag, err);
    else if (!s)
        likeliest_tags(d, tag);
    return s;
}

static basin_status overflowed(int64_t number, basin_error *err)
{
    return bs_fail(
        err, BASIN_ENUMERIC,
        "sentence %lld: an energy of sampled tags is not finite; the input or the model's "
        "weights are too large",
        (long long)number);
}

/* Programs share their memory, so y is copied before others run. */
basin_status bs_tag_decide_all(bs_tag_sampler *d, const bs_tag_repeat *again, const real *y,
                               size_t stride, const int32_t *start, const int32_t *index, int32_t n,
                               int64_t number, int32_t *tag, float *score, basin_error *err)
{
    const size_t cells = (size_t)n * stride;
    real        *kept = bs_alloc((cells + 1) * sizeof *kept);
    basin_status s = kept ? BASIN_OK : bs_fail_nomem(err);
    if (kept)
        memcpy(kept, y, cells * sizeof *kept);
    for (int32_t i = 0; i < n && !s; i++) {
        const int32_t first = start[index[i]], length = start[index[i] + 1] - first;
        const real   *own = kept + (size_t)i * stride;
        s = decide_one(d, again, index[i], own, length, tag + first, err);
        if (s == BASIN_ENUMERIC)
            s = overflowed(number + index[i], err);
        for (int32_t t = 0; t < length && !s && score; t++)
            score[first + t] = (float)own[t * d->N + tag[first + t]];
        if (!s && bs_event_stopped(d->log))
            s = bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
    }
    bs_free(kept);
    return s;
}
