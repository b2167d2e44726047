/* data.c -- the task of photos and masks: reading, fitting, predicting and measuring. */
#include "task/seg/data.h"

#include <math.h>
#include <string.h>
#include "base/json.h"

#include "base/tree.h"
#include "task/weights.h"

enum {
    MOST_SIDE = 8192,     /* of a window */
    USUAL_SIDE = 128,     /* of a window, at most, by default */
    MOST_CELLS = 1 << 26, /* numbers of a y, and inputs of a full layer */
    MOST_BETWEEN = 10,    /* epochs between evaluations, by default */
};

/* ---- files ---- */

static int sniff(const char *path, const char *head, size_t n)
{
    (void)head;
    (void)n;
    int sure = 0;
    if (strcmp(path, "-") != 0 && bs_images_sniff(path, &sure, NULL))
        return -1;
    return sure;
}

static basin_status take(bs_images *im, bs_dataset *out)
{
    *out = (bs_dataset){.task = &bs_task_seg, .rows = im->n, .hash = im->hash, .own = im};
    return BASIN_OK;
}

static basin_status reading_options(const bs_settings *s, const bs_read_request *w,
                                    bs_image_options *o, basin_error *err)
{
    *o = w->known ? bs_preprocess_seg(w->known)->image : s->image;
    o->unpack_mb = s->read.max_mb;
    if (!w->opened)
        return BASIN_OK;
    basin_status  status = BASIN_OK;
    bs_image_set *set = *w->opened;
    if (!set)
        status = bs_image_set_new(w->n, &set, err);
    *w->opened = o->set = set;
    return status;
}

static void close_set(void *opened)
{
    bs_image_set_free(opened);
}

static basin_status own_parts(const bs_settings *s, const bs_read_request *w, bool has[3],
                              basin_error *err)
{
    int32_t count[4] = {0};
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->file[i], "-") == 0)
            return bs_fail(err, BASIN_EARG,
                           "-: standard input is for predict; images with masks come from a "
                           "folder or an archive");
    bs_image_options o;
    basin_status     status = reading_options(s, w, &o, err);
    if (!status)
        status = bs_images_parts(w->file, w->n, &o, count, err);
    for (int i = 0; i < 3; i++)
        has[i] = !status && count[i + 1] > 0;
    return status;
}

static basin_status read_files(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                               bs_dataset *out, basin_error *err)
{
    const bs_seg_known *k = w->known ? bs_preprocess_seg(w->known) : NULL;
    bs_image_options    o;
    bs_images_prior     prior = {0};
    bs_images          *im = NULL;
    basin_status        status = reading_options(s, w, &o, err);
    if (status)
        return status;
    if (k) {
        o.names[0] = '\0'; /* the model contains its list */
        prior = (bs_images_prior){.who = "the model's training data",
                                  .model = true,
                                  .classes = k->classes,
                                  .binary = k->binary,
                                  .name = k->name,
                                  .colour = k->colour};
    }
    if (w->first) {
        bs_images_settle(bs_dataset_seg(w->first), &o);
        prior = bs_images_prior_of(bs_dataset_seg(w->first));
        prior.own = w->own;
    }
    prior.label_free = w->label_free;
    if (w->label_free)
        o.need = false;
    const bs_images_prior *known = prior.who ? &prior : NULL;
    status = w->given ? bs_images_from_memory(w->given, &o, known, &im, notes, err)
                      : bs_images_read_as(w->file, w->n, &o, known, w->part, &im, notes, err);
    return status ? status : take(im, out);
}

static void free_part(bs_dataset *p)
{
    bs_images_free(bs_dataset_seg(p));
}

static basin_status split(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err)
{
    return bs_images_split(bs_dataset_seg(p), share, parts, seed, part, err);
}

static basin_status select_rows(const bs_dataset *p, const int32_t *rows, int32_t n,
                                bs_dataset *out, basin_error *err)
{
    bs_images   *im = NULL;
    basin_status s = bs_images_select(bs_dataset_seg(p), rows, n, &im, err);
    return s ? s : take(im, out);
}

/* ---- what a model remembers ---- */

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

/* Classes are numbers in masks: those of the model must be among them. Two share a plane. */
static basin_status widen(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
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

static const char *unit_name(const bs_preprocess *k, int growth, int32_t i, char room[BS_UNIT_NAME])
{
    (void)growth;
    (void)room;
    return bs_preprocess_seg(k)->name ? bs_preprocess_seg(k)->name[i] : NULL;
}

static basin_status fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
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

static int labels(const bs_preprocess *k)
{
    return bs_preprocess_seg(k)->classes;
}

#define TEN(d) d "0", d "1", d "2", d "3", d "4", d "5", d "6", d "7", d "8", d "9"

const char *bs_seg_label(const bs_preprocess *k, int i)
{
    static const char *const number[] = {
        TEN(""),   TEN("1"),  TEN("2"),  TEN("3"),  TEN("4"),  TEN("5"),  TEN("6"),
        TEN("7"),  TEN("8"),  TEN("9"),  TEN("10"), TEN("11"), TEN("12"), TEN("13"),
        TEN("14"), TEN("15"), TEN("16"), TEN("17"), TEN("18"), TEN("19"), TEN("20"),
        TEN("21"), TEN("22"), TEN("23"), TEN("24"), TEN("25")};
    return bs_preprocess_seg(k)->name ? bs_preprocess_seg(k)->name[i] : number[i];
}

#undef TEN

static void known_text(const bs_preprocess *k, bs_buf *out)
{
    const bs_seg_known *s = bs_preprocess_seg(k);
    bs_buf_printf(out, "photos of %s, %d channel%s, %d classes, windows of %dx%d",
                  strcmp(s->image.size, "keep") == 0 ? "any size" : s->image.size, s->channels,
                  s->channels == 1 ? "" : "s", s->classes, s->width, s->height);
}

static void known_json(const bs_preprocess *k, bs_buf *out)
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

static basin_status read_members(const json_t *o, const char *where, bs_preprocess *out,
                                 basin_error *err)
{
    bs_seg_known *k = bs_preprocess_seg(out);
    const json_t *names = json_object_get(o, "names"), *colours = json_object_get(o, "colours");
    const char   *name[256];
    int32_t       colour[256];
    bs_buf        image;
    basin_status  s = BASIN_OK;
    bs_buf_init(&image, (size_t)1 << 24);
    k->image = bs_image_options_default();
    k->binary = json_is_true(json_object_get(o, "binary"));
    if (!read_numbers(o, k) || !read_classes(names, colours, (size_t)k->classes, name, colour) ||
        !bs_tree_write(json_object_get(o, "image"), &image))
        s = image.failed ? bs_fail_nomem(err)
                         : bs_fail(err, BASIN_EDATA,
                                   "%s: what the model knows of images is incomplete", where);
    else if (!bs_classes_copy(&out->arena, k->classes, json_array_size(names) ? name : NULL,
                              json_array_size(colours) ? colour : NULL, &k->name, &k->colour))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_options_from_json(bs_image_rows, &k->image, image.data, image.len, where, err);
    bs_options_own_limits(bs_image_rows, &k->image);
    bs_buf_free(&image);
    return s;
}

static basin_status known_read(const char *json, const char *where, bs_preprocess *out,
                               basin_error *err)
{
    if (!bs_preprocess_begin(out, &bs_task_seg, sizeof(bs_seg_known)))
        return bs_fail_nomem(err);
    json_t      *o = bs_tree_read(json, strlen(json), 0, NULL);
    basin_status s = o ? read_members(o, where, out, err)
                       : bs_fail(err, BASIN_EDATA, "%s: the schema is not JSON", where);
    out->deciding = BS_SEG_METRIC_mean_iou;
    json_decref(o);
    return s;
}

static basin_status make_spec(const bs_train_options *o, const bs_preprocess *p, bs_net_spec *out,
                              basin_error *err)
{
    const bs_seg_known *k = bs_preprocess_seg(p);
    const char         *energy = strcmp(o->energy_kind, "auto") == 0 ? "value" : o->energy_kind;
    bs_seg_shape        shape = {.channels = k->channels,
                                 .classes = k->classes,
                                 .height = k->height,
                                 .width = k->width,
                                 .filters = o->net_width,
                                 .dropout = o->net_dropout,
                                 .shared = strcmp(o->energy_encoder, "shared") == 0,
                                 .hidden = o->energy_hidden,
                                 .energy_dropout = o->energy_dropout,
                                 .smooth = o->seg_smooth,
                                 .by_class = strcmp(o->seg_score, "class") == 0};
    basin_status        s = bs_encoder_find(o->net_kind, BS_READS_PHOTOS, &shape.net, err);
    if (!s)
        shape.own = bs_encoder_options(o, shape.net);
    if (!s)
        s = bs_seg_energy_find(energy, &shape.energy, err);
    *out = bs_net_spec_make(&bs_task_space_seg, (bs_size){1, k->height, k->width}, &shape,
                            sizeof shape);
    /* The size of a window must be countable, whatever the options say. */
    const double cells = (double)k->width * k->height;
    const double coarse = (double)((k->width + 3) / 4) * ((k->height + 3) / 4);
    if (!s &&
        (cells * bs_seg_planes(&shape) > MOST_CELLS || coarse * 2 * shape.filters > MOST_CELLS))
        s = bs_fail(err, BASIN_EARG,
                    "seg.crop: windows of %d x %d with net.width %d are too large for a net",
                    k->width, k->height, shape.filters);
    return s;
}

/* A few bytes in a model can ask for a huge window or photo size. */
static basin_status check_limits(const bs_net_spec *spec, const bs_preprocess *p, basin_error *err)
{
    const bs_seg_known     *k = bs_preprocess_seg(p);
    const bs_image_options *o = &k->image;
    const int               filters = bs_net_spec_seg(spec)->filters;
    const double mb = (double)k->width * k->height * filters * (double)sizeof(real) / (1 << 20);
    int          W = 0, H = 0;
    if (mb > o->max_window_mb)
        return bs_fail(err, BASIN_EDATA,
                       "the model looks at windows of %d x %d pixels with %d filters, for which it "
                       "needs %.0f MiB; image.max_window_mb allows %d",
                       k->width, k->height, filters, mb, o->max_window_mb);
    if (bs_image_size(o->size, &W, &H) &&
        (W > o->max_side || H > o->max_side || (int64_t)W * H > o->max_pixels))
        return bs_fail(err, BASIN_EDATA,
                       "the model enlarges photos to %d x %d; image.max_side and image.max_pixels "
                       "allow %d and %d",
                       W, H, o->max_side, o->max_pixels);
    return BASIN_OK;
}

/* ---- outputs ---- */

static basin_status make_outputs(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                                 basin_error *err)
{
    const bs_images *im = bs_dataset_seg(p);
    const size_t     planes = (size_t)bs_known_planes(k);
    size_t          *start = bs_calloc((size_t)im->n + 1, sizeof *start);
    *out = (bs_outputs){.task = &bs_task_seg, .own = start};
    if (!start)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < im->n; i++)
        start[i + 1] = start[i] + planes * bs_gold_pixels(im, i);
    /* An error is better than a machine without memory. */
    const int    most = bs_preprocess_seg(k)->image.max_mb;
    const double mib = (double)start[im->n] * sizeof(float) / (1 << 20);
    basin_status s = BASIN_OK;
    if (mib > most)
        s = bs_fail(err, BASIN_EDATA,
                    "the probabilities of %d classes for %d photos need %.0f MiB, and image.max_mb "
                    "allows %d; fewer photos, image.size=WxH or mask.full=no need less",
                    bs_preprocess_seg(k)->classes, (int)im->n, mib, most);
    if (!s && !(out->scores = bs_calloc(start[im->n] + 1, sizeof *out->scores)))
        s = bs_fail_nomem(err);
    if (s)
        bs_outputs_free(out);
    return s;
}

static void place(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all)
{
    const size_t *start = bs_starts_seg(all), n = start[row + rows] - start[row];
    (void)k;
    memcpy(all->scores + start[row], some->scores, n * sizeof *all->scores);
    if (some->on && !all->on)
        all->on = bs_calloc(start[bs_dataset_seg(whole)->n] + 1, 1);
    all->by = some->on && all->on ? some->by : BS_DECIDE_THRESHOLD;
    if (some->on && all->on)
        memcpy(all->on + start[row], some->on, n);
}

/* Per photo the mean over its pixels; photos without a mask are left out. */
static double cross_entropy(const bs_images *im, int planes, const bs_outputs *y)
{
    double  sum = 0;
    int32_t photos = 0;
    for (int32_t i = 0; i < im->n; i++) {
        const size_t   n = bs_gold_pixels(im, i);
        const uint8_t *gold = bs_gold_mask(im, i);
        const float   *p = y->scores + bs_starts_seg(y)[i];
        double         own = 0;
        size_t         pixels = 0;
        for (size_t k = 0; gold && k < n; k++) {
            if (gold[k] == BS_IGNORE || (planes > 1 && gold[k] >= planes))
                continue;
            own += bs_log_loss(planes > 1 ? (double)p[gold[k] * n + k]
                               : gold[k]  ? (double)p[k]
                                          : 1 - (double)p[k]);
            pixels++;
        }
        sum += pixels > 0 ? own / (double)pixels : 0;
        photos += pixels > 0;
    }
    return photos > 0 ? sum / photos : (double)NAN;
}

static basin_status predict(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    basin_status status = bs_predict_seg(s, spec, k, p, out, err);
    if (!status)
        status = bs_seg_decide_all(s, k, p, out, err);
    if (!status && out->cross_entropy)
        *out->cross_entropy =
            cross_entropy(bs_dataset_seg(p), bs_seg_planes(bs_net_spec_seg(spec)), out);
    return status;
}

/* Predicting a pixel costs a third of training on it. */
static int every(const bs_dataset *train, const bs_dataset *valid, const bs_preprocess *k)
{
    const bs_images    *im = bs_dataset_seg(valid);
    const bs_seg_known *s = bs_preprocess_seg(k);
    const double        window = (double)s->width * s->height;
    double              pixels = 0;
    for (int32_t i = 0; i < im->n; i++)
        pixels += s->crops == 0 ? (double)im->width[i] * im->height[i]
                                : window * (double)bs_seg_windows(s, im->width[i], im->height[i],
                                                                  NULL, NULL, NULL);
    const double share = pixels / (3 * window * train->rows); /* of an epoch's time */
    return share > 0.5 * MOST_BETWEEN ? MOST_BETWEEN : share <= 0.5 ? 1 : (int)ceil(2 * share);
}

/* ---- metrics ---- */

#define HIGHER true
#define LOWER  false
static const bs_metric metrics[BS_SEG_METRIC_COUNT] = {
#define SEG_METRIC(key, direction, lowest, most, text) {#key, text, direction, true, lowest, most},
#include "data/image/seg_metrics.def"
#undef SEG_METRIC
};
#undef HIGHER
#undef LOWER

static void counts_free(bs_measurement *c)
{
    bs_seg_metrics_free(bs_measurement_seg(c));
    c->own = NULL;
}

/* Photos without a mask are left out. */
static basin_status count_images(const bs_images *im, int planes, const bs_outputs *y,
                                 bs_seg_metrics *m, basin_error *err)
{
    uint8_t     *mask = NULL;
    size_t       room = 0;
    int32_t      counted = 0;
    basin_status s = BASIN_OK;
    for (int32_t i = 0; i < im->n && !s; i++) {
        const size_t   n = bs_gold_pixels(im, i);
        const uint8_t *gold = bs_gold_mask(im, i);
        if (!gold)
            continue;
        if (n > room) {
            bs_free(mask);
            if (!(mask = bs_alloc(n)))
                return bs_fail_nomem(err);
            room = n;
        }
        bs_seg_mask(y, i, planes, n, mask);
        s = bs_seg_metrics_add(m, gold, mask, (int64_t)n, err);
        counted++;
    }
    bs_free(mask);
    if (!s && counted == 0)
        s = bs_fail(err, BASIN_EDATA, "the data has no masks to compare with");
    return s;
}

static basin_status count(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err)
{
    bs_seg_metric_options o = {.keep_images = how->keep_rows};
    (void)threshold;
    *out = (bs_measurement){.task = &bs_task_seg};
    bs_seg_metrics *m = NULL;
    basin_status    s = bs_seg_metrics_new(&o, bs_preprocess_seg(k)->classes, &m, err);
    out->own = m;
    if (!s)
        s = count_images(bs_dataset_seg(p), bs_known_planes(k), y, m, err);
    if (s)
        counts_free(out);
    return s;
}

static basin_status values(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err)
{
    (void)err;
    bs_seg_metrics_finish(bs_measurement_seg(c), out);
    return BASIN_OK;
}

static basin_status sampled(bs_measurement *c, bs_sampled *out, basin_error *err)
{
    return bs_seg_metrics_sampled(bs_measurement_seg(c), out, err);
}

static void *reading(bs_settings *s, bs_preprocess *k, const bs_option **rows)
{
    (void)s;
    *rows = bs_image_rows;
    return &bs_preprocess_seg(k)->image;
}

static const bs_candidate candidates[] = {
    {"net", "ce", "", 1, false},
    {"energy", "seal-regression", "", 3, true},
    {.name = NULL},
};

const bs_task bs_task_seg = {
    .name = "seg",
    .help = "segmentation: a class for each pixel of an image",
    .graph = &bs_task_space_seg,
    .unit = "images",
    .reads = BS_READS_PHOTOS,
    .method = "ce",
    .candidates = candidates,
    .options = " image. mask. seg. ",
    .reading = reading,
    .defaults = "net.kind=unet3 net.width=32 net.dropout=0.2 energy.hidden=384 seg.mean=yes "
                "seg.flip=yes seg.crops=0 batch=8 optimiser=adam lr.net=0.001 "
                "lr.energy=0.001 pretrain.lr=0.001 clip=5 clip.energy=5 schedule=cosine epochs=100 "
                "early_stop.epochs=0 early_stop.patience=40 plateau.patience=10 plateau.both=yes",
    .decides = ~(1u << BS_DECIDE_THRESHOLD),
    .metric = metrics,
    .n_metrics = BS_SEG_METRIC_COUNT,
    .shown = {{BS_SEG_METRIC_mean_iou, "mean-IoU", 12, 2, true},
              {BS_SEG_METRIC_global_iou, "glob-IoU", 8, 2, true},
              {BS_SEG_METRIC_pixel_accuracy, "pix-acc", 7, 2, true},
              {BS_SEG_METRIC_class_iou, "class-IoU", 9, 2, true},
              {BS_SEG_METRIC_mean_class_accuracy, "class-acc", 9, 2, true}},
    .sniff = sniff,
    .read = read_files,
    .close = close_set,
    .parts = own_parts,
    .free = free_part,
    .split = split,
    .split_how = "by the size of the foreground",
    .select = select_rows,
    .grows = {{"classes", offsetof(bs_seg_shape, classes), BS_AXIS_LAST}},
    .unit_name = unit_name,
    .widen = widen,
    .fit = fit,
    .labels = labels,
    .label = bs_seg_label,
    .known_text = known_text,
    .known_json = known_json,
    .known_read = known_read,
    .spec = make_spec,
    .check_limits = check_limits,
    .every = every,
    .feed = bs_batches_seg,
    .outputs = make_outputs,
    .predict = predict,
    .energies = bs_energies_seg,
    .interactions = bs_interactions_seg,
    .place = place,
    .count = count,
    .values = values,
    .sampled = sampled,
    .counts_free = counts_free,
    .eval = &bs_task_eval_seg,
    .predict_files = &bs_task_write_seg,
    .memory = &bs_task_memory_seg,
};
