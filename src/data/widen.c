/* widen.c -- several files as one data set: what only a later one has is added to the schema. */
#include <string.h>

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
static bool widen_features(bs_dataset *a, const bs_schema *b, bs_arena *scratch)
{
    bs_schema  *s = &a->schema;
    bs_names    names, attributes;
    size_t      room = (size_t)s->n_features + (size_t)b->n_features;
    bs_feature *list = bs_arena_alloc(&a->arena, (room + 1) * sizeof *list);
    bool        fresh, ok = list != NULL;
    bs_names_init(&names, scratch);
    bs_names_init(&attributes, scratch);
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
        if (!(s->open && b->open) && !category)
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

static bool widen_labels(bs_dataset *a, const bs_schema *b, bs_arena *scratch)
{
    bs_schema   *s = &a->schema;
    bs_names     names;
    size_t       room = (size_t)s->n_labels + (size_t)b->n_labels;
    const char **list = bs_arena_alloc(&a->arena, (room + 1) * sizeof *list);
    bool         fresh, ok = list != NULL;
    bs_names_init(&names, scratch);
    for (int32_t i = 0; ok && i < s->n_labels; i++) {
        list[i] = s->label[i];
        ok = bs_names_add(&names, list[i], strlen(list[i]), &fresh) >= 0;
    }
    int32_t n = s->n_labels;
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

basin_status bs_dataset_widen(bs_dataset *a, const bs_dataset *other, basin_error *err)
{
    const bs_schema *b = &other->schema;
    bs_arena         scratch;
    bool             ok = true;
    bs_arena_init(&scratch, 0);
    if (a->schema.feature && b->feature)
        ok = widen_features(a, b, &scratch);
    else if (!a->schema.feature && !b->feature && a->schema.open &&
             b->n_features > a->schema.n_features)
        a->schema.n_features = b->n_features;
    if (ok && a->open_labels && other->open_labels)
        ok = widen_labels(a, b, &scratch);
    bs_arena_free(&scratch);
    a->x.cols = a->schema.n_features;
    a->y.cols = a->schema.n_labels;
    a->unknown.cols = a->unknown.start ? a->y.cols : 0;
    return ok ? BASIN_OK : bs_fail_nomem(err);
}
