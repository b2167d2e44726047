/* tape.c -- records of the points of a search, batch by batch. */
#include "model/tape.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

typedef struct {
    size_t rows, parts;
    real  *data; /* [points, parts + rows] */
} piece;

struct bs_search_record {
    int    points, point; /* how many; the one being read */
    piece *piece;         /* [n] */
    size_t n, cap, next;
};

bs_search_record *bs_search_record_new(int points)
{
    bs_search_record *t = bs_calloc(1, sizeof *t);
    if (t)
        t->points = points;
    return t;
}

void bs_search_record_free(bs_search_record *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        bs_free(t->piece[i].data);
    bs_free(t->piece);
    bs_free(t);
}

basin_status bs_search_record_begin(bs_search_record *t, size_t rows, size_t parts,
                                    basin_error *err)
{
    if (!BS_GROW(t->piece, t->cap, t->n + 1, (size_t)1 << 30))
        return bs_fail_nomem(err);
    piece p = {.rows = rows, .parts = parts};
    p.data = bs_calloc((size_t)t->points * (rows + parts) + 1, sizeof *p.data);
    if (!p.data)
        return bs_fail_nomem(err);
    t->piece[t->n++] = p;
    return BASIN_OK;
}

void bs_search_record_at(bs_search_record *t, int point, real **y, real **energy)
{
    const piece *p = &t->piece[t->n - 1];
    *y = p->data + (size_t)point * (p->rows + p->parts);
    *energy = *y + p->parts;
}

void bs_search_record_rewind(bs_search_record *t, int point)
{
    t->point = point;
    t->next = 0;
}

basin_status bs_search_record_read(bs_search_record *t, size_t rows, const real **y,
                                   const real **energy, basin_error *err)
{
    if (t->next == t->n || t->piece[t->next].rows != rows)
        return bs_fail(err, BASIN_EARG, "batch %zu was not the same when it was recorded", t->next);
    const piece *p = &t->piece[t->next++];
    *y = p->data + (size_t)t->point * (p->rows + p->parts);
    *energy = *y + p->parts;
    return BASIN_OK;
}
