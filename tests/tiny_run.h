/* tiny_run.h -- trainings of a few rows that take a millisecond, in a memory-backed folder if there
 * is one; and their files, modified as an attacker might: other content with a valid checksum. */
#ifndef TEST_TINY_RUN_H
#define TEST_TINY_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "base/io.h"

#define TINY_MUST(condition)                                                        \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            __builtin_trap();                                                       \
        }                                                                           \
    } while (0)

static const char *const tiny_methods[] = {"ce", "seal-nce", "seal-static-nce", "implicit-cd"};
enum { TINY_METHODS = 4, TINY_PATH = 256 };

typedef struct {
    char        folder[64]; /* everything is in there */
    char        run[80];
    bs_settings settings[TINY_METHODS];
    bs_data     data;
    int         batches; /* of a training, then it is stopped */
    int         stop;
} tiny;

static inline void tiny_write(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    TINY_MUST(f && fwrite(bytes, 1, n, f) == n);
    TINY_MUST(fclose(f) == 0);
}

static inline void tiny_remove(const char *path)
{
    char command[TINY_PATH + 16];
    snprintf(command, sizeof command, "rm -rf %s", path);
    TINY_MUST(system(command) == 0);
}

/* key=value words */
static inline void tiny_set(bs_settings *s, const char *words)
{
    TINY_MUST(bs_settings_words(s, words, "tiny", NULL) == BASIN_OK);
}

static inline void tiny_prepare(tiny *t)
{
    static const char        text[] = "a,b,x,y\n0,1,1,0\n1,0,0,1\n1,1,1,1\n0,0,0,0\n0.5,1,1,0\n"
                                      "1,0.5,0,1\n0.7,0.9,1,1\n0.1,0.2,0,0\n0.3,1,1,0\n1,0.1,0,1\n";
    static const char *const parts[] = {"train", "valid"};
    char                     path[2][TINY_PATH];
    bs_logger                silent = {.level = BS_QUIET};
    basin_config            *c;
    bs_sources               files = {0};
    TINY_MUST(basin_config_new(&c, NULL) == BASIN_OK);
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s.csv", t->folder, parts[i]);
        tiny_write(path[i], text, sizeof text - 1);
        TINY_MUST(basin_config_file(c, parts[i], path[i], NULL) == BASIN_OK);
        files.file[i][0] = path[i];
        files.n[i] = 1;
    }
    TINY_MUST(basin_config_set(c, "data.labels", "last:2", NULL) == BASIN_OK);
    for (int i = 0; i < TINY_METHODS; i++) {
        TINY_MUST(bs_config_resolve(c, tiny_methods[i], &t->settings[i], NULL) == BASIN_OK);
        tiny_set(&t->settings[i],
                 "threads=1 batch=4 epochs=4 pretrain.epochs=2 energy.epochs=2 net.width=2 "
                 "net.layers=1 energy.hidden=2 samples=2 gbi.steps=2 implicit.terms=1 "
                 "early_stop.patience=3 checkpoint.seconds=1e9 report=no");
    }
    TINY_MUST(bs_prepare(&t->settings[0], &files, &silent, &t->data, NULL) == BASIN_OK);
    basin_config_free(c);
}

static inline tiny *tiny_new(void)
{
    tiny *t = calloc(1, sizeof *t);
    TINY_MUST(t);
    const char *in_memory = "/dev/shm";
    snprintf(t->folder, sizeof t->folder, "%s/basin-tiny-XXXXXX",
             access(in_memory, W_OK) == 0 ? in_memory : "/tmp");
    TINY_MUST(mkdtemp(t->folder));
    snprintf(t->run, sizeof t->run, "%.64s/run", t->folder);
    tiny_prepare(t);
    return t;
}

static inline void tiny_free(tiny *t)
{
    tiny_remove(t->folder);
    bs_data_free(&t->data);
    free(t);
}

static inline void tiny_moved(void *ctx, const bs_progress_event *n)
{
    tiny *t = ctx;
    (void)n;
    t->stop = --t->batches <= 0;
}

static inline bool tiny_evaluated(void *ctx, const bs_progress_event *n)
{
    (void)ctx;
    (void)n;
    return false;
}

/* To its end, or for this many batches: then BASIN_EINTERRUPTED. */
static inline basin_status tiny_train(tiny *t, const bs_settings *s, int batches, bool resume,
                                      bs_logger *log, basin_error *err)
{
    bs_logger        silent = {.level = BS_QUIET};
    bs_observer      watch = {.ctx = t, .evaluated = tiny_evaluated, .moved = tiny_moved};
    bs_train_outcome out;
    bs_train_job     job = {.settings = s,
                            .train = &t->data.part[0],
                            .valid = &t->data.part[1],
                            .known = &t->data.known,
                            .folder = t->run,
                            .resume = resume,
                            .log = log ? log : &silent,
                            .stop = &t->stop,
                            .watch = &watch};
    t->batches = batches;
    t->stop = 0;
    const basin_status status = bs_train(&job, &out, err);
    bs_threshold_free(&out.threshold);
    return status;
}

/* ---- files that were changed ---- */

enum { TINY_TENSORS = 32, TINY_METAS = 8 };

typedef struct {
    bs_tensor tensor[TINY_TENSORS];
    bs_meta   meta[TINY_METAS];
    void     *data[TINY_TENSORS];
    char     *text[TINY_METAS];
    int       n, n_meta;
} tiny_file;

/* A copy that can be modified. */
static inline void tiny_open(const char *path, tiny_file *out)
{
    bs_safetensors *f;
    TINY_MUST(bs_safetensors_open(path, &f, NULL) == BASIN_OK);
    memset(out, 0, sizeof *out);
    out->n = bs_safetensors_count(f);
    TINY_MUST(out->n <= TINY_TENSORS && bs_safetensors_meta_count(f) <= TINY_METAS);
    for (int i = 0; i < out->n; i++) {
        out->tensor[i] = *bs_safetensors_at(f, i);
        out->data[i] = malloc(out->tensor[i].bytes + 1);
        memcpy(out->data[i], out->tensor[i].data, out->tensor[i].bytes);
        out->tensor[i].data = out->data[i];
        out->tensor[i].name = strdup(out->tensor[i].name);
    }
    for (int i = 0; i < bs_safetensors_meta_count(f); i++) {
        const bs_meta *m = bs_safetensors_meta_at(f, i);
        if (strcmp(m->key, BS_CHECKSUM_KEY) == 0)
            continue;
        out->text[out->n_meta] = strdup(m->value);
        out->meta[out->n_meta] = (bs_meta){strdup(m->key), out->text[out->n_meta]};
        out->n_meta++;
    }
    bs_safetensors_close(f);
}

static inline void tiny_close(tiny_file *f)
{
    for (int i = 0; i < f->n; i++) {
        free(f->data[i]);
        free((void *)(uintptr_t)f->tensor[i].name);
    }
    for (int i = 0; i < f->n_meta; i++) {
        free(f->text[i]);
        free((void *)(uintptr_t)f->meta[i].key);
    }
}

static inline int tiny_find(const tiny_file *f, const char *name)
{
    int i = 0;
    while (i < f->n && strcmp(f->tensor[i].name, name) != 0)
        i++;
    TINY_MUST(i < f->n);
    return i;
}

/* With a matching checksum. */
static inline void tiny_seal(const tiny_file *f, bs_buf *out)
{
    bs_buf_init(out, 1 << 24);
    TINY_MUST(bs_safetensors_format(f->tensor, f->n, f->meta, f->n_meta, out, NULL) == BASIN_OK);
}

#endif
