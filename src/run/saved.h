/* saved.h -- a trained model: what is written to a model file and read back.
 *
 * Tensors are the parameters by name; the metadata of the file holds the rest
 * as text: format version, task, method, options, schema, threshold, scores. */
#ifndef BS_SAVED_H
#define BS_SAVED_H

#include "data/threshold.h"
#include "file/safetensors.h"
#include "task/task.h"

/* Of parameters and everything laid out as they are. */
#define BS_DTYPE_REAL   (sizeof(real) == 4 ? BS_DTYPE_F32 : BS_DTYPE_F64)

#define BS_MODEL_FORMAT "1"

enum { BS_MOST_MODELS = 1000 }; /* of an ensemble */

/* What a temperature may be. */
#define BS_COLDEST 0.01
#define BS_HOTTEST 100.0

typedef struct {
    const bs_task *task;
    bs_settings    settings;
    bs_known       known;
    bs_threshold   threshold;
    double         temperature; /* of its scores; 0: they are as they come */
    bs_spec        spec;
    bool           has_net, has_energy, has_cost_net;
    bs_params     *params;
    bs_params    **more; /* [n_more] of an ensemble, the same tensors with other values */
    int            n_more;
    const char    *card;    /* JSON: scores of the training run; "" if none */
    unsigned       decided; /* by the caller, of what makes its search long: bits of bs_saved_set */
} bs_saved;

/* What a caller sets instead of the model, of "gbi.test_steps", "gbi.restarts", "gbi.halvings":
 * *known = false for another key. */
basin_status bs_saved_set(bs_saved *s, const char *key, const char *value, bool *known,
                          basin_error *err);

/* How the model predicts: `infer` (net, gbi, refine; NULL: as its options say). A model that asks
 * for more than limits allow is refused, unless the caller has set what it asks for. */
basin_status bs_saved_inference(const bs_saved *s, const char *infer, bool constrain,
                                bs_inference *out, basin_error *err);
/* That check alone, of a way to predict that was made otherwise. */
basin_status bs_saved_check(const bs_saved *s, const bs_inference *how, basin_error *err);

/* A scorer of the whole model, ensembles included. Borrows the model and the workspace. */
basin_status bs_saved_scorer(const bs_saved *s, bs_workspace *w, const bs_inference *how,
                             bs_scorer **out, basin_error *err);

/* Keeps net/... and energy/..., and leaves out what only training needs; the cost-augmented net is
 * kept where asked for (infnet.keep). Of an ensemble, the tensors of the first model have their own
 * names, those of the next have 1/, 2/ and so on before them. */
basin_status bs_saved_write(const char *path, const bs_settings *settings, const bs_task *task,
                            const bs_known *known, const bs_threshold *threshold,
                            bs_params *const *params, int n_params, const char *card,
                            basin_error *err);

/* Everything is checked: version, task, tensor names and shapes, finite values. */
basin_status bs_saved_read(const char *path, bs_saved **out, basin_error *err);
basin_status bs_saved_from(const bs_safetensors *f, const char *name, bs_saved **out,
                           basin_error *err);
void         bs_saved_free(bs_saved *s);
/* The parameters of its nets, as they would be for another spec: names and shapes, no values. */
basin_status bs_saved_declare(const bs_saved *s, const bs_spec *spec, bs_params **out,
                              basin_error *err);

#endif
