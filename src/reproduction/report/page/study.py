"""The section of a study on the page: tables and figures in the order of the paper, then what is beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from reproduction.papers.kadkhodaie2015 import page as top_ranking_page
from reproduction.papers.laporte2014 import page as query_page
from reproduction.papers.rakotomamonjy2012 import page as push_page
from reproduction.report.method_statistics import page as method_statistics_page
from reproduction.report.page.figures import figure
from reproduction.report.page.printed import verdict_counts
from reproduction.report.page.speed import OF_COST, clock, seconds_of
from reproduction.report.papers import IN_THE_PAPER, PAPERS
from reproduction.report.studies import StudyReport
from reproduction.tables import NOT_OBTAINED

TABLES: dict[str, Callable[[Mapping[str, pd.DataFrame]], dict]] = {
    "top_ranking": top_ranking_page.context,
    "infinite_push": push_page.context,
    "query_ranking": query_page.context,
}
"""Protocol -> what its template shows of the tables of a study."""

BEYOND = {
    "top_ranking": ("diagnosis",),
    "infinite_push": ("diagnosis",),
    "query_ranking": ("tests", "fits"),
}
"""Protocol -> tables beyond the paper; a table is a macro of the protocol's template."""

LAST = ("printed_measured", "critical_difference")
"""Drawings that look at the study as a whole: they stand after all others."""


def study_context(study: StudyReport) -> dict:
    """Prepare what the template shows of one study, every cell as text: the template only lays out."""
    ran = study.fits[study.fits["status"] != NOT_OBTAINED]
    paper = PAPERS.get(study.name)
    drawings = {drawing.name: figure(study, drawing) for drawing in study.drawings}
    of_paper = IN_THE_PAPER[study.protocol]
    placed = (*of_paper, *OF_COST, *LAST)
    beyond = (*BEYOND[study.protocol], *(name for name in drawings if name not in placed))
    return {
        "name": study.name,
        "paper": paper,
        "title": study.name if paper is None else paper.title,
        "template": f"tables_{study.protocol}.html.j2",
        "findings": study.findings,
        "fits": len(ran),
        "statuses": ran["status"].value_counts().sort_index().to_dict(),
        "datasets": int(ran["dataset"].nunique()),
        "seconds": clock(seconds_of(ran)),
        **TABLES[study.protocol](study.tables),
        "statistics": method_statistics_page.context(study.tables),
        "in_the_paper": parts(of_paper, drawings),
        "beyond": parts(beyond, drawings),
        "as_a_whole": parts(tuple(name for name in LAST if name in drawings), drawings),
        "has_costs": any(name in drawings for name in OF_COST),
        "verdicts": verdict_counts(study.comparison, ("study", "quantity", "features")),
    }


def parts(names: tuple[str, ...], drawings: Mapping[str, dict]) -> list[dict]:
    """List what stands below one another: a figure where there is a drawing of the name, else a table.

    A figure of the paper that the study does not have is left out.
    """
    return [
        {"name": name, "figure": drawings.get(name)}
        for name in names
        if name in drawings or not name.startswith("figure")
    ]
