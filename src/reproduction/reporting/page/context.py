"""What the pages of a run show: everything that their templates lay out, prepared once."""

from collections.abc import Mapping, Sequence

import pandas as pd

from reproduction.comparison.tolerances import MARGINS, format_margin
from reproduction.core.sentence_templates import fill_template
from reproduction.datasets import registry
from reproduction.reporting.page import runtimes as page_speed
from reproduction.reporting.page.chance import describe_chance, measure_chance_level
from reproduction.reporting.page.figures import collect_plot_data
from reproduction.reporting.page.fit_details import FitFiles, collect_fit_details, embed_json
from reproduction.reporting.page.headline import describe_derived, describe_run
from reproduction.reporting.page.published_values import count_other_kinds, published_rows, summarise_studies
from reproduction.reporting.page.study import build_study_context
from reproduction.reporting.page.tables import (
    FAILURES_VIEW,
    PUBLISHED_VALUES_VIEW,
    VERIFICATION_VIEW,
    build_rows_context,
    make_data_view,
)
from reproduction.reporting.page.verdict_details import collect_verdict_details
from reproduction.reporting.run_summary import list_missing_datasets
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.table_views import Cell, SubText

CASE_TEMPLATE = (
    "{{ '' if passed else 'FAILED ' }}{{ case }}: objective {{ '%.8g' | format(objective) }}, reference "
    "{{ '%.8g' | format(reference) }}, relative gap {{ '%.1e' | format(relative_gap) }}, tolerance "
    "{{ '%.0e' | format(tolerance) }}, {{ status }}"
)
DATA_TEMPLATE = "{% if sha256 %}Data (SHA-256): {{ sha256 }}. {% endif %}Master seed {{ seed }}."

COUNT_COLUMNS = ("rows", "features", "positives", "negatives", "queries", "pairs", "preferences")
"""Counts of the data table that stand beside an expected and a published one."""


def build_page_context(
    studies: list[StudyReport],
    data: pd.DataFrame,
    verification: pd.DataFrame,
    failures: pd.DataFrame,
    provenance: Mapping,
    fit_files: FitFiles | None = None,
    snapshot: str = "",
    links: Sequence[tuple[str, str]] = (),
) -> dict:
    """Prepare what the pages of a run show.

    Parameters
    ----------
    studies : list of StudyReport
        The studies that ran.
    data : pandas.DataFrame
        Rows of `results.read_data`.
    verification : pandas.DataFrame
        Rows of `results.read_verification`.
    failures : pandas.DataFrame
        Rows of `failures.list_failures`.
    provenance : mapping
        What `provenance.collect_run_provenance` collected.
    fit_files : FitFiles, optional
        Files of the fits, and the command that makes one again.
    snapshot : str, default ""
        Address of the page of the last full reproduction.
    links : sequence of tuple of str, default ()
        Words and addresses of what lies outside the page.

    Returns
    -------
    dict
        The names of the templates: `render.render_page` makes one page of it, `site.render_site` several.
        ``stores`` has what only scripts read, by name.
    """
    counts = [name for name in COUNT_COLUMNS if name in data.columns]
    dataset_rows = build_data_rows(data, counts)
    # fits before the published numbers, whose rows link to them
    fits = collect_fit_details(studies, fit_files or FitFiles(), describe_data(dataset_rows, provenance))
    published = published_rows(studies, fits["studies"])
    study_contexts = [build_study_context(study) for study in studies]
    contexts_by_name = {study["name"]: study for study in study_contexts}
    # of each study only what the script needs to fill the table of two methods
    pairs = {
        f"{study['name']}-compare": {
            name: study_pairs[name] for name in ("names", "methods", "rows", "cells", "details", "first")
        }
        for study in study_contexts
        if (study_pairs := (study["statistics"] or {}).get("pairs"))
    }
    missing = list_missing_datasets(data, {study.name: study.fits for study in studies}).to_dict("records")
    verdicts = collect_verdict_details(studies, published)
    # a store becomes a script, or JSON in the single page
    stores = {
        "fits": fits,
        "verdicts": verdicts,
        "pairs": pairs,
        "config": provenance["config"],
        "drawn": collect_plot_data(studies),
    }
    return {
        "studies": study_contexts,
        "cards": [
            card | describe_card(contexts_by_name[card["study"]], missing)
            for card in summarise_studies(studies)
        ],
        "headline": describe_run(studies),
        "derived": {study.name: describe_derived(study) for study in studies},
        "chance": {study.name: describe_chance(study) for study in studies},
        "chance_levels": {study.name: measure_chance_level(study) for study in studies},
        "snapshot": snapshot,
        "links": links,
        "agreement": count_other_kinds(studies),
        "margins": [(name.replace("_", " "), format_margin(margin)) for name, margin in MARGINS.items()],
        "verdicts": verdicts,
        "published": build_rows_context(PUBLISHED_VALUES_VIEW, published),
        "speed": page_speed.build_cost_context(studies),
        "missing": missing,
        "qualified": data[data["status"] == "partial"].to_dict("records"),
        "data": build_rows_context(make_data_view(counts), dataset_rows),
        "data_counts": data["status"].value_counts().to_dict(),
        "verification": build_rows_context(VERIFICATION_VIEW, summarise_verification(verification)),
        "cases": len(verification),
        "passed": int(verification["passed"].sum()),
        "failures": build_rows_context(FAILURES_VIEW, failures.to_dict("records")),
        "unexpected": len(failures),
        "provenance": provenance,
        "stores": {name: embed_json(content) for name, content in stores.items()},
    }


def describe_card(study: Mapping, missing: Sequence[Mapping]) -> dict:
    """Prepare what the card of a study says beside its counts.

    Parameters
    ----------
    study : mapping
        As `study.build_study_context` returns it.
    missing : sequence of mapping
        Data sets that were not obtained, as `run_summary.list_missing_datasets` returns them.

    Returns
    -------
    dict
        ``is_paper``; ``missing``: names of the data sets; ``doors``: anchors and words of its links.
    """
    # the first table with verdicts is what a reader of the card wants to see first
    tables = [part["table"] for part in study["in_the_paper"] if part["table"]]
    judged_tables = [table for table in tables if table["verdicts"]]
    first_table = next(iter(judged_tables or tables), None)
    # a study without tables leads to its own heading
    doors = [(study["name"], "All tables and figures")]
    if first_table:
        doors = [(first_table["id"], first_table["view"].title.partition(":")[0])]
    if study["claims"]:
        doors.append((f"{study['name']}-claims", "Claims"))
    if study["compared"]["results"]:
        doors.append((f"published?study={study['name']}", "Every number"))
    names = [entry["dataset"] for entry in missing if study["name"] in entry["studies"].split(", ")]
    return {"is_paper": study["prints"], "missing": names, "doors": doors}


def summarise_verification(verification: pd.DataFrame) -> list[dict]:
    """Summarise the verification by method.

    Parameters
    ----------
    verification : pandas.DataFrame
        Rows of `results.read_verification`.

    Returns
    -------
    list of dict
        Of each method the cases, how many passed, the gap and tolerance of the case nearest to its
        tolerance, and a line for each case, those that failed first.
    """
    rows = []
    for method, cases in verification.groupby("method", sort=False):
        numbers = ["objective", "reference", "relative_gap", "tolerance"]
        cases = cases.astype(dict.fromkeys(numbers, float))
        # Cases have tolerances of their own: the worst is the one that uses most of its tolerance, and a case
        # without a gap is worse than any.
        worst = (cases["relative_gap"] / cases["tolerance"]).fillna(float("inf")).idxmax()
        case_lines = [
            fill_template(CASE_TEMPLATE, case)
            for case in cases.sort_values("passed", kind="stable").to_dict("records")
        ]
        row = {"method": method, "cases": len(cases), "passed": int(cases["passed"].sum())}
        row |= {name: cases.at[worst, name] for name in ("relative_gap", "tolerance")}
        rows.append(row | {"each": "\n".join(case_lines)})
    return rows


def describe_data(rows: Sequence[Mapping], provenance: Mapping) -> dict[str, str]:
    """Write checksum and seed of each data set.

    Parameters
    ----------
    rows : sequence of mapping
        Rows of `build_data_rows`.
    provenance : mapping
        What `provenance.collect_run_provenance` collected.

    Returns
    -------
    dict of str to str
        Data set -> sentence with the SHA-256 of its files and the master seed.
    """
    seed = provenance["seeds"]["master"]
    return {
        row["dataset"]: fill_template(DATA_TEMPLATE, {"sha256": row["sha256"], "seed": seed}) for row in rows
    }


def build_data_rows(data: pd.DataFrame, counts: Sequence[str]) -> list[dict]:
    """Format the table of data sets, with the expected and the published counts where they differ from ours.

    Parameters
    ----------
    data : pandas.DataFrame
        Rows of `results.read_data`.
    counts : sequence of str
        Columns of `data` with counts.

    Returns
    -------
    list of dict
        The cells and words of each data set by the names of the columns of the page.
    """
    registered = set(registry.list_names())
    rows = []
    for _, row in data.iterrows():
        count_cells = {}
        # expected and published counts stand below ours only where they differ
        for name in counts:
            value = row[name]
            reference_counts = {word: row.get(f"{name}_{word}", "") for word in ("expected", "published")}
            sub_texts = [
                SubText(notes, word) for word, notes in reference_counts.items() if notes not in ("", value)
            ]
            count_cells[name] = Cell(
                value or "–", float(value or "nan"), not value, sub_texts=tuple(sub_texts)
            )
        differs = row.get("differs_from_published", "")
        notes = (row["reason"], f"Differs from the print: {differs}." if differs else "", row.get("note", ""))
        entry = registry.get(row["dataset"]) if row["dataset"] in registered else None
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
                "notes": " ".join(filter(None, notes)),
                "sha256": ", ".join(hashes),
            }
            | count_cells
        )
    return rows
