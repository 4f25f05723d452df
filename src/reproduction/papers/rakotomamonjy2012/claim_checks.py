"""Judges of R12's claims: top of the list, variables; see also `toy.claim_checks` and `times.claim_checks`.

A judge returns the facts that the template of a claim shows, with ``holds``: True, False, or None where the
data do not decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from reproduction.comparison.dataset_outcomes import (
    all_hold,
    cache_by_rows,
    evaluate_by_dataset,
    sort_datasets,
)
from reproduction.papers.rakotomamonjy2012.dual import find_multiplier_range
from reproduction.papers.rakotomamonjy2012.table1 import LEVEL, compare_with_best
from reproduction.papers.rakotomamonjy2012.toy.names import toy_size
from reproduction.specs.labels import method_label
from reproduction.statistics.paired_tests import adjust_holm, wilcoxon_p

L1_PUSH, L2_PUSH, RANKSVM = "l1_infinite_push", "l2_infinite_push", "l1_ranksvm"
NOISE_FEATURES = (20, 100)
"""Noise features of Figure 1, as published."""

BCI, BCI_SUBSTITUTE = "bci", "p300"
"""The P300 data of Table 1, and the public data of the same kind that stand for them."""

MIN_FACTOR_ALL_VARIABLES, MIN_FACTOR_RANKSVM = 19.5, 7.5
"""What rounds to the factors of the text, 20 and 8."""


def _select_toy_rows(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of Figure 1, with the training rows and the noise features of each."""
    places, names = pd.factorize(outcomes["dataset"])
    sizes = np.array([toy_size(name) or (0, 0) for name in names], dtype=int).reshape(-1, 2)
    rows, noise = sizes[places].T
    is_measured = np.isin(noise, NOISE_FEATURES) & outcomes["rate_at_top"].notna().to_numpy()
    return outcomes[is_measured].assign(rows=rows[is_measured], noise=noise[is_measured])


def judge_better_on_toy(outcomes: pd.DataFrame, rivals: tuple[str, ...]) -> dict | None:
    """Count the sizes of the toy problem on which the sparse push is significantly better than each rival.

    Parameters
    ----------
    outcomes : DataFrame
        Outcomes of one specification, a row a fit.
    rivals : tuple of str
        Methods.

    Returns
    -------
    dict or None
        Facts of the claim's template, with ``holds``; None where numbers are missing.
    """
    sizes = _select_toy_rows(outcomes).groupby("dataset")
    differences = [
        _significant_differences(block[["split", "method", "rate_at_top"]], rivals) for _, block in sizes
    ]
    differences = pd.DataFrame(differences, columns=list(rivals))
    signs = {"of": differences.notna(), "better": differences > 0, "worse": differences < 0}
    counts = pd.DataFrame({name: is_so.sum() for name, is_so in signs.items()})
    if not counts["of"].all():
        return None
    n_compared, n_better = counts["of"].sum(), counts["better"].sum()
    rival_counts = counts.assign(method=counts.index.map(method_label)).to_dict("records")
    # Section 4.1: "significantly outperforms other competitors, in most cases".
    return {"holds": n_better > n_compared / 2, "better": n_better, "of": n_compared, "rivals": rival_counts}


@cache_by_rows
def _significant_differences(block: pd.DataFrame, rivals: tuple[str, ...]) -> dict[str, float]:
    """Return how much better the sparse push is at the top than each rival; 0 where it is not significant."""
    rates = block.pivot_table(index="split", columns="method", values="rate_at_top")
    return {
        # The same 20 trials for all methods: a paired test, the one of the paper.
        rival: (rates[L1_PUSH] - rates[rival]).mean() * (wilcoxon_p(rates[L1_PUSH], rates[rival]) < LEVEL)
        for rival in rivals
        if {L1_PUSH, rival} <= set(rates)
    }


def judge_growth(outcomes: pd.DataFrame, *, must_fall: bool = False) -> dict | None:
    """Find where more training rows raise or lower the rate at the top significantly, for both methods.

    Parameters
    ----------
    outcomes : DataFrame
        Outcomes of one specification, a row a fit.
    must_fall : bool
        Whether the claim is that more rows lower it.

    Returns
    -------
    dict or None
        Facts of the claim's template, with ``holds``; None where numbers are missing.
    """
    toy = _select_toy_rows(outcomes)
    counts = {}
    for method in (L1_PUSH, RANKSVM):
        falls_of_method, n_pairs = [], 0
        for noise, block in toy[toy["method"] == method].groupby("noise"):
            fallen, pairs = _find_falls(block[["rows", "rate_at_top"]])
            n_pairs += pairs
            falls_of_method += [{"noise": noise} | fall for fall in fallen]
        if not n_pairs:
            return None
        rises = [
            {"noise": noise} | _test_rise(block[["rows", "rate_at_top"]])
            for noise, block in toy[toy["method"] == method].groupby("noise")
        ]
        counts[method] = {"falls": falls_of_method, "of": n_pairs, "rises": rises}
    rank, push = counts[RANKSVM], counts[L1_PUSH]
    if must_fall:
        holds = bool(rank["falls"]) and not push["falls"]
    else:  # it need not improve: not for some number of noise features for which the push does
        p_values = [{rise["noise"]: rise["p"] for rise in method["rises"]} for method in (rank, push)]
        holds = any(p >= LEVEL and p_values[1].get(noise, 1.0) < LEVEL for noise, p in p_values[0].items())
    return {"holds": holds, "rank": rank, "push": push}


@cache_by_rows
def _test_rise(block: pd.DataFrame) -> dict:
    """Test whether the rate at the top is higher with most rows than with about a quarter of them."""
    # a quarter, as from 100 to 400 rows: neighbouring sizes differ by less than their trials spread
    largest = block["rows"].max()
    quarter = block.loc[(block["rows"] - largest / 4).abs().idxmin(), "rows"]
    rates = [block.loc[block["rows"] == rows, "rate_at_top"] for rows in (largest, quarter)]
    test = ttest_ind(*rates, equal_var=False, alternative="greater")
    # equal rates of all trials are no rise
    p_value = 1.0 if math.isnan(test.pvalue) else float(test.pvalue)
    return {"few": int(quarter), "most": int(largest), "p": p_value}


@cache_by_rows
def _find_falls(block: pd.DataFrame) -> tuple[list[dict], int]:
    """Find the pairs of sizes of which the larger has a significantly lower rate, and count all pairs."""
    rates = {rows: trials["rate_at_top"] for rows, trials in block.groupby("rows") if len(trials) > 1}
    pairs = list(combinations(sorted(rates), 2))
    # trials of two sizes are independent draws: Welch's test, corrected for multiple tests
    tests = [ttest_ind(rates[n], rates[m], equal_var=False, alternative="less") for m, n in pairs]
    p_values = adjust_holm([test.pvalue for test in tests])
    fallen = [
        {"few": m, "many": n, "before": rates[m].mean(), "after": rates[n].mean()}
        for (m, n), p in zip(pairs, p_values, strict=True)
        if p < LEVEL
    ]
    return fallen, len(pairs)


def _read_feature_counts(published: pd.DataFrame) -> pd.Series:
    """Return the published number of features of each data set."""
    return published[published["quantity"] == "features_count"].set_index("dataset")["number"]


@cache_by_rows
def is_equivalent(rows: pd.DataFrame) -> bool | None:
    """Return whether no method is significantly worse at the top than the best one; None where one lacks.

    Parameters
    ----------
    rows : DataFrame
        Fits of one data set.

    Returns
    -------
    bool or None
    """
    p_values = compare_with_best(rows)
    return min(p_values.values()) >= LEVEL if {L1_PUSH, L2_PUSH, RANKSVM} <= set(p_values) else None


@cache_by_rows
def is_sparser(rows: pd.DataFrame) -> bool | None:
    """Return whether the sparse push uses significantly fewer variables than RankSVM.

    Parameters
    ----------
    rows : DataFrame
        Fits of one data set.

    Returns
    -------
    bool or None
        None where one of the two is missing.
    """
    wide = rows.pivot_table(index="split", columns="method", values="variables")
    if not {L1_PUSH, RANKSVM} <= set(wide):
        return None
    fewer = wide[L1_PUSH].mean() < wide[RANKSVM].mean()
    return bool(fewer and wilcoxon_p(wide[L1_PUSH], wide[RANKSVM]) < LEVEL)


def judge_bold_count(outcomes: pd.DataFrame, published: pd.DataFrame, reading: str = "fewer") -> dict | None:
    """Judge what the one bold number of Table 1, the variables of the sparse push on BCI, may mean.

    Parameters
    ----------
    outcomes : DataFrame
        Outcomes of one specification.
    published : DataFrame
        Published values.
    reading : {"fewer", "lower", "only"}
        Whether they are significantly fewer than RankSVM's, only fewer in the mean, or significantly fewer on
        this data set alone.

    Returns
    -------
    dict or None
        Facts; ``holds`` is None without BCI, for which its substitute does not decide. None where neither
        was measured.
    """
    datasets = (*_read_feature_counts(published).index, BCI_SUBSTITUTE)
    is_measured = outcomes["rate_at_top"].notna() & outcomes["dataset"].isin(datasets)
    measured = outcomes.loc[is_measured, ["dataset", "split", "method", "variables"]]
    sparser_sets, means = _compare_counts(measured, datasets)
    # the paper's own data first, the substitute only where they are missing
    dataset = next((name for name in (BCI, BCI_SUBSTITUTE) if name in means.index), None)
    if dataset is None:
        return None
    ours, theirs = means.loc[dataset]
    other_sets = [name for name in sparser_sets if name not in (BCI, BCI_SUBSTITUTE)]
    # a substitute cannot tell what holds on BCI, only whether other sets have the property too
    is_fewer = None if dataset != BCI else ours < theirs if reading == "lower" else BCI in sparser_sets
    holds = all_hold([is_fewer, not other_sets]) if reading == "only" else is_fewer
    facts = {"holds": holds, "dataset": dataset, "is_substitute": dataset != BCI, "other_sets": other_sets}
    return facts | {"ours": ours, "theirs": theirs}


@cache_by_rows
def _compare_counts(
    measured: pd.DataFrame, datasets: tuple[str, ...]
) -> tuple[tuple[str, ...], pd.DataFrame]:
    """Return the sets on which the sparse push has significantly fewer variables, and both mean counts."""
    means = measured.groupby(["dataset", "method"])["variables"].mean().unstack()
    sets = evaluate_by_dataset(measured, datasets, is_sparser)
    return sets.yes, means.reindex(columns=[L1_PUSH, RANKSVM]).dropna()


def make_dataset_judge(
    condition: Callable[[pd.DataFrame], bool | None], metric: str, quantifier: str
) -> Callable[[pd.DataFrame, pd.DataFrame], dict]:
    """Make the judge of a claim that a condition holds on the published data sets.

    Parameters
    ----------
    condition : callable
        Rows of one data set -> whether it holds; None where they do not tell.
    metric : str
        Column that the condition reads beside dataset, split and method.
    quantifier : str
        Property of `DatasetOutcomes`, as ``holds_on_all``.

    Returns
    -------
    callable
        Outcomes of one specification and published values -> facts.
    """

    def judge(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict:
        """Judge the claim on all data sets."""
        measured = outcomes.loc[outcomes["rate_at_top"].notna(), ["dataset", "split", "method", metric]]
        sets = evaluate_by_dataset(measured, _read_feature_counts(published).index, condition)
        return {"sets": sets, "holds": getattr(sets, quantifier)}

    return judge


def judge_reduction(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict | None:
    """Find the largest reductions of the number of variables, from all and from RankSVM's.

    Parameters
    ----------
    outcomes : DataFrame
        Outcomes of one specification, a row a fit.
    published : DataFrame
        Published values.

    Returns
    -------
    dict or None
        Facts of the claim's template, with ``holds``; None where numbers are missing.
    """
    features = _read_feature_counts(published)
    measured = outcomes[outcomes["variables"].notna() & outcomes["dataset"].isin(features.index)]
    means = measured.groupby(["dataset", "method"])["variables"].mean().unstack()
    means = means.reindex(columns=[L1_PUSH, RANKSVM]).dropna()
    # Section 4.2: "A reduction of a factor 20 or 8 can respectively be achieved", from all variables and from
    # RankSVM's.
    factors = features.reindex(means.index) / means[L1_PUSH], means[RANKSVM] / means[L1_PUSH]
    holds_on_any = [
        sort_datasets(features.index, (factor >= min_factor).to_dict()).holds_on_any
        for factor, min_factor in zip(factors, (MIN_FACTOR_ALL_VARIABLES, MIN_FACTOR_RANKSVM), strict=True)
    ]
    largest = [
        {"dataset": factor.idxmax(), "factor": factor.max()} if len(factor) else None for factor in factors
    ]
    if not any(largest):
        return None
    missing = [name for name in features.index if name not in means.index]
    return {"holds": all_hold(holds_on_any), "largest": largest, "missing": missing, "of": len(features)}


def judge_dual_uniqueness() -> Mapping:
    """Show that the dual may have many solutions where the primal has one.

    Returns
    -------
    Mapping
    """
    multiplier_range = find_multiplier_range()
    # far more than the tolerance of the conic solver and of the linear programs
    return multiplier_range | {"holds": multiplier_range["most"] - multiplier_range["least"] > 1e-3}
