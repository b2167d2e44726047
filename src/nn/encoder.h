/* encoder.h -- encoders: the parts of nets that turn x into features, on which tasks put heads.
 *
 * Each reads one kind of input, and serves every task that has it. What it is called in net.kind,
 * what options it has of its own and how it is built is one struct.
 *
 * To add one: a file encoder_NAME.c with a const bs_encoder and a line in encoders.def. */
#ifndef BS_ENCODER_H
#define BS_ENCODER_H

#include "base/opt.h"
#include "nn/layers.h"

/* Rows of numbers, sentences as vectors of their words, photos. */
typedef enum { BS_READS_ROWS, BS_READS_SENTENCES, BS_READS_PHOTOS } bs_reads;

enum { BS_SCALES = 3 }; /* of features of photos */

/* The settings that encoders share, for each as far as they mean something to it, and its own. */
typedef struct {
    int    layers, width, members;
    double dropout;
    /* Photos: normalise over the batch, with running means outside training; otherwise within each
     * photo, whose result then never depends on the others. */
    bool        by_batch;
    const void *own; /* as its option rows describe them; NULL: it has none */
} bs_encoder_shape;

typedef struct {
    bs_id x;    /* [n, features], real or csr; words [T, B, D]; photos [B, channels, H, W] */
    bs_id len;  /* of sentences, int [B] */
    bs_id mask; /* 0, or K masks of each photo [B K, planes, H, W] that an energy judges */
} bs_encoder_input;

typedef struct bs_encoder {
    const char      *name, *help;
    bs_reads         reads;
    bool             members; /* it can be several nets that share weights (net.members) */
    const bs_option *rows;    /* of its own options, with offsets in ... */
    size_t           size;    /* ... a struct of this size; or NULL and 0 */
    /* By parameters NAME/...: [n, any] of rows (or [members, n, any]), [T, B, any] of sentences;
     * of photos [n, any, H, W] and the same with halved and quartered sides. */
    void (*features)(bs_nn *nn, const char *name, const bs_encoder_shape *s,
                     const bs_encoder_input *in, bs_id found[BS_SCALES]);
    /* Photos only: scores [n, out, H, W] from these; parameters NAME/... */
    bs_id (*head)(bs_nn *nn, const char *name, const bs_encoder_shape *s, const bs_id found[],
                  int out);
} bs_encoder;

#ifndef BS_ENCODERS
#define BS_ENCODERS "nn/encoders.def" /* tests have their own list */
#endif

#define ENCODER(name) extern const bs_encoder bs_encoder_##name;
#include BS_ENCODERS
#undef ENCODER

extern const bs_encoder *const bs_encoders[]; /* ends with NULL */

/* By net.kind, for what a task has; "auto" is the first that reads it. */
basin_status bs_encoder_find(const char *kind, bs_reads reads, const bs_encoder **out,
                             basin_error *err);

/* Where an encoder has its own options in a block of those of all; for NULL the size of that. */
size_t bs_encoder_place(const bs_encoder *e);

#endif
