/* test_report.c -- what reports say: the numbers of the training, the counts of hand-made
 * predictions, and names from elsewhere as nothing but text. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/api_folder.h"
#include "tests/html_check.h"

static char page[1 << 22];

static const char *read_page(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(page, 1, sizeof page - 1, f);
    fclose(f);
    assert_true(n < sizeof page - 1);
    page[n] = '\0';
    return page;
}

static json_t *train(const char *file, const char *run, const char *words, int seeds)
{
    basin_config *c;
    basin_text    text;
    char          copy[256];
    OK(basin_config_new(&c, err));
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = copy, *next; *word; word = next) {
        next = word + strcspn(word, " ");
        next += *next ? (*next = '\0', 1) : 0;
        char *value = strchr(word, '=');
        *value++ = '\0';
        OK(basin_config_set(c, word, value, err));
    }
    OK(basin_config_file(c, "train", file, err));
    OK(basin_train(c, run, seeds, 0, NULL, &text, err));
    json_t *o = json_loads(text.json, 0, NULL);
    assert_non_null(o);
    basin_text_free(&text);
    basin_config_free(c);
    return o;
}

static json_t *report(const char *const *runs, int n, const char *path)
{
    basin_text           text;
    basin_report_options o = {.path = path};
    OK(basin_report(runs, n, &o, NULL, &text, err));
    json_t *json = json_loads(text.json, 0, NULL);
    assert_non_null(json);
    basin_text_free(&text);
    html_check_nesting(read_page(path));
    html_check_alone(page);
    assert_null(strstr(page, "<dd></dd>"));
    assert_null(strstr(page, "(null)"));
    return json;
}

static void same_values(const json_t *a, const json_t *b)
{
    const char *key;
    json_t     *v;
    double      sum = 0;
    assert_true(json_object_size(a) > 0);
    /* jansson wants a pointer that is not const, and changes nothing */
    json_t *list = json_copy((json_t *)(uintptr_t)a);
    json_object_foreach(list, key, v)
    {
        const double x = json_number_value(v);
        const double y = json_number_value(json_object_get(b, key));
        if (fabs(x - y) > 1e-9 * (1 + fabs(x))) {
            fprintf(stderr, "  %s: %.12g and %.12g\n", key, x, y);
            fail();
        }
        sum += fabs(x);
    }
    assert_true(sum > 0);
    json_decref(list);
}

/* Found again from config and manifest, evaluated again: the numbers are those of the training. */
static void scores_are_those_of_the_training(void **state)
{
    static const char *const files[] = {"d.arff", "d.conll", "d.tar"};
    static const char *const kinds[] = {"mlc", "tag", "seg"};
    static const char *const made[] = {NULL, "rows=60", "images=16 size=16"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        basin_text  text = {0};
        const char *run = kinds[i];
        if (made[i])
            OK(basin_data_make(kinds[i], made[i], 1, files[i], NULL, NULL, &text, err));
        basin_text_free(&text);
        json_t *t = train(files[i], run, "method=ce epochs=2 net.width=8", 1);
        json_t *r = report(&run, 1, "again.html");
        json_t *g = json_array_get(json_object_get(r, "runs"), 0);
        assert_string_equal(json_string_value(json_object_get(g, "part")), "test");
        assert_int_equal(json_array_size(json_object_get(r, "left_out")), 0);
        same_values(json_object_get(g, "metrics"), json_object_get(t, "test"));
        if (i == 0)
            same_values(json_object_get(g, "metrics_tuned"), json_object_get(t, "test_tuned"));
        json_decref(t);
        json_decref(r);
    }
}

static void scores_lie_in_their_intervals(void **state)
{
    const char *run = "mlc";
    double      score, lo, hi;
    (void)state;
    json_decref(report(&run, 1, "again.html"));
    const char *cell = strstr(page, ">example_f1 ");
    cell = cell ? strstr(cell, "<td ") : NULL;
    cell = cell ? strchr(cell, '>') : NULL;
    assert_non_null(cell);
    assert_int_equal(sscanf(cell, ">%lf <span class=\"range\">[%lf, %lf]<", &score, &lo, &hi), 3);
    assert_true(lo < score && score < hi);
}

/* All photos of the test part, and the one that is most wrong first. */
static void worst_photos_come_first(void **state)
{
    const char *run = "seg";
    double      iou, before = 0;
    int         n = 0;
    (void)state;
    json_t *r = report(&run, 1, "again.html");
    for (const char *at = page; (at = strstr(at, ": IoU ")); at++, n++) {
        assert_int_equal(sscanf(at, ": IoU %lf %%", &iou), 1);
        assert_true(iou >= before);
        before = iou;
    }
    json_t *g = json_array_get(json_object_get(r, "runs"), 0);
    assert_int_equal(n, json_integer_value(json_object_get(g, "n")));
    assert_true(before > 0);
    json_decref(r);
}

static void seeds_are_averaged(void **state)
{
    const char *run = "several";
    (void)state;
    json_t *t = train("d.arff", run, "method=ce epochs=2 net.width=8 seed=5", 3);
    json_t *r = report(&run, 1, "again.html");
    json_t *g = json_array_get(json_object_get(r, "runs"), 0);
    assert_int_equal(json_integer_value(json_object_get(g, "seeds")), 3);
    same_values(json_object_get(g, "metrics"), json_object_get(json_object_get(t, "mean"), "test"));
    json_decref(t);
    json_decref(r);
}

/* The line of metrics.jsonl of an epoch. */
static json_t *line_of(const char *run, int epoch)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "%s/metrics.jsonl", run);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (epoch-- > 0)
        assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    json_t *o = json_loads(text, 0, NULL);
    assert_non_null(o);
    return o;
}

/* Beside the loss of training: for label sets it is the log loss of a cell, times the labels. */
static void validation_loss_is_recorded(void **state)
{
    static const char *const kinds[] = {"mlc", "tag", "seg"};
    static const double      most[] = {12, 100, 2}; /* of a row, sentence, pixel */
    (void)state;
    for (int i = 0; i < 3; i++) {
        json_t      *o = line_of(kinds[i], 2);
        const double loss = json_number_value(json_object_get(o, "cross_entropy_valid"));
        assert_true(loss > 0 && loss < most[i]);
        json_decref(o);
    }
    json_t      *t = train("d.arff", "loss", "method=ce epochs=2 net.width=6", 1);
    const int    best = (int)json_integer_value(json_object_get(t, "best_epoch"));
    json_t      *o = line_of("loss", best);
    const double cell = json_number_value(json_object_get(json_object_get(t, "valid"), "log_loss"));
    const double loss = json_number_value(json_object_get(o, "cross_entropy_valid"));
    assert_true(fabs(loss - 12 * cell) < 1e-6 * loss);
    json_decref(t);
    json_decref(o);
}

/* ---- the sentence on top ---- */

static void has_text(const char *text, const char *part)
{
    if (strstr(text, part))
        return;
    fprintf(stderr, "  '%s' is not in '%s'\n", part, text);
    fail();
}

/* Labels that are features, words that have one tag, photos with one mask: baselines are perfect,
 * and the net, which has had one epoch, is not. */
static void verdicts_name_baselines(void **state)
{
    const char *run = "same";
    FILE       *f = fopen("same.csv", "w");
    (void)state;
    assert_non_null(f);
    fprintf(f, "a,b,c,y1,y2,y3\n");
    for (unsigned i = 0; i < 300; i++) {
        const unsigned x = 1 + (i * 2654435761u >> 7) % 7; /* no row without a label */
        fprintf(f, "%u,%u,%u,%u,%u,%u\n", x & 1, x >> 1 & 1, x >> 2 & 1, x & 1, x >> 1 & 1,
                x >> 2 & 1);
    }
    fclose(f);
    json_decref(train("same.csv", run, "method=ce epochs=1 net.width=2 data.labels=last:3", 1));
    json_t     *r = report(&run, 1, "same.html");
    const char *verdict = json_string_value(json_object_get(r, "verdict"));
    has_text(verdict, "The model gets ");
    has_text(verdict, " % example_f1 [");
    has_text(verdict, "; always the most frequent labels gets ");
    has_text(verdict, ", a linear model gets 100.00 % (");
    has_text(verdict, " more, p 0.002); next: train longer (--epochs 2)");
    has_text(page, "<p class=\"verdict\">The model gets ");
    json_decref(r);

    run = "spelling";
    f = fopen("same.conll", "w");
    assert_non_null(f);
    for (unsigned i = 0; i < 360; i++)
        fprintf(f, "w%u %c\n%s", i * 2654435761u % 11, "NNVXD"[i * 2654435761u % 11 % 5],
                i % 4 == 3 ? "\n" : "");
    fclose(f);
    json_decref(train("same.conll", run, "method=ce epochs=1 net.width=2 words.width=2", 1));
    r = report(&run, 1, "same.html");
    verdict = json_string_value(json_object_get(r, "verdict"));
    has_text(verdict, " % token_accuracy [");
    has_text(verdict, "; always the most frequent tag gets ");
    has_text(verdict, ", each word's most frequent tag gets 100.00 % (");
    json_decref(r);

    run = "seg";
    r = report(&run, 1, "same.html");
    has_text(json_string_value(json_object_get(r, "verdict")),
             " test images; the mean mask of the training photos gets ");
    json_decref(r);
}

/* Both labels hang on one feature, and none on the others. */
static void features_that_matter_come_first(void **state)
{
    const char *run = "planted";
    FILE       *f = fopen("planted.csv", "w");
    (void)state;
    assert_non_null(f);
    fprintf(f, "dice,cause,coin,y1,y2\n");
    for (unsigned i = 0; i < 400; i++) {
        const unsigned x = i * 2654435761u >> 7;
        fprintf(f, "%g,%g,%u,%u,%u\n", 1.5 * (x % 6), 0.5 + x / 6 % 2, x / 12 % 2, x / 6 % 2,
                1 - x / 6 % 2);
    }
    fclose(f);
    json_decref(
        train("planted.csv", run, "method=ce epochs=20 net.width=16 data.labels=last:2", 1));
    json_decref(report(&run, 1, "planted.html"));
    const char *section = strstr(page, "<h2>Features that matter");
    assert_non_null(section);
    const char *first = strstr(section, "<td class=\"name\">");
    assert_non_null(first);
    assert_memory_equal(first, "<td class=\"name\">cause<", 23);
    assert_non_null(strstr(page, "labels: promised and true"));
}

/* Of several runs, the best one; those of other rows are not compared. */
static void verdicts_of_several_runs(void **state)
{
    const char *runs[] = {"mlc", "loss"}, *other[] = {"mlc", "same"};
    (void)state;
    json_t     *r = report(runs, 2, "both.html");
    const char *verdict = json_string_value(json_object_get(r, "verdict"));
    has_text(verdict, " is best, ");
    has_text(verdict, "one seed says nothing of other trainings");
    has_text(verdict, "; always the most frequent labels gets ");
    has_text(page, "</td><td class=\"text\">81 rows of the test part");
    json_decref(r);
    r = report(other, 2, "both.html");
    has_text(json_string_value(json_object_get(r, "verdict")),
             "The runs cannot be compared: they were evaluated on different data. The model");
    json_decref(r);
}

/* ---- names from elsewhere ---- */

static void hostile_names_stay_text(void **state)
{
    static const char evil[] = "</script><b onclick=alert(1)>&quot";
    const char       *run = "run <i>&";
    FILE             *f = fopen("evil.arff", "w");
    (void)state;
    assert_non_null(f);
    fprintf(f, "@relation 'x: -C 3'\n");
    for (int l = 0; l < 3; l++)
        fprintf(f, "@attribute '%s %d' {0,1}\n", evil, l);
    for (int k = 0; k < 4; k++)
        fprintf(f, "@attribute 'word %s %d' {0,1}\n", evil, k);
    fprintf(f, "@data\n");
    for (int i = 0; i < 120; i++)
        fprintf(f, "%d,%d,%d,%d,%d,%d,%d\n", i % 2, i % 3 == 0, i % 5 < 2, (i + i / 7) % 2,
                i % 3 == 1, i / 2 % 2, i / 3 % 2);
    fclose(f);
    json_decref(train("evil.arff", run, "method=ce epochs=2 net.width=4", 1));
    json_t *r = report(&run, 1, "evil.html");
    assert_null(strstr(page, "<b onclick"));
    assert_null(strstr(page, "run <i>"));
    assert_non_null(strstr(page, "&lt;/script&gt;&lt;b onclick=alert(1)&gt;&amp;quot 1"));
    json_decref(r);
}

static void hostile_words_stay_text(void **state)
{
    const char *run = "words";
    FILE       *f = fopen("evil.conll", "w");
    (void)state;
    assert_non_null(f);
    for (int s = 0; s < 60; s++)
        fprintf(f, "<script>alert(%d)</script> B-<u>\n]]>--> I-<u>\n'\"&amp; O\n\n", s % 3);
    fclose(f);
    json_decref(train("evil.conll", run, "method=ce epochs=1 net.width=4 words.width=4", 1));
    json_t *r = report(&run, 1, "evil.html");
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<u>"));
    assert_non_null(strstr(page, "&lt;u&gt;"));
    json_decref(r);
}

/* ---- folders that are not as they should be ---- */

static basin_status try(const char *run, basin_error *err)
{
    basin_text           text = {0};
    basin_report_options o = {.path = "tried.html"};
    basin_status         s = basin_report(&run, 1, &o, NULL, &text, err);
    basin_text_free(&text);
    return s;
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Files of a run that say something else than they should: an error or less on the page. */
static void strange_files_are_survived(void **state)
{
    static const char *const lines[] = {
        "{}\n",
        "{\"epoch\": -5, \"valid\": {\"example_f1\": 1e308}}\n",
        "{\"epoch\": 1e300, \"loss_net\": -1e308}\n{\"epoch\": 2, \"loss_net\": 1e308}\n",
        "{\"epoch\": 1, \"a\": {\"b\": {\"c\": 1}}, \"phase\": 3, \"<x>\": 1}\n",
        "{\"epoch\": 3}\n{\"epoch\": 3, \"loss_net\": 1}\n{\"epoch\": 1, \"loss_net\": 2}\n",
    };
    basin_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        write_text("odd/metrics.jsonl", lines[i]);
        assert_int_equal(try("odd", &err), BASIN_OK);
        html_check_nesting(read_page("tried.html"));
        assert_null(strstr(page, "<x>"));
    }
    write_text("odd/manifest.json", "{\"test\": {\"hash\": 5}, \"machine\": []}");
    write_text("odd/outcome.json", "[1, 2");
    assert_int_equal(try("odd", &err), BASIN_OK);
    write_text("odd/best.safetensors", "no model");
    assert_int_equal(try("odd", &err), BASIN_OK);
    assert_non_null(strstr(read_page("tried.html"), "class=\"warn\""));
    write_text("odd/metrics.jsonl", "[]\n");
    assert_int_equal(try("odd", &err), BASIN_EDATA);
    assert_string_equal(err.msg, "odd/metrics.jsonl:1: is not a line of a run");
    write_text("odd/config", "net.width = many\n");
    assert_int_equal(try("odd", &err), BASIN_EARG);
}

/* The record of eight epochs: the loss of training rows falls, that of validation rows is given. */
static void write_losses(const double valid[8])
{
    FILE *f = fopen("odd/metrics.jsonl", "w");
    assert_non_null(f);
    for (int i = 0; i < 8; i++)
        fprintf(f, "{\"epoch\": %d, \"cross_entropy\": %g, \"cross_entropy_valid\": %g}\n", i + 1,
                0.9 - 0.1 * i, valid[i]);
    fclose(f);
}

/* Only a loss of validation rows that has risen by more than a tenth, for three epochs and more. */
static void advice_is_given_to_those_who_overfit(void **state)
{
    static const double falls[8] = {8, 7, 6, 5, 4, 3, 2, 1}, rises[8] = {5, 4, 3, 4, 5, 6, 7, 8},
                        little[8] = {5, 4, 3, 3.1, 3.1, 3.1, 3.1, 3.1},
                        late[8] = {8, 7, 6, 5, 4, 3, 4, 8};
    const double *const all[] = {falls, rises, little, late};
    const char         *run = "odd";
    (void)state;
    json_decref(train("d.arff", run, "method=ce epochs=1 net.width=4", 1));
    for (int i = 0; i < 4; i++) {
        write_losses(all[i]);
        json_t *r = report(&run, 1, "odd.html");
        char   *advice = json_dumps(json_object_get(r, "advice"), 0);
        assert_non_null(advice);
        assert_int_equal(strstr(advice, "it overfits, the loss of validation data rose") != NULL,
                         i == 1);
        if (i == 1)
            has_text(advice, "rose by 167 % after epoch 3 while");
        has_text(page, "the same of validation rows, without dropout");
        free(advice);
        json_decref(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_the_training),
        cmocka_unit_test(scores_lie_in_their_intervals),
        cmocka_unit_test(worst_photos_come_first),
        cmocka_unit_test(validation_loss_is_recorded),
        cmocka_unit_test(seeds_are_averaged),
        cmocka_unit_test(verdicts_name_baselines),
        cmocka_unit_test(features_that_matter_come_first),
        cmocka_unit_test(verdicts_of_several_runs),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(hostile_words_stay_text),
        cmocka_unit_test(advice_is_given_to_those_who_overfit),
        cmocka_unit_test(strange_files_are_survived),
    };
    return cmocka_run_group_tests_name("report", tests, in_temporary_folder, leave_folder);
}
