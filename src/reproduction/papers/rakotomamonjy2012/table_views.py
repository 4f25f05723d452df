"""Views of the tables of R12: columns, headings and cells, on the page and in LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from reproduction.papers.rakotomamonjy2012.times.figure import fit_exponent
from reproduction.specs.table_cells import (
    DATASET,
    METHOD,
    STATUSES,
    has_fits,
    has_value,
    mean_cell,
    missing_text,
    number_cell,
    number_columns,
    published_mean_cell,
    text_cell,
    value_cell,
    without_filter,
)
from reproduction.specs.table_views import Cell, Column, LatexLayout, Row, View

HAS_RATE = has_value("rate_at_top_mean")


def _rate_cell(row: Row) -> Cell:
    """Make the cell of the rate at the top, underlined where it is worse than the best."""
    # R12 underlines what is worse than the best method at the level of .05.
    reason = "worse than the best by the Wilcoxon test" if row["worse"] == "1" else ""
    return replace(mean_cell("rate_at_top")(row), underlined=reason)


def _tied_cell(row: Row) -> Cell:
    """Make the cell of the candidates that tie, with the range of their variables."""
    template = "{tied_mean:.2g}: {tied_variables_min:.0f} to {tied_variables_max:.0f}"
    return number_cell(row["tied_mean"], lambda _: template.format(**row), missing_text(row))


TABLE1 = View(
    "table1",
    "Table 1",
    lead=(DATASET, METHOD),
    columns=(
        Column(
            "Rate at the top",
            _rate_cell,
            published_mean_cell("rate_at_top"),
            latex_heading="Rate at the top",
            fits=has_fits,
            quantity="rate_at_top",
        ),
        Column("p", value_cell("p_value", "{:.2g}".format)),
        Column(
            "Variables",
            mean_cell("variables"),
            published_mean_cell("variables"),
            latex_heading="Number of variables",
            fits=HAS_RATE,
            quantity="variables",
        ),
        Column("Tied", _tied_cell, detail=True),
        Column("Seconds", mean_cell("seconds"), detail=True),
        Column("Gap", value_cell("relative_gap_max", "{:.1e}".format), detail=True),
        STATUSES,
    ),
    groups=("dataset", "feature_scaling"),
    anchored=True,
    filtered=True,
    lead_text="Mean ± standard deviation over the splits. <u>Underlined</u>: worse than the best method of "
    "the data set by a two-sided Wilcoxon signed-rank test at the level of .05 (<em>p</em>). "
    "<em>Variables</em>: weights above 1e-6 of the largest. Of candidates that tie on the validation part, "
    "the middle one of the grid is taken (our choice).",
    latex_layout=LatexLayout(
        r"\small",
        "4pt",
        ("Underlined: worse than the best by a Wilcoxon signed-rank test at the level of .05.",),
        ruled=True,
    ),
)


def _build_exponents(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Find the exponent of the running time of each solver, and the most pairs that it was given."""
    rows, times = [], tables.get("figure3", pd.DataFrame(columns=["solver", "noise"]))
    for (solver, noise), line in times.groupby(["solver", "noise"], sort=False):
        # Seconds and status are those of the largest size, the exponent that of the whole line.
        largest = line.sort_values("pairs").iloc[-1].to_dict()
        rows.append(largest | {"method": solver, "noise": noise, "exponent": fit_exponent(line)})
    return pd.DataFrame(rows)


EXPONENTS = View(
    "exponents",
    "Exponent of the time in the number of pairs",
    lead=(without_filter(METHOD),),
    columns=(
        *number_columns(("Noise features", "noise", ".0f"), ("Exponent", "exponent", ".2f")),
        *number_columns(("Most pairs", "pairs", ".2e"), ("Seconds", "seconds", "")),
        Column("Ended as", text_cell("status"), style=""),
    ),
    rows=_build_exponents,
    label="Exponents of {study}",
    small=True,
    lead_text='Over the larger half of the sizes; drawn in <a href="#{{ study }}-figure3">Figure 3</a>. '
    "<em>Seconds</em>: a fit with the most pairs.",
)
