/* test_data_people.c -- files as people have them: arrays of numpy, X and Y in two files, cells. */
#include <stdlib.h>
#include <unistd.h>

#include "data_helper.h"

#include "base/io.h"
#include "base/mem.h"

static int no_leak(void **state)
{
    (void)state;
    bs_mem_fail_at(0);
    return bs_mem_live() == 0 ? 0 : -1;
}

/* A .npy file of the header's words and these bytes. */
static size_t make(const char *type, const char *order, const char *shape, const void *data,
                   size_t n, char out[1024])
{
    char head[512];
    int  len = snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
                        type, order, shape);
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (char)(len & 255);
    out[9] = (char)(len >> 8);
    memcpy(out + 10, head, (size_t)len);
    memcpy(out + 10 + len, data, n);
    return 10 + (size_t)len + n;
}

/* What show() gives, or the message. */
static const char *read_made(const char *type, const char *order, const char *shape,
                             const void *data, size_t n, bs_read_options o)
{
    static char message[600];
    char        bytes[1024];
    bs_rows    *ds;
    basin_error err = {0};
    size_t      size = make(type, order, shape, data, n, bytes);
    if (read_bytes(bytes, size, &o, &ds, NULL, &err)) {
        snprintf(message, sizeof message, "%s", err.msg);
        return message;
    }
    snprintf(message, sizeof message, "%s", show(ds));
    bs_rows_free(ds);
    return message;
}

static bs_read_options without_labels(void)
{
    bs_read_options o = bs_read_options_default();
    o.label_free = true;
    return o;
}

static void test_types(void **state)
{
    (void)state;
    static const struct {
        const char *type, *bytes;
        size_t      n;
        const char *want;
    } row[] = {
        {"<f8", "\0\0\0\0\0\0\x04\xc0\0\0\0\0\0\0\xf0\x3f", 16, "x0:-2.5 x1:1 |"},
        {">f8", "\xc0\x04\0\0\0\0\0\0\x3f\xf0\0\0\0\0\0\0", 16, "x0:-2.5 x1:1 |"},
        {"<f4", "\0\0\x20\xc0\0\0\x80\x3f", 8, "x0:-2.5 x1:1 |"},
        {"<f2", "\0\xc1\1\0", 4, "x0:-2.5 x1:5.96046e-08 |"},
        {"|i1", "\x80\7", 2, "x0:-128 x1:7 |"},
        {"<i2", "\xff\xff\0\1", 4, "x0:-1 x1:256 |"},
        {">i2", "\xff\xff\0\1", 4, "x0:-1 x1:1 |"},
        {"<i8", "\xfe\xff\xff\xff\xff\xff\xff\xff\5\0\0\0\0\0\0\0", 16, "x0:-2 x1:5 |"},
        {"|u1", "\xff\0", 2, "x0:255 |"},
        {"<u4", "\0\1\0\0\2\0\0\0", 8, "x0:256 x1:2 |"},
        {"|b1", "\1\0", 2, "x0:1 |"},
        {"<f4", "\0\0\xc0\x7f\0\0\x80\x3f", 8, "x0:nan x1:1 |"},
        {"<f4", "\0\0\x80\x7f\0\0\x80\x3f", 8,
         "data: row 1, column 1 is infinite or too large (above 3.4e38)"},
        {"|O", "", 0,
         "data: holds Python objects, which only Python can read; save numbers: np.save(FILE, "
         "X.astype(float))"},
        {"<c8", "", 0,
         "data: elements of type '<c8'; f2, f4, f8, i1 to i8, u1 to u8 and b1 are read "
         "(X.astype('f4') makes them)"},
        {"|u1", "\1", 1,
         "data: 1 rows and 2 columns are announced, but there is data for 1 elements: the file is "
         "damaged"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_string_equal(
            read_made(row[i].type, "False", "(1, 2)", row[i].bytes, row[i].n, without_labels()),
            row[i].want);
}

static void test_shapes(void **state)
{
    (void)state;
    bs_read_options o = without_labels(), y = bs_read_options_default(), some = y;
    y.only_labels = true;
    strcpy(some.labels, "last:1");
    assert_string_equal(read_made("|u1", "False", "(2, 3)", "\1\2\3\4\5\6", 6, o),
                        "x0:1 x1:2 x2:3 | / x0:4 x1:5 x2:6 |");
    /* a header of more than 255 bytes */
    char padded[400];
    snprintf(padded, sizeof padded, "(2, 3)%300s", "");
    assert_string_equal(read_made("|u1", "False", padded, "\1\2\3\4\5\6", 6, o),
                        "x0:1 x1:2 x2:3 | / x0:4 x1:5 x2:6 |");
    assert_string_equal(read_made("|u1", "True", "(2, 3)", "\1\2\3\4\5\6", 6, o),
                        "x0:1 x1:3 x2:5 | / x0:2 x1:4 x2:6 |");
    assert_string_equal(read_made("|u1", "False", "(2, 3)", "\1\2\1\4\5\0", 6, some),
                        "x0:1 x1:2 | x2 / x0:4 x1:5 |");
    assert_string_equal(read_made("|u1", "False", "(2, 3)", "\1\2\3\4\5\0", 6, some),
                        "data: row 1, column 3 is 3; labels are 0 and 1");
    assert_string_equal(read_made("|u1", "False", "(2, 2)", "\1\0\1\1", 4, y), "| y0 / | y0 y1");
    assert_string_equal(read_made("|u1", "False", "(3,)", "\1\0\1", 3, y), "| y0 / | / | y0");
    assert_string_equal(read_made("|u1", "False", "(3,)", "\1\0\2", 3, y), "| 1 / | 0 / | 2");
    assert_string_equal(
        read_made("<U2", "False", "(2,)", "a\0\0\0\xe4\0\0\0b\0\0\0\0\0\0\0", 16, y),
        "| a\xc3\xa4 / | b");
    assert_string_equal(read_made("|u1", "False", "(3,)", "\1\0\1", 3, o),
                        "data: X has one dimension; rows and columns are two (X.reshape(-1, 1))");
    assert_string_equal(read_made("|u1", "False", "(1, 1, 1)", "\1", 1, o),
                        "data: has 3 dimensions; rows and columns are two (X.reshape(len(X), -1))");
    assert_string_equal(read_made("|u1", "False", "(2, 1)", "\1\3", 2, bs_read_options_default()),
                        "data: has no labels: give a second file (X.npy Y.npy), or say with "
                        "--labels which columns they are, as in --labels last:6");
}

/* --- two files ---------------------------------------------------------------------------- */

static void put(const char *path, const char *text)
{
    basin_error err;
    if (bs_write_file(path, text, strlen(text), &err))
        fail_msg("%s", err.msg);
}

/* What is read of "a b", or the message. */
static const char *read_files(const char *files, const char *options)
{
    static char     message[600];
    const char     *path[8];
    char            copy[256];
    int             n = 0;
    bs_read_options o = options_from(options);
    bs_rows        *ds;
    basin_error     err = {0};
    snprintf(copy, sizeof copy, "%s", files);
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
        path[n++] = p;
    if (bs_rows_read(path, n, &o, &ds, NULL, &err)) {
        snprintf(message, sizeof message, "%s", err.msg);
        return message;
    }
    snprintf(message, sizeof message, "%s", show(ds));
    bs_rows_free(ds);
    return message;
}

static void test_pairs(void **state)
{
    (void)state;
    char folder[] = "/tmp/basin-pairs-XXXXXX", here[512];
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    put("a.csv", "u,v\n1,2\n3,4\n");
    put("b.csv", "p,q\n1,0\n1,1\n");
    put("short.csv", "p,q\n1,0\n");
    put("lists.csv", "tags\nred|blue\nred\n");
    put("ai.csv", "id,u,v\nk,1,2\nl,3,4\n");
    put("bi.csv", "id,p,q\nk,1,0\nl,1,1\n");
    put("bj.csv", "id,p,q\nl,1,0\nk,1,1\n");
    put("X_t.csv", "u,v\n1,2\n3,4\n");
    put("y_t.csv", "p,q\n1,0\n1,1\n");
    put("Xa", "u,v\n1,2\n3,4\n");
    put("ya", "p,q\n1,0\n1,1\n");
    put("whole.csv", "u,v,p\n5,6,0\n");
    const char *want = "u:1 v:2 | p / u:3 v:4 | p q";
    assert_string_equal(read_files("a.csv b.csv", ""), want);
    assert_string_equal(read_files("a.csv+b.csv", ""), want);
    assert_string_equal(read_files("X_t.csv", ""), want);
    assert_string_equal(read_files("a.csv b.csv a.csv+b.csv", ""),
                        "u:1 v:2 | p / u:3 v:4 | p q / u:1 v:2 | p / u:3 v:4 | p q");
    assert_string_equal(read_files("a.csv lists.csv", ""), "u:1 v:2 | red blue / u:3 v:4 | red");
    assert_string_equal(read_files("ai.csv+bi.csv", "keep_ids=no"),
                        "id=k:1 u:1 v:2 | p / id=l:1 u:3 v:4 | p q");
    assert_string_equal(read_files("ai.csv+bj.csv", ""),
                        "bj.csv: the column that names its rows differs from that of ai.csv: other "
                        "rows, or another order");
    assert_string_equal(read_files("a.csv+short.csv", ""), "short.csv: has 1 rows; a.csv has 2");
    assert_non_null(strstr(read_files("a.csv a.csv", ""), "which columns are labels?"));
    assert_non_null(strstr(read_files("a.csv", ""), "which columns are labels?"));
    /* nor is the first letter of a word an X */
    assert_non_null(strstr(read_files("Xa", "format=csv"), "which columns are labels?"));
    /* a file that has labels is no X */
    assert_string_equal(read_files("whole.csv whole.csv", "labels=p"), "u:5 v:6 | / u:5 v:6 |");
    assert_int_equal(chdir(here), 0);
}

/* --- cells as people write them ----------------------------------------------------------- */

static void test_cells(void **state)
{
    (void)state;
    static const struct {
        const char *text, *options, *want;
    } row[] = {
        /* decimal commas, and groups of thousands where somebody says so */
        {"a;b;y\n1,5;7;1\n-2,25;8;0\n", "labels=y", "a:1.5 b:7 | y / a:-2.25 b:8 |"},
        {"a;y\n1,234;1\n2;0\n", "labels=y decimal=comma", "a:1.234 | y / a:2 |"},
        {"a;y\n1,234;1\n2;0\n", "labels=y decimal=point", "a:1234 | y / a:2 |"},
        {"a;y\n1.234,5;1\n2;0\n", "labels=y", "a:1234.5 | y / a:2 |"},
        {"a;b;y\n1,234;0,5;1\n2;1;0\n", "labels=y", "a:1.234 b:0.5 | y / a:2 b:1 |"},
        {"a,y\n\"1,5\",1\n2,0\n", "labels=y", "a:1.5 | y / a:2 |"},
        {"a;y\n0,123;1\n2;0\n", "labels=y", "a:0.123 | y / a:2 |"},
        {"a;y\nx,5;1\n2;0\n", "labels=y", "a=x,5:1 | y / a=2:1 |"},
        /* words for yes and no */
        {"a,y,z\n1,ja,1\n2,nein,0\n", "labels=y,z true=ja false=nein", "a:1 | y z / a:2 |"},
        {"a,y,z\n1,Oui,1\n2,NON,0\n", "labels=y,z true=ja,oui false=nein,non", "a:1 | y z / a:2 |"},
        {"a,b,y\n1,ja,1\n2,nein,0\n", "labels=y true=ja false=nein", "a:1 b:1 | y / a:2 |"},
        /* lists as pandas, Python and numpy print them */
        {"a,tags\n1,\"['x', 'y z']\"\n2,[]\n3,\"[\"\"it's\"\"]\"\n", "",
         "a:1 | x y z / a:2 | / a:3 | it's"},
        {"a,tags\n1,\"('x',)\"\n2,set()\n3,{'y'}\n", "", "a:1 | x / a:2 | / a:3 | y"},
        {"a,tags\n1,['x' 'y']\n2,\"[3, 5]\"\n3,\"['\\xe4', None]\"\n", "",
         "a:1 | x y / a:2 | 3 5 / a:3 | \xc3\xa4"},
        {"a,tags\n1,\"[\"\"x\"\",\"\"y\"\"]\"\n", "", "a:1 | x y"},
        /* dates; columns to leave out */
        {"a,d,y\n1,2024-01-31,1\n2,2024-02-01T10:20:30Z,0\n", "labels=y", "a:1 | y / a:2 |"},
        {"a,d,y\n1,31.1.2024,1\n2,?,0\n", "labels=y", "a:1 | y / a:2 |"},
        {"a,d,y\n1,40.1.2024,1\n2,1.1.2024,0\n", "labels=y",
         "a:1 d=40.1.2024:1 | y / a:2 d=1.1.2024:1 |"},
        {"a,b,tags,y\n1,2,u,1\n3,4,v,0\n", "drop=b,tags labels=y", "a:1 | y / a:3 |"},
        {"a,b,c1,c2,y\n1,2,3,4,1\n", "drop=c* labels=y", "a:1 b:2 | y"},
        /* JSON rows as columns: nested, absent and null members, labels among them */
        {"{\"a\":1,\"h\":{\"c\":\"u\",\"r\":3},\"x\":true,\"y\":false}\n"
         "{\"a\":0,\"h\":{\"c\":null},\"x\":false,\"y\":true}\n"
         "{\"h\":{\"c\":\"v\",\"r\":4},\"y\":null}\n",
         "labels=x,y", "a:1 h.c=u:1 h.r:3 | x / h.r:nan | y / a:nan h.c=v:1 h.r:4 | ?x ?y"},
        {"{\"c\":null,\"labels\":[\"x\"]}\n{\"c\":\"u\",\"labels\":[]}\n"
         "{\"c\":\"NA\",\"labels\":[]}\n",
         "", "| x / c=u:1 | / |"},
        {"{\"a\":1,\"b\":1,\"labels\":[\"x\"]}\n{\"a\":2,\"labels\":[]}\n", "",
         "a:1 b:1 | x / a:2 b:nan |"},
        {"{\"a\":1,\"b\":1,\"labels\":[\"x\"]}\n{\"a\":2,\"labels\":[]}\n", "absent=zero",
         "a:1 b:1 | x / a:2 |"},
        /* bags of words name what they have */
        {"{\"features\":{\"a\":1,\"b\":1},\"labels\":[\"x\"]}\n"
         "{\"features\":{\"a\":2},\"labels\":[]}\n",
         "", "a:1 b:1 | x / a:2 |"},
        {"{\"a\":1,\"labels\":[\"x\"]}\n{\"b\":2,\"labels\":[]}\n{\"c\":2,\"labels\":[]}\n", "",
         "a:1 | x / b:2 | / c:2 |"},
        {"{\"e\":[0.5,2],\"genres\":[\"p\",\"q\"]}\n{\"e\":[1,0],\"genres\":[\"p\"]}\n",
         "labels=genres", "e.0:0.5 e.1:2 | p q / e.0:1 | p"},
        {"{\"a\":1,\"b\":2,\"x\":\"ja\"}\n{\"a\":2,\"b\":2,\"x\":\"nein\"}\n",
         "labels=x true=ja false=nein drop=b", "a:1 | x / a:2 |"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bs_rows *ds = read_text(row[i].text, row[i].options, NULL);
        assert_string_equal(show(ds), row[i].want);
        bs_rows_free(ds);
    }
}

/* Reviews are no categories: one sentence, and no feature for each of them. */
static void test_prose(void **state)
{
    (void)state;
    char     text[1 << 16], codes[1 << 16];
    bs_notes notes;
    size_t   n = (size_t)snprintf(text, sizeof text, "a,review,y\n"), m = 0;
    m = (size_t)snprintf(codes, sizeof codes, "a,code,y\n");
    for (int i = 0; i < 300; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%d,this one is number %d,%d\n", i % 7,
                              i % 250, i % 2);
        m += (size_t)snprintf(codes + m, sizeof codes - m, "%d,k%d,%d\n", i % 7, i % 250, i % 2);
    }
    bs_notes_init(&notes);
    bs_rows *ds = read_text(text, "labels=y", &notes);
    assert_int_equal(ds->schema.n_features, 1);
    assert_true(noted(&notes,
                      "column 'review' is taken for the text of rows (250 different ones in "
                      "300 rows, of 5 words; --text-column)"));
    assert_string_equal(ds->document[1].bytes, "this one is number 1");
    bs_rows_free(ds);
    ds = read_text(codes, "labels=y", &notes);
    assert_int_equal(ds->schema.n_features, 1);
    assert_true(noted(&notes, "column 'code' has 250 different texts in 300 rows and is left out"));
    bs_rows_free(ds);
    ds = read_text(codes, "labels=y keep_ids=yes", NULL);
    assert_int_equal(ds->schema.n_features, 251);
    bs_rows_free(ds);
    bs_notes_free(&notes);
    ds = read_text(text, "labels=y drop=review", NULL);
    assert_null(ds->document);
    assert_int_equal(ds->schema.n_features, 1);
    bs_rows_free(ds);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, NULL, no_leak)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(types), TEST(shapes), TEST(pairs), TEST(cells),
                                       TEST(prose)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
