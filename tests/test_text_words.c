/* test_text_words.c -- forms and cases of words, word vectors, Brown clusters. */
#include "tests/check.h"

#include <stdlib.h>
#include <unistd.h>

#include "replay.h"
#include "fuzz/fuzz_text.h"
#include "data/text/wordform.h"

/* --- forms --------------------------------------------------------------- */

static const char *form(const char *how, const char *text)
{
    static char out[BS_FORM_MAX + 1];
    bs_fold     fold = {.lower = strchr(how, 'l') != NULL,
                        .digits = strchr(how, 'd') != NULL,
                        .tweets = strchr(how, 't') != NULL};
    size_t      n = bs_wordform(&fold, text, strlen(text), out);
    assert_int_equal(n, strlen(out));
    char again[BS_FORM_MAX + 1];
    assert_int_equal(bs_wordform(&fold, out, n, again), n);
    assert_string_equal(again, out);
    return out;
}

static void forms(void **state)
{
    (void)state;
    static const struct {
        const char *how, *text, *form;
    } rows[] = {
        {"", "The", "The"},
        {"l", "THE-1990s", "the-1990s"},
        {"d", "THE-1990s", "THE-0000s"},
        {"ld", "A1", "a0"},
        /* Latin, Latin Extended, Greek, Cyrillic; the sharp s and the multiplication sign stay */
        {"l", "\xc3\x84\xc3\x96\xc3\x9f\xc3\x97", "\xc3\xa4\xc3\xb6\xc3\x9f\xc3\x97"},
        {"l", "\xc5\xa0\xc4\x8c\xc5\xbb\xc5\xb8", "\xc5\xa1\xc4\x8d\xc5\xbc\xc3\xbf"},
        {"l", "\xce\x91\xce\xa3\xce\x8f", "\xce\xb1\xcf\x83\xcf\x8e"},
        {"l", "\xd0\x96\xd0\x81\xd0\xaf\xd2\x90", "\xd0\xb6\xd1\x91\xd1\x8f\xd2\x91"},
        {"l", "\xc4\xb0", "i"},
        {"l", "\xe1\xba\x9e", "\xc3\x9f"},
        {"l", "\xe4\xb8\xad\xf0\x9f\x98\x80", "\xe4\xb8\xad\xf0\x9f\x98\x80"},
        /* not UTF-8: Latin-1, a cut character, a surrogate */
        {"l", "CAF\xc9", "caf\xef\xbf\xbd"},
        {"", "a\xe4\xb8", "a\xef\xbf\xbd\xef\xbf\xbd"},
        {"", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"t", "@TheBlissfulChef", "<@MENTION>"},
        {"lt", "@user_1", "<@MENTION>"},
        {"lt", "@", "@"},
        {"lt", "@user:", "@user:"},
        {"lt", "a@b.org", "a@b.org"},
        {"", "@user", "@user"},
        {"t", "http://t.co/Xy1", "<URL>"},
        {"lt", "HTTPS://x", "<URL>"},
        {"ltd", "www.basin.org", "<URL>"},
        {"t", "bit.ly/9abc", "<URL>"},
        {"t", "and/or", "and/or"},
        {"t", "1.5/2", "1.5/2"},
        {"t", "a.m./p.m.", "a.m./p.m."},
        {"t", "example.com", "example.com"},
        {"t", "www.", "www."},
        /* becomes a name by being lower-cased */
        {"lt", "@\xc4\xb0x", "<@MENTION>"},
        {"l", "\xf0\x90\x90\x80\xe1\xb2\x90", "\xf0\x90\x90\xa8\xe1\x83\x90"},
        {"l", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(form(rows[i].how, rows[i].text), rows[i].form);

    char text[BS_FORM_MAX + 40], out[BS_FORM_MAX + 1];
    memset(text, 'x', sizeof text);
    memcpy(text + BS_FORM_MAX - 1, "\xc3\xa4", 2);
    assert_int_equal(bs_wordform(NULL, text, sizeof text, out), BS_FORM_MAX - 1);
    assert_int_equal(bs_wordform(NULL, "a\0b", 3, out), 5);
    assert_string_equal(out, "a\xef\xbf\xbd"
                             "b");
}

static void every_character_survives(void **state)
{
    (void)state;
    for (uint32_t c = 1; c < 0x110000; c++) {
        if (c == 0xD800)
            c = 0xE000;
        char     bytes[4];
        uint32_t back;
        size_t   n = bs_char_put(c, bytes);
        assert_int_equal(bs_char_next(bytes, n, &back), n);
        assert_int_equal(back, c);
        assert_int_equal(bs_char_lower(bs_char_lower(c)), bs_char_lower(c));
        assert_int_equal(bs_char_next(bytes, n - 1 ? n - 1 : n, &back), n > 1 ? 1 : n);
    }
}

static void spellings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *all;
        bs_fold     fold;
    } rows[] = {
        {"the", "the", {0}},
        {"U2", "U2 u2 u0", {0}},
        {"U2", "U2 u2 u0", {.lower = true}},
        {"U2", "U2 U0 u2 u0", {.digits = true}},
        {"@Jo", "@Jo @jo", {0}},
        {"@Jo", "@Jo <@MENTION> <user>", {.tweets = true}},
        {"<@MENTION>", "<@MENTION> <user>", {.lower = true, .tweets = true}},
        {"http://www.Bit.ly/x",
         "http://www.Bit.ly/x <URL-bit.ly> <URL> <URL-> <url>",
         {.tweets = true}},
        {"<URL>", "<URL> <URL-> <url>", {.tweets = true}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bs_spelling s[BS_SPELLINGS];
        char        all[4000] = "";
        int         n = bs_spellings(&rows[i].fold, rows[i].text, strlen(rows[i].text), s);
        for (int k = 0; k < n; k++)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? " " : "", s[k].text);
        assert_string_equal(all, rows[i].all);
    }
}

static void cases(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } rows[] = {
        {"word", "lower"},
        {"don't", "lower"},
        {"Word", "Title"},
        {"D'accord", "Title"},
        {"\xc3\x84rzte", "Title"},
        {"\xd0\x9c\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0", "Title"},
        {"U.S.", "UPPER"},
        {"\xce\xa3\xce\xa9", "UPPER"},
        {"iPhone", "mixed"},
        {"McDonald", "mixed"},
        {"J.", "initial"},
        {"3rd", "alnum"},
        {"1996", "digits"},
        {"1,000.5", "number"},
        {"6-4", "number"},
        {"...", "punctuation"},
        {"\xe2\x80\x94", "punctuation"},
        {"@name", "mention"},
        {"#tag", "hashtag"},
        {"#1", "number"},
        {"#\xc3\xa4", "hashtag"},
        {"http://x.org", "link"},
        {"\xe4\xb8\xad\xe6\x96\x87", "other"},
        {"\xf0\x9f\x98\x80", "other"},
        {"\xff", "other"},
        {"", "other"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(bs_case_names[bs_word_case(rows[i].text, strlen(rows[i].text))],
                            rows[i].name);
    for (int i = 0; i < BS_CASE_COUNT; i++)
        assert_non_null(bs_case_names[i]);
}

/* --- vectors ------------------------------------------------------------- */

static basin_status read_vectors(const char *text, size_t len, const bs_names *wanted,
                                 bs_vectors *v, bs_notes *notes, basin_error *err)
{
    bs_input    *in;
    basin_status s = bs_input_memory("vec", text, len, &in, err);
    if (s)
        return s;
    s = bs_vectors_read_input(in, wanted, v, notes, err);
    bs_input_close(in);
    return s;
}

/* "word:1,2 word:3,4" */
static const char *show_vectors(const bs_vectors *v)
{
    static char text[1000];
    text[0] = '\0';
    for (int32_t i = 0; i < v->n; i++)
        for (int32_t k = 0; k < v->dim; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s%.9g",
                     i && !k ? " " : "", k ? "" : v->words.item[i].text, k ? "," : ":",
                     (double)v->value[i * v->dim + k]);
    return text;
}

typedef struct {
    const char *text, *shown, *note;
    size_t      len;
} sample;
#define ROW(text, shown, note)              \
    {                                       \
        text, shown, note, sizeof(text) - 1 \
    }

static void vectors_of_all_kinds(void **state)
{
    (void)state;
    static const sample rows[] = {
        ROW("the 0.5 -1.25\nof 2 3e-1\n", "the:0.5,-1.25 of:2,0.300000012", NULL),
        ROW("2 2\nthe 0.5 -1.25\nof 2 3\n", "the:0.5,-1.25 of:2,3", NULL),
        ROW("2 3 4\n3 5 6\n", "2:3,4 3:5,6", NULL), /* numbers as words, no header */
        ROW("\xef\xbb\xbfthe\t1\t2 \r\nof 3 4 \n\n", "the:1,2 of:3,4", NULL),
        ROW("a 1 2\nnew york 3 4\n. . . 5 6", "a:1,2 new york:3,4 . . .:5,6", NULL),
        ROW(". . 1 2\na 3 4\n", ". .:1,2 a:3,4", NULL),
        ROW("a  1   2\nb 3 4\n", "a:1,2 b:3,4", NULL),
        ROW("a 1\nb 2\n", "a:1 b:2", NULL),
        ROW("a 1 2\nb 3 4\na 5 6\n", "a:1,2 b:3,4",
            "vec: 1 rows repeat a word; the first of each counts"),
        ROW("a 1 2\n 3 4\n", "a:1,2", "vec: 1 rows have numbers but no word"),
        ROW("3 2\na 1 2\n", "a:1,2", "vec: the first line says 3 words, the file has 1"),
        ROW("0 2\n", "", NULL),
        ROW("a 0.1234567 -0.12345678 9.9999999 12.5 1.e1 .5 00.25 0.38194 1.0\n",
            "a:0.123456702,-0.123456784,10,12.5,10,0.5,0.25,0.381940007,1", NULL),
        ROW("\xe4\xb8\xad 1 2\n\xff\xfe 3 4\n", "\xe4\xb8\xad:1,2 \xff\xfe:3,4", NULL),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bs_vectors  v;
        bs_notes    notes;
        basin_error err;
        bs_notes_init(&notes);
        if (read_vectors(rows[i].text, rows[i].len, NULL, &v, &notes, &err))
            fail_msg("row %zu: %s", i, err.msg);
        assert_string_equal(show_vectors(&v), rows[i].shown);
        assert_int_equal(notes.n, rows[i].note != NULL);
        if (rows[i].note)
            assert_string_equal(notes.note[0].text, rows[i].note);
        bs_vectors_free(&v);
        bs_notes_free(&notes);
    }
}

static void bad_vectors(void **state)
{
    (void)state;
    static const sample rows[] = {
        ROW("", "vec: no word vectors in it", NULL),
        ROW("\n \n", "vec: no word vectors in it", NULL),
        ROW("word\n", "vec:1: expected a word and its numbers, or 'count dim'", NULL),
        ROW("a b c\n", "vec:1: expected a word and its numbers, or 'count dim'", NULL),
        ROW("a 1 2\nb 3\n", "vec:2: 'b' has 1 numbers, expected 2", NULL),
        ROW("a 1 2\nb\n", "vec:2: 'b' has 0 numbers, expected 2", NULL),
        ROW("2 3\na 1 2\n", "vec:2: 'a' has 2 numbers, expected 3", NULL),
        ROW("a 1 2\nb 3 4 5\n",
            "vec:2: more than 2 numbers, as in 1 of 2 rows; is the file damaged?", NULL),
        ROW("a 1 2\nb 3 x\n", "vec:2:5: 'x' is not a number", NULL),
        ROW("a 1 2\nb 3 0.5x\n", "vec:2:5: '0.5x' is not a number", NULL),
        ROW("a 1 2\nb 0.123456x 4\n", "vec:2:3: '0.123456x' is not a number", NULL),
        ROW("a 1 2\nb 1e99 4\n", "vec:2:3: '1e99' is not a number", NULL),
        ROW("a 1 2\nb nan 4\n", "vec:2:3: 'nan' is not a number", NULL),
        ROW("a 1 2\nb\0c 3 4\n", "vec:2: a NUL byte in a text file", NULL),
        ROW("2 0\n", "vec:1: vectors of 0 numbers; 1 to 32768 are possible", NULL),
        ROW("1 99999999999999999999\n",
            "vec:1: vectors of 576460752303423487 numbers; 1 to 32768 are possible", NULL),
        ROW("2 3\na \0\1\2\3\4\5\6\7\x01\x02\n",
            "vec:2: a NUL byte; the binary format of word2vec must be converted to text first",
            NULL),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bs_vectors  v;
        basin_error err = {0};
        long        live = bs_mem_live();
        assert_int_equal(read_vectors(rows[i].text, rows[i].len, NULL, &v, NULL, &err),
                         BASIN_EDATA);
        assert_string_equal(err.msg, rows[i].shown);
        assert_int_equal(bs_mem_live(), live);
        bs_vectors_free(&v);
    }
}

static void only_wanted_rows_are_kept(void **state)
{
    (void)state;
    static const char text[] = "a 1 2\nb not read\nnew york 3 4\nc 5 6\nlost york 7 8\n";
    bs_arena          arena;
    bs_names          wanted;
    bs_vectors        v;
    basin_error       err;
    bool              fresh;
    bs_arena_init(&arena, 0);
    bs_names_init(&wanted, &arena);
    bs_names_add(&wanted, "new york", 8, &fresh);
    bs_names_add(&wanted, "c", 1, &fresh);
    bs_names_add(&wanted, "zebra", 5, &fresh);
    if (read_vectors(text, strlen(text), &wanted, &v, NULL, &err))
        fail_msg("%s", err.msg);
    assert_string_equal(show_vectors(&v), "new york:3,4 c:5,6");
    assert_int_equal(v.in_file, 5);
    bs_vectors_free(&v);
    bs_names_free(&wanted);
    bs_arena_free(&arena);
}

static void compressed_vectors(void **state)
{
    (void)state;
    /* gzip of "the 0.5 -1.25\nof 2 3e-1\n" */
    static const unsigned char bytes[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0xc9, 0x48, 0x55, 0x30,
        0xd0, 0x33, 0x55, 0xd0, 0x35, 0xd4, 0x33, 0x32, 0xe5, 0xca, 0x4f, 0x53, 0x30, 0x52, 0x30,
        0x4e, 0xd5, 0x35, 0xe4, 0x02, 0x00, 0x87, 0x93, 0xde, 0x53, 0x18, 0x00, 0x00, 0x00};
    char path[] = "/tmp/basin-vectors-XXXXXX";
    int  fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    close(fd);
    bs_vectors   v;
    basin_error  err;
    basin_status s = bs_vectors_read(path, 0, NULL, &v, NULL, &err);
    unlink(path);
    assert_int_equal(s, BASIN_OK);
    assert_string_equal(show_vectors(&v), "the:0.5,-1.25 of:2,0.300000012");
    bs_vectors_free(&v);
    assert_int_equal(bs_vectors_read(path, 0, NULL, &v, NULL, &err), BASIN_EIO);
    bs_vectors_free(&v);
}

/* --- clusters ------------------------------------------------------------ */

static basin_status read_clusters(const char *text, size_t len, bs_clusters *c, bs_notes *notes,
                                  basin_error *err)
{
    bs_input    *in;
    basin_status s = bs_input_memory("paths", text, len, &in, err);
    if (s)
        return s;
    s = bs_clusters_read_input(in, NULL, c, notes, err);
    bs_input_close(in);
    return s;
}

static void clusters_of_all_kinds(void **state)
{
    (void)state;
    static const sample rows[] = {
        ROW("0010\tthe\t12\n011\tof\t3\n0010\tnew york\t1\n", "the:0010 of:011 new york:0010",
            NULL),
        ROW("0010 the 12\n\n011 of\n", "the:0010 of:011", NULL),
        ROW("the 0010\nof 011\n", "the:0010 of:011", NULL),
        ROW("1 0 5\n0 11\nthe 1\n", "1:0 0:11 the:1", NULL), /* the third line decides */
        ROW("1\t0\n0\t11\n", "0:1 11:0", NULL),              /* nothing does */
        ROW("the 0010\r\nthe 1\n", "the:0010",
            "paths: 1 lines repeat a word; the first of each counts"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bs_clusters c;
        bs_notes    notes;
        basin_error err;
        char        shown[400] = "";
        bs_notes_init(&notes);
        if (read_clusters(rows[i].text, rows[i].len, &c, &notes, &err))
            fail_msg("row %zu: %s", i, err.msg);
        for (int32_t k = 0; k < c.n; k++)
            snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%s:%s", k ? " " : "",
                     c.words.item[k].text, c.paths.item[c.path[k]].text);
        assert_string_equal(shown, rows[i].shown);
        assert_int_equal(notes.n, rows[i].note != NULL);
        bs_clusters_free(&c);
        bs_notes_free(&notes);
    }
}

static void bad_clusters(void **state)
{
    (void)state;
    static const sample rows[] = {
        ROW("", "paths: no clusters in it", NULL),
        ROW("0010\n", "paths:1: expected 'path word count' or 'word path'", NULL),
        ROW("0 a b c\n", "paths:1: expected 'path word count' or 'word path'", NULL),
        ROW("a b\n", "paths:1: 'a' is not a path of at most 128 bits", NULL),
        ROW("01 a\n02 b\n", "paths:2: '02' is not a path of at most 128 bits", NULL),
        ROW("a 01\n10 b\n", "paths:2: 'b' is not a path of at most 128 bits", NULL),
        ROW("01 a\0b\n", "paths:1: a NUL byte in a text file", NULL),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bs_clusters c;
        basin_error err = {0};
        assert_int_equal(read_clusters(rows[i].text, rows[i].len, &c, NULL, &err), BASIN_EDATA);
        assert_string_equal(err.msg, rows[i].shown);
        bs_clusters_free(&c);
    }
}

static void memory_runs_out(void **state)
{
    (void)state;
    char text[4000] = "", paths[4000] = "";
    for (int i = 0; i < 60; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "w%d 1 2\n", i);
        snprintf(paths + strlen(paths), sizeof paths - strlen(paths), "w%d 01\n", i);
    }
    for (int kind = 0; kind < 2; kind++) {
        basin_status s = BASIN_ENOMEM;
        for (long n = 1; s; n++) {
            bs_vectors  v = {0};
            bs_clusters c = {0};
            basin_error err = {0};
            long        live = bs_mem_live();
            bs_mem_fail_at(n);
            s = kind ? read_clusters(paths, strlen(paths), &c, NULL, &err)
                     : read_vectors(text, strlen(text), NULL, &v, NULL, &err);
            bs_mem_fail_at(0);
            assert_true(s == BASIN_OK || s == BASIN_ENOMEM);
            assert_true(n < 100);
            bs_vectors_free(&v);
            bs_clusters_free(&c);
            assert_int_equal(bs_mem_live(), live);
        }
    }
}

static void corpora(void **state)
{
    (void)state;
    replay_corpus("vectors", fuzz_vectors);
    replay_corpus("clusters", fuzz_clusters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),
        cmocka_unit_test(every_character_survives),
        cmocka_unit_test(spellings),
        cmocka_unit_test(cases),
        cmocka_unit_test(vectors_of_all_kinds),
        cmocka_unit_test(bad_vectors),
        cmocka_unit_test(only_wanted_rows_are_kept),
        cmocka_unit_test(compressed_vectors),
        cmocka_unit_test(clusters_of_all_kinds),
        cmocka_unit_test(bad_clusters),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(corpora),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
