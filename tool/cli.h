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
    const char  *alias; /* "-o" or NULL */
    const char  *value; /* "FILE"; NULL = a switch */
    const char  *help;  /* NULL: only known in order to be refused with a reason */
    const char **text;  /* where a value goes; the last one wins */
    bool        *flag;  /* where a switch goes */
    const char **list;  /* where values of a repeatable option go, together with n */
    int         *n;
    const char  *key; /* a setting: passed to basin_config_set */
} cli_option;

typedef struct {
    const char *name, *usage, *help;
    int (*run)(int argc, char **argv); /* argv[0] is the verb */
    bool table;                        /* prints a table or, with --json, an object */
} cli_verb;

extern const cli_verb cli_verbs[];

/* Options of every verb. */
typedef struct {
    bool json, quiet, verbose, help;
} cli_common;

/* Parses argv; arguments that are not options go to `args`, at most MOST_ARGS. Settings go to
 * `config` (may be NULL). Returns DONE, or the exit status after a message (or after --help, with
 * *stop set). */
int cli_parse(const cli_verb *verb, int argc, char **argv, const cli_option *rows,
              cli_common *common, basin_config *config, const char **args, int *n_args, bool *stop);

/* Prints "basin: MESSAGE" to stderr; returns the exit status that fits. */
/* A line on standard error, free of anything that a terminal would obey. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int  cli_fail(const basin_error *err);
int  cli_misuse(const cli_verb *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints table or JSON to stdout; frees the text. */
int cli_show(const cli_common *common, basin_text *text);
/* Whether all output has been written; main asks for every verb that succeeded. */
int cli_flush(void);

/* Messages to stderr as the common options say; SIGINT and SIGTERM stop it. */
basin_session cli_session(const cli_common *common);

const cli_verb *cli_find(const char *name);

/* ---- options that several verbs have ---- */

enum { MOST_ROWS = 64 };

/* How to read data: the task, and the roles of columns. */
extern const cli_option cli_reading[];

/* Joins two tables; at most MOST_ROWS - 1 rows. */
void cli_join(const cli_option *first, const cli_option *second, cli_option out[MOST_ROWS]);

/* Overrides for reading a model's files: --set and column options. */
typedef struct {
    const char *set[MOST_ARGS + 5]; /* as given, then those for columns, then NULL */
    int         n;
    /* values of --word-column, --tag-column, --feature-columns, --tag-names */
    const char *column[4];
    char        text[4][1100];
} cli_as_read;

/* Rows of a verb followed by those that fill `a`; then, after parsing, the list for the library. */
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

/* Reads the config file, then argv by the verb's own rows, those shared by all verbs that train
 * (files, epochs, threads, word vectors) and cli_reading; settings and files go to `c`. Returns as
 * cli_parse. */
int cli_training_parse(const cli_verb *verb, int argc, char **argv, const cli_option *rows,
                       cli_training *a, basin_config *c, bool *stop);

/* runs/STEMsuffix named after the first file, or with -2, -3 ... if that exists. */
const char *cli_free_folder(const cli_training *a, const char *suffix, char out[512]);

/* A whole number from 1 to most; *out is unchanged if text is NULL. */
int cli_whole(const cli_verb *verb, const char *name, const char *text, int most, int *out);
/* "1800", "90s", "30m", "1.5h"; NULL leaves *seconds unchanged. */
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
