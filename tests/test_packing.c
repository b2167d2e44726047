/* test_packing.c -- documents as batches of an encoder. */
#include "tests/harness.h"

#include "task/packing.h"

enum { ROWS = 230, MOST = 40 };

/* Documents whose pieces tell which one they belong to. */
static void make(bs_documents *d, int32_t *start, int32_t *piece)
{
    *d = (bs_documents){.start = start, .piece = piece, .rows = ROWS};
    start[0] = 0;
    for (int i = 0; i < ROWS; i++) {
        const int n = i * 7 % MOST;
        for (int k = 0; k < n; k++)
            piece[start[i] + k] = i * 100 + k;
        start[i + 1] = start[i] + n;
    }
}

static int32_t length_of(const bs_documents *d, int32_t row)
{
    return d->start[row + 1] - d->start[row];
}

static void check_permutation(const int32_t *order, int n)
{
    bool seen[ROWS] = {false};
    for (int i = 0; i < n; i++) {
        assert_true(order[i] >= 0 && order[i] < n && !seen[order[i]]);
        seen[order[i]] = true;
    }
}

static void orders(void **state)
{
    static int32_t  start[ROWS + 1], piece[ROWS * MOST], order[ROWS], again[ROWS];
    static uint64_t key[2 * ROWS];
    bs_documents    d;
    (void)state;
    make(&d, start, piece);
    assert_int_equal(bs_by_length(start, ROWS, order, NULL), BASIN_OK);
    check_permutation(order, ROWS);
    for (int i = 1; i < ROWS; i++)
        assert_true(length_of(&d, order[i - 1]) <= length_of(&d, order[i]));

    bs_rng rng = bs_rng_make(1, 1, 1), same = rng;
    for (int i = 0; i < ROWS; i++)
        order[i] = again[i] = i * 37 % ROWS; /* in any order */
    bs_shuffle_by_length(start, ROWS, &rng, 16, 4, order, key);
    bs_shuffle_by_length(start, ROWS, &same, 16, 4, again, key);
    check_permutation(order, ROWS);
    assert_memory_equal(order, again, sizeof order);
    for (int b = 0; b < ROWS / 16; b++) /* neighbours have similar lengths */
        assert_true(length_of(&d, order[16 * b + 15]) - length_of(&d, order[16 * b]) <= 20);
    bs_shuffle_by_length(start, ROWS, &rng, 16, 4, again, key);
    assert_true(memcmp(order, again, sizeof order) != 0);

    const int32_t some[] = {5, 3, 1, 2}; /* 35, 21, 7 and 14 pieces */
    assert_int_equal(bs_documents_fitting(&d, some, 4, 10), 1);
    assert_int_equal(bs_documents_fitting(&d, some, 4, 56), 2);
    assert_int_equal(bs_documents_fitting(&d, some, 4, 1000), 4);
}

static void batches(void **state)
{
    static int32_t   start[ROWS + 1], piece[ROWS * MOST];
    static const int sizes[] = {1, 3, 8};
    const int32_t    index[] = {5, 40, 1}; /* 35, 0 and 7 pieces */
    bs_documents     d;
    bs_packed        p;
    (void)state;
    make(&d, start, piece);
    assert_int_equal(bs_packed_new(&d, 8, &p, NULL), BASIN_OK);
    for (int first = 0; first < 2; first++) {
        const bs_packing how = {.first_position = 2, .first = first};
        bs_packed_make(&p, &how, &d, index, 3, 4);
        assert_int_equal(p.rows, 48);
        assert_int_equal(p.start[1], 35);
        assert_int_equal(p.start[2], 35);
        assert_int_equal(p.start[4], 42);
        assert_true(p.piece[0] == 500 && p.position[0] == 2 && p.position[34] == 36);
        assert_true(p.piece[35] == 100 && p.position[35] == 2);
        assert_true(p.piece[42] == -1 && p.position[47] == -1);
        assert_true(p.pool.rows == 4 && p.pool.cols == 48);
        assert_int_equal(p.pool.start[1], first ? 1 : 35);
        assert_int_equal(p.pool.start[2], p.pool.start[1]); /* nothing of an empty document */
        assert_int_equal(p.pool.index[p.pool.start[2]], 35);
        assert_true(p.pool.value[0] == (first ? 1.0f : 1 / 35.0f));
    }
    for (int i = 0; i < 3; i++) { /* up to a sixteenth more, in whole vectors */
        const bs_packing how = {0};
        int32_t          longest[8], n = sizes[i];
        for (int k = 0; k < n; k++)
            longest[k] = 5;
        bs_packed_make(&p, &how, &d, longest, n, n);
        assert_true(p.rows >= 35 * n && p.rows <= 35 * n * 17 / 16 + 15 && p.rows % 16 == 0);
    }
    bs_packed_free(&p);

    basin_error err = {0};
    assert_int_equal(bs_packed_new(&d, 1 << 20, &p, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "batch: 1048576 texts of up to 39 pieces"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
