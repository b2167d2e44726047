/* predict.c -- basin_predict_files: files in, predictions out. */
#include "api/predict.h"

#include <errno.h>
#include <string.h>

static basin_status choose_inference(const bs_model_file *m, const basin_predict_options *o,
                                     bs_logger *log, bs_inference *how, basin_error *err)
{
    bs_threshold cut;
    basin_status s = bs_model_file_inference(m, o->infer, o->constrain, how, err);
    how->log = log;
    if (!s && o->energy && !m->has_energy)
        s = bs_fail(err, BASIN_EARG, "--energy: this model is a plain net without an energy");
    if (!s && (o->nbest > 0 || o->scheme) && !m->task->predict_files->tags)
        s = bs_fail(err, BASIN_EARG, "%s: is for tags; this model is of task %s",
                    o->scheme ? "--scheme" : "--nbest", m->task->name);
    how->energies = o->energy;
    if (!s)
        s = bs_model_cut(m, o->decide, o->threshold, &cut, err);
    if (!s && o->nbest > 0 && o->decide)
        s = bs_fail(err, BASIN_EARG,
                    "--nbest lists the best sequences of a chain; leave out --decide");
    if (!s && (o->top_k > 0 || o->nbest > 0))
        cut.by = BS_DECIDE_THRESHOLD;
    return s ? s : bs_task_decide(m->task, &m->settings.train, bs_decision_name(cut.by), how, err);
}

void bs_npy_header(bs_buf *out, const char *type, const int64_t *dim, int n)
{
    char header[160];
    int  used =
        bs_print(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int i = 0; i < n; i++)
        used += bs_print(header + used, sizeof header - (size_t)used, "%s%lld", i ? ", " : "",
                         (long long)dim[i]);
    used += bs_print(header + used, sizeof header - (size_t)used, "%s), }", n == 1 ? "," : "");
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

/* Whoever reads our answers may wait for them before sending more. */
static basin_status flush_target(bs_target *t, basin_error *err)
{
    errno = 0;
    return t->own || (fflush(t->file) == 0 && !ferror(t->file)) ? BASIN_OK : fail_file(err);
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
    else if (!s)
        s = flush_target(t, err);
    return s;
}

enum { PIECE_ROWS = 4096 };

/* One call of basin_predict_files. */
typedef struct {
    bs_api_call                  call;
    const bs_model_file         *m;
    const bs_task_write         *p;
    const basin_predict_options *o;
    bs_inference                 how;
    bs_workspace                *w;
    bs_scorer                   *scorer;
    int64_t                      before; /* rows done so far */
} predicting;

static basin_status predict(const predicting *g, const bs_dataset *data, bs_outputs *y,
                            basin_error *err)
{
    basin_status s = g->m->task->outputs(data, &g->m->known, y, err);
    if (!s && g->how.energies &&
        !(y->energy = bs_calloc((size_t)data->rows + 1, sizeof *y->energy)))
        s = bs_fail_nomem(err);
    if (!s && g->p->room)
        s = g->p->room(g->o, data, y, err);
    if (!s) {
        y->first = g->before;
        s = g->m->task->predict(g->scorer, &g->m->spec, &g->m->known, data, y, err);
    }
    return s == BASIN_ENUMERIC ? bs_error_in_files(g->call.file, g->call.n, s, err) : s;
}

static basin_status predict_and_write(predicting *g, const bs_dataset *data, bs_target *to,
                                      basin_error *err)
{
    bs_outputs   y = {0};
    basin_status s = predict(g, data, &y, err);
    if (!s)
        s = g->p->write(g->m, g->o, data, &y, to, err);
    bs_outputs_free(&y);
    return s;
}

static basin_status some_rows(predicting *g, const bs_dataset *data, int32_t first, int32_t n,
                              bs_target *to, basin_error *err)
{
    bs_dataset piece = {0};
    int32_t   *row = bs_calloc((size_t)n, sizeof *row);
    if (!row)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < n; i++)
        row[i] = first + i;
    basin_status s = g->m->task->select(data, row, n, &piece, err);
    if (!s)
        s = predict_and_write(g, &piece, to, err);
    bs_dataset_free(&piece);
    bs_free(row);
    return s;
}

static basin_status read_at_once(predicting *g, bs_target *to, basin_error *err)
{
    bs_dataset   data = {0};
    basin_status s =
        bs_read_for(g->m, g->call.file, g->call.n, g->o->part, true, &g->call.log, &data, err);
    int32_t many = 0;
    if (!s && g->p->remark)
        g->p->remark(g->m, g->o, &data, &g->call.log);
    for (int32_t first = 0; first < data.rows && !s; first += many) {
        many = g->p->piece ? g->p->piece(g->m, g->o, &data, first) : data.rows;
        g->before = first;
        s = many == data.rows ? predict_and_write(g, &data, to, err)
                              : some_rows(g, &data, first, many, to, err);
    }
    if (!s && data.rows == 0)
        s = predict_and_write(g, &data, to, err);
    bs_dataset_free(&data);
    return s;
}

/* Files of any length, in constant memory. */
static basin_status piece_by_piece(predicting *g, void *writer, bs_target *to, basin_error *err)
{
    const bs_read_request wish = {.task = g->m->task,
                                  .file = g->call.file,
                                  .n = g->call.n,
                                  .known = &g->m->known,
                                  .label_free = true,
                                  .keep_text = g->o->keep_columns};
    bs_stream            *stream = NULL;
    bool                  more = true;
    basin_status          s = g->m->task->stream(&g->m->settings, &wish, PIECE_ROWS, &stream, err);
    for (int64_t pieces = 0; !s && more; pieces++) {
        bs_dataset data = {0};
        bs_outputs y = {0};
        bs_notes   notes;
        bs_notes_init(&notes);
        s = stream->next(stream, &notes, &data, &more, err);
        if (!s && pieces == 0)
            bs_notes_log(&notes, NULL, BS_DEBUG, &g->call.log);
        if (s && pieces == 0)
            s = bs_error_other_task(g->m, g->call.file[0], s, err);
        if (!s && pieces == 0)
            bs_remark_other_task(g->m, g->call.file[0], &g->call.log);
        if (!s && more && pieces == 0 && g->p->remark)
            g->p->remark(g->m, g->o, &data, &g->call.log);
        if (!s && more)
            s = predict(g, &data, &y, err);
        if (!s && more)
            s = writer ? g->p->rows(writer, &data, &y, err)
                       : g->p->write(g->m, g->o, &data, &y, to, err);
        if (!s && more)
            s = flush_target(to, err);
        g->before += data.rows;
        bs_notes_free(&notes);
        bs_outputs_free(&y);
        bs_dataset_free(&data);
    }
    if (!s && stream->remark)
        stream->remark(stream, &g->call.log);
    if (stream)
        stream->free(stream);
    return s;
}

static basin_status predict_to(predicting *g, bs_target *to, basin_error *err)
{
    void        *writer = NULL;
    basin_status s = BASIN_OK;
    const bool   streams = g->m->task->stream && !g->o->part && (g->call.n == 1 || !g->p->one);
    if (streams && g->p->begin)
        s = g->p->begin(g->m, g->o, to, &writer, err);
    if (s || !streams || (g->p->begin && !writer))
        return s ? s : read_at_once(g, to, err);
    s = piece_by_piece(g, writer, to, err);
    if (writer)
        g->p->end(writer);
    return s;
}

/* A user who writes to p.foo may expect another format. */
static void tell_format(predicting *g)
{
    const char *path = g->o->path, *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (g->p->lines && !g->o->format && dot && strcmp(dot, ".jsonl") != 0)
        bs_log_say(&g->call.log, BS_INFO, "%s: JSON lines; --format chooses another format", path);
}

/* Writes to the caller's file, or to the path in the options. */
static basin_status predict_files(predicting *g, FILE *out, basin_error *err)
{
    bs_target to = {.file = out};
    if (!out && g->p->opens && g->p->opens(g->o))
        return read_at_once(g, NULL, err);
    if (!out)
        tell_format(g);
    basin_status s = out ? BASIN_OK : bs_target_open(g->o->path, &to, err);
    return s ? s : bs_target_close(&to, predict_to(g, &to, err), err);
}

basin_status basin_predict_files(const char *model, const char *const *files, int n,
                                 const basin_predict_options *options, FILE *out,
                                 const basin_session *session, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_predict_options o;
    basin_status          s = BS_TAKE(basin_predict_options, options, &o, err);
    if (s)
        return s;
    if (!out && !o.path)
        return bs_fail(err, BASIN_EARG, "neither a file nor a path for the predictions");
    if (o.top_k < 0)
        return bs_fail(err, BASIN_EARG, "top_k: %d is not a number of labels", o.top_k);
    if ((s = BS_NEED(err, {"model", model})) || (s = bs_need_files(files, n, err)))
        return s;
    predicting g = {
        .call = {model, files, n, o.set, {o.device, o.threads}, o.encoder, .opened = NULL},
        .o = &o};
    s = bs_call_open(&g.call, session, err);
    if (!s) {
        g.m = g.call.opened->saved;
        g.p = g.m->task->predict_files;
        s = g.p->check(g.call.opened->saved, &o, err);
    }
    if (!s)
        s = choose_inference(g.m, &o, &g.call.log, &g.how, err);
    if (!s)
        s = bs_workspace_open(g.call.where, &g.w, err);
    if (!s)
        s = bs_model_file_scorer(g.m, g.w, &g.how, &g.scorer, err);
    if (!s)
        s = predict_files(&g, out, err);
    bs_scorer_free(g.scorer);
    if (g.w)
        bs_workspace_close(g.w);
    basin_model_free(g.call.opened);
    return s;
}
