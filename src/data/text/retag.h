/* retag.h -- predicted tags in a scheme chosen by the reader. */
#ifndef BS_TEXT_RETAG_H
#define BS_TEXT_RETAG_H

#include "data/text/corpus.h"

typedef struct {
    bs_arena     arena;
    bs_names     names; /* must not be moved */
    const char **text;  /* [names.n] */
    int32_t     *tag;   /* [tokens] into names */
} bs_retagged;

/* Converts tags of a model (names, scheme) for the tokens of a corpus to another scheme. Ill-formed
 * tags are read like in bs_spans; from a scheme to itself tags are unchanged. */
basin_status bs_retag(const bs_names *tags, bs_scheme from, bs_scheme to, const bs_corpus *c,
                      const int32_t *tag, bs_retagged *out, basin_error *err);
void         bs_retagged_free(bs_retagged *r); /* also after a failure */

/* The same for sentences that come one at a time. Must not be moved; not changed by use. */
typedef struct {
    bs_scheme       from, to;
    bs_arena        arena;
    bs_names        names; /* all that `to` can say about types of the model */
    const bs_names *own;   /* the tags of the model; borrowed */
} bs_retagger;

basin_status bs_retagger_make(const bs_tagset *set, const bs_names *tags, bs_scheme to,
                              bs_retagger *out, basin_error *err);
void         bs_retagger_free(bs_retagger *r); /* also after a failure */
/* Texts of the n tags of a sentence, which belong to r. */
basin_status bs_retagger_texts(const bs_retagger *r, const int32_t *tag, int32_t n,
                               const char **out, basin_error *err);

/* B-PER, also B alone; not O, nor a tag of no span. */
bool bs_tag_is_span(const char *tag);

#endif
