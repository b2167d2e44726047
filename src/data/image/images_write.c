/* images_write.c -- writes a data set of images to a folder or an archive. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "data/names.h"
#include "data/image/catalogue.h"
#include "data/image/images.h"
#include "data/image/overlay.h"
#include "data/image/picture.h"
#include "data/image/source.h"

typedef struct {
    const bs_images      *im;
    const char           *path;
    basin_error          *err;
    struct archive       *archive; /* NULL: a folder */
    struct archive_entry *entry;
    bs_output            *output;
    basin_status          status; /* of the output; libarchive cannot pass it on */
    bs_buf                data, name, full;
} writing;

/* To add an extension: a row. */
static const struct {
    const char *ending, *format, *filter;
} kinds[] = {
    {".tar", "ustar", NULL},        {".tar.gz", "ustar", "gzip"}, {".tgz", "ustar", "gzip"},
    {".tar.xz", "ustar", "xz"},     {".txz", "ustar", "xz"},      {".tar.zst", "ustar", "zstd"},
    {".tar.bz2", "ustar", "bzip2"}, {".zip", "zip", NULL},
};

static int kind_of(const char *path)
{
    const size_t n = strlen(path);
    for (int i = 0; i < (int)(sizeof kinds / sizeof kinds[0]); i++) {
        size_t len = strlen(kinds[i].ending);
        if (n > len && strcmp(path + n - len, kinds[i].ending) == 0)
            return i;
    }
    return -1;
}

/* --- one file -------------------------------------------------------------- */

static la_ssize_t on_bytes(struct archive *a, void *self, const void *bytes, size_t n)
{
    writing *w = self;
    w->status = bs_output_write(w->output, bytes, n, w->err);
    if (w->status) {
        archive_set_error(a, EIO, "write error");
        return -1;
    }
    return (la_ssize_t)n;
}

static basin_status fail_archive(writing *w)
{
    if (w->status)
        return w->status;
    const char *why = archive_error_string(w->archive);
    return bs_fail(w->err, BASIN_EIO, "%s: %s", w->path, why ? why : "cannot be written");
}

/* Files suffice: readers create the folders. No times, no owners. */
static basin_status put_entry(writing *w, const char *name, const void *bytes, size_t n)
{
    archive_entry_clear(w->entry);
    archive_entry_set_pathname(w->entry, name);
    archive_entry_set_filetype(w->entry, AE_IFREG);
    archive_entry_set_perm(w->entry, 0644);
    archive_entry_set_mtime(w->entry, 0, 0);
    archive_entry_set_size(w->entry, (la_int64_t)n);
    if (archive_write_header(w->archive, w->entry) != ARCHIVE_OK ||
        (n && archive_write_data(w->archive, bytes, n) != (la_ssize_t)n))
        return fail_archive(w);
    return BASIN_OK;
}

static basin_status put(writing *w, const char *name, const void *bytes, size_t n)
{
    if (w->archive)
        return put_entry(w, name, bytes, n);
    bs_buf_clear(&w->full);
    bs_buf_printf(&w->full, "%s/%s", w->path, name);
    if (w->full.failed)
        return bs_fail_nomem(w->err);
    char *slash = strrchr(w->full.data, '/');
    *slash = '\0';
    basin_status s = bs_make_dir(w->full.data, w->err);
    *slash = '/';
    return s ? s : bs_write_file(w->full.data, bytes ? bytes : "", n, w->err);
}

/* --- the set --------------------------------------------------------------- */

/* Sets w->name. */
static basin_status name_picture(writing *w, int32_t i, bool mask)
{
    bs_buf_clear(&w->name);
    bs_buf_printf(&w->name, "%s/%s.png", mask ? "masks" : "images", w->im->name[i]);
    return w->name.failed ? bs_fail_nomem(w->err) : BASIN_OK;
}

static basin_status pack_photo(writing *w, int32_t i)
{
    const bs_images *im = w->im;
    const size_t     n = (size_t)im->width[i] * (size_t)im->height[i], C = (size_t)im->channels;
    uint8_t         *pixels = bs_alloc(n * C);
    if (!pixels)
        return bs_fail_nomem(w->err);
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < C; c++)
            pixels[k * C + c] = im->pixels[i][c * n + k];
    basin_status s =
        bs_png_write(pixels, im->width[i], im->height[i], im->channels, NULL, 0, &w->data, w->err);
    bs_free(pixels);
    return s;
}

static basin_status put_picture(writing *w, int32_t i, bool mask)
{
    const bs_images *im = w->im;
    if (mask && !im->mask[i])
        return BASIN_OK;
    bs_buf_clear(&w->data);
    basin_status s =
        mask ? bs_mask_png(im->mask[i], im->width[i], im->height[i], im->classes, &w->data, w->err)
             : pack_photo(w, i);
    if (!s)
        s = name_picture(w, i, mask);
    return s ? s : put(w, w->name.data, w->data.data, w->data.len);
}

static const char *const list_of[BS_PARTS] = {NULL, "splits/train.txt", "splits/val.txt",
                                              "splits/test.txt"};

static basin_status put_lists(writing *w)
{
    const bs_images *im = w->im;
    basin_status     s = BASIN_OK;
    for (int part = BS_PART_TRAIN; part < BS_PARTS && !s; part++) {
        bs_buf_clear(&w->data);
        for (int32_t i = 0; i < im->n; i++)
            if (im->part[i] == part)
                bs_buf_printf(&w->data, "%s\n", im->name[i]);
        if (w->data.failed)
            s = bs_fail_nomem(w->err);
        else if (w->data.len)
            s = put(w, list_of[part], w->data.data, w->data.len);
    }
    bs_buf_clear(&w->data);
    for (int c = 0; im->class_name && c < im->classes; c++)
        bs_buf_printf(&w->data, "%s\n", im->class_name[c]);
    if (!s && w->data.failed)
        s = bs_fail_nomem(w->err);
    return s || !w->data.len ? s : put(w, "classes.txt", w->data.data, w->data.len);
}

static basin_status put_all(writing *w, const char *about)
{
    basin_status s = about ? put(w, "about.json", about, strlen(about)) : BASIN_OK;
    if (!s)
        s = put_lists(w);
    for (int mask = 0; mask < 2; mask++)
        for (int32_t i = 0; i < w->im->n && !s; i++)
            s = put_picture(w, i, mask);
    return s;
}

bool bs_leads_out(const char *name)
{
    bool bad = *name == '\0' || *name == '/';
    for (const char *p = name; *p && !bad; p += strcspn(p, "/"), p += *p == '/')
        bad = *p == '/' || (p[0] == '.' && (p[1] == '.' || p[1] == '/' || p[1] == '\0'));
    return bad;
}

/* --- what lies there already ----------------------------------------------- */

typedef struct {
    bs_arena    arena;
    bs_names    mine; /* files that will be overwritten: images/a.png */
    const char *folder;
    char        other[4096]; /* the first file that will not be */
    bs_visitor *v;
} inventory;

static bool is_mine(void *self, const char *name)
{
    inventory *in = self;
    const int  n = bs_print(in->other, sizeof in->other, "%s/%s", in->folder, name);
    in->v->enough = bs_names_find(&in->mine, in->other, (size_t)n) < 0;
    if (!in->v->enough)
        in->other[0] = '\0';
    return false;
}

static basin_status list_mine(writing *w, inventory *in)
{
    const bs_images *im = w->im;
    bool             fresh, has[BS_PARTS] = {false}, ok = true;
    for (int32_t i = 0; i < im->n && ok; i++) {
        has[im->part[i]] = true;
        for (int mask = 0; mask < 1 + (im->mask[i] != NULL) && ok; mask++)
            ok = !name_picture(w, i, mask) &&
                 bs_names_add(&in->mine, w->name.data, w->name.len, &fresh) >= 0;
    }
    for (int p = BS_PART_TRAIN; p < BS_PARTS && ok; p++)
        if (has[p])
            ok = bs_names_add(&in->mine, list_of[p], strlen(list_of[p]), &fresh) >= 0;
    return ok ? BASIN_OK : bs_fail_nomem(w->err);
}

/* Two data sets in one folder would be read as one. */
static basin_status check_folder(writing *w)
{
    static const char *const folder[] = {"images", "masks", "splits"};
    inventory                in = {.folder = NULL};
    bs_visitor               v = {.self = &in, .wants = is_mine};
    in.v = &v;
    bs_arena_init(&in.arena, 0);
    bs_names_init(&in.mine, &in.arena);
    basin_status s = list_mine(w, &in);
    for (int i = 0; i < 3 && !s && !*in.other; i++) {
        struct stat st;
        bs_buf_clear(&w->full);
        bs_buf_printf(&w->full, "%s/%s", w->path, folder[i]);
        in.folder = folder[i];
        if (w->full.failed)
            s = bs_fail_nomem(w->err);
        else if (stat(w->full.data, &st) == 0 && S_ISDIR(st.st_mode))
            s = bs_source_walk(&(bs_source){.kind = BS_SOURCE_FOLDER, .path = w->full.data}, &v,
                               w->err);
    }
    if (!s && *in.other)
        s = bs_fail(w->err, BASIN_EIO,
                    "%s: holds other data already, such as %.255s; give an empty or new folder",
                    w->path, in.other);
    bs_names_free(&in.mine);
    bs_arena_free(&in.arena);
    return s;
}

static basin_status open_folder(writing *w)
{
    basin_status s = check_folder(w);
    return s ? s : bs_make_dir(w->path, w->err);
}

static basin_status open_archive(writing *w, int kind)
{
    basin_status s = bs_output_open(w->path, &w->output, w->err);
    if (s)
        return s;
    w->archive = archive_write_new();
    w->entry = archive_entry_new();
    if (!w->archive || !w->entry)
        return bs_fail_nomem(w->err);
    if (archive_write_set_format_by_name(w->archive, kinds[kind].format) != ARCHIVE_OK ||
        (kinds[kind].filter &&
         archive_write_add_filter_by_name(w->archive, kinds[kind].filter) != ARCHIVE_OK))
        return bs_fail(w->err, BASIN_EUNSUPPORTED, "%s: the installed libarchive cannot write %s",
                       w->path, kinds[kind].ending);
    archive_write_set_options(w->archive, "gzip:!timestamp"); /* same images, same bytes */
    /* Otherwise packed bytes are padded with zeros to a whole block, which is not a zstd frame. */
    archive_write_set_bytes_in_last_block(w->archive, 1);
    if (archive_write_open(w->archive, w, NULL, on_bytes, NULL) != ARCHIVE_OK)
        return fail_archive(w);
    return BASIN_OK;
}

basin_status bs_images_write(const bs_images *im, const char *path, const char *about,
                             basin_error *err)
{
    writing      w = {.im = im, .path = path, .err = err};
    const int    kind = kind_of(path);
    basin_status s = BASIN_OK;
    for (int32_t i = 0; i < im->n && !s; i++)
        if (bs_leads_out(im->name[i]))
            s = bs_fail(err, BASIN_EDATA, "'%.80s' is not a valid file name", im->name[i]);
    bs_buf_init(&w.data, (size_t)1 << 30);
    bs_buf_init(&w.name, 1 << 16);
    bs_buf_init(&w.full, 1 << 16);
    if (!s)
        s = kind >= 0 ? open_archive(&w, kind) : open_folder(&w);
    if (!s)
        s = put_all(&w, about);
    if (!s && w.archive && archive_write_close(w.archive) != ARCHIVE_OK)
        s = fail_archive(&w);
    /* After an error, whatever it still flushes does not matter. */
    if (w.archive)
        archive_write_free(w.archive);
    if (w.entry)
        archive_entry_free(w.entry);
    if (w.output && s)
        bs_output_abort(w.output);
    else if (w.output)
        s = bs_output_commit(w.output, err);
    bs_buf_free(&w.data);
    bs_buf_free(&w.name);
    bs_buf_free(&w.full);
    return s;
}
