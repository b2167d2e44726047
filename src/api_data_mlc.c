/* api_data_mlc.c -- basin_data_* for rows with label sets. */
#include <stdio.h>
#include <string.h>

#include "api_data.h"
#include "base/io.h"
#include "data/make_mlc.h"
#include "data/names.h"
#include "data/write.h"

static basin_status read_all(const bs_given *g, bs_notes *notes, bs_dataset **out, basin_error *err)
{
    *out = NULL;
    return bs_dataset_read(g->file, g->n, &g->settings->read, out, notes, err);
}

/* ---- inspect ---- */

static void print_inputs(const bs_dataset *d, const bs_summary *s, bs_buf *out)
{
    bs_buf_printf(out, "format   %s, %s, %d rows\n", d->format,
                  d->schema.dense ? "dense" : "sparse", (int)d->rows);
    bs_buf_printf(out, "inputs   %d features", (int)s->features);
    if (d->source.numeric || d->source.binary || d->source.nominal)
        bs_buf_printf(out, " from %d columns (%d numeric, %d binary, %d nominal, %d left out)",
                      (int)d->source.attributes, (int)d->source.numeric, (int)d->source.binary,
                      (int)(d->source.nominal - d->source.binary), (int)d->source.skipped);
    bs_buf_printf(out, ", density %.2f %%\n", 100 * s->density);
    bs_buf_printf(out, "labels   %d%s%s, cardinality %.2f, distinct sets %d\n", (int)s->labels,
                  *d->source.labels_from ? " from " : "", d->source.labels_from, s->cardinality,
                  (int)s->label_sets);
}

static void print_checks(const bs_dataset *d, const bs_summary *s, bs_buf *out)
{
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
        bs_buf_printf(out, "; rarest '%.40s' %d rows, commonest '%.40s' %d",
                      d->schema.label[s->rarest], (int)s->rarest_rows,
                      d->schema.label[s->commonest], (int)s->commonest_rows);
    bs_buf_text(out, "\n");
}

static void print_json(const bs_dataset *d, const bs_summary *s, const bs_notes *notes, bs_buf *out)
{
    bs_buf_printf(out,
                  "{\"format\": \"%s\", \"dense\": %s, \"rows\": %d, \"features\": %d, "
                  "\"labels\": %d, \"cardinality\": %.6f, \"density\": %.6f, "
                  "\"label_sets\": %d, \"rows_unlabelled\": %d, \"duplicates\": %d, "
                  "\"contradictions\": %d, \"features_constant\": %d, \"missing\": %lld, "
                  "\"labels_never\": %d, \"hash\": \"%016llx\", \"notes\": [",
                  d->format, d->schema.dense ? "true" : "false", (int)d->rows, (int)s->features,
                  (int)s->labels, s->cardinality, s->density, (int)s->label_sets,
                  (int)s->rows_unlabelled, (int)s->duplicates, (int)s->contradictions,
                  (int)s->features_constant, (long long)s->missing, (int)s->labels_never,
                  (unsigned long long)d->hash);
    for (size_t i = 0; i < notes->n; i++)
        bs_buf_printf(out, "%s\"%s\"", i ? ", " : "", notes->note[i].tag);
    bs_buf_text(out, "]}");
}

/* What would spoil a training, as one sentence; NULL = nothing. */
static const char *problem(const bs_summary *s)
{
    if (s->rows == 0)
        return "there are no rows";
    if (s->labels == 0)
        return "there are no labels; --labels says which columns they are";
    if (s->features == 0)
        return "there are no features";
    if (s->labels_never == s->labels)
        return "no label is ever on";
    return NULL;
}

static basin_status inspect(const bs_given *g, bool check, bs_buf *table, bs_buf *json,
                            basin_error *err)
{
    bs_notes    notes;
    bs_dataset *d = NULL;
    bs_summary  s;
    const char *labels = g->settings->read.labels;
    bs_notes_init(&notes);
    basin_status status = read_all(g, &notes, &d, err);
    if (!status)
        status = bs_dataset_summary(d, &s, err);
    if (!status && check && problem(&s))
        status = bs_fail(err, BASIN_EDATA, "%s: %s", g->file[0], problem(&s));
    if (!status) {
        print_inputs(d, &s, table);
        print_checks(d, &s, table);
        for (size_t i = 0; i < notes.n; i++)
            bs_buf_printf(table, "note     %s\n", notes.note[i].text);
        bs_buf_printf(table, "next     basin train %s%s%s\n", g->file[0],
                      *labels ? " --labels " : "", labels);
        print_json(d, &s, &notes, json);
    }
    bs_dataset_free(d);
    bs_notes_free(&notes);
    return status;
}

static basin_status describe_part(const bs_part *part, const bs_part *train, bs_buf *table,
                                  basin_error *err)
{
    bs_summary   s;
    basin_status status = bs_dataset_summary(part->mlc, &s, err);
    (void)train;
    if (status)
        return status;
    print_inputs(part->mlc, &s, table);
    print_checks(part->mlc, &s, table);
    return BASIN_OK;
}

static basin_status convert(const bs_given *g, const char *out, const char *format, bs_notes *notes,
                            basin_error *err)
{
    bs_dataset  *d = NULL;
    basin_status s = read_all(g, notes, &d, err);
    if (!s)
        s = bs_dataset_write(d, out, format, notes, err);
    bs_dataset_free(d);
    return s;
}

/* ---- split ---- */

static void balance_row(const bs_dataset *d, const char *path, const bs_split_part *p, bs_buf *out)
{
    bs_buf_printf(out, "%-40.40s %8d %10.2f %10.2f %8d  %.30s\n", path, (int)p->rows,
                  100 * p->label_error, 100 * p->worst_error, (int)p->labels_absent,
                  p->worst_label >= 0 ? d->schema.label[p->worst_label] : "-");
}

static basin_status write_part(const bs_dataset *d, const int32_t *part, int i, const char *path,
                               const char *format, bs_notes *notes, int32_t *n, basin_error *err)
{
    int32_t     *rows = NULL;
    bs_dataset  *piece = NULL;
    basin_status s = bs_split_rows(part, d->rows, i, &rows, n, err);
    if (!s)
        s = bs_dataset_select(d, rows, *n, &piece, err);
    if (!s)
        s = bs_dataset_write(piece, path, format, notes, err);
    bs_dataset_free(piece);
    bs_free(rows);
    return s;
}

static basin_status write_parts(const bs_dataset *d, const int32_t *part, const bs_cutting *cut,
                                bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err)
{
    const char       *format = cut->o->format ? cut->o->format : d->format;
    bs_split_balance *balance = bs_calloc(1, sizeof *balance);
    const bs_writer  *writer = bs_writer_find(format);
    basin_status      s = balance ? BASIN_OK : bs_fail_nomem(err);
    char              extension[32] = "", path[BS_OPTION_TEXT];
    if (writer)
        snprintf(extension, sizeof extension, "%.*s", (int)strcspn(writer->extensions, " "),
                 writer->extensions);
    if (!s)
        s = bs_split_measure(d, cut->share, cut->parts, part, balance, err);
    bs_buf_printf(table, "%-40s %8s %10s %10s %8s  %s\n", "part", "rows", "mean off%", "worst off%",
                  "absent", "worst label");
    bs_buf_text(json, "{\"parts\": [");
    for (int i = 0; i < cut->parts && !s; i++) {
        int32_t n = 0;
        bs_part_path(cut, i, extension, path);
        s = write_part(d, part, i, path, format, notes, &n, err);
        if (s)
            break;
        balance_row(d, path, &balance->part[i], table);
        bs_buf_printf(json, "%s{\"file\": \"%s\", \"rows\": %d}", i ? ", " : "", path, (int)n);
    }
    bs_buf_text(json, "]}");
    if (!s && balance->crossing > 0)
        bs_buf_printf(table, "%d rows are equal to a row in another part\n",
                      (int)balance->crossing);
    bs_free(balance);
    if (s) /* parts that were written before do not make a table */
        bs_buf_clear(table);
    return s;
}

/* One name a line to one number a row; as many lines as rows. */
static basin_status read_groups(const char *path, int32_t rows, int32_t *group, basin_error *err)
{
    bs_arena  arena;
    bs_names  names;
    bs_input *in;
    bs_line   line;
    bool      more = true, fresh;
    int32_t   n = 0;
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    basin_status status = bs_input_open(path, &in, err);
    while (!status && more) {
        status = bs_input_line(in, 1 << 16, &line, &more, err);
        if (status || !more)
            break;
        if (n < rows && (group[n] = bs_names_add(&names, line.text, line.len, &fresh)) < 0)
            status = bs_fail_nomem(err);
        n++;
    }
    if (!status && n != rows)
        status =
            bs_fail(err, BASIN_EDATA, "%s: %d lines for %d rows; one group name a row is needed",
                    path, (int)n, (int)rows);
    bs_input_close(in);
    bs_names_free(&names);
    bs_arena_free(&arena);
    return status;
}

static basin_status assign(const bs_dataset *d, const bs_cutting *cut, int32_t *part,
                           basin_error *err)
{
    const basin_split_options *o = cut->o;
    if (!o->groups)
        return bs_split(d, cut->share, cut->parts, NULL, o->seed, part, err);
    int32_t     *group = bs_calloc((size_t)d->rows + 1, sizeof *group);
    basin_status status = group ? read_groups(o->groups, d->rows, group, err) : bs_fail_nomem(err);
    if (!status)
        status = bs_split(d, cut->share, cut->parts, group, o->seed, part, err);
    bs_free(group);
    return status;
}

static basin_status split(const bs_given *g, const bs_cutting *cut, bs_notes *notes, bs_buf *table,
                          bs_buf *json, basin_error *err)
{
    bs_notes    reading; /* not said: they are about the whole file */
    bs_dataset *d = NULL;
    if (cut->o->documents)
        return bs_fail(err, BASIN_EARG, "--documents: is for sentences; --groups FILE is for rows");
    bs_notes_init(&reading);
    basin_status s = read_all(g, &reading, &d, err);
    int32_t     *part = s ? NULL : bs_calloc((size_t)d->rows + 1, sizeof *part);
    if (!s && !part)
        s = bs_fail_nomem(err);
    if (!s)
        s = assign(d, cut, part, err);
    if (!s)
        s = write_parts(d, part, cut, notes, table, json, err);
    bs_free(part);
    bs_dataset_free(d);
    bs_notes_free(&reading);
    return s;
}

/* ---- make ---- */

static void make_text(const bs_dataset *d, const bs_make_mlc_truth *t, const char *path,
                      bs_buf *table, bs_buf *json)
{
    bs_buf_printf(table,
                  "%s: %d rows, %d features, %d labels\n"
                  "best possible example F1 %.2f; labels on their own %.2f "
                  "(without using each other %.2f)\n"
                  "next     basin train %s\n",
                  path, (int)d->rows, (int)d->schema.n_features, (int)d->schema.n_labels,
                  100 * t->best, 100 * t->marginal, 100 * t->local, path);
    bs_buf_printf(json,
                  "{\"file\": \"%s\", \"rows\": %d, \"features\": %d, \"labels\": %d, "
                  "\"best_example_f1\": %.6f, \"marginal_example_f1\": %.6f, "
                  "\"local_example_f1\": %.6f}",
                  path, (int)d->rows, (int)d->schema.n_features, (int)d->schema.n_labels, t->best,
                  t->marginal, t->local);
}

static basin_status make(const char *options, int seed, const char *out, const char *format,
                         bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_make_mlc_options o;
    bs_make_mlc_truth   truth;
    bs_dataset         *d = NULL;
    basin_status        s = bs_make_options(bs_make_mlc_rows, &o, options, err);
    o.seed = seed;
    if (!s)
        s = bs_make_mlc(&o, &d, &truth, err);
    if (!s)
        s = bs_dataset_write(d, out, format, notes, err);
    if (!s)
        make_text(d, &truth, out, table, json);
    bs_dataset_free(d);
    return s;
}

const bs_handling bs_handling_mlc = {"mlc", inspect, convert, split, describe_part, make};
