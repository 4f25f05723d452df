"""Base of the rankers of a single list: the depth, the number of highest-scored negatives in the loss."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import Clock, OutOfTime
from toprank.estimators.base import LinearRanker
from toprank.estimators.fit_warnings import load_tool, warn_of_bound
from toprank.parameters import check_positive, is_number

if TYPE_CHECKING:
    from toprank.solvers.solver_specs import SolverSpec
    from toprank.typing import Rows, Values


def _round_up(share: float) -> str:
    """Return a share with three digits, none of which makes it smaller."""
    unit = 10.0 ** (np.floor(np.log10(share)) - 2.0)
    return f"{np.ceil(np.round(share / unit, 6)) * unit:.3g}"


class DepthRanker(LinearRanker):
    """Base of `TopPush` and `InfinitePush`, with their parameter ``depth``."""

    depth: float
    depth_: float

    def _check_depth(self, n_negatives: int, solver: SolverSpec) -> float:
        """Return the depth as a number of negatives, after a check of its range and of the solver."""
        depth = self.depth
        if not (is_number(depth) and np.isfinite(depth) and depth > 0):
            raise ValueError(
                "depth must be a number of negatives of at least 1, or a share of them between 0 and 1; "
                f"got {depth!r}"
            )
        # a share of .07 of 100 is 7.000000000000001
        resolved = float(depth if depth >= 1 else round(depth * n_negatives, 9))
        if resolved < 1:
            raise ValueError(
                f"depth={depth} is a share of less than one of the {n_negatives} negatives; take at least "
                f"{_round_up(1.0 / n_negatives)}, or the number 1"
            )
        if resolved > n_negatives:
            raise ValueError(
                f"depth={depth} exceeds the number of negatives, {n_negatives}; take a smaller number, or "
                "a share between 0 and 1"
            )
        if resolved > 1 and solver.name != "exact":
            raise ValueError(
                f"solver {solver.name!r} is a published algorithm for depth=1; for depth={depth} take "
                "solver='exact'"
            )
        return resolved

    def smallest_depth(self, X: Rows, y: Values) -> float:
        """Return the depth up to which w = 0 is optimal at every alpha; a useful model needs a larger depth.

        At depth K, w = 0 is optimal at every alpha if and only if the mean of the positives is a mean of
        negatives with weights of at most 1/K. The largest such K is the value of a linear program, which
        depends on neither the loss nor the penalty.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        float
            A number of negatives: 0 where every depth works, and all of them where none does. If
            ``time_limit`` is too short, an upper bound.

        Raises
        ------
        ValueError
            As ``fit``.

        Warns
        -----
        ConvergenceWarning
            If it is only an upper bound.

        Examples
        --------
        >>> import numpy as np
        >>> from toprank import TopPush
        >>> X = np.array([[1.0], [0.5], [2.0], [0.0], [-1.0], [-2.0]])
        >>> y = [1, 1, 0, 0, 0, 0]
        >>> depth = TopPush().smallest_depth(X, y)
        >>> round(depth, 6)
        2.285714
        """
        from toprank.problems.rows import take_rows

        compute_smallest_depth = load_tool("smallest_depth", "compute_smallest_depth")
        check_positive(self, optional=("time_limit",))
        clock = Clock(self.time_limit)
        X, relevant = copy(self)._check_fit_single_list(X, y, None)  # a fitted model stays as it is
        try:
            return compute_smallest_depth(take_rows(X, relevant), take_rows(X, ~relevant), clock)
        except OutOfTime as timeout:
            warn_of_bound(self, "smallest_depth", "depth up to which w = 0 is optimal at every alpha")
            return timeout.partial_result
