/* strange.c -- notes if an input's features are not those of the model.
 *
 * A feature that a row does not name is 0 in sparse formats, or missing, so a file for another
 * model is read without complaint. Counts cover the whole input, not a piece of it. */
#include <string.h>

#include "task/mlc/data.h"

/* "'a', 'b', 'c' and 4 more"; there may be more names than were kept. */
static const char *few_text(const bs_examples *f, char *text, size_t size)
{
    enum { SHOWN = 3 };
    int at = 0;
    for (int i = 0; i < f->n && i < SHOWN; i++)
        at += bs_print(text + at, size - (size_t)at, "%s'%s'", i ? ", " : "", f->name[i]);
    if (f->n > SHOWN)
        bs_print(text + at, size - (size_t)at, " and %d%s more", f->n - SHOWN,
                 f->n == BS_FEW ? " or" : "");
    return text;
}

/* Columns that the input lacks entirely; their values are missing in every row. */
static void say_absent(const bs_coverage *s, const bs_schema *known, bs_logger *log)
{
    bs_examples absent = {0};
    int32_t     n = 0, all = 0;
    const char *before = "";
    char        text[256];
    for (int32_t i = 0; i < known->n_features; i++) {
        const char *column = known->feature[i].attribute;
        if (strcmp(column, before) == 0) /* another category of the same column */
            continue;
        before = column;
        all++;
        n += !s->seen[i];
        if (!s->seen[i])
            bs_examples_add(&absent, column);
    }
    if (n > 0)
        bs_log_say(log, BS_WARN,
                   "%d of the %d columns of the training data %s no value in the input, and %s "
                   "missing in all rows: %s",
                   (int)n, (int)all, n > 1 ? "have" : "has", n > 1 ? "are" : "is",
                   few_text(&absent, text, sizeof text));
}

/* Rows that list everything: every absent or unknown column and every new category counts. */
static void say_columns(const bs_coverage *s, const bs_schema *known, bool label_free,
                        bs_logger *log)
{
    const bs_examples *new = &s->categories, *ignored = &s->strangers;
    char text[256];
    say_absent(s, known, log);
    if (s->unseen > 0)
        bs_log_say(log, BS_WARN,
                   "%lld %s in %d%s %s %s no category that training saw, such as %s: %s as none",
                   (long long)s->unseen, s->unseen > 1 ? "values" : "value", new->n,
                   new->n == BS_FEW ? " or more" : "", new->n > 1 ? "columns" : "column",
                   s->unseen > 1 ? "are" : "is", few_text(new, text, sizeof text),
                   s->unseen > 1 ? "they read" : "it reads");
    if (label_free && ignored->n > 0)
        bs_log_say(log, BS_INFO, "%d%s of the input %s not of the training data and ignored: %s",
                   ignored->n,
                   ignored->n == BS_FEW ? " or more columns"
                   : ignored->n > 1     ? " columns"
                                        : " column",
                   ignored->n > 1 ? "are" : "is", few_text(ignored, text, sizeof text));
}

/* A short text has few of the words a model knows: that alone is normal, unless rows of the
 * training data had all features. */
void bs_mlc_strange(const bs_coverage *s, const bs_schema *known, bool label_free, bs_logger *log)
{
    const char *become = known->open || !known->feature ? "read as 0" : "are missing";
    char        name[80] = "";
    if (known->n_texts && known->n_features == 0)
        return;
    if (s->strangers.n > 0)
        bs_print(name, sizeof name, "; unknown: '%s'", s->strangers.name[0]);
    if (known->n_features == 0)
        return;
    if (s->features == 0)
        bs_log_say(log, BS_WARN,
                   "none of the model's %d features occurs in the input: all of them %s%s",
                   (int)known->n_features, become, name);
    else if (known->feature && !known->open)
        say_columns(s, known, label_free, log);
    else if (s->dropped > 0 && s->dropped >= s->kept)
        bs_log_say(log, BS_WARN,
                   "%lld of %lld values of the input are of features that the model does not "
                   "know, which were left out%s",
                   (long long)s->dropped, (long long)(s->dropped + s->kept), name);
    else if (!bs_mlc_is_sparse(known) && 2 * s->features < known->n_features)
        bs_log_say(log, BS_WARN, "%d of the model's %d features do not occur in the input: they %s",
                   (int)(known->n_features - s->features), (int)known->n_features, become);
}
