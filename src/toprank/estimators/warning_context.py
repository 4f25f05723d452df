"""Whom a warning names, and whether fits warn that w = 0 is optimal, whose cause they search for it alone."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Where the code of the package lies.
PACKAGE_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
#: Whether a fit warns.
GIVES_ZERO_WARNINGS: ContextVar[bool] = ContextVar("gives_zero_warnings", default=True)


@contextmanager
def skip_zero_warnings() -> Iterator[None]:
    """Let fits of single lists not warn that w = 0 is optimal: to diagnose why can take longer than the fit.

    Yields
    ------
    None
        Fits within the block, in the same thread, do not warn.
    """
    token = GIVES_ZERO_WARNINGS.set(False)
    try:
        yield
    finally:
        GIVES_ZERO_WARNINGS.reset(token)


def find_stacklevel() -> int:
    """Return the ``stacklevel`` by which a warning names the line that called this package.

    Returns
    -------
    int
        1 where the caller itself lies outside of it.

    Examples
    --------
    >>> from toprank.estimators.warning_context import find_stacklevel
    >>> find_stacklevel()
    1
    """
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
        frame, level = frame.f_back, level + 1
    return level
