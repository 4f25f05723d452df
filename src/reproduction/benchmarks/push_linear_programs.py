"""The l1 infinite push as a linear program of HiGHS: the primal form and the dual one, by two methods."""

from __future__ import annotations

import highspy
import numpy as np
import scipy.sparse as sp

#: Form and method of each race; a method is HiGHS' value of the option ``solver``.
FORMS = (("primal", "simplex"), ("primal", "ipm"), ("dual", "simplex"), ("dual", "ipm"))


def make_primal_program(
    positives: sp.csr_array, negatives: sp.csr_array, alpha: float
) -> tuple[sp.csc_array, list[np.ndarray]]:
    """Return the matrix, and cost, bounds of the variables and of the rows, of the program with m + n rows.

    Its variables are u, v, t and the hinges: w = u − v, and t is the highest score of a negative.

    Parameters
    ----------
    positives, negatives : csr_array of shapes (m, d) and (n, d)
    alpha : float

    Returns
    -------
    tuple
    """
    (m, d), n = positives.shape, negatives.shape[0]
    ones_m, ones_n = (sp.csr_array(np.ones((k, 1))) for k in (m, n))
    # Variables (u, v, t, ξ), w = u − v: t − p_i − ξ_i ≤ −1 for each positive, q_j − t ≤ 0 for each negative.
    rows = [[-positives, positives, ones_m, -sp.eye_array(m)], [negatives, -negatives, -ones_n, None]]
    cost = np.concatenate([np.full(2 * d, alpha), [0.0], np.full(m, 1.0 / m)])
    lower = np.concatenate([np.zeros(2 * d), [-np.inf], np.zeros(m)])
    row_upper = np.append(np.full(m, -1.0), np.zeros(n))
    bounds = [cost, lower, np.full(cost.size, np.inf), np.full(m + n, -np.inf), row_upper]
    return sp.csc_array(sp.block_array(rows)), bounds


def make_dual_program(
    positives: sp.csr_array, negatives: sp.csr_array, alpha: float
) -> tuple[sp.csc_array, list[np.ndarray]]:
    """Return the same of the dual program with d + 1 rows; its variables are the weights of the rows of data.

    Parameters
    ----------
    positives, negatives : csr_array of shapes (m, d) and (n, d)
    alpha : float

    Returns
    -------
    tuple
    """
    (m, d), n = positives.shape, negatives.shape[0]
    # Variables (mα, mβ): 1'α = 1'β, ‖X⁺'α − X⁻'β‖∞ ≤ λ, 0 ≤ α ≤ 1/m; multiplied by m, bounds are 0 and 1.
    sums = sp.csr_array(np.append(np.ones(m), -np.ones(n))[None, :])
    rows = sp.vstack([sums, sp.hstack([positives.T, -negatives.T])])
    cost = np.append(np.full(m, -1.0 / m), np.zeros(n))
    upper = np.append(np.ones(m), np.full(n, np.inf))
    limits = np.append(0.0, np.full(d, m * alpha))
    return sp.csc_array(rows), [cost, np.zeros(m + n), upper, -limits, limits]


MAKERS = {"primal": make_primal_program, "dual": make_dual_program}


def solve_with_highs(
    X: np.ndarray | sp.csr_array,
    relevant: np.ndarray,
    alpha: float,
    form: str,
    method: str,
    time_limit: float,
) -> float | None:
    """Return the optimum of the push by HiGHS, from the rows on as a fit; None if the time is too short.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, d)
    relevant : ndarray of bool of shape (n_samples,)
        The positives.
    alpha : float
    form : {"primal", "dual"}
    method : {"simplex", "ipm"}
    time_limit : float
        Seconds.

    Returns
    -------
    float or None
    """
    X = sp.csr_array(X)
    matrix, (cost, lower, upper, row_lower, row_upper) = MAKERS[form](X[relevant], X[~relevant], alpha)
    # The time counts from the rows on: building the matrix belongs to the method.
    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = matrix.shape
    program.col_cost_, program.col_lower_, program.col_upper_ = cost, lower, upper
    program.row_lower_, program.row_upper_ = row_lower, row_upper
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = matrix.indptr, matrix.indices
    program.a_matrix_.value_ = matrix.data
    highs = highspy.Highs()
    for option, value in {
        "output_flag": False,
        "solver": method,
        "threads": 1,
        "time_limit": float(time_limit),
    }.items():
        highs.setOptionValue(option, value)
    highs.passModel(program)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    value = highs.getInfo().objective_function_value
    # HiGHS minimises: the dual program was stated with the opposite sign.
    return -value if form == "dual" else value
