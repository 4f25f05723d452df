"""Whether fits warn that w = 0 is optimal: they diagnose the cause for this warning alone."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
