/* pretrained.h -- encoders of text that others have trained, as folders have them: config.json, the
 * files of a tokeniser, model.safetensors, and 1_Pooling/config.json if it is there.
 *
 * The architectures are those of BERT, RoBERTa, DistilBERT and of ELECTRA's discriminator. Anything
 * else is refused by its name. */
#ifndef BS_PRETRAINED_H
#define BS_PRETRAINED_H

#include "base/opt.h"
#include "file/safetensors.h"
#include "nn/transformer.h"
#include "token/token.h"

/* How the vectors of a document's pieces become one. */
typedef enum {
    BS_POOL_MEAN,
    BS_POOL_FIRST,  /* that of the first piece, [CLS] or <s> */
    BS_POOL_POOLER, /* the same through the layer that was trained for it */
    BS_POOL_MAX,
} bs_pooling;

extern const char *const bs_pooling_names[]; /* "mean", "first", "pooler", "max", NULL */

/* The architectures that are read; ends with one without a name. */
typedef struct {
    const char *name, *help;
} bs_encoder_kind;
extern const bs_encoder_kind bs_encoder_kinds[];

/* What config.json and its like say. */
typedef struct {
    bs_transformer_shape shape;   /* the pooler is there if the pooling needs it */
    bs_pooling           pooling; /* of 1_Pooling; without it the pooler if there is one, or mean */
    int                  most;    /* pieces of a document that it was made for */
    char                 kind[16]; /* "bert" */
} bs_encoder_form;

/* As JSON, for models; what was written reads as the same. */
void         bs_encoder_form_write(const bs_encoder_form *f, bs_buf *out);
basin_status bs_encoder_form_read(const char *name, const char *json, size_t n,
                                  bs_encoder_form *out, basin_error *err);

typedef struct bs_pretrained {
    bs_encoder_form form;
    bs_tokenizer   *tokens;
    bool            halves;     /* filling rounds numbers to halves, as they will be kept */
    bool            has_pooler; /* the file has it, whether it is needed or not */
    char           *path;       /* of the file of tensors */
    char           *prefix;     /* of the names of its tensors */
    bs_safetensors *file;
} bs_pretrained;

/* Checks names and shapes of all tensors that are needed, and that every piece has its vector. */
basin_status bs_pretrained_open(const char *folder, bs_pretrained **out, basin_error *err);
void         bs_pretrained_free(bs_pretrained *e); /* accepts NULL */

/* Another pooling than that of the folder; refused where there is no pooler. */
basin_status bs_pretrained_pool(bs_pretrained *e, bs_pooling pooling, basin_error *err);

/* Parameters TO... with the names of transformer.h take their values; others stay. All that are
 * there must be finite. */
basin_status bs_pretrained_fill(const bs_pretrained *e, bs_params *p, const char *to,
                                basin_error *err);

/* --- in models ------------------------------------------------------------------------
 *
 * A model may keep the numbers of its encoder as halves. So that it predicts what was measured,
 * they are rounded when they are read, and once more after training. */

/* Whether a parameter is one of an encoder; adapters in it are not. */
bool bs_pretrained_has(const char *param);
/* Rounds them all; *changed = true if that was not so already. What exceeds a half stays. */
basin_status bs_pretrained_round(bs_params *p, bool *changed, basin_error *err);
/* False if one exceeds a half. */
bool bs_pretrained_halves(const real *x, int64_t n, uint16_t *out);

/* A model may also have only "xxh64:... NAME" of an encoder: the sum of its numbers and the name of
 * its folder. */
basin_status bs_pretrained_tell(const char *folder, bs_buf *out, basin_error *err);
/* The encoder of that name and sum: in the folder given or, if that is empty, in one of its name
 * beside the file of the model, in the one it was trained with (or ""), or in one of its name in
 * the folders of $BASIN_ENCODERS, which are separated by colons. */
typedef struct {
    const char *told, *model, *given, *trained;
} bs_encoder_asked;
basin_status bs_pretrained_find(const bs_encoder_asked *asked, char folder[BS_OPTION_TEXT],
                                bs_pretrained **out, basin_error *err);

/* "xxh64:...": of the names, types, shapes and numbers of the file. */
enum { BS_ENCODER_HASH = 23 };
basin_status bs_pretrained_hash(const bs_pretrained *e, char out[BS_ENCODER_HASH],
                                basin_error *err);

#endif
