"""Choice among candidates that are equally good on the validation part.

Candidates stand in the order of their grid, the strongest regularisation last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

TIE_RULES = {
    "middle": "the middle one in the order of the grid, of an even number the stronger one",
    "fewest": "the one with the fewest variables, then the strongest",
    "most": "the one with the most variables, then the strongest",
    "strongest": "the one listed last, of the strongest regularisation",
    "weakest": "the one listed first, of the weakest regularisation",
}
"""Level of the axis "ties" -> what it chooses."""


def select_best(quality: npt.ArrayLike, variables: npt.ArrayLike, rule: str) -> int:
    """Choose a candidate.

    Parameters
    ----------
    quality : array-like of shape (n_candidates,)
        Metric on the validation part; NaN for a candidate that failed. Not all of them are NaN.
    variables : array-like of shape (n_candidates,)
        Number of variables that each model uses; NaN where that is not known.
    rule : str
        One of `TIE_RULES`.

    Returns
    -------
    int
        Position of one of the best candidates; a model w = 0 only if there is no other.
    """
    quality, variables = np.asarray(quality, dtype=float), np.asarray(variables, dtype=float)
    # w = 0 is chosen only where there is nothing else: it ranks nothing
    has_variables = (variables != 0) & ~np.isnan(quality)
    eligible = has_variables if has_variables.any() else ~np.isnan(quality)
    best = np.flatnonzero(eligible & (quality == quality[eligible].max()))
    # equal counts: the last in the grid, the strongest regularisation
    if rule in ("fewest", "most"):
        used = variables[best]
        if np.isnan(used).all():
            return int(best[-1])
        count = np.nanmin(used) if rule == "fewest" else np.nanmax(used)
        return int(best[used == count][-1])
    # an even number has two middle ones: the later, stronger one
    return int(best[{"middle": best.size // 2, "strongest": -1, "weakest": 0}[rule]])
