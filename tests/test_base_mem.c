/* test_base_mem.c -- errors, allocation, arenas and growing buffers. */
#include "tests/check.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#endif

/* --- err --------------------------------------------------------------------- */

static void fail_fills_and_returns(void **state)
{
    (void)state;
    basin_error err;
    assert_int_equal(bs_fail(&err, BASIN_EDATA, "%s:%d: no", "a.arff", 7), BASIN_EDATA);
    assert_int_equal(err.status, BASIN_EDATA);
    assert_string_equal(err.msg, "a.arff:7: no");
    assert_int_equal(bs_fail(NULL, BASIN_EIO, "nobody listens"), BASIN_EIO);
    assert_int_equal(bs_fail_nomem(&err), BASIN_ENOMEM);
    assert_string_equal(err.msg, "out of memory");
    bs_err_clear(&err);
    assert_int_equal(err.status, BASIN_OK);
    assert_string_equal(err.msg, "");
    bs_err_clear(NULL);
    assert_string_equal(basin_version(), BASIN_VERSION);
}

static void fail_keeps_one_clean_line(void **state)
{
    (void)state;
    basin_error err;
    bs_fail(&err, BASIN_EARG, "a\nb\tc\x1b[31md\x7f");
    assert_string_equal(err.msg, "a\\nb\\tc\\x1b[31md\\x7f");
    bs_fail(&err, BASIN_EARG, "where: %s", err.msg); /* its own message as argument */
    assert_string_equal(err.msg, "where: a\\nb\\tc\\x1b[31md\\x7f");
}

static void fail_marks_what_it_cuts(void **state)
{
    (void)state;
    basin_error  err;
    const size_t size = sizeof err.msg;
    char         text[600];

    memset(text, 'x', sizeof text);
    text[size - 1] = '\0'; /* fits exactly */
    bs_fail(&err, BASIN_EARG, "%s", text);
    assert_string_equal(err.msg, text);

    text[size - 1] = 'x';
    text[size] = '\0'; /* one too long */
    bs_fail(&err, BASIN_EARG, "%s", text);
    assert_int_equal(strlen(err.msg), size - 1);
    assert_string_equal(err.msg + size - 5, "x...");

    /* The cut would fall inside a two-byte character. */
    for (size_t shift = 0; shift < 2; shift++) {
        memset(text, 'x', shift);
        for (size_t i = shift; i + 2 < sizeof text; i += 2)
            memcpy(text + i, "\xc3\xa4", 3);
        bs_fail(&err, BASIN_EARG, "%s", text);
        size_t len = strlen(err.msg);
        assert_string_equal(err.msg + len - 3, "...");
        assert_int_equal((len - 3 - shift) % 2, 0);
    }
}

/* --- mem --------------------------------------------------------------------- */

static void blocks_are_aligned_and_counted(void **state)
{
    (void)state;
    long         live = bs_mem_live(), calls = bs_mem_calls();
    void        *p[5];
    const size_t sizes[5] = {0, 1, 63, 64, 100000};
    for (int i = 0; i < 5; i++) {
        p[i] = bs_alloc(sizes[i]);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % BS_ALIGN, 0);
        memset(p[i], 0xff, sizes[i]);
    }
    assert_int_equal(bs_mem_live(), live + 5);
    assert_int_equal(bs_mem_calls(), calls + 5);
    for (int i = 0; i < 5; i++)
        bs_free(p[i]);
    bs_free(NULL);
    assert_int_equal(bs_mem_live(), live);

    unsigned char *z = bs_calloc(1000, 3);
    assert_non_null(z);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(z[i], 0);
    bs_free(z);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    long live = bs_mem_live();
    assert_null(bs_alloc(SIZE_MAX));
    assert_null(bs_alloc(SIZE_MAX - 62));
    assert_null(bs_alloc((size_t)PTRDIFF_MAX + 1));
    assert_null(bs_calloc(SIZE_MAX / 2, 3));
    assert_int_equal(bs_mem_live(), live);

    size_t out;
    assert_true(bs_mul_size(SIZE_MAX, 1, &out) && out == SIZE_MAX);
    assert_false(bs_mul_size(SIZE_MAX / 2 + 1, 2, &out));
    assert_true(bs_add_size(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX);
    assert_false(bs_add_size(SIZE_MAX, 1, &out));
}

static void realloc_keeps_content(void **state)
{
    (void)state;
    long  live = bs_mem_live();
    char *p = bs_realloc(NULL, 0, 10);
    assert_non_null(p);
    memcpy(p, "0123456789", 10);
    p = bs_realloc(p, 10, 5000);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % BS_ALIGN, 0);
    assert_memory_equal(p, "0123456789", 10);
    p = bs_realloc(p, 5000, 4);
    assert_non_null(p);
    assert_memory_equal(p, "0123", 4);

    bs_mem_fail_at(1);
    assert_null(bs_realloc(p, 4, 100));
    assert_memory_equal(p, "0123", 4); /* the old block is still there */
    bs_free(p);
    assert_int_equal(bs_mem_live(), live);
}

static void the_nth_allocation_fails(void **state)
{
    (void)state;
    bs_mem_fail_at(3);
    void *a = bs_alloc(1), *b = bs_alloc(1), *c = bs_alloc(1), *d = bs_alloc(1);
    assert_true(a && b && !c && d);
    bs_free(a);
    bs_free(b);
    bs_free(d);
    bs_mem_fail_at(1);
    bs_mem_fail_at(0);
    a = bs_alloc(1);
    assert_non_null(a);
    bs_free(a);
}

/* --- arena ------------------------------------------------------------------- */

static void arena_hands_out_zeroed_memory(void **state)
{
    (void)state;
    long     live = bs_mem_live();
    bs_arena a;
    bs_arena_init(&a, 0);
    /* Small, larger than a block, larger than the largest block, small again. */
    const size_t sizes[] = {1, 100, 70000, 3, 9 << 20, 16, 0, 300000, 5};
    enum { N = sizeof sizes / sizeof sizes[0] };
    unsigned char *p[3 * N];
    for (int i = 0; i < 3 * N; i++) {
        size_t n = sizes[i % N];
        p[i] = bs_arena_alloc(&a, n);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % 16, 0);
        for (size_t j = 0; j < n; j++)
            assert_int_equal(p[i][j], 0);
        memset(p[i], i + 1, n);
    }
    for (int i = 0; i < 3 * N; i++) /* nobody wrote into anybody else */
        for (size_t j = 0; j < sizes[i % N]; j++)
            assert_int_equal(p[i][j], i + 1);

    char *copy = bs_arena_copy(&a, "abc\0def", 7);
    assert_memory_equal(copy, "abc\0def", 8);
    assert_string_equal(bs_arena_copy(&a, NULL, 0), "");

    bs_arena_free(&a);
    assert_int_equal(bs_mem_live(), live);
    assert_int_equal(a.used, 0);
    assert_non_null(bs_arena_alloc(&a, 10)); /* ready for reuse */
    bs_arena_free(&a);
    bs_arena_free(&a);
    assert_int_equal(bs_mem_live(), live);
}

/* A million small pieces need few blocks, and a large piece in between does
 * not waste the block being filled. */
static void arena_grows_by_doubling(void **state)
{
    (void)state;
    bs_arena a;
    bs_arena_init(&a, 0);
    long calls = bs_mem_calls();
    for (int i = 0; i < 1000000; i++)
        assert_non_null(bs_arena_alloc(&a, 16));
    assert_in_range((size_t)(bs_mem_calls() - calls), 8, 14);
    bs_arena_block *head = a.head;
    calls = bs_mem_calls();
    for (int i = 0; i < 10; i++) {
        assert_non_null(bs_arena_alloc(&a, 9 << 20));
        assert_non_null(bs_arena_alloc(&a, 16));
    }
    assert_ptr_equal(a.head, head);
    assert_int_equal(bs_mem_calls() - calls, 10);
    bs_arena_free(&a);
}

static void arena_respects_its_ceiling(void **state)
{
    (void)state;
    bs_arena a;
    bs_arena_init(&a, 64);
    assert_non_null(bs_arena_alloc(&a, 30)); /* counts as 32 */
    assert_null(bs_arena_alloc(&a, 33));
    assert_non_null(bs_arena_alloc(&a, 32));
    assert_null(bs_arena_alloc(&a, 1));
    assert_null(bs_arena_alloc(&a, SIZE_MAX));
    assert_null(bs_arena_copy(&a, "", SIZE_MAX));
    assert_int_equal(a.used, 64);
    bs_arena_free(&a);
    assert_int_equal(a.ceiling, 64);
    assert_non_null(bs_arena_alloc(&a, 64));
    bs_arena_free(&a);
}

static void arena_survives_failure(void **state)
{
    (void)state;
    long live = bs_mem_live();
    for (long n = 1;; n++) {
        bs_arena a;
        bs_arena_init(&a, 0);
        bs_mem_fail_at(n);
        bool ok = true;
        for (int i = 0; i < 100 && ok; i++) {
            size_t used = a.used;
            ok = bs_arena_alloc(&a, 5000) != NULL;
            if (!ok)
                assert_int_equal(a.used, used);
        }
        bs_mem_fail_at(0);
        assert_non_null(bs_arena_alloc(&a, 5000)); /* usable after the failure */
        bs_arena_free(&a);
        assert_int_equal(bs_mem_live(), live);
        if (ok) {
            assert_in_range(n, 3, 10);
            break;
        }
    }
}

#ifdef WITH_ASAN
static void overruns_are_poisoned(void **state)
{
    (void)state;
    char *p = bs_alloc(13);
    assert_int_equal(__asan_address_is_poisoned(p + 12), 0);
    assert_int_equal(__asan_address_is_poisoned(p + 13), 1);
    bs_free(p);

    bs_arena a;
    bs_arena_init(&a, 0);
    char *q = bs_arena_alloc(&a, 16), *r = bs_arena_alloc(&a, 5);
    assert_int_equal(__asan_address_is_poisoned(q + 15), 0);
    assert_int_equal(__asan_address_is_poisoned(q + 16), 1);
    assert_true(r >= q + 32);
    assert_int_equal(__asan_address_is_poisoned(r + 4), 0);
    assert_int_equal(__asan_address_is_poisoned(r + 5), 1);
    assert_int_equal(__asan_address_is_poisoned(r + 5000), 1);
    bs_arena_free(&a);
}
#endif

/* --- buf --------------------------------------------------------------------- */

static void buffers_grow_to_their_ceiling(void **state)
{
    (void)state;
    long   live = bs_mem_live();
    bs_buf b;
    bs_buf_init(&b, 10);
    bs_buf_text(&b, "abc");
    bs_buf_add(&b, "d\0e", 3);
    bs_buf_printf(&b, "%d", 1234);
    assert_false(b.failed);
    assert_int_equal(b.len, 10);
    assert_memory_equal(b.data, "abcd\0e1234", 11);

    bs_buf_printf(&b, "%s", ""); /* nothing more fits, and nothing is asked */
    assert_false(b.failed);
    bs_buf_text(&b, "x");
    assert_true(b.failed);
    assert_memory_equal(b.data, "abcd\0e1234", 11);
    bs_buf_clear(&b);
    assert_false(b.failed);
    assert_string_equal(b.data, "");
    bs_buf_printf(&b, "%s", "12345678901"); /* too long: content stays */
    assert_true(b.failed);
    assert_string_equal(b.data, "");
    bs_buf_text(&b, "y"); /* ignored after a failure */
    assert_int_equal(b.len, 0);
    bs_buf_free(&b);
    assert_null(b.data);
    assert_int_equal(bs_mem_live(), live);

    bs_buf_init(&b, SIZE_MAX);
    for (int i = 0; i < 5000; i++)
        bs_buf_printf(&b, "%04d", i);
    assert_false(b.failed);
    assert_int_equal(b.len, 20000);
    assert_memory_equal(b.data + 4 * 4321, "43214322", 8);
    bs_buf_free(&b);
}

static void arrays_grow(void **state)
{
    (void)state;
    long   live = bs_mem_live();
    int   *data = NULL, *before;
    size_t cap = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_true(BS_GROW(data, cap, i + 1, 1000));
        data[i] = (int)i;
    }
    assert_int_equal(cap, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(data[i], i);
    before = data;
    assert_false(BS_GROW(data, cap, 1001, 1000));
    assert_false(BS_GROW(data, cap, SIZE_MAX / 2, SIZE_MAX));
    bs_mem_fail_at(1);
    assert_false(BS_GROW(data, cap, 1001, SIZE_MAX));
    assert_ptr_equal(data, before);
    assert_int_equal(cap, 1000);
    bs_free(data);
    assert_int_equal(bs_mem_live(), live);
}

static void buffers_survive_failure(void **state)
{
    (void)state;
    long live = bs_mem_live();
    for (long n = 1;; n++) {
        bs_buf b;
        bs_buf_init(&b, 100000);
        bs_mem_fail_at(n);
        for (int i = 0; i < 200; i++) {
            bs_buf_text(&b, "0123456789");
            bs_buf_printf(&b, "%s", "abcdefghij");
        }
        bs_mem_fail_at(0);
        bool failed = b.failed;
        if (failed && b.data)
            assert_int_equal(strlen(b.data), b.len);
        if (!failed)
            assert_int_equal(b.len, 4000);
        bs_buf_free(&b);
        assert_int_equal(bs_mem_live(), live);
        if (!failed) {
            assert_in_range(n, 5, 20);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_and_returns),
        cmocka_unit_test(fail_keeps_one_clean_line),
        cmocka_unit_test(fail_marks_what_it_cuts),
        cmocka_unit_test(blocks_are_aligned_and_counted),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(realloc_keeps_content),
        cmocka_unit_test(the_nth_allocation_fails),
        cmocka_unit_test(arena_hands_out_zeroed_memory),
        cmocka_unit_test(arena_grows_by_doubling),
        cmocka_unit_test(arena_respects_its_ceiling),
        cmocka_unit_test(arena_survives_failure),
#ifdef WITH_ASAN
        cmocka_unit_test(overruns_are_poisoned),
#endif
        cmocka_unit_test(buffers_grow_to_their_ceiling),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(buffers_survive_failure),
    };
    return cmocka_run_group_tests_name("base mem", tests, NULL, NULL);
}
