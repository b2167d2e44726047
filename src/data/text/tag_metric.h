/* tag_metric.h -- how good predicted tags are.
 *
 *     bs_tag_metrics_new(&tags, true, &m, err);
 *     for each batch:  bs_tag_metrics_add(m, gold, predicted, start, sentences, NULL, err);
 *     bs_tag_metrics_finish(m, values);      values[BS_TAG_METRIC_span_f1]
 *
 * Spans are read by the rules of their scheme, not compared as strings. Precision, recall and F1
 * of nothing are 0; any other share of nothing is NaN, and so are span metrics for raw tags. A
 * sentence without tokens does not count.
 *
 * All counts are whole numbers, so the order of batches does not change a bit. */
#ifndef BS_TEXT_TAG_METRIC_H
#define BS_TEXT_TAG_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/stats.h"
#include "data/text/scheme.h"

typedef enum {
#define TAG_METRIC(key, ...) BS_TAG_METRIC_##key,
#include "data/text/tag_metrics.def"
#undef TAG_METRIC
    BS_TAG_METRIC_COUNT
} bs_tag_metric_id;

extern const bs_metric bs_tag_metric_table[BS_TAG_METRIC_COUNT];

typedef struct bs_tag_metrics bs_tag_metrics;

/* Borrows the tags. keep_rows: also what each sentence contributed, for intervals and tests. */
basin_status     bs_tag_metrics_new(const bs_tagset *tags, bool keep_rows, bs_tag_metrics **out,
                                    basin_error *err);
void             bs_tag_metrics_free(bs_tag_metrics *m); /* accepts NULL */
const bs_tagset *bs_tag_metrics_tagset(const bs_tag_metrics *m);

/* Adds sentences; sentence s is the tokens start[s] .. start[s + 1] - 1 of gold and predicted. A
 * tag of -1 is one that the set lacks: such a token is always wrong and in no span. unknown_word
 * [tokens] is nonzero for words unknown to training; if any batch comes without it,
 * unknown_accuracy is NaN. A refused batch adds nothing; after BASIN_ENOMEM only free is
 * allowed. */
basin_status bs_tag_metrics_add(bs_tag_metrics *m, const int32_t *gold, const int32_t *predicted,
                                const int32_t *start, int32_t sentences,
                                const uint8_t *unknown_word, basin_error *err);

/* The values so far. More sentences may be added later. */
void bs_tag_metrics_finish(const bs_tag_metrics *m, double out[BS_TAG_METRIC_COUNT]);

typedef struct {
    int64_t sentences, tokens; /* sentences with tokens */
    int64_t right;             /* tokens */
    int64_t gold_spans, predicted_spans, right_spans;
    int64_t gold_repaired, predicted_repaired; /* ill-formed tags, as counted by bs_spans */
    int64_t gold_missing;                      /* tokens whose gold tag is -1 */
    int64_t unknown_words;
} bs_tag_counts;

bs_tag_counts bs_tag_metrics_counts(const bs_tag_metrics *m);

/* A line of the table of types, or of tags if they are raw. */
typedef struct {
    const char *type; /* belongs to the tag set */
    int64_t     gold, predicted, right;
    double      precision, recall, f1;
} bs_type_score;

bs_type_score bs_type_score_of(const char *name, int64_t gold, int64_t found, int64_t right);

/* In the order of tags->types. */
void bs_tag_metrics_types(const bs_tag_metrics *m, bs_type_score *out /* [tags->types.n] */);

/* The same for each tag, in tokens: what macro_tag_f1 averages. */
void bs_tag_metrics_tags(const bs_tag_metrics *m, bs_type_score *out /* [tags->n] */,
                         const char *const *names);

/* The sentences as a source for the tests of stats.h. Borrows m, which must not change meanwhile.
 * Two systems can be compared if they saw the same sentences in the same order with the same
 * tags. */
basin_status bs_tag_metrics_sampled(const bs_tag_metrics *m, bs_sampled *out, basin_error *err);

#endif
