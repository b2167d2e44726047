/* model.c -- loads models, and what is common to predictors; each task's part is in
 * task/TASK/memory.c. */
#include "api/model.h"

#include <float.h>
#include <string.h>

basin_status bs_task_memory_check(const basin_model *m, const bs_task_memory *needed,
                                  basin_error *err)
{
    const bs_task_memory *own = m->saved->task->memory;
    if (own == needed)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG, "this model is for %s, not %s; use %s", own->what, needed->what,
                   own->function);
}

void bs_scores_inside(float *p, size_t n)
{
    const float least = FLT_MIN, most = 1 - FLT_EPSILON / 2;
    for (size_t i = 0; i < n; i++)
        p[i] = p[i] < least ? least : p[i] > most ? most : p[i];
}

basin_status bs_model_make(bs_model_file *saved, basin_model **out, basin_error *err)
{
    basin_model *m = bs_calloc(1, sizeof *m);
    *out = NULL;
    if (!m) {
        bs_model_file_free(saved);
        return bs_fail_nomem(err);
    }
    m->saved = saved;
    basin_status s = saved->task->memory->open ? saved->task->memory->open(m, err) : BASIN_OK;
    if (s)
        basin_model_free(m);
    else
        *out = m;
    return s;
}

basin_status bs_model_open(const char *model, const char *encoder, bs_logger *log,
                           basin_model **out, basin_error *err)
{
    static const char unfinished[] = "/" BS_UNFINISHED_FILE;
    char              file[BS_OPTION_TEXT + 64];
    bs_model_file    *saved = NULL;
    *out = NULL;
    basin_status s = BS_NEED(err, {"model", model});
    if (s)
        return s;
    s = bs_model_path(model, file, err);
    const size_t n = strlen(model);
    if (s && bs_seeds_there(model))
        s = bs_seeds_read(model, encoder, log, &saved, err);
    else if (!s)
        s = bs_model_file_read(file, encoder, &saved, err);
    if (!s && encoder && !*saved->settings.train.encoder) {
        bs_model_file_free(saved);
        return bs_fail(err, BASIN_EARG,
                       "--encoder: nothing of %.200s is outside its file; leave the option out",
                       model);
    }
    if (saved && strlen(file) > n && strcmp(file + n, unfinished) == 0)
        bs_log_say(log, BS_INFO, "%s: the training is not finished; this is the best model so far",
                   model);
    return s ? s : bs_model_make(saved, out, err);
}

basin_status bs_call_open(bs_api_call *c, const basin_session *session, basin_error *err)
{
    basin_status s = bs_session_take(session, &c->log, err);
    if (!s)
        s = bs_need_where(c->where, err);
    if (!s && c->model)
        s = bs_model_open(c->model, c->encoder, &c->log, &c->opened, err);
    return s || !c->model ? s : bs_model_file_set_all(c->opened->saved, c->set, true, err);
}

basin_status basin_model_load(const char *path, basin_model **out, basin_error *err)
{
    BS_KEEP_ERRNO;
    return basin_model_load_with(path, NULL, out, err);
}

basin_status basin_model_load_with(const char *path, const basin_model_options *options,
                                   basin_model **out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_model_options o;
    bs_logger           quiet = bs_log_make(NULL, BS_QUIET);
    basin_status        s = BS_NEED(err, {"out", out}, {"model", path});
    if (out)
        *out = NULL;
    if (!s)
        s = BS_TAKE(basin_model_options, options, &o, err);
    return s ? s : bs_model_open(path, o.encoder, &quiet, out, err);
}

basin_status basin_model_read(const void *bytes, size_t n, basin_model **out, basin_error *err)
{
    BS_KEEP_ERRNO;
    return bs_model_of(bytes, n, NULL, out, err);
}

basin_status bs_model_of(const void *bytes, size_t n, const char *encoder, basin_model **out,
                         basin_error *err)
{
    bs_safetensors *f = NULL;
    bs_model_file  *saved = NULL;
    basin_status    s = BS_NEED(err, {"out", out}, {"bytes", bytes});
    if (out)
        *out = NULL;
    if (!s)
        s = bs_safetensors_memory("the model", bytes, n, &f, err);
    if (!s)
        s = bs_model_file_from(f, "the model", encoder, &saved, err);
    bs_safetensors_close(f);
    return s ? s : bs_model_make(saved, out, err);
}

basin_status basin_model_write(const basin_model *m, basin_bytes *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_buf       text;
    basin_status s = BS_NEED(err, {"out", out}, {"model", m});
    if (out)
        *out = (basin_bytes){NULL, 0};
    if (s)
        return s;
    bs_buf_init(&text, PTRDIFF_MAX);
    s = bs_model_file_bytes(m->saved, &text, err);
    if (s)
        bs_buf_free(&text);
    else
        *out = (basin_bytes){text.data, text.len};
    return s;
}

basin_status basin_model_bundle(const char *model, const char *path,
                                const basin_model_options *options, const basin_session *session,
                                basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_model_options o;
    bs_buf              table, json;
    basin_status        s = bs_need_text(out, BS_ARGUMENTS({"model", model}, {"path", path}), err);
    if (!s)
        s = BS_TAKE(basin_model_options, options, &o, err);
    if (s)
        return s;
    bs_api_call c = {.model = model, .where = {.threads = 1}, .encoder = o.encoder};
    bs_buf_init(&table, 1 << 16);
    bs_buf_init(&json, 1 << 16);
    s = bs_call_open(&c, session, err);
    if (!s && !*c.opened->saved->settings.train.encoder)
        s = bs_fail(err, BASIN_EARG,
                    "%.200s: nothing of it is outside its file; it can be used as it is", model);
    if (!s)
        s = bs_model_file_bundle(c.opened->saved, path, err);
    if (!s) {
        const char *encoder = c.opened->saved->settings.train.encoder;
        bs_buf_text(&table, "wrote ");
        bs_buf_visible(&table, path);
        bs_buf_text(&table, ", with the encoder in ");
        bs_buf_visible(&table, encoder);
        bs_buf_text(&table, "\n");
        bs_json_open(&json, NULL, '{');
        bs_json_text(&json, "model", path);
        bs_json_text(&json, "encoder", encoder);
        bs_json_close(&json, '}');
    }
    basin_model_free(c.opened);
    return bs_text_give(s, &table, &json, out, err);
}

void basin_bytes_free(basin_bytes *b)
{
    BS_KEEP_ERRNO;
    if (!b)
        return;
    bs_free(b->data);
    *b = (basin_bytes){NULL, 0};
}

void basin_model_free(basin_model *m)
{
    BS_KEEP_ERRNO;
    if (!m)
        return;
    if (m->saved->task->memory->close)
        m->saved->task->memory->close(m);
    bs_model_file_free(m->saved);
    bs_free(m);
}

const char *basin_model_task(const basin_model *m)
{
    return m ? m->saved->task->name : NULL;
}

int basin_model_labels(const basin_model *m)
{
    return m ? m->saved->task->labels(&m->saved->known) : 0;
}

const char *basin_model_label(const basin_model *m, int i)
{
    return i >= 0 && i < basin_model_labels(m) ? m->saved->task->label(&m->saved->known, i) : NULL;
}

const char *basin_model_card(const basin_model *m)
{
    return m ? m->saved->card : NULL;
}

const char *basin_model_decision(const basin_model *m)
{
    return m ? m->saved->settings.train.decide : NULL;
}

basin_status basin_predictor_new(const basin_model *m, int threads, basin_predictor **out,
                                 basin_error *err)
{
    BS_KEEP_ERRNO;
    return basin_predictor_open(m, &BASIN_OPTIONS(basin_predictor_options, .threads = threads), out,
                                err);
}

basin_status bs_model_with(const basin_model *m, const char *const *set, bool files,
                           bs_arena *arena, bs_model_file **out, basin_error *err)
{
    bs_model_file *own = bs_arena_alloc(arena, sizeof *own);
    if (own)
        *own = *m->saved;
    if (!own || !bs_preprocess_share(&m->saved->known, arena, &own->known))
        return bs_fail_nomem(err);
    *out = own;
    return bs_model_file_set_all(own, set, files, err);
}

static basin_status inference_of(const basin_model *m, const basin_predictor_options *o,
                                 bs_inference *out, basin_error *err)
{
    bs_arena       arena;
    bs_model_file *own;
    bs_arena_init(&arena, 0);
    basin_status s = bs_model_with(m, o->set, true, &arena, &own, err);
    if (!s)
        s = bs_model_file_inference(own, o->infer, o->constrain != 0, out, err);
    if (!s)
        s = bs_task_decide(own->task, &own->settings.train, o->decide, out, err);
    bs_arena_free(&arena);
    return s;
}

basin_status basin_predictor_open(const basin_model *m, const basin_predictor_options *options,
                                  basin_predictor **out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_predictor_options o;
    basin_predictor        *p;
    bs_inference            how;
    basin_status            s = BS_NEED(err, {"out", out}, {"model", m});
    if (out)
        *out = NULL;
    if (!s)
        s = BS_TAKE(basin_predictor_options, options, &o, err);
    if (!s)
        s = bs_need_where((bs_machine){o.device, o.threads}, err);
    if (!s)
        s = inference_of(m, &o, &how, err);
    if (s)
        return s;
    if (!(p = bs_calloc(1, sizeof *p)))
        return bs_fail_nomem(err);
    p->model = m;
    s = bs_workspace_open((bs_machine){o.device, o.threads}, &p->w, err);
    if (!s)
        s = bs_model_file_scorer(m->saved, p->w, &how, &p->scorer, err);
    if (!s && m->saved->task->memory->start)
        s = m->saved->task->memory->start(p, err);
    if (s) {
        basin_predictor_free(p);
        return s;
    }
    *out = p;
    return BASIN_OK;
}

void basin_predictor_free(basin_predictor *p)
{
    BS_KEEP_ERRNO;
    if (!p)
        return;
    if (p->model->saved->task->memory->stop)
        p->model->saved->task->memory->stop(p);
    bs_scorer_free(p->scorer);
    if (p->w)
        bs_workspace_close(p->w);
    bs_free(p);
}
