"""The verdict on a published number: whether the same protocol on the same data would give it.

Random splits are independent draws given the data, so that Welch's interval applies to the difference of a
published mean and ours. Fixed folds have no sampling error: the margin alone decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED

AGREES, CONSISTENT, DIFFERS = "agrees", "consistent", "differs"
VALUE_BELOW_MARGIN = "below the margin"
"""On one specification."""

EXPLAINED_VALUE = "explained"
"""Differs by default, and comes back under the combination of choices that explains its row, which the column
`specification` names."""

VERDICTS = (AGREES, CONSISTENT, EXPLAINED_VALUE, DIFFERS, STATUS_NOT_OBTAINED, VALUE_BELOW_MARGIN)
"""On a published result."""

REPRODUCED = (AGREES, CONSISTENT)

REPRODUCED_ROW = "reproduced"
"""On a row of a table: no number of it differs under the default choices."""

MATCHES, DIFFERS_FROM_PUBLISHED, UNMARKED, NO_VERDICT = (
    "as published",
    "not as published",
    "marked in neither",
    "no verdict",
)
NON_RESULT_VERDICTS = (MATCHES, DIFFERS_FROM_PUBLISHED, UNMARKED, NO_VERDICT)
"""On what is counted apart: counts of data, marks, relations, p-values; seconds have no verdict."""

#: Level of Welch's interval; R12 and L14 test at the same level, .05.
CONFIDENCE = 0.95
ROUNDING_TOL = 1e-9
"""Tolerance as a share of a margin: .55 − .50 is a little more than .05 in binary."""


@dataclass(frozen=True)
class Mean:
    """A mean over splits, or an array of means.

    Attributes
    ----------
    mean, std, splits : float or ndarray
        NaN where there is none.
    """

    mean: float | np.ndarray
    std: float | np.ndarray = math.nan
    splits: float | np.ndarray = math.nan

    @property
    def has_spread(self) -> bool | np.ndarray:
        """Whether it can be one side of an interval."""
        return ~np.isnan(self.std) & (np.asarray(self.splits) >= 2)

    def select(self, index: object) -> Mean:
        """Return some of an array of means.

        Parameters
        ----------
        index : object
            Any index of NumPy.

        Returns
        -------
        Mean
        """
        return Mean(self.mean[index], self.std[index], self.splits[index])


@dataclass(frozen=True)
class ResultJudgement:
    """What one specification says of a published number.

    Attributes
    ----------
    verdict : str
        `AGREES`, `CONSISTENT`, `DIFFERS`, `STATUS_NOT_OBTAINED` or `VALUE_BELOW_MARGIN`.
    margin : float
        Below it a difference does not count.
    low, high : float
        Welch's interval of published minus ours; NaN where only the margin decides.
    """

    verdict: str
    margin: float
    low: float = math.nan
    high: float = math.nan


def welch_interval(published: Mean, ours: Mean) -> tuple[np.ndarray, np.ndarray]:
    """Compute Welch's 95 % interval of the difference of two means.

    Parameters
    ----------
    published : Mean
        Published mean, with a spread over at least two splits.
    ours : Mean
        Our mean, likewise; arrays of both are broadcast.

    Returns
    -------
    low : float or ndarray
        Lower end of published minus ours; NaN where one side has no spread.
    high : float or ndarray
        Upper end.

    Examples
    --------
    >>> low, high = welch_interval(Mean(49.0, 13.9, 10), Mean(46.5, 11.9, 10))
    >>> round(float(low), 2), round(float(high), 2)
    (-9.68, 14.68)
    """
    has_spread = published.has_spread & ours.has_spread
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = [np.square(side.std) / side.splits for side in (published, ours)]
        total = variances[0] + variances[1]
        # Welch–Satterthwaite: (s₁²/n₁ + s₂²/n₂)² / Σ (sᵢ²/nᵢ)² / (nᵢ − 1), for variances that need not be
        # equal.
        degrees_of_freedom = np.square(total) / (
            np.square(variances[0]) / (np.asarray(published.splits) - 1)
            + np.square(variances[1]) / (np.asarray(ours.splits) - 1)
        )
        half_width = stats.t.ppf((1 + CONFIDENCE) / 2, degrees_of_freedom) * np.sqrt(total)
    # Without any spread on both sides the degrees of freedom are 0/0, but the interval is the difference
    # itself.
    half_width = np.where(has_spread, np.where(total == 0, 0.0, half_width), np.nan)
    difference = published.mean - ours.mean
    return difference - half_width, difference + half_width


def judge_results(published: Mean, ours: Mean, margin: float | np.ndarray, random_splits: bool) -> np.ndarray:
    """Judge numbers of ours.

    Parameters
    ----------
    published : Mean
        Published means.
    ours : Mean
        Our means; all arrays are broadcast.
    margin : float or ndarray
        Largest difference that counts as near.
    random_splits : bool
        Whether the splits are random; with fixed folds the margin alone decides, and so it does where no
        spread is published.

    Returns
    -------
    ndarray of str
        `AGREES`, `CONSISTENT`, `DIFFERS`, `STATUS_NOT_OBTAINED` or `VALUE_BELOW_MARGIN`. A number of ours
        from a single random split is not obtained unless it lies within the margin.
    """
    is_near = np.abs(published.mean - ours.mean) <= margin * (1 + ROUNDING_TOL)
    low, high = welch_interval(published, ours)
    contains_zero = (low <= 0) & (high >= 0) & random_splits  # the splits cannot tell the two means apart
    return np.select(
        np.broadcast_arrays(
            # The first condition that holds decides. A published number below its margin would agree with 0,
            # so it has no verdict; a mean of a single split of ours has no interval, so only the margin could
            # acquit it.
            np.isnan(ours.mean),
            published.mean < margin * (1 - ROUNDING_TOL),
            is_near,
            contains_zero,
            random_splits & published.has_spread & ~ours.has_spread,
        ),
        (STATUS_NOT_OBTAINED, VALUE_BELOW_MARGIN, AGREES, CONSISTENT, STATUS_NOT_OBTAINED),
        DIFFERS,
    )


def judge_result(published: Mean, ours: Mean, margin: float, random_splits: bool) -> ResultJudgement:
    """Judge one number of ours, and keep the interval that decided.

    Parameters
    ----------
    published : Mean
        Published mean.
    ours : Mean
        Our mean.
    margin : float
        Largest difference that counts as near.
    random_splits : bool
        See `judge_results`.

    Returns
    -------
    ResultJudgement
        The judgement.
    """
    verdict = str(judge_results(published, ours, margin, random_splits))
    if not random_splits or verdict in (STATUS_NOT_OBTAINED, VALUE_BELOW_MARGIN):
        return ResultJudgement(verdict, margin)
    return ResultJudgement(verdict, margin, *map(float, welch_interval(published, ours)))
