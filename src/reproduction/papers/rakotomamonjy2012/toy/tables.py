"""What the toy problem of R12 gives: rates at the top (Figure 1), retrieval of features (Figure 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.papers.rakotomamonjy2012.toy.names import DEFAULT_COVARIANCE, toy_covariance, toy_size
from reproduction.specs.labels import method_sort_key
from reproduction.statistics.paired_tests import wilcoxon_p

RIVAL_OF = "l1_infinite_push"
"""The method whose rates the others' are tested against."""


def is_toy(fits: pd.DataFrame) -> pd.Series:
    """Mask of the fits to toy data."""
    return fits["dataset"].map(toy_size).notna()


def toy_fits(fits: pd.DataFrame, n_relevant: int) -> pd.DataFrame:
    """Select the chosen fits to toy data of the declared covariance, and say how well they retrieve.

    `n_relevant`: features that tell the classes apart. Returns: with the columns rows, noise, precision,
    recall and f_measure beside the columns of the fits. A model without a variable has precision 0.
    """
    is_easy = fits["dataset"].map(toy_covariance) == DEFAULT_COVARIANCE
    chosen = fits[is_easy & (fits["role"] == "chosen")]
    sizes = [toy_size(name) for name in chosen["dataset"]]
    found, used = chosen["n_relevant_variables"], chosen["n_variables"]
    precision, recall = found / used.where(used > 0, 1.0), found / n_relevant
    total = precision + recall
    return chosen.assign(
        rows=[size[0] for size in sizes],
        noise=[size[1] for size in sizes],
        precision=precision,
        recall=recall,
        f_measure=2 * precision * recall / total.where(total > 0, 1.0),
    )


def figure1_table(study: Study) -> pd.DataFrame:
    """Mean rate at the top of each method and size, with its test against the sparse infinite push.

    Returns: noise, rows, method, trials, mean, std, p_value (Wilcoxon signed rank, two-sided; NaN for the
    method that the others are tested against).
    """
    settings = study.settings["toy"]
    chosen = toy_fits(study.fits, settings["relevant"])
    shown = chosen[chosen["rows"].isin(settings["rows"]) & chosen["noise"].isin(settings["noise"])]
    found = []
    for (n_noise, n_rows), block in shown.groupby(["noise", "rows"], sort=True):
        rates = block.pivot_table(index="split", columns="method", values="rate_at_top", dropna=False)
        for method in sorted(rates, key=method_sort_key):
            tested = method != RIVAL_OF and RIVAL_OF in rates
            p_value = wilcoxon_p(rates[method], rates[RIVAL_OF]) if tested else np.nan
            rate = rates[method].dropna()
            found.append((n_noise, n_rows, method, len(rate), rate.mean(), rate.std(ddof=1), p_value))
    return pd.DataFrame(found, columns=["noise", "rows", "method", "trials", "mean", "std", "p_value"])


def figure2_table(study: Study) -> pd.DataFrame:
    """Mean precision, recall and F-measure of each method against the number of noise features."""
    settings = study.settings["toy"]
    chosen = toy_fits(study.fits, settings["relevant"])
    shown = chosen[chosen["rows"] == settings["retrieval_rows"]]
    shown = shown[shown["noise"].isin(settings["retrieval_noise"])]
    found = []
    for (n_noise, method), block in shown.groupby(["noise", "method"], sort=True):
        row = {"noise": n_noise, "method": method, "trials": int(block["n_variables"].notna().sum())}
        for quantity in ("precision", "recall", "f_measure", "n_variables"):
            of_block = block[quantity]
            row |= {f"{quantity}_mean": of_block.mean(), f"{quantity}_std": of_block.std()}
        found.append(row)
    return pd.DataFrame(sorted(found, key=lambda row: (row["noise"], method_sort_key(row["method"]))))
