/* inspect.c -- basin_data_* for photos and masks. */
#include <string.h>

#include "inspect/inspect.h"
#include "tasks/seg/make.h"
#include "task/seg/data.h"

static bs_image_options reading(const bs_settings *s)
{
    bs_image_options o = s->image;
    o.unpack_mb = s->read.max_mb;
    return o;
}

static basin_status inspect(const bs_data_args *g, bool check, bs_buf *table, bs_buf *json,
                            basin_error *err)
{
    bs_images  *im = NULL;
    bs_notes    notes;
    const char *problem = NULL;
    bs_notes_init(&notes);
    const bs_image_options o = reading(g->settings);
    basin_status           s = bs_images_read(g->file, g->n, &o, NULL, &im, &notes, err);
    if (!s)
        s = bs_images_describe(im, &notes, table, json, &problem, err);
    if (!s && check && problem)
        s = bs_fail(err, BASIN_EDATA, "%s: %s", g->file[0], problem);
    if (!s && !problem)
        bs_data_next(g->file[0], table);
    bs_images_free(im);
    bs_notes_free(&notes);
    return s;
}

static basin_status describe_part(const bs_dataset *part, const bs_dataset *train, bs_buf *table,
                                  basin_error *err)
{
    (void)train;
    return bs_images_describe(bs_dataset_seg(part), NULL, table, NULL, NULL, err);
}

/* Photos are written unscaled unless a size is requested: a common size is for training. */
static basin_status read_as_they_are(const bs_data_args *g, bs_images **out, bs_notes *notes,
                                     basin_error *err)
{
    bs_image_options o = reading(g->settings);
    if (strcmp(o.size, "auto") == 0)
        bs_print(o.size, sizeof o.size, "keep");
    return bs_images_read(g->file, g->n, &o, NULL, out, notes, err);
}

static basin_status convert(const bs_data_args *g, const char *out, const char *format,
                            bs_notes *notes, basin_error *err)
{
    bs_images *im = NULL;
    if (format)
        return bs_fail(err, BASIN_EARG,
                       "--format: images are written to a folder, or to an archive by the ending "
                       "of -o (.tar, .tar.xz, .zip)");
    basin_status s = read_as_they_are(g, &im, notes, err);
    if (!s)
        s = bs_images_write(im, out, NULL, err);
    bs_images_free(im);
    return s;
}

/* ---- split ---- */

static basin_status write_part(const bs_images *im, const int32_t *part, int i, const char *path,
                               int32_t *n, basin_error *err)
{
    int32_t     *rows = NULL;
    bs_images   *piece = NULL;
    basin_status s = bs_split_rows(part, im->n, i, &rows, n, err);
    if (!s)
        s = bs_images_select(im, rows, *n, &piece, err);
    for (int32_t k = 0; !s && k < *n; k++)
        piece->part[k] = 0; /* lists of parts from another split would contradict this one */
    if (!s)
        s = bs_images_write(piece, path, NULL, err);
    bs_images_free(piece);
    bs_free(rows);
    return s;
}

static basin_status write_parts(const bs_images *im, const int32_t *part, const bs_cutting *cut,
                                bs_buf *table, bs_buf *json, basin_error *err)
{
    basin_status s = BASIN_OK;
    bs_buf_printf(table, "%-40s %8s\n", "folder", "images");
    bs_json_open(json, NULL, '{');
    bs_json_open(json, "parts", '[');
    for (int i = 0; i < cut->parts && !s; i++) {
        char    path[BS_OPTION_TEXT], shown[BS_VISIBLE];
        int32_t n = 0;
        bs_part_path(cut, i, "", path);
        s = write_part(im, part, i, path, &n, err);
        bs_buf_printf(table, "%-40s %8d\n", bs_visible(path, 40, shown), (int)n);
        bs_json_open(json, NULL, '{');
        bs_json_members(json, "file %s images %d", path, n);
        bs_json_close(json, '}');
    }
    bs_buf_text(json, "]}");
    return s;
}

static basin_status split(const bs_data_args *g, const bs_cutting *cut, bs_notes *notes,
                          bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_images *im = NULL;
    int32_t   *part = NULL;
    if (cut->o->groups || cut->o->documents || cut->o->format)
        return bs_fail(err, BASIN_EARG, "--%s: is not for images; equal photos stay together",
                       cut->o->groups      ? "groups"
                       : cut->o->documents ? "documents"
                                           : "format");
    basin_status s = read_as_they_are(g, &im, notes, err);
    if (!s && !(part = bs_calloc((size_t)im->n + 1, sizeof *part)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_images_split(im, cut->share, cut->parts, cut->o->seed, part, err);
    if (!s)
        s = write_parts(im, part, cut, table, json, err);
    if (s)
        bs_buf_clear(table);
    bs_free(part);
    bs_images_free(im);
    return s;
}

/* ---- make ---- */

static void describe(const bs_images *im, const bs_make_seg_truth *t, const char *path,
                     bs_buf *table, bs_buf *json)
{
    bs_buf_visible(table, path);
    bs_buf_printf(
        table,
        ": %d images of %d x %d pixels\n"
        "best known mean IoU %.2f +- %.2f; by the 7 x 7 pixels around each %.2f; pixel by "
        "pixel %.2f\n",
        (int)im->n, (int)im->width[0], (int)im->height[0], 100 * t->best, 100 * t->error,
        100 * t->window, 100 * t->local);
    bs_data_next(path, table);
    bs_json_open(json, NULL, '{');
    bs_json_members(json,
                    "file %s images %d best %.6f error %.6f best_pixel_accuracy %.6f "
                    "window %.6f local %.6f",
                    path, im->n, t->best, t->error, t->accuracy, t->window, t->local);
    bs_json_close(json, '}');
}

static basin_status make(const char *options, int seed, const char *out, const char *format,
                         bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_make_seg_options o;
    bs_make_seg_truth   truth;
    bs_images          *im = NULL;
    bs_buf              about;
    (void)notes;
    if (format)
        return bs_fail(err, BASIN_EARG,
                       "--format: images are written to a folder, or to an archive by the ending "
                       "of -o (.tar, .tar.xz, .zip)");
    bs_buf_init(&about, 1 << 20);
    basin_status s = bs_make_options(bs_make_seg_rows, &o, options, err);
    o.seed = seed;
    if (!s)
        s = bs_make_seg(&o, &im, &truth, err);
    if (!s) {
        describe(im, &truth, out, table, json);
        bs_buf_printf(&about, "%s\n", json->data ? json->data : "");
        s = about.failed ? bs_fail_nomem(err) : bs_images_write(im, out, about.data, err);
    }
    if (s)
        bs_buf_clear(table);
    bs_buf_free(&about);
    bs_images_free(im);
    return s;
}

const bs_task_inspect bs_task_inspect_seg = {
    .inspect = inspect,
    .convert = convert,
    .split = split,
    .describe = describe_part,
    .make = make,
};
