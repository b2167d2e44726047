/* check.c -- refuses arguments of library functions that are NULL or out of range. */
#include <string.h>

#include "api/api.h"
#include "base/threads.h"

basin_status bs_need(const bs_argument *a, basin_error *err)
{
    for (; a->name; a++)
        if (!a->given)
            return bs_fail(err, BASIN_EARG, "%s is NULL", a->name);
    return BASIN_OK;
}

basin_status bs_need_files(const char *const *files, int n, basin_error *err)
{
    if (n < 1)
        return bs_fail(err, BASIN_EARG, "no data given");
    basin_status s = BS_NEED(err, {"files", files});
    for (int i = 0; i < n && !s; i++)
        if (!files[i])
            s = bs_fail(err, BASIN_EARG, "file %d of %d is NULL", i + 1, n);
    return s;
}

basin_status bs_need_where(bs_machine where, basin_error *err)
{
    const bs_device *d;
    if (where.threads < 0 || where.threads > BS_ASKED_THREADS)
        return bs_fail(err, BASIN_EARG, "threads: %d is not in 0..%d; 0 = all cores", where.threads,
                       BS_ASKED_THREADS);
    return bs_device_find(where.device, &d, err);
}

/* Common start of all functions that make a text, perhaps from files. */
basin_status bs_need_text(basin_text *out, const bs_argument *a, basin_error *err)
{
    basin_status s = BS_NEED(err, {"out", out});
    if (out)
        *out = (basin_text){NULL, NULL};
    return s ? s : bs_need(a, err);
}

basin_status bs_need_model(const char *model, const char *const *files, int n, basin_text *out,
                           basin_error *err)
{
    basin_status s = bs_need_text(out, BS_ARGUMENTS({"model", model}), err);
    return s ? s : bs_need_files(files, n, err);
}

/* Whole machine words; what was never set is rarely one of these. */
static bool may_be_size(size_t n)
{
    return n > sizeof n && n <= 4096 && n % sizeof n == 0;
}

basin_status bs_take_sized(const char *type, const void *given, size_t size, void *out,
                           basin_error *err)
{
    size_t n = size;
    memset(out, 0, size);
    if (given)
        memcpy(&n, given, sizeof n);
    if (!may_be_size(n))
        return bs_fail(err, BASIN_EARG,
                       "%s: size is %zu; it must be sizeof(%s), which BASIN_OPTIONS sets", type, n,
                       type);
    for (size_t i = size; i < n; i++)
        if (((const unsigned char *)given)[i])
            return bs_fail(err, BASIN_EUNSUPPORTED,
                           "%s: asks for something that version " BASIN_VERSION
                           " does not have: it has %zu bytes, of which this version knows %zu",
                           type, n, size);
    if (given)
        memcpy(out, given, n < size ? n : size);
    memcpy(out, &size, sizeof size);
    return BASIN_OK;
}
