r"""A view of a table as LaTeX: booktabs tabulars, to be ``\input`` inside a table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pandas as pd

from reproduction.core.formatting import escape_breakable, escape_latex, shrink_tabulars
from reproduction.core.results import MEAN_DATASET, read_text
from reproduction.reporting.table_layout import Grid, Head, Line, grids
from reproduction.specs.paper import Table
from reproduction.specs.table_views import Cell, View

SAID = r"% Written by toprank; needs \usepackage{booktabs}\usepackage{graphicx}. \input it inside a table."
OVER_PAGES = "% Longer than a page: \\input it outside of a table."
PAGE = 60
"""Lines of a tabular of a table that is longer than a page."""

MANY = 4
"""Columns of one alignment from which on they are counted."""


def latex_table(table: Table, rows: pd.DataFrame, file: Path) -> str:
    """Write a table as its record says; `file` is where its rows stand as text."""
    if table.latex is None:
        text = latex_view(table.view, rows)
    else:
        text = table.latex(read_text(file, ()) if table.as_text else rows)
    if not table.caption:
        return text
    origin, rest = text.split("\n", 1)
    return f"{origin}\n% Caption: {escape_breakable(table.caption)}\n{rest}"


def latex_view(view: View, rows: pd.DataFrame) -> str:
    """Write a view.

    `rows`: of its table. Returns: a tabular a block and, below, what is to be said of the data sets: why one
    has no measured number.
    """
    paper = view.latex_layout
    lines = [SAID, *(f"% {remark}" for remark in paper.remarks)]
    lines.append(rf"\begingroup{paper.size}\setlength{{\tabcolsep}}{{{paper.gap}}}%")
    found = grids(view, rows, in_print=True)
    if sum(len(grid.lines) for grid in found) > 2 * PAGE:
        lines.insert(1, OVER_PAGES)
        found = [part for grid in found for part in parts(grid)]
    for i, grid in enumerate(found):
        lines += [rf"\par\medskip {grid.title}\par" if i else rf"{grid.title}\par"] if grid.title else []
        lines += [*([r"\par\medskip"] if i and not grid.title else []), *tabular(grid, view)]
    lines += [] if found else [r"\begin{tabular}{l}", "nothing", r"\end{tabular}"]
    return shrink_tabulars("\n".join([*lines, *notes(rows), r"\par\endgroup", ""]))


def parts(grid: Grid) -> Iterator[Grid]:
    """Cut a grid into parts of about a page, each with whole data sets."""
    lines: list[Line] = []
    for line in grid.lines:
        if len(lines) >= PAGE and not line.repeats:
            yield replace(grid, lines=lines)
            lines = []
        lines.append(line)
    yield replace(grid, lines=lines)


def tabular(grid: Grid, view: View) -> Iterator[str]:
    """Write a grid."""
    names, lead = view.latex_layout.lines, grid.lead
    heads = [head.text for head in grid.heads]
    count = len(heads) - lead
    spec = f"*{{{count}}}{{r}}" if count > MANY or view.pivot_by else "r" * count
    yield rf"\begin{{tabular}}{{{'l' * (lead + bool(names))}{spec}}}"
    yield r"\toprule"
    yield from above(grid.heads)
    yield (
        " & ".join([*map(escape_latex, heads[:lead]), *[""] * bool(names), *map(escape_latex, heads[lead:])])
        + r" \\"
    )
    for i, line in enumerate(grid.lines):
        of_mean = line.row.get("dataset") == MEAN_DATASET
        if i == 0 or of_mean or (view.latex_layout.ruled and not line.repeats):
            yield r"\midrule"
        yield from _lines(line, names, lead)
    if not grid.lines:
        yield r"\midrule"
        yield rf"\multicolumn{{{len(heads)}}}{{l}}{{nothing}} \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def above(heads: Sequence[Head]) -> Iterator[str]:
    """Write what stands above several heads, and the rules below it."""
    cells, rules, column = [], [], 1
    for group, found in groupby(heads, key=lambda head: head.group):
        count = len(list(found))
        if group:
            cells.append(rf"\multicolumn{{{count}}}{{c}}{{{escape_latex(group)}}}")
            rules.append(rf"\cmidrule(lr){{{column}-{column + count - 1}}}")
        else:
            cells += [""] * count
        column += count
    if rules:
        yield " ".join(" & ".join(cells).split()) + r" \\"
        yield "".join(rules)


def _lines(line: Line, names: Sequence[str], lead: int) -> Iterator[str]:
    """Write a line of cells, or one for each name of the lines of a cell."""
    said = ["" if line.repeats else escape_latex(line.cells[0].text)]
    said += [escape_latex(cell.text) for cell in line.cells[1:lead]]
    if not names:
        yield " & ".join([*said, *map(_cell, line.cells[lead:])]) + r" \\"
        return
    for i, name in enumerate(names):
        cells = [_stacked(cell)[i : i + 1] or [""] for cell in line.cells[lead:]]
        if any(text for (text,) in cells):
            yield " & ".join([*(said if i == 0 else [""] * lead), name, *(t for (t,) in cells)]) + r" \\"


def _cell(cell: Cell) -> str:
    """Write a cell, and in parentheses what stands below it."""
    text, *below = filter(None, _stacked(cell))
    return f"{text} ({', '.join(below)})" if below else text


def _stacked(cell: Cell) -> list[str]:
    """Write the text of a cell, and each thing below it."""
    text = _strong(mathematics(cell.text), cell.strong)
    text = rf"\underline{{{text}}}" if cell.underlined else text
    text = f"{text} {escape_latex(cell.mark)}" if cell.mark else text
    return [text, *(_strong(mathematics(below.text), below.strong) for below in cell.sub_texts)]


def _strong(text: str, is_strong: bool) -> str:
    return rf"\textbf{{{text}}}" if is_strong else text


def mathematics(text: str) -> str:
    """Escape a text, and put signs into mathematics."""
    text = escape_latex(text).replace(r"\textasciitilde{}", r"$\sim$")
    return text.replace(r"\textless{}", "$<$").replace("=", "$=$").replace(" \\%", r"\,\%")


def notes(rows: pd.DataFrame) -> Iterator[str]:
    """Say of each data set why it has no measured number, and what is special about it."""
    if "data_status" not in rows:
        return
    sets = rows[rows["dataset"] != MEAN_DATASET].drop_duplicates("dataset")
    missing: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in sets[sets["data_status"] != "obtained"].to_dict("records"):
        shared = row["reason"].removeprefix(f"The data set {row['dataset']} ")
        missing.setdefault((row["data_status"], shared), []).append((row["dataset"], row["reason"]))
    for (status, shared), found in missing.items():
        names = ", ".join(dataset for dataset, _ in found)
        reason = found[0][1] if len(found) == 1 or shared == found[0][1] else f"each {shared}"
        yield rf"\par {escape_latex(names)} ({escape_latex(status)}): {escape_latex(reason)}"
    for row in sets.to_dict("records"):
        if row.get("note", "none") != "none":
            yield rf"\par {escape_latex(row['dataset'])}: {escape_latex(row['note'])}"
