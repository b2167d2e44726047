/* prepare.c -- reads files by role, splits off missing parts, fits what a model keeps. */
#include "task/prepare.h"

#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "data/split.h"

const char *const bs_role_names[BS_ROLES] = {"train", "valid", "test", "unlabelled"};

/* The parts that a role's files are divided into; none unless one is there to train on. */
static basin_status own_parts(const bs_settings *s, const bs_task *task, const bs_sources *files,
                              int role, void **opened, bool has[BS_ROLES], basin_error *err)
{
    bs_read_request wish = {
        .task = task, .file = files->file[role], .n = files->n[role], .opened = opened};
    memset(has, 0, BS_ROLES * sizeof *has);
    if (!task->parts || wish.n == 0 || files->given[role])
        return BASIN_OK;
    basin_status status = task->parts(s, &wish, has, err);
    if (role == 0 && !has[0])
        memset(has, 0, BS_ROLES * sizeof *has);
    return status;
}

/* From the files of its role or, without any, from that part of the training files. */
static basin_status read_part(const bs_settings *s, const bs_task *task, const bs_sources *files,
                              int role, void *opened[BS_ROLES], bs_logger *log, bs_data *out,
                              basin_error *err)
{
    const bool   unlabelled = role == BS_ROLE_UNLABELLED;
    const int    from = files->n[role] > 0 ? role : 0;
    bool         has[BS_ROLES] = {false};
    basin_status status =
        unlabelled ? BASIN_OK : own_parts(s, task, files, from, &opened[from], has, err);
    if (status || (files->n[role] == 0 && !has[role]))
        return status;
    out->has_test |= role == BS_ROLE_TEST;
    if (role == BS_ROLE_TEST && files->no_test)
        return BASIN_OK;
    bs_read_request wish = {.task = task,
                            .file = files->file[from],
                            .n = files->n[from],
                            .given = files->given[from],
                            .first = role > 0 ? &out->part[0] : NULL,
                            .part = has[role] ? bs_role_names[role] : NULL,
                            .own = role > 0 && from == 0,
                            .label_free = unlabelled,
                            .unlabelled = unlabelled,
                            .opened = &opened[from]};
    bs_notes        notes;
    bs_notes_init(&notes);
    status = task->read(s, &wish, &notes, &out->part[role], err);
    if (!status && wish.part)
        bs_log_say(log, BS_INFO, "%s: the part of that name in %s%s", bs_role_names[role],
                   wish.file[0], role > 0 ? "; --valid and --test take files instead" : "");
    if (!status)
        bs_notes_log(&notes, bs_role_names[role], BS_INFO, log);
    bs_notes_free(&notes);
    return status;
}

static const char *shared_file(const bs_sources *files, int a, int b)
{
    struct stat one, two;
    for (int i = 0; i < files->n[a]; i++)
        for (int k = 0; k < files->n[b]; k++)
            if (stat(files->file[a][i], &one) == 0 && stat(files->file[b][k], &two) == 0 &&
                one.st_dev == two.st_dev && one.st_ino == two.st_ino)
                return files->file[b][k];
    return NULL;
}

/* Scores on rows used for training or for choices say nothing about other data. */
static void warn_of_sharing(const bs_sources *files, const bs_data *p, bs_logger *log)
{
    static const int pair[][2] = {{0, 1}, {0, BS_ROLE_TEST}, {1, BS_ROLE_TEST}};
    for (int i = 0; i < 3; i++) {
        const int         a = pair[i][0], b = pair[i][1];
        const bs_dataset *one = &p->part[a], *two = &p->part[b];
        if (files->n[a] == 0 || files->n[b] == 0)
            continue;
        /* one file may have a part for each */
        const char *file = one->task && one->task->parts ? NULL : shared_file(files, a, b);
        if (file)
            bs_log_say(log, BS_WARN,
                       "%s is given for %s and for %s: scores on %s will look better "
                       "than they are",
                       file, bs_role_names[a], bs_role_names[b], bs_role_names[b]);
        else if (one->task && two->task && one->hash == two->hash)
            bs_log_say(log, BS_WARN,
                       "the data for %s and for %s is the same: scores on %s will "
                       "look better than they are",
                       bs_role_names[a], bs_role_names[b], bs_role_names[b]);
    }
}

/* ---- splitting ---- */

static basin_status take_part(const bs_dataset *whole, const int32_t *part, int which,
                              bs_dataset *out, basin_error *err)
{
    int32_t     *rows = NULL, n;
    basin_status status = bs_split_rows(part, whole->rows, which, &rows, &n, err);
    if (!status)
        status = whole->task->select(whole, rows, n, out, err);
    bs_free(rows);
    return status;
}

/* Parts needed from the training file: always train, then those without a file. */
static basin_status split_off(const bs_settings *s, bool test, bool keep_test, bs_logger *log,
                              bs_data *out, basin_error *err)
{
    const bs_train_options *o = &s->train;
    double                  share[BS_ROLES] = {1, o->split_valid, test ? o->split_test : 0};
    int                     parts = share[2] > 0 ? 3 : 2;
    bs_dataset             *whole = &out->part[0], piece[BS_ROLES] = {{0}};
    int32_t                *part = bs_calloc((size_t)whole->rows + 1, sizeof *part);
    basin_status            status = part ? BASIN_OK : bs_fail_nomem(err);
    share[0] -= share[1] + share[2];
    if (!status && share[0] <= 0)
        status = bs_fail(err, BASIN_EARG, "split.valid and split.test leave nothing to train on");
    if (!status)
        status = whole->task->split(whole, share, parts, (uint64_t)o->seed, part, err);
    for (int i = 0; i < parts && !status; i++)
        if (i != BS_ROLE_TEST || keep_test)
            status = take_part(whole, part, i, &piece[i], err);
    bs_free(part);
    if (status) {
        for (int i = 0; i < parts; i++)
            bs_dataset_free(&piece[i]);
        return status;
    }
    const char *how = whole->task->split_how;
    bs_dataset_free(whole);
    for (int i = 0; i < parts; i++)
        out->part[i] = piece[i];
    bs_log_say(log, BS_INFO,
               "split %.0f/%.0f/%.0f %s, seed %d; --valid and --test take files instead",
               100 * share[0], 100 * share[1], 100 * share[2], how, o->seed);
    return BASIN_OK;
}

/* ---- folds ---- */

/* Few rows are too valuable to set aside for validation; many take too long to train on several
 * times. */
static int folds_of(const bs_settings *s, const bs_data *p)
{
    const bs_dataset *whole = &p->part[0];
    if (s->train.distil_folds > 1)
        return s->train.distil_folds;
    if (s->train.folds > 0)
        return s->train.folds;
    return !p->part[1].task && whole->rows >= 2 * BS_FOLDS &&
                   whole->rows <= whole->task->most_rows_for_folds
               ? BS_FOLDS
               : 1;
}

/* The rows of all folds, one fold after the other. */
static basin_status order_by_fold(const int32_t *part, int32_t rows, bs_data *out, int32_t *order,
                                  basin_error *err)
{
    int32_t n = 0;
    for (int k = 0; k < out->folds; k++) {
        out->fold_start[k] = n;
        for (int32_t i = 0; i < rows; i++)
            if (part[i] == k)
                order[n++] = i;
        if (n == out->fold_start[k])
            return bs_fail(err, BASIN_EDATA, "%d %s are too few for %d folds; --folds takes fewer",
                           (int)rows, out->part[0].task->unit, out->folds);
    }
    out->fold_start[out->folds] = n;
    return BASIN_OK;
}

static basin_status make_folds(const bs_settings *s, bs_logger *log, bs_data *out, basin_error *err)
{
    bs_dataset    *whole = &out->part[0], piece[2] = {{0}};
    const bs_task *task = whole->task;
    const int      seed = s->train.distil_folds > 1 ? s->train.distil_seed : s->train.seed;
    const size_t   room = (size_t)whole->rows + 1;
    int32_t       *part = bs_calloc(room, sizeof *part), *order = bs_calloc(room, sizeof *order);
    double         share[BS_MOST_FOLDS];
    basin_status   status = part && order ? BASIN_OK : bs_fail_nomem(err);
    for (int k = 0; k < out->folds; k++)
        share[k] = 1.0 / out->folds;
    if (!status)
        status = task->split(whole, share, out->folds, (uint64_t)seed, part, err);
    if (!status)
        status = order_by_fold(part, whole->rows, out, order, err);
    for (int i = 0; i < 2 && !status; i++)
        status = task->select(whole, order, whole->rows, &piece[i], err);
    bs_free(part);
    bs_free(order);
    if (status) {
        bs_dataset_free(&piece[0]);
        return status;
    }
    bs_dataset_free(whole);
    out->part[0] = piece[0];
    out->part[1] = piece[1];
    if (s->train.distil_folds <= 1)
        bs_log_say(
            log, BS_INFO,
            "%d folds %s, seed %d: all %s are used for training, and each is scored by models "
            "that have not seen it",
            out->folds, task->split_how, seed, task->unit);
    return BASIN_OK;
}

/* Rows from .. to, and the others. */
static basin_status divide(const bs_data *p, int32_t from, int32_t to, bs_dataset *train,
                           bs_dataset *valid, basin_error *err)
{
    const int32_t  rows = p->part[0].rows;
    const bs_task *task = p->part[0].task;
    int32_t       *row = bs_calloc((size_t)rows + 1, sizeof *row);
    basin_status   status = row ? BASIN_OK : bs_fail_nomem(err);
    *valid = (bs_dataset){0};
    for (int32_t i = from; i < to && !status; i++)
        row[i - from] = i;
    if (!status)
        status = task->select(&p->part[0], row, to - from, valid, err);
    for (int32_t i = 0, n = 0; train && i < rows && !status; i++)
        if (i < from || i >= to)
            row[n++] = i;
    if (train)
        *train = (bs_dataset){0};
    if (train && !status)
        status = task->select(&p->part[0], row, rows - (to - from), train, err);
    bs_free(row);
    if (status)
        bs_dataset_free(valid);
    return status;
}

basin_status bs_data_fold(const bs_data *p, int k, bs_dataset *train, bs_dataset *valid,
                          basin_error *err)
{
    return divide(p, p->fold_start[k], p->fold_start[k + 1], train, valid, err);
}

basin_status bs_data_first_folds(const bs_data *p, int n, bs_dataset *train, bs_dataset *valid,
                                 basin_error *err)
{
    basin_status status = divide(p, 0, p->fold_start[n], n > 1 ? NULL : train, valid, err);
    if (n > 1 && !status)
        status = divide(p, 0, p->part[0].rows, NULL, train, err);
    return status;
}

basin_status bs_data_keep_folds(bs_data *p, int n, basin_error *err)
{
    bs_dataset   part[2] = {{0}};
    basin_status status = bs_data_first_folds(p, n, &part[0], &part[1], err);
    for (int i = 0; i < 2; i++) {
        bs_dataset_free(&p->part[i]);
        p->part[i] = part[i];
    }
    p->folds = n;
    return status;
}

static basin_status check_rows(const bs_data *p, basin_error *err)
{
    if (p->part[0].rows == 0)
        return bs_fail(err, BASIN_EDATA, "no %s to train on", p->part[0].task->unit);
    for (int i = 1; i < BS_ROLES; i++)
        if (p->part[i].task && p->part[i].rows == 0)
            return bs_fail(err, BASIN_EDATA,
                           "no %s for %s: too few to split, or an empty file; --%s takes a file",
                           p->part[i].task->unit, bs_role_names[i], bs_role_names[i]);
    return BASIN_OK;
}

/* Before anything is read. */
static basin_status check_unlabelled(const bs_settings *s, const bs_task *task,
                                     const bs_sources *files, basin_error *err)
{
    const bool given = files->n[BS_ROLE_UNLABELLED] > 0, rules = *s->train.rules_file;
    if ((given || rules) && !task->unlabelled)
        return bs_fail(err, BASIN_EARG,
                       "%s: task %s learns from labelled %s only; rules and sentences without tags "
                       "are for task tag",
                       given ? "--unlabelled" : "--rules", task->name, task->unit);
    if (given && !rules)
        return bs_fail(err, BASIN_EARG,
                       "--unlabelled: %s without labels teach nothing unless rules say what is "
                       "likely; --rules FILE gives some",
                       task->unit);
    if (rules && !given)
        return bs_fail(err, BASIN_EARG,
                       "--rules: they are for %s without labels; --unlabelled FILE gives some",
                       task->unit);
    return BASIN_OK;
}

static bool begins_with(const char *message, const char *file)
{
    return *file && strncmp(message, file, strlen(file)) == 0;
}

/* Whether a message starts with one of the files, or with one read along with them. */
static bool names_a_file(const bs_settings *s, const bs_sources *files, const char *message)
{
    bool found = begins_with(message, s->words.vectors) ||
                 begins_with(message, s->words.clusters) ||
                 begins_with(message, s->train.rules_file) ||
                 begins_with(message, s->train.encoder);
    for (int role = 0; role < BS_ROLES; role++)
        for (int i = 0; i < files->n[role]; i++)
            found |= begins_with(message, files->file[role][i]);
    return found;
}

basin_status bs_prepare(const bs_settings *s, const bs_sources *files, bs_logger *log, bs_data *out,
                        basin_error *err)
{
    const bs_task *task;
    void          *opened[BS_ROLES] = {NULL}; /* by the role that files are given for */
    memset(out, 0, sizeof *out);
    bs_arena_init(&out->known.arena, 0);
    if (files->n[0] == 0)
        return bs_fail(err, BASIN_EARG, "no training data given");
    basin_status status = bs_task_find(s->train.task, &task, err);
    if (!status)
        status = check_unlabelled(s, task, files, err);
    out->known.like = files->like;
    for (int role = 0; role < BS_ROLES && !status; role++) {
        status = read_part(s, task, files, role, opened, log, out, err);
        if (!status && role == 0 && files->like)
            status = task->widen(&out->part[0], files->like, log, err);
    }
    for (int role = 0; role < BS_ROLES; role++)
        if (opened[role])
            task->close(opened[role]);
    bs_input_forget(); /* what was peeked at to guess the task, but not read */
    if (!status)
        warn_of_sharing(files, out, log);
    if (!status)
        out->folds = folds_of(s, out);
    if (!status && s->train.folds > 1 && out->part[1].task)
        status =
            bs_fail(err, BASIN_EARG,
                    "--folds: there is data for validation (--valid); folds are for when there "
                    "is none");
    if (!status && out->folds > 1)
        status = make_folds(s, log, out, err);
    if (!status && !out->part[1].task)
        status = split_off(s, !out->has_test, !files->no_test, log, out, err);
    if (!status)
        status = check_rows(out, err);
    if (!status)
        status = task->fit(s, out->part, BS_ROLES, log, &out->known, err);
    if (status == BASIN_EDATA && err && !names_a_file(s, files, err->msg))
        bs_fail_about(err, status, files->file[0][0]);
    if (status)
        bs_data_free(out);
    return status;
}

void bs_data_free(bs_data *p)
{
    for (int i = 0; i < BS_ROLES; i++)
        bs_dataset_free(&p->part[i]);
    bs_preprocess_free(&p->known);
}

const bs_dataset *bs_data_test(const bs_data *p)
{
    return p->part[2].task ? &p->part[2] : NULL;
}
