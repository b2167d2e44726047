/* tensors.c -- finds and checks tensors of a file, and copies them into parameters. */
#include "run/tensors.h"

#include <math.h>
#include <string.h>

#include "base/visible.h"

enum { CHUNK = 4096, NAME = 256 };

/* "[3, 5]", without leading ones. */
static const char *shape_text(const int64_t *dim, int n, char *out, size_t size)
{
    size_t at = bs_print(out, size, "[");
    while (n > 1 && *dim == 1)
        dim++, n--;
    for (int i = 0; i < n && at < size; i++)
        at += bs_print(out + at, size - at, "%s%lld", i ? ", " : "", (long long)dim[i]);
    if (at < size)
        bs_print(out + at, size - at, "]");
    return out;
}

static basin_status check_shape(const bs_segment *s, const bs_tensor *t, const char *file,
                                basin_error *err)
{
    char    have[200], want[200];
    int64_t dim[4];
    for (int i = 0; i < 4; i++)
        dim[i] = s->shape.d[i];
    shape_text(t->dim, t->n_dims, have, sizeof have);
    shape_text(dim, 4, want, sizeof want);
    if (strcmp(have, want) == 0 || (s->count == 1 && t->n_dims == 0))
        return BASIN_OK;
    return bs_fail(err, BASIN_EDATA, "%s: tensor '%s' is %s; for '%s' it must be %s", file, t->name,
                   have, s->name, want);
}

basin_status bs_tensor_take(const bs_safetensors *f, const char *file, const char *name,
                            const bs_segment *s, real *to, basin_error *err)
{
    float            room[CHUNK];
    char             shown[BS_VISIBLE];
    const bs_tensor *t = bs_safetensors_find(f, name);
    if (!t)
        return bs_fail(err, BASIN_EDATA, "%s: there is no tensor '%s', which '%s' needs", file,
                       bs_visible(name, 0, shown), s->name);
    basin_status status = check_shape(s, t, file, err);
    for (int64_t at = 0; at < s->count && !status; at += CHUNK) {
        const int64_t n = s->count - at < CHUNK ? s->count - at : CHUNK;
        const float  *x = t->dtype == BS_DTYPE_F32 ? (const float *)t->data + at : room;
        int           bad = 0;
        if (x == room && !bs_tensor_floats(t, at, n, room))
            return bs_fail(err, BASIN_EDATA,
                           "%s: tensor '%s' has numbers of type %s; F32, F16 or BF16 is needed",
                           file, t->name, bs_dtype_name(t->dtype));
#pragma omp simd reduction(| : bad)
        for (int64_t i = 0; i < n; i++)
            bad |= !isfinite(x[i]);
        for (int64_t i = 0; bad && i < n; i++)
            if (!isfinite(x[i]))
                return bs_fail(err, BASIN_EDATA, "%s: tensor '%s' holds %g at %lld", file, t->name,
                               (double)x[i], (long long)(at + i));
        for (int64_t i = 0; to && i < n; i++)
            to[at + i] = (real)x[i];
    }
    return status;
}

basin_status bs_tensors_load(bs_params *p, const char *to, const bs_safetensors *f,
                             const char *name, const char *from, basin_error *err)
{
    basin_status status = BASIN_OK;
    int          n = 0;
    for (int copies = 0; copies < 2; copies++)
        for (int i = 0; i < p->n && !status; i++) {
            const bs_segment *s = &p->segment[i];
            char              path[NAME];
            real             *w = NULL;
            if (!bs_params_has_prefix(s->name, to))
                continue;
            n++;
            if (bs_print(path, NAME, "%s%s", from, s->name + strlen(to)) >= NAME)
                return bs_fail(err, BASIN_EARG, "%s: the name of a tensor for '%s' is too long",
                               name, s->name);
            if (copies)
                status = bs_params_map(p, s, BS_WRITE, &w, err);
            if (!status)
                status = bs_tensor_take(f, name, path, s, w, err);
            if (w)
                bs_params_unmap(p, s, BS_WRITE, w);
        }
    if (!status && n == 0)
        return bs_fail(err, BASIN_EARG, "%s: no parameter is called '%s...'", name, to);
    return status;
}
