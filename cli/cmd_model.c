/* cmd_model.c -- basin model: what is changed of a model after its training. */
#include <string.h>

#include "cli.h"

int cmd_model(int argc, char **argv)
{
    const cli_verb         *verb = cli_find("model");
    const char             *args[MOST_ARGS], *threads = NULL;
    int                     n;
    bool                    stop;
    cli_common              common = {0};
    cli_as_read             as_read = {.n = 0};
    basin_threshold_options o = {0};
    basin_text              text;
    basin_error             err;

    const cli_option rows[] = {
        {.name = "--kind",
         .value = "KIND",
         .text = &o.kind,
         .help = "one threshold for all labels (one, the default), one each (label), or top-k"},
        {.name = "--metric",
         .value = "NAME",
         .text = &o.metric,
         .help = "what it is chosen for: example_f1, micro_f1, ...; default: as in training"},
        {.name = "--value",
         .value = "X",
         .text = &o.value,
         .help = "that threshold, from 0 to 1; data is only to see what changes"},
        {.name = "--threads", .value = "N", .text = &threads, .help = "default: all cores"},
        {.name = NULL},
    };
    cli_option all[MOST_ROWS];
    cli_as_read_rows(rows, &as_read, all);
    int status = cli_parse(verb, argc, argv, all, &common, NULL, args, &n, &stop);
    if (status || stop)
        return status;
    if ((status = cli_as_read_finish(verb, &as_read)))
        return status;
    o.set = as_read.set;
    if (n < 1 || strcmp(args[0], "threshold") != 0)
        return cli_misuse(verb, "say what to change: 'basin model threshold RUN DATA'");
    if (n < 2 || (n < 3 && !o.value))
        return cli_misuse(verb, "threshold needs a model and labelled data, or --value");
    if ((status = cli_whole(verb, "--threads", threads, 1024, &o.threads)))
        return status;
    basin_session session = cli_session(&common);
    if (basin_model_threshold(args[1], args + 2, n - 2, &o, &session, &text, &err))
        return cli_fail(&err);
    return cli_show(&common, &text);
}
