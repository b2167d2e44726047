/* cmd_data.c -- basin data inspect|check|split|convert|make. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct {
    cli_call            call;
    const char         *set[MOST_ARGS];
    int                 n_set;
    const char         *out, *scheme, *seed;
    basin_split_options how; /* its format is that of all */
    basin_config       *config;
} arguments;

static int inspect(arguments *a, bool check)
{
    cli_call          *c = &a->call;
    const basin_status s =
        basin_data_inspect(a->config, c->args + 1, c->n - 1, check, &c->session, &c->text, &c->err);
    if (s && c->text.table) /* some files are fine, others are not */
        cli_show(c);
    return cli_end(c, s);
}

static int convert(arguments *a)
{
    cli_call *c = &a->call;
    if (!a->out)
        return cli_misuse(c->verb, "convert needs -o FILE");
    if (basin_data_convert(a->config, c->args + 1, c->n - 1, a->out, a->how.format, &c->session,
                           &c->err))
        return cli_fail(&c->err);
    return DONE;
}

static int split(arguments *a)
{
    cli_call *c = &a->call;
    if (!a->out)
        return cli_misuse(c->verb,
                          "split needs -o PREFIX; the parts are PREFIX-train.EXT and so on");
    return cli_end(c, basin_data_split(a->config, c->args + 1, c->n - 1, a->out, &a->how,
                                       &c->session, &c->text, &c->err));
}

/* Values of --set go to the generator, as words. */
static int make(arguments *a)
{
    cli_call *c = &a->call;
    char      options[4096] = "";
    size_t    used = 0;
    if (c->n != 2)
        return cli_misuse(c->verb, "make needs a kind: mlc, text, tag, seg or roles");
    for (int i = 0; i < a->n_set; i++) {
        int n = snprintf(options + used, sizeof options - used, "%s ", a->set[i]);
        if (n < 0 || (size_t)n >= sizeof options - used)
            return cli_misuse(c->verb, "too many options for make");
        used += (size_t)n;
    }
    return cli_end(c, basin_data_make(c->args[1], options, a->how.seed, a->out, a->how.format,
                                      &c->session, &c->text, &c->err));
}

/* An option that would have no effect. */
static int check_use(const arguments *a, const char *what)
{
    const cli_verb *verb = a->call.verb;
    const bool      writes =
        strcmp(what, "split") == 0 || strcmp(what, "convert") == 0 || strcmp(what, "make") == 0;
    const struct {
        const char *name, *of;
        bool        given;
    } row[] = {{"--shares", "split", a->how.shares},
               {"--names", "split", a->how.names},
               {"--groups", "split", a->how.groups},
               {"--documents", "split", a->how.documents},
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

static int dispatch(arguments *a)
{
    const cli_verb *verb = a->call.verb;
    char           *end = NULL;
    const char     *what = a->call.n > 0 ? a->call.args[0] : "";
    if (a->seed) {
        a->how.seed = strtoull(a->seed, &end, 10);
        if (*a->seed == '\0' || *a->seed == '-' || *end)
            return cli_misuse(verb, "--seed: '%s' is not a whole number", a->seed);
    }
    int status = *what ? check_use(a, what) : DONE;
    if (status)
        return status;
    if (strcmp(what, "make") == 0)
        return make(a);
    if (a->scheme && basin_config_set(a->config, "text.to", a->scheme, &a->call.err))
        return cli_fail(&a->call.err);
    if ((status = cli_settings(verb, a->set, a->n_set, a->config)))
        return status;
    if (*what && a->call.n < 2)
        return cli_misuse(verb, "%s needs at least one file", what);
    if (strcmp(what, "inspect") == 0 || strcmp(what, "check") == 0)
        return inspect(a, *what == 'c');
    if (strcmp(what, "convert") == 0)
        return convert(a);
    if (strcmp(what, "split") == 0)
        return split(a);
    return cli_misuse(verb,
                      *what ? "'%s' is not inspect, check, split, convert or make"
                            : "%ssay what to do: inspect, check, split, convert or make",
                      what);
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    static arguments a;
    const cli_option own[] = {
        CLI_OUT("FILE", &a.out, "what to write: a file (convert, make), a prefix (split)"),
        CLI_TEXT("--format", "NAME", &a.how.format,
                 "mlc: arff, libsvm, xmc, csv, jsonl; tag: conll, conllu, text, raw, tokens, "
                 "spans, brat, csv; default by -o"),
        CLI_TEXT("--scheme", "NAME", &a.scheme,
                 "convert, tag: what the tags become: iob1, iob2, ioe1, ioe2, bioes, bilou"),
        CLI_TEXT("--shares", "LIST", &a.how.shares, "split: default 60,20,20"),
        CLI_TEXT("--names", "LIST", &a.how.names,
                 "split: names of the parts, default train,valid,test"),
        CLI_TEXT("--groups", "FILE", &a.how.groups,
                 "split, mlc: one name per row; rows of one name stay together"),
        CLI_FLAG("--documents", &a.how.documents,
                 "split, tag: sentences of one document stay together"),
        CLI_KEY("--encoder", "DIR", "encoder",
                "inspect, mlc: how this encoder would cut the texts of rows"),
        CLI_TEXT("--seed", "N", &a.seed, "split and make: default 0"),
        CLI_LIST("--set", "KEY=VALUE", a.set, &a.n_set,
                 "reading options (data.nominal=position); make: see 'basin list generators'"),
        CLI_END};
    cli_option rows[MOST_ROWS];
    memset(&a, 0, sizeof a);
    a.call.verb = verb;
    cli_join(own, cli_reading, rows);
    if (basin_config_new(&a.config, &a.call.err))
        return cli_fail(&a.call.err);
    const int status =
        cli_begin(&a.call, argc, argv, rows, a.config) ? dispatch(&a) : a.call.status;
    basin_config_free(a.config);
    return status;
}

const cli_verb cli_verb_data = {"data", "inspect|check|split|convert|make ... [options]",
                                "inspect, split, convert, generate", run, true};
