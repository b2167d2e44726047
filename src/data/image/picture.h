/* picture.h -- 8-bit pictures out of PNG and JPEG files, and PNG files out of pictures.
 *
 * Decoding works on bytes in memory and trusts none of them: sizes are checked against limits
 * before memory is allocated, nothing is printed, and a broken file gives a one-line error that
 * names it. Masks and photos are read differently: for a mask the numbers in the file count
 * (palette index, stored grey value), for a photo what a viewer would show. */
#ifndef BS_IMAGE_PICTURE_H
#define BS_IMAGE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

typedef enum {
    BS_PICTURE_PHOTO, /* palette and transparency resolved, turned as EXIF says */
    BS_PICTURE_MASK,  /* stored values; JPEG is refused, since its values are inexact */
} bs_picture_use;

typedef enum { BS_PICTURE_NONE, BS_PICTURE_PNG, BS_PICTURE_JPEG } bs_picture_kind;

typedef struct {
    int     max_side;   /* 0 = 16384 */
    int64_t max_pixels; /* 0 = 64 million */
} bs_picture_limits;

/* What a file's header says. */
typedef struct {
    bs_picture_kind kind;
    int             width, height; /* as shown, after turning */
    int             channels;      /* of the decoded photo: 1 grey, 3 RGB, 4 RGBA */
    int             depth;         /* bits of a stored sample */
    int             orientation;   /* EXIF, 1 to 8 */
    bool            indexed;       /* the file has a palette */
    bool            animated;
} bs_picture_info;

typedef struct {
    int             width, height;
    int             channels; /* 1 grey, index or class, 3 RGB, 4 RGBA */
    uint8_t        *pixels;   /* [height][width][channels], a bs_alloc block */
    bs_picture_info file;
    int             colours; /* entries in the palette of an indexed file */
    uint8_t         palette[256][3];
} bs_picture;

/* By the first bytes; 8 are enough. */
bs_picture_kind bs_picture_sniff(const void *bytes, size_t n);

/* Reads only the header. `name` starts every message; limits may be NULL. */
basin_status bs_picture_probe(const char *name, const void *bytes, size_t n,
                              const bs_picture_limits *limits, bs_picture_info *out,
                              basin_error *err);

/* A mask has one channel, unless it is stored in colours (then 3). 16-bit masks are accepted if
 * their values fit 8 bits. *out is empty after a failure. */
basin_status bs_picture_decode(const char *name, const void *bytes, size_t n, bs_picture_use use,
                               const bs_picture_limits *limits, bs_picture *out, basin_error *err);
void         bs_picture_free(bs_picture *p); /* accepts NULL; leaves it empty */

/* Luma of ITU-R BT.601, like viewers and other readers compute grey. */
uint8_t bs_picture_grey(const uint8_t rgb[3]);

/* Turns RGBA over white into RGB, in place; other pictures stay. */
void bs_picture_flatten(bs_picture *p);

/* Appends a PNG file to `out`: channels 1, 3 or 4, interleaved. With a palette ([colours], at most
 * 256) channels is 1 and pixels are indices below `colours`; otherwise palette is NULL. The same
 * picture gives the same bytes. */
basin_status bs_png_write(const uint8_t *pixels, int width, int height, int channels,
                          const uint8_t (*palette)[3], int colours, bs_buf *out, basin_error *err);

/* Colours for classes of a mask, easy to tell apart: black, then strong ones; after the first 16
 * those of the Pascal VOC colour map. */
void bs_class_colour(int c, uint8_t rgb[3]);
void bs_voc_colour(int c, uint8_t rgb[3]);

#endif
