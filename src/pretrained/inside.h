/* inside.h -- what the files of this folder share. */
#ifndef BS_PRETRAINED_INSIDE_H
#define BS_PRETRAINED_INSIDE_H

#include "base/tree.h"
#include "pretrained/pretrained.h"

/* A file of a folder, as JSON; NULL if it is not there. */
basin_status bs_pretrained_json(const char *folder, const char *file, json_t **out,
                                basin_error *err);
/* The form but for its pooling. `path` starts the messages. */
basin_status bs_encoder_config(const char *path, const json_t *config, bs_encoder_form *out,
                               basin_error *err);
/* What 1_Pooling/config.json says; *found = false if nothing does. */
basin_status bs_encoder_pooling(const char *folder, bs_pooling *out, bool *found, basin_error *err);

/* Finds the tensors of e->file: the prefix of their names, which e owns then, and whether there is
 * a pooler; and checks all those that the form needs. */
basin_status bs_encoder_tensors(bs_pretrained *e, basin_error *err);

/* To halves; what exceeds one stays. Whether any has changed. */
bool bs_pretrained_round_numbers(real *x, int64_t n);

#endif
