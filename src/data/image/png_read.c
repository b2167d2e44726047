/* png_read.c -- PNG files through libpng.
 *
 * libpng reports errors by longjmp. Everything that must survive the jump is in one struct of the
 * caller, so that no local variable of the jumping function matters. */
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/mem.h"
#include "data/image/picture_part.h"

enum { SIGNATURE = 8, CHUNK_HEAD = 8, CHUNK_CRC = 4, IHDR = 13 };

typedef struct {
    const char    *name;
    const uint8_t *bytes;
    size_t         n, at;
    bs_picture    *p;
    bs_picture_use use;
    png_structp    png;
    png_infop      info;
    png_bytep     *row; /* [height] */
    int            stored_depth;
    bool           nomem;
    char           why[120];
} reading;

static uint32_t number32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* --- the head, by hand: size and flags before libpng sees anything ----------- */

/* Scans chunks up to the first IDAT: animation, rotation, transparency. */
static void scan_chunks(const uint8_t *bytes, size_t n, bs_picture_info *out, bool *transparent)
{
    size_t at = SIGNATURE;
    while (n - at >= CHUNK_HEAD + CHUNK_CRC) {
        size_t         size = number32(bytes + at);
        const uint8_t *type = bytes + at + 4, *data = bytes + at + CHUNK_HEAD;
        if (size > n - at - CHUNK_HEAD - CHUNK_CRC || memcmp(type, "IDAT", 4) == 0)
            break;
        if (memcmp(type, "acTL", 4) == 0)
            out->animated = true;
        else if (memcmp(type, "eXIf", 4) == 0)
            out->orientation = bs_exif_orientation(data, size);
        else if (memcmp(type, "tRNS", 4) == 0)
            *transparent = true;
        at += CHUNK_HEAD + size + CHUNK_CRC;
    }
}

basin_status bs_png_probe(const char *name, const uint8_t *bytes, size_t n,
                          const bs_picture_limits *limits, bs_picture_info *out, basin_error *err)
{
    if (n < SIGNATURE + CHUNK_HEAD + IHDR + CHUNK_CRC)
        return bs_fail(err, BASIN_EDATA, "%s: broken PNG file: it ends within its head", name);
    if (number32(bytes + SIGNATURE) != IHDR || memcmp(bytes + SIGNATURE + 4, "IHDR", 4) != 0)
        return bs_fail(err, BASIN_EDATA, "%s: broken PNG file: it does not begin with its head",
                       name);
    const uint8_t *head = bytes + SIGNATURE + CHUNK_HEAD;
    uint32_t       w = number32(head), h = number32(head + 4);
    basin_status   s = bs_picture_check(name, limits, w, h, err);
    if (s)
        return s;
    int  depth = head[8], colour = head[9];
    bool transparent = false;
    *out = (bs_picture_info){.kind = BS_PICTURE_PNG,
                             .width = (int)w,
                             .height = (int)h,
                             .depth = depth,
                             .orientation = 1,
                             .indexed = colour == PNG_COLOR_TYPE_PALETTE};
    scan_chunks(bytes, n, out, &transparent);
    out->channels = (colour & PNG_COLOR_MASK_ALPHA) || transparent ? 4
                    : colour & PNG_COLOR_MASK_COLOR                ? 3
                                                                   : 1;

    /* Deflate compresses at most 1032 times: a short file cannot hold a big picture, and no memory
     * is allocated for what it claims. */
    static const int samples[] = {1, 0, 3, 1, 2, 0, 4};
    uint64_t bits = (uint64_t)w * (uint64_t)(colour < 7 ? samples[colour] : 0) * (uint64_t)depth;
    if ((bits + 7) / 8 * h / 1032 > n)
        return bs_fail(err, BASIN_EDATA, "%s: broken PNG file: %zu bytes cannot hold %lu x %lu",
                       name, n, (unsigned long)w, (unsigned long)h);
    return BASIN_OK;
}

/* --- callbacks ------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp text)
{
    reading *r = png_get_error_ptr(png);
    if (!r->why[0])
        bs_print(r->why, sizeof r->why, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void *on_alloc(png_structp png, png_alloc_size_t bytes)
{
    reading *r = png_get_mem_ptr(png);
    void    *p = bs_alloc(bytes);
    r->nomem = r->nomem || !p;
    return p;
}

static void on_free(png_structp png, void *p)
{
    (void)png;
    bs_free(p);
}

static void on_read(png_structp png, png_bytep to, size_t n)
{
    reading *r = png_get_io_ptr(png);
    if (n > r->n - r->at)
        png_error(png, "it ends too soon");
    memcpy(to, r->bytes + r->at, n);
    r->at += n;
}

/* --- pixels ---------------------------------------------------------------- */

static void set_transforms(reading *r, int colour, int depth)
{
    png_structp png = r->png;
    png_set_packing(png); /* 1, 2 and 4 bits: one byte each, values unchanged */
    if (r->use == BS_PICTURE_MASK) {
        png_set_strip_alpha(png);
        if (depth == 16 && (colour & PNG_COLOR_MASK_COLOR))
            png_set_scale_16(png);
        return;
    }
    png_set_expand(png); /* palette and narrow grey values to 8 bits, tRNS to alpha */
    png_set_scale_16(png);
    if (!(colour & PNG_COLOR_MASK_COLOR) && r->p->file.channels == 4)
        png_set_gray_to_rgb(png);
}

static void keep_palette(reading *r)
{
    png_colorp colour;
    int        n = 0;
    if (!png_get_PLTE(r->png, r->info, &colour, &n))
        return;
    r->p->colours = n < 256 ? n : 256;
    for (int i = 0; i < r->p->colours; i++) {
        r->p->palette[i][0] = colour[i].red;
        r->p->palette[i][1] = colour[i].green;
        r->p->palette[i][2] = colour[i].blue;
    }
}

static void decode(reading *r)
{
    /* Texts and colour profiles are not needed, and some can be made expensive. */
    static const png_byte unread[] = "iCCP\0tEXt\0zTXt\0iTXt\0gAMA\0cHRM\0sRGB\0sBIT\0bKGD\0hIST\0"
                                     "sPLT\0pHYs\0tIME\0eXIf";
    png_structp           png = r->png;
    int                   colour, depth, interlace;
    png_uint_32           w, h;
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unread, (int)(sizeof unread / 5));
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff); /* we checked our own */
    png_set_chunk_malloc_max(png, (png_alloc_size_t)8 << 20);
    png_set_read_fn(png, r, on_read);
    png_read_info(png, r->info);
    png_get_IHDR(png, r->info, &w, &h, &depth, &colour, &interlace, NULL, NULL);
    keep_palette(r);
    set_transforms(r, colour, depth);
    png_set_interlace_handling(png);
    png_read_update_info(png, r->info);

    bs_picture *p = r->p;
    size_t      stride = png_get_rowbytes(png, r->info);
    p->width = (int)w;
    p->height = (int)h;
    p->channels = png_get_channels(png, r->info);
    r->stored_depth = png_get_bit_depth(png, r->info);
    if ((size_t)r->stored_depth / 8 * (size_t)p->channels * w != stride)
        png_error(png, "a layout that is not known");
    p->pixels = bs_calloc(h, stride);
    r->row = bs_calloc(h, sizeof *r->row);
    if (!p->pixels || !r->row) {
        r->nomem = true;
        png_error(png, "out of memory");
    }
    for (png_uint_32 y = 0; y < h; y++)
        r->row[y] = p->pixels + y * stride;
    png_read_image(png, r->row);
    png_read_end(png, NULL);
}

/* There are no classes above 255; 16-bit grey made from 8 bits is a multiple of 257. */
static basin_status narrow(reading *r, basin_error *err)
{
    bs_picture    *p = r->p;
    const size_t   n = (size_t)p->width * (size_t)p->height;
    const uint8_t *v = p->pixels;
    bool           small = true, scaled = true;
    size_t         odd = 0;
    for (size_t i = 0; i < n; i++) {
        scaled = scaled && v[2 * i] == v[2 * i + 1];
        if (v[2 * i] && small) {
            small = false;
            odd = i;
        }
    }
    if (!small && !scaled)
        return bs_fail(err, BASIN_EDATA,
                       "%s: a mask of 16 bits with the value %d; classes are 0 to 254, 255 is for "
                       "pixels to ignore",
                       r->name, v[2 * odd] << 8 | v[2 * odd + 1]);
    for (size_t i = 0; i < n; i++)
        p->pixels[i] = p->pixels[2 * i + 1];
    return BASIN_OK;
}

/* A mask saved as RGB without any colour is a grey one. */
static void unify(bs_picture *p)
{
    const size_t n = (size_t)p->width * (size_t)p->height;
    for (size_t i = 0; i < n; i++)
        if (p->pixels[3 * i] != p->pixels[3 * i + 1] || p->pixels[3 * i] != p->pixels[3 * i + 2])
            return;
    for (size_t i = 0; i < n; i++)
        p->pixels[i] = p->pixels[3 * i];
    p->channels = 1;
}

/* Separate from the caller, whose variables must not live across the jump. */
static bool run(reading *r)
{
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, on_error, on_warning, r, on_alloc,
                                      on_free);
    if (!r->png)
        return false;
    if (setjmp(png_jmpbuf(r->png)))
        return false;
    r->info = png_create_info_struct(r->png);
    if (!r->info)
        return false;
    decode(r);
    return true;
}

basin_status bs_png_decode(const char *name, const uint8_t *bytes, size_t n, bs_picture_use use,
                           bs_picture *p, basin_error *err)
{
    reading      r = {.name = name, .bytes = bytes, .n = n, .p = p, .use = use};
    basin_status s = BASIN_OK;
    if (!run(&r))
        s = r.nomem || !r.why[0]
                ? bs_fail_nomem(err)
                : bs_fail(err, BASIN_EDATA, "%s: broken PNG file: %s", name, r.why);
    if (r.png)
        png_destroy_read_struct(&r.png, &r.info, NULL);
    bs_free(r.row);
    if (!s && r.stored_depth == 16)
        s = narrow(&r, err);
    if (!s && use == BS_PICTURE_MASK && p->channels == 3)
        unify(p);
    if (!s && p->channels != 1 && p->channels != 3 && p->channels != 4)
        s = bs_fail(err, BASIN_EDATA, "%s: a PNG file with %d channels", name, p->channels);
    return s;
}
