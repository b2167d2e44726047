/* predict.h -- how the predictions of a task are written. */
#ifndef BS_API_PREDICT_H
#define BS_API_PREDICT_H

#include "api/api.h"

/* Where predictions go: the caller's file, or one of ours, which appears once it is complete. */
typedef struct {
    FILE      *file;
    bs_output *own;
} bs_target;

/* A bs_sink of data/rows/write.h. */
basin_status bs_target_put(void *target, const void *bytes, size_t n, basin_error *err);
basin_status bs_target_open(const char *path, bs_target *out, basin_error *err);
/* s: the status of writing. Flushes; keeps or removes a file of ours. */
basin_status bs_target_close(bs_target *t, basin_status s, basin_error *err);

typedef struct bs_task_write {
    /* Whether the task opens the path of the options itself, which may be a folder; NULL: never. */
    bool (*opens)(const basin_predict_options *o);
    /* Checks, before any work, options that do not fit the task or each other. */
    basin_status (*check)(bs_model_file *m, const basin_predict_options *o, basin_error *err);
    /* Notes what is worth knowing about the data before predicting; NULL: nothing. */
    void (*remark)(const bs_model_file *m, const basin_predict_options *o, const bs_dataset *data,
                   bs_logger *log);
    /* Makes room for output besides the usual; NULL: there is none. */
    basin_status (*room)(const basin_predict_options *o, const bs_dataset *data, bs_outputs *y,
                         basin_error *err);
    /* How many rows from `first` on are predicted and written together; NULL: all. Outputs of large
     * images are never all in memory. */
    int32_t (*piece)(const bs_model_file *m, const basin_predict_options *o, const bs_dataset *data,
                     int32_t first);
    /* All of these rows at once... */
    basin_status (*write)(const bs_model_file *m, const basin_predict_options *o,
                          const bs_dataset *data, const bs_outputs *y, bs_target *out,
                          basin_error *err);
    /* ... or some at a time, for tasks that read files in pieces; NULL: write does that, too.
     * begin: *writer = NULL if the format needs the number of rows first. */
    basin_status (*begin)(const bs_model_file *m, const basin_predict_options *o, bs_target *out,
                          void **writer, basin_error *err);
    basin_status (*rows)(void *writer, const bs_dataset *data, const bs_outputs *y,
                         basin_error *err);
    void (*end)(void *writer);
    bool one;   /* some at a time of one file only; several are read at once */
    bool lines; /* JSON lines, unless another format is requested */
    bool tags;  /* it knows tag schemes, and several answers per row */
} bs_task_write;

/* The header of a .npy file: type such as "<f4", n dimensions. */
void bs_npy_header(bs_buf *out, const char *type, const int64_t *dim, int n);

#endif
