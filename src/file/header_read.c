/* header_read.c -- the header of a file of unknown origin.
 *
 * Everything is checked against the size of the data, which need not be in memory yet; offsets are
 * only compared here, never followed. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/checksum.h"
#include "file/header.h"
#include "file/json.h"

/* "PATH: tensor 'NAME': " and the reason. */
#define FAIL_TENSOR(f, t, err, status, ...) \
    fail_tensor(bs_fail(err, status, __VA_ARGS__), f, t, err)

static basin_status fail_tensor(basin_status s, const bs_safetensors *f, const bs_tensor *t,
                                basin_error *err)
{
    char buf[BS_SHOWN];
    return err ? bs_fail(err, s, "%s: tensor '%s': %s", f->path, bs_shown(t->name, buf), err->msg)
               : s;
}

/* --- metadata ---------------------------------------------------------------- */

static basin_status add_meta(bs_safetensors *f, const char *key, const char *value,
                             basin_error *err)
{
    void *metas = f->metas;
    if (f->n_meta == BS_METAS_MAX)
        return bs_fail(err, BASIN_EDATA, "%s: more than %d metadata keys", f->path, BS_METAS_MAX);
    if (!bs_grow(&metas, &f->room_meta, (size_t)f->n_meta + 1, sizeof *f->metas, BS_METAS_MAX))
        return bs_fail_nomem(err);
    f->metas = metas;
    f->metas[f->n_meta++] = (bs_meta){key, value};
    return BASIN_OK;
}

static basin_status read_metas(bs_safetensors *f, bs_json *j, basin_error *err)
{
    char *key, *value;
    if (!bs_json_expect(j, '{', "'{' (metadata is an object)"))
        return j->status;
    if (bs_json_take(j, '}'))
        return BASIN_OK;
    do {
        if (!bs_json_string(j, "a metadata key", &key) || !bs_json_expect(j, ':', "':'") ||
            !bs_json_string(j, "a string (metadata is text)", &value))
            return j->status;
        basin_status s = add_meta(f, key, value, err);
        if (s)
            return s;
    } while (bs_json_more(j, '}'));
    return j->status;
}

/* --- one tensor -------------------------------------------------------------- */

/* The members as found; what they mean together is decided at the end. */
typedef struct {
    const char *dtype;
    int64_t     at[2];
    bool        shape, offsets;
} members;

/* At most `most` whole numbers in brackets. */
static basin_status read_list(const bs_safetensors *f, bs_json *j, const bs_tensor *t,
                              const char *what, int64_t *out, int most, int *n, basin_error *err)
{
    if (!bs_json_expect(j, '[', "'['"))
        return j->status;
    *n = 0;
    if (bs_json_take(j, ']'))
        return BASIN_OK;
    do {
        if (*n == most)
            return FAIL_TENSOR(f, t, err, most == 2 ? BASIN_EDATA : BASIN_EUNSUPPORTED,
                               "%s has more than %d values", what, most);
        if (!bs_json_count(j, "a whole number from 0 on", &out[(*n)++]))
            return j->status;
    } while (bs_json_more(j, ']'));
    return j->status;
}

static basin_status read_member(const bs_safetensors *f, bs_json *j, bs_tensor *t, members *m,
                                basin_error *err)
{
    char        *key, *text, buf[BS_SHOWN];
    int          n = 0;
    basin_status s;
    if (!bs_json_string(j, "\"dtype\", \"shape\" or \"data_offsets\"", &key) ||
        !bs_json_expect(j, ':', "':'"))
        return j->status;

    bool dtype = strcmp(key, "dtype") == 0, shape = strcmp(key, "shape") == 0,
         offsets = strcmp(key, "data_offsets") == 0;
    if (!dtype && !shape && !offsets)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "unknown member '%s'", bs_shown(key, buf));
    if ((dtype && m->dtype) || (shape && m->shape) || (offsets && m->offsets))
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "'%s' occurs twice", key);

    if (dtype) {
        if (!bs_json_string(j, "a string", &text))
            return j->status;
        m->dtype = text;
        return BASIN_OK;
    }
    if (shape) {
        m->shape = true;
        return read_list(f, j, t, "its shape", t->dim, BS_TENSOR_DIMS, &t->n_dims, err);
    }
    m->offsets = true;
    s = read_list(f, j, t, "data_offsets", m->at, 2, &n, err);
    if (!s && n != 2)
        s = FAIL_TENSOR(f, t, err, BASIN_EDATA, "data_offsets has %d values, not 2", n);
    return s;
}

static basin_status find_dtype(const bs_safetensors *f, bs_tensor *t, const char *text,
                               basin_error *err)
{
    char        buf[BS_SHOWN];
    const char *name;
    for (int d = 0; (name = bs_dtype_name((bs_dtype)d)) != NULL; d++)
        if (strcmp(text, name) == 0) {
            t->dtype = (bs_dtype)d;
            return BASIN_OK;
        }
    return FAIL_TENSOR(f, t, err, BASIN_EUNSUPPORTED,
                       "data type '%s' is not supported, only F32, F64, I32, I64, U8, F16, BF16",
                       bs_shown(text, buf));
}

static basin_status check_tensor(const bs_safetensors *f, bs_placed *e, const members *m,
                                 size_t data_size, basin_error *err)
{
    bs_tensor *t = &e->t;
    if (!m->dtype || !m->shape || !m->offsets)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "has no %s",
                           !m->dtype   ? "dtype"
                           : !m->shape ? "shape"
                                       : "data_offsets");
    basin_status s = find_dtype(f, t, m->dtype, err);
    if (s)
        return s;

    long long begin = m->at[0], end = m->at[1];
    if (begin > end)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "begins at %lld, after its end at %lld", begin,
                           end);
    if ((uint64_t)end > data_size)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "ends at %lld, but there are %zu bytes of data",
                           end, data_size);
    size_t want;
    if (!bs_tensor_size(t->dtype, t->dim, t->n_dims, &want))
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "the size of its shape overflows");
    e->begin = (size_t)begin;
    t->bytes = (size_t)(end - begin);
    if (t->bytes != want)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "has %zu bytes, its shape asks for %zu",
                           t->bytes, want);
    return BASIN_OK;
}

static basin_status read_tensor(bs_safetensors *f, bs_json *j, const char *name, size_t data_size,
                                basin_error *err)
{
    void *entries = f->entries;
    if (f->n == BS_TENSORS_MAX)
        return bs_fail(err, BASIN_EDATA, "%s: more than %d tensors", f->path, BS_TENSORS_MAX);
    if (!bs_grow(&entries, &f->room, (size_t)f->n + 1, sizeof *f->entries, BS_TENSORS_MAX))
        return bs_fail_nomem(err);
    f->entries = entries;
    bs_placed *e = &f->entries[f->n];
    *e = (bs_placed){.t.name = name, .place = f->n++};

    members      m = {0};
    basin_status s = BASIN_OK;
    if (!bs_json_expect(j, '{', "'{' (a tensor is an object)"))
        return j->status;
    if (!bs_json_take(j, '}'))
        do
            s = read_member(f, j, &e->t, &m, err);
        while (!s && bs_json_more(j, '}'));
    if (!s)
        s = j->status;
    return s ? s : check_tensor(f, e, &m, data_size, err);
}

/* --- all tensors ------------------------------------------------------------- */

/* An empty tensor starts where the next one does and comes before it, several in header order: a
 * file that is rewritten stays the same. */
static int by_offset(const void *a, const void *b)
{
    const bs_placed *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->t.bytes != y->t.bytes)
        return x->t.bytes < y->t.bytes ? -1 : 1;
    return x->place - y->place;
}

/* Every byte of the data must belong to exactly one tensor: a model file has no place for anything
 * else. */
static basin_status check_cover(const bs_safetensors *f, size_t data_size, basin_error *err)
{
    size_t end = 0;
    for (int i = 0; i < f->n; i++) {
        const bs_placed *e = &f->entries[i];
        if (e->begin != end)
            return FAIL_TENSOR(
                f, &e->t, err, BASIN_EDATA, "%s: begins at %zu, the one before ends at %zu",
                e->begin < end ? "overlaps another" : "leaves a hole", e->begin, end);
        end += e->t.bytes;
    }
    if (end != data_size)
        return bs_fail(err, BASIN_EDATA, "%s: bytes of data that belong to no tensor: %zu", f->path,
                       data_size - end);
    return BASIN_OK;
}

/* Sorts by name for lookups and the checksum, and finds duplicates. */
static basin_status sort_names(bs_safetensors *f, basin_error *err)
{
    char buf[BS_SHOWN];
    f->by_name = bs_calloc((size_t)f->n, sizeof *f->by_name);
    f->by_key = bs_calloc((size_t)f->n_meta, sizeof *f->by_key);
    if (!f->by_name || !f->by_key)
        return bs_fail_nomem(err);
    for (int i = 0; i < f->n; i++)
        f->by_name[i] = &f->entries[i].t;
    for (int i = 0; i < f->n_meta; i++)
        f->by_key[i] = &f->metas[i];
    if (f->n)
        qsort(f->by_name, (size_t)f->n, sizeof *f->by_name, bs_tensor_by_name);
    if (f->n_meta)
        qsort(f->by_key, (size_t)f->n_meta, sizeof *f->by_key, bs_meta_by_key);
    for (int i = 1; i < f->n; i++)
        if (bs_tensor_by_name(&f->by_name[i - 1], &f->by_name[i]) == 0)
            return bs_fail(err, BASIN_EDATA, "%s: tensor '%s' occurs twice", f->path,
                           bs_shown(f->by_name[i]->name, buf));
    for (int i = 1; i < f->n_meta; i++)
        if (bs_meta_by_key(&f->by_key[i - 1], &f->by_key[i]) == 0)
            return bs_fail(err, BASIN_EDATA, "%s: metadata '%s' occurs twice", f->path,
                           bs_shown(f->by_key[i]->key, buf));
    return BASIN_OK;
}

static basin_status read_members(bs_safetensors *f, bs_json *j, size_t data_size, basin_error *err)
{
    bool         metas = false;
    char        *name;
    basin_status s = BASIN_OK;
    if (bs_json_take(j, '}'))
        return BASIN_OK;
    do {
        if (!bs_json_string(j, "a name", &name) || !bs_json_expect(j, ':', "':'"))
            return j->status;
        if (strcmp(name, BS_META_NAME) != 0)
            s = read_tensor(f, j, name, data_size, err);
        else if (metas)
            s = bs_fail(err, BASIN_EDATA, "%s: '%s' occurs twice", f->path, BS_META_NAME);
        else
            s = read_metas(f, j, err);
        metas = metas || strcmp(name, BS_META_NAME) == 0;
    } while (!s && bs_json_more(j, '}'));
    return s ? s : j->status;
}

basin_status bs_header_read(bs_safetensors *f, size_t n, size_t data_size, basin_error *err)
{
    bs_json j = {.at = f->text,
                 .start = f->text,
                 .end = f->text + n,
                 .where = f->path,
                 .offset = BS_HEADER_LEN,
                 .err = err};
    if (f->text[0] != '{')
        return bs_fail(err, BASIN_EDATA,
                       "%s: not a safetensors file: the header does not start with '{'", f->path);
    j.at++;
    basin_status s = read_members(f, &j, data_size, err);
    if (!s && !bs_json_finish(&j))
        s = j.status;
    if (s)
        return s;

    if (f->n)
        qsort(f->entries, (size_t)f->n, sizeof *f->entries, by_offset);
    s = sort_names(f, err);
    return s ? s : check_cover(f, data_size, err);
}
