/* test_base_bombs.c -- small files that unpack to large ones, and long lines. */
#include "tests/check.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

static const struct {
    const char *name;
    int (*add)(struct archive *);
    bool sure; /* nothing else begins like it */
} kinds[] = {
    {"gzip", archive_write_add_filter_gzip, true},
    {"xz", archive_write_add_filter_xz, true},
    {"zstd", archive_write_add_filter_zstd, true},
    {"lz4", archive_write_add_filter_lz4, true},
    {"compress", archive_write_add_filter_compress, true},
    {"bzip2", archive_write_add_filter_bzip2, false},
    {"lzip", archive_write_add_filter_lzip, false},
    {"lzma", archive_write_add_filter_lzma, false},
};
enum { KINDS = (int)(sizeof kinds / sizeof kinds[0]), MB = 1 << 20 };

static char path[64];

/* `times` copies of a piece, packed. */
static size_t pack(int kind, const char *piece, size_t n, int times, char *out, size_t size)
{
    struct archive       *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    size_t                used = 0;
    assert_true(a && e);
    assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
    assert_int_equal(kinds[kind].add(a), ARCHIVE_OK);
    assert_int_equal(archive_write_set_bytes_per_block(a, 1), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, out, size, &used), ARCHIVE_OK);
    archive_entry_set_filetype(e, AE_IFREG);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    for (int i = 0; i < times; i++)
        assert_int_equal(archive_write_data(a, piece, n), n);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    archive_entry_free(e);
    return used;
}

static void put(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void message_is(const basin_error *err, const char *what)
{
    char want[300];
    snprintf(want, sizeof want, "%s%s", path, what);
    assert_string_equal(err->msg, want);
}

static void one_compression_is_undone(void **state)
{
    (void)state;
    static char text[4096], inner[65536], outer[65536], want[200];
    memset(text, 'a', sizeof text);
    for (int i = 0; i < KINDS; i++)
        for (int o = 0; o < KINDS; o++) {
            bs_buf      out;
            basin_error err = {0};
            size_t      n = pack(i, text, sizeof text, 1, inner, sizeof inner);
            put(outer, pack(o, inner, n, 1, outer, sizeof outer));
            bs_buf_init(&out, MB);
            basin_status s = bs_read_file(path, &out, &err);
            if (s) {
                assert_int_equal(s, BASIN_EDATA);
                assert_true(i == o || kinds[i].sure);
                snprintf(want, sizeof want,
                         ": %s data within %s data; only one compression is undone: unpack it once",
                         kinds[i].name, kinds[o].name);
                message_is(&err, want);
            } else { /* then the inner one is content like any other */
                assert_true(i != o && !kinds[i].sure);
                assert_int_equal(out.len, n);
                assert_memory_equal(out.data, inner, n);
            }
            bs_buf_free(&out);
        }
}

static void many_layers(void **state)
{
    (void)state;
    static char a[65536], b[65536];
    bs_buf      out;
    basin_error err = {0};
    size_t      n = pack(0, "text", 4, 1, a, sizeof a);
    for (int depth = 2; depth <= 30; depth++) {
        n = pack(0, a, n, 1, b, sizeof b);
        memcpy(a, b, n);
        put(a, n);
        bs_buf_init(&out, MB);
        assert_int_equal(bs_read_file(path, &out, &err), BASIN_EDATA);
        assert_int_equal(out.len, 0);
        bs_buf_free(&out);
    }
}

static void what_comes_out_is_counted(void **state)
{
    (void)state;
    static char zeros[MB], packed[MB];
    const long  live = bs_mem_live();
    for (int k = 0; k < KINDS; k++) {
        put(packed, pack(k, zeros, sizeof zeros, 3, packed, sizeof packed));
        for (int mb = 0; mb <= 4; mb++) {
            bs_buf      out;
            basin_error err = {0};
            char        want[100];
            const bool  fits = mb == 0 || mb >= 3;
            bs_buf_init(&out, 100 * MB);
            basin_status s = bs_read_file_most(path, mb, &out, &err);
            assert_int_equal(s, fits ? BASIN_OK : BASIN_EDATA);
            assert_true(fits ? out.len == 3 * MB : out.len <= (size_t)mb * MB);
            if (!fits) {
                snprintf(want, sizeof want, ": unpacks to more than %d MiB (data.max_mb)", mb);
                message_is(&err, want);
            }
            bs_buf_free(&out);
        }
    }
    /* a file that is not packed has the size it has */
    basin_error err = {0};
    bs_buf      out;
    put(zeros, sizeof zeros);
    bs_buf_init(&out, 100 * MB);
    FILE *f = fopen(path, "ab");
    assert_int_equal(fwrite(zeros, 1, sizeof zeros, f), sizeof zeros);
    fclose(f);
    assert_int_equal(bs_read_file_most(path, 1, &out, &err), BASIN_OK);
    assert_int_equal(out.len, 2 * MB);
    bs_buf_free(&out);
    assert_int_equal(bs_mem_live(), live);
}

static void the_usual_limit(void **state)
{
    (void)state;
    const uint64_t gb = (uint64_t)1 << 30;
    basin_error    err = {0};
    assert_int_equal(bs_unpacked("f", 1, gb, 0, &err), BASIN_OK);
    assert_int_equal(bs_unpacked("f", gb / 100, 2 * gb, 0, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "f: unpacks to more than 1024 MiB and 100 times its size; "
                                 "data.max_mb allows more");
    assert_int_equal(bs_unpacked("f", 2 * gb / 100 + 1, 2 * gb, 0, &err), BASIN_OK);
    assert_int_equal(bs_unpacked("f", 1, 2 * gb, 2048, &err), BASIN_OK);
    assert_int_equal(bs_unpacked("f", 1, 2 * gb + 1, 2048, &err), BASIN_EDATA);
    assert_int_equal(bs_unpacked("f", 4 * gb, 2 * gb + 1, 2048, &err), BASIN_EDATA);
    assert_int_equal(bs_unpacked("f", UINT64_MAX, UINT64_MAX, 0, &err), BASIN_OK);
}

static long peak_kb(void)
{
    struct rusage u;
    assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
    return u.ru_maxrss;
}

/* 600 MB in one line: refused at the ceiling, with no more memory than that takes. */
static void a_line_has_a_ceiling(void **state)
{
    (void)state;
    static char piece[MB], packed[4 * MB];
    memset(piece, 'x', sizeof piece);
    put(packed, pack(0, piece, sizeof piece, 600, packed, sizeof packed));
    const long before = peak_kb();
    for (int text = 0; text < 2; text++) {
        bs_input   *in;
        bs_line     line;
        bs_buf      out;
        bool        more;
        basin_error err = {0};
        bs_buf_init(&out, (size_t)1 << 36);
        assert_int_equal(bs_input_open(path, &in, &err), BASIN_OK);
        basin_status s = text ? bs_input_text(in, 2 * MB, &out, &err)
                              : bs_input_line(in, 2 * MB, &line, &more, &err);
        assert_int_equal(s, BASIN_EDATA);
        message_is(&err, ":1: the line is longer than 2097152 bytes");
        bs_buf_free(&out);
        bs_input_close(in);
    }
    assert_true(peak_kb() - before < 100 * 1024);
}

static basin_status as_text(const char *bytes, size_t n, size_t ceiling, basin_error *err)
{
    bs_input *in;
    bs_buf    out;
    bs_buf_init(&out, 100 * MB);
    assert_int_equal(bs_input_memory("mem", bytes, n, &in, err), BASIN_OK);
    basin_status s = bs_input_text(in, ceiling, &out, err);
    if (!s) {
        assert_int_equal(out.len, n);
        assert_memory_equal(out.data, bytes, n);
    }
    bs_buf_free(&out);
    bs_input_close(in);
    return s;
}

static void lines_of_a_text(void **state)
{
    (void)state;
    static char blank[3 * MB];
    basin_error err = {0};
    assert_int_equal(as_text("", 0, 5, &err), BASIN_OK);
    assert_int_equal(as_text("12345\n\n12345\r\n12345", 19, 5, &err), BASIN_OK);
    assert_int_equal(as_text("1\n123456\n", 9, 4, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "mem:2: the line is longer than 4 bytes");
    assert_int_equal(as_text("1\n\n123456", 9, 4, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "mem:3: the line is longer than 4 bytes");

    /* empty lines, which a text that is kept has nothing of */
    memset(blank, '\n', sizeof blank);
    assert_int_equal(as_text(blank, MB, MB, &err), BASIN_OK);
    assert_int_equal(as_text(blank, MB + 1, MB, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "mem:1048577: more than 1048576 blank lines in a row");
    blank[MB] = 'a', blank[MB + 1] = 'b';
    assert_int_equal(as_text(blank, 2 * MB + 2, MB, &err), BASIN_OK);
    memset(blank, '\n', sizeof blank);
    for (size_t i = 0; i < sizeof blank; i += 2)
        blank[i] = '\r';
    assert_int_equal(as_text(blank, sizeof blank, MB, &err), BASIN_EDATA);
    assert_string_equal(err.msg, "mem:1048577: more than 1048576 blank lines in a row");
}

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/basin-bomb-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_compression_is_undone), cmocka_unit_test(many_layers),
        cmocka_unit_test(what_comes_out_is_counted), cmocka_unit_test(the_usual_limit),
        cmocka_unit_test(a_line_has_a_ceiling),      cmocka_unit_test(lines_of_a_text),
    };
    return cmocka_run_group_tests_name("bombs", tests, make_path, remove_path);
}
