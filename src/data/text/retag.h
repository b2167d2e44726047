/* retag.h -- predicted tags in the scheme that somebody wants to read. */
#ifndef BS_TEXT_RETAG_H
#define BS_TEXT_RETAG_H

#include "data/text/corpus.h"

typedef struct {
    bs_arena     arena;
    bs_names     names; /* not to be moved */
    const char **text;  /* [names.n], in the style that was asked for */
    int32_t     *tag;   /* [tokens] into names */
} bs_retagged;

/* Tags of a model (their names, its scheme) for the tokens of a corpus, written in another scheme.
 * What is ill-formed is read as by bs_spans; from a scheme to itself tags stay as they are. suffix:
 * PER-B in place of B-PER. */
basin_status bs_retag(const bs_names *tags, bs_scheme from, bs_scheme to, bool suffix,
                      const bs_corpus *c, const int32_t *tag, bs_retagged *out, basin_error *err);
void         bs_retagged_free(bs_retagged *r); /* also after a failure */

/* B-PER, also B alone; not O, nor a tag of no span. */
bool bs_tag_is_span(const char *tag);

#endif
