/* lines.h -- one line of a column file: what it is, and its cells. */
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
    BS_LINE_ASIDE,    /* CoNLL-U: 1-2 (several words as written), 1.1 (a word not written) */
    BS_LINE_STRANGE,  /* CoNLL-U: the first cell is no number */
} bs_line_kind;

typedef struct {
    const char *at;
    size_t      len;
} bs_cell;

typedef struct {
    bs_line_kind kind;
    int          n;    /* cells, also those beyond BS_MOST_CELLS */
    const char  *end;  /* behind the last byte before the line's end */
    const char  *next; /* the next line */
    bs_cell      cell[BS_MOST_CELLS];
} bs_row;

/* How lines are cut. */
typedef struct {
    bool tabs;    /* at tabs only: words may hold blanks */
    bool conllu;  /* comments, numbers in the first cell */
    bool all;     /* every line that is not blank is a token: the file had no lines of its own */
    int  columns; /* > 0: a line "# ..." that does not have so many is a comment */
} bs_cut;

/* Cuts the line at p. The text ends at `end`, where 8 NULs follow, and holds no others. */
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

/* "# ..." or "#" alone, which is a comment where it has not the columns of the others. */
static inline bool bs_is_hash_line(const char *p, const char *end)
{
    return *p == '#' && (p[1] == ' ' || bs_at_line_end(p + 1, end));
}

/* Where the cell at p ends: at a blank (with tabs, at a tab) or at the line's end. */
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
