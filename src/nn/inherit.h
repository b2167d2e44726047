/* inherit.h -- parameters that start with the values of an earlier model.
 *
 * Tables grow with the data: a row for each feature, a column for each label. So a parameter is
 * matched by its name and, along the axes that grow, by the names of their units. Which axes grow
 * is found by declaring the nets once more with one unit more of a kind. */
#ifndef BS_INHERIT_H
#define BS_INHERIT_H

#include "nn/params.h"

enum { BS_AXES = 4 };

/* Where the numbers of unit u of n are on an axis with `each` of them per unit. */
typedef enum {
    BS_AXIS_SIDE_BY_SIDE, /* u each + j: the bins of a feature */
    BS_AXIS_COPIES,       /* j n + u: a row of all labels, then another one */
    BS_AXIS_LAST,         /* the same, after everything that does not grow */
} bs_axis_order;

typedef struct {
    bs_axis_order  order;
    int32_t        was, is; /* units in the earlier model, and now */
    const int32_t *from;    /* [is]: its number in the earlier model; -1: new */
} bs_units;

/* Borrows everything. */
typedef struct {
    const bs_params *values;
    const bs_params *grown[BS_AXES]; /* declared with one unit more, without values */
    bs_units         axis[BS_AXES];
    int              n;    /* axes */
    const char      *name; /* of the earlier model, for messages */
} bs_warm_start;

/* Refuses parameters of other shapes: a net of the earlier model that `p` also has must be the same
 * except for what grows. */
basin_status bs_inherit_check(const bs_warm_start *h, const bs_params *p, basin_error *err);

/* Parameters with this prefix take over what exists; the rest of them is left alone. */
basin_status bs_inherit(const bs_warm_start *h, bs_params *p, const char *prefix, basin_error *err);

#endif
