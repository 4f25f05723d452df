"""Columns of tables as a reader sees them: records that the renderers of print and page lay out alike.

A `View` says which columns a table shows, a `Column` what stands in it, and a `Cell` is what stands there, in
text that is neither LaTeX nor HTML.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from reproduction.core.formatting import format_mean_std, format_short, typeset_minus
from reproduction.core.results import MEAN_DATASET, STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.labels import method_label

Row = Mapping[str, Any]
"""A row of a table: column -> value."""


@dataclass(frozen=True)
class SubText:
    """Small type below the text of a cell; in print it stands in parentheses or on its own line.

    Attributes
    ----------
    text : str
        Nothing stands there if it is empty.
    name : str
        What it is, said before it on the page.
    style : str
        Its class on the page.
    """

    text: str
    name: str = ""
    strong: bool = False
    on_page: bool = True
    style: str = ""


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
        A sign behind the text, and what it says; without a sign, what is said of the text.
    fits : str
        The fits to which the number leads (`fits_key`).
    link : str
        Where on the page it leads.
    is_badge : bool
        Whether it is a word of a few, such as a verdict, that bears a colour on the page.
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

    @property
    def sort_key(self) -> str:
        """The number by which it sorts, as text; "" where there is none."""
        return "" if math.isnan(self.value) else f"{self.value:.6g}"

    @property
    def plain_text(self) -> str:
        """All that it says, in one line."""
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
        On the page.
    cell : callable
        Row -> cell, or its text.
    published : callable, optional
        Row -> cell of what the paper prints, in a column beside ours.
    latex_heading : str
        Heading in print; empty where the column stands on the page only.
    group : str
        Heading, in print, above the columns that have the same.
    detail : bool
        Whether it stands, on the page, in the dialog of its row and not in the table.
    style : str
        Class on the page: "num" sorts by numbers, "words" and "text" are wide.
    choices : str
        By this name a reader filters the rows; empty: not at all.
    fits : callable
        Row -> whether the number leads to its fits.
    quantity : str
        The published quantity that it shows: on the page its verdict stands below.
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
        """Make the cell of a row."""
        cell = self.cell(row)
        cell = Cell(cell) if isinstance(cell, str) else cell
        if self.style == "num":
            sub_texts = tuple(replace(line, text=typeset_minus(line.text)) for line in cell.sub_texts)
            cell = replace(cell, text=typeset_minus(cell.text), sub_texts=sub_texts)
        return replace(cell, fits=fits_key(row)) if self.fits(row) else cell


@dataclass(frozen=True)
class LatexLayout:
    """How a table stands on paper.

    Attributes
    ----------
    size : str
        Of the type, as LaTeX.
    gap : str
        Between columns, on each side.
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
        Of its anchor on the page, and of the table whose rows it shows.
    title : str
        Empty where it stands below another one.
    lead : tuple of Column
        What says which row it is; the first is the head of the row.
    columns : tuple of Column, or callable
        Or rows -> columns, where which there are depends on the rows.
    rows : callable, optional
        Tables of a study by their names -> rows, or None; by default the rows of the table `name`.
    across : str
        Column of the rows whose values lie side by side, in print and, if `wide`, on the page: "method",
        "feature_scaling", or "heading", what stands above. The rows that agree in `key` make one line.
    blocks : mapping of str to str
        Value of the column ``method_group`` of the rows -> title of a table of its own.
    groups : tuple of str
        Columns whose change begins a group of rows; the first is not said again. Empty: every row does.
    anchored : bool
        Whether a row may be led to.
    label : str
        Of the region on the page, with ``{title}``, ``{study}`` and the title of a group as
        ``{method_group}``.
    filtered : bool
        Whether a reader may filter the rows.
    folded : str
        What the rows are that a reader has to unfold; empty where they are open.
    say, otherwise : str
        What stands above it on the page, HTML as a Jinja2 template that knows the name of the `study`; and
        where there are no rows. Without `empty_text`, nothing does.
    small : bool
        Whether its title is one of a part.
    after : str
        Name of the figure behind which it stands.
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


def number_cell(
    value: float, format_value: Callable[[float], str] = format_short, missing: str = "–", **options: Any
) -> Cell:
    """Make the cell of a number; the word stands where it is NaN."""
    if pd.isna(value):
        return Cell(missing, is_absent=True, **options)
    return Cell(format_value(value), value, **options)


def missing_text(row: Row) -> str:
    """Say what stands in the cells of a row that have no number."""
    return (
        row["data_status"] if row["data_status"] in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN) else "not defined"
    )


def value_cell(name: str, format_value: Callable[[float], str] = format_short) -> Callable[[Row], Cell]:
    """Show the number of a column, or why there is none."""
    return lambda row: number_cell(row[name], format_value, missing_text(row))


def mean_cell(name: str) -> Callable[[Row], Cell]:
    """Show a mean and its standard deviation, the columns ``<name>_mean`` and ``<name>_std``."""
    return lambda row: _spread_cell(row, name, missing_text(row))


def published_mean_cell(name: str) -> Callable[[Row], Cell]:
    """Show the published mean and standard deviation of a quantity."""
    return lambda row: _spread_cell(row, f"published_{name}", "not published")


def _spread_cell(row: Row, name: str, word: str) -> Cell:
    return number_cell(row[f"{name}_mean"], lambda mean: format_mean_std(mean, row[f"{name}_std"]), word)


def has_value(name: str) -> Callable[[Row], bool]:
    """Whether a row has a number in a column, so that the cell beside it leads to its fits, too."""
    return lambda row: has_fits(row) and not math.isnan(row[name])


def has_fits(row: Row) -> bool:
    """Whether a row may have fits; a data set that was not obtained has a fit with this status.

    For a data set that the study did not ask for, the page finds none and makes no link.
    """
    return row["dataset"] != MEAN_DATASET and row["data_status"] != STATUS_NOT_RUN


def fits_key(row: Row) -> str:
    """Return the key of the fits behind a number: study, data set, features and method."""
    return "/".join(row[name] for name in ("study", "dataset", "feature_scaling", "method"))


def _dataset_cell(row: Row) -> Cell:
    """Name the data set of a row, with what is to be said of it."""
    note = row.get("note", "none")
    conditions = {
        f"substitute for {row.get('substitute_for')}": row.get("substitute_for", "none") != "none",
        f"the other variant of {row.get('variant_of')}": row.get("variant_of", "none") != "none",
        row["data_status"]: row["data_status"] != "obtained",
        (note if row["dataset"] == MEAN_DATASET else "see the note"): note != "none",
    }
    sub_text = next((text for text, applies in conditions.items() if applies), "")
    title = next((text for text in (row["reason"], note) if text != "none"), "")
    return Cell(row["dataset"], title=title, sub_texts=(SubText(sub_text),))


def number_columns(*columns: tuple[str, str, str], **options: Any) -> Iterator[Column]:
    """Make columns of numbers from their headings, names and formats; "" writes three significant digits."""
    for heading, name, format_spec in columns:
        format_value = f"{{:{format_spec}}}".format if format_spec else format_short
        yield Column(
            heading,
            lambda row, name=name, format_value=format_value: number_cell(row[name], format_value),
            **options,
        )


def text_cell(name: str) -> Callable[[Row], str]:
    """Show the words of a column."""
    return lambda row: row[name]


DATASET = Column("Data set", _dataset_cell, latex_heading="Data set", style="", choices="dataset")
DATASET_NAME = Column("Data set", text_cell("dataset"), latex_heading="Data set", style="", choices="dataset")
"""Of the data set, without what is said of it."""
FEATURES = Column("Features", text_cell("feature_scaling"), style="", choices="feature_scaling")
METHOD = Column(
    "Method", lambda row: method_label(row["method"]), latex_heading="Method", style="", choices="method"
)
STATUSES = Column("Statuses", text_cell("statuses"), style="", detail=True)


def without_filter(column: Column) -> Column:
    """Take the filter from a column."""
    return replace(column, choices="")
