/* distil.c -- what a teacher makes of the rows that a net is trained on. */
#include "api/training.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/tree.h"
#include "file/checksum.h"

static basin_status check(const bs_train_options *o, const bs_base_model *teacher, const char *task,
                          basin_error *err)
{
    const bs_method *m = NULL;
    basin_status     s = BASIN_OK;
    if (!teacher->model->task->taught)
        s = bs_fail(err, BASIN_EARG,
                    "--distil: teaches label sets; a net of task %s cannot be taught", task);
    else if (*o->from)
        s = bs_fail(err, BASIN_EARG,
                    "--distil and --from: a net is taught from scratch; use one of them");
    else if (o->folds > 1 || o->ensemble > 1)
        s = bs_fail(err, BASIN_EARG,
                    "--distil: teaches one net; --%s belongs to the training of the teacher",
                    o->folds > 1 ? "folds" : "ensemble");
    else if (strcmp(o->method, "auto") != 0 && !bs_method_find(o->method, task, &m, NULL) &&
             m->needs != BS_NEEDS_NET)
        s = bs_fail(err, BASIN_EARG,
                    "--distil: %s compares outputs with a truth that is on or off; only ce learns "
                    "from probabilities",
                    o->method);
    return s;
}

basin_status bs_teacher_find(const bs_train_options *o, const char *task, bs_base_model **out,
                             basin_error *err)
{
    basin_status s = bs_base_model_find(o->distil, NULL, "--distil", task, out, err);
    if (s || !*out || !(s = check(o, *out, task, err)))
        return s;
    bs_base_model_free(*out);
    *out = NULL;
    return s;
}

/* What its inputs and labels are. */
static const char *const of_rows[] = {"split.",   "data.",       "text.",   "image.",
                                      "mask.",    "net.bins",    "words.",  "chars.",
                                      "columns.", "standardise", "profile", NULL};

basin_status bs_teacher_settings(const bs_base_model *teacher, bool own_valid, bs_settings *s,
                                 basin_error *err)
{
    const bs_settings *was = &teacher->model->settings;
    basin_status       status = bs_settings_take(s, was, of_rows, false, err);
    s->train.distil_folds = own_valid || was->train.folds <= 1 ? 0 : was->train.folds;
    s->train.distil_seed = was->train.seed;
    return status;
}

/* By the manifest of the run folder: whether these are the rows it was trained on. */
static bool saw_these(const bs_base_model *teacher, const bs_data *data)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 20);
    json_t     *file = bs_read_file(bs_path_in(teacher->name, "manifest.json").text, &text, NULL)
                           ? NULL
                           : bs_tree_read(text.data ? text.data : "", text.len, 0, NULL);
    const char *hash = json_string_value(json_object_get(json_object_get(file, "train"), "hash"));
    const bool  same = hash && strtoull(hash, NULL, 16) == data->part[0].hash;
    json_decref(file);
    bs_buf_free(&text);
    return same;
}

/* Scores and all that follows refer to the same features and labels in the same order. */
static basin_status check_rows(const bs_base_model *teacher, const bs_data *data, basin_error *err)
{
    const bs_task *task = data->part[0].task;
    bs_buf         theirs, ours;
    bs_buf_init(&theirs, (size_t)1 << 30);
    bs_buf_init(&ours, (size_t)1 << 30);
    task->known_json(&teacher->model->known, &theirs);
    task->known_json(&data->known, &ours);
    basin_status s = BASIN_OK;
    if (theirs.failed || ours.failed)
        s = bs_fail_nomem(err);
    else if (strcmp(theirs.data, ours.data) != 0)
        s = bs_fail(err, BASIN_EARG,
                    "--distil: the rows have features or labels that %.200s does not know; it can "
                    "only teach what it was trained for",
                    teacher->name);
    bs_buf_free(&theirs);
    bs_buf_free(&ours);
    return s;
}

/* The scores of the rows from `first` on become part of the training rows. */
static basin_status hand_over(const bs_outputs *y, int32_t first, bs_data *data, basin_error *err)
{
    bs_dataset  *train = &data->part[0];
    const size_t labels = (size_t)train->task->labels(&data->known);
    const size_t n = (size_t)train->rows * labels;
    train->soft = bs_calloc(n + 1, sizeof *train->soft);
    if (!train->soft)
        return bs_fail_nomem(err);
    memcpy(train->soft, y->scores + (size_t)first * labels, n * sizeof *train->soft);
    return BASIN_OK;
}

basin_status bs_teacher_teach(const bs_base_model *teacher, const bs_settings *s, bs_data *data,
                              bs_logger *log, basin_error *err)
{
    const bs_model_file *m = teacher->model;
    const bs_machine     where = {s->train.device, s->train.threads};
    const int            folds = data->folds;
    const int32_t        first = folds > 1 ? data->fold_start[1] : 0;
    bs_outputs           y = {0};
    double               seconds;
    basin_status         status = check_rows(teacher, data, err);
    const bool           out_of_fold = folds > 1 && !status && saw_these(teacher, data);
    if (!status)
        status = m->task->outputs(&data->part[0], &m->known, &y, err);
    if (!status && out_of_fold)
        status = bs_ensemble_predict_folds(m, data, where, &y, err);
    else if (!status)
        status = bs_model_predict(m, &data->part[0],
                                  &(bs_asked){.decide = "threshold", .where = where, .log = log},
                                  &y, &seconds, err);
    if (!status && folds > 1)
        status = bs_data_keep_folds(data, 1, err);
    if (!status)
        status = hand_over(&y, first, data, err);
    if (!status) /* other teachers, other rows */
        data->part[0].hash ^= bs_hash64(&(struct {
            uint64_t teacher;
            double   weight;
        }){teacher->hash, s->train.distil_weight},
                                        sizeof(uint64_t) + sizeof(double));
    if (!status)
        bs_log_say(log, BS_INFO, "--distil: learns from %s%s", teacher->name,
                   out_of_fold
                       ? ", out of fold; the first fold is for validation"
                       : "; scores on rows it was trained on would look better than they are");
    bs_outputs_free(&y);
    return status;
}
