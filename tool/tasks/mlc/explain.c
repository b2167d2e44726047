/* explain.c -- label sets: how labels depend on each other, and what the energy says about the
 * labels of one row. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "task/mlc/curvature.h"
#include "task/mlc/data.h"

enum { BLOCK = 256, TOGETHER = 3, APART = 2, COMMON = 20 };

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

static bs_hvp_kind products(const bs_net_spec *s)
{
    (void)s;
    return BS_HVP_EXACT;
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

/* ---- gradients ---- */

static void add_bend(bs_explanation *e, bs_explained_pair pair, const char *what)
{
    const bs_explained_pairs *p = &e->pairs;
    const size_t              n = (size_t)p->n, i = (size_t)pair.i, j = (size_t)pair.j;
    const bool                rarer = p->count[i * n + i] < p->count[j * n + j];
    e->bend[e->bends++] = (bs_explained_bend){
        .from = rarer ? pair.i : pair.j, .to = rarer ? pair.j : pair.i, .what = what};
}

/* Among the most frequent labels the two that are least related. */
static bool find_nothing(const bs_explanation *e, bs_explained_pair *out)
{
    const bs_explained_pairs *p = &e->pairs;
    const size_t              n = (size_t)p->n;
    size_t                    common[COMMON];
    int                       k = 0;
    for (size_t i = 0; i < n; i++) {
        int at = k;
        while (at > 0 && p->count[i * n + i] > p->count[common[at - 1] * n + common[at - 1]])
            at--;
        if (at == COMMON)
            continue;
        k += k < COMMON;
        memmove(common + at + 1, common + at, (size_t)(k - 1 - at) * sizeof *common);
        common[at] = i;
    }
    double least = INFINITY;
    for (int a = 0; a < k; a++)
        for (int b = a + 1; b < k; b++)
            if (fabs(p->interaction[common[a] * n + common[b]]) < least) {
                least = fabs(p->interaction[common[a] * n + common[b]]);
                *out = (bs_explained_pair){(int32_t)common[a], (int32_t)common[b]};
            }
    return k > 1;
}

static void choose_bends(bs_explanation *e)
{
    bs_explained_pair found[TOGETHER];
    int               n = bs_explain_strongest(e, true, TOGETHER, found);
    for (int i = 0; i < n; i++)
        add_bend(e, found[i], "together");
    n = bs_explain_strongest(e, false, APART, found);
    for (int i = 0; i < n; i++)
        add_bend(e, found[i], "apart");
    if (find_nothing(e, &found[0]))
        add_bend(e, found[0], "nothing");
}

/* The energy's gradient by label `to` is that of its local part, -b_to, plus that over labels. */
static basin_status follow(bs_explanation *e, const bs_batch *b, int32_t rows, real *y,
                           const real *local, bs_explained_bend *bend, basin_error *err)
{
    const size_t L = (size_t)e->names, from = (size_t)bend->from, to = (size_t)bend->to;
    const real  *dy;
    real         was[BLOCK];
    double       mean = 0;
    basin_status s = BASIN_OK;
    for (size_t r = 0; r < (size_t)rows; r++) {
        was[r] = y[r * L + from];
        mean += (double)y[r * L + to] / rows;
    }
    for (int k = 0; k < BS_EXPLAIN_POINTS && !s; k++) {
        for (size_t r = 0; r < (size_t)rows; r++)
            y[r * L + from] = (real)k / (BS_EXPLAIN_POINTS - 1);
        s = bs_energy_probe_gradient(e->probe, b, y, &dy, err);
        for (size_t r = 0; r < (size_t)rows && !s; r++)
            bend->gradient[k] += ((double)dy[r * L + to] + (double)local[r * L + to]) / rows;
    }
    for (size_t r = 0; r < (size_t)rows; r++)
        y[r * L + from] = was[r];
    /* of -log y_to, if the label is true: independent of the others */
    bend->cross_entropy = -1 / fmax(mean, 1e-6);
    return s;
}

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

static basin_status weigh(bs_explanation *e, const bs_batch *b, int32_t rows, const real *y,
                          const real *local, basin_error *err)
{
    const real  *dy;
    basin_status s = bs_energy_probe_gradient(e->probe, b, y, &dy, err);
    if (s)
        return s;
    e->pairs.moves_local = spread(local, NULL, (size_t)rows, (size_t)e->names);
    e->pairs.moves_shared = spread(dy, local, (size_t)rows, (size_t)e->names);
    return BASIN_OK;
}

static basin_status follow_all(bs_explanation *e, bs_batches *f, const bs_outputs *out, real *y,
                               real *local, basin_error *err)
{
    const size_t  L = (size_t)e->names;
    const int32_t rows = e->data.rows < BLOCK ? e->data.rows : BLOCK;
    int32_t       index[BLOCK];
    for (int32_t r = 0; r < rows; r++) {
        index[r] = (int32_t)((int64_t)r * e->data.rows / rows);
        for (size_t i = 0; i < L; i++)
            y[(size_t)r * L + i] = (real)out->scores[(size_t)index[r] * L + i];
    }
    const bs_batch *b = f->rows(f, index, rows);
    const real     *scores;
    basin_status    s = bs_energy_probe_potentials(e->probe, b, &scores, err);
    if (!s)
        memcpy(local, scores, (size_t)rows * L * sizeof *local);
    if (!s)
        s = weigh(e, b, rows, y, local, err);
    for (int i = 0; i < e->bends && !s; i++)
        s = follow(e, b, rows, y, local, &e->bend[i], err);
    return s;
}

static basin_status bend(bs_explanation *e, const bs_outputs *out, basin_error *err)
{
    const size_t cells = BLOCK * (size_t)e->names;
    bs_batches  *f = NULL;
    real        *y = bs_arena_alloc(&e->arena, cells * sizeof *y);
    real        *local = bs_arena_alloc(&e->arena, cells * sizeof *local);
    choose_bends(e);
    basin_status s = y && local ? open_feed(e, &e->data, &f, err) : bs_fail_nomem(err);
    if (!s)
        s = follow_all(e, f, out, y, local, err);
    if (f)
        f->free(f);
    return s;
}

static basin_status look(bs_explanation *e, basin_error *err)
{
    bs_outputs   y = {0};
    basin_status s = bs_explain_predict(e, &e->data, NULL, &y, err);
    if (!s)
        s = interact(e, &y, err);
    if (!s)
        s = bs_explain_go_on(e, err);
    if (!s)
        s = bend(e, &y, err);
    bs_outputs_free(&y);
    return s;
}

/* ---- one row ---- */

/* The predicted set, the true one, and all sets that differ from the predicted one in one label. */
typedef struct {
    const bs_batch *b;     /* copies of the row */
    real           *y;     /* [BLOCK, labels] */
    uint8_t        *on;    /* [labels], predicted */
    double         *score; /* [labels] local ones */
} one_row;

static basin_status energies(bs_explanation *e, one_row *o, basin_error *err)
{
    bs_explained_row *r = &e->row;
    const bs_csr     *truth = &bs_dataset_mlc(&e->one)->y;
    const size_t      L = (size_t)e->names;
    const real       *energy;
    for (size_t k = 0; k < BLOCK; k++)
        for (size_t i = 0; i < L; i++)
            o->y[k * L + i] = k == 1 ? 0 : o->on[i];
    for (int32_t k = truth->start[0]; k < truth->start[1]; k++)
        o->y[L + (size_t)truth->index[k]] = 1;
    basin_status s = bs_energy_probe_energy(e->probe, o->b, o->y, &energy, err);
    if (s)
        return s;
    r->energy = (double)energy[0];
    r->energy_truth = (double)energy[1];
    for (size_t i = 0; i < L; i++)
        o->y[L + i] = o->on[i];
    return s;
}

/* change[i] of the energy when label i is switched. */
static basin_status change_labels(bs_explanation *e, one_row *o, double *change, basin_error *err)
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
            o->y[k * L + first + k] = o->on[first + k];
            if (!s)
                change[first + k] = (double)energy[k] - e->row.energy;
        }
    }
    return s;
}

/* Having label i costs -b_i locally; the rest of its cost is over labels. */
static void fill_terms(bs_explanation *e, const one_row *o, const float *p, const double *change)
{
    bs_explained_row *r = &e->row;
    const bs_csr     *truth = &bs_dataset_mlc(&e->one)->y;
    for (int32_t i = 0; i < r->n_terms; i++) {
        const bool   on = o->on[i];
        const double cost = on ? -change[i] : change[i]; /* E with the label - E without */
        r->term[i] = (bs_explained_term){.name = e->name[i],
                                         .truth = "off",
                                         .predicted = on ? "on" : "off",
                                         .probability = (double)p[i],
                                         .local = -o->score[i],
                                         .shared = cost + o->score[i],
                                         .other = on ? "off" : "on",
                                         .change = change[i]};
    }
    for (int32_t k = truth->start[0]; k < truth->start[1]; k++)
        r->term[truth->index[k]].truth = "on";
    for (int32_t i = 0; i < r->n_terms; i++)
        bs_explain_flip(r, &r->term[i]);
}

static basin_status look_at_row(bs_explanation *e, bs_batches *f, one_row *o, const bs_outputs *y,
                                double *change, basin_error *err)
{
    bs_explained_row    *r = &e->row;
    static const int32_t index[BLOCK] = {0}; /* zeros: the only row, BLOCK times */
    const real          *scores;
    int32_t             *on = bs_arena_alloc(&e->arena, (size_t)e->names * sizeof *on);
    r->n_terms = e->names;
    r->term = bs_arena_alloc(&e->arena, (size_t)e->names * sizeof *r->term);
    r->text = bs_dataset_mlc(&e->one)->row_id ? bs_dataset_mlc(&e->one)->row_id[0] : "";
    if (!on || !r->term)
        return bs_fail_nomem(err);
    const int32_t n = bs_threshold_apply(&e->m->threshold, y->scores, e->names, on);
    for (int32_t i = 0; i < n; i++)
        o->on[on[i]] = 1;
    o->b = f->rows(f, index, BLOCK);
    basin_status s = bs_energy_probe_potentials(e->probe, o->b, &scores, err);
    for (int32_t i = 0; i < e->names && !s; i++)
        o->score[i] = (double)scores[i];
    if (!s)
        s = energies(e, o, err);
    if (!s)
        s = change_labels(e, o, change, err);
    if (!s)
        fill_terms(e, o, y->scores, change);
    return s;
}

static basin_status explain_row(bs_explanation *e, basin_error *err)
{
    const size_t L = (size_t)e->names;
    bs_outputs   y = {0};
    bs_batches  *f = NULL;
    one_row      o = {.y = bs_arena_alloc(&e->arena, BLOCK * L * sizeof *o.y),
                      .on = bs_arena_alloc(&e->arena, L),
                      .score = bs_arena_alloc(&e->arena, L * sizeof *o.score)};
    double      *change = bs_arena_alloc(&e->arena, L * sizeof *change);
    basin_status s = o.y && o.on && o.score && change ? BASIN_OK : bs_fail_nomem(err);
    if (!s)
        s = bs_explain_predict(e, &e->one, NULL, &y, err);
    if (!s)
        s = open_feed(e, &e->one, &f, err);
    if (!s)
        s = look_at_row(e, f, &o, &y, change, err);
    if (f)
        f->free(f);
    bs_outputs_free(&y);
    return s;
}

const bs_task_explain bs_task_explain_mlc = {.rows = 2000,
                                             .labelled = labelled,
                                             .names = names,
                                             .products = products,
                                             .look = look,
                                             .row = explain_row};
