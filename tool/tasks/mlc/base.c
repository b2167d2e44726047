/* base.c -- baselines for label sets: the frequencies of labels, and a linear model. */
#include <string.h>

#include "tasks/mlc/report.h"
#include "task/mlc/data.h"
#include "tasks/mlc/logistic.h"

static basin_status frequencies(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                                basin_error *err)
{
    const bs_csr *gold = &bs_dataset_mlc(t->train)->y;
    const size_t  L = (size_t)bs_preprocess_mlc(t->known)->schema.n_labels;
    float        *share = bs_calloc(L + 1, sizeof *share);
    if (!share)
        return bs_fail_nomem(err);
    for (int32_t e = 0; e < gold->start[gold->rows]; e++)
        share[gold->index[e]] += 1;
    for (size_t l = 0; l < L; l++)
        share[l] /= (float)gold->rows;
    for (int32_t r = 0; r < p->rows; r++)
        memcpy(y->scores + (size_t)r * L, share, L * sizeof *share);
    bs_free(share);
    return BASIN_OK;
}

basin_status bs_base_learn_mlc(bs_lesson *t, bool *out, basin_error *err)
{
    bs_logistic *linear = NULL;
    if (t->which == BS_BASE_TRIVIAL)
        return BASIN_OK;
    basin_status s = bs_logistic_fit(
        bs_dataset_mlc(t->train), t->valid ? bs_dataset_mlc(t->valid) : NULL,
        &bs_preprocess_mlc(t->known)->schema,
        t->which == BS_BASE_HALF ? (t->train->rows + 1) / 2 : 0, t->threads, &linear, err);
    t->learnt = linear;
    *out = linear != NULL;
    return s;
}

basin_status bs_base_guess_mlc(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                               basin_error *err)
{
    return t->which == BS_BASE_TRIVIAL
               ? frequencies(t, p, y, err)
               : bs_logistic_scores(t->learnt, bs_dataset_mlc(p), y->scores, err);
}

void bs_base_forget_mlc(bs_lesson *t)
{
    bs_logistic_free(t->learnt);
}
