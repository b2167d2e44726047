"""Exceptions, each also of the built-in kind that callers expect. Their text is the library's."""

from __future__ import annotations

from typing import Any


class BasinError(Exception):
    """Whatever the library reports; base class of the others."""


class BasinValueError(BasinError, ValueError):
    """Impossible arguments or settings, or malformed data."""


class BasinOSError(BasinError, OSError):
    """A file could not be read or written."""


class BasinMemoryError(BasinError, MemoryError):
    """Memory ran out."""


class BasinUnsupportedError(BasinError, NotImplementedError):
    """Valid, but not by this device or build."""


class BasinNumericError(BasinError, ArithmeticError):
    """A value became infinite or not a number."""


class BasinWarning(UserWarning):
    """What the library warns about."""


class Interrupted(KeyboardInterrupt):
    """A training was ended by Ctrl-C.

    Attributes
    ----------
    model : basin.Model or None
        The best model so far; None if no epoch had been evaluated.
    """

    def __init__(self, message: str, model: Any = None) -> None:
        super().__init__(message)
        self.model = model
