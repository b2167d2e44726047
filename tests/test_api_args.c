/* test_api_args.c -- arguments that cannot be meant: every function of basin.h refuses NULL where
 * it is not allowed, and numbers that are none of anything. */
#include <math.h>
#include <string.h>

#include "tests/api_folder.h"

static basin_error   why;
static basin_config *config;
static basin_text    text;

#define REFUSED(call, message)                                      \
    do {                                                            \
        why = (basin_error){0};                                     \
        basin_error *const err = &why;                              \
        assert_int_equal(call, BASIN_EARG);                         \
        if (!strstr(why.msg, message))                              \
            fprintf(stderr, "  %s says '%s'\n", #call, why.msg);    \
        assert_non_null(strstr(why.msg, message));                  \
        (void)(call); /* once more, and nobody wants to know why */ \
    } while (0)

/* Label sets of sparse rows in "run", of dense ones in "dense". */
static int train_models(void **state)
{
    if (in_temporary_folder(state))
        return -1;
    FILE *f = fopen("d.csv", "w");
    fprintf(f, "a,b,hot,cold\n");
    for (int i = 0; i < 60; i++) {
        if (i % 10 == 3)
            fprintf(f, "?,%d,%d,%d\n", i * 7 % 11, i & 1, i % 3 == 0);
        else
            fprintf(f, "%d,%d,%d,%d\n", i, i * 7 % 11, i & 1, i % 3 == 0);
    }
    fclose(f);
    OK(basin_config_new(&config, err));
    OK(basin_config_set(config, "epochs", "1", err));
    OK(basin_config_set(config, "net.width", "4", err));
    OK(basin_config_set(config, "method", "ce", err));
    for (int i = 0; i < 2; i++) {
        basin_config *c;
        OK(basin_config_new(&c, err));
        OK(basin_config_set(c, "epochs", "1", err));
        OK(basin_config_set(c, "method", "ce", err));
        if (i)
            OK(basin_config_set(c, "data.labels", "hot,cold", err));
        OK(basin_config_file(c, "train", i ? "d.csv" : "d.arff", err));
        OK(basin_train(c, i ? "dense" : "run", 1, 0, NULL, &text, err));
        basin_text_free(&text);
        basin_config_free(c);
    }
    return 0;
}

static int forget(void **state)
{
    basin_config_free(config);
    return leave_folder(state);
}

static void models_and_predictors_want_all_they_need(void **state)
{
    basin_model     *m;
    basin_predictor *p = (basin_predictor *)&why;
    float            scores[64] = {0};
    int32_t          on[64];
    uint8_t          byte[1];
    (void)state;
    m = (basin_model *)&why;
    REFUSED(basin_model_load(NULL, &m, err), "model is NULL");
    assert_null(m);
    REFUSED(basin_model_load("run", NULL, err), "out is NULL");
    OK(basin_model_load("run", &m, err));
    REFUSED(basin_predictor_new(NULL, 1, &p, err), "model is NULL");
    assert_null(p);
    REFUSED(basin_predictor_new(m, 1, NULL, err), "out is NULL");
    REFUSED(basin_predictor_new(m, -3, &p, err), "threads: -3");
    OK(basin_predictor_new(m, 0, &p, err));
    basin_predictor_free(p);
    assert_int_equal(basin_decide(NULL, scores, on), -1);
    assert_int_equal(basin_decide(m, NULL, on), -1);
    assert_int_equal(basin_decide(m, scores, NULL), -1);
    REFUSED(basin_decide_rows(NULL, scores, 1, byte, err), "model is NULL");
    REFUSED(basin_decide_rows(m, NULL, 1, byte, err), "scores is NULL");
    REFUSED(basin_decide_rows(m, scores, 1, NULL, err), "on is NULL");
    OK(basin_decide_rows(m, NULL, 0, NULL, err));
    assert_null(basin_model_task(NULL));
    assert_null(basin_model_card(NULL));
    assert_null(basin_model_label(NULL, 0));
    assert_null(basin_model_feature(NULL, 0));
    assert_null(basin_model_column(NULL, 0));
    assert_int_equal(basin_model_labels(NULL), 0);
    assert_int_equal(basin_model_features(NULL), 0);
    assert_int_equal(basin_model_columns(NULL), 0);
    assert_non_null(basin_model_feature(m, basin_model_features(m) - 1));
    assert_null(basin_model_feature(m, basin_model_features(m)));
    assert_null(basin_model_feature(m, -1));
    assert_non_null(basin_model_label(m, basin_model_labels(m) - 1));
    assert_null(basin_model_label(m, basin_model_labels(m)));
    assert_null(basin_model_label(m, -1));
    basin_model_free(m);
}

static void rows_want_all_they_need(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    float            scores[64], x[4] = {1, 2, 3, 4};
    const int32_t    start[2] = {0, 1}, before[2] = {-1, 1}, index[1] = {1};
    const int32_t    back[3] = {0, 1 << 30, 0}; /* nothing of the first row may be looked at */
    const basin_rows row = {1, 2, start, index, NULL}, no_start = {1, 2, NULL, index, NULL},
                     no_index = {1, 2, start, NULL, NULL}, early = {1, 2, before, index, NULL},
                     none = {0, 2, NULL, NULL, NULL}, fewer = {-1, 2, start, index, NULL},
                     falls = {2, 2, back, NULL, NULL};
    (void)state;
    OK(basin_model_load("run", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    REFUSED(basin_predict_csr(NULL, &row, scores, err), "predictor is NULL");
    REFUSED(basin_predict_csr(p, NULL, scores, err), "rows is NULL");
    REFUSED(basin_predict_csr(p, &row, NULL, err), "scores is NULL");
    REFUSED(basin_predict_csr(p, &no_start, scores, err), "start is NULL");
    REFUSED(basin_predict_csr(p, &no_index, scores, err), "index is NULL");
    REFUSED(basin_predict_csr(p, &early, scores, err), "row 0 starts at -1");
    REFUSED(basin_predict_csr(p, &fewer, scores, err), "-1 rows");
    REFUSED(basin_predict_csr(p, &falls, scores, err), "row 1 ends before it starts");
    OK(basin_predict_csr(p, &none, NULL, err));
    basin_predictor_free(p);
    basin_model_free(m);
    OK(basin_model_load("dense", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    REFUSED(basin_predict_dense(NULL, x, 1, scores, err), "predictor is NULL");
    REFUSED(basin_predict_dense(p, NULL, 1, scores, err), "x is NULL");
    REFUSED(basin_predict_dense(p, x, 1, NULL, err), "scores is NULL");
    REFUSED(basin_predict_dense(p, x, -1, scores, err), "-1 rows");
    OK(basin_predict_dense(p, NULL, 0, NULL, err));
    basin_predictor_free(p);
    basin_model_free(m);
}

/* The first score that a model gives a row "?,1" of a file with the header of d.arff. */
static float missing_in_a_file(void)
{
    const char *const     file[] = {"missing.arff"};
    basin_predict_options o = {sizeof o, .format = "csv", .scores = 1, .path = "missing.csv"};
    char                  line[4096];
    float                 score;
    FILE                 *from = fopen("d.arff", "r"), *to = fopen("missing.arff", "w");
    while (fgets(line, sizeof line, from) && !strstr(line, "@data"))
        fputs(line, to);
    fputs("@data\n{0 ?,1 1}\n", to);
    fclose(from);
    fclose(to);
    OK(basin_predict_files("run", file, 1, &o, NULL, NULL, err));
    from = fopen("missing.csv", "r");
    for (int i = 0; i < 2; i++)
        assert_non_null(fgets(line, sizeof line, from));
    fclose(from);
    assert_int_equal(sscanf(line, "0,%f", &score), 1);
    return score;
}

/* A missing value is the same thing in a file and in both forms of a row; infinity is nothing. */
static void missing_values_are_read_alike(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    float            csr[64], dense[64];
    float            x[4] = {NAN, 1, 3, (float)INFINITY};
    const int32_t    start[3] = {0, 2, 4}, index[4] = {0, 1, 0, 1};
    basin_rows       rows = {1, 2, start, index, x};
    (void)state;
    OK(basin_model_load("dense", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_csr(p, &rows, csr, err));
    OK(basin_predict_dense(p, x, 1, dense, err));
    assert_memory_equal(csr, dense, 2 * sizeof *csr);
    REFUSED(basin_predict_dense(p, x, 2, dense, err), "row 1: feature 1 is infinite");
    basin_predictor_free(p);
    basin_model_free(m);
    OK(basin_model_load("run", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_csr(p, &rows, csr, err));
    assert_float_equal(csr[0], missing_in_a_file(), 1e-5);
    rows.rows = 2;
    REFUSED(basin_predict_csr(p, &rows, csr, err), "row 1: feature 1 is infinite");
    basin_predictor_free(p);
    basin_model_free(m);
}

static void sentences_and_images_want_all_they_need(void **state)
{
    basin_model          *m;
    basin_predictor      *p;
    const char *const     words[1] = {"a"};
    const int32_t         start[2] = {0, 1}, back[3] = {0, 1000000, 1};
    int32_t               tags[1], n;
    uint8_t               pixel[3] = {0}, mask[1];
    basin_span            span[1];
    const basin_sentences no_start = {1, NULL, words, NULL}, no_tokens = {1, start, NULL, NULL},
                          falls = {2, back, words, NULL};
    static const char *const what[] = {"tag", "seg"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        basin_config *c;
        OK(basin_data_make(what[i], i ? "images=12 size=16" : "rows=40 length=4", 1,
                           i ? "shapes" : "t.conll", NULL, NULL, &text, err));
        basin_text_free(&text);
        OK(basin_config_new(&c, err));
        OK(basin_config_set(c, "epochs", "1", err));
        OK(basin_config_set(c, "method", "ce", err));
        OK(basin_config_file(c, "train", i ? "shapes" : "t.conll", err));
        OK(basin_train(c, what[i], 1, 0, NULL, &text, err));
        basin_text_free(&text);
        basin_config_free(c);
    }
    OK(basin_model_load("tag", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    REFUSED(basin_predict_tokens(NULL, words, 1, NULL, tags, NULL, err), "predictor is NULL");
    REFUSED(basin_predict_tokens(p, NULL, 1, NULL, tags, NULL, err), "tokens is NULL");
    REFUSED(basin_predict_tokens(p, words, 1, NULL, NULL, NULL, err), "tags is NULL");
    REFUSED(basin_predict_tokens(p, words, -1, NULL, tags, NULL, err), "ends before it starts");
    REFUSED(basin_predict_sentences(NULL, &no_start, tags, NULL, err), "predictor is NULL");
    REFUSED(basin_predict_sentences(p, NULL, tags, NULL, err), "sentences is NULL");
    REFUSED(basin_predict_sentences(p, &no_start, tags, NULL, err), "start is NULL");
    REFUSED(basin_predict_sentences(p, &no_tokens, tags, NULL, err), "tokens is NULL");
    REFUSED(basin_predict_sentences(p, &falls, tags, NULL, err), "sentence 1 ends before");
    OK(basin_predict_tokens(p, words, 1, NULL, tags, NULL, err));
    OK(basin_predict_tokens(p, NULL, 0, NULL, NULL, NULL, err));
    REFUSED(basin_predict_marginals(NULL, &no_start, tags, NULL, err), "predictor is NULL");
    REFUSED(basin_tag_texts(NULL, tags, 1, NULL, err), "model is NULL");
    REFUSED(basin_tag_texts(m, tags, 1, NULL, err), "out is NULL");
    REFUSED(basin_spans(NULL, tags, 1, span, &n, err), "model is NULL");
    REFUSED(basin_spans(m, NULL, 1, span, &n, err), "tags is NULL");
    REFUSED(basin_spans(m, tags, 1, NULL, &n, err), "out is NULL");
    REFUSED(basin_spans(m, tags, 1, span, NULL, err), "n_out is NULL");
    basin_predictor_free(p);
    basin_model_free(m);
    OK(basin_model_load("seg", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    REFUSED(basin_predict_image(NULL, pixel, 1, 1, 3, mask, NULL, err), "predictor is NULL");
    REFUSED(basin_predict_image(p, NULL, 1, 1, 3, mask, NULL, err), "pixels is NULL");
    REFUSED(basin_predict_image(p, pixel, 1, 1, 3, NULL, NULL, err), "mask is NULL");
    basin_predictor_free(p);
    basin_model_free(m);
}

static void settings_want_all_they_need(void **state)
{
    (void)state;
    REFUSED(basin_config_new(NULL, err), "out is NULL");
    REFUSED(basin_config_set(NULL, "epochs", "1", err), "config is NULL");
    REFUSED(basin_config_set(config, NULL, "1", err), "key is NULL");
    REFUSED(basin_config_set(config, "epochs", NULL, err), "value is NULL");
    REFUSED(basin_config_read(NULL, "run/config", err), "config is NULL");
    REFUSED(basin_config_read(config, NULL, err), "path is NULL");
    REFUSED(basin_config_file(NULL, "train", "d.arff", err), "config is NULL");
    REFUSED(basin_config_file(config, NULL, "d.arff", err), "role is NULL");
    REFUSED(basin_config_file(config, "train", NULL, err), "path is NULL");
    basin_config_free(NULL);
    basin_text_free(NULL);
    basin_model_free(NULL);
    basin_predictor_free(NULL);
}

static void trainings_want_all_they_need(void **state)
{
    const basin_compare_options compare = {.methods = "ce"};
    const basin_tune_options    tune = {.trials = 1};
    (void)state;
    REFUSED(basin_train(NULL, NULL, 1, 0, NULL, &text, err), "config is NULL");
    REFUSED(basin_train(config, NULL, 1, 0, NULL, NULL, err), "out is NULL");
    REFUSED(basin_train(config, NULL, 1, 0, NULL, &text, err), "no training data");
    REFUSED(basin_train(config, NULL, 0, 0, NULL, &text, err), "--seeds: 0");
    REFUSED(basin_compare(NULL, &compare, NULL, &text, err), "config is NULL");
    REFUSED(basin_compare(config, NULL, NULL, &text, err), "options is NULL");
    REFUSED(basin_compare(config, &compare, NULL, NULL, err), "out is NULL");
    REFUSED(basin_compare(config, &compare, NULL, &text, err), "");
    REFUSED(basin_tune(NULL, &tune, NULL, &text, err), "config is NULL");
    REFUSED(basin_tune(config, NULL, NULL, &text, err), "options is NULL");
    REFUSED(basin_tune(config, &tune, NULL, NULL, err), "out is NULL");
    REFUSED(basin_tune(config, &tune, NULL, &text, err), "");
}

static void files_want_all_they_need(void **state)
{
    const char *const file[] = {"d.arff"}, *const none[] = {NULL}, *const run[] = {"run"};
    const basin_eval_options    eval = {sizeof eval, .threads = -5};
    const basin_explain_options explain = {.threads = -5};
    const basin_report_options  report = {.threads = -5};
    basin_predict_options       predict = {sizeof predict, .path = "p.jsonl", .threads = -1};
    (void)state;
    REFUSED(basin_eval(NULL, file, 1, NULL, NULL, &text, err), "model is NULL");
    REFUSED(basin_eval("run", NULL, 1, NULL, NULL, &text, err), "files is NULL");
    REFUSED(basin_eval("run", none, 1, NULL, NULL, &text, err), "file 1 of 1 is NULL");
    REFUSED(basin_eval("run", file, 0, NULL, NULL, &text, err), "no data given");
    REFUSED(basin_eval("run", file, 1, NULL, NULL, NULL, err), "out is NULL");
    REFUSED(basin_eval("run", file, 1, &eval, NULL, &text, err), "threads: -5");
    REFUSED(basin_explain(NULL, file, 1, NULL, NULL, &text, err), "model is NULL");
    REFUSED(basin_explain("run", NULL, 1, NULL, NULL, &text, err), "files is NULL");
    REFUSED(basin_explain("run", file, 1, NULL, NULL, NULL, err), "out is NULL");
    REFUSED(basin_explain("run", file, 1, &explain, NULL, &text, err), "threads: -5");
    REFUSED(basin_report(NULL, 1, NULL, NULL, &text, err), "runs is NULL");
    REFUSED(basin_report(run, 0, NULL, NULL, &text, err), "no run given");
    REFUSED(basin_report(none, 1, NULL, NULL, &text, err), "file 1 of 1 is NULL");
    REFUSED(basin_report(run, 1, NULL, NULL, NULL, err), "out is NULL");
    REFUSED(basin_report(run, 1, &report, NULL, &text, err), "threads: -5");
    REFUSED(basin_predict_files("run", file, 1, &predict, NULL, NULL, err), "threads: -1");
    predict.threads = 0;
    REFUSED(basin_predict_files(NULL, file, 1, &predict, NULL, NULL, err), "model is NULL");
    REFUSED(basin_predict_files("run", NULL, 1, &predict, NULL, NULL, err), "files is NULL");
    REFUSED(basin_predict_files("run", none, 1, &predict, NULL, NULL, err), "file 1 of 1 is NULL");
    REFUSED(basin_predict_files("run", file, 0, &predict, NULL, NULL, err), "no data given");
    REFUSED(basin_predict_files("run", file, 1, NULL, NULL, NULL, err), "neither a file");
    predict.top_k = -1;
    REFUSED(basin_predict_files("run", file, 1, &predict, NULL, NULL, err), "top_k: -1");
}

static void data_wants_all_it_needs(void **state)
{
    const char *const file[] = {"d.arff"}, *const none[] = {NULL};
    (void)state;
    REFUSED(basin_data_inspect(NULL, file, 1, 0, NULL, &text, err), "config is NULL");
    REFUSED(basin_data_inspect(config, NULL, 1, 0, NULL, &text, err), "files is NULL");
    REFUSED(basin_data_inspect(config, none, 1, 0, NULL, &text, err), "file 1 of 1 is NULL");
    REFUSED(basin_data_inspect(config, file, 1, 0, NULL, NULL, err), "out is NULL");
    REFUSED(basin_data_convert(NULL, file, 1, "x.csv", NULL, NULL, err), "config is NULL");
    REFUSED(basin_data_convert(config, NULL, 1, "x.csv", NULL, NULL, err), "files is NULL");
    REFUSED(basin_data_convert(config, file, 1, NULL, NULL, NULL, err), "out is NULL");
    REFUSED(basin_data_split(NULL, file, 1, "x", NULL, NULL, &text, err), "config is NULL");
    REFUSED(basin_data_split(config, NULL, 1, "x", NULL, NULL, &text, err), "files is NULL");
    REFUSED(basin_data_split(config, file, 1, NULL, NULL, NULL, &text, err), "out_prefix is NULL");
    REFUSED(basin_data_split(config, file, 1, "x", NULL, NULL, NULL, err), "out is NULL");
    REFUSED(basin_data_make(NULL, NULL, 1, "x.arff", NULL, NULL, &text, err), "kind is NULL");
    REFUSED(basin_data_make("mlc", NULL, 1, NULL, NULL, NULL, &text, err), "needs -o");
    REFUSED(basin_data_make("mlc", NULL, 1, "x.arff", NULL, NULL, NULL, err), "out is NULL");
    REFUSED(basin_list(NULL, &text, err), "kind is NULL");
    REFUSED(basin_list("methods", NULL, err), "out is NULL");
    REFUSED(basin_doctor(NULL, err), "out is NULL");
}

/* ---- structs that grow ---- */

/* New members begin where the struct ended before, so its size tells whether a program has them. */
#define ENDS_WITH(type, last) \
    assert_int_equal(sizeof(type), offsetof(type, last) + sizeof(((type *)0)->last))

static void structs_have_no_room_at_their_end(void **state)
{
    (void)state;
    ENDS_WITH(basin_predictor_options, decide);
    ENDS_WITH(basin_session, ctx);
    ENDS_WITH(basin_label_sets, texts);
    ENDS_WITH(basin_tagged, tag);
    ENDS_WITH(basin_images, class_names);
    ENDS_WITH(basin_train_options, model);
    ENDS_WITH(basin_eval_options, encoder);
    ENDS_WITH(basin_predict_options, encoder);
    ENDS_WITH(basin_threshold_options, encoder);
    ENDS_WITH(basin_calibrate_options, encoder);
    ENDS_WITH(basin_model_options, encoder);
}

/* A struct as an older or a newer program has it. */
typedef union {
    size_t                  size;
    basin_predictor_options predictor;
    basin_session           session;
    basin_label_sets        label_sets;
    basin_tagged            tagged;
    basin_images            images;
    basin_train_options     train;
    basin_eval_options      eval;
    basin_predict_options   predict;
    basin_threshold_options threshold;
    basin_calibrate_options calibrate;
    basin_model_options     model;
    unsigned char           bytes[512];
} sized;

static basin_status give_eval(const void *o, const void *session, basin_error *err)
{
    const char *const file[] = {"d.arff"};
    basin_status      s = basin_eval("run", file, 1, o, session, &text, err);
    basin_text_free(&text);
    return s;
}

static FILE *null;

static basin_status give(int which, const sized *o, basin_error *err)
{
    const char *const file[] = {"d.arff"};
    basin_model      *m = NULL;
    basin_predictor  *p = NULL;
    basin_data       *d = NULL;
    basin_status      s = BASIN_OK;
    switch (which) {
    case 0:
        s = basin_model_load("run", &m, err);
        s = s ? s : basin_predictor_open(m, &o->predictor, &p, err);
        basin_predictor_free(p);
        basin_model_free(m);
        break;
    case 1: s = give_eval(NULL, o, err); break;
    case 2: s = basin_data_label_sets(&o->label_sets, &d, err); break;
    case 3: s = basin_data_tagged(&o->tagged, &d, err); break;
    case 4: s = basin_data_images(&o->images, &d, err); break;
    case 5: s = basin_train_with(config, &o->train, NULL, &text, err); break;
    case 6: s = give_eval(o, NULL, err); break;
    case 7: s = basin_predict_files("run", file, 1, &o->predict, null, NULL, err); break;
    case 8: s = basin_model_threshold("run", file, 1, &o->threshold, NULL, &text, err); break;
    case 9: s = basin_model_calibrate("run", file, 1, &o->calibrate, NULL, &text, err); break;
    default: s = basin_model_load_with("run", &o->model, &m, err); basin_model_free(m);
    }
    basin_text_free(&text);
    basin_data_free(d);
    return s;
}

static const size_t size_of[] = {sizeof(basin_predictor_options),
                                 sizeof(basin_session),
                                 sizeof(basin_label_sets),
                                 sizeof(basin_tagged),
                                 sizeof(basin_images),
                                 sizeof(basin_train_options),
                                 sizeof(basin_eval_options),
                                 sizeof(basin_predict_options),
                                 sizeof(basin_threshold_options),
                                 sizeof(basin_calibrate_options),
                                 sizeof(basin_model_options)};
enum { SIZED = sizeof size_of / sizeof *size_of, TRAINING = 5 };

static void sizes_tell_what_a_program_knows(void **state)
{
    const size_t wrong[] = {0, sizeof(size_t), 51, 1 << 20, SIZE_MAX};
    (void)state;
    assert_non_null(null = fopen("/dev/null", "w"));
    for (int i = 0; i < SIZED; i++) {
        sized o = {.size = size_of[i] + 16};
        if (i != TRAINING) /* which has no data here */
            OK(give(i, &o, err));
        o.bytes[size_of[i] + 15] = 1;
        assert_int_equal(give(i, &o, &why), BASIN_EUNSUPPORTED);
        assert_non_null(strstr(why.msg, "asks for something that version"));
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            o.size = wrong[k];
            REFUSED(give(i, &o, err), "it must be sizeof(basin_");
        }
        memset(&o, 0xff, sizeof o); /* what lies behind an older program's struct is not read */
        memset(&o, 0, 2 * sizeof(size_t));
        o.size = 2 * sizeof(size_t);
        if (i != TRAINING)
            OK(give(i, &o, err));
    }
    sized o = {.eval = {sizeof o.eval, .threads = -5}};
    REFUSED(give_eval(&o, NULL, err), "threads: -5");
    o.size = 2 * sizeof(size_t);
    o.eval.profile = "nonsense"; /* which such a program cannot have meant */
    OK(give_eval(&o, NULL, err));
    fclose(null);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_and_predictors_want_all_they_need),
        cmocka_unit_test(structs_have_no_room_at_their_end),
        cmocka_unit_test(sizes_tell_what_a_program_knows),
        cmocka_unit_test(rows_want_all_they_need),
        cmocka_unit_test(missing_values_are_read_alike),
        cmocka_unit_test(sentences_and_images_want_all_they_need),
        cmocka_unit_test(settings_want_all_they_need),
        cmocka_unit_test(trainings_want_all_they_need),
        cmocka_unit_test(files_want_all_they_need),
        cmocka_unit_test(data_wants_all_it_needs),
    };
    return cmocka_run_group_tests_name("api_args", tests, train_models, forget);
}
