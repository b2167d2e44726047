/* tensor.c -- short floating-point numbers as floats. */
#include <math.h>
#include <string.h>

#include "file/safetensors.h"

/* A sign, five bits of exponent, ten of fraction; 0 and 31 are the exponents of the small, and of
 * infinity and NaN. */
static float half(uint16_t bits)
{
    const int   exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float size = exponent == 0    ? ldexpf((float)fraction, -24)
                       : exponent == 31 ? (fraction ? NAN : INFINITY)
                                        : ldexpf((float)(1024 + fraction), exponent - 25);
    return bits >> 15 ? -size : size;
}

/* The upper half of a float. */
static float brain(uint16_t bits)
{
    const uint32_t whole = (uint32_t)bits << 16;
    float          x;
    memcpy(&x, &whole, sizeof x);
    return x;
}

bool bs_tensor_floats(const bs_tensor *t, int64_t first, int64_t n, float *out)
{
    const uint16_t *shorts = t->data;
    const float    *floats = t->data;
    if (t->dtype != BS_DTYPE_F32 && t->dtype != BS_DTYPE_F16 && t->dtype != BS_DTYPE_BF16)
        return false;
    for (int64_t i = first; i < first + n; i++)
        *out++ = t->dtype == BS_DTYPE_F32   ? floats[i]
                 : t->dtype == BS_DTYPE_F16 ? half(shorts[i])
                                            : brain(shorts[i]);
    return true;
}
