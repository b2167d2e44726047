/* view.c -- see view.h. */
#include "model/view.h"

bs_view bs_view_make(bs_graph *g, bs_params *params, const bs_spec *spec, int rows, bool gold)
{
    bs_view v = {.g = g, .params = params, .spec = spec, .rows = rows};
    spec->task->leaves(&v, gold);
    return v;
}
