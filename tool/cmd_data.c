/* cmd_data.c -- basin data inspect|check|split|convert|make. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct {
    const char   *args[MOST_ARGS], *set[MOST_ARGS];
    int           n, n_set;
    const char   *out, *format, *scheme, *shares, *names, *groups, *seed;
    bool          documents;
    cli_common    common;
    basin_session session;
    basin_config *config;
    uint64_t      seed_number;
} arguments;

static int inspect(arguments *a, bool check)
{
    basin_error err;
    basin_text  text;
    if (!basin_data_inspect(a->config, a->args + 1, a->n - 1, check, &a->session, &text, &err))
        return cli_show(&a->common, &text);
    if (text.table) /* some files are fine, others are not */
        cli_show(&a->common, &text);
    return cli_fail(&err);
}

static int convert(const cli_verb *verb, arguments *a)
{
    basin_error err;
    if (!a->out)
        return cli_misuse(verb, "convert needs -o FILE");
    if (basin_data_convert(a->config, a->args + 1, a->n - 1, a->out, a->format, &a->session, &err))
        return cli_fail(&err);
    return DONE;
}

static int split(const cli_verb *verb, arguments *a)
{
    basin_error err;
    basin_text  text;
    if (!a->out)
        return cli_misuse(verb, "split needs -o PREFIX; the parts are PREFIX-train.EXT and so on");
    basin_split_options o = {.shares = a->shares,
                             .names = a->names,
                             .groups = a->groups,
                             .format = a->format,
                             .seed = a->seed_number,
                             .documents = a->documents};
    if (basin_data_split(a->config, a->args + 1, a->n - 1, a->out, &o, &a->session, &text, &err))
        return cli_fail(&err);
    return cli_show(&a->common, &text);
}

/* Values of --set go to the generator, as words. */
static int make(const cli_verb *verb, arguments *a)
{
    basin_error err;
    basin_text  text;
    char        options[4096] = "";
    size_t      used = 0;
    if (a->n != 2)
        return cli_misuse(verb, "make needs a kind: mlc, tag or seg");
    for (int i = 0; i < a->n_set; i++) {
        int n = snprintf(options + used, sizeof options - used, "%s ", a->set[i]);
        if (n < 0 || (size_t)n >= sizeof options - used)
            return cli_misuse(verb, "too many options for make");
        used += (size_t)n;
    }
    if (basin_data_make(a->args[1], options, a->seed_number, a->out, a->format, &a->session, &text,
                        &err))
        return cli_fail(&err);
    return cli_show(&a->common, &text);
}

static int apply_settings(const cli_verb *verb, arguments *a)
{
    basin_error err;
    if (a->scheme && basin_config_set(a->config, "text.to", a->scheme, &err))
        return cli_fail(&err);
    for (int i = 0; i < a->n_set; i++) {
        char        key[128];
        const char *equals = strchr(a->set[i], '=');
        size_t      n = equals ? (size_t)(equals - a->set[i]) : 0;
        if (n == 0 || n >= sizeof key)
            return cli_misuse(verb, "--set: '%s' is not KEY=VALUE", a->set[i]);
        memcpy(key, a->set[i], n);
        key[n] = '\0';
        if (basin_config_set(a->config, key, equals + 1, &err))
            return cli_fail(&err);
    }
    return DONE;
}

/* An option that would have no effect. */
static int check_use(const cli_verb *verb, const arguments *a, const char *what)
{
    const bool writes =
        strcmp(what, "split") == 0 || strcmp(what, "convert") == 0 || strcmp(what, "make") == 0;
    const struct {
        const char *name, *of;
        bool        given;
    } row[] = {{"--shares", "split", a->shares},
               {"--names", "split", a->names},
               {"--groups", "split", a->groups},
               {"--documents", "split", a->documents},
               {"--scheme", "convert", a->scheme}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (row[i].given && strcmp(what, row[i].of) != 0)
            return cli_misuse(verb, "%s: is for 'data %s'", row[i].name, row[i].of);
    if (a->out && !writes)
        return cli_misuse(verb, "-o: %s writes no data", what);
    if (a->out && strcmp(a->out, "-") == 0)
        return cli_misuse(verb, "-o: data goes to a file, not to '-'");
    return DONE;
}

static int dispatch(const cli_verb *verb, arguments *a)
{
    char       *end = NULL;
    const char *what = a->n > 0 ? a->args[0] : "";
    if (a->seed) {
        a->seed_number = strtoull(a->seed, &end, 10);
        if (*a->seed == '\0' || *a->seed == '-' || *end)
            return cli_misuse(verb, "--seed: '%s' is not a whole number", a->seed);
    }
    int status = *what ? check_use(verb, a, what) : DONE;
    if (status)
        return status;
    if (strcmp(what, "make") == 0)
        return make(verb, a);
    status = apply_settings(verb, a);
    if (status)
        return status;
    if (*what && a->n < 2)
        return cli_misuse(verb, "%s needs at least one file", what);
    if (strcmp(what, "inspect") == 0)
        return inspect(a, false);
    if (strcmp(what, "check") == 0)
        return inspect(a, true);
    if (strcmp(what, "convert") == 0)
        return convert(verb, a);
    if (strcmp(what, "split") == 0)
        return split(verb, a);
    return cli_misuse(verb,
                      *what ? "'%s' is not inspect, check, split, convert or make"
                            : "%ssay what to do: inspect, check, split, convert or make",
                      what);
}

int cmd_data(int argc, char **argv)
{
    static arguments a;
    const cli_verb  *verb = cli_find("data");
    const cli_option own[] = {
        {.name = "--out",
         .alias = "-o",
         .value = "FILE",
         .text = &a.out,
         .help = "what to write: a file (convert, make), a prefix (split)"},
        {.name = "--format",
         .value = "NAME",
         .text = &a.format,
         .help =
             "mlc: arff, libsvm, xmc, csv, jsonl; tag: conll, conllu, text, raw, tokens, spans, "
             "brat, csv; default by -o"},
        {.name = "--scheme",
         .value = "NAME",
         .text = &a.scheme,
         .help = "convert, tag: what the tags become: iob1, iob2, ioe1, ioe2, bioes, bilou"},
        {.name = "--shares", .value = "LIST", .text = &a.shares, .help = "split: default 60,20,20"},
        {.name = "--names",
         .value = "LIST",
         .text = &a.names,
         .help = "split: names of the parts, default train,valid,test"},
        {.name = "--groups",
         .value = "FILE",
         .text = &a.groups,
         .help = "split, mlc: one name per row; rows of one name stay together"},
        {.name = "--documents",
         .flag = &a.documents,
         .help = "split, tag: sentences of one document stay together"},
        {.name = "--seed", .value = "N", .text = &a.seed, .help = "split and make: default 0"},
        {.name = "--set",
         .value = "KEY=VALUE",
         .list = a.set,
         .n = &a.n_set,
         .help = "reading options (data.nominal=position); make: see 'basin list generators'"},
        {.name = NULL},
    };
    cli_option  rows[MOST_ROWS];
    basin_error err;
    bool        stop;
    memset(&a, 0, sizeof a);
    cli_join(own, cli_reading, rows);
    if (basin_config_new(&a.config, &err))
        return cli_fail(&err);
    int status = cli_parse(verb, argc, argv, rows, &a.common, a.config, a.args, &a.n, &stop);
    a.session = cli_session(&a.common);
    if (!status && !stop)
        status = dispatch(verb, &a);
    basin_config_free(a.config);
    return status;
}
