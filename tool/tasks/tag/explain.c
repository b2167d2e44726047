/* explain.c -- tag sequences: how a tag depends on the one before it, and what the energy says
 * about the tokens of one sentence. */
#include <math.h>
#include <string.h>

#include "tasks/tag/explain.h"
#include "task/tag/data.h"

bool bs_explain_tag_labelled(const bs_dataset *p)
{
    return bs_dataset_tag(p)->labelled;
}

basin_status bs_explain_tag_names(bs_explanation *e, basin_error *err)
{
    const bs_names *tags = &bs_preprocess_tag(&e->m->known)->lexicon.tags;
    const char    **name = bs_arena_alloc(&e->arena, ((size_t)tags->n + 1) * sizeof *name);
    if (!name)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < tags->n; i++)
        name[i] = tags->item[i].text;
    e->name = name;
    e->names = tags->n;
    return BASIN_OK;
}

/* ---- interaction ---- */

static basin_status look(bs_explanation *e, basin_error *err)
{
    bs_explained_pairs *p = &e->pairs;
    bs_scorer          *scorer = NULL;
    p->n = e->names;
    p->ordered = true;
    p->differences = bs_tag_products(&e->m->spec) == BS_HVP_CENTRAL;
    p->interaction = bs_explain_matrix(e, p->n, p->n);
    p->count = bs_explain_matrix(e, p->n, p->n);
    if (!p->interaction || !p->count)
        return bs_fail_nomem(err);
    basin_status     s = bs_explain_scorer(e, &scorer, err);
    const bs_inquiry q = bs_explain_inquiry(e, scorer);
    if (!s)
        s = bs_tag_interactions(&q, p->interaction, &p->places, err);
    bs_scorer_free(scorer);
    if (!s)
        s = bs_tag_follows(&e->all, &e->m->known, p->count, err);
    if (!s)
        s = bs_explain_compare(e, 0, err);
    return s;
}

/* ---- one sentence ---- */

/* The energy of a sequence of tags; NaN where one is unknown to the model. */
static basin_status energy_of(bs_explanation *e, const bs_batch *b, const int32_t *tag, real *y,
                              double *out, basin_error *err)
{
    const size_t n = (size_t)bs_dataset_tag(&e->one)->tokens, N = (size_t)e->names;
    const real  *energy;
    *out = NAN;
    memset(y, 0, (size_t)b->size.length * N * sizeof *y);
    for (size_t t = 0; t < n; t++) {
        if (tag[t] < 0 || tag[t] >= e->names)
            return BASIN_OK;
        y[t * N + (size_t)tag[t]] = 1;
    }
    basin_status s = bs_energy_probe_energy(e->probe, b, y, &energy, err);
    if (!s)
        *out = (double)energy[0];
    return s;
}

/* The energy of each token: of its tag by itself, and with its neighbours: W[before][tag], after
 * the last token also W[tag][end]; start and end are number N. W is NULL for energies without. */
static void fill_terms(bs_explanation *e, const bs_outputs *y, const real *unary, const real *W)
{
    const bs_corpus *c = bs_dataset_tag(&e->one);
    const int32_t   *tag = bs_outputs_tag(y)->tag;
    const size_t     N = (size_t)e->names;
    for (int32_t t = 0; t < c->tokens; t++) {
        const size_t k = (size_t)tag[t], before = t > 0 ? (size_t)tag[t - 1] : N;
        const bool   last = t == c->tokens - 1;
        const real   into = W ? W[before * (N + 1) + k] : 0;
        const real   end = W && last ? W[k * (N + 1) + N] : 0;
        e->row.term[t] =
            (bs_explained_term){.name = c->words.item[c->word[t]].text,
                                .truth = c->tag[t] < 0 ? NULL : c->tags.item[c->tag[t]].text,
                                .predicted = e->name[k],
                                .probability = (double)y->scores[t],
                                .local = -(double)unary[(size_t)t * N + k],
                                .shared = -(double)into - (double)end};
    }
}

static basin_status look_at_sentence(bs_explanation *e, const bs_batch *b, const bs_outputs *out,
                                     const int32_t *gold, basin_error *err)
{
    bs_explained_row *r = &e->row;
    const bs_segment *w = bs_params_find(e->m->params, "energy/W");
    const size_t      parts = (size_t)(b->size.rows * b->size.length) * (size_t)e->names;
    real             *y = bs_arena_alloc(&e->arena, parts * sizeof *y), *W = NULL;
    const real       *unary;
    basin_status      s = y ? energy_of(e, b, gold, y, &r->energy_truth, err) : bs_fail_nomem(err);
    if (!s)
        s = energy_of(e, b, bs_outputs_tag(out)->tag, y, &r->energy, err);
    if (!s)
        s = bs_energy_probe_potentials(e->probe, b, &unary, err);
    if (!s && w)
        s = bs_params_map(e->m->params, w, BS_READ, &W, err);
    if (s)
        return s;
    fill_terms(e, out, unary, W);
    if (w)
        bs_params_unmap(e->m->params, w, BS_READ, W);
    return BASIN_OK;
}

static const char *text_of(bs_explanation *e)
{
    const bs_corpus *c = bs_dataset_tag(&e->one);
    bs_buf           text;
    bs_buf_init(&text, 1 << 24);
    for (int32_t t = 0; t < c->tokens; t++)
        bs_buf_printf(&text, "%s%s", t ? " " : "", c->words.item[c->word[t]].text);
    const char *copy =
        text.failed ? NULL : bs_arena_copy(&e->arena, text.data ? text.data : "", text.len);
    bs_buf_free(&text);
    return copy;
}

basin_status bs_explain_tag_row(bs_explanation *e, basin_error *err)
{
    const bs_model_file *m = e->m;
    bs_explained_row    *r = &e->row;
    const bs_corpus     *c = bs_dataset_tag(&e->one);
    static const int32_t only = 0;
    bs_tag_truth         truth = {0};
    bs_outputs           y = {0};
    bs_batches          *f = NULL;
    r->term = bs_arena_alloc(&e->arena, (size_t)c->tokens * sizeof *r->term);
    r->n_terms = c->tokens;
    r->text = text_of(e);
    basin_status s = r->term && r->text
                         ? bs_tag_truth_make(c, &bs_preprocess_tag(&m->known)->lexicon, &truth, err)
                         : bs_fail_nomem(err);
    if (!s)
        s = bs_explain_predict(e, &e->one, &y, err);
    if (!s)
        s = bs_batches_tag_all(&e->one, &m->known, &m->spec, 1, &f, err);
    if (!s)
        s = look_at_sentence(e, f->rows(f, &only, 1), &y, truth.gold, err);
    if (f)
        f->free(f);
    bs_outputs_free(&y);
    bs_tag_truth_free(&truth);
    return s;
}

const bs_task_explain bs_task_explain_tag = {.rows = 1000,
                                             .labelled = bs_explain_tag_labelled,
                                             .names = bs_explain_tag_names,
                                             .look = look,
                                             .row = bs_explain_tag_row};
