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

int cmd_predict(int argc, char **argv)
{
    const cli_verb *verb = cli_find("predict");
    const char     *args[MOST_ARGS], *out = NULL, *format = NULL, *top = NULL, *threads = NULL,
                                 *nbest = NULL;
    int  n;
    bool stop, scores = false, energy = false, overlay = false, constrain = false, safe = false,
               keep = false, probabilities = false;
    cli_common  common = {0};
    cli_as_read as_read = {.n = 0};
    basin_error err;

    basin_predict_options o = {0};
    const cli_option      rows[] = {
             {.name = "--out",
              .alias = "-o",
              .value = "FILE",
              .text = &out,
              .help = "write there instead of standard output; seg: a folder, or one picture"},
             {.name = "--format",
              .value = "NAME",
              .text = &format,
              .help = "mlc: jsonl, csv, tsv, arff, npy; tag: conll, jsonl, tokens, spans, csv, "
                           "brat; seg: png, npy, jsonl"},
             {.name = "--infer",
              .value = "HOW",
              .text = &o.infer,
              .help = "net, gbi (search of the energy), refine (both), viterbi (chains)"},
             {.name = "--constrain",
              .flag = &constrain,
              .help = "tag: the best sequence of tags with well-formed spans only"},
             {.name = "--scheme",
              .value = "NAME",
              .text = &o.scheme,
              .help = "tag: iob1, iob2, ioe1, ioe2, bioes, bilou; default: as in the file, or as "
                           "trained on"},
             {.name = "--nbest",
              .value = "K",
              .text = &nbest,
              .help = "tag: the K best sequences with scores (jsonl; crf, or --infer viterbi)"},
             {.name = "--energy", .flag = &energy, .help = "the energy of each prediction (jsonl)"},
             {.name = "--scores", .flag = &scores, .help = "probabilities, too"},
             {.name = "--probabilities",
              .flag = &probabilities,
              .help = "mlc: those of all labels, by name (jsonl)"},
             {.name = "--keep-columns",
              .flag = &keep,
              .help = "mlc: the input's own columns, then the predictions (csv, tsv, jsonl)"},
             {.name = "--csv-safe",
              .flag = &safe,
              .help = "csv, tsv: an apostrophe before texts that spreadsheets run as formulas"},
             {.name = "--top-k", .value = "K", .text = &top, .help = "mlc: the K best labels"},
             {.name = "--threshold",
              .value = "X",
              .text = &o.threshold,
              .help = "mlc: a number, or auto: the one stored in the model"},
             {.name = "--overlay",
              .flag = &overlay,
              .help = "seg: masks drawn over photos, in DIR/overlay; with -o FILE.png that alone"},
             {.name = "--part",
              .value = "PART",
              .text = &o.part,
              .help = "seg: train, valid or test of images that have parts; default: all"},
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
        return cli_misuse(verb, "a model and at least one file (or -) are needed");
    if (common.json)
        return cli_misuse(verb,
                          "--json: there is no table; --format jsonl writes one line per row");
    if (packed(out))
        return cli_misuse(verb, "-o: predictions are not compressed; '%s' needs another ending",
                          out);
    if ((status = cli_whole(verb, "--top-k", top, 1000000, &o.top_k)))
        return status;
    if ((status = cli_whole(verb, "--nbest", nbest, 1000, &o.nbest)))
        return status;
    o.scores = scores;
    o.energy = energy;
    o.constrain = constrain;
    o.csv_safe = safe;
    o.keep_columns = keep;
    o.probabilities = probabilities;
    if ((status = cli_whole(verb, "--threads", threads, 1024, &o.threads)))
        return status;
    o.format = format_of(format, out);
    basin_session session = cli_session(&common);
    bool          to_path = out && strcmp(out, "-") != 0;
    o.overlay = overlay;
    o.path = to_path ? out : NULL;
    if (basin_predict_files(args[0], args + 1, n - 1, &o, to_path ? NULL : stdout, &session, &err))
        return cli_fail(&err);
    return DONE;
}
