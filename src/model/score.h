/* score.h -- outputs of a trained model for any number of rows: probabilities from its net, or
 * relaxed outputs found by a search of its energy.
 *
 * Rows are processed in blocks of a few fixed sizes, padded with empty rows, so that a handful of
 * programs serves every request. A scorer serves one thread at a time; the parameters are only
 * read. */
#ifndef BS_SCORE_H
#define BS_SCORE_H

#include "base/monotone.h"
#include "base/log.h"
#include "model/cost_net.h"
#include "model/gbi.h"
#include "model/posterior.h"
#include "device/device.h"

typedef enum {
    BS_INFER_NET,     /* one pass of the net */
    BS_INFER_GBI,     /* search of the energy */
    BS_INFER_REFINE,  /* search starting from the net's output */
    BS_INFER_VITERBI, /* exact, for energies that are chains: y are marginals, and potentials are
                         returned for decoding */
    BS_INFER_COST,    /* the cost-augmented net, for models that kept it; sees the truth */
} bs_infer;

enum { BS_SCORE_POINTS = 64 };

typedef struct {
    bs_infer           how;
    bs_gbi             gbi;
    bool               energies;    /* also the energy of the result */
    double             temperature; /* divides the logits of scores of rows; 0: none */
    const bs_monotone *map;         /* or maps them; borrowed; NULL: none */
    bool               constrained; /* for decoding: well-formed outputs only */
    bool               unique;      /* the same, and each core role at most once */
    bs_cost_net        cost_net;    /* for BS_INFER_COST, with its hidden units */
    int                cost_hidden;
    bool               cost_logits; /* it reads logits, not relaxed outputs */
    /* How sets of labels are decided, a bs_decision of the task's data; 0: by scores. From so many
     * samples of a posterior (bs_scorer_posterior); what two empty sets are worth. */
    int    decide, decide_samples;
    double decide_empty;
    /* for searches, used by bs_scorer_replay: records what is found after step[0] < step[1] < ...
     * steps, the last being the search's length; points = 0: nothing */
    int        points, step[BS_SCORE_POINTS];
    bs_logger *log; /* asked before each batch whether to stop; or NULL */
} bs_inference;

typedef struct bs_scorer bs_scorer;

/* A probability whose logit is divided by a temperature; order is kept, except that values may
 * become equal. */
float bs_tempered(float p, double temperature);

/* Borrows everything but the inference for its lifetime. */
basin_status bs_scorer_new(bs_workspace *w, bs_params *params, const bs_net_spec *spec,
                           const bs_inference *how, bs_scorer **out, basin_error *err);
void         bs_scorer_free(bs_scorer *s);
/* Adds a model with the same spec: from now on results are means over all models, for relaxed
 * outputs, potentials and energies. Points of searches are those of the first model only. */
basin_status     bs_scorer_join(bs_scorer *s, bs_workspace *w, bs_params *params, basin_error *err);
const bs_scorer *bs_scorer_next(const bs_scorer *s); /* the next member, or NULL */

/* Results: [rows, parts], [rows], [rows, parts]; NULL if not requested. */
typedef struct {
    const real *y, *energy, *potentials;
    const real *logits; /* [rows, parts] from which a net computed y */
    const real *value;  /* for searches that compare, [rows]: the objective at y */
} bs_scored;

/* One batch of any task; valid until the next call. */
basin_status bs_scorer_batch(bs_scorer *s, const bs_batch *b, bs_scored *out, basin_error *err);

/* BASIN_ENUMERIC if a result for a row of the batch is not finite: its energy, the value of its
 * search, or one of the n parts from `at` on. Callers know which parts are not padding, and what a
 * row is called: "sentence", 3. */
basin_status bs_scored_check(const bs_scored *found, size_t row, size_t at, size_t n,
                             const char *unit, int64_t number, basin_error *err);

/* For scorers that record: the following batches are the earlier ones again, from the first on, and
 * are answered with what was found after step[point] steps. Nothing is computed. */
void bs_scorer_replay(bs_scorer *s, int point);

/* For inferences that decide by samples. */
bs_posterior      *bs_scorer_posterior(bs_scorer *s); /* NULL: outputs are not yes-or-no parts */
bs_energy_program *bs_scorer_energy_program(bs_scorer *s); /* NULL: without an energy */

const bs_inference *bs_scorer_inference(const bs_scorer *s);
const bs_params    *bs_scorer_params(const bs_scorer *s);
const bs_net_spec  *bs_scorer_spec(const bs_scorer *s);

/* For tasks with one leaf [rows, cols] and equally many numbers in every row's y: any number of
 * rows. scores [rows, parts]; energies [rows], or NULL. The spec says which of the two is
 * requested. number: of the first row, for messages. */
basin_status bs_scorer_csr(bs_scorer *s, const bs_csr *x, int64_t number, float *scores,
                           float *energies, basin_error *err);
basin_status bs_scorer_dense(bs_scorer *s, const float *x, int32_t rows, int32_t cols,
                             int64_t number, float *scores, float *energies, basin_error *err);

/* The same for a batch made by the task, of n rows and empty ones up to bs_scorer_padded(n): row i
 * of the batch is row index[i] (NULL: i) of what scores and energies are for. */
basin_status bs_scorer_rows(bs_scorer *s, const bs_batch *b, int32_t n, const int32_t *index,
                            int64_t number, float *scores, float *energies, basin_error *err);
/* A power of two, so that a few programs serve all numbers of rows. */
int bs_scorer_padded(int32_t rows);

enum { BS_SCORE_BLOCK = 256 }; /* the largest block; used by callers that stream */

#endif
