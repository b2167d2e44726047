/* lines.h -- one line of a column file: its kind and its cells. */
#ifndef BS_TEXT_LINES_H
#define BS_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "data/text/corpus.h"

typedef enum {
    BS_LINE_BLANK,
    BS_LINE_TOKEN,
    BS_LINE_DOCUMENT, /* -DOCSTART- */
    BS_LINE_COMMENT,  /* # ... */
    BS_LINE_ASIDE,    /* CoNLL-U: 1-2 (several words written as one), 1.1 (a word not written) */
    BS_LINE_STRANGE,  /* CoNLL-U: the first cell is not a number */
} bs_line_kind;

typedef struct {
    const char *at;
    size_t      len;
} bs_cell;

typedef struct {
    bs_line_kind kind;
    int          n;    /* number of cells, also beyond BS_MOST_CELLS */
    const char  *end;  /* after the last byte before the line end */
    const char  *next; /* the next line */
    bs_cell      cell[BS_MOST_CELLS];
} bs_row;

/* How lines are split. */
typedef struct {
    bool tabs;    /* at tabs only: words may contain blanks */
    bool conllu;  /* comments, and numbers in the first cell */
    bool all;     /* every non-blank line is a token: the columns were generated */
    int  columns; /* > 0: a line "# ..." without this many cells is a comment */
} bs_cut;

/* Splits the line at p. The text ends at `end`, where 8 NULs follow; it contains no others. */
void bs_row_scan(const char *p, const char *end, bs_cut cut, bs_row *row);

/* Eight bytes; the first is the lowest on every machine. */
static inline uint64_t bs_load8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

/* The top bit of every byte that is a blank or a control character. */
static inline uint64_t bs_low_bytes(uint64_t x)
{
    const uint64_t ones = 0x0101010101010101u;
    return ~(((x & ones * 0x7f) + ones * 0x5f) | x) & ones * 0x80;
}

/* True at the end of a line: \n, \r\n, or \r at the end of the text. */
static inline bool bs_at_line_end(const char *p, const char *end)
{
    return p == end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

/* "# ..." or "#" alone, a comment if it lacks the columns of the others. */
static inline bool bs_is_hash_line(const char *p, const char *end)
{
    return *p == '#' && (p[1] == ' ' || bs_at_line_end(p + 1, end));
}

/* End of the cell at p: at a blank (with tabs, at a tab) or at the line end. */
static inline const char *bs_cell_end(const char *p, const char *end, bool tabs)
{
    for (;;) {
        uint64_t low = bs_low_bytes(bs_load8(p));
        if (!low) {
            p += 8;
            continue;
        }
        p += __builtin_ctzll(low) / 8;
        if (*p == '\t' || (*p == ' ' && !tabs) || bs_at_line_end(p, end))
            return p;
        p++;
    }
}

#endif
