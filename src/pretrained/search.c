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

/* *out stays NULL if there is no such folder; *other = true if it has another encoder. */
static basin_status try_folder(const char *folder, const char *hash, bs_pretrained **out,
                               bool *other, basin_error *err)
{
    char           path[PATH], found[BS_ENCODER_HASH];
    bs_pretrained *e;
    bs_print(path, PATH, "%s/config.json", folder);
    if (!bs_is_file(path))
        return BASIN_OK;
    basin_status s = bs_pretrained_open(folder, &e, err);
    if (s)
        return s;
    s = bs_pretrained_hash(e, found, err);
    if (!s && strncmp(found, hash, HASH) == 0)
        *out = e;
    else
        bs_pretrained_free(e);
    *other = *other || (!s && !*out);
    return s;
}

basin_status bs_pretrained_find(const char *told, const char *model, char folder[BS_OPTION_TEXT],
                                bs_pretrained **out, basin_error *err)
{
    const char *name = strlen(told) > HASH + 1 ? told + HASH + 1 : "", *slash = strrchr(model, '/');
    const char *list = getenv("BASIN_ENCODERS");
    bool        other = false;
    basin_status s = BASIN_OK;
    *out = NULL;
    if (!*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..") ||
        strlen(name) > 255)
        return bs_fail(err, BASIN_EDATA, "%s: 'basin.encoder' in its metadata names no encoder",
                       model);
    bs_print(folder, BS_OPTION_TEXT, "%.*s%s", slash ? (int)(slash + 1 - model) : 0, model, name);
    s = try_folder(folder, told, out, &other, err);
    for (const char *at = list ? list : ""; *at && !*out && !s;) {
        const size_t n = strcspn(at, ":");
        bs_print(folder, BS_OPTION_TEXT, "%.*s/%s", (int)n, at, name);
        if (n)
            s = try_folder(folder, told, out, &other, err);
        at += n + (at[n] == ':');
    }
    if (s || *out)
        return s;
    return bs_fail(err, BASIN_EDATA,
                   "%s: its encoder is not inside, and %s '%.80s' beside it or in $BASIN_ENCODERS "
                   "(%s)",
                   model, other ? "other numbers are in the folder" : "there is no folder", name,
                   list ? list : "not set");
}
