/* test_api_tag.c -- sentences through the public interface: tags and spans from memory agree with
 * those of files, models are shared, wrong calls are refused, memory may run out. */
#include "tests/check.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "base/mem.h"
#include "tests/api_folder.h"

enum { SENTENCES = 60, MOST_TOKENS = 1024 };

/* Names of people and places behind words that tell them, with a column of features. */
typedef struct {
    int32_t             start[SENTENCES + 1];
    const char         *token[MOST_TOKENS], *value[MOST_TOKENS], *tag[MOST_TOKENS];
    const char *const  *column[1];
    basin_token_columns columns;
    basin_sentences     all;
} text;

static text t;

static void put(int32_t *n, const char *token, const char *value, const char *tag)
{
    t.token[*n] = token;
    t.value[*n] = value;
    t.tag[(*n)++] = tag;
}

static void make_text(void)
{
    static const char *const first[] = {"Ada", "Ben", "Eve", "Max"};
    static const char *const last[] = {"Lund", "Moss", "Reed"};
    static const char *const place[] = {"Oslo", "Rome", "Kyiv", "Lima", "Bern"};
    int32_t                  n = 0;
    for (int i = 0; i < SENTENCES; i++) {
        t.start[i] = n;
        put(&n, first[i % 4], "N", "B-PER");
        if (i % 3)
            put(&n, last[i % 3], "N", "I-PER");
        for (int k = 0; k < i % 7; k++)
            put(&n, "often", "R", "O");
        put(&n, i % 2 ? "visits" : "likes", "V", "O");
        put(&n, place[i % 5], "N", "B-LOC");
        put(&n, ".", ".", "O");
    }
    t.start[SENTENCES] = n;
    t.column[0] = t.value;
    t.columns = (basin_token_columns){1, t.column};
    t.all = (basin_sentences){SENTENCES, t.start, t.token, &t.columns};
}

static void write_text(const char *path)
{
    FILE *f = fopen(path, "w");
    for (int i = 0; i < SENTENCES; i++, fprintf(f, "\n"))
        for (int32_t k = t.start[i]; k < t.start[i + 1]; k++)
            fprintf(f, "%s %s %s\n", t.token[k], t.value[k], t.tag[k]);
    fclose(f);
}

static basin_status train(const char *run, const char *method, const char *data, basin_error *err)
{
    static const char *const setting[][2] = {
        {"epochs", "20"},       {"net.width", "16"},   {"lr.net", "0.02"},  {"lr.energy", "0.02"},
        {"energy.hidden", "8"}, {"words.width", "16"}, {"chars.net", "cnn"}};
    const bool    rows = strstr(data, ".arff") != NULL; /* which have neither words nor letters */
    basin_config *c = NULL;
    basin_text    out = {0};
    basin_status  s = basin_config_new(&c, err);
    for (size_t i = 0; i < (rows ? 5 : sizeof setting / sizeof setting[0]) && !s; i++)
        s = basin_config_set(c, setting[i][0], setting[i][1], err);
    if (!s)
        s = basin_config_set(c, "method", method, err);
    if (!s)
        s = basin_config_file(c, "train", data, err);
    if (!s)
        s = basin_train(c, run, 1, 0, NULL, &out, err);
    basin_text_free(&out);
    basin_config_free(c);
    return s;
}

static int prepare(void **state)
{
    basin_text out;
    if (in_temporary_folder(state))
        return -1;
    make_text();
    write_text("ner.conll");
    OK(basin_data_make("tag", "rows=80 length=6", 3, "pos.conll", NULL, NULL, &out, err));
    basin_text_free(&out);
    OK(train("ner", "ce", "ner.conll", err));
    OK(train("crf", "crf", "ner.conll", err));
    OK(train("pos", "ce", "pos.conll", err));
    return 0;
}

/* ---- what a model says ---- */

static void a_model_tells_what_it_is(void **state)
{
    basin_model *m;
    bool         found = false;
    (void)state;
    OK(basin_model_load("ner", &m, err));
    assert_string_equal(basin_model_task(m), "tag");
    assert_int_equal(basin_model_labels(m), 9); /* O, and B I E S of two types */
    for (int i = 0; i < 9; i++)
        found |= strcmp(basin_model_label(m, i), "S-LOC") == 0;
    assert_true(found);
    assert_null(basin_model_label(m, 9));
    assert_null(basin_model_label(m, -1));
    assert_int_equal(basin_model_columns(m), 1);
    assert_string_equal(basin_model_column(m, 0), "column 2");
    assert_null(basin_model_column(m, 1));
    assert_int_equal(basin_model_features(m), 0);
    assert_null(basin_model_feature(m, 0));
    assert_non_null(strstr(basin_model_card(m), "span_f1"));
    basin_model_free(m);
}

/* The tags of a file, by the tool's way through the library. */
static void tags_of_file(const char *model, const basin_model *m, int32_t *tags)
{
    const char *file = "ner.conll";
    char        line[256], tag[64];
    int32_t     n = 0;
    FILE       *f = fopen("out.conll", "w+");

    const basin_predict_options o = {sizeof o, .scheme = "bioes"}; /* as the labels of the model */
    OK(basin_predict_files(model, &file, 1, &o, f, NULL, err));
    rewind(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%*s %*s %*s %63s", tag) != 1)
            continue;
        tags[n] = 0;
        while (strcmp(basin_model_label(m, tags[n]), tag) != 0)
            tags[n]++;
        n++;
    }
    fclose(f);
    assert_int_equal(n, t.start[SENTENCES]);
}

static bool is_o(const char *tag)
{
    return strcmp(tag, "O") == 0;
}

/* They sum to 1, and those of the predicted tags are the scores. */
static void all_tags_have_probabilities(const basin_model *m, basin_predictor *p,
                                        const int32_t *tags, const float *scores)
{
    enum { TAGS = 9 };
    static float  all[MOST_TOKENS * TAGS];
    int32_t       again[MOST_TOKENS];
    const int32_t n = t.start[SENTENCES];
    assert_int_equal(basin_model_labels(m), TAGS);
    OK(basin_predict_marginals(p, &t.all, again, all, err));
    assert_memory_equal(again, tags, (size_t)n * sizeof *tags);
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < TAGS; k++)
            sum += (double)all[i * TAGS + k];
        assert_float_equal(sum, 1, 1e-4);
        assert_memory_equal(&all[i * TAGS + tags[i]], &scores[i], sizeof *scores);
    }
    OK(basin_predict_marginals(p, &t.all, again, NULL, err));
}

static void memory_and_files_give_the_same_tags(void **state)
{
    static const char *const model[] = {"ner", "crf"};
    int32_t                  want[MOST_TOKENS], got[MOST_TOKENS], one[64];
    float                    scores[MOST_TOKENS], score[64];
    (void)state;
    for (int i = 0; i < 2; i++) {
        basin_model     *m;
        basin_predictor *p;
        int              right = 0;
        OK(basin_model_load(model[i], &m, err));
        OK(basin_predictor_new(m, 1, &p, err));
        tags_of_file(model[i], m, want);
        OK(basin_predict_sentences(p, &t.all, got, scores, err));
        assert_memory_equal(got, want, (size_t)t.start[SENTENCES] * sizeof *got);
        for (int s = 0; s < SENTENCES; s++) {
            const int32_t       at = t.start[s], n = t.start[s + 1] - at;
            const char *const  *values = t.value + at;
            basin_token_columns columns = {1, &values};
            OK(basin_predict_tokens(p, t.token + at, n, &columns, one, score, err));
            assert_memory_equal(one, want + at, (size_t)n * sizeof *one);
            for (int32_t k = 0; k < n; k++) {
                assert_true(score[k] > 0 && score[k] <= 1.00001f);
                assert_float_equal(score[k], scores[at + k], 1e-4);
                right += is_o(basin_model_label(m, one[k])) == is_o(t.tag[at + k]);
            }
            OK(basin_predict_tokens(p, t.token + at, n, &columns, one, NULL, err));
        }
        all_tags_have_probabilities(m, p, got, scores);
        assert_true(right > t.start[SENTENCES] * 9 / 10); /* it has learnt something */
        OK(basin_predict_tokens(p, NULL, 0, &t.columns, one, NULL, err));
        basin_predictor_free(p);
        basin_model_free(m);
    }
}

static int32_t number_of(const basin_model *m, const char *tag)
{
    int32_t i = 0;
    while (strcmp(basin_model_label(m, i), tag) != 0)
        i++;
    return i;
}

static void tags_become_spans(void **state)
{
    static const char *const name[] = {"S-LOC", "S-LOC", "O", "B-PER", "I-PER", "E-PER", "I-LOC"};
    basin_model             *m;
    basin_span               span[7];
    int32_t                  tag[7], n;
    (void)state;
    OK(basin_model_load("ner", &m, err));
    for (int i = 0; i < 7; i++)
        tag[i] = number_of(m, name[i]);
    OK(basin_spans(m, tag, 7, span, &n, err));
    assert_int_equal(n, 4);
    static const basin_span want[] = {{0, 1, "LOC"}, {1, 2, "LOC"}, {3, 6, "PER"}, {6, 7, "LOC"}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(span[i].first, want[i].first);
        assert_int_equal(span[i].end, want[i].end);
        assert_string_equal(span[i].label, want[i].label);
    }
    OK(basin_spans(m, tag, 0, span, &n, err));
    assert_int_equal(n, 0);
    basin_model_free(m);
    OK(basin_model_load("pos", &m, err));
    OK(basin_spans(m, (int32_t[]){1, 1}, 2, span, &n, err));
    assert_int_equal(n, 2); /* tags that are not about spans: every token is one */
    assert_string_equal(span[0].label, basin_model_label(m, 1));
    basin_model_free(m);
}

/* As in the training file, which has IOB2; O I I is B I for it. */
static void tags_are_texts(void **state)
{
    static const char *const name[] = {"S-LOC", "S-LOC", "O", "B-PER", "I-PER", "E-PER", "I-LOC"};
    static const char *const want[] = {"B-LOC", "B-LOC", "O", "B-PER", "I-PER", "I-PER", "B-LOC"};
    const char              *said[7];
    int32_t                  tag[7];
    basin_model             *m;
    (void)state;
    OK(basin_model_load("ner", &m, err));
    for (int i = 0; i < 7; i++)
        tag[i] = number_of(m, name[i]);
    for (int n = 0; n <= 7; n++)
        OK(basin_tag_texts(m, tag, n, said, err));
    for (int i = 0; i < 7; i++)
        assert_string_equal(said[i], want[i]);
    basin_model_free(m);
    OK(basin_model_load("pos", &m, err));
    for (int32_t i = 0; i < basin_model_labels(m); i++) {
        OK(basin_tag_texts(m, &i, 1, said, err));
        assert_string_equal(said[0], basin_model_label(m, i));
    }
    basin_model_free(m);
}

/* Also of a model that was trained in memory. */
static void tags_are_texts_as_they_were_given(void **state)
{
    const char *const         words[] = {"Ada", "Lund", "visits", "Oslo"};
    const char *const         given[] = {"B-PER", "I-PER", "O", "B-LOC"};
    const int32_t             start[] = {0, 4, 8, 12, 16};
    const char               *word[16], *tag[16], *said[4];
    int32_t                   found[4];
    basin_data               *d;
    basin_config             *c;
    basin_model              *m;
    basin_predictor          *p;
    basin_text                out;
    const basin_train_options o = {sizeof o, .model = &m};
    (void)state;
    for (int i = 0; i < 16; i++) {
        word[i] = words[i % 4];
        tag[i] = given[i % 4];
    }
    const basin_tagged rows = {sizeof rows, {4, start, word, NULL}, tag};
    OK(basin_data_tagged(&rows, &d, err));
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "method", "ce", err));
    OK(basin_config_set(c, "epochs", "60", err));
    OK(basin_config_set(c, "net.width", "8", err));
    OK(basin_config_set(c, "lr.net", "0.05", err));
    OK(basin_config_data(c, "train", d, err));
    OK(basin_config_data(c, "valid", d, err));
    OK(basin_train_with(c, &o, NULL, &out, err));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_tokens(p, words, 4, NULL, found, NULL, err));
    OK(basin_tag_texts(m, found, 4, said, err));
    for (int i = 0; i < 4; i++)
        assert_string_equal(said[i], given[i]);
    basin_predictor_free(p);
    basin_model_free(m);
    basin_text_free(&out);
    basin_config_free(c);
    basin_data_free(d);
}

/* ---- wrong use ---- */

#define REFUSED(call, message)                    \
    do {                                          \
        basin_error        err_ = {0};            \
        basin_error *const err = &err_;           \
        assert_int_equal(call, BASIN_EARG);       \
        assert_string_equal(err_.msg, (message)); \
    } while (0)

static void wrong_requests_are_refused(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    int32_t          tag[8], n;
    float            scores[64];
    basin_span       span[8];
    (void)state;
    OK(basin_model_load("ner", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    const char *const word[] = {"Ada", NULL, "."}, *const value[] = {"N", NULL, "."};
    const char *const  *one[] = {value}, *const * none[] = {NULL};
    basin_token_columns columns = {1, one}, missing = {1, none}, two = {2, one};
    REFUSED(basin_predict_tokens(p, word, 1, NULL, tag, NULL, err),
            "0 columns of features, but the model was trained with 1; basin_model_column names "
            "them");
    REFUSED(basin_predict_tokens(p, word, 1, &two, tag, NULL, err),
            "2 columns of features, but the model was trained with 1; basin_model_column names "
            "them");
    REFUSED(basin_predict_tokens(p, word, 1, &missing, tag, NULL, err),
            "the values of column 2 are missing");
    REFUSED(basin_predict_tokens(p, word, 3, &columns, tag, NULL, err),
            "sentence 0: token 1 is NULL");
    REFUSED(basin_predict_tokens(p, word, -1, &columns, tag, NULL, err),
            "sentence 0 ends before it starts");
    REFUSED(basin_predict_tokens(p, word, 2000000, &columns, tag, NULL, err),
            "sentence 0 has 2000000 tokens, more than 1000000");
    basin_sentences x = {2, (int32_t[]){0, 1, 0}, word, &columns};
    REFUSED(basin_predict_sentences(p, &x, tag, NULL, err), "sentence 1 ends before it starts");
    x.sentences = -1;
    REFUSED(basin_predict_sentences(p, &x, tag, NULL, err), "-1 sentences");
    REFUSED(basin_spans(m, (int32_t[]){0, 9}, 2, span, &n, err),
            "token 1: 9 is not the number of a tag, 0..8");
    const char *tag_text[8];
    REFUSED(basin_tag_texts(m, (int32_t[]){0, -1}, 2, tag_text, err),
            "token 1: -1 is not the number of a tag, 0..8");

    /* a value that is not known is fine */
    OK(basin_predict_tokens(p, (const char *[]){"Ada", "x", ""}, 3, &columns, tag, NULL, err));

    REFUSED(basin_predict_tokens(p, word, 1, &columns, NULL, NULL, err), "tags is NULL");
    REFUSED(basin_predict_tokens(p, NULL, 1, &columns, tag, NULL, err), "tokens is NULL");
    basin_error why;
    const char *latin[] = {"Ad\xe9", "x", "\xc3"}, *const odd[] = {"N", NULL, "\xff"};
    const char *const  *values[] = {odd};
    basin_token_columns bytes = {1, values};
    assert_int_equal(basin_predict_tokens(p, latin, 2, &columns, tag, NULL, &why), BASIN_EDATA);
    assert_string_equal(why.msg, "sentence 0: token 0 is not UTF-8 text");
    assert_int_equal(basin_predict_tokens(p, latin + 1, 2, &columns, tag, NULL, &why), BASIN_EDATA);
    assert_string_equal(why.msg, "sentence 0: token 1 is not UTF-8 text");
    latin[0] = latin[2] = "x";
    assert_int_equal(basin_predict_tokens(p, latin, 3, &bytes, tag, NULL, &why), BASIN_EDATA);
    assert_string_equal(why.msg, "sentence 0: a value of token 2 is not UTF-8 text");

    basin_rows row = {1, 0, (int32_t[]){0, 0}, NULL, NULL};
    REFUSED(basin_predict_csr(p, &row, scores, err),
            "this model is for sentences, not rows; use basin_predict_tokens");
    REFUSED(basin_predict_dense(p, scores, 1, scores, err),
            "this model is for sentences, not rows; use basin_predict_tokens");
    assert_int_equal(basin_decide(m, scores, tag), 0);
    basin_predictor_free(p);
    basin_model_free(m);
}

static void models_of_rows_take_no_sentences(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    int32_t          tag[1], n;
    basin_span       span[1];
    (void)state;
    OK(train("rows", "ce", "d.arff", err));
    OK(basin_model_load("rows", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    assert_string_equal(basin_model_task(m), "mlc");
    assert_int_equal(basin_model_columns(m), 0);
    assert_null(basin_model_column(m, 0));
    REFUSED(basin_predict_tokens(p, (const char *[]){"a"}, 1, NULL, tag, NULL, err),
            "this model is for rows, not sentences; use basin_predict_csr");
    REFUSED(basin_spans(m, tag, 1, span, &n, err),
            "this model is for rows, not sentences; use basin_predict_csr");
    REFUSED(basin_tag_texts(m, tag, 1, (const char *[]){NULL}, err),
            "this model is for rows, not sentences; use basin_predict_csr");
    basin_predictor_free(p);
    basin_model_free(m);
}

/* ---- threads, memory ---- */

/* One model, a predictor per thread: everybody gets the same bits. */
static void a_model_is_shared_between_threads(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    int32_t          want[MOST_TOKENS];
    float            scores[MOST_TOKENS];
    const size_t     n = (size_t)t.start[SENTENCES];
    int              bad = 0;
    (void)state;
    OK(basin_model_load("crf", &m, err));
    OK(basin_predictor_new(m, 2, &p, err));
    OK(basin_predict_sentences(p, &t.all, want, scores, err));
    basin_predictor_free(p);
#pragma omp parallel num_threads(4) reduction(+ : bad)
    for (int round = 0; round < 3; round++) {
        basin_predictor *mine;
        int32_t          got[MOST_TOKENS];
        float            score[MOST_TOKENS];
        bad += basin_predictor_new(m, 1, &mine, NULL) != BASIN_OK;
        bad += basin_predict_sentences(mine, &t.all, got, score, NULL) != BASIN_OK;
        bad += memcmp(got, want, n * sizeof *got) != 0;
        bad += memcmp(score, scores, n * sizeof *score) != 0;
        basin_predictor_free(mine);
    }
    assert_int_equal(bad, 0);
    basin_model_free(m);
}

static basin_status load_and_tag(basin_error *err)
{
    basin_model     *m = NULL;
    basin_predictor *p = NULL;
    int32_t          tags[MOST_TOKENS], n;
    basin_span       span[MOST_TOKENS];
    basin_status     s = basin_model_load("crf", &m, err);
    if (!s)
        s = basin_predictor_new(m, 1, &p, err);
    if (!s)
        s = basin_predict_tokens(p, t.token, t.start[1], &t.columns, tags, NULL, err);
    if (!s)
        s = basin_spans(m, tags, t.start[1], span, &n, err);
    if (!s)
        s = basin_predict_sentences(p, &t.all, tags, NULL, err);
    basin_predictor_free(p);
    basin_model_free(m);
    return s;
}

static basin_status evaluate(basin_error *err)
{
    const char        *file = "ner.conll";
    basin_text         out = {0};
    basin_eval_options o = {sizeof o, .threads = 1, .per_label = 1},
                       c = {sizeof c, .threads = 1, .conlleval = 1};
    basin_status s = basin_eval("ner", &file, 1, &o, NULL, &out, err);
    basin_text_free(&out);
    if (!s)
        s = basin_eval("ner", &file, 1, &c, NULL, &out, err);
    basin_text_free(&out);
    return s;
}

/* Every sentence has a person and a place. */
static void every_type_has_its_numbers(void **state)
{
    const char *file = "ner.conll";
    basin_text  out;
    int         person = 0, place = 0;
    (void)state;
    OK(basin_eval("ner", &file, 1, &BASIN_OPTIONS(basin_eval_options, .part = "all"), NULL, &out,
                  err));
    json_t *o = json_loads(out.json, 0, NULL);
    assert_int_equal(json_unpack(o, "{s:{s:{s:{s:i}, s:{s:i}}}}", "metrics", "per_type", "PER",
                                 "gold", &person, "LOC", "gold", &place),
                     0);
    assert_int_equal(person, SENTENCES);
    assert_int_equal(place, SENTENCES);
    json_decref(o);
    basin_text_free(&out);
}

static basin_status handle_files(basin_error *err)
{
    const char         *file[] = {"ner.conll", "ner.conll"};
    basin_config       *c = NULL;
    basin_text          out = {0};
    basin_split_options o = {.shares = "80,20"};
    basin_status        s = basin_config_new(&c, err);
    if (!s)
        s = basin_data_inspect(c, file, 2, 1, NULL, &out, err);
    basin_text_free(&out);
    if (!s)
        s = basin_data_split(c, file, 1, "part", &o, NULL, &out, err);
    basin_text_free(&out);
    if (!s)
        s = basin_data_convert(c, file, 1, "other.conllu", NULL, NULL, err);
    if (!s)
        s = basin_data_make("tag", "rows=5", 1, "made.conll", NULL, NULL, &out, err);
    basin_text_free(&out);
    basin_config_free(c);
    return s;
}

static basin_status train_shortly(basin_error *err)
{
    basin_config *c = NULL;
    basin_text    out = {0};
    basin_status  s = basin_config_new(&c, err);
    if (!s)
        s = basin_config_set(c, "epochs", "1", err);
    if (!s)
        s = basin_config_set(c, "method", "ce", err);
    if (!s)
        s = basin_config_set(c, "net.width", "4", err);
    if (!s)
        s = basin_config_file(c, "train", "ner.conll", err);
    if (!s)
        s = basin_train_with(c, &BASIN_OPTIONS(basin_train_options, .folder = "short", .force = 1),
                             NULL, &out, err);
    basin_text_free(&out);
    basin_config_free(c);
    return s;
}

static void every_allocation_may_fail(void **state)
{
    static basin_status (*const work[])(basin_error * err) = {load_and_tag, evaluate, handle_files,
                                                              train_shortly};
    (void)state;
    for (size_t what = 0; what < sizeof work / sizeof work[0]; what++)
        for (long n = 1;; n += 1 + n / 40) {
            basin_error err = {0};
            long        live = bs_mem_live(), calls = bs_mem_calls();
            bs_mem_fail_at(n);
            basin_status s = work[what](&err);
            bs_mem_fail_at(0);
            if (bs_mem_live() != live || (s != BASIN_OK && s != BASIN_ENOMEM)) {
                fprintf(stderr, "  allocation %ld of %zu: status %d '%s', %ld blocks leak\n", n,
                        what, (int)s, err.msg, bs_mem_live() - live);
                fail();
            }
            if (bs_mem_calls() - calls < n) { /* none of them was the n-th */
                assert_int_equal(s, BASIN_OK);
                break;
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_tells_what_it_is),
        cmocka_unit_test(memory_and_files_give_the_same_tags),
        cmocka_unit_test(tags_become_spans),
        cmocka_unit_test(tags_are_texts),
        cmocka_unit_test(tags_are_texts_as_they_were_given),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(models_of_rows_take_no_sentences),
        cmocka_unit_test(a_model_is_shared_between_threads),
        cmocka_unit_test(every_type_has_its_numbers),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("api_tag", tests, prepare, leave_folder);
}
