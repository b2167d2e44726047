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

typedef enum { FEATURE, LABEL, SKIP } role;

typedef struct {
    jsonl   *x;
    bs_build to;
    role    *role;    /* [members] */
    int32_t *label;   /* [members]: for a LABEL, its number */
    int32_t *seen;    /* [members]: last row with it, from 1 */
    int32_t *map;     /* [features]: number in `to`, -1: none */
    int32_t *order;   /* [features]: by member, then by arrival */
    int32_t *start;   /* [members + 1]: start of its features in order */
    bool     records; /* absent members are missing */
    bool     anew;    /* features must be moved */
} columns;

/* A category that is null in all rows cannot be told from a number. */
static bool has_texts(const jsonl_member *m)
{
    return m->texts > 0 || (m->category && m->numbers == 0 && m->truths == 0);
}

/* --- which members are what ---------------------------------------------- */

/* Puts the features of every member side by side. */
static void group(columns *c)
{
    const int32_t n = c->x->members.n, features = c->x->r->b->features.n;
    for (int32_t f = 0; f < features; f++)
        c->start[c->x->of[f] + 1]++;
    for (int32_t m = 0; m < n; m++)
        c->start[m + 1] += c->start[m];
    for (int32_t f = features - 1; f >= 0; f--)
        c->order[--c->start[c->x->of[f] + 1]] = f;
    /* start[m + 1] is now where m begins */
    for (int32_t m = 0; m < n; m++)
        c->start[m] = c->start[m + 1];
    c->start[n] = features;
    for (int32_t f = 0; f < features; f++)
        c->anew = c->anew || c->order[f] != f;
}

/* True, false, 0, 1, and texts that mean these. */
static basin_status check_label(const columns *c, int32_t m)
{
    const jsonl_member *k = &c->x->member[m];
    const bs_build     *b = c->x->r->b;
    for (int32_t i = c->start[m]; i < c->start[m + 1]; i++) {
        const char *value = b->feature[c->order[i]].value;
        if (value && bs_cell_truth(c->x->r->o, value, strlen(value)) < 0)
            return bs_error_at(c->x->r, 0, 0,
                               "label member '%s' has the value '%.40s'; a label is true, false, 0 "
                               "or 1 (--true and --false add words)",
                               k->name, value);
    }
    if (k->others)
        return bs_error_at(c->x->r, 0, 0, "label member '%s' has numbers other than 0 and 1",
                           k->name);
    return BASIN_OK;
}

/* Texts that are not categories. */
static bool leave_out(const columns *c, int32_t m)
{
    const jsonl_member *k = &c->x->member[m];
    bs_texts            texts = {0};
    int32_t             hint = 0;
    if (!has_texts(k) || bs_schema_attribute(c->x->r->o->like, k->name, &hint))
        return false;
    for (int32_t i = c->start[m]; i < c->start[m + 1]; i++) {
        const char *value = c->x->r->b->feature[c->order[i]].value;
        if (value)
            bs_texts_add(&texts, value);
    }
    return bs_texts_left_out(c->x->r, k->name, &texts, (int32_t)k->texts);
}

static basin_status set_roles(columns *c)
{
    jsonl                 *x = c->x;
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
    for (int32_t m = 0; !s && m < n; m++) {
        c->role[m] = mark[m] ? LABEL : drop[m] || leave_out(c, m) ? SKIP : FEATURE;
        if (c->role[m] == LABEL)
            s = check_label(c, m);
        if (c->role[m] == SKIP)
            x->r->b->ds->source.skipped += !drop[m];
        /* nulls of texts have a feature that is not needed */
        c->anew = c->anew || c->role[m] != FEATURE || x->member[m].zeros ||
                  (has_texts(&x->member[m]) && x->member[m].number >= 0);
    }
    bs_free(names);
    bs_free(mark);
    return s;
}

/* --- absent members ------------------------------------------------------ */

static void judge_absent(columns *c)
{
    const bs_reading *r = c->x->r;
    int64_t           present = 0, zeros = 0, members = 0;
    for (int32_t m = 0; m < c->x->members.n; m++) {
        const jsonl_member *k = &c->x->member[m];
        present += k->numbers + k->truths + k->texts + k->nulls;
        zeros += k->zeros;
        members++;
    }
    const int64_t cells = members * r->b->rows;
    if (strcmp(r->o->absent, "auto") != 0)
        c->records = strcmp(r->o->absent, "missing") == 0;
    else if (r->o->like && r->o->like->feature)
        c->records = !r->o->like->open;
    else if (c->x->bag)
        c->records = present == cells || (2 * present >= cells && 20 * zeros >= present);
    else
        c->records = 2 * present >= cells || (10 * present >= cells && 20 * zeros >= present);
    c->anew = c->anew || (c->records && present < cells);
    if (present < cells && !r->o->like)
        bs_notes_add(r->notes, "absent",
                     c->records ? "members that a row does not have are missing values "
                                  "(data.absent)"
                                : "members that a row does not have are 0 (data.absent)");
}

/* --- making the rows anew ------------------------------------------------ */

static basin_status add_features(columns *c)
{
    const bs_build *from = c->x->r->b;
    bs_arena       *arena = &c->to.ds->arena;
    basin_status    s = BASIN_OK;
    for (int32_t m = 0; !s && m < c->x->members.n; m++) {
        const jsonl_member *k = &c->x->member[m];
        const char         *attribute = NULL;
        bool                fresh;
        if (c->role[m] == LABEL) {
            c->label[m] = bs_names_add(&c->to.labels, k->name, strlen(k->name), &fresh);
            s = c->label[m] < 0 ? bs_fail_nomem(c->x->r->err) : BASIN_OK;
        }
        for (int32_t i = c->start[m]; !s && i < c->start[m + 1]; i++) {
            const int32_t     f = c->order[i];
            const bs_feature *old = &from->feature[f];
            c->map[f] = -1;
            if (c->role[m] != FEATURE || (has_texts(k) && !old->value))
                continue;
            const char *value =
                old->value ? bs_arena_copy(arena, old->value, strlen(old->value)) : NULL;
            attribute = attribute ? attribute : bs_arena_copy(arena, k->name, strlen(k->name));
            bs_feature_kind kind = old->value                 ? BS_FEATURE_ONEHOT
                                   : k->truths && !k->numbers ? BS_FEATURE_BINARY
                                                              : BS_FEATURE_NUMERIC;
            if (attribute && (value || !old->value))
                c->map[f] = bs_build_feature(&c->to, old->name, attribute, value, kind, &fresh);
            if (c->map[f] < 0)
                s = bs_fail_nomem(c->x->r->err);
        }
    }
    return s;
}

static bool add_entry(columns *c, int32_t row, int32_t f, float v)
{
    const int32_t m = c->x->of[f];
    const char   *value = c->x->r->b->feature[f].value;
    c->seen[m] = row + 1;
    if (c->role[m] == LABEL) {
        int on = value ? bs_cell_truth(c->x->r->o, value, strlen(value)) : isnan(v) ? -1 : v != 0;
        return on > 0   ? bs_push_y(&c->to, c->label[m])
               : on < 0 ? bs_build_unknown(&c->to, c->label[m])
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
        if (c->seen[m] == row + 1 || c->role[m] == SKIP)
            continue;
        if (c->role[m] == LABEL)
            ok = bs_build_unknown(&c->to, c->label[m]);
        else if (c->records && !has_texts(k) && k->number >= 0)
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
    for (int32_t e = from->y.start[row]; ok && e < from->y.start[row + 1]; e++)
        ok = bs_push_y(&c->to, from->y.index[e]);
    for (int32_t e = from->u.start[row]; ok && e < from->u.start[row + 1]; e++)
        ok = bs_build_unknown(&c->to, from->u.index[e]);
    if (ok && row < from->n_ids && from->row_id[row])
        ok = bs_build_id(&c->to, from->row_id[row], strlen(from->row_id[row]));
    basin_status s = ok ? bs_build_row(&c->to, &twice, c->x->r->err) : bs_fail_nomem(c->x->r->err);
    if (!s && row < from->n_texts && from->row_text[row].bytes &&
        !bs_build_text(&c->to, from->row_text[row].bytes, from->row_text[row].n))
        s = bs_fail_nomem(c->x->r->err);
    return s;
}

static basin_status make_anew(columns *c)
{
    bs_build    *from = c->x->r->b;
    bool         fresh;
    basin_status s = bs_build_init(&c->to, from->max_rows, c->x->r->err);
    for (int32_t i = 0; !s && i < from->labels.n; i++)
        if (bs_names_add(&c->to.labels, from->labels.item[i].text, from->labels.item[i].len,
                         &fresh) < 0)
            s = bs_fail_nomem(c->x->r->err);
    if (!s)
        s = add_features(c);
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
    c->to.ds->source = from->ds->source;
    bs_build_free(from);
    *from = c->to;
    return BASIN_OK;
}

/* If no feature moves, only the kinds need setting. */
static void set_kinds(columns *c)
{
    for (int32_t m = 0; m < c->x->members.n; m++) {
        const jsonl_member *k = &c->x->member[m];
        if (k->number >= 0 && k->truths && !k->numbers)
            c->x->r->b->feature[k->number].kind = BS_FEATURE_BINARY;
    }
}

static void free_columns(columns *c)
{
    bs_free(c->role);
    bs_free(c->label);
    bs_free(c->seen);
    bs_free(c->map);
    bs_free(c->order);
    bs_free(c->start);
}

basin_status bs_jsonl_columns(jsonl *x)
{
    columns      c = {.x = x};
    const size_t n = (size_t)x->members.n + 2, f = (size_t)x->r->b->features.n + 1;
    c.role = bs_calloc(n, sizeof *c.role);
    c.label = bs_calloc(n, sizeof *c.label);
    c.seen = bs_calloc(n, sizeof *c.seen);
    c.start = bs_calloc(n, sizeof *c.start);
    c.map = bs_calloc(f, sizeof *c.map);
    c.order = bs_calloc(f, sizeof *c.order);
    basin_status s = c.role && c.label && c.seen && c.start && c.map && c.order
                         ? BASIN_OK
                         : bs_fail_nomem(x->r->err);
    if (!s) {
        group(&c);
        s = set_roles(&c);
    }
    if (!s) {
        judge_absent(&c);
        if (c.anew && x->r->b->rows)
            s = make_anew(&c);
        else
            set_kinds(&c);
    }
    if (!s) {
        bs_rows *ds = x->r->b->ds;
        ds->by_name = true;
        ds->schema.open = !c.records;
        ds->schema.dense = c.records;
    }
    free_columns(&c);
    return s;
}
