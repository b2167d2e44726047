/* wordform.h -- the spelling under which a word is looked up, and what its letters look like.
 *
 * No locale: letters, their case and signs are those of Unicode; digits to fold are 0 to 9.
 * Invalid UTF-8 and NUL count as U+FFFD, so that every form is valid UTF-8. */
#ifndef BS_WORDFORM_H
#define BS_WORDFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/names.h"

typedef struct {
    bool lower;  /* lower-case letters */
    bool digits; /* every digit becomes 0 */
    bool tweets; /* @name becomes BS_FORM_MENTION, a link becomes BS_FORM_LINK */
} bs_fold;

#define BS_FORM_MENTION "<@MENTION>" /* spelled as in the clusters of ark-tweet-nlp */
#define BS_FORM_LINK    "<URL>"

enum { BS_FORM_MAX = 512 }; /* length of a form in bytes; longer words are cut between characters */

/* Writes the form and a NUL; returns its length. A form is its own form. fold NULL: only makes it
 * valid UTF-8 of bounded length. */
size_t bs_wordform(const bs_fold *fold, const char *text, size_t len, char out[BS_FORM_MAX + 1]);

/* All spellings under which an external table may know the word, best first: unchanged, its form,
 * lower-cased, lower-cased with folded digits; if tweets are folded, also other names of mentions
 * and links (<user>, <URL-host>, <url>). Returns how many. */
enum { BS_SPELLINGS = 6 };
typedef struct {
    char   text[BS_FORM_MAX + 1];
    size_t len;
} bs_spelling;
int bs_spellings(const bs_fold *fold, const char *text, size_t len, bs_spelling out[BS_SPELLINGS]);

/* The number of the first of these spellings found in the names; -1 if none is. */
int32_t bs_find_spelling(const bs_names *names, const bs_fold *fold, const char *text, size_t len);

/* The character at p, of which left >= 1 bytes may be read; returns its length, at least 1. */
size_t bs_char_next(const char *p, size_t left, uint32_t *code);
/* Writes the character as UTF-8; returns its length. */
size_t   bs_char_put(uint32_t code, char out[4]);
uint32_t bs_char_lower(uint32_t code);

/* What kind of word it looks like. To add one: a line here and its name in wordform.c. */
typedef enum {
    BS_CASE_LOWER,   /* word, don't */
    BS_CASE_TITLE,   /* Word */
    BS_CASE_UPPER,   /* WORD, U.S. */
    BS_CASE_MIXED,   /* iPhone, McDonald */
    BS_CASE_INITIAL, /* J., A */
    BS_CASE_ALNUM,   /* letters and digits: B2B, 3rd */
    BS_CASE_DIGITS,  /* 1996 */
    BS_CASE_NUMBER,  /* digits and signs: 1,000.5 and 6-4 */
    BS_CASE_PUNCTUATION,
    BS_CASE_MENTION, /* @name */
    BS_CASE_HASHTAG, /* #word */
    BS_CASE_LINK,    /* http://, www., host.com/path */
    BS_CASE_OTHER,   /* letters without case, symbols, nothing */
    BS_CASE_COUNT,
} bs_case;

extern const char *const bs_case_names[BS_CASE_COUNT];
bs_case                  bs_word_case(const char *text, size_t len);

#endif
