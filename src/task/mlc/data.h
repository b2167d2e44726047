/* data.h -- shared by the files of the task of multi-label data. */
#ifndef BS_TASK_MLC_H
#define BS_TASK_MLC_H

#include "data/bins.h"
#include "data/words/ngrams.h"
#include "task/task.h"
#include "task/mlc/text.h"

extern const bs_task               bs_task_mlc;
extern const struct bs_task_eval   bs_task_eval_mlc;   /* eval.c */
extern const struct bs_task_write  bs_task_write_mlc;  /* write.c */
extern const struct bs_task_memory bs_task_memory_mlc; /* memory.c */

typedef struct {
    bs_schema    columns; /* of files */
    bs_ngrams    ngrams;  /* n = 0: rows have no text, or it is not used */
    bs_schema    schema;  /* of rows: the columns, then n-grams; without these it is `columns` */
    bs_mlc_text *text;    /* how an encoder reads the texts of rows; NULL: none does */
    /* Only while training, first values of nets: */
    const float *log_odds; /* [labels] of a label in the training rows */
    bs_bins      bins;
} bs_mlc_known;

static inline bs_rows *bs_dataset_mlc(const bs_dataset *p)
{
    return p->own;
}

static inline bs_mlc_known *bs_preprocess_mlc(const bs_preprocess *k)
{
    return k->own;
}

static inline bs_schema *bs_schema_mlc(const bs_preprocess *k)
{
    return &bs_preprocess_mlc(k)->schema;
}

/* As files have them. */
static inline bs_schema *bs_columns_mlc(const bs_preprocess *k)
{
    return &bs_preprocess_mlc(k)->columns;
}

static inline bs_metrics *bs_measurement_mlc(const bs_measurement *c)
{
    return c->own;
}

/* Functions of bs_task: */

/* files.c */
int          bs_mlc_sniff(const char *path, const char *head, size_t n);
basin_status bs_mlc_read(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                         bs_dataset *out, basin_error *err);
basin_status bs_mlc_stream(const bs_settings *s, const bs_read_request *w, int32_t rows,
                           bs_stream **out, basin_error *err);
basin_status bs_mlc_select(const bs_dataset *p, const int32_t *rows, int32_t n, bs_dataset *out,
                           basin_error *err);

/* known.c */
basin_status bs_mlc_fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err);
basin_status bs_mlc_widen(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
                          basin_error *err);
void         bs_mlc_known_text(const bs_preprocess *k, bs_buf *out);
void         bs_mlc_known_json(const bs_preprocess *k, bs_buf *out);
basin_status bs_mlc_known_read(json_t *o, const char *where, bs_preprocess *out, basin_error *err);

/* spec.c */
basin_status bs_mlc_spec(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                         basin_error *err);
basin_status bs_mlc_check(const bs_train_options *o, basin_error *err);
basin_status bs_mlc_fill(const bs_preprocess *k, bs_params *p, const char *prefix,
                         basin_error *err);

/* batch.c */
basin_status bs_batches_mlc(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                            const bs_train_options *o, bs_batches **out, basin_error *err);

/* energies.c */
basin_status bs_energies_mlc(bs_energy_probe *probe, const bs_net_spec *spec,
                             const bs_preprocess *k, const bs_dataset *p, double *energy,
                             basin_error *err);

/* decide.c */
basin_status bs_mlc_choose(const bs_train_options *o, const bs_dataset *train,
                           const bs_dataset *valid, const bs_outputs *y, bs_threshold *out,
                           basin_error *err);

/* What they share: */

/* Batches for prediction: at most `most` rows, a power of two; batches are padded to one, so that a
 * few programs suffice. batch.c */
basin_status bs_batches_mlc_all(const bs_dataset *p, const bs_preprocess *k,
                                const bs_net_spec *spec, int32_t most, bs_batches **out,
                                basin_error *err);

/* Decides the sets of all rows, whose scores are known, if the scorer's inference asks for it
 * (decide.c); otherwise there are none. */
basin_status bs_mlc_decide(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                           const bs_dataset *p, bs_outputs *out, basin_error *err);

/* Sparse nets read the rows as they are stored. */
bool bs_mlc_is_sparse(const bs_schema *schema);

/* Probabilities [rows, labels] and, unless NULL, energies [rows]. number: of the first row, for
 * messages. */
basin_status bs_mlc_scores(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                           const bs_rows *data, int64_t number, float *scores, float *energy,
                           basin_error *err);

/* The n-grams of the training texts or, if training continues from a model, that model's; or the
 * encoder that reads them. */
basin_status bs_mlc_fit_texts(const bs_settings *s, bs_dataset *part, int n, bs_preprocess *out,
                              basin_error *err);
/* Turns the texts of rows, whose columns are the model's, into features; the rows borrow the names
 * of what the model knows. */
basin_status bs_mlc_read_texts(const bs_preprocess *k, bs_rows *d, bs_notes *notes,
                               basin_error *err);

/* Notes how well the features of an input fit a model. label_free: unknown columns cannot be labels
 * under another name. */
void bs_mlc_strange(const bs_coverage *s, const bs_schema *known, bool label_free, bs_logger *log);

#endif
