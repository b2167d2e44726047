/* test_locale.c -- a host program that called setlocale(): whatever the public interface reads,
 * writes and says has the same bytes as in the C locale. The locales are made here by localedef:
 * a decimal comma, one of two bytes, another alphabet (i and I are two letters) in another charset.
 *
 * The clock and the memory in use are made up, so that times, speeds and what follows from them are
 * the same in every run, too. */
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <jansson.h>

#include "api_folder.h"
#include "base/opt.h"

/* --- a clock of our own ------------------------------------------------------ */

static long long moments;

int clock_gettime(clockid_t id, struct timespec *t)
{
    const long long ns = __atomic_add_fetch(&moments, 1, __ATOMIC_RELAXED) * 1537000;
    (void)id;
    *t = (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
    return 0;
}

int getrusage(__rusage_who_t who, struct rusage *used)
{
    (void)who;
    *used = (struct rusage){.ru_maxrss = 123456};
    return 0;
}

/* --- one scenario ------------------------------------------------------------ */

static FILE         *said, *texts;
static basin_session session = {sizeof session, .verbosity = 3};

/* What a call returned, to compare; its JSON also to be read later. */
static void note(const char *call, basin_status s, const basin_error *why, basin_text *text)
{
    fprintf(said, "%s: %d %s\n%s\n%s\n", call, (int)s, s ? why->msg : "",
            text && text->table ? text->table : "", text && text->json ? text->json : "");
    if (text && text->json)
        fprintf(texts, "%s\n", text->json);
    if (text)
        basin_text_free(text);
}

/* A call with &text and &why that succeeds, and one that fails. */
#define NOTE(call)                              \
    do {                                        \
        basin_text   text = {0};                \
        basin_error  why = {0};                 \
        basin_status s = call;                  \
        note(#call, s, &why, &text);            \
        if (s)                                  \
            fprintf(stderr, "  %s\n", why.msg); \
        assert_int_equal(s, BASIN_OK);          \
    } while (0)
#define REFUSED(call)                      \
    do {                                   \
        basin_text   text = {0};           \
        basin_error  why = {0};            \
        basin_status s = call;             \
        note(#call, s, &why, &text);       \
        assert_int_not_equal(s, BASIN_OK); \
    } while (0)

typedef struct {
    const char *task, *file, *made, *settings;
} subject;

static const subject subjects[] = {
    {"mlc", "d.arff", "rows=60 groups=2 noise=4", "net.width=4 energy.hidden=3"},
    {"tag", "d.conll", "rows=30 length=5 words=3",
     "net.width=4 words.width=3 words.vectors=w.vec chars.net=cnn chars.width=2 chars.features=2"},
    {"seg", "d", "images=16 size=16",
     "net.width=2 energy.hidden=3 seg.crop=12x12 schedule=plateau"},
};
enum { MLC, TAG, SEG, SUBJECTS };

static basin_config *config(const char *words)
{
    basin_config *c;
    char          copy[512], *rest = NULL;
    OK(basin_config_new(&c, err));
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = '\0';
        OK(basin_config_set(c, word, value + 1, err));
    }
    return c;
}

static basin_config *training(const subject *j, const char *more)
{
    char words[512];
    snprintf(words, sizeof words,
             "method=seal-nce threads=1 batch=8 samples=2 lr.net=0.0125 lr.energy=2.5e-3 "
             "checkpoint.seconds=0 gbi.test_steps=2 %s %s",
             j->settings, more);
    basin_config *c = config(words);
    OK(basin_config_file(c, "train", j->file, err));
    return c;
}

static void write_file(const char *name, const char *content)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(content, f);
    assert_int_equal(fclose(f), 0);
}

/* Lines that name every word that there may be, with numbers of every kind. */
static void make_files(void)
{
    FILE *f = fopen("w.vec", "w");
    assert_non_null(f);
    for (int i = 0; i < 60; i++)
        fprintf(f, "%c%d_%d 0.%d -1%de-3 2.5\n", "abx"[i % 3], 1 + i % 4, i / 12, i, i);
    assert_int_equal(fclose(f), 0);
    f = fopen("r.csv", "w");
    assert_non_null(f);
    fprintf(f, "size,weight,label_a,label_b\n");
    for (int i = 0; i < 40; i++)
        fprintf(f, "%d.%d,-0.%03d,%d,%d\n", i % 7, i, i * i, i % 3 == 0, i % 2);
    assert_int_equal(fclose(f), 0);
    write_file("bad.arff", "@relation 'x: -C 1'\n@attribute l {0,1}\n@attribute v numeric\n@data\n"
                           "0,1.5\n0.25,2.5\n");
    write_file("my.config", "lr.net = 0.0375\nnet.dropout = 2.5e-1\n");
    write_file("my.rules", "tags A1 B1 A2 B2 A3 B3 SAME TURN SIDE\n"
                           "word 2.5 A1 word=^[a-b].*_[0-9]\n"
                           "word 0.75 SIDE word~^SIDE\n"
                           "word 1.25 B1 word=^x..y$\n"
                           "stay 0.5 A1\n");
    write_file("words.conll", "a1_0\nside_1\nx\303\266y\n\nSIDE_2\nb1_1\n\nx\303\266yy\na2_2\n\n");
}

/* To another format and back through its reader. */
static void convert(const char *from, const char *labels, const char *to, const char *format,
                    const char *labels_there)
{
    basin_config *c = config(labels), *there = config(labels_there);
    OK(basin_data_convert(c, &from, 1, to, format, &session, err));
    NOTE(basin_data_inspect(there, &to, 1, 0, &session, &text, &why));
    basin_config_free(c);
    basin_config_free(there);
}

static void make_data(void)
{
    for (int i = 0; i < SUBJECTS; i++)
        NOTE(basin_data_make(subjects[i].task, subjects[i].made, 1, subjects[i].file, NULL,
                             &session, &text, &why));
    basin_config *c = config("seed=1");
    for (int i = 0; i < SUBJECTS; i++)
        NOTE(basin_data_inspect(c, &subjects[i].file, 1, 0, &session, &text, &why));
    basin_split_options o = {.shares = "62.5,37.5", .names = "a,b", .seed = 3};
    NOTE(basin_data_split(c, &subjects[MLC].file, 1, "part", &o, &session, &text, &why));
    NOTE(basin_data_split(c, &subjects[TAG].file, 1, "part", &o, &session, &text, &why));
    basin_config_free(c);
    convert("d.arff", "", "c.csv", NULL, "data.labels=last:8");
    convert("d.arff", "", "c.jsonl", NULL, "");
    convert("d.arff", "", "c.svm", "libsvm", "");
    convert("r.csv", "data.labels=label_*", "r.arff", NULL, "");
    convert("r.csv", "data.labels=label_*", "r.jsonl", NULL, "");
}

static void predict(const char *model, const char *file, const char *format, const char *infer,
                    const char *path)
{
    basin_predict_options o = {sizeof o, .format = format, .infer = infer, .threads = 1,
                               .path = path};
    const bool            all = strcmp(format, "jsonl") == 0;
    o.scores = strcmp(model, "seg-run") != 0 && strcmp(format, "conll") != 0;
    o.energy = all && o.scores;
    o.nbest = all && infer ? 2 : 0;
    OK(basin_predict_files(model, &file, 1, &o, NULL, &session, err));
}

/* Trains, stops, goes on, and asks the model everything. */
static void use_task(const subject *j)
{
    basin_config         *c = training(j, "epochs=2");
    basin_eval_options    e = {sizeof e, .threads = 1, .per_label = 1, .part = NULL};
    basin_explain_options x = {.html = "explain.html", .row = 1, .threads = 1};
    char                  run[32], page[32];
    const char           *name = run;
    snprintf(run, sizeof run, "%s-run", j->task);
    snprintf(page, sizeof page, "%s.html", j->task);
    NOTE(basin_train(c, run, 1, 0, &session, &text, &why));
    basin_config_free(c);
    c = training(j, "epochs=3");
    NOTE(basin_train(c, run, 1, 1, &session, &text, &why));
    REFUSED(basin_train(c, "d.arff/x", 1, 0, &session, &text, &why));
    basin_config_free(c);
    c = training(j, "epochs=3 lr.net=0.0625"); /* not the same: says what was and is */
    REFUSED(basin_train(c, run, 1, 1, &session, &text, &why));
    basin_config_free(c);

    x.html = page;
    NOTE(basin_eval(run, &j->file, 1, &e, &session, &text, &why));
    NOTE(basin_explain(run, &j->file, 1, &x, &session, &text, &why));
    NOTE(basin_report(&name, 1, &(basin_report_options){.threads = 1}, &session, &text, &why));
}

static void use_tasks(void)
{
    for (int i = 0; i < SUBJECTS; i++)
        use_task(&subjects[i]);
    const char        *file = "d.arff", *conll = "d.conll";
    basin_eval_options e = {sizeof e, .threads = 1, .threshold = "0.375"};
    NOTE(basin_eval("mlc-run", &file, 1, &e, &session, &text, &why));
    NOTE(basin_eval("tag-run", &conll, 1,
                    &BASIN_OPTIONS(basin_eval_options, .threads = 1, .conlleval = 1), &session,
                    &text, &why));
    predict("mlc-run", "d.arff", "jsonl", NULL, "p.jsonl");
    predict("mlc-run", "c.csv", "csv", NULL, "p.csv");
    predict("mlc-run", "c.jsonl", "arff", NULL, "p.arff");
    predict("mlc-run", "d.arff", "npy", NULL, "p.npy");
    predict("tag-run", "d.conll", "conll", NULL, "p.conll");
    predict("tag-run", "d.conll", "jsonl", NULL, "p-tag.jsonl");
    predict("seg-run", "d", "jsonl", NULL, "p-seg.jsonl");
    predict("seg-run", "d", "npy", NULL, "p-seg-npy");
    predict("seg-run", "d", "png", NULL, "p-seg-png");
}

static void many_runs(void)
{
    basin_config         *c = training(&subjects[MLC], "epochs=2");
    basin_compare_options o = {.methods = "ce,seal-nce", .folder = "compared", .seeds = 2};
    NOTE(basin_compare(c, &o, &session, &text, &why));
    o.resume = 1;
    NOTE(basin_compare(c, &o, &session, &text, &why));
    const char *const runs[] = {"compared/ce", "compared/seal-nce"};
    NOTE(basin_report(runs, 2, &(basin_report_options){.threads = 1}, &session, &text, &why));
    basin_config_free(c);

    const char *const  space[] = {"lr.net=1e-3..0.025", "net.dropout=0.125|0.25"};
    basin_tune_options t = {.space = space, .n_space = 2, .trials = 2, .folder = "tuned"};
    c = config("method=ce threads=1 epochs=2 batch=8 net.width=3");
    OK(basin_config_file(c, "train", "d.arff", err));
    NOTE(basin_tune(c, &t, &session, &text, &why));
    t.trials = 4;
    t.resume = 1;
    NOTE(basin_tune(c, &t, &session, &text, &why));
    basin_config_free(c);
}

/* Rules with regular expressions, a chain with scores of sequences, real features, archives. */
static void other_files(void)
{
    basin_config *c = config("method=crf threads=1 epochs=2 batch=8 net.width=4 words.width=3 "
                             "rules.file=my.rules");
    OK(basin_config_file(c, "train", "d.conll", err));
    OK(basin_config_file(c, "unlabelled", "words.conll", err));
    NOTE(basin_train(c, "rules-run", 1, 0, &session, &text, &why));
    basin_config_free(c);
    predict("rules-run", "d.conll", "jsonl", "viterbi", "p-best.jsonl");

    c = config("method=ce threads=1 epochs=2 net.width=3 data.labels=label_*");
    OK(basin_config_read(c, "my.config", err));
    OK(basin_config_file(c, "train", "r.csv", err));
    NOTE(basin_train(c, "real-run", 1, 0, &session, &text, &why));
    basin_config_free(c);
    predict("real-run", "r.csv", "csv", NULL, "p-real.csv");

    c = config("seed=1");
    const char *bad = "bad.arff", *none = "nowhere.arff";
    REFUSED(basin_data_inspect(c, &bad, 1, 1, &session, &text, &why));
    REFUSED(basin_data_inspect(c, &none, 1, 1, &session, &text, &why));
    REFUSED(basin_config_set(c, "lr.net", "0,5", &why));
    REFUSED(basin_config_set(c, "net.dropout", "1.5", &why));
    REFUSED(basin_data_split(c, &subjects[MLC].file, 1, "part",
                             &(basin_split_options){.shares = "62.5,-0.5"}, &session, &text, &why));
    basin_config_free(c);
    assert_int_equal(
        system("cd d && mkdir ../named && cp -r . ../named && cd ../named && "
               "f=$(find . -name '*.png' | sort | head -n 1) && "
               "mv \"$f\" \"$(dirname \"$f\")/$(printf 'a\\303\\266\\304\\261.png')\" && "
               "tar --format=pax --sort=name -cf ../names.tar ."),
        0);
    predict("seg-run", "names.tar", "jsonl", NULL, "p-names.jsonl");
    remove("names.tar"); /* it has times of the disk */
}

static void numbers(void)
{
    char   text[BS_NUMBER_TEXT];
    double v;
    bs_format_double(0.30000000000000004, text);
    assert_string_equal(text, "0.30000000000000004");
    assert_true(bs_parse_double("0.30000000000000004", &v) && v == 0.30000000000000004);
    assert_true(bs_parse_double("123456789012345678901234567890.5e-30", &v));
    assert_false(bs_parse_double("0,5", &v));
}

static void about(void)
{
    static const char *const kinds[] = {"methods", "options", "space",
                                        "presets", "metrics", "generators"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        NOTE(basin_list(kinds[i], &text, &why));
    NOTE(basin_doctor(&text, &why));
}

/* --- comparing --------------------------------------------------------------- */

/* Everything, in a new folder with the name of the locale. */
static void run_in(const char *name)
{
    char point[16];
    assert_int_equal(mkdir("now", 0777), 0);
    assert_int_equal(chdir("now"), 0);
    make_files();
    assert_non_null(said = fopen("said", "w"));
    assert_non_null(texts = fopen("texts.jsonl", "w"));
    assert_non_null(session.messages = fopen("messages", "w"));
    moments = 0;

    assert_non_null(setlocale(LC_ALL, name));
    snprintf(point, sizeof point, "%.1f", 0.5);
    assert_int_equal(strcmp(point, "0.5") == 0, strcmp(name, "C") == 0);
    numbers();
    make_data();
    use_tasks();
    many_runs();
    other_files();
    about();
    /* the host's locale is as it was */
    assert_string_equal(setlocale(LC_ALL, NULL), name);
    snprintf(point, sizeof point, "%.1f", 0.5);
    assert_int_equal(strcmp(point, "0.5") == 0, strcmp(name, "C") == 0);
    assert_non_null(setlocale(LC_ALL, "C"));

    fclose(said);
    fclose(texts);
    fclose(session.messages);
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(rename("now", name), 0);
}

static void is_json(const char *path)
{
    char  *line = NULL;
    size_t cap = 0;
    FILE  *f = fopen(path, "r");
    int    n = 0;
    assert_non_null(f);
    for (; getline(&line, &cap, f) > 0; n++) {
        json_error_t why;
        json_t      *o = json_loads(line, 0, &why);
        if (!o)
            fprintf(stderr, "  %s:%d: %s: %.200s\n", path, n + 1, why.text, line);
        assert_non_null(o);
        json_decref(o);
    }
    assert_true(n > 0);
    free(line);
    fclose(f);
}

static void same_as_in_c(const char *name)
{
    char command[256], path[128];
    run_in(name);
    snprintf(command, sizeof command, "diff -r C %s > difference", name);
    const int status = system(command);
    if (status != 0)
        assert_int_equal(system("cut -c 1-200 difference | head -n 20 >&2"), 0);
    snprintf(path, sizeof path, "%s/mlc-run/metrics.jsonl", name);
    is_json(path);
    snprintf(path, sizeof path, "%s/texts.jsonl", name);
    is_json(path);
    assert_int_equal(status, 0);
}

static int make_locales(void **state)
{
    static const char *const made[] = {"de_DE UTF-8", "ps_AF UTF-8", "tr_TR ISO-8859-9"};
    char                     command[256], locales[128];
    if (in_temporary_folder(state) != 0 || mkdir("locales", 0777) != 0)
        return -1;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        char source[32] = "", charset[32] = "";
        sscanf(made[i], "%31s %31s", source, charset);
        snprintf(command, sizeof command, "localedef -i %s -f %s ./locales/%s.%s", source, charset,
                 source, charset);
        if (system(command) != 0) {
            fprintf(stderr, "  %s failed; tools/deps --install gets what it needs\n", command);
            return -1;
        }
    }
    snprintf(locales, sizeof locales, "%s/locales", folder);
    setenv("LOCPATH", locales, 1);
    run_in("C");
    return 0;
}

static void a_decimal_comma(void **state)
{
    (void)state;
    same_as_in_c("de_DE.UTF-8");
}

static void a_decimal_point_of_two_bytes(void **state)
{
    (void)state;
    same_as_in_c("ps_AF.UTF-8");
}

static void another_alphabet_and_charset(void **state)
{
    (void)state;
    same_as_in_c("tr_TR.ISO-8859-9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decimal_comma),
        cmocka_unit_test(a_decimal_point_of_two_bytes),
        cmocka_unit_test(another_alphabet_and_charset),
    };
    return cmocka_run_group_tests_name("locale", tests, make_locales, leave_folder);
}
