/* encoder_waves.c -- an encoder as docs/adding.md says: bounded waves of random projections, which
 * are never trained, then a layer that is. */
#include "nn/encoder.h"

#include <math.h>
#include <stddef.h>

typedef struct {
    double frequency;
    int    number;
} waves;

static const bs_option rows[] = {
    {"waves.frequency", BS_FLOAT, offsetof(waves, frequency), "1", "0", "1000", NULL,
     "deviation of the random projections", BS_OPTION_KEEP},
    {"waves.number", BS_INT, offsetof(waves, number), "32", "1", "100000", NULL, "how many",
     BS_OPTION_KEEP},
    {.name = NULL},
};

static void features(bs_nn *nn, const char *name, const bs_encoder_shape *s,
                     const bs_encoder_input *in, bs_id found[BS_SCALES])
{
    const waves *o = s->own;
    bs_graph    *g = nn->g;
    const int    D = bs_shape_of(g, in->x).d[3], n = o->number;
    char         path[96];
    bs_print(path, sizeof path, "%s/random", name);
    bs_id w = bs_param_frozen(g, nn->params, path, bs_shape2(D, n), bs_init_normal(o->frequency));
    bs_push(g, path);
    bool  sparse = bs_graph_node(g, in->x)->type == BS_T_CSR;
    bs_id z = sparse ? bs_spmm(g, in->x, w) : bs_matmul(g, in->x, w, false, false);
    bs_id h = bs_tanh(g, bs_mul(g, z, bs_exp(g, bs_neg(g, bs_square(g, z)))));
    bs_pop(g);
    bs_print(path, sizeof path, "%s/mix", name);
    found[0] = bs_softplus(g, bs_linear(nn, path, h, s->width, bs_init_xavier(n, s->width), true));
    if (nn->training)
        found[0] = bs_dropout(g, found[0], s->dropout, nn->stream++);
}

const bs_encoder bs_encoder_waves = {
    .name = "waves",
    .help = "fixed random waves and a layer over them",
    .reads = BS_READS_ROWS,
    .rows = rows,
    .size = sizeof(waves),
    .features = features,
};
