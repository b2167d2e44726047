/* drawn.c -- photos with annotations whose outlines serve as masks; categories become classes. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/scan.h"
#include "data/image/catalogue.h"

enum { MOST_CLASSES = 255, TAKEN = -2 };

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

basin_status bs_catalogue_outlines(bs_catalogue *c, const char *name, int source, bool given,
                                   bs_coco *coco, basin_error *err)
{
    bs_outlines  a = {.source = source, .given = given};
    bs_file      place = {.source = source};
    bool         several = false;
    basin_status s = BASIN_OK;
    a.name = place.name = bs_arena_copy(&c->arena, name, strlen(name));
    if (!a.name || !BS_GROW(c->outlines, c->cap_outlines, c->n_outlines + 1, 1 << 20))
        return bs_fail_nomem(err);
    if (!given) /* a user who names a file knows what it is for */
        s = bs_catalogue_place(c, &place, err);
    if (s)
        return s;
    a.part = given ? BS_PART_NONE : bs_part_of_list(name, &several);
    if (a.part == BS_PART_NONE)
        a.part = place.part;
    a.coco = *coco;
    *coco = (bs_coco){0};
    c->outlines[c->n_outlines++] = a;
    return BASIN_OK;
}

/* --- categories ------------------------------------------------------------ */

static bool is_background(const char *name)
{
    static const char *const names[] = {"background", "_background_", "__background__"};
    for (int i = 0; i < 3; i++)
        if (bs_same_word(name, strlen(name), names[i]))
            return true;
    return false;
}

typedef struct {
    const bs_outlines *file;
    bs_coco_category  *category;
} entry;

static int by_id(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    if (p->category->id != q->category->id)
        return p->category->id < q->category->id ? -1 : 1;
    return (p->file > q->file) - (p->file < q->file);
}

/* A separate class, after all others. */
static basin_status add_class(bs_catalogue *c, const entry *e, basin_error *err)
{
    if (c->n_classes == MOST_CLASSES)
        return bs_fail(err, BASIN_EDATA,
                       "%s: more than %d categories; mask.names=FILE lists those that are wanted, "
                       "background first",
                       e->file->coco.label, MOST_CLASSES - 1);
    for (int k = 1; k < c->n_classes; k++)
        if (strcmp(c->class[k].name, e->category->name) == 0)
            return bs_fail(err, BASIN_EDATA, "%s: two categories are named '%.60s'",
                           e->file->coco.label, e->category->name);
    e->category->class = c->n_classes;
    c->class[c->n_classes++] = (bs_class){.name = e->category->name};
    return BASIN_OK;
}

/* In the order of their identifiers, over all files. */
static basin_status number_by_id(bs_catalogue *c, entry *e, size_t n, basin_error *err)
{
    basin_status s = BASIN_OK;
    qsort(e, n, sizeof *e, by_id);
    c->class[0] = (bs_class){.name = "background"};
    c->n_classes = 1;
    for (size_t i = 0; i < n && !s; i++) {
        const bs_coco_category *before = i ? e[i - 1].category : NULL;
        if (before && before->id == e[i].category->id) {
            if (strcmp(before->name, e[i].category->name) != 0)
                return bs_fail(err, BASIN_EDATA,
                               "%s: category %lld is '%.60s', but '%.60s' in %.200s",
                               e[i].file->coco.label, (long long)before->id, e[i].category->name,
                               before->name, e[i - 1].file->coco.label);
            e[i].category->class = before->class;
        } else if (is_background(e[i].category->name)) {
            c->class[0].name = e[i].category->name;
        } else {
            s = add_class(c, &e[i], err);
        }
    }
    return s;
}

/* By the names in a list or a model. */
static basin_status number_by_name(bs_catalogue *c, const bs_pair_options *o, entry *e, size_t n,
                                   bs_notes *notes, basin_error *err)
{
    size_t      left = 0;
    const char *example = NULL;
    for (size_t i = 0; i < n; i++) {
        bs_coco_category *k = e[i].category;
        k->class = is_background(k->name) ? 0 : -1;
        for (int at = 0; at < c->n_classes && k->class < 0; at++)
            if (c->class[at].name && strcmp(c->class[at].name, k->name) == 0)
                k->class = at;
        if (k->class >= 0)
            continue;
        if (o->known)
            return bs_fail(err, BASIN_EDATA, "%s: category %lld, '%.60s', is not a class of %s",
                           e[i].file->coco.label, (long long)k->id, k->name, o->who);
        example = example ? example : k->name;
        left++;
    }
    if (left)
        bs_notes_add(notes, "categories",
                     "%zu categories are not in %s, such as '%.60s': background", left,
                     c->classes_from, example);
    return BASIN_OK;
}

static basin_status number_classes(bs_catalogue *c, const bs_pair_options *o, bs_notes *notes,
                                   basin_error *err)
{
    size_t       n = 0;
    basin_status s = BASIN_OK;
    for (size_t i = 0; i < c->n_outlines; i++)
        n += c->outlines[i].coco.n_categories;
    entry *e = bs_calloc(n + 1, sizeof *e);
    if (!e)
        return bs_fail_nomem(err);
    n = 0;
    for (size_t i = 0; i < c->n_outlines; i++)
        for (size_t k = 0; k < c->outlines[i].coco.n_categories; k++)
            e[n++] = (entry){&c->outlines[i], &c->outlines[i].coco.category[k]};
    for (int k = 0; o->known && !o->classes_known && k < o->n_known; k++)
        c->class[k] = (bs_class){.name = o->known[k]};
    if (o->known) {
        c->n_classes = o->n_known;
        c->classes_from = o->who;
    } else if (o->class_file) {
        s = bs_catalogue_classes(c, o, notes, err);
    }
    if (!s)
        s = o->known || o->class_file ? number_by_name(c, o, e, n, notes, err)
                                      : number_by_id(c, e, n, err);
    if (!s && !o->known && !o->class_file)
        c->classes_from = c->outlines[0].coco.label;
    bs_free(e);
    return s;
}

/* --- photos ---------------------------------------------------------------- */

typedef struct {
    bs_catalogue      *c;
    basin_error       *err;
    bs_photos          photos;
    const bs_outlines *from;
    size_t             missing, named;
    const char        *example;
} finding;

/* Best is a file next to the annotations, then those of their source and part. */
static int fits(const void *self, int32_t file)
{
    const finding     *f = self;
    const bs_outlines *a = f->from;
    const bs_file     *p = &f->c->file[file];
    const size_t       folder = (size_t)(base_of(a->name) - a->name);
    const bool         same = p->source == a->source;
    if (same && strncmp(p->name, a->name, folder) == 0 && !strchr(p->name + folder, '/'))
        return 4;
    return 1 + same + (p->part == a->part);
}

static basin_status take_entry(finding *f, size_t at)
{
    bs_catalogue        *c = f->c;
    const bs_outlines   *a = f->from;
    const bs_coco_image *im = &a->coco.image[at];
    const int32_t        file = bs_photos_find(&f->photos, im->file, fits, f);
    if (file == -1) {
        f->example = f->example ? f->example : im->file;
        f->missing++;
        return BASIN_OK;
    }
    if (file == -2)
        return bs_fail(f->err, BASIN_EDATA, "%s: image %lld: several photos are named '%.200s'",
                       a->coco.label, (long long)im->id, im->file);
    if (c->file[file].partner == TAKEN)
        return bs_fail(f->err, BASIN_EDATA, "%s: image %lld: '%.200s' is annotated twice",
                       a->coco.label, (long long)im->id, im->file);
    c->file[file].partner = TAKEN;
    c->file[file].role = BS_ROLE_IMAGE;
    f->named++;
    return bs_catalogue_push(c,
                             (bs_pair){.image = file,
                                       .mask = -1,
                                       .part = a->part,
                                       .order = (int32_t)at,
                                       .outlines = &a->coco,
                                       .entry = (int32_t)at},
                             f->err);
}

static basin_status take_entries(finding *f, const bs_outlines *a, bs_notes *notes)
{
    basin_status s = BASIN_OK;
    f->from = a;
    f->missing = f->named = 0;
    f->example = NULL;
    for (size_t i = 0; i < a->coco.n_images && !s; i++)
        s = take_entry(f, i);
    if (!s && f->named == 0 && f->missing)
        s = bs_fail(f->err, BASIN_EDATA,
                    "%s: none of its %zu photos exists, such as '%.200s'; they are searched next "
                    "to it, in folders named images or like the file, and in folders given with it",
                    a->coco.label, f->missing, f->example);
    if (s)
        return s;
    bs_notes_add(notes, "outlines", "masks are drawn from the outlines of %zu objects in %s",
                 a->coco.n_objects, a->coco.label);
    if (f->missing)
        bs_notes_add(notes, "unpaired", "%zu photos of %s are missing, such as %.120s", f->missing,
                     a->coco.label, f->example);
    if (a->coco.boxes)
        bs_notes_add(notes, "boxes", "%zu annotations of %s have no outline: left out",
                     a->coco.boxes, a->coco.label);
    return BASIN_OK;
}

static void note_rest(bs_catalogue *c, bs_notes *notes)
{
    const char *example = NULL;
    int         n = 0;
    for (size_t i = 0; i < c->n_files; i++) {
        if (c->file[i].partner == TAKEN)
            continue;
        n++;
        example = example ? example : c->file[i].name;
    }
    if (example)
        bs_notes_add(notes, "unpaired",
                     "%d pictures are in no list of annotated photos, such as %.120s: left out", n,
                     example);
}

/* Files about photos without outlines (captions, boxes, panoptic maps), and any if there are
 * masks. */
static basin_status drop_useless(bs_catalogue *c, bool label_free, bs_notes *notes,
                                 basin_error *err)
{
    size_t masks = 0, n = 0;
    for (size_t i = 0; i < c->n_files; i++)
        masks += c->file[i].role == BS_ROLE_MASK;
    for (size_t i = 0; i < c->n_outlines; i++) {
        bs_outlines *a = &c->outlines[i];
        const bool   bare = a->coco.n_objects == 0;
        if (a->given && bare && !label_free)
            return bs_fail(err, BASIN_EDATA,
                           "%s: no annotation has an outline ('segmentation'), without which there "
                           "are no masks",
                           a->coco.label);
        if (a->given || (!bare && masks == 0 && !label_free)) {
            c->outlines[n++] = *a;
            continue;
        }
        if (bare)
            bs_notes_add(notes, "outlines", "%s has no outlines of objects: not used",
                         a->coco.label);
        else if (!label_free)
            bs_notes_add(notes, "outlines",
                         "%s is not used, since there are pictures of masks; give it as DATA to "
                         "use it",
                         a->coco.label);
        bs_coco_free(&a->coco);
    }
    c->n_outlines = n;
    return BASIN_OK;
}

basin_status bs_catalogue_drawn(bs_catalogue *c, const bs_pair_options *o, bool *found,
                                bs_notes *notes, basin_error *err)
{
    finding      f = {.c = c, .err = err};
    basin_status s = drop_useless(c, o->label_free, notes, err);
    *found = !s && c->n_outlines > 0;
    if (!*found)
        return s;
    s = bs_photos_index(c, &f.photos, err);
    if (!s && !o->label_free)
        s = number_classes(c, o, notes, err);
    for (size_t i = 0; i < c->n_outlines && !s; i++)
        s = take_entries(&f, &c->outlines[i], notes);
    if (!s)
        note_rest(c, notes);
    bs_photos_free(&f.photos);
    return s;
}
