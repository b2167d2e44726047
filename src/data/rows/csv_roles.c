/* csv_roles.c -- which CSV columns are labels, and how the others become features. */
#include <string.h>

#include "data/rows/cell.h"
#include "data/rows/csv.h"
#include "data/scan.h"

enum { MOST_CATEGORIES = 1000, FEWEST_ROWS = 10 };

/* --- labels -------------------------------------------------------------- */

/* The usual reason why columns are not what they were said to be. */
static basin_status fail_headless(const csv_table *t, basin_status s)
{
    char text[sizeof t->r->err->msg];
    if (t->header)
        return s;
    bs_print(text, sizeof text, "%.900s", t->r->err->msg);
    return bs_fail(t->r->err, s,
                   "%s; columns are named c1 to c%d, since the first line was read as a row "
                   "(data.header=yes makes names of it)",
                   text, (int)t->n);
}

int32_t bs_csv_column_number(const char *name)
{
    int64_t     k;
    const char *end = name[0] == 'c' ? bs_scan_index(name + 1, &k) : NULL;
    return end && !*end && k > 0 && k < INT32_MAX ? (int32_t)k : 0;
}

/* Sets label[k] for columns that were labels in training; returns the least number of columns there
 * were, or 0 if they had names. */
static int32_t trained_columns(const bs_schema *like, uint8_t *label, int32_t most)
{
    int32_t last = 0;
    for (int32_t i = 0; i < like->n_labels + like->n_features; i++) {
        bool    is_label = i < like->n_labels;
        int32_t k = bs_csv_column_number(is_label ? like->label[i]
                                                  : like->feature[i - like->n_labels].attribute);
        if (!k || k > most)
            return 0;
        label[k] = label[k] || is_label;
        last = k > last ? k : last;
    }
    return last;
}

basin_status bs_csv_name_unlabelled(csv_table *t)
{
    const bs_schema *like = t->r->o->like;
    if (t->header || !t->r->o->label_free || !like || !like->feature)
        return BASIN_OK;
    int32_t  most = t->n + like->n_labels;
    uint8_t *label = bs_calloc((size_t)most + 1, 1);
    if (!label)
        return bs_fail_nomem(t->r->err);
    bool fits = trained_columns(like, label, most) == most, ok = true;
    for (int32_t i = 0, k = 0; fits && ok && i < t->n; i++) {
        char name[24];
        while (label[++k])
            ;
        int n = bs_print(name, sizeof name, "c%d", k);
        t->column[i].name = bs_arena_copy(&t->r->b->ds->arena, name, (size_t)n);
        ok = t->column[i].name != NULL;
    }
    bs_free(label);
    return ok ? BASIN_OK : bs_fail_nomem(t->r->err);
}

static const char *const list_names[] = {"labels", "tags",   "label",  "tag",        "classes",
                                         "class",  "genres", "topics", "categories", NULL};

bool bs_csv_named_labels(const char *name)
{
    for (int k = 0; list_names[k]; k++)
        if (bs_same_word(name, strlen(name), list_names[k]))
            return true;
    return false;
}

/* A column called labels, or columns that all start with label_ or the like. */
static bool guessed_labels(const csv_table *t, const uint8_t *dropped, uint8_t *mark,
                           const char **why)
{
    static const char *const prefixes[] = {"label_", "label:", "label.", "tag_",
                                           "y_",     "class_", NULL};
    for (int k = 0; list_names[k]; k++)
        for (int32_t i = 0; i < t->n; i++)
            if (!dropped[i] &&
                bs_same_word(t->column[i].name, strlen(t->column[i].name), list_names[k])) {
                mark[i] = 1;
                *why = list_names[k];
                return true;
            }
    for (int k = 0; prefixes[k]; k++) {
        bool found = false;
        for (int32_t i = 0; i < t->n; i++)
            if (strncmp(t->column[i].name, prefixes[k], strlen(prefixes[k])) == 0 &&
                (t->column[i].truth || t->column[i].cross) && !dropped[i])
                mark[i] = found = true;
        *why = prefixes[k];
        if (found)
            return true;
    }
    return false;
}

/* The index written by pandas, or a column called id: two files of the same rows both have it. */
static void find_names(csv_table *t)
{
    t->names = t->r->b->ds->source.unnamed ? 0 : -1;
    for (int32_t i = 0; i < t->n && t->names < 0 && t->header; i++)
        if (bs_named_like_id(t->column[i].name))
            t->names = i;
}

static basin_status ask_for_labels(const csv_table *t)
{
    int32_t last = 0;
    for (int32_t i = 0; i < t->n; i++)
        last = t->column[i].truth && t->column[i].filled ? last + 1 : 0;
    char text[80] = "";
    if (last && last < t->n)
        bs_print(text, sizeof text, "; the last %d are 0/1: --labels last:%d?", last, last);
    else if (!t->header)
        bs_print(text, sizeof text, "; columns are named c1 to c%d", (int)t->n);
    return bs_error_at(
        t->r, 0, 0,
        "which columns are labels? --labels takes names, a pattern such as "
        "'tag_*', a file, first:N or last:N, or one column of lists; a file of their own "
        "follows the data (X.csv Y.csv)%s",
        text);
}

static basin_status choose_labels(csv_table *t, const char *const *names, const uint8_t *dropped,
                                  uint8_t *mark)
{
    bs_rows    *ds = t->r->b->ds;
    int32_t     found = 0;
    const char *why = "";
    if (t->r->o->only_labels) {
        for (int32_t i = 0; i < t->n; i++)
            mark[i] = i != t->names && !dropped[i];
        return BASIN_OK;
    }
    basin_status s = bs_choose_labels(t->r, names, t->n, dropped, mark, &found);
    if (s || found || t->r->o->labels[0])
        return s == BASIN_EDATA ? fail_headless(t, s) : s;
    if (guessed_labels(t, dropped, mark, &why)) {
        bs_print(ds->source.labels_from, sizeof ds->source.labels_from, "the name '%s'", why);
        bs_notes_add(t->r->notes, "labels", "columns named '%s...' are taken for labels (--labels)",
                     why);
        return BASIN_OK;
    }
    if (!t->r->o->label_free)
        return t->r->o->like ? bs_fail_no_labels(t->r) : ask_for_labels(t);
    ds->labelled = false;
    return BASIN_OK;
}

/* The separator within a list of labels: the option, or the first of | ; , that occurs. */
static void find_separator(csv_table *t, const csv_column *c)
{
    static const char *const candidates[] = {"|", ";", ",", " ", NULL};
    if (t->r->o->label_sep[0]) {
        t->separator = t->r->o->label_sep;
        return;
    }
    t->separator = "|";
    if (c->values.n && strchr("[({", c->values.item[0].text[0])) /* lists have their own */
        return;
    for (int k = 0; candidates[k]; k++)
        for (int32_t i = 0; i < c->values.n; i++)
            if (strstr(c->values.item[i].text, candidates[k])) {
                t->separator = candidates[k];
                bs_notes_add(t->r->notes, "separator",
                             "labels in column '%s' are separated by '%s' "
                             "(data.label_sep)",
                             c->name, candidates[k]);
                return;
            }
}

static basin_status set_label(csv_table *t, csv_column *c, int32_t marked)
{
    bool list = marked == 1 && !c->truth && !c->cross;
    bool known = t->r->o->like != NULL && marked == 1;
    if (known) { /* the schema's only label column, or a list of labels? */
        known = false;
        for (int32_t k = 0; k < t->r->o->like->n_labels; k++)
            known = known || strcmp(t->r->o->like->label[k], c->name) == 0;
        list = !known;
    }
    if (marked == 1 && t->r->o->label_sep[0])
        list = true;
    if (list) {
        c->role = CSV_LIST;
        t->r->b->ds->open_labels = true;
        find_separator(t, c);
        return BASIN_OK;
    }
    if (!c->truth && !c->cross && c->number)
        return fail_headless(
            t,
            bs_error_at(t->r, 0, 0, "label column '%s' has numbers other than 0 and 1", c->name));
    if (!c->truth && !c->cross && c->values.n == 2)
        return bs_error_at(t->r, 0, 0,
                           "label column '%s' has the values '%.40s' and '%.40s'; --true WORD and "
                           "--false WORD say which of them is yes and which is no",
                           c->name, c->values.item[0].text, c->values.item[1].text);
    if (!c->truth && !c->cross)
        return bs_error_at(t->r, 0, 0,
                           "label column '%s' has the value '%.40s'; a label is 0/1, "
                           "yes/no, true/false or x/blank (--true and --false add words)",
                           c->name, c->values.n ? c->values.item[0].text : "");
    c->role = CSV_LABEL;
    return bs_add_label(t->r, 0, c->name, strlen(c->name), &c->column);
}

/* --- features ------------------------------------------------------------ */

int bs_csv_trained(csv_table *t, const csv_column *c)
{
    const bs_feature *f = bs_schema_attribute(t->r->o->like, c->name, &t->hint);
    return f ? (int)f->kind : -1;
}

/* A single dash among prices would turn the column into texts, which is hardly ever intended. */
static void note_odd_cell(csv_table *t, const csv_column *c)
{
    if (c->odd && c->filled >= FEWEST_ROWS && c->nearly >= c->filled - c->filled / 10)
        bs_notes_add(t->r->notes, BS_NOTE_ODD_CELL,
                     "%s:%ld: '%s' in column '%s' is not a number%s, so that all %d values of the "
                     "column are texts",
                     t->r->name, c->odd, c->odd_text, c->name,
                     strchr(c->odd_text, ',') ? " (a decimal point is needed)" : "", c->filled);
}

/* In rows given to a model, a column called id names the rows. */
static bool names_rows(const csv_table *t, const csv_column *c)
{
    if (t->told && t->file->id >= 0 && c == &t->column[t->file->id])
        return true;
    return t->r->o->like && t->r->o->label_free && t->names >= 0 && c == &t->column[t->names] &&
           bs_named_like_id(c->name);
}

static bs_texts texts_of(const csv_column *c)
{
    bs_texts texts = {0};
    for (int32_t i = 0; i < c->values.n; i++)
        bs_texts_add(&texts, c->values.item[i].text);
    return texts;
}

/* Whether the texts of the column are no categories: dates, written texts, row names. */
static bool leave_out(csv_table *t, csv_column *c, int32_t index)
{
    const bool     many = c->role == CSV_SKIP; /* more than were kept */
    const bs_texts texts = texts_of(c);
    c->role = CSV_SKIP;
    if (!t->r->o->keep_ids && t->texts.n &&
        bs_text_likeness(c->name, &texts, many ? texts.values : c->filled)) {
        bs_text_note_spare(t->r, c->name, t->texts.name[0]);
        return true;
    }
    if (!many && bs_texts_left_out(t->r, c->name, &texts, c->filled))
        return true;
    if (!many && !t->r->o->keep_ids && !t->told && c->values.n == c->filled &&
        t->rows >= FEWEST_ROWS && c->filled >= t->rows - t->rows / 20) {
        c->role = CSV_ID;
        t->file->id = index;
        bs_notes_add(t->r->notes, "identifier",
                     "column '%s' has a different text in each row: an identifier, left out "
                     "(data.keep_ids=yes uses it)",
                     c->name);
        return true;
    }
    if (many || c->values.n > MOST_CATEGORIES)
        bs_notes_add(t->r->notes, "left out",
                     "column '%s' has more than %d different texts and was left out", c->name,
                     (int)MOST_CATEGORIES);
    return many || c->values.n > MOST_CATEGORIES;
}

static basin_status set_feature(csv_table *t, csv_column *c, int32_t index)
{
    bs_source *source = &t->r->b->ds->source;
    const int  trained = bs_csv_trained(t, c);
    source->attributes++;
    if (trained < 0 && !c->truth)
        note_odd_cell(t, c);
    if (trained < 0 && names_rows(t, c)) {
        c->role = CSV_ID;
        source->skipped++;
        return BASIN_OK;
    }
    if (c->number && trained != BS_FEATURE_BINARY) {
        source->numeric++;
        c->role = CSV_NUMBER;
        return bs_add_feature(t->r, 0, c->name, c->name, NULL, BS_FEATURE_NUMERIC, &c->column);
    }
    if (trained != BS_FEATURE_ONEHOT && c->truth) {
        source->nominal++;
        source->binary++;
        c->role = CSV_TRUTH;
        return bs_add_feature(t->r, 0, c->name, c->name, NULL, BS_FEATURE_BINARY, &c->column);
    }
    if (trained != BS_FEATURE_ONEHOT && (trained < 0 || c->role == CSV_SKIP) &&
        leave_out(t, c, index)) {
        source->skipped++;
        return BASIN_OK;
    }
    source->nominal++;
    c->role = CSV_CATEGORY;
    return bs_add_category(t->r, 0, c->name, &c->values, &c->column);
}

/* The column that looks most like the text of rows, if none is given. */
static basin_status find_text(csv_table *t, const uint8_t *mark, const uint8_t *dropped)
{
    int best = 0, at = -1;
    for (int32_t i = 0; i < t->n && !t->texts.given && !t->r->o->only_labels; i++) {
        const csv_column *c = &t->column[i];
        const bs_texts    texts = texts_of(c);
        const int32_t     filled = c->role == CSV_SKIP ? texts.values : c->filled;
        const int         likeness = bs_text_likeness(c->name, &texts, filled);
        if (likeness > best && !mark[i] && !dropped[i] && !c->number && !c->truth) {
            best = likeness;
            at = i;
        }
    }
    if (at < 0)
        return BASIN_OK;
    const bs_texts texts = texts_of(&t->column[at]);
    bs_text_note(t->r, t->column[at].name, &texts, t->column[at].filled);
    return bs_text_add(&t->texts, t->r, t->column[at].name);
}

/* Columns of texts, given or found. */
static basin_status set_texts(csv_table *t, const char *const *names, const uint8_t *mark,
                              const uint8_t *dropped)
{
    basin_status s = bs_text_exist(&t->texts, t->r, names, t->n);
    if (!s)
        s = find_text(t, mark, dropped);
    int found = 0;
    for (int32_t i = 0; !s && i < t->n; i++) {
        const int place = bs_text_place(&t->texts, t->column[i].name);
        if (place < 0 || mark[i] || dropped[i])
            continue;
        t->column[i].role = CSV_TEXT;
        t->column[i].column = place;
        t->r->b->ds->source.texts = ++found;
    }
    for (int i = 0; !s && found && found < t->texts.n && i < t->texts.n; i++) {
        int32_t k = 0;
        while (k < t->n && strcmp(names[k], t->texts.name[i]) != 0)
            k++;
        if (k == t->n)
            s = bs_error_at(t->r, 0, 0,
                            "has no column '%.60s', part of the text of the training rows",
                            t->texts.name[i]);
    }
    return s;
}

basin_status bs_csv_roles(csv_table *t)
{
    uint8_t     *mark = bs_calloc((size_t)t->n, 2), *dropped = mark ? mark + t->n : NULL;
    const char **names = bs_alloc((size_t)t->n * sizeof *names);
    int32_t      marked = 0;
    basin_status s = mark && names ? BASIN_OK : bs_fail_nomem(t->r->err);
    for (int32_t i = 0; !s && i < t->n; i++)
        names[i] = t->column[i].name;
    find_names(t);
    if (!s)
        s = bs_select_dropped(t->r, names, t->n, dropped);
    if (!s)
        s = choose_labels(t, names, dropped, mark);
    for (int32_t i = 0; !s && i < t->n; i++)
        marked += mark[i];
    if (!s && marked == t->n && !t->r->o->only_labels)
        s = bs_error_at(t->r, 0, 0, "all %d columns are labels; no feature is left", t->n);
    if (!s)
        s = set_texts(t, names, mark, dropped);
    for (int32_t i = 0; !s && i < t->n; i++)
        if (mark[i])
            s = set_label(t, &t->column[i], marked);
        else if (dropped[i] || t->r->o->only_labels)
            t->column[i].role = CSV_SKIP;
        else if (t->column[i].role != CSV_TEXT)
            s = set_feature(t, &t->column[i], i);
    bs_free(mark);
    bs_free(names);
    return s;
}
