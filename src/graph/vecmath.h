/* vecmath.h -- elementary functions without branches, tables or calls, for `omp simd` loops.
 *
 * Each function is a straight line of float and integer operations, so a compiler turns a loop over
 * it into vector code for whatever instruction set it was told. The recipe is that of Cody and
 * Waite (1980): reduce the argument to a short interval, evaluate a polynomial, combine. The
 * polynomials are minimax in relative error (Remez exchange); special values are patched in last.
 * Nothing may depend on whether a * b + c is fused: both occur.
 *
 * Needs strict floating point (no -ffast-math, which removes the rounding step of exp). NaN gives
 * NaN everywhere, results below FLT_MIN may be flushed to zero. The stated errors are relative, the
 * largest over all floats with results above FLT_MIN, fused or not. Nanoseconds per element in L1,
 * one Zen 4 core, gcc 12 -O3 -ffp-contract=fast, measured 2026-11-15 (clang 14 is within 10%):
 *
 *               exp    log    log1p  tanh   sigmoid  softplus  erf    cos2pi
 *     SSE2      0.94   1.52   1.45   1.37   1.17     2.24      2.64   0.36
 *     AVX2      0.24   0.46   0.43   0.37   0.32     0.58      0.63   0.13
 *     AVX-512   0.20   0.31   0.28   0.28   0.25     0.41      0.44   0.12
 *
 * With BS_DOUBLE the functions are those of libm: that build is for checking and need not be
 * fast. */
#ifndef BS_VECMATH_H
#define BS_VECMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "graph/real.h"

/* These two must remain exactly comparison and selection: that is what minps and maxps compute,
 * including the second operand for NaN and for equal zeros. */
static inline real bs_vmin(real a, real b)
{
    return a < b ? a : b;
}

static inline real bs_vmax(real a, real b)
{
    return a > b ? a : b;
}

#ifdef BS_DOUBLE

static inline real bs_vabs(real x)
{
    return fabs(x);
}

static inline real bs_vsqrt(real x)
{
    return sqrt(x);
}

static inline real bs_vexp(real x)
{
    return exp(x);
}

static inline real bs_vlog(real x)
{
    return log(x);
}

static inline real bs_vlog1p(real x)
{
    return log1p(x);
}

static inline real bs_vtanh(real x)
{
    return tanh(x);
}

static inline real bs_vsigmoid(real x)
{
    return 1 / (1 + exp(-x));
}

static inline real bs_vsoftplus(real x)
{
    return bs_vmax(x, 0) + log1p(exp(-fabs(x)));
}

static inline real bs_verf(real x)
{
    return erf(x);
}

static inline real bs_vcos2pi(real u)
{
    return cos(6.283185307179586477 * u);
}

#else

static inline uint32_t bs_float_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float bs_bits_float(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline float bs_vabs(float x)
{
    return fabsf(x);
}

/* Correctly rounded. Only vectorised with -fno-math-errno. */
static inline float bs_vsqrt(float x)
{
    return sqrtf(x);
}

/* All ones where the condition holds, else zero. The functions below combine masks and integer
 * minima where c ? a : b would be natural: gcc 12 propagates a constant arm through the rest
 * of the function, prefers to branch, and then does not vectorise the loop. */
static inline uint32_t bs_mask(int condition)
{
    return 0u - (uint32_t)condition;
}

static inline int32_t bs_int_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* min(|x|, limit), and limit for NaN: floats without sign order like their bits. */
static inline float bs_abs_below(float x, float limit)
{
    int32_t magnitude = (int32_t)(bs_float_bits(x) & 0x7fffffffu);
    return bs_bits_float((uint32_t)bs_int_min(magnitude, (int32_t)bs_float_bits(limit)));
}

/* y >= 0 with the sign of x; NaN if x is, since bs_abs_below has dropped that. */
static inline float bs_odd(float y, float x)
{
    uint32_t sign = bs_float_bits(x) & 0x80000000u;
    return bs_bits_float(bs_float_bits(y) | sign | bs_mask(x != x));
}

/* ln 2 in two parts; the high one has 10 bits, so its product with an exponent is exact. */
#define BS_LN2_HI 0.693359375f
#define BS_LN2_LO (-2.12194440e-4f)

/* 1.5 * 2^23: adding it rounds a float to an integer, found in the low bits of the sum. */
#define BS_ROUND  12582912.0f

/* e^x. Error 9.9e-8 (1.2 ulp). Above log(FLT_MAX) +inf; below -86.989, that is for results under
 * 1.67e-38, 0. x = n ln 2 + r with |r| <= ln(2) / 2, e^x = 2^n e^r. The polynomial is 2 e^r, the
 * scale 2^(n-1): n reaches 128, and 2^128 is no float. At n = -126 the scale is 0, not a subnormal,
 * which is slow on some processors. NaN reaches the result through r. */
static inline float bs_vexp(float x)
{
    float   t = x * 1.44269504f + BS_ROUND;
    int32_t i = bs_int_min((int32_t)bs_float_bits(t), 0x4b400080); /* n <= 128 */
    float   k = bs_bits_float((uint32_t)i) - BS_ROUND;
    float   r = (x - k * BS_LN2_HI) - k * BS_LN2_LO;
    float   p = 2.762912056e-3f;
    p = p * r + 1.673747114e-2f;
    p = p * r + 8.333677970e-2f;
    p = p * r + 3.333304096e-1f;
    p = p * r + 9.999998688e-1f;
    p = p * r + 2.0f;
    p = p * r + 2.0f;
    float y = p * bs_bits_float(0x3f000000u + ((uint32_t)i << 23));
    return bs_bits_float(bs_float_bits(y) & bs_mask(!(x < -87.0f)));
}

/* e^x - 1 for x in [-80, 80], relative accuracy also near 0. */
static inline float bs_expm1_bounded(float x)
{
    float t = x * 1.44269504f + BS_ROUND;
    float k = t - BS_ROUND;
    float r = (x - k * BS_LN2_HI) - k * BS_LN2_LO;
    float s = bs_bits_float(0x3f800000u + (bs_float_bits(t) << 23)); /* 2^n */
    float p = 1.381456028e-3f;
    p = p * r + 8.368735571e-3f;
    p = p * r + 4.166838985e-2f;
    p = p * r + 1.666652048e-1f;
    p = p * r + 4.999999344e-1f;
    p = p * (r * r) + r;
    return p * s + (s - 1.0f);
}

/* k ln 2 + log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)] */
static inline float bs_log_join(float k, float f)
{
    float p = 8.699700701e-2f;
    p = p * f - 1.426739805e-1f;
    p = p * f + 1.491495470e-1f;
    p = p * f - 1.657760079e-1f;
    p = p * f + 1.996304993e-1f;
    p = p * f - 2.500133644e-1f;
    p = p * f + 3.333391103e-1f;
    p = p * f - 0.5f;
    p = p * (f * f) + f;
    return k * BS_LN2_HI + (p + k * BS_LN2_LO);
}

/* y where x is finite and positive, else log x: -inf for 0, inf for inf, NaN otherwise. y itself
 * must not be NaN or +inf. */
static inline float bs_log_special(float y, float x)
{
    uint32_t inf = (bs_mask(x == 0.0f) & 0xff800000u) | (bs_mask(x == INFINITY) & 0x7f800000u);
    return bs_bits_float(bs_float_bits(y + bs_bits_float(inf)) | bs_mask(!(x >= 0.0f)));
}

/* log x. Error 1.1e-7 (1.3 ulp), subnormal x included. -inf for 0, NaN below. */
static inline float bs_vlog(float x)
{
    uint32_t small = bs_mask(x < FLT_MIN);
    float    scale = bs_bits_float(0x3f800000u + (small & 0x0c000000u)); /* 1 or 2^24 */
    uint32_t u = bs_float_bits(x * scale) - 0x3f3504f3u;                 /* sqrt(1/2) */
    float    k = (float)(((int32_t)u >> 23) - (int32_t)(small & 24u));
    float    f = bs_bits_float((u & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    return bs_log_special(bs_log_join(k, f), x);
}

/* log(1 + x). Error 1.6e-7 (1.9 ulp), near 0 too. -inf for -1, NaN below. Like log with f = (1 + x)
 * 2^-k - 1, but computed from x because 1 + x has lost digits. 2^-k may be subnormal, 4 * 2^-k is
 * not. At x = -1, f is so negative that the polynomial is -inf too. */
static inline float bs_vlog1p(float x)
{
    float    x1 = 1.0f + x;
    uint32_t u = bs_float_bits(x1) - 0x3f3504f3u;
    uint32_t e = u & 0xff800000u;
    float    scaled = bs_bits_float(bs_float_bits(x) - e); /* x 2^-k */
    float    f = scaled + (bs_bits_float(0x40800000u - e) * 0.25f - 1.0f);
    return bs_log_special(bs_log_join((float)((int32_t)u >> 23), f), x1);
}

/* tanh x. Error 1.9e-7 (2.7 ulp), near 0 too; never beyond +-1.
 * q / (q + 2) with q = e^2|x| - 1, which keeps the leading digits of small x. */
static inline float bs_vtanh(float x)
{
    float q = bs_expm1_bounded(2.0f * bs_abs_below(x, 10.0f)); /* from 9.02 on tanh rounds to 1 */
    return bs_odd(q / (q + 2.0f), x);
}

/* 1 / (1 + e^-x). Error 1.6e-7 (2.5 ulp), also for very negative x: e^-x becomes infinite only
 * where the result underflows. */
static inline float bs_vsigmoid(float x)
{
    return 1.0f / (1.0f + bs_vexp(-x));
}

/* log(1 + e^x). Error 2.3e-7 (2.9 ulp), also for very negative x; 0 below -86.989.
 * max(x, 0) + log(1 + u), u = e^-|x|, the logarithm as 2 artanh(u / (2 + u)). */
static inline float bs_vsoftplus(float x)
{
    float u = bs_vexp(-bs_vabs(x));
    float s = u / (2.0f + u);
    float z = s * s;
    float p = 2.801198745e-1f;
    p = p * z + 2.800180518e-1f;
    p = p * z + 4.002152724e-1f;
    p = p * z + 6.666641629e-1f;
    float positive = bs_bits_float(bs_float_bits(x) & bs_mask(x > 0.0f));
    return positive + (p * (z * s) + 2.0f * s);
}

/* erf x. Error 1.6e-7 (2.0 ulp), near 0 too; never beyond +-1.
 * 1 - e^(-a (1 + q(a))), a = |x|: the polynomial approximates -log(erfc a) / a - 1; without its
 * leading 1 it loses fewer digits. */
static inline float bs_verf(float x)
{
    float a = bs_abs_below(x, 4.0f); /* from 3.92 on erf rounds to 1 */
    float q = -9.256258179e-6f;
    q = q * a + 1.176412116e-4f;
    q = q * a - 6.328366533e-4f;
    q = q * a + 1.667027115e-3f;
    q = q * a - 1.603957479e-4f;
    q = q * a - 1.915306405e-2f;
    q = q * a + 1.027778305e-1f;
    q = q * a + 6.366193820e-1f;
    q = q * a + 1.283791720e-1f;
    return bs_odd(fabsf(bs_expm1_bounded(-(q * a + a))), x);
}

/* cos(2 pi u) for u in [0, 1]. Error 2.1e-7 (3.3 ulp), near the zeros too.
 * sin(2 pi (1/4 - t)) with t = min(u, 1 - u): both differences are exact near the zeros. */
static inline float bs_vcos2pi(float u)
{
    float w = 0.25f - bs_vmin(u, 1.0f - u);
    float z = w * w;
    float p = 39.71091852f;
    p = p * z - 76.57499224f;
    p = p * z + 81.60223125f;
    p = p * z - 41.34167748f;
    return p * (z * w) + 6.283185274f * w;
}

#endif

static inline real bs_vgelu(real x)
{
    return x * (BS_REAL(0.5) + BS_REAL(0.5) * bs_verf(x * BS_REAL(0.70710678118654752440)));
}

static inline real bs_vgelu_slope(real x)
{
    real below = BS_REAL(0.5) + BS_REAL(0.5) * bs_verf(x * BS_REAL(0.70710678118654752440));
    return below + x * BS_REAL(0.39894228040143267794) * bs_vexp(BS_REAL(-0.5) * x * x);
}

#endif
