/* api/api.h -- shared by the files behind basin.h. */
#ifndef BS_API_H
#define BS_API_H

#include <errno.h>
#include <stddef.h>
#include "base/json.h"

#include "base/log.h"
#include "base/visible.h"
#include "task/prepare.h"
#include "run/trainer.h"

struct basin_config {
    bs_settings settings;
    bs_sources  files;
    bs_arena    arena;    /* copies of the paths */
    bs_buf      lines;    /* of config files, and then ... */
    bool        left_out; /* some named an output besides the run folder, which is ignored */
    bs_buf      given;    /* ... "key\0value\0" in order: applied again over a method's defaults */
};

/* Rows in a program's memory: a copy of the caller's struct, for bs_task.read. */
struct basin_data {
    const bs_task *task;
    max_align_t    rows[];
};

#define BS_IN_MEMORY "(memory)" /* stands for the name of a file */

struct basin_model {
    bs_model_file *saved;
    void          *own; /* what the task made of it (bs_task.memory) */
};

/* First line of every public function that does something: errno belongs to the caller and is
 * restored, whatever happens; errors are reported in words. */
#define BS_KEEP_ERRNO \
    __attribute__((cleanup(bs_restore_errno), unused)) const int kept_errno = errno

static inline void bs_restore_errno(const int *kept)
{
    errno = *kept;
}

/* ---- arguments that cannot be meant (api/check.c) ---- */

typedef struct {
    const char *name;
    const void *given;
} bs_argument;

/* BASIN_EARG for the first argument that is NULL; a list ends with {NULL}. Output structs are
 * cleared, so that they may be freed after a failure. */
basin_status bs_need(const bs_argument *a, basin_error *err);
basin_status bs_need_text(basin_text *out, const bs_argument *a, basin_error *err);
basin_status bs_need_files(const char *const *files, int n, basin_error *err);
basin_status bs_need_where(bs_machine where, basin_error *err);
/* What every function needs that reads files for a model. */
basin_status bs_need_model(const char *model, const char *const *files, int n, basin_text *out,
                           basin_error *err);
/* A struct that begins with its size as the caller knows it: what that lacks, and all of it if the
 * caller gives NULL, becomes 0. BASIN_EARG for a size that cannot be. */
basin_status bs_take_sized(const char *type, const void *given, size_t size, void *out,
                           basin_error *err);
#define BS_TAKE(type, given, out, err) bs_take_sized(#type, given, sizeof(type), out, err)
/* BS_NEED(err, {"config", c}, {"key", key}) */
#define BS_ARGUMENTS(...) ((const bs_argument[]){__VA_ARGS__, {NULL, NULL}})
#define BS_NEED(err, ...) bs_need(BS_ARGUMENTS(__VA_ARGS__), err)

/* rows: a struct as for bs_take_sized. */
basin_status bs_data_new(const bs_task *task, const char *type, const void *rows, size_t size,
                         basin_data **out, basin_error *err);

/* Settings of one method (NULL: the one in the config): general defaults, those of the method,
 * preset, explicit settings. */
basin_status bs_config_resolve(const basin_config *c, const char *method, bs_settings *s,
                               basin_error *err);
/* The same with additional settings, "key=value ...", on top of the method's. */
basin_status bs_config_resolve_with(const basin_config *c, const char *method, const char *more,
                                    bs_settings *s, basin_error *err);

/* Notes if the preset has nothing specific for the method. */
void bs_config_remark(const basin_config *c, bs_logger *log);
void bs_preset_remark(const bs_settings *s, bs_logger *log);

/* A logger for a session, silent if it is NULL; from a program, or from one of ours. */
basin_status bs_session_take(const basin_session *s, bs_logger *log, basin_error *err);
bs_logger    bs_session_log(const basin_session *s);

/* Moves both buffers into a basin_text; frees them in any case. */
basin_status bs_text_take(bs_buf *table, bs_buf *json, basin_text *out, basin_error *err);
/* The same unless s is an error, which it returns. */
basin_status bs_text_give(basin_status s, bs_buf *table, bs_buf *json, basin_text *out,
                          basin_error *err);
/* Quotes a word for the shell. */
void bs_put_word(const char *word, bs_buf *out);

enum { BS_MOST_SEEDS = 1000 };
/* The numbers N of folders seed-N that contain this file, in order; returns how many. */
int bs_find_seeds(const char *folder, const char *file, int *seed, int most);
/* The file that MODEL means: itself, or the best model of a run folder, so far if the training is
 * not finished. */
basin_status bs_model_path(const char *model, char path[BS_OPTION_TEXT + 64], basin_error *err);

/* Rows of a metric table: column names, then values in percent. */
void bs_metric_header(const bs_task *k, bs_buf *out);
/* margin > 0 is shown after the deciding metric. */
void bs_metric_row(const bs_task *k, const bs_preprocess *known, const char *name,
                   const double v[BS_MOST_METRICS], double margin, bs_buf *out);

/* Reads files for a trained model: labels optional, features matched. part: which part of divided
 * files, or "all"; NULL: the test part, or all if label_free. */
basin_status bs_read_for(const bs_model_file *m, const char *const *files, int n, const char *part,
                         bool label_free, bs_logger *log, bs_dataset *out, basin_error *err);

/* The model that `model` means (bs_model_path), with a note if it is not simply that file. encoder:
 * as for bs_model_file_read, and refused if all of the model is inside. */
basin_status bs_model_open(const char *model, const char *encoder, bs_logger *log,
                           basin_model **out, basin_error *err);
/* One from the bytes of its file, or the same. */
basin_status bs_model_of(const void *bytes, size_t n, const char *encoder, basin_model **out,
                         basin_error *err);

/* seeds.c: whether there are models of seeds in a folder, and all of them as one. */
bool         bs_seeds_there(const char *folder);
basin_status bs_seeds_read(const char *folder, const char *encoder, bs_logger *log,
                           bs_model_file **out, basin_error *err);

/* A model from what was read, which it takes, also on failure. */
basin_status bs_model_make(bs_model_file *saved, basin_model **out, basin_error *err);

/* Applies options of reading ("text.format=conll", NULL-terminated; may be NULL; refused without
 * files) on top of the model's, and those of bs_model_file_set. Refuses others. */
basin_status bs_model_file_set_all(bs_model_file *m, const char *const *set, bool files,
                                   basin_error *err);
/* A copy in an arena (it is too large for a small thread's stack) of a model that others use, so
 * that settings can be changed; it borrows the rest. */
basin_status bs_model_with(const basin_model *m, const char *const *set, bool files,
                           bs_arena *arena, bs_model_file **out, basin_error *err);

/* A call that uses a model on files. */
typedef struct {
    const char        *model; /* NULL: the caller has it */
    const char *const *file;
    int                n;
    const char *const *set; /* overrides (bs_model_file_set_all); or NULL */
    bs_machine         where;
    const char        *encoder; /* of bs_model_open */
    bs_logger          log;
    basin_model       *opened; /* release with basin_model_free, also after a failure */
} bs_api_call;
/* Checks where it is to run, and opens its log and its model. */
basin_status bs_call_open(bs_api_call *c, const basin_session *session, basin_error *err);

/* The message after reading a file failed, if it looks like data of another task. */
basin_status bs_error_other_task(const bs_model_file *m, const char *file, basin_status s,
                                 basin_error *err);
/* A warning, if a file that could be read looks like data of another task nevertheless. */
void bs_remark_other_task(const bs_model_file *m, const char *file, bs_logger *log);
/* Puts the names of the files before a message about their rows. */
basin_status bs_error_in_files(const char *const *files, int n, basin_status s, basin_error *err);

typedef struct {
    const char *infer, *decide; /* NULL: the model's own */
    bool        constrain, warm;
    bs_machine  where;
    bs_logger  *log; /* asked regularly whether to stop; or NULL */
} bs_asked;

/* Predicts all rows of a part. warm: time a second pass, unless the first took long. */
basin_status bs_model_predict(const bs_model_file *m, const bs_dataset *data, const bs_asked *asked,
                              bs_outputs *out, double *seconds, basin_error *err);

/* The threshold of a call: the model's, a number, or none because sets are decided otherwise
 * (`by`). Borrows from the model. Either wish may be NULL. */
basin_status bs_model_cut(const bs_model_file *m, const char *decide, const char *threshold,
                          bs_threshold *out, basin_error *err);

/* ---- comparing models (the tool's compare and report) ---- */

/* The thresholds of decisions. */
enum { BS_AT_HALF, BS_AT_TUNED, BS_CUTS };

/* Comparison with another model, one value per metric; NaN if it cannot be computed. */
typedef struct {
    bs_paired bootstrap[BS_MOST_METRICS];
    bs_paired randomisation[BS_MOST_METRICS];
} bs_comparison_result;

#endif
