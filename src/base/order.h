/* order.h -- order of numbers, for qsort() and bsearch(). */
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

/* Something with a weight: the heaviest first, equal ones by number. */
typedef struct {
    int64_t which;
    double  weight;
} bs_ranked;

static inline int bs_heaviest_first(const void *a, const void *b)
{
    const bs_ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->which > y->which) - (x->which < y->which);
}

#endif
