/* buf.c -- growing byte strings and arrays. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* The array is a pointer of any type, whose bytes are those of a void *. */
bool bs_grow(void *array, size_t *cap, size_t need, size_t size, size_t ceiling)
{
    if (need <= *cap)
        return true;
    if (need > ceiling)
        return false;

    size_t want = *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;
    if (want < 16)
        want = 16;
    if (want > ceiling)
        want = ceiling;
    if (want < need)
        want = need;

    size_t bytes;
    if (!bs_mul_size(want, size, &bytes))
        return false;
    void *p;
    memcpy(&p, array, sizeof p);
    p = bs_realloc(p, *cap * size, bytes);
    if (!p)
        return false;
    memcpy(array, &p, sizeof p);
    *cap = want;
    return true;
}

void bs_buf_init(bs_buf *b, size_t ceiling)
{
    *b = (bs_buf){.ceiling = ceiling};
}

/* Room for n more bytes and the NUL, which the ceiling does not count. */
static bool make_room(bs_buf *b, size_t n)
{
    if (b->failed)
        return false;
    size_t most = b->ceiling < SIZE_MAX ? b->ceiling : SIZE_MAX - 1;
    b->failed = n > most - b->len || !BS_GROW(b->data, b->cap, b->len + n + 1, most + 1);
    return !b->failed;
}

void bs_buf_add(bs_buf *b, const void *bytes, size_t n)
{
    if (!make_room(b, n))
        return;
    if (n)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void bs_buf_text(bs_buf *b, const char *text)
{
    bs_buf_add(b, text, strlen(text));
}

void bs_buf_printf(bs_buf *b, const char *fmt, ...)
{
    if (b->failed)
        return;

    /* Most pieces fit; the others are measured first. */
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    size_t room = b->cap - b->len;
    int    n = bs_vprint(room ? b->data + b->len : NULL, room, fmt, args);
    if (n < 0) {
        b->failed = true;
    } else if ((size_t)n < room) {
        b->len += (size_t)n;
    } else if (make_room(b, (size_t)n)) {
        bs_vprint(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    /* A piece that did not fit has left its beginning after the content. */
    if (b->data)
        b->data[b->len] = '\0';
    va_end(again);
    va_end(args);
}

void bs_buf_clear(bs_buf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->data)
        b->data[0] = '\0';
}

void bs_buf_free(bs_buf *b)
{
    bs_free(b->data);
    bs_buf_init(b, b->ceiling);
}
