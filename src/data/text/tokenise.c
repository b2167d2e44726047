/* tokenise.c -- the rules of tokenise.h over classes of characters. The classes come from a short
 * table of code point ranges, not from a locale. */
#include "data/text/tokenise.h"

#include <stdint.h>

#include "data/text/wordform.h"

typedef enum { BLANK, LETTER, DIGIT, ALONE, SIGN } class;

typedef struct {
    uint32_t first, last;
    class is;
} range;

/* Of non-ASCII characters, in order; everything else is a letter. */
static const range ranges[] = {
    {0x80, 0x84, SIGN},        {0x85, 0x85, BLANK},
    {0x86, 0x9f, SIGN},        {0xa0, 0xa0, BLANK},
    {0xa1, 0xa9, SIGN},        {0xab, 0xac, SIGN}, /* a soft hyphen is part of a word */
    {0xae, 0xb1, SIGN},        {0xb4, 0xb4, SIGN},
    {0xb6, 0xb8, SIGN},        {0xbb, 0xbb, SIGN},
    {0xbf, 0xbf, SIGN},        {0xd7, 0xd7, SIGN},
    {0xf7, 0xf7, SIGN},        {0x37e, 0x37e, SIGN},
    {0x387, 0x387, SIGN},      {0x55a, 0x55f, SIGN},
    {0x589, 0x58a, SIGN},      {0x5be, 0x5be, SIGN},
    {0x5c0, 0x5c0, SIGN},      {0x5c3, 0x5c3, SIGN},
    {0x5f3, 0x5f4, SIGN},      {0x606, 0x60d, SIGN},
    {0x61b, 0x61f, SIGN},      {0x660, 0x669, DIGIT},
    {0x66a, 0x66d, SIGN},      {0x6d4, 0x6d4, SIGN},
    {0x6f0, 0x6f9, DIGIT},     {0x964, 0x965, SIGN},
    {0x966, 0x96f, DIGIT},     {0xe00, 0xe3a, ALONE}, /* Thai */
    {0xe3f, 0xe4f, ALONE},     {0xe50, 0xe59, DIGIT},
    {0xe5a, 0xe5b, SIGN},      {0xe80, 0xeff, ALONE}, /* Lao */
    {0x1000, 0x109f, ALONE},                          /* Burmese */
    {0x1361, 0x1368, SIGN},    {0x1680, 0x1680, BLANK},
    {0x1780, 0x17ff, ALONE}, /* Khmer */
    {0x2000, 0x200b, BLANK},   {0x2010, 0x2027, SIGN},
    {0x2028, 0x2029, BLANK},   {0x202f, 0x202f, BLANK},
    {0x2030, 0x205e, SIGN},    {0x205f, 0x205f, BLANK},
    {0x207a, 0x207e, SIGN},    {0x208a, 0x208e, SIGN},
    {0x20a0, 0x20cf, SIGN},    {0x2190, 0x2bff, SIGN},
    {0x2e00, 0x2e7f, SIGN},    {0x2e80, 0x2fff, ALONE},
    {0x3000, 0x3000, BLANK},   {0x3001, 0x3004, SIGN},
    {0x3005, 0x3007, ALONE},   {0x3008, 0x3020, SIGN},
    {0x3021, 0x30fa, ALONE},   {0x30fb, 0x30fb, SIGN},
    {0x30fc, 0x312f, ALONE},   {0x31a0, 0x9fff, ALONE},
    {0xf900, 0xfaff, ALONE},   {0xfe10, 0xfe19, SIGN},
    {0xfe30, 0xfe6f, SIGN},    {0xfeff, 0xfeff, BLANK},
    {0xff01, 0xff0f, SIGN},    {0xff10, 0xff19, DIGIT},
    {0xff1a, 0xff20, SIGN},    {0xff3b, 0xff40, SIGN},
    {0xff5b, 0xff65, SIGN},    {0xff66, 0xff9f, ALONE},
    {0xfffd, 0xfffd, SIGN},    {0x1f000, 0x1faff, SIGN},
    {0x20000, 0x3ffff, ALONE},
};

static class class_of(uint32_t code)
{
    size_t low = 0, high = sizeof ranges / sizeof ranges[0];
    if (code < 0x80) {
        if (code <= ' ' || code == 0x7f)
            return BLANK;
        if (code >= '0' && code <= '9')
            return DIGIT;
        const uint32_t lower = code | 0x20;
        return (lower >= 'a' && lower <= 'z') || code == '_' ? LETTER : SIGN;
    }
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (code > ranges[mid].last)
            low = mid + 1;
        else if (code < ranges[mid].first)
            high = mid;
        else
            return ranges[mid].is;
    }
    return LETTER;
}

/* A position in the text. */
typedef struct {
    const char *text;
    size_t      len, at, character;
    uint32_t    code; /* the character there; 0 at the end */
    size_t      bytes;
    class is; /* a blank at the end */
} place;

static void look(place *p)
{
    p->code = 0;
    p->bytes = 0;
    p->is = BLANK;
    if (p->at < p->len) {
        p->bytes = bs_char_next(p->text + p->at, p->len - p->at, &p->code);
        p->is = class_of(p->code);
    }
}

static void step(place *p)
{
    p->at += p->bytes;
    p->character++;
    look(p);
}

static bool is_word(const place *p)
{
    return p->is == LETTER || p->is == DIGIT;
}

static bool is_apostrophe(uint32_t code)
{
    return code == '\'' || code == 0x2019;
}

/* Rules 1 and 2. A number followed by letters ("4th", "10km") is a word. */
static void over_word(place *p)
{
    bool digits = true;
    while (is_word(p)) {
        digits = digits && p->is == DIGIT;
        step(p);
        if (digits && (p->code == '.' || p->code == ',' || p->code == ':')) {
            place behind = *p;
            step(&behind);
            if (behind.is == DIGIT)
                *p = behind;
        }
    }
}

/* Whether a letter or a digit comes before this byte. */
static bool ends_word(const char *text, size_t end)
{
    place p = {.text = text, .len = end, .at = end - 1};
    while (p.at > 0 && ((unsigned char)text[p.at] & 0xc0) == 0x80)
        p.at--;
    look(&p);
    return is_word(&p);
}

/* Rule 3: at an apostrophe after a letter; false: it is an ordinary sign. */
static bool over_clitic(place *p)
{
    place behind = *p;
    int   letters = 0;
    step(&behind);
    for (; behind.is == LETTER && letters < 3; letters++)
        step(&behind);
    if (letters < 1 || letters > 2 || is_word(&behind))
        return false;
    *p = behind;
    return true;
}

bool bs_token_next(const char *text, size_t len, bs_token *next, int *lines)
{
    place p = {.text = text, .len = len, .at = next->end, .character = next->last};
    bool  letter = next->end > 0 && ends_word(text, next->end); /* directly before it */
    *lines = 0;
    look(&p);
    while (p.at < len && p.is == BLANK) {
        *lines += p.code == '\n' || p.code == 0x85 || p.code == 0x2028 || p.code == 0x2029;
        letter = false;
        step(&p);
    }
    if (p.at >= len)
        return false;
    *next = (bs_token){.at = p.at, .first = p.character};
    const uint32_t code = p.code;
    if (is_word(&p)) {
        over_word(&p);
    } else if (p.is == ALONE) {
        step(&p);
    } else if (!(is_apostrophe(code) && letter && over_clitic(&p))) {
        do
            step(&p);
        while (p.at < len && p.is == SIGN && p.code == code && code < 0x1f000);
    }
    next->end = p.at;
    next->last = p.character;
    return true;
}

size_t bs_count_characters(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}
