/* test_text_make.c -- generated sentences: the stated accuracies are right. */
#include <math.h>
#include <stdlib.h>

#include "text_helper.h"

#include "base/mem.h"
#include "tasks/tag/make.h"

static bs_make_tag_options make_options(const char *text)
{
    bs_make_tag_options o;
    basin_error         err;
    char                copy[256];
    bs_options_default(bs_make_tag_rows, &o, NULL);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = copy, *next; p && *p; p = next) {
        next = strchr(p, ' ');
        if (next)
            *next++ = '\0';
        char *value = strchr(p, '=');
        *value++ = '\0';
        if (bs_options_set(bs_make_tag_rows, &o, p, value, "make", &err))
            fail_msg("%s", err.msg);
    }
    return o;
}

static bs_corpus *make(const bs_make_tag_options *o, bs_make_tag_truth *truth)
{
    bs_buf      text;
    basin_error err = {0};
    bs_buf_init(&text, 1 << 26);
    if (bs_make_tag(o, &text, truth, &err))
        fail_msg("%s", err.msg);
    bs_corpus *c = corpus_text(text.data, "", NULL);
    bs_buf_free(&text);
    return c;
}

static void test_shape(void **state)
{
    (void)state;
    bs_make_tag_options o = make_options("rows=500 tags=6 length=9 seed=3");
    bs_make_tag_truth   truth;
    bs_corpus          *c = make(&o, &truth), *again = make(&o, NULL);
    assert_int_equal(c->sentences, 500);
    assert_int_equal(c->tags.n, 6);
    assert_int_equal(c->tokens, truth.tokens);
    assert_int_equal(c->scheme, BS_SCHEME_RAW);
    assert_true(c->hash == again->hash);
    for (int32_t s = 0; s < c->sentences; s++) {
        int32_t n = c->start[s + 1] - c->start[s];
        assert_true(n >= 5 && n <= 13);
    }
    assert_true(truth.single < truth.chain && truth.chain < truth.best && truth.best < 1);
    bs_corpus_free(again);
    o.seed = 4;
    again = make(&o, NULL);
    assert_true(c->hash != again->hash);
    bs_corpus_free(again);
    bs_corpus_free(c);
    assert_int_equal(bs_mem_live(), 0);
}

/* --- by enumeration ------------------------------------------------------ */

/* Four tags, written anew from the description: 0 SAME, 1 TURN, 2 A, 3 B. */
static double sequence_chance(const bs_make_tag_options *o, const int *tag, const char *const *word,
                              int n)
{
    double p = 1;
    int    mode = tag[0];
    if (tag[0] > 1)
        return 0;
    for (int i = 0; i < n; i++) {
        double set = tag[i] == 0 ? o->same : 1 - o->same;
        if (i == 0) {
            p *= set;
        } else if (tag[i] < 2) {
            p *= o->change * set;
        } else if (tag[i - 1] < 2) {
            p *= (1 - o->change) / 2;
        } else {
            bool same = tag[i] == tag[i - 1];
            p *= (1 - o->change) * (same == (mode == 0) ? o->rule : 1 - o->rule);
        }
        mode = tag[i] < 2 ? tag[i] : mode;
        /* Five groups of words: same, turn, a, b, x. */
        static const char first[] = "stabx";
        int               group = (int)(strchr(first, word[i][0]) - first);
        double            own = tag[i] < 2        ? group == tag[i]
                                : group == 4      ? 1 - o->clear
                                : group == tag[i] ? o->clear
                                                  : 0;
        p *= (o->noise / 5 + (1 - o->noise) * own) / o->words;
    }
    return p;
}

static double best_accuracy(const bs_make_tag_options *o, const bs_corpus *c)
{
    double sum = 0;
    for (int32_t s = 0; s < c->sentences; s++) {
        const char *word[8];
        int         n = c->start[s + 1] - c->start[s], count = 1;
        double      belief[8][4] = {{0}}, total = 0;
        for (int i = 0; i < n; i++) {
            word[i] = c->words.item[c->word[c->start[s] + i]].text;
            count *= 4;
        }
        for (int k = 0; k < count; k++) {
            int tag[8] = {0};
            for (int i = 0; i < n; i++)
                tag[i] = k >> 2 * i & 3;
            double p = sequence_chance(o, tag, word, n);
            total += p;
            for (int i = 0; i < n; i++)
                belief[i][tag[i]] += p;
        }
        for (int i = 0; i < n; i++)
            sum += fmax(fmax(belief[i][0], belief[i][1]), fmax(belief[i][2], belief[i][3])) / total;
    }
    return sum / c->tokens;
}

static void test_best_by_enumeration(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "rows=40 tags=4 length=5 words=2",
        "rows=40 tags=4 length=4 words=1 noise=0.2 clear=0.5 change=0.4 rule=0.7 same=0.5",
        "rows=40 tags=4 length=5 noise=0 clear=0.3 rule=1 seed=9",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        bs_make_tag_options o = make_options(settings[i]);
        bs_make_tag_truth   truth;
        bs_corpus          *c = make(&o, &truth);
        double              want = best_accuracy(&o, c);
        if (fabs(truth.best - want) > 1e-9)
            fail_msg("%s: %.12f, expected %.12f", settings[i], truth.best, want);
        bs_corpus_free(c);
    }
    assert_int_equal(bs_mem_live(), 0);
}

/* Deciding by the word as counts of many sentences say comes to the stated figure, and so
 * does the share of right decisions. */
static void test_single_by_counting(void **state)
{
    (void)state;
    bs_make_tag_options o = make_options("rows=3000 tags=6 words=2 length=12");
    bs_make_tag_truth   truth;
    bs_corpus          *c = make(&o, &truth);
    int32_t            *count = calloc((size_t)c->words.n * 6, sizeof *count), right = 0;
    for (int32_t t = 0; t < c->tokens; t++)
        count[c->word[t] * 6 + c->tag[t]]++;
    for (int32_t w = 0; w < c->words.n; w++) {
        int32_t most = 0;
        for (int k = 0; k < 6; k++)
            most = count[w * 6 + k] > most ? count[w * 6 + k] : most;
        right += most;
    }
    assert_true(fabs((double)right / c->tokens - truth.single) < 0.01);
    free(count);
    bs_corpus_free(c);
}

static void test_refuses(void **state)
{
    (void)state;
    bs_make_tag_options o = make_options("tags=5");
    bs_buf              text;
    basin_error         err;
    bs_buf_init(&text, 1 << 20);
    assert_int_equal(bs_make_tag(&o, &text, NULL, &err), BASIN_EARG);
    assert_string_equal(err.msg, "make: tags: '5' is not an even number");
    o = make_options("rows=100000");
    assert_int_equal(bs_make_tag(&o, &text, NULL, &err), BASIN_ENOMEM);
    bs_buf_free(&text);
    assert_int_equal(bs_mem_live(), 0);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    bs_make_tag_options o = make_options("rows=3");
    for (int n = 1;; n++) {
        bs_buf            text;
        basin_error       err;
        bs_make_tag_truth truth;
        bs_buf_init(&text, 1 << 20);
        bs_mem_fail_at(n);
        basin_status s = bs_make_tag(&o, &text, &truth, &err);
        bs_mem_fail_at(0);
        bs_buf_free(&text);
        assert_int_equal(bs_mem_live(), 0);
        if (!s)
            break;
        assert_int_equal(s, BASIN_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_best_by_enumeration),
        cmocka_unit_test(test_single_by_counting),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
