/* main.c -- basin VERB ...: finds the verb and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/find.h"
#include "cli.h"

static const cli_verb *const verbs[] = {
#define VERB(name) &cli_verb_##name,
#include "verbs.def"
#undef VERB
    NULL,
};

static const cli_verb *find(const char *name)
{
    const int i = bs_named_index(&(bs_named){BS_NAMED_POINTERS(verbs)}, name);
    return i < 0 ? NULL : verbs[i];
}

static void usage(FILE *out)
{
    fprintf(out,
            "basin %s: structured prediction with energy networks\n\nusage: basin VERB ...\n\n",
            basin_version());
    for (int i = 0; verbs[i]; i++)
        fprintf(out, "  %-8s %s\n", verbs[i]->name, verbs[i]->help);
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
        const cli_verb *v = find(argv[2]);
        char           *help[] = {argv[2], (char[]){"--help"}};
        if (v)
            return v->run(v, 2, help);
        name = argv[2];
    }
    if (strcmp(name, "--generate") == 0)
        return cli_generate(verbs, argc - 2, argv + 2);
    const cli_verb *verb = find(name);
    if (!verb) {
        int         i;
        basin_error err;
        bs_find_named(&(bs_named){"basin: no verb", NULL, BS_NAMED_POINTERS(verbs)}, name, &i,
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
