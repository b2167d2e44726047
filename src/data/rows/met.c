/* met.c -- how well files fit a schema, summed up over files or pieces. */
#include <string.h>

#include "base/print.h"
#include "data/dataset.h"

void bs_examples_add(bs_examples *f, const char *name)
{
    char short_name[sizeof f->name[0]];
    bs_print(short_name, sizeof short_name, "%.47s", name);
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->name[i], short_name) == 0)
            return;
    if (f->n < BS_FEW)
        memcpy(f->name[f->n++], short_name, sizeof short_name);
}

/* One category per column is enough to find the others. */
void bs_examples_category(bs_examples *f, const bs_feature *of)
{
    char      name[sizeof f->name[0]];
    const int n = bs_print(name, sizeof name, "%.20s = ", of->attribute);
    for (int i = 0; i < f->n; i++)
        if (strncmp(f->name[i], name, (size_t)n) == 0)
            return;
    bs_print(name + n, sizeof name - (size_t)n, "%.20s", of->value);
    bs_examples_add(f, name);
}

bool bs_coverage_add(bs_coverage *all, const bs_coverage *more, int32_t features)
{
    if (!all->seen && !(all->seen = bs_calloc((size_t)features + 1, 1)))
        return false;
    all->features = 0;
    for (int32_t i = 0; i < features; i++) {
        all->seen[i] |= more->seen[i];
        all->features += all->seen[i];
    }
    all->kept += more->kept;
    all->dropped += more->dropped;
    all->unseen += more->unseen;
    for (int i = 0; i < more->categories.n; i++)
        bs_examples_add(&all->categories, more->categories.name[i]);
    for (int i = 0; i < more->strangers.n; i++)
        bs_examples_add(&all->strangers, more->strangers.name[i]);
    return true;
}

void bs_coverage_free(bs_coverage *m)
{
    bs_free(m->seen);
    *m = (bs_coverage){0};
}
