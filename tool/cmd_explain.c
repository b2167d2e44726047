/* cmd_explain.c -- basin explain. */
#include "cli.h"

enum { MOST = 2000000000 };

static int run(const cli_verb *verb, int argc, char **argv)
{
    cli_call              c = {.verb = verb};
    basin_explain_options o = {0};
    const cli_option      rows[] = {
             CLI_OUT("FILE", &o.html, "the page; default: explain.html, with --json none"),
             CLI_WHOLE("--row", "N", &o.row, MOST,
                       "the N-th row, sentence or image, from 1, in detail, too"),
             CLI_WHOLE("--rows", "N", &o.rows, MOST,
                       "most to examine; default: 2000 rows, 1000 sentences, 24 images"),
             CLI_TEXT("--part", "PART", &o.part,
                      "seg: train, valid, test or all of images that have parts; default: test"),
             CLI_ENCODER(o),
             CLI_MACHINE(o),
             CLI_END};
    if (!cli_begin(&c, argc, argv, rows, NULL))
        return c.status;
    if (c.n < 2)
        return cli_misuse(verb, "a model and at least one file are needed");
    if (!o.html && !c.common.json)
        o.html = "explain.html";
    return cli_end(&c,
                   basin_explain(c.args[0], c.args + 1, c.n - 1, &o, &c.session, &c.text, &c.err));
}

const cli_verb cli_verb_explain = {"explain", "MODEL DATA... [options]",
                                   "draw what the energy of a model learned", run, true};
