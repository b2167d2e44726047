/* png_write.c -- writes PNG files through libpng, into memory. */
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/mem.h"
#include "data/image/picture.h"

typedef struct {
    const uint8_t *pixels;
    int            width, height, channels, colours;
    png_color      palette[256];
    bs_buf        *out;
    png_structp    png;
    png_infop      info;
} writing;

static void on_error(png_structp png, png_const_charp text)
{
    (void)text; /* the arguments were checked: only memory can fail */
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void *on_alloc(png_structp png, png_alloc_size_t bytes)
{
    (void)png;
    return bs_alloc(bytes);
}

static void on_free(png_structp png, void *p)
{
    (void)png;
    bs_free(p);
}

static void on_write(png_structp png, png_bytep bytes, size_t n)
{
    writing *w = png_get_io_ptr(png);
    bs_buf_add(w->out, bytes, n);
    if (w->out->failed)
        png_error(png, "no room");
}

static void on_flush(png_structp png)
{
    (void)png;
}

static bool run(writing *w)
{
    static const int kinds[] = {0, PNG_COLOR_TYPE_GRAY, 0, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    w->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, w, on_error, on_warning, w, on_alloc,
                                       on_free);
    if (!w->png)
        return false;
    if (setjmp(png_jmpbuf(w->png)))
        return false;
    w->info = png_create_info_struct(w->png);
    if (!w->info)
        return false;
    png_set_write_fn(w->png, w, on_write, on_flush);
    png_set_compression_level(w->png, 6);
    png_set_IHDR(w->png, w->info, (png_uint_32)w->width, (png_uint_32)w->height, 8,
                 w->colours ? PNG_COLOR_TYPE_PALETTE : kinds[w->channels], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (w->colours)
        png_set_PLTE(w->png, w->info, w->palette, w->colours);
    png_write_info(w->png, w->info);
    size_t stride = (size_t)w->width * (size_t)w->channels;
    for (int y = 0; y < w->height; y++)
        png_write_row(w->png, w->pixels + (size_t)y * stride);
    png_write_end(w->png, w->info);
    return true;
}

basin_status bs_png_write(const uint8_t *pixels, int width, int height, int channels,
                          const uint8_t (*palette)[3], int colours, bs_buf *out, basin_error *err)
{
    if (width < 1 || height < 1 || (channels != 1 && channels != 3 && channels != 4) ||
        (palette && (channels != 1 || colours < 1 || colours > 256)))
        return bs_fail(err, BASIN_EARG, "a PNG file of %d x %d pixels with %d channels, %d colours",
                       width, height, channels, colours);
    writing w = {.pixels = pixels,
                 .width = width,
                 .height = height,
                 .channels = channels,
                 .colours = palette ? colours : 0,
                 .out = out};
    for (int i = 0; i < w.colours; i++)
        w.palette[i] = (png_color){palette[i][0], palette[i][1], palette[i][2]};
    for (size_t i = 0; palette && i < (size_t)width * (size_t)height; i++)
        if (pixels[i] >= colours)
            return bs_fail(err, BASIN_EARG, "a pixel has the colour %d, the palette only %d",
                           pixels[i], colours);
    bool ok = run(&w);
    if (w.png)
        png_destroy_write_struct(&w.png, &w.info);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}
