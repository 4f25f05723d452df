"""The smallest depth that can work on each list, what a searched depth adds, and what explains the gain."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from reproduction.fitting.feature_scaling import standardise
from reproduction.papers.across.facts.experiment import LOGISTIC, TOPPUSH, compute_gain
from reproduction.papers.across.results import (
    get_default_scalings,
    select_default_rows,
    select_reported_fits,
)
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.study_results import Study
from reproduction.splits.split_data import SplitData
from reproduction.statistics.held_out_halves import explain_on_halves
from toprank import TopPush

DEPTH = "toppush_depth"
RIVALS = {"depth_1": TOPPUSH, "logistic": LOGISTIC}
"""What the searched depth is compared with: depth 1 of the same loss, and a loss for every row."""
GAIN_METRICS = ("rate_at_top", "precision_at_10", "average_precision")

GAINS_FORMAT = TypedCsv.parse(
    "dataset* positives_share train_positives features_per_row noise train_negatives smallest_depth_share "
    "smallest_depth_seconds depth_share "
    + " ".join(
        f"{rival}_{name} {rival}_{name}_low {rival}_{name}_high" for rival in RIVALS for name in GAIN_METRICS
    )
)
"""`smallest_depth_share`: of the negatives, on the standardised training rows of the first split; at and
below it w = 0 is optimal at every alpha. `depth_share`: median of the shares that average precision chose.
The rest: TopPush with the depth searched minus the rival, with 95 % intervals over the splits (Nadeau and
Bengio)."""

EXPLAINS_FORMAT = TypedCsv.parse(
    "rival* metric* fact* n_sets spearman held_out placebo_mean placebo_upper p_value"
)
"""Rows of `held_out_halves.explain_on_halves`."""

FACTS = ("smallest_depth_share", "positives_share", "train_positives", "features_per_row", "noise")


def run_experiment(
    settings: Mapping, *, splits: Sequence[SplitData], part: str, **_: Any
) -> Iterator[tuple[str, dict]]:
    """Find the smallest depth that can work on the training rows.

    Parameters
    ----------
    settings : mapping
        ``seconds``: time limit.
    splits : sequence of SplitData
        The first split.
    part : str
        Data set.

    Yields
    ------
    (str, dict)
        Table "smallest_depth" and a row, of a data set of one list; without the depth where the time was too
        short.
    """
    (split_data,) = splits
    # Depth counts negatives of a single list: data sets with queries have none.
    if split_data.missing_data or split_data.data.qid is not None:
        return
    X, y = split_data.train()
    # All rows: a sample would bias the depth downwards, since fewer negatives surround the mean.
    (X,) = standardise(X)
    started, negatives = perf_counter(), int(np.count_nonzero(y <= 0))
    row = {"dataset": part, "train_negatives": negatives}
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always", ConvergenceWarning)
        # K* = 1/min{t : X⁻'b = mean X⁺, 1'b = 1, 0 ≤ b ≤ t}: below this depth w = 0 is optimal at every λ.
        depth = TopPush(time_limit=settings["seconds"]).smallest_depth(X, y)
    is_bound = any(issubclass(warning.category, ConvergenceWarning) for warning in caught_warnings)
    # A limit that was met leaves a bound of the depth, not the depth: no number then.
    row |= {} if is_bound else {"smallest_depth_share": depth / negatives}
    yield "smallest_depth", row | {"smallest_depth_seconds": perf_counter() - started}


def build_gains(study: Study) -> pd.DataFrame:
    """Build a row for each list on which the depth was searched.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `GAINS_FORMAT`.
    """
    smallest = {row["dataset"]: row for row in study.read_experiment("depth", "smallest_depth")}
    facts = study.table("facts").set_index("dataset")
    fits = select_reported_fits(select_default_rows(study, study.fits))
    fits = fits[fits["rate_at_top"].notna()]
    by_precision = select_reported_fits(select_default_rows(study, study.fits), "average_precision")
    rows = []
    for name in get_default_scalings(study):
        dataset_fits = fits[fits["dataset"] == name]
        if DEPTH not in set(dataset_fits["method"]):
            continue
        chosen = by_precision[(by_precision["dataset"] == name) & (by_precision["method"] == DEPTH)]["params"]
        row = {
            "dataset": name,
            "depth_share": chosen.map(lambda text: json.loads(text)["depth_share"]).median(),
        }
        row |= facts.loc[name, [fact for fact in FACTS if fact in facts]].to_dict() | smallest.get(name, {})
        for rival, method in RIVALS.items():
            for metric in GAIN_METRICS:
                row |= compute_gain(dataset_fits, DEPTH, method, metric, f"{rival}_{metric}")
        rows.append(row)
    return GAINS_FORMAT.to_frame(rows)


def build_explanations(study: Study) -> pd.DataFrame:
    """Test what explains the gains, on the halves of the lists that did not choose the explanation.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `EXPLAINS_FORMAT`; empty with too few lists.
    """
    gains, rows = study.table("depth_gains"), []
    for rival in RIVALS:
        for metric in GAIN_METRICS:
            lists = gains.dropna(subset=[*FACTS, f"{rival}_{metric}"])
            # A generator of the same seed for each gain: the draws of one do not depend on another.
            gain, random = lists[f"{rival}_{metric}"].to_numpy(), np.random.default_rng(0)
            table = explain_on_halves(lists[[*FACTS]], gain, random)
            names = {"rival": rival, "metric": metric, "n_sets": len(lists)}
            rows += [names | row for row in table.to_dict("records")]
    return EXPLAINS_FORMAT.to_frame(rows)
