/* test_decide_masks.c -- masks with the best expected metric against all masks of ten pixels, and
 * samples of a photo's energy against its exact distribution. */
#include "tests/scene.h"

#include "data/image/expected_mask.h"
#include "model/anneal.h"

enum { PIXELS = 10, MASKS = 1 << PIXELS, SAMPLES = 40 };

static double metric(bs_decision by, int y, int h)
{
    const int both = __builtin_popcount((unsigned)(y & h));
    const int sum = __builtin_popcount((unsigned)y) + __builtin_popcount((unsigned)h);
    switch (by) {
    case BS_DECIDE_F1: return sum ? 2.0 * both / sum : 1;
    case BS_DECIDE_JACCARD: return sum ? (double)both / (sum - both) : 1;
    default: return -(sum - 2.0 * both);
    }
}

static double expected(bs_decision by, const int *set, const double *weight, int h)
{
    double sum = 0;
    for (int k = 0; k < SAMPLES; k++)
        sum += weight[k] * metric(by, set[k], h);
    return sum;
}

static void masks_have_the_best_expected_metric(void **state)
{
    static const bs_decision ways[] = {BS_DECIDE_F1, BS_DECIDE_JACCARD, BS_DECIDE_HAMMING};
    bs_rng                   rng = bs_rng_make(6, 0, 0);
    int                      exactly = 0, rounds = 40;
    (void)state;
    for (int round = 0; round < rounds; round++) {
        int32_t y[SAMPLES * PIXELS];
        int     set[SAMPLES];
        double  weight[SAMPLES], sum = 0;
        for (int k = 0; k < SAMPLES; k++) {
            const uint32_t one = bs_rng_below(&rng, MASKS), two = bs_rng_below(&rng, MASKS);
            set[k] = (int)(round % 3 == 0 ? one & two : round % 3 == 1 ? one : one | two);
            set[k] = round % 8 == 7 && k % 2 ? 0 : set[k];
            sum += weight[k] = pow(bs_rng_uniform(&rng), round % 2 ? 6 : 1);
            for (int i = 0; i < PIXELS; i++)
                y[k * PIXELS + i] = set[k] >> i & 1;
        }
        for (int k = 0; k < SAMPLES; k++)
            weight[k] /= sum;
        for (int w = 0; w < 3; w++) {
            uint8_t mask[PIXELS];
            double  best = -PIXELS;
            int     h = 0;
            assert_int_equal(bs_decide_mask(y, weight, SAMPLES, PIXELS, ways[w], mask, NULL), 0);
            for (int i = 0; i < PIXELS; i++)
                h |= mask[i] << i;
            for (int other = 0; other < MASKS; other++)
                best = fmax(best, expected(ways[w], set, weight, other));
            const double got = expected(ways[w], set, weight, h);
            exactly += got > best - 1e-12;
            for (int i = 0; i < PIXELS; i++)
                assert_true(expected(ways[w], set, weight, h ^ 1 << i) < got + 1e-9);
            CHECK(got > best - (w < 2 ? 0.01 : 1e-12), "round %d, %s: %.9f where %.9f is possible",
                  round, bs_decision_name(ways[w]), got, best);
        }
    }
    CHECK(exactly >= 3 * rounds - 6, "the best in %d of %d cases", exactly, 3 * rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_have_the_best_expected_metric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
