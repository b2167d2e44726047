/* write.c -- writes predicted label sets as text or numbers, in several formats. */
#include <string.h>

#include "api/predict.h"
#include "task/mlc/keep.h"
#include "task/mlc/data.h"

typedef struct format format;

typedef struct {
    const bs_model_file *m;
    const bs_schema     *schema; /* of the model */
    const uint8_t       *set;    /* of the row, if it was decided without scores; or NULL */
    const format        *format;
    bs_target           *out;
    bool                 scores, safe, all; /* all: probabilities of all labels */
    bool                 keeps;             /* the input's columns come before the predictions */
    bs_input_columns     kept;
    bs_threshold         cut; /* borrows per_label from the model, or is a fixed one */
    int32_t             *on;  /* [labels] */
    bs_buf               line;
    int64_t              row;
    bool                 bare, counted; /* rows without names; names that are whole numbers */
    const float         *energy;        /* of the row, with --energy; else NULL */
} writer;

/* A format of predictions. To add one: functions and a row of the table below. */
struct format {
    const char *name;
    const char *delimiter; /* of tables, else NULL */
    void (*begin)(writer *w, int64_t rows);
    void (*row)(writer *w, const char *id, const float *scores);
};

static int32_t decide(writer *w, const float *scores)
{
    int32_t n = 0;
    if (!w->set)
        return bs_threshold_apply(&w->cut, scores, w->schema->n_labels, w->on);
    for (int32_t i = 0; i < w->schema->n_labels; i++)
        if (w->set[i])
            w->on[n++] = i;
    return n;
}

static basin_status flush(writer *w, basin_error *err)
{
    if (w->line.failed)
        return bs_fail_nomem(err);
    basin_status s =
        w->line.data ? bs_target_put(w->out, w->line.data, w->line.len, err) : BASIN_OK;
    bs_buf_clear(&w->line);
    return s;
}

/* ---- jsonl ---- */

static void by_score(const float *scores, int32_t *on, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        int32_t x = on[i], k = i;
        for (; k > 0 && scores[on[k - 1]] < scores[x]; k--)
            on[k] = on[k - 1];
        on[k] = x;
    }
}

static void jsonl_probabilities(writer *w, const float *scores)
{
    bs_json_open(&w->line, "probabilities", '{');
    for (int32_t i = 0; i < w->schema->n_labels; i++)
        bs_json_short(&w->line, w->schema->label[i], 6, (double)scores[i]);
    bs_json_close(&w->line, '}');
}

static void jsonl_row(writer *w, const char *id, const float *scores)
{
    int32_t n = decide(w, scores);
    by_score(scores, w->on, n);
    if (!w->keeps)
        bs_json_open(&w->line, NULL, '{');
    if (id && !w->keeps)
        bs_json_text(&w->line, "id", id);
    bs_json_open(&w->line, w->keeps ? "predicted" : "labels", '[');
    for (int32_t i = 0; i < n; i++)
        bs_json_text(&w->line, NULL, w->schema->label[w->on[i]]);
    bs_json_close(&w->line, ']');
    if (w->scores)
        bs_json_open(&w->line, "scores", '[');
    for (int32_t i = 0; i < n && w->scores; i++)
        bs_json_short(&w->line, NULL, 6, (double)scores[w->on[i]]);
    if (w->scores)
        bs_json_close(&w->line, ']');
    if (w->all)
        jsonl_probabilities(w, scores);
    if (w->energy)
        bs_json_short(&w->line, "energy", 6, (double)*w->energy);
    bs_buf_text(&w->line, "}\n");
}

/* ---- csv, tsv: one column a label ---- */

static const char predicted[] = "predicted_"; /* prefix of names next to others */

static void csv_names(writer *w)
{
    bs_buf name;
    bs_buf_init(&name, (size_t)1 << 28);
    for (int32_t i = 0; i < w->schema->n_labels; i++) {
        bs_buf_clear(&name);
        bs_buf_printf(&name, "%s%s", w->keeps ? predicted : "", w->schema->label[i]);
        w->line.failed = w->line.failed || name.failed;
        bs_buf_text(&w->line, w->format->delimiter);
        if (!name.failed)
            bs_put_cell(name.data, name.len, w->format->delimiter, true, w->safe, &w->line);
    }
    bs_buf_text(&w->line, "\n");
    bs_buf_free(&name);
}

/* Names of kept columns are known once the first rows are. */
static void csv_begin(writer *w, int64_t rows)
{
    (void)rows;
    if (w->keeps)
        return;
    bs_buf_text(&w->line, "row");
    csv_names(w);
}

static void csv_row(writer *w, const char *id, const float *scores)
{
    int32_t n = decide(w, scores), at = 0;
    if (w->keeps)
        ;
    else if (id)
        bs_put_cell(id, strlen(id), w->format->delimiter, true, w->safe, &w->line);
    else
        bs_buf_printf(&w->line, "%lld", (long long)w->row);
    for (int32_t i = 0; i < w->schema->n_labels; i++) {
        bool on = at < n && w->on[at] == i;
        at += on;
        bs_buf_text(&w->line, w->format->delimiter);
        if (w->scores)
            bs_buf_printf(&w->line, "%.6g", (double)scores[i]);
        else
            bs_buf_text(&w->line, on ? "1" : "0");
    }
    bs_buf_text(&w->line, "\n");
}

/* ---- arff: nominal labels, or numbers ---- */

static void quoted(bs_buf *b, const char *text)
{
    bs_buf_text(b, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            bs_buf_printf(b, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            bs_buf_printf(b, "\\u%04x", (unsigned)*text);
        else
            bs_buf_add(b, text, 1);
    }
    bs_buf_text(b, "\"");
}

static void arff_begin(writer *w, int64_t rows)
{
    (void)rows;
    bs_buf_text(&w->line, "@relation predictions\n\n");
    for (int32_t i = 0; i < w->schema->n_labels; i++) {
        bs_buf_text(&w->line, "@attribute ");
        quoted(&w->line, w->schema->label[i]);
        bs_buf_text(&w->line, w->scores ? " numeric\n" : " {0,1}\n");
    }
    bs_buf_text(&w->line, "\n@data\n");
}

static void arff_row(writer *w, const char *id, const float *scores)
{
    int32_t n = decide(w, scores);
    (void)id;
    if (!w->scores) {
        bs_buf_text(&w->line, "{");
        for (int32_t i = 0; i < n; i++)
            bs_buf_printf(&w->line, "%s%d 1", i ? "," : "", (int)w->on[i]);
        bs_buf_text(&w->line, "}\n");
        return;
    }
    for (int32_t i = 0; i < w->schema->n_labels; i++)
        bs_buf_printf(&w->line, "%s%.6g", i ? "," : "", (double)scores[i]);
    bs_buf_text(&w->line, "\n");
}

/* ---- npy: float32 scores, or uint8 decisions, [rows, labels] ---- */

static void npy_begin(writer *w, int64_t rows)
{
    const int64_t dim[] = {rows, w->schema->n_labels};
    bs_npy_header(&w->line, w->scores ? "<f4" : "|u1", dim, 2);
}

static void npy_row(writer *w, const char *id, const float *scores)
{
    const int32_t L = w->schema->n_labels;
    (void)id;
    if (w->scores) {
        bs_buf_add(&w->line, scores, (size_t)L * sizeof *scores);
        return;
    }
    int32_t n = decide(w, scores), at = 0;
    for (int32_t i = 0; i < L; i++) {
        bool on = at < n && w->on[at] == i;
        at += on;
        bs_buf_add(&w->line, on ? "\1" : "\0", 1);
    }
}

static const format formats[] = {{"jsonl", NULL, NULL, jsonl_row},
                                 {"csv", ",", csv_begin, csv_row},
                                 {"tsv", "\t", csv_begin, csv_row},
                                 {"arff", NULL, arff_begin, arff_row},
                                 {"npy", NULL, npy_begin, npy_row}};

static basin_status find_format(const char *name, const format **out, basin_error *err)
{
    *out = &formats[0];
    if (!name || strcmp(name, "auto") == 0)
        return BASIN_OK;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0) {
            *out = &formats[i];
            return BASIN_OK;
        }
    return bs_fail(err, BASIN_EARG, "--format: '%s' is not jsonl, csv, tsv, arff or npy", name);
}

/* ---- rows ---- */

static basin_status choose_cut(writer *w, const basin_predict_options *o, basin_error *err)
{
    basin_status s = bs_model_cut(w->m, o->decide, o->threshold, &w->cut, err);
    if (o->top_k > 0)
        w->cut = bs_threshold_top_k(o->top_k);
    return s;
}

/* Combinations of options in which one would have no effect. */
static basin_status check_pairs(const format *f, const basin_predict_options *o, basin_error *err)
{
    const bool cut = o->threshold && strcmp(o->threshold, "auto") != 0;
    if (o->top_k > 0 && cut)
        return bs_fail(err, BASIN_EARG, "--top-k and --threshold both choose labels; use one");
    if (o->top_k > 0 && o->decide)
        return bs_fail(err, BASIN_EARG, "--top-k and --decide both choose labels; use one");
    if (o->scores && f->row != jsonl_row && (o->top_k > 0 || cut))
        return bs_fail(err, BASIN_EARG,
                       "%s: with --scores, format %s has the scores of all labels; leave out one, "
                       "or use jsonl",
                       cut ? "--threshold" : "--top-k", f->name);
    return BASIN_OK;
}

static basin_status check(bs_model_file *m, const basin_predict_options *o, basin_error *err)
{
    const format *f;
    writer        w = {.m = m};
    basin_status  s = find_format(o->format, &f, err);
    if (!s)
        s = choose_cut(&w, o, err);
    if (!s)
        s = check_pairs(f, o, err);
    if (!s && o->energy && f->row != jsonl_row)
        s = bs_fail(err, BASIN_EARG, "--energy: format %s has no place for it; use jsonl", f->name);
    if (!s && o->probabilities && f->row != jsonl_row)
        s = bs_fail(
            err, BASIN_EARG,
            "--probabilities: is for jsonl; in format %s --scores gives those of all labels",
            f->name);
    if (!s && o->keep_columns && f->row != jsonl_row && !f->delimiter)
        s = bs_fail(err, BASIN_EARG,
                    "--keep-columns: format %s has no place for them; use jsonl, csv or tsv",
                    f->name);
    if (!s && o->csv_safe && !f->delimiter)
        s = bs_fail(err, BASIN_EARG, "--csv-safe: is for tables, not for %s; use --format csv",
                    f->name);
    return s;
}

static void end(void *given)
{
    writer *w = given;
    bs_input_columns_free(&w->kept);
    bs_free(w->on);
    bs_buf_free(&w->line);
    bs_free(w);
}

/* rows: the total number, or -1: unknown. */
static basin_status open_writer(const bs_model_file *m, const basin_predict_options *o,
                                int64_t rows, bs_target *out, writer **made, basin_error *err)
{
    writer *w = bs_calloc(1, sizeof *w);
    *made = NULL;
    if (!w)
        return bs_fail_nomem(err);
    *w = (writer){.m = m,
                  .schema = bs_schema_mlc(&m->known),
                  .out = out,
                  .scores = o->scores,
                  .safe = o->csv_safe,
                  .all = o->probabilities,
                  .keeps = o->keep_columns};
    bs_buf_init(&w->line, (size_t)1 << 30);
    basin_status s = find_format(o->format, &w->format, err);
    w->on = bs_calloc((size_t)w->schema->n_labels + 1, sizeof *w->on);
    if (!s)
        s = w->on ? choose_cut(w, o, err) : bs_fail_nomem(err);
    if (!s && w->format->begin)
        w->format->begin(w, rows);
    if (s)
        end(w);
    else
        *made = w;
    return s;
}

static basin_status begin(const bs_model_file *m, const basin_predict_options *o, bs_target *out,
                          void **made, basin_error *err)
{
    const format *f;
    writer       *w = NULL;
    basin_status  s = find_format(o->format, &f, err);
    *made = NULL;
    if (!s && f->begin != npy_begin)
        s = open_writer(m, o, -1, out, &w, err);
    *made = w;
    return s;
}

/* The name of a row in its file, or NULL; numbers given by the reader restart in every file. */
static const char *name_of(const bs_rows *d, int32_t row)
{
    return d->row_id && !(d->numbered && d->numbered[row]) ? d->row_id[row] : NULL;
}

/* A row without a name is called by its number, which must not be another row's name. */
static basin_status check_name(writer *w, const char *id, basin_error *err)
{
    if (w->keeps)
        return BASIN_OK;
    w->bare |= !id;
    w->counted |= id && *id && id[strspn(id, "0123456789")] == '\0';
    if (w->format->row != csv_row || !w->bare || !w->counted)
        return BASIN_OK;
    return bs_fail(
        err, BASIN_EDATA,
        "row %lld: some rows are named by a number and others have no name, so that rows "
        "cannot be told apart; name all of them or none, or use --format jsonl",
        (long long)w->row + 1);
}

/* The first rows are read: writes the names of all columns of a table. */
static basin_status begin_kept(writer *w, const bs_rows *d, basin_error *err)
{
    const bool   first = !w->kept.begun;
    basin_status s = bs_input_columns_begin(&w->kept, d, w->row + 1, err);
    if (s || !first || !w->kept.begun || !w->format->delimiter)
        return s;
    if (!w->kept.table)
        return bs_fail(err, BASIN_EARG,
                       "--keep-columns: rows of JSON may be of any shape, which %s has no place "
                       "for; use --format jsonl",
                       w->format->name);
    for (int32_t i = 0; !s && i < w->schema->n_labels; i++) {
        char name[128];
        bs_print(name, sizeof name, "%s%.100s", predicted, w->schema->label[i]);
        s = bs_input_columns_refuse(&w->kept, name, err);
    }
    if (!s) {
        bs_input_columns_head(&w->kept, w->format->delimiter, w->safe, &w->line);
        csv_names(w);
    }
    return s;
}

static basin_status keep_row(writer *w, const bs_rows *d, int32_t row, basin_error *err)
{
    static const char *const taken[] = {"predicted", "scores", "probabilities", "energy", NULL};
    if (!w->keeps)
        return BASIN_OK;
    if (w->format->delimiter)
        return bs_input_columns_cells(&w->kept, d, row, w->format->delimiter, w->safe, &w->line,
                                      err);
    bs_buf_text(&w->line, "{");
    return bs_input_columns_members(&w->kept, d, row, w->row + 1, taken, &w->line, err);
}

static basin_status write_rows(void *given, const bs_dataset *data, const bs_outputs *y,
                               basin_error *err)
{
    writer      *w = given;
    const size_t L = (size_t)w->schema->n_labels;
    basin_status s = w->keeps ? begin_kept(w, bs_dataset_mlc(data), err) : BASIN_OK;
    for (int32_t i = 0; i < data->rows && !s; i++, w->row++) {
        w->energy = y->energy ? &y->energy[i] : NULL;
        w->set = w->cut.by != BS_DECIDE_THRESHOLD && y->on ? y->on + (size_t)i * L : NULL;
        const char *id = name_of(bs_dataset_mlc(data), i);
        s = check_name(w, id, err);
        if (!s)
            s = keep_row(w, bs_dataset_mlc(data), i, err);
        w->format->row(w, id, y->scores + (size_t)i * L);
        if (!s && w->line.len > 1 << 16)
            s = flush(w, err);
    }
    return s ? s : flush(w, err);
}

static basin_status write_all(const bs_model_file *m, const basin_predict_options *o,
                              const bs_dataset *data, const bs_outputs *y, bs_target *out,
                              basin_error *err)
{
    writer      *w;
    basin_status s = open_writer(m, o, data->rows, out, &w, err);
    if (s)
        return s;
    s = write_rows(w, data, y, err);
    end(w);
    return s;
}

const bs_task_write bs_task_write_mlc = {
    .check = check,
    .write = write_all,
    .begin = begin,
    .rows = write_rows,
    .end = end,
    .lines = true,
};
