"""Features that a linear model uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toprank.typing import Values


def selected_variables(coef: Values, threshold: float = 1e-6) -> NDArray[np.bool_]:
    """Mask of the features that a linear model uses: their weights are not negligible beside the largest.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
    threshold : float, default=1e-6
        Relative to the largest absolute weight. R12 does not say how it counts; this is our choice.

    Returns
    -------
    ndarray of bool of shape (n_features,)
        All False where all weights are 0.

    Examples
    --------
    >>> from toprank.metrics import selected_variables
    >>> selected_variables([2.0, 0.0, -0.5])
    array([ True, False,  True])
    """
    magnitudes = np.abs(np.asarray(coef, dtype=float)).ravel()
    return magnitudes > threshold * magnitudes.max(initial=0.0)
