/* scheme_part.h -- shared by the files behind scheme.h; not for other folders. */
#ifndef BS_TEXT_SCHEME_PART_H
#define BS_TEXT_SCHEME_PART_H

#include "data/text/scheme.h"

/* Parts are numbered as in "BIES". */
enum { BS_PARTS = 4, BS_OUTSIDE = BS_PARTS, BS_NO_PART = -1 };

typedef struct {
    int         part; /* 0 .. BS_PARTS - 1, BS_OUTSIDE, or BS_NO_PART: of no scheme */
    const char *type; /* the text after the first hyphen; NULL for O */
} bs_split_tag;

bs_split_tag bs_tag_split(const char *text);
char         bs_scheme_letter(bs_scheme s, int part); /* a blank: the scheme lacks it */
bool         bs_scheme_has(bs_scheme s, int part);
basin_status bs_scheme_refuse(bs_scheme s, const char *tag, basin_error *err);

/* The text, cut to fit into a message, in whole characters. */
const char *bs_tag_shown(const char *text, char out[48]);

/* Parses all tags; those of no scheme get part '?'. Must be freed even if it fails. */
basin_status bs_tagset_split(const bs_names *tags, bs_scheme scheme, bs_tagset *out,
                             basin_error *err);

/* Are the sentences in order and the tags in range? */
basin_status bs_text_check(int32_t n_tags, const int32_t *tag, const int32_t *start,
                           int32_t sentences, basin_error *err);

/* What is at a position of a sentence: a tag, O beyond its ends, part '?' if unknown. */
bs_tag bs_tagset_at(const bs_tagset *s, const int32_t *tag, int32_t n, int32_t i);

/* May this pair be neighbours? All rules of all schemes concern pairs. `first` and `second` tell
 * which tag of the pair is ill-formed. */
void bs_scheme_faults(bs_scheme scheme, bs_tag a, bs_tag b, bool *first, bool *second);
/* How many pairs of a sentence may not, its ends included. */
int32_t bs_tagset_faults(const bs_tagset *s, const int32_t *tag, int32_t n);

#endif
