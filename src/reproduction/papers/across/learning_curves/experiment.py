"""Learning curves: how many positives it takes until a loss for the top pays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reproduction.core.seeds import derive_seed
from reproduction.fitting.method import Method
from reproduction.fitting.multi_metric import MultiMetricSearch
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.study_results import Study
from reproduction.splits.split_data import SplitData
from reproduction.splits.splits import TEST, Splits
from toprank.problems.rows import take_rows

INNER_FOLDS = 3
"""Folds in which each sample is searched."""

METHODS = {
    "toppush_exact": Method("toprank.TopPush", {"solver": "exact"}, {"alpha": [1e-3, 1e-2, 0.1, 1.0, 10.0]}),
    # shares of the negatives, 0 for the highest alone, and of the strongest regularisation at that depth
    "toppush_depth": Method(
        "toprank.TopPush",
        {"solver": "exact"},
        {"depth_share": [0.0, 0.01, 0.05, 0.2, 0.5], "share": [1e-3, 1e-2, 0.1, 0.4, 0.7]},
    ),
    "l2_ranksvm": Method(
        "toprank.RankSVM", {"penalty": "l2", "warm_start": True}, {"share": [1e-3, 1e-2, 0.1, 1.0, 10.0]}
    ),
    "logistic_regression": Method(
        "reproduction.fitting.baselines.PointwiseLogistic",
        {"max_iter": 1000},
        {"C": [100.0, 10.0, 1.0, 0.1, 0.01]},
    ),
}
"""Linear, each with a ridge: only the loss and its depth differ."""

CURVE_METRICS = ("rate_at_top", "average_precision")
CURVES_FORMAT = TypedCsv.parse(
    "dataset* method* positives negatives splits_used "
    + " ".join(f"{name}_mean {name}_std" for name in CURVE_METRICS)
    + " statuses*"
)


def run_experiment(
    settings: Mapping, *, splits: Sequence[SplitData], part: str, seed: int, **_: Any
) -> Iterator[tuple[str, dict]]:
    """Learn from samples of the training parts, each contained in the next, and measure on the test parts.

    Parameters
    ----------
    settings : mapping
        ``positives``: sizes of the samples.
    splits : sequence of SplitData
        Splits to sample from.
    part : str
        Data set.
    seed : int
        Master seed.

    Yields
    ------
    (str, dict)
        Table "curves" and a row, one a split, size and method.
    """
    for split_data in splits:
        if split_data.missing_data:
            return
        (X, y), (X_test, y_test) = split_data.train(), split_data.test()
        random = np.random.default_rng(derive_seed(seed, part, split_data.split, "learning curve"))
        # One permutation a class and split: the first k rows of it are contained in the first k' > k.
        class_rows = [random.permutation(np.flatnonzero((y > 0) == label)) for label in (True, False)]
        for positives in settings["positives"]:
            # negatives in the proportion of the training part
            negatives = round(positives * class_rows[1].size / class_rows[0].size)
            # Each inner fold needs a row of either class.
            if positives > class_rows[0].size or min(positives, negatives) < INNER_FOLDS:
                # too few rows for the folds, or more than there are: this size is left out on this split
                continue
            samples = [rows[:size] for rows, size in zip(class_rows, (positives, negatives), strict=True)]
            # inner folds stratified by class
            inner_folds = np.concatenate([np.arange(rows.size) % INNER_FOLDS for rows in samples])
            sample = np.concatenate(samples)
            parts = take_rows(X, sample), X_test
            rows = sp.vstack(parts, format="csr") if sp.issparse(X_test) else np.vstack(parts)
            # one split: the sample with its inner folds, and the whole test part
            assigned = np.append(inner_folds, np.full(y_test.size, TEST)).astype(np.int8)
            inner_splits = Splits(assigned[None], np.zeros(1, dtype=np.int64))
            labels = np.append(y[sample], y_test)
            row = {"dataset": part, "split": split_data.split, "positives": positives, "negatives": negatives}
            for name, method in METHODS.items():
                yield "curves", row | {"method": name} | _fit_sample(method, rows, labels, inner_splits)


def _fit_sample(method: Method, X: Any, y: np.ndarray, splits: Splits) -> dict:
    """Select by cross-validation on a sample, refit, and measure on the test part."""
    rows = MultiMetricSearch(method, X, y, None, splits, feature_scaling="standardised").run_split(0)
    refits = [row for row in rows if row["role"] != "search"]
    # each metric of the candidate that it chose itself
    metric_values = {
        name: row[name]
        for row in refits
        for name in CURVE_METRICS
        if name in row.get("chosen_by", "").split()
    }
    return metric_values | {"status": refits[0]["status"]}


def build_curves(study: Study) -> pd.DataFrame:
    """Average over the samples of a size.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `CURVES_FORMAT`.
    """
    measured = study.read_experiment("learning_curves", "curves")
    if not measured:
        return CURVES_FORMAT.to_frame([])
    groups = pd.DataFrame(measured).groupby(["dataset", "method", "positives"], sort=False)
    # a split has its own share of positives, and so its own number of negatives
    aggregations = {"negatives": ("negatives", "mean")}
    aggregations |= {
        f"{name}_{statistic}": (name, statistic) for name in CURVE_METRICS for statistic in ("mean", "std")
    }
    statuses = groups["status"].agg(lambda means: ", ".join(sorted(set(means))))
    means = groups.agg(**aggregations).assign(splits_used=groups.size(), statuses=statuses)
    return CURVES_FORMAT.to_frame(means.reset_index().to_dict("records"))
