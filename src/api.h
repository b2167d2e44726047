/* api.h -- what the files behind basin.h share. */
#ifndef BS_API_H
#define BS_API_H

#include "base/log.h"
#include "train/prepare.h"
#include "train/trainer.h"

struct basin_config {
    bs_settings settings;
    bs_files    files;
    bs_arena    arena; /* copies of the paths */
    bs_buf      lines; /* of config files, and then ... */
    bs_buf      given; /* ... "key\0value\0" in order: applied again after a method's defaults */
};

struct basin_model {
    bs_saved *saved;
};

/* Settings of one method (NULL: the one the config names): defaults, those of the method, preset,
 * then what was given. */
basin_status bs_config_resolve(const basin_config *c, const char *method, bs_settings *s,
                               basin_error *err);

/* A logger for a session, silent when it is NULL. */
bs_logger bs_session_log(const basin_session *s);

/* Moves both buffers into a basin_text; frees them in any case. */
basin_status bs_text_take(bs_buf *table, bs_buf *json, basin_text *out, basin_error *err);

/* The file that MODEL means: itself, or the best model of a run folder. */
basin_status bs_model_path(const char *model, char path[BS_OPTION_TEXT + 64], basin_error *err);

/* Rows of a metric table: names of the columns, then values in percent. */
void bs_metric_header(bs_buf *out);
void bs_metric_row(const char *name, const double v[BS_METRIC_COUNT], double margin, bs_buf *out);

/* Reads files for a trained model: labels optional, features matched. */
basin_status bs_read_for(const bs_saved *m, const char *const *files, int n, bool label_free,
                         bs_logger *log, bs_dataset **out, basin_error *err);

#endif
