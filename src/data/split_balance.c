/* split_balance.c -- how well balanced the parts of a split are. */
#include <math.h>
#include <stdlib.h>

#include "data/names.h"
#include "data/split.h"

typedef struct {
    uint64_t hash;
    int32_t  part;
} print;

static int by_hash(const void *a, const void *b)
{
    const print *p = a, *q = b;
    if (p->hash != q->hash)
        return p->hash < q->hash ? -1 : 1;
    return (p->part > q->part) - (p->part < q->part);
}

static uint64_t hash_labels(const bs_csr *m, int32_t r, uint64_t h)
{
    size_t n = (size_t)(m->start[r + 1] - m->start[r]);
    if (!n)
        return h * 31 + 1;
    return bs_hash_bytes(m->index + m->start[r], n * sizeof *m->index, h);
}

static basin_status count_crossing(const bs_rows *ds, const int32_t *part, int32_t *out,
                                   basin_error *err)
{
    int32_t n = ds->rows;
    print  *p = bs_alloc(((size_t)n + 1) * sizeof *p);
    if (!p)
        return bs_fail_nomem(err);
    for (int32_t r = 0; r < n; r++)
        p[r] = (print){hash_labels(&ds->y, r, bs_row_hash(ds, r, 3)), part[r]};
    qsort(p, (size_t)n, sizeof *p, by_hash);
    for (int32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && p[end].hash == p[i].hash;)
            end++;
        if (p[i].part != p[end - 1].part)
            *out += end - i;
    }
    bs_free(p);
    return BASIN_OK;
}

static void measure_part(const int32_t *count, const int32_t *total, int32_t L, int parts, int p,
                         double share, bs_split_part *out)
{
    double  sum = 0;
    int32_t used = 0;
    for (int32_t l = 0; l < L; l++) {
        if (!total[l])
            continue;
        int32_t here = count[(size_t)l * (size_t)parts + (size_t)p];
        double  error = fabs(here / (share * total[l]) - 1);
        out->labels_absent += here == 0;
        sum += error;
        used++;
        if (total[l] >= parts && (out->worst_label < 0 || error > out->worst_error)) {
            out->worst_label = l;
            out->worst_error = error;
        }
    }
    out->label_error = used ? sum / used : 0;
}

basin_status bs_split_measure(const bs_rows *ds, const double *share, int parts,
                              const int32_t *part, bs_split_balance *out, basin_error *err)
{
    const int32_t L = ds->schema.n_labels;
    *out = (bs_split_balance){.parts = parts};
    if (parts < 1 || parts > BS_MOST_PARTS)
        return bs_fail(err, BASIN_EARG, "%d parts; 1 to %d are possible", parts,
                       (int)BS_MOST_PARTS);
    int32_t *count = bs_calloc(((size_t)L + 1) * (size_t)parts, sizeof *count);
    int32_t *total = bs_calloc((size_t)L + 1, sizeof *total);
    if (!count || !total) {
        bs_free(count);
        bs_free(total);
        return bs_fail_nomem(err);
    }
    for (int32_t r = 0; r < ds->rows; r++) {
        out->part[part[r]].rows++;
        for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++) {
            count[(size_t)ds->y.index[e] * (size_t)parts + (size_t)part[r]]++;
            total[ds->y.index[e]]++;
        }
    }
    double sum = 0;
    for (int p = 0; p < parts; p++)
        sum += share[p];
    for (int p = 0; p < parts; p++) {
        out->part[p].worst_label = -1;
        measure_part(count, total, L, parts, p, share[p] / sum, &out->part[p]);
    }
    bs_free(count);
    bs_free(total);
    return count_crossing(ds, part, &out->crossing, err);
}
