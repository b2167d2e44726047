/* test_base_input.c -- lines and bytes from files, pipes, memory and every compression.
 * Everything happens in a temporary folder that is removed. */
#include "tests/check.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/rng.h"

static char folder[512];

/* Path of a name in the temporary folder; four may be in use at a time. */
static const char *at(const char *name)
{
    static char paths[4][1024];
    static int  next;
    char       *p = paths[next++ % 4];
    snprintf(p, sizeof paths[0], "%s/%s", folder, name);
    return p;
}

static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* --- lines ------------------------------------------------------------------- */

static bs_input *memory(const char *bytes, size_t n)
{
    bs_input   *in;
    basin_error err;
    assert_int_equal(bs_input_memory("mem", bytes, n, &in, &err), BASIN_OK);
    return in;
}

static void expect_line(bs_input *in, const char *text, size_t len, long number)
{
    bs_line     line;
    bool        more;
    basin_error err;
    assert_int_equal(bs_input_line(in, 1 << 20, &line, &more, &err), BASIN_OK);
    assert_true(more);
    assert_int_equal(line.len, len);
    assert_memory_equal(line.text, text, len);
    assert_int_equal(line.text[len], 0);
    assert_int_equal(line.number, number);
}

static void expect_end(bs_input *in)
{
    bs_line     line;
    bool        more = true;
    basin_error err;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bs_input_line(in, 1 << 20, &line, &more, &err), BASIN_OK);
        assert_false(more);
    }
    bs_input_close(in);
}

static void lines_end_in_several_ways(void **state)
{
    (void)state;
    const char text[] = "one\ntwo\r\n\n\r\na\rb\r\r\nx\0y\nlast\r";
    bs_input  *in = memory(text, sizeof text - 1);
    assert_string_equal(bs_input_name(in), "mem");
    expect_line(in, "one", 3, 1);
    expect_line(in, "two", 3, 2);
    expect_line(in, "", 0, 3);
    expect_line(in, "", 0, 4);
    expect_line(in, "a\rb\r", 4, 5);
    expect_line(in, "x\0y", 3, 6);
    expect_line(in, "last\r", 5, 7);
    expect_end(in);

    expect_end(memory("", 0));
    in = memory("\n", 1);
    expect_line(in, "", 0, 1);
    expect_end(in);
    in = memory("x", 1);
    expect_line(in, "x", 1, 1);
    expect_end(in);
    in = memory("\r", 1);
    expect_line(in, "\r", 1, 1);
    expect_end(in);
}

static void byte_order_marks_are_skipped_once(void **state)
{
    (void)state;
    bs_input *in = memory("\xef\xbb\xbf"
                          "a\n\xef\xbb\xbf"
                          "b\n",
                          10);
    expect_line(in, "a", 1, 1);
    expect_line(in,
                "\xef\xbb\xbf"
                "b",
                4, 2);
    expect_end(in);
    expect_end(memory("\xef\xbb\xbf", 3));
    in = memory("\xef\xbb", 2); /* only the beginning of one */
    expect_line(in, "\xef\xbb", 2, 1);
    expect_end(in);
}

static void long_lines_are_refused(void **state)
{
    (void)state;
    bs_line           line;
    bool              more;
    basin_error       err;
    const char *const fits[] = {"12345\n", "12345\r\n", "12345"};
    for (int i = 0; i < 3; i++) {
        bs_input *in = memory(fits[i], strlen(fits[i]));
        assert_int_equal(bs_input_line(in, 5, &line, &more, &err), BASIN_OK);
        assert_string_equal(line.text, "12345");
        bs_input_close(in);
    }
    const char *const long_ones[] = {"ok\n123456\n", "ok\n123456\r\n", "ok\n123456", "ok\n12345\r"};
    for (int i = 0; i < 4; i++) {
        bs_input *in = memory(long_ones[i], strlen(long_ones[i]));
        assert_int_equal(bs_input_line(in, 5, &line, &more, &err), BASIN_OK);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(bs_input_line(in, 5, &line, &more, &err), BASIN_EDATA);
            assert_string_equal(err.msg, "mem:2: the line is longer than 5 bytes");
            assert_false(more);
        }
        bs_input_close(in);
    }

    /* The memory used does not grow with an endless line. */
    const size_t n = 64 << 20;
    char        *big = calloc(n, 1);
    assert_non_null(big);
    bs_input *in = memory(big, n);
    long      calls = bs_mem_calls();
    assert_int_equal(bs_input_line(in, 1000, &line, &more, &err), BASIN_EDATA);
    assert_int_equal(bs_mem_calls(), calls);
    bs_input_close(in);
    in = memory(big, n);
    assert_int_equal(bs_input_line(in, SIZE_MAX, &line, &more, &err), BASIN_OK);
    assert_int_equal(line.len, n);
    bs_input_close(in);

    /* What was read beyond a line shows how large the buffer is. */
    const char *rest;
    size_t      some;
    big[600000] = '\n';
    in = memory(big, n);
    assert_int_equal(bs_input_line(in, 700000, &line, &more, &err), BASIN_OK);
    assert_int_equal(bs_input_some(in, &rest, &some, &err), BASIN_OK);
    assert_true(line.used + some <= 700002);
    bs_input_close(in);
    free(big);
}

/* Random lines of all lengths, some longer than the buffer, against the text
 * they were made from: every border falls somewhere different. */
static size_t random_text(char *text, size_t size, uint64_t seed)
{
    bs_rng r = bs_rng_make(seed, 0, 0);
    size_t n = 0;
    for (;;) {
        uint32_t kind = bs_rng_below(&r, 1000);
        size_t   len = bs_rng_below(&r, kind < 3 ? 700000 : kind < 100 ? 3000 : 40);
        if (n + len + 2 > size)
            return n;
        for (size_t i = 0; i < len; i++)
            text[n + i] = (char)('a' + (char)((2 * i + n) % 26));
        n += len;
        if (bs_rng_below(&r, 3) == 0)
            text[n++] = '\r';
        text[n++] = '\n';
    }
}

static void check_lines(bs_input *in, const char *text, size_t n)
{
    long number = 0;
    for (size_t pos = 0; pos < n;) {
        const char *nl = memchr(text + pos, '\n', n - pos);
        size_t      len = (size_t)(nl - (text + pos));
        size_t      next = pos + len + 1;
        if (len && text[pos + len - 1] == '\r')
            len--;
        expect_line(in, text + pos, len, ++number);
        pos = next;
    }
    expect_end(in);
}

enum { BIG = 6 << 20 };

static void lines_cross_buffer_borders(void **state)
{
    (void)state;
    char *text = malloc(BIG);
    assert_non_null(text);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        size_t      n = random_text(text, BIG, seed);
        bs_input   *in;
        basin_error err;
        check_lines(memory(text, n), text, n);
        put(at("plain"), text, n);
        assert_int_equal(bs_input_open(at("plain"), &in, &err), BASIN_OK);
        check_lines(in, text, n);
    }
    /* A \r\n pair cut by the border of the 256 KiB buffer. */
    const size_t border = 256 << 10;
    for (size_t shift = 0; shift < 3; shift++) {
        size_t len = border - 1 - shift;
        memset(text, 'x', len);
        memcpy(text + len, "\r\ny", 3);
        put(at("plain"), text, len + 3);
        bs_input   *in;
        basin_error err;
        assert_int_equal(bs_input_open(at("plain"), &in, &err), BASIN_OK);
        expect_line(in, text, len, 1);
        expect_line(in, "y", 1, 2);
        expect_end(in);
    }
    free(text);
}

static void rest_and_peek(void **state)
{
    (void)state;
    const char *bytes;
    size_t      got;
    basin_error err;
    bs_buf      out;
    bs_input   *in = memory("\xef\xbb\xbfline\nrest\0of it", 18);
    assert_int_equal(bs_input_peek(in, 5, &bytes, &got, &err), BASIN_OK);
    assert_int_equal(got, 5);
    assert_memory_equal(bytes, "\xef\xbb\xbfli", 5);
    assert_int_equal(bs_input_peek(in, 1000, &bytes, &got, &err), BASIN_OK);
    assert_int_equal(got, 18);
    expect_line(in, "line", 4, 1);
    assert_int_equal(bs_input_peek(in, 4, &bytes, &got, &err), BASIN_OK);
    assert_memory_equal(bytes, "rest", 4);
    bs_buf_init(&out, 100);
    assert_int_equal(bs_input_rest(in, &out, &err), BASIN_OK);
    assert_int_equal(out.len, 10);
    assert_memory_equal(out.data, "rest\0of it", 11);
    bs_buf_free(&out);
    expect_end(in);

    in = memory("\xef\xbb\xbf"
                "12",
                5); /* bytes are bytes: the mark stays */
    bs_buf_init(&out, 5);
    assert_int_equal(bs_input_rest(in, &out, &err), BASIN_OK);
    assert_int_equal(out.len, 5);
    bs_input_close(in);
    bs_buf_free(&out);

    in = memory("123456", 6);
    bs_buf_init(&out, 5);
    assert_int_equal(bs_input_rest(in, &out, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "mem: has more than 5 bytes");
    bs_input_close(in);
    bs_buf_free(&out);

    char *text = malloc(BIG);
    assert_non_null(text);
    size_t n = random_text(text, BIG, 4);
    in = memory(text, n);
    assert_int_equal(bs_input_peek(in, 1000000, &bytes, &got, &err), BASIN_OK);
    assert_int_equal(got, 1000000);
    assert_memory_equal(bytes, text, got);
    bs_buf_init(&out, BIG);
    assert_int_equal(bs_input_rest(in, &out, &err), BASIN_OK);
    assert_int_equal(out.len, n);
    assert_memory_equal(out.data, text, n);
    bs_input_close(in);
    bs_buf_free(&out);
    free(text);
}

/* --- files ------------------------------------------------------------------- */

static void open_fails(const char *path, const char *why)
{
    bs_input   *in = (void *)1;
    basin_error err;
    char        want[1200];
    long        live = bs_mem_live();
    assert_int_equal(bs_input_open(path, &in, &err), BASIN_EIO);
    assert_null(in);
    snprintf(want, sizeof want, "%s%s%s", path, *path ? ": " : "", why);
    assert_string_equal(err.msg, want);
    assert_int_equal(bs_input_open(path, &in, NULL), BASIN_EIO);
    assert_int_equal(bs_mem_live(), live);
}

static void unreadable_files_are_explained(void **state)
{
    (void)state;
    put(at("plain"), "x\n", 2);
    open_fails(at("missing.arff"), "no such file");
    open_fails(folder, "is a folder, not a file");
    open_fails(at("plain/x"), "a part of the path is not a folder");
    open_fails("", "the name of the input file is empty");
    if (geteuid() != 0) {
        chmod(at("plain"), 0);
        open_fails(at("plain"), "permission denied");
        chmod(at("plain"), 0600);
    }
}

static void empty_files_have_no_lines(void **state)
{
    (void)state;
    bs_input   *in;
    basin_error err;
    bs_buf      out;
    put(at("empty"), "", 0);
    assert_int_equal(bs_input_open(at("empty"), &in, &err), BASIN_OK);
    expect_end(in);
    bs_buf_init(&out, 10);
    assert_int_equal(bs_read_file(at("empty"), &out, &err), BASIN_OK);
    assert_int_equal(out.len, 0);
    assert_string_equal(out.data, "");
    bs_buf_free(&out);
}

/* --- compression ------------------------------------------------------------- */

typedef struct {
    const char *name;
    int (*add)(struct archive *);
    bool checked; /* the format carries a checksum of the content */
} packing;

static const packing packings[] = {
    {"gzip", archive_write_add_filter_gzip, true},
    {"xz", archive_write_add_filter_xz, true},
    {"bzip2", archive_write_add_filter_bzip2, true},
    {"zstd", archive_write_add_filter_zstd, false},
    {"lz4", archive_write_add_filter_lz4, true},
    {"lzip", archive_write_add_filter_lzip, true},
    {"lzma", archive_write_add_filter_lzma, false},
    {"compress", archive_write_add_filter_compress, false},
};
enum { N_PACKINGS = (int)(sizeof packings / sizeof packings[0]) };

static size_t pack(const packing *how, const char *text, size_t n, char *out, size_t size)
{
    struct archive       *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    size_t                used = 0;
    assert_true(a && e);
    assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
    assert_int_equal(how->add(a), ARCHIVE_OK);
    assert_int_equal(archive_write_set_bytes_per_block(a, 1), ARCHIVE_OK); /* no padding */
    assert_int_equal(archive_write_open_memory(a, out, size, &used), ARCHIVE_OK);
    archive_entry_set_filetype(e, AE_IFREG);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    if (n)
        assert_int_equal(archive_write_data(a, text, n), n);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    archive_entry_free(e);
    return used;
}

static void every_compression_is_unpacked(void **state)
{
    (void)state;
    char *text = malloc(BIG), *packed = malloc(2 * BIG);
    assert_true(text && packed);
    size_t n = random_text(text, BIG, 5);
    for (int i = 0; i < N_PACKINGS; i++) {
        size_t      m = pack(&packings[i], text, n, packed, 2 * BIG);
        bs_input   *in;
        basin_error err;
        const char *bytes;
        size_t      got;
        assert_true(m < n);
        put(at("data.txt"), packed, m); /* whatever the file is called */
        assert_int_equal(bs_input_open(at("data.txt"), &in, &err), BASIN_OK);
        assert_int_equal(bs_input_peek(in, 10, &bytes, &got, &err), BASIN_OK);
        assert_memory_equal(bytes, text, 10);
        check_lines(in, text, n);

        bs_buf out;
        bs_buf_init(&out, BIG);
        assert_int_equal(bs_read_file(at("data.txt"), &out, &err), BASIN_OK);
        assert_int_equal(out.len, n);
        assert_memory_equal(out.data, text, n);
        bs_buf_free(&out);

        /* A packed empty file; some of libarchive's rarer writers cannot make one. */
        if (i >= 4)
            continue;
        m = pack(&packings[i], "", 0, packed, 2 * BIG);
        assert_true(m > 0);
        put(at("data.txt"), packed, m);
        assert_int_equal(bs_input_open(at("data.txt"), &in, &err), BASIN_OK);
        expect_end(in);
    }
    free(text);
    free(packed);
}

static void several_members_follow_each_other(void **state)
{
    (void)state;
    char packed[4096];
    for (int i = 0; i < 4; i++) { /* the four formats people concatenate */
        size_t      n = pack(&packings[i], "one\n", 4, packed, 2048);
        size_t      m = pack(&packings[i], "two\n", 4, packed + n, 2048);
        bs_input   *in;
        basin_error err;
        put(at("multi"), packed, n + m);
        assert_int_equal(bs_input_open(at("multi"), &in, &err), BASIN_OK);
        expect_line(in, "one", 3, 1);
        expect_line(in, "two", 3, 2);
        expect_end(in);
    }
}

/* Reads all; the status, with the message required to name the file. */
static basin_status read_all(const char *path, size_t *n)
{
    bs_buf      out;
    basin_error err;
    bs_err_clear(&err);
    bs_buf_init(&out, 100 << 20);
    basin_status s = bs_read_file(path, &out, &err);
    *n = out.len;
    if (s) {
        assert_int_equal(err.status, s);
        assert_memory_equal(err.msg, path, strlen(path));
        assert_memory_equal(err.msg + strlen(path), ": damaged ", 10);
    }
    bs_buf_free(&out);
    return s;
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    enum { N = 60000 };
    static char text[N], packed[2 * N];
    bs_rng      r = bs_rng_make(6, 0, 0);
    for (int i = 0; i < N; i++)
        text[i] = (char)('a' + (char)bs_rng_below(&r, 20));
    long live = bs_mem_live();
    for (int i = 0; i < N_PACKINGS; i++) {
        const packing *how = &packings[i];
        size_t         m = pack(how, text, N, packed, sizeof packed), n;
        bool           ends = strcmp(how->name, "compress") != 0; /* its end is no end mark */
        put(at("cut"), packed, m);
        assert_int_equal(read_all(at("cut"), &n), BASIN_OK);
        assert_int_equal(n, N);
        for (size_t cut = 20; ends && cut < m - 8; cut += m / 7) {
            put(at("cut"), packed, cut);
            assert_int_equal(read_all(at("cut"), &n), BASIN_EDATA);
        }
        for (size_t pos = 40; how->checked && pos < m - 20; pos += m / 61) {
            char kept = packed[pos];
            packed[pos] = (char)(kept ^ 0x10);
            put(at("cut"), packed, m);
            assert_int_equal(read_all(at("cut"), &n), BASIN_EDATA);
            packed[pos] = kept;
        }
        assert_int_equal(bs_mem_live(), live);
    }
}

static void damage_is_described(void **state)
{
    (void)state;
    char        packed[1024], want[1200];
    bs_input   *in;
    bs_line     line;
    bool        more;
    basin_error err;
    put(at("bad.gz"), "\x1f\x8b nonsense", 11);
    assert_int_equal(bs_input_open(at("bad.gz"), &in, &err), BASIN_EDATA);
    snprintf(want, sizeof want, "%s: damaged gzip data: the header is not valid", at("bad.gz"));
    assert_string_equal(err.msg, want);

    size_t m = pack(&packings[0], "one\ntwo\n", 8, packed, sizeof packed);
    packed[m - 8] ^= 1;
    put(at("bad.gz"), packed, m);
    assert_int_equal(bs_input_open(at("bad.gz"), &in, &err), BASIN_OK);
    expect_line(in, "one", 3, 1);
    expect_line(in, "two", 3, 2); /* what is whole is still given */
    for (int again = 0; again < 2; again++) {
        assert_int_equal(bs_input_line(in, 100, &line, &more, &err), BASIN_EDATA);
        snprintf(want, sizeof want, "%s: damaged gzip data: the checksum does not agree",
                 at("bad.gz"));
        assert_string_equal(err.msg, want);
    }
    bs_input_close(in);

    put(at("bad.gz"), packed, m - 10);
    bs_buf out;
    bs_buf_init(&out, 1000);
    assert_int_equal(bs_read_file(at("bad.gz"), &out, &err), BASIN_EDATA);
    snprintf(want, sizeof want, "%s: damaged gzip data: truncated gzip input", at("bad.gz"));
    assert_string_equal(err.msg, want);
    bs_buf_free(&out);

    /* Text that only looks like a signature is text. */
    const char *const texts[] = {"BZh", "BZh9 is how bzip2 files begin", "LZIP", "]", "B"};
    for (int i = 0; i < 5; i++) {
        put(at("text"), texts[i], strlen(texts[i]));
        assert_int_equal(bs_input_open(at("text"), &in, &err), BASIN_OK);
        expect_line(in, texts[i], strlen(texts[i]), 1);
        expect_end(in);
    }
}

/* --- standard input ---------------------------------------------------------- */

/* Runs `check` with a pipe as standard input into which another process writes
 * the bytes, a few at a time. */
static void with_stdin(const char *bytes, size_t n, size_t piece, void (*check)(bs_input *))
{
    int fds[2], old = dup(STDIN_FILENO);
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(fds[0]);
        for (size_t i = 0; i < n; i += piece) {
            size_t left = n - i < piece ? n - i : piece;
            if (write(fds[1], bytes + i, left) != (ssize_t)left)
                _exit(1);
            if (n < 1000)
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
        _exit(0);
    }
    close(fds[1]);
    assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
    close(fds[0]);
    /* Non-blocking, as some programs leave it. */
    assert_int_equal(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK), 0);

    bs_input   *in;
    basin_error err;
    assert_int_equal(bs_input_open("-", &in, &err), BASIN_OK);
    assert_string_equal(bs_input_name(in), "<stdin>");
    check(in);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* it stays open */
    if (old >= 0) {
        dup2(old, STDIN_FILENO);
        close(old);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void check_two(bs_input *in)
{
    expect_line(in, "one", 3, 1);
    expect_line(in, "two", 3, 2);
    expect_end(in);
}

static void check_looked_at(bs_input *in)
{
    const char *head;
    size_t      n;
    basin_error err;
    for (int i = 0; i < 3; i++) { /* looking takes nothing away */
        assert_int_equal(bs_input_peek(in, 5, &head, &n, &err), BASIN_OK);
        assert_int_equal(n, 5);
        bs_input_put_back(in);
        assert_int_equal(bs_input_open("-", &in, &err), BASIN_OK);
    }
    check_two(in);
}

static void check_forgotten(bs_input *in)
{
    const char *head;
    size_t      n;
    basin_error err;
    assert_int_equal(bs_input_peek(in, 100, &head, &n, &err), BASIN_OK); /* all there is */
    bs_input_put_back(in);
    bs_input_forget();
    bs_input_forget();
}

static char  *piped;
static size_t n_piped;

static void check_big(bs_input *in)
{
    check_lines(in, piped, n_piped);
}

static void check_damage(bs_input *in)
{
    bs_line     line;
    bool        more;
    basin_error err;
    expect_line(in, "one", 3, 1);
    expect_line(in, "two", 3, 2);
    assert_int_equal(bs_input_line(in, 100, &line, &more, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "<stdin>: damaged gzip data: the checksum does not agree");
    bs_input_close(in);
}

static void standard_input_is_read(void **state)
{
    (void)state;
    char packed[1024];
    with_stdin("one\ntwo", 7, 1, check_two);
    with_stdin("one\ntwo", 7, 1, check_looked_at);
    with_stdin("one\ntwo", 7, 1, check_forgotten);
    with_stdin("\xef\xbb\xbfone\ntwo\r\n", 12, 1, check_two);
    size_t m = pack(&packings[0], "one\ntwo\n", 8, packed, sizeof packed);
    with_stdin(packed, m, 1, check_two);
    packed[m - 1] ^= 1; /* the length in the trailer */
    with_stdin(packed, m, 1, check_damage);
    /* Two members: what the trailer says of the last is not compared with all. */
    m = pack(&packings[0], "one\n", 4, packed, 512);
    m += pack(&packings[0], "two\n", 4, packed + m, 512);
    for (size_t piece = 1; piece < 40; piece += 4)
        with_stdin(packed, m, piece, check_two);
    m = pack(&packings[1], "one\ntwo\n", 8, packed, sizeof packed);
    with_stdin(packed, m, 1, check_two);

    piped = malloc(BIG);
    assert_non_null(piped);
    n_piped = random_text(piped, BIG, 7);
    with_stdin(piped, n_piped, 70000, check_big);
    free(piped);
}

/* --- memory ------------------------------------------------------------------ */

static basin_status typical_use(const char *text, size_t n, basin_error *err)
{
    bs_input         *in;
    bs_line           line;
    bs_buf            out;
    basin_status      s = BASIN_OK;
    const char *const names[] = {"use", "use.gz"};
    for (int i = 0; i < 2 && !s; i++) {
        bool more = true;
        s = bs_input_open(at(names[i]), &in, err);
        if (s)
            return s;
        while (!s && more)
            s = bs_input_line(in, BIG, &line, &more, err);
        bs_input_close(in);
    }
    if (s)
        return s;
    bs_buf_init(&out, BIG);
    s = bs_read_file(at("use.gz"), &out, err);
    bs_buf_free(&out);
    if (s)
        return s;
    s = bs_input_memory("m", text, n, &in, err);
    if (!s)
        bs_input_close(in);
    return s;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { N = 700000 };
    char *text = malloc(N), *packed = malloc(N);
    assert_true(text && packed);
    memset(text, 'x', N); /* one line longer than the buffer: it has to grow */
    put(at("use"), text, N);
    put(at("use.gz"), packed, pack(&packings[0], text, N, packed, N));
    long live = bs_mem_live();
    for (long n = 1;; n++) {
        basin_error err;
        bs_err_clear(&err);
        bs_mem_fail_at(n);
        basin_status s = typical_use(text, N, &err);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), live);
        if (!s) {
            assert_in_range(n, 15, 100);
            break;
        }
        assert_int_equal(s, BASIN_ENOMEM);
        assert_string_equal(err.msg, "out of memory");
    }
    free(text);
    free(packed);
}

static int make_folder(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/basin-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR           *d = opendir(folder);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.')
            unlink(at(e->d_name));
    if (d)
        closedir(d);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_several_ways),
        cmocka_unit_test(byte_order_marks_are_skipped_once),
        cmocka_unit_test(long_lines_are_refused),
        cmocka_unit_test(lines_cross_buffer_borders),
        cmocka_unit_test(rest_and_peek),
        cmocka_unit_test(unreadable_files_are_explained),
        cmocka_unit_test(empty_files_have_no_lines),
        cmocka_unit_test(every_compression_is_unpacked),
        cmocka_unit_test(several_members_follow_each_other),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(damage_is_described),
        cmocka_unit_test(standard_input_is_read),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("base input", tests, make_folder, remove_folder);
}
