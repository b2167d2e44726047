/* api_predict.c -- basin_predict_files: files in, predictions out. */
#include "api_predict.h"

#include <errno.h>
#include <string.h>

static const bs_prediction *const predictions[] = {&bs_prediction_mlc, &bs_prediction_tag,
                                                   &bs_prediction_seg, NULL};

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
    basin_status s = bs_saved_inference(m, o->infer, o->constrain, how, err);
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

void bs_npy_header(bs_buf *out, const char *type, const int64_t *dim, int n)
{
    char header[160];
    int  used =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int i = 0; i < n; i++)
        used += snprintf(header + used, sizeof header - (size_t)used, "%s%lld", i ? ", " : "",
                         (long long)dim[i]);
    used += snprintf(header + used, sizeof header - (size_t)used, "%s), }", n == 1 ? "," : "");
    int total = (10 + used + 1 + 63) / 64 * 64; /* data starts at a multiple of 64 */
    int length = total - 10;
    bs_buf_add(out, "\x93NUMPY\x01\x00", 8);
    bs_buf_add(out, (char[2]){(char)(length & 255), (char)(length >> 8)}, 2);
    bs_buf_add(out, header, (size_t)used);
    for (int i = used; i < length - 1; i++)
        bs_buf_text(out, " ");
    bs_buf_text(out, "\n");
}

static basin_status fail_file(basin_error *err)
{
    return bs_fail_io(err, "predictions", errno ? errno : EIO);
}

basin_status bs_target_put(void *target, const void *bytes, size_t n, basin_error *err)
{
    bs_target *t = target;
    if (t->own)
        return bs_output_write(t->own, bytes, n, err);
    errno = 0;
    return fwrite(bytes, 1, n, t->file) == n ? BASIN_OK : fail_file(err);
}

basin_status bs_target_open(const char *path, bs_target *out, basin_error *err)
{
    *out = (bs_target){0};
    return bs_output_open(path, &out->own, err);
}

basin_status bs_target_close(bs_target *t, basin_status s, basin_error *err)
{
    if (t->own && s)
        bs_output_abort(t->own);
    else if (t->own)
        s = bs_output_commit(t->own, err);
    else if (!s) {
        errno = 0;
        if (fflush(t->file) != 0 || ferror(t->file))
            s = fail_file(err);
    }
    return s;
}

/* To the caller's file, or to the path of the options. */
static basin_status write_to(const bs_prediction *p, const bs_saved *m,
                             const basin_predict_options *o, const bs_part *data,
                             const bs_outputs *y, FILE *out, basin_error *err)
{
    bs_target to = {.file = out};
    if (!out && p->folders)
        return p->write(m, o, data, y, NULL, err);
    basin_status s = out ? BASIN_OK : bs_target_open(o->path, &to, err);
    return s ? s : bs_target_close(&to, p->write(m, o, data, y, &to, err), err);
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
    if (!out && !o->path)
        return bs_fail(err, BASIN_EARG, "neither a file nor a path for the predictions");
    basin_status s = basin_model_load(model, &m, err);
    if (s)
        return s;
    const bs_prediction *p = prediction_of(m->saved);
    s = p->check(m->saved, o, err);
    if (!s)
        s = choose_inference(m->saved, o, &how, err);
    if (!s)
        s = bs_read_for(m->saved, files, n, o->part, true, &log, &data, err);
    if (!s)
        s = predict(m->saved, &how, o->threads, &data, &y, err);
    if (!s)
        s = write_to(p, m->saved, o, &data, &y, out, err);
    bs_outputs_free(&y);
    bs_part_free(&data);
    basin_model_free(m);
    return s;
}
