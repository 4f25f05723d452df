"""The section of a study on the page: tables and figures in the order of the paper, then what is beyond."""

from collections.abc import Mapping
from dataclasses import replace

from reproduction.reporting.page import method_comparison
from reproduction.reporting.page import published_values as published
from reproduction.reporting.page.chance import build_chance_tables, label_tables
from reproduction.reporting.page.figures import build_figure_context
from reproduction.reporting.page.runtimes import format_duration
from reproduction.reporting.page.table import build_view_context
from reproduction.reporting.page.tables import (
    CLAIMS_VIEW,
    EXPLANATIONS_VIEW,
    FACTORS_VIEW,
    OPTION_EFFECTS_VIEW,
)
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.paper import import_object

MULTIVERSE_ARTEFACTS = (
    "choices",
    "specification",
    "multiverse",
    "multiverse_choices",
    "option_effects",
    "multiverse_cost",
)
"""Tables and figures of what the paper leaves open."""

COMPARISON_FIGURES, RANK_FIGURES = ("published_measured",), ("critical_difference",)
"""Figures about the study as a whole: they come after all others, the second with the statistics."""


def build_study_context(study: StudyReport) -> dict:
    """Prepare what the template shows of one study.

    Every cell is text: the template only lays out.

    Parameters
    ----------
    study : StudyReport
        The study with its tables and figures.

    Returns
    -------
    dict
        The values of the template ``study.html.j2``.
    """
    run_fits = study.fits[study.fits["status"] != STATUS_NOT_OBTAINED]
    paper = study.paper if study.name == study.paper.name else None
    drawings = {drawing.name: build_figure_context(study, drawing) for drawing in study.drawings}
    paper_order, verdict_counts = study.paper.order, published.count_study_verdicts(study)
    cost_figures = [drawing.name for drawing in study.drawings if drawing.of_cost]
    # every other artefact: the paper's further ones, and figures that nothing else places
    placed_names = (*paper_order, *cost_figures, *MULTIVERSE_ARTEFACTS, *COMPARISON_FIGURES, *RANK_FIGURES)
    extra_artefacts = (*study.paper.extra_artefacts, *(name for name in drawings if name not in placed_names))
    claims = CLAIMS_VIEW if study.paper.published_values is not None else replace(CLAIMS_VIEW, title="Claims")
    return {
        "name": study.name,
        "paper": paper,
        "title": study.title,
        "has_group_splits": study.has_group_splits,
        "claims": build_view_context(claims, {"claims": study.claims}, study.name),
        "recommendations": recommend(study),
        "fits": len(run_fits),
        "statuses": run_fits["status"].value_counts().sort_index().to_dict(),
        "datasets": int(run_fits["dataset"].nunique()),
        "seconds": format_duration(run_fits["seconds"].sum()),
        "statistics": method_comparison.build_statistics_context(study),
        "in_the_paper": collect_parts(study, paper_order, drawings),
        "beyond": collect_parts(study, extra_artefacts, drawings),
        "left_open": collect_parts(study, MULTIVERSE_ARTEFACTS, drawings),
        "as_a_whole": collect_parts(study, COMPARISON_FIGURES, drawings),
        "differences": collect_parts(study, RANK_FIGURES, drawings),
        "has_costs": bool(cost_figures),
        "prints": study.paper.published_values is not None,
        "compared": verdict_counts
        | {
            "option_effects": build_view_context(
                OPTION_EFFECTS_VIEW, {"option_effects": study.comparison.option_effects}, study.name
            ),
            "chance": build_chance_tables(study),
            "explanations": build_view_context(
                EXPLANATIONS_VIEW,
                {"explanations": label_tables(study.comparison.explanations, study)},
                study.name,
            ),
            "factors": build_view_context(FACTORS_VIEW, {"factors": study.comparison.factors}, study.name),
        },
    }


def recommend(study: StudyReport) -> list[str]:
    """Write the advice of a study.

    Parameters
    ----------
    study : StudyReport
        The study with its tables.

    Returns
    -------
    list of str
        Sentences; none for a study that gives no advice, or that lacks the tables behind it.
    """
    if not study.paper.recommend or not study.tables or not len(study.fits):
        return []
    return import_object(study.paper.recommend)(study.tables)


def collect_parts(study: StudyReport, names: tuple[str, ...], drawings: Mapping[str, dict]) -> list[dict]:
    """Collect the tables and figures that stand one below the other.

    A name stands for a figure where there is a drawing of it, else for a table. What the study does not have
    is left out.

    Parameters
    ----------
    study : StudyReport
        The study with its tables.
    names : tuple of str
        Names of tables and figures, in their order on the page.
    drawings : mapping of str to dict
        Name of a figure -> its context, as `figures.build_figure_context` makes it.

    Returns
    -------
    list of dict
        For each name that the study has: ``figure`` and ``table``, one of them None.
    """
    # views of tables, and further views of the same tables
    views = {table.name: table.view for table in study.paper.tables} | {
        view.name: view for view in study.paper.views
    }
    parts = []
    for name in names:
        table = None
        if views.get(name) and study.is_shown(name):
            table = build_view_context(views[name], study.tables, study.name, study.comparison.rows)
        if table and not table["grids"] and not study.has_missing_data:
            table = None  # it would say that nothing was obtained, but nothing was asked for
        if drawings.get(name) or table:
            parts.append({"figure": drawings.get(name), "table": table})
    return parts
