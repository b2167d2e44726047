/* cmd_tune.c -- basin tune. */
#include "cli.h"

static int tune(cli_training *a, basin_config *c, void *ctx)
{
    basin_tune_options *o = ctx;
    cli_call           *call = &a->call;
    if (o->budget <= 0 && o->trials <= 0)
        return cli_misuse(call->verb, "say how long to search: --budget %s or --trials %s", "30m",
                          "40");
    o->folder = a->folder;
    o->resume = a->resume;
    o->shared = a->shared != NULL;
    return cli_end(call, basin_tune(c, o, &call->session, &call->text, &call->err));
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    static cli_training a; /* large, and used once */
    static const char  *space[MOST_ARGS];
    basin_tune_options  o = {.space = space};
    const cli_option    rows[] = {
           CLI_KEY("--method", "METHOD", "method", "what is tuned, see 'basin list methods'"),
           CLI_TIME("--budget", &o.budget, "how long: seconds, or 90s, 30m, 2h"),
           CLI_WHOLE("--trials", "N", &o.trials, 10000,
                     "how many settings are tried; alone, it can be repeated exactly"),
           CLI_LIST("--space", "KEY[=RANGE]", space, &o.n_space,
                    "searched, too, or in another range: LO..HI[:log|:linear], x10, A|B|C"),
           CLI_LIST("--set", "KEY=VALUE", a.set, &a.n_set,
                    "a setting that is not searched, see 'basin list options'"),
           CLI_KEY("--preset", "NAME", "preset",
                   "settings to start from, "
                      "see 'basin list presets'"),
           CLI_KEY("--metric", "NAME", "early_stop.metric",
                   "what counts, see 'basin list metrics'; default: the task's first"),
           CLI_OUT("FOLDER", &a.folder,
                   "for best.config, the page and the trials; default runs/NAME-tune"),
           CLI_WHOLE("--jobs", "N", &o.jobs, 1024,
                     "trainings at a time; default 1, without --trials a thread each, up to 4"),
           CLI_WHOLE("--round", "N", &o.round, 10000,
                     "decide N trials at a time: the same result for any --jobs and processes"),
           CLI_SHARED(&a),
           CLI_KEY("--seed", "N", "seed", "of every training and of the search; default 0"),
           CLI_KEY("--time-limit", "SECONDS", "time_limit", "stop each training after that"),
           CLI_FLAG("--resume", &a.resume,
                    "continue the search in -o FOLDER, possibly with more time or trials"),
           CLI_END};
    return cli_train(verb, argc, argv, rows, &a, "search", "-tune", tune, &o);
}

const cli_verb cli_verb_tune = {"tune", "DATA... --budget TIME|--trials N [options]",
                                "search for good settings of a method", run, true};
