/* cmd_eval.c -- basin eval. */
#include "cli.h"

static int run(const cli_verb *verb, int argc, char **argv)
{
    cli_call           c = {.verb = verb};
    basin_eval_options o = {.size = sizeof o};
    cli_as_read        as_read;
    const cli_option   rows[] = {
          CLI_TEXT("--infer", "HOW", &o.infer,
                   "net, gbi (search of the energy), refine (both), viterbi (chains)"),
          CLI_FLAG("--constrain", &o.constrain,
                   "tag: the best sequence of tags with well-formed spans only"),
          CLI_TEXT("--decide", "HOW", &o.decide,
                   "threshold, or what has the best expected f1, subset, hamming or "
                     "jaccard under P(y|x) ~ exp(-E)"),
          CLI_TEXT("--threshold", "X", &o.threshold,
                   "mlc: a number, or auto: the one stored in the model"),
          CLI_TEXT("--metric-profile", "NAME", &o.profile, "mlc: sklearn, mulan, meka or seal"),
          CLI_FLAG("--per-label", &o.per_label,
                   "also a table of labels, tags, span types or pixel classes"),
          CLI_FLAG("--conlleval", &o.conlleval,
                   "tag: the table that conlleval prints; spans by the rules of their scheme"),
          CLI_TEXT("--part", "PART", &o.part,
                   "seg: train, valid, test or all of images that have parts; default: test"),
          CLI_ENCODER(o),
          CLI_MACHINE(o),
          CLI_END};
    if (!cli_begin_as_read(&c, argc, argv, rows, &as_read, &o.set))
        return c.status;
    if (c.n < 2)
        return cli_misuse(verb, "a model and at least one file are needed");
    if (o.conlleval && c.common.json)
        return cli_misuse(verb, "--conlleval prints a text; leave out --json");
    return cli_end(&c, basin_eval(c.args[0], c.args + 1, c.n - 1, &o, &c.session, &c.text, &c.err));
}

const cli_verb cli_verb_eval = {"eval", "MODEL DATA... [options]",
                                "measure a model on labelled data", run, true};
