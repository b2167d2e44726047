/* batch.c -- rows of a multi-label data set as batches: sparse or dense columns, and documents. */
#include <string.h>

#include "task/mlc/data.h"

enum { WINDOW = 50 }; /* batches of documents sorted together */

typedef struct {
    bs_batches       base;
    const bs_rows   *data;
    const bs_schema *schema;
    bool             sparse;
    const float     *soft; /* [rows, labels] of a teacher, which count with this weight; or NULL */
    double           weight;
    bs_batch         batch;
    bs_csr           csr;
    int32_t         *start, *index;
    float           *value, *rows; /* rows: dense floats before conversion to real */
    real            *dense, *gold; /* [most, columns], [most, labels] of 0 and 1 */
    bs_mlc_finding  *found;        /* of documents that a fixed encoder has read; or NULL */
    int              columns;
    int32_t          most;
    bool             pads; /* rounds rows up to a power of two */

    bs_mlc_text   *text;
    bs_mlc_pieces *pieces; /* NULL: the nets read no documents */
    bs_packed      packed;
    uint64_t      *key; /* for sorting by length */
} feed;

/* Room for the nonzeros of any `most` rows together. */
static size_t widest(const bs_csr *x, int32_t most)
{
    size_t longest = 0;
    for (int32_t i = 0; i < x->rows; i++) {
        size_t n = (size_t)(x->start[i + 1] - x->start[i]);
        longest = n > longest ? n : longest;
    }
    return longest * (size_t)most + 1;
}

static void free_feed(bs_batches *base)
{
    feed *f = (feed *)base;
    bs_free(f->start);
    bs_free(f->index);
    bs_free(f->value);
    bs_free(f->rows);
    bs_free(f->dense);
    bs_free(f->gold);
    bs_mlc_pieces_leave(f->text, f->pieces);
    bs_mlc_finding_leave(f->found);
    bs_packed_free(&f->packed);
    bs_free(f->key);
    bs_free(f);
}

/* size: of the batch; rows after the n-th are empty. */
static void copy_sparse(feed *f, const int32_t *index, int32_t n, int size)
{
    const bs_csr *x = &f->data->x;
    int32_t       at = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t from = x->start[index[i]], len = x->start[index[i] + 1] - from;
        f->start[i] = at;
        memcpy(f->index + at, x->index + from, (size_t)len * sizeof *f->index);
        if (f->value)
            memcpy(f->value + at, x->value + from, (size_t)len * sizeof *f->value);
        at += len;
    }
    for (int i = n; i <= size; i++)
        f->start[i] = at;
    f->csr = (bs_csr){size, f->schema->n_features, f->start, f->index, f->value};
}

static void copy_dense(feed *f, const int32_t *index, int32_t n, int size)
{
    const bs_mlc_columns_source from = {f->data, f->schema, f->found,
                                        f->columns - f->schema->n_features};
    bs_mlc_take_columns(&from, index, 0, n, size, f->rows, f->dense);
}

static const bs_batch *take_rows(bs_batches *base, const int32_t *index, int32_t n)
{
    feed         *f = (feed *)base;
    const size_t  L = (size_t)f->schema->n_labels;
    const bs_csr *y = &f->data->y;
    const int     size = f->pads ? bs_scorer_padded(n) : n;
    f->batch.size = (bs_size){size, 1, 1};
    if (f->sparse)
        copy_sparse(f, index, n, size);
    else
        copy_dense(f, index, n, size);
    if (f->pieces) {
        bs_packed_make(&f->packed, &f->text->packing, &f->pieces->documents, index, n, size);
        bs_mlc_text_bind(&f->packed, &f->batch);
    }
    memset(f->gold, 0, (size_t)size * L * sizeof(real));
    for (int32_t i = 0; i < n && y->start; i++)
        for (int32_t k = y->start[index[i]]; k < y->start[index[i] + 1]; k++)
            f->gold[(size_t)i * L + (size_t)y->index[k]] = 1;
    for (int32_t i = 0; i < n && f->soft; i++)
        for (size_t l = 0; l < L; l++) {
            real *at = &f->gold[(size_t)i * L + l];
            *at += (real)f->weight * ((real)f->soft[(size_t)index[i] * L + l] - *at);
        }
    return &f->batch;
}

static void order_rows(bs_batches *base, bs_rng *rng, int32_t *order)
{
    feed *f = (feed *)base;
    bs_rng_permutation(rng, order, f->data->rows);
    if (f->pieces)
        bs_shuffle_by_length(f->pieces->documents.start, f->data->rows, rng, f->most, WINDOW, order,
                             f->key);
}

/* Documents that nets read, or what was found in them. */
static basin_status add_text(feed *f, bs_mlc_text *text, const bs_mlc_shape *shape,
                             basin_error *err)
{
    if (!bs_mlc_reads_text(shape))
        return bs_mlc_finding_take(text, f->data, &f->found, err);
    f->text = text;
    basin_status s = bs_mlc_pieces_take(text, f->data, &f->pieces, err);
    if (!s)
        s = bs_packed_new(&f->pieces->documents, f->most, &f->packed, err);
    if (!s && !(f->key = bs_calloc(2 * (size_t)f->data->rows + 1, sizeof *f->key)))
        s = bs_fail_nomem(err);
    return s;
}

static basin_status make(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                         int32_t rows, feed **out, basin_error *err)
{
    const size_t        most = (size_t)rows;
    const bs_rows      *data = bs_dataset_mlc(p);
    const bs_mlc_shape *shape = bs_net_spec_mlc(spec);
    feed               *f = bs_calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return bs_fail_nomem(err);
    f->base = (bs_batches){order_rows, bs_batches_fit_all, take_rows, free_feed, p->rows};
    f->data = data;
    f->schema = bs_schema_mlc(k);
    f->sparse = shape->sparse;
    f->columns = bs_mlc_columns(shape);
    f->most = rows;
    size_t cells = most * (size_t)f->columns + 1;
    bool   ok;
    f->gold = bs_calloc(most * (size_t)bs_schema_mlc(k)->n_labels, sizeof *f->gold);
    if (f->sparse) {
        size_t n = widest(&data->x, rows);
        f->start = bs_calloc(most + 1, sizeof *f->start);
        f->index = bs_calloc(n, sizeof *f->index);
        f->value = data->x.value ? bs_calloc(n, sizeof *f->value) : NULL;
        ok = f->start && f->index && (f->value || !data->x.value);
        f->batch.x[0] = &f->csr;
    } else {
        f->rows = bs_calloc(cells, sizeof *f->rows);
        f->dense = bs_calloc(cells, sizeof *f->dense);
        ok = f->rows && f->dense;
        f->batch.x[0] = f->dense;
    }
    f->batch.gold = f->gold;
    basin_status s = ok && f->gold ? BASIN_OK : bs_fail_nomem(err);
    if (!s && shape->text)
        s = add_text(f, bs_preprocess_mlc(k)->text, shape, err);
    if (s) {
        free_feed(&f->base);
        return s;
    }
    *out = f;
    return BASIN_OK;
}

basin_status bs_batches_mlc(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                            const bs_train_options *o, bs_batches **out, basin_error *err)
{
    feed        *f;
    basin_status s = make(p, k, spec, o->batch, &f, err);
    *out = f ? &f->base : NULL;
    if (f) {
        f->soft = p->soft;
        f->weight = o->distil_weight;
    }
    return s;
}

basin_status bs_batches_mlc_all(const bs_dataset *p, const bs_preprocess *k,
                                const bs_net_spec *spec, int32_t most, bs_batches **out,
                                basin_error *err)
{
    feed        *f;
    basin_status s = make(p, k, spec, most, &f, err);
    *out = f ? &f->base : NULL;
    if (f)
        f->pads = true;
    return s;
}
