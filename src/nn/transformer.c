/* transformer.c -- transformer encoders of text.
 *
 * A layer is six products and what lies between them: attention, two normalised sums and an
 * activation. Where nothing below is trained, the same nodes serve all nets. */
#include "nn/transformer.h"

#include <math.h>

int bs_transformer_longest(const bs_transformer_shape *s)
{
    return s->positions - s->first_position;
}

/* ---- parameters ---- */

enum { OUTER = 5, PER_LAYER = 12 };

static bool of_layer(const bs_transformer_shape *s, int layer, int i, bs_transformer_param *out)
{
    const int d = s->width;
    const struct {
        const char *name;
        bs_shape    shape;
    } param[PER_LAYER] = {
        {"qkv/W", bs_shape2(d, 3 * d)},     {"qkv/b", bs_shape1(3 * d)},
        {"mix/W", bs_shape2(d, d)},         {"mix/b", bs_shape1(d)},
        {"mix/gain", bs_shape1(d)},         {"mix/bias", bs_shape1(d)},
        {"up/W", bs_shape2(d, s->inner)},   {"up/b", bs_shape1(s->inner)},
        {"down/W", bs_shape2(s->inner, d)}, {"down/b", bs_shape1(d)},
        {"down/gain", bs_shape1(d)},        {"down/bias", bs_shape1(d)},
    };
    bs_print(out->name, sizeof out->name, "%d/%s", layer, param[i].name);
    out->shape = param[i].shape;
    return true;
}

bool bs_transformer_param_at(const bs_transformer_shape *s, int i, bs_transformer_param *out)
{
    const int d = s->width;
    const struct {
        bool        exists;
        const char *name;
        bs_shape    shape;
    } outer[] = {
        {true, "word", bs_shape2(s->vocabulary, d)},
        {true, "position", bs_shape2(s->positions, d)},
        {s->types > 0, "type", bs_shape2(s->types, d)},
        {true, "norm/gain", bs_shape1(d)},
        {true, "norm/bias", bs_shape1(d)},
        {s->pooler, "pooler/W", bs_shape2(d, d)},
        {s->pooler, "pooler/b", bs_shape1(d)},
    };
    const int before = OUTER - (s->types > 0 ? 0 : 1), inside = s->layers * PER_LAYER;
    if (i >= before && i < before + inside)
        return of_layer(s, (i - before) / PER_LAYER, (i - before) % PER_LAYER, out);
    int at = i < before ? i : i - inside;
    for (int k = 0; k < (int)(sizeof outer / sizeof outer[0]); k++)
        if (outer[k].exists && at-- == 0) {
            bs_print(out->name, sizeof out->name, "%s", outer[k].name);
            out->shape = outer[k].shape;
            return true;
        }
    return false;
}

/* ---- layers ---- */

/* Where a part of an encoder has its parameters. */
typedef struct {
    bs_nn                      *nn;
    const char                 *name; /* of the net */
    const bs_transformer_shape *s;
    const bs_transformer_use   *u;
    int                         layer; /* -1: the tables; s->layers: the pooler */
    bool                        trained;
} place;

static place place_of(bs_nn *nn, const char *name, const bs_transformer_shape *s,
                      const bs_transformer_use *u, int layer)
{
    const bool all = u->trained >= s->layers;
    const bool trained = layer < 0 ? all : layer >= s->layers - u->trained;
    return (place){nn, name, s, u, layer, trained && !u->fixed};
}

enum { PATH = 200 };

/* Values come from a folder; what an encoder has not, adapters, is made of `init`. */
static bs_id param(const place *p, const char *part, bs_shape shape, bs_init init, bool trained)
{
    bs_params *all = p->nn->params;
    char       path[PATH], number[16] = "";
    const bool inside = p->layer >= 0 && p->layer < p->s->layers;
    if (inside)
        bs_print(number, sizeof number, "%d/", p->layer);
    bs_print(path, sizeof path, "%s%sencoder/%s%s", trained ? p->name : "", trained ? "/" : "",
             number, part);
    if (!trained)
        return bs_param_frozen(p->nn->g, all, path, shape, init);
    bs_id id = bs_param(p->nn->g, all, path, shape, init);
    if (!id)
        return 0;
    bs_segment *segment = &all->segment[bs_graph_node(p->nn->g, id)->attr[0]];
    const int   below = p->s->layers - 1 - (p->layer < p->s->layers ? p->layer : p->s->layers - 1);
    segment->rate = p->u->rate * pow(p->u->decay, below);
    segment->decay = shape.d[2] > 1 ? 1 : 0;
    return id;
}

static bs_id linear(const place *p, const char *part, bs_id x, int out, bs_init init, bool trained)
{
    char      path[PATH];
    bs_graph *g = p->nn->g;
    bs_print(path, sizeof path, "%s/W", part);
    bs_id w = param(p, path, bs_shape2(bs_shape_of(g, x).d[3], out), init, trained);
    bs_print(path, sizeof path, "%s/b", part);
    bs_id b = param(p, path, bs_shape1(out), bs_init_zero(), trained);
    return bs_add(g, bs_matmul(g, x, w, false, false), b);
}

static bs_id known_linear(const place *p, const char *part, bs_id x, int out)
{
    return linear(p, part, x, out, bs_init_zero(), p->trained);
}

static bs_id normalised(const place *p, const char *part, bs_id x)
{
    char           path[PATH];
    const bs_shape line = bs_shape1(p->s->width);
    bs_print(path, sizeof path, "%s/gain", part);
    bs_id gain = param(p, path, line, bs_init_constant(1), p->trained);
    bs_print(path, sizeof path, "%s/bias", part);
    bs_id bias = param(p, path, line, bs_init_zero(), p->trained);
    return bs_layer_norm(p->nn->g, x, gain, bias, p->s->eps);
}

static bs_id dropped(const place *p, bs_id x)
{
    const bool on = p->nn->training && p->trained && p->u->dropout > 0;
    return on ? bs_dropout(p->nn->g, x, p->u->dropout, p->nn->stream++) : x;
}

static bs_id activated(const place *p, bs_id x)
{
    bs_graph *g = p->nn->g;
    if (p->s->gate == BS_GATE_RELU)
        return bs_relu(g, x);
    if (p->s->gate == BS_GATE_GELU)
        return bs_gelu(g, x);
    bs_id cube = bs_mul(g, x, bs_square(g, x));
    bs_id inside = bs_scale(g, bs_add(g, x, bs_scale(g, cube, 0.044715)), 0.79788456080286535588);
    return bs_scale(g, bs_mul(g, x, bs_offset(g, bs_tanh(g, inside), 1)), 0.5);
}

static bs_id embedded(const place *p, const bs_transformer_input *in)
{
    bs_graph                   *g = p->nn->g;
    const bs_transformer_shape *s = p->s;
    const bs_init               none = bs_init_zero();
    bs_id word = param(p, "word", bs_shape2(s->vocabulary, s->width), none, p->trained);
    bs_id position = param(p, "position", bs_shape2(s->positions, s->width), none, p->trained);
    bs_id x = bs_add(g, bs_gather(g, word, in->piece), bs_gather(g, position, in->position));
    if (s->types > 0) {
        bs_id type = param(p, "type", bs_shape2(s->types, s->width), none, p->trained);
        x = bs_add(g, x, bs_slice(g, type, -2, 0, 1));
    }
    return dropped(p, normalised(p, "norm", x));
}

/* With adapters, the second normalised sum is made twice: what it would be without is what the
 * adapter reads. */
static bs_id layer(const place *p, const bs_transformer_input *in, bs_id x)
{
    bs_graph                   *g = p->nn->g;
    const bs_transformer_shape *s = p->s;
    bs_id                       qkv = known_linear(p, "qkv", x, 3 * s->width);
    const int                   longest = bs_transformer_longest(s);
    bs_id mixed = p->u->closed ? bs_attention_unrolled(g, qkv, in->same, s->heads)
                               : bs_attention(g, qkv, in->start, s->heads, longest);
    mixed = dropped(p, known_linear(p, "mix", mixed, s->width));
    x = normalised(p, "mix", bs_add(g, mixed, x));
    bs_id up = activated(p, known_linear(p, "up", x, s->inner));
    bs_id sum = bs_add(g, dropped(p, known_linear(p, "down", up, s->width)), x);
    bs_id y = normalised(p, "down", sum);
    if (p->u->adapter == 0)
        return y;
    const bs_init init = bs_init_normal(0.02);
    bs_id         h = bs_relu(g, linear(p, "adapter/down", y, p->u->adapter, init, true));
    return normalised(p, "down", bs_add(g, sum, linear(p, "adapter/up", h, s->width, init, true)));
}

bs_id bs_transformer(bs_nn *nn, const char *name, const bs_transformer_shape *s,
                     const bs_transformer_use *u, const bs_transformer_input *in)
{
    char  label[PATH];
    place p = place_of(nn, name, s, u, -1);
    bs_push(nn->g, "encoder");
    bs_id x = embedded(&p, in);
    for (int i = 0; i < s->layers; i++) {
        bs_print(label, sizeof label, "%d", i);
        p = place_of(nn, name, s, u, i);
        bs_push(nn->g, label);
        x = layer(&p, in, x);
        bs_pop(nn->g);
    }
    bs_pop(nn->g);
    return x;
}

void bs_transformer_declare(bs_nn *nn, const bs_transformer_shape *s)
{
    bs_transformer_param p;
    char                 path[PATH];
    for (int i = 0; bs_transformer_param_at(s, i, &p); i++) {
        bs_print(path, sizeof path, "encoder/%s", p.name);
        bs_param_frozen(nn->g, nn->params, path, p.shape, bs_init_zero());
    }
}

bs_id bs_transformer_pool(bs_nn *nn, const char *name, const bs_transformer_shape *s,
                          const bs_transformer_use *u, bs_id hidden, bs_id csr)
{
    place p = place_of(nn, name, s, u, s->layers);
    bs_id x = bs_spmm(nn->g, csr, hidden);
    return s->pooler ? bs_tanh(nn->g, known_linear(&p, "pooler", x, s->width)) : x;
}
