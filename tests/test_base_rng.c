/* test_base_rng.c -- known answers of Philox, and the shape of what is made of them.
 *
 * The statistical bounds are wide (a good generator passes with any seed) and
 * the seeds are fixed, so a failure is a defect and never bad luck. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/rng.h"

static void philox_known_answers(void **state)
{
    (void)state;
    /* kat_vectors of the Random123 distribution, philox4x32 with 10 rounds. */
    static const struct {
        uint32_t counter[4], key[2], want[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t out[4];
        bs_philox(cases[i].counter, cases[i].key, out);
        assert_memory_equal(out, cases[i].want, sizeof out);
    }
}

static void elements_follow_the_counter_layout(void **state)
{
    (void)state;
    /* The published vector, reached through (seed, step, stream, element): the
     * high half of the block number is zero, so the counter's last word is that
     * of the step. */
    const uint64_t        seed = 0x299f31d0a4093822u, step = 0x0370734413198a2eu;
    const uint32_t        stream = 0x85a308d3u;
    const uint64_t        first = (uint64_t)0x243f6a88u * 4;
    static const uint32_t want[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(bs_rng_at(seed, step, stream, first + i), want[i]);

    /* Beyond 2^34 elements the block's high half enters the last word. */
    const uint64_t far = ((uint64_t)5 << 34) + 2;
    uint32_t       counter[4] = {0, 9, 7, 3 ^ 5}, key[2] = {1, 2}, out[4];
    bs_philox(counter, key, out);
    assert_int_equal(bs_rng_at(((uint64_t)2 << 32) | 1, ((uint64_t)3 << 32) | 7, 9, far), out[2]);
}

static void sequences_read_the_stream_in_order(void **state)
{
    (void)state;
    bs_rng r = bs_rng_make(11, 22, 33);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(bs_rng_bits(&r), bs_rng_at(11, 22, 33, i));
    assert_true(bs_rng_uniform(&r) == bs_rng_at(11, 22, 33, 10) / 4294967296.0);
    assert_int_equal(r.next, 11);

    /* From the odd word 11 on, the next pair is (12, 13). */
    double u1 = (bs_rng_at(11, 22, 33, 12) + 1.0) / 4294967296.0;
    double u2 = bs_rng_at(11, 22, 33, 13) / 4294967296.0;
    double z = sqrt(-2.0 * log(u1)) * cos(2.0 * 3.14159265358979323846 * u2);
    assert_true(fabs(bs_rng_normal(&r) - z) < 1e-12);
    assert_int_equal(r.next, 14);

    /* Both pairs of a block serve. */
    r.next = 14;
    u1 = (bs_rng_at(11, 22, 33, 14) + 1.0) / 4294967296.0;
    u2 = bs_rng_at(11, 22, 33, 15) / 4294967296.0;
    z = sqrt(-2.0 * log(u1)) * cos(2.0 * 3.14159265358979323846 * u2);
    assert_true(fabs(bs_rng_normal(&r) - z) < 1e-12);

    assert_int_not_equal(bs_rng_at(11, 22, 33, 0), bs_rng_at(12, 22, 33, 0));
    assert_int_not_equal(bs_rng_at(11, 22, 33, 0), bs_rng_at(11, 23, 33, 0));
    assert_int_not_equal(bs_rng_at(11, 22, 33, 0), bs_rng_at(11, 22, 34, 0));
}

static void moments_are_right(void **state)
{
    (void)state;
    enum { N = 400000 };
    bs_rng r = bs_rng_make(1, 0, 0);
    double s1 = 0, s2 = 0, lag = 0, last = 0.5;
    for (int i = 0; i < N; i++) {
        double u = bs_rng_uniform(&r);
        assert_true(u >= 0 && u < 1);
        s1 += u;
        s2 += u * u;
        lag += (u - 0.5) * (last - 0.5);
        last = u;
    }
    /* Five standard errors each. */
    assert_true(fabs(s1 / N - 0.5) < 5 * sqrt(1.0 / 12 / N));
    assert_true(fabs(s2 / N - 1.0 / 3) < 5 * sqrt(4.0 / 45 / N));
    assert_true(fabs(lag / N) < 5 * (1.0 / 12) / sqrt(N));

    r = bs_rng_make(1, 0, 1);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (int i = 0; i < N; i++) {
        double z = bs_rng_normal(&r);
        m1 += z;
        m2 += z * z;
        m3 += z * z * z;
        m4 += z * z * z * z;
    }
    assert_true(fabs(m1 / N) < 5 * sqrt(1.0 / N));
    assert_true(fabs(m2 / N - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(m3 / N) < 5 * sqrt(15.0 / N));
    assert_true(fabs(m4 / N - 3) < 5 * sqrt(96.0 / N));
}

static void bernoulli_has_its_rate(void **state)
{
    (void)state;
    enum { N = 100000 };
    bs_rng       r = bs_rng_make(3, 0, 0);
    const double rates[] = {0.5, 0.1, 0.9, 0.003};
    for (int k = 0; k < 4; k++) {
        int    hits = 0;
        double p = rates[k];
        for (int i = 0; i < N; i++)
            hits += bs_rng_bernoulli(&r, p);
        assert_true(fabs(hits - N * p) < 5 * sqrt(N * p * (1 - p)));
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(bs_rng_bernoulli(&r, 0.0), 0);
        assert_int_equal(bs_rng_bernoulli(&r, 1.0), 1);
        assert_int_equal(bs_rng_bernoulli(&r, (double)NAN), 0);
    }
}

static void below_is_unbiased(void **state)
{
    (void)state;
    enum { N = 70000 };
    bs_rng r = bs_rng_make(4, 0, 0);
    int    counts[7] = {0};
    for (int i = 0; i < N; i++) {
        uint32_t v = bs_rng_below(&r, 7);
        assert_true(v < 7);
        counts[v]++;
    }
    double chi = 0;
    for (int i = 0; i < 7; i++)
        chi += (counts[i] - N / 7.0) * (counts[i] - N / 7.0) / (N / 7.0);
    assert_true(chi < 27.9); /* 6 degrees of freedom, 0.0001 */

    /* Without rejection 3 * 2^30 would give the multiples of 3 twice as often as
     * the other numbers; a plain remainder would so favour the lower third. */
    int low = 0, multiples = 0;
    for (int i = 0; i < N; i++) {
        uint32_t v = bs_rng_below(&r, 0xC0000000u);
        low += v < 0x40000000u;
        multiples += v % 3 == 0;
    }
    assert_true(fabs(low - N / 3.0) < 5 * sqrt(N * 2.0 / 9));
    assert_true(fabs(multiples - N / 3.0) < 5 * sqrt(N * 2.0 / 9));

    assert_int_equal(bs_rng_below(&r, 1), 0);
    assert_int_equal(bs_rng_below(&r, 0), 0);
    for (int i = 0; i < 100; i++)
        assert_true(bs_rng_below(&r, UINT32_MAX) < UINT32_MAX);
}

static void permutations_are_uniform(void **state)
{
    (void)state;
    enum { N = 120000 };
    bs_rng r = bs_rng_make(5, 0, 0);
    int    counts[256] = {0};
    for (int i = 0; i < N; i++) {
        int32_t p[4];
        bs_rng_permutation(&r, p, 4);
        counts[(p[0] << 6) | (p[1] << 4) | (p[2] << 2) | p[3]]++;
    }
    /* 24 of the 256 codes are permutations; each must be as frequent as the others. */
    double chi = 0, want = N / 24.0;
    int    seen = 0, total = 0;
    for (int code = 0; code < 256; code++) {
        if (!counts[code])
            continue;
        seen++;
        total += counts[code];
        chi += (counts[code] - want) * (counts[code] - want) / want;
    }
    assert_int_equal(seen, 24);
    assert_int_equal(total, N);
    assert_true(chi < 58.0); /* 23 degrees of freedom, 0.0001 */

    static int32_t big[10000];
    static char    hit[10000];
    bs_rng_permutation(&r, big, 10000);
    for (int i = 0; i < 10000; i++) {
        assert_in_range(big[i], 0, 9999);
        hit[big[i]] = 1;
    }
    for (int i = 0; i < 10000; i++)
        assert_int_equal(hit[i], 1);
    big[0] = 77;
    bs_rng_permutation(&r, big, 0);
    assert_int_equal(big[0], 77);
    bs_rng_permutation(&r, big, 1);
    assert_int_equal(big[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(elements_follow_the_counter_layout),
        cmocka_unit_test(sequences_read_the_stream_in_order),
        cmocka_unit_test(moments_are_right),
        cmocka_unit_test(bernoulli_has_its_rate),
        cmocka_unit_test(below_is_unbiased),
        cmocka_unit_test(permutations_are_uniform),
    };
    return cmocka_run_group_tests_name("base rng", tests, NULL, NULL);
}
