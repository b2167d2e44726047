/* energies.c -- what the energy of a model says about rows in memory: the energy of given label
 * sets, and which labels it wants together. */
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

static basin_status read_rows(const bs_model_file *m, const basin_data *d, bs_dataset *out,
                              basin_error *err)
{
    static const char *const name[] = {BS_IN_MEMORY};
    const basin_label_sets  *given = (const void *)d->rows;
    bs_read_request          wish = {.file = name, .n = 1, .given = given, .known = &m->known};
    bs_notes                 notes;
    bs_notes_init(&notes);
    basin_status s = m->task->read(&m->settings, &wish, &notes, out, err);
    bs_notes_free(&notes);
    if (!s && (!bs_dataset_mlc(out)->labelled || out->rows != given->rows))
        s = bs_fail(err, BASIN_EARG, "%s: rows without labels have no energy", name[0]);
    return s;
}

/* The sets of rows first .. first + n as y. */
static void put_sets(const bs_csr *sets, int32_t first, int32_t n, size_t L, real *y)
{
    memset(y, 0, (size_t)n * L * sizeof *y);
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = sets->start[first + i]; k < sets->start[first + i + 1]; k++)
            y[(size_t)i * L + (size_t)sets->index[k]] = 1;
}

static basin_status add_energies(bs_energy_probe *p, bs_batches *f, const bs_rows *rows, size_t L,
                                 real *y, double share, double *energy, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int32_t first = 0, n = 0; first < rows->rows && !s; first += n) {
        const real *found;
        int32_t     index[BLOCK];
        n = rows->rows - first < BLOCK ? rows->rows - first : BLOCK;
        for (int32_t i = 0; i < n; i++)
            index[i] = first + i;
        put_sets(&rows->y, first, n, L, y);
        s = bs_energy_probe_energy(p, f->rows(f, index, n), y, &found, err);
        for (int32_t i = 0; i < n && !s; i++)
            energy[first + i] += share * (double)found[i];
    }
    return s;
}

static basin_status energies(const bs_model_file *m, const bs_dataset *data, bs_workspace *w,
                             double *energy, basin_error *err)
{
    const size_t      L = (size_t)bs_preprocess_mlc(&m->known)->schema.n_labels;
    bs_train_options *o = bs_calloc(1, sizeof *o);
    real             *y = bs_calloc(BLOCK * L, sizeof *y);
    bs_batches       *f = NULL;
    basin_status      s = o && y ? BASIN_OK : bs_fail_nomem(err);
    if (!s) {
        *o = m->settings.train;
        o->batch = BLOCK;
        s = bs_batches_mlc(data, &m->known, &m->spec, o, &f, err);
    }
    for (int i = 0; i <= m->n_more && !s; i++) {
        bs_energy_probe *p = NULL;
        s = bs_energy_probe_new(w, member(m, i), &m->spec, BS_HVP_EXACT, &p, err);
        if (!s)
            s = add_energies(p, f, bs_dataset_mlc(data), L, y, 1.0 / (1 + m->n_more), energy, err);
        bs_energy_probe_free(p);
    }
    if (f)
        f->free(f);
    bs_free(y);
    bs_free(o);
    return s;
}

basin_status basin_energies(const basin_model *m, const basin_data *d, int threads, double *energy,
                            basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_dataset    data = {0};
    bs_workspace *w = NULL;
    basin_status  s = BS_NEED(err, {"model", m}, {"data", d}, {"energy", energy});
    if (!s)
        s = check_model(m, threads, err);
    if (!s && d->task != m->saved->task)
        s = bs_fail(err, BASIN_EARG, "the data is for task %s, not mlc", d->task->name);
    if (!s)
        s = read_rows(m->saved, d, &data, err);
    if (!s)
        s = bs_workspace_open((bs_machine){NULL, threads}, &w, err);
    if (!s) {
        memset(energy, 0, (size_t)data.rows * sizeof *energy);
        s = energies(m->saved, &data, w, energy, err);
    }
    if (w)
        bs_workspace_close(w);
    bs_dataset_free(&data);
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
