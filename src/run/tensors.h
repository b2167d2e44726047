/* tensors.h -- parameters that take their values from a file of tensors, such as those of an
 * encoder that others have trained. */
#ifndef BS_TENSORS_H
#define BS_TENSORS_H

#include "file/safetensors.h"
#include "nn/params.h"

/* Every parameter TO... becomes the tensor FROM... of the file, which may have others, too: of the
 * same shape (leading ones do not count), F32, F16 or BF16, all finite. `name` starts the message;
 * after an error nothing has changed. */
basin_status bs_tensors_load(bs_params *p, const char *to, const bs_safetensors *f,
                             const char *name, const char *from, basin_error *err);

#endif
