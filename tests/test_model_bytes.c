/* test_model_bytes.c -- models as bytes, also of several models as one, which can teach one net. */
#include <math.h>

#include "small_training.h"
#include "three_tasks.h"

static void models_are_bytes(void **state)
{
    static answer from_file, from_bytes;
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        char         path[64];
        basin_model *m, *again;
        basin_bytes  bytes;
        snprintf(path, sizeof path, "%s/best.safetensors", subjects[i].task);
        OK(basin_model_load(path, &m, err));
        same_bytes(m, path);
        OK(basin_model_write(m, &bytes, err));
        basin_model_free(m);
        OK(basin_model_read(bytes.data, bytes.n, &again, err));
        basin_bytes_free(&bytes);
        assert_null(bytes.data);
        same_bytes(again, path);
        OK(predict(&subjects[i], subjects[i].task, 1, &from_file, err));
        OK(predict_by(&subjects[i], again, 1, &from_bytes, err));
        assert_memory_equal(&from_file, &from_bytes, sizeof from_file);
        basin_model_free(again);
    }
}

static basin_config *on_rows(const char *method)
{
    basin_config *c = small(method);
    OK(basin_config_file(c, "train", subjects[0].file, err));
    return c;
}

/* The model of a folder of seeds, also by way of bytes: the mean of the models in it. */
static void seeds_are_one_model(void **state)
{
    static answer      mean, again, one;
    basin_config      *c = on_rows("ce");
    basin_text         text;
    basin_model       *m, *copy;
    basin_bytes        bytes;
    const subject     *s = &subjects[0];
    static const char *seed[] = {"seeds/seed-0", "seeds/seed-1"};
    double             worst = 0, sum[MOST] = {0};
    (void)state;
    OK(basin_train(c, "seeds", 2, 0, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    OK(basin_model_load("seeds", &m, err));
    OK(basin_model_write(m, &bytes, err));
    OK(basin_model_read(bytes.data, bytes.n, &copy, err));
    OK(predict_by(s, m, 1, &mean, err));
    OK(predict_by(s, copy, 2, &again, err));
    const size_t n = (size_t)ROWS * (size_t)basin_model_labels(m);
    assert_memory_equal(mean.scores, again.scores, n * sizeof *mean.scores);
    for (int k = 0; k < 2; k++) {
        OK(predict(s, seed[k], 1, &one, err));
        for (size_t i = 0; i < n; i++)
            sum[i] += (double)one.scores[i] / 2;
    }
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(sum[i] - (double)mean.scores[i]));
    assert_true(worst < 1e-6);
    basin_bytes_free(&bytes);
    basin_model_free(copy);
    basin_model_free(m);
}

/* Without weight, a taught net is what it would be without a teacher. */
static void a_net_learns_from_folds(void **state)
{
    static answer      plain, taught;
    static const char *weight[] = {"0", "0.5"};
    const subject     *s = &subjects[0];
    basin_config      *c = on_rows("ce");
    basin_text         text;
    basin_error        why;
    basin_model       *m = trained(on_rows("ce"), NULL);
    (void)state;
    OK(predict_by(s, m, 1, &plain, err));
    const size_t n = ROWS * (size_t)basin_model_labels(m) * sizeof *plain.scores;
    basin_model_free(m);
    OK(basin_config_set(c, "folds", "3", err));
    basin_model_free(trained(c, "folds"));
    for (int i = 0; i < 3; i++) {
        c = on_rows(i < 2 ? "ce" : "seal-nce");
        OK(basin_config_set(c, "distil", "folds", err));
        OK(basin_config_set(c, "distil.weight", weight[i % 2], err));
        OK(basin_config_set(c, "distil.folds", "0", err));
        if (i == 2)
            break;
        m = trained(c, NULL);
        OK(predict_by(s, m, 1, &taught, err));
        assert_true((memcmp(plain.scores, taught.scores, n) == 0) == (i == 0));
        basin_model_free(m);
    }
    assert_int_equal(basin_train_with(c, NULL, NULL, &text, &why), BASIN_EARG);
    assert_non_null(strstr(why.msg, "only ce learns from probabilities"));
    basin_config_free(c);
}

static void damaged_bytes_are_refused(void **state)
{
    basin_model *m = NULL;
    basin_error  why;
    bs_buf       file;
    (void)state;
    bs_buf_init(&file, 1 << 28);
    OK(bs_read_file("mlc/best.safetensors", &file, err));
    assert_int_equal(basin_model_read(file.data, file.len / 2, &m, &why), BASIN_EDATA);
    assert_null(m);
    file.data[file.len - 3] ^= 1;
    assert_int_equal(basin_model_read(file.data, file.len, &m, &why), BASIN_EDATA);
    assert_non_null(strstr(why.msg, "damaged"));
    assert_int_equal(basin_model_read(NULL, 3, &m, &why), BASIN_EARG);
    assert_int_equal(basin_model_read("", 0, &m, &why), BASIN_EDATA);
    assert_int_equal(basin_model_write(NULL, &(basin_bytes){0}, &why), BASIN_EARG);
    bs_buf_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_bytes),
        cmocka_unit_test(seeds_are_one_model),
        cmocka_unit_test(a_net_learns_from_folds),
        cmocka_unit_test(damaged_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, three_models, leave_folder);
}
