"""Models and training, with numpy alone."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import threading
import time
import warnings
from collections import deque
from ctypes import byref, c_char_p, c_int, c_int32, c_void_p
from typing import (
    Any,
    Callable,
    Deque,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy as np

from . import _data, _errors, _lib
from ._data import Data, address
from ._lib import call, lib, texts

Callback = Callable[[Dict[str, Any]], Any]
Callbacks = Union[Callback, Iterable[Callback]]


def default_threads() -> int:
    """What OMP_NUM_THREADS allows (joblib sets it in its workers), else 0: all cores."""
    try:
        return max(0, int(os.environ.get("OMP_NUM_THREADS", "0").split(",")[0]))
    except ValueError:
        return 0


def in_pieces(n: int, work: Callable[[int, int], None]) -> None:
    """Calls work(first, end) for 0..n in pieces of about 50 ms, between which Ctrl-C is heard.
    Scores do not depend on how rows are divided."""
    first, size = 0, 256
    while first < n:
        end = min(n, first + size)
        begun = time.perf_counter()
        work(first, end)
        seconds = time.perf_counter() - begun
        if seconds < 0.05:
            size *= 2
        first = end


class _Handle:
    """A model of the library, and its predictors, which must be freed before it: the garbage
    collector, which frees cycles in any order, shall not decide that."""

    __slots__ = ("pointer", "predictors")

    def __init__(self, pointer: c_void_p) -> None:
        self.pointer = pointer
        self.predictors: List[c_void_p] = []

    def __del__(
        self, free: Any = lib.basin_model_free, free_predictor: Any = lib.basin_predictor_free
    ) -> None:
        for predictor in self.predictors:
            free_predictor(predictor)
        free(self.pointer)


class Model:
    """A trained model, immutable, usable from several threads and after a fork.

    Made by :func:`basin.train`, :meth:`load` or :meth:`from_bytes`. Pickling it keeps the bytes of
    its file.

    Attributes
    ----------
    task : str
        "mlc" (label sets), "tag" (sentences), "seg" (images) or "roles" (semantic roles).
    labels : list of str
        Labels, tags or pixel classes in the order of all outputs.
    decision : str
        How predictions are decided: "threshold", or what the model was trained with (`decide`).
    options : dict
        Settings of predictions, as of `basin predict --set`: how long a search is
        (`gbi.test_steps`), how many samples decide (`decide.samples`), limits. May be changed.
    card : dict
        Scores measured after training.
    history : list of dict
        What was logged for each epoch; only after :func:`basin.train`.
    summary : dict
        Result of the training; only after :func:`basin.train`.
    """

    def __init__(self, handle: c_void_p, threads: Optional[int] = None) -> None:
        if not isinstance(handle, c_void_p):
            raise TypeError("a model is read from a file or a run folder by Model.load(path)")
        self._owner = _Handle(handle)
        self._handle = handle
        self._idle: Dict[_Way, Deque[_Predictor]] = {}
        self.threads = threads
        self.options: Dict[str, Any] = {}
        self.history: List[Dict[str, Any]] = []
        self.summary: Dict[str, Any] = {}
        self.task: str = lib.basin_model_task(handle).decode()
        self.decision: str = lib.basin_model_decision(handle).decode()
        self.labels: List[str] = [
            lib.basin_model_label(handle, i).decode() for i in range(lib.basin_model_labels(handle))
        ]
        self.n_features: int = lib.basin_model_features(handle)
        self._texts: Dict[bytes, str] = {}  # tags by their bytes

    @classmethod
    def load(
        cls,
        path: Union[str, "os.PathLike[str]"],
        *,
        threads: Optional[int] = None,
        encoder: Union[str, "os.PathLike[str]", None] = None,
    ) -> "Model":
        """Reads a model file, or the best model of a run folder.

        Parameters
        ----------
        path : path of a file or folder
        threads : int, optional
            For predictions; default: OMP_NUM_THREADS, or all cores. Never changes results.
        encoder : path of a folder, optional
            The pretrained encoder of a model that was stored without it; default: found beside the
            model, where the config of its run says, or in the folders of ``$BASIN_ENCODERS``.
        """
        handle = c_void_p()
        options = _lib.ModelOptions(encoder=None if encoder is None else os.fsencode(encoder))
        call(lib.basin_model_load_with, os.fsencode(path), byref(options), byref(handle))
        return cls(handle, threads)

    @classmethod
    def from_bytes(cls, raw: bytes, *, threads: Optional[int] = None) -> "Model":
        """A model from the bytes of its file."""
        handle = c_void_p()
        call(lib.basin_model_read, bytes(raw), len(raw), byref(handle))
        return cls(handle, threads)

    def to_bytes(self) -> bytes:
        """The bytes of its file."""
        raw = _lib.Bytes()
        call(lib.basin_model_write, self._handle, byref(raw))
        try:
            return ctypes.string_at(raw.data, raw.n)
        finally:
            lib.basin_bytes_free(byref(raw))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the file, which `basin predict` and every other program can use."""
        temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
        try:
            with open(temporary, "wb") as f:
                f.write(self.to_bytes())
            os.replace(temporary, path)
        except BaseException as e:
            if os.path.exists(temporary):
                os.remove(temporary)
            if isinstance(e, OSError):
                raise type(e)(e.errno, e.strerror, os.fspath(path)) from None
            raise

    def __getstate__(self) -> Dict[str, Any]:
        return {
            "bytes": self.to_bytes(),
            "threads": self.threads,
            "options": self.options,
            "history": self.history,
            "summary": self.summary,
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        handle = c_void_p()
        raw = state["bytes"]
        call(lib.basin_model_read, raw, len(raw), byref(handle))
        Model.__init__(self, handle, state["threads"])
        self.history, self.summary = state["history"], state["summary"]
        self.options = state["options"]

    def __repr__(self) -> str:
        return f"<basin.Model of task {self.task} with {len(self.labels)} labels>"

    @property
    def card(self) -> Dict[str, Any]:
        text = lib.basin_model_card(self._handle)
        card: Dict[str, Any] = json.loads(text) if text else {}
        return card

    @property
    def feature_names(self) -> Optional[List[str]]:
        """Names of the features of a model for label sets; None if they have none."""
        names = [lib.basin_model_feature(self._handle, i) for i in range(self.n_features)]
        return None if None in names else [name.decode() for name in names]

    # ---- predictions ----

    def predict_proba(self, X: Any, columns: Any = None) -> Any:
        """Probabilities.

        Parameters
        ----------
        X : rows (n, features), a list of texts, a list of sentences, or images, as for
            :class:`basin.Data`
        columns : rows (n, features), for a model of texts that reads numbers, too

        Returns
        -------
        Array (n, labels) of float32, strictly between 0 and 1; for sentences a list of arrays
        (tokens, tags); for images a list of arrays (height, width), or (classes, height, width)
        with more than two classes.
        """
        if self.task == "tag":
            return self._sentences(X, True, _THRESHOLD)[1]
        if self.task == "seg":
            return self._images(X, True, _THRESHOLD)[1]
        return self._scores(self._given(X, columns))

    @property
    def reads_texts(self) -> bool:
        """Whether rows have a text."""
        return bool(lib.basin_model_texts(self._handle))

    def _given(self, X: Any, columns: Any) -> Any:
        """Rows as the functions below take them."""
        if self.task == "roles":
            raise ValueError(
                "semantic roles are predicted by `basin predict`, or in C by basin_predict_roles"
            )
        if self.reads_texts:
            return _data.Documents(X, columns)
        return X if _data.is_sparse(X) else _data.dense_rows(X)

    def _scores(self, X: Any) -> Any:
        """Probabilities (n, labels) of documents, of sparse or of dense rows."""
        if isinstance(X, _data.Documents):
            return self._documents(X, _THRESHOLD, lib.basin_predict_texts, np.float32)
        return self._sparse(X) if _data.is_sparse(X) else self._dense(X)

    def _sets(self, X: Any, decide: Optional[str]) -> Any:
        """The label sets of such rows, (n, labels) of 0 and 1."""
        how = self._decision(decide)
        if isinstance(X, _data.Documents):
            return self._documents(X, how, lib.basin_predict_text_sets, np.uint8)
        self._check_features(X)
        on = np.empty((X.shape[0], len(self.labels)), np.uint8)
        with _Predictor.of(self, how) as p:
            return self._rows(p, X, lib.basin_predict_sets, on)

    def _documents(self, X: _data.Documents, how: bytes, function: Any, kind: Any) -> Any:
        out = np.empty((len(X), len(self.labels)), kind)
        rows_of = None if X.rows is None else _data.pieces(X.rows)

        def piece(first: int, end: int) -> None:
            columns, kept = (None, None) if rows_of is None else rows_of(first, end)
            call(
                function,
                p.handle,
                _lib.texts(X.texts[first:end]),
                end - first,
                None if columns is None else byref(columns),
                address(out[first:end]),
            )

        with _Predictor.of(self, how) as p:
            in_pieces(len(X), piece)
        return out

    def _check_features(self, X: Any) -> None:
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} features, but the model has {self.n_features}")

    def _dense(self, X: Any) -> Any:
        n = len(X)
        self._check_features(X)
        scores = np.empty((n, len(self.labels)), np.float32)
        with _Predictor.of(self) as p:
            if p.sparse_only:  # trained on sparse rows: there, a value that is 0 is absent
                return self._rows(p, X, lib.basin_predict_csr, scores)
            err = _lib.Error()
            if n <= 256:
                if lib.basin_predict_dense(p.handle, address(X), n, address(scores), byref(err)):
                    if err.status == _lib.EARG and b"basin_predict_csr" in err.msg:
                        p.sparse_only = True
                        return self._rows(p, X, lib.basin_predict_csr, scores)
                    raise _lib.fail(err.status, err)
                return scores
            if not self._takes_dense(p, X):
                return self._rows(p, X, lib.basin_predict_csr, scores)

            def piece(first: int, end: int) -> None:
                call(
                    lib.basin_predict_dense,
                    p.handle,
                    address(X[first:end]),
                    end - first,
                    address(scores[first:end]),
                )

            in_pieces(n, piece)
        return scores

    def _takes_dense(self, p: "_Predictor", X: Any) -> bool:
        err = _lib.Error()
        one = np.empty(len(self.labels), np.float32)
        status = lib.basin_predict_dense(p.handle, address(X), 1, address(one), byref(err))
        p.sparse_only = status == _lib.EARG and b"basin_predict_csr" in err.msg
        return not p.sparse_only

    def _sparse(self, X: Any) -> Any:
        self._check_features(X)
        scores = np.empty((X.shape[0], len(self.labels)), np.float32)
        with _Predictor.of(self) as p:
            return self._rows(p, X, lib.basin_predict_csr, scores)

    def _rows(self, p: "_Predictor", X: Any, function: Any, out: Any) -> Any:
        rows_of = _data.pieces(X)

        def piece(first: int, end: int) -> None:
            rows, kept = rows_of(first, end)
            call(function, p.handle, byref(rows), address(out[first:end]))

        in_pieces(X.shape[0], piece)
        return out

    def _sentences(self, X: Any, probabilities: bool, how: bytes) -> Tuple[Any, Any]:
        n, L = len(X), len(self.labels)
        tags: List[Any] = [None] * n
        scores: List[Any] = [None] * n
        with _Predictor.of(self, how) as p:

            def piece(first: int, end: int) -> None:
                struct, kept = _data.sentences(X[first:end])
                start = kept[0]
                tag = np.empty(start[-1], np.int32)
                score = np.empty((start[-1], L), np.float32) if probabilities else None
                call(
                    lib.basin_predict_marginals,
                    p.handle,
                    byref(struct),
                    address(tag),
                    None if score is None else address(score),
                )
                for i in range(end - first):
                    tags[first + i] = tag[start[i] : start[i + 1]]
                    if score is not None:
                        scores[first + i] = score[start[i] : start[i + 1]]

            in_pieces(n, piece)
        return tags, scores

    def _images(self, X: Any, probabilities: bool, how: bytes) -> Tuple[List[Any], List[Any]]:
        masks, scores = [], []
        with _Predictor.of(self, how) as p:
            for i, x in enumerate(X):
                photo = _data.pixels(x, i)
                height, width, channels = photo.shape
                out = np.empty((height, width), np.uint8)
                C = len(self.labels)
                shape = (C, height, width) if C > 2 else (height, width)
                score = np.empty(shape, np.float32) if probabilities else None
                call(
                    lib.basin_predict_image,
                    p.handle,
                    address(photo),
                    width,
                    height,
                    channels,
                    address(out),
                    None if score is None else address(score),
                )
                masks.append(out)
                scores.append(score)
        return masks, scores

    def _probabilities(self, scores: Any) -> Any:
        """The library reads (n, labels) of them, however many there are."""
        scores = np.ascontiguousarray(scores, dtype=np.float32)
        if scores.ndim != 2 or scores.shape[1] != len(self.labels):
            raise ValueError(f"scores are {scores.shape}; (n, {len(self.labels)}) are needed")
        return scores

    def decide(self, scores: Any) -> Any:
        """Which labels of rows of probabilities the model's threshold turns on, whatever its
        `decision`: (n, labels) of 0 and 1."""
        scores = self._probabilities(scores)
        on = np.empty(scores.shape, np.uint8)
        call(lib.basin_decide_rows, self._handle, address(scores), len(scores), address(on))
        return on

    def energy(self, data: Data) -> Any:
        """E(x, y) of rows with their label sets, sentences with their tags or images with their
        masks, (n,): low where they fit. For models with an energy."""
        found = np.empty(len(data), np.float64)
        call(lib.basin_energies, self._handle, data.handle, self._threads(), address(found))
        return found

    def interactions(self, scores: Any) -> Any:
        """Which labels the energy wants together, (labels, labels): how much lower it is with both
        than each alone suggests (minus its mean second derivative) at rows of probabilities."""
        scores = self._probabilities(scores)
        L = len(self.labels)
        found = np.empty((L, L), np.float64)
        rows, threads = len(scores), self._threads()
        call(
            lib.basin_interactions,
            self._handle,
            address(scores),
            rows,
            threads,
            address(found),
        )
        return found

    def interactions_of(self, data: Data, together: bool = True) -> Tuple[Any, Any]:
        """Which outputs near each other the energy wants together at what the model finds for
        sentences or images, and which are together in the data (None: not asked for).

        Returns
        -------
        For sentences (tags, tags): how much lower the energy is with the second tag right after the
        first than each alone suggests, and how often it follows. For images (17, 17), by the offset
        of two pixels from -8 to 8 (rows down, columns to the right): how much more the energy asks
        for a class at one if the other has it, and the correlation of their classes; NaN where that
        is not known.
        """
        n = len(self.labels) if self.task == "tag" else _lib.SIDE
        found = np.empty((n, n), np.float64)
        truth = np.empty((n, n), np.float64) if together else None
        call(
            lib.basin_interactions_of,
            self._handle,
            data.handle,
            self._threads(),
            address(found),
            None if truth is None else address(truth),
        )
        return found, truth

    def predict(self, X: Any, columns: Any = None, *, decide: Optional[str] = None) -> Any:
        """Outputs, those of `basin predict`.

        Parameters
        ----------
        X, columns : as for predict_proba
        decide : str, optional
            "threshold", or how an energy decides: "f1", "subset", "hamming", "jaccard"; default:
            `decision`.

        Returns
        -------
        For rows a list of lists of labels, for sentences a list of lists of tags in the scheme of
        the training data, for images a list of masks (height, width) of class numbers.
        """
        how = self._decision(decide)
        if self.task == "tag":
            return [self._tag_texts(tags) for tags in self._sentences(X, False, how)[0]]
        if self.task == "seg":
            return self._images(X, False, how)[0]
        return [
            [self.labels[k] for k in np.flatnonzero(row)]
            for row in self._sets(self._given(X, columns), decide)
        ]

    def _decision(self, decide: Optional[str]) -> bytes:
        return _lib.encode(self.decision if decide is None else str(decide))

    def _tag_texts(self, tags: Any) -> List[str]:
        """As the training data writes them."""
        n = len(tags)
        out = (c_char_p * max(1, n))()
        call(lib.basin_tag_texts, self._handle, address(tags), n, out)
        return [self._texts.setdefault(raw, raw.decode()) for raw in out[:n] if raw is not None]

    def predict_spans(
        self, X: Any, *, decide: Optional[str] = None
    ) -> List[List[Tuple[int, int, str]]]:
        """The spans that are found in each sentence: (first token, end, type)."""
        found = []
        for tags in self._sentences(X, False, self._decision(decide))[0]:
            out, n = (_lib.Span * max(1, len(tags)))(), c_int32()
            call(lib.basin_spans, self._handle, address(tags), len(tags), out, byref(n))
            found.append([(s.first, s.end, s.label.decode()) for s in out[: n.value]])
        return found

    def evaluate(
        self,
        data: Data,
        *,
        per_label: bool = False,
        threads: Optional[int] = None,
        decide: Optional[str] = None,
    ) -> "Evaluation":
        """Measures the model on rows, sentences or images in memory; `decide` as for predict.

        Returns
        -------
        Evaluation
            Its `metrics` is a dict; printed, it is a table.
        """
        threads = self._threads() if threads is None else threads
        options = _lib.EvalOptions(
            threads=threads,
            per_label=per_label,
            set=_lib.set_of(self._set()),
            decide=self._decision(decide),
        )
        with _Listening((), 1, False) as listen:
            text = _lib.Text()
            err = _lib.Error()
            status = lib.basin_eval_data(
                self._handle,
                data.handle,
                byref(options),
                byref(listen.session),
                byref(text),
                byref(err),
            )
            listen.finish()
            if status:
                raise _lib.fail(status, err)
            table, found = _take(text)
        return Evaluation(table, found)

    def _set(self) -> Tuple[bytes, ...]:
        return tuple(
            _lib.encode(f"{option_key(k)}={_lib.value_text(v)}") for k, v in self.options.items()
        )

    def _threads(self) -> int:
        return default_threads() if self.threads is None else self.threads


class Evaluation:
    """Scores of a model; printed, a table.

    Attributes
    ----------
    metrics : dict
    details : dict
        All that was measured.
    """

    def __init__(self, table: str, details: Dict[str, Any]) -> None:
        self._table, self.details = table, details
        self.metrics: Dict[str, float] = details.get("metrics", {})

    def __repr__(self) -> str:
        return self._table.rstrip("\n")

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self._table)}</pre>"


_THRESHOLD = b"threshold"  # for those who only want probabilities


_Way = Tuple[int, Tuple[bytes, ...], bytes]  # threads, options, decision


class _Predictor:
    """What one thread at a time predicts with. A model keeps those that are idle."""

    def __init__(self, model: Model, way: _Way) -> None:
        self.handle = c_void_p()
        self.owner = model._owner  # which lives while this is used
        self.sparse_only = False
        threads, chosen, how = way
        options = _lib.PredictorOptions(threads=threads, set=_lib.set_of(chosen), decide=how)
        call(lib.basin_predictor_open, model._handle, byref(options), byref(self.handle))
        self.owner.predictors.append(self.handle)

    @staticmethod
    def of(model: Model, how: bytes = _THRESHOLD) -> "_Borrowed":
        way = (model._threads(), model._set(), how)
        idle = model._idle.setdefault(way, deque())  # append and pop are atomic, too
        try:
            return _Borrowed(idle, idle.pop())
        except IndexError:
            return _Borrowed(idle, _Predictor(model, way))


class _Borrowed:
    """A predictor that goes back to the idle ones."""

    __slots__ = ("idle", "predictor")

    def __init__(self, idle: Deque[_Predictor], predictor: _Predictor) -> None:
        self.idle, self.predictor = idle, predictor

    def __enter__(self) -> _Predictor:
        return self.predictor

    def __exit__(self, *why: Any) -> None:
        self.idle.append(self.predictor)


def _take(text: Any) -> Tuple[str, Dict[str, Any]]:
    table = (text.table or b"").decode("utf-8", "replace")
    found: Dict[str, Any] = json.loads(text.json) if text.json else {}
    lib.basin_text_free(byref(text))
    return table, found


class _Listening:
    """The session of a long call: events go to callbacks, warnings are collected, Ctrl-C stops it.

    Python runs signal handlers between bytecodes, so that a KeyboardInterrupt could be raised where
    the callback of ctypes begins, and be lost. Therefore SIGINT meanwhile only sets a flag, or
    keeps what the program's own handler raises, if this is the main thread; finish() raises it.
    """

    def __init__(self, callbacks: Callbacks, verbosity: int, progress: bool) -> None:
        from ._progress import Progress

        self.callbacks = [callbacks] if callable(callbacks) else list(callbacks)
        self.history: List[Dict[str, Any]] = []
        self.warnings: List[str] = []
        self.interrupted = False
        self.ended = False  # by a callback
        self.raised: Optional[BaseException] = None
        self.progress = Progress(verbosity > 1) if progress else None
        self.event = _lib.EVENT(self._listen)  # must outlive the call
        self.session = _lib.Session(verbosity=verbosity, event=self.event)
        self._handler: Any = None

    def __enter__(self) -> "_Listening":
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self._handler = handler
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *why: Any) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self.progress:
            self.progress.close()
        if self.interrupted and why[0] is None:  # after the call had been finished
            raise _errors.Interrupted("interrupted")

    def _interrupt(self, number: int, frame: Any) -> None:
        if self._handler is signal.default_int_handler:
            self.interrupted = True
            return
        try:
            self._handler(number, frame)
        except BaseException as e:
            self.raised = e

    def _listen(self, ctx: Any, text: bytes) -> int:
        try:
            if self.interrupted or self.ended or self.raised:
                return 1
            event = json.loads(text)
            kind = event.get("event")
            if kind == "epoch":
                self.history.append({k: v for k, v in event.items() if k != "event"})
            elif kind == "message" and event.get("level") == "warning":
                self.warnings.append(event["text"])
            if self.progress:
                self.progress.tell(event)
            for callback in self.callbacks:
                if callback(event) is True:
                    self.ended = True
            return int(self.interrupted or self.ended)
        except BaseException as e:  # ctypes would print and lose it
            self.raised = e
            return 1

    def finish(self) -> None:
        """After the call: warnings, then whatever a callback raised."""
        for text in self.warnings:
            warnings.warn(text, _errors.BasinWarning, stacklevel=4)
        if self.raised:
            raise self.raised
        if self.interrupted:
            raise _errors.Interrupted("interrupted")


def option_key(name: str) -> str:
    """ "lr_net" or "lr.net" as the library spells it."""
    from ._params import KEYS

    return KEYS.get(name, name)


def train(
    params: Optional[Mapping[str, Any]],
    data: Any,
    valid: Any = None,
    test: Any = None,
    *,
    callbacks: Callbacks = (),
    folder: Optional[Union[str, "os.PathLike[str]"]] = None,
    resume: bool = False,
    force: bool = False,
    verbose: int = 0,
) -> Model:
    """Trains a model.

    Parameters
    ----------
    params : dict
        Settings as in `basin train --set KEY=VALUE`, which `basin list options` explains; dots may
        be written as underscores. None is the default.
    data, valid, test : basin.Data, or a path or list of paths as for `basin train`
        Rows for validation and test that are not given are split off, as `split.valid` and
        `split.test` say.
    callbacks : function of one dict, or several
        Called about ten times a second with what happens: {"event": "epoch", "epoch": 3, "valid":
        {...}, ...}, "progress", "message" or "working". One that returns True ends the training,
        which then gives the best model so far.
    folder : path, optional
        Run folder, as with `basin train -o`. Without one nothing is written.
    resume, force : bool
        Continue the stopped run in the folder; replace the finished one.
    verbose : int
        0: warnings only, as Python warnings; 1: a line of progress; 2: also messages.

    Returns
    -------
    Model

    Raises
    ------
    Interrupted
        After Ctrl-C, within about 0.2 s; its `model` is the best one so far, or None.
    BasinError
        With the library's message; also a ValueError, OSError or MemoryError.

    Notes
    -----
    The same seed and rows give a model with the same bytes as `basin train` on a file.

    Examples
    --------
    >>> import basin
    >>> X = [[0.0, 1.0], [1.0, 0.0]] * 20
    >>> data = basin.Data.rows(X, [["up"], ["down"]] * 20)
    >>> model = basin.train({"method": "ce", "epochs": 20, "net_width": 8}, data)
    >>> model.predict([[0.0, 1.0]])
    [['up']]
    """
    config = _lib.Config()
    params = {k: v for k, v in (params or {}).items() if v is not None}
    if not any(option_key(k) == "threads" for k in params):
        params["threads"] = default_threads()
    for key, value in params.items():
        config.set(option_key(key), value)
    for role, given in (("train", data), ("valid", valid), ("test", test)):
        if isinstance(given, Data):
            config.data(role, given)
        elif given is not None:
            for path in [given] if isinstance(given, (str, os.PathLike)) else given:
                config.file(role, os.fspath(path))
    handle = c_void_p()
    options = _lib.TrainOptions(
        folder=None if folder is None else os.fsencode(folder),
        resume=resume,
        force=force,
        model=ctypes.pointer(handle),
    )
    text, err = _lib.Text(), _lib.Error()
    model = None
    with _Listening(callbacks, 2 if verbose > 1 else 1, verbose > 0) as listen:
        status = lib.basin_train_with(
            config.handle, byref(options), byref(listen.session), byref(text), byref(err)
        )
        if handle.value:
            model = Model(handle)
            model.history = listen.history
            model.summary = _take(text)[1]
        try:
            listen.finish()
        except _errors.Interrupted:
            raise _errors.Interrupted("interrupted; .model is the best so far", model) from None
    if status == _lib.EINTERRUPTED and model is not None:
        return model
    if status or model is None:
        raise _lib.fail(status, err)
    return model
