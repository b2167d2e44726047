/* rules_regex.c -- how large a regular expression becomes when it is compiled. */
#include <string.h>

#include "data/scan.h"
#include "text/rules_part.h"

/* Behind the bracket expression that begins at p, as POSIX ends it: a ] that comes first is a
 * member, and so is what is within [: :], [. .] and [= =]. */
static const char *after_bracket(const char *p)
{
    p += p[1] == '^' ? 2 : 1;
    p += *p == ']';
    for (; *p && *p != ']'; p++)
        if (p[0] == '[' && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
            const char close[3] = {p[1], ']'}, *end = strstr(p + 2, close);
            if (!end)
                return p + strlen(p);
            p = end + 1;
        }
    return *p ? p + 1 : p;
}

/* The largest number in the bounds {m,n} at *p, at least 1; *p goes to their last byte. */
static int64_t bound_at(const char **p)
{
    int64_t     most = 1, value;
    const char *q = *p + 1;
    while (*q && *q != '}') {
        const char *end = bs_scan_index(q, &value);
        most = end && value > most ? value : most;
        q = end ? end : q + 1;
    }
    *p = *q ? q : q - 1;
    return most;
}

/* Behind the atom at p: a bracket expression, an escaped byte or any other. */
static const char *after_atom(const char *p)
{
    return *p == '[' ? after_bracket(p) : p[0] == '\\' && p[1] ? p + 2 : p + 1;
}

/* Atoms after copying; everything above BS_RULES_REPEATS is the same. */
static int64_t capped(int64_t atoms)
{
    return atoms < BS_RULES_REPEATS ? atoms : BS_RULES_REPEATS + 1;
}

/* x+ is compiled as xx*, x{m,n} as n copies of x, and repetitions of repetitions multiply. */
int64_t bs_regex_size(const char *text)
{
    int64_t     size[BS_RULES_REGEX + 1] = {0}; /* of the groups that are open */
    int64_t     last = 0;                       /* of what a repetition would copy */
    int         depth = 0;
    const char *p = text;
    while (*p && size[depth] <= BS_RULES_REPEATS) {
        if (*p == '+' || *p == '{') {
            const int64_t copies = capped(*p == '+' ? 2 : bound_at(&p));
            size[depth] = capped(size[depth] + last * (copies - 1));
            last = capped(last * copies);
            p++;
        } else if (*p == '(' && depth < BS_RULES_REGEX) {
            size[++depth] = last = 0;
            p++;
        } else if (*p == ')' && depth > 0) {
            last = size[depth--] + 1;
            size[depth] = capped(size[depth] + last);
            p++;
        } else if (*p == '|' || *p == '*' || *p == '?') {
            last = *p++ == '|' ? 0 : last;
        } else {
            last = 1;
            size[depth] = capped(size[depth] + last);
            p = after_atom(p);
        }
    }
    return size[depth];
}
