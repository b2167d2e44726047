/* header_read.c -- the header of a file of unknown origin.
 *
 * jansson parses it. What it says is checked against the size of the data, which need not be in
 * memory yet; offsets are only compared here, never followed. */
#include <stdlib.h>
#include <string.h>

#include "file/checksum.h"
#include "file/header.h"

/* More commas than a header of the most tensors and keys can have. */
enum { MOST_VALUES = BS_TENSORS_MAX * (BS_TENSOR_DIMS + 4) + BS_METAS_MAX };

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

static basin_status read_metas(bs_safetensors *f, json_t *object, basin_error *err)
{
    char        buf[BS_SHOWN];
    const char *key;
    json_t     *value;
    if (!json_is_object(object))
        return bs_fail(err, BASIN_EDATA, "%s: '%s' is not an object", f->path, BS_META_NAME);
    if (json_object_size(object) > BS_METAS_MAX)
        return bs_fail(err, BASIN_EDATA, "%s: more than %d metadata keys", f->path, BS_METAS_MAX);
    f->metas = bs_calloc(json_object_size(object), sizeof *f->metas);
    f->by_key = bs_calloc(json_object_size(object), sizeof *f->by_key);
    if (!f->metas || !f->by_key)
        return bs_fail_nomem(err);
    json_object_foreach(object, key, value)
    {
        if (!json_is_string(value))
            return bs_fail(err, BASIN_EDATA, "%s: metadata '%s' is not a text", f->path,
                           bs_shown(key, buf));
        f->by_key[f->n_meta] = &f->metas[f->n_meta];
        f->metas[f->n_meta++] = (bs_meta){key, json_string_value(value)};
    }
    if (f->n_meta)
        qsort(f->by_key, (size_t)f->n_meta, sizeof *f->by_key, bs_meta_by_key);
    return BASIN_OK;
}

/* --- one tensor -------------------------------------------------------------- */

/* A list of at most `most` whole numbers. */
static basin_status read_list(const bs_safetensors *f, const bs_tensor *t, const json_t *list,
                              const char *what, int most, int64_t *out, int *n, basin_error *err)
{
    const size_t size = json_array_size(list);
    if (size > (size_t)most)
        return FAIL_TENSOR(f, t, err, most == 2 ? BASIN_EDATA : BASIN_EUNSUPPORTED,
                           "%s has more than %d values", what, most);
    bool fits = json_is_array(list);
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(list, i);
        out[i] = json_integer_value(value);
        fits = fits && json_is_integer(value) && out[i] >= 0;
    }
    *n = (int)size;
    return fits ? BASIN_OK
                : FAIL_TENSOR(f, t, err, BASIN_EDATA, "%s is not a list of whole numbers from 0 on",
                              what);
}

static basin_status read_dtype(const bs_safetensors *f, bs_tensor *t, const char *text,
                               basin_error *err)
{
    char        buf[BS_SHOWN];
    const char *name;
    if (!text)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "dtype is not a text");
    for (int d = 0; (name = bs_dtype_name((bs_dtype)d)) != NULL; d++)
        if (strcmp(text, name) == 0) {
            t->dtype = (bs_dtype)d;
            return BASIN_OK;
        }
    return FAIL_TENSOR(f, t, err, BASIN_EUNSUPPORTED,
                       "data type '%s' is not one of safetensors, such as F32",
                       bs_shown(text, buf));
}

static basin_status check_place(const bs_safetensors *f, bs_placed *e, const int64_t at[2],
                                size_t data_size, basin_error *err)
{
    bs_tensor *t = &e->t;
    long long  begin = at[0], end = at[1];
    size_t     want;
    if (begin > end)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "begins at %lld, after its end at %lld", begin,
                           end);
    if ((uint64_t)end > data_size)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "ends at %lld, but there are %zu bytes of data",
                           end, data_size);
    if (!bs_tensor_size(t->dtype, t->dim, t->n_dims, &want))
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "the size of its shape overflows");
    e->begin = (size_t)begin;
    t->bytes = (size_t)(end - begin);
    if (t->bytes != want)
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "has %zu bytes, its shape asks for %zu",
                           t->bytes, want);
    return BASIN_OK;
}

static basin_status read_tensor(bs_safetensors *f, bs_placed *e, json_t *object, size_t data_size,
                                basin_error *err)
{
    static const char *const names[] = {"dtype", "shape", "data_offsets"};
    bs_tensor               *t = &e->t;
    const json_t            *member[3];
    json_t                  *value;
    const char              *key;
    char                     buf[BS_SHOWN];
    int64_t                  at[2];
    int                      n;
    if (!json_is_object(object))
        return FAIL_TENSOR(f, t, err, BASIN_EDATA, "is not an object");
    for (int i = 0; i < 3; i++)
        if (!(member[i] = json_object_get(object, names[i])))
            return FAIL_TENSOR(f, t, err, BASIN_EDATA, "has no %s", names[i]);
    json_object_foreach(object, key,
                        value) if (value != member[0] && value != member[1] &&
                                   value != member[2]) return FAIL_TENSOR(f, t, err, BASIN_EDATA,
                                                                          "unknown member '%s'",
                                                                          bs_shown(key, buf));

    basin_status s = read_dtype(f, t, json_string_value(member[0]), err);
    if (!s)
        s = read_list(f, t, member[1], "its shape", BS_TENSOR_DIMS, t->dim, &t->n_dims, err);
    if (!s)
        s = read_list(f, t, member[2], "data_offsets", 2, at, &n, err);
    if (!s && n != 2)
        s = FAIL_TENSOR(f, t, err, BASIN_EDATA, "data_offsets has %d values, not 2", n);
    return s ? s : check_place(f, e, at, data_size, err);
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

static basin_status read_members(bs_safetensors *f, size_t data_size, basin_error *err)
{
    const size_t most = json_object_size(f->tree);
    const char  *name;
    json_t      *value;
    if (most > BS_TENSORS_MAX + (json_object_get(f->tree, BS_META_NAME) != NULL))
        return bs_fail(err, BASIN_EDATA, "%s: more than %d tensors", f->path, BS_TENSORS_MAX);
    f->entries = bs_calloc(most, sizeof *f->entries);
    f->by_name = bs_calloc(most, sizeof *f->by_name);
    if (!f->entries || !f->by_name)
        return bs_fail_nomem(err);
    json_object_foreach(f->tree, name, value)
    {
        bs_placed   *e = &f->entries[f->n];
        basin_status s = BASIN_OK;
        if (strcmp(name, BS_META_NAME) == 0) {
            s = read_metas(f, value, err);
        } else {
            *e = (bs_placed){.t.name = name, .place = f->n++};
            s = read_tensor(f, e, value, data_size, err);
        }
        if (s)
            return s;
    }
    return BASIN_OK;
}

static basin_status parse(bs_safetensors *f, const char *text, size_t n, basin_error *err)
{
    json_error_t why;
    if (n == 0 || text[0] != '{')
        return bs_fail(err, BASIN_EDATA,
                       "%s: not a safetensors file: the header does not start with '{'", f->path);
    if (bs_tree_larger(text, n, MOST_VALUES))
        return bs_fail(err, BASIN_EDATA, "%s: more than %d values in the header", f->path,
                       (int)MOST_VALUES);
    f->tree = bs_tree_read(text, n, JSON_REJECT_DUPLICATES, &why);
    if (!f->tree && json_error_code(&why) == json_error_out_of_memory)
        return bs_fail_nomem(err);
    if (!f->tree)
        return bs_fail(err, BASIN_EDATA, "%s: header, byte %d: %s", f->path,
                       why.position + BS_HEADER_LEN, why.text);
    return BASIN_OK;
}

basin_status bs_header_read(bs_safetensors *f, const char *text, size_t n, size_t data_size,
                            basin_error *err)
{
    basin_status s = parse(f, text, n, err);
    if (!s)
        s = read_members(f, data_size, err);
    if (s)
        return s;
    if (f->n)
        qsort(f->entries, (size_t)f->n, sizeof *f->entries, by_offset);
    for (int i = 0; i < f->n; i++)
        f->by_name[i] = &f->entries[i].t;
    if (f->n)
        qsort(f->by_name, (size_t)f->n, sizeof *f->by_name, bs_tensor_by_name);
    return check_cover(f, data_size, err);
}
