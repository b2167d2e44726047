"""Estimators in the style of scikit-learn."""

from __future__ import annotations

import os
from typing import (
    Any,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
)

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted
from sklearn.utils.validation import column_or_1d

from . import _data, _errors
from ._data import Data, is_sparse
from ._frame import Columns, is_frame
from ._model import Evaluation, Model, default_threads, option_key, train
from ._params import ClassifierParams, SegmenterParams, TaggerParams
from ._report import Explanation, Report

Self = TypeVar("Self", bound="_Energy")

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_OF_PREDICTIONS = ("gbi.test_steps", "gbi.restarts", "gbi.halvings", "decide.samples")
_NOT_SETTINGS = ("options", "threads", "random_state", "verbose", "callbacks")
_FINITE = (
    "ensure_all_finite"
    if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 6)
    else "force_all_finite"
)


class _Energy(BaseEstimator):
    """What the estimators share: parameters, the training, the model."""

    _task = ""

    def _settings(self) -> Dict[str, Any]:
        """Parameters as settings of the library. Nothing is held back for a test: that is the
        caller's business here."""
        named = self.get_params(deep=False)
        seed = named["random_state"]
        if seed is None:
            seed = 0
        elif not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31 - 1)
        found: Dict[str, Any] = {"task": self._task, "seed": int(seed), "split.test": 0}
        found["threads"] = default_threads() if named["threads"] is None else named["threads"]
        found.update({k: v for k, v in named.items() if k not in _NOT_SETTINGS and v is not None})
        if not isinstance(named["options"] or {}, Mapping):
            raise TypeError('options is a dict such as {"gbi.steps": 20}')
        found.update(named["options"] or {})
        return found

    def _train(self: Self, data: Data, valid: Optional[Data]) -> Self:
        try:
            model = train(
                self._settings(),
                data,
                valid,
                callbacks=self.callbacks or (),
                verbose=int(self.verbose),
            )
        except _errors.Interrupted as e:
            if e.model is not None:
                self._take_model(e.model)
            raise
        return self._take_model(model)

    def _take_model(self: Self, model: Model) -> Self:
        model.threads = getattr(self, "threads", None)
        chosen = getattr(self, "options", None) or {}
        model.options = {k: v for k, v in chosen.items() if option_key(k) in _OF_PREDICTIONS}
        self.model_ = model
        self.history_ = model.history
        self.loss_curve_ = [e.get("loss_net", e.get("loss_energy")) for e in model.history]
        self.validation_scores_ = [
            next(iter((e.get("valid") or {}).values()), None) for e in model.history
        ]
        self.n_iter_ = len(model.history)
        return self

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model to a file, which `basin predict` and C programs can use."""
        check_is_fitted(self)
        self.model_.save(path)

    @classmethod
    def load(cls: Type[Self], path: Union[str, "os.PathLike[str]"]) -> Self:
        """A fitted estimator from a model file or a run folder of `basin train`.

        What the file does not know is not restored: parameters have their defaults, and outputs
        are named as in it (pickle keeps everything).
        """
        model = Model.load(path)
        if model.task != cls._task:
            raise ValueError(
                f"{os.fspath(path)}: a model of task {model.task}; {cls.__name__} needs {cls._task}"
            )
        new = cls()
        new._adopt(model)
        return new._take_model(model)

    def _adopt(self, model: Model) -> None:
        pass

    def evaluate(
        self, X: Any, y: Any, *, per_label: bool = False, decide: Optional[str] = None
    ) -> Evaluation:
        """All scores on labelled data; printed, they are a table. `decide` as for predict."""
        check_is_fitted(self)
        return self.model_.evaluate(self._data_for(X, y), per_label=per_label, decide=decide)

    def energy(self, X: Any, y: Any) -> Any:
        """The energy E(x, y) of these outputs, (n,): low where they fit the input. For methods that
        train one, and keep it."""
        check_is_fitted(self)
        return self.model_.energy(self._data_for(X, y))

    def report(self, X: Any, y: Any) -> Report:
        """Scores on labelled data, by label, and the curves of the training: a page in a notebook,
        text elsewhere."""
        return Report(repr(self), self.evaluate(X, y, per_label=True), self.history_)

    def _data_for(self, X: Any, y: Any) -> Data:
        raise NotImplementedError


def _pair(eval_set: Any) -> Tuple[Any, Any]:
    if isinstance(eval_set, list) and len(eval_set) == 1:
        eval_set = eval_set[0]  # as other libraries write it
    if not isinstance(eval_set, tuple) or len(eval_set) != 2:
        raise ValueError("eval_set is a tuple (X, y)")
    return eval_set[0], eval_set[1]


def _is_label_lists(y: Any) -> bool:
    """Whether y is a list with a list or set of labels per row, and not a matrix of 0 and 1."""
    if not isinstance(y, (list, tuple)) and not (
        getattr(y, "dtype", None) == object and getattr(y, "ndim", 0) == 1
    ):
        return False
    rows = list(y)
    kinds = [isinstance(row, (list, tuple, set, frozenset)) for row in rows]
    for i, row in enumerate(rows):
        if row is None and any(kinds):
            raise ValueError(f"row {i} of y is None; a row without labels has []")
    if not rows or not all(kinds):
        return False
    if (
        any(isinstance(row, (set, frozenset)) for row in rows)
        or len({len(row) for row in rows}) > 1
    ):
        return True
    return not len(rows[0]) or any(isinstance(v, (str, bytes)) for row in rows for v in row)


class EnergyClassifier(ClassifierParams, ClassifierMixin, _Energy):
    __doc__ = f"""Label sets by an energy network, or by a net that was trained with one.

    Rows may have any number of labels (an indicator matrix, dense or sparse, or a list with a list
    or set of labels per row) or exactly one (1-D `y`). Features are numbers in an array, a scipy
    sparse matrix of any format, or a pandas frame, whose categories and texts become one feature
    for each value. NaN is a missing value. float32 rows in C order and CSR matrices of float32 with
    int32 indices are not copied.

    Arguments that are None have the default of the method. The default method is the usual one of
    the task; `basin train` without a method compares several, which takes longer.

    Parameters
    ----------
{ClassifierParams.DOC}
    Attributes
    ----------
    classes_ : array
        Classes of 1-D `y`, labels of lists, `arange(labels)` for an indicator matrix.
    label_names_ : list of str
    model_ : basin.Model
    loss_curve_, validation_scores_ : list of float, one per epoch
    history_ : list of dict
        All that was logged per epoch.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : array of str, if X was a frame

    Examples
    --------
    >>> import numpy as np
    >>> from basin import EnergyClassifier
    >>> X = np.random.default_rng(0).normal(size=(120, 4))
    >>> names = [[n for n, on in zip(["a", "b"], row) if on] for row in X[:, :2] > 0]
    >>> clf = EnergyClassifier("ce", epochs=40, net_width=32, random_state=1).fit(X, names)
    >>> clf.label_names_
    ['a', 'b']
    >>> clf.predict([[2.0, 2.0, 0.0, 0.0]])
    [['a', 'b']]
    """

    _task = "mlc"
    _columns: Optional[Columns]
    _kind: str

    def _more_tags(self) -> Dict[str, Any]:
        return {"multilabel": True, "allow_nan": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        return tags

    # ---- X ----

    _names_and_number_old = hasattr(BaseEstimator, "_check_feature_names")  # until 1.5

    def _names_and_number(self, X: Any, reset: bool) -> None:
        if self._names_and_number_old:
            self._check_feature_names(X, reset=reset)
            self._check_n_features(X, reset=reset)
        else:
            from sklearn.utils.validation import validate_data

            validate_data(self, X, reset=reset, skip_check_array=True)

    def _rows(self, X: Any, reset: bool) -> Any:
        """What the library reads: float32 rows, or a CSR matrix."""
        if is_frame(X):
            self._names_and_number(X, reset)
            if reset:
                self._columns = Columns(X)
            return (
                self._array(X, False)
                if self._columns is None
                else self._check(self._columns.numbers(X))
            )
        if reset:
            self._columns = None
        elif self._columns is not None and len(self._columns.names) != self.n_features_in_:
            raise ValueError("fitted on a frame with categories; X must be a frame, too")
        return self._array(X, reset)

    def _check(self, X: Any, samples: int = 1) -> Any:
        return check_array(
            X,
            accept_sparse="csr",
            dtype=np.float32,
            order="C",
            estimator=self,
            ensure_min_samples=samples,
            input_name="X",
            **{_FINITE: "allow-nan"},
        )

    def _array(self, X: Any, reset: bool) -> Any:
        with np.errstate(over="ignore"):
            array = self._check(X, 2 if reset else 1)
        self._names_and_number(X if hasattr(X, "shape") else array, reset)
        return array

    # ---- y ----

    def _learn_y(self, y: Any) -> Tuple[Any, Any, int, Optional[List[str]]]:
        """Starts and numbers of labels, how many there are, their names; how y was given."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        if _is_label_lists(y):
            self._kind = "lists"
            found = {v for row in y for v in row}
            if not found:
                raise ValueError("no row of y has a label")
            try:
                names = sorted(found)
            except TypeError:
                names = sorted(found, key=lambda v: (str(type(v)), str(v)))
            self.classes_ = np.array(
                names, dtype=None if len({type(v) for v in names}) == 1 else object
            )
            return self._known_y(y)
        columns = [str(c) for c in y.columns] if is_frame(y) else None
        if not is_sparse(y):
            y = check_array(y, ensure_2d=False, dtype=None, input_name="y", estimator=self)
            if y.ndim == 1 or (y.ndim == 2 and y.shape[1] == 1):
                y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y")
        if kind in ("binary", "multiclass"):
            self._kind, self._dtype = "single", y.dtype
            self.classes_ = np.unique(y)
            if len(self.classes_) < 2:
                raise ValueError("y has one class; at least 2 classes are needed")
        elif kind == "multilabel-indicator":
            self._kind, self._dtype = "indicator", y.dtype
            self.classes_ = np.arange(y.shape[1])
        else:
            raise ValueError(f"y is {kind}; a row has one class, or several labels of 0 and 1")
        return self._known_y(y, columns)

    def _known_y(
        self, y: Any, columns: Optional[List[str]] = None
    ) -> Tuple[Any, Any, int, Optional[List[str]]]:
        L = len(self.classes_)
        names: Optional[List[str]] = columns or [str(c) for c in self.classes_]
        if self._kind == "lists":
            index = {v: i for i, v in enumerate(self.classes_.tolist())}
            try:
                start, label = _data.label_lists(y, index.__getitem__)
            except KeyError as e:
                raise ValueError(f"y contains the previously unseen label {e}") from None
            return start, label, L, names
        if self._kind == "indicator":
            if getattr(y, "ndim", 2) != 2 or np.shape(y)[1] != L:
                raise ValueError(f"y is {np.shape(y)}; {L} columns of 0 and 1 are needed")
            start, label, _ = _data.indicator(y)
            return start, label, L, columns
        y = column_or_1d(y)
        label = np.searchsorted(self.classes_, y).clip(0, L - 1).astype(np.int32)
        if (self.classes_[label] != y).any():
            raise ValueError(
                f"y contains previously unseen labels: {y[self.classes_[label] != y][:3]}"
            )
        return np.arange(len(y) + 1, dtype=np.int64), label, L, names

    def _array_y(self, y: Any) -> Any:
        return np.asarray(y) if self._kind == "indicator" and not is_sparse(y) else y

    # ---- fit ----

    def _settings(self) -> Dict[str, Any]:
        found = super()._settings()
        self._check_decision(found.get("decide"))
        return found

    def fit(self, X: Any, y: Any, eval_set: Any = None) -> "EnergyClassifier":
        """Trains.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, features)
        y : labels: (n,), (n, labels) of 0 and 1, or a list of label lists
        eval_set : tuple (X, y), optional
            Rows that early stopping and the threshold go by; else a share of X (`split_valid`).

        Returns
        -------
        self

        Raises
        ------
        Interrupted
            After Ctrl-C. The estimator then has the best model so far, if there is one.
        """
        rows = self._rows(X, True)
        start, label, L, names = self._learn_y(y)
        if len(start) - 1 != rows.shape[0]:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{[rows.shape[0], len(start) - 1]}"
            )
        features = self._feature_names()
        data = Data.label_sets(rows, start, label, L, features, names, self._categories())
        valid = None
        if eval_set is not None:
            X_valid, y_valid = _pair(eval_set)
            valid = self._known_data(X_valid, y_valid, is_sparse(rows), features, names)
        return self._train(data, valid)

    def _categories(self) -> Sequence[Optional[Tuple[str, str]]]:
        return self._columns.categories if self._columns is not None else ()

    def _feature_names(self) -> Optional[List[str]]:
        if self._columns is not None:
            return self._columns.names
        return (
            [str(n) for n in self.feature_names_in_] if hasattr(self, "feature_names_in_") else None
        )

    def _known_data(
        self, X: Any, y: Any, sparse: Optional[bool], features: Any, names: Any
    ) -> Data:
        rows = self._rows(X, False)
        if sparse is not None and is_sparse(rows) != sparse:
            from scipy.sparse import csr_matrix

            rows = csr_matrix(rows) if sparse else np.ascontiguousarray(rows.toarray())
        start, label, L, _ = self._known_y(self._array_y(y))
        return Data.label_sets(rows, start, label, L, features, names, self._categories())

    def _take_model(self, model: Model) -> "EnergyClassifier":
        super()._take_model(model)
        self.label_names_ = list(model.labels)
        return self

    def _adopt(self, model: Model) -> None:
        if model.reads_texts != isinstance(self, EnergyTextClassifier):
            a, kind = ("a", "Text") if model.reads_texts else ("no", "")
            raise ValueError(f"rows of this model have {a} text; Energy{kind}Classifier loads it")
        self._kind, self._columns = "lists", None
        self.classes_ = np.array(model.labels)
        self.n_features_in_ = model.n_features

    def _data_for(self, X: Any, y: Any) -> Data:
        return self._known_data(X, y, None, self._feature_names(), list(self.label_names_))

    # ---- predictions ----

    def _input(self, X: Any) -> Any:
        """What the model reads."""
        model = self.__dict__.get("model_")
        if (
            model is not None
            and type(X) is np.ndarray
            and X.dtype in _FLOATS
            and X.ndim == 2
            and X.shape[1] == self.n_features_in_ == model.n_features
            and len(X)
            and "feature_names_in_" not in self.__dict__
        ):
            # nothing is left to check: the library finds infinite values
            return _data.dense_rows(X)
        check_is_fitted(self)
        return self._rows(X, False)

    def _probabilities(self, X: Any) -> Any:
        """[rows, labels] of float32, independently for each label."""
        rows = self._input(X)
        return self.model_._scores(rows)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of labels, (n, L), strictly between 0 and 1: for 1-D `y` of the classes,
        which sum to 1; otherwise of each label by itself."""
        p = self._probabilities(X)
        if self._kind != "single":
            return p
        p = p.astype(np.float64)
        return p / p.sum(axis=1, keepdims=True)

    def decision_function(self, X: Any) -> Any:
        """Logits, (n, L): above 0 where a probability is above 0.5. For 1-D `y` with two classes
        (n,): the logarithm of the odds of the second."""
        p = self._probabilities(X).astype(np.float64)
        if self._kind == "single" and len(self.classes_) == 2:
            return np.log(p[:, 1]) - np.log(p[:, 0])
        return np.log(p) - np.log1p(-p)

    def _check_decision(self, decide: Optional[str]) -> None:
        if self._kind == "single" and decide not in (None, "threshold"):
            raise ValueError(
                f"decide: {decide} is for sets of labels; here a row has one class, the likeliest"
            )

    def predict(self, X: Any, *, decide: Optional[str] = None) -> Any:
        """Outputs in the form of the `y` of fit: classes (the likeliest), an indicator matrix or
        label lists.

        Parameters
        ----------
        X : array, sparse matrix or frame
        decide : str, optional
            How sets of labels are decided: "threshold", or by an energy as the one with the best
            expected "f1", "subset" accuracy, "hamming" loss or "jaccard" index. Default: as the
            model was trained (`decide` of the class).
        """
        rows = self._input(X)
        self._check_decision(decide)
        if self._kind == "single":
            return self.classes_[self.model_._scores(rows).argmax(axis=1)]
        on = self.model_._sets(rows, decide)
        if self._kind == "indicator":
            return on.astype(self._dtype)
        names = self.classes_.tolist()
        return [[names[k] for k in np.flatnonzero(row)] for row in on]

    def explain(self, X: Any, y: Any = None) -> Explanation:
        """Which labels the energy wants together at the model's outputs for X, next to how often
        they occur together in y. For methods that train an energy, and keep it."""
        pairs = self.model_.interactions(self._probabilities(X))
        together = None
        if y is not None:
            start, label, L, _ = self._known_y(self._array_y(y))
            on = np.zeros((len(start) - 1, L))
            on[np.repeat(np.arange(len(start) - 1), np.diff(start)), label] = 1
            together = on.T @ on
        return Explanation(list(self.label_names_), pairs, together)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of rows whose class, or whole set of labels, is right."""
        if getattr(self, "_kind", "single") != "lists":
            return float(super().score(X, y, sample_weight))
        right = [set(a) == set(b) for a, b in zip(self.predict(X), y)]
        return float(np.average(right, weights=sample_weight))


class EnergyTextClassifier(EnergyClassifier):
    __doc__ = f"""Labels of documents by an energy network, or by a net that was trained with one.

    X is a list of str, a pandas Series or an array of them; None and NaN are empty texts. Texts
    become n-grams of words and characters weighed by tf-idf (`options={{"ngrams.chars": 5}}` and
    the like). Rows may have numbers besides: `columns`, an array, sparse matrix or frame as
    :class:`EnergyClassifier` takes it. `y` is as there.

    Parameters
    ----------
{ClassifierParams.DOC}
    Examples
    --------
    >>> from basin import EnergyTextClassifier
    >>> texts = ["oil prices rise", "wheat and corn", "crude oil output", "corn exports"] * 20
    >>> labels = [["oil"], ["grain", "wheat"], ["oil"], ["grain"]] * 20
    >>> clf = EnergyTextClassifier("ce", epochs=30, random_state=1).fit(texts, labels)
    >>> clf.predict(["crude oil"])
    [['oil']]
    """

    def _more_tags(self) -> Dict[str, Any]:
        return {"multilabel": True, "X_types": ["string"], "no_validation": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags

    def _rows(self, X: Any, reset: bool) -> Any:
        texts, columns = X if isinstance(X, _Beside) else (X, None)
        if reset:
            self._columns = None
        if not reset and (columns is None) != (self.n_features_in_ == 0):
            raise ValueError(
                "fitted on texts with columns: predictions need columns, too"
                if columns is None
                else "fitted on texts alone: predictions take no columns"
            )
        rows = None if columns is None else super()._rows(columns, reset)
        if reset and rows is None:
            self.n_features_in_ = 0
        return _data.Documents(texts, rows)

    def fit(
        self, X: Any, y: Any, eval_set: Any = None, columns: Any = None
    ) -> "EnergyTextClassifier":
        """Trains.

        Parameters
        ----------
        X : list of str, Series or array of texts
        y : labels: (n,), (n, labels) of 0 and 1, or a list of label lists
        eval_set : tuple (X, y) or (X, y, columns), optional
            Texts that early stopping and the threshold go by; else a share of X (`split_valid`).
        columns : array, sparse matrix or frame of shape (n, features), optional

        Returns
        -------
        self
        """
        if isinstance(eval_set, tuple) and len(eval_set) == 3:
            eval_set = (_beside(eval_set[0], eval_set[2]), eval_set[1])
        super().fit(_beside(X, columns), y, eval_set)
        return self

    def _input(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._rows(X, False)

    def predict(self, X: Any, columns: Any = None, *, decide: Optional[str] = None) -> Any:
        """Outputs in the form of the `y` of fit; `decide` as of :class:`EnergyClassifier`."""
        return super().predict(_beside(X, columns), decide=decide)

    def predict_proba(self, X: Any, columns: Any = None) -> Any:
        """Probabilities of labels, as of :class:`EnergyClassifier`."""
        return super().predict_proba(_beside(X, columns))

    def decision_function(self, X: Any, columns: Any = None) -> Any:
        """Logits, as of :class:`EnergyClassifier`."""
        return super().decision_function(_beside(X, columns))

    def evaluate(
        self,
        X: Any,
        y: Any,
        *,
        per_label: bool = False,
        decide: Optional[str] = None,
        columns: Any = None,
    ) -> Evaluation:
        """All scores on labelled data; printed, they are a table. `decide` as for predict."""
        return super().evaluate(_beside(X, columns), y, per_label=per_label, decide=decide)

    def energy(self, X: Any, y: Any, columns: Any = None) -> Any:
        """The energy E(x, y) of label sets, as of :class:`EnergyClassifier`."""
        return super().energy(_beside(X, columns), y)


class _Beside(Tuple[Any, Any]):
    """Texts and columns."""


def _beside(X: Any, columns: Any) -> Any:
    return X if columns is None else _Beside((X, columns))


class _Sequences(_Energy):
    """Estimators of outputs that are no labels of rows."""

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": [self._task], "no_validation": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self: Self, X: Any, y: Any, eval_set: Any = None) -> Self:
        """Trains.

        Parameters
        ----------
        X, y : inputs and outputs, as the class describes
        eval_set : tuple (X, y), optional
            What early stopping goes by; else a share of X (`split_valid`).

        Raises
        ------
        Interrupted
            After Ctrl-C. The estimator then has the best model so far, if there is one.
        """
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        check_consistent_length(X, y)
        valid = None if eval_set is None else self._data_for(*_pair(eval_set))
        return self._train(self._data_for(X, y), valid)

    def _take_model(self: Self, model: Model) -> Self:
        super()._take_model(model)
        self.classes_ = list(model.labels)
        return self

    def score(self, X: Any, y: Any) -> float:
        """The first metric of the task: see `evaluate` for the others."""
        return next(iter(self.evaluate(X, y).metrics.values()))


class EnergyTagger(TaggerParams, _Sequences):
    __doc__ = f"""Tags for the tokens of sentences.

    A sentence is a list of tokens, a token a word, or a tuple of the word and further features
    (equally many for all tokens, None where unknown). `y` has a list of tags for each sentence;
    tags of spans may be in any scheme (IOB1, IOB2, BIOES, ...), which predictions keep to.

    Parameters
    ----------
{TaggerParams.DOC}
    Attributes
    ----------
    classes_ : list of str
        Tags in the order of probabilities: those of spans in BIOES, whatever `y` has.
    model_, loss_curve_, validation_scores_, history_, n_iter_ : as of EnergyClassifier

    Examples
    --------
    >>> from basin import EnergyTagger
    >>> X = [["Ada", "Lund", "lives", "in", "Rome"], ["Bo", "sings"]] * 20
    >>> y = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["B-PER", "O"]] * 20
    >>> tagger = EnergyTagger("ce", epochs=60, net_width=16, lr_net=0.02).fit(X, y)
    >>> tagger.predict_single(["Ada", "Lund", "sings"])
    ['B-PER', 'I-PER', 'O']
    >>> tagger.spans([["Bo", "lives", "in", "Rome"]])
    [[(0, 1, 'PER'), (3, 4, 'LOC')]]
    """

    _task = "tag"

    def _data_for(self, X: Any, y: Any) -> Data:
        return Data.sentences(X, y)

    def predict(
        self, X: Sequence[Sequence[Any]], *, decide: Optional[str] = None
    ) -> List[List[str]]:
        """A list of tags for each sentence: the likeliest, or what an energy decides on ("f1",
        "subset", "hamming"). Default: as the model was trained (`decide` of the class)."""
        check_is_fitted(self)
        tags: List[List[str]] = self.model_.predict(X, decide=decide)
        return tags

    def predict_single(self, sentence: Sequence[Any], *, decide: Optional[str] = None) -> List[str]:
        """The tags of one sentence."""
        return self.predict([sentence], decide=decide)[0]

    def predict_proba(self, X: Sequence[Sequence[Any]]) -> List[Any]:
        """An array (tokens, tags) of probabilities for each sentence."""
        check_is_fitted(self)
        found: List[Any] = self.model_.predict_proba(X)
        return found

    def predict_marginals(self, X: Sequence[Sequence[Any]]) -> List[List[Dict[str, float]]]:
        """For each token of each sentence a dict of the probabilities of tags."""
        return [
            [dict(zip(self.classes_, row.tolist())) for row in p] for p in self.predict_proba(X)
        ]

    def predict_marginals_single(self, sentence: Sequence[Any]) -> List[Dict[str, float]]:
        """The same for one sentence."""
        return self.predict_marginals([sentence])[0]

    def explain(self, X: Sequence[Sequence[Any]], y: Any = None) -> Explanation:
        """Which tags the energy wants after which at the model's outputs for X, next to how often
        they follow in y. For methods that train an energy, and keep it."""
        check_is_fitted(self)
        pairs, follows = self.model_.interactions_of(Data.sentences(X, y), y is not None)
        return Explanation(list(self.classes_), pairs, follows, "then")

    def spans(
        self, X: Sequence[Sequence[Any]], *, decide: Optional[str] = None
    ) -> List[List[Tuple[int, int, str]]]:
        """The predicted spans of each sentence: first token, end, type."""
        check_is_fitted(self)
        return self.model_.predict_spans(X, decide=decide)


class EnergySegmenter(SegmenterParams, _Sequences):
    __doc__ = f"""Masks for photos.

    `X` is an array (n, height, width[, channels]) of 8-bit integers, or a list of such photos of
    any sizes, grey or RGB; `y` the masks: (n, height, width), or a list, of class numbers, 255
    where none counts.

    Parameters
    ----------
{SegmenterParams.DOC}
    Attributes
    ----------
    classes_ : list of str
        Names of the classes.
    model_, loss_curve_, validation_scores_, history_, n_iter_ : as of EnergyClassifier

    Examples
    --------
    >>> import numpy as np
    >>> from basin import EnergySegmenter
    >>> X = np.random.default_rng(0).integers(0, 255, (12, 16, 16, 3)).astype(np.uint8)
    >>> y = (X[..., 0] > 127).astype(np.uint8)
    >>> seg = EnergySegmenter("ce", epochs=2, net_width=4).fit(X, y)
    >>> seg.predict(X).shape
    (12, 16, 16)
    """

    _task = "seg"

    def _data_for(self, X: Any, y: Any) -> Data:
        return Data.images(X, y)

    @staticmethod
    def _stack(found: List[Any], X: Any) -> Any:
        return np.stack(found) if isinstance(X, np.ndarray) and len(found) else found

    def predict(self, X: Any, *, decide: Optional[str] = None) -> Any:
        """Masks of class numbers: an array if X is one, else a list. Those of two classes may be
        decided by an energy ("f1", "subset", "hamming", "jaccard"). Default: as the model was
        trained (`decide` of the class)."""
        check_is_fitted(self)
        return self._stack(self.model_.predict(X, decide=decide), X)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of class 1 (height, width) or, of more than two classes, of all (classes,
        height, width); stacked as by predict."""
        check_is_fitted(self)
        return self._stack(self.model_.predict_proba(X), X)

    def explain(self, X: Any, y: Any = None) -> Explanation:
        """At which offsets the energy wants pixels to be of the same class, in the middle of at
        most eight photos of X, next to how the classes in the masks y correlate. For methods that
        train an energy, and keep it."""
        check_is_fitted(self)
        pairs, masks = self.model_.interactions_of(Data.images(X, y), y is not None)
        far = len(pairs) // 2
        offsets = [f"{d:+d}" if d else "0" for d in range(-far, far + 1)]
        return Explanation(offsets, pairs, masks, ",")
