"""The time that a computation may take, as what takes it looks at it.

A loop asks whether the time is up. A factorisation or a product of large matrices cannot be stopped: it is
estimated before, in operations of a product of dense matrices, whose speed is measured here and now.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from time import perf_counter

import numpy as np

#: Operations that no clock is asked for: about a tenth of a second on a slow machine.
LITTLE = 5e8
#: What a factorisation takes against a product, an operation; with n columns it has as many as stand beside.
CHOLESKY = 4.0  # n³/3
REFLECTIONS = 2.2  # of an m x n matrix: 2mn² − 2n³/3
EIGENVALUES = 6.0  # n³
LEAST_SQUARES = 24.0  # by singular values, of an m x n matrix: mn min(m, n)
TRIANGLE = 4.0  # of n right-hand sides: n³
SPARSE = 40.0  # of a sparse matrix, which has no blocks; with e entries and a smaller side of n: en
#: What an interior-point method does with an entry of its matrix before it looks at its clock: order, copy.
ORDERED = 3e4
#: What it takes to write an entry of a new matrix that no cache holds, in operations of a product.
ENTRY = 400.0
_SIZE = 512  # of the product that is measured
_STEPS = 8  # of the first attempt


def interior_point(entries, side):
    """Return the operations of an interior-point method before its first look at its own clock.

    Parameters
    ----------
    entries : int
        Of the matrix of its constraints.
    side : int
        The smaller one of that matrix.
    """
    return (ORDERED + SPARSE * side) * entries


class OutOfTime(Exception):
    """The time of a run is up, or too short for what comes next, and that has no result yet.

    Parameters
    ----------
    known : object, optional
        What is known instead.
    """

    def __init__(self, known=None):
        super().__init__(known)
        self.known = known


class Clock:
    """Seconds since it was made, and how many are left.

    Parameters
    ----------
    time_limit : float, optional
        Seconds.

    Examples
    --------
    >>> from toprank.clock import Clock
    >>> Clock().affords(1e30), Clock(time_limit=0.001).affords(1e15)
    (True, False)
    """

    def __init__(self, time_limit=None):
        self.time_limit = time_limit
        self._started = perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        return perf_counter() - self._started

    @property
    def left(self) -> float | None:
        """Seconds that an inner solver may take; None without a limit."""
        return None if self.time_limit is None else max(self.time_limit - self.seconds, 1e-9)

    @contextmanager
    def paused(self):
        """Stop the clock for what is done for who watches."""
        began = perf_counter()
        try:
            yield
        finally:
            self._started += perf_counter() - began

    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.time_limit is not None and self.seconds > self.time_limit

    def affords(self, operations) -> bool:
        """Whether there is time for so many operations of a product of dense matrices; for few there is."""
        if self.time_limit is None or operations <= LITTLE:
            return True
        return operations <= self._speed * self.left

    def need(self, operations):
        """Raise `OutOfTime` where the time is too short for so many operations."""
        if not self.affords(operations):
            raise OutOfTime

    def attempts(self, attempt, most):
        """Call what does not look at the clock, with as many steps as the time allows.

        With a limit it begins anew with more steps whenever they were too few, a third of its work more.

        Parameters
        ----------
        attempt : callable
            Takes a number of steps, and raises a RuntimeError where they are too few.
        most : int
            Steps that it may have in any case.

        Returns
        -------
        What ``attempt`` returns.

        Raises
        ------
        OutOfTime
            If the time is too short.
        RuntimeError
            If ``most`` steps are too few.
        """
        steps = most if self.time_limit is None else min(_STEPS, most)
        while True:
            began = self.seconds
            try:
                return attempt(steps)
            except RuntimeError:
                if steps == most:
                    raise
            took = max(self.seconds - began, 1e-9)
            if took > self.left:
                raise OutOfTime
            steps = min(4 * steps, int(steps * self.left / took), most)

    @cached_property
    def _speed(self):
        """Operations of a product a second, on this machine under its present load."""
        matrix = np.ones((_SIZE, _SIZE))
        began = perf_counter()
        matrix @ matrix
        return 2.0 * _SIZE**3 / max(perf_counter() - began, 1e-9)


#: The clock of who has no limit.
UNLIMITED = Clock()
