/* safetensors_write.c -- checks what is to be stored, makes the header, writes.
 *
 * Whatever can be refused is refused before the first byte is written. */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "file/checksum.h"
#include "file/header.h"

/* A file ready to be written. */
typedef struct {
    bs_arena          arena; /* the lists */
    const bs_tensor **order; /* as in the file */
    const bs_tensor **by_name;
    const bs_meta   **by_key;
    int               n, n_meta;
    bs_buf            head;  /* length and header */
    size_t            bytes; /* of the data */
} layout;

/* --- checks ------------------------------------------------------------------ */

static basin_status check_tensor(const bs_tensor *t, basin_error *err)
{
    char   buf[BS_SHOWN];
    size_t bytes;
    if (!t->name || !bs_is_utf8(t->name, strlen(t->name)))
        return bs_fail(err, BASIN_EARG, "the name of a tensor is not UTF-8");
    const char *name = bs_shown(t->name, buf);
    if (strcmp(t->name, BS_META_NAME) == 0)
        return bs_fail(err, BASIN_EARG, "a tensor must not be called '%s'", name);
    if (!bs_dtype_name(t->dtype))
        return bs_fail(err, BASIN_EARG, "tensor '%s': no such data type: %d", name, (int)t->dtype);
    if (t->n_dims < 0 || t->n_dims > BS_TENSOR_DIMS)
        return bs_fail(err, BASIN_EARG, "tensor '%s': %d dims, from 0 to %d are possible", name,
                       t->n_dims, BS_TENSOR_DIMS);
    for (int i = 0; i < t->n_dims; i++)
        if (t->dim[i] < 0)
            return bs_fail(err, BASIN_EARG, "tensor '%s': a dim is negative: %lld", name,
                           (long long)t->dim[i]);
    if (!bs_tensor_size(t->dtype, t->dim, t->n_dims, &bytes))
        return bs_fail(err, BASIN_EARG, "tensor '%s': the size of its shape overflows", name);
    if (bytes != t->bytes)
        return bs_fail(err, BASIN_EARG, "tensor '%s': has %zu bytes, its shape asks for %zu", name,
                       t->bytes, bytes);
    if (bytes && !t->data)
        return bs_fail(err, BASIN_EARG, "tensor '%s': no data", name);
    return BASIN_OK;
}

static basin_status check_meta(const bs_meta *m, basin_error *err)
{
    char buf[BS_SHOWN];
    if (!m->key || !bs_is_utf8(m->key, strlen(m->key)))
        return bs_fail(err, BASIN_EARG, "a metadata key is not UTF-8");
    if (!m->value || !bs_is_utf8(m->value, strlen(m->value)))
        return bs_fail(err, BASIN_EARG, "metadata '%s': the value is not UTF-8",
                       bs_shown(m->key, buf));
    return BASIN_OK;
}

/* Sorts by name, which also finds duplicates. */
static basin_status sort_names(layout *f, basin_error *err)
{
    char buf[BS_SHOWN];
    if (f->n)
        qsort(f->by_name, (size_t)f->n, sizeof *f->by_name, bs_tensor_by_name);
    for (int i = 1; i < f->n; i++)
        if (bs_tensor_by_name(&f->by_name[i - 1], &f->by_name[i]) == 0)
            return bs_fail(err, BASIN_EARG, "tensor '%s' occurs twice",
                           bs_shown(f->by_name[i]->name, buf));
    if (f->n_meta)
        qsort(f->by_key, (size_t)f->n_meta, sizeof *f->by_key, bs_meta_by_key);
    for (int i = 1; i < f->n_meta; i++)
        if (bs_meta_by_key(&f->by_key[i - 1], &f->by_key[i]) == 0)
            return bs_fail(err, BASIN_EARG, "metadata '%s' occurs twice",
                           bs_shown(f->by_key[i]->key, buf));
    return BASIN_OK;
}

/* Descending element sizes keep every tensor aligned without gaps, which are not allowed; one pass
 * per size keeps the order within it. */
static basin_status sort_sizes(layout *f, const bs_tensor *t, basin_error *err)
{
    int k = 0;
    for (size_t size = 8; size; size /= 2)
        for (int i = 0; i < f->n; i++)
            if (bs_dtype_size(t[i].dtype) == size)
                f->order[k++] = &t[i];
    for (int i = 0; i < f->n; i++)
        if (!bs_add_size(f->bytes, f->order[i]->bytes, &f->bytes))
            return bs_fail(err, BASIN_EARG, "the tensors are too large for one file");
    return BASIN_OK;
}

/* --- the header -------------------------------------------------------------- */

static void add_string(bs_buf *out, const char *text)
{
    bs_json_quote(out, text, strlen(text));
}

static void add_meta(bs_buf *out, const bs_meta *meta, int n, const char *checksum)
{
    bs_buf_printf(out, "{\"%s\":{\"%s\":\"%s\"", BS_META_NAME, BS_CHECKSUM_KEY, checksum);
    for (int i = 0; i < n; i++) {
        if (strcmp(meta[i].key, BS_CHECKSUM_KEY) == 0)
            continue;
        bs_buf_text(out, ",");
        add_string(out, meta[i].key);
        bs_buf_text(out, ":");
        add_string(out, meta[i].value);
    }
    bs_buf_text(out, "}");
}

static void add_tensor(bs_buf *out, const bs_tensor *t, size_t begin)
{
    bs_buf_text(out, ",");
    add_string(out, t->name);
    bs_buf_printf(out, ":{\"dtype\":\"%s\",\"shape\":[", bs_dtype_name(t->dtype));
    for (int i = 0; i < t->n_dims; i++)
        bs_buf_printf(out, "%s%lld", i ? "," : "", (long long)t->dim[i]);
    bs_buf_printf(out, "],\"data_offsets\":[%zu,%zu]}", begin, begin + t->bytes);
}

static basin_status make_head(layout *f, const bs_meta *meta, const char *checksum,
                              basin_error *err)
{
    static const char spaces[] = "                                                                ";
    _Static_assert(sizeof spaces > BS_HEADER_ALIGN, "padding");

    bs_buf *out = &f->head;
    size_t  begin = 0;
    bs_buf_add(out, spaces, BS_HEADER_LEN); /* room for the length */
    add_meta(out, meta, f->n_meta, checksum);
    for (int i = 0; i < f->n; i++) {
        add_tensor(out, f->order[i], begin);
        begin += f->order[i]->bytes;
    }
    bs_buf_text(out, "}");
    bs_buf_add(out, spaces, (BS_HEADER_ALIGN - out->len % BS_HEADER_ALIGN) % BS_HEADER_ALIGN);
    if (out->failed)
        return bs_fail_nomem(err);

    uint64_t len = out->len - BS_HEADER_LEN;
    if (len > BS_HEADER_MAX)
        return bs_fail(err, BASIN_EARG, "names and metadata take %llu bytes, at most %d fit",
                       (unsigned long long)len, BS_HEADER_MAX);
    memcpy(out->data, &len, sizeof len);
    return BASIN_OK;
}

/* --- putting it together ----------------------------------------------------- */

static void layout_free(layout *f)
{
    bs_buf_free(&f->head);
    bs_arena_free(&f->arena);
}

static basin_status make_lists(layout *f, const bs_tensor *t, int n, const bs_meta *meta,
                               int n_meta, basin_error *err)
{
    if (n < 0 || n > BS_TENSORS_MAX)
        return bs_fail(err, BASIN_EARG, "%d tensors, at most %d fit", n, BS_TENSORS_MAX);
    if (n_meta < 0 || n_meta > BS_METAS_MAX - 1)
        return bs_fail(err, BASIN_EARG, "%d metadata keys, at most %d fit", n_meta,
                       BS_METAS_MAX - 1);
    f->n = n;
    f->n_meta = n_meta;
    f->order = bs_arena_alloc(&f->arena, (size_t)n * sizeof *f->order);
    f->by_name = bs_arena_alloc(&f->arena, (size_t)n * sizeof *f->by_name);
    f->by_key = bs_arena_alloc(&f->arena, (size_t)n_meta * sizeof *f->by_key);
    if (!f->order || !f->by_name || !f->by_key)
        return bs_fail_nomem(err);

    basin_status s = BASIN_OK;
    for (int i = 0; i < n && !s; i++) {
        f->by_name[i] = &t[i];
        s = check_tensor(&t[i], err);
    }
    for (int i = 0; i < n_meta && !s; i++) {
        f->by_key[i] = &meta[i];
        s = check_meta(&meta[i], err);
    }
    return s;
}

/* On failure f is empty. */
static basin_status layout_make(layout *f, const bs_tensor *t, int n, const bs_meta *meta,
                                int n_meta, basin_error *err)
{
    char checksum[BS_CHECKSUM_TEXT];
    *f = (layout){0};
    bs_arena_init(&f->arena, 0);
    bs_buf_init(&f->head, SIZE_MAX);

    basin_status s = make_lists(f, t, n, meta, n_meta, err);
    if (!s)
        s = sort_names(f, err);
    if (!s)
        s = sort_sizes(f, t, err);
    if (!s)
        s = bs_checksum(f->by_name, n, f->by_key, n_meta, checksum, err);
    if (!s)
        s = make_head(f, meta, checksum, err);
    if (s)
        layout_free(f);
    return s;
}

basin_status bs_safetensors_format(const bs_tensor *t, int n, const bs_meta *meta, int n_meta,
                                   bs_buf *out, basin_error *err)
{
    layout       f;
    basin_status s = layout_make(&f, t, n, meta, n_meta, err);
    if (s)
        return s;

    size_t start = out->len, total;
    if (!bs_add_size(f.head.len, f.bytes, &total) || total > out->ceiling - start) {
        s = bs_fail(err, BASIN_EARG, "the file does not fit a buffer of at most %zu bytes",
                    out->ceiling);
    } else {
        bs_buf_add(out, f.head.data, f.head.len);
        for (int i = 0; i < n; i++)
            bs_buf_add(out, f.order[i]->data, f.order[i]->bytes);
        if (out->failed) {
            /* Half a file is useless. */
            out->len = start;
            if (out->data)
                out->data[start] = '\0';
            s = bs_fail_nomem(err);
        }
    }
    layout_free(&f);
    return s;
}

basin_status bs_safetensors_write(const char *path, const bs_tensor *t, int n, const bs_meta *meta,
                                  int n_meta, basin_error *err)
{
    layout       f;
    bs_output   *o;
    basin_error  why;
    basin_status s = layout_make(&f, t, n, meta, n_meta, &why);
    if (s == BASIN_ENOMEM)
        return bs_fail_nomem(err);
    if (s)
        return bs_fail(err, s, "%s: %s", path, why.msg);

    s = bs_output_open(path, &o, err);
    if (!s) {
        s = bs_output_write(o, f.head.data, f.head.len, err);
        for (int i = 0; i < n && !s; i++)
            s = bs_output_write(o, f.order[i]->data, f.order[i]->bytes, err);
        if (s)
            bs_output_abort(o);
        else
            s = bs_output_commit(o, err);
    }
    layout_free(&f);
    return s;
}
