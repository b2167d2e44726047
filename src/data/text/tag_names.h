/* tag_names.h -- names of tags that a file has as numbers. */
#ifndef BS_TEXT_TAG_NAMES_H
#define BS_TEXT_TAG_NAMES_H

#include "data/text/corpus_part.h"

/* Names by number into r->c->classes, from
 *     text.tag_names       O,B-PER,I-PER or a file: one name per line, or JSON as below
 *     STEM.labels          beside the data, one name per line
 *     dataset_info.json    beside the data, as in Hugging Face's datasets
 * JSON: ["O", ...], {"id2label": {"0": "O", ...}} or {"features": {MEMBER: ...}}. Else empty. */
basin_status bs_tag_names(bs_corpus_reading *r, const char *member);

#endif
