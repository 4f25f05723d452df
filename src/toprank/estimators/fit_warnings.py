"""Warnings of the estimators: a fit without a certificate, an upper bound only, and w = 0 as the solution."""

from __future__ import annotations

import warnings
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln
from sklearn.exceptions import ConvergenceWarning

from toprank.certificate import STATUSES, SUCCESS_STATUSES
from toprank.clock import Clock, OutOfTime
from toprank.estimators.progress import has_ended_by_callback
from toprank.estimators.warning_context import GIVES_ZERO_WARNINGS, find_stacklevel
from toprank.labels import QUERY_COLUMN_REMEDY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sklearn.base import BaseEstimator

    from toprank.certificate import Certificate
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.problems.push import PushRanking
    from toprank.problems.top import TopRanking

#: Status -> what to do about it.
REMEDIES = {
    "stopped": "such a rule does not guarantee optimality: use a smaller tol",
    "stalled": "increase the regularisation, or use a larger tol",
    "max_iterations": "raise max_iter above {n_iter}",
    "time_limit": "raise time_limit",
    "diverged": "standardise the features",
}
#: w = 0 may be optimal if the objective found is less than this below F(0) = 1.
ZERO_OBJECTIVE_TOL = 1e-6
#: A warning that w = 0 is optimal looks for its cause for this share of the time of the fit so far, but at
#: least and at most for so many seconds. At depth 1, and at any depth of rows read in place, it looks for the
#: depth that can work where the negatives have at most so many values: on larger data that takes many times
#: as long, and a copy.
CAUSE_SHARE, CAUSE_SECONDS_MIN, CAUSE_SECONDS_MAX = 0.5, 0.1, 1.0
DEPTH_VALUES_MAX = 1_000_000
#: A column in blocks is reported if a random order of the rows has one with less than this probability.
CHANCE_PROBABILITY = 1e-6


def load_tool(module: str, function: str) -> Callable[..., Any]:
    """Import a function of `toprank.solvers` that is no solver of the fit itself.

    The digest of a fit's code follows it from the exact solvers alone, whose ``ESTIMATOR_TOOLS`` name it: a
    warning, or the scale of a grid, would bring the exact solvers into the digest of every other one.

    Parameters
    ----------
    module : str
        In `toprank.solvers`.
    function : str

    Returns
    -------
    Callable[..., Any]
    """
    return getattr(import_module(f".{module}", "toprank.solvers"), function)


def _warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn the line that called this package."""
    warnings.warn(message, category, stacklevel=find_stacklevel())


def warn_unless_certified(
    model: BaseEstimator,
    certificate: Certificate,
    solver: str | None = None,
    accepted_statuses: tuple[str, ...] = ("certified",),
) -> None:
    """Warn if a fit ended without a certificate.

    Parameters
    ----------
    model : BaseEstimator
        Fitted.
    certificate : Certificate
    solver : str, optional
        Name of the solver, if the model has several.
    accepted_statuses : tuple of str
        Statuses that count as a certificate, unless the callback ended the fit.
    """
    is_ended = certificate.status == "stopped" and has_ended_by_callback(model)
    if certificate.status in accepted_statuses and not is_ended:
        return
    facts = []
    if certificate.relative_gap is not None:
        facts.append(f"relative gap {certificate.relative_gap:.2g}")
    if certificate.kkt is not None:
        facts.append(f"violation of the optimality conditions {certificate.kkt:.2g}")
    status_text, remedy = STATUSES[certificate.status].rstrip("."), REMEDIES[certificate.status]
    remedy = remedy.format(n_iter=model.n_iter_)
    best = next(iter(model.SOLVERS))
    if solver not in (None, best):
        remedy += f", or use solver={best!r}"
    if certificate.status == "stopped":
        status_text = "The method's own published rule was met"
        if is_ended:
            status_text, remedy = "Its callback ended the fit", "let the callback go on for longer"
    iterations = f"{model.n_iter_} iteration{'' if model.n_iter_ == 1 else 's'}"
    _warn(
        f"{type(model).__name__} ended without a certificate, status {certificate.status!r} after "
        f"{iterations}, {' and '.join(facts) or 'gap unknown'}. {status_text}; {remedy}",
        ConvergenceWarning,
    )


def warn_of_bound(
    model: BaseEstimator, name: str, meaning: str = "smallest value at which w = 0 is optimal"
) -> None:
    """Warn that a method had too little time, and returns a bound.

    Parameters
    ----------
    model : BaseEstimator
        The estimator, with its ``time_limit``.
    name : str
        Name of the method that returns the bound.
    meaning : str, optional
        Of its value; by default that of `alpha_max` under a norm, and of `beta_max`.
    """
    _warn(
        f"{type(model).__name__}.{name} returns only an upper bound of the {meaning}, because "
        f"time_limit={model.time_limit:g} is too short; raise it",
        ConvergenceWarning,
    )


def warn_of_late_scale(model: BaseEstimator, parameter: str, clock: Clock, consequence: str) -> None:
    """Warn that the time was too short for the scale of a parameter, of which only a bound is known.

    Parameters
    ----------
    model : BaseEstimator
    parameter : str
    clock : Clock
        With the time limit of the model.
    consequence : str
        What follows.
    """
    _warn(
        f"the scale of {parameter} for {type(model).__name__} is only known by an upper bound, because "
        f"time_limit={clock.time_limit:g} is too short, so that {consequence}; raise it, or give "
        f"{parameter} as a number",
        ConvergenceWarning,
    )


def warn_of_zero(problem: PairwiseRanking, parameter: str, remedy: str, outcome: str = "optimal") -> None:
    """Warn that w = 0 is the solution of a pairwise problem, and say why.

    Parameters
    ----------
    problem : PairwiseRanking
    parameter : str
        Name and value of the regularisation, for instance "C=0.1".
    remedy : str
        What to do if the regularisation is the cause.
    outcome : str
        What w = 0 is at this regularisation: "optimal" or "stationary".
    """
    statement = "optimal at every regularisation"
    if problem.is_flat:
        remedy = "no feature varies within a query; check X and qid"
    elif problem.is_balanced:
        remedy = "for each feature the preferences for larger and for smaller values cancel"
    else:
        statement = f"{outcome} at {parameter}"
    _warn(f"w = 0 is {statement} and every row scores 0: {remedy}")


def warn_of_zero_at_top(
    model: BaseEstimator, problem: PushRanking | TopRanking, w: np.ndarray, clock: Clock, solver: str
) -> None:
    """Warn if w = 0 minimises the objective of a single list, and say why, unless in `skip_zero_warnings`.

    Parameters
    ----------
    model : BaseEstimator
        Fitted, with ``alpha``.
    problem : PushRanking or TopRanking
    w : ndarray
        The weights in the coordinates of the problem.
    clock : Clock
        Of the fit: it limits the time for finding the cause.
    solver : str
        Its name: a depth that can work is named to the exact one, which alone has a depth.
    """
    from toprank.problems.rows import SelectedRows
    from toprank.problems.zero_solution import is_zero_optimal

    certificate = model.certificate_
    if not GIVES_ZERO_WARNINGS.get():
        return
    # where F(w) is well below F(0) = 1, w = 0 is not optimal, and the search below is not needed
    if certificate.status != "certified" or (w.any() and certificate.objective < 1.0 - ZERO_OBJECTIVE_TOL):
        return
    parts, smallest_depth = (problem.positives, problem.negatives), None
    seconds_left = np.inf if clock.seconds_left is None else clock.seconds_left
    seconds_max = max(CAUSE_SECONDS_MIN, min(CAUSE_SHARE * clock.seconds, CAUSE_SECONDS_MAX))
    cause_clock = Clock(min(seconds_left, seconds_max))
    is_always_zero = is_zero_optimal(*parts, w, cause_clock.seconds_left)
    is_small = np.prod(problem.negatives.shape) <= DEPTH_VALUES_MAX
    is_in_place = isinstance(problem.negatives, SelectedRows)
    # above depth 1, whether w = 0 is always optimal depends on that depth
    if is_always_zero and solver == "exact" and (is_small or (problem.depth > 1 and not is_in_place)):
        compute_smallest_depth = load_tool("smallest_depth", "compute_smallest_depth")
        try:
            smallest_depth = compute_smallest_depth(*parts, cause_clock)
            is_always_zero = problem.depth <= smallest_depth
        except OutOfTime:
            is_always_zero = True if problem.depth == 1 else None
    elif is_always_zero and problem.depth > 1:
        is_always_zero = None
    if w.any() and not is_always_zero:
        return  # small weights, but they rank
    hull_text = "the mean of the positives lies in the convex hull of the negatives"
    if problem.depth > 1:
        hull_text += f" with weights of at most 1/{problem.depth:g}"
    if is_always_zero:
        condition, cause = "at every alpha", f"{hull_text}, and no alpha helps"
        n = problem.negatives.shape[0]
        if smallest_depth is None:
            cause += "; a larger depth may, see smallest_depth(X, y)" if solver == "exact" else ""
        elif smallest_depth < n:
            rounded = np.ceil(10.0 * smallest_depth) / 10.0
            cause += f"; depth above {rounded if rounded < n else smallest_depth:.12g} of {n} can work"
    elif is_always_zero is None:
        condition = f"at alpha={model.alpha_:g}"
        remedy = "time_limit was too short to decide" if clock.is_over() else "smallest_depth(X, y) decides"
        cause = f"alpha is too large, or {hull_text}; {remedy}"
    else:
        condition, cause = (
            f"to within tol at alpha={model.alpha_:g}",
            "alpha is too large; choose a smaller one",
        )
    consequence = "every row scores 0" if not w.any() else "the weights are rounding errors"
    _warn(f"w = 0 is optimal {condition} and {consequence}: {cause}")


def warn_of_blocks(X: np.ndarray | sp.csr_array, y: np.ndarray) -> None:
    """Warn if no queries are named, and a feature may be their number.

    A scaler in a pipeline makes a column ``qid`` of a frame a feature without a name. It still has each of
    its values in one block of consecutive rows. Of blocks with a single label nothing could be learned, so at
    least half of them must have several.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Grades.
    """
    n, d = X.shape
    # each value once, in one block of rows: what an id of queries looks like in a file sorted by query
    for j, column in _iterate_repetitive_columns(X):
        starts = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
        n_blocks, sizes = starts.size, np.diff(starts, append=n)
        if not np.unique(column[starts]).size == n_blocks >= 3:
            continue
        # of the n! orders of the rows, n_blocks! times the product of the sizes! have such blocks
        chance = gammaln(n_blocks + 1) + gammaln(sizes + 1).sum() - gammaln(n + 1)
        # a query ranks something only if its rows differ in relevance
        has_several_grades = np.minimum.reduceat(y, starts) < np.maximum.reduceat(y, starts)
        if chance + np.log(d) < np.log(CHANCE_PROBABILITY) and has_several_grades.mean() >= 0.5:
            _warn(
                f"no queries are named, and column {j} of X has each of its {n_blocks} values in one block "
                f"of consecutive rows, as the number of a query; if it is one, {QUERY_COLUMN_REMEDY}; "
                "if all rows are one list, pass qid=np.zeros(len(y))",
            )
            return


def _iterate_repetitive_columns(X: np.ndarray | sp.csr_array) -> Iterator[tuple[int, np.ndarray]]:
    """Yield number and values of the columns whose value changes in at most half of the rows."""
    n = X.shape[0]
    if sp.issparse(X):
        columns = X.tocsc()
        # a number is 0 in a single query, so that most rows of such a column are stored
        for j in np.flatnonzero(np.diff(columns.indptr) >= n / 2):
            yield j, columns[:, [j]].toarray().ravel()
    else:
        n_changes = np.count_nonzero(X[1:] != X[:-1], axis=0)
        for j in np.flatnonzero(n_changes < n / 2):
            yield j, X[:, j]


def warn_of_uncertified_fits(search: BaseEstimator, statuses: list[str]) -> None:
    """Warn once of a search's fits without a certificate; a rule of a paper is none.

    Parameters
    ----------
    search : BaseEstimator
    statuses : list of str
        Of all its fits.
    """
    counts = Counter(status for status in statuses if status != "certified")
    if not counts:
        return
    parts = ", ".join(f"{count} with status {status!r}" for status, count in counts.most_common())
    remedy = "raise time_limit or max_iter of the estimator, or search a larger eps"
    if counts.keys() <= set(SUCCESS_STATUSES):
        # a published stopping rule certifies nothing however long it runs: only the best solver helps
        remedy = f"take solver {next(iter(search._estimator_class.SOLVERS))!r}"
        if getattr(search.estimator, "callback", None) is not None:
            remedy = f"let the callback of the estimator end no fit, and {remedy}"
    _warn(
        f"{sum(counts.values())} of {len(statuses)} fits of {type(search).__name__} ended without a "
        f"certificate ({parts}), and were scored as they are; {remedy}",
        ConvergenceWarning,
    )
