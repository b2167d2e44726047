/* api_predict.c -- basin_predict_files: files in, predictions out. */
#include "api_predict.h"

#include <string.h>

static const bs_prediction *const predictions[] = {&bs_prediction_mlc, &bs_prediction_tag, NULL};

static const bs_prediction *prediction_of(const bs_saved *m)
{
    int i = 0;
    while (predictions[i] && strcmp(predictions[i]->task, m->kind->task->name) != 0)
        i++;
    return predictions[i];
}

static basin_status choose_inference(const bs_saved *m, const basin_predict_options *o,
                                     bs_inference *how, basin_error *err)
{
    basin_status s = bs_saved_inference(m, o->infer, how, err);
    if (!s && o->energy && !m->has_energy)
        s = bs_fail(err, BASIN_EARG, "--energy: this model is a plain net without an energy");
    how->energies = o->energy;
    return s;
}

static basin_status predict(const bs_saved *m, const bs_inference *how, int threads,
                            const bs_part *data, bs_outputs *y, basin_error *err)
{
    bs_workspace *w = NULL;
    bs_scorer    *scorer = NULL;
    basin_status  s = m->kind->outputs(data, &m->known, y, err);
    if (!s && how->energies && !(y->energy = bs_calloc((size_t)data->rows + 1, sizeof *y->energy)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_backend_cpu.workspace_new(&(bs_backend_options){threads}, &w, err);
    if (!s)
        s = bs_scorer_new(&bs_backend_cpu, w, m->params, &m->spec, how, &scorer, err);
    if (!s)
        s = m->kind->predict(scorer, &m->spec, &m->known, data, y, err);
    bs_scorer_free(scorer);
    if (w)
        bs_backend_cpu.workspace_free(w);
    return s;
}

basin_status basin_predict_files(const char *model, const char *const *files, int n,
                                 const basin_predict_options *o, FILE *out,
                                 const basin_session *session, basin_error *err)
{
    basin_predict_options none = {0};
    bs_logger             log = bs_session_log(session);
    basin_model          *m = NULL;
    bs_part               data = {0};
    bs_outputs            y = {0};
    bs_inference          how = {0};
    o = o ? o : &none;
    basin_status s = basin_model_load(model, &m, err);
    if (s)
        return s;
    const bs_prediction *p = prediction_of(m->saved);
    s = p->check(m->saved, o, err);
    if (!s)
        s = choose_inference(m->saved, o, &how, err);
    if (!s)
        s = bs_read_for(m->saved, files, n, true, &log, &data, err);
    if (!s)
        s = predict(m->saved, &how, o->threads, &data, &y, err);
    if (!s)
        s = p->write(m->saved, o, &data, &y, out, err);
    bs_outputs_free(&y);
    bs_part_free(&data);
    basin_model_free(m);
    return s;
}
