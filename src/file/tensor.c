/* tensor.c -- short floating-point numbers as floats. */
#include <math.h>
#include <string.h>

#include "file/safetensors.h"

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A sign, five bits of exponent, ten of fraction; 0 and 31 are the exponents of the small, and of
 * infinity and NaN. Exponents of floats are greater by 112. */
static float half(uint16_t bits)
{
    const int32_t  rest = bits & 0x7FFF;
    const float    small = (float)rest * 0x1p-24f;
    const uint32_t is_small = -(uint32_t)(rest < 0x400), is_last = -(uint32_t)(rest >= 0x7C00);
    const uint32_t whole = ((uint32_t)rest << 13) + ((112u + (is_last & 112u)) << 23);
    uint32_t       found;
    memcpy(&found, &small, sizeof found);
    found = (found & is_small) | (whole & ~is_small);
    return float_of(found | (uint32_t)(bits & 0x8000) << 16);
}

/* Rounded to the nearest, of two to the even one. */
static uint16_t half_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000u, whole = bits & 0x7FFFFFFFu;
    const uint32_t exponent = whole >> 23;
    if (whole > 0x7F800000u)
        return (uint16_t)(sign | 0x7E00u);
    if (exponent >= 143)
        return (uint16_t)(sign | 0x7C00u);
    if (exponent >= 113)
        return (uint16_t)(sign | ((whole - (112u << 23) + 0xFFF + (whole >> 13 & 1)) >> 13));
    if (exponent < 102)
        return (uint16_t)sign;
    const uint32_t shift = 126 - exponent, fraction = (whole & 0x7FFFFFu) | 0x800000u;
    const uint32_t down = fraction >> shift;
    return (uint16_t)(sign | (fraction + (1u << (shift - 1)) - 1 + (down & 1)) >> shift);
}

/* The upper half of a float. */
static float brain(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

bool bs_halves_of(const float *x, int64_t n, uint16_t *out)
{
    bool fits = true;
    for (int64_t i = 0; i < n; i++) {
        out[i] = half_of(x[i]);
        fits = fits && ((out[i] & 0x7C00u) != 0x7C00u || !isfinite(x[i]));
    }
    return fits;
}

bool bs_tensor_floats(const bs_tensor *t, int64_t first, int64_t n, float *out)
{
    const uint16_t *shorts = t->data;
    const float    *floats = t->data;
    if (t->dtype != BS_DTYPE_F32 && t->dtype != BS_DTYPE_F16 && t->dtype != BS_DTYPE_BF16)
        return false;
    if (t->dtype == BS_DTYPE_F32 && n)
        memcpy(out, floats + first, (size_t)n * sizeof *out);
    const int64_t halves = t->dtype == BS_DTYPE_F16 ? n : 0;
#pragma omp simd
    for (int64_t i = 0; i < halves; i++)
        out[i] = half(shorts[first + i]);
    const int64_t brains = t->dtype == BS_DTYPE_BF16 ? n : 0;
#pragma omp simd
    for (int64_t i = 0; i < brains; i++)
        out[i] = brain(shorts[first + i]);
    return true;
}
