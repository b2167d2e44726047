/* images_open.c -- what paths are: sources of files, annotations, or nothing we read. */
#include <string.h>

#include "base/io.h"
#include "data/image/images_part.h"

enum { MOST_STDIN = 1 << 30, MOST_KEPT = 64 << 20 };

/* --- sources from paths ---------------------------------------------------- */

/* The last part of a path without an archive's extensions. */
static const char *label_of(bs_arena *arena, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t from = n;
    while (from > 0 && path[from - 1] != '/')
        from--;
    for (const char *dot; (dot = memchr(path + from + 1, '.', n > from + 1 ? n - from - 1 : 0));)
        n = (size_t)(dot - path);
    return bs_arena_copy(arena, path + from, n - from);
}

static bool is_there(const char *root, const char *name)
{
    char path[4096];
    bs_print(path, sizeof path, "%s%s", name[0] == '/' ? "" : root, name);
    return bs_is_file(path);
}

/* Tries first the folder where the last photo was. */
static basin_status find_photo(bs_image_sources *z, const char *root, char places[][256], int n,
                               const char *name, int *place, const char **out, basin_error *err)
{
    char to[2048 + 256];
    *out = NULL;
    for (int turn = 0; turn <= n && !*out; turn++) {
        const int k = turn ? turn - 1 : *place;
        bs_print(to, sizeof to, "%s%s", places[k], name);
        if (!is_there(root, to))
            continue;
        *place = k;
        *out = bs_arena_copy(&z->arena, to, strlen(to));
        if (!*out)
            return bs_fail_nomem(err);
    }
    return BASIN_OK;
}

/* The photos of an annotation file may be in its own folder, one named like the last word of its
 * name, as train2017 for instances_train2017.json, some usual ones, and the same one level up.
 * Missing photos are left to the pairing: another path may have them. */
static basin_status find_photos(bs_image_sources *z, int at, const char *root, const char *word,
                                basin_error *err)
{
    enum { NAMES = 6 };
    const char    *names[NAMES][2] = {{"", ""},          {"images/", ""},     {word, "/"},
                                      {"images/", word}, {"JPEGImages/", ""}, {"photos/", ""}};
    const bs_coco *c = &z->coco[at];
    bs_source     *s = &z->source[at];
    char           places[2 * NAMES][256];
    int            place = 0;
    const char   **file = bs_arena_alloc(&z->arena, (c->n_images + 1) * sizeof *file);
    if (!file)
        return bs_fail_nomem(err);
    for (int i = 0; i < 2 * NAMES; i++)
        bs_print(places[i], sizeof places[i], "%s%s%s%s", i < NAMES ? "" : "../",
                 names[i % NAMES][0], names[i % NAMES][1], names[i % NAMES][1] == word ? "/" : "");
    for (size_t i = 0; i < c->n_images; i++) {
        const char  *found, *name = c->image[i].file, *slash = strrchr(name, '/');
        basin_status status = find_photo(z, root, places, 2 * NAMES, name, &place, &found, err);
        if (!status && !found && slash)
            status = find_photo(z, root, places, 2 * NAMES, slash + 1, &place, &found, err);
        if (status)
            return status;
        if (found)
            file[s->n_files++] = found;
    }
    *s = (bs_source){.kind = BS_SOURCE_FILES, .path = root, .file = file, .n_files = s->n_files};
    return BASIN_OK;
}

/* Annotations given as a path. */
static basin_status open_coco(bs_image_sources *z, int at, const char *path, int max_mb,
                              basin_error *err)
{
    bs_buf text;
    bs_buf_init(&text, (size_t)4 << 30);
    basin_status s = bs_read_file_most(path, max_mb, &text, err);
    if (!s)
        s = bs_coco_read(path, text.data ? text.data : "", text.len, &z->coco[at], err);
    bs_buf_free(&text);
    const char  *label = z->label[at], *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    const char  *root = folder ? bs_arena_copy(&z->arena, path, folder) : "./";
    const char  *line = strrchr(label, '_');
    if (!s && !root)
        s = bs_fail_nomem(err);
    return s ? s : find_photos(z, at, root, line ? line + 1 : label, err);
}

/* Neither folder nor archive, picture or annotations. */
static basin_status fail_source(const char *path, basin_error *err)
{
    bs_input    *in;
    const char  *foreign = bs_foreign_picture(path), *head = NULL;
    size_t       n = 0;
    basin_status s = bs_input_open(path, &in, err); /* its message tells why it cannot be read */
    if (!s)
        s = bs_input_peek(in, 4, &head, &n, err);
    const bool wide = !s && n == 4 && bs_is_utf16(head, n);
    bs_input_close(in);
    if (s)
        return s;
    if (wide)
        return bs_fail(err, BASIN_EDATA, "%s: is UTF-16; save it as UTF-8", path);
    if (foreign)
        return bs_fail(err, BASIN_EDATA, "%s: is a picture in the format %s; PNG and JPEG are read",
                       path, foreign);
    return bs_fail(err, BASIN_EDATA,
                   "%s: not a folder, tar or zip archive, picture or file of annotations", path);
}

static basin_status is_coco_file(const char *path, bool *out)
{
    bs_input    *in = NULL;
    const char  *head;
    size_t       n = 0;
    basin_status s = bs_input_open(path, &in, NULL);
    *out = false;
    if (!s)
        s = bs_input_peek(in, 1 << 16, &head, &n, NULL);
    *out = !s && n && bs_coco_sniff(head, n);
    bs_input_close(in);
    return s;
}

/* Standard input: a picture, or an archive of them. It is read twice, so it is buffered. */
static basin_status open_stdin(bs_image_sources *z, int at, int max_mb, basin_error *err)
{
    bs_buf     bytes;
    bs_source *s = &z->source[at];
    bs_buf_init(&bytes, MOST_STDIN);
    basin_status status = bs_read_file_most("-", max_mb, &bytes, err);
    const char  *copy = status ? NULL : bs_arena_copy(&z->arena, bytes.data, bytes.len);
    const size_t n = bytes.len;
    bs_buf_free(&bytes);
    if (!copy)
        return status ? status : bs_fail_nomem(err);
    *s = (bs_source){
        .kind = bs_source_of_bytes(copy, n), .path = "stdin", .bytes = copy, .n_bytes = n};
    z->label[at] = s->path;
    if (s->kind == BS_SOURCE_PICTURE || s->kind == BS_SOURCE_ARCHIVE)
        return BASIN_OK;
    return bs_fail(err, BASIN_EDATA,
                   "<stdin>: is neither a picture, PNG or JPEG, nor an archive, tar or zip");
}

void bs_image_set_free(bs_image_set *set)
{
    for (int i = 0; set && i < set->n; i++)
        bs_buf_free(&set->path[i].bytes);
    bs_free(set);
}

basin_status bs_image_set_new(int paths, bs_image_set **out, basin_error *err)
{
    bs_image_set *set = bs_calloc(1, sizeof *set + (size_t)paths * sizeof set->path[0]);
    *out = set;
    if (!set)
        return bs_fail_nomem(err);
    set->n = paths;
    for (int i = 0; i < paths; i++)
        bs_buf_init(&set->path[i].bytes, MOST_KEPT);
    return BASIN_OK;
}

/* What a path is; an archive that is asked more than once is unpacked into memory, unless it is
 * too large. If it cannot be read, whoever walks it will say so. */
static basin_status look_at(bs_image_set *set, int i, int max_mb, bs_source *s, basin_error *err)
{
    bs_input *in = NULL;
    if (!set)
        return bs_source_sniff(s->path, &s->kind, err);
    bs_buf *bytes = &set->path[i].bytes;
    if (!set->path[i].known) {
        basin_status status = bs_source_sniff(s->path, &set->path[i].kind, err);
        if (status)
            return status;
        if (set->path[i].kind == BS_SOURCE_ARCHIVE &&
            (bs_input_open_most(s->path, max_mb, &in, NULL) || bs_input_rest(in, bytes, NULL)))
            bs_buf_free(bytes);
        bs_input_close(in);
        set->path[i].known = true;
    }
    s->kind = set->path[i].kind;
    s->bytes = bytes->len ? bytes->data : NULL;
    s->n_bytes = bytes->len;
    return BASIN_OK;
}

basin_status bs_images_open(bs_image_sources *z, bs_image_set *set, const char *const *paths, int n,
                            int max_mb, basin_error *err)
{
    basin_status s = BASIN_OK;
    bs_arena_init(&z->arena, (size_t)2 << 30);
    z->source = bs_arena_alloc(&z->arena, (size_t)n * sizeof *z->source);
    z->label = bs_arena_alloc(&z->arena, (size_t)n * sizeof *z->label);
    z->coco = bs_arena_alloc(&z->arena, (size_t)n * sizeof *z->coco);
    if (!z->source || !z->label || !z->coco)
        return bs_fail_nomem(err);
    z->n = n;
    for (int i = 0; i < n && !s; i++) {
        if (strcmp(paths[i], "-") == 0) {
            s = open_stdin(z, i, max_mb, err);
            continue;
        }
        z->source[i].path = paths[i];
        z->label[i] = label_of(&z->arena, paths[i]);
        if (!z->label[i])
            return bs_fail_nomem(err);
        if ((s = look_at(set, i, max_mb, &z->source[i], err)))
            return s;
        bool coco = false;
        if (z->source[i].kind == BS_SOURCE_TEXT && is_coco_file(paths[i], &coco) == BASIN_ENOMEM)
            s = bs_fail_nomem(err);
        else if (coco)
            s = open_coco(z, i, paths[i], max_mb, err);
        else if (z->source[i].kind == BS_SOURCE_NONE || z->source[i].kind == BS_SOURCE_TEXT)
            s = fail_source(paths[i], err);
    }
    return s;
}

void bs_images_close(bs_image_sources *z)
{
    for (int i = 0; i < z->n; i++)
        bs_coco_free(&z->coco[i]);
    bs_arena_free(&z->arena);
    *z = (bs_image_sources){0};
}

/* --- is it ours ------------------------------------------------------------ */

static bool hunt_wants(void *self, const char *name)
{
    ((bs_visitor *)self)->enough = bs_is_picture_name(name);
    return false;
}

static basin_status holds_pictures(const bs_source *s, bool *out)
{
    bs_visitor v = {.wants = hunt_wants, .max_files = 100000};
    v.self = &v;
    basin_status status = bs_source_walk(s, &v, NULL);
    *out = !status && v.enough;
    return status;
}

basin_status bs_images_sniff(const char *path, int *sure, basin_error *err)
{
    enum { NOTHING_ELSE = 45, OURS = 99 };
    bs_source    source = {.path = path};
    bool         found = false;
    basin_status s = bs_source_sniff(path, &source.kind, err);
    const bool   many = source.kind == BS_SOURCE_FOLDER || source.kind == BS_SOURCE_ARCHIVE;
    if (!s && many)
        s = holds_pictures(&source, &found);
    if (!s && source.kind == BS_SOURCE_TEXT)
        s = is_coco_file(path, &found);
    found = found || source.kind == BS_SOURCE_PICTURE;
    *sure = found ? OURS : many || bs_foreign_picture(path) ? NOTHING_ELSE : 0;
    return s == BASIN_ENOMEM ? bs_fail_nomem(err) : BASIN_OK;
}
