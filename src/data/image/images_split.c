/* images_split.c -- finds images that occur twice, and divides images into similar parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "data/names.h"
#include "data/image/images.h"
#include "data/image/resize.h"

/* --- twins ----------------------------------------------------------------- */

enum { COARSE = 8, FINE = 16, MOST_COMPARED = 6000, MOST_TWINS = 1 << 20 };

/* Photos correlating less at 8 x 8 are skipped; at 16 x 16 they and their masks must reach the two
 * others. The horses of Borenstein and Ullman have 9 such pairs. */
static const double coarse_least = 0.95, photo_least = 0.97, mask_least = 0.9;

typedef struct {
    uint64_t hash; /* of the unscaled photo */
    float    coarse[COARSE * COARSE];
    float    photo[3 * FINE * FINE];
    float    mask[FINE * FINE];
    bool     flat_mask, has_mask;
} view;

/* Mean 0, length 1; false if all values are equal. */
static bool normalise(float *v, int n)
{
    double sum = 0, square = 0;
    for (int i = 0; i < n; i++)
        sum += (double)v[i];
    for (int i = 0; i < n; i++) {
        v[i] -= (float)(sum / n);
        square += (double)v[i] * (double)v[i];
    }
    if (square < 1e-3)
        return false;
    for (int i = 0; i < n; i++)
        v[i] /= (float)sqrt(square);
    return true;
}

static basin_status small_plane(const uint8_t *from, int w, int h, int side, float *to,
                                basin_error *err)
{
    uint8_t      small[FINE * FINE];
    basin_status s = bs_resize_area(from, 1, w, h, small, side, side, err);
    for (int i = 0; i < side * side && !s; i++)
        to[i] = small[i];
    return s;
}

static basin_status make_view(const bs_images *im, int32_t i, view *v, basin_error *err)
{
    const int    w = im->width[i], h = im->height[i];
    const size_t n = (size_t)w * (size_t)h;
    basin_status s = BASIN_OK;
    memset(v->coarse, 0, sizeof v->coarse);
    memset(v->photo, 0, sizeof v->photo);
    for (int c = 0; c < im->channels && !s; c++) {
        float plane[COARSE * COARSE];
        s = small_plane(im->pixels[i] + (size_t)c * n, w, h, COARSE, plane, err);
        for (int k = 0; k < COARSE * COARSE && !s; k++)
            v->coarse[k] += plane[k];
        if (!s)
            s = small_plane(im->pixels[i] + (size_t)c * n, w, h, FINE, v->photo + c * FINE * FINE,
                            err);
    }
    normalise(v->coarse, COARSE * COARSE);
    normalise(v->photo, im->channels * FINE * FINE);
    v->has_mask = im->mask[i] != NULL;
    if (s || !v->has_mask)
        return s;
    uint8_t *on = bs_alloc(n);
    if (!on)
        return bs_fail_nomem(err);
    for (size_t k = 0; k < n; k++)
        on[k] = im->mask[i][k] && im->mask[i][k] != BS_IGNORE ? 255 : 0;
    s = small_plane(on, w, h, FINE, v->mask, err);
    v->flat_mask = !normalise(v->mask, FINE * FINE);
    bs_free(on);
    return s;
}

/* Four sums side by side, so that additions do not wait for each other. */
static double product(const float *a, const float *b, int n)
{
    float s[4] = {0};
    for (int i = 0; i < n; i += 4)
        for (int k = 0; k < 4; k++)
            s[k] += a[i + k] * b[i + k];
    return (double)((s[0] + s[1]) + (s[2] + s[3]));
}

typedef struct {
    bs_twin *list;
    size_t   n, cap;
} twins;

static basin_status push_twin(twins *t, const bs_images *im, int32_t a, int32_t b, double photo,
                              bool same, basin_error *err)
{
    void *list = t->list;
    if (t->n == MOST_TWINS)
        return BASIN_OK; /* a million of them is evidence enough */
    bool room = bs_grow(&list, &t->cap, t->n + 1, sizeof *t->list, MOST_TWINS);
    t->list = list;
    if (!room)
        return bs_fail_nomem(err);
    t->list[t->n++] = (bs_twin){.a = a < b ? a : b,
                                .b = a < b ? b : a,
                                .photo = photo,
                                .across = im->part[a] != im->part[b],
                                .same = same};
    return BASIN_OK;
}

static bool alike(const view *a, const view *b, int channels, double *photo)
{
    if (product(a->coarse, b->coarse, COARSE * COARSE) < coarse_least)
        return false;
    *photo = product(a->photo, b->photo, channels * FINE * FINE);
    if (*photo < photo_least)
        return false;
    if (!a->has_mask || !b->has_mask || (a->flat_mask && b->flat_mask))
        return true;
    return product(a->mask, b->mask, FINE * FINE) >= mask_least;
}

static basin_status compare_all(const bs_images *im, const uint64_t *hash, twins *t,
                                basin_error *err)
{
    view        *v = bs_calloc((size_t)im->n, sizeof *v);
    basin_status s = v ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t i = 0; i < im->n && !s; i++)
        s = make_view(im, i, &v[i], err);
    for (int32_t i = 0; i < im->n && !s; i++)
        for (int32_t j = i + 1; j < im->n && !s; j++) {
            double photo = 1;
            bool   same = hash[i] == hash[j];
            if (same || alike(&v[i], &v[j], im->channels, &photo))
                s = push_twin(t, im, i, j, photo < 1 ? photo : 1, same, err);
        }
    bs_free(v);
    return s;
}

typedef struct {
    uint64_t hash;
    int32_t  at;
} mark;

static int by_hash(const void *a, const void *b)
{
    const mark *p = a, *q = b;
    if (p->hash != q->hash)
        return p->hash < q->hash ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

/* Pairs each image with the previous one equal to it. */
static basin_status equal_only(const bs_images *im, const uint64_t *hash, twins *t,
                               basin_error *err)
{
    mark        *m = bs_alloc((size_t)im->n * sizeof *m);
    basin_status s = m ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t i = 0; i < im->n && !s; i++)
        m[i] = (mark){hash[i], i};
    if (!s)
        qsort(m, (size_t)im->n, sizeof *m, by_hash);
    for (int32_t i = 1; i < im->n && !s; i++)
        if (m[i].hash == m[i - 1].hash)
            s = push_twin(t, im, m[i - 1].at, m[i].at, 1, true, err);
    bs_free(m);
    return s;
}

basin_status bs_images_twins(const bs_images *im, bs_twin **out, size_t *n, basin_error *err)
{
    twins        t = {0};
    uint64_t    *hash = bs_alloc(((size_t)im->n + 1) * sizeof *hash);
    basin_status s = hash ? BASIN_OK : bs_fail_nomem(err);
    *out = NULL;
    *n = 0;
    for (int32_t i = 0; i < im->n && !s; i++) {
        int32_t size[2] = {im->width[i], im->height[i]};
        hash[i] =
            bs_hash_bytes(im->pixels[i], (size_t)size[0] * (size_t)size[1] * (size_t)im->channels,
                          bs_hash_bytes(size, sizeof size, 3));
    }
    if (!s && im->n)
        s = im->n <= MOST_COMPARED ? compare_all(im, hash, &t, err) : equal_only(im, hash, &t, err);
    bs_free(hash);
    if (s) {
        bs_free(t.list);
        return s;
    }
    *out = t.list;
    *n = t.n;
    return BASIN_OK;
}

/* --- parts ----------------------------------------------------------------- */

typedef struct {
    double   share; /* of the foreground, -1 without a mask */
    uint32_t chance;
    int32_t  first, size;
} unit;

static int by_share(const void *a, const void *b)
{
    const unit *p = a, *q = b;
    if (p->share != q->share)
        return p->share < q->share ? -1 : 1;
    if (p->chance != q->chance)
        return p->chance < q->chance ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
}

static double foreground(const bs_images *im, int32_t i)
{
    size_t n = (size_t)im->width[i] * (size_t)im->height[i], on = 0, valid = 0;
    if (!im->mask[i])
        return -1;
    for (size_t k = 0; k < n; k++) {
        valid += im->mask[i][k] != BS_IGNORE;
        on += im->mask[i][k] && im->mask[i][k] != BS_IGNORE;
    }
    return valid ? (double)on / (double)valid : 0;
}

static int32_t root_of(int32_t *group, int32_t i)
{
    while (group[i] != i)
        i = group[i] = group[group[i]];
    return i;
}

/* Twins share a group, numbered by its first image. */
static basin_status group_twins(const bs_images *im, int32_t *group, basin_error *err)
{
    bs_twin     *t;
    size_t       n;
    basin_status s = bs_images_twins(im, &t, &n, err);
    for (int32_t i = 0; i < im->n; i++)
        group[i] = i;
    for (size_t k = 0; k < n && !s; k++) {
        int32_t a = root_of(group, t[k].a), b = root_of(group, t[k].b);
        group[a > b ? a : b] = a > b ? b : a;
    }
    for (int32_t i = 0; i < im->n; i++)
        group[i] = root_of(group, i);
    bs_free(t);
    return s;
}

/* Units sorted by their foreground form blocks; each block is shuffled and dealt, every unit to the
 * part that lacks most. */
static void deal(unit *u, int32_t units, const double *share, int parts, bs_rng *rng, int32_t *to,
                 double *have)
{
    double  total = 0, least = INFINITY, sum = 0;
    int32_t block;
    for (int p = 0; p < parts; p++) {
        sum += share[p];
        least = fmin(least, share[p]);
        have[p] = 0;
    }
    block = (int32_t)fmin(ceil(2 * sum / least), 1000);
    for (int32_t i = 0; i < units; i += block)
        for (int32_t k = 0; k < block && i + k < units; k++) {
            int32_t left = units - i - k < block - k ? units - i - k : block - k;
            int32_t j = i + k + (int32_t)bs_rng_below(rng, (uint32_t)left);
            unit    keep = u[i + k];
            u[i + k] = u[j];
            u[j] = keep;
        }
    for (int32_t i = 0; i < units; i++) {
        int    best = 0;
        double lack = -INFINITY;
        total += u[i].size;
        for (int p = 0; p < parts; p++) {
            double l = share[p] / sum * total - have[p];
            if (l > lack + 1e-9) {
                lack = l;
                best = p;
            }
        }
        have[best] += u[i].size;
        to[u[i].first] = best;
    }
}

basin_status bs_images_split(const bs_images *im, const double *share, int parts, uint64_t seed,
                             int32_t *part, basin_error *err)
{
    if (parts < 2 || parts > 100)
        return bs_fail(err, BASIN_EARG, "%d parts; 2 to 100 are possible", parts);
    for (int p = 0; p < parts; p++)
        if (!(share[p] > 0) || !isfinite(share[p]))
            return bs_fail(err, BASIN_EARG,
                           "part %d has the size %g; sizes are above 0, as in 60,20,20", p + 1,
                           share[p]);
    const size_t n = (size_t)im->n + 1;
    int32_t     *group = bs_alloc(n * sizeof *group), *to = bs_alloc(n * sizeof *to);
    unit        *u = bs_calloc(n, sizeof *u);
    double       have[100];
    int32_t      units = 0;
    bs_rng       rng = bs_rng_make(seed, 0, 78);
    basin_status s = group && to && u ? group_twins(im, group, err) : bs_fail_nomem(err);
    for (int32_t i = 0; i < im->n && !s; i++) {
        if (group[i] == i) {
            to[i] = units; /* until dealt: the position of its unit */
            u[units++] = (unit){foreground(im, i), bs_rng_bits(&rng), i, 0};
        }
        u[to[group[i]]].size++;
    }
    if (!s) {
        qsort(u, (size_t)units, sizeof *u, by_share);
        deal(u, units, share, parts, &rng, to, have);
        for (int32_t i = 0; i < im->n; i++)
            part[i] = to[group[i]];
    }
    bs_free(group);
    bs_free(to);
    bs_free(u);
    return s;
}
