"""The figure of the Table 1 of a paper, and the diagnosis of its splits before any fit."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd
from markupsafe import Markup

from reproduction.core.formatting import format_percent
from reproduction.specs.paper import Figure
from reproduction.specs.table_cells import DATASET_NAME, FEATURES, number_cell, value_cell, without_filter
from reproduction.specs.table_views import Cell, Column, Row, View


@dataclass(frozen=True)
class Panel:
    """One quantity of a table.

    Attributes
    ----------
    quantity : str
        Columns ``<quantity>_mean``, ``<quantity>_std`` and the same with ``published_`` before them.
    label : str
        Of the axis.
    scale : {"share", "count", "seconds"}
        0 to 1; linear below 1 and logarithmic above, since 0 occurs; logarithmic.
    """

    quantity: str
    label: str
    scale: str


def make_table1_figure(left: Panel, right: Panel) -> Figure:
    """Make the record of the figure of a study's Table 1.

    Parameters
    ----------
    left, right : Panel
        The quantities of its two panels.

    Returns
    -------
    Figure
        The record.
    """
    return Figure(
        "figure_table1",
        "Figure of Table 1",
        "Methods from top to bottom as in the legend. Filled: ours. Open diamonds: published, if any, joined "
        "to ours by a thick line. Thin bars: one standard deviation of ours over the splits, cut where they "
        "would pass below zero. Other variants of a data set are in the table only. Counts are "
        "linear below 1 and logarithmic above, seconds are logarithmic.",
        tables=("table1",),
        draw="reproduction.reporting.figures.table1_plot:draw_table1",
        alt_text="reproduction.reporting.figures.table1_plot:describe_table1",
        message="reproduction.reporting.figures.table1_plot:state_table1",
        plot_data="reproduction.reporting.figures.table1_plot:select_plot_data",
        options={"panels": (left, right)},
    )


def _zero_optimal_cell(row: Row) -> Cell:
    """Show the share of splits on which w = 0 is optimal, in bold above 0."""
    share = row["zero_optimal_share"]
    # In bold: there the exact optimum w = 0 ranks nothing, and the numbers belong to unconverged iterates.
    return replace(number_cell(share, format_percent, "not known"), strong=share > 0)


def _select_diagnosed(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Select a row for each diagnosed data set and feature scaling of Table 1."""
    table = tables["table1"]
    return table[table["lambda_max_median"].notna()].drop_duplicates(["dataset", "feature_scaling"])


DIAGNOSIS = View(
    "diagnosis",
    "Diagnosis of the splits",
    lead=(without_filter(DATASET_NAME), without_filter(FEATURES)),
    columns=(
        Column(Markup("λ<sub>max</sub>"), value_cell("lambda_max_median")),
        Column("Splits with w = 0 optimal", _zero_optimal_cell),
    ),
    rows=_select_diagnosed,
    groups=("dataset", "feature_scaling"),
    label="Diagnosis of {study}",
    lead_text="λ<sub>max</sub>: the penalty above which w = 0 is optimal for the ℓ₁ problem with the "
    "squared hinge (for the hinge it is half), median over the splits. Where it is 0, w = 0 is the exact "
    "optimum at every alpha, and what is measured there is an iterate which has not converged.",
    empty_text="No data set of this study was diagnosed.",
)
