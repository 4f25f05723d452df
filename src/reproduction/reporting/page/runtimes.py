"""The cost of a study: seconds of all fits, and the tables and figures of cost of its paper."""

from collections.abc import Iterable, Mapping

import pandas as pd

from reproduction.core.formatting import format_short
from reproduction.reporting.page.figures import figure
from reproduction.reporting.page.table import views
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_sort_key
from reproduction.specs.table_views import METHOD, Column, View, number_cell, number_columns, without_filter


def context(studies: Iterable[StudyReport]) -> list[dict]:
    """Prepare what is shown of the cost of each study, in their order."""
    found = []
    for study in studies:
        tables = study.tables | {"fits": study.fits}
        drawings = [drawing for drawing in study.drawings if drawing.of_cost]
        names = {drawing.name for drawing in drawings}
        placed = []
        for drawing in drawings:
            behind = [view for view in study.paper.costs if view.after == drawing.name]
            shown = views(behind, tables, study.name)
            placed.append({"figure": figure(study, drawing), "tables": shown})
        first = [FITS, *(view for view in study.paper.costs if view.after not in names)]
        found.append({"name": study.name, "tables": views(first, tables, study.name), "figures": placed})
    return found


def _by_method(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Count the fits of each method and add up their seconds, with the search."""
    ran = tables["fits"][tables["fits"]["status"] != STATUS_NOT_OBTAINED]
    is_chosen = ran["role"] == "chosen"
    by_method = ran.assign(is_chosen=is_chosen, of_chosen=ran["seconds"].where(is_chosen)).groupby("method")
    found = by_method.agg(
        fits=("seconds", "size"),
        chosen=("is_chosen", "sum"),
        seconds=("seconds", "sum"),
        median=("of_chosen", "median"),
        longest=("of_chosen", "max"),
    )
    return found.reset_index().sort_values("method", key=lambda names: names.map(method_sort_key))


def clock(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    if seconds < 60:
        return f"{format_short(seconds)} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


FITS = View(
    "cost",
    "",
    lead=(without_filter(METHOD),),
    columns=(
        *number_columns(("Fits", "fits", ".0f"), ("Chosen", "chosen", ".0f")),
        Column("In all", lambda row: number_cell(row["seconds"], clock)),
        *number_columns(("Seconds, median of the chosen", "median", "")),
        *number_columns(("Seconds, longest of the chosen", "longest", "")),
    ),
    rows=_by_method,
    label="Seconds and fits of {study}",
)
