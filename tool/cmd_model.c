/* cmd_model.c -- basin model: changes a model after its training, or completes it. */
#include <string.h>

#include "cli.h"

static int bundle(cli_call *c, const basin_threshold_options *o, const char *out)
{
    if (o->kind || o->metric || o->value || o->set[0])
        return cli_misuse(c->verb, "bundle has the options -o and --encoder");
    if (c->n != 2 || !out)
        return cli_misuse(c->verb, "bundle needs a model, and -o FILE for the new one");
    const basin_model_options from = {sizeof from, .encoder = o->encoder};
    return cli_end(c, basin_model_bundle(c->args[1], out, &from, &c->session, &c->text, &c->err));
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    cli_call                c = {.verb = verb};
    basin_threshold_options o = {.size = sizeof o};
    cli_as_read             as_read;
    const char             *out = NULL;
    const cli_option        rows[] = {
               CLI_TEXT("--kind", "KIND", &o.kind,
                        "threshold: the same for all labels (one, default), one each (label), or "
                               "top-k; calibrate: temperature (default) or isotonic"),
               CLI_TEXT("--metric", "NAME", &o.metric,
                        "threshold: what it is best for: example_f1, micro_f1, ...; default: as in "
                               "training"),
               CLI_TEXT("--value", "X", &o.value,
                        "threshold: this one, from 0 to 1; data is only to see what changes"),
               CLI_OUT("FILE", &out, "bundle: the new model, which has all of its encoder inside"),
               CLI_ENCODER(o),
               CLI_MACHINE(o),
               CLI_END};
    if (!cli_begin_as_read(&c, argc, argv, rows, &as_read, &o.set))
        return c.status;
    if (c.n > 0 && strcmp(c.args[0], "bundle") == 0)
        return bundle(&c, &o, out);
    const int  n = c.n;
    const bool calibrates = n > 0 && strcmp(c.args[0], "calibrate") == 0;
    if (n < 1 || (!calibrates && strcmp(c.args[0], "threshold") != 0))
        return cli_misuse(
            verb, "say what to do: threshold or calibrate, then MODEL DATA; or bundle, then MODEL");
    if (calibrates && (o.metric || o.value))
        return cli_misuse(verb, "--metric and --value are for threshold");
    if (out)
        return cli_misuse(verb, "-o is for bundle; %s changes MODEL itself", c.args[0]);
    if (calibrates && n < 3)
        return cli_misuse(verb, "calibrate needs a model and labelled data");
    if (n < 2 || (n < 3 && !o.value))
        return cli_misuse(verb, "threshold needs a model and labelled data, or --value");
    const basin_calibrate_options how = {sizeof how,   .threads = o.threads, .device = o.device,
                                         .set = o.set, .kind = o.kind,       .encoder = o.encoder};
    return cli_end(&c, calibrates ? basin_model_calibrate(c.args[1], c.args + 2, n - 2, &how,
                                                          &c.session, &c.text, &c.err)
                                  : basin_model_threshold(c.args[1], c.args + 2, n - 2, &o,
                                                          &c.session, &c.text, &c.err));
}

const cli_verb cli_verb_model = {
    "model", "threshold|calibrate MODEL DATA... | bundle MODEL -o FILE [options]",
    "change the threshold or the probabilities of a model, or put its encoder inside", run, true};
