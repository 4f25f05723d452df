"""Mean ranks and scaled scores of the methods of a study, beyond the papers' own statistics.

Declared: a data set counts once. Of a set and its substitute or its other variants the first with numbers
counts: the published set itself, then its substitutes, then its variants, each in alphabetical order. Toy
data are sizes of one distribution and no data sets of their own.

On a data set the best method of a metric scores 1 and the worst 0, the others lie between in proportion; of
times the logarithms are scaled. The score of a method is its mean over the data sets that count. A fit ends
well by its certificate or by its own rule, not by a limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reproduction.datasets.synthetic_families import find_family
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, TypedCsv
from reproduction.specs.labels import method_sort_key, scaling_sort_key
from reproduction.specs.method_tables import look_up_data_facts
from reproduction.specs.metrics import Metric
from reproduction.statistics.rank_tests import critical_difference, friedman_test, mean_ranks

RANKS_CAPTION = "Mean ranks of the methods over the data sets, 1 being the best, and tests of their equality."
"""Caption of the table in LaTeX."""

RANKS_FORMAT = TypedCsv.parse(
    "study* feature_scaling* metric* method* n_datasets n_methods mean_rank friedman_p iman_davenport_p "
    "critical_difference datasets* left_out* note*"
)
"""`mean_rank`: over the data sets named in `datasets`, 1 being the best, of means over the splits on which
all methods counted have a number; `left_out`: data sets that do not count, and why; `note`: why a number is
missing, or which splits are. A method has a rank only where it has a number on every data set."""


ALL_DATASETS = "all"
"""In place of a data set: the mean over them."""

CONVERGED_STATUSES = ("certified", "stopped", "fitted")

_SCORES_COLUMNS = "study* feature_scaling* metric* method* dataset* mean score fits successful_fits"
SCORES_FORMAT = TypedCsv.parse(_SCORES_COLUMNS)
"""`mean`: over the splits on which all methods have a number; `score`: scaled; `fits`: chosen fits of the
method with these features, on all data sets, and how many of them `successful_fits`."""


@dataclass(frozen=True)
class MetricTable:
    """The means of one metric under one feature scaling.

    Attributes
    ----------
    means : pandas.DataFrame
        A row a data set that counts, a column a method that has a number on each of them.
    left_out, without_rank : dict of str to str
        Data set -> why it does not count; method -> why it has no rank.
    note : str
        Which splits are missing.
    study, feature_scaling, metric
    """

    study: str
    feature_scaling: str
    metric: Metric
    means: pd.DataFrame
    left_out: dict[str, str]
    without_rank: dict[str, str]
    note: str


def select_chosen_fits(fits: pd.DataFrame) -> pd.DataFrame:
    """Select the chosen fits, without those to the synthetic data sets of an experiment.

    Parameters
    ----------
    fits : pd.DataFrame
        Collected fits of one study.

    Returns
    -------
    pd.DataFrame
        The rows of role "chosen".
    """
    is_synthetic = fits["dataset"].map(lambda name: find_family(name) is not None).astype(bool)
    return fits[(fits["role"] == "chosen") & ~is_synthetic]


def build_metric_tables(
    fits: pd.DataFrame, metrics: Sequence[Metric], data: pd.DataFrame | None = None
) -> list[MetricTable]:
    """Average over splits and decide which data sets and methods count.

    Parameters
    ----------
    fits : pd.DataFrame
        Collected fits of one study.
    metrics : Sequence[Metric]
        Metrics by which methods are compared.
    data : pd.DataFrame, optional
        Rows of `results.read_data`, which name substitutes and other variants.

    Returns
    -------
    list[MetricTable]
        A table for each feature scaling and metric; its means are empty where no data set has a number.
    """
    chosen, facts = select_chosen_fits(fits), look_up_data_facts(data)
    metric_tables = []
    for scaling in sorted(set(chosen["feature_scaling"]), key=scaling_sort_key):
        scaling_fits = chosen[chosen["feature_scaling"] == scaling]
        metric_tables += [_build_metric_table(scaling_fits, scaling, metric, facts) for metric in metrics]
    return metric_tables


def _build_metric_table(
    fits: pd.DataFrame, scaling: str, metric: Metric, facts: dict[str, dict]
) -> MetricTable:
    """Average one metric over splits under one feature scaling."""
    used = fits[fits[metric.name].notna()]
    counted, left_out = select_datasets(set(fits["dataset"]), set(used["dataset"]), facts)
    obtained = set(fits.loc[fits["status"] != STATUS_NOT_OBTAINED, "dataset"])
    left_out |= {name: "no fit has a number" for name in left_out if name in obtained - set(used["dataset"])}
    used = used[used["dataset"].isin(counted)]
    methods, without_rank = [], {}
    for method in sorted(set(fits["method"]), key=method_sort_key):
        missing_datasets = sorted(set(counted) - set(used.loc[used["method"] == method, "dataset"]))
        if missing_datasets:
            without_rank[method] = f"no number on {', '.join(missing_datasets)}"
        else:
            methods.append(method)
    means = pd.DataFrame(index=[] if methods else counted, columns=methods, dtype=float)
    incomplete = []
    for dataset in counted if methods else []:
        wide = used[used["dataset"] == dataset].pivot(index="split", columns="method", values=metric.name)
        common = wide[methods].dropna()
        if common.empty:
            left_out[dataset] = "no split on which all methods have a number"
            continue
        # Only splits on which all methods have a number: a method must not win by missing the hard ones.
        if len(common) < len(wide):
            incomplete.append(f"{dataset}: {len(common)} of {len(wide)} splits")
        # equal but for the order of the splits is equal
        means.loc[dataset] = [float(f"{mean:.12g}") for mean in common.mean()]
    return MetricTable(
        fits["study"].iloc[0], scaling, metric, means, left_out, without_rank, "; ".join(incomplete)
    )


def select_datasets(
    names: set[str], with_numbers: set[str], facts: dict[str, dict]
) -> tuple[list[str], dict[str, str]]:
    """Choose the data sets that count, each group of the same rows once.

    Parameters
    ----------
    names : set[str]
        Data sets of the table.
    with_numbers : set[str]
        Those of them that have a number of some method.
    facts : dict[str, dict]
        Rows of `method_tables.look_up_data_facts`.

    Returns
    -------
    selected : list of str
        The data sets that count, by name.
    left_out : dict of str to str
        Data set -> why it does not count.
    """

    def claim(name: str) -> tuple[str, int]:
        """Return the data set that this one stands for, and how: 0 itself, 1 a substitute, 2 another variant.

        Parameters
        ----------
        name : str
            Name of the data set.

        Returns
        -------
        tuple[str, int]
            Original and place.
        """
        for place, kind in enumerate(("substitute_for", "variant_of"), start=1):
            original = facts.get(name, {}).get(kind, "none")
            if original != "none":
                return original, place
        return name, 0

    selected, chosen_originals = [], {}
    left_out = dict.fromkeys(sorted(names - with_numbers), STATUS_NOT_OBTAINED)
    for name in sorted(with_numbers, key=lambda name: (claim(name)[1], name)):
        original = claim(name)[0]
        if original in chosen_originals:
            left_out[name] = f"same data as {chosen_originals[original]}"
        else:
            chosen_originals[original] = name
            selected.append(name)
    return sorted(selected), left_out


def build_ranks_table(metric_tables: list[MetricTable]) -> pd.DataFrame:
    """Rank the methods of each metric table and test whether they differ.

    Parameters
    ----------
    metric_tables : list[MetricTable]
        Tables of `build_metric_tables`.

    Returns
    -------
    pd.DataFrame
        The columns of `RANKS_FORMAT`, best mean rank first.
    """
    rows = []
    for metric_table in metric_tables:
        n, k = metric_table.means.shape
        identity = {
            "study": metric_table.study,
            "feature_scaling": metric_table.feature_scaling,
            "metric": metric_table.metric.name,
        }
        identity |= {
            "n_datasets": n,
            "n_methods": k,
            "datasets": ", ".join(metric_table.means.index),
            "left_out": _join_reasons(metric_table.left_out),
        }
        notes = [metric_table.note, untested_reason(n, k)]
        if n >= 2 and k >= 2:
            identity["friedman_p"], identity["iman_davenport_p"] = friedman_test(metric_table.means)
            identity["critical_difference"] = critical_difference(k, n)
        ranks = (
            mean_ranks(metric_table.means, metric_table.metric.larger_is_better) if n and k else [np.nan] * k
        )
        note = "; ".join(filter(None, notes))
        ranked = zip(metric_table.means.columns, ranks, strict=True)
        rows += [
            identity | {"method": method, "mean_rank": rank, "note": note}
            for method, rank in sorted(ranked, key=lambda pair: (pair[1], method_sort_key(pair[0])))
        ]
        rows += [
            identity | {"method": method, "note": reason}
            for method, reason in metric_table.without_rank.items()
        ]
    return RANKS_FORMAT.to_frame(rows)


def _join_reasons(left_out: dict[str, str]) -> str:
    """Write each reason once, after the data sets that are left out for it."""
    names: dict[str, list[str]] = {}
    for dataset, reason in left_out.items():
        names.setdefault(reason, []).append(dataset)
    return "; ".join(f"{', '.join(names[reason])}: {reason}" for reason in names)


def build_scores_table(fits: pd.DataFrame, metric_tables: Sequence[MetricTable]) -> pd.DataFrame:
    """Scale the means of each metric table; the rows of `ALL_DATASETS` hold the mean score of a method.

    Parameters
    ----------
    fits : pd.DataFrame
        Collected fits of one study.
    metric_tables : Sequence[MetricTable]
        Tables of `build_metric_tables`.

    Returns
    -------
    pd.DataFrame
        The columns of `SCORES_FORMAT`.
    """
    chosen = fits[(fits["role"] == "chosen") & (fits["status"] != STATUS_NOT_OBTAINED)]
    rows = []
    for metric_table in metric_tables:
        scaled = scale_scores(
            metric_table.means, metric_table.metric.larger_is_better, metric_table.metric.logarithmic
        )
        for method in sorted(metric_table.means, key=method_sort_key):
            method_fits = chosen[
                (chosen["method"] == method) & (chosen["feature_scaling"] == metric_table.feature_scaling)
            ]
            identity = {
                "study": metric_table.study,
                "feature_scaling": metric_table.feature_scaling,
                "metric": metric_table.metric.name,
            }
            identity |= {"method": method, "fits": len(method_fits)}
            identity |= {"successful_fits": int(method_fits["status"].isin(CONVERGED_STATUSES).sum())}
            cells = zip(metric_table.means.index, metric_table.means[method], scaled[method], strict=True)
            rows += [
                identity | {"dataset": name, "mean": mean, "score": score} for name, mean, score in cells
            ]
            rows.append(identity | {"dataset": ALL_DATASETS, "score": scaled[method].mean()})
    return SCORES_FORMAT.to_frame(rows)


def scale_scores(means: pd.DataFrame, larger_is_better: bool, logarithmic: bool = False) -> pd.DataFrame:
    """Scale each row to 1 for the best and 0 for the worst; where all are equal, all are best.

    Parameters
    ----------
    means : pd.DataFrame
        A row a data set, a column a method.
    larger_is_better : bool
        Whether the larger value is the better one.
    logarithmic : bool, optional
        Whether logarithms are scaled.

    Returns
    -------
    pd.DataFrame
        Scores of the same shape.

    Examples
    --------
    >>> import pandas as pd
    >>> means = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 2.0], "c": [2.0, 2.0]})
    >>> scale_scores(means, True).to_numpy().tolist()
    [[0.0, 1.0, 0.5], [1.0, 1.0, 1.0]]
    """
    values = np.log(means.astype(float)) if logarithmic else means.astype(float)
    values = values if larger_is_better else -values
    low, high = values.min(axis=1), values.max(axis=1)
    span = (high - low).where(high > low)
    return values.sub(low, axis=0).div(span, axis=0).fillna(1.0)


def untested_reason(n_datasets: float, n_methods: float) -> str:
    """Say why there is no test over data sets, or nothing.

    Parameters
    ----------
    n_datasets : float
        Number of data sets that count.
    n_methods : float
        Number of methods with a number on each of them.

    Returns
    -------
    str
        The reason; empty where there is a test.
    """
    if n_datasets < 1:
        return "no data set with numbers"
    if n_methods < 1:
        return "no method has a number on all data sets"
    if n_datasets < 2:
        return "one data set only: no test over data sets"
    return "one method only: nothing to compare" if n_methods < 2 else ""
