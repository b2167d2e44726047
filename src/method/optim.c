/* optim.c -- checks and clips gradients and applies the optimiser's rule to one net's segments. */
#include "method/optim.h"

#include <string.h>

#define ROW(field, def, lo, hi, text, flag)                                                    \
    {                                                                                          \
        "optim." #field, BS_FLOAT, offsetof(bs_optim_options, field), def, lo, hi, NULL, text, \
            flag                                                                               \
    }

/* To add an option: a field, and a row here. */
const bs_option bs_optim_rows[] = {
    {"optim.rule", BS_NAME, offsetof(bs_optim_options, rule), "adam", NULL, NULL, "adam|adamw|sgd",
     "how parameters follow the gradient", 0},
    ROW(rate, "1e-3", "0", "1000", "learning rate", BS_OPTION_TUNE_LOG),
    ROW(momentum, "0", "0", "0.9999", "momentum of sgd", 0),
    ROW(beta1, "0.9", "0", "0.9999", "decay of the first moment of adam", 0),
    ROW(beta2, "0.999", "0", "0.999999", "decay of the second moment of adam", 0),
    ROW(eps, "1e-8", "0", "1", "added to the root of the second moment", 0),
    ROW(decay, "0", "0", "1", "weight decay; adamw decouples it from the moments",
        BS_OPTION_TUNE_LOG),
    ROW(clip, "0", "0", "1e30", "largest norm of the gradient; 0 = no limit", 0),
    {.name = NULL},
};

static bs_update_rule rule_named(const char *name)
{
    if (strcmp(name, "sgd") == 0)
        return BS_UPDATE_SGD;
    return strcmp(name, "adamw") == 0 ? BS_UPDATE_ADAMW : BS_UPDATE_ADAM;
}

basin_status bs_optim_new(bs_workspace *w, bs_params *params, const char *prefix,
                          const bs_optim_options *o, bs_optim **out, basin_error *err)
{
    bs_optim *self = bs_calloc(1, sizeof *self);
    *out = NULL;
    if (!self || !(self->span = bs_calloc((size_t)params->n + 1, sizeof *self->span)) ||
        bs_params_allocate_state(params, NULL)) {
        bs_optim_free(self);
        return bs_fail_nomem(err);
    }
    self->w = w;
    self->params = params;
    self->decay = o->decay;
    self->clip = o->clip;
    self->update = (bs_update){.rule = rule_named(o->rule),
                               .rate = o->rate,
                               .momentum = o->momentum,
                               .beta1 = o->beta1,
                               .beta2 = o->beta2,
                               .eps = o->eps};
    for (int i = 0; i < params->n; i++) {
        const bs_segment *s = &params->segment[i];
        if (bs_params_has_prefix(s->name, prefix) && !s->frozen)
            self->span[self->n++] = (bs_span_update){.offset = s->offset,
                                                     .count = s->count,
                                                     .rate = s->rate,
                                                     .decay = o->decay * s->decay,
                                                     .follow = s->follow,
                                                     .touched = -1,
                                                     .row = s->shape.d[3]};
    }
    if (self->n == 0) {
        bs_optim_free(self);
        return bs_fail(err, BASIN_EARG, "no parameter is called '%s...'", prefix);
    }
    *out = self;
    return BASIN_OK;
}

void bs_optim_free(bs_optim *o)
{
    if (!o)
        return;
    bs_free(o->span);
    bs_free(o);
}

void bs_optim_scale(bs_optim *o, bool (*is)(const char *name), double rate, double decay)
{
    const bs_params *all = o->params;
    for (int k = 0; k < o->n; k++)
        for (int i = 0; i < all->n; i++)
            if (all->segment[i].offset == o->span[k].offset && is(all->segment[i].name)) {
                o->span[k].rate *= rate;
                o->span[k].decay *= decay;
            }
}

void bs_optim_use_rows(bs_optim *o, bs_program *p)
{
    const bs_params *all = o->params;
    for (int k = 0; k < o->n; k++)
        for (int i = 0; i < all->n; i++)
            if (all->segment[i].offset == o->span[k].offset)
                o->span[k].touched = p->device->is_row_sparse(p, i) ? all->row[i] : -1;
    p->device->bind_touched(p, all->block.touched, all->row);
    o->program = p;
}

void bs_optim_step(bs_optim *o, bool measure, bs_buffer *log, int64_t at)
{
    o->update.clip = o->clip;
    o->update.measure = measure;
    o->update.step++;
    o->w->device->update(o->w, &o->update, o->span, o->n, &o->params->block, log, at);
}
