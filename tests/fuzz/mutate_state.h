/* mutate_state.h -- lists of changes (fuzz_state.h): one more, or another place, kind or number of
 * one; numbers that a reader must take care of are likelier than others. */
#ifndef FUZZ_MUTATE_STATE_H
#define FUZZ_MUTATE_STATE_H

#include <math.h>

#include "fuzz/fuzz_state.h"
#include "fuzz/mutate.h"

static inline double fuzz_state_number(fuzz_dice *d)
{
    static const double numbers[] = {
        0,         1,   2,          3,           4,           5,     7,      10,
        0.5,       -1,  -0.0,       NAN,         1e19,        1e300, -1e300, INFINITY,
        1e-320,    255, 2147483647, 2147483648., 4294967296., 1e15,  -0.5,   9007199254740993.,
        -INFINITY,
    };
    return numbers[fuzz_roll(d, sizeof numbers / sizeof *numbers)];
}

static inline size_t fuzz_mutate_state(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    fuzz_dice d = {seed};
    if (size < 1 || data[0] == STATE_RAW || fuzz_roll(&d, 8) == 0)
        return LLVMFuzzerMutate(data, size, max);
    size_t changes = (size - 1) / STATE_CHANGE;
    size = 1 + changes * STATE_CHANGE;
    if ((changes == 0 || fuzz_roll(&d, 3) == 0) && changes < 8 && size + STATE_CHANGE <= max) {
        memset(data + size, 0, STATE_CHANGE);
        data[size + 1] = (uint8_t)fuzz_roll(&d, 256);
        size += STATE_CHANGE;
        changes++;
    }
    if (changes == 0)
        return size;
    uint8_t     *change = data + 1 + STATE_CHANGE * fuzz_roll(&d, (uint32_t)changes);
    const double x = fuzz_state_number(&d);
    const float  y = (float)x;
    switch (fuzz_roll(&d, 6)) {
    case 0: change[0] = (uint8_t)fuzz_roll(&d, 8); break;
    case 1: change[1] = (uint8_t)fuzz_roll(&d, 256); break;
    case 2: /* of the first numbers, on which all others depend */
        change[1] = (uint8_t)fuzz_roll(&d, 11);
        memcpy(change + 2, &x, sizeof x);
        break;
    case 3: memcpy(change + 2, &x, sizeof x); break;
    case 4: memcpy(change + 2, &y, sizeof y); break;
    default:
        for (int i = 2; i < STATE_CHANGE; i++)
            change[i] = (uint8_t)fuzz_roll(&d, 256);
    }
    return size;
}

#endif
