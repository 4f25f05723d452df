"""The cost of a study: seconds of all fits, and the tables and figures of cost of its paper."""

from collections.abc import Iterable, Mapping

import pandas as pd

from reproduction.core.formatting import format_short
from reproduction.reporting.page.figures import build_figure_context
from reproduction.reporting.page.table import build_view_contexts
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_sort_key
from reproduction.specs.table_cells import METHOD, number_cell, number_columns, without_filter
from reproduction.specs.table_views import Column, View


def build_cost_context(studies: Iterable[StudyReport]) -> list[dict]:
    """Prepare the tables and figures of the cost of each study.

    Parameters
    ----------
    studies : iterable of StudyReport
        The studies of the run.

    Returns
    -------
    list of dict
        In the order of the studies: ``name``, ``tables``, and ``figures``, each with the ``tables`` that
        stand behind it.
    """
    contexts = []
    for study in studies:
        tables = study.tables | {"fits": study.fits}
        drawings = [drawing for drawing in study.drawings if drawing.of_cost]
        names = {drawing.name for drawing in drawings}
        figures = []
        for drawing in drawings:
            views_after = [view for view in study.paper.costs if view.after == drawing.name]
            table_contexts = build_view_contexts(views_after, tables, study.name)
            figures.append({"figure": build_figure_context(study, drawing), "tables": table_contexts})
        # the fits of all methods first, then tables that belong to no figure
        leading_views = [FITS_VIEW, *(view for view in study.paper.costs if view.after not in names)]
        contexts.append(
            {
                "name": study.name,
                "tables": build_view_contexts(leading_views, tables, study.name),
                "figures": figures,
            }
        )
    return contexts


def _sum_by_method(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Count the fits of each method and add up their seconds, with the search."""
    run_fits = tables["fits"][tables["fits"]["status"] != STATUS_NOT_OBTAINED]
    # fits of the search count in full; median and longest are those of the chosen fits
    is_chosen = run_fits["role"] == "chosen"
    groups = run_fits.assign(is_chosen=is_chosen, of_chosen=run_fits["seconds"].where(is_chosen)).groupby(
        "method"
    )
    totals = groups.agg(
        fits=("seconds", "size"),
        chosen=("is_chosen", "sum"),
        seconds=("seconds", "sum"),
        median=("of_chosen", "median"),
        longest=("of_chosen", "max"),
    )
    return totals.reset_index().sort_values("method", key=lambda names: names.map(method_sort_key))


def format_duration(seconds: float) -> str:
    """Write a duration in seconds, minutes or hours.

    Parameters
    ----------
    seconds : float
        The duration.

    Returns
    -------
    str
    """
    if seconds < 60:
        return f"{format_short(seconds)} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


FITS_VIEW = View(
    "cost",
    "",
    lead=(without_filter(METHOD),),
    columns=(
        *number_columns(("Fits", "fits", ".0f"), ("Chosen", "chosen", ".0f")),
        Column("In all", lambda row: number_cell(row["seconds"], format_duration)),
        *number_columns(("Seconds, median of the chosen", "median", "")),
        *number_columns(("Seconds, longest of the chosen", "longest", "")),
    ),
    rows=_sum_by_method,
    label="Seconds and fits of {study}",
)
