/* token.h -- texts as the pieces that pretrained encoders read.
 *
 * Two kinds, each with the same ids and places as the official tokeniser gives (the "fast" one):
 * WordPiece of BERT, with or without case, and byte-level BPE of RoBERTa. A tokeniser is immutable;
 * threads may share it, each with pieces of its own. */
#ifndef BS_TOKEN_H
#define BS_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

typedef struct bs_tokenizer bs_tokenizer;

/* From a folder as encoders have it: tokenizer.json; or vocab.txt, or vocab.json with merges.txt,
 * with tokenizer_config.json if it is there. */
basin_status bs_tokenizer_open(const char *folder, bs_tokenizer **out, basin_error *err);
/* Of the text of a tokenizer.json. `name` starts the messages. */
basin_status bs_tokenizer_json(const char *name, const char *text, size_t n, bs_tokenizer **out,
                               basin_error *err);
/* As it is kept in a model: what was written reads as the same tokeniser, and is written the same
 * again. */
basin_status bs_tokenizer_read(const char *name, const char *text, size_t n, bs_tokenizer **out,
                               basin_error *err);
void         bs_tokenizer_write(const bs_tokenizer *t, bs_buf *out);
void         bs_tokenizer_free(bs_tokenizer *t); /* accepts NULL */

int32_t     bs_tokenizer_count(const bs_tokenizer *t);             /* ids are below this */
const char *bs_tokenizer_piece(const bs_tokenizer *t, int32_t id); /* "##ing"; "" if it has none */
int32_t     bs_tokenizer_id(const bs_tokenizer *t, const char *piece); /* -1: there is none */
int32_t     bs_tokenizer_unknown(const bs_tokenizer *t); /* -1: every text has pieces */
const char *bs_tokenizer_kind(const bs_tokenizer *t);    /* "WordPiece, lower case" */

/* Where a piece is in the text, end excluded. Invalid bytes of UTF-8 count as characters. */
typedef struct {
    int32_t first, end;           /* in characters */
    int32_t first_byte, end_byte; /* in bytes */
    int32_t word; /* of the words given, or that the text was split into; -1: around the text */
} bs_piece_place;

/* All zeros before the first use; bs_pieces_free() in the end. Later texts use the memory again. */
typedef struct {
    int32_t                 *id;
    bs_piece_place          *place;
    int32_t                  n, unknown; /* unknown: how many are the unknown piece */
    bool                     cut;        /* there would be more */
    size_t                   cap;
    struct bs_token_scratch *scratch;
} bs_pieces;

void bs_pieces_free(bs_pieces *p);

typedef struct {
    int32_t most;    /* pieces, with those around the text: the rest is cut at the end; 0: all */
    bool    special; /* "[SEP]" in the text is that piece; no, for texts of unknown origin */
} bs_token_options;

/* Fails for want of memory, for a text of 1 GiB or more, and where `most` has no room for the
 * pieces around a text. */
basin_status bs_token_text(const bs_tokenizer *t, const char *text, size_t len,
                           const bs_token_options *o, bs_pieces *out, basin_error *err);
/* A sentence whose words are known: each by itself, with a blank before it where blanks matter.
 * Places are within a word, and one that leaves nothing is the unknown piece, so that every word
 * has a first piece until the sentence is cut. */
basin_status bs_token_words(const bs_tokenizer *t, const char *const *word, int32_t n,
                            const bs_token_options *o, bs_pieces *out, basin_error *err);

#endif
