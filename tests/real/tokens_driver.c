/* tokens_driver.c -- golden vectors of tokenisers for tests/real/tokens.sh.
 *
 *     tokens_driver texts FOLDER < JSONL    {"text", "ids", "offsets"} on each line
 *     tokens_driver letters < TSV           what becomes of a, each character and b
 *
 * Prints how many were compared and how many differ, the first ones to stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/tree.h"
#include "base/utf8.h"
#include "token/token.h"

static const bs_token_options whole = {.special = true};

static bool differs(const bs_tokenizer *t, const json_t *row, bs_pieces *p)
{
    const json_t *text = json_object_get(row, "text"), *ids = json_object_get(row, "ids");
    const json_t *offsets = json_object_get(row, "offsets");
    if (bs_token_text(t, json_string_value(text), json_string_length(text), &whole, p, NULL) ||
        (size_t)p->n != json_array_size(ids))
        return true;
    for (size_t i = 0; i < (size_t)p->n; i++) {
        const json_t *at = json_array_get(offsets, i);
        if (json_integer_value(json_array_get(ids, i)) != p->id[i] ||
            json_integer_value(json_array_get(at, 0)) != p->place[i].first ||
            json_integer_value(json_array_get(at, 1)) != p->place[i].end)
            return true;
    }
    return false;
}

static int texts(const char *folder)
{
    basin_error   err = {0};
    bs_tokenizer *t;
    bs_pieces     p = {0};
    char         *line = NULL;
    size_t        cap = 0;
    ssize_t       n;
    long          rows = 0, bad = 0;
    if (bs_tokenizer_open(folder, &t, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    while ((n = getline(&line, &cap, stdin)) > 0) {
        json_t *row = bs_tree_read(line, (size_t)n, JSON_ALLOW_NUL, NULL);
        rows++;
        if (differs(t, row, &p) && bad++ < 5)
            fprintf(stderr, "differs: %.200s\n", line);
        json_decref(row);
    }
    printf("%ld %ld\n", rows, bad);
    free(line);
    bs_pieces_free(&p);
    bs_tokenizer_free(t);
    return 0;
}

/* --- letters ----------------------------------------------------------------------- */

enum { CHARS = 0x110000, PART = 1 << 16, LONGEST = 64 };

typedef struct {
    char text[LONGEST]; /* without blanks */
    int  words;
} outcome;

static outcome expected[CHARS];
static bool    occurs[CHARS];

static uint32_t code_of(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return u[0] < 0x80   ? u[0]
           : u[0] < 0xE0 ? (u[0] & 31u) << 6 | (u[1] & 63u)
           : u[0] < 0xF0
               ? (u[0] & 15u) << 12 | (u[1] & 63u) << 6 | (u[2] & 63u)
               : (u[0] & 7u) << 18 | (u[1] & 63u) << 12 | (u[2] & 63u) << 6 | (u[3] & 63u);
}

/* "-" gone, "_" a blank; else the text, rare characters as \u{1f600}, " |3" for three words. */
static outcome outcome_of(char *value)
{
    outcome o = {.words = 1};
    char   *words = strstr(value, " |"), *to = o.text;
    *to++ = 'a';
    if (words) {
        o.words = words[2] - '0';
        *words = '\0';
    }
    const bool gone = !words && strcmp(value, "-") == 0, blank = !words && !strcmp(value, "_");
    o.words += blank;
    for (char *p = value; *p && !gone && !blank;) {
        if (strncmp(p, "\\u{", 3) == 0) {
            to = bs_utf8_put(to, (uint32_t)strtoul(p + 3, &p, 16));
            p++;
        } else if (*p == ' ') {
            p++;
        } else {
            *to++ = *p++;
        }
    }
    *to = 'b';
    return o;
}

static void read_expected(void)
{
    char  *line = NULL;
    size_t cap = 0;
    for (uint32_t c = 0; c < CHARS; c++) {
        char text[8] = {0};
        bs_utf8_put(text, c);
        snprintf(expected[c].text, LONGEST, "a%sb", text);
        expected[c].words = 1;
    }
    while (getline(&line, &cap, stdin) > 0) {
        char          *value = strchr(line, '\t') + 1, *end;
        const uint32_t first = (uint32_t)strtoul(line, &end, 16);
        const uint32_t last = *end == '.' ? (uint32_t)strtoul(end + 2, NULL, 16) : first;
        value[strcspn(value, "\n")] = '\0';
        const outcome o = outcome_of(value);
        for (uint32_t c = first; c <= last; c++)
            expected[c] = o;
    }
    free(line);
}

/* A tokeniser whose pieces are the characters that these code points may become. */
static bs_tokenizer *tokenizer_for(uint32_t first, uint32_t last)
{
    bs_buf        lines, text;
    bs_tokenizer *t;
    basin_error   err = {0};
    int           n = 1;
    bs_buf_init(&lines, 1 << 24);
    bs_buf_init(&text, 1 << 24);
    memset(occurs, 0, sizeof occurs);
    for (uint32_t c = first; c <= last; c++)
        for (const char *p = expected[c].text; *p; p += bs_utf8_len(p, 4))
            occurs[code_of(p)] = true;
    for (uint32_t c = 0; c < CHARS; c++) {
        char one[8] = {0};
        if (!occurs[c])
            continue;
        bs_utf8_put(one, c);
        bs_buf_printf(&lines, "%s\n##%s\n", one, one);
        n += 2;
    }
    bs_buf_printf(&text,
                  "basin tokenizer 1\n{\"kind\":\"wordpiece\",\"clean\":true,\"han\":true,"
                  "\"strip\":true,\"lower\":true,\"blank\":false,\"trim\":false,\"joint\":\"##\","
                  "\"word_most\":100,\"unknown\":0,\"before\":[],\"after\":[],\"added\":[],"
                  "\"pieces\":%d,\"merges\":0}\n[UNK]\n",
                  n);
    bs_buf_add(&text, lines.data, lines.len);
    if (bs_tokenizer_read("letters", text.data, text.len, &t, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        exit(1);
    }
    bs_buf_free(&lines);
    bs_buf_free(&text);
    return t;
}

static outcome found(const bs_tokenizer *t, uint32_t c, bs_pieces *p)
{
    char    text[8] = "a", *end = bs_utf8_put(text + 1, c);
    outcome o = {0};
    *end = 'b';
    bs_token_text(t, text, (size_t)(end - text) + 1, &whole, p, NULL);
    for (int i = 0; i < p->n; i++) {
        const char *piece = bs_tokenizer_piece(t, p->id[i]);
        const bool  inside = strncmp(piece, "##", 2) == 0 && piece[2];
        o.words += !inside;
        strncat(o.text, piece + (inside ? 2 : 0), LONGEST - strlen(o.text) - 1);
    }
    return o;
}

static int letters(void)
{
    bs_pieces p = {0};
    long      n = 0, bad = 0;
    read_expected();
    for (uint32_t first = 0; first < CHARS; first += PART) {
        bs_tokenizer *t = tokenizer_for(first, first + PART - 1);
        for (uint32_t c = first ? first : 1; c < first + PART; c++) {
            if (c >= 0xD800 && c < 0xE000)
                continue;
            const outcome o = found(t, c, &p);
            n++;
            if ((o.words != expected[c].words || strcmp(o.text, expected[c].text) != 0) &&
                bad++ < 10)
                fprintf(stderr, "U+%04X: '%s', %d words; expected '%s', %d\n", c, o.text, o.words,
                        expected[c].text, expected[c].words);
        }
        bs_tokenizer_free(t);
    }
    bs_pieces_free(&p);
    printf("%ld %ld\n", n, bad);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "texts") == 0)
        return texts(argv[2]);
    if (argc == 2 && strcmp(argv[1], "letters") == 0)
        return letters();
    fprintf(stderr, "tokens_driver texts FOLDER | letters\n");
    return 1;
}
