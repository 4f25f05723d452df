"""The squared hinge of every preference along a segment of scores, without forming a pair.

A line search needs value, slope and curvature of Σ (1 − u_i + u_j)₊² in η at u = s + η(t − s). The documents
of a query are kept in order from one evaluation to the next, and only repaired. With L relevance levels an
evaluation costs O(N L) for N documents that are nearly in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.jit import array_max, njit_cached, zero_rows
from toprank.problems.pairwise_kernels import is_violated

if TYPE_CHECKING:
    from toprank.problems.pairwise import PairwiseRanking

#: Moves per document after which sorting is cheaper than repairing the order.
REPAIR_MOVES_MAX = 16


@njit_cached
def _sort_query(order: np.ndarray, scores: np.ndarray, first: int, last: int) -> None:
    """Put the documents of one query, in any order, in ascending order of their scores: Shell's sort."""
    gap = 1
    while gap < (last - first) // 3:
        # Knuth's gaps 1, 4, 13, 40, …
        gap = 3 * gap + 1
    while gap > 0:
        for position in range(first + gap, last):
            i = order[position]
            slot = position
            while slot >= first + gap and scores[order[slot - gap]] > scores[i]:
                order[slot] = order[slot - gap]
                slot -= gap
            order[slot] = i
        gap //= 3


@njit_cached
def _repair_order(order: np.ndarray, scores: np.ndarray, starts: np.ndarray) -> None:
    """Put the documents of each query in ascending order of their scores: insertion sort of a near order."""
    for query in range(starts.size - 1):
        first, last = starts[query], starts[query + 1]
        # A budget for the whole query: after a long step its order is lost, and insertion sort would be
        # quadratic.
        moves = REPAIR_MOVES_MAX * (last - first)
        for position in range(first + 1, last):
            i = order[position]
            score = scores[i]
            slot = position
            while slot > first and scores[order[slot - 1]] > score:
                order[slot] = order[slot - 1]
                slot -= 1
            order[slot] = i
            moves -= position - slot
            if moves < 0:
                _sort_query(order, scores, first, last)
                break


@njit_cached
def _compute_derivatives(u, direction, order, levels, n_levels, starts) -> tuple[float, float]:
    """Return half the slope and half the curvature of the loss at u in the direction ``direction``."""
    slope, curvature = 0.0, 0.0
    sums = np.empty((array_max(n_levels), 5))  # of the documents of each level: number, Σu, Σδ, Σuδ, Σδ²
    for query in range(starts.size - 1):
        first = starts[query]
        pointer = starts[query + 1] - 1
        zero_rows(sums, n_levels[query])
        for position in range(pointer, first - 1, -1):
            i = order[position]
            if levels[i] == 0:
                continue
            ui, di = u[i], direction[i]
            # scores fall along the sweep, so the window of violated preferences only grows
            while pointer >= first and is_violated(ui, u[order[pointer]]):
                j = order[pointer]
                uj, dj, level = u[j], direction[j], levels[j]
                sums[level, 0] += 1.0
                sums[level, 1] += uj
                sums[level, 2] += dj
                sums[level, 3] += uj * dj
                sums[level, 4] += dj * dj
                pointer -= 1
            for level in range(levels[i]):
                count, sum_d = sums[level, 0], sums[level, 2]
                # Σ over the less relevant j in the window, from its sums alone
                slope -= (1.0 - ui) * (count * di - sum_d) + di * sums[level, 1] - sums[level, 3]
                curvature += di * (count * di - 2.0 * sum_d) + sums[level, 4]
    return slope, curvature


@njit_cached
def _compute_slopes(u, order, levels, n_levels, starts, slopes) -> float:
    """Return the value of the loss at u, and half its derivative in each score."""
    value = 0.0
    sums = np.empty((array_max(n_levels), 3))
    for query in range(starts.size - 1):
        first, last, highest = starts[query], starts[query + 1], n_levels[query] - 1
        # downwards, for each document the less relevant ones; of each level: number, Σu, Σu²
        pointer = last - 1
        zero_rows(sums, highest + 1)
        for position in range(last - 1, first - 1, -1):
            i = order[position]
            slopes[i] = 0.0
            if levels[i] == 0:
                continue
            ui = u[i]
            while pointer >= first and is_violated(ui, u[order[pointer]]):
                j = order[pointer]
                uj, level = u[j], levels[j]
                sums[level, 0] += 1.0
                sums[level, 1] += uj
                sums[level, 2] += uj * uj
                pointer -= 1
            margin = 1.0 - ui
            for level in range(levels[i]):
                weighted, total = sums[level, 0] * margin, sums[level, 1]
                slopes[i] -= weighted + total
                value += margin * (weighted + 2.0 * total) + sums[level, 2]
        # upwards, for each document the more relevant ones; above each level: number, Σu
        pointer = first
        zero_rows(sums, highest + 1)
        for position in range(first, last):
            i = order[position]
            if levels[i] == highest:
                continue
            ui = u[i]
            while pointer < last and is_violated(u[order[pointer]], ui):
                j = order[pointer]
                for level in range(levels[j]):
                    sums[level, 0] += 1.0
                    sums[level, 1] += u[j]
                pointer += 1
            slopes[i] += sums[levels[i], 0] * (1.0 + ui) - sums[levels[i], 1]
    return value


@njit_cached
def _minimise_on_segment(scores, direction, order, levels, n_levels, starts, max_steps) -> tuple[float, int]:
    """Return the step in [0, 1] that minimises the loss along a direction, and the number of evaluations."""
    low, high, u = 0.0, 1.0, np.empty(scores.size)
    slope, curvature = _compute_derivatives(scores, direction, order, levels, n_levels, starts)
    # the loss rises along the direction: the start is the minimum
    if slope >= 0.0:
        return 0.0, 1
    initial_slope, eta = slope, 0.0
    for step in range(max_steps):
        if slope <= 0.0:
            low = eta
        else:
            high = eta
        # the slope is piecewise linear in eta and never falls: on the right piece Newton hits the root; if a
        # step leaves the bracket, the bracket is halved
        target = eta - slope / curvature if curvature > 0.0 else high
        if target >= high:
            target = high if high == 1.0 and low < 1.0 else 0.5 * (low + high)
        elif target <= low and slope > 0.0:
            target = 0.5 * (low + high)
        if target == eta or high - low <= 1e-16:
            return eta, step + 1
        eta = target
        for i in range(u.size):
            u[i] = scores[i] + eta * direction[i]
        _repair_order(order, u, starts)
        slope, curvature = _compute_derivatives(u, direction, order, levels, n_levels, starts)
        # at the end of the segment, or at a root up to rounding
        if (eta == 1.0 and slope <= 0.0) or abs(slope) <= 1e-13 * abs(initial_slope):
            return eta, step + 2
    return eta, max_steps


class PairwiseSegment:
    """The scores of a linear ranker that moves along line segments towards vertices.

    Parameters
    ----------
    problem : PairwiseRanking
        Queries without a preference are left out. The weights of queries are not used.

    Attributes
    ----------
    X : ndarray or csc_array of shape (n_documents, d)
        The rows of the queries with a preference, stored by columns.
    scores : ndarray of shape (n_documents,)
        Centred within each query; zero at first.
    value : float
        Σ (1 − s_i + s_j)₊² at the scores.
    slopes : ndarray of shape (n_documents,)
        Derivative of the value in each score.
    """

    def __init__(self, problem: PairwiseRanking) -> None:
        # queries of one grade have no preference: they are left out once, not in each step
        highest = np.maximum.reduceat(problem.levels, problem.starts[:-1])
        has_preference = highest > 0
        sizes = np.diff(problem.starts)
        rows = has_preference[problem.query_of]
        self._sizes = sizes[has_preference]
        self._starts = np.append(0, np.cumsum(self._sizes))
        self._levels = problem.levels[rows]
        self._n_levels = highest[has_preference] + 1
        X = problem.X[rows]
        # columns are read one at a time, as vertices of the l1 ball
        self.X = X.tocsc() if sp.issparse(X) else np.asfortranarray(X)
        n_documents = self._levels.size
        self._score_order = np.arange(n_documents)
        self.scores, self.slopes = np.zeros(n_documents), np.empty(n_documents)
        self._evaluate()

    def _evaluate(self) -> None:
        """Bring order, value and slopes up to date with the scores."""
        _repair_order(self._score_order, self.scores, self._starts)
        structure = self._score_order, self._levels, self._n_levels, self._starts
        self.value = _compute_slopes(self.scores, *structure, self.slopes)
        self.slopes *= 2.0

    def gradient(self) -> np.ndarray:
        """Return the gradient of the value in w, of shape (d,).

        Returns
        -------
        ndarray of shape (d,)
        """
        return self.X.T @ self.slopes

    def column(self, j: int, weight: float) -> np.ndarray:
        """Return the scores (n_documents,) of the vertex weight · e_j, centred within each query.

        Parameters
        ----------
        j : int
            Feature of the vertex.
        weight : float
            Its weight, with sign.

        Returns
        -------
        ndarray of shape (n_documents,)
        """
        if sp.issparse(self.X):
            scores = np.zeros(self.scores.size)
            entries = slice(self.X.indptr[j], self.X.indptr[j + 1])
            scores[self.X.indices[entries]] = weight * self.X.data[entries]
        else:
            scores = weight * self.X[:, j]
        # only differences within a query matter: centred scores keep their squares from cancelling
        centre = np.add.reduceat(scores, self._starts[:-1]) / self._sizes
        return scores - np.repeat(centre, self._sizes)

    def move_to_minimum(self, target: np.ndarray, max_steps: int = 100) -> float:
        """Move the scores to the minimum of the value on the segment to other scores.

        Parameters
        ----------
        target : ndarray of shape (n_documents,)
        max_steps : int
            Largest number of evaluations; without rounding the search is finite.

        Returns
        -------
        float
            The step, as a fraction of the segment.
        """
        direction = target - self.scores
        structure = self._score_order, self._levels, self._n_levels, self._starts
        eta, _ = _minimise_on_segment(self.scores, direction, *structure, max_steps)
        # as a convex combination, so that eta = 1 gives the target to the digit
        self.scores = (1.0 - eta) * self.scores + eta * target
        self._evaluate()
        return eta
