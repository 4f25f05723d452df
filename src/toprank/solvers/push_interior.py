r"""The infinite push under an l1 penalty on many features: an interior point method on a part of the rows.

With weights :math:`0 \le a_i \le 1` of the positives, :math:`b_j \ge 0` of the negatives, and the slope r of
the features, all in units of 1/m, the dual of `PushRanking` is

.. math::
    \max_{a, b, r} \sum_i a_i \quad\text{where}\quad X^{+\prime}a - X^{-\prime}b = r,
    \quad \sum a = \sum b, \quad |r_k| \le m\alpha.

Its multipliers are w and t, the highest score of a negative. Each step (see
`toprank.solvers.push_direction`) factors one system, with as many unknowns as there are rows in the program,
or features if these are fewer. So a row enters the program only once a point violates its constraint, and
leaves it when its weight rests at a bound. All rows are scored in each step. No feature needs to be chosen:
of sparse rows, the system is a sum of sparse outer products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.problems.zero_solution import compute_mean_row
from toprank.solvers.push_direction import compute_mean_product, find_direction
from toprank.solvers.push_newton import NewtonSystem, ProgramRows, SquareBuffer

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.push import PushRanking

#: Negatives in the first program, and the least number of rows that may enter in a step.
INITIAL_NEGATIVES, ENTERING_ROWS_MIN = 200, 100
#: Rows that may enter in a step, relative to those in the program.
ENTERING_SHARE = 0.13
#: Weight of an entering row, relative to the mean one: small, so that the sums stay almost as they are.
ENTERING_WEIGHT = 0.3
#: A row leaves if its weight is so near to a bound (relative to the mean one) and its constraint so loose (in
#: units of the margin).
RESTING_WEIGHT, RESTING_SLACK = 3e-2, 2e-2
#: Share of the way to the nearest bound that a step takes.
STEP_SHARE = 0.99
#: Least distance from an upper bound, relative to it: differences beyond its last digit round to 0.
GAP_MIN = 1e-16
#: Solutions that move a point onto its binding rows, while the largest distance falls by such a factor.
SETTLING_MAX, SETTLING_FACTOR = 6, 0.5
#: Steps after that to a certified point, until it has exact zeros, and the ratios that are tried for them.
SPARSE_STEPS_MAX, SPARSE_RATIOS = 4, (1e6, 1e4, 1e2, 1.0, 1e-2, 1e-4)
#: The first slopes reach this share of their limit.
INITIAL_SLOPE_SHARE = 0.9
#: The first product of a weight and its slack, and the first highest score.
INITIAL_PRODUCT, INITIAL_TOP = 0.5, 1.0


class InteriorPoint:
    """An iterate: the rows in the program, their weights, the slopes, and the multipliers.

    The bounds of weights and slopes are treated alike: ``x`` holds the weights of the rows in the program,
    then the slopes; ``lower_multipliers`` and ``upper_multipliers`` belong to its bounds.

    Parameters
    ----------
    problem : PushRanking
        At depth 1, under `L1` with equal weights.
    start : ndarray of shape (d,), optional
        A direction whose highest negatives are in the first program; by default the difference of the means.
    """

    def __init__(self, problem: PushRanking, start: np.ndarray | None = None) -> None:
        self.problem = problem
        m, d = problem.positives.shape
        self._limit = m * problem.alpha
        if start is None or not start.any():
            start = compute_mean_row(problem.positives) - compute_mean_row(problem.negatives)
        highest = np.argsort(-(problem.negatives @ start), kind="stable")[:INITIAL_NEGATIVES]
        self._index = np.append(np.arange(m), m + highest)  # of the rows in the program, positives first
        self._rests_at_one = np.zeros(m, dtype=bool)  # positives outside of the program
        self._buffer = SquareBuffer()
        self._read_rows()
        self._may_iterate, self._system = True, None
        weights = np.append(np.full(m, 0.5), np.full(highest.size, 0.5 * m / highest.size))
        # Positives at half of their cap and negatives with the same sum: a dual point whose slopes are then
        # shrunk into the interior of |r| ≤ mα.
        steepest = np.abs(self._rows.signed_sum(weights)).max()
        if steepest > 0.0:
            weights *= min(1.0, INITIAL_SLOPE_SHARE * self._limit / steepest)
        # with w = 0 these weights, slopes and multipliers satisfy all equations
        self.w, self.top = np.zeros(d), INITIAL_TOP
        self.x = np.append(weights, self._rows.signed_sum(weights))
        is_positive = self._rows.sign > 0.0
        slope_multipliers = np.full(d, INITIAL_PRODUCT / self._limit)
        lower = np.where(is_positive, INITIAL_PRODUCT / weights, self.top)
        upper = np.where(is_positive, 1.0 + self.top + lower, 0.0)
        self.lower_multipliers = np.append(lower, slope_multipliers)
        self.upper_multipliers = np.append(upper, slope_multipliers)

    def _read_rows(self) -> None:
        """Copy the rows of the program, and sum up the positives that rest at 1."""
        m = self.problem.positives.shape[0]
        positives, negatives = self._index[self._index < m], self._index[self._index >= m] - m
        rows = self.problem.positives[positives], self.problem.negatives[negatives]
        self._rows = ProgramRows(*rows, self._buffer)
        self._resting_sum = self.problem.positives.T @ self._rests_at_one.astype(float)

    @property
    def n_rows(self) -> int:
        """Rows in the program."""
        return self._index.size

    @property
    def weights(self) -> np.ndarray:
        """Weights of the rows in the program."""
        return self.x[: self.n_rows]

    @property
    def slopes(self) -> np.ndarray:
        """Slopes of the features."""
        return self.x[self.n_rows :]

    def sparse_point(self, ratio: float) -> np.ndarray:
        """Return w with zeros where the weight is small beside the distance of the slope from its limit.

        Both are relative: to a penalty of 1, which is the objective at w = 0, and to the limit.

        Parameters
        ----------
        ratio : float
            Of the smallest weight that is kept to that distance. One of the two tends to 0.

        Returns
        -------
        ndarray of shape (d,)
        """
        slack = 1.0 - np.abs(self.slopes) / self._limit
        return np.where(self.problem.alpha * np.abs(self.w) >= ratio * slack, self.w, 0.0)

    def settle_on_binding_rows(self, w: np.ndarray) -> np.ndarray:
        """Move the weights that are not 0 to where the binding rows of the program bind exactly.

        A late step leaves the difference of almost equal numbers there; the solution of its system for what
        is left does not.

        Parameters
        ----------
        w : ndarray of shape (d,)
            Near the w of the last step.

        Returns
        -------
        ndarray of shape (d,)
        """
        rows, is_kept, top = self._rows, w != 0.0, self.top
        is_binding, force = self.find_binding_rows()[self._index], np.zeros(self.x.size)
        last_distance = np.inf
        for _ in range(SETTLING_MAX):
            force[: self.n_rows] = (rows.sign > 0.0) - rows.sign * (rows.matrix @ w - top)
            force[: self.n_rows][~is_binding] = 0.0
            distance = np.abs(force).max()
            if not distance < SETTLING_FACTOR * last_distance:
                break
            last_distance = distance
            _, dw, dt = self._system.solve(force, is_feasible=True)
            w, top = w + np.where(is_kept, dw, 0.0), top + dt
        return w

    def find_binding_rows(self, n_most: int | None = None) -> np.ndarray:
        """Return which rows have a weight that is away from its bounds rather than a loose constraint.

        Parameters
        ----------
        n_most : int, optional
            How many may bind: those with the weights that are farthest from their bounds.

        Returns
        -------
        ndarray of bool of shape (m + n,)
        """
        units = np.where(self._rows.sign > 0.0, 1.0, self._mean_negative_weight())
        distance = np.minimum(*(gaps[: self.n_rows] for gaps in self._gaps())) / units
        pull = self._rows.sign * (self._rows.matrix @ self.w - self.top) - (self._rows.sign > 0.0)
        binding = np.flatnonzero(distance >= np.abs(pull))
        if n_most is not None:
            binding = binding[np.argsort(-distance[binding], kind="stable")[:n_most]]
        is_binding = np.zeros(self.problem.positives.shape[0] + self.problem.negatives.shape[0], dtype=bool)
        is_binding[self._index[binding]] = True
        return is_binding

    def all_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of all positives and negatives.

        Returns
        -------
        tuple of ndarray of shapes (m,) and (n,)
        """
        m, n = self.problem.positives.shape[0], self.problem.negatives.shape[0]
        weights = np.append(self._rests_at_one.astype(float), np.zeros(n))
        weights[self._index] = self.weights
        return weights[:m] / m, weights[m:] / m

    def _pull(self, scores: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return how much the objective gains from the weight of each row; 0 where its constraint binds."""
        return np.append(1.0 + self.top - scores[0], scores[1] - self.top)

    def _mean_negative_weight(self) -> float:
        return float(self.weights[self._rows.sign < 0.0].mean())

    def update_rows(self, scores: tuple[np.ndarray, np.ndarray]) -> None:
        """Drop the rows whose weight rests at a bound, and add those whose constraint is violated.

        Parameters
        ----------
        scores : tuple of ndarray of shapes (m,) and (n,)
            Of all rows at w.
        """
        m, n_rows, weights = self.problem.positives.shape[0], self.n_rows, self.weights
        pull, is_positive = self._pull(scores), self._rows.sign > 0.0
        units = np.where(is_positive, 1.0, self._mean_negative_weight())
        # A row rests only if weight and constraint agree: near 0 with a loose constraint, or near 1 with a
        # hinge that is surely paid.
        at_zero = (weights < RESTING_WEIGHT * units) & (pull[self._index] < -RESTING_SLACK)
        at_one = is_positive & (weights > 1.0 - RESTING_WEIGHT) & (pull[self._index] > RESTING_SLACK)
        is_kept = ~(at_zero | at_one)
        is_kept[np.argmin(is_positive)] = True  # one negative stays

        violation = pull.copy()
        # A positive that rests at 1 comes back once its hinge is no longer paid.
        violation[:m][self._rests_at_one] *= -1.0
        violation[self._index] = 0.0
        entering = np.flatnonzero(violation > 0.0)
        n_entering = max(ENTERING_ROWS_MIN, int(ENTERING_SHARE * n_rows))
        if entering.size > n_entering:
            entering = entering[np.argpartition(violation[entering], -n_entering)[-n_entering:]]
        if entering.size or not is_kept.all():
            self._replace_rows(is_kept, at_one & ~is_kept, entering)

    def _replace_rows(self, is_kept: np.ndarray, at_one: np.ndarray, entering: np.ndarray) -> None:
        """Keep some rows, and add others near the bound where their weight rested."""
        m, n_rows, product = self.problem.positives.shape[0], self.n_rows, self._mean_product()
        is_positive = entering < m
        from_one = is_positive.copy()
        from_one[is_positive] = self._rests_at_one[entering[is_positive]]
        distance = ENTERING_WEIGHT * np.where(is_positive, 1.0, self.weights.mean())
        distance = np.minimum(np.sqrt(product), distance)  # from the bound where the weight rested
        multiplier, other_multiplier = product / distance, product / (1.0 - distance)
        entries = (
            np.where(from_one, 1.0 - distance, distance),
            np.where(from_one, other_multiplier, multiplier),
            np.where(is_positive, np.where(from_one, multiplier, other_multiplier), 0.0),
        )
        self._rests_at_one[self._index[at_one]] = True
        self._rests_at_one[entering[is_positive]] = False
        index = np.append(self._index[is_kept], entering)
        order = np.argsort(index >= m, kind="stable")
        self.x, self.lower_multipliers, self.upper_multipliers = (
            np.concatenate([np.append(values[:n_rows][is_kept], added)[order], values[n_rows:]])
            for values, added in zip(
                (self.x, self.lower_multipliers, self.upper_multipliers), entries, strict=True
            )
        )
        self._index = index[order]
        self._read_rows()

    def _gaps(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the distances of x from its bounds; weights of negatives have no upper one."""
        caps = np.where(self._rows.sign > 0.0, 1.0, np.inf)
        slope_min = GAP_MIN * self._limit
        return (
            np.append(self.weights, np.maximum(self._limit + self.slopes, slope_min)),
            np.append(
                np.maximum(caps - self.weights, GAP_MIN), np.maximum(self._limit - self.slopes, slope_min)
            ),
        )

    def _mean_product(self) -> float:
        return compute_mean_product(self._gaps(), (self.lower_multipliers, self.upper_multipliers))

    @np.errstate(all="ignore")  # what overflows has no finite solution, and is told apart by it
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
        rows, gaps = self._rows, self._gaps()
        multipliers = self.lower_multipliers, self.upper_multipliers
        row_gradient = rows.sign * (rows.matrix @ self.w - self.top) - (rows.sign > 0.0)
        residual = np.append(row_gradient, -self.w) - multipliers[0] + multipliers[1]
        system = NewtonSystem(
            rows,
            multipliers[0] / gaps[0] + multipliers[1] / gaps[1],
            rows.signed_sum(self.weights) + self._resting_sum - self.slopes,
            rows.sign @ self.weights + np.count_nonzero(self._rests_at_one),
            clock,
            may_iterate=self._may_iterate,
        )
        self._system = system
        direction = find_direction(system, gaps, multipliers, residual)
        self._may_iterate = not system.is_factored  # the next system is harder
        # Steps of their own for x and for the multipliers with w and t: the objective is linear.
        primal, dual = (min(1.0, STEP_SHARE * step) for step in direction.steps)
        self.x, self.w, self.top = (
            self.x + primal * direction.dx,
            self.w + dual * direction.dw,
            self.top + dual * direction.dt,
        )
        self.lower_multipliers, self.upper_multipliers = (
            z + dual * change for z, change in zip(multipliers, direction.changes, strict=True)
        )
