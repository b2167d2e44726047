/* options.c -- the rows of options.h, and settings as text. */
#include "train/options.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(bs_train_options, field)
#define KEEP      BS_OPTION_KEEP
#define LOG       (BS_OPTION_KEEP | BS_OPTION_TUNE_LOG)
#define LINEAR    (BS_OPTION_KEEP | BS_OPTION_TUNE)

/* To add an option: a field in options.h and a row here. */
const bs_option bs_train_rows[] = {
    {"task", BS_TEXT, AT(task), "auto", NULL, NULL, NULL,
     "what is predicted; see 'basin list tasks'", KEEP},
    {"method", BS_TEXT, AT(method), "auto", NULL, NULL, NULL,
     "training method; see 'basin list methods'", KEEP},
    {"preset", BS_TEXT, AT(preset), "", NULL, NULL, NULL,
     "published settings; see 'basin list presets'", KEEP},
    {"seed", BS_INT, AT(seed), "0", "0", "2147483647", NULL, "same seed, same bits", KEEP},
    {"epochs", BS_INT, AT(epochs), "300", "1", "1000000", NULL, "most passes over the rows", KEEP},
    {"threads", BS_INT, AT(threads), "0", "0", "1024", NULL, "0 = all cores; never changes results",
     0},
    {"time_limit", BS_FLOAT, AT(time_limit), "0", "0", "1e9", NULL,
     "stop after this many seconds; 0 = none", 0},

    {"batch", BS_INT, AT(batch), "32", "1", "65536", NULL, "rows a step", LOG},
    {"samples", BS_INT, AT(samples), "20", "1", "10000", NULL, "samples of methods with an energy",
     LOG},
    {"lr.net", BS_FLOAT, AT(lr_net), "0.002", "0", "1000", NULL, "learning rate of the net", LOG},
    {"lr.energy", BS_FLOAT, AT(lr_energy), "0.001", "0", "1000", NULL,
     "learning rate of the energy", LOG},
    {"decay.net", BS_FLOAT, AT(decay_net), "1e-5", "0", "1", NULL, "weight decay of the net", LOG},
    {"decay.energy", BS_FLOAT, AT(decay_energy), "1e-5", "0", "1", NULL,
     "weight decay of the energy", LOG},
    {"clip", BS_FLOAT, AT(clip), "10", "0", "1e30", NULL,
     "largest norm of the gradient; 0 = no limit", KEEP},
    {"optimiser", BS_NAME, AT(rule), "adamw", NULL, NULL, "adam|adamw|sgd",
     "how parameters follow the gradient", KEEP},
    {"plateau.factor", BS_FLOAT, AT(plateau_factor), "0.5", "0.01", "1", NULL,
     "learning rate is multiplied by this when the score stalls", KEEP},
    {"plateau.patience", BS_INT, AT(plateau_patience), "5", "0", "100000", NULL,
     "evaluations to wait before that", KEEP},
    {"early_stop.metric", BS_TEXT, AT(stop_metric), "example_f1", NULL, NULL, NULL,
     "what the best epoch is chosen by; see 'basin list metrics'", KEEP},
    {"early_stop.patience", BS_INT, AT(stop_patience), "20", "1", "1000000", NULL,
     "evaluations without a better one before stopping", KEEP},
    {"early_stop.epochs", BS_INT, AT(stop_epochs), "1", "1", "100000", NULL,
     "epochs between evaluations", KEEP},

    {"net.layers", BS_INT, AT(net_layers), "2", "0", "64", NULL, "hidden layers of the net",
     LINEAR},
    {"net.width", BS_INT, AT(net_width), "400", "1", "100000", NULL, "units of a hidden layer",
     LOG},
    {"net.dropout", BS_FLOAT, AT(net_dropout), "0.3", "0", "0.95", NULL,
     "share of units left out of a training step", LINEAR},
    {"energy.hidden", BS_INT, AT(energy_hidden), "200", "1", "100000", NULL,
     "units of the energy over labels", LOG},
    {"energy.weight", BS_FLOAT, AT(energy_weight), "1", "0", "1e6", NULL,
     "weight of the energy in the net's loss", LOG},
    {"steps.net", BS_INT, AT(steps_net), "1", "1", "1000", NULL, "net steps a batch", KEEP},
    {"steps.energy", BS_INT, AT(steps_energy), "1", "0", "1000", NULL, "energy steps a batch",
     KEEP},
    {"gbi.steps", BS_INT, AT(gbi_steps), "20", "1", "10000", NULL,
     "steps of gradient-based inference", KEEP},
    {"gbi.lr", BS_FLOAT, AT(gbi_lr), "0.1", "0", "1e6", NULL, "their rate", LOG},
    {"gbi.start", BS_NAME, AT(gbi_start), "zeros", NULL, NULL, "zeros|uniform|random|net",
     "where they start", KEEP},

    {"threshold", BS_TEXT, AT(threshold), "auto", NULL, NULL, NULL,
     "auto (tuned on validation), a number, label, top-k or cardinality", KEEP},
    {"threshold.metric", BS_TEXT, AT(threshold_metric), "example_f1", NULL, NULL, NULL,
     "what the threshold is tuned for", KEEP},
    {"threshold.shrink", BS_FLOAT, AT(threshold_shrink), "10", "0", "1e9", NULL,
     "positives at which a label's own threshold counts half", KEEP},
    {"threshold.k", BS_INT, AT(threshold_k), "3", "1", "1000000", NULL, "labels a row for top-k",
     KEEP},
    {"profile", BS_NAME, AT(profile), "sklearn", NULL, NULL, "sklearn|mulan|meka|seal",
     "conventions of the metrics", KEEP},

    {"standardise", BS_NAME, AT(standardise), "auto", NULL, NULL, "auto|yes|no",
     "features to mean 0, deviation 1; auto: dense numbers only", KEEP},
    {"split.valid", BS_FLOAT, AT(split_valid), "0.2", "0.01", "0.9", NULL,
     "share of the rows taken for validation when no file is given", KEEP},
    {"split.test", BS_FLOAT, AT(split_test), "0.2", "0", "0.9", NULL,
     "share taken for test when neither is given", KEEP},
    {"checkpoint.seconds", BS_FLOAT, AT(checkpoint_seconds), "10", "0", "1e9", NULL,
     "least time between two checkpoints", 0},
    {"file.train", BS_TEXT, AT(file_train), "", NULL, NULL, NULL,
     "training data when none is given: paths with | between them", 0},
    {"file.valid", BS_TEXT, AT(file_valid), "", NULL, NULL, NULL, "the same for validation", 0},
    {"file.test", BS_TEXT, AT(file_test), "", NULL, NULL, NULL, "the same for test", 0},
    {.name = NULL},
};

basin_status bs_settings_default(bs_settings *s, basin_error *err)
{
    memset(s, 0, sizeof *s);
    s->read = bs_read_options_default();
    return bs_options_default(bs_train_rows, &s->train, err);
}

/* One table over both structs, so that every form of text is one loop. */
enum { MOST_ROWS = 128 };

static int append_rows(bs_option *out, int n, const bs_option *rows, size_t shift, unsigned flags)
{
    for (; rows->name && n < MOST_ROWS - 1; rows++) {
        if (flags && !(rows->flags & flags))
            continue;
        out[n] = *rows;
        out[n++].offset += shift;
    }
    return n;
}

/* Rows with any of the flags, or all when flags = 0. */
static void merge(bs_option out[MOST_ROWS], unsigned flags)
{
    int n = append_rows(out, 0, bs_train_rows, offsetof(bs_settings, train), flags);
    n = append_rows(out, n, bs_read_rows, offsetof(bs_settings, read), flags);
    out[n] = (bs_option){.name = NULL};
}

basin_status bs_settings_set(bs_settings *s, const char *key, const char *value, const char *where,
                             basin_error *err)
{
    bs_option rows[MOST_ROWS];
    merge(rows, 0);
    return bs_options_set(rows, s, key, value, where, err);
}

basin_status bs_settings_config(bs_settings *s, const char *text, size_t len, const char *where,
                                basin_error *err)
{
    bs_option rows[MOST_ROWS];
    merge(rows, 0);
    return bs_options_from_config(rows, s, text, len, where, err);
}

void bs_settings_write_config(const bs_settings *s, bs_buf *out)
{
    bs_option rows[MOST_ROWS];
    merge(rows, 0);
    bs_options_config(rows, s, out);
}

void bs_settings_json(const bs_settings *s, bs_buf *out)
{
    bs_option rows[MOST_ROWS];
    merge(rows, BS_OPTION_KEEP);
    bs_options_json(rows, s, out);
}

basin_status bs_settings_from_json(bs_settings *s, const char *json, size_t len, const char *where,
                                   basin_error *err)
{
    bs_option rows[MOST_ROWS];
    merge(rows, 0);
    return bs_options_from_json(rows, s, json, len, where, err);
}

void bs_settings_help(bs_buf *out)
{
    bs_option rows[MOST_ROWS];
    merge(rows, 0);
    bs_options_help(rows, out);
}
