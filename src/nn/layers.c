/* layers.c -- layers built from graph ops. */
#include "nn/layers.h"

#include <math.h>
#include <string.h>

enum { NAME = 200 };

static const char *join(char buf[NAME], const char *name, const char *part)
{
    bs_print(buf, NAME, "%s/%s", name, part);
    return buf;
}

bs_id bs_activate(bs_graph *g, bs_activation a, bs_id x)
{
    switch (a) {
    case BS_SOFTPLUS: return bs_softplus(g, x);
    case BS_RELU: return bs_relu(g, x);
    case BS_TANH: return bs_tanh(g, x);
    case BS_SIGMOID: return bs_sigmoid(g, x);
    case BS_GELU: return bs_gelu(g, x);
    case BS_LINEAR: break;
    }
    return x;
}

/* A stack of matrices times one weight is a single product of all their rows. */
static bs_id flat_product(bs_graph *g, bs_id x, bs_id w)
{
    bs_shape s = bs_shape_of(g, x), flat = bs_shape2(s.d[0] * s.d[1] * s.d[2], s.d[3]);
    bs_id    y = bs_matmul(g, bs_reshape(g, x, flat), w, false, false);
    return bs_reshape(g, y, bs_shape4(s.d[0], s.d[1], s.d[2], bs_shape_of(g, w).d[3]));
}

bs_id bs_linear(bs_nn *nn, const char *name, bs_id x, int out, bs_init init, bool bias)
{
    char           path[NAME];
    bs_graph      *g = nn->g;
    const bs_node *n = bs_graph_node(g, x);
    bool           sparse = n->type == BS_T_CSR;
    int            in = n->shape.d[3];
    bs_id          w = bs_param(g, nn->params, join(path, name, "W"), bs_shape2(in, out), init);
    bs_push(g, name);
    bs_id y = sparse ? bs_spmm(g, x, w) : flat_product(g, x, w);
    bs_pop(g);
    if (!bias)
        return y;
    bs_id b = bs_param(g, nn->params, join(path, name, "b"), bs_shape1(out), bs_init_zero());
    bs_push(g, name);
    y = bs_add(g, y, b);
    bs_pop(g);
    return y;
}

bs_id bs_one_hidden(bs_nn *nn, const char *name, bs_id x, int hidden, int out)
{
    char      path[NAME];
    const int in = bs_shape_of(nn->g, x).d[3], width = hidden < 0 ? out : hidden;
    if (width > 0)
        x = bs_softplus(
            nn->g, bs_linear(nn, join(path, name, "hidden"), x, width, bs_init_kaiming(in), true));
    const bs_init init = bs_init_xavier(width > 0 ? width : in, out);
    return bs_linear(nn, join(path, name, "out"), x, out, init, true);
}

/* x W for all members at once, x [n, in] or [M, n, in], between their factors. Those of the first
 * layer are random signs, which make the members differ. */
static bs_id member_layer(bs_nn *nn, const char *name, bs_id x, int out, int members, bool first)
{
    char      path[NAME];
    bs_graph *g = nn->g;
    const int in = bs_shape_of(g, x).d[3];
    bs_init   one = bs_init_constant(1);
    if (!first) {
        bs_id r = bs_param(g, nn->params, join(path, name, "r"), bs_shape3(members, 1, in), one);
        x = bs_mul(g, x, r);
    }
    bs_id y = bs_linear(nn, name, x, out, bs_init_kaiming(in), false);
    bs_id s = bs_param(g, nn->params, join(path, name, "s"), bs_shape3(members, 1, out),
                       first ? bs_init_sign() : one);
    bs_id b =
        bs_param(g, nn->params, join(path, name, "b"), bs_shape3(members, 1, out), bs_init_zero());
    return bs_add(g, bs_mul(g, y, s), b);
}

bs_id bs_mlp(bs_nn *nn, const char *name, bs_id x, const bs_mlp_shape *m)
{
    char path[NAME], number[16];
    for (int i = 0; i < m->layers; i++) {
        bs_print(number, sizeof number, "%d", i);
        int fan_in = bs_shape_of(nn->g, x).d[3];
        join(path, name, number);
        x = m->members > 1 ? member_layer(nn, path, x, m->width, m->members, i == 0)
                           : bs_linear(nn, path, x, m->width, bs_init_kaiming(fan_in), true);
        bs_push(nn->g, path);
        x = bs_activate(nn->g, m->activation, x);
        if (nn->training && (i + 1 < m->layers || m->dropout_last))
            x = bs_dropout(nn->g, x, m->dropout, nn->stream++);
        bs_pop(nn->g);
    }
    return x;
}

/* The weights TO/X/W that belong to factors FROM/X/r or FROM/X/s; NULL if the segment is
 * neither. */
static const bs_segment *weights_beside(const bs_params *p, const char *factor, const char *from,
                                        const char *to)
{
    char         path[NAME];
    const size_t n = strlen(factor);
    if (!bs_params_has_prefix(factor, from) || n < 2 || factor[n - 2] != '/' ||
        (factor[n - 1] != 'r' && factor[n - 1] != 's'))
        return NULL;
    const char *rest = factor + strlen(from);
    bs_print(path, NAME, "%s%.*sW", to, (int)strlen(rest) - 1, rest);
    return bs_params_find(p, path);
}

static basin_status fold(bs_params *p, const bs_segment *f, const bs_segment *w, basin_error *err)
{
    const bool    rows = f->name[strlen(f->name) - 1] == 'r';
    const int64_t columns = w->shape.d[3];
    real         *factor, *x;
    basin_status  s = bs_params_map(p, f, BS_READ, &factor, err);
    if (s)
        return s;
    s = bs_params_map(p, w, BS_READ_WRITE, &x, err);
    if (!s) {
        for (int64_t k = 0; k < w->count; k++)
            x[k] *= factor[rows ? k / columns : k % columns];
        bs_params_unmap(p, w, BS_READ_WRITE, x);
    }
    bs_params_unmap(p, f, BS_READ, factor);
    return s;
}

basin_status bs_member_fold(bs_params *p, const char *from, const char *to, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < p->n && !s; i++) {
        const bs_segment *f = &p->segment[i], *w = weights_beside(p, f->name, from, to);
        if (w)
            s = fold(p, f, w, err);
    }
    return s;
}

bs_id bs_embedding(bs_nn *nn, const char *name, bs_id index, int rows, int width, bs_init init)
{
    bs_id table = bs_param(nn->g, nn->params, name, bs_shape2(rows, width), init);
    bs_push(nn->g, name);
    bs_id y = bs_gather(nn->g, table, index);
    bs_pop(nn->g);
    return y;
}

/* One direction: one product for the inputs of all steps, then the recurrence. Bounds are the usual
 * 1/sqrt(H); the forget gate starts open (bias 1). */
bs_id bs_lstm_layer(bs_nn *nn, const char *name, bs_id x, bs_id len, int H, bool reverse)
{
    char      path[NAME];
    bs_graph *g = nn->g;
    bs_init   init = bs_init_uniform(1 / sqrt(H));
    int       D = bs_shape_of(g, x).d[3];
    bs_id     wx = bs_param(g, nn->params, join(path, name, "Wx"), bs_shape2(D, 4 * H), init);
    bs_id     wh = bs_param(g, nn->params, join(path, name, "Wh"), bs_shape2(H, 4 * H), init);
    bs_id     b =
        bs_param(g, nn->params, join(path, name, "b"), bs_shape1(4 * H), bs_init_gate_bias(1));
    bs_push(g, name);
    bs_id xp = bs_add(g, flat_product(g, x, wx), b);
    bs_id h = bs_lstm(g, xp, wh, len, reverse);
    bs_pop(g);
    return h;
}

bs_id bs_bilstm(bs_nn *nn, const char *name, bs_id x, bs_id len, int hidden, int layers,
                double dropout)
{
    char path[NAME], part[32];
    for (int i = 0; i < layers; i++) {
        if (nn->training)
            x = bs_dropout(nn->g, x, dropout, nn->stream++);
        bs_print(part, sizeof part, "%d/forward", i);
        bs_id forward = bs_lstm_layer(nn, join(path, name, part), x, len, hidden, false);
        bs_print(part, sizeof part, "%d/backward", i);
        bs_id backward = bs_lstm_layer(nn, join(path, name, part), x, len, hidden, true);
        x = bs_concat(nn->g, forward, backward, -1);
    }
    return nn->training ? bs_dropout(nn->g, x, dropout, nn->stream++) : x;
}

bs_id bs_conv_layer(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride, int pad,
                    bs_activation activation)
{
    char      path[NAME];
    bs_graph *g = nn->g;
    int       in = bs_shape_of(g, x).d[1];
    bs_id     w = bs_param(g, nn->params, join(path, name, "W"), bs_shape4(out, in, kernel, kernel),
                           bs_init_kaiming(in * kernel * kernel));
    bs_id     b =
        bs_param(g, nn->params, join(path, name, "b"), bs_shape4(1, out, 1, 1), bs_init_zero());
    bs_push(g, name);
    bs_id y = bs_activate(g, activation, bs_add(g, bs_conv(g, x, w, stride, pad), b));
    bs_pop(g);
    return y;
}

bs_id bs_conv_stack(bs_nn *nn, const char *name, bs_id x, const bs_conv_shape *layer, int n,
                    bs_id *keep)
{
    char path[NAME], number[16];
    for (int i = 0; i < n; i++) {
        bs_print(number, sizeof number, "%d", i);
        x = bs_conv_layer(nn, join(path, name, number), x, layer[i].channels, layer[i].kernel,
                          layer[i].stride, layer[i].pad, layer[i].activation);
        if (keep)
            keep[i] = x;
    }
    return x;
}
