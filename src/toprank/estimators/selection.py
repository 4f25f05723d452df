"""The choice among the candidates of a search, and its table of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Means that differ by less than this, relative to the larger, tie: folds in another order round otherwise.
TIE_TOL = 1e-12


def select_candidate(
    scores: np.ndarray, preferences: Sequence[float | tuple[float, ...]], selection: str = "best"
) -> tuple[int, int]:
    """Choose a path, of one depth and one l1_ratio, and a value along it by the mean score over the folds.

    Parameters
    ----------
    scores : ndarray of shape (n_paths, n_values, n_folds)
        Larger is better; the values from the strongest regularisation to the weakest.
    preferences : sequence of float or tuple of shape (n_paths,)
        Of tied paths the one with the smallest is taken: for instance the depth as a number of negatives.
    selection : {"best", "one-standard-error"}
        "best" takes the largest mean; of equal means that of the strongest regularisation, and of these the
        preferred path. "one-standard-error" keeps the path of the best, and takes there the strongest
        regularisation whose mean is at most one standard error below the best: the standard deviation of the
        best's scores over the folds, divided by the root of their number.

    Returns
    -------
    path, value : int
        Positions.

    Raises
    ------
    ValueError
        If no mean is a number.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.estimators.selection import select_candidate
    >>> scores = np.array([[[0.0, 0.2], [0.6, 0.8], [0.7, 0.9], [0.7, 0.9]]])
    >>> select_candidate(scores, [1.0]), select_candidate(scores, [1.0], "one-standard-error")
    ((0, 2), (0, 1))
    """
    # scores has the shape (paths, values, folds); a mean that is NaN never wins
    means = scores.mean(axis=2)
    means = np.where(np.isnan(means), -np.inf, means)
    largest = means.max()
    if not np.isfinite(largest):
        raise ValueError("no candidate has a finite mean score; check scoring and the labels of the folds")
    # among tied means the strongest regularisation wins, then the preferred path
    is_tied = means >= largest - TIE_TOL * max(1.0, abs(largest))
    path, value = min(
        ((int(i), int(j)) for i, j in np.argwhere(is_tied)),
        key=lambda place: (place[1], preferences[place[0]]),
    )
    # one-standard-error rule (Breiman et al. 1984): the strongest value within one error of the best of its
    # path
    if selection == "one-standard-error":
        standard_error = scores[path, value].std(ddof=1) / np.sqrt(scores.shape[2])
        threshold = largest - standard_error - TIE_TOL * max(1.0, abs(largest))
        value = int(np.argmax(means[path] >= threshold))
    return path, value


def tabulate_results(
    candidates: dict[str, np.ndarray], scores: np.ndarray, fit_seconds: np.ndarray, score_seconds: np.ndarray
) -> dict[str, Any]:
    """Return the table of a search with the columns of scikit-learn's ``cv_results_``.

    Parameters
    ----------
    candidates : dict of str to ndarray of shape (n_candidates,)
        Parameter -> its values.
    scores, fit_seconds, score_seconds : ndarray of shape (n_candidates, n_folds)

    Returns
    -------
    dict

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.estimators.selection import tabulate_results
    >>> scores = np.array([[0.5, 0.7], [0.8, 1.0]])
    >>> table = tabulate_results({"C": np.array([0.1, 1.0])}, scores, scores, scores)
    >>> table["rank_test_score"].tolist(), table["params"]
    ([2, 1], [{'C': 0.1}, {'C': 1.0}])
    """
    table: dict[str, Any] = {}
    for name, seconds in (("fit", fit_seconds), ("score", score_seconds)):
        table[f"mean_{name}_time"], table[f"std_{name}_time"] = seconds.mean(axis=1), seconds.std(axis=1)
    table |= {f"param_{name}": values for name, values in candidates.items()}
    columns = (values.tolist() for values in candidates.values())
    table["params"] = [dict(zip(candidates, row, strict=True)) for row in zip(*columns, strict=True)]
    table |= {f"split{k}_test_score": column for k, column in enumerate(scores.T)}
    means = scores.mean(axis=1)
    table["mean_test_score"], table["std_test_score"] = means, scores.std(axis=1)
    # as in scikit-learn, NaN ranks below all other means, and -inf too
    scale = np.abs(means, where=np.isfinite(means), out=np.zeros_like(means)).max(initial=1.0)
    rounded = np.round(np.where(np.isnan(means), -np.inf, means) / scale, 11)  # equal but for rounding
    table["rank_test_score"] = rankdata(-rounded, method="min").astype(np.int32)
    return table
