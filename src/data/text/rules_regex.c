/* rules_regex.c -- regular expressions that are cheap to compile.
 *
 * The C library copies x for x+ as for x{2}, and nested repetitions multiply: c followed by 24 +
 * takes 4 GiB. It also lists everything reachable without reading a byte, so (^|b)* thirty times
 * takes minutes. Whatever is refused here can be written more simply. */
#include <string.h>

#include "data/scan.h"
#include "data/text/rules_part.h"

/* What a repetition would repeat. */
typedef struct {
    int64_t size;  /* in atoms, once copied */
    int64_t loose; /* branches of groups in it that may be empty */
    bool    empty; /* it may be empty itself */
} item;

/* An open group, or the whole. */
typedef struct {
    item sum;    /* of its closed items; empty: one of its closed branches may be */
    bool branch; /* all items of this branch so far may be empty */
    item last;   /* still open, since a repetition may follow; no atoms: none */
} group;

/* The end of the bracket expression that starts at p, by POSIX: a leading ] is a member, and so is
 * anything within [: :], [. .] and [= =]. */
static const char *after_bracket(const char *p)
{
    p += p[1] == '^' ? 2 : 1;
    p += *p == ']';
    for (; *p && *p != ']'; p++)
        if (p[0] == '[' && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
            const char close[3] = {p[1], ']', '\0'}, *end = strstr(p + 2, close);
            if (!end)
                return p + strlen(p);
            p = end + 1;
        }
    return *p ? p + 1 : p;
}

/* The end of the atom at p: a bracket expression, an escaped byte or any other. */
static const char *after_atom(const char *p)
{
    return *p == '[' ? after_bracket(p) : p[0] == '\\' && p[1] ? p + 2 : p + 1;
}

static bool is_anchor(const char *p)
{
    return *p == '^' || *p == '$' || (p[0] == '\\' && p[1] && strchr("bB<>`'", p[1]));
}

/* The end of the repetition at p: maximum copies, at least 1, and whether zero are allowed. */
static const char *repetition(const char *p, int64_t *copies, bool *none)
{
    int64_t value;
    *copies = *p == '+' ? 2 : 1;
    *none = *p == '*' || *p == '?';
    if (*p++ != '{')
        return p;
    const char *first = bs_scan_index(p, &value);
    *none = !first || value == 0;
    while (*p && *p != '}') {
        const char *end = bs_scan_index(p, &value);
        *copies = end && value > *copies ? value : *copies;
        p = end ? end : p + 1;
    }
    return *p ? p + 1 : p;
}

static int64_t capped(int64_t n)
{
    return n <= BS_RULES_REPEATS ? n : BS_RULES_REPEATS + 1;
}

static void close_item(group *g)
{
    g->sum.size = capped(g->sum.size + g->last.size);
    g->sum.loose = capped(g->sum.loose + g->last.loose);
    g->branch = g->branch && (g->last.size == 0 || g->last.empty);
    g->last = (item){0};
}

static void close_branch(group *g)
{
    close_item(g);
    g->sum.empty = g->sum.empty || g->branch;
    g->sum.loose += g->branch;
    g->branch = true;
}

static void repeat(item *i, int64_t copies, bool none)
{
    i->size = capped(i->size * capped(copies));
    i->loose = capped(i->loose * capped(copies));
    i->empty = none;
}

const char *bs_regex_excess(const char *text)
{
    group open[BS_RULES_REGEX + 1] = {{.branch = true}}, *g = open; /* the innermost */
    int   anchors = 0;
    for (const char *p = text; *p;) {
        if (strchr("*+?{", *p) && g->last.size > 0) {
            int64_t copies;
            bool    none;
            if (g->last.empty)
                return "repeats what may be empty; (a+)* in place of (a*)+";
            p = repetition(p, &copies, &none);
            repeat(&g->last, copies, none);
        } else if (*p == '(' && g < open + BS_RULES_REGEX) {
            close_item(g);
            *++g = (group){.branch = true};
            p++;
        } else if (*p == ')' && g > open) {
            close_branch(g);
            g--;
            g->last = g[1].sum;
            g->last.size++;
            p++;
        } else if (*p == '|') {
            close_branch(g);
            p++;
        } else {
            close_item(g);
            g->last = (item){.size = 1, .empty = is_anchor(p)};
            anchors += g->last.empty;
            p = after_atom(p);
        }
        if (g->sum.size + g->last.size > BS_RULES_REPEATS)
            return "too large with its repetitions written out; use * or smaller bounds";
        if (g->sum.loose + g->last.loose > BS_RULES_LOOSE)
            return "too many alternatives that may be empty; (a|b)? in place of (a?|b?)";
        if (anchors > BS_RULES_ANCHORS)
            return "too many of ^ and $ and the like";
    }
    return NULL;
}
