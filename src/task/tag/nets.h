/* nets.h -- nets over sentences: a score for every tag of every word.
 *
 * A word is represented by its row of a table, the rows of its features (case, part of speech,
 * clusters) and the output of a convolution or an LSTM over its characters; an encoder reads the
 * sentence. The table is shared and fixed, or every net tunes its own copy. The energy has an
 * encoder of the same shape (Tu et al. 2020) and terms over y (energy.h). */
#ifndef BS_TAG_H
#define BS_TAG_H

#include "task/tag/energy.h"
#include "model/view.h"
#include "nn/encoder.h"

typedef enum { BS_CHARS_NONE, BS_CHARS_CNN, BS_CHARS_LSTM } bs_chars;

struct bs_tag_shape {
    int      tags;
    int      words, word_width; /* rows and columns of the table */
    bool     tuned;
    int      columns, values, column_width; /* features; rows of their common table */
    bs_chars chars;
    int      characters, char_width, char_features;
    int      width, layers; /* of the encoder (a BiLSTM: each direction) */
    double   dropout;

    const bs_encoder *net;
    const void       *own; /* options of the encoder */

    const bs_tag_energy *energy;           /* the terms over y */
    bool                 shared;           /* it sees words and features as the net does */
    int                  hidden;           /* units of a language model of tags, of attention */
    double               energy_dropout;   /* of the weights of attention */
    double               scale, augmented; /* weights: language models, those that see words */
};

extern const bs_task_space bs_task_space_tag;
_Static_assert(sizeof(bs_tag_shape) <= BS_SPEC_ROOM, "a spec has no room for it");
static inline const bs_tag_shape *bs_net_spec_tag(const bs_net_spec *s)
{
    return (const void *)s->own.bytes;
}

/* Leaves for a batch of B sentences of at most T words of at most C characters, time-major where
 * the LSTM needs it; 0 if a shape does not use one. They are in the order of the view. */
typedef struct {
    bs_id word;    /* int [T, B] */
    bs_id len;     /* int [B] */
    bs_id mask;    /* real [B, T]: 1 where there is a word */
    bs_id column;  /* int [columns * T, B] */
    bs_id letter;  /* int [T * B, C], -1 at padding */
    bs_id letters; /* int [T * B]: how many */
    bs_id present; /* real [T * B, C]: 1 where there is one */
    bs_id ended;   /* int [B]: len + 1 */
} bs_tag_input;

bs_tag_input bs_tag_leaves(bs_graph *g, const bs_tag_shape *s, int B, int T, int C);

/* Vectors of the words [T, B, D], for the net called NAME. */
bs_id bs_tag_words(bs_nn *nn, const char *name, const bs_tag_shape *s, const bs_tag_input *x);
/* The output of the encoder for these, [T, B, any]; parameters NAME/T/... */
bs_id bs_tag_features(bs_nn *nn, const char *name, const bs_tag_shape *s, const bs_tag_input *x);
/* Scores [T, B, tags]; parameters NAME/tags/... */
bs_id bs_tag_head(bs_nn *nn, const char *name, const bs_tag_shape *s, bs_id features);

#endif
