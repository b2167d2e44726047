/* tags_out.h -- what writers of formats are given: sentences with some tags, as columns, as spans
 * of words and as spans of characters. */
#ifndef BS_TEXT_TAGS_OUT_H
#define BS_TEXT_TAGS_OUT_H

#include "data/text/corpus_part.h"
#include "data/text/retag.h"

struct bs_tags_out {
    const bs_corpus   *c;
    const char *const *names;      /* of tags, as they are written; NULL: there are none */
    const int32_t     *tag;        /* [tokens] into names; -1: unknown */
    const char *const *gold_names; /* others that stand before them in tables; NULL: none */
    const int32_t     *gold;
    const bs_tagset   *set;    /* the same tags taken apart, for spans, ... */
    const int32_t     *in_set; /* ... and [tokens] numbers in it */
    bs_span           *span;   /* [longest sentence], for who asks for spans */
    bool               safe;   /* tables hold no formulas */
};

/* The same, of what a corpus itself has. */
typedef struct {
    bs_tags_out t;
    bs_retagged shown;
    bs_tagset   set;
} bs_own_tags;

/* spans: these are asked for, too. The struct is not to be moved. */
basin_status bs_own_tags_open(const bs_corpus *c, bool spans, bs_own_tags *out, basin_error *err);
void         bs_own_tags_close(bs_own_tags *t); /* also after a failure */

basin_status bs_tags_write(const bs_tags_out *t, const bs_corpus_format *to, bs_sink sink,
                           void *where, basin_error *err);

/* --- for writers --------------------------------------------------------- */

/* "_" for -1. */
void bs_put_name(bs_writing *w, const bs_names *names, int32_t i);
/* Blanks in a word or tag would be taken for the end of its cell. */
bool    bs_needs_tabs(const bs_tags_out *t);
int32_t bs_longest_sentence(const bs_corpus *c);
/* Members of a record that were not used, with ", " behind them. */
void bs_put_rest(const bs_record *record, bs_writing *w);
/* "tokens": [...], further columns, "tags": [...] of a sentence. */
void bs_put_tokens(const bs_tags_out *t, int32_t sentence, bs_writing *w);
bool bs_is_words_heading(const char *name);

/* Sentences that are one text: those of a record, or, where words have no text, words with blanks
 * between them and line ends between sentences. */
typedef struct {
    int32_t          first, end; /* sentences; first == end: a text without words */
    const bs_record *record;     /* NULL: none */
    const char      *text;
    size_t           len;
    bs_buf           made; /* holds the text where there was none */
    int32_t *place;        /* [2 * words] characters where it was made; NULL: those of the corpus */
    size_t   cap;
} bs_passage;

/* Goes to the next one, from {0}: a record, or as many sentences as document says, or one. False:
 * no more, or no memory (made.failed). */
bool bs_passage_next(const bs_corpus *c, bool document, bs_passage *p);
void bs_passage_free(bs_passage *p);
/* Its spans in characters, in order, each given to `put`. */
typedef void (*bs_put_span)(void *to, int n, size_t first, size_t last, const char *label);
void bs_passage_spans(const bs_tags_out *t, const bs_passage *p, bs_put_span put, void *to);

/* {rest, "text": ..., "spans": [{"start": 0, "end": 3, "label": "PER"}] without the last brace. */
void bs_put_passage(const bs_tags_out *t, const bs_passage *p, bs_writing *w);

#endif
