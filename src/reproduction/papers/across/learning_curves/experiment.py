"""Learning curves: how many positives it takes until a loss for the top pays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reproduction.collection.study_results import Study
from reproduction.core.seeds import derive_seed
from reproduction.fitting.method import Method
from reproduction.fitting.multi_metric import run_split
from reproduction.specs.csv_tables import TypedCsv
from reproduction.splits.split_data import SplitData
from reproduction.splits.splits import TEST, Splits
from toprank.problems.rows import take_rows

INNER = 3
"""Folds in which each sample is searched."""

METHODS = {
    "toppush_exact": Method("toprank.TopPush", {"solver": "exact"}, {"alpha": [1e-3, 1e-2, 0.1, 1.0, 10.0]}),
    "l2_ranksvm": Method(
        "toprank.RankSVM", {"penalty": "l2", "warm_start": True}, {"share": [1e-3, 1e-2, 0.1, 1.0, 10.0]}
    ),
    "logistic_regression": Method(
        "reproduction.fitting.baselines.PointwiseLogistic",
        {"max_iter": 1000},
        {"C": [100.0, 10.0, 1.0, 0.1, 0.01]},
    ),
}
"""Linear, each with a ridge: only the loss differs."""

QUALITIES = ("rate_at_top", "average_precision")
CURVES = TypedCsv.parse(
    "dataset* method* positives negatives splits_used "
    + " ".join(f"{name}_mean {name}_std" for name in QUALITIES)
    + " statuses*"
)


def run_experiment(
    settings: Mapping, *, splits: Sequence[SplitData], part: str, seed: int, **_
) -> Iterator[tuple[str, dict]]:
    """Learn from samples of the training parts, each contained in the next, and measure on the test parts."""
    for split_data in splits:
        if split_data.missing_data:
            return
        (X, y), (X_test, y_test) = split_data.train(), split_data.test()
        random = np.random.default_rng(derive_seed(seed, part, split_data.split, "learning curve"))
        classes = [random.permutation(np.flatnonzero((y > 0) == label)) for label in (True, False)]
        for positives in settings["positives"]:
            negatives = round(positives * classes[1].size / classes[0].size)
            if positives > classes[0].size or min(positives, negatives) < INNER:
                continue
            chosen = [rows[:size] for rows, size in zip(classes, (positives, negatives), strict=True)]
            inner_folds = np.concatenate([np.arange(rows.size) % INNER for rows in chosen])
            sample = np.concatenate(chosen)
            parts = take_rows(X, sample), X_test
            rows = sp.vstack(parts, format="csr") if sp.issparse(X_test) else np.vstack(parts)
            assigned = np.append(inner_folds, np.full(y_test.size, TEST)).astype(np.int8)
            inner_splits = Splits(assigned[None], np.zeros(1, dtype=np.int64))
            labels = np.append(y[sample], y_test)
            row = {"dataset": part, "split": split_data.split, "positives": positives, "negatives": negatives}
            for name, method in METHODS.items():
                yield "curves", row | {"method": name} | _qualities(method, rows, labels, inner_splits)


def _qualities(method: Method, X, y, splits: Splits) -> dict:
    rows = run_split(method, X, y, None, splits, 0, feature_scaling="standardised")
    final = [row for row in rows if row["role"] != "search"]
    found = {
        name: row[name] for row in final for name in QUALITIES if name in row.get("chosen_by", "").split()
    }
    return found | {"status": final[0]["status"]}


def curves(study: Study) -> pd.DataFrame:
    """Average over the samples of a size."""
    measured = study.read_experiment("learning_curves", "curves")
    if not measured:
        return CURVES.to_frame([])
    over = pd.DataFrame(measured).groupby(["dataset", "method", "positives"], sort=False)
    # a split has its own share of positives, and so its own number of negatives
    averaged = {"negatives": ("negatives", "mean")}
    averaged |= {f"{name}_{of}": (name, of) for name in QUALITIES for of in ("mean", "std")}
    statuses = over["status"].agg(lambda found: ", ".join(sorted(set(found))))
    found = over.agg(**averaged).assign(splits_used=over.size(), statuses=statuses)
    return CURVES.to_frame(found.reset_index().to_dict("records"))
