/* test_tune_methods.c -- every option that a method is tuned in changes what it learns. */
#include <jansson.h>
#include <string.h>

#include "tests/api_folder.h"
#include "tune/search.h"

/* Cross-entropy on validation rows (tags: accuracy) after a short training, as text: the same only
 * if the same was learnt. */
static void learnt(const char *task, const char *method, const char *key, const char *value,
                   char out[64])
{
    static const char *const fixed[][2] = {
        {"epochs", "2"},          {"net.width", "6"},     {"energy.hidden", "6"},
        {"threads", "1"},         {"gbi.steps", "3"},     {"gbi.test_steps", "0"},
        {"words.width", "6"},     {"columns.width", "4"}, {"implicit.rate", "0.01"},
        {"pretrain.epochs", "2"}, {"samples", "4"}};
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "method", method, err));
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcmp(task, "tag") == 0 || !strstr("words.width columns.width", fixed[i][0]))
            OK(basin_config_set(c, fixed[i][0], fixed[i][1], err));
    OK(basin_config_set(c, key, value, err));
    OK(basin_config_file(c, "train", strcmp(task, "tag") == 0 ? "d.conll" : "d.arff", err));
    const basin_train_options how = {sizeof how, .folder = "run", .force = 1};
    OK(basin_train_with(c, &how, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    FILE *f = fopen("run/metrics.jsonl", "r");
    char  line[4096];
    assert_non_null(f);
    out[0] = '\0';
    while (fgets(line, sizeof line, f)) {
        json_t     *o = json_loads(line, 0, NULL);
        const char *keys[] = {"loss_net", "loss_energy", "grad_net", "grad_energy"};
        double      sum = 0;
        for (int i = 0; i < 4; i++)
            sum += (i + 1) * json_number_value(json_object_get(o, keys[i]));
        const char *name;
        json_t     *v;
        json_object_foreach(json_object_get(o, "valid"), name, v) sum += 7 * json_number_value(v);
        snprintf(out + strlen(out), 64 - strlen(out), "%.12g ", sum);
        json_decref(o);
    }
    fclose(f);
}

static void check_method(const bs_method *m, const char *task)
{
    bs_settings     s;
    bs_space        space;
    bs_space_wishes w = {.n_wishes = 0};
    char            before[64], after[64], high[BS_TUNE_NAME];
    OK(bs_settings_default(&s, err));
    if (m->defaults)
        OK(bs_settings_words(&s, m->defaults, "test", err));
    if (m->untuned && strcmp(task, "mlc") == 0)
        OK(bs_settings_words(&s, m->untuned, "test", err));
    OK(bs_space_make(&s, m, &w, &space, err));
    learnt(task, m->name, "seed", "0", before);
    for (int k = 0; k < space.n; k++) {
        const double u = space.at[k].start < 0.5 ? 1 : 0;
        bs_space_text(&space.at[k], u, high);
        learnt(task, m->name, space.at[k].row.name, high, after);
        if (strcmp(before, after) == 0) {
            fprintf(stderr, "  %s: %s=%s changes nothing\n", m->name, space.at[k].row.name, high);
            fail();
        }
    }
}

static void options_of_methods_matter(void **state)
{
    basin_text text;
    (void)state;
    OK(basin_data_make("mlc", "rows=60 groups=2", 3, "d.arff", NULL, NULL, &text, err));
    basin_text_free(&text);
    OK(basin_data_make("tag", "rows=40", 3, "d.conll", NULL, NULL, &text, err));
    basin_text_free(&text);
    for (int i = 0; bs_methods[i]; i++)
        check_method(bs_methods[i], bs_method_fits(bs_methods[i], bs_tasks[0]) ? "mlc" : "tag");
}

/* The test above can fail: an option that a method does not use changes nothing. */
static void other_options_do_not(void **state)
{
    char before[64], after[64];
    (void)state;
    learnt("mlc", "ce", "seed", "0", before);
    learnt("mlc", "ce", "lr.energy", "0.5", after);
    assert_string_equal(before, after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_of_methods_matter),
                                       cmocka_unit_test(other_options_do_not)};
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
