/* test_model_meta.c -- models whose metadata somebody has changed: what they say of labels, files
 * and scores is checked, and every message names the model. */
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "file/safetensors.h"
#include "run/saved.h"
#include "tests/api_folder.h"

enum { MOST = 64 };

static void train(const char *data, const char *run, const char *key, const char *value)
{
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "epochs", "1", err));
    OK(basin_config_set(c, "method", "ce", err));
    OK(basin_config_set(c, "net.width", "4", err));
    OK(basin_config_set(c, "report", "no", err));
    OK(basin_config_set(c, key, value, err));
    OK(basin_config_file(c, "train", data, err));
    OK(basin_train(c, run, 1, 0, NULL, &text, err));
    basin_text_free(&text);
    basin_config_free(c);
}

/* The model of a run with `from` replaced by `to` in the value of a key; from NULL: all of it. */
static void change(const char *run, const char *key, const char *from, const char *to)
{
    bs_safetensors *f;
    bs_tensor       t[MOST];
    bs_meta         meta[MOST];
    char            path[100];
    bs_buf          value;
    int             n = 0, m = 0;
    bool            found = false;
    bs_buf_init(&value, 1 << 20);
    snprintf(path, sizeof path, "%s/best.safetensors", run);
    OK(bs_safetensors_open(path, &f, err));
    for (; bs_safetensors_at(f, n); n++)
        t[n] = *bs_safetensors_at(f, n);
    for (; bs_safetensors_meta_at(f, m); m++) {
        meta[m] = *bs_safetensors_meta_at(f, m);
        if (strcmp(meta[m].key, key) != 0)
            continue;
        const char *at = from ? strstr(meta[m].value, from) : meta[m].value;
        assert_non_null(at);
        bs_buf_add(&value, meta[m].value, (size_t)(at - meta[m].value));
        bs_buf_text(&value, to);
        bs_buf_text(&value, from ? at + strlen(from) : "");
        meta[m].value = value.data;
        found = true;
    }
    assert_true(found && n < MOST && m < MOST);
    OK(bs_safetensors_write("changed.safetensors", t, n, meta, m, err));
    bs_safetensors_close(f);
    bs_buf_free(&value);
}

static void refused(const char *run, const char *key, const char *from, const char *to,
                    const char *what)
{
    basin_model *m = NULL;
    basin_error  err = {0};
    char         want[300];
    change(run, key, from, to);
    basin_status s = basin_model_load("changed.safetensors", &m, &err);
    basin_model_free(m);
    snprintf(want, sizeof want, "changed.safetensors: %s", what);
    if (s != BASIN_EDATA || strcmp(err.msg, want) != 0)
        fprintf(stderr, "  %s: status %d, '%s', not '%s'\n", key, (int)s, err.msg, want);
    assert_int_equal(s, BASIN_EDATA);
    assert_string_equal(err.msg, want);
}

static void taken(const char *run, const char *key, const char *from, const char *to)
{
    basin_model *m = NULL;
    change(run, key, from, to);
    OK(basin_model_load("changed.safetensors", &m, err));
    basin_model_free(m);
}

static void cards_are_json(void **state)
{
    (void)state;
    static const char what[] = "'basin.card' in its metadata is not a JSON object";
    train("d.arff", "mlc", "task", "mlc");
    refused("mlc", "basin.card", NULL, "not JSON", what);
    refused("mlc", "basin.card", NULL, "{\"a\": 1", what);
    refused("mlc", "basin.card", NULL, "[1]", what);
    refused("mlc", "basin.card", NULL, "3", what);
    refused("mlc", "basin.card", NULL, "{\"a\": 1}{", what);
    refused("mlc", "basin.card", NULL, "{\"a\": nan}", what);
    taken("mlc", "basin.card", NULL, "");
    taken("mlc", "basin.card", NULL, "{\"made\": \"by hand\"}");
}

static void n_grams_are_checked(void **state)
{
    FILE *f = fopen("texts.csv", "w");
    (void)state;
    assert_non_null(f);
    fprintf(f, "text,n,l1,l2\n");
    for (int i = 0; i < 24; i++)
        fprintf(f, "a %s film and %d actors,%d,%d,%d\n", i % 2 ? "good" : "bad", i, i, i % 2,
                i % 3);
    fclose(f);
    train("texts.csv", "texts", "data.labels", "last:1");
    refused("texts", "basin.schema", "\"length\": ", "\"length\": -",
            "its n-grams are damaged: a setting is out of range");
}

static void labels_have_names_of_their_own(void **state)
{
    (void)state;
    refused("mlc", "basin.schema", "\"pick1_a\"", "\"\"",
            "the feature schema is damaged: a label has no name");
    refused("mlc", "basin.schema", "\"pick1_a\"", "\"pick1_b\"",
            "the feature schema is damaged: two labels have the same name");
    taken("mlc", "basin.schema", "\"pick1_a\"", "\"other\"");
}

static void ensembles_are_of_whole_models(void **state)
{
    static const char *const number[] = {"2.5", "0", "-1", "1001", "1e9", "nan", "two"};
    (void)state;
    train("d.arff", "several", "ensemble", "2");
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        char what[100];
        snprintf(what, sizeof what, "an ensemble of '%s' models, not of 1 to %d", number[i],
                 (int)BS_MOST_MODELS);
        refused("several", "basin.ensemble", NULL, number[i], what);
    }
    taken("several", "basin.ensemble", NULL, "2");
}

static void tags_and_classes_too(void **state)
{
    basin_text text;
    (void)state;
    OK(basin_data_make("tag", "rows=60", 1, "t.conll", NULL, NULL, &text, err));
    basin_text_free(&text);
    OK(basin_data_make("seg", "images=12 size=16", 1, "s.tar", NULL, NULL, &text, err));
    basin_text_free(&text);
    train("t.conll", "tag", "task", "tag");
    refused("tag", "basin.schema", "\"tags\": \"", "\"tags\": \"\\n",
            "the lexicon is damaged: a tag is empty");
    FILE *f = fopen("classes", "w");
    fputs("sky\nsea\n", f);
    fclose(f);
    train("s.tar", "seg", "mask.names", "classes");
    refused("seg", "basin.schema", "\"sea\"", "\"sky\"",
            "what the model knows of images is incomplete");
    refused("seg", "basin.schema", "\"sea\"", "\"\"",
            "what the model knows of images is incomplete");
}

static void messages_name_the_model(void **state)
{
    (void)state;
    refused("mlc", "basin.threshold", NULL, "fixed",
            "threshold 'fixed' is not 'fixed|global|cardinality VALUE', 'top_k K' or 'label "
            "VALUE : VALUE...'");
}

/* A model that names a pipe, which would be waited for without end. */
static void files_of_others_are_not_opened(void **state)
{
    const char *file = "d.arff";
    basin_text  text;
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    static const char *const keys[] = {"data.labels", "data.xml", "data.drop"};
    for (int i = 0; i < 3; i++) {
        char to[100];
        snprintf(to, sizeof to, "%s\"%s\": \"pipe\"%s", i < 2 ? "{" : "", keys[i],
                 i < 2 ? ", " : "");
        taken("mlc", "basin.options", i < 2 ? "{" : "\"data.drop\": \"\"", to);
        alarm(60); /* the pipe has no writer */
        OK(basin_eval("changed.safetensors", &file, 1, NULL, NULL, &text, err));
        alarm(0);
        basin_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cards_are_json),
        cmocka_unit_test(n_grams_are_checked),
        cmocka_unit_test(labels_have_names_of_their_own),
        cmocka_unit_test(ensembles_are_of_whole_models),
        cmocka_unit_test(tags_and_classes_too),
        cmocka_unit_test(messages_name_the_model),
        cmocka_unit_test(files_of_others_are_not_opened),
    };
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
