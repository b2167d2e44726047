/* cli.h -- shared by the verbs of the tool, which call basin.h and basin_tool.h. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "basin_tool.h"

enum { DONE = 0, FAILED = 1, MISUSED = 2, INTERRUPTED = 130, MOST_ARGS = 512 };

/* One row per option defines its flag, its help line and its check. */
typedef struct {
    const char  *name;  /* "--valid"; NULL ends the table */
    const char  *value; /* "FILE"; NULL = a switch */
    const char  *help;  /* NULL: only known in order to be refused with a reason */
    const char  *alias; /* "-o" or NULL */
    const char **text;  /* where a value goes; the last one wins */
    int         *whole; /* where a whole number from 1 to most goes */
    int          most;
    double      *time; /* where seconds go: "1800", "90s", "30m", "1.5h" */
    int         *flag; /* a switch: becomes 1 */
    const char **list; /* where values of a repeatable option go, together with n */
    int         *n;
    const char  *key; /* a setting: passed to basin_config_set */
} cli_option;

#define CLI_ROW(name_, help_, ...)                \
    {                                             \
        .name = name_, .help = help_, __VA_ARGS__ \
    }
#define CLI_TEXT(name_, value_, to, help_) CLI_ROW(name_, help_, .value = value_, .text = to)
#define CLI_WHOLE(name_, value_, to, most_, help_) \
    CLI_ROW(name_, help_, .value = value_, .whole = to, .most = most_)
#define CLI_TIME(name_, to, help_) CLI_ROW(name_, help_, .value = "TIME", .time = to)
#define CLI_FLAG(name_, to, help_) CLI_ROW(name_, help_, .flag = to)
#define CLI_LIST(name_, value_, to, n_, help_) \
    CLI_ROW(name_, help_, .value = value_, .list = to, .n = n_)
#define CLI_KEY(name_, value_, key_, help_) CLI_ROW(name_, help_, .value = value_, .key = key_)
#define CLI_OUT(value_, to, help_) \
    CLI_ROW("--out", help_, .alias = "-o", .value = value_, .text = to)
/* Of every verb that computes. */
#define CLI_MACHINE(o)                                                     \
    CLI_WHOLE("--threads", "N", &(o).threads, 1024, "default: all cores"), \
        CLI_TEXT("--device", "NAME", &(o).device, "default: cpu")
/* Of every verb that uses models. */
#define CLI_ENCODER(o)                                                                      \
    CLI_TEXT("--encoder", "DIR", &(o).encoder,                                              \
             "mlc: the encoder of a model stored without it; default: found beside it, by " \
             "its run, or in $BASIN_ENCODERS")
#define CLI_END CLI_ROW(NULL, NULL, .n = NULL)

typedef struct cli_verb {
    const char *name, *usage, *help;
    int (*run)(const struct cli_verb *verb, int argc, char **argv); /* argv[0] is the verb */
    bool table; /* prints a table or, with --json, an object */
} cli_verb;

/* To add one: a file cmd_NAME.c with a const cli_verb and a line in verbs.def. */
#define VERB(name) extern const cli_verb cli_verb_##name;
#include "verbs.def"
#undef VERB

/* Options of every verb. */
typedef struct {
    bool json, quiet, verbose, help;
} cli_common;

/* One call of a verb: what was given, and what comes back. */
typedef struct {
    const cli_verb *verb;
    cli_common      common;
    const char     *args[MOST_ARGS]; /* that are not options */
    int             n;
    int             status; /* to exit with */
    bool            silent; /* another process prints the result */
    basin_session   session;
    basin_text      text;
    basin_error     err;
} cli_call;

/* What --help does with the options of a verb, its own and those of all verbs: prints them, unless
 * generate.c has put a function of its own there. */
extern void (*cli_help)(const cli_verb *verb, const cli_option *rows);

/* Prints a page of the manual or the completion for a shell, made of the tables of all verbs; args
 * are the words after --generate. */
int cli_generate(const cli_verb *const *verbs, int n, char **args);

/* Parses argv, and from then on signals stop the session. Settings go to `config` (may be NULL).
 * False: that was all, with c->status, after a message or --help. */
bool cli_begin(cli_call *c, int argc, char **argv, const cli_option *rows, basin_config *config);
/* The same for verbs that read files for a model: options for that follow the verb's own, and their
 * settings, as "key=value", go to *set. */
enum { CLI_COLUMNS = 4, CLI_SETTING = 1100 };
typedef struct {
    const char *set[MOST_ARGS + CLI_COLUMNS + 1]; /* as given, then those for columns, then NULL */
    const char *column[CLI_COLUMNS];
    char        text[CLI_COLUMNS][CLI_SETTING];
} cli_as_read;
bool cli_begin_as_read(cli_call *c, int argc, char **argv, const cli_option *rows, cli_as_read *a,
                       const char *const **set);

/* Shows what the library returned, table or JSON, or its error; the exit status. */
int cli_end(cli_call *c, basin_status s);
/* Prints table or JSON to stdout; frees the text. */
int cli_show(cli_call *c);

/* Prints "basin: MESSAGE" to stderr; returns the exit status that fits. */
int cli_fail(const basin_error *err);
int cli_misuse(const cli_verb *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line on standard error, free of anything that a terminal would obey. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Whether all output has been written; main asks for every verb that succeeded. */
int cli_flush(void);

/* ---- options that several verbs have ---- */

enum { MOST_ROWS = 64 };

/* How to read data: the task, and the roles of columns. */
extern const cli_option cli_reading[];

/* Whether an argument is this option, perhaps with its value. */
bool cli_matches(const char *arg, const char *name, const char *alias);
/* Joins two tables; at most MOST_ROWS - 1 rows. */
void cli_join(const cli_option *first, const cli_option *second, cli_option out[MOST_ROWS]);

/* The settings given by --set KEY=VALUE. */
int cli_settings(const cli_verb *verb, const char *const *set, int n, basin_config *config);

/* ---- verbs that train (training.c) ---- */

typedef struct {
    cli_call    call; /* its arguments are the training data */
    const char *valid[MOST_ARGS], *test[MOST_ARGS], *unlabelled[MOST_ARGS], *set[MOST_ARGS];
    int         n_valid, n_test, n_unlabelled, n_set;
    const char *folder, *config_file;
    const char *shared; /* the folder, which other processes may use, too */
    int         seeds, resume;
} cli_training;

#define CLI_SHARED(a)                                                                       \
    CLI_TEXT("--shared", "FOLDER", &(a)->shared,                                            \
             "as -o; any number of processes, on all machines that see FOLDER, divide the " \
             "work, and each ends with the whole result")

/* Reads the config file, then argv by the verb's own rows, those shared by all verbs that train
 * (files, epochs, threads, word vectors) and cli_reading, and runs `go` with all of it. what is
 * "run", for messages. The default folder is runs/STEMsuffix, named after the first file, or with
 * -2, -3 ... if that exists. */
typedef int cli_go(cli_training *a, basin_config *c, void *ctx);
int cli_train(const cli_verb *verb, int argc, char **argv, const cli_option *rows, cli_training *a,
              const char *what, const char *suffix, cli_go *go, void *ctx);

#endif
