/* three_tasks.h -- a small data set, training and model for each task, for tests of how the library
 * behaves inside another program. */
#ifndef TEST_THREE_TASKS_H
#define TEST_THREE_TASKS_H

#include <string.h>

#include "api_folder.h"

/* Nets wide enough for products that go to oneDNN, however well OpenBLAS knows the processor. */
typedef struct {
    const char *task, *file, *made, *method;
    const char *settings[8]; /* NULL at the end */
} subject;

static const subject subjects[] = {
    {"mlc",
     "m.arff",
     "rows=160 groups=16",
     "seal-nce",
     {"net.width=256", "net.layers=2", "energy.hidden=128", "batch=64", "samples=4"}},
    {"tag",
     "t.conll",
     "rows=40 length=12",
     "infnet+",
     {"net.width=128", "words.width=96", "batch=32", "samples=2"}},
    {"seg",
     "s.tar",
     "images=12 size=32",
     "seal-regression",
     {"net.width=48", "energy.hidden=48", "batch=8"}},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0], MOST = 1 << 16, CALLS = 8, ROWS = 300 };

static inline basin_status train_told(const subject *s, const char *run, const char *threads,
                                      int resume, const basin_session *session, basin_error *err)
{
    basin_config     *c = NULL;
    basin_text        text = {0};
    basin_status      status = basin_config_new(&c, err);
    const char *const own[][2] = {{"epochs", "2"},
                                  {"method", s->method},
                                  {"threads", threads},
                                  {"report", "no"},
                                  {"task", s->task}};
    for (size_t i = 0; i < sizeof own / sizeof own[0] && !status; i++)
        status = basin_config_set(c, own[i][0], own[i][1], err);
    for (int i = 0; s->settings[i] && !status; i++) {
        char        key[32];
        const char *equals = strchr(s->settings[i], '=');
        snprintf(key, sizeof key, "%.*s", (int)(equals - s->settings[i]), s->settings[i]);
        status = basin_config_set(c, key, equals + 1, err);
    }
    if (!status)
        status = basin_config_file(c, "train", s->file, err);
    if (!status)
        status = basin_train(c, run, 1, resume, session, &text, err);
    basin_text_free(&text);
    basin_config_free(c);
    return status;
}

static inline basin_status train(const subject *s, const char *run, const char *threads,
                                 basin_error *err)
{
    return train_told(s, run, threads, 0, NULL, err);
}

typedef struct {
    float   scores[MOST];
    int32_t tags[MOST];
    uint8_t mask[MOST];
} answer;

static inline basin_status ask_rows(const basin_model *m, basin_predictor *p, answer *a,
                                    basin_error *err)
{
    int32_t          start[ROWS + 1], index[ROWS * 8];
    const int        n = basin_model_features(m);
    const basin_rows x = {ROWS, n, start, index, NULL};
    assert_true(n >= 80 && ROWS * basin_model_labels(m) <= MOST);
    for (int i = 0; i <= ROWS; i++)
        start[i] = 8 * i;
    for (int i = 0; i < ROWS * 8; i++)
        index[i] = 10 * (i % 8) + i / 8 % 10;
    return basin_predict_csr(p, &x, a->scores, err);
}

static inline basin_status ask_sentence(basin_predictor *p, answer *a, basin_error *err)
{
    const char *tokens[ROWS];
    for (int i = 0; i < ROWS; i++)
        tokens[i] = i % 3 ? "a" : "b";
    return basin_predict_tokens(p, tokens, ROWS, NULL, a->tags, a->scores, err);
}

static inline basin_status ask_image(basin_predictor *p, answer *a, basin_error *err)
{
    static uint8_t pixels[64 * 64 * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 7);
    return basin_predict_image(p, pixels, 64, 64, 3, a->mask, a->scores, err);
}

/* Some calls; the answer of the last one. */
static inline basin_status predict_by(const subject *s, const basin_model *m, int threads,
                                      answer *a, basin_error *err)
{
    basin_predictor *p = NULL;
    basin_status     status = basin_predictor_new(m, threads, &p, err);
    for (int i = 0; i < CALLS && !status; i++)
        if (strcmp(s->task, "mlc") == 0)
            status = ask_rows(m, p, a, err);
        else if (strcmp(s->task, "tag") == 0)
            status = ask_sentence(p, a, err);
        else
            status = ask_image(p, a, err);
    basin_predictor_free(p);
    return status;
}

static inline basin_status predict(const subject *s, const char *run, int threads, answer *a,
                                   basin_error *err)
{
    basin_model *m = NULL;
    basin_status status = basin_model_load(run, &m, err);
    if (!status)
        status = predict_by(s, m, threads, a, err);
    basin_model_free(m);
    return status;
}

static inline void same_files(const char *a, const char *b)
{
    char command[160];
    snprintf(command, sizeof command, "cmp %s/best.safetensors %s/best.safetensors", a, b);
    assert_int_equal(system(command), 0);
}

/* Data and a model for each task, trained on one thread, in a new folder. */
static inline int three_models(void **state)
{
    if (in_temporary_folder(state))
        return -1;
    for (int i = 0; i < SUBJECTS; i++) {
        basin_text  text = {0};
        basin_error err = {0};
        if (basin_data_make(subjects[i].task, subjects[i].made, 1, subjects[i].file, NULL, NULL,
                            &text, &err) ||
            train(&subjects[i], subjects[i].task, "1", &err)) {
            fprintf(stderr, "%s\n", err.msg);
            return -1;
        }
        basin_text_free(&text);
    }
    return 0;
}

#endif
