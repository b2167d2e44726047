/* energies.c -- what an energy says about rows in memory: the energies of given outputs, and which
 * outputs it wants near each other. */
#include <string.h>

#include "api/model.h"

/* Reads what was given as files for a model are read. */
static basin_status read_rows(const bs_model_file *m, const basin_data *d, bool label_free,
                              bs_dataset *out, basin_error *err)
{
    static const char *const name[] = {BS_IN_MEMORY};
    bs_read_request          wish = {.task = m->task,
                                     .file = name,
                                     .n = 1,
                                     .given = (const void *)d->rows,
                                     .known = &m->known,
                                     .label_free = label_free};
    bs_notes                 notes;
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

/* For data of the task of a model with an energy. */
static basin_status begin(const basin_model *m, const basin_data *d, int threads, bool able,
                          const char *what, bool label_free, bs_dataset *data, bs_workspace **w,
                          basin_error *err)
{
    const bs_task *task = m->saved->task;
    basin_status   s = BASIN_OK;
    if (d->task != task)
        s = bs_fail(err, BASIN_EARG, "the data is for task %s, not %s", d->task->name, task->name);
    else if (!m->saved->has_energy)
        s = bs_fail(err, BASIN_EARG, "the model is a plain net without an energy");
    else if (!able)
        s = bs_fail(err, BASIN_EARG, "%s: not for task %s", what, task->name);
    if (!s)
        s = bs_need_where((bs_machine){NULL, threads}, err);
    if (!s)
        s = read_rows(m->saved, d, label_free, data, err);
    return s ? s : bs_workspace_open((bs_machine){NULL, threads}, w, err);
}

static void end(bs_dataset *data, bs_workspace *w)
{
    if (w)
        bs_workspace_close(w);
    bs_dataset_free(data);
}

basin_status basin_energies(const basin_model *m, const basin_data *d, int threads, double *energy,
                            basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_dataset    data = {0};
    bs_workspace *w = NULL;
    basin_status  s = BS_NEED(err, {"model", m}, {"data", d}, {"energy", energy});
    if (!s)
        s = begin(m, d, threads, m->saved->task->energies, "energies of given outputs", false,
                  &data, &w, err);
    if (!s)
        s = energies(m->saved, &data, w, energy, err);
    end(&data, w);
    return s;
}

/* Of an ensemble, derivatives of the mean energy at the outputs of the whole. */
static basin_status ask(const bs_model_file *m, const bs_dataset *data, bs_workspace *w,
                        double *out, double *together, basin_error *err)
{
    const bs_hvp_kind kind = m->task->products ? m->task->products(&m->spec) : BS_HVP_EXACT;
    bs_energy_probe **probe = bs_calloc((size_t)m->n_more + 1, sizeof *probe);
    bs_scorer        *scorer = NULL;
    bs_inference      how;
    basin_status      s =
        probe ? bs_model_file_inference(m, NULL, false, &how, err) : bs_fail_nomem(err);
    if (!s)
        s = bs_model_file_scorer(m, w, &how, &scorer, err);
    for (int i = 0; i <= m->n_more && !s; i++)
        s = bs_energy_probe_new(w, i ? m->more[i - 1] : m->params, &m->spec, kind, &probe[i], err);
    const bs_inquiry q = {.probe = probe,
                          .probes = m->n_more + 1,
                          .scorer = scorer,
                          .spec = &m->spec,
                          .known = &m->known,
                          .data = data};
    if (!s)
        s = m->task->interactions(&q, out, together, err);
    for (int i = 0; i <= m->n_more && probe; i++)
        bs_energy_probe_free(probe[i]);
    bs_scorer_free(scorer);
    bs_free(probe);
    return s;
}

basin_status basin_interactions_of(const basin_model *m, const basin_data *d, int threads,
                                   double *out, double *together, basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_dataset    data = {0};
    bs_workspace *w = NULL;
    basin_status  s = BS_NEED(err, {"model", m}, {"data", d}, {"out", out});
    if (!s)
        s = begin(m, d, threads, m->saved->task->interactions, "interactions", !together, &data, &w,
                  err);
    if (!s)
        s = ask(m->saved, &data, w, out, together, err);
    end(&data, w);
    return s;
}
