/* vocabulary.h -- pieces by number and by text, and which two of them merge into which. */
#ifndef BS_VOCABULARY_H
#define BS_VOCABULARY_H

#include "base/buf.h"
#include "base/err.h"

enum { BS_PIECES_MOST = 1 << 20 };

typedef struct {
    const char *text; /* NULL: no piece has this number */
    size_t      len;
} bs_piece_text;

typedef struct {
    uint32_t tag; /* of the hash */
    int32_t  id;  /* -1: empty */
} bs_piece_slot;

/* Texts that occur twice are the later piece. */
typedef struct {
    bs_buf         text;  /* all of them, each with a NUL */
    uint32_t      *start; /* [n + 1] */
    int32_t        n;
    bs_piece_slot *slot[2]; /* by text; by the rest of those that begin with the joint */
    size_t         mask;
    int32_t        longest[2]; /* bytes */
    int32_t        joint;      /* bytes of it */
} bs_vocabulary;

/* Empty before. Copies the texts. */
basin_status bs_vocabulary_make(bs_vocabulary *v, const bs_piece_text *piece, int32_t n,
                                const char *joint, basin_error *err);
void         bs_vocabulary_free(bs_vocabulary *v);
/* -1: none. inside: the piece is the joint and this text. */
int32_t bs_vocabulary_find(const bs_vocabulary *v, const char *text, size_t len, bool inside);

typedef struct {
    int32_t left, right, joined;
} bs_merge;

typedef struct {
    bs_merge *merge; /* [n] in the order of their ranks */
    int32_t   n;
    int32_t  *slot; /* by left and right; -1: empty */
    size_t    mask;
} bs_merges;

basin_status bs_merges_hash(bs_merges *m, basin_error *err); /* once all are there */
void         bs_merges_free(bs_merges *m);
int32_t      bs_merges_find(const bs_merges *m, int32_t left, int32_t right); /* rank, or -1 */

#endif
