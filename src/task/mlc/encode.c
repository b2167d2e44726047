/* encode.c -- texts of rows as an encoder reads them: batches, what a fixed encoder finds (once for
 * each part while a model is trained), scores. */
#include <math.h>
#include <string.h>

#include "task/mlc/text.h"

/* ---- batches ---- */

basin_status bs_mlc_text_pieces(const bs_mlc_text *t, const bs_rows *d, bs_documents *out,
                                basin_error *err)
{
    *out = (bs_documents){.rows = 0};
    if (!d->document)
        return bs_fail(err, BASIN_EDATA, "the model reads texts, and these rows have none");
    return bs_documents_make(t->tokens, d->document, d->rows, t->most, out, err);
}

basin_status bs_mlc_pieces_take(bs_mlc_text *t, const bs_rows *d, bs_mlc_pieces **out,
                                basin_error *err)
{
    bs_mlc_pieces *p = t->source ? t->pieces : NULL; /* a model may be used by many at once */
    if (!p || p->of != d) {
        if (!(p = bs_calloc(1, sizeof *p)))
            return bs_fail_nomem(err);
        p->of = d;
        basin_status s = bs_mlc_text_pieces(t, d, &p->documents, err);
        if (s) {
            bs_mlc_pieces_leave(t, p);
            return s;
        }
        if (t->source)
            t->pieces = p;
    }
    p->users++;
    *out = p;
    return BASIN_OK;
}

void bs_mlc_pieces_leave(bs_mlc_text *t, bs_mlc_pieces *p)
{
    if (!p || --p->users > 0)
        return;
    if (t->pieces == p)
        t->pieces = NULL;
    bs_documents_free(&p->documents);
    bs_free(p);
}

int bs_mlc_text_bind(const bs_packed *p, bs_batch *b)
{
    b->x[1] = p->piece;
    b->x[2] = p->position;
    b->x[3] = p->start;
    b->x[4] = &p->pool;
    return b->size.length = p->rows;
}

/* ---- what a fixed encoder finds ---- */

enum { DOCUMENTS = 32, PIECES = 4096 /* of a batch */ };

typedef struct {
    const bs_mlc_text *text;
    bs_mlc_shape       shape;
    bs_params         *params;
} reader;

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    reader *own = ctx;
    bs_nn   nn = {g, own->params, false, 0};
    bs_mlc_inputs(g, &own->shape, (bs_size){key.v[0], key.v[1], 1}, &r->input);
    bs_id found = bs_mlc_documents(&nn, "net", &own->shape, &r->input);
    r->result[r->n_results++] = (bs_result){found, -1};
}

/* Declares the parameters, and gives them their values. */
static basin_status load(reader *r, const bs_device *d, basin_error *err)
{
    bs_graph *g = bs_graph_new();
    bs_recipe recipe = {.n_results = 0};
    if (!g || !(r->params = bs_params_new())) {
        bs_graph_free(g);
        return bs_fail_nomem(err);
    }
    build(g, r, (bs_key){{1, 16}}, &recipe);
    basin_status s = bs_graph_check(g, err);
    bs_graph_free(g);
    if (!s)
        s = bs_params_allocate(r->params, d, 0, err);
    if (!s)
        s = bs_mlc_text_fill(r->text, r->params, "", err);
    bool changed;
    return !s && r->text->halves ? bs_pretrained_round(r->params, &changed, err) : s;
}

static basin_status read_batch(reader *r, bs_cache *cache, const bs_packed *packed,
                               const int32_t *index, int32_t n, float *out, basin_error *err)
{
    const size_t W = (size_t)r->shape.text->width;
    bs_batch     b = {.size = {bs_scorer_padded(n), 0, 1}};
    bs_entry    *e;
    bool         fresh;
    const real  *found;
    bs_mlc_text_bind(packed, &b);
    basin_status s = bs_cache_get(cache, (bs_key){{b.size.rows, b.size.length}}, &e, &fresh, err);
    if (s)
        return s;
    if (fresh)
        bs_params_bind(r->params, e->program);
    for (int i = 0; i < e->input.n; i++)
        bs_entry_bind(e, &e->input, i, b.x[i]);
    s = bs_program_run(e->program, &(bs_run){0, 0}, err);
    if (!s)
        s = bs_fetch(e->program, 0, &found, err);
    for (size_t i = 0; i < (size_t)n && !s; i++)
        for (size_t k = 0; k < W; k++)
            out[(size_t)index[i] * W + k] = (float)found[i * W + k];
    return s;
}

typedef basin_status (*on_batch)(void *ctx, const bs_packed *p, const int32_t *index, int32_t n,
                                 basin_error *err);

/* Calls it for all rows, in batches of similar length. */
static basin_status in_batches(const bs_mlc_text *t, const bs_rows *d, on_batch f, void *ctx,
                               basin_error *err)
{
    bs_documents documents;
    bs_packed    packed = {.rows = 0};
    int32_t     *order = bs_calloc((size_t)d->rows + 1, sizeof *order);
    basin_status s = bs_mlc_text_pieces(t, d, &documents, err);
    if (!s && !order)
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_by_length(documents.start, d->rows, order, err);
    if (!s)
        s = bs_packed_new(&documents, DOCUMENTS, &packed, err);
    for (int32_t at = 0, n; at < d->rows && !s; at += n) {
        const int32_t left = d->rows - at;
        n = bs_documents_fitting(&documents, order + at, left < DOCUMENTS ? left : DOCUMENTS,
                                 PIECES);
        bs_packed_make(&packed, &t->packing, &documents, order + at, n, bs_scorer_padded(n));
        s = f(ctx, &packed, order + at, n, err);
    }
    bs_packed_free(&packed);
    bs_documents_free(&documents);
    bs_free(order);
    return s;
}

typedef struct {
    reader   *r;
    bs_cache *cache;
    float    *out;
} finder;

static basin_status find_batch(void *ctx, const bs_packed *p, const int32_t *index, int32_t n,
                               basin_error *err)
{
    const finder *f = ctx;
    return read_batch(f->r, f->cache, p, index, n, f->out, err);
}

static basin_status find_all(bs_mlc_text *t, const bs_rows *d, float *out, basin_error *err)
{
    bs_workspace *w = NULL;
    reader        r = {.text = t, .shape = {.text = &t->form.shape, .use = {.fixed = true}}};
    finder        f = {.r = &r, .out = out};
    basin_status  s = bs_workspace_open((bs_machine){.threads = t->threads}, &w, err);
    if (!s)
        s = load(&r, w->device, err);
    if (!s && !(f.cache = bs_cache_new(w, build, &r, BS_PLAN_APART)))
        s = bs_fail_nomem(err);
    if (!s)
        s = in_batches(t, d, find_batch, &f, err);
    bs_cache_free(f.cache);
    bs_params_free(r.params);
    bs_workspace_close(w);
    return s;
}

void bs_mlc_finding_leave(bs_mlc_finding *f)
{
    if (!f || --f->users > 0)
        return;
    bs_free(f->value);
    bs_free(f);
}

/* Puts a finding of the list, or a new one in the place of the oldest, in front. */
static void put_first(bs_mlc_text *t, bs_mlc_finding *f, int from)
{
    if (t->finding[from] != f) {
        bs_mlc_finding_leave(t->finding[from]);
        f->users++;
    }
    memmove(t->finding + 1, t->finding, (size_t)from * sizeof *t->finding);
    t->finding[0] = f;
}

basin_status bs_mlc_finding_take(bs_mlc_text *t, const bs_rows *d, bs_mlc_finding **out,
                                 basin_error *err)
{
    const size_t cells = (size_t)d->rows * (size_t)t->form.shape.width;
    int          i = 0;
    while (i < BS_MLC_FINDINGS && t->finding[i] &&
           (t->finding[i]->of != d || t->finding[i]->hash != d->hash))
        i++;
    bs_mlc_finding *f = i < BS_MLC_FINDINGS ? t->finding[i] : NULL;
    if (!f) {
        if (!(f = bs_calloc(1, sizeof *f)))
            return bs_fail_nomem(err);
        *f = (bs_mlc_finding){d, d->hash, bs_calloc(cells + 1, sizeof *f->value), 0};
        basin_status s = f->value ? find_all(t, d, f->value, err) : bs_fail_nomem(err);
        if (s) {
            bs_mlc_finding_leave(f);
            return s;
        }
    }
    put_first(t, f, i < BS_MLC_FINDINGS ? i : BS_MLC_FINDINGS - 1);
    f->users++;
    *out = f;
    return BASIN_OK;
}

/* As the graph does it, to the bit. */
static void standardise(const bs_mlc_text *t, float *value, int32_t rows)
{
    const size_t W = (size_t)t->form.shape.width;
    for (size_t i = 0; i < (size_t)rows * W; i++)
        value[i] = (value[i] - t->mean[i % W]) * t->scale[i % W];
}

basin_status bs_mlc_text_fit(bs_mlc_text *t, const bs_rows *train, const bs_train_options *o,
                             basin_error *err)
{
    const size_t    W = (size_t)t->form.shape.width;
    bs_mlc_finding *found;
    if (strcmp(o->encoder_train, "none") != 0)
        return BASIN_OK;
    basin_status s = bs_mlc_finding_take(t, train, &found, err);
    if (s)
        return s;
    t->mean = bs_calloc(W, sizeof *t->mean);
    t->scale = bs_calloc(W, sizeof *t->scale);
    if (!t->mean || !t->scale)
        s = bs_fail_nomem(err);
    for (size_t k = 0; k < W && !s; k++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < (size_t)train->rows; i++) {
            const double v = (double)found->value[i * W + k];
            sum += v;
            squares += v * v;
        }
        const double mean = sum / train->rows, variance = squares / train->rows - mean * mean;
        t->mean[k] = (float)mean;
        t->scale[k] = (float)(variance > 1e-12 ? 1 / sqrt(variance) : 1);
    }
    if (!s) /* those of other parts will be when they are computed */
        standardise(t, found->value, train->rows);
    bs_mlc_finding_leave(found);
    return s;
}

/* ---- scores ---- */

void bs_mlc_take_columns(const bs_mlc_columns_source *s, const int32_t *index, int32_t first,
                         int32_t n, int size, float *scratch, real *out)
{
    const size_t D = (size_t)s->schema->n_features, W = s->found ? (size_t)s->width : 0;
    bs_rows_dense(s->data, s->schema, index, first, n, scratch);
    for (size_t i = 0; i < (size_t)n; i++) {
        const size_t row = (size_t)(index ? index[(size_t)first + i] : first + (int32_t)i);
        for (size_t k = 0; k < D; k++)
            *out++ = (real)scratch[i * D + k];
        for (size_t k = 0; k < W; k++)
            *out++ = (real)s->found->value[row * W + k];
    }
    memset(out, 0, (size_t)(size - n) * (D + W) * sizeof *out);
}

typedef struct {
    bs_scorer            *s;
    bs_mlc_columns_source from;
    int64_t               number;
    float                *scores, *energy, *scratch; /* scratch: [rows of a batch, features] */
    real                 *columns;                   /* [rows of a batch, columns] */
} scoring;

static basin_status score_batch(void *ctx, const bs_packed *p, const int32_t *index, int32_t n,
                                basin_error *err)
{
    const scoring *c = ctx;
    bs_batch       b = {.size = {bs_scorer_padded(n), 0, 1}, .x = {c->columns}};
    bs_mlc_text_bind(p, &b);
    bs_mlc_take_columns(&c->from, index, 0, n, b.size.rows, c->scratch, c->columns);
    return bs_scorer_rows(c->s, &b, n, index, c->number, c->scores, c->energy, err);
}

/* With what was found in the texts. */
static basin_status score_found(const scoring *c, basin_error *err)
{
    const size_t  L = (size_t)c->from.schema->n_labels;
    const int32_t rows = c->from.data->rows;
    basin_status  s = BASIN_OK;
    for (int32_t at = 0, n; at < rows && !s; at += n) {
        n = rows - at < DOCUMENTS ? rows - at : DOCUMENTS;
        const bs_batch b = {.size = {bs_scorer_padded(n), 1, 1}, .x = {c->columns}};
        bs_mlc_take_columns(&c->from, NULL, at, n, b.size.rows, c->scratch, c->columns);
        s = bs_scorer_rows(c->s, &b, n, NULL, c->number + at, c->scores + (size_t)at * L,
                           c->energy ? c->energy + at : NULL, err);
    }
    return s;
}

basin_status bs_mlc_text_scores(bs_scorer *s, const bs_net_spec *spec, bs_mlc_text *t,
                                const bs_schema *schema, const bs_rows *data, int64_t number,
                                float *scores, float *energy, basin_error *err)
{
    const bs_mlc_shape *shape = bs_net_spec_mlc(spec);
    const bool          reads = bs_mlc_reads_text(shape);
    bs_mlc_finding     *found = NULL;
    basin_status        status = reads ? BASIN_OK : bs_mlc_finding_take(t, data, &found, err);
    scoring c = {s, {data, schema, found, t->form.shape.width}, number, scores, energy, NULL, NULL};
    c.scratch = bs_calloc(DOCUMENTS * (size_t)schema->n_features + 1, sizeof *c.scratch);
    c.columns = bs_calloc(DOCUMENTS * (size_t)bs_mlc_columns(shape) + 1, sizeof *c.columns);
    if (!status && (!c.scratch || !c.columns))
        status = bs_fail_nomem(err);
    if (!status)
        status = reads ? in_batches(t, data, score_batch, &c, err) : score_found(&c, err);
    bs_free(c.scratch);
    bs_free(c.columns);
    bs_mlc_finding_leave(found);
    return status;
}
