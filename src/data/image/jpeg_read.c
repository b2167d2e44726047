/* jpeg_read.c -- JPEG files through libjpeg.
 *
 * libjpeg fills missing parts of a damaged file with grey and prints a warning. Here warnings that
 * mean lost pixels are errors, and nothing is printed. Its memory is bounded by the size of the
 * picture, which was checked. */
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>
/* after jpeglib.h, which it extends */
#include <jerror.h>
#include <setjmp.h>
#include <string.h>

#include "base/mem.h"
#include "data/image/picture_part.h"

/* A few hundred bytes can hold thousands of scans, each costing a pass over the picture; real files
 * have about ten. */
enum { MOST_SCANS = 200 };

typedef struct {
    struct jpeg_decompress_struct d;
    struct jpeg_error_mgr         handler;
    struct jpeg_source_mgr        source;
    struct jpeg_progress_mgr      progress;
    jmp_buf                       jump;

    const char              *name;
    const uint8_t           *bytes;
    size_t                   n;
    const bs_picture_limits *limits;
    bs_picture_info         *info;
    bs_picture              *p;     /* NULL: only the header */
    uint8_t                 *line;  /* one row of CMYK */
    bool                     ended; /* the decoder read past the end */
    int                      lost;  /* first warning that means lost pixels */
    basin_status             status;
    basin_error             *err;
} reading;

/* --- callbacks ------------------------------------------------------------- */

static void on_error(j_common_ptr c)
{
    reading *r = c->client_data;
    char     text[JMSG_LENGTH_MAX];
    if (!r->status) {
        c->err->format_message(c, text);
        r->status = c->err->msg_code == JERR_OUT_OF_MEMORY
                        ? bs_fail_nomem(r->err)
                        : bs_fail(r->err, BASIN_EDATA, "%s: broken JPEG file: %s", r->name,
                                  r->ended ? "it ends too soon" : text);
    }
    longjmp(r->jump, 1);
}

static void on_message(j_common_ptr c, int level)
{
    reading *r = c->client_data;
    int      code = c->err->msg_code;
    if (level < 0 && !r->lost &&
        (code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_MUST_RESYNC ||
         code == JWRN_ARITH_BAD_CODE || code == JWRN_BOGUS_PROGRESSION))
        r->lost = code;
}

static void on_output(j_common_ptr c)
{
    (void)c;
}

static void on_start(j_decompress_ptr d)
{
    (void)d;
}

/* After the end there are only end markers. */
static boolean on_fill(j_decompress_ptr d)
{
    static const JOCTET end[] = {0xff, JPEG_EOI};
    reading            *r = d->client_data;
    r->ended = true;
    d->src->next_input_byte = end;
    d->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void on_skip(j_decompress_ptr d, long n)
{
    if (n <= 0)
        return;
    if ((size_t)n > d->src->bytes_in_buffer) {
        on_fill(d);
        return;
    }
    d->src->next_input_byte += n;
    d->src->bytes_in_buffer -= (size_t)n;
}

static void on_progress(j_common_ptr c)
{
    reading *r = c->client_data;
    if (c->is_decompressor && r->d.input_scan_number > MOST_SCANS) {
        r->status = bs_fail(r->err, BASIN_EDATA, "%s: broken JPEG file: more than %d scans",
                            r->name, (int)MOST_SCANS);
        longjmp(r->jump, 1);
    }
}

static void stop(reading *r, basin_status s)
{
    r->status = s;
    longjmp(r->jump, 1);
}

/* --- head and pixels ------------------------------------------------------- */

static int orientation(const struct jpeg_decompress_struct *d)
{
    static const char head[] = "Exif\0";
    for (const struct jpeg_marker_struct *m = d->marker_list; m; m = m->next)
        if (m->marker == JPEG_APP0 + 1 && m->data_length > sizeof head &&
            memcmp(m->data, head, sizeof head) == 0)
            return bs_exif_orientation(m->data + sizeof head, m->data_length - sizeof head);
    return 1;
}

static void read_head(reading *r)
{
    struct jpeg_decompress_struct *d = &r->d;
    jpeg_save_markers(d, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(d, TRUE);
    basin_status s = bs_picture_check(r->name, r->limits, d->image_width, d->image_height, r->err);
    if (s)
        stop(r, s);
    bool grey = d->jpeg_color_space == JCS_GRAYSCALE;
    if (d->num_components != (grey ? 1 : 3) && d->num_components != 4)
        stop(r, bs_fail(r->err, BASIN_EDATA, "%s: a JPEG file with %d channels", r->name,
                        d->num_components));
    /* A block of 64 pixels takes at least a bit. */
    if (!d->arith_code && (uint64_t)d->image_width * d->image_height / 512 > r->n)
        stop(r, bs_fail(r->err, BASIN_EDATA, "%s: broken JPEG file: %zu bytes cannot hold %u x %u",
                        r->name, r->n, d->image_width, d->image_height));
    *r->info = (bs_picture_info){.kind = BS_PICTURE_JPEG,
                                 .width = (int)d->image_width,
                                 .height = (int)d->image_height,
                                 .channels = grey ? 1 : 3,
                                 .depth = d->data_precision,
                                 .orientation = orientation(d)};
}

/* With Adobe's marker, which is nearly always there, values are inverted: 255 is no ink. */
static void cmyk_to_rgb(const uint8_t *from, uint8_t *to, size_t n, bool inverted)
{
    for (size_t i = 0; i < n; i++, from += 4, to += 3)
        for (int c = 0; c < 3; c++) {
            unsigned light = inverted ? from[c] : 255u - from[c];
            unsigned key = inverted ? from[3] : 255u - from[3];
            to[c] = (uint8_t)((light * key + 127) / 255);
        }
}

static void read_pixels(reading *r)
{
    struct jpeg_decompress_struct *d = &r->d;
    bs_picture                    *p = r->p;
    bool                           cmyk = d->num_components == 4;
    d->out_color_space = cmyk ? JCS_CMYK : r->info->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    d->dct_method = JDCT_ISLOW;
    p->width = r->info->width;
    p->height = r->info->height;
    p->channels = r->info->channels;
    const size_t stride = (size_t)p->width * (size_t)p->channels;
    p->pixels = bs_alloc(stride * (size_t)p->height);
    if (cmyk)
        r->line = bs_alloc((size_t)p->width * 4);
    if (!p->pixels || (cmyk && !r->line))
        stop(r, bs_fail_nomem(r->err));

    jpeg_start_decompress(d);
    while (d->output_scanline < d->output_height) {
        uint8_t *to = p->pixels + d->output_scanline * stride;
        JSAMPROW row = cmyk ? r->line : to;
        jpeg_read_scanlines(d, &row, 1);
        if (cmyk)
            cmyk_to_rgb(r->line, to, (size_t)p->width, d->saw_Adobe_marker);
    }
    bool scans = jpeg_has_multiple_scans(d);
    jpeg_finish_decompress(d);
    /* A missing end marker by itself loses nothing, unless more scans may be missing. */
    if (r->lost || (r->ended && scans))
        stop(r, bs_fail(r->err, BASIN_EDATA, "%s: broken JPEG file: %s", r->name,
                        r->ended ? "it ends too soon" : "damaged data"));
}

static void run(reading *r)
{
    r->d.err = jpeg_std_error(&r->handler);
    r->handler.error_exit = on_error;
    r->handler.emit_message = on_message;
    r->handler.output_message = on_output;
    r->d.client_data = r;
    if (setjmp(r->jump))
        return;
    jpeg_create_decompress(&r->d);
    r->source = (struct jpeg_source_mgr){.next_input_byte = r->bytes,
                                         .bytes_in_buffer = r->n,
                                         .init_source = on_start,
                                         .fill_input_buffer = on_fill,
                                         .skip_input_data = on_skip,
                                         .resync_to_restart = jpeg_resync_to_restart,
                                         .term_source = on_start};
    r->progress.progress_monitor = on_progress;
    r->d.src = &r->source;
    r->d.progress = &r->progress;
    read_head(r);
    if (r->p)
        read_pixels(r);
}

static basin_status read_jpeg(reading *r)
{
    run(r);
    jpeg_destroy_decompress(&r->d);
    bs_free(r->line);
    return r->status;
}

basin_status bs_jpeg_probe(const char *name, const uint8_t *bytes, size_t n,
                           const bs_picture_limits *limits, bs_picture_info *out, basin_error *err)
{
    reading r = {.name = name, .bytes = bytes, .n = n, .limits = limits, .info = out, .err = err};
    return read_jpeg(&r);
}

basin_status bs_jpeg_decode(const char *name, const uint8_t *bytes, size_t n, bs_picture *p,
                            basin_error *err)
{
    /* The limits were checked when the header was probed; this is the same header. */
    bs_picture_limits limits = {.max_side = 65535, .max_pixels = (int64_t)1 << 40};
    bs_picture_info   info;
    reading           r = {.name = name, .bytes = bytes, .n = n, .limits = &limits, .p = p};
    r.info = &info;
    r.err = err;
    return read_jpeg(&r);
}
