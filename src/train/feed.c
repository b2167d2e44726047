/* feed.c -- see feed.h. */
#include "train/feed.h"

#include <string.h>

struct bs_feed {
    const bs_dataset *data;
    const bs_schema  *schema;
    bool              sparse;
    int32_t           most;
    bs_batch          batch;
    int32_t          *start, *index;
    float            *value, *rows; /* rows: dense floats before they become real */
    size_t            cap_index, cap_value;
};

/* Room for the nonzeros of the widest `most` rows together. */
static size_t widest(const bs_csr *x, int32_t most)
{
    size_t longest = 0;
    for (int32_t i = 0; i < x->rows; i++) {
        size_t n = (size_t)(x->start[i + 1] - x->start[i]);
        longest = n > longest ? n : longest;
    }
    return longest * (size_t)most + 1;
}

basin_status bs_feed_new(const bs_dataset *data, const bs_schema *schema, bool sparse, int32_t most,
                         bs_feed **out, basin_error *err)
{
    bs_feed *f = bs_calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return bs_fail_nomem(err);
    *f = (bs_feed){.data = data, .schema = schema, .sparse = sparse, .most = most};
    size_t cells = (size_t)most * (size_t)schema->n_features;
    bool   ok;
    f->batch.gold = bs_calloc((size_t)most * (size_t)schema->n_labels, sizeof(real));
    if (sparse) {
        size_t n = widest(&data->x, most);
        f->start = bs_calloc((size_t)most + 1, sizeof *f->start);
        f->index = bs_calloc(n, sizeof *f->index);
        f->value = data->x.value ? bs_calloc(n, sizeof *f->value) : NULL;
        ok = f->start && f->index && (f->value || !data->x.value);
    } else {
        f->rows = bs_calloc(cells, sizeof *f->rows);
        f->batch.dense = bs_calloc(cells, sizeof(real));
        ok = f->rows && f->batch.dense;
    }
    if (!ok || !f->batch.gold) {
        bs_feed_free(f);
        return bs_fail_nomem(err);
    }
    *out = f;
    return BASIN_OK;
}

void bs_feed_free(bs_feed *f)
{
    if (!f)
        return;
    bs_free(f->start);
    bs_free(f->index);
    bs_free(f->value);
    bs_free(f->rows);
    bs_free(f->batch.dense);
    bs_free(f->batch.gold);
    bs_free(f);
}

static void copy_sparse(bs_feed *f, const int32_t *index, int32_t n)
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
    f->batch.csr = (bs_csr){n, f->schema->n_features, f->start, f->index, f->value};
}

static void copy_dense(bs_feed *f, const int32_t *index, int32_t n)
{
    size_t cells = (size_t)n * (size_t)f->schema->n_features;
    bs_dataset_dense(f->data, f->schema, index, 0, n, f->rows);
    for (size_t i = 0; i < cells; i++)
        f->batch.dense[i] = (real)f->rows[i];
}

const bs_batch *bs_feed_rows(bs_feed *f, const int32_t *index, int32_t n)
{
    const size_t  L = (size_t)f->schema->n_labels;
    const bs_csr *y = &f->data->y;
    f->batch.rows = n;
    if (f->sparse)
        copy_sparse(f, index, n);
    else
        copy_dense(f, index, n);
    memset(f->batch.gold, 0, (size_t)n * L * sizeof(real));
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = y->start[index[i]]; k < y->start[index[i] + 1]; k++)
            f->batch.gold[(size_t)i * L + (size_t)y->index[k]] = 1;
    return &f->batch;
}

const void *bs_batch_x(const bs_batch *b)
{
    return b->dense ? (const void *)b->dense : (const void *)&b->csr;
}
