/* find.h -- a row of a table by its name, and which name was probably meant.
 *
 *     bs_near near = bs_near_to(given);
 *     for (...) bs_near_try(&near, candidate);
 *     bs_fail(err, BASIN_EARG, "no verb is called '%s'%s", given, bs_near_hint(&near, room));
 *
 * Near is what a few slips of the keyboard turn into the other: letters that are missing, too many,
 * wrong or swapped with their neighbour; a difference of case costs nothing. */
#ifndef BS_FIND_H
#define BS_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

typedef struct {
    const char *given;
    size_t      len;  /* of what was given */
    const char *best; /* the nearest of those that were tried; NULL: none is near enough */
    size_t      best_len;
    int         slips; /* fewer would be nearer */
} bs_near;

bs_near bs_near_to(const char *given);
void    bs_near_try(bs_near *n, const char *name);
void    bs_near_try_n(bs_near *n, const char *name, size_t len); /* the first bytes of a list */
/* Tries a name as one that stands for another: what is found then is `name`. */
void bs_near_try_as(bs_near *n, const char *alias, const char *name);

enum { BS_NEAR_HINT = 96 };
/* "; did you mean 'train'?", or "". */
const char *bs_near_hint(const bs_near *n, char room[BS_NEAR_HINT]);

/* The nearest of n names, or NULL. */
const char *bs_nearest(const char *given, const char *const *names, int n);

/* Rows that begin with their name; the last one has none, or n of them. */
typedef struct {
    const char *what; /* "--method: no method": the message begins so */
    const char *list; /* what `basin list` shows them; NULL: the message names all of them */
    const void *rows;
    size_t      size;     /* of a row */
    bool        pointers; /* rows are pointers to structs; else structs, or the names themselves */
    int         n;        /* 0: until a row without a name */
} bs_named;

#define BS_NAMED_POINTERS(table) .rows = (table), .size = sizeof *(table), .pointers = true
#define BS_NAMED_ROWS(table)     .rows = (table), .size = sizeof *(table)

/* The number of the row, or BASIN_EARG: "WHAT is called 'NAME'; did you mean 'OTHER'?". */
basin_status bs_find_named(const bs_named *table, const char *name, int *out, basin_error *err);
/* The same without a message: -1 when there is none. */
int bs_named_index(const bs_named *table, const char *name);

#endif
