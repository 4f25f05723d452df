"""The simulated observations of K15, section 4: a sparse vector through a Gaussian matrix, with noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Observations(NamedTuple):
    """b = A x + e.

    Parameters
    ----------
    A : ndarray of shape (rows, features)
    b : ndarray of shape (rows,)
    x : ndarray of shape (features,)
        The sparse vector behind b.
    """

    A: np.ndarray
    b: np.ndarray
    x: np.ndarray


def simulate_observations(
    rows: int, features: int, nonzero_share: float, noise_mean: float, seed: int
) -> Observations:
    """Draw A and the non-zero entries of x from the standard normal, the noise e from an exponential.

    Parameters
    ----------
    rows, features : int
        Shape of A.
    nonzero_share : float
        Share of the entries of x that are not zero, in (0, 1]; at least one entry is not.
    noise_mean : float
        Mean of the exponential distribution; positive.
    seed : int

    Returns
    -------
    Observations

    Raises
    ------
    ValueError
        If a size, the share or the noise is out of range.
    """
    if min(rows, features) < 1:
        raise ValueError(f"A needs a row and a feature; got {rows} rows and {features} features")
    if not 0.0 < nonzero_share <= 1.0:
        raise ValueError(f"nonzero_share must lie above 0 and be at most 1; got {nonzero_share}")
    if not 0.0 < noise_mean < np.inf:
        raise ValueError(f"noise_mean must be a positive number; got {noise_mean}")
    random = np.random.default_rng(seed)
    # A and the entries of x standard normal, as in section 4
    A = random.standard_normal((rows, features))
    support = random.choice(features, max(round(nonzero_share * features), 1), replace=False)
    x = np.zeros(features)
    x[support] = random.standard_normal(support.size)
    # b with exponential noise of the given mean (.01 in the paper)
    return Observations(A, A @ x + random.exponential(noise_mean, rows), x)
