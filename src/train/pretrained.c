/* pretrained.c -- nets after pre-training, shared by runs that begin alike (pretrain.cache).
 *
 * Most methods begin with epochs of cross-entropy, in which the energy has no say. What they end
 * with is kept in a file that is named after everything they depend on: data, first values of the
 * net, settings. Another run of which all of that is the same goes on from there, with the bits
 * it would have come to by itself. */
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "file/checksum.h"
#include "train/trainer.h"

/* Settings that have no say before the energy has one; a dot ends the name of a group. All others
 * must be equal, those of later days included. */
static const char *const later[] = {
    "method",  "preset",      "samples",          "samples.",   "lr.net",       "lr.energy",
    "energy.", "clip.energy", "optimiser.energy", "ce.weight",  "decay.energy", "plateau.both",
    "steps.",  "net.loss",    "dropout.both",     "seg.smooth", "inner",        "cost",
    "margin",  "perceptron",  "truncate",         "infer",      "gbi.",         "infnet.",
    "alen.",   "dvn.",        "implicit.",        "threshold",  "threshold.",   "seg.score",
    NULL,
};

/* The cost-augmented net is no part of that phase. */
static bool of_net(const bs_segment *s)
{
    return bs_has_prefix(s->name, "net/") && !bs_has_prefix(s->name, "net/cost/");
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

/* First values are a function of the seed and of files of vectors. Of the cost-augmented net the
 * sizes count: norms of gradients are added up in an order that depends on all parameters. */
static void write_parameters(const bs_params *p, bs_buf *out)
{
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        const bool        first = of_net(s) || bs_has_prefix(s->name, "words/");
        if (!first && !bs_has_prefix(s->name, "net/cost/"))
            continue;
        const size_t bytes = first ? (size_t)s->count * sizeof *p->value : 0;
        bs_buf_printf(out, " %s %lld %016llx", s->name, (long long)s->count,
                      (unsigned long long)bs_hash64(p->value + s->offset, bytes));
    }
}

static void write_identity(const bs_trainer *t, bs_buf *out)
{
    const bs_train_job *j = t->job;
    bs_buf              known;
    bs_buf_init(&known, (size_t)1 << 30);
    j->train->kind->known_json(j->known, &known);
    bs_buf_printf(out, "basin %s %s ", BASIN_VERSION, t->learner.backend->arithmetic(t->learner.w));
    bs_settings_json_but(j->settings, later, out);
    bs_buf_printf(out, " train %016llx valid %016llx known %016llx",
                  (unsigned long long)j->train->hash, (unsigned long long)j->valid->hash,
                  (unsigned long long)bs_hash64(known.data ? known.data : "", known.len));
    write_parameters(t->learner.params, out);
    out->failed |= known.failed;
    bs_buf_free(&known);
}

basin_status bs_pretrained_identify(bs_trainer *t, basin_error *err)
{
    if (!cached(t))
        return BASIN_OK;
    bs_buf_init(&t->beginning, 1 << 22);
    write_identity(t, &t->beginning);
    return t->beginning.failed ? bs_fail_nomem(err) : BASIN_OK;
}

static void path_of(const bs_trainer *t, char path[BS_OPTION_TEXT + 64])
{
    bs_print(path, BS_OPTION_TEXT + 64, "%s/%016llx.safetensors", folder_of(t),
             (unsigned long long)bs_hash64(t->beginning.data, t->beginning.len));
}

static void metrics_path(const bs_trainer *t, char path[BS_OPTION_TEXT + 64])
{
    bs_print(path, BS_OPTION_TEXT + 64, "%s/metrics.jsonl", t->job->folder);
}

/* ---- what was counted meanwhile ---- */

enum { NUMBERS = 8 };

static void read_numbers(const double row[NUMBERS], bs_trainer *t)
{
    t->epoch = (int)row[0];
    t->best_epoch = (int)row[1];
    t->bad = (int)row[2];
    t->best_score = row[3];
    t->seconds += row[4];
    t->train_seconds = row[5];
    t->rows_seen = (int64_t)row[6];
    t->learner.step = (uint64_t)row[7];
}

static void write_numbers(const bs_trainer *t, double row[NUMBERS])
{
    const double seconds = t->seconds + bs_seconds() - t->started;
    const double all[NUMBERS] = {t->epoch,
                                 t->best_epoch,
                                 t->bad,
                                 t->best_score,
                                 seconds,
                                 t->train_seconds,
                                 (double)t->rows_seen,
                                 (double)t->learner.step};
    memcpy(row, all, sizeof all);
}

/* ---- writing ---- */

static basin_status write_net(const bs_trainer *t, const char *path, const char *metrics,
                              basin_error *err)
{
    const bs_params *p = t->learner.params;
    const bs_dtype   dtype = sizeof(real) == 4 ? BS_DTYPE_F32 : BS_DTYPE_F64;
    double           row[NUMBERS];
    bs_tensor       *tensor = bs_calloc((size_t)p->n + 1, sizeof *tensor);
    int              n = 0;
    if (!tensor)
        return bs_fail_nomem(err);
    write_numbers(t, row);
    tensor[n++] = (bs_tensor){"numbers", BS_DTYPE_F64, 1, {NUMBERS}, row, sizeof row};
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        if (of_net(s))
            tensor[n++] = (bs_tensor){s->name,
                                      dtype,
                                      1,
                                      {s->count},
                                      t->best + s->offset,
                                      (size_t)s->count * sizeof(real)};
    }
    const bs_meta meta[] = {{"basin.beginning", t->beginning.data}, {"basin.metrics", metrics}};
    basin_status  status = bs_safetensors_write(path, tensor, n, meta, 2, err);
    bs_free(tensor);
    return status;
}

/* A run does not end because others cannot profit from it. */
basin_status bs_pretrained_keep(bs_trainer *t, basin_error *err)
{
    char        path[BS_OPTION_TEXT + 64], metrics[BS_OPTION_TEXT + 64];
    bs_buf      lines;
    basin_error why;
    if (!cached(t) || t->best_epoch == 0)
        return BASIN_OK;
    path_of(t, path);
    if (access(path, F_OK) == 0)
        return BASIN_OK;
    metrics_path(t, metrics);
    bs_buf_init(&lines, (size_t)1 << 30);
    basin_status s = bs_read_file(metrics, &lines, &why);
    if (!s)
        s = write_net(t, path, lines.data ? lines.data : "", &why);
    bs_buf_free(&lines);
    if (s == BASIN_ENOMEM)
        return bs_fail_nomem(err);
    if (s)
        bs_log_say(t->job->log, BS_WARN, "%s; what pre-training came to is not kept", why.msg);
    return BASIN_OK;
}

/* ---- reading ---- */

static const void *find(const bs_safetensors *f, const char *name, size_t bytes)
{
    const bs_tensor *x = bs_safetensors_find(f, name);
    return x && x->bytes == bytes ? x->data : NULL;
}

/* Nothing is changed when the file is not what it should be. */
static bool fits(const bs_trainer *t, const bs_safetensors *f)
{
    const bs_params *p = t->learner.params;
    const char      *beginning = bs_safetensors_meta(f, "basin.beginning");
    bool             all = beginning && strcmp(beginning, t->beginning.data) == 0 &&
               bs_safetensors_meta(f, "basin.metrics") &&
               find(f, "numbers", NUMBERS * sizeof(double));
    for (int i = 0; i < p->n && all; i++)
        all = !of_net(&p->segment[i]) ||
              find(f, p->segment[i].name, (size_t)p->segment[i].count * sizeof(real));
    return all;
}

static basin_status take_from(bs_trainer *t, const bs_safetensors *f, basin_error *err)
{
    const bs_params *p = t->learner.params;
    const char      *metrics = bs_safetensors_meta(f, "basin.metrics");
    char             path[BS_OPTION_TEXT + 64];
    memcpy(t->best, p->value, (size_t)p->size * sizeof *t->best);
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        const size_t      bytes = (size_t)s->count * sizeof(real);
        if (of_net(s))
            memcpy(t->best + s->offset, find(f, s->name, bytes), bytes);
    }
    read_numbers(find(f, "numbers", NUMBERS * sizeof(double)), t);
    metrics_path(t, path);
    return bs_write_file(path, metrics, strlen(metrics), err);
}

basin_status bs_pretrained_take(bs_trainer *t, basin_error *err)
{
    char            path[BS_OPTION_TEXT + 64];
    bs_safetensors *f = NULL;
    basin_error     why;
    if (!cached(t))
        return BASIN_OK;
    basin_status s = bs_make_dir(folder_of(t), err);
    if (s)
        return s;
    bs_sweep(folder_of(t), 0);
    path_of(t, path);
    if (access(path, F_OK) != 0)
        return BASIN_OK;
    if (bs_safetensors_open(path, &f, &why)) {
        bs_log_say(t->job->log, BS_WARN, "%s; the net is pre-trained again", why.msg);
        if (why.status == BASIN_EDATA)
            unlink(path);
    } else if (fits(t, f)) {
        s = take_from(t, f, err);
        bs_log_say(t->job->log, BS_INFO, "  pre-training of %d epochs taken from %s", t->epoch - 1,
                   path);
    }
    bs_safetensors_close(f);
    return s;
}
