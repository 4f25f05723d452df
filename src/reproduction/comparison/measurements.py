"""The published results that a study measured, with its means in every specification, as arrays.

An option is compared with the default on the splits that both have: `build_measurements` reads these pairs
from the table of specifications, `judge_pairs` judges them beside published numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from reproduction.comparison.tolerances import FEATURE_QUANTITIES
from reproduction.comparison.verdicts import DIFFERS, REPRODUCED, Mean, judge_results
from reproduction.core.results import ResultsError
from reproduction.specs.multiverse import DEFAULT, changed_options
from reproduction.specs.published_values import NUMBER_KEY

MAX_CHANGES = 2
"""Choices that a combination changes, at most: among many, some bring a number back by chance."""

MIN_CLOSED_SHARE = 0.5
"""Share of the gap between the published number and the default that a combination must close."""

_OWN_COLUMNS = ("ours_mean", "ours_std", "splits")
_DEFAULT_COLUMNS = ("default_mean", "default_std", "splits")
_NUMBER_COLUMNS = (*_OWN_COLUMNS, "default_mean", "default_std", "zero_models")
INPUT_COLUMNS = (*NUMBER_KEY, "specification", "changes", *_NUMBER_COLUMNS)
"""Columns that are read from the table of specifications."""


def check_multiverse(multiverse: pd.DataFrame, study: str) -> pd.DataFrame:
    """Check the table of specifications.

    Parameters
    ----------
    multiverse : pd.DataFrame
        One row a published number and specification.
    study : str
        Name of the study, for the message.

    Returns
    -------
    pd.DataFrame
        The columns of `INPUT_COLUMNS`, our numbers as floats.

    Raises
    ------
    ResultsError
        If a column is missing, a specification stands twice for a number, or a cell holds no number.
    """
    missing_columns = [name for name in INPUT_COLUMNS if name not in multiverse]
    if missing_columns:
        raise ResultsError(
            f"{study}/multiverse.csv lacks the column {missing_columns[0]!r}: run the rule that writes it "
            "again."
        )
    duplicates = multiverse[multiverse.duplicated([*NUMBER_KEY, "specification"])]
    for row in duplicates.head(1).to_dict("records"):
        raise ResultsError(
            f"{study}/multiverse.csv has the specification {row['specification']!r} twice for "
            f"{row['quantity']} of "
            f"{row['dataset']}, {row['method']}: each published number has one row a specification."
        )
    numbers = multiverse[list(_NUMBER_COLUMNS)].apply(pd.to_numeric, errors="coerce").astype(float)
    # An empty cell is a number that is missing; a word is a damaged file.
    is_invalid = numbers.isna() & multiverse[list(_NUMBER_COLUMNS)].notna()
    for name in is_invalid.columns[is_invalid.any()]:
        value = multiverse.loc[is_invalid[name], name].iloc[0]
        raise ResultsError(
            f"{study}/multiverse.csv: column {name!r} holds {value!r} where a number or nothing should stand."
        )
    return multiverse[list(INPUT_COLUMNS)].assign(**numbers)


@dataclass(frozen=True)
class Measurements:
    """Published results with our means by default, and in every other specification.

    Attributes
    ----------
    numbers : pandas.DataFrame of n rows
        The key of each published result (`NUMBER_KEY`), published, published_std and margin.
    default : Mean of arrays of shape (n,)
        Our means under the default choices.
    specifications : tuple of str
        Names of the s other specifications, of at most `MAX_CHANGES` changes.
    option : Mean of arrays of shape (s, n)
        Our means in each of them; NaN where it does not change the number, or has none.
    paired_default : Mean of arrays of shape (s, n)
        Our default means on the same splits.
    published_splits : int
        Number of random splits of a published mean; 0 where the folds are fixed.
    """

    numbers: pd.DataFrame
    default: Mean
    specifications: tuple[str, ...]
    option: Mean
    paired_default: Mean
    published_splits: int

    def select(self, is_selected: np.ndarray) -> Measurements:
        """Select some of the numbers.

        Parameters
        ----------
        is_selected : ndarray of bool of shape (n,)
            Whether to keep a number.

        Returns
        -------
        Measurements
            The same specifications of fewer numbers.
        """
        sides = (self.default, self.option, self.paired_default)
        default, option, paired_default = (side.select((..., is_selected)) for side in sides)
        numbers = self.numbers[is_selected].reset_index(drop=True)
        return replace(self, numbers=numbers, default=default, option=option, paired_default=paired_default)

    def get_published(self, places: np.ndarray) -> tuple[Mean, np.ndarray]:
        """Return published means and their margins.

        Parameters
        ----------
        places : ndarray of int
            Rows of `numbers`.

        Returns
        -------
        means : Mean
            Arrays of the shape of `places`.
        margins : ndarray
            The margin of each.
        """
        means, stds, margins = (
            self.numbers[name].to_numpy(float)[places] for name in ("published", "published_std", "margin")
        )
        return Mean(means, stds, float(self.published_splits)), margins


def build_measurements(
    multiverse: pd.DataFrame, results: pd.DataFrame, margins: Mapping[tuple, float], published_splits: int
) -> Measurements:
    """Arrange the table of specifications as arrays.

    Parameters
    ----------
    multiverse : pandas.DataFrame
        Rows of `check_multiverse`.
    results : pandas.DataFrame
        Rows of `published_values.read_published_values` that are results.
    margins : mapping
        Key of a published number -> its margin.
    published_splits : int
        Number of random splits of a published mean; 0 where the folds are fixed.

    Returns
    -------
    Measurements
        Of the published results that the default choices measured, in the order of `results`.
    """
    rows = multiverse[multiverse["changes"] <= MAX_CHANGES]
    # Numbers without a mean by default are left out: nothing could be compared with an option on equal
    # splits.
    default = rows[(rows["specification"] == DEFAULT) & rows["ours_mean"].notna()]
    columns = {"number": "published", "deviation": "published_std"}
    numbers = results[[*NUMBER_KEY, *columns]].rename(columns=columns)
    numbers = numbers.merge(default[[*NUMBER_KEY, *_OWN_COLUMNS]], on=NUMBER_KEY)
    keys = list(numbers[NUMBER_KEY].itertuples(index=False, name=None))
    numbers["margin"] = [margins[key] for key in keys]
    places = pd.Series(range(len(keys)), index=pd.MultiIndex.from_tuples(keys, names=NUMBER_KEY))
    rows = rows[rows["specification"] != DEFAULT].join(places.rename("place"), on=NUMBER_KEY, how="inner")
    # Single changes before pairs: of specifications with equal scores argmax takes the first, the simplest.
    specifications = tuple(dict.fromkeys(rows.sort_values("changes", kind="stable")["specification"]))
    # (5, s, k): mean, deviation and splits of the option; mean and deviation of the default on the same
    # splits.
    values = np.full((5, len(specifications), len(keys)), np.nan)
    columns = (*_OWN_COLUMNS, *_DEFAULT_COLUMNS[:2])
    numbering = {name: number for number, name in enumerate(specifications)}
    values[:, rows["specification"].map(numbering), rows["place"]] = rows[list(columns)].to_numpy().T
    _complete_pairs(values, specifications)
    option, paired_default = Mean(*values[:3]), Mean(values[3], values[4], values[2])
    own = Mean(*(numbers[name].to_numpy(float) for name in _OWN_COLUMNS))
    numbers = numbers[[*NUMBER_KEY, "published", "published_std", "margin"]]
    return Measurements(numbers, own, specifications, option, paired_default, published_splits)


def _complete_pairs(values: np.ndarray, specifications: tuple[str, ...]) -> None:
    """Let a number that only one of two changes affects have its value under that change, in place."""
    numbering = {frozenset(changed_options(name).items()): i for i, name in enumerate(specifications)}
    for changes, row in numbering.items():
        singles = [numbering.get(frozenset([change])) for change in changes]
        # A pair is completed only from single changes that were both run.
        if len(changes) != MAX_CHANGES or None in singles:
            continue
        has_value = [~np.isnan(values[0, single]) for single in singles]
        is_missing = np.isnan(values[0, row])
        for single, is_affected, other in zip(singles, has_value, has_value[::-1], strict=True):
            # E.g. a feature scaling and a stop of the ADMM family: TopPush has no such stop, so that its
            # number under both is the one under the scaling alone. A number that both changes affect must be
            # run under both.
            is_filled = is_missing & is_affected & ~other
            values[:, row, is_filled] = values[:, single, is_filled]


@dataclass(frozen=True)
class PairEffects:
    """What specifications do to k pairs of a published number and one of ours.

    Attributes
    ----------
    reproduced, differs : ndarray of bool of shape (k,)
        Verdict under the default choices.
    recovered, lost : ndarray of bool of shape (s, k)
        Whether the number differs by default and comes back in a specification, which closes at least
        `MIN_CLOSED_SHARE` of the gap; and whether it is reproduced by default and differs there. On the
        splits that the specification has.
    """

    reproduced: np.ndarray
    differs: np.ndarray
    recovered: np.ndarray
    lost: np.ndarray


def judge_pairs(measurements: Measurements, published: np.ndarray, ours: np.ndarray) -> PairEffects:
    """Judge some of our numbers beside published ones, which may be those of another method or data set.

    Parameters
    ----------
    measurements : Measurements
        The numbers.
    published : ndarray of int of shape (k,)
        Rows of `Measurements.numbers` whose published value is taken.
    ours : ndarray of int of shape (k,)
        Rows whose measured values are set beside them.

    Returns
    -------
    PairEffects
        The effects of all specifications.
    """
    means, margins = measurements.get_published(published)
    # a share of the features is one of the features of our data
    is_of_features = measurements.numbers["quantity"].isin(FEATURE_QUANTITIES).to_numpy()[ours]
    margins = np.where(is_of_features, measurements.get_published(ours)[1], margins)
    is_random = measurements.published_splits > 0
    sides = (measurements.default, measurements.option, measurements.paired_default)
    default, option, paired = (side.select((..., ours)) for side in sides)
    verdicts, option_verdicts, paired_verdicts = (
        judge_results(means, side, margins, is_random) for side in (default, option, paired)
    )
    reproduced, differs = np.isin(verdicts, REPRODUCED), verdicts == DIFFERS
    gap, remaining_gap = (np.abs(means.mean - side.mean) for side in (paired, option))
    # A number near the edge of its interval would "come back" by a hair's breadth otherwise.
    is_closed = remaining_gap <= (1 - MIN_CLOSED_SHARE) * gap
    # Twice "differs": on all splits of the default, which is what the table says, and on the splits of the
    # option. On three splits of ten the default may agree by itself, and then the option explains nothing.
    comes_back = (paired_verdicts == DIFFERS) & np.isin(option_verdicts, REPRODUCED) & is_closed
    goes = np.isin(paired_verdicts, REPRODUCED) & (option_verdicts == DIFFERS)
    return PairEffects(reproduced, differs, differs & comes_back, reproduced & goes)
