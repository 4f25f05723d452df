"""Results of R12's toy problem: rates at the top (Figure 1), retrieval of features (Figure 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.papers.rakotomamonjy2012.toy.names import DEFAULT_COVARIANCE, toy_covariance, toy_size
from reproduction.specs.labels import method_sort_key
from reproduction.statistics.paired_tests import wilcoxon_p

REFERENCE_METHOD = "l1_infinite_push"
"""The method whose rates the others' are tested against."""


def is_toy(fits: pd.DataFrame) -> pd.Series:
    """Return which fits are to toy data.

    Parameters
    ----------
    fits : DataFrame
        Fits of a study.

    Returns
    -------
    Series of bool
        A mask of the rows.
    """
    return fits["dataset"].map(toy_size).notna()


def _select_toy_fits(fits: pd.DataFrame, n_relevant: int) -> pd.DataFrame:
    """Select the chosen fits to toy data of the default covariance, with precision, recall and F-measure.

    Parameters
    ----------
    fits : DataFrame
        Fits of a study.
    n_relevant : int
        Features that tell the classes apart.

    Returns
    -------
    DataFrame
        With the columns rows, noise, precision, recall and f_measure beside the columns of the fits. A model
        without a variable has precision 0.
    """
    is_easy = fits["dataset"].map(toy_covariance) == DEFAULT_COVARIANCE
    chosen = fits[is_easy & (fits["role"] == "chosen")]
    sizes = [toy_size(name) for name in chosen["dataset"]]
    n_retrieved, n_used = chosen["n_relevant_variables"], chosen["n_variables"]
    precision, recall = n_retrieved / n_used.where(n_used > 0, 1.0), n_retrieved / n_relevant
    total = precision + recall
    return chosen.assign(
        rows=[size[0] for size in sizes],
        noise=[size[1] for size in sizes],
        precision=precision,
        recall=recall,
        f_measure=2 * precision * recall / total.where(total > 0, 1.0),
    )


def build_figure1_table(study: Study) -> pd.DataFrame:
    """Average the rate at the top of each method and size, with its test against the sparse infinite push.

    Parameters
    ----------
    study : Study
        A study of R12.

    Returns
    -------
    DataFrame
        noise, rows, method, trials, mean, std, p_value (Wilcoxon signed rank, two-sided; NaN for the method
        that the others are tested against).
    """
    settings = study.settings["toy"]
    chosen = _select_toy_fits(study.fits, settings["relevant"])
    fits = chosen[chosen["rows"].isin(settings["rows"]) & chosen["noise"].isin(settings["noise"])]
    rows = []
    for (n_noise, n_rows), block in fits.groupby(["noise", "rows"], sort=True):
        rates = block.pivot_table(index="split", columns="method", values="rate_at_top", dropna=False)
        for method in sorted(rates, key=method_sort_key):
            is_compared = method != REFERENCE_METHOD and REFERENCE_METHOD in rates
            p_value = wilcoxon_p(rates[method], rates[REFERENCE_METHOD]) if is_compared else np.nan
            rate = rates[method].dropna()
            rows.append((n_noise, n_rows, method, len(rate), rate.mean(), rate.std(ddof=1), p_value))
    return pd.DataFrame(rows, columns=["noise", "rows", "method", "trials", "mean", "std", "p_value"])


def build_figure2_table(study: Study) -> pd.DataFrame:
    """Average precision, recall and F-measure of each method at each number of noise features.

    Parameters
    ----------
    study : Study
        A study of R12.

    Returns
    -------
    DataFrame
        noise, method, trials, and mean and standard deviation (``_mean``, ``_std``) of each quantity and of
        the number of variables.
    """
    settings = study.settings["toy"]
    chosen = _select_toy_fits(study.fits, settings["relevant"])
    fits = chosen[chosen["rows"] == settings["retrieval_rows"]]
    fits = fits[fits["noise"].isin(settings["retrieval_noise"])]
    rows = []
    for (n_noise, method), block in fits.groupby(["noise", "method"], sort=True):
        row = {"noise": n_noise, "method": method, "trials": int(block["n_variables"].notna().sum())}
        for quantity in ("precision", "recall", "f_measure", "n_variables"):
            values = block[quantity]
            row |= {f"{quantity}_mean": values.mean(), f"{quantity}_std": values.std()}
        rows.append(row)
    return pd.DataFrame(sorted(rows, key=lambda row: (row["noise"], method_sort_key(row["method"]))))
