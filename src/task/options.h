/* options.h -- the settings of a training, one row each (options.c).
 *
 * A setting is named by its key everywhere: --set on the command line, presets,
 * the config of a run folder, and the copy stored in a model. Keys of reading
 * options (data/rows/read.h) are these with "data." before them. */
#ifndef BS_TRAIN_OPTIONS_H
#define BS_TRAIN_OPTIONS_H

#include <stddef.h>

#include "base/opt.h"
#include "data/rows/read.h"
#include "data/image/images.h"
#include "data/text/corpus.h"
#include "data/text/lexicon.h"
#include "nn/encoder.h"

enum { BS_ENCODERS_ROOM = 8192 };

typedef struct {
    char   task[BS_OPTION_TEXT], method[BS_OPTION_TEXT], preset[BS_OPTION_TEXT];
    int    seed, epochs, threads;
    char   device[BS_OPTION_TEXT];
    double time_limit; /* seconds; 0 = none */

    char   mode[BS_OPTION_TEXT];
    int    batch, samples;
    double noise;
    bool   dropout_both;
    double lr_net, lr_energy, decay_net, decay_energy, clip, clip_energy;
    char   rule[BS_OPTION_TEXT], rule_energy[BS_OPTION_TEXT];
    double beta1, momentum;
    char   schedule[BS_OPTION_TEXT];
    double plateau_factor;
    int    plateau_patience;
    bool   plateau_both;
    char   stop_metric[BS_OPTION_TEXT], stop_at[BS_OPTION_TEXT];
    int    stop_patience, stop_epochs;

    char net_kind[BS_OPTION_TEXT];
    union {
        max_align_t   align;
        unsigned char bytes[BS_ENCODERS_ROOM];
    } encoders; /* their own options, by bs_encoder_options */
    int    net_layers, net_width;
    double net_dropout;
    bool   net_bias;
    int    net_members, net_bins;
    int    word_width, column_width; /* tag: width of word vectors and of their features */
    bool   word_tuned;
    char   char_net[BS_OPTION_TEXT];
    int    char_width, char_features;
    bool   constrain;
    char   seg_crop[BS_OPTION_TEXT]; /* seg: size of training windows of photos */
    char   seg_score[BS_OPTION_TEXT];
    int    seg_crops, seg_smooth;
    bool   seg_flip, seg_mean;
    double seg_jitter;
    char   energy_kind[BS_OPTION_TEXT], energy_encoder[BS_OPTION_TEXT];
    int    energy_hidden;
    double energy_dropout;
    double energy_scale, energy_words;
    bool   energy_shift;
    char   energy_init[BS_OPTION_TEXT];
    double energy_l2;

    double energy_proof;
    double energy_weight, ce_weight;
    char   weights[BS_OPTION_TEXT];
    char   net_loss[BS_OPTION_TEXT];
    int    steps_net, steps_energy;
    char   inner[BS_OPTION_TEXT];
    char   cost[BS_OPTION_TEXT];
    double margin, perceptron;
    bool   truncate;
    int    pretrain_epochs, energy_epochs;
    double pretrain_lr;
    char   pretrain_cache[BS_OPTION_TEXT];

    char   infer[BS_OPTION_TEXT];
    int    gbi_steps, gbi_test_steps;
    double gbi_lr;
    char   gbi_start[BS_OPTION_TEXT];
    char   gbi_rule[BS_OPTION_TEXT], gbi_space[BS_OPTION_TEXT];
    double gbi_momentum, gbi_entropy, gbi_tolerance;
    int    gbi_restarts, gbi_halvings;
    bool   gbi_best;

    char   infnet_form[BS_OPTION_TEXT];
    double infnet_entropy, infnet_stay;
    bool   infnet_ce_both, infnet_keep;
    int    infnet_hidden;
    double alen_net, alen_refined;
    char   alen_value[BS_OPTION_TEXT];
    char   dvn_samples[BS_OPTION_TEXT];
    double dvn_from_truth;
    char   implicit_solver[BS_OPTION_TEXT], implicit_product[BS_OPTION_TEXT];
    int    implicit_terms;
    double implicit_rate, implicit_damping;

    char   threshold[BS_OPTION_TEXT];
    char   threshold_metric[BS_OPTION_TEXT];
    double threshold_shrink;
    int    threshold_k;
    char   profile[BS_OPTION_TEXT];

    char   standardise[BS_OPTION_TEXT];
    double unlabelled_weight, rules_temperature;
    char   rules_file[BS_OPTION_TEXT];
    double auto_budget;
    int    auto_trials;
    int    folds, ensemble;
    double split_valid, split_test; /* shares split off when no file is given */
    double checkpoint_seconds;
    char   resume_arithmetic[BS_OPTION_TEXT]; /* same, any */
    bool   report;

    char from[BS_OPTION_TEXT]; /* a model to continue from */

    char   distil[BS_OPTION_TEXT]; /* a model to learn from */
    double distil_weight;
    int    distil_folds, distil_seed;

    /* paths joined by |, so that a run's config suffices to repeat it */
    char file_train[BS_OPTION_TEXT], file_valid[BS_OPTION_TEXT], file_test[BS_OPTION_TEXT],
        file_unlabelled[BS_OPTION_TEXT];
} bs_train_options;

extern const bs_option bs_train_rows[];

/* The own options of an encoder; NULL if it has none. */
const void *bs_encoder_options(const bs_train_options *o, const bs_encoder *e);

typedef struct {
    bs_train_options   train;
    bs_read_options    read;  /* data.* */
    bs_corpus_options  text;  /* text.* */
    bs_lexicon_options words; /* words.*, chars.* */
    bs_image_options   image; /* image.*, mask.* */
} bs_settings;

basin_status bs_settings_default(bs_settings *s, basin_error *err);

/* Keys of both tables; `where` starts the message. */
basin_status bs_settings_set(bs_settings *s, const char *key, const char *value, const char *where,
                             basin_error *err);
basin_status bs_settings_config(bs_settings *s, const char *text, size_t len, const char *where,
                                basin_error *err);
/* After a config was read over `was`: since it may come from anywhere, files it names must be
 * regular files or folders, and its output paths are dropped (*left_out: there were some). */
basin_status bs_settings_from_elsewhere(bs_settings *s, const bs_settings *was, const char *where,
                                        bool *left_out, basin_error *err);
void         bs_settings_write_config(const bs_settings *s, bs_buf *out);
void         bs_settings_json(const bs_settings *s, bs_buf *out);
/* The same without those in a NULL-terminated list; a name with a trailing dot is a group. */
void bs_settings_json_but(const bs_settings *s, const char *const *but, bs_buf *out);
/* Settings stored in a model: limits are the defaults, whatever it says. */
basin_status bs_settings_from_json(bs_settings *s, const char *json, size_t len, const char *where,
                                   basin_error *err);
void         bs_settings_help(bs_buf *out);

/* Takes the settings stored in a model: those in a list as of bs_settings_json_but or, with `but`,
 * all others. */
basin_status bs_settings_take(bs_settings *s, const bs_settings *from, const char *const *list,
                              bool but, basin_error *err);

/* All options, with offsets in bs_settings; ends with a row without a name. */
enum { BS_SETTINGS_ROWS = 256 };
void bs_settings_rows(bs_option out[BS_SETTINGS_ROWS]);

/* "key=value key=value", the form of presets and of method defaults. */
basin_status bs_settings_words(bs_settings *s, const char *words, const char *where,
                               basin_error *err);

/* Published settings, "seal/bibtex"; `method` chooses the row within. For an unknown name the error
 * suggests the nearest; a preset of another task is an error as well. */
basin_status bs_preset_apply(bs_settings *s, const char *name, const char *task, const char *method,
                             basin_error *err);
/* Whether it has specific settings for other methods, but none for this one. */
bool bs_preset_shared_only(const char *name, const char *method);
void bs_preset_list(bs_buf *table, bs_buf *json); /* one line each */

#endif
