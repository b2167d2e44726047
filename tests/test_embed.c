/* test_embed.c -- what a program needs that has the library inside: events that say how far the
 * work is and can end it, and models as bytes. */
#include <jansson.h>
#include <pthread.h>

#include <math.h>

#include "base/io.h"
#include "data/image/picture.h"
#include "data/rows/read.h"
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

/* ---- data from memory ---- */

enum { N = 60, D = 12, L = 5, TOKENS = 7 };

static float       dense[N * D], value[N * D];
static int64_t     start[N + 1], label_start[N + 1];
static int32_t     feature[N * D], label[N * L];
static const char *word[N * TOKENS], *tag[N * TOKENS];
static int32_t     sentence[N + 1];

static void make_arrays(void)
{
    static const char *const words[] = {"Ada", "lives", "in", "Rome", "and", "Bo", "sings"};
    static const char *const tags[] = {"B-PER", "O", "O", "B-LOC", "O", "B-PER", "O"};
    int64_t                  nx = 0, ny = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < D; k++) {
            const float v = (i * 7 + k * 5) % 11 < 5 ? (float)((i + 3 * k) % 9 + 1) / 4 : 0;
            dense[i * D + k] = v;
            if (v != 0) {
                feature[nx] = k;
                value[nx++] = v;
            }
        }
        for (int k = 0; k < L; k++)
            if ((i + k) % 3 == 0)
                label[ny++] = k;
        start[i + 1] = nx;
        label_start[i + 1] = ny;
        sentence[i + 1] = (i + 1) * TOKENS;
        for (int k = 0; k < TOKENS; k++) {
            word[i * TOKENS + k] = words[(i * 3 + k) % 7];
            tag[i * TOKENS + k] = tags[(i * 3 + k) % 7];
        }
    }
}

static void write_array(const char *path, const char *type, int columns, const void *bytes,
                        size_t size)
{
    char  header[129];
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    const int n =
        snprintf(header, sizeof header,
                 "\x93NUMPY\x01%cv%c{'descr': '%s', 'fortran_order': False, 'shape': (%d, "
                 "%d), }",
                 'x', 'x', type, N, columns);
    header[7] = 0; /* version 1.0, 118 bytes of header */
    header[8] = 118;
    header[9] = 0;
    memset(header + n, ' ', (size_t)(127 - n));
    header[127] = '\n';
    assert_int_equal(fwrite(header, 1, 128, f), 128);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void write_files(void)
{
    static uint8_t y[N * L];
    FILE          *svm = fopen("x.svm", "w"), *conll = fopen("x.conll", "w");
    assert_true(svm && conll);
    for (int i = 0; i < N; i++) {
        for (int64_t k = label_start[i]; k < label_start[i + 1]; k++) {
            y[i * L + label[k]] = 1;
            fprintf(svm, "%s%d", k > label_start[i] ? "," : "", label[k]);
        }
        for (int64_t k = start[i]; k < start[i + 1]; k++)
            fprintf(svm, " %d:%d.%02d", feature[k], (int)value[k], (int)(100 * value[k]) % 100);
        fputs("\n", svm);
        for (int k = 0; k < TOKENS; k++)
            fprintf(conll, "%s\t%s\n", word[i * TOKENS + k], tag[i * TOKENS + k]);
        fputs("\n", conll);
    }
    assert_true(fclose(svm) == 0 && fclose(conll) == 0);
    write_array("x.npy", "<f4", D, dense, sizeof dense);
    write_array("y.npy", "|u1", L, y, sizeof y);
}

static basin_config *small(const char *method)
{
    const char *const set[][2] = {{"epochs", "2"},       {"net.width", "8"}, {"threads", "1"},
                                  {"report", "no"},      {"folds", "1"},     {"batch", "16"},
                                  {"split.test", "0.2"}, {"method", method}};
    basin_config     *c;
    OK(basin_config_new(&c, err));
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        OK(basin_config_set(c, set[i][0], set[i][1], err));
    return c;
}

/* The model, and what an evaluation of the same rows says. */
static basin_bytes train_memory(const char *method, const basin_data *d, char scores[4096])
{
    basin_config             *c = small(method);
    basin_model              *m = NULL;
    basin_text                text;
    basin_bytes               bytes;
    const basin_train_options o = {sizeof o, .model = &m};
    OK(basin_config_data(c, "train", d, err));
    OK(basin_train_with(c, &o, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    OK(basin_model_write(m, &bytes, err));
    OK(basin_eval_data(m, d, NULL, NULL, &text, err));
    snprintf(scores, 4096, "%s", strstr(text.json, "\"metrics\""));
    basin_text_free(&text);
    basin_model_free(m);
    return bytes;
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

static void same_bytes(const basin_model *m, const char *path)
{
    basin_bytes bytes;
    bs_buf      file;
    bs_buf_init(&file, 1 << 28);
    OK(basin_model_write(m, &bytes, err));
    OK(bs_read_file(path, &file, err));
    assert_int_equal(bytes.n, file.len);
    assert_memory_equal(bytes.data, file.data, file.len);
    bs_buf_free(&file);
    basin_bytes_free(&bytes);
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

static void same_as_files(const char *method, const basin_data *d, const char *const *file, int n)
{
    char          scores[4096];
    basin_bytes   bytes = train_memory(method, d, scores);
    basin_config *c = small(method);
    basin_text    text;
    bs_buf        model;
    for (int i = 0; i < n; i++)
        OK(basin_config_file(c, "train", file[i], err));
    const basin_train_options o = {sizeof o, .folder = "filed", .force = 1};
    OK(basin_train_with(c, &o, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    bs_buf_init(&model, 1 << 28);
    OK(bs_read_file("filed/best.safetensors", &model, err));
    assert_int_equal(bytes.n, model.len);
    assert_memory_equal(bytes.data, model.data, model.len);
    OK(basin_eval("filed", file, n, NULL, NULL, &text, err));
    assert_string_equal(scores, strstr(text.json, "\"metrics\""));
    basin_text_free(&text);
    basin_bytes_free(&bytes);
    bs_buf_free(&model);
}

static void memory_gives_the_model_of_files(void **state)
{
    static const char *const names[] = {"0", "1", "2", "3", "4"};
    static const char *const npy[] = {"x.npy", "y.npy"}, *const svm[] = {"x.svm"},
                             *const conll[] = {"x.conll"};
    basin_label_sets                all =
        BASIN_OPTIONS(basin_label_sets, .rows = N, .features = D, .labels = L, .dense = dense,
                      .label_start = label_start, .label = label);
    basin_data *d;
    (void)state;
    make_arrays();
    write_files();
    OK(basin_data_label_sets(&all, &d, err));
    same_as_files("ce", d, npy, 2);
    same_as_files("seal-nce", d, npy, 2);
    basin_data_free(d);

    all.dense = NULL;
    all.start = start;
    all.index = feature;
    all.value = value;
    all.label_names = names;
    OK(basin_data_label_sets(&all, &d, err));
    same_as_files("ce", d, svm, 1);
    basin_data_free(d);

    const basin_tagged t = {sizeof t, .x = {.sentences = N, .start = sentence, .tokens = word},
                            .tag = tag};
    OK(basin_data_tagged(&t, &d, err));
    same_as_files("crf", d, conll, 1);
    basin_data_free(d);
}

/* Photos of several sizes, grey and in colour, with two or three classes. */
enum { PHOTOS = 14, MOST_SIDE_HERE = 40 };

static uint8_t        pixels[PHOTOS][MOST_SIDE_HERE * MOST_SIDE_HERE * 3];
static uint8_t        masks[PHOTOS][MOST_SIDE_HERE * MOST_SIDE_HERE];
static int32_t        widths[PHOTOS], heights[PHOTOS], channels[PHOTOS];
static const uint8_t *photo[PHOTOS], *mask[PHOTOS];

static basin_images make_photos(int classes, bool even)
{
    for (int i = 0; i < PHOTOS; i++) {
        const int w = widths[i] = even ? 32 : 24 + i, h = heights[i] = even ? 24 : 40 - i;
        channels[i] = even || i % 3 ? 3 : 1;
        photo[i] = pixels[i];
        mask[i] = masks[i];
        for (int k = 0; k < w * h; k++) {
            const int dx = k % w - 8 - i, dy = k / w - 10, near = dx * dx + dy * dy;
            const int what = near < 40 ? 1 : near < 90 ? classes - 1 : 0;
            masks[i][k] = k == 5 ? 255 : (uint8_t)(classes == 2 ? 255 * what : what);
            for (int c = 0; c < channels[i]; c++)
                pixels[i][k * channels[i] + c] = (uint8_t)(60 * what + 30 * c + (k * 7 + i) % 31);
        }
    }
    return BASIN_OPTIONS(basin_images, .n = PHOTOS, .width = widths, .height = heights,
                         .channels = even ? NULL : channels, .pixels = photo, .masks = mask);
}

static void write_png(const char *to, int i, const uint8_t *bytes, int of)
{
    char   path[64];
    bs_buf png;
    bs_buf_init(&png, 1 << 20);
    OK(bs_png_write(bytes, widths[i], heights[i], of, NULL, 0, &png, err));
    snprintf(path, sizeof path, "%s/%02d.png", to, i);
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(png.data, 1, png.len, f) == png.len && fclose(f) == 0);
    bs_buf_free(&png);
}

static void write_photos(const char *classes)
{
    assert_int_equal(system("rm -rf photos && mkdir -p photos/images photos/masks"), 0);
    for (int i = 0; i < PHOTOS; i++) {
        write_png("photos/images", i, photo[i], channels[i]);
        if (mask[i])
            write_png("photos/masks", i, mask[i], 1);
    }
    FILE *f = fopen("photos/classes.txt", "w");
    assert_true(f && fputs(classes, f) >= 0 && fclose(f) == 0);
}

/* Features of categories are those of a nominal attribute: they are not standardised. */
static void categories_give_the_model_of_files(void **state)
{
    static const char *const        names[] = {"a", "colour=red", "colour=blue"},
                             *const column[] = {NULL, "colour", "colour"},
                             *const of[] = {NULL, "red", "blue"}, *const arff[] = {"x.arff"};
    static float x[N * 3];
    const char  *labels[] = {"y0", "y1", "y2", "y3", "y4"};
    basin_data  *d;
    FILE        *f = fopen("x.arff", "w");
    (void)state;
    make_arrays();
    assert_non_null(f);
    fputs("@relation 'x: -C 5'\n", f);
    for (int i = 0; i < L; i++)
        fprintf(f, "@attribute y%d {0,1}\n", i);
    fputs("@attribute a numeric\n@attribute colour {red,blue}\n@data\n", f);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < L; k++)
            fprintf(f, "%d,", (i + k) % 3 == 0);
        x[i * 3] = (float)(i % 7) / 4;
        if (i % 3)
            x[i * 3 + i % 3] = 1;
        fprintf(f, "%d.%02d,%s\n", i % 7 / 4, i % 7 % 4 * 25, i % 3 ? of[i % 3] : "?");
    }
    assert_int_equal(fclose(f), 0);
    const basin_label_sets rows = {sizeof rows,
                                   .rows = N,
                                   .features = 3,
                                   .labels = L,
                                   .dense = x,
                                   .label_start = label_start,
                                   .label = label,
                                   .feature_names = names,
                                   .label_names = labels,
                                   .feature_column = column,
                                   .feature_value = of};
    OK(basin_data_label_sets(&rows, &d, err));
    same_as_files("ce", d, arff, 1);
    basin_data_free(d);
}

static void photos_give_the_model_of_files(void **state)
{
    static const char *const names[] = {"ground", "disc", "ring"}, *const file[] = {"photos"};
    basin_data *d;
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        basin_images x = make_photos(3 - turn, turn);
        x.classes = 3 * !turn;
        x.class_names = turn ? NULL : names;
        mask[4] = turn ? NULL : mask[4];
        write_photos(turn ? "" : "ground\ndisc\nring\n");
        OK(basin_data_images(&x, &d, err));
        same_as_files(turn ? "seal-regression" : "ce", d, file, 1);
        basin_data_free(d);
    }
}

static void impossible_photos_are_refused(void **state)
{
    static const char *const names[] = {"a", "b", "a"};
    const basin_images       good = make_photos(3, false);
    const int32_t            odd[PHOTOS] = {3, 3, 2}, none[PHOTOS] = {8, 0};
    const uint8_t           *gap[PHOTOS] = {photo[0], photo[1], NULL};
    struct {
        basin_images x;
        const char  *message;
    } bad[8];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        bad[i].x = good;
    bad[0].x.n = 0, bad[0].message = "images in memory: no photos";
    bad[1].x.masks = NULL, bad[1].message = "images in memory: no photos with masks";
    bad[2].x.channels = odd, bad[2].message = "photo 2: 2 channels";
    bad[3].x.width = none, bad[3].message = "photo 1: 0 x 39";
    bad[4].x.pixels = gap, bad[4].message = "photo 2: its pixels are NULL";
    bad[5].x.classes = 2, bad[5].message = "mask 0: the value 2; 2 classes";
    bad[6].x.classes = 3, bad[6].x.class_names = names;
    bad[6].message = "classes 0 and 2 are both named 'a'";
    bad[7].x.height = NULL, bad[7].message = "width, height or pixels is NULL";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        basin_config *c = small("ce");
        basin_data   *d;
        basin_text    text;
        basin_error   why;
        OK(basin_data_images(&bad[i].x, &d, err));
        OK(basin_config_data(c, "train", d, err));
        assert_int_not_equal(basin_train(c, NULL, 1, 0, NULL, &text, &why), BASIN_OK);
        if (!strstr(why.msg, bad[i].message))
            fail_msg("%s", why.msg);
        basin_config_free(c);
        basin_data_free(d);
    }
}

/* A sure net says 0 or 1 as far as floats go; callers get numbers they can take logarithms of. */
static void scores_lie_strictly_between(void **state)
{
    static float     x[N * D], scores[N * L];
    basin_label_sets all = {sizeof all,    .rows = N,      .features = D,
                            .labels = L,   .dense = dense, .label_start = label_start,
                            .label = label};
    basin_data      *d;
    basin_model     *m;
    basin_predictor *p;
    char             text[4096];
    int              sure = 0;
    (void)state;
    make_arrays();
    OK(basin_data_label_sets(&all, &d, err));
    basin_bytes bytes = train_memory("ce", d, text);
    OK(basin_model_read(bytes.data, bytes.n, &m, err));
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
    basin_bytes_free(&bytes);
    basin_data_free(d);
}

/* Rows that are sorted and without zeros are used where they are; others give the same. */
static void rows_are_borrowed(void **state)
{
    static int32_t   index[N * D];
    static float     turned[N * D];
    basin_label_sets all = {
        sizeof all,     .rows = N,        .features = D,  .labels = L,
        .start = start, .index = feature, .value = value, .label_start = label_start,
        .label = label};
    bs_read_options o = bs_read_options_default();
    bs_rows        *tidy, *other;
    (void)state;
    make_arrays();
    OK(bs_rows_from_memory(&all, &o, &tidy, NULL, err));
    assert_ptr_equal(tidy->x.index, feature);
    assert_ptr_equal(tidy->x.value, value);
    for (int i = 0; i < N; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            index[k] = feature[start[i] + start[i + 1] - 1 - k];
            turned[k] = value[start[i] + start[i + 1] - 1 - k];
        }
    all.index = index;
    all.value = turned;
    OK(bs_rows_from_memory(&all, &o, &other, NULL, err));
    assert_ptr_not_equal(other->x.index, index);
    assert_true(tidy->hash == other->hash);
    bs_rows_free(tidy);
    bs_rows_free(other);
}

static void impossible_rows_are_refused(void **state)
{
    const basin_label_sets good = {
        sizeof good,    .rows = N,        .features = D,  .labels = L,
        .start = start, .index = feature, .value = value, .label_start = label_start,
        .label = label};
    static const char *const words[] = {"a", "b\tc"};
    static const int32_t     starts[] = {0, 2, 4}, far_starts[] = {0, 1 << 30, 2};
    static const int64_t     far[] = {0, INT64_C(1) << 40, 0};
    float                    infinite[N * D];
    int64_t                  back[N + 1];
    (void)state;
    make_arrays();
    memcpy(infinite, value, sizeof infinite);
    memcpy(back, start, sizeof back);
    infinite[17] = INFINITY;
    back[3] = back[2] - 1;
    const struct {
        basin_label_sets rows;
        const char      *message;
    } bad[] = {
        {{sizeof good, .rows = N, .features = 3, .labels = L, .start = start, .index = feature},
         "no feature 3"},
        {{sizeof good, .rows = N, .features = D, .labels = 2, .dense = dense,
          .label_start = label_start, .label = label},
         "no label"},
        {{sizeof good, .rows = N, .features = D, .labels = L, .start = back, .index = feature},
         "row 2"},
        {{sizeof good, .rows = N, .features = D, .labels = L, .start = start, .index = feature,
          .value = infinite},
         "infinite"},
        /* nothing is followed of starts that fall later on */
        {{sizeof good, .rows = 2, .features = D, .labels = L, .start = far}, "row 1: its features"},
        {{sizeof good, .rows = 2, .features = D, .labels = L, .dense = dense, .label_start = far},
         "row 1: its labels"},
        {{sizeof good, .rows = N, .features = D, .labels = L}, "neither"},
        {{sizeof good, .rows = -1, .features = D, .labels = L, .dense = dense}, "negative"},
        {{sizeof good, .rows = 0, .features = D, .labels = L, .dense = dense}, "no rows"},
    };
    static const char *const *const none[] = {NULL};
    const basin_token_columns       no_values = {1, NULL}, no_value = {1, none};
    const struct {
        basin_tagged rows;
        const char  *message;
    } bad_tags[] = {
        {{sizeof(basin_tagged), {1, starts, words, NULL}, words}, "has a tab"},
        {{sizeof(basin_tagged), {2, far_starts, words, NULL}, words}, "sentence 1 has no tokens"},
        {{sizeof(basin_tagged), {1, starts, words, &no_values}, words}, "column 0 are missing"},
        {{sizeof(basin_tagged), {1, starts, words, &no_value}, words}, "column 0 are missing"},
    };
    const size_t n = sizeof bad / sizeof *bad, n_tags = sizeof bad_tags / sizeof *bad_tags;
    for (size_t i = 0; i < n + n_tags; i++) {
        const bool    tags = i >= n;
        basin_config *c = small(tags ? "crf" : "ce");
        basin_data   *d;
        basin_text    text;
        basin_error   why;
        if (tags)
            OK(basin_data_tagged(&bad_tags[i - n].rows, &d, err));
        else
            OK(basin_data_label_sets(&bad[i].rows, &d, err));
        OK(basin_config_data(c, "train", d, err));
        assert_int_not_equal(basin_train(c, NULL, 1, 0, NULL, &text, &why), BASIN_OK);
        if (!strstr(why.msg, tags ? bad_tags[i - n].message : bad[i].message))
            fail_msg("%s", why.msg);
        basin_config_free(c);
        basin_data_free(d);
    }
    basin_config *c = small("ce");
    basin_data   *d;
    basin_error   why;
    OK(basin_data_label_sets(&good, &d, err));
    assert_int_equal(basin_config_data(c, "exam", d, &why), BASIN_EARG);
    OK(basin_config_data(c, "train", d, err));
    assert_int_equal(basin_config_data(c, "train", d, &why), BASIN_EARG);
    basin_config_free(c);
    basin_data_free(d);
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

/* The model of a folder of seeds, also by way of bytes: the mean of the models in it. */
static void seeds_are_one_model(void **state)
{
    static answer      mean, again, one;
    basin_config      *c = small("ce");
    basin_text         text;
    basin_model       *m, *copy;
    basin_bytes        bytes;
    const subject     *s = &subjects[0];
    static const char *seed[] = {"seeds/seed-0", "seeds/seed-1"};
    double             worst = 0, sum[MOST] = {0};
    (void)state;
    OK(basin_config_file(c, "train", s->file, err));
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
static void a_net_learns_from_a_model(void **state)
{
    static answer      plain, taught;
    const subject     *s = &subjects[0];
    static const char *weight[] = {"0", "0.5"};
    basin_error        why;
    (void)state;
    OK(predict(s, "left-0-3", 1, &plain, err)); /* two epochs of ce */
    for (int i = 0; i < 3; i++) {
        basin_model              *m = NULL;
        basin_text                text;
        const basin_train_options o = {sizeof o, .model = &m};
        basin_config             *c = small(i < 2 ? "ce" : "seal-nce");
        OK(basin_config_file(c, "train", s->file, err));
        OK(basin_config_set(c, "distil", "left-2-1", err)); /* three folds */
        OK(basin_config_set(c, "distil.weight", weight[i % 2], err));
        OK(basin_config_set(c, "distil.folds", "0", err));
        assert_int_equal(basin_train_with(c, &o, NULL, &text, &why), i < 2 ? BASIN_OK : BASIN_EARG);
        basin_config_free(c);
        if (i == 2)
            break;
        basin_text_free(&text);
        OK(predict_by(s, m, 1, &taught, err));
        const size_t n = ROWS * (size_t)basin_model_labels(m) * sizeof *taught.scores;
        assert_true((memcmp(plain.scores, taught.scores, n) == 0) == (i == 0));
        basin_model_free(m);
    }
    assert_non_null(strstr(why.msg, "only ce learns from probabilities"));
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
    static int32_t   other[N * L];
    static int64_t   other_start[N + 1];
    static double    of_truth[N], of_other[N], of_folds[N], again[N], pairs[L * L];
    static float     half[2 * L];
    basin_label_sets rows = {sizeof rows,   .rows = N,      .features = D,
                             .labels = L,   .dense = dense, .label_start = label_start,
                             .label = label};
    basin_data      *d, *wrong;
    basin_model     *m, *folds;
    basin_text       text;
    basin_config    *c;
    basin_error      why;
    double           sum = 0;
    (void)state;
    make_arrays();
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
        const basin_train_options o = {sizeof o, .model = i ? &folds : &m};
        c = small("seal-nce");
        OK(basin_config_set(c, "folds", i ? "2" : "1", err));
        OK(basin_config_set(c, "epochs", "20", err));
        OK(basin_config_data(c, "train", d, err));
        OK(basin_train_with(c, &o, NULL, &text, err));
        basin_text_free(&text);
        basin_config_free(c);
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
    OK(basin_model_load("tag", &m, err));
    refused(basin_energies(m, d, 1, of_other, &why), &why, "the data is for task mlc, not tag");
    basin_model_free(m);
    c = small("ce");
    OK(basin_config_data(c, "train", d, err));
    OK(basin_train_with(c, &(basin_train_options){sizeof(basin_train_options), .model = &m}, NULL,
                        &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    refused(basin_interactions(m, half, 1, 1, pairs, &why), &why,
            "the model is a plain net without an energy");
    basin_model_free(m);
    basin_model_free(folds);
    basin_data_free(wrong);
    basin_data_free(d);
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
        cmocka_unit_test(an_interrupted_training_hands_over_its_model),
        cmocka_unit_test(without_an_epoch_there_is_no_model),
        cmocka_unit_test(long_measurements_can_be_stopped),
        cmocka_unit_test(memory_gives_the_model_of_files),
        cmocka_unit_test(categories_give_the_model_of_files),
        cmocka_unit_test(photos_give_the_model_of_files),
        cmocka_unit_test(impossible_photos_are_refused),
        cmocka_unit_test(scores_lie_strictly_between),
        cmocka_unit_test(rows_are_borrowed),
        cmocka_unit_test(impossible_rows_are_refused),
        cmocka_unit_test(models_are_bytes),
        cmocka_unit_test(seeds_are_one_model),
        cmocka_unit_test(a_net_learns_from_a_model),
        cmocka_unit_test(energies_of_given_sets),
        cmocka_unit_test(damaged_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, three_models, leave_folder);
}
