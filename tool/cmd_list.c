/* cmd_list.c -- basin list. */
#include "cli.h"

int cmd_list(int argc, char **argv)
{
    const cli_verb  *verb = cli_find("list");
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
    if (n != 1)
        return cli_misuse(verb, "say what to list: %s", verb->usage);
    if (basin_list(args[0], &text, &err))
        return cli_fail(&err);
    return cli_show(&common, &text);
}
