/* find.c -- exact and approximate lookup of names: the only edit distance in the code. */
#include "base/find.h"

#include <limits.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

enum { LONGEST = 64 }; /* longer names get no hints */

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b. */
static int distance(const char *a, size_t na, const char *b, size_t nb)
{
    if (na > LONGEST || nb > LONGEST)
        return INT_MAX;
    int  rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; j++)
        last[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int other = bs_lower(a[i - 1]) != bs_lower(b[j - 1]);
            now[j] = min_int(min_int(last[j], now[j - 1]) + 1, last[j - 1] + other);
            if (i > 1 && j > 1 && bs_lower(a[i - 1]) == bs_lower(b[j - 2]) &&
                bs_lower(a[i - 2]) == bs_lower(b[j - 1]))
                now[j] = min_int(now[j], before[j - 2] + 1);
        }
        int *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[nb];
}

/* A recognisable name contains fewer errors than it has letters, or anything would match. */
bs_near bs_near_to(const char *given)
{
    const size_t len = strlen(given);
    return (bs_near){.given = given,
                     .len = len,
                     .slips = len > LONGEST ? 0
                              : len < 2     ? 1
                                            : 2 + (int)len / 4};
}

static void keep(bs_near *n, int slips, const char *name, size_t len)
{
    if (slips >= n->slips)
        return;
    n->slips = slips;
    n->best = name;
    n->best_len = len;
}

void bs_near_try_n(bs_near *n, const char *name, size_t len)
{
    keep(n, distance(n->given, n->len, name, len), name, len);
}

void bs_near_try(bs_near *n, const char *name)
{
    bs_near_try_n(n, name, strlen(name));
}

void bs_near_try_as(bs_near *n, const char *alias, const char *name)
{
    const size_t len = strlen(alias);
    if (len == n->len && distance(n->given, n->len, alias, len) == 0)
        keep(n, 1, name, strlen(name));
}

const char *bs_near_hint(const bs_near *n, char room[BS_NEAR_HINT])
{
    room[0] = '\0';
    if (n->best)
        bs_print(room, BS_NEAR_HINT, "; did you mean '%.*s'?", (int)n->best_len, n->best);
    return room;
}

const char *bs_option_nearest(const char *given, const char *const *names, int n)
{
    bs_near near = bs_near_to(given);
    for (int i = 0; i < n; i++)
        bs_near_try(&near, names[i]);
    return near.best;
}

/* ---- tables ---- */

/* Copies out names and pointers: rows are structs of any type. */
static const void *row_at(const bs_named *t, int i)
{
    const void *row = (const char *)t->rows + (size_t)i * t->size;
    if (t->n > 0 && i >= t->n)
        return NULL;
    if (t->pointers)
        memcpy(&row, row, sizeof row);
    return row;
}

static const char *name_at(const bs_named *t, int i)
{
    const char *name = NULL;
    const void *row = row_at(t, i);
    if (row)
        memcpy(&name, row, sizeof name);
    return name;
}

const char *bs_named_at(const bs_named *t, int i, const char **help)
{
    const char *name = name_at(t, i);
    if (name)
        memcpy(help, (const char *)row_at(t, i) + sizeof name, sizeof *help);
    return name;
}

int bs_named_index(const bs_named *t, const char *name)
{
    const char *at;
    for (int i = 0; (at = name_at(t, i)); i++)
        if (strcmp(at, name) == 0)
            return i;
    return -1;
}

basin_status bs_find_named(const bs_named *t, const char *name, int *out, basin_error *err)
{
    *out = bs_named_index(t, name);
    if (*out >= 0)
        return BASIN_OK;
    bs_near     near = bs_near_to(name);
    bs_buf      all;
    char        room[BS_NEAR_HINT];
    const char *at;
    *out = 0;
    bs_buf_init(&all, sizeof err->msg);
    for (int i = 0; (at = name_at(t, i)); i++) {
        bs_near_try(&near, at);
        bs_buf_printf(&all, "%s%s", i ? ", " : "; there are ", at);
    }
    const char *hint = bs_near_hint(&near, room);
    if (t->list)
        bs_fail(err, BASIN_EARG, "%s is called '%.40s'%s; see 'basin list %s'", t->what, name, hint,
                t->list);
    else
        bs_fail(err, BASIN_EARG, "%s is called '%.40s'%s", t->what, name,
                *hint      ? hint
                : all.data ? all.data
                           : "");
    bs_buf_free(&all);
    return BASIN_EARG;
}

basin_status bs_find_pointer(const bs_named *t, const char *name, void *out, basin_error *err)
{
    int          i;
    basin_status s = bs_find_named(t, name, &i, err);
    const void  *row = row_at(t, i);
    memcpy(out, &row, sizeof row);
    return s;
}
