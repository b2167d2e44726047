/* shards.h -- a batch as dist.shards parts, each with its own pass and its own random numbers.
 *
 * A shard is a contiguous part of the rows of the batch. Its loss is that of a batch of its own, so
 * what a loss does with several rows at once (a mean over tokens, say) it does within a shard. Its
 * gradient is multiplied by its share of the rows, and shards are added in one binary tree over
 * 0 .. dist.shards - 1, in which aligned powers of two are whole subtrees. So the sum has the same
 * bits whoever computes which shards, and in which order. */
#ifndef BS_SHARDS_H
#define BS_SHARDS_H

#include "method/method.h"

enum { BS_MOST_SHARDS = 64, BS_SHARD_LEVELS = 7 };

struct bs_shards {
    int             n;
    const bs_batch *batch[BS_MOST_SHARDS]; /* NULL: the batch has fewer rows than shards */
    int32_t         rows[BS_MOST_SHARDS], all;
    bs_buffer      *level[BS_SHARD_LEVELS]; /* sums of 1, 2, 4, ... shards that wait for the next */
    double          seen[BS_MOST_SHARDS][1 + BS_DIAGNOSTIC_COUNT];
};

/* dist.shards = 1: *out = NULL, batches are whole. */
basin_status bs_shards_new(const bs_learner *l, bs_shards **out, basin_error *err);
void         bs_shards_free(bs_shards *s); /* accepts NULL */

/* The rows of shard i of a batch of n: begin .. end. */
static inline int32_t bs_shard_begin(int32_t n, int i, int shards)
{
    return (int32_t)((int64_t)n * i / shards);
}

/* Runs `run` for each shard, which leaves a gradient in block.grad and an entry whose results start
 * with the loss; then block.grad is that of the batch, and *loss its loss and diagnostics. */
typedef basin_status bs_shard_run(bs_learner *l, const bs_batch *b, const void *ctx, bs_entry **e,
                                  basin_error *err);
basin_status bs_shards_run(bs_learner *l, bs_shard_run *run, const void *ctx, const double **loss,
                           basin_error *err);

#endif
