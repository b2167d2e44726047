/* summary.c -- the figures of `basin data inspect`: counts, balance, repetitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/names.h"

/* Hashes of features and labels of a row; the row number keeps the order. */
typedef struct {
    uint64_t x, y;
    int32_t  row;
} print;

static int by_x(const void *a, const void *b)
{
    const print *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

static int by_y(const void *a, const void *b)
{
    const print *p = a, *q = b;
    return (p->y > q->y) - (p->y < q->y);
}

static uint64_t hash_labels(const bs_csr *m, int32_t r)
{
    const int32_t first = m->start[r];
    const size_t  n = (size_t)(m->start[r + 1] - first);
    return n ? bs_hash_bytes(m->index + first, n * sizeof *m->index, 7) : 7;
}

/* Rows sorted by features: within a group of equal features, a row is a duplicate if an earlier one
 * has the same labels; otherwise it contradicts the earlier ones. */
static void count_repeats(const print *p, int32_t n, bs_summary *out)
{
    for (int32_t first = 0, i; first < n; first = i) {
        for (i = first + 1; i < n && p[i].x == p[first].x; i++) {
            bool seen = false;
            /* In a long run of equal rows nearly all have equal labels, too. */
            for (int32_t j = first; j < i && !seen && j < first + 1000; j++)
                seen = p[j].y == p[i].y;
            out->duplicates += seen;
            out->contradictions += !seen;
        }
    }
}

/* A category has one feature in each row, or it is missing there. If rows list what they have,
 * nothing can be missing. */
basin_status bs_blank_categories(const bs_rows *ds, int64_t *out, basin_error *err)
{
    const bs_schema *s = &ds->schema;
    bs_names         attribute; /* in several files its values may not be adjacent */
    bool             fresh, ok = true;
    *out = 0;
    if (s->open || !s->feature)
        return BASIN_OK;
    bs_names_init(&attribute, NULL);
    for (int32_t i = 0; i < s->n_features && ok; i++) {
        const char *name = s->feature[i].attribute;
        if (s->feature[i].kind == BS_FEATURE_ONEHOT)
            ok = bs_names_add(&attribute, name, strlen(name), &fresh) >= 0;
    }
    *out = (int64_t)attribute.n * ds->rows;
    for (int32_t e = 0; *out && e < ds->x.start[ds->rows]; e++)
        *out -= s->feature[ds->x.index[e]].kind == BS_FEATURE_ONEHOT;
    bs_names_free(&attribute);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

static print *sorted_prints(const bs_rows *ds)
{
    print *p = bs_alloc(((size_t)ds->rows + 1) * sizeof *p);
    for (int32_t r = 0; p && r < ds->rows; r++)
        p[r] = (print){bs_row_hash(ds, r, 7), hash_labels(&ds->y, r), r};
    if (p)
        qsort(p, (size_t)ds->rows, sizeof *p, by_x);
    return p;
}

basin_status bs_rows_shared(const bs_rows *ds, const bs_rows *train, int32_t *out, basin_error *err)
{
    print *p = sorted_prints(ds), *q = p ? sorted_prints(train) : NULL;
    *out = 0;
    for (int32_t i = 0, k = 0; q && i < ds->rows; i++) {
        while (k < train->rows && q[k].x < p[i].x)
            k++;
        *out += k < train->rows && q[k].x == p[i].x;
    }
    const bool ok = q != NULL;
    bs_free(p);
    bs_free(q);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status repetitions(const bs_rows *ds, bs_summary *out, basin_error *err)
{
    const int32_t n = ds->rows;
    print        *p = sorted_prints(ds);
    if (!p)
        return bs_fail_nomem(err);
    count_repeats(p, n, out);
    qsort(p, (size_t)n, sizeof *p, by_y);
    for (int32_t i = 0; i < n; i++)
        out->label_sets += i == 0 || p[i].y != p[i - 1].y;
    bs_free(p);
    return BASIN_OK;
}

static basin_status constants(const bs_rows *ds, bs_summary *out, basin_error *err)
{
    typedef struct {
        int32_t rows;
        float   first;
        bool    varies;
    } column;
    const int32_t D = ds->schema.n_features;
    column       *of = bs_calloc((size_t)D + 1, sizeof *of);
    if (!of)
        return bs_fail_nomem(err);
    for (int32_t e = 0; e < ds->x.start[ds->rows]; e++) {
        column     *c = &of[ds->x.index[e]];
        const float v = ds->x.value ? ds->x.value[e] : 1;
        if (isnan(v))
            continue;
        c->first = c->rows ? c->first : v;
        c->varies = c->varies || v != c->first;
        c->rows++;
    }
    for (int32_t f = 0; f < D; f++)
        out->features_constant += of[f].rows == 0 || (of[f].rows == ds->rows && !of[f].varies);
    bs_free(of);
    return BASIN_OK;
}

static basin_status labels(const bs_rows *ds, bs_summary *out, basin_error *err)
{
    const int32_t L = ds->schema.n_labels;
    int32_t      *count = bs_calloc((size_t)L + 1, sizeof *count);
    if (!count)
        return bs_fail_nomem(err);
    for (int32_t e = 0; e < ds->y.start[ds->rows]; e++)
        count[ds->y.index[e]]++;
    out->rarest = out->commonest = -1;
    for (int32_t l = 0; l < L; l++) {
        out->labels_never += count[l] == 0;
        out->labels_always += count[l] == ds->rows;
        if (!count[l])
            continue;
        if (out->rarest < 0 || count[l] < out->rarest_rows) {
            out->rarest = l;
            out->rarest_rows = count[l];
        }
        if (count[l] > out->commonest_rows) {
            out->commonest = l;
            out->commonest_rows = count[l];
        }
    }
    bs_free(count);
    return BASIN_OK;
}

basin_status bs_rows_summary(const bs_rows *ds, bs_summary *out, basin_error *err)
{
    *out = (bs_summary){
        .rows = ds->rows, .features = ds->schema.n_features, .labels = ds->schema.n_labels};
    out->texts = ds->document != NULL;
    double cells = (double)ds->rows * ds->schema.n_features;
    out->density = cells > 0 ? ds->x.start[ds->rows] / cells : 0;
    out->cardinality = ds->rows ? (double)ds->y.start[ds->rows] / ds->rows : 0;
    for (int32_t r = 0; r < ds->rows; r++) {
        out->rows_unlabelled += ds->y.start[r] == ds->y.start[r + 1];
        out->rows_empty +=
            ds->x.start[r] == ds->x.start[r + 1] && (!ds->document || ds->document[r].n == 0);
    }
    basin_status s = bs_blank_categories(ds, &out->missing, err);
    out->missing += ds->n_missing;
    if (!s)
        s = labels(ds, out, err);
    if (!s)
        s = constants(ds, out, err);
    if (!s)
        s = repetitions(ds, out, err);
    return s;
}
