/* api_data.c -- basin_data_*: looking at data, converting, splitting. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "base/io.h"
#include "data/make_mlc.h"
#include "data/names.h"
#include "data/split.h"
#include "data/write.h"

static basin_status read_all(const basin_config *c, const char *const *files, int n,
                             bs_notes *notes, bs_dataset **out, basin_error *err)
{
    *out = NULL;
    if (n < 1)
        return bs_fail(err, BASIN_EARG, "no data given");
    return bs_dataset_read(files, n, &c->settings.read, out, notes, err);
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

basin_status basin_data_inspect(const basin_config *c, const char *const *files, int n, int check,
                                const basin_session *session, basin_text *out, basin_error *err)
{
    bs_buf      table, json;
    bs_notes    notes;
    bs_dataset *d = NULL;
    bs_summary  s;
    (void)session;
    *out = (basin_text){NULL, NULL};
    bs_notes_init(&notes);
    bs_buf_init(&table, 1 << 24);
    bs_buf_init(&json, 1 << 24);
    basin_status status = read_all(c, files, n, &notes, &d, err);
    if (!status)
        status = bs_dataset_summary(d, &s, err);
    if (!status && check && problem(&s))
        status = bs_fail(err, BASIN_EDATA, "%s: %s", files[0], problem(&s));
    if (!status) {
        print_inputs(d, &s, &table);
        print_checks(d, &s, &table);
        for (size_t i = 0; i < notes.n; i++)
            bs_buf_printf(&table, "note     %s\n", notes.note[i].text);
        bs_buf_printf(&table, "next     basin train %s%s%s\n", files[0],
                      *c->settings.read.labels ? " --labels " : "", c->settings.read.labels);
        print_json(d, &s, &notes, &json);
    }
    bs_dataset_free(d);
    bs_notes_free(&notes);
    if (!status)
        return bs_text_take(&table, &json, out, err);
    bs_buf_free(&table);
    bs_buf_free(&json);
    return status;
}

/* ---- convert ---- */

static void say_notes(const basin_session *session, const bs_notes *notes)
{
    bs_logger log = bs_session_log(session);
    for (size_t i = 0; i < notes->n; i++)
        bs_log_say(&log, BS_INFO, "%s", notes->note[i].text);
}

basin_status basin_data_convert(const basin_config *c, const char *const *files, int n,
                                const char *out, const char *format, const basin_session *session,
                                basin_error *err)
{
    bs_notes    notes;
    bs_dataset *d = NULL;
    bs_notes_init(&notes);
    basin_status status = read_all(c, files, n, &notes, &d, err);
    if (!status)
        status = bs_dataset_write(d, out, format, &notes, err);
    if (!status)
        say_notes(session, &notes);
    bs_dataset_free(d);
    bs_notes_free(&notes);
    return status;
}

/* ---- split ---- */

/* "60,20,20" to numbers; how many, or 0 with a message. */
static int parse_shares(const char *text, double share[BS_MOST_PARTS], basin_error *err)
{
    int n = 0;
    for (const char *at = text; n < BS_MOST_PARTS;) {
        char   one[32];
        size_t len = strcspn(at, ",");
        snprintf(one, sizeof one, "%.*s", (int)(len < 31 ? len : 31), at);
        if (!bs_parse_double(one, &share[n]) || share[n] <= 0) {
            bs_fail(err, BASIN_EARG,
                    "--shares: '%s' is not a list of positive numbers such as "
                    "60,20,20",
                    text);
            return 0;
        }
        n++;
        at += len;
        if (!*at)
            break;
        at++;
    }
    if (n < 2)
        bs_fail(err, BASIN_EARG, "--shares: '%s' gives one part; two or more are needed", text);
    return n < 2 ? 0 : n;
}

/* PREFIX-NAME.EXT; NAME from the list, or train, valid, test, or a number. */
static void part_path(const char *prefix, const char *names, int i, int parts,
                      const char *extension, char out[BS_OPTION_TEXT])
{
    static const char *const usual[] = {"train", "valid", "test"};
    char                     name[64];
    snprintf(name, sizeof name, "%d", i + 1);
    if (parts <= 3)
        snprintf(name, sizeof name, "%s", parts == 2 && i == 1 ? "test" : usual[i]);
    const char *at = names;
    for (int k = 0; at && k < i; k++) {
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    if (at && *at)
        snprintf(name, sizeof name, "%.*s", (int)(strcspn(at, ",") < 63 ? strcspn(at, ",") : 63),
                 at);
    snprintf(out, BS_OPTION_TEXT, "%.700s-%s%s", prefix, name, extension);
}

static void balance_row(const bs_dataset *d, const char *path, const bs_split_part *p, bs_buf *out)
{
    bs_buf_printf(out, "%-40.40s %8d %10.2f %10.2f %8d  %.30s\n", path, (int)p->rows,
                  100 * p->label_error, 100 * p->worst_error, (int)p->labels_absent,
                  p->worst_label >= 0 ? d->schema.label[p->worst_label] : "-");
}

static basin_status write_parts(const bs_dataset *d, const int32_t *part, const double *share,
                                int parts, const char *names, const char *prefix,
                                const char *format, const basin_session *session, bs_buf *table,
                                bs_buf *json, basin_error *err)
{
    bs_split_balance *balance = bs_calloc(1, sizeof *balance);
    const bs_writer  *writer = bs_writer_find(format);
    basin_status      status = balance ? BASIN_OK : bs_fail_nomem(err);
    char              extension[32] = "", path[BS_OPTION_TEXT];
    if (writer)
        snprintf(extension, sizeof extension, "%.*s", (int)strcspn(writer->extensions, " "),
                 writer->extensions);
    if (!status)
        status = bs_split_measure(d, share, parts, part, balance, err);
    bs_buf_printf(table, "%-40s %8s %10s %10s %8s  %s\n", "part", "rows", "mean off%", "worst off%",
                  "absent", "worst label");
    bs_buf_text(json, "{\"parts\": [");
    for (int i = 0; i < parts && !status; i++) {
        int32_t    *rows = NULL, n;
        bs_dataset *piece = NULL;
        bs_notes    notes;
        bs_notes_init(&notes);
        part_path(prefix, names, i, parts, extension, path);
        status = bs_split_rows(part, d->rows, i, &rows, &n, err);
        if (!status)
            status = bs_dataset_select(d, rows, n, &piece, err);
        if (!status)
            status = bs_dataset_write(piece, path, format, &notes, err);
        if (!status) {
            say_notes(session, &notes);
            balance_row(d, path, &balance->part[i], table);
            bs_buf_printf(json, "%s{\"file\": \"%s\", \"rows\": %d}", i ? ", " : "", path, (int)n);
        }
        bs_notes_free(&notes);
        bs_dataset_free(piece);
        bs_free(rows);
    }
    bs_buf_text(json, "]}");
    if (!status && balance->crossing > 0)
        bs_buf_printf(table, "%d rows are equal to a row in another part\n",
                      (int)balance->crossing);
    bs_free(balance);
    return status;
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

static basin_status assign(const bs_dataset *d, const basin_split_options *o, const double *share,
                           int parts, int32_t *part, basin_error *err)
{
    if (!o->groups)
        return bs_split(d, share, parts, NULL, o->seed, part, err);
    int32_t     *group = bs_calloc((size_t)d->rows + 1, sizeof *group);
    basin_status status = group ? read_groups(o->groups, d->rows, group, err) : bs_fail_nomem(err);
    if (!status)
        status = bs_split(d, share, parts, group, o->seed, part, err);
    bs_free(group);
    return status;
}

basin_status basin_data_split(const basin_config *c, const char *const *files, int n,
                              const char *out_prefix, const basin_split_options *o,
                              const basin_session *session, basin_text *out, basin_error *err)
{
    basin_split_options none = {0};
    bs_buf              table, json;
    bs_notes            notes;
    bs_dataset         *d = NULL;
    double              share[BS_MOST_PARTS];
    o = o ? o : &none;
    int parts = parse_shares(o->shares ? o->shares : "60,20,20", share, err);
    *out = (basin_text){NULL, NULL};
    if (!parts)
        return BASIN_EARG;
    bs_notes_init(&notes);
    bs_buf_init(&table, 1 << 24);
    bs_buf_init(&json, 1 << 24);
    basin_status status = read_all(c, files, n, &notes, &d, err);
    int32_t     *part = status ? NULL : bs_calloc((size_t)d->rows + 1, sizeof *part);
    if (!status && !part)
        status = bs_fail_nomem(err);
    if (!status)
        status = assign(d, o, share, parts, part, err);
    if (!status)
        status = write_parts(d, part, share, parts, o->names, out_prefix,
                             o->format ? o->format : d->format, session, &table, &json, err);
    bs_free(part);
    bs_dataset_free(d);
    bs_notes_free(&notes);
    if (!status)
        return bs_text_take(&table, &json, out, err);
    bs_buf_free(&table);
    bs_buf_free(&json);
    return status;
}

/* ---- make ---- */

static basin_status make_options(const char *words, bs_make_mlc_options *o, basin_error *err)
{
    basin_status status = bs_options_default(bs_make_mlc_rows, o, err);
    for (const char *at = words; !status && *at;) {
        char   pair[256];
        size_t n = strcspn(at, " ");
        snprintf(pair, sizeof pair, "%.*s", (int)(n < 255 ? n : 255), at);
        char *equals = strchr(pair, '=');
        if (n > 0 && !equals)
            status = bs_fail(err, BASIN_EARG, "make: '%s' is not KEY=VALUE", pair);
        else if (n > 0) {
            *equals = '\0';
            status = bs_options_set(bs_make_mlc_rows, o, pair, equals + 1, "make", err);
        }
        at += n;
        at += *at == ' ';
    }
    return status;
}

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

basin_status basin_data_make(const char *kind, const char *options, uint64_t seed, const char *out,
                             const char *format, const basin_session *session, basin_text *text,
                             basin_error *err)
{
    bs_make_mlc_options o;
    bs_make_mlc_truth   truth;
    bs_dataset         *d = NULL;
    bs_notes            notes;
    bs_buf              table, json;
    *text = (basin_text){NULL, NULL};
    if (strcmp(kind, "mlc") != 0)
        return bs_fail(err, BASIN_EARG, "make: '%s' is not a kind of data that can be made: mlc",
                       kind);
    if (!out)
        return bs_fail(err, BASIN_EARG, "make: needs -o FILE");
    if (seed > INT32_MAX)
        return bs_fail(err, BASIN_EARG, "--seed: at most %d", INT32_MAX);
    bs_notes_init(&notes);
    bs_buf_init(&table, 1 << 20);
    bs_buf_init(&json, 1 << 20);
    basin_status status = make_options(options ? options : "", &o, err);
    o.seed = (int)seed;
    if (!status)
        status = bs_make_mlc(&o, &d, &truth, err);
    if (!status)
        status = bs_dataset_write(d, out, format, &notes, err);
    if (!status) {
        say_notes(session, &notes);
        make_text(d, &truth, out, &table, &json);
    }
    bs_dataset_free(d);
    bs_notes_free(&notes);
    if (!status)
        return bs_text_take(&table, &json, text, err);
    bs_buf_free(&table);
    bs_buf_free(&json);
    return status;
}
