/* tokenise.h -- words, numbers and punctuation of a running text, by rule and without a locale.
 *
 * The first rule that applies:
 *     1. a number: digits with single points, commas or colons inside     3.14  1,000  12:30
 *     2. a word: letters, digits, marks and _ without a break             Oslo  B2B  4th
 *     3. an apostrophe and the one or two letters after it that end a
 *        word, if a letter is before it                                   Ada|'s  don|'t  we|'ll
 *     4. the same sign repeated                                           ...  --  !!
 *     5. any other character alone
 * Blanks of any kind only separate. In scripts without blanks (Han, kana, Thai, Lao, Khmer,
 * Burmese) every character is a token. So spans of characters nearly always start and end where
 * tokens do. Changing these rules changes what existing models trained on texts see. */
#ifndef BS_TEXT_TOKENISE_H
#define BS_TEXT_TOKENISE_H

#include <stdbool.h>
#include <stddef.h>

/* A token of a text, in bytes and in characters (code points) as other programs count them. */
typedef struct {
    size_t at, end;     /* bytes */
    size_t first, last; /* characters; after the last one */
} bs_token;

/* The next token from where *next ends; false if there is none. Start with a zeroed *next. *lines:
 * line ends between the two. The text is valid UTF-8. */
bool bs_token_next(const char *text, size_t len, bs_token *next, int *lines);

/* Number of characters of a valid text. */
size_t bs_count_characters(const char *text, size_t len);

#endif
