/* preset.c -- published settings by name, "paper/data", one row per method.
 *
 * From the runs behind SEAL's tables: the first row of each preset is what they share (batch 32, at
 * most 300 epochs, patience 20 on example F1 at 0.5, AdamW, clip 10, plateau 0.5 after 5, rows
 * without labels left out). */
#include <string.h>
#include "base/find.h"
#include "base/json.h"

#include "task/options.h"

typedef struct {
    const char *name, *task, *method; /* method NULL: for all methods of this preset */
    const char *settings;             /* "key=value key=value" */
} preset;

/* What implicit methods were tuned with: hardly an inverse, but fast. */
#define ONE_TERM "implicit.solver=series implicit.residual=0 implicit.terms=1"
#define SEAL_COMMON                                                                          \
    "batch=32 epochs=300 early_stop.patience=20 optimiser=adamw clip=10 plateau.factor=0.5 " \
    "plateau.patience=5 data.drop_unlabelled=yes decay.net=1e-5 decay.energy=1e-5 "          \
    "energy.hidden=200 "

/* Published nets saw unaltered windows and were evaluated after every epoch. */
#define PLAIN_IMAGES                                                    \
    "seg.mean=no seg.flip=no seg.jitter=0 schedule=plateau epochs=300 " \
    "early_stop.epochs=1 early_stop.patience=20 lr.net=0.002 pretrain.lr=0.002 "

/* batch 8, Adam with coupled decay, patience 20, plateau 0.5 after 10 for both nets */
#define SEAL_IMAGES                                                                        \
    PLAIN_IMAGES                                                                           \
    "batch=8 epochs=1000 early_stop.patience=20 optimiser=adam plateau.factor=0.5 "        \
    "plateau.patience=10 plateau.both=yes net.kind=fcn net.width=64 net.dropout=0 "        \
    "energy.kind=value energy.hidden=384 energy.dropout=0.25 seg.crop=24x24 seg.crops=36 " \
    "seg.flip=no seg.mean=no "

/* Spans: only well-formed ones; the rate is halved after two evaluations without improvement. */
#define TAGS_NER "lr.net=0.002 plateau.patience=2 constrain=yes epochs=40 early_stop.patience=8 "

/* First cross-entropy, which takes a tenth of the time of a step with an energy; then both. */
#define TAGS_FROM_CE "pretrain.epochs=15 pretrain.lr=0.002 energy.epochs=8 lr.net=0.0005 "

/* The same with columns and tuned vectors, which can be memorised: wider, more dropout. */
#define TAGS_RICH         TAGS_NER "words.tuned=yes net.width=200 net.dropout=0.5 lr.net=0.001 "
#define TAGS_RICH_FROM_CE TAGS_FROM_CE "pretrain.epochs=20 pretrain.lr=0.001 "

/* dense numbers are standardised */
#define DENSE "standardise=yes"
/* the published parameter counts imply 500 labels: the root of the hierarchy is one */
#define FUNCAT "standardise=yes data.root=yes"

/* To add a preset: a row for all methods, then one for each method with its own values. */
static const preset presets[] = {
#define PRESET_FOR(name, task, settings) {name, task, NULL, settings},
#define PRESET(name, method, settings)   {name, NULL, method, settings},
#include "task/presets.def"
#undef PRESET_FOR
#undef PRESET
};

enum { PRESETS = sizeof presets / sizeof presets[0] };

static basin_status unknown(const char *name, basin_error *err)
{
    const bs_named table = {"--preset: no preset", "presets", BS_NAMED_ROWS(presets), .n = PRESETS};
    int            i;
    return bs_find_named(&table, name, &i, err);
}

bool bs_preset_shared_only(const char *name, const char *method)
{
    bool others = false;
    for (int i = 0; i < PRESETS; i++) {
        if (strcmp(presets[i].name, name) != 0 || !presets[i].method)
            continue;
        if (strcmp(presets[i].method, method) == 0)
            return false;
        others = true;
    }
    return others;
}

basin_status bs_preset_apply(bs_settings *s, const char *name, const char *task, const char *method,
                             basin_error *err)
{
    bool known = false;
    for (int i = 0; i < PRESETS; i++) {
        const preset *p = &presets[i];
        if (strcmp(p->name, name) != 0)
            continue;
        known = true;
        if (p->task && strcmp(p->task, task) != 0)
            return bs_fail(err, BASIN_EARG, "--preset: %s is for task %s, but the data is for %s",
                           name, p->task, task);
        if (p->method && strcmp(p->method, method) != 0)
            continue;
        char where[64];
        bs_print(where, sizeof where, "preset %s", p->name);
        basin_status status = bs_settings_words(s, p->settings, where, err);
        if (status)
            return status;
    }
    return known ? BASIN_OK : unknown(name, err);
}

void bs_preset_list(bs_buf *table, bs_buf *json)
{
    for (int i = 0; i < PRESETS; i++) {
        if (presets[i].method)
            continue;
        bs_json_text(json, NULL, presets[i].name);
        bs_buf_printf(table, "%-17s %s  ", presets[i].name, presets[i].task);
        for (int k = i + 1; k < PRESETS && presets[k].method; k++)
            bs_buf_printf(table, "%s%s", k > i + 1 ? ", " : "", presets[k].method);
        const bool alone = i + 1 == PRESETS || !presets[i + 1].method;
        bs_buf_text(table, alone ? "the same for all methods\n" : "\n");
    }
}
