"""Columns of tables as a reader sees them: records that the renderers of print and page lay out alike.

A `View` says which columns a table shows, a `Column` what stands in it, and a `Cell` is what stands there, in
text that is neither LaTeX nor HTML.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from reproduction.core.formatting import typeset_minus

Row = Mapping[str, Any]
"""A row of a table: column -> value."""


@dataclass(frozen=True)
class SubText:
    """Small type below the text of a cell; in LaTeX it stands in parentheses or on its own line.

    Attributes
    ----------
    text : str
        Nothing stands there if it is empty.
    name : str
        Name of the quantity, before the text on the page.
    style : str
        CSS class on the page.
    strong : bool
        Whether it is set in bold.
    on_page : bool
        Whether it stands on the page, and not in LaTeX alone.
    opens : str
        Address of the dialog on the page that it opens.
    """

    text: str
    name: str = ""
    strong: bool = False
    on_page: bool = True
    style: str = ""
    opens: str = ""


@dataclass(frozen=True)
class Cell:
    """What stands in a cell.

    Attributes
    ----------
    value : float
        The number by which it sorts; NaN where there is none.
    is_absent : bool
        Whether the text stands for a number that is not there.
    underlined : str
        Why it is underlined; empty where it is not.
    mark, title : str
        A sign behind the text, and its tooltip; without a sign, the tooltip of the text.
    fits : str
        The fits to which the number leads (`fits_key`).
    link : str
        Address on the page to which it leads.
    is_badge : bool
        Whether it is a word of a few, such as a verdict, that bears a colour on the page.
    text : str
        What stands in it.
    strong : bool
        Whether it is set in bold.
    sub_texts : tuple of SubText
        What stands below it, in small type.
    opens : str
        Address of the dialog on the page that a badge opens.
    """

    text: str
    value: float = math.nan
    is_absent: bool = False
    strong: bool = False
    underlined: str = ""
    mark: str = ""
    title: str = ""
    sub_texts: tuple[SubText, ...] = ()
    fits: str = ""
    link: str = ""
    is_badge: bool = False
    opens: str = ""

    @property
    def sort_key(self) -> str:
        """The number by which the cell sorts, as text; empty where there is none."""
        return "" if math.isnan(self.value) else f"{self.value:.6g}"

    @property
    def plain_text(self) -> str:
        """Text, mark and lines below of the cell as plain text, on one line."""
        sub_texts = [
            f"{line.name} {line.text}".strip() for line in self.sub_texts if line.text and line.on_page
        ]
        return "; ".join([f"{self.text} {self.mark}".strip(), *sub_texts])


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    heading : str
        Heading on the page.
    cell : callable
        Row -> cell, or its text.
    published : callable, optional
        Row -> cell of the published value, in a column beside ours.
    latex_heading : str
        Heading in LaTeX; empty where the column stands on the page only.
    group : str
        Heading, in LaTeX, above the columns that have the same.
    detail : bool
        Whether it stands, on the page, in the dialog of its row and not in the table.
    style : str
        CSS class on the page: "num" sorts by numbers, "words" and "text" are wide.
    choices : str
        By this name a reader filters the rows; empty: not at all.
    fits : callable
        Row -> whether the number leads to its fits.
    quantity : str
        The published quantity that it shows: on the page its verdict stands below.
    on_page : bool
        Whether it stands on the page, and not in LaTeX alone.
    """

    heading: str
    cell: Callable[[Row], Cell | str]
    published: Callable[[Row], Cell] | None = None
    latex_heading: str = ""
    group: str = ""
    on_page: bool = True
    detail: bool = False
    style: str = "num"
    choices: str = ""
    fits: Callable[[Row], bool] = lambda row: False
    quantity: str = ""

    def make_cell(self, row: Row) -> Cell:
        """Make the cell of a row.

        Parameters
        ----------
        row : Row
            Row of the table.

        Returns
        -------
        Cell
            The cell; in a column of numbers with the minus sign of mathematics.
        """
        cell = self.cell(row)
        cell = Cell(cell) if isinstance(cell, str) else cell
        # columns of numbers have the minus of mathematics, also in the lines below
        if self.style == "num":
            sub_texts = tuple(replace(line, text=typeset_minus(line.text)) for line in cell.sub_texts)
            cell = replace(cell, text=typeset_minus(cell.text), sub_texts=sub_texts)
        return replace(cell, fits=fits_key(row)) if self.fits(row) else cell


@dataclass(frozen=True)
class LatexLayout:
    """How a table is set in LaTeX.

    Attributes
    ----------
    size : str
        Command of the type size.
    gap : str
        Space between columns, on each side, as a LaTeX length.
    remarks : tuple of str
        Comments in the file.
    ruled : bool
        Whether a line stands between data sets.
    lines : tuple of str
        Names of the lines of a cell: its text, then what stands below it. Without names that follows in
        parentheses.
    """

    size: str = r"\fontsize{6}{6.8}\selectfont"
    gap: str = "2.5pt"
    remarks: tuple[str, ...] = ()
    ruled: bool = False
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """A table as a reader sees it.

    Attributes
    ----------
    name : str
        Name of its anchor on the page, and of the table whose rows it shows.
    title : str
        Heading; empty where it stands below another one. A published table has the publication's name and
        number before the colon: the published numbers are shown under them.
    lead : tuple of Column
        Columns that identify a row; the first is the head of the row.
    columns : tuple of Column, or callable
        Or rows -> columns, where which there are depends on the rows.
    rows : callable, optional
        Tables of a study by their names -> rows, or None; by default the rows of the table `name`.
    pivot_by : str
        Column of the rows whose values lie side by side, in LaTeX and, if `wide`, on the page: "method",
        "feature_scaling", or "heading". The rows that agree in `key` make one line.
    group_titles : mapping of str to str, optional
        Value of the column ``method_group`` of the rows -> title of a table of its own.
    groups : tuple of str
        Columns whose change begins a group of rows; the first is not repeated. Empty: every row does.
    anchored : bool
        Whether a row may be led to.
    label : str
        Accessible name of the region on the page, with ``{title}``, ``{study}`` and the title of a group as
        ``{method_group}``.
    filtered : bool
        Whether a reader may filter the rows.
    folded : str
        What the rows are that a reader has to unfold; empty where they are open.
    lead_text, empty_text : str
        HTML above it on the page, as a Jinja2 template that knows the name of the `study`; and the text where
        there are no rows. Without `empty_text`, nothing does.
    small : bool
        Whether its title is one of a part.
    after : str
        Name of the figure behind which it stands.
    key : tuple of str
        Columns of the rows that make one line, where there is a `pivot_by`.
    wide : bool
        Whether the values of `pivot_by` lie side by side on the page as well.
    latex_layout : LatexLayout
        Sizes and remarks of the table in LaTeX.
    """

    name: str
    title: str
    lead: tuple[Column, ...]
    columns: tuple[Column, ...] | Callable[[pd.DataFrame], Iterable[Column]]
    rows: Callable[[Mapping[str, pd.DataFrame]], pd.DataFrame | None] | None = None
    pivot_by: str = ""
    key: tuple[str, ...] = ()
    wide: bool = True
    group_titles: Mapping[str, str] | None = None
    groups: tuple[str, ...] = ()
    anchored: bool = False
    label: str = "{title} of {study}"
    filtered: bool = False
    folded: str = ""
    lead_text: str = ""
    empty_text: str = ""
    small: bool = False
    after: str = ""
    latex_layout: LatexLayout = LatexLayout()

    @property
    def published_name(self) -> str:
        """What the publication calls the table: its title up to a colon, for instance "Table IV"."""
        return self.title.partition(":")[0]

    def select_rows(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame | None:
        """Select the rows that it shows.

        Parameters
        ----------
        tables : Mapping of str to pandas.DataFrame
            Tables of a study by their names.

        Returns
        -------
        pandas.DataFrame or None
            None where its table was not made.
        """
        return tables.get(self.name) if self.rows is None else self.rows(tables)


def fits_key(row: Row) -> str:
    """Return the key of the fits behind a number.

    Parameters
    ----------
    row : Row
        Row of a table.

    Returns
    -------
    str
        Study, data set, feature scaling and method, separated by slashes.
    """
    return "/".join(row[name] for name in ("study", "dataset", "feature_scaling", "method"))
