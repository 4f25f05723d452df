"""Views of the tables of L14: columns, headings and cells, on the page and in LaTeX."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pandas as pd

from reproduction.core.formatting import (
    format_mean_std,
    format_percent,
    format_short,
)
from reproduction.papers.laporte2014.inputs import COUNTS
from reproduction.papers.laporte2014.significance import (
    RELATION_BEST,
    RELATION_BETTER,
    RELATION_EQUIVALENT,
    RELATION_WORSE,
)
from reproduction.specs.table_cells import (
    DATASET,
    METHOD,
    STATUSES,
    has_fits,
    has_value,
    missing_text,
    number_cell,
    number_columns,
    without_filter,
)
from reproduction.specs.table_views import Cell, Column, LatexLayout, Row, SubText, View

METRIC_NAMES = {"map": "MAP", "ndcg10": "NDCG@10", "ndcg10_standard": "NDCG@10, published formula"}
LATEX_METRIC_NAMES = METRIC_NAMES | {"ndcg10_standard": "NDCG@10, standard"}
METHOD_GROUP_TITLES = {"paper": "Methods of the paper", "beyond": "Beyond the paper"}


def _format_mean_std(mean: float, std: float, mean_decimals: int, std_decimals: int) -> str:
    """Format a mean and its standard deviation with as many decimals as published."""
    return (
        f"{mean:.{mean_decimals}f}"
        if math.isnan(std)
        else f"{mean:.{mean_decimals}f} ± {std:.{std_decimals}f}"
    )


def format_relation(row: Row) -> str:
    """Format the relation to the best as the paper does: ``~``, or ``−3 % (p = 0.02)``; "" of the best.

    Parameters
    ----------
    row : mapping
        Row of Table V or VI.

    Returns
    -------
    str
        By the test on the means of the folds.
    """
    # relations as Tables V and VI print them: "~", or a decrease with the p-value of the t-test on folds
    if row["relation_by_folds"] == RELATION_EQUIVALENT:
        return RELATION_EQUIVALENT
    if row["relation_by_folds"] not in (RELATION_WORSE, RELATION_BETTER):
        return ""
    sign = "−" if row["decrease_percent"] >= 0 else "+"
    detail = (
        "better"
        if row["relation_by_folds"] == RELATION_BETTER
        else f"p {_add_p_value_sign(format_p_value(row['t_p_by_folds']))}"
    )
    return f"{sign}{format_percent(abs(row['decrease_percent']) / 100)} ({detail})"


def published_text(row: Row) -> str:
    """Format what is published of a method: the best value, ``~``, or ``−3 % (p = .02)``.

    Parameters
    ----------
    row : mapping
        Row of Table V or VI.

    Returns
    -------
    str
        "" where nothing is published.
    """
    if row["published_relation"] == RELATION_BEST:
        return f"{row['published_value']:.4f}"
    if row["published_relation"] == RELATION_EQUIVALENT:
        return RELATION_EQUIVALENT
    if row["published_relation"] != RELATION_WORSE:
        return ""
    # a printed decrease stands without p-value in some cells
    decrease = f"−{row['published_decrease_percent']:g} %"
    p_value = row["published_p_value"]
    return decrease if p_value == "none" else f"{decrease} (p {_add_p_value_sign(p_value)})"


def format_p_value(p_value: float) -> str:
    """Format a p-value as the paper does: ``0.042``, ``<0.001``.

    Parameters
    ----------
    p_value : float
        Between 0 and 1.

    Returns
    -------
    str
        Without a leading sign, but for "<".
    """
    return "<0.001" if p_value < 0.001 else format_short(p_value)


def _add_p_value_sign(p_value: str) -> str:
    """Put the sign before a p-value: ``= 0.02``, ``< 0.001``."""
    return p_value.replace("<", "< ") if p_value.startswith("<") else f"= {p_value}"


def _count_cell(name: str) -> Callable[[Row], Cell]:
    """Make the cell of a count of Table III, with the published one where it differs."""
    format_count = "{:.1f}".format if name.endswith("per_query") else "{:.0f}".format

    def make(row: Row) -> Cell:
        """Make the cell of a count; the published one is shown where the two differ.

        Parameters
        ----------
        row : Row
            Row of Table III.

        Returns
        -------
        Cell
            The count, with the published one below it.
        """
        # counts are compared as they are printed: 41.6 against 41.58 is no difference
        ours, published = row[name], row[f"published_{name}"]
        published_text = "" if math.isnan(published) else format_count(published)
        differs = math.isnan(ours) or format_count(ours) != published_text
        return number_cell(
            ours,
            format_count,
            missing_text(row),
            sub_texts=(SubText(published_text, "published", on_page=differs),),
        )

    return make


COUNT_HEADINGS = (
    ("Features", "features", ""),
    ("Queries", "queries", ""),
    ("Query-document pairs", "query-document pairs", ""),
    ("Preferences", "preferences", ""),
    ("Documents per query", "documents", "per query"),
    ("Relevant per query", "relevant", "per query"),
)
"""Of the counts: on the page, and in print with what stands above."""

TABLE3 = View(
    "table3",
    "Table III: data sets",
    lead=(without_filter(DATASET),),
    columns=tuple(
        Column(heading, _count_cell(name), latex_heading=latex_heading, group=group)
        for name, (heading, latex_heading, group) in zip(COUNTS, COUNT_HEADINGS, strict=True)
    ),
    anchored=True,
    label="Table III of {study}",
    lead_text="Counted in the prepared files; a published count that differs is shown below. A document is "
    "relevant from grade 1 on.",
)


def _build_method_view(
    name: str,
    title: str,
    cell: Callable[[Row], Cell],
    quantity: str,
    lead_text: str,
    latex_layout: LatexLayout,
) -> View:
    """Build the view of a table with a row a data set and a column a method, the paper's methods apart."""
    column = Column("Method", cell, latex_heading="Method", fits=has_fits, quantity=quantity)
    return View(
        name,
        title,
        lead=(without_filter(DATASET),),
        columns=(column,),
        pivot_by="method",
        key=("dataset", "feature_scaling"),
        group_titles=METHOD_GROUP_TITLES,
        label="{title}, {method_group}, of {study}",
        lead_text=lead_text,
        latex_layout=latex_layout,
    )


def _ratio_cell(row: Row) -> Cell:
    """Make the cell of a sparsity ratio, with the published one."""
    published = row["published_sparsity_ratio"]
    return number_cell(
        row["sparsity_ratio_mean"],
        lambda mean: _format_mean_std(mean, row["sparsity_ratio_std"], 2, 2),
        missing_text(row),
        sub_texts=(SubText("" if math.isnan(published) else f"{published:.2f}", "published"),),
    )


TABLE4 = _build_method_view(
    "table4",
    "Table IV: sparsity ratio",
    _ratio_cell,
    "sparsity_ratio",
    "Share of the varying features that a model uses: mean ± standard deviation over the folds, below it "
    "the published value. The last row is the mean over the data sets obtained, beside the published mean "
    "over the same ones. The paper leaves three choices open. Our grids are in config.yaml (λ relative to "
    "λ<sub>max</sub>, FenchelRank's radius, the two weights of the reconstructed FSMRank). Ties go to fewer "
    "variables, then to the stronger regularisation. MCP and SCAD have their own λ of 1; "
    "with 1/C they would bend far above all weights and equal the ℓ₁ norm.",
    LatexLayout(),
)


def _metric_cell(name: str) -> Callable[[Row], Cell]:
    """Make the cell of MAP or NDCG@10 with its relation to the best, and what is published."""

    def make(row: Row) -> Cell:
        """Make the cell of a metric, bold for the best method.

        Parameters
        ----------
        row : Row
            Row of Table V or VI.

        Returns
        -------
        Cell
            Mean and standard deviation; below them the relation to the best, and the published value.
        """
        relation = SubText(format_relation(row), style="mark")
        published = SubText(
            published_text(row), "published", strong=row["published_relation"] == RELATION_BEST
        )
        return number_cell(
            row[f"{name}_mean"],
            lambda mean: _format_mean_std(mean, row[f"{name}_std"], 4, 3),
            missing_text(row),
            strong=row["relation"] == RELATION_BEST,
            sub_texts=(relation, published),
        )

    return make


LEAD_TEXT = (
    "Mean ± standard deviation over the folds. <strong>Bold</strong>: the best of the paper's six. "
    '<span class="mark">~</span>: not worse than the best by a paired one-sided Student test at .05 on the '
    "means of the five folds. The pairs are our choice: the paper names none. Otherwise: the decrease in "
    "per cent and <em>p</em>. Methods beyond the paper can also be better."
)
NDCG_LEAD_TEXT = (
    " By LETOR's script, in which a query of fewer than ten documents counts 0; NDCG@10 by the published "
    'formula is below <a href="#{{ study }}-fits">with the fits</a>.'
)
THREE_LINE_LAYOUT = LatexLayout(lines=("ours", "to the best", "published"))
TABLE5 = _build_method_view(
    "table5", "Table V: MAP", _metric_cell("map"), "map", LEAD_TEXT, THREE_LINE_LAYOUT
)
TABLE6 = _build_method_view(
    "table6",
    "Table VI: NDCG@10",
    _metric_cell("ndcg10"),
    "ndcg10",
    LEAD_TEXT + NDCG_LEAD_TEXT,
    THREE_LINE_LAYOUT,
)


def _add_ndcg(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Add NDCG@10 of Table VI, by both formulas, to the rows of Table IV."""
    keys = ["dataset", "feature_scaling", "method"]
    return tables["table4"].merge(
        tables["table6"][[*keys, "ndcg10_mean", "ndcg10_standard_mean"]], on=keys, how="left"
    )


def _variables_cell(row: Row) -> Cell:
    """Make the cell of the number of variables."""
    return number_cell(row["variables_mean"], lambda mean: format_mean_std(mean, row["variables_std"]))


def _as_good_cell(row: Row) -> Cell:
    """Make the cell of the candidates as good as the chosen one, with the range of their ratios."""
    template = "{near_mean:.2g}: {near_ratio_min:.2f} to {near_ratio_max:.2f}"
    return number_cell(row["near_mean"], lambda _: template.format(**row))


def _violation_cell(row: Row) -> Cell:
    """Make the cell of the violated optimality conditions, of a nonconvex objective only: it has no gap."""
    # a nonconvex objective has no lower bound: its reweighted solution is judged by the conditions alone
    return number_cell(row["kkt_max"] if math.isnan(row["relative_gap_max"]) else math.nan, "{:.1e}".format)


FITS = View(
    "fits",
    "Fits",
    lead=(DATASET,),
    columns=(
        METHOD,
        Column("Variables", _variables_cell, fits=has_value("variables_mean")),
        Column("As good", _as_good_cell),
        *number_columns(("End", "edge_splits", ".0f"), ("Seconds", "seconds_mean", "")),
        *number_columns(("Gap", "relative_gap_max", ".1e"), detail=True),
        Column("Violation", _violation_cell, detail=True),
        *number_columns(("NDCG@10, LETOR's script", "ndcg10_mean", ".4f")),
        *number_columns(("NDCG@10, published formula", "ndcg10_standard_mean", ".4f"), detail=True),
        STATUSES,
    ),
    rows=_add_ndcg,
    groups=("dataset",),
    anchored=True,
    filtered=True,
    folded="rows of fits",
    lead_text="The chosen fits. <em>As good</em>: how many candidates are within .005 of the best MAP on the "
    "validation part (mean over the folds), and the range of their sparsity ratios. <em>End</em>: folds on "
    "which an end of the grid was chosen.",
)
