/* cmd_compare.c -- basin compare. */
#include <string.h>

#include "cli.h"

static int compare(const cli_verb *verb, const cli_training *a, basin_compare_options *o,
                   const char *jobs, basin_config *c)
{
    basin_error err;
    basin_text  text;
    char        folder[512];
    int         status = cli_whole(verb, "--seeds", a->seeds, 1000, &o->seeds);
    if (!status)
        status = cli_whole(verb, "--jobs", jobs, 1024, &o->jobs);
    if (status)
        return status;
    if (!o->methods)
        return cli_misuse(verb, "--methods is needed, as in --methods %s", "M1,M2");
    if (a->resume && !a->folder)
        return cli_misuse(verb,
                          "--resume needs -o FOLDER, the folder of the comparison to continue");
    o->folder = a->folder ? a->folder : cli_free_folder(a, "-compare", folder);
    o->resume = a->resume;
    basin_session session = cli_session(&a->common);
    basin_status  result = basin_compare(c, o, &session, &text, &err);
    if (result && !text.table)
        return cli_fail(&err);
    status = cli_show(&a->common, &text);
    if (!result)
        return status;
    cli_fail(&err); /* some methods failed; the results of the others were shown */
    return FAILED;
}

int cmd_compare(int argc, char **argv)
{
    static cli_training   a; /* large, and used once */
    basin_compare_options o = {0};
    const char           *jobs = NULL;
    const cli_verb       *verb = cli_find("compare");

    const cli_option rows[] = {
        {.name = "--methods",
         .value = "M1,M2,...",
         .text = &o.methods,
         .help = "what is compared, see 'basin list methods'"},
        {.name = "--baseline",
         .value = "METHOD",
         .text = &o.baseline,
         .help = "the one that others are tested against; default: the first"},
        {.name = "--seeds",
         .value = "N",
         .text = &a.seeds,
         .help = "trainings of each method: seed, seed + 1, ...; default 3"},
        {.name = "--folds",
         .value = "K",
         .key = "folds",
         .help = "leave out each of K parts in turn, the same for all methods: out-of-fold scores"},
        {.name = "--metric",
         .value = "NAME",
         .text = &o.metric,
         .help = "the one in the table, see 'basin list metrics'; default: the task's first"},
        {.name = "--preset",
         .value = "NAME",
         .key = "preset",
         .help = "published settings, those of each method for itself"},
        {.name = "--out",
         .alias = "-o",
         .value = "FOLDER",
         .text = &a.folder,
         .help = "runs go to FOLDER/METHOD/seed-N; default runs/NAME-compare"},
        {.name = "--html",
         .value = "FILE",
         .text = &o.html,
         .help = "FOLDER/compare.html once more, here"},
        {.name = "--jobs",
         .value = "N",
         .text = &jobs,
         .help = "trainings at the same time, which share the threads; default 1"},
        {.name = "--seed", .value = "N", .key = "seed", .help = "the first seed; default 0"},
        {.name = "--time-limit",
         .value = "SECONDS",
         .key = "time_limit",
         .help = "stop each training after that"},
        {.name = "--set",
         .value = "KEY=VALUE",
         .list = a.set,
         .n = &a.n_set,
         .help = "any other setting, for all methods, see 'basin list options'"},
        {.name = "--resume",
         .flag = &a.resume,
         .help = "keep the finished runs in -o FOLDER, continue the others"},
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
        status = compare(verb, &a, &o, jobs, c);
    basin_config_free(c);
    return status;
}
