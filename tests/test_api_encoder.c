/* test_api_encoder.c -- models with an encoder in memory: texts alone and together, errors. */
#include <string.h>

#include "base/io.h"
#include "tests/model_edit.h"

enum { LABELS = 24, TEXTS = 4 };

static const char *const text[TEXTS] = {"nafobu loriti tegagu nibodu kekazi", "",
                                        "tekura fuvode mupufa danita dinege nibodu vifipi",
                                        "something else"};

static char encoder[400];

static void config(basin_config *c)
{
    OK(basin_config_set(c, "method", "ce", err));
    OK(basin_config_set(c, "epochs", "1", err));
    OK(basin_config_set(c, "net.width", "8", err));
    OK(basin_config_set(c, "encoder.length", "12", err));
    OK(basin_config_set(c, "encoder", encoder, err));
    OK(basin_config_file(c, "train", "d.jsonl", err));
}

static void train(void)
{
    basin_config *c;
    basin_text    out;
    OK(basin_config_new(&c, err));
    config(c);
    OK(basin_train(c, "read", 1, 0, NULL, &out, err));
    basin_text_free(&out);
    basin_config_free(c);
}

static int make_models(void **state)
{
    basin_text  out;
    const char *top = getenv("TOP");
    if (in_temporary_folder(state))
        return -1;
    snprintf(encoder, sizeof encoder, "%s/tests/golden/encoders/bert", top ? top : here);
    if (basin_data_make("text", "rows=60", 3, "d.jsonl", NULL, NULL, &out, NULL))
        return -1;
    basin_text_free(&out);
    train();
    return 0;
}

static void texts_alone_and_together(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    float            all[TEXTS * LABELS], one[LABELS];
    const char      *none[] = {"a", NULL}, *broken[] = {"\xff"};
    (void)state;
    OK(basin_model_load("read", &m, err));
    assert_int_equal(basin_model_labels(m), LABELS);
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_texts(p, text, TEXTS, NULL, all, err));
    for (int i = 0; i < TEXTS; i++) {
        OK(basin_predict_texts(p, &text[i], 1, NULL, one, err));
        assert_memory_equal(one, all + i * LABELS, sizeof one);
    }
    assert_memory_not_equal(all, all + 2 * LABELS, sizeof one);
    OK(basin_predict_texts(p, NULL, 0, NULL, NULL, err));

    basin_error why = {0};
    assert_int_equal(basin_predict_texts(p, none, 2, NULL, all, &why), BASIN_EARG);
    assert_string_equal(why.msg, "row 1 has no text");
    assert_int_equal(basin_predict_texts(p, broken, 1, NULL, all, &why), BASIN_EDATA);
    assert_string_equal(why.msg, "row 0: its text is not UTF-8");
    assert_int_equal(basin_predict_texts(p, text, -1, NULL, all, &why), BASIN_EARG);
    assert_int_equal(basin_predict_texts(NULL, text, 1, NULL, all, &why), BASIN_EARG);
    basin_predictor_free(p);
    basin_model_free(m);
}

static void other_rows_are_refused(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    basin_error      why = {0};
    float            x[1] = {0}, scores[LABELS];
    const int32_t    start[2] = {0, 0};
    const basin_rows row = {1, 0, start, NULL, NULL};
    (void)state;
    OK(basin_model_load("read", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    assert_int_equal(basin_predict_csr(p, &row, scores, &why), BASIN_EARG);
    assert_string_equal(why.msg, "this model reads texts; use basin_predict_texts");
    assert_int_equal(basin_predict_dense(p, x, 1, scores, &why), BASIN_EARG);
    assert_string_equal(why.msg, "this model reads texts; use basin_predict_texts");
    basin_predictor_free(p);
    basin_model_free(m);
}

/* What a model says of its encoder may be anything. */
static void impossible_encoders(void **state)
{
    static const struct {
        const char *path, *value, *message;
    } wrong[] = {
        {"encoder", "3", "the encoder in its metadata is incomplete"},
        {"encoder tokens", "[]", "the encoder in its metadata is incomplete"},
        {"encoder tokens", "\"basin tokenizer 1\"", "token"},
        {"encoder length", "41", "texts of 41 pieces in its metadata"},
        {"encoder length", "\"long\"", "texts of 0 pieces in its metadata"},
        {"encoder form", "{}", "bad.safetensors: "},
        {"encoder form heads", "5", "bad.safetensors: "},
        {"encoder form layers", "1000000", "bad.safetensors: "},
        {"encoder form vocabulary", "90", "bad.safetensors: "},
        {"encoder form layers", "3", "bad.safetensors: "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const model_change change[] = {{"basin.schema", wrong[i].path, wrong[i].value},
                                       {NULL, NULL, NULL}};
        basin_model       *m = NULL;
        basin_error        why = {0};
        model_edit("read/best.safetensors", "bad.safetensors", change, NULL);
        const basin_status s = basin_model_load("bad.safetensors", &m, &why);
        if (s == BASIN_OK || !strstr(why.msg, wrong[i].message) || strchr(why.msg, '\n')) {
            fprintf(stderr, "  %s = %s: %d, '%s'\n", wrong[i].path, wrong[i].value, (int)s,
                    why.msg);
            fail();
        }
        assert_null(m);
    }
}

static void without_its_encoder(void **state)
{
    basin_config             *c;
    basin_text                out;
    basin_model              *m = NULL;
    basin_predictor          *p;
    basin_error               why = {0};
    basin_bytes               bytes;
    float                     then[TEXTS * LABELS], now[TEXTS * LABELS];
    const basin_train_options memory = {sizeof memory, .model = &m};
    (void)state;
    OK(basin_config_new(&c, err));
    config(c);
    OK(basin_config_set(c, "encoder.train", "none", err));
    OK(basin_config_set(c, "model.encoder", "beside", err));
    OK(basin_train_with(c, &memory, NULL, &out, err));
    basin_text_free(&out);
    basin_config_free(c);
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_texts(p, text, TEXTS, NULL, then, err));
    basin_predictor_free(p);
    OK(basin_model_write(m, &bytes, err));
    basin_model_free(m);
    OK(bs_write_file("alone.safetensors", bytes.data, bytes.n, err));

    assert_int_equal(basin_model_load("alone.safetensors", &m, &why), BASIN_EDATA);
    assert_non_null(strstr(why.msg, "--encoder DIR names its folder"));
    assert_null(m);
    assert_int_equal(symlink(encoder, "bert"), 0); /* beside the file, but not beside bytes */
    assert_int_equal(basin_model_read(bytes.data, bytes.n, &m, &why), BASIN_EDATA);
    OK(basin_model_load("alone.safetensors", &m, err));
    basin_model_free(m);
    basin_bytes_free(&bytes);
    assert_int_equal(unlink("bert"), 0);
    const basin_model_options there = {sizeof there, .encoder = encoder};
    assert_int_equal(basin_model_load_with("read", &there, &m, &why), BASIN_EARG);
    OK(basin_model_load_with("alone.safetensors", &there, &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_texts(p, text, TEXTS, NULL, now, err));
    assert_memory_equal(then, now, sizeof now);
    basin_predictor_free(p);
    basin_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_alone_and_together), cmocka_unit_test(other_rows_are_refused),
        cmocka_unit_test(without_its_encoder), cmocka_unit_test(impossible_encoders)};
    return cmocka_run_group_tests(tests, make_models, leave_folder);
}
