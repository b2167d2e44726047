/* cmd_report.c -- basin report. */
#include "cli.h"

int cmd_report(int argc, char **argv)
{
    const cli_verb      *verb = cli_find("report");
    const char          *args[MOST_ARGS], *threads = NULL;
    int                  n;
    bool                 stop;
    cli_common           common = {0};
    basin_report_options o = {0};
    basin_text           text;
    basin_error          err;

    const cli_option rows[] = {
        {.name = "--out",
         .alias = "-o",
         .value = "FILE",
         .text = &o.path,
         .help = "the page; default RUN/report.html, for several runs report.html"},
        {.name = "--threads", .value = "N", .text = &threads, .help = "default: all cores"},
        {.name = "--device", .value = "NAME", .text = &o.device, .help = "default: cpu"},
        {.name = NULL},
    };
    int status = cli_parse(verb, argc, argv, rows, &common, NULL, args, &n, &stop);
    if (status || stop)
        return status;
    if (n < 1)
        return cli_misuse(verb, "a run folder is needed, such as 'basin train -o' makes");
    status = cli_whole(verb, "--threads", threads, 1024, &o.threads);
    if (status)
        return status;
    basin_session session = cli_session(&common);
    if (basin_report(args, n, &o, &session, &text, &err))
        return cli_fail(&err);
    return cli_show(&common, &text);
}
