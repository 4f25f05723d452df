"""From an optimum of the l1 infinite push to a vertex of the set of optima, with fewer features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

if TYPE_CHECKING:
    from toprank.problems.push import PushRanking

#: The columns of a vertex, at length one, have no combination with a smaller square.
DEPENDENCE_TOL = 1e-10
#: A constraint so near to equality, in units of the margin, binds.
BINDING_TOL = 1e-7
#: Solutions of the equations of binding rows, each from the last one.
REFINEMENTS = 2


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


def _find_free_direction(
    problem: PushRanking, features: np.ndarray, is_binding: np.ndarray
) -> np.ndarray | None:
    """Return a change of the weights and of t that no binding row sees; None at a vertex."""
    if not features.size:
        return None
    gram, scale, _ = _compute_gram(problem, features, is_binding)
    values, vectors = eigh(gram, subset_by_index=[0, 0])
    return scale * vectors[:, 0] if values[0] < DEPENDENCE_TOL else None


def _compute_gram(
    problem: PushRanking, features: np.ndarray, is_binding: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray | sp.csr_array]:
    """Return C'C of the binding rows C of features and t, with a diagonal of ones, its scale, and C."""
    m = problem.positives.shape[0]
    parts = problem.positives[is_binding[:m]], problem.negatives[is_binding[m:]]
    parts = [part[:, features] for part in parts]
    columns = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts)
    gram = columns.T @ columns
    gram = gram.toarray() if sp.issparse(gram) else gram
    sums = np.asarray(columns.sum(axis=0)).reshape(-1, 1)
    gram = np.block([[gram, -sums], [-sums.T, np.full((1, 1), float(columns.shape[0]))]])
    diagonal = gram.diagonal()
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    return gram * scale[:, None] * scale, scale, columns


def solve_binding_rows(problem: PushRanking, w: np.ndarray, is_binding: np.ndarray) -> np.ndarray | None:
    """Move the weights that are not 0 so that the binding rows bind to the last digits (least squares).

    The system of an interior point method is ill-conditioned in its last steps, and its weights have fewer
    digits than these equations.

    Parameters
    ----------
    problem : PushRanking
        At depth 1, under `L1`.
    w : ndarray of shape (d,)
        Near to an optimum.
    is_binding : ndarray of bool of shape (m + n,)
        The positives on the kink of their hinge, and the negatives with the highest score.

    Returns
    -------
    ndarray of shape (d,) or None
        None if the weights are not determined.
    """
    w, features, m = w.copy(), np.flatnonzero(w), problem.positives.shape[0]
    is_positive = np.arange(is_binding.size) < m
    if not (features.size and (is_binding & ~is_positive).any()):
        return None
    gram, scale, columns = _compute_gram(problem, features, is_binding)
    try:
        factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    for _ in range(REFINEMENTS):
        scores = np.append(*problem.scores(w))
        top = scores[is_binding & ~is_positive].mean()
        slack = (scores - top - is_positive)[is_binding]
        rhs = -scale * np.append(columns.T @ slack, -slack.sum())
        w[features] += (scale * cho_solve(factor, rhs, check_finite=False))[:-1]
    return w if np.isfinite(w).all() else None
