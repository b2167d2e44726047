/* tensors.h -- parameters that take their values from a file of tensors, such as those of an
 * encoder that others have trained. */
#ifndef BS_TENSORS_H
#define BS_TENSORS_H

#include "file/safetensors.h"
#include "nn/params.h"

/* The tensor of a file for a segment: of the same shape (leading ones do not count), F32, F16 or
 * BF16, all finite. Copied to `to`, which may be filled in part after an error, or only checked if
 * that is NULL. `file` starts the message. */
basin_status bs_tensor_take(const bs_safetensors *f, const char *file, const char *name,
                            const bs_segment *s, real *to, basin_error *err);

/* Every parameter TO... becomes the tensor FROM... of the file, which may have others, too. After
 * an error nothing has changed. */
basin_status bs_tensors_load(bs_params *p, const char *to, const bs_safetensors *f,
                             const char *name, const char *from, basin_error *err);

#endif
