"""Which method of L14 is worse than the best: the paper's test, and other tests beside it.

The paper says "paired one-sided Student test at 5 %" and not on what. Declared: on the means of the five
folds, as Tables V and VI show it; the variant on the queries of all test parts stands beside it.
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

LEVEL = 0.05
BEST, WORSE, SAME, BETTER = "best", "worse", "~", "better"

TESTS = TypedCsv.parse(
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


def method_group(method: str) -> str:
    """Say whether a method is one of the paper's six ("paper") or beyond it ("beyond")."""
    return "paper" if method in METHODS else "beyond"


def best_method(chosen: pd.DataFrame, metric: str) -> str | None:
    """Find the best of the paper's methods by the mean over the folds.

    `chosen`: the chosen fits of one data set. `metric`: column. Returns: a method that lacks a fold that
    another one has cannot be the best. None where no method has a number.
    """
    by_method = chosen[chosen["method"].isin(METHODS)].groupby("method")[metric]
    folds, means = by_method.count(), by_method.mean()
    whole = means[(folds == folds.max()) & (folds > 0)]
    return min(whole.index, key=lambda method: (-whole[method], method_sort_key(method)), default=None)


def against_best(fits: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
    """Test every method but the best one against it, on each data set and by each metric."""
    chosen = fits[(fits["role"] == "chosen") & fits["map"].notna()]
    rows = []
    for (dataset, scaling), block in chosen.groupby(["dataset", "feature_scaling"], sort=True):
        of_set = queries[(queries["dataset"] == dataset) & (queries["feature_scaling"] == scaling)]
        for metric, column in METRICS.items():
            best = best_method(block, metric)
            if best is None:
                continue
            values = of_set.pivot(index=["split", "qid"], columns="method", values=column)
            folds = block.pivot(index="split", columns="method", values=metric)
            named = {"study": block["study"].iloc[0], "dataset": dataset, "feature_scaling": scaling}
            named |= {"metric": metric, "best": best, "data_status": "obtained"}
            rivals = sorted(set(folds) - {best}, key=method_sort_key)
            rows += [named | against(values, folds, method, best) for method in rivals]
    table = TESTS.to_frame(rows)
    of_group = table.groupby(["dataset", "feature_scaling", "metric", "method_group"])["wilcoxon_p"]
    return table.assign(wilcoxon_holm=of_group.transform(adjust_holm))


def against(values: pd.DataFrame, folds: pd.DataFrame, method: str, best: str) -> dict:
    """Test one method against the best one, on the queries and folds that both have.

    `values`: a row a query, a column a method. `folds`: a row a fold, a column a method. Returns: columns of
    `TESTS`.
    """
    both, means = values[[method, best]].dropna(), folds[[method, best]].dropna()
    mean, best_mean = means[method].mean(), means[best].mean()
    ours, theirs = both[method], both[best]
    found = {
        "method": method,
        "method_group": method_group(method),
        "splits_used": len(means),
        "n_queries": len(both),
    }
    found |= {"mean": mean, "best_mean": best_mean, "difference": mean - best_mean}
    found["decrease_percent"] = 100 * (best_mean - mean) / best_mean if best_mean > 0 else np.nan
    for end, pair in (("", (ours, theirs)), ("_by_folds", (means[method], means[best]))):
        found |= {f"t_p{end}": paired_t_p(*pair), f"relation{end}": relation(*pair)}
    return found | {"wilcoxon_p": wilcoxon_p(ours, theirs), "permutation_p": sign_flip_p(ours, theirs)}


def relation(ours: pd.Series, theirs: pd.Series) -> str:
    """Say by the paper's test whether ours is worse or better than theirs, or "~".

    "none" where there are fewer than two pairs.
    """
    p_value = paired_t_p(ours, theirs)
    if np.isnan(p_value):
        return "none"
    if p_value < LEVEL:
        return WORSE
    return BETTER if paired_t_p(theirs, ours) < LEVEL else SAME
