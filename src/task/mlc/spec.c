/* spec.c -- the nets that options and data define, and their first values. */
#include <string.h>

#include "task/mlc/data.h"

basin_status bs_mlc_spec(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                         basin_error *err)
{
    bs_mlc_shape shape = {.features = bs_schema_mlc(k)->n_features,
                          .labels = bs_schema_mlc(k)->n_labels,
                          .sparse = bs_mlc_is_sparse(bs_schema_mlc(k)),
                          .layers = o->net_layers,
                          .width = o->net_width,
                          .dropout = o->net_dropout,
                          .bias = o->net_bias,
                          .members = o->net_members,
                          .bins = bs_mlc_is_sparse(bs_schema_mlc(k)) ? 0 : o->net_bins,
                          .shared = strcmp(o->energy_encoder, "shared") == 0,
                          .hidden = o->energy_hidden,
                          .scale = o->energy_scale,
                          .shift = o->energy_shift,
                          .corrects = strcmp(o->energy_base, "net") == 0};
    const char  *energy = strcmp(o->energy_kind, "auto") == 0 ? "label" : o->energy_kind;
    basin_status s = bs_find_pointer(&bs_energy_kinds, energy, &shape.energy, err);
    if (!s && strcmp(energy, "tree") == 0 && !bs_energy_tree_has_parents(bs_schema_mlc(k)))
        s = bs_fail(err, BASIN_EARG,
                    "energy.kind: tree is for labels with a hierarchy, whose names are paths such "
                    "as 01/02; here no label is below another");
    if (!s)
        s = bs_encoder_find(o->net_kind, BS_READS_ROWS, &shape.net, err);
    if (!s && o->net_members > 1 && !shape.net->members)
        s = bs_fail(err, BASIN_EARG, "net.members: a net.kind of %s has only one", shape.net->name);
    if (!s && o->net_members > 1 && shape.shared)
        s = bs_fail(err, BASIN_EARG,
                    "energy.encoder: a net with members has several of them; use own");
    if (!s && bs_preprocess_mlc(k)->text)
        s = bs_mlc_text_spec(bs_preprocess_mlc(k)->text, o, &shape, err);
    if (!s)
        shape.own = bs_encoder_options(o, shape.net);
    *out = bs_net_spec_make(&bs_task_space_mlc, (bs_size){1, 1, 1}, &shape, sizeof shape);
    return s;
}

/* Attention has one derivative. */
basin_status bs_mlc_check(const bs_train_options *o, basin_error *err)
{
    if (!*o->encoder || strcmp(o->encoder_train, "none") == 0 ||
        !bs_params_has_prefix(o->method, "implicit") || strcmp(o->implicit_product, "exact") != 0)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG,
                   "implicit.product: exact products need a second derivative of the encoder, "
                   "which attention does not have; use central, or encoder.train=none");
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

basin_status bs_mlc_fill(const bs_preprocess *k, bs_params *p, const char *prefix, basin_error *err)
{
    const bs_mlc_known *own = bs_preprocess_mlc(k);
    basin_status        status = own->text ? bs_mlc_text_fill(own->text, p, prefix, err) : BASIN_OK;
    for (int i = 0; i < p->n && !status; i++) {
        const bs_segment *s = &p->segment[i];
        if (!bs_params_has_prefix(s->name, prefix))
            continue;
        if (own->log_odds && ends_with(s->name, "/labels/b"))
            status = bs_params_repeat(p, s, own->log_odds, own->schema.n_labels, err);
        else if (own->bins.n > 0 && strcmp(s->name, "bins/scale") == 0)
            status = bs_params_repeat(p, s, own->bins.scale, s->count, err);
        else if (own->bins.n > 0 && strcmp(s->name, "bins/shift") == 0)
            status = bs_params_repeat(p, s, own->bins.shift, s->count, err);
        else if (bs_params_has_prefix(s->name, "energy/tree/") && s->frozen)
            status = bs_energy_tree_fill(s, p, &own->schema, strstr(s->name, "above") != NULL, err);
    }
    return status;
}
