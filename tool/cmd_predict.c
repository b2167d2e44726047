/* cmd_predict.c -- basin predict. */
#include <string.h>

#include "cli.h"

/* The format by the extension of the output, unless --format is given; NULL: the task decides. */
static const char *format_of(const char *format, const char *out)
{
    static const char *const known[] = {"jsonl", "csv", "tsv", "arff", "npy", "conll", "png"};
    const char              *dot = out ? strrchr(out, '.') : NULL;
    if (format && strcmp(format, "auto") != 0)
        return format;
    for (size_t i = 0; dot && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(dot + 1, known[i]) == 0)
            return known[i];
    return NULL;
}

/* An extension that promises compression, which we do not do. */
static bool packed(const char *out)
{
    static const char *const ending[] = {".gz", ".xz", ".bz2", ".zst"};
    const char              *dot = out ? strrchr(out, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof ending / sizeof ending[0]; i++)
        if (strcmp(dot, ending[i]) == 0)
            return true;
    return false;
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    cli_call              c = {.verb = verb};
    basin_predict_options o = {.size = sizeof o};
    cli_as_read           as_read;
    const char           *out = NULL, *format = NULL;
    const cli_option      rows[] = {
             CLI_OUT("FILE", &out,
                     "write there instead of standard output; seg: a folder, or one picture"),
             CLI_TEXT("--format", "NAME", &format,
                      "mlc: jsonl, csv, tsv, arff, npy; tag: conll, jsonl, tokens, spans, csv, "
                           "brat; "
                           "seg: png, npy, jsonl"),
             CLI_TEXT("--infer", "HOW", &o.infer,
                      "net, gbi (search of the energy), refine (both), viterbi (chains)"),
             CLI_FLAG("--constrain", &o.constrain,
                      "tag: the best sequence of tags with well-formed spans only"),
             CLI_TEXT("--scheme", "NAME", &o.scheme,
                      "tag: iob1, iob2, ioe1, ioe2, bioes, bilou; default: as in the file, or as "
                           "trained on"),
             CLI_WHOLE("--nbest", "K", &o.nbest, 1000,
                       "tag: the K best sequences with scores (jsonl; crf, or --infer viterbi)"),
             CLI_FLAG("--energy", &o.energy, "the energy of each prediction (jsonl)"),
             CLI_FLAG("--scores", &o.scores, "probabilities, too"),
             CLI_FLAG("--probabilities", &o.probabilities,
                      "mlc: those of all labels, "
                           "by name (jsonl)"),
             CLI_FLAG("--keep-columns", &o.keep_columns,
                      "mlc: the input's own columns, then the predictions (csv, tsv, jsonl)"),
             CLI_FLAG("--csv-safe", &o.csv_safe,
                      "csv, tsv: an apostrophe before texts that spreadsheets run as formulas"),
             CLI_WHOLE("--top-k", "K", &o.top_k, 1000000, "mlc: the K best labels"),
             CLI_TEXT("--decide", "HOW", &o.decide,
                      "threshold, or what has the best expected f1, subset, hamming or "
                           "jaccard under P(y|x) ~ exp(-E)"),
             CLI_TEXT("--threshold", "X", &o.threshold,
                      "mlc: a number, or auto: the one stored in the model"),
             CLI_FLAG("--overlay", &o.overlay,
                      "seg: masks drawn over photos, in DIR/overlay; with -o FILE.png that alone"),
             CLI_TEXT("--part", "PART", &o.part,
                      "seg: train, valid or test of images that have parts; default: all"),
             CLI_ENCODER(o),
             CLI_MACHINE(o),
             CLI_END};
    if (!cli_begin_as_read(&c, argc, argv, rows, &as_read, &o.set))
        return c.status;
    if (c.n < 2)
        return cli_misuse(verb, "a model and at least one file (or -) are needed");
    if (c.common.json)
        return cli_misuse(verb,
                          "--json: there is no table; --format jsonl writes one line per row");
    if (packed(out))
        return cli_misuse(verb, "-o: predictions are not compressed; '%s' needs another ending",
                          out);
    o.format = format_of(format, out);
    o.path = out && strcmp(out, "-") != 0 ? out : NULL;
    if (basin_predict_files(c.args[0], c.args + 1, c.n - 1, &o, o.path ? NULL : stdout, &c.session,
                            &c.err))
        return cli_fail(&c.err);
    return DONE;
}

const cli_verb cli_verb_predict = {"predict", "MODEL DATA... [options]",
                                   "label new data with a model", run, false};
