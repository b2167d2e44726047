"""Structured prediction with energy networks.

``basin.Model`` and ``basin.train`` need numpy; the estimators ``EnergyClassifier``,
``EnergyTextClassifier``, ``EnergyTagger`` and ``EnergySegmenter`` also scikit-learn. Neither is
imported before it is used.

Examples
--------
>>> import numpy as np, basin
>>> X = np.random.default_rng(0).normal(size=(200, 5)).astype(np.float32)
>>> Y = np.stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0, X[:, 2] > 0], axis=1).astype(int)
>>> clf = basin.EnergyClassifier(method="ce", epochs=30, net_width=32).fit(X, Y)
>>> clf.predict(X).shape
(200, 3)
>>> clf.score(X, Y) > 0.7
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

from . import _lib  # first: a library that does not fit is reported by the import
from ._errors import BasinError, BasinMemoryError, BasinNumericError, BasinOSError
from ._errors import BasinUnsupportedError, BasinValueError, BasinWarning, Interrupted
from ._version import __version__

if TYPE_CHECKING:
    from ._data import Data as Data
    from ._estimators import EnergyClassifier as EnergyClassifier
    from ._estimators import EnergySegmenter as EnergySegmenter
    from ._estimators import EnergyTagger as EnergyTagger
    from ._estimators import EnergyTextClassifier as EnergyTextClassifier
    from ._model import Evaluation as Evaluation
    from ._model import Model as Model
    from ._model import train as train

_LATER = {
    "Data": "_data",
    "Evaluation": "_model",
    "Model": "_model",
    "train": "_model",
    "EnergyClassifier": "_estimators",
    "EnergySegmenter": "_estimators",
    "EnergyTagger": "_estimators",
    "EnergyTextClassifier": "_estimators",
}

__all__ = [
    "BasinError",
    "BasinMemoryError",
    "BasinNumericError",
    "BasinOSError",
    "BasinUnsupportedError",
    "BasinValueError",
    "BasinWarning",
    "Data",
    "EnergyClassifier",
    "EnergySegmenter",
    "EnergyTagger",
    "EnergyTextClassifier",
    "Evaluation",
    "Interrupted",
    "Model",
    "__version__",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'basin' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module("." + _LATER[name], __name__), name)
    globals()[name] = found
    return found


def __dir__() -> List[str]:
    return sorted(__all__)
