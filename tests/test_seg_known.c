/* test_seg_known.c -- what a model remembers of images, and nets that would be too large. */
#include "fuzz/fuzz_pictured.h"
#include "replay.h"
#include "seg_feed.h"

static void refused(const char *json)
{
    bs_preprocess k = {0};
    basin_error   err = {0};
    bs_arena_init(&k.arena, 0);
    if (bs_preprocess_read(&bs_task_seg, json, "m.safetensors", &k, &err) != BASIN_EDATA)
        fail_msg("accepted: %s", json);
    assert_non_null(strstr(err.msg, "m.safetensors"));
    bs_preprocess_free(&k);
}

#define REST ", \"mean\": [0, 0, 0], \"names\": [], \"image\": {}}"

static void what_cannot_be_remembered_is_refused(void **state)
{
    (void)state;
    refused("");
    refused("[]");
    refused("{}");
    refused("{\"channels\": 2, \"classes\": 2, \"window\": [4, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 1, \"window\": [4, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 256, \"window\": [4, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [0, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 99999999999], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": -1" REST);
    refused("{\"channels\": 3.5, \"classes\": 2, \"window\": [4, 4], \"crops\": 1" REST);
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 256], \"names\": [], \"image\": {}}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 0], \"names\": [\"a\"], \"image\": {}}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 0], \"names\": [\"a\", 3], \"image\": {}}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 0], \"names\": []}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, "
            "\"mean\": [0, 0, 0], \"names\": [], \"colours\": [[0, 0, 0]], \"image\": {}}");
    refused("{\"channels\": 3, \"classes\": 2, \"window\": [4, 4], \"crops\": 1, \"mean\": "
            "[0, 0, 0], \"names\": [], \"colours\": [null, [0, 0, 256]], \"image\": {}}");
}

static void nets_beyond_all_measure_are_refused(void **state)
{
    bs_seg_known  own = {.channels = 3, .classes = 200, .width = 8192, .height = 8192};
    bs_preprocess k = {.own = &own};
    bs_settings   s;
    bs_net_spec   spec;
    basin_error   wrong = {0};
    (void)state;
    OK(bs_settings_default(&s, err));
    assert_int_equal(bs_task_seg.spec(&s.train, &k, &spec, &wrong), BASIN_EARG);
    assert_non_null(strstr(wrong.msg, "seg.crop"));
    own.width = own.height = 64;
    s.train.net_width = 100000;
    own.classes = 2;
    assert_int_equal(bs_task_seg.spec(&s.train, &k, &spec, &wrong), BASIN_OK);
    own.width = own.height = 2048;
    assert_int_equal(bs_task_seg.spec(&s.train, &k, &spec, &wrong), BASIN_EARG);
    snprintf(s.train.net_kind, sizeof s.train.net_kind, "fcn3");
    assert_int_equal(bs_task_seg.spec(&s.train, &k, &spec, &wrong), BASIN_EARG);
    assert_non_null(strstr(wrong.msg, "did you mean 'fcn'"));
}

static void remembered_images(void **state)
{
    (void)state;
    replay_corpus("pictured", fuzz_pictured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_remembered_is_refused),
        cmocka_unit_test(nets_beyond_all_measure_are_refused),
        cmocka_unit_test(remembered_images),
    };
    return cmocka_run_group_tests_name("images that a model remembers", tests, NULL, NULL);
}
