/* task.h -- a task outside the graph: its files, batches, outputs and metrics. Its side in the
 * graph is model/view.h; together they are all that training, evaluation, prediction and comparison
 * know about it.
 *
 * To add one: a file NAME/data.c with a const bs_task and a line in tasks.def. */
#ifndef BS_TASK_H
#define BS_TASK_H

#include "base/find.h"
#include "base/log.h"
#include "base/rng.h"
#include "data/metric.h"
#include "model/probe.h"
#include "model/score.h"
#include "nn/inherit.h"
#include "task/options.h"

typedef struct bs_task bs_task;
struct json_t;

enum { BS_MOST_METRICS = 24, BS_SHOWN = 7, BS_FOLDS = 5 };

/* One file, or several read as one: train, valid, test, unlabelled, or the input of a model. Here
 * and below, `own` belongs to the task, through an accessor in its folder (bs_dataset_NAME() in
 * task/NAME/data.h). */
typedef struct {
    const bs_task *task; /* NULL: not there */
    int32_t        rows; /* rows, sentences, images */
    uint64_t       hash;
    void          *own;        /* the rows */
    int32_t        unlabelled; /* of the rows, the last ones: their truth is soft */
    float         *soft;       /* of these, one output each, or of all from a teacher; owned */
} bs_dataset;

/* What a model keeps of its data. */
typedef struct bs_preprocess bs_preprocess;
struct bs_preprocess {
    bs_arena       arena;
    const bs_task *task;
    int            deciding; /* the metric that counts */
    const bs_preprocess
               *like;   /* only while training: what the model to continue from knows, or NULL */
    const real *weight; /* [weights] of labels, tags or classes, only while training; or NULL */
    int         weights;
    void       *own; /* [size] bytes in the arena */
    size_t      size;
};

/* How to read files: the first of a training, later ones, or those for a model. */
typedef struct {
    const bs_task       *task;
    const char *const   *file;
    int                  n;
    const void          *given; /* rows in memory instead of files; or NULL */
    const bs_dataset    *first; /* the training part, for the others; or NULL */
    const bs_preprocess *known; /* a model's, or NULL */
    const char          *part;  /* for files divided into parts: which one; NULL: all */
    bool                 own;   /* the same files as `first`, another part of them */
    bool                 label_free;
    bool                 unlabelled; /* labels are ignored */
    bool                 keep_text;  /* also keep the rows as text; for streams */
    void **opened; /* for files that are asked more than once: where bs_task leaves what it opened,
                      for bs_task.close; NULL: nothing stays open */
} bs_read_request;

/* Rows of files, some at a time. */
typedef struct bs_stream bs_stream;
struct bs_stream {
    /* *more = false at the end, without a part. */
    basin_status (*next)(bs_stream *s, bs_notes *notes, bs_dataset *out, bool *more,
                         basin_error *err);
    void (*remark)(bs_stream *s, bs_logger *log); /* NULL, or bs_task.remark for all of it */
    void (*free)(bs_stream *s);
};

/* Rows of a part as batches. */
typedef struct bs_batches bs_batches;
struct bs_batches {
    /* The order of an epoch, with rows that batch well together next to each other. */
    void (*order)(bs_batches *f, bs_rng *rng, int32_t *order);
    /* How many of the next n rows fit into a batch; at least 1. */
    int32_t (*fits)(bs_batches *f, const int32_t *index, int32_t n);
    /* Rows index[0 .. n); valid until the next call. */
    const bs_batch *(*rows)(bs_batches *f, const int32_t *index, int32_t n);
    void (*free)(bs_batches *f);
    int32_t epoch; /* rows of an epoch: the number that order returns */
};

/* As `fits`, where batches have any number of rows. */
int32_t bs_batches_fit_all(bs_batches *f, const int32_t *index, int32_t n);

/* A model's outputs for the rows of a part. */
typedef struct {
    const bs_task *task;
    float         *scores; /* for the parts of y that are decided, in the task's layout */
    float         *energy; /* [rows]; NULL: not requested */
    uint8_t       *on;     /* sets that were decided without a threshold, in the layout of scores */
    bs_decision    by;     /* and how; NULL and BS_DECIDE_THRESHOLD: none were */
    int64_t        first;  /* rows of earlier files: messages count from the first of all */
    /* Borrowed; NULL: not requested. That of the truth, averaged over the rows that have one, each
     * as defined by bs_task_space, so that it can be compared with the training loss. */
    double *cross_entropy;
    void   *own; /* outputs besides scores */
} bs_outputs;

/* A column of tables. */
typedef struct {
    int         metric;
    const char *heading; /* NULL ends the list */
    int         width, digits;
    bool        percent;
} bs_shown;

/* A dimension that lets nets grow. */
typedef struct {
    const char   *what; /* "features"; NULL ends the list */
    size_t        size; /* offset of their number, an int, in bs_net_spec.own */
    bs_axis_order order;
} bs_growth;

enum { BS_UNIT_NAME = 640 };

/* What method=auto tries, cheapest first. */
typedef struct {
    const char *name;   /* NULL ends the list */
    const char *method; /* and its settings, "key=value ...", on top of the method's */
    const char *settings;
    double      cost;   /* as a multiple of the first one's time */
    bool        energy; /* only chosen if the difference is significant */
} bs_candidate;

/* How outputs are compared with the truth. */
typedef struct {
    bs_profile_id profile;
    uint32_t      want;      /* bits of metrics; 0 = all */
    bool          keep_rows; /* for intervals and tests */
    size_t        ap_bytes;  /* see metric.h */
} bs_counting;

typedef struct {
    const bs_task *task;
    void          *own;
} bs_measurement;

/* A question about an energy at a model's outputs for rows. */
typedef struct {
    bs_energy_probe *const *probe; /* [probes], of an ensemble, whose mean is meant */
    int                     probes;
    bs_scorer              *scorer; /* finds the outputs */
    const bs_net_spec      *spec;
    const bs_preprocess    *known;
    const bs_dataset       *data;
    const volatile int     *stop; /* or NULL */
} bs_inquiry;

struct bs_task {
    const char          *name, *help;
    const bs_task_space *graph;
    const char          *unit;    /* "rows": what a part consists of */
    bs_reads             reads;   /* which encoders its nets can have */
    const char          *method;  /* the default */
    const char          *options; /* " text. words. ": prefixes of options of this task only */
    /* How files for a model are read: where it remembers that, and the rows of it. */
    void *(*reading)(bs_settings *s, bs_preprocess *k, const bs_option **rows);
    const char *defaults; /* "key=value ...", where they differ from options.def */
    const char *akin; /* the task whose own defaults of methods it has, unless it has some; NULL */
    const bs_named     *energy_kinds; /* NULL: there is nothing to choose */
    const bs_candidate *candidates;
    double              time_factor; /* for all of them together, in times of the first one */
    int32_t most_rows_for_folds;     /* up to this many rows, folds=0 means BS_FOLDS of them */

    const bs_metric *metric; /* [n_metrics] */
    int              n_metrics;
    bs_shown         shown[BS_SHOWN]; /* the first three also while training */
    bool             unlabelled;      /* rows without labels may be trained on, with rules */
    bool             taught;      /* rows may have a teacher: bs_outputs.scores are a soft truth */
    const char      *independent; /* settings under which an energy has no term that joins parts
                                     of y; NULL: there are none */
    bool             untuned; /* methods are as bs_method.untuned says where no preset is given */
    bool             tunes;   /* decisions have a threshold: values at 0.5 and at a tuned one */
    uint32_t         decides; /* bits of bs_decision: what an energy can decide by */

    /* How sure a file, or the beginning of its content, makes us that it is of this kind: 0 to 100;
     * -1: memory ran out. head is NULL for folders and what cannot be opened. */
    int (*sniff)(const char *path, const char *head, size_t n);
    basin_status (*read)(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                         bs_dataset *out, basin_error *err);
    /* NULL, or notes how the rows read differ from those a model was trained on. */
    void (*remark)(const bs_dataset *p, const bs_preprocess *k, bool label_free, bs_logger *log);
    /* NULL, or whether files are divided into parts with these names: train, valid, test. */
    basin_status (*parts)(const bs_settings *s, const bs_read_request *w, bool has[3],
                          basin_error *err);
    /* NULL, or closes what requests left open. */
    void (*close)(void *opened);
    void (*free)(bs_dataset *p);
    /* part[i] = number of the share that row i goes to */
    basin_status (*split)(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err);
    const char *split_how; /* "by iterative stratification" */
    basin_status (*select)(const bs_dataset *p, const int32_t *rows, int32_t n, bs_dataset *out,
                           basin_error *err);

    bs_growth grows[BS_AXES + 1];
    /* The name of unit i of a growing dimension, possibly written to `room`; NULL: its number. */
    const char *(*unit_name)(const bs_preprocess *k, int growth, int32_t i,
                             char room[BS_UNIT_NAME]);
    /* Training continues from a model: adds what the model keeps but its rows lack to the rows of
     * train, before other files are matched to them. */
    basin_status (*widen)(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
                          basin_error *err);

    /* Learns from the parts what a model keeps, and may change them to fit; out is zero except for
     * its arena and `like`, from which it takes what the model's parameters depend on. Starts with
     * bs_preprocess_begin, as known_read does, for which out->task is set. */
    basin_status (*fit)(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err);
    void (*known_free)(bs_preprocess *k); /* NULL: all of it is in the arena */
    /* The possible decisions by name: labels, tags, classes. */
    int (*labels)(const bs_preprocess *k);
    const char *(*label)(const bs_preprocess *k, int i);     /* i is in range */
    void (*known_text)(const bs_preprocess *k, bs_buf *out); /* "68 features, 6 labels" */
    void (*known_json)(const bs_preprocess *k, bs_buf *out);
    basin_status (*known_read)(struct json_t *o, const char *where, bs_preprocess *out,
                               basin_error *err);
    /* The nets defined by options and data. */
    basin_status (*spec)(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                         basin_error *err);
    /* NULL, or refuses settings that contradict each other. */
    basin_status (*check)(const bs_train_options *o, basin_error *err);
    /* NULL: all outputs are well-formed; or whether well-formed outputs can be required: by the
     * caller, or only by the model. */
    basin_status (*constrain)(const bs_preprocess *k, bool caller, basin_error *err);
    /* NULL, or refuses a model that needs more, apart from its parameters, than the caller's limits
     * allow. */
    basin_status (*check_limits)(const bs_net_spec *s, const bs_preprocess *k, basin_error *err);

    /* NULL, or non-random initial values for parameters with a prefix. */
    basin_status (*fill)(const bs_preprocess *k, bs_params *p, const char *prefix,
                         basin_error *err);

    /* NULL, or how many epochs between evaluations make these take the smaller part of the time;
     * for early_stop.epochs=0. */
    int (*every)(const bs_dataset *train, const bs_dataset *valid, const bs_preprocess *k);

    /* Batches of at most o->batch rows; borrows everything. */
    basin_status (*feed)(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                         const bs_train_options *o, bs_batches **out, basin_error *err);

    /* NULL, or rows of files for a trained model, some at a time. */
    basin_status (*stream)(const bs_settings *s, const bs_read_request *w, int32_t rows,
                           bs_stream **out, basin_error *err);

    basin_status (*outputs)(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                            basin_error *err);
    void (*outputs_free)(bs_outputs *y); /* what own points to; NULL: nothing */
    /* Fills outputs; energy only if there is room for it. BASIN_ENUMERIC names the first row with
     * numbers that are not finite. */
    basin_status (*predict)(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err);

    /* The energy of what is true of each row; NULL: not from memory. */
    basin_status (*energies)(bs_energy_probe *probe, const bs_net_spec *spec,
                             const bs_preprocess *k, const bs_dataset *p, double *energy,
                             basin_error *err);

    /* NULL: derivatives are exact; or how those of an energy are found. */
    bs_hvp_kind (*products)(const bs_net_spec *s);
    /* How parts of y that are near each other interact, and, unless NULL, occur together in the
     * truth: see basin_interactions_of. NULL: no part is near another. */
    basin_status (*interactions)(const bs_inquiry *q, double *out, double *together,
                                 basin_error *err);

    /* Copies what was found for some rows of a part, starting at `row`, into `all`, the outputs of
     * the whole. */
    void (*place)(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all);

    /* For tasks that tune: the threshold for a model with these outputs on validation rows. */
    basin_status (*choose)(const bs_train_options *o, const bs_dataset *train,
                           const bs_dataset *valid, const bs_outputs *y, bs_threshold *out,
                           basin_error *err);

    /* For these: which labels are true, [rows, labels], to compare with scores. */
    void (*truths)(const bs_dataset *p, bool *out);

    basin_status (*count)(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err);
    basin_status (*values)(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err);
    basin_status (*sampled)(bs_measurement *c, bs_sampled *out, basin_error *err);
    void (*counts_free)(bs_measurement *c);

    /* The task's functions behind basin.h. */
    const struct bs_task_eval   *eval;          /* api/eval.h: its side of an evaluation */
    const struct bs_task_write  *predict_files; /* api/predict.h: how predictions are written */
    const struct bs_task_memory *memory;        /* api/model.h: using a model from memory */
};

#ifndef BS_TASKS
#define BS_TASKS "task/tasks.def" /* tests have their own list */
#endif

extern const bs_task *const bs_tasks[]; /* ends with NULL */

/* An error if asked to stop. */
basin_status bs_task_go_on(const volatile int *stop, basin_error *err);

/* By the name of the task. */
basin_status bs_task_find(const char *task, const bs_task **out, basin_error *err);
/* The task that fits the file best, and how well; the first one if none does. */
basin_status bs_task_sniff(const char *file, const bs_task **out, int *sure, basin_error *err);
/* How well a file fits a known task; 0 if it cannot be examined. */
int bs_task_sniff_file(const bs_task *k, const char *file);
/* A setting that only concerns data of another task would have no effect. */
basin_status bs_task_accepts(const bs_task *k, const char *key, basin_error *err);
/* Options of bs_read_rows that apply to the files of every task. */
bool bs_tasks_share(const char *key);
/* The one named by a setting, or that fits the file best. */
basin_status bs_task_guess(const bs_settings *s, const char *file, const bs_task **out,
                           basin_error *err);

/* Sets task and own, n bytes of zeros. */
void *bs_preprocess_begin(bs_preprocess *k, const bs_task *task, size_t n);
/* The same with a copy of own in the arena, for callers that change part of it; what own points to
 * is shared. False when memory runs out. */
bool bs_preprocess_share(const bs_preprocess *k, bs_arena *arena, bs_preprocess *out);

/* From the JSON that the task's known_json wrote; where: the name of the file. */
basin_status bs_preprocess_read(const bs_task *task, const char *json, const char *where,
                                bs_preprocess *out, basin_error *err);

void bs_dataset_free(bs_dataset *p);
void bs_preprocess_free(bs_preprocess *k);
void bs_outputs_free(bs_outputs *y);

/* By name; "auto" is the deciding one. */
basin_status bs_task_metric(const bs_task *k, const bs_preprocess *known, const char *name,
                            int *out, basin_error *err);
/* {"example_f1": 0.5, ...}, null for what is not defined; the second without the braces. */
void bs_task_json(const bs_task *k, const char *key, const double values[BS_MOST_METRICS],
                  bs_buf *out);
void bs_task_members(const bs_task *k, const double values[BS_MOST_METRICS], bs_buf *out);
/* Without those that are not defined, or were not measured. */
void bs_task_json_known(const bs_task *k, const char *key, const double values[BS_MOST_METRICS],
                        bs_buf *out);

/* Lets an inference decide as options or, if it is not NULL, `asked` say; refuses what the task
 * does not have. */
basin_status bs_task_decide(const bs_task *k, const bs_train_options *o, const char *asked,
                            bs_inference *how, basin_error *err);

/* Counts and values in one call. */
basin_status bs_task_measure(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                             const bs_threshold *threshold, const bs_counting *how,
                             double out[BS_MOST_METRICS], basin_error *err);
/* -log p of the truth, with p kept as far from 0 as floats are from 1. */
double bs_log_loss(double p);
/* 95 % intervals by bootstrap over rows; needs keep_rows. log: asked whether to stop, or NULL. */
basin_status bs_task_intervals(bs_measurement *c, uint64_t seed, bs_logger *log,
                               bs_interval out[BS_MOST_METRICS], basin_error *err);

#endif
