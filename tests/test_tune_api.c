/* test_tune_api.c -- a whole search from C: what it says adds up, its page is well formed, it goes
 * on where it was, and memory may run out at any place. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "tests/api_folder.h"
#include "tests/html_check.h"

static basin_config *config(void)
{
    static const char *const set[][2] = {
        {"method", "seal-nce"},        {"epochs", "4"},  {"net.width", "6"},
        {"energy.hidden", "4"},        {"threads", "1"}, {"steps.energy", "1"},
        {"checkpoint.seconds", "1000"}};
    basin_config *c;
    OK(basin_config_new(&c, err));
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++)
        OK(basin_config_set(c, set[i][0], set[i][1], err));
    OK(basin_config_file(c, "train", "d.arff", err));
    return c;
}

static json_t *tune(const basin_tune_options *o)
{
    basin_config *c = config();
    basin_text    text;
    OK(basin_tune(c, o, NULL, &text, err));
    json_t *out = json_loads(text.json, 0, NULL);
    assert_non_null(out);
    basin_text_free(&text);
    basin_config_free(c);
    return out;
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    assert_true(json_is_number(v));
    return json_number_value(v);
}

static size_t lines_of(const char *path)
{
    FILE  *f = fopen(path, "r");
    size_t n = 0;
    assert_non_null(f);
    for (int c = getc(f); c != EOF; c = getc(f))
        n += c == '\n';
    fclose(f);
    return n;
}

static void a_search_adds_up(void **state)
{
    (void)state;
    const char *const  space[] = {"net.layers=0|1", "optimiser=adam|adamw"};
    basin_tune_options o = {.trials = 10, .folder = "t", .space = space, .n_space = 2};
    json_t            *out = tune(&o), *top = json_object_get(out, "top");
    assert_int_equal((int)number(out, "trials"), 10);
    assert_int_equal((int)(number(out, "finished") + number(out, "paused") + number(out, "failed")),
                     10);
    const double best = number(json_object_get(out, "best"), "score");
    assert_true(best >= number(json_object_get(out, "start"), "score"));
    assert_true(number(json_array_get(top, 0), "score") == best);
    const json_t *values = json_object_get(json_object_get(out, "best"), "values");
    assert_int_equal(json_object_size(values), json_object_size(json_object_get(out, "space")));
    assert_non_null(json_object_get(values, "optimiser"));
    for (size_t i = 1; i < json_array_size(top); i++)
        assert_true(number(json_array_get(top, i), "score") <=
                    number(json_array_get(top, i - 1), "score"));
    json_decref(out);

    static char page[1 << 22];
    FILE       *f = fopen("t/tune.html", "r");
    assert_non_null(f);
    page[fread(page, 1, sizeof page - 1, f)] = '\0';
    fclose(f);
    html_check_nesting(page);
    html_check_alone(page);
    assert_non_null(strstr(page, "net.layers"));
    /* a chart for each option: five of its own and two wished for */
    const char *charts = strstr(page, "<h2>Options"),
               *end = charts ? strstr(charts, "<h2>Trials") : NULL;
    int n = 0;
    assert_non_null(end);
    for (; (charts = strstr(charts, "<svg")) && charts < end; charts++)
        n++;
    assert_int_equal(n, 7);
}

static void a_search_goes_on(void **state)
{
    (void)state;
    basin_tune_options o = {.trials = 3, .folder = "g"};
    json_decref(tune(&o));
    const size_t before = lines_of("g/trials.jsonl");
    o.resume = 1;
    json_decref(tune(&o));
    assert_int_equal(lines_of("g/trials.jsonl"), before); /* all of it was done */
    o.trials = 5;
    json_t *out = tune(&o);
    assert_int_equal((int)number(out, "trials"), 5);
    assert_true(lines_of("g/trials.jsonl") > before);
    json_decref(out);
}

/* ---- logs that somebody changed ---- */

static basin_status resume(const char *setting, basin_error *why)
{
    basin_config      *c = config();
    basin_tune_options o = {.trials = 3, .folder = "l", .resume = 1};
    basin_text         text = {NULL, NULL};
    if (setting)
        OK(basin_config_set(c, "resume.arithmetic", setting, err));
    const basin_status s = basin_tune(c, &o, NULL, &text, why);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

/* Replaces the first `from` of a line, from 1, and goes on with the search. */
static basin_status resume_changed(int line, const char *from, const char *to, basin_error *err)
{
    char command[256];
    assert_int_equal(system("cp l/trials.jsonl l/whole"), 0);
    snprintf(command, sizeof command, "sed -i -E '%d s/%s/%s/' l/trials.jsonl", line, from, to);
    assert_int_equal(system(command), 0);
    assert_int_not_equal(system("cmp -s l/trials.jsonl l/whole"), 0);
    assert_int_equal(system("cp l/trials.jsonl l/changed"), 0);
    const basin_status s = resume(NULL, err);
    if (s)
        assert_int_equal(system("cmp l/trials.jsonl l/changed"), 0);
    assert_int_equal(system("mv l/whole l/trials.jsonl; rm l/changed"), 0);
    return s;
}

static void numbers_of_a_log_are_checked(void **state)
{
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"\"trial\": 0", "\"trial\": 4294967296"},
        {"\"trial\": 0", "\"trial\": -1"},
        {"\"trial\": 0", "\"trial\": 1.0"},
        {"\"trial\": 0", "\"trial\": 1"},
        {"\"epochs\": [0-9]+", "\"epochs\": 4294967297"},
        {"\"epochs\": [0-9]+", "\"epochs\": -1"},
        {"\"epochs\": [0-9]+", "\"epochs\": 1e300"},
        {"\"best_epoch\": [0-9]+", "\"best_epoch\": 2147483648"},
        {"\"best_epoch\": [0-9]+", "\"best_epoch\": 1000"},
        {"\"seconds\": [0-9.e-]+", "\"seconds\": -1"},
        {"\"elapsed\": [0-9.e-]+", "\"elapsed\": 1e300"},
        {"\"elapsed\": [0-9.e-]+", "\"elapsed\": \"x\""},
        {"\"rungs\": \\[", "\"rungs\": [1, 1, 1, "},
        {"\\}$", ", \"rung_epochs\": [4294967297, 0]}"},
    };
    basin_error        err;
    basin_tune_options o = {.trials = 3, .folder = "l"};
    (void)state;
    json_decref(tune(&o));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (resume_changed(2, rows[i].from, rows[i].to, &err) != BASIN_EDATA) {
            fprintf(stderr, "  row %d: %s\n", (int)i, err.msg);
            fail();
        }
        assert_string_equal(err.msg,
                            "l/trials.jsonl:2: is not a line of a search; another -o starts a new "
                            "one");
    }
    assert_int_equal(resume(NULL, &err), BASIN_OK);
}

static void a_search_keeps_its_arithmetic(void **state)
{
    basin_error err;
    (void)state;
    static const char from[] = "\"arithmetic\": \"[^\"]*\"", to[] = "\"arithmetic\": \"ours\"";
    assert_int_equal(resume_changed(1, from, to, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "its arithmetic was ours, now it is "));
    assert_int_equal(system("sed -i '1 s/\"arithmetic\": \"/&x/' l/trials.jsonl"), 0);
    assert_int_equal(resume("same", &err), BASIN_EARG);
    assert_int_equal(resume("any", &err), BASIN_OK);
}

static void a_search_without_an_end_is_refused(void **state)
{
    (void)state;
    basin_config      *c = config();
    basin_tune_options o = {.folder = "x"};
    basin_text         text;
    basin_error        err;
    assert_int_equal(basin_tune(c, &o, NULL, &text, &err), BASIN_EARG);
    assert_null(text.table);
    o.trials = 2;
    o.folder = NULL;
    assert_int_equal(basin_tune(c, &o, NULL, &text, &err), BASIN_EARG);
    basin_config_free(c);
}

/* Trials that ran out of memory count as failed; the search itself says so. Steps are wide, since
 * a search makes many thousand allocations. */
static void memory_may_run_out(void **state)
{
    (void)state;
    for (long n = 1; n < 40000; n += n / 2 + 1) {
        basin_config      *c = config();
        basin_tune_options o = {.trials = 2, .folder = "m"};
        basin_text         text = {NULL, NULL};
        basin_error        err;
        const long         alive = bs_mem_live();
        bs_mem_fail_at(n);
        basin_status s = basin_tune(c, &o, NULL, &text, &err);
        bs_mem_fail_at(0);
        assert_true(s == BASIN_OK || s == BASIN_ENOMEM);
        basin_text_free(&text);
        assert_int_equal(bs_mem_live(), alive);
        basin_config_free(c);
        assert_int_equal(system("rm -rf m"), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_adds_up),
        cmocka_unit_test(a_search_goes_on),
        cmocka_unit_test(numbers_of_a_log_are_checked),
        cmocka_unit_test(a_search_keeps_its_arithmetic),
        cmocka_unit_test(a_search_without_an_end_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
