/* cmd_model.c -- basin model: changes a model after its training. */
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
         .help = "threshold: the same for all labels (one, default), one each (label), or top-k"},
        {.name = "--metric",
         .value = "NAME",
         .text = &o.metric,
         .help =
             "threshold: what it is best for: example_f1, micro_f1, ...; default: as in training"},
        {.name = "--value",
         .value = "X",
         .text = &o.value,
         .help = "threshold: this one, from 0 to 1; data is only to see what changes"},
        {.name = "--threads", .value = "N", .text = &threads, .help = "default: all cores"},
        {.name = "--device", .value = "NAME", .text = &o.device, .help = "default: cpu"},
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
    const bool calibrates = n > 0 && strcmp(args[0], "calibrate") == 0;
    if (n < 1 || (!calibrates && strcmp(args[0], "threshold") != 0))
        return cli_misuse(verb, "say what to change: threshold or calibrate, then MODEL DATA");
    if (calibrates && (o.kind || o.metric || o.value))
        return cli_misuse(verb, "--kind, --metric and --value are for threshold");
    if (calibrates && n < 3)
        return cli_misuse(verb, "calibrate needs a model and labelled data");
    if (n < 2 || (n < 3 && !o.value))
        return cli_misuse(verb, "threshold needs a model and labelled data, or --value");
    if ((status = cli_whole(verb, "--threads", threads, 1024, &o.threads)))
        return status;
    basin_session                 session = cli_session(&common);
    const basin_calibrate_options how = {.threads = o.threads, .device = o.device, .set = o.set};
    if (calibrates ? basin_model_calibrate(args[1], args + 2, n - 2, &how, &session, &text, &err)
                   : basin_model_threshold(args[1], args + 2, n - 2, &o, &session, &text, &err))
        return cli_fail(&err);
    return cli_show(&common, &text);
}
