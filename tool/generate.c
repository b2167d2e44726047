/* generate.c -- basin --generate: pages of the manual and completions for shells, made of the
 * tables that --help prints. */
#include <string.h>

#include "base/find.h"
#include "cli.h"
#include "task/options.h"

/* Of pages of the manual; a release changes it. */
#define DATE "2026-11-19"

/* ---- the tables ---- */

typedef struct {
    const cli_verb *verb;
    cli_option      row[MOST_ROWS]; /* those that --help shows */
} verb_rows;

static verb_rows taken;

static void take(const cli_verb *verb, const cli_option *rows)
{
    int n = 0;
    for (; rows->name; rows++)
        if (rows->help)
            taken.row[n++] = *rows;
    taken.row[n] = (cli_option)CLI_END;
    taken.verb = verb;
}

/* The verb and its options, until the next call. */
static const verb_rows *rows_of(const cli_verb *verb)
{
    char name[] = "", help[] = "--help";
    cli_help = take;
    verb->run(verb, 2, (char *[]){name, help, NULL});
    return &taken;
}

/* Options whose values are names that `basin list` shows. */
static const struct {
    const char *option, *kind;
} listed[] = {{"--method", "methods"}, {"--methods", "methods"}, {"--preset", "presets"},
              {"--task", "tasks"},     {"--device", "devices"},  {"--set", "options"}};

enum { LISTED = sizeof listed / sizeof listed[0] };

static const char *kind_of(const char *option)
{
    for (int i = 0; i < LISTED; i++)
        if (strcmp(listed[i].option, option) == 0)
            return listed[i].kind;
    return NULL;
}

static const char *after(const char *kind)
{
    return strcmp(kind, "options") == 0 ? "=" : "";
}

/* The names of a list, each with a blank before it. */
static int print_listed(const char *kind)
{
    basin_text  text;
    basin_error err;
    if (basin_list(kind, &text, &err))
        return cli_fail(&err);
    const char *at = strchr(text.json, '[');
    while (at && (at = strchr(at, '"'))) {
        const int n = (int)strcspn(at + 1, "\"");
        printf(" %.*s%s", n, at + 1, after(kind));
        at += n + 2;
    }
    basin_text_free(&text);
    return DONE;
}

/* What the first argument may be, "inspect|check|..."; the length is 0 if it is a file. */
static int choices(const cli_verb *verb)
{
    const int n = (int)strcspn(verb->usage, " ");
    return memchr(verb->usage, '|', (size_t)n) ? n : 0;
}

static void print_choices(const cli_verb *verb)
{
    const char *end = verb->usage + choices(verb);
    for (const char *at = verb->usage; at < end; at++)
        putchar(*at == '|' ? ' ' : *at);
}

/* Text with a backslash, or what is in `escape`, before the characters in `special`. */
static void print_escaped(const char *text, const char *special, const char *escape)
{
    for (; *text; text++)
        printf("%s%c", strchr(special, *text) ? escape : "", *text);
}

/* ---- pages of the manual ---- */

/* One character; a line must not begin with what would be a request. */
static int roff_char(char c, bool first)
{
    return c == '\\'   ? printf("\\e")
           : c == '-'  ? printf("\\-")
           : c == '\'' ? printf("\\(aq")
                       : printf("%s%c", first && c == '.' ? "\\&" : "", c);
}

static void roff_at(int column, const char *text)
{
    enum { WIDTH = 76 };
    for (const char *at = text; *at; at++) {
        if (*at != ' ') {
            column += roff_char(*at, column == 0);
        } else if (column + 1 + (int)strcspn(at + 1, " ") > WIDTH) {
            printf("\n");
            column = 0;
        } else {
            column += printf(" ");
        }
    }
}

static void roff(const char *text)
{
    roff_at(0, text);
}

static void page_head(const char *name, int section, const char *help)
{
    printf(".\\\" Written by basin --generate man\n.TH ");
    for (const char *c = name; *c; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    printf(" %d %s \"Basin %s\" \"Basin\"\n.SH NAME\n%s \\- ", section, DATE, basin_version(),
           name);
    roff_at((int)strlen(name) + 4, help);
    printf("\n");
}

static void tag(const char *name, const char *alias, const char *value, const char *help)
{
    printf(".TP\n");
    if (alias) {
        printf("\\fB");
        roff(alias);
        printf("\\fR, ");
    }
    printf("\\fB");
    roff(name);
    printf("\\fR");
    if (value && *value) {
        printf(" \\fI");
        roff(value);
        printf("\\fR");
    }
    printf("\n");
    roff(help);
    printf("\n");
}

static void page_of_verb(const cli_verb *verb)
{
    char name[64];
    snprintf(name, sizeof name, "basin-%s", verb->name);
    page_head(name, 1, verb->help);
    printf(".SH SYNOPSIS\n.B basin %s\n", verb->name);
    roff(verb->usage);
    printf("%s.SH OPTIONS\n", *verb->usage ? "\n" : "");
    for (const cli_option *r = rows_of(verb)->row; r->name; r++)
        tag(r->name, r->alias, r->value, r->help);
    printf(".SH SEE ALSO\n.BR basin (1),\n.BR basin-settings (7)\n");
}

static int page_of_settings(void)
{
    bs_option row[BS_SETTINGS_ROWS];
    bs_buf    range;
    bs_buf_init(&range, 4096);
    bs_settings_rows(row);
    page_head("basin-settings", 7, "settings of a training with Basin");
    printf(".SH DESCRIPTION\nEach is given by\n.B \\-\\-set\n.IR KEY=VALUE ,\n"
           "as \"KEY = VALUE\" in the file of\n.B \\-\\-config\n"
           "or, in Python, as a named argument with _ for the dots.\n"
           "Values, and the default in brackets, follow the key.\n"
           "Presets and methods have defaults of their own.\n.SH SETTINGS\n");
    for (int i = 0; row[i].name; i++) {
        bs_option_range(&row[i], &range);
        bs_buf_printf(&range, " [%s]", *row[i].def ? row[i].def : "\"\"");
        tag(row[i].name, NULL, range.failed ? "" : range.data, row[i].help);
    }
    printf(".SH SEE ALSO\n.BR basin (1),\n.BR basin-train (1)\n");
    bs_buf_free(&range);
    return DONE;
}

static void page_of_tool(const cli_verb *const *verbs)
{
    page_head("basin", 1, "structured prediction with energy networks");
    printf(".SH SYNOPSIS\n\\fBbasin\\fR \\fIVERB\\fR ...\n.SH DESCRIPTION\n"
           "Trains models whose outputs depend on each other: sets of labels of rows,\n"
           "tags of words, masks of photos.\n"
           "An energy network gives low energy to outputs that fit the input as a whole;\n"
           "it is used to search for outputs, or as the loss of a net that predicts in one\n"
           "pass.\nThe same seed gives the same bits, on any number of threads.\n"
           ".SH VERBS\n");
    for (int i = 0; verbs[i]; i++) {
        printf(".TP\n.BR basin-%s (1)\n", verbs[i]->name);
        roff(verbs[i]->help);
        printf("\n");
    }
    printf(".SH OPTIONS\n");
    tag("--version", NULL, NULL, "the version");
    tag("--help", "-h", NULL, "the verbs; after a verb its options");
    tag("--generate", NULL, "man [VERB|settings] | bash | zsh | fish",
        "a page of the manual, or the completion for a shell, on standard output");
    printf(".SH EXAMPLES\n.nf\n"
           "basin data make mlc \\-\\-seed 1 \\-o demo.arff\n"
           "basin train demo.arff \\-o runs/demo\n"
           "basin predict runs/demo demo.arff \\-o labels.jsonl\n.fi\n"
           ".SH ENVIRONMENT\n");
    tag("OMP_NUM_THREADS", NULL, NULL, "how many threads there are unless --threads tells");
    tag("BASIN_ISA", NULL, NULL,
        "plain, avx2 or avx512: another instruction set than the best one");
    printf(".SH EXIT STATUS\n"
           "0 after success, 1 after an error, 2 if the call is wrong,\n130 after an interrupt.\n"
           ".SH SEE ALSO\n.BR basin-settings (7)\n");
}

/* ---- completions ---- */

static void all_verbs(const cli_verb *const *verbs)
{
    for (int i = 0; verbs[i]; i++)
        printf("%s ", verbs[i]->name);
}

static int bash(const cli_verb *const *verbs)
{
    int status = DONE;
    printf("# Completion of basin for bash; written by basin --generate bash\n_basin()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local words= options= first=\n    COMPREPLY=()\n"
           "    [[ $cur == '=' ]] && cur=\n"
           "    [[ $prev == '=' ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    case ${COMP_WORDS[1]} in\n    help) first='");
    all_verbs(verbs);
    printf("' ;;\n");
    for (int i = 0; verbs[i]; i++) {
        printf("    %s)\n        first='", verbs[i]->name);
        print_choices(verbs[i]);
        printf("'\n        options='");
        for (const cli_option *r = rows_of(verbs[i])->row; r->name; r++)
            printf("%s%s%s ", r->alias ? r->alias : "", r->alias ? " " : "", r->name);
        printf("' ;;\n");
    }
    printf("    esac\n    case $prev in\n");
    for (int i = 0; i < LISTED && !status; i++) {
        printf("    %s) words='", listed[i].option);
        status = print_listed(listed[i].kind);
        printf("'%s ;;\n", *after(listed[i].kind) ? "; compopt -o nospace 2>/dev/null" : "");
    }
    printf("    *)\n        if ((COMP_CWORD == 1)); then\n            words='");
    all_verbs(verbs);
    printf("help --help --version --generate'\n"
           "        elif [[ $cur == -* ]]; then\n            words=$options\n"
           "        elif ((COMP_CWORD == 2)); then\n            words=$first\n        fi ;;\n"
           "    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
           "complete -o bashdefault -o default -F _basin basin\n");
    return status;
}

/* A description in single quotes and brackets. */
static void zsh_text(const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            print_escaped((char[]){*text, '\0'}, "[]:\\", "\\");
}

static void zsh_option(const char *name, const cli_option *r)
{
    const char *kind = kind_of(r->name);
    /* what may be given again, and what excludes itself under both names */
    printf(" \\\n        '%s", r->list ? "*" : "");
    if (!r->list)
        printf("(%s%s%s)", r->alias ? r->alias : "", r->alias ? " " : "", r->name);
    printf("%s%s[", name, r->value && name[1] == '-' ? "=" : "");
    zsh_text(r->help);
    printf("]");
    if (r->value) {
        printf(":");
        zsh_text(r->value);
        printf(":%s%s", kind ? "_basin_" : "_files", kind ? kind : "");
    }
    printf("'");
}

static int zsh(const cli_verb *const *verbs)
{
    printf("#compdef basin\n# Completion of basin for zsh; written by basin --generate zsh\n");
    for (int i = 0; i < LISTED; i++) {
        if (i > 0 && strcmp(listed[i].kind, listed[i - 1].kind) == 0)
            continue;
        printf("_basin_%s() { compadd \"$@\" %s--", listed[i].kind,
               *after(listed[i].kind) ? "-S '' " : "");
        if (print_listed(listed[i].kind))
            return FAILED;
        printf(" }\n");
    }
    printf("_basin_verbs() {\n    local -a verbs=(\n");
    for (int i = 0; verbs[i]; i++) {
        printf("        '%s:", verbs[i]->name);
        zsh_text(verbs[i]->help);
        printf("'\n");
    }
    printf(
        "        'help:the options of a verb'\n    )\n    _describe verb verbs\n}\n_basin() {\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _arguments '(- *)'{-h,--help}'[the verbs]' '(- *)--version[the version]' \\\n"
        "            '--generate[pages of the manual, completions]:what:(man bash zsh fish)' \\\n"
        "            ':verb:_basin_verbs'\n        return\n    fi\n"
        "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
        "    case $verb in\n    help) _basin_verbs ;;\n");
    for (int i = 0; verbs[i]; i++) {
        printf("    %s)\n        _arguments -s", verbs[i]->name);
        for (const cli_option *r = rows_of(verbs[i])->row; r->name; r++) {
            if (r->alias)
                zsh_option(r->alias, r);
            zsh_option(r->name, r);
        }
        if (choices(verbs[i])) {
            printf(" \\\n        '1:what:(");
            print_choices(verbs[i]);
            printf(")'");
        }
        printf(" \\\n        '*:file:_files' ;;\n");
    }
    printf("    esac\n}\n_basin \"$@\"\n");
    return DONE;
}

static void fish_text(const char *text)
{
    printf(" -d '");
    print_escaped(text, "'\\", "\\");
    printf("'\n");
}

static int fish(const cli_verb *const *verbs)
{
    printf("# Completion of basin for fish; written by basin --generate fish\n"
           "function __basin_at\n    set -l words (commandline -opc)\n"
           "    test (count $words) -eq $argv[1]\n"
           "    and begin\n        test $argv[1] -eq 1\n        or test \"$words[2]\" = $argv[2]\n"
           "    end\nend\n"
           "function __basin_of\n    set -l words (commandline -opc)\n"
           "    test (count $words) -gt 1 -a \"$words[2]\" = $argv[1]\nend\n"
           "complete -c basin -n '__basin_at 1' -l version -d 'the version'\n"
           "complete -c basin -n '__basin_at 1' -s h -l help -d 'the verbs'\n"
           "complete -c basin -n '__basin_at 1' -l generate -x -a 'man bash zsh fish' "
           "-d 'pages of the manual, completions'\n"
           "complete -c basin -n '__basin_at 1' -f -a help -d 'the options of a verb'\n"
           "complete -c basin -n '__basin_at 2 help' -f -a '");
    all_verbs(verbs);
    printf("'\n");
    for (int i = 0; verbs[i]; i++) {
        const char *verb = verbs[i]->name;
        printf("complete -c basin -n '__basin_at 1' -f -a %s", verb);
        fish_text(verbs[i]->help);
        if (choices(verbs[i])) {
            printf("complete -c basin -n '__basin_at 2 %s' -f -a '", verb);
            print_choices(verbs[i]);
            printf("'\n");
        }
        for (const cli_option *r = rows_of(verbs[i])->row; r->name; r++) {
            const char *kind = kind_of(r->name);
            printf("complete -c basin -n '__basin_of %s' -l %s", verb, r->name + 2);
            if (r->alias)
                printf(" -s %s", r->alias + 1);
            if (kind) {
                printf(" -x -a '");
                if (print_listed(kind))
                    return FAILED;
                printf("'");
            } else if (r->value)
                printf(" -r -F");
            fish_text(r->help);
        }
    }
    return DONE;
}

static int man(const cli_verb *const *verbs, const char *page)
{
    int i = -1;
    if (!page)
        page_of_tool(verbs);
    else if (strcmp(page, "settings") == 0)
        return page_of_settings();
    else if ((i = bs_named_index(&(bs_named){BS_NAMED_POINTERS(verbs)}, page)) >= 0)
        page_of_verb(verbs[i]);
    else {
        cli_say("basin --generate man: no page is called '%s': verbs and settings have one", page);
        return MISUSED;
    }
    return DONE;
}

int cli_generate(const cli_verb *const *verbs, int n, char **args)
{
    static const struct {
        const char *name;
        int (*print)(const cli_verb *const *verbs);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    if (n > 0 && n < 3 && strcmp(args[0], "man") == 0)
        return man(verbs, n > 1 ? args[1] : NULL);
    for (size_t i = 0; i < sizeof shells / sizeof shells[0] && n == 1; i++)
        if (strcmp(shells[i].name, args[0]) == 0)
            return shells[i].print(verbs);
    cli_say("basin --generate: say what: man [VERB|settings], bash, zsh or fish");
    return MISUSED;
}
