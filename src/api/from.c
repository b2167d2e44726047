/* from.c -- finds the model of --from and merges its settings with those of the new training. */
#include "api/training.h"

#include <string.h>

basin_status bs_base_model_find(const char *name, const char *encoder, const char *option,
                                const char *task, bs_base_model **out, basin_error *err)
{
    char path[BS_OPTION_TEXT + 64];
    *out = NULL;
    if (!*name)
        return BASIN_OK;
    basin_status s = bs_model_path(name, path, err);
    if (!s)
        s = bs_base_model_open(path, name, encoder, out, err);
    if (s)
        return s;
    const char *theirs = (*out)->model->task->name;
    if (strcmp(theirs, task) == 0)
        return BASIN_OK;
    bs_base_model_free(*out);
    *out = NULL;
    return bs_fail(err, BASIN_EARG, "%s: %.200s: is a model of task %s, and this data is of %s",
                   option, name, theirs, task);
}

basin_status bs_base_model_refuse(const bs_train_options *o, const char *verb, basin_error *err)
{
    if (!*o->from && !*o->distil)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG,
                   "%s: 'basin %s' starts each training from scratch; 'basin train' can %s a model",
                   *o->from ? "from" : "distil", verb, *o->from ? "continue from" : "learn from");
}

/* Settings of a particular training, not of what is learnt; paths are not part of a model. */
static const char *const its_own[] = {"task",  "method", "preset",      "seed",
                                      "folds", "split.", "threads",     "time_limit",
                                      "auto.", "report", "checkpoint.", "resume.arithmetic",
                                      NULL};
static const char *const of_nets[] = {
    "net.kind",     "net.layers",     "net.width",     "net.bias",
    "net.members",  "net.bins",       "words.",        "chars.",
    "columns.",     "constrain",      "seg.crop",      "seg.mean",
    "energy.kind",  "energy.encoder", "energy.hidden", "energy.scale",
    "energy.shift", "energy.words",   "data.",         "text.",
    "image.",       "mask.",          "profile",       NULL};

basin_status bs_base_model_settings(const bs_base_model *f, const char *method, bs_settings *s,
                                    basin_error *err)
{
    const bs_settings *was = &f->model->settings;
    const bool         same = strcmp(was->train.method, method) == 0;
    const bool         kept = strstr(f->model->card, "\"net_kept\": true") != NULL;
    char               infer[BS_OPTION_TEXT];
    bs_print(infer, sizeof infer, "%s", s->train.infer);
    basin_status status = bs_settings_take(s, was, same ? its_own : of_nets, same, err);
    if (!same)
        s->train.encoders = was->train.encoders;
    if (kept) /* that this energy did not help says nothing about more rows */
        bs_print(s->train.infer, sizeof s->train.infer, "%s", infer);
    return status;
}

basin_status bs_base_model_fit(bs_base_model *f, const bs_settings *s, bs_data *data,
                               bs_logger *log, basin_error *err)
{
    const bs_train_options *o = &s->train;
    const int               was = 1 + f->model->n_more, is = data->folds * o->ensemble;
    bs_net_spec             spec;
    basin_status            status = f->model->task->spec(o, &data->known, &spec, err);
    data->from_hash = f->hash;
    if (!status)
        status = bs_base_model_relate(f, &data->known, &spec, log, err);
    if (!status && was > is)
        bs_log_say(
            log, BS_WARN,
            "--from: continues from %d of the %d models of %s; --ensemble %d continues from all",
            is, was, f->name, was);
    if (!status)
        bs_log_say(log, BS_INFO,
                   "--from: scores on rows that %s was trained on would look better than they are",
                   f->name);
    return status;
}
