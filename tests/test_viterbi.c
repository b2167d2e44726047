/* test_viterbi.c -- the best sequences of tags, against the list of all. */
#include "tests/chain.h"

#include "model/viterbi.h"

enum { MOST = 4096, LONGEST = 6 };

typedef struct {
    chain   c;
    float   unary[LONGEST * 4], transition[25];
    uint8_t allowed[25];
    int32_t len;
    double  value[MOST]; /* of all sequences that are allowed, the best first */
    int     n;
} problem;

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static bool is_allowed(const problem *p, const int32_t *tag)
{
    const int N = p->c.N, T = p->len;
    bool ok = T == 0 || (p->allowed[N * (N + 1) + tag[0]] && p->allowed[tag[T - 1] * (N + 1) + N]);
    for (int t = 1; t < T; t++)
        ok &= p->allowed[tag[t - 1] * (N + 1) + tag[t]];
    return ok;
}

/* ties: scores are small whole numbers, so that many sequences are equally good */
static void problem_make(problem *p, int T, int N, double forbidden, bool ties, uint64_t seed)
{
    bs_rng r = bs_rng_make(seed, 0, 0);
    *p = (problem){.len = T};
    p->c = (chain){1, T, N, p->unary, p->transition, &p->len};
    for (int i = 0; i < T * N; i++)
        p->unary[i] = ties ? (float)bs_rng_below(&r, 3) : (float)(4 * bs_rng_uniform(&r));
    for (int i = 0; i < (N + 1) * (N + 1); i++) {
        p->transition[i] = ties ? (float)bs_rng_below(&r, 3) : (float)(4 * bs_rng_uniform(&r));
        p->allowed[i] = !bs_rng_bernoulli(&r, forbidden);
    }
    for (int k = 0; k < chain_count(&p->c, 0); k++) {
        int32_t tag[LONGEST];
        for (int t = 0; t < T; t++)
            tag[t] = chain_tag(&p->c, 0, k, t);
        if (is_allowed(p, tag))
            p->value[p->n++] = chain_value(&p->c, 0, k);
    }
    qsort(p->value, (size_t)p->n, sizeof *p->value, falling);
}

static int number_of(const problem *p, const int32_t *tag)
{
    int k = 0;
    for (int t = 0; t < p->len; t++)
        k = k * p->c.N + tag[t];
    return k;
}

static int32_t paths[2][(MOST + 1) * LONGEST];
static double  scores[2][MOST + 1];

static void check(bs_viterbi *v, const problem *p)
{
    static bool seen[MOST];
    const int   T = p->len, n = p->n + 1;
    basin_error err = {0};
    int32_t     tag[LONGEST];
    double      score = 0;
    int         found, fewer;
    bs_viterbi_set(v, p->transition, p->allowed);
    basin_status s = bs_viterbi_path(v, p->unary, T, tag, &score, &err);
    assert_int_equal(s, p->n ? BASIN_OK : BASIN_EARG);
    assert_int_equal(bs_viterbi_best(v, p->unary, T, n, paths[0], scores[0], &found, &err),
                     BASIN_OK);
    assert_int_equal(found, p->n);
    memset(seen, 0, sizeof seen);
    for (int k = 0; k < found; k++) {
        int number = number_of(p, paths[0] + k * T);
        CHECK(fabs(scores[0][k] - p->value[k]) < 1e-12 && !seen[number] &&
                  is_allowed(p, paths[0] + k * T),
              "sequence %d of %d is wrong", k, found);
        assert_true(fabs(chain_value(&p->c, 0, number) - scores[0][k]) < 1e-12);
        assert_true(k == 0 || scores[0][k] <= scores[0][k - 1]);
        seen[number] = true;
    }
    if (!found)
        return;
    assert_true(score == scores[0][0] && memcmp(tag, paths[0], (size_t)T * sizeof *tag) == 0);
    /* fewer of them are the first of more, also where many are equal */
    for (int few = 1; few <= found && few < 40; few += 3) {
        assert_int_equal(bs_viterbi_best(v, p->unary, T, few, paths[1], scores[1], &fewer, NULL),
                         BASIN_OK);
        assert_true(fewer == few &&
                    memcmp(scores[0], scores[1], (size_t)few * sizeof(double)) == 0);
        assert_memory_equal(paths[0], paths[1], (size_t)(few * T) * sizeof(int32_t));
    }
}

static void all_sequences_in_order(void **state)
{
    static const int sizes[][2] = {{1, 1}, {4, 1}, {1, 4}, {2, 3}, {5, 2}, {4, 3}, {6, 4}};
    problem         *p = malloc(sizeof *p);
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            bs_viterbi *v;
            assert_int_equal(bs_viterbi_new(sizes[i][1], &v, NULL), BASIN_OK);
            for (int forbidden = 0; forbidden < 4; forbidden++)
                for (int ties = 0; ties < 2; ties++) {
                    problem_make(p, sizes[i][0], sizes[i][1], forbidden * 0.25, ties, seed);
                    check(v, p);
                }
            bs_viterbi_free(v);
        }
    free(p);
}

/* Tags of numbers 0, 1 or 2 at most once each: the best of all sequences that keep to it. */
static void tags_that_occur_once(void **state)
{
    static const int8_t once[][4] = {{-1, 0, 1, -1}, {0, 0, 1, -1}, {0, 1, 2, -1}, {2, 2, 2, 2}};
    problem            *p = malloc(sizeof *p);
    bs_viterbi         *v;
    int                 changed = 0, none = 0;
    (void)state;
    assert_int_equal(bs_viterbi_new(4, &v, NULL), BASIN_OK);
    for (int T = 1; T <= LONGEST; T++)
        for (uint64_t i = 0; i < 64; i++) {
            const int8_t *of = once[i % 4];
            basin_error   err = {0};
            double        want = -INFINITY, got = 0, best;
            int32_t       tag[LONGEST], other[LONGEST];
            problem_make(p, T, 4, i % 3 * 0.2, i % 5 == 0, i);
            bs_viterbi_set(v, p->transition, p->allowed);
            for (int k = 0; k < chain_count(&p->c, 0); k++) {
                int  seen[3] = {0};
                bool keeps = true;
                for (int t = 0; t < T; t++) {
                    other[t] = chain_tag(&p->c, 0, k, t);
                    keeps &= of[other[t]] < 0 || seen[of[other[t]]]++ == 0;
                }
                if (keeps && is_allowed(p, other))
                    want = fmax(want, chain_value(&p->c, 0, k));
            }
            basin_status s = bs_viterbi_once(v, p->unary, T, of, tag, &got, &err);
            assert_int_equal(s, want > -INFINITY ? BASIN_OK : BASIN_EARG);
            none += s != BASIN_OK;
            if (s)
                continue;
            CHECK(fabs(want - got) < 1e-12, "%d tags: %g, not %g", T, got, want);
            assert_true(fabs(chain_value(&p->c, 0, number_of(p, tag)) - got) < 1e-12);
            assert_int_equal(bs_viterbi_path(v, p->unary, T, other, &best, NULL), BASIN_OK);
            changed += best > got;
            int seen[3] = {0};
            for (int t = 0; t < T; t++)
                assert_true(of[tag[t]] < 0 || seen[of[tag[t]]]++ == 0);
        }
    assert_true(changed > 50 && none > 10);
    bs_viterbi_free(v);
    free(p);
}

/* More tags than lanes, a long sentence, large scores: no other path is better at any one place. */
static void long_sentences(void **state)
{
    enum { T = 3000, N = 21, M = N + 1, BEST = 5 };
    float   *unary = malloc(sizeof(float[T * N])), w[M * M];
    int32_t *tag = malloc(sizeof(int32_t[BEST * T]));
    double   score[BEST];
    int      found;
    bs_rng   r = bs_rng_make(3, 0, 0);
    (void)state;
    for (int i = 0; i < T * N; i++)
        unary[i] = (float)(2000 * bs_rng_uniform(&r) - 1000);
    for (int i = 0; i < M * M; i++)
        w[i] = (float)(2000 * bs_rng_uniform(&r) - 1000);
    bs_viterbi *v;
    assert_int_equal(bs_viterbi_new(N, &v, NULL), BASIN_OK);
    bs_viterbi_set(v, w, NULL);
    assert_int_equal(bs_viterbi_best(v, unary, T, BEST, tag, score, &found, NULL), BASIN_OK);
    assert_int_equal(found, BEST);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < N; j++) {
            int    before = t ? tag[t - 1] : N, after = t < T - 1 ? tag[t + 1] : N, at = tag[t];
            double gain = (double)w[before * M + j] + (double)w[j * M + after] +
                          (double)unary[t * N + j] - (double)w[before * M + at] -
                          (double)w[at * M + after] - (double)unary[t * N + at];
            assert_true(gain < 1e-9);
            /* changing one tag of the best gives nothing better than the second */
            assert_true(j == at || score[0] + gain < score[1] + 1e-6);
        }
    long calls = bs_mem_calls();
    assert_int_equal(bs_viterbi_best(v, unary, T, BEST, tag, score, &found, NULL), BASIN_OK);
    assert_int_equal(bs_viterbi_path(v, unary, 7, tag, NULL, NULL), BASIN_OK);
    assert_int_equal(bs_mem_calls(), calls);
    bs_viterbi_free(v);
    free(unary);
    free(tag);
}

static void edges(void **state)
{
    const float w[9] = {0}, unary[4] = {(float)NAN, 1, (float)-INFINITY, 2};
    basin_error err = {0};
    bs_viterbi *v;
    int32_t     tag[8];
    double      score[4] = {9};
    int         found = 7;
    (void)state;
    assert_int_equal(bs_viterbi_new(0, &v, &err), BASIN_EARG);
    assert_null(v);
    bs_viterbi_free(v);
    assert_int_equal(bs_viterbi_new(2, &v, &err), BASIN_OK);
    bs_viterbi_set(v, w, NULL);
    assert_int_equal(bs_viterbi_path(v, unary, -1, tag, score, &err), BASIN_EARG);
    assert_int_equal(bs_viterbi_best(v, unary, 2, 0, tag, score, &found, &err), BASIN_EARG);
    assert_int_equal(bs_viterbi_best(v, unary, 0, 3, tag, score, &found, &err), BASIN_OK);
    assert_true(found == 1 && score[0] == 0);
    /* neither NaN nor minus infinity can be part of a sequence */
    assert_int_equal(bs_viterbi_best(v, unary, 2, 4, tag, score, &found, &err), BASIN_OK);
    assert_true(found == 1 && score[0] == 3 && tag[0] == 1 && tag[1] == 1);
    for (int fail_at = 1; fail_at <= 4; fail_at++) {
        bs_viterbi *w2;
        bs_mem_fail_at(fail_at);
        assert_int_equal(bs_viterbi_new(2, &w2, &err), BASIN_ENOMEM);
        bs_mem_fail_at(0);
        assert_null(w2);
    }
    bs_mem_fail_at(1);
    assert_int_equal(bs_viterbi_best(v, unary, 1, 100, tag, score, &found, &err), BASIN_ENOMEM);
    bs_mem_fail_at(0);
    bs_viterbi_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sequences_in_order),
        cmocka_unit_test(tags_that_occur_once),
        cmocka_unit_test(long_sentences),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests_name("viterbi", tests, NULL, NULL);
}
