"""The section of a study on the page: tables and figures in the order of the paper, then what is beyond."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reproduction.artefact import load
from reproduction.report.method_statistics import page as method_statistics_page
from reproduction.report.page.cells import number
from reproduction.report.page.figures import figure
from reproduction.report.page.printed import verdict_counts
from reproduction.report.page.speed import clock, seconds_of
from reproduction.report.studies import StudyReport
from reproduction.tables import NOT_OBTAINED

LAST = ("printed_measured", "critical_difference")
"""Drawings that look at the study as a whole: they stand after all others."""


def study_context(study: StudyReport) -> dict:
    """Prepare what the template shows of one study, every cell as text: the template only lays out."""
    ran = study.fits[study.fits["status"] != NOT_OBTAINED]
    paper = study.paper if study.name == study.paper.name else None
    drawings = {drawing.name: figure(study, drawing) for drawing in study.drawings}
    of_paper = study.paper.order
    of_cost = [drawing.name for drawing in study.drawings if drawing.of_cost]
    placed = (*of_paper, *of_cost, *LAST)
    beyond = (*study.paper.beyond, *(name for name in drawings if name not in placed))
    return {
        "name": study.name,
        "paper": paper,
        "title": study.title,
        "template": f"{study.paper.name}/tables.html.j2",
        "claims": claim_rows(study.claims),
        "findings": study.findings,
        "fits": len(ran),
        "statuses": ran["status"].value_counts().sort_index().to_dict(),
        "datasets": int(ran["dataset"].nunique()),
        "seconds": clock(seconds_of(ran)),
        **load(study.paper.page)(study.tables),
        "statistics": method_statistics_page.context(study.tables, study.paper.tests),
        "in_the_paper": parts(of_paper, drawings),
        "beyond": parts(beyond, drawings),
        "as_a_whole": parts(tuple(name for name in LAST if name in drawings), drawings),
        "has_costs": bool(of_cost),
        "verdicts": verdict_counts(study.comparison, ("study", "quantity", "features")),
    }


def claim_rows(claims: pd.DataFrame) -> list[dict]:
    """Format the claims of a study: the share of the readings is a number that sorts."""
    rows = claims.to_dict("records")
    return [row | {"share": number(row["share"], "{:.0%}".format, "")} for row in rows]


def parts(names: tuple[str, ...], drawings: Mapping[str, dict]) -> list[dict]:
    """List what stands below one another: a figure where there is a drawing of the name, else a table.

    A figure of the paper that the study does not have is left out.
    """
    return [
        {"name": name, "figure": drawings.get(name)}
        for name in names
        if name in drawings or not name.startswith("figure")
    ]
