/* inspect.c -- basin_data_* for rows with label sets. */
#include <string.h>

#include "inspect/inspect.h"
#include "base/io.h"
#include "tasks/mlc/make.h"
#include "data/names.h"
#include "data/rows/write.h"
#include "data/words/ngrams.h"
#include "task/mlc/data.h"
#include "tasks/mlc/pieces.h"

static basin_status read_all(const bs_data_args *g, bool keep_text, bs_notes *notes, bs_rows **out,
                             basin_error *err)
{
    bs_read_options o = g->settings->read;
    o.keep_text = keep_text;
    *out = NULL;
    return bs_rows_read(g->file, g->n, &o, out, notes, err);
}

/* ---- inspect ---- */

static void print_texts(const bs_rows *d, bs_buf *out)
{
    bs_text_summary t;
    if (!d->document)
        return;
    if (!bs_texts_summary(d, &t)) {
        out->failed = true;
        return;
    }
    bs_buf_printf(
        out, "texts    %.1f words each, at most %d; %d different words, %d in one text only",
        d->rows ? (double)t.words / d->rows : 0, (int)t.longest, (int)t.different, (int)t.once);
    bs_buf_printf(out, "; %d empty\n", (int)t.empty);
}

static void print_columns(const bs_rows *d, const bs_summary *s, bs_buf *out)
{
    bs_buf_printf(out, "inputs   %d features", (int)s->features);
    if (d->source.numeric || d->source.binary || d->source.nominal)
        bs_buf_printf(out, " from %d columns (%d numeric, %d binary, %d nominal, %d left out)",
                      (int)d->source.attributes, (int)d->source.numeric, (int)d->source.binary,
                      (int)(d->source.nominal - d->source.binary), (int)d->source.skipped);
    bs_buf_printf(out, ", density %.2f %%\n", 100 * s->density);
}

static void print_inputs(const bs_rows *d, const bs_summary *s, const bs_pieces_summary *pieces,
                         bs_buf *out)
{
    bs_buf_printf(out, "format   %s, %s, %d rows\n", d->format,
                  d->schema.dense ? "dense" : "sparse", (int)d->rows);
    if (s->features > 0 || !s->texts)
        print_columns(d, s, out);
    print_texts(d, out);
    bs_pieces_print(pieces, out);
    bs_buf_printf(out, "labels   %d%s", (int)s->labels, *d->source.labels_from ? " from " : "");
    bs_buf_visible(out, d->source.labels_from);
    bs_buf_printf(out, ", cardinality %.2f, distinct sets %d\n", s->cardinality,
                  (int)s->label_sets);
}

static void print_checks(const bs_rows *d, const bs_summary *s, bs_buf *out)
{
    char rarest[BS_VISIBLE], commonest[BS_VISIBLE];
    bs_buf_printf(out,
                  "checks   %d rows without label, %d without feature, %d duplicate rows, "
                  "%d equal inputs with other labels\n",
                  (int)s->rows_unlabelled, (int)s->rows_empty, (int)s->duplicates,
                  (int)s->contradictions);
    bs_buf_printf(out,
                  "         %d constant features, %lld missing values, %d labels never on, "
                  "%d always on",
                  (int)s->features_constant, (long long)s->missing, (int)s->labels_never,
                  (int)s->labels_always);
    if (s->rarest >= 0)
        bs_buf_printf(out, "; rarest '%s' %d rows, most frequent '%s' %d",
                      bs_visible(d->schema.label[s->rarest], 40, rarest), (int)s->rarest_rows,
                      bs_visible(d->schema.label[s->commonest], 40, commonest),
                      (int)s->commonest_rows);
    bs_buf_text(out, "\n");
}

/* The first names of labels, only those with which[i] if that is given, and how many more there
 * are. */
static void list_names(const bs_rows *d, const uint8_t *which, bs_buf *out)
{
    enum { MOST = 8 };
    char    name[BS_VISIBLE];
    int32_t n = 0;
    for (int32_t i = 0; i < d->schema.n_labels; i++) {
        if (which && !which[i])
            continue;
        if (n++ < MOST)
            bs_buf_printf(out, "%s%s", n > 1 ? ", " : "", bs_visible(d->schema.label[i], 40, name));
    }
    if (n > MOST)
        bs_buf_printf(out, " and %d more", (int)n - MOST);
    bs_buf_text(out, "\n");
}

static basin_status print_labels(const bs_rows *d, const bs_summary *s, bs_buf *out,
                                 basin_error *err)
{
    uint8_t *never = bs_alloc((size_t)d->schema.n_labels + 1);
    if (!never)
        return bs_fail_nomem(err);
    memset(never, 1, (size_t)d->schema.n_labels + 1);
    for (int32_t e = 0; e < d->y.start[d->rows]; e++)
        never[d->y.index[e]] = 0;
    if (d->schema.n_labels) {
        bs_buf_text(out, "         ");
        list_names(d, NULL, out);
    }
    if (s->labels_never) {
        bs_buf_text(out, "         never on: ");
        list_names(d, never, out);
    }
    bs_free(never);
    return BASIN_OK;
}

/* Everything up to the notes; the object stays open. */
static void print_json(const bs_rows *d, const bs_summary *s, bs_buf *out)
{
    bs_text_summary t;
    bs_json_open(out, NULL, '{');
    bs_json_text(out, "format", d->format);
    bs_json_bool(out, "dense", d->schema.dense);
    bs_json_members(out,
                    "rows %d features %d labels %d cardinality %.6f density %.6f "
                    "label_sets %d rows_unlabelled %d duplicates %d contradictions %d "
                    "features_constant %d missing %lld labels_never %d",
                    d->rows, s->features, s->labels, s->cardinality, s->density, s->label_sets,
                    s->rows_unlabelled, s->duplicates, s->contradictions, s->features_constant,
                    (long long)s->missing, s->labels_never);
    if (d->document && bs_texts_summary(d, &t))
        bs_json_members(out, "words %lld longest_text %d different_words %d texts_empty %d",
                        (long long)t.words, t.longest, t.different, t.empty);
    bs_json_hash(out, "hash", d->hash);
}

/* What would spoil training, as one sentence; NULL = nothing. */
static const char *problem(const bs_summary *s)
{
    if (s->rows == 0)
        return "there are no rows";
    if (s->labels == 0)
        return "there are no labels; --labels selects their columns";
    if (s->features == 0 && !s->texts)
        return "there are no features";
    if (s->labels_never == s->labels)
        return "no label is ever on";
    return NULL;
}

static void print_next(const bs_data_args *g, bool roles, bs_buf *out)
{
    const bs_read_options usual = bs_read_options_default();
    bs_data_next_all(g, roles, bs_read_rows, &g->settings->read, &usual, out);
}

static void print_notes(const bs_notes *notes, size_t first, bs_buf *table)
{
    for (size_t i = first; i < notes->n; i++)
        bs_buf_printf(table, "note     %s\n", notes->note[i].text);
}

static basin_status show(const bs_data_args *g, const bs_rows *d, const bs_summary *s,
                         const bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_pieces_summary pieces = {0};
    basin_status      status = bs_pieces_of(g->settings, d, &pieces, err);
    if (status)
        return status;
    print_inputs(d, s, &pieces, table);
    status = print_labels(d, s, table, err);
    print_checks(d, s, table);
    print_notes(notes, 0, table);
    print_json(d, s, json);
    bs_pieces_json(&pieces, json);
    return status;
}

/* Fails with what makes the data unfit for training. */
static basin_status find_problem(const bs_summary *s, const char *file, const bs_notes *notes,
                                 basin_error *err)
{
    const char *odd = bs_notes_find(notes, BS_NOTE_ODD_CELL);
    if (problem(s))
        return bs_fail(err, BASIN_EDATA, "%s: %s", file, problem(s));
    return odd ? bs_fail(err, BASIN_EDATA, "%s", odd) : BASIN_OK;
}

static basin_status compare(const bs_rows *d, const bs_rows *first, const char *name, bs_buf *table,
                            bs_buf *json, basin_error *err)
{
    int32_t      shared;
    basin_status s = bs_rows_shared(d, first, &shared, err);
    if (s)
        return s;
    bs_buf_text(table, "against  ");
    bs_buf_visible(table, name);
    bs_buf_printf(table, ": %d of %d rows are there, too\n", (int)shared, (int)d->rows);
    bs_json_open(json, "against", '{');
    bs_json_members(json, "name %s shared %d", name, shared);
    bs_json_close(json, '}');
    return BASIN_OK;
}

/* One of several files: by itself, then compared with the first one. This is stricter than testing
 * a model, which ignores labels that training does not have. */
static basin_status check_file(const bs_data_args *g, int i, const bs_rows *first, int *used,
                               bs_rows **out, bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_read_options o = g->settings->read;
    bs_summary      summary;
    bs_notes        notes;
    o.like = first ? &first->schema : NULL;
    bs_notes_init(&notes);
    bs_buf_text(table, i ? "\nfile     " : "file     ");
    bs_buf_visible(table, g->file[i]);
    basin_status s = bs_rows_read_next(g->file + i, g->n - i, &o, used, out, &notes, err);
    bs_buf_text(table, *used > 1 ? " and " : "");
    bs_buf_visible(table, *used > 1 ? g->file[i + 1] : "");
    bs_buf_text(table, "\n");
    if (!s)
        s = bs_rows_summary(*out, &summary, err);
    const bool read = !s;
    if (!s)
        s = show(g, *out, &summary, &notes, table, json, err);
    if (!s)
        s = find_problem(&summary, g->file[i], &notes, err);
    size_t shown = notes.n;
    if (!s && first)
        s = bs_rows_match(o.like, *out, g->file[i], &notes, err);
    if (!s && first)
        s = compare(*out, first, g->file[0], table, json, err);
    print_notes(&notes, shown, table);
    if (read) {
        bs_notes_json(&notes, json);
        bs_json_close(json, '}');
    } else {
        bs_json_text(json, NULL, NULL);
    }
    if (s)
        bs_buf_printf(table, "problem  %s\n", err->msg);
    bs_notes_free(&notes);
    return s;
}

/* Files read as one would pass although a model of the first refuses them. All are examined; the
 * first problem is the status. */
static basin_status check_files(const bs_data_args *g, bs_buf *table, bs_buf *json,
                                basin_error *err)
{
    bs_rows     *first = NULL;
    basin_status status = BASIN_OK;
    bs_json_open(json, NULL, '{');
    bs_json_open(json, "files", '[');
    for (int i = 0, used = 1; i < g->n && status != BASIN_ENOMEM; i += used) {
        bs_rows     *other = NULL;
        basin_error  why;
        basin_status s = check_file(g, i, first, &used, i ? &other : &first, table, json, &why);
        bs_rows_free(other);
        if (s && (!status || s == BASIN_ENOMEM))
            status = bs_fail(err, s, "%s", why.msg);
        if (!first)
            break; /* nothing to compare the others with */
    }
    bs_buf_text(json, "]}");
    bs_rows_free(first);
    if (!status)
        print_next(g, true, table);
    return status;
}

static basin_status inspect(const bs_data_args *g, bool check, bs_buf *table, bs_buf *json,
                            basin_error *err)
{
    bs_notes   notes;
    bs_summary summary;
    bs_rows   *d = NULL;
    if (check && g->n > 1)
        return check_files(g, table, json, err);
    bs_notes_init(&notes);
    basin_status status = read_all(g, false, &notes, &d, err);
    if (!status)
        status = bs_rows_summary(d, &summary, err);
    if (!status && check)
        status = find_problem(&summary, g->file[0], &notes, err);
    if (!status)
        status = show(g, d, &summary, &notes, table, json, err);
    if (!status) {
        bs_notes_json(&notes, json);
        bs_json_close(json, '}');
        print_next(g, false, table);
    }
    bs_rows_free(d);
    bs_notes_free(&notes);
    return status;
}

static basin_status describe_part(const bs_dataset *part, const bs_dataset *train, bs_buf *table,
                                  basin_error *err)
{
    bs_summary   s;
    basin_status status = bs_rows_summary(bs_dataset_mlc(part), &s, err);
    (void)train;
    if (status)
        return status;
    print_inputs(bs_dataset_mlc(part), &s, &(bs_pieces_summary){.kind = ""}, table);
    print_checks(bs_dataset_mlc(part), &s, table);
    return BASIN_OK;
}

static basin_status convert(const bs_data_args *g, const char *out, const char *format,
                            bs_notes *notes, basin_error *err)
{
    bs_rows     *d = NULL;
    basin_status s = read_all(g, false, notes, &d, err);
    if (!s)
        s = bs_rows_write(d, out, format, notes, err);
    bs_rows_free(d);
    return s;
}

/* ---- split ---- */

static void balance_row(const bs_rows *d, const char *path, const bs_split_part *p, bs_buf *out)
{
    char file[BS_VISIBLE], label[BS_VISIBLE];
    bs_buf_printf(
        out, "%-40s %8d %10.2f %10.2f %8d  %s\n", bs_visible(path, 40, file), (int)p->rows,
        100 * p->label_error, 100 * p->worst_error, (int)p->labels_absent,
        bs_visible(p->worst_label >= 0 ? d->schema.label[p->worst_label] : "-", 30, label));
}

/* What to cut, and from where. */
typedef struct {
    const bs_rows *d;
    bool           lines; /* as they are in the file; false: the parts are written from the data */
    const int32_t *part;  /* [rows] */
    const char    *format;
} source;

/* Whether rows are taken literally from the file; if that is impossible, a note says why. */
static bool has_lines(const bs_data_args *g, const bs_cutting *cut, const bs_rows *d,
                      const bs_notes *reading, bs_notes *notes)
{
    if (cut->o->format && strcmp(cut->o->format, d->format) != 0)
        return false; /* another format was requested */
    const char *why = g->n > 1 ? "they come from several files"
                      : bs_notes_has(reading, BS_NOTE_SPARE)
                          ? "labels that were not chosen are left out"
                          : bs_rows_not_kept(d);
    if (why)
        bs_notes_add(notes, "rewritten",
                     "rows are not copied but written anew, with the features that 'basin data "
                     "inspect' counts: %s",
                     why);
    return !why;
}

/* A file whose rows count from 0 seems to count from 1 if none of them has a 0. */
static void note_base(const bs_rows *d, const int32_t *rows, int32_t n, const char *path,
                      bs_notes *notes)
{
    if (d->schema.feature || d->schema.index_base != 0 || strcmp(d->format, "libsvm") != 0)
        return;
    for (int32_t i = 0; i < n; i++)
        if (d->x.start[rows[i]] < d->x.start[rows[i] + 1] && d->x.index[d->x.start[rows[i]]] == 0)
            return;
    bs_notes_add(notes, "index base",
                 "%s has no feature 0: train on it with --set data.index_base=0", path);
}

static basin_status write_part(const source *from, int i, const char *path, bs_notes *notes,
                               int32_t *n, basin_error *err)
{
    int32_t     *rows = NULL;
    bs_rows     *piece = NULL;
    basin_status s = bs_split_rows(from->part, from->d->rows, i, &rows, n, err);
    if (!s && from->lines) {
        s = bs_rows_write_kept(from->d, rows, *n, path, notes, err);
        note_base(from->d, rows, *n, path, notes);
    } else if (!s) {
        s = bs_rows_select(from->d, rows, *n, &piece, err);
        if (!s)
            s = bs_rows_write(piece, path, from->format, notes, err);
    }
    bs_rows_free(piece);
    bs_free(rows);
    return s;
}

static basin_status write_parts(const source *from, const bs_cutting *cut, bs_notes *notes,
                                bs_buf *table, bs_buf *json, basin_error *err)
{
    const bs_rows    *d = from->d;
    bs_split_balance *balance = bs_calloc(1, sizeof *balance);
    const bs_writer  *writer = bs_writer_find(from->format);
    basin_status      s = balance ? BASIN_OK : bs_fail_nomem(err);
    char              extension[32] = "", path[BS_OPTION_TEXT];
    if (writer)
        bs_print(extension, sizeof extension, "%.*s", (int)strcspn(writer->extensions, " "),
                 writer->extensions);
    if (!s)
        s = bs_split_measure(d, cut->share, cut->parts, from->part, balance, err);
    bs_buf_printf(table, "%-40s %8s %10s %10s %8s  %s\n", "part", "rows", "mean off%", "worst off%",
                  "absent", "worst label");
    bs_json_open(json, NULL, '{');
    bs_json_open(json, "parts", '[');
    for (int i = 0; i < cut->parts && !s; i++) {
        int32_t n = 0;
        bs_part_path(cut, i, extension, path);
        s = write_part(from, i, path, notes, &n, err);
        if (s)
            break;
        balance_row(d, path, &balance->part[i], table);
        bs_json_open(json, NULL, '{');
        bs_json_members(json, "file %s rows %d", path, n);
        bs_json_close(json, '}');
    }
    bs_buf_text(json, "]}");
    if (!s && balance->crossing > 0)
        bs_buf_printf(table, "%d rows are equal to a row in another part\n",
                      (int)balance->crossing);
    bs_free(balance);
    if (s) /* parts written earlier do not make a table */
        bs_buf_clear(table);
    return s;
}

/* One name per line to one number per row; as many lines as rows. */
static basin_status read_groups(const char *path, int max_mb, int32_t rows, int32_t *group,
                                basin_error *err)
{
    bs_arena  arena;
    bs_names  names;
    bs_input *in;
    bs_line   line;
    bool      more = true, fresh;
    int64_t   n = 0;
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    basin_status status = bs_input_open_most(path, max_mb, &in, err);
    while (!status && more) {
        status = bs_input_line(in, 1 << 16, &line, &more, err);
        if (status || !more)
            break;
        if (n < rows && (group[n] = bs_names_add(&names, line.text, line.len, &fresh)) < 0)
            status = bs_fail_nomem(err);
        n++;
    }
    if (!status && n != rows)
        status = bs_fail(err, BASIN_EDATA,
                         "%s: %lld lines for %d rows; one group name per row is needed", path,
                         (long long)n, (int)rows);
    bs_input_close(in);
    bs_names_free(&names);
    bs_arena_free(&arena);
    return status;
}

static basin_status assign(const bs_rows *d, const bs_cutting *cut, int max_mb, int32_t *part,
                           basin_error *err)
{
    const basin_split_options *o = cut->o;
    if (!o->groups)
        return bs_split(d, cut->share, cut->parts, NULL, o->seed, part, err);
    int32_t     *group = bs_calloc((size_t)d->rows + 1, sizeof *group);
    basin_status status =
        group ? read_groups(o->groups, max_mb, d->rows, group, err) : bs_fail_nomem(err);
    if (!status)
        status = bs_split(d, cut->share, cut->parts, group, o->seed, part, err);
    bs_free(group);
    return status;
}

static basin_status split(const bs_data_args *g, const bs_cutting *cut, bs_notes *notes,
                          bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_notes reading; /* not printed: they concern the whole file */
    bs_rows *d = NULL;
    if (cut->o->documents)
        return bs_fail(err, BASIN_EARG, "--documents: is for sentences; --groups FILE is for rows");
    bs_notes_init(&reading);
    basin_status s = read_all(g, true, &reading, &d, err);
    int32_t     *part = s ? NULL : bs_calloc((size_t)d->rows + 1, sizeof *part);
    if (!s && !part)
        s = bs_fail_nomem(err);
    if (!s)
        s = assign(d, cut, g->settings->read.max_mb, part, err);
    if (!s) {
        const char  *usual = bs_writer_find(d->format) ? d->format : "csv";
        const bool   lines = has_lines(g, cut, d, &reading, notes);
        const source from = {d, lines, part, cut->o->format ? cut->o->format : usual};
        s = write_parts(&from, cut, notes, table, json, err);
    }
    bs_free(part);
    bs_rows_free(d);
    bs_notes_free(&reading);
    return s;
}

/* ---- make ---- */

static void make_text(const bs_rows *d, const bs_make_mlc_truth *t, const char *path, bs_buf *table,
                      bs_buf *json)
{
    bs_buf_visible(table, path);
    bs_buf_printf(table,
                  ": %d rows, %d %s, %d labels\n"
                  "best possible example F1 %.2f; labels on their own %.2f "
                  "(without using each other %.2f)\n"
                  "best possible subset accuracy %.2f; labels on their own %.2f\n",
                  (int)d->rows, d->document ? (int)t->words : (int)d->schema.n_features,
                  d->document ? "words" : "features", (int)d->schema.n_labels, 100 * t->best,
                  100 * t->marginal, 100 * t->local, 100 * t->subset, 100 * t->subset_marginal);
    bs_data_next(path, table);
    bs_json_open(json, NULL, '{');
    bs_json_members(json,
                    "file %s rows %d features %d labels %d best_example_f1 %.6f "
                    "marginal_example_f1 %.6f local_example_f1 %.6f best_subset_accuracy %.6f "
                    "marginal_subset_accuracy %.6f",
                    path, d->rows, d->schema.n_features, d->schema.n_labels, t->best, t->marginal,
                    t->local, t->subset, t->subset_marginal);
    bs_json_close(json, '}');
}

static basin_status make(const char *options, int seed, const char *out, const char *format,
                         bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_make_mlc_options o;
    bs_make_mlc_truth   truth;
    bs_rows            *d = NULL;
    basin_status        s = bs_make_options(bs_make_mlc_rows, &o, options, err);
    o.seed = seed;
    if (!s)
        s = bs_make_mlc(&o, &d, &truth, err);
    if (!s)
        s = bs_rows_write(d, out, format, notes, err);
    if (!s)
        make_text(d, &truth, out, table, json);
    bs_rows_free(d);
    return s;
}

const bs_task_inspect bs_task_inspect_mlc = {
    .inspect = inspect,
    .convert = convert,
    .split = split,
    .describe = describe_part,
    .make = make,
    .also = "text",
    .options = "text=yes ",
};
