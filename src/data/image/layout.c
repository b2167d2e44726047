/* layout.c -- photos and masks found by the names of folders and files.
 *
 * Words in the path tell what a picture is (images/, ann_dir/, SegmentationClass/, the ending
 * _mask) and to which part it belongs (train/, val_masks/). A photo and its mask have the same path
 * once the words for roles are removed. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/scan.h"
#include "data/image/catalogue.h"

typedef struct {
    bs_file_role  role;
    bs_image_part part;
    const char   *list;
} word_row;

/* To add a word: into its row; case does not matter. Words within a component may be joined by _ -
 * . or a blank, as in train_images. */
static const word_row words[] = {
    {BS_ROLE_IMAGE, BS_PART_NONE,
     "images image imgs img img_dir jpegimages photos photo pictures inputs input original "
     "originals rgb leftimg8bit"},
    {BS_ROLE_MASK, BS_PART_NONE,
     "masks mask annotations annotation ann_dir labels label gt gts ground_truth groundtruth "
     "figure_ground segmentation segmentations segmentationclass segmentationclassaug segs seg "
     "targets target gtfine"},
    {BS_ROLE_MASK, BS_PART_TRAIN, "trainannot"},
    {BS_ROLE_MASK, BS_PART_VALID, "valannot"},
    {BS_ROLE_MASK, BS_PART_TEST, "testannot"},
    {BS_ROLE_OTHER, BS_PART_NONE, "segmentationobject instances overlays"},
    {BS_ROLE_UNKNOWN, BS_PART_TRAIN, "train training train2014 train2017"},
    {BS_ROLE_UNKNOWN, BS_PART_VALID, "val valid validation dev val2014 val2017"},
    {BS_ROLE_UNKNOWN, BS_PART_TEST, "test testing test2014 test2017"},
};

/* Endings of stems, longer ones before those they end in. */
static const char mask_endings[] =
    "_gtFine_labelTrainIds _gtFine_labelIds _segmentation _annotation _groundtruth _labels _label "
    "_masks _mask -mask .mask _seg _gt _L";
static const char image_endings[] = "_leftImg8bit _image _img _rgb _sat";

static bool same_letters(const char *a, const char *b, size_t n)
{
    size_t i = 0;
    while (i < n && bs_same_word(a + i, 1, (const char[]){b[i], '\0'}))
        i++;
    return i == n;
}

/* Whether a list of words with blanks between them has this one. */
static bool is_in(const char *list, const char *text, size_t len)
{
    for (size_t n; *list; list += n + (list[n] == ' ')) {
        n = strcspn(list, " ");
        if (n == len && same_letters(list, text, n))
            return true;
    }
    return false;
}

static const word_row *find_word(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (is_in(words[i].list, text, len))
            return &words[i];
    return NULL;
}

bs_image_part bs_part_word(const char *text, size_t len)
{
    const word_row *w = find_word(text, len);
    return w && w->role == BS_ROLE_UNKNOWN ? w->part : BS_PART_NONE;
}

const char *bs_part_name(bs_image_part part)
{
    static const char *const name[BS_PARTS] = {"", "train", "valid", "test"};
    return name[part];
}

static bool has_extension(const char *name, const char *list)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    return dot && is_in(list, dot + 1, strlen(dot + 1));
}

const char *bs_foreign_picture(const char *name)
{
    static const char *const kinds[][2] = {
        {"TIFF", "tif tiff"},       {"GIF", "gif"},           {"BMP", "bmp dib"},
        {"WebP", "webp"},           {"JPEG 2000", "jp2 j2k"}, {"HEIF", "heic heif avif"},
        {"PNM", "ppm pgm pbm pnm"}, {"TGA", "tga"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (has_extension(name, kinds[i][1]))
            return kinds[i][0];
    return NULL;
}

bool bs_is_picture_name(const char *name)
{
    return has_extension(name, "png jpg jpeg jpe jfif apng");
}

bool bs_is_json_name(const char *name)
{
    return has_extension(name, "json");
}

/* --- collecting ------------------------------------------------------------ */

void bs_catalogue_init(bs_catalogue *c)
{
    memset(c, 0, sizeof *c);
    bs_arena_init(&c->arena, (size_t)2 << 30);
}

void bs_catalogue_free(bs_catalogue *c)
{
    bs_free(c->file);
    bs_free(c->text);
    bs_free(c->pair);
    for (size_t i = 0; i < c->n_outlines; i++)
        bs_coco_free(&c->outlines[i].coco);
    bs_free(c->outlines);
    bs_arena_free(&c->arena);
    bs_catalogue_init(c);
}

const char *bs_catalogue_root(const bs_catalogue *c, int source)
{
    return c->root ? c->root[source] : "";
}

basin_status bs_catalogue_file(bs_catalogue *c, const char *name, int source, basin_error *err)
{
    const char *copy = bs_arena_copy(&c->arena, name, strlen(name));
    if (!copy || !BS_GROW(c->file, c->cap_files, c->n_files + 1, INT32_MAX))
        return bs_fail_nomem(err);
    c->file[c->n_files++] = (bs_file){.name = copy, .source = source, .partner = -1};
    return BASIN_OK;
}

basin_status bs_catalogue_text(bs_catalogue *c, const char *name, int source, const char *text,
                               size_t len, basin_error *err)
{
    text = bs_skip_mark(text, &len);
    bs_text_file t = {.name = bs_arena_copy(&c->arena, name, strlen(name)),
                      .source = source,
                      .text = bs_arena_copy(&c->arena, text, len)};
    if (!t.name || !t.text || !BS_GROW(c->text, c->cap_texts, c->n_texts + 1, INT32_MAX))
        return bs_fail_nomem(err);
    c->text[c->n_texts++] = t;
    return BASIN_OK;
}

basin_status bs_catalogue_push(bs_catalogue *c, bs_pair pair, basin_error *err)
{
    if (!BS_GROW(c->pair, c->cap_pairs, c->n_pairs + 1, INT32_MAX))
        return bs_fail_nomem(err);
    c->pair[c->n_pairs++] = pair;
    return BASIN_OK;
}

/* --- roles ----------------------------------------------------------------- */

/* Adds the meaning of the words in a folder's name; false if it is an ordinary name. */
static bool read_component(const char *text, size_t len, bs_file *f)
{
    const word_row *row[8];
    const word_row *whole = find_word(text, len);
    int             n = 0;
    if (whole)
        row[n++] = whole;
    for (size_t at = 0, end; !whole && at < len; at = end + 1) {
        for (end = at; end < len && !strchr("_-. ", text[end]);)
            end++;
        const word_row *w = find_word(text + at, end - at);
        if (!w || n == 8)
            return false;
        row[n++] = w;
    }
    for (int i = 0; i < n; i++) {
        if (row[i]->role != BS_ROLE_UNKNOWN)
            f->role = row[i]->role;
        if (row[i]->part != BS_PART_NONE)
            f->part = row[i]->part;
    }
    return n > 0;
}

/* The folders without roles, and one name for each part: "set1/train". */
basin_status bs_catalogue_place(bs_catalogue *c, bs_file *f, basin_error *err)
{
    const char *p = f->name, *slash = strrchr(p, '/'), *base = slash ? slash + 1 : p;
    const char *dot = strrchr(base, '.'), *label = c->label ? c->label[f->source] : "";
    size_t      n = strlen(label);
    char       *folder = bs_arena_alloc(&c->arena, n + (size_t)(base - p) + 8);
    if (!folder)
        return bs_fail_nomem(err);
    if (n == 0 || read_component(label, n, f))
        n = 0;
    else
        memcpy(folder, label, n);
    while (p < base) {
        size_t len = strcspn(p, "/");
        if (!read_component(p, len, f)) {
            if (n)
                folder[n++] = '/';
            memcpy(folder + n, p, len);
            n += len;
        }
        p += len + 1;
    }
    f->folder = folder;
    f->stem = bs_arena_copy(&c->arena, base, dot ? (size_t)(dot - base) : strlen(base));
    return f->stem ? BASIN_OK : bs_fail_nomem(err);
}

/* Length of a stem's ending, 0 for none; something must remain before it. */
static int ending(const char *stem, const char *chosen, const char *usual)
{
    const size_t n = strlen(stem);
    size_t       len;
    for (const char *list = *chosen ? chosen : usual; *list; list += len + (list[len] == ' ')) {
        len = *chosen ? strlen(chosen) : strcspn(list, " ");
        /* _L marks a mask only in capitals: part_l is a name. */
        if (n > len && (len == 2 && !*chosen ? memcmp(stem + n - 2, list, 2) == 0
                                             : same_letters(stem + n - len, list, len)))
            return (int)len;
    }
    return 0;
}

/* --- pairing --------------------------------------------------------------- */

typedef struct {
    bs_catalogue          *c;
    const bs_pair_options *o;
    bs_notes              *notes;
    basin_error           *err;
    bs_arena               arena;
    bs_names               keys;   /* of photos ... */
    int32_t               *holder; /* ... and their owners, [keys] */
    bs_buf                 scratch;
} pairing;

static int mask_ending(const pairing *p, const bs_file *f)
{
    return ending(f->stem, p->o->mask_suffix, mask_endings);
}

/* Part, folders and stem as one text, without `cut` bytes of the stem. The folders of photo and
 * mask may name the part differently (train, training). */
static bool make_key(pairing *p, const bs_file *f, int cut)
{
    bs_buf_clear(&p->scratch);
    bs_buf_printf(&p->scratch, "%d/%s/%.*s", (int)f->part, f->folder, (int)strlen(f->stem) - cut,
                  f->stem);
    return !p->scratch.failed;
}

static int32_t find_image(pairing *p, const bs_file *mask, int cut)
{
    if (!make_key(p, mask, cut))
        return -1;
    int32_t k = bs_names_find(&p->keys, p->scratch.data, p->scratch.len);
    return k < 0 ? -1 : p->holder[k];
}

/* A photo may also be found without its ending, unless another has that name. */
static basin_status add_photo(pairing *p, int32_t at, bool whole)
{
    bs_file  *f = &p->c->file[at];
    bool      fresh;
    const int cut = whole ? 0 : ending(f->stem, p->o->image_suffix, image_endings);
    f->role = BS_ROLE_IMAGE;
    if (!whole && cut == 0)
        return BASIN_OK;
    if (!make_key(p, f, cut))
        return bs_fail_nomem(p->err);
    const int32_t k = bs_names_add(&p->keys, p->scratch.data, p->scratch.len, &fresh);
    if (k < 0)
        return bs_fail_nomem(p->err);
    const bs_file *other = fresh ? NULL : &p->c->file[p->holder[k]];
    if (other && whole && strcmp(other->stem, f->stem) == 0)
        return bs_fail(p->err, BASIN_EDATA, "%s%s and %s: two photos with one name",
                       bs_catalogue_root(p->c, f->source), other->name, f->name);
    if (fresh || whole)
        p->holder[k] = at;
    return BASIN_OK;
}

/* Pictures outside the folders of photos are something else (previews). If there are no such
 * folders, they are photos; but cat_mask.png is a mask if there is a photo cat. */
static basin_status find_photos(pairing *p)
{
    bs_catalogue *c = p->c;
    basin_status  s = BASIN_OK;
    bool          named = false;
    for (size_t i = 0; i < c->n_files; i++)
        named = named || c->file[i].role == BS_ROLE_IMAGE;
    for (size_t i = 0; i < c->n_files; i++) {
        bs_file *f = &c->file[i];
        if (f->role == BS_ROLE_UNKNOWN && named)
            f->role = BS_ROLE_OTHER;
        else if (f->role == BS_ROLE_UNKNOWN && !mask_ending(p, f))
            f->role = BS_ROLE_IMAGE;
    }
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < c->n_files && !s; i++)
            if (c->file[i].role == BS_ROLE_IMAGE)
                s = add_photo(p, (int32_t)i, turn == 0);
    for (size_t i = 0; i < c->n_files && !s; i++) {
        bs_file *f = &c->file[i];
        if (f->role == BS_ROLE_UNKNOWN && find_image(p, f, mask_ending(p, f)) >= 0)
            f->role = BS_ROLE_MASK;
        else if (f->role == BS_ROLE_UNKNOWN)
            s = add_photo(p, (int32_t)i, true);
    }
    return s;
}

static basin_status match_masks(pairing *p)
{
    bs_catalogue *c = p->c;
    for (size_t i = 0; i < c->n_files; i++) {
        bs_file *f = &c->file[i];
        if (f->role != BS_ROLE_MASK)
            continue;
        const int cut = mask_ending(p, f);
        int32_t   at = find_image(p, f, 0);
        if (at < 0 && cut)
            at = find_image(p, f, cut);
        if (at < 0 || (c->file[at].partner >= 0 && p->o->label_free))
            continue;
        if (c->file[at].partner >= 0)
            return bs_fail(p->err, BASIN_EDATA, "%s%s and %s: two masks of the photo %s",
                           bs_catalogue_root(c, f->source), c->file[c->file[at].partner].name,
                           f->name, c->file[at].name);
        c->file[at].partner = (int32_t)i;
        f->partner = at;
    }
    return p->scratch.failed ? bs_fail_nomem(p->err) : BASIN_OK;
}

static basin_status push_pairs(pairing *p)
{
    bs_catalogue *c = p->c;
    basin_status  s = BASIN_OK;
    bool          matched = false;
    int           lone = 0, others = 0;
    const char   *photo = NULL, *mask = NULL; /* examples without the other */
    for (size_t i = 0; i < c->n_files; i++)
        matched = matched || (c->file[i].role == BS_ROLE_IMAGE && c->file[i].partner >= 0);
    for (size_t i = 0; i < c->n_files && !s; i++) {
        const bs_file *f = &c->file[i];
        if (f->role == BS_ROLE_MASK && f->partner < 0) {
            c->lone_masks++;
            mask = mask ? mask : f->name;
        }
        others += f->role == BS_ROLE_OTHER;
        if (f->role != BS_ROLE_IMAGE)
            continue;
        if (f->partner < 0 && matched) {
            lone++;
            photo = photo ? photo : f->name;
            if (p->o->need_mask)
                continue;
        }
        s = bs_catalogue_push(
            c, (bs_pair){.image = (int32_t)i, .mask = f->partner, .part = f->part, .order = -1},
            p->err);
    }
    if (photo)
        bs_notes_add(p->notes, "unpaired", "%d photos have no mask, such as %.120s: %s", lone,
                     photo,
                     p->o->need_mask ? "left out (mask.need=no keeps them)" : "kept without one");
    if (mask)
        bs_notes_add(p->notes, "unpaired", "%d masks have no photo, such as %.120s: left out",
                     (int)c->lone_masks, mask);
    if (others)
        bs_notes_add(p->notes, "unpaired",
                     "%d pictures are outside the folders of photos and masks: left out", others);
    return s;
}

static int by_file_name(const void *a, const void *b)
{
    const bs_file *f = a, *g = b;
    if (f->source != g->source)
        return f->source < g->source ? -1 : 1;
    return strcmp(f->name, g->name);
}

int32_t bs_catalogue_find(const bs_catalogue *c, int source, const char *name)
{
    const bs_file  key = {.name = name, .source = source};
    const bs_file *f =
        c->n_files ? bsearch(&key, c->file, c->n_files, sizeof key, by_file_name) : NULL;
    return f ? (int32_t)(f - c->file) : -1;
}

/* A file that is in an archive twice counts once. */
static void drop_repeats(bs_catalogue *c, bs_notes *notes)
{
    size_t n = 0;
    if (c->n_files)
        qsort(c->file, c->n_files, sizeof *c->file, by_file_name);
    for (size_t i = 0; i < c->n_files; i++)
        if (n == 0 || by_file_name(&c->file[n - 1], &c->file[i]) != 0)
            c->file[n++] = c->file[i];
    if (n < c->n_files)
        bs_notes_add(notes, "repeated", "%zu files are in the archive twice: the first is used",
                     c->n_files - n);
    c->n_files = n;
}

static basin_status pair_by_names(bs_catalogue *c, const bs_pair_options *o, bs_notes *notes,
                                  basin_error *err)
{
    pairing p = {.c = c, .o = o, .notes = notes, .err = err};
    bs_arena_init(&p.arena, 0);
    bs_names_init(&p.keys, &p.arena);
    bs_buf_init(&p.scratch, 1 << 16);
    p.holder = bs_arena_alloc(&p.arena, (2 * c->n_files + 1) * sizeof *p.holder);
    basin_status s = p.holder ? find_photos(&p) : bs_fail_nomem(err);
    if (!s)
        s = match_masks(&p);
    if (!s)
        s = push_pairs(&p);
    bs_names_free(&p.keys);
    bs_arena_free(&p.arena);
    bs_buf_free(&p.scratch);
    return s;
}

static int by_order(const void *a, const void *b)
{
    const bs_pair *p = a, *q = b;
    if (p->part != q->part)
        return p->part < q->part ? -1 : 1;
    if (p->order != q->order)
        return p->order < q->order ? -1 : 1;
    return strcmp(p->name, q->name);
}

/* Stems if they are unique, else with part and folders in front. */
static basin_status name_pairs(bs_catalogue *c, basin_error *err)
{
    bs_arena arena;
    bs_names seen;
    bs_buf   text;
    bool     unique = true, failed = false;
    bs_arena_init(&arena, 0);
    bs_names_init(&seen, &arena);
    bs_buf_init(&text, 1 << 16);
    for (size_t i = 0; i < c->n_pairs && unique && !failed; i++) {
        const char *stem = c->file[c->pair[i].image].stem;
        failed = bs_names_add(&seen, stem, strlen(stem), &unique) < 0;
    }
    for (size_t i = 0; i < c->n_pairs && !failed; i++) {
        const bs_file *f = &c->file[c->pair[i].image];
        const char    *part = bs_part_name(f->part);
        bs_buf_clear(&text);
        bs_buf_printf(&text, "%s%s%s%s%s", part, *part ? "/" : "", f->folder, *f->folder ? "/" : "",
                      f->stem);
        c->pair[i].name = unique        ? f->stem
                          : text.failed ? NULL
                                        : bs_arena_copy(&c->arena, text.data, text.len);
        failed = !c->pair[i].name;
    }
    bs_names_free(&seen);
    bs_arena_free(&arena);
    bs_buf_free(&text);
    return failed ? bs_fail_nomem(err) : BASIN_OK;
}

basin_status bs_catalogue_pair(bs_catalogue *c, const bs_pair_options *o, bs_notes *notes,
                               basin_error *err)
{
    bool         drawn = false;
    basin_status s = BASIN_OK;
    drop_repeats(c, notes);
    for (size_t i = 0; i < c->n_files && !s; i++)
        s = bs_catalogue_place(c, &c->file[i], err);
    if (!s)
        s = bs_catalogue_drawn(c, o, &drawn, notes, err);
    if (!s && !drawn)
        s = pair_by_names(c, o, notes, err);
    if (!s)
        s = name_pairs(c, err);
    if (!s && c->n_texts && c->n_pairs)
        s = bs_catalogue_lists(c, notes, err);
    if (!s && c->n_pairs)
        qsort(c->pair, c->n_pairs, sizeof *c->pair, by_order);
    if (!s && !drawn)
        s = bs_catalogue_classes(c, o, notes, err);
    return s;
}
