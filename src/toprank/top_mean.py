"""Mean of the K highest scores, its subgradient, and the capped simplex of its dual weights.

For real K >= 1 the mean of the K largest of q_1, …, q_n, with the last of them in part if K is not whole, is

    T_K(q) = max {b'q : Σb = 1, 0 <= b <= 1/K} = min_θ θ + (1/K) Σ_j (q_j − θ)₊,

the conditional value at risk (Rockafellar and Uryasev 2000). K = 1 is the maximum, K = n the mean.
"""

from __future__ import annotations

import numpy as np

#: A smaller dual weight, of weights that sum to one, counts as 0: its inverse would overflow.
WEIGHT_MIN = 1e-290


def mean_of_highest(scores: np.ndarray, depth: float) -> float:
    """Return the mean of the highest scores, T_K.

    Parameters
    ----------
    scores : ndarray of shape (n,)
    depth : float
        K, from 1 to n.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.top_mean import mean_of_highest
    >>> mean_of_highest(np.array([1.0, 4.0, 2.0]), 1.5)  # (4 + 2 / 2) / 1.5
    3.3333333333333335
    """
    if depth == 1:
        return float(scores.max())
    if depth >= scores.size:
        return float(scores.mean())
    k = int(depth)
    partitioned = np.partition(scores, -k - 1)
    return float((partitioned[-k:].sum() + (depth - k) * partitioned[-k - 1]) / depth)


def compute_top_weights(scores: np.ndarray, depth: float) -> tuple[np.ndarray, np.ndarray]:
    """Return a subgradient of T_K: the rows with weight, and their weights, which sum to one.

    Parameters
    ----------
    scores : ndarray of shape (n,)
    depth : float
        K, from 1 to n.

    Returns
    -------
    rows : ndarray of int of shape (ceil(K),)
        The highest; among equal ones an arbitrary choice.
    weights : ndarray of shape (ceil(K),)
    """
    k = min(int(np.ceil(depth)), scores.size)
    rows = np.argpartition(scores, -k)[-k:] if k < scores.size else np.arange(k)
    weights = np.full(k, 1.0 / depth)
    # the lowest of them has the part of a weight that is left
    weights[scores[rows].argmin()] = 1.0 - (k - 1) / depth
    return rows, weights


def project_on_cap(weights: np.ndarray, depth: float) -> np.ndarray:
    """Scale non-negative weights to sum to one, and move what exceeds the cap of 1/K to the others.

    Weights within the cap only get scaled. The others are multiplied by a common factor and clipped, and if
    fewer than K of them are positive, the rest of the sum is spread evenly over the zeros.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        Non-negative, and not all 0.
    depth : float
        K, from 1 to n.

    Returns
    -------
    ndarray of shape (n,)
    """
    scaled, cap = weights / weights.sum(), 1.0 / depth
    if depth == 1 or scaled.max() <= cap:
        return scaled
    is_positive = scaled > WEIGHT_MIN
    positive = np.flatnonzero(is_positive)
    if positive.size <= depth:
        result = np.zeros(scaled.size)
        result[positive] = cap
        if positive.size < scaled.size:
            result[~is_positive] = max(1.0 - positive.size * cap, 0.0) / (scaled.size - positive.size)
        return result
    # clip(f x, cap) sums to one at the factor f = (1 − k cap) / (sum of all but the k largest), for the
    # smallest k at which the next largest stays below the cap
    order = positive[np.argsort(-scaled[positive], kind="stable")]
    ordered = scaled[order]
    tail_sums = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)
    k = np.arange(ordered.size)
    factors = (1.0 - k * cap) / tail_sums[:-1]
    n_clipped = int(np.flatnonzero(factors * ordered <= cap * (1.0 + 1e-12))[0])
    result = np.zeros(scaled.size)
    result[order] = np.minimum(factors[n_clipped] * ordered, cap)
    return result
