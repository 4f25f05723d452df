"""Facts of a data set, known before a method is selected, and their correlation with the gain at the top."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

from reproduction.fitting.feature_scaling import standardise
from reproduction.papers.across.results import (
    get_default_scalings,
    select_default_rows,
    select_reported_fits,
)
from reproduction.reporting.method_comparison.method_pairs import mean_test_to_train_ratio
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.method_tables import summarise_diagnosis
from reproduction.specs.study_results import Study
from reproduction.splits.split_data import SplitData
from reproduction.statistics.paired_tests import corrected_t
from toprank.problems.rows import take_rows

TOPPUSH, LOGISTIC = "toppush_exact", "logistic_regression"
"""A loss for the top and one for every row: both linear, with a ridge, and feasible on every list."""

GAIN_METRICS = ("rate_at_top", "average_precision", "auc")
FACTS_FORMAT = TypedCsv.parse(
    "dataset* family* rows queries features sparse positives_share train_positives features_per_row "
    "zero_optimal_share lambda_max_median drawn_rows separable noise hinge_gap "
    + " ".join(f"gain_{name} gain_{name}_low gain_{name}_high" for name in GAIN_METRICS)
)
"""`family`: of the registry; `sparse`: whether the features are a sparse matrix; `separable`: whether a
hyperplane has all positives on one side of the drawn training rows; `noise`: share of these rows on the wrong
side at the least mean hinge loss, not regularised at all; `hinge_gap`: relative distance of that loss to the
bound of the linear program. `gain`: TopPush minus logistic regression."""

FACT_LABELS = {
    "rows": "rows",
    "features": "variables",
    "features_per_row": "variables per training row",
    "positives_share": "share of positives",
    "train_positives": "positives to learn from",
    "zero_optimal_share": "share of splits on which w = 0 is optimal",
    "lambda_max_median": "λ_max",
    "separable": "separable training rows",
    "noise": "rows on the wrong side of the best hinge",
}
EXPLAINS_FORMAT = TypedCsv.parse("fact* gain* n_sets spearman p_value")
MIN_DATASETS = 5
"""Data sets from which on a correlation is computed."""


def run_experiment(
    settings: Mapping, *, splits: Sequence[SplitData], part: str, **_: Any
) -> Iterator[tuple[str, dict]]:
    """Solve the linear program of the hinge loss on rows drawn from the training part.

    Parameters
    ----------
    settings : mapping
        ``rows``: how many to draw at most.
    splits : sequence of SplitData
        The first split.
    part : str
        Data set.

    Yields
    ------
    (str, dict)
        Table "hinge" and a row, of a data set of one list.
    """
    (split_data,) = splits
    if split_data.missing_data or split_data.data.qid is not None:
        return
    X, y = split_data.train()
    # A sample bounds the linear program; sorted, so that a memory map is read in order.
    row_numbers = np.random.default_rng(0).permutation(y.size)[: settings["rows"]]
    (X,) = standardise(take_rows(X, np.sort(row_numbers)))
    yield (
        "hinge",
        {"dataset": part, "drawn_rows": row_numbers.size} | minimise_hinge_loss(X, y[np.sort(row_numbers)]),
    )


def minimise_hinge_loss(X: Any, y: np.ndarray) -> dict:
    """Minimise the mean hinge loss over all hyperplanes, without regularisation, by a linear program.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
        Rows.
    y : ndarray of shape (n,)
        Above 0 is positive.

    Returns
    -------
    dict
        ``separable``, ``noise`` (share of the rows on the wrong side) and ``hinge_gap``, as `FACTS_FORMAT`
        has them.
    """
    # min (1/n) Σ ξ_i subject to y_i (w'x_i + b) ≥ 1 − ξ_i, ξ ≥ 0; it is 0 where a hyperplane separates the
    # rows.
    sign, (n, d) = np.where(y > 0, 1.0, -1.0), X.shape
    rows = hstack([csr_array(X), csr_array(np.ones((n, 1)))]).multiply(sign[:, None])
    # variables: weights, intercept and slacks; y (w'x + b) + slack >= 1
    constraints = -hstack([rows, eye_array(n)]).tocsr()
    cost = np.append(np.zeros(d + 1), np.full(n, 1.0 / n))
    # Weights and intercept are free, slacks are not negative.
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    solution = linprog(cost, constraints, -np.ones(n), bounds=bounds, method="highs")
    # dual objective: a lower bound of the loss, which certifies it
    bound = -float(solution.ineqlin.marginals.sum())
    slack = solution.x[d + 1 :]
    return {
        # 1e-9 is above the tolerance of HiGHS on a mean of slacks of 0
        "separable": float(solution.fun < 1e-9),
        # ξ_i > 1 is a row on the wrong side of the hyperplane itself, not only of its margin.
        "noise": float(np.mean(slack > 1.0 + 1e-9)),
        "hinge_gap": abs(solution.fun - bound) / max(abs(solution.fun), 1.0),
    }


def build_facts(study: Study) -> pd.DataFrame:
    """Build a row of facts for each data set of the default specification that was obtained.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `FACTS_FORMAT`.
    """
    hinge = {}
    if study.settings.get("facts"):
        hinge = {row["dataset"]: row for row in study.read_experiment("facts", "hinge")}
    reported_fits, rows = select_reported_fits(select_default_rows(study, study.fits)), []
    for name, features in get_default_scalings(study).items():
        manifest = study.manifests.get(name, {})
        dataset_fits = reported_fits[
            (reported_fits["dataset"] == name) & reported_fits["rate_at_top"].notna()
        ]
        if dataset_fits.empty:
            continue
        # Facts of the training part, not of the whole set: that is what a method learns from.
        train = dataset_fits[["n_train_positives", "n_train_negatives"]].mean()
        row = {"dataset": name, "rows": manifest["rows"], "features": manifest["features"]}
        row |= {"family": manifest.get("family", ""), "sparse": float(manifest.get("sparse", False))}
        row |= {"queries": float(manifest.get("queries") or 0), "train_positives": train["n_train_positives"]}
        row |= {"positives_share": train["n_train_positives"] / train.sum()}
        row |= {"features_per_row": manifest["features"] / train.sum()}
        rows.append(
            row
            | summarise_diagnosis(study.diagnosis, name, features)
            | hinge.get(name, {})
            | _compute_gains(dataset_fits)
        )
    return FACTS_FORMAT.to_frame(rows)


def _compute_gains(dataset_fits: pd.DataFrame) -> dict:
    """Compute what TopPush adds to logistic regression on the same splits, with 95 % intervals."""
    gains = {}
    for name in GAIN_METRICS:
        gains |= compute_gain(dataset_fits, TOPPUSH, LOGISTIC, name, f"gain_{name}")
    return gains


def compute_gain(dataset_fits: pd.DataFrame, method: str, rival: str, metric: str, prefix: str) -> dict:
    """Compute by how much a method is better than another on the same splits, with its 95 % interval.

    Parameters
    ----------
    dataset_fits : DataFrame
        Reported fits of one data set.
    method, rival : str
        Two of its methods.
    metric : str
        Column.
    prefix : str
        Name of the result.

    Returns
    -------
    dict
        ``<prefix>``, ``<prefix>_low`` and ``<prefix>_high``; empty without fits of both.
    """
    wide = dataset_fits.pivot(index="split", columns="method", values=metric)
    if not {method, rival} <= set(wide.columns):
        return {}
    ratio = mean_test_to_train_ratio(dataset_fits)
    gain = corrected_t(wide[method], wide[rival], 0.0 if np.isnan(ratio) else ratio)
    return {prefix: gain.mean, f"{prefix}_low": gain.low, f"{prefix}_high": gain.high}


def correlate_facts(table: pd.DataFrame) -> pd.DataFrame:
    """Correlate each fact with each gain over the data sets, by ranks (Spearman).

    Parameters
    ----------
    table : DataFrame
        Rows of `build_facts`.

    Returns
    -------
    DataFrame
        The columns of `EXPLAINS_FORMAT`; no number where a fact is constant, or with fewer than
        `MIN_DATASETS` data sets.
    """
    rows = []
    for fact in FACT_LABELS:
        for name in GAIN_METRICS:
            pairs = table[[fact, f"gain_{name}"]].dropna()
            row = {"fact": fact, "gain": name, "n_sets": len(pairs)}
            # Ranks of a constant have no correlation.
            if len(pairs) >= MIN_DATASETS and pairs.nunique().min() > 1:
                correlation = stats.spearmanr(pairs[fact], pairs[f"gain_{name}"])
                row |= {"spearman": correlation.statistic, "p_value": correlation.pvalue}
            rows.append(row)
    return EXPLAINS_FORMAT.to_frame(rows)
