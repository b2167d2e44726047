/* test_embed.c -- what a program needs that has the library inside: events that say how far the
 * work is and can end it, and models as bytes. */
#include <jansson.h>
#include <pthread.h>

#include "base/io.h"
#include "three_tasks.h"

/* ---- events ---- */

typedef struct {
    int         calls, epochs, messages, progress, working;
    int         stop_at; /* the call that asks for a stop; 0: none does */
    int         after;   /* calls after that */
    pthread_t   thread;
    const char *wanted; /* event that is counted for stop_at; NULL: any */
    int         wanted_calls;
} listener;

static int listen(void *ctx, const char *text)
{
    listener   *l = ctx;
    json_t     *event = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const char *name = json_string_value(json_object_get(event, "event"));
    assert_non_null(name);
    assert_true(pthread_equal(pthread_self(), l->thread));
    l->calls++;
    l->after += l->stop_at && l->wanted_calls >= l->stop_at;
    l->wanted_calls += !l->wanted || strcmp(name, l->wanted) == 0;
    if (strcmp(name, "epoch") == 0) {
        l->epochs++;
        assert_int_equal(json_integer_value(json_object_get(event, "epoch")), l->epochs);
        assert_true(json_is_object(json_object_get(event, "valid")));
    } else if (strcmp(name, "message") == 0) {
        l->messages++;
        assert_true(json_string_length(json_object_get(event, "text")) > 0);
    } else if (strcmp(name, "progress") == 0) {
        l->progress++;
        assert_true(json_real_value(json_object_get(event, "seconds")) >= 0);
        assert_true(json_number_value(json_object_get(event, "done")) <=
                    json_number_value(json_object_get(event, "total")));
    } else {
        assert_string_equal(name, "working");
        l->working++;
    }
    json_decref(event);
    return l->stop_at > 0 && l->wanted_calls >= l->stop_at;
}

static basin_session session_of(listener *l)
{
    l->thread = pthread_self();
    return (basin_session){.verbosity = 2, .event = listen, .ctx = l};
}

/* Silent otherwise, the training tells what is in the record, and its model is the usual one. */
static void training_tells_what_it_does(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        listener            l = {0};
        const basin_session session = session_of(&l);
        char                run[32];
        bs_buf              record;
        int                 lines = 0;
        snprintf(run, sizeof run, "told-%s", subjects[i].task);
        OK(train_told(&subjects[i], run, "2", 0, &session, err));
        same_files(run, subjects[i].task);
        strcat(run, "/metrics.jsonl");
        bs_buf_init(&record, 1 << 20);
        OK(bs_read_file(run, &record, err));
        for (size_t k = 0; k < record.len; k++)
            lines += record.data[k] == '\n';
        bs_buf_free(&record);
        assert_int_equal(l.epochs, lines);
        assert_true(l.messages > 0);
    }
}

/* Stopped at its first epoch, the run goes on to the same model. */
static void an_event_stops_training(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        listener            l = {.stop_at = 1, .wanted = "epoch"};
        const basin_session session = session_of(&l);
        basin_error         why;
        char                run[32];
        snprintf(run, sizeof run, "stopped-%s", subjects[i].task);
        assert_int_equal(train_told(&subjects[i], run, "1", 0, &session, &why), BASIN_EINTERRUPTED);
        assert_int_equal(l.epochs, 1);
        OK(train_told(&subjects[i], run, "1", 1, NULL, err));
        same_files(run, subjects[i].task);
    }
}

/* A stop that comes during an evaluation is not put off to its end, and nothing is lost. */
static void an_event_stops_an_evaluation(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int at = 1; at < 6; at++) {
            listener            l = {.stop_at = at};
            const basin_session session = session_of(&l);
            basin_error         why;
            char                run[32];
            snprintf(run, sizeof run, "cut-%s-%d", subjects[i].task, at);
            const basin_status s = train_told(&subjects[i], run, "1", 0, &session, &why);
            assert_true(s == BASIN_OK || s == BASIN_EINTERRUPTED);
            OK(train_told(&subjects[i], run, "1", 1, NULL, err));
            same_files(run, subjects[i].task);
        }
}

static void an_event_stops_eval_and_predict(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        const char *file = subjects[i].file;
        for (int predicts = 0; predicts < 2; predicts++) {
            listener                    l = {.stop_at = 1};
            const basin_session         session = session_of(&l);
            const basin_predict_options how = {.path = "out", .threads = 1};
            basin_text                  text = {0};
            basin_error                 why;
            const char                 *run = subjects[i].task;
            basin_status                s;
            if (predicts)
                s = basin_predict_files(run, &file, 1, &how, NULL, &session, &why);
            else
                s = basin_eval(run, &file, 1, NULL, &session, &text, &why);
            assert_int_equal(s, BASIN_EINTERRUPTED);
            assert_int_not_equal(access("out", F_OK), 0);
            assert_null(text.json);
        }
    }
}

/* ---- bytes ---- */

static void models_are_bytes(void **state)
{
    static answer from_file, from_bytes;
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        char         path[64];
        bs_buf       file;
        basin_model *m, *again;
        basin_bytes  bytes;
        snprintf(path, sizeof path, "%s/best.safetensors", subjects[i].task);
        bs_buf_init(&file, 1 << 28);
        OK(bs_read_file(path, &file, err));
        OK(basin_model_load(path, &m, err));
        OK(basin_model_write(m, &bytes, err));
        basin_model_free(m);
        assert_int_equal(bytes.n, file.len);
        assert_memory_equal(bytes.data, file.data, file.len);

        OK(basin_model_read(bytes.data, bytes.n, &again, err));
        basin_bytes_free(&bytes);
        assert_null(bytes.data);
        OK(basin_model_write(again, &bytes, err));
        assert_int_equal(bytes.n, file.len);
        assert_memory_equal(bytes.data, file.data, file.len);
        OK(predict(&subjects[i], subjects[i].task, 1, &from_file, err));
        OK(predict_by(&subjects[i], again, 1, &from_bytes, err));
        assert_memory_equal(&from_file, &from_bytes, sizeof from_file);
        basin_model_free(again);
        basin_bytes_free(&bytes);
        bs_buf_free(&file);
    }
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
        cmocka_unit_test(training_tells_what_it_does),
        cmocka_unit_test(an_event_stops_training),
        cmocka_unit_test(an_event_stops_an_evaluation),
        cmocka_unit_test(an_event_stops_eval_and_predict),
        cmocka_unit_test(models_are_bytes),
        cmocka_unit_test(damaged_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, three_models, leave_folder);
}
