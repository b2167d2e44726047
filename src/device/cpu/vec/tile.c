/* tile.c -- one tight loop per elementwise op, for the fused groups.
 *
 * No restrict: out may be one of the operands, at the same index, which the
 * simd pragma allows. An op that is missing here runs through its scalar
 * function; adding it is one line. */
#include "device/cpu/vec.h"
#include "graph/vecmath.h"

static inline real clamped(real x, real lo, real hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

#define TILE(op, expression)                                                                    \
    static void op(real *out, const real *x, const real *y, const real *z, const double *value, \
                   int n)                                                                       \
    {                                                                                           \
        const real v0 = (real)value[0], v1 = (real)value[1];                                    \
        (void)x, (void)y, (void)z, (void)v0, (void)v1;                                          \
        _Pragma("omp simd")                                                                     \
        for (int i = 0; i < n; i++)                                                             \
            out[i] = (expression);                                                              \
    }

TILE(tile_add, x[i] + y[i])
TILE(tile_sub, x[i] - y[i])
TILE(tile_mul, x[i] * y[i])
TILE(tile_div, x[i] / y[i])
TILE(tile_minimum, y[i] < x[i] ? y[i] : x[i])
TILE(tile_maximum, x[i] < y[i] ? y[i] : x[i])
TILE(tile_less, x[i] < y[i] ? BS_REAL(1.0) : BS_REAL(0.0))
TILE(tile_where, x[i] != 0 ? y[i] : z[i])
TILE(tile_neg, -x[i])
TILE(tile_scale, x[i] * v0)
TILE(tile_offset, x[i] + v0)
TILE(tile_abs, bs_vabs(x[i]))
TILE(tile_sign, x[i] > 0 ? BS_REAL(1.0) : x[i] < 0 ? BS_REAL(-1.0) : BS_REAL(0.0))
TILE(tile_clamp, clamped(x[i], v0, v1))
TILE(tile_sqrt, bs_vsqrt(x[i]))
TILE(tile_expand, x[i])
TILE(tile_exp, bs_vexp(x[i]))
TILE(tile_log, bs_vlog(x[i]))
TILE(tile_log1p, bs_vlog1p(x[i]))
TILE(tile_relu, x[i] <= 0 ? BS_REAL(0.0) : x[i])
TILE(tile_leaky_relu, x[i] > 0 ? x[i] : x[i] * v0)
TILE(tile_softplus, bs_vsoftplus(x[i]))
TILE(tile_sigmoid, bs_vsigmoid(x[i]))
TILE(tile_tanh, bs_vtanh(x[i]))
TILE(tile_erf, bs_verf(x[i]))
TILE(tile_gelu, bs_vgelu(x[i]))
TILE(tile_gelu_slope, bs_vgelu_slope(x[i]))
TILE(tile_fill, v0)

#define ENTRY(name) [BS_OP_##name] = tile_##name

extern const bs_vec_tile BS_V(bs_vec_tile);
const bs_vec_tile        BS_V(bs_vec_tile) = {
           .op = {ENTRY(add),        ENTRY(sub),      ENTRY(mul),     ENTRY(div),   ENTRY(minimum),
                  ENTRY(maximum),    ENTRY(less),     ENTRY(where),   ENTRY(neg),   ENTRY(scale),
                  ENTRY(offset),     ENTRY(abs),      ENTRY(sign),    ENTRY(clamp), ENTRY(sqrt),
                  ENTRY(expand),     ENTRY(exp),      ENTRY(log),     ENTRY(log1p), ENTRY(relu),
                  ENTRY(leaky_relu), ENTRY(softplus), ENTRY(sigmoid), ENTRY(tanh),  ENTRY(erf),
                  ENTRY(gelu_slope), ENTRY(gelu),     ENTRY(fill)},
};
