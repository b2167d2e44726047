/* from.c -- the model that a training starts from, and how its parameters map to the new ones. */
#include "run/from.h"

#include <string.h>

#include "base/io.h"
#include "base/visible.h"
#include "data/names.h"
#include "file/checksum.h"

basin_status bs_base_model_open(const char *path, const char *name, const char *encoder,
                                bs_base_model **out, basin_error *err)
{
    bs_base_model *f = *out = bs_calloc(1, sizeof *f);
    bs_buf         bytes;
    if (!f)
        return bs_fail_nomem(err);
    f->name = name;
    bs_buf_init(&bytes, (size_t)1 << 40);
    basin_status s = bs_model_file_read(path, encoder, &f->model, err);
    if (!s)
        s = bs_read_file(path, &bytes, err);
    if (!s)
        f->hash = bs_hash64(bytes.data ? bytes.data : "", bytes.len);
    bs_buf_free(&bytes);
    if (!s)
        return BASIN_OK;
    bs_base_model_free(f);
    *out = NULL;
    return s;
}

void bs_base_model_free(bs_base_model *f)
{
    for (int i = 0; f && i < BS_AXES; i++) {
        bs_params_free(f->grown[i]);
        bs_free(f->unit[i]);
    }
    if (f)
        bs_model_file_free(f->model);
    bs_free(f);
}

static int *size_of(bs_net_spec *spec, size_t at)
{
    return (int *)(void *)(spec->own.bytes + at);
}

/* ---- which unit is which ---- */

basin_status bs_units_relate(const bs_preprocess *then, int32_t was, const bs_preprocess *now,
                             int32_t is, int growth, int32_t *from, basin_error *err)
{
    const bs_task *task = now->task;
    char           room[BS_UNIT_NAME];
    bs_arena       arena;
    bs_names       names;
    bool           fresh, ok = true;
    const bool     named = is > 0 && was > 0 && task->unit_name(now, growth, 0, room) &&
                       task->unit_name(then, growth, 0, room);
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    for (int32_t i = 0; named && i < was && ok; i++) {
        const char *name = task->unit_name(then, growth, i, room);
        ok = bs_names_add(&names, name, strlen(name), &fresh) == i;
    }
    for (int32_t i = 0; i < is && ok; i++) {
        const char *name = named ? task->unit_name(now, growth, i, room) : NULL;
        from[i] = name ? bs_names_find(&names, name, strlen(name)) : i < was ? i : -1;
    }
    bs_names_free(&names);
    bs_arena_free(&arena);
    return ok ? BASIN_OK
              : bs_fail(err, BASIN_EDATA, "--from: the model has two %s of one name",
                        task->grows[growth].what);
}

/* Declaring the same nets with one unit more shows which parameters grow, and along which axis. */
static basin_status relate(bs_base_model *f, const bs_preprocess *now, const bs_net_spec *spec,
                           int growth, basin_error *err)
{
    const bs_growth *g = &f->model->task->grows[growth];
    bs_net_spec      was = f->model->spec, is = *spec;
    f->heritage.axis[growth] =
        (bs_units){.order = g->order, .was = *size_of(&was, g->size), .is = *size_of(&is, g->size)};
    bs_units *a = &f->heritage.axis[growth];
    int32_t  *from = f->unit[growth] = bs_calloc((size_t)a->is + 1, sizeof *from);
    a->from = from;
    basin_status s = from ? bs_units_relate(&f->model->known, a->was, now, a->is, growth, from, err)
                          : bs_fail_nomem(err);
    ++*size_of(&was, g->size);
    if (!s)
        s = bs_model_file_declare(f->model, &was, &f->grown[growth], err);
    f->heritage.grown[growth] = f->grown[growth];
    return s;
}

/* ---- what is told ---- */

static void tell(const bs_base_model *f, const bs_preprocess *now, int growth, bs_logger *log)
{
    const bs_units *a = &f->heritage.axis[growth];
    const bs_task  *task = f->model->task;
    const char     *what = task->grows[growth].what, *name = NULL;
    char            room[BS_UNIT_NAME], shown[BS_VISIBLE];
    int32_t         kept = 0, fresh = -1;
    for (int32_t i = 0; i < a->is; i++) {
        kept += a->from[i] >= 0;
        fresh = a->from[i] < 0 && fresh < 0 ? i : fresh;
    }
    if (fresh >= 0)
        name = task->unit_name(now, growth, fresh, room);
    bs_log_say(log, BS_INFO, "--from: %d %s begin as in %s, %d are new%s%s%s", (int)kept, what,
               f->name, (int)(a->is - kept), name ? ", such as '" : "",
               name ? bs_visible(name, 0, shown) : "", name ? "'" : "");
    if (kept < a->was)
        bs_log_say(log, BS_WARN, "--from: %d of the %d %s of %s are not in this data: dropped",
                   (int)(a->was - kept), (int)a->was, what, f->name);
}

basin_status bs_base_model_relate(bs_base_model *f, const bs_preprocess *known,
                                  const bs_net_spec *spec, bs_logger *log, basin_error *err)
{
    const bs_growth *g = f->model->task->grows;
    basin_status     s = BASIN_OK;
    f->heritage.values = f->model->params;
    f->heritage.name = f->name;
    for (int i = 0; g[i].what && !s; i++) {
        s = relate(f, known, spec, i, err);
        f->heritage.n = i + 1;
        if (!s)
            tell(f, known, i, log);
    }
    return s;
}

bs_warm_start bs_base_model_file(const bs_base_model *f, int i)
{
    bs_warm_start out = f->heritage;
    const int     n = 1 + f->model->n_more, at = i % n;
    if (at > 0)
        out.values = f->model->more[at - 1];
    return out;
}
