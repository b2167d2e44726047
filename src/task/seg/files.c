/* files.c -- photos and masks of files and of memory. What a model knows, or the files before, says
 * how they are converted. */
#include <string.h>

#include "task/seg/data.h"

int bs_seg_sniff(const char *path, const char *head, size_t n)
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

void bs_seg_close(void *opened)
{
    bs_image_set_free(opened);
}

basin_status bs_seg_parts(const bs_settings *s, const bs_read_request *w, bool has[3],
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

basin_status bs_seg_read(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
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

basin_status bs_seg_select(const bs_dataset *p, const int32_t *rows, int32_t n, bs_dataset *out,
                           basin_error *err)
{
    bs_images   *im = NULL;
    basin_status s = bs_images_select(bs_dataset_seg(p), rows, n, &im, err);
    return s ? s : take(im, out);
}
