/* tokenise.c -- the rules of tokenise.h over classes of characters, which are those of Unicode and
 * not of a locale. */
#include "data/text/tokenise.h"

#include <utf8proc.h>

#include "data/text/wordform.h"

typedef enum { BLANK, LETTER, DIGIT, ALONE, SIGN } class;

/* Scripts that are written without blanks. */
static bool is_alone(uint32_t code)
{
    static const uint32_t range[][2] = {
        {0xe00, 0xe4f},   /* Thai */
        {0xe80, 0xeff},   /* Lao */
        {0x1000, 0x109f}, /* Burmese */
        {0x1780, 0x17ff}, /* Khmer */
        {0x2e80, 0x2fff}, {0x3005, 0x3007}, {0x3021, 0x30fa}, {0x30fc, 0x312f},
        {0x31a0, 0x9fff}, {0xf900, 0xfaff}, {0xff66, 0xff9f}, {0x20000, 0x3ffff}, /* Han, kana */
    };
    for (size_t i = 0; i < sizeof range / sizeof range[0] && code >= range[i][0]; i++)
        if (code <= range[i][1])
            return true;
    return false;
}

static class class_of(uint32_t code)
{
    const utf8proc_category_t kind = utf8proc_category((utf8proc_int32_t)code);
    if (kind == UTF8PROC_CATEGORY_ND)
        return DIGIT;
    if (is_alone(code))
        return ALONE;
    if (kind == UTF8PROC_CATEGORY_CC || code == 0x200b || code == 0xfeff ||
        (kind >= UTF8PROC_CATEGORY_ZS && kind <= UTF8PROC_CATEGORY_ZP))
        return BLANK;
    return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_SO && code != '_' ? SIGN
                                                                                       : LETTER;
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
