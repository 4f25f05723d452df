"""The mean ranks as LaTeX: a row a method, a column a metric and feature scaling, the tests below."""

import pandas as pd

from reproduction.core.formatting import escape_latex, format_short, shrink_tabulars
from reproduction.reporting.latex.tabular import format_group_heads
from reproduction.reporting.method_comparison.method_ranks import untested_reason
from reproduction.reporting.table_layout import Head
from reproduction.specs.labels import method_label, method_sort_key
from reproduction.specs.metrics import LABELS


def ranks_to_latex(ranks: pd.DataFrame) -> str:
    """Write the mean ranks as a booktabs tabular.

    Parameters
    ----------
    ranks : pandas.DataFrame
        The table of mean ranks (`reporting.method_comparison.method_ranks`).

    Returns
    -------
    str
        A tabular and, below it, why there is no test and which data sets do not count.
    """
    groups = dict(list(ranks.groupby(["feature_scaling", "metric"], sort=False)))
    heads = [Head("Method")]
    heads += [Head(LABELS.get(name, name), group=f"{scaling} features") for scaling, name in groups]
    lines = [
        r"% Written by toprank; needs \usepackage{booktabs}\usepackage{graphicx}. \input it inside a table.",
        r"% Mean ranks over the data sets, 1 is best; bold: the best of a column.",
        r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}%",
        rf"\begin{{tabular}}{{l*{{{max(len(groups), 1)}}}{{r}}}}",
        r"\toprule",
    ]
    if groups:
        lines += [
            *format_group_heads(heads),
            " & ".join(escape_latex(head.text) for head in heads) + r" \\",
            r"\midrule",
        ]
    # a row for each method of any panel, in the fixed order of the labels
    for method in sorted(set(ranks["method"]), key=method_sort_key):
        cells = [_format_rank(rows, method) for rows in groups.values()]
        lines.append(" & ".join([escape_latex(method_label(method)), *cells]) + r" \\")
    lines.append(r"\midrule")
    for name, label in TEST_LABELS.items():
        cells = [_format_test(rows, name) for rows in groups.values()]
        lines.append(" & ".join([label, *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par {escape_latex(note)}" for note in _format_notes(groups)]
    return shrink_tabulars("\n".join([*lines, r"\par\endgroup", ""]))


TEST_LABELS = {
    "n_datasets": "Data sets",
    "friedman_p": "Friedman, $p$",
    "iman_davenport_p": "Iman--Davenport, $p$",
    "critical_difference": "Critical difference (.05)",
}
"""Column of the ranks -> what it is called below them."""


def _format_notes(groups: dict[tuple[str, str], pd.DataFrame]) -> list[str]:
    """Say why there is no test, and which data sets do not count, once for metrics that share them."""
    notes, by_reason = [], {}
    for (scaling, metric), rows in groups.items():
        first, label = rows.iloc[0], LABELS.get(metric, metric)
        if first["left_out"] not in ("", "none"):
            by_reason.setdefault((scaling, first["left_out"]), []).append(label)
        reason = untested_reason(first["n_datasets"], first["n_methods"])
        notes += [f"{scaling} features, {label}: {reason}."] if reason else []
    # data sets that do not count, once for all metrics that leave out the same
    for (scaling, left_out), labels in by_reason.items():
        notes.append(f"{scaling} features, {', '.join(labels)}; not counted: {left_out}.")
    return notes


def _format_rank(rows: pd.DataFrame, method: str) -> str:
    """One mean rank, bold where it is the best."""
    ranks = rows.loc[rows["method"] == method, "mean_rank"]
    if ranks.isna().all():
        return "none"
    is_best = ranks.iloc[0] == rows["mean_rank"].min()
    return rf"\textbf{{{ranks.iloc[0]:.2f}}}" if is_best else f"{ranks.iloc[0]:.2f}"


def _format_test(rows: pd.DataFrame, name: str) -> str:
    """Write a number of the test of one feature scaling and metric."""
    value = rows[name].iloc[0]
    if pd.isna(value):
        return "none"
    if name == "n_datasets":
        return f"{value:.0f}"
    if name.endswith("_p"):
        return r"$<$ .001" if value < 1e-3 else format_short(value)
    return f"{value:.2f}"
