"""The page of a run: one self-contained HTML file, without network, for every study that ran."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reproduction.comparison.tolerances import MARGINS, format_margin
from reproduction.core.sentence_templates import fill_template
from reproduction.datasets import registry
from reproduction.reporting.page import runtimes as page_speed
from reproduction.reporting.page.figures import drawn_data
from reproduction.reporting.page.fit_details import embedded, fits_data
from reproduction.reporting.page.published_values import agreement, cards, printed_rows
from reproduction.reporting.page.study import study_context
from reproduction.reporting.page.tables import FAILURES, PRINTED, VERIFIED, data_view, laid_out
from reproduction.reporting.run_summary import missing_datasets
from reproduction.reporting.study_report import StudyReport
from reproduction.reporting.table_layout import Head
from reproduction.specs.table_views import Cell, SubText

TEMPLATES = Path(__file__).with_name("templates")
CASE = (
    "{{ '' if passed else 'FAILED ' }}{{ case }}: objective {{ '%.8g' | format(objective) }}, reference "
    "{{ '%.8g' | format(reference) }}, relative gap {{ '%.1e' | format(relative_gap) }}, tolerance "
    "{{ '%.0e' | format(tolerance) }}, {{ status }}"
)
DATA = "{% if sha256 %}Data (SHA-256): {{ sha256 }}. {% endif %}Master seed {{ seed }}."

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
    snapshot: str = "",
    links: Sequence[tuple[str, str]] = (),
) -> str:
    """Render the page.

    `studies`: the studies that ran. `data`, `verification`, `failures`: rows of `results.read_data`,
    `results.read_verification` and `status.failures`. `provenance`: what `provenance.provenance` collected.
    `blocks` (mapping of study to mapping of data set to list of str): names of the blocks of splits whose
    fits share a file. `results`: folder of the results, as the commands name it. `command`: the command that
    makes the file behind it anew. `snapshot`: address of the
    page of the last full reproduction. `links`: words and addresses of what lies outside the page. Returns: a
    whole HTML document. Every text from a result file is escaped.
    """
    counts = [name for name in COUNTED if name in data.columns]
    data_sets = data_rows(data, counts)
    fits = fits_data(studies, blocks or {}, results, command, of_data(data_sets, provenance))
    printed, reasons = printed_rows(studies, fits["studies"])
    shown = [study_context(study) for study in studies]
    pairs = {
        f"{study['name']}-compare": {
            name: found[name] for name in ("names", "methods", "rows", "cells", "details", "first")
        }
        for study in shown
        if (found := (study["statistics"] or {}).get("pairs"))
    }
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            studies=shown,
            pairs=embedded(pairs),
            cards=cards(studies),
            snapshot=snapshot,
            links=links,
            agreement=agreement(studies),
            margins=[(name.replace("_", " "), format_margin(margin)) for name, margin in MARGINS.items()],
            printed=laid_out(PRINTED, printed),
            reasons=reasons,
            speed=page_speed.context(studies),
            missing=missing_datasets(data, {study.name: study.fits for study in studies}).to_dict("records"),
            qualified=data[data["status"] == "partial"].to_dict("records"),
            data=laid_out(data_view(counts), data_sets),
            data_counts=data["status"].value_counts().to_dict(),
            verification=laid_out(VERIFIED, by_method(verification)),
            cases=len(verification),
            passed=int(verification["passed"].sum()),
            failures=laid_out(FAILURES, failures.to_dict("records")),
            unexpected=len(failures),
            provenance=provenance,
            config=embedded(provenance["config"]),
            fits=embedded(fits),
            drawn=embedded(drawn_data(studies)),
        )
    )


def environment() -> Environment:
    """Set up the templates of one page, which remembers its texts.

    Every text is escaped, and a missing name is an error.
    """
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["in_dialog"] = in_dialog
    made.globals["told_at"] = Told()
    return made


class Told:
    """Texts of the page, and where each stands first."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def __call__(self, text: str, at: str) -> str:
        """Return where a text stands already; "" for a new one, which stands at the place given."""
        first = self.places.setdefault(str(text), at)
        return "" if first == at else first


def in_dialog(more: Sequence[tuple[Head, Cell]]) -> str:
    """Write the further cells of the dialog of a row: heading, words, and the name of its filter."""
    said = [[head.text, cell.plain_text, head.choices] for head, cell in more]
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False)


def by_method(verification: pd.DataFrame) -> list[dict]:
    """Sum the verification up: of each method the cases, and the one that is nearest to its tolerance."""
    rows = []
    for method, cases in verification.groupby("method", sort=False):
        numbers = ["objective", "reference", "relative_gap", "tolerance"]
        cases = cases.astype(dict.fromkeys(numbers, float))
        worst = (cases["relative_gap"] / cases["tolerance"]).fillna(float("inf")).idxmax()
        said = [
            fill_template(CASE, case)
            for case in cases.sort_values("passed", kind="stable").to_dict("records")
        ]
        row = {"method": method, "cases": len(cases), "passed": int(cases["passed"].sum())}
        row |= {name: cases.at[worst, name] for name in ("relative_gap", "tolerance")}
        rows.append(row | {"each": "\n".join(said)})
    return rows


def of_data(rows: Sequence[Mapping], provenance: Mapping) -> dict[str, str]:
    """Write checksum and seed of each data set."""
    seed = provenance["seeds"]["master"]
    return {row["dataset"]: fill_template(DATA, {"sha256": row["sha256"], "seed": seed}) for row in rows}


def data_rows(data: pd.DataFrame, counts: Sequence[str]) -> list[dict]:
    """Format the table of data sets: what was found, and what was expected or printed where that differs."""
    known = set(registry.list_names())
    rows = []
    for _, row in data.iterrows():
        found = {}
        for name in counts:
            value = row[name]
            beside = {word: row.get(f"{name}_{word}", "") for word in ("expected", "printed")}
            below = [SubText(said, word) for word, said in beside.items() if said not in ("", value)]
            found[name] = Cell(value or "–", float(value or "nan"), not value, sub_texts=tuple(below))
        differs = row.get("differs_from_print", "")
        said = (row["reason"], f"Differs from the print: {differs}." if differs else "", row.get("note", ""))
        entry = registry.get(row["dataset"]) if row["dataset"] in known else None
        hashes = [f"{file.name} {file.sha256}" for file in entry.files if file.sha256] if entry else []
        rows.append(
            {
                "dataset": row["dataset"],
                "papers": row.get("papers", ""),
                "status": row["status"],
                "data_status": row["status"],
                "verdict": row.get("verdict", ""),
                "source": (entry.home or "") if entry else "",
                "licence": row.get("licence", "") or "not stated",
                "notes": " ".join(filter(None, said)),
                "sha256": ", ".join(hashes),
            }
            | found
        )
    return rows
