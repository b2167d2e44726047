/* visible.h -- foreign text for people.
 *
 * Labels, words, names of files and of columns come from foreign files. None of them may make a
 * terminal do something, begin a line of its own in a table or turn round the order of what
 * follows: control characters (C0, DEL, C1), separators of lines and marks of direction are written
 * as \n, \x1b, \u202e, and so are bytes that are no UTF-8. Text that is shown twice is as if
 * shown once. Formats for machines have quotes of their own and stay exact. */
#ifndef BS_VISIBLE_H
#define BS_VISIBLE_H

#include "base/buf.h"

/* The number of the character of n bytes at p (bs_utf8_len) if it is one of those, else 0. */
unsigned bs_invisible(const char *p, size_t n);
/* Whether all of a text may be seen as it is. */
bool bs_is_visible(const char *text);

void bs_buf_visible(bs_buf *b, const char *text);

/* A JSON string that reads back as the text, and has none of those in it, either. Bytes that are no
 * UTF-8 cannot be in JSON: each becomes U+FFFD. */
void bs_buf_json(bs_buf *b, const char *text, size_t len);

/* In place, several lines: the ends of lines are ours. */
void bs_buf_lines_visible(bs_buf *b);

/* In place, one line of at most size - 1 bytes that snprintf made, which returned n; it ends in
 * "..." when it does not fit. */
void bs_line_visible(char *text, size_t size, int n);

/* A cell of a table: at most `most` characters (0: as many as fit), and room. */
enum { BS_VISIBLE = 256 };
const char *bs_visible(const char *text, int most, char room[BS_VISIBLE]);

#endif
