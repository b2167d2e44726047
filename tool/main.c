/* main.c -- basin VERB ...: finds the verb and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/find.h"
#include "cli.h"

/* To add a verb: a cmd_*.c, its line in cli.h and a row here. */
const cli_verb cli_verbs[] = {
    {"train", "DATA... [options]", "train a model on labelled rows, sentences or images", cmd_train,
     true},
    {"compare", "DATA... --methods M1,M2,... [options]", "train several methods; one table",
     cmd_compare, true},
    {"tune", "DATA... --budget TIME|--trials N [options]", "search for good settings of a method",
     cmd_tune, true},
    {"eval", "MODEL DATA... [options]", "measure a model on labelled data", cmd_eval, true},
    {"predict", "MODEL DATA... [options]", "label new data with a model", cmd_predict, false},
    {"model", "threshold|calibrate MODEL DATA... [options]",
     "change the threshold or the probabilities of a model", cmd_model, true},
    {"report", "RUN... [options]", "one page about a run, or several", cmd_report, true},
    {"explain", "MODEL DATA... [options]", "draw what the energy of a model learned", cmd_explain,
     true},
    {"data", "inspect|check|split|convert|make ... [options]", "inspect, split, convert, generate",
     cmd_data, true},
    {"list", "methods|energies|encoders|tasks|readers|metrics|presets|options|space|generators",
     "names accepted on the command line", cmd_list, true},
    {"doctor", "", "describe this build and this machine", cmd_doctor, true},
    {NULL, NULL, NULL, NULL, false},
};

const cli_verb *cli_find(const char *name)
{
    for (const cli_verb *v = cli_verbs; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

static void usage(FILE *out)
{
    fprintf(out,
            "basin %s: structured prediction with energy networks\n\nusage: basin VERB ...\n\n",
            basin_version());
    for (const cli_verb *v = cli_verbs; v->name; v++)
        fprintf(out, "  %-8s %s\n", v->name, v->help);
    fprintf(out, "\n'basin VERB --help' tells more. Start with: basin data inspect FILE\n");
}

/* A file that we open must not get the number of a closed standard stream, or messages would go
 * into it. Placeholders that cannot be written (read) fail like closed streams. */
static void keep_stream_numbers(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return MISUSED;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("basin %s\n", basin_version());
        return DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (strcmp(name, "help") == 0 && argc == 2)) {
        usage(stdout);
        return DONE;
    }
    if (strcmp(name, "help") == 0) {
        const cli_verb *v = cli_find(argv[2]);
        char           *help[] = {argv[2], (char[]){"--help"}};
        if (v)
            return v->run(v, 2, help);
        name = argv[2];
    }
    const cli_verb *verb = cli_find(name);
    if (!verb) {
        int         i;
        basin_error err;
        bs_find_named(&(bs_named){"basin: no verb", NULL, BS_NAMED_ROWS(cli_verbs)}, name, &i,
                      &err);
        cli_say("%s", err.msg);
        return MISUSED;
    }
    return verb->run(verb, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    keep_stream_numbers();
    const int status = run(argc, argv);
    return status ? status : cli_flush();
}
