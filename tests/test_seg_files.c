/* test_seg_files.c -- files of images to models, and predictions of one image from memory. */
#include "seg_feed.h"
#include "tests/far.h"

static int in_folder_of_images(void **state)
{
    bs_images *im = made("images=40 size=16 channels=3 noise=5 contrast=90");
    bs_images *grey = made("images=30 size=20 channels=1 valid=0 test=0");
    int        status = in_temporary_folder(state);
    OK(bs_images_write(im, "set.tar", NULL, err));
    OK(bs_images_write(grey, "grey", NULL, err));
    bs_images_free(im);
    bs_images_free(grey);
    return status;
}

static void parts_of_the_data_are_used(void **state)
{
    bs_settings s;
    bs_logger   quiet = {0};
    bs_data     p;
    bs_sources  files = {.file = {{"set.tar"}}, .n = {1}};
    (void)state;
    OK(bs_settings_default(&s, err));
    snprintf(s.train.task, sizeof s.train.task, "seg");
    OK(bs_prepare(&s, &files, &quiet, &p, err));
    assert_int_equal(p.part[0].rows, 24);
    assert_int_equal(p.part[1].rows, 6);
    assert_int_equal(p.part[2].rows, 10);
    bs_data_free(&p);
    files.file[0][0] = "grey"; /* no parts: split off */
    OK(bs_prepare(&s, &files, &quiet, &p, err));
    assert_int_equal(p.part[0].rows + p.part[1].rows + p.part[2].rows, 30);
    assert_int_equal(p.part[1].rows, 6);
    assert_int_equal(bs_preprocess_seg(&p.known)->channels, 1);
    assert_int_equal(bs_preprocess_seg(&p.known)->width, 20);
    bs_data_free(&p);
    files = (bs_sources){.file = {{"set.tar"}, {"grey"}}, .n = {1, 1}}; /* a file goes first */
    OK(bs_prepare(&s, &files, &quiet, &p, err));
    assert_int_equal(p.part[1].rows, 30);
    assert_int_equal(bs_dataset_seg(&p.part[1])->channels, 3);
    assert_int_equal(bs_dataset_seg(&p.part[1])->width[0], 16);
    assert_int_equal(p.part[2].rows, 10);
    bs_data_free(&p);
}

static void train_by(const char *method, const char *data, const char *run, const char *size)
{
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "epochs", "2", err));
    OK(basin_config_set(c, "net.width", "4", err));
    OK(basin_config_set(c, "method", method, err));
    OK(basin_config_set(c, "image.size", size, err));
    OK(basin_config_file(c, "train", data, err));
    OK(basin_train(c, run, 1, 0, NULL, &text, err));
    assert_non_null(strstr(text.json, "\"task\": \"seg\""));
    assert_non_null(strstr(text.json, "\"test\": {\"pixel_accuracy\""));
    basin_text_free(&text);
    basin_config_free(c);
}

static void train_to(const char *data, const char *run, const char *size)
{
    train_by("ce", data, run, size);
}

static bs_outputs searched(const basin_model *m, bs_images *im)
{
    const bs_model_file *saved = m->saved;
    const bs_dataset     part = {.task = &bs_task_seg, .rows = im->n, .own = im};
    bs_inference         how;
    bs_workspace        *w;
    bs_scorer           *scorer;
    bs_outputs           y;
    OK(bs_model_file_inference(saved, "gbi", false, &how, err));
    OK(bs_workspace_open((bs_machine){.threads = 1}, &w, err));
    OK(bs_scorer_new(w, saved->params, &saved->spec, &how, &scorer, err));
    OK(bs_task_seg.outputs(&part, &saved->known, &y, err));
    OK(bs_task_seg.predict(scorer, &saved->spec, &saved->known, &part, &y, err));
    bs_scorer_free(scorer);
    bs_workspace_close(w);
    return y;
}

/* Prediction is blind to the truth, also to which pixels of it do not count. */
static void masks_do_not_change_predictions(void **state)
{
    basin_model *m;
    (void)state;
    train_by("dvn", "set.tar", "run-dvn", "auto");
    OK(basin_model_load("run-dvn", &m, err));
    bs_images *im = made("");
    bs_outputs with = searched(m, im);
    for (int32_t i = 0; i < im->n; i++)
        memset(im->mask[i], BS_IGNORE, SIZE * SIZE / 2);
    bs_outputs ignored = searched(m, im);
    im->mask[0] = NULL;
    bs_outputs   without = searched(m, im);
    const size_t bytes = bs_starts_seg(&with)[im->n] * sizeof *with.scores;
    assert_memory_equal(with.scores, ignored.scores, bytes);
    assert_memory_equal(with.scores, without.scores, bytes);
    bs_outputs_free(&with);
    bs_outputs_free(&ignored);
    bs_outputs_free(&without);
    bs_images_free(im);
    basin_model_free(m);
}

/* Memory and files give the same probabilities; pixels are interleaved there. */
static void check_memory(const char *data, const char *run)
{
    bs_image_options      o = bs_image_options_default();
    basin_predict_options how = {sizeof how, .path = "out", .format = "npy", .threads = 1};
    basin_model          *m;
    basin_predictor      *p;
    bs_images            *im;
    OK(basin_predict_files(run, &data, 1, &how, NULL, NULL, err));
    OK(basin_model_load(run, &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    OK(bs_images_read(&data, 1, &o, NULL, &im, NULL, err));
    assert_int_equal(basin_model_labels(m), 2);
    assert_string_equal(basin_model_label(m, 1), "figure");
    assert_null(basin_model_label(m, 2));
    for (int i = 0; i < im->n; i++) {
        const int W = im->width[i], H = im->height[i], C = im->channels;
        uint8_t   pixels[32 * 32 * 3], mask[32 * 32];
        float     mine[32 * 32], file[32 * 32];
        char      path[100];
        for (int k = 0; k < W * H * C; k++)
            pixels[k] = im->pixels[i][k % C * W * H + k / C];
        OK(basin_predict_image(p, pixels, W, H, C, mask, mine, err));
        snprintf(path, sizeof path, "out/%s.npy", im->name[i]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        assert_int_equal(fseek(f, -(long)(W * H * (int)sizeof *file), SEEK_END), 0);
        assert_int_equal(fread(file, sizeof *file, (size_t)(W * H), f), W * H);
        fclose(f);
        for (int k = 0; k < W * H; k++) {
            assert_float_equal(mine[k], file[k], 1e-5);
            assert_int_equal(mask[k], mine[k] >= 0.5f);
        }
    }
    bs_images_free(im);
    basin_predictor_free(p);
    basin_model_free(m);
}

static void memory_and_files_agree(void **state)
{
    (void)state;
    train_to("set.tar", "run", "auto");
    check_memory("set.tar", "run");
    check_memory("grey", "run"); /* another size, and grey */
    train_to("grey", "run-grey", "16x12");
    check_memory("grey", "run-grey");
    check_memory("set.tar", "run-grey"); /* and colours for a model of grey photos */
}

/* Drawings are made on photos at their own size, whatever size the net sees. */
static void photos_are_kept_to_be_drawn_on(void **state)
{
    static const char *const data = "set.tar";
    bs_image_options         o = bs_image_options_default();
    bs_images               *small, *whole, *some;
    const int32_t            last[] = {29};
    (void)state;
    OK(bs_images_read(&data, 1, &o, NULL, &whole, NULL, err));
    snprintf(o.size, sizeof o.size, "8x4");
    o.originals = true;
    OK(bs_images_read(&data, 1, &o, NULL, &small, NULL, err));
    OK(bs_images_select(small, last, 1, &some, err));
    assert_int_equal(whole->channels, 3);
    assert_null(whole->original);
    for (int32_t i = 0; i < small->n; i++) {
        const size_t n = (size_t)whole->width[i] * (size_t)whole->height[i];
        assert_int_equal(small->width[i], 8);
        assert_memory_equal(small->original[i], whole->pixels[i], 3 * n);
        if (i == last[0])
            assert_memory_equal(some->original[0], whole->pixels[i], 3 * n);
    }
    bs_images_free(some);
    bs_images_free(small);
    bs_images_free(whole);
}

static void odd_images_are_refused(void **state)
{
    basin_model     *m;
    basin_predictor *p;
    basin_error      wrong = {0};
    uint8_t          pixels[64] = {0}, mask[16];
    (void)state;
    OK(basin_model_load("run", &m, err));
    OK(basin_predictor_new(m, 1, &p, err));
    assert_int_equal(basin_predict_image(p, pixels, 4, 4, 4, mask, NULL, &wrong), BASIN_EARG);
    assert_int_equal(basin_predict_image(p, pixels, 0, 4, 3, mask, NULL, &wrong), BASIN_EARG);
    assert_int_equal(basin_predict_image(p, pixels, 4, 1 << 20, 3, mask, NULL, &wrong), BASIN_EARG);
    OK(basin_predict_image(p, pixels, 4, 4, 3, mask, NULL, err));
    bs_preprocess_seg(&m->saved->known)->name =
        NULL; /* classes without names are called by their numbers */
    bs_preprocess_seg(&m->saved->known)->classes = 255;
    assert_string_equal(basin_model_label(m, 0), "0");
    assert_string_equal(basin_model_label(m, 254), "254");
    bs_preprocess_seg(&m->saved->known)->classes = 2;
    basin_predictor_free(p);
    basin_model_free(m);
}

static basin_status from_load_to_mask(const uint8_t *pixels, uint8_t *mask, basin_error *err)
{
    basin_model     *m = NULL;
    basin_predictor *p = NULL;
    basin_status     s = basin_model_load("run", &m, err);
    if (!s)
        s = basin_predictor_new(m, 1, &p, err);
    if (!s)
        s = basin_predict_image(p, pixels, 20, 20, 3, mask, NULL, err);
    basin_predictor_free(p);
    basin_model_free(m);
    return s;
}

/* The n-th allocation fails, for every n until all goes well: nothing leaks, nothing crashes. */
static void memory_may_run_out(void **state)
{
    static uint8_t pixels[20 * 20 * 3], mask[20 * 20];
    basin_status   s = BASIN_ENOMEM;
    (void)state;
    for (long n = 1; s != BASIN_OK; n++) {
        basin_error wrong = {0};
        const long  live = bs_mem_live();
        bs_mem_fail_at(n);
        s = from_load_to_mask(pixels, mask, &wrong);
        bs_mem_fail_at(0);
        if (s != BASIN_OK && s != BASIN_ENOMEM)
            fail_msg("allocation %ld: %s", n, wrong.msg);
        assert_int_equal(bs_mem_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_the_data_are_used),
        cmocka_unit_test(masks_do_not_change_predictions),
        cmocka_unit_test(memory_and_files_agree),
        cmocka_unit_test(photos_are_kept_to_be_drawn_on),
        cmocka_unit_test(odd_images_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("images in files", tests, in_folder_of_images, leave_folder);
}
