/* jsonl_columns.c -- turns members of JSON rows into columns like those of a CSV file.
 *
 * pandas writes every member of every row, with null for the unknown; others leave that out. Bags
 * of words list only what is there, and the rest is 0. If rows list half of all members, or write
 * zeros, an absent member is missing; otherwise it is 0. With a "features" object only written
 * zeros count. */
#include <math.h>
#include <string.h>

#include "data/rows/cell.h"
#include "data/rows/jsonl.h"
#include "data/scan.h"

typedef struct {
    jsonl   *x;
    bs_build to;
    int32_t *map;               /* [features]: number in `to`, -1: none */
    bool     records;           /* absent members are missing */
    int32_t *part_start, *part; /* new numbers of the labels that a label consists of; or NULL */
    size_t   part_cap;
} columns;

/* A category that is null in all rows cannot be told from a number. */
static bool has_texts(const jsonl_member *m)
{
    return m->texts > 0 || (m->category && m->numbers == 0 && m->truths == 0);
}

/* --- which members are what ---------------------------------------------- */

/* True, false, 0, 1, and texts that mean these. */
static basin_status check_label(const jsonl *x, const jsonl_member *k)
{
    for (int32_t f = k->first; f >= 0; f = x->feature[f].next) {
        const char *value = x->r->b->feature[f].value;
        if (value && bs_cell_truth(x->r->o, value, strlen(value)) < 0)
            return bs_error_at(x->r, 0, 0,
                               "label member '%s' has the value '%.40s'; a label is true, false, 0 "
                               "or 1 (--true and --false add words)",
                               k->name, value);
    }
    if (k->others)
        return bs_error_at(x->r, 0, 0, "label member '%s' has numbers other than 0 and 1", k->name);
    return BASIN_OK;
}

static bs_texts texts_of(const jsonl *x, const jsonl_member *k)
{
    bs_texts texts = {0};
    for (int32_t f = k->first; f >= 0; f = x->feature[f].next)
        if (x->r->b->feature[f].value)
            bs_texts_add(&texts, x->r->b->feature[f].value);
    return texts;
}

/* Texts that are not categories. */
static bool leave_out(const jsonl *x, const jsonl_member *k)
{
    const bs_texts texts = texts_of(x, k);
    int32_t        hint = 0;
    if (!has_texts(k) || bs_schema_attribute(x->r->o->like, k->name, &hint))
        return false;
    if (x->texts.n && bs_text_likeness(k->name, &texts, (int32_t)k->texts)) {
        bs_text_note_spare(x->r, k->name, x->texts.name[0]);
        return true;
    }
    return bs_texts_left_out(x->r, k->name, &texts, (int32_t)k->texts);
}

/* The member that looks most like the text of rows, if none is given. */
static basin_status find_text(jsonl *x, const uint8_t *mark, const uint8_t *drop)
{
    int best = 0, at = -1;
    for (int32_t m = 0; m < x->members.n && !x->texts.given && x->texts.n == 0; m++) {
        const jsonl_member *k = &x->member[m];
        const bs_texts      texts = texts_of(x, k);
        const int           likeness = bs_text_likeness(k->name, &texts, (int32_t)k->texts);
        if (likeness > best && has_texts(k) && !mark[m] && !drop[m]) {
            best = likeness;
            at = m;
        }
    }
    if (at < 0)
        return BASIN_OK;
    const bs_texts texts = texts_of(x, &x->member[at]);
    x->member[at].role = JSONL_TEXT;
    x->texts.seen = 1;
    bs_text_note(x->r, x->member[at].name, &texts, (int32_t)x->member[at].texts);
    return bs_text_add(&x->texts, x->r, x->member[at].name);
}

static basin_status set_roles(jsonl *x)
{
    const bs_read_options *o = x->r->o;
    const int32_t          n = x->members.n;
    int32_t                found;
    const char           **names = bs_names_texts(&x->members);
    uint8_t               *mark = bs_calloc((size_t)n + 1, 2), *drop = mark ? mark + n : NULL;
    basin_status           s =
        names && mark ? bs_select_dropped(x->r, names, n, drop) : bs_fail_nomem(x->r->err);
    if (!s && !x->labels)
        s = bs_choose_labels(x->r, names, n, drop, mark, &found);
    else if (!s && o->labels[0] && !o->like && strcmp(o->labels, x->label_key) != 0)
        bs_notes_add(x->r->notes, "unused", "data.labels is not used: rows have a member \"%s\"",
                     x->label_key);
    if (!s)
        s = find_text(x, mark, drop);
    for (int32_t m = 0; !s && m < n; m++) {
        jsonl_member *k = &x->member[m];
        if (k->role == JSONL_TEXT)
            continue;
        k->role = mark[m] ? JSONL_LABEL : drop[m] || leave_out(x, k) ? JSONL_SKIP : JSONL_FEATURE;
        if (k->role == JSONL_LABEL)
            s = check_label(x, k);
        if (k->role == JSONL_SKIP)
            x->r->b->ds->source.skipped += !drop[m];
    }
    bs_free(names);
    bs_free(mark);
    return s;
}

/* --- absent members ------------------------------------------------------ */

static void judge_absent(columns *c)
{
    const bs_reading *r = c->x->r;
    int64_t           present = 0, zeros = 0, cells = 0;
    for (int32_t m = 0; m < c->x->members.n; m++) {
        const jsonl_member *k = &c->x->member[m];
        if (k->role == JSONL_TEXT)
            continue;
        cells += r->b->rows;
        present += k->numbers + k->truths + k->texts + k->nulls;
        zeros += k->zeros;
    }
    if (strcmp(r->o->absent, "auto") != 0)
        c->records = strcmp(r->o->absent, "missing") == 0;
    else if (r->o->like && r->o->like->feature)
        c->records = !r->o->like->open;
    else if (c->x->bag)
        c->records = present == cells || (2 * present >= cells && 20 * zeros >= present);
    else
        c->records = 2 * present >= cells || (10 * present >= cells && 20 * zeros >= present);
    if (present < cells && !r->o->like)
        bs_notes_add(r->notes, "absent",
                     c->records ? "members that a row does not have are missing values "
                                  "(data.absent)"
                                : "members that a row does not have are 0 (data.absent)");
}

/* --- labels in one string ------------------------------------------------- */

/* What separates them: the first of | ; , that occurs where no row has a list. */
static const char *separator_of(const columns *c)
{
    static const char *const candidates[] = {"|", ";", ",", NULL};
    const bs_build          *from = c->x->r->b;
    const bs_schema         *like = c->x->r->o->like;
    for (int k = 0; candidates[k] && !c->x->lists; k++) {
        bool found = false, name = false;
        for (int32_t i = 0; i < from->labels.n && !found; i++)
            found = strstr(from->labels.item[i].text, candidates[k]);
        for (int32_t i = 0; like && i < like->n_labels && !name; i++)
            name = strstr(like->label[i], candidates[k]);
        if (found && !name)
            return candidates[k];
    }
    return NULL;
}

static bool add_part(columns *c, const char *text, size_t len, int32_t *n)
{
    bool       fresh;
    const bool ok = BS_GROW(c->part, c->part_cap, (size_t)*n + 1, INT32_MAX - 1);
    return ok && (c->part[(*n)++] = bs_names_add(&c->to.labels, text, len, &fresh)) >= 0;
}

/* "a,b" is two labels. */
static basin_status take_label_names(columns *c)
{
    const bs_build *from = c->x->r->b;
    const char     *separator = separator_of(c);
    int32_t         n = 0;
    bool            ok = true;
    c->part_start = bs_alloc(((size_t)from->labels.n + 1) * sizeof *c->part_start);
    for (int32_t i = 0; c->part_start && ok && i < from->labels.n; i++) {
        c->part_start[i] = n;
        for (const char *p = from->labels.item[i].text, *cut; ok && p; p = cut ? cut + 1 : NULL) {
            cut = separator ? strstr(p, separator) : NULL;
            p = separator ? bs_skip_blanks(p) : p;
            const size_t len = !cut ? strlen(p) : cut > p ? (size_t)(cut - p) : 0;
            const size_t trimmed = separator ? bs_trim(p, len) : len;
            ok = (separator && trimmed == 0) || add_part(c, p, trimmed, &n);
        }
    }
    if (!c->part_start || !ok)
        return bs_fail_nomem(c->x->r->err);
    c->part_start[from->labels.n] = n;
    if (separator)
        bs_notes_add(c->x->r->notes, "separator",
                     "labels in \"%s\" are separated by '%s' (data.label_sep)", c->x->label_key,
                     separator);
    return BASIN_OK;
}

static bool copy_labels(columns *c, const bs_entries *from, int32_t row, bs_entries *to)
{
    bool ok = true;
    for (int32_t e = from->start[row]; ok && e < from->start[row + 1]; e++)
        for (int32_t k = c->part_start[from->index[e]]; ok && k < c->part_start[from->index[e] + 1];
             k++)
            ok = bs_push_label(to, c->part[k]);
    return ok;
}

/* --- making the rows anew ------------------------------------------------ */

/* The features of a member, side by side; nulls of texts have one that is not needed. */
static basin_status add_member(columns *c, jsonl_member *k)
{
    jsonl      *x = c->x;
    bs_arena   *arena = &c->to.ds->arena;
    const char *attribute = bs_arena_copy(arena, k->name, strlen(k->name));
    bool        fresh, ok = attribute != NULL;
    if (k->role == JSONL_LABEL)
        ok = ok &&
             (k->label = bs_names_add(&c->to.labels, attribute, strlen(attribute), &fresh)) >= 0;
    for (int32_t f = k->first; ok && f >= 0; f = x->feature[f].next) {
        const bs_feature *old = &x->r->b->feature[f];
        c->map[f] = -1;
        if (k->role != JSONL_FEATURE || (has_texts(k) && !old->value))
            continue;
        const char *value =
            old->value ? bs_arena_copy(arena, old->value, strlen(old->value)) : NULL;
        bs_feature_kind kind = old->value                 ? BS_FEATURE_ONEHOT
                               : k->truths && !k->numbers ? BS_FEATURE_BINARY
                                                          : BS_FEATURE_NUMERIC;
        if (value || !old->value)
            c->map[f] = bs_build_feature(&c->to, old->name, attribute, value, kind, &fresh);
        ok = c->map[f] >= 0;
    }
    return ok ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static bool add_entry(columns *c, int32_t row, int32_t f, float v)
{
    jsonl_member *k = &c->x->member[c->x->feature[f].member];
    const char   *value = c->x->r->b->feature[f].value;
    k->seen = row + 1;
    if (k->role == JSONL_TEXT)
        return !value || bs_build_document(&c->to, value, strlen(value));
    if (k->role == JSONL_LABEL) {
        int on = value ? bs_cell_truth(c->x->r->o, value, strlen(value)) : isnan(v) ? -1 : v != 0;
        return on > 0   ? bs_push_y(&c->to, k->label)
               : on < 0 ? bs_build_unknown(&c->to, k->label)
                        : true;
    }
    return c->map[f] < 0 || v == 0 || bs_push_x(&c->to, c->map[f], v);
}

/* Adds what the row does not list. */
static bool add_absent(columns *c, int32_t row)
{
    bool ok = true;
    for (int32_t m = 0; ok && m < c->x->members.n; m++) {
        const jsonl_member *k = &c->x->member[m];
        if (k->seen == row + 1)
            continue;
        if (k->role == JSONL_LABEL)
            ok = bs_build_unknown(&c->to, k->label);
        else if (k->role == JSONL_FEATURE && c->records && !has_texts(k) && k->number >= 0)
            ok = bs_push_x(&c->to, c->map[k->number], NAN);
    }
    return ok;
}

static basin_status copy_row(columns *c, int32_t row)
{
    const bs_build *from = c->x->r->b;
    int32_t         twice;
    bool            ok = true;
    for (int32_t e = from->x.start[row]; ok && e < from->x.start[row + 1]; e++)
        ok = add_entry(c, row, from->x.index[e], from->x.value[e]);
    ok = ok && add_absent(c, row);
    ok = ok && copy_labels(c, &from->y, row, &c->to.y) && copy_labels(c, &from->u, row, &c->to.u);
    if (ok && row < from->n_ids && from->row_id[row])
        ok = bs_build_id(&c->to, from->row_id[row], strlen(from->row_id[row]));
    if (ok && row < from->n_documents)
        ok = bs_build_document(&c->to, from->document[row].bytes, from->document[row].n);
    basin_status s = ok ? bs_build_row(&c->to, &twice, c->x->r->err) : bs_fail_nomem(c->x->r->err);
    if (!s && row < from->n_texts && from->row_text[row].bytes &&
        !bs_build_text(&c->to, from->row_text[row].bytes, from->row_text[row].n))
        s = bs_fail_nomem(c->x->r->err);
    return s;
}

/* What was read of one row at a time becomes rows of columns. */
static basin_status make_anew(columns *c)
{
    bs_build    *from = c->x->r->b;
    basin_status s = bs_build_init(&c->to, from->max_rows, c->x->r->err);
    if (!s)
        s = take_label_names(c);
    for (int32_t m = 0; !s && m < c->x->members.n; m++)
        s = add_member(c, &c->x->member[m]);
    for (int32_t r = 0; !s && r < from->rows; r++)
        s = copy_row(c, r);
    if (s) {
        bs_build_free(&c->to);
        return s;
    }
    c->to.rows_before = from->rows_before;
    c->to.rounded = from->rounded;
    c->to.first_rounded = from->first_rounded;
    c->to.repeated = c->to.repeated || from->repeated;
    c->to.recoded = from->recoded;
    c->to.ds->source = from->ds->source;
    c->to.ds->by_name = true;
    c->to.ds->schema.open = !c->records;
    c->to.ds->schema.dense = c->records;
    bs_build_free(from);
    *from = c->to;
    return BASIN_OK;
}

basin_status bs_jsonl_columns(jsonl *x)
{
    columns      c = {.x = x};
    basin_status s = set_roles(x);
    if (s)
        return s;
    judge_absent(&c);
    c.map = bs_alloc(((size_t)x->r->b->features.n + 1) * sizeof *c.map);
    s = c.map ? make_anew(&c) : bs_fail_nomem(x->r->err);
    bs_free(c.map);
    bs_free(c.part_start);
    bs_free(c.part);
    return s;
}
