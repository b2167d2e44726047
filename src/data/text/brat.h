/* brat.h -- what BRAT's folders need beyond the table of formats: they are no byte stream. */
#ifndef BS_TEXT_BRAT_H
#define BS_TEXT_BRAT_H

#include "data/text/corpus_part.h"

/* Whether the path is BRAT: a folder, NAME.ann, or NAME.txt with NAME.ann beside it. */
bool bs_brat_path(const char *path, const bs_corpus_options *o);
/* A document in memory, for tests and fuzzing; marks NULL: not annotated. Both end in a NUL. */
struct bs_brat_pair {
    const char *text, *marks;
    size_t      len, n;
};
basin_status bs_brat_read(const bs_brat_pair *pair, const bs_corpus_options *o, bs_corpus **out,
                          bs_notes *notes, basin_error *err);
basin_status bs_brat_write(const bs_tags_out *t, const char *folder, basin_error *err);

#endif
