"""Several methods on several data sets: mean ranks, and which of them differ (Demšar 2006).

Demšar, J. (2006): Statistical comparisons of classifiers over multiple data sets. JMLR 7, 1-30.
"""

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

#: Draws of the weights in the Bayesian test: a probability then has a standard error of at most .0035.
N_DRAWS = 20_000


def mean_ranks(values: npt.ArrayLike, larger_is_better: bool = True) -> np.ndarray:
    """Rank the methods in each block, 1 being the best and ties averaged, and average the ranks.

    Parameters
    ----------
    values : array-like of shape (n_blocks, n_methods)
        Metric of each method; a block is a data set.
    larger_is_better : bool, optional
        Whether the larger value is the better one.

    Returns
    -------
    ndarray of shape (n_methods,)
        Mean ranks.

    Raises
    ------
    ValueError
        If the table is not two-dimensional, is empty, or lacks a value.
    """
    return _rank_rows(values, larger_is_better).mean(axis=0)


def friedman_test(values: npt.ArrayLike) -> tuple[float, float]:
    """Test whether methods are alike on several data sets.

    Friedman's test is corrected for ties and uses the chi-squared distribution with k - 1 degrees of freedom;
    the sharper one of Iman and Davenport (1980) the F distribution with k - 1 and (k - 1)(n - 1). Where all
    blocks rank alike their statistic is infinite, and the p-value is the share of the arrangements of ranks
    within the blocks that agree so.

    Parameters
    ----------
    values : array-like of shape (n_blocks, n_methods)
        Metric of each method; whether larger is better makes no difference.

    Returns
    -------
    friedman_p : float
        p-value of Friedman's test; 1 where all methods tie in every block.
    iman_davenport_p : float
        p-value of Iman and Davenport's test; likewise.

    Raises
    ------
    ValueError
        If there are fewer than two blocks or methods, or if a value is missing.
    """
    ranks = _rank_rows(values, larger_is_better=False)
    n, k = _check_shape(*ranks.shape)
    # Friedman's statistic with its correction for ties: (k − 1) Σ_j (R_j − n(k+1)/2)² / spread of all ranks.
    deviation = ranks.sum(axis=0) - n * (k + 1) / 2.0
    # n k (k + 1) / 12 without ties
    spread = (ranks**2).sum() - n * k * (k + 1) ** 2 / 4.0
    # a spread of 0: all methods tie in every block
    if spread <= 0.0:
        return 1.0, 1.0
    statistic = (k - 1) * (deviation**2).sum() / spread
    p_value = float(stats.chi2.sf(statistic, k - 1))
    # The same order on every data set: χ² takes its maximum n(k − 1), and the F statistic below divides by 0.
    # The exact p-value is the probability that n − 1 random orders equal the first: with ties inside it, more
    # than one of the k! orders gives the same ranks.
    if (ranks == ranks[0]).all():
        _, tied = np.unique(ranks[0], return_counts=True)
        share_alike = math.prod(math.factorial(int(count)) for count in tied) / math.factorial(k)
        return p_value, share_alike ** (n - 1)
    # Demšar (2006), section 3.2.2
    f_statistic = (n - 1) * statistic / (n * (k - 1) - statistic)
    return p_value, float(stats.f.sf(f_statistic, k - 1, (k - 1) * (n - 1)))


def critical_difference(n_methods: int, n_blocks: int) -> float:
    """Compute by how much two mean ranks must differ in the test of Nemenyi (1963) at .05.

    Parameters
    ----------
    n_methods : int
        Number k of methods.
    n_blocks : int
        Number n of blocks.

    Returns
    -------
    float
        q sqrt(k (k + 1) / (6 n)), where q is the quantile of the Studentised range with infinitely many
        degrees of freedom, over the square root of 2.

    Raises
    ------
    ValueError
        If there are fewer than two blocks or methods.
    """
    n, k = _check_shape(n_blocks, n_methods)
    # Demšar (2006), section 3.2.2: CD = q √(k(k + 1) / 6n), q the studentised range over √2.
    q = stats.studentized_range.ppf(0.95, k, np.inf) / math.sqrt(2.0)
    return float(q * math.sqrt(k * (k + 1) / (6.0 * n)))


def bayesian_signed_rank(differences: npt.ArrayLike, rope: float) -> tuple[float, float, float]:
    """Run the Bayesian signed-rank test over data sets (Benavoli et al. 2014; 2017, JMLR 18, 1-36).

    The differences have a Dirichlet process as their prior, of strength 1/2 and in 0. Each draw weighs them,
    and says whether the mean of two differences is most probably below, in, or above the region of practical
    equivalence.

    Parameters
    ----------
    differences : array-like of shape (n,)
        One a data set.
    rope : float
        The region is from -rope to rope.

    Returns
    -------
    tuple of float
        Shares of the draws: below, in the region, above. They add up to 1.

    Raises
    ------
    ValueError
        If there is no difference, if one is NaN or infinite, or if the region is negative.
    """
    # the prior is one more observation, 0, of half the weight of a data set
    differences_and_prior = np.append(0.0, np.asarray(differences, dtype=float).ravel())
    if differences_and_prior.size < 2 or not np.isfinite(differences_and_prior).all() or not rope >= 0.0:
        raise ValueError("a test over data sets needs finite differences, one at least, and a rope from 0 on")
    strength = np.append(0.5, np.ones(differences_and_prior.size - 1))
    # Posterior of a Dirichlet process: weights w ~ Dir(½, 1, ..., 1), and the probability of a practical
    # difference is Σ_ij w_i w_j [z_i + z_j > 2 rope], z_i the difference on data set i.
    weights = np.random.default_rng(0).dirichlet(strength, N_DRAWS)
    # Rounded, since a sum on the border of the region counts half, and .1 + .2 must lie on the border .3.
    pair_sums = np.round(differences_and_prior[:, None] + differences_and_prior, 12)

    def mass(distance: np.ndarray) -> np.ndarray:  # on the border half counts
        """Return the weight of the pairs of differences beyond a border, for each draw.

        Parameters
        ----------
        distance : ndarray of shape (n + 1, n + 1)
            Distance of each pair sum from the border.

        Returns
        -------
        ndarray of shape (N_DRAWS,)
            Weights; a pair on the border counts half.
        """
        return np.einsum("si,ij,sj->s", weights, np.heaviside(distance, 0.5), weights, optimize=True)

    mass_below, mass_above = (mass(np.round(sign * pair_sums - 2.0 * rope, 12)) for sign in (-1.0, 1.0))
    masses = np.array([mass_below, 1.0 - mass_below - mass_above, mass_above])
    is_likeliest = masses == masses.max(axis=0)  # regions that tie share the draw
    return tuple((is_likeliest / is_likeliest.sum(axis=0)).mean(axis=1).tolist())


def nemenyi_matrix(ranks: pd.Series, difference: float) -> pd.DataFrame:
    """Mark the pairs of methods that the Nemenyi test does not separate.

    Parameters
    ----------
    ranks : pandas.Series
        Mean rank of each method, by its name.
    difference : float
        The critical difference.

    Returns
    -------
    pandas.DataFrame
        Methods by methods: 1 where the mean ranks differ by the critical difference or less, else 0. It
        stands for the p-values where scikit-posthocs asks for them.
    """
    gaps = np.abs(np.subtract.outer(ranks.to_numpy(dtype=float), ranks.to_numpy(dtype=float)))
    # means of whole ranks differ by rounding: a gap that equals the critical difference is no more than it
    matrix = (gaps <= difference * (1 + 1e-12)).astype(float)
    return pd.DataFrame(matrix, index=ranks.index, columns=ranks.index)


def find_cliques(ranks: pd.Series, difference: float) -> list[list[str]]:
    """Find the largest groups of methods whose mean ranks differ by no more than the critical difference.

    Parameters
    ----------
    ranks : pandas.Series
        Mean rank of each method, by its name.
    difference : float
        The critical difference.

    Returns
    -------
    list of list of str
        Groups of two methods or more, the best first, each in the order of its ranks; no group lies in
        another one.
    """
    # imported here: it brings seaborn, which only the job of this figure needs
    from scikit_posthocs import compact_letter_display

    ranks = ranks.sort_values(kind="stable")
    if ranks.empty:
        return []
    # methods that share a letter are not separated (Piepho 2004)
    letters = compact_letter_display(nemenyi_matrix(ranks, difference))
    names = sorted(set("".join(letters)) - {" "}, key=lambda name: letters.str.contains(name).argmax())
    cliques = [list(letters.index[letters.str.contains(name)]) for name in names]
    return [clique for clique in cliques if len(clique) > 1]


def _rank_rows(values: npt.ArrayLike, larger_is_better: bool) -> np.ndarray:
    """Rank the methods in each block, ties averaged, after a check of the values."""
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or not values.size:
        raise ValueError(
            f"values are a table of blocks by methods, neither of them empty; got {values.shape}"
        )
    missing = np.argwhere(~np.isfinite(values))
    if missing.size:
        block, method = missing[0]
        raise ValueError(
            f"block {block} has no number for method {method}: rank the methods that have one in every block"
        )
    return stats.rankdata(-values if larger_is_better else values, axis=1)


def _check_shape(n_blocks: int, n_methods: int) -> tuple[int, int]:
    """Check that there are two blocks and two methods at least, and return both numbers."""
    if n_blocks < 2 or n_methods < 2:
        raise ValueError(
            f"a test over blocks needs two blocks and two methods at least; got {n_blocks} and {n_methods}"
        )
    return n_blocks, n_methods
