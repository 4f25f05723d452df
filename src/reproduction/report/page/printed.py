"""The table of all printed numbers on the page, and how many of them agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

import pandas as pd

from reproduction.columns import Cell, fits_key
from reproduction.comparison.coverage import printed_cells, shown_rows
from reproduction.comparison.verdicts import VERDICTS
from reproduction.labels import method_label, row_id
from reproduction.printed import cell_text
from reproduction.report.studies import StudyReport
from reproduction.tables import NOT_OBTAINED
from reproduction.text import with_spread

ARTEFACTS = {"table3": "Table III", "table4": "Table IV", "table5": "Table V", "table6": "Table VI"}
"""Tables that their paper counts in Roman numerals."""

LONG = 120
"""Characters of a reason from which on only its first clause is shown at once."""

COUNTS = {True: "yes", False: "context"}
"""Whether a row stands for a printed number -> the word for it."""


def counted(study: StudyReport) -> set[int]:
    """Find the rows of a study's comparison that stand for a printed number; the others are context.

    Context are a second block of features, a substitute or another reading of a data set, and what a paper
    says in words; `coverage.shown_rows` says which row counts.
    """
    found = shown_rows(printed_cells(study.name, study.published), study.comparison)
    return set(found.loc[(found["why"] == "") & (found["column"] == "published"), "row"])


def verdict_counts(
    comparison: pd.DataFrame, by: Sequence[str], more: Mapping[str, str] | None = None
) -> list[dict]:
    """Count the verdicts of the printed numbers.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Rows of the comparison.
    by : sequence of str
        Columns that tell the groups apart.
    more : mapping of str to str, optional
        What else the links filter by.

    Returns
    -------
    list of dict
        For each group in the order of its first row: its names, ``total``, and ``verdicts``, each with name,
        count, share of the total in per cent, and ``link`` to the table of printed numbers filtered to it.
    """
    found = []
    for names, rows in comparison.groupby(list(by), sort=False) if len(comparison) else ():
        about = dict(zip(by, names, strict=True))
        shown = {name: _shown(name, value) for name, value in about.items()}
        verdicts = []
        for verdict in VERDICTS:
            count = int((rows["verdict"] == verdict).sum())
            query = urlencode(shown | (more or {}) | {"verdict": verdict})
            verdicts.append(
                {
                    "name": verdict,
                    "css": verdict.replace(" ", "-"),
                    "count": count,
                    "share": f"{100 * count / len(rows):.2f}",
                    "link": f"#printed?{query}",
                }
            )
        everything = f"#printed?{urlencode(shown | (more or {}))}"
        found.append(shown | {"total": len(rows), "verdicts": verdicts, "link": everything})
    return found


def printed_rows(studies: Iterable[StudyReport], groups: Mapping[str, Mapping]) -> list[dict]:
    """Format the comparison of all studies.

    Parameters
    ----------
    studies : iterable of StudyReport
    groups : mapping
        ``studies`` of `fits.fits_data`: a number leads to its fits where there are some.
    """
    rows = []
    for study in studies:
        known = anchors(study)
        drawn = {drawing.name for drawing in study.drawings}
        fits = groups[study.name]["groups"]
        counts = counted(study)
        for index, row in study.comparison.iterrows():
            own = row_id(row)
            figure = f"{study.name}-{row['artefact']}" if row["artefact"] in drawn else study.name
            figure = "data" if row["shown_in"].startswith("data.csv") else figure
            key = fits_key(row)
            fits_of_row = key if key.partition("/")[2] in fits else ""
            about = {"anchor": own if own in known else figure, "counts": COUNTS[index in counts]}
            rows.append(printed_row(row, fits_of_row) | about)
    return grouped(rows, ("dataset", "study", "artefact", "features", "quantity"))


def printed_row(row: Mapping, fits: str) -> dict:
    """Format one row of the comparison; ours leads to its fits where there are some."""

    def shown(mean: float, std: float, **more: str) -> Cell:
        if math.isnan(mean):
            return Cell(NOT_OBTAINED, absent=True, **more)
        text = cell_text(row["quantity"], mean)
        said = with_spread(mean, std) if text == f"{mean:.10g}" else method_label(text)
        return Cell(said, mean, **more)

    about = {name: _shown(name, row[name]) for name in ("study", "artefact", "quantity", "method")}
    return about | {
        "dataset": row["dataset"],
        "features": row["features"],
        "printed": shown(row["published"], row["published_std"]),
        "ours": shown(row["ours_mean"], row["ours_std"], fits=fits),
        "verdict": row["verdict"],
        **shortened(row["reason"]),
    }


def shortened(reason: str) -> dict[str, str]:
    """Cut a long reason after its first clause: what follows is unfolded."""
    first, _, more = reason.partition("; ")
    return {"reason": first, "more": more} if len(reason) > LONG else {"reason": reason, "more": ""}


def anchors(study: StudyReport) -> set[str]:
    """Collect the anchors of the rows that the tables of a study have on the page."""
    found = set()
    for name in ("table1", "table3", "table4"):
        table = study.tables.get(name)
        if table is not None:
            about = table if name != "table3" else table.assign(features="raw", method="data")
            found |= {row_id(row) for row in about.to_dict("records")}
    return found


def _shown(name: str, value: str) -> str:
    """Write a cell of the identity of a printed number as its reader knows it."""
    if name == "method":
        return method_label(value)
    if name == "artefact":
        kind, digits = value.rstrip("0123456789"), value[len(value.rstrip("0123456789")) :]
        return ARTEFACTS.get(value, f"{kind.capitalize()} {digits}".strip())
    return value.replace("_", " ") if name == "quantity" else value


def grouped(rows: list[dict], names: Sequence[str]) -> list[dict]:
    """Note in every row whether it begins a group, and whether its first name was said just above.

    A name that is repeated is there for sorting and for screen readers, and is shown quietly.
    """
    last = dict.fromkeys(names)
    for row in rows:
        row["first"] = any(row[name] != last[name] for name in names)
        row["repeats"] = row[names[0]] == last[names[0]]
        last = {name: row[name] for name in names}
    return rows
