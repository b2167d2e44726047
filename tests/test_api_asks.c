/* test_api_asks.c -- models that ask for much: a file of a few kilobytes may not make a prediction
 * take gigabytes or hours, unless the caller wants that. */
#include <string.h>
#include <sys/resource.h>

#include "task/options.h"
#include "tests/api_folder.h"
#include "tests/model_edit.h"

enum { LABELS = 12 };

static void train_to(const char *data, const char *run, const char *const *set)
{
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "energy.proof", "0", err)); /* models that search, however badly */
    for (; *set; set += 2)
        OK(basin_config_set(c, set[0], set[1], err));
    OK(basin_config_file(c, "train", data, err));
    OK(basin_train(c, run, 1, 0, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
}

static int make_models(void **state)
{
    basin_text text;
    if (in_temporary_folder(state))
        return -1;
    train_to("d.arff", "rows",
             (const char *[]){"method", "dvn", "epochs", "1", "net.width", "8", "energy.hidden",
                              "4", NULL});
    if (basin_data_make("seg", "images=10 size=16", 3, "d.tar", NULL, NULL, &text, NULL))
        return -1;
    basin_text_free(&text);
    if (basin_data_make("tag", "rows=20 length=4", 3, "d.conll", NULL, NULL, &text, NULL))
        return -1;
    basin_text_free(&text);
    train_to("d.conll", "words",
             (const char *[]){"method", "ce", "epochs", "1", "net.width", "4", NULL});
    train_to("d.tar", "photos",
             (const char *[]){"method", "ce", "epochs", "1", "net.width", "2", NULL});
    return 0;
}

static void edited(const char *from, const model_change *change)
{
    char path[64];
    snprintf(path, sizeof path, "%s/best.safetensors", from);
    model_edit(path, "edited.safetensors", change, NULL);
}

static long resident(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss / 1024;
}

/* Three rows; the memory that they took is small. */
static void predict_rows(basin_predictor *p, const basin_model *m)
{
    const int32_t    start[] = {0, 1, 1, 1}, index[] = {0};
    const basin_rows x = {3, basin_model_features(m), start, index, NULL};
    float            scores[3 * LABELS];
    const long       before = resident();
    assert_int_equal(basin_model_labels(m), LABELS);
    OK(basin_predict_csr(p, &x, scores, err));
    if (resident() - before > 64)
        fail_msg("three rows took %ld MiB", resident() - before);
    for (int i = 0; i < 3 * LABELS; i++)
        assert_true(scores[i] >= 0 && scores[i] <= 1);
}

static void expect_refusal(basin_status s, const basin_error *err, const char *const *words)
{
    assert_int_equal(s, BASIN_EDATA);
    for (; *words; words++)
        if (!strstr(err->msg, *words))
            fail_msg("'%s' does not say '%s'", err->msg, *words);
}

static void a_long_search_takes_little_memory(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    (void)state;
    edited("rows",
           (model_change[]){{"basin.options", "gbi.test_steps", "10000"}, {NULL, NULL, NULL}});
    OK(basin_model_load("edited.safetensors", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    predict_rows(p, m);
    basin_predictor_free(p);
    basin_model_free(m);
}

static void many_starts_and_halvings_take_little_memory(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    (void)state;
    edited("rows", (model_change[]){{"basin.options", "gbi.start", "\"random\""},
                                    {"basin.options", "gbi.restarts", "1000"},
                                    {"basin.options", "gbi.halvings", "30"},
                                    {"basin.options", "gbi.test_steps", "3"},
                                    {NULL, NULL, NULL}});
    OK(basin_model_load("edited.safetensors", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    predict_rows(p, m);
    basin_predictor_free(p);
    basin_model_free(m);
}

/* 10000 steps x 1000 starts x 31 energies: hours for a row. */
static void a_search_of_hours_is_the_callers_to_ask_for(void **state)
{
    static const char *const why[] = {
        "gbi.test_steps", "gbi.restarts", "gbi.halvings", "310000000", "100000", "--set", NULL};
    static const char *const less[] = {"gbi.test_steps=5", "gbi.restarts=2", NULL};
    static const char *const fewer[] = {"gbi.test_steps=5", NULL};
    static const char *const same[] = {"gbi.test_steps=0", "gbi.restarts=2", NULL}; /* gbi.steps */
    const char *const        file = "d.arff", *model = "edited.safetensors";
    basin_model             *m;
    basin_predictor         *p;
    basin_text               text;
    basin_error              why_not;
    FILE                    *null = fopen("/dev/null", "w");
    (void)state;
    edited("rows", (model_change[]){{"basin.options", "gbi.start", "\"random\""},
                                    {"basin.options", "gbi.restarts", "1000"},
                                    {"basin.options", "gbi.halvings", "30"},
                                    {"basin.options", "gbi.steps", "10000"},
                                    {"basin.options", "gbi.test_steps", "10000"},
                                    {NULL, NULL, NULL}});
    OK(basin_model_load(model, &m, err));
    expect_refusal(basin_predictor_new(m, 1, &p, &why_not), &why_not, why);
    assert_null(p);
    expect_refusal(basin_predict_files(model, &file, 1, NULL, null, NULL, &why_not), &why_not, why);
    expect_refusal(basin_eval(model, &file, 1, NULL, NULL, &text, &why_not), &why_not, why);
    expect_refusal(basin_explain(model, &file, 1, NULL, NULL, &text, &why_not), &why_not, why);
    /* what the caller sets is the caller's own wish, and the rest is counted */
    const basin_predictor_options own = {sizeof own, .threads = 1, .set = less};
    OK(basin_predictor_open(m, &own, &p, err));
    predict_rows(p, m);
    basin_predictor_free(p);
    OK(basin_predictor_open(m, &BASIN_OPTIONS(basin_predictor_options, .set = fewer), &p, err));
    basin_predictor_free(p);
    assert_int_equal(
        basin_predictor_open(m, &BASIN_OPTIONS(basin_predictor_options, .set = same), &p, &why_not),
        BASIN_EDATA);
    OK(basin_eval(model, &file, 1, &BASIN_OPTIONS(basin_eval_options, .set = less), NULL, &text,
                  err));
    basin_text_free(&text);
    OK(basin_predict_files(model, &file, 1, &BASIN_OPTIONS(basin_predict_options, .set = less),
                           null, NULL, err));
    /* other settings are the model's */
    static const char *const other[] = {"gbi.lr=3", NULL};
    assert_int_equal(basin_predictor_open(m, &BASIN_OPTIONS(basin_predictor_options, .set = other),
                                          &p, &why_not),
                     BASIN_EARG);
    basin_model_free(m);
    fclose(null);
}

static void samples_without_number_are_the_callers_to_ask_for(void **state)
{
    static const char *const why[] = {"5000 samples", "1000", "--set decide.samples", NULL};
    static const char *const less[] = {"decide.samples=5", NULL};
    const char *const        file = "d.arff", *model = "edited.safetensors";
    basin_text               text;
    basin_error              why_not;
    (void)state;
    train_to("d.arff", "sets",
             (const char *[]){"method", "dvn", "epochs", "1", "net.width", "8", "decide", "f1",
                              "decide.samples", "5", NULL});
    edited("sets",
           (model_change[]){{"basin.options", "decide.samples", "5000"}, {NULL, NULL, NULL}});
    expect_refusal(basin_eval(model, &file, 1, NULL, NULL, &text, &why_not), &why_not, why);
    OK(basin_eval(model, &file, 1, &BASIN_OPTIONS(basin_eval_options, .infer = "net", .set = less),
                  NULL, &text, err));
    basin_text_free(&text);
}

static void numbers_beyond_their_range_do_not_load(void **state)
{
    static const char *const names[] = {"gbi.test_steps", "gbi.steps", "gbi.restarts",
                                        "gbi.halvings", NULL};
    (void)state;
    for (int i = 0; names[i]; i++) {
        basin_model *m;
        basin_error  why_not;
        edited("rows",
               (model_change[]){{"basin.options", names[i], "1000000000"}, {NULL, NULL, NULL}});
        assert_int_equal(basin_model_load("edited.safetensors", &m, &why_not), BASIN_EARG);
        assert_non_null(strstr(why_not.msg, names[i]));
    }
}

/* Of windows and photos, which are a few bytes in a model. */
static void a_model_of_photos_may_not_ask_for_much(void **state)
{
    static const struct {
        const char *member, *value, *says;
    } ask[] = {{"window", "[8192, 8192]", "image.max_window_mb"},
               {"image image.size", "\"60000x60000\"", "image.max_side"},
               {"image image.size", "\"16000x16000\"", "image.max_pixels"}};
    (void)state;
    for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
        basin_model     *m;
        basin_predictor *p;
        basin_error      why_not;
        edited("photos",
               (model_change[]){{"basin.schema", ask[i].member, ask[i].value}, {NULL, NULL, NULL}});
        OK(basin_model_load("edited.safetensors", &m, err));
        expect_refusal(basin_predictor_new(m, 1, &p, &why_not), &why_not,
                       (const char *[]){ask[i].says, NULL});
        basin_model_free(m);
    }
    static const char *const more[] = {"image.max_window_mb=512", NULL};
    basin_model             *m;
    basin_predictor         *p;
    edited("photos",
           (model_change[]){{"basin.schema", "window", "[8192, 8192]"}, {NULL, NULL, NULL}});
    OK(basin_model_load("edited.safetensors", &m, err));
    OK(basin_predictor_open(m, &BASIN_OPTIONS(basin_predictor_options, .threads = 1, .set = more),
                            &p, err));
    basin_predictor_free(p);
    basin_model_free(m);
}

/* A window of a pixel: as many programs as a photo has pixels, or some thousands. */
static void a_photo_takes_a_bounded_number_of_windows(void **state)
{
    enum { SIDE = 600 };
    uint8_t         *pixels = calloc(SIDE, SIDE), *mask = calloc(SIDE, SIDE);
    basin_model     *m;
    basin_predictor *p;
    basin_error      why_not;
    (void)state;
    edited("photos", (model_change[]){{"basin.schema", "window", "[1, 1]"},
                                      {"basin.schema", "crops", "36"},
                                      {"basin.schema", "image image.size", "\"keep\""},
                                      {NULL, NULL, NULL}});
    OK(basin_model_load("edited.safetensors", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(basin_predict_image(p, pixels, 20, 10, 1, mask, NULL, err));
    expect_refusal(basin_predict_image(p, pixels, SIDE, SIDE, 1, mask, NULL, &why_not), &why_not,
                   (const char *[]){"windows of 1 x 1", "360000", NULL});
    basin_predictor_free(p);
    basin_model_free(m);
    free(pixels);
    free(mask);
}

/* The tagger with n tags: a list of names, a column of weights each. */
static void with_tags(int n)
{
    enum { MOST = 64 };
    static bs_tensor t[MOST];
    static bs_meta   meta[MOST];
    bs_safetensors  *f;
    bs_buf           list;
    bs_buf_init(&list, 1 << 20);
    for (int i = 0; i < n; i++)
        bs_buf_printf(&list, "%s%d", i ? "\\n" : "\"", i);
    bs_buf_text(&list, "\"");
    float *zeros = calloc((size_t)n * 64, sizeof *zeros);
    OK(bs_safetensors_open("words/best.safetensors", &f, err));
    const int tensors = bs_safetensors_count(f), metas = bs_safetensors_meta_count(f);
    assert_true(tensors <= MOST && metas <= MOST);
    for (int i = 0; i < tensors; i++) {
        t[i] = *bs_safetensors_at(f, i);
        if (strncmp(t[i].name, "net/tags/", 9) != 0)
            continue;
        assert_true(t[i].n_dims == 1 || t[i].dim[0] <= 64);
        t[i].dim[t[i].n_dims - 1] = n;
        t[i].bytes = (size_t)n * (size_t)(t[i].n_dims > 1 ? t[i].dim[0] : 1) * sizeof *zeros;
        t[i].data = zeros;
    }
    for (int i = 0; i < metas; i++) {
        meta[i] = *bs_safetensors_meta_at(f, i);
        if (strcmp(meta[i].key, "basin.schema") == 0)
            model_edit_member(&meta[i], "lexicon tags", list.data);
        if (strcmp(meta[i].key, "basin.options") == 0)
            model_edit_member(&meta[i], "constrain", "true");
    }
    OK(bs_safetensors_write("edited.safetensors", t, tensors, meta, metas, err));
    bs_safetensors_close(f);
    bs_buf_free(&list);
    free(zeros);
}

/* Spans of n tags take n * n numbers: of 100 kB of a model gigabytes. */
static void well_formed_spans_of_many_tags_are_the_callers_to_ask_for(void **state)
{
    static const char *const token[] = {"a"};
    for (int n = 40; n <= 4400; n += 4360) {
        basin_model     *m;
        basin_predictor *p;
        basin_error      why_not;
        int32_t          tag;
        (void)state;
        with_tags(n);
        OK(basin_model_load("edited.safetensors", &m, err));
        if (n > 4096)
            expect_refusal(basin_predictor_new(m, 1, &p, &why_not), &why_not,
                           (const char *[]){"constrain", "4400", "4096", NULL});
        if (n > 4096)
            assert_int_equal(
                basin_predictor_open(m,
                                     &BASIN_OPTIONS(basin_predictor_options, .decide = "hamming",
                                                    .infer = "net", .constrain = 1),
                                     &p, &why_not),
                BASIN_EARG);
        const basin_predictor_options o = {sizeof o, .threads = 1, .constrain = 1};
        OK(basin_predictor_open(m, &o, &p, err));
        OK(basin_predict_tokens(p, token, 1, NULL, &tag, NULL, err));
        assert_true(tag >= 0 && tag < n);
        basin_predictor_free(p);
        basin_model_free(m);
    }
}

/* Limits are those of whoever reads, whatever is stored. */
static void limits_in_a_model_do_not_count(void **state)
{
    static const char json[] = "{\"data.max_rows\": 2000000000, \"data.max_line_mb\": 2000, "
                               "\"text.max_length\": 2000000000, \"image.max_pixels\": 2000000000, "
                               "\"image.max_mb\": 1000000, \"chars.max_length\": 100}";
    bs_settings       s, usual;
    (void)state;
    OK(bs_settings_default(&s, err));
    OK(bs_settings_default(&usual, err));
    OK(bs_settings_from_json(&s, json, strlen(json), "model", err));
    assert_int_equal(s.read.max_rows, usual.read.max_rows);
    assert_int_equal(s.read.max_line_mb, usual.read.max_line_mb);
    assert_int_equal(s.text.max_length, usual.text.max_length);
    assert_int_equal(s.image.max_pixels, usual.image.max_pixels);
    assert_int_equal(s.image.max_mb, usual.image.max_mb);
    assert_int_equal(s.words.char_max_length, 100); /* is no limit, but what was trained */
}

/* The same for what a model knows of photos: a large one is refused by the usual limit. */
static void limits_in_what_a_model_knows_do_not_count(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    basin_error      why_not;
    (void)state;
    edited("photos", (model_change[]){{"basin.schema", "image image.size", "\"16000x16000\""},
                                      {"basin.schema", "image image.max_pixels", "2000000000"},
                                      {NULL, NULL, NULL}});
    OK(basin_model_load("edited.safetensors", &m, err));
    assert_int_equal(basin_predictor_new(m, 1, &p, &why_not), BASIN_EDATA);
    basin_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_search_takes_little_memory),
        cmocka_unit_test(many_starts_and_halvings_take_little_memory),
        cmocka_unit_test(a_search_of_hours_is_the_callers_to_ask_for),
        cmocka_unit_test(samples_without_number_are_the_callers_to_ask_for),
        cmocka_unit_test(numbers_beyond_their_range_do_not_load),
        cmocka_unit_test(a_model_of_photos_may_not_ask_for_much),
        cmocka_unit_test(a_photo_takes_a_bounded_number_of_windows),
        cmocka_unit_test(well_formed_spans_of_many_tags_are_the_callers_to_ask_for),
        cmocka_unit_test(limits_in_a_model_do_not_count),
        cmocka_unit_test(limits_in_what_a_model_knows_do_not_count),
    };
    return cmocka_run_group_tests(tests, make_models, leave_folder);
}
