/* adjust.c -- a model file whose threshold or calibration changes. Both are metadata: the tensors
 * of the file keep their bytes, and it is replaced atomically. */
#include "api/adjust.h"

#include <string.h>

#include "file/safetensors.h"

basin_status bs_adjust_open(bs_adjustment *a, const basin_session *session, basin_error *err)
{
    const char  *model = a->call.model;
    basin_status s = bs_model_path(model, a->path, err);
    bs_buf_init(&a->table, 1 << 20);
    bs_buf_init(&a->json, 1 << 28);
    a->call.model = a->path;
    if (!s)
        s = bs_call_open(&a->call, session, err);
    if (s)
        return s;
    const bs_model_file *m = a->call.opened->saved;
    if (!m->task->tunes)
        return bs_fail(err, BASIN_EARG, "%s: a model of task %s has no threshold", model,
                       m->task->name);
    s = bs_profile_parse(m->settings.train.profile, &a->how.profile, err);
    return s || a->call.n == 0
               ? s
               : bs_read_for(m, a->call.file, a->call.n, NULL, false, &a->call.log, &a->data, err);
}

basin_status bs_adjust_predict(bs_adjustment *a, basin_error *err)
{
    const bs_model_file *m = a->call.opened->saved;
    const bs_asked asked = {.decide = "threshold", .where = a->call.where, .log = &a->call.log};
    double         seconds;
    basin_status   s = m->task->outputs(&a->data, &m->known, &a->y, err);
    if (!s)
        s = bs_model_predict(m, &a->data, &asked, &a->y, &seconds, err);
    return s == BASIN_ENUMERIC ? bs_error_in_files(a->call.file, a->call.n, s, err) : s;
}

basin_status bs_adjust_measure(const bs_adjustment *a, const bs_outputs *y,
                               const bs_threshold *threshold, double out[BS_MOST_METRICS],
                               basin_error *err)
{
    return bs_task_measure(&a->data, &a->call.opened->saved->known, y, threshold, &a->how, out,
                           err);
}

static basin_status rewrite(const char *path, const bs_meta *set, int n_set, basin_error *err)
{
    bs_safetensors *f = NULL;
    basin_status    s = bs_safetensors_open(path, &f, err);
    if (s)
        return s;
    const int  n = bs_safetensors_count(f);
    int        m = bs_safetensors_meta_count(f);
    bs_tensor *t = bs_calloc((size_t)n + 1, sizeof *t);
    bs_meta   *meta = bs_calloc((size_t)m + (size_t)n_set, sizeof *meta);
    if (!t || !meta)
        s = bs_fail_nomem(err);
    for (int i = 0; !s && i < n; i++)
        t[i] = *bs_safetensors_at(f, i);
    for (int i = 0; !s && i < m; i++)
        meta[i] = *bs_safetensors_meta_at(f, i);
    for (int k = 0; !s && k < n_set; k++) {
        int i = 0;
        while (i < m && strcmp(meta[i].key, set[k].key) != 0)
            i++;
        meta[i] = set[k];
        m += i == m;
    }
    if (!s)
        s = bs_safetensors_write(path, t, n, meta, m, err);
    bs_free(meta);
    bs_free(t);
    bs_safetensors_close(f);
    return s;
}

basin_status bs_adjust_write(const bs_adjustment *a, const char *calibration, basin_error *err)
{
    bs_buf text;
    bs_buf_init(&text, (size_t)1 << 30);
    bs_threshold_write(&a->threshold, &text);
    const bs_meta set[] = {{"basin.threshold", text.data}, {"basin.calibration", calibration}};
    basin_status  s =
        text.failed ? bs_fail_nomem(err) : rewrite(a->path, set, calibration ? 2 : 1, err);
    bs_buf_free(&text);
    return s;
}

basin_status bs_adjust_close(bs_adjustment *a, basin_status s, basin_text *out, basin_error *err)
{
    bs_outputs_free(&a->y);
    bs_dataset_free(&a->data);
    bs_threshold_free(&a->threshold);
    basin_model_free(a->call.opened);
    return bs_text_give(s, &a->table, &a->json, out, err);
}
