"""Report of a fixed capacity: hits in the first k rows, and those to expect of the next list."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from toprank.metrics.chance import (
    compute_binomial_interval,
    compute_chance_interval,
    compute_next_hits_interval,
    compute_p_value,
)
from toprank.metrics.resampling import draw_hits, find_cut_off
from toprank.metrics.tie_groups import group_ties
from toprank.parameters import is_number

if TYPE_CHECKING:
    from toprank.typing import Values

#: Of fewer resamples, not even three lie beyond each end of a 95 % interval.
FEWEST_RESAMPLES = 100
INTERVAL_METHOD = "outer bounds of a bootstrap of the rows and of exact intervals at one rate"


@dataclass(frozen=True)
class CapacityReport:
    """Hits in the first k rows of a list, by chance, and to expect in the next; see `capacity_report`.

    Parameters
    ----------
    k : int
        The capacity, in rows.
    n_rows, n_positives : int
        Of the list.
    prevalence : float
        Share of positives in the list.
    hits : float
        Positives among the first k rows; of tied scores, the expected value over all orders of the ties.
    hits_range : tuple of int
        Fewest and most hits over all orders of the ties.
    ties_at_cutoff : int
        Rows of the group of equal scores that the cut-off divides; 0 if it divides none.
    precision, recall : float
        Hits over k, and over the positives of the list.
    lift : float
        Hits over those that a random order is expected to have; this is also the precision over the
        prevalence, the `enrichment_factor`.
    lift_by_chance : tuple of float
        Interval of the lift of a random order (hypergeometric).
    precision_gain : float
        Precision less prevalence.
    hits_by_chance : tuple of int
        Interval of the hits of a random order (hypergeometric).
    p_value : float
        How often labels that owe nothing to the scores give at least as many hits (exact, one-sided).
    expected_hits : float
        Of the next list: the hits of this one, which are an unbiased estimate.
    expected_hits_interval : tuple of float
        Confidence interval of the expected hits, as for a mean over many lists.
    next_hits_interval : tuple of int
        Prediction interval of the hits in one next list, which vary themselves.
    interval_method : str
        How these two intervals are computed.
    confidence : float
        Level of all intervals.
    n_resamples : int
        Lists that the bootstrap draws.

    Examples
    --------
    >>> from toprank.metrics import capacity_report
    >>> report = capacity_report([1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1], k=3)
    >>> report.hits, report.hits_by_chance, round(report.p_value, 3)
    (2.0, (0, 2), 0.286)
    """

    k: int
    n_rows: int
    n_positives: int
    prevalence: float
    hits: float
    hits_range: tuple[int, int]
    ties_at_cutoff: int
    precision: float
    recall: float
    lift: float
    lift_by_chance: tuple[float, float]
    precision_gain: float
    hits_by_chance: tuple[int, int]
    p_value: float
    expected_hits: float
    expected_hits_interval: tuple[float, float]
    next_hits_interval: tuple[int, int]
    interval_method: str
    confidence: float
    n_resamples: int

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name, as a row of a table or for JSON.

        Returns
        -------
        dict
        """
        return asdict(self)

    def __str__(self) -> str:
        level = f"{100 * self.confidence:g} %"
        mean_low, mean_high = self.expected_hits_interval
        next_low, next_high = self.next_hits_interval
        ties = "none at the cut-off"
        if self.ties_at_cutoff:
            low, high = self.hits_range
            ties = f"{self.ties_at_cutoff} equal scores at the cut-off: {low} to {high} hits by order"
        rows = [
            f"first {self.k} of {self.n_rows} rows, {self.n_positives} of them positive "
            f"(prevalence {self.prevalence:.3g})",
            f"hits          {self.hits:.4g} (precision {self.precision:.3g}, recall {self.recall:.3g})",
            f"ties          {ties}",
            f"random order  {self.k * self.prevalence:.3g} hits ({level}: {self.hits_by_chance[0]} to "
            f"{self.hits_by_chance[1]}); lift {self.lift:.3g} ({self.lift_by_chance[0]:.3g} to "
            f"{self.lift_by_chance[1]:.3g} by chance), p = {self.p_value:.2g}",
            f"next list     {self.expected_hits:.4g} hits expected ({level} confidence: {mean_low:.1f} to "
            f"{mean_high:.1f}); {next_low} to {next_high} in one list ({level} prediction)",
            f"intervals     {self.interval_method} ({self.n_resamples} resamples)",
        ]
        return "\n".join(rows)


def _check_arguments(k: int, confidence: float, n_resamples: int) -> None:
    """Raise a ValueError that names the first argument that is wrong."""
    if isinstance(k, bool) or not (isinstance(k, Integral) and k >= 1):
        raise ValueError(f"k must be a whole number of rows from 1; got {k!r}")
    if not is_number(confidence) or not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be a number between 0 and 1, such as 0.95; got {confidence!r}")
    is_whole = isinstance(n_resamples, Integral) and not isinstance(n_resamples, bool)
    if not is_whole or n_resamples < FEWEST_RESAMPLES:
        raise ValueError(f"n_resamples must be a whole number from {FEWEST_RESAMPLES}; got {n_resamples!r}")


def _make_generator(random_state: int | np.random.Generator | None) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be a whole number from 0, a numpy.random.Generator, or None; "
            f"got {random_state!r}"
        ) from None


def capacity_report(
    y_true: Values,
    y_score: Values,
    k: int,
    *,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    random_state: int | np.random.Generator | None = 0,
) -> CapacityReport:
    """Report the hits in the first k rows of a list, by chance, and in the next list like it.

    The next list has as many rows, drawn from the same population and scored by the same model. Measure on
    rows that the model was not fitted to: on others the hits promise too much.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.
    k : int
        The capacity: rows from the top that will be acted on.
    confidence : float, default=0.95
        Level of the intervals.
    n_resamples : int, default=2000
        Lists that the bootstrap draws, at least 100.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the bootstrap; None: another one in each call.

    Returns
    -------
    CapacityReport
        Its ``str`` is a text of six lines.

    Raises
    ------
    ValueError
        If k is no whole number from 1 or above the list, another argument is out of its range, a score is not
        finite, lengths differ, or y holds a single class.

    Notes
    -----
    Given the score at the cut-off, each of the first k rows is a hit with one probability, that of a positive
    above this score. So the hits of two lists would be two binomial draws at one rate, with exact intervals
    (Clopper and Pearson for the mean, [1]_ for the next list), if that score were the same in each list. It
    is not, and where the share of positives falls steeply at the cut-off this counts as much as the draws: of
    Gaussian scores (1000 rows, k = 20, 2 % positives, six standard deviations apart) the exact 95 %
    prediction interval held 82 % of the next lists. A bootstrap of the rows has that part. It has no doubt,
    however, where the first rows are all hits or nearly none: its confidence interval covered the mean in 2 %
    of the lists (200 rows, k = 10, 30 % positives, three standard deviations apart). Each interval here has
    the outer bounds of both methods. In twelve such populations the prediction intervals held 96 to 100 % of
    the next lists, and the confidence intervals the mean in 95 to 100 % of the lists.

    References
    ----------
    .. [1] A. R. Thatcher. Relationships between Bayesian and confidence limits for predictions. Journal of
       the Royal Statistical Society B 26(2), 1964.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.metrics import capacity_report
    >>> generator = np.random.default_rng(0)
    >>> y = np.arange(1000) < 100
    >>> report = capacity_report(y, generator.normal(size=1000) + 1.5 * y, k=50)
    >>> print(report)
    first 50 of 1000 rows, 100 of them positive (prevalence 0.1)
    hits          33 (precision 0.66, recall 0.33)
    ties          none at the cut-off
    random order  5 hits (95 %: 1 to 9); lift 6.6 (0.2 to 1.8 by chance), p = 1.3e-23
    next list     33 hits expected (95 % confidence: 25.6 to 39.4); 22 to 43 in one list (95 % prediction)
    intervals     outer bounds of a bootstrap of the rows and of exact intervals at one rate (2000 resamples)
    """
    _check_arguments(k, confidence, n_resamples)
    k = int(k)  # a small integer type would overflow in the products below
    generator = _make_generator(random_state)
    # groups of equal scores from the top: their sizes and numbers of positives
    sizes, positives = group_ties(y_true, y_score)
    n_rows, n_positives = int(sizes.sum()), int(positives.sum())
    if k > n_rows:
        raise ValueError(f"k = {k} is above the {n_rows} rows of the list; choose a smaller k")
    # the group that the cut-off divides: its hits are expected over a random order of the group
    cut = find_cut_off(sizes, positives, k)
    hits, chance_hits = float(cut.expected_hits()), k * n_positives / n_rows
    # chance: hits of k rows drawn without replacement, a hypergeometric number
    hits_by_chance = compute_chance_interval(n_rows, n_positives, k, confidence)
    # two bootstraps of the rows: the hits among the first k, and those of a further list
    resampled_hits, next_hits = draw_hits(sizes, positives, k, n_resamples, generator)
    tails = [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]
    # the outer bounds of exact intervals and bootstrap are reported: each alone covers too little somewhere
    # (see the notes)
    mean_low, mean_high = compute_binomial_interval(hits, k, confidence)
    resampled_low, resampled_high = np.quantile(resampled_hits, tails)
    next_low, next_high = compute_next_hits_interval(hits, k, confidence)
    # a number of hits is whole: the quantile is a value that was drawn
    drawn_low, drawn_high = np.quantile(next_hits, tails, method="inverted_cdf")
    return CapacityReport(
        k=int(k),
        n_rows=n_rows,
        n_positives=n_positives,
        prevalence=n_positives / n_rows,
        hits=hits,
        hits_range=cut.hits_range(),
        ties_at_cutoff=int(cut.size) if cut.n_above < cut.size else 0,
        precision=hits / k,
        recall=hits / n_positives,
        lift=hits / chance_hits,
        lift_by_chance=(hits_by_chance[0] / chance_hits, hits_by_chance[1] / chance_hits),
        precision_gain=hits / k - n_positives / n_rows,
        hits_by_chance=hits_by_chance,
        p_value=compute_p_value(n_rows, n_positives, k, cut),
        expected_hits=hits,
        expected_hits_interval=(min(mean_low, float(resampled_low)), max(mean_high, float(resampled_high))),
        next_hits_interval=(min(next_low, int(drawn_low)), max(next_high, int(drawn_high))),
        interval_method=INTERVAL_METHOD,
        confidence=float(confidence),
        n_resamples=int(n_resamples),
    )
