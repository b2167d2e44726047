/* npz.c -- unpacks a zip archive of .npy files into memory with libarchive, counting every byte. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "data/rows/npy.h"
#include "data/scan.h"

void bs_npz_free(bs_npz *z)
{
    for (int i = 0; i < z->n; i++)
        bs_buf_free(&z->bytes[i]);
    z->n = 0;
}

static basin_status fail_archive(const char *name, struct archive *a, basin_error *err)
{
    const char *why = archive_error_string(a);
    if (archive_errno(a) == ENOMEM)
        return bs_fail_nomem(err);
    return bs_fail(err, BASIN_EDATA, "%s: damaged archive: %s", name, why ? why : "cannot be read");
}

/* Archive `packed` bytes long, of which `unpacked` have been read. */
typedef struct {
    const char *name;
    size_t      packed, unpacked, ceiling;
    int         max_mb;
} unpacking;

static basin_status read_entry(unpacking *u, struct archive *a, bs_buf *out, basin_error *err)
{
    char         block[1 << 16];
    la_ssize_t   n;
    basin_status s = BASIN_OK;
    while (!s && (n = archive_read_data(a, block, sizeof block)) != 0) {
        if (n < 0)
            return fail_archive(u->name, a, err);
        u->unpacked += (size_t)n;
        if (u->unpacked > u->ceiling)
            return bs_fail(err, BASIN_EDATA, "%s: its arrays are larger than %zu bytes", u->name,
                           u->ceiling);
        s = bs_unpacked(u->name, u->packed, u->unpacked, u->max_mb, err);
        if (!s)
            bs_buf_add(out, block, (size_t)n);
        if (!s && out->failed)
            s = bs_fail_nomem(err);
    }
    return s;
}

/* The array of an entry, under its name without .npy. */
static basin_status add_array(unpacking *u, struct archive *a, const char *entry, bs_npz *z,
                              basin_error *err)
{
    const size_t len = strlen(entry);
    char         full[400];
    if (len < 5 || strcmp(entry + len - 4, ".npy") != 0 || len > 60)
        return bs_fail(err, BASIN_EDATA, "%s: holds '%.60s'; arrays that numpy saved are read",
                       u->name, entry);
    if (z->n == BS_NPZ_MOST)
        return bs_fail(err, BASIN_EDATA, "%s: more than %d arrays", u->name, (int)BS_NPZ_MOST);
    bs_npy *array = &z->array[z->n];
    bs_buf *bytes = &z->bytes[z->n++];
    bs_buf_init(bytes, u->ceiling + 1);
    bs_print(full, sizeof full, "%.300s: %.*s", u->name, (int)len - 4, entry);
    basin_status s = read_entry(u, a, bytes, err);
    if (!s)
        s = bs_npy_parse(full, bytes->data ? bytes->data : "", bytes->len, array, err);
    if (!s)
        bs_print(array->name, sizeof array->name, "%.*s", (int)len - 4, entry);
    return s;
}

static basin_status read_entries(unpacking *u, struct archive *a, bs_npz *z, basin_error *err)
{
    struct archive_entry *e;
    basin_status          s = BASIN_OK;
    int                   r;
    while (!s && (r = archive_read_next_header(a, &e)) != ARCHIVE_EOF) {
        if (r < ARCHIVE_WARN)
            return fail_archive(u->name, a, err);
        const char *entry = archive_entry_pathname(e);
        if (!entry)
            entry = archive_entry_pathname_utf8(e);
        s = add_array(u, a, entry ? entry : "", z, err);
    }
    return s;
}

basin_status bs_npz_open(const char *name, const void *bytes, size_t n, size_t ceiling, int max_mb,
                         bs_npz *out, basin_error *err)
{
    unpacking       u = {.name = name, .packed = n, .ceiling = ceiling, .max_mb = max_mb};
    const locale_t  was = bs_locale_plain(); /* libarchive converts names by the locale */
    struct archive *a = archive_read_new();
    basin_status    s;
    out->n = 0;
    if (!a)
        s = bs_fail_nomem(err);
    else if (archive_read_support_format_zip(a) != ARCHIVE_OK ||
             archive_read_open_memory(a, bytes, n) != ARCHIVE_OK)
        s = fail_archive(name, a, err);
    else
        s = read_entries(&u, a, out, err);
    archive_read_free(a);
    bs_locale_back(was);
    if (s)
        bs_npz_free(out);
    return s;
}

const bs_npy *bs_npz_find(const bs_npz *z, const char *const *names)
{
    for (int k = 0; names[k]; k++)
        for (int i = 0; i < z->n; i++)
            if (bs_same_word(z->array[i].name, strlen(z->array[i].name), names[k]))
                return &z->array[i];
    return NULL;
}

const char *bs_npz_list(const bs_npz *z, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < z->n && at < size; i++)
        at += (size_t)bs_print(out + at, size - at, "%s%s", i ? ", " : "", z->array[i].name);
    return out;
}
