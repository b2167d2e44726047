/* prepare.c -- see prepare.h. */
#include "train/prepare.h"

#include <string.h>

#include "data/split.h"
#include "train/saved.h"

static const char *const role_name[BS_ROLES] = {"train", "valid", "test"};

static basin_status read_part(const bs_settings *s, const bs_files *files, int role, bs_logger *log,
                              bs_prepared *out, basin_error *err)
{
    bs_read_options o = s->read;
    bs_notes        notes;
    if (role > 0)
        o.like = &out->part[0]->schema;
    bs_notes_init(&notes);
    basin_status status =
        bs_dataset_read(files->file[role], files->n[role], &o, &out->part[role], &notes, err);
    if (!status && role > 0)
        status = bs_dataset_match(&out->part[0]->schema, out->part[role], files->file[role][0],
                                  &notes, err);
    for (size_t i = 0; !status && i < notes.n; i++)
        bs_log_say(log, BS_INFO, "%s: %s", role_name[role], notes.note[i].text);
    bs_notes_free(&notes);
    return status;
}

/* ---- splitting ---- */

static basin_status take_part(const bs_dataset *whole, const int32_t *part, int which,
                              bs_dataset **out, basin_error *err)
{
    int32_t     *rows = NULL, n;
    basin_status status = bs_split_rows(part, whole->rows, which, &rows, &n, err);
    if (!status)
        status = bs_dataset_select(whole, rows, n, out, err);
    bs_free(rows);
    return status;
}

/* Parts wanted of the training file: always train, then those without a file. */
static basin_status split_off(const bs_settings *s, bool test, bs_logger *log, bs_prepared *out,
                              basin_error *err)
{
    const bs_train_options *o = &s->train;
    double                  share[BS_ROLES] = {1, o->split_valid, test ? o->split_test : 0};
    int                     parts = share[2] > 0 ? 3 : 2;
    bs_dataset             *whole = out->part[0], *piece[BS_ROLES] = {NULL};
    int32_t                *part = bs_calloc((size_t)whole->rows + 1, sizeof *part);
    basin_status            status = part ? BASIN_OK : bs_fail_nomem(err);
    share[0] -= share[1] + share[2];
    if (!status && share[0] <= 0)
        status = bs_fail(err, BASIN_EARG, "split.valid and split.test leave nothing to train on");
    if (!status)
        status = bs_split(whole, share, parts, NULL, (uint64_t)o->seed, part, err);
    for (int i = 0; i < parts && !status; i++)
        status = take_part(whole, part, i, &piece[i], err);
    bs_free(part);
    if (status) {
        for (int i = 0; i < parts; i++)
            bs_dataset_free(piece[i]);
        return status;
    }
    bs_dataset_free(whole);
    for (int i = 0; i < parts; i++)
        out->part[i] = piece[i];
    bs_log_say(log, BS_INFO,
               "split %.0f/%.0f/%.0f by iterative stratification, seed %d; --valid and --test take "
               "files instead",
               100 * share[0], 100 * share[1], 100 * share[2], o->seed);
    return BASIN_OK;
}

/* ---- schema ---- */

static bool wants_standardising(const bs_settings *s, const bs_schema *schema)
{
    if (strcmp(s->train.standardise, "auto") != 0)
        return strcmp(s->train.standardise, "yes") == 0;
    return schema->dense && !schema->binary;
}

static basin_status fit(bs_settings *s, bs_logger *log, bs_prepared *out, basin_error *err)
{
    const bs_dataset *train = out->part[0];
    bool              standardise = wants_standardising(s, &train->schema);
    basin_status      status = bs_schema_copy(&train->schema, &out->arena, &out->schema, err);
    if (!status)
        status = bs_schema_fit(train, standardise, &out->arena, &out->schema, err);
    if (status)
        return status;
    if (standardise)
        bs_log_say(log, BS_INFO,
                   "features are standardised by the training rows; "
                   "--set standardise=no leaves them as they are");
    /* sparse nets read the rows as they are stored */
    bool sparse = bs_saved_sparse(&out->schema);
    for (int i = 0; i < BS_ROLES; i++)
        if (out->part[i] && out->part[i]->n_missing > 0 && sparse)
            bs_dataset_fill(out->part[i], &out->schema);
    return BASIN_OK;
}

static basin_status check_rows(const bs_prepared *p, basin_error *err)
{
    for (int i = 0; i < BS_ROLES; i++)
        if (p->part[i] && p->part[i]->rows == 0)
            return bs_fail(err, BASIN_EDATA, "the %s data has no rows", role_name[i]);
    if (p->part[0]->schema.n_labels == 0)
        return bs_fail(err, BASIN_EDATA,
                       "the training data has no labels; --labels says which "
                       "columns they are");
    return BASIN_OK;
}

basin_status bs_prepare(bs_settings *s, const bs_files *files, bs_logger *log, bs_prepared *out,
                        basin_error *err)
{
    memset(out, 0, sizeof *out);
    bs_arena_init(&out->arena, 0);
    if (files->n[0] == 0)
        return bs_fail(err, BASIN_EARG, "no training data given");
    basin_status status = BASIN_OK;
    for (int role = 0; role < BS_ROLES && !status; role++)
        if (files->n[role] > 0)
            status = read_part(s, files, role, log, out, err);
    if (!status && !out->part[1])
        status = split_off(s, !out->part[2], log, out, err);
    if (!status)
        status = check_rows(out, err);
    if (!status && strcmp(s->train.task, "auto") == 0)
        memcpy(s->train.task, "mlc", 4);
    if (!status && strcmp(s->train.method, "auto") == 0)
        memcpy(s->train.method, BS_DEFAULT_METHOD, sizeof BS_DEFAULT_METHOD);
    if (!status)
        status = fit(s, log, out, err);
    if (status)
        bs_prepared_free(out);
    return status;
}

void bs_prepared_free(bs_prepared *p)
{
    for (int i = 0; i < BS_ROLES; i++) {
        bs_dataset_free(p->part[i]);
        p->part[i] = NULL;
    }
    bs_arena_free(&p->arena);
}
