/* basin_tool.h -- the functions behind the tool's verbs, in addition to basin.h.
 *
 * The library loads, predicts, trains and evaluates. Everything that looks at several runs, draws a
 * page or works on data files belongs to the tool and is declared here, on top of the internal
 * headers of the library. Conventions are those of basin.h. */
#ifndef BASIN_TOOL_H
#define BASIN_TOOL_H

#include "api/api.h"
#include "basin.h"

/* What to compare; NULL or 0 means the default. */
typedef struct {
    const char *methods;  /* names separated by commas, each once */
    const char *baseline; /* one of them; default: the first */
    const char *metric;   /* shown in the table; default: the task's first */
    const char *folder;   /* runs go to folder/METHOD/seed-N; required */
    const char *html;     /* a second place for folder/compare.html */
    int         controls; /* each method with an energy also without parts of it */
    int         seeds;    /* trainings per method; default: 3 */
    int         jobs;     /* trainings at the same time, sharing the threads; default: 1 */
    int         resume;   /* nonzero: keep finished runs in the folder and continue the others, also
                             finished ones with a checkpoint if there are more epochs now */
    int         shared;   /* nonzero: any number of processes share the folder and divide the runs
                             among themselves; each waits for all and has the whole result */
} basin_compare_options;

/* Trains every method with every seed on the same data and compares them on the test rows (or the
 * validation rows, if there are none): mean, deviation, tests against the baseline over rows with
 * all seeds at once, speed. A preset gives each method its own settings. Writes compare.md,
 * compare.html and compare.json to the folder. If some methods fail, *out is filled all the same
 * and the status says so. */
basin_status basin_compare(const basin_config *c, const basin_compare_options *o,
                           const basin_session *s, basin_text *out, basin_error *err);

/* How to search for settings; NULL or 0 means the default. */
typedef struct {
    const char *const *space;   /* "lr.net=1e-4..1e-2", "net.width", "batch=16|32": options searched
                                   in addition to those of the method, or with other ranges */
    int                n_space; /* number of these */
    double             budget;  /* total seconds, including those of a resumed search; and/or: */
    int                trials;  /* settings to try; one of the two is required */
    int                jobs;    /* trainings at the same time, sharing the threads; default: 1, or
                                   without `trials` one for each of up to 4 threads */
    const char        *folder;  /* trials go to folder/trial-N; required */
    int                resume;  /* nonzero: continue the search in the folder */
    int                round;   /* trials that are decided together, so that the result is the same
                                   for any number of jobs and processes; needs `trials`; default: 0,
                                   each when a job is free, or 8 if shared */
    int                shared;  /* nonzero: as for basin_compare */
} basin_tune_options;

/* Searches for settings of the config's method, starting from the config; those given by
 * basin_config_set are fixed. Only validation rows count; test data is refused. Writes
 * trials.jsonl, best.config, tune.json and tune.html to the folder. A trial that fails is a bad
 * trial, not an error. With `trials`, one job and no budget, a seed determines the result. */
basin_status basin_tune(const basin_config *c, const basin_tune_options *o, const basin_session *s,
                        basin_text *out, basin_error *err);

/* What to explain, and where the output goes; NULL or 0 means the default. */
typedef struct {
    const char *html;    /* write a page there; NULL = none */
    const char *part;    /* as above */
    int         row;     /* from 1: also explains this row, sentence or image by itself */
    int         rows;    /* maximum examined; default: 2000 rows, 1000 sentences, 24 images */
    int         threads; /* 0 = all cores */
    const char *device;  /* NULL = "cpu" */
    const char *encoder; /* as in basin_model_options */
} basin_explain_options;

/* What the energy of a model learned, as seen on labelled files: how labels, neighbouring tags or
 * pixels depend on each other, and how often they occur together; scores by steps of a search; one
 * row in detail. Models without an energy are refused. out->json has the numbers of all figures. */
basin_status basin_explain(const char *model, const char *const *files, int n,
                           const basin_explain_options *o, const basin_session *s, basin_text *out,
                           basin_error *err);

/* Options of a report; NULL or 0 means the default. */
typedef struct {
    const char *path;    /* of the page; default: report.html in the run, or here for several */
    int         threads; /* 0 = all cores */
    const char *device;  /* NULL = "cpu" */
    const char *encoder; /* as in basin_model_options, for models that need one */
} basin_report_options;

/* One HTML page about a run folder, or several: a verdict against baselines and what to do next,
 * curves, scores with intervals, where the model errs, speed, data, configuration; for several runs
 * also their differences. A folder with seed-N in it counts as one run. The data is the one named
 * by the run; without it the page has less, and does not replace a complete one in the run's
 * folder. Training writes the same page into its folder unless the setting report is no. */
basin_status basin_report(const char *const *runs, int n, const basin_report_options *o,
                          const basin_session *s, basin_text *out, basin_error *err);

/* --- data ---------------------------------------------------------------------------------- */

/* What was understood of the files, what looks wrong, and what to do next; with `check` nonzero,
 * problems are errors. Reading options come from the config. Rows of several files are examined
 * together; sentences file by file, later ones compared with the first, and *out may be filled even
 * after an error. */
basin_status basin_data_inspect(const basin_config *c, const char *const *files, int n, int check,
                                const basin_session *s, basin_text *out, basin_error *err);

/* Rewrites files in another format (rows: arff, libsvm, xmc, csv, jsonl; sentences: conll, conllu,
 * text, raw, tokens, spans, brat, csv; NULL: by the extension of out). Tags are converted to the
 * scheme in the setting text.to, if it is set. */
basin_status basin_data_convert(const basin_config *c, const char *const *files, int n,
                                const char *out, const char *format, const basin_session *s,
                                basin_error *err);

/* How to split rows; NULL or 0 means the default. */
typedef struct {
    const char *shares; /* "60,20,20" */
    const char *names;  /* of the parts: "train,valid,test" */
    const char *groups; /* a file with one name per row: rows with the same name stay together */
    const char *format; /* of the files; default: as the input */
    uint64_t    seed;
    int         documents; /* nonzero: sentences of one document stay together */
} basin_split_options;

/* Splits rows into parts with balanced labels, or sentences into parts with balanced tags and
 * lengths (iterative stratification); writes PREFIX-NAME.EXT. */
basin_status basin_data_split(const basin_config *c, const char *const *files, int n,
                              const char *out_prefix, const basin_split_options *o,
                              const basin_session *s, basin_text *out, basin_error *err);

/* Generates data ("mlc", "tag") whose outputs depend on each other in a known way.
 * Options are "key=value" words separated by blanks (rows=2000 groups=6 ...). */
basin_status basin_data_make(const char *kind, const char *options, uint64_t seed, const char *out,
                             const char *format, const basin_session *s, basin_text *text,
                             basin_error *err);

/* --- about ---------------------------------------------------------------------------------- */

/* kind: methods, energies, encoders, tasks, readers, metrics, presets, options, space (what each
 * method is tuned in), generators (options of basin_data_make). */
basin_status basin_list(const char *kind, basin_text *out, basin_error *err);
/* Build, machine, libraries: what to include in a bug report. */
basin_status basin_doctor(basin_text *out, basin_error *err);

bool bs_report_after(const char *folder, const bs_data *data, bs_machine where, bs_logger *log);

#endif
