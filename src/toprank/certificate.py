"""What a solver can prove about the point that it returns."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: The ways in which a solver can end. Anything else that a pipeline records ("failed", "not obtained") is not
# a solver's word.
STATUSES = ("optimal", "max_iterations", "time_limit", "diverged")


@dataclass(frozen=True)
class Certificate:
    """Primal value, dual bound and status of a fitted model.

    Parameters
    ----------
    objective : float
        The objective of the problem at ``coef_``, in the units of its definition.
    status : {"optimal", "max_iterations", "time_limit", "diverged"}
        How the solver ended. "optimal" says that the solver met its own stopping rule; how good that rule is,
        ``gap`` tells.
    lower_bound : float or None
        A proven lower bound on the optimal objective; None where the problem is not convex.
    kkt : float or None
        Norm of the violation of the optimality conditions, where a solver computes it.

    Raises
    ------
    ValueError
        If the status is unknown.
    """

    objective: float
    status: str
    lower_bound: float | None = None
    kkt: float | None = None

    def __post_init__(self):
        if self.status not in STATUSES:
            raise ValueError(f"unknown status {self.status!r}; it must be one of {', '.join(STATUSES)}")

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
