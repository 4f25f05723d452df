"""Every pair of methods of a study: wins, effect sizes with intervals, and tests beyond the papers' own.

Declared: the interval of a mean difference is by Nadeau and Bengio's variance where the pairs are random
splits of one data set or the folds of LETOR, whose training parts share rows; by the bootstrap over queries,
which are many; by Student's t over data sets.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from reproduction.reporting.method_comparison.method_ranks import (
    ALL_DATASETS,
    MetricTable,
    select_chosen_fits,
)
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.labels import method_sort_key
from reproduction.specs.metrics import LETOR_TEST_TO_TRAIN, Metric
from reproduction.statistics.paired_tests import (
    adjust_holm,
    bootstrap_mean,
    corrected_t,
    rank_biserial,
    wilcoxon_p,
    win_tie_loss,
)

PAIRWISE_FORMAT = TypedCsv.parse(
    "study* feature_scaling* dataset* metric* method* rival* of* n wins ties losses method_mean rival_mean "
    "mean_difference low high interval* rank_biserial wilcoxon_p wilcoxon_holm corrected_t_p test_to_train"
)
"""`dataset`: "all" where the pairs are data sets. `of`: what the n pairs are. A win is the method's.
`method_mean`, `rival_mean`: over the same pairs. `mean_difference`: method minus rival, of decimal logarithms
for seconds; `low`, `high`: its 95 % interval, by `interval`. `rank_biserial`: effect size of the Wilcoxon
test, positive where the method is better. `wilcoxon_holm`: corrected over the pairs of one data set, metric
and feature scaling. `corrected_t_p`: Nadeau and Bengio's test, with the ratio `test_to_train`, where pairs
are random splits or folds."""


def build_pairwise_table(
    fits: pd.DataFrame, metric_tables: list[MetricTable], queries: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Compare every pair of methods, over the data sets and on each of them.

    Parameters
    ----------
    fits : pd.DataFrame
        Collected fits of one study.
    metric_tables : list[MetricTable]
        Tables of `method_ranks.build_metric_tables`.
    queries : pd.DataFrame, optional
        Rows of `results.read_queries` where metrics are means over queries.

    Returns
    -------
    pd.DataFrame
        The columns of `PAIRWISE_FORMAT`. No row over data sets where fewer than two of them count.
    """
    chosen, rows = select_chosen_fits(fits), []
    for metric_table in metric_tables:
        metric = metric_table.metric
        identity = {
            "study": metric_table.study,
            "feature_scaling": metric_table.feature_scaling,
            "metric": metric.name,
        }
        # over data sets: a pair is the two means on one of them
        if len(metric_table.means) > 1:
            rows += _compare_pairs(
                metric_table.means,
                metric,
                identity | {"dataset": ALL_DATASETS, "of": "data sets"},
                "Student t",
            )
        scaling_fits = chosen[chosen["feature_scaling"] == metric_table.feature_scaling]
        for dataset in sorted(set(scaling_fits["dataset"])):
            dataset_fits = scaling_fits[scaling_fits["dataset"] == dataset]
            # Queries where they are kept, folds of LETOR where not, splits of a single list otherwise: the
            # pairs decide which interval is valid (see the module's docstring).
            identity["dataset"] = dataset
            if queries is not None and metric.by_query:
                mask = (queries["dataset"] == dataset) & (
                    queries["feature_scaling"] == metric_table.feature_scaling
                )
                values = queries[mask].pivot(index=["split", "qid"], columns="method", values=metric.by_query)
                rows += _compare_pairs(values, metric, identity | {"of": "queries"}, "bootstrap")
                continue
            values = dataset_fits.dropna(subset=metric.name).pivot(
                index="split", columns="method", values=metric.name
            )
            has_folds = queries is not None
            ratio = LETOR_TEST_TO_TRAIN if has_folds else mean_test_to_train_ratio(dataset_fits)
            identity["of"] = "folds" if has_folds else "splits"
            rows += _compare_pairs(values, metric, identity, "corrected t", ratio)
    return PAIRWISE_FORMAT.to_frame(rows)


def mean_test_to_train_ratio(fits: pd.DataFrame) -> float:
    """Return the rows of the test part over rows of the training part, on average.

    Parameters
    ----------
    fits : pd.DataFrame
        Fits with the numbers of positives and negatives of both parts.

    Returns
    -------
    float
        The ratio; NaN where it is not known.
    """
    # positives and negatives: a fit without counts has no ratio
    rows = {
        part: fits[[f"n_{part}_positives", f"n_{part}_negatives"]].sum(axis=1, min_count=2)
        for part in ("test", "train")
    }
    return float((rows["test"] / rows["train"].where(rows["train"] > 0)).mean())


def _compare_pairs(
    values: pd.DataFrame, metric: Metric, identity: dict, interval: str, ratio: float = 0.0
) -> list[dict]:
    """Compare all pairs of columns, with Holm's correction over them.

    `interval`, `ratio`: as in `_mean_difference`.
    """
    all_values = values
    # factors of seconds are compared, hence differences of their logarithms
    if metric.logarithmic:
        values = np.log10(values.where(values > 0))
    rows, columns = [], {method: values[method].to_numpy(dtype=float) for method in values.columns}
    for method, rival in combinations(sorted(columns, key=method_sort_key), 2):
        # pairs on which both have a number
        has_both = ~(np.isnan(columns[method]) | np.isnan(columns[rival]))
        if not has_both.any():
            continue
        ours, theirs = columns[method][has_both], columns[rival][has_both]
        wins, ties, losses = win_tie_loss(ours, theirs, metric.larger_is_better)
        effect = rank_biserial(ours, theirs)
        row = identity | {"method": method, "rival": rival, "n": ours.size}
        row |= {"wins": wins, "ties": ties, "losses": losses, "wilcoxon_p": wilcoxon_p(ours, theirs)}
        row["method_mean"], row["rival_mean"] = all_values.loc[has_both, [method, rival]].mean()
        row["rank_biserial"] = effect if metric.larger_is_better else 0.0 - effect
        rows.append(row | _mean_difference(ours, theirs, interval, ratio))
    # Holm over the pairs of one data set, metric and feature scaling: one family of questions
    for row, adjusted in zip(rows, adjust_holm([row["wilcoxon_p"] for row in rows]), strict=True):
        row["wilcoxon_holm"] = adjusted
    return rows


def _mean_difference(ours: np.ndarray, theirs: np.ndarray, name: str, ratio: float) -> dict:
    """Compute the mean difference, and its interval by the named method.

    Parameters
    ----------
    ours : np.ndarray
        Values of one method.
    theirs : np.ndarray
        Values of the other method.
    name : str
        "bootstrap", "corrected t" or "Student t".
    ratio : float
        Rows of the test part over training rows where both share rows; NaN: not known, no interval.

    Returns
    -------
    dict
        Columns of `PAIRWISE_FORMAT`.
    """
    # without the ratio of the parts the variance of overlapping splits is not known: no interval
    if np.isnan(ratio):
        return {"mean_difference": float(np.mean(ours - theirs)), "interval": "none"}
    estimate = bootstrap_mean(ours, theirs) if name == "bootstrap" else corrected_t(ours, theirs, ratio)
    row = {"mean_difference": estimate.mean, "low": estimate.low, "high": estimate.high}
    row["interval"] = "none" if np.isnan(estimate.low) else name
    is_corrected = name == "corrected t"
    return row | ({"corrected_t_p": estimate.p_value, "test_to_train": ratio} if is_corrected else {})
