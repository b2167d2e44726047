/* options.c -- the option tables of options.h, and settings as text. */
#include "task/options.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(bs_train_options, field)
#define KEEP      BS_OPTION_KEEP
#define LOG       (BS_OPTION_KEEP | BS_OPTION_TUNE_LOG)
#define LINEAR    (BS_OPTION_KEEP | BS_OPTION_TUNE)

/* To add an option: a field in options.h and a row here. Which options `basin tune` searches by
 * default is up to the methods (bs_method.tunes). */
const bs_option bs_train_rows[] = {
    {"task", BS_TEXT, AT(task), "auto", NULL, NULL, NULL,
     "what is predicted; see 'basin list tasks'", KEEP},
    {"method", BS_TEXT, AT(method), "auto", NULL, NULL, NULL,
     "training method; see 'basin list methods'", KEEP},
    {"preset", BS_TEXT, AT(preset), "", NULL, NULL, NULL,
     "published settings; see 'basin list presets'", KEEP},
    {"seed", BS_INT, AT(seed), "0", "0", "2147483647", NULL, "same seed, same bits", KEEP},
    {"epochs", BS_INT, AT(epochs), "300", "1", "1000000", NULL, "maximum number of epochs", KEEP},
    {"threads", BS_INT, AT(threads), "0", "0", "1024", NULL, "0 = all cores; never changes results",
     0},
    {"device", BS_TEXT, AT(device), "cpu", NULL, NULL, NULL,
     "where programs run; see 'basin list devices'", 0},
    {"time_limit", BS_FLOAT, AT(time_limit), "0", "0", "1e9", NULL,
     "end after this many seconds, the last evaluation and the report included; 0 = none", 0},

    {"mode", BS_NAME, AT(mode), "paper", NULL, NULL, "paper|code",
     "equations as published and corrected, or the quirks of the authors' programs", KEEP},
    {"batch", BS_INT, AT(batch), "32", "1", "65536", "x4", "rows a step", LOG},
    {"samples", BS_INT, AT(samples), "20", "1", "10000", "x4", "samples of methods with an energy",
     LOG},
    {"samples.noise", BS_FLOAT, AT(noise), "1", "0", "1000", "x5",
     "deviation of the logits of samples (seal-regression-s)", LOG},
    {"lr.net", BS_FLOAT, AT(lr_net), "0.002", "0", "1000", "x10", "learning rate of the net", LOG},
    {"lr.energy", BS_FLOAT, AT(lr_energy), "0.001", "0", "1000", "x10",
     "learning rate of the energy", LOG},
    {"decay.net", BS_FLOAT, AT(decay_net), "1e-5", "0", "1", "1e-6..0.1", "weight decay of the net",
     LOG},
    {"decay.energy", BS_FLOAT, AT(decay_energy), "1e-5", "0", "1", "1e-6..0.1",
     "weight decay of the energy", LOG},
    {"clip", BS_FLOAT, AT(clip), "10", "0", "1e30", NULL,
     "largest norm of the gradient of the net, or of an energy trained alone; 0 = no limit", KEEP},
    {"clip.energy", BS_FLOAT, AT(clip_energy), "0", "0", "1e30", NULL,
     "the same for an energy trained beside a net", KEEP},
    {"optimiser", BS_NAME, AT(rule), "adamw", NULL, NULL, "adam|adamw|sgd",
     "how parameters follow the gradient", KEEP},
    {"optimiser.energy", BS_NAME, AT(rule_energy), "same", NULL, NULL, "same|adam|adamw|sgd",
     "the same for those of the energy", KEEP},
    {"optimiser.momentum", BS_FLOAT, AT(momentum), "0.9", "0", "0.9999", NULL, "of sgd", KEEP},
    {"optimiser.beta1", BS_FLOAT, AT(beta1), "0.9", "0", "0.9999", NULL,
     "decay of the first moment of adam", KEEP},
    {"schedule", BS_NAME, AT(schedule), "plateau", NULL, NULL, "plateau|cosine",
     "learning rates fall when the score stalls, or to zero at the last epoch of a phase", KEEP},
    {"plateau.factor", BS_FLOAT, AT(plateau_factor), "0.5", "0.01", "1", NULL,
     "learning rate is multiplied by this when the score stalls", KEEP},
    {"plateau.patience", BS_INT, AT(plateau_patience), "5", "0", "100000", NULL,
     "evaluations to wait before that", KEEP},
    {"plateau.both", BS_BOOL, AT(plateau_both), "no", NULL, NULL, NULL,
     "also for an energy trained beside a net", KEEP},
    {"early_stop.metric", BS_TEXT, AT(stop_metric), "auto", NULL, NULL, NULL,
     "what the best epoch is chosen by; see 'basin list metrics'; auto: the first of the task",
     KEEP},
    {"early_stop.at", BS_NAME, AT(stop_at), "half", NULL, NULL, "half|shipped",
     "threshold of decisions meanwhile: 0.5, or the one that the model would be given", KEEP},
    {"early_stop.patience", BS_INT, AT(stop_patience), "20", "1", "1000000", NULL,
     "evaluations without a better one before stopping", KEEP},
    {"early_stop.epochs", BS_INT, AT(stop_epochs), "1", "0", "100000", NULL,
     "epochs between evaluations; 0 = so many that these take at most a third of the time (seg)",
     KEEP},

    {"net.kind", BS_TEXT, AT(net_kind), "auto", NULL, NULL, NULL,
     "encoder of the net; see 'basin list encoders'; auto: the first that reads what the task has",
     KEEP},
    {"net.layers", BS_INT, AT(net_layers), "2", "0", "64", "1..4",
     "hidden layers of the net (seg has always three)", LINEAR},
    {"net.width", BS_INT, AT(net_width), "400", "1", "100000", "x4",
     "units of a hidden layer; channels of the first convolution (seg)", LOG},
    {"net.dropout", BS_FLOAT, AT(net_dropout), "0.3", "0", "0.95", "0..0.7",
     "share of units dropped in a training step", LINEAR},
    {"net.bias", BS_BOOL, AT(net_bias), "no", NULL, NULL, NULL,
     "a bias for each label that starts at its log odds (mlc)", KEEP},
    {"net.members", BS_INT, AT(net_members), "1", "1", "256", "1..64",
     "nets that share weights, except for a factor per unit, and are averaged (mlc)", LOG},
    {"net.bins", BS_INT, AT(net_bins), "0", "0", "256", "0..32",
     "encode numbers as this many ramps between their quantiles; 0 = unchanged (mlc)", LINEAR},
    {"dropout.both", BS_BOOL, AT(dropout_both), "yes", NULL, NULL, NULL,
     "also in the net or energy that is not being trained", KEEP},
    {"words.width", BS_INT, AT(word_width), "100", "1", "4096", NULL,
     "width of word vectors (tag), unless a file of vectors sets it", KEEP},
    {"words.tuned", BS_BOOL, AT(word_tuned), "no", NULL, NULL, NULL,
     "also train word vectors from a file; without a file they always are", KEEP},
    {"columns.width", BS_INT, AT(column_width), "16", "1", "1024", NULL,
     "width of the vectors of feature values (tag)", KEEP},
    {"chars.net", BS_NAME, AT(char_net), "none", NULL, NULL, "none|cnn|lstm",
     "what reads the characters of a word (tag)", KEEP},
    {"chars.width", BS_INT, AT(char_width), "30", "1", "1024", NULL, "width of character vectors",
     KEEP},
    {"chars.features", BS_INT, AT(char_features), "50", "2", "4096", NULL,
     "width of its output for a word", KEEP},
    {"constrain", BS_BOOL, AT(constrain), "no", NULL, NULL, NULL,
     "predict well-formed spans only (tag)", KEEP},
    {"seg.crop", BS_TEXT, AT(seg_crop), "auto", NULL, NULL, NULL,
     "windows that a net is trained on: WxH, none (whole photos), auto (whole up to 128 a side, "
     "moved by up to an eighth of it)",
     KEEP},
    {"seg.crops", BS_INT, AT(seg_crops), "36", "0", "65536", NULL,
     "0 = photos are predicted as a whole; else by windows that are averaged, at most so many, "
     "always enough to cover it",
     KEEP},
    {"seg.flip", BS_BOOL, AT(seg_flip), "no", NULL, NULL, NULL,
     "half of the windows of training are mirrored, left to right", KEEP},
    {"seg.jitter", BS_FLOAT, AT(seg_jitter), "0", "0", "0.9", NULL,
     "how far contrast, brightness and tint of windows of training vary", LINEAR},
    {"seg.mean", BS_BOOL, AT(seg_mean), "no", NULL, NULL, NULL,
     "subtract the mean colour of the training photos", KEEP},
    {"seg.score", BS_NAME, AT(seg_score), "pooled", NULL, NULL, "pooled|class",
     "soft IoU that energies learn: of all classes but the first at once, or the mean of each",
     KEEP},
    {"seg.smooth", BS_INT, AT(seg_smooth), "0", "0", "64", NULL,
     "pixels that sampled masks are smooth over; 0 = pixels are drawn independently", KEEP},
    {"energy.kind", BS_TEXT, AT(energy_kind), "auto", NULL, NULL, NULL,
     "energy over the labels; see 'basin list energies'", KEEP},
    {"energy.encoder", BS_NAME, AT(energy_encoder), "own", NULL, NULL, "own|shared",
     "what the energy knows x by: its own encoder, or that of the net, which it does not train",
     KEEP | BS_OPTION_LATE},
    {"energy.hidden", BS_INT, AT(energy_hidden), "200", "1", "100000", "x4",
     "units of the energy over labels", LOG},
    {"energy.dropout", BS_FLOAT, AT(energy_dropout), "0.25", "0", "0.95", "0..0.7",
     "share of units of a value network dropped in a training step (seg)", LINEAR},
    {"energy.scale", BS_FLOAT, AT(energy_scale), "1", "0", "1e6", NULL,
     "weight of the energy over labels against the local one", KEEP},
    {"energy.words", BS_FLOAT, AT(energy_words), "1", "0", "1000", "x10",
     "weight of language models that see words against those that do not (lm-words)", LOG},
    {"energy.shift", BS_BOOL, AT(energy_shift), "no", NULL, NULL, NULL,
     "labels are -1 and 1 for it, not 0 and 1", KEEP},
    {"energy.init", BS_NAME, AT(energy_init), "random", NULL, NULL, "random|net",
     "net: its local part starts at the pre-trained net (images: all of it but the first layer)",
     KEEP},
    {"energy.l2", BS_FLOAT, AT(energy_l2), "0", "0", "1e6", "1e-6..1",
     "weight of squared energies, which keeps them from drifting", LOG},

    {"energy.proof", BS_FLOAT, AT(energy_proof), "0", "0", "0.9999", NULL,
     "confidence from validation rows that epochs with the energy need to replace the pre-trained "
     "net; 0 = not tested",
     KEEP},
    {"energy.weight", BS_FLOAT, AT(energy_weight), "1", "0", "1e6", "x10",
     "weight of the energy in the net's loss", LOG},
    {"ce.weight", BS_FLOAT, AT(ce_weight), "1", "0", "1e6", "x10",
     "weight of the cross-entropy in the net's loss; 0 = without", LOG},
    {"weights", BS_TEXT, AT(weights), "none", NULL, NULL, NULL,
     "what labels (where true), tags or classes count in the cross-entropy: none, balanced (rare "
     "ones more, up to 10 times) or NAME=W,NAME=W",
     KEEP | BS_OPTION_LATE},
    {"net.loss", BS_NAME, AT(net_loss), "energy", NULL, NULL, "energy|value|ranking",
     "how the energy enters the net's loss: E, -sigmoid(-E), or ranked against samples", KEEP},
    {"steps.net", BS_INT, AT(steps_net), "1", "1", "1000", "1..4", "net steps a batch", LINEAR},
    {"steps.energy", BS_INT, AT(steps_energy), "1", "0", "1000", "1..4", "energy steps per batch",
     LINEAR},
    {"inner", BS_NAME, AT(inner), "energy", NULL, NULL, "energy|net",
     "whose steps are repeated before each step of the other", KEEP},
    {"cost", BS_NAME, AT(cost), "f1", NULL, NULL, "f1|hamming|l1|squared",
     "how wrong an output is, for margins", KEEP},
    {"margin", BS_FLOAT, AT(margin), "1", "0", "1e6", "x10",
     "weight of the margin loss in the compound one; 0 = perceptron alone", LOG},
    {"perceptron", BS_FLOAT, AT(perceptron), "1", "0", "1e6", "x10",
     "weight of the perceptron loss in the compound one", LOG},
    {"truncate", BS_BOOL, AT(truncate), "no", NULL, NULL, NULL,
     "the net's margin loss is cut at zero, too (infnet, infnet+)", KEEP},
    {"pretrain.epochs", BS_INT, AT(pretrain_epochs), "300", "0", "1000000", NULL,
     "maximum epochs of cross-entropy (up to epochs) that the net starts with", KEEP},
    {"energy.epochs", BS_INT, AT(energy_epochs), "0", "0", "1000000", NULL,
     "maximum epochs of a phase that trains an energy; 0 = epochs", KEEP},
    {"pretrain.lr", BS_FLOAT, AT(pretrain_lr), "0.002", "0", "1000", "x10",
     "learning rate of the net in them", LOG},
    {"pretrain.cache", BS_TEXT, AT(pretrain_cache), "", NULL, NULL, NULL,
     "folder where runs that start alike share the result of these epochs",
     BS_OPTION_ONCE | BS_OPTION_WRITTEN},

    {"infer", BS_NAME, AT(infer), "net", NULL, NULL, "net|gbi|refine|viterbi",
     "how outputs are found: one pass of the net, search of the energy, both, or exactly", KEEP},
    {"gbi.steps", BS_INT, AT(gbi_steps), "20", "1", "10000", "x4",
     "steps of gradient-based inference", LOG},
    {"gbi.test_steps", BS_INT, AT(gbi_test_steps), "0", "0", "10000", NULL,
     "steps when predicting; 0 = the same", KEEP},
    {"gbi.lr", BS_FLOAT, AT(gbi_lr), "0.1", "0", "1e6", "x10", "their rate", LOG},
    {"gbi.start", BS_NAME, AT(gbi_start), "zeros", NULL, NULL, "zeros|uniform|random|net",
     "where they start", KEEP},
    {"gbi.restarts", BS_INT, AT(gbi_restarts), "3", "1", "1000", NULL,
     "random starts; the best result counts", KEEP},
    {"gbi.rule", BS_NAME, AT(gbi_rule), "adam", NULL, NULL, "plain|momentum|adam|normalised|mirror",
     "how y follows the gradient", KEEP},
    {"gbi.space", BS_NAME, AT(gbi_space), "projected", NULL, NULL, "projected|logits",
     "y itself, projected to [0,1], or its logits", KEEP},
    {"gbi.momentum", BS_FLOAT, AT(gbi_momentum), "0.5", "0", "0.9999", NULL, "of momentum", KEEP},
    {"gbi.entropy", BS_FLOAT, AT(gbi_entropy), "0", "0", "1e6", "0.01..10",
     "weight of the entropy of y, which smooths the energy", LOG},
    {"gbi.tolerance", BS_FLOAT, AT(gbi_tolerance), "0", "0", "1", NULL,
     "a row stops once a step is shorter; 0 = never", KEEP},
    {"gbi.halvings", BS_INT, AT(gbi_halvings), "0", "0", "30", NULL,
     "of a step that does not lower the energy (line search); 0 = none", KEEP},
    {"gbi.best", BS_BOOL, AT(gbi_best), "yes", NULL, NULL, NULL,
     "the best iterate is returned, not the last", KEEP},

    {"infnet.form", BS_NAME, AT(infnet_form), "stacked", NULL, NULL,
     "single|separated|shared|stacked",
     "cost-augmented net: the net itself, beside it, on its features, or on its output", KEEP},
    {"infnet.hidden", BS_INT, AT(infnet_hidden), "0", "-1", "100000", NULL,
     "units between a stacked net and its output; 0 = affine, -1 = as many as labels", KEEP},
    {"infnet.ce_both", BS_BOOL, AT(infnet_ce_both), "no", NULL, NULL, NULL,
     "cross-entropy for the cost-augmented net, too, unless it is stacked", KEEP},
    {"infnet.entropy", BS_FLOAT, AT(infnet_entropy), "0", "0", "1e6", "0.001..10",
     "weight of the net's entropy (infnet)", LOG},
    {"infnet.keep", BS_BOOL, AT(infnet_keep), "no", NULL, NULL, NULL,
     "the model keeps the cost-augmented net, for 'basin explain' (infnet+)", KEEP},
    {"infnet.stay", BS_FLOAT, AT(infnet_stay), "0", "0", "1e6", "x10",
     "weight of the squared distance to the pre-trained net (infnet, infnet+, seal-margin)", LOG},
    {"alen.net", BS_FLOAT, AT(alen_net), "1", "0", "1e6", "x10",
     "weight of the net's output in the energy's loss", LOG},
    {"alen.refined", BS_FLOAT, AT(alen_refined), "1", "0", "1e6", "x10",
     "weight of the refined output in it", LOG},
    {"alen.value", BS_NAME, AT(alen_value), "sigmoid", NULL, NULL, "sigmoid|linear",
     "value of an energy", KEEP},
    {"dvn.samples", BS_TEXT, AT(dvn_samples), "inference,adversarial,truth", NULL, NULL, NULL,
     "outputs whose value is learnt, of inference, adversarial, truth", KEEP},
    {"dvn.from_truth", BS_FLOAT, AT(dvn_from_truth), "0", "0", "1", NULL,
     "share of the searches while training that begin at the truth", KEEP},
    {"implicit.solver", BS_NAME, AT(implicit_solver), "series", NULL, NULL,
     "series|cg|diagonal|none", "inverse Hessian of the net's loss", KEEP},
    {"implicit.product", BS_NAME, AT(implicit_product), "exact", NULL, NULL, "exact|central",
     "Hessian times a vector: exact, or by central differences", KEEP},
    {"implicit.terms", BS_INT, AT(implicit_terms), "5", "0", "1000", NULL,
     "of the series, iterations of cg, probes of the diagonal", KEEP},
    {"implicit.rate", BS_FLOAT, AT(implicit_rate), "0", "0", "1e6", "1e-4..0.1",
     "of the series; 0 = by power iteration", LOG},
    {"implicit.damping", BS_FLOAT, AT(implicit_damping), "0.01", "0", "1e6", "x10",
     "added to the Hessian", LOG},

    {"threshold", BS_TEXT, AT(threshold), "auto", NULL, NULL, NULL,
     "auto (tuned on validation), a number, label, top-k or cardinality", KEEP},
    {"threshold.metric", BS_TEXT, AT(threshold_metric), "example_f1", NULL, NULL, NULL,
     "what the threshold is tuned for", KEEP},
    {"threshold.shrink", BS_FLOAT, AT(threshold_shrink), "10", "0", "1e9", NULL,
     "positives at which a label's own threshold counts half", KEEP},
    {"threshold.k", BS_INT, AT(threshold_k), "3", "1", "1000000", NULL, "labels per row for top-k",
     KEEP},
    {"profile", BS_NAME, AT(profile), "sklearn", NULL, NULL, "sklearn|mulan|meka|seal",
     "conventions of the metrics", KEEP},

    {"standardise", BS_NAME, AT(standardise), "auto", NULL, NULL, "auto|yes|no",
     "features to mean 0, deviation 1; auto: numbers of which a quarter is not 0", KEEP},
    {"unlabelled.weight", BS_FLOAT, AT(unlabelled_weight), "0.3", "0", "1", "0.05..1",
     "share of the unlabelled sentences that an epoch goes through (tag)", LINEAR},
    {"rules.temperature", BS_FLOAT, AT(rules_temperature), "1", "0.01", "1000", NULL,
     "rewards of the rules are divided by it: low means that they are sure (tag)", KEEP},
    {"rules.file", BS_TEXT, AT(rules_file), "", NULL, NULL, NULL,
     "rules that score unlabelled sentences (tag)", BS_OPTION_FILE},
    {"auto.budget", BS_FLOAT, AT(auto_budget), "0", "0", "1e9", NULL,
     "method=auto: seconds after which nothing more is tried; 0 = a minute, or longer where one "
     "training takes long",
     0},
    {"auto.trials", BS_INT, AT(auto_trials), "0", "0", "100", NULL,
     "method=auto: how many are tried, however long it takes; 0 = by auto.budget", 0},
    {"folds", BS_INT, AT(folds), "1", "0", "100", NULL,
     "parts of the rows, each of which is left out of one training and judged by it; the model is "
     "the mean of all; 1 = one training, judged on split.valid or --valid; 0 = by the number of "
     "rows",
     KEEP},
    {"ensemble", BS_INT, AT(ensemble), "1", "1", "100", NULL,
     "trainings with seed, seed + 1, ... (for each of the folds), whose mean is the model", KEEP},
    {"split.valid", BS_FLOAT, AT(split_valid), "0.2", "0.01", "0.9", NULL,
     "share of the rows taken for validation when no file is given", KEEP},
    {"split.test", BS_FLOAT, AT(split_test), "0.2", "0", "0.9", NULL,
     "share taken for test when neither is given", KEEP},
    {"checkpoint.seconds", BS_FLOAT, AT(checkpoint_seconds), "10", "0", "1e9", NULL,
     "least time between two checkpoints", 0},
    {"resume.arithmetic", BS_NAME, AT(resume_arithmetic), "same", NULL, NULL, "same|any",
     "resume only with the instruction set and matrix library that a run started with, or with any",
     BS_OPTION_ONCE},
    {"report", BS_BOOL, AT(report), "yes", NULL, NULL, NULL,
     "report.html is written to the run folder when a training is finished", 0},
    {"from", BS_TEXT, AT(from), "", NULL, NULL, NULL,
     "model or run that training continues from, with its nets and settings", BS_OPTION_FILE},
    {"distil", BS_TEXT, AT(distil), "", NULL, NULL, NULL,
     "model or run whose probabilities a net learns, mixed with the truth", BS_OPTION_FILE},
    {"distil.weight", BS_FLOAT, AT(distil_weight), "0.5", "0", "1", NULL,
     "distil: share of the teacher's probabilities; the rest is the truth", 0},
    {"distil.folds", BS_INT, AT(distil_folds), "0", "0", "100", NULL,
     "distil: the first of so many folds is for validation, as made with distil.seed; set if the "
     "teacher was trained by folds of the same rows, which then teaches out of fold",
     0},
    {"distil.seed", BS_INT, AT(distil_seed), "0", "0", "2147483647", NULL,
     "distil: seed of these folds", 0},
    {"file.train", BS_TEXT, AT(file_train), "", NULL, NULL, NULL,
     "training data when none is given: paths with | between them", BS_OPTION_FILE},
    {"file.valid", BS_TEXT, AT(file_valid), "", NULL, NULL, NULL, "the same for validation",
     BS_OPTION_FILE},
    {"file.test", BS_TEXT, AT(file_test), "", NULL, NULL, NULL, "the same for test",
     BS_OPTION_FILE},
    {"file.unlabelled", BS_TEXT, AT(file_unlabelled), "", NULL, NULL, NULL,
     "the same for unlabelled data", BS_OPTION_FILE},
    {.name = NULL},
};

basin_status bs_settings_default(bs_settings *s, basin_error *err)
{
    memset(s, 0, sizeof *s);
    s->read = bs_read_options_default();
    s->text = bs_corpus_options_default();
    s->words = bs_lexicon_options_default();
    s->image = bs_image_options_default();
    basin_status status = bs_options_default(bs_train_rows, &s->train, err);
    if (bs_encoder_place(NULL) > BS_ENCODERS_ROOM)
        return bs_fail(err, BASIN_EARG, "the options of all encoders have %d bytes",
                       (int)BS_ENCODERS_ROOM);
    for (int i = 0; bs_encoders[i] && !status; i++)
        if (bs_encoders[i]->rows)
            status =
                bs_options_default(bs_encoders[i]->rows,
                                   s->train.encoders.bytes + bs_encoder_place(bs_encoders[i]), err);
    return status;
}

const void *bs_encoder_options(const bs_train_options *o, const bs_encoder *e)
{
    return e->rows ? o->encoders.bytes + bs_encoder_place(e) : NULL;
}

/* One table over all structs, so that every form of text is one loop. */
static int append_rows(bs_option *out, int n, const bs_option *rows, size_t shift, unsigned flags)
{
    for (; rows->name && n < BS_SETTINGS_ROWS - 1; rows++) {
        if (flags && !(rows->flags & flags))
            continue;
        out[n] = *rows;
        out[n++].offset += shift;
    }
    return n;
}

/* Rows with any of the flags, or all if flags = 0. */
static void merge(bs_option out[BS_SETTINGS_ROWS], unsigned flags)
{
    int n = append_rows(out, 0, bs_train_rows, offsetof(bs_settings, train), flags);
    for (int i = 0; bs_encoders[i]; i++)
        if (bs_encoders[i]->rows)
            n = append_rows(
                out, n, bs_encoders[i]->rows,
                offsetof(bs_settings, train.encoders) + bs_encoder_place(bs_encoders[i]), flags);
    n = append_rows(out, n, bs_read_rows, offsetof(bs_settings, read), flags);
    n = append_rows(out, n, bs_corpus_rows, offsetof(bs_settings, text), flags);
    n = append_rows(out, n, bs_lexicon_rows, offsetof(bs_settings, words), flags);
    n = append_rows(out, n, bs_image_rows, offsetof(bs_settings, image), flags);
    out[n] = (bs_option){.name = NULL};
}

void bs_settings_rows(bs_option out[BS_SETTINGS_ROWS])
{
    merge(out, 0);
}

basin_status bs_settings_set(bs_settings *s, const char *key, const char *value, const char *where,
                             basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    return bs_options_set(rows, s, key, value, where, err);
}

basin_status bs_settings_words(bs_settings *s, const char *words, const char *where,
                               basin_error *err)
{
    char pair[256];
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " ");
        if (n > 0 && n < sizeof pair) {
            memcpy(pair, at, n);
            pair[n] = '\0';
            char *equals = strchr(pair, '=');
            if (!equals)
                return bs_fail(err, BASIN_EARG, "%s: '%s' is not key=value", where, pair);
            *equals = '\0';
            basin_status status = bs_settings_set(s, pair, equals + 1, where, err);
            if (status)
                return status;
        }
        at += n;
        at += *at == ' ';
    }
    return BASIN_OK;
}

basin_status bs_settings_config(bs_settings *s, const char *text, size_t len, const char *where,
                                basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    return bs_options_from_config(rows, s, text, len, where, err);
}

void bs_settings_write_config(const bs_settings *s, bs_buf *out)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    bs_options_config(rows, s, out);
}

void bs_settings_json(const bs_settings *s, bs_buf *out)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, BS_OPTION_KEEP);
    bs_options_json(rows, s, out);
}

static bool named(const char *name, const char *const *list)
{
    for (; *list; list++) {
        size_t n = strlen(*list);
        bool   group = n > 0 && (*list)[n - 1] == '.';
        if (group ? strncmp(name, *list, n) == 0 : strcmp(name, *list) == 0)
            return true;
    }
    return false;
}

void bs_settings_json_but(const bs_settings *s, const char *const *but, bs_buf *out)
{
    bs_option rows[BS_SETTINGS_ROWS];
    int       n = 0;
    merge(rows, BS_OPTION_KEEP);
    for (int i = 0; rows[i].name; i++)
        if (!named(rows[i].name, but))
            rows[n++] = rows[i];
    rows[n] = (bs_option){.name = NULL};
    bs_options_json(rows, s, out);
}

basin_status bs_settings_take(bs_settings *s, const bs_settings *from, const char *const *list,
                              bool but, basin_error *err)
{
    bs_option    rows[BS_SETTINGS_ROWS];
    bs_buf       value;
    basin_status status = BASIN_OK;
    merge(rows, BS_OPTION_KEEP);
    bs_buf_init(&value, 1 << 16);
    for (const bs_option *r = rows; r->name && !status; r++) {
        if (named(r->name, list) == but)
            continue;
        bs_buf_clear(&value);
        bs_option_format(r, from, &value);
        status = value.failed ? bs_fail_nomem(err)
                              : bs_options_set(rows, s, r->name, value.data ? value.data : "",
                                               "--from", err);
    }
    bs_buf_free(&value);
    return status;
}

basin_status bs_settings_from_json(bs_settings *s, const char *json, size_t len, const char *where,
                                   basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    basin_status status = bs_options_from_json(rows, s, json, len, where, err);
    bs_options_own_limits(rows, s);
    for (const bs_option *r = rows; r->name; r++)
        if (r->flags & (BS_OPTION_FILE | BS_OPTION_WRITTEN) && !(r->flags & BS_OPTION_KEEP))
            bs_options_set(rows, s, r->name, r->def, where, NULL); /* never stored in a model */
    return status;
}

/* One of the files between the | does not exist or is not a regular file. */
static bool names_special(const char *files)
{
    char one[BS_OPTION_TEXT];
    for (const char *at = files; *at;) {
        const size_t n = strcspn(at, "|");
        bs_print(one, sizeof one, "%.*s", (int)n, at);
        if (bs_is_special(one))
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

basin_status bs_settings_from_elsewhere(bs_settings *s, const bs_settings *was, const char *where,
                                        bool *left_out, basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    for (const bs_option *r = rows; r->name; r++) {
        char       *now = (char *)s + r->offset;
        const char *old = (const char *)was + r->offset;
        if (!(r->flags & (BS_OPTION_FILE | BS_OPTION_WRITTEN)) || strcmp(now, old) == 0)
            continue;
        if (r->flags & BS_OPTION_FILE && names_special(now))
            return bs_fail(err, BASIN_EARG,
                           "%s: %s: '%.200s' is not a regular file; anything else must be named "
                           "on the command line, not in a file",
                           where, r->name, now);
        if (r->flags & BS_OPTION_WRITTEN) {
            bs_print(now, BS_OPTION_TEXT, "%s", old);
            *left_out = true;
        }
    }
    return BASIN_OK;
}

void bs_settings_help(bs_buf *out)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    bs_options_help(rows, out);
}
