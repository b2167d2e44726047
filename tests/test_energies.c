/* test_energies.c -- probabilities and energies of rows in memory. */
#include <math.h>
#include <string.h>

#include "memory_rows.h"
#include "small_training.h"

static basin_model *trained_on(const basin_data *d, basin_config *c)
{
    OK(basin_config_data(c, "train", d, err));
    return trained(c, NULL);
}

/* A sure net says 0 or 1 as far as floats go; callers get numbers they can take logarithms of. */
static void scores_lie_strictly_between(void **state)
{
    static float           x[N * D], scores[N * L];
    const basin_label_sets all = dense_rows();
    basin_data            *d;
    basin_model           *m;
    basin_predictor       *p;
    int                    sure = 0;
    (void)state;
    OK(basin_data_label_sets(&all, &d, err));
    m = trained_on(d, small("ce"));
    OK(basin_predictor_new(m, 1, &p, err));
    for (int i = 0; i < N * D; i++)
        x[i] = (i % 2 ? 1e6F : -1e6F) * dense[i];
    OK(basin_predict_dense(p, x, N, scores, err));
    for (int i = 0; i < N * L; i++) {
        assert_true(scores[i] > 0 && scores[i] < 1);
        sure += scores[i] < 1e-30F || scores[i] > 0.9999999F;
    }
    assert_true(sure > 10);
    basin_predictor_free(p);
    basin_model_free(m);
    basin_data_free(d);
}

static void refused(basin_status s, const basin_error *why, const char *text)
{
    assert_int_equal(s, BASIN_EARG);
    assert_non_null(strstr(why->msg, text));
}

/* The energy of true sets is lower than that of the sets of other rows; the interaction of labels
 * is symmetric. An ensemble has the mean of its members. */
static void energies_of_given_sets(void **state)
{
    static int32_t     other[N * L];
    static int64_t     other_start[N + 1];
    static double      of_truth[N], of_other[N], of_folds[N], again[N], pairs[L * L];
    static float       half[2 * L];
    basin_label_sets   rows = dense_rows();
    const basin_tagged t = {sizeof t, .x = {.sentences = N, .start = sentence, .tokens = word},
                            .tag = tag};
    basin_data        *d, *wrong, *tagged;
    basin_model       *m = NULL, *folds = NULL;
    basin_error        why;
    double             sum = 0;
    (void)state;
    for (int i = 0; i < N; i++) { /* every label that a row does not have */
        int64_t n = other_start[i];
        for (int k = 0; k < L; k++)
            if ((i + k) % 3)
                other[n++] = k;
        other_start[i + 1] = n;
    }
    OK(basin_data_label_sets(&rows, &d, err));
    rows.label_start = other_start;
    rows.label = other;
    OK(basin_data_label_sets(&rows, &wrong, err));
    for (int i = 0; i < 2; i++) {
        basin_config *c = small("seal-nce");
        OK(basin_config_set(c, "folds", i ? "2" : "1", err));
        OK(basin_config_set(c, "epochs", "20", err));
        *(i ? &folds : &m) = trained_on(d, c);
    }
    OK(basin_energies(m, d, 1, of_truth, err));
    OK(basin_energies(m, d, 2, again, err));
    assert_memory_equal(of_truth, again, sizeof again);
    OK(basin_energies(m, wrong, 1, of_other, err));
    OK(basin_energies(folds, d, 1, of_folds, err));
    for (int i = 0; i < N; i++) {
        assert_true(isfinite(of_folds[i]));
        sum += of_other[i] - of_truth[i];
    }
    assert_true(sum > 0);
    for (int i = 0; i < 2 * L; i++)
        half[i] = 0.5F;
    OK(basin_interactions(m, half, 2, 1, pairs, err));
    for (int i = 0; i < L; i++)
        for (int k = 0; k < L; k++)
            assert_float_equal(pairs[i * L + k], pairs[k * L + i], 1e-6);
    OK(basin_interactions(folds, half, 2, 1, pairs, err));
    basin_data_free(wrong);
    rows.label_start = NULL;
    OK(basin_data_label_sets(&rows, &wrong, err));
    refused(basin_energies(m, wrong, 1, of_other, &why), &why,
            "rows without labels have no energy");
    refused(basin_energies(m, NULL, 1, of_other, &why), &why, "data is NULL");
    refused(basin_energies(m, d, -1, of_other, &why), &why, "threads: -1");
    refused(basin_interactions(m, half, 0, 1, pairs, &why), &why, "0 rows");
    refused(basin_interactions(m, NULL, 1, 1, pairs, &why), &why, "y is NULL");
    half[L + 2] = NAN;
    refused(basin_interactions(m, half, 2, 1, pairs, &why), &why,
            "y: row 1: label 2 is not from 0 to 1");
    half[L + 2] = 0.5F;
    basin_model_free(m);
    OK(basin_data_tagged(&t, &tagged, err));
    m = trained_on(tagged, small("crf"));
    refused(basin_energies(m, d, 1, of_other, &why), &why, "the data is for task mlc, not tag");
    basin_model_free(m);
    m = trained_on(d, small("ce"));
    refused(basin_interactions(m, half, 1, 1, pairs, &why), &why,
            "the model is a plain net without an energy");
    basin_model_free(m);
    basin_model_free(folds);
    basin_data_free(wrong);
    basin_data_free(tagged);
    basin_data_free(d);
}

/* Of photos with a bright square, whose masks have it and have it not. */
static void energies_of_given_masks(void **state)
{
    enum { PHOTOS = 10, SIDE = 16, PIXELS = SIDE * SIDE };
    static uint8_t pixels[PHOTOS][PIXELS], mask[2][PHOTOS][PIXELS];
    const uint8_t *photo[PHOTOS], *masks[2][PHOTOS];
    int32_t        side[PHOTOS], grey[PHOTOS];
    double         energy[2][PHOTOS];
    basin_data    *d[2];
    basin_config  *c = small("seal-regression");
    (void)state;
    for (int i = 0; i < PHOTOS; i++) {
        side[i] = SIDE;
        grey[i] = 1;
        photo[i] = pixels[i];
        for (int k = 0; k < PIXELS; k++) {
            mask[0][i][k] = k % SIDE > i % 5 && k % SIDE < 12 && k / SIDE > 3 && k / SIDE < 12;
            mask[1][i][k] = !mask[0][i][k];
            pixels[i][k] = (uint8_t)(40 + 160 * mask[0][i][k] + (k * 7 + i) % 31);
        }
        masks[0][i] = mask[0][i];
        masks[1][i] = mask[1][i];
    }
    for (int k = 0; k < 2; k++)
        OK(basin_data_images(&BASIN_OPTIONS(basin_images, .n = PHOTOS, .classes = 2, .width = side,
                                            .height = side, .channels = grey, .pixels = photo,
                                            .masks = masks[k]),
                             &d[k], err));
    OK(basin_config_set(c, "energy.kind", "map", err));
    basin_model *m = trained_on(d[0], c);
    for (int k = 0; k < 2; k++)
        OK(basin_energies(m, d[k], 1, energy[k], err));
    for (int i = 0; i < PHOTOS; i++)
        assert_true(isfinite(energy[0][i]) && energy[0][i] != energy[1][i]);
    basin_model_free(m);
    basin_data_free(d[0]);
    basin_data_free(d[1]);
}

/* Queries and keys of all labels, for every hidden unit: too many are refused before anything. */
static void attention_has_its_limit(void **state)
{
    const basin_label_sets rows = dense_rows();
    basin_config          *c = small("seal-nce");
    basin_data            *d;
    basin_text             text;
    basin_error            why;
    (void)state;
    OK(basin_data_label_sets(&rows, &d, err));
    OK(basin_config_data(c, "train", d, err));
    OK(basin_config_set(c, "energy.kind", "attention", err));
    OK(basin_config_set(c, "energy.hidden", "50000", err));
    refused(basin_train(c, NULL, 1, 0, NULL, &text, &why), &why,
            "attention of 5 labels with energy.hidden=50000 is too large; use at most 41943 units");
    basin_config_free(c);
    basin_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_lie_strictly_between),
        cmocka_unit_test(energies_of_given_sets),
        cmocka_unit_test(energies_of_given_masks),
        cmocka_unit_test(attention_has_its_limit),
    };
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
