/* fuzz_model.h -- any bytes as a model: it is refused, or it predicts a little of what it is for,
 * by its net and by searches, in finite numbers or not at all. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"

#define MODEL_MUST(condition)                      \
    do {                                           \
        if (!(condition)) {                        \
            fprintf(stderr, "  %s\n", #condition); \
            abort();                               \
        }                                          \
    } while (0)

static inline void fuzz_probabilities(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        MODEL_MUST(x[i] > -1e-3F && x[i] < 1 + 1e-3F); /* and not NaN */
}

static inline basin_status fuzz_rows(basin_predictor *p, const basin_model *m)
{
    const int32_t    start[] = {0, 1, 1}, index[] = {0};
    const float      value[] = {2.5F};
    const basin_rows x = {2, basin_model_features(m), start, index, value};
    const size_t     n = 2 * (size_t)basin_model_labels(m);
    float           *scores = calloc(n + 1, sizeof *scores);
    int32_t         *on = calloc(n + 1, sizeof *on);
    basin_status     s = basin_predict_csr(p, &x, scores, NULL);
    if (!s) {
        fuzz_probabilities(scores, n);
        basin_decide(m, scores, on);
    }
    free(scores);
    free(on);
    return s;
}

static inline basin_status fuzz_tokens(basin_predictor *p, const basin_model *m)
{
    static const char *const token[] = {"ab", "b", "c"}, *const none[] = {NULL, NULL, NULL};
    const char *const *value[64];
    const int          columns = basin_model_columns(m);
    for (int i = 0; i < columns && i < 64; i++)
        value[i] = none;
    const basin_token_columns more = {columns < 64 ? columns : 64, value};
    int32_t                   tags[3], spans = 0;
    float                     scores[3];
    basin_span                span[3];
    basin_status              s = basin_predict_tokens(p, token, 3, &more, tags, scores, NULL);
    if (!s) {
        fuzz_probabilities(scores, 3);
        MODEL_MUST(basin_spans(m, tags, 3, span, &spans, NULL) == BASIN_OK);
    }
    return s;
}

static inline basin_status fuzz_photo(basin_predictor *p, const basin_model *m)
{
    enum { W = 5, H = 4 };
    static const uint8_t pixels[3 * W * H] = {200, 7, 0, 90};
    uint8_t              mask[W * H];
    const int            classes = basin_model_labels(m);
    const size_t         n = (size_t)(classes == 2 ? 1 : classes) * W * H;
    float               *probability = calloc(n + 1, sizeof *probability);
    basin_status         s = basin_predict_image(p, pixels, W, H, 3, mask, probability, NULL);
    if (!s) {
        fuzz_probabilities(probability, n);
        for (int i = 0; i < W * H; i++)
            MODEL_MUST(mask[i] < classes);
    }
    free(probability);
    return s;
}

/* How many ways to predict worked. */
static inline int fuzz_predictions(const basin_model *m)
{
    static const char *const ways[] = {NULL, "net", "gbi", "refine", "viterbi"};
    /* what a model may ask for is tested elsewhere; here it is to be quick */
    static const char *const quick[] = {"gbi.test_steps=3",      "gbi.restarts=2",
                                        "gbi.halvings=1",        "image.max_window_mb=1",
                                        "image.max_pixels=4096", NULL};
    const bool               rows = strcmp(basin_model_task(m), "mlc") == 0,
               tags = strcmp(basin_model_task(m), "tag") == 0;
    const int set = rows || tags ? 3 : 5;
    int       worked = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *chosen[6] = {NULL};
        memcpy(chosen, quick, (size_t)set * sizeof *chosen);
        const basin_predictor_options o = {sizeof o, .threads = 1, .infer = ways[i], .set = chosen};
        basin_predictor              *p;
        if (basin_predictor_open(m, &o, &p, NULL))
            continue;
        worked += !(rows ? fuzz_rows(p, m) : tags ? fuzz_tokens(p, m) : fuzz_photo(p, m));
        basin_predictor_free(p);
    }
    return worked;
}

/* -1: refused; else how many ways to predict worked. */
static inline int fuzz_model(const uint8_t *data, size_t size)
{
    bs_safetensors *f;
    bs_model_file  *saved = NULL;
    basin_model    *m = NULL;
    int             worked = -1;
    if (bs_safetensors_memory("model", data, size, &f, NULL))
        return worked;
    if (bs_model_file_from(f, "model", NULL, &saved, NULL) == BASIN_OK &&
        bs_model_make(saved, &m, NULL) == BASIN_OK)
        worked = fuzz_predictions(m);
    basin_model_free(m);
    bs_safetensors_close(f);
    return worked;
}

#endif
