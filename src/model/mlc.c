/* mlc.c -- see mlc.h. */
#include "model/mlc.h"

bs_id bs_mlc_input(bs_graph *g, const bs_mlc_shape *s, int rows)
{
    return bs_leaf(g, "x", s->sparse ? BS_T_CSR : BS_T_REAL, bs_shape2(rows, s->features));
}

bs_id bs_mlc_features(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id x)
{
    char         path[64];
    bs_mlp_shape mlp = {s->layers, s->width, BS_SOFTPLUS, s->dropout, false};
    bs_print(path, sizeof path, "%s/T", name);
    return bs_mlp(nn, path, x, &mlp);
}

bs_id bs_mlc_head(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id features)
{
    char path[64];
    bs_print(path, sizeof path, "%s/labels", name);
    return bs_linear(nn, path, features, s->labels, bs_init_xavier(s->width, s->labels), false);
}

bs_id bs_mlc_net(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id x)
{
    return bs_mlc_head(nn, name, s, bs_mlc_features(nn, name, s, x));
}

bs_id bs_mlc_label_weights(bs_nn *nn, const bs_mlc_shape *s)
{
    return bs_param(nn->g, nn->params, "energy/M/W", bs_shape2(s->labels, s->hidden),
                    bs_init_kaiming(s->labels));
}

bs_id bs_mlc_over_labels(bs_nn *nn, const bs_mlc_shape *s, bs_id product)
{
    bs_graph *g = nn->g;
    bs_id     bias = bs_param(g, nn->params, "energy/M/b", bs_shape1(s->hidden), bs_init_zero());
    bs_push(g, "energy/global");
    bs_id h = bs_add(g, product, bias);
    if (s->shift) /* M (2 y - 1) = 2 M y - M 1 */
        h = bs_sub(g, bs_add(g, product, h), bs_sum_axis(g, bs_mlc_label_weights(nn, s), -2));
    bs_id score = bs_scale(g, s->energy->top(nn, s->hidden, h), s->scale);
    bs_pop(g);
    return score;
}
