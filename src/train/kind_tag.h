/* kind_tag.h -- pieces of the kind of tagged sentences. */
#ifndef BS_KIND_TAG_H
#define BS_KIND_TAG_H

#include "train/kind.h"

extern const bs_kind bs_kind_tag;

basin_status bs_feed_tag(const bs_part *p, const bs_known *k, const bs_spec *spec,
                         const bs_train_options *o, bs_feed **out, basin_error *err);
/* The same for prediction: at most `most` sentences, rows padded so that few programs do, no word
 * left out. */
basin_status bs_feed_tag_all(const bs_part *p, const bs_known *k, const bs_spec *spec, int32_t most,
                             bs_feed **out, basin_error *err);

/* Sentences by length, so that those of a batch need little padding. */
basin_status bs_tag_by_length(const bs_corpus *c, int32_t *order, basin_error *err);

/* The truth of a corpus in numbers: the tags of a model, behind them those that only the corpus
 * has. */
typedef struct {
    bs_arena arena;
    bs_names names;   /* not to be moved */
    int32_t *gold;    /* [tokens], -1: the token has no tag */
    uint8_t *unknown; /* [tokens], 1: the word was not seen in training */
} bs_tag_truth;

basin_status bs_tag_truth_make(const bs_corpus *c, const bs_lexicon *l, bs_tag_truth *out,
                               basin_error *err);
void         bs_tag_truth_free(bs_tag_truth *t); /* also after a failed make */

#endif
