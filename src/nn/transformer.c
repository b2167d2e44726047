/* transformer.c -- transformer encoders of text. */
#include "nn/transformer.h"

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
