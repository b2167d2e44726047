/* device.c -- the list of devices, and what is common to them. */
#include "device/device.h"

#include <string.h>

#define DEVICE(name) extern const bs_device bs_device_##name;
#include "device/devices.def"
#undef DEVICE

const bs_device *const bs_devices[] = {
#define DEVICE(name) &bs_device_##name,
#include "device/devices.def"
#undef DEVICE
    NULL};

static basin_status refuse(const char *name, basin_error *err)
{
    bs_buf names;
    bs_buf_init(&names, 1 << 12);
    for (int i = 0; bs_devices[i]; i++)
        bs_buf_printf(&names, "%s%s", i ? ", " : "", bs_devices[i]->name);
    basin_status s = names.failed ? bs_fail_nomem(err) : BASIN_EARG;
    if (s == BASIN_EARG)
        bs_fail(err, s, "device: '%.40s' is not one of the devices here: %s", name, names.data);
    bs_buf_free(&names);
    return s;
}

basin_status bs_device_find(const char *name, const bs_device **out, basin_error *err)
{
    int i = 0;
    while (name && bs_devices[i] && strcmp(bs_devices[i]->name, name) != 0)
        i++;
    *out = bs_devices[i];
    return *out ? BASIN_OK : refuse(name, err);
}

basin_status bs_workspace_open(bs_machine where, bs_workspace **out, basin_error *err)
{
    const bs_device *d;
    basin_status     s = bs_device_find(where.device, &d, err);
    *out = NULL;
    return s ? s : d->open(d, where.threads, out, err);
}

void bs_workspace_close(bs_workspace *w)
{
    if (w)
        w->device->close(w);
}

basin_status bs_program_make(bs_workspace *w, const bs_graph *g, const bs_result *results, int n,
                             unsigned flags, bs_program **out, basin_error *err)
{
    bs_plan     *plan;
    basin_status s = bs_plan_make(g, results, n, flags, w->device->order, &plan, err);
    *out = NULL;
    if (!s)
        s = w->device->compile(w, plan, out, err);
    bs_plan_free(plan);
    return s;
}

void bs_program_free(bs_program *p)
{
    if (p)
        p->device->program_free(p);
}

basin_status bs_fetch(bs_program *p, int i, const real **out, basin_error *err)
{
    const void  *data = NULL;
    basin_status s = p->device->fetch(p, i, &data, err);
    *out = data;
    return s;
}

/* ---- memory ---- */

basin_status bs_buffer_new(const bs_device *d, int64_t reals, bool zero, bs_buffer **out,
                           basin_error *err)
{
    size_t bytes;
    *out = NULL;
    if (!bs_mul_size((size_t)reals, sizeof(real), &bytes))
        return bs_fail_nomem(err);
    return d->alloc(d, bytes, zero, out, err);
}

void bs_buffer_free(bs_buffer *b)
{
    if (b)
        b->device->free(b);
}

basin_status bs_map(const bs_buffer *b, int64_t at, int64_t n, bs_access access, real **out,
                    basin_error *err)
{
    void        *mapped = NULL;
    basin_status s = b->device->map(b, (size_t)at * sizeof(real), (size_t)n * sizeof(real), access,
                                    &mapped, err);
    *out = mapped;
    return s;
}

void bs_unmap(const bs_buffer *b, int64_t at, int64_t n, bs_access access, real *mapped)
{
    b->device->unmap(b, (size_t)at * sizeof(real), (size_t)n * sizeof(real), access, mapped);
}
