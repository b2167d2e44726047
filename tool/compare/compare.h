/* compare.h -- one comparison of methods, shared by the files of basin_compare.
 *
 *     tool/compare/compare.c        the request: methods, settings, data, folder
 *     tool/compare/controls.c  what shows whether an energy is the reason of a difference
 *     tool/compare/run.c    the trainings: a queue for several at a time, and finished ones
 *     tool/compare/judge.c  the trained models on the same rows, significance of differences
 *     tool/compare/show.c   the table, the page and the JSON object */
#ifndef BS_API_COMPARE_H
#define BS_API_COMPARE_H

#include "runs/runset.h"

enum { BS_COMPARE_METHODS = BS_CONTENDERS, BS_COMPARE_REPLICATES = 1000 };

/* What is compared: a method, or a control of one, which differs from it in one thing alone. */
typedef enum {
    BS_ARM_METHOD,
    BS_ARM_NO_ENERGY,   /* the net's loss without the energy, everything else as it is */
    BS_ARM_INDEPENDENT, /* the energy without terms that join labels, at several weights */
    BS_ARM_CE,          /* cross-entropy with the optimiser, schedule and epochs of the method */
} bs_arm;

typedef struct {
    const char          *name; /* METHOD[:KEY=VALUE...], also that of its folder if it can be */
    bs_arm               arm;
    int                  of;    /* the method that it is a control of; itself if it is none */
    bool                 shown; /* of several weights the one that validation chose */
    bs_comparison_result gain[BS_CUTS]; /* of that method against this control */
    bs_settings          settings;      /* the seed is that of the first run */
    const basin_error   *failure;       /* of the first failed run; NULL: all went well */
    int                  failed_seed;   /* of that run */
    bool                 judged;        /* verdict is set: neither this nor the baseline failed */
    bs_comparison_result verdict[BS_CUTS];
} bs_compared;

typedef struct {
    char           folder[BS_OPTION_TEXT + 64];
    bool           finished; /* outcome is set */
    basin_error    failure;  /* status BASIN_OK: no failure */
    double         predict_rows_per_s;
    bs_measurement counts[BS_CUTS];
} bs_compare_run;

typedef struct {
    const basin_compare_options *o;
    const volatile int          *stop;
    bs_logger                    log;
    bs_arena                     arena;
    int                          n, asked; /* methods and controls; methods, which come first */
    int                          seeds, jobs, threads, baseline;
    int                          failed;  /* how many methods and controls */
    bs_machine                   where;   /* of predictions */
    bs_compared                 *method;  /* [n] */
    bs_compare_run              *run;     /* [n, seeds] */
    bs_train_outcome            *outcome; /* [n, seeds] */
    bs_data                      data;
    const bs_dataset            *rows; /* the rows that decide */
    bool                         on_test;
    int                          metric;
    bs_profile_id                profile;
    bs_best_of                   winner;
    bs_lock                     *folder; /* keeps other comparisons out */
} bs_comparison;

/* The settings of a run: its method's with another seed. */
void bs_compare_settings(const bs_comparison *c, int method, int seed, bs_settings *out);

/* Takes over finished runs. Other settings are an error, except more epochs: then runs with a
 * checkpoint continue. */
basin_status bs_compare_restore(bs_comparison *c, basin_error *err);
/* Trains what is not finished. Failures stay with their runs; the status is only that of a stop. */
basin_status bs_compare_train(bs_comparison *c, basin_error *err);

/* Adds the controls of each method, whose settings are known. */
basin_status bs_compare_add_controls(bs_comparison *c, basin_error *err);
/* Of controls at several weights only the best by validation is shown. */
void        bs_compare_choose_controls(bs_comparison *c);
const char *bs_arm_text(bs_arm arm);
/* Whether it can be shown beside its method. */
bool bs_is_control(const bs_comparison *c, const bs_compared *m);

basin_status bs_compare_judge(bs_comparison *c, basin_error *err);

/* The values of a run on the deciding part, at one threshold. */
const double *bs_compare_values(const bs_comparison *c, int method, int seed, int cut);
/* One metric over the seeds of a method. */
void bs_compare_spread(const bs_comparison *c, int method, int cut, double *mean, double *sd);

/* The methods with the best and second-best mean at a threshold, among those that did not fail; -1:
 * none. */
void bs_compare_best(const bs_comparison *c, int cut, int *best, int *next);

/* Values of the metric are shown times this. */
double bs_compare_scale(const bs_comparison *c);
/* The cost of a run of a method, averaged over seeds. Methods that train in stages spend more
 * epochs than others under the same settings, so scores should not be read without it. */
typedef struct {
    double epochs, seconds, train_rows_per_s, predict_rows_per_s;
} bs_effort;
bs_effort bs_compare_effort(const bs_comparison *c, int method);
/* The rows that decide, as people call them: "test", "validation" or "out-of-fold". */
const char *bs_compare_rows(const bs_comparison *c);
/* Distinct thresholds: 2, or 1 for a metric that does not depend on decisions. */
int bs_compare_cuts(const bs_comparison *c);

void bs_compare_show(const bs_comparison *c, bs_doc *d);
void bs_compare_json(const bs_comparison *c, bs_buf *out);

#endif
