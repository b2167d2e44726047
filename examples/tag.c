/* tag.c -- loads a model of sentences and tags one; prints the words with their tags, then the
 * spans they stand for.
 *
 *   cc tag.c $(pkg-config --cflags --libs basin) -o tag
 *   ./tag RUN U.N. official Ekeus heads for Baghdad . */
#include <basin.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const basin_error *err)
{
    fprintf(stderr, "tag: %s\n", err->msg);
    return 1;
}

int main(int argc, char **argv)
{
    basin_error      err;
    basin_model     *model;
    basin_predictor *predictor;
    if (argc < 2) {
        fprintf(stderr, "usage: tag MODEL [WORD...]\n");
        return 2;
    }
    if (basin_model_load(argv[1], &model, &err) || basin_predictor_new(model, 1, &predictor, &err))
        return fail(&err);

    int                n = argc - 2, spans;
    const char *const *words = (const char *const *)(argv + 2);
    int32_t           *tags = calloc((size_t)n + 1, sizeof *tags);
    float             *scores = calloc((size_t)n + 1, sizeof *scores);
    basin_span        *span = calloc((size_t)n + 1, sizeof *span);
    if (basin_predict_tokens(predictor, words, n, NULL, tags, scores, &err) ||
        basin_spans(model, tags, n, span, &spans, &err))
        return fail(&err);

    for (int i = 0; i < n; i++)
        printf("%s %s %.4f\n", words[i], basin_model_label(model, tags[i]), (double)scores[i]);
    for (int i = 0; i < spans; i++) {
        printf("%s:", span[i].label);
        for (int k = span[i].first; k < span[i].end; k++)
            printf(" %s", words[k]);
        printf("\n");
    }
    basin_predictor_free(predictor);
    basin_model_free(model);
    free(tags);
    free(scores);
    free(span);
    return 0;
}
