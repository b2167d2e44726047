/* test_data_split.c -- stratified parts, and generated data whose best score is known. */
#include <math.h>
#include <stdlib.h>

#include "data_helper.h"

#include "base/mem.h"
#include "base/rng.h"
#include "tasks/mlc/make.h"
#include "data/expected.h"
#include "data/split.h"

static bs_rows *make(int rows, int groups, int seed, bs_make_mlc_truth *truth)
{
    bs_make_mlc_options o;
    basin_error         err = {0};
    bs_rows            *ds;
    assert_int_equal(bs_options_default(bs_make_mlc_rows, &o, &err), BASIN_OK);
    o.rows = rows;
    o.groups = groups;
    o.seed = seed;
    if (bs_make_mlc(&o, &ds, truth, &err))
        fail_msg("%s", err.msg);
    return ds;
}

/* --- split -------------------------------------------------------------------------- */

static void test_balance(void **state)
{
    (void)state;
    bs_rows          *ds = make(5000, 6, 3, NULL);
    int32_t          *part = bs_alloc(5000 * sizeof *part), *again = bs_alloc(5000 * sizeof *again);
    double            share[3] = {60, 20, 20};
    bs_split_balance *b = bs_alloc(sizeof *b);
    basin_error       err;
    assert_int_equal(bs_split(ds, share, 3, NULL, 7, part, &err), BASIN_OK);
    assert_int_equal(bs_split_measure(ds, share, 3, part, b, &err), BASIN_OK);
    int32_t total = 0;
    for (int p = 0; p < 3; p++) {
        total += b->part[p].rows;
        assert_true(fabs(b->part[p].rows / (50 * share[p]) - 1) < 0.04);
        assert_true(b->part[p].label_error < 0.02);
        assert_true(b->part[p].worst_error < 0.15);
        assert_int_equal(b->part[p].labels_absent, 0);
    }
    assert_int_equal(total, 5000);
    assert_int_equal(bs_split(ds, share, 3, NULL, 7, again, &err), BASIN_OK);
    assert_memory_equal(part, again, 5000 * sizeof *part);
    assert_int_equal(bs_split(ds, share, 3, NULL, 8, again, &err), BASIN_OK);
    assert_int_not_equal(memcmp(part, again, 5000 * sizeof *part), 0);

    int32_t *rows, n, seen = 0;
    for (int p = 0; p < 3; p++) {
        assert_int_equal(bs_split_rows(part, 5000, p, &rows, &n, &err), BASIN_OK);
        assert_int_equal(n, b->part[p].rows);
        for (int32_t i = 0; i < n; i++)
            seen += part[rows[i]] == p && (i == 0 || rows[i] > rows[i - 1]);
        bs_free(rows);
    }
    assert_int_equal(seen, 5000);
    bs_free(part);
    bs_free(again);
    bs_free(b);
    bs_rows_free(ds);
}

/* A label of as many rows as there are parts is in every part; random parts would miss some. */
static void test_rare_labels(void **state)
{
    (void)state;
    char text[20000] = "";
    for (int i = 0; i < 400; i++)
        snprintf(text + strlen(text), 40, "%d 1:%d\n", i < 10 ? 1 : i < 30 ? 2 : 3, i + 1);
    bs_rows    *ds = read_text(text, "", NULL);
    int32_t     part[400];
    double      share[10];
    basin_error err;
    for (int p = 0; p < 10; p++)
        share[p] = 1;
    for (uint64_t seed = 0; seed < 20; seed++) {
        bs_split_balance b;
        assert_int_equal(bs_split(ds, share, 10, NULL, seed, part, &err), BASIN_OK);
        assert_int_equal(bs_split_measure(ds, share, 10, part, &b, &err), BASIN_OK);
        for (int p = 0; p < 10; p++) {
            assert_int_equal(b.part[p].labels_absent, 0);
            assert_int_equal(b.part[p].rows, 40);
            assert_true(b.part[p].worst_error < 1e-9);
        }
    }
    bs_rows_free(ds);
}

static void test_groups(void **state)
{
    (void)state;
    bs_rows    *ds = make(1000, 3, 1, NULL);
    int32_t     part[1000], group[1000], of_group[200];
    double      share[2] = {3, 1};
    basin_error err;
    for (int i = 0; i < 1000; i++)
        group[i] = i % 10 == 0 ? -1 : 17 * (i % 150);
    assert_int_equal(bs_split(ds, share, 2, group, 5, part, &err), BASIN_OK);
    memset(of_group, 0xff, sizeof of_group);
    int32_t first = 0;
    for (int i = 0; i < 1000; i++) {
        first += part[i] == 0;
        if (group[i] < 0)
            continue;
        int32_t *seen = &of_group[i % 150];
        assert_true(*seen < 0 || *seen == part[i]);
        *seen = part[i];
    }
    assert_true(abs(first - 750) < 20);
    share[0] = 0;
    assert_int_equal(bs_split(ds, share, 2, NULL, 5, part, &err), BASIN_EARG);
    assert_string_equal(err.msg, "part 1 has the size 0; sizes are above 0, as in 60,20,20");
    assert_int_equal(bs_split(ds, share, 1, NULL, 5, part, &err), BASIN_EARG);
    bs_rows_free(ds);
}

static void test_crossing(void **state)
{
    (void)state;
    bs_rows         *ds = read_text("1 1:1\n1 1:1\n2 1:1\n2 2:1\n", "", NULL);
    int32_t          part[4] = {0, 1, 0, 1};
    double           share[2] = {1, 1};
    bs_split_balance b;
    basin_error      err;
    assert_int_equal(bs_split_measure(ds, share, 2, part, &b, &err), BASIN_OK);
    assert_int_equal(b.crossing, 2);
    bs_rows_free(ds);
}

/* --- best expected F1 -------------------------------------------------------------------- */

enum { L = 5, SETS = 1 << L };

static double f1(int y, int h)
{
    int both = __builtin_popcount((unsigned)(y & h));
    int sum = __builtin_popcount((unsigned)y) + __builtin_popcount((unsigned)h);
    return sum ? 2.0 * both / sum : 0;
}

/* Against all 2^L sets, for random distributions over label sets. */
static void test_best_f1(void **state)
{
    (void)state;
    bs_rng rng = bs_rng_make(11, 0, 0);
    for (int trial = 0; trial < 300; trial++) {
        double q[SETS], sum = 0, p[L * (L + 1)] = {0}, scratch[L], best = 0;
        int    order[L];
        for (int y = 0; y < SETS; y++)
            sum += q[y] = pow(bs_rng_uniform(&rng), trial % 3 ? 20 : 1);
        for (int y = 0; y < SETS; y++)
            for (int j = 0; j < L; j++)
                if (y >> j & 1)
                    p[j * (L + 1) + __builtin_popcount((unsigned)y)] += q[y] / sum;
        for (int h = 0; h < SETS; h++) {
            double  value = 0;
            uint8_t set[L];
            for (int y = 0; y < SETS; y++)
                value += q[y] / sum * f1(y, h);
            for (int j = 0; j < L; j++)
                set[j] = h >> j & 1;
            assert_true(fabs(bs_expected_f1(p, L, L + 1, set) - value) < 1e-12);
            best = fmax(best, value);
        }
        uint8_t choice[L];
        double  found = bs_best_expected_f1(p, L, L + 1, 0, choice, scratch, order);
        assert_true(fabs(found - best) < 1e-12);
        assert_true(fabs(bs_expected_f1(p, L, L + 1, choice) - best) < 1e-12);
    }
}

/* --- generated data ------------------------------------------------------------------------ */

static void test_make(void **state)
{
    (void)state;
    bs_make_mlc_truth a, b;
    bs_rows          *ds = make(3000, 6, 0, &a), *same = make(3000, 6, 0, &b);
    assert_int_equal(ds->rows, 3000);
    assert_int_equal(ds->schema.n_labels, 24);
    assert_true(ds->hash == same->hash);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.best >= a.marginal && a.marginal > a.local);
    assert_true(a.best - a.local > 0.1 && a.best < 0.95);
    bs_rows_free(same);

    /* The planted structure holds in every row. */
    for (int32_t r = 0; r < ds->rows; r++) {
        bool y[24] = {false};
        for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++)
            y[ds->y.index[e]] = true;
        for (int g = 0; g < 24; g += 12) {
            assert_int_equal(y[g] + y[g + 1] + y[g + 2] + y[g + 3], 1);
            for (int j = 1; j < 4; j++)
                assert_true(!y[g + 4 + j] || y[g + 4 + j - 1]);
            assert_true(y[g + 10] == (y[g + 8] != y[g + 9]));
            assert_true(y[g + 11] == (y[g + 8] && y[g + 9]));
        }
    }
    bs_rows_free(ds);
}

static int no_leak(void **state)
{
    (void)state;
    return bs_mem_live() == 0 ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, no_leak)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(balance), TEST(rare_labels), TEST(groups), TEST(crossing), TEST(best_f1), TEST(make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
