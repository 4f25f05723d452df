r"""A view of a table as LaTeX: booktabs tabulars, to be ``\input`` inside a table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pandas as pd

from reproduction.core.formatting import escape_breakable, escape_latex, shrink_tabulars
from reproduction.core.results import MEAN_DATASET, read_text
from reproduction.reporting.table_layout import Grid, Head, Line, build_grids
from reproduction.specs.paper import Table
from reproduction.specs.table_views import Cell, View

HEADER_COMMENT = (
    r"% Written by toprank; needs \usepackage{booktabs}\usepackage{graphicx}. \input it inside a table."
)
LONG_TABLE_COMMENT = "% Longer than a page: \\input it outside of a table."
LINES_PER_PAGE = 60
"""Lines of a tabular of a table that is longer than a page."""

MIN_COUNTED_COLUMNS = 4
"""Columns of one alignment from which on they are counted."""


def table_to_latex(table: Table, rows: pd.DataFrame, file: Path) -> str:
    """Write a table as its record says.

    Parameters
    ----------
    table : Table
        The record of the table, with its view or its own writer.
    rows : pandas.DataFrame
        Rows of the table.
    file : Path
        File of the rows, which is read where the record wants them as text.

    Returns
    -------
    str
        The tabulars as LaTeX, with the caption as a comment.
    """
    if table.latex is None:
        text = view_to_latex(table.view, rows)
    else:
        text = table.latex(read_text(file, ()) if table.as_text else rows)
    if not table.caption:
        return text
    header, body = text.split("\n", 1)
    return f"{header}\n% Caption: {escape_breakable(table.caption)}\n{body}"


def view_to_latex(view: View, rows: pd.DataFrame) -> str:
    """Write a view of a table as LaTeX.

    Parameters
    ----------
    view : View
        Which columns are shown, and how.
    rows : pandas.DataFrame
        Rows of its table.

    Returns
    -------
    str
        A tabular a group of rows and, below, why a data set has no number of ours, and its notes.
    """
    layout = view.latex_layout
    lines = [HEADER_COMMENT, *(f"% {remark}" for remark in layout.remarks)]
    lines.append(rf"\begingroup{layout.size}\setlength{{\tabcolsep}}{{{layout.gap}}}%")
    grids = build_grids(view, rows, for_latex=True)
    # longer than two pages: parts of a page each, to be input outside of a float
    if sum(len(grid.lines) for grid in grids) > 2 * LINES_PER_PAGE:
        lines.insert(1, LONG_TABLE_COMMENT)
        grids = [part for grid in grids for part in split_pages(grid)]
    for i, grid in enumerate(grids):
        lines += [rf"\par\medskip {grid.title}\par" if i else rf"{grid.title}\par"] if grid.title else []
        lines += [*([r"\par\medskip"] if i and not grid.title else []), *format_tabular(grid, view)]
    lines += [] if grids else [r"\begin{tabular}{l}", "nothing", r"\end{tabular}"]
    return shrink_tabulars("\n".join([*lines, *format_dataset_notes(rows), r"\par\endgroup", ""]))


def split_pages(grid: Grid) -> Iterator[Grid]:
    """Split a grid into parts of about a page, each with whole data sets.

    Parameters
    ----------
    grid : Grid
        The grid.

    Yields
    ------
    Grid
    """
    lines: list[Line] = []
    for line in grid.lines:
        # a new part begins with a data set, never in the middle of one
        if len(lines) >= LINES_PER_PAGE and not line.repeats:
            yield replace(grid, lines=lines)
            lines = []
        lines.append(line)
    yield replace(grid, lines=lines)


def format_tabular(grid: Grid, view: View) -> Iterator[str]:
    """Write a grid as a booktabs tabular, line by line.

    Parameters
    ----------
    grid : Grid
        The grid.
    view : View
        Its view, for the layout.

    Yields
    ------
    str
    """
    names, lead = view.latex_layout.lines, grid.lead
    heads = [head.text for head in grid.heads]
    count = len(heads) - lead
    # many columns as *{n}{r}: the number can be read
    spec = f"*{{{count}}}{{r}}" if count > MIN_COUNTED_COLUMNS or view.pivot_by else "r" * count
    yield rf"\begin{{tabular}}{{{'l' * (lead + bool(names))}{spec}}}"
    yield r"\toprule"
    yield from format_group_heads(grid.heads)
    yield (
        " & ".join([*map(escape_latex, heads[:lead]), *[""] * bool(names), *map(escape_latex, heads[lead:])])
        + r" \\"
    )
    for i, line in enumerate(grid.lines):
        is_mean_row = line.row.get("dataset") == MEAN_DATASET
        # a rule above the first line, above means over data sets, and between data sets where asked for
        if i == 0 or is_mean_row or (view.latex_layout.ruled and not line.repeats):
            yield r"\midrule"
        yield from _format_line(line, names, lead)
    if not grid.lines:
        yield r"\midrule"
        yield rf"\multicolumn{{{len(heads)}}}{{l}}{{nothing}} \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def format_group_heads(heads: Sequence[Head]) -> Iterator[str]:
    """Write the line of heads that span several columns, and the rules below it.

    Parameters
    ----------
    heads : sequence of Head
        Heads of all columns.

    Yields
    ------
    str
    """
    cells, rules, column = [], [], 1
    for group, group_heads in groupby(heads, key=lambda head: head.group):
        count = len(list(group_heads))
        if group:
            # a common head over its columns, with a rule that leaves the neighbours' columns apart
            cells.append(rf"\multicolumn{{{count}}}{{c}}{{{escape_latex(group)}}}")
            rules.append(rf"\cmidrule(lr){{{column}-{column + count - 1}}}")
        else:
            cells += [""] * count
        column += count
    if rules:
        yield " ".join(" & ".join(cells).split()) + r" \\"
        yield "".join(rules)


def _format_line(line: Line, names: Sequence[str], lead: int) -> Iterator[str]:
    """Write a line of cells, or one for each name of the lines of a cell."""
    lead_cells = ["" if line.repeats else escape_latex(line.cells[0].text)]
    lead_cells += [escape_latex(cell.text) for cell in line.cells[1:lead]]
    if not names:
        yield " & ".join([*lead_cells, *map(_format_cell, line.cells[lead:])]) + r" \\"
        return
    for i, name in enumerate(names):
        # a cell of several lines: the same line of each cell makes a row of the table
        cells = [_format_cell_lines(cell)[i : i + 1] or [""] for cell in line.cells[lead:]]
        if any(text for (text,) in cells):
            yield (
                " & ".join([*(lead_cells if i == 0 else [""] * lead), name, *(t for (t,) in cells)]) + r" \\"
            )


def _format_cell(cell: Cell) -> str:
    """Write a cell, with its sub-texts in parentheses."""
    text, *sub_texts = filter(None, _format_cell_lines(cell))
    return f"{text} ({', '.join(sub_texts)})" if sub_texts else text


def _format_cell_lines(cell: Cell) -> list[str]:
    """Write the text of a cell, then each of its sub-texts."""
    text = _format_bold(escape_math(cell.text), cell.strong)
    text = rf"\underline{{{text}}}" if cell.underlined else text
    text = f"{text} {escape_latex(cell.mark)}" if cell.mark else text
    return [text, *(_format_bold(escape_math(sub_text.text), sub_text.strong) for sub_text in cell.sub_texts)]


def _format_bold(text: str, is_strong: bool) -> str:
    """Write a text in bold where it is to be strong."""
    return rf"\textbf{{{text}}}" if is_strong else text


def escape_math(text: str) -> str:
    """Escape a text, and put signs into mathematics.

    Parameters
    ----------
    text : str
        Plain text.

    Returns
    -------
    str
    """
    # signs in mathematics, where they have the right spaces
    text = escape_latex(text).replace(r"\textasciitilde{}", r"$\sim$")
    return text.replace(r"\textless{}", "$<$").replace("=", "$=$").replace(" \\%", r"\,\%")


def format_dataset_notes(rows: pd.DataFrame) -> Iterator[str]:
    """Write of each data set why it has no number of ours, and its note.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the table.

    Yields
    ------
    str
    """
    if "data_status" not in rows:
        return
    dataset_rows = rows[rows["dataset"] != MEAN_DATASET].drop_duplicates("dataset")
    # data sets that lack for the same reason share a sentence
    missing: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in dataset_rows[dataset_rows["data_status"] != "obtained"].to_dict("records"):
        clause = row["reason"].removeprefix(f"The data set {row['dataset']} ")
        missing.setdefault((row["data_status"], clause), []).append((row["dataset"], row["reason"]))
    for (status, clause), datasets in missing.items():
        names = ", ".join(dataset for dataset, _ in datasets)
        reason = datasets[0][1] if len(datasets) == 1 or clause == datasets[0][1] else f"each {clause}"
        yield rf"\par {escape_latex(names)} ({escape_latex(status)}): {escape_latex(reason)}"
    for row in dataset_rows.to_dict("records"):
        if row.get("note", "none") != "none":
            yield rf"\par {escape_latex(row['dataset'])}: {escape_latex(row['note'])}"
