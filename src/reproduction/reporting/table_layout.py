"""From the rows of a table to the grid that print and page show: heads and lines of cells."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.labels import anchor_id, method_label, method_sort_key, scaling_sort_key
from reproduction.specs.table_views import Cell, Column, Row, View

ACROSS = {
    "method": (method_sort_key, method_label),
    "feature_scaling": (scaling_sort_key, str),
    "heading": (None, str),
}
"""Column whose values may lie side by side -> their order (None: of the rows), and how a head names them."""

NOTHING = ("–", "none", "", STATUS_NOT_OBTAINED, STATUS_NOT_RUN)
AT_MOST = 7
"""Columns of a table on the page; further ones stand in the dialog of a row."""


@dataclass(frozen=True)
class Head:
    """The head of a column: its text, its class, by what rows are chosen, and what is above it."""

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
    """

    row: Row
    cells: list[Cell]
    first: bool = True
    repeats: bool = False
    id: str = ""
    more: list[tuple[Head, Cell]] = field(default_factory=list)

    @property
    def is_absent(self) -> bool:
        """Whether its data set was not obtained, or not asked for."""
        return self.row.get("data_status") in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN)


@dataclass(frozen=True)
class Grid:
    """A table without a medium: a title, heads of which the first `lead` say what a line is, and lines."""

    title: str
    heads: list[Head]
    lead: int
    lines: list[Line]

    @property
    def tells_of_absent(self) -> bool:
        """Whether a line without data says anything else, such as a published number."""
        cells = [cell for line in self.lines if line.is_absent for cell in line.cells[self.lead :]]
        return any(cell.plain_text not in NOTHING for cell in cells)


def grids(view: View, rows: pd.DataFrame, in_print: bool) -> list[Grid]:
    """Lay a view out; one grid a block that has rows."""
    records = rows.to_dict("records")
    if callable(view.columns):
        view = replace(view, columns=tuple(view.columns(rows)))
    if view.group_titles is None:
        return [_grid(view, "", records, in_print)]
    blocks = {name: [row for row in records if row["method_group"] == name] for name in view.group_titles}
    return [_grid(view, view.group_titles[name], found, in_print) for name, found in blocks.items() if found]


def _grid(view: View, title: str, rows: Sequence[Row], in_print: bool) -> Grid:
    is_wide = bool(view.pivot_by) and (in_print or view.wide)
    lead, columns = (
        [column for column in kind if (column.latex_heading if in_print else column.on_page)]
        for kind in (view.lead, view.columns)
    )
    more = [] if in_print else [column for column in (*lead, *columns) if column.detail]
    lead, columns = ([column for column in kind if column not in more] for kind in (lead, columns))
    values = [None]
    if is_wide:
        order, label = ACROSS[view.pivot_by]
        values = list(dict.fromkeys(row[view.pivot_by] for row in rows))
        values = sorted(values, key=order) if order else values
    parts = [_lead(column, in_print) for column in lead]
    for column in columns:
        names = [label(value) for value in values] if is_wide else None
        parts += _in_print(column, names, values) if in_print else _on_page(column, names, values)
    kept = len(parts) if in_print else AT_MOST
    together: dict[object, dict] = {}
    for i, row in enumerate(rows):
        line = tuple(row[name] for name in view.key) if is_wide else i
        together.setdefault(line, {})[row[view.pivot_by] if is_wide else None] = row
    asides = [*parts[kept:], *(_lead(column, False) for column in more)]
    lines = _lines(view, [cell for _, cell in parts[:kept]], asides, together)
    return Grid(title, [head for head, _ in parts[:kept]], len(lead), lines)


Part = tuple[Head, Callable[[Mapping], Cell]]
"""A head, and the function that makes its cell from the rows of a line."""


def _first(by_value: Mapping) -> Row:
    return next(iter(by_value.values()))


def _lead(column: Column, in_print: bool) -> Part:
    heading = column.latex_heading if in_print else column.heading
    return Head(heading, column.style, column.choices), lambda by_value: column.make_cell(_first(by_value))


def _of(column: Column, value: object) -> Callable[[Mapping], Cell]:
    """Make the cell of one of the values that lie side by side."""
    return lambda by_value: (
        column.make_cell(by_value[value]) if value in by_value else Cell(STATUS_NOT_RUN, is_absent=True)
    )


def _beside(column: Column) -> Callable[[Mapping], Cell]:
    return lambda by_value: column.published(_first(by_value))


def _in_print(column: Column, names: list[str] | None, values: Sequence) -> Iterator[Part]:
    """Print before ours, below a common head."""
    group = column.group
    if column.published or (names and column.latex_heading != column.heading):
        group = column.latex_heading
    if column.published:
        yield Head("published", group=group), _beside(column)
    names = ["ours" if column.published else column.latex_heading] if names is None else names
    for name, value in zip(names, values, strict=True):
        yield Head(name, group=group), _of(column, value)


def _on_page(column: Column, names: list[str] | None, values: Sequence) -> Iterator[Part]:
    """Ours, then what is published."""
    for name, value in zip([column.heading] if names is None else names, values, strict=True):
        yield Head(name, column.style, column.choices), _of(column, value)
    if column.published:
        yield Head("published", f"{column.style} published"), _beside(column)


def _lines(view: View, cells: Sequence[Callable], more: Sequence[Part], together: Mapping) -> list[Line]:
    """Make the cells, and mark beginnings of groups and repeated first cells."""
    lines, last = [], None
    for by_value in together.values():
        row = _first(by_value)
        names = [row[name] for name in view.groups]
        first = not view.groups or last is None or names != last
        repeats = last is not None and bool(view.groups) and names[0] == last[0]
        about = row if "method" in row else row | {"feature_scaling": "raw", "method": "data"}
        leading, *others = [cell(by_value) for cell in cells]
        leading = replace(leading, sub_texts=()) if repeats else leading  # what is below it was said once
        anchor = anchor_id(about) if view.anchored else ""
        asides = [(head, cell(by_value)) for head, cell in more]
        lines.append(Line(row, [leading, *others], first, repeats, anchor, asides))
        last = names
    return lines
