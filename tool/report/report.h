/* report.h -- one report, shared by the files of basin_report.
 *
 *     tool/report/report.c         the request, the page as a whole, the JSON object
 *     tool/report/run.c     what a run folder holds: config, manifest, curves, model
 *     tool/report/judge.c   the models on the rows, intervals, tests between runs
 *     tool/report/base.c    baselines on the same rows
 *     tool/report/verdict.c one sentence on top: how good, against what, what next
 *     tool/report/curve.c   charts of everything that was logged
 *     tool/report/score.c   tables of metrics
 *     tool/report/facts.c   speed, data, configuration
 *     tool/report/errors.c  where models err: what all tasks draw alike
 *     tool/tasks/mlc/pr.c, importance.c, base.c   of label sets
 *     tool/tasks/TASK/report.c   where a model errs, by task */
#ifndef BS_API_REPORT_H
#define BS_API_REPORT_H

#include "doc/doc.h"
#include "runs/history.h"
#include "runs/runset.h"

enum {
    BS_REPORT_RUNS = 16,
    BS_REPORT_SEEDS = 256,
};

/* ---- runs ---- */

/* One training. */
typedef struct {
    char           folder[BS_OPTION_TEXT + 64];
    bs_settings    settings;
    bs_history     history;
    bs_model_file *model;   /* NULL: none */
    uint64_t       hash[3]; /* of train, valid and test at training time; 0: unknown */
    const char    *machine; /* "Linux x86_64, 8 cores, 4 threads"; NULL: unknown */
    double         seconds, rows_per_s, peak_bytes; /* of the training; NaN: unknown */
    double         epochs, params_net, params_energy;
    double         model_bytes;
    double         predict_rows_per_s;
    bs_outputs     y; /* only kept for the first run of a group */
    bs_measurement counts[BS_CUTS];
    double         value[BS_CUTS][BS_MOST_METRICS];
    /* what the model records about itself: on valid and test; NaN: nothing */
    double card[2][BS_CUTS][BS_MOST_METRICS];
} bs_report_run;

/* What a model should beat, on the same rows. */
typedef struct {
    const char    *name;     /* "always the most frequent labels"; NULL: not in this task */
    bool           measured; /* otherwise it would have taken too long */
    bs_outputs     y;
    bs_threshold   cut; /* chosen like the model's */
    bs_measurement counts;
    double         value[BS_MOST_METRICS];
    bs_sampled     source;
    bs_paired      better; /* by how much the group is better, in the deciding metric */
} bs_baseline;

enum {
    BS_BASE_TRIVIAL, /* ignores the input */
    BS_BASE_SIMPLE,  /* uses it in the simplest way */
    BS_BASE_HALF,    /* the same with half of the training rows */
    BS_BASES
};

/* A run, or several that only differ in their seeds. */
typedef struct {
    const char          *name;
    bs_report_run       *run; /* [n], by seed */
    int                  n;
    const bs_task       *task;
    bs_machine           where;
    int                  level; /* of headings about its errors: 2, or 3 if there are several */
    bs_arena            *room;  /* for what is only needed while these are drawn */
    bs_data             *own;   /* owned, or NULL */
    const bs_data       *data;  /* what it was trained on; NULL: unavailable */
    bs_dataset           extra; /* the evaluated part, if only its file could be read */
    const bs_dataset    *part;  /* the evaluated one; NULL: none */
    const char          *part_name;
    bool                 judged; /* counts and values are set, for the runs with a model */
    int                  shown;  /* the first of these: its errors are shown */
    bs_sampled          *source; /* [thresholds, models] */
    int                  models, replicates; /* of the bootstrap */
    bs_sampled_set       set[BS_CUTS];
    bs_sampled           mean[BS_CUTS];
    bs_interval          interval[BS_CUTS][BS_MOST_METRICS]; /* of the mean over seeds */
    bool                 compared;                           /* with the first group */
    bs_comparison_result verdict[BS_CUTS];
    bs_baseline          base[BS_BASES]; /* of the first judged group with its data */
    bs_outputs           valid_y;        /* of the run shown; no scores: unknown */
    const float         *valid_scores;   /* these, or those of the evaluated part if that is it */
} bs_report_group;

typedef struct {
    bs_arena        arena, room;
    bs_logger       log;
    bs_machine      where;
    const char     *encoder; /* of models that have it elsewhere; NULL: searched */
    bs_report_group group[BS_REPORT_RUNS];
    int             n;
    bs_notes        left_out; /* what could not be shown, and why */
    bs_best_of      winner;   /* of several runs on the same rows; best NULL: there is none */
    bs_buf          verdict;  /* the sentence on top, and further advice */
    bs_notes        advice;
    bs_buf          table, page, sections; /* sections: members of the JSON object */
    bs_doc          doc;                   /* these */
} bs_report;

/* ---- tool/report/run.c ---- */

/* Adds the run, or the seeds, in a folder. */
basin_status bs_report_open(bs_report *r, const char *folder, basin_error *err);
void         bs_report_run_free(bs_report_run *run);
/* `train --seeds` splits the data once, by the first seed: that of the first neighbour. */
int bs_report_first_seed(const bs_report_run *run);

/* ---- tool/report/judge.c ---- */

/* Finds the rows that a group was trained on and is evaluated with; anything unavailable becomes a
 * note. given: data already in memory; or NULL. */
basin_status bs_report_data(bs_report *r, bs_report_group *g, const bs_data *given,
                            basin_error *err);
basin_status bs_report_judge(bs_report *r, bs_report_group *g, basin_error *err);
/* Every group against the first one, if the rows are the same. */
basin_status bs_report_compare(bs_report *r, basin_error *err);
/* Mean and deviation of a metric over seeds; on the evaluated part or (card) as the models record
 * it for valid (0) and test (1). */
void   bs_report_spread(const bs_report_group *g, int cut, int metric, double *mean, double *sd);
double bs_report_card_mean(const bs_report_group *g, int part, int cut, int metric);
/* Distinct thresholds: 2, or 1 for tasks without one. */
int bs_report_cuts(const bs_report_group *g);

/* The deciding metric, and the threshold that the model uses for it. */
int bs_report_deciding(const bs_report_group *g, int *cut);

/* ---- tool/report/base.c ---- */

basin_status bs_report_bases(const bs_report *r, bs_report_group *g, basin_error *err);
void         bs_report_bases_free(bs_report_group *g);

/* ---- tool/report/verdict.c ---- */

basin_status bs_report_verdict(bs_report *r, basin_error *err);

/* ---- sections ---- */

/* How a metric is shown: as in the tables of the terminal, shares in percent. */
typedef struct {
    double      scale;
    int         digits;
    const char *unit;
} bs_form;
bs_form bs_report_form(const bs_task *k, int metric);

basin_status bs_report_curves(bs_report *r, bs_buf *page, basin_error *err);
void         bs_report_scores(const bs_report *r, bs_doc *d);
void         bs_report_speed(const bs_report *r, bs_doc *d);
basin_status bs_report_errors(const bs_report *r, bs_doc *d, basin_error *err);
basin_status bs_report_card(const bs_report *r, bs_buf *page, basin_error *err);
basin_status bs_report_config(const bs_report *r, bs_doc *d, basin_error *err);

/* What baselines learn from, and what they have learnt. */
typedef struct {
    const bs_preprocess *known;
    const bs_dataset    *train, *valid; /* valid: NULL where the rows to be judged are these */
    int                  threads;
    int                  which; /* BS_BASE_TRIVIAL ... */
    void                *learnt;
} bs_lesson;

/* What a task shows about the errors of a model, for the first judged run of a group; and what it
 * suggests, most useful first. */
typedef struct bs_task_report {
    basin_status (*errors)(const bs_report_group *g, bs_doc *d, basin_error *err);
    basin_status (*advise)(const bs_report_group *g, bs_notes *advice, basin_error *err);
    const char *base[BS_BASES]; /* names of its baselines; NULL: none of that kind */
    const char *base_note;      /* "; linear: ..." below their table */
    const char *base_advice;    /* where the simple one, "%s", "%s" (may do, does) as well */
    bool (*is_simple)(const bs_train_options *o); /* as the simple one already; NULL: no model is */
    /* NULL: nothing to learn; or sets t->learnt, *out = false if that is impossible. */
    basin_status (*learn)(bs_lesson *t, bool *out, basin_error *err);
    void (*forget)(bs_lesson *t);
    basin_status (*guess)(const bs_lesson *t, const bs_dataset *p, bs_outputs *y, basin_error *err);
} bs_task_report;

/* How often a predicted probability comes true, in bins. `what`: "labels of rows". Most cells of
 * most data have probabilities near zero and would hide those that matter: below BS_UNLIKELY they
 * are counted separately. */
enum { BS_RELIABILITY_BINS = 15 };
#define BS_UNLIKELY 0.05
typedef struct {
    double n[BS_RELIABILITY_BINS], sum[BS_RELIABILITY_BINS], hit[BS_RELIABILITY_BINS];
    double unlikely;
} bs_reliability;
void bs_reliability_add(bs_reliability *b, double p, double hit);
/* Writes a heading and two charts in a grid, which is left open for more. */
void bs_reliability_draw(const bs_reliability *b, const char *what, int level, bs_buf *out);

/* Counts [n, n] of what is true (row) by what is predicted (column), as a map. */
basin_status bs_report_confusions(const bs_report_group *g, const double *count, int n,
                                  const char *const *name, const char *title, bs_buf *page,
                                  basin_error *err);
/* Shares of rows, in percent; a row that never occurs is empty. */
void bs_report_percent(const double *count, int n, float *out);

#endif
