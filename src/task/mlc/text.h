/* text.h -- documents of rows, read by a transformer encoder. */
#ifndef BS_MLC_TEXT_H
#define BS_MLC_TEXT_H

#include <jansson.h>

#include "model/score.h"
#include "pretrained/pretrained.h"
#include "task/options.h"
#include "task/packing.h"
#include "task/mlc/nets.h"

/* What was found in the texts of one part. */
typedef struct {
    const bs_rows *of;
    uint64_t       hash;
    float         *value; /* [rows, width] */
    int            users; /* the list of the model is one */
} bs_mlc_finding;

enum { BS_MLC_FINDINGS = 8 };

/* The pieces of rows, once for all batches that are made of them at the same time. */
typedef struct {
    const bs_rows *of;
    bs_documents   documents;
    int            users;
} bs_mlc_pieces;

/* What a model keeps of its encoder beside the weights; and, while it is trained, where these come
 * from and what was found in the texts of a part. */
typedef struct {
    bs_encoder_form form;
    bs_tokenizer   *tokens;
    bs_packing      packing;
    int             most; /* pieces of a document */

    /* Only while training: */
    bs_pretrained  *source; /* has the tokeniser */
    int             threads;
    bool            halves; /* the model keeps its numbers as halves: they are read as these */
    float          *mean, *scale;             /* [width] of a fixed encoder */
    bs_mlc_finding *finding[BS_MLC_FINDINGS]; /* the last ones first */
    bs_mlc_pieces  *pieces;                   /* the last ones, or NULL: theirs who use them */
} bs_mlc_text;

/* From the folder of the settings. */
basin_status bs_mlc_text_open(const bs_train_options *o, bs_mlc_text **out, basin_error *err);
/* As a member "encoder" of an object, and from its value. */
void         bs_mlc_text_json(const bs_mlc_text *t, bs_buf *out);
basin_status bs_mlc_text_from_json(const json_t *value, const char *where, bs_mlc_text **out,
                                   basin_error *err);
void         bs_mlc_text_free(bs_mlc_text *t); /* accepts NULL */

/* How the nets of a training, or of a model, use it. */
basin_status bs_mlc_text_spec(const bs_mlc_text *t, const bs_train_options *o, bs_mlc_shape *shape,
                              basin_error *err);
/* First values of the encoder's parameters among those with a prefix. */
basin_status bs_mlc_text_fill(const bs_mlc_text *t, bs_params *p, const char *prefix,
                              basin_error *err);

/* With encoder.train=none: means and scales of what is found in the training rows. */
basin_status bs_mlc_text_fit(bs_mlc_text *t, const bs_rows *train, const bs_train_options *o,
                             basin_error *err);
/* What it finds in the rows of a part, standardised; kept for others. Whoever uses it last frees
 * it. */
basin_status bs_mlc_finding_take(bs_mlc_text *t, const bs_rows *d, bs_mlc_finding **out,
                                 basin_error *err);
void         bs_mlc_finding_leave(bs_mlc_finding *f); /* accepts NULL */

/* The pieces of rows, and how batches of them are made. */
basin_status bs_mlc_text_pieces(const bs_mlc_text *t, const bs_rows *d, bs_documents *out,
                                basin_error *err);
/* The same for batches; whoever uses them last frees them. */
basin_status bs_mlc_pieces_take(bs_mlc_text *t, const bs_rows *d, bs_mlc_pieces **out,
                                basin_error *err);
void         bs_mlc_pieces_leave(bs_mlc_text *t, bs_mlc_pieces *p); /* accepts NULL */
/* Probabilities [rows, labels] and, unless NULL, energies, as bs_mlc_scores. */
basin_status bs_mlc_text_scores(bs_scorer *s, const bs_net_spec *spec, bs_mlc_text *t,
                                const bs_schema *schema, const bs_rows *data, int64_t number,
                                float *scores, float *energy, basin_error *err);
/* Columns of n rows (row index[first] and following ones of the index; without it, row first and
 * following ones) with what was found in their texts, unless that is NULL: [size, columns], zeros
 * after row n. scratch: [n, features]. */
typedef struct {
    const bs_rows        *data;
    const bs_schema      *schema;
    const bs_mlc_finding *found;
    int                   width;
} bs_mlc_columns_source;
void bs_mlc_take_columns(const bs_mlc_columns_source *s, const int32_t *index, int32_t first,
                         int32_t n, int size, float *scratch, real *out);
/* The inputs of a batch that have documents; returns its length. */
int bs_mlc_text_bind(const bs_packed *p, bs_batch *b);

#endif
