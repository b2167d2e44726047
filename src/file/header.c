/* header.c -- element types and sizes. */
#include "file/header.h"

#include <string.h>

#include "base/mem.h"

/* To add a type: a value in bs_dtype, a row here. */
static const struct {
    const char *name;
    size_t      size;
} types[] = {
    [BS_DTYPE_F32] = {"F32", 4},         [BS_DTYPE_F64] = {"F64", 8},
    [BS_DTYPE_I32] = {"I32", 4},         [BS_DTYPE_I64] = {"I64", 8},
    [BS_DTYPE_U8] = {"U8", 1},           [BS_DTYPE_F16] = {"F16", 2},
    [BS_DTYPE_BF16] = {"BF16", 2},       [BS_DTYPE_BOOL] = {"BOOL", 1},
    [BS_DTYPE_I8] = {"I8", 1},           [BS_DTYPE_I16] = {"I16", 2},
    [BS_DTYPE_U16] = {"U16", 2},         [BS_DTYPE_U32] = {"U32", 4},
    [BS_DTYPE_U64] = {"U64", 8},         [BS_DTYPE_F8_E4M3] = {"F8_E4M3", 1},
    [BS_DTYPE_F8_E5M2] = {"F8_E5M2", 1},
};

enum { N_TYPES = sizeof types / sizeof types[0] };

size_t bs_dtype_size(bs_dtype d)
{
    return (unsigned)d < N_TYPES ? types[d].size : 0;
}

const char *bs_dtype_name(bs_dtype d)
{
    return (unsigned)d < N_TYPES ? types[d].name : NULL;
}

bool bs_tensor_size(bs_dtype d, const int64_t *dim, int n_dims, size_t *out)
{
    size_t bytes = bs_dtype_size(d);
    bool   empty = false;
    for (int i = 0; i < n_dims; i++) {
        if (dim[i] < 0 || (uint64_t)dim[i] > SIZE_MAX)
            return false;
        if (dim[i] == 0)
            empty = true;
        else if (!bs_mul_size(bytes, (size_t)dim[i], &bytes))
            return false;
    }
    *out = empty ? 0 : bytes;
    return true;
}

const char *bs_shown(const char *name, char buf[BS_SHOWN])
{
    size_t len = strlen(name);
    if (len < BS_SHOWN)
        return memcpy(buf, name, len + 1);
    size_t cut = BS_SHOWN - 4;
    while (cut && ((unsigned char)name[cut] & 0xC0) == 0x80)
        cut--;
    memcpy(buf, name, cut);
    memcpy(buf + cut, "...", 4);
    return buf;
}
