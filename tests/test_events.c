/* test_events.c -- events say how far the work is and can end it; what is stopped hands over a
 * model and goes on as if nothing had happened. */
#include <jansson.h>
#include <pthread.h>

#include "small_training.h"
#include "three_tasks.h"

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
    return BASIN_OPTIONS(basin_session, .verbosity = 2, .event = listen, .ctx = l);
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
            const basin_predict_options how = {sizeof how, .path = "out", .threads = 1};
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

/* Processor time without a chance to stop, at most, and of the whole call: other programs on the
 * machine do not count. */
typedef struct {
    double last, greatest, total;
} watch;

static int look_at_clock(void *ctx, const char *text)
{
    watch       *w = ctx;
    const double now = bs_thread_seconds(), gap = now - w->last;
    (void)text;
    w->total += gap;
    w->greatest = gap > w->greatest ? gap : w->greatest;
    w->last = now;
    return 0;
}

static void long_measurements_can_be_stopped(void **state)
{
    const char *const file[] = {"long.arff"};
    basin_text        text;
    (void)state;
    OK(basin_data_make("mlc", "rows=8000 groups=16", 3, *file, NULL, NULL, &text, err));
    basin_text_free(&text);
    assert_int_equal(system("cp -r mlc copy"), 0);
    for (int i = 0; i < 3; i++) {
        watch                         w = {.last = bs_thread_seconds()};
        const basin_session           s = {sizeof s, .event = look_at_clock, .ctx = &w};
        const basin_eval_options      e = {sizeof e, .threads = 1};
        const basin_threshold_options t = {sizeof t, .threads = 1, .kind = "top-k"};
        const basin_calibrate_options c = {sizeof c, .threads = 1};
        if (i == 0)
            OK(basin_eval("copy", file, 1, &e, &s, &text, err));
        else if (i == 1)
            OK(basin_model_threshold("copy", file, 1, &t, &s, &text, err));
        else
            OK(basin_model_calibrate("copy", file, 1, &c, &s, &text, err));
        basin_text_free(&text);
        look_at_clock(&w, "");
        if (w.greatest > 0.2 && w.greatest > w.total / 4)
            fail_msg("call %d: %.3f s of %.3f", i, w.greatest, w.total);
    }
}

/* Stops at the n-th epoch of all trainings. */
static int count_epochs(void *ctx, const char *json)
{
    int *left = ctx;
    return strstr(json, "\"event\": \"epoch\"") && --*left == 0;
}

static basin_status train_stopped(const char *const setting[2], const char *run, int resume, int at,
                                  basin_model **m)
{
    const basin_train_options o = {sizeof o, .folder = run, .resume = resume, .model = m};
    const basin_session       session = {sizeof session, .event = count_epochs, .ctx = &at};
    basin_config             *c = small(strcmp(setting[0], "method") == 0 ? setting[1] : "ce");
    basin_text                text;
    basin_error               why;
    OK(basin_config_file(c, "train", subjects[0].file, err));
    OK(basin_config_set(c, setting[0], setting[1], err));
    const basin_status s = basin_train_with(c, &o, at ? &session : NULL, &text, &why);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

/* With a folder and without, and what is resumed ends as if nothing had happened. */
static void an_interrupted_training_hands_over_its_model(void **state)
{
    static const char *const setting[][2] = {{"method", "ce"}, {"method", "spen"}, {"folds", "3"}};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int at = 1; at < 4; at++) {
            basin_model *m, *own, *loaded, *whole;
            char         run[32], path[64];
            snprintf(run, sizeof run, "left-%d-%d", i, at);
            assert_int_equal(train_stopped(setting[i], run, 0, at, &m),
                             i == 0 && at == 3 ? BASIN_OK : BASIN_EINTERRUPTED);
            assert_int_equal(train_stopped(setting[i], NULL, 0, at, &own),
                             i == 0 && at == 3 ? BASIN_OK : BASIN_EINTERRUPTED);
            OK(basin_model_load(run, &loaded, err));
            snprintf(path, sizeof path, "%s/%s.safetensors", run,
                     i == 0 && at == 3 ? "best" : "unfinished");
            same_bytes(m, path);
            same_bytes(own, path);
            same_bytes(loaded, path);
            basin_model_free(m);
            basin_model_free(own);
            basin_model_free(loaded);
            assert_int_equal(train_stopped(setting[i], run, 1, 0, &m), BASIN_OK);
            assert_int_equal(train_stopped(setting[i], NULL, 0, 0, &whole), BASIN_OK);
            snprintf(path, sizeof path, "%s/best.safetensors", run);
            same_bytes(m, path);
            same_bytes(whole, path);
            basin_model_free(m);
            basin_model_free(whole);
        }
}

static void without_an_epoch_there_is_no_model(void **state)
{
    int                       now = 1;
    basin_model              *m;
    basin_text                text;
    basin_error               why;
    const basin_session       session = {sizeof session, .stop = &now};
    const basin_train_options o = {sizeof o, .folder = "none", .model = &m};
    basin_config             *c = small("ce");
    (void)state;
    OK(basin_config_file(c, "train", subjects[0].file, err));
    assert_int_equal(basin_train_with(c, &o, &session, &text, &why), BASIN_EINTERRUPTED);
    assert_null(m);
    assert_string_equal(why.msg, "interrupted in epoch 1; none has no model yet; to continue: "
                                 "basin train --resume -o none");
    basin_config_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_tells_what_it_does),
        cmocka_unit_test(an_event_stops_training),
        cmocka_unit_test(an_event_stops_an_evaluation),
        cmocka_unit_test(an_event_stops_eval_and_predict),
        cmocka_unit_test(an_interrupted_training_hands_over_its_model),
        cmocka_unit_test(without_an_epoch_there_is_no_model),
        cmocka_unit_test(long_measurements_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, three_models, leave_folder);
}
