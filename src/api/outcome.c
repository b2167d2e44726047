/* outcome.c -- writes and reads outcome.json; decides whether a finished run is the one wanted. */
#include "api/training.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/io.h"
#include "base/tree.h"

static const char name[] = "outcome.json";

/* What must be equal for a finished run to count. Unlike a checkpoint, which may get more time, a
 * finished run belongs to its time limit. */
static void write_identity(const bs_data *data, const bs_settings *s, bs_buf *out)
{
    bs_identity id = {.settings = s, .timed = true, .from = data->from_hash, .roles = BS_ROLES};
    for (int i = 0; i < BS_ROLES; i++)
        id.hash[i] = data->part[i].hash;
    bs_identity_json(&id, out);
}

basin_status bs_outcome_write(const bs_data *data, const bs_settings *s, const bs_train_outcome *o,
                              const char *folder, basin_error *err)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 22);
    bs_json_open(&text, NULL, '{');
    bs_json_key(&text, "identity");
    write_identity(data, s, &text);
    bs_json_members(&text, "test_margin %g valid_margin %g", o->test_margin, o->valid_margin);
    bs_json_open(&text, "outcome", '{');
    bs_outcome_members(data->part[0].task, s, o, folder, &text);
    bs_buf_text(&text, "}}\n");
    return bs_path_write(folder, name, &text, err);
}

/* ---- reading ---- */

static void read_metrics(const bs_task *k, const json_t *o, const char *key,
                         double out[BS_MOST_METRICS])
{
    const json_t *values = json_object_get(o, key);
    for (int i = 0; i < k->n_metrics; i++)
        out[i] = bs_tree_number(values, k->metric[i].name);
}

/* The threshold is only what JSON can tell; the model has all of it. */
static bool read_values(const bs_task *k, const json_t *file, bs_train_outcome *out)
{
    const json_t *o = json_object_get(file, "outcome");
    const double  epochs = bs_tree_number(o, "epochs"), best = bs_tree_number(o, "best_epoch");
    const double net = bs_tree_number(o, "params_net"), energy = bs_tree_number(o, "params_energy");
    const double threshold = bs_tree_number(o, "threshold"),
                 margin = bs_tree_number(file, "test_margin");
    const double own = bs_tree_number(file, "valid_margin");
    const double most = 1e15; /* exact in a double, and fits an int64_t */
    *out = (bs_train_outcome){.seconds = bs_tree_number(o, "seconds"),
                              .rows_per_s = bs_tree_number(o, "train_rows_per_s"),
                              .test_margin = isnan(margin) ? 0 : margin,
                              .valid_margin = isnan(own) ? 0 : own,
                              .has_test = json_object_get(o, "test") != NULL};
    if (!(epochs >= 1 && epochs < 1e9 && best >= 1 && best < 1e9) ||
        !(net >= 0 && net < most && energy >= 0 && energy < most) ||
        !(out->seconds >= 0 && out->rows_per_s >= 0) || fabs(threshold) > FLT_MAX)
        return false;
    out->epochs = (int)epochs;
    out->best_epoch = (int)best;
    out->params_net = (int64_t)net;
    out->params_energy = (int64_t)energy;
    const char *ended = json_string_value(json_object_get(o, "ended"));
    for (int i = 0; ended && i < 3; i++)
        if (strcmp(ended, bs_ended_name[i]) == 0)
            out->ended = (bs_ended)i;
    const char *kind = json_string_value(json_object_get(o, "threshold_kind"));
    out->threshold =
        isnan(threshold) ? bs_threshold_top_k(1) : bs_threshold_fixed((float)threshold);
    for (int i = 0; kind && i < BS_THRESHOLD_KINDS; i++)
        if (strcmp(kind, bs_threshold_kind_name((bs_threshold_kind)i)) == 0)
            out->threshold.kind = (bs_threshold_kind)i;
    read_metrics(k, o, "valid", out->valid);
    read_metrics(k, o, k->tunes ? "valid_tuned" : "valid", out->valid_tuned);
    read_metrics(k, o, "test", out->test);
    read_metrics(k, o, k->tunes ? "test_tuned" : "test", out->test_tuned);
    return true;
}

/* That run is a different one, or finished with fewer epochs and has no state to continue from. */
static basin_status refuse(const char *path, const bs_difference *d, basin_error *err)
{
    const bool longer = d->kind == BS_RUN_LONGER;
    return bs_fail(err, BASIN_EARG, "%s: --resume: that run is %s: %s; use %s", path,
                   longer ? "finished and has no saved state to continue from" : "another one",
                   d->text, longer ? "the same, or train again" : "the same, or another -o");
}

/* Ensembles only have checkpoints of their members. */
static bool can_go_on(const char *folder)
{
    return bs_checkpoint_there(folder) || bs_checkpoint_there(bs_path_in(folder, "model-0").text);
}

static basin_status take_file(const bs_task *k, const char *folder, const char *path,
                              const char *identity, bs_train_outcome *out, bool *finished,
                              basin_error *err)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 22);
    basin_status  s = bs_read_file(path, &text, err);
    json_t       *file = s ? NULL : bs_tree_read(text.data ? text.data : "", text.len, 0, NULL);
    const json_t *theirs = json_object_get(file, "identity");
    bs_difference d = bs_identity_compare(theirs, identity);
    *finished = !s && d.kind == BS_RUN_SAME;
    if (!s && (!json_object_get(file, "outcome") || (*finished && !read_values(k, file, out))))
        s = bs_fail(err, BASIN_EDATA,
                    "%s: is not the outcome of a training; remove it to do the "
                    "run again",
                    path);
    else if (!s && !*finished && !(can_go_on(folder) && (d.kind == BS_RUN_LONGER || !theirs)))
        s = refuse(path, &d, err);
    *finished = *finished && !s;
    json_decref(file);
    bs_buf_free(&text);
    return s;
}

/* outcome.json is missing if a run was given more epochs and has not finished them. */
bool bs_run_finished(const char *folder)
{
    return bs_path_there(folder, name) || bs_path_there(folder, BS_MODEL_FILE);
}

basin_status bs_outcome_take(const bs_data *data, const bs_settings *s, const char *folder,
                             bs_train_outcome *out, bool *finished, basin_error *err)
{
    bs_buf identity;
    *finished = false;
    if (!bs_path_there(folder, name))
        return BASIN_OK;
    bs_buf_init(&identity, 1 << 22);
    write_identity(data, s, &identity);
    basin_status status = identity.failed
                              ? bs_fail_nomem(err)
                              : take_file(data->part[0].task, folder, bs_path_in(folder, name).text,
                                          identity.data, out, finished, err);
    bs_buf_free(&identity);
    return status;
}
