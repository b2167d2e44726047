/* find.h -- finding a row of a table by name, and guessing which name was meant.
 *
 *     bs_near near = bs_near_to(given);
 *     for (...) bs_near_try(&near, candidate);
 *     bs_fail(err, BASIN_EARG, "no verb is called '%s'%s", given, bs_near_hint(&near, room));
 *
 * Two names are near if a few typing errors turn one into the other: letters missing, added, wrong
 * or swapped with a neighbour; a difference in case costs nothing. */
#ifndef BS_FIND_H
#define BS_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

typedef struct {
    const char *given;
    size_t      len;  /* of the given name */
    const char *best; /* the nearest one tried; NULL: none is near enough */
    size_t      best_len;
    int         slips; /* fewer would be nearer */
} bs_near;

bs_near bs_near_to(const char *given);
void    bs_near_try(bs_near *n, const char *name);
void    bs_near_try_n(bs_near *n, const char *name, size_t len); /* the first bytes of a list */
/* Tries an alias: if it matches, the result is `name`. */
void bs_near_try_as(bs_near *n, const char *alias, const char *name);

enum { BS_NEAR_HINT = 96 };
/* "; did you mean 'train'?", or "". */
const char *bs_near_hint(const bs_near *n, char room[BS_NEAR_HINT]);

/* The nearest of n names, or NULL. */
const char *bs_option_nearest(const char *given, const char *const *names, int n);

/* A table whose rows start with their name; it ends with a row without one, or has n rows. */
typedef struct {
    const char *what; /* how the message starts: "--method: no method" */
    const char *list; /* what `basin list` calls them; NULL: the message names all */
    const void *rows;
    size_t      size;     /* of a row */
    bool        pointers; /* rows are pointers to structs; otherwise structs, or just names */
    int         n;        /* 0: until a row without a name */
} bs_named;

#define BS_NAMED_POINTERS(table) .rows = (table), .size = sizeof *(table), .pointers = true
#define BS_NAMED_ROWS(table)     .rows = (table), .size = sizeof *(table)

/* The number of the row, or BASIN_EARG: "WHAT is called 'NAME'; did you mean 'OTHER'?". */
basin_status bs_find_named(const bs_named *table, const char *name, int *out, basin_error *err);
/* The row itself, of a table of pointers; out: to such a pointer. */
basin_status bs_find_pointer(const bs_named *table, const char *name, void *out, basin_error *err);
/* The name of row i; NULL: there are no more. help: what follows the name in structs. */
const char *bs_named_at(const bs_named *table, int i, const char **help);
/* The same without a message: -1 if there is none. */
int bs_named_index(const bs_named *table, const char *name);

#endif
