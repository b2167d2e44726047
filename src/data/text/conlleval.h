/* conlleval.h -- results as the evaluation program of the CoNLL shared tasks prints them.
 *
 * Spans are read by the rules of their scheme, which are those of that program (version of
 * 2004-01-26) for all schemes without S. Of raw tags every token but O is a phrase, as with its
 * option -r. */
#ifndef BS_TEXT_CONLLEVAL_H
#define BS_TEXT_CONLLEVAL_H

#include "base/buf.h"
#include "data/text/tag_metric.h"

/* Appends the text to *out, percentages with two digits. */
basin_status bs_conlleval(const bs_tag_metrics *m, bs_buf *out, basin_error *err);

#endif
