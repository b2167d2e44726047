/* page.c -- the parts of a page: head and foot, text, lists, tables, boxes. */
#include "doc/page.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/opt.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "doc/page_part.h"

void bs_page_put(const char *html, bs_buf *out)
{
    if (out)
        bs_buf_text(out, html);
}

/* ---- text ---- */

static void escape_char(const char *at, size_t n, bs_buf *out)
{
    switch (*at) {
    case '&': bs_buf_text(out, "&amp;"); return;
    case '<': bs_buf_text(out, "&lt;"); return;
    case '>': bs_buf_text(out, "&gt;"); return;
    case '"': bs_buf_text(out, "&quot;"); return;
    case '\'': bs_buf_text(out, "&#39;"); return;
    }
    if ((unsigned char)*at < 0x20 || *at == 0x7f)
        bs_buf_text(out, " ");
    else
        bs_buf_add(out, at, n);
}

void bs_page_escape_n(const char *text, size_t n, bs_buf *out)
{
    while (n > 0) {
        size_t len = bs_utf8_len(text, n);
        if (len == 0) {
            bs_buf_text(out, "&#xFFFD;");
            len = 1;
        } else {
            escape_char(text, len, out);
        }
        text += len;
        n -= len;
    }
}

void bs_page_escape(const char *text, bs_buf *out)
{
    bs_page_escape_n(text, strlen(text), out);
}

void bs_page_wrap(const char *before, const char *text, const char *after, bs_buf *out)
{
    if (!out)
        return;
    bs_buf_text(out, before);
    bs_page_escape(text, out);
    bs_buf_text(out, after);
}

void bs_page_help(const char *text, bs_buf *out)
{
    if (text)
        bs_page_wrap(" title=\"", text, "\"", out);
}

int bs_page_width(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

/* ---- numbers ---- */

const char *bs_fixed(double v, int digits, char text[BS_FIXED_TEXT])
{
    digits = digits < 0 ? 0 : digits > 9 ? 9 : digits;
    if (!isfinite(v) || fabs(v) >= 1e9) {
        bs_format_double(v, text);
        return text;
    }
    bs_print(text, BS_FIXED_TEXT, "%.*f", digits, v);
    if (*text == '-' && !text[strspn(text, "-0.")]) /* nothing is left of it */
        memmove(text, text + 1, strlen(text));
    return text;
}

static void cut_zeros(char *text)
{
    char *end = text + strlen(text);
    if (!strchr(text, '.') || strchr(text, 'e'))
        return;
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
}

const char *bs_short(double v, int digits, char text[BS_FIXED_TEXT])
{
    const int power = isfinite(v) && fabs(v) > 0 ? (int)floor(log10(fabs(v))) : 0;
    if (!isfinite(v)) {
        bs_format_double(v, text);
    } else if (power >= -4 && power < 9) {
        bs_fixed(v, digits - 1 - power, text);
        cut_zeros(text);
    } else {
        bs_print(text, BS_FIXED_TEXT, "%.*g", digits, v);
    }
    return text;
}

void bs_page_px(const char *name, double v, bs_buf *out)
{
    char text[BS_FIXED_TEXT];
    bs_fixed(v, 1, text);
    cut_zeros(text);
    bs_buf_printf(out, " %s=\"%s\"", name, text);
}

/* ---- the page ---- */

/* 'sha256-...': the browser only runs what has this hash. */
static void allow(const char *text, bs_buf *out)
{
    unsigned char hash[BS_SHA256];
    bs_sha256(text, strlen(text), hash);
    bs_buf_text(out, " 'sha256-");
    bs_page_base64(hash, sizeof hash, out);
    bs_buf_text(out, "'");
}

/* Nothing is fetched; style and scripts are ours only. Attributes with style or script have no hash
 * and are ignored: classes, SVG attributes and page_script.c replace them. */
static void policy(bs_buf *out)
{
    bs_buf_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "base-uri 'none'; form-action 'none'; img-src data:; style-src");
    allow(bs_page_style, out);
    bs_buf_text(out, "; script-src");
    allow(bs_page_first, out);
    allow(bs_page_script, out);
    bs_buf_text(out, "\">\n");
}

void bs_page_begin(const char *title, const char *about, bs_buf *out)
{
    if (!out)
        return;
    bs_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    policy(out);
    bs_buf_text(out, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                     "<link rel=\"icon\" href=\"data:,\">\n");
    bs_page_wrap("<title>", title, "</title>\n<style>", out);
    bs_buf_text(out, bs_page_style);
    bs_buf_text(out, "</style>\n<script>");
    bs_buf_text(out, bs_page_first);
    bs_page_wrap("</script></head>\n<body>\n<header><h1>", title, "</h1>\n", out);
    if (about)
        bs_page_wrap("<p class=\"quiet\">", about, "</p>\n", out);
    bs_buf_text(out, "<button id=\"theme\" type=\"button\" hidden>theme</button></header>\n"
                     "<nav aria-label=\"contents\"></nav>\n");
}

void bs_page_end(bs_buf *out)
{
    bs_page_put("<footer>basin " BASIN_VERSION "</footer>\n<script>", out);
    bs_page_put(bs_page_script, out);
    bs_page_put("</script>\n</body></html>\n", out);
}

void bs_page_heading(int level, const char *text, bs_buf *out)
{
    bs_page_wrap(level < 3 ? "<h2>" : "<h3>", text, level < 3 ? "</h2>\n" : "</h3>\n", out);
}

/* Overlong text is cut visibly. */
void bs_page_say(bs_buf *out, const char *kind, const char *fmt, ...)
{
    char    text[4096];
    va_list args;
    if (!out)
        return;
    va_start(args, fmt);
    const int n = bs_vprint(text, sizeof text, fmt, args);
    va_end(args);
    bs_buf_printf(out, *kind ? "<p class=\"%s\"" : "<p", kind);
    bs_page_wrap(">", text, n >= (int)sizeof text ? " ...</p>\n" : "</p>\n", out);
}

/* ---- boxes ---- */

void bs_page_details_begin(const char *summary, bool open, bs_buf *out)
{
    bs_page_wrap(open ? "<details open><summary>" : "<details><summary>", summary, "</summary>\n",
                 out);
}

void bs_page_details_end(bs_buf *out)
{
    bs_page_put("</details>\n", out);
}

void bs_page_grid_begin(bs_buf *out)
{
    bs_page_put("<div class=\"grid\">\n", out);
}

void bs_page_grid_end(bs_buf *out)
{
    bs_page_put("</div>\n", out);
}

void bs_page_chip(const char *text, const char *kind, const char *help, bs_buf *out)
{
    bs_buf_printf(out, "<span class=\"chip%s%s\"", *kind ? " " : "", kind);
    bs_page_help(help, out);
    bs_page_wrap(">", text, "</span>", out);
}

/* ---- pictures ---- */

void bs_page_base64(const unsigned char *bytes, size_t n, bs_buf *out)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const size_t   left = n - i;
        const unsigned word = (unsigned)bytes[i] << 16 |
                              (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? bytes[i + 2] : 0);
        char four[4] = {digit[word >> 18], digit[word >> 12 & 63],
                        left > 1 ? digit[word >> 6 & 63] : '=', left > 2 ? digit[word & 63] : '='};
        bs_buf_add(out, four, 4);
    }
}

void bs_page_png(const unsigned char *bytes, size_t n, int width, int height, const char *alt,
                 bs_buf *out)
{
    bs_buf_printf(out, "<img class=\"pixel\" width=\"%d\" height=\"%d\"", width, height);
    bs_page_wrap(" alt=\"", alt, "\" src=\"data:image/png;base64,", out);
    bs_page_base64(bytes, n, out);
    bs_buf_text(out, "\">");
}
