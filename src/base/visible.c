/* visible.c -- escapes for foreign text, in messages, tables and JSON. Text with nothing to escape,
 * which is nearly all, is copied as it is. */
#include "base/visible.h"

#include <stdint.h>
#include <string.h>

#include "base/print.h"
#include "base/utf8.h"

enum { LONGEST = 8 }; /* \u202e and a NUL */

unsigned bs_invisible(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (n == 1)
        return u[0] < 0x20 || u[0] == 0x7f ? u[0] : 0;
    if (n == 2) {
        const unsigned c = (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
        return c < 0xa0 || c == 0x61c ? c : 0;
    }
    if (n != 3 || u[0] != 0xe2)
        return 0;
    const unsigned c = 0x2000u | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    const bool     marks = c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e);
    return marks || c == 0x2028 || c == 0x2029 || (c >= 0x2066 && c <= 0x2069) ? c : 0;
}

/* How the character at p is shown; returns its length in bytes, and the length of `out` in *len. */
static size_t show(const char *p, size_t left, char out[LONGEST], size_t *len)
{
    const size_t   n = bs_utf8_len(p, left);
    const unsigned c = n ? bs_invisible(p, n) : 0;
    const char    *at = c ? strchr("\tt\nn\rr", (int)c) : NULL;
    if (n && !c && *p) {
        memcpy(out, p, n);
        *len = n;
    } else if (at && c < 0x20) {
        *len = (size_t)bs_print(out, LONGEST, "\\%c", at[1]);
    } else if (c >= 0x80) {
        *len = (size_t)bs_print(out, LONGEST, "\\u%04x", c & 0xffffu);
    } else {
        *len = (size_t)bs_print(out, LONGEST, "\\x%02x", (unsigned)(unsigned char)*p);
    }
    return n ? n : 1;
}

/* Length of the prefix that may stay as it is; nearly always the whole text. */
static size_t harmless(const char *text, size_t len, bool lines)
{
    size_t at = 0;
    while (at < len) {
        const size_t n = bs_utf8_len(text + at, len - at);
        if (!n || (bs_invisible(text + at, n) && !(lines && text[at] == '\n')) || !text[at])
            break;
        at += n;
    }
    return at;
}

bool bs_is_visible(const char *text)
{
    const size_t len = strlen(text);
    return harmless(text, len, false) == len;
}

static void add_shown(bs_buf *b, const char *text, size_t len, bool lines)
{
    for (size_t at = 0, n; at < len; at += n) {
        n = harmless(text + at, len - at, lines);
        bs_buf_add(b, text + at, n);
        if (at + n < len) {
            char   out[LONGEST];
            size_t room;
            n += show(text + at + n, len - at - n, out, &room);
            bs_buf_add(b, out, room);
        }
    }
}

void bs_buf_visible(bs_buf *b, const char *text)
{
    add_shown(b, text, strlen(text), false);
}

void bs_buf_lines_visible(bs_buf *b)
{
    if (b->failed || !b->data || harmless(b->data, b->len, true) == b->len)
        return;
    bs_buf shown;
    bs_buf_init(&shown, b->ceiling);
    add_shown(&shown, b->data, b->len, true);
    bs_buf_free(b);
    *b = shown;
}

/* Writes up to `most` characters into `size` bytes; returns the unwritten rest. */
static const char *fill(const char *text, size_t len, int most, char *out, size_t size)
{
    const char *end = text + len;
    size_t      used = 0;
    for (int columns = 0; text < end;) {
        char   one[LONGEST];
        size_t n;
        size_t step = show(text, (size_t)(end - text), one, &n);
        columns += one[0] == '\\' && n > 1 ? (int)n : 1;
        if (used + n >= size || (most > 0 && columns > most))
            break;
        memcpy(out + used, one, n);
        used += n;
        text += step;
    }
    out[used] = '\0';
    return text;
}

static const char more[] = "...";

/* Steps back to the start of a character, so that a terminal never gets half of one. */
static void mark_cut(char *text, size_t size)
{
    size_t cut = size - sizeof more;
    for (int i = 0; i < 3 && ((unsigned char)text[cut] & 0xC0) == 0x80; i++)
        cut--;
    memcpy(text + cut, more, sizeof more);
}

void bs_line_visible(char *text, size_t size, int n)
{
    enum { MOST = 2048 };
    char copy[MOST];
    if (n >= 0 && (size_t)n >= size)
        mark_cut(text, size);
    const size_t len = strlen(text);
    if (harmless(text, len, false) == len)
        return;
    size = size < MOST ? size : MOST;
    if (*fill(text, len, 0, copy, size)) {
        fill(text, len, 0, copy, size - (sizeof more - 1));
        memcpy(copy + strlen(copy), more, sizeof more);
    }
    memcpy(text, copy, strlen(copy) + 1);
}

const char *bs_visible(const char *text, int most, char room[BS_VISIBLE])
{
    fill(text, strlen(text), most, room, BS_VISIBLE);
    return room;
}
