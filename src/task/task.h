/* task.h -- what a task means outside of the graph: its files, its batches, its outputs and
 * how good they are. The graph's side of a task is model/view.h; together they are all that
 * training, evaluation, prediction and comparison know of it.
 *
 * To add one: a file NAME/data.c with a const bs_task and a line in tasks.def. */
#ifndef BS_TASK_H
#define BS_TASK_H

#include "base/log.h"
#include "base/rng.h"
#include "data/bins.h"
#include "data/metric.h"
#include "data/image/seg_metric.h"
#include "model/score.h"
#include "nn/inherit.h"
#include "data/text/tag_metric.h"
#include "task/options.h"

typedef struct bs_task bs_task;

enum { BS_MOST_METRICS = 24, BS_SHOWN = 7, BS_FOLDS = 5 };

/* One file, or several that are read as one: train, valid, test, unlabelled, or what a model is
 * asked about. */
typedef struct {
    const bs_task *task; /* NULL: not there */
    int32_t        rows; /* rows, sentences, images */
    uint64_t       hash;
    bs_dataset    *mlc;
    bs_corpus     *tag;
    bs_images     *seg;
    int32_t        unlabelled; /* of the rows, the last ones: their truth is soft */
    float         *soft;       /* tag: [tokens of these, tags of the model]; owned */
} bs_part;

/* What a model remembers of images. */
typedef struct {
    bs_image_options   image; /* how files of the kind are read */
    int                channels, classes;
    bool               binary;        /* masks of the training data were 0 and 255 */
    const char *const *name;          /* [classes], or NULL */
    const int32_t     *colour;        /* [classes] 0xRRGGBB in masks, -1: none; or NULL */
    int                width, height; /* of a window */
    int                crops;         /* most windows of a photo that is predicted */
    float              mean[3];       /* of the channels, 0 to 255, that is subtracted */
} bs_seg_known;

/* What a model remembers of its data. */
typedef struct bs_known bs_known;
struct bs_known {
    bs_arena arena;
    int      headline; /* the metric that counts */
    /* only while training: what the model knows that it begins with, or NULL */
    const bs_known *like;
    bs_schema       mlc;
    /* mlc, only while training: first values of nets */
    const float *log_odds; /* [labels] of a label in the training rows */
    bs_bins      bins;

    bs_lexicon        tag;
    bs_corpus_options text;       /* how files of the kind are read */
    int               word_width; /* of the word vectors, and whether they come from a file */
    bool              has_vectors;
    int               file_scheme, file_columns; /* of the training file; 0: not known */
    double            unknown; /* share of rare words that training feeds as unknown */
    bs_vectors        vectors; /* only while training, else empty */

    bs_seg_known seg;
};

/* How files are read: the first of a training, those after it, or for a model. */
typedef struct {
    const char *const *file;
    int                n;
    const bs_part     *first; /* the training part, for the others; or NULL */
    const bs_known    *known; /* a model's, or NULL */
    const char        *part;  /* of files that have parts: the one that is meant, or NULL: all */
    bool               own;   /* they are the files that `first` is another part of */
    bool               label_free;
    bool               unlabelled; /* labels are not even looked at */
    bool               keep_text;  /* rows as they stand in the file, too; of streams */
} bs_wish;

/* Rows of files, some at a time. */
typedef struct bs_stream bs_stream;
struct bs_stream {
    /* *more = false at the end, and then there is no part. */
    basin_status (*next)(bs_stream *s, bs_notes *notes, bs_part *out, bool *more, basin_error *err);
    void (*remark)(bs_stream *s, bs_logger *log); /* NULL, or as bs_task.remark, of all of them */
    void (*free)(bs_stream *s);
};

/* Rows of a part as batches. */
typedef struct bs_feed bs_feed;
struct bs_feed {
    /* The order of an epoch; rows that go together well stand together. */
    void (*order)(bs_feed *f, bs_rng *rng, int32_t *order);
    /* How many of the next n rows make one batch; at least 1. */
    int32_t (*fits)(bs_feed *f, const int32_t *index, int32_t n);
    /* Rows index[0 .. n); valid until the next call. */
    const bs_batch *(*rows)(bs_feed *f, const int32_t *index, int32_t n);
    void (*free)(bs_feed *f);
    int32_t epoch; /* rows of an epoch: so many does order give */
};

/* What a model says of the rows of a part. */
typedef struct {
    /* mlc: [rows, labels]; tag: [tokens], of the tag that is predicted; seg: of each photo [planes,
     * pixels], at the size of its mask, beginning at start[row] */
    float   *scores;
    size_t  *start;  /* [rows + 1] */
    int32_t *tag;    /* [tokens] */
    float   *energy; /* [rows]; NULL: not asked for */
    int64_t  first;  /* rows of the files before these: messages count from the first of all */
    /* Borrowed; NULL: not asked for. That of the truth, mean over the rows that have one: of a row
     * as bs_task_graph says, so that it stands beside the loss of training. */
    double *cross_entropy;

    /* tag: the best sequences of each sentence, best first, where there is room for them */
    int      nbest;
    int32_t *best;       /* [nbest, tokens] */
    double  *best_score; /* [rows, nbest] */
    int32_t *best_found; /* [rows], fewer than nbest where there are no more */
} bs_outputs;

/* A column of tables. */
typedef struct {
    int         metric;
    const char *heading; /* NULL ends the list */
    int         width, digits;
    bool        percent;
} bs_shown;

/* What nets grow with. */
typedef struct {
    const char   *what; /* "features"; NULL ends the list */
    size_t        size; /* the place of their number, an int, in bs_spec.own */
    bs_axis_order order;
} bs_growth;

enum { BS_UNIT_NAME = 640 };

/* What method=auto tries, in the order of what it costs. */
typedef struct {
    const char *name;   /* NULL ends the list */
    const char *method; /* and its settings, "key=value ...", over those of the method */
    const char *settings;
    double      cost;   /* of the first one's time */
    bool        energy; /* it is only chosen when the difference is not chance */
} bs_candidate;

/* How outputs are counted against the truth. */
typedef struct {
    bs_profile_id profile;
    uint32_t      want;      /* bits of metrics; 0 = all */
    bool          keep_rows; /* for intervals and tests */
    size_t        ap_bytes;  /* see metric.h */
} bs_counting;

typedef struct {
    const bs_task  *task;
    bs_metrics     *mlc;
    bs_tag_metrics *tag;
    bs_tagset      *tags; /* of the metrics; owned */
    bs_seg_metrics *seg;
} bs_counts;

struct bs_task {
    const char          *name, *help;
    const bs_task_graph *graph;
    const char          *unit;    /* "rows": what a part consists of */
    const char          *method;  /* the default */
    const char          *options; /* " text. words. ": those that are of this task alone begin so */
    /* How files for a model are read: where it remembers that, and the rows of it. */
    void *(*reading)(bs_settings *s, bs_known *k, const bs_option **rows);
    const char         *defaults; /* "key=value ...", where they differ from options.c */
    const bs_candidate *candidates;
    double              patience; /* as many times the first one's time may all of them take */
    int32_t             folded;   /* up to so many rows, folds=0 means BS_FOLDS of them */

    const bs_metric *metric; /* [n_metrics] */
    int              n_metrics;
    bs_shown         shown[BS_SHOWN]; /* the first three also while training */
    bool             unlabelled;      /* rows without labels may take part in training, by rules */
    bool             tunes; /* decisions have a threshold: values at 0.5 and at a tuned one */

    /* How sure a file, or the beginning of its content, makes us that it is of this kind: 0 to 100;
     * -1: memory ran out. head is NULL for folders and what cannot be opened. */
    int (*sniff)(const char *path, const char *head, size_t n);
    basin_status (*read)(const bs_settings *s, const bs_wish *w, bs_notes *notes, bs_part *out,
                         basin_error *err);
    /* NULL, or says in what rows that were read are not like those a model was trained on. */
    void (*remark)(const bs_part *p, const bs_known *k, bool label_free, bs_logger *log);
    /* NULL, or whether files have parts of these names of their own: train, valid, test. */
    basin_status (*parts)(const bs_settings *s, const bs_wish *w, bool has[3], basin_error *err);
    void (*free)(bs_part *p);
    /* part[i] = number of the share that row i goes to */
    basin_status (*split)(const bs_part *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err);
    const char *split_how; /* "by iterative stratification" */
    basin_status (*select)(const bs_part *p, const int32_t *rows, int32_t n, bs_part *out,
                           basin_error *err);

    bs_growth grows[BS_AXES + 1];
    /* What unit i of a growth is called, perhaps written to `room`; NULL: by its number. */
    const char *(*unit_name)(const bs_known *k, int growth, int32_t i, char room[BS_UNIT_NAME]);
    /* Training goes on with a model: what its rows do not have, and the model keeps, is added to
     * the rows of train before other files are read to be like them. */
    basin_status (*widen)(bs_part *train, const bs_known *like, bs_logger *log, basin_error *err);

    /* Learns what is to be remembered from the parts, and may change them to fit; out is zeros but
     * for its arena and `like`, from which it takes what parameters of the model depend on. */
    basin_status (*fit)(const bs_settings *s, bs_part *part, int n, bs_logger *log, bs_known *out,
                        basin_error *err);
    void (*known_text)(const bs_known *k, bs_buf *out); /* "68 features, 6 labels" */
    void (*known_json)(const bs_known *k, bs_buf *out);
    basin_status (*known_read)(const char *json, const char *where, bs_known *out,
                               basin_error *err);
    /* The nets that options and data ask for. */
    basin_status (*spec)(const bs_train_options *o, const bs_known *k, bs_spec *out,
                         basin_error *err);
    /* NULL, or refuses settings that are wrong together. */
    basin_status (*check)(const bs_train_options *o, basin_error *err);
    /* NULL: all outputs are well-formed; or whether well-formed ones can be asked for: by the
     * caller, or by the model alone. */
    basin_status (*constrain)(const bs_known *k, bool caller, basin_error *err);
    /* NULL, or refuses a model that asks for more, beside its parameters, than the caller's limits
     * allow. */
    basin_status (*bear)(const bs_spec *s, const bs_known *k, basin_error *err);

    /* NULL, or first values that are not random, for parameters with a prefix. */
    void (*fill)(const bs_known *k, bs_params *p, const char *prefix);

    /* NULL, or epochs between evaluations so that these take the lesser part of the time; for
     * early_stop.epochs=0. */
    int (*every)(const bs_part *train, const bs_part *valid, const bs_known *k);

    /* Batches of at most o->batch rows; borrows everything. */
    basin_status (*feed)(const bs_part *p, const bs_known *k, const bs_spec *spec,
                         const bs_train_options *o, bs_feed **out, basin_error *err);

    /* NULL, or rows of files for a trained model, some at a time. */
    basin_status (*stream)(const bs_settings *s, const bs_wish *w, int32_t rows, bs_stream **out,
                           basin_error *err);

    basin_status (*outputs)(const bs_part *p, const bs_known *k, bs_outputs *out, basin_error *err);
    /* Fills outputs; energy only where there is room for it. BASIN_ENUMERIC names the first row
     * whose numbers are not finite. */
    basin_status (*predict)(bs_scorer *s, const bs_spec *spec, const bs_known *k, const bs_part *p,
                            bs_outputs *out, basin_error *err);

    /* What was found for some rows of a part, the first of which is `row`, becomes part of `all`,
     * which are outputs of the whole. */
    void (*place)(const bs_part *whole, const bs_known *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all);

    /* Of tasks that tune: the threshold for a model with these outputs on validation rows. */
    basin_status (*choose)(const bs_train_options *o, const bs_part *train, const bs_part *valid,
                           const bs_outputs *y, bs_threshold *out, basin_error *err);

    basin_status (*count)(const bs_part *p, const bs_known *k, const bs_outputs *y,
                          const bs_threshold *cut, const bs_counting *how, bs_counts *out,
                          basin_error *err);
    basin_status (*values)(bs_counts *c, double out[BS_MOST_METRICS], basin_error *err);
    basin_status (*sampled)(bs_counts *c, bs_sampled *out, basin_error *err);
    void (*counts_free)(bs_counts *c);
};

extern const bs_task *const bs_tasks[]; /* ends with NULL */

/* By the name of its task. */
basin_status bs_task_find(const char *task, const bs_task **out, basin_error *err);
/* The one that fits the file best, and how well; the first one when none does. */
basin_status bs_task_sniff(const char *file, const bs_task **out, int *sure, basin_error *err);
/* How well a file fits a kind that is known; 0 when it cannot be looked at. */
int bs_task_fits(const bs_task *k, const char *file);
/* A setting that only data of another kind has would be without effect. */
basin_status bs_task_takes(const bs_task *k, const char *key, basin_error *err);
/* Options of bs_read_rows that count for the files of every task. */
bool bs_tasks_share(const char *key);
/* The one that a setting names, or that fits the file best. */
basin_status bs_task_guess(const bs_settings *s, const char *file, const bs_task **out,
                           basin_error *err);

void bs_part_free(bs_part *p);
void bs_known_free(bs_known *k);
void bs_outputs_free(bs_outputs *y);

/* By name; "auto" is the headline. */
basin_status bs_task_metric(const bs_task *k, const bs_known *known, const char *name, int *out,
                            basin_error *err);
/* {"example_f1": 0.5, ...}, null for what is not defined; the second without the braces. */
void bs_task_json(const bs_task *k, const double values[BS_MOST_METRICS], bs_buf *out);
void bs_task_members(const bs_task *k, const double values[BS_MOST_METRICS], bs_buf *out);
/* Without those that are not defined, or were not measured. */
void bs_task_json_known(const bs_task *k, const double values[BS_MOST_METRICS], bs_buf *out);

/* Counts and values in one go. */
basin_status bs_task_measure(const bs_part *p, const bs_known *k, const bs_outputs *y,
                             const bs_threshold *cut, const bs_counting *how,
                             double out[BS_MOST_METRICS], basin_error *err);
/* -log p of what is true, with p kept off 0 as far as floats are from 1. */
double bs_surprise(double p);
/* 95 % intervals by bootstrap over rows; needs keep_rows. */
basin_status bs_task_intervals(bs_counts *c, uint64_t seed, bs_interval out[BS_MOST_METRICS],
                               basin_error *err);

#endif
