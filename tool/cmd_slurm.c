/* cmd_slurm.c -- basin slurm: a job script for a command that trains.
 *
 * Slurm sends SIGUSR1 some time before the limit, only to the shell of the script (B:), which
 * passes it on. Basin then saves a checkpoint and ends with status 130, and the task asks to be
 * queued again: by the id of its array and its number, since the id of a task alone would mean the
 * whole array. A job that is preempted gets SIGTERM and is queued again by Slurm itself. */
#include <string.h>

#include "cli.h"

typedef struct {
    const char *time, *partition, *memory;
    int         tasks, cpus, before;
} wishes;

static bool has_option(int n, char **word, const char *name, const char *alias)
{
    for (int i = 0; i < n; i++)
        if (cli_matches(word[i], name, alias))
            return true;
    return false;
}

/* What the options of this verb are: everything before the verb of the command. */
static int own_words(int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-')
        i += strchr(argv[i], '=') || strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0
                 ? 1
                 : 2;
    return i < argc ? i : argc;
}

static int check(const cli_verb *verb, const wishes *w, int n, char **word)
{
    static const char *const fit[] = {"train", "compare", "tune"};
    bool                     known = false;
    for (int i = 0; i < 3 && n > 0; i++)
        known |= strcmp(word[0], fit[i]) == 0;
    if (!known)
        return cli_misuse(verb, "give a command that trains: %s", verb->usage);
    if (has_option(n, word, "--shared", NULL))
        return DONE;
    if (!has_option(n, word, "--out", "-o"))
        return cli_misuse(verb, "a job that is queued again must find its folder: %s",
                          "give -o FOLDER or --shared FOLDER");
    if (w->tasks > 1)
        return cli_misuse(verb, "--tasks: %d tasks must divide the work: use --shared FOLDER",
                          w->tasks);
    return DONE;
}

static void print_command(int n, char **word, bool shared)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 20);
    bs_buf_text(&text, "basin");
    for (int i = 0; i < n; i++) {
        bs_buf_text(&text, " ");
        bs_put_word(word[i], &text);
    }
    if (!shared && !has_option(n, word, "--resume", NULL))
        bs_buf_text(&text, " --resume");
    if (!has_option(n, word, "--threads", NULL))
        bs_buf_text(&text, " --threads \"${SLURM_CPUS_PER_TASK:-1}\"");
    if (!text.failed)
        fputs(text.data, stdout);
    bs_buf_free(&text);
}

static void print_script(const wishes *w, int n, char **word, bool shared)
{
    const bool array = shared && w->tasks > 1;
    printf("#!/bin/bash\n#SBATCH --job-name=basin-%s\n", word[0]);
    if (array)
        printf("#SBATCH --array=1-%d\n", w->tasks);
    printf("#SBATCH --nodes=1 --ntasks=1 --cpus-per-task=%d\n", w->cpus);
    if (w->time)
        printf("#SBATCH --time=%s\n", w->time);
    if (w->memory)
        printf("#SBATCH --mem=%s\n", w->memory);
    if (w->partition)
        printf("#SBATCH --partition=%s\n", w->partition);
    printf("#SBATCH --signal=B:USR1@%d\n#SBATCH --requeue\n#SBATCH --open-mode=append\n"
           "#SBATCH --output=%%x-%%j.log\n\n",
           w->before);
    print_command(n, word, shared);
    printf(" &\npid=$!\n"
           "trap 'again=yes; kill -USR1 $pid 2> /dev/null' USR1\n"
           "trap 'again=yes preempted=yes; kill -USR1 $pid 2> /dev/null' TERM\n"
           "again=yes\n"
           "while [ -n \"$again\" ]; do # a signal ends wait, but not basin\n"
           "    again=\n    wait $pid\n    status=$?\ndone\n"
           "if [ $status -eq 130 ] && [ -z \"${preempted:-}\" ]; then # saved; to be continued\n"
           "    scontrol requeue %s\n"
           "fi\nexit $status\n",
           array ? "\"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"" : "\"$SLURM_JOB_ID\"");
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    wishes           w = {.tasks = 0, .cpus = 1, .before = 120};
    cli_call         c = {.verb = verb};
    const int        own = own_words(argc, argv);
    const cli_option rows[] = {
        CLI_WHOLE("--tasks", "N", &w.tasks, 10000,
                  "an array of so many tasks, which divide the work of --shared; default 4"),
        CLI_WHOLE("--cpus", "N", &w.cpus, 1024, "cores of each task; default 1"),
        CLI_TEXT("--time", "LIMIT", &w.time, "as sbatch takes it: 30, 2:00:00, 1-0"),
        CLI_TEXT("--mem", "SIZE", &w.memory, "as sbatch takes it: 8G"),
        CLI_TEXT("--partition", "NAME", &w.partition, "where to run"),
        CLI_WHOLE("--before", "SECONDS", &w.before, 65535,
                  "how long before the limit to save and be queued again; default 120"),
        CLI_END};
    if (!cli_begin(&c, own, argv, rows, NULL))
        return c.status;
    const int n = argc - own;
    char    **word = argv + own;
    const int status = check(verb, &w, n, word);
    if (status)
        return status;
    const bool shared = has_option(n, word, "--shared", NULL);
    w.tasks = w.tasks > 0 ? w.tasks : 4;
    print_script(&w, n, word, shared);
    return cli_flush();
}

const cli_verb cli_verb_slurm = {
    "slurm", "[--tasks N] [--cpus N] [--time LIMIT] train|compare|tune DATA... [options]",
    "print a job script for Slurm that saves before the limit and continues", run, false};
