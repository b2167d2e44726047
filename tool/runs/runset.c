/* runset.c -- folders of runs, and numbers over the runs of a method. */
#include "runs/runset.h"

#include <dirent.h>
#include <limits.h>
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

basin_status bs_runset_open(const char *folder, const char *what, const char *of, bs_runset_how how,
                            int depth, bs_lock **lock, basin_error *err)
{
    enum { ROOM = NAME_MAX + 64 }; /* for /METHOD/seed-N/last/state.safetensors */
    if (!folder || !*folder)
        return bs_fail(err, BASIN_EARG, "-o: a %s needs a folder for its %s", what, of);
    if (strlen(folder) >= BS_OPTION_TEXT - ROOM)
        return bs_fail(err, BASIN_EARG, "-o: the name of the folder is too long");
    if (how == BS_RUNSET_SHARED)
        return bs_lock_share(folder, lock, err);
    basin_status s = bs_lock_take(folder, lock, err);
    if (s)
        return s;
    if (how == BS_RUNSET_NEW && has_content(folder))
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

/* ---- models on the same rows ---- */

static const double level = 0.95;
/* for the scores that map_label keeps, over all runs together */
static const size_t score_bytes = (size_t)256 << 20;

basin_status bs_runset_count(const bs_dataset *rows, const bs_preprocess *known,
                             const bs_outputs *y, const bs_threshold *own, bs_profile_id profile,
                             int cuts, int runs, bs_measurement *counts, basin_error *err)
{
    const bs_task      *k = rows->task;
    bs_threshold        half = bs_threshold_fixed(0.5f);
    const bs_threshold *threshold[BS_CUTS] = {&half, own};
    uint32_t            decided = 0;
    basin_status        s = BASIN_OK;
    for (int i = 0; i < k->n_metrics; i++)
        decided |= k->metric[i].decided ? UINT32_C(1) << i : 0;
    for (int cut = 0; cut < cuts && !s; cut++) {
        bs_counting how = {.profile = profile,
                           .want = cut == BS_AT_HALF ? 0 : decided,
                           .keep_rows = true,
                           .ap_bytes = score_bytes / (size_t)runs};
        s = k->count(rows, known, y, threshold[cut], &how, &counts[cut], err);
    }
    return s;
}

basin_status bs_runset_test(const bs_sampled_set *a, const bs_sampled_set *b, uint64_t seed,
                            int replicates, bs_comparison_result *out, basin_error *err)
{
    const int      n = a->n < b->n ? a->n : b->n;
    bs_sampled_set set[2] = {{a->part, n}, {b->part, n}};
    bs_sampled     mean[2];
    bs_paired      all[BS_VALUES_MAX];
    basin_status   s = bs_sampled_mean(&set[0], &mean[0], err);
    if (!s)
        s = bs_sampled_mean(&set[1], &mean[1], err);
    if (!s)
        s = bs_paired_seeds(a, b, seed, replicates, level, all, err);
    if (!s) {
        memcpy(out->bootstrap, all, sizeof out->bootstrap);
        s = bs_randomisation(&mean[0], &mean[1], seed, replicates, all, err);
    }
    if (!s)
        memcpy(out->randomisation, all, sizeof out->randomisation);
    return s;
}

basin_status bs_runset_winner(const bs_contender *c, int n, const bs_dataset *rows, int metric,
                              const char *part, uint64_t seed, int replicates, bs_best_of *out,
                              basin_error *err)
{
    const bs_metric *m = &rows->task->metric[metric];
    double           mean[BS_CONTENDERS];
    int              best, next, others = -1;
    bs_paired        all[BS_VALUES_MAX];
    *out = (bs_best_of){.best = NULL};
    for (int i = 0; i < n; i++) {
        mean[i] = c[i].mean;
        others += !isnan(mean[i]);
    }
    bs_runset_best(mean, n, m->higher, &best, &next);
    if (best < 0)
        return BASIN_OK;
    *out = (bs_best_of){.best = c[best].name,
                        .metric = m,
                        .part = part,
                        .unit = rows->task->unit,
                        .rows = rows->rows,
                        .others = others,
                        .seeds = c[best].set->n,
                        .value = mean[best]};
    if (next < 0)
        return BASIN_OK;
    basin_status s = bs_paired_seeds(c[next].set, c[best].set, seed, replicates, level, all, err);
    if (s)
        return s;
    out->next = c[next].name;
    out->seeds = out->seeds < c[next].set->n ? out->seeds : c[next].set->n;
    out->test = all[metric];
    return BASIN_OK;
}
