/* npy.c -- the header of a .npy file (a Python dictionary) and its elements, checked before use. */
#include "data/rows/npy.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "data/scan.h"

enum { MAGIC = 6, LONGEST_HEADER = 1 << 20 };

bool bs_npy_is(const void *bytes, size_t n)
{
    return n >= MAGIC && memcmp(bytes, "\x93NUMPY", MAGIC) == 0;
}

/* --- the header ---------------------------------------------------------- */

typedef struct {
    const char  *name, *p, *end;
    basin_error *err;
} header;

static basin_status refuse(const header *h, const char *what)
{
    return bs_fail(h->err, BASIN_EDATA, "%s: %s", h->name, what);
}

static void blanks(header *h)
{
    while (h->p < h->end && strchr(" \t\r\n,", *h->p) && *h->p)
        h->p++;
}

/* Where a key's value starts; false if there is no such key. */
static bool seek(header *h, const char *start, const char *key)
{
    const size_t n = strlen(key);
    for (h->p = start; h->p + n + 2 < h->end; h->p++) {
        if ((*h->p != '\'' && *h->p != '"') || memcmp(h->p + 1, key, n) != 0 ||
            h->p[n + 1] != *h->p)
            continue;
        h->p += n + 2;
        blanks(h);
        if (h->p >= h->end || *h->p != ':')
            return false;
        h->p++;
        blanks(h);
        return h->p < h->end;
    }
    return false;
}

/* '<f8': byte order, kind, size. */
static basin_status take_type(header *h, bs_npy *out)
{
    int64_t size = 1;
    if (*h->p == '[')
        return refuse(h, "is an array of records; save its numbers as one array of rows and "
                         "columns");
    const char quote = *h->p++;
    if ((quote != '\'' && quote != '"') || h->end - h->p < 3)
        return refuse(h, "the header is damaged: no type");
    const char *type = h->p;
    out->swap = *h->p == '>';
    if (strchr("<>|=", *h->p))
        h->p++;
    out->kind = *h->p++;
    const char *last = bs_scan_index(h->p, &size);
    if (out->kind == 'O')
        return refuse(h, "holds Python objects, which only Python can read; save numbers: "
                         "np.save(FILE, X.astype(float))");
    bool known =
        last && *last == quote &&
        ((out->kind == 'f' && (size == 2 || size == 4 || size == 8)) ||
         (strchr("iu", out->kind) && (size == 1 || size == 2 || size == 4 || size == 8)) ||
         (out->kind == 'b' && size == 1) || (out->kind == 'U' && size > 0 && size < 1 << 20));
    if (!known)
        return bs_fail(
            h->err, BASIN_EDATA,
            "%s: elements of type '%.*s'; f2, f4, f8, i1 to i8, u1 to u8 and b1 are read "
            "(X.astype('f4') makes them)",
            h->name, (int)strcspn(type, "'\""), type);
    out->size = (int)size * (out->kind == 'U' ? 4 : 1);
    return BASIN_OK;
}

/* (3, 4), (3,) or () */
static basin_status take_shape(header *h, bs_npy *out)
{
    if (*h->p++ != '(')
        return refuse(h, "the header is damaged: no shape");
    for (;;) {
        int64_t n;
        blanks(h);
        if (h->p >= h->end)
            return refuse(h, "the header is damaged: no shape");
        if (*h->p == ')')
            break;
        const char *last = bs_scan_index(h->p, &n);
        if (!last)
            return refuse(h, "the header is damaged: a size is not a number");
        h->p = last;
        if (out->dims < BS_NPY_DIMS)
            out->dim[out->dims] = n;
        out->dims++;
    }
    if (out->dims == 1)
        out->dim[1] = 1;
    if (out->dims == 2 && out->dim[1] == 0)
        return refuse(h, "has no columns");
    if (out->dims < 1 || out->dims > BS_NPY_DIMS)
        return bs_fail(h->err, BASIN_EDATA,
                       "%s: has %d dimensions; rows and columns are two (X.reshape(len(X), -1))",
                       h->name, out->dims);
    return BASIN_OK;
}

/* Copies the header text: scanning needs a NUL after it. */
static basin_status take_header(header *h, size_t skip, size_t len, bs_npy *out)
{
    char *copy = bs_alloc(len + 1);
    if (!copy)
        return bs_fail_nomem(h->err);
    memcpy(copy, h->p + skip, len);
    copy[len] = '\0';
    h->end = copy + len;
    basin_status s =
        seek(h, copy, "descr") ? take_type(h, out) : refuse(h, "the header is damaged: no descr");
    if (!s && !seek(h, copy, "shape"))
        s = refuse(h, "the header is damaged: no shape");
    if (!s)
        s = take_shape(h, out);
    if (!s)
        out->fortran = seek(h, copy, "fortran_order") && *h->p == 'T';
    bs_free(copy);
    return s;
}

basin_status bs_npy_begin(const char *name, const void *bytes, size_t n, bs_npy *out, size_t *size,
                          basin_error *err)
{
    const uint8_t *b = bytes;
    header         h = {.name = name, .p = bytes, .err = err};
    *out = (bs_npy){.dims = 0};
    if (!bs_npy_is(bytes, n) || n < 12)
        return refuse(&h, "is not a .npy file, or truncated");
    size_t len = (size_t)b[8] | (size_t)b[9] << 8, skip = 10;
    if (b[6] > 1) {
        len |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
        skip = 12;
    }
    if (len > LONGEST_HEADER || len > n - skip)
        return refuse(&h, "the header is cut off");
    *size = skip + len;
    return take_header(&h, skip, len, out);
}

basin_status bs_npy_fail_size(const char *name, const bs_npy *a, uint64_t elements,
                              basin_error *err)
{
    return bs_fail(err, BASIN_EDATA,
                   "%s: %lld rows and %lld columns are announced, but there is data for %llu "
                   "elements: the file is damaged",
                   name, (long long)a->dim[0], (long long)a->dim[1], (unsigned long long)elements);
}

basin_status bs_npy_parse(const char *name, const void *bytes, size_t n, bs_npy *out,
                          basin_error *err)
{
    size_t       size = 0;
    basin_status s = bs_npy_begin(name, bytes, n, out, &size, err);
    if (s)
        return s;
    /* Divides, since products of foreign sizes may overflow. */
    const size_t left = (n - size) / (size_t)out->size;
    const bool   fits = out->dim[1] == 0 || (uint64_t)out->dim[0] <= left / (uint64_t)out->dim[1];
    if (!fits || (uint64_t)out->dim[0] * (uint64_t)out->dim[1] != left)
        return bs_npy_fail_size(name, out, left, err);
    out->data = (const uint8_t *)bytes + size;
    return BASIN_OK;
}

/* --- elements ------------------------------------------------------------ */

static uint64_t bits_of(const bs_npy *a, const uint8_t *p, int size)
{
    uint64_t v = 0;
    for (int i = 0; i < size; i++)
        v |= (uint64_t)p[a->swap ? size - 1 - i : i] << (8 * i);
    return v;
}

static double half(uint64_t v)
{
    const int    power = (int)(v >> 10 & 31);
    const double part = (double)(v & 1023);
    double       size = power == 0    ? ldexp(part, -24)
                        : power == 31 ? (part == 0 ? (double)INFINITY : (double)NAN)
                                      : ldexp(1024 + part, power - 25);
    return v >> 15 ? -size : size;
}

static const uint8_t *element(const bs_npy *a, int64_t row, int64_t column)
{
    int64_t i = a->fortran ? column * a->dim[0] + row : row * a->dim[1] + column;
    return a->data + (size_t)i * (size_t)a->size;
}

double bs_npy_number(const bs_npy *a, int64_t row, int64_t column)
{
    uint64_t v = bits_of(a, element(a, row, column), a->size);
    if (a->kind == 'b')
        return v != 0;
    if (a->kind == 'u')
        return (double)v;
    if (a->kind == 'i') {
        const int      unused = 64 - 8 * a->size;
        const uint64_t sign = (uint64_t)1 << (8 * a->size - 1);
        return v & sign ? -(double)((~v + 1) << unused >> unused) : (double)v;
    }
    if (a->size == 2)
        return half(v);
    if (a->size == 4) {
        uint32_t w = (uint32_t)v;
        float    f;
        memcpy(&f, &w, sizeof f);
        return (double)f;
    }
    double d;
    memcpy(&d, &v, sizeof d);
    return d;
}

const char *bs_npy_text(const bs_npy *a, int64_t row, bs_arena *arena)
{
    const uint8_t *p = element(a, row, 0);
    char *out = a->kind == 'U' ? bs_arena_alloc(arena, (size_t)a->size + 1) : NULL, *o = out;
    for (int i = 0; out && i < a->size; i += 4) {
        uint32_t c = (uint32_t)bits_of(a, p + i, 4);
        if (!c)
            break;
        o = bs_utf8_put(o, c);
    }
    if (out)
        *o = '\0';
    return out;
}
