/* test_image_model.c -- what a training and a model make of photos and masks: which knowledge of
 * the training part holds for other files. */
#include "image_set.h"
#include "tests/api_folder.h"
#include "task/seg/data.h"
#include "task/prepare.h"

static bundle        b;
static bs_preprocess known; /* a model's, as it stands in its file */

/* Photos p0 .. of 8 x 8 pixels; a mask's first row is `figure`, the pixel behind it `other`. */
static void put_set(const char *to, int n, uint8_t figure, uint8_t other)
{
    char name[40];
    for (int i = 0; i < n; i++) {
        uint8_t v[64] = {0};
        memset(v, figure, 8);
        v[8] = other;
        snprintf(name, sizeof name, "images/p%d.png", i);
        bundle_photo(&b, name, 8, 8, 3, i);
        snprintf(name, sizeof name, "masks/p%d.png", i);
        bundle_mask(&b, name, 8, 8, v);
    }
    bundle_folder(&b, to);
    bundle_free(&b);
}

static basin_status prepare(const char *train, const char *valid, const char *words, bs_data *out,
                            basin_error *wrong)
{
    bs_settings s;
    bs_logger   quiet = {0};
    bs_sources  files = {.file = {{train}, {valid}}, .n = {1, valid ? 1 : 0}};
    OK(bs_settings_default(&s, err));
    OK(bs_settings_words(&s, words, "test", err));
    snprintf(s.train.task, sizeof s.train.task, "seg");
    return bs_prepare(&s, &files, &quiet, out, wrong);
}

/* What a model trained on this data knows, after it was written and read. */
static void learn(const char *data, const char *words)
{
    bs_data p;
    bs_buf  json;
    OK(prepare(data, NULL, words, &p, err));
    bs_buf_init(&json, 1 << 20);
    bs_task_seg.known_json(&p.known, &json);
    bs_preprocess_free(&known);
    known = (bs_preprocess){0};
    bs_arena_init(&known.arena, 0);
    OK(bs_preprocess_read(&bs_task_seg, json.data, "model", &known, err));
    bs_buf_free(&json);
    bs_data_free(&p);
}

static basin_status ask(const char *data, bool label_free, bs_dataset *out, basin_error *wrong)
{
    bs_settings     s;
    bs_read_request w = {.file = &data, .n = 1, .known = &known, .label_free = label_free};
    OK(bs_settings_default(&s, err));
    return bs_task_seg.read(&s, &w, NULL, out, wrong);
}

static int forget(void **state)
{
    (void)state;
    bundle_free(&b);
    bs_preprocess_free(&known);
    known = (bs_preprocess){0};
    return 0;
}

static int pixels_of(const bs_dataset *p, int class)
{
    int n = 0;
    for (int i = 0; i < bs_dataset_seg(p)->n; i++)
        for (int k = 0; k < 64; k++)
            n += bs_dataset_seg(p)->mask[i][k] == class;
    return n;
}

/* ---- 0 and 1, 0 and 255 ---- */

static void both_kinds_of_masks_fit_a_model(void **state)
{
    bs_dataset part;
    bs_data    p;
    (void)state;
    put_set("index", 12, 1, 0);
    put_set("binary", 12, 255, 0);
    put_set("ignoring", 12, 1, 255);
    learn("index", "");
    OK(ask("binary", false, &part, err));
    assert_int_equal(pixels_of(&part, 1), 12 * 8);
    bs_dataset_free(&part);
    learn("binary", "");
    assert_true(bs_preprocess_seg(&known)->binary);
    OK(ask("ignoring", false, &part, err));
    assert_int_equal(pixels_of(&part, 1), 12 * 8);
    assert_int_equal(pixels_of(&part, 255), 12);
    bs_dataset_free(&part);
    OK(prepare("index", "binary", "", &p, err));
    assert_int_equal(pixels_of(&p.part[1], 1), 12 * 8);
    bs_data_free(&p);
    learn("index", "mask.binary=no");
    OK(ask("binary", false, &part, err));
    assert_int_equal(pixels_of(&part, 255), 12 * 8);
    bs_dataset_free(&part);
}

/* The validation part has nothing but ground and pixels that do not count. */
static void parts_of_one_set_are_read_alike(void **state)
{
    static const uint8_t train[64] = {1, 1, 1, 255}, valid[64] = {0, 0, 0, 255};
    bs_data              p;
    (void)state;
    bundle_photo(&b, "train/images/a.png", 8, 8, 3, 1);
    bundle_mask(&b, "train/masks/a.png", 8, 8, train);
    bundle_photo(&b, "val/images/b.png", 8, 8, 3, 2);
    bundle_mask(&b, "val/masks/b.png", 8, 8, valid);
    bundle_folder(&b, "parts");
    OK(prepare("parts", NULL, "", &p, err));
    assert_int_equal(pixels_of(&p.part[0], 1), 3);
    assert_int_equal(pixels_of(&p.part[1], 1), 0);
    assert_int_equal(pixels_of(&p.part[1], 255), 1);
    bs_data_free(&p);
    /* A model does not know these files; the other part tells. */
    bs_settings     s;
    bs_dataset      part;
    const char     *data = "parts";
    bs_read_request w = {.file = &data, .n = 1, .known = &known, .part = "valid"};
    OK(bs_settings_default(&s, err));
    learn("parts", "");
    OK(bs_task_seg.read(&s, &w, NULL, &part, err));
    assert_int_equal(pixels_of(&part, 1), 0);
    assert_int_equal(pixels_of(&part, 255), 1);
    bs_dataset_free(&part);
}

/* ---- sizes ---- */

static void kept_sizes_stay_as_they_are(void **state)
{
    bs_dataset part;
    (void)state;
    put_set("equal", 12, 1, 0);
    bundle_photo(&b, "wide.png", 20, 8, 3, 1);
    bundle_folder(&b, "wide");
    learn("equal", "image.size=keep");
    OK(ask("wide", true, &part, err));
    assert_int_equal(bs_dataset_seg(&part)->width[0], 20);
    bs_dataset_free(&part);
    learn("equal", "");
    OK(ask("wide", true, &part, err));
    assert_int_equal(bs_dataset_seg(&part)->width[0], 8);
    bs_dataset_free(&part);
}

/* ---- lists of classes ---- */

static void put_coloured(const char *to, int n, const uint8_t rgb[3])
{
    char        name[40];
    basin_error wrong = {0};
    for (int i = 0; i < n; i++) {
        uint8_t pixels[64 * 3] = {0};
        for (int k = 0; k < 8; k++)
            memcpy(pixels + 3 * k, rgb, 3);
        snprintf(name, sizeof name, "images/p%d.png", i);
        bundle_photo(&b, name, 8, 8, 3, i);
        snprintf(name, sizeof name, "masks/p%d.png", i);
        if (bs_png_write(pixels, 8, 8, 3, NULL, 0, bundle_add(&b, name), &wrong))
            fail_msg("%s", wrong.msg);
    }
    bundle_folder(&b, to);
    bundle_free(&b);
}

static void models_hold_their_list_of_classes(void **state)
{
    static const char list[] = "0 0 0 none\n128 0 0 horse\n";
    basin_error       wrong = {0};
    bs_dataset        part;
    (void)state;
    put_coloured("red", 12, (uint8_t[]){128, 0, 0});
    put_coloured("blue", 2, (uint8_t[]){0, 0, 128});
    OK(bs_write_file("list.txt", list, strlen(list), err));
    learn("red", "mask.names=list.txt");
    assert_int_equal(remove("list.txt"), 0);
    assert_string_equal(bs_preprocess_seg(&known)->name[1], "horse");
    assert_string_equal(bs_preprocess_seg(&known)->image.names, "");
    assert_int_equal(bs_preprocess_seg(&known)->colour[1], 0x800000);
    OK(ask("red", false, &part, err));
    assert_int_equal(pixels_of(&part, 1), 12 * 8);
    bs_dataset_free(&part);
    OK(ask("red", true, &part, err));
    bs_dataset_free(&part);
    assert_int_equal(ask("blue", false, &part, &wrong), BASIN_EDATA);
    assert_non_null(strstr(wrong.msg, "the colour 0 0 128 at column 1, row 1 is not a class of the "
                                      "model's training data"));

    bs_preprocess_seg(&known)->colour = NULL;
    assert_int_equal(ask("red", false, &part, &wrong), BASIN_EDATA);
    assert_non_null(strstr(wrong.msg, "and the model knows none"));
}

/* ---- predictions ---- */

/* Masks that an evaluation would refuse, one after the other. */
static void predictions_do_not_look_at_masks(void **state)
{
    static const uint8_t seven[64] = {7};
    basin_error          wrong = {0};
    bs_dataset           part;
    (void)state;
    put_set("plain", 12, 1, 0);
    learn("plain", "");
    bundle_photo(&b, "images/a.png", 8, 8, 3, 1);
    bundle_part_mask(&b, "masks/a.png", 4, 4, 3, 1);
    bundle_photo(&b, "images/b.png", 8, 8, 3, 2);
    bundle_text(&b, "masks/b.jpg", "no JPEG at all");
    bundle_photo(&b, "images/c.png", 8, 8, 3, 3);
    bundle_photo(&b, "masks/c.png", 8, 8, 3, 4);
    bundle_photo(&b, "images/d.png", 8, 8, 3, 5);
    bundle_mask(&b, "masks/d.png", 8, 8, seven);
    bundle_mask(&b, "masks/d_mask.png", 8, 8, seven);
    bundle_folder(&b, "odd");
    assert_int_equal(ask("odd", false, &part, &wrong), BASIN_EDATA);
    OK(ask("odd", true, &part, err));
    assert_int_equal(part.rows, 4);
    for (int i = 0; i < 4; i++) {
        assert_null(bs_dataset_seg(&part)->mask[i]);
        assert_null(bs_dataset_seg(&part)->full_mask[i]);
        assert_int_equal(bs_dataset_seg(&part)->mask_width[i], 8);
    }
    assert_int_equal(bs_dataset_seg(&part)->classes, 2);
    bs_dataset_free(&part);

    bundle_free(&b); /* names alone tell which of these is a photo */
    bundle_photo(&b, "view.png", 8, 8, 3, 1);
    bundle_photo(&b, "view_L.png", 8, 8, 3, 2);
    bundle_folder(&b, "flat");
    OK(ask("flat", true, &part, err));
    assert_int_equal(part.rows, 1);
    assert_string_equal(bs_dataset_seg(&part)->name[0], "view");
    bs_dataset_free(&part);
}

#define TEST(f) cmocka_unit_test_teardown(f, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_kinds_of_masks_fit_a_model),  TEST(parts_of_one_set_are_read_alike),
        TEST(kept_sizes_stay_as_they_are),      TEST(models_hold_their_list_of_classes),
        TEST(predictions_do_not_look_at_masks),
    };
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
