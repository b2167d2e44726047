/* tokenise.h -- words, numbers and punctuation of a running text, by rule and without a locale.
 *
 * Rules, the first that fits:
 *     1. a number: digits with single points, commas or colons inside     3.14  1,000  12:30
 *     2. a word: letters, digits, marks and _ without a break             Oslo  B2B  4th
 *     3. an apostrophe with the one or two letters behind it that end a
 *        word, where one stands before it                                 Ada|'s  don|'t  we|'ll
 *     4. the same sign several times                                      ...  --  !!
 *     5. any other character alone
 * Blanks of any kind only separate. Characters of scripts that write no blanks (Han, kana, Thai,
 * Lao, Khmer, Burmese) are a token each. So spans of characters nearly always begin and end where
 * tokens do. Changing these rules changes what models that were trained on texts see. */
#ifndef BS_TEXT_TOKENISE_H
#define BS_TEXT_TOKENISE_H

#include <stdbool.h>
#include <stddef.h>

/* A token of a text: bytes, and characters (code points) as other programs count them. */
typedef struct {
    size_t at, end;     /* bytes */
    size_t first, last; /* characters; behind the last one */
} bs_token;

/* The next token from where *next ends; false when there is none. A fresh *next is all zeros.
 * *lines: line ends between the two. The text is valid UTF-8. */
bool bs_token_next(const char *text, size_t len, bs_token *next, int *lines);

/* Characters of a valid text. */
size_t bs_count_characters(const char *text, size_t len);

#endif
