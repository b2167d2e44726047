/* test_data_bad.c -- malformed inputs and the exact message each gives.
 *
 * How to add one: a row. `options` as in data_helper.h; the input is called "data". */
#include <stdlib.h>
#include <unistd.h>

#include "data_helper.h"

#include "base/mem.h"
#include "data/rows/xml_labels.h"

typedef struct {
    const char *options, *text, *message;
    size_t      len;
} bad;

#define ROW(options, text, message)              \
    {                                            \
        options, text, message, sizeof(text) - 1 \
    }

#define HEAD "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute y {0,1}\n@data\n"
#define Y    "labels=y"

static const bad arff[] = {
    /* header */
    ROW(Y, "@relation r\n@attribute a numeric\n", "data:2: the file ends before @data"),
    ROW(Y, "@relation r\n@data\n1,2\n", "data:2: @data without any @attribute before it"),
    ROW(Y, "@relation r\n@attribute a numeric\nfoo\n@data\n",
        "data:3:1: expected @relation, @attribute or @data, found 'foo'"),
    ROW(Y, "@relation r\n@attribute a\n@data\n",
        "data:2:13: attribute 'a' has no type; write numeric, string, date or {values}"),
    ROW(Y, "@relation r\n@attribute\n@data\n", "data:2:11: the attribute has no name"),
    ROW(Y, "@relation r\n@attribute a nummeric\n@data\n",
        "data:2:14: 'nummeric' is not a type; attribute 'a' needs numeric, string, date or "
        "{values}"),
    ROW(Y, "@relation r\n@attribute a numeric junk\n@data\n",
        "data:2:22: unexpected text after the type of 'a'"),
    ROW(Y, "@relation r\n@attribute 'a numeric\n@data\n",
        "data:2:12: the quote of the attribute's name is not closed"),
    ROW(Y, "@relation r\n@attribute a {0,1\n@data\n",
        "data:2:14: the values of 'a' have no closing }"),
    ROW(Y, "@relation r\n@attribute a {0,,1}\n@data\n",
        "data:2:17: attribute 'a' has an empty value; quote it as ''"),
    ROW(Y, "@relation r\n@attribute a {}\n@data\n",
        "data:2:14: attribute 'a' has no values; write {0,1} or numeric"),
    ROW(Y, "@relation r\n@attribute a {x,x}\n@data\n",
        "data:2:17: attribute 'a' has the value 'x' twice"),
    ROW(Y, "@relation r\n@attribute a {'x,y}\n@data\n",
        "data:2:15: the quote of a value of 'a' is not closed"),
    ROW(Y, "@relation r\n@attribute a {x} junk\n@data\n",
        "data:2:18: unexpected text after the values of 'a'"),
    ROW(Y, "@relation r\n@attribute a relational\n@end a\n@data\n",
        "data:2:14: attribute 'a' is relational: multi-instance data is not supported"),
    ROW(Y, "@relation r\n@attri\0bute a numeric\n@data\n", "data:2:7: a NUL byte in a text file"),
    ROW("labels=y max_features=1", HEAD "1,0,1\n",
        "data:3: more than 1 attributes; data.max_features allows more"),
    /* labels */
    ROW("labels=last:2",
        "@relation r\n@attribute a numeric\n@attribute y {0,1}\n@attribute y {0,1}\n@data\n"
        "1,0,1\n",
        "data:4: a second label is named 'y'"),
    ROW("", HEAD "1,0,1\n",
        "data: which attributes are labels? Neither a label file (--xml) nor -C n in the "
        "relation name tells; --labels takes names, a pattern, a file, first:N or last:N; the "
        "last 2 are 0/1: --labels last:2?"),
    ROW("", "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n",
        "data: which attributes are labels? Neither a label file (--xml) nor -C n in the "
        "relation name tells; --labels takes names, a pattern, a file, first:N or last:N"),
    ROW("labels=z", HEAD "1,0,1\n",
        "data: --labels: no column is named 'z' (nor is there such a file)"),
    ROW("labels=yy", HEAD "1,0,1\n", "data: --labels: no column is named 'yy'; the nearest is 'y'"),
    ROW("labels=tag_*", HEAD "1,0,1\n",
        "data: --labels: no column matches 'tag_*' (the first is 'a', the last 'y')"),
    ROW("labels=last:3", HEAD "1,0,1\n", "data: --labels: last:3 of 3 columns leaves no feature"),
    ROW("labels=last:0", HEAD "1,0,1\n", "--labels: 'last:0' needs a number above 0, as in last:6"),
    ROW("labels=first:x", HEAD "1,0,1\n",
        "--labels: 'first:x' needs a number above 0, as in first:6"),
    ROW("labels=b,,y", HEAD "1,0,1\n", "--labels: 'b,,y' has an empty entry"),
    ROW("labels=xml", HEAD "1,0,1\n",
        "data: --labels xml: there is no label file; --xml names one"),
    ROW("labels=relation", HEAD "1,0,1\n",
        "data: --labels relation: the relation name has no -C n"),
    ROW("", "@relation 'r: -C 3'\n@attribute a numeric\n@attribute y {0,1}\n@data\n1,0\n",
        "data: the relation name says -C 3, but there are only 2 attributes"),
    ROW("", "@relation 'r: -C 1'\n@attribute y {A,B,C}\n@attribute a numeric\n@data\nA,0\n",
        "data:2: label 'y' has the values {A,B,...}; a label is 0/1, yes/no or true/false "
        "(--true and --false add words)"),
    ROW(Y, "@relation r\n@attribute a numeric\n@attribute y string\n@data\n1,0\n",
        "data:3: label 'y' is a text; a label is 0/1, yes/no, true/false or numeric 0 and 1"),
    ROW(Y, "@relation r\n@attribute a numeric\n@attribute y numeric\n@data\n1,2\n",
        "data:5:3: label 'y' is 2; a label is 0 or 1"),
    /* rows */
    ROW(Y, HEAD, "data: there are no rows"),
    ROW(Y, HEAD "1,0\n", "data:6: 2 values, the header declares 3 attributes"),
    ROW(Y, HEAD "1,0,1,1\n", "data:6:6: more values than the 3 attributes of the header"),
    ROW(Y, HEAD "x,0,1\n",
        "data:6:1: 'x' is not a finite number; attribute 'a' is numeric (? is missing)"),
    ROW(Y, HEAD "nan,0,1\n",
        "data:6:1: 'nan' is not a finite number; attribute 'a' is numeric (? is missing)"),
    ROW(Y, HEAD "1e39,0,1\n", "data:6:1: the value of 'a' is too large (above 3.4e38)"),
    ROW(Y, HEAD "1e999,0,1\n",
        "data:6:1: '1e999' is not a finite number; attribute 'a' is numeric (? is missing)"),
    ROW(Y, HEAD ",0,1\n", "data:6:1: empty value of 'a'; write ? for a missing one"),
    ROW(Y, HEAD "1,2,1\n", "data:6:3: '2' is not a value of attribute 'b' {0,1}"),
    ROW(Y, HEAD "1,0,'1\n", "data:6:5: the quote of the value of 'y' is not closed"),
    ROW(Y, HEAD "1,0,1\n{0 1}\n", "data:7:1: a sparse row in a dense file"),
    ROW(Y, HEAD "{0 1}\n1,0,1\n",
        "data:7:1: a dense row in a sparse file; a sparse row begins with {"),
    ROW(Y, HEAD "{0 1\n", "data:6:1: the row has no closing }"),
    ROW(Y, HEAD "{3 1}\n", "data:6:2: attribute number 3 is not in 0..2"),
    ROW(Y, HEAD "{99999999999999999999 1}\n",
        "data:6:2: attribute number 99999999999999999999 is not in 0..2"),
    ROW(Y, HEAD "{-1 1}\n",
        "data:6:2: expected an attribute number and a value, as in {3 1, 7 0.5}"),
    ROW(Y, HEAD "{0 1,0 2}\n", "data:6:6: attribute number 0 occurs twice"),
    ROW(Y, HEAD "{0 1,2 1,0 2}\n", "data:6: feature 'a' occurs twice in the row"),
    ROW(Y, "@relation r\n@attribute t string\n@attribute y {0,1}\n@data\n{0 one,1 1,0 two}\n",
        "data:5:14: attribute 't' occurs twice in the row"),
    ROW(Y, HEAD "{0 1} junk\n", "data:6:7: unexpected text after the closing }"),
    ROW(Y, HEAD "{0 1;1 1}\n",
        "data:6:4: '1;1 1' is not a finite number; attribute 'a' is numeric (? is missing)"),
    ROW(Y, HEAD "{0}\n", "data:6:2: expected an attribute number and a value, as in {3 1, 7 0.5}"),
    ROW(Y, HEAD "1,0,1\0\n", "data:6:6: a NUL byte in a text file"),
    ROW("labels=y max_rows=1", HEAD "1,0,1\n1,0,1\n",
        "data:7: more than 1 rows; data.max_rows allows more"),
    /* hierarchy */
    ROW("", "@relation r\n@attribute a numeric\n@attribute c hierarchical\n@data\n1,x\n",
        "data:3: the hierarchical attribute lists no classes"),
    ROW("", "@relation r\n@attribute a numeric\n@attribute c hierarchical x,/y\n@data\n1,x\n",
        "data:3: '/y' is not a path of classes such as 01/02"),
    ROW("", "@relation r\n@attribute a numeric\n@attribute c hierarchical x,x/y\n@data\n1,z\n",
        "data:5:3: 'z' is not a class of the hierarchy (declared in line 3)"),
    ROW("", "@relation r\n@attribute a numeric\n@attribute c hierarchical x/y,y/x\n@data\n1,x\n",
        "data:3: class 'x' is its own ancestor"),
    ROW("", "@relation r\n@attribute c hierarchical x\n@attribute d hierarchical x\n@data\n",
        "data:3: a second hierarchical attribute, 'd' after 'c'"),
};

static const bad svm[] = {
    ROW("format=libsvm", "1 2:x\n", "data:1:3: '2:x' has no finite number after the colon"),
    ROW("format=libsvm", "1 2:\n", "data:1:3: '2:' has no finite number after the colon"),
    ROW("format=libsvm", "1 2:1 x\n", "data:1:7: 'x' is not feature:value, as in 12:0.5"),
    ROW("format=libsvm", "1 2:1 3:nan\n", "data:1:7: '3:nan' has no finite number after the colon"),
    ROW("format=libsvm", "1 2:1 3:inf\n", "data:1:7: '3:inf' has no finite number after the colon"),
    ROW("format=libsvm", "1 2:1 3:1e39\n",
        "data:1:7: '3:1e39' has a value too large (above 3.4e38)"),
    ROW("format=libsvm", "1 2:1 2:1\n", "data:1: feature 2 occurs twice in the row"),
    ROW("format=libsvm", "1,2, 2:1\n",
        "data:1:5: an empty label; labels are separated by single commas"),
    ROW("format=libsvm", "1,,2 2:1\n",
        "data:1:3: an empty label; labels are separated by single commas"),
    ROW("format=libsvm", "1 -2:1\n", "data:1:3: '-2:1' is not feature:value, as in 12:0.5"),
    ROW("format=libsvm", "1 4294967297:1\n",
        "data:1:3: feature 4294967297 is too large; data.max_features allows 20000000"),
    ROW("format=libsvm", "1 99999999999999999999999999:1\n",
        "data:1:3: feature 99999999999999999999 is too large; data.max_features allows 20000000"),
    ROW("format=libsvm index_base=1", "1 0:1\n",
        "data: has a feature 0, but features were to count from 1 (data.index_base)"),
    ROW("format=libsvm", "2:1\n3:1\n",
        "data: no row has a label; a row is 'label,label number:value ...'"),
    ROW("format=libsvm", "1\n2\n", "data: there are no features"),
    ROW("format=libsvm", "\xff 2:1\n", "data:1:1: the label is not UTF-8 text"),
    ROW("format=libsvm", "1 2:1\0\n", "data:1:6: a NUL byte in a text file"),
    ROW("format=libsvm labels=/nowhere", "1 2:1\n",
        "data: --labels: '/nowhere' is not a readable file; rows of this format list their "
        "labels, and --labels is a file of names for them"),
    ROW("format=libsvm max_rows=2", "1 2:1\n\n\n1 2:1\n",
        "data:4: more than 2 rows; data.max_rows allows more"),
    ROW("format=libsvm max_labels=1", "1 2:1\n2 2:1\n",
        "data:2: more than 1 labels; data.max_labels allows more"),
    ROW("format=xmc", "2 5\n1 2:1\n",
        "data:1: the header has two numbers, so the labels are in another file; write 'rows "
        "features labels', and the labels before the features of a row"),
    ROW("format=xmc", "a b c\n",
        "data:1: the file begins with 'rows features labels', as in 100 5000 20"),
    ROW("format=xmc", "0 5 5\n",
        "data:1: the header says 0 rows; 1 to 200000000 are possible (data.max_rows)"),
    ROW("format=xmc", "1 0 5\n",
        "data:1: the header says 0 features; 1 to 20000000 are possible (data.max_features)"),
    ROW("format=xmc", "1 5 99999999999\n",
        "data:1: the header says 99999999999 labels; 1 to 5000000 are possible (data.max_labels)"),
    ROW("format=xmc", "3 5 5\n1 2:1\n", "data: the header says 3 rows, there are 1"),
    ROW("format=xmc", "1 5 5\n1 2:1\n2 3:1\n", "data:3: the header says 1 rows, here is one more"),
    ROW("format=xmc", "1 5 5\n5 2:1\n",
        "data:2:1: '5' is not a label; the header says labels are 0..4"),
    ROW("format=xmc", "1 5 5\n1 5:1\n",
        "data:2:3: feature 5, but the header says features are 0..4"),
    ROW("format=xmc", "1 5 5\nx 2:1\n",
        "data:2:1: 'x' is not a label; the header says labels are 0..4"),
    ROW("format=xmc", "1 5 5\n1;2 2:1\n",
        "data:2:1: '1;2' is not a label; the header says labels are 0..4"),
};

static const bad csv[] = {
    ROW("labels=y", "a,y\n1\n", "data:2: 1 cells, the first line has 2"),
    ROW("labels=y", "a,y\n1,1,1\n", "data:2: more cells than the 2 of the first line"),
    ROW("labels=y", "a,y\n\"1,1\n", "data:2: a quote that opens here is never closed"),
    ROW("labels=y", "a,y\n\"1\"x,1\n",
        "data:2: text follows the closing quote of a cell; a quote inside is written twice"),
    ROW("labels=y", "a,a,y\n1,1,1\n", "data:1: two columns are named 'a'"),
    ROW("labels=z", "a,y\n1,1\n",
        "data: --labels: no column is named 'z' (nor is there such a file)"),
    ROW("labels=y,z", "a,y,z\n1,1,2\n", "data: label column 'z' has numbers other than 0 and 1"),
    ROW("labels=y,z", "a,y,z\n1,1,red\n",
        "data: label column 'z' has the value 'red'; a label is 0/1, yes/no, true/false or "
        "x/blank (--true and --false add words)"),
    ROW("", "a,b\n1,2\n",
        "data: which columns are labels? --labels takes names, a pattern such as 'tag_*', a "
        "file, first:N or last:N, or one column of lists; a file of their own follows the data "
        "(X.csv Y.csv)"),
    ROW("", "a,b,c\n1.5,0,1\n",
        "data: which columns are labels? --labels takes names, a pattern such as 'tag_*', a "
        "file, first:N or last:N, or one column of lists; a file of their own follows the data "
        "(X.csv Y.csv); the last 2 are 0/1: --labels last:2?"),
    ROW("labels=y", "a,y\n", "data: there are no rows"),
    ROW("labels=y", "a,y\n1e39,1\n", "data:2:1: the value of 'a' is too large (above 3.4e38)"),
    ROW("labels=a,y", "a,y\n1,1\n", "data: all 2 columns are labels; no feature is left"),
    ROW("labels=y label_sep=|", "a,y\n1,\n", "data: no row has a label"),
    ROW("labels=y label_sep=|", "a,y\n1,\"[\"\"x\"\"\"\n",
        "data:2:3: '[\"x\"' is not a list of labels"),
    ROW("labels=y label_sep=|", "a,y\n1,\"['x', ['y']]\"\n",
        "data:2:3: '['x', ['y']]' is not a list of labels"),
    ROW("labels=y label_sep=|", "a,y\n1,['\\xg1']\n",
        "data:2:3: '['\\xg1']' is not a list of labels"),
    ROW("labels=y,z", "a,y,z\n1,ja,1\n2,nein,0\n",
        "data: label column 'y' has the values 'ja' and 'nein'; --true WORD and --false WORD say "
        "which of them is yes and which is no"),
    ROW("labels=y", "a;y\n1,234;0\n2;1\n",
        "data:2: '1,234' in column 'a' is a number with a decimal comma, or with a comma between "
        "thousands: data.decimal=comma or data.decimal=point says which"),
    ROW("labels=y", "a,y,\n1,0,\n2,1,,\n", "data:3: more cells than the 3 of the first line"),
    ROW("labels=y", "a,y,\n1,0\n2,1,5\n", "data:2: 2 cells, the first line has 3"),
    ROW("labels=y", "a,y,\n1\n2,1,\n", "data:2: 1 cells, the first line has 3"),
    ROW("labels=y drop=b", "a,y\n1,1\n",
        "data: --drop: no column is named 'b' (nor is there such a file)"),
    ROW("labels=y format=csv", "nothing here\n",
        "data:1: the first line has no comma, semicolon, tab or | between cells"),
    ROW("labels=y max_rows=1", "a,y\n1,1\n2,1\n",
        "data:3: more than 1 rows; data.max_rows allows more"),
};

static const bad jsonl[] = {
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": [\"x\"]}\n{\"features\": \n",
        "data:2:13: unexpected token near end of file"),
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": [\"x\"],}\n",
        "data:1:40: string or '}' expected near '}'"),
    ROW("", "{\"features\": {\"a\": NaN}, \"labels\": [\"x\"]}\n",
        "data:1:22: invalid token near 'NaN'"),
    ROW("", "{\"features\": {\"a\": 1, \"a\": 2}, \"labels\": [\"x\"]}\n",
        "data:1:25: duplicate object key near '\"a\"'"),
    ROW("", "{\"features\": {\"a\": \"\xff\"}, \"labels\": [\"x\"]}\n",
        "data:1:20: unable to decode byte 0xff near '\"'"),
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": [\"x\"]}\n[1]\n",
        "data:2: the line is a list; a row is an object {...}"),
    ROW("", "{\"features\": 3, \"labels\": [\"x\"]}\n",
        "data:1: \"features\" is a number; it must be an object or a list"),
    ROW("", "{\"features\": {\"a\": [\"p\"]}, \"labels\": [\"x\"]}\n",
        "data:1: feature 'a' is a list with a string in it; a list is of numbers, or of labels "
        "(--labels a)"),
    ROW("", "{\"a\": \"r\", \"labels\": [\"x\"]}\n{\"a\": 1, \"labels\": []}\n",
        "data:2: feature 'a' is a number here, but was a text before"),
    ROW("labels=b,c", "{\"a\": 1, \"b\": 1, \"c\": 2}\n",
        "data: label member 'c' has numbers other than 0 and 1"),
    ROW("labels=b,c", "{\"a\": 1, \"b\": 1, \"c\": \"ja\"}\n",
        "data: label member 'c' has the value 'ja'; a label is true, false, 0 or 1 (--true and "
        "--false add words)"),
    ROW("", "{\"features\": {\"a\": 1e39}, \"labels\": [\"x\"]}\n",
        "data:1: the value of a is too large (above 3.4e38)"),
    ROW("", "{\"features\": {\"a\": 1e999}, \"labels\": [\"x\"]}\n",
        "data:1:24: real number overflow near '1e999'"),
    ROW("", "{\"features\": [1, 2], \"labels\": [1]}\n{\"features\": [1], \"labels\": [1]}\n",
        "data:2: 1 features, the rows before had 2"),
    ROW("",
        "{\"features\": [1, 2], \"labels\": [1]}\n{\"features\": {\"a\": 1}, \"labels\": [1]}\n",
        "data:2: features have names here, but were a list before"),
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": [1]}\n{\"features\": [1], \"labels\": [1]}\n",
        "data:2: features are a list here, but had names before"),
    ROW("", "{\"features\": [\"x\"], \"labels\": [1]}\n",
        "data:1: feature 0 of the list is a string; it must be a number, true, false or null"),
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": [1.5]}\n",
        "data:1: a label is a number; labels are strings or whole numbers"),
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": [\"\"]}\n",
        "data:1: a label is empty or has a NUL; labels are strings or whole numbers"),
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": {\"\": true}}\n", "data: label 1 has no name"),
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": {\"x\": 2}}\n",
        "data:1: label 'x' must be true, false, 0, 1 or null"),
    ROW("", "{\"features\": {\"a\": 1}, \"labels\": [\"x\"], \"tags\": [\"x\"]}\n",
        "data:1: more than one of labels, label and tags"),
    ROW("", "{\"features\": {\"a\": 1}}\n",
        "data: no row has labels; write \"labels\": [\"name\", ...], or say with --labels which "
        "members they are"),
    ROW("", "{\"a\": 1, \"labels\": [\"x\"]}\n{\"a\": \"r\", \"labels\": []}\n",
        "data:2: feature 'a' is a text here, but was a number before"),
    ROW("", "{\"labels\": [\"x\"]}\n", "data: there are no features"),
};

static const bad any[] = {
    ROW("", "", "data: the file is empty"),
    ROW("", "\xef\xbb\xbf", "data: the file is empty"),
    ROW("", "hello\n",
        "data: is not ARFF, LIBSVM, extreme-classification, CSV, JSONL or fastText text; "
        "data.format says "
        "which it is, --task tag that it is sentences"),
    ROW("", "\x89PNG\r\n\x1a\n\0\0\0",
        "data: is not ARFF, LIBSVM, extreme-classification, CSV, JSONL or fastText text; "
        "data.format says "
        "which it is, --task tag that it is sentences"),
    ROW("format=arf", "hello\n",
        "format 'arf' is not known; use auto, arff, xmc, jsonl, fasttext, libsvm, csv, npy, "
        "plain"),
};

static void check(const bad *table, size_t n)
{
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const bad      *b = &table[i];
        bs_read_options o = options_from(b->options);
        bs_rows        *ds;
        basin_error     err = {0};
        long            live = bs_mem_live();
        basin_status    s = read_bytes(b->text, b->len, &o, &ds, NULL, &err);
        if (!s || ds || strcmp(err.msg, b->message) != 0) {
            print_message("row %zu: [%s] gave \"%s\", expected \"%s\"\n", i, b->options,
                          s ? err.msg : "no error", b->message);
            wrong++;
        }
        bs_rows_free(ds);
        assert_int_equal(bs_mem_live(), live);
    }
    assert_int_equal(wrong, 0);
}

#define CHECK_ALL(table) check(table, sizeof table / sizeof *(table))

static void test_arff(void **state)
{
    (void)state;
    CHECK_ALL(arff);
}

static void test_svm(void **state)
{
    (void)state;
    CHECK_ALL(svm);
}

static void test_csv(void **state)
{
    (void)state;
    CHECK_ALL(csv);
}

static void test_jsonl(void **state)
{
    (void)state;
    CHECK_ALL(jsonl);
}

static void test_any(void **state)
{
    (void)state;
    CHECK_ALL(any);
}

/* --- label files --------------------------------------------------------------------------- */

static const struct {
    const char *text, *message;
} xml[] = {
    {"", "x.xml:1:1: no element found"},
    {"<labels>", "x.xml:1:9: no element found"},
    {"<labels></labels>", "x.xml: names no label"},
    {"<html></html>", "x.xml:1:1: a label file begins with <labels>, this one with 'html'"},
    {"<labels><label/></labels>", "x.xml:1:9: a <label> has no name; write <label name=\"...\"/>"},
    {"<labels><label name=''/></labels>", "x.xml:1:9: a label has an empty name"},
    {"<labels><x name='a'/></labels>", "x.xml:1:9: only <label> may stand in <labels>, not 'x'"},
    {"<labels><label name='a'/><label name='a'/></labels>",
     "x.xml:1:26: a second label is named 'a'"},
    {"<!DOCTYPE labels><labels><label name='a'/></labels>",
     "x.xml:1:17: a document type is not allowed in a label file"},
    {"<labels><label name='a'></labels>", "x.xml:1:27: mismatched tag"},
    {"<labels><label name='\xff'/></labels>", "x.xml:1:22: not well-formed (invalid token)"},
    {"<labels><label name='&bomb;'/></labels>", "x.xml:1:9: undefined entity"},
};

static void test_xml(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof xml / sizeof *xml; i++) {
        bs_arena      arena;
        bs_xml_labels out = {.most = 1000};
        bs_input     *in;
        basin_error   err = {0};
        bs_arena_init(&arena, 0);
        bs_names_init(&out.names, &arena);
        assert_int_equal(bs_input_memory("x.xml", xml[i].text, strlen(xml[i].text), &in, &err), 0);
        basin_status s = bs_xml_labels_read(in, &out, &err);
        if (!s || strcmp(err.msg, xml[i].message) != 0) {
            print_message("row %zu gave \"%s\", expected \"%s\"\n", i, s ? err.msg : "no error",
                          xml[i].message);
            wrong++;
        }
        bs_input_close(in);
        bs_names_free(&out.names);
        bs_arena_free(&arena);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arff),  cmocka_unit_test(test_svm), cmocka_unit_test(test_csv),
        cmocka_unit_test(test_jsonl), cmocka_unit_test(test_any), cmocka_unit_test(test_xml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
