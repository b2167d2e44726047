/* making.h -- for readers of files that are not columns: records, sentences and words in, columns
 * with tabs and bs_record out.
 *
 * Running out of memory is remembered; callers only check what bs_corpus_builder_end returns. */
#ifndef BS_TEXT_MAKING_H
#define BS_TEXT_MAKING_H

#include "data/text/corpus_part.h"

/* A span of characters in a text. */
typedef struct {
    size_t      first, last; /* last: after the last character */
    const char *label;       /* must live as long as the call it is passed to */
    size_t      order;       /* position in the file */
} bs_marked;

typedef struct {
    bs_corpus_reading *r;
    bs_buf             columns; /* the text being made */
    bs_record         *record;
    int32_t           *first, *last; /* of tokens */
    size_t             cap, first_cap, last_cap;
    int32_t            records, sentences, tokens;
    bool               open; /* a sentence is open */
    bool               failed;

    /* What happened to spans, and the first line of each. */
    long widened, overlapping, blank, blanked;
    long widened_line, overlapping_line, blank_line;
} bs_corpus_builder;

void bs_corpus_builder_begin(bs_corpus_builder *m, bs_corpus_reading *r);

/* Starts a record. text NULL: it has words only; rest may be NULL; all are copied. */
void bs_corpus_builder_record(bs_corpus_builder *m, const char *text, size_t len, const char *rest,
                              const char *name, long line);

/* Adds a word to the open sentence, or opens one; its cells follow, one per further column. first
 * and last: characters, if the record has a text. A word of blanks only becomes "_"; line ends and
 * tabs inside become blanks and are counted in blanked. */
void bs_corpus_builder_word(bs_corpus_builder *m, const char *word, size_t len, size_t first,
                            size_t last);
void bs_corpus_builder_cell(bs_corpus_builder *m, const char *text, size_t len);
void bs_corpus_builder_sentence(bs_corpus_builder *m); /* ends it if one is open */

/* A record whose text is split into sentences (at line ends that no span crosses) and words
 * (tokenise.h). Spans, which are reordered, become IOB2 tags in a second column: a span gets all
 * words that share a character with it; of two spans sharing one, the earlier, or longer, is kept.
 * n < 0: spans are unknown and cells are empty; tags false: no second column. */
void bs_corpus_builder_text(bs_corpus_builder *m, const char *text, size_t len, bool tags,
                            bs_marked *span, long n);

/* Moves the result into the corpus, notes what happened to spans, and frees. s: the status so far.
 * headings [n]: column names, copied; NULL: none. */
basin_status bs_corpus_builder_end(bs_corpus_builder *m, basin_status s, const char *const *heading,
                                   int n);

/* The column that an option ("3", "last", a heading) names; 0: none. */
int bs_heading_find(const char *const *heading, int n, const char *name, size_t len);

#endif
