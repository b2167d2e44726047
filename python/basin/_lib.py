"""The C library: where it is, its structs and functions, its errors as exceptions."""

from __future__ import annotations

import ctypes
import os
import re
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int, c_int32, c_int64
from ctypes import c_size_t, c_uint8, c_void_p
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type

from . import _errors
from ._version import __version__

OK, EARG, EDATA, EIO, ENOMEM, EUNSUPPORTED, EINTERRUPTED, ENUMERIC = range(8)


class Error(Structure):
    _fields_ = [("status", c_int), ("msg", ctypes.c_char * 508)]


class Sized(Structure):
    """A struct that begins with its size, so that later libraries know which members it has."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(ctypes.sizeof(self), *args, **named)


class Bytes(Structure):
    _fields_ = [("data", c_void_p), ("n", c_size_t)]


class Text(Structure):
    _fields_ = [("table", c_char_p), ("json", c_char_p)]


class PredictorOptions(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("threads", c_int),
        ("device", c_char_p),
        ("infer", c_char_p),
        ("constrain", c_int),
        ("set", POINTER(c_char_p)),
        ("decide", c_char_p),
    ]


class Rows(Structure):
    _fields_ = [
        ("rows", c_int32),
        ("cols", c_int32),
        ("start", c_void_p),
        ("index", c_void_p),
        ("value", c_void_p),
    ]


class TokenColumns(Structure):
    _fields_ = [("n", c_int32), ("value", POINTER(POINTER(c_char_p)))]


class Sentences(Structure):
    _fields_ = [
        ("sentences", c_int32),
        ("start", c_void_p),
        ("tokens", POINTER(c_char_p)),
        ("columns", POINTER(TokenColumns)),
    ]


class Span(Structure):
    _fields_ = [("first", c_int32), ("end", c_int32), ("label", c_char_p)]


class LabelSets(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("rows", c_int32),
        ("features", c_int32),
        ("labels", c_int32),
        ("start", c_void_p),
        ("index", c_void_p),
        ("value", c_void_p),
        ("dense", c_void_p),
        ("label_start", c_void_p),
        ("label", c_void_p),
        ("feature_names", POINTER(c_char_p)),
        ("label_names", POINTER(c_char_p)),
        ("feature_column", POINTER(c_char_p)),
        ("feature_value", POINTER(c_char_p)),
        ("texts", POINTER(c_char_p)),
    ]


class Tagged(Sized):
    _fields_ = [("size", c_size_t), ("x", Sentences), ("tag", POINTER(c_char_p))]


class Images(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("n", c_int32),
        ("classes", c_int32),
        ("width", c_void_p),
        ("height", c_void_p),
        ("channels", c_void_p),
        ("pixels", POINTER(c_void_p)),
        ("masks", POINTER(c_void_p)),
        ("class_names", POINTER(c_char_p)),
    ]


EVENT = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p)


class Session(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("messages", c_void_p),
        ("verbosity", c_int),
        ("stop", POINTER(c_int)),
        ("event", EVENT),
        ("ctx", c_void_p),
    ]


class ModelOptions(Sized):
    _fields_ = [("size", c_size_t), ("encoder", c_char_p)]


class TrainOptions(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("folder", c_char_p),
        ("seeds", c_int),
        ("resume", c_int),
        ("force", c_int),
        ("model", POINTER(c_void_p)),
    ]


class EvalOptions(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("infer", c_char_p),
        ("threshold", c_char_p),
        ("profile", c_char_p),
        ("threads", c_int),
        ("device", c_char_p),
        ("per_label", c_int),
        ("conlleval", c_int),
        ("part", c_char_p),
        ("constrain", c_int),
        ("set", POINTER(c_char_p)),
        ("decide", c_char_p),
    ]


# Every function with its arguments: without them ctypes would cut pointers to 32 bits.
SIDE = 17  # BASIN_SIDE
_P = c_void_p
_ERR = POINTER(Error)
_FUNCTIONS: Dict[str, Tuple[Any, Sequence[Any]]] = {
    "basin_version": (c_char_p, []),
    "basin_model_load_with": (c_int, [c_char_p, POINTER(ModelOptions), POINTER(_P), _ERR]),
    "basin_model_read": (c_int, [_P, c_size_t, POINTER(_P), _ERR]),
    "basin_model_write": (c_int, [_P, POINTER(Bytes), _ERR]),
    "basin_model_free": (None, [_P]),
    "basin_bytes_free": (None, [POINTER(Bytes)]),
    "basin_text_free": (None, [POINTER(Text)]),
    "basin_model_task": (c_char_p, [_P]),
    "basin_model_card": (c_char_p, [_P]),
    "basin_model_labels": (c_int, [_P]),
    "basin_model_label": (c_char_p, [_P, c_int]),
    "basin_model_decision": (c_char_p, [_P]),
    "basin_model_features": (c_int, [_P]),
    "basin_model_feature": (c_char_p, [_P, c_int]),
    "basin_model_texts": (c_int, [_P]),
    "basin_model_columns": (c_int, [_P]),
    "basin_model_column": (c_char_p, [_P, c_int]),
    "basin_predictor_open": (c_int, [_P, POINTER(PredictorOptions), POINTER(_P), _ERR]),
    "basin_predictor_free": (None, [_P]),
    "basin_predict_csr": (c_int, [_P, POINTER(Rows), _P, _ERR]),
    "basin_predict_dense": (c_int, [_P, _P, c_int32, _P, _ERR]),
    "basin_predict_texts": (
        c_int,
        [_P, POINTER(c_char_p), c_int32, POINTER(Rows), _P, _ERR],
    ),
    "basin_predict_sets": (c_int, [_P, POINTER(Rows), _P, _ERR]),
    "basin_predict_text_sets": (
        c_int,
        [_P, POINTER(c_char_p), c_int32, POINTER(Rows), _P, _ERR],
    ),
    "basin_decide_rows": (c_int, [_P, _P, c_int32, _P, _ERR]),
    "basin_energies": (c_int, [_P, _P, c_int, _P, _ERR]),
    "basin_interactions": (c_int, [_P, _P, c_int32, c_int, _P, _ERR]),
    "basin_interactions_of": (c_int, [_P, _P, c_int, _P, _P, _ERR]),
    "basin_predict_marginals": (c_int, [_P, POINTER(Sentences), _P, _P, _ERR]),
    "basin_tag_texts": (c_int, [_P, _P, c_int32, POINTER(c_char_p), _ERR]),
    "basin_spans": (c_int, [_P, _P, c_int32, POINTER(Span), POINTER(c_int32), _ERR]),
    "basin_predict_image": (c_int, [_P, _P, c_int, c_int, c_int, _P, _P, _ERR]),
    "basin_config_new": (c_int, [POINTER(_P), _ERR]),
    "basin_config_free": (None, [_P]),
    "basin_config_set": (c_int, [_P, c_char_p, c_char_p, _ERR]),
    "basin_config_file": (c_int, [_P, c_char_p, c_char_p, _ERR]),
    "basin_config_data": (c_int, [_P, c_char_p, _P, _ERR]),
    "basin_data_label_sets": (c_int, [POINTER(LabelSets), POINTER(_P), _ERR]),
    "basin_data_tagged": (c_int, [POINTER(Tagged), POINTER(_P), _ERR]),
    "basin_data_images": (c_int, [POINTER(Images), POINTER(_P), _ERR]),
    "basin_data_free": (None, [_P]),
    "basin_train_with": (c_int, [_P, POINTER(TrainOptions), POINTER(Session), POINTER(Text), _ERR]),
    "basin_eval_data": (
        c_int,
        [_P, _P, POINTER(EvalOptions), POINTER(Session), POINTER(Text), _ERR],
    ),
    "basin_eval": (
        c_int,
        [
            c_char_p,
            POINTER(c_char_p),
            c_int,
            POINTER(EvalOptions),
            POINTER(Session),
            POINTER(Text),
            _ERR,
        ],
    ),
}


def _path() -> str:
    """BASIN_LIBRARY, the library in the package, that of the tree which the package is part of, or
    the one the system has."""
    named = os.environ.get("BASIN_LIBRARY")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    for place in ("libbasin.so", "../../build/libbasin.so"):
        path = os.path.join(here, *place.split("/"))
        if os.path.exists(path):
            return path
    return "libbasin.so.0"


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as e:
        raise ImportError(
            f"{e}; BASIN_LIBRARY=/path/to/libbasin.so names the library, `pip install .` brings one"
        ) from None
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"{path}: has no {name}; it is another version than {__version__}")
        function.restype = result
        function.argtypes = arguments
    found = library.basin_version().decode()
    if found.split(".")[:2] != __version__.split(".")[:2]:
        raise ImportError(f"{path}: is version {found}, the package basin is {__version__}")
    return library


lib = _load()

_EXCEPTIONS: Dict[int, Type[Exception]] = {
    EARG: _errors.BasinValueError,
    EDATA: _errors.BasinValueError,
    EIO: _errors.BasinOSError,
    ENOMEM: _errors.BasinMemoryError,
    EUNSUPPORTED: _errors.BasinUnsupportedError,
    ENUMERIC: _errors.BasinNumericError,
}


# What the library's messages call options of the tool.
_OURS = (
    (r"^--set: ", ""),
    (r"^--([a-z-]+): ", r"\1: "),
    (r"; --valid takes a file$", "; eval_set gives others (valid, of basin.train)"),
)


def fail(status: int, err: Error) -> Exception:
    """The exception that stands for a status."""
    message = err.msg.decode("utf-8", "replace")
    for pattern, ours in _OURS:
        message = re.sub(pattern, ours, message)
    return _EXCEPTIONS.get(status, _errors.BasinError)(message)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last argument is an error, and raises what it reports."""
    err = Error()
    status = function(*arguments, byref(err))
    if status:
        raise fail(status, err)


def texts(words: Sequence[Optional[str]]) -> Any:
    """An array of C strings; None is NULL."""
    return (c_char_p * len(words))(*(None if w is None else encode(w) for w in words))


def set_of(options: Sequence[bytes]) -> Any:
    """Options as structs have them: "KEY=VALUE" and then NULL."""
    return (c_char_p * (len(options) + 1))(*options, None)


def encode(word: str) -> bytes:
    """UTF-8 without a NUL, which C would take for the end."""
    raw = word.encode("utf-8")
    if b"\0" in raw:
        raise ValueError(f"{word!r} contains a NUL character")
    return raw


def value_text(value: Any) -> str:
    """A setting as in `basin train --set KEY=VALUE`."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(value_text(v) for v in value)
    if isinstance(value, Mapping):
        return ",".join(f"{k}={value_text(v)}" for k, v in value.items())
    if isinstance(value, float) or hasattr(value, "dtype"):
        return repr(value.item() if hasattr(value, "item") else value)
    return str(value)


class Config:
    """Settings and data of a training."""

    def __init__(self) -> None:
        self.handle = c_void_p()
        self._kept: List[Any] = []
        call(lib.basin_config_new, byref(self.handle))

    def set(self, key: str, value: Any) -> None:
        call(lib.basin_config_set, self.handle, encode(key), encode(value_text(value)))

    def file(self, role: str, path: str) -> None:
        call(lib.basin_config_file, self.handle, role.encode(), os.fsencode(path))

    def data(self, role: str, data: Any) -> None:
        call(lib.basin_config_data, self.handle, role.encode(), data.handle)
        self._kept.append(data)

    def __del__(self, free: Any = lib.basin_config_free) -> None:
        free(self.handle)
