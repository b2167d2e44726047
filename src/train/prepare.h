/* prepare.h -- from file names to data that a training can use. */
#ifndef BS_PREPARE_H
#define BS_PREPARE_H

#include "base/log.h"
#include "train/options.h"

enum { BS_ROLES = 3 }; /* train, valid, test */
enum { BS_MOST_FILES = 64 };

typedef struct {
    const char *file[BS_ROLES][BS_MOST_FILES];
    int         n[BS_ROLES];
} bs_files;

typedef struct {
    bs_dataset *part[BS_ROLES]; /* test may be NULL */
    bs_arena    arena;
    bs_schema   schema; /* fitted on train, shared by all parts */
} bs_prepared;

/* Reads, matches the later parts to the first, splits off what is missing
 * (iterative stratification by seed), fits fill values and standardisation.
 * Resolves task and method "auto" in the settings. Says what was guessed. */
basin_status bs_prepare(bs_settings *s, const bs_files *files, bs_logger *log, bs_prepared *out,
                        basin_error *err);
void         bs_prepared_free(bs_prepared *p);

#endif
