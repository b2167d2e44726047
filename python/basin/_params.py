"""Named arguments of the estimators, written by python/params; do not edit."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

_Callback = Callable[[Dict[str, Any]], Any]

# as Python spells a setting, and as the library does
KEYS = {
    "dist_shards": "dist.shards",
    "samples_share": "samples.share",
    "samples_noise": "samples.noise",
    "lr_net": "lr.net",
    "lr_energy": "lr.energy",
    "lr_energy_y": "lr.energy.y",
    "decay_net": "decay.net",
    "decay_energy": "decay.energy",
    "decay_energy_y": "decay.energy.y",
    "clip_energy": "clip.energy",
    "optimiser_energy": "optimiser.energy",
    "optimiser_momentum": "optimiser.momentum",
    "optimiser_beta1": "optimiser.beta1",
    "lr_warmup": "lr.warmup",
    "plateau_factor": "plateau.factor",
    "plateau_patience": "plateau.patience",
    "plateau_both": "plateau.both",
    "early_stop_metric": "early_stop.metric",
    "early_stop_at": "early_stop.at",
    "early_stop_patience": "early_stop.patience",
    "early_stop_epochs": "early_stop.epochs",
    "net_kind": "net.kind",
    "net_layers": "net.layers",
    "net_width": "net.width",
    "net_dropout": "net.dropout",
    "net_bias": "net.bias",
    "net_members": "net.members",
    "net_bins": "net.bins",
    "encoder_train": "encoder.train",
    "encoder_pool": "encoder.pool",
    "encoder_length": "encoder.length",
    "encoder_adapter": "encoder.adapter",
    "encoder_dropout": "encoder.dropout",
    "encoder_decay": "encoder.decay",
    "lr_encoder": "lr.encoder",
    "dropout_both": "dropout.both",
    "ngrams_words": "ngrams.words",
    "ngrams_chars": "ngrams.chars",
    "ngrams_limit": "ngrams.limit",
    "ngrams_rows": "ngrams.rows",
    "words_width": "words.width",
    "words_tuned": "words.tuned",
    "columns_width": "columns.width",
    "chars_net": "chars.net",
    "chars_width": "chars.width",
    "chars_features": "chars.features",
    "roles_unique": "roles.unique",
    "seg_crop": "seg.crop",
    "seg_crops": "seg.crops",
    "seg_flip": "seg.flip",
    "seg_jitter": "seg.jitter",
    "seg_mean": "seg.mean",
    "seg_score": "seg.score",
    "seg_smooth": "seg.smooth",
    "energy_kind": "energy.kind",
    "energy_encoder": "energy.encoder",
    "energy_hidden": "energy.hidden",
    "energy_dropout": "energy.dropout",
    "energy_scale": "energy.scale",
    "energy_words": "energy.words",
    "energy_shift": "energy.shift",
    "energy_init": "energy.init",
    "energy_base": "energy.base",
    "energy_l2": "energy.l2",
    "energy_proof": "energy.proof",
    "energy_weight": "energy.weight",
    "ce_weight": "ce.weight",
    "net_loss": "net.loss",
    "steps_net": "steps.net",
    "steps_energy": "steps.energy",
    "pretrain_epochs": "pretrain.epochs",
    "energy_epochs": "energy.epochs",
    "pretrain_lr": "pretrain.lr",
    "pretrain_cache": "pretrain.cache",
    "finetune_epochs": "finetune.epochs",
    "finetune_lr": "finetune.lr",
    "gbi_steps": "gbi.steps",
    "gbi_test_steps": "gbi.test_steps",
    "gbi_lr": "gbi.lr",
    "gbi_start": "gbi.start",
    "gbi_restarts": "gbi.restarts",
    "gbi_rule": "gbi.rule",
    "gbi_space": "gbi.space",
    "gbi_momentum": "gbi.momentum",
    "gbi_entropy": "gbi.entropy",
    "gbi_tolerance": "gbi.tolerance",
    "gbi_halvings": "gbi.halvings",
    "gbi_best": "gbi.best",
    "infnet_form": "infnet.form",
    "infnet_hidden": "infnet.hidden",
    "infnet_ce_both": "infnet.ce_both",
    "infnet_entropy": "infnet.entropy",
    "infnet_keep": "infnet.keep",
    "infnet_stay": "infnet.stay",
    "alen_net": "alen.net",
    "alen_refined": "alen.refined",
    "alen_value": "alen.value",
    "dvn_samples": "dvn.samples",
    "dvn_from_truth": "dvn.from_truth",
    "implicit_solver": "implicit.solver",
    "implicit_product": "implicit.product",
    "implicit_terms": "implicit.terms",
    "implicit_residual": "implicit.residual",
    "implicit_rate": "implicit.rate",
    "implicit_damping": "implicit.damping",
    "implicit_own": "implicit.own",
    "decide_samples": "decide.samples",
    "threshold_metric": "threshold.metric",
    "threshold_shrink": "threshold.shrink",
    "threshold_k": "threshold.k",
    "unlabelled_weight": "unlabelled.weight",
    "rules_temperature": "rules.temperature",
    "rules_file": "rules.file",
    "auto_budget": "auto.budget",
    "auto_trials": "auto.trials",
    "split_valid": "split.valid",
    "split_test": "split.test",
    "checkpoint_seconds": "checkpoint.seconds",
    "resume_arithmetic": "resume.arithmetic",
    "model_dtype": "model.dtype",
    "model_encoder": "model.encoder",
    "distil_weight": "distil.weight",
    "distil_folds": "distil.folds",
    "distil_seed": "distil.seed",
    "file_train": "file.train",
    "file_valid": "file.valid",
    "file_test": "file.test",
    "file_unlabelled": "file.unlabelled",
    "data_format": "data.format",
    "data_labels": "data.labels",
    "data_text_column": "data.text_column",
    "data_label_names": "data.label_names",
    "data_xml": "data.xml",
    "data_label_sep": "data.label_sep",
    "data_nominal": "data.nominal",
    "data_index_base": "data.index_base",
    "data_header": "data.header",
    "data_delimiter": "data.delimiter",
    "data_drop": "data.drop",
    "data_true": "data.true",
    "data_false": "data.false",
    "data_decimal": "data.decimal",
    "data_absent": "data.absent",
    "data_keep_ids": "data.keep_ids",
    "data_root": "data.root",
    "data_drop_unlabelled": "data.drop_unlabelled",
    "data_max_rows": "data.max_rows",
    "data_max_features": "data.max_features",
    "data_max_labels": "data.max_labels",
    "data_max_line_mb": "data.max_line_mb",
    "data_max_mb": "data.max_mb",
    "text_format": "text.format",
    "text_word_column": "text.word_column",
    "text_tag_column": "text.tag_column",
    "text_feature_columns": "text.feature_columns",
    "text_tag_names": "text.tag_names",
    "text_tokens": "text.tokens",
    "text_scheme": "text.scheme",
    "text_to": "text.to",
    "text_predicate_column": "text.predicate_column",
    "text_max_tokens": "text.max_tokens",
    "text_max_sentences": "text.max_sentences",
    "text_max_length": "text.max_length",
    "words_lower": "words.lower",
    "words_digits": "words.digits",
    "words_tweets": "words.tweets",
    "words_case": "words.case",
    "words_min_count": "words.min_count",
    "words_unk_dropout": "words.unk_dropout",
    "words_vectors": "words.vectors",
    "words_clusters": "words.clusters",
    "words_cluster_prefixes": "words.cluster_prefixes",
    "words_keep": "words.keep",
    "chars_min_count": "chars.min_count",
    "chars_max_length": "chars.max_length",
    "image_size": "image.size",
    "image_channels": "image.channels",
    "image_suffix": "image.suffix",
    "mask_suffix": "mask.suffix",
    "mask_names": "mask.names",
    "mask_classes": "mask.classes",
    "mask_ignore": "mask.ignore",
    "mask_binary": "mask.binary",
    "mask_zero_ignored": "mask.zero_ignored",
    "mask_need": "mask.need",
    "mask_full": "mask.full",
    "image_max_side": "image.max_side",
    "image_max_pixels": "image.max_pixels",
    "image_max_images": "image.max_images",
    "image_max_window_mb": "image.max_window_mb",
    "image_max_tile_mb": "image.max_tile_mb",
    "image_max_mb": "image.max_mb",
}


class ClassifierParams:
    DOC = """\
    method : str, default auto
        training method; see 'basin list methods'
    preset : str, default ""
        published settings; see 'basin list presets'
    epochs : int, default 300
        maximum number of epochs
    batch : int, default 32
        rows a step; tune x4
    lr_net : float, default 0.002
        learning rate of the net; tune x10
    lr_energy : float, default 0.001
        learning rate of the energy; tune x10
    decay_net : float, default 1e-5
        weight decay of the net; tune 1e-6..0.1
    net_layers : int, default 2
        hidden layers of the net (seg has always three); tune 1..4
    net_width : int, default 400
        units of a hidden layer; channels of the first convolution (seg); tune x4
    net_dropout : float, default 0.3
        share of units dropped in a training step; tune 0..0.7
    energy_kind : str, default auto
        energy over the labels; see 'basin list energies'
    energy_hidden : int, default 200
        units of the energy over labels; tune x4
    samples : int, default 20
        samples of methods with an energy; tune x4
    infer : str, default net
        how outputs are found: one pass of the net, search of the energy, both, or exactly
        [net|gbi|refine|viterbi]
    decide : str, default threshold
        what is predicted: labels above a threshold, likeliest tags or pixels; or what has the
        best expected metric under P(y|x) ~ exp(-E) [threshold|f1|subset|hamming|jaccard]
    gbi_steps : int, default 20
        steps of gradient-based inference; tune x4
    gbi_lr : float, default 0.1
        their rate; tune x10
    schedule : str, default plateau
        learning rates fall when the score stalls, or to zero at the last epoch of a phase:
        along a cosine, from epoch to epoch, or a line, from step to step
        [plateau|cosine|linear]
    early_stop_metric : str, default auto
        what the best epoch is chosen by; see 'basin list metrics'; auto: the first of the task
    early_stop_patience : int, default 20
        evaluations without a better one before stopping
    split_valid : float, default 0.2
        share of the rows taken for validation when no file is given
    folds : int, default 1
        parts of the rows, each of which is left out of one training and judged by it; the model
        is the mean of all; 1 = one training, judged on split.valid or --valid; 0 = by the
        number of rows
    ensemble : int, default 1
        trainings with seed, seed + 1, ... (for each of the folds), whose mean is the model
    weights : str, default none
        what labels (where true), tags or classes count in the cross-entropy: none, balanced
        (rare ones more, up to 10 times) or NAME=W,NAME=W
    time_limit : float, default 0
        end after this many seconds, the last evaluation and the report included; 0 = none
    pretrain_epochs : int, default 300
        maximum epochs of cross-entropy (up to epochs) that the net starts with
    net_members : int, default 1
        nets that share weights, except for a factor per unit, and are averaged (mlc); tune
        1..64
    net_bins : int, default 0
        encode numbers as this many ramps between their quantiles; 0 = unchanged (mlc); tune
        0..32
    net_bias : bool, default no
        a bias for each label that starts at its log odds (mlc)
    standardise : str, default auto
        features to mean 0, deviation 1; auto: numbers of which a quarter is not 0 [auto|yes|no]
    threshold : str, default auto
        auto (tuned on validation), a number, label, top-k or cardinality
    threshold_metric : str, default example_f1
        what the threshold is tuned for
    options : dict, optional
        Any other setting of `basin list options`, by its key.
    threads : int, optional
        Never changes results; default: OMP_NUM_THREADS, or all cores.
    random_state : int, RandomState or None
        Seed; None is seed 0. The same seed gives the same bits.
    verbose : int
        0: only warnings; 1: a line of progress; 2: also messages.
    callbacks : function, or list of functions, optional
        Called with a dict about ten times a second while fitting; True ends the training.
"""

    def __init__(
        self,
        method: Optional[str] = None,
        *,
        preset: Optional[str] = None,
        epochs: Optional[int] = None,
        batch: Optional[int] = None,
        lr_net: Optional[float] = None,
        lr_energy: Optional[float] = None,
        decay_net: Optional[float] = None,
        net_layers: Optional[int] = None,
        net_width: Optional[int] = None,
        net_dropout: Optional[float] = None,
        energy_kind: Optional[str] = None,
        energy_hidden: Optional[int] = None,
        samples: Optional[int] = None,
        infer: Optional[str] = None,
        decide: Optional[str] = None,
        gbi_steps: Optional[int] = None,
        gbi_lr: Optional[float] = None,
        schedule: Optional[str] = None,
        early_stop_metric: Optional[str] = None,
        early_stop_patience: Optional[int] = None,
        split_valid: Optional[float] = None,
        folds: Optional[int] = None,
        ensemble: Optional[int] = None,
        weights: Optional[Union[str, Mapping[str, float]]] = None,
        time_limit: Optional[float] = None,
        pretrain_epochs: Optional[int] = None,
        net_members: Optional[int] = None,
        net_bins: Optional[int] = None,
        net_bias: Optional[bool] = None,
        standardise: Optional[str] = None,
        threshold: Optional[Union[str, float]] = None,
        threshold_metric: Optional[str] = None,
        options: Optional[Mapping[str, Any]] = None,
        threads: Optional[int] = None,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Union[_Callback, Sequence[_Callback], None] = None,
    ) -> None:
        self.method = method
        self.preset = preset
        self.epochs = epochs
        self.batch = batch
        self.lr_net = lr_net
        self.lr_energy = lr_energy
        self.decay_net = decay_net
        self.net_layers = net_layers
        self.net_width = net_width
        self.net_dropout = net_dropout
        self.energy_kind = energy_kind
        self.energy_hidden = energy_hidden
        self.samples = samples
        self.infer = infer
        self.decide = decide
        self.gbi_steps = gbi_steps
        self.gbi_lr = gbi_lr
        self.schedule = schedule
        self.early_stop_metric = early_stop_metric
        self.early_stop_patience = early_stop_patience
        self.split_valid = split_valid
        self.folds = folds
        self.ensemble = ensemble
        self.weights = weights
        self.time_limit = time_limit
        self.pretrain_epochs = pretrain_epochs
        self.net_members = net_members
        self.net_bins = net_bins
        self.net_bias = net_bias
        self.standardise = standardise
        self.threshold = threshold
        self.threshold_metric = threshold_metric
        self.options = options
        self.threads = threads
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks


class TaggerParams:
    DOC = """\
    method : str, default auto
        training method; see 'basin list methods'
    preset : str, default ""
        published settings; see 'basin list presets'
    epochs : int, default 300
        maximum number of epochs
    batch : int, default 32
        rows a step; tune x4
    lr_net : float, default 0.002
        learning rate of the net; tune x10
    lr_energy : float, default 0.001
        learning rate of the energy; tune x10
    decay_net : float, default 1e-5
        weight decay of the net; tune 1e-6..0.1
    net_layers : int, default 2
        hidden layers of the net (seg has always three); tune 1..4
    net_width : int, default 400
        units of a hidden layer; channels of the first convolution (seg); tune x4
    net_dropout : float, default 0.3
        share of units dropped in a training step; tune 0..0.7
    energy_kind : str, default auto
        energy over the labels; see 'basin list energies'
    energy_hidden : int, default 200
        units of the energy over labels; tune x4
    samples : int, default 20
        samples of methods with an energy; tune x4
    infer : str, default net
        how outputs are found: one pass of the net, search of the energy, both, or exactly
        [net|gbi|refine|viterbi]
    decide : str, default threshold
        what is predicted: labels above a threshold, likeliest tags or pixels; or what has the
        best expected metric under P(y|x) ~ exp(-E) [threshold|f1|subset|hamming|jaccard]
    gbi_steps : int, default 20
        steps of gradient-based inference; tune x4
    gbi_lr : float, default 0.1
        their rate; tune x10
    schedule : str, default plateau
        learning rates fall when the score stalls, or to zero at the last epoch of a phase:
        along a cosine, from epoch to epoch, or a line, from step to step
        [plateau|cosine|linear]
    early_stop_metric : str, default auto
        what the best epoch is chosen by; see 'basin list metrics'; auto: the first of the task
    early_stop_patience : int, default 20
        evaluations without a better one before stopping
    split_valid : float, default 0.2
        share of the rows taken for validation when no file is given
    folds : int, default 1
        parts of the rows, each of which is left out of one training and judged by it; the model
        is the mean of all; 1 = one training, judged on split.valid or --valid; 0 = by the
        number of rows
    ensemble : int, default 1
        trainings with seed, seed + 1, ... (for each of the folds), whose mean is the model
    weights : str, default none
        what labels (where true), tags or classes count in the cross-entropy: none, balanced
        (rare ones more, up to 10 times) or NAME=W,NAME=W
    time_limit : float, default 0
        end after this many seconds, the last evaluation and the report included; 0 = none
    net_kind : str, default auto
        encoder of the net; see 'basin list encoders'; auto: the first that reads what the task
        has
    words_width : int, default 100
        width of word vectors (tag), unless a file of vectors sets it
    words_vectors : str, default ""
        file of word vectors (GloVe or word2vec text) to start from
    words_min_count : int, default 1
        words seen less often in training are unknown
    chars_net : str, default none
        what reads the characters of a word (tag) [none|cnn|lstm]
    constrain : bool, default no
        predict well-formed spans only (tag, roles)
    text_scheme : str, default auto
        how the file's tags encode spans [auto|raw|iob1|iob2|ioe1|ioe2|bioes|bilou]
    options : dict, optional
        Any other setting of `basin list options`, by its key.
    threads : int, optional
        Never changes results; default: OMP_NUM_THREADS, or all cores.
    random_state : int, RandomState or None
        Seed; None is seed 0. The same seed gives the same bits.
    verbose : int
        0: only warnings; 1: a line of progress; 2: also messages.
    callbacks : function, or list of functions, optional
        Called with a dict about ten times a second while fitting; True ends the training.
"""

    def __init__(
        self,
        method: Optional[str] = None,
        *,
        preset: Optional[str] = None,
        epochs: Optional[int] = None,
        batch: Optional[int] = None,
        lr_net: Optional[float] = None,
        lr_energy: Optional[float] = None,
        decay_net: Optional[float] = None,
        net_layers: Optional[int] = None,
        net_width: Optional[int] = None,
        net_dropout: Optional[float] = None,
        energy_kind: Optional[str] = None,
        energy_hidden: Optional[int] = None,
        samples: Optional[int] = None,
        infer: Optional[str] = None,
        decide: Optional[str] = None,
        gbi_steps: Optional[int] = None,
        gbi_lr: Optional[float] = None,
        schedule: Optional[str] = None,
        early_stop_metric: Optional[str] = None,
        early_stop_patience: Optional[int] = None,
        split_valid: Optional[float] = None,
        folds: Optional[int] = None,
        ensemble: Optional[int] = None,
        weights: Optional[Union[str, Mapping[str, float]]] = None,
        time_limit: Optional[float] = None,
        net_kind: Optional[str] = None,
        words_width: Optional[int] = None,
        words_vectors: Optional[str] = None,
        words_min_count: Optional[int] = None,
        chars_net: Optional[str] = None,
        constrain: Optional[bool] = None,
        text_scheme: Optional[str] = None,
        options: Optional[Mapping[str, Any]] = None,
        threads: Optional[int] = None,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Union[_Callback, Sequence[_Callback], None] = None,
    ) -> None:
        self.method = method
        self.preset = preset
        self.epochs = epochs
        self.batch = batch
        self.lr_net = lr_net
        self.lr_energy = lr_energy
        self.decay_net = decay_net
        self.net_layers = net_layers
        self.net_width = net_width
        self.net_dropout = net_dropout
        self.energy_kind = energy_kind
        self.energy_hidden = energy_hidden
        self.samples = samples
        self.infer = infer
        self.decide = decide
        self.gbi_steps = gbi_steps
        self.gbi_lr = gbi_lr
        self.schedule = schedule
        self.early_stop_metric = early_stop_metric
        self.early_stop_patience = early_stop_patience
        self.split_valid = split_valid
        self.folds = folds
        self.ensemble = ensemble
        self.weights = weights
        self.time_limit = time_limit
        self.net_kind = net_kind
        self.words_width = words_width
        self.words_vectors = words_vectors
        self.words_min_count = words_min_count
        self.chars_net = chars_net
        self.constrain = constrain
        self.text_scheme = text_scheme
        self.options = options
        self.threads = threads
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks


class SegmenterParams:
    DOC = """\
    method : str, default auto
        training method; see 'basin list methods'
    preset : str, default ""
        published settings; see 'basin list presets'
    epochs : int, default 300
        maximum number of epochs
    batch : int, default 32
        rows a step; tune x4
    lr_net : float, default 0.002
        learning rate of the net; tune x10
    lr_energy : float, default 0.001
        learning rate of the energy; tune x10
    decay_net : float, default 1e-5
        weight decay of the net; tune 1e-6..0.1
    net_layers : int, default 2
        hidden layers of the net (seg has always three); tune 1..4
    net_width : int, default 400
        units of a hidden layer; channels of the first convolution (seg); tune x4
    net_dropout : float, default 0.3
        share of units dropped in a training step; tune 0..0.7
    energy_kind : str, default auto
        energy over the labels; see 'basin list energies'
    energy_hidden : int, default 200
        units of the energy over labels; tune x4
    samples : int, default 20
        samples of methods with an energy; tune x4
    infer : str, default net
        how outputs are found: one pass of the net, search of the energy, both, or exactly
        [net|gbi|refine|viterbi]
    decide : str, default threshold
        what is predicted: labels above a threshold, likeliest tags or pixels; or what has the
        best expected metric under P(y|x) ~ exp(-E) [threshold|f1|subset|hamming|jaccard]
    gbi_steps : int, default 20
        steps of gradient-based inference; tune x4
    gbi_lr : float, default 0.1
        their rate; tune x10
    schedule : str, default plateau
        learning rates fall when the score stalls, or to zero at the last epoch of a phase:
        along a cosine, from epoch to epoch, or a line, from step to step
        [plateau|cosine|linear]
    early_stop_metric : str, default auto
        what the best epoch is chosen by; see 'basin list metrics'; auto: the first of the task
    early_stop_patience : int, default 20
        evaluations without a better one before stopping
    split_valid : float, default 0.2
        share of the rows taken for validation when no file is given
    folds : int, default 1
        parts of the rows, each of which is left out of one training and judged by it; the model
        is the mean of all; 1 = one training, judged on split.valid or --valid; 0 = by the
        number of rows
    ensemble : int, default 1
        trainings with seed, seed + 1, ... (for each of the folds), whose mean is the model
    weights : str, default none
        what labels (where true), tags or classes count in the cross-entropy: none, balanced
        (rare ones more, up to 10 times) or NAME=W,NAME=W
    time_limit : float, default 0
        end after this many seconds, the last evaluation and the report included; 0 = none
    net_kind : str, default auto
        encoder of the net; see 'basin list encoders'; auto: the first that reads what the task
        has
    seg_crop : str, default auto
        windows that a net is trained on: WxH, none (whole photos), auto (whole up to 128 a
        side, moved by up to an eighth of it)
    seg_crops : int, default 36
        0 = photos are predicted as a whole; else by windows that are averaged, at most so many,
        always enough to cover it
    seg_flip : bool, default no
        half of the windows of training are mirrored, left to right
    seg_jitter : float, default 0
        how far contrast, brightness and tint of windows of training vary
    seg_mean : bool, default no
        subtract the mean colour of the training photos
    image_size : str, default auto
        size of all photos: WxH, keep (unscaled), auto (unscaled if equal and at most 128 a
        side, else a common size up to that)
    options : dict, optional
        Any other setting of `basin list options`, by its key.
    threads : int, optional
        Never changes results; default: OMP_NUM_THREADS, or all cores.
    random_state : int, RandomState or None
        Seed; None is seed 0. The same seed gives the same bits.
    verbose : int
        0: only warnings; 1: a line of progress; 2: also messages.
    callbacks : function, or list of functions, optional
        Called with a dict about ten times a second while fitting; True ends the training.
"""

    def __init__(
        self,
        method: Optional[str] = None,
        *,
        preset: Optional[str] = None,
        epochs: Optional[int] = None,
        batch: Optional[int] = None,
        lr_net: Optional[float] = None,
        lr_energy: Optional[float] = None,
        decay_net: Optional[float] = None,
        net_layers: Optional[int] = None,
        net_width: Optional[int] = None,
        net_dropout: Optional[float] = None,
        energy_kind: Optional[str] = None,
        energy_hidden: Optional[int] = None,
        samples: Optional[int] = None,
        infer: Optional[str] = None,
        decide: Optional[str] = None,
        gbi_steps: Optional[int] = None,
        gbi_lr: Optional[float] = None,
        schedule: Optional[str] = None,
        early_stop_metric: Optional[str] = None,
        early_stop_patience: Optional[int] = None,
        split_valid: Optional[float] = None,
        folds: Optional[int] = None,
        ensemble: Optional[int] = None,
        weights: Optional[Union[str, Mapping[str, float]]] = None,
        time_limit: Optional[float] = None,
        net_kind: Optional[str] = None,
        seg_crop: Optional[str] = None,
        seg_crops: Optional[int] = None,
        seg_flip: Optional[bool] = None,
        seg_jitter: Optional[float] = None,
        seg_mean: Optional[bool] = None,
        image_size: Optional[str] = None,
        options: Optional[Mapping[str, Any]] = None,
        threads: Optional[int] = None,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Union[_Callback, Sequence[_Callback], None] = None,
    ) -> None:
        self.method = method
        self.preset = preset
        self.epochs = epochs
        self.batch = batch
        self.lr_net = lr_net
        self.lr_energy = lr_energy
        self.decay_net = decay_net
        self.net_layers = net_layers
        self.net_width = net_width
        self.net_dropout = net_dropout
        self.energy_kind = energy_kind
        self.energy_hidden = energy_hidden
        self.samples = samples
        self.infer = infer
        self.decide = decide
        self.gbi_steps = gbi_steps
        self.gbi_lr = gbi_lr
        self.schedule = schedule
        self.early_stop_metric = early_stop_metric
        self.early_stop_patience = early_stop_patience
        self.split_valid = split_valid
        self.folds = folds
        self.ensemble = ensemble
        self.weights = weights
        self.time_limit = time_limit
        self.net_kind = net_kind
        self.seg_crop = seg_crop
        self.seg_crops = seg_crops
        self.seg_flip = seg_flip
        self.seg_jitter = seg_jitter
        self.seg_mean = seg_mean
        self.image_size = image_size
        self.options = options
        self.threads = threads
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks
