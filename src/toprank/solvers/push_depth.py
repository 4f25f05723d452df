"""The model of the exact infinite push at depth K > 1: its negatives are three groups, as in `top_band`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import clarabel
import highspy
import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, count_interior_point_operations
from toprank.solvers.absolute_values import add_absolute_values, round_to_zero, select_slopes
from toprank.solvers.highs_runs import solve_with_highs
from toprank.solvers.push_cones import (
    add_group_norms,
    compute_group_units,
    run_clarabel,
    split_hinge_cost,
)
from toprank.solvers.push_model import PushModel
from toprank.solvers.top_band import Band

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.push import PushRanking


#: Steps after which the band only grows, so that the method cannot run in circles.
DROPPING_STEPS_MAX = 30


@dataclass(frozen=True)
class ModelRows:
    """The rows of a model, in units of the scale of its features.

    Attributes
    ----------
    means : ndarray of shape (n_groups, d)
        Mean rows of the groups of positives.
    sizes : ndarray of shape (n_groups,)
        Their members.
    band : ndarray of shape (n_band, d)
        Distinct negatives of the band.
    counts : ndarray of shape (n_band,)
        How many negatives each stands for.
    sum_above : ndarray of shape (d,)
        Sum of the negatives above the band.
    n_free : float
        How many negatives of the band are among the K highest.
    """

    means: np.ndarray
    sizes: np.ndarray
    band: np.ndarray
    counts: np.ndarray
    sum_above: np.ndarray
    n_free: float


class DepthPushModel(PushModel):
    """Groups of positives and features as in `PushModel`, and a band of negatives.

    Parameters
    ----------
    problem : PushRanking
        At a depth above 1.
    rows_per_step : int
        Least half width of the band.
    """

    def __init__(self, problem: PushRanking, rows_per_step: int) -> None:
        super().__init__(problem)
        self.band = Band(problem.negatives.shape[0], problem.depth, max(rows_per_step, 60))
        self._n_steps = self._n_updates = 0
        self._last_scores, self._cap = None, 0.0

    @property
    def size(self) -> tuple[int, int, int]:
        """Groups ever made, changes of the band, and features: the same after a step that changed nothing."""
        return self.sizes.size, self._n_updates, self.features.size

    def add_negatives(self, scores: np.ndarray, max_new: int) -> None:
        """Choose the groups of the negatives by their scores, here and in the last step.

        Parameters
        ----------
        scores : ndarray of shape (n,)
        max_new : int
            Not used.
        """
        # the band has to cover what moved between the last two steps: order at both points decides
        points = (scores,) if self._last_scores is None else (self._last_scores, scores)
        self._n_steps += 1
        self._n_updates += self.band.update(*points, can_drop=self._n_steps < DROPPING_STEPS_MAX)
        self._last_scores = scores

    def set_rows(
        self, is_kink: np.ndarray, is_paid: np.ndarray, is_threshold: np.ndarray, is_above: np.ndarray
    ) -> bool:
        """Choose the groups of all rows by what is known of the optimum.

        Parameters
        ----------
        is_kink, is_paid : ndarray of bool of shape (m,)
            Positives on the kink of their hinge, each a group of its own; and those that pay a hinge.
        is_threshold, is_above : ndarray of bool of shape (n,)
            Negatives at the K-th highest score, and above it.

        Returns
        -------
        bool
            Whether the band can hold the K-th score.
        """
        parts = np.where(is_kink, np.cumsum(is_kink) + 1, is_paid)
        self.sizes[:] = 0.0
        self._add_groups(np.arange(parts.size), np.unique(parts, return_inverse=True)[1])
        return self.band.choose(is_threshold, is_above)

    def solve(
        self, unit: float, clock: Clock = UNLIMITED, is_repeat: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Minimise the model; the parameters and results are those of `PushModel.solve`.

        Parameters
        ----------
        unit : float
        clock : Clock, optional
        is_repeat : bool

        Returns
        -------
        w, group_weights, negative_weights : ndarray
        """
        # an empty group of positives has no row in the model
        scale, is_nonempty = self.scaling.scale[self.features], self.sizes > 0.0
        rows = ModelRows(
            self.scaling(self.means[is_nonempty], self.features),
            self.sizes[is_nonempty],
            self.band.read_rows(self.problem.negatives, self.scaling, self.features),
            self.band.counts,
            self.band.sum_above(self.problem.negatives, self.scaling, self.features),
            self.band.n_free,
        )
        group_weights = np.zeros(self.sizes.size)
        problem = replace(self.problem, penalty=self.restrict_penalty())
        if self.program is not None:
            # The model did not change: what is left of the gap is HiGHS' arithmetic, whose tolerances are
            # absolute. In a smaller unit all numbers are larger, and the tolerances tighter in proportion.
            unit = 1e-3 * unit if is_repeat else unit
            solved = solve_linear_program(rows, problem, scale, unit, clock)
        else:
            solved = solve_cone_program(rows, problem, scale, unit, clock, is_repeat)
        u, group_weights[is_nonempty], band_weights, self._cap = solved
        w = np.zeros(self.problem.n_features)
        w[self.features] = u / scale
        band_weights = self.band.spread(band_weights)
        self.band.count_idle(band_weights, self._cap)
        return w, np.maximum(group_weights, 0.0), band_weights

    def spread_weights(
        self, group_weights: np.ndarray, negative_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weights of all positives and negatives from the weights in the model.

        Parameters
        ----------
        group_weights : ndarray of shape (n_groups,)
        negative_weights : ndarray of shape (n_band,)

        Returns
        -------
        tuple of ndarray of shapes (m,) and (n,)
        """
        b = max(self._cap, 0.0) * self.band.is_above
        b[self.band.index] = negative_weights
        # Members of a group have the weight of the group; A has the cap, B its own weights, all others 0.
        return group_weights[self.labels], b


def solve_linear_program(
    rows: ModelRows, problem: PushRanking, scale: np.ndarray, unit: float, clock: Clock = UNLIMITED
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    r"""Solve the dual of the model under an l1 penalty by HiGHS.

    With the cap s of a negative, the sum x_A of the rows above the band, and c_j rows equal to x_j it is

    .. math::
        \max_{v, b, s} \sum_g v_g \quad\text{where}\quad \Bigl|\sum_g v_g x_g - \sum_j b_j x_j - s\,x_A\Bigr|
        \le \frac{m\alpha}{\sigma}, \quad \sum_j b_j = k s, \quad \sum_g v_g = K s, \quad 0 \le v_g \le m_g,
        \quad 0 \le b_j \le c_j s.

    Parameters
    ----------
    rows : ModelRows
    problem : PushRanking
    scale : ndarray of shape (d,)
        σ, the unit of each feature.
    unit : float
        About the size of the objective: HiGHS' tolerances are absolute.
    clock : Clock, optional

    Returns
    -------
    u : ndarray of shape (d,)
        The optimum, in the units of the rows.
    group_weights : ndarray of shape (n_groups,)
        Dual weight of each member of a group.
    band_weights : ndarray of shape (n_band,)
    cap : float
    """
    # variables v_g of the groups of positives, b_j of the band, and the cap s, all in multiples of the unit
    m, n_groups, n_band = problem.positives.shape[0], rows.sizes.size, rows.counts.size
    limits = m * problem.alpha * problem.penalty.thresholds / scale / unit
    # K s = Σv; Σb = k s; the features; the caps
    matrix = sp.block_array(
        [
            [np.ones((1, n_groups)), None, np.array([[-problem.depth]])],
            [None, np.ones((1, n_band)), np.array([[-rows.n_free]])],
            [rows.means.T, -rows.band.T, -rows.sum_above[:, None]],
            [None, sp.eye_array(n_band), -rows.counts[:, None]],
        ],
        format="csc",
    )
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = matrix.shape[1], matrix.shape[0]
    # maximise Σv as the minimum of its negative, with 0 ≤ v_g ≤ m_g
    lp.col_cost_ = np.concatenate([np.full(n_groups, -1.0), np.zeros(n_band + 1)])
    lp.col_lower_ = np.zeros(lp.num_col_)
    lp.col_upper_ = np.concatenate([rows.sizes / unit, np.full(n_band + 1, np.inf)])
    # the rows in the order of the matrix: two equalities, the box of each feature, b_j ≤ c_j s
    lp.row_lower_ = np.concatenate([np.zeros(2), -limits, np.full(n_band, -np.inf)])
    lp.row_upper_ = np.concatenate([np.zeros(2), limits, np.zeros(n_band)])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = (
        matrix.indptr,
        matrix.indices,
        matrix.data,
    )
    x, duals = solve_with_highs(lp, clock.seconds_left)
    # back from the unit, and divided by m for the mean over positives; u are the multipliers of the features'
    # rows
    weights, u = unit / m * x, -duals[2 : 2 + scale.size]
    return u, weights[:n_groups] / rows.sizes, weights[n_groups:-1], float(weights[-1])


def solve_cone_program(
    rows: ModelRows,
    problem: PushRanking,
    scale: np.ndarray,
    unit: float,
    clock: Clock = UNLIMITED,
    is_repeat: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Minimise the model under a ridge or a group penalty by Clarabel's interior point method.

    Parameters
    ----------
    rows : ModelRows
    problem : PushRanking
    scale : ndarray of shape (d,)
        Unit of each feature.
    unit : float
        About the size of the objective.
    clock : Clock, optional
    is_repeat : bool, default=False
        The same model has been solved before, not accurately enough.

    Returns
    -------
    u, group_weights, band_weights, cap
        As of `solve_linear_program`.
    """
    (n_groups, d), n_band = rows.means.shape, rows.counts.size
    clock.require_budget(count_interior_point_operations((n_groups + n_band) * d, min(n_groups + n_band, d)))
    groups = problem.penalty.cones
    # u, t, the hinges of the groups of positives, θ, the hinges of the band, and the norms
    # or the absolute values
    absolute, slopes = select_slopes(problem.penalty, problem.alpha, scale)
    hinge_cost, hinge_square = split_hinge_cost(problem, rows.sizes)
    quadratic = np.zeros(d + 1 + n_groups + 1 + n_band + len(groups) + slopes.size)
    quadratic[:d] = problem.alpha * problem.penalty.curvatures / scale**2
    quadratic[d + 1 : d + 1 + n_groups] = hinge_square
    cost = np.concatenate(
        [
            np.zeros(d + 1),
            hinge_cost,
            np.zeros(1 + n_band),
            problem.alpha / compute_group_units(groups, scale),
            slopes,
        ]
    )
    make_ones, make_eye = np.ones, sp.eye_array
    # 1 + t − w'x_g ≤ the hinge of group g; no hinge is negative; w'x_j − θ ≤ the hinge of row j of the band;
    # the sum over A and over the band, k θ + Σ hinges, is at most K t
    blocks = [
        [-rows.means, make_ones((n_groups, 1)), -make_eye(n_groups), None, None],
        [None, None, -make_eye(n_groups), None, None],
        [rows.band, None, None, -make_ones((n_band, 1)), -make_eye(n_band)],
        [None, None, None, None, -make_eye(n_band)],
        [
            rows.sum_above[None] / problem.depth,
            -make_ones((1, 1)),
            None,
            np.array([[rows.n_free / problem.depth]]),
            rows.counts[None] / problem.depth,
        ],
    ]
    cones = [clarabel.NonnegativeConeT(2 * n_groups + 2 * n_band + 1)]
    bound = np.concatenate([np.full(n_groups, -1.0), np.zeros(n_groups + 2 * n_band + 1)])
    blocks, bound = add_group_norms(blocks, bound, cones, groups, scale)
    blocks, bound = add_absolute_values(blocks, bound, cones, absolute, d)
    point, weights = run_clarabel(
        sp.diags_array(quadratic, format="csc"), cost, blocks, bound, cones, unit, clock, is_repeat
    )
    # order of the multipliers: groups, their signs, band, its signs, the row of K t
    first, last = 2 * n_groups, 2 * n_groups + n_band
    cap = weights[2 * n_groups + 2 * n_band] / problem.depth
    u = round_to_zero(point[:d], weights, absolute, slopes)
    return u, weights[:n_groups] / rows.sizes, weights[first:last], float(cap)
