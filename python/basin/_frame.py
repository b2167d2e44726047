"""Columns of a pandas frame as numbers, treated as the readers of files treat them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np


def is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "iloc") and hasattr(X, "dtypes")


class Columns:
    """How each column becomes features: numbers and booleans as they are, with NaN where they are
    missing; categories and texts as one feature for each value, all 0 where it is missing or was
    not seen in training."""

    def __init__(self, frame: Any) -> None:
        self.values: List[Optional[List[Any]]] = []  # None: a number
        self.names: List[str] = []
        self.categories: List[Optional[Tuple[str, str]]] = []
        for k, column in enumerate(frame.columns):
            values = _categories(frame.iloc[:, k], column)
            self.values.append(values)
            if values is None:
                self.names.append(str(column))
                self.categories.append(None)
            else:
                self.names += [f"{column}={v}" for v in values]
                self.categories += [(str(column), str(v)) for v in values]

    def numbers(self, frame: Any) -> Any:
        """[rows, features] of float32."""
        out = np.zeros((len(frame), len(self.names)), np.float32)
        at = 0
        for k, values in enumerate(self.values):
            series = frame.iloc[:, k]
            if values is None:
                try:
                    out[:, at] = series.to_numpy(dtype=np.float32, na_value=np.nan)
                except (TypeError, ValueError) as e:
                    raise ValueError(f"column {frame.columns[k]!r} is not a number: {e}") from None
                at += 1
                continue
            number = {v: i for i, v in enumerate(values)}
            for row, v in enumerate(series):
                i = number.get(v)
                if i is not None:
                    out[row, at + i] = 1
            at += len(values)
        return out


def _categories(series: Any, column: Any) -> Optional[List[Any]]:
    import pandas as pd

    kind = pd.api.types.infer_dtype(series, skipna=True)
    if isinstance(series.dtype, pd.CategoricalDtype):
        return list(series.dtype.categories)
    if kind in ("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"):
        return None
    if kind in ("string", "mixed-integer", "mixed"):
        try:
            return list(dict.fromkeys(series.dropna()))  # in the order of a file's
        except TypeError:
            pass
    hint = "; use numbers, such as the year or the days since a date" if "date" in kind else ""
    raise ValueError(f"column {column!r} has values of kind {kind}{hint}")
