/* cmd_tune.c -- basin tune. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int tune(const cli_verb *verb, const cli_training *a, basin_tune_options *o,
                const char *budget, const char *trials, const char *jobs, basin_config *c)
{
    basin_error err;
    basin_text  text;
    char        folder[512];
    int         status = cli_budget(verb, budget, &o->budget);
    if (!status)
        status = cli_whole(verb, "--trials", trials, 10000, &o->trials);
    if (!status)
        status = cli_whole(verb, "--jobs", jobs, 1024, &o->jobs);
    if (status)
        return status;
    if (!budget && !trials)
        return cli_misuse(verb, "say how long to search: --budget %s or --trials %s", "30m", "40");
    if (a->resume && !a->folder)
        return cli_misuse(verb, "--resume needs -o FOLDER, the folder of the search to continue");
    o->folder = a->folder ? a->folder : cli_free_folder(a, "-tune", folder);
    o->resume = a->resume;
    basin_session session = cli_session(&a->common);
    if (basin_tune(c, o, &session, &text, &err))
        return cli_fail(&err);
    return cli_show(&a->common, &text);
}

int cmd_tune(int argc, char **argv)
{
    static cli_training a; /* large, and used once */
    static const char  *space[MOST_ARGS];
    basin_tune_options  o = {.space = space};
    const char         *budget = NULL, *trials = NULL, *jobs = NULL;
    const cli_verb     *verb = cli_find("tune");

    const cli_option rows[] = {
        {.name = "--method",
         .value = "METHOD",
         .key = "method",
         .help = "what is tuned, see 'basin list methods'"},
        {.name = "--budget",
         .value = "TIME",
         .text = &budget,
         .help = "how long: seconds, or 90s, 30m, 2h"},
        {.name = "--trials",
         .value = "N",
         .text = &trials,
         .help = "how many settings are tried; alone, it can be repeated exactly"},
        {.name = "--space",
         .value = "KEY[=RANGE]",
         .list = space,
         .n = &o.n_space,
         .help = "searched, too, or in another range: LO..HI[:log|:linear], x10, A|B|C"},
        {.name = "--set",
         .value = "KEY=VALUE",
         .list = a.set,
         .n = &a.n_set,
         .help = "a setting that is not searched, see 'basin list options'"},
        {.name = "--preset",
         .value = "NAME",
         .key = "preset",
         .help = "settings to start from, see 'basin list presets'"},
        {.name = "--metric",
         .value = "NAME",
         .key = "early_stop.metric",
         .help = "what counts, see 'basin list metrics'; default: the task's first"},
        {.name = "--out",
         .alias = "-o",
         .value = "FOLDER",
         .text = &a.folder,
         .help = "for best.config, the page and the trials; default runs/NAME-tune"},
        {.name = "--jobs",
         .value = "N",
         .text = &jobs,
         .help = "trainings at a time; default 1, without --trials a thread each, up to 4"},
        {.name = "--seed",
         .value = "N",
         .key = "seed",
         .help = "of every training and of the search; default 0"},
        {.name = "--time-limit",
         .value = "SECONDS",
         .key = "time_limit",
         .help = "stop each training after that"},
        {.name = "--resume",
         .flag = &a.resume,
         .help = "continue the search in -o FOLDER, possibly with more time or trials"},
        {.name = NULL},
    };
    basin_config *c;
    basin_error   err;
    bool          stop = false;
    memset(&a, 0, sizeof a);
    if (basin_config_new(&c, &err))
        return cli_fail(&err);
    int status = cli_training_parse(verb, argc, argv, rows, &a, c, &stop);
    if (!status && !stop)
        status = tune(verb, &a, &o, budget, trials, jobs, c);
    basin_config_free(c);
    return status;
}
