/* inherit.h -- parameters that begin with the values of an earlier model.
 *
 * Tables grow with the data: a row for each feature, a column for each label. So a parameter is
 * matched by its name and, along the axes that grow, by what each of their units is called. Which
 * axes these are is found out by declaring the nets once more with one unit more of a kind. */
#ifndef BS_INHERIT_H
#define BS_INHERIT_H

#include "nn/params.h"

enum { BS_AXES = 4 };

/* Where the numbers of unit u of n are on an axis that has `each` of them for a unit. */
typedef enum {
    BS_AXIS_SIDE_BY_SIDE, /* u each + j: the bins of a feature */
    BS_AXIS_COPIES,       /* j n + u: a row of all labels, then another one */
    BS_AXIS_LAST,         /* the same, behind all that does not grow */
} bs_axis_order;

typedef struct {
    bs_axis_order  order;
    int32_t        was, is; /* units of the earlier model, and now */
    const int32_t *from;    /* [is]: which of the earlier ones it is; -1: none */
} bs_units;

/* Borrows everything. */
typedef struct {
    const bs_params *values;
    const bs_params *grown[BS_AXES]; /* declared with one unit more, without values */
    bs_units         axis[BS_AXES];
    int              n;    /* axes */
    const char      *name; /* of the earlier model, for messages */
} bs_heritage;

/* Refuses parameters of another shape: a net that the earlier model has, and `p`, must be the same
 * in both but for what grows. */
basin_status bs_inherit_check(const bs_heritage *h, const bs_params *p, basin_error *err);

/* Those called so take over what there is; all else of them stays as it is. */
void bs_inherit(const bs_heritage *h, bs_params *p, const char *prefix);

#endif
