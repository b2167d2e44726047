/* conlleval.h -- results as the evaluation program of the CoNLL shared tasks prints them.
 *
 * By default spans are read by the rules of their scheme. With compat everything is counted like
 * that program (version of 2004-01-26), to compare with published numbers. Its rules compare
 * neighbouring tags as strings and do not know S, so "S-X S-X" is one phrase, and a B after an E of
 * the same type does not start one. Raw tags are treated as with its option -r: every token but O
 * is a phrase. */
#ifndef BS_TEXT_CONLLEVAL_H
#define BS_TEXT_CONLLEVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/text/scheme.h"

/* Appends the text to *out, percentages with two digits. A tag of -1 is outside every phrase and
 * never right. */
basin_status bs_conlleval(const char *const *tags, int32_t n_tags, bs_scheme scheme,
                          const int32_t *gold, const int32_t *predicted, const int32_t *start,
                          int32_t sentences, bool compat, bs_buf *out, basin_error *err);

#endif
