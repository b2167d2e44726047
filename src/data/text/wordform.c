/* wordform.c -- folds and classifies words by the tables of Unicode, the same in every locale. */
#include "data/text/wordform.h"

#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"

/* --- characters ---------------------------------------------------------- */

size_t bs_char_next(const char *text, size_t left, uint32_t *code)
{
    utf8proc_int32_t c = 0;
    const size_t     n = bs_utf8_len(text, left);
    if (n > 0)
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)n, &c);
    *code = c > 0 ? (uint32_t)c : 0xFFFD;
    return c > 0 ? n : 1;
}

size_t bs_char_put(uint32_t c, char out[4])
{
    return (size_t)(bs_utf8_put(out, c) - out);
}

uint32_t bs_char_lower(uint32_t c)
{
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_ascii_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* --- mentions and links -------------------------------------------------- */

static bool is_name_char(char c)
{
    return is_ascii_letter(c) || is_digit((unsigned char)c) || c == '_';
}

/* The mark followed by at least one letter, digit or _. */
static bool is_marked(char mark, const char *text, size_t len)
{
    if (len < 2 || text[0] != mark)
        return false;
    for (size_t i = 1; i < len; i++)
        if (!is_name_char(text[i]) && !(mark == '#' && (unsigned char)text[i] >= 0x80))
            return false;
    return true;
}

static bool begins(const char *text, size_t len, const char *small)
{
    size_t i = 0;
    for (; small[i]; i++)
        if (i == len || bs_char_lower((unsigned char)text[i]) != (unsigned char)small[i])
            return false;
    return true;
}

/* The host of a link in text: after http:// or https://, after www., or one that ends in a
 * top-level domain followed by a path (bit.ly/x; not and/or, 1.5/2, a.m./p.m.). */
static bool find_host(const char *text, size_t len, size_t *from, size_t *to)
{
    size_t at = begins(text, len, "http://") ? 7 : begins(text, len, "https://") ? 8 : 0;
    bool   sure = at > 0;
    if (begins(text + at, len - at, "www.") && len - at > 4) {
        at += 4;
        sure = true;
    }
    size_t end = at, top = at;
    for (; end < len && (is_name_char(text[end]) || text[end] == '-' || text[end] == '.'); end++)
        if (text[end] == '.')
            top = end + 1;
    *from = at;
    *to = end;
    if (sure)
        return true;
    if (end == len || text[end] != '/' || top == at || end - top < 2)
        return false;
    for (size_t i = top; i < end; i++)
        if (!is_ascii_letter(text[i]))
            return false;
    return true;
}

static bool is_link(const char *text, size_t len)
{
    size_t from, to;
    return find_host(text, len, &from, &to);
}

/* --- forms --------------------------------------------------------------- */

static size_t put_fixed(const char *text, char out[BS_FORM_MAX + 1])
{
    size_t n = strlen(text);
    memcpy(out, text, n + 1);
    return n;
}

static bool is_fixed(const char *fixed, const char *text, size_t len)
{
    return len == strlen(fixed) && memcmp(text, fixed, len) == 0;
}

size_t bs_wordform(const bs_fold *fold, const char *text, size_t len, char out[BS_FORM_MAX + 1])
{
    static const bs_fold nothing;
    if (!fold)
        fold = &nothing;
    if (fold->tweets && is_fixed(BS_FORM_MENTION, text, len))
        return put_fixed(BS_FORM_MENTION, out);
    if (fold->tweets && is_fixed(BS_FORM_LINK, text, len))
        return put_fixed(BS_FORM_LINK, out);
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        uint32_t c;
        char     bytes[4];
        i += bs_char_next(text + i, len - i, &c);
        if (fold->lower)
            c = bs_char_lower(c);
        if (fold->digits && is_digit(c))
            c = '0';
        size_t k = bs_char_put(c, bytes);
        if (n + k > BS_FORM_MAX)
            break;
        memcpy(out + n, bytes, k);
        n += k;
    }
    out[n] = '\0';
    /* Checked last: a folded or cut word may be a mention where the original was not. */
    if (fold->tweets && is_marked('@', out, n))
        return put_fixed(BS_FORM_MENTION, out);
    if (fold->tweets && is_link(out, n))
        return put_fixed(BS_FORM_LINK, out);
    return n;
}

/* Adds out[n] unless it is already there. */
static int keep_new(bs_spelling *out, int n)
{
    for (int i = 0; i < n; i++)
        if (out[i].len == out[n].len && memcmp(out[i].text, out[n].text, out[n].len) == 0)
            return n;
    return n + 1;
}

static int add_fixed(bs_spelling *out, int n, const char *text)
{
    out[n].len = put_fixed(text, out[n].text);
    return keep_new(out, n);
}

/* "<URL-bit.ly>", as in the clusters of ark-tweet-nlp; returns n if there is no host. */
static int add_host(bs_spelling *out, int n, const bs_fold *fold, const char *text, size_t len)
{
    size_t from, to;
    if (!fold->tweets || !find_host(text, len, &from, &to) || to - from > 100)
        return n;
    char *p = out[n].text;
    memcpy(p, "<URL-", 5);
    p += 5;
    for (size_t i = from; i < to; i++)
        *p++ = (char)bs_char_lower((unsigned char)text[i]);
    *p++ = '>';
    *p = '\0';
    out[n].len = (size_t)(p - out[n].text);
    return keep_new(out, n);
}

int bs_spellings(const bs_fold *fold, const char *text, size_t len, bs_spelling out[BS_SPELLINGS])
{
    static const bs_fold small = {.lower = true}, plain = {.lower = true, .digits = true};
    int                  n = 0;
    out[n].len = bs_wordform(NULL, text, len, out[n].text);
    n = keep_new(out, n);
    n = add_host(out, n, fold, text, len);
    out[n].len = bs_wordform(fold, text, len, out[n].text);
    const char *form = out[n].text;
    size_t      form_len = out[n].len;
    n = keep_new(out, n);
    if (fold->tweets && is_fixed(BS_FORM_MENTION, form, form_len))
        return add_fixed(out, n, "<user>");
    if (fold->tweets && is_fixed(BS_FORM_LINK, form, form_len)) {
        n = add_fixed(out, n, "<URL->");
        return add_fixed(out, n, "<url>");
    }
    out[n].len = bs_wordform(&small, text, len, out[n].text);
    n = keep_new(out, n);
    out[n].len = bs_wordform(&plain, text, len, out[n].text);
    return keep_new(out, n);
}

int32_t bs_find_spelling(const bs_names *names, const bs_fold *fold, const char *text, size_t len)
{
    int32_t found = bs_names_find(names, text, len);
    if (found >= 0)
        return found;
    bs_spelling spelling[BS_SPELLINGS];
    int         n = bs_spellings(fold, text, len, spelling);
    for (int i = 0; i < n && found < 0; i++)
        found = bs_names_find(names, spelling[i].text, spelling[i].len);
    return found;
}

/* --- what it looks like -------------------------------------------------- */

const char *const bs_case_names[BS_CASE_COUNT] = {
    [BS_CASE_LOWER] = "lower",
    [BS_CASE_TITLE] = "Title",
    [BS_CASE_UPPER] = "UPPER",
    [BS_CASE_MIXED] = "mixed",
    [BS_CASE_INITIAL] = "initial",
    [BS_CASE_ALNUM] = "alnum",
    [BS_CASE_DIGITS] = "digits",
    [BS_CASE_NUMBER] = "number",
    [BS_CASE_PUNCTUATION] = "punctuation",
    [BS_CASE_MENTION] = "mention",
    [BS_CASE_HASHTAG] = "hashtag",
    [BS_CASE_LINK] = "link",
    [BS_CASE_OTHER] = "other",
};

bs_case bs_word_case(const char *text, size_t len)
{
    size_t large = 0, small = 0, caseless = 0, digits = 0, signs = 0, symbols = 0;
    bool   first_large = false;
    if (is_marked('@', text, len))
        return BS_CASE_MENTION;
    if (is_link(text, len))
        return BS_CASE_LINK;
    for (size_t i = 0; i < len;) {
        uint32_t c;
        i += bs_char_next(text + i, len - i, &c);
        switch (utf8proc_category((utf8proc_int32_t)c)) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LT:
            first_large = first_large || large + small + caseless == 0;
            large++;
            break;
        case UTF8PROC_CATEGORY_LL: small++; break;
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC: caseless++; break;
        case UTF8PROC_CATEGORY_ND: digits++; break;
        case UTF8PROC_CATEGORY_PC:
        case UTF8PROC_CATEGORY_PD:
        case UTF8PROC_CATEGORY_PS:
        case UTF8PROC_CATEGORY_PE:
        case UTF8PROC_CATEGORY_PI:
        case UTF8PROC_CATEGORY_PF:
        case UTF8PROC_CATEGORY_PO: signs++; break;
        default: *(c < 0x80 ? &signs : &symbols) += 1; break;
        }
    }
    size_t letters = large + small + caseless;
    if (letters && is_marked('#', text, len))
        return BS_CASE_HASHTAG;
    if (letters && digits)
        return BS_CASE_ALNUM;
    if (digits)
        return signs || symbols ? BS_CASE_NUMBER : BS_CASE_DIGITS;
    if (letters == 0)
        return signs && !symbols ? BS_CASE_PUNCTUATION : BS_CASE_OTHER;
    if (large == 0)
        return small ? BS_CASE_LOWER : BS_CASE_OTHER;
    if (small == 0)
        return large == 1 ? BS_CASE_INITIAL : BS_CASE_UPPER;
    return first_large && large == 1 ? BS_CASE_TITLE : BS_CASE_MIXED;
}
