/* cell.c -- parses single cells of tables. Functions look at the text alone: readers agree. */
#include "data/rows/cell.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "data/scan.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* --- yes and no ---------------------------------------------------------- */

/* One of the words of "ja,oui". */
static bool in_words(const char *list, const char *text, size_t len)
{
    while (*list) {
        char        word[BS_OPTION_TEXT];
        size_t      n = strcspn(list, ",");
        const char *start = bs_skip_blanks(list);
        size_t      used = start < list + n ? bs_trim(start, (size_t)(list + n - start)) : 0;
        bs_print(word, sizeof word, "%.*s", (int)used, start);
        if (used && bs_same_word(text, len, word))
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}

int bs_cell_truth(const bs_read_options *o, const char *text, size_t len)
{
    if (*o->yes && in_words(o->yes, text, len))
        return 1;
    if (*o->no && in_words(o->no, text, len))
        return 0;
    return bs_truth(text, len);
}

/* --- numbers ------------------------------------------------------------- */

bool bs_cell_number(const char *text, size_t len, char decimal, double *out)
{
    const char group = decimal == ',' ? '.' : ',';
    char       copy[64];
    size_t     n = 0, digits = 0;
    bool       grouped = false, behind = false;
    if (len >= sizeof copy)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == group && !behind && digits > 0 && digits <= 3 && (!grouped || digits == 3)) {
            grouped = true;
            digits = 0;
            continue;
        }
        if (text[i] == group || (text[i] == decimal && behind))
            return false;
        if ((text[i] == decimal || text[i] == 'e' || text[i] == 'E') && !behind) {
            if (grouped && digits != 3)
                return false;
            behind = true;
        }
        digits += is_digit(text[i]);
        copy[n++] = text[i] == decimal ? '.' : text[i];
    }
    if (grouped && !behind && digits != 3)
        return false;
    copy[n] = '\0';
    const char *end = bs_scan_double(copy, out);
    return end && end == copy + n;
}

bool bs_cell_ambiguous(const char *text, size_t len)
{
    const char  *comma = memchr(text, ',', len);
    const size_t sign = len && (*text == '-' || *text == '+');
    const size_t before = comma ? (size_t)(comma - text) - sign : 0;
    if (before < 1 || before > 3 || len - sign - before != 4 || text[sign] == '0')
        return false;
    for (size_t i = sign; i < len; i++)
        if (text + i != comma && !is_digit(text[i]))
            return false;
    return true;
}

/* --- formulas ------------------------------------------------------------ */

bool bs_cell_formula(const char *text, size_t len)
{
    double number;
    while (len && *text == ' ') {
        text++;
        len--;
    }
    if (!len || !memchr("=+-@\t\r\n", *text, 7))
        return false;
    const bool plain =
        bs_cell_number(text, len, '.', &number) || bs_cell_number(text, len, ',', &number);
    return !plain || !isfinite(number);
}

const char *bs_cell_guard(bool safe, const char *text, size_t len)
{
    return safe && bs_cell_formula(text, len) ? "'" : "";
}

/* --- dates --------------------------------------------------------------- */

bool bs_cell_date(const char *text, size_t len)
{
    int    part[3] = {0, 0, 0}, size[3] = {0, 0, 0};
    size_t i = 0;
    char   mark = '\0';
    for (int k = 0; k < 3; k++) {
        for (; i < len && is_digit(text[i]) && size[k] < 5; i++, size[k]++)
            part[k] = 10 * part[k] + (text[i] - '0');
        if (k == 2)
            break;
        if (i >= len || !strchr("-/.", text[i]) || (mark && text[i] != mark))
            return false;
        mark = text[i++];
    }
    const bool year_first = size[0] == 4 && size[1] <= 2 && size[2] <= 2;
    const bool year_last = size[0] <= 2 && size[1] <= 2 && (size[2] == 4 || size[2] == 2);
    if (!size[0] || !size[1] || !size[2] || (!year_first && !year_last))
        return false;
    const int a = year_first ? part[1] : part[0], b = year_first ? part[2] : part[1];
    if (a < 1 || b < 1 || a > 31 || b > 31 || (a > 12 && b > 12))
        return false;
    if (i < len && text[i] != 'T' && text[i] != ' ')
        return false;
    for (i += i < len; i < len; i++)
        if (!is_digit(text[i]) && !strchr(":.+-Z APMapm", text[i]))
            return false;
    return true;
}

/* --- lists --------------------------------------------------------------- */

bs_list bs_list_begin(const char *text, size_t len)
{
    const char open = len ? *text : '\0';
    return (bs_list){.p = text + (len > 0),
                     .end = text + len,
                     .close = open == '('   ? ')'
                              : open == '{' ? '}'
                                            : ']'};
}

static int hex(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* After a backslash: \xHH, \uHHHH and \UHHHHHHHH are characters, n and t become blanks. */
static bool take_escape(bs_list *l, bs_buf *item)
{
    const char c = *l->p++;
    const int  digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t   v = 0;
    char       bytes[4];
    if (l->end - l->p < digits)
        return false;
    for (int i = 0; i < digits; i++) {
        int h = hex(*l->p++);
        if (h < 0)
            return false;
        v = v << 4 | (uint32_t)h;
    }
    if (digits)
        bs_buf_add(item, bytes, (size_t)(bs_utf8_put(bytes, v) - bytes));
    else
        bs_buf_add(item, strchr("nrt", c) ? " " : &c, 1);
    return true;
}

static bool take_quoted(bs_list *l, bs_buf *item)
{
    const char quote = *l->p++;
    while (l->p < l->end && *l->p != quote) {
        if (*l->p == '\\' && l->p + 1 < l->end) {
            l->p++;
            if (!take_escape(l, item))
                return false;
        } else {
            bs_buf_add(item, l->p++, 1);
        }
    }
    return l->p++ < l->end;
}

bool bs_list_next(bs_list *l, bs_buf *item)
{
    while (!l->wrong) {
        bs_buf_clear(item);
        while (l->p < l->end && strchr(" \t\r\n,", *l->p) && *l->p)
            l->p++;
        if (l->p >= l->end || *l->p == l->close) {
            l->wrong = l->p + 1 != l->end;
            return false;
        }
        if (strchr("'\"", *l->p)) {
            l->wrong = !take_quoted(l, item);
            return !l->wrong && !item->failed;
        }
        const char *start = l->p;
        while (l->p < l->end && !strchr(" \t\r\n,'\"[](){}:", *l->p))
            l->p++;
        const size_t n = (size_t)(l->p - start);
        l->wrong = n == 0;
        if (n == 0 || bs_is_missing(start, n))
            continue;
        bs_buf_add(item, start, n);
        return !item->failed;
    }
    return false;
}
