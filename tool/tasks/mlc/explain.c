/* explain.c -- label sets: how labels depend on each other, and what the energy says about the
 * labels of one row. */
#include <math.h>
#include <string.h>

#include "tasks/mlc/report.h"
#include "explain/explain.h"
#include "task/mlc/curvature.h"
#include "task/mlc/data.h"

enum { BLOCK = 256 };

static bool labelled(const bs_dataset *p)
{
    return bs_dataset_mlc(p)->labelled;
}

static basin_status names(bs_explanation *e, basin_error *err)
{
    (void)err;
    e->name = bs_preprocess_mlc(&e->m->known)->schema.label;
    e->names = bs_preprocess_mlc(&e->m->known)->schema.n_labels;
    return BASIN_OK;
}

/* Batches of up to BLOCK rows of a part. */
static basin_status open_feed(const bs_explanation *e, const bs_dataset *p, bs_batches **out,
                              basin_error *err)
{
    bs_train_options *o = bs_calloc(1, sizeof *o);
    *out = NULL;
    if (!o)
        return bs_fail_nomem(err);
    *o = e->m->settings.train;
    o->batch = BLOCK;
    basin_status s = bs_batches_mlc(p, &e->m->known, &e->m->spec, o, out, err);
    bs_free(o);
    return s;
}

/* ---- interaction ---- */

static basin_status interact(bs_explanation *e, const bs_outputs *y, basin_error *err)
{
    const bs_model_file *m = e->m;
    bs_explained_pairs  *p = &e->pairs;
    bs_label_curvature  *c = NULL;
    const size_t         n = (size_t)e->names;
    p->n = e->names;
    p->places = e->data.rows;
    p->interaction = bs_explain_matrix(e, p->n, p->n);
    p->count = bs_explain_matrix(e, p->n, p->n);
    if (!p->interaction || !p->count)
        return bs_fail_nomem(err);
    basin_status s = bs_label_curvature_new(e->w, m->params, &m->spec, &c, err);
    if (!s)
        s = bs_label_curvature_add(c, y->scores, e->data.rows, err);
    if (!s)
        s = bs_label_curvature_mean(c, p->interaction, err);
    bs_label_curvature_free(c);
    for (size_t i = 0; i < n * n; i++)
        p->interaction[i] = -p->interaction[i];
    bs_pairs_together(&bs_dataset_mlc(&e->all)->y, p->count);
    return s ? s : bs_explain_compare(e, e->all.rows, err);
}

/* ---- the two parts of the gradient ---- */

/* How much the columns of a + b [rows, labels] vary; b may be NULL. */
static double spread(const real *a, const real *b, size_t rows, size_t L)
{
    double sum = 0;
    for (size_t i = 0; i < L; i++) {
        double mean = 0, square = 0;
        for (size_t r = 0; r < rows; r++) {
            const double v = (double)a[r * L + i] + (b ? (double)b[r * L + i] : 0);
            mean += v / (double)rows;
            square += v * v / (double)rows;
        }
        sum += sqrt(fmax(0, square - mean * mean)) / (double)L;
    }
    return sum;
}

/* How much the gradient by a label varies, in its local part (minus the scores of labels) and in
 * the part over labels, at the model's outputs for up to BLOCK rows. */
static basin_status weigh_rows(bs_explanation *e, bs_batches *f, const bs_outputs *out, real *y,
                               real *local, basin_error *err)
{
    const size_t  L = (size_t)e->names;
    const int32_t rows = e->data.rows < BLOCK ? e->data.rows : BLOCK;
    int32_t       index[BLOCK];
    const real   *scores, *dy;
    for (int32_t r = 0; r < rows; r++) {
        index[r] = (int32_t)((int64_t)r * e->data.rows / rows);
        for (size_t i = 0; i < L; i++)
            y[(size_t)r * L + i] = (real)out->scores[(size_t)index[r] * L + i];
    }
    const bs_batch *b = f->rows(f, index, rows);
    basin_status    s = bs_energy_probe_potentials(e->probe, b, &scores, err);
    if (!s)
        memcpy(local, scores, (size_t)rows * L * sizeof *local);
    if (!s)
        s = bs_energy_probe_gradient(e->probe, b, y, &dy, err);
    if (s)
        return s;
    e->pairs.moves_local = spread(local, NULL, (size_t)rows, L);
    e->pairs.moves_shared = spread(dy, local, (size_t)rows, L);
    return BASIN_OK;
}

static basin_status weigh(bs_explanation *e, const bs_outputs *out, basin_error *err)
{
    const size_t cells = BLOCK * (size_t)e->names;
    bs_batches  *f = NULL;
    real        *y = bs_arena_alloc(&e->arena, cells * sizeof *y);
    real        *local = bs_arena_alloc(&e->arena, cells * sizeof *local);
    basin_status s = y && local ? open_feed(e, &e->data, &f, err) : bs_fail_nomem(err);
    if (!s)
        s = weigh_rows(e, f, out, y, local, err);
    if (f)
        f->free(f);
    return s;
}

static basin_status look(bs_explanation *e, basin_error *err)
{
    bs_outputs   y = {0};
    basin_status s = bs_explain_predict(e, &e->data, &y, err);
    if (!s)
        s = interact(e, &y, err);
    if (!s)
        s = bs_task_go_on(e->stop, err);
    if (!s)
        s = weigh(e, &y, err);
    bs_outputs_free(&y);
    return s;
}

/* ---- one row ---- */

typedef struct {
    const bs_batch *b;  /* BLOCK copies of the row ... */
    real           *y;  /* ... with the set of each, [BLOCK, labels]: the predicted one */
    bool           *on; /* [labels], predicted */
} one_row;

/* Of the predicted set and the true one. */
static basin_status energies(bs_explanation *e, const one_row *o, basin_error *err)
{
    const bs_csr *truth = &bs_dataset_mlc(&e->one)->y;
    const size_t  L = (size_t)e->names;
    const real   *energy;
    memset(o->y + L, 0, L * sizeof *o->y);
    for (int32_t k = truth->start[0]; k < truth->start[1]; k++)
        o->y[L + (size_t)truth->index[k]] = 1;
    basin_status s = bs_energy_probe_energy(e->probe, o->b, o->y, &energy, err);
    if (s)
        return s;
    e->row.energy = (double)energy[0];
    e->row.energy_truth = (double)energy[1];
    memcpy(o->y + L, o->y, L * sizeof *o->y);
    return s;
}

/* Having a label costs the energy with it minus that without; what is not local is over labels. */
static basin_status share_costs(bs_explanation *e, const one_row *o, basin_error *err)
{
    const size_t L = (size_t)e->names;
    basin_status s = BASIN_OK;
    for (size_t first = 0; first < L && !s; first += BLOCK) {
        const size_t n = L - first < BLOCK ? L - first : BLOCK;
        const real  *energy;
        for (size_t k = 0; k < n; k++)
            o->y[k * L + first + k] = !o->on[first + k];
        s = bs_energy_probe_energy(e->probe, o->b, o->y, &energy, err);
        for (size_t k = 0; k < n; k++) {
            bs_explained_term *t = &e->row.term[first + k];
            const double       change = s ? 0 : (double)energy[k] - e->row.energy;
            t->shared = (o->on[first + k] ? -change : change) - t->local;
            o->y[k * L + first + k] = o->on[first + k];
        }
    }
    return s;
}

static const char *excerpt(bs_explanation *e)
{
    enum { EXCERPT = 600 };
    bs_buf text;
    bs_buf_init(&text, 1 << 16);
    bs_excerpt(&bs_dataset_mlc(&e->one)->document[0], EXCERPT, &text);
    const char *copy = text.failed ? NULL : bs_arena_copy(&e->arena, text.data, text.len);
    bs_buf_free(&text);
    return copy;
}

static basin_status look_at_row(bs_explanation *e, bs_batches *f, one_row *o, const bs_outputs *y,
                                basin_error *err)
{
    bs_explained_row    *r = &e->row;
    const bs_csr        *truth = &bs_dataset_mlc(&e->one)->y;
    static const int32_t index[BLOCK] = {0}; /* zeros: the only row, BLOCK times */
    const real          *scores;
    int32_t             *on = bs_arena_alloc(&e->arena, (size_t)e->names * sizeof *on);
    r->term = bs_arena_alloc(&e->arena, (size_t)e->names * sizeof *r->term);
    r->text = bs_dataset_mlc(&e->one)->row_id ? bs_dataset_mlc(&e->one)->row_id[0] : "";
    if (bs_dataset_mlc(&e->one)->document)
        r->text = excerpt(e);
    if (!on || !r->term || !r->text)
        return bs_fail_nomem(err);
    const int32_t n = bs_threshold_apply(&e->m->threshold, y->scores, e->names, on);
    for (int32_t i = 0; i < n; i++)
        o->on[on[i]] = true;
    for (size_t i = 0; i < BLOCK * (size_t)e->names; i++)
        o->y[i] = o->on[i % (size_t)e->names];
    o->b = f->rows(f, index, BLOCK);
    basin_status s = bs_energy_probe_potentials(e->probe, o->b, &scores, err);
    for (r->n_terms = 0; r->n_terms < e->names && !s; r->n_terms++)
        r->term[r->n_terms] = (bs_explained_term){.name = e->name[r->n_terms],
                                                  .truth = "off",
                                                  .predicted = o->on[r->n_terms] ? "on" : "off",
                                                  .probability = (double)y->scores[r->n_terms],
                                                  .local = -(double)scores[r->n_terms]};
    for (int32_t k = truth->start[0]; k < truth->start[1] && !s; k++)
        r->term[truth->index[k]].truth = "on";
    if (!s)
        s = energies(e, o, err);
    return s ? s : share_costs(e, o, err);
}

static basin_status explain_row(bs_explanation *e, basin_error *err)
{
    const size_t L = (size_t)e->names;
    bs_outputs   y = {0};
    bs_batches  *f = NULL;
    one_row      o = {.y = bs_arena_alloc(&e->arena, BLOCK * L * sizeof *o.y),
                      .on = bs_arena_alloc(&e->arena, L * sizeof *o.on)};
    basin_status s = o.y && o.on ? bs_explain_predict(e, &e->one, &y, err) : bs_fail_nomem(err);
    if (!s)
        s = open_feed(e, &e->one, &f, err);
    if (!s)
        s = look_at_row(e, f, &o, &y, err);
    if (f)
        f->free(f);
    bs_outputs_free(&y);
    return s;
}

const bs_task_explain bs_task_explain_mlc = {
    .rows = 2000, .labelled = labelled, .names = names, .look = look, .row = explain_row};
