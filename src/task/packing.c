/* packing.c -- documents as batches of an encoder. */
#include "task/packing.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1 << 22 };

/* ---- pieces ---- */

void bs_documents_free(bs_documents *d)
{
    bs_free(d->start);
    bs_free(d->piece);
    *d = (bs_documents){.rows = 0};
}

static basin_status add_text(const bs_tokenizer *t, const bs_row_text *text, int most,
                             bs_pieces *pieces, size_t *room, int32_t row, bs_documents *out,
                             basin_error *err)
{
    const bs_token_options o = {.most = most, .special = false};
    const int32_t          at = out->start[row];
    basin_status           s = bs_token_text(t, text->bytes, text->n, &o, pieces, err);
    if (s)
        return s;
    if (!BS_GROW(out->piece, *room, (size_t)at + (size_t)pieces->n + 1, INT32_MAX))
        return bs_fail_nomem(err);
    memcpy(out->piece + at, pieces->id, (size_t)pieces->n * sizeof *out->piece);
    out->start[row + 1] = at + pieces->n;
    out->cut += pieces->cut;
    out->unknown += pieces->unknown;
    return BASIN_OK;
}

basin_status bs_documents_make(const bs_tokenizer *t, const bs_row_text *text, int32_t rows,
                               int most, bs_documents *out, basin_error *err)
{
    bs_pieces    pieces = {0};
    size_t       room = 0;
    basin_status s = BASIN_OK;
    *out = (bs_documents){.rows = rows};
    out->start = bs_calloc((size_t)rows + 1, sizeof *out->start);
    if (!out->start)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < rows && !s; i++)
        s = add_text(t, &text[i], most, &pieces, &room, i, out, err);
    bs_pieces_free(&pieces);
    if (s)
        bs_documents_free(out);
    return s;
}

static int32_t length_of(const bs_documents *d, int32_t row)
{
    return d->start[row + 1] - d->start[row];
}

/* ---- order ---- */

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts order[0 .. n) by length; equal lengths keep their order. key: [2 n] */
static void sort_by_length(const int32_t *start, int32_t *order, int32_t n, uint64_t *key)
{
    int32_t *copy = (int32_t *)(key + n);
    memcpy(copy, order, (size_t)n * sizeof *copy);
    for (int32_t i = 0; i < n; i++)
        key[i] = (uint64_t)(start[copy[i] + 1] - start[copy[i]]) << 32 | (uint32_t)i;
    qsort(key, (size_t)n, sizeof *key, by_key);
    for (int32_t i = 0; i < n; i++)
        order[i] = copy[key[i] & UINT32_MAX];
}

basin_status bs_by_length(const int32_t *start, int32_t rows, int32_t *order, basin_error *err)
{
    uint64_t *key = bs_calloc(2 * (size_t)rows + 1, sizeof *key);
    for (int32_t i = 0; i < rows; i++)
        order[i] = i;
    if (key)
        sort_by_length(start, order, rows, key);
    bs_free(key);
    return key ? BASIN_OK : bs_fail_nomem(err);
}

void bs_shuffle_by_length(const int32_t *start, int32_t rows, bs_rng *rng, int32_t batch,
                          int32_t window, int32_t *order, uint64_t *key)
{
    const int32_t whole = rows / batch;
    const int64_t step = (int64_t)window * batch;
    int32_t      *copy = (int32_t *)key, *turn = copy + rows;
    for (int64_t at = 0; at < rows; at += step)
        sort_by_length(start, order + at, (int32_t)(rows - at < step ? rows - at : step), key);
    memcpy(copy, order, (size_t)rows * sizeof *copy);
    bs_rng_permutation(rng, turn, whole);
    for (int32_t i = 0; i < whole; i++)
        memcpy(order + (size_t)i * (size_t)batch, copy + (size_t)turn[i] * (size_t)batch,
               (size_t)batch * sizeof *order);
}

int32_t bs_documents_fitting(const bs_documents *d, const int32_t *index, int32_t n, int64_t most)
{
    int64_t pieces = length_of(d, index[0]);
    int32_t k = 1;
    while (k < n && pieces + length_of(d, index[k]) <= most)
        pieces += length_of(d, index[k++]);
    return k;
}

/* ---- batches ---- */

/* Up to a sixteenth more, in whole vectors. */
static int32_t rounded(int32_t pieces)
{
    int32_t step = 16;
    while (step * 32 < pieces)
        step *= 2;
    return (pieces + step - 1) / step * step + (pieces == 0 ? step : 0);
}

void bs_packed_free(bs_packed *p)
{
    bs_free(p->piece);
    bs_free(p->position);
    bs_free(p->at);
    bs_free(p->weight);
    bs_free(p->start);
    bs_free(p->pool_start);
    *p = (bs_packed){.rows = 0};
}

basin_status bs_packed_new(const bs_documents *d, int32_t most, bs_packed *out, basin_error *err)
{
    int32_t longest = 0;
    for (int32_t i = 0; i < d->rows; i++)
        longest = length_of(d, i) > longest ? length_of(d, i) : longest;
    if ((int64_t)longest * most > MOST_ROWS)
        return bs_fail(err, BASIN_EARG, "batch: %d texts of up to %d pieces are too many at a time",
                       (int)most, (int)longest);
    const size_t rows = (size_t)rounded(longest * most), documents = (size_t)most + 1;
    *out = (bs_packed){.piece = bs_calloc(rows, sizeof *out->piece),
                       .position = bs_calloc(rows, sizeof *out->position),
                       .at = bs_calloc(rows, sizeof *out->at),
                       .weight = bs_calloc(rows, sizeof *out->weight),
                       .start = bs_calloc(documents, sizeof *out->start),
                       .pool_start = bs_calloc(documents, sizeof *out->pool_start)};
    if (out->piece && out->position && out->at && out->weight && out->start && out->pool_start)
        return BASIN_OK;
    bs_packed_free(out);
    return bs_fail_nomem(err);
}

/* One line of the pooling matrix. */
static void pool_document(bs_packed *p, const bs_packing *how, int32_t k, int32_t first, int32_t n)
{
    const int32_t used = how->first && n > 1 ? 1 : n, to = p->pool_start[k];
    for (int32_t i = 0; i < used; i++) {
        p->at[to + i] = first + i;
        p->weight[to + i] = 1 / (float)used;
    }
    p->pool_start[k + 1] = to + used;
}

void bs_packed_make(bs_packed *p, const bs_packing *how, const bs_documents *d,
                    const int32_t *index, int32_t n, int32_t documents)
{
    p->start[0] = p->pool_start[0] = 0;
    for (int32_t k = 0; k < documents; k++) {
        const int32_t at = p->start[k], len = k < n ? length_of(d, index[k]) : 0;
        if (len > 0)
            memcpy(p->piece + at, d->piece + d->start[index[k]], (size_t)len * sizeof *p->piece);
        for (int32_t i = 0; i < len; i++)
            p->position[at + i] = how->first_position + i;
        p->start[k + 1] = at + len;
        pool_document(p, how, k, at, len);
    }
    p->rows = rounded(p->start[documents]);
    for (int32_t i = p->start[documents]; i < p->rows; i++)
        p->piece[i] = p->position[i] = -1;
    p->pool = (bs_csr){documents, p->rows, p->pool_start, p->at, p->weight};
}
