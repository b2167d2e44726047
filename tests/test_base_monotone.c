/* test_base_monotone.c -- isotonic regression against its definition, and what makes its result a
 * function that loses nothing: it increases, has an inverse, and reads back as it was written. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotone.h"
#include "base/rng.h"

enum { N = 400 };

static bs_arena arena;

/* Scores with ties; truth is rarer than they say. */
static void make(bs_scored_truth *x, int n, uint64_t seed, double power)
{
    bs_rng rng = bs_rng_make(seed, 1, 2);
    for (int i = 0; i < n; i++) {
        const double p = floor(bs_rng_uniform(&rng) * 60) / 60;
        x[i] = (bs_scored_truth){(float)p, bs_rng_uniform(&rng) < pow(p, power)};
    }
}

/* The value of isotonic regression at a score: the largest mean of what lies between any lower one
 * and the higher one that makes it least (max-min formula). */
static double by_definition(const bs_scored_truth *x, int n, float at)
{
    double best = -1;
    for (int i = 0; i < n; i++) {
        double least = 2;
        if (x[i].score > at)
            continue;
        for (int k = 0; k < n; k++) {
            double on = 0, cells = 0;
            if (x[k].score < at)
                continue;
            for (int j = 0; j < n; j++)
                if (x[j].score >= x[i].score && x[j].score <= x[k].score) {
                    on += x[j].truth;
                    cells++;
                }
            least = fmin(least, on / cells);
        }
        best = fmax(best, least);
    }
    return best;
}

static void pools_are_those_of_the_definition(void **state)
{
    enum { FEW = 60 };
    bs_scored_truth x[FEW];
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        bs_monotone m;
        make(x, FEW, seed, 2);
        assert_int_equal(bs_monotone_fit(x, FEW, &arena, &m, NULL), BASIN_OK);
        assert_true(m.n > 1);
        for (int i = 0; i < m.n; i++) {
            double scores = 0, cells = 0, value = 0;
            for (int k = 0; k < FEW; k++) { /* the pool whose mean score is the knot */
                const double v = by_definition(x, FEW, x[k].score);
                if (fabs(v - m.to[i]) < 1e-9) {
                    scores += (double)x[k].score;
                    cells++;
                    value = v;
                }
            }
            if (i > 0 && i < m.n - 1) /* the ends are moved away from 0 and 1 */
                assert_true(cells > 0);
            if (cells > 0)
                assert_true(fabs(scores / cells - m.from[i]) < 1e-9 && value > 0 && value < 1);
        }
    }
}

static void order_stays_and_comes_back(void **state)
{
    bs_scored_truth x[N];
    (void)state;
    for (int power = 0; power < 4; power++) { /* 0: all are true */
        bs_monotone m;
        make(x, N, 7, power);
        for (int i = 0; i < N; i++)
            x[i].truth = power == 3 ? false : x[i].truth;
        assert_int_equal(bs_monotone_fit(x, N, &arena, &m, NULL), BASIN_OK);
        const bs_monotone back = bs_monotone_inverse(&m);
        double            last = 0;
        for (int i = 1; i < 1000; i++) {
            const double p = i / 1000., q = bs_monotone_at(&m, p);
            assert_true(q > last && q < 1);
            assert_true(fabs(bs_monotone_at(&back, q) - p) < 1e-9);
            last = q;
        }
    }
    const bs_monotone none = {0, NULL, NULL};
    assert_true(bs_monotone_at(&none, 0.3) == 0.3 && bs_monotone_at(&none, 0) == 0);
    assert_true(bs_monotone_at(&none, 1) == 1 && bs_monotone_at(&none, 1.5) == 1.5);
    assert_true(isnan(bs_monotone_at(&none, NAN)));
}

static void nothing_and_a_lot_can_be_fitted(void **state)
{
    enum { MANY = 3 * BS_MOST_KNOTS };
    bs_monotone      m;
    bs_scored_truth *x = calloc(MANY, sizeof *x);
    (void)state;
    assert_non_null(x);
    assert_int_equal(bs_monotone_fit(x, 0, &arena, &m, NULL), BASIN_OK);
    assert_int_equal(m.n, 0);
    for (int i = 0; i < MANY; i++) /* every score is its own pool */
        x[i] = (bs_scored_truth){(float)(i + 1) / (MANY + 1), i % 2};
    assert_int_equal(bs_monotone_fit(x, MANY, &arena, &m, NULL), BASIN_OK);
    assert_true(m.n >= 1 && m.n <= BS_MOST_KNOTS);
    free(x);
}

static void it_reads_back(void **state)
{
    static const char *const wrong[] = {"",        "0.5",     "0.5 x",           "0.5 0.5 0.4 0.6",
                                        "0.5 1",   "0 0.5",   "0.5 0.5 0.6 0.5", "0.5  0.5",
                                        "nan 0.5", "0.5 0.5 "};
    bs_scored_truth          x[N];
    bs_monotone              m, again;
    bs_buf                   text;
    (void)state;
    make(x, N, 3, 2);
    bs_buf_init(&text, 1 << 20);
    assert_int_equal(bs_monotone_fit(x, N, &arena, &m, NULL), BASIN_OK);
    bs_monotone_write(&m, &text);
    assert_true(bs_monotone_read(text.data, &arena, &again));
    assert_int_equal(again.n, m.n);
    assert_memory_equal(again.from, m.from, (size_t)m.n * sizeof *m.from);
    assert_memory_equal(again.to, m.to, (size_t)m.n * sizeof *m.to);
    bs_buf_free(&text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(bs_monotone_read(wrong[i], &arena, &again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_are_those_of_the_definition),
        cmocka_unit_test(order_stays_and_comes_back),
        cmocka_unit_test(nothing_and_a_lot_can_be_fitted),
        cmocka_unit_test(it_reads_back),
    };
    bs_arena_init(&arena, 0);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bs_arena_free(&arena);
    return failed;
}
