"""Judges of L14's claims on sparsity ratios: which methods use fewer features, and by what factor.

A judge takes the rows of one specification, one a data set, method and fold. It returns the facts that the
template of a claim shows, with ``holds``: True, False, or None where the data do not decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from reproduction.comparison.dataset_outcomes import evaluate_by_dataset
from reproduction.papers.laporte2014.claim_checks import METRICS, compare_with_best, list_table4_datasets
from reproduction.papers.laporte2014.significance import LEVEL, METHODS
from reproduction.specs.labels import method_label

CONVEX_METHODS = ("fenchelrank", "l1_ranksvm", "fsmrank")
SPARSEST_METHODS = ("log_ranksvm", "lp_ranksvm")
NONCONVEX_METHODS = ("mcp_ranksvm", *SPARSEST_METHODS)

RATIO_RANGE_OF_HALF = (0.4, 0.6)
"""What counts as half (declared: within a fifth)."""

SIXFOLD_MIN_FACTOR, TWELVEFOLD_MIN_FACTOR = 5.5, 11.5
"""What rounds to the factors of the text."""


def _average_ratios(rows: pd.DataFrame) -> pd.Series | None:
    """Average the sparsity ratio of each method on one data set; None where a method has none."""
    means = rows.groupby("method")["sparsity_ratio"].mean().reindex(METHODS)
    # The claims compare the paper's six methods, so all of them are needed.
    return None if means.isna().any() else means


def judge_half_as_many(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict:
    """Compare the mean ratio of the two sparsest penalties with the mean of the convex methods.

    Parameters
    ----------
    outcomes : DataFrame
        Rows of one specification.
    published : DataFrame
        Published values, which name the data sets.

    Returns
    -------
    dict
        ``holds``, ``share`` (the one mean over the other), its bounds ``low`` and ``high``, ``missing`` data
        sets, and their number ``of``.
    """
    datasets = list_table4_datasets(published)
    means = outcomes.groupby(["dataset", "method"])["sparsity_ratio"].mean().unstack()
    means = means.reindex(index=datasets, columns=METHODS).dropna()
    missing = [name for name in datasets if name not in means.index]
    facts = {
        "missing": missing,
        "of": len(datasets),
        "low": RATIO_RANGE_OF_HALF[0],
        "high": RATIO_RANGE_OF_HALF[1],
        "share": None,
    }
    if means.empty:
        return facts | {"holds": None}
    # Section VI-C: "selected half as many features in average on the datasets".
    share = means[list(SPARSEST_METHODS)].to_numpy().mean() / means[list(CONVEX_METHODS)].to_numpy().mean()
    # a mean over nine sets is not known from some of them
    return facts | {
        "share": share,
        "holds": None if missing else bool(RATIO_RANGE_OF_HALF[0] <= share <= RATIO_RANGE_OF_HALF[1]),
    }


def judge_sparsest(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict:
    """Find the data sets on which the log or the ℓp penalty has the smallest sparsity ratio.

    Parameters
    ----------
    outcomes : DataFrame
        Rows of one specification.
    published : DataFrame
        Published values, which name the data sets.

    Returns
    -------
    dict
        ``sets`` and ``holds``: whether they are more than half.
    """

    def is_sparsest(rows: pd.DataFrame) -> bool | None:
        """Return whether one of the two is the sparsest on one data set."""
        means = _average_ratios(rows)
        return None if means is None else means.idxmin() in SPARSEST_METHODS

    sets = evaluate_by_dataset(outcomes, list_table4_datasets(published), is_sparsest)
    return {"sets": sets, "holds": sets.holds_on_most}


def make_largest_ratio_judge(method: str, *rivals: str) -> Callable[[pd.DataFrame, pd.DataFrame], dict]:
    """Make the judge of a claim that a method has a higher sparsity ratio than its rivals on most data sets.

    Parameters
    ----------
    method : str
        What the claim is about.
    *rivals : str
        Methods that select fewer features.

    Returns
    -------
    callable
        Outcomes of one specification and published values -> facts.
    """

    def has_largest_ratio(rows: pd.DataFrame) -> bool | None:
        """Return whether the method has the largest mean ratio on one data set."""
        means = _average_ratios(rows)
        return None if means is None else bool(means[method] > means[list(rivals)].max())

    def judge(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict:
        """Judge the claim on the nine data sets."""
        sets = evaluate_by_dataset(outcomes, list_table4_datasets(published), has_largest_ratio)
        return {"sets": sets, "holds": sets.holds_on_most}

    return judge


def judge_convex_least_sparse(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict:
    """Check whether each convex method has a higher ratio than each nonconvex one on most data sets.

    Parameters
    ----------
    outcomes, published : DataFrame
        As in `judge_half_as_many`.

    Returns
    -------
    dict
        ``sets`` and ``holds``.
    """

    def is_each_higher(rows: pd.DataFrame) -> bool | None:
        """Return whether the smallest convex ratio is above the largest nonconvex one."""
        means = _average_ratios(rows)
        if means is None:
            return None
        return bool(means[list(CONVEX_METHODS)].min() > means[list(NONCONVEX_METHODS)].max())

    sets = evaluate_by_dataset(outcomes, list_table4_datasets(published), is_each_higher)
    return {"sets": sets, "holds": sets.holds_on_most}


def judge_fewer_features(
    outcomes: pd.DataFrame, datasets: Iterable[str], min_factor: float, *, must_be_equivalent: bool
) -> dict:
    """Find where a nonconvex penalty uses so many times fewer features than some convex method.

    Parameters
    ----------
    outcomes : DataFrame
        Rows of one specification.
    datasets : iterable of str
        Data sets that the claim is about.
    min_factor : float
        Least factor that confirms the claim.
    must_be_equivalent : bool
        Whether the penalty must not be significantly worse than the best method, in MAP and in NDCG@10.

    Returns
    -------
    dict
        ``sets`` (by whether the factor is reached), ``holds``, and ``most``: method, data set and factor of
        the largest one.
    """
    largest: list[dict] = []

    def is_fewer(rows: pd.DataFrame) -> bool | None:
        """Return whether the least factor is reached on one data set; None if a number lacks."""
        means, tests = _average_ratios(rows), [compare_with_best(rows, metric) for metric in METRICS]
        if means is None or (must_be_equivalent and None in tests):
            return None
        # Where the claim asks for equivalence, only penalties that are not significantly worse count.
        as_good = [
            m
            for m in SPARSEST_METHODS
            if not (must_be_equivalent and any(test[m]["p"] < LEVEL for test in tests))
        ]
        # a model without features has no factor
        factors = means[list(CONVEX_METHODS)].max() / means[as_good][means[as_good] > 0]
        identity = {"dataset": rows["dataset"].iloc[0]}
        largest.extend(
            identity | {"method": method_label(m), "factor": factor} for m, factor in factors.items()
        )
        return bool((factors >= min_factor).any())

    sets = evaluate_by_dataset(outcomes, datasets, is_fewer)
    # The clearest case, for the sentence with the finding.
    largest_case = max(largest, key=lambda case: case["factor"], default=None)
    return {"sets": sets, "holds": sets.holds_on_any, "most": largest_case}
