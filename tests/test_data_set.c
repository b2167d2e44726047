/* test_data_set.c -- matching, selecting, schemas, writing and reading back, no memory left. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "data_helper.h"

#include "base/mem.h"
#include "tasks/mlc/make.h"
#include "data/split.h"
#include "data/rows/write.h"
#include "task/mlc/data.h"

static int no_leak(void **state)
{
    (void)state;
    bs_mem_fail_at(0);
    return bs_mem_live() == 0 ? 0 : -1;
}

#define HEAD "@relation r\n"

/* --- match ---------------------------------------------------------------------------- */

/* Matches b to the schema of a; what show() gives, or the message. */
static const char *match(const char *a, const char *options_a, const char *b, const char *options_b,
                         bs_notes *notes)
{
    static char message[600];
    bs_rows    *train = read_text(a, options_a, NULL), *test = read_text(b, options_b, NULL);
    basin_error err = {0};
    const char *text = message;
    if (bs_rows_match(&train->schema, test, "test", notes, &err))
        snprintf(message, sizeof message, "%s", err.msg);
    else
        text = show(test);
    bs_rows_free(train);
    bs_rows_free(test);
    return text;
}

static void test_match(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    const char *train = HEAD "@attribute a real\n@attribute c {x,y}\n@attribute y {0,1}\n"
                             "@attribute z {0,1}\n@data\n1,x,1,1\n";
    assert_string_equal(match(train, "labels=y,z",
                              HEAD "@attribute z {0,1}\n@attribute c {y,w}\n@attribute new real\n"
                                   "@attribute a real\n@data\n1,y,9,2\n0,w,9,3\n",
                              "labels=z", &notes),
                        "a:2 c=y:1 | z / a:3 |");
    assert_true(noted(&notes, "1 attribute is not of the training data"));
    assert_true(noted(&notes, "the value 'w'"));
    assert_true(noted(&notes, "has no column for 1 of the 2 labels"));
    assert_string_equal(match(train, "labels=y,z",
                              HEAD "@attribute a {p,q}\n@attribute c {x,y}\n@attribute y {0,1}\n"
                                   "@data\np,x,1\n",
                              "labels=y", NULL),
                        "test: row 1: attribute 'a' is 'p', but a number in the training data");
    assert_string_equal(match(train, "labels=y,z",
                              HEAD "@attribute a real\n@attribute y {0,1}\n@data\n1,1\n",
                              "labels=y", NULL),
                        "test: attribute 'c' of the training data is missing (2 of its 3 features "
                        "are)");
    assert_string_equal(
        match(train, "labels=y,z",
              HEAD "@attribute a real\n@attribute c {x,y}\n@attribute w {0,1}\n"
                   "@data\n1,x,1\n",
              "labels=w", NULL),
        "test: label 'w' is not one of the 2 labels of the training data ('y', ...)");
    assert_string_equal(
        match(HEAD "@attribute a {NO,YES}\n@attribute y {0,1}\n@data\nYES,1\n", "labels=y",
              HEAD "@attribute a {0,1}\n@attribute y {0,1}\n@data\n1,1\n", "labels=y", NULL),
        "test: attribute 'a' was yes or no, as 1: YES in training, here it is yes or "
        "no, as 1: 1");
    bs_notes_free(&notes);
}

static void test_match_numbers(void **state)
{
    (void)state;
    bs_notes notes;
    bs_notes_init(&notes);
    assert_string_equal(match("1 1:1 3:1\n", "", "1 2:1 9:1\n", "", &notes), "1:1 | 1");
    assert_true(noted(&notes, "numbered above 3 "));
    assert_string_equal(match("1 0:1 3:1\n", "", "1 2:1\n", "", NULL), "2:1 | 1");
    assert_string_equal(match("1 1:1 3:1\n", "", "1 0:1\n", "", NULL),
                        "test: has a feature 0, so its features are numbered from 0; the model was "
                        "trained on features numbered from 1");
    assert_string_equal(match("1 1:1 3:1\n", "", "a,y\n1,1\n", "labels=y", NULL),
                        "test: its features have names; the training data's had numbers only");
    bs_notes_free(&notes);
}

static void test_select(void **state)
{
    (void)state;
    bs_rows    *ds = read_text("1 1:1 2:2\n2 3:1\n1,2 1:5\n", "", NULL), *some;
    int32_t     rows[3] = {2, 0, 2};
    basin_error err;
    assert_int_equal(bs_rows_select(ds, rows, 3, &some, &err), BASIN_OK);
    assert_string_equal(show(some), "0:5 | 1 2 / 0:1 1:2 | 1 / 0:5 | 1 2");
    uint8_t keep[3] = {1, 0, 1};
    assert_int_equal(bs_rows_keep_features(some, keep, &err), BASIN_OK);
    assert_string_equal(show(some), "0:5 | 1 2 / 0:1 | 1 / 0:5 | 1 2");
    assert_int_equal(some->schema.n_features, 2);
    assert_int_equal(bs_rows_append(ds, some, &err), BASIN_EARG);
    bs_rows_free(some);
    assert_int_equal(bs_rows_select(ds, rows, 1, &some, &err), BASIN_OK);
    assert_int_equal(bs_rows_append(ds, some, &err), BASIN_OK);
    assert_string_equal(show(ds), "0:1 1:2 | 1 / 2:1 | 2 / 0:5 | 1 2 / 0:5 | 1 2");
    bs_summary s;
    assert_int_equal(bs_rows_summary(ds, &s, &err), BASIN_OK);
    assert_int_equal(s.duplicates, 1);
    assert_int_equal(s.label_sets, 3);
    rows[0] = 9;
    bs_rows_free(some);
    assert_int_equal(bs_rows_select(ds, rows, 1, &some, &err), BASIN_EARG);
    bs_rows_free(ds);
}

/* Which rows have names of their own is known of every row, wherever it goes. */
static void test_select_names(void **state)
{
    (void)state;
    const char *text = "{\"id\":\"a\",\"features\":{\"f\":1},\"labels\":[\"x\"]}\n"
                       "{\"features\":{\"f\":2},\"labels\":[\"x\"]}\n";
    bs_rows    *ds = read_text(text, "", NULL), *some;
    int32_t     rows[2] = {1, 0};
    basin_error err;
    assert_int_equal(bs_rows_select(ds, rows, 2, &some, &err), BASIN_OK);
    assert_int_equal(bs_rows_append(ds, some, &err), BASIN_OK);
    const char *const id[] = {"a", "2", "2", "a"};
    for (int32_t i = 0; i < 4; i++) {
        assert_string_equal(ds->row_id[i], id[i]);
        assert_int_equal(ds->numbered[i], *id[i] == '2');
    }
    bs_rows_free(some);
    bs_rows_free(ds);
}

/* --- schema ----------------------------------------------------------------------------- */

/* Whether rows are dense, and of zeros and ones only, is not a matter of their file. */
static void test_judge(void **state)
{
    (void)state;
    static const struct {
        const char *text, *options;
        bool        dense, binary;
    } row[] = {
        {"a,b,y\n1,2,1\n3,0,0\n", "labels=y", true, false},
        {"{\"a\":1,\"b\":2,\"labels\":[\"y\"]}\n{\"a\":3,\"labels\":[]}\n", "", true, false},
        {"0 1:1 2:2\n1 1:3\n", "", true, false},
        {HEAD "@attribute a real\n@attribute b real\n@attribute y {0,1}\n@data\n{0 1,1 2,2 1}\n"
              "{0 3}\n",
         "labels=y", true, false},
        {"a,b,c,d,e,y\n1,0,0,0,0,1\n0,0,3,0,0,0\n", "labels=y", false, false},
        {"0 1:1\n1 3:3 5:0\n", "", false, false},
        {"a,b,y\n1,0,1\n1,?,0\n", "labels=y", true, true},
        /* ten values of one column do not make zeros of the other */
        {"a,c,y\n1,p,1\n2,q,0\n3,r,0\n4,s,0\n5,t,0\n6,u,0\n", "labels=y", true, false},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bs_rows  *ds = read_text(row[i].text, row[i].options, NULL);
        bs_schema s = ds->schema;
        bs_schema_judge(ds, &s);
        if (s.dense != row[i].dense || s.binary != row[i].binary)
            fail_msg("row %zu: dense %d, binary %d", i, s.dense, s.binary);
        bs_rows_free(ds);
    }
}

static void test_standardise(void **state)
{
    (void)state;
    bs_rows      *ds = read_text(HEAD "@attribute a real\n@attribute b {0,1}\n@attribute k real\n"
                                           "@attribute y {0,1}\n@data\n"
                                           "1,1,7,1\n3,0,7,0\n?,1,7,1\n0,?,7,0\n",
                                 "labels=y", NULL);
    bs_schema     s = ds->schema;
    bs_arena      arena;
    basin_error   err;
    bs_preprocess known = {0};
    bs_arena_init(&arena, 0);
    bs_arena_init(&known.arena, 0);
    assert_int_equal(bs_schema_fit(ds, true, &arena, &s, &err), BASIN_OK);
    double mean = 4.0 / 3, sd = sqrt((1 + 9) / 3.0 - mean * mean);
    assert_true(fabs(s.mean[0] - mean) < 1e-6 && fabs(1 / s.scale[0] - sd) < 1e-6);
    assert_true(s.mean[1] == 0 && s.scale[1] == 1 && fabs(s.fill[1] - 2.0 / 3) < 1e-6);
    assert_true(s.mean[2] == 0 && s.scale[2] == 1);
    float rows[12];
    bs_rows_dense(ds, &s, NULL, 0, 4, rows);
    assert_true(fabs(rows[0] - (1 - mean) / sd) < 1e-6);
    assert_true(fabsf(rows[6]) < 1e-6f && rows[8] == 7);
    assert_true(fabs(rows[10] - 2.0 / 3) < 1e-6);

    bs_buf json, again;
    bs_buf_init(&json, 1 << 20);
    bs_buf_init(&again, 1 << 20);
    bs_schema_json(&s, &json);
    assert_int_equal(bs_preprocess_read(&bs_task_mlc, json.data, "m", &known, &err), BASIN_OK);
    const bs_schema *back = bs_columns_mlc(&known);
    bs_schema_json(back, &again);
    assert_string_equal(json.data, again.data);
    assert_memory_equal(s.mean, back->mean, 3 * sizeof *s.mean);
    assert_memory_equal(s.fill, back->fill, 3 * sizeof *s.fill);
    for (size_t cut = json.len; cut > 0; cut--) {
        json.data[cut - 1] = '\0';
        bs_preprocess_free(&known);
        assert_int_equal(bs_preprocess_read(&bs_task_mlc, json.data, "m", &known, &err),
                         BASIN_EDATA);
    }
    bs_preprocess_free(&known);
    bs_rows_fill(ds, &s);
    assert_int_equal(ds->n_missing, 0);
    bs_buf_free(&json);
    bs_buf_free(&again);
    bs_arena_free(&arena);
    bs_rows_free(ds);
}

/* --- writing and reading back ------------------------------------------------------------- */

static basin_status to_buf(void *to, const void *bytes, size_t n, basin_error *err)
{
    bs_buf_add(to, bytes, n);
    return ((bs_buf *)to)->failed ? bs_fail_nomem(err) : BASIN_OK;
}

/* Writes in a format, reads it and compares with show(). */
static void round_trip(const bs_rows *ds, const char *format, const char *options)
{
    bs_buf      text;
    basin_error err = {0};
    char        before[16384];
    bs_buf_init(&text, 1 << 24);
    if (bs_rows_write_to(ds, bs_writer_find(format), to_buf, &text, &err))
        fail_msg("%s", err.msg);
    snprintf(before, sizeof before, "%s", show(ds));
    bs_rows *back = read_text(text.data, options, NULL);
    assert_string_equal(back->format, format);
    assert_string_equal(show(back), before);
    bs_rows_free(back);
    bs_buf_free(&text);
}

static void test_round_trips(void **state)
{
    (void)state;
    bs_rows *ds = read_text(HEAD "@attribute 'a b' real\n@attribute c {x,'it\\'s'}\n"
                                 "@attribute \"q\\\"r,s\" real\n@attribute y {0,1}\n"
                                 "@attribute 'z w' {0,1}\n@data\n"
                                 "1.5,x,0.1,1,0\n-3e-20,'it\\'s',?,?,1\n0,x,16777217,0,0\n"
                                 "123456.789,?,3.4e38,1,1\n",
                            "labels=last:2", NULL);
    round_trip(ds, "arff", "labels=last:2");
    round_trip(ds, "csv", "labels=last:2");
    bs_rows_free(ds);

    ds = read_text("1,5 3:0.5 7:1e-9\n\n2 1:1\n 4:1\n7\n", "", NULL);
    round_trip(ds, "libsvm", "");
    bs_rows_free(ds);
    ds = read_text("4 9 6\n1,5 3:0.5 7:1\n\n2 1:1\n 4:1\n", "", NULL);
    round_trip(ds, "xmc", "");
    round_trip(ds, "libsvm", "format=libsvm");
    bs_rows_free(ds);
    ds = read_text("{\"a\":0.1,\"c\":\"re\\\"d\\n\",\"labels\":[\"x\",\"\xc3\xa9\"]}\n"
                   "{\"c\":\"blue\",\"on\":true,\"a\":null,\"labels\":{\"x\":null,\"y\":true}}\n",
                   "", NULL);
    round_trip(ds, "jsonl", "");
    bs_rows_free(ds);
    ds =
        read_text("{\"features\":[0,2,0,0],\"labels\":[\"x\"]}\n{\"features\":[0,0,0,0],\"labels\":"
                  "[]}\n{\"features\":[1,0,0,null],\"labels\":[\"y\"]}\n",
                  "", NULL);
    round_trip(ds, "jsonl", "");
    bs_rows_free(ds);
}

/* Through files: names of labels go to a second file, and are found there. */
static void test_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/basin-write-XXXXXX", path[96], side[96];
    assert_non_null(mkdtemp(folder));
    bs_rows                 *ds = read_text("a,b,x y,z\n1,0,1,0\n0,2,0,1\n", "labels=last:2", NULL);
    static const char *const rows[][3] = {{"arff", "t.arff", "t.xml"},
                                          {"libsvm", "t.libsvm", "t.labels"},
                                          {"xmc", "t.xmc", "t.labels"}};
    for (int i = 0; i < 3; i++) {
        bs_notes        notes;
        basin_error     err = {0};
        bs_rows        *back;
        bs_read_options o = options_from("");
        const char     *paths[1] = {path};
        bs_notes_init(&notes);
        snprintf(path, sizeof path, "%s/%s", folder, rows[i][1]);
        snprintf(side, sizeof side, "%s/%s", folder, rows[i][2]);
        assert_int_equal(bs_rows_write(ds, path, NULL, &notes, &err), BASIN_OK);
        assert_true(noted(&notes, rows[i][2]));
        if (bs_rows_read(paths, 1, &o, &back, &notes, &err))
            fail_msg("%s", err.msg);
        assert_string_equal(back->format, rows[i][0]);
        assert_string_equal(show(back), i ? "0:1 | x y / 1:2 | z" : "a:1 | x y / b:2 | z");
        bs_rows_free(back);
        bs_notes_free(&notes);
        unlink(path);
        unlink(side);
    }
    basin_error err;
    assert_int_equal(bs_rows_write(ds, "/tmp/x.unknown", NULL, NULL, &err), BASIN_EARG);
    assert_int_equal(bs_rows_write(ds, "/tmp/x", "nothing", NULL, &err), BASIN_EARG);
    bs_rows_free(ds);
    rmdir(folder);
}

static void test_refused(void **state)
{
    (void)state;
    bs_rows    *ds = read_text("a,y\n,1\n1,1\n", "labels=y", NULL);
    bs_buf      text;
    basin_error err;
    bs_buf_init(&text, 1 << 20);
    assert_int_equal(bs_rows_write_to(ds, bs_writer_find("libsvm"), to_buf, &text, &err),
                     BASIN_EUNSUPPORTED);
    assert_string_equal(err.msg, "libsvm cannot hold this data: it has missing values");
    bs_buf_free(&text);
    bs_rows_free(ds);
}

/* --- memory --------------------------------------------------------------------------------- */

static const char *const texts[] = {
    HEAD "@attribute a real\n@attribute 'b\\'' {x,y,z}\n@attribute s string\n@attribute y {0,1}\n"
         "@attribute z {0,1}\n@data\n1,x,r1,1,?\n?,z,'r\\'2',0,1\n",
    HEAD "@attribute a {1,0}\n@attribute a {r,g}\n@attribute z {1,0}\n@data\n{}\n{0 0,2 0}\n",
    HEAD "@attribute a real\n@attribute c hierarchical x,x/y,z\n@data\n1,x/y\n2,z\n",
    "1,5 3:0.5\nred 7:1 2:1\n\n2 1:1\n",
    "2 9 6\n1,5 3:0.5 7:1\n2 1:1\n",
    "id,c,\"q\"\"\",tags\nr1,red,1,x|y\nr2,blue,,\"[\"\"x\"\"]\"\n",
    ("{\"id\":\"q\",\"features\":{\"a\":1,\"c\":\"red\"},\"labels\":[\"x\"]}\n"
     "{\"features\":{\"b\":true},\"labels\":{\"y\":null}}\n"),
};

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bs_read_options o = options_from(i < 2 ? "labels=z" : "");
        for (long n = 1;; n++) {
            bs_rows    *ds;
            bs_notes    notes;
            basin_error err = {0};
            bs_notes_init(&notes);
            bs_mem_fail_at(n);
            long         before = bs_mem_calls();
            basin_status s = read_bytes(texts[i], strlen(texts[i]), &o, &ds, &notes, &err);
            bool         reached = bs_mem_calls() - before >= n;
            bs_mem_fail_at(0);
            bs_notes_free(&notes);
            bs_rows_free(ds);
            if (reached && s != BASIN_ENOMEM)
                fail_msg("text %zu, allocation %ld: status %d, '%s'", i, n, (int)s, err.msg);
            assert_int_equal(bs_mem_live(), 0);
            if (!reached) {
                assert_int_equal(s, BASIN_OK);
                break;
            }
        }
    }
}

/* Everything else that allocates, on one small data set. */
static basin_status everything(bs_rows *a, bs_rows *b, basin_error *err)
{
    int32_t             rows[2] = {1, 0}, part[4];
    double              share[2] = {1, 1};
    bs_rows            *some = NULL, *made = NULL;
    bs_summary          summary;
    bs_arena            arena;
    bs_schema           schema;
    bs_buf              text;
    bs_notes            notes;
    bs_split_balance   *balance = bs_alloc(sizeof *balance);
    bs_make_mlc_options o;
    bs_make_mlc_truth   truth;
    bs_options_default(bs_make_mlc_rows, &o, NULL);
    o.rows = 5;
    bs_arena_init(&arena, 0);
    bs_buf_init(&text, 1 << 20);
    bs_notes_init(&notes);
    basin_status s = balance ? BASIN_OK : bs_fail_nomem(err);
    s = s ? s : bs_rows_select(a, rows, 2, &some, err);
    s = s ? s : bs_rows_summary(a, &summary, err);
    s = s ? s : bs_rows_widen(some, b, err);
    s = s ? s : bs_rows_match(&some->schema, b, "b", &notes, err);
    s = s ? s : bs_rows_append(some, b, err);
    s = s ? s : bs_schema_copy(&a->schema, &arena, &schema, err);
    s = s ? s : bs_schema_fit(a, true, &arena, &schema, err);
    s = s ? s : bs_split(some, share, 2, NULL, 1, part, err);
    s = s ? s : bs_split_measure(some, share, 2, part, balance, err);
    s = s ? s : bs_rows_write_to(some, bs_writer_find("jsonl"), to_buf, &text, err);
    s = s ? s : bs_make_mlc(&o, &made, &truth, err);
    if (!s && notes.failed)
        s = bs_fail_nomem(err);
    bs_free(balance);
    bs_rows_free(some);
    bs_rows_free(made);
    bs_arena_free(&arena);
    bs_buf_free(&text);
    bs_notes_free(&notes);
    return s;
}

static void test_no_memory_elsewhere(void **state)
{
    (void)state;
    for (long n = 1;; n++) {
        bs_rows    *a = read_text("a,c,tags\n1,red,x\n2,blue,x|y\n", "", NULL);
        bs_rows    *b = read_text("a,c,tags\n1,green,x\n2,blue,z\n", "", NULL);
        basin_error err = {0};
        bs_mem_fail_at(n);
        long         before = bs_mem_calls();
        basin_status s = everything(a, b, &err);
        bool         reached = bs_mem_calls() - before >= n;
        bs_mem_fail_at(0);
        bs_rows_free(a);
        bs_rows_free(b);
        if (reached && s != BASIN_ENOMEM)
            fail_msg("allocation %ld: status %d, '%s'", n, (int)s, err.msg);
        assert_int_equal(bs_mem_live(), 0);
        if (!reached) {
            assert_int_equal(s, BASIN_OK);
            break;
        }
    }
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, no_leak)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(match),
        TEST(match_numbers),
        TEST(select),
        TEST(select_names),
        TEST(judge),
        TEST(standardise),
        TEST(round_trips),
        TEST(files),
        TEST(refused),
        TEST(no_memory),
        TEST(no_memory_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
