"""What a solver can prove about the point that it returns."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: How a fit can end, in a sentence each; the last is for a method that is not ours. Anything else that a
#: pipeline records ("failed", "not obtained") is no solver's word.
STATUSES = {
    "certified": "The duality gap, or the violation of the optimality conditions, is at the tolerance.",
    "stopped": "The method's own published rule was met, or a callback's; the gap says what that is worth.",
    "stalled": "Rounding leaves nothing to gain, before the tolerance was met.",
    "max_iterations": "The cap on iterations came first.",
    "time_limit": "The limit on seconds came first.",
    "diverged": "The iterates left all bounds.",
    "fitted": "A method that is not ours ended as it means to; nothing is certified.",
}

#: A run that ended as it means to, by its certificate or by the rule of its method.
MET = ("certified", "stopped")


@dataclass(frozen=True)
class Certificate:
    """Primal value, dual bound and status of a fitted model.

    Parameters
    ----------
    objective : float
        The objective of the problem at ``coef_``, in the units of its definition.
    status : str
        How the solver ended: a key of `STATUSES`.
    lower_bound : float or None
        A proven lower bound on the optimal objective; None where the problem is not convex.
    kkt : float or None
        Norm of the violation of the optimality conditions, where a solver computes it.

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

    def __post_init__(self):
        if self.status not in STATUSES:
            raise ValueError(f"unknown status {self.status!r}; it must be one of {', '.join(STATUSES)}")

    def times(self, factor) -> Certificate:
        """Return the certificate of the same problem in other units."""
        bound = None if self.lower_bound is None else factor * self.lower_bound
        return Certificate(factor * self.objective, self.status, bound, self.kkt)

    @property
    def gap(self) -> float | None:
        """Objective minus lower bound; None where there is no bound."""
        return None if self.lower_bound is None else self.objective - self.lower_bound

    @property
    def relative_gap(self) -> float | None:
        """The gap over the absolute objective; None where there is no bound."""
        if self.lower_bound is None:
            return None
        return self.gap / abs(self.objective) if self.objective else math.inf if self.gap > 0 else 0.0
