/* test_base_visible.c -- foreign text for people: nothing in it is obeyed by a terminal. */
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "harness.h"

static const struct {
    const char *text, *shown;
} cases[] = {
    {"", ""},
    {"plain", "plain"},
    {"a\\n", "a\\n"}, /* a backslash is no control character */
    {"two\nlines", "two\\nlines"},
    {"\ta\r\n", "\\ta\\r\\n"},
    {"\x1b[2J\x07", "\\x1b[2J\\x07"},
    {"del\x7f", "del\\x7f"},
    {"csi \xc2\x9b"
     "2J",
     "csi \\u009b2J"},
    {"nel \xc2\x85", "nel \\u0085"},
    {"raw \x9b"
     "2J",
     "raw \\x9b2J"},
    {"latin gr\xf6\xdf"
     "e",
     "latin gr\\xf6\\xdfe"},
    {"gr\xc3\xb6\xc3\x9f"
     "e \xe6\xbc\xa2 \xf0\x9f\x98\x80 \xc2\xa0",
     "gr\xc3\xb6\xc3\x9f"
     "e \xe6\xbc\xa2 \xf0\x9f\x98\x80 \xc2\xa0"},
    {"\xe2\x80\xa8|\xe2\x80\xa9", "\\u2028|\\u2029"},
    {"\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", "\\u202a\\u202e\xe2\x80\xaf"},
    {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa"},
    {"\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90", "\\u200e\\u200f\xe2\x80\x90"},
    {"\xd8\x9c\xd8\x9d", "\\u061c\xd8\x9d"},
    {"cut \xe2\x80", "cut \\xe2\\x80"},
    {"long \xc0\x8a", "long \\xc0\\x8a"}, /* an overlong form of \n */
};

static void escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bs_buf b;
        char   room[BS_VISIBLE], line[BS_VISIBLE];
        bs_buf_init(&b, 1000);
        bs_buf_visible(&b, cases[i].text);
        assert_string_equal(b.data ? b.data : "", cases[i].shown);
        assert_string_equal(bs_visible(cases[i].text, 0, room), cases[i].shown);
        strcpy(line, cases[i].text);
        bs_line_visible(line, sizeof line, (int)strlen(line));
        assert_string_equal(line, cases[i].shown);
        assert_int_equal(bs_is_visible(cases[i].text), strcmp(cases[i].text, cases[i].shown) == 0);

        assert_true(bs_is_visible(cases[i].shown)); /* shown twice: no change */
        bs_buf_lines_visible(&b);
        assert_string_equal(b.data ? b.data : "", cases[i].shown);
        bs_buf_free(&b);
    }
}

/* Every character there is: what is shown has no byte that a terminal could obey. */
static void every_character(void **state)
{
    (void)state;
    for (unsigned c = 1; c < 0x3000; c++) {
        char   text[4] = {0}, room[BS_VISIBLE];
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
        text[0] = (char)(n == 1 ? c : n == 2 ? 0xc0 | c >> 6 : 0xe0 | c >> 12);
        if (n > 1)
            text[n - 1] = (char)(0x80 | (c & 0x3f));
        if (n == 3)
            text[1] = (char)(0x80 | (c >> 6 & 0x3f));
        bool obeyed = c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e ||
                      c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
        assert_int_equal(bs_utf8_len(text, n), n);
        assert_int_equal(bs_invisible(text, n), obeyed ? c : 0);
        bs_visible(text, 0, room);
        assert_int_equal(strcmp(room, text) == 0, !obeyed);
        for (const char *p = room; *p && obeyed; p++)
            assert_true(*p > 0x20 && *p < 0x7f);
    }
}

static void cells_are_cut_between_characters(void **state)
{
    (void)state;
    char room[BS_VISIBLE], text[1000];
    assert_string_equal(bs_visible("abcdef", 3, room), "abc");
    assert_string_equal(bs_visible("\xc3\xa4\xc3\xb6\xc3\xbc", 2, room), "\xc3\xa4\xc3\xb6");
    assert_string_equal(bs_visible("a\nb", 3, room), "a\\n");
    assert_string_equal(bs_visible("a\x1b"
                                   "b",
                                   3, room),
                        "a"); /* no half of an escape */
    memset(text, 0xe2, sizeof text);
    text[sizeof text - 1] = '\0';
    bs_visible(text, 0, room);
    assert_int_equal(strlen(room), (BS_VISIBLE - 1) / 4 * 4);
}

static void lines_of_ours_stay(void **state)
{
    (void)state;
    bs_buf b;
    bs_buf_init(&b, 100);
    bs_buf_add(&b, "one\ntwo\x1b[2J\n\0three\n", 19);
    bs_buf_lines_visible(&b);
    assert_string_equal(b.data, "one\ntwo\\x1b[2J\n\\x00three\n");
    bs_buf_free(&b);
}

static void messages_that_grow_are_cut(void **state)
{
    (void)state;
    basin_error err;
    char        text[600];
    memset(text, 0x1b, sizeof text);
    text[sizeof text - 1] = '\0';
    bs_fail(&err, BASIN_EDATA, "%s", text);
    assert_true(strlen(err.msg) < sizeof err.msg);
    assert_string_equal(err.msg + strlen(err.msg) - 7, "\\x1b...");
    assert_true(bs_is_visible(err.msg));
}

static void json_stays_exact(void **state)
{
    (void)state;
    static const char text[] = "a\"\\\n\x7f\xc2\x9b\xe2\x80\xa8\xc3\xa4\xff";
    bs_buf            b;
    bs_buf_init(&b, 1000);
    bs_json_quote(&b, text, sizeof text); /* with the NUL */
    assert_string_equal(b.data, "\"a\\\"\\\\\\n\\u007f\\u009b\\u2028\xc3\xa4\xef\xbf\xbd\\u0000\"");
    bs_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(every_character),
        cmocka_unit_test(cells_are_cut_between_characters),
        cmocka_unit_test(lines_of_ours_stay),
        cmocka_unit_test(messages_that_grow_are_cut),
        cmocka_unit_test(json_stays_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
