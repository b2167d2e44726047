/* image_set.h -- small data sets of images in archives and folders, for tests. */
#ifndef IMAGE_SET_H
#define IMAGE_SET_H

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "data/image/images.h"
#include "image_helper.h"

enum { MOST_ENTRIES = 64 };

/* Files for an archive or a folder. */
typedef struct {
    struct {
        char   name[120];
        bs_buf data;
    } entry[MOST_ENTRIES];
    int n;
} bundle;

static inline bs_buf *bundle_add(bundle *b, const char *name)
{
    assert_true(b->n < MOST_ENTRIES);
    snprintf(b->entry[b->n].name, sizeof b->entry[b->n].name, "%s", name);
    bs_buf_init(&b->entry[b->n].data, 1 << 24);
    return &b->entry[b->n++].data;
}

static inline void bundle_text(bundle *b, const char *name, const char *text)
{
    bs_buf_text(bundle_add(b, name), text);
}

static inline void bundle_bytes(bundle *b, const char *name, const void *bytes, size_t n)
{
    bs_buf_add(bundle_add(b, name), bytes, n);
}

/* A photo whose pixels are determined by `seed`. */
static inline void bundle_photo(bundle *b, const char *name, int w, int h, int channels, int seed)
{
    uint8_t     pixels[64 * 64 * 3];
    basin_error err = {0};
    uint32_t    x = (uint32_t)seed * 2654435761u + 12345;
    for (int i = 0; i < w * h * channels; i++) {
        x = x * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(x >> 24);
    }
    if (bs_png_write(pixels, w, h, channels, NULL, 0, bundle_add(b, name), &err))
        fail_msg("%s", err.msg);
}

static inline void bundle_mask(bundle *b, const char *name, int w, int h, const uint8_t *values)
{
    basin_error err = {0};
    if (bs_png_write(values, w, h, 1, NULL, 0, bundle_add(b, name), &err))
        fail_msg("%s", err.msg);
}

/* The first `on` pixels have the value, the others 0. */
static inline void bundle_part_mask(bundle *b, const char *name, int w, int h, int on,
                                    uint8_t value)
{
    uint8_t v[64 * 64] = {0};
    memset(v, value, (size_t)on);
    bundle_mask(b, name, w, h, v);
}

static inline void bundle_free(bundle *b)
{
    for (int i = 0; i < b->n; i++)
        bs_buf_free(&b->entry[i].data);
    b->n = 0;
}

/* filter: "", "gzip", "xz", "zstd"; format: "ustar", "zip". The caller frees *bytes. */
static inline void bundle_pack(const bundle *b, const char *format, const char *filter,
                               uint8_t **bytes, size_t *n)
{
    const size_t          room = (size_t)4 << 20;
    struct archive       *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    *bytes = malloc(room);
    archive_write_set_format_by_name(a, format);
    if (*filter)
        archive_write_add_filter_by_name(a, filter);
    assert_int_equal(archive_write_open_memory(a, *bytes, room, n), ARCHIVE_OK);
    for (int i = 0; i < b->n; i++) {
        archive_entry_clear(e);
        archive_entry_set_pathname(e, b->entry[i].name);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_size(e, (la_int64_t)b->entry[i].data.len);
        assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
        if (b->entry[i].data.len)
            archive_write_data(a, b->entry[i].data.data, b->entry[i].data.len);
    }
    archive_entry_free(e);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

static inline void bundle_folder(const bundle *b, const char *folder)
{
    for (int i = 0; i < b->n; i++) {
        char        path[400];
        basin_error err = {0};
        snprintf(path, sizeof path, "%s/%s", folder, b->entry[i].name);
        *strrchr(path, '/') = '\0';
        assert_int_equal(bs_make_dir(path, &err), BASIN_OK);
        snprintf(path, sizeof path, "%s/%s", folder, b->entry[i].name);
        if (bs_write_file(path, b->entry[i].data.data ? b->entry[i].data.data : "",
                          b->entry[i].data.len, &err))
            fail_msg("%s", err.msg);
    }
}

/* "image.size=8x8 mask.binary=no": options separated by blanks. */
static inline bs_image_options image_options(const char *text)
{
    bs_image_options o = bs_image_options_default();
    basin_error      err;
    char             copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = copy, *next; p && *p; p = next) {
        next = strchr(p, ' ');
        if (next)
            *next++ = '\0';
        char *value = strchr(p, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (bs_options_set(bs_image_rows, &o, p, value, "test", &err))
            fail_msg("%s", err.msg);
    }
    return o;
}

/* Six photos in three parts, the last one equal to the first. */
static inline void bundle_parts(bundle *b)
{
    for (int i = 0; i < 6; i++) {
        char name[40];
        snprintf(name, sizeof name, "set/images/i%d.png", i);
        bundle_photo(b, name, 4, 4, 3, i == 5 ? 0 : i);
        snprintf(name, sizeof name, "set/masks/i%d.png", i);
        bundle_part_mask(b, name, 4, 4, 4, 255);
    }
    bundle_text(b, "set/splits/train.txt", "i3\ni0\ni1\n");
    bundle_text(b, "set/splits/validation.txt", "i2\n");
    bundle_text(b, "set/splits/test.txt", "i5\ni4\n");
}

static inline basin_status bundle_read_as(const bundle *b, const char *options,
                                          const bs_images_prior *prior, const char *part,
                                          bs_images **im, bs_notes *notes, basin_error *err)
{
    bs_image_options o = image_options(options);
    uint8_t         *bytes;
    size_t           n;
    bundle_pack(b, "ustar", "", &bytes, &n);
    basin_status s = bs_images_read_memory("set.tar", bytes, n, &o, prior, part, im, notes, err);
    free(bytes);
    return s;
}

static inline basin_status bundle_read(const bundle *b, const char *options, const char *part,
                                       bs_images **im, bs_notes *notes, basin_error *err)
{
    return bundle_read_as(b, options, NULL, part, im, notes, err);
}

/* Must succeed. */
static inline bs_images *bundle_images(const bundle *b, const char *options, const char *part,
                                       bs_notes *notes)
{
    bs_images  *im;
    basin_error err = {0};
    if (bundle_read(b, options, part, &im, notes, &err))
        fail_msg("%s", err.msg);
    return im;
}

/* Must fail with a message that contains `text`. */
static inline void bundle_refused(const bundle *b, const char *options, const char *part,
                                  const char *text)
{
    bs_images  *im;
    basin_error err = {0};
    assert_int_not_equal(bundle_read(b, options, part, &im, NULL, &err), BASIN_OK);
    assert_null(im);
    if (!strstr(err.msg, text))
        fail_msg("'%s' is not in: %s", text, err.msg);
}

/* A copy of the images of a part, which must exist. */
static inline basin_status bundle_part(const bs_images *im, uint8_t part, bs_images **out,
                                       basin_error *err)
{
    int32_t row[MOST_ENTRIES], n = 0;
    for (int32_t i = 0; i < im->n; i++)
        if (im->part[i] == part)
            row[n++] = i;
    return bs_images_select(im, row, n, out, err);
}

static inline bool noted(const bs_notes *notes, const char *part)
{
    for (size_t i = 0; i < notes->n; i++)
        if (strstr(notes->note[i].text, part))
            return true;
    return false;
}

#endif
