"""A view of a table on the page: what `view.html.j2` lays out."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from reproduction.comparison.table import RESULT
from reproduction.reporting.page import published_values
from reproduction.reporting.table_layout import Grid, grids
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.labels import scaling_sort_key
from reproduction.specs.table_views import Cell, Column, Row, SubText, View

SENTENCES = Environment(autoescape=True, undefined=StrictUndefined)


def shown(
    view: View, tables: Mapping[str, pd.DataFrame], study: str, comparison: pd.DataFrame | None = None
) -> dict | None:
    """Lay a view out for the page.

    `tables`: the tables of a study by the names of their files. `comparison`: rows of the comparison of the
    study: the verdicts of the published results that the view shows. Returns: ``view``, ``id``, what it
    ``says``, ``verdicts`` as `published.verdict_counts` has them or None, and ``grids``, each with its label;
    None where there is nothing to show.
    """
    rows = tables.get(view.name) if view.rows is None else view.rows(tables)
    empty = rows is None or rows.empty
    if empty and not view.empty_text:
        return None
    results = pd.DataFrame()
    if comparison is not None and len(comparison):
        results = comparison[(comparison["artefact"] == view.name) & (comparison["kind"] == RESULT)]
    counted = published_values.verdict_counts(results, ("study", "artefact", "kind"))
    found = [] if empty else grids(_with_verdicts(view, rows, results), rows, in_print=False)
    return {
        "view": view,
        "id": f"{study}-{view.name}" if study else view.name,
        "verdicts": counted[0] if counted else None,
        "says": Markup(
            SENTENCES.from_string(view.empty_text if empty else view.lead_text).render(study=study)
        ),
        "grids": [
            (view.label.format(title=view.title, method_group=grid.title.lower(), study=study), _terse(grid))
            for grid in found
        ],
    }


def _terse(grid: Grid) -> Grid:
    """Say once a row that there are no data: its first cell does."""

    def short(cell: Cell) -> Cell:
        return replace(cell, text="–") if cell.text in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN) else cell

    lines = [replace(one, cells=[*map(short, one.cells)]) if one.is_absent else one for one in grid.lines]
    return replace(grid, lines=lines)


def _with_verdicts(view: View, rows: pd.DataFrame, results: pd.DataFrame) -> View:
    """Put the verdict of a published result below it; of several feature scalings, in the first one."""
    if results.empty:
        return view
    names = zip(results["dataset"], results["method"], results["quantity"], strict=True)
    verdicts = dict(zip(names, results["verdict"], strict=True))
    blocks = (
        rows.groupby("dataset")["feature_scaling"]
        .agg(lambda names: min(names, key=scaling_sort_key))
        .to_dict()
    )

    def judged(column: Column) -> Column:
        beside = "published" if column.published else "cell"
        make = getattr(column, beside)

        def with_verdict(row: Row) -> Cell:
            made = make(row)
            verdict = verdicts.get((row["dataset"], row["method"], column.quantity))
            if verdict is None or row["feature_scaling"] != blocks[row["dataset"]]:
                return made
            badge = SubText(verdict, style=f"chip {published_values.slug(verdict)}")
            return replace(made, sub_texts=(*made.sub_texts, badge))

        return replace(column, **{beside: with_verdict}) if column.quantity else column

    columns = view.columns(rows) if callable(view.columns) else view.columns
    return replace(view, columns=tuple(map(judged, columns)))


def views(named: Iterable[View], tables: Mapping[str, pd.DataFrame], study: str) -> list[dict]:
    """Lay out those views that have something to show."""
    return list(filter(None, (shown(view, tables, study) for view in named)))
