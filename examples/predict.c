/* predict.c -- loads a model and predicts one row; prints the labels and their scores.
 *
 *   cc predict.c $(pkg-config --cflags --libs basin) -o predict
 *   ./predict RUN 3 17 42        features number 3, 17 and 42 are 1, all others 0 */
#include <basin.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const basin_error *err)
{
    fprintf(stderr, "predict: %s\n", err->msg);
    return 1;
}

int main(int argc, char **argv)
{
    basin_error      err;
    basin_model     *model;
    basin_predictor *predictor;
    if (argc < 2) {
        fprintf(stderr, "usage: predict MODEL [FEATURE...]\n");
        return 2;
    }
    if (basin_model_load(argv[1], &model, &err) || basin_predictor_new(model, 1, &predictor, &err))
        return fail(&err);

    int      labels = basin_model_labels(model), n = argc - 2;
    int32_t *index = calloc((size_t)n + 1, sizeof *index);
    int32_t *on = calloc((size_t)labels, sizeof *on);
    float   *scores = calloc((size_t)labels, sizeof *scores);
    for (int i = 0; i < n; i++)
        index[i] = (int32_t)strtol(argv[2 + i], NULL, 10);
    int32_t    start[2] = {0, n};
    basin_rows row = {1, basin_model_features(model), start, index, NULL};
    if (basin_predict_csr(predictor, &row, scores, &err))
        return fail(&err);

    int count = basin_decide(model, scores, on);
    for (int i = 0; i < count; i++)
        printf("%s %.4f\n", basin_model_label(model, on[i]), (double)scores[on[i]]);
    printf("%d of %d labels\n", count, labels);
    basin_predictor_free(predictor);
    basin_model_free(model);
    free(index);
    free(on);
    free(scores);
    return 0;
}
