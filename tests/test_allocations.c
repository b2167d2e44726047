/* test_allocations.c -- the n-th allocation fails: training by every method for every task, and
 * what else reads and writes files. The status is "out of memory", nothing leaks, what was written
 * before is whole, and --resume ends as if nothing had happened.
 *
 * Some n are tried (the first ones, then ever rarer); SOAK=1 tries all of them, SOAK=2 every 2nd
 * from the first on, and so on. */
#include <string.h>

#include "api_folder.h"
#include "base/mem.h"

typedef struct {
    const char *task, *file, *made, *settings;
} subject;

static const subject subjects[] = {
    {"mlc", "d.arff", "rows=40 groups=2", "batch=16 net.width=4 energy.hidden=3 net.layers=1"},
    {"tag", "d.conll", "rows=24 length=4 words=30",
     "batch=8 net.width=4 words.width=4 chars.net=cnn chars.width=2 chars.features=2"},
    {"roles", "d.props", "rows=12 clauses=1 words=3",
     "batch=8 net.width=3 net.layers=1 words.width=3 energy.hidden=3"},
    {"seg", "d.tar", "images=10 size=16", "batch=4 net.width=2 energy.hidden=3 seg.crop=12x12"},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static const char common[] = "epochs=1 pretrain.epochs=1 samples=2 gbi.steps=2 gbi.test_steps=2 "
                             "implicit.terms=1 report=no";

/* What is tried: one call of the library from nothing to its end. */
typedef struct {
    const subject *subject;
    const char    *method;
    bool           report; /* training writes one */
} job;
typedef basin_status (*action)(const job *j, basin_error *err);

static basin_status set_all(basin_config *c, const char *words, basin_error *err)
{
    char         copy[512], *next = copy;
    basin_status s = BASIN_OK;
    snprintf(copy, sizeof copy, "%s", words);
    while (!s && *next) {
        char *word = next, *end = strchr(word, ' ');
        next = end ? end + 1 : word + strlen(word);
        if (end)
            *end = '\0';
        char *value = strchr(word, '=');
        *value = '\0';
        s = basin_config_set(c, word, value + 1, err);
    }
    return s;
}

static basin_status configured(const job *j, basin_config **c, basin_error *err)
{
    basin_status s = basin_config_new(c, err);
    if (!s)
        s = set_all(*c, common, err);
    if (!s)
        s = set_all(*c, j->subject->settings, err);
    if (!s && j->method)
        s = basin_config_set(*c, "method", j->method, err);
    if (!s)
        s = basin_config_set(*c, "threads", "1", err);
    if (!s && j->report)
        s = basin_config_set(*c, "report", "yes", err);
    return s ? s : basin_config_file(*c, "train", j->subject->file, err);
}

static basin_status train_into(const job *j, const char *run, int resume, basin_error *err)
{
    basin_config *c = NULL;
    basin_text    text = {0};
    basin_status  s = configured(j, &c, err);

    const basin_train_options o = {sizeof o, .folder = run, .resume = resume, .force = !resume};
    if (!s)
        s = basin_train_with(c, &o, NULL, &text, err);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static void remove_folder(const char *name)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", name);
    assert_int_equal(system(command), 0);
}

static basin_status train(const job *j, basin_error *err)
{
    return train_into(j, "run", 0, err);
}

/* What succeeds shows all that there is: as many lines as the first time. */
static int lines_of_an_evaluation;

static basin_status evaluate(const job *j, basin_error *err)
{
    basin_text         text = {0};
    basin_eval_options o = {sizeof o, .threads = 1, .per_label = 1};
    basin_status       s = basin_eval("kept", &j->subject->file, 1, &o, NULL, &text, err);
    int                lines = 0;
    for (const char *p = text.table; p && *p; p++)
        lines += *p == '\n';
    if (!s && lines_of_an_evaluation)
        assert_int_equal(lines, lines_of_an_evaluation);
    if (!s)
        lines_of_an_evaluation = lines;
    basin_text_free(&text);
    return s;
}

static basin_status predict(const job *j, basin_error *err)
{
    basin_predict_options o = {sizeof o, .threads = 1, .format = "jsonl", .path = "p.jsonl"};
    o.scores = strcmp(j->subject->task, "seg") != 0; /* of masks, these are files of their own */
    remove("p.jsonl");
    return basin_predict_files("kept", &j->subject->file, 1, &o, NULL, NULL, err);
}

static basin_status inspect(const job *j, basin_error *err)
{
    basin_config *c = NULL;
    basin_text    text = {0};
    basin_status  s = basin_config_new(&c, err);
    if (!s)
        s = basin_data_inspect(c, &j->subject->file, 1, 1, NULL, &text, err);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static basin_status split(const job *j, basin_error *err)
{
    basin_config       *c = NULL;
    basin_text          text = {0};
    basin_split_options o = {0};
    basin_status        s = basin_config_new(&c, err);
    if (!s)
        s = basin_data_split(c, &j->subject->file, 1, "part", &o, NULL, &text, err);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static basin_status compare(const job *j, basin_error *err)
{
    basin_config         *c = NULL;
    basin_text            text = {0};
    basin_compare_options o = {
        .methods = "ce,seal-nce", .folder = "compared", .seeds = 1, .resume = 1};
    basin_status s = configured(j, &c, err);
    if (!s)
        s = basin_compare(c, &o, NULL, &text, err);
    basin_text_free(&text);
    basin_config_free(c);
    return s;
}

static basin_status report(const job *j, basin_error *err)
{
    const char          *run = "kept";
    basin_text           text = {0};
    basin_report_options o = {.path = "p.html", .threads = 1};
    (void)j;
    basin_status s = basin_report(&run, 1, &o, NULL, &text, err);
    basin_text_free(&text);
    return s;
}

static char *content(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    static char text[1 << 20];
    *size = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_true(*size < sizeof text);
    return text;
}

/* The model of `run` is that of `kept`, which was never disturbed. */
static void same_model(const job *j, long n)
{
    static char first[1 << 20];
    size_t      a = 0, b = 0;
    const char *text = content("kept/best.safetensors", &a);
    assert_non_null(text);
    memcpy(first, text, a);
    text = content("run/best.safetensors", &b);
    if (!text || a != b || memcmp(first, text, a) != 0) {
        fprintf(stderr, "  %s %s: after allocation %ld failed: another model\n", j->subject->task,
                j->method, n);
        fail();
    }
}

/* A model is whole or absent. */
static void check_model(const char *path)
{
    char         file[96];
    basin_model *m = NULL;
    snprintf(file, sizeof file, "%s/best.safetensors", path);
    if (access(file, F_OK) == 0)
        OK(basin_model_load(path, &m, err));
    basin_model_free(m);
}

/* Trainings are many, and look at little that others do not. */
static long step_after(long n, bool training)
{
    const char *soak = getenv("SOAK");
    return soak ? strtol(soak, NULL, 10) : 1 + n / (training ? 3 : 100);
}

static long disturb(action act, const job *j, const char *name, bool resumes)
{
    long tried = 0;
    for (long n = 1;; n += step_after(n, resumes), tried++) {
        basin_error why = {0};
        if (resumes)
            remove_folder("run");
        long live = bs_mem_live(), calls = bs_mem_calls();
        bs_mem_fail_at(n);
        basin_status s = act(j, &why);
        bs_mem_fail_at(0);
        if (bs_mem_live() != live || (s != BASIN_OK && s != BASIN_ENOMEM)) {
            fprintf(stderr, "  %s %s %s, allocation %ld: status %d '%s', %ld blocks leak\n", name,
                    j->subject->task, j->method ? j->method : "", n, (int)s, why.msg,
                    bs_mem_live() - live);
            fail();
        }
        const bool last = bs_mem_calls() - calls < n;
        if (last)
            assert_int_equal(s, BASIN_OK);
        if (resumes) {
            check_model("run");
            if (!s) /* what failed can be done without */
                same_model(j, n);
            if (s && tried % 4 == 3) { /* costs a whole training */
                OK(train_into(j, "run", 1, err));
                same_model(j, n);
            }
        }
        if (last)
            return tried;
    }
}

static const char *const methods[] = {"ce",
                                      "crf",
                                      "spen",
                                      "spen-e2e",
                                      "dvn",
                                      "nce",
                                      "seal-static-margin",
                                      "seal-static-regression",
                                      "seal-static-nce",
                                      "seal-margin",
                                      "seal-regression",
                                      "seal-regression-s",
                                      "seal-nce",
                                      "seal-ranking",
                                      "infnet",
                                      "infnet+",
                                      "alen",
                                      "aen",
                                      "implicit-ssvm",
                                      "implicit-dvn",
                                      "implicit-cd"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void make_data(const subject *s)
{
    basin_text text = {0};
    OK(basin_data_make(s->task, s->made, 1, s->file, NULL, NULL, &text, err));
    basin_text_free(&text);
}

static void every_method(void **state)
{
    const char *chosen = getenv("METHOD");
    long        tried = 0;
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        make_data(&subjects[i]);
        for (int k = 0; k < METHODS; k++) {
            const job j = {&subjects[i], methods[k], false};
            if ((strcmp(methods[k], "crf") == 0 && strcmp(subjects[i].task, "tag") != 0 &&
                 strcmp(subjects[i].task, "roles") != 0) ||
                (chosen && strcmp(chosen, methods[k]) != 0))
                continue;
            remove_folder("kept");
            OK(train_into(&j, "kept", 0, err));
            tried += disturb(train, &j, "train", true);
        }
    }
    printf("  %ld failing allocations in trainings\n", tried);
    assert_true(chosen || tried > 500);
}

static void every_other_verb(void **state)
{
    static const struct {
        action      act;
        const char *name;
    } verb[] = {{evaluate, "eval"}, {predict, "predict"}, {inspect, "inspect"},
                {split, "split"},   {compare, "compare"}, {report, "report"}};
    long tried = 0;
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        const job j = {&subjects[i], "seal-nce", false};
        make_data(&subjects[i]);
        remove_folder("kept");
        OK(train_into(&j, "kept", 0, err));
        remove_folder("compared");
        lines_of_an_evaluation = 0;
        OK(evaluate(&j, err));
        for (size_t k = 0; k < sizeof verb / sizeof verb[0]; k++) {
            if (verb[k].act == split && strcmp(subjects[i].task, "seg") == 0)
                continue; /* writes folders of pictures, not files */
            tried += disturb(verb[k].act, &j, verb[k].name, false);
        }
        tried += disturb(train, &(job){&subjects[i], "ce", true}, "train and report", false);
    }
    printf("  %ld failing allocations in other verbs\n", tried);
    assert_true(tried > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(every_other_verb),
    };
    return cmocka_run_group_tests_name("allocations", tests, in_temporary_folder, leave_folder);
}
