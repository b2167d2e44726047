/* model.h -- what a task does for a model used from memory. */
#ifndef BS_API_MODEL_H
#define BS_API_MODEL_H

#include "api/api.h"

struct basin_predictor {
    const basin_model *model;
    bs_workspace      *w;
    bs_scorer         *scorer;
    void              *own; /* what the task needs besides */
};

/* Functions may be NULL. */
typedef struct bs_task_memory {
    const char *what, *function;        /* "rows", "basin_predict_csr": for messages */
    int32_t (*rows)(const void *given); /* of a struct of basin.h: how many there are */
    /* After loading, and the undoing. */
    basin_status (*open)(basin_model *m, basin_error *err);
    void (*close)(basin_model *m);
    /* What a predictor needs besides its scorer. */
    basin_status (*start)(basin_predictor *p, basin_error *err);
    void (*stop)(basin_predictor *p);
} bs_task_memory;

/* Probabilities that a float rounds to 0 or 1 become its nearest neighbours: callers may take
 * logarithms and odds of them. */
void bs_scores_inside(float *p, size_t n);

/* Refuses a model of another task and names the right function. */
basin_status bs_task_memory_check(const basin_model *m, const bs_task_memory *needed,
                                  basin_error *err);

#endif
