/* test_toy.c -- a task and an encoder of tests/toy, added exactly as docs/adding.md says: every
 * method trains them, and their models are saved, loaded, evaluated, used and reported. */
#include <jansson.h>
#include <string.h>

#include "tests/api_folder.h"
#include "tests/harness.h"
#include "tests/html_check.h"
#include "toy/toy.h"

#include "file/safetensors.h"
#include "method/method.h"

static char text_of_file[1 << 22];

static const char *contents(const char *path)
{
    FILE *f = fopen(path, "rb");
    CHECK(f, "%s is missing", path);
    const size_t n = fread(text_of_file, 1, sizeof text_of_file - 1, f);
    fclose(f);
    text_of_file[n] = '\0';
    return text_of_file;
}

/* The class is the largest of three numbers. */
static void make_toys(const char *path, int rows, uint64_t seed)
{
    bs_rng rng = bs_rng_make(seed, 0, 0);
    FILE  *f = fopen(path, "w");
    assert_non_null(f);
    fputs("toy\n", f);
    for (int i = 0; i < rows; i++) {
        double x[3];
        int    best = 0;
        for (int k = 0; k < 3; k++) {
            x[k] = bs_rng_normal(&rng);
            best = x[k] > x[best] ? k : best;
        }
        fprintf(f, "%c %.4f %.4f %.4f\n", 'a' + best, x[0], x[1], x[2]);
    }
    fclose(f);
}

static basin_status train(const char *file, const char *run, const char *words, int resume,
                          basin_error *err)
{
    basin_config *c;
    basin_text    text = {0};
    char          copy[512], *save = NULL;
    basin_status  s = basin_config_new(&c, err);
    if (!resume) {
        snprintf(copy, sizeof copy, "rm -rf %s", run);
        assert_int_equal(system(copy), 0);
    }
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &save); word && !s; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        s = basin_config_set(c, word, value, err);
    }
    if (!s)
        s = basin_config_file(c, "train", file, err);
    if (!s)
        s = basin_train(c, run, 1, resume, NULL, &text, err);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static double evaluate(const char *run, const char *file, const char *metric)
{
    basin_text text = {0};
    OK(basin_eval(run, &file, 1, NULL, NULL, &text, err));
    json_t      *o = json_loads(text.json, 0, NULL);
    const double value = json_number_value(json_object_get(json_object_get(o, "metrics"), metric));
    json_decref(o);
    basin_text_free(&text);
    return value;
}

static void check_report(const char *run)
{
    basin_text           text = {0};
    basin_report_options o = {.path = "r.html"};
    OK(basin_report(&run, 1, &o, NULL, &text, err));
    basin_text_free(&text);
    html_check_nesting(contents("r.html"));
    html_check_alone(text_of_file);
}

static bool is_listed(const char *kind, const char *name)
{
    basin_text text = {0};
    OK(basin_list(kind, &text, err));
    const bool there = strstr(text.table, name) != NULL;
    basin_text_free(&text);
    return there;
}

#define SMALL                                                                                \
    "epochs=2 net.width=8 energy.hidden=4 samples=2 gbi.steps=2 implicit.terms=1 threads=1 " \
    "early_stop.patience=3 "

/* Every method that fits the task, twice: as it is and with the energy on the net's encoder. */
static void check_methods(const bs_task *task, const char *file, const char *words)
{
    int n = 0, shared = 0;
    for (int i = 0; bs_methods[i]; i++) {
        char        all[512];
        basin_error err = {0};
        if (!bs_method_fits(bs_methods[i], task))
            continue;
        n++;
        snprintf(all, sizeof all, SMALL "report=no method=%s %s", bs_methods[i]->name, words);
        CHECK(train(file, "run", all, 0, &err) == BASIN_OK, "%s: %s", bs_methods[i]->name, err.msg);
        evaluate("run", file, task->metric[0].name);
        snprintf(all + strlen(all), sizeof all - strlen(all), " energy.encoder=shared");
        const basin_status s = train(file, "run", all, 0, &err);
        CHECK(s == BASIN_OK || strncmp(err.msg, "energy.encoder: ", 16) == 0, "%s: %s",
              bs_methods[i]->name, err.msg);
        if (!s)
            evaluate("run", file, task->metric[0].name);
        shared += s == BASIN_OK;
    }
    CHECK(n >= 18 && shared >= 12, "%d methods, %d with a shared encoder", n, shared);
}

static void a_task_is_trained_and_used(void **state)
{
    (void)state;
    const char *const files[] = {"new.toy"};
    make_toys("t.toy", 300, 1);
    make_toys("new.toy", 100, 2);
    assert_true(is_listed("tasks", "toy") && is_listed("metrics", "accuracy"));
    assert_true(is_listed("encoders", "(mlc toy)"));
    OK(train("t.toy", "run", "method=seal-nce epochs=20 net.width=16 samples=4 threads=1", 0, err));
    const double accuracy = evaluate("run", "new.toy", "accuracy");
    CHECK(accuracy > 0.8, "accuracy is %g", accuracy);
    check_report("run");
    OK(basin_predict_files("run", files, 1, &BASIN_OPTIONS(basin_predict_options, .path = "p.txt"),
                           NULL, NULL, err));
    contents("p.txt");
    int rows = 0, right = 0;
    for (const char *p = text_of_file; *p; p = strchr(p, '\n') + 1, rows++)
        right += *p >= 'a' && *p <= 'c' && p[1] == ' ';
    assert_true(rows == 100 && right == 100);
}

static void every_method_trains_the_task(void **state)
{
    (void)state;
    make_toys("t.toy", 80, 1);
    check_methods(&bs_task_toy, "t.toy", "");
}

static void an_encoder_has_its_own_options(void **state)
{
    (void)state;
    basin_error     why = {0};
    bs_safetensors *f;
    assert_true(is_listed("encoders", "waves") && is_listed("options", "waves.frequency"));
    assert_int_equal(train("d.arff", "w", "net.kind=waves waves.number=0", 0, &why), BASIN_EARG);
    assert_non_null(strstr(why.msg, "waves.number"));
    assert_int_equal(train("d.arff", "w", "net.kind=waves net.members=2 method=ce", 0, &why),
                     BASIN_EARG);
    assert_non_null(strstr(why.msg, "net.members: a net.kind of waves has only one"));
    OK(train("d.arff", "w",
             "net.kind=waves waves.number=7 method=seal-nce epochs=3 net.width=8 threads=1", 0,
             err));
    OK(bs_safetensors_open("w/best.safetensors", &f, err));
    const bs_tensor *t = bs_safetensors_find(f, "net/T/random");
    assert_true(t && t->dim[1] == 7);
    assert_non_null(strstr(bs_safetensors_meta(f, "basin.options"), "\"waves.number\": 7"));
    bs_safetensors_close(f);
    assert_true(evaluate("w", "d.arff", "example_f1") > 0.2);
    check_report("w");
    /* another method continues with the encoder as it was */
    OK(train("d.arff", "next", "from=w method=seal-ranking epochs=1 threads=1", 0, err));
    OK(bs_safetensors_open("next/best.safetensors", &f, err));
    t = bs_safetensors_find(f, "net/T/random");
    assert_true(t && t->dim[1] == 7);
    bs_safetensors_close(f);
}

/* Frozen parameters in net and energy. */
static void every_method_trains_the_encoder(void **state)
{
    (void)state;
    const bs_task *task;
    OK(bs_task_find("mlc", &task, err));
    check_methods(task, "d.arff", "net.kind=waves waves.number=6 energy.proof=0");
    make_toys("t.toy", 60, 1);
    OK(train("t.toy", "run", SMALL "net.kind=waves method=implicit-cd report=no", 0, err));
}

static void check_tensor(const char *run, const char *other, const char *name, bool same)
{
    char            path[2][64];
    bs_safetensors *f[2];
    snprintf(path[0], sizeof path[0], "%s/best.safetensors", run);
    snprintf(path[1], sizeof path[1], "%s/best.safetensors", other);
    for (int i = 0; i < 2; i++)
        OK(bs_safetensors_open(path[i], &f[i], err));
    const bs_tensor *a = bs_safetensors_find(f[0], name), *b = bs_safetensors_find(f[1], name);
    assert_true(a && b && a->bytes == b->bytes);
    assert_true((memcmp(a->data, b->data, a->bytes) == 0) == same);
    for (int i = 0; i < 2; i++)
        bs_safetensors_close(f[i]);
}

/* A run that was cut short ends in the same bytes; what is frozen is as it began. */
static void frozen_runs_are_resumed(void **state)
{
    (void)state;
    const char *same =
        "net.kind=waves method=seal-margin-compound pretrain.epochs=0 energy.proof=0 "
        "checkpoint.seconds=0 net.width=8 "
        "schedule=plateau report=no threads=1 early_stop.patience=50 epochs=";
    char words[256];
    snprintf(words, sizeof words, "%s6", same);
    OK(train("d.arff", "whole", words, 0, err));
    snprintf(words, sizeof words, "%s3", same);
    OK(train("d.arff", "parts", words, 0, err));
    check_tensor("whole", "parts", "net/T/mix/W", false);
    check_tensor("whole", "parts", "net/T/random", true);
    check_tensor("whole", "parts", "energy/T/random", true);
    snprintf(words, sizeof words, "%s6", same);
    OK(train("d.arff", "parts", words, 1, err));
    assert_int_equal(system("cmp whole/best.safetensors parts/best.safetensors"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_trained_and_used),
        cmocka_unit_test(every_method_trains_the_task),
        cmocka_unit_test(an_encoder_has_its_own_options),
        cmocka_unit_test(every_method_trains_the_encoder),
        cmocka_unit_test(frozen_runs_are_resumed),
    };
    return cmocka_run_group_tests_name("toy", tests, in_temporary_folder, leave_folder);
}
