/* decide.c -- masks that maximise an expected metric, photo by photo.
 *
 * Without an energy pixels are independent, with the probabilities that were predicted. With one,
 * samples of these count exp(-E) / P_net, by degrees and with moves that draw squares of pixels
 * anew (anneal.h); the energy has to be that of the whole photo. */
#include <math.h>
#include <string.h>

#include "data/image/expected_mask.h"
#include "model/anneal.h"
#include "task/seg/windows.h"

enum {
    ROOM = 1 << 23, /* most pixels of all samples together */
    LEAST = 16,     /* samples */
    AT_ONCE = 16,   /* masks whose energies are computed together */
    LARGEST = 8,    /* side of a square that is drawn anew */
    STREAM = 7020
};
#define LEAST_ODDS 9.2 /* of a pixel for being on, or off, at most */

typedef struct {
    bs_scorer         *scorer;
    bs_energy_program *energies; /* or NULL */
    const bs_images   *im;
    bs_windows         room; /* with the photo at hand in row 0 */
    int                K, width, height, pixels;
    float             *p;    /* [pixels] probabilities, kept away from 0 and 1 */
    double            *odds; /* [pixels] their logits */
    real              *y;    /* [AT_ONCE, pixels] */
} deciding;

static void draw(const deciding *d, int32_t *y, int i, bs_rng *rng)
{
    y[i] = bs_rng_uniform(rng) < (double)d->p[i];
}

static void redraw(void *ctx, int32_t *y, bs_rng *rng)
{
    const deciding *d = ctx;
    const int       side = 1 + (int)bs_rng_below(rng, LARGEST);
    const int       x = (int)bs_rng_below(rng, (uint32_t)d->width);
    const int       top = (int)bs_rng_below(rng, (uint32_t)d->height);
    for (int row = top; row < top + side && row < d->height; row++)
        for (int col = x; col < x + side && col < d->width; col++)
            draw(d, y, row * d->width + col, rng);
}

static double base(void *ctx, const int32_t *y)
{
    const deciding *d = ctx;
    double          sum = 0;
    for (int i = 0; i < d->pixels; i++)
        sum += y[i] ? d->odds[i] : 0;
    return sum;
}

static basin_status terms(void *ctx, const int32_t *y, double *u, basin_error *err)
{
    deciding    *d = ctx;
    const size_t n = (size_t)d->pixels;
    basin_status s = BASIN_OK;
    for (int k = 0; k < d->K && !s; k += AT_ONCE) {
        const int rows = d->K - k < AT_ONCE ? d->K - k : AT_ONCE;
        for (size_t i = 0; i < (size_t)rows * n; i++)
            d->y[i] = (real)y[(size_t)k * n + i];
        s = bs_energy_program_run(d->energies, rows, u + k, err);
        for (int r = 0; r < rows && !s; r++)
            u[k + r] += base(d, y + (size_t)(k + r) * n);
    }
    return s;
}

/* Energies are of windows as large as the photo, without anything beside it. */
static basin_status begin_energies(deciding *d, const bs_seg_known *known, int32_t image,
                                   int64_t number, basin_error *err)
{
    const bs_images *im = d->im;
    const bs_crop    whole = {.width = d->width, .height = d->height};
    basin_status     s = BASIN_OK;
    if (known->crops > 0 || im->width[image] != d->width || im->height[image] != d->height ||
        d->width % 8 || d->height % 8)
        return bs_fail(err, BASIN_EARG,
                       "decide: an energy judges whole photos with sides that are multiples of 8, "
                       "and image %lld is predicted in windows or at another size; use threshold",
                       (long long)number);
    if (d->room.width != d->width || d->room.height != d->height) {
        bs_windows_free(&d->room);
        s = bs_windows_make(known, d->width, d->height, 1, 1, &d->room, err);
    }
    if (s)
        return s;
    bs_windows_put(&d->room, im, image, &whole, NULL, 0);
    return bs_energy_program_start(d->energies, bs_windows_take(&d->room, 1), AT_ONCE, d->y, err);
}

static basin_status decide_samples(deciding *d, bs_annealed *a, bs_decision by, uint8_t *mask,
                                   basin_error *err)
{
    const bs_annealing how = {d, d->K, d->pixels, redraw, base, d->energies ? terms : NULL};
    for (int k = 0; k < d->K; k++) {
        bs_rng rng = bs_rng_make(0, (uint64_t)k, STREAM);
        for (int i = 0; i < d->pixels; i++)
            draw(d, a->y + (size_t)k * (size_t)d->pixels, i, &rng);
    }
    basin_status s = bs_anneal(&how, a, err);
    if (!s && by != BS_DECIDE_SUBSET)
        return bs_decide_mask(a->y, a->weight, d->K, d->pixels, by, mask, err);
    for (int i = 0; i < d->pixels && !s; i++)
        mask[i] = a->best[i] > 0;
    return s;
}

static void take_odds(deciding *d, const float *scores)
{
    for (int i = 0; i < d->pixels; i++) {
        const double x = fmin(fmax((double)scores[i], 1e-7), 1 - 1e-7);
        d->odds[i] = fmin(fmax(log(x / (1 - x)), -LEAST_ODDS), LEAST_ODDS);
        d->p[i] = (float)(1 / (1 + exp(-d->odds[i])));
    }
}

static basin_status decide_photo(deciding *d, const bs_seg_known *known, int32_t image,
                                 bs_outputs *out, basin_error *err)
{
    const bs_inference *how = bs_scorer_inference(d->scorer);
    const float        *scores = out->scores + bs_starts_seg(out)[image];
    uint8_t            *mask = out->on + bs_starts_seg(out)[image];
    if (bs_gold_pixels(d->im, image) > ROOM)
        return bs_fail(err, BASIN_EARG,
                       "decide: image %lld has more than %d pixels; use threshold, or a smaller "
                       "image.size",
                       (long long)out->first + image + 1, (int)ROOM);
    d->width = d->im->mask_width[image];
    d->height = d->im->mask_height[image];
    d->pixels = d->width * d->height;
    d->K = how->decide_samples;
    d->K = d->K > ROOM / d->pixels ? ROOM / d->pixels : d->K;
    d->K = d->K < LEAST ? LEAST : d->K;
    if (!d->energies && (out->by == BS_DECIDE_SUBSET || out->by == BS_DECIDE_HAMMING)) {
        bs_seg_decide(scores, 1, d->pixels, mask); /* the mode of independent pixels */
        return BASIN_OK;
    }
    bs_annealed  a = {.y = NULL};
    const size_t n = (size_t)d->pixels;
    d->p = bs_calloc(n, sizeof *d->p);
    d->odds = bs_calloc(n, sizeof *d->odds);
    d->y = bs_calloc(AT_ONCE * n, sizeof *d->y);
    basin_status s = d->p && d->odds && d->y ? BASIN_OK : bs_fail_nomem(err);
    if (!s)
        s = bs_annealed_new(d->K, d->pixels, &a, err);
    if (!s)
        take_odds(d, scores);
    if (!s && d->energies)
        s = begin_energies(d, known, image, out->first + image + 1, err);
    if (!s)
        s = decide_samples(d, &a, out->by, mask, err);
    if (s == BASIN_ENUMERIC)
        s = bs_fail(err, s,
                    "image %lld: an energy of a sampled mask is not finite; the input or the "
                    "model's weights are too large",
                    (long long)out->first + image + 1);
    bs_annealed_free(&a);
    bs_free(d->p);
    bs_free(d->odds);
    bs_free(d->y);
    return s;
}

basin_status bs_seg_decide_all(bs_scorer *s, const bs_preprocess *k, const bs_dataset *p,
                               bs_outputs *out, basin_error *err)
{
    const bs_inference *how = bs_scorer_inference(s);
    const bs_images    *im = bs_dataset_seg(p);
    out->by = (bs_decision)how->decide;
    if (!how->decide) {
        bs_free(out->on);
        out->on = NULL;
        return BASIN_OK;
    }
    if (bs_known_planes(k) > 1)
        return bs_fail(err, BASIN_EARG, "decide: %s is for masks of two classes; this model has %d",
                       bs_decision_name(out->by), bs_preprocess_seg(k)->classes);
    if (!out->on && !(out->on = bs_calloc(bs_starts_seg(out)[im->n] + 1, 1)))
        return bs_fail_nomem(err);
    deciding     d = {.scorer = s, .energies = bs_scorer_energy_program(s), .im = im};
    basin_status status = BASIN_OK;
    for (int32_t i = 0; i < im->n && !status; i++) {
        status = decide_photo(&d, bs_preprocess_seg(k), i, out, err);
        if (!status && bs_event_stopped(how->log))
            status = bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
    }
    bs_windows_free(&d.room);
    return status;
}

void bs_seg_mask(const bs_outputs *y, int32_t image, int planes, size_t pixels, uint8_t *mask)
{
    const size_t at = bs_starts_seg(y)[image];
    if (y->on)
        memcpy(mask, y->on + at, pixels);
    else
        bs_seg_decide(y->scores + at, planes, (int64_t)pixels, mask);
}
