/* test_api.c -- the public interface as a program uses it: train from settings,
 * load, predict from memory, from several threads, with memory that runs out. */
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omp.h>

#include "api/predict.h"
#include "base/mem.h"
#include "tests/api_folder.h"

enum { ROWS = 50 };

static void train_to(const char *data, const char *run, const char *key, const char *value)
{
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "method", "seal-nce", err));
    OK(basin_config_set(c, "epochs", "3", err));
    OK(basin_config_set(c, "net.width", "32", err));
    OK(basin_config_set(c, key, value, err));
    OK(basin_config_file(c, "train", data, err));
    OK(basin_train(c, run, 1, 0, NULL, &text, err));
    assert_non_null(strstr(text.json, "\"task\": \"mlc\""));
    assert_non_null(strstr(text.json, "\"test_tuned\": {\"example_f1\""));
    assert_non_null(strstr(text.table, "ex-F1"));
    basin_text_free(&text);
    basin_config_free(c);
}

/* Rows 0 .. ROWS - 1 with three features each. */
typedef struct {
    int32_t    start[ROWS + 1], index[3 * ROWS];
    basin_rows rows;
} some_rows;

static void fill_rows(some_rows *x, int features)
{
    for (int i = 0; i < ROWS; i++) {
        x->start[i] = 3 * i;
        for (int k = 0; k < 3; k++)
            x->index[3 * i + k] = (i * 7 + k * 11) % (features / 3) + k * (features / 3);
    }
    x->start[ROWS] = 3 * ROWS;
    x->rows = (basin_rows){ROWS, features, x->start, x->index, NULL};
}

/* By an expected metric a row is decided alone as among others. */
static void sets_are_decided_as_asked(const basin_model *m, const basin_rows *x)
{
    const size_t                  L = (size_t)basin_model_labels(m);
    basin_predictor              *p;
    basin_error                   why;
    uint8_t                      *on = calloc((size_t)x->rows * L, 1), one[64];
    const basin_predictor_options o = {sizeof o, .threads = 1, .decide = "subset"};
    OK(basin_predictor_open(m, &o, &p, err));
    OK(basin_predict_sets(p, x, on, err));
    for (int i = 0; i < x->rows; i++) {
        const basin_rows row = {1, x->cols, x->start + i, x->index, NULL};
        OK(basin_predict_sets(p, &row, one, err));
        assert_memory_equal(one, on + (size_t)i * L, L);
    }
    assert_int_equal(basin_predict_sets(p, x, NULL, &why), BASIN_EARG);
    assert_string_equal(why.msg, "on is NULL");
    basin_predictor_free(p);
    const basin_predictor_options none = {sizeof none, .decide = "best"};
    assert_int_equal(basin_predictor_open(m, &none, &p, &why), BASIN_EARG);
    assert_non_null(strstr(why.msg, "'best' is not threshold, f1"));
    free(on);
}

static void a_model_predicts_what_it_was_asked(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    some_rows        x;
    (void)state;
    train_to("d.arff", "run", "seed", "1");
    OK(basin_model_load("run", &m, err));
    int    L = basin_model_labels(m);
    float *all = calloc((size_t)(ROWS * L), sizeof *all), *one = calloc((size_t)L, sizeof *one);
    assert_int_equal(L, 12);
    assert_string_equal(basin_model_label(m, 0), "pick1_a");
    assert_null(basin_model_label(m, L));
    assert_non_null(strstr(basin_model_card(m), "best_epoch"));
    fill_rows(&x, basin_model_features(m));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_csr(p, &x.rows, all, err));
    /* the same row alone gives the same labels, up to the rounding of another block size */
    for (int i = 0; i < ROWS; i++) {
        basin_rows row = {1, x.rows.cols, x.start + i, x.index, NULL};
        OK(basin_predict_csr(p, &row, one, err));
        for (int l = 0; l < L; l++) {
            assert_true(one[l] >= 0 && one[l] <= 1);
            assert_float_equal(one[l], all[i * L + l], 1e-5);
        }
        int32_t on[64];
        int     n = basin_decide(m, one, on);
        for (int k = 1; k < n; k++)
            assert_true(on[k] > on[k - 1]);
        uint8_t byte[64] = {0}, want[64] = {0};
        for (int k = 0; k < n; k++)
            want[on[k]] = 1;
        OK(basin_decide_rows(m, one, 1, byte, err));
        assert_memory_equal(byte, want, sizeof byte);
        OK(basin_predict_sets(p, &row, byte, err));
        assert_memory_equal(byte, want, sizeof byte);
    }
    sets_are_decided_as_asked(m, &x.rows);
    free(all);
    free(one);
    basin_predictor_free(p);
    basin_model_free(m);
}

static void wrong_rows_are_refused(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    basin_error      why;
    float            scores[64];
    (void)state;
    OK(basin_model_load("run/best.safetensors", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    static const struct {
        int32_t     start[2], index[2];
        int         cols;
        const char *message;
    } row[] = {
        {{0, 2}, {5, 5}, 0, "row 0: feature 5 is not in 0..79 or not in increasing order"},
        {{0, 2}, {-1, 5}, 0, "row 0: feature -1 is not in 0..79 or not in increasing order"},
        {{0, 2}, {1, 80}, 0, "row 0: feature 80 is not in 0..79 or not in increasing order"},
        {{1, 0}, {1, 2}, 0, "row 0 ends before it starts"},
        {{0, 1}, {1, 2}, 500, "500 columns, but the model has 80 features"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        basin_rows x = {1, row[i].cols ? row[i].cols : 80, row[i].start, row[i].index, NULL};
        assert_int_equal(basin_predict_csr(p, &x, scores, &why), BASIN_EARG);
        assert_string_equal(why.msg, row[i].message);
    }
    assert_int_equal(basin_predict_dense(p, scores, 1, scores, &why), BASIN_EARG);
    basin_predictor_free(p);
    basin_model_free(m);
}

/* One model, a predictor per thread: everybody gets the same bits. */
static void a_model_is_shared_between_threads(void **state)
{
    basin_model *m;
    some_rows    x;
    (void)state;
    OK(basin_model_load("run", &m, err));
    int    L = basin_model_labels(m), bad = 0;
    float *want = calloc((size_t)(ROWS * L), sizeof *want);
    fill_rows(&x, basin_model_features(m));
    basin_predictor *p;
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_csr(p, &x.rows, want, err));
    basin_predictor_free(p);
#pragma omp parallel num_threads(4) reduction(+ : bad)
    for (int round = 0; round < 5; round++) {
        basin_predictor *mine;
        float           *got = calloc((size_t)(ROWS * L), sizeof *got);
        bad += basin_predictor_new(m, 1, &mine, NULL) != BASIN_OK;
        bad += basin_predict_csr(mine, &x.rows, got, NULL) != BASIN_OK;
        bad += memcmp(got, want, (size_t)(ROWS * L) * sizeof *got) != 0;
        basin_predictor_free(mine);
        free(got);
    }
    assert_int_equal(bad, 0);
    free(want);
    basin_model_free(m);
}

/* Dense numbers: the model standardises; memory and files give the same scores. */
static void dense_rows_are_standardised_by_the_model(void **state)
{
    FILE *f = fopen("d.csv", "w");
    float x[200][3], scores[200 * 2];
    (void)state;
    fprintf(f, "a,b,c,hot,cold\n");
    for (int i = 0; i < 200; i++) {
        x[i][0] = (float)(i * 37 % 101) * 10 + 500;
        x[i][1] = (float)(i * 53 % 97) / 100;
        x[i][2] = (float)(i * 29 % 89) - 40;
        fprintf(f, "%g,%g,%g,%d,%d\n", (double)x[i][0], (double)x[i][1], (double)x[i][2],
                x[i][0] > 1000, x[i][2] < 0);
    }
    fclose(f);
    train_to("d.csv", "dense", "data.labels", "hot,cold");
    basin_model     *m;
    basin_predictor *p;
    OK(basin_model_load("dense", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_dense(p, x[0], 200, scores, err));
    f = fopen("scores.csv", "w+");
    const char           *file = "d.csv";
    basin_predict_options o = {sizeof o, .format = "csv", .scores = 1};
    OK(basin_predict_files("dense", &file, 1, &o, f, NULL, err));
    rewind(f);
    char line[200];
    assert_non_null(fgets(line, sizeof line, f));
    for (int i = 0; i < 200; i++) {
        float a, b;
        assert_non_null(fgets(line, sizeof line, f));
        assert_int_equal(sscanf(line, "%*d,%f,%f", &a, &b), 2);
        assert_float_equal(a, scores[2 * i], 1e-5);
        assert_float_equal(b, scores[2 * i + 1], 1e-5);
    }
    fclose(f);
    basin_predictor_free(p);
    basin_model_free(m);
}

/* A stored model, cut at every length and with every byte changed: loads or is refused. */
static void damaged_models_are_refused(void **state)
{
    char          path[400];
    unsigned char bytes[8192];
    int           loaded = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/model/small.safetensors", here);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t i = 0; i < 2 * n; i++) {
        basin_model  *m = NULL;
        basin_error   why = {0};
        size_t        at = i % n;
        unsigned char kept = bytes[at];
        bytes[at] ^= i < n ? 0 : 0x15;
        f = fopen("damaged.safetensors", "wb");
        fwrite(bytes, 1, i < n ? at : n, f);
        fclose(f);
        bytes[at] = kept;
        basin_status s = basin_model_load("damaged.safetensors", &m, &why);
        assert_true(s == BASIN_OK || *why.msg);
        loaded += s == BASIN_OK;
        basin_model_free(m);
    }
    /* the values of tensors may change unseen in a file without checksum, hardly more */
    assert_in_range(loaded, 1, n / 2);
}

static basin_status load_and_predict(const some_rows *x, float *scores, basin_error *err)
{
    basin_model     *m = NULL;
    basin_predictor *p = NULL;
    basin_status     s = basin_model_load("run", &m, err);
    if (!s)
        s = basin_predictor_new(m, 1, &p, err);
    if (!s)
        s = basin_predict_csr(p, &x->rows, scores, err);
    basin_predictor_free(p);
    basin_model_free(m);
    return s;
}

static basin_status train_shortly(basin_error *err)
{
    basin_config *c = NULL;
    basin_text    text = {0};
    basin_status  s = basin_config_new(&c, err);
    if (!s)
        s = basin_config_set(c, "epochs", "1", err);
    if (!s)
        s = basin_config_set(c, "net.width", "4", err);
    if (!s)
        s = basin_config_file(c, "train", "d.arff", err);
    if (!s)
        s = basin_train_with(c, &BASIN_OPTIONS(basin_train_options, .folder = "short", .force = 1),
                             NULL, &text, err);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static void every_allocation_may_fail(void **state)
{
    some_rows x;
    float     scores[ROWS * 12];
    long      tried = 0;
    (void)state;
    fill_rows(&x, 80);
    for (int what = 0; what < 2; what++)
        for (long n = 1;; n += what ? 1 + n / 40 : 1, tried++) {
            basin_error err = {0};
            long        live = bs_mem_live(), calls = bs_mem_calls();
            bs_mem_fail_at(n);
            basin_status s = what ? train_shortly(&err) : load_and_predict(&x, scores, &err);
            bs_mem_fail_at(0);
            if (bs_mem_live() != live || (s != BASIN_OK && s != BASIN_ENOMEM)) {
                fprintf(stderr, "  allocation %ld of %d: status %d '%s', %ld blocks leak\n", n,
                        what, (int)s, err.msg, bs_mem_live() - live);
                fail();
            }
            if (bs_mem_calls() - calls < n) { /* none of them was the n-th */
                assert_int_equal(s, BASIN_OK);
                break;
            }
        }
    assert_true(tried > 100);
}

/* What writes the predictions for rows that are read in pieces is there, or memory ran out. */
static void writers_begin_or_fail(void **state)
{
    static const char *const format[] = {"jsonl", "csv", "arff"};
    basin_model             *m;
    (void)state;
    OK(basin_model_load("run", &m, err));
    for (int i = 0; i < 3; i++) {
        const basin_predict_options o = {sizeof o, .format = format[i]};
        const bs_task_write        *p = m->saved->task->predict_files;
        basin_status                s = BASIN_ENOMEM;
        void                       *writer;
        for (long n = 1; s; n++) {
            bs_mem_fail_at(n);
            s = p->begin(m->saved, &o, NULL, &writer, NULL);
            bs_mem_fail_at(0);
            assert_true(s == (writer ? BASIN_OK : BASIN_ENOMEM));
        }
        p->end(writer);
    }
    basin_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_predicts_what_it_was_asked),
        cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(a_model_is_shared_between_threads),
        cmocka_unit_test(dense_rows_are_standardised_by_the_model),
        cmocka_unit_test(damaged_models_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(writers_begin_or_fail),
    };
    return cmocka_run_group_tests_name("api", tests, in_temporary_folder, leave_folder);
}
