/* inherit.c -- copies parameters of a model into one that may have grown, axis by axis. */
#include "nn/inherit.h"

#include <string.h>

/* A dimension of a parameter: index i was at[i] before, or -1. */
typedef struct {
    const bs_units *axis; /* NULL: it does not grow */
    int             each; /* numbers per unit */
    int             size; /* size required now */
} dimension;

static dimension look(const bs_warm_start *h, const bs_segment *old, int d)
{
    const int was = old->shape.d[d];
    for (int a = 0; a < h->n; a++) {
        const bs_segment *grown = bs_params_find(h->grown[a], old->name);
        const int         each = grown ? grown->shape.d[d] - was : 0;
        if (each > 0 && (int64_t)each * h->axis[a].was <= was) /* two classes share one plane */
            return (dimension){&h->axis[a], each, was + each * (h->axis[a].is - h->axis[a].was)};
    }
    return (dimension){NULL, 0, was};
}

/* Where index i of the dimension, which had `was`, is in the earlier model; -1: nowhere. */
static int64_t place_of(const dimension *d, int was, int i)
{
    const bs_units *a = d->axis;
    if (!a)
        return i;
    const int rest = was - d->each * a->was, head = a->order == BS_AXIS_LAST ? rest : 0;
    const int at = i - head, grown = d->each * a->is;
    if (at < 0)
        return i;
    if (at >= grown)
        return at - grown + d->each * a->was;
    const bool side = a->order == BS_AXIS_SIDE_BY_SIDE;
    const int  unit = side ? at / d->each : at % a->is, copy = side ? at % d->each : at / a->is;
    if (a->from[unit] < 0)
        return -1;
    return head + (side ? a->from[unit] * d->each + copy : copy * a->was + a->from[unit]);
}

static void take(const bs_warm_start *h, const bs_segment *old, const real *from,
                 const bs_segment *now, real *to)
{
    dimension  dim[4];
    const int *n = now->shape.d, *was = old->shape.d;
    for (int d = 0; d < 4; d++)
        dim[d] = look(h, old, d);
    for (int a = 0; a < n[0]; a++)
        for (int b = 0; b < n[1]; b++)
            for (int c = 0; c < n[2]; c++) {
                const int64_t i = place_of(&dim[0], was[0], a), j = place_of(&dim[1], was[1], b);
                const int64_t k = place_of(&dim[2], was[2], c);
                const size_t  row =
                    (((size_t)a * (size_t)n[1] + (size_t)b) * (size_t)n[2] + (size_t)c) *
                    (size_t)n[3];
                const int64_t there = ((i * was[1] + j) * was[2] + k) * was[3];
                for (int e = 0; e < n[3] && i >= 0 && j >= 0 && k >= 0; e++) {
                    const int64_t l = place_of(&dim[3], was[3], e);
                    if (l >= 0)
                        to[row + (size_t)e] = from[there + l];
                }
            }
}

basin_status bs_inherit(const bs_warm_start *h, bs_params *p, const char *prefix, basin_error *err)
{
    for (int i = 0; i < p->n; i++) {
        const bs_segment *now = &p->segment[i];
        const bs_segment *old = bs_params_find(h->values, now->name);
        real             *from, *to;
        if (!old || !bs_params_has_prefix(now->name, prefix))
            continue;
        basin_status s = bs_params_map(h->values, old, BS_READ, &from, err);
        if (s)
            return s;
        s = bs_params_map(p, now, BS_READ_WRITE, &to, err);
        if (!s) {
            take(h, old, from, now, to);
            bs_params_unmap(p, now, BS_READ_WRITE, to);
        }
        bs_params_unmap(h->values, old, BS_READ, from);
        if (s)
            return s;
    }
    return BASIN_OK;
}

/* ---- what fits ---- */

/* What only some methods add to a net is not part of its shape. */
static bool is_extra(const char *name)
{
    return bs_params_has_prefix(name, "net/cost/") || bs_params_has_prefix(name, "anchor/");
}

/* The net of a parameter: "net/", "energy/", or "" for shared ones. */
static const char *net_of(const char *name)
{
    return bs_params_has_prefix(name, "net/")      ? "net/"
           : bs_params_has_prefix(name, "energy/") ? "energy/"
                                                   : "";
}

static basin_status check_shape(const bs_warm_start *h, const bs_segment *old,
                                const bs_segment *now, basin_error *err)
{
    char     is[48], fits[48];
    bs_shape want;
    for (int d = 0; d < 4; d++)
        want.d[d] = look(h, old, d).size;
    if (bs_shape_equal(want, now->shape))
        return BASIN_OK;
    return bs_fail(
        err, BASIN_EARG,
        "--from: %.200s: its net has another shape: '%s' would be %s with this data, and "
        "the settings ask for %s; leave out settings of nets",
        h->name, old->name, bs_shape_text(want, fits), bs_shape_text(now->shape, is));
}

/* If both models have a net, it must have the same parameters in both. */
static basin_status check_names(const bs_params *a, const bs_params *b, const char *where,
                                const char *from, basin_error *err)
{
    for (int i = 0; i < a->n; i++) {
        const char *name = a->segment[i].name, *net = net_of(name);
        const bool  both = *net && bs_params_count(b, net) > 0;
        if (both && !is_extra(name) && !bs_params_find(b, name))
            return bs_fail(err, BASIN_EARG,
                           "--from: %.200s: its net has another shape: only %s has '%s'; leave out "
                           "settings of nets",
                           from, where, name);
    }
    return BASIN_OK;
}

basin_status bs_inherit_check(const bs_warm_start *h, const bs_params *p, basin_error *err)
{
    basin_status s = check_names(h->values, p, "that model", h->name, err);
    if (!s)
        s = check_names(p, h->values, "what is asked for", h->name, err);
    for (int i = 0; i < p->n && !s; i++) {
        const bs_segment *old = bs_params_find(h->values, p->segment[i].name);
        if (old)
            s = check_shape(h, old, &p->segment[i], err);
    }
    return s;
}
