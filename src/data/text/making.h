/* making.h -- for readers of files that are not columns: records, sentences and words in, columns
 * with tabs and bs_record out.
 *
 * The first failure of memory is remembered; who makes checks nothing but what bs_making_end
 * returns. */
#ifndef BS_TEXT_MAKING_H
#define BS_TEXT_MAKING_H

#include "data/text/corpus_part.h"

/* A span of characters of a text. */
typedef struct {
    size_t      first, last; /* last: behind the last character */
    const char *label;       /* lives as long as the call that is given it */
    size_t      order;       /* in the file */
} bs_marked;

typedef struct {
    bs_corpus_reading *r;
    bs_buf             columns; /* the text that is made */
    bs_record         *record;
    int32_t           *first, *last; /* of tokens */
    size_t             cap, first_cap, last_cap;
    int32_t            records, sentences, tokens;
    bool               open; /* a sentence is */
    bool               failed;

    /* What happened to spans, and in which line first. */
    long widened, overlapping, blank, blanked;
    long widened_line, overlapping_line, blank_line;
} bs_making;

void bs_making_begin(bs_making *m, bs_corpus_reading *r);

/* A record begins. text NULL: it has words only; rest may be NULL; all are copied. */
void bs_making_record(bs_making *m, const char *text, size_t len, const char *rest,
                      const char *name, long line);

/* A word of the open sentence, which begins with it; its cells follow, one for each further column.
 * first and last: characters, where the record has a text. A word of nothing but blanks becomes
 * "_", line ends and tabs inside become blanks; blanked counts them. */
void bs_making_word(bs_making *m, const char *word, size_t len, size_t first, size_t last);
void bs_making_cell(bs_making *m, const char *text, size_t len);
void bs_making_sentence(bs_making *m); /* ends it, where one is open */

/* A record whose text is cut into sentences (at line ends that no span goes over) and words
 * (tokenise.h). Spans, which are reordered, become tags of IOB2 in a second column: a span gets all
 * words that it has a character of; of two that share one the earlier, or longer, is kept. n < 0:
 * nothing is known of spans, and cells are empty; tags false: there is no second column. */
void bs_making_text(bs_making *m, const char *text, size_t len, bool tags, bs_marked *span, long n);

/* Gives what was made to the corpus and says what happened to spans; frees. s: how it went so far.
 * headings [n]: names of the columns, copied; NULL: none. */
basin_status bs_making_end(bs_making *m, basin_status s, const char *const *heading, int n);

/* The tag of this column of an option ("3", "last", a heading); 0: none such. */
int bs_heading_find(const char *const *heading, int n, const char *name, size_t len);

#endif
