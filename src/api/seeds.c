/* seeds.c -- the models of a folder of seeds (train --seeds, compare) as one: the mean of their
 * outputs, as in an ensemble. */
#include <string.h>

#include "api/model.h"

/* What may differ between them. */
static const char *const own[] = {"seed", "infer", "threads", NULL};

static void describe(const bs_model_file *m, bs_buf *out)
{
    bs_buf_init(out, (size_t)1 << 30);
    bs_settings_json_but(&m->settings, own, out);
    m->task->known_json(&m->known, out);
}

/* The same nets for the same features and labels, with thresholds that have a mean. */
static basin_status check_alike(const bs_model_file *first, const bs_model_file *m,
                                const char *name, basin_error *err)
{
    const bs_threshold *a = &first->threshold, *b = &m->threshold;
    const char         *other = NULL;
    bs_buf              theirs, mine;
    describe(first, &theirs);
    describe(m, &mine);
    basin_status s = theirs.failed || mine.failed ? bs_fail_nomem(err) : BASIN_OK;
    if (!s && (first->task != m->task || strcmp(theirs.data, mine.data) != 0))
        other = "data or settings";
    else if (a->kind != b->kind || a->k != b->k || a->labels != b->labels)
        other = "kinds of thresholds";
    if (!s && other)
        s = bs_fail(err, BASIN_EARG,
                    "%s: has other %s than the seeds before it, so they have no mean; name the "
                    "folder of one seed",
                    name, other);
    if (!s && (m->temperature > 0 || m->map))
        s = bs_fail(err, BASIN_EARG,
                    "%s: is calibrated, which a mean of models would not be; name the folder of "
                    "one seed",
                    name);
    bs_buf_free(&theirs);
    bs_buf_free(&mine);
    return s;
}

typedef struct {
    bs_model_file **saved; /* [n] */
    bs_params     **params;
    int             n, n_params;
} seeds;

static basin_status open_all(const char *folder, const char *encoder, const int *seed, seeds *all,
                             basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < all->n && !s; i++) {
        char path[BS_OPTION_TEXT + 96];
        bs_print(path, sizeof path, "%s/seed-%d/" BS_MODEL_FILE, folder, seed[i]);
        s = bs_model_file_read(path, encoder, &all->saved[i], err);
        if (!s)
            s = check_alike(all->saved[0], all->saved[i], path, err);
        if (!s)
            all->n_params += 1 + all->saved[i]->n_more;
    }
    if (!s && all->n_params > BS_MOST_MODELS)
        s = bs_fail(err, BASIN_EARG, "%s: %d models; at most %d are one", folder, all->n_params,
                    (int)BS_MOST_MODELS);
    if (!s && !(all->params = bs_calloc((size_t)all->n_params, sizeof *all->params)))
        s = bs_fail_nomem(err);
    for (int i = 0, n = 0; i < all->n && !s; i++) {
        all->params[n++] = all->saved[i]->params;
        for (int k = 0; k < all->saved[i]->n_more; k++)
            all->params[n++] = all->saved[i]->more[k];
    }
    return s;
}

static basin_status mean_threshold(const seeds *all, bs_threshold *out, basin_error *err)
{
    const bs_threshold *first = &all->saved[0]->threshold;
    *out = *first;
    out->global = 0;
    out->per_label = NULL;
    if (first->labels > 0 &&
        !(out->per_label = bs_calloc((size_t)first->labels, sizeof *out->per_label)))
        return bs_fail_nomem(err);
    for (int i = 0; i < all->n; i++) {
        const bs_threshold *t = &all->saved[i]->threshold;
        out->global += t->global / (float)all->n;
        for (int32_t k = 0; k < first->labels; k++)
            out->per_label[k] += t->per_label[k] / (float)all->n;
    }
    return BASIN_OK;
}

/* By way of the bytes of an ensemble, which can also be written again. */
static basin_status join(const char *folder, const seeds *all, bs_model_file **out,
                         basin_error *err)
{
    const bs_model_file *first = all->saved[0];
    bs_settings         *settings = bs_alloc(sizeof *settings);
    bs_threshold         threshold = {0};
    bs_safetensors      *f = NULL;
    bs_buf               bytes;
    bs_buf_init(&bytes, PTRDIFF_MAX);
    basin_status s = settings ? mean_threshold(all, &threshold, err) : bs_fail_nomem(err);
    if (settings)
        *settings = first->settings;
    for (int i = 1; i < all->n && !s; i++) /* if one predicts with its net, all do */
        if (strcmp(all->saved[i]->settings.train.infer, "net") == 0)
            bs_print(settings->train.infer, sizeof settings->train.infer, "net");
    if (!s)
        s = bs_model_file_write(NULL, &bytes, settings, first->task, &first->known, &threshold,
                                all->params, all->n_params, NULL, err);
    if (!s)
        s = bs_safetensors_memory(folder, bytes.data, bytes.len, &f, err);
    if (!s)
        s = bs_model_file_from(f, folder, settings->train.encoder, out, err);
    bs_safetensors_close(f);
    bs_buf_free(&bytes);
    bs_threshold_free(&threshold);
    bs_free(settings);
    return s;
}

bool bs_seeds_there(const char *folder)
{
    int seed;
    return bs_find_seeds(folder, BS_MODEL_FILE, &seed, 1) > 0;
}

basin_status bs_seeds_read(const char *folder, const char *encoder, bs_logger *log,
                           bs_model_file **out, basin_error *err)
{
    int   seed[BS_MOST_SEEDS];
    seeds all = {.n = bs_find_seeds(folder, BS_MODEL_FILE, seed, BS_MOST_SEEDS)};
    *out = NULL;
    all.saved = bs_calloc((size_t)all.n + 1, sizeof *all.saved);
    basin_status s = all.saved ? open_all(folder, encoder, seed, &all, err) : bs_fail_nomem(err);
    if (!s)
        s = join(folder, &all, out, err);
    if (!s && all.n > 1)
        bs_log_say(log, BS_INFO, "%s: the mean of %d seeds, seed-%d to seed-%d", folder, all.n,
                   seed[0], seed[all.n - 1]);
    else if (!s)
        bs_log_say(log, BS_INFO, "%s: its only seed, seed-%d", folder, seed[0]);
    for (int i = 0; i < all.n && all.saved; i++)
        bs_model_file_free(all.saved[i]);
    bs_free(all.saved);
    bs_free(all.params);
    return s;
}
