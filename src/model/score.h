/* score.h -- outputs of a trained model for any number of rows: probabilities from its
 * net, or the relaxed outputs that a search of its energy finds.
 *
 * Rows go through in blocks of a few fixed sizes, padded with empty rows, so
 * that a handful of programs serves every request. One scorer serves one
 * thread at a time; the parameters are only read. */
#ifndef BS_SCORE_H
#define BS_SCORE_H

#include "model/cost_net.h"
#include "model/gbi.h"
#include "device/device.h"

typedef enum {
    BS_INFER_NET,     /* one pass of the net */
    BS_INFER_GBI,     /* search of the energy */
    BS_INFER_REFINE,  /* search that starts at the net's output */
    BS_INFER_VITERBI, /* exact, of energies that are chains: y are marginals, and potentials are
                       * given for whoever decodes */
    BS_INFER_COST,    /* the cost-augmented net, of models that kept it; sees the truth */
} bs_infer;

enum { BS_SCORE_POINTS = 64 };

typedef struct {
    bs_infer    how;
    bs_gbi      gbi;
    bool        energies;    /* also the energy of what was found */
    bool        even;        /* of rows: all blocks have one size, so that the last bits of what is
                              * found do not depend on how many rows were asked for at a time */
    double      temperature; /* of rows: logits of the scores are divided by it; 0: they are not */
    bool        constrained; /* for whoever decodes: well-formed outputs only */
    bs_cost_net cost_net;    /* of BS_INFER_COST, with its hidden units */
    int         cost_hidden;
    bool        cost_logits; /* it reads logits, not the relaxed output */
    /* of searches, for bs_scorer_replay: what is found after step[0] < step[1] < ... steps is
     * remembered, and the last of them is how far it goes; points = 0: nothing is */
    int points, step[BS_SCORE_POINTS];
} bs_inference;

typedef struct bs_scorer bs_scorer;

/* A probability whose logit is divided by a temperature; larger ones stay larger, or equal. */
float bs_tempered(float p, double temperature);

/* Borrows everything but the inference for its lifetime. */
basin_status bs_scorer_new(bs_workspace *w, bs_params *params, const bs_spec *spec,
                           const bs_inference *how, bs_scorer **out, basin_error *err);
void         bs_scorer_free(bs_scorer *s);
/* One more model of the same spec: what is found from now on is the mean of all, of relaxed outputs
 * as of potentials and energies. Points of searches are those of the first model alone. */
basin_status     bs_scorer_join(bs_scorer *s, bs_workspace *w, bs_params *params, basin_error *err);
const bs_scorer *bs_scorer_next(const bs_scorer *s); /* of these, or NULL */

/* What was found: [rows, parts], [rows], [rows, parts]; NULL for what was not asked for. */
typedef struct {
    const real *y, *energy, *potentials;
    const real *logits; /* [rows, parts] that y was made of, by a net */
    const real *value;  /* of searches that compare, [rows]: the objective at y */
} bs_scored;

/* One batch of any task; valid until the next call. */
basin_status bs_scorer_batch(bs_scorer *s, const bs_batch *b, bs_scored *out, basin_error *err);

/* BASIN_ENUMERIC when a number that was found for a row of the batch is not finite: its energy, the
 * value of its search, or one of the n parts from `at` on. Callers know which parts are not
 * padding, and what to call the row: "sentence", 3. */
basin_status bs_scored_check(const bs_scored *found, size_t row, size_t at, size_t n,
                             const char *unit, int64_t number, basin_error *err);

/* Of scorers that remember: the batches that follow are those of before, from the first one, and
 * are answered with what was found after step[point] steps. Nothing is computed. */
void bs_scorer_replay(bs_scorer *s, int point);

const bs_inference *bs_scorer_inference(const bs_scorer *s);
const bs_params    *bs_scorer_params(const bs_scorer *s);

/* Of tasks with one leaf [rows, cols] and a y of as many numbers for every row: any number of rows.
 * scores [rows, parts]; energies [rows], or NULL. The spec says which of the two is wanted. number:
 * of the first row, for messages. */
basin_status bs_scorer_csr(bs_scorer *s, const bs_csr *x, int64_t number, float *scores,
                           float *energies, basin_error *err);
basin_status bs_scorer_dense(bs_scorer *s, const float *x, int32_t rows, int32_t cols,
                             int64_t number, float *scores, float *energies, basin_error *err);

enum { BS_SCORE_BLOCK = 256 }; /* the largest block; callers that stream use it */

#endif
