/* api_strange.c -- input whose features are not those of the model.
 *
 * A feature that a row does not name is 0 in formats that leave zeros out, or missing, so a file
 * for another model is read without complaint. What is counted is the whole input, not a piece of
 * it. */
#include <string.h>

#include "api.h"

/* A short text has few of the words that a model knows: that alone is nothing strange, unless rows
 * of the training data had all features. */
void bs_strange_say(const bs_met *s, const bs_saved *m, bs_logger *log)
{
    const bs_schema *known = &m->known.mlc;
    const char      *become = known->open || !known->feature ? "read as 0" : "are missing";
    char             name[80] = "";
    if (*s->stranger)
        bs_print(name, sizeof name, "; unknown: '%s'", s->stranger);
    if (strcmp(m->kind->task->name, "mlc") != 0)
        return;
    if (s->features == 0)
        bs_log_say(log, BS_WARN,
                   "none of the model's %d features occurs in the input: all of them %s%s",
                   (int)known->n_features, become, name);
    else if (s->dropped > 0 && s->dropped >= s->kept)
        bs_log_say(log, BS_WARN,
                   "%lld of %lld values of the input are of features that the model does not "
                   "know, which were left out%s",
                   (long long)s->dropped, (long long)(s->dropped + s->kept), name);
    else if (!m->spec.mlc.sparse && 2 * s->features < known->n_features)
        bs_log_say(log, BS_WARN, "%d of the model's %d features do not occur in the input: they %s",
                   (int)(known->n_features - s->features), (int)known->n_features, become);
}
