/* pretrained.c -- shares nets after pre-training between runs that start alike (pretrain.cache).
 *
 * Most methods start with epochs of cross-entropy, before the energy plays a part. The resulting
 * net is stored in a file named after everything it depends on: data, initial values of the net,
 * settings. A run that agrees in all of these continues from there, with the same bits that its own
 * pre-training would have given. */
#include <float.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "file/checksum.h"
#include "run/trainer.h"

/* Settings without influence before the energy has any; a trailing dot names a group. All others
 * must be equal, including those added in future. */
static const char *const later[] = {
    "method",    "preset",      "samples",          "samples.",   "lr.net",       "lr.energy",
    "energy.",   "clip.energy", "optimiser.energy", "ce.weight",  "decay.energy", "plateau.both",
    "steps.",    "net.loss",    "dropout.both",     "seg.smooth", "inner",        "cost",
    "margin",    "perceptron",  "truncate",         "infer",      "gbi.",         "infnet.",
    "alen.",     "dvn.",        "implicit.",        "finetune.",  "threshold",    "threshold.",
    "seg.score", NULL,
};

/* The cost-augmented net is not trained in that phase, and what is frozen never. */
static bool of_net(const bs_segment *s)
{
    return bs_params_has_prefix(s->name, "net/") && !s->frozen &&
           !bs_params_has_prefix(s->name, "net/cost/");
}

static const char *folder_of(const bs_trainer *t)
{
    return t->o->pretrain_cache[0] ? t->o->pretrain_cache : t->job->pretrained;
}

static bool cached(const bs_trainer *t)
{
    const bs_train_job *j = t->job;
    return folder_of(t) && j->folder && t->o->time_limit <= 0 && j->deadline <= 0 &&
           t->learner.phase == 0 && t->method->phase[0].step == bs_step_pretrain &&
           t->o->pretrain_epochs > 0;
}

/* Initial values depend on the seed and on files of vectors. Of the cost-augmented net the sizes
 * matter: norms of gradients are summed in an order that depends on all parameters. */
static basin_status write_parameters(const bs_params *p, bs_buf *out, basin_error *err)
{
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        const bool        anchor = bs_params_has_prefix(s->name, "anchor/");
        const bool        first = of_net(s) || (s->frozen && !anchor);
        real             *at;
        if (!first && !bs_params_has_prefix(s->name, "net/cost/"))
            continue;
        basin_status status = bs_params_map(p, s, BS_READ, &at, err);
        if (status)
            return status;
        bs_buf_printf(out, " %s %lld %016llx", s->name, (long long)s->count,
                      (unsigned long long)bs_hash64(at, first ? (size_t)s->count * sizeof *at : 0));
        bs_params_unmap(p, s, BS_READ, at);
    }
    return BASIN_OK;
}

static basin_status write_identity(const bs_trainer *t, bs_buf *out, basin_error *err)
{
    const bs_train_job *j = t->job;
    bs_buf              known;
    bs_buf_init(&known, (size_t)1 << 30);
    j->train->task->known_json(j->known, &known);
    bs_buf_printf(out, "basin %s %s ", BASIN_VERSION, bs_arithmetic(t->learner.w));
    bs_settings_json_but(j->settings, later, out);
    bs_buf_printf(out, " train %016llx valid %016llx known %016llx",
                  (unsigned long long)j->train->hash, (unsigned long long)j->valid->hash,
                  (unsigned long long)bs_hash64(known.data ? known.data : "", known.len));
    basin_status s = write_parameters(t->learner.params, out, err);
    if (!s && (out->failed || known.failed))
        s = bs_fail_nomem(err);
    bs_buf_free(&known);
    return s;
}

basin_status bs_pretrained_identify(bs_trainer *t, basin_error *err)
{
    if (!cached(t))
        return BASIN_OK;
    bs_buf_init(&t->beginning, 1 << 22);
    return write_identity(t, &t->beginning, err);
}

static bs_path path_of(const bs_trainer *t)
{
    char name[32];
    bs_print(name, sizeof name, "%016llx.safetensors",
             (unsigned long long)bs_hash64(t->beginning.data, t->beginning.len));
    return bs_path_in(folder_of(t), name);
}

/* ---- writing ---- */

static basin_status write_net(const bs_trainer *t, const char *path, const char *metrics,
                              basin_error *err)
{
    const bs_params *p = t->learner.params;
    double           row[BS_MOST_NUMBERS];
    bs_trainer       now = *t;
    bs_tensor       *tensor = bs_calloc((size_t)p->n + 1, sizeof *tensor);
    real            *best;
    int              n = 0;
    basin_status     status =
        tensor ? bs_map(t->best, 0, p->moving, BS_READ, &best, err) : bs_fail_nomem(err);
    if (status) {
        bs_free(tensor);
        return status;
    }
    now.seconds += bs_seconds() - t->started;
    const int k = bs_numbers_store(&now, BS_NUMBERS_PRETRAINING, row);
    tensor[n++] = (bs_tensor){"numbers", BS_DTYPE_F64, 1, {k}, row, (size_t)k * sizeof *row};
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        if (of_net(s))
            tensor[n++] =
                (bs_tensor){s->name,    BS_DTYPE_REAL,    1,
                            {s->count}, best + s->offset, (size_t)s->count * sizeof(real)};
    }
    const bs_meta meta[] = {{"basin.beginning", t->beginning.data}, {"basin.metrics", metrics}};
    status = bs_safetensors_write(path, tensor, n, meta, 2, err);
    bs_unmap(t->best, 0, p->moving, BS_READ, best);
    bs_free(tensor);
    return status;
}

/* A run must not fail because others cannot profit from it. */
basin_status bs_pretrained_keep(bs_trainer *t, basin_error *err)
{
    bs_buf      lines;
    basin_error why;
    if (!cached(t) || t->best_epoch == 0 || access(path_of(t).text, F_OK) == 0)
        return BASIN_OK;
    bs_buf_init(&lines, (size_t)1 << 30);
    basin_status s = bs_read_file(bs_path_in(t->job->folder, "metrics.jsonl").text, &lines, &why);
    if (!s)
        s = write_net(t, path_of(t).text, lines.data ? lines.data : "", &why);
    bs_buf_free(&lines);
    if (s == BASIN_ENOMEM)
        return bs_fail_nomem(err);
    if (s)
        bs_log_say(t->job->log, BS_WARN, "%s; the result of pre-training is not kept", why.msg);
    return BASIN_OK;
}

/* ---- reading ---- */

/* The tensors of the net; other parameters are left alone. */
static basin_status take_net(bs_trainer *t, const bs_safetensors *f, const char *path,
                             basin_error *err)
{
    const bs_params *p = t->learner.params;
    basin_status     s = BASIN_OK;
    for (int i = 0; i < p->n && !s; i++) {
        const bs_segment *g = &p->segment[i];
        const real       *from;
        real             *to;
        if (!of_net(g))
            continue;
        s = bs_block_find(f, path, g->name, g->count, -DBL_MAX, &from, err);
        if (!s)
            s = bs_map(t->best, g->offset, g->count, BS_WRITE, &to, err);
        if (s)
            continue;
        memcpy(to, from, (size_t)g->count * sizeof *to);
        bs_unmap(t->best, g->offset, g->count, BS_WRITE, to);
    }
    return s;
}

static basin_status misfit(const char *path, const char *what, basin_error *err)
{
    return bs_fail(err, BASIN_EDATA, "%s: %s", path, what);
}

/* `best` is scratch until now, and the numbers are changed last: an invalid file changes
 * nothing. */
static basin_status take_from(bs_trainer *t, const bs_safetensors *f, const char *path,
                              const char **metrics, basin_error *err)
{
    const char *beginning = bs_safetensors_meta(f, "basin.beginning");
    bs_trainer  next = *t;
    size_t      used = 0;
    *metrics = bs_safetensors_meta(f, "basin.metrics");
    if (!beginning || strcmp(beginning, t->beginning.data) != 0)
        return misfit(path, "belongs to another pre-training than its name says", err);
    bs_best_keep(t);
    basin_status s = take_net(t, f, path, err);
    if (!s)
        s = bs_numbers_read(&next, BS_NUMBERS_PRETRAINING, f, path, err);
    if (!s && *metrics)
        s = bs_record_lines(*metrics, next.epoch, &used, err);
    if (!s && (!used || used != strlen(*metrics)))
        s = misfit(path, "lacks the lines of its epochs", err);
    if (!s)
        *t = next;
    return s;
}

/* A damaged file, or one that no run of Basin wrote, is replaced by a better one. */
basin_status bs_pretrained_take(bs_trainer *t, basin_error *err)
{
    bs_safetensors *f = NULL;
    const char     *metrics = NULL;
    basin_error     why;
    if (!cached(t))
        return BASIN_OK;
    basin_status s = bs_make_dir(folder_of(t), err);
    if (s)
        return s;
    bs_sweep(folder_of(t), 0);
    const bs_path path = path_of(t);
    if (access(path.text, F_OK) != 0)
        return BASIN_OK;
    s = bs_safetensors_open(path.text, &f, &why);
    if (!s)
        s = take_from(t, f, path.text, &metrics, &why);
    if (s) {
        bs_log_say(t->job->log, BS_WARN, "%s; the net is pre-trained again", why.msg);
        if (s == BASIN_EDATA)
            unlink(path.text);
        s = s == BASIN_ENOMEM ? bs_fail_nomem(err) : BASIN_OK;
    } else {
        s = bs_write_file(bs_path_in(t->job->folder, "metrics.jsonl").text, metrics,
                          strlen(metrics), err);
        bs_log_say(t->job->log, BS_INFO, "  pre-training of %d epochs taken from %s", t->epoch - 1,
                   path.text);
    }
    bs_safetensors_close(f);
    return s;
}
