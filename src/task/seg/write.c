/* write.c -- writes predicted masks: pictures in a folder or one by one, probabilities as arrays,
 * or a line of counts per photo. */
#include <string.h>

#include "api/predict.h"
#include "base/io.h"
#include "data/image/catalogue.h"
#include "data/image/overlay.h"
#include "task/seg/data.h"

enum { MOST_CELLS = 1 << 20 }; /* most numbers of outputs in memory at a time */

typedef enum { COUNTS, MASKS, ARRAYS } form;

typedef struct {
    const bs_model_file         *m;
    const basin_predict_options *o;
    const bs_images             *im;
    const bs_outputs            *y;
    uint8_t                     *mask; /* of one photo, at its own size */
    bs_buf                       bytes, path;
    basin_error                 *err;
} writer;

static basin_status find_form(const basin_predict_options *o, form *out, basin_error *err)
{
    const char *name = o->format ? o->format : "auto";
    *out = strcmp(name, "jsonl") == 0 ? COUNTS : strcmp(name, "npy") == 0 ? ARRAYS : MASKS;
    if (strcmp(name, "auto") == 0)
        *out = o->path ? MASKS : COUNTS;
    else if (*out == MASKS && strcmp(name, "png") != 0)
        return bs_fail(err, BASIN_EARG, "--format: '%s' is not png, npy or jsonl", name);
    return BASIN_OK;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

/* Not a folder: a picture or an array. */
static bool one_file(const basin_predict_options *o, form f)
{
    return !o->path || ends_in(o->path, f == MASKS ? ".png" : ".npy");
}

/* A folder with such a name would be surprising. */
static bool ends_like_another_picture(const char *path)
{
    return path && !ends_in(path, ".png") && (bs_is_picture_name(path) || bs_foreign_picture(path));
}

static basin_status check(bs_model_file *m, const basin_predict_options *o, basin_error *err)
{
    form         f = COUNTS;
    basin_status s = find_form(o, &f, err);
    bs_preprocess_seg(&m->known)->image.originals = o->overlay;
    if (s)
        return s;
    if (o->top_k > 0)
        return bs_fail(err, BASIN_EARG, "--top-k: is for label sets; a pixel has one class");
    if (o->threshold && strcmp(o->threshold, "auto") != 0)
        return bs_fail(err, BASIN_EARG,
                       "--threshold: is for label sets; --format npy gives probabilities");
    if (f != COUNTS && ends_like_another_picture(o->path))
        return bs_fail(err, BASIN_EARG,
                       "-o: '%.200s': masks are written as PNG; give a folder or FILE.png",
                       o->path);
    if (o->scores && (f != MASKS || one_file(o, f)))
        return bs_fail(err, BASIN_EARG,
                       "--scores: puts arrays beside masks, so it needs -o DIR; --format npy "
                       "gives arrays alone");
    if (o->overlay && f != MASKS)
        return bs_fail(err, BASIN_EARG, "--overlay: draws pictures; use -o DIR or --format png");
    if (o->keep_columns || o->probabilities)
        return bs_fail(err, BASIN_EARG, "--%s: is for label sets; %s",
                       o->keep_columns ? "keep-columns" : "probabilities",
                       o->keep_columns ? "images have no columns"
                                       : "--scores gives those of all pixels");
    if (o->csv_safe)
        return bs_fail(err, BASIN_EARG, "--csv-safe: is for tables; images have none");
    if (o->energy && f != COUNTS)
        return bs_fail(err, BASIN_EARG, "--energy: pictures have no place for it; use jsonl");
    return BASIN_OK;
}

/* ---- one photo ---- */

static void decide(writer *w, int32_t i)
{
    bs_seg_mask(w->y, i, bs_known_planes(&w->m->known), bs_gold_pixels(w->im, i), w->mask);
}

static basin_status make_mask(writer *w, int32_t i)
{
    bs_buf_clear(&w->bytes);
    return bs_mask_png(w->mask, w->im->mask_width[i], w->im->mask_height[i],
                       bs_preprocess_seg(&w->m->known)->classes, &w->bytes, w->err);
}

static basin_status make_overlay(writer *w, int32_t i)
{
    const bs_images *im = w->im;
    bs_buf_clear(&w->bytes);
    return bs_overlay(im->original[i], 3, im->mask_width[i], im->mask_height[i], w->mask, 0,
                      &w->bytes, w->err);
}

/* [height, width] of class 1, or [classes, height, width] */
static basin_status make_array(writer *w, int32_t i)
{
    const int64_t dim[] = {bs_known_planes(&w->m->known), w->im->mask_height[i],
                           w->im->mask_width[i]};
    const int     skip = bs_known_planes(&w->m->known) == 1;
    bs_buf_clear(&w->bytes);
    bs_npy_header(&w->bytes, "<f4", dim + skip, 3 - skip);
    bs_buf_add(&w->bytes, w->y->scores + bs_starts_seg(w->y)[i],
               (bs_starts_seg(w->y)[i + 1] - bs_starts_seg(w->y)[i]) * sizeof *w->y->scores);
    return w->bytes.failed ? bs_fail_nomem(w->err) : BASIN_OK;
}

/* ---- a folder ---- */

static basin_status put(writer *w, const char *folder, int32_t i, const char *ending)
{
    const char *name = w->im->name[i];
    if (bs_leads_out(name))
        return bs_fail(w->err, BASIN_EDATA, "'%.80s' is not a valid file name", name);
    bs_buf_clear(&w->path);
    bs_buf_printf(&w->path, "%s/%s%s", w->o->path, folder, name);
    if (w->path.failed)
        return bs_fail_nomem(w->err);
    char        *slash = strrchr(w->path.data, '/');
    basin_status s;
    *slash = '\0';
    s = bs_make_dir(w->path.data, w->err);
    *slash = '/';
    bs_buf_text(&w->path, ending);
    if (!s && w->path.failed)
        s = bs_fail_nomem(w->err);
    return s ? s : bs_write_file(w->path.data, w->bytes.data, w->bytes.len, w->err);
}

static basin_status put_photo(writer *w, form f, int32_t i)
{
    if (w->o->overlay && strncmp(w->im->name[i], "overlay/", 8) == 0)
        return bs_fail(w->err, BASIN_EDATA,
                       "--overlay: '%.80s' would lie among the drawings; rename that folder",
                       w->im->name[i]);
    const struct {
        bool wanted;
        basin_status (*make)(writer *w, int32_t i);
        const char *folder, *ending;
    } files[] = {{f == MASKS, make_mask, "", ".png"},
                 {w->o->overlay, make_overlay, "overlay/", ".png"},
                 {f == ARRAYS || w->o->scores, make_array, "", ".npy"}};
    basin_status s = BASIN_OK;
    decide(w, i);
    for (int k = 0; k < 3 && !s; k++)
        if (files[k].wanted && !(s = files[k].make(w, i)))
            s = put(w, files[k].folder, i, files[k].ending);
    return s;
}

/* ---- one file ---- */

static basin_status put_one(writer *w, form f, bs_target *out)
{
    if (w->im->n != 1)
        return bs_fail(w->err, BASIN_EARG,
                       "-o: %d images do not go into one file; give a folder, or --format jsonl",
                       (int)w->im->n);
    basin_status s;
    decide(w, 0);
    s = f == ARRAYS ? make_array(w, 0) : w->o->overlay ? make_overlay(w, 0) : make_mask(w, 0);
    if (s)
        return s;
    if (!out)
        return bs_write_file(w->o->path, w->bytes.data, w->bytes.len, w->err);
    return bs_target_put(out, w->bytes.data, w->bytes.len, w->err);
}

/* ---- counts ---- */

/* {"id": "horse001", "width": 32, "height": 32, "pixels": [745, 279], "energy": -1.5} */
static basin_status put_counts(writer *w, bs_target *out)
{
    basin_status s = BASIN_OK;
    for (int32_t i = 0; i < w->im->n && !s; i++) {
        int64_t count[256] = {0};
        decide(w, i);
        for (size_t k = 0; k < bs_gold_pixels(w->im, i); k++)
            count[w->mask[k]]++;
        bs_buf_clear(&w->bytes);
        bs_json_open(&w->bytes, NULL, '{');
        bs_json_members(&w->bytes, "id %s width %d height %d", w->im->name[i], w->im->mask_width[i],
                        w->im->mask_height[i]);
        bs_json_open(&w->bytes, "pixels", '[');
        for (int c = 0; c < bs_preprocess_seg(&w->m->known)->classes; c++)
            bs_json_int(&w->bytes, NULL, count[c]);
        bs_json_close(&w->bytes, ']');
        if (w->y->energy)
            bs_json_short(&w->bytes, "energy", 6, (double)w->y->energy[i]);
        bs_buf_text(&w->bytes, "}\n");
        s = w->bytes.failed ? bs_fail_nomem(w->err)
                            : bs_target_put(out, w->bytes.data, w->bytes.len, w->err);
    }
    return s;
}

/* out is NULL if a path was given; pictures or arrays go there. */
static basin_status write_all(writer *w, form f, bs_target *out)
{
    if (f == COUNTS)
        return put_counts(w, out);
    if (one_file(w->o, f))
        return put_one(w, f, out);
    basin_status s = bs_make_dir(w->o->path, w->err);
    for (int32_t i = 0; i < w->im->n && !s; i++)
        s = put_photo(w, f, i);
    return s;
}

static basin_status write_outputs(const bs_model_file *m, const basin_predict_options *o,
                                  const bs_dataset *data, const bs_outputs *y, bs_target *out,
                                  basin_error *err)
{
    writer       w = {.m = m, .o = o, .im = bs_dataset_seg(data), .y = y, .err = err};
    form         f = COUNTS;
    basin_status s = find_form(o, &f, err);
    bs_buf_init(&w.bytes, (size_t)1 << 31);
    bs_buf_init(&w.path, 1 << 16);
    if (!s && !(w.mask = bs_alloc(bs_gold_most(w.im))))
        s = bs_fail_nomem(err);
    if (!s)
        s = write_all(&w, f, out);
    bs_free(w.mask);
    bs_buf_free(&w.bytes);
    bs_buf_free(&w.path);
    return s;
}

static bool opens(const basin_predict_options *o)
{
    form f = COUNTS;
    return find_form(o, &f, NULL) == BASIN_OK && f != COUNTS;
}

/* One image, or several while their outputs are small. */
static int32_t piece(const bs_model_file *m, const basin_predict_options *o, const bs_dataset *data,
                     int32_t first)
{
    const bs_images *im = bs_dataset_seg(data);
    const int64_t    planes = bs_known_planes(&m->known);
    int64_t          cells = 0;
    int32_t          n = 0;
    form             f = COUNTS;
    if (find_form(o, &f, NULL) == BASIN_OK && f != COUNTS && one_file(o, f))
        return im->n;
    while (first + n < im->n && (n == 0 || cells < MOST_CELLS)) {
        cells += planes * im->mask_width[first + n] * im->mask_height[first + n];
        n++;
    }
    return n;
}

const bs_task_write bs_task_write_seg = {
    .opens = opens,
    .piece = piece,
    .check = check,
    .write = write_outputs,
};
