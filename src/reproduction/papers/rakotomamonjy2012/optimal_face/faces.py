"""The set of all optima of an l1 problem of R12, and how many variables they use.

Both problems are convex, so their optima are a convex set, which the optimal dual solution describes: a
weight whose slope stays below λ is 0 in every optimum, one whose slope is λ keeps its sign, and what has a
positive multiplier stays as it is. What is left is a polyhedron: the optimum at hand plus the moves that
change nothing of this. Where there is no such move the optimum is unique, and so is the number of variables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog

from toprank.metrics import selected_variables
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers import prox_newton

SLOPE_RTOL = 1e-6
"""Relative to λ: a slope that is nearer to it counts as equal, so that its weight may differ from 0."""

MULTIPLIER_RTOL = 1e-9
"""Relative to the bound of a multiplier: below it counts as 0, and as near to the bound as equal to it."""

RANK_RTOL = 1e-10
"""Singular values below this share of the largest count as 0."""

LP_TOL = 1e-10
"""Of the linear programs, primal and dual."""

LP_OPTIONS = {"primal_feasibility_tolerance": LP_TOL, "dual_feasibility_tolerance": LP_TOL}

CERTIFIED_RTOL = 1e-8
"""Relative gap up to which a linear program counts as certified, as in the fits of the study."""

RANKSVM_TOL = 1e-10
"""Of the fits of l1 RankSVM: relative gap, and violation of the optimality conditions relative to λ."""


@dataclass(frozen=True)
class OptimalFace:
    """One optimum, and the moves from it to all others.

    Attributes
    ----------
    weights : ndarray of shape (d,)
        The optimum at hand.
    signs : ndarray of shape (d,)
        Sign of each weight in every optimum; 0 where it is 0 in all of them.
    fixed : ndarray of shape (n_fixed, k)
        Rows that every move leaves at 0. Its columns are the features with a sign, then, for the push, the
        score of the highest negative.
    bounded : ndarray of shape (n_bounded, k)
        Rows that a move may lower by at most `slack`.
    slack : ndarray of shape (n_bounded,)
    status : str
        Of the fit: "certified", or why it is not.
    relative_gap : float
        Of the fit.
    """

    weights: np.ndarray
    signs: np.ndarray
    fixed: np.ndarray
    bounded: np.ndarray
    slack: np.ndarray
    status: str
    relative_gap: float

    def count_variables(self) -> dict[str, int]:
        """Count the variables of the optimum at hand, and bound those of all optima.

        Returns
        -------
        dict of str to int
            ``variables`` of the optimum at hand; ``fewest``, those that every optimum uses; ``most``, those
            that some optimum uses; ``freedom``, the dimension of the moves (0: the optimum is unique).
        """
        used = selected_variables(self.weights)
        n_used = int(np.count_nonzero(used))
        features = np.flatnonzero(self.signs)
        # of many rows the triangular factor has the same null space
        # (unknowns, k): a basis of the moves (δw, δt) that leave every row with a positive multiplier as it
        # is.
        moves = null_space(np.linalg.qr(self.fixed, mode="r"), rcond=RANK_RTOL)
        counts = {"variables": n_used, "fewest": n_used, "most": n_used, "freedom": moves.shape[1]}
        if not moves.shape[1] or not features.size:
            return counts
        # |w_f + δw_f| = sign_f (w_f + δw_f) within the face, where no weight changes its sign: linear in the
        # move.
        signed_moves = self.signs[features, None] * moves[: features.size]
        sizes = np.abs(self.weights[features])
        # a signed weight must not fall below 0, nor a bounded row use up more than its slack
        A_ub = np.vstack([-signed_moves, -(self.bounded @ moves)])
        b_ub = np.append(sizes, np.maximum(self.slack, 0.0))
        smallest = [size + _minimise(row, A_ub, b_ub) for size, row in zip(sizes, signed_moves, strict=True)]
        largest = [size - _minimise(-row, A_ub, b_ub) for size, row in zip(sizes, signed_moves, strict=True)]
        # as in `selected_variables`
        threshold = 1e-6 * np.abs(self.weights).max(initial=0.0) or LP_TOL
        return counts | {
            # Bounds, each weight by itself: a weight whose smallest size is 0 need not be 0 together with the
            # others. min and max with the count at hand, which is one of the optima, for weights at the
            # threshold.
            "fewest": min(int(np.count_nonzero(np.array(smallest) > threshold)), n_used),
            "most": max(int(np.count_nonzero(np.array(largest) > threshold)), n_used),
        }


def _minimise(cost: np.ndarray, A_ub: np.ndarray, b_ub: np.ndarray) -> float:
    """Minimise a linear function over the moves within the face."""
    result = linprog(cost, A_ub=A_ub, b_ub=b_ub, bounds=(None, None), method="highs-ds", options=LP_OPTIONS)
    if result.status != 0:
        raise ArithmeticError(f"the optimal face has no bound: {result.message}")
    return result.fun


def find_push_face(X: np.ndarray, y: np.ndarray, alpha: float) -> OptimalFace:
    """Solve the l1 infinite push as a linear program, and read the set of its optima off the multipliers.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Training rows.
    y : ndarray of shape (n_rows,)
        Labels; above 0 is positive.
    alpha : float
        Weight of the l1 norm.

    Returns
    -------
    OptimalFace
    """
    # the program on m + n rows, not on pairs: the maximum over negatives is t
    positives, negatives = X[y > 0], X[y <= 0]
    (m, d), n = positives.shape, len(negatives)
    # min 1'(u + v) + 1'ξ/(αm), w = u − v, subject to ξ ≥ 1 + t − p, q ≤ t, over α so that slopes are up to 1
    cap = 1.0 / (alpha * m)
    cost = np.concatenate([np.ones(2 * d), np.full(m, cap), [0.0]])
    A_ub = np.block(
        [
            [-positives, positives, -np.eye(m), np.ones((m, 1))],
            [negatives, -negatives, np.zeros((n, m)), -np.ones((n, 1))],
        ]
    )
    bounds = [(0, None)] * (2 * d + m) + [(None, None)]
    b_ub = np.append(-np.ones(m), np.zeros(n))
    result = linprog(cost, A_ub=A_ub, b_ub=b_ub, bounds=bounds, method="highs-ds", options=LP_OPTIONS)
    if result.status != 0:
        raise ArithmeticError(f"the linear program of the infinite push: {result.message}")
    # SciPy's marginals of A_ub x ≤ b_ub are ≤ 0: α and β of the dual (max 1'α, 0 ≤ α ≤ 1/(λm), 1'α = 1'β) are
    # their negatives. The slopes X⁺'α − X⁻'β are within [−1, 1], since λ is divided out.
    multipliers = -result.ineqlin.marginals
    of_positives, of_negatives = multipliers[:m], multipliers[m:]
    weights, top = result.x[:d] - result.x[d : 2 * d], result.x[-1]
    slopes = positives.T @ of_positives - negatives.T @ of_negatives
    signs = np.sign(slopes) * (np.abs(slopes) >= 1.0 - SLOPE_RTOL)
    features = np.flatnonzero(signs)
    margins = np.column_stack([positives[:, features], -np.ones(m)])  # p − t, less 1 the negated hinge
    depths = np.column_stack([-negatives[:, features], np.ones(n)])  # t − q
    # −(1 − p + t): negative where a positive pays a hinge loss, with multiplier 1/(αm), its cap; 0 between.
    excess = positives @ weights - top - 1.0
    is_paid, is_full = of_positives > MULTIPLIER_RTOL * cap, of_positives >= cap * (1.0 - MULTIPLIER_RTOL)
    is_highest = of_negatives > MULTIPLIER_RTOL * cap
    gap = result.fun - of_positives.sum()  # the dual of the program is max 1'α
    return OptimalFace(
        weights,
        signs,
        fixed=np.vstack([margins[is_paid & ~is_full], depths[is_highest]]),
        bounded=np.vstack([-margins[is_full], margins[~is_paid], depths[~is_highest]]),
        slack=np.concatenate([-excess[is_full], excess[~is_paid], (top - negatives @ weights)[~is_highest]]),
        status="certified" if abs(gap) <= CERTIFIED_RTOL * max(result.fun, 1e-300) else "stalled",
        relative_gap=abs(gap) / max(result.fun, 1e-300),
    )


def find_ranksvm_face(problem: PairwiseRanking, y: np.ndarray, time_limit: float) -> OptimalFace:
    """Solve l1 RankSVM, and read the set of its optima off the slopes and the hinges.

    The loss is strictly convex in the active hinges, so that they are the same in every optimum.

    Parameters
    ----------
    problem : PairwiseRanking
        Of one list, under the l1 norm.
    y : ndarray of shape (n_rows,)
        Labels; above 0 is positive.
    time_limit : float
        Seconds.

    Returns
    -------
    OptimalFace
    """
    weights, certificate, _ = prox_newton.solve(problem, tol=RANKSVM_TOL, time_limit=time_limit)
    scores = problem.X @ weights
    slopes = -problem.gradient(problem.loss(scores)) / problem.alpha
    # a weight beside 0 counts as one that may be used, even where the fit is less exact than the tolerance
    signs = np.where(np.abs(slopes) >= 1.0 - SLOPE_RTOL, np.sign(slopes), np.sign(weights))
    features = np.flatnonzero(signs)
    X = np.asarray(problem.X)[:, features]
    hinges = 1.0 - (scores[y > 0][:, None] - scores[y <= 0])
    # The squared hinge is strictly convex where it is positive: these margins are the same in all optima,
    # while pairs beyond the margin must only stay there.
    is_active = hinges > SLOPE_RTOL * hinges.max()

    def subtract_pairs(is_chosen: np.ndarray) -> np.ndarray:
        """Return the differences of the rows of some pairs."""
        better, worse = np.nonzero(is_chosen)
        return X[y > 0][better] - X[y <= 0][worse]

    return OptimalFace(
        weights,
        signs,
        fixed=subtract_pairs(is_active),
        bounded=subtract_pairs(~is_active),
        slack=-hinges[~is_active],
        status=certificate.status,
        relative_gap=certificate.relative_gap,
    )
