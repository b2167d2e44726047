/* method.c -- the list of methods. */
#include "method/method.h"

#include <string.h>

#define METHOD(name) extern const bs_method bs_method_##name;
#include "method/methods.def"
#undef METHOD

const bs_method *const bs_methods[] = {
#define METHOD(name) &bs_method_##name,
#include "method/methods.def"
#undef METHOD
    NULL,
};

const char *const bs_seen_name[BS_SEEN_COUNT] = {
#define SEEN(name, help) #name,
#include "method/seen.def"
#undef SEEN
};

enum { MOST_METHODS = 64 };

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

basin_status bs_method_find(const char *name, const char *task, const bs_method **out,
                            basin_error *err)
{
    const char *names[MOST_METHODS];
    int         n = 0;
    for (; n < MOST_METHODS && bs_methods[n]; n++) {
        names[n] = bs_methods[n]->name;
        if (strcmp(name, names[n]) != 0)
            continue;
        *out = bs_methods[n];
        if (!has_word((*out)->tasks, task))
            return bs_fail(err, BASIN_EARG, "--method: %s is not for task %s, only for %s", name,
                           task, (*out)->tasks);
        return BASIN_OK;
    }
    const char *near = bs_nearest(name, names, n);
    return bs_fail(err, BASIN_EARG,
                   "--method: no method is called '%s'%s%s%s; see 'basin list methods'", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
