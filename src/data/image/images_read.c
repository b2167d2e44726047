/* images_read.c -- from paths to a data set: look at all names, then decode what is needed.
 *
 * Sources are walked twice. The first walk collects names, small text files and, for a common size,
 * the sizes of photos; then we know what belongs together. The second walk decodes. So memory holds
 * the result and one picture, whatever the order in an archive. A third walk is only needed for
 * masks whose values leave open what 255 means. */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "data/image/images_part.h"
#include "data/image/picture.h"

enum { AUTO_SIDE = 128, LABEL_ROOM = 512 };

#define LONGEST_TEXT ((size_t)64 << 20) /* of a list */

const char *bs_images_label(const bs_image_reading *r, int source, const char *name, char *to,
                            size_t room)
{
    const bs_source *s = &r->source[source];
    size_t           n = strlen(s->path);
    if (s->kind == BS_SOURCE_PICTURE || name[0] == '/')
        bs_print(to, room, "%s", s->kind == BS_SOURCE_PICTURE ? s->path : name);
    else if (s->kind == BS_SOURCE_ARCHIVE)
        bs_print(to, room, "%s: %s", s->path, name);
    else
        bs_print(to, room, "%s%s%s", s->path, n && s->path[n - 1] == '/' ? "" : "/", name);
    return to;
}

void *bs_images_room(bs_images *im, size_t bytes, basin_error *err)
{
    void *p = bs_arena_alloc(&im->arena, bytes);
    if (p)
        return p;
    if (bytes > im->arena.ceiling || im->arena.used > im->arena.ceiling - bytes)
        bs_fail(err, BASIN_EDATA,
                "the pictures need more than %zu MiB (image.max_mb); image.size=WxH makes them "
                "smaller",
                im->arena.ceiling >> 20);
    else
        bs_fail_nomem(err);
    return NULL;
}

basin_status bs_images_rows(bs_images *im, bool originals, basin_error *err)
{
    const size_t n = (size_t)im->n;
    int32_t     *side = bs_images_room(im, 4 * n * sizeof *side, err);
    uint8_t    **plane = side ? bs_images_room(im, 4 * n * sizeof *plane, err) : NULL;
    im->name = plane ? bs_images_room(im, n * sizeof *im->name, err) : NULL;
    im->part = im->name ? bs_images_room(im, n, err) : NULL;
    if (!im->part)
        return BASIN_ENOMEM;
    im->width = side;
    im->height = side + n;
    im->mask_width = side + 2 * n;
    im->mask_height = side + 3 * n;
    im->pixels = plane;
    im->mask = plane + n;
    im->full_mask = plane + 2 * n;
    im->original = originals ? plane + 3 * n : NULL;
    return BASIN_OK;
}

static bool label_free(const bs_images_prior *prior)
{
    return prior && prior->label_free;
}

/* --- first walk ------------------------------------------------------------ */

static bool is_picture(const bs_image_reading *r, const char *name)
{
    return bs_is_picture_name(name) || r->source[r->at_source].kind == BS_SOURCE_PICTURE;
}

static bool needs_sizes(const bs_image_reading *r)
{
    return strcmp(r->o->size, "auto") == 0;
}

static bool look_wants(void *self, const char *name)
{
    bs_image_reading *r = self;
    r->seen++;
    if (is_picture(r, name)) {
        basin_status s = bs_catalogue_file(&r->cat, name, r->at_source, r->err);
        r->failed = r->failed ? r->failed : s;
        return needs_sizes(r) && !s;
    }
    if (bs_is_json_name(name))
        return !label_free(r->prior);
    if (bs_foreign_picture(name) && r->foreign++ == 0)
        bs_print(r->example, sizeof r->example, "%.255s", name);
    return bs_is_list_name(name);
}

static basin_status take_json(bs_image_reading *r, const char *name, const char *text, size_t n)
{
    bs_coco      coco = {0};
    char         a[LABEL_ROOM];
    basin_status s = BASIN_OK;
    if (!bs_coco_sniff(text, n))
        return s;
    bs_images_label(r, r->at_source, name, a, sizeof a);
    s = bs_coco_read(a, text, n, &coco, r->err);
    if (!s)
        s = bs_catalogue_outlines(&r->cat, name, r->at_source, false, &coco, r->err);
    bs_coco_free(&coco);
    return s;
}

static basin_status look_take(void *self, const char *name, const uint8_t *bytes, size_t n,
                              basin_error *err)
{
    bs_image_reading *r = self;
    bs_picture_info   info;
    char              a[LABEL_ROOM];
    if (is_picture(r, name)) {
        /* A broken picture is reported only if it is needed. */
        bs_picture_limits limits = {r->o->max_side, r->o->max_pixels};
        bs_file          *f = &r->cat.file[r->cat.n_files - 1];
        if (needs_sizes(r) && n && !bs_picture_probe(name, bytes, n, &limits, &info, NULL)) {
            f->width = info.width;
            f->height = info.height;
        }
        return BASIN_OK;
    }
    if (bs_is_json_name(name))
        return take_json(r, name, (const char *)bytes, n);
    if (n > 0 && bs_is_utf16((const char *)bytes, n))
        return bs_fail(err, BASIN_EDATA, "%s: is UTF-16; save it as UTF-8",
                       bs_images_label(r, r->at_source, name, a, sizeof a));
    if (n == 0 || n > LONGEST_TEXT || memchr(bytes, 0, n))
        return BASIN_OK;
    return bs_catalogue_text(&r->cat, name, r->at_source, (const char *)bytes, n, err);
}

static basin_status look_around(bs_image_reading *r)
{
    bs_visitor   v = {.self = r,
                      .wants = look_wants,
                      .take = look_take,
                      .max_mb = r->o->unpack_mb,
                      .max_files = 16 * (size_t)r->o->max_images + 100000};
    basin_status s = BASIN_OK;
    for (r->at_source = 0; r->at_source < r->n && !s; r->at_source++) {
        s = bs_source_walk(&r->source[r->at_source], &v, r->err);
        s = s ? s : r->failed;
    }
    if (!s && v.links)
        bs_notes_add(r->notes, "links",
                     "%zu links in the archive are not followed, such as %.120s: pack it by "
                     "tar --dereference --hard-dereference",
                     v.links, v.link);
    r->links = v.links;
    return s;
}

/* --- what is read, and how large ------------------------------------------- */

static basin_status pick(bs_image_reading *r)
{
    const bs_catalogue *c = &r->cat;
    bs_images          *im = r->im;
    r->picked = bs_arena_alloc(&r->cat.arena, (c->n_pairs + 1) * sizeof *r->picked);
    if (!r->picked)
        return bs_fail_nomem(r->err);
    for (size_t i = 0; i < c->n_pairs; i++)
        if (r->part < 0 || (int)c->pair[i].part == r->part)
            r->picked[im->n++] = (int32_t)i;
    if (im->n == 0)
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: no photos for the part '%s'; there are train %d, valid %d, test %d, "
                       "in no part %d",
                       r->source[0].path, bs_part_name((bs_image_part)r->part),
                       (int)r->parts[BS_PART_TRAIN], (int)r->parts[BS_PART_VALID],
                       (int)r->parts[BS_PART_TEST], (int)r->parts[BS_PART_NONE]);
    if (im->n > r->o->max_images)
        return bs_fail(r->err, BASIN_EDATA, "%s: %d photos; %d are read (image.max_images)",
                       r->source[0].path, (int)im->n, r->o->max_images);
    return BASIN_OK;
}

static int by_number(const void *a, const void *b)
{
    int32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The median sides, at most AUTO_SIDE, in steps of four: nets halve them twice. A net sees about a
 * hundred pixels around each, so of larger photos it would see parts without the whole. */
static void common_size(bs_image_reading *r, int32_t *w, int32_t *h, size_t n)
{
    qsort(w, n, sizeof *w, by_number);
    qsort(h, n, sizeof *h, by_number);
    const int32_t W = w[n / 2], H = h[n / 2], longest = W > H ? W : H;
    const double  scale = longest > AUTO_SIDE ? (double)AUTO_SIDE / longest : 1;
    r->W = W;
    r->H = H;
    if (w[0] == w[n - 1] && h[0] == h[n - 1] && longest <= AUTO_SIDE)
        return;
    r->W = (int32_t)(W * scale / 4 + 0.5) * 4;
    r->H = (int32_t)(H * scale / 4 + 0.5) * 4;
    r->W = r->W < 4 ? 4 : r->W;
    r->H = r->H < 4 ? 4 : r->H;
    bs_notes_add(r->notes, "size",
                 "photos are %d to %d wide and %d to %d high: all are resized to %d x %d "
                 "(image.size=keep leaves them)",
                 (int)w[0], (int)w[n - 1], (int)h[0], (int)h[n - 1], (int)r->W, (int)r->H);
}

/* Over all parts, so that each gets the same size when read alone. */
static basin_status auto_size(bs_image_reading *r)
{
    const bs_catalogue *c = &r->cat;
    int32_t            *w = bs_alloc((c->n_pairs + 1) * sizeof *w);
    int32_t            *h = bs_alloc((c->n_pairs + 1) * sizeof *h);
    size_t              n = 0;
    basin_status        s = w && h ? BASIN_OK : bs_fail_nomem(r->err);
    for (size_t i = 0; i < c->n_pairs && !s; i++) {
        const bs_file *f = &c->file[c->pair[i].image];
        if (!f->width)
            continue;
        w[n] = f->width;
        h[n] = f->height;
        n++;
    }
    if (!s && n)
        common_size(r, w, h, n);
    bs_free(w);
    bs_free(h);
    return s;
}

static basin_status choose_size(bs_image_reading *r)
{
    int W = 0, H = 0;
    if (needs_sizes(r))
        return auto_size(r);
    if (strcmp(r->o->size, "keep") == 0)
        return BASIN_OK;
    const bool known = bs_image_size(r->o->size, &W, &H);
    if (known && (W > r->o->max_side || H > r->o->max_side))
        return bs_fail(r->err, BASIN_EARG,
                       "image.size: a side of '%.40s' is longer than %d "
                       "(image.max_side)",
                       r->o->size, r->o->max_side);
    if (known && (int64_t)W * H > r->o->max_pixels)
        return bs_fail(r->err, BASIN_EARG,
                       "image.size: '%.40s' has more than %d pixels (image.max_pixels)", r->o->size,
                       r->o->max_pixels);
    if (!known)
        return bs_fail(r->err, BASIN_EARG,
                       "image.size: '%.40s' is not WxH (such as 64x48), auto or keep", r->o->size);
    r->W = W;
    r->H = H;
    return BASIN_OK;
}

/* --- second walk ----------------------------------------------------------- */

static basin_status make_room(bs_image_reading *r)
{
    const size_t n = (size_t)r->im->n;
    bs_arena_init(&r->im->arena, (size_t)r->o->max_mb << 20);
    if (bs_images_rows(r->im, r->o->originals, r->err))
        return r->err->status;
    r->user = bs_arena_alloc(&r->cat.arena, (r->cat.n_files + 1) * sizeof *r->user);
    r->photo_w = bs_arena_alloc(&r->cat.arena, n * sizeof *r->photo_w);
    r->photo_h = bs_arena_alloc(&r->cat.arena, n * sizeof *r->photo_h);
    r->planes = bs_arena_alloc(&r->cat.arena, n);
    r->largest = bs_arena_alloc(&r->cat.arena, n);
    if (!r->user || !r->photo_w || !r->photo_h || !r->planes || !r->largest)
        return bs_fail_nomem(r->err);
    return BASIN_OK;
}

static basin_status plan_decoding(bs_image_reading *r)
{
    const bs_catalogue *c = &r->cat;
    bs_images          *im = r->im;
    basin_status        s = make_room(r);
    for (size_t i = 0; i < c->n_files && !s; i++)
        r->user[i] = BS_NOT_WANTED;
    for (int32_t i = 0; i < im->n && !s; i++) {
        const bs_pair *p = &c->pair[r->picked[i]];
        r->user[p->image] = 2 * i;
        if (p->mask >= 0 && !label_free(r->prior)) {
            char a[LABEL_ROOM];
            if (r->user[p->mask] >= 0)
                return bs_fail(r->err, BASIN_EDATA, "%s: the mask of two photos",
                               bs_images_label(r, c->file[p->mask].source, c->file[p->mask].name, a,
                                               sizeof a));
            r->user[p->mask] = 2 * i + 1;
        }
        im->part[i] = (uint8_t)p->part;
        im->name[i] = bs_arena_copy(&im->arena, p->name, strlen(p->name));
        if (!im->name[i])
            s = bs_fail_nomem(r->err);
    }
    return s;
}

static bool decode_wants(void *self, const char *name)
{
    bs_image_reading *r = self;
    int32_t           f = bs_catalogue_find(&r->cat, r->at_source, name);
    return f >= 0 && r->user[f] != BS_NOT_WANTED;
}

static basin_status decode_take(void *self, const char *name, const uint8_t *bytes, size_t n,
                                basin_error *err)
{
    bs_image_reading *r = self;
    int32_t           f = bs_catalogue_find(&r->cat, r->at_source, name);
    (void)err;
    basin_status s = bs_images_decode(r, f, bytes, n);
    r->user[f] = BS_NOT_WANTED; /* a repeated name is skipped */
    return s;
}

static basin_status walk_wanted(bs_image_reading *r)
{
    bs_visitor v = {
        .self = r, .wants = decode_wants, .take = decode_take, .max_mb = r->o->unpack_mb};
    basin_status s = BASIN_OK;
    for (r->at_source = 0; r->at_source < r->n && !s; r->at_source++)
        s = bs_source_walk(&r->source[r->at_source], &v, r->err);
    return s;
}

static basin_status decode_all(bs_image_reading *r)
{
    basin_status s = r->given ? bs_images_given_decode(r) : walk_wanted(r);
    for (size_t i = 0; i < r->cat.n_files && !s && !r->given; i++)
        if (r->user[i] >= 0) {
            char a[LABEL_ROOM];
            s = bs_fail(
                r->err, BASIN_EIO, "%s: has disappeared",
                bs_images_label(r, r->cat.file[i].source, r->cat.file[i].name, a, sizeof a));
        }
    return s;
}

/* The meaning of mask values depends on the whole data set: a part may lack the foreground. */
static basin_status look_elsewhere(bs_image_reading *r)
{
    const bs_catalogue *c = &r->cat;
    if (!bs_images_in_doubt(r))
        return BASIN_OK;
    for (size_t i = 0; i < c->n_pairs; i++)
        if ((int)c->pair[i].part != r->part && c->pair[i].mask >= 0)
            r->user[c->pair[i].mask] = BS_VALUES_ONLY;
    return walk_wanted(r);
}

/* --- together -------------------------------------------------------------- */

/* Colours known to a model define the classes, whatever lists the data has. */
static void recall_classes(bs_image_reading *r, bs_pair_options *p)
{
    const bs_images_prior *prior = r->prior;
    for (int k = 0; k < prior->classes; k++) {
        const int32_t rgb = prior->colour[k];
        bs_class      c = {.name = prior->name ? prior->name[k] : NULL, .coloured = rgb >= 0};
        for (int i = 0; i < 3 && rgb >= 0; i++)
            c.rgb[i] = (uint8_t)(rgb >> (16 - 8 * i));
        r->cat.class[k] = c;
    }
    r->cat.n_classes = prior->classes;
    r->cat.classes_from = prior->who;
    p->classes_known = true;
}

static basin_status read_class_file(bs_image_reading *r, bs_pair_options *p, bs_buf *text)
{
    if (r->prior && r->prior->colour)
        recall_classes(r, p);
    if (!*r->o->names || p->classes_known)
        return BASIN_OK;
    basin_status s = bs_read_file_most(r->o->names, r->o->unpack_mb, text, r->err);
    size_t       n = text->len;
    if (!s && bs_is_utf16(text->data, n))
        s = bs_fail(r->err, BASIN_EDATA, "%s: is UTF-16; save it as UTF-8", r->o->names);
    if (!s && !text->data)
        s = bs_fail(r->err, BASIN_EDATA, "%s: is empty; it lists classes, one per line",
                    r->o->names);
    p->class_file = s ? NULL : text->data + (bs_skip_mark(text->data, &n) - text->data);
    p->class_file_name = r->o->names;
    return s;
}

/* Prefixes of names in messages. */
static basin_status find_roots(bs_image_reading *r)
{
    const char **root = bs_arena_alloc(&r->cat.arena, (size_t)r->n * sizeof *root);
    bool         ok = root != NULL;
    for (int i = 0; i < r->n && ok; i++) {
        char a[LABEL_ROOM];
        bs_images_label(r, i, "", a, sizeof a);
        root[i] = r->source[i].kind == BS_SOURCE_PICTURE
                      ? ""
                      : bs_arena_copy(&r->cat.arena, a, strlen(a));
        ok = root[i] != NULL;
    }
    r->cat.root = root;
    return ok ? BASIN_OK : bs_fail_nomem(r->err);
}

/* No photo was found: explain why. */
static basin_status fail_empty(const bs_image_reading *r)
{
    const char *path = r->source[0].path;
    if (r->links)
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: no photos found; %zu links in it are not followed: pack it by "
                       "tar --dereference --hard-dereference",
                       path, r->links);
    if (r->seen == 0)
        return bs_fail(r->err, BASIN_EDATA, "%s: there are no files in it", path);
    if (r->foreign)
        return bs_fail(
            r->err, BASIN_EDATA,
            "%s: no photos found; %d files are not PNG or JPEG, such as %.120s, which is %s", path,
            (int)r->foreign, r->example, bs_foreign_picture(r->example));
    return bs_fail(r->err, BASIN_EDATA, "%s: no photos found, PNG or JPEG%s", path,
                   r->cat.lone_masks ? "; there are masks without photos" : "");
}

static basin_status find_pairs(bs_image_reading *r, bs_image_sources *z)
{
    bs_buf          text;
    bs_pair_options p = {.image_suffix = r->o->image_suffix,
                         .mask_suffix = r->o->mask_suffix,
                         .need_mask = r->o->need,
                         .label_free = label_free(r->prior),
                         .known = r->prior ? r->prior->name : NULL,
                         .n_known = r->prior ? r->prior->classes : 0,
                         .who = r->prior ? r->prior->who : NULL};
    bs_buf_init(&text, (size_t)1 << 20);
    r->cat.label = z && r->n > 1 ? z->label : NULL;
    basin_status s = find_roots(r);
    if (!s)
        s = look_around(r);
    for (int i = 0; z && i < r->n && !s; i++)
        if (z->coco[i].label)
            s = bs_catalogue_outlines(&r->cat, z->coco[i].label, i, true, &z->coco[i], r->err);
    if (!s)
        s = read_class_file(r, &p, &text);
    if (!s)
        s = bs_catalogue_pair(&r->cat, &p, r->notes, r->err);
    bs_buf_free(&text);
    if (!s && r->cat.n_pairs == 0)
        s = fail_empty(r);
    if (!s && r->foreign)
        bs_notes_add(r->notes, "foreign",
                     "%d files are left out, such as %.120s, which is %s: PNG and JPEG are read",
                     (int)r->foreign, r->example, bs_foreign_picture(r->example));
    for (size_t i = 0; i < r->cat.n_pairs && !s; i++)
        r->parts[r->cat.pair[i].part]++;
    return s;
}

static void note_parts(const bs_image_reading *r)
{
    const int32_t *k = r->parts;
    if (k[BS_PART_TRAIN] + k[BS_PART_VALID] + k[BS_PART_TEST])
        bs_notes_add(r->notes, "parts", "parts by %s: train %d, valid %d, test %d, none %d",
                     r->cat.lists ? "lists in the data" : "folders", (int)k[BS_PART_TRAIN],
                     (int)k[BS_PART_VALID], (int)k[BS_PART_TEST], (int)k[BS_PART_NONE]);
    if (r->transparent)
        bs_notes_add(r->notes, "transparent", "%d photos are transparent: seen over white",
                     (int)r->transparent);
    if (r->turned)
        bs_notes_add(r->notes, "turned", "%d photos are turned as their EXIF data says",
                     (int)r->turned);
    if (r->tally.crowds)
        bs_notes_add(r->notes, "crowds",
                     "%d objects are crowds: their pixels do not count where no other object is",
                     (int)r->tally.crowds);
    if (r->tally.beyond)
        bs_notes_add(r->notes, "beyond",
                     "%d objects reach beyond their photos: cut off at the edge",
                     (int)r->tally.beyond);
    if (r->tally.nothing)
        bs_notes_add(r->notes, "nothing", "%d objects are smaller than a pixel",
                     (int)r->tally.nothing);
    if (r->animated)
        bs_notes_add(r->notes, "animated", "%d pictures are animated: the first one is used",
                     (int)r->animated);
}

static basin_status read_images(bs_image_reading *r, bs_image_sources *z)
{
    static basin_status (*const steps[])(bs_image_reading *) = {
        pick,           choose_size,           plan_decoding, decode_all, bs_images_unify,
        look_elsewhere, bs_images_settle_masks};
    basin_status s = r->given ? bs_images_given_pairs(r) : find_pairs(r, z);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && !s; i++)
        s = steps[i](r);
    if (s)
        return s;
    memcpy(r->im->parts, r->parts, sizeof r->parts);
    r->im->hash = bs_images_hash(r->im);
    note_parts(r);
    return BASIN_OK;
}

/* r: source, what is known, and where notes and errors go. With counted instead of out: only the
 * images of each part. */
static basin_status run(bs_image_reading r, bs_image_sources *z, const char *part, bs_images **out,
                        int32_t counted[BS_PARTS])
{
    basin_error  own = {0};
    basin_status s = BASIN_OK;
    r.part = -1;
    r.err = r.err ? r.err : &own; /* some failures are recognised by it */
    bs_err_clear(r.err);
    bs_catalogue_init(&r.cat);
    r.channels = strcmp(r.o->channels, "auto") == 0 ? 0 : r.o->channels[0] - '0';
    if (part) {
        r.part = (int)bs_part_word(part, strlen(part));
        if (r.part == BS_PART_NONE)
            s = bs_fail(r.err, BASIN_EARG, "--part: '%.40s' is not train, valid, test or all",
                        part);
    }
    if (!s && counted) {
        s = find_pairs(&r, z);
        memcpy(counted, r.parts, sizeof r.parts);
    } else if (!s) {
        r.im = bs_calloc(1, sizeof *r.im);
        s = r.im ? read_images(&r, z) : bs_fail_nomem(r.err);
    }
    bs_catalogue_free(&r.cat);
    if (s) {
        bs_images_free(r.im);
        r.im = NULL;
    }
    if (out)
        *out = r.im;
    return s;
}

static basin_status read_paths(const char *const *paths, int n, bs_image_reading r,
                               const char *part, bs_images **out, int32_t counted[BS_PARTS])
{
    bs_image_sources z = {0};
    if (out)
        *out = NULL;
    if (n < 1)
        return bs_fail(r.err, BASIN_EARG, "no data given");
    basin_status s = bs_images_open(&z, r.o->set, paths, n, r.o->unpack_mb, r.err);
    r.source = z.source;
    r.n = n;
    if (!s)
        s = run(r, &z, part, out, counted);
    bs_images_close(&z);
    return s;
}

basin_status bs_images_read_as(const char *const *paths, int n, const bs_image_options *o,
                               const bs_images_prior *prior, const char *part, bs_images **out,
                               bs_notes *notes, basin_error *err)
{
    return read_paths(paths, n,
                      (bs_image_reading){.o = o, .prior = prior, .notes = notes, .err = err}, part,
                      out, NULL);
}

basin_status bs_images_read(const char *const *paths, int n, const bs_image_options *o,
                            const char *part, bs_images **out, bs_notes *notes, basin_error *err)
{
    return bs_images_read_as(paths, n, o, NULL, part, out, notes, err);
}

basin_status bs_images_read_memory(const char *name, const void *bytes, size_t n,
                                   const bs_image_options *o, const bs_images_prior *prior,
                                   const char *part, bs_images **out, bs_notes *notes,
                                   basin_error *err)
{
    bs_source s = {.kind = BS_SOURCE_ARCHIVE, .path = name, .bytes = bytes, .n_bytes = n};
    return run(
        (bs_image_reading){
            .source = &s, .n = 1, .o = o, .prior = prior, .notes = notes, .err = err},
        NULL, part, out, NULL);
}

basin_status bs_images_from_memory(const basin_images *x, const bs_image_options *o,
                                   const bs_images_prior *prior, bs_images **out, bs_notes *notes,
                                   basin_error *err)
{
    static const bs_source s = {.kind = BS_SOURCE_ARCHIVE, .path = "images in memory"};
    return run(
        (bs_image_reading){
            .source = &s, .given = x, .n = 1, .o = o, .prior = prior, .notes = notes, .err = err},
        NULL, NULL, out, NULL);
}

basin_status bs_images_parts(const char *const *paths, int n, const bs_image_options *o,
                             int32_t count[4], basin_error *err)
{
    bs_image_options plain = *o;
    bs_image_set    *set = o->set;
    bs_print(plain.size, sizeof plain.size, "keep"); /* sizes do not matter here */
    plain.names[0] = '\0';                           /* nor do classes */
    basin_status s = BASIN_OK;
    if (!set || !set->counted)
        s = read_paths(paths, n, (bs_image_reading){.o = &plain, .err = err}, NULL, NULL, count);
    else
        memcpy(count, set->count, sizeof set->count);
    if (!s && set) {
        memcpy(set->count, count, sizeof set->count);
        set->counted = true;
    }
    return s;
}
