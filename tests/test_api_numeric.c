/* test_api_numeric.c -- numbers that become too large: BASIN_ENUMERIC that names the row, for all
 * tasks and ways to predict, from memory and from files, and never NaN or infinity as a result. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/api_folder.h"
#include "tests/model_edit.h"

enum { LABELS = 12, SIDE = 16 };

static void train_to(const char *data, const char *run, const char *const *set)
{
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "epochs", "1", err));
    OK(basin_config_set(c, "pretrain.epochs", "1", err));
    OK(basin_config_set(c, "energy.hidden", "4", err));
    OK(basin_config_set(c, "gbi.steps", "4", err));
    for (; *set; set += 2)
        OK(basin_config_set(c, set[0], set[1], err));
    OK(basin_config_file(c, "train", data, err));
    OK(basin_train(c, run, 1, 0, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
}

/* Twenty rows of two numbers and two labels; one line may be another one. */
static void write_csv(const char *path, int at, const char *line)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "a,b,l1,l2\n");
    for (int i = 1; i <= 20; i++)
        if (i == at)
            fprintf(f, "%s\n", line);
        else
            fprintf(f, "%d.5,%d.25,%d,%d\n", i % 7, i % 3, i % 2, i % 3 == 0);
    fclose(f);
}

static int make_models(void **state)
{
    basin_text text;
    if (in_temporary_folder(state) ||
        basin_data_make("seg", "images=10 size=16", 3, "d.tar", NULL, NULL, &text, NULL))
        return -1;
    basin_text_free(&text);
    if (basin_data_make("tag", "rows=40 length=5", 3, "d.conll", NULL, NULL, &text, NULL))
        return -1;
    basin_text_free(&text);
    write_csv("d.csv", 0, NULL);
    static const char *const method[] = {"ce", "spen", "alen", "dvn"};
    for (int i = 0; i < 4; i++) {
        char run[32];
        snprintf(run, sizeof run, "dense-%s", method[i]);
        train_to(
            "d.csv", run,
            (const char *[]){"method", method[i], "net.width", "8", "data.labels", "last:2", NULL});
        snprintf(run, sizeof run, "sparse-%s", method[i]);
        train_to(
            "d.arff", run,
            (const char *[]){"method", method[i], "net.width", "8", "standardise", "no", NULL});
    }
    train_to("d.conll", "tag-ce", (const char *[]){"method", "ce", "net.width", "4", NULL});
    train_to("d.conll", "tag-crf", (const char *[]){"method", "crf", "net.width", "4", NULL});
    train_to("d.conll", "tag-spen", (const char *[]){"method", "spen", "net.width", "4", NULL});
    train_to("d.tar", "seg-ce", (const char *[]){"method", "ce", "net.width", "2", NULL});
    train_to("d.tar", "seg-alen", (const char *[]){"method", "alen", "net.width", "2", NULL});
    return 0;
}

static void expect_row(basin_status s, const basin_error *why, const char *row, const char *what)
{
    if (s != BASIN_ENUMERIC || !strstr(why->msg, row))
        fail_msg("%s: status %d, '%s' does not say '%s'", what, (int)s, s ? why->msg : "", row);
}

static basin_predictor *open_model(const char *path, basin_model **m)
{
    basin_predictor *p;
    OK(basin_model_load(path, m, err));
    OK(basin_predictor_new(*m, 1, &p, err));
    return p;
}

static void close_model(basin_predictor *p, basin_model *m)
{
    basin_predictor_free(p);
    basin_model_free(m);
}

static void expect_probabilities(const float *x, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= 0 && x[i] <= 1))
            fail_msg("%s: score %zu is %g", what, i, (double)x[i]);
}

/* ---- rows ---- */

static const char *const ways[] = {"ce", "spen", "alen", "dvn", NULL};

static void huge_features_are_no_success(void **state)
{
    float bad[] = {1, 2, 3, 1, 3e38F, -3e38F, 2, 2}, good[] = {1, 2, 3, 1, 2, 2};
    (void)state;
    for (int i = 0; ways[i]; i++) {
        char         run[32];
        basin_model *m;
        basin_error  why;
        float        scores[4 * LABELS];
        snprintf(run, sizeof run, "dense-%s", ways[i]);
        basin_predictor *p = open_model(run, &m);
        /* (3e38 - mean) / deviation and what comes of it */
        expect_row(basin_predict_dense(p, bad, 4, scores, &why), &why, "row 2", run);
        OK(basin_predict_dense(p, good, 3, scores, err));
        expect_probabilities(scores, 6, run);
        close_model(p, m);
    }
    for (int i = 0; ways[i]; i++) {
        char         run[32];
        basin_model *m;
        basin_error  why;
        float       *scores = calloc(400 * LABELS, sizeof *scores), value[400];
        int32_t      start[401], index[400];
        snprintf(run, sizeof run, "sparse-%s/best.safetensors", ways[i]);
        model_edit(
            run, "edited.safetensors", NULL,
            (model_weight[]){{"net/T/0/W", 0, 1, 2}, {"energy/T/0/W", 0, 1, 2}, {NULL, 0, 0, 0}});
        basin_predictor *p = open_model("edited.safetensors", &m);
        basin_rows       x = {400, basin_model_features(m), start, index, value};
        for (int r = 0; r <= 400; r++)
            start[r] = r;
        for (int r = 0; r < 400; r++) {
            index[r] = r % basin_model_features(m);
            value[r] = r == 300 ? 3e38F : 1;
        }
        expect_row(basin_predict_csr(p, &x, scores, &why), &why, "row 300", run);
        value[300] = 1;
        OK(basin_predict_csr(p, &x, scores, err));
        expect_probabilities(scores, 400 * LABELS, run);
        close_model(p, m);
        free(scores);
    }
}

/* The last weights of a net that overflow to plus infinity alone: the probability would be 1. */
static void an_infinite_logit_is_no_success(void **state)
{
    const float  x[] = {1, 2, 3, 1};
    float        scores[4];
    basin_model *m;
    basin_error  why;
    (void)state;
    model_edit("dense-ce/best.safetensors", "edited.safetensors", NULL,
               (model_weight[]){{"net/labels/W", 0, 1, FLT_MAX}, {NULL, 0, 0, 0}});
    basin_predictor *p = open_model("edited.safetensors", &m);
    expect_row(basin_predict_dense(p, x, 2, scores, &why), &why, "row 0", "infinite logits");
    close_model(p, m);
}

/* Every tensor of every model in turn becomes huge: an error, or numbers. */
static void huge_weights_are_no_success(void **state)
{
    int refused = 0;
    (void)state;
    for (int i = 0; ways[i]; i++) {
        char            path[64];
        bs_safetensors *f;
        snprintf(path, sizeof path, "dense-%s/best.safetensors", ways[i]);
        OK(bs_safetensors_open(path, &f, err));
        for (int t = 0; t < bs_safetensors_count(f); t++)
            for (size_t step = 1; step <= 2; step++) { /* all, or every second */
                const char  *name = bs_safetensors_at(f, t)->name;
                const float  x[] = {1, 2, 3, 1};
                float        scores[4];
                basin_model *m;
                basin_error  why;
                model_edit(path, "edited.safetensors", NULL,
                           (model_weight[]){{name, 0, step, FLT_MAX}, {NULL, 0, 0, 0}});
                basin_predictor *p = open_model("edited.safetensors", &m);
                basin_status     s = basin_predict_dense(p, x, 2, scores, &why);
                if (s) {
                    expect_row(s, &why, "row 0", name);
                    refused++;
                } else {
                    expect_probabilities(scores, 4, name);
                }
                close_model(p, m);
            }
        bs_safetensors_close(f);
    }
    assert_true(refused >= 10);
}

/* ---- files ---- */

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static void files_are_named_with_the_row(void **state)
{
    static const char *const bad = "bad.csv", *const both[] = {"d.csv", "bad.csv"};
    (void)state;
    write_csv(bad, 13, "3e38,-3e38,0,1");
    for (int i = 0; ways[i]; i++) {
        char        run[32];
        basin_text  text;
        basin_error why;
        snprintf(run, sizeof run, "dense-%s", ways[i]);
        const char *const formats[] = {"jsonl", "csv", "npy", "arff"};
        for (int k = 0; k < 4; k++) {
            const basin_predict_options o = {sizeof o, .path = "out", .format = formats[k],
                                             .scores = 1, .threads = 1};
            basin_status                s = basin_predict_files(run, &bad, 1, &o, NULL, NULL, &why);
            expect_row(s, &why, "bad.csv: row 13", run);
            s = basin_predict_files(run, &bad, 1, &o, NULL, NULL, NULL);
            assert_int_equal(s, BASIN_ENUMERIC); /* who wants no message is told so as well */
            assert_false(exists("out"));
        }
        expect_row(basin_eval(run, &bad, 1, NULL, NULL, &text, &why), &why, "bad.csv: row 13", run);
        expect_row(basin_eval(run, both, 2, NULL, NULL, &text, &why), &why, "row 33", run);
        if (i > 0)
            expect_row(basin_explain(run, &bad, 1, NULL, NULL, &text, &why), &why, "row 13", run);
    }
}

static void sets_name_their_row(const char *path)
{
    basin_model     *m;
    basin_error      why;
    basin_predictor *p;
    float            value[2 * 20] = {0};
    int32_t          start[21], index[2 * 20];
    uint8_t          on[2 * 20];
    for (int i = 0; i < 20; i++) {
        start[i + 1] = 2 * (i + 1);
        index[2 * i] = 0;
        index[2 * i + 1] = 1;
    }
    start[0] = 0;
    value[2 * 16] = 3e38F;
    const basin_rows rows = {20, 2, start, index, value};
    OK(basin_model_load(path, &m, err));
    OK(basin_predictor_open(
        m, &BASIN_OPTIONS(basin_predictor_options, .decide = "f1", .infer = "net"), &p, err));
    expect_row(basin_predict_sets(p, &rows, on, &why), &why, "row 16: an energy of", "sets");
    close_model(p, m);
}

/* An energy that is asked for beside finite scores of the net. */
static void energies_are_finite_or_an_error(void **state)
{
    static const char *const    file = "d.csv";
    const basin_predict_options o = {sizeof o,       .path = "out", .format = "jsonl",
                                     .infer = "net", .energy = 1,   .threads = 1};
    basin_error                 why;
    (void)state;
    model_edit("dense-spen/best.safetensors", "edited.safetensors", NULL,
               (model_weight[]){{"energy/labels/W", 0, 1, FLT_MAX}, {NULL, 0, 0, 0}});
    expect_row(basin_predict_files("edited.safetensors", &file, 1, &o, NULL, NULL, &why), &why,
               "d.csv: row ", "energy");
    assert_false(exists("out"));
    /* sets that are decided by energies, of one row of which a feature is large */
    const basin_eval_options decide = {sizeof decide, .decide = "f1", .infer = "net"};
    basin_text               text;
    write_csv("bad.csv", 17, "3e38,1,0,1");
    model_edit(
        "dense-spen/best.safetensors", "edited.safetensors", NULL,
        (model_weight[]){{"net/T/0/W", 0, 1, 0}, {"energy/T/0/W", 0, 1, 9}, {NULL, 0, 0, 0}});
    const char *const bad = "bad.csv";
    expect_row(basin_eval("edited.safetensors", &bad, 1, &decide, NULL, &text, &why), &why,
               "bad.csv: row 17: an energy of", "decisions");
    sets_name_their_row("edited.safetensors");
    const float y[2 * 8] = {0.5F, 0.5F};
    double      pairs[4];
    model_edit("dense-spen/best.safetensors", "edited.safetensors", NULL,
               (model_weight[]){{"energy/v", 0, 1, FLT_MAX}, {NULL, 0, 0, 0}});
    basin_model *m;
    OK(basin_model_load("edited.safetensors", &m, err));
    expect_row(basin_interactions(m, y, 8, 1, pairs, &why), &why, "labels 0 and 0", "interactions");
    basin_model_free(m);
}

static void training_does_not_go_on_with_nan(void **state)
{
    static const struct {
        const char *train, *valid, *standardise, *says;
    } cases[] = {{"d.csv", "huge.csv", "auto", "validation data after epoch 1: row 7"},
                 {"huge.csv", "d.csv", "no", "the loss of the net is no longer finite at step 1"}};
    (void)state;
    write_csv("huge.csv", 7, "3e38,-3e38,0,1");
    for (int i = 0; i < 2; i++) {
        basin_config *c;
        basin_text    text;
        basin_error   why;
        OK(basin_config_new(&c, err));
        OK(basin_config_set(c, "method", "ce", err));
        OK(basin_config_set(c, "data.labels", "last:2", err));
        OK(basin_config_set(c, "standardise", cases[i].standardise, err));
        OK(basin_config_file(c, "train", cases[i].train, err));
        OK(basin_config_file(c, "valid", cases[i].valid, err));
        expect_row(basin_train(c, NULL, 1, 0, NULL, &text, &why), &why, cases[i].says, "training");
        basin_config_free(c);
    }
}

/* ---- sentences and photos ---- */

static void huge_weights_of_taggers_are_no_success(void **state)
{
    static const char *const runs[] = {"tag-ce", "tag-crf", "tag-spen", NULL};
    static const char *const token[] = {"a", "b", "c", "a", "b"};
    const int32_t            start[] = {0, 3, 5};
    const basin_sentences    x = {2, start, token, NULL};
    const char *const        file = "d.conll";
    int                      refused = 0;
    (void)state;
    for (int i = 0; runs[i]; i++) {
        char            path[64];
        bs_safetensors *f;
        snprintf(path, sizeof path, "%s/best.safetensors", runs[i]);
        OK(bs_safetensors_open(path, &f, err));
        for (int t = 0; t < bs_safetensors_count(f); t++)
            for (size_t step = 1; step <= 2; step++) {
                const char                 *name = bs_safetensors_at(f, t)->name;
                const basin_predict_options o = {sizeof o, .path = "out", .format = "jsonl",
                                                 .threads = 1};
                int32_t                     tags[5];
                float                       scores[5];
                basin_model                *m;
                basin_error                 why;
                model_edit(path, "edited.safetensors", NULL,
                           (model_weight[]){{name, 0, step, FLT_MAX}, {NULL, 0, 0, 0}});
                basin_predictor *p = open_model("edited.safetensors", &m);
                basin_status     s = basin_predict_sentences(p, &x, tags, scores, &why);
                if (s)
                    expect_row(s, &why, "sentence ", name);
                else
                    expect_probabilities(scores, 5, name);
                s = basin_predict_files("edited.safetensors", &file, 1, &o, NULL, NULL, &why);
                if (s) {
                    expect_row(s, &why, "d.conll: sentence ", name);
                    refused++;
                }
                assert_int_equal(exists("out"), !s);
                remove("out");
                close_model(p, m);
            }
        bs_safetensors_close(f);
    }
    assert_true(refused >= 4);
}

static void huge_weights_of_masks_are_no_success(void **state)
{
    static const char *const runs[] = {"seg-ce", "seg-alen", NULL};
    uint8_t                  pixels[3 * SIDE * SIDE], mask[SIDE * SIDE];
    float                    probability[SIDE * SIDE];
    int                      refused = 0;
    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 37);
    for (int i = 0; runs[i]; i++) {
        char            path[64];
        bs_safetensors *f;
        snprintf(path, sizeof path, "%s/best.safetensors", runs[i]);
        OK(bs_safetensors_open(path, &f, err));
        for (int t = 0; t < bs_safetensors_count(f); t++)
            for (size_t step = 1; step <= 2; step++) {
                const char  *name = bs_safetensors_at(f, t)->name;
                basin_model *m;
                basin_error  why;
                model_edit(path, "edited.safetensors", NULL,
                           (model_weight[]){{name, 0, step, FLT_MAX}, {NULL, 0, 0, 0}});
                basin_predictor *p = open_model("edited.safetensors", &m);
                basin_status     s =
                    basin_predict_image(p, pixels, SIDE, SIDE, 3, mask, probability, &why);
                if (s) {
                    expect_row(s, &why, "image 1", name);
                    refused++;
                } else {
                    expect_probabilities(probability, SIDE * SIDE, name);
                }
                close_model(p, m);
            }
        bs_safetensors_close(f);
    }
    assert_true(refused >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_features_are_no_success),
        cmocka_unit_test(an_infinite_logit_is_no_success),
        cmocka_unit_test(huge_weights_are_no_success),
        cmocka_unit_test(files_are_named_with_the_row),
        cmocka_unit_test(energies_are_finite_or_an_error),
        cmocka_unit_test(training_does_not_go_on_with_nan),
        cmocka_unit_test(huge_weights_of_taggers_are_no_success),
        cmocka_unit_test(huge_weights_of_masks_are_no_success),
    };
    return cmocka_run_group_tests(tests, make_models, leave_folder);
}
