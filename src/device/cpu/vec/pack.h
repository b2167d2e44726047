/* pack.h -- the vectors of an instruction set, as the compiler has them (vector_size): one source
 * for all sets. */
#ifndef BS_PACK_H
#define BS_PACK_H

#include "graph/real.h"

#if defined __AVX512F__
enum { PACK_BYTES = 64 };
#elif defined __AVX2__
enum { PACK_BYTES = 32 };
#else
enum { PACK_BYTES = 16 };
#endif
enum { LANES = PACK_BYTES / sizeof(real) };

typedef real pack __attribute__((vector_size(PACK_BYTES), may_alias));
/* the same where alignment is only that of its elements */
typedef real loose __attribute__((vector_size(PACK_BYTES), aligned(sizeof(real)), may_alias));

/* gcc keeps an array in registers only if told to unroll early, clang only if not told */
#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define FIXED static inline __attribute__((always_inline))

#endif
