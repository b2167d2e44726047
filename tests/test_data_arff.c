/* test_data_arff.c -- ARFF as it is found: dense, sparse, MULAN, MEKA, CLUS; every known trap. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "data_helper.h"

#include "base/mem.h"

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

/* Reads and compares what show() gives. */
static void expect(const char *text, const char *options, const char *shown)
{
    bs_rows *ds = read_text(text, options, &notes);
    assert_string_equal(show(ds), shown);
    bs_rows_free(ds);
}

static void test_dense(void **state)
{
    (void)state;
    expect("% comment\n"
           "@RELATION  'x y' \r\n"
           "\r\n"
           "@Attribute\ta   REAL\r\n"
           "@attribute 'b c' integer\n"
           "@attribute d {no,yes}\n"
           "@attribute y {0, 1}\n"
           "@DATA\r\n"
           "% comment\n"
           "1.5, -2e1 ,yes,1\r\n"
           "\n"
           "0,0,no,0\n"
           "+.5,'7','yes','1'",
           "labels=y", "a:1.5 b c:-20 d:1 | y / | / a:0.5 b c:7 d:1 | y");
}

static void test_sparse(void **state)
{
    (void)state;
    expect("@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute y {0,1}\n"
           "@attribute z {0,1}\n@data\n"
           "{0 1.5,1 1,3 1}\n{}\n{ 2 1 , 0 2 }\n{1 0,2 0}\n",
           "labels=last:2", "a:1.5 b:1 | z / | / a:2 | y / |");
    assert_true(noted(&notes, "not in increasing order"));
    assert_true(noted(&notes, "2 of 4 rows have no label"));
}

/* An absent entry of a sparse row is the first declared value, not 0. */
static void test_sparse_default(void **state)
{
    (void)state;
    expect("@relation r\n@attribute a {YES,NO}\n@attribute c {red,green}\n@attribute y {1,0}\n"
           "@attribute z {0,1}\n@data\n{}\n{0 NO,1 green,2 0,3 1}\n{0 YES}\n",
           "labels=y,z", "a:1 c=red:1 | y / c=green:1 | z / a:1 c=red:1 | y");
    assert_true(bs_notes_has(&notes, "sparse default"));
}

static void test_by_value(void **state)
{
    (void)state;
    const char *text = "@relation r\n@attribute a {YES,NO}\n@attribute b {1,0}\n"
                       "@attribute c {2,10,1}\n@attribute y {1,0}\n@data\n"
                       "YES,1,10,1\nNO,0,2,0\n";
    expect(text, "labels=y", "a:1 b:1 c=10:1 | y / c=2:1 |");
    expect(text, "labels=y nominal=position", "c:1 | y / a:1 b:1 |");
}

static void test_schema(void **state)
{
    (void)state;
    bs_rows          *ds = read_text("@relation r\n@attribute a {YES,NO}\n@attribute c {x,y,z}\n"
                                              "@attribute n real\n@attribute l "
                                              "{0,1}\n@data\nYES,y,3,1\n",
                                     "labels=l", NULL);
    const bs_feature *f = ds->schema.feature;
    assert_int_equal(ds->schema.n_features, 5);
    assert_int_equal(f[0].kind, BS_FEATURE_BINARY);
    assert_string_equal(f[0].value, "YES");
    assert_int_equal(f[2].kind, BS_FEATURE_ONEHOT);
    assert_string_equal(f[2].name, "c=y");
    assert_string_equal(f[2].attribute, "c");
    assert_string_equal(f[2].value, "y");
    assert_int_equal(f[4].kind, BS_FEATURE_NUMERIC);
    assert_true(ds->schema.dense);
    assert_false(ds->schema.binary);
    assert_int_equal(ds->source.attributes, 3);
    assert_int_equal(ds->source.numeric, 1);
    assert_int_equal(ds->source.nominal, 2);
    assert_int_equal(ds->source.binary, 1);
    bs_rows_free(ds);
}

static void test_missing_values(void **state)
{
    (void)state;
    bs_rows *ds = read_text("@relation r\n@attribute a numeric\n@attribute b {no,yes}\n"
                            "@attribute c {r,g,b}\n@attribute y {0,1}\n@data\n"
                            "?,?,?,?\n1,yes,g,1\n",
                            "labels=y", &notes);
    assert_int_equal(ds->n_missing, 2);
    assert_int_equal(ds->x.start[1], 2);
    assert_true(isnan(ds->x.value[0]) && isnan(ds->x.value[1]));
    assert_int_equal(ds->unknown.start[1], 1);
    assert_int_equal(ds->y.start[1], 0);
    assert_true(noted(&notes, "2 missing values"));
    assert_true(noted(&notes, "1 labels are left open"));
    bs_rows_free(ds);
}

static void test_names(void **state)
{
    (void)state;
    /* Names that look like something else, escapes, repeated names, Latin-1. */
    bs_rows *ds = read_text("@relation r\n@attribute - numeric\n@attribute 0 numeric\n"
                            "@attribute TAG_??? numeric\n@attribute 'it\\'s' numeric\n"
                            "@attribute m\\'usica numeric\n@attribute p%q numeric\n"
                            "@attribute - numeric\n@attribute \"x \\\"y\\\"\" numeric\n"
                            "@attribute caf\xe9 numeric\n@attribute foo{0,1}\n"
                            "@attribute l {0,1}\n@data\n1,2,3,4,5,6,7,8,9,1,1\n",
                            "labels=l", &notes);
    assert_string_equal(show(ds), "-:1 0:2 TAG_???:3 it's:4 m'usica:5 p%q:6 -#2:7 x \"y\":8 "
                                  "caf\xc3\xa9:9 foo:1 | l");
    assert_true(bs_notes_has(&notes, "escaped"));
    assert_true(bs_notes_has(&notes, "encoding"));
    assert_true(bs_notes_has(&notes, "repeated names"));
    bs_rows_free(ds);
}

static void test_quoted_values(void **state)
{
    (void)state;
    expect("@relation r\n@attribute a {'x y','it\\'s',\"q,r\",plain}\n@attribute y {0,1}\n@data\n"
           "'x y',1\n'it\\'s',0\n\"q,r\",0\nplain ,1\n",
           "labels=y", "a=x y:1 | y / a=it's:1 | / a=q,r:1 | / a=plain:1 | y");
}

static void test_texts_and_dates(void **state)
{
    (void)state;
    bs_rows *ds = read_text("@relation r\n@attribute id string\n@attribute when date "
                            "\"yyyy-MM-dd\"\n@attribute a numeric\n@attribute y {0,1}\n@data\n"
                            "'row 1','2001-01-01',1,0\nrow2,?,2,1\n",
                            "labels=y", &notes);
    assert_string_equal(show(ds), "a:1 | / a:2 | y");
    assert_string_equal(ds->row_id[0], "row 1");
    assert_string_equal(ds->row_id[1], "row2");
    assert_int_equal(ds->source.skipped, 2);
    assert_true(bs_notes_has(&notes, "identifier"));
    bs_rows_free(ds);
}

/* A nominal attribute with as many values as rows names the rows. */
static void test_identifier(void **state)
{
    (void)state;
    char text[4096] = "@relation r\n@attribute protein {P0";
    for (int i = 1; i < 30; i++)
        snprintf(text + strlen(text), 64, ",P%d", i);
    strcat(text, "}\n@attribute a {YES,NO}\n@attribute y {0,1}\n@data\n");
    for (int i = 0; i < 12; i++)
        snprintf(text + strlen(text), 64, "P%d,%s,%d\n", 2 * i, i % 2 ? "YES" : "NO", i % 3 == 0);
    bs_rows *ds = read_text(text, "labels=y", &notes);
    assert_int_equal(ds->schema.n_features, 1);
    assert_string_equal(ds->schema.feature[0].name, "a");
    assert_string_equal(ds->row_id[11], "P22");
    assert_int_equal(ds->source.attributes, 2);
    assert_int_equal(ds->source.skipped, 1);
    assert_true(noted(&notes, "column 'protein' has a different value in each of the 12 rows"));
    bs_rows_free(ds);
    ds = read_text(text, "labels=y keep_ids=yes", NULL);
    assert_int_equal(ds->schema.n_features, 31);
    bs_rows_free(ds);
}

static void test_weights(void **state)
{
    (void)state;
    expect("@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n1,1,{5}\n2,0\n",
           "labels=y", "a:1 | y / a:2 |");
    expect("@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n{0 1,1 1},{0.5}\n{}\n",
           "labels=y", "a:1 | y / |");
    assert_true(bs_notes_has(&notes, "weights"));
}

static void test_separators(void **state)
{
    (void)state;
    expect("@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y {0,1}\n@data\n"
           "1\t2\t1\n3 4 0\n",
           "labels=y", "a:1 b:2 | y / a:3 b:4 |");
}

/* --- which labels ------------------------------------------------------------ */

#define FOUR "@attribute a {0,1}\n@attribute b {0,1}\n@attribute c {0,1}\n@attribute d {0,1}\n"

static void test_meka(void **state)
{
    (void)state;
    expect("@relation 'Name: -C 2 -split-percentage 50'\n" FOUR "@data\n1,0,1,1\n", "",
           "c:1 d:1 | a");
    assert_true(noted(&notes, "labels are the first 2 attributes ('a' to 'b'), from -C 2"));
    expect("@relation 'Name: -C -1'\n" FOUR "@data\n1,0,1,1\n", "", "a:1 c:1 | d");
    assert_true(noted(&notes, "labels are the last 1 attributes"));
    expect("@relation 'Name: -c 1'\n" FOUR "@data\n1,0,1,1\n", "", "c:1 d:1 | a");
    expect("@relation '-C 1'\n" FOUR "@data\n1,0,1,1\n", "", "c:1 d:1 | a");
    expect("@relation 'Name: -C 2'\n" FOUR "@data\n1,0,1,1\n", "labels=d", "a:1 c:1 | d");
    expect("@relation 'Name: -C 2'\n" FOUR "@data\n1,0,1,1\n", "labels=relation", "c:1 d:1 | a");
}

static void test_label_option(void **state)
{
    (void)state;
    const char *text = "@relation r\n@attribute tag_a {0,1}\n@attribute x numeric\n"
                       "@attribute tag_b {0,1}\n@attribute y numeric\n@data\n1,2,1,3\n";
    expect(text, "labels=tag_*", "x:2 y:3 | tag_a tag_b");
    expect(text, "labels=tag_a,tag_b", "x:2 y:3 | tag_a tag_b");
    expect(text, "labels=tag_[b-z]", "tag_a:1 x:2 y:3 | tag_b");
    expect(text, "labels=first:1", "x:2 tag_b:1 y:3 | tag_a");
}

static void test_number_labels(void **state)
{
    (void)state;
    expect("@relation r\n@attribute a numeric\n@attribute y numeric\n@data\n2,1\n3,0.0\n",
           "labels=y", "a:2 | y / a:3 |");
}

/* --- label files ---------------------------------------------------------------- */

static char folder[64];

static const char *put(const char *name, const char *text)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static void drop(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

/* Reads folder/name; the message or what show() gives. */
static const char *try_file(const char *name, const char *options)
{
    static char     message[600];
    char            path[128];
    const char     *paths[1] = {path};
    bs_read_options o = options_from(options);
    bs_rows        *ds;
    basin_error     err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (bs_rows_read(paths, 1, &o, &ds, &notes, &err)) {
        size_t n = strlen(folder);
        /* The folder's name is random. */
        const char *from = err.msg;
        size_t      at = 0;
        while (*from && at + 1 < sizeof message) {
            if (strncmp(from, folder, n) == 0)
                from += n + 1;
            else
                message[at++] = *from++;
        }
        message[at] = '\0';
        return message;
    }
    const char *text = show(ds);
    bs_rows_free(ds);
    return text;
}

#define XML(body) \
    "<?xml version='1.0'?><labels xmlns='http://mulan.sourceforge.net/labels'>" body "</labels>"
#define LABEL(name) "<label name=\"" name "\"></label>"

static void test_xml(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/basin-arff-XXXXXX");
    assert_non_null(mkdtemp(folder));
    put("set-train.arff", "@relation r\n@attribute a numeric\n@attribute m\\'u {0,1}\n"
                          "@attribute 'x y' {0,1}\n@data\n2,1,0\n");
    put("set.xml", XML(LABEL("x y") LABEL("m\\'u")));
    assert_string_equal(try_file("set-train.arff", ""), "a:2 | m'u");
    assert_true(noted(&notes, "set.xml lists the labels in another order"));
    assert_true(noted(&notes, "from set.xml"));
    put("set.xml", XML(LABEL("x y") LABEL("m&apos;u")));
    assert_string_equal(try_file("set-train.arff", ""), "a:2 | m'u");

    /* The longest beginning of the name wins; other XML is passed over. */
    put("set-train.xml", XML(LABEL("x y")));
    assert_string_equal(try_file("set-train.arff", ""), "a:2 m'u:1 |");
    put("set-train.xml", "<html/>");
    assert_string_equal(try_file("set-train.arff", "labels=x?y"), "a:2 m'u:1 |");
    drop("set-train.xml");

    put("set.xml", XML(LABEL("x y") LABEL("nowhere")));
    assert_string_equal(
        try_file("set-train.arff", ""),
        "set.xml: label 'nowhere' is not an attribute of set-train.arff (1 of its 2 "
        "labels are not)");
    put("set.xml", XML(LABEL("x y") "<label name='m\\&apos;u'>" LABEL("a") "</label>"));
    assert_string_equal(try_file("set-train.arff", ""),
                        "set.xml: names all 3 attributes of set-train.arff; no feature is left");
    put("set.xml", XML(LABEL("elsewhere")));
    assert_true(strncmp(try_file("set-train.arff", ""), "set-train.arff: which attributes", 32) ==
                0);
    drop("set.xml");
    drop("set-train.arff");
    assert_int_equal(rmdir(folder), 0);
}

/* -C survived a filter that moved the labels: both readings are shown. */
static void test_conflict(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/basin-arff-XXXXXX");
    assert_non_null(mkdtemp(folder));
    put("med.arff", "@relation 'MEDC: -C 2 -I 0-weka.filters.Remove-R1-2_MEDC: -C 2'\n" FOUR
                    "@data\n1,0,1,1\n");
    put("med.xml", XML(LABEL("c") LABEL("d")));
    assert_string_equal(try_file("med.arff", ""),
                        "med.arff: -C 2 in the relation name says the labels are the first 2 "
                        "attributes ('a' to 'b'), med.xml says the last 2 attributes ('c' to 'd'); "
                        "choose with --labels relation, --labels xml or --xml FILE");
    assert_string_equal(try_file("med.arff", "labels=xml"), "a:1 | c d");
    assert_string_equal(try_file("med.arff", "labels=relation"), "c:1 d:1 | a");
    /* a label file that is named counts */
    char named[200];
    snprintf(named, sizeof named, "xml=%s/med.xml", folder);
    assert_string_equal(try_file("med.arff", named), "a:1 | c d");
    assert_string_equal(try_file("med.arff", "labels=relation drop=c"), "d:1 | a");
    put("med.xml", XML(LABEL("d")));
    assert_string_equal(try_file("med.arff", ""),
                        "med.arff: -C 2 in the relation name says the labels are the first 2 "
                        "attributes ('a' to 'b'), med.xml says the last 1 attributes ('d' to 'd'); "
                        "choose with --labels relation, --labels xml or --xml FILE");
    drop("med.xml");
    drop("med.arff");
    assert_int_equal(rmdir(folder), 0);
}

/* --- hierarchies ------------------------------------------------------------------ */

static void test_tree(void **state)
{
    (void)state;
    expect("@relation r\n@attribute a numeric\n@attribute class hierarchical "
           "01,01/01,01/01/03,02,02/05\n@data\n1,01/01/03@02\n2,02/05\n3,01@01/01\n",
           "", "a:1 | 01 01/01 01/01/03 02 / a:2 | 02 02/05 / a:3 | 01 01/01");
    assert_true(noted(&notes, "a hierarchy of 5 classes (paths with /)"));
    assert_true(noted(&notes, "1.667 classes per row as written, 2.667 with their ancestors"));
    expect("@relation r\n@attribute a numeric\n@attribute class hierarchical "
           "01,01/01,02\n@data\n1,01/01\n2,02\n",
           "root=yes", "a:1 | 01 01/01 root / a:2 | 02 root");
    /* without the option it is no class, also where it is declared */
    expect("@relation r\n@attribute a numeric\n@attribute class hierarchical "
           "root,01,01/01,02\n@data\n1,01/01\n2,02\n",
           "", "a:1 | 01 01/01 / a:2 | 02");
    assert_true(noted(&notes, "a hierarchy of 3 classes (paths with /)"));
}

static void test_dag(void **state)
{
    (void)state;
    expect("@relation r\n@attribute a numeric\n@attribute class hierarchical "
           "root/A,root/B,A/C,B/C,C/D\n@data\n1,D\n2,A\n3,C@B\n",
           "", "a:1 | A B C D / a:2 | A / a:3 | A B C");
    assert_true(noted(&notes, "a graph of parent/child edges"));
}

static void test_unlabelled(void **state)
{
    (void)state;
    bs_rows *train = read_text("@relation r\n" FOUR "@data\n1,0,1,1\n", "labels=last:1", NULL);
    bs_read_options o = options_from("");
    o.like = &train->schema;
    o.label_free = true;
    bs_rows *ds = read_with("@relation r\n@attribute a {0,1}\n@attribute b {0,1}\n"
                            "@attribute c {0,1}\n@data\n1,1,1\n",
                            &o, NULL);
    assert_false(ds->labelled);
    assert_int_equal(ds->schema.n_features, 3);
    bs_rows_free(ds);
    ds = read_with("@relation r\n" FOUR "@data\n1,1,1,1\n", &o, NULL);
    assert_true(ds->labelled);
    assert_string_equal(show(ds), "a:1 b:1 c:1 | d");
    bs_rows_free(ds);
    bs_rows_free(train);
}

/* Declared values may differ between files; what training made of them counts. */
static void test_fewer_values(void **state)
{
    (void)state;
    bs_rows        *train = read_text("@relation r\n@attribute a {0,1,2}\n@attribute y {0,1}\n"
                                             "@data\n2,1\n",
                                      "labels=y", NULL);
    bs_read_options o = options_from("");
    basin_error     err;
    o.like = &train->schema;
    bs_rows *ds =
        read_with("@relation r\n@attribute a {0,1}\n@attribute y {0,1}\n@data\n1,0\n", &o, NULL);
    assert_int_equal(bs_rows_match(&train->schema, ds, "t", &notes, &err), BASIN_OK);
    assert_string_equal(show(ds), "a=1:1 |");
    bs_rows_free(ds);
    bs_rows_free(train);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dense),      TEST(sparse),        TEST(sparse_default),
        TEST(by_value),   TEST(schema),        TEST(missing_values),
        TEST(names),      TEST(quoted_values), TEST(texts_and_dates),
        TEST(identifier), TEST(weights),       TEST(separators),
        TEST(meka),       TEST(label_option),  TEST(number_labels),
        TEST(xml),        TEST(conflict),      TEST(tree),
        TEST(dag),        TEST(unlabelled),    TEST(fewer_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
