/* args.c -- options from argv by tables; messages; signals. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "base/find.h"

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
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGINT, SIG_DFL); /* a shell may have started us with it ignored */
    signal(SIGTERM, SIG_DFL);
    if (pthread_create(&thread, NULL, wait_for_signals, &set) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* then they end the process, as usual */
}

basin_session cli_session(const cli_common *common)
{
    catch_signals();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write error */
    return (basin_session){.messages = stderr,
                           .verbosity = common->quiet     ? 1
                                        : common->verbose ? 3
                                                          : 2,
                           .stop = &stop_asked};
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

/* Bytes of the character at p if a terminal would simply show it, else 0. */
static int harmless(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    const int n = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    for (int i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    const bool control = u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && u[1] < 0xa0);
    const bool turns = (u[0] == 0xd8 && u[1] == 0x9c) ||
                       (u[0] == 0xe2 && u[1] == 0x80 && (u[2] == 0x8e || u[2] == 0x8f)) ||
                       (u[0] == 0xe2 && u[1] == 0x80 && u[2] >= 0xa8 && u[2] <= 0xae) ||
                       (u[0] == 0xe2 && u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9);
    return control || turns || u[0] > 0xf4 ? 0 : n;
}

void cli_say(const char *fmt, ...)
{
    char    text[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (const char *p = text; *p;) {
        const int n = harmless(p);
        if (n)
            fwrite(p, 1, (size_t)n, stderr);
        else
            fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)*p);
        p += n ? n : 1;
    }
    fputc('\n', stderr);
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

int cli_show(const cli_common *common, basin_text *text)
{
    const char *what = common->json ? text->json : text->table;
    errno = 0;
    if (what)
        fputs(what, stdout);
    if (common->json)
        fputs("\n", stdout);
    basin_text_free(text);
    return cli_flush();
}

/* ---- tables ---- */

const cli_option cli_reading[] = {
    {.name = "--task",
     .value = "TASK",
     .key = "task",
     .help = "mlc (label sets), tag (sentences) or seg (images); default: by the data"},
    {.name = "--labels",
     .value = "SPEC",
     .key = "data.labels",
     .help = "mlc, label columns: NAMES, PATTERN, FILE, first:N, last:N"},
    {.name = "--xml",
     .value = "FILE",
     .key = "data.xml",
     .help = "mlc: MULAN label file; it overrides what the data says"},
    {.name = "--drop",
     .value = "SPEC",
     .key = "data.drop",
     .help = "mlc: columns to leave out, as in --labels"},
    {.name = "--true",
     .value = "WORDS",
     .key = "data.true",
     .help = "mlc: words that mean yes in the files, such as ja,oui"},
    {.name = "--false",
     .value = "WORDS",
     .key = "data.false",
     .help = "mlc: words that mean no, such as nein,non"},
    {.name = "--word-column",
     .value = "N",
     .key = "text.word_column",
     .help = "tag: column of the words; default: the first, in CoNLL-U the second"},
    {.name = "--tag-column",
     .value = "N|last|NAME",
     .key = "text.tag_column",
     .help = "tag: column of the tags; default: the last, in CoNLL-U the fourth"},
    {.name = "--feature-columns",
     .value = "LIST",
     .key = "text.feature_columns",
     .help = "tag: columns used beside the words: all, none, 2,3 or names; default: all"},
    {.name = "--tag-names",
     .value = "LIST|FILE",
     .key = "text.tag_names",
     .help = "tag: names of tags that are numbers: O,B-PER,...; default: STEM.labels"},
    {.name = NULL},
};

void cli_join(const cli_option *first, const cli_option *second, cli_option out[MOST_ROWS])
{
    int n = 0;
    for (; first->name && n < MOST_ROWS - 1; first++)
        out[n++] = *first;
    for (; second->name && n < MOST_ROWS - 1; second++)
        out[n++] = *second;
    out[n] = (cli_option){.name = NULL};
}

void cli_as_read_rows(const cli_option *own, cli_as_read *a, cli_option out[MOST_ROWS])
{
    const cli_option shared[] = {
        {.name = "--word-column",
         .value = "N",
         .text = &a->column[0],
         .help = "tag: column of the words; default: as trained"},
        {.name = "--tag-column",
         .value = "N|last|NAME",
         .text = &a->column[1],
         .help = "tag: column of the tags; default: as trained"},
        {.name = "--feature-columns",
         .value = "LIST",
         .text = &a->column[2],
         .help = "tag: columns used beside the words, in the order of training: 2,3"},
        {.name = "--tag-names",
         .value = "LIST|FILE",
         .text = &a->column[3],
         .help = "tag: names of tags that are numbers; default: as trained"},
        {.name = "--set",
         .value = "KEY=VALUE",
         .list = a->set,
         .n = &a->n,
         .help = "how files are read: text.format=conll, data.header=yes, mask.suffix=_m, ...; "
                 "how long a search is: gbi.test_steps=N"},
        {.name = NULL},
    };
    cli_join(own, shared, out);
}

int cli_as_read_finish(const cli_verb *verb, cli_as_read *a)
{
    static const char *const key[4] = {"word_column", "tag_column", "feature_columns", "tag_names"};
    static const char *const name[4] = {"--word-column", "--tag-column", "--feature-columns",
                                        "--tag-names"};
    for (int i = 0; i < 4; i++) {
        if (!a->column[i])
            continue;
        int n = snprintf(a->text[i], sizeof a->text[i], "text.%s=%s", key[i], a->column[i]);
        if (n < 0 || (size_t)n >= sizeof a->text[i])
            return cli_misuse(verb, "%s: '%.40s...' is too long", name[i], a->column[i]);
        a->set[a->n++] = a->text[i];
    }
    a->set[a->n] = NULL;
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
    if (verb->table)
        help_row("--json", NULL, NULL, "print one JSON object instead of a table");
    help_row("--quiet", "-q", NULL, "no messages but warnings");
    help_row("--verbose", "-v", NULL, "more messages");
    help_row("--help", "-h", NULL, "this text");
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

static bool matches(const char *arg, const char *name, const char *alias)
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

/* Stores a value where its row says. */
static int apply(const cli_verb *verb, const cli_option *r, const char *value, basin_config *config)
{
    basin_error err;
    if (r->text)
        *r->text = value;
    if (r->flag)
        *r->flag = true;
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

int cli_parse(const cli_verb *verb, int argc, char **argv, const cli_option *rows,
              cli_common *common, basin_config *config, const char **args, int *n_args, bool *stop)
{
    bool only_args = false;
    *n_args = 0;
    *stop = false;
    for (int i = 1; i < argc; i++) {
        char *arg = argv[i];
        if (only_args || arg[0] != '-' || strcmp(arg, "-") == 0) {
            if (*n_args == MOST_ARGS)
                return cli_misuse(verb, "more than %d arguments", MOST_ARGS);
            args[(*n_args)++] = arg;
            continue;
        }
        if (strcmp(arg, "--") == 0) {
            only_args = true;
            continue;
        }
        if (common_option(common, arg))
            continue;
        const cli_option *r = rows;
        while (r->name && !matches(arg, r->name, r->alias))
            r++;
        if (!r->name)
            return unknown(verb, rows, arg);
        char *equals = strchr(arg, '=');
        char *value = r->value ? (equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL) : NULL;
        if (r->value && !value)
            return cli_misuse(verb, "%s needs a value: %s", r->name, r->value);
        if (!r->value && equals)
            return cli_misuse(verb, "%s takes no value", r->name);
        int status = apply(verb, r, value, config);
        if (status)
            return status;
    }
    if (common->help) {
        print_help(verb, rows);
        *stop = true;
    }
    return DONE;
}
