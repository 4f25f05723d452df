"""The tables of the page that no study brings: printed numbers, claims, data, verification, slips."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from reproduction.columns import Cell, Column, Row, View
from reproduction.report.page.view import shown


def laid_out(view: View, rows: Iterable[Mapping], study: str = "") -> dict | None:
    """Lay out rows that are at hand; None where there are none."""
    return shown(view, {view.name: pd.DataFrame(list(rows), dtype=object)}, study)


def _words(name: str) -> Callable[[Row], Cell | str]:
    """Show a cell that is made, or words, or what says that there are none."""
    return lambda row: row[name] if isinstance(row[name], Cell) else str(row[name]) or "none"


def _chip(name: str) -> Callable[[Row], Cell]:
    return lambda row: Cell(row[name], chip=True)


def _text(heading: str, name: str, style: str = "", **more) -> Column:
    return Column(heading, _words(name), style=style, **more)


def _aside(heading: str, name: str, style: str = "", **more) -> Column:
    """Make a column of the dialog of a row."""
    return _text(heading, name, style, detail=True, **more)


PRINTED = View(
    "printed",
    "",
    lead=(
        Column("Data set", lambda row: Cell(row["dataset"], link=row["anchor"]), style=""),
        _text("Method", "method", choices="method"),
    ),
    columns=(
        _text("Quantity", "quantity", choices="quantity"),
        _text("Printed", "printed", "num"),
        _text("Ours", "ours", "num"),
        Column("Verdict", _chip("verdict"), style="", choices="verdict"),
        _text("Reasons", "note", "num"),
        _aside("Reason", "reason"),
        _aside("Printed, with its spread", "printed_spread"),
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
    label="All printed numbers",
    filtered=True,
)

CLAIMS = View(
    "claims",
    "What the paper claims",
    lead=(_text("Claim", "sentence", "words"),),
    columns=(
        _text("Where", "place", "words"),
        Column("Verdict", _chip("verdict"), style="", choices="verdict"),
        _text("Share", "share", "num"),
        _text("Found", "found", "text"),
        _aside("Found, in full", "evidence"),
        _aside("Readings", "readings"),
    ),
    label="Claims of {study}",
    filtered=True,
    say="Sentences that could be false. Each is judged once for every reading of what the paper "
    "leaves open. <em>Share</em>: the share of the deciding readings in which it holds. <em>Found</em>: "
    "what the default choices give.",
)

LEVELS = View(
    "levels",
    "What each level explains",
    lead=(_text("Axis", "axis", choices="axis"), _text("Level", "level")),
    columns=(
        _text("Compared", "compared", "num"),
        _text("Brings back", "brought_back", "num"),
        _text("Takes away", "taken_away", "num"),
        _text("Balance", "balance", "num"),
        _text("Explains", "explains", "num"),
    ),
    label="Levels of {study}",
    filtered=True,
    small=True,
    folded="levels of the axes",
    say="One level of an axis is changed, the others stay at their defaults; of two levels together only "
    "those that explain a number are shown. A level that takes away as many as it brings back explains "
    "nothing.",
)

FACTORS = View(
    "factors",
    "Who is faster than whom",
    lead=(_text("Data set", "dataset", choices="dataset"), _text("Method", "method")),
    columns=(
        _text("Beside", "other"),
        _text("Printed", "printed", "num"),
        _text("Ours", "ours", "num"),
        _text("Faster", "verdict", choices="faster"),
    ),
    groups=("dataset",),
    label="Factors between the times of {study}",
    filtered=True,
    small=True,
    folded="pairs",
    say="By what factor the first method takes longer than the second one, by the means.",
)

VERIFIED = View(
    "verified",
    "",
    lead=(_text("Method", "method"),),
    columns=(
        _text("Cases", "cases", "num"),
        _text("Passed", "passed", "num"),
        _text("Largest relative gap", "relative_gap", "num"),
        _text("Allowed there", "tolerance", "num"),
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


ERRATA = View(
    "errata",
    "",
    lead=(_text("Where", "place", "words"), _text("Paper", "paper", choices="paper", style="words")),
    columns=(
        _text("Printed", "printed", "words"),
        _text("Corrected", "corrected", "words"),
        _text("As printed", "printed_value", "num"),
        _text("As corrected", "corrected_value", "num"),
        _text("Limit", "threshold", "num"),
        _aside("What was computed", "computed"),
    ),
    label="Slips of the papers",
    filtered=True,
)

FAILURES = View(
    "failures",
    "",
    lead=(_text("Data set", "dataset"), _text("Method", "method", choices="method")),
    columns=(
        _text("Study", "study", choices="study"),
        _text("Features", "features"),
        _text("Split", "split"),
        _text("Role", "role"),
        Column("Status", _chip("status"), style="", choices="status"),
        _aside("Message", "message"),
    ),
    label="Failures",
    filtered=True,
)
