/* feed.h -- rows of a data set as the inputs of a step. */
#ifndef BS_FEED_H
#define BS_FEED_H

#include "data/dataset.h"
#include "graph/real.h"

typedef struct {
    int32_t rows;
    bs_csr  csr;   /* sparse nets */
    real   *dense; /* [rows, features], dense nets; NULL otherwise */
    real   *gold;  /* [rows, labels] of 0 and 1 */
} bs_batch;

typedef struct bs_feed bs_feed;

/* Batches of at most `most` rows; borrows data and schema. */
basin_status bs_feed_new(const bs_dataset *data, const bs_schema *schema, bool sparse, int32_t most,
                         bs_feed **out, basin_error *err);
void         bs_feed_free(bs_feed *f);

/* Rows index[0 .. n); valid until the next call. */
const bs_batch *bs_feed_rows(bs_feed *f, const int32_t *index, int32_t n);

/* What to hand to a program as x. */
const void *bs_batch_x(const bs_batch *b);

#endif
