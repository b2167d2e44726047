"""Arrays, lists and sparse matrices as the C library reads them, copied only where they must be.

float32 rows in C order and CSR matrices of float32 with int32 columns are borrowed; everything else
costs one conversion. The caller's arrays are never written to.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_void_p
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from . import _lib
from ._lib import call, lib, texts

MOST = 2**31 - 1


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def is_sparse(X: Any) -> bool:
    """Any scipy format, matrix or array, without importing scipy."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def dense_rows(X: Any) -> "np.ndarray[Any, Any]":
    """[rows, features] of float32 in C order: X itself if it is that."""
    with np.errstate(over="ignore"):  # the library refuses infinite values, with their place
        array = np.ascontiguousarray(X, dtype=np.float32)
    if array.ndim != 2:
        raise ValueError(f"X has {array.ndim} dimensions; rows of features have 2")
    if array.shape[0] > MOST or array.shape[1] > MOST:
        raise ValueError(f"X is {array.shape}; at most {MOST} rows and features")
    return array


def dense_as_sparse(X: Any) -> Tuple[Any, Any, Any]:
    """Dense rows as starts, columns and values of what is not 0."""
    X = dense_rows(X)
    row, index = np.nonzero(X)
    start = np.searchsorted(row, np.arange(len(X) + 1)).astype(np.int64)
    return start, index.astype(np.int32), np.ascontiguousarray(X[row, index])


def sparse_rows(X: Any) -> Tuple[Any, Any, Any]:
    """Row starts, int32 columns in increasing order, float32 values; X's own where possible."""
    if X.ndim != 2 or X.shape[0] > MOST or X.shape[1] > MOST:
        raise ValueError(f"X is {X.shape}; at most {MOST} rows and features")
    csr = X.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is X else csr
        csr.sum_duplicates()
    with np.errstate(over="ignore"):
        value = np.ascontiguousarray(csr.data, dtype=np.float32)
    return csr.indptr, np.ascontiguousarray(csr.indices, dtype=np.int32), value


def pieces(X: Any) -> Callable[[int, int], Tuple[Any, Any]]:
    """Rows first to end of a matrix, dense or sparse, as the library reads them, and what must live
    as long. Their starts count from the first value of the piece, so that they fit 32 bits."""
    sparse = sparse_rows(X) if is_sparse(X) else None

    def piece(first: int, end: int) -> Tuple[Any, Any]:
        if sparse is not None:
            start, index, value = sparse
            start = start[first : end + 1]
        else:
            start, index, value = dense_as_sparse(X[first:end])
        a = int(start[0])
        if int(start[-1]) - a > MOST:
            raise ValueError("X has more than 2^31 values in a piece of rows")
        own = (start - a).astype(np.int32)
        at = [address(own), address(index) + 4 * a, address(value) + 4 * a]
        return _lib.Rows(end - first, X.shape[1], *at), (own, index, value)

    return piece


class Documents:
    """Texts, and rows of numbers beside them or None."""

    def __init__(self, X: Any, rows: Any = None) -> None:
        if isinstance(X, str) or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__"):
            raise ValueError("X is a list of texts, or a Series or an array of them")
        self.texts: List[str] = []
        for i, text in enumerate(X):
            if text is None or (isinstance(text, float) and text != text):
                text = ""  # what pandas calls missing
            if not isinstance(text, str):
                raise ValueError(f"text {i} is {type(text).__name__}, not str")
            self.texts.append(text.replace("\0", " "))
        self.rows = rows
        if rows is not None and rows.shape[0] != len(self.texts):
            raise ValueError(f"{len(self.texts)} texts, but {rows.shape[0]} rows of columns")
        self.shape = (len(self.texts), 0 if rows is None else rows.shape[1])

    def __len__(self) -> int:
        return len(self.texts)


def indicator(Y: Any) -> Tuple[Any, Any, int]:
    """Starts and numbers of the labels of an indicator matrix, dense or sparse."""
    if is_sparse(Y):
        csr = Y.tocsr()
        if not csr.has_canonical_format or (csr.data == 0).any():
            csr = csr.copy()
            csr.sum_duplicates()
            csr.eliminate_zeros()
        values, start, label = csr.data, csr.indptr, csr.indices
    else:
        Y = np.asarray(Y)
        row, label = np.nonzero(Y)
        values = Y[row, label]
        start = np.searchsorted(row, np.arange(Y.shape[0] + 1))
    if not (values == 1).all():
        raise ValueError("an indicator matrix has values other than 0 and 1")
    return start.astype(np.int64), label.astype(np.int32), int(Y.shape[1])


def label_lists(Y: Sequence[Any], number: Callable[[Any], int]) -> Tuple[Any, Any]:
    """Starts and numbers of labels given as a list per row; each counts once."""
    rows = [sorted({number(name) for name in row}) for row in Y]
    start = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=start[1:])
    return start, np.array([n for row in rows for n in row], np.int32)


class Data:
    """Rows, sentences or images in memory, for :func:`basin.train` and ``Model.evaluate``.

    Made by :meth:`rows`, :meth:`sentences` or :meth:`images`. Arrays that need no conversion are
    borrowed, not copied: do not change them during a training.
    """

    def __init__(self, function: Any, struct: Any, kept: List[Any], task: str, n: int) -> None:
        self.handle = c_void_p()
        self.task, self.n = task, n
        self._kept = [struct, kept]
        call(function, byref(struct), byref(self.handle))

    def __del__(self, free: Any = lib.basin_data_free) -> None:
        free(getattr(self, "handle", None))

    def __len__(self) -> int:
        return self.n

    @classmethod
    def rows(
        cls,
        X: Any,
        Y: Any = None,
        *,
        texts: Optional[Sequence[str]] = None,
        feature_names: Optional[Sequence[str]] = None,
        label_names: Optional[Sequence[str]] = None,
    ) -> "Data":
        """Rows of features, texts or both, with their label sets.

        Parameters
        ----------
        X : array or scipy sparse matrix of shape (n, features), or None if there are texts
            NaN is a missing value.
        Y : indicator matrix (n, labels), dense or sparse, or a list of label lists, or None
            Labels in lists are names, if `label_names` is given or they are texts, else numbers.
        texts : list of str, optional
            The text of each row.
        feature_names, label_names : lists of str, optional

        Examples
        --------
        >>> import basin
        >>> data = basin.Data.rows([[0.5, 1.0], [2.0, 0.0]], [["red"], ["red", "big"]])
        >>> len(data)
        2
        """
        labels = 0
        given: Tuple[Any, Any]
        if Y is None:
            given = (None, None)
        elif is_sparse(Y) or getattr(Y, "ndim", 0) == 2:
            start, label, labels = indicator(Y)
            given = (start, label)
        else:
            if label_names is None and any(isinstance(v, str) for row in Y for v in row):
                label_names = sorted({v for row in Y for v in row})
            if label_names is not None:
                index = {name: i for i, name in enumerate(label_names)}
                unknown = sorted({str(v) for row in Y for v in row if v not in index})
                if unknown:
                    raise ValueError(f"label {unknown[0]!r} is not in label_names")
                given = label_lists(Y, index.__getitem__)
                labels = len(index)
            else:
                given = label_lists(Y, int)
                labels = int(given[1].max()) + 1 if len(given[1]) else 0
        if texts is not None:
            rows = X if X is None or is_sparse(X) else dense_rows(X)
            X = Documents(texts, rows)
        return cls.label_sets(X, given[0], given[1], labels, feature_names, label_names)

    @classmethod
    def label_sets(
        cls,
        X: Any,
        label_start: Any,
        label: Any,
        labels: int,
        feature_names: Optional[Sequence[str]] = None,
        label_names: Optional[Sequence[str]] = None,
        categories: Sequence[Optional[Tuple[str, str]]] = (),
    ) -> "Data":
        """The same with starts and numbers of labels.

        categories: for each feature the column and the value that it stands for, or None.
        """
        kept: List[Any] = []
        s = _lib.LabelSets(labels=labels)
        if isinstance(X, Documents):
            s.rows = len(X)
            s.texts = texts(X.texts)
            kept.append(s.texts)
            X = X.rows
        if X is None:
            pass
        elif is_sparse(X):
            start, index, value = sparse_rows(X)
            start = np.ascontiguousarray(start, dtype=np.int64)
            kept += [start, index, value]
            s.rows, s.features = X.shape
            s.start, s.index, s.value = address(start), address(index), address(value)
        else:
            array = dense_rows(X)
            kept.append(array)
            s.rows, s.features = array.shape
            s.dense = address(array)
        if label_start is not None:
            label_start = np.ascontiguousarray(label_start, dtype=np.int64)
            label = np.ascontiguousarray(label, dtype=np.int32)
            if len(label_start) != s.rows + 1:
                raise ValueError(f"X has {s.rows} rows, y has {len(label_start) - 1}")
            if label_start[-1] > len(label):
                raise ValueError(f"the labels of y end at {label_start[-1]}, not at {len(label)}")
            kept += [label_start, label]
            s.label_start, s.label = address(label_start), address(label)
        for names, count, member in (
            (feature_names, s.features, "feature_names"),
            (label_names, labels, "label_names"),
        ):
            if names is not None:
                if len(names) != count:
                    raise ValueError(f"{member}: {len(names)} names for {count}")
                kept.append(texts(names))
                setattr(s, member, kept[-1])
        if any(categories):
            kept.append([texts([c and c[k] for c in categories]) for k in (0, 1)])
            s.feature_column, s.feature_value = kept[-1]
        return cls(lib.basin_data_label_sets, s, kept, "mlc", s.rows)

    @classmethod
    def sentences(
        cls, X: Sequence[Sequence[Any]], y: Optional[Sequence[Sequence[str]]] = None
    ) -> "Data":
        """Sentences with tags.

        Parameters
        ----------
        X : list of sentences
            A sentence is a list of tokens, a token a word or a tuple of the word and further
            features, equally many for every token (None is an unknown value).
        y : list of lists of tags, optional

        Examples
        --------
        >>> import basin
        >>> data = basin.Data.sentences([["Ada", "sings"]], [["B-PER", "O"]])
        """
        struct, kept = sentences(X)
        s = _lib.Tagged(x=struct)
        if y is not None:
            if len(y) != len(X):
                raise ValueError(f"X has {len(X)} sentences, y has {len(y)}")
            for i, (words, tags) in enumerate(zip(X, y)):
                if len(words) != len(tags):
                    raise ValueError(f"sentence {i}: {len(words)} tokens, {len(tags)} tags")
            kept.append(texts([str(tag) for tags in y for tag in tags]))
            s.tag = kept[-1]
        return cls(lib.basin_data_tagged, s, kept, "tag", len(X))

    @classmethod
    def images(
        cls, X: Any, y: Any = None, *, classes: int = 0, class_names: Optional[Sequence[str]] = None
    ) -> "Data":
        """Photos with masks.

        Parameters
        ----------
        X : array (n, height, width[, channels]) of 8 bits, or a list of such photos of any sizes
            1 channel (grey) or 3 (RGB).
        y : masks (n, height, width), or a list of them, optional
            Class numbers; 255 where none counts.
        classes : int
            0: as the masks say.
        class_names : list of str, optional
        """
        photos = [pixels(x, i) for i, x in enumerate(X)]
        shape = np.array([p.shape for p in photos], np.int32).reshape(-1, 3)
        height, width, channels = (np.ascontiguousarray(shape[:, k]) for k in range(3))
        s = _lib.Images(n=len(photos), classes=classes)
        kept: List[Any] = [photos, height, width, channels]
        s.width, s.height, s.channels = address(width), address(height), address(channels)
        kept.append((c_void_p * len(photos))(*map(address, photos)))
        s.pixels = kept[-1]
        if y is not None:
            if len(y) != len(photos):
                raise ValueError(f"X has {len(photos)} photos, y has {len(y)}")
            masks = [mask(m, p, i) for i, (m, p) in enumerate(zip(y, photos))]
            kept += [masks, (c_void_p * len(masks))(*map(address, masks))]
            s.masks = kept[-1]
        if class_names is not None:
            s.classes = classes or len(class_names)
            if len(class_names) != s.classes:
                raise ValueError(f"class_names: {len(class_names)} names for {s.classes}")
            kept.append(texts(class_names))
            s.class_names = kept[-1]
        return cls(lib.basin_data_images, s, kept, "seg", len(photos))


def sentences(X: Sequence[Sequence[Any]]) -> Tuple[Any, List[Any]]:
    """The struct of sentences, and what must live as long as it."""
    if isinstance(X, (str, bytes)):
        raise ValueError("X is one text; a list of sentences, each a list of tokens, is needed")
    start = np.zeros(len(X) + 1, np.int64)
    for i, sentence in enumerate(X):
        if isinstance(sentence, (str, bytes)):
            raise ValueError(f"sentence {i} is a text; split it into a list of tokens")
    np.cumsum([len(sentence) for sentence in X], out=start[1:])
    if start[-1] > MOST:
        raise ValueError(f"{start[-1]} tokens; at most {MOST} at once")
    start = start.astype(np.int32)
    flat = [token for sentence in X for token in sentence]
    columns = {
        0 if isinstance(t, str) else len(t) - 1 if isinstance(t, tuple) else -1 for t in flat
    }
    if -1 in columns or len(columns) > 1:
        odd = next((t for t in flat if not isinstance(t, (str, tuple))), None)
        if odd is not None:
            raise ValueError(f"a token is a {type(odd).__name__}; it is a str, or a tuple of them")
        raise ValueError("tokens have different numbers of features")
    more = columns.pop() if columns else 0
    words = flat if not (flat and isinstance(flat[0], tuple)) else [t[0] for t in flat]
    token = texts(words)
    kept: List[Any] = [start, token]
    s = _lib.Sentences(sentences=len(X), start=address(start), tokens=token)
    if more:
        raw = [(c_char_p * len(flat))() for _ in range(more)]
        for k, column in enumerate(raw):
            for i, t in enumerate(flat):
                column[i] = None if t[k + 1] is None else _lib.encode(str(t[k + 1]))
        pointers = (POINTER(c_char_p) * more)(*(ctypes.cast(c, POINTER(c_char_p)) for c in raw))
        struct = _lib.TokenColumns(n=more, value=pointers)
        kept += [raw, pointers, struct]
        s.columns = ctypes.pointer(struct)
    return s, kept


def bytes_of(array: Any, what: str) -> Any:
    array = np.asarray(array)
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    if array.dtype != bool and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{what}: values are {array.dtype}; 8-bit integers (uint8) are needed")
    if array.size and (array.min() < 0 or array.max() > 255):
        raise ValueError(
            f"{what}: values from {array.min()} to {array.max()}; 0 to 255 are possible"
        )
    return np.ascontiguousarray(array, dtype=np.uint8)


def pixels(x: Any, i: int) -> Any:
    """[height, width, channels] of 8 bits."""
    array = bytes_of(x, f"photo {i}")
    array = array[:, :, None] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[2] not in (1, 3):
        raise ValueError(f"photo {i} is {array.shape}; (height, width) or (height, width, 1 or 3)")
    return array


def mask(m: Any, photo: Any, i: int) -> Any:
    array = bytes_of(m, f"mask {i}")
    if array.shape != photo.shape[:2]:
        raise ValueError(f"mask {i} is {array.shape}, its photo {photo.shape[:2]}")
    return array
