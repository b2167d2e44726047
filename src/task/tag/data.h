/* data.h -- shared by the files of the task of tagged sentences. */
#ifndef BS_TASK_TAG_H
#define BS_TASK_TAG_H

#include "data/text/rules.h"
#include "data/text/tag_metric.h"
#include "task/packing.h"
#include "task/prepare.h"
#include "task/tag/nets.h"

extern const bs_task               bs_task_tag;
extern const struct bs_task_eval   bs_task_eval_tag;   /* eval.c */
extern const struct bs_task_write  bs_task_write_tag;  /* write.c */
extern const struct bs_task_memory bs_task_memory_tag; /* memory.c */

typedef struct {
    bs_lexicon        lexicon;
    bs_corpus_options text;       /* how files of the task are read */
    int               word_width; /* of the word vectors, and whether they come from a file */
    bool              has_vectors;
    int               file_scheme, file_columns; /* of the training file; 0: not known */
    double            unknown; /* share of rare words that training feeds as unknown */
    bs_vectors        vectors; /* only while training, else empty */
} bs_tag_known;

/* In addition to scores, which are [tokens] of the predicted tag. */
typedef struct {
    int32_t *tag; /* [tokens] */
    int32_t *raw; /* [tokens] the likeliest tag of each, for tasks that decode otherwise; or NULL */
    /* The best sequences of each sentence, best first, if there is room for them. */
    int      nbest;
    int32_t *best;       /* [nbest, tokens] */
    double  *best_score; /* [rows, nbest] */
    int32_t *best_found; /* [rows], fewer than nbest where there are no more */
} bs_tag_outputs;

typedef struct {
    bs_tag_metrics *metrics;
    bs_tagset       tags; /* of the metrics */
} bs_tag_counted;

static inline bs_corpus *bs_dataset_tag(const bs_dataset *p)
{
    return p->own;
}

static inline bs_tag_known *bs_preprocess_tag(const bs_preprocess *k)
{
    return k->own;
}

static inline bs_tag_outputs *bs_outputs_tag(const bs_outputs *y)
{
    return y->own;
}

static inline bs_tag_counted *bs_measurement_tag(const bs_measurement *c)
{
    return c->own;
}

/* --- what tasks whose rows are sentences with tags share ------------------ */

/* files.c */
basin_status bs_tag_read(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                         bs_dataset *out, basin_error *err);
basin_status bs_tag_stream(const bs_settings *given, const bs_read_request *w, int32_t lines,
                           bs_stream **out, basin_error *err);
void        *bs_tag_reading(bs_settings *s, bs_preprocess *k, const bs_option **rows);
void         bs_tag_free(bs_dataset *p);
basin_status bs_tag_select(const bs_dataset *p, const int32_t *rows, int32_t n, bs_dataset *out,
                           basin_error *err);

/* known.c */
basin_status bs_tag_widen(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
                          basin_error *err);
const char  *bs_tag_unit_name(const bs_preprocess *k, int growth, int32_t i,
                              char room[BS_UNIT_NAME]);
basin_status bs_tag_fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err);
void         bs_tag_known_free(bs_preprocess *k);
int          bs_tag_labels(const bs_preprocess *k);
const char  *bs_tag_label(const bs_preprocess *k, int i);
void         bs_tag_known_text(const bs_preprocess *k, bs_buf *out);
void         bs_tag_known_json(const bs_preprocess *k, bs_buf *out);
basin_status bs_tag_known_read(struct json_t *o, const char *where, bs_preprocess *out,
                               basin_error *err);

/* spec.c */
basin_status bs_tag_check(const bs_train_options *o, basin_error *err);
basin_status bs_tag_constrain(const bs_preprocess *k, bool caller, basin_error *err);
basin_status bs_tag_spec(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                         basin_error *err);
basin_status bs_tag_fill(const bs_preprocess *k, bs_params *p, const char *prefix,
                         basin_error *err);

/* data.c */
basin_status bs_tag_outputs_make(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                                 basin_error *err);
void         bs_tag_outputs_free(bs_outputs *y);
basin_status bs_tag_predict(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err);
void bs_tag_place(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all);

/* interactions.c: see bs_task. */
bs_hvp_kind  bs_tag_products(const bs_net_spec *s);
basin_status bs_interactions_tag(const bs_inquiry *q, double *out, double *together,
                                 basin_error *err);
/* Sentences at the model's outputs, where the energy is asked for products with its Hessian. */
typedef struct {
    const bs_batch *b;
    int32_t        *length; /* [n] */
    int32_t         n;      /* sentences; rows after them are padding */
    size_t          T, N;
    real           *y, *v; /* [rows, T, N] v: all zeros, and left so */
    float          *sign;  /* [rows, T] random */
} bs_tag_probe;
typedef basin_status (*bs_tag_probing)(void *ctx, const bs_tag_probe *x, basin_error *err);
/* Passes all sentences in batches; if they have more words, sentences of all lengths with about so
 * many. */
basin_status bs_tag_probe_all(const bs_inquiry *q, int32_t words, bs_tag_probing look, void *ctx,
                              basin_error *err);
/* [tags, tags]: how much the energy rewards tag j after tag i, the mean over so many places; how
 * often it follows in the truth. */
basin_status bs_tag_interactions(const bs_inquiry *q, double *out, int64_t *places,
                                 basin_error *err);
basin_status bs_tag_follows(const bs_dataset *p, const bs_preprocess *k, double *count,
                            basin_error *err);

/* memory.c */
struct bs_task_memory;
basin_status bs_tag_open(basin_model *m, basin_error *err);
void         bs_tag_close(basin_model *m);
basin_status bs_tag_start(basin_predictor *p, basin_error *err);
void         bs_tag_stop(basin_predictor *p);
/* needed: of the task that the call is for. */
basin_status bs_tag_predict_sentences(basin_predictor *p, const struct bs_task_memory *needed,
                                      const basin_sentences *x, int32_t *tags, float *scores,
                                      basin_error *err);

/* The lowest probability among the words of a span of a sentence that begins at `first`: write.c */
double bs_tag_span_score(const bs_outputs *y, int32_t first, const bs_span *s);

/* Scores of types, for --per-label: eval.c */
void bs_tag_score_table(const char *what, const bs_type_score *row, int32_t n, bs_buf *out);
void bs_tag_score_json(const char *key, const bs_type_score *row, int32_t n, bs_buf *out);

/* Their members of a bs_task. */
#define BS_TAG_FUNCTIONS                                                                          \
    .read = bs_tag_read, .stream = bs_tag_stream, .reading = bs_tag_reading, .free = bs_tag_free, \
    .select = bs_tag_select,                                                                      \
    .grows = {{"words", offsetof(bs_tag_shape, words), BS_AXIS_COPIES},                           \
              {"tags", offsetof(bs_tag_shape, tags), BS_AXIS_COPIES},                             \
              {"characters", offsetof(bs_tag_shape, characters), BS_AXIS_COPIES},                 \
              {"values of features", offsetof(bs_tag_shape, values), BS_AXIS_COPIES}},            \
    .unit_name = bs_tag_unit_name, .widen = bs_tag_widen, .known_free = bs_tag_known_free,        \
    .labels = bs_tag_labels, .label = bs_tag_label, .known_text = bs_tag_known_text,              \
    .known_json = bs_tag_known_json, .check = bs_tag_check, .constrain = bs_tag_constrain,        \
    .spec = bs_tag_spec, .fill = bs_tag_fill, .feed = bs_batches_tag,                             \
    .outputs = bs_tag_outputs_make, .outputs_free = bs_tag_outputs_free,                          \
    .predict = bs_tag_predict, .products = bs_tag_products, .place = bs_tag_place

basin_status bs_batches_tag(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                            const bs_train_options *o, bs_batches **out, basin_error *err);
/* The same for prediction: at most `most` sentences, rows padded so that a few programs suffice,
 * and no word replaced. */
basin_status bs_batches_tag_all(const bs_dataset *p, const bs_preprocess *k,
                                const bs_net_spec *spec, int32_t most, bs_batches **out,
                                basin_error *err);

/* --- unlabelled sentences: unlabelled.c ---------------------------------- */

/* Before the lexicon is fitted: appends unlabelled sentences to those of train, and tags found only
 * in rules to its tags. The caller frees *rules, after a failure as well. */
basin_status bs_tag_join(const bs_settings *s, bs_dataset *train, bs_dataset *unlabelled,
                         bs_rules **rules, basin_error *err);
/* Afterwards: their soft truth, and a note on how good the rules are. */
basin_status bs_tag_soften(const bs_settings *s, const bs_rules *rules, const bs_lexicon *l,
                           bs_dataset *part, bs_logger *log, basin_error *err);

/* Limits of a predicted batch: sentences, and words including padding, unless it is a single
 * sentence. */
enum { BS_TAG_SENTENCES = 128, BS_TAG_POSITIONS = 8192 };

/* ---- the arrays of a batch: batch.c ---- */

/* 1, 2, 4, ... 16, 20, ... 64, 72, ...: at most an eighth too long: a few programs suffice. */
int32_t bs_tag_rounded(int32_t length);
/* How many of the next n sentences, at most `most`, fit into a predicted batch. */
int32_t bs_tag_fitting(const int32_t *start, const int32_t *index, int32_t n, int32_t most);

/* All zero is empty. */
typedef struct {
    const bs_tag_shape *shape; /* borrowed */
    bs_batch            batch; /* the batch begun last */
    bool                with_gold;
    size_t              cells, rows, width; /* capacity: words, sentences, characters */
    int32_t            *word, *len, *ended, *column, *letter, *letters;
    real               *mask, *present, *gold;
} bs_tag_batch;

/* Makes room; the previous batch is lost. After a failure the batch is empty. */
basin_status bs_tag_batch_reserve(bs_tag_batch *b, const bs_tag_shape *shape, size_t cells,
                                  size_t rows, size_t width, bool gold, basin_error *err);
void         bs_tag_batch_free(bs_tag_batch *b);
/* First fills everything with padding, for a size that fits; then sentence by sentence, token by
 * token. A value is a row of the common table of all columns. */
void bs_tag_batch_begin(bs_tag_batch *b, bs_size size);
void bs_tag_batch_sentence(bs_tag_batch *b, int row, int32_t n);
void bs_tag_batch_word(bs_tag_batch *b, int row, int t, int32_t word);
void bs_tag_batch_value(bs_tag_batch *b, int row, int t, int column, int32_t value);
void bs_tag_batch_letters(bs_tag_batch *b, int row, int t, const int32_t *id, int32_t n);
void bs_tag_batch_tag(bs_tag_batch *b, int row, int t, int32_t tag); /* -1: unknown */

/* ---- from outputs to tags: decode.c ---- */

typedef struct bs_tag_sampler bs_tag_sampler;

/* Finds the likeliest tag of each token, or the best sequence. */
typedef struct {
    int                tags;
    struct bs_viterbi *best;    /* NULL: token by token */
    int8_t            *once;    /* [tags] what may start once, by number; -1: any; or NULL */
    bs_tag_sampler    *sampler; /* NULL, or decides by an expected metric: bs_tag_decide_all */
    bool               logs;    /* y are probabilities, whose logarithms are summed */
    float             *unary;   /* [T, tags] of one sentence */
    size_t             room;
} bs_tag_decoder;

basin_status bs_tag_decoder_make(bs_scorer *s, const bs_lexicon *l, bs_tag_decoder *out,
                                 basin_error *err);
void         bs_tag_decoder_free(bs_tag_decoder *d); /* also after a failed make */
/* The likeliest tag of each token. */
void bs_tag_token_by_token(const real *y, int32_t n, int tags, int32_t *tag);
/* Tags of the n tokens whose outputs start at `at`; score (may be NULL) is the y of each. */
basin_status bs_tag_decide(bs_tag_decoder *d, const bs_scored *found, size_t at, int32_t n,
                           int32_t *tag, float *score, basin_error *err);

/* The `most` best sequences of a sentence, if the decoder has them: tag [most, n] and score [most];
 * *out of them. */
basin_status bs_tag_best(bs_tag_decoder *d, const bs_scored *found, size_t at, int32_t n, int most,
                         int32_t *tag, double *score, int *out, basin_error *err);

/* ---- decisions by the energy: decide.c ---- */

/* A batch in which one sentence is repeated. */
typedef struct {
    void *ctx;
    basin_status (*rows)(void *ctx, int32_t sentence, int rows, const bs_batch **out,
                         basin_error *err);
} bs_tag_repeat;

/* transition, allowed: as for bs_viterbi_set; chain: the energy is no more than that. Borrows the
 * scorer and best. The caller frees *out, after a failure as well. */
basin_status bs_tag_sampler_new(bs_scorer *s, const bs_lexicon *l, const float *transition,
                                const uint8_t *allowed, bool chain, struct bs_viterbi *best,
                                bs_tag_sampler **out, basin_error *err);
void         bs_tag_sampler_free(bs_tag_sampler *d);
/* Tags of sentences index[0 .. n), whose outputs were found at y, `stride` apart; score (may be
 * NULL) is the y of each. number: of sentence 0, for messages. */
basin_status bs_tag_decide_all(bs_tag_sampler *d, const bs_tag_repeat *again, const real *y,
                               size_t stride, const int32_t *start, const int32_t *index, int32_t n,
                               int64_t number, int32_t *tag, float *score, basin_error *err);

/* ---- what metrics compare with: data.c ---- */

/* The truth of a corpus in numbers: the tags of a model, followed by those only in the corpus. */
typedef struct {
    bs_arena arena;
    bs_names names;   /* must not be moved */
    int32_t *gold;    /* [tokens], -1: no tag */
    uint8_t *unknown; /* [tokens], 1: training did not see the word */
} bs_tag_truth;

/* Tokens whose tag a model with this lexicon cannot predict; *first is the first one: known.c */
int32_t bs_tag_unknown(const bs_corpus *c, const bs_lexicon *l, int32_t *first);
/* Warns if there are any. where: what the message starts with. */
void bs_tag_warn_unknown(const char *where, const bs_corpus *c, const bs_lexicon *l,
                         bs_logger *log);

basin_status bs_tag_truth_make(const bs_corpus *c, const bs_lexicon *l, bs_tag_truth *out,
                               basin_error *err);
void         bs_tag_truth_free(bs_tag_truth *t); /* also after a failed make */

#endif
