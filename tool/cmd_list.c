/* cmd_list.c -- basin list and basin doctor. */
#include "cli.h"

static const cli_option none[] = {CLI_END};

static int run(const cli_verb *verb, int argc, char **argv)
{
    cli_call c = {.verb = verb};
    if (!cli_begin(&c, argc, argv, none, NULL))
        return c.status;
    if (c.n != 1)
        return cli_misuse(verb, "say what to list: %s", verb->usage);
    return cli_end(&c, basin_list(c.args[0], &c.text, &c.err));
}

static int run_doctor(const cli_verb *verb, int argc, char **argv)
{
    cli_call c = {.verb = verb};
    if (!cli_begin(&c, argc, argv, none, NULL))
        return c.status;
    if (c.n > 0)
        return cli_misuse(verb, "takes no argument, but got '%s'", c.args[0]);
    return cli_end(&c, basin_doctor(&c.text, &c.err));
}

const cli_verb cli_verb_list = {
    "list", "methods|energies|encoders|tasks|readers|metrics|presets|options|space|generators",
    "names accepted on the command line", run, true};

const cli_verb cli_verb_doctor = {"doctor", "", "describe this build and this machine", run_doctor,
                                  true};
