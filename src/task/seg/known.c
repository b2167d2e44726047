/* known.c -- what a model remembers of photos and masks: how they are read, windows, classes. Found
 * in the training data, written to its file, and checked when training goes on with other data. */
#include <string.h>

#include "base/json.h"
#include "base/tree.h"
#include "task/seg/data.h"
#include "task/weights.h"

enum {
    MOST_SIDE = 8192, /* of a window */
    USUAL_SIDE = 128, /* of a window, at most, by default */
};

static int extreme(const int32_t *size, int32_t n, bool largest)
{
    int32_t found = size[0];
    for (int32_t i = 1; i < n; i++)
        if (largest ? size[i] > found : size[i] < found)
            found = size[i];
    return found;
}

static basin_status choose_window(const bs_settings *s, const bs_images *im, bs_seg_known *out,
                                  basin_error *err)
{
    const char *wish = s->train.seg_crop;
    const bool  whole = strcmp(wish, "none") == 0;
    out->width = extreme(im->width, im->n, whole);
    out->height = extreme(im->height, im->n, whole);
    if (strcmp(wish, "auto") == 0) { /* or a batch would take as much as photos are large */
        out->width = out->width < USUAL_SIDE ? out->width : USUAL_SIDE;
        out->height = out->height < USUAL_SIDE ? out->height : USUAL_SIDE;
    } else if (!whole && !bs_image_size(wish, &out->width, &out->height)) {
        return bs_fail(err, BASIN_EARG,
                       "seg.crop: '%.40s' is not WxH (such as 24x24), none or auto", wish);
    }
    if (out->width > MOST_SIDE || out->height > MOST_SIDE)
        return bs_fail(err, BASIN_EARG,
                       "seg.crop: windows of %d x %d are too large; at most %d a side", out->width,
                       out->height, (int)MOST_SIDE);
    return BASIN_OK;
}

static void find_mean(const bs_images *im, float mean[3])
{
    double sum[3] = {0}, n = 0;
    for (int32_t i = 0; i < im->n; i++) {
        const size_t plane = (size_t)im->width[i] * (size_t)im->height[i];
        for (int c = 0; c < im->channels; c++)
            for (size_t k = 0; k < plane; k++)
                sum[c] += im->pixels[i][(size_t)c * plane + k];
        n += (double)plane;
    }
    for (int c = 0; c < im->channels; c++)
        mean[c] = (float)(sum[c] / n);
}

static const char *class_name(const void *im, int i)
{
    return ((const bs_images *)im)->class_name ? ((const bs_images *)im)->class_name[i] : NULL;
}

static basin_status fit_weights(const bs_settings *s, const bs_images *im, bs_logger *log,
                                bs_preprocess *out, basin_error *err)
{
    double count[256] = {0};
    for (int32_t i = 0; i < im->n; i++) {
        const size_t n = (size_t)im->width[i] * (size_t)im->height[i];
        for (size_t k = 0; im->mask[i] && k < n; k++)
            count[im->mask[i][k]]++; /* ignored pixels are counted after all classes */
    }
    const bs_weighed w = {im->classes, class_name, im, "class", count, 0};
    return bs_weights_fit(&s->train, &w, log, out, err);
}

basin_status bs_seg_fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err)
{
    const bs_images *train = bs_dataset_seg(&part[0]);
    bs_seg_known    *k = bs_preprocess_begin(out, &bs_task_seg, sizeof *k);
    bool             any = false;
    (void)n;
    if (!k)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < train->n; i++)
        any |= train->mask[i] != NULL;
    if (!any)
        return bs_fail(err, BASIN_EDATA,
                       "the training data has no masks; see mask.suffix in 'basin list options'");
    out->deciding = BS_SEG_METRIC_mean_iou;
    k->image = s->image;
    bs_images_settle(train, &k->image);
    k->image.names[0] = '\0'; /* its content is part of the model: the file need not exist */
    k->channels = train->channels;
    k->classes = train->classes;
    k->binary = train->binary;
    k->crops = s->train.seg_crops;
    basin_status status = choose_window(s, train, k, err);
    if (!status && !bs_classes_copy(&out->arena, train->classes, train->class_name,
                                    train->class_colour, &k->name, &k->colour))
        status = bs_fail_nomem(err);
    if (!status && s->train.seg_mean)
        find_mean(train, k->mean);
    if (!status && out->like)
        memcpy(k->mean, bs_preprocess_seg(out->like)->mean, sizeof k->mean);
    if (!status)
        status = fit_weights(s, train, log, out, err);
    if (!status && strcmp(s->train.seg_crop, "auto") == 0)
        bs_log_say(log, BS_INFO,
                   "trained on windows of %d x %d pixels; --set seg.crop takes WxH or none",
                   k->width, k->height);
    return status;
}

/* ---- in a file ---- */

void bs_seg_known_text(const bs_preprocess *k, bs_buf *out)
{
    const bs_seg_known *s = bs_preprocess_seg(k);
    bs_buf_printf(out, "photos of %s, %d channel%s, %d classes, windows of %dx%d",
                  strcmp(s->image.size, "keep") == 0 ? "any size" : s->image.size, s->channels,
                  s->channels == 1 ? "" : "s", s->classes, s->width, s->height);
}

void bs_seg_known_json(const bs_preprocess *k, bs_buf *out)
{
    const bs_seg_known *s = bs_preprocess_seg(k);
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "channels %d classes %d", s->channels, s->classes);
    bs_json_open(out, "window", '[');
    bs_json_int(out, NULL, s->width);
    bs_json_int(out, NULL, s->height);
    bs_json_close(out, ']');
    bs_json_int(out, "crops", s->crops);
    bs_json_open(out, "mean", '[');
    for (int i = 0; i < 3; i++)
        bs_json_real(out, NULL, (double)s->mean[i]);
    bs_json_close(out, ']');
    bs_json_bool(out, "binary", s->binary);
    bs_json_texts(out, "names", s->name, s->name ? s->classes : 0);
    bs_json_open(out, "colours", '[');
    for (int i = 0; s->colour && i < s->classes; i++) {
        const int32_t rgb = s->colour[i];
        if (rgb < 0) {
            bs_json_text(out, NULL, NULL);
            continue;
        }
        bs_json_open(out, NULL, '[');
        for (int shift = 16; shift >= 0; shift -= 8)
            bs_json_int(out, NULL, rgb >> shift & 255);
        bs_json_close(out, ']');
    }
    bs_json_close(out, ']');
    bs_json_key(out, "image");
    bs_options_json(bs_image_rows, &s->image, out);
    bs_json_close(out, '}');
}

/* A whole number from an object or, with a NULL key, from an array. */
static bool whole(const json_t *value, long long least, long long most, int *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < least ||
        json_integer_value(value) > most)
        return false;
    *out = (int)json_integer_value(value);
    return true;
}

static bool read_numbers(const json_t *o, bs_seg_known *k)
{
    const json_t *window = json_object_get(o, "window"), *mean = json_object_get(o, "mean");
    bool          ok = whole(json_object_get(o, "channels"), 1, 3, &k->channels) &&
              whole(json_object_get(o, "classes"), 2, 255, &k->classes) &&
              whole(json_object_get(o, "crops"), 0, 1 << 16, &k->crops) &&
              whole(json_array_get(window, 0), 1, MOST_SIDE, &k->width) &&
              whole(json_array_get(window, 1), 1, MOST_SIDE, &k->height) && k->channels != 2;
    for (size_t i = 0; i < 3 && ok; i++) {
        double x = json_number_value(json_array_get(mean, i));
        ok = json_is_number(json_array_get(mean, i)) && x >= 0 && x <= 255;
        k->mean[i] = (float)x;
    }
    return ok;
}

static bool read_colour(const json_t *value, int32_t *out)
{
    *out = -1;
    if (json_is_null(value))
        return true;
    int rgb[3] = {0};
    for (size_t i = 0; i < 3; i++)
        if (!whole(json_array_get(value, i), 0, 255, &rgb[i]))
            return false;
    *out = rgb[0] << 16 | rgb[1] << 8 | rgb[2];
    return true;
}

/* Names and colours of classes: there are none, or one for each. */
static bool read_classes(const json_t *names, const json_t *colours, size_t classes,
                         const char *name[256], int32_t colour[256])
{
    const size_t named = json_array_size(names), coloured = json_array_size(colours);
    bool ok = json_is_array(names) && json_is_array(colours) && (named == 0 || named == classes) &&
              (coloured == 0 || coloured == classes);
    for (size_t i = 0; i < named && ok; i++) {
        name[i] = json_string_value(json_array_get(names, i));
        ok = name[i] != NULL && *name[i];
        for (size_t k = 0; k < i && ok; k++)
            ok = strcmp(name[i], name[k]) != 0;
    }
    for (size_t i = 0; i < coloured && ok; i++)
        ok = read_colour(json_array_get(colours, i), &colour[i]);
    return ok;
}

basin_status bs_seg_known_read(json_t *o, const char *where, bs_preprocess *out, basin_error *err)
{
    bs_seg_known *k = bs_preprocess_begin(out, &bs_task_seg, sizeof *k);
    const json_t *names = json_object_get(o, "names"), *colours = json_object_get(o, "colours");
    const char   *name[256];
    int32_t       colour[256];
    json_t       *image = json_object_get(o, "image");
    basin_status  s = BASIN_OK;
    if (!k)
        return bs_fail_nomem(err);
    out->deciding = BS_SEG_METRIC_mean_iou;
    k->image = bs_image_options_default();
    k->binary = json_is_true(json_object_get(o, "binary"));
    if (!image || !read_numbers(o, k) ||
        !read_classes(names, colours, (size_t)k->classes, name, colour))
        s = bs_fail(err, BASIN_EDATA, "%s: what the model knows of images is incomplete", where);
    else if (!bs_classes_copy(&out->arena, k->classes, json_array_size(names) ? name : NULL,
                              json_array_size(colours) ? colour : NULL, &k->name, &k->colour))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_options_take(bs_image_rows, &k->image, image, where, err);
    bs_options_own_limits(bs_image_rows, &k->image);
    return s;
}

/* ---- going on with a model ---- */

/* Classes are numbers in masks: those of the model must be among them. Two share a plane. */
basin_status bs_seg_widen(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
                          basin_error *err)
{
    const bs_images    *is = bs_dataset_seg(train);
    const bs_seg_known *was = bs_preprocess_seg(like);
    (void)log;
    if (is->channels != was->channels)
        return bs_fail(err, BASIN_EDATA,
                       "--from: the model is for photos of %d channels, these have %d; "
                       "image.channels converts them",
                       was->channels, is->channels);
    if (is->classes < was->classes)
        return bs_fail(err, BASIN_EDATA,
                       "--from: the model has %d classes, and these masks have %d; mask.classes "
                       "or mask.names can add some",
                       was->classes, is->classes);
    const bool named = was->name && is->class_name;
    if (was->classes == 2 && is->classes == 2 && named &&
        strcmp(was->name[1], is->class_name[1]) != 0)
        return bs_fail(err, BASIN_EDATA,
                       "--from: class 1 is '%s' for the model and '%s' in this data", was->name[1],
                       is->class_name[1]);
    if (was->classes == 2 && is->classes > 2)
        return bs_fail(err, BASIN_EDATA,
                       "--from: a model of two classes has one output for both and cannot get "
                       "more; these masks have %d",
                       is->classes);
    return BASIN_OK;
}
