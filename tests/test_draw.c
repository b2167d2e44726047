/* test_draw.c -- pages, charts and maps: what they escape, how they are cut, that they are well
 * formed and survive a lack of memory. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "basin.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "doc/chart.h"
#include "doc/heat.h"
#include "doc/doc.h"
#include "base/json.h"
#include "tests/html_check.h"

static bs_buf fresh(void)
{
    bs_buf b;
    bs_buf_init(&b, 1 << 24);
    return b;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* ---- the policy ---- */

/* Whether the text between a tag and its end is one that the policy allows there. */
static void is_allowed(const char *page, const char *directive, const char *from, const char *end)
{
    unsigned char hash[BS_SHA256];
    bs_buf        want = fresh();
    const char   *list = strstr(page, directive), *found;
    assert_non_null(list);
    bs_sha256(from, (size_t)(end - from), hash);
    bs_buf_text(&want, " 'sha256-");
    bs_page_base64(hash, sizeof hash, &want);
    bs_buf_text(&want, "'");
    found = strstr(list, want.data);
    assert_true(found && found < list + 1 + strcspn(list + 1, ";\""));
    bs_buf_free(&want);
}

static void only_our_style_and_scripts_are_allowed(void **state)
{
    static const struct {
        const char *open, *close, *directive;
        int         n;
    } kind[] = {{"<style>", "</style>", "; style-src ", 1},
                {"<script>", "</script>", "; script-src ", 2}};
    bs_buf b = fresh();
    (void)state;
    bs_page_begin("t", NULL, &b);
    bs_page_end(&b);
    html_check_alone(b.data);
    for (int k = 0; k < 2; k++) {
        int n = 0;
        for (const char *at = b.data; (at = strstr(at, kind[k].open)); n++) {
            at += strlen(kind[k].open);
            is_allowed(b.data, kind[k].directive, at, strstr(at, kind[k].close));
        }
        assert_int_equal(n, kind[k].n);
    }
    assert_int_equal(count(b.data, "'sha256-"), 3);
    assert_int_equal(count(b.data, "<script"), 2);
    assert_int_equal(count(b.data, "<style"), 1);
    bs_buf_free(&b);
}

static void hash_is(const void *bytes, size_t n, const char *want)
{
    unsigned char hash[BS_SHA256];
    char          text[2 * BS_SHA256 + 1];
    bs_sha256(bytes, n, hash);
    for (int k = 0; k < BS_SHA256; k++)
        snprintf(text + 2 * k, 3, "%02x", hash[k]);
    assert_string_equal(text, want);
}

/* Examples of NIST; then n bytes of value n for every n that ends a first, second or third block,
 * and the hash of all those hashes, as Python's hashlib has it. */
static void hashes_are_those_of_the_standard(void **state)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    unsigned char     sum[200 * BS_SHA256], bytes[200];
    (void)state;
    hash_is("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_is(two, 56, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    for (size_t n = 0; n < sizeof bytes; n++) {
        memset(bytes, (int)n, n);
        bs_sha256(bytes, n, sum + n * BS_SHA256);
    }
    hash_is(sum, sizeof sum, "6f979b0f53f1f6efc88ce8829b3e9c0d7711e102a3cfe31394c5d6c3232047ad");
}

/* ---- text ---- */

static void foreign_text_shows_as_itself(void **state)
{
    bs_buf b = fresh();
    (void)state;
    bs_page_escape("<a href=\"x\">'&\n\x01\xff\xc3\xa9\xe2\x82", &b);
    assert_string_equal(b.data, "&lt;a href=&quot;x&quot;&gt;&#39;&amp;  &#xFFFD;\xc3\xa9"
                                "&#xFFFD;&#xFFFD;");
    assert_int_equal(bs_page_width("\xc3\xa9"
                                   "a\xe2\x82\xac"),
                     3);
    bs_buf_free(&b);
}

static void numbers_are_short_and_round(void **state)
{
    char t[BS_FIXED_TEXT];
    (void)state;
    assert_string_equal(bs_fixed(1.005, 1, t), "1.0");
    assert_string_equal(bs_fixed(-0.04, 1, t), "0.0");
    assert_string_equal(bs_fixed(-12.345, 2, t), "-12.35");
    assert_string_equal(bs_fixed(3, 0, t), "3");
    assert_string_equal(bs_fixed(NAN, 2, t), "nan");
    assert_string_equal(bs_short(0, 4, t), "0");
    assert_string_equal(bs_short(0.00012345, 3, t), "0.000123");
    assert_string_equal(bs_short(12345.6, 3, t), "12346");
    assert_string_equal(bs_short(0.5, 4, t), "0.5");
    assert_string_equal(bs_short(1e-7, 4, t), "1e-07");
    assert_string_equal(bs_short(-2.5e12, 4, t), "-2.5e+12");
    assert_string_equal(bs_short(INFINITY, 4, t), "inf");
    bs_short(DBL_MAX, 9, t);
    bs_short(DBL_MIN, 9, t);
}

static void base64_is_the_usual_one(void **state)
{
    static const char *const want[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE="};
    bs_buf                   b = fresh();
    (void)state;
    for (size_t n = 1; n < 6; n++) {
        bs_buf_clear(&b);
        bs_page_base64((const unsigned char *)"fooba", n, &b);
        assert_string_equal(b.data, want[n]);
    }
    bs_buf_free(&b);
}

/* ---- axes ---- */

static void check_axis(double lo, double hi, bool log)
{
    bs_axis a = bs_axis_make(lo, hi, 5, log);
    double  mark[64], previous = -INFINITY;
    char    t[48], before[48] = "";
    int     n = bs_axis_marks(&a, mark, 64);
    a.from = 10;
    a.to = 110;
    assert_in_range(n, 2, log ? 16 : 11);
    assert_true(a.lo <= lo + 1e-6 * fabs(lo) && a.hi >= hi - 1e-6 * fabs(hi));
    for (int i = 0; i < n; i++) {
        assert_true(mark[i] > previous);
        previous = mark[i];
        bs_axis_text(&a, mark[i], t);
        assert_string_not_equal(t, before);
        memcpy(before, t, sizeof before);
        const double x = bs_axis_place(&a, mark[i]);
        assert_true(x > 10 - 1e-3 && x < 110 + 1e-3);
    }
}

static void marks_are_few_and_differ(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3000; i++) {
        bs_rng       r = bs_rng_make(7, i, 1);
        const double size = pow(10, 12 * bs_rng_uniform(&r) - 6);
        const double lo = size * (2 * bs_rng_uniform(&r) - 1);
        check_axis(lo, lo + size * (0.01 + bs_rng_uniform(&r)), false);
        check_axis(size, size * (1.5 + 1e5 * bs_rng_uniform(&r)), true);
    }
    check_axis(0, 1, false);
    check_axis(5, 5, false);
    check_axis(0, 0, false);
    check_axis(1, 1, true);
    bs_axis none = bs_axis_make(INFINITY, -INFINITY, 5, false);
    assert_true(none.lo < none.hi);
    assert_false(bs_axis_make(-1, 1, 5, true).log); /* no logarithm of that */
}

/* 1, 2 and 5 times powers of ten; over three decades and more only the powers. */
static void log_axes_mark_round_numbers(void **state)
{
    static const double dense[] = {2, 5, 10, 20, 50}, sparse[] = {1, 10, 100, 1000, 10000};
    const bs_axis       a = bs_axis_make(2, 40, 5, true), b = bs_axis_make(1.5, 2000, 5, true);
    double              mark[64];
    (void)state;
    assert_int_equal(bs_axis_marks(&a, mark, 64), 5);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(mark[i] - dense[i]) < 1e-9 * dense[i]);
    assert_int_equal(bs_axis_marks(&b, mark, 64), 5);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(mark[i] - sparse[i]) < 1e-9 * sparse[i]);
}

/* ---- charts ---- */

static void gaps_interrupt_lines_and_bands(void **state)
{
    const double  y[] = {1, 2, NAN, 3, 4}, lo[] = {0, 1, NAN, 2, 3}, hi[] = {2, 3, NAN, 4, 5};
    bs_series     s[] = {{.name = "a<b", .y = y, .lo = lo, .hi = hi, .n = 5},
                         {.name = "c", .y = lo, .n = 5, .dashed = true}};
    const bs_mark mark = {4, "best", 0};
    bs_buf        b = fresh();
    (void)state;
    bs_chart_draw(&(bs_chart){.title = "t", .series = s, .n = 1, .mark = &mark, .marks = 1}, &b);
    assert_int_equal(count(b.data, "class=\"band"), 2);
    assert_int_equal(count(b.data, "class=\"line"), 1);
    assert_int_equal(count(strstr(b.data, "class=\"line"), "d=\"M"), 1);
    assert_int_equal(count(b.data, "<circle"), 4);
    assert_non_null(strstr(b.data, ">best</text>"));
    assert_null(strstr(b.data, "a&lt;b")); /* one series needs no legend */
    bs_buf_clear(&b);
    bs_chart_draw(&(bs_chart){.series = s, .n = 2, .x_name = "x", .y_name = "y"}, &b);
    assert_non_null(strstr(b.data, ">a&lt;b</text>"));
    assert_null(strstr(b.data, "nan"));
    html_check_nesting(b.data);
    bs_buf_free(&b);
}

static void long_series_stay_small(void **state)
{
    static double y[5000];
    bs_buf        b = fresh();
    (void)state;
    for (int i = 0; i < 5000; i++)
        y[i] = sin(i / 100.0);
    bs_series s = {.name = "long", .y = y, .n = 5000};
    bs_chart_draw(&(bs_chart){.series = &s, .n = 1}, &b);
    assert_in_range(count(b.data, "<circle"), 40, 60);
    bs_buf_clear(&b);
    s.n = 0;
    bs_chart_draw(&(bs_chart){.series = &s, .n = 1, .log_y = true}, &b);
    assert_false(b.failed);
    bs_buf_free(&b);
}

static void bars_have_names_and_signs(void **state)
{
    const bs_bar bar[] = {
        {.name = "up", .value = 3},
        {.name = "a name that is much longer than there is room for in a chart", .value = -1},
        {.name = "none", .value = NAN}};
    bs_buf b = fresh();
    (void)state;
    bs_bars_draw(&(bs_bars){.title = "bars", .bar = bar, .n = 3, .digits = 1}, &b);
    assert_int_equal(count(b.data, "<rect"), 2);
    assert_non_null(strstr(b.data, "k1")); /* below zero */
    assert_non_null(strstr(b.data, "&hellip;"));
    html_check_nesting(b.data);
    bs_buf_free(&b);
}

/* Characters of two bytes; one of the names would be cut within one if bytes were counted. */
static void names_are_cut_between_characters(void **state)
{
    char         even[121] = "", odd[122] = "a";
    const bs_bar bar[] = {{.name = even, .value = 1}, {.name = odd, .value = 2}};
    bs_buf       b = fresh();
    (void)state;
    for (int i = 0; i < 60; i++)
        memcpy(even + 2 * i, "\xc3\xa9", 2);
    memcpy(odd + 1, even, sizeof even);
    bs_bars_draw(&(bs_bars){.bar = bar, .n = 2}, &b);
    assert_int_equal(count(b.data, "\xc3\xa9&hellip;"), 2);
    assert_null(strstr(b.data, "&#xFFFD;"));
    bs_buf_free(&b);
}

/* Dots lie on the line of their row, and a whisker has a stroke at both ends. */
static void dots_lie_on_their_row(void **state)
{
    const bs_seed_dot dot[] = {{0.97, 1}, {1.97, 2}};
    const bs_strip    row = {.name = "a", .dot = dot, .n = 2, .lo = 1.2, .hi = 1.8};
    bs_buf            b = fresh();
    double            from, to, y, x;
    int               n = 0;
    (void)state;
    bs_strips_draw(&(bs_strips){.strip = &row, .n = 1, .line = NAN}, &b);
    const char *at = strstr(b.data, "class=\"row\"");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "class=\"row\" x1=\"%lf\" y1=\"%lf\" x2=\"%lf\"", &from, &y, &to),
                     3);
    for (; (at = strstr(at, " cx=\"")); at++, n++) {
        assert_int_equal(sscanf(at, " cx=\"%lf\"", &x), 1);
        assert_true(x >= from && x <= to);
    }
    assert_int_equal(n, 2);
    assert_int_equal(count(b.data, "class=\"whisker\""), 3);
    bs_buf_free(&b);
}

/* ---- maps ---- */

static float *grid_of(int rows, int cols)
{
    float *v = bs_calloc((size_t)rows * (size_t)cols, sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < rows * cols; i++)
        v[i] = i % 7 == 0 ? (float)(i % 11) : 0;
    v[1] = NAN;
    return v;
}

static void draw_map(int n, bool diverging, bs_buf *b)
{
    static char        text[983][16];
    static const char *name[983];
    float             *v = grid_of(n, n);
    for (int i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "label \"%d\"", i);
        name[i] = text[i];
    }
    bs_heat_draw(&(bs_heat){.title = "map",
                            .row_title = "true",
                            .col_title = "predicted",
                            .rows = n,
                            .cols = n,
                            .value = v,
                            .row_name = name,
                            .diverging = diverging},
                 b);
    bs_free(v);
}

/* Every rectangle lies in the picture, and the rightmost and the lowest end near its edges. */
static void cells_fill_the_picture(const char *svg)
{
    int    width, height, n = 0;
    double x, y, w, h, right = 0, low = 0;
    assert_int_equal(sscanf(svg, "<svg viewBox=\"0 0 %d %d\"", &width, &height), 2);
    const char *end = strstr(svg, "</svg>");
    for (const char *at = svg; (at = strstr(at, "<rect ")) && at < end; at++) {
        const char *px = strstr(at, " x=\"");
        assert_int_equal(
            sscanf(px, " x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &x, &y, &w, &h), 4);
        right = fmax(right, x + w);
        low = fmax(low, y + h);
        n++;
    }
    assert_int_equal(n, 100);
    assert_true(right <= width && right > width - 20);
    assert_true(low <= height && low > height - 20);
}

static void small_maps_have_all_names(void **state)
{
    bs_buf b = fresh();
    (void)state;
    draw_map(10, true, &b);
    for (int i = 0; i < 10; i++) {
        char name[32];
        snprintf(name, sizeof name, ">label &quot;%d&quot;</text>", i);
        assert_int_equal(count(b.data, name), 2);
    }
    assert_null(strstr(b.data, "canvas"));
    assert_int_equal(count(b.data, "class=\"empty cell\""), 1);
    cells_fill_the_picture(strstr(b.data, "<svg "));
    html_check_nesting(b.data);
    bs_buf_free(&b);
}

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char       *at = strchr(digits, c);
    return at && c ? (int)(at - digits) : -1;
}

/* Unpacks what the script unpacks, and compares with the numbers. */
static void large_maps_keep_every_cell(void **state)
{
    enum { N = 159 };
    bs_buf b = fresh();
    (void)state;
    draw_map(N, false, &b);
    float      *v = grid_of(N, N);
    const char *at = strstr(b.data, "data-m=\"");
    int         cell = 0, byte = 0, bits = 0;
    assert_non_null(at);
    for (at += strlen("data-m=\""); digit_of(*at) >= 0; at++) {
        byte = (byte << 6 | digit_of(*at)) & 0xffff;
        bits += 6;
        if (bits < 8)
            continue;
        const int value = byte >> (bits - 8) & 255;
        bits -= 8;
        assert_true(cell < N * N);
        const double want = (double)v[cell++], got = (value - 1) / 254.0 * 10;
        assert_true(isnan(want) ? value == 0 : fabs(got - want) < 0.03);
    }
    assert_int_equal(cell, N * N);
    bs_free(v);
    bs_buf_free(&b);
}

static void huge_maps_show_some_names(void **state)
{
    bs_buf b = fresh();
    (void)state;
    draw_map(983, false, &b);
    assert_in_range(count(b.data, "</text>"), 60, 200);
    assert_non_null(strstr(b.data, "label \\&quot;982\\&quot;")); /* but the script knows all */
    assert_true(b.len < 2u << 20);
    html_check_nesting(b.data);
    bs_buf_free(&b);
}

/* ---- pages ---- */

static void whole_page(bs_buf *b)
{
    const double      y[] = {1, 2, 3};
    const bs_seed_dot dot[] = {{1, 7}, {2, 8}};
    const bs_series   s = {.name = "s", .y = y, .n = 3};
    const bs_strip    row = {.name = "method", .dot = dot, .n = 2, .lo = 1, .hi = 2};
    const bs_column   column[] = {{.name = "name", .text = true},
                                  {.name = "a", .group = "both", .first = true},
                                  {.name = "b", .group = "both", .help = "what \"b\" is"},
                                  {.name = "c", .group = "other"}};
    bs_doc            d = {.page = b};
    bs_page_begin("A <page>", "about & more", b);
    bs_page_heading(2, "1 < 2", b);
    bs_page_say(b, "note", "%d%%", 5);
    bs_doc_list_begin(&d);
    bs_doc_item(&d, "key", "%s", "<value>");
    bs_doc_list_end(&d);
    BS_TABLE(&d, NULL, column, BS_TABLE_SORTED | BS_TABLE_LONG);
    BS_ROW(&d, bs_cell_name("x"), bs_cell_number(1.5, 2), bs_cell_number(NAN, 2), bs_cell_count(7));
    bs_doc_table_end(&d);
    bs_page_details_begin("more", false, b);
    bs_page_chip("label", "missed", "why", b);
    bs_page_details_end(b);
    bs_page_grid_begin(b);
    bs_chart_draw(&(bs_chart){.series = &s, .n = 1}, b);
    bs_strips_draw(&(bs_strips){.title = "dots", .strip = &row, .n = 1, .line = 1.5}, b);
    bs_page_grid_end(b);
    bs_page_png((const unsigned char *)"png", 3, 8, 8, "picture", b);
    draw_map(50, false, b);
    bs_page_end(b);
}

static void pages_are_well_formed_and_alone(void **state)
{
    bs_buf b = fresh();
    (void)state;
    whole_page(&b);
    assert_false(b.failed);
    html_check_nesting(b.data);
    html_check_alone(b.data);
    assert_non_null(strstr(b.data, "<title>A &lt;page&gt;</title>"));
    assert_non_null(strstr(b.data, "colspan=\"2\">both</th>"));
    assert_non_null(strstr(b.data, "<td data-v=\"\">&ndash;</td>"));
    assert_non_null(strstr(b.data, "<footer>basin " BASIN_VERSION "</footer>"));
    bs_buf_free(&b);
}

/* ---- documents ---- */

/* A table with every kind of cell, in three forms. */
static void tell(bs_doc *d)
{
    static const bs_column column[] = {{.name = "name", .text = true, .key = "name"},
                                       {.name = "F1 %", .first = true, .key = "f1"},
                                       {.name = "diff", .key = "diff"},
                                       {.name = "more", .only = BS_COLUMN_PAGE, .key = "more"}};
    bs_cell                diff = bs_cell_as("better", 0.25, 2), name = bs_cell_name("a<b");
    diff.sign = true;
    diff.lo = -0.5;
    diff.hi = 1;
    name.after = "base";
    bs_doc_say(d, "verdict", "It is best.");
    bs_doc_list_begin(d);
    bs_doc_item(d, "key", "%d %%", 5);
    bs_doc_list_end(d);
    BS_TABLE(d, "rows", column, 0);
    BS_ROW(d, name, bs_cell_percent(0.5), diff, bs_cell_text("long"));
    BS_ROW(d, bs_cell_name("longer"), bs_cell_spread(1, 0.125, 1), bs_cell_number(NAN, 2),
           {.kind = BS_CELL_HTML, .text = "<i>i</i>", .as = "wrap"});
    BS_ROW(d, bs_cell_name("bad"), {.kind = BS_CELL_CROSS, .text = "why <", .as = "failed"});
    BS_ROW(d, bs_cell_name("last"), bs_cell_count(3), bs_cell_number(-0.001, 2),
           bs_cell_of(BS_CELL_WRAP, NULL));
    bs_doc_table_end(d);
    bs_doc_details_begin(d, "asked for", false);
    bs_doc_say(d, "", "only on the page");
    bs_doc_details_end(d);
    bs_doc_heading(d, 2, "End");
}

static void documents_have_three_forms(void **state)
{
    bs_buf text = fresh(), page = fresh(), json = fresh();
    bs_doc d = {.text = &text, .page = &page, .json = &json};
    (void)state;
    bs_json_open(&json, NULL, '{');
    tell(&d);
    bs_json_close(&json, '}');
    assert_string_equal(text.data, "It is best.\n"
                                   "\n"
                                   "  key           5 %\n"
                                   "  name         F1 %   diff\n"
                                   "  a<b         50.00  +0.25\n"
                                   "  longer  1.0 \xc2\xb1 0.1      -\n"
                                   "  bad        failed\n"
                                   "  last            3   0.00\n"
                                   "\nEnd\n");
    assert_string_equal(
        json.data,
        "{\"rows\": [{\"name\": \"a<b\", \"f1\": 0.5, \"diff\": 0.25, \"more\": \"long\"}, "
        "{\"name\": \"longer\", \"f1\": 1, \"diff\": null, \"more\": \"<i>i</i>\"}, "
        "{\"name\": \"last\", \"f1\": 3, \"diff\": -0.001, \"more\": \"?\"}]}");
    static const char *const parts[] = {
        "<p class=\"verdict\">It is best.</p>",
        "<dt>key</dt><dd>5 %</dd>",
        "<tr><td class=\"name\">a&lt;b <span class=\"tag\">base</span></td>"
        "<td class=\"first\" data-v=\"0.5\">50.00</td>"
        "<td class=\"better\" data-v=\"0.25\">+0.25 <span class=\"range\">[-0.50, +1.00]</span>"
        "</td>"
        "<td class=\"text\">long</td></tr>",
        "<td class=\"first\" data-v=\"1\">1.0 <span class=\"range\">&plusmn; 0.1</span></td>",
        "<td class=\"wrap\"><i>i</i></td>",
        "<td class=\"first failed\" data-v=\"\" colspan=\"3\">why &lt;</td></tr>",
        "<p>only on the page</p>"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_non_null(strstr(page.data, parts[i]));
    bs_buf_free(&text);
    bs_buf_free(&page);
    bs_buf_free(&json);
}

/* Markdown has bars and no indentation; a terminal may get the first rows alone. */
static void documents_can_be_brief(void **state)
{
    bs_buf text = fresh();
    bs_doc d = {.text = &text, .markdown = true};
    (void)state;
    tell(&d);
    assert_non_null(strstr(text.data,
                           "| name   |      F1 % |  diff |\n|--------|----------:|------:|\n"
                           "| a<b    |     50.00 | +0.25 |\n"));
    bs_buf_clear(&text);
    d = (bs_doc){.text = &text, .brief = 1};
    tell(&d);
    assert_non_null(strstr(text.data, "  a<b   50.00  +0.25\n  ... 3 more\n"));
    bs_buf_free(&text);
}

static void a_lack_of_memory_stays_with_the_buffer(void **state)
{
    const long live = bs_mem_live();
    (void)state;
    for (long n = 1; n < 40; n++) {
        bs_buf b = fresh();
        bs_page_begin("t", NULL, &b);
        bs_mem_fail_at(n);
        bs_page_say(&b, "", "%s", "text");
        bs_chart_draw(&(bs_chart){.title = "empty"}, &b);
        for (int i = 0; i < 4000; i++)
            bs_page_chip("label", "", NULL, &b);
        bs_mem_fail_at(0);
        const bool failed = b.failed;
        bs_page_end(&b);
        bs_buf_free(&b);
        assert_int_equal(bs_mem_live(), live);
        if (!failed)
            return;
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_our_style_and_scripts_are_allowed),
        cmocka_unit_test(hashes_are_those_of_the_standard),
        cmocka_unit_test(foreign_text_shows_as_itself),
        cmocka_unit_test(numbers_are_short_and_round),
        cmocka_unit_test(base64_is_the_usual_one),
        cmocka_unit_test(marks_are_few_and_differ),
        cmocka_unit_test(log_axes_mark_round_numbers),
        cmocka_unit_test(gaps_interrupt_lines_and_bands),
        cmocka_unit_test(long_series_stay_small),
        cmocka_unit_test(bars_have_names_and_signs),
        cmocka_unit_test(names_are_cut_between_characters),
        cmocka_unit_test(dots_lie_on_their_row),
        cmocka_unit_test(small_maps_have_all_names),
        cmocka_unit_test(large_maps_keep_every_cell),
        cmocka_unit_test(huge_maps_show_some_names),
        cmocka_unit_test(pages_are_well_formed_and_alone),
        cmocka_unit_test(documents_have_three_forms),
        cmocka_unit_test(documents_can_be_brief),
        cmocka_unit_test(a_lack_of_memory_stays_with_the_buffer),
    };
    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
