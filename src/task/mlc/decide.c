/* decide.c -- sets of labels that maximise an expected metric, from samples of the posterior. */
#include <string.h>

#include "task/mlc/data.h"

/* One block of rows. */
typedef struct {
    bs_scorer       *scorer;
    bs_posterior    *posterior;
    const bs_rows   *data;
    const bs_schema *schema;
    bool             sparse, exact; /* exact: labels are independent, so modes need no samples */
    bs_decision      by;
    double           empty; /* what two empty sets are worth */
    int32_t         *start; /* [rows + 1] */
    float           *rows;  /* dense floats before conversion to real */
    real            *dense;
    uint8_t         *y; /* [samples, labels] */

    /* Texts, if an encoder reads them: their pieces, or what was found in them. */
    const bs_packing *packing; /* NULL: nets read none */
    bs_documents      documents;
    bs_packed         packed;
    int32_t          *index; /* [rows] */
    const float      *found;
    int               columns;
    double            effective;
} deciding;

/* Rows first .. first + n of the data, padded with empty ones. */
static void take_block(deciding *d, int32_t first, int32_t n, bs_csr *csr, bs_batch *b)
{
    const int size = bs_scorer_padded(n);
    *b = (bs_batch){.size = {size, 1, 1}, .x = {d->dense}};
    for (int32_t i = 0; i < n; i++)
        d->index[i] = first + i;
    if (d->packing) {
        bs_packed_make(&d->packed, d->packing, &d->documents, d->index, n, size);
        bs_mlc_text_bind(&d->packed, b);
    }
    if (!d->sparse) {
        const bs_mlc_columns_source from = {d->data, d->schema, d->found,
                                            d->columns - d->schema->n_features};
        bs_mlc_take_columns(&from, d->index, 0, n, size, d->rows, d->dense);
        return;
    }
    const bs_csr *x = &d->data->x;
    for (int i = 0; i <= size; i++)
        d->start[i] = x->start[first + (i < n ? i : n)];
    *csr = (bs_csr){size, x->cols, d->start, x->index, x->value};
    b->x[0] = csr;
}

static basin_status decide_row(deciding *d, const bs_posterior_samples *s, int row, uint8_t *on,
                               basin_error *err)
{
    const size_t L = (size_t)d->schema->n_labels, K = (size_t)s->samples;
    if (d->by == BS_DECIDE_SUBSET) {
        for (size_t l = 0; l < L; l++)
            on[l] = s->best[(size_t)row * L + l] > 0;
        return BASIN_OK;
    }
    for (size_t i = 0; i < K * L; i++)
        d->y[i] = s->y[(size_t)row * K * L + i] > 0;
    const bs_set_samples sets = {d->y, s->weight + (size_t)row * K, s->samples, (int)L, d->empty};
    return bs_decide_set(&sets, d->by, on, err);
}

static basin_status draw(deciding *d, int32_t first, int32_t n, const bs_outputs *out,
                         bs_posterior_samples *s, basin_error *err)
{
    const float *scores = out->scores + (size_t)first * (size_t)d->schema->n_labels;
    bs_batch     b;
    bs_csr       csr;
    take_block(d, first, n, &csr, &b);
    return bs_posterior_draw(d->posterior, &b, scores, (int)n, d->by == BS_DECIDE_SUBSET, s, err);
}

/* Rows have the same samples alone: the first that fails then, too. */
static basin_status name_row(deciding *d, int32_t first, int32_t n, const bs_outputs *out,
                             basin_error *err)
{
    bs_posterior_samples s;
    basin_error          why = {0};
    int32_t              i = 0;
    while (i < n - 1 && draw(d, first + i, 1, out, &s, &why) != BASIN_ENUMERIC)
        i++;
    return bs_fail(err, BASIN_ENUMERIC,
                   "row %lld: an energy of a sampled label set is not finite; the input or the "
                   "model's weights are too large",
                   (long long)out->first + first + i + 1);
}

static basin_status decide_block(deciding *d, int32_t first, int32_t n, bs_outputs *out,
                                 basin_error *err)
{
    const size_t         L = (size_t)d->schema->n_labels;
    bs_posterior_samples s;
    basin_status         status = draw(d, first, n, out, &s, err);
    if (status == BASIN_ENUMERIC)
        return name_row(d, first, n, out, err);
    for (int32_t i = 0; i < n && !status; i++) {
        status = decide_row(d, &s, (int)i, out->on + ((size_t)first + (size_t)i) * L, err);
        d->effective += s.effective[i];
    }
    return status;
}

/* The mode of independent labels. */
static void decide_each(const deciding *d, int32_t rows, bs_outputs *out)
{
    const size_t cells = (size_t)rows * (size_t)d->schema->n_labels;
    for (size_t i = 0; i < cells; i++)
        out->on[i] = out->scores[i] >= 0.5f;
}

static basin_status make_room(deciding *d, basin_error *err)
{
    const size_t rows = (size_t)bs_posterior_rows(d->posterior);
    const size_t cells = d->sparse ? 1 : rows * (size_t)d->columns + 1;
    const size_t K = (size_t)bs_scorer_inference(d->scorer)->decide_samples;
    d->start = bs_calloc(rows + 1, sizeof *d->start);
    d->rows = bs_calloc(cells, sizeof *d->rows);
    d->dense = bs_calloc(cells, sizeof *d->dense);
    d->y = bs_calloc(K * (size_t)d->schema->n_labels, 1);
    d->index = bs_calloc(rows, sizeof *d->index);
    return d->start && d->rows && d->dense && d->y && d->index ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status open_texts(deciding *d, bs_mlc_text *t, const bs_mlc_shape *shape,
                               basin_error *err)
{
    if (!bs_mlc_reads_text(shape))
        return bs_mlc_text_found(t, d->data, &d->found, err);
    basin_status s = bs_mlc_text_pieces(t, d->data, &d->documents, err);
    d->packing = &t->packing;
    return s ? s : bs_packed_new(&d->documents, bs_posterior_rows(d->posterior), &d->packed, err);
}

static basin_status decide_all(deciding *d, int32_t rows, bs_outputs *out, basin_error *err)
{
    const int32_t block = bs_posterior_rows(d->posterior);
    basin_status  s = make_room(d, err);
    for (int32_t first = 0; first < rows && !s; first += block) {
        s = decide_block(d, first, rows - first < block ? rows - first : block, out, err);
        if (!s && bs_event_stopped(bs_scorer_inference(d->scorer)->log))
            s = bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
    }
    bs_free(d->start);
    bs_free(d->rows);
    bs_free(d->dense);
    bs_free(d->y);
    bs_free(d->index);
    return s;
}

basin_status bs_mlc_decide(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                           const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    const bs_inference *how = bs_scorer_inference(s);
    const bs_schema    *schema = &bs_preprocess_mlc(k)->schema;
    const size_t        cells = (size_t)p->rows * (size_t)schema->n_labels;
    if (!how->decide) {
        bs_free(out->on);
        out->on = NULL;
        out->by = BS_DECIDE_THRESHOLD;
        return BASIN_OK;
    }
    if (!out->on && !(out->on = bs_calloc(cells + 1, 1)))
        return bs_fail_nomem(err);
    deciding   d = {.scorer = s,
                    .posterior = bs_scorer_posterior(s),
                    .data = bs_dataset_mlc(p),
                    .schema = schema,
                    .sparse = bs_net_spec_mlc(spec)->sparse,
                    .columns = bs_mlc_columns(bs_net_spec_mlc(spec)),
                    .by = out->by = (bs_decision)how->decide,
                    .empty = how->decide_empty};
    const bool independent = bs_params_count(bs_scorer_params(s), "energy/") == 0;
    if (independent && (d.by == BS_DECIDE_SUBSET || d.by == BS_DECIDE_HAMMING)) {
        decide_each(&d, p->rows, out);
        return BASIN_OK;
    }
    bs_mlc_text *text = bs_preprocess_mlc(k)->text;
    basin_status status = text ? open_texts(&d, text, bs_net_spec_mlc(spec), err) : BASIN_OK;
    if (!status)
        status = decide_all(&d, p->rows, out, err);
    bs_packed_free(&d.packed);
    bs_documents_free(&d.documents);
    if (!status && p->rows > 0 && !independent)
        bs_log_say(how->log, BS_DEBUG, "decide=%s: %.1f %% of the net's samples are effective",
                   bs_decision_name(d.by), 100 * d.effective / p->rows);
    return status;
}

/* ---- thresholds ---- */

static basin_status choose_threshold(const bs_train_options *o, const bs_dataset *train,
                                     const bs_dataset *valid, const bs_outputs *y,
                                     bs_threshold *out, basin_error *err)
{
    const bs_rows *v = bs_dataset_mlc(valid);
    const char    *kind = o->threshold;
    bs_metric_id   metric;
    bs_profile_id  profile = BS_PROFILE_SKLEARN;
    double         number;
    basin_status   s = bs_metric_parse(o->threshold_metric, &metric, err);
    if (!s)
        s = bs_profile_parse(o->profile, &profile, err);
    if (s)
        return s;
    if (bs_parse_double(kind, &number)) {
        *out = bs_threshold_fixed((float)number);
        return BASIN_OK;
    }
    if (strcmp(kind, "top-k") == 0) {
        *out = bs_threshold_top_k(o->threshold_k);
        return BASIN_OK;
    }
    if (strcmp(kind, "cardinality") == 0) {
        double labels = (double)bs_dataset_mlc(train)->y.start[train->rows];
        return bs_threshold_cut(y->scores, v->rows, v->schema.n_labels, labels / train->rows, out,
                                err);
    }
    s = bs_threshold_tune(&v->y, y->scores, (int)metric, (int)profile, out, NULL, err);
    if (s || strcmp(kind, "auto") == 0)
        return s;
    float global = out->global;
    bs_threshold_free(out);
    return bs_threshold_tune_labels(&v->y, y->scores, (int)profile, global, o->threshold_shrink,
                                    out, err);
}

basin_status bs_mlc_choose(const bs_train_options *o, const bs_dataset *train,
                           const bs_dataset *valid, const bs_outputs *y, bs_threshold *out,
                           basin_error *err)
{
    basin_status s = choose_threshold(o, train, valid, y, out, err);
    out->by = s ? BS_DECIDE_THRESHOLD : y->by;
    return s;
}
