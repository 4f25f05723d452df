"""View of the tests of L14 against the best method, on the page and in LaTeX."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reproduction.core.formatting import escape_latex, format_latex_number
from reproduction.papers.laporte2014.table_views import LATEX_METRIC_NAMES, METRIC_NAMES, format_p_value
from reproduction.reporting.latex.run_tables import (
    format_longtable,
    format_paragraph_columns,
    method_to_latex,
)
from reproduction.specs.labels import method_label
from reproduction.specs.table_cells import DATASET_NAME, number_cell, number_columns, text_cell
from reproduction.specs.table_views import Cell, Column, Row, SubText, View


def _method_cell(row: Row) -> Cell:
    """Make the cell of a method, which says whether it is beyond the paper."""
    return Cell(
        method_label(row["method"]),
        sub_texts=(SubText("beyond the paper" * (row["method_group"] == "beyond")),),
    )


def _p_value_column(heading: str, name: str, **options: Any) -> Column:
    """Make a column of p-values."""
    return Column(heading, lambda row: number_cell(row[name], format_p_value), **options)


TESTS = View(
    "tests",
    "Tests against the best method",
    lead=(DATASET_NAME,),
    columns=(
        Column("Metric", lambda row: METRIC_NAMES[row["metric"]], style="", choices="metric"),
        Column("Method", _method_cell, style="", choices="method"),
        Column("Best", lambda row: method_label(row["best"]), style=""),
        *number_columns(("Queries", "n_queries", ".0f"), detail=True),
        *number_columns(("Difference", "difference", "+.4f")),
        _p_value_column("Student, queries", "t_p"),
        _p_value_column("Student, folds", "t_p_by_folds"),
        _p_value_column("Wilcoxon", "wilcoxon_p", detail=True),
        _p_value_column("Wilcoxon, Holm", "wilcoxon_holm", detail=True),
        _p_value_column("Permutation", "permutation_p", detail=True),
        Column("Relation", text_cell("relation"), style="", detail=True),
    ),
    groups=("dataset", "metric"),
    label="Tests of {study}",
    filtered=True,
    folded="tests",
    lead_text="<em>Queries</em> and <em>folds</em>: the paper's paired one-sided Student test, on the "
    "queries and on the means of the folds. Beyond the paper, on the queries: two-sided Wilcoxon "
    "signed-rank test, the same with Holm's correction over the methods of a block, and a two-sided "
    "sign-flip permutation test.",
    empty_text="No data set of this study has a second method: there is nothing to test.",
)


def format_latex_tests(table: pd.DataFrame) -> str:
    """Format the tests for LaTeX: every method against the best one, by data set and metric.

    Parameters
    ----------
    table : DataFrame
        The columns of `significance.TESTS_FORMAT`.

    Returns
    -------
    str
        A ``format_longtable``.
    """
    names = ("Data set", "Metric", "Best", "Method")
    headings = (*names, r"Decrease (\%)", "Student", "by folds", "Wilcoxon", "Holm", "Permutation")
    rows, previous_group = [], None
    for row in table.to_dict("records"):
        group = (row["dataset"], row["metric"])
        metric = LATEX_METRIC_NAMES.get(row["metric"], row["metric"])
        group_cells = [escape_latex(row["dataset"]), escape_latex(metric), method_to_latex(row["best"])]
        columns = ("t_p", "t_p_by_folds", "wilcoxon_p", "wilcoxon_holm", "permutation_p")
        cells = [format_latex_number(row[column]) for column in ("decrease_percent", *columns)]
        rows.append(
            [
                # Data set, metric and best method stand in the first line of their group only.
                *(group_cells if group != previous_group else ("", "", "")),
                method_to_latex(row["method"]),
                *cells,
            ]
        )
        previous_group = group
    caption = (
        r"Every method against the best of the paper's six: the decrease of the mean, and $p$-values. "
        r"Student: paired, one-sided, on queries and on means of folds. Wilcoxon, Holm (its correction) and "
        r"permutation (sign flips): two-sided, on queries."
    )
    columns = f"ll{format_paragraph_columns(0.12, 0.17)}*{{6}}{{r}}"
    return format_longtable(headings, columns, rows, caption, "tiny")
