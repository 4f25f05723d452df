"""Base of the rankers of a single list: the depth, down to which the loss looks at the negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.estimators.base import LinearRanker
from toprank.parameters import is_number

if TYPE_CHECKING:
    from toprank.solvers.solver_specs import SolverSpec


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
        resolved = float(depth) if depth >= 1 else round(float(depth) * n_negatives, 9)
        if resolved < 1:
            raise ValueError(
                f"depth={depth!r} is a share of less than one of the {n_negatives} negatives; take at least "
                f"{1 / n_negatives:.3g}, or the number 1"
            )
        if resolved > n_negatives:
            raise ValueError(
                f"depth={depth!r} exceeds the number of negatives, {n_negatives}; take a smaller number, or a share "
                "between 0 and 1"
            )
        if resolved > 1 and solver.name != "exact":
            raise ValueError(
                f"solver {solver.name!r} is a published algorithm for depth=1; for depth={depth!r} take "
                "solver='exact'"
            )
        return resolved
