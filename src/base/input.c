/* input.c -- files, standard input and memory as lines or bytes.
 *
 * One buffer holds the unpacked bytes buf[pos..end). A line is a pointer into it: its end is
 * overwritten by a NUL, and only the part of a line cut off by the end of the buffer is ever
 * moved. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/unpack.h"

static const size_t chunk = (size_t)256 << 10;
static const char   stdin_name[] = "<stdin>";

struct bs_input {
    char       *name;
    int         fd;     /* -1: memory */
    bool        ours;   /* fd is closed at the end: not standard input */
    bs_unpack  *unpack; /* NULL: plain */
    const char *bytes;  /* memory not yet copied */
    size_t      n_bytes;

    char  *buf; /* [cap + 1]: the last line needs a NUL as well */
    size_t cap, pos, end;
    size_t searched; /* bytes after pos known to hold no line end */
    bool   eof;
    bool   begun; /* the byte order mark has been looked for */
    long   lines;

    basin_error broken; /* a source that failed stays failed */
};

static basin_status new_input(const char *name, size_t cap, bs_input **out, basin_error *err)
{
    bs_input *in = bs_calloc(1, sizeof *in);
    if (!in)
        return bs_fail_nomem(err);
    size_t len = strlen(name);
    in->fd = -1;
    in->cap = cap;
    in->buf = bs_alloc(cap + 1);
    in->name = bs_alloc(len + 1);
    if (!in->buf || !in->name) {
        bs_input_close(in);
        return bs_fail_nomem(err);
    }
    memcpy(in->name, name, len + 1);
    *out = in;
    return BASIN_OK;
}

void bs_input_close(bs_input *in)
{
    if (!in)
        return;
    bs_unpack_close(in->unpack);
    if (in->ours)
        close(in->fd);
    bs_free(in->name);
    bs_free(in->buf);
    bs_free(in);
}

const char *bs_input_name(const bs_input *in)
{
    return in->name;
}

/* --- the bytes --------------------------------------------------------------- */

/* Up to n bytes from whatever the source is; *got = 0 only at the end. */
static basin_status read_source(bs_input *in, char *dst, size_t n, size_t *got, basin_error *err)
{
    if (in->unpack)
        return bs_unpack_read(in->unpack, dst, n, got, err);
    if (in->fd >= 0) {
        ssize_t r = bs_fd_read(in->fd, dst, n);
        if (r < 0)
            return bs_fail_io(err, in->name, errno);
        *got = (size_t)r;
        return BASIN_OK;
    }
    *got = n < in->n_bytes ? n : in->n_bytes;
    if (*got)
        memcpy(dst, in->bytes, *got);
    in->bytes += *got;
    in->n_bytes -= *got;
    return BASIN_OK;
}

/* Appends bytes to those not yet used, or sets eof. The buffer never holds more than `most`. */
static basin_status refill(bs_input *in, size_t most, basin_error *err)
{
    if (in->broken.status) {
        if (err)
            *err = in->broken;
        return in->broken.status;
    }
    size_t left = in->end - in->pos;
    if (in->pos && left)
        memmove(in->buf, in->buf + in->pos, left);
    in->pos = 0;
    in->end = left;

    if (in->end == in->cap) {
        size_t cap = 0;
        char  *buf = NULL;
        if (bs_mul_size(in->cap, 2, &cap) && cap > most / 2)
            cap = most; /* the old and the new buffer exist at the same time */
        if (cap > in->cap && cap < SIZE_MAX)
            buf = bs_realloc(in->buf, in->cap + 1, cap + 1);
        if (!buf)
            return bs_fail_nomem(err);
        in->buf = buf;
        in->cap = cap;
    }

    size_t got = 0;
    if (read_source(in, in->buf + in->end, in->cap - in->end, &got, &in->broken)) {
        if (err)
            *err = in->broken;
        return in->broken.status;
    }
    in->end += got;
    in->eof = got == 0;
    return BASIN_OK;
}

/* --- opening ----------------------------------------------------------------- */

/* Reads the first bytes; if they are compressed, they become the start of the packed stream and the
 * buffer starts again. Asks for more only while that can settle the question: somebody may be
 * typing. */
static basin_status look_inside(bs_input *in, basin_error *err)
{
    bool undecided = true;
    while (undecided && !in->eof) {
        basin_status s = refill(in, in->cap, err);
        if (s)
            return s;
        bs_unpack_kind(in->buf, in->end, &undecided);
    }
    if (!bs_unpack_kind(in->buf, in->end, &undecided))
        return BASIN_OK;

    char *fresh = bs_alloc(in->cap + 1);
    if (!fresh)
        return bs_fail_nomem(err);
    char  *first = in->buf;
    size_t n = in->end;
    in->buf = fresh;
    in->end = 0;
    in->eof = false;
    return bs_unpack_open(in->name, in->fd, first, n, in->cap, &in->unpack, err);
}

bool bs_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool bs_is_special(const char *path)
{
    struct stat st;
    return strcmp(path, "/dev/stdin") != 0 && stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
           !S_ISDIR(st.st_mode);
}

/* `named` by the user: then it may be a pipe, and we wait for it. */
static basin_status open_file(const char *path, bool named, int *fd, basin_error *err)
{
    if (!*path)
        return bs_fail(err, BASIN_EIO, "the name of the input file is empty");
    do
        *fd = open(path, O_RDONLY | O_CLOEXEC | (named ? 0 : O_NONBLOCK | O_NOCTTY));
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0)
        return bs_fail_io(err, path, errno);

    /* A folder can be opened; only reading it fails, and not on every system. */
    struct stat st;
    const bool  known = fstat(*fd, &st) == 0, folder = known && S_ISDIR(st.st_mode);
    if (!folder && (named || (known && S_ISREG(st.st_mode))))
        return BASIN_OK;
    close(*fd);
    return folder ? bs_fail_io(err, path, EISDIR)
                  : bs_fail(err, BASIN_EIO, "%s: is not a regular file", path);
}

/* A pipe gives its bytes once: one that was only peeked at waits here to be opened again. */
static _Thread_local bs_input *waiting;

static bool is_pipe(const bs_input *in)
{
    struct stat st;
    return in->fd >= 0 && fstat(in->fd, &st) == 0 && (!in->ours || !S_ISREG(st.st_mode));
}

void bs_input_put_back(bs_input *in)
{
    if (!in || !is_pipe(in)) {
        bs_input_close(in);
        return;
    }
    bs_input_forget();
    waiting = in;
}

void bs_input_forget(void)
{
    bs_input_close(waiting);
    waiting = NULL;
}

static basin_status open_input(const char *path, bool named, bs_input **out, basin_error *err)
{
    *out = NULL;
    bool is_stdin = named && strcmp(path, "-") == 0;
    if (named && waiting && strcmp(waiting->name, is_stdin ? stdin_name : path) == 0) {
        *out = waiting;
        waiting = NULL;
        return BASIN_OK;
    }
    int          fd = STDIN_FILENO;
    basin_status s = is_stdin ? BASIN_OK : open_file(path, named, &fd, err);
    if (s)
        return s;

    bs_input *in = NULL;
    s = new_input(is_stdin ? stdin_name : path, chunk, &in, err);
    if (s) {
        if (!is_stdin)
            close(fd);
        return s;
    }
    in->fd = fd;
    in->ours = !is_stdin;
    s = look_inside(in, err);
    if (s)
        bs_input_close(in);
    else
        *out = in;
    return s;
}

basin_status bs_input_open(const char *path, bs_input **out, basin_error *err)
{
    return open_input(path, true, out, err);
}

basin_status bs_input_open_found(const char *path, int mb, bs_input **out, basin_error *err)
{
    basin_status s = open_input(path, false, out, err);
    if (!s)
        bs_input_limit(*out, mb);
    return s;
}

void bs_input_limit(bs_input *in, int mb)
{
    if (in->unpack)
        bs_unpack_limit(in->unpack, mb);
}

basin_status bs_input_open_most(const char *path, int mb, bs_input **out, basin_error *err)
{
    basin_status s = bs_input_open(path, out, err);
    if (!s)
        bs_input_limit(*out, mb);
    return s;
}

bool bs_input_packed(const bs_input *in)
{
    return in->unpack != NULL;
}

basin_status bs_input_memory(const char *name, const void *bytes, size_t n, bs_input **out,
                             basin_error *err)
{
    *out = NULL;
    bs_input    *in = NULL;
    basin_status s = new_input(name, n < chunk ? n + 1 : chunk, &in, err);
    if (s)
        return s;
    in->bytes = bytes;
    in->n_bytes = n;
    *out = in;
    return BASIN_OK;
}

/* --- reading ----------------------------------------------------------------- */

static basin_status skip_mark(bs_input *in, basin_error *err)
{
    static const char mark[3] = "\xef\xbb\xbf";
    for (;;) {
        size_t left = in->end - in->pos, n = left < sizeof mark ? left : sizeof mark;
        if (memcmp(in->buf + in->pos, mark, n) != 0 || (n < sizeof mark && in->eof))
            break;
        if (n == sizeof mark) {
            in->pos += n;
            break;
        }
        basin_status s = refill(in, in->cap, err);
        if (s)
            return s;
    }
    in->begun = true;
    return BASIN_OK;
}

static basin_status fail_long(const bs_input *in, size_t ceiling, basin_error *err)
{
    return bs_fail(err, BASIN_EDATA, "%s:%ld: the line is longer than %zu bytes", in->name,
                   in->lines + 1, ceiling);
}

basin_status bs_input_line(bs_input *in, size_t ceiling, bs_line *line, bool *more,
                           basin_error *err)
{
    *more = false;
    *line = (bs_line){0};
    basin_status s = in->begun ? BASIN_OK : skip_mark(in, err);

    while (!s) {
        char  *text = in->buf + in->pos;
        size_t left = in->end - in->pos;
        char  *nl = memchr(text + in->searched, '\n', left - in->searched);
        if (!nl && !in->eof) {
            /* One byte over the ceiling may be the \r of the line end. */
            in->searched = left;
            if (left > ceiling && left - ceiling > 1)
                return fail_long(in, ceiling, err);
            s = refill(in, ceiling < SIZE_MAX - 2 ? ceiling + 2 : SIZE_MAX, err);
            continue;
        }
        if (!nl && left == 0)
            return BASIN_OK;

        size_t len = nl ? (size_t)(nl - text) : left;
        size_t used = nl ? len + 1 : len;
        if (nl && len && text[len - 1] == '\r')
            len--;
        if (len > ceiling)
            return fail_long(in, ceiling, err);
        text[len] = '\0';
        in->pos += used;
        in->searched = 0;
        *line = (bs_line){.text = text, .len = len, .number = ++in->lines, .used = used};
        *more = true;
        return BASIN_OK;
    }
    return s;
}

static const char *end_of(const bs_line *line)
{
    static const char *const ends[] = {"", "\n", "\r\n"};
    return ends[line->used - line->len];
}

void bs_input_unread(bs_input *in, const bs_line *line)
{
    memcpy(line->text + line->len, end_of(line), line->used - line->len);
    in->pos -= line->used;
    in->lines--;
}

void bs_line_put(const bs_line *line, bs_buf *out)
{
    bs_buf_add(out, line->text, line->len);
    bs_buf_text(out, end_of(line));
}

/* Raw bytes: a byte order mark is content here. */
basin_status bs_input_some(bs_input *in, const char **bytes, size_t *n, basin_error *err)
{
    basin_status s = BASIN_OK;
    if (in->pos == in->end && !in->eof)
        s = refill(in, in->cap, err);
    *bytes = in->buf + in->pos;
    *n = s ? 0 : in->end - in->pos;
    in->pos = in->end;
    in->searched = 0;
    in->begun = in->begun || *n > 0;
    return s;
}

basin_status bs_input_take(bs_input *in, size_t n, bs_buf *out, basin_error *err)
{
    basin_status s = BASIN_OK;
    while (!s && n > 0) {
        if (in->pos == in->end && !in->eof)
            s = refill(in, in->cap, err);
        const size_t left = in->end - in->pos, some = left < n ? left : n;
        if (s || some == 0)
            break;
        bs_buf_add(out, in->buf + in->pos, some);
        in->pos += some;
        n -= some;
        in->begun = true;
    }
    in->searched = 0;
    return !s && out->failed ? bs_fail_nomem(err) : s;
}

basin_status bs_input_rest(bs_input *in, bs_buf *out, basin_error *err)
{
    return bs_input_text(in, SIZE_MAX, out, err);
}

/* What is known about a text kept as a whole. */
typedef struct {
    size_t open;  /* length of the unfinished line */
    long   blank; /* blank lines before it */
} lines_seen;

/* Refuses overlong lines, and more empty ones than any table has: they would be stored as well. */
static basin_status measure(bs_input *in, const char *p, size_t n, size_t ceiling, lines_seen *seen,
                            basin_error *err)
{
    enum { MOST_BLANK = 1 << 20 };
    for (const char *end = p + n; p < end;) {
        const char  *nl = memchr(p, '\n', (size_t)(end - p));
        const size_t len = seen->open + (size_t)((nl ? nl : end) - p);
        /* One byte over the ceiling may be the \r of the line end. */
        if (len > ceiling && len - ceiling > 1)
            return fail_long(in, ceiling, err);
        seen->open = nl ? 0 : len;
        seen->blank = len > 1 ? 0 : seen->blank + (nl != NULL);
        in->lines += nl != NULL;
        if (seen->blank > MOST_BLANK)
            return bs_fail(err, BASIN_EDATA, "%s:%ld: more than %d blank lines in a row", in->name,
                           in->lines, (int)MOST_BLANK);
        p = nl ? nl + 1 : end;
    }
    return BASIN_OK;
}

basin_status bs_input_text(bs_input *in, size_t ceiling, bs_buf *out, basin_error *err)
{
    lines_seen seen = {0};
    for (;;) {
        const char  *bytes;
        size_t       n;
        basin_status s = bs_input_some(in, &bytes, &n, err);
        if (!s && ceiling < SIZE_MAX)
            s = measure(in, bytes, n, ceiling, &seen, err);
        if (!s && n > out->ceiling - out->len)
            s = bs_fail(err, BASIN_EDATA, "%s: has more than %zu bytes", in->name, out->ceiling);
        if (s)
            return s;
        bs_buf_add(out, bytes, n); /* even if empty: an empty file is an empty text */
        if (out->failed)
            return bs_fail_nomem(err);
        if (n == 0)
            return BASIN_OK;
    }
}

basin_status bs_input_peek(bs_input *in, size_t n, const char **bytes, size_t *got,
                           basin_error *err)
{
    basin_status s = BASIN_OK;
    while (!s && in->end - in->pos < n && !in->eof)
        s = refill(in, n > in->cap ? n : in->cap, err);
    size_t left = in->end - in->pos;
    *bytes = in->buf + in->pos;
    *got = s ? 0 : left < n ? left : n;
    return s;
}

/* --- somebody who speaks line by line ---------------------------------------- */

bool bs_input_live(const bs_input *in)
{
    struct stat st;
    return in->fd >= 0 && !in->unpack && fstat(in->fd, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Nothing arrives within `ms` milliseconds. The end of the input counts as arriving. */
static bool is_silent(const bs_input *in, int ms)
{
    struct pollfd p = {.fd = in->fd, .events = POLLIN};
    return !in->eof && bs_input_live(in) && poll(&p, 1, ms) == 0;
}

bool bs_input_waits(const bs_input *in)
{
    const char *text = in->buf + in->pos;
    return !memchr(text, '\n', in->end - in->pos) && is_silent(in, 0);
}

static bool has_content(const char *p, const char *end)
{
    for (const char *nl; (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
        while (p < nl && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
        if (p < nl && *p != '#' && *p != '%')
            return true;
    }
    return false;
}

basin_status bs_input_peek_lines(bs_input *in, size_t n, const char **bytes, size_t *got,
                                 basin_error *err)
{
    enum {
        MOMENT = 100
    }; /* ms: pieces that a program writes in quick succession are seen
                              together */
    basin_status s = BASIN_OK;
    while (!s && in->end - in->pos < n && !in->eof) {
        if (has_content(in->buf + in->pos, in->buf + in->end) && is_silent(in, MOMENT))
            break;
        s = refill(in, n > in->cap ? n : in->cap, err);
    }
    return s ? s
             : bs_input_peek(in, in->end - in->pos < n ? in->end - in->pos : n, bytes, got, err);
}

static basin_status read_and_close(bs_input *in, basin_status s, bs_buf *out, basin_error *err)
{
    if (!s)
        s = bs_input_rest(in, out, err);
    bs_input_close(in);
    return s;
}

basin_status bs_read_file(const char *path, bs_buf *out, basin_error *err)
{
    bs_input    *in = NULL;
    basin_status s = bs_input_open_found(path, 0, &in, err);
    return read_and_close(in, s, out, err);
}

basin_status bs_read_file_most(const char *path, int mb, bs_buf *out, basin_error *err)
{
    bs_input    *in = NULL;
    basin_status s = bs_input_open_most(path, mb, &in, err);
    return read_and_close(in, s, out, err);
}
