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
 * Every function that can fail returns a basin_status and takes a caller-owned
 * basin_error, possibly NULL, as its last argument. Nothing here exits, aborts,
 * prints (but to basin_session.messages), or keeps a pointer to caller memory
 * after it returns, except where a comment says "borrows". A NULL where a comment
 * does not allow it is BASIN_EARG. Files, texts and messages are the same whatever
 * locale the program has set, and that locale stays as it is.
 *
 * Models of sentences are asked with basin_predict_tokens instead.
 *
 * A model is immutable once loaded and may be shared between threads. A
 * predictor holds the memory of one thread at a time.
 *
 * A guest in your process: what belongs to all of it or to the calling thread (numbers of threads
 * of OpenMP and BLAS, rounding, locale, errno, handlers and masks of signals, umask, environment)
 * is after every call as it was before, failed calls included. A child that is forked while the
 * process has several threads may go on with everything here; it then works on one thread, with
 * the same results.
 *
 * Signals: handlers of the host may run at any time. Those of a thread that multiplies matrices
 * here wait for the end of a step, as a rule a few milliseconds: kernels of oneDNN use the stack
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
    BASIN_EINTERRUPTED, /* stopped on request; what was done is saved */
    BASIN_ENUMERIC,     /* a value became infinite or not a number */
} basin_status;

typedef struct {
    basin_status status;
    char         msg[508]; /* one line, no newline, names the thing at fault */
} basin_error;

/* "0.1.0"; a static string. */
const char *basin_version(void);

/* --- using a model ------------------------------------------------------------------------ */

typedef struct basin_model     basin_model;
typedef struct basin_predictor basin_predictor;

/* Reads a model file, or the best model of a run folder. On failure *out is NULL. */
basin_status basin_model_load(const char *path, basin_model **out, basin_error *err);
void         basin_model_free(basin_model *m); /* accepts NULL; predictors first */

/* Texts belong to the model. Of NULL there is none, and 0 of everything. */
const char *basin_model_task(const basin_model *m);           /* "mlc", "tag" or "seg" */
const char *basin_model_card(const basin_model *m);           /* JSON: scores when it was trained */
int         basin_model_labels(const basin_model *m);         /* or tags, or classes of pixels */
const char *basin_model_label(const basin_model *m, int i);   /* NULL when out of range */
int         basin_model_features(const basin_model *m);       /* 0 but for mlc */
const char *basin_model_feature(const basin_model *m, int i); /* NULL when it has no name */
int         basin_model_columns(const basin_model *m);        /* of tokens, beside the word */
const char *basin_model_column(const basin_model *m, int i);  /* "column 2": of the training file */

/* Borrows the model. threads: 1, or more (up to 1024, of which 64 are used) to share the work of
 * large batches; 0 = all cores. */
basin_status basin_predictor_new(const basin_model *m, int threads, basin_predictor **out,
                                 basin_error *err);
void         basin_predictor_free(basin_predictor *p); /* accepts NULL */

/* The same with more to say; NULL or 0 = the default. */
typedef struct {
    int         threads;   /* 0 = all cores */
    const char *device;    /* NULL = "cpu" */
    const char *infer;     /* "net", "gbi", "refine", "viterbi"; NULL = the model's own */
    int         constrain; /* tag, nonzero: well-formed spans only, the best sequence of those */
    /* "gbi.test_steps=50", NULL at the end; or NULL. What the model's search may not decide by
     * itself beyond 100000 energies a row: gbi.test_steps, gbi.restarts, gbi.halvings; and limits:
     * image.max_window_mb and the like. */
    const char *const *set;
} basin_predictor_options;
basin_status basin_predictor_open(const basin_model *m, const basin_predictor_options *o,
                                  basin_predictor **out, basin_error *err);

/* Rows of features: row i is start[i] .. start[i + 1] of index and value (NULL = ones). */
typedef struct {
    int32_t        rows, cols;
    const int32_t *start; /* [rows + 1] */
    const int32_t *index; /* 0 .. cols - 1, increasing within a row */
    const float   *value;
} basin_rows;

/* Probabilities [rows, labels] in the order of basin_model_label. Features are as
 * in the training file, before any standardisation, which the model does itself. NaN
 * is a missing value and read as in a file; what is infinite is refused.
 *
 * All predictions: where a logit, a probability, the objective of a search or an energy
 * overflows, BASIN_ENUMERIC names the row, sentence or image, and what was to be filled is not to
 * be used. Success means that all numbers are finite. */
basin_status basin_predict_csr(basin_predictor *p, const basin_rows *x, float *scores,
                               basin_error *err);
basin_status basin_predict_dense(basin_predictor *p, const float *x, int32_t rows, float *scores,
                                 basin_error *err);

/* The labels that the model's threshold turns on, for one row of scores: their
 * numbers into labels (room for all), in increasing order; returns how many, or -1
 * when an argument is NULL. */
int basin_decide(const basin_model *m, const float *scores, int32_t *labels);

/* --- sentences ---------------------------------------------------------------------------- */

/* What stands beside the words in the training file (part of speech, ...), where a
 * model was trained with that: as many columns as basin_model_columns() says. */
typedef struct {
    int32_t                   n;
    const char *const *const *value; /* [n][tokens]; a text that is NULL is unknown */
} basin_token_columns;

/* The tags of one sentence of n tokens, as numbers of basin_model_label, and how
 * probable each is (scores may be NULL). Tokens are UTF-8 (else BASIN_EDATA), cut and
 * spelled as in the training file; columns may be NULL when the model has none. The
 * first call with a longer sentence prepares for sentences of about that length, the
 * next are faster. */
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

/* Tokens first .. end - 1 are one thing of a type. */
typedef struct {
    int32_t     first, end;
    const char *label; /* the type; belongs to the model */
} basin_span;

/* The spans that tags of one sentence of n tokens stand for, in order; out has room
 * for n. Where tags are not about spans (part of speech), every token is one. */
basin_status basin_spans(const basin_model *m, const int32_t *tags, int32_t n, basin_span *out,
                         int32_t *n_out, basin_error *err);

/* --- images ------------------------------------------------------------------------------- */

/* The mask of one photo: pixels [height][width][channels] of 8 bits, 1 channel (grey) or 3 (RGB).
 * mask [height][width] gets the number of a class for every pixel, probabilities (may be NULL) the
 * probability of class 1 [height][width], or with more than two classes of each [classes][height]
 * [width]. basin_model_labels and basin_model_label tell the classes; one without a name is called
 * by its number. */
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

/* Where longer work reports, and how it is stopped. NULL = silent, unstoppable. */
typedef struct {
    FILE               *messages;  /* progress and notes; NULL = none */
    int                 verbosity; /* 0 nothing, 1 warnings, 2 normal, 3 more */
    const volatile int *stop;      /* becomes nonzero: save and return BASIN_EINTERRUPTED; another
                                      thread sets it by an atomic store (__atomic_store_n) */
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

/* --- training and evaluation ----------------------------------------------------------------- */

/* Trains `seeds` times (seed, seed + 1, ...) into folder (folder/seed-N when
 * seeds > 1; NULL = nothing is written). Files that are not given are split off
 * the training data. resume: go on where a stopped run of the folder was; more epochs than before
 * are welcome (unless schedule is cosine), of a finished run as long as its last state is there.
 * Other settings or data are BASIN_EARG, and so is another instruction set or matrix library: with
 * the setting resume.arithmetic = any it goes on, if not to the same bits. BASIN_EARG, too: a
 * folder with a finished run, without resume (basin_train_with can replace it); one that another
 * call, of this process or another, is training into. */
basin_status basin_train(const basin_config *c, const char *folder, int seeds, int resume,
                         const basin_session *s, basin_text *out, basin_error *err);

/* The same with all that can be said; NULL or 0 = the default. */
typedef struct {
    const char *folder; /* or NULL */
    int         seeds;  /* default: 1 */
    int         resume; /* nonzero: as above */
    int         force;  /* nonzero: a finished run of the folder is replaced */
} basin_train_options;
basin_status basin_train_with(const basin_config *c, const basin_train_options *o,
                              const basin_session *s, basin_text *out, basin_error *err);

typedef struct {
    const char *infer;     /* "net", "gbi", "refine", "viterbi"; NULL = the model's own */
    const char *threshold; /* a number, "auto" = the stored one; NULL = auto */
    const char *profile;   /* sklearn, mulan, meka, seal; NULL = the model's */
    int         threads;   /* 0 = all cores */
    const char *device;    /* NULL = "cpu" */
    int         per_label; /* nonzero: a table of labels, tags, types of spans or classes, too */
    int         conlleval; /* tag: 1: a table as conlleval prints it; 2: also counted as it does */
    const char *part;      /* of images that have parts: train, valid, test, all; NULL = test */
    int         constrain; /* tag, nonzero: well-formed spans only, the best sequence of those */
    /* How the files are read where that is not as the model remembers it: "text.tag_column=3" and
     * the like, NULL at the end; or NULL. Options of reading, and those that say how long a search
     * is: gbi.test_steps, gbi.restarts, gbi.halvings. */
    const char *const *set;
} basin_eval_options;

basin_status basin_eval(const char *model, const char *const *files, int n,
                        const basin_eval_options *o, const basin_session *s, basin_text *out,
                        basin_error *err);

typedef struct {
    /* mlc: jsonl, csv, tsv, arff, npy; NULL = the first. tag: conll, tokens, spans, csv, brat (a
     * folder), jsonl (spans where the input has texts, else tokens); NULL = as the input. seg: png,
     * npy, jsonl; NULL = png for a path, else jsonl: counts of pixels. */
    const char *format;
    const char *infer;     /* as above */
    const char *threshold; /* as above */
    int         energy;    /* nonzero: the energy of each prediction (jsonl) */
    int         scores;    /* nonzero: probabilities of the labels that are on, or of all */
    int         top_k;     /* > 0: that many best labels instead of the threshold */
    int         threads;   /* 0 = all cores */
    const char *device;    /* NULL = "cpu" */
    const char *path;      /* where predictions go when out is NULL: a file; seg: or a folder */
    const char *part;      /* of images that have parts: train, valid, test; NULL = all */
    int         overlay;   /* seg, nonzero: masks drawn over the photos, too */
    int         constrain; /* as above */
    /* tag: scheme of the predicted tags of spans (iob1, iob2, ioe1, ioe2, bioes, bilou); NULL: that
     * of the tags in the file, or, where it has none, of the training data. */
    const char        *scheme;
    const char *const *set; /* as above */
    /* tag, > 0: that many best sequences of each sentence with their scores (jsonl), of models that
     * are decoded by Viterbi's algorithm. Differences of scores are logarithms of odds in a crf. */
    int nbest;
    /* csv and tsv, nonzero: an apostrophe before each text that a spreadsheet would run as a
     * formula. */
    int csv_safe;
    /* mlc, nonzero: the input's own columns stand before the predictions (jsonl, csv, tsv; of CSV
     * and JSON rows); labels are then the member "predicted", or columns predicted_LABEL. */
    int keep_columns;
    int probabilities; /* mlc, nonzero: probabilities of all labels, by name (jsonl) */
} basin_predict_options;

/* Reads rows from the files ("-": standard input) and writes predictions to out, or, when that is
 * NULL, to o->path. */
basin_status basin_predict_files(const char *model, const char *const *files, int n,
                                 const basin_predict_options *o, FILE *out, const basin_session *s,
                                 basin_error *err);

/* How a threshold is chosen anew; NULL or 0 = the default. */
typedef struct {
    const char        *kind;   /* one, label (one a label) or top-k; default one */
    const char        *metric; /* what it is best for; default: as in training */
    const char        *value;  /* a number from 0 to 1 instead; files are not needed then */
    int                threads;
    const char        *device; /* as above */
    const char *const *set;    /* as above */
} basin_threshold_options;

/* mlc: chooses the threshold of a model anew on labelled files and writes it into the model file,
 * which is replaced at once; weights keep their bytes. out: before and after. */
basin_status basin_model_threshold(const char *model, const char *const *files, int n,
                                   const basin_threshold_options *o, const basin_session *s,
                                   basin_text *out, basin_error *err);

/* How a model is calibrated; NULL or 0 = the default. */
typedef struct {
    int                threads;
    const char        *device; /* as above */
    const char *const *set;    /* as above */
} basin_calibrate_options;

/* mlc: finds the temperature at which the model's probabilities are likeliest on labelled files and
 * writes it into the model file. From then on logits of all scores are divided by it. Thresholds
 * are moved with them, so that decisions stay. out: before and after. */
basin_status basin_model_calibrate(const char *model, const char *const *files, int n,
                                   const basin_calibrate_options *o, const basin_session *s,
                                   basin_text *out, basin_error *err);

#ifdef __cplusplus
}
#endif
#endif
