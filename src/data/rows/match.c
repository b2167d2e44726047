/* match.c -- brings another file into the shape of a training schema.
 *
 * Columns are looked up by name, or by number if neither side has names. First a map from the
 * file's numbers to the schema's is made, which finds everything that can be wrong. */
#include <math.h>
#include <string.h>

#include "base/opt.h"
#include "base/print.h"
#include "data/rows/build.h"
#include "data/dataset.h"
#include "data/names.h"

typedef struct {
    const bs_schema *want;
    bs_rows         *ds;
    const char      *file;
    bs_notes        *notes;
    basin_error     *err;
    int32_t         *feature; /* [n_features of the file]; below 0: no match */
    int32_t         *label;   /* [n_labels of the file] */
    uint8_t         *missing; /* [n_features of want]: missing in all rows; or NULL */
} match;

/* Why a feature of the file has no match. */
enum { DROPPED = -1, UNSEEN = -2 };

enum { SHOWN = 3 };

/* "'a', 'b', 'c' and 4 more" */
typedef struct {
    int32_t n;
    char    text[160];
} listed;

static void list(listed *l, const char *name)
{
    size_t at = strlen(l->text);
    if (l->n < SHOWN)
        bs_print(l->text + at, sizeof l->text - at, "%s'%.40s'", l->n ? ", " : "", name);
    l->n++;
}

static const char *list_end(listed *l)
{
    size_t at = strlen(l->text);
    if (l->n > SHOWN)
        bs_print(l->text + at, sizeof l->text - at, " and %d more", (int)l->n - SHOWN);
    return l->text;
}

static const char *kind_text(const bs_feature *f)
{
    return f->kind == BS_FEATURE_NUMERIC  ? "a number"
           : f->kind == BS_FEATURE_BINARY ? "yes or no"
                                          : "a category";
}

/* 1 meaning YES in one file and NO in the other is a silent disaster. */
static bool same_reading(const bs_feature *a, const bs_feature *b)
{
    if ((a->kind == BS_FEATURE_ONEHOT) != (b->kind == BS_FEATURE_ONEHOT))
        return false;
    if (a->kind == BS_FEATURE_BINARY && b->kind == BS_FEATURE_BINARY && a->value && b->value)
        return strcmp(a->value, b->value) == 0;
    return true;
}

/* A single cell that is not a number turns a column into categories: which cell? */
static basin_status not_a_number(const match *m, const bs_feature *is)
{
    const bs_rows *ds = m->ds;
    for (int32_t r = 0; r < ds->rows; r++)
        for (int32_t e = ds->x_start[r]; e < ds->x_start[r + 1]; e++) {
            const bs_feature *f = &ds->schema.feature[ds->x_index[e]];
            double            number;
            if (f->value && strcmp(f->attribute, is->attribute) == 0 &&
                !bs_parse_double(f->value, &number))
                return bs_fail(
                    m->err, BASIN_EDATA,
                    "%s: row %lld: attribute '%s' is '%.60s', but a number in the training data",
                    m->file, (long long)(ds->rows_before + r + 1), is->attribute, f->value);
        }
    return BASIN_OK;
}

static basin_status conflict(const match *m, const bs_feature *was, const bs_feature *is)
{
    basin_status s = was->kind == BS_FEATURE_NUMERIC ? not_a_number(m, is) : BASIN_OK;
    if (s)
        return s;
    return bs_fail(m->err, BASIN_EDATA,
                   "%s: attribute '%s' was %s%s%s in training, here it is %s%s%s", m->file,
                   is->attribute, kind_text(was), was->value ? ", as 1: " : "",
                   was->value ? was->value : "", kind_text(is), is->value ? ", as 1: " : "",
                   is->value ? is->value : "");
}

/* --- features by name ---------------------------------------------------- */

/* Training attributes that the file lacks entirely: missing, 0 in rows that list what they have, or
 * an error. */
static basin_status check_absent(match *m, const bs_names *attributes)
{
    const bs_schema *want = m->want;
    int32_t          absent = 0;
    const char      *first = NULL;
    for (int32_t i = 0; i < want->n_features; i++) {
        const char *a = want->feature[i].attribute;
        m->ds->met.seen[i] = bs_names_find(attributes, a, strlen(a)) >= 0;
        absent += !m->ds->met.seen[i];
        first = first || m->ds->met.seen[i] ? first : a;
    }
    if (!absent)
        return BASIN_OK;
    const bool missing =
        !want->open && (m->ds->by_name || (m->ds->lenient && absent < want->n_features));
    if (!missing && !want->open && !m->ds->schema.open)
        return bs_fail(m->err, BASIN_EDATA,
                       "%s: attribute '%s' of the training data is missing (%d of its %d features "
                       "are)",
                       m->file, first, absent, want->n_features);
    bs_notes_add(m->notes, "absent",
                 "%d of %d training features do not occur, '%s' for one: they %s", absent,
                 want->n_features, first, missing ? "are missing values" : "read as 0");
    if (!missing)
        return BASIN_OK;
    m->missing = bs_calloc((size_t)want->n_features + 1, 1);
    for (int32_t i = 0; m->missing && i < want->n_features; i++)
        m->missing[i] = want->feature[i].kind != BS_FEATURE_ONEHOT && !m->ds->met.seen[i];
    return m->missing ? BASIN_OK : bs_fail_nomem(m->err);
}

typedef struct {
    bs_names known;     /* features of the training data */
    bs_names was, here; /* attributes of the training data, and of the file */
    bs_names strange;   /* dropped attributes: several features may share one */
    listed   dropped;
} by_name;

static basin_status drop(match *m, by_name *n, const char *attribute)
{
    bool fresh;
    if (bs_names_add(&n->strange, attribute, strlen(attribute), &fresh) < 0)
        return bs_fail_nomem(m->err);
    if (fresh) {
        list(&n->dropped, attribute);
        bs_examples_add(&m->ds->met.strangers, attribute);
    }
    return BASIN_OK;
}

static basin_status map_one(match *m, by_name *n, int32_t i)
{
    const bs_feature *f = &m->ds->schema.feature[i];
    int32_t           k = bs_names_find(&n->known, f->name, strlen(f->name));
    m->feature[i] = k;
    if (k >= 0)
        return same_reading(&m->want->feature[k], f) ? BASIN_OK
                                                     : conflict(m, &m->want->feature[k], f);
    /* The attribute may exist in another coding: then it is not unknown but wrong. */
    if (bs_names_find(&n->was, f->attribute, strlen(f->attribute)) >= 0) {
        const bs_feature *was = NULL;
        for (int32_t j = 0; j < m->want->n_features && !was; j++)
            if (strcmp(m->want->feature[j].attribute, f->attribute) == 0)
                was = &m->want->feature[j];
        if (was && was->kind != f->kind)
            return conflict(m, was, f);
        if (f->kind == BS_FEATURE_ONEHOT) {
            m->feature[i] = UNSEEN;
            bs_notes_add(m->notes, "unseen",
                         "attribute '%s' has the value '%s', which training "
                         "never saw: it reads as no category",
                         f->attribute, f->value);
            return BASIN_OK;
        }
    }
    return drop(m, n, f->attribute);
}

static bool collect_names(const match *m, by_name *n)
{
    const bs_schema *want = m->want, *have = &m->ds->schema;
    bool             fresh, ok = true;
    for (int32_t i = 0; ok && i < want->n_features; i++) {
        const bs_feature *f = &want->feature[i];
        ok = bs_names_add(&n->known, f->name, strlen(f->name), &fresh) >= 0 &&
             bs_names_add(&n->was, f->attribute, strlen(f->attribute), &fresh) >= 0;
    }
    for (int32_t i = 0; ok && i < have->n_features; i++) {
        const char *a = have->feature[i].attribute;
        ok = bs_names_add(&n->here, a, strlen(a), &fresh) >= 0;
    }
    return ok;
}

static basin_status map_names(match *m)
{
    by_name n = {0}; /* its tables borrow the names */

    basin_status s = collect_names(m, &n) ? BASIN_OK : bs_fail_nomem(m->err);
    for (int32_t i = 0; !s && i < m->ds->schema.n_features; i++)
        s = map_one(m, &n, i);
    if (!s)
        s = check_absent(m, &n.here);
    if (!s && n.dropped.n) {
        /* If columns are declared, an extra one may be a label under another name. */
        bs_notes_add(m->notes, m->ds->labelled && !m->ds->schema.open ? BS_NOTE_WARNING : "dropped",
                     "%s: %d %s not of the training data and left out: %s", m->file,
                     (int)n.dropped.n, n.dropped.n > 1 ? "attributes are" : "attribute is",
                     list_end(&n.dropped));
    }
    bs_names_free(&n.known);
    bs_names_free(&n.was);
    bs_names_free(&n.here);
    bs_names_free(&n.strange);
    return s;
}

/* --- features by number -------------------------------------------------- */

static basin_status map_numbers(match *m)
{
    const bs_schema *want = m->want, *have = &m->ds->schema;
    int32_t          shift = have->index_base - want->index_base, dropped = 0;
    if (shift < 0)
        return bs_fail(m->err, BASIN_EDATA,
                       "%s: has a feature 0, so its features are numbered from 0; the model was "
                       "trained on features numbered from 1",
                       m->file);
    /* A file without a feature 0 only looks as if numbers started from 1. */
    for (int32_t i = 0; i < have->n_features; i++) {
        m->feature[i] = i + shift < want->n_features ? i + shift : DROPPED;
        dropped += m->feature[i] < 0;
        if (m->feature[i] >= 0)
            m->ds->met.seen[m->feature[i]] = 1;
    }
    if (have->dense && want->dense && have->n_features != want->n_features)
        return bs_fail(m->err, BASIN_EDATA, "%s: has %d feature columns, the training data had %d",
                       m->file, have->n_features, want->n_features);
    if (dropped)
        bs_notes_add(m->notes, "dropped",
                     "features numbered above %d are not of the training data and "
                     "were left out",
                     want->n_features - 1 + want->index_base);
    return BASIN_OK;
}

/* Labels that the file does not mention count as off, and no score reveals that. */
static basin_status tell_absent_labels(match *m)
{
    const bs_schema *want = m->want;
    listed           absent = {0};
    uint8_t         *there = bs_calloc((size_t)want->n_labels + 1, 1);
    if (!there)
        return bs_fail_nomem(m->err);
    for (int32_t i = 0; i < m->ds->schema.n_labels; i++)
        there[m->label[i]] = 1;
    for (int32_t i = 0; i < want->n_labels; i++)
        if (!there[i])
            list(&absent, want->label[i]);
    bs_notes_add(m->notes, BS_NOTE_WARNING,
                 "%s: has no column for %d of the %d labels of the training data: %s; they count "
                 "as off in every row",
                 m->file, (int)absent.n, (int)want->n_labels, list_end(&absent));
    bs_free(there);
    return BASIN_OK;
}

static basin_status map_labels(match *m)
{
    const bs_schema *want = m->want, *have = &m->ds->schema;
    bs_names         known;
    basin_status     s =
        bs_names_of(&known, want->label, want->n_labels) ? BASIN_OK : bs_fail_nomem(m->err);
    for (int32_t i = 0; !s && i < have->n_labels; i++) {
        m->label[i] = bs_names_find(&known, have->label[i], strlen(have->label[i]));
        if (m->label[i] < 0)
            s = bs_fail(m->err, BASIN_EDATA,
                        "%s: label '%s' is not one of the %d labels of the training data ('%s', "
                        "...)",
                        m->file, have->label[i], want->n_labels,
                        want->n_labels ? want->label[0] : "");
    }
    if (!s && m->ds->labelled && have->n_labels < want->n_labels && !m->ds->open_labels)
        s = tell_absent_labels(m);
    bs_names_free(&known);
    return s;
}

/* --- applying the maps --------------------------------------------------- */

static void apply(const int32_t *map, int32_t rows, int32_t *start, int32_t *index, float *value)
{
    for (int32_t r = 0, first = 0, at = 0; r < rows; r++) {
        int32_t end = start[r + 1], row = at;
        for (int32_t e = first; e < end; e++) {
            int32_t to = map[index[e]];
            if (to < 0)
                continue;
            index[at] = to;
            if (value)
                value[at] = value[e];
            at++;
        }
        first = end;
        start[r + 1] = at;
        bs_sort_entries(index + row, value ? value + row : NULL, (size_t)(at - row));
    }
}

static void count_known(const match *m, bs_coverage *out)
{
    const int32_t *start = m->ds->x_start;
    for (int32_t i = 0; i < m->want->n_features; i++)
        out->features += out->seen[i];
    for (int32_t e = start[0]; e < start[m->ds->rows]; e++) {
        const int32_t to = m->feature[m->ds->x_index[e]];
        out->kept += to >= 0;
        out->dropped += to == DROPPED;
        out->unseen += to == UNSEEN;
        if (to == UNSEEN)
            bs_examples_category(&out->categories, &m->ds->schema.feature[m->ds->x_index[e]]);
    }
}

/* --- labels of a file that is not trained on ------------------------------ */

void bs_rows_forget_labels(bs_rows *ds)
{
    memset(ds->y_start, 0, ((size_t)ds->rows + 1) * sizeof *ds->y_start);
    bs_free(ds->u_start);
    bs_free(ds->u_index);
    ds->u_start = ds->u_index = NULL;
    ds->unknown = (bs_csr){0};
    ds->schema.n_labels = ds->y.cols = 0;
    ds->labelled = false;
}

basin_status bs_rows_known_labels(const bs_schema *want, bs_rows *ds, const char *file,
                                  bs_notes *notes, basin_error *err)
{
    const int32_t n = ds->schema.n_labels;
    int32_t      *map = bs_alloc(((size_t)n + 1) * sizeof *map), kept = 0;
    const char  **label = bs_arena_alloc(&ds->arena, ((size_t)n + 1) * sizeof *label);
    listed        strange = {0};
    bs_names      known;
    const bool    ok = bs_names_of(&known, want->label, want->n_labels) && map && label;
    for (int32_t i = 0; ok && i < n; i++) {
        const char *name = ds->schema.label[i];
        map[i] = bs_names_find(&known, name, strlen(name)) >= 0 ? kept : -1;
        if (map[i] >= 0)
            label[kept++] = name;
        else
            list(&strange, name);
    }
    if (ok && strange.n) {
        bs_notes_add(
            notes, BS_NOTE_WARNING,
            "%s: %d %s not of the training data: %s; left out, so that missing %s does not "
            "count",
            file, (int)strange.n, strange.n > 1 ? "labels are" : "label is", list_end(&strange),
            strange.n > 1 ? "them" : "it");
        apply(map, ds->rows, ds->y_start, ds->y_index, NULL);
        if (ds->u_start)
            apply(map, ds->rows, ds->u_start, ds->u_index, NULL);
        ds->schema.label = label;
        ds->schema.n_labels = ds->y.cols = kept;
        ds->unknown.cols = ds->unknown.start ? kept : 0;
    }
    bs_names_free(&known);
    bs_free(map);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

/* --- texts --------------------------------------------------------------- */

static basin_status match_texts(const match *m)
{
    if (m->want->n_texts && !m->ds->document)
        return bs_fail(m->err, BASIN_EDATA,
                       "%s: has no column '%s', the text of the training rows; --set "
                       "data.text_column=NAME says which column is the text",
                       m->file, m->want->text[0]);
    if (!m->want->n_texts && m->ds->document)
        bs_notes_add(m->notes, "dropped", "%s: texts are not used: the training rows have none",
                     m->file);
    m->ds->document = m->want->n_texts ? m->ds->document : NULL;
    return BASIN_OK;
}

basin_status bs_rows_match(const bs_schema *want, bs_rows *ds, const char *file, bs_notes *notes,
                           basin_error *err)
{
    match  m = {.want = want, .ds = ds, .file = file, .notes = notes, .err = err};
    size_t nf = (size_t)ds->schema.n_features, nl = (size_t)ds->schema.n_labels;
    if ((want->feature == NULL) != (ds->schema.feature == NULL) && nf)
        return bs_fail(err, BASIN_EDATA, "%s: its features have %s; the training data's had %s",
                       file, ds->schema.feature ? "names" : "numbers only",
                       want->feature ? "names" : "numbers only");
    bs_coverage_free(&ds->met);
    ds->met.seen = bs_calloc((size_t)want->n_features + 1, 1);
    m.feature = bs_alloc((nf + 1) * sizeof *m.feature);
    m.label = bs_alloc((nl + 1) * sizeof *m.label);
    basin_status s = m.feature && m.label && ds->met.seen ? BASIN_OK : bs_fail_nomem(err);
    if (!s)
        s = bs_rows_own(ds, err);
    if (!s)
        s = match_texts(&m);
    if (!s)
        s = want->feature ? map_names(&m) : map_numbers(&m);
    if (!s)
        s = map_labels(&m);
    if (!s)
        count_known(&m, &ds->met);
    bool dense = ds->schema.dense, open = ds->schema.open, binary = ds->schema.binary;
    if (!s)
        s = bs_schema_copy(want, &ds->arena, &ds->schema, err);
    if (!s) {
        ds->schema.dense = dense;
        ds->schema.open = open;
        ds->schema.binary = binary;
        apply(m.feature, ds->rows, ds->x_start, ds->x_index, ds->x_value);
        apply(m.label, ds->rows, ds->y_start, ds->y_index, NULL);
        if (ds->u_start)
            apply(m.label, ds->rows, ds->u_start, ds->u_index, NULL);
        if (m.missing)
            s = bs_rows_add_missing(ds, m.missing, want->n_features, err);
        ds->x.cols = want->n_features;
        ds->y.cols = want->n_labels;
        ds->unknown.cols = ds->unknown.start ? want->n_labels : 0;
        ds->n_missing = 0;
        for (int32_t i = 0; ds->x_value && i < ds->x_start[ds->rows]; i++)
            ds->n_missing += isnan(ds->x_value[i]) != 0;
        ds->hash = bs_rows_hash(ds);
    }
    bs_free(m.missing);
    bs_free(m.feature);
    bs_free(m.label);
    return s;
}

/* --- how well files fit, summed up over files or pieces ------------------- */

void bs_examples_add(bs_examples *f, const char *name)
{
    char short_name[sizeof f->name[0]];
    bs_print(short_name, sizeof short_name, "%.47s", name);
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->name[i], short_name) == 0)
            return;
    if (f->n < BS_FEW)
        memcpy(f->name[f->n++], short_name, sizeof short_name);
}

/* One category per column is enough to find the others. */
void bs_examples_category(bs_examples *f, const bs_feature *of)
{
    char      name[sizeof f->name[0]];
    const int n = bs_print(name, sizeof name, "%.20s = ", of->attribute);
    for (int i = 0; i < f->n; i++)
        if (strncmp(f->name[i], name, (size_t)n) == 0)
            return;
    bs_print(name + n, sizeof name - (size_t)n, "%.20s", of->value);
    bs_examples_add(f, name);
}

bool bs_coverage_add(bs_coverage *all, const bs_coverage *more, int32_t features)
{
    if (!all->seen && !(all->seen = bs_calloc((size_t)features + 1, 1)))
        return false;
    all->features = 0;
    for (int32_t i = 0; i < features; i++) {
        all->seen[i] |= more->seen[i];
        all->features += all->seen[i];
    }
    all->kept += more->kept;
    all->dropped += more->dropped;
    all->unseen += more->unseen;
    for (int i = 0; i < more->categories.n; i++)
        bs_examples_add(&all->categories, more->categories.name[i]);
    for (int i = 0; i < more->strangers.n; i++)
        bs_examples_add(&all->strangers, more->strangers.name[i]);
    return true;
}

void bs_coverage_free(bs_coverage *m)
{
    bs_free(m->seen);
    *m = (bs_coverage){0};
}
