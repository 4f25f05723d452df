"""Views of the tables of the study: columns, headings and cells, on the page and in LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pandas as pd

from reproduction.papers.across.decisions import DECISION_METRICS, NO_RECOMMENDATION
from reproduction.papers.across.facts.experiment import FACT_LABELS, GAIN_METRICS
from reproduction.papers.across.results import REPORTED_METRICS
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_label
from reproduction.specs.metrics import LABELS
from reproduction.specs.table_cells import (
    DATASET,
    DATASET_NAME,
    METHOD,
    STATUSES,
    has_fits,
    missing_text,
    number_cell,
    number_columns,
)
from reproduction.specs.table_views import Cell, Column, Row, SubText, View


def interval_columns(
    heading: str, name: str, form: str, missing_word: Callable[[Row], str] = lambda row: "–", **more: Any
) -> Iterator[Column]:
    """Make a column of a number, in the dialog with its interval; strong where the interval excludes 0.

    Parameters
    ----------
    heading, name, form : str
        Heading, column of the table, and format of the number.
    missing_word : callable, optional
        Row -> text where there is no number.
    **more
        Further attributes of the column.

    Yields
    ------
    Column
        Of the number, then of its interval.
    """

    def interval(row: Row) -> str:
        """Format the ends of the interval; "" where there is none.

        Parameters
        ----------
        row : Row
            Row of the table.

        Returns
        -------
        str
            "low to high".
        """
        ends = row[f"{name}_low"], row[f"{name}_high"]
        return " to ".join(format(end, form) for end in ends) if ends[0] == ends[0] else ""

    def make_cell(row: Row) -> Cell:
        """Make the cell of the number.

        Parameters
        ----------
        row : Row
            Row of the table.

        Returns
        -------
        Cell
            The number, strong where it has a sign and its interval excludes 0, with the interval
            below it.
        """
        # Only of a signed number, a difference, does 0 have a meaning.
        is_clear = "+" in form and (row[f"{name}_low"] > 0 or row[f"{name}_high"] < 0)
        sub_texts = (SubText(interval(row), "95 %", on_page=False),)
        value = row[name if name in row else f"{name}_mean"]
        return number_cell(
            value, lambda x: format(x, form), missing_word(row), strong=is_clear, sub_texts=sub_texts
        )

    yield Column(heading, make_cell, latex_heading=heading, **more)
    yield Column(f"{heading}, 95 %", lambda row: interval(row) or "none", detail=True)


def numeric_columns(*named: tuple[str, str, str], detail: bool = False) -> Iterator[Column]:
    """Make columns of numbers, also for LaTeX.

    Parameters
    ----------
    *named : tuple of str
        Heading, column of the table, and format of the number.
    detail : bool, optional
        Whether they stand in the dialog of a row alone.

    Yields
    ------
    Column
        One of each.
    """
    return (replace(column, latex_heading=column.heading) for column in number_columns(*named, detail=detail))


def text_column(heading: str, name: str, label: Callable[[str], str] = str, style: str = "") -> Column:
    """Make a column of text, which the reader can filter.

    Parameters
    ----------
    heading, name : str
        Heading, and column of the table.
    label : callable, optional
        Text of the cell -> words for readers.
    style : str, optional
        Style of the cells.

    Returns
    -------
    Column
    """
    return Column(heading, lambda row: label(row[name]), latex_heading=heading, style=style, choices=name)


def _win_tie_loss_cell(row: Row) -> Cell:
    """Make the cell of wins, ties and losses."""
    names = ("wins", "ties", "losses")
    return number_cell(row["wins"], lambda _: "/".join(f"{row[name]:.0f}" for name in names))


def _merge_missing_datasets(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Keep one row of a data set that was not obtained, instead of one a method."""
    table = tables["results"]
    is_missing = table["data_status"] == STATUS_NOT_OBTAINED
    table = table.assign(method=table["method"].mask(is_missing, "all methods"))
    return table[~(is_missing & table.duplicated(["dataset", "feature_scaling", "method"]))]


def _add_study(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame | None:
    """Add the name of the study, whose table of results the methods link to."""
    if "decisions" not in tables:
        return None
    return tables["decisions"].assign(study=next(iter(tables["results"]["study"]), ""))


def _method_cell(row: Row) -> Cell:
    """Make the cell of a method with a link to its results on every data set; there are no links in LaTeX."""
    label = method_label(row["recommended"])
    is_linked = "study" in row and row["recommended"] != NO_RECOMMENDATION
    link = f"{row['study']}-results?{urlencode({'method': label})}" if is_linked else ""
    return Cell(label, link=link)


POSTERIOR_COLUMNS = (
    ("Better", "p_better", ".2f"),
    ("Equivalent", "p_same", ".2f"),
    ("Worse", "p_worse", ".2f"),
)

RESULTS = View(
    "results",
    "All means, their intervals and costs",
    lead=(DATASET, METHOD),
    columns=(
        *(
            column
            for metric in REPORTED_METRICS
            for column in interval_columns(metric.label, metric.name, ".3f", missing_text, fits=has_fits)
        ),
        *numeric_columns(("Variables", "n_variables_mean", ".3g"), ("Seconds", "search_seconds", ".3g")),
        *numeric_columns(("Certified", "certified_share", ".0%")),
        Column("Why not", lambda row: "" if row["reason"] == "none" else row["reason"], style="text"),
        STATUSES,
    ),
    rows=_merge_missing_datasets,
    groups=("dataset",),
    anchored=True,
    filtered=True,
    folded="every method on every data set",
    lead_text="Means over the splits, each metric with the candidate selected by it. The dialog of a row has "
    "their 95 % intervals by the variance of Nadeau and Bengio. Seconds: of a full search on one split. "
    "Certified: share of the refitted models with a certified optimum.",
)

DECISIONS = View(
    "decisions",
    "Recommended method by situation",
    lead=(text_column("Where", "situation", style="words"),),
    columns=(
        text_column("By", "metric", LABELS.get),
        *numeric_columns(("Data sets", "n_sets", ".0f")),
        Column("Recommended", _method_cell, latex_heading="Recommended", style="", choices="recommended"),
        *numeric_columns(("Again the best", "best_share", ".0%"), detail=True),
        text_column("Runner-up", "runner_up", method_label),
        *numeric_columns(("Better than it", "p_better_runner_up", ".2f")),
        *numeric_columns(("Mean", "mean", ".3f"), ("Logistic regression", "rival_mean", ".3f")),
        Column("Wins / ties / losses", _win_tie_loss_cell, latex_heading="W/T/L"),
        *numeric_columns(*POSTERIOR_COLUMNS),
    ),
    rows=_add_study,
    groups=("situation",),
    lead_text="Recommended = best mean rank over the data sets in that row, or the second best if it is "
    "better with a probability of .95: a mean rank depends on the other methods. A method that cannot be run "
    "on a data set is ranked last there. Runner-up: the other one of the two, and the probability that the "
    "recommended one is better by more than .01 (Bayesian signed-rank test). Better, equivalent, worse: the "
    "same test against logistic regression; differences up to .01 are equivalent. Fewer than five sets are "
    "not enough data.",
    empty_text="No data set was obtained.",
)

FACTS = View(
    "facts",
    "The data sets, and the gain from a loss for the top",
    lead=(DATASET_NAME,),
    columns=(
        *numeric_columns(("Rows", "rows", ".0f")),
        *numeric_columns(("Variables", "features", ".0f"), ("Queries", "queries", ".0f"), detail=True),
        *numeric_columns(
            ("Positives", "positives_share", ".1%"), ("w = 0 optimal", "zero_optimal_share", ".0%")
        ),
        *numeric_columns(
            ("λ_max", "lambda_max_median", ".3g"), ("Separable", "separable", ".0f"), detail=True
        ),
        *numeric_columns(("Wrong side", "noise", ".1%"), detail=True),
        *(
            column
            for name in GAIN_METRICS
            for column in interval_columns(f"Gain, {LABELS[name]}", f"gain_{name}", "+.3f")
        ),
    ),
    lead_text="Gain: certified TopPush minus logistic regression, both linear with a ridge, and its 95 % "
    "interval. Separable (1: yes) and wrong side: at the least mean hinge loss on sampled training rows, "
    "which a linear program finds.",
)

EXPLAINS = View(
    "explains",
    "What correlates with the gain",
    lead=(text_column("Fact", "fact", FACT_LABELS.get, "words"),),
    columns=(
        text_column("Gain in", "gain", LABELS.get),
        *numeric_columns(("Data sets", "n_sets", ".0f"), ("Rank correlation", "spearman", "+.2f")),
        *numeric_columns(("p", "p_value", ".2g")),
    ),
    groups=("fact",),
    lead_text="Over the lists of this study, which are few and not a random sample. The facts are "
    "correlated, and the p-values are not corrected. The table can suggest a cause but cannot establish one.",
)

BAYES = View(
    "bayes",
    "Every method beside logistic regression",
    lead=(text_column("By", "metric", LABELS.get),),
    columns=(
        text_column("Method", "method", method_label),
        *numeric_columns(
            ("Lists", "n_sets", ".0f"), ("Mean difference", "mean_difference", "+.3f"), *POSTERIOR_COLUMNS
        ),
    ),
    rows=lambda tables: tables["bayes"].query(f"metric in {DECISION_METRICS}"),
    groups=("metric",),
    filtered=True,
    folded="methods beside logistic regression",
    lead_text="Bayesian signed-rank test over the lists that both can rank; differences up to .01 are "
    "equivalent. The other metrics: bayes.csv.",
)

AGREEMENT = View(
    "agreement",
    "Chosen by one metric, measured by another",
    lead=(text_column("Chosen by", "chosen_by", LABELS.get),),
    columns=(
        text_column("Measured by", "reported", LABELS.get),
        *numeric_columns(("Same best method", "same_best_share", ".0%"), ("Mean loss", "mean_loss", "+.3f")),
    ),
    rows=lambda tables: tables["agreement"].query("chosen_by != reported"),
    groups=("chosen_by",),
    folded="pairs of metrics",
    lead_text="Same best method: share of the data sets on which both metrics have the same best method. "
    "Mean loss: what choosing by the first costs in the second.",
)
