/* args.c -- options from argv by tables; messages; signals. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "base/find.h"
#include "base/visible.h"

static int stop_asked;

/* One thread waits for signals while all others block them: a thread that is training can only run
 * a handler between steps, and the second signal must end the program in the middle of one. */
static void *wait_for_signals(void *arg)
{
    const struct timespec moment = {.tv_nsec = 200000000}, none = {0};
    sigset_t             *set = arg;
    int                   number;
    if (sigwait(set, &number) == 0)
        __atomic_store_n(&stop_asked, 1, __ATOMIC_RELAXED);
    nanosleep(&moment, NULL); /* a signal sent to a process and to its group counts once */
    while (sigtimedwait(set, NULL, &none) > 0)
        ;
    if (sigwait(set, &number) == 0) { /* the second one ends the program at once */
        pthread_sigmask(SIG_UNBLOCK, set, NULL);
        raise(number);
    }
    return NULL;
}

static void catch_signals(void)
{
    static sigset_t set; /* for as long as the thread lives */
    pthread_t       thread;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1); /* batch systems send it some time before the end */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGINT, SIG_DFL); /* a shell may have started us with it ignored */
    signal(SIGTERM, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
    if (pthread_create(&thread, NULL, wait_for_signals, &set) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* then they end the process, as usual */
}

int cli_fail(const basin_error *err)
{
    cli_say("basin: %s", err->msg);
    switch (err->status) {
    case BASIN_EARG: return MISUSED;
    case BASIN_EINTERRUPTED: return INTERRUPTED;
    default: return FAILED;
    }
}

void cli_say(const char *fmt, ...)
{
    char    text[2048];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    bs_line_visible(text, sizeof text, n);
    fprintf(stderr, "%s\n", text);
}

int cli_misuse(const cli_verb *verb, const char *fmt, ...)
{
    char    text[1900];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cli_say("basin %s: %s; see 'basin %s --help'", verb->name, text, verb->name);
    return MISUSED;
}

int cli_flush(void)
{
    if (!ferror(stdout))
        errno = 0; /* otherwise it tells why */
    if (fflush(stdout) == 0 && !ferror(stdout))
        return DONE;
    fprintf(stderr, "basin: standard output: results cannot be written%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return FAILED;
}

int cli_show(cli_call *c)
{
    const char *what = c->common.json ? c->text.json : c->text.table;
    errno = 0;
    if (what && !c->silent)
        fputs(what, stdout);
    if (c->common.json && !c->silent)
        fputs("\n", stdout);
    basin_text_free(&c->text);
    return cli_flush();
}

int cli_end(cli_call *c, basin_status s)
{
    return s ? cli_fail(&c->err) : cli_show(c);
}

/* ---- tables ---- */

const cli_option cli_reading[] = {
    CLI_KEY("--task", "TASK", "task",
            "mlc (label sets), tag (sentences), roles or seg (images); default: by the data"),
    CLI_KEY("--labels", "SPEC", "data.labels",
            "mlc, label columns: NAMES, PATTERN, FILE, first:N, last:N"),
    CLI_KEY("--xml", "FILE", "data.xml", "mlc: MULAN label file; it overrides what the data says"),
    CLI_KEY("--drop", "SPEC", "data.drop", "mlc: columns to leave out, as in --labels"),
    CLI_KEY("--text-column", "NAMES", "data.text_column",
            "mlc: columns that are the text of rows; default: the one that looks most like it"),
    CLI_KEY("--label-names", "FILE", "data.label_names",
            "mlc: names of labels that are numbers, one per line, from 0"),
    CLI_KEY("--true", "WORDS", "data.true",
            "mlc: words that mean yes in the files, such as ja,oui"),
    CLI_KEY("--false", "WORDS", "data.false", "mlc: words that mean no, such as nein,non"),
    CLI_KEY("--word-column", "N", "text.word_column",
            "tag: column of the words; default: the first, in CoNLL-U the second"),
    CLI_KEY("--tag-column", "N|last|NAME", "text.tag_column",
            "tag: column of the tags; default: the last, in CoNLL-U the fourth"),
    CLI_KEY("--feature-columns", "LIST", "text.feature_columns",
            "tag: columns used beside the words: all, none, 2,3 or names; default: all"),
    CLI_KEY("--tag-names", "LIST|FILE", "text.tag_names",
            "tag: names of tags that are numbers: O,B-PER,...; default: STEM.labels"),
    CLI_END,
};

void cli_join(const cli_option *first, const cli_option *second, cli_option out[MOST_ROWS])
{
    int n = 0;
    for (; first->name && n < MOST_ROWS - 1; first++)
        out[n++] = *first;
    for (; second->name && n < MOST_ROWS - 1; second++)
        out[n++] = *second;
    out[n] = (cli_option)CLI_END;
}

bool cli_begin_as_read(cli_call *c, int argc, char **argv, const cli_option *rows, cli_as_read *a,
                       const char *const **set)
{
    static const char *const key[CLI_COLUMNS] = {"word_column", "tag_column", "feature_columns",
                                                 "tag_names"};
    int                      n = 0;
    const cli_option         shared[] = {
                CLI_TEXT("--word-column", "N", &a->column[0],
                         "tag: column of the words; default: as trained"),
                CLI_TEXT("--tag-column", "N|last|NAME", &a->column[1],
                         "tag: column of the tags; default: as trained"),
                CLI_TEXT("--feature-columns", "LIST", &a->column[2],
                         "tag: columns used beside the words, in the order of training: 2,3"),
                CLI_TEXT("--tag-names", "LIST|FILE", &a->column[3],
                         "tag: names of tags that are numbers; default: as trained"),
                CLI_LIST("--set", "KEY=VALUE", a->set, &n,
                         "how files are read: text.format=conll, data.header=yes, mask.suffix=_m, "
                                 "...; how "
                                 "long a search is: gbi.test_steps=N"),
                CLI_END};
    cli_option all[MOST_ROWS];
    memset(a, 0, sizeof *a);
    cli_join(rows, shared, all);
    if (!cli_begin(c, argc, argv, all, NULL))
        return false;
    for (int i = 0; i < CLI_COLUMNS; i++) {
        if (!a->column[i])
            continue;
        const int used = snprintf(a->text[i], CLI_SETTING, "text.%s=%s", key[i], a->column[i]);
        if (used < 0 || used >= CLI_SETTING) {
            c->status =
                cli_misuse(c->verb, "%s: '%.40s...' is too long", shared[i].name, a->column[i]);
            return false;
        }
        a->set[n++] = a->text[i];
    }
    *set = a->set;
    return true;
}

int cli_settings(const cli_verb *verb, const char *const *set, int n, basin_config *config)
{
    basin_error err;
    for (int i = 0; i < n; i++) {
        char        key[128];
        const char *equals = strchr(set[i], '=');
        size_t      used = equals ? (size_t)(equals - set[i]) : 0;
        if (used == 0 || used >= sizeof key)
            return cli_misuse(verb, "--set: '%s' is not KEY=VALUE", set[i]);
        memcpy(key, set[i], used);
        key[used] = '\0';
        if (basin_config_set(config, key, equals + 1, &err))
            return cli_fail(&err);
    }
    return DONE;
}

/* ---- help ---- */

static void help_row(const char *name, const char *alias, const char *value, const char *help)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s%s%s", alias ? alias : "", alias && name ? ", " : "",
             name ? name : "", value ? " " : "", value ? value : "");
    printf("  %-26s %s\n", left, help);
}

static void print_help(const cli_verb *verb, const cli_option *rows)
{
    printf("usage: basin %s %s\n\n%s\n\n", verb->name, verb->usage, verb->help);
    for (const cli_option *r = rows; r->name; r++)
        if (r->help)
            help_row(r->name, r->alias, r->value, r->help);
}

void (*cli_help)(const cli_verb *verb, const cli_option *rows) = print_help;

/* Of every verb; the first only where there is a table. common_option() knows them. */
static const cli_option everywhere[] = {
    {.name = "--json", .help = "print one JSON object instead of a table"},
    {.name = "--quiet", .alias = "-q", .help = "no messages but warnings"},
    {.name = "--verbose", .alias = "-v", .help = "more messages"},
    {.name = "--help", .alias = "-h", .help = "this text"},
    CLI_END,
};

static void help(const cli_verb *verb, const cli_option *rows)
{
    cli_option all[MOST_ROWS];
    cli_join(rows, everywhere + !verb->table, all);
    cli_help(verb, all);
}

/* ---- parsing ---- */

static int unknown(const cli_verb *verb, const cli_option *rows, const char *given)
{
    bs_near near = bs_near_to(given + strspn(given, "-"));
    for (const cli_option *r = rows; r->name; r++)
        bs_near_try(&near, r->name + strspn(r->name, "-"));
    if (near.best)
        return cli_misuse(verb, "unknown option '%s'; did you mean '--%s'?", given, near.best);
    return cli_misuse(verb, "unknown option '%s'", given);
}

bool cli_matches(const char *arg, const char *name, const char *alias)
{
    size_t n = strlen(name);
    return (strncmp(arg, name, n) == 0 && (arg[n] == '\0' || arg[n] == '=')) ||
           (alias && strcmp(arg, alias) == 0);
}

static bool common_option(cli_common *c, const char *arg)
{
    if (strcmp(arg, "--json") == 0)
        c->json = true;
    else if (strcmp(arg, "-q") == 0 || strcmp(arg, "--quiet") == 0)
        c->quiet = true;
    else if (strcmp(arg, "-v") == 0 || strcmp(arg, "--verbose") == 0)
        c->verbose = true;
    else if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0)
        c->help = true;
    else
        return false;
    return true;
}

static int set_time(const cli_verb *verb, const cli_option *r, const char *text)
{
    static const struct {
        const char *name;
        double      seconds;
    } unit[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
    char         number[32];
    double       n;
    const size_t digits = strspn(text, "0123456789.");
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    if (digits < sizeof number && bs_parse_double(number, &n))
        for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
            if (strcmp(text + digits, unit[i].name) == 0)
                *r->time = n * unit[i].seconds;
    if (*r->time > 0 && *r->time < 1e9)
        return DONE;
    return cli_misuse(verb, "%s: '%s' is not a time such as 1800, 90s, 30m or 2h", r->name, text);
}

static int set_whole(const cli_verb *verb, const cli_option *r, const char *text)
{
    char      *end = NULL;
    const long n = strtol(text, &end, 10);
    if (*text == '\0' || *end || n < 1 || n > r->most)
        return cli_misuse(verb, "%s: '%s' is not a whole number from 1 to %d", r->name, text,
                          r->most);
    *r->whole = (int)n;
    return DONE;
}

/* Stores a value where its row says. */
static int apply(const cli_verb *verb, const cli_option *r, const char *value, basin_config *config)
{
    basin_error err;
    if (r->text)
        *r->text = value;
    if (r->flag)
        *r->flag = 1;
    if (r->whole)
        return set_whole(verb, r, value);
    if (r->time)
        return set_time(verb, r, value);
    if (r->list) {
        if (*r->n == MOST_ARGS)
            return cli_misuse(verb, "%s is given more than %d times", r->name, MOST_ARGS);
        r->list[(*r->n)++] = value;
    }
    if (r->key && basin_config_set(config, r->key, value, &err)) {
        /* the message names --set KEY; the user wrote the option */
        char   prefix[160];
        size_t n = (size_t)snprintf(prefix, sizeof prefix, "--set: %s", r->key);
        bool   same = n < sizeof prefix && strncmp(err.msg, prefix, n) == 0;
        cli_say("basin: %s%s%s", r->name, same ? "" : ": ", err.msg + (same ? n : 0));
        return err.status == BASIN_EARG ? MISUSED : FAILED;
    }
    return DONE;
}

/* The option in argv[*i], with its value, which may be the next one. */
static int take_option(cli_call *c, int argc, char **argv, int *i, const cli_option *rows,
                       basin_config *config)
{
    char             *arg = argv[*i], *equals = strchr(arg, '=');
    const cli_option *r = rows;
    if (common_option(&c->common, arg))
        return DONE;
    while (r->name && !cli_matches(arg, r->name, r->alias))
        r++;
    if (!r->name)
        return unknown(c->verb, rows, arg);
    char *value = r->value ? (equals ? equals + 1 : *i + 1 < argc ? argv[++*i] : NULL) : NULL;
    if (r->value && !value)
        return cli_misuse(c->verb, "%s needs a value: %s", r->name, r->value);
    if (!r->value && equals)
        return cli_misuse(c->verb, "%s takes no value", r->name);
    return apply(c->verb, r, value, config);
}

bool cli_begin(cli_call *c, int argc, char **argv, const cli_option *rows, basin_config *config)
{
    bool only_args = false;
    c->n = 0;
    c->status = DONE;
    for (int i = 1; i < argc && !c->status; i++) {
        char *arg = argv[i];
        if (!only_args && strcmp(arg, "--") == 0)
            only_args = true;
        else if (!only_args && arg[0] == '-' && arg[1])
            c->status = take_option(c, argc, argv, &i, rows, config);
        else if (c->n == MOST_ARGS)
            c->status = cli_misuse(c->verb, "more than %d arguments", MOST_ARGS);
        else
            c->args[c->n++] = arg;
    }
    if (!c->status && c->common.help)
        help(c->verb, rows);
    if (c->status || c->common.help)
        return false;
    catch_signals();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write error */
    c->session = BASIN_OPTIONS(basin_session, .messages = stderr,
                               .verbosity = c->common.quiet ? 1 : 2 + c->common.verbose,
                               .stop = &stop_asked);
    return true;
}
