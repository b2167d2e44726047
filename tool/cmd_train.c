/* cmd_train.c -- basin train. */

#include "cli.h"

static int train(const cli_verb *verb, const cli_training *a, bool force, basin_config *c)
{
    basin_error err;
    basin_text  text;
    char        folder[512];
    int         seeds = 1;
    int         status = cli_whole(verb, "--seeds", a->seeds, 1000, &seeds);
    if (status)
        return status;
    if (a->resume && !a->folder)
        return cli_misuse(verb, "--resume needs -o RUN, the folder of the run to continue");
    if (a->resume && force)
        return cli_misuse(verb, "--resume continues a run, --force starts again: use one of them");
    const bs_train_request o = {.folder = a->folder ? a->folder : cli_free_folder(a, "", folder),
                                .seeds = seeds,
                                .resume = a->resume,
                                .force = force,
                                .report = bs_report_after};
    basin_session          session = cli_session(&a->common);
    if (bs_train_requested(c, &o, &session, &text, &err))
        return cli_fail(&err);
    return cli_show(&a->common, &text);
}

static int set_budget(const cli_verb *verb, const char *text, basin_config *c)
{
    basin_error err;
    double      seconds = 0;
    char        number[32];
    int         status = cli_budget(verb, text, &seconds);
    if (status || !text)
        return status;
    snprintf(number, sizeof number, "%llde-6", (long long)(1e6 * seconds));
    return basin_config_set(c, "auto.budget", number, &err) ? cli_fail(&err) : DONE;
}

int cmd_train(int argc, char **argv)
{
    static cli_training a; /* large, and used once */
    bool                force = false;
    const char         *budget = NULL;
    const cli_verb     *verb = cli_find("train");

    const cli_option rows[] = {
        {.name = "--method",
         .value = "METHOD",
         .key = "method",
         .help = "see 'basin list methods'; default: auto, which tries some and keeps the best"},
        {.name = "--preset",
         .value = "NAME",
         .key = "preset",
         .help = "published settings, see 'basin list presets'"},
        {.name = "--out",
         .alias = "-o",
         .value = "RUN",
         .text = &a.folder,
         .help = "run folder; default runs/NAME"},
        {.name = "--seed", .value = "N", .key = "seed", .help = "same seed, same bits; default 0"},
        {.name = "--seeds",
         .value = "N",
         .text = &a.seeds,
         .help = "train N times with seed, seed + 1, ...; mean and deviation"},
        {.name = "--budget",
         .value = "TIME",
         .text = &budget,
         .help = "method auto: time for all that is tried: 90s, 30m; default: about a minute"},
        {.name = "--trials",
         .value = "N",
         .key = "auto.trials",
         .help = "method auto: try N, however long it takes"},
        {.name = "--folds",
         .value = "K",
         .key = "folds",
         .help = "leave out each of K parts in turn: out-of-fold scores, the mean as the model"},
        {.name = "--from",
         .value = "MODEL",
         .key = "from",
         .help = "continue from a model's nets and settings; its labels are kept, new ones added"},
        {.name = "--ensemble",
         .value = "N",
         .key = "ensemble",
         .help = "N trainings with other seeds (for each fold), their mean as the model"},
        {.name = "--time-limit",
         .value = "SECONDS",
         .key = "time_limit",
         .help = "end after that, evaluation and report included"},
        {.name = "--set",
         .value = "KEY=VALUE",
         .list = a.set,
         .n = &a.n_set,
         .help = "any other setting, see 'basin list options'"},
        {.name = "--resume",
         .flag = &a.resume,
         .help = "continue the run in -o RUN, possibly with more epochs"},
        {.name = "--force", .flag = &force, .help = "replace the finished run in -o RUN"},
        {.name = NULL},
    };
    basin_config *c;
    basin_error   err;
    bool          stop = false;
    if (basin_config_new(&c, &err))
        return cli_fail(&err);
    int status = cli_training_parse(verb, argc, argv, rows, &a, c, &stop);
    if (!status && !stop)
        status = set_budget(verb, budget, c);
    if (!status && !stop)
        status = train(verb, &a, force, c);
    basin_config_free(c);
    return status;
}
