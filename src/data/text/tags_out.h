/* tags_out.h -- what writers of formats receive: sentences with some tags, as columns, as spans of
 * words and as spans of characters. */
#ifndef BS_TEXT_TAGS_OUT_H
#define BS_TEXT_TAGS_OUT_H

#include "data/text/corpus_part.h"
#include "data/text/retag.h"

struct bs_tags_out {
    const bs_corpus   *c;
    const char *const *names;      /* of tags, as written; NULL: there are none */
    const int32_t     *tag;        /* [tokens] into names; -1: unknown */
    const char *const *gold_names; /* other tags, put before them in tables; NULL: none */
    const int32_t     *gold;
    const bs_tagset   *set;    /* the same tags parsed, for spans, ... */
    const int32_t     *in_set; /* ... and [tokens] numbers in it */
    bs_span           *span;   /* [longest sentence], for callers that ask for spans */
    bool               safe;   /* tables must not contain formulas */
};

/* The same with the corpus's own tags. */
typedef struct {
    bs_tags_out  t;
    const char **names;
    bs_tagset    set;
} bs_own_tags;

/* spans: these are needed, too. The struct must not be moved. */
basin_status bs_own_tags_open(const bs_corpus *c, bool spans, bs_own_tags *out, basin_error *err);
void         bs_own_tags_close(bs_own_tags *t); /* also after a failure */

basin_status bs_tags_write(const bs_tags_out *t, const bs_corpus_format *to, bs_sink sink,
                           void *where, basin_error *err);

/* --- for writers --------------------------------------------------------- */

/* Writes "_" for -1. */
void bs_put_name(bs_writing *w, const bs_names *names, int32_t i);
/* Whether blanks in a word or tag would be taken for the end of its cell. */
bool bs_needs_tabs(const bs_tags_out *t);
bool bs_is_words_heading(const char *name);

/* Sentences that form one text: those of a record or, where words have no text, words joined by
 * blanks and sentences by line ends. */
typedef struct {
    int32_t          first, end; /* sentences; first == end: a text without words */
    const bs_record *record;     /* NULL: none */
    const char      *text;
    size_t           len;
    bs_buf           made;  /* holds the text if there was none */
    int32_t         *place; /* [2 * words] characters if it was made; NULL: those of the corpus */
    size_t           cap;
} bs_passage;

/* Moves on to the next one, starting from {0}: a record, or all sentences of a document if
 * `document`, or one sentence. False: no more, or no memory (made.failed). */
bool bs_passage_next(const bs_corpus *c, bool document, bs_passage *p);
void bs_passage_free(bs_passage *p);
/* Passes its spans in characters, in order, to `put`. */
typedef void (*bs_put_span)(void *to, int n, size_t first, size_t last, const char *label);
void bs_passage_spans(const bs_tags_out *t, const bs_passage *p, bs_put_span put, void *to);

/* Adds members to the object of a sentence, or of a passage. */
typedef void (*bs_put_members)(void *to, int32_t sentence, bs_buf *line);
typedef void (*bs_put_more)(void *to, const bs_passage *p, bs_buf *line);

/* A line of JSON per sentence, and per record without words: {rest, "tokens": [], "tags": [],
 * "spans": []}. */
void bs_put_sentences(const bs_tags_out *t, bs_writing *w, bs_put_members put, void *to);
/* A line per passage: {rest, "text": ..., "spans": [{"start": 0, "end": 3, "label": "PER"}], and
 * what `more` (may be NULL) adds. */
void bs_put_passages(const bs_tags_out *t, bs_writing *w, bs_put_more more, void *to);

#endif
