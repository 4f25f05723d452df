"""From an optimum of the l1 infinite push to a vertex of the set of optima, with fewer features."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgWarning, eigh, lu_factor, lu_solve

if TYPE_CHECKING:
    from toprank.problems.push import PushRanking

#: The columns of a vertex, at length one, have no combination with a smaller square.
DEPENDENCE_TOL = 1e-10
#: A constraint so near to equality, in units of the margin, binds.
BINDING_TOL = 1e-7


def move_to_vertex(problem: PushRanking, w: np.ndarray, is_binding: np.ndarray) -> np.ndarray | None:
    """Move along directions that change no binding constraint, until another weight is 0 or a row binds.

    Along such a direction the objective of an optimum is constant: it is linear, and falls in neither sense.
    The rows that bind and the features with a weight determine a vertex.

    Parameters
    ----------
    problem : PushRanking
        At depth 1, under `L1`.
    w : ndarray of shape (d,)
        An optimum.
    is_binding : ndarray of bool of shape (m + n,)
        The positives on the kink of their hinge, and the negatives with the highest score; it is changed.

    Returns
    -------
    ndarray of shape (d,) or None
        None if the features are more than the binding rows by more than can be removed.
    """
    w = w.copy()
    scores = problem.scores(w)
    top = float(scores[1].max())
    # from the kink of a hinge, and from the highest score; t counts as a feature of the constant -1
    slack = np.append(scores[0] - top - 1.0, scores[1] - top)
    for _ in range(2 * np.count_nonzero(w) + 1):
        features = np.flatnonzero(w)
        is_binding |= np.abs(slack) <= BINDING_TOL
        direction = _find_free_direction(problem, features, is_binding)
        if direction is None:
            return w
        change = np.zeros(w.size)
        change[features] = direction[:-1]
        moves = problem.scores(change)
        slack_change = np.append(moves[0], moves[1]) - direction[-1]
        # of both senses, the one with the nearest end: a weight that becomes 0, or a row that binds
        with np.errstate(divide="ignore", invalid="ignore"):
            to_zero = -w[features] / change[features]
            to_binding = np.where(is_binding, np.nan, -slack / slack_change)
        ends = np.append(to_zero, to_binding)
        ends[~np.isfinite(ends)] = np.inf
        end = int(np.argmin(np.abs(ends)))
        if not np.isfinite(ends[end]):
            return None
        w += ends[end] * change
        slack += ends[end] * slack_change
        if end < features.size:
            w[features[end]] = 0.0
        else:
            is_binding[end - features.size] = True
    return None


def solve_for_vertex(problem: PushRanking, features: np.ndarray, is_binding: np.ndarray) -> np.ndarray | None:
    """Return the point where these rows bind and no other feature has a weight.

    Parameters
    ----------
    problem : PushRanking
        At depth 1, under `L1`.
    features : ndarray of int of shape (k,)
    is_binding : ndarray of bool of shape (m + n,)
        The positives on the kink of their hinge, and the negatives with the highest score.

    Returns
    -------
    ndarray of shape (d,) or None
        None if they do not determine a point: k + 1 independent rows do, as the highest score is unknown too.
    """
    n_positives = np.count_nonzero(is_binding[: problem.positives.shape[0]])
    if not features.size or np.count_nonzero(is_binding) != features.size + 1:
        return None
    columns = _read_binding_rows(problem, features, is_binding)
    columns = columns.toarray() if sp.issparse(columns) else columns
    # w'x - t is 1 on the kink of a hinge, and 0 at the highest score t
    system = np.column_stack([columns, np.full(len(columns), -1.0)])
    margins = (np.arange(len(columns)) < n_positives).astype(float)
    # the solution of a singular system is not finite
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", LinAlgWarning)
        factor = lu_factor(system, check_finite=False)
        solution = lu_solve(factor, margins, check_finite=False)
        solution += lu_solve(factor, margins - system @ solution, check_finite=False)  # refined once
    if not np.isfinite(solution).all():
        return None
    w = np.zeros(problem.n_features)
    w[features] = solution[:-1]
    return w


def _read_binding_rows(
    problem: PushRanking, features: np.ndarray, is_binding: np.ndarray
) -> np.ndarray | sp.csr_array:
    m = problem.positives.shape[0]
    parts = problem.positives[is_binding[:m]], problem.negatives[is_binding[m:]]
    parts = [part[:, features] for part in parts]
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts)


def _find_free_direction(
    problem: PushRanking, features: np.ndarray, is_binding: np.ndarray
) -> np.ndarray | None:
    """Return a change of the weights and of t that no binding row sees; None at a vertex."""
    if not features.size:
        return None
    columns = _read_binding_rows(problem, features, is_binding)
    gram = columns.T @ columns
    gram = gram.toarray() if sp.issparse(gram) else gram
    sums = np.asarray(columns.sum(axis=0)).reshape(-1, 1)
    gram = np.block([[gram, -sums], [-sums.T, np.full((1, 1), float(columns.shape[0]))]])
    diagonal = gram.diagonal()
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    values, vectors = eigh(gram * scale[:, None] * scale, subset_by_index=[0, 0])
    return scale * vectors[:, 0] if values[0] < DEPENDENCE_TOL else None
