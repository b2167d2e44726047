/* nets.c -- builds the task net, plain or with members, and the parts of the energy. */
#include "task/mlc/nets.h"

enum { X, PIECE, POSITION, START, POOL };

int bs_mlc_columns(const bs_mlc_shape *s)
{
    return s->features + (s->found ? s->text->width : 0);
}

bool bs_mlc_reads_text(const bs_mlc_shape *s)
{
    return s->text && !s->found;
}

void bs_mlc_inputs(bs_graph *g, const bs_mlc_shape *s, bs_size size, bs_inputs *x)
{
    const int     columns = bs_mlc_columns(s), rows = size.rows, pieces = size.length;
    const bs_type type = s->sparse ? BS_T_CSR : BS_T_REAL;
    bs_inputs_add(g, x, columns > 0 ? bs_leaf(g, "x", type, bs_shape2(rows, columns)) : 0);
    if (!bs_mlc_reads_text(s))
        return;
    bs_inputs_add(g, x, bs_leaf(g, "piece", BS_T_INT, bs_shape1(pieces)));
    bs_inputs_add(g, x, bs_leaf(g, "position", BS_T_INT, bs_shape1(pieces)));
    bs_inputs_add(g, x, bs_leaf(g, "start", BS_T_INT, bs_shape1(rows + 1)));
    bs_inputs_add(g, x, bs_leaf(g, "pool", BS_T_CSR, bs_shape2(rows, pieces)));
}

/* clamp(x scale + shift, 0, 1) for each bin of a feature: how far x has come through the bin. The
 * two tables come from the training rows and are not trained. */
static bs_id encoded(bs_nn *nn, const bs_mlc_shape *s, bs_id x)
{
    bs_graph *g = nn->g;
    if (s->bins == 0)
        return x;
    const int rows = bs_shape_of(g, x).d[2];
    bs_shape  table = bs_shape2(s->features, s->bins);
    bs_id     scale = bs_param_frozen(g, nn->params, "bins/scale", table, bs_init_zero());
    bs_id     shift = bs_param_frozen(g, nn->params, "bins/shift", table, bs_init_zero());
    bs_push(g, "bins");
    x = bs_reshape(g, x, bs_shape3(rows, s->features, 1));
    x = bs_clamp(g, bs_add(g, bs_mul(g, x, scale), shift), 0, 1);
    bs_pop(g);
    return bs_reshape(g, x, bs_shape2(rows, s->features * s->bins));
}

/* Means and scales of what a fixed encoder finds, as if it were columns of the file. */
static bs_id standardised(bs_nn *nn, const bs_mlc_shape *s, bs_id x)
{
    const bs_shape line = bs_shape1(s->text->width);
    bs_id          mean = bs_param_frozen(nn->g, nn->params, "found/mean", line, bs_init_zero());
    bs_id scale = bs_param_frozen(nn->g, nn->params, "found/scale", line, bs_init_constant(1));
    return x ? bs_mul(nn->g, bs_sub(nn->g, x, mean), scale) : 0;
}

bs_id bs_mlc_documents(bs_nn *nn, const char *name, const bs_mlc_shape *s, const bs_inputs *x)
{
    const bs_transformer_input in = {
        .piece = x->id[PIECE], .position = x->id[POSITION], .start = x->id[START]};
    bs_transformer_use use = s->use;
    if (bs_params_has_prefix(name, "energy"))
        use.rate = s->energy_rate;
    bs_id hidden = bs_transformer(nn, name, s->text, &use, &in);
    bs_id pooled = bs_transformer_pool(nn, name, s->text, &use, hidden, x->id[POOL]);
    if (use.fixed)
        return standardised(nn, s, pooled);
    return nn->training ? bs_dropout(nn->g, pooled, use.dropout, nn->stream++) : pooled;
}

/* Everything that the layers see of a row. */
static bs_id everything(bs_nn *nn, const char *name, const bs_mlc_shape *s, const bs_inputs *x)
{
    bs_id columns = x->id[X] ? encoded(nn, s, x->id[X]) : 0;
    if (!bs_mlc_reads_text(s))
        return columns;
    bs_id found = bs_mlc_documents(nn, name, s, x);
    return columns ? bs_concat(nn->g, columns, found, -1) : found;
}

bs_id bs_mlc_features(bs_nn *nn, const char *name, const bs_mlc_shape *s, const bs_inputs *x)
{
    char  path[64];
    bs_id found[BS_SCALES];
    if (s->found) { /* for the model, which reads texts by itself */
        bs_transformer_declare(nn, s->text);
        standardised(nn, s, 0);
    }
    const bs_encoder_input in = {.x = everything(nn, name, s, x)};
    const bs_encoder_shape e = {s->layers, s->width, s->members, s->dropout, false, s->own};
    bs_print(path, sizeof path, "%s/T", name);
    s->net->features(nn, path, &e, &in, found);
    return found[0];
}

/* Members have their own label vectors. */
static bs_id member_heads(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id features)
{
    char      path[80];
    bs_graph *g = nn->g;
    bs_init   init = bs_init_xavier(s->width, s->labels);
    bs_print(path, sizeof path, "%s/W", name);
    bs_id w = bs_param(g, nn->params, path, bs_shape3(s->members, s->width, s->labels), init);
    bs_push(g, name);
    bs_id z = bs_matmul(g, features, w, false, false);
    bs_pop(g);
    if (s->bias) {
        bs_shape shape = bs_shape3(s->members, 1, s->labels);
        bs_print(path, sizeof path, "%s/b", name);
        z = bs_add(g, z, bs_param(g, nn->params, path, shape, bs_init_zero()));
    }
    return bs_permute(g, z, 0, 2, 1, 3);
}

bs_id bs_mlc_head(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id features)
{
    char path[64];
    bs_print(path, sizeof path, "%s/labels", name);
    if (bs_shape_of(nn->g, features).d[1] > 1)
        return member_heads(nn, path, s, features);
    const bool zero = s->corrects && bs_params_has_prefix(name, "energy");
    bs_init    init = zero ? bs_init_zero() : bs_init_xavier(s->width, s->labels);
    bs_id      z = bs_linear(nn, path, features, s->labels, init, s->bias);
    return bs_reshape(nn->g, z, bs_shape3(bs_shape_of(nn->g, z).d[2], 1, s->labels));
}

bs_id bs_mlc_net(bs_nn *nn, const char *name, const bs_mlc_shape *s, const bs_inputs *x)
{
    return bs_mlc_head(nn, name, s, bs_mlc_features(nn, name, s, x));
}

bs_id bs_mlc_label_weights(bs_nn *nn, const bs_mlc_shape *s)
{
    return bs_param(nn->g, nn->params, "energy/M/W", bs_shape2(s->labels, s->hidden),
                    bs_init_kaiming(s->labels));
}

bs_id bs_mlc_over_product(bs_nn *nn, const bs_mlc_shape *s, bs_id product)
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

bs_id bs_mlc_over_labels(bs_nn *nn, const bs_mlc_shape *s, bs_id y)
{
    bs_graph *g = nn->g;
    if (!s->energy->top)
        return bs_scale(g, s->energy->whole(nn, s, y), s->scale);
    bs_id M = bs_mlc_label_weights(nn, s);
    return bs_mlc_over_product(nn, s,
                               bs_graph_node(g, y)->type == BS_T_BITS
                                   ? bs_bits_matmul(g, y, M)
                                   : bs_matmul(g, y, M, false, false));
}
