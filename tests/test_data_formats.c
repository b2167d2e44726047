/* test_data_formats.c -- LIBSVM, extreme classification, CSV, JSONL; telling formats apart. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "data_helper.h"

#include "base/mem.h"
#include "base/print.h"
#include "data/rows/read.h"
#include "data/scan.h"

static bs_notes notes;

static int setup(void **state)
{
    (void)state;
    bs_notes_init(&notes);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bs_notes_free(&notes);
    return bs_mem_live() == 0 ? 0 : -1;
}

/* Reads, and compares the format that was found and what show() gives. */
static void expect(const char *text, const char *options, const char *format, const char *shown)
{
    bs_rows *ds = read_text(text, options, &notes);
    assert_string_equal(ds->format, format);
    assert_string_equal(show(ds), shown);
    bs_rows_free(ds);
}

/* --- LIBSVM ------------------------------------------------------------------ */

static void test_libsvm(void **state)
{
    (void)state;
    expect("1,5,10 3:0.5 7:1\n2 1:1 # a comment\n", "", "libsvm", "2:0.5 6:1 | 1 5 10 / 0:1 | 2");
    assert_true(noted(&notes, "they count from 1"));
    expect("b,a 1:1\na 2:1\n", "", "libsvm", "0:1 | a b / 1:1 | a");
    expect("3 1 2:1\r\n1 2:2\r\n", "", "libsvm", "1:1 | 1 3 / 1:2 | 1");
    expect("1 qid:3 2:1\n", "", "libsvm", "1:1 | 1");
}

static void test_libsvm_base(void **state)
{
    (void)state;
    expect("1 0:1 4:1\n", "", "libsvm", "0:1 4:1 | 1");
    assert_true(noted(&notes, "features count from 0"));
    expect("1 2:1 4:1\n", "index_base=0", "libsvm", "2:1 4:1 | 1");
    bs_rows        *train = read_text("1 0:1 4:1\n", "", NULL);
    bs_read_options o = options_from("");
    o.like = &train->schema;
    bs_rows *test = read_with("1 2:1\n", &o, NULL);
    assert_string_equal(show(test), "2:1 | 1");
    bs_rows_free(test);
    bs_rows_free(train);
}

/* Rows without labels, without features, without either: none may vanish. */
static void test_libsvm_empty(void **state)
{
    (void)state;
    expect("1 1:1\n 2:1\n3:1\n\n2\n1 1:1\n\n\n", "", "libsvm",
           "0:1 | 1 / 1:1 | / 2:1 | / | / | 2 / 0:1 | 1");
    assert_true(noted(&notes, "1 blank lines were read as rows"));
    assert_true(noted(&notes, "2 blank lines at the end"));
}

static void test_libsvm_unsorted(void **state)
{
    (void)state;
    expect("1 7:1 3:2 5:0\n1,1 3:1\n", "", "libsvm", "2:2 6:1 | 1 / 2:1 | 1");
    assert_true(bs_notes_has(&notes, "unsorted"));
    assert_true(bs_notes_has(&notes, "repeated"));
}

static void test_label_names(void **state)
{
    (void)state;
    char  path[] = "/tmp/basin-names-XXXXXX", options[64];
    int   fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("red\ngreen\n\nblue\n", f);
    fclose(f);
    snprintf(options, sizeof options, "labels=%s", path);
    expect("0,2 1:1\ngreen 2:1\n", options, "libsvm", "0:1 | red blue / 1:1 | green");
    expect("2 3 3\n0,2 1:1\n1 2:1\n", options, "xmc", "1:1 | red blue / 2:1 | green");
    unlink(path);
}

/* --- extreme classification ---------------------------------------------------- */

static void test_xmc(void **state)
{
    (void)state;
    expect("3 10 5\n0,4 0:1 9:2\n 3:0.5\n2\n", "", "xmc", "0:1 9:2 | 0 4 / 3:0.5 | / | 2");
    bs_rows *ds = read_text("2 10 5\n0,4 1:1\n\n\n", "", &notes);
    assert_int_equal(ds->schema.n_features, 10);
    assert_int_equal(ds->schema.n_labels, 5);
    assert_int_equal(ds->rows, 2);
    assert_true(bs_notes_has(&notes, "width"));
    bs_rows_free(ds);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* --- CSV --------------------------------------------------------------------------- */

static void test_csv(void **state)
{
    (void)state;
    expect("\xef\xbb\xbfid,size,\"colour, main\",round,label_a,label_b\r\n"
           "r1,1.5,red,yes,1,0\r\n"
           "r2,,\"say \"\"blue\"\"\",no,0,1\r\n"
           "\r\n"
           "r3,0,NA,?,true,no\r\n",
           "", "csv",
           "id=r1:1 size:1.5 colour, main=red:1 round:1 | label_a / "
           "id=r2:1 size:nan colour, main=say \"blue\":1 | label_b / "
           "id=r3:1 round:nan | label_a");
}

static void test_csv_kinds(void **state)
{
    (void)state;
    expect("a;b;y\n1;x;0\n2;z;1\n", "labels=y", "csv", "a:1 b=x:1 | / a:2 b=z:1 | y");
    expect("a\tb\ty\n1\tx\t0\n", "labels=y", "csv", "a:1 b=x:1 |");
    expect("1,2,0\n3,4,1\n", "labels=last:1", "csv", "c1:1 c2:2 | / c1:3 c2:4 | c3");
    assert_true(noted(&notes, "columns are named c1, c2"));
    expect("a,b\nx,y\n", "labels=b label_sep=| header=yes", "csv", "a=x:1 | y");
    /* a comma that ends the header is no column, whether rows end in one or not */
    expect("a,b,y,\n1,2,0,\n3,4,1,\n", "labels=last:1", "csv", "a:1 b:2 | / a:3 b:4 | y");
    assert_true(noted(&notes, "the header ends in 1 empty name above empty cells"));
    expect("a,b,y,,\n1,2,0\n3,4,1,,\n", "labels=y", "csv", "a:1 b:2 | / a:3 b:4 | y");
    expect("a,b,y,\n1,2,0,5\n3,4,1,\n", "labels=y", "csv", "a:1 b:2 c4:5 | / a:3 b:4 c4:nan | y");
    expect("a,\"multi\nline\",y\n1,2,1\n", "labels=y", "csv", "a:1 multi\nline:2 | y");
}

static void test_csv_lists(void **state)
{
    (void)state;
    expect("a,tags\n1,x|y\n2,\n3,y\n", "", "csv", "a:1 | x y / a:2 | / a:3 | y");
    assert_true(noted(&notes, "separated by '|'"));
    expect("a,tags\n1,\"[\"\"x\"\", \"\"y z\"\"]\"\n2,[]\n", "", "csv", "a:1 | x y z / a:2 |");
    expect("a,genres\n1,\"x, y\"\n2,y\n", "", "csv", "a:1 | x y / a:2 | y");
    expect("a,t\n1,x::y\n", "labels=t label_sep=::", "csv", "a:1 | x y");
}

static void test_csv_cross(void **state)
{
    (void)state;
    expect("a,y,z\n1,x,1\n2,,\n", "labels=y,z", "csv", "a:1 | y z / a:2 | ?z");
    expect("a,caf\xe9\n1,1\n", "labels=last:1", "csv", "a:1 | caf\xc3\xa9");
    assert_true(bs_notes_has(&notes, "encoding"));
}

static void test_csv_identifier(void **state)
{
    (void)state;
    char text[1024] = "id,name,a,y\n";
    for (int i = 0; i < 15; i++)
        snprintf(text + strlen(text), 64, "%d,n%d,%g,%d\n", 100 + i, i, i * 0.5, i % 2);
    bs_rows *ds = read_text(text, "labels=y", &notes);
    assert_int_equal(ds->schema.n_features, 1);
    assert_string_equal(ds->row_id[3], "n3");
    assert_true(noted(&notes, "column 'id'"));
    assert_true(noted(&notes, "column 'name'"));
    bs_rows_free(ds);
}

/* What a column is was decided in training. */
static void test_csv_like(void **state)
{
    (void)state;
    bs_rows        *train = read_text("c,b,y\n1,yes,1\nx,no,0\n", "labels=y", NULL);
    bs_read_options o = options_from("");
    basin_error     err;
    o.like = &train->schema;
    bs_rows *test = read_with("c,b,y\n1,1,1\n1,0,0\n", &o, NULL);
    assert_int_equal(bs_rows_match(&train->schema, test, "t", &notes, &err), BASIN_OK);
    assert_string_equal(show(test), "c=1:1 b:1 | y / c=1:1 |");
    bs_rows_free(test);
    bs_rows_free(train);
}

/* --- JSONL --------------------------------------------------------------------------- */

static void test_jsonl(void **state)
{
    (void)state;
    expect(
        "{\"id\": \"q\", \"features\": {\"a\": 1.5, \"c\": \"red\"}, \"labels\": [\"x\", \"y\"]}\n"
        "\n"
        "{\"features\": {\"c\": \"blue\", \"on\": true, \"a\": null}, \"labels\": []}\n",
        "", "jsonl", "a:1.5 c=red:1 | x y / a:nan c=blue:1 on:1 |");
    expect("{\"c\": \"red\", \"labels\": \"x\"}\n{\"c\": \"red\", \"labels\": \"y\"}\n", "",
           "jsonl", "c=red:1 | x / c=red:1 | y");
    expect("{\"features\": [0, 2, true], \"labels\": [3, 1]}\n{\"features\": [null, 0, 0], "
           "\"labels\": 3}\n",
           "", "jsonl", "1:2 2:1 | 3 1 / 0:nan | 3");
    expect(
        "{\"a\": 1, \"tags\": {\"x\": true, \"y\": 0, \"z\": null}}\n{\"a\": 2, \"tags\": \"y\"}\n",
        "", "jsonl", "a:1 | x ?z / a:2 | y");
    expect("{\"features\": {\"a\": 1}, \"labels\": [\"x\"], \"text\": \"hello\"}\n", "", "jsonl",
           "a:1 | x");
    expect("{\"features\": {\"a\": 1}, \"labels\": [\"x\"], \"other\": \"hello\"}\n", "", "jsonl",
           "a:1 | x");
    assert_true(noted(&notes, "member \"other\" is not used"));
}

static void test_jsonl_ids(void **state)
{
    (void)state;
    bs_rows *ds = read_text("{\"id\": 7, \"a\": 1, \"labels\": [\"x\"]}\n{\"a\": 1, \"labels\": "
                            "[\"x\"]}\n",
                            "", NULL);
    assert_string_equal(ds->row_id[0], "7");
    assert_string_equal(ds->row_id[1], "2");
    bs_rows_free(ds);
}

/* --- numbers and words ------------------------------------------------------------------ */

static void test_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "+1",
        ".5",
        "5.",
        "0.1",
        "123456789.123456789",
        "1e10",
        "1E-10",
        "9007199254740993",
        "1.7976931348623157e308",
        "4.9e-324",
        "0.000001",
        "3.4028235e38",
        "1234567890123456789012345678901234567890",
        "2.2250738585072011e-308",
        "0.1000000000000000055511151231257827021181583404541015625",
        "1e-400",
        "100000e-5",
        "7.2057594037927933e16",
        "8.10109172351e-10",
        "1.00000000000000011102230246251565404",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double      v;
        const char *end = bs_scan_double(texts[i], &v);
        assert_non_null(end);
        assert_int_equal(*end, '\0');
        double want = strtod(texts[i], NULL);
        assert_memory_equal(&v, &want, sizeof v);
    }
    static const char *const wrong[] = {"",    ".",   "-",   "e5",    "1e",
                                        "1e+", "nan", "inf", "1e999", "x1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double v;
        assert_null(bs_scan_double(wrong[i], &v));
    }
}

static void test_globs(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool        match;
    } rows[] = {{"tag_*", "tag_a", true},   {"tag_*", "tag", false}, {"*", "", true},
                {"a?c", "abc", true},       {"a?c", "ac", false},    {"[a-c]x", "bx", true},
                {"[!a-c]x", "bx", false},   {"[!a-c]x", "dx", true}, {"a[", "a[", true},
                {"\\*", "*", true},         {"\\*", "x", false},     {"*a*b*", "xxaxxb", true},
                {"*a*b", "xxaxxbc", false}, {"", "", true},          {"", "x", false},
                {"[]]", "]", true},         {"a*", "a", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (bs_glob_match(rows[i].pattern, rows[i].text) != rows[i].match)
            fail_msg("'%s' against '%s'", rows[i].pattern, rows[i].text);
}

static void test_several_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/basin-parts-XXXXXX", a[80], b[80];
    assert_non_null(mkdtemp(folder));
    snprintf(a, sizeof a, "%s/a.jsonl", folder);
    snprintf(b, sizeof b, "%s/b.jsonl", folder);
    write_text(a, "{\"p\": 1, \"labels\": [\"x\"]}\n");
    write_text(b, "{\"q\": 2, \"p\": 3, \"labels\": [\"y\", \"x\"]}\n");
    const char     *paths[2] = {a, b};
    bs_read_options o = options_from("");
    basin_error     err = {0};
    bs_rows        *ds;
    if (bs_rows_read(paths, 2, &o, &ds, &notes, &err))
        fail_msg("%s", err.msg);
    assert_string_equal(show(ds), "p:1 q:nan | x / p:3 q:2 | x y");
    bs_rows_free(ds);
    unlink(a);
    unlink(b);
    rmdir(folder);
}

/* Beyond the first 65536 characters two units are one. */
static void test_utf16(void **state)
{
    static const char little[] = "\xff\xfe"
                                 "a\0"
                                 "\x3d\xd8"
                                 "\x00\xde"
                                 "\xe9\0",
                      large[] = "\xfe\xff"
                                "\0a"
                                "\xd8\x3d"
                                "\xde\x00"
                                "\0\xe9";
    const char *const text[] = {little, large};
    (void)state;
    for (int i = 0; i < 2; i++) {
        bs_buf in, out;
        bs_buf_init(&in, 100);
        bs_buf_init(&out, 100);
        bs_buf_add(&in, text[i], 10);
        const bs_utf16 kind = bs_utf16_of(text[i], 10);
        assert_int_equal(kind, i == 0 ? BS_UTF16_LITTLE : BS_UTF16_BIG);
        assert_int_equal(bs_utf16_recode(&in, kind, &out, NULL), BASIN_OK);
        assert_string_equal(out.data, "a\xf0\x9f\x98\x80\xc3\xa9");
        bs_buf_free(&in);
        bs_buf_free(&out);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(libsvm),
        TEST(libsvm_base),
        TEST(libsvm_empty),
        TEST(libsvm_unsorted),
        TEST(label_names),
        TEST(xmc),
        TEST(csv),
        TEST(csv_kinds),
        TEST(csv_lists),
        TEST(csv_cross),
        TEST(csv_identifier),
        TEST(csv_like),
        TEST(jsonl),
        TEST(jsonl_ids),
        TEST(numbers),
        TEST(globs),
        TEST(several_files),
        TEST(utf16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
