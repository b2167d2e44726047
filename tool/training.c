/* training.c -- shared by the verbs that train: files, settings, the run folder. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

const char *cli_free_folder(const cli_training *a, const char *suffix, char out[512])
{
    struct stat st;
    const char *data = a->n_data ? a->data[0] : a->config_file;
    const char *base = strrchr(data, '/');
    base = base ? base + 1 : data;
    int stem = (int)strcspn(base, ".");
    if (stem == 0 || strcmp(data, "-") == 0)
        base = "stdin", stem = 5;
    stem = stem > 200 ? 200 : stem;
    snprintf(out, 512, "runs/%.*s%s", stem, base, suffix);
    for (int i = 2; stat(out, &st) == 0 && i < 10000; i++)
        snprintf(out, 512, "runs/%.*s%s-%d", stem, base, suffix, i);
    return out;
}

int cli_whole(const cli_verb *verb, const char *name, const char *text, int most, int *out)
{
    char *end = NULL;
    if (!text)
        return DONE;
    long n = strtol(text, &end, 10);
    if (*text == '\0' || *end || n < 1 || n > most)
        return cli_misuse(verb, "%s: '%s' is not a whole number from 1 to %d", name, text, most);
    *out = (int)n;
    return DONE;
}

/* Digits, possibly with a point among them, in any locale; returns their end. */
static const char *take_number(const char *at, double *out)
{
    double unit = 1;
    bool   point = false;
    *out = 0;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        *out = 10 * *out + (*at - '0');
        unit *= point ? 10 : 1;
    }
    *out /= unit;
    return at;
}

/* "1800", "90s", "30m", "1.5h" */
int cli_budget(const cli_verb *verb, const char *text, double *seconds)
{
    double n, factor = 1;
    if (!text)
        return DONE;
    const char *end = take_number(text, &n);
    if (strcmp(end, "m") == 0)
        factor = 60;
    else if (strcmp(end, "h") == 0)
        factor = 3600;
    else if (*end && strcmp(end, "s") != 0)
        n = 0;
    if (end == text || !(n > 0 && n * factor < 1e9))
        return cli_misuse(verb, "--budget: '%s' is not a time such as 1800, 90s, 30m or 2h", text);
    *seconds = n * factor;
    return DONE;
}

/* A config file comes before everything on the command line. */
static int read_config(int argc, char **argv, basin_config *c)
{
    basin_error err;
    for (int i = 1; i < argc; i++) {
        const char *path = NULL;
        if (strncmp(argv[i], "--config=", 9) == 0)
            path = argv[i] + 9;
        else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
            path = argv[++i];
        if (path && basin_config_read(c, path, &err))
            return cli_fail(&err);
    }
    return DONE;
}

static int add_files(basin_config *c, const char *role, const char *const *files, int n)
{
    basin_error err;
    for (int i = 0; i < n; i++)
        if (basin_config_file(c, role, files[i], &err))
            return cli_fail(&err);
    return DONE;
}

static int add_settings(const cli_verb *verb, const cli_training *a, basin_config *c)
{
    basin_error err;
    for (int i = 0; i < a->n_set; i++) {
        char        key[128];
        const char *equals = strchr(a->set[i], '=');
        size_t      n = equals ? (size_t)(equals - a->set[i]) : 0;
        if (!equals || n == 0 || n >= sizeof key)
            return cli_misuse(verb, "--set: '%s' is not KEY=VALUE", a->set[i]);
        memcpy(key, a->set[i], n);
        key[n] = '\0';
        if (basin_config_set(c, key, equals + 1, &err))
            return cli_fail(&err);
    }
    return DONE;
}

/* The rows of a verb, then those of every verb that trains, then those about reading. */
static void join_rows(const cli_verb *verb, const cli_option *own, cli_training *a,
                      cli_option out[MOST_ROWS])
{
    const bool       tests = verb->run != cmd_tune;
    const cli_option shared[] = {
        {.name = "--valid",
         .value = "FILE",
         .list = a->valid,
         .n = &a->n_valid,
         .help = "validation data; else a share of DATA is split off"},
        {.name = "--test",
         .value = "FILE",
         .list = a->test,
         .n = &a->n_test,
         .help =
             tests ? "test data; else, with --method and without --valid, a share of DATA" : NULL},
        {.name = "--unlabelled",
         .value = "FILE",
         .list = a->unlabelled,
         .n = &a->n_unlabelled,
         .help = "tag: sentences without tags, for --rules"},
        {.name = "--rules",
         .value = "FILE",
         .key = "rules.file",
         .help = "tag: rules that say which tags are likely in them"},
        {.name = "--epochs", .value = "N", .key = "epochs", .help = "maximum number of epochs"},
        {.name = "--weights",
         .value = "WHAT",
         .key = "weights",
         .help = "balanced: rare labels, tags, classes count more; NAME=W,...: as given"},
        {.name = "--threads",
         .value = "N",
         .key = "threads",
         .help = "default: all cores; never changes results"},
        {.name = "--device",
         .value = "NAME",
         .key = "device",
         .help = "where programs run; default: cpu, the only one there is"},
        {.name = "--embeddings",
         .value = "FILE",
         .key = "words.vectors",
         .help = "tag: word vectors to start from (GloVe or word2vec text)"},
        {.name = "--config",
         .value = "FILE",
         .text = &a->config_file,
         .help = "settings from a file, as in RUN/config"},
        {.name = NULL},
    };
    cli_option both[MOST_ROWS];
    cli_join(shared, cli_reading, both);
    cli_join(own, both, out);
}

/* A resumed run already knows its data. */
static int read_own_config(const cli_verb *verb, const cli_training *a, basin_config *c)
{
    char        path[4096];
    basin_error err;
    snprintf(path, sizeof path, "%s/config", a->folder ? a->folder : "");
    struct stat st;
    if (!a->resume || !a->folder || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return cli_misuse(verb, "no data given");
    return basin_config_read(c, path, &err) ? cli_fail(&err) : DONE;
}

int cli_training_parse(const cli_verb *verb, int argc, char **argv, const cli_option *rows,
                       cli_training *a, basin_config *c, bool *stop)
{
    cli_option all[MOST_ROWS];
    int        status = read_config(argc, argv, c);
    join_rows(verb, rows, a, all);
    if (!status)
        status = cli_parse(verb, argc, argv, all, &a->common, c, a->data, &a->n_data, stop);
    if (status || *stop)
        return status;
    if (a->n_data == 0 && !a->config_file)
        status = read_own_config(verb, a, c);
    if (!status)
        status = add_settings(verb, a, c);
    if (!status)
        status = add_files(c, "train", a->data, a->n_data);
    if (!status)
        status = add_files(c, "valid", a->valid, a->n_valid);
    if (!status)
        status = add_files(c, "test", a->test, a->n_test);
    if (!status)
        status = add_files(c, "unlabelled", a->unlabelled, a->n_unlabelled);
    return status;
}
