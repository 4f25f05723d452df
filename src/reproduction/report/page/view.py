"""A view of a table on the page: what `view.html.j2` lays out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from reproduction.columns import View
from reproduction.report.grid import grids

SENTENCES = Environment(autoescape=True, undefined=StrictUndefined)


def shown(view: View, tables: Mapping[str, pd.DataFrame], study: str) -> dict | None:
    """Lay a view out for the page.

    Parameters
    ----------
    view : View
    tables : mapping of str to pandas.DataFrame
        The tables of a study by the names of their files.
    study : str

    Returns
    -------
    dict or None
        ``view``, ``id``, what it ``says``, and ``grids``, each with its label; None where there is nothing to
        show.
    """
    rows = tables.get(view.name) if view.rows is None else view.rows(tables)
    empty = rows is None or rows.empty
    if empty and not view.otherwise:
        return None
    found = [] if empty else grids(view, rows, in_print=False)
    return {
        "view": view,
        "id": f"{study}-{view.name}",
        "says": Markup(SENTENCES.from_string(view.otherwise if empty else view.say).render(study=study)),
        "grids": [
            (view.label.format(title=view.title, block=grid.title.lower(), study=study), grid)
            for grid in found
        ],
    }


def views(named: Iterable[View], tables: Mapping[str, pd.DataFrame], study: str) -> list[dict]:
    """Lay out those views that have something to show."""
    return list(filter(None, (shown(view, tables, study) for view in named)))
