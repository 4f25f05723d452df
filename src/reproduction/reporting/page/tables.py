"""The tables of the page that no study brings: published numbers, claims, data, verification."""

from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from reproduction.reporting.page.table import shown
from reproduction.specs.labels import method_label
from reproduction.specs.table_views import Cell, Column, Row, SubText, View, number_cell, number_columns


def laid_out(view: View, rows: Iterable[Mapping]) -> dict | None:
    """Lay out rows that are at hand; None where there are none."""
    return shown(view, {view.name: pd.DataFrame(list(rows), dtype=object)}, "")


def _words(name: str) -> Callable[[Row], Cell | str]:
    """Show a ready cell or words; "none" stands for no words."""
    return lambda row: row[name] if isinstance(row[name], Cell) else str(row[name]) or "none"


def _chip(name: str) -> Callable[[Row], Cell]:
    return lambda row: Cell(row[name], is_badge=True)


def _verdict(row: Row) -> Cell:
    """Show the verdict on a published number, and the choices under which it is recovered."""
    return Cell(row["verdict"], is_badge=True, sub_texts=(SubText(row["under"], name="under"),))


def _text(heading: str, name: str, style: str = "", **more) -> Column:
    return Column(heading, _words(name), style=style, **more)


def _aside(heading: str, name: str, **more) -> Column:
    """Make a column of the dialog of a row."""
    return _text(heading, name, detail=True, **more)


def _method(heading: str, name: str) -> Column:
    return Column(heading, lambda row: method_label(row[name]), style="")


def opening(text: str, words: int = 25) -> str:
    """Cut a text off behind so many words, at the end of a clause if there is one on the way."""
    said = text.split()
    if len(said) <= words:
        return text
    ends = [i for i, word in enumerate(said[:words], 1) if i >= words // 2 and word[-1] in ".;:?!"]
    return " ".join(said[: ends[-1] if ends else words]) + " …"


PUBLISHED = View(
    "published",
    "",
    lead=(
        Column("Data set", lambda row: Cell(row["dataset"], link=row["anchor"]), style=""),
        _text("Method", "method", choices="method"),
    ),
    columns=(
        _text("Quantity", "quantity", choices="quantity"),
        _text("Published", "published", "num"),
        _text("Ours", "ours", "num"),
        Column("Verdict", _verdict, style="", choices="verdict"),
        _text("Reasons", "note", "num"),
        _aside("Reason", "reason"),
        _aside("Published, with its spread", "published_spread"),
        _aside("Ours, with its spread", "ours_spread"),
        _aside("Margin", "margin"),
        _aside("Smallest seen", "smallest"),
        _aside("w = 0", "zero"),
        _aside("Checked and excluded", "excluded"),
        _aside("Kind", "kind", choices="kind"),
        _aside("Study", "study", choices="study"),
        _aside("Artefact", "artefact", choices="artefact"),
    ),
    groups=("dataset", "study", "artefact", "quantity"),
    label="All published numbers",
    filtered=True,
)

CLAIMS = View(
    "claims",
    "What the paper claims",
    lead=(_text("Claim", "sentence", "words"),),
    columns=(
        _text("Where", "place", "words"),
        Column("Verdict", _chip("verdict"), style="", choices="verdict"),
        Column("Share", lambda row: number_cell(row["share"], "{:.0%}".format, "")),
        Column("Found", lambda row: opening(row["evidence"]), style="text"),
        _aside("Found, in full", "evidence"),
        _aside("Robustness", "robustness"),
    ),
    label="Claims of {study}",
    filtered=True,
    lead_text="Statements that can be tested. Each is judged under every option of what "
    "the paper leaves open. <em>Share</em>: how many of the deciding specifications it holds in. "
    "<em>Found</em>: the result "
    "under the default choices.",
)

OPTION_EFFECTS = View(
    "option_effects",
    "What each option recovers",
    lead=(_text("Choice", "choice", choices="choice"), _text("Option", "option")),
    columns=(
        *number_columns(("Compared", "compared", ".0f"), ("Recovers", "recovered", ".0f")),
        *number_columns(("Loses", "lost", ".0f")),
        Column("Balance", lambda row: number_cell(row["recovered"] - row["lost"], "{:+.0f}".format)),
        *number_columns(("Explains", "explains", ".0f")),
    ),
    label="Levels of {study}",
    filtered=True,
    small=True,
    folded="options of the choices",
    lead_text="One option of a choice is changed, the others stay at their defaults. Pairs of options are "
    "shown only if they recover a number. An option that loses as many as it recovers explains nothing.",
)

FACTORS = View(
    "factors",
    "Who is faster than whom",
    lead=(_text("Data set", "dataset", choices="dataset"), _method("Method", "method")),
    columns=(
        _method("Beside", "other"),
        *number_columns(("Published", "published", ""), ("Ours", "ours", "")),
        _text("Faster", "verdict", choices="faster"),
    ),
    groups=("dataset",),
    label="Factors between the times of {study}",
    filtered=True,
    small=True,
    folded="pairs",
    lead_text="Ratio of the mean seconds: the first method over the second.",
)


VERIFIED = View(
    "verified",
    "",
    lead=(_text("Method", "method"),),
    columns=(
        *number_columns(("Cases", "cases", "d")),
        Column(
            "Passed",
            lambda row: number_cell(row["passed"], "{:d}".format, strong=row["passed"] < row["cases"]),
        ),
        *number_columns(
            ("Largest relative gap", "relative_gap", ".1e"), ("Allowed there", "tolerance", ".0e")
        ),
        _aside("Each case", "each"),
    ),
    label="Verification by method",
)


def data_view(counts: Iterable[str]) -> View:
    """Describe the table of data sets; two of their counts stand in it, the others in the dialog."""
    return View(
        "data",
        "",
        lead=(_text("Data set", "dataset"),),
        columns=(
            _text("Papers", "papers", "words"),
            Column("Status", _chip("status"), style="", choices="status"),
            *(
                _text(name.capitalize(), name, "num", detail=name not in ("rows", "features"))
                for name in counts
            ),
            _text("Verdict", "verdict", "words"),
            Column(
                "Source", lambda row: Cell("page", link=row["source"]) if row["source"] else "none", style=""
            ),
            _aside("Licence", "licence"),
            _aside("Notes", "notes"),
            _aside("SHA-256", "sha256"),
        ),
        label="Data sets",
        filtered=True,
    )


FAILURES = View(
    "failures",
    "",
    lead=(_text("Data set", "dataset"), _text("Method", "method", choices="method")),
    columns=(
        _text("Study", "study", choices="study"),
        _text("Features", "feature_scaling"),
        _text("Split", "split"),
        _text("Role", "role"),
        Column("Status", _chip("status"), style="", choices="status"),
        _aside("Message", "message"),
    ),
    label="Failures",
    filtered=True,
)
