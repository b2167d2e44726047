/* method.c -- the list of methods. */
#include "method/method.h"

#include <string.h>
#include "base/find.h"

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

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static const bs_named table = {"--method: no method", "methods", BS_NAMED_POINTERS(bs_methods)};

basin_status bs_method_find(const char *name, const char *task, const bs_method **out,
                            basin_error *err)
{
    int          i;
    basin_status s = bs_find_named(&table, name, &i, err);
    *out = bs_methods[i];
    if (!s && !has_word((*out)->tasks, task))
        s = bs_fail(err, BASIN_EARG, "--method: %s is not for task %s, only for %s", name, task,
                    (*out)->tasks);
    return s;
}
