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

const char *const bs_diagnostic_name[BS_DIAGNOSTIC_COUNT] = {
#define DIAGNOSTIC(name, least, most, help) #name,
#include "method/diagnostics.def"
#undef DIAGNOSTIC
};

bool bs_method_fits(const bs_method *m, const bs_task *task)
{
    const bs_task_space *g = task->graph;
    switch (m->needs) {
    case BS_NEEDS_NET: return true;
    case BS_NEEDS_ENERGY: return g->energy != NULL;
    case BS_NEEDS_SAMPLES: return g->energy && g->sample;
    default: return g->energy && g->chain;
    }
}

static const char *own_of(const bs_method *m, const char *task)
{
    for (int i = 0; i < BS_OWN_WORDS && m->own[i].task && task; i++)
        if (strcmp(m->own[i].task, task) == 0)
            return m->own[i].words;
    return NULL;
}

const char *bs_method_own(const bs_method *m, const char *task)
{
    const char *words = own_of(m, task);
    for (int i = 0; bs_tasks[i] && !words; i++)
        if (strcmp(bs_tasks[i]->name, task) == 0)
            words = own_of(m, bs_tasks[i]->akin);
    return words;
}

void bs_method_tasks(const bs_method *m, char *out, size_t size)
{
    int at = 0;
    *out = '\0';
    for (int i = 0; bs_tasks[i]; i++)
        if (bs_method_fits(m, bs_tasks[i]))
            at += bs_print(out + at, size - (size_t)at, "%s%s", at ? " " : "", bs_tasks[i]->name);
}

static const bs_named table = {"--method: no method", "methods", BS_NAMED_POINTERS(bs_methods)};

basin_status bs_method_find(const char *name, const char *task, const bs_method **out,
                            basin_error *err)
{
    const bs_task *t;
    char           others[200];
    basin_status   s = bs_find_pointer(&table, name, out, err);
    if (!s)
        s = bs_task_find(task, &t, err);
    if (s || bs_method_fits(*out, t))
        return s;
    bs_method_tasks(*out, others, sizeof others);
    return bs_fail(err, BASIN_EARG, "--method: %s is not for task %s, only for %s", name, task,
                   others);
}
