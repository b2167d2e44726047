/* spec.c -- the nets that options and data define, and how large those of a model may be. */
#include <string.h>

#include "task/seg/data.h"

enum { MOST_CELLS = 1 << 26 /* numbers of a y, and inputs of a full layer */ };

basin_status bs_seg_spec(const bs_train_options *o, const bs_preprocess *p, bs_net_spec *out,
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
        s = bs_find_pointer(&bs_seg_energy_kinds, energy, &shape.energy, err);
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
basin_status bs_seg_check_limits(const bs_net_spec *spec, const bs_preprocess *p, basin_error *err)
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
