/* expected_spans.h -- the spans of a sentence with the best expected F1, from weighted samples of
 * its tags. */
#ifndef BS_TEXT_EXPECTED_SPANS_H
#define BS_TEXT_EXPECTED_SPANS_H

#include "data/text/scheme.h"

/* Exact for the distribution that the samples are: tag [n, T] with weights that add up to 1. For a
 * given number of spans, expected F1 is a sum over them, and the best ones that do not overlap are
 * found by dynamic programming; of sentences too long for that, spans with a probability of more
 * than 1/2 are taken. Two sentences without spans are worth 1. out has room for T; returns the
 * expected F1 (of long sentences any number), or a negative number when memory runs out. */
double bs_expected_spans(const bs_tagset *s, const int32_t *tag, const double *weight, int n, int T,
                         bs_span *out, int *found);

/* Can these tags say which tokens are spans: not raw, and O is one of them? */
bool bs_tagset_has_spans(const bs_tagset *s);
/* Tags [T] of spans, by tags that the set has. */
void bs_spans_write(const bs_tagset *s, const bs_span *span, int n, int T, int32_t *tag);

#endif
