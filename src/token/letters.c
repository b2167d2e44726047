/* letters.c -- properties of characters: the table of letters.def, the rest by utf8proc. */
#include "token/letters.h"

#include <utf8proc.h>

typedef struct {
    uint32_t  first, last;
    bs_letter kind;
} range;

static const range ranges[] = {
#define L(first, last, kind) {first, last, BS_LETTER_##kind},
#include "token/letters.def"
#undef L
};

static bs_letter ascii_kind(uint32_t c)
{
    if (c < 0x20 || c == 0x7F)
        return c == '\t' || c == '\n' || c == '\r' ? BS_LETTER_OTHER : BS_LETTER_DROP;
    const bool word = c == ' ' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
    return word ? BS_LETTER_OTHER : BS_LETTER_PUNCT;
}

bs_letter bs_letter_kind(uint32_t c)
{
    if (c < 0x80)
        return ascii_kind(c);
    size_t from = 0, to = sizeof ranges / sizeof ranges[0];
    while (from < to) {
        const size_t middle = (from + to) / 2;
        if (ranges[middle].last < c)
            from = middle + 1;
        else
            to = middle;
    }
    return from < sizeof ranges / sizeof ranges[0] && ranges[from].first <= c ? ranges[from].kind
                                                                              : BS_LETTER_OTHER;
}

static bool is_in(uint32_t c, const uint32_t table[][2], size_t n)
{
    for (size_t i = 0; i < n && c >= table[0][0]; i++)
        if (c >= table[i][0] && c <= table[i][1])
            return true;
    return false;
}
#define IS_IN(c, table) is_in(c, table, sizeof(table) / sizeof *(table))

bool bs_letter_white(uint32_t c)
{
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

int bs_letter_parts(uint32_t c, uint32_t part[BS_LETTER_PARTS])
{
    /* Characters that are composed since Unicode 13. */
    static const uint32_t whole[][2] = {{0x105C0, 0x105FF},
                                        {0x11380, 0x113FF},
                                        {0x11938, 0x11938},
                                        {0x16120, 0x1613F},
                                        {0x16D40, 0x16D7F}};
    utf8proc_int32_t      found[BS_LETTER_PARTS];
    int                   boundary;
    part[0] = c;
    if (IS_IN(c, whole))
        return 1;
    const utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)c, found, BS_LETTER_PARTS,
                                                       UTF8PROC_DECOMPOSE, &boundary);
    if (n < 1 || n > BS_LETTER_PARTS)
        return 1;
    for (utf8proc_ssize_t i = 0; i < n; i++)
        part[i] = (uint32_t)found[i];
    return (int)n;
}

int bs_letter_order(uint32_t c)
{
    /* Signs that came after Unicode 9 are not moved. */
    static const uint32_t later[][2] = {
        {0x7FD, 0x7FD},     {0x897, 0x8D3},     {0x9FE, 0x9FE},     {0xC3C, 0xC3C},
        {0xD3B, 0xD3C},     {0xEBA, 0xEBA},     {0x1715, 0x1715},   {0x1ABF, 0x1AFF},
        {0x1DF6, 0x1DFA},   {0xA82C, 0xA82C},   {0x10D24, 0x10F85}, {0x11070, 0x11070},
        {0x1133B, 0x1133B}, {0x11380, 0x113FF}, {0x1145E, 0x1145E}, {0x11839, 0x11A99},
        {0x11D42, 0x11F5F}, {0x16100, 0x1613F}, {0x16FF0, 0x16FF1}, {0x1E08F, 0x1E5EF}};
    const int order = utf8proc_get_property((utf8proc_int32_t)c)->combining_class;
    return order && !IS_IN(c, later) ? order : 0;
}

int bs_letter_lower(uint32_t c, uint32_t lower[2])
{
    /* Pairs of Unicode 16 and 17. */
    static const struct {
        uint32_t first, last, lower;
    } pairs[] = {{0x1C89, 0x1C89, 0x1C8A},   {0xA7CB, 0xA7CB, 0x264},  {0xA7CC, 0xA7CC, 0xA7CD},
                 {0xA7CE, 0xA7CE, 0xA7CF},   {0xA7D2, 0xA7D2, 0xA7D3}, {0xA7D4, 0xA7D4, 0xA7D5},
                 {0xA7DA, 0xA7DA, 0xA7DB},   {0xA7DC, 0xA7DC, 0x19B},  {0x10D50, 0x10D65, 0x10D70},
                 {0x16EA0, 0x16EB8, 0x16EBB}};
    for (size_t i = 0; c >= 0x1C89 && i < sizeof pairs / sizeof pairs[0]; i++)
        if (c >= pairs[i].first && c <= pairs[i].last) {
            lower[0] = c - pairs[i].first + pairs[i].lower;
            return 1;
        }
    lower[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
    lower[1] = 0x307;
    return c == 0x130 ? 2 : 1;
}

static utf8proc_category_t category(uint32_t c)
{
    return utf8proc_category((utf8proc_int32_t)c);
}

/* Regular expressions know Unicode 16. */
static const uint32_t later_letters[][2] = {
    {0x1C89, 0x1C8A},   {0xA7CB, 0xA7CD},   {0xA7DA, 0xA7DC},   {0x105C0, 0x105F3},
    {0x10D4A, 0x10D65}, {0x10D6F, 0x10D85}, {0x10EC2, 0x10EC4}, {0x1123F, 0x11240},
    {0x11380, 0x11389}, {0x1138B, 0x1138B}, {0x1138E, 0x1138E}, {0x11390, 0x113B5},
    {0x113B7, 0x113B7}, {0x113D1, 0x113D1}, {0x113D3, 0x113D3}, {0x11BC0, 0x11BE0},
    {0x11F02, 0x11F02}, {0x11F04, 0x11F10}, {0x11F12, 0x11F33}, {0x1342F, 0x1342F},
    {0x13441, 0x13446}, {0x13460, 0x143FA}, {0x16100, 0x1611D}, {0x16D40, 0x16D6C},
    {0x18CFF, 0x18CFF}, {0x1B132, 0x1B132}, {0x1B155, 0x1B155}, {0x1DF25, 0x1DF2A},
    {0x1E030, 0x1E06D}, {0x1E4D0, 0x1E4EB}, {0x1E5D0, 0x1E5ED}, {0x1E5F0, 0x1E5F0},
    {0x2B739, 0x2B739}, {0x2EBF0, 0x2EE5D}, {0x31350, 0x323AF}};
static const uint32_t later_numbers[][2] = {
    {0x10D40, 0x10D49}, {0x116D0, 0x116E3}, {0x11BF0, 0x11BF9}, {0x11F50, 0x11F59},
    {0x16130, 0x16139}, {0x16D70, 0x16D79}, {0x1CCF0, 0x1CCF9}, {0x1D2C0, 0x1D2D3},
    {0x1E4F0, 0x1E4F9}, {0x1E5F1, 0x1E5FA}};

bool bs_letter_alphabetic(uint32_t c)
{
    const utf8proc_category_t k = category(c);
    return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) || IS_IN(c, later_letters);
}

bool bs_letter_numeric(uint32_t c)
{
    const utf8proc_category_t k = category(c);
    return (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO) || IS_IN(c, later_numbers);
}

uint32_t bs_letter_at(const char *p, size_t left, int *bytes)
{
    utf8proc_int32_t c;
    *bytes = 1;
    if ((unsigned char)*p < 0x80)
        return (unsigned char)*p;
    const utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)p, (utf8proc_ssize_t)left, &c);
    if (n < 1)
        return 0xFFFD;
    *bytes = (int)n;
    return (uint32_t)c;
}
