"""Judges of L14's claims on MAP and NDCG@10; those on sparsity ratios are in ``sparsity_checks``.

A judge takes the rows of one specification, one a data set, method and fold. It returns the facts that the
template of a claim shows, with ``holds``: True, False, or None where the data do not decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from reproduction.comparison.dataset_outcomes import (
    DatasetOutcomes,
    all_hold,
    cache_by_rows,
    evaluate_by_dataset,
    sort_datasets,
)
from reproduction.core.results import MEAN_DATASET
from reproduction.papers.laporte2014.inputs import published_tables
from reproduction.papers.laporte2014.significance import LEVEL, METHODS
from reproduction.specs.labels import method_label
from reproduction.specs.metrics import LETOR_TEST_TO_TRAIN
from reproduction.statistics.paired_tests import corrected_t

METRICS = ("map", "ndcg10")
METRIC_NAMES = {"map": "MAP", "ndcg10": "NDCG@10"}
RIVALS = ("fenchelrank", "fsmrank")
OWN_METHODS = tuple(method for method in METHODS if method not in RIVALS)
"""The algorithms of others in Tables V and VI, and those of the paper's framework."""

MAP_EQUIVALENT_DATASETS = ("ohsumed", "mq2008", "np2004", "td2003")
NDCG_EQUIVALENT_DATASETS = ("ohsumed", "mq2008", "np2004", "td2004", "hp2003", "np2003", "td2003")
"""Data sets on which the text finds all methods equivalent."""


def compare_with_best(
    rows: pd.DataFrame, metric: str, best_method: str | None = None
) -> dict[str, dict] | None:
    """Test each method of one data set against the best, by the corrected resampled t test on the folds.

    Parameters
    ----------
    rows : DataFrame
        Rows of one data set, with the columns split, method and `metric`.
    metric : str
        Column of the metric, in `METRICS`.
    best_method : str, optional
        Method that counts as the best; by default the one with the highest mean.

    Returns
    -------
    dict of dict or None
        Method -> ``p`` (one-sided, that it is worse; 1 for the best) and ``decrease`` in per cent. None where
        a method of the paper has fewer than two folds.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error.
    """
    return _test_against_best(rows[["split", "method", metric]], metric, best_method)


@cache_by_rows
def _test_against_best(rows: pd.DataFrame, metric: str, best_method: str | None) -> dict[str, dict] | None:
    """Test each method of one data set against the best; many specifications have the same rows."""
    wide = _pivot_folds(rows, metric)
    if wide is None:
        return None
    best = wide[best_method or wide.mean().idxmax()]
    comparisons = {}
    for method in METHODS:
        # Training parts of LETOR's folds share one or two of their three parts: Nadeau and Bengio's variance.
        test = corrected_t(wide[method], best, LETOR_TEST_TO_TRAIN)
        # the test is two-sided: half of its p-value is one-sided
        p = test.p_value / 2 if test.mean < 0 else 1.0
        comparisons[method] = {"p": p, "decrease": -100 * test.mean / best.mean()}
    return comparisons


def _pivot_folds(rows: pd.DataFrame, metric: str) -> pd.DataFrame | None:
    """Pivot a metric, a row a fold that all methods have; None where these are fewer than two."""
    wide = rows.pivot_table(index="split", columns="method", values=metric)
    folds = wide.reindex(columns=list(METHODS)).dropna()
    return folds if len(folds) >= 2 else None


def list_table4_datasets(published: pd.DataFrame) -> list[str]:
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
        sets = _find_equivalent_datasets(
            outcomes, datasets or list_table4_datasets(published), metric, methods
        )
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
        datasets = list_table4_datasets(published)
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


def judge_increases(
    outcomes: pd.DataFrame,
    published: pd.DataFrame,
    is_better_rival: bool = True,
    test_to_train: float = LETOR_TEST_TO_TRAIN,
) -> dict | None:
    """Judge whether the paper's own methods are higher than both rivals somewhere, but never significantly.

    Parameters
    ----------
    outcomes : DataFrame
        Outcomes of one specification.
    published : DataFrame
        Published values, which name the nine data sets.
    is_better_rival : bool
        Whether they are tested against the better of FenchelRank and FSMRank; else against the worse one.
    test_to_train : float
        Share of the correction of Nadeau and Bengio; 0: none, as in Student's test.

    Returns
    -------
    dict or None
        Facts; None where nothing was measured.
    """
    increases = []

    def is_insignificant(rows: pd.DataFrame) -> bool | None:
        """Return whether neither metric of one data set has a significant increase."""
        tests = _test_increase(rows[["split", "method", *METRICS]], is_better_rival, test_to_train)
        if tests is None:
            return None
        dataset = rows["dataset"].iloc[0]
        increases.extend({"dataset": dataset, **test} for test in tests if test["difference"] > 0)
        return all(test["difference"] <= 0 or test["p"] >= LEVEL for test in tests)

    sets = evaluate_by_dataset(outcomes, list_table4_datasets(published), is_insignificant)
    if not (sets.yes or sets.no):
        return None
    # "can lead to higher values" needs one; the sets that were not measured may have it
    has_increase = True if increases else None if sets.missing else False
    return {"holds": all_hold([sets.holds_on_all, has_increase]), "sets": sets, "increases": increases}


@cache_by_rows
def _test_increase(rows: pd.DataFrame, is_better_rival: bool, test_to_train: float) -> list[dict] | None:
    """Test the best own method of one data set against a rival, by each metric; None where folds lack."""
    tests = []
    for metric in METRICS:
        wide = _pivot_folds(rows, metric)
        if wide is None:
            return None
        means = wide.mean()
        ours, theirs = means[list(OWN_METHODS)].idxmax(), means[list(RIVALS)].idxmax()
        if not is_better_rival:
            theirs = means[list(RIVALS)].idxmin()
        test = corrected_t(wide[ours], wide[theirs], test_to_train)
        # two-sided: half of the p-value is one-sided
        row = {"metric": METRIC_NAMES[metric], "method": method_label(ours), "rival": method_label(theirs)}
        tests.append(row | {"difference": test.mean, "p": test.p_value / 2})
    return tests


@cache_by_rows
def _list_equivalent_cells(published: pd.DataFrame) -> list[tuple[str, str, str, str]]:
    """List the cells “∼” of Tables V and VI: metric, data set, method, and the method printed as the best."""
    cells = []
    for metric, name in zip(METRICS, ("table5", "table6"), strict=True):
        table = published_tables(published)[name].query("relation == '~'")
        cells += [(metric, *cell) for cell in table[["dataset", "method", "best_method"]].to_numpy()]
    return cells


def judge_equivalent_cells(
    outcomes: pd.DataFrame, published: pd.DataFrame, reading: str = "all"
) -> dict | None:
    """Judge the cells “∼” of Tables V and VI: methods that are not significantly worse than the best.

    Parameters
    ----------
    outcomes : DataFrame
        Outcomes of one specification.
    published : DataFrame
        Published values.
    reading : {"all", "most", "published"}
        Whether it holds in each cell; in more than half of them; or in each, against the published best
        method.

    Returns
    -------
    dict or None
        Facts; None where no cell was measured.
    """
    cells, answers = [], {}
    groups = dict(list(outcomes.groupby("dataset", sort=False)))
    for metric, dataset, method, best in _list_equivalent_cells(published):
        cells.append(f"{method_label(method)} on {dataset} ({METRIC_NAMES[metric]})")
        published_best = best if reading == "published" else None
        tests = compare_with_best(groups[dataset], metric, published_best) if dataset in groups else None
        if tests is not None:
            answers[cells[-1]] = tests[method]["p"] >= LEVEL
    sets = sort_datasets(cells, answers)
    measured = len(sets.yes) + len(sets.no)
    if not measured:
        return None
    holds = sets.holds_on_most if reading == "most" else sets.holds_on_all
    return {"holds": holds, "sets": sets, "measured": measured, "yes": len(sets.yes), "of": len(cells)}
