/* cmd_explain.c -- basin explain. */
#include "cli.h"

enum { MOST = 2000000000 };

int cmd_explain(int argc, char **argv)
{
    const cli_verb *verb = cli_find("explain");
    const char     *args[MOST_ARGS], *row = NULL, *most = NULL, *threads = NULL;
    int             n;
    bool            stop;
    cli_common      common = {0};
    basin_text      text;
    basin_error     err;

    basin_explain_options o = {0};
    const cli_option      rows[] = {
             {.name = "--out",
              .alias = "-o",
              .value = "FILE",
              .text = &o.html,
              .help = "the page; default: explain.html, with --json none"},
             {.name = "--row",
              .value = "N",
              .text = &row,
              .help = "the N-th row, sentence or image, from 1, in detail, too"},
             {.name = "--rows",
              .value = "N",
              .text = &most,
              .help = "most to examine; default: 2000 rows, 1000 sentences, 24 images"},
             {.name = "--part",
              .value = "PART",
              .text = &o.part,
              .help = "seg: train, valid, test or all of images that have parts; default: test"},
             {.name = "--threads", .value = "N", .text = &threads, .help = "default: all cores"},
             {.name = "--device", .value = "NAME", .text = &o.device, .help = "default: cpu"},
             {.name = NULL},
    };
    int status = cli_parse(verb, argc, argv, rows, &common, NULL, args, &n, &stop);
    if (status || stop)
        return status;
    if (n < 2)
        return cli_misuse(verb, "a model and at least one file are needed");
    status = cli_whole(verb, "--row", row, MOST, &o.row);
    if (!status)
        status = cli_whole(verb, "--rows", most, MOST, &o.rows);
    if (!status)
        status = cli_whole(verb, "--threads", threads, 1024, &o.threads);
    if (status)
        return status;
    if (!o.html && !common.json)
        o.html = "explain.html";
    basin_session session = cli_session(&common);
    if (basin_explain(args[0], args + 1, n - 1, &o, &session, &text, &err))
        return cli_fail(&err);
    return cli_show(&common, &text);
}
