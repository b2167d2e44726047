/* test_file.c -- the safetensors container: what goes in comes out, equal input
 * gives equal bytes, and whatever is not a proper file is refused with a reason. */
#include "tests/check.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/rng.h"
#include "file/checksum.h"
#include "file/safetensors.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static char folder[512];

/* Path of a name in the temporary folder; four may be in use at a time. */
static const char *at(const char *name)
{
    static char paths[4][1024];
    static int  next;
    char       *p = paths[next++ % 4];
    snprintf(p, sizeof paths[0], "%s/%s", folder, name);
    return p;
}

static int entries(const char *path)
{
    DIR *d = opendir(path);
    int  n = 0;
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

/* --- a file with some of everything ------------------------------------------ */

static const float   weights[6] = {1.0f, -2.5f, 1e-44f, 3e38f, -0.0f, 0.5f};
static const double  rates[2] = {0.1, -1e300};
static const int32_t counts[3] = {INT32_MIN, 0, INT32_MAX};
static const int64_t seeds[1] = {INT64_MIN};
static const uint8_t bytes[5] = {0, 1, 127, 128, 255};

static const bs_tensor tensors[] = {
    {"a/bytes", BS_DTYPE_U8, 1, {5}, bytes, sizeof bytes},
    {"b/weights", BS_DTYPE_F32, 2, {2, 3}, weights, sizeof weights},
    {"c/rates", BS_DTYPE_F64, 3, {1, 2, 1}, rates, sizeof rates},
    {"d/counts", BS_DTYPE_I32, 1, {3}, counts, sizeof counts},
    {"e/scalar", BS_DTYPE_I64, 0, {0}, seeds, sizeof seeds},
    {"f/empty", BS_DTYPE_F32, 2, {0, 7}, NULL, 0},
    {"g/deep", BS_DTYPE_U8, 8, {1, 1, 1, 1, 1, 1, 1, 2}, bytes, 2},
    {"", BS_DTYPE_U8, 0, {0}, bytes + 4, 1},
    {"odd \"\\/\b\f\n\r\t\x01\x7f {},:[] \xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8a",
     BS_DTYPE_I32,
     1,
     {1},
     counts,
     4},
};

static const bs_meta metas[] = {
    {"basin.format", "1"},
    {"labels", "[\"a\",\"b\"]\n"},
    {"", ""},
    {"odd \x02\"\\ \xc3\xa9", "\x1f \xed\x9f\xbf \xf4\x8f\xbf\xbf"},
};

static void expect_same(const bs_tensor *a, const bs_tensor *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->n_dims, b->n_dims);
    for (int i = 0; i < a->n_dims; i++)
        assert_int_equal(a->dim[i], b->dim[i]);
    assert_int_equal(a->bytes, b->bytes);
    if (a->bytes)
        assert_memory_equal(a->data, b->data, a->bytes);
    assert_int_equal((uintptr_t)b->data % bs_dtype_size(b->dtype), 0);
}

static void expect_everything(const bs_safetensors *f)
{
    assert_non_null(bs_safetensors_meta(f, BS_CHECKSUM_KEY));
    assert_int_equal(bs_safetensors_count(f), COUNT(tensors));
    for (int i = 0; i < COUNT(tensors); i++) {
        const bs_tensor *t = bs_safetensors_find(f, tensors[i].name);
        assert_non_null(t);
        expect_same(&tensors[i], t);
    }
    assert_int_equal(bs_safetensors_meta_count(f), COUNT(metas) + 1);
    assert_string_equal(bs_safetensors_meta_at(f, 0)->key, BS_CHECKSUM_KEY);
    for (int i = 0; i < COUNT(metas); i++) {
        assert_string_equal(bs_safetensors_meta_at(f, i + 1)->key, metas[i].key);
        assert_string_equal(bs_safetensors_meta_at(f, i + 1)->value, metas[i].value);
        assert_string_equal(bs_safetensors_meta(f, metas[i].key), metas[i].value);
    }
    assert_null(bs_safetensors_find(f, "no such"));
    assert_null(bs_safetensors_meta(f, "no such"));
    assert_null(bs_safetensors_at(f, -1));
    assert_null(bs_safetensors_at(f, COUNT(tensors)));
    assert_null(bs_safetensors_meta_at(f, -1));
    assert_null(bs_safetensors_meta_at(f, COUNT(metas) + 1));
}

static void put(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static bs_buf format_all(void)
{
    basin_error err;
    bs_buf      out;
    bs_buf_init(&out, 1 << 20);
    assert_int_equal(
        bs_safetensors_format(tensors, COUNT(tensors), metas, COUNT(metas), &out, &err), BASIN_OK);
    return out;
}

/* What is in an open file, written again. */
static bs_buf format_again(const bs_safetensors *f)
{
    bs_tensor   t[64];
    bs_meta     m[64];
    int         n = bs_safetensors_count(f), n_meta = bs_safetensors_meta_count(f);
    basin_error err;
    bs_buf      out;
    assert_true(n <= COUNT(t) && n_meta <= COUNT(m));
    for (int i = 0; i < n; i++)
        t[i] = *bs_safetensors_at(f, i);
    for (int i = 0; i < n_meta; i++)
        m[i] = *bs_safetensors_meta_at(f, i);
    bs_buf_init(&out, 1 << 20);
    assert_int_equal(bs_safetensors_format(t, n, m, n_meta, &out, &err), BASIN_OK);
    return out;
}

/* --- round trips ------------------------------------------------------------- */

static void what_is_written_is_read(void **state)
{
    (void)state;
    bs_safetensors *f;
    basin_error     err;
    bs_buf          memory = format_all(), disk;
    assert_int_equal(
        bs_safetensors_write(at("all"), tensors, COUNT(tensors), metas, COUNT(metas), &err),
        BASIN_OK);
    bs_buf_init(&disk, 1 << 20);
    assert_int_equal(bs_read_file(at("all"), &disk, &err), BASIN_OK);
    assert_int_equal(disk.len, memory.len);
    assert_memory_equal(disk.data, memory.data, disk.len);

    assert_int_equal(bs_safetensors_open(at("all"), &f, &err), BASIN_OK);
    assert_int_equal(unlink(at("all")), 0);
    expect_everything(f);
    bs_safetensors_close(f);

    assert_int_equal(bs_safetensors_memory("m", memory.data, memory.len, &f, &err), BASIN_OK);
    expect_everything(f);
    bs_safetensors_close(f);
    bs_buf_free(&memory);
    bs_buf_free(&disk);
    bs_safetensors_close(NULL);
}

static void equal_input_gives_equal_bytes(void **state)
{
    (void)state;
    bs_safetensors *f;
    basin_error     err;
    bs_buf          one = format_all(), two = format_all();
    assert_int_equal(one.len, two.len);
    assert_memory_equal(one.data, two.data, one.len);

    assert_int_equal(bs_safetensors_memory("m", one.data, one.len, &f, &err), BASIN_OK);
    bs_buf three = format_again(f);
    bs_safetensors_close(f);
    assert_int_equal(one.len, three.len);
    assert_memory_equal(one.data, three.data, one.len);
    bs_buf_free(&one);
    bs_buf_free(&two);
    bs_buf_free(&three);
}

/* Pins the bytes: a change of the format must be a decision, not an accident. */
static void format_is_pinned(void **state)
{
    (void)state;
    static const char header[] =
        "{\"__metadata__\":{\"basin.checksum\":\"xxh64:e161a76877150649\",\"k\":\"v\"},"
        "\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
        "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[8,9]}}";
    const bs_tensor t[] = {
        {"b", BS_DTYPE_U8, 1, {1}, "\x07", 1},
        {"w", BS_DTYPE_F32, 1, {2}, (const float[]){1.0f, -2.0f}, 8},
    };
    const bs_meta m = {"k", "v"};
    basin_error   err;
    bs_buf        out;
    bs_buf_init(&out, 1 << 20);
    assert_int_equal(bs_safetensors_format(t, 2, &m, 1, &out, &err), BASIN_OK);
    uint64_t n;
    memcpy(&n, out.data, 8);
    assert_int_equal((n + 8) % 64, 0);
    assert_int_equal(out.len, n + 8 + 9);
    assert_true(n >= sizeof header - 1 && n < sizeof header - 1 + 64);
    assert_memory_equal(out.data + 8, header, sizeof header - 1);
    for (size_t i = sizeof header - 1; i < n; i++)
        assert_int_equal(out.data[8 + i], ' ');
    assert_memory_equal(out.data + 8 + n, "\0\0\x80\x3f\0\0\0\xc0\x07", 9);
    bs_buf_free(&out);
}

static void hash_is_xxh64(void **state)
{
    (void)state;
    unsigned char b[101];
    uint32_t      gen = 2654435761u;
    /* the sanity buffer of the reference implementation */
    for (size_t i = 0; i < sizeof b; i++, gen *= gen)
        b[i] = (unsigned char)(gen >> 24);
    assert_true(bs_hash64(NULL, 0) == 0xEF46DB3751D8E999u);
    assert_true(bs_hash64("a", 1) == 0xD24EC4F1A98C6E5Bu);
    assert_true(bs_hash64("abc", 3) == 0x44BC2CF5AD770999u);
    assert_true(bs_hash64(b, 1) == 0x4FCE394CC88952D8u);
    assert_true(bs_hash64(b, 14) == 0xCFFA8DB881BC3A3Du);
    assert_true(bs_hash64(b, 101) == 0x0EAB543384F878ADu);
}

/* No bit of the content may change without being noticed. */
static void every_bit_counts(void **state)
{
    (void)state;
    bs_buf   b = format_all();
    uint64_t n;
    memcpy(&n, b.data, 8);
    size_t end = (size_t)n + 8;
    while (b.data[end - 1] == ' ')
        end--;
    for (size_t i = 0; i < b.len; i++) {
        if (i >= end && i < n + 8)
            continue;
        for (int bit = 0; bit < 8; bit++) {
            bs_safetensors *f = NULL;
            basin_error     err = {0};
            b.data[i] = (char)(b.data[i] ^ 1 << bit);
            basin_status s = bs_safetensors_memory("m", b.data, b.len, &f, &err);
            if (s)
                assert_true(err.msg[0]);
            else if (bs_safetensors_meta(f, BS_CHECKSUM_KEY))
                expect_everything(f); /* \u001f became \u001F */
            else
                assert_null(bs_safetensors_meta(f, BS_CHECKSUM_KEY)); /* another key now */
            bs_safetensors_close(f);
            b.data[i] = (char)(b.data[i] ^ 1 << bit);
        }
    }
    for (size_t cut = 0; cut < b.len; cut++) {
        bs_safetensors *f;
        assert_int_equal(bs_safetensors_memory("m", b.data, cut, &f, NULL), BASIN_EDATA);
        assert_null(f);
    }
    bs_buf_free(&b);
}

/* --- files by others --------------------------------------------------------- */

/* A file from a header and so many bytes of data 0, 1, 2, ... */
static bs_buf raw(const char *header, size_t data)
{
    bs_buf   b;
    uint64_t n = strlen(header);
    bs_buf_init(&b, 1 << 24);
    bs_buf_add(&b, &n, 8);
    bs_buf_text(&b, header);
    for (size_t i = 0; i < data; i++)
        bs_buf_add(&b, (char[]){(char)i}, 1);
    return b;
}

/* The first two are what the reference library writes, byte for byte; the
 * third is from an older version of it, with the names sorted but not the data
 * and with a header that leaves the data at an odd address. */
static void foreign_files_load(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t      data;
        int         n, n_meta;
    } row[] = {
        {"{\"test\":{\"dtype\":\"I32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}    ", 16, 1, 0},
        {"{\"__metadata__\":{\"framework\":\"pt\"},\"test1\":{\"dtype\":\"I32\",\"shape\":[2,2],"
         "\"data_offsets\":[0,16]}} ",
         16, 1, 1},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]},"
         "\"b\":{\"data_offsets\":[11,15],\"dtype\":\"F32\",\"shape\":[]},"
         "\"c\":{\"shape\":[1,2],\"dtype\":\"I32\",\"data_offsets\":[0,8]}}",
         15, 3, 0},
        {"{}", 0, 0, 0},
        {"{\"__metadata__\":{}}", 0, 0, 0},
        {"{\n \"\\u0061\\ud83c\\udf0a\" : {\"dtype\":\"\\u0055\\u0038\", \"shape\":[0, 5] ,"
         "\"data_offsets\":[ 0,0 ]}\r\n\t}",
         0, 1, 0},
        {"{\"e\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]},"
         "\"d\":{\"dtype\":\"F64\",\"shape\":[3,0],\"data_offsets\":[0,0]}}",
         0, 2, 0},
    };
    for (int i = 0; i < COUNT(row); i++) {
        bs_buf          b = raw(row[i].header, row[i].data);
        bs_safetensors *f;
        basin_error     err;
        for (size_t shift = 0; shift < 8; shift++) {
            char *copy = bs_alloc(b.len + shift);
            memcpy(copy + shift, b.data, b.len);
            assert_int_equal(bs_safetensors_memory("m", copy + shift, b.len, &f, &err), BASIN_OK);
            assert_null(bs_safetensors_meta(f, BS_CHECKSUM_KEY));
            assert_int_equal(bs_safetensors_count(f), row[i].n);
            assert_int_equal(bs_safetensors_meta_count(f), row[i].n_meta);
            for (int k = 0, next = 0; k < bs_safetensors_count(f); k++) {
                const bs_tensor *t = bs_safetensors_at(f, k);
                assert_ptr_equal(bs_safetensors_find(f, t->name), t);
                assert_int_equal((uintptr_t)t->data % bs_dtype_size(t->dtype), 0);
                for (size_t j = 0; j < t->bytes; j++)
                    assert_int_equal(((const uint8_t *)t->data)[j], next++);
            }
            bs_safetensors_close(f);
            bs_free(copy);
        }
        put(at("foreign"), b.data, b.len);
        assert_int_equal(bs_safetensors_open(at("foreign"), &f, &err), BASIN_OK);
        bs_safetensors_close(f);
        bs_buf_free(&b);
    }
}

/* Every escape, and the borders between UTF-8 lengths. */
static void escapes_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
    } row[] = {
        {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
        {"\\u0001\\u007f\\u0080", "\x01\x7f\xc2\x80"},
        {"\\u00e9\\u00E9", "\xc3\xa9\xc3\xa9"},
        {"\\u07ff\\u0800", "\xdf\xbf\xe0\xa0\x80"},
        {"\\ud7ff\\ue000\\uffff", "\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"},
        {"\\ud800\\udc00\\uDBFF\\uDFFF", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
        {"12345678\\n12345678\\n1234567\\n\xc3\xa9", "12345678\n12345678\n1234567\n\xc3\xa9"},
    };
    for (int i = 0; i < COUNT(row); i++) {
        char header[256];
        snprintf(header, sizeof header, "{\"__metadata__\":{\"%s\":\"%s\"}}", row[i].json,
                 row[i].json);
        bs_buf          b = raw(header, 0);
        bs_safetensors *f;
        assert_int_equal(bs_safetensors_memory("m", b.data, b.len, &f, NULL), BASIN_OK);
        assert_string_equal(bs_safetensors_meta_at(f, 0)->key, row[i].text);
        assert_string_equal(bs_safetensors_meta_at(f, 0)->value, row[i].text);
        bs_safetensors_close(f);
        bs_buf_free(&b);
    }
}

/* --- many tensors ------------------------------------------------------------ */

static void random_files_survive(void **state)
{
    (void)state;
    static const bs_dtype kinds[] = {BS_DTYPE_F32, BS_DTYPE_F64, BS_DTYPE_I32, BS_DTYPE_I64,
                                     BS_DTYPE_U8};
    static char           names[40][24];
    static char           pool[8 * 27];
    bs_tensor             t[40];
    for (unsigned seed = 1; seed <= 200; seed++) {
        bs_rng r = bs_rng_make(seed, 0, 0);
        int    n = (int)bs_rng_below(&r, COUNT(t) + 1);
        for (size_t i = 0; i < sizeof pool; i++)
            pool[i] = (char)bs_rng_bits(&r);
        for (int i = 0; i < n; i++) {
            snprintf(names[i], sizeof names[i], "%u/%d", (unsigned)bs_rng_below(&r, 1000), i);
            t[i] = (bs_tensor){names[i], kinds[bs_rng_below(&r, 5)], 0, {0}, pool, 0};
            t[i].n_dims = (int)bs_rng_below(&r, 4);
            t[i].bytes = bs_dtype_size(t[i].dtype);
            for (int k = 0; k < t[i].n_dims; k++) {
                t[i].dim[k] = bs_rng_below(&r, 4);
                t[i].bytes *= (size_t)t[i].dim[k];
            }
        }
        basin_error     err;
        bs_safetensors *f;
        bs_buf          out;
        bs_buf_init(&out, 1 << 20);
        assert_int_equal(bs_safetensors_format(t, n, NULL, 0, &out, &err), BASIN_OK);
        assert_int_equal(bs_safetensors_memory("m", out.data, out.len, &f, &err), BASIN_OK);
        assert_int_equal(bs_safetensors_count(f), n);
        for (int i = 0; i < n; i++)
            expect_same(&t[i], bs_safetensors_find(f, t[i].name));
        bs_buf again = format_again(f);
        assert_int_equal(again.len, out.len);
        assert_memory_equal(again.data, out.data, out.len);
        bs_safetensors_close(f);
        bs_buf_free(&again);
        bs_buf_free(&out);
    }
}

/* --- memory runs out --------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const step[] = {"format", "write", "memory", "open"};
    bs_buf                   whole = format_all();
    /* one byte off, so that copies are made */
    char *odd = bs_alloc(whole.len + 1);
    memcpy(odd + 1, whole.data, whole.len);
    put(at("whole"), whole.data, whole.len);
    assert_int_equal(mkdir(at("fail"), 0777), 0);
    for (int k = 0; k < COUNT(step); k++) {
        long         live = bs_mem_live(), n = 0;
        basin_status s = BASIN_ENOMEM;
        for (n = 1; s && n < 2000; n++) {
            bs_safetensors *f = NULL;
            basin_error     err = {0};
            bs_buf          out;
            bs_buf_init(&out, 1 << 20);
            bs_mem_fail_at(n);
            if (k == 0)
                s = bs_safetensors_format(tensors, COUNT(tensors), metas, COUNT(metas), &out, &err);
            else if (k == 1)
                s = bs_safetensors_write(at("fail/f"), tensors, COUNT(tensors), metas, COUNT(metas),
                                         &err);
            else if (k == 2)
                s = bs_safetensors_memory("m", odd + 1, whole.len, &f, &err);
            else
                s = bs_safetensors_open(at("whole"), &f, &err);
            bs_mem_fail_at(0);
            if (s) {
                assert_int_equal(s, BASIN_ENOMEM);
                assert_string_equal(err.msg, "out of memory");
                assert_null(f);
                assert_int_equal(out.len, 0);
                assert_int_equal(entries(at("fail")), 0);
            } else if (k >= 2) {
                expect_everything(f);
            }
            unlink(at("fail/f"));
            bs_safetensors_close(f);
            bs_buf_free(&out);
            assert_int_equal(bs_mem_live(), live);
        }
        assert_int_equal(s, BASIN_OK);
        assert_true(n > 4);
        if (getenv("VERBOSE"))
            fprintf(stderr, "  %s: %ld allocations\n", step[k], n - 2);
    }
    bs_free(odd);
    bs_buf_free(&whole);
}

/* --- the old file or the new one --------------------------------------------- */

static void failed_writes_keep_the_old_file(void **state)
{
    (void)state;
    const bs_tensor bad = {"x", BS_DTYPE_F32, 1, {2}, weights, 4};
    bs_safetensors *f;
    basin_error     err;
    char            want[1200];
    assert_int_equal(mkdir(at("keep"), 0777), 0);
    assert_int_equal(
        bs_safetensors_write(at("keep/f"), tensors, COUNT(tensors), metas, COUNT(metas), &err),
        BASIN_OK);

    assert_int_equal(bs_safetensors_write(at("keep/f"), &bad, 1, NULL, 0, &err), BASIN_EARG);
    snprintf(want, sizeof want, "%s: tensor 'x': has 4 bytes, its shape asks for 8", at("keep/f"));
    assert_string_equal(err.msg, want);

    /* root may write anywhere */
    if (geteuid() != 0) {
        assert_int_equal(chmod(at("keep"), 0555), 0);
        assert_int_equal(bs_safetensors_write(at("keep/f"), tensors, 1, NULL, 0, &err), BASIN_EIO);
        assert_int_equal(chmod(at("keep"), 0777), 0);
    }
    assert_int_equal(bs_safetensors_write(at("none/f"), tensors, 1, NULL, 0, &err), BASIN_EIO);
    assert_int_equal(bs_safetensors_write(at("keep"), tensors, 1, NULL, 0, &err), BASIN_EIO);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(bs_safetensors_write("/dev/full", tensors, 1, NULL, 0, &err), BASIN_EIO);
        assert_string_equal(err.msg, "/dev/full: no space left on the disk");
    }
    assert_int_equal(entries(at("keep")), 1);
    assert_int_equal(bs_safetensors_open(at("keep/f"), &f, &err), BASIN_OK);
    expect_everything(f);
    bs_safetensors_close(f);
}

/* A disk that fills up in the middle: a limit on the size of files. Data that
 * is larger than the writer's buffer fails while writing, not at the end. */
static void full_disk_keeps_the_old_file(void **state)
{
    (void)state;
    enum { BIG = 1 << 20 };
    char           *big = bs_calloc(BIG, 1);
    const bs_tensor t = {"big", BS_DTYPE_U8, 1, {BIG}, big, BIG};
    bs_safetensors *f;
    basin_error     err;
    struct rlimit   old, small;
    assert_non_null(big);
    assert_int_equal(
        bs_safetensors_write(at("keep/f"), tensors, COUNT(tensors), metas, COUNT(metas), &err),
        BASIN_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int k = 0; k < 2; k++) {
        small = (struct rlimit){k ? BIG / 2 : 100, old.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        basin_status s = bs_safetensors_write(at("keep/f"), &t, 1, NULL, 0, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(s, BASIN_EIO);
        assert_int_equal(entries(at("keep")), 1);
    }
    signal(SIGXFSZ, handler);
    assert_int_equal(bs_safetensors_open(at("keep/f"), &f, &err), BASIN_OK);
    expect_everything(f);
    bs_safetensors_close(f);
    bs_free(big);
}

static void buffers_keep_their_ceiling(void **state)
{
    (void)state;
    bs_buf      whole = format_all(), out;
    basin_error err;
    bs_buf_init(&out, whole.len + 2);
    bs_buf_text(&out, "abc");
    assert_int_equal(
        bs_safetensors_format(tensors, COUNT(tensors), metas, COUNT(metas), &out, &err),
        BASIN_EARG);
    assert_true(strstr(err.msg, "the file does not fit a buffer of at most ") == err.msg);
    assert_int_equal(out.len, 3);
    out.ceiling++;
    assert_int_equal(
        bs_safetensors_format(tensors, COUNT(tensors), metas, COUNT(metas), &out, &err), BASIN_OK);
    assert_int_equal(out.len, whole.len + 3);
    assert_memory_equal(out.data + 3, whole.data, whole.len);
    bs_buf_free(&out);
    bs_buf_free(&whole);
}

static int make_folder(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/basin-file-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"all", "foreign", "whole", "fail/f", "keep/f"};
    for (int i = 0; i < COUNT(files); i++)
        unlink(at(files[i]));
    rmdir(at("fail"));
    rmdir(at("keep"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(equal_input_gives_equal_bytes),
        cmocka_unit_test(format_is_pinned),
        cmocka_unit_test(hash_is_xxh64),
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(foreign_files_load),
        cmocka_unit_test(escapes_are_understood),
        cmocka_unit_test(random_files_survive),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(failed_writes_keep_the_old_file),
        cmocka_unit_test(full_disk_keeps_the_old_file),
        cmocka_unit_test(buffers_keep_their_ceiling),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
