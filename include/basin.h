/* basin.h -- structured prediction with energy networks, public interface.
 *
 * Every function that can fail returns a basin_status and takes a caller-owned
 * basin_error, possibly NULL, as its last argument. Nothing here exits, aborts,
 * prints, or keeps a pointer to caller memory after it returns, except where a
 * comment says "borrows". */
#ifndef BASIN_H
#define BASIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BASIN_VERSION "0.1.0"

typedef enum {
    BASIN_OK = 0,
    BASIN_EARG,         /* the caller asked for something impossible */
    BASIN_EDATA,        /* an input file is malformed */
    BASIN_EIO,          /* a file could not be read or written */
    BASIN_ENOMEM,       /* memory ran out */
    BASIN_EUNSUPPORTED, /* valid, but not by this backend or build */
    BASIN_EINTERRUPTED, /* stopped on request; what was done is saved */
    BASIN_ENUMERIC,     /* a value became infinite or not a number */
} basin_status;

typedef struct {
    basin_status status;
    char         msg[508]; /* one line, no newline, names the thing at fault */
} basin_error;

/* "0.1.0"; a static string. */
const char *basin_version(void);

#ifdef __cplusplus
}
#endif
#endif
