"""From the rows of a table to the grid that print and page show: heads and lines of cells."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.labels import anchor_id, method_label, method_sort_key, scaling_sort_key
from reproduction.specs.table_views import Cell, Column, Row, View

PIVOT_COLUMNS = {
    "method": (method_sort_key, method_label),
    "feature_scaling": (scaling_sort_key, str),
    "heading": (None, str),
}
"""Column whose values may lie side by side -> their order (None: of the rows), and how a head names them."""

EMPTY_CELLS = ("–", "none", "", STATUS_NOT_OBTAINED, STATUS_NOT_RUN)
MAX_PAGE_COLUMNS = 7
"""Columns of a table on the page; further ones stand in the dialog of a row."""


@dataclass(frozen=True)
class Head:
    """The head of a column: its text, its class, by what rows are chosen, and what is above it.

    Parameters
    ----------
    text : str
    style : str
        CSS class on the page.
    choices : str
        By this name a reader filters the rows; empty: not at all.
    group : str
        Heading above the columns that have the same.
    """

    text: str
    style: str = "num"
    choices: str = ""
    group: str = ""


@dataclass(frozen=True)
class Line:
    """A line of cells.

    Attributes
    ----------
    row : mapping
        The first of its rows.
    first : bool
        Whether it begins a group.
    repeats : bool
        Whether its first cell repeats the one above it, for sorting and for screen readers.
    id : str
        Its anchor; empty where nothing leads to it.
    more : list of tuple of Head and Cell
        Further cells of its dialog.
    cells : list of Cell
    """

    row: Row
    cells: list[Cell]
    first: bool = True
    repeats: bool = False
    id: str = ""
    more: list[tuple[Head, Cell]] = field(default_factory=list)

    @property
    def is_judged(self) -> bool:
        """Whether one of its numbers has a verdict."""
        return any(line.opens for cell in self.cells for line in cell.sub_texts)

    @property
    def is_absent(self) -> bool:
        """Whether its data set was not obtained, or not asked for."""
        return self.row.get("data_status") in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN)


@dataclass(frozen=True)
class Grid:
    """A table without a medium: a title, heads of which the first `lead` say what a line is, and lines.

    Parameters
    ----------
    title : str
    heads : list of Head
    lead : int
        Number of columns that say what a line is.
    lines : list of Line
    """

    title: str
    heads: list[Head]
    lead: int
    lines: list[Line]

    @property
    def has_text_without_data(self) -> bool:
        """Whether a line without data says anything else, such as a published number."""
        cells = [cell for line in self.lines if line.is_absent for cell in line.cells[self.lead :]]
        return any(cell.plain_text not in EMPTY_CELLS for cell in cells)


def build_grids(view: View, rows: pd.DataFrame, for_latex: bool) -> list[Grid]:
    """Lay out a view as grids, one for each method group that has rows.

    Parameters
    ----------
    view : View
        Which columns are shown, and how.
    rows : pandas.DataFrame
        Rows of its table.
    for_latex : bool
        Whether it is for LaTeX; else for the page.

    Returns
    -------
    list of Grid
        A single grid without title where the view has no `group_titles`.
    """
    records = rows.to_dict("records")
    if callable(view.columns):
        view = replace(view, columns=tuple(view.columns(rows)))
    if view.group_titles is None:
        return [_build_grid(view, "", records, for_latex)]
    rows_by_group = {
        name: [row for row in records if row["method_group"] == name] for name in view.group_titles
    }
    return [
        _build_grid(view, view.group_titles[name], group_rows, for_latex)
        for name, group_rows in rows_by_group.items()
        if group_rows
    ]


def _build_grid(view: View, title: str, rows: Sequence[Row], for_latex: bool) -> Grid:
    """Lay out the rows of one method group as a grid."""
    # pivoted: the values of a column, such as the methods, lie side by side
    is_wide = bool(view.pivot_by) and (for_latex or view.wide)
    lead, columns = (
        [column for column in kind if (column.latex_heading if for_latex else column.on_page)]
        for kind in (view.lead, view.columns)
    )
    detail_columns = [] if for_latex else [column for column in (*lead, *columns) if column.detail]
    lead, columns = ([column for column in kind if column not in detail_columns] for kind in (lead, columns))
    values = [None]
    if is_wide:
        order, label = PIVOT_COLUMNS[view.pivot_by]
        values = list(dict.fromkeys(row[view.pivot_by] for row in rows))
        values = sorted(values, key=order) if order else values
    # head and cell function of each column, in the order in which they stand
    parts = [_lead_part(column, for_latex) for column in lead]
    for column in columns:
        names = [label(value) for value in values] if is_wide else None
        parts += _latex_parts(column, names, values) if for_latex else _page_parts(column, names, values)
    n_columns = len(parts) if for_latex else MAX_PAGE_COLUMNS
    rows_by_line: dict[object, dict] = {}
    for i, row in enumerate(rows):
        # rows that differ in the pivoted column only share a line
        line_key = tuple(row[name] for name in view.key) if is_wide else i
        rows_by_line.setdefault(line_key, {})[row[view.pivot_by] if is_wide else None] = row
    details = [*parts[n_columns:], *(_lead_part(column, False) for column in detail_columns)]
    lines = _build_lines(view, [cell for _, cell in parts[:n_columns]], details, rows_by_line)
    return Grid(title, [head for head, _ in parts[:n_columns]], len(lead), lines)


Part = tuple[Head, Callable[[Mapping], Cell]]
"""A head, and the function that makes its cell from the rows of a line."""


def _first_row(by_value: Mapping) -> Row:
    """Return the first of the rows that share a line."""
    return next(iter(by_value.values()))


def _lead_part(column: Column, for_latex: bool) -> Part:
    """Return head and cell of a column that names the line."""
    heading = column.latex_heading if for_latex else column.heading
    return Head(heading, column.style, column.choices), lambda by_value: column.make_cell(
        _first_row(by_value)
    )


def _make_pivoted_cell(column: Column, value: object) -> Callable[[Mapping], Cell]:
    """Make the cell of one of the values that lie side by side."""
    return lambda by_value: (
        column.make_cell(by_value[value]) if value in by_value else Cell(STATUS_NOT_RUN, is_absent=True)
    )


def _make_published_cell(column: Column) -> Callable[[Mapping], Cell]:
    """Make a function that shows the published value of a line."""
    return lambda by_value: column.published(_first_row(by_value))


def _latex_parts(column: Column, names: list[str] | None, values: Sequence) -> Iterator[Part]:
    """Print before ours, below a common head."""
    # published and ours below a common head, in print
    group = column.group
    if column.published or (names and column.latex_heading != column.heading):
        group = column.latex_heading
    if column.published:
        yield Head("published", group=group), _make_published_cell(column)
    names = ["ours" if column.published else column.latex_heading] if names is None else names
    for name, value in zip(names, values, strict=True):
        yield Head(name, group=group), _make_pivoted_cell(column, value)


def _page_parts(column: Column, names: list[str] | None, values: Sequence) -> Iterator[Part]:
    """Ours, then what is published."""
    for name, value in zip([column.heading] if names is None else names, values, strict=True):
        yield Head(name, column.style, column.choices), _make_pivoted_cell(column, value)
    if column.published:
        yield Head("published", f"{column.style} published"), _make_published_cell(column)


def _build_lines(
    view: View, make_cells: Sequence[Callable], detail_parts: Sequence[Part], rows_by_line: Mapping
) -> list[Line]:
    """Make the cells, and mark beginnings of groups and repeated first cells."""
    lines, previous = [], None
    for by_value in rows_by_line.values():
        row = _first_row(by_value)
        groups = [row[name] for name in view.groups]
        begins_group = not view.groups or previous is None or groups != previous
        # the first cell is left empty where the line before has the same
        repeats = previous is not None and bool(view.groups) and groups[0] == previous[0]
        lead_cell, *other_cells = [make_cell(by_value) for make_cell in make_cells]
        lead_cell = (
            replace(lead_cell, sub_texts=()) if repeats else lead_cell
        )  # what is below it was said once
        anchor = anchor_id(row) if view.anchored else ""
        details = [(head, make_cell(by_value)) for head, make_cell in detail_parts]
        lines.append(Line(row, [lead_cell, *other_cells], begins_group, repeats, anchor, details))
        previous = groups
    return lines
