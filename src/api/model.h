/* model.h -- what a task does for a model used from memory. */
#ifndef BS_API_MODEL_H
#define BS_API_MODEL_H

#include "api/api.h"

typedef struct bs_serving bs_serving;

struct basin_predictor {
    const basin_model *model;
    bs_workspace      *w;
    bs_scorer         *scorer;
    float             *block; /* mlc: [block_rows, features] for a dense net */
    int32_t            block_rows;
    struct bs_tagger  *tagger; /* tag: what requests need */
};

struct bs_serving {
    const char *task;
    const char *what, *function; /* "rows", "basin_predict_csr": for messages */
    /* After loading; may be NULL. */
    basin_status (*open)(basin_model *m, basin_error *err);
    int (*labels)(const bs_known *k);
    const char *(*label)(const bs_known *k, int i); /* i is in range */
    /* What a predictor needs besides its scorer. */
    basin_status (*start)(basin_predictor *p, basin_error *err);
    void (*stop)(basin_predictor *p);
};

extern const bs_serving bs_serving_mlc, bs_serving_tag, bs_serving_seg;

/* Refuses a model of another task and names the right function. */
basin_status bs_serving_check(const basin_model *m, const bs_serving *needed, basin_error *err);

#endif
