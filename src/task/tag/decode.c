/* decode.c -- from outputs of a model to tags. */
#include <math.h>

#include "data/text/roles.h"
#include "model/viterbi.h"
#include "task/tag/data.h"

void bs_tag_decoder_free(bs_tag_decoder *d)
{
    bs_tag_sampler_free(d->sampler);
    bs_viterbi_free(d->best);
    bs_free(d->once);
    bs_free(d->unary);
}

static basin_status allowed_of(const bs_lexicon *l, uint8_t *allowed, basin_error *err)
{
    bs_tagset    tags;
    basin_status s = bs_tagset_make(&l->tags, (bs_scheme)l->scheme, &tags, err);
    if (!s)
        bs_tagset_allowed(&tags, allowed);
    bs_tagset_free(&tags);
    return s;
}

/* Tags that begin a core role: of each of these there may be one. */
static basin_status once_of(const bs_lexicon *l, int8_t **out, basin_error *err)
{
    bs_tagset    tags;
    basin_status s = bs_tagset_make(&l->tags, (bs_scheme)l->scheme, &tags, err);
    if (!s && !(*out = bs_alloc((size_t)tags.n + 1)))
        s = bs_fail_nomem(err);
    for (int32_t i = 0; i < tags.n && !s; i++)
        (*out)[i] =
            (int8_t)(tags.tag[i].part == 'B' ? bs_role_core(tags.types.item[tags.tag[i].type].text)
                                             : -1);
    bs_tagset_free(&tags);
    return s;
}

/* In an ensemble potentials are means, so transitions are averaged, too. */
static basin_status mean_transitions(const bs_scorer *s, size_t cells, float *out, basin_error *err)
{
    double models = 0;
    for (const bs_scorer *one = s; one; one = bs_scorer_next(one))
        models++;
    for (const bs_scorer *one = s; one; one = bs_scorer_next(one)) {
        const bs_params  *p = bs_scorer_params(one);
        const bs_segment *w = bs_params_find(p, "energy/W");
        real             *from;
        basin_status      status = w ? bs_params_map(p, w, BS_READ, &from, err) : BASIN_OK;
        if (status)
            return status;
        for (size_t i = 0; i < cells && w; i++)
            out[i] += (float)((double)from[i] / models);
        if (w)
            bs_params_unmap(p, w, BS_READ, from);
    }
    return BASIN_OK;
}

basin_status bs_tag_decoder_make(bs_scorer *s, const bs_lexicon *l, bs_tag_decoder *out,
                                 basin_error *err)
{
    const bs_inference *how = bs_scorer_inference(s);
    const size_t        n = (size_t)l->tags.n + 1;
    const bs_net_spec  *spec = bs_scorer_spec(s);
    const bool          exact = how->how == BS_INFER_VITERBI;
    *out = (bs_tag_decoder){.tags = l->tags.n, .logs = !exact};
    if (!exact && !how->constrained && !how->decide)
        return BASIN_OK;
    float       *transition = bs_calloc(n * n, sizeof *transition);
    uint8_t     *allowed = bs_calloc(n * n, 1);
    basin_status status =
        transition && allowed ? bs_viterbi_new(l->tags.n, &out->best, err) : bs_fail_nomem(err);
    if (!status && how->constrained)
        status = allowed_of(l, allowed, err);
    if ((exact || bs_scorer_energy_program(s)) && !status)
        status = mean_transitions(s, n * n, transition, err);
    if (!status)
        bs_viterbi_set(out->best, transition, how->constrained ? allowed : NULL);
    if (!status && how->decide)
        status = bs_tag_sampler_new(s, l, transition, how->constrained ? allowed : NULL,
                                    spec->graph->chain(spec), out->best, &out->sampler, err);
    if (!status && how->unique)
        status = once_of(l, &out->once, err);
    bs_free(transition);
    bs_free(allowed);
    return status;
}

void bs_tag_token_by_token(const real *y, int32_t n, int N, int32_t *tag)
{
    for (int32_t i = 0; i < n; i++, y += N) {
        int best = 0;
        for (int k = 1; k < N; k++)
            best = y[k] > y[best] ? k : best;
        tag[i] = best;
    }
}

/* Scores of one sentence in the layout of the Viterbi search. */
static basin_status take_unary(bs_tag_decoder *d, const real *y, int32_t n, basin_error *err)
{
    const size_t cells = (size_t)n * (size_t)d->tags;
    if (cells > d->room) {
        bs_free(d->unary);
        d->unary = bs_calloc(cells, sizeof *d->unary);
        d->room = d->unary ? cells : 0;
        if (!d->unary)
            return bs_fail_nomem(err);
    }
    for (size_t i = 0; i < cells; i++)
        d->unary[i] = d->logs ? logf((float)y[i] + 1e-30f) : (float)y[i];
    return BASIN_OK;
}

static basin_status best_sequence(bs_tag_decoder *d, const real *y, int32_t n, int32_t *tag,
                                  basin_error *err)
{
    basin_status s = take_unary(d, y, n, err);
    if (!s && d->once)
        return bs_viterbi_once(d->best, d->unary, n, d->once, tag, NULL, err);
    return s ? s : bs_viterbi_path(d->best, d->unary, n, tag, NULL, err);
}

basin_status bs_tag_best(bs_tag_decoder *d, const bs_scored *found, size_t at, int32_t n, int most,
                         int32_t *tag, double *score, int *out, basin_error *err)
{
    basin_status s = take_unary(d, (found->potentials ? found->potentials : found->y) + at, n, err);
    return s ? s : bs_viterbi_best(d->best, d->unary, n, most, tag, score, out, err);
}

basin_status bs_tag_decide(bs_tag_decoder *d, const bs_scored *found, size_t at, int32_t n,
                           int32_t *tag, float *score, basin_error *err)
{
    const real  *y = found->y + at;
    basin_status s = BASIN_OK;
    if (d->best)
        s = best_sequence(d, found->potentials ? found->potentials + at : y, n, tag, err);
    else
        bs_tag_token_by_token(y, n, d->tags, tag);
    for (int32_t i = 0; i < n && !s && score; i++)
        score[i] = (float)y[(size_t)i * (size_t)d->tags + (size_t)tag[i]];
    return s;
}
