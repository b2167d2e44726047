/* image_helper.h -- PNG and JPEG files of any kind, built by hand for tests. */
#ifndef IMAGE_HELPER_H
#define IMAGE_HELPER_H

#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

#include "base/mem.h"
#include "data/image/picture.h"

/* A file in memory. */
typedef struct {
    uint8_t bytes[1 << 18];
    size_t  n;
} file;

static inline void on_png_bytes(png_structp png, png_bytep bytes, size_t n)
{
    file *f = png_get_io_ptr(png);
    assert_true(n <= sizeof f->bytes - f->n);
    memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
}

static inline void on_png_flush(png_structp png)
{
    (void)png;
}

/* rows: packed samples as PNG stores them, `stride` bytes per row. */
typedef struct {
    int              width, height, depth, colour; /* PNG_COLOR_TYPE_... */
    bool             interlaced;
    const png_color *palette;
    int              colours;
    const png_byte  *trans; /* of a palette */
    int              n_trans;
    int              trans_grey; /* -1: none */
} png_kind;

static inline void write_png(file *f, const png_kind *k, const uint8_t *rows, size_t stride)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop   info = png_create_info_struct(png);
    png_bytep   row[256];
    f->n = 0;
    png_set_write_fn(png, f, on_png_bytes, on_png_flush);
    png_set_IHDR(png, info, (png_uint_32)k->width, (png_uint_32)k->height, k->depth, k->colour,
                 k->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    if (k->palette)
        png_set_PLTE(png, info, k->palette, k->colours);
    if (k->trans)
        png_set_tRNS(png, info, k->trans, k->n_trans, NULL);
    if (k->trans_grey > 0) {
        png_color_16 c = {.gray = (png_uint_16)k->trans_grey};
        png_set_tRNS(png, info, NULL, 0, &c);
    }
    png_write_info(png, info);
    for (int y = 0; y < k->height; y++) {
        uint8_t *at;
        memcpy(&at, &(const uint8_t *){rows + (size_t)y * stride}, sizeof at);
        row[y] = at;
    }
    png_write_image(png, row);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

static inline uint32_t crc_of(const uint8_t *p, size_t n)
{
    uint32_t c = 0xffffffffu;
    for (; n; n--, p++) {
        c ^= *p;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    }
    return ~c;
}

static inline void put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Inserts a chunk after the header of a PNG file. */
static inline void add_chunk(file *f, const char *type, const void *data, size_t n)
{
    const size_t at = 33, size = n + 12;
    assert_true(size <= sizeof f->bytes - f->n);
    memmove(f->bytes + at + size, f->bytes + at, f->n - at);
    put32(f->bytes + at, (uint32_t)n);
    memcpy(f->bytes + at + 4, type, 4);
    if (n)
        memcpy(f->bytes + at + 8, data, n);
    put32(f->bytes + at + 8 + n, crc_of(f->bytes + at + 4, n + 4));
    f->n += size;
}

/* Writes another size into the header of a PNG file and fixes its checksum. */
static inline void claim_size(file *f, uint32_t width, uint32_t height)
{
    put32(f->bytes + 16, width);
    put32(f->bytes + 20, height);
    put32(f->bytes + 29, crc_of(f->bytes + 12, 17));
}

typedef struct {
    int            width, height, channels;
    J_COLOR_SPACE  space;  /* of the pixels */
    J_COLOR_SPACE  stored; /* JCS_UNKNOWN: libjpeg's choice */
    bool           progressive;
    bool           adobe; /* write that marker even if libjpeg would not */
    const uint8_t *exif;
    size_t         n_exif;
} jpeg_kind;

static inline void write_jpeg(file *f, const jpeg_kind *k, const uint8_t *pixels)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr       handler;
    unsigned char              *bytes = NULL;
    unsigned long               n = 0;
    c.err = jpeg_std_error(&handler);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &bytes, &n);
    c.image_width = (JDIMENSION)k->width;
    c.image_height = (JDIMENSION)k->height;
    c.input_components = k->channels;
    c.in_color_space = k->space;
    jpeg_set_defaults(&c);
    if (k->stored != JCS_UNKNOWN)
        jpeg_set_colorspace(&c, k->stored);
    jpeg_set_quality(&c, 100, TRUE);
    if (!k->adobe)
        c.write_Adobe_marker = FALSE;
    for (int i = 0; i < c.num_components; i++)
        c.comp_info[i].h_samp_factor = c.comp_info[i].v_samp_factor = 1;
    if (k->progressive)
        jpeg_simple_progression(&c);
    jpeg_start_compress(&c, TRUE);
    if (k->exif)
        jpeg_write_marker(&c, JPEG_APP0 + 1, k->exif, (unsigned)k->n_exif);
    while (c.next_scanline < c.image_height) {
        uint8_t *row;
        memcpy(&row,
               &(const uint8_t *){pixels +
                                  (size_t)c.next_scanline * (size_t)k->width * (size_t)k->channels},
               sizeof row);
        jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    assert_true(n <= sizeof f->bytes);
    memcpy(f->bytes, bytes, n);
    f->n = n;
    free(bytes);
}

/* EXIF data that holds only an orientation. */
static inline size_t make_exif(uint8_t *to, int orientation, bool big, bool jpeg)
{
    static const uint8_t little[] = "II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\0\0\0\0\0\0\0\0";
    static const uint8_t bigger[] = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0";
    const size_t         head = jpeg ? 6 : 0, n = 26;
    memcpy(to, "Exif\0\0", head);
    memcpy(to + head, big ? bigger : little, n);
    to[head + (big ? 19 : 18)] = (uint8_t)orientation;
    return head + n;
}

/* Must succeed. */
static inline bs_picture decoded(const file *f, bs_picture_use use)
{
    bs_picture  p;
    basin_error err = {0};
    if (bs_picture_decode("file", f->bytes, f->n, use, NULL, &p, &err))
        fail_msg("%s", err.msg);
    return p;
}

/* Must fail with a message that contains `part`, and leak no memory. */
static inline void refused(const uint8_t *bytes, size_t n, bs_picture_use use, const char *part)
{
    bs_picture  p;
    basin_error err = {0};
    long        live = bs_mem_live();
    assert_int_not_equal(bs_picture_decode("file", bytes, n, use, NULL, &p, &err), BASIN_OK);
    assert_null(p.pixels);
    if (!strstr(err.msg, part))
        fail_msg("'%s' is not in: %s", part, err.msg);
    assert_int_equal(bs_mem_live(), live);
}

#endif
