/* cmd_report.c -- basin report. */
#include "cli.h"

static int run(const cli_verb *verb, int argc, char **argv)
{
    cli_call             c = {.verb = verb};
    basin_report_options o = {0};
    const cli_option     rows[] = {CLI_OUT("FILE", &o.path,
                                           "the page; default RUN/report.html, "
                                               "for several runs report.html"),
                                   CLI_ENCODER(o), CLI_MACHINE(o), CLI_END};
    if (!cli_begin(&c, argc, argv, rows, NULL))
        return c.status;
    if (c.n < 1)
        return cli_misuse(verb, "a run folder is needed, such as 'basin train -o' makes");
    return cli_end(&c, basin_report(c.args, c.n, &o, &c.session, &c.text, &c.err));
}

const cli_verb cli_verb_report = {"report", "RUN... [options]", "one page about a run, or several",
                                  run, true};
