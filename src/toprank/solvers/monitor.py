"""The common part of all solvers: best point, best bound, clock, limits and callback.

Every solver is a function ``solve(problem, *, tol, max_iter, time_limit, callback, start, ...)`` that returns
a `Solution`; the options after ``start`` are its own. A solver with several takes them as ``method``, an
object of `toprank.solvers.solver_specs`. A ``callback`` is called with a `Step`. If it returns
True, the run ends with the status "stopped", unless the point is certified.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from toprank.certificate import Certificate
from toprank.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator


#: A bound may exceed the objective by rounding: relative to the objective, and to the first one of the run.
#: The latter has as many terms, and if the objective is much smaller, fewer of its digits are known.
BOUND_RTOL, BOUND_INITIAL_RTOL = 1e-9, 1e-14
#: Objectives with a smaller relative difference count as equal; the smaller violation then decides.
EQUAL_OBJECTIVE_RTOL = 1e-11


class BoundError(ArithmeticError):
    """A lower bound exceeds the objective by more than rounding: the solver is at fault."""


@dataclass(frozen=True, eq=False)
class Step:
    """An iteration, as a callback sees it.

    Attributes
    ----------
    iteration : int
    w : ndarray of shape (d,)
        The iterate; for a solver that refines a model of the problem, the best one so far.
    objective : float
        Objective at w. A splitting computes it only on access.
    lower_bound : float or None
        The best so far; None if the solver has none yet.
    seconds : float
        Time of the algorithm alone, without the callback and what is computed for it.
    primal, dual : float
        Residuals of a splitting, otherwise NaN.
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
    def objective(self) -> float:
        """Return the objective at w, computed on access if the solver did not."""
        return self._objective() if callable(self._objective) else self._objective


#: A callback of a solver; the run ends when it returns True.
StepCallback: TypeAlias = Callable[[Step], object]


@dataclass(frozen=True, eq=False)
class Solution:
    """The result of a solver; ``w, certificate, n_iter = solve(...)`` unpacks it.

    Attributes
    ----------
    w : ndarray of shape (d,)
    certificate : Certificate
    n_iter : int
    first_w : ndarray of shape (d,) or None
        Solution of the first convex problem of a reweighting.
    """

    w: np.ndarray
    certificate: Certificate
    n_iter: int
    first_w: np.ndarray | None = None

    def __iter__(self) -> Iterator[Any]:
        return iter((self.w, self.certificate, self.n_iter))


class Monitor(Clock):
    """Best point, best bound, clock, limits and callback of one run.

    Parameters
    ----------
    solver : str
        Name of the solver, for messages.
    tol : float
        Largest relative gap, and violation of the optimality conditions if it is known, of a certified point.
    max_iter : int
    time_limit : float, optional
        Seconds of the algorithm alone.
    callback : callable, optional
    """

    def __init__(
        self,
        solver: str,
        tol: float,
        max_iter: int,
        time_limit: float | None = None,
        callback: StepCallback | None = None,
    ) -> None:
        super().__init__(time_limit)
        self.solver, self.tol, self.max_iter, self.callback = solver, tol, max_iter, callback
        self.w, self.objective, self.kkt, self.bound = None, math.inf, None, None
        self.status, self.n_iter = "stalled", 0
        self._first_objective = None

    def iterations(self, start: int = 1) -> Iterator[int]:
        """Yield the numbers of the iterations up to the cap; ``n_iter`` follows.

        Parameters
        ----------
        start : int, default=1
            Number of the first iteration.

        Yields
        ------
        int
        """
        for n_iter in range(start, self.max_iter + 1):
            self.n_iter = n_iter
            if n_iter == self.max_iter:
                self.status = "max_iterations"  # unless another rule ends the run in this iteration
            yield n_iter

    def update_best(self, w: np.ndarray, objective: float, kkt: float | None = None) -> None:
        """Keep a point if none is better.

        Parameters
        ----------
        w : ndarray of shape (d,)
        objective : float
            Objective at w.
        kkt : float, optional
            Violation of the optimality conditions at w; it decides between equal objectives.
        """
        if self._first_objective is None:
            self._first_objective = abs(objective)
        is_tie = (
            self.kkt is not None
            and objective <= (1.0 + EQUAL_OBJECTIVE_RTOL) * self.objective
            and kkt < self.kkt
        )
        if objective < self.objective or is_tie:
            self.w, self.objective, self.kkt = w, objective, kkt

    def update_lower_bound(self, bound: float) -> None:
        """Keep a lower bound if none is larger; 0 is one, since no objective is negative.

        Parameters
        ----------
        bound : float
            Lower bound on the minimum of the objective.
        """
        self.bound = max(0.0 if self.bound is None else self.bound, bound)

    def update(
        self,
        w: np.ndarray,
        objective: float,
        bound: float | None = None,
        kkt: float | None = None,
        rule_met: bool = False,
    ) -> bool:
        """Keep a point and a bound, call the callback, and return whether the run ends, with ``status`` set.

        Parameters
        ----------
        w : ndarray of shape (d,)
        objective : float
        bound : float, optional
        kkt : float, optional
            Violation of the optimality conditions. If given, it must be within ``tol`` as well as the gap.
        rule_met : bool
            Whether the method's own published stopping rule holds.

        Returns
        -------
        bool
        """
        if bound is not None:
            self.update_lower_bound(bound)
        self.update_best(w, objective, kkt)
        self._check_bound()
        # the violation belongs to this point, the gap to the best one
        certified = self._is_closed(self.objective if kkt is None else objective, kkt)
        if certified and kkt is not None:
            self.w, self.objective, self.kkt = w, objective, kkt
        return self.check_stop(
            "certified" if certified else "stopped" if rule_met else None, w=w, objective=objective
        )

    def check_stop(
        self,
        rule_status: str | None = None,
        w: np.ndarray | None = None,
        objective: float | Callable[[], float] | None = None,
        **step_fields: Any,
    ) -> bool:
        """Call the callback, and return whether the run ends.

        Parameters
        ----------
        rule_status : str, optional
            The status, if a rule of the method holds.
        w, objective
            As in `update`; the objective may be a function without arguments.
        **step_fields
            Further fields of the `Step`.

        Returns
        -------
        bool
        """
        stop_requested = False
        if self.callback is not None:
            # Read before the pause: what a callback takes is no time of the solver.
            seconds = self.seconds
            with self.pause():
                stop_requested = self.callback(
                    Step(self.n_iter, w, objective, self.bound, seconds, **step_fields)
                )
        if rule_status is None and stop_requested:
            rule_status = "stopped"
        # In the last iteration the cap is the reason, and not the time.
        elif rule_status is None and self.n_iter < self.max_iter and self.is_over():
            rule_status = "time_limit"
        self.status = rule_status or self.status
        return rule_status is not None

    def solution(
        self,
        w: np.ndarray | None = None,
        objective: float | None = None,
        kkt: float | None = None,
        first_w: np.ndarray | None = None,
    ) -> Solution:
        """Return the best point, or the given one, with its certificate.

        If a rule of the method or rounding ended the run, the gap alone may certify the point.

        Parameters
        ----------
        w : ndarray of shape (d,), optional
            By default the best point.
        objective, kkt : float, optional
            At w; by default those of the best point.
        first_w : ndarray of shape (d,), optional
            Stored in the solution.

        Returns
        -------
        Solution
        """
        w = self.w if w is None else w
        self.objective = self.objective if objective is None else objective
        self._check_bound()
        # Best point and best bound may stem from different iterations: together they may certify a run that
        # ended for another reason.
        is_closed = self.bound is not None and self._is_closed(self.objective, None)
        if self.status in ("stopped", "stalled") and is_closed:
            self.status = "certified"
        bound = None if self.bound is None else min(self.bound, self.objective)
        kkt = self.kkt if kkt is None else kkt
        return Solution(w, Certificate(self.objective, self.status, bound, kkt), self.n_iter, first_w)

    def _is_closed(self, objective: float, kkt: float | None) -> bool:
        """Return whether the known ones of the relative gap and the violation are within tol."""
        if kkt is not None and not kkt <= self.tol:
            return False
        if self.bound is None:
            return kkt is not None
        return objective - self.bound <= self.tol * objective

    def _check_bound(self) -> None:
        """Raise a `BoundError` if the bound exceeds the objective by more than rounding."""
        tolerance = BOUND_RTOL * abs(self.objective) + BOUND_INITIAL_RTOL * (self._first_objective or 0.0)
        if self.bound is not None and self.bound > self.objective + tolerance:
            raise BoundError(
                f"{self.solver}: the lower bound {self.bound:.16g} exceeds the objective "
                f"{self.objective:.16g} by more than rounding; please report it with the data"
            )


def advance_momentum(t: float) -> float:
    """Return the momentum that follows t in Nesterov's sequence, (1 + √(1 + 4t²))/2.

    Parameters
    ----------
    t : float
        Current momentum; the sequence starts at 1.

    Returns
    -------
    float
    """
    return 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * t * t))
