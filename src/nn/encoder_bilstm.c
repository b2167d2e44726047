/* encoder_bilstm.c -- LSTMs in both directions over the words of a sentence (Ma and Hovy 2016). */
#include "nn/encoder.h"

static void features(bs_nn *nn, const char *name, const bs_encoder_shape *s,
                     const bs_encoder_input *in, bs_id found[BS_SCALES])
{
    found[0] = bs_bilstm(nn, name, in->x, in->len, s->width, s->layers, s->dropout);
}

const bs_encoder bs_encoder_bilstm = {
    .name = "bilstm",
    .help = "LSTMs in both directions over vectors of words, their features and characters",
    .reads = BS_READS_SENTENCES,
    .features = features,
};
