/* images_describe.c -- what `basin data inspect` and `check` report about images. */
#include <string.h>
#include "base/json.h"

#include "base/visible.h"
#include "data/image/catalogue.h"
#include "data/image/images.h"

typedef struct {
    int32_t  masks, empty, full; /* images with a mask; without, and with only foreground */
    int32_t  smallest[2], largest[2];
    int64_t  pixels[256]; /* of each class */
    int64_t  ignored, valid;
    int32_t  holding[256]; /* images in which the class occurs */
    bs_twin *twin;
    size_t   twins, across;
} facts;

static void measure_mask(const bs_images *im, int32_t i, facts *f)
{
    int64_t count[256] = {0}, on = 0, valid = 0;
    size_t  n = (size_t)im->width[i] * (size_t)im->height[i];
    for (size_t k = 0; k < n; k++)
        count[im->mask[i][k]]++;
    for (int c = 0; c < im->classes; c++) {
        f->pixels[c] += count[c];
        f->holding[c] += count[c] > 0;
        valid += count[c];
        on += c ? count[c] : 0;
    }
    f->ignored += count[BS_IGNORE];
    f->valid += valid;
    f->masks++;
    f->empty += on == 0;
    f->full += valid > 0 && on == valid;
}

static basin_status measure(const bs_images *im, facts *f, basin_error *err)
{
    memset(f, 0, sizeof *f);
    for (int32_t i = 0; i < im->n; i++) {
        int32_t size[2] = {im->width[i], im->height[i]};
        for (int k = 0; k < 2; k++) {
            f->smallest[k] = i == 0 || size[k] < f->smallest[k] ? size[k] : f->smallest[k];
            f->largest[k] = size[k] > f->largest[k] ? size[k] : f->largest[k];
        }
        if (im->mask[i])
            measure_mask(im, i, f);
    }
    basin_status s = bs_images_twins(im, &f->twin, &f->twins, err);
    for (size_t k = 0; k < f->twins && !s; k++)
        f->across += f->twin[k].across;
    return s;
}

static double percent(int64_t part, int64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_classes(const bs_images *im, const facts *f, bs_buf *out)
{
    enum { SHOWN = 24 };
    char name[BS_VISIBLE];
    bs_buf_printf(out, "classes  %d, shares of the pixels:", im->classes);
    for (int c = 0; c < im->classes && c < SHOWN; c++)
        bs_buf_printf(out, "%s %s%s%d %.2f %%", c ? "," : "",
                      bs_visible(im->class_name ? im->class_name[c] : "", 0, name),
                      im->class_name ? " " : "", c, percent(f->pixels[c], f->valid));
    if (im->classes > SHOWN)
        bs_buf_printf(out, ", and %d more", im->classes - SHOWN);
    bs_buf_text(out, "\n");
}

static const char *part_of(const bs_images *im, int32_t i)
{
    return im->part[i] ? bs_part_name((bs_image_part)im->part[i]) : "no part";
}

static void print_twins(const bs_images *im, const facts *f, bs_buf *out)
{
    enum { SHOWN = 5 };
    char a[BS_VISIBLE], b[BS_VISIBLE];
    if (!f->twins)
        return;
    bs_buf_printf(out, "twins    %zu pairs of photos are equal, %zu across parts", f->twins,
                  f->across);
    size_t shown = 0;
    for (int turn = 0; turn < 2; turn++) /* those across parts matter most */
        for (size_t k = 0; k < f->twins && shown < SHOWN; k++) {
            const bs_twin *t = &f->twin[k];
            if (t->across == (turn == 0)) {
                bs_buf_printf(out, "%s %s (%s) and %s (%s)", shown ? ";" : ":",
                              bs_visible(im->name[t->a], 60, a), part_of(im, t->a),
                              bs_visible(im->name[t->b], 60, b), part_of(im, t->b));
                shown++;
            }
        }
    bs_buf_text(out, f->twins > SHOWN ? "; ...\n" : "\n");
}

static void print_table(const bs_images *im, const facts *f, const bs_notes *notes, bs_buf *out)
{
    bs_buf_printf(out, "format   images, %d, %s", (int)im->n, im->channels == 1 ? "grey" : "RGB");
    if (im->equal)
        bs_buf_printf(out, ", %d x %d pixels\n", (int)f->largest[0], (int)f->largest[1]);
    else
        bs_buf_printf(out, ", %d x %d to %d x %d pixels\n", (int)f->smallest[0],
                      (int)f->smallest[1], (int)f->largest[0], (int)f->largest[1]);
    if (im->parts[1] + im->parts[2] + im->parts[3])
        bs_buf_printf(out, "parts    train %d, valid %d, test %d, none %d\n", (int)im->parts[1],
                      (int)im->parts[2], (int)im->parts[3], (int)im->parts[0]);
    bs_buf_printf(out,
                  "masks    %d of %d images, %d without foreground, %d without background, "
                  "%.2f %% of the pixels ignored\n",
                  (int)f->masks, (int)im->n, (int)f->empty, (int)f->full,
                  percent(f->ignored, f->ignored + f->valid));
    if (f->masks)
        print_classes(im, f, out);
    print_twins(im, f, out);
    for (size_t i = 0; notes && i < notes->n; i++)
        bs_buf_printf(out, "note     %s\n", notes->note[i].text);
}

static void put_range(const char *key, int least, int most, bs_buf *out)
{
    bs_json_open(out, key, '[');
    bs_json_int(out, NULL, least);
    bs_json_int(out, NULL, most);
    bs_json_close(out, ']');
}

static void print_json(const bs_images *im, const facts *f, const bs_notes *notes, bs_buf *out)
{
    static const char *const part[] = {"train", "valid", "test", "none"};
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "format %s images %d channels %d", "images", im->n, im->channels);
    put_range("width", f->smallest[0], f->largest[0], out);
    put_range("height", f->smallest[1], f->largest[1], out);
    bs_json_bool(out, "equal", im->equal);
    bs_json_bool(out, "resized", im->resized);
    bs_json_bool(out, "binary", im->binary);
    bs_json_open(out, "parts", '{');
    for (int i = 0; i < 4; i++)
        bs_json_int(out, part[i], im->parts[(i + 1) % 4]);
    bs_json_close(out, '}');
    bs_json_members(out, "masks %d empty %d full %d ignored %.6f", f->masks, f->empty, f->full,
                    percent(f->ignored, f->ignored + f->valid) / 100);
    bs_json_open(out, "classes", '[');
    for (int c = 0; c < im->classes; c++) {
        bs_json_open(out, NULL, '{');
        bs_json_int(out, "class", c);
        if (im->class_name)
            bs_json_text(out, "name", im->class_name[c]);
        bs_json_members(out, "share %.6f images %d", percent(f->pixels[c], f->valid) / 100,
                        f->holding[c]);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
    bs_json_members(out, "twins %lld", (long long)f->twins);
    bs_json_open(out, "twins_across", '[');
    for (size_t k = 0; k < f->twins; k++)
        if (f->twin[k].across)
            bs_json_texts(out, NULL,
                          (const char *[]){im->name[f->twin[k].a], im->name[f->twin[k].b]}, 2);
    bs_json_close(out, ']');
    bs_json_hash(out, "hash", im->hash);
    bs_notes_json(notes, out);
    bs_json_close(out, '}');
}

static const char *problem_of(const bs_images *im, const facts *f)
{
    if (im->n == 0)
        return "there are no images";
    if (f->masks == 0)
        return "there are no masks";
    if (f->valid == 0)
        return "all pixels of the masks are ignored";
    for (int c = 0; c < im->classes; c++)
        if (f->pixels[c] == f->valid)
            return "all pixels of the masks have one class";
    return im->unseen;
}

basin_status bs_images_describe(const bs_images *im, const bs_notes *notes, bs_buf *table,
                                bs_buf *json, const char **problem, basin_error *err)
{
    facts       *f = bs_calloc(1, sizeof *f);
    basin_status s = f ? measure(im, f, err) : bs_fail_nomem(err);
    if (!s && table)
        print_table(im, f, notes, table);
    if (!s && json)
        print_json(im, f, notes, json);
    if (!s && ((table && table->failed) || (json && json->failed)))
        s = bs_fail_nomem(err);
    if (!s && problem)
        *problem = problem_of(im, f);
    if (f)
        bs_free(f->twin);
    bs_free(f);
    return s;
}
