/* test_vecmath.c -- the vector math header against libm in double.
 *
 * Arguments are every 2039th float in bit space, so each power of two of either sign is visited
 * some four thousand times. The functions are called in `omp simd` loops, as kernels
 * call them; the bounds are the errors stated in vecmath.h over all floats, rounded up. All of it
 * holds in a BS_DOUBLE build too. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "graph/vecmath.h"

enum { CHUNK = 1024, STRIDE = 2039 };

#define PI 3.14159265358979323846

/* The loop over one function, and libm's answer. */
#define VECTOR(name)                                           \
    static void name##_vector(real *out, const real *x, int n) \
    {                                                          \
        _Pragma("omp simd")                                    \
        for (int i = 0; i < n; i++)                            \
            out[i] = bs_v##name(x[i]);                         \
    }

VECTOR(exp)
VECTOR(log)
VECTOR(log1p)
VECTOR(tanh)
VECTOR(sigmoid)
VECTOR(softplus)
VECTOR(erf)
VECTOR(cos2pi)
VECTOR(sqrt)
VECTOR(abs)

static double sigmoid_exact(double x)
{
    return 1 / (1 + exp(-x));
}

static double softplus_exact(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

/* cos(2 pi u) loses its digits near the zeros even in double, this form does not. */
static double cos2pi_exact(double u)
{
    return sin(2 * PI * (0.25 - (u < 0.5 ? u : 1 - u)));
}

/* One row per function: add a VECTOR line above and a row here. Results of magnitude below `flush`
 * may be anything between 0 and that. */
static const struct {
    const char *name;
    void (*vector)(real *out, const real *x, int n);
    double (*exact)(double x);
    double low, high, bound, flush;
} functions[] = {
    {"exp", exp_vector, exp, -INFINITY, INFINITY, 1.1e-7, 1.67e-38},
    {"log", log_vector, log, 0, INFINITY, 1.1e-7, 0},
    {"log1p", log1p_vector, log1p, -1, INFINITY, 1.6e-7, FLT_MIN},
    {"tanh", tanh_vector, tanh, -INFINITY, INFINITY, 2.0e-7, FLT_MIN},
    {"sigmoid", sigmoid_vector, sigmoid_exact, -INFINITY, INFINITY, 1.6e-7, FLT_MIN},
    {"softplus", softplus_vector, softplus_exact, -INFINITY, INFINITY, 2.4e-7, 1.67e-38},
    {"erf", erf_vector, erf, -INFINITY, INFINITY, 1.6e-7, FLT_MIN},
    {"cos2pi", cos2pi_vector, cos2pi_exact, 0, 0.99999997, 2.1e-7, 0},
    {"sqrt", sqrt_vector, sqrt, 0, INFINITY, 6.0e-8, 0},
    {"abs", abs_vector, fabs, -INFINITY, INFINITY, 0, 0},
};

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Relative error of `got`, 0 where the type or the row allows the difference. */
static double error_of(double got, double want, double bound, double flush)
{
    if (got == want)
        return 0;
    if (fabs(want) < flush)
        return fabs(got) <= flush ? 0 : INFINITY;
    if (isinf(got))
        return got * want > 0 && fabs(want) >= (double)BS_REAL_MAX * (1 - bound) ? 0 : INFINITY;
    double error = fabs(got - want) / fabs(want);
    return isnan(error) ? INFINITY : error;
}

static void errors_are_as_stated(void **state)
{
    (void)state;
    int failures = 0;
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {
        double   worst = 0, where = 0;
        uint64_t bits = 0;
        long     compared = 0;
        while (bits <= UINT32_MAX) {
            real x[CHUNK], y[CHUNK];
            int  n = 0;
            for (; n < CHUNK && bits <= UINT32_MAX; bits += STRIDE) {
                float v = from_bits((uint32_t)bits);
                if (v >= functions[f].low && v <= functions[f].high)
                    x[n++] = v;
            }
            functions[f].vector(y, x, n);
            for (int i = 0; i < n; i++) {
                double want = functions[f].exact((double)x[i]);
                double e = error_of((double)y[i], want, functions[f].bound, functions[f].flush);
                if (e > worst) {
                    worst = e;
                    where = (double)x[i];
                }
            }
            compared += n;
        }
        assert_true(compared > 400000);
        if (worst > functions[f].bound) {
            print_error("%s: relative error %.3g at %.9g, bound %.3g\n", functions[f].name, worst,
                        where, functions[f].bound);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

/* Vector and remainder loops may be different code, so each value goes through both. */
static void expect(void (*vector)(real *, const real *, int), const char *name, real x, real want)
{
    real in[37], out[37];
    for (int n = 1; n <= 37; n += 36) {
        for (int i = 0; i < n; i++)
            in[i] = x;
        vector(out, in, n);
        for (int i = 0; i < n; i++) {
            int same = out[i] == want && !signbit(out[i]) == !signbit(want);
            same = same || (isnan(want) && isnan(out[i]));
            if (!same)
                print_error("%s(%g) = %g, not %g\n", name, (double)x, (double)out[i], (double)want);
            assert_true(same);
        }
    }
}

#define EXPECT(name, x, want) expect(name##_vector, #name, (real)(x), (real)(want))

static void special_values(void **state)
{
    (void)state;
    const double inf = INFINITY, huge = (double)BS_REAL_MAX;

    EXPECT(exp, 0, 1);
    EXPECT(exp, -0.0, 1);
    EXPECT(exp, inf, inf);
    EXPECT(exp, huge, inf);
    EXPECT(exp, 1000, inf);
    EXPECT(exp, -1000, 0);
    EXPECT(exp, -1e9, 0);
    EXPECT(exp, -huge, 0);
    EXPECT(exp, -inf, 0);

    EXPECT(log, 1, 0);
    EXPECT(log, 0, -inf);
    EXPECT(log, -0.0, -inf);
    EXPECT(log, inf, inf);
    EXPECT(log, -1e-30, NAN);
    EXPECT(log, -1, NAN);
    EXPECT(log, -inf, NAN);

    EXPECT(log1p, 0, 0);
    EXPECT(log1p, -1, -inf);
    EXPECT(log1p, inf, inf);
    EXPECT(log1p, -1.0001, NAN);
    EXPECT(log1p, -huge, NAN);
    EXPECT(log1p, -inf, NAN);

    EXPECT(tanh, 0, 0);
    EXPECT(tanh, -0.0, -0.0);
    EXPECT(tanh, 20, 1);
    EXPECT(tanh, -20, -1);
    EXPECT(tanh, inf, 1);
    EXPECT(tanh, -inf, -1);

    EXPECT(sigmoid, 0, 0.5);
    EXPECT(sigmoid, 1000, 1);
    EXPECT(sigmoid, -1000, 0);
    EXPECT(sigmoid, inf, 1);
    EXPECT(sigmoid, -inf, 0);

    EXPECT(softplus, 1000, 1000);
    EXPECT(softplus, -1000, 0);
    EXPECT(softplus, huge, huge);
    EXPECT(softplus, inf, inf);
    EXPECT(softplus, -inf, 0);

    EXPECT(erf, 0, 0);
    EXPECT(erf, -0.0, -0.0);
    EXPECT(erf, 6, 1);
    EXPECT(erf, -6, -1);
    EXPECT(erf, inf, 1);
    EXPECT(erf, -inf, -1);

    EXPECT(sqrt, inf, inf);
    EXPECT(sqrt, -1, NAN);
    EXPECT(abs, -0.0, 0);
    EXPECT(abs, -inf, inf);
}

static void nan_gives_nan(void **state)
{
    (void)state;
    /* Both signs, and a payload in the low bits, where the exponent of exp is put together. */
    const float nans[] = {NAN, -NAN, from_bits(0x7fc000ff), from_bits(0xffffffff)};
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
        for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++)
            expect(functions[f].vector, functions[f].name, (real)nans[i], (real)NAN);
}

static void minimum_and_maximum_select(void **state)
{
    (void)state;
    const real nan = (real)NAN;
    assert_true(bs_vmin(1, 2) == 1 && bs_vmin(2, 1) == 1);
    assert_true(bs_vmax(1, 2) == 2 && bs_vmax(2, 1) == 2);
    assert_true(bs_vmin(nan, 1) == 1 && isnan(bs_vmin(1, nan)));
    assert_true(bs_vmax(nan, 1) == 1 && isnan(bs_vmax(1, nan)));
    assert_true(signbit(bs_vmin((real)0.0, (real)-0.0)));
    assert_true(!signbit(bs_vmin((real)-0.0, (real)0.0)));
}

/* Between `low` and `reached` a function climbs to `limit`: it may not pass it nor fall back by
 * more than its rounding, and from `reached` on it must be there. */
static void saturates(real (*f)(real), double low, double reached, real limit)
{
    double before = (double)f((real)low);
    for (double x = low; x < 2 * reached; x += (reached - low) / 30000) {
        real y = f((real)x);
        assert_true(y <= limit);
        assert_true(x < reached || y == limit);
        assert_true((double)y >= before - 2e-7);
        before = (double)y;
    }
}

static void saturation_is_final(void **state)
{
    (void)state;
    const int wide = sizeof(real) > sizeof(float);
    saturates(bs_vtanh, 5, wide ? 20 : 9.1, 1);
    saturates(bs_vsigmoid, 10, wide ? 38 : 17.4, 1);
    saturates(bs_verf, 2.5, wide ? 6 : 4, 1);

    int zero = 0;
    for (double x = -70; x > -1200; x -= 0.01) {
        real e = bs_vexp((real)x), s = bs_vsigmoid((real)x), l = bs_vsoftplus((real)x);
        assert_true(e >= 0 && s >= 0 && l >= 0);
        assert_true(!zero || e == 0);
        zero = e == 0;
    }
    assert_true(zero);
}

static void identities_hold(void **state)
{
    (void)state;
    for (double v = -40; v < 40; v += 0.00173) {
        const real   x = (real)v;
        const double s = (double)bs_vsigmoid(x);
        const double t = (double)bs_vtanh(x);
        const double l = (double)bs_vsoftplus(x);
        assert_true(fabs(s + (double)bs_vsigmoid(-x) - 1) < 2e-7);
        assert_true(fabs(t - (2 * (double)bs_vsigmoid(2 * x) - 1)) < 4e-7);
        assert_true(fabs(l - (double)bs_vsoftplus(-x) - (double)x) <= 3e-7 * (1 + fabs(v)));
        assert_true(fabs((double)bs_vlog(bs_vexp(x)) - (double)x) <= 2e-7 * (1 + fabs(v)));
        assert_true(fabs((double)(bs_vexp(x) * bs_vexp(-x)) - 1) < 4e-7);
        assert_true(bs_vtanh(-x) == -bs_vtanh(x));
        assert_true(bs_verf(-x) == -bs_verf(x));
    }
    for (double u = 0; u < 0.5; u += 1.0 / 65536)
        assert_true(fabs((double)(bs_vcos2pi((real)u) + bs_vcos2pi((real)(0.5 - u)))) < 3e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_as_stated), cmocka_unit_test(special_values),
        cmocka_unit_test(nan_gives_nan),        cmocka_unit_test(minimum_and_maximum_select),
        cmocka_unit_test(saturation_is_final),  cmocka_unit_test(identities_hold),
    };
    return cmocka_run_group_tests_name("vecmath", tests, NULL, NULL);
}
