/* images_split.c -- finds photos that occur twice, and divides images into similar parts. */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "data/names.h"
#include "data/image/images.h"

/* --- twins ----------------------------------------------------------------- */

typedef struct {
    uint64_t hash; /* of the photo */
    int32_t  at;
} mark;

static int by_hash(const void *a, const void *b)
{
    const mark *p = a, *q = b;
    if (p->hash != q->hash)
        return p->hash < q->hash ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

/* Equal photos side by side, in their order; [im->n], NULL: memory ran out. */
static mark *sort_photos(const bs_images *im)
{
    mark *m = bs_alloc(((size_t)im->n + 1) * sizeof *m);
    for (int32_t i = 0; m && i < im->n; i++) {
        const int32_t size[2] = {im->width[i], im->height[i]};
        const size_t  n = (size_t)size[0] * (size_t)size[1] * (size_t)im->channels;
        m[i] = (mark){bs_hash_bytes(im->pixels[i], n, bs_hash_bytes(size, sizeof size, 3)), i};
    }
    if (m && im->n)
        qsort(m, (size_t)im->n, sizeof *m, by_hash);
    return m;
}

basin_status bs_images_twins(const bs_images *im, bs_twin **out, size_t *n, basin_error *err)
{
    mark    *m = sort_photos(im);
    bs_twin *t = m ? bs_alloc(((size_t)im->n + 1) * sizeof *t) : NULL;
    *n = 0;
    for (int32_t i = 1; t && i < im->n; i++)
        if (m[i].hash == m[i - 1].hash)
            t[(*n)++] = (bs_twin){m[i - 1].at, m[i].at, im->part[m[i - 1].at] != im->part[m[i].at]};
    bs_free(m);
    *out = t;
    return t ? BASIN_OK : bs_fail_nomem(err);
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
    int32_t     *first = bs_alloc(n * sizeof *first), *to = bs_alloc(n * sizeof *to);
    unit        *u = bs_calloc(n, sizeof *u);
    mark        *m = sort_photos(im);
    double       have[100];
    int32_t      units = 0;
    bs_rng       rng = bs_rng_make(seed, 0, 78);
    basin_status s = first && to && u && m ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t k = 0; k < im->n && !s; k++)
        first[m[k].at] = k && m[k].hash == m[k - 1].hash ? first[m[k - 1].at] : m[k].at;
    for (int32_t i = 0; i < im->n && !s; i++) {
        if (first[i] == i) {
            to[i] = units; /* until dealt: the position of its unit */
            u[units++] = (unit){foreground(im, i), bs_rng_bits(&rng), i, 0};
        }
        u[to[first[i]]].size++;
    }
    if (!s) {
        qsort(u, (size_t)units, sizeof *u, by_share);
        deal(u, units, share, parts, &rng, to, have);
        for (int32_t i = 0; i < im->n; i++)
            part[i] = to[first[i]];
    }
    bs_free(first);
    bs_free(to);
    bs_free(u);
    bs_free(m);
    return s;
}
