/* pair.c -- features and labels in two files, X and Y.
 *
 * A file without labels where some are needed can only be an X: its Y is the next file, or one in
 * the same folder with a matching name. "X.csv+Y.csv" names both. */
#include <string.h>
#include <unistd.h>

#include "data/rows/read.h"

bool bs_pair_path(const char *path, char x[BS_OPTION_TEXT], char y[BS_OPTION_TEXT])
{
    if (strlen(path) >= BS_OPTION_TEXT || access(path, F_OK) == 0)
        return false;
    for (const char *plus = strchr(path, '+'); plus; plus = strchr(plus + 1, '+')) {
        bs_print(x, BS_OPTION_TEXT, "%.*s", (int)(plus - path), path);
        bs_print(y, BS_OPTION_TEXT, "%s", plus + 1);
        if (access(x, F_OK) == 0 && access(y, F_OK) == 0)
            return true;
    }
    return false;
}

/* y_train.npy beside X_train.npy: an X that is a word of the name, or starts or ends it. */
static bool find_beside(const char *path, char y[BS_OPTION_TEXT])
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    if (strlen(path) >= BS_OPTION_TEXT)
        return false;
    for (const char *p = base; *p && *p != '.'; p++) {
        bool alone = (p == base || p[-1] == '_' || p[-1] == '-') &&
                     (p[1] == '_' || p[1] == '-' || p[1] == '.' || !p[1]);
        for (const char *letter = "yY"; alone && (*p == 'x' || *p == 'X') && *letter; letter++) {
            bs_print(y, BS_OPTION_TEXT, "%s", path);
            y[p - path] = *letter;
            if (bs_is_file(y))
                return true;
        }
    }
    return false;
}

/* --- joining ------------------------------------------------------------- */

/* If both files name their rows, the names must agree in order. */
static basin_status check_ids(const bs_rows *x, const bs_rows *y, const char *x_path,
                              const char *y_path, basin_error *err)
{
    if (x->source.names && y->source.names && x->source.names != y->source.names)
        return bs_fail(err, BASIN_EDATA,
                       "%s: the column that names its rows differs from that of %s: other rows, or "
                       "another order",
                       y_path, x_path);
    for (int32_t i = 0; x->row_id && y->row_id && i < x->rows; i++)
        if (strcmp(x->row_id[i], y->row_id[i]) != 0)
            return bs_fail(err, BASIN_EDATA,
                           "%s: row %d is called '%.60s', in %s '%.60s': the files have other rows "
                           "or another order",
                           y_path, (int)i + 1, y->row_id[i], x_path, x->row_id[i]);
    return BASIN_OK;
}

/* Moves the labels of y into x; y has no further use for them. */
static basin_status join(bs_rows *x, bs_rows *y, const char *x_path, const char *y_path,
                         basin_error *err)
{
    const int32_t n = y->schema.n_labels;
    if (x->rows != y->rows)
        return bs_fail(err, BASIN_EDATA, "%s: has %d rows; %s has %d", y_path, (int)y->rows, x_path,
                       (int)x->rows);
    basin_status s = check_ids(x, y, x_path, y_path, err);
    if (s)
        return s;
    const char **label = bs_arena_alloc(&x->arena, ((size_t)n + 1) * sizeof *label);
    bool         ok = label != NULL;
    for (int32_t i = 0; ok && i < n; i++) {
        label[i] = bs_arena_copy(&x->arena, y->schema.label[i], strlen(y->schema.label[i]));
        ok = label[i] != NULL;
    }
    if (!ok)
        return bs_fail_nomem(err);
    bs_free(x->y_start);
    bs_free(x->y_index);
    x->y_start = y->y_start;
    x->y_index = y->y_index;
    x->u_start = y->u_start;
    x->u_index = y->u_index;
    y->y_start = y->y_index = y->u_start = y->u_index = NULL;
    x->schema.label = label;
    x->schema.n_labels = n;
    x->y = y->y;
    x->unknown = y->unknown;
    x->labelled = x->source.paired = true;
    x->open_labels = y->open_labels;
    x->hash = bs_rows_hash(x);
    const char *base = strrchr(y_path, '/');
    bs_print(x->source.labels_from, sizeof x->source.labels_from, "%.90s",
             base ? base + 1 : y_path);
    return BASIN_OK;
}

static basin_status add_labels(bs_rows *x, const char *x_path, const char *y_path,
                               const bs_read_options *o, bs_notes *notes, basin_error *err)
{
    bs_read_options labels = *o;
    bs_rows        *y = NULL;
    bs_notes        own; /* notes about a Y concern its labels only */
    labels.only_labels = true;
    labels.label_free = labels.drop_unlabelled = false;
    labels.labels[0] = '\0';
    bs_notes_init(&own);
    basin_status s = bs_rows_read_file(y_path, &labels, &y, &own, err);
    for (size_t i = 0; !s && i < own.n; i++)
        bs_notes_add(notes, own.note[i].tag, "%s", own.note[i].text);
    bs_notes_free(&own);
    if (!s)
        s = join(x, y, x_path, y_path, err);
    if (!s)
        bs_notes_add(notes, "labels", "the labels of %s are in %s", x_path, y_path);
    bs_rows_free(y);
    return s;
}

/* --- one file, or two ---------------------------------------------------- */

basin_status bs_rows_read_next(const char *const *paths, int n, const bs_read_options *o, int *used,
                               bs_rows **out, bs_notes *notes, basin_error *err)
{
    char            x[BS_OPTION_TEXT], y[BS_OPTION_TEXT];
    bs_read_options free = *o;
    const bool      pair = bs_pair_path(paths[0], x, y);
    const char     *path = pair ? x : paths[0];
    bool            beside = false;
    *used = 1;
    *out = NULL;
    /* Standard input can only be read once, and a file with label options has its labels. */
    if ((o->label_free || o->labels[0] || strcmp(path, "-") == 0) && !pair)
        return bs_rows_read_file(path, o, out, notes, err);
    free.label_free = true;
    if (pair)
        free.labels[0] = '\0';
    basin_status s = bs_rows_read_file(path, &free, out, notes, err);
    if (s || o->label_free || ((*out)->labelled && !pair))
        return s;
    if (!pair && n > 1)
        bs_print(y, sizeof y, "%s", paths[1]);
    else if (!pair)
        beside = find_beside(path, y);
    if (pair || n > 1 || beside)
        s = add_labels(*out, path, y, o, notes, err);
    else
        s = BASIN_EDATA;
    if (!s) {
        *used = pair || beside ? 1 : 2;
        return BASIN_OK;
    }
    bs_rows_free(*out);
    *out = NULL;
    /* Two files of rows with unnamed labels: the reader asks for them. */
    if (!pair && !beside && s == BASIN_EDATA)
        s = bs_rows_read_file(path, o, out, NULL, err);
    return s;
}
