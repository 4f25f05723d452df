"""Other libraries' solvers on our problems, for `snakemake bench`.

The lock file has neither skglm nor piqp: without them (`pip install skglm piqp`) no peer of theirs is raced.
"""

import clarabel
import numpy as np
import piqp
import scipy.sparse as sp
from skglm.datafits.base import BaseDatafit
from skglm.penalties import L1
from skglm.solvers import ProxNewton


class SquaredHinge(BaseDatafit):
    """Σ (1 − y_k x_k'w)₊² over the rows; with the differences of pairs as rows, the loss of RankSVM.

    The methods are those that skglm asks of a datafit.
    """

    def __init__(self):  # numba compiles no class without one
        pass

    def get_spec(self):  # noqa: D102
        return ()

    def params_to_dict(self):  # noqa: D102
        return {}

    def raw_grad(self, y, Xw):  # noqa: D102
        return -2.0 * y * np.maximum(1.0 - y * Xw, 0.0)

    def raw_hessian(self, y, Xw):  # noqa: D102
        return 2.0 * (y * Xw < 1.0).astype(Xw.dtype)

    def value(self, y, w, Xw):  # noqa: D102
        return np.sum(np.maximum(1.0 - y * Xw, 0.0) ** 2)

    def gradient_scalar(self, X, y, w, Xw, j):  # noqa: D102
        return X[:, j] @ self.raw_grad(y, Xw)

    def gradient(self, X, y, Xw):  # noqa: D102
        return X.T @ self.raw_grad(y, Xw)

    def get_lipschitz(self, X, y):  # noqa: D102
        return 2.0 * (X**2).sum(axis=0)


def make_skglm_solver(pairs, signs, weight, start):
    """Return a run of skglm's prox-Newton with working sets, as `bench_ranksvm` wants its peers."""
    X, y = np.asfortranarray(pairs), signs.astype(float)
    datafit, penalty = SquaredHinge(), L1(weight)

    def run(tol):
        # its tolerance is absolute, in the size of the gradient
        solver = ProxNewton(tol=tol * weight, max_iter=1000, fit_intercept=False)
        w = np.zeros(X.shape[1]) if start is None else start.copy()
        coef, objectives, _ = solver.solve(X, y, datafit, penalty, w, X @ w)
        return len(objectives), coef

    return run


def _quadratic_program(problem):
    """`TopRanking` in (w, t, slacks): quadratic and linear terms, rows and their upper bounds."""
    positives, negatives = sp.csc_array(problem.positives), sp.csc_array(problem.negatives)
    (m, d), n = positives.shape, negatives.shape[0]
    quadratic = sp.diags_array(np.concatenate([np.full(d, problem.alpha), [0.0], np.full(m, 2.0 / m)]))
    ones_column = lambda k: sp.csc_array(np.ones((k, 1)))  # noqa: E731
    rows = sp.block_array(
        [[-positives, ones_column(m), -sp.eye_array(m)], [negatives, -ones_column(n), None]], format="csc"
    )
    return quadratic.tocsc(), np.zeros(d + 1 + m), rows, np.concatenate([np.full(m, -1.0), np.zeros(n)])


def solve_with_clarabel(problem, tol):
    """Minimise `TopRanking` by Clarabel; returns w."""
    quadratic, linear, rows, upper = _quadratic_program(problem)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    cones = [clarabel.NonnegativeConeT(upper.size)]
    solution = clarabel.DefaultSolver(quadratic, linear, rows, upper, cones, settings).solve()
    return np.array(solution.x[: problem.n_features])


def solve_with_piqp(problem, tol):
    """Minimise `TopRanking` by PIQP; returns w."""
    quadratic, linear, rows, upper = _quadratic_program(problem)
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = tol
    solver.setup(
        *(sp.csc_matrix(quadratic), linear, None, None, sp.csc_matrix(rows)),
        *(np.full(upper.size, -np.inf), upper),
    )
    solver.solve()
    return np.array(solver.result.x[: problem.n_features])
