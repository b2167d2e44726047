/* cli.h -- what the verbs of the tool share. They call basin.h and basin_tool.h. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "basin_tool.h"

enum { DONE = 0, FAILED = 1, MISUSED = 2, INTERRUPTED = 130, MOST_ARGS = 512 };

/* One row per option: it makes the flag, the help line and the check. */
typedef struct {
    const char  *name;  /* "--valid"; NULL ends the table */
    const char  *alias; /* "-o" or NULL */
    const char  *value; /* "FILE"; NULL = a switch */
    const char  *help;  /* NULL: known, so that it can be refused with a reason */
    const char **text;  /* where a value goes; the last one wins */
    bool        *flag;  /* where a switch goes */
    const char **list;  /* where values of a repeatable option go, with n */
    int         *n;
    const char  *key; /* a setting: handed to basin_config_set */
} cli_option;

typedef struct {
    const char *name, *usage, *help;
    int (*run)(int argc, char **argv); /* argv[0] is the verb */
    bool table;                        /* or, with --json, an object */
} cli_verb;

extern const cli_verb cli_verbs[];

/* Options every verb has. */
typedef struct {
    bool json, quiet, verbose, help;
} cli_common;

/* Reads argv; what is no option goes to `args`, at most MOST_ARGS. Settings go
 * to `config` (may be NULL). Returns DONE, or the exit status after a message
 * (or after --help was printed, *stop set). */
int cli_parse(const cli_verb *verb, int argc, char **argv, const cli_option *rows,
              cli_common *common, basin_config *config, const char **args, int *n_args, bool *stop);

/* "basin: MESSAGE" to stderr; the exit status that fits. */
/* A line on standard error, in which nothing can be that a terminal obeys. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int  cli_fail(const basin_error *err);
int  cli_misuse(const cli_verb *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints table or JSON to stdout; frees the text. */
int cli_show(const cli_common *common, basin_text *text);
/* Whether all that was printed has arrived; main asks for every verb that ended well. */
int cli_flush(void);

/* Messages to stderr as the common options say; stops on SIGINT and SIGTERM. */
basin_session cli_session(const cli_common *common);

const cli_verb *cli_find(const char *name);

/* ---- options that several verbs have ---- */

enum { MOST_ROWS = 64 };

/* How data is read: the task, and which columns are what. */
extern const cli_option cli_reading[];

/* One table after the other; at most MOST_ROWS - 1 rows. */
void cli_join(const cli_option *first, const cli_option *second, cli_option out[MOST_ROWS]);

/* How a model's files are read, where that is not as it remembers: --set and columns. */
typedef struct {
    const char *set[MOST_ARGS + 5]; /* as given, then those of columns, then NULL */
    int         n;
    /* values of --word-column, --tag-column, --feature-columns, --tag-names */
    const char *column[4];
    char        text[4][1100];
} cli_as_read;

/* The rows of a verb, then those that fill `a`; then, after parsing, what the library is given. */
void cli_as_read_rows(const cli_option *own, cli_as_read *a, cli_option out[MOST_ROWS]);
int  cli_as_read_finish(const cli_verb *verb, cli_as_read *a);

/* ---- verbs that train (training.c) ---- */

typedef struct {
    const char *valid[MOST_ARGS], *test[MOST_ARGS], *unlabelled[MOST_ARGS], *set[MOST_ARGS],
        *data[MOST_ARGS];
    int         n_valid, n_test, n_unlabelled, n_set, n_data;
    const char *folder, *seeds, *config_file;
    bool        resume;
    cli_common  common;
} cli_training;

/* The config file, then argv by the verb's rows, those that all verbs that train share (files,
 * epochs, threads, word vectors) and cli_reading; settings and files go to `c`. Results as of
 * cli_parse. */
int cli_training_parse(const cli_verb *verb, int argc, char **argv, const cli_option *rows,
                       cli_training *a, basin_config *c, bool *stop);

/* runs/STEMsuffix after the first file, or the same with -2, -3 ... when that is taken. */
const char *cli_free_folder(const cli_training *a, const char *suffix, char out[512]);

/* A whole number from 1 to most; *out stays as it is when text is NULL. */
int cli_whole(const cli_verb *verb, const char *name, const char *text, int most, int *out);
/* "1800", "90s", "30m", "1.5h"; NULL leaves *seconds as it is. */
int cli_budget(const cli_verb *verb, const char *text, double *seconds);

int cmd_train(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_data(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif
