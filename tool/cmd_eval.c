/* cmd_eval.c -- basin eval. */

#include "cli.h"

int cmd_eval(int argc, char **argv)
{
    const cli_verb *verb = cli_find("eval");
    const char     *args[MOST_ARGS], *threads = NULL;
    int             n;
    bool            stop, labels = false, conlleval = false, compat = false, constrain = false;
    cli_common      common = {0};
    cli_as_read     as_read = {.n = 0};
    basin_text      text;
    basin_error     err;

    basin_eval_options o = {0};
    const cli_option   rows[] = {
          {.name = "--infer",
           .value = "HOW",
           .text = &o.infer,
           .help = "net, gbi (search of the energy), refine (both), viterbi (chains)"},
          {.name = "--constrain",
           .flag = &constrain,
           .help = "tag: the best sequence of tags with well-formed spans only"},
          {.name = "--threshold",
           .value = "X",
           .text = &o.threshold,
           .help = "mlc: a number, or auto: the one stored in the model"},
          {.name = "--metric-profile",
           .value = "NAME",
           .text = &o.profile,
           .help = "mlc: sklearn, mulan, meka or seal"},
          {.name = "--per-label",
           .flag = &labels,
           .help = "also a table of labels, tags, span types or pixel classes"},
          {.name = "--conlleval",
           .flag = &conlleval,
           .help = "tag: the table that conlleval prints; spans by the rules of their scheme"},
          {.name = "--conlleval-compat",
           .flag = &compat,
           .help = "tag: the same, counted as that program counts tags"},
          {.name = "--part",
           .value = "PART",
           .text = &o.part,
           .help = "seg: train, valid, test or all of images that have parts; default: test"},
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
    if (n < 2)
        return cli_misuse(verb, "a model and at least one file are needed");
    if ((status = cli_whole(verb, "--threads", threads, 1024, &o.threads)))
        return status;
    o.per_label = labels;
    o.constrain = constrain;
    o.conlleval = compat ? 2 : conlleval;
    if (o.conlleval && common.json)
        return cli_misuse(verb, "--conlleval prints a text; leave out --json");
    basin_session session = cli_session(&common);
    if (basin_eval(args[0], args + 1, n - 1, &o, &session, &text, &err))
        return cli_fail(&err);
    return cli_show(&common, &text);
}
