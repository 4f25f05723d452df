"""What an estimator tells its user: that a fit has no certificate, and that w = 0 is the answer, and why."""

from __future__ import annotations

import warnings

from toprank.certificate import STATUSES
from toprank.postponed import postponed
from toprank.problems.hull import zero_is_optimal

with postponed("scipy.stats", "pandas"):
    from sklearn.exceptions import ConvergenceWarning

#: status -> what to do about it
REMEDIES = {
    "stopped": "that rule proves nothing about the optimum: ask for a smaller tol",
    "stalled": "rounding allows no more: regularise more, or take a larger tol if this will do",
    "max_iterations": "raise max_iter above {n_iter}",
    "time_limit": "raise time_limit",
    "diverged": "standardise the features",
}
#: How far below F(0) = 1 an objective may lie for w = 0 to be suspected of being optimal.
NO_BETTER = 1e-6


def warn_unless_certified(model, certificate, solver=None, proven=("certified",)):
    """Warn where a fit ended without its certificate; to be called by `fit` itself.

    Parameters
    ----------
    model : LinearRanker
        Fitted.
    certificate : Certificate
    solver : str, optional
        The name of its solver, where the model has several.
    proven : tuple of str
        Statuses that are one.
    """
    if certificate.status in proven:
        return
    known = []
    if certificate.relative_gap is not None:
        known.append(f"relative gap {certificate.relative_gap:.2g}")
    if certificate.kkt is not None:
        known.append(f"violation of the optimality conditions {certificate.kkt:.2g}")
    remedy = REMEDIES[certificate.status].format(n_iter=model.n_iter_)
    best = next(iter(model.SOLVERS))
    if solver not in (None, best):
        remedy += f", or take solver={best!r}"
    said = STATUSES[certificate.status].split(";")[0].rstrip(".")
    warnings.warn(
        f"{type(model).__name__} ended without its certificate, status {certificate.status!r} after "
        f"{model.n_iter_} iterations, {' and '.join(known) or 'gap unknown'}. {said}; {remedy}",
        ConvergenceWarning,
        stacklevel=3,
    )


def warn_of_bound(model, name):
    """Warn that the time was too short for where w = 0 ends; to be called by the method of that name."""
    warnings.warn(
        f"{type(model).__name__}.{name} returns an upper bound: w = 0 is optimal there, and may be so below; "
        f"time_limit={model.time_limit:g} is too short to find out, raise it",
        ConvergenceWarning,
        stacklevel=3,
    )


def warn_of_zero(problem, parameter, remedy, outcome="optimal"):
    """Warn that w = 0 is the fitted model of a pairwise problem, with a remedy that can work.

    Parameters
    ----------
    problem : PairwiseRanking
    parameter : str
        Name and value of the regularisation, for instance "C=0.1".
    remedy : str
        What to do about it, where the regularisation is to blame.
    outcome : str
        What w = 0 is there.
    """
    what = "optimal whatever the regularisation is"
    if problem.is_flat:
        remedy = "no feature varies within a query; check X and qid"
    elif problem.is_balanced:
        remedy = "for each feature the preferences for larger and for smaller values cancel"
    else:
        what = f"{outcome} at {parameter}"
    warnings.warn(f"w = 0 is {what} and every row scores 0: {remedy}", UserWarning, stacklevel=3)


def warn_of_zero_at_top(model, problem, w, clock):
    """Warn where w = 0 minimises the objective of a single list, and say by which of its causes.

    Parameters
    ----------
    model : LinearRanker
        Fitted, with ``alpha``.
    problem : PushRanking or TopRanking
    w : ndarray
        The weights in the coordinates of the problem.
    clock : Clock
        What it leaves is the time for finding the cause.
    """
    certificate = model.certificate_
    if certificate.status != "certified" or (w.any() and certificate.objective < 1.0 - NO_BETTER):
        return
    hull = zero_is_optimal(problem.positives, problem.negatives, w, clock.left)
    if w.any() and not hull:
        return  # small weights, but they rank
    inside = "the mean of the positives lies in the convex hull of the negatives"
    if hull:
        what, why = "at every alpha", f"{inside}, and no alpha helps"
    elif hull is None:
        what = f"at alpha={model.alpha:g}"
        why = f"alpha is too large, or {inside}; time_limit left open which"
    else:
        what, why = f"to within tol at alpha={model.alpha:g}", "alpha is too large; choose a smaller one"
    means = "every row scores 0" if not w.any() else "the weights are rounding"
    warnings.warn(f"w = 0 is optimal {what} and {means}: {why}", UserWarning, stacklevel=3)
