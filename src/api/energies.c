/* energies.c -- the energies of given outputs of rows in memory. */
#include <string.h>

#include "api/model.h"

/* Reads what was given as files for a model are read. */
static basin_status read_rows(const bs_model_file *m, const basin_data *d, bs_dataset *out,
                              basin_error *err)
{
    static const char *const name[] = {BS_IN_MEMORY};
    bs_read_request          wish = {
                 .file = name, .n = 1, .given = (const void *)d->rows, .known = &m->known};
    bs_notes notes;
    bs_notes_init(&notes);
    basin_status s = m->task->read(&m->settings, &wish, &notes, out, err);
    bs_notes_free(&notes);
    if (!s && out->rows != m->task->memory->rows(d->rows))
        return bs_fail(err, BASIN_EDATA, "%s: %d %s, but only %d were read", name[0],
                       (int)m->task->memory->rows(d->rows), m->task->unit, (int)out->rows);
    return s;
}

/* The mean over the members of an ensemble. */
static basin_status energies(const bs_model_file *m, const bs_dataset *data, bs_workspace *w,
                             double *energy, basin_error *err)
{
    double      *one = bs_calloc((size_t)data->rows + 1, sizeof *one);
    basin_status s = one ? BASIN_OK : bs_fail_nomem(err);
    memset(energy, 0, (size_t)data->rows * sizeof *energy);
    for (int i = 0; i <= m->n_more && !s; i++) {
        bs_energy_probe *p = NULL;
        bs_params       *params = i ? m->more[i - 1] : m->params;
        s = bs_energy_probe_new(w, params, &m->spec, BS_HVP_EXACT, &p, err);
        if (!s)
            s = m->task->energies(p, &m->spec, &m->known, data, one, err);
        for (int32_t k = 0; k < data->rows && !s; k++)
            energy[k] += one[k] / (1 + m->n_more);
        bs_energy_probe_free(p);
    }
    bs_free(one);
    return s;
}

basin_status basin_energies(const basin_model *m, const basin_data *d, int threads, double *energy,
                            basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_dataset    data = {0};
    bs_workspace *w = NULL;
    basin_status  s = BS_NEED(err, {"model", m}, {"data", d}, {"energy", energy});
    if (s)
        return s;
    const bs_task *task = m->saved->task;
    if (d->task != task)
        s = bs_fail(err, BASIN_EARG, "the data is for task %s, not %s", d->task->name, task->name);
    else if (!m->saved->has_energy)
        s = bs_fail(err, BASIN_EARG, "the model is a plain net without an energy");
    else if (!task->energies)
        s = bs_fail(err, BASIN_EARG, "energies of given outputs: not for task %s", task->name);
    if (!s)
        s = bs_need_where((bs_machine){NULL, threads}, err);
    if (!s)
        s = read_rows(m->saved, d, &data, err);
    if (!s)
        s = bs_workspace_open((bs_machine){NULL, threads}, &w, err);
    if (!s)
        s = energies(m->saved, &data, w, energy, err);
    if (w)
        bs_workspace_close(w);
    bs_dataset_free(&data);
    return s;
}
