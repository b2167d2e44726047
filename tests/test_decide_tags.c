/* test_decide_tags.c -- decisions about tag sequences: draws of a chain and annealed samples
 * against enumeration, the best spans against all sets of spans, and sentences decided by an energy
 * that is no chain against its exact distribution over all sequences. */
#include "tests/tag_scene.h"

#include "data/text/expected_spans.h"
#include "model/anneal.h"
#include "model/paths.h"

enum { N = 3, T = 4, ALL = 81 };

/* ---- a chain and something beyond it ---- */

typedef struct {
    bs_paths *paths;
    double    u[ALL];
} subject;

static int number_of(const int32_t *tag)
{
    int k = 0;
    for (int t = T - 1; t >= 0; t--)
        k = k * N + tag[t];
    return k;
}

static void redraw(void *ctx, int32_t *tag, bs_rng *rng)
{
    const int first = (int)bs_rng_below(rng, T);
    bs_paths_draw(((subject *)ctx)->paths, tag, first, first + 2 < T ? first + 2 : T, rng);
}

static double base(void *ctx, const int32_t *tag)
{
    return bs_paths_score(((subject *)ctx)->paths, tag);
}

static basin_status terms(void *ctx, const int32_t *tag, double *u, basin_error *err)
{
    (void)err;
    for (int k = 0; k < 2000; k++)
        u[k] = ((subject *)ctx)->u[number_of(tag + k * T)];
    return BASIN_OK;
}

/* Strength 0: the chain itself. */
static void samples_follow_chain_and_terms(void **state)
{
    (void)state;
    for (int strength = 0; strength < 3; strength++) {
        float       unary[T * N], transition[(N + 1) * (N + 1)];
        uint8_t     allowed[(N + 1) * (N + 1)];
        double      p[ALL], sum = 0, low = INFINITY, got[ALL] = {0};
        int         best = 0;
        bs_rng      rng = bs_rng_make(8, (uint64_t)strength, 1);
        subject     s = {.paths = NULL};
        bs_annealed a;
        for (int i = 0; i < T * N; i++)
            unary[i] = (float)(2 * bs_rng_normal(&rng));
        for (int i = 0; i < (N + 1) * (N + 1); i++) {
            transition[i] = (float)bs_rng_normal(&rng);
            allowed[i] = i != 5; /* tag 1 does not follow itself */
        }
        assert_int_equal(bs_paths_new(N, &s.paths, NULL), BASIN_OK);
        bs_paths_set(s.paths, transition, allowed);
        assert_int_equal(bs_paths_start(s.paths, unary, T, NULL), BASIN_OK);
        for (int k = 0; k < ALL; k++) {
            int32_t tag[T];
            for (int t = 0; t < T; t++)
                tag[t] = tag_of(k, t, N);
            s.u[k] = 3 * strength * strength * bs_rng_uniform(&rng);
            const double e = s.u[k] - bs_paths_score(s.paths, tag);
            sum += p[k] = exp(-e);
            best = e < low ? k : best;
            low = fmin(low, e);
        }
        assert_int_equal(bs_annealed_new(2000, T, &a, NULL), BASIN_OK);
        for (int k = 0; k < 2000; k++) {
            bs_rng own = bs_rng_make(9, (uint64_t)k, 2);
            bs_paths_draw(s.paths, a.y + k * T, 0, T, &own);
        }
        const bs_annealing how = {&s, 2000, T, redraw, base, strength ? terms : NULL};
        assert_int_equal(bs_anneal(&how, &a, NULL), BASIN_OK);
        for (int k = 0; k < 2000; k++)
            got[number_of(a.y + k * T)] += a.weight[k];
        for (int k = 0; k < ALL; k++)
            CHECK(fabs(got[k] - p[k] / sum) < 0.05, "strength %d, sequence %d: %.3f, not %.3f",
                  strength, k, got[k], p[k] / sum);
        CHECK(strength < 2 ? a.effective > 0.4 : a.effective < 0.5, "%.3f are effective",
              a.effective);
        CHECK(number_of(a.best) == best && fabs(a.lowest - low) < 1e-9, "lowest %g, not %g",
              a.lowest, low);
        bs_annealed_free(&a);
        bs_paths_free(s.paths);
    }
}

/* ---- spans ---- */

static void names_of(bs_names *names, bs_arena *arena, const char *const *text, int n)
{
    bool fresh;
    bs_arena_init(arena, 0);
    bs_names_init(names, arena);
    for (int i = 0; i < n; i++)
        bs_names_add(names, text[i], strlen(text[i]), &fresh);
}

static bool same(const bs_span *a, const bs_span *b)
{
    return a->first == b->first && a->end == b->end && a->type == b->type;
}

static double span_f1(const bs_span *a, int n, const bs_span *b, int m)
{
    int right = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            right += same(&a[i], &b[j]);
    return n + m ? 2.0 * right / (n + m) : 1;
}

/* Every set of spans is that of some sequence of BIOES tags. */
static void spans_have_the_best_expected_f1(void **state)
{
    static const char *const text[] = {"O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"};
    enum { M = 9, LENGTH = 5, SAMPLES = 25, SEQUENCES = 59049 };
    bs_arena  arena;
    bs_names  names;
    bs_tagset set;
    int64_t   repaired = 0;
    bs_rng    rng = bs_rng_make(4, 0, 0);
    (void)state;
    names_of(&names, &arena, text, M);
    assert_int_equal(bs_tagset_make(&names, BS_SCHEME_BIOES, &set, NULL), BASIN_OK);
    assert_true(bs_tagset_has_spans(&set));
    for (int round = 0; round < 6; round++) {
        int32_t tag[SAMPLES * LENGTH], chosen[LENGTH], other[LENGTH];
        bs_span span[SAMPLES][LENGTH], out[LENGTH], here[LENGTH];
        int     count[SAMPLES], found;
        double  weight[SAMPLES], sum = 0, best = -1, again = 0;
        for (int k = 0; k < SAMPLES; k++) {
            for (int t = 0; t < LENGTH; t++)
                tag[k * LENGTH + t] =
                    bs_rng_bernoulli(&rng, round % 2 ? 0.7 : 0.3) ? 0 : (int)bs_rng_below(&rng, M);
            count[k] = bs_spans(&set, tag + k * LENGTH, LENGTH, span[k], &repaired);
            sum += weight[k] = pow(bs_rng_uniform(&rng), 1 + round % 3 * 3);
        }
        for (int k = 0; k < SAMPLES; k++)
            weight[k] /= sum;
        const double value = bs_expected_spans(&set, tag, weight, SAMPLES, LENGTH, out, &found);
        bs_spans_write(&set, out, found, LENGTH, chosen);
        assert_int_equal(bs_spans(&set, chosen, LENGTH, here, &repaired), found);
        for (int i = 0; i < found; i++)
            assert_true(same(&here[i], &out[i]));
        for (int k = 0; k < SAMPLES; k++)
            again += weight[k] * span_f1(out, found, span[k], count[k]);
        for (int i = 0; i < SEQUENCES; i++) {
            double expected = 0;
            for (int t = 0, rest = i; t < LENGTH; t++, rest /= M)
                other[t] = rest % M;
            const int n = bs_spans(&set, other, LENGTH, here, &repaired);
            for (int k = 0; k < SAMPLES; k++)
                expected += weight[k] * span_f1(here, n, span[k], count[k]);
            best = fmax(best, expected);
        }
        CHECK(fabs(value - best) < 1e-12 && fabs(again - best) < 1e-12,
              "round %d: %.9f (it is %.9f), where %.9f is possible", round, value, again, best);
    }
    bs_tagset_free(&set);
    bs_names_free(&names);
    bs_arena_free(&arena);
}

/* Of a long sentence with a span at nearly every token of each of many samples. */
static void long_sentences_take_little(void **state)
{
    enum { WORDS = 100000, TIMES = 4 };
    static const char *const text[] = {"O", "B-A", "I-A", "B-B", "I-B"};
    int32_t                 *tag = calloc(TIMES * WORDS, sizeof *tag);
    const double             weight[TIMES] = {0.3, 0.3, 0.25, 0.15};
    bs_span                 *out = calloc(WORDS, sizeof *out);
    bs_names                 names;
    bs_arena                 arena;
    bs_tagset                set;
    int                      found, a = 0;
    (void)state;
    names_of(&names, &arena, text, 5);
    assert_int_equal(bs_tagset_make(&names, BS_SCHEME_IOB2, &set, NULL), BASIN_OK);
    for (int i = 0; i < TIMES * WORDS; i++) /* the first two agree on odd tokens */
        tag[i] = i % WORDS % 2 ? (i < 2 * WORDS ? 1 : 3) : i / WORDS % 2 ? 1 : i / WORDS ? 3 : 0;
    assert_true(bs_expected_spans(&set, tag, weight, TIMES, WORDS, out, &found) > 0);
    for (int i = 0; i < found; i++)
        a += out[i].type == 0;
    assert_int_equal(found, WORDS / 2);
    assert_int_equal(a, WORDS / 2);
    bs_tagset_free(&set);
    bs_names_free(&names);
    bs_arena_free(&arena);
    free(tag);
    free(out);
}

/* Schemes without some letters are written by what they have. */
static void spans_are_read_as_they_were_written(void **state)
{
    static const char *const text[] = {"O", "B-X", "I-X", "E-X", "S-X"};
    static const struct {
        bs_scheme   scheme;
        const char *letters;
    } some[] = {{BS_SCHEME_IOB2, "OBI"},
                {BS_SCHEME_IOE2, "OIE"},
                {BS_SCHEME_IOB1, "OBI"},
                {BS_SCHEME_IOE1, "OIE"},
                {BS_SCHEME_BIOES, "OBIES"}};
    static const bs_span span[] = {{0, 1, 0}, {1, 4, 0}, {4, 5, 0}, {6, 8, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        const char *own[5];
        int         n = 0;
        int32_t     tag[8];
        bs_span     back[8];
        int64_t     repaired = 0;
        bs_arena    arena;
        bs_names    names;
        bs_tagset   set;
        for (int k = 0; k < 5; k++)
            if (strchr(some[i].letters, text[k][0]))
                own[n++] = text[k];
        names_of(&names, &arena, own, n);
        assert_int_equal(bs_tagset_make(&names, some[i].scheme, &set, NULL), BASIN_OK);
        bs_spans_write(&set, span, 4, 8, tag);
        assert_int_equal(bs_spans(&set, tag, 8, back, &repaired), 4);
        for (int k = 0; k < 4; k++)
            CHECK(same(&back[k], &span[k]), "%s: span %d", bs_scheme_name(some[i].scheme), k);
        bs_tagset_free(&set);
        bs_names_free(&names);
        bs_arena_free(&arena);
    }
}

/* ---- sentences ---- */

static bs_tag_batch repeated_batch;

static basin_status repeat(void *ctx, int32_t sentence, int rows, const bs_batch **out,
                           basin_error *err)
{
    scene        *c = ctx;
    const bs_size size = {rows, bs_tag_rounded(tag_length(sentence)), 1};
    basin_status  s = bs_tag_batch_reserve(&repeated_batch, bs_net_spec_tag(&c->learner.spec),
                                           (size_t)rows * T, (size_t)rows, 1, false, err);
    assert_int_equal(s, BASIN_OK);
    bs_tag_batch_begin(&repeated_batch, size);
    for (int r = 0; r < rows; r++) {
        bs_tag_batch_sentence(&repeated_batch, r, tag_length(sentence));
        for (int t = 0; t < tag_length(sentence); t++)
            bs_tag_batch_word(&repeated_batch, r, t, tag_hash(sentence, t, 1) % TAG_WORDS);
    }
    *out = &repeated_batch.batch;
    return BASIN_OK;
}

/* Of one sentence, as the scene computes it. */
static void exact(scene *c, double p[ALL])
{
    double sum = 0;
    c->s.v.net_dropout = c->s.v.energy_dropout = false;
    scene_result(c, c->s.t->energy(&c->s.v, tag_all(c)), -1);
    c->s.t->logits(&c->s.v, "net");
    scene_allocate(c, 7);
    scene_shake(c, "energy/", 1.5);
    scene_start(c, 7);
    machine_run(&c->m, 0);
    for (int k = 0; k < ALL; k++)
        sum += p[k] = exp(-(double)machine_value(&c->m, 0)[k]);
    for (int k = 0; k < ALL; k++)
        p[k] /= sum;
}

static double gained(bs_decision by, const bs_tagset *set, const int32_t *tag, const double p[ALL])
{
    int64_t repaired = 0;
    bs_span span[T], here[T];
    double  sum = 0;
    for (int k = 0; k < ALL; k++) {
        int32_t other[T];
        int     right = 0;
        for (int t = 0; t < T; t++) {
            other[t] = tag_of(k, t, N);
            right += other[t] == tag[t];
        }
        if (by == BS_DECIDE_F1) {
            const int n = bs_spans(set, tag, T, span, &repaired);
            sum += p[k] * span_f1(span, n, here, bs_spans(set, other, T, here, &repaired));
        } else {
            sum += p[k] * (by == BS_DECIDE_SUBSET ? right == T : right);
        }
    }
    return sum;
}

static void sentences_are_decided_by_the_whole_energy(void **state)
{
    static const char *const kinds[] = {"energy.kind=chain energy.encoder=own",
                                        "energy.kind=lm energy.scale=4"};
    static const char *const text[] = {"O", "B-X", "I-X"};
    static double            p[ALL];
    (void)state;
    for (size_t kind = 0; kind < 2; kind++) {
        scene        *c = tag_scene_sized(kinds[kind], N, (tag_batch){1, T, 1, 0});
        bs_arena      arena;
        bs_lexicon    l = {.scheme = BS_SCHEME_IOB2};
        bs_tagset     set;
        bs_workspace *w;
        bs_scorer    *scorer;
        const int32_t start[] = {0, T}, index[] = {0};
        real          y[T * N];
        for (int i = 0; i < T * N; i++)
            y[i] = (real)i / (T * N);
        exact(c, p);
        names_of(&l.tags, &arena, text, N);
        assert_int_equal(bs_tagset_make(&l.tags, BS_SCHEME_IOB2, &set, NULL), BASIN_OK);
        assert_int_equal(bs_workspace_open((bs_machine){.threads = 1}, &w, NULL), BASIN_OK);
        for (int by = BS_DECIDE_F1; by <= BS_DECIDE_HAMMING; by++) {
            const bs_inference how = {.decide = by, .decide_samples = 400};
            bs_tag_decoder     d;
            int32_t            tag[T + 1] = {0}, other[T];
            float              score[T + 1] = {[T] = 7};
            double             best = -1;
            basin_error        err = {0};
            CHECK(!bs_scorer_new(w, c->learner.params, &c->learner.spec, &how, &scorer, &err), "%s",
                  err.msg);
            CHECK(!bs_tag_decoder_make(scorer, &l, &d, &err), "%s", err.msg);
            CHECK(!bs_tag_decide_all(d.sampler, &(bs_tag_repeat){c, repeat}, y, T * N, start, index,
                                     1, 0, tag, score, &err),
                  "%s", err.msg);
            for (int t = 0; t < T; t++)
                assert_true(score[t] == (float)y[t * N + tag[t]]);
            assert_true(score[T] == 7); /* of the next sentence */
            for (int k = 0; k < ALL; k++) {
                for (int t = 0; t < T; t++)
                    other[t] = tag_of(k, t, N);
                best = fmax(best, gained((bs_decision)by, &set, other, p));
            }
            const double got = gained((bs_decision)by, &set, tag, p);
            CHECK(got > best - (by == BS_DECIDE_SUBSET ? 1e-9 : 0.03),
                  "kind %d, %s: %.4f where %.4f is possible", (int)kind,
                  bs_decision_name((bs_decision)by), got, best);
            bs_tag_decoder_free(&d);
            bs_scorer_free(scorer);
        }
        bs_workspace_close(w);
        bs_tag_batch_free(&repeated_batch);
        bs_tagset_free(&set);
        bs_names_free(&l.tags);
        bs_arena_free(&arena);
        scene_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_follow_chain_and_terms),
        cmocka_unit_test(spans_have_the_best_expected_f1),
        cmocka_unit_test(long_sentences_take_little),
        cmocka_unit_test(spans_are_read_as_they_were_written),
        cmocka_unit_test(sentences_are_decided_by_the_whole_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
