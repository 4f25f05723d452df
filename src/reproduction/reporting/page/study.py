"""The section of a study on the page: tables and figures in the order of the paper, then what is beyond."""

from collections.abc import Mapping
from dataclasses import replace

from reproduction.reporting.method_comparison import page as method_statistics_page
from reproduction.reporting.page import published_values as published
from reproduction.reporting.page.figures import figure
from reproduction.reporting.page.runtimes import clock
from reproduction.reporting.page.table import shown
from reproduction.reporting.page.tables import CLAIMS, FACTORS, OPTION_EFFECTS
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED

OPEN = ("choices", "specification", "multiverse", "multiverse_choices", "option_effects", "multiverse_cost")
"""Tables and figures of what the paper leaves open."""

LAST, DIFFERENCES = ("published_measured",), ("critical_difference",)
"""Drawings that look at the study as a whole: they stand after all others, the second with the statistics."""


def study_context(study: StudyReport) -> dict:
    """Prepare what the template shows of one study, every cell as text: the template only lays out."""
    ran = study.fits[study.fits["status"] != STATUS_NOT_OBTAINED]
    paper = study.paper if study.name == study.paper.name else None
    drawings = {drawing.name: figure(study, drawing) for drawing in study.drawings}
    of_paper, compared = study.paper.order, published.of_study(study)
    of_cost = [drawing.name for drawing in study.drawings if drawing.of_cost]
    placed = (*of_paper, *of_cost, *OPEN, *LAST, *DIFFERENCES)
    beyond = (*study.paper.extra_artefacts, *(name for name in drawings if name not in placed))
    claims = CLAIMS if study.paper.published_values is not None else replace(CLAIMS, title="Claims")
    return {
        "name": study.name,
        "paper": paper,
        "title": study.title,
        "claims": shown(claims, {"claims": study.claims}, study.name),
        "fits": len(ran),
        "statuses": ran["status"].value_counts().sort_index().to_dict(),
        "datasets": int(ran["dataset"].nunique()),
        "seconds": clock(ran["seconds"].sum()),
        "statistics": method_statistics_page.context(study),
        "in_the_paper": parts(study, of_paper, drawings),
        "beyond": parts(study, beyond, drawings),
        "left_open": parts(study, OPEN, drawings),
        "as_a_whole": parts(study, LAST, drawings),
        "differences": parts(study, DIFFERENCES, drawings),
        "has_costs": bool(of_cost),
        "prints": study.paper.published_values is not None,
        "compared": compared
        | {
            "option_effects": shown(
                OPTION_EFFECTS, {"option_effects": study.comparison.option_effects}, study.name
            ),
            "factors": shown(FACTORS, {"factors": study.comparison.factors}, study.name),
        },
    }


def parts(study: StudyReport, names: tuple[str, ...], drawings: Mapping[str, dict]) -> list[dict]:
    """List what stands below one another: a figure where there is a drawing of the name, else a table.

    What the study does not have is left out.
    """
    views = {table.name: table.view for table in study.paper.tables} | {
        view.name: view for view in study.paper.views
    }
    found = []
    for name in names:
        table = None
        if views.get(name) and study.is_shown(name):
            table = shown(views[name], study.tables, study.name, study.comparison.rows)
        if table and not table["grids"] and not study.has_missing_data:
            table = None  # it would say that nothing was obtained, but nothing was asked for
        if drawings.get(name) or table:
            found.append({"figure": drawings.get(name), "table": table})
    return found
