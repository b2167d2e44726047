/* cmd_train.c -- basin train. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

typedef struct {
    const char *valid[MOST_ARGS], *test[MOST_ARGS], *set[MOST_ARGS], *data[MOST_ARGS];
    int         n_valid, n_test, n_set, n_data;
    const char *folder, *seeds, *config_file;
    bool        resume;
    cli_common  common;
} arguments;

/* runs/STEM, or runs/STEM-2 ... when that is taken. */
static const char *free_folder(const char *data, char out[512])
{
    struct stat st;
    const char *base = strrchr(data, '/');
    base = base ? base + 1 : data;
    int stem = (int)strcspn(base, ".");
    if (stem == 0 || strcmp(data, "-") == 0)
        base = "stdin", stem = 5;
    snprintf(out, 512, "runs/%.*s", stem > 200 ? 200 : stem, base);
    for (int i = 2; stat(out, &st) == 0 && i < 10000; i++)
        snprintf(out, 512, "runs/%.*s-%d", stem > 200 ? 200 : stem, base, i);
    return out;
}

static int configure(const cli_verb *verb, arguments *a, basin_config *c)
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
    for (int i = 0; i < a->n_data; i++)
        if (basin_config_file(c, "train", a->data[i], &err))
            return cli_fail(&err);
    for (int i = 0; i < a->n_valid; i++)
        if (basin_config_file(c, "valid", a->valid[i], &err))
            return cli_fail(&err);
    for (int i = 0; i < a->n_test; i++)
        if (basin_config_file(c, "test", a->test[i], &err))
            return cli_fail(&err);
    return DONE;
}

static int train(const cli_verb *verb, arguments *a, basin_config *c)
{
    basin_error err;
    basin_text  text;
    char        folder[512], *end = NULL;
    long        seeds = a->seeds ? strtol(a->seeds, &end, 10) : 1;
    if (a->seeds && (*a->seeds == '\0' || *end || seeds < 1 || seeds > 1000))
        return cli_misuse(verb, "--seeds: '%s' is not a whole number from 1 to 1000", a->seeds);
    if (a->resume && !a->folder)
        return cli_misuse(verb, "--resume needs -o RUN, the folder of the run to go on with");
    const char *out =
        a->folder ? a->folder : free_folder(a->n_data ? a->data[0] : a->config_file, folder);
    basin_session session = cli_session(&a->common);
    if (basin_train(c, out, (int)seeds, a->resume, &session, &text, &err))
        return cli_fail(&err);
    return cli_show(&a->common, &text);
}

int cmd_train(int argc, char **argv)
{
    static arguments a; /* large, and used once */
    const cli_verb  *verb = cli_find("train");
    const cli_option rows[] = {
        {.name = "--valid",
         .value = "FILE",
         .list = a.valid,
         .n = &a.n_valid,
         .help = "validation rows; else a share of DATA is split off"},
        {.name = "--test",
         .value = "FILE",
         .list = a.test,
         .n = &a.n_test,
         .help = "test rows; else, without --valid, a share of DATA"},
        {.name = "--task", .value = "TASK", .key = "task", .help = "mlc; default: by the data"},
        {.name = "--method",
         .value = "METHOD",
         .key = "method",
         .help = "see 'basin list methods'"},
        {.name = "--preset",
         .value = "NAME",
         .key = "preset",
         .help = "published settings, see 'basin list presets'"},
        {.name = "--out",
         .alias = "-o",
         .value = "RUN",
         .text = &a.folder,
         .help = "run folder; default runs/NAME"},
        {.name = "--seed", .value = "N", .key = "seed", .help = "same seed, same bits; default 0"},
        {.name = "--seeds",
         .value = "N",
         .text = &a.seeds,
         .help = "train N times with seed, seed + 1, ...; mean and deviation"},
        {.name = "--epochs", .value = "N", .key = "epochs", .help = "most passes over the rows"},
        {.name = "--time-limit",
         .value = "SECONDS",
         .key = "time_limit",
         .help = "stop after that"},
        {.name = "--threads",
         .value = "N",
         .key = "threads",
         .help = "default: all cores; never changes results"},
        {.name = "--labels",
         .value = "SPEC",
         .key = "data.labels",
         .help = "label columns: NAMES, PATTERN, FILE, first:N, last:N"},
        {.name = "--xml", .value = "FILE", .key = "data.xml", .help = "MULAN label file"},
        {.name = "--set",
         .value = "KEY=VALUE",
         .list = a.set,
         .n = &a.n_set,
         .help = "any other setting, see 'basin list options'"},
        {.name = "--config",
         .value = "FILE",
         .text = &a.config_file,
         .help = "settings from a file, as in RUN/config"},
        {.name = "--resume", .flag = &a.resume, .help = "go on with the run in -o RUN"},
        {.name = NULL},
    };
    basin_config *c;
    basin_error   err;
    bool          stop;
    memset(&a, 0, sizeof a);
    if (basin_config_new(&c, &err))
        return cli_fail(&err);
    /* a config file comes before everything that is said here */
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--config") == 0 && basin_config_read(c, argv[i + 1], &err)) {
            basin_config_free(c);
            return cli_fail(&err);
        }
    int status = cli_parse(verb, argc, argv, rows, &a.common, c, a.data, &a.n_data, &stop);
    if (!status && !stop && a.n_data == 0 && !a.config_file)
        status = cli_misuse(verb, "no data given");
    if (!status && !stop)
        status = configure(verb, &a, c);
    if (!status && !stop)
        status = train(verb, &a, c);
    basin_config_free(c);
    return status;
}
