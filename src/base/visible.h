/* visible.h -- foreign text for people.
 *
 * Labels, words, file and column names come from foreign files. None of them may control a
 * terminal, start a new line in a table or reverse the text after it: control characters (C0, DEL,
 * C1), line separators and direction marks are written as \n, \x1b, \u202e, and invalid UTF-8 bytes
 * likewise. Escaping twice changes nothing. Machine formats have their own quoting and stay
 * exact. */
#ifndef BS_VISIBLE_H
#define BS_VISIBLE_H

#include "base/buf.h"

/* The code point of the n-byte character at p (bs_utf8_len) if it is one of those, else 0. */
unsigned bs_invisible(const char *p, size_t n);
/* Whether a text needs no escapes. */
bool bs_is_visible(const char *text);

void bs_buf_visible(bs_buf *b, const char *text);

/* In place, several lines: line ends are ours. */
void bs_buf_lines_visible(bs_buf *b);

/* In place: one line of at most size - 1 bytes, made by snprintf, which returned n; ends in "..."
 * if it did not fit. */
void bs_line_visible(char *text, size_t size, int n);

/* A table cell: at most `most` characters (0: as many as fit), and room for them. */
enum { BS_VISIBLE = 256 };
const char *bs_visible(const char *text, int most, char room[BS_VISIBLE]);

#endif
