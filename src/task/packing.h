/* packing.h -- documents as batches of an encoder (nn/transformer.h): their pieces end to end.
 *
 * The number of rows is rounded up, so that few programs serve all batches; documents that are
 * batched together have similar lengths only because that makes these numbers alike: nothing is
 * computed for padding within a batch. */
#ifndef BS_PACKING_H
#define BS_PACKING_H

#include "base/csr.h"
#include "base/rng.h"
#include "data/dataset.h"
#include "nn/transformer.h"
#include "token/token.h"

/* The pieces of all rows. */
typedef struct {
    int32_t *start, *piece; /* [rows + 1]; those of row i from start[i] to start[i + 1] */
    int32_t  rows, cut;     /* cut: rows that had more */
    int64_t  unknown;       /* pieces that are the unknown one */
} bs_documents;

/* Of texts; none has more than `most` pieces. */
basin_status bs_documents_make(const bs_tokenizer *t, const bs_row_text *text, int32_t rows,
                               int most, bs_documents *out, basin_error *err);
void         bs_documents_free(bs_documents *d);

/* How an encoder reads documents. */
typedef struct {
    int  first_position;
    bool first; /* what stands for a document is its first piece, not the mean of all */
} bs_packing;

/* A batch of them. */
typedef struct {
    int      rows; /* of the batch: a rounded number of pieces */
    int32_t *piece, *position, *start, *at;
    float   *weight;
    int32_t *pool_start;
    bs_csr   pool; /* [documents, rows] */
} bs_packed;

/* Memory for any `most` of these documents. */
basin_status bs_packed_new(const bs_documents *d, int32_t most, bs_packed *out, basin_error *err);
void         bs_packed_free(bs_packed *p);
/* Documents index[0 .. n), followed by empty ones up to `documents`. */
void bs_packed_make(bs_packed *p, const bs_packing *how, const bs_documents *d,
                    const int32_t *index, int32_t n, int32_t documents);

/* How many of the next n documents have at most `most` pieces together; at least 1. */
int32_t bs_documents_fitting(const bs_documents *d, const int32_t *index, int32_t n, int64_t most);
/* All rows by length, which is that from start[i] to start[i + 1]. */
basin_status bs_by_length(const int32_t *start, int32_t rows, int32_t *order, basin_error *err);
/* Rows that are in any order get one in which rows of similar length are batched together: sorted
 * within windows of so many batches, then whole batches shuffled; an incomplete one comes last.
 * key: [2 rows]. */
void bs_shuffle_by_length(const int32_t *start, int32_t rows, bs_rng *rng, int32_t batch,
                          int32_t window, int32_t *order, uint64_t *key);

#endif
