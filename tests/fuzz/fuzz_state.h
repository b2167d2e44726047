/* fuzz_state.h -- the bodies of the fuzz targets of states and of pre-trained nets: a file of a run
 * with changes, its checksum right, is gone on with or refused. An input is no file, since what a
 * file is of (settings, data, arithmetic) must be this run of this machine to get anywhere: it is a
 * list of changes to one that was made here. 255 in front: the rest is the file. */
#ifndef FUZZ_STATE_H
#define FUZZ_STATE_H

#include <stdint.h>

#include "base/mem.h"
#include "tiny_run.h"

/* kind, where, and a number or text. */
enum { STATE_CHANGE = 10, STATE_RAW = 255, STATE_BATCHES = 2 };

static inline void state_change_number(tiny_file *f, uint8_t where, const uint8_t *value, bool add)
{
    const int at = tiny_find(f, "numbers"), n = (int)(f->tensor[at].bytes / sizeof(double));
    double   *row = f->data[at];
    if (n == 0)
        return;
    if (add)
        row[where % n] += (int8_t)value[0];
    else
        memcpy(&row[where % n], value, sizeof *row);
}

static inline void state_change_element(tiny_file *f, uint8_t where, const uint8_t *value)
{
    const int    at = where % f->n;
    const size_t n = f->tensor[at].bytes / sizeof(float);
    if (n > 0)
        memcpy((float *)f->data[at] + (value[4] + 256U * value[5]) % n, value, sizeof(float));
}

/* Of another type, shorter, or of another name; `numbers` stays what it is called. */
static inline void state_change_tensor(tiny_file *f, uint8_t where, const uint8_t *value)
{
    bs_tensor *t = &f->tensor[where % f->n];
    if (value[0] % 3 == 0 && t->dtype == BS_DTYPE_F32) {
        t->dtype = BS_DTYPE_I32;
    } else if (value[0] % 3 == 1 && t->n_dims == 1 && t->dim[0] > 0) {
        t->dim[0]--;
        t->bytes -= bs_dtype_size(t->dtype);
    } else if (strcmp(t->name, "numbers") != 0) {
        char *name = (char *)(uintptr_t)t->name;
        name[0] = (char)('A' + where % f->n); /* a name of its own */
    }
}

/* Texts are ASCII here. */
static inline void state_change_text(tiny_file *f, uint8_t where, const uint8_t *value)
{
    char        *text = f->text[where % f->n_meta];
    const size_t n = strlen(text), at = n ? (value[1] + 256U * value[2]) % n : 0;
    if (n > 0 && value[0] % 2)
        text[at] = '\0';
    else if (n > 0)
        text[at] = (char)(value[3] % 95 + 32);
}

static inline void state_change(tiny_file *f, const uint8_t *change)
{
    const uint8_t where = change[1], *value = change + 2;
    switch (change[0] % 8) {
    case 0:
    case 1:
    case 2: state_change_number(f, where, value, false); break;
    case 3:
    case 4: state_change_number(f, where, value, true); break;
    case 5: state_change_element(f, where, value); break;
    case 6: state_change_tensor(f, where, value); break;
    default: state_change_text(f, where, value);
    }
}

/* What the input makes of a file. */
static inline void state_make(const char *from, const uint8_t *data, size_t size, bs_buf *out)
{
    tiny_file f;
    tiny_open(from, &f);
    for (; size >= STATE_CHANGE; data += STATE_CHANGE, size -= STATE_CHANGE)
        state_change(&f, data);
    tiny_seal(&f, out);
    tiny_close(&f);
}

static inline void state_write(const char *from, const char *path, const uint8_t *data, size_t size,
                               bs_buf *bytes)
{
    if (data[0] == STATE_RAW) {
        bs_buf_init(bytes, 1 << 24);
        bs_buf_add(bytes, data + 1, size - 1);
    } else
        state_make(from, data + 1, size - 1, bytes);
    tiny_write(path, bytes->data ? bytes->data : "", bytes->len);
}

/* As they are on the disk: bs_read_file would unpack bytes that begin like a compressed file. */
static inline bool state_is(const char *path, const bs_buf *bytes)
{
    bool  same = true;
    FILE *f = fopen(path, "rb");
    TINY_MUST(f);
    for (size_t i = 0; i < bytes->len && same; i++)
        same = fgetc(f) == (unsigned char)bytes->data[i];
    same = same && fgetc(f) == EOF;
    fclose(f);
    return same;
}

/* ---- the state of a run ---- */

static tiny *state_run;

static inline void state_end(void)
{
    if (state_run)
        tiny_free(state_run);
    state_run = NULL;
}

/* Of each method the state of a run that was stopped in its second phase, or epoch. */
static inline void state_begin(void)
{
    char from[TINY_PATH], to[TINY_PATH];
    state_run = tiny_new();
    atexit(state_end);
    snprintf(from, sizeof from, "%s/last/state.safetensors", state_run->run);
    for (int i = 0; i < TINY_METHODS; i++) {
        basin_status s = tiny_train(state_run, &state_run->settings[i], 7, false, NULL, NULL);
        TINY_MUST(s == BASIN_EINTERRUPTED);
        snprintf(to, sizeof to, "%s/state-%d", state_run->folder, i);
        TINY_MUST(rename(from, to) == 0);
    }
}

/* The first byte chooses the method. Returns whether the run went on. */
static inline bool state_resume(const uint8_t *data, size_t size)
{
    if (!state_run)
        state_begin();
    if (size == 0)
        return false;
    char        from[TINY_PATH], path[TINY_PATH], config[TINY_PATH];
    const int   method = data[0] % TINY_METHODS;
    basin_error err = {0};
    bs_buf      bytes;
    const long  live = bs_mem_live();
    snprintf(from, sizeof from, "%s/state-%d", state_run->folder, method);
    snprintf(path, sizeof path, "%s/last/state.safetensors", state_run->run);
    snprintf(config, sizeof config, "%s/config", state_run->run);
    state_write(from, path, data, size, &bytes);
    unlink(config);
    const basin_status s =
        tiny_train(state_run, &state_run->settings[method], STATE_BATCHES, true, NULL, &err);
    const bool on = s == BASIN_OK || s == BASIN_EINTERRUPTED || s == BASIN_ENUMERIC;
    if (!on) { /* in one line, and nothing has changed */
        TINY_MUST(s == BASIN_EDATA || s == BASIN_EARG || s == BASIN_EUNSUPPORTED);
        TINY_MUST(err.msg[0] && !strchr(err.msg, '\n') && strstr(err.msg, path) == err.msg);
        TINY_MUST(access(config, F_OK) != 0 && state_is(path, &bytes));
    }
    bs_buf_free(&bytes);
    TINY_MUST(bs_mem_live() == live);
    return on;
}

static inline void fuzz_checkpoint(const uint8_t *data, size_t size)
{
    state_resume(data, size);
}

/* ---- a net that was pre-trained ---- */

static bs_settings state_shared;
static char        state_net[TINY_PATH], state_kept[TINY_PATH];

static inline void state_share(void)
{
    char  set[TINY_PATH + 32], command[3 * TINY_PATH];
    FILE *found;
    state_run = tiny_new();
    atexit(state_end);
    state_shared = state_run->settings[1];
    snprintf(set, sizeof set, "pretrain.cache=%s/nets", state_run->folder);
    tiny_set(&state_shared, set);
    basin_status s = tiny_train(state_run, &state_shared, 8, false, NULL, NULL);
    TINY_MUST(s == BASIN_EINTERRUPTED);
    snprintf(command, sizeof command, "ls %s/nets/*", state_run->folder);
    TINY_MUST((found = popen(command, "r")) && fgets(state_net, sizeof state_net, found));
    pclose(found);
    state_net[strcspn(state_net, "\n")] = '\0';
    snprintf(state_kept, sizeof state_kept, "%.64s/net", state_run->folder);
    TINY_MUST(rename(state_net, state_kept) == 0);
}

/* Whatever the file is, the run goes on: with it, or as if there were none. Returns whether it was
 * taken. */
static inline bool state_take(const uint8_t *data, size_t size)
{
    if (!state_run)
        state_share();
    if (size == 0)
        return false;
    bs_buf      bytes;
    basin_error err = {0};
    const long  live = bs_mem_live();
    state_write(state_kept, state_net, data, size, &bytes);
    /* enough batches for pre-training (six) and a few of what comes after */
    const basin_status s = tiny_train(state_run, &state_shared, 8, false, NULL, &err);
    TINY_MUST(s == BASIN_OK || s == BASIN_EINTERRUPTED || s == BASIN_ENUMERIC);
    const bool taken = access(state_net, F_OK) == 0 && state_is(state_net, &bytes);
    TINY_MUST(s != BASIN_ENUMERIC || taken);
    bs_buf_free(&bytes);
    TINY_MUST(bs_mem_live() == live);
    return taken;
}

static inline void fuzz_pretrained(const uint8_t *data, size_t size)
{
    state_take(data, size);
}

#endif
