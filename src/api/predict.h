/* predict.h -- how predictions of a task are written. */
#ifndef BS_API_PREDICT_H
#define BS_API_PREDICT_H

#include "api/api.h"

/* Where predictions go: a file of the caller's, or one of ours, which appears when all is in it. */
typedef struct {
    FILE      *file;
    bs_output *own;
} bs_target;

/* A bs_sink of data/rows/write.h. */
basin_status bs_target_put(void *target, const void *bytes, size_t n, basin_error *err);
basin_status bs_target_open(const char *path, bs_target *out, basin_error *err);
/* s: how writing went. Flushes; a file of ours is kept or removed. */
basin_status bs_target_close(bs_target *t, basin_status s, basin_error *err);

typedef struct {
    const char *task;
    /* Whether it opens the path of the options by itself, which may be a folder; NULL: never. */
    bool (*opens)(const basin_predict_options *o);
    /* Before any work is done: options that do not fit the task or each other. */
    basin_status (*check)(bs_saved *m, const basin_predict_options *o, basin_error *err);
    /* What is worth knowing about the data before it is predicted; NULL: nothing. */
    void (*remark)(const bs_saved *m, const basin_predict_options *o, const bs_part *data,
                   bs_logger *log);
    /* Room for what is asked for beside the usual outputs; NULL: nothing is. */
    basin_status (*room)(const basin_predict_options *o, const bs_part *data, bs_outputs *y,
                         basin_error *err);
    /* How many rows from `first` on are predicted and written together; NULL: all. Outputs of
     * large images are not all held at a time. */
    int32_t (*piece)(const bs_saved *m, const basin_predict_options *o, const bs_part *data,
                     int32_t first);
    /* All of these rows at once... */
    basin_status (*write)(const bs_saved *m, const basin_predict_options *o, const bs_part *data,
                          const bs_outputs *y, bs_target *out, basin_error *err);
    /* ... or, of a task whose files come in pieces (NULL: write is what there is), some at a time.
     * begin: *writer = NULL when the format needs to know the number of rows first. */
    basin_status (*begin)(const bs_saved *m, const basin_predict_options *o, bs_target *out,
                          void **writer, basin_error *err);
    basin_status (*rows)(void *writer, const bs_part *data, const bs_outputs *y, basin_error *err);
    void (*end)(void *writer);
    bool live;  /* that only of one pipe or terminal: files are read at once */
    bool lines; /* JSON lines, unless another format is asked for */
    bool tags;  /* it knows schemes of tags, and several answers for a row */
} bs_prediction;

extern const bs_prediction bs_prediction_mlc, bs_prediction_tag, bs_prediction_seg;

/* The head of a .npy file: type such as "<f4", n dimensions. */
void bs_npy_header(bs_buf *out, const char *type, const int64_t *dim, int n);

#endif
