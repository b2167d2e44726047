/* search.c -- encoders that models name instead of having them inside. */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "pretrained/pretrained.h"

enum { PATH = 4096, HASH = BS_ENCODER_HASH - 1 };

basin_status bs_pretrained_tell(const char *folder, bs_buf *out, basin_error *err)
{
    char           hash[BS_ENCODER_HASH];
    bs_pretrained *e;
    size_t         end = strlen(folder), from;
    basin_status   s = bs_pretrained_open(folder, &e, err);
    if (s)
        return s;
    s = bs_pretrained_hash(e, hash, err);
    bs_pretrained_free(e);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    for (from = end; from && folder[from - 1] != '/';)
        from--;
    bs_buf_printf(out, "%s %.*s", hash, (int)(end - from), folder + from);
    return s ? s : out->failed ? bs_fail_nomem(err) : BASIN_OK;
}

/* One that was looked for, and the last folder that has another one. */
typedef struct {
    const bs_encoder_asked *asked;
    const char             *name;
    bs_pretrained          *found;
    char                    other[BS_OPTION_TEXT], sum[BS_ENCODER_HASH];
} search;

static basin_status open_there(search *f, const char *folder, basin_error *err)
{
    bs_pretrained *e;
    basin_status   s = bs_pretrained_open(folder, &e, err);
    if (s)
        return s;
    s = bs_pretrained_hash(e, f->sum, err);
    if (!s && strncmp(f->sum, f->asked->told, HASH) == 0) {
        f->found = e;
        return BASIN_OK;
    }
    bs_pretrained_free(e);
    bs_print(f->other, sizeof f->other, "%s", folder);
    return s;
}

/* f->found stays NULL if there is no such folder, or it has another encoder. */
static basin_status try_folder(search *f, const char *folder, basin_error *err)
{
    char path[PATH];
    bs_print(path, PATH, "%s/config.json", folder);
    return f->found || !*folder || !bs_is_file(path) ? BASIN_OK : open_there(f, folder, err);
}

static basin_status look_around(search *f, char folder[BS_OPTION_TEXT], basin_error *err)
{
    const char  *model = f->asked->model, *slash = strrchr(model, '/');
    const char  *list = getenv("BASIN_ENCODERS");
    basin_status s;
    bs_print(folder, BS_OPTION_TEXT, "%.*s%s", slash ? (int)(slash + 1 - model) : 0, model,
             f->name);
    s = bs_is_file(model) ? try_folder(f, folder, err) : BASIN_OK; /* else it is in memory */
    if (s || f->found)
        return s;
    bs_print(folder, BS_OPTION_TEXT, "%s", f->asked->trained);
    s = try_folder(f, folder, err);
    for (const char *at = list ? list : ""; *at && !f->found && !s;) {
        const size_t n = strcspn(at, ":");
        bs_print(folder, BS_OPTION_TEXT, "%.*s/%s", (int)n, at, f->name);
        if (n)
            s = try_folder(f, folder, err);
        at += n + (at[n] == ':');
    }
    return s;
}

static basin_status refuse(const search *f, basin_error *err)
{
    const bs_encoder_asked *a = f->asked;
    const char             *list = getenv("BASIN_ENCODERS");
    if (*f->other)
        return bs_fail(err, BASIN_EDATA,
                       "%.120s: this encoder (%s) is not that of %.120s, '%.60s' (%.*s); "
                       "--encoder DIR names its folder",
                       f->other, f->sum, a->model, f->name, HASH, a->told);
    return bs_fail(err, BASIN_EDATA,
                   "%.120s: its encoder '%.60s' (%.*s) is neither inside nor beside it, nor where "
                   "it was in training, nor in $BASIN_ENCODERS (%.60s); --encoder DIR names its "
                   "folder",
                   a->model, f->name, HASH, a->told, list ? list : "not set");
}

basin_status bs_pretrained_find(const bs_encoder_asked *asked, char folder[BS_OPTION_TEXT],
                                bs_pretrained **out, basin_error *err)
{
    search      f = {.asked = asked};
    const char *told = asked->told;
    f.name = strlen(told) > HASH + 1 ? told + HASH + 1 : "";
    *out = NULL;
    if (!*f.name || strchr(f.name, '/') || !strcmp(f.name, ".") || !strcmp(f.name, "..") ||
        strlen(f.name) > 255)
        return bs_fail(err, BASIN_EDATA, "%s: 'basin.encoder' in its metadata names no encoder",
                       asked->model);
    bs_print(folder, BS_OPTION_TEXT, "%s", asked->given);
    basin_status s = *folder ? open_there(&f, folder, err) : look_around(&f, folder, err);
    if (s || (*out = f.found))
        return s;
    return refuse(&f, err);
}
