/* pieces.h -- how an encoder would cut the texts of rows. */
#ifndef BS_MLC_PIECES_H
#define BS_MLC_PIECES_H

#include "task/options.h"
#include "data/dataset.h"

typedef struct {
    const char *kind;  /* of the tokeniser; "": no encoder was named, or rows have no text */
    int32_t     texts; /* all numbers are of these rows */
    int64_t     pieces, unknown;
    int         longest, most; /* pieces of a text: of the longest; that are read */
    int32_t     cut;           /* texts with more */
} bs_pieces_summary;

/* By the folder and the length of the settings, `encoder` and `encoder.length`. */
basin_status bs_pieces_of(const bs_settings *settings, const bs_rows *d, bs_pieces_summary *out,
                          basin_error *err);
/* A line of `basin data inspect`, members of an open object; nothing without an encoder. */
void bs_pieces_print(const bs_pieces_summary *s, bs_buf *out);
void bs_pieces_json(const bs_pieces_summary *s, bs_buf *out);

#endif
