/* test_data_files.c -- names that clash, columns that name rows, lines of files; no memory left. */
#include <stdlib.h>
#include <unistd.h>

#include "data_helper.h"

#include "base/mem.h"
#include "data/rows/write.h"

static int no_leak(void **state)
{
    (void)state;
    bs_mem_fail_at(0);
    return bs_mem_live() == 0 ? 0 : -1;
}

static basin_status to_buf(void *to, const void *bytes, size_t n, basin_error *err)
{
    bs_buf_add(to, bytes, n);
    return ((bs_buf *)to)->failed ? bs_fail_nomem(err) : BASIN_OK;
}

/* Written as `format` and read again with the options; what show() gives. */
static const char *again(const char *text, const char *format, const char *options)
{
    static char copy[16384];
    bs_rows    *ds = read_text(text, "", NULL);
    bs_buf      out;
    basin_error err = {0};
    bs_buf_init(&out, 1 << 20);
    if (bs_rows_write_to(ds, bs_writer_find(format), to_buf, &out, &err))
        fail_msg("%s", err.msg);
    bs_rows *back = read_text(out.data, options, NULL);
    snprintf(copy, sizeof copy, "%s", show(back));
    bs_rows_free(ds);
    bs_rows_free(back);
    bs_buf_free(&out);
    return copy;
}

static void test_names(void **state)
{
    (void)state;
    const char *clash = "{\"features\":{\"a\":1,\"a_feature\":2},\"labels\":[\"a\"]}\n"
                        "{\"features\":{\"a\":3},\"labels\":[\"b\"]}\n";
    const char *kept = "a_feature2:1 a_feature:2 | a / a_feature2:3 | b";
    assert_string_equal(again(clash, "csv", "labels=last:2"), kept);
    assert_string_equal(again(clash, "arff", "labels=last:2"), kept);
    /* numbers without names */
    assert_string_equal(again("f1 1:2\nf2 2:1\n", "csv", "labels=f1,f2"),
                        "f1_feature:2 | f1 / f2_feature:1 | f2");
    /* names of columns that look like something else */
    assert_string_equal(again("{\"1\":2,\" b \":1,\"na\":3,\"labels\":[\"0\",\"1.5\"]}\n"
                              "{\"1\":4,\"labels\":[\"0\"]}\n",
                              "csv", "labels=0,1.5"),
                        "1:2  b :1 na:3 | 0 1.5 / 1:4  b :nan na:nan | 0");
}

/* Whether the first line is taken for names. */
static bool has_names(const char *text)
{
    bs_notes notes;
    bs_notes_init(&notes);
    bs_rows *ds = read_text(text, "labels=last:1 format=csv", &notes);
    bool     names = noted(&notes, "holds the names");
    bs_rows_free(ds);
    bs_notes_free(&notes);
    return names;
}

static void test_header(void **state)
{
    (void)state;
    assert_true(has_names("a,b\n1,0\n2,1\n"));
    assert_false(has_names("3,0\n1,0\n2,1\n"));
    assert_true(has_names("a,3,7\n1.5,0,1\n2,1,0\n"));
    assert_true(has_names("0,3,7\n1,0,1\n0,1,0\n"));
    assert_false(has_names("5,0,1\n1,0,1\n0,1,0\n")); /* one odd number is data */
    assert_false(has_names("5,7,0\n1,0,1\n"));        /* so is a single row below */
    assert_false(has_names("5,5,0\n1,0,1\n0,1,0\n"));
    assert_true(has_names("\"3\",\"4\"\n1.5,0\n2,1\n"));
    assert_false(has_names("\"3\",\"1\"\n\"1.5\",\"0\"\n\"2\",\"1\"\n"));
    assert_false(has_names("\"3\",\"1\"\n"));
}

static const char *const tables[] = {
    ",x,l\n7,1.5,0\n3,2.5,1\n9,1,0\n11,2,1\n2,5,0\n0,3,1\n4,7,0\n5,9,1\n1,8,1\n8,4,0\n",
    ("{\"t\":\"a\",\"n\":1,\"labels\":[\"l\"]}\n{\"t\":\"b\",\"n\":1,\"labels\":[]}\n"
     "{\"t\":\"c\",\"n\":3,\"labels\":[\"l\"]}\n{\"t\":\"d\",\"n\":1,\"labels\":[]}\n"
     "{\"t\":\"e\",\"n\":3,\"labels\":[\"l\"]}\n{\"t\":\"f\",\"n\":1,\"labels\":[]}\n"
     "{\"t\":\"g\",\"n\":3,\"labels\":[\"l\"]}\n{\"t\":\"h\",\"n\":1,\"labels\":[]}\n"
     "{\"t\":\"i\",\"n\":3,\"labels\":[\"l\"]}\n{\"t\":\"j\",\"n\":1,\"labels\":[]}\n"),
};

static void test_identifiers(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    bs_rows *index = read_text(tables[0], "labels=l", &notes);
    assert_int_equal(index->schema.n_features, 1);
    assert_true(noted(&notes, "column 'c1' has a different value"));
    bs_rows *texts = read_text(tables[1], "", &notes);
    assert_int_equal(texts->schema.n_features, 1);
    assert_string_equal(texts->row_id[2], "c");
    bs_rows *kept = read_text(tables[1], "keep_ids=yes", NULL);
    assert_int_equal(kept->schema.n_features, 11);
    bs_rows_free(index);
    bs_rows_free(texts);
    bs_rows_free(kept);
    bs_notes_free(&notes);
}

/* --- lines of a file ------------------------------------------------------------------ */

static char folder[] = "/tmp/basin-files-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][128];
    static int  turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* The second and the first row of a file as a part of their own, or why that cannot be. */
static basin_status cut_two(const char *name, bs_buf *out, basin_error *err)
{
    const int32_t   rows[2] = {1, 0};
    const char     *path = in_folder(name), *part = in_folder("part.x");
    bs_read_options o = bs_read_options_default();
    bs_rows        *ds = NULL;
    o.keep_text = true;
    basin_status s = bs_rows_read(&path, 1, &o, &ds, NULL, err);
    const char  *why = s ? NULL : bs_rows_not_kept(ds);
    if (!s && why)
        bs_buf_text(out, why);
    else if (!s)
        s = bs_rows_write_kept(ds, rows, 2, part, NULL, err);
    if (!s && !why)
        s = bs_read_file(part, out, err);
    bs_rows_free(ds);
    return s;
}

static void expect_cut(const char *name, const char *text, const char *want)
{
    bs_buf      out;
    basin_error err = {0};
    bs_buf_init(&out, 1 << 20);
    assert_int_equal(bs_write_file(in_folder(name), text, strlen(text), &err), BASIN_OK);
    if (cut_two(name, &out, &err))
        fail_msg("%s", err.msg);
    assert_string_equal(out.data, want);
    bs_buf_free(&out);
    remove(in_folder(name));
    remove(in_folder("part.x"));
    remove(in_folder("part.xml"));
    remove(in_folder("part.labels"));
}

#define ARFF \
    "\xef\xbb\xbf% c\n@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute a numeric\n@DATA\n"

static void test_cut(void **state)
{
    (void)state;
    expect_cut("a.csv", "x,tags\r\n\r\n1,\"a\r\n|b\"\r\n2,a\r\n3,b",
               "x,tags\r\n2,a\r\n1,\"a\r\n|b\"\r\n");
    expect_cut("a.csv", "x;tags\n1;a|b\n2;a", "x;tags\n2;a\n1;a|b\n");
    expect_cut("a.jsonl", "{\"a\":1,\"labels\":[\"x\"]}\n\n  {\"a\":2,\"labels\":[]}",
               "  {\"a\":2,\"labels\":[]}\n{\"a\":1,\"labels\":[\"x\"]}\n");
    expect_cut("a.libsvm", "# c\n1 1:2\n2 1:1 # d\n\n", "2 1:1 # d\n1 1:2\n");
    expect_cut("a.libsvm", "1 1:2\n\n2 1:1\n", "blank lines are rows there");
    expect_cut("a.libsvm", "1 1:2\n # row\n2 1:1\n", "blank lines are rows there");
    expect_cut("a.arff", ARFF "0,5\n % no row\n\n1,6", ARFF "1,6\n0,5\n");
    expect_cut("a.xmc", "2 2 2\n0 1:1\n1 0:1\n", "the first line has the number of rows");
}

/* --- no memory ------------------------------------------------------------------------ */

static basin_status write_clash(const bs_rows *ds, basin_error *err)
{
    bs_buf    out;
    bs_arena  arena;
    bs_notes  notes;
    bs_rows   named;
    bs_writer poor = *bs_writer_find("libsvm");
    bs_buf_init(&out, 1 << 20);
    bs_arena_init(&arena, 0);
    bs_notes_init(&notes);
    basin_status s = bs_rows_write_to(ds, bs_writer_find("csv"), to_buf, &out, err);
    if (!s)
        s = bs_distinct_names(ds, true, &arena, &named, &notes, err);
    if (!s)
        s = bs_note_losses(ds, &poor, &notes, err);
    if (!s && notes.failed)
        s = bs_fail_nomem(err);
    bs_buf_free(&out);
    bs_arena_free(&arena);
    bs_notes_free(&notes);
    return s;
}

/* Everything of one round; the failing allocation is somewhere in it. */
static basin_status everything(const bs_rows *ds, basin_error *err)
{
    bs_rows     *read = NULL;
    bs_buf       out;
    basin_status s = write_clash(ds, err);
    for (size_t i = 0; !s && i < sizeof tables / sizeof *tables; i++) {
        bs_notes        notes;
        bs_read_options o = options_from(i ? "" : "labels=l");
        o.label_free = true;
        bs_notes_init(&notes);
        s = read_bytes(tables[i], strlen(tables[i]), &o, &read, &notes, err);
        bs_rows_free(read);
        bs_notes_free(&notes);
    }
    bs_buf_init(&out, 1 << 20);
    if (!s)
        s = cut_two("a.libsvm", &out, err);
    bs_buf_free(&out);
    return s;
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *rows = "1 1:2\n2 1:1 # d\n";
    basin_error err = {0};
    assert_int_equal(bs_write_file(in_folder("a.libsvm"), rows, strlen(rows), &err), BASIN_OK);
    for (long n = 1;; n++) {
        bs_rows *ds =
            read_text("{\"id\":\"r\",\"features\":{\"id\":1},\"labels\":[\"a\"]}\n", "", NULL);
        bs_mem_fail_at(n);
        long         before = bs_mem_calls();
        basin_status s = everything(ds, &err);
        bool         reached = bs_mem_calls() - before >= n;
        bs_mem_fail_at(0);
        bs_rows_free(ds);
        if (reached && s != BASIN_ENOMEM)
            fail_msg("allocation %ld: status %d, '%s'", n, (int)s, err.msg);
        assert_int_equal(bs_mem_live(), 0);
        if (!reached) {
            assert_int_equal(s, BASIN_OK);
            break;
        }
    }
    remove(in_folder("a.libsvm"));
    remove(in_folder("part.x"));
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, no_leak)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names), TEST(header), TEST(identifiers), TEST(cut), TEST(no_memory),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
