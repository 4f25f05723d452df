"""What all solvers share: the best point and bound, the clock, the limits, and the callback.

Every solver is a function ``solve(problem, *, tol, max_iter, time_limit, callback, start, ...)`` that returns
a `Solution`; what follows ``start`` are its own options. A ``callback`` is called with a `Step` and ends the
run where it returns True: with the status "stopped", unless the point is certified.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from toprank.certificate import Certificate
from toprank.clock import Clock

#: By how much a bound may exceed the objective: relative to it, and to the first objective of the run, which
#: is a sum of as many terms: of a much smaller one, fewer digits are known.
ROUNDING, FLOOR = 1e-9, 1e-14
#: Two objectives that differ by less, relatively, are alike; the smaller violation then decides.
ALIKE = 1e-11


class BoundError(ArithmeticError):
    """A lower bound exceeds the objective by more than rounding: the solver is at fault."""


@dataclass(frozen=True, eq=False)
class Step:
    """What a callback sees of an iteration.

    Attributes
    ----------
    iteration : int
    w : ndarray of shape (d,)
        The iterate; of a solver that refines a model of the problem, the best one so far.
    objective : float
        At w. A splitting computes it when it is asked for.
    lower_bound : float or None
        The best so far; None where none is computed on the way.
    seconds : float
        Of the algorithm alone: without the callback, and without what is computed for it.
    primal, dual : float
        Residuals of a splitting, else NaN.
    y, multipliers : ndarray or None
        The other block and the multipliers of `toprank.solve_two_block`, whose first block is w.
    tau : float
        Penalty of the augmented Lagrangian of a splitting.
    restarted : bool
        Whether the next iteration of a splitting starts without momentum.
    """

    iteration: int
    w: np.ndarray
    _objective: float | Callable = field(repr=False)
    lower_bound: float | None
    seconds: float
    primal: float = math.nan
    dual: float = math.nan
    y: np.ndarray | None = None
    multipliers: np.ndarray | None = None
    tau: float = math.nan
    restarted: bool = False

    @property
    def objective(self) -> float:  # noqa: D102
        return self._objective() if callable(self._objective) else self._objective


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver returns; ``w, certificate, n_iter = solve(...)`` takes it apart.

    Attributes
    ----------
    w : ndarray of shape (d,)
    certificate : Certificate
    n_iter : int
    first : ndarray of shape (d,) or None
        Solution of the first convex problem of a reweighting.
    """

    w: np.ndarray
    certificate: Certificate
    n_iter: int
    first: np.ndarray | None = None

    def __iter__(self):
        return iter((self.w, self.certificate, self.n_iter))


class Watch(Clock):
    """Best point, best bound, clock, limits and callback of one run.

    Parameters
    ----------
    solver : str
        Its name, for messages.
    tol : float
        Relative gap, and violation of the optimality conditions where one is told, of a certified point.
    max_iter : int
    time_limit : float, optional
        Seconds of the algorithm alone.
    callback : callable, optional
    """

    def __init__(self, solver, tol, max_iter, time_limit=None, callback=None):
        super().__init__(time_limit)
        self.solver, self.tol, self.max_iter, self.callback = solver, tol, max_iter, callback
        self.w, self.objective, self.kkt, self.bound = None, math.inf, None, None
        self.status, self.n_iter = "stalled", 0
        self._first_objective = None

    def iterations(self, first=1):
        """Yield the numbers of the iterations up to the cap; ``n_iter`` follows."""
        for n_iter in range(first, self.max_iter + 1):
            self.n_iter = n_iter
            if n_iter == self.max_iter:
                self.status = "max_iterations"  # unless something else ends the run; before, a solver gave up
            yield n_iter

    def keep(self, w, objective, kkt=None):
        """Keep a point if none is better."""
        if self._first_objective is None:
            self._first_objective = abs(objective)
        alike = self.kkt is not None and objective <= (1.0 + ALIKE) * self.objective and kkt < self.kkt
        if objective < self.objective or alike:
            self.w, self.objective, self.kkt = w, objective, kkt

    def prove(self, bound):
        """Keep a lower bound if none is larger; no objective is negative."""
        self.bound = max(0.0 if self.bound is None else self.bound, bound)

    def look(self, w, objective, bound=None, kkt=None, met=False) -> bool:
        """Keep a point and a bound, show them, and say whether the run ends; ``status`` then tells how.

        Parameters
        ----------
        w : ndarray of shape (d,)
        objective : float
        bound : float, optional
        kkt : float, optional
            Violation of the optimality conditions; where there is one, a certified point needs both.
        met : bool
            Whether the method's own published rule holds.
        """
        if bound is not None:
            self.prove(bound)
        self.keep(w, objective, kkt)
        self._check_bound()
        # a small violation speaks of this point, a small gap of the best one
        certified = self._is_closed(self.objective if kkt is None else objective, kkt)
        if certified and kkt is not None:
            self.w, self.objective, self.kkt = w, objective, kkt
        return self.ends("certified" if certified else "stopped" if met else None, w=w, objective=objective)

    def ends(self, met=None, w=None, objective=None, **seen) -> bool:
        """Show a step, and say whether the run ends.

        Parameters
        ----------
        met : str, optional
            The status, where a rule of the method holds.
        w, objective
            As of `look`; the objective may be a function without arguments.
        **seen
            More of the step.
        """
        enough = False
        if self.callback is not None:
            seconds = self.seconds
            with self.paused():
                enough = self.callback(Step(self.n_iter, w, objective, self.bound, seconds, **seen))
        if met is None and enough:
            met = "stopped"
        elif met is None and self.n_iter < self.max_iter and self.is_over():
            met = "time_limit"
        self.status = met or self.status
        return met is not None

    def solution(self, w=None, objective=None, kkt=None, first=None) -> Solution:
        """Return the best point, or the one that is given, with its certificate.

        Where a rule of the method or rounding ended the run, the gap alone may certify the point.
        """
        w = self.w if w is None else w
        self.objective = self.objective if objective is None else objective
        self._check_bound()
        is_closed = self.bound is not None and self._is_closed(self.objective, None)
        if self.status in ("stopped", "stalled") and is_closed:
            self.status = "certified"
        bound = None if self.bound is None else min(self.bound, self.objective)
        kkt = self.kkt if kkt is None else kkt
        return Solution(w, Certificate(self.objective, self.status, bound, kkt), self.n_iter, first)

    def _is_closed(self, objective, kkt) -> bool:
        if kkt is not None and not kkt <= self.tol:
            return False
        if self.bound is None:
            return kkt is not None
        return objective - self.bound <= self.tol * objective

    def _check_bound(self):
        allowed = ROUNDING * abs(self.objective) + FLOOR * (self._first_objective or 0.0)
        if self.bound is not None and self.bound > self.objective + allowed:
            raise BoundError(
                f"{self.solver}: the lower bound {self.bound:.16g} exceeds the objective "
                f"{self.objective:.16g} by more than rounding; please report it with the data"
            )


def next_momentum(t) -> float:
    """Return the momentum that follows t in Nesterov's sequence, (1 + √(1 + 4t²))/2."""
    return 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * t * t))
