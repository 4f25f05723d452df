"""The place of new methods among the published ones: their fits, joined with the rows of a snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.core.errors import DataError
from reproduction.core.formatting import format_count
from reproduction.core.results import FITS_TEXT_COLUMNS, STATUS_NOT_OBTAINED, read_fits, read_text
from reproduction.core.seeds import derive_seed
from reproduction.datasets import registry
from reproduction.fitting.ranking_metrics import METRICS
from reproduction.papers.across.results import (
    REPORTED_METRICS,
    fill_with_worst,
    select_reported_fits,
)
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.labels import method_label
from reproduction.specs.metrics import LABELS
from reproduction.statistics.bootstrap_ranks import (
    MIN_DATASETS,
    count_separate_neighbours,
    rank_with_intervals,
)
from reproduction.statistics.paired_tests import win_tie_loss

SPLIT_SETTINGS = ("seed", "test_fraction", "inner_folds")
"""What the rows of the splits depend on, beside the data set and the number of the split."""
CLASS_COUNTS = ["n_train_positives", "n_train_negatives", "n_test_positives", "n_test_negatives"]
SPLIT_KEY = ["dataset", "split"]

RANK_FORMAT = TypedCsv.parse(
    "metric* own* place method* mean_rank low high n_sets datasets* apart wins ties losses "
    "n_neighbours separate_neighbours"
)
"""A row a metric, own method, and method of the ranking. `low`, `high`: 95 % interval of the mean rank over
the data sets; `apart`: 1 where the interval of its difference from the own method's excludes 0; `wins`,
`ties`, `losses`: data sets on which the own method is better, equal and worse; `separate_neighbours`: how
many of the `n_neighbours` pairs of neighbouring places are apart."""


def check_same_splits(published: Mapping, settings: Mapping) -> None:
    """Refuse to join rows of different splits.

    Parameters
    ----------
    published, settings : mapping
        The study in the configuration of the snapshot, and of this run, each with ``seed``.

    Raises
    ------
    DataError
        One of `SPLIT_SETTINGS` differs.
    """
    for key in SPLIT_SETTINGS:
        if published.get(key) != settings.get(key):
            raise DataError(
                f"The published rows have {key} {published.get(key)} and this run has {settings.get(key)}, "
                f"so their splits differ: rank with the published {key}."
            )


def read_metric_fits(path: str | Path, columns: Sequence[str]) -> pd.DataFrame:
    """Read fits, which may be older than some columns.

    Parameters
    ----------
    path : path-like
        The collected fits of a study.
    columns : sequence of str
        Columns of the fits of this version.

    Returns
    -------
    DataFrame
        Numbers as floats, with the columns that the file has.
    """
    # a snapshot of an earlier version may lack later metrics
    file_columns = set(read_text(path, ()).columns)
    texts = (*FITS_TEXT_COLUMNS, "split", "fold", "weights")
    return read_fits(path, [name for name in columns if name in file_columns and name not in texts])


def _report_fits(fits: pd.DataFrame) -> pd.DataFrame:
    """Select the reported fits, without the metrics that the rows do not have."""
    missing = [name for name in METRICS if name not in fits]
    return select_reported_fits(fits.assign(**dict.fromkeys(missing, float("nan")))).drop(columns=missing)


def explain_missing(own: pd.DataFrame) -> str:
    """Say why there is nothing to rank, where no data set of this run was obtained.

    Parameters
    ----------
    own : DataFrame
        Fits of this run.

    Returns
    -------
    str
        A sentence; empty if a data set was obtained.
    """
    if own.empty or (own["status"] != STATUS_NOT_OBTAINED).any():
        return ""
    reasons = ", ".join(sorted({text for text in own["message"] if text}))
    return f"No ranking: none of the data sets was obtained ({reasons})."


def join_fits(published: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """Put the own fits beside the published ones of the same lists and splits.

    Parameters
    ----------
    published, own : DataFrame
        Fits of the study, with the feature scaling of its default specification; published rows of an own
        method are left out.

    Returns
    -------
    DataFrame
        The reported fits of both, on the lists and splits that both have, with the metrics of both.

    Raises
    ------
    DataError
        They have no list in common, or differ in the rows of a split.
    """
    own = own[own["status"] != STATUS_NOT_OBTAINED]
    lists = [name for name in sorted(set(own["dataset"])) if registry.get(name).task != "graded"]
    parts = [_report_fits(fits[fits["dataset"].isin(lists)]) for fits in (published, own)]
    # the sizes of the classes in both parts of each split, equal for all methods that ran
    splits = [fits.groupby(SPLIT_KEY)[CLASS_COUNTS].max() for fits in parts]
    common = splits[0].index.intersection(splits[1].index)
    if common.empty:
        raise DataError(
            "The published rows and this run have no list and split in common: rank on a data set of the "
            "snapshot."
        )
    # a method that cannot rank a set has no counts
    differs = (splits[0].loc[common] != splits[1].loc[common]) & splits[1].loc[common].notna()
    if differs.any(axis=None):
        dataset, split = differs.index[differs.any(axis=1)][0]
        raise DataError(
            f"Split {split:.0f} of {dataset} has other rows here than in the published fits, so they cannot "
            "be ranked together: rank with the snapshot of this version, or leave the data set out."
        )
    # A method that was run again replaces its published rows: it must not rank against itself.
    parts[0] = parts[0][~parts[0]["method"].isin(set(own["method"]))]
    rows = pd.concat(parts, ignore_index=True, join="inner")
    return rows[pd.MultiIndex.from_frame(rows[SPLIT_KEY]).isin(common)]


def rank_own_methods(fits: pd.DataFrame, own_methods: Sequence[str], seed: int) -> pd.DataFrame:
    """Rank all methods by each metric, and compare each own one with every other.

    Parameters
    ----------
    fits : DataFrame
        Rows of `join_fits`.
    own_methods : sequence of str
        Those that are compared; their names need not be in the rows.
    seed : int
        Master seed.

    Returns
    -------
    DataFrame
        The columns of `RANK_FORMAT`. On a data set that a method cannot rank it ties with the worst one.
    """
    rows: list[dict[str, Any]] = []
    for metric in (metric.name for metric in REPORTED_METRICS if metric.name in fits):
        # means over the splits, of shape (data sets, methods)
        means = fits.groupby(["dataset", "method"])[metric].mean().unstack().dropna(how="all")
        if means.empty:
            continue
        # rounding: sums in another order must not decide between equal means
        means = fill_with_worst(means).round(12)
        ranks, is_separate = rank_with_intervals(means, derive_seed(seed, "rank", metric))
        facts = {
            "metric": metric,
            "n_sets": len(means),
            "datasets": ", ".join(means.index),
            "n_neighbours": len(ranks) - 1,
            "separate_neighbours": count_separate_neighbours(is_separate),
        }
        for own in (name for name in ranks.index if name in own_methods):
            for place, (method, row) in enumerate(ranks.iterrows(), 1):
                counts = dict(
                    zip(("wins", "ties", "losses"), win_tie_loss(means[own], means[method]), strict=True)
                )
                # too few data sets tell no methods apart
                if len(means) >= MIN_DATASETS:
                    counts["apart"] = float(is_separate.loc[own, method])
                names = {"own": own, "place": place, "method": method}
                rows.append(facts | names | row.to_dict() | ({} if own == method else counts))
    return RANK_FORMAT.to_frame(rows)


def describe_ranking(table: pd.DataFrame) -> Iterator[str]:
    """Describe the place of each own method in words.

    Parameters
    ----------
    table : DataFrame
        Rows of `rank_own_methods`.

    Yields
    ------
    str
        A line.
    """
    for (metric, own), ranking in table.groupby(["metric", "own"], sort=False):
        mine = ranking[ranking["method"] == own].iloc[0]
        rival_rows = ranking[ranking["method"] != own]
        yield (
            f"{LABELS[metric]}, {format_count(mine['n_sets'], 'data set')}: {method_label(own)} is ranked "
            f"{mine['place']:.0f} of {len(ranking)}, mean rank {mine['mean_rank']:.2f}"
            + (f" (95 % {mine['low']:.2f} to {mine['high']:.2f})." if mine["low"] == mine["low"] else ".")
        )
        if rival_rows.empty:
            yield "  There is no other method for a comparison."
            continue
        if mine["n_sets"] < MIN_DATASETS:
            yield f"  Not enough data: intervals need {MIN_DATASETS} data sets."
        else:
            is_apart, is_ahead = rival_rows["apart"] == 1, rival_rows["place"] < mine["place"]
            yield f"  Better than: {_list_labels(rival_rows[is_apart & ~is_ahead])}."
            yield f"  Worse than: {_list_labels(rival_rows[is_apart & is_ahead])}."
            yield f"  Not significantly different from: {_list_labels(rival_rows[~is_apart])}."
            pairs, separate_pairs = mine["n_neighbours"], mine["separate_neighbours"]
            yield f"  Of {pairs:.0f} pairs of neighbouring places {separate_pairs:.0f} differ significantly."
        for shift, word in ((-1, "above"), (1, "below")):
            for _, row in rival_rows[rival_rows["place"] == mine["place"] + shift].iterrows():
                yield (
                    f"  Against {method_label(row['method'])}, the place {word}: wins {row['wins']:.0f}, "
                    f"ties {row['ties']:.0f}, losses {row['losses']:.0f}."
                )


def _list_labels(rows: pd.DataFrame) -> str:
    """List the methods of rows for readers."""
    return ", ".join(map(method_label, rows["method"])) or "none"
