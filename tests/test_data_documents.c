/* test_data_documents.c -- rows that have a text: columns of tables, members of JSON, lines. */
#include <stdlib.h>
#include <unistd.h>

#include "data_helper.h"

#include "base/io.h"
#include "base/mem.h"

static int no_leak(void **state)
{
    (void)state;
    return bs_mem_live() == 0 ? 0 : -1;
}

/* "text | labels / ..." */
static const char *show_texts(const bs_rows *ds)
{
    static char text[8192];
    size_t      at = 0;
    text[0] = '\0';
    for (int32_t r = 0; r < ds->rows; r++) {
        assert_int_equal(strlen(ds->document[r].bytes), ds->document[r].n);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s |", r ? " / " : "",
                               ds->document[r].bytes);
        for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++)
            at += (size_t)snprintf(text + at, sizeof text - at, " %s",
                                   ds->schema.label[ds->y.index[e]]);
    }
    return text;
}

static const struct {
    const char *options, *text, *want; /* rows, or what is wrong */
} cases[] = {
    /* JSON: the usual names, and the member that looks like running text */
    {"", "{\"text\": \"one two\", \"labels\": [\"x\"]}\n{\"text\": \"three\", \"labels\": []}\n",
     "one two | x / three |"},
    {"",
     "{\"sentence\": \"a b\", \"labels\": \"x,y\"}\n{\"sentence\": \"c d\", \"labels\": \"y\"}\n",
     "a b | x y / c d | y"},
    {"", "{\"body\": \"a b\", \"topics\": [\"x\"]}\n{\"body\": null, \"topics\": [\"y\"]}\n",
     "a b | x /  | y"},
    {"", "{\"abstract\": \"a b\", \"categories\": \"x; y\"}\n", "a b | x y"},
    {"label_sep=+", "{\"text\": \"a b\", \"labels\": \"x + y\"}\n", "a b | x y"},
    {"text_column=t,b",
     "{\"b\": \"two\", \"t\": \"one\", \"labels\": [\"x\"]}\n"
     "{\"b\": \"only\", \"labels\": [\"x\"]}\n",
     "one two | x / only | x"},
    {"", "{\"features\": [1, 2], \"text\": \"a b\", \"labels\": [\"x\"]}\n", "a b | x"},
    {"", "{\"features\": {\"f\": 1}, \"text\": \"a\", \"labels\": [\"x\"]}\n", "a | x"},
    {"text_column=text", "{\"text\": \"a\\u0000b\", \"labels\": [\"x\"]}\n",
     "data:1:19: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"a\\u0000b\"'"},
    {"text_column=text", "{\"text\": 3, \"labels\": [\"x\"]}\n",
     "data:1: the text 'text' is a number; it must be a string"},
    {"text_column=text", "{\"text\": \"\xff\", \"labels\": [\"x\"]}\n",
     "data:1:10: unable to decode byte 0xff near '\"'"},
    /* tables */
    {"labels=y", "text,y\none two,1\n\"three, four\",0\n", "one two | y / three, four |"},
    {"labels=y text_column=b,a", "a,b,y\n1,x,1\n2,,0\n", "x 1 | y / 2 |"},
    {"labels=c2 text_column=c1 header=no", "so it goes\t0,1\tq\nand so on\t12\tq\n",
     "so it goes | 0 1 / and so on | 12"},
    {"text_column=text", "text,labels\na b,x|y\nc,y\n", "a b | x y / c | y"},
    {"labels=y text_column=txt", "text,y\none two,1\nthree,0\n",
     "data: --text-column: there is no column 'txt'; one is 'y'"},
    {"labels=y text_column=text,text", "text,y\none two,1\n",
     "--text-column: 'text' is named twice"},
    {"labels=y text_column=text", "text,y\nK\xf6ln,1\n", "K\xc3\xb6ln | y"},
    /* lines as fastText has them */
    {"", "__label__x __label__y one two\n\n__label__y\tthree  four \n",
     "one two | x y / three  four | y"},
    {"", "__label__x one __label__z two\nnone\n", "one two | x z / none |"},
    {"", "__label__x K\xf6ln\n__label__y\n", "K\xc3\xb6ln | x /  | y"},
    {"format=plain", "one\n", "data: no line has labels; __label__NAME before the text is one"},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bs_read_options o = options_from(cases[i].options);
        basin_error     err = {.msg = ""};
        bs_rows        *ds;
        const char     *got = err.msg;
        if (!read_bytes(cases[i].text, strlen(cases[i].text), &o, &ds, NULL, &err))
            got = ds->document ? show_texts(ds) : "no texts";
        if (cases[i].want && strcmp(got, cases[i].want) != 0)
            fail_msg("case %zu gave \"%s\", not \"%s\"", i, got, cases[i].want);
        bs_rows_free(ds);
    }
}

static void test_found(void **state)
{
    (void)state;
    char     text[8192] = "title,story,kind,y\n";
    size_t   n = strlen(text);
    bs_notes notes;
    for (int i = 0; i < 30; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "a title of number %d,this is a longer story about %d,%s,%d\n", i, i,
                              i % 3 ? "red" : "blue", i % 2);
    bs_notes_init(&notes);
    bs_rows *ds = read_text(text, "labels=y", &notes);
    assert_string_equal(ds->document[1].bytes, "this is a longer story about 1");
    assert_int_equal(ds->schema.n_features, 2); /* the kinds */
    assert_true(noted(&notes, "column 'story' is taken for the text of rows"));
    assert_true(noted(&notes, "column 'title' holds text and is left out: 'story' is the text of "
                              "rows (--text-column story,title joins them)"));
    bs_notes_free(&notes);
    bs_rows_free(ds);
}

/* Numbers stand for names in a file; what is neither is refused. */
static void test_label_names(void **state)
{
    (void)state;
    char        path[] = "/tmp/basin-names-XXXXXX", options[100];
    const int   file = mkstemp(path);
    bs_rows    *ds;
    basin_error err = {0};
    assert_int_equal(write(file, "zero\none\ntwo\n", 13), 13);
    close(file);
    snprintf(options, sizeof options, "header=no text_column=c1 labels=c2 label_names=%s", path);
    ds = read_text("a b c\t2,0\td\nd e\tone\tf\n", options, NULL);
    assert_string_equal(show_texts(ds), "a b c | zero two / d e | one");
    assert_string_equal(ds->schema.label[1], "one");
    bs_rows_free(ds);
    bs_read_options o = options_from(options);
    const char      bad[] = "__label__3 a\n";
    assert_int_equal(read_bytes(bad, sizeof bad - 1, &o, &ds, NULL, &err), BASIN_EDATA);
    assert_non_null(strstr(err.msg, "data:1: label '3' is neither a name in "));
    assert_non_null(strstr(err.msg, " nor a number from 0 to 2"));
    unlink(path);
}

/* Selecting, appending and hashing rows takes their texts along. */
static void test_rows(void **state)
{
    (void)state;
    bs_rows      *ds = read_text("__label__x one\n__label__y two\n__label__x three\n", "", NULL);
    bs_rows      *other = read_text("__label__x one\n__label__y too\n__label__x three\n", "", NULL);
    bs_rows      *some;
    const int32_t rows[] = {2, 0};
    assert_true(ds->hash != other->hash);
    assert_int_equal(bs_rows_select(ds, rows, 2, &some, NULL), BASIN_OK);
    assert_string_equal(show_texts(some), "three | x / one | x");
    assert_int_equal(bs_rows_append(some, other, NULL), BASIN_OK);
    assert_string_equal(show_texts(some), "three | x / one | x / one | x / too | y / three | x");
    bs_rows_free(ds);
    bs_rows_free(other);
    bs_rows_free(some);
}

/* A model of texts gets lines of text, rows of JSON or tables; others need a text. */
static void test_like(void **state)
{
    (void)state;
    bs_rows        *train = read_text("{\"text\": \"a b\", \"labels\": [\"x\"]}\n", "", NULL);
    bs_rows        *numbers = read_text("a,y\n1,1\n2,0\n", "labels=y", NULL);
    bs_read_options o = bs_read_options_default();
    basin_error     err = {0};
    o.like = &train->schema;
    o.label_free = true;
    static const char *const inputs[] = {"one, two\n\n", "text,other\n\"one, two\",3\n,4\n",
                                         "{\"text\": \"one, two\"}\n{\"text\": \"\"}\n"};
    for (int i = 0; i < 3; i++) {
        bs_rows *ds = read_with(inputs[i], &o, NULL);
        assert_string_equal(show_texts(ds), "one, two | /  |");
        assert_int_equal(bs_rows_match(&train->schema, ds, "data", NULL, &err), BASIN_OK);
        bs_rows_free(ds);
    }
    assert_int_equal(bs_rows_match(&train->schema, numbers, "data", NULL, &err), BASIN_EDATA);
    assert_non_null(strstr(err.msg, "data: has no column 'text', the text of the training rows"));
    bs_rows_free(train);
    bs_rows_free(numbers);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, NULL, no_leak)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(cases), TEST(found), TEST(label_names), TEST(rows),
                                       TEST(like)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
