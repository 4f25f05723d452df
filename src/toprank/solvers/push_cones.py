"""The models of the exact infinite push under a ridge or a group penalty: conic programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import clarabel
import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, OutOfTime, count_interior_point_operations
from toprank.solvers.absolute_values import add_absolute_values, round_to_zero, select_slopes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toprank.clock import Clock
    from toprank.problems.push import PushRanking

#: Largest move of a score by weights that are rounded to 0, relative to the objective.
ROUNDING_MAX = 1e-9


def solve_cone_program(
    means: np.ndarray,
    sizes: np.ndarray,
    negatives: np.ndarray,
    scale: np.ndarray,
    problem: PushRanking,
    unit: float,
    clock: Clock = UNLIMITED,
    is_repeat: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Minimise the model under a ridge or a group penalty by Clarabel's interior point.

    Parameters
    ----------
    means : ndarray of shape (n_groups, d)
        Mean rows of the groups.
    sizes : ndarray of shape (n_groups,)
        Their members.
    negatives : ndarray of shape (n, d)
    scale : ndarray of shape (d,)
        Unit of each feature of the rows.
    problem : PushRanking
    unit : float
        About the size of the objective.
    clock : Clock, optional
    is_repeat : bool, default=False
        The same model has been solved before, not accurately enough: each linear system is regularised less
        and refined further.

    Returns
    -------
    u, group_weights, negative_weights
        As of `LinearProgram.solve`.

    Raises
    ------
    OutOfTime
        If the time comes first, or is too short for a step.
    RuntimeError
        If the optimum is not finite.
    """
    (n_groups, d), n = means.shape, len(negatives)
    clock.require_budget(count_interior_point_operations((n_groups + n) * d, min(n_groups + n, d)))
    groups = problem.penalty.cones
    norms, ridge = len(groups), problem.alpha * problem.penalty.curvatures / scale**2
    absolute, slopes = select_slopes(problem.penalty, problem.alpha, scale)
    # the norms of the groups of features, in units in which they are of the size of u
    sizes_of = compute_group_units(groups, scale)
    # u, t, the hinges of the groups, and the norms of the groups of features, or their absolute values
    hinge_cost, hinge_square = split_hinge_cost(problem, sizes)
    quadratic = np.concatenate([ridge, [0.0], hinge_square, np.zeros(norms + slopes.size)])
    quadratic = sp.diags_array(quadratic, format="csc")
    cost = np.concatenate([np.zeros(d + 1), hinge_cost, problem.alpha / sizes_of, slopes])
    make_ones, make_eye = np.ones, sp.eye_array
    # 1 + t − w'x_g ≤ the hinge of group g; no hinge is negative; w'x_j ≤ t for each negative j
    blocks = [
        [-means, make_ones((n_groups, 1)), -make_eye(n_groups)],
        [None, None, -make_eye(n_groups)],
        [negatives, -make_ones((n, 1)), None],
    ]
    cones = [clarabel.NonnegativeConeT(2 * n_groups + n)]
    bound = np.concatenate([np.full(n_groups, -1.0), np.zeros(n_groups + n)])
    blocks, bound = add_group_norms(blocks, bound, cones, groups, scale)
    blocks, bound = add_absolute_values(blocks, bound, cones, absolute, d)
    point, weights = run_clarabel(quadratic, cost, blocks, bound, cones, unit, clock, is_repeat)
    u = round_to_zero(point[:d], weights, absolute, slopes)
    largest = np.maximum(np.abs(means).max(axis=0), np.abs(negatives).max(axis=0, initial=0.0))
    used = np.flatnonzero(u)
    # no score moves by more than this; other weights make up for the small ones, so they are fitted without
    if used.size and np.abs(point[:d] - u) @ largest > ROUNDING_MAX * unit:
        restricted = replace(problem, penalty=problem.penalty.restrict_to(used))
        parts = means[:, used], sizes, negatives[:, used], scale[used]
        u[used], *_ = solve_cone_program(*parts, restricted, unit, clock, is_repeat)
    return u, weights[:n_groups] / sizes, weights[2 * n_groups : 2 * n_groups + n]


def split_hinge_cost(problem: PushRanking, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of the hinges of the groups, and those of half their squares.

    Parameters
    ----------
    problem : PushRanking
    sizes : ndarray of shape (n_groups,)
        Members of the groups; 1 each if the loss is the squared hinge.

    Returns
    -------
    tuple of ndarray of shape (n_groups,)
    """
    shares, zeros = sizes / problem.positives.shape[0], np.zeros(sizes.size)
    return (zeros, 2.0 * shares) if problem.is_squared else (shares, zeros)


def compute_group_units(groups: Sequence[np.ndarray], scale: np.ndarray) -> np.ndarray:
    """Return the unit of each group of features in which its norm is of the size of u: a power of two.

    Parameters
    ----------
    groups : sequence of ndarray of int
    scale : ndarray of shape (d,)
        Unit of each feature of the rows.

    Returns
    -------
    ndarray of shape (n_groups,)
    """
    return np.array([np.exp2(np.rint(np.log2(scale[members]).mean())) for members in groups])


def add_group_norms(
    blocks: list[list], bound: np.ndarray, cones: list, groups: Sequence[np.ndarray], scale: np.ndarray
) -> tuple[list[list], np.ndarray]:
    """Add the variables r_g and the cones ‖w_g‖ ≤ r_g of a group penalty to the blocks of a conic program.

    Parameters
    ----------
    blocks : list of list
        Rows of blocks; the first column belongs to u.
    bound : ndarray
    cones : list
        Extended in place.
    groups : sequence of ndarray of int
        Of features; empty under a ridge.
    scale : ndarray of shape (d,)

    Returns
    -------
    blocks : list of list
    bound : ndarray
    """
    norms, sizes_of = len(groups), compute_group_units(groups, scale)
    if not norms:
        return blocks, bound
    n_between = len(blocks[0]) - 1
    blocks = [[*row, None] for row in blocks]
    # a second-order cone for each group of features
    for g, members in enumerate(groups):
        scaled_group = sp.csr_array(
            (-sizes_of[g] / scale[members], (1 + np.arange(members.size), members)),
            (1 + members.size, scale.size),
        )
        radius_column = sp.csr_array(([-1.0], ([0], [g])), (1 + members.size, norms))
        blocks.append([scaled_group, *[None] * n_between, radius_column])
        cones.append(clarabel.SecondOrderConeT(1 + members.size))
        bound = np.append(bound, np.zeros(1 + members.size))
    return blocks, bound


def run_clarabel(
    quadratic: sp.sparray,
    cost: np.ndarray,
    blocks: list[list],
    bound: np.ndarray,
    cones: list,
    unit: float,
    clock: Clock = UNLIMITED,
    is_repeat: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Minimise ½x'Px + q'x where b − Ax lies in the cones, by Clarabel's interior point method.

    Parameters
    ----------
    quadratic : sparray of shape (n, n)
    cost : ndarray of shape (n,)
    blocks : list of list
        Blocks of A.
    bound : ndarray of shape (k,)
    cones : list
    unit : float
        About the size of the objective.
    clock : Clock, optional
    is_repeat : bool, default=False
        As of `solve_cone_program`.

    Returns
    -------
    point : ndarray of shape (n,)
    weights : ndarray of shape (k,)
        Multipliers.

    Raises
    ------
    OutOfTime
        If the time comes first.
    RuntimeError
        If the optimum is not finite.
    """
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    if is_repeat:
        settings.iterative_refinement_abstol = settings.iterative_refinement_reltol = 1e-15
        settings.iterative_refinement_max_iter = 50
        settings.static_regularization_constant = 1e-10  # 1e-8 shows where columns repeat in other units
    if clock.seconds_left is not None:
        settings.time_limit = clock.seconds_left
    solution = clarabel.DefaultSolver(
        quadratic / unit,
        cost / unit,
        sp.block_array([[_as_csr(b) for b in row] for row in blocks], format="csc"),
        bound,
        cones,
        settings,
    ).solve()
    if solution.status == clarabel.SolverStatus.MaxTime:
        raise OutOfTime
    point, weights = np.array(solution.x), unit * np.array(solution.z)
    if not (np.isfinite(point).all() and np.isfinite(weights).all()):
        raise RuntimeError(
            f"the conic solver could not solve the model of the infinite push: {solution.status}"
        )
    return point, weights


def _as_csr(block: np.ndarray | sp.sparray | None) -> sp.sparray | None:
    return block if block is None or sp.issparse(block) else sp.csr_array(block)
