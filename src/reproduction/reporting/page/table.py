"""A view of a table on the page: what `view.html.j2` lays out."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from reproduction.comparison.table import RESULT
from reproduction.reporting.page import published_values
from reproduction.reporting.table_layout import Grid, build_grids
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.labels import scaling_sort_key
from reproduction.specs.table_views import Cell, Column, Row, SubText, View

TEXT_ENVIRONMENT = Environment(autoescape=True, undefined=StrictUndefined)


def build_view_context(
    view: View, tables: Mapping[str, pd.DataFrame], study: str, comparison: pd.DataFrame | None = None
) -> dict | None:
    """Lay a view out for the page.

    Parameters
    ----------
    view : View
        How the table is shown.
    tables : Mapping[str, pd.DataFrame]
        The tables of a study by the names of their files.
    study : str
        Name of the study; empty for a table of the whole run.
    comparison : pandas.DataFrame, optional
        Rows of the comparison of the study: the verdicts of the published results that the view shows.

    Returns
    -------
    dict or None
        ``view``, ``id``, what it ``says``, ``verdicts`` as `published_values.count_verdicts` has them or
        None, and ``grids``, each with its label; None where there is nothing to show.
    """
    rows = view.select_rows(tables)
    is_empty = rows is None or rows.empty
    if is_empty and not view.empty_text:
        return None
    results = pd.DataFrame()
    if comparison is not None and len(comparison):
        # published results that this very table shows
        results = comparison[(comparison["artefact"] == view.name) & (comparison["kind"] == RESULT)]
    counts = published_values.count_verdicts(
        results, ("study", "artefact", "kind"), artefact=view.published_name
    )
    view_grids = (
        [] if is_empty else build_grids(_add_verdicts(view, rows, results, study), rows, for_latex=False)
    )
    return {
        "view": view,
        "id": f"{study}-{view.name}" if study else view.name,
        "verdicts": counts[0] if counts else None,
        "says": Markup(
            TEXT_ENVIRONMENT.from_string(view.empty_text if is_empty else view.lead_text).render(study=study)
        ),
        "grids": [
            (
                view.label.format(title=view.title, method_group=grid.title.lower(), study=study),
                _shorten_absent_lines(grid),
            )
            for grid in view_grids
        ],
    }


def _shorten_absent_lines(grid: Grid) -> Grid:
    """Replace the status by a dash in lines without data, whose first cell says it."""

    def shorten(cell: Cell) -> Cell:
        """Replace the status of a cell by a dash.

        Parameters
        ----------
        cell : Cell
            Cell of such a line.

        Returns
        -------
        Cell
            The cell, with a dash in place of a status; any other text stays.
        """
        return replace(cell, text="–") if cell.text in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN) else cell

    lines = [
        replace(line, cells=[*map(shorten, line.cells)]) if line.is_absent else line for line in grid.lines
    ]
    return replace(grid, lines=lines)


def _add_verdicts(view: View, rows: pd.DataFrame, results: pd.DataFrame, study: str) -> View:
    """Put the verdict on a published result below its cell; of several feature scalings, in the first one."""
    if results.empty:
        return view
    names = zip(results["dataset"], results["method"], results["quantity"], strict=True)
    verdicts = dict(zip(names, results["verdict"], strict=True))
    # a data set with raw and scaled features was compared in one of them: the verdict stands there
    first_scalings = (
        rows.groupby("dataset")["feature_scaling"]
        .agg(lambda names: min(names, key=scaling_sort_key))
        .to_dict()
    )

    def add_verdict(column: Column) -> Column:
        """Return the column with the verdicts, if it shows a published quantity.

        Parameters
        ----------
        column : Column
            Column of the view.

        Returns
        -------
        Column
            The same column where it shows no quantity.
        """
        # below the published number where the table shows it, otherwise below ours
        attribute = "published" if column.published else "cell"
        make = getattr(column, attribute)

        def make_judged_cell(row: Row) -> Cell:
            """Make the cell of a row, with the verdict below it.

            Parameters
            ----------
            row : Row
                Row of the table.

            Returns
            -------
            Cell
                The cell.
            """
            cell = make(row)
            verdict = verdicts.get((row["dataset"], row["method"], column.quantity))
            if verdict is None or row["feature_scaling"] != first_scalings[row["dataset"]]:
                return cell
            identity = {"study": study, "artefact": view.name, "quantity": column.quantity}
            badge = SubText(
                verdict,
                style=f"chip {published_values.make_css_class(verdict)}",
                opens=published_values.verdict_address({**row, **identity}),
            )
            return replace(cell, sub_texts=(*cell.sub_texts, badge))

        return replace(column, **{attribute: make_judged_cell}) if column.quantity else column

    columns = view.columns(rows) if callable(view.columns) else view.columns
    return replace(view, columns=tuple(map(add_verdict, columns)))


def build_view_contexts(views: Iterable[View], tables: Mapping[str, pd.DataFrame], study: str) -> list[dict]:
    """Lay out those views that have something to show.

    Parameters
    ----------
    views : iterable of View
        The views, in their order.
    tables : Mapping[str, pd.DataFrame]
        The tables of a study by the names of their files.
    study : str
        Name of the study.

    Returns
    -------
    list[dict]
    """
    return list(filter(None, (build_view_context(view, tables, study) for view in views)))
