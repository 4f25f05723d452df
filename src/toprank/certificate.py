"""Certificates: bounds on the suboptimality of the point that a solver returns."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: How a fit can end; "fitted" is for methods of other packages.
STATUSES = {
    "certified": "The duality gap, or the violation of the optimality conditions, is within the tolerance.",
    "stopped": "The method's own published rule was met, or a callback ended the fit; see the gap.",
    "stalled": "Rounding errors allowed no progress before the tolerance was met.",
    "max_iterations": "The limit on iterations was reached.",
    "time_limit": "The time limit was reached.",
    "diverged": "The iterates diverged.",
    "fitted": "A method of another package ended normally; nothing is certified.",
}

#: Statuses of a run that ended by a certificate or by the method's own stopping rule.
SUCCESS_STATUSES = ("certified", "stopped")


@dataclass(frozen=True)
class Certificate:
    """Primal value, dual bound and status of a fitted model.

    Parameters
    ----------
    objective : float
        The objective of the problem at ``coef_``.
    status : str
        How the solver ended: a key of `STATUSES`.
    lower_bound : float or None
        A proven lower bound on the optimal objective; None where the problem is not convex.
    kkt : float or None
        Violation of the optimality conditions, where a solver computes it.

    Attributes
    ----------
    gap : float or None
        The objective less the lower bound: no model is better by more than this. None without a bound.
    relative_gap : float or None
        The gap divided by the absolute objective.

    Raises
    ------
    ValueError
        If the status is unknown.

    Examples
    --------
    >>> from toprank.certificate import Certificate
    >>> certificate = Certificate(objective=2.0, status="certified", lower_bound=1.5)
    >>> certificate.gap, certificate.relative_gap
    (0.5, 0.25)
    """

    objective: float
    status: str
    lower_bound: float | None = None
    kkt: float | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"unknown status {self.status!r}; it must be one of {', '.join(STATUSES)}")

    def times(self, factor: float) -> Certificate:
        """Return the certificate of the problem whose objective is multiplied by a factor.

        Parameters
        ----------
        factor : float
            Positive.

        Returns
        -------
        Certificate
        """
        bound = None if self.lower_bound is None else factor * self.lower_bound
        return Certificate(factor * self.objective, self.status, bound, self.kkt)

    @property
    def gap(self) -> float | None:
        """Objective minus lower bound; None where there is no bound."""
        return None if self.lower_bound is None else self.objective - self.lower_bound

    @property
    def relative_gap(self) -> float | None:
        """The gap divided by the absolute objective; None where there is no bound."""
        if self.lower_bound is None:
            return None
        return self.gap / abs(self.objective) if self.objective else math.inf if self.gap > 0 else 0.0
