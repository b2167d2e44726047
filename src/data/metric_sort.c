/* metric_sort.c -- radix sort of scores, byte by byte from the lowest of the four.
 *
 * The bits of a float, with the sign bit flipped (or all of them, for negative numbers), are in the
 * order of the numbers. Inverted, the order is reversed, and the tag in the lower half breaks ties.
 * Passes where all keys have the same byte are skipped: probabilities share most of their
 * exponent. */
#include "data/metric_sort.h"

#include <string.h>

enum { SMALL = 48 };

uint64_t bs_score_key(float score, uint32_t tag)
{
    score += 0.0f; /* -0 becomes 0 */
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    bits ^= bits >> 31 ? 0xffffffffu : 0x80000000u;
    return (uint64_t)~bits << 32 | tag;
}

float bs_key_score(uint64_t key)
{
    uint32_t bits = ~(uint32_t)(key >> 32);
    bits ^= bits >> 31 ? 0x80000000u : 0xffffffffu;
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

static void insertion_sort(uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t   j = i;
        for (; j > 0 && keys[j - 1] >> 32 > key >> 32; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

void bs_score_sort(uint64_t *keys, size_t n, uint64_t *scratch)
{
    if (n <= SMALL) {
        insertion_sort(keys, n);
        return;
    }
    size_t count[4][256] = {{0}};
    for (size_t i = 0; i < n; i++)
        for (int b = 0; b < 4; b++)
            count[b][keys[i] >> (32 + 8 * b) & 255]++;

    uint64_t *from = keys, *to = scratch;
    for (int b = 0; b < 4; b++) {
        const int shift = 32 + 8 * b;
        if (count[b][from[0] >> shift & 255] == n)
            continue;
        size_t at = 0;
        for (int v = 0; v < 256; v++) {
            size_t here = count[b][v];
            count[b][v] = at;
            at += here;
        }
        for (size_t i = 0; i < n; i++)
            to[count[b][from[i] >> shift & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}
