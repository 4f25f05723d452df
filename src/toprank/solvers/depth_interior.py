r"""The infinite push at depth K: an interior point method on all rows.

With the K-th highest score θ of the negatives and the excesses η over it, t = θ + Ση/K is the mean of the K
highest scores. In units of 1/m the problem and its dual constraints are

.. math::
    \min_{w, \theta, \xi, \eta} \sum_k \lambda_k|w_k| + \tfrac12\sum_k q_k w_k^2 + \sum_i \xi_i
    \quad\text{where}\quad \xi_i \ge 1 + t - w'x_i^+, \quad \eta_j \ge w'x_j^- - \theta, \quad
    \xi, \eta \ge 0,

    0 \le a_i \le 1, \quad 0 \le b_j \le s, \quad \sum a = \sum b = K s, \quad
    X^{+\prime}a - X^{-\prime}b = \rho + q\,w, \quad |\rho_k| \le \lambda_k.

The cap s of the negatives is an unknown of its own. Each step factors one system with two unknowns more than
there are features (see `toprank.solvers.depth_newton`): it costs as much wherever the K-th score lies and
however many rows tie there, which is where models of a part of the rows grow. Under an l1 norm features enter
once their slope comes near to its limit.

The steps are Mehrotra's with Gondzio's further corrections, as in `toprank.solvers.push_direction`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.solvers.depth_iterate import Bounds, Iterate
from toprank.solvers.depth_newton import DepthNewtonSystem, FeatureColumns
from toprank.solvers.push_direction import LEAST_GAIN, LONGER_STEP, correct_aims, find_longest_step
from toprank.solvers.scaling import Scaling

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.push import PushRanking

#: Share of the way to the nearest bound that a step takes.
STEP_SHARE = 0.995
#: Features whose slope has this share of its limit enter; in a step so many, or this share of those in it.
ENTERING_SLOPE, ENTERING_FEATURES, ENTERING_SHARE = 0.8, 30, 0.25
#: Rows stay sparse if they have fewer entries than this share, and offsets below this multiple of the spread.
SPARSE_SHARE, OFFSET_MAX = 0.25, 100.0
#: The first slopes reach this share of their limit.
INITIAL_SLOPE_SHARE = 0.9
#: The first product of a weight of a positive and its slack, and the first values of t and θ.
INITIAL_PRODUCT, INITIAL_TOP, INITIAL_THRESHOLD = 0.5, 1.0, 0.5
#: Corrections of a direction.
CORRECTORS_MAX = 4


class DepthInterior:
    """The point and the weights of the interior point method.

    Parameters
    ----------
    problem : PushRanking
        At a depth below n, under an l1 norm, a ridge or an elastic net.

    Attributes
    ----------
    features : ndarray of int
        Those in the program; all multipliers have a weight of 0.
    """

    def __init__(self, problem: PushRanking) -> None:
        self.problem = problem
        m, n = self._sizes = problem.positives.shape[0], problem.negatives.shape[0]
        self.scaling = Scaling.from_rows(problem.positives, problem.negatives)
        scale = self.scaling.scale
        penalty_unit = m * problem.alpha
        self._limits, self._ridge = (
            penalty_unit * np.broadcast_to(0.0 if values is None else values, scale.shape) / unit
            for values, unit in (
                (problem.penalty.thresholds, scale),
                (problem.penalty.curvatures, np.square(scale)),
            )
        )
        # weights at half of their caps, with equal sums: with w = 0 all equations but a ridge's hold
        weights = np.append(np.full(m, 0.5), np.full(n, 0.5 * m / n))
        cap = 0.5 * m / problem.depth
        slopes = self._compute_slopes(weights)
        is_limited = self._limits > 0.0
        steepest = np.max(np.abs(slopes[is_limited]) / self._limits[is_limited], initial=0.0)
        if steepest > INITIAL_SLOPE_SHARE:
            weights, cap, slopes = (
                INITIAL_SLOPE_SHARE / steepest * values for values in (weights, cap, slopes)
            )
        a, b = weights[:m], weights[m:]
        slack = INITIAL_PRODUCT / a
        excess = np.full(n, (INITIAL_TOP - INITIAL_THRESHOLD) * problem.depth / n)
        empty = np.empty(0)
        self._point = Iterate(
            Bounds(np.concatenate([a, 1.0 - a, b, cap - b]), (m, n)),
            Bounds(
                np.concatenate([slack, 1.0 + INITIAL_TOP + slack, INITIAL_THRESHOLD + excess, excess]),
                (m, n),
            ),
            empty,
            INITIAL_TOP,
            INITIAL_THRESHOLD,
            cap,
        )
        self._stays_sparse = stays_sparse(problem, self.scaling)
        self.features = np.empty(0, dtype=np.intp)
        self._rows = FeatureColumns(np.empty((m + n, 0)), m)
        self._enter(np.flatnonzero(~is_limited), slopes)
        self.add_features(slopes)

    def _compute_slopes(self, weights: np.ndarray) -> np.ndarray:
        """Return X⁺'a − X⁻'b, in units of the scale."""
        m = self._sizes[0]
        return self.problem.dual_direction(weights[:m], weights[m:]) / self.scaling.scale

    @property
    def n_entries(self) -> int:
        """Stored numbers of the rows in the program."""
        return self._rows.matrix.size

    @property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Dual weights a and b of all positives and negatives, of sum at most 1."""
        gaps, m = self._point.gaps, self._sizes[0]
        return gaps.positive_low / m, gaps.negative_low / m

    @property
    def complementarity(self) -> float:
        """What the products of gaps and multipliers add to the duality gap; the rest is infeasibility."""
        point = self._point
        return float(point.gaps.values @ point.multipliers.values) / self._sizes[0]

    @property
    def w(self) -> np.ndarray:
        """The point, in the units of the data."""
        w = np.zeros(self.scaling.scale.size)
        w[self.features] = self._point.w / self.scaling.scale[self.features]
        return w

    def find_sparse_point(self, ratio: float) -> np.ndarray:
        """Return w with zeros where the weight is small beside the distance of the slope from its limit.

        Parameters
        ----------
        ratio : float
            Of the smallest weight that is kept, in units of the penalty, to that distance, relative to the
            limit. One of the two tends to 0.

        Returns
        -------
        ndarray of shape (d,)
        """
        w, gaps = self.w, self._point.gaps
        limited = self.features[self._limits[self.features] > 0.0]
        slack = np.minimum(gaps.slope_low, gaps.slope_high) / self._limits[limited]
        cost = self.problem.alpha * np.abs(w[limited])
        w[limited[cost < ratio * slack]] = 0.0
        return w

    def find_binding_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Tell which rows bind, from the two factors of each product that tends to 0.

        Returns
        -------
        is_kink : ndarray of bool of shape (m,)
            On the kink of their hinge.
        is_threshold : ndarray of bool of shape (n,)
            At the K-th highest score.
        is_above : ndarray of bool of shape (n,)
            Surely above it: their weight is the cap.
        """
        gaps, multipliers = self._point.gaps, self._point.multipliers
        is_kink = np.minimum(gaps.positive_low, gaps.positive_high) > np.abs(
            multipliers.positive_low - multipliers.positive_high
        )
        is_threshold = np.minimum(gaps.negative_low, gaps.negative_high) > self._point.cap * np.abs(
            multipliers.negative_low - multipliers.negative_high
        )
        return is_kink, is_threshold, ~is_threshold & (gaps.negative_high < gaps.negative_low)

    def add_features(self, slopes: np.ndarray | None = None) -> None:
        """Add the features whose slope is near to its limit.

        Parameters
        ----------
        slopes : ndarray of shape (d,), optional
            At the present weights.
        """
        if self.features.size == self._limits.size:
            return
        if slopes is None:
            gaps = self._point.gaps
            slopes = self._compute_slopes(np.append(gaps.positive_low, gaps.negative_low))
        candidates = np.setdiff1d(np.flatnonzero(self._limits), self.features, assume_unique=True)
        shares = np.abs(slopes[candidates]) / self._limits[candidates]
        n_entering = max(ENTERING_FEATURES, int(ENTERING_SHARE * self.features.size))
        steepest = np.argsort(-shares, kind="stable")[:n_entering]
        self._enter(candidates[steepest[shares[steepest] > ENTERING_SLOPE]], slopes)

    def _enter(self, entering: np.ndarray, slopes: np.ndarray) -> None:
        """Add features with a weight of 0, and their columns."""
        if not entering.size:
            return
        classes = self.problem.positives, self.problem.negatives
        if self._stays_sparse:
            # an offset cancels in each difference of scores
            columns = sp.vstack([rows[:, entering] / self.scaling.scale[entering] for rows in classes])
            matrix = sp.hstack([self._rows.matrix, columns]) if self.features.size else columns
            matrix = sp.csr_array(matrix)
            matrix.sort_indices()
        else:
            columns = np.vstack([self.scaling(rows, entering) for rows in classes])
            matrix = np.hstack([self._rows.matrix, columns])
        self._rows = FeatureColumns(matrix, self._sizes[0])
        self.features = np.append(self.features, entering)
        limits = self._limits[entering]
        entering, limits = entering[limits > 0.0], limits[limits > 0.0]
        largest = INITIAL_SLOPE_SHARE * limits
        rho = np.clip(slopes[entering], -largest, largest)
        point = self._point
        low, high = limits + rho, limits - rho
        product = point.mean_product
        point.gaps.append_slopes(low, high)
        point.multipliers.append_slopes(product / low, product / high)
        point.w = np.append(point.w, np.zeros(self.features.size - point.w.size))

    def step(self, clock: Clock) -> None:
        """Move to the next iterate.

        Parameters
        ----------
        clock : Clock

        Raises
        ------
        OutOfTime
            If the time is too short for the system of equations.
        numpy.linalg.LinAlgError
            If it is singular to working precision.
        """
        point, ridge = self._point, self._ridge[self.features]
        is_limited = self._limits[self.features] > 0.0
        system = DepthNewtonSystem(
            self._rows, point, self.problem.depth, (is_limited, self._limits[self.features], ridge), clock
        )
        has_ridge = bool(ridge.any())
        gaps, multipliers = point.gaps.values, point.multipliers.values

        def find_steps(direction: Iterate) -> tuple[float, float]:
            """Return the longest steps of the gaps and of the multipliers; under a ridge they are one."""
            steps = (
                find_longest_step(gaps, direction.gaps.values),
                find_longest_step(multipliers, direction.multipliers.values),
            )
            return (min(steps),) * 2 if has_ridge else steps

        def multiply(direction: Iterate, steps: tuple[float, ...]) -> np.ndarray:
            """Return the products of gaps and multipliers after such steps."""
            first, second = steps
            return (gaps + first * direction.gaps.values) * (
                multipliers + second * direction.multipliers.values
            )

        # the predictor aims at products of 0, the corrector at what it leaves of them
        direction = system.solve(np.zeros(gaps.size))
        product = point.mean_product
        predicted = multiply(direction, [min(1.0, step) for step in find_steps(direction)]).mean()
        target = (predicted / product) ** 3 * product
        aims = target - direction.gaps.values * direction.multipliers.values
        direction = system.solve(aims)
        steps = find_steps(direction)
        for _ in range(CORRECTORS_MAX):
            trial = multiply(direction, [min(1.0, step + LONGER_STEP) for step in steps])
            aims = correct_aims(aims, trial, target)
            corrected = system.solve(aims)
            longer = find_steps(corrected)
            if sum(min(1.0, step) for step in longer) < sum(min(1.0, step) for step in steps) + LEAST_GAIN:
                break
            direction, steps = corrected, longer
        if not (np.isfinite(direction.w).all() and np.isfinite(direction.gaps.values).all()):
            raise np.linalg.LinAlgError
        self._point = point.move(direction, *(min(1.0, STEP_SHARE * step) for step in steps))


def stays_sparse(problem: PushRanking, scaling: Scaling) -> bool:
    """Whether products of the rows as they are stored are cheaper, and lose no digits to offsets.

    Parameters
    ----------
    problem : PushRanking
    scaling : Scaling

    Returns
    -------
    bool
    """
    classes = problem.positives, problem.negatives
    if not all(map(sp.issparse, classes)):
        return False
    is_offset = np.abs(scaling.shift) > OFFSET_MAX * scaling.scale
    n_entries = sum(np.prod(rows.shape) for rows in classes)
    return sum(rows.nnz for rows in classes) < SPARSE_SHARE * n_entries and not is_offset.any()
