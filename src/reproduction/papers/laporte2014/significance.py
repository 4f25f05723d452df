"""Which method of L14 is worse than the best: the paper's test, and other tests beside it.

The paper says "paired one-sided Student test at 5 %" and not on what. Declared: on the means of the five
folds, as Tables V and VI show it. The variant on the queries of all test parts stands beside it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.labels import method_sort_key
from reproduction.statistics.paired_tests import adjust_holm, paired_t_p, sign_flip_p, wilcoxon_p

METHODS = ("fenchelrank", "l1_ranksvm", "fsmrank", "mcp_ranksvm", "log_ranksvm", "lp_ranksvm")
"""The six methods of the paper, in the order of its Table IV; any other one is beyond the paper."""

METRICS = {"map": "average_precision", "ndcg10": "ndcg10", "ndcg10_standard": "ndcg10_standard"}
"""Column of the fits (a mean over queries) -> column of the queries."""

#: Tables V and VI: "statistically significant under the 5% threshold".
LEVEL = 0.05
RELATION_BEST, RELATION_WORSE, RELATION_EQUIVALENT, RELATION_BETTER = "best", "worse", "~", "better"

TESTS_FORMAT = TypedCsv.parse(
    "study* dataset* feature_scaling* metric* method* method_group* best* data_status* splits_used "
    "n_queries mean "
    "best_mean difference decrease_percent relation* t_p relation_by_folds* t_p_by_folds wilcoxon_p "
    "wilcoxon_holm permutation_p"
)
"""Every method against the best of the paper's six by the mean over the folds. `t_p`: paired one-sided
Student test that the method is worse, on the queries (`t_p_by_folds`: on the means of the folds);
`wilcoxon_p`: two-sided signed-rank test on the queries; `wilcoxon_holm`: the same, corrected by Holm's
procedure over the methods of a block; `permutation_p`: two-sided sign-flip test of the mean difference over
the queries."""


def classify_method(method: str) -> str:
    """Return whether a method is one of the paper's six ("paper") or beyond it ("beyond").

    Parameters
    ----------
    method : str
        Name of the method in the configuration.

    Returns
    -------
    {"paper", "beyond"}
        Group of the method.
    """
    return "paper" if method in METHODS else "beyond"


def select_best_method(chosen: pd.DataFrame, metric: str) -> str | None:
    """Select the best of the paper's methods by the mean over the folds.

    A method that lacks a fold that another one has cannot be the best.

    Parameters
    ----------
    chosen : DataFrame
        Chosen fits of one data set.
    metric : str
        Column of the metric.

    Returns
    -------
    str or None
        Name of the method; None where no method has a number.
    """
    by_method = chosen[chosen["method"].isin(METHODS)].groupby("method")[metric]
    folds, means = by_method.count(), by_method.mean()
    # A method that lacks a fold has a mean over other queries, which cannot be the best.
    complete_means = means[(folds == folds.max()) & (folds > 0)]
    # equal means: the first in the order of the methods
    return min(
        complete_means.index,
        key=lambda method: (-complete_means[method], method_sort_key(method)),
        default=None,
    )


def build_tests_table(fits: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
    """Test every method but the best one against it, on each data set and by each metric.

    Parameters
    ----------
    fits : DataFrame
        Fits of a study.
    queries : DataFrame
        Metrics of each query of the test parts, a column a metric.

    Returns
    -------
    DataFrame
        The columns of `TESTS_FORMAT`, a row a data set, metric and method.
    """
    chosen = fits[(fits["role"] == "chosen") & fits["map"].notna()]
    rows = []
    for (dataset, scaling), block in chosen.groupby(["dataset", "feature_scaling"], sort=True):
        dataset_queries = queries[(queries["dataset"] == dataset) & (queries["feature_scaling"] == scaling)]
        for metric, column in METRICS.items():
            best = select_best_method(block, metric)
            if best is None:
                continue
            query_values = dataset_queries.pivot(index=["split", "qid"], columns="method", values=column)
            fold_means = block.pivot(index="split", columns="method", values=metric)
            identity = {"study": block["study"].iloc[0], "dataset": dataset, "feature_scaling": scaling}
            identity |= {"metric": metric, "best": best, "data_status": "obtained"}
            # Methods beyond the paper are tested against the same best, but never are it.
            rivals = sorted(set(fold_means) - {best}, key=method_sort_key)
            rows += [identity | _test_pair(query_values, fold_means, method, best) for method in rivals]
    table = TESTS_FORMAT.to_frame(rows)
    wilcoxon_p_values = table.groupby(["dataset", "feature_scaling", "metric", "method_group"])["wilcoxon_p"]
    # Holm's correction over the methods of one group, data set and metric
    return table.assign(wilcoxon_holm=wilcoxon_p_values.transform(adjust_holm))


def _test_pair(query_values: pd.DataFrame, fold_means: pd.DataFrame, method: str, best: str) -> dict:
    """Test one method against the best one, on the queries and folds that both have.

    Parameters
    ----------
    query_values : DataFrame
        A row a query, a column a method.
    fold_means : DataFrame
        A row a fold, a column a method.
    method, best : str
        Columns to compare.

    Returns
    -------
    dict
        Columns of `TESTS_FORMAT`.
    """
    # A paired test needs both methods on the same query or fold.
    pairs, fold_pairs = query_values[[method, best]].dropna(), fold_means[[method, best]].dropna()
    mean, best_mean = fold_pairs[method].mean(), fold_pairs[best].mean()
    ours, theirs = pairs[method], pairs[best]
    row = {
        "method": method,
        "method_group": classify_method(method),
        "splits_used": len(fold_pairs),
        "n_queries": len(pairs),
    }
    row |= {"mean": mean, "best_mean": best_mean, "difference": mean - best_mean}
    # As Tables V and VI print it: in per cent of the best method's mean.
    row["decrease_percent"] = 100 * (best_mean - mean) / best_mean if best_mean > 0 else np.nan
    for suffix, samples in (("", (ours, theirs)), ("_by_folds", (fold_pairs[method], fold_pairs[best]))):
        row |= {f"t_p{suffix}": paired_t_p(*samples), f"relation{suffix}": _classify_relation(*samples)}
    return row | {"wilcoxon_p": wilcoxon_p(ours, theirs), "permutation_p": sign_flip_p(ours, theirs)}


def _classify_relation(ours: pd.Series, theirs: pd.Series) -> str:
    """Classify one method as worse or better than another by the paper's test, or as equivalent ("~").

    "none" where there are fewer than two pairs.
    """
    p_value = paired_t_p(ours, theirs)
    if np.isnan(p_value):
        return "none"
    if p_value < LEVEL:
        return RELATION_WORSE
    # Both directions are tested: a method beyond the paper may exceed the paper's best.
    return RELATION_BETTER if paired_t_p(theirs, ours) < LEVEL else RELATION_EQUIVALENT
