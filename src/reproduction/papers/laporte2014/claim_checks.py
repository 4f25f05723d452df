"""Judges of L14's claims on MAP and NDCG@10; those on sparsity ratios are in ``sparsity_checks``.

A judge takes the rows of one specification, one a data set, method and fold. It returns the facts that the
template of a claim shows, with ``holds``: True, False, or None where the data do not decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from reproduction.comparison.dataset_outcomes import DatasetOutcomes, all_hold, evaluate_by_dataset
from reproduction.core.results import MEAN_DATASET
from reproduction.papers.laporte2014.significance import LEVEL, METHODS
from reproduction.specs.labels import method_label
from reproduction.statistics.paired_tests import corrected_t

METRICS = ("map", "ndcg10")
TEST_TO_TRAIN = 1 / 3
"""Queries of the test part over queries of the training part of a fold of LETOR: 1 and 3 parts of 5."""

MAP_EQUIVALENT_DATASETS = ("ohsumed", "mq2008", "np2004", "td2003")
NDCG_EQUIVALENT_DATASETS = ("ohsumed", "mq2008", "np2004", "td2004", "hp2003", "np2003", "td2003")
"""Data sets on which the text finds all methods equivalent."""


def compare_with_best(rows: pd.DataFrame, metric: str) -> dict[str, dict] | None:
    """Test each method of one data set against the best, by the corrected resampled t test on the folds.

    Parameters
    ----------
    rows : DataFrame
        Rows of one data set, with the columns split, method and `metric`.
    metric : str
        Column of the metric, in `METRICS`.

    Returns
    -------
    dict of dict or None
        Method -> ``p`` (one-sided, that it is worse; 1 for the best) and ``decrease`` in per cent. None where
        a method of the paper has fewer than two folds.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error.
    """
    wide = rows.pivot_table(index="split", columns="method", values=metric)
    if not set(METHODS) <= set(wide) or wide[list(METHODS)].notna().sum().min() < 2:
        return None
    wide = wide[list(METHODS)]
    best = wide[wide.mean().idxmax()]
    comparisons = {}
    for method in METHODS:
        test = corrected_t(wide[method], best, TEST_TO_TRAIN)
        # the test is two-sided: half of its p-value is one-sided
        p = test.p_value / 2 if test.mean < 0 else 1.0
        comparisons[method] = {"p": p, "decrease": -100 * test.mean / best.mean()}
    return comparisons


def published_sets(published: pd.DataFrame) -> list[str]:
    """List the nine data sets of the paper's Table IV.

    Parameters
    ----------
    published : DataFrame
        Published values.

    Returns
    -------
    list of str
        In the order of the paper.
    """
    of_table = published.loc[published["artefact"] == "table4", "dataset"]
    return [name for name in dict.fromkeys(of_table) if name != MEAN_DATASET]


def _find_equivalent_datasets(
    outcomes: pd.DataFrame, datasets: Iterable[str], metric: str, methods: Iterable[str] = METHODS
) -> DatasetOutcomes:
    """Find the data sets on which none of some methods is significantly worse than the best one."""

    def is_none_worse(rows: pd.DataFrame) -> bool | None:
        """Return whether all methods are equivalent to the best on one data set."""
        tests = compare_with_best(rows, metric)
        return None if tests is None else all(tests[method]["p"] >= LEVEL for method in methods)

    return evaluate_by_dataset(outcomes, datasets, is_none_worse)


def make_equivalence_judge(
    datasets: Iterable[str] | None, metric: str, methods: Iterable[str] = METHODS
) -> Callable[..., dict]:
    """Make the judge of a claim that some methods equal the best on data sets.

    Parameters
    ----------
    datasets : iterable of str or None
        By default the nine of the paper.
    metric : str
        Column of the metric, in `METRICS`.
    methods : iterable of str
        Methods of which none may be significantly worse.

    Returns
    -------
    callable
        Outcomes of one specification and, for the default, published values -> facts.
    """

    def judge(outcomes: pd.DataFrame, published: pd.DataFrame | None = None) -> dict:
        """Judge the claim on all data sets."""
        sets = _find_equivalent_datasets(outcomes, datasets or published_sets(published), metric, methods)
        return {"sets": sets, "holds": sets.holds_on_all}

    return judge


def make_seven_datasets_judge(*methods: str) -> Callable[[pd.DataFrame, pd.DataFrame], dict]:
    """Make the judge of a claim that each of some methods is best or equivalent on seven data sets, in MAP.

    Parameters
    ----------
    *methods : str
        Methods that the claim names.

    Returns
    -------
    callable
        Outcomes of one specification and published values -> facts.
    """

    def judge(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict:
        """Count the data sets of each method."""
        datasets = published_sets(published)
        outcomes_by_method = [
            _find_equivalent_datasets(outcomes, datasets, "map", (method,)) for method in methods
        ]
        summaries = [
            {"method": method_label(method), "yes": len(sets.yes), "no": ", ".join(sets.no) or "no set"}
            for method, sets in zip(methods, outcomes_by_method, strict=True)
        ]
        holds = all_hold(sets.holds_on_at_least(7) for sets in outcomes_by_method)
        return {
            "holds": holds,
            "each": summaries,
            "missing": outcomes_by_method[0].missing,
            "of": len(datasets),
        }

    return judge


def make_decrease_judge(dataset: str, method: str) -> Callable[[pd.DataFrame], dict | None]:
    """Make the judge of a claim that a method loses significantly on a data set, in MAP and NDCG@10.

    Parameters
    ----------
    dataset, method : str
        What the claim is about.

    Returns
    -------
    callable
        Outcomes of one specification -> facts, or None where a number lacks.
    """

    def judge(outcomes: pd.DataFrame) -> dict | None:
        """Test the method on the data set by both metrics."""
        rows = outcomes[outcomes["dataset"] == dataset]
        tests = {metric: compare_with_best(rows, metric) for metric in METRICS}
        if None in tests.values():
            return None
        of_method = {metric: test[method] for metric, test in tests.items()}
        return {
            "holds": all(comparison["p"] < LEVEL for comparison in of_method.values()),
            "dataset": dataset,
            **of_method,
        }

    return judge


def make_best_method_judge(dataset: str, method: str) -> Callable[[pd.DataFrame], dict | None]:
    """Make the judge of a claim that a method has the highest MAP and NDCG@10 on a data set.

    Parameters
    ----------
    dataset, method : str
        What the claim is about.

    Returns
    -------
    callable
        Outcomes of one specification -> facts, or None where a method has no number.
    """

    def judge(outcomes: pd.DataFrame) -> dict | None:
        """Compare the means over the folds by both metrics."""
        rows = outcomes[outcomes["dataset"] == dataset]
        means = rows[rows["method"].isin(METHODS)].groupby("method")[list(METRICS)].mean().dropna()
        if set(means.index) != set(METHODS):
            return None
        best = means.idxmax()
        best_means = {m: {"best": method_label(best[m]), "value": means[m].max()} for m in METRICS}
        own_means = {f"own_{m}": means.loc[method, m] for m in METRICS}
        return {"holds": bool((best == method).all()), "dataset": dataset, **best_means, **own_means}

    return judge
