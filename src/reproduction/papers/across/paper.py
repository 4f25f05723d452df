"""Record of the study across data sets, "Which method, at which depth?", which belongs to no paper."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reproduction.core.result_columns import MULTI_METRIC_FIT_COLUMNS
from reproduction.datasets import registry
from reproduction.papers.across import decisions, results
from reproduction.papers.across import table_views as views
from reproduction.papers.across.depth.spec import DEPTH
from reproduction.papers.across.facts import experiment as facts
from reproduction.papers.across.facts.spec import FACTS
from reproduction.papers.across.learning_curves.spec import LEARNING_CURVES
from reproduction.papers.across.multiverse import CHOICES
from reproduction.reporting import standard_artefacts as common
from reproduction.reporting.method_comparison.latex import ranks_to_latex
from reproduction.reporting.method_comparison.method_pairs import PAIRWISE_FORMAT, build_pairwise_table
from reproduction.reporting.method_comparison.method_ranks import (
    RANKS_CAPTION,
    RANKS_FORMAT,
    build_ranks_table,
)
from reproduction.specs.paper import Figure, Paper, Table
from reproduction.specs.study_results import Study


def _resolve_splits(study: Mapping, dataset: str) -> dict:
    """Return the splits of a data set: LETOR's folds, or random ones of rows or of groups of rows."""
    if registry.get(dataset).task == "graded":
        return {"kind": "folds"}
    kind = "grouped" if study.get("group_splits") else "random"
    return {"kind": kind} | {name: study[name] for name in ("test_fraction", "inner_folds")}


def _build_pairwise_table(study: Study) -> pd.DataFrame:
    """Compare the methods pair by pair, in the default specification."""
    reported_fits = results.select_reported_fits(results.select_default_rows(study, study.fits))
    return build_pairwise_table(reported_fits, results.build_rank_tables(study))


def _quality_and_cost_figure(cost_name: str, title: str, caption: str) -> Figure:
    """Describe a figure of quality against a cost."""
    return Figure(
        f"quality_{cost_name}",
        title,
        caption,
        tables=("results",),
        draw="reproduction.papers.across.figures:draw_quality_and_cost",
        alt_text="reproduction.papers.across.figures:describe_quality_and_cost",
        message="reproduction.papers.across.figures:state_quality_and_cost",
        plot_data="reproduction.papers.across.figures:compute_quality_and_cost",
        options={"cost_name": cost_name},
    )


STANDARD_TABLES = ("outcomes", "multiverse", "choices")
"""What it shows of what it leaves open, like every paper."""

PAPER = Paper(
    name="across",
    title="Which method, at which depth?",
    authors="A question that the papers leave open",
    venue="One protocol for all data sets and methods of this project",
    citation="Which method, at which depth?",
    message="Does a loss for the top of the list beat logistic regression or boosted trees at the top, on "
    "which data, with how many variables, and at what cost?",
    methods=(
        *("l1_infinite_push", "l2_infinite_push", "toppush_exact", "l1_ranksvm", "l2_ranksvm"),
        *("mcp_ranksvm", "log_ranksvm", "fenchelrank", "fsmrank", "logistic_regression", "logistic_l1"),
        *("linear_svc", "boosted_trees", "random_scorer", "best_feature"),
    ),
    search="reproduction.fitting.multi_metric",
    queries=False,
    mixed=True,
    splits=_resolve_splits,
    fits=MULTI_METRIC_FIT_COLUMNS,
    metrics=results.RANKED_METRICS,
    tests="The study's own Bayesian tests over data sets are shown with its recommendations.",
    tables=(
        Table(
            "results",
            results.build_results,
            results.RESULTS_FORMAT,
            caption="Every method on every data set: means over the splits, with 95 % intervals.",
            view=views.RESULTS,
        ),
        Table(
            "facts",
            facts.build_facts,
            facts.FACTS_FORMAT,
            caption="The data sets, and the gain from a loss for the top.",
            view=views.FACTS,
        ),
        Table(
            "explains",
            lambda study: facts.correlate_facts(study.table("facts")),
            facts.EXPLAINS_FORMAT,
            view=views.EXPLAINS,
        ),
        Table(
            "decisions",
            decisions.build_decisions,
            decisions.DECISIONS_FORMAT,
            caption="Which method to use, and how it compares with logistic regression.",
            view=views.DECISIONS,
        ),
        Table("bayes", decisions.build_bayes_table, decisions.BAYES_FORMAT, view=views.BAYES),
        Table("agreement", decisions.build_agreement, decisions.AGREEMENT_FORMAT, view=views.AGREEMENT),
        *(table for table in common.TABLES if table.name in STANDARD_TABLES),
        Table(
            "ranks",
            lambda study: build_ranks_table(results.build_rank_tables(study)),
            RANKS_FORMAT,
            ranks_to_latex,
            RANKS_CAPTION,
        ),
        Table("pairwise", _build_pairwise_table, PAIRWISE_FORMAT),
    ),
    figures=(
        Figure(
            "heat_map",
            "Every method on every data set",
            "Rows: methods; columns: data sets. Colour is scaled within each column (dark = best). Bold: the "
            "best; a dot: every refitted model is certified; ×: the method cannot rank the set, or not "
            "within the time limit.",
            tables=("results",),
            draw="reproduction.papers.across.figures:draw_heat_map",
            alt_text="reproduction.papers.across.figures:describe_heat_map",
            message="reproduction.papers.across.figures:state_heat_map",
        ),
        _quality_and_cost_figure(
            "variables",
            "Quality and number of variables",
            "Means over the lists. Line: the front, where no method is better with fewer variables. Only "
            "linear methods have variables to count.",
        ),
        _quality_and_cost_figure(
            "seconds",
            "Quality and time",
            "Average precision: mean over the lists. Time: a search with its refits on one split, relative "
            "to logistic regression on that list, median over the lists. Line: the front.",
        ),
        *(
            figure
            for figure in common.FIGURES
            if figure.name in ("multiverse_choices", "critical_difference")
        ),
    ),
    experiments=(FACTS, DEPTH, LEARNING_CURVES),
    order=("decisions", "heat_map", "quality_variables", "quality_seconds", "learning_curves"),
    extra_artefacts=("facts", "explains", "depth_gains", "depth_explains", "results", "bayes", "agreement"),
    claims="reproduction.papers.across.claims:CLAIMS",
    recommend="reproduction.papers.across.recommendation:recommend_methods",
    choices=CHOICES,
    outcomes="reproduction.papers.across.multiverse:build_outcomes",
)
