/* tag_metric.h -- how good predicted tags are.
 *
 *     bs_tag_metrics_new(&tags, &(bs_tag_metric_options){.keep_rows = true}, &m, err);
 *     for each batch:  bs_tag_metrics_add(m, gold, predicted, start, sentences, NULL, err);
 *     bs_tag_metrics_finish(m, values);      values[BS_TAG_METRIC_span_f1]
 *     bs_tag_metrics_intervals(m, seed, 1000, 0.95, intervals, err);
 *
 * Spans are read by the rules of their scheme, not compared as strings; for the rules of the
 * historical program see conlleval.h. Precision, recall and F1 of nothing are 0; any other share of
 * nothing is NaN, and so are span metrics for raw tags. A sentence without tokens does not count.
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

typedef struct {
    const char *name, *help;
    bool        higher;  /* higher is better */
    bool        percent; /* a share, shown as a percentage; else a count */
    double      least, greatest;
} bs_tag_metric;

extern const bs_tag_metric bs_tag_metric_table[BS_TAG_METRIC_COUNT];

/* All zero is the default. */
typedef struct {
    bool keep_rows; /* keep what each sentence contributed: for intervals and tests */
    bool confusion; /* count pairs of tags as well; takes (tags + 1)^2 numbers */
    bool strict;    /* predicted spans with an ill-formed tag do not count */
} bs_tag_metric_options;

typedef struct bs_tag_metrics bs_tag_metrics;

/* Borrows the tags. o may be NULL. */
basin_status bs_tag_metrics_new(const bs_tagset *tags, const bs_tag_metric_options *o,
                                bs_tag_metrics **out, basin_error *err);
void         bs_tag_metrics_free(bs_tag_metrics *m);
void         bs_tag_metrics_clear(bs_tag_metrics *m); /* removes everything; keeps the memory */

/* Adds sentences; sentence s is the tokens start[s] .. start[s + 1] - 1 of gold and predicted. A
 * tag of -1 is one that the set lacks: such a token is always wrong and in no span. unknown_word
 * [tokens] is nonzero for words unknown to training; if any batch comes without it,
 * unknown_accuracy is NaN. A refused batch adds nothing; after BASIN_ENOMEM only clear and free are
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

/* In the order of tags->types. */
void bs_tag_metrics_types(const bs_tag_metrics *m, bs_type_score *out /* [tags->types.n] */);

/* The same for each tag, in tokens: what macro_tag_f1 averages. */
void bs_tag_metrics_tags(const bs_tag_metrics *m, bs_type_score *out /* [tags->n] */,
                         const char *const *names);

/* Tokens by gold tag (rows) and predicted tag (columns), [(n + 1) * (n + 1)], the last of each for
 * -1; NULL unless made with .confusion. */
const int64_t *bs_tag_metrics_confusion(const bs_tag_metrics *m);

/* Bootstrap over sentences: needs keep_rows. NaN values have NaN bounds; the others stay within the
 * range of the metric. */
basin_status bs_tag_metrics_intervals(const bs_tag_metrics *m, uint64_t seed, int replicates,
                                      double level, bs_interval out[BS_TAG_METRIC_COUNT],
                                      basin_error *err);

/* The sentences as a source for the tests of stats.h. Borrows m, which must not change meanwhile.
 * Two systems can be compared if they saw the same sentences in the same order with the same tags
 * and options. */
basin_status bs_tag_metrics_sampled(const bs_tag_metrics *m, bs_sampled *out, basin_error *err);

#endif
