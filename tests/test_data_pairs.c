/* test_data_pairs.c -- matrices over pairs of labels: counts, shuffles, order. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "explain/pairs.h"

static void counts_of_sets(void **state)
{
    const int32_t start[] = {0, 2, 5, 5, 6}, index[] = {0, 2, 0, 1, 2, 1};
    const bs_csr  y = {4, 3, start, index, NULL};
    const double  want[] = {2, 1, 2, 1, 2, 1, 2, 1, 2};
    double        count[9], expected[9], information[9];
    (void)state;
    bs_pairs_together(&y, count);
    assert_memory_equal(count, want, sizeof want);
    assert_int_equal(bs_pairs_expected(count, 3, 4, false, expected, NULL), BASIN_OK);
    for (int i = 0; i < 9; i++)
        assert_true(fabs(expected[i] - 1) < 1e-15); /* 2 * 2 / 4 */
    bs_pairs_information(count, expected, 3, information);
    assert_true(fabs(information[2] - log(2.5 / 1.5)) < 1e-12);
    assert_true(fabs(information[1]) < 1e-12);
}

static void counts_of_transitions(void **state)
{
    const double count[] = {1, 3, 4, 2};
    double       expected[4], centred[4];
    (void)state;
    assert_int_equal(bs_pairs_expected(count, 2, 0, true, expected, NULL), BASIN_OK);
    assert_true(fabs(expected[0] - 4 * 5 / 10.0) < 1e-12);
    assert_true(fabs(expected[2] - 6 * 5 / 10.0) < 1e-12);
    assert_int_equal(bs_pairs_centre(count, 2, true, centred, NULL), BASIN_OK);
    assert_true(fabs(centred[0] + 1) < 1e-12 && fabs(centred[1] - 1) < 1e-12);
    assert_true(fabs(centred[2] - 1) < 1e-12 && fabs(centred[3] + 1) < 1e-12);
}

/* Upper triangles 1 2 2 5 and so on, by hand: ranks with ties, Pearson of them. */
static void ranks_share_ties(void **state)
{
    /* pairs (0,1) (0,2) (0,3) (1,2) (1,3) (2,3) */
    const double a[] = {9, 1, 2, 2, 1, 9, 3, 5, 2, 3, 9, 4, 2, 5, 4, 9};
    const double b[] = {0, 2, 1, 7, 2, 0, 7, 7, 1, 7, 0, 3, 7, 7, 3, 0};
    /* ranks of a: 1 2.5 2.5 4 6 5; of b: 2 1 5 5 5 3 */
    const double ra[] = {1, 2.5, 2.5, 4, 6, 5}, rb[] = {2, 1, 5, 5, 5, 3};
    double       ab = 0, aa = 0, bb = 0;
    bs_agreement got;
    (void)state;
    for (int i = 0; i < 6; i++) {
        ab += (ra[i] - 3.5) * (rb[i] - 3.5);
        aa += (ra[i] - 3.5) * (ra[i] - 3.5);
        bb += (rb[i] - 3.5) * (rb[i] - 3.5);
    }
    assert_int_equal(bs_pairs_agree(a, b, NULL, 4, false, 20, 1, &got, NULL), BASIN_OK);
    assert_int_equal(got.pairs, 6);
    assert_true(fabs(got.rho - ab / sqrt(aa * bb)) < 1e-12);
    /* both triangles: the same, since both are symmetric */
    double rho = got.rho;
    assert_int_equal(bs_pairs_agree(a, b, NULL, 4, true, 20, 1, &got, NULL), BASIN_OK);
    assert_int_equal(got.pairs, 12);
    assert_true(fabs(got.rho - rho) < 1e-12);
}

enum { N = 30 };

static void labels_that_like_all_others_are_taken_out(void **state)
{
    double a[16], out[16];
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            a[i * 4 + j] = i == j ? 77 : 3 + i * i + j * j;
    assert_int_equal(bs_pairs_centre(a, 4, false, out, NULL), BASIN_OK);
    for (int i = 0; i < 16; i++)
        assert_true(fabs(out[i]) < 1e-12);
}

static void fill_random(double *a, uint64_t seed, const double *base, double share)
{
    bs_rng rng = bs_rng_make(seed, 0, 0);
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            a[i * N + j] = a[j * N + i] =
                (base ? share * base[i * N + j] : 0) + bs_rng_normal(&rng);
}

static void shuffled_labels_agree_with_nothing(void **state)
{
    double       a[N * N], b[N * N], c[N * N];
    bs_agreement got, again;
    (void)state;
    fill_random(a, 1, NULL, 0);
    fill_random(b, 2, a, 1);
    fill_random(c, 3, NULL, 0);
    assert_int_equal(bs_pairs_agree(a, b, NULL, N, false, 200, 1, &got, NULL), BASIN_OK);
    assert_true(got.rho > 0.6 && got.rho < 0.8);
    assert_true(fabs(got.mean) < 0.02 && got.sd > 0.02 && got.sd < 0.08);
    assert_true(got.p < 0.006);
    assert_int_equal(bs_pairs_agree(a, b, NULL, N, false, 200, 1, &again, NULL), BASIN_OK);
    assert_memory_equal(&got, &again, sizeof got);
    assert_int_equal(bs_pairs_agree(a, c, NULL, N, false, 200, 1, &got, NULL), BASIN_OK);
    assert_true(fabs(got.rho) < 0.15 && got.p > 0.01);
    assert_int_equal(bs_pairs_agree(a, a, NULL, N, false, 10, 1, &got, NULL), BASIN_OK);
    assert_true(fabs(got.rho - 1) < 1e-12);
}

/* Two matrices that agree only through a third one. */
static void a_third_matrix_can_be_taken_out(void **state)
{
    double       a[N * N], b[N * N], given[N * N], flat[N * N] = {0};
    bs_agreement plain, partial;
    (void)state;
    fill_random(given, 1, NULL, 0);
    fill_random(a, 2, given, 2);
    fill_random(b, 3, given, 2);
    assert_int_equal(bs_pairs_agree(a, b, NULL, N, false, 50, 1, &plain, NULL), BASIN_OK);
    assert_int_equal(bs_pairs_agree(a, b, given, N, false, 50, 1, &partial, NULL), BASIN_OK);
    assert_true(plain.rho > 0.7);
    assert_true(fabs(partial.rho) < 0.15);
    assert_int_equal(bs_pairs_agree(a, flat, NULL, N, false, 50, 1, &plain, NULL), BASIN_OK);
    assert_true(isnan(plain.rho) && isnan(plain.mean));
}

static void an_order_keeps_groups_together(void **state)
{
    enum { LABELS = 12 };
    double  count[LABELS * LABELS] = {0};
    int32_t order[LABELS];
    bool    seen[LABELS] = {false};
    (void)state;
    /* labels i and j go together when i % 3 == j % 3 */
    for (int i = 0; i < LABELS; i++)
        for (int j = 0; j < LABELS; j++)
            count[i * LABELS + j] = i == j ? 20 + i : i % 3 == j % 3 ? 10 : 1;
    assert_int_equal(bs_pairs_order(count, LABELS, order, NULL), BASIN_OK);
    assert_int_equal(order[0], LABELS - 1);
    for (int i = 0; i < LABELS; i++) {
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
        assert_int_equal(order[i] % 3, order[i / 4 * 4] % 3);
    }
}

static void memory_may_run_out(void **state)
{
    double       a[N * N], b[N * N], expected[N * N];
    int32_t      order[N];
    bs_agreement got;
    long         live = bs_mem_live();
    (void)state;
    fill_random(a, 1, NULL, 0);
    fill_random(b, 2, NULL, 0);
    for (int i = 1; i <= 6; i++) {
        bs_mem_fail_at(i);
        assert_int_equal(bs_pairs_agree(a, b, a, N, false, 5, 1, &got, NULL), BASIN_ENOMEM);
    }
    bs_mem_fail_at(1);
    assert_int_equal(bs_pairs_expected(a, N, 1, true, expected, NULL), BASIN_ENOMEM);
    bs_mem_fail_at(2);
    assert_int_equal(bs_pairs_order(a, N, order, NULL), BASIN_ENOMEM);
    bs_mem_fail_at(0);
    assert_int_equal(bs_mem_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_sets),
        cmocka_unit_test(counts_of_transitions),
        cmocka_unit_test(ranks_share_ties),
        cmocka_unit_test(labels_that_like_all_others_are_taken_out),
        cmocka_unit_test(shuffled_labels_agree_with_nothing),
        cmocka_unit_test(a_third_matrix_can_be_taken_out),
        cmocka_unit_test(an_order_keeps_groups_together),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("pairs of labels", tests, NULL, NULL);
}
