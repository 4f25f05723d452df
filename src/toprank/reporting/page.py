"""The page of a run: one self-contained HTML file, without network, for every study that ran."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from . import query_page, top_ranking_page
from .comparison import VERDICTS, WORDS, percent, quantities
from .labels import method_label, row_id
from .latex import short, with_spread
from .studies import StudyReport
from .summary import missing_datasets
from .tables import NOT_OBTAINED, NOT_RUN

TEMPLATES = Path(__file__).with_name("templates")
COUNTED = ("rows", "features", "positives", "negatives", "queries", "pairs", "preferences")
"""Counts of the data table that stand beside an expected and a printed one."""


def render_page(
    studies: list[StudyReport],
    data: pd.DataFrame,
    verification: pd.DataFrame,
    failures: pd.DataFrame,
    provenance: Mapping,
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

    Returns
    -------
    str
        A whole HTML document. Every text from a result file is escaped.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    fits = {study.name: study.fits for study in studies}
    return environment.get_template("report.html.j2").render(
        studies=[study_context(study) for study in studies],
        missing=missing_datasets(data, fits).to_dict("records"),
        qualified=data[data["status"] == "partial"].to_dict("records"),
        data=data_rows(data),
        data_counts=data["status"].value_counts().to_dict(),
        verification=verification.to_dict("records"),
        passed=int(verification["passed"].sum()),
        failures=failures.to_dict("records"),
        provenance=provenance,
        config=json.dumps(provenance["config"], indent=2, sort_keys=True, ensure_ascii=False),
    )


def study_context(study: StudyReport) -> dict:
    """Prepare what the template shows of one study, every cell as text: the template only lays out."""
    ran = study.fits[study.fits["status"] != NOT_OBTAINED]
    verdicts = []
    for quantity in compared(study):
        of_quantity = study.comparison[study.comparison["quantity"] == quantity]
        for block, rows in of_quantity.groupby("features", sort=False):
            verdicts.append(
                {"quantity": quantity.replace("_", " "), "features": block}
                | {v: int((rows["verdict"] == v).sum()) for v in VERDICTS}
            )
    return {
        "name": study.name,
        "template": f"tables_{study.protocol}.html.j2",
        "findings": study.findings,
        "fits": len(ran),
        "statuses": ran["status"].value_counts().sort_index().to_dict(),
        "datasets": int(ran["dataset"].nunique()),
        **TABLES[study.protocol](study.tables),
        "verdicts": verdicts,
        "verdict_names": VERDICTS,
        "comparison": [comparison_row(row) for _, row in study.comparison.iterrows()],
        "drawings": [
            {
                "title": drawing.title,
                "caption": drawing.caption,
                "svg": inline_svg(drawing.svg, f"{study.name}-{i}", drawing.description),
            }
            for i, drawing in enumerate(study.drawings)
        ],
    }


def compared(study: StudyReport) -> list[str]:
    """List the compared quantities of a study in their order."""
    found = list(dict.fromkeys(study.comparison["quantity"])) if len(study.comparison) else []
    if "table1" in study.tables:
        first = quantities(study.tables["table1"])
        return first + [name for name in found if name not in first]
    return found


def table1_context(row_of: Callable[[pd.Series], dict], tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare Table 1 and what can be said about its splits before any fit."""
    table = tables["table1"]
    return {
        "table": grouped([row_of(row) for _, row in table.iterrows()]),
        "diagnosis": diagnosis_rows(table),
    }


def table_row(row: pd.Series) -> dict:
    """Format one row of K15's Table 1."""
    absent = row["data_status"] if row["data_status"] in (NOT_OBTAINED, NOT_RUN) else "not defined"
    marks = {
        "mark_best": ("●", "decimal exponent of Pos@Top above the others'"),
        "mark_fast": ("★", "exponent of the time below"),
    }

    def number(name: str, mark: str, word: str) -> dict:
        mean = row[f"{name}_mean"]
        if math.isnan(mean):
            return {"text": word, "mark": "", "title": "", "absent": True}
        sign, title = marks[mark.removeprefix("printed_")] if row[mark] == "1" else ("", "")
        return {"text": with_spread(mean, row[f"{name}_std"]), "mark": sign, "title": title, "absent": False}

    def plain(text: str | None) -> dict:
        return {"text": absent if text is None else text, "mark": "", "title": "", "absent": text is None}

    def distances(first: str, second: str) -> dict:
        known = not math.isnan(row[first])
        return plain(f"{small_share(row[first])} / {small_share(row[second])}" if known else None)

    def share(name: str) -> dict:
        return plain(None if math.isnan(row[name]) else percent(row[name]))

    return {
        "id": row_id(row),
        "dataset": row["dataset"],
        "status": row["data_status"],
        "reason": row["reason"],
        "substitute_for": row["substitute_for"],
        "features": row["features"],
        "method": method_label(row["method"]),
        "pos": number("pos_at_top", "mark_best", absent),
        "pos_printed": number("printed_pos_at_top", "printed_mark_best", "not printed"),
        "seconds": number("seconds", "mark_fast", absent),
        "seconds_printed": number("printed_seconds", "printed_mark_fast", "not printed"),
        "excess": distances("excess_median", "excess_max"),
        "gap": distances("relative_gap_median", "relative_gap_max"),
        "iterations": plain(None if math.isnan(row["n_iter_median"]) else f"{row['n_iter_median']:.0f}"),
        "statuses": row["statuses"],
        "chosen": row["chosen"],
        "zero_optimal": share("zero_optimal_share"),
        "constant": share("constant_share"),
    }


def push_row(row: pd.Series) -> dict:
    """Format one row of R12's Table 1."""
    absent = row["data_status"] if row["data_status"] in (NOT_OBTAINED, NOT_RUN) else "not defined"

    def number(name: str, word: str = absent) -> dict:
        mean = row[f"{name}_mean"]
        text = word if math.isnan(mean) else with_spread(mean, row[f"{name}_std"])
        return {"text": text, "mark": "", "title": "", "absent": math.isnan(mean)}

    def plain(value: float, text: str) -> dict:
        unknown = math.isnan(value)
        return {"text": absent if unknown else text, "mark": "", "title": "", "absent": unknown}

    tied = f"{row['tied_mean']:.2g}: {row['tied_variables_min']:.0f} to {row['tied_variables_max']:.0f}"
    return {
        "id": row_id(row),
        "dataset": row["dataset"],
        "status": row["data_status"],
        "reason": row["reason"],
        "aside": f"substitute for {row['substitute_for']}"
        if row["substitute_for"] != "none"
        else f"the other reading of {row['reading_of']}"
        if row["reading_of"] != "none"
        else "",
        "features": row["features"],
        "method": method_label(row["method"]),
        "worse": row["worse"] == "1",
        "rate": number("rate_at_top"),
        "rate_printed": number("printed_rate_at_top", "not printed"),
        "p_value": plain(row["p_value"], f"{row['p_value']:.2g}"),
        "variables": number("variables"),
        "variables_printed": number("printed_variables", "not printed"),
        "tied": plain(row["tied_mean"], tied),
        "seconds": number("seconds"),
        "gap": plain(row["relative_gap_max"], f"{row['relative_gap_max']:.1e}"),
        "statuses": row["statuses"],
    }


def top_ranking_context(tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare Table 1 of K15 and the tables beside it."""
    return table1_context(table_row, tables) | top_ranking_page.context(tables)


TABLES: dict[str, Callable[[Mapping[str, pd.DataFrame]], dict]] = {
    "top_ranking": top_ranking_context,
    "infinite_push": partial(table1_context, push_row),
    "query_ranking": query_page.context,
}
"""Protocol -> what its template shows of the tables of a study."""


def grouped(rows: list[dict]) -> list[dict]:
    """Note in the first row of each data set and feature block how many rows its cell spans, else 0."""
    for names in (("dataset",), ("dataset", "features")):
        spans = Counter(tuple(row[name] for name in names) for row in rows)
        for row in rows:
            row[f"{names[-1]}_span"] = spans.pop(tuple(row[name] for name in names), 0)
    return rows


def diagnosis_rows(table: pd.DataFrame) -> list[dict]:
    """λ_max and the share of splits where w = 0 is optimal, once for each data set and feature block."""
    rows = []
    for (dataset, features), block in table[table["lambda_max_median"].notna()].groupby(
        ["dataset", "features"], sort=False
    ):
        row = block.iloc[0]
        share = row["zero_optimal_share"]
        rows.append(
            {
                "dataset": dataset,
                "features": features,
                "lambda_max": short(row["lambda_max_median"]),
                "zero_optimal": "not known" if math.isnan(share) else percent(share),
                "notable": share > 0,
            }
        )
    return rows


def comparison_row(row: pd.Series) -> dict:
    """Format one row of the comparison; what is said of a figure leads to the study."""
    words = next((words for ending, words in WORDS.items() if row["quantity"].endswith(ending)), None)

    def shown(mean: float, std: float) -> str:
        return with_spread(mean, std) if words is None else word_of(mean, words)

    return row.to_dict() | {
        "quantity": row["quantity"].replace("_", " "),
        "label": method_label(row["method"]),
        "anchor": row["study"] if row["quantity"] == "claim" else row_id(row),
        "printed": shown(row["published"], row["published_std"]),
        "ours": NOT_OBTAINED if math.isnan(row["ours_mean"]) else shown(row["ours_mean"], row["ours_std"]),
        "css": row["verdict"].replace(" ", "-"),
    }


def word_of(value: float, words: Mapping[str, float]) -> str:
    """Write the word that a number stands for."""
    (word,) = [word for word, number in words.items() if number == value]
    return word


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
                "css": row["status"].replace(" ", "-"),
                "counts": {name: cell for name, cell in found.items() if name in data.columns},
                "verdict": row.get("verdict", ""),
                "licence": row.get("licence", ""),
                "notes": " ".join(filter(None, said)),
            }
        )
    return rows


def small_share(share: float) -> str:
    """Write a relative distance in per cent; what is certified to 1e-5 is shown as such."""
    return "< 0.001 %" if share < 1e-5 else percent(share)


def inline_svg(svg: str, prefix: str, description: str) -> Markup:
    """Make a figure ready to stand in a page.

    Parameters
    ----------
    svg : str
        A whole SVG file.
    prefix : str
        Put before every id, so that the figures of several studies do not disturb one another.
    description : str
        The words that stand for the figure where it is not seen.

    Returns
    -------
    Markup
        The <svg> element: no XML prologue, no metadata, a size that follows the page, a role and a label.
    """
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'\b(id="|href="#|url\(#)', lambda match: f"{match[1]}{prefix}-", svg)
    opening, rest = svg.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    return Markup(opening) + Markup(' role="img" aria-label="{}">').format(description) + Markup(rest)
