"""Whether fits look for the cause where w = 0 is the solution, which only their warning tells."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Whether a fit looks for it.
FINDS_CAUSES: ContextVar[bool] = ContextVar("finds_causes", default=True)


@contextmanager
def skip_causes_of_zero() -> Iterator[None]:
    """Let fits of single lists give no warning that w = 0 is optimal: its cause can take longer than the fit.

    Yields
    ------
    None
        Fits within the block, of the same thread, give none.
    """
    token = FINDS_CAUSES.set(False)
    try:
        yield
    finally:
        FINDS_CAUSES.reset(token)
