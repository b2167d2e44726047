/* cmd_train.c -- basin train. */
#include "api/training.h"
#include "cli.h"

typedef struct {
    int    force;
    double budget;
} request;

static int train(cli_training *a, basin_config *c, void *ctx)
{
    const request *r = ctx;
    cli_call      *call = &a->call;
    char           number[32];
    if ((a->resume || a->shared) && r->force)
        return cli_misuse(call->verb, "--%s, --force starts again: use one of them",
                          a->resume ? "resume continues a run" : "shared continues what others do");
    snprintf(number, sizeof number, "%llde-6", (long long)(1e6 * r->budget));
    if (r->budget > 0 && basin_config_set(c, "auto.budget", number, &call->err))
        return cli_fail(&call->err);
    const bs_train_request o = {.folder = a->folder,
                                .seeds = a->seeds > 0 ? a->seeds : 1,
                                .resume = a->resume,
                                .force = r->force,
                                .shared = a->shared != NULL,
                                .report = bs_report_after};
    return cli_end(call, bs_train_requested(c, &o, &call->session, &call->text, &call->err));
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    static cli_training a; /* large, and used once */
    request             r = {0};
    const cli_option    rows[] = {
           CLI_KEY("--method", "METHOD", "method",
                   "see 'basin list methods'; default: auto, which tries some and keeps the best"),
           CLI_KEY("--preset", "NAME", "preset", "published settings, see 'basin list presets'"),
           CLI_OUT("RUN", &a.folder, "run folder; default runs/NAME"),
           CLI_KEY("--seed", "N", "seed", "same seed, same bits; default 0"),
           CLI_WHOLE("--seeds", "N", &a.seeds, 1000,
                     "train N times with seed, seed + 1, ...; mean and deviation"),
           CLI_SHARED(&a),
           CLI_TIME("--budget", &r.budget,
                    "method auto: time for all that is tried: 90s, 30m; default: about a minute"),
           CLI_KEY("--trials", "N", "auto.trials", "method auto: try N, however long it takes"),
           CLI_KEY("--folds", "K", "folds",
                   "leave out each of K parts in turn: out-of-fold scores, the mean as the model"),
           CLI_KEY("--from", "MODEL", "from",
                   "continue from a model's nets and settings; its labels are kept, "
                      "new ones added"),
           CLI_KEY("--distil", "MODEL", "distil",
                   "teach one plain net what a model knows, such as an ensemble (label sets)"),
           CLI_KEY("--ensemble", "N", "ensemble",
                   "N trainings with other seeds (for each fold), their mean as the model"),
           CLI_KEY("--decide", "HOW", "decide",
                   "threshold, or what has the best expected f1, subset, hamming or jaccard"),
           CLI_KEY("--time-limit", "SECONDS", "time_limit",
                   "end after that, evaluation and report included"),
           CLI_LIST("--set", "KEY=VALUE", a.set, &a.n_set,
                    "any other setting, see 'basin list options'"),
           CLI_FLAG("--resume", &a.resume, "continue the run in -o RUN, possibly with more epochs"),
           CLI_FLAG("--force", &r.force, "replace the finished run in -o RUN"),
           CLI_END};
    return cli_train(verb, argc, argv, rows, &a, "run", "", train, &r);
}

const cli_verb cli_verb_train = {"train", "DATA... [options]",
                                 "train a model on labelled rows, sentences or images", run, true};
