"""Results of R12's toy problem: rates at the top (Figure 1), retrieval of features (Figure 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.papers.rakotomamonjy2012.toy.names import DEFAULT_COVARIANCE, toy_covariance, toy_size
from reproduction.specs.labels import method_sort_key
from reproduction.specs.study_results import Study
from reproduction.statistics.paired_tests import wilcoxon_p

DEFAULT_TIES = "middle"
"""Rule for tied candidates of the study, see `multiverse.CHOICES`."""

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


def _select_toy_fits(fits: pd.DataFrame, n_relevant: int, ties: str = "") -> pd.DataFrame:
    """Select the chosen fits to toy data of the default covariance, with precision, recall and F-measure.

    Parameters
    ----------
    fits : DataFrame
        Fits of a study.
    n_relevant : int
        Features that tell the classes apart.
    ties : str, default ""
        Rule by which one of several tied candidates is chosen; by default that of the study.

    Returns
    -------
    DataFrame
        With the columns rows, noise, precision, recall and f_measure beside the columns of the fits. A model
        without a variable has precision 0.
    """
    is_easy = fits["dataset"].map(toy_covariance) == DEFAULT_COVARIANCE
    is_chosen = fits["role"] == "chosen"
    if ties:  # a search without a result names no rule: it has the same fit under each
        rules = fits["ties"].fillna("").str.split()
        is_candidate = is_chosen | (fits["role"] == "alternative")
        is_chosen = is_candidate & rules.map(lambda names: not names or ties in names)
    chosen = fits[is_easy & is_chosen]
    sizes = [toy_size(name) for name in chosen["dataset"]]
    n_retrieved, n_used = chosen["n_relevant_variables"], chosen["n_variables"]
    # w = 0 retrieves nothing: precision, recall and F-measure are 0, not 0/0.
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
        # trials in rows, methods in columns: the same trial for all methods, hence the paired test
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
    return _average_retrieval(_select_toy_fits(study.fits, study.settings["toy"]["relevant"]), study)


def build_retrieval_table(study: Study) -> pd.DataFrame:
    """Average what Figure 2 shows under each rule for tied candidates.

    Parameters
    ----------
    study : Study
        A study of R12.

    Returns
    -------
    DataFrame
        The columns of `build_figure2_table` with ``ties``, the rule; the first is that of the study.
    """
    choices = study.settings.get("multiverse", {}).get("choices", {})
    tables = []
    for rule in choices.get("ties", [DEFAULT_TIES]):
        chosen = _select_toy_fits(study.fits, study.settings["toy"]["relevant"], rule)
        tables.append(_average_retrieval(chosen, study).assign(ties=rule))
    return pd.concat(tables, ignore_index=True)


def _average_retrieval(chosen: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Average the selected fits of Figure 2 over the trials, a row a number of noise features and method."""
    settings = study.settings["toy"]
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
