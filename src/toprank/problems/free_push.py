"""Infinite push and top ranking with features that are not penalised: the dual has an equation for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from toprank.problems.push import PushRanking
from toprank.problems.two_classes import normalise_dual_weights
from toprank.problems.zero_solution import CONSTANT_FEATURE_RTOL
from toprank.top_mean import project_on_cap

#: The weights of features without a penalty are raised by this share to turn into 0 the hinges of 1e-10 that
#: the solver of cone programs leaves.
TOP_SEPARATION_MARGIN = 1e-6
#: A loss below this may be rounding of 0.
SMALL_LOSS = 1e-6


@dataclass(frozen=True)
class FreePushRanking(PushRanking):
    r"""`PushRanking` with free features, and with the hinge or its square.

    Parameters
    ----------
    positives, negatives, alpha, penalty, depth
        See `PushRanking`; the penalty is an `ElasticNet` with weights.
    is_squared : bool, default=False
        Whether the loss is TopPush's squared hinge (K15 eq. 11) in place of the hinge.

    Notes
    -----
    The dual is that of `PushRanking`, under a squared hinge with :math:`-\frac{m}{4}\sum_i a_i^2` in place
    of the bound of 1/m. It asks for :math:`x_j'(a, -b) = 0` at each free feature j.
    """

    is_squared: bool = False

    def objective(self, w: np.ndarray, scores: tuple[np.ndarray, np.ndarray] | None = None) -> float:
        """Return F(w); pass the pair of scores where they are known already.

        Parameters
        ----------
        w : ndarray of shape (d,)
        scores : tuple of ndarray, optional

        Returns
        -------
        float
        """
        scores = self.scores(w) if scores is None else scores
        return self.alpha * self.penalty.value(w) + self._compute_loss(scores)

    def _compute_loss(self, scores: tuple[np.ndarray, np.ndarray]) -> float:
        hinge = np.maximum(1.0 + self.compute_top(scores[1]) - scores[0], 0.0)
        return float(hinge @ hinge / hinge.size if self.is_squared else hinge.mean())

    def polish(
        self, w: np.ndarray, scores: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """Return the point, or one of objective 0 where the free features alone separate the classes.

        A loss of 0 has no relative gap, so that it has to be 0 to the last digit.

        Parameters
        ----------
        w : ndarray of shape (d,)
        scores : tuple of ndarray

        Returns
        -------
        w : ndarray of shape (d,)
        scores : tuple of ndarray
        """
        # an objective of 0 needs penalised weights of 0: the free features have to separate the classes alone
        if self._compute_loss(scores) > SMALL_LOSS:
            return w, scores
        features, separating = self.penalty.free_features, np.zeros(w.size)
        separating[features] = (1.0 + TOP_SEPARATION_MARGIN) * w[features]
        new_scores = self.scores(separating)
        return (separating, new_scores) if self._compute_loss(new_scores) == 0.0 else (w, scores)

    def lower_bound(self, positive_weights: np.ndarray, negative_weights: np.ndarray) -> float:
        """Dual bound from any non-negative weights, moved to where the equations of free features hold.

        Parameters
        ----------
        positive_weights : ndarray of shape (m,)
        negative_weights : ndarray of shape (n,)

        Returns
        -------
        float
            A lower bound on F(w) for all w within the ``bounds`` of the penalty.

        Raises
        ------
        ValueError
            If a weight is negative.
        """
        weights = normalise_dual_weights(positive_weights, negative_weights)
        if weights is None:
            return 0.0
        a, b = weights
        if self.depth > 1:
            b = project_on_cap(b, self.depth)
        # both bounds are valid; where the equations hold, the limits on the free weights cost nothing
        bound = self._bound_at(a, b)
        moved = self._move_to_equations(a, b)
        return bound if moved is None else max(bound, self._bound_at(*moved))

    def _bound_at(self, a: np.ndarray, b: np.ndarray) -> float:
        """Return the bound of feasible weights, best along their scale."""
        direction = self.dual_direction(a, b)
        if self.is_squared:
            # conjugate of the mean squared hinge: Σ a_i − (m/4) Σ a_i² with Σ a_i = 1
            squares = 0.25 * a.size * float(a @ a)
            return self.penalty.scaled_dual(direction, self.alpha, 1.0, squares)
        # plain hinge: a_i at most 1/m, reached first by the largest entry
        return self.penalty.scaled_dual(direction, self.alpha, 1.0, cap=1.0 / (a.size * a.max()))

    def _move_to_equations(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the nearest weights that solve the equations, weights far from 0 and the cap moving most.

        None if some of them would leave their range.
        """
        features, cap = self.penalty.free_features, 1.0 / self.depth
        positives, negatives = np.flatnonzero(a), np.flatnonzero(b)
        columns = _read_columns(self.positives, positives, features)
        other_columns = -_read_columns(self.negatives, negatives, features)
        centre = columns.mean(axis=0)  # with both sums fixed, a shift changes no solution
        columns, other_columns = columns - centre, other_columns + centre
        # units do not matter for the equations: each feature's largest entry becomes 1
        scale = np.maximum(np.abs(columns).max(axis=0), np.abs(other_columns).max(axis=0))
        scale[scale <= CONSTANT_FEATURE_RTOL * np.abs(centre)] = 1.0  # of a constant one, rounding errors
        # beside these equations, the sums of both classes stay 1
        blocks = columns / scale, other_columns / scale
        sums = [np.tile(row, (len(block), 1)) for row, block in zip(np.eye(2), blocks, strict=True)]
        rows = np.hstack([np.vstack(blocks), np.vstack(sums)])
        start = np.append(a[positives], b[negatives])
        # a weight may move in proportion to its size, and to its distance from the cap
        room = np.append(a[positives], b[negatives] * np.maximum(1.0 - b[negatives] / cap, 0.0))
        target = np.append(np.zeros(features.size), [1.0, 1.0])
        weights = start.copy()
        for _ in range(2):  # the second step takes away the rounding errors of the first
            residual = target - weights @ rows
            # weighted least squares: the smallest change, relative to that room, that solves the equations
            multipliers = np.linalg.lstsq(rows.T @ (room[:, None] * rows), residual, rcond=1e-12)[0]
            weights = weights + room * (rows @ multipliers)
        highest = np.append(np.full(positives.size, np.inf), np.maximum(cap, b[negatives]))
        # a weight that left its range gives no bound
        if not np.all((weights >= 0.0) & (weights <= highest)):
            return None
        moved_a, moved_b = np.zeros(a.size), np.zeros(b.size)
        moved_a[positives], moved_b[negatives] = weights[: positives.size], weights[positives.size :]
        return moved_a, moved_b


def _read_columns(rows: np.ndarray | sp.csr_array, index: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Return some columns of some rows, dense."""
    block = rows[index][:, features]
    return block.toarray() if sp.issparse(block) else np.asarray(block, dtype=float)
