/* widen.c -- several files as one data set: adds to the schema what only a later file has. */
#include <math.h>
#include <string.h>

#include "data/rows/build.h"
#include "data/dataset.h"
#include "data/names.h"

static bool copy_feature(bs_arena *arena, const bs_feature *from, bs_feature *to)
{
    to->kind = from->kind;
    to->name = bs_arena_copy(arena, from->name, strlen(from->name));
    to->attribute = bs_arena_copy(arena, from->attribute, strlen(from->attribute));
    to->value = from->value ? bs_arena_copy(arena, from->value, strlen(from->value)) : NULL;
    return to->name && to->attribute && (to->value || !from->value);
}

/* New categories of known attributes always; new attributes in open formats only. */
static bool widen_features(bs_rows *a, const bs_rows *other)
{
    const bs_schema *b = &other->schema;
    const bool       grows = (a->schema.open && b->open) || (a->by_name && other->by_name);
    bs_schema       *s = &a->schema;
    bs_names         names, attributes;
    size_t           room = (size_t)s->n_features + (size_t)b->n_features;
    bs_feature      *list = bs_arena_alloc(&a->arena, (room + 1) * sizeof *list);
    bool             fresh, ok = list != NULL;
    bs_names_init(&names, NULL);
    bs_names_init(&attributes, NULL);
    for (int32_t i = 0; ok && i < s->n_features; i++) {
        const bs_feature *f = &s->feature[i];
        list[i] = *f;
        ok = bs_names_add(&names, f->name, strlen(f->name), &fresh) >= 0 &&
             bs_names_add(&attributes, f->attribute, strlen(f->attribute), &fresh) >= 0;
    }
    int32_t n = s->n_features;
    for (int32_t i = 0; ok && i < b->n_features; i++) {
        const bs_feature *f = &b->feature[i];
        bool              category = f->kind == BS_FEATURE_ONEHOT &&
                        bs_names_find(&attributes, f->attribute, strlen(f->attribute)) >= 0;
        if (!grows && !category)
            continue;
        if (bs_names_find(&names, f->name, strlen(f->name)) < 0)
            ok = copy_feature(&a->arena, f, &list[n++]);
    }
    bs_names_free(&names);
    bs_names_free(&attributes);
    if (ok) {
        s->feature = list;
        s->n_features = n;
    }
    return ok;
}

static bool widen_labels(bs_rows *a, const bs_schema *b)
{
    bs_schema   *s = &a->schema;
    bs_names     names;
    size_t       room = (size_t)s->n_labels + (size_t)b->n_labels;
    const char **list = bs_arena_alloc(&a->arena, (room + 1) * sizeof *list);
    bool         ok = bs_names_of(&names, s->label, s->n_labels) && list;
    int32_t      n = s->n_labels;
    if (ok && n)
        memcpy(list, s->label, (size_t)n * sizeof *list);
    for (int32_t i = 0; ok && i < b->n_labels; i++) {
        if (bs_names_find(&names, b->label[i], strlen(b->label[i])) >= 0)
            continue;
        list[n] = bs_arena_copy(&a->arena, b->label[i], strlen(b->label[i]));
        ok = list[n++] != NULL;
    }
    bs_names_free(&names);
    if (ok) {
        s->label = list;
        s->n_labels = n;
    }
    return ok;
}

basin_status bs_rows_add_missing(bs_rows *ds, const uint8_t *which, int32_t n_features,
                                 basin_error *err)
{
    int64_t each = 0;
    for (int32_t i = 0; i < n_features; i++)
        each += which[i];
    const int64_t n = ds->x_start[ds->rows], total = n + each * ds->rows;
    int32_t      *index = total < INT32_MAX ? bs_alloc(((size_t)total + 1) * sizeof *index) : NULL;
    float        *value = index ? bs_alloc(((size_t)total + 1) * sizeof *value) : NULL;
    if (!value) {
        bs_free(index);
        return bs_fail_nomem(err);
    }
    int32_t at = 0;
    for (int32_t r = 0, first = 0; r < ds->rows; r++) {
        const int32_t end = ds->x_start[r + 1], row = at;
        for (int32_t e = first; e < end; e++, at++) {
            index[at] = ds->x_index[e];
            value[at] = ds->x_value ? ds->x_value[e] : 1;
        }
        for (int32_t i = 0; i < n_features; i++)
            if (which[i]) {
                index[at] = i;
                value[at++] = NAN;
            }
        first = end;
        ds->x_start[r + 1] = at;
        bs_sort_entries(index + row, value + row, (size_t)(at - row));
    }
    bs_free(ds->x_index);
    bs_free(ds->x_value);
    ds->x_index = index;
    ds->x_value = value;
    ds->x.index = index;
    ds->x.value = value;
    return BASIN_OK;
}

basin_status bs_rows_widen(bs_rows *a, const bs_rows *other, basin_error *err)
{
    bs_schema       *s = &a->schema;
    const bs_schema *b = &other->schema;
    const int32_t    before = s->n_features;
    basin_status     status = BASIN_OK;
    if (!s->feature && !b->feature && s->open && b->n_features > before)
        s->n_features = b->n_features;
    if ((s->feature && b->feature && !widen_features(a, other)) ||
        (a->open_labels && other->open_labels && !widen_labels(a, b)))
        return bs_fail_nomem(err);
    /* Columns that only the other file has are missing in the existing rows. */
    if (!s->open && s->feature && before < s->n_features) {
        uint8_t *which = bs_calloc((size_t)s->n_features, 1);
        for (int32_t i = before; which && i < s->n_features; i++)
            which[i] = s->feature[i].kind != BS_FEATURE_ONEHOT;
        status = which ? bs_rows_add_missing(a, which, s->n_features, err) : bs_fail_nomem(err);
        bs_free(which);
    }
    a->x.cols = s->n_features;
    a->y.cols = s->n_labels;
    a->unknown.cols = a->unknown.start ? a->y.cols : 0;
    return status;
}
