"""The verdict on a published number: whether the same protocol on the same data would give it.

Random splits are independent draws given the data, so that Welch's interval applies to the difference of a
published mean and ours. Fixed folds have no sampling error: the margin alone decides.
"""

import math
from dataclasses import dataclass

from scipy import stats

from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED

AGREES, CONSISTENT, DIFFERS = "agrees", "consistent", "differs"
VALUE_BELOW_MARGIN = "below the margin"
"""On one specification."""

RECOVERED = "recovered"
"""Differs by default, and agrees or is consistent under other choices, which the column `specification`
names."""

VERDICTS = (AGREES, CONSISTENT, RECOVERED, DIFFERS, STATUS_NOT_OBTAINED, VALUE_BELOW_MARGIN)
"""On a published result."""

REPRODUCED = (AGREES, CONSISTENT)

MATCHES, DIFFERS_FROM_PUBLISHED, UNMARKED, NO_VERDICT = (
    "as published",
    "not as published",
    "marked in neither",
    "no verdict",
)
NON_RESULT_VERDICTS = (MATCHES, DIFFERS_FROM_PUBLISHED, UNMARKED, NO_VERDICT)
"""On what is counted apart: counts of data, marks, relations, p-values; seconds have no verdict."""

CONFIDENCE = 0.95
ROUNDING_TOL = 1e-9
"""Tolerance as a share of a margin: .55 − .50 is a little more than .05 in binary."""


@dataclass(frozen=True)
class Mean:
    """A mean over splits.

    Attributes
    ----------
    mean, std, splits : float
        NaN where there is none.
    """

    mean: float
    std: float = math.nan
    splits: float = math.nan

    @property
    def has_spread(self) -> bool:
        """Whether it can be one side of an interval."""
        return not math.isnan(self.std) and self.splits >= 2


@dataclass(frozen=True)
class Judgement:
    """What one specification says of a published number.

    Attributes
    ----------
    verdict : str
        `AGREES`, `CONSISTENT`, `DIFFERS`, `STATUS_NOT_OBTAINED` or `VALUE_BELOW_MARGIN`.
    low, high : float
        Welch's interval of published minus ours; NaN where only the margin decides.
    """

    verdict: str
    margin: float
    low: float = math.nan
    high: float = math.nan

    @property
    def smallest_seen(self) -> float:
        """Half the width of the interval: a smaller difference cannot be seen."""
        return (self.high - self.low) / 2


def welch_interval(published: Mean, ours: Mean) -> tuple[float, float]:
    """Compute Welch's 95 % interval of the difference of two means.

    Parameters
    ----------
    published : Mean
        Published mean, with a spread over at least two splits.
    ours : Mean
        Our mean, likewise.

    Returns
    -------
    low : float
        Lower end of published minus ours.
    high : float
        Upper end.

    Examples
    --------
    >>> low, high = welch_interval(Mean(49.0, 13.9, 10), Mean(46.5, 11.9, 10))
    >>> round(low, 2), round(high, 2)
    (-9.68, 14.68)
    """
    difference = published.mean - ours.mean
    variances = published.std**2 / published.splits, ours.std**2 / ours.splits
    if sum(variances) == 0:
        return difference, difference
    degrees_of_freedom = sum(variances) ** 2 / (
        variances[0] ** 2 / (published.splits - 1) + variances[1] ** 2 / (ours.splits - 1)
    )
    half_width = stats.t.ppf((1 + CONFIDENCE) / 2, degrees_of_freedom) * math.sqrt(sum(variances))
    return float(difference - half_width), float(difference + half_width)


def judge_result(published: Mean, ours: Mean, margin: float, random_splits: bool) -> Judgement:
    """Judge one number of ours.

    Parameters
    ----------
    published : Mean
        Published mean.
    ours : Mean
        Our mean.
    margin : float
        Largest difference that counts as near.
    random_splits : bool
        Whether the splits are random; with fixed folds the margin alone decides, and so it does where no
        spread is published.

    Returns
    -------
    Judgement
        The judgement; a number of ours from a single random split is not obtained unless it lies within the
        margin.
    """
    if math.isnan(ours.mean):
        return Judgement(STATUS_NOT_OBTAINED, margin)
    if published.mean < margin * (1 - ROUNDING_TOL):
        return Judgement(VALUE_BELOW_MARGIN, margin)
    is_near = abs(published.mean - ours.mean) <= margin * (1 + ROUNDING_TOL)
    if not (random_splits and published.has_spread):
        return Judgement(AGREES if is_near else DIFFERS, margin)
    if not ours.has_spread:
        return Judgement(AGREES if is_near else STATUS_NOT_OBTAINED, margin)
    low, high = welch_interval(published, ours)
    contains_zero = low <= 0 <= high
    is_narrow = (high - low) / 2 <= 2 * margin * (1 + ROUNDING_TOL)
    if is_near or (contains_zero and is_narrow):
        return Judgement(AGREES, margin, low, high)
    return Judgement(CONSISTENT if contains_zero else DIFFERS, margin, low, high)
