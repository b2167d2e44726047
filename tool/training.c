/* training.c -- shared by the verbs that train: files, settings, the run folder. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static const char *free_folder(const cli_training *a, const char *suffix, char out[512])
{
    struct stat st;
    const char *data = a->call.n ? a->call.args[0] : a->config_file;
    const char *base = strrchr(data, '/');
    base = base ? base + 1 : data;
    int stem = (int)strcspn(base, ".");
    if (stem == 0 || strcmp(data, "-") == 0)
        base = "stdin", stem = 5;
    stem = stem > 200 ? 200 : stem;
    snprintf(out, 512, "runs/%.*s%s", stem, base, suffix);
    for (int i = 2; stat(out, &st) == 0 && i < 10000; i++)
        snprintf(out, 512, "runs/%.*s%s-%d", stem, base, suffix, i);
    return out;
}

/* A config file comes before everything on the command line. */
static int read_config(int argc, char **argv, basin_config *c)
{
    basin_error err;
    for (int i = 1; i < argc; i++) {
        const char *path = NULL;
        if (strncmp(argv[i], "--config=", 9) == 0)
            path = argv[i] + 9;
        else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
            path = argv[++i];
        if (path && basin_config_read(c, path, &err))
            return cli_fail(&err);
    }
    return DONE;
}

static int add_files(basin_config *c, const char *role, const char *const *files, int n)
{
    basin_error err;
    for (int i = 0; i < n; i++)
        if (basin_config_file(c, role, files[i], &err))
            return cli_fail(&err);
    return DONE;
}

/* The rows of a verb, then those of every verb that trains, then those about reading. */
static void join_rows(const cli_verb *verb, const cli_option *own, cli_training *a,
                      cli_option out[MOST_ROWS])
{
    const bool       tests = verb != &cli_verb_tune;
    const cli_option shared[] = {
        CLI_LIST("--valid", "FILE", a->valid, &a->n_valid,
                 "validation data; else a share of DATA is split off"),
        CLI_LIST("--test", "FILE", a->test, &a->n_test,
                 tests ? "test data; else, with --method and without --valid, a share of DATA"
                       : NULL),
        CLI_LIST("--unlabelled", "FILE", a->unlabelled, &a->n_unlabelled,
                 "tag: sentences without tags, for --rules"),
        CLI_KEY("--rules", "FILE", "rules.file",
                "tag: rules that say which tags are likely in them"),
        CLI_KEY("--epochs", "N", "epochs", "maximum number of epochs"),
        CLI_KEY("--weights", "WHAT", "weights",
                "balanced: rare labels, tags, classes count more; NAME=W,...: as given"),
        CLI_KEY("--threads", "N", "threads", "default: all cores; never changes results"),
        CLI_KEY("--device", "NAME", "device",
                "where programs run; default: cpu, the only one there is"),
        CLI_KEY("--embeddings", "FILE", "words.vectors",
                "tag: word vectors to start from (GloVe or word2vec text)"),
        CLI_KEY("--encoder", "DIR", "encoder",
                "mlc: a pretrained encoder that reads the texts of rows"),
        CLI_TEXT("--config", "FILE", &a->config_file, "settings from a file, as in RUN/config"),
        CLI_END};
    cli_option both[MOST_ROWS];
    cli_join(shared, cli_reading, both);
    cli_join(own, both, out);
}

/* A resumed run already knows its data. */
static int read_own_config(const cli_training *a, basin_config *c)
{
    char        path[4096];
    basin_error err;
    snprintf(path, sizeof path, "%s/config", a->folder ? a->folder : "");
    struct stat st;
    if (!a->resume || !a->folder || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return cli_misuse(a->call.verb, "no data given");
    return basin_config_read(c, path, &err) ? cli_fail(&err) : DONE;
}

static int parse(cli_training *a, const char *what, int argc, char **argv, const cli_option *rows,
                 basin_config *c)
{
    cli_option all[MOST_ROWS];
    int        status = read_config(argc, argv, c);
    join_rows(a->call.verb, rows, a, all);
    if (!status && !cli_begin(&a->call, argc, argv, all, c))
        return a->call.status;
    if (!status && a->call.n == 0 && !a->config_file)
        status = read_own_config(a, c);
    if (!status)
        status = cli_settings(a->call.verb, a->set, a->n_set, c);
    if (!status)
        status = add_files(c, "train", a->call.args, a->call.n);
    if (!status)
        status = add_files(c, "valid", a->valid, a->n_valid);
    if (!status)
        status = add_files(c, "test", a->test, a->n_test);
    if (!status)
        status = add_files(c, "unlabelled", a->unlabelled, a->n_unlabelled);
    if (!status && a->shared && (a->folder || a->resume))
        status = cli_misuse(a->call.verb, "--shared FOLDER takes the place of %s",
                            a->folder ? "-o" : "--resume: it always continues");
    a->folder = a->shared ? a->shared : a->folder;
    if (!status && a->resume && !a->folder)
        status = cli_misuse(a->call.verb, "--resume needs -o %s, the folder of the %s to continue",
                            *what == 'r' ? "RUN" : "FOLDER", what);
    return status;
}

/* ---- under mpirun ---- */

/* What OpenMPI and MPICH tell the processes that they start; 0 if it is not there. */
static int told(const char *openmpi, const char *mpich)
{
    const char *text = getenv(openmpi) ? getenv(openmpi) : getenv(mpich);
    char       *end;
    const long  n = text ? strtol(text, &end, 10) : 0;
    return text && *text && !*end && n > 0 && n < 1000000 ? (int)n : 0;
}

/* Several ranks divide trainings by the folder, as with --shared; the first one speaks. */
static int join_ranks(cli_training *a)
{
    const int ranks = told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
    const int rank = told("OMPI_COMM_WORLD_RANK", "PMI_RANK");
    if (ranks < 2)
        return DONE;
    a->call.silent = rank > 0;
    if (rank > 0 && a->call.session.verbosity > 1)
        a->call.session.verbosity = 1;
    if (a->call.verb == &cli_verb_train && a->seeds < 2)
        return rank > 0 ? MISUSED
                        : cli_misuse(a->call.verb,
                                     "%d processes of mpirun divide several "
                                     "trainings (--seeds), not one",
                                     ranks);
    if (!a->folder)
        return rank > 0 ? MISUSED
                        : cli_misuse(a->call.verb, "the processes of mpirun need one folder: %s",
                                     "give -o FOLDER or --shared FOLDER");
    a->shared = a->folder;
    a->resume = 0;
    return DONE;
}

int cli_train(const cli_verb *verb, int argc, char **argv, const cli_option *rows, cli_training *a,
              const char *what, const char *suffix, cli_go *go, void *ctx)
{
    basin_config *c;
    char          folder[512];
    a->call.verb = verb;
    if (basin_config_new(&c, &a->call.err))
        return cli_fail(&a->call.err);
    int status = parse(a, what, argc, argv, rows, c);
    if (!status && !a->call.common.help)
        status = join_ranks(a);
    if (!status && !a->call.common.help) {
        a->folder = a->folder ? a->folder : free_folder(a, suffix, folder);
        status = go(a, c, ctx);
    }
    basin_config_free(c);
    return status;
}
