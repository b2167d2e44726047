/* cmd_doctor.c -- basin doctor. */
#include "cli.h"

int cmd_doctor(int argc, char **argv)
{
    const cli_verb  *verb = cli_find("doctor");
    const cli_option rows[] = {{.name = NULL}};
    const char      *args[MOST_ARGS];
    int              n;
    bool             stop;
    cli_common       common = {0};
    basin_text       text;
    basin_error      err;
    int              status = cli_parse(verb, argc, argv, rows, &common, NULL, args, &n, &stop);
    if (status || stop)
        return status;
    if (n > 0)
        return cli_misuse(verb, "takes no argument, but got '%s'", args[0]);
    if (basin_doctor(&text, &err))
        return cli_fail(&err);
    return cli_show(&common, &text);
}
