/* test_api_texts.c -- texts in memory: training, predictions with the bits of files, errors. */
#include "api_folder.h"

#include <string.h>

enum { ROWS = 60, LABELS = 2 };

static const char *const words[] = {"oil", "wheat", "corn", "price", "ship", "rain"};

/* Texts of three words; label 0 is on with the first word, label 1 with the second. */
static char        text[ROWS][64];
static const char *texts[ROWS];
static int64_t     starts[ROWS + 1];
static int32_t     label[ROWS * LABELS];
static float       age[ROWS];

static void make_rows(void)
{
    for (int i = 0; i < ROWS; i++) {
        const int a = i % 6, b = i * 7 % 5, c = i * 3 % 4;
        snprintf(text[i], sizeof text[i], "%s %s, %s", words[a], words[b], words[c]);
        texts[i] = text[i];
        starts[i + 1] = starts[i];
        for (int l = 0; l < LABELS; l++)
            if (a == l || b == l || c == l)
                label[starts[i + 1]++] = l;
        age[i] = (float)(i % 9);
    }
}

static basin_label_sets given(bool columns)
{
    return (basin_label_sets){.size = sizeof(basin_label_sets),
                              .rows = ROWS,
                              .features = columns,
                              .dense = columns ? age : NULL,
                              .labels = LABELS,
                              .label_start = starts,
                              .label = label,
                              .texts = texts};
}

static basin_model *trained_by(const char *method, const basin_label_sets *rows, const char *file)
{
    basin_config *c = NULL;
    basin_data   *d = NULL;
    basin_model  *model = NULL;
    basin_text    out = {0};
    OK(basin_config_new(&c, err));
    const char *const set[][2] = {{"method", method}, {"epochs", "3"}, {"net.width", "8"},
                                  {"report", "no"},   {"task", "mlc"}, {"threads", "1"}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        OK(basin_config_set(c, set[i][0], set[i][1], err));
    if (rows) {
        OK(basin_data_label_sets(rows, &d, err));
        OK(basin_config_data(c, "train", d, err));
    } else {
        OK(basin_config_file(c, "train", file, err));
    }
    const basin_train_options o = {.size = sizeof o, .model = &model};
    OK(basin_train_with(c, &o, NULL, &out, err));
    basin_text_free(&out);
    basin_config_free(c);
    basin_data_free(d);
    return model;
}

static basin_model *trained(const basin_label_sets *rows, const char *file)
{
    return trained_by("ce", rows, file);
}

static basin_predictor *predictor_of(const basin_model *m)
{
    basin_predictor *p = NULL;
    OK(basin_predictor_new(m, 1, &p, err));
    return p;
}

/* From memory and from a file of the same rows: the same model, and the same scores of a text alone
 * and among others. */
static void test_same(void **state)
{
    (void)state;
    const basin_label_sets rows = given(false);
    FILE                  *f = fopen("rows.jsonl", "w");
    assert_non_null(f);
    /* a first line with all labels gives them the same order */
    for (int i = 0; i < ROWS; i++) {
        fprintf(f, "{\"text\": \"%s\", \"labels\": {", text[i]);
        for (int l = 0; l < LABELS; l++) {
            bool on = false;
            for (int64_t k = starts[i]; k < starts[i + 1]; k++)
                on = on || label[k] == l;
            fprintf(f, "%s\"y%d\": %s", l ? ", " : "", l, on ? "true" : "false");
        }
        fprintf(f, "}}\n");
    }
    fclose(f);
    basin_model     *a = trained(&rows, NULL), *b = trained(NULL, "rows.jsonl");
    basin_predictor *p = predictor_of(a), *q = predictor_of(b);
    float            x[ROWS * LABELS], y[ROWS * LABELS], one[LABELS];
    assert_int_equal(basin_model_texts(a), 1);
    assert_int_equal(basin_model_features(a), 0);
    assert_null(basin_model_feature(a, 0));
    OK(basin_predict_texts(p, texts, ROWS, NULL, x, err));
    OK(basin_predict_texts(q, texts, ROWS, NULL, y, err));
    assert_memory_equal(x, y, sizeof x);
    for (int i = 0; i < ROWS; i += 7) {
        OK(basin_predict_texts(p, texts + i, 1, NULL, one, err));
        assert_memory_equal(one, x + (size_t)i * LABELS, sizeof one);
    }
    basin_predictor_free(p);
    basin_predictor_free(q);
    basin_model_free(a);
    basin_model_free(b);
}

static void test_columns(void **state)
{
    (void)state;
    const basin_label_sets rows = given(true);
    basin_model           *m = trained(&rows, NULL);
    basin_predictor       *p = predictor_of(m);
    const int32_t          start[] = {0, 1, 2}, index[] = {0, 0};
    const float            value[] = {1, 8};
    const basin_rows       columns = {2, 1, start, index, value};
    float                  x[2 * LABELS], y[2 * LABELS];
    const char            *same[] = {text[0], text[0]};
    basin_error            why = {0};
    assert_int_equal(basin_model_features(m), 1);
    OK(basin_predict_texts(p, same, 2, &columns, x, err));
    assert_true(x[0] != x[LABELS]); /* by the number alone */
    assert_int_equal(basin_predict_texts(p, same, 2, NULL, y, &why), BASIN_EARG);
    assert_string_equal(why.msg, "columns is NULL, but the model has 1 besides texts");
    assert_int_equal(basin_predict_texts(p, same, 1, &columns, y, &why), BASIN_EARG);
    assert_string_equal(why.msg, "1 texts, but 2 rows of columns");
    basin_predictor_free(p);
    basin_model_free(m);
}

/* By the threshold as by scores; by an energy otherwise, and alone as among others. */
static void test_sets(void **state)
{
    (void)state;
    const basin_label_sets rows = given(false);
    basin_model           *m = trained_by("seal-nce", &rows, NULL);
    basin_predictor       *p = predictor_of(m), *q;
    float                  scores[ROWS * LABELS];
    uint8_t                on[ROWS * LABELS], by_scores[ROWS * LABELS], one[LABELS];
    basin_error            why = {0};
    assert_string_equal(basin_model_decision(m), "threshold");
    assert_null(basin_model_decision(NULL));
    OK(basin_predict_texts(p, texts, ROWS, NULL, scores, err));
    OK(basin_decide_rows(m, scores, ROWS, by_scores, err));
    OK(basin_predict_text_sets(p, texts, ROWS, NULL, on, err));
    assert_memory_equal(on, by_scores, sizeof on);
    assert_int_equal(basin_predict_text_sets(p, texts, 1, NULL, NULL, &why), BASIN_EARG);
    assert_string_equal(why.msg, "on is NULL");
    basin_predictor_free(p);
    const basin_predictor_options o = {sizeof o, .threads = 1, .decide = "subset"};
    OK(basin_predictor_open(m, &o, &q, err));
    OK(basin_predict_text_sets(q, texts, ROWS, NULL, on, err));
    assert_memory_not_equal(on, by_scores, sizeof on);
    for (int i = 0; i < ROWS; i++) {
        OK(basin_predict_text_sets(q, texts + i, 1, NULL, one, err));
        assert_memory_equal(one, on + (size_t)i * LABELS, sizeof one);
    }
    basin_predictor_free(q);
    basin_model_free(m);
}

static void test_refused(void **state)
{
    (void)state;
    basin_label_sets rows = given(false);
    basin_model     *m = trained(&rows, NULL), *n = trained(NULL, "d.arff");
    basin_predictor *p = predictor_of(m), *q = predictor_of(n);
    const char      *bad[] = {"fine", "\xff"}, *none[] = {NULL};
    float            scores[64 * LABELS];
    basin_error      why = {0};
    basin_data      *d = NULL;
    assert_int_equal(basin_predict_texts(p, bad, 2, NULL, scores, &why), BASIN_EDATA);
    assert_string_equal(why.msg, "row 1: its text is not UTF-8");
    assert_int_equal(basin_predict_texts(p, none, 1, NULL, scores, &why), BASIN_EARG);
    assert_string_equal(why.msg, "row 0 has no text");
    assert_int_equal(basin_predict_texts(p, bad, -1, NULL, scores, &why), BASIN_EARG);
    assert_int_equal(basin_predict_dense(p, scores, 1, scores, &why), BASIN_EARG);
    assert_string_equal(why.msg, "this model reads texts; use basin_predict_texts");
    assert_int_equal(basin_predict_texts(q, texts, 1, NULL, scores, &why), BASIN_EARG);
    assert_string_equal(why.msg, "this model reads no texts; use basin_predict_csr");
    assert_int_equal(basin_model_texts(n), 0);
    assert_int_equal(basin_model_texts(NULL), 0);
    rows.texts = bad;
    rows.rows = 2;
    basin_config *c = NULL;
    basin_text    out = {0};
    OK(basin_data_label_sets(&rows, &d, err));
    OK(basin_config_new(&c, err));
    OK(basin_config_data(c, "train", d, err));
    assert_int_equal(basin_train_with(c, NULL, NULL, &out, &why), BASIN_EDATA);
    assert_non_null(strstr(why.msg, "rows in memory: row 1: its text is not UTF-8"));
    basin_config_free(c);
    basin_data_free(d);
    basin_predictor_free(p);
    basin_predictor_free(q);
    basin_model_free(m);
    basin_model_free(n);
}

int main(void)
{
    make_rows();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_sets), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
