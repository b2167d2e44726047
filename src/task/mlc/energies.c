/* energies.c -- what the energy of a model says about rows: the energy of their label sets, and
 * which labels it wants together. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "model/probe.h"
#include "task/mlc/curvature.h"
#include "task/mlc/data.h"

enum { BLOCK = 64 }; /* rows */

static basin_status check_model(const basin_model *m, int threads, basin_error *err)
{
    if (m->saved->task != &bs_task_mlc)
        return bs_fail(err, BASIN_EARG, "the model is for task %s, not mlc", m->saved->task->name);
    if (!m->saved->has_energy)
        return bs_fail(err, BASIN_EARG, "the model is a plain net without an energy");
    return bs_need_where((bs_machine){NULL, threads}, err);
}

/* Parameters of a member of an ensemble. */
static bs_params *member(const bs_model_file *m, int i)
{
    return i ? m->more[i - 1] : m->params;
}

/* ---- energies ---- */

basin_status bs_energies_mlc(bs_energy_probe *probe, const bs_net_spec *spec,
                             const bs_preprocess *k, const bs_dataset *p, double *energy,
                             basin_error *err)
{
    const real *found;
    int32_t     index[BLOCK];
    bs_batches *f = NULL;
    if (!bs_dataset_mlc(p)->labelled)
        return bs_fail(err, BASIN_EARG, "rows without labels have no energy");
    basin_status s = bs_batches_mlc_all(p, k, spec, BLOCK, &f, err);
    for (int32_t first = 0, n = 0; first < p->rows && !s; first += n) {
        n = p->rows - first < BLOCK ? p->rows - first : BLOCK;
        for (int32_t i = 0; i < n; i++)
            index[i] = first + i;
        s = bs_energy_probe_truth(probe, f->rows(f, index, n), &found, err);
        for (int32_t i = 0; i < n && !s; i++)
            energy[first + i] = (double)found[i];
    }
    if (f)
        f->free(f);
    return s;
}

/* ---- which labels go together ---- */

static basin_status check_relaxed(const float *y, int32_t rows, size_t L, basin_error *err)
{
    for (size_t i = 0; i < (size_t)rows * L; i++)
        if (!(y[i] >= 0 && y[i] <= 1))
            return bs_fail(err, BASIN_EARG, "y: row %zu: label %zu is not from 0 to 1", i / L,
                           i % L);
    return BASIN_OK;
}

static basin_status check_finite(const double *found, size_t L, basin_error *err)
{
    for (size_t i = 0; i < L * L; i++)
        if (!isfinite(found[i]))
            return bs_fail(err, BASIN_ENUMERIC,
                           "labels %zu and %zu: the derivative of the energy is not finite; the "
                           "model's weights are too large",
                           i / L, i % L);
    return BASIN_OK;
}

basin_status basin_interactions(const basin_model *m, const float *y, int32_t rows, int threads,
                                double *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_workspace *w = NULL;
    basin_status  s = BS_NEED(err, {"model", m}, {"y", y}, {"out", out});
    if (!s)
        s = check_model(m, threads, err);
    if (!s && rows < 1)
        s = bs_fail(err, BASIN_EARG, "%d rows", (int)rows);
    const size_t L = (size_t)basin_model_labels(m);
    if (!s)
        s = check_relaxed(y, rows, L, err);
    if (s)
        return s;
    const size_t members = (size_t)m->saved->n_more + 1;
    double      *one = bs_calloc(L * L, sizeof *one);
    s = one ? bs_workspace_open((bs_machine){NULL, threads}, &w, err) : bs_fail_nomem(err);
    memset(out, 0, L * L * sizeof *out);
    for (size_t i = 0; i < members && !s; i++) {
        bs_label_curvature *c = NULL;
        s = bs_label_curvature_new(w, member(m->saved, (int)i), &m->saved->spec, &c, err);
        if (!s)
            s = bs_label_curvature_add(c, y, rows, err);
        if (!s)
            s = bs_label_curvature_mean(c, one, err);
        for (size_t k = 0; k < L * L && !s; k++)
            out[k] -= one[k] / (double)members;
        bs_label_curvature_free(c);
    }
    if (!s)
        s = check_finite(out, L, err);
    if (w)
        bs_workspace_close(w);
    bs_free(one);
    return s;
}
