/* split.c -- iterative stratification of multi-label rows, n ways.
 *
 * Every part wants share * count rows of every label. The label with the fewest rows left is dealt
 * first: each of its rows goes to the part that still wants this label most; among equals, to the
 * one that wants most rows; among equals, to a random one. Rows without labels come last. A group
 * of rows is dealt like one row with all their labels; larger groups go first. */
#include "data/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/rng.h"

typedef struct {
    bs_arena       room;
    const bs_rows *ds;
    int            parts;
    int32_t        units;                 /* rows, or groups of them */
    int32_t       *unit_of;               /* [rows] */
    int32_t       *first, *member;        /* rows of a unit: member[first[u] .. first[u + 1]) */
    int32_t       *order;                 /* units in the order they are dealt */
    int32_t       *holder_start, *holder; /* units with a label, in that order */
    int32_t       *left;                  /* [L] rows with the label that are not dealt yet */
    double        *want;                  /* [L, parts] */
    double        *want_rows;             /* [parts] */
    int32_t       *to;                    /* [units], -1 = not dealt */
    bs_rng         rng;
} deal;

/* n zeros and room for two more. */
static int32_t *list(deal *d, size_t n)
{
    return bs_arena_alloc(&d->room, (n + 2) * sizeof(int32_t));
}

/* --- units --------------------------------------------------------------- */

/* Numbers the groups 0, 1, ...; a row without a group is one of its own. */
static bool number_units(deal *d, const int32_t *group)
{
    int32_t  n = d->ds->rows, known = 0, different = 0;
    int32_t *sorted = list(d, (size_t)n);
    d->unit_of = list(d, (size_t)n);
    if (!sorted || !d->unit_of)
        return false;
    for (int32_t r = 0; group && r < n; r++)
        if (group[r] >= 0)
            sorted[known++] = group[r];
    qsort(sorted, (size_t)known, sizeof *sorted, bs_by_int32);
    for (int32_t i = 0; i < known; i++)
        if (i == 0 || sorted[i] != sorted[different - 1])
            sorted[different++] = sorted[i];
    d->units = different;
    for (int32_t r = 0; r < n; r++) {
        const int32_t *at = NULL;
        if (group && group[r] >= 0)
            at = bsearch(&group[r], sorted, (size_t)different, sizeof *sorted, bs_by_int32);
        d->unit_of[r] = at ? (int32_t)(at - sorted) : d->units++;
    }
    return true;
}

static bool list_members(deal *d)
{
    int32_t n = d->ds->rows;
    size_t  u = (size_t)d->units;
    d->first = list(d, u);
    d->member = list(d, (size_t)n);
    if (!d->first || !d->member)
        return false;
    for (int32_t r = 0; r < n; r++)
        d->first[d->unit_of[r] + 2]++;
    for (size_t i = 2; i <= u + 1; i++)
        d->first[i] += d->first[i - 1];
    for (int32_t r = 0; r < n; r++)
        d->member[d->first[d->unit_of[r] + 1]++] = r;
    return true;
}

static int32_t unit_size(const deal *d, int32_t u)
{
    return d->first[u + 1] - d->first[u];
}

/* Random order, then by size, largest first: counting sort keeps the random order. */
static bool order_units(deal *d)
{
    int32_t *random = list(d, (size_t)d->units), largest = 1;
    d->order = list(d, (size_t)d->units);
    for (int32_t u = 0; u < d->units; u++)
        largest = unit_size(d, u) > largest ? unit_size(d, u) : largest;
    int32_t *start = list(d, (size_t)largest);
    if (!random || !d->order || !start)
        return false;
    bs_rng_permutation(&d->rng, random, d->units);
    for (int32_t u = 0; u < d->units; u++)
        start[largest - unit_size(d, u) + 1]++;
    for (int32_t s = 0; s <= largest; s++)
        start[s + 1] += start[s];
    for (int32_t i = 0; i < d->units; i++)
        d->order[start[largest - unit_size(d, random[i])]++] = random[i];
    return true;
}

/* --- labels -------------------------------------------------------------- */

/* The units that have a label, in dealing order; a unit is listed once per row that has it. */
static bool list_holders(deal *d)
{
    const bs_csr *y = &d->ds->y;
    const int32_t L = d->ds->schema.n_labels, n = y->start[d->ds->rows];
    d->holder_start = list(d, (size_t)L);
    d->holder = list(d, (size_t)n);
    d->left = list(d, (size_t)L);
    if (!d->holder_start || !d->holder || !d->left)
        return false;
    for (int32_t e = 0; e < n; e++)
        d->left[y->index[e]]++;
    int32_t *at = d->holder_start + 1; /* filling moves each start to the next one */
    for (int32_t l = 0; l < L; l++)
        at[l] = l ? at[l - 1] + d->left[l - 1] : 0;
    for (int32_t i = 0; i < d->units; i++) {
        int32_t u = d->order[i];
        for (int32_t m = d->first[u]; m < d->first[u + 1]; m++) {
            int32_t r = d->member[m];
            for (int32_t e = y->start[r]; e < y->start[r + 1]; e++)
                d->holder[at[y->index[e]]++] = u;
        }
    }
    return true;
}

static bool set_wants(deal *d, const double *share)
{
    const int32_t L = d->ds->schema.n_labels;
    size_t        parts = (size_t)d->parts;
    double        total = 0;
    d->want = bs_arena_alloc(&d->room, ((size_t)L + 1) * parts * sizeof *d->want);
    d->want_rows = bs_arena_alloc(&d->room, parts * sizeof *d->want_rows);
    d->to = list(d, (size_t)d->units);
    if (!d->want || !d->want_rows || !d->to)
        return false;
    for (int p = 0; p < d->parts; p++)
        total += share[p];
    for (int p = 0; p < d->parts; p++) {
        d->want_rows[p] = d->ds->rows * share[p] / total;
        for (int32_t l = 0; l < L; l++)
            d->want[(size_t)l * parts + (size_t)p] = d->left[l] * share[p] / total;
    }
    memset(d->to, 0xff, (size_t)d->units * sizeof *d->to);
    return true;
}

/* --- dealing ------------------------------------------------------------- */

/* The part that wants most of want[], then most rows, then a random one. */
static int choose_part(deal *d, const double *want)
{
    int best[BS_MOST_PARTS], n = 0;
    for (int p = 0; p < d->parts; p++) {
        int order = 0;
        if (n) {
            double now = want[p], top = want[best[0]];
            if (fabs(now - top) > 1e-9)
                order = now > top ? 1 : -1;
            else if (fabs(d->want_rows[p] - d->want_rows[best[0]]) > 1e-9)
                order = d->want_rows[p] > d->want_rows[best[0]] ? 1 : -1;
        }
        if (n == 0 || order > 0) {
            n = 1;
            best[0] = p;
        } else if (order == 0) {
            best[n++] = p;
        }
    }
    return n == 1 ? best[0] : best[bs_rng_below(&d->rng, (uint32_t)n)];
}

static void give(deal *d, int32_t u, int p)
{
    const bs_csr *y = &d->ds->y;
    size_t        parts = (size_t)d->parts;
    d->to[u] = p;
    d->want_rows[p] -= unit_size(d, u);
    for (int32_t m = d->first[u]; m < d->first[u + 1]; m++) {
        int32_t r = d->member[m];
        for (int32_t e = y->start[r]; e < y->start[r + 1]; e++) {
            d->left[y->index[e]]--;
            d->want[(size_t)y->index[e] * parts + (size_t)p] -= 1;
        }
    }
}

static void deal_out(deal *d)
{
    const int32_t L = d->ds->schema.n_labels;
    for (;;) {
        int32_t rarest = -1;
        for (int32_t l = 0; l < L; l++)
            if (d->left[l] > 0 && (rarest < 0 || d->left[l] < d->left[rarest]))
                rarest = l;
        if (rarest < 0)
            break;
        for (int32_t i = d->holder_start[rarest]; i < d->holder_start[rarest + 1]; i++)
            if (d->to[d->holder[i]] < 0)
                give(d, d->holder[i], choose_part(d, d->want + (size_t)rarest * (size_t)d->parts));
    }
    for (int32_t i = 0; i < d->units; i++)
        if (d->to[d->order[i]] < 0)
            give(d, d->order[i], choose_part(d, d->want_rows));
}

static basin_status check_shares(const double *share, int parts, basin_error *err)
{
    if (parts < 2 || parts > BS_MOST_PARTS)
        return bs_fail(err, BASIN_EARG, "%d parts; 2 to %d are possible", parts,
                       (int)BS_MOST_PARTS);
    for (int p = 0; p < parts; p++)
        if (!(share[p] > 0) || !isfinite(share[p]))
            return bs_fail(err, BASIN_EARG,
                           "part %d has the size %g; sizes are above 0, as in "
                           "60,20,20",
                           p + 1, share[p]);
    return BASIN_OK;
}

basin_status bs_split(const bs_rows *ds, const double *share, int parts, const int32_t *group,
                      uint64_t seed, int32_t *part, basin_error *err)
{
    basin_status s = check_shares(share, parts, err);
    if (s)
        return s;
    deal       d = {.ds = ds, .parts = parts, .rng = bs_rng_make(seed, 0, 77)};
    const bool ok = number_units(&d, group) && list_members(&d) && order_units(&d) &&
                    list_holders(&d) && set_wants(&d, share);
    if (ok)
        deal_out(&d);
    for (int32_t r = 0; ok && r < ds->rows; r++)
        part[r] = d.to[d.unit_of[r]];
    bs_arena_free(&d.room);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

basin_status bs_split_rows(const int32_t *part, int32_t rows, int which, int32_t **out, int32_t *n,
                           basin_error *err)
{
    *n = 0;
    for (int32_t r = 0; r < rows; r++)
        *n += part[r] == which;
    *out = bs_alloc(((size_t)*n + 1) * sizeof **out);
    if (!*out)
        return bs_fail_nomem(err);
    for (int32_t r = 0, k = 0; r < rows; r++)
        if (part[r] == which)
            (*out)[k++] = r;
    return BASIN_OK;
}
