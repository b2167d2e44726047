/* data.c -- multi-label data: rows of features and sets of labels. */
#include "task/mlc/data.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/tree.h"

#include "data/rows/csv.h"
#include "data/split.h"
#include "run/from.h"
#include "task/weights.h"

/* ---- files ---- */

static int sniff(const char *path, const char *head, size_t n)
{
    int best = 1; /* nothing better fits, and the reader's message says more than ours */
    if (head && bs_is_sheet(head, n))
        return 100; /* not an archive of pictures */
    for (int i = 0; bs_readers[i] && head; i++) {
        int sure = bs_readers[i]->sniff(head, n, path);
        best = sure > best ? sure : best;
    }
    return best;
}

static basin_status take(bs_rows *d, bs_dataset *out)
{
    *out = (bs_dataset){.task = &bs_task_mlc, .rows = d->rows, .hash = d->hash, .own = d};
    return BASIN_OK;
}

bool bs_mlc_is_sparse(const bs_schema *schema)
{
    return !schema->mean && (!schema->dense || schema->binary);
}

static bs_read_options reading_of(const bs_settings *s, const bs_read_request *w)
{
    bs_read_options o = s->read;
    o.like = w->known   ? bs_columns_mlc(w->known)
             : w->first ? &bs_dataset_mlc(w->first)->schema
                        : NULL;
    o.label_free = w->label_free;
    o.keep_text = w->keep_text;
    if (w->known)
        o.drop_unlabelled = false;
    return o;
}

/* Columns known by position cannot be told apart when one of them is absent. */
static bool has_names(const bs_schema *like)
{
    return like->feature && like->n_features > 0 && !bs_csv_headless(like);
}

basin_status bs_mlc_read_texts(const bs_preprocess *k, bs_rows *d, bs_notes *notes,
                               basin_error *err)
{
    const bs_mlc_known *known = bs_preprocess_mlc(k);
    int32_t             unknown;
    if (known->ngrams.n == 0)
        return BASIN_OK; /* nets read them */
    basin_status s =
        bs_ngrams_apply(&known->ngrams, &known->columns, &known->schema, d, &unknown, err);
    if (!s && unknown > 0)
        bs_notes_add(notes, "unknown words", "%d of %d texts have no word that training kept",
                     (int)unknown, (int)d->rows);
    return s;
}

/* Matches what was read to the required schema. Takes d in any case. */
static basin_status adopt(const bs_read_request *w, const bs_schema *like, bs_rows *d,
                          const char *file, bs_notes *notes, bs_dataset *out, basin_error *err)
{
    basin_status status = BASIN_OK;
    if (w->label_free) { /* whatever they are: they are not needed */
        bs_rows_forget_labels(d);
        d->lenient = like && has_names(like) && strcmp(d->format, "npy") != 0;
    } else if (like)
        status = bs_rows_known_labels(like, d, file, notes, err);
    if (!status && like)
        status = bs_rows_match(like, d, file, notes, err);
    if (!status && w->known && bs_preprocess_mlc(w->known)->ngrams.n > 0)
        status = bs_mlc_read_texts(w->known, d, notes, err);
    else if (!status && w->known && bs_mlc_is_sparse(like) && d->n_missing > 0)
        bs_rows_fill(d, like);
    if (!status)
        return take(d, out);
    bs_rows_free(d);
    return status;
}

/* Adds the rows of `more`, which match the same schema. */
static basin_status append(bs_dataset *all, const bs_dataset *more, basin_error *err)
{
    bs_rows     *a = bs_dataset_mlc(all);
    basin_status status = bs_rows_append(a, bs_dataset_mlc(more), err);
    if (!status && !bs_coverage_add(&a->met, &bs_dataset_mlc(more)->met, a->schema.n_features))
        status = bs_fail_nomem(err);
    return status ? status : take(a, all);
}

/* Files are matched to a schema one by one: what the first lacks, the second may have. */
static basin_status read_files(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                               bs_dataset *out, basin_error *err)
{
    const bs_read_options o = reading_of(s, w);
    basin_status          status = BASIN_OK;
    for (int i = 0, used = w->n; i < w->n && !status; i += used) {
        bs_dataset more = {0};
        bs_rows   *d = NULL;
        if (w->given)
            status = bs_rows_from_memory(w->given, &o, &d, notes, err);
        else
            status = o.like ? bs_rows_read_next(w->file + i, w->n - i, &o, &used, &d, notes, err)
                            : bs_rows_read(w->file, w->n, &o, &d, notes, err);
        if (!status)
            status = adopt(w, o.like, d, w->file[i], notes, i ? &more : out, err);
        if (!status && i)
            status = append(out, &more, err);
        bs_dataset_free(&more);
    }
    if (status)
        bs_dataset_free(out);
    return status;
}

/* ---- some rows at a time ---- */

typedef struct {
    bs_stream       base;
    bs_read_request wish;
    bs_read_options o;
    bs_reading     *file;              /* the one being read, or NULL */
    int             next;              /* file */
    char            x[BS_OPTION_TEXT]; /* its name, if labels are in a second file */
    int32_t         rows;
    bs_coverage     met; /* of all rows so far */
} mlc_stream;

/* The Y of "X.csv+Y.csv" is not needed. */
static const char *without_labels(const char *path, char x[BS_OPTION_TEXT])
{
    char y[BS_OPTION_TEXT];
    return bs_pair_path(path, x, y) ? x : path;
}

static basin_status stream_next(bs_stream *base, bs_notes *notes, bs_dataset *out, bool *more,
                                basin_error *err)
{
    mlc_stream  *s = (mlc_stream *)base;
    basin_status status = BASIN_OK;
    bs_rows     *d = NULL;
    *out = (bs_dataset){0};
    *more = false;
    while (!status && !d) {
        if (!s->file && s->next == s->wish.n)
            return BASIN_OK;
        if (!s->file)
            status =
                bs_rows_open(without_labels(s->wish.file[s->next++], s->x), &s->o, &s->file, err);
        if (!status)
            status = bs_rows_next(s->file, s->rows, &d, notes, err);
        if (!status && !d) {
            bs_rows_close(s->file);
            s->file = NULL;
        }
    }
    *more = !status;
    if (!status)
        status = adopt(&s->wish, s->o.like, d, s->wish.file[s->next - 1], notes, out, err);
    if (!status && !bs_coverage_add(&s->met, &bs_dataset_mlc(out)->met, s->o.like->n_features))
        status = bs_fail_nomem(err);
    return status;
}

static void stream_remark(bs_stream *base, bs_logger *log)
{
    const mlc_stream *s = (const mlc_stream *)base;
    bs_mlc_strange(&s->met, s->o.like, true, log);
}

static void stream_free(bs_stream *base)
{
    mlc_stream *s = (mlc_stream *)base;
    bs_rows_close(s->file);
    bs_coverage_free(&s->met);
    bs_free(s);
}

static basin_status stream(const bs_settings *s, const bs_read_request *w, int32_t rows,
                           bs_stream **out, basin_error *err)
{
    mlc_stream *new = bs_calloc(1, sizeof *new);
    *out = NULL;
    if (!new)
        return bs_fail_nomem(err);
    *new = (mlc_stream){.base = {stream_next, stream_remark, stream_free},
                        .wish = *w,
                        .o = reading_of(s, w),
                        .rows = rows};
    *out = &new->base;
    return BASIN_OK;
}

static void remark(const bs_dataset *p, const bs_preprocess *k, bool label_free, bs_logger *log)
{
    bs_mlc_strange(&bs_dataset_mlc(p)->met, bs_columns_mlc(k), label_free, log);
}

static void free_part(bs_dataset *p)
{
    bs_rows_free(bs_dataset_mlc(p));
}

static basin_status split(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err)
{
    return bs_split(bs_dataset_mlc(p), share, parts, NULL, seed, part, err);
}

static basin_status select_rows(const bs_dataset *p, const int32_t *rows, int32_t n,
                                bs_dataset *out, basin_error *err)
{
    bs_rows     *d = NULL;
    basin_status s = bs_rows_select(bs_dataset_mlc(p), rows, n, &d, err);
    return s ? s : take(d, out);
}

/* ---- what a model remembers ---- */

static bool wants_standardising(const bs_settings *s, const bs_schema *schema)
{
    if (strcmp(s->train.standardise, "auto") != 0)
        return strcmp(s->train.standardise, "yes") == 0;
    return schema->dense && !schema->binary;
}

/* ---- going on with a model ---- */

/* 1 is YES in the model and NO in these rows, or a number there and a category here. */
static basin_status check_readings(const bs_schema *was, const bs_schema *is, basin_error *err)
{
    for (int32_t i = 0, hint = 0; is->feature && i < is->n_features; i++) {
        const bs_feature *b = &is->feature[i], *a = bs_schema_attribute(was, b->attribute, &hint);
        const bool        both = a && a->kind == BS_FEATURE_BINARY && b->kind == a->kind;
        if (a && ((a->kind == BS_FEATURE_ONEHOT) != (b->kind == BS_FEATURE_ONEHOT) ||
                  (both && a->value && b->value && strcmp(a->value, b->value) != 0)))
            return bs_fail(err, BASIN_EDATA,
                           "--from: column '%s' is read differently from the model (a number, "
                           "a category, or another value as 1)",
                           b->attribute);
    }
    return BASIN_OK;
}

static basin_status check_numbers(const bs_schema *was, const bs_schema *is, basin_error *err)
{
    if ((was->feature && is->feature) || is->open || was->n_features == is->n_features)
        return BASIN_OK;
    return bs_fail(err, BASIN_EDATA,
                   "--from: the model has %d features and this data %d, and without column names "
                   "it is unknown which are the same",
                   (int)was->n_features, (int)is->n_features);
}

/* Labels are kept, and so are categories of existing columns and, if rows list what they have,
 * features. Other columns that the data lacks are dropped. */
static basin_status widen(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
                          basin_error *err)
{
    bs_rows         *d = bs_dataset_mlc(train);
    const bs_schema *was = bs_columns_mlc(like);
    const bs_rows    other = {.schema = *was, .open_labels = true, .by_name = d->by_name};
    const bool       open = d->open_labels;
    const int32_t    before = d->schema.n_labels, features = d->schema.n_features;
    if (before == 0)
        return BASIN_OK; /* fit decides what to do */
    basin_status s = BASIN_OK;
    if (was->n_texts && !d->document)
        s = bs_fail(err, BASIN_EDATA, "--from: the model reads texts, and these rows have none");
    if (!s)
        s = check_readings(was, &d->schema, err);
    if (!s)
        s = check_numbers(was, &d->schema, err);
    d->open_labels = true;
    if (!s)
        s = bs_rows_widen(d, &other, err);
    d->open_labels = open;
    if (!s && d->by_name)
        d->n_missing += (int64_t)(d->schema.n_features - features) * d->rows;
    if (!s && d->schema.n_labels > before)
        bs_log_say(log, BS_WARN,
                   "--from: %d of the model's labels do not occur in this data, such as '%s': "
                   "they are kept, and every row counts as one without them",
                   (int)(d->schema.n_labels - before), d->schema.label[before]);
    return s;
}

static const char *unit_name(const bs_preprocess *k, int growth, int32_t i, char room[BS_UNIT_NAME])
{
    (void)room;
    if (growth == 1)
        return bs_schema_mlc(k)->label[i];
    return bs_schema_mlc(k)->feature ? bs_schema_mlc(k)->feature[i].name : NULL;
}

/* A table of features: the model's values or, for features that it lacks, those computed here. */
static const float *kept(const float *was, const float *is, const int32_t *from, int32_t n,
                         bs_arena *arena, bool *ok)
{
    float *out = is ? bs_arena_alloc(arena, ((size_t)n + 1) * sizeof *out) : NULL;
    *ok = *ok && (out || !is);
    for (int32_t i = 0; i < n && out; i++)
        out[i] = was && from[i] >= 0 ? was[from[i]] : is[i];
    return out;
}

/* Features that the model knows are scaled as there, so that its parameters keep their meaning. */
static basin_status keep_scales(bs_preprocess *k, basin_error *err)
{
    const bs_schema *was = bs_columns_mlc(k->like);
    bs_schema       *is = bs_columns_mlc(k);
    const int32_t    n = is->n_features;
    int32_t         *from = bs_calloc((size_t)n + 1, sizeof *from);
    bool             ok = true;
    basin_status     s =
        from ? bs_units_relate(k->like, was->n_features, k, n, 0, from, err) : bs_fail_nomem(err);
    if (!s) {
        is->fill = kept(was->fill, is->fill, from, n, &k->arena, &ok);
        is->mean = kept(was->mean, is->mean, from, n, &k->arena, &ok);
        is->scale = kept(was->scale, is->scale, from, n, &k->arena, &ok);
    }
    bs_free(from);
    return s || ok ? s : bs_fail_nomem(err);
}

/* ---- what a model remembers, again ---- */

/* As if every label had been seen half a time more, both on and off. */
static const float *log_odds_of(const bs_rows *train, bs_arena *arena)
{
    const int32_t L = train->schema.n_labels;
    float        *out = bs_arena_alloc(arena, (size_t)L * sizeof *out);
    if (!out)
        return NULL;
    memset(out, 0, (size_t)L * sizeof *out);
    for (int32_t i = 0; i < train->y.start[train->rows]; i++)
        out[train->y.index[i]]++;
    for (int32_t i = 0; i < L; i++)
        out[i] = (float)log((out[i] + 0.5) / ((double)train->rows - (double)out[i] + 0.5));
    return out;
}

static const char *label_name(const void *of, int i)
{
    return ((const bs_schema *)of)->label[i];
}

static basin_status fit_weights(const bs_settings *s, const bs_rows *train, bs_logger *log,
                                bs_preprocess *out, basin_error *err)
{
    const int32_t L = train->schema.n_labels;
    double       *count = bs_calloc((size_t)L, sizeof *count);
    if (!count)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < train->y.start[train->rows]; i++)
        count[train->y.index[i]]++;
    const bs_weighed w = {L, label_name, &train->schema, "label", count, train->rows};
    basin_status     status = bs_weights_fit(&s->train, &w, log, out, err);
    bs_free(count);
    return status;
}

/* The encoder that reads the texts of rows. */
static basin_status fit_encoder(const bs_train_options *o, const bs_rows *train, bs_mlc_known *k,
                                basin_error *err)
{
    if (!train->document)
        return bs_fail(err, BASIN_EDATA,
                       "encoder: these rows have no text; --text-column selects a column");
    basin_status status = bs_mlc_text_open(o, &k->text, err);
    return status ? status : bs_mlc_text_fit(k->text, train, o, err);
}

/* The n-grams of the training texts or, if training continues from a model, that model's. */
static basin_status fit_texts(const bs_settings *s, bs_dataset *part, int n, bs_preprocess *out,
                              basin_error *err)
{
    const bs_train_options *t = &s->train;
    const bs_ngram_options  o = {t->ngram_words, t->ngram_chars, t->ngram_limit, t->ngram_rows};
    const bs_rows          *train = bs_dataset_mlc(&part[0]);
    bs_mlc_known           *k = bs_preprocess_mlc(out);
    basin_status            status = BASIN_OK;
    k->schema = k->columns;
    if (*t->encoder)
        return fit_encoder(t, train, k, err);
    if (out->like && bs_preprocess_mlc(out->like)->text)
        return bs_fail(err, BASIN_EARG,
                       "--from: the model has an encoder; --encoder names its folder");
    if (!train->document)
        return BASIN_OK;
    if (out->like && bs_preprocess_mlc(out->like)->ngrams.n > 0)
        status =
            bs_ngrams_copy(&bs_preprocess_mlc(out->like)->ngrams, &out->arena, &k->ngrams, err);
    else
        status = bs_ngrams_fit(train, &o, &out->arena, &k->ngrams, err);
    if (!status)
        status = bs_ngrams_schema(&k->ngrams, &k->columns, &out->arena, &k->schema, err);
    for (int i = 0; i < n && !status; i++)
        if (bs_dataset_mlc(&part[i]))
            status = bs_mlc_read_texts(out, bs_dataset_mlc(&part[i]), NULL, err);
    return status;
}

static basin_status fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err)
{
    const bs_rows *train = bs_dataset_mlc(&part[0]);
    bs_mlc_known  *k = bs_preprocess_begin(out, &bs_task_mlc, sizeof *k);
    if (!k)
        return bs_fail_nomem(err);
    out->deciding = BS_METRIC_example_f1;
    if (train->schema.n_labels == 0)
        return bs_fail(err, BASIN_EDATA,
                       "the training data has no labels; --labels selects their columns");
    basin_status status = bs_schema_copy(&train->schema, &out->arena, &k->columns, err);
    if (status)
        return status;
    const bs_schema *like = out->like ? bs_columns_mlc(out->like) : NULL;
    bs_schema_judge(train, &k->columns);
    if (like) {
        k->columns.dense = like->dense;
        k->columns.binary = like->binary;
    }
    const bool standardise = like ? like->mean != NULL : wants_standardising(s, &k->columns);
    status = bs_schema_fit(train, standardise, &out->arena, &k->columns, err);
    k->schema = k->columns; /* names for what follows */
    if (!status && like)
        status = keep_scales(out, err);
    if (!status)
        status = fit_texts(s, part, n, out, err);
    if (status)
        return status;
    if (standardise)
        bs_log_say(log, BS_INFO,
                   "features are standardised by the training rows; "
                   "--set standardise=no leaves them as they are");
    for (int i = 0; i < n; i++)
        if (bs_dataset_mlc(&part[i]) && bs_dataset_mlc(&part[i])->n_missing > 0 &&
            bs_mlc_is_sparse(&k->schema))
            bs_rows_fill(bs_dataset_mlc(&part[i]), &k->schema);
    if (!(k->log_odds = log_odds_of(train, &out->arena)))
        return bs_fail_nomem(err);
    if ((status = fit_weights(s, train, log, out, err)))
        return status;
    if (s->train.net_bins == 0 || bs_mlc_is_sparse(&k->schema))
        return BASIN_OK;
    return bs_bins_fit(train, &k->schema, s->train.net_bins, &out->arena, &k->bins, err);
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

/* The label one level above in a hierarchy, where names are paths such as 01/02; -1: none. */
static int32_t parent_of(const bs_schema *s, int32_t label)
{
    const char *slash = strrchr(s->label[label], '/');
    for (int32_t i = 0; i < s->n_labels && slash; i++) {
        const size_t n = (size_t)(slash - s->label[label]);
        if (strncmp(s->label[i], s->label[label], n) == 0 && s->label[i][n] == '\0')
            return i;
    }
    return -1;
}

static bool has_parents(const bs_schema *s)
{
    if (!s->label)
        return true; /* names are not known */
    for (int32_t i = 0; i < s->n_labels; i++)
        if (parent_of(s, i) >= 0)
            return true;
    return false;
}

/* Tables of energy.kind=tree: [i, l] is 1 if i is above l, or beside it. */
static basin_status fill_tree(const bs_segment *at, bs_params *p, const bs_schema *s, bool above,
                              basin_error *err)
{
    const size_t L = (size_t)s->n_labels;
    float       *table = bs_calloc(L * L, sizeof *table);
    int32_t     *parent = bs_calloc(L, sizeof *parent);
    basin_status status = table && parent ? BASIN_OK : bs_fail_nomem(err);
    for (size_t l = 0; l < L && !status; l++)
        parent[l] = parent_of(s, (int32_t)l);
    for (size_t l = 0; l < L && !status; l++)
        for (size_t i = 0; i < L && parent[l] >= 0; i++)
            table[i * L + l] = above ? parent[l] == (int32_t)i : i != l && parent[i] == parent[l];
    if (!status)
        status = bs_params_repeat(p, at, table, (int64_t)(L * L), err);
    bs_free(table);
    bs_free(parent);
    return status;
}

static basin_status fill(const bs_preprocess *k, bs_params *p, const char *prefix, basin_error *err)
{
    const bs_mlc_known *own = bs_preprocess_mlc(k);
    basin_status        status = own->text ? bs_mlc_text_fill(own->text, p, prefix, err) : BASIN_OK;
    for (int i = 0; i < p->n && !status; i++) {
        const bs_segment *s = &p->segment[i];
        if (!bs_params_has_prefix(s->name, prefix))
            continue;
        if (own->log_odds && ends_with(s->name, "/labels/b"))
            status = bs_params_repeat(p, s, own->log_odds, own->schema.n_labels, err);
        else if (own->bins.n > 0 && strcmp(s->name, "bins/scale") == 0)
            status = bs_params_repeat(p, s, own->bins.scale, s->count, err);
        else if (own->bins.n > 0 && strcmp(s->name, "bins/shift") == 0)
            status = bs_params_repeat(p, s, own->bins.shift, s->count, err);
        else if (bs_params_has_prefix(s->name, "energy/tree/") && s->frozen)
            status = fill_tree(s, p, &own->schema, strstr(s->name, "above") != NULL, err);
    }
    return status;
}

static int labels(const bs_preprocess *k)
{
    return bs_schema_mlc(k)->n_labels;
}

static const char *label(const bs_preprocess *k, int i)
{
    return bs_schema_mlc(k)->label[i];
}

static void known_text(const bs_preprocess *k, bs_buf *out)
{
    const bs_mlc_known *own = bs_preprocess_mlc(k);
    if (own->text)
        bs_buf_printf(out, "texts, ");
    if (own->ngrams.n > 0 && own->columns.n_features > 0)
        bs_buf_printf(out, "%d columns and ", (int)own->columns.n_features);
    bs_buf_printf(out, "%d %s, %d labels",
                  (int)(own->ngrams.n > 0 ? own->ngrams.n : own->schema.n_features),
                  own->ngrams.n > 0 ? "n-grams" : "features", (int)own->schema.n_labels);
}

static void known_json(const bs_preprocess *k, bs_buf *out)
{
    const bs_mlc_known *own = bs_preprocess_mlc(k);
    bs_schema_json(&own->columns, out);
    if ((own->ngrams.n == 0 && !own->text) || out->failed)
        return;
    out->len--; /* one more member of the object */
    if (own->text)
        bs_mlc_text_json(own->text, out);
    else
        bs_ngrams_json(&own->ngrams, out);
    bs_json_close(out, '}');
}

static basin_status known_read(const char *json, const char *where, bs_preprocess *out,
                               basin_error *err)
{
    bs_mlc_known *k = bs_preprocess_begin(out, &bs_task_mlc, sizeof *k);
    if (!k)
        return bs_fail_nomem(err);
    out->deciding = BS_METRIC_example_f1;
    basin_status s = bs_schema_from_json(json, strlen(json), where, &out->arena, &k->columns, err);
    k->schema = k->columns;
    json_t *ngrams = NULL, *encoder = NULL, *object = NULL;
    if (!s && k->columns.n_texts) {
        object = bs_tree_read(json, strlen(json), 0, NULL);
        ngrams = json_object_get(object, "ngrams");
        encoder = json_object_get(object, "encoder");
    }
    if (!s && encoder)
        s = bs_mlc_text_from_json(encoder, where, &k->text, err);
    else if (!s && ngrams)
        s = bs_ngrams_from_json(ngrams, where, &out->arena, &k->ngrams, err);
    if (!s && k->ngrams.n > 0)
        s = bs_ngrams_schema(&k->ngrams, &k->columns, &out->arena, &k->schema, err);
    json_decref(object);
    return s;
}

static void known_free(bs_preprocess *k)
{
    bs_mlc_text_free(bs_preprocess_mlc(k)->text);
}

static basin_status make_spec(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                              basin_error *err)
{
    bs_mlc_shape shape = {.features = bs_schema_mlc(k)->n_features,
                          .labels = bs_schema_mlc(k)->n_labels,
                          .sparse = bs_mlc_is_sparse(bs_schema_mlc(k)),
                          .layers = o->net_layers,
                          .width = o->net_width,
                          .dropout = o->net_dropout,
                          .bias = o->net_bias,
                          .members = o->net_members,
                          .bins = bs_mlc_is_sparse(bs_schema_mlc(k)) ? 0 : o->net_bins,
                          .shared = strcmp(o->energy_encoder, "shared") == 0,
                          .hidden = o->energy_hidden,
                          .scale = o->energy_scale,
                          .shift = o->energy_shift,
                          .corrects = strcmp(o->energy_base, "net") == 0};
    const char  *energy = strcmp(o->energy_kind, "auto") == 0 ? "label" : o->energy_kind;
    basin_status s = bs_energy_find(energy, &shape.energy, err);
    if (!s && strcmp(energy, "tree") == 0 && !has_parents(bs_schema_mlc(k)))
        s = bs_fail(err, BASIN_EARG,
                    "energy.kind: tree is for labels with a hierarchy, whose names are paths such "
                    "as 01/02; here no label is below another");
    if (!s)
        s = bs_encoder_find(o->net_kind, BS_READS_ROWS, &shape.net, err);
    if (!s && o->net_members > 1 && !shape.net->members)
        s = bs_fail(err, BASIN_EARG, "net.members: a net.kind of %s has only one", shape.net->name);
    if (!s && o->net_members > 1 && shape.shared)
        s = bs_fail(err, BASIN_EARG,
                    "energy.encoder: a net with members has several of them; use own");
    if (!s && bs_preprocess_mlc(k)->text)
        s = bs_mlc_text_spec(bs_preprocess_mlc(k)->text, o, &shape, err);
    if (!s)
        shape.own = bs_encoder_options(o, shape.net);
    *out = bs_net_spec_make(&bs_task_space_mlc, (bs_size){1, 1, 1}, &shape, sizeof shape);
    return s;
}

/* Attention has one derivative. */
static basin_status check(const bs_train_options *o, basin_error *err)
{
    if (!*o->encoder || strcmp(o->encoder_train, "none") == 0 ||
        !bs_params_has_prefix(o->method, "implicit") || strcmp(o->implicit_product, "exact") != 0)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG,
                   "implicit.product: exact products need a second derivative of the encoder, "
                   "which attention does not have; use central, or encoder.train=none");
}

/* ---- outputs ---- */

static basin_status make_outputs(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                                 basin_error *err)
{
    size_t cells = (size_t)p->rows * (size_t)bs_schema_mlc(k)->n_labels;
    *out = (bs_outputs){.task = &bs_task_mlc, .scores = bs_calloc(cells + 1, sizeof *out->scores)};
    return out->scores ? BASIN_OK : bs_fail_nomem(err);
}

/* The sum over labels, mean over rows. */
static double cross_entropy(const bs_rows *data, const float *scores, int32_t L)
{
    double sum = 0;
    for (int32_t r = 0; r < data->rows; r++) {
        const float *p = scores + (size_t)r * (size_t)L;
        int32_t      e = data->y.start[r];
        for (int32_t l = 0; l < L; l++) {
            const bool on = e < data->y.start[r + 1] && data->y.index[e] == l;
            e += on;
            sum += bs_log_loss(on ? (double)p[l] : 1 - (double)p[l]);
        }
    }
    return sum / data->rows;
}

basin_status bs_mlc_scores(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                           const bs_rows *data, int64_t number, float *scores, float *energy,
                           basin_error *err)
{
    const bs_schema *schema = bs_schema_mlc(k);
    bs_mlc_text     *text = bs_preprocess_mlc(k)->text;
    if (text)
        return bs_mlc_text_scores(s, spec, text, schema, data, number, scores, energy, err);
    if (bs_net_spec_mlc(spec)->sparse)
        return bs_scorer_csr(s, &data->x, number, scores, energy, err);
    const size_t D = (size_t)schema->n_features, L = (size_t)schema->n_labels;
    const size_t block = data->rows < BS_SCORE_BLOCK ? (size_t)data->rows : BS_SCORE_BLOCK;
    float       *rows = bs_calloc(block * D + 1, sizeof *rows);
    basin_status status = rows ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t first = 0; first < data->rows && !status; first += BS_SCORE_BLOCK) {
        int32_t left = data->rows - first, n = left < BS_SCORE_BLOCK ? left : BS_SCORE_BLOCK;
        bs_rows_dense(data, schema, NULL, first, n, rows);
        status = bs_scorer_dense(s, rows, n, (int32_t)D, number + first, scores + (size_t)first * L,
                                 energy ? energy + first : NULL, err);
    }
    bs_free(rows);
    return status;
}

static void place(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all)
{
    const size_t L = (size_t)bs_schema_mlc(k)->n_labels;
    memcpy(all->scores + (size_t)row * L, some->scores, (size_t)rows * L * sizeof *all->scores);
    if (some->on && !all->on)
        all->on = bs_calloc((size_t)whole->rows * L, 1);
    all->by = some->on && all->on ? some->by : BS_DECIDE_THRESHOLD;
    if (some->on && all->on)
        memcpy(all->on + (size_t)row * L, some->on, (size_t)rows * L);
}

static basin_status predict(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    basin_status status =
        bs_mlc_scores(s, spec, k, bs_dataset_mlc(p), out->first + 1, out->scores, out->energy, err);
    if (!status)
        status = bs_mlc_decide(s, spec, k, p, out, err);
    if (!status && out->cross_entropy)
        *out->cross_entropy =
            cross_entropy(bs_dataset_mlc(p), out->scores, bs_net_spec_mlc(spec)->labels);
    return status;
}

/* ---- decisions ---- */

static basin_status choose_threshold(const bs_train_options *o, const bs_dataset *train,
                                     const bs_dataset *valid, const bs_outputs *y,
                                     bs_threshold *out, basin_error *err)
{
    const bs_rows *v = bs_dataset_mlc(valid);
    const char    *kind = o->threshold;
    bs_metric_id   metric;
    bs_profile_id  profile = BS_PROFILE_SKLEARN;
    double         number;
    basin_status   s = bs_metric_parse(o->threshold_metric, &metric, err);
    if (!s)
        s = bs_profile_parse(o->profile, &profile, err);
    if (s)
        return s;
    if (bs_parse_double(kind, &number)) {
        *out = bs_threshold_fixed((float)number);
        return BASIN_OK;
    }
    if (strcmp(kind, "top-k") == 0) {
        *out = bs_threshold_top_k(o->threshold_k);
        return BASIN_OK;
    }
    if (strcmp(kind, "cardinality") == 0) {
        double labels = (double)bs_dataset_mlc(train)->y.start[train->rows];
        return bs_threshold_cut(y->scores, v->rows, v->schema.n_labels, labels / train->rows, out,
                                err);
    }
    s = bs_threshold_tune(&v->y, y->scores, (int)metric, (int)profile, out, NULL, err);
    if (s || strcmp(kind, "auto") == 0)
        return s;
    float global = out->global;
    bs_threshold_free(out);
    return bs_threshold_tune_labels(&v->y, y->scores, (int)profile, global, o->threshold_shrink,
                                    out, err);
}

static basin_status choose(const bs_train_options *o, const bs_dataset *train,
                           const bs_dataset *valid, const bs_outputs *y, bs_threshold *out,
                           basin_error *err)
{
    basin_status s = choose_threshold(o, train, valid, y, out, err);
    out->by = s ? BS_DECIDE_THRESHOLD : y->by;
    return s;
}

static void truths(const bs_dataset *p, bool *out)
{
    const bs_csr *gold = &bs_dataset_mlc(p)->y;
    memset(out, 0, (size_t)gold->rows * (size_t)gold->cols * sizeof *out);
    for (int32_t r = 0; r < gold->rows; r++)
        for (int32_t k = gold->start[r]; k < gold->start[r + 1]; k++)
            out[(size_t)r * (size_t)gold->cols + (size_t)gold->index[k]] = true;
}

/* ---- metrics ---- */

static void counts_free(bs_measurement *c)
{
    bs_metrics_free(bs_measurement_mlc(c));
    c->own = NULL;
}

static basin_status count(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err)
{
    bs_metric_options o = {.profile = how->profile,
                           .want = how->want,
                           .keep_rows = how->keep_rows,
                           .ap_bytes = how->ap_bytes};
    *out = (bs_measurement){.task = &bs_task_mlc};
    bs_metrics  *m = NULL;
    basin_status s = bs_metrics_new(&o, bs_schema_mlc(k)->n_labels, &m, err);
    out->own = m;
    if (!s)
        s = bs_metrics_add(m, &bs_dataset_mlc(p)->y, y->scores, threshold,
                           threshold && threshold->by ? y->on : NULL, err);
    if (s)
        counts_free(out);
    return s;
}

static basin_status values(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err)
{
    return bs_metrics_finish(bs_measurement_mlc(c), out, err);
}

static basin_status sampled(bs_measurement *c, bs_sampled *out, basin_error *err)
{
    return bs_metrics_sampled(bs_measurement_mlc(c), out, err);
}

static void *reading(bs_settings *s, bs_preprocess *k, const bs_option **rows)
{
    (void)k;
    *rows = bs_read_rows;
    return &s->read;
}

/* Chosen on emotions, flags, genbase, cellcycle_fun, gasch1_fun, seq_fun, tmc2007-500 and bibtex;
 * docs/results.md tells how they do on other data. */
#define BETTER "net.bias=yes early_stop.at=shipped "
static const bs_candidate candidates[] = {
    {"linear", "ce", BETTER "net.layers=0", 1, false},
    {"net", "ce", BETTER, 3, false},
    {"members", "ce", BETTER "net.members=8 net.width=256", 10, false},
    {"energy", "seal-nce", BETTER, 8, true},
    {.name = NULL},
};

const bs_task bs_task_mlc = {
    .name = "mlc",
    .help = "multi-label classification: a set of labels for each row",
    .graph = &bs_task_space_mlc,
    .unit = "rows",
    .reads = BS_READS_ROWS,
    .method = "seal-nce",
    .candidates = candidates,
    .time_factor = 12, /* the first is a linear model */
    .most_rows_for_folds = 5000,
    .taught = true,
    .options = " data. encoder. ",
    .reading = reading,
    .metric = bs_metric_table,
    .n_metrics = BS_METRIC_COUNT,
    .shown = {{BS_METRIC_example_f1, "ex-F1", 12, 2, true},
              {BS_METRIC_micro_f1, "mi-F1", 7, 2, true},
              {BS_METRIC_macro_f1, "ma-F1", 7, 2, true},
              {BS_METRIC_subset_accuracy, "subset", 7, 2, true},
              {BS_METRIC_hamming_loss, "hamming", 8, 4, false},
              {BS_METRIC_lrap, "LRAP", 6, 3, false},
              {BS_METRIC_ece, "ECE", 6, 3, false}},
    .independent = "energy.scale=0",
    .untuned = true,
    .tunes = true,
    .decides = ~(1u << BS_DECIDE_THRESHOLD),
    .sniff = sniff,
    .stream = stream,
    .read = read_files,
    .remark = remark,
    .free = free_part,
    .split = split,
    .split_how = "by iterative stratification",
    .select = select_rows,
    .grows = {{"features", offsetof(bs_mlc_shape, features), BS_AXIS_SIDE_BY_SIDE},
              {"labels", offsetof(bs_mlc_shape, labels), BS_AXIS_COPIES}},
    .unit_name = unit_name,
    .widen = widen,
    .fit = fit,
    .labels = labels,
    .label = label,
    .known_text = known_text,
    .known_json = known_json,
    .known_read = known_read,
    .known_free = known_free,
    .spec = make_spec,
    .check = check,
    .fill = fill,
    .feed = bs_batches_mlc,
    .outputs = make_outputs,
    .predict = predict,
    .energies = bs_energies_mlc,
    .place = place,
    .choose = choose,
    .truths = truths,
    .count = count,
    .values = values,
    .sampled = sampled,
    .counts_free = counts_free,
    .eval = &bs_task_eval_mlc,
    .predict_files = &bs_task_write_mlc,
    .memory = &bs_task_memory_mlc,
};
