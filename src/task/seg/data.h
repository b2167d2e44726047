/* data.h -- shared by the files of the task of images and masks. */
#ifndef BS_TASK_SEG_H
#define BS_TASK_SEG_H

#include "data/image/seg_metric.h"
#include "task/task.h"
#include "task/seg/nets.h"

extern const bs_task               bs_task_seg;
extern const struct bs_task_eval   bs_task_eval_seg;   /* eval.c */
extern const struct bs_task_write  bs_task_write_seg;  /* write.c */
extern const struct bs_task_memory bs_task_memory_seg; /* memory.c */

/* What a model remembers of images. */
typedef struct {
    bs_image_options   image; /* how files of the task are read */
    int                channels, classes;
    bool               binary;        /* masks of the training data were 0 and 255 */
    const char *const *name;          /* [classes], or NULL */
    const int32_t     *colour;        /* [classes] 0xRRGGBB in masks, -1: none; or NULL */
    int                width, height; /* of a window */
    int                crops;         /* most windows of a photo that is predicted */
    float              mean[3];       /* of the channels, 0 to 255, that is subtracted */
} bs_seg_known;

static inline bs_images *bs_dataset_seg(const bs_dataset *p)
{
    return p->own;
}

static inline bs_seg_known *bs_preprocess_seg(const bs_preprocess *k)
{
    return k->own;
}

/* Of scores: one for two classes, which is the probability of class 1, else one for each. */
static inline int bs_known_planes(const bs_preprocess *k)
{
    return bs_preprocess_seg(k)->classes == 2 ? 1 : bs_preprocess_seg(k)->classes;
}

/* Functions of bs_task: */

/* files.c */
int          bs_seg_sniff(const char *path, const char *head, size_t n);
void         bs_seg_close(void *opened);
basin_status bs_seg_parts(const bs_settings *s, const bs_read_request *w, bool has[3],
                          basin_error *err);
basin_status bs_seg_read(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                         bs_dataset *out, basin_error *err);
basin_status bs_seg_select(const bs_dataset *p, const int32_t *rows, int32_t n, bs_dataset *out,
                           basin_error *err);

/* known.c */
basin_status bs_seg_fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err);
basin_status bs_seg_widen(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
                          basin_error *err);
void         bs_seg_known_text(const bs_preprocess *k, bs_buf *out);
void         bs_seg_known_json(const bs_preprocess *k, bs_buf *out);
basin_status bs_seg_known_read(struct json_t *o, const char *where, bs_preprocess *out,
                               basin_error *err);

/* spec.c */
basin_status bs_seg_spec(const bs_train_options *o, const bs_preprocess *k, bs_net_spec *out,
                         basin_error *err);
basin_status bs_seg_check_limits(const bs_net_spec *spec, const bs_preprocess *k, basin_error *err);

/* batch.c */
basin_status bs_batches_seg(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                            const bs_train_options *o, bs_batches **out, basin_error *err);

/* windows.c; energies are means over windows */
basin_status bs_energies_seg(bs_energy_probe *probe, const bs_net_spec *spec,
                             const bs_preprocess *k, const bs_dataset *p, double *energy,
                             basin_error *err);
basin_status bs_predict_seg(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err);

/* interactions.c */
basin_status bs_interactions_seg(const bs_inquiry *q, double *out, double *together,
                                 basin_error *err);

/* What they share: */

/* The name of a class, or its number. */
const char *bs_seg_label(const bs_preprocess *k, int i);

/* The mask that an image is compared with, of mask_width x mask_height pixels; NULL: none. */
static inline const uint8_t *bs_gold_mask(const bs_images *im, int32_t i)
{
    return im->full_mask[i] ? im->full_mask[i] : im->mask[i];
}

static inline size_t bs_gold_pixels(const bs_images *im, int32_t i)
{
    return (size_t)im->mask_width[i] * (size_t)im->mask_height[i];
}

/* Of the largest; at least 1. */
size_t bs_gold_most(const bs_images *im);

/* Scores of photo r are [planes, pixels], at the size of its mask, from start[r] on; start is [rows
 * + 1]. */
static inline size_t *bs_starts_seg(const bs_outputs *y)
{
    return y->own;
}

static inline bs_seg_metrics *bs_measurement_seg(const bs_measurement *c)
{
    return c->own;
}

/* decide.c: the masks of all photos, whose scores are known, if the scorer's inference asks for it;
 * otherwise there are none. */
basin_status bs_seg_decide_all(bs_scorer *s, const bs_preprocess *k, const bs_dataset *p,
                               bs_outputs *out, basin_error *err);
/* The mask of a photo: as it was decided, or by scores. */
void bs_seg_mask(const bs_outputs *y, int32_t image, int planes, size_t pixels, uint8_t *mask);

#endif
