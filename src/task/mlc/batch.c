/* batch.c -- rows of a multi-label data set as batches, sparse or dense. */
#include <string.h>

#include "task/mlc/data.h"

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
    real            *dense, *gold; /* [most, features], [most, labels] of 0 and 1 */
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
    bs_free(f);
}

static void copy_sparse(feed *f, const int32_t *index, int32_t n)
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
    f->start[n] = at;
    f->csr = (bs_csr){n, f->schema->n_features, f->start, f->index, f->value};
}

static void copy_dense(feed *f, const int32_t *index, int32_t n)
{
    size_t cells = (size_t)n * (size_t)f->schema->n_features;
    bs_rows_dense(f->data, f->schema, index, 0, n, f->rows);
    for (size_t i = 0; i < cells; i++)
        f->dense[i] = (real)f->rows[i];
}

static const bs_batch *take_rows(bs_batches *base, const int32_t *index, int32_t n)
{
    feed         *f = (feed *)base;
    const size_t  L = (size_t)f->schema->n_labels;
    const bs_csr *y = &f->data->y;
    f->batch.size = (bs_size){n, 1, 1};
    if (f->sparse)
        copy_sparse(f, index, n);
    else
        copy_dense(f, index, n);
    memset(f->gold, 0, (size_t)n * L * sizeof(real));
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = y->start[index[i]]; k < y->start[index[i] + 1]; k++)
            f->gold[(size_t)i * L + (size_t)y->index[k]] = 1;
    for (int32_t i = 0; i < n && f->soft; i++)
        for (size_t l = 0; l < L; l++) {
            real *at = &f->gold[(size_t)i * L + l];
            *at += (real)f->weight * ((real)f->soft[(size_t)index[i] * L + l] - *at);
        }
    return &f->batch;
}

static int32_t all_fit(bs_batches *base, const int32_t *index, int32_t n)
{
    (void)base;
    (void)index;
    return n;
}

static void order_rows(bs_batches *base, bs_rng *rng, int32_t *order)
{
    bs_rng_permutation(rng, order, ((feed *)base)->data->rows);
}

basin_status bs_batches_mlc(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                            const bs_train_options *o, bs_batches **out, basin_error *err)
{
    const size_t   most = (size_t)o->batch;
    const bs_rows *data = bs_dataset_mlc(p);
    feed          *f = bs_calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return bs_fail_nomem(err);
    f->base = (bs_batches){order_rows, all_fit, take_rows, free_feed, p->rows};
    f->data = data;
    f->schema = bs_schema_mlc(k);
    f->soft = p->soft;
    f->weight = o->distil_weight;
    f->sparse = bs_net_spec_mlc(spec)->sparse;
    size_t cells = most * (size_t)bs_schema_mlc(k)->n_features;
    bool   ok;
    f->gold = bs_calloc(most * (size_t)bs_schema_mlc(k)->n_labels, sizeof *f->gold);
    if (f->sparse) {
        size_t n = widest(&data->x, o->batch);
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
    if (!ok || !f->gold) {
        free_feed(&f->base);
        return bs_fail_nomem(err);
    }
    *out = &f->base;
    return BASIN_OK;
}
