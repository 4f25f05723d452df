"""The tables of the page that no study brings: published numbers, claims, data, verification."""

from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from reproduction.reporting.page.table import build_view_context
from reproduction.specs.labels import method_label
from reproduction.specs.multiverse import DEFAULT
from reproduction.specs.table_cells import number_cell, number_columns
from reproduction.specs.table_views import Cell, Column, Row, SubText, View

_ABSENT_CELL = Cell("–", is_absent=True)


def build_rows_context(view: View, rows: Iterable[Mapping]) -> dict | None:
    """Lay out rows that are at hand.

    Parameters
    ----------
    view : View
        How the rows are shown.
    rows : iterable of mapping
        The rows, by the names of the columns.

    Returns
    -------
    dict or None
        As `table.build_view_context` returns it; None where there are no rows.
    """
    return build_view_context(view, {view.name: pd.DataFrame(list(rows), dtype=object)}, "")


def _text_cell(name: str) -> Callable[[Row], Cell | str]:
    """Show a ready cell or words; "none" stands for no words."""
    return lambda row: row[name] if isinstance(row[name], Cell) else str(row[name]) or "none"


def _badge_cell(name: str) -> Callable[[Row], Cell]:
    """Make cells that are badges with the word of a column."""
    return lambda row: Cell(row[name], is_badge=True)


def _verdict_cell(row: Row) -> Cell:
    """Show the verdict on a published number, and the choices that explain it."""
    return Cell(
        row["verdict"], is_badge=True, opens=row["opens"], sub_texts=(SubText(row["under"], name="under"),)
    )


def _text_column(heading: str, name: str, style: str = "", **more) -> Column:
    """Make a column of words."""
    return Column(heading, _text_cell(name), style=style, **more)


def _detail_column(heading: str, name: str, **more) -> Column:
    """Make a column of the dialog of a row."""
    return _text_column(heading, name, detail=True, **more)


def _reproduced_cell(row: Row) -> Cell:
    """Show how many numbers of a row are reproduced by default, of those that were measured."""
    # agreeing and consistent numbers both count as reproduced
    reproduced = row["agrees"] + row["consistent"]
    return Cell(f"{reproduced:.0f} of {row['numbers']:.0f}", reproduced) if row["numbers"] else _ABSENT_CELL


def _recovered_cell(row: Row) -> Cell:
    """Show how many numbers of a row the combination recovers, of those that differ."""
    if row["specification"] == DEFAULT:
        return _ABSENT_CELL
    return Cell(f"{row['recovered']:.0f} of {row['differs']:.0f}", row["recovered"])


def _splits_cell(row: Row) -> str:
    """Say on how many splits the combination was tried, and the default."""
    if row["specification"] == DEFAULT:
        return "none"
    return f"{row['splits']:.0f}; the default on {row['default_splits']:.0f}"


def _method_column(heading: str, name: str) -> Column:
    """Make a column of methods by their labels."""
    return Column(heading, lambda row: method_label(row[name]), style="")


def truncate_text(text: str, max_words: int = 25) -> str:
    """Truncate a text after some words, at the end of a clause if one ends in the second half.

    Parameters
    ----------
    text : str
        The text.
    max_words : int, default 25
        How many words are kept at most.

    Returns
    -------
    str
        The text, or its beginning with an ellipsis.
    """
    split_words = text.split()
    if len(split_words) <= max_words:
        return text
    # an end of clause in the first half would cut too much
    ends = [
        i for i, word in enumerate(split_words[:max_words], 1) if i >= max_words // 2 and word[-1] in ".;:?!"
    ]
    return " ".join(split_words[: ends[-1] if ends else max_words]) + " …"


PUBLISHED_VALUES_VIEW = View(
    "published",
    "",
    lead=(
        Column("Data set", lambda row: Cell(row["dataset"], link=row["anchor"]), style=""),
        _text_column("Method", "method", choices="method"),
    ),
    columns=(
        _text_column("Quantity", "quantity", choices="quantity"),
        _text_column("Published", "published", "num"),
        _text_column("Ours", "ours", "num"),
        Column("Verdict", _verdict_cell, style="", choices="verdict"),
        _detail_column("Reason", "reason"),
        _detail_column("Published, with its spread", "published_spread"),
        _detail_column("Ours, with its spread", "ours_spread"),
        _detail_column("Margin", "margin"),
        _detail_column("w = 0", "zero"),
        _detail_column("Kind", "kind", choices="kind"),
        _detail_column("Study", "study", choices="study"),
        _detail_column("Artefact", "artefact", choices="artefact"),
    ),
    groups=("dataset", "study", "artefact", "quantity"),
    label="All published numbers",
    filtered=True,
)

CLAIMS_VIEW = View(
    "claims",
    "Claims of the paper",
    lead=(_text_column("The paper claims", "sentence", "words"),),
    columns=(
        _text_column("Where", "place", "words"),
        _text_column("Read as", "reading", "text in-dialog"),
        Column("Verdict", _badge_cell("verdict"), style="", choices="verdict"),
        Column("Share", lambda row: number_cell(row["share"], "{:.0%}".format, "")),
        Column("We find", lambda row: truncate_text(row["evidence"]), style="text in-dialog"),
        _detail_column("Judged as", "reading"),
        _detail_column("We find, in full", "evidence"),
        _detail_column("Robustness", "robustness"),
    ),
    label="Claims of {study}",
    filtered=True,
    lead_text="Testable statements. Each is judged under every option of the choices that the paper leaves "
    "open, and a vague one in several readings. <em>Share</em>: the share of the deciding specifications in "
    "which it holds. <em>We find</em>: the result under the default choices. Click the badge for details.",
)

OPTION_EFFECTS_VIEW = View(
    "option_effects",
    "Numbers recovered by each option",
    lead=(_text_column("Choice", "choice", choices="choice"), _text_column("Option", "option")),
    columns=(
        *number_columns(("Compared", "compared", ".0f"), ("Recovers", "recovered", ".0f")),
        *number_columns(("Loses", "lost", ".0f")),
        *number_columns(("Rows explained", "explains", ".0f")),
    ),
    label="Levels of {study}",
    filtered=True,
    small=True,
    folded="options of the choices",
    lead_text="One option of a choice is changed, the others keep their defaults. Pairs of options are "
    "shown only if they explain a row, or are the best single combination. Each option is compared with the "
    "default on the splits on which it was tried.",
)

EXPLANATIONS_VIEW = View(
    "explanations",
    "Explanations by row",
    lead=(
        _text_column("Table", "table", choices="table"),
        _text_column("Data set", "dataset"),
    ),
    columns=(
        Column("Agree or consistent", _reproduced_cell, style="num"),
        Column("Verdict", _badge_cell("verdict"), style="", choices="verdict"),
        Column(
            "Combination",
            lambda row: "" if row["specification"] == DEFAULT else row["specification"],
            style="words",
        ),
        Column("Recovers", _recovered_cell, style="num"),
        *number_columns(("Closes", "closed", ".0%")),
        Column("Splits", _splits_cell, style="", detail=True),
        _detail_column("Reason", "reason"),
        _detail_column("Published, ours by default and with the combination", "values"),
    ),
    label="Rows of the tables of {study}",
    filtered=True,
    small=True,
    folded="rows",
    lead_text="A combination of at most two options explains a row if it recovers two numbers that differ, "
    "or all of them, closes at least half of each of their gaps, and loses none that was reproduced, on the "
    "splits on which it was tried. Two rows of a table never need different options of one choice.",
)

FACTORS_VIEW = View(
    "factors",
    "Ratios of run times",
    lead=(_text_column("Data set", "dataset", choices="dataset"), _method_column("Method", "method")),
    columns=(
        _method_column("Beside", "other"),
        *number_columns(("Published", "published", ""), ("Ours", "ours", "")),
        _text_column("Faster", "verdict", choices="faster"),
    ),
    groups=("dataset",),
    label="Factors between the times of {study}",
    filtered=True,
    small=True,
    folded="pairs",
    lead_text="Ratio of the mean seconds: the first method over the second.",
)


VERIFICATION_VIEW = View(
    "verified",
    "",
    lead=(_text_column("Method", "method"),),
    columns=(
        *number_columns(("Cases", "cases", "d")),
        Column(
            "Passed",
            lambda row: number_cell(row["passed"], "{:d}".format, strong=row["passed"] < row["cases"]),
        ),
        *number_columns(
            ("Largest relative gap", "relative_gap", ".1e"), ("Allowed there", "tolerance", ".0e")
        ),
        _detail_column("Each case", "each"),
    ),
    label="Verification by method",
)


def make_data_view(counts: Iterable[str]) -> View:
    """Make the view of the table of data sets; two of the counts stand in it, the others in the dialog.

    Parameters
    ----------
    counts : iterable of str
        Columns with counts.

    Returns
    -------
    View
    """
    return View(
        "data",
        "",
        lead=(_text_column("Data set", "dataset"),),
        columns=(
            _text_column("Papers", "papers", "words"),
            Column("Status", _badge_cell("status"), style="", choices="status"),
            *(
                _text_column(name.capitalize(), name, "num", detail=name not in ("rows", "features"))
                for name in counts
            ),
            _text_column("Verdict", "verdict", "words"),
            Column(
                "Source", lambda row: Cell("page", link=row["source"]) if row["source"] else "none", style=""
            ),
            _detail_column("Licence", "licence"),
            _detail_column("Notes", "notes"),
            _detail_column("SHA-256", "sha256"),
        ),
        label="Data sets",
        filtered=True,
    )


FAILURES_VIEW = View(
    "failures",
    "",
    lead=(_text_column("Data set", "dataset"), _text_column("Method", "method", choices="method")),
    columns=(
        _text_column("Study", "study", choices="study"),
        _text_column("Features", "feature_scaling"),
        _text_column("Split", "split"),
        _text_column("Role", "role"),
        Column("Status", _badge_cell("status"), style="", choices="status"),
        _detail_column("Message", "message"),
    ),
    label="Failures",
    filtered=True,
)
