/* mlc.c -- see mlc.h. */
#include "model/mlc.h"

#include <stdio.h>

bs_id bs_mlc_input(bs_graph *g, const bs_mlc_shape *s, int rows)
{
    return bs_leaf(g, "x", s->sparse ? BS_T_CSR : BS_T_REAL, bs_shape2(rows, s->features));
}

bs_id bs_mlc_features(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id x)
{
    char         path[64];
    bs_mlp_shape mlp = {s->layers, s->width, BS_SOFTPLUS, s->dropout, false};
    snprintf(path, sizeof path, "%s/T", name);
    return bs_mlp(nn, path, x, &mlp);
}

bs_id bs_mlc_head(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id features)
{
    char path[64];
    snprintf(path, sizeof path, "%s/labels", name);
    return bs_linear(nn, path, features, s->labels, bs_init_xavier(s->width, s->labels), false);
}

bs_id bs_mlc_net(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id x)
{
    return bs_mlc_head(nn, name, s, bs_mlc_features(nn, name, s, x));
}
