/* inside.h -- what the files of this folder share. */
#ifndef BS_TOKEN_INSIDE_H
#define BS_TOKEN_INSIDE_H

#include "base/mem.h"
#include "token/token.h"
#include "token/vocabulary.h"

enum {
    BS_AROUND = 4,             /* pieces before a text, or after it */
    BS_TOKEN_WORD_MOST = 1000, /* characters of a word, of which vocabularies allow 100 */
    BS_ADDED_MOST = 4096,
    BS_SIGNS_MOST = 128, /* on one letter that are put into order */
};

/* A piece that is looked for in the text as it is. */
typedef struct {
    int32_t id;
    bool    special, left, right; /* left, right: takes blanks there with it */
} bs_added;

typedef enum { BS_WORDPIECE, BS_BYTE_PAIRS } bs_token_kind;

/* What a file says beside the vocabulary. */
typedef struct {
    bs_token_kind kind;
    bool          clean, han, strip, lower; /* WordPiece: steps on the text before it is split */
    bool blank, trim;  /* byte pairs: a blank before each text; places without blanks at the ends */
    int32_t word_most; /* characters of a word; longer ones are unknown */
    int32_t unknown;   /* -1: none */
    int32_t before[BS_AROUND], after[BS_AROUND];
    int     n_before, n_after;
    char    joint[8]; /* what begins the pieces inside of a word: "##" */
} bs_token_rules;

struct bs_tokenizer {
    bs_token_rules rules;
    bs_vocabulary  words;
    bs_merges      merges;
    int32_t        byte[256]; /* the piece of each byte, of byte pairs */
    bs_added      *added;     /* the longest first */
    int            n_added;
    bool           starts[256]; /* whether an added one begins with this byte */
};

/* A character that is left of the text, and where it was. */
typedef struct {
    int32_t at, byte, bytes;
} bs_letter_place;

/* A sign on the letter before it. given: by a decomposition. */
typedef struct {
    uint32_t        c;
    int             order;
    bool            given;
    bs_letter_place place;
} bs_sign;

/* A byte of a word, or several that were merged, in a list. */
typedef struct {
    int32_t         id; /* -1: joined with the one before */
    int32_t         prev, next;
    bs_letter_place place; /* of the character of the byte */
} bs_symbol;

typedef struct {
    uint64_t order; /* rank, then place */
    int32_t  left, right;
} bs_merge_due;

/* Working memory, which is kept from text to text. */
typedef struct bs_token_scratch {
    int32_t         chars, bytes; /* of the word at hand; chars also counts what did not fit */
    char            byte[4 * BS_TOKEN_WORD_MOST];
    int32_t         start[BS_TOKEN_WORD_MOST + 1]; /* of each character in `byte` */
    bs_letter_place place[BS_TOKEN_WORD_MOST], last;
    bs_sign         sign[BS_SIGNS_MOST];
    int             n_signs;
    bs_letter_place base; /* of the letter that they are on */
    /* Byte pairs: the symbols of a word, and the merges that are due, as a heap. */
    bs_symbol    *symbol;
    bs_merge_due *heap;
    size_t        n_heap, cap_symbols, cap_heap;
} bs_token_scratch;

/* One text, or one word of a list, on its way. */
typedef struct {
    const bs_tokenizer *t;
    bs_pieces          *out;
    int32_t             room;       /* pieces that may be there before those after the text */
    int32_t             word, step; /* the number of the word at hand, and of the next one */
    bool                special, blank, nomem;
    int32_t             at; /* characters before the part of the text at hand */
} bs_token_run;

/* False: no more fits, or memory ran out. */
bool bs_token_put(bs_token_run *r, int32_t id, bs_piece_place place);
/* The pieces of the bytes from..to of a text. False as above. */
bool bs_wordpiece_run(bs_token_run *r, const char *text, size_t from, size_t to);
bool bs_bytepair_run(bs_token_run *r, const char *text, size_t from, size_t to);

/* --- making one ------------------------------------------------------------------ */

/* What is read of a tokeniser, before it is made. Borrows all texts. */
typedef struct {
    const char    *name; /* of the file, for messages */
    bs_token_rules rules;
    bs_piece_text *piece; /* [n] by id */
    int32_t        n;
    size_t         cap;
    bs_added      *added;
    int            n_added;
    size_t         cap_added;
    bs_piece_text *merge; /* [2 n_merges] the left and the right piece of each */
    int32_t        n_merges;
    size_t         cap_merges;
} bs_token_parts;

/* One more; of two pieces with the same text, or added ones with the same id, the later counts. */
basin_status bs_token_piece(bs_token_parts *p, long long id, const char *text, size_t len,
                            basin_error *err);
basin_status bs_token_added(bs_token_parts *p, bs_added a, basin_error *err);
basin_status bs_token_merge(bs_token_parts *p, bs_piece_text left, bs_piece_text right,
                            basin_error *err);
int32_t      bs_token_find(const bs_token_parts *p, const char *text); /* -1: none */
void         bs_token_parts_free(bs_token_parts *p);
/* Checks everything and makes the tokeniser. */
basin_status bs_token_make(const bs_token_parts *p, bs_tokenizer **out, basin_error *err);

#endif
