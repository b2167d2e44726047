/* roles_part.h -- for the formats of semantic roles, and for writers. */
#ifndef BS_TEXT_ROLES_PART_H
#define BS_TEXT_ROLES_PART_H

#include "data/text/making.h"
#include "data/text/roles.h"
#include "data/text/tags_out.h"

/* A sentence with the roles of each of its words for one predicate, for making rows. */
typedef struct {
    bs_cell *word;
    bs_cell *role;  /* [n] length 0: none */
    uint8_t *begin; /* [n] whether it starts there */
    int32_t  n;
    size_t   cap[3];
} bs_role_row;

bool bs_role_row_room(bs_role_row *x, size_t n); /* sets n */
void bs_role_row_free(bs_role_row *x);

/* Adds a row to the open record; labelled: with tags. */
void bs_role_put_row(bs_corpus_builder *m, const bs_role_row *x, int32_t predicate, bool labelled,
                     bs_buf *scratch);
/* Once all are read: there must be some, unless they are of a block, and not too many. */
basin_status bs_role_check_rows(const bs_corpus_builder *m);

/* The words of record k, also if it has no rows; valid until the next call. False: no memory. */
typedef struct {
    bs_buf   text;
    bs_cell *word;
    size_t   cap;
    int32_t  n;
} bs_role_words;
bool bs_role_words_of(const bs_corpus *c, int32_t k, bs_role_words *out);
void bs_role_words_free(bs_role_words *w);

/* Spans of row r in order, into t->span; without tags there are none. */
int32_t bs_role_spans(const bs_tags_out *t, int32_t r);

/* Whether a cell is this text; "-", "_" or empty. */
bool bs_role_cell_is(const bs_cell *c, const char *text);
bool bs_role_is_none(const bs_cell *c);

/* Columns, with roles in brackets or as lists of spans: props_write.c */
void bs_props_write(const bs_tags_out *t, bs_writing *w);

/* A line of JSON for each sentence; `more` (may be NULL) adds members to the object of a row, after
 * its n spans, which are in t->span. */
typedef void (*bs_role_more)(void *to, int32_t row, int32_t n, bs_buf *line);
void bs_put_predicates(const bs_tags_out *t, bs_writing *w, bs_role_more more, void *to);

/* The cells of lines, for props.c: at blanks, or at tabs. Returns their number; at most `most` are
 * written. */
int bs_role_cells(const char *p, const char *end, bool tabs, bs_cell *cell, int most);

#endif
