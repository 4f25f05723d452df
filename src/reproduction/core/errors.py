"""Errors of data; each message is one sentence that names the problem and the remedy."""

import difflib
from collections.abc import Iterable


class DataError(RuntimeError):
    """A data set, a file or its content cannot be used."""


class NotObtainedError(DataError):
    """No source gives a file; ``reasons`` lists what each of them answered.

    Parameters
    ----------
    message : str
    reasons : list of str
    """

    def __init__(self, message: str, reasons: list[str]) -> None:
        super().__init__(message)
        self.reasons = reasons


class BadArchiveError(DataError):
    """A packed file is truncated, damaged, or lacks what it should hold."""


class TransportError(DataError):
    """An address does not give the file; ``absent``: the server answered that it has no such file.

    Parameters
    ----------
    message : str
    absent : bool, default=False
    """

    def __init__(self, message: str, absent: bool = False) -> None:
        super().__init__(message)
        self.absent = absent


def suggest_nearest(word: str, known_words: Iterable) -> str:
    """Return the end of a sentence that names the nearest known word, or all if none is near.

    Parameters
    ----------
    word : str
        The unknown word.
    known_words : iterable of str

    Returns
    -------
    str
    """
    close = difflib.get_close_matches(str(word), [str(k) for k in known_words], n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(map(str, known_words))}."
