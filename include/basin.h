/* basin.h -- structured prediction with energy networks, public interface.
 *
 *     basin_error      err;
 *     basin_model     *m;
 *     basin_predictor *p;
 *     float            scores[159];
 *     if (basin_model_load("runs/bibtex", &m, &err) ||
 *         basin_predictor_new(m, 1, &p, &err) ||
 *         basin_predict_csr(p, &row, scores, &err))
 *         die(err.msg);
 *
 * Every function that can fail returns a basin_status and takes a caller-owned basin_error,
 * possibly NULL, as its last argument. Nothing here exits, aborts, prints (except to
 * basin_session.messages), or keeps a pointer to caller memory after it returns, except where a
 * comment says "borrows". A NULL where a comment does not allow it is BASIN_EARG. Files, texts and
 * messages do not depend on the locale of the program, and no call changes it.
 *
 * A model is immutable once loaded and may be shared between threads. A predictor holds the memory
 * of one thread at a time. For sentences call basin_predict_tokens instead of basin_predict_csr.
 *
 * A guest in your process: every call, failed ones included, leaves the state of the process and of
 * the calling thread (OpenMP and BLAS thread counts, rounding mode, locale, errno, signal handlers
 * and masks, umask, environment) as it found it. A child forked while the process has several
 * threads may keep using everything here; it then works on one thread, with the same results.
 *
 * Signals: your handlers may run at any time. In a thread that is multiplying matrices they wait
 * for the end of the step, usually a few milliseconds, because oneDNN's kernels use the stack
 * pointer for other things. */
#ifndef BASIN_H
#define BASIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BASIN_VERSION "0.1.0"

typedef enum {
    BASIN_OK = 0,
    BASIN_EARG,         /* the caller asked for something impossible */
    BASIN_EDATA,        /* an input file is malformed */
    BASIN_EIO,          /* a file could not be read or written */
    BASIN_ENOMEM,       /* memory ran out */
    BASIN_EUNSUPPORTED, /* valid, but not by this backend or build */
    BASIN_EINTERRUPTED, /* stopped on request; completed work is saved */
    BASIN_ENUMERIC,     /* a value became infinite or not a number */
} basin_status;

typedef struct {
    basin_status status;
    char         msg[508]; /* one line without newline that names what is at fault */
} basin_error;

/* Structs that may get more members begin with `size`, which is their sizeof in your program: so it
 * goes on working with later versions of the library, where what it does not know is 0. Either of
 *     const basin_eval_options o = {sizeof o, .threads = 2};
 *     basin_eval(run, &file, 1, &BASIN_OPTIONS(basin_eval_options, .threads = 2), NULL, ...);
 * Members that are left out must be 0, and mean the default; so does NULL for all of them. A struct
 * that is larger than the library knows it is BASIN_EUNSUPPORTED unless the rest is 0. */
#define BASIN_OPTIONS(type, ...) ((type){sizeof(type), __VA_ARGS__})

/* "0.1.0"; a static string. */
const char *basin_version(void);

/* --- using a model ------------------------------------------------------------------------ */

typedef struct basin_model     basin_model;
typedef struct basin_predictor basin_predictor;

/* Reads a model file, the best model of a run folder, so far if it was interrupted, or the mean of
 * the models in seed-N of a folder. On failure *out is NULL. */
basin_status basin_model_load(const char *path, basin_model **out, basin_error *err);
void         basin_model_free(basin_model *m); /* accepts NULL; predictors first */

/* The same with options; NULL or 0 means the default. */
typedef struct {
    size_t size;
    /* For a model stored without its pretrained encoder (model.encoder = beside): the folder that
     * has it. NULL = searched: a folder of its name beside the model, the one that the config of
     * the run names, a folder of its name in those of $BASIN_ENCODERS, which colons separate.
     * Another encoder is BASIN_EDATA; a folder for a model that needs none is BASIN_EARG. */
    const char *encoder;
} basin_model_options;
basin_status basin_model_load_with(const char *path, const basin_model_options *o,
                                   basin_model **out, basin_error *err);

/* The same from the bytes of a model file, which are not needed afterwards; and those bytes again
 * of a model that is loaded, however it was. Release them with basin_bytes_free. */
typedef struct {
    void  *data;
    size_t n;
} basin_bytes;
basin_status basin_model_read(const void *bytes, size_t n, basin_model **out, basin_error *err);
basin_status basin_model_write(const basin_model *m, basin_bytes *out, basin_error *err);
void         basin_bytes_free(basin_bytes *b); /* also leaves it empty */

/* Texts belong to the model. A NULL model has none of them, and every count is 0. */
const char *basin_model_task(const basin_model *m);           /* "mlc", "tag" or "seg" */
const char *basin_model_card(const basin_model *m);           /* JSON: scores measured after
                                                                 training */
int         basin_model_labels(const basin_model *m);         /* or tags, or pixel classes */
const char *basin_model_label(const basin_model *m, int i);   /* NULL when out of range */
const char *basin_model_decision(const basin_model *m);       /* "threshold", "f1" and so on */
int         basin_model_features(const basin_model *m);       /* 0 except for mlc; without what
                                                                 is made of texts */
int         basin_model_texts(const basin_model *m);          /* 1: its rows have a text */
const char *basin_model_feature(const basin_model *m, int i); /* NULL when it has no name */
int         basin_model_columns(const basin_model *m);        /* per token, besides the word */
const char *basin_model_column(const basin_model *m, int i);  /* "column 2", as in the training
                                                                 file */

/* Borrows the model. threads: 1, or more (up to 1024, of which 64 are used) to share the work of
 * large batches; 0 = all cores. */
basin_status basin_predictor_new(const basin_model *m, int threads, basin_predictor **out,
                                 basin_error *err);
void         basin_predictor_free(basin_predictor *p); /* accepts NULL */

/* The same with options; NULL or 0 means the default. */
typedef struct {
    size_t      size;
    int         threads;   /* 0 = all cores */
    const char *device;    /* NULL = "cpu" */
    const char *infer;     /* "net", "gbi", "refine", "viterbi"; NULL = the model's own */
    int         constrain; /* tag, nonzero: choose the best sequence of well-formed spans */
    /* "gbi.test_steps=50", NULL-terminated; may be NULL. Overrides the length of the search
     * (gbi.test_steps, gbi.restarts, gbi.halvings) and decide.samples, which a model may only set
     * up to 100000 energies and 1000 samples a row, and limits such as image.max_window_mb. */
    const char *const *set;
    /* "threshold", or how an energy decides: "f1", "subset", "hamming", "jaccard" (see --decide of
     * `basin predict`); NULL = basin_model_decision. Sentences and photos are decided by it, label
     * sets by basin_predict_sets and basin_predict_text_sets. */
    const char *decide;
} basin_predictor_options;
basin_status basin_predictor_open(const basin_model *m, const basin_predictor_options *o,
                                  basin_predictor **out, basin_error *err);

/* Sparse rows: row i is start[i] .. start[i + 1] of index and value (NULL = all ones). */
typedef struct {
    int32_t        rows, cols;
    const int32_t *start; /* [rows + 1] */
    const int32_t *index; /* 0 .. cols - 1, increasing within a row */
    const float   *value;
} basin_rows;

/* Probabilities [rows, labels], never quite 0 or 1, labels in the order of basin_model_label.
 * Features are as in the training file: the model standardises them itself. NaN means missing, as
 * in a file; infinite values are refused.
 *
 * All predictions: scores of a row, sentence or photo have the same bits alone, among any others
 * and in a file. If a logit, a probability, the objective of a search or an energy overflows,
 * BASIN_ENUMERIC names the row, sentence or image, and the output arrays must not be used. Success
 * means that all numbers are finite. */
basin_status basin_predict_csr(basin_predictor *p, const basin_rows *x, float *scores,
                               basin_error *err);
basin_status basin_predict_dense(basin_predictor *p, const float *x, int32_t rows, float *scores,
                                 basin_error *err);

/* The same for a model of texts: rows of UTF-8 (else BASIN_EDATA). columns: what the rows have
 * besides, NULL if basin_model_features is 0. */
basin_status basin_predict_texts(basin_predictor *p, const char *const *texts, int32_t rows,
                                 const basin_rows *columns, float *scores, basin_error *err);

/* The sets of labels that the predictor decides on: on [rows][labels] is 1 where a label is turned
 * on, else 0. Unlike scores, a threshold or an expected metric may depend on the whole row. */
basin_status basin_predict_sets(basin_predictor *p, const basin_rows *x, uint8_t *on,
                                basin_error *err);
basin_status basin_predict_text_sets(basin_predictor *p, const char *const *texts, int32_t rows,
                                     const basin_rows *columns, uint8_t *on, basin_error *err);

/* Labels of one row of scores that the model's threshold turns on: writes their numbers to `labels`
 * (room for all) in increasing order and returns how many, or -1 if an argument is NULL. */
int basin_decide(const basin_model *m, const float *scores, int32_t *labels);

/* The same for many rows: on [rows][labels] is 1 where a label is turned on, else 0. */
basin_status basin_decide_rows(const basin_model *m, const float *scores, int32_t rows, uint8_t *on,
                               basin_error *err);

/* --- sentences ---------------------------------------------------------------------------- */

/* Token features other than the word (part of speech, ...), for models trained with them: as many
 * columns as basin_model_columns() says. */
typedef struct {
    int32_t                   n;
    const char *const *const *value; /* [n][tokens]; NULL is an unknown value */
} basin_token_columns;

/* The tags of one sentence of n tokens, as numbers of basin_model_label, and their probabilities
 * (scores may be NULL). Tokens are UTF-8 (else BASIN_EDATA), split and spelled as in the training
 * file; columns may be NULL if the model has none. The first call with a longer sentence prepares
 * for sentences of about that length; later ones are faster. */
basin_status basin_predict_tokens(basin_predictor *p, const char *const *tokens, int32_t n,
                                  const basin_token_columns *columns, int32_t *tags, float *scores,
                                  basin_error *err);

/* Many sentences in one call: sentence i is tokens start[i] .. start[i + 1]. */
typedef struct {
    int32_t                    sentences;
    const int32_t             *start;   /* [sentences + 1], not decreasing */
    const char *const         *tokens;  /* [start[sentences]] */
    const basin_token_columns *columns; /* or NULL */
} basin_sentences;
basin_status basin_predict_sentences(basin_predictor *p, const basin_sentences *x, int32_t *tags,
                                     float *scores, basin_error *err);

/* Semantic roles of one sentence: for predicate i, the token predicate[i], the tags
 * tags[i * n] .. tags[(i + 1) * n - 1] of all n tokens. They are numbers of basin_model_label, such
 * as "B-ARG0"; basin_spans finds the arguments. scores: as above, or NULL. */
basin_status basin_predict_roles(basin_predictor *p, const char *const *tokens, int32_t n,
                                 const int32_t *predicate, int32_t predicates, int32_t *tags,
                                 float *scores, basin_error *err);

/* The same with the probabilities of every tag: [start[sentences]][labels]. */
basin_status basin_predict_marginals(basin_predictor *p, const basin_sentences *x, int32_t *tags,
                                     float *marginals, basin_error *err);

/* The tags of one sentence as the training data writes them: models of spans have tags in BIOES,
 * data may have IOB2 or PER-B. Texts belong to the model; out has room for n. */
basin_status basin_tag_texts(const basin_model *m, const int32_t *tags, int32_t n, const char **out,
                             basin_error *err);

/* Tokens first .. end - 1 form one entity of a type. */
typedef struct {
    int32_t     first, end;
    const char *label; /* the type; belongs to the model */
} basin_span;

/* The spans that the tags of one sentence of n tokens stand for, in order; out has room for n. If
 * the tags do not describe spans (part of speech), every token is a span. */
basin_status basin_spans(const basin_model *m, const int32_t *tags, int32_t n, basin_span *out,
                         int32_t *n_out, basin_error *err);

/* --- images ------------------------------------------------------------------------------- */

/* The mask of one photo: 8-bit pixels [height][width][channels], 1 channel (grey) or 3 (RGB). mask
 * [height][width] receives a class number per pixel; probabilities (may be NULL) receives the
 * probability of class 1 [height][width] or, with more than two classes, of every class
 * [classes][height][width]. basin_model_labels and basin_model_label give the classes; one without
 * a name is called by its number. */
basin_status basin_predict_image(basin_predictor *p, const uint8_t *pixels, int width, int height,
                                 int channels, uint8_t *mask, float *probabilities,
                                 basin_error *err);

/* --- text that functions return ------------------------------------------------------------- */

/* Results for people and for programs; release with basin_text_free. */
typedef struct {
    char *table; /* lines for a terminal */
    char *json;  /* one object on one line, without the newline */
} basin_text;
void basin_text_free(basin_text *t); /* also leaves it empty */

/* Where long calls report progress, and how to stop them. NULL = silent, cannot be stopped. */
typedef struct {
    size_t              size;
    FILE               *messages;  /* progress and notes; NULL = none */
    int                 verbosity; /* 0 nothing, 1 warnings, 2 normal, 3 more */
    const volatile int *stop;      /* when it becomes nonzero: save and return BASIN_EINTERRUPTED;
                                      another thread sets it with an atomic store
                                      (__atomic_store_n) */
    /* Told what happens as a JSON object, on the calling thread and about ten times a second;
     * nonzero: as if stop were set. NULL = not wanted.
     *   {"event": "message", "level": "info" or "warning", "text": "..."}, as verbosity says
     *   {"event": "progress", "what": "epoch 3", "unit": "rows", "done": 640, "total": 2000,
     *    "seconds": 1.2}
     *   {"event": "epoch", ...}: after an evaluation, with the members of metrics.jsonl
     *   {"event": "working"}: nothing to tell, but a chance to stop
     * It must not call functions of this header with the objects that are at work. */
    int (*event)(void *ctx, const char *json);
    void *ctx;
} basin_session;

/* --- settings ----------------------------------------------------------------------------- */

/* Keys and values as in `basin train --set KEY=VALUE`; `basin list options` names them. */
typedef struct basin_config basin_config;

basin_status basin_config_new(basin_config **out, basin_error *err);
void         basin_config_free(basin_config *c);
basin_status basin_config_set(basin_config *c, const char *key, const char *value,
                              basin_error *err);
/* "key = value" lines, such as the file `config` of a run folder. */
basin_status basin_config_read(basin_config *c, const char *path, basin_error *err);
/* Adds a file; role is "train", "valid", "test" or "unlabelled". Copies the path. */
basin_status basin_config_file(basin_config *c, const char *role, const char *path,
                               basin_error *err);

/* --- data from memory ----------------------------------------------------------------------- */

/* Rows with label sets. Row i has the features index[start[i]] .. index[start[i + 1] - 1], or all
 * of dense[i][features], and the labels label[label_start[i]] .. label[label_start[i + 1] - 1]. NaN
 * is a missing value. Without value, every feature given is 1; without label_start, rows have no
 * labels; without names, features are x0, x1, ... (dense) or only numbers (sparse), labels y0, y1,
 * and so on. */
typedef struct {
    size_t             size;
    int32_t            rows, features, labels;
    const int64_t     *start; /* [rows + 1] */
    const int32_t     *index;
    const float       *value;
    const float       *dense;       /* [rows, features]; then start is NULL */
    const int64_t     *label_start; /* [rows + 1] */
    const int32_t     *label;
    const char *const *feature_names, *const *label_names;
    /* Of named features that are 1 where a column has a certain category: that column and value,
     * else NULL. They are not standardised, and the model finds them in files. */
    const char *const *feature_column, *const *feature_value;
    /* [rows] of UTF-8: rows have these texts besides, or alone; or NULL. */
    const char *const *texts;
} basin_label_sets;

/* Sentences with tags: tag[i] is that of token i of all; NULL: without tags. */
typedef struct {
    size_t             size;
    basin_sentences    x;
    const char *const *tag;
} basin_tagged;

/* Photos and their masks, of any sizes: pixels[i] is [height][width][channels] of 8 bits, and
 * masks[i] is [height][width] of classes, 255 where none counts. Without channels all are RGB,
 * without masks (or one of them) photos have none. What `basin train` says about values of masks
 * and sizes of photos in files (image.*, mask.*) holds for these, too. */
typedef struct {
    size_t                size;
    int32_t               n, classes; /* 0: as the masks say */
    const int32_t        *width, *height;
    const int32_t        *channels; /* 1 (grey) or 3 (RGB) */
    const uint8_t *const *pixels, *const *masks;
    const char *const *class_names; /* [classes], or NULL */
} basin_images;

/* Data for training and evaluation. Everything behind the pointers is borrowed until it is freed;
 * sparse features in increasing order and without zeros are not copied for training either. */
typedef struct basin_data basin_data;

basin_status basin_data_label_sets(const basin_label_sets *rows, basin_data **out,
                                   basin_error *err);
basin_status basin_data_tagged(const basin_tagged *sentences, basin_data **out, basin_error *err);
basin_status basin_data_images(const basin_images *photos, basin_data **out, basin_error *err);
void         basin_data_free(basin_data *d); /* accepts NULL; configs that have it first */

/* In place of basin_config_file, for "train", "valid" or "test". Borrows the data. */
basin_status basin_config_data(basin_config *c, const char *role, const basin_data *d,
                               basin_error *err);

/* --- training and evaluation ----------------------------------------------------------------- */

/* Trains `seeds` times (seed, seed + 1, ...) into folder (folder/seed-N when seeds > 1; NULL writes
 * nothing). Validation and test files that are not given are split off the training data.
 *
 * resume continues a stopped run in the folder. It may ask for more epochs than before (unless
 * schedule is cosine), also of a finished run. Other settings or data are
 * BASIN_EARG, and so is another instruction set or matrix library, unless resume.arithmetic = any,
 * which gives up identical bits. Also BASIN_EARG: a folder that holds a finished run when resume is
 * 0 (basin_train_with can replace it), and one that another call, in any process, is training
 * into. */
basin_status basin_train(const basin_config *c, const char *folder, int seeds, int resume,
                         const basin_session *s, basin_text *out, basin_error *err);

/* The same with options; NULL or 0 means the default. */
typedef struct {
    size_t      size;
    const char *folder; /* or NULL */
    int         seeds;  /* default: 1 */
    int         resume; /* nonzero: as above */
    int         force;  /* nonzero: replace a finished run in the folder */
    /* Receives the trained model, of one seed; with or without a folder. method=auto, which keeps
     * its attempts in the folder, is the task's usual method without one. With BASIN_EINTERRUPTED:
     * the best model so far, NULL if no epoch was evaluated. */
    basin_model **model;
} basin_train_options;
basin_status basin_train_with(const basin_config *c, const basin_train_options *o,
                              const basin_session *s, basin_text *out, basin_error *err);

typedef struct {
    size_t      size;
    const char *infer;     /* "net", "gbi", "refine", "viterbi"; NULL = the model's own */
    const char *threshold; /* a number, "auto" = the stored one; NULL = auto */
    const char *profile;   /* sklearn, mulan, meka, seal; NULL = the model's */
    int         threads;   /* 0 = all cores */
    const char *device;    /* NULL = "cpu" */
    int         per_label; /* nonzero: adds a table of labels, tags, span types or classes */
    int         conlleval; /* tag, nonzero: only a table like conlleval's */
    const char *part;      /* of a divided image set: train, valid, test, all; NULL = test */
    int         constrain; /* tag, nonzero: choose the best sequence of well-formed spans */
    /* Overrides, "text.tag_column=3" and the like, NULL-terminated; may be NULL. Accepts options of
     * reading, for files laid out differently from the training file, and the length of a search:
     * gbi.test_steps, gbi.restarts, gbi.halvings, decide.samples. */
    const char *const *set;
    /* mlc: "threshold", or the set of labels with the best expected "f1", "subset" accuracy,
     * "hamming" loss or "jaccard" index under P(y | x) ~ exp(-E); NULL = the model's own. */
    const char *decide;
    const char *encoder; /* as in basin_model_options; not for a model in memory */
} basin_eval_options;

basin_status basin_eval(const char *model, const char *const *files, int n,
                        const basin_eval_options *o, const basin_session *s, basin_text *out,
                        basin_error *err);
/* The same for a model and rows in memory; o->set has no options of reading. */
basin_status basin_eval_data(const basin_model *m, const basin_data *d, const basin_eval_options *o,
                             const basin_session *s, basin_text *out, basin_error *err);

typedef struct {
    size_t size;
    /* mlc: jsonl (default), csv, tsv, arff, npy. tag: conll, tokens, spans, csv, brat (a folder),
     * jsonl (spans if the input has texts, else tokens); NULL = as the input. seg: png, npy, jsonl;
     * NULL = png if there is a path, else jsonl (pixel counts). */
    const char *format;
    const char *infer;     /* as above */
    const char *threshold; /* as above */
    int         energy;    /* nonzero: adds the energy of each prediction (jsonl) */
    int         scores;    /* nonzero: adds probabilities, of predicted labels or of all */
    int         top_k;     /* > 0: the k best labels instead of the threshold */
    int         threads;   /* 0 = all cores */
    const char *device;    /* NULL = "cpu" */
    const char *path;      /* output file when out is NULL; seg: or a folder */
    const char *part;      /* of a divided image set: train, valid, test; NULL = all */
    int         overlay;   /* seg, nonzero: also draws the masks over the photos */
    int         constrain; /* as above */
    /* tag: scheme of the predicted span tags (iob1, iob2, ioe1, ioe2, bioes, bilou); NULL: that of
     * the tags in the file or, if it has none, of the training data. */
    const char        *scheme;
    const char *const *set; /* as above */
    /* tag, > 0: the n best sequences of each sentence with their scores (jsonl), for models decoded
     * by the Viterbi algorithm. In a crf, differences of scores are log odds. */
    int nbest;
    /* csv and tsv, nonzero: puts an apostrophe before any text that a spreadsheet would run as a
     * formula. */
    int csv_safe;
    /* mlc, nonzero: copies the input's columns before the predictions (jsonl, csv, tsv; CSV and
     * JSON rows only); labels then go to the member "predicted" or to columns predicted_LABEL. */
    int keep_columns;
    int probabilities;   /* mlc, nonzero: adds the probabilities of all labels, by name (jsonl) */
    const char *decide;  /* as above */
    const char *encoder; /* as above */
} basin_predict_options;

/* Reads rows from the files ("-" is standard input) and writes predictions to out or, if that is
 * NULL, to o->path. */
basin_status basin_predict_files(const char *model, const char *const *files, int n,
                                 const basin_predict_options *o, FILE *out, const basin_session *s,
                                 basin_error *err);

/* The energy E(x, y) of each row with its labels, sentence with its tags, photo with its mask (the
 * mean of its windows); the mean of the members of an ensemble. threads: as above. */
basin_status basin_energies(const basin_model *m, const basin_data *d, int threads, double *energy,
                            basin_error *err);

/* mlc: how much lower the energy is with two labels together than each alone suggests, out
 * [labels][labels]: minus its mean second derivative at relaxed outputs y [rows][labels] from 0 to
 * 1, such as probabilities. */
basin_status basin_interactions(const basin_model *m, const float *y, int32_t rows, int threads,
                                double *out, basin_error *err);

/* tag, seg: which outputs near each other the energy wants together, at the model's outputs for d.
 * tag, out [tags][tags]: tag j right after tag i, as basin_interactions has it of labels. seg, out
 * [BASIN_SIDE][BASIN_SIDE]: how much more the energy asks for a class at a pixel if the one dx to
 * its left and dy above it has that class, at [dy + BASIN_SIDE / 2][dx + BASIN_SIDE / 2], in the
 * middle of eight of the photos; NaN if no two pixels are that far apart. together: NULL, or the
 * same for the truth, which d must then have: how often tag j follows tag i; how the classes of two
 * such pixels correlate, NaN where one class is all there is. */
enum { BASIN_SIDE = 17 };
basin_status basin_interactions_of(const basin_model *m, const basin_data *d, int threads,
                                   double *out, double *together, basin_error *err);

/* How a threshold is rechosen; NULL or 0 means the default. */
typedef struct {
    size_t             size;
    const char        *kind;   /* one, label (one per label) or top-k; default one */
    const char        *metric; /* the metric to maximise; default: as in training */
    const char        *value;  /* a number from 0 to 1; no files are needed then */
    int                threads;
    const char        *device;  /* as above */
    const char *const *set;     /* as above */
    const char        *encoder; /* as above */
} basin_threshold_options;

/* mlc: rechooses the threshold of a model on labelled files and replaces the model file atomically;
 * the weights keep their bytes. out: before and after. */
basin_status basin_model_threshold(const char *model, const char *const *files, int n,
                                   const basin_threshold_options *o, const basin_session *s,
                                   basin_text *out, basin_error *err);

/* How a model is calibrated; NULL or 0 means the default. */
typedef struct {
    size_t             size;
    int                threads;
    const char        *device;  /* as above */
    const char *const *set;     /* as above */
    const char        *kind;    /* temperature (default) or isotonic */
    const char        *encoder; /* as above */
} basin_calibrate_options;

/* mlc: finds the temperature that makes the model's probabilities most likely on labelled files, or
 * the increasing function that comes nearest to how often they are right (isotonic regression over
 * all labels), and stores it in the model file. From then on the logits of all scores are divided
 * by it, or scores go through it; thresholds, too, so that decisions do not change. out: before and
 * after, with reliability by ten ranges of scores. */
basin_status basin_model_calibrate(const char *model, const char *const *files, int n,
                                   const basin_calibrate_options *o, const basin_session *s,
                                   basin_text *out, basin_error *err);

/* Writes a model whose encoder is not inside, and whose folder is found as by
 * basin_model_load_with, to a file that has all of it and predicts the same. */
basin_status basin_model_bundle(const char *model, const char *path, const basin_model_options *o,
                                const basin_session *s, basin_text *out, basin_error *err);

#ifdef __cplusplus
}
#endif
#endif
