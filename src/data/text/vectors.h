/* vectors.h -- word vectors from text files written by GloVe, fastText and word2vec. */
#ifndef BS_VECTORS_H
#define BS_VECTORS_H

#include "base/io.h"
#include "data/names.h"
#include "data/notes.h"

/* Must not be moved: the names point to the arena. */
typedef struct {
    int32_t  n, dim;
    bs_names words;   /* [n], spelled as in the file */
    float   *value;   /* [n, dim] */
    int64_t  in_file; /* rows of the file, kept or not */
    bs_arena arena;
} bs_vectors;

/* Lines of a word and its numbers, separated by blanks or tabs, with or without a first line "count
 * dim"; compressed or not (max_mb: as bs_input_limit). Keeps rows of words in `wanted`, all if it
 * is NULL, and only parses their numbers. A word may contain blanks: the last dim fields are the
 * numbers. For repeated words the first row counts, with a note (notes may be NULL). On failure
 * *out is empty; bs_vectors_free() is always allowed. */
basin_status bs_vectors_read(const char *path, int max_mb, const bs_names *wanted, bs_vectors *out,
                             bs_notes *notes, basin_error *err);
/* The same from an open input, for tests and fuzzing. */
basin_status bs_vectors_read_input(bs_input *in, const bs_names *wanted, bs_vectors *out,
                                   bs_notes *notes, basin_error *err);
void         bs_vectors_free(bs_vectors *v);

#endif
