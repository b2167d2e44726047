/* test_text_metric.c -- metrics of tagging: by hand, by brute force, resampled; conlleval. */
#include "text_case.h"

#include "data/text/conlleval.h"
#include "task/tag/data.h"

#include "conlleval_cases.h"

enum { STREAM_ROWS = 0x626f6f74 }; /* of stats.c; changing it changes every interval */

#define ASSERT_NEAR(got, want, limit)                                           \
    do {                                                                        \
        double got_ = (got), want_ = (want);                                    \
        if (!(fabs(got_ - want_) <= (limit)) && !(isnan(got_) && isnan(want_))) \
            fail_msg("%s is %.12g, expected %.12g", #got, got_, want_);         \
    } while (0)

/* Gold and predicted tags of the same sentences. */
typedef struct {
    text_case c;
    bs_tagset set;
    int32_t   gold[CASE_TOKENS], guess[CASE_TOKENS], n;
    uint8_t   unknown[CASE_TOKENS];
} pair;

static void pair_text(pair *p, bs_scheme scheme, const char *gold, const char *guess)
{
    memset(p, 0, sizeof *p);
    p->n = case_text(&p->c, gold, p->gold);
    assert_int_equal(case_text(&p->c, guess, p->guess), p->n);
    p->set = case_set(&p->c, scheme);
}

/* BIOES or raw; every token is replaced with probability `noise`. Some sentences are empty. */
static void pair_random(pair *p, uint64_t seed, bs_scheme scheme, int32_t sentences, double noise)
{
    bs_rng r = bs_rng_make(seed, 1, 98);
    memset(p, 0, sizeof *p);
    p->n = case_random(&p->c, seed, sentences, p->gold);
    for (int32_t i = 0; i < p->n; i++) {
        p->guess[i] = bs_rng_bernoulli(&r, noise) ? (int32_t)bs_rng_below(&r, (uint32_t)p->c.n_tags)
                                                  : p->gold[i];
        p->unknown[i] = (uint8_t)bs_rng_bernoulli(&r, .2);
    }
    p->set = case_set(&p->c, scheme);
}

static bs_tag_metrics *measured(const pair *p, bool keep_rows, int32_t batch)
{
    bs_tag_metrics *m = NULL;
    basin_error     err = {0};
    assert_int_equal(bs_tag_metrics_new(&p->set, keep_rows, &m, &err), BASIN_OK);
    for (int32_t s = 0; s < p->c.sentences; s += batch) {
        const int32_t k = p->c.sentences - s < batch ? p->c.sentences - s : batch;
        if (bs_tag_metrics_add(m, p->gold, p->guess, p->c.start + s, k, p->unknown, &err))
            fail_msg("%s", err.msg);
    }
    return m;
}

static basin_status intervals(const bs_tag_metrics *m, uint64_t seed, int replicates,
                              bs_interval *out)
{
    bs_sampled   source;
    basin_status s = bs_tag_metrics_sampled(m, &source, NULL);
    return s ? s : bs_bootstrap(&source, seed, replicates, .95, out, NULL);
}

static void pair_values(const pair *p, double *out)
{
    bs_tag_metrics *m = measured(p, false, CASE_SENTENCES);
    bs_tag_metrics_finish(m, out);
    bs_tag_metrics_free(m);
}

/* ---- by hand ---- */

static void a_case_by_hand(void **state)
{
    (void)state;
    static pair p;
    pair_text(&p, BS_SCHEME_IOB2, "B-X I-X O B-Y | O B-X B-X | B-Y I-Y O O | O | B-X I-X",
              "B-X I-X O B-X | O B-X I-X | I-Y I-Y O B-Y | O | B-X O");
    p.unknown[0] = p.unknown[3] = p.unknown[13] = 1;
    bs_tag_metrics *m = measured(&p, true, 2);
    double          v[BS_TAG_METRIC_COUNT];
    bs_tag_metrics_finish(m, v);
    ASSERT_NEAR(v[BS_TAG_METRIC_token_accuracy], 9. / 14, 1e-15);
    /* gold: X 0-2, Y 3-4 | X 1-2, X 2-3 | Y 0-2 | | X 0-2
     * guess: X 0-2, X 3-4 | X 1-3 | Y 0-2 (repaired), Y 3-4 | | X 0-1 */
    ASSERT_NEAR(v[BS_TAG_METRIC_span_precision], 2. / 6, 1e-15);
    ASSERT_NEAR(v[BS_TAG_METRIC_span_recall], 2. / 6, 1e-15);
    ASSERT_NEAR(v[BS_TAG_METRIC_span_f1], 2. / 6, 1e-15);
    ASSERT_NEAR(v[BS_TAG_METRIC_sentence_accuracy], 1. / 5, 1e-15);
    ASSERT_NEAR(v[BS_TAG_METRIC_unknown_accuracy], 1. / 3, 1e-15);
    ASSERT_NEAR(v[BS_TAG_METRIC_macro_tag_f1], 0.5433333333333333, 1e-12); /* scikit-learn 1.2.1 */
    ASSERT_NEAR(v[BS_TAG_METRIC_ill_formed], 1, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_accuracy_non_o], 5. / 9, 1e-15);

    const bs_tag_counts n = bs_tag_metrics_counts(m);
    assert_true(n.sentences == 5 && n.tokens == 14 && n.right == 9 && n.gold_spans == 6 &&
                n.predicted_spans == 6 && n.right_spans == 2 && n.gold_repaired == 0 &&
                n.predicted_repaired == 1 && n.gold_missing == 0 && n.unknown_words == 3);

    bs_type_score type[2], tag[5];
    bs_tag_metrics_types(m, type);
    assert_string_equal(type[0].type, "X");
    assert_true(type[0].gold == 4 && type[0].predicted == 4 && type[0].right == 1);
    assert_string_equal(type[1].type, "Y");
    assert_true(type[1].gold == 2 && type[1].predicted == 2 && type[1].right == 1);
    ASSERT_NEAR(type[0].precision, .25, 0);
    ASSERT_NEAR(type[1].f1, .5, 0);

    assert_int_equal(p.c.n_tags, 5);
    bs_tag_metrics_tags(m, tag, p.c.tags);
    double mean = 0;
    for (int32_t i = 0; i < 5; i++) {
        int64_t gold = 0, guess = 0, right = 0;
        for (int32_t j = 0; j < p.n; j++) {
            gold += p.gold[j] == i;
            guess += p.guess[j] == i;
            right += p.gold[j] == i && p.guess[j] == i;
        }
        assert_string_equal(tag[i].type, p.c.tags[i]);
        assert_true(gold == tag[i].gold && guess == tag[i].predicted && right == tag[i].right);
        mean += tag[i].f1 / 5;
    }
    ASSERT_NEAR(mean, v[BS_TAG_METRIC_macro_tag_f1], 1e-15);

    bs_tag_metrics_free(m);
    bs_tagset_free(&p.set);
}

static void texts_that_other_programs_get_wrong(void **state)
{
    (void)state;
    static const struct {
        bs_scheme   scheme;
        const char *gold, *guess;
        double      f1;
    } row[] = {
        {BS_SCHEME_IOB2, "B-X I-X O", "I-X I-X O", 1},
        {BS_SCHEME_IOB1, "I-PER I-PER O I-LOC B-LOC", "I-PER I-PER O I-LOC B-LOC", 1},
        {BS_SCHEME_BIOES, "S-M S-M", "S-M S-M", 1},
        {BS_SCHEME_BIOES, "B-X E-X B-X E-X", "B-X I-X I-X E-X", 0},
        {BS_SCHEME_BIOES, "B-X E-X O", "B-X I-X O", 1},
        {BS_SCHEME_BILOU, "B-X L-X U-X", "B-X L-X U-X", 1},
        {BS_SCHEME_IOB2, "O O", "O O", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        static pair p;
        double      v[BS_TAG_METRIC_COUNT];
        pair_text(&p, row[i].scheme, row[i].gold, row[i].guess);
        pair_values(&p, v);
        ASSERT_NEAR(v[BS_TAG_METRIC_span_f1], row[i].f1, 0);
        bs_tagset_free(&p.set);
    }
}

static void shares_of_nothing(void **state)
{
    (void)state;
    static pair     p;
    double          v[BS_TAG_METRIC_COUNT];
    bs_interval     interval[BS_TAG_METRIC_COUNT];
    bs_tag_metrics *m;
    pair_text(&p, BS_SCHEME_IOB2, "O O | O", "O O | O");
    assert_int_equal(bs_tag_metrics_new(&p.set, false, &m, NULL), BASIN_OK);
    bs_tag_metrics_finish(m, v);
    for (int i = 0; i < BS_TAG_METRIC_COUNT; i++)
        assert_true(isnan(v[i]));
    /* no words are said to be unknown or not */
    assert_int_equal(bs_tag_metrics_add(m, p.gold, p.guess, p.c.start, 2, NULL, NULL), BASIN_OK);
    bs_tag_metrics_finish(m, v);
    ASSERT_NEAR(v[BS_TAG_METRIC_token_accuracy], 1, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_span_f1], 0, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_span_precision], 0, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_span_recall], 0, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_sentence_accuracy], 1, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_macro_tag_f1], 1, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_ill_formed], 0, 0);
    assert_true(isnan(v[BS_TAG_METRIC_unknown_accuracy]));
    assert_true(isnan(v[BS_TAG_METRIC_accuracy_non_o]));
    bs_tag_metrics_free(m);
    bs_tagset_free(&p.set);

    /* sentences without tokens count for nothing, but are rows to draw from */
    pair_text(&p, BS_SCHEME_IOB2, "| | B-X |", "| | O |");
    m = measured(&p, true, 3);
    bs_tag_metrics_finish(m, v);
    ASSERT_NEAR(v[BS_TAG_METRIC_sentence_accuracy], 0, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_span_recall], 0, 0);
    assert_true(isnan(v[BS_TAG_METRIC_unknown_accuracy])); /* asked for, but there are none */
    assert_int_equal(bs_tag_metrics_counts(m).sentences, 1);
    assert_int_equal(intervals(m, 1, 50, interval), BASIN_OK);
    ASSERT_NEAR(interval[BS_TAG_METRIC_token_accuracy].hi, 0, 0);
    assert_true(isnan(interval[BS_TAG_METRIC_unknown_accuracy].lo));
    bs_tag_metrics_free(m);
    bs_tagset_free(&p.set);
}

static void raw_tags_have_no_spans(void **state)
{
    (void)state;
    static pair   p;
    double        v[BS_TAG_METRIC_COUNT];
    bs_type_score type[3];
    pair_text(&p, BS_SCHEME_RAW, "NN VB NN | O NN", "NN NN NN | O O");
    bs_tag_metrics *m = measured(&p, false, 1);
    bs_tag_metrics_finish(m, v);
    ASSERT_NEAR(v[BS_TAG_METRIC_token_accuracy], .6, 1e-15);
    assert_true(isnan(v[BS_TAG_METRIC_span_f1]) && isnan(v[BS_TAG_METRIC_span_recall]));
    ASSERT_NEAR(v[BS_TAG_METRIC_macro_tag_f1], (2. / 3 + 0 + 2. / 3) / 3, 1e-15);
    ASSERT_NEAR(v[BS_TAG_METRIC_ill_formed], 0, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_accuracy_non_o], .6, 1e-15); /* no raw tag is outside */
    bs_tag_metrics_types(m, type);
    assert_string_equal(type[0].type, "NN");
    assert_true(type[0].gold == 3 && type[0].predicted == 3 && type[0].right == 2);
    assert_true(type[1].gold == 1 && type[1].predicted == 0 && type[1].right == 0);
    ASSERT_NEAR(type[1].precision, 0, 0);
    bs_tag_metrics_free(m);
    bs_tagset_free(&p.set);
}

static void tags_that_the_set_does_not_have(void **state)
{
    (void)state;
    static pair p;
    double      v[BS_TAG_METRIC_COUNT];
    pair_text(&p, BS_SCHEME_BIOES, "S-X ? O | ? S-X", "S-X O O | ? ?");
    bs_tag_metrics *m = measured(&p, false, 1);
    bs_tag_metrics_finish(m, v);
    ASSERT_NEAR(v[BS_TAG_METRIC_token_accuracy], .4, 1e-15);
    ASSERT_NEAR(v[BS_TAG_METRIC_sentence_accuracy], 0, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_accuracy_non_o], .25, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_span_recall], .5, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_span_precision], 1, 0);
    ASSERT_NEAR(v[BS_TAG_METRIC_macro_tag_f1], (2. / 3 + 2. / 3) / 2, 1e-15);
    assert_int_equal(bs_tag_metrics_counts(m).gold_missing, 2);
    bs_tag_metrics_free(m);
    bs_tagset_free(&p.set);
}

/* ---- by brute force ---- */

static bool in_one_span(const pair *p, const int32_t *tag, int32_t i)
{
    const char *a = p->c.tags[tag[i]], *b = p->c.tags[tag[i + 1]];
    return strchr("BI", a[0]) && strchr("IE", b[0]) && !strcmp(a + 1, b + 1);
}

/* Is first .. last a span of the sentence that goes from..to? All by the definition. */
static bool is_span(const pair *p, const int32_t *tag, int32_t from, int32_t to, int32_t first,
                    int32_t last)
{
    for (int32_t i = first; i <= last; i++)
        if (p->c.tags[tag[i]][0] == 'O')
            return false;
    for (int32_t i = first; i < last; i++)
        if (!in_one_span(p, tag, i))
            return false;
    return !(first > from && in_one_span(p, tag, first - 1)) &&
           !(last + 1 < to && in_one_span(p, tag, last));
}

static void brute_values(const pair *p, double *out)
{
    double right = 0, exact = 0, sentences = 0, unknown = 0, unknown_right = 0, non_o = 0,
           non_o_right = 0, ill = 0, gold = 0, guess = 0, both = 0, macro = 0, tags = 0;
    for (int32_t s = 0; s < p->c.sentences; s++) {
        const int32_t from = p->c.start[s], to = p->c.start[s + 1];
        bool          all = to > from;
        sentences += to > from;
        for (int32_t i = from; i < to; i++) {
            const bool ok = p->gold[i] == p->guess[i];
            right += ok;
            all &= ok;
            unknown += p->unknown[i];
            unknown_right += p->unknown[i] && ok;
            non_o += strcmp(p->c.tags[p->gold[i]], "O") != 0;
            non_o_right += strcmp(p->c.tags[p->gold[i]], "O") != 0 && ok;
            ill += !bs_tagset_follows(&p->set, i > from ? p->guess[i - 1] : -1, p->guess[i]);
            ill += i + 1 == to && !bs_tagset_follows(&p->set, p->guess[i], -1);
            for (int32_t j = i; j < to; j++) {
                const bool a = is_span(p, p->gold, from, to, i, j);
                const bool b = is_span(p, p->guess, from, to, i, j);
                gold += a;
                guess += b;
                both += a && b && !strcmp(p->c.tags[p->gold[i]] + 1, p->c.tags[p->guess[i]] + 1);
            }
        }
        exact += all;
    }
    for (int32_t t = 0; t < p->c.n_tags; t++) {
        double tp = 0, n = 0;
        for (int32_t i = 0; i < p->n; i++) {
            tp += p->gold[i] == t && p->guess[i] == t;
            n += (p->gold[i] == t) + (p->guess[i] == t);
        }
        macro += n > 0 ? 2 * tp / n : 0;
        tags += n > 0;
    }
    out[BS_TAG_METRIC_token_accuracy] = right / p->n;
    out[BS_TAG_METRIC_span_f1] = gold + guess > 0 ? 2 * both / (gold + guess) : 0;
    out[BS_TAG_METRIC_span_precision] = guess > 0 ? both / guess : 0;
    out[BS_TAG_METRIC_span_recall] = gold > 0 ? both / gold : 0;
    out[BS_TAG_METRIC_sentence_accuracy] = exact / sentences;
    out[BS_TAG_METRIC_unknown_accuracy] = unknown_right / unknown;
    out[BS_TAG_METRIC_macro_tag_f1] = macro / tags;
    out[BS_TAG_METRIC_ill_formed] = ill;
    out[BS_TAG_METRIC_accuracy_non_o] = non_o_right / non_o;
}

static void random_texts_agree_with_brute_force(void **state)
{
    (void)state;
    static const double noise[] = {0, .05, .3, 1};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        static pair p;
        double      got[BS_TAG_METRIC_COUNT], want[BS_TAG_METRIC_COUNT];
        pair_random(&p, seed, BS_SCHEME_BIOES, 25, noise[seed % 4]);
        pair_values(&p, got);
        brute_values(&p, want);
        for (int i = 0; i < BS_TAG_METRIC_COUNT; i++) {
            ASSERT_NEAR(got[i], want[i], 1e-13);
            assert_true(got[i] >= bs_task_tag.metric[i].least &&
                        got[i] <= bs_task_tag.metric[i].greatest);
        }
        bs_tagset_free(&p.set);
    }
}

/* Batches and their order change no bit. */
static void batches_change_nothing(void **state)
{
    (void)state;
    static pair p;
    double      one[BS_TAG_METRIC_COUNT], other[BS_TAG_METRIC_COUNT];
    pair_random(&p, 4, BS_SCHEME_BIOES, 40, .3);
    pair_values(&p, one);
    bs_tag_metrics *m = measured(&p, true, 7);
    bs_tag_metrics_finish(m, other);
    assert_memory_equal(one, other, sizeof one);
    bs_tag_metrics_free(m);
    assert_int_equal(bs_tag_metrics_new(&p.set, false, &m, NULL), BASIN_OK);
    for (int32_t s = p.c.sentences - 1; s >= 0; s--)
        assert_int_equal(bs_tag_metrics_add(m, p.gold, p.guess, p.c.start + s, 1, p.unknown, NULL),
                         BASIN_OK);
    bs_tag_metrics_finish(m, other);
    assert_memory_equal(one, other, sizeof one);
    bs_tag_metrics_free(m);
    bs_tagset_free(&p.set);
}

/* ---- resampling ---- */

/* The sentences that replicate 0 of this seed draws, written out. */
static void resample(const pair *p, uint64_t seed, pair *to)
{
    bs_rng r = bs_rng_make(seed, 0, STREAM_ROWS);
    *to = *p;
    to->n = 0;
    for (int32_t i = 0; i < p->c.n_tags; i++)
        to->c.tags[i] = to->c.text[i];
    for (int32_t s = 0; s < p->c.sentences; s++) {
        const int32_t from = (int32_t)bs_rng_below(&r, (uint32_t)p->c.sentences);
        to->c.start[s] = to->n;
        for (int32_t i = p->c.start[from]; i < p->c.start[from + 1]; i++, to->n++) {
            assert_true(to->n < CASE_TOKENS);
            to->gold[to->n] = p->gold[i];
            to->guess[to->n] = p->guess[i];
            to->unknown[to->n] = p->unknown[i];
        }
    }
    to->c.start[p->c.sentences] = to->n;
}

/* With one replicate, value + bias is what it gave. */
static void a_replicate_is_an_evaluation_of_drawn_sentences(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        static pair p, q;
        double      value[BS_TAG_METRIC_COUNT], want[BS_TAG_METRIC_COUNT];
        bs_interval got[BS_TAG_METRIC_COUNT];
        pair_random(&p, seed, seed % 3 ? BS_SCHEME_BIOES : BS_SCHEME_RAW, 40, .3);
        resample(&p, seed, &q);
        pair_values(&p, value);
        pair_values(&q, want);
        bs_tag_metrics *m = measured(&p, true, 9);
        assert_int_equal(intervals(m, seed, 1, got), BASIN_OK);
        for (int i = 0; i < BS_TAG_METRIC_COUNT; i++) {
            ASSERT_NEAR(got[i].value, value[i], 0);
            ASSERT_NEAR(got[i].value + got[i].bias, want[i], 1e-12);
        }
        bs_tag_metrics_free(m);
        bs_tagset_free(&p.set);
    }
}

static void predictions_without_mistakes_have_no_spread(void **state)
{
    (void)state;
    static const char *const texts[] = {"A B | B A", "A B | C A | B"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        static pair p;
        bs_interval got[BS_TAG_METRIC_COUNT];
        pair_text(&p, BS_SCHEME_RAW, texts[k], texts[k]);
        bs_tag_metrics *m = measured(&p, true, 1);
        assert_int_equal(intervals(m, 1, 50, got), BASIN_OK);
        ASSERT_NEAR(got[BS_TAG_METRIC_macro_tag_f1].lo, 1, 0);
        ASSERT_NEAR(got[BS_TAG_METRIC_macro_tag_f1].hi, 1, 0);
        bs_tag_metrics_free(m);
        bs_tagset_free(&p.set);
    }
}

static void systems_are_compared(void **state)
{
    (void)state;
    static pair a, b;
    pair_random(&a, 8, BS_SCHEME_BIOES, 60, .3);
    pair_random(&b, 8, BS_SCHEME_BIOES, 60, .3);
    for (int32_t s = 0; s < 60; s += 2) /* b makes no mistake in every other sentence */
        for (int32_t i = b.c.start[s]; i < b.c.start[s + 1]; i++)
            b.guess[i] = b.gold[i];
    bs_tag_metrics *ma = measured(&a, true, 60), *mb = measured(&b, true, 11);
    bs_sampled      sa, sb;
    bs_paired       out[BS_TAG_METRIC_COUNT];
    double          va[BS_TAG_METRIC_COUNT], vb[BS_TAG_METRIC_COUNT];
    bs_tag_metrics_finish(ma, va);
    bs_tag_metrics_finish(mb, vb);
    assert_int_equal(bs_tag_metrics_sampled(ma, &sa, NULL), BASIN_OK);
    assert_int_equal(bs_tag_metrics_sampled(mb, &sb, NULL), BASIN_OK);

    assert_int_equal(bs_paired_bootstrap(&sa, &sb, 1, 400, .95, out, NULL), BASIN_OK);
    for (int i = 0; i < BS_TAG_METRIC_COUNT; i++) {
        ASSERT_NEAR(out[i].a, va[i], 0);
        ASSERT_NEAR(out[i].b, vb[i], 0);
        const double sign = bs_task_tag.metric[i].higher ? 1 : -1;
        if (i == BS_TAG_METRIC_unknown_accuracy) /* few words */
            continue;
        assert_true(sign * out[i].difference > 0 && out[i].p < .02);
        assert_true(sign * out[i].lo > 0 && sign * out[i].hi > 0);
    }
    assert_int_equal(bs_randomisation(&sa, &sb, 1, 400, out, NULL), BASIN_OK);
    for (int i = 0; i < BS_TAG_METRIC_COUNT; i++)
        assert_true(i == BS_TAG_METRIC_unknown_accuracy || out[i].p < .02);
    assert_int_equal(bs_randomisation(&sa, &sa, 1, 100, out, NULL), BASIN_OK);
    ASSERT_NEAR(out[BS_TAG_METRIC_span_f1].p, 1, 0);
    bs_tag_metrics_free(ma);
    bs_tag_metrics_free(mb);
    bs_tagset_free(&a.set);
    bs_tagset_free(&b.set);
}

/* ---- the table, refusals, memory ---- */

static void the_table(void **state)
{
    (void)state;
    static const char *const order[] = {"token_accuracy", "span_f1",           "span_precision",
                                        "span_recall",    "sentence_accuracy", "unknown_accuracy",
                                        "macro_tag_f1",   "ill_formed",        "accuracy_non_o"};
    assert_int_equal(BS_TAG_METRIC_COUNT, sizeof order / sizeof *order);
    for (int i = 0; i < BS_TAG_METRIC_COUNT; i++) {
        const bs_metric *k = &bs_task_tag.metric[i];
        assert_string_equal(k->name, order[i]);
        assert_int_equal(k->higher, i != BS_TAG_METRIC_ill_formed);
        assert_true(strlen(k->help) > 10);
    }
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    static pair     p;
    bs_tag_metrics *m;
    bs_sampled      source;
    double          v[BS_TAG_METRIC_COUNT];
    pair_text(&p, BS_SCHEME_IOB2, "B-X O | O", "O O | O");
    assert_int_equal(bs_tag_metrics_new(&p.set, false, &m, NULL), BASIN_OK);
    p.gold[1] = 2;
    assert_int_equal(bs_tag_metrics_add(m, p.gold, p.guess, p.c.start, 2, NULL, NULL), BASIN_EARG);
    p.gold[1] = 0;
    p.guess[2] = -2;
    assert_int_equal(bs_tag_metrics_add(m, p.gold, p.guess, p.c.start, 2, NULL, NULL), BASIN_EARG);
    p.guess[2] = 0;
    p.c.start[1] = 5;
    assert_int_equal(bs_tag_metrics_add(m, p.gold, p.guess, p.c.start, 2, NULL, NULL), BASIN_EARG);
    assert_int_equal(bs_tag_metrics_add(m, p.gold, p.guess, p.c.start, -1, NULL, NULL), BASIN_EARG);
    bs_tag_metrics_finish(m, v);
    assert_true(isnan(v[0])); /* nothing was added */
    assert_int_equal(bs_tag_metrics_sampled(m, &source, NULL), BASIN_EARG);
    bs_tag_metrics_free(m);
    bs_tag_metrics_free(NULL);
    bs_tagset_free(&p.set);
}

static basin_status whole_run(const pair *p)
{
    bs_tag_metrics *m = NULL;
    bs_interval     interval[BS_TAG_METRIC_COUNT];
    bs_buf          text;
    bs_buf_init(&text, 1 << 16);
    basin_status s = bs_tag_metrics_new(&p->set, true, &m, NULL);
    for (int32_t i = 0; i < p->c.sentences && !s; i++)
        s = bs_tag_metrics_add(m, p->gold, p->guess, p->c.start + i, 1, p->unknown, NULL);
    if (!s)
        s = intervals(m, 1, 5, interval);
    if (!s)
        s = bs_conlleval(m, &text, NULL);
    bs_tag_metrics_free(m);
    bs_buf_free(&text);
    return s;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static pair p;
    pair_random(&p, 2, BS_SCHEME_BIOES, 20, .3);
    const long live = bs_mem_live();
    long       n = 1;
    for (;; n++) {
        bs_mem_fail_at(n);
        basin_status s = whole_run(&p);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), live);
        if (s == BASIN_OK)
            break;
        assert_int_equal(s, BASIN_ENOMEM);
        assert_true(n < 300);
    }
    assert_true(n > 10);
    bs_tagset_free(&p.set);
}

/* ---- conlleval ---- */

static void printed(bs_scheme scheme, const char *gold, const char *guess, const char *want)
{
    static pair p;
    bs_buf      text;
    basin_error err = {0};
    pair_text(&p, scheme, gold, guess);
    bs_tag_metrics *m = measured(&p, false, CASE_SENTENCES);
    bs_buf_init(&text, 1 << 16);
    if (bs_conlleval(m, &text, &err))
        fail_msg("%s", err.msg);
    if (strcmp(text.data, want))
        fail_msg("'%s'\n'%s'\ngives\n%snot\n%s", gold, guess, text.data, want);
    bs_buf_free(&text);
    bs_tag_metrics_free(m);
    bs_tagset_free(&p.set);
}

/* Its output for random tags, ill-formed ones included, of the schemes without S: the others it
 * does not know. */
static void the_historical_program_is_reproduced(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        printed(BS_SCHEME_BIOES, conlleval_case[i].gold, conlleval_case[i].guess,
                conlleval_case[i].text);
}

#define PERFECT "precision: 100.00%; recall: 100.00%; FB1: 100.00"
#define NOTHING "precision:   0.00%; recall:   0.00%; FB1:   0.00"

static void tables_by_hand(void **state)
{
    (void)state;
    printed(BS_SCHEME_BIOES, "S-M S-M", "S-M S-M",
            "processed 2 tokens with 2 phrases; found: 2 phrases; correct: 2.\n"
            "accuracy: 100.00%; " PERFECT "\n"
            "                M: " PERFECT "  2\n");
    printed(BS_SCHEME_BIOES, "B-X E-X B-X E-X", "B-X I-X I-X E-X",
            "processed 4 tokens with 2 phrases; found: 1 phrases; correct: 0.\n"
            "accuracy:  50.00%; " NOTHING "\n"
            "                X: " NOTHING "  1\n");
    /* types in order; one that is only predicted has a row, one that never occurs has none */
    printed(BS_SCHEME_IOB2, "B-Z O | B-A I-A", "B-Z B-M | B-A I-A",
            "processed 4 tokens with 2 phrases; found: 3 phrases; correct: 2.\n"
            "accuracy:  75.00%; precision:  66.67%; recall: 100.00%; FB1:  80.00\n"
            "                A: " PERFECT "  1\n"
            "                M: " NOTHING "  1\n"
            "                Z: " PERFECT "  1\n");
    printed(BS_SCHEME_IOB2, "O O", "O O",
            "processed 2 tokens with 0 phrases; found: 0 phrases; correct: 0.\n"
            "accuracy: 100.00%; " NOTHING "\n");
    printed(BS_SCHEME_IOB2, "", "",
            "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n");
    printed(BS_SCHEME_RAW, "NN O NN", "NN NN VB",
            "processed 3 tokens with 2 phrases; found: 3 phrases; correct: 1.\n"
            "accuracy:  33.33%; precision:  33.33%; recall:  50.00%; FB1:  40.00\n"
            "               NN: precision:  50.00%; recall:  50.00%; FB1:  50.00  2\n"
            "               VB: " NOTHING "  1\n");
    printed(BS_SCHEME_IOB2, "B-X ? O", "B-X O ?",
            "processed 3 tokens with 1 phrases; found: 1 phrases; correct: 1.\n"
            "accuracy:  33.33%; " PERFECT "\n"
            "                X: " PERFECT "  1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_by_hand),
        cmocka_unit_test(texts_that_other_programs_get_wrong),
        cmocka_unit_test(shares_of_nothing),
        cmocka_unit_test(raw_tags_have_no_spans),
        cmocka_unit_test(tags_that_the_set_does_not_have),
        cmocka_unit_test(random_texts_agree_with_brute_force),
        cmocka_unit_test(batches_change_nothing),
        cmocka_unit_test(a_replicate_is_an_evaluation_of_drawn_sentences),
        cmocka_unit_test(predictions_without_mistakes_have_no_spread),
        cmocka_unit_test(systems_are_compared),
        cmocka_unit_test(the_table),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(the_historical_program_is_reproduced),
        cmocka_unit_test(tables_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
