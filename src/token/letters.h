/* letters.h -- what a tokeniser must know of single characters. */
#ifndef BS_LETTERS_H
#define BS_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    BS_LETTER_OTHER, /* part of a word */
    BS_LETTER_DROP,  /* control, format and private characters */
    BS_LETTER_MARK,  /* an accent or another sign on a letter */
    BS_LETTER_PUNCT, /* a word by itself */
    BS_LETTER_HAN,   /* an ideograph, also a word by itself */
} bs_letter;

bs_letter bs_letter_kind(uint32_t c);
bool      bs_letter_white(uint32_t c); /* White_Space of Unicode */

enum { BS_LETTER_PARTS = 8 };
/* Canonical decomposition; returns how many. */
int bs_letter_parts(uint32_t c, uint32_t part[BS_LETTER_PARTS]);
int bs_letter_order(uint32_t c); /* canonical combining class */
/* In lower case; U+0130 becomes two characters. */
int bs_letter_lower(uint32_t c, uint32_t lower[2]);

/* For byte-level tokenisers: a letter, or a number, as \p{L}, \p{N} of regular expressions. */
bool bs_letter_alphabetic(uint32_t c);
bool bs_letter_numeric(uint32_t c);

/* The character at p, of which `left` > 0 bytes may be read, and its bytes; an invalid byte is
 * U+FFFD. */
uint32_t bs_letter_at(const char *p, size_t left, int *bytes);

#endif
