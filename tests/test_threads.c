/* test_threads.c -- one process, many threads: predictors of one model, and trainings beside each
 * other. Under ThreadSanitizer by `make tsan`; so threads are POSIX ones, with one OpenMP thread
 * each, whose library that sanitizer does not know. */
#include <pthread.h>
#include <string.h>

#include "api_folder.h"

enum { THREADS = 4, ROUNDS = 3 };

typedef struct {
    const char *task, *file, *made, *method, *settings;
} subject;

static const subject subjects[] = {
    {"mlc", "m.arff", "rows=60 groups=2", "seal-nce", "net.width=8 energy.hidden=4"},
    {"tag", "t.conll", "rows=40 length=5 words=30", "infnet+", "net.width=8 words.width=4"},
    {"seg", "s.tar", "images=10 size=16", "seal-regression", "net.width=4 seg.crop=12x12"},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static basin_status train(const subject *s, const char *run, basin_error *err)
{
    basin_config *c = NULL;
    basin_text    text = {0};
    char          settings[128], *value, *next = settings;
    basin_status  status = basin_config_new(&c, err);
    snprintf(settings, sizeof settings, "%s epochs=2 samples=2 threads=1 method=%s", s->settings,
             s->method);
    while (!status && next) {
        char *word = next;
        next = strchr(word, ' ');
        if (next)
            *next++ = '\0';
        value = strchr(word, '=');
        *value = '\0';
        status = basin_config_set(c, word, value + 1, err);
    }
    if (!status)
        status = basin_config_file(c, "train", s->file, err);
    if (!status)
        status = basin_train(c, run, 1, 0, NULL, &text, err);
    basin_text_free(&text);
    basin_config_free(c);
    return status;
}

/* ---- one model, many predictors ---- */

typedef struct {
    const subject     *subject;
    const basin_model *model;
    float              scores[4096];
    int32_t            tags[64];
    basin_status       status;
    int                number;
} worker;

static basin_status predict_once(worker *w, basin_predictor *p)
{
    static const int32_t     start[] = {0, 2, 3}, index[] = {0, 3, 1};
    static const char *const tokens[] = {"a", "b", "c", "d", "e"};
    uint8_t                  pixels[20 * 18 * 3], mask[20 * 18];
    if (strcmp(w->subject->task, "mlc") == 0) {
        const basin_rows x = {2, basin_model_features(w->model), start, index, NULL};
        return basin_predict_csr(p, &x, w->scores, NULL);
    }
    if (strcmp(w->subject->task, "tag") == 0)
        return basin_predict_tokens(p, tokens, 5, NULL, w->tags, w->scores, NULL);
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 7);
    return basin_predict_image(p, pixels, 20, 18, 3, mask, w->scores, NULL);
}

static void *predict(void *given)
{
    worker *w = given;
    for (int i = 0; i < ROUNDS && !w->status; i++) {
        basin_predictor *p = NULL;
        w->status = basin_predictor_new(w->model, 1, &p, NULL);
        for (int k = 0; k < ROUNDS && !w->status; k++)
            w->status = predict_once(w, p);
        basin_predictor_free(p);
    }
    return NULL;
}

static void many_predictors(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        static worker w[THREADS];
        pthread_t     thread[THREADS];
        basin_model  *m = NULL;
        OK(train(&subjects[i], subjects[i].task, err));
        OK(basin_model_load(subjects[i].task, &m, err));
        for (int k = 0; k < THREADS; k++) {
            w[k] = (worker){.subject = &subjects[i], .model = m};
            assert_int_equal(pthread_create(&thread[k], NULL, predict, &w[k]), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            pthread_join(thread[k], NULL);
            assert_int_equal(w[k].status, BASIN_OK);
            assert_memory_equal(w[k].scores, w[0].scores, sizeof w[0].scores);
            assert_memory_equal(w[k].tags, w[0].tags, sizeof w[0].tags);
        }
        basin_model_free(m);
    }
}

/* ---- trainings beside each other ---- */

static void *train_beside(void *given)
{
    worker *w = given;
    char    run[64];
    snprintf(run, sizeof run, "%s-%d", w->subject->task, w->number);
    w->status = train(w->subject, run, NULL);
    return NULL;
}

static void same_files(const char *a, const char *b)
{
    char command[160];
    snprintf(command, sizeof command, "cmp %s/best.safetensors %s/best.safetensors", a, b);
    assert_int_equal(system(command), 0);
}

static void trainings_beside_each_other(void **state)
{
    static worker w[2 * SUBJECTS];
    pthread_t     thread[2 * SUBJECTS];
    (void)state;
    for (int i = 0; i < 2 * SUBJECTS; i++) {
        w[i] = (worker){.subject = &subjects[i / 2], .number = i % 2};
        assert_int_equal(pthread_create(&thread[i], NULL, train_beside, &w[i]), 0);
    }
    for (int i = 0; i < 2 * SUBJECTS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(w[i].status, BASIN_OK);
    }
    for (int i = 0; i < SUBJECTS; i++) {
        char a[32], b[32];
        snprintf(a, sizeof a, "%s-0", subjects[i].task);
        snprintf(b, sizeof b, "%s-1", subjects[i].task);
        same_files(subjects[i].task, a);
        same_files(subjects[i].task, b);
    }
}

static int start(void **state)
{
    if (in_temporary_folder(state))
        return -1;
    for (int i = 0; i < SUBJECTS; i++) {
        basin_text text = {0};
        if (basin_data_make(subjects[i].task, subjects[i].made, 1, subjects[i].file, NULL, NULL,
                            &text, NULL))
            return -1;
        basin_text_free(&text);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_predictors),
        cmocka_unit_test(trainings_beside_each_other),
    };
    return cmocka_run_group_tests_name("threads", tests, start, leave_folder);
}
