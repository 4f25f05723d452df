"""The cost of a study: seconds of all fits, and the tables and figures of cost of its paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from reproduction.columns import METHOD, Column, View, number, plain
from reproduction.labels import method_key
from reproduction.report.page.figures import figure
from reproduction.report.page.view import views
from reproduction.report.studies import StudyReport
from reproduction.tables import NOT_OBTAINED
from reproduction.text import short


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


def seconds_of(fits: pd.DataFrame) -> float:
    """Add up the seconds of all fits."""
    return float(fits["seconds"].sum())


def _by_method(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Count the fits of each method and add up their seconds, with the search."""
    ran = tables["fits"][tables["fits"]["status"] != NOT_OBTAINED]
    rows = []
    for method in sorted(set(ran["method"]), key=method_key):
        block = ran[ran["method"] == method]
        chosen = block.loc[block["role"] == "chosen", "seconds"]
        row = {"method": method, "fits": len(block), "chosen": len(chosen), "seconds": seconds_of(block)}
        rows.append(row | {"median": chosen.median(), "longest": chosen.max()})
    return pd.DataFrame(rows)


def clock(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    if seconds < 60:
        return f"{short(seconds)} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


FITS = View(
    "cost",
    "",
    lead=(plain(METHOD),),
    columns=(
        Column("Fits", lambda row: number(row["fits"], "{:.0f}".format)),
        Column("Chosen", lambda row: number(row["chosen"], "{:.0f}".format)),
        Column("In all", lambda row: number(row["seconds"], clock)),
        Column("Seconds, median of the chosen", lambda row: number(row["median"])),
        Column("Seconds, longest of the chosen", lambda row: number(row["longest"])),
    ),
    rows=_by_method,
    label="Seconds and fits of {study}",
)
