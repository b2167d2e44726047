/* runset.c -- folders of runs, and numbers over the runs of a method. */
#include "runs/runset.h"

#include <dirent.h>
#include <math.h>
#include <string.h>

#include "base/io.h"
#include "data/stats.h"

/* Whether there is something besides the lock. */
static bool has_content(const char *path)
{
    DIR *folder = opendir(path);
    bool found = false;
    for (struct dirent *e = folder ? readdir(folder) : NULL; e && !found; e = readdir(folder))
        found = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
                strcmp(e->d_name, BS_LOCK_NAME) != 0;
    if (folder)
        closedir(folder);
    return found;
}

basin_status bs_runset_open(const char *folder, const char *what, const char *of, bool resume,
                            int depth, bs_lock **lock, basin_error *err)
{
    enum { ROOM = 128 }; /* for /METHOD/seed-N/last/state.safetensors */
    if (!folder || !*folder)
        return bs_fail(err, BASIN_EARG, "-o: a %s needs a folder for its %s", what, of);
    if (strlen(folder) >= BS_OPTION_TEXT - ROOM)
        return bs_fail(err, BASIN_EARG, "-o: the name of the folder is too long");
    basin_status s = bs_lock_take(folder, lock, err);
    if (s)
        return s;
    if (!resume && has_content(folder))
        return bs_fail(err, BASIN_EARG,
                       "-o: %s is not empty; --resume continues the %s in it, another -o starts a "
                       "new one",
                       folder, what);
    bs_sweep(folder, depth);
    return BASIN_OK;
}

basin_status bs_runset_write(const char *folder, const char *name, const bs_buf *text,
                             basin_error *err)
{
    char path[BS_OPTION_TEXT + 64];
    if (text->failed)
        return bs_fail_nomem(err);
    bs_print(path, sizeof path, "%s/%s", folder, name);
    return bs_write_file(path, text->data ? text->data : "", text->len, err);
}

basin_status bs_runset_write_line(const char *folder, const char *name, const bs_buf *text,
                                  basin_error *err)
{
    bs_buf line;
    bs_buf_init(&line, text->ceiling);
    bs_buf_add(&line, text->data, text->len);
    bs_buf_text(&line, "\n");
    line.failed = line.failed || text->failed;
    basin_status s = bs_runset_write(folder, name, &line, err);
    bs_buf_free(&line);
    return s;
}

void bs_runset_spread(const double *value, int n, double *mean, double *sd)
{
    *mean = bs_stats_mean(value, n);
    *sd = n > 1 ? bs_stats_sd(value, n) : (double)NAN;
}

void bs_runset_best(const double *mean, int n, bool higher, int *best, int *next)
{
    const double sign = higher ? 1 : -1;
    *best = *next = -1;
    for (int i = 0; i < n; i++) {
        if (isnan(mean[i]))
            continue;
        if (*best < 0 || sign * mean[i] > sign * mean[*best]) {
            *next = *best;
            *best = i;
        } else if (*next < 0 || sign * mean[i] > sign * mean[*next]) {
            *next = i;
        }
    }
}
