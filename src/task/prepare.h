/* prepare.h -- from file names to data for training. */
#ifndef BS_PREPARE_H
#define BS_PREPARE_H

#include "task/task.h"

/* What files are for. Unlabelled rows are appended to those of train. */
enum { BS_ROLE_TRAIN, BS_ROLE_VALID, BS_ROLE_TEST, BS_ROLE_UNLABELLED, BS_ROLES };
extern const char *const bs_role_names[BS_ROLES];

enum { BS_MOST_FILES = 64, BS_MOST_FOLDS = 100 };

typedef struct {
    const char    *file[BS_ROLES][BS_MOST_FILES];
    int            n[BS_ROLES];
    const void    *given[BS_ROLES]; /* rows in memory instead of files (basin_data); then n is 1 */
    const bs_task *task;            /* their task; or NULL */
    bool           no_test;         /* test rows are set aside as usual, but not handed out */
    const bs_preprocess *like; /* what the model to continue from knows; NULL: start from scratch */
} bs_sources;

typedef struct {
    bs_dataset    part[BS_ROLES]; /* test may be absent; unlabelled ends up empty */
    bs_preprocess known;          /* fitted on train, shared by all parts */
    bool          has_test;       /* there are test data besides the training rows */
    /* with folds > 1, train and valid are the same rows, and fold k starts at start[k] */
    int      folds;
    int32_t  fold_start[BS_MOST_FOLDS + 1];
    uint64_t from_hash; /* of the model to continue from; 0: none */
} bs_data;

/* Reads, splits off missing parts, and fits what a model keeps. Reports what was guessed. The task
 * of the settings is resolved. */
basin_status bs_prepare(const bs_settings *s, const bs_sources *files, bs_logger *log, bs_data *out,
                        basin_error *err);
void         bs_data_free(bs_data *p);

/* The training rows without fold k (unless train is NULL), and fold k itself. The caller frees
 * both. */
basin_status bs_data_fold(const bs_data *p, int k, bs_dataset *train, bs_dataset *valid,
                          basin_error *err);

/* Valid as it would be with the first n folds only, and train without it if n is 1; for more, all
 * rows are in train. */
basin_status bs_data_first_folds(const bs_data *p, int n, bs_dataset *train, bs_dataset *valid,
                                 basin_error *err);

/* That, in place. */
basin_status bs_data_keep_folds(bs_data *p, int n, basin_error *err);

/* NULL if there is none. */
const bs_dataset *bs_data_test(const bs_data *p);

#endif
