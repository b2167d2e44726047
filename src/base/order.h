/* order.h -- ascending order of numbers, for qsort() and bsearch(). */
#ifndef BS_ORDER_H
#define BS_ORDER_H

#include <stdint.h>

#define BS_ORDER(name, type)                                   \
    static inline int name(const void *a, const void *b)       \
    {                                                          \
        const type x = *(const type *)a, y = *(const type *)b; \
        return (x > y) - (x < y);                              \
    }
BS_ORDER(bs_by_int32, int32_t)
BS_ORDER(bs_by_uint64, uint64_t)
BS_ORDER(bs_by_float, float)
BS_ORDER(bs_by_double, double)
#undef BS_ORDER

#endif
