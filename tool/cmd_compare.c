/* cmd_compare.c -- basin compare. */
#include "cli.h"

static int compare(cli_training *a, basin_config *c, void *ctx)
{
    basin_compare_options *o = ctx;
    cli_call              *call = &a->call;
    if (!o->methods)
        return cli_misuse(call->verb, "--methods is needed, as in --methods %s", "M1,M2");
    o->folder = a->folder;
    o->seeds = a->seeds;
    o->resume = a->resume;
    o->shared = a->shared != NULL;
    const basin_status s = basin_compare(c, o, &call->session, &call->text, &call->err);
    if (!s || !call->text.table)
        return cli_end(call, s);
    cli_show(call);
    cli_fail(&call->err); /* some methods failed; the results of the others were shown */
    return FAILED;
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    static cli_training   a; /* large, and used once */
    basin_compare_options o = {0};
    const cli_option      rows[] = {
             CLI_TEXT("--methods", "M1,M2,...", &o.methods,
                      "what is compared, see 'basin list methods'; NAME:KEY=VALUE:... has "
                           "settings of its own"),
             CLI_FLAG("--controls", &o.controls,
                      "for each method with an energy: the same without it, without its terms over "
                           "labels, and cross-entropy trained alike"),
             CLI_TEXT("--baseline", "METHOD", &o.baseline,
                      "the one that others are tested against; default: the first"),
             CLI_WHOLE("--seeds", "N", &a.seeds, 1000,
                       "trainings of each method: seed, seed + 1, ...; default 3"),
             CLI_KEY("--folds", "K", "folds",
                     "leave out each of K parts in turn (the same for all): out-of-fold scores"),
             CLI_TEXT("--metric", "NAME", &o.metric,
                      "the one in the table, see 'basin list metrics'; default: the task's first"),
             CLI_KEY("--preset", "NAME", "preset",
                     "published settings, those of each method for itself"),
             CLI_OUT("FOLDER", &a.folder,
                     "runs go to FOLDER/METHOD/seed-N; "
                          "default runs/NAME-compare"),
             CLI_TEXT("--html", "FILE", &o.html, "FOLDER/compare.html once more, here"),
             CLI_WHOLE("--jobs", "N", &o.jobs, 1024,
                       "trainings at the same time, which share the threads; default 1"),
             CLI_SHARED(&a),
             CLI_KEY("--seed", "N", "seed", "the first seed; default 0"),
             CLI_KEY("--decide", "HOW", "decide",
                     "threshold, or what has the best expected f1, subset, hamming or jaccard"),
             CLI_KEY("--time-limit", "SECONDS", "time_limit", "stop each training after that"),
             CLI_LIST("--set", "KEY=VALUE", a.set, &a.n_set,
                      "any other setting, for all methods, see 'basin list options'"),
             CLI_FLAG("--resume", &a.resume,
                      "keep the finished runs in -o FOLDER, "
                           "continue the others"),
             CLI_END};
    return cli_train(verb, argc, argv, rows, &a, "comparison", "-compare", compare, &o);
}

const cli_verb cli_verb_compare = {"compare", "DATA... --methods M1,M2,... [options]",
                                   "train several methods; one table", run, true};
