/* basin_tool.h -- what the tool is made of, beside basin.h: whole verbs as functions.
 *
 * The library loads, predicts, trains and evaluates. Everything that looks at several runs, draws a
 * page, or treats files of data is the tool's own and lives beside this header, over the internal
 * headers of the library. Conventions are those of basin.h. */
#ifndef BASIN_TOOL_H
#define BASIN_TOOL_H

#include "api/api.h"
#include "basin.h"

/* What is compared; NULL or 0 = the default. */
typedef struct {
    const char *methods;  /* names with commas between them, each once */
    const char *baseline; /* one of them; default: the first */
    const char *metric;   /* the one in the table; default: the task's first */
    const char *folder;   /* runs go to folder/METHOD/seed-N; must be given */
    const char *html;     /* where folder/compare.html is written a second time */
    int         seeds;    /* trainings of each method; default: 3 */
    int         jobs;     /* trainings at the same time, which share the threads; default: 1 */
    int         resume;   /* nonzero: finished runs of the folder are kept, others go on; so
                             do those with a checkpoint when there are more epochs */
} basin_compare_options;

/* Trains every method with every seed on the same data and compares them on the
 * test rows (validation rows, if there are none): mean, deviation, tests against
 * the baseline over rows with all seeds at once, speed. A preset gives each method
 * its own settings. Writes compare.md, compare.html and compare.json to the folder.
 * When some methods fail, *out is filled all the same and the status tells of it. */
basin_status basin_compare(const basin_config *c, const basin_compare_options *o,
                           const basin_session *s, basin_text *out, basin_error *err);

/* How settings are searched; NULL or 0 = the default. */
typedef struct {
    const char *const *space;   /* "lr.net=1e-4..1e-2", "net.width", "batch=16|32": what is searched
                                 * beside or instead of what the method is tuned in by itself */
    int                n_space; /* of these */
    double             budget;  /* seconds in all, those of a resumed search included; and, or: */
    int                trials;  /* settings to be tried; at least one of both must be given */
    int                jobs;    /* trainings at the same time, which share the threads; default: 1,
                                 * without `trials` one for each of up to 4 threads */
    const char        *folder;  /* trials go to folder/trial-N; must be given */
    int                resume;  /* nonzero: go on with the search in the folder */
} basin_tune_options;

/* Searches settings of the config's method, starting from the config; those given by
 * basin_config_set stay as they are. Only validation rows count; data for tests is refused.
 * Writes trials.jsonl, best.config, tune.json and tune.html to the folder. A trial that fails is a
 * bad trial, not an error. With `trials`, one job and no budget, the same seed gives the same. */
basin_status basin_tune(const basin_config *c, const basin_tune_options *o, const basin_session *s,
                        basin_text *out, basin_error *err);

/* What is explained, and where it goes; NULL or 0 = the default. */
typedef struct {
    const char *html; /* a page is written there; NULL = none */
    const char *part; /* as above */
    int         row;  /* from 1: that row, sentence or image is explained by itself, too */
    int         rows; /* most that are looked at; default: 2000 rows, 1000 sentences, 24 images */
    int         threads; /* 0 = all cores */
    const char *device;  /* NULL = "cpu" */
} basin_explain_options;

/* What the energy of a model learned, seen on labelled files: how labels, neighbouring tags or
 * pixels depend on each other, beside how often they occur together; scores by steps of a search;
 * one row in detail. Models without an energy are refused. Numbers of all figures are in
 * out->json. */
basin_status basin_explain(const char *model, const char *const *files, int n,
                           const basin_explain_options *o, const basin_session *s, basin_text *out,
                           basin_error *err);

/* What a report is like; NULL or 0 = the default. */
typedef struct {
    const char *path;    /* of the page; default: report.html in the run, or here for several */
    int         threads; /* 0 = all cores */
    const char *device;  /* NULL = "cpu" */
} basin_report_options;

/* One HTML page about a run folder, or several: a verdict against baselines and what to do next,
 * curves, scores with intervals, where the model errs, speed, data, configuration; of several also
 * their differences. A folder with seed-N in it
 * counts as one run. The data is that which the run names; without it the page has less, and does
 * not take the place of a complete one in the folder of the run. Training
 * writes the same page into its folder unless the setting report is no. */
basin_status basin_report(const char *const *runs, int n, const basin_report_options *o,
                          const basin_session *s, basin_text *out, basin_error *err);

/* --- data ---------------------------------------------------------------------------------- */

/* What was understood of the files, what looks wrong, and what to do next; with
 * `check` nonzero problems are an error. Reading options come from the config. Rows
 * of several files are looked at together; of sentences each file by itself, those
 * after the first compared with it, and *out may be filled after an error, too. */
basin_status basin_data_inspect(const basin_config *c, const char *const *files, int n, int check,
                                const basin_session *s, basin_text *out, basin_error *err);

/* Rewrites files in another format (rows: arff, libsvm, xmc, csv, jsonl; sentences:
 * conll, conllu, text, raw, tokens, spans, brat, csv; NULL: by the ending of out). Tags
 * become those of the scheme in the setting text.to and else stay as they are. */
basin_status basin_data_convert(const basin_config *c, const char *const *files, int n,
                                const char *out, const char *format, const basin_session *s,
                                basin_error *err);

/* How rows are split; NULL or 0 = the default. */
typedef struct {
    const char *shares; /* "60,20,20" */
    const char *names;  /* of the parts: "train,valid,test" */
    const char *groups; /* a file with one name a row: rows of one name stay together */
    const char *format; /* of the files; default: as the input */
    uint64_t    seed;
    int         documents; /* nonzero: sentences of one document stay together */
} basin_split_options;

/* Splits rows into parts with balanced labels, or sentences with balanced tags and
 * lengths (iterative stratification), written to PREFIX-NAME.EXT. */
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
/* Build, machine, libraries: what to send with a question. */
basin_status basin_doctor(basin_text *out, basin_error *err);

bool bs_report_after(const char *folder, const bs_prepared *data, bs_machine where, bs_logger *log);

#endif
