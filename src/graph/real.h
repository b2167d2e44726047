/* real.h -- the number type of all values in a graph.
 *
 * Programs run in float. Gradient checks compile the same kernels again with BS_DOUBLE: central
 * differences in float cannot tell right derivatives from wrong ones. */
#ifndef BS_REAL_H
#define BS_REAL_H

#include <float.h>

#ifdef BS_DOUBLE
typedef double real;
#define BS_REAL_MAX DBL_MAX
#define BS_REAL_EPS DBL_EPSILON
#else
typedef float real;
#define BS_REAL_MAX FLT_MAX
#define BS_REAL_EPS FLT_EPSILON
#endif

/* A constant of type real. A cast rather than a suffix, so that BS_REAL(1) works too. */
#define BS_REAL(x) ((real)(x))

#endif
