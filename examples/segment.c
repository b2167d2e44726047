/* segment.c -- loads a model of images and finds the mask of one photo, a PPM or PGM file of 8 bits
 * (P6, P5) without comments; writes the mask as a PGM file, prints how much each class has.
 *
 *   cc segment.c $(pkg-config --cflags --libs basin) -o segment
 *   ./segment RUN photo.ppm mask.pgm */
#include <basin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what)
{
    fprintf(stderr, "segment: %s\n", what);
    return 1;
}

/* NULL if it is none. */
static uint8_t *read_photo(const char *path, int *width, int *height, int *channels)
{
    FILE    *f = fopen(path, "rb");
    int      kind = 0, most = 0;
    uint8_t *pixels = NULL;
    if (f && fscanf(f, "P%d %d %d %d", &kind, width, height, &most) == 4 && fgetc(f) != EOF &&
        (kind == 5 || kind == 6) && most == 255 && *width > 0 && *width < 20000 && *height > 0 &&
        *height < 20000) {
        *channels = kind == 6 ? 3 : 1;
        size_t n = (size_t)*width * (size_t)*height * (size_t)*channels;
        pixels = malloc(n);
        if (pixels && fread(pixels, 1, n, f) != n) {
            free(pixels);
            pixels = NULL;
        }
    }
    if (f)
        fclose(f);
    return pixels;
}

static int write_mask(const char *path, const uint8_t *mask, int width, int height)
{
    FILE  *f = fopen(path, "wb");
    size_t n = (size_t)width * (size_t)height;
    int good = f && fprintf(f, "P5 %d %d 255\n", width, height) > 0 && fwrite(mask, 1, n, f) == n;
    return f && fclose(f) == 0 && good;
}

int main(int argc, char **argv)
{
    basin_error      err;
    basin_model     *model;
    basin_predictor *predictor;
    int              width, height, channels;
    if (argc != 4) {
        fprintf(stderr, "usage: segment MODEL PHOTO.ppm MASK.pgm\n");
        return 2;
    }
    if (basin_model_load(argv[1], &model, &err) || basin_predictor_new(model, 1, &predictor, &err))
        return fail(err.msg);
    uint8_t *pixels = read_photo(argv[2], &width, &height, &channels);
    if (!pixels)
        return fail("the photo is no PPM or PGM file of 8 bits");

    size_t   n = (size_t)width * (size_t)height;
    long     count[256] = {0};
    uint8_t *mask = malloc(n);
    if (!mask)
        return fail("out of memory");
    if (basin_predict_image(predictor, pixels, width, height, channels, mask, NULL, &err))
        return fail(err.msg);
    for (size_t i = 0; i < n; i++)
        count[mask[i]]++;
    for (int i = 0; i < basin_model_labels(model); i++)
        printf("class %s: %ld pixels\n", basin_model_label(model, i), count[i]);
    if (!write_mask(argv[3], mask, width, height))
        return fail("the mask cannot be written");
    basin_predictor_free(predictor);
    basin_model_free(model);
    free(pixels);
    free(mask);
    return 0;
}
