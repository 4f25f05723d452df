"""The clock of a solver, with its time limit.

A loop asks whether the time is up. A factorisation or a product of large matrices cannot be interrupted, so
its time is estimated beforehand. The unit is an operation of a dense matrix product, whose speed is measured.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

#: So few operations are always allowed: about a tenth of a second on a slow machine.
FREE_OPERATIONS = 5e8
#: Time of one operation of a factorisation, in operations of a product. Each comment counts the operations.
CHOLESKY_COST = 4.0  # n³/3
QR_COST = 2.2  # m x n matrix: 2mn² − 2n³/3
EIGENVALUE_COST = 6.0  # n³
TRIANGULAR_SOLVE_COST = 4.0  # n right-hand sides: n³
SPARSE_COST = 40.0  # sparse matrix with e entries whose smaller side is n: en
#: Operations per entry of an interior-point method for ordering and copies, before it looks at its clock.
ORDERING_OPERATIONS = 3e4
#: Time of writing one entry of a new matrix outside of the cache, in operations of a product.
WRITE_COST = 400.0
_BENCHMARK_SIZE = 512  # of the matrices whose product is measured
_BENCHMARK_REPEATS = 5  # the first one also loads the library, and any may meet a pause of the machine


def count_interior_point_operations(entries: int, side: int) -> float:
    """Return the operations of an interior-point method before it first checks its own clock.

    Parameters
    ----------
    entries : int
        Entries of the matrix of the constraints.
    side : int
        The smaller of its two dimensions.

    Returns
    -------
    float
    """
    return (ORDERING_OPERATIONS + SPARSE_COST * side) * entries


class OutOfTime(Exception):
    """The time is up, or too short for the next computation, which has no result yet.

    Parameters
    ----------
    partial_result : object, optional
        What is known of the result, such as a bound.
    """

    def __init__(self, partial_result: object | None = None) -> None:
        super().__init__(partial_result)
        self.partial_result = partial_result


class Clock:
    """Seconds since the clock was made, and the seconds that are left.

    Parameters
    ----------
    time_limit : float, optional
        Seconds.

    Examples
    --------
    >>> from toprank.clock import Clock
    >>> Clock().within_budget(1e30), Clock(time_limit=0.001).within_budget(1e15)
    (True, False)
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self.time_limit = time_limit
        self._started = perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        return perf_counter() - self._started

    @property
    def seconds_left(self) -> float | None:
        """Seconds left, for instance for an inner solver; None without a limit."""
        return None if self.time_limit is None else max(self.time_limit - self.seconds, 1e-9)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Stop the clock, for instance during a callback."""
        start = perf_counter()
        try:
            yield
        finally:
            self._started += perf_counter() - start

    def is_over(self) -> bool:
        """Whether the time is up.

        Returns
        -------
        bool
        """
        return self.time_limit is not None and self.seconds > self.time_limit

    def within_budget(self, operations: float) -> bool:
        """Whether there is time for a number of operations of a dense matrix product.

        Parameters
        ----------
        operations : float

        Returns
        -------
        bool
            True without a time limit.
        """
        if self.time_limit is None or operations <= FREE_OPERATIONS:
            return True
        return operations <= self._speed * self.seconds_left

    def require_budget(self, operations: float) -> None:
        """Raise `OutOfTime` if the time is too short for a number of operations.

        Parameters
        ----------
        operations : float
            Of a dense matrix product.

        Raises
        ------
        OutOfTime
            If the operations would take longer than the seconds left.
        """
        if not self.within_budget(operations):
            raise OutOfTime

    @cached_property
    def _speed(self) -> float:
        """Operations of a dense matrix product per second, on this machine under its present load."""
        matrix = np.ones((_BENCHMARK_SIZE, _BENCHMARK_SIZE))
        durations = []
        for _ in range(_BENCHMARK_REPEATS):
            start = perf_counter()
            matrix @ matrix
            durations.append(perf_counter() - start)
        return 2.0 * _BENCHMARK_SIZE**3 / max(min(durations), 1e-9)


#: A clock without a limit.
UNLIMITED = Clock()
