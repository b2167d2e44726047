/* mutate.h -- what mutators that know a format share: choices from a seed, text that grows. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's own: changes up to `size` bytes in place, returns how many there are then. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

typedef struct {
    uint64_t state;
} fuzz_dice;

static inline uint32_t fuzz_roll(fuzz_dice *d, uint32_t n) /* 0 .. n - 1; n > 0 */
{
    d->state = d->state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(d->state >> 33) % n;
}

/* Replaces the bytes from `at` to `end` by `n` others, if there is room; returns the new size. */
static inline size_t fuzz_splice(uint8_t *data, size_t size, size_t max, size_t at, size_t end,
                                 const void *with, size_t n)
{
    if (size - (end - at) + n > max)
        return size;
    memmove(data + at + n, data + end, size - end);
    if (n)
        memcpy(data + at, with, n);
    return size - (end - at) + n;
}

/* A number that readers must take care of. */
static inline const char *fuzz_number(fuzz_dice *d)
{
    static const char *const numbers[] = {
        "0",  "1",          "-1",         "2",          "7",    "64",    "65",
        "?",  "2147483647", "2147483648", "4294967296", "1e39", "1e400", "-0.0",
        "01", "0x10",       "1.5",        "nan",        "inf",  "1e-45", "9223372036854775807",
    };
    return numbers[fuzz_roll(d, sizeof numbers / sizeof *numbers)];
}

#endif
