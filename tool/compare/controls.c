/* controls.c -- is it the energy? A method that beats `ce` may owe that to its optimiser, its
 * schedule or its threshold. So --controls trains each method with an energy again with one thing
 * taken away: the energy's part of the net's loss; its terms that join labels, at several weights,
 * since the weight was chosen with these terms; the energy altogether, as `ce` with the method's
 * optimiser, schedule, epochs and evaluations. */
#include <string.h>

#include "compare/compare.h"

static bool has_energy(const bs_method *m)
{
    bool net = false, energy = false;
    for (const bs_phase *p = m->phase; p < m->phase + BS_PHASES && p->name; p++) {
        net |= p->net;
        energy |= p->energy;
    }
    return net && energy;
}

/* Methods that predict by search alone have no such weight. */
static bool weighs(const bs_method *m)
{
    return m->tunes && strstr(m->tunes, "energy.weight");
}

/* Also adds it to the name, with colons. */
static basin_status add(bs_comparison *c, int of, bs_arm arm, const char *words, basin_error *err)
{
    char         name[BS_OPTION_TEXT];
    bs_compared *m = &c->method[c->n];
    if (c->n == BS_COMPARE_METHODS)
        return bs_fail(err, BASIN_EARG,
                       "--controls: more than %d methods and controls; compare fewer",
                       BS_COMPARE_METHODS);
    bs_print(name, sizeof name, "%s%s%s", arm == BS_ARM_CE ? "ce:as=" : "", c->method[of].name,
             arm == BS_ARM_CE ? "" : ":");
    if (arm != BS_ARM_CE)
        bs_print(name + strlen(name), sizeof name - strlen(name), "%s", words);
    for (char *at = name; (at = strchr(at, ' ')); *at = ':')
        ;
    *m = (bs_compared){.arm = arm, .of = of, .shown = true, .settings = c->method[of].settings};
    m->name = bs_arena_copy(&c->arena, name, strlen(name));
    if (!m->name)
        return bs_fail_nomem(err);
    c->n++;
    return bs_settings_words(&m->settings, words, m->name, err);
}

static basin_status add_independent(bs_comparison *c, int of, const char *words, bool weighed,
                                    basin_error *err)
{
    static const double factor[] = {1, 1.0 / 3, 3};
    const double        weight = c->method[of].settings.train.energy_weight;
    basin_status        s = add(c, of, BS_ARM_INDEPENDENT, words, err);
    for (int i = 1; i < 3 && weighed && weight > 0 && !s; i++) {
        char more[BS_OPTION_TEXT];
        bs_print(more, sizeof more, "%s energy.weight=%.4g", words, factor[i] * weight);
        s = add(c, of, BS_ARM_INDEPENDENT, more, err);
    }
    return s;
}

/* The net of a method that pre-trains it learns mostly at pretrain.lr. */
static basin_status add_ce(bs_comparison *c, int of, basin_error *err)
{
    const bs_train_options *o = &c->method[of].settings.train;
    const int before = o->pretrain_epochs < o->epochs ? o->pretrain_epochs : o->epochs;
    const int after = o->energy_epochs > 0 ? o->energy_epochs : o->epochs;
    char      words[BS_OPTION_TEXT];
    bs_print(words, sizeof words,
             "method=ce infer=net energy.proof=0 net.loss=energy ce.weight=1 epochs=%d lr.net=%.9g",
             before + after, before > 0 ? o->pretrain_lr : o->lr_net);
    return add(c, of, BS_ARM_CE, words, err);
}

basin_status bs_compare_add_controls(bs_comparison *c, basin_error *err)
{
    const bs_task *task;
    const int      n = c->n;
    basin_status   s = bs_task_find(c->method[0].settings.train.task, &task, err);
    for (int i = 0; i < n && !s; i++) {
        const bs_method *m;
        s = bs_method_find(c->method[i].settings.train.method, task->name, &m, err);
        if (s || !has_energy(m))
            continue;
        if (weighs(m))
            s = add(c, i, BS_ARM_NO_ENERGY, "energy.weight=0 infer=net", err);
        if (!s && task->independent)
            s = add_independent(c, i, task->independent, weighs(m), err);
        if (!s)
            s = add_ce(c, i, err);
    }
    return s;
}

/* By the mean over seeds of what is shipped. */
static double on_validation(const bs_comparison *c, int method)
{
    double sum = 0;
    for (int k = 0; k < c->seeds; k++)
        sum += c->outcome[method * c->seeds + k].valid_tuned[c->metric];
    return c->rows->task->metric[c->metric].higher ? sum : -sum;
}

void bs_compare_choose_controls(bs_comparison *c)
{
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->n && c->method[i].arm == BS_ARM_INDEPENDENT; k++) {
            const bs_compared *other = &c->method[k];
            if (k == i || other->arm != BS_ARM_INDEPENDENT || other->of != c->method[i].of ||
                other->failure)
                continue;
            const double mine = on_validation(c, i), theirs = on_validation(c, k);
            if (c->method[i].failure || theirs > mine || (theirs == mine && k < i))
                c->method[i].shown = false;
        }
}

const char *bs_arm_text(bs_arm arm)
{
    static const char *const text[] = {[BS_ARM_NO_ENERGY] = "energy without weight",
                                       [BS_ARM_INDEPENDENT] = "energy without terms over labels",
                                       [BS_ARM_CE] = "ce trained alike"};
    return text[arm];
}
