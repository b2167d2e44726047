/* test_data_blocks.c -- a file in blocks is the file: same rows, names and messages. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/rows/read.h"

static char path[64];

static void put_file(const char *text)
{
    snprintf(path, sizeof path, "/tmp/basin-pieces-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static bs_rows *whole(const bs_read_options *o)
{
    const char *file = path;
    basin_error err = {0};
    bs_rows    *d = NULL;
    if (bs_rows_read(&file, 1, o, &d, NULL, &err))
        fprintf(stderr, "  %s\n", err.msg);
    assert_non_null(d);
    return d;
}

static void same_row(const bs_rows *a, int32_t i, const bs_rows *b, int32_t k)
{
    const int32_t n = a->x.start[i + 1] - a->x.start[i];
    assert_int_equal(n, b->x.start[k + 1] - b->x.start[k]);
    for (int32_t e = 0; e < n; e++) {
        const int32_t p = a->x.start[i] + e, q = b->x.start[k] + e;
        assert_int_equal(a->x.index[p], b->x.index[q]);
        const float one = a->x.value ? a->x.value[p] : 1, two = b->x.value ? b->x.value[q] : 1;
        assert_true(one == two || (isnan(one) && isnan(two)));
    }
    if (a->row_id && b->row_id) /* a block without any name has none to give */
        assert_string_equal(a->row_id[i], b->row_id[k]);
}

/* Every size of blocks gives the rows of the whole, matched to its schema. */
static void check(const char *text, const char *format, int32_t rows, int fewest)
{
    bs_read_options o = bs_read_options_default();
    snprintf(o.format, sizeof o.format, "%s", format);
    o.keep_ids = strcmp(format, "jsonl") == 0;
    put_file(text);
    bs_rows *all = whole(&o);
    assert_int_equal(all->rows, rows);
    o.like = &all->schema;
    o.label_free = true;
    for (int32_t size = 1; size <= rows + 1; size++) {
        bs_reading *p = NULL;
        basin_error err = {0};
        int32_t     at = 0;
        int         blocks = 0;
        assert_int_equal(bs_rows_open(path, &o, &p, &err), BASIN_OK);
        for (;; blocks++) {
            bs_rows *d = NULL;
            if (bs_rows_next(p, size, &d, NULL, &err)) {
                fprintf(stderr, "  size %d, row %d: %s\n", (int)size, (int)at, err.msg);
                fail();
            }
            if (!d)
                break;
            assert_int_equal(bs_rows_match(&all->schema, d, path, NULL, &err), BASIN_OK);
            for (int32_t i = 0; i < d->rows; i++)
                same_row(all, at++, d, i);
            bs_rows_free(d);
        }
        assert_int_equal(at, rows);
        if (size == 1)
            assert_true(blocks >= fewest);
        bs_rows_close(p);
    }
    bs_rows_free(all);
    remove(path);
}

static void libsvm(void **state)
{
    (void)state;
    check("1,2 1:1 3:0.5\n2 2:1\n\n\n1 3:2\n 1:1\n\n", "auto", 6, 3);
    check("1 1:1\n  # blank, so a row\n2 2:1\n\n# none\n\n\n\n1 3:2\n\n# none\n\n\n", "libsvm", 8,
          8);
    check("\n\n\n\n1 1:1\n", "libsvm", 5, 5);
    check("# a comment\r\n1 1:1 3:0.5\r\n2 2:1\r\n# another\r\n1 3:2", "libsvm", 3, 3);
}

static void xmc(void **state)
{
    (void)state;
    check("4 5 3\n0,2 0:1 4:0.5\n1 2:1\n2 0:1\n0 3:2\n", "auto", 4, 4);
    check("3 5 3\n0,2 0:1 4:0.5\n\n2 0:1\n", "xmc", 3, 2);
    check("4 5 3\n0,2 0:1\n\n\n2 0:1\n\n \n# none\n", "xmc", 4, 4);
    check("4 5 3\n0,2 0:1\n1 1:1\n\n\n\n", "xmc", 4, 4);
}

static void arff(void **state)
{
    (void)state;
    check("@relation 'x: -C -2'\n% no row\n@attribute a numeric\n@attribute b {u,v}\n"
          "@attribute l {0,1}\n@attribute m {0,1}\n\n@DATA\n1,u,0,1\n\n2,v,1,1\n% none\n3,?,0,0\n",
          "auto", 3, 3);
    check("@relation 'x: -C 1'\n@attribute l {0,1}\n@attribute a numeric\n"
          "@attribute b numeric\n@data\n"
          "{0 1, 2 5}\n{}\n{1 3}\n{0 1}\n",
          "auto", 4, 4);
}

static void jsonl(void **state)
{
    (void)state;
    check("{\"id\": \"p\", \"features\": {\"a\": 1, \"b\": 2}, \"labels\": [\"x\"]}\n"
          "{\"features\": {\"b\": 3}, \"labels\": []}\n"
          "{\"features\": {\"a\": 0.5}, \"labels\": [\"y\"], \"id\": \"r\"}\n"
          "{\"features\": {\"a\": 0.25}, \"labels\": [\"y\"]}\n",
          "jsonl", 4, 4);
}

static void csv(void **state)
{
    (void)state;
    check("a,b,labels\n1,2,\"x;y\"\n3,4,x\n5,6,y\n", "csv", 3, 3);
    check("a;b;labels\r\n\n1;\"u\r\nv\";x\r\n \n\n3;w;x\r\n5;\"u\r\nv\";y", "csv", 3, 3);
}

/* Rows of a model's CSV file that only the first block shows to be named by a column. */
static void rows_are_named_by_the_first_block(void **state)
{
    bs_read_options o = bs_read_options_default();
    bs_reading     *p = NULL;
    basin_error     err = {0};
    bs_rows        *d = NULL;
    char            text[2000] = "who,a,label_x\n", row[32];
    int32_t         at = 0;
    (void)state;
    for (int i = 0; i < 24; i++) {
        snprintf(row, sizeof row, "n%d,%d,%d\n", i < 20 ? i : 7, i % 5, i % 2);
        strcat(text, row);
    }
    put_file("a,label_x\n1,0\n2,1\n");
    bs_rows *like = whole(&o);
    remove(path);
    put_file(text);
    o.like = &like->schema;
    o.label_free = true;
    assert_int_equal(bs_rows_open(path, &o, &p, &err), BASIN_OK);
    while (bs_rows_next(p, 12, &d, NULL, &err) == BASIN_OK && d) {
        assert_non_null(d->row_id);
        assert_null(strstr(d->schema.feature[0].name, "who"));
        for (int32_t i = 0; i < d->rows; i++, at++) {
            snprintf(row, sizeof row, "n%d", (int)(at < 20 ? at : 7));
            assert_string_equal(d->row_id[i], row);
        }
        bs_rows_free(d);
    }
    assert_int_equal(err.status, BASIN_OK);
    assert_int_equal(at, 24);
    bs_rows_close(p);
    bs_rows_free(like);
    remove(path);
}

/* Every block but the last is full, without a header as well: scores are computed for blocks of one
 * size. */
static void rows_without_column_names(void **state)
{
    bs_read_options o = bs_read_options_default();
    (void)state;
    put_file("1.5,\"2\n\",0\n3,4,1\n5,6,0\n7.5,8,0\n0,0.25,1\n");
    snprintf(o.labels, sizeof o.labels, "last:1");
    bs_rows *all = whole(&o);
    o.labels[0] = '\0';
    o.like = &all->schema;
    o.label_free = true;
    for (int32_t size = 1; size < 7; size++) {
        bs_reading *p = NULL;
        basin_error err = {0};
        bs_rows    *d = NULL;
        int32_t     at = 0;
        assert_int_equal(bs_rows_open(path, &o, &p, &err), BASIN_OK);
        while (bs_rows_next(p, size, &d, NULL, &err) == BASIN_OK && d) {
            assert_int_equal(d->rows, at + size <= all->rows ? size : all->rows - at);
            assert_int_equal(bs_rows_match(&all->schema, d, path, NULL, &err), BASIN_OK);
            for (int32_t i = 0; i < d->rows; i++)
                same_row(all, at++, d, i);
            bs_rows_free(d);
        }
        assert_int_equal(err.status, BASIN_OK);
        assert_int_equal(at, all->rows);
        bs_rows_close(p);
    }
    bs_rows_free(all);
    remove(path);
}

/* Rows of an array, and what is said of one that is damaged. */
static void arrays(void **state)
{
    static const char head[] = "\x93NUMPY\x01\0\x76\0{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (5, 3), }";
    (void)state;
    char  bytes[128 + 64];
    float v[15];
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, head, sizeof head - 1);
    bytes[127] = '\n';
    for (int i = 0; i < 15; i++)
        v[i] = i % 3 == 2 ? (float)(i % 2) : (float)i;
    memcpy(bytes + 128, v, sizeof v);
    for (size_t n = 128 + sizeof v - 4; n <= 128 + sizeof v + 4; n += 4) {
        bs_read_options o = bs_read_options_default();
        basin_error     err = {0}, other = {0};
        const char     *file = path;
        snprintf(path, sizeof path, "/tmp/basin-blocks-XXXXXX");
        int fd = mkstemp(path);
        assert_int_equal(write(fd, bytes, 128 + sizeof v), 128 + sizeof v);
        snprintf(o.labels, sizeof o.labels, "last:1");
        bs_rows *d = NULL, *all = whole(&o);
        assert_int_equal(pwrite(fd, bytes, n, 0), (ssize_t)n);
        assert_int_equal(ftruncate(fd, (off_t)n), 0);
        close(fd);
        const basin_status want = bs_rows_read(&file, 1, &o, &d, NULL, &other);
        bs_rows_free(d);
        o.labels[0] = '\0';
        o.like = &all->schema;
        o.label_free = true;
        for (int32_t size = 1; size < 7; size++) {
            bs_reading  *p = NULL;
            int32_t      at = 0;
            basin_status s = bs_rows_open(path, &o, &p, &err);
            assert_int_equal(s, BASIN_OK);
            while (!(s = bs_rows_next(p, size, &d, NULL, &err)) && d) {
                assert_true(d->rows <= size);
                assert_int_equal(bs_rows_match(&all->schema, d, path, NULL, &err), BASIN_OK);
                for (int32_t i = 0; i < d->rows; i++)
                    same_row(all, at++, d, i);
                bs_rows_free(d);
            }
            assert_int_equal(s, want);
            assert_string_equal(s ? err.msg : "", other.msg);
            assert_true(s || at == all->rows);
            bs_rows_close(p);
        }
        bs_rows_free(all);
        remove(path);
    }
}

static void csv_messages_name_lines(void **state)
{
    bs_read_options o = bs_read_options_default();
    bs_reading     *p = NULL;
    basin_error     err = {0};
    bs_rows        *d = NULL;
    (void)state;
    put_file("a,b,label_x\n1,2,0\n3,4,1\n");
    bs_rows *like = whole(&o);
    remove(path);
    put_file("a,b,label_x\n\n\n1,2,0\n3,4,1\n\n\n1,2,1\n1,2\n");
    o.like = &like->schema;
    o.label_free = true;
    for (int32_t size = 1; size < 5; size++) {
        err = (basin_error){0};
        assert_int_equal(bs_rows_open(path, &o, &p, &err), BASIN_OK);
        while (bs_rows_next(p, size, &d, NULL, &err) == BASIN_OK && d)
            bs_rows_free(d);
        assert_non_null(strstr(err.msg, ":9: 2 cells, the first line has 3"));
        bs_rows_close(p);
    }
    bs_rows_free(like);
    remove(path);
}

static void messages_name_lines_of_the_file(void **state)
{
    bs_read_options o = bs_read_options_default();
    bs_reading     *p = NULL;
    basin_error     err = {0};
    bs_rows        *d = NULL;
    int             good = 0;
    (void)state;
    put_file("@relation 'x: -C 1'\n@attribute l {0,1}\n@attribute a numeric\n@data\n"
             "0,1\n1,2\n0,3\n1,oops\n");
    assert_int_equal(bs_rows_open(path, &o, &p, &err), BASIN_OK);
    while (bs_rows_next(p, 2, &d, NULL, &err) == BASIN_OK && d) {
        good++;
        bs_rows_free(d);
    }
    assert_int_equal(good, 1);
    assert_non_null(strstr(err.msg, ":8:"));
    bs_rows_close(p);
    remove(path);
}

static void too_few_rows_are_missed(void **state)
{
    bs_read_options o = bs_read_options_default();
    bs_reading     *p = NULL;
    basin_error     err = {0};
    bs_rows        *d = NULL;
    (void)state;
    put_file("5 5 3\n0,2 0:1 4:0.5\n1 2:1\n2 0:1\n");
    assert_int_equal(bs_rows_open(path, &o, &p, &err), BASIN_OK);
    assert_int_equal(bs_rows_next(p, 2, &d, NULL, &err), BASIN_OK);
    bs_rows_free(d);
    assert_int_equal(bs_rows_next(p, 2, &d, NULL, &err), BASIN_EDATA);
    assert_non_null(strstr(err.msg, "says 5 rows, there are 3"));
    bs_rows_close(p);
    remove(path);
}

/* As the reader says it that has the whole file. */
static void too_many_rows_are_seen(void **state)
{
    bs_read_options o = bs_read_options_default();
    bs_reading     *p = NULL;
    basin_error     err = {0}, other = {0};
    bs_rows        *d = NULL;
    basin_status    s;
    const char     *file = path;
    (void)state;
    put_file("2 5 3\n0,2 0:1 4:0.5\n1 2:1\n\n2 0:1\n");
    assert_int_equal(bs_rows_read(&file, 1, &o, &d, NULL, &other), BASIN_EDATA);
    for (int32_t size = 1; size <= 4; size++) {
        assert_int_equal(bs_rows_open(path, &o, &p, &err), BASIN_OK);
        while (!(s = bs_rows_next(p, size, &d, NULL, &err)) && d)
            bs_rows_free(d);
        assert_int_equal(s, BASIN_EDATA);
        assert_string_equal(err.msg, other.msg);
        bs_rows_close(p);
    }
    remove(path);
}

/* A block of nothing but comments is not the end, whatever its size. */
static void long_gaps(void **state)
{
    static const char *const head =
        "@relation 'x: -C 1'\n@attribute l {0,1}\n@attribute a numeric\n@data\n";
    static const struct {
        const char *head, *row, *gap;
        int32_t     rows;
    } cases[] = {
        {"", "1 1:1\n", "# none\n", 3},
        {"", "1 1:1\n", "\n", 3 + 2 * 5000000},
        {"", "{\"features\": {\"a\": 1}, \"labels\": [\"x\"]}\n", "\n", 3},
        {"@", "0,1\n", "% none\n", 3},
        {"@", "0,1\n", "\n", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bs_read_options o = bs_read_options_default();
        bs_reading     *p = NULL;
        basin_error     err = {0};
        bs_rows        *d = NULL;
        int32_t         rows = 0;
        o.label_free = true;
        char first[200];
        snprintf(first, sizeof first, "%s%s", *cases[i].head ? head : "", cases[i].row);
        snprintf(o.format, sizeof o.format, "%s",
                 *cases[i].head         ? "arff"
                 : *cases[i].row == '{' ? "jsonl"
                                        : "libsvm");
        put_file(first);
        bs_rows *like = whole(&o);
        o.like = &like->schema;
        FILE *f = fopen(path, "a");
        for (int r = 0; r < 3; r++) {
            if (r)
                fputs(cases[i].row, f);
            for (int k = 0; k < 5000000; k++)
                fputs(cases[i].gap, f);
        }
        assert_int_equal(fclose(f), 0);
        assert_int_equal(bs_rows_open(path, &o, &p, &err), BASIN_OK);
        for (;; bs_rows_free(d)) {
            basin_status s = bs_rows_next(p, 1 << 20, &d, NULL, &err);
            if (s)
                fprintf(stderr, "  case %zu: %s\n", i, err.msg);
            assert_int_equal(s, BASIN_OK);
            if (!d)
                break;
            assert_true(d->rows <= 1 << 20);
            rows += d->rows;
        }
        assert_int_equal(rows, cases[i].rows);
        bs_rows_free(like);
        bs_rows_close(p);
        remove(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libsvm),
        cmocka_unit_test(xmc),
        cmocka_unit_test(arff),
        cmocka_unit_test(jsonl),
        cmocka_unit_test(csv),
        cmocka_unit_test(rows_are_named_by_the_first_block),
        cmocka_unit_test(rows_without_column_names),
        cmocka_unit_test(arrays),
        cmocka_unit_test(csv_messages_name_lines),
        cmocka_unit_test(messages_name_lines_of_the_file),
        cmocka_unit_test(too_few_rows_are_missed),
        cmocka_unit_test(too_many_rows_are_seen),
        cmocka_unit_test(long_gaps),
    };
    return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
