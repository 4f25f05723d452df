"""The page of a run: one self-contained HTML file, without network, for every study that ran."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reproduction.columns import Cell
from reproduction.comparison.margins import MARGINS, in_words
from reproduction.comparison.verdicts import VERDICTS
from reproduction.finding import Statement
from reproduction.report.page import errata as errata_page
from reproduction.report.page import speed as page_speed
from reproduction.report.page.figures import drawn_data
from reproduction.report.page.fits import embedded, fits_data
from reproduction.report.page.overview import cards
from reproduction.report.page.printed import APART_VERDICTS, agreement, printed_rows
from reproduction.report.page.study import study_context
from reproduction.report.studies import StudyReport
from reproduction.report.summary import missing_datasets

TEMPLATES = Path(__file__).with_name("templates")
COUNTED = ("rows", "features", "positives", "negatives", "queries", "pairs", "preferences")
"""Counts of the data table that stand beside an expected and a printed one."""


def render_page(
    studies: list[StudyReport],
    data: pd.DataFrame,
    verification: pd.DataFrame,
    failures: pd.DataFrame,
    provenance: Mapping,
    blocks: Mapping[str, Mapping[str, list[str]]] | None = None,
    results: str = "results",
    command: str = "snakemake --cores 1 --force --",
    findings: Sequence[Statement] = (),
    snapshot: str = "",
) -> str:
    """Render the page.

    Parameters
    ----------
    studies : list of StudyReport
        The studies that ran.
    data, verification, failures : pandas.DataFrame
        Rows of `inputs.read_data`, `inputs.read_verification` and `status.failures`.
    provenance : mapping
        What `provenance.provenance` collected.
    blocks : mapping of study to mapping of data set to list of str, optional
        Names of the blocks of splits whose fits share a file.
    results : str
        Folder of the results, as the commands name it.
    command : str
        The command that makes the file behind it anew.
    findings : sequence of Statement, optional
        What the findings say of the run.
    snapshot : str, optional
        Address of the page of the last full reproduction.

    Returns
    -------
    str
        A whole HTML document. Every text from a result file is escaped.
    """
    fits = fits_data(studies, blocks or {}, results, command)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            studies=[study_context(study) for study in studies],
            verdict_names=VERDICTS,
            apart_names=APART_VERDICTS,
            cards=cards(studies),
            snapshot=snapshot,
            agreement=agreement(studies),
            margins=[(name.replace("_", " "), in_words(margin)) for name, margin in MARGINS.items()],
            printed=printed_rows(studies, fits["studies"]),
            speed=page_speed.context(studies),
            findings=findings,
            missing=missing_datasets(data, {study.name: study.fits for study in studies}).to_dict("records"),
            qualified=data[data["status"] == "partial"].to_dict("records"),
            data=data_rows(data),
            data_counts=data["status"].value_counts().to_dict(),
            verification=verification_rows(verification),
            passed=int(verification["passed"].sum()),
            failures=failures.to_dict("records"),
            errata=errata_page.context(studies),
            provenance=provenance,
            config=json.dumps(provenance["config"], indent=2, sort_keys=True, ensure_ascii=False),
            fits=embedded(fits),
            drawn=embedded(drawn_data(studies)),
        )
    )


def environment() -> Environment:
    """Set up the templates of the page: every text is escaped, and what a template names must be there."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def verification_rows(verification: pd.DataFrame) -> list[dict]:
    """Format the cases of the verification, each beside the value of the conic solver."""
    rows = []
    for row in verification.to_dict("records"):
        numbers = {name: float(row[name]) for name in ("objective", "reference", "relative_gap", "tolerance")}
        shown = {"objective": ".8g", "reference": ".8g", "relative_gap": ".1e", "tolerance": ".0e"}
        rows.append(
            {name: row[name] for name in ("method", "case", "status", "passed")}
            | {name: Cell(f"{value:{shown[name]}}", value) for name, value in numbers.items()}
        )
    return rows


def data_rows(data: pd.DataFrame) -> list[dict]:
    """Format the table of data sets: what was found, and what was expected or printed where that differs."""
    rows = []
    for _, row in data.iterrows():
        found = {}
        for name in COUNTED:
            value = row.get(name, "")
            asides = [
                f"{word} {row.get(f'{name}_{word}')}"
                for word in ("expected", "printed")
                if row.get(f"{name}_{word}", "") not in ("", value)
            ]
            found[name] = {"value": value, "aside": ", ".join(asides)}
        differs = row.get("differs_from_print", "")
        said = (row["reason"], f"Differs from the print: {differs}." if differs else "", row.get("note", ""))
        rows.append(
            {
                "dataset": row["dataset"],
                "papers": row.get("papers", ""),
                "status": row["status"],
                "counts": {name: count for name, count in found.items() if name in data.columns},
                "verdict": row.get("verdict", ""),
                "licence": row.get("licence", ""),
                "notes": " ".join(filter(None, said)),
            }
        )
    return rows
