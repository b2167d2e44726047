/* saved.h -- a trained model: what is written to a model file and read back.
 *
 * Tensors are the parameters by name; the metadata of the file holds the rest
 * as text: format version, task, method, options, schema, threshold, scores. */
#ifndef BS_SAVED_H
#define BS_SAVED_H

#include "data/threshold.h"
#include "file/safetensors.h"
#include "task/task.h"

/* Element type of parameters and blocks of the same layout. */
#define BS_DTYPE_REAL   (sizeof(real) == 4 ? BS_DTYPE_F32 : BS_DTYPE_F64)

#define BS_MODEL_FORMAT "1"

enum { BS_MOST_MODELS = 1000 }; /* in an ensemble */

/* Limits of a temperature. */
#define BS_COLDEST 0.01
#define BS_HOTTEST 100.0

typedef struct {
    const bs_task *task;
    bs_settings    settings;
    bs_preprocess  known;
    bs_threshold   threshold;
    double         temperature; /* of its scores; 0: none */
    bs_monotone   *map;         /* of its scores; NULL: none */
    bs_net_spec    spec;
    bool           has_net, has_energy, has_cost_net;
    bs_params     *params;
    bs_params    **more; /* [n_more] of an ensemble: the same tensors with other values */
    int            n_more;
    const char    *card;   /* JSON: scores of the training run; "" if none */
    bs_tensor     *tensor; /* [n_tensors] in file order, with the values of params */
    bs_meta       *meta;   /* [n_meta] in that order */
    int            n_tensors, n_meta;
    unsigned       decided; /* lengths and samples set by the caller: bits of bs_model_file_set */

    /* settings.train.encoder: the folder of an encoder that is not inside; else "" */
    struct bs_pretrained *base; /* while it is read: the encoder that is not inside, or NULL */
} bs_model_file;

/* Sets "gbi.test_steps", "gbi.restarts" or "gbi.halvings" in place of the model's own value: *known
 * = false for another key. */
basin_status bs_model_file_set(bs_model_file *s, const char *key, const char *value, bool *known,
                               basin_error *err);

/* How the model predicts: `infer` (net, gbi, refine; NULL: by its options). A model that exceeds
 * the limits is refused, unless the caller has set what exceeds them. */
basin_status bs_model_file_inference(const bs_model_file *s, const char *infer, bool constrain,
                                     bs_inference *out, basin_error *err);
/* Only that check, for inference options made elsewhere. */
basin_status bs_model_file_check(const bs_model_file *s, const bs_inference *how, basin_error *err);

/* A scorer for the whole model, ensembles included. Borrows the model and the workspace. */
basin_status bs_model_file_scorer(const bs_model_file *s, bs_workspace *w, const bs_inference *how,
                                  bs_scorer **out, basin_error *err);

/* Stores net/... and energy/..., without what only training needs; the cost-augmented net is stored
 * if requested (infnet.keep). In an ensemble the first model's tensors keep their names, those of
 * the others are prefixed with 1/, 2/ and so on. */
/* To a file or, if path is NULL, appended to bytes. */
basin_status bs_model_file_write(const char *path, bs_buf *bytes, const bs_settings *settings,
                                 const bs_task *task, const bs_preprocess *known,
                                 const bs_threshold *threshold, bs_params *const *params,
                                 int n_params, const char *card, basin_error *err);

/* Checks everything: version, task, tensor names and shapes, finite values. encoder: the folder of
 * the encoder, if that is not inside; NULL or "": searched (bs_pretrained_find). */
basin_status bs_model_file_read(const char *path, const char *encoder, bs_model_file **out,
                                basin_error *err);
basin_status bs_model_file_from(const bs_safetensors *f, const char *name, const char *encoder,
                                bs_model_file **out, basin_error *err);
void         bs_model_file_free(bs_model_file *s);
/* The parameters of its nets as they would be for another spec: names and shapes, no values. */
basin_status bs_model_file_declare(const bs_model_file *s, const bs_net_spec *spec, bs_params **out,
                                   basin_error *err);

/* The bytes of the file that the model was read from. */
basin_status bs_model_file_bytes(const bs_model_file *s, bs_buf *out, basin_error *err);
/* The same model with all of its encoder inside, to a file. */
basin_status bs_model_file_bundle(const bs_model_file *s, const char *path, basin_error *err);

#endif
