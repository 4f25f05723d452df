"""Statistics of the page beyond the papers' own: scores, mean ranks, tests, pairs of methods."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

import pandas as pd

from reproduction.core.formatting import format_count, format_percent, format_short
from reproduction.reporting.method_comparison.method_ranks import (
    ALL_DATASETS,
    untested_reason,
)
from reproduction.reporting.page.table import build_view_context
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.labels import method_label, method_sort_key
from reproduction.specs.metrics import LABELS, LOGARITHMIC
from reproduction.specs.table_cells import number_cell, number_columns, text_cell
from reproduction.specs.table_views import Cell, Column, Row, SubText, View, fits_key

#: The level of the papers' own tests.
SIGNIFICANCE_LEVEL = 0.05

ROUNDING_TOL = 1e-12
"""A difference below this is rounding."""


def build_statistics_context(study: StudyReport) -> dict:
    """Prepare scores, tests of all methods, and pairs of methods for the template.

    Parameters
    ----------
    study : StudyReport
        The study with its tables.

    Returns
    -------
    dict
        ``own`` (the paper's own tests), ``tables`` and ``pairs``; empty where the study has no such tables.
    """
    tables = study.tables
    if "ranks" not in tables or "pairwise" not in tables:
        return {}
    return {
        "own": study.paper.tests,
        "tables": [
            table
            for view in (SCORES_VIEW, TESTS_VIEW)
            if (table := build_view_context(view, tables, study.name))
        ],
        "pairs": build_pairs_context(study),
    }


def build_pairs_context(study: StudyReport) -> dict | None:
    """Prepare the comparison of two methods for the template.

    Parameters
    ----------
    study : StudyReport
        The study with its tables.

    Returns
    -------
    dict or None
        ``names``: methods; ``methods``: their labels; ``cells``: text and sort key of each cell, once;
        ``rows``: of every pair the indices of its two methods, then of its cells; ``details``: how many of
        the columns the dialog of a row shows; ``table`` and ``first``: the first pair, for readers without
        scripts. None where there is no pair.
    """
    pairs = study.tables["pairwise"]
    if pairs.empty:
        return None
    rows, methods = (
        pairs.to_dict("records"),
        sorted({*pairs["method"], *pairs["rival"]}, key=method_sort_key),
    )
    view = replace(PAIRS_VIEW, columns=tuple(_pair_columns(pairs)))
    first = rows[0]["method"], rows[0]["rival"]
    first_rows = [row for row in rows if (row["method"], row["rival"]) == first]
    # the script holds each distinct cell once; rows refer to it by number, the smallest to the most frequent
    columns = (*view.lead, *view.columns)
    cells_of_rows = ((column.make_cell(row) for column in columns) for row in rows)
    table_cells = [[(cell.plain_text, cell.sort_key) for cell in row_cells] for row_cells in cells_of_rows]
    counts = Counter(chain.from_iterable(table_cells))
    cells = {cell: place for place, (cell, _) in enumerate(counts.most_common())}
    return {
        "names": methods,
        "methods": [method_label(name) for name in methods],
        "rows": [
            [
                *(methods.index(row[name]) for name in ("method", "rival")),
                *(cells[cell] for cell in row_cells),
            ]
            for row, row_cells in zip(rows, table_cells, strict=True)
        ],
        "cells": [*cells],
        "details": sum(column.detail for column in view.columns),
        "table": build_view_context(view, {"pairwise": pd.DataFrame(first_rows)}, study.name),
        "first": [methods.index(name) for name in first],
    }


def format_p_value(value: float) -> str:
    """Write a p-value with two digits; below .001 only as such.

    Parameters
    ----------
    value : float
        The p-value.

    Returns
    -------
    str
    """
    return "< .001" if value < 1e-3 else f"{value:.2g}"


def _p_value_column(heading: str, name: str, level: float = 0.0, **more) -> Column:
    """Show a p-value, in bold below a level."""
    return Column(
        heading, lambda row: number_cell(row[name], format_p_value, strong=row[name] < level), **more
    )


def _label_metric(row: Row) -> str:
    """Return the label of the metric of a row."""
    return LABELS.get(row["metric"], row["metric"])


def _build_score_rows(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Give every method a row in each feature scaling and metric: its score and its mean rank."""
    ranks, scores = tables["ranks"], tables.get("scores")
    key = ["feature_scaling", "metric", "method"]
    if scores is None or scores.empty:
        scores = pd.DataFrame(columns=[*key, "dataset", "score", "fits", "successful_fits"])
    rows = ranks.merge(scores[scores["dataset"] == ALL_DATASETS].drop(columns="dataset"), on=key, how="left")
    rows["best"] = rows["score"] == rows.groupby(["feature_scaling", "metric"])["score"].transform("max")
    rows["heading"] = rows["metric"].map(lambda name: LABELS.get(name, name))
    order = rows["method"].map(method_sort_key)
    return rows.assign(order=order).sort_values(
        ["feature_scaling", "order"], kind="stable", ignore_index=True
    )


def _score_cell(row: Row) -> Cell:
    """Show the scaled score of a method with its mean rank below it."""
    if math.isnan(row["mean_rank"]):
        return Cell("none", is_absent=True, title=row["note"])
    sub_texts = (SubText(f"{row['mean_rank']:.2f}", "rank"),)
    return number_cell(row["score"], "{:.2f}".format, strong=row["best"], sub_texts=sub_texts)


def _success_cell(row: Row) -> Cell:
    """Show the share of fits that ended well, with the counts below it."""
    sub_texts = (
        SubText("" if pd.isna(row["fits"]) else f"{row['successful_fits']:.0f} of {row['fits']:.0f} fits"),
    )
    share = row["successful_fits"] / row["fits"] if row["fits"] else math.nan
    return number_cell(share, format_percent, sub_texts=sub_texts)


SCORES_VIEW = View(
    "summary",
    "Ranks and scores",
    lead=(
        Column("Method", lambda row: method_label(row["method"]), style=""),
        Column("Features", text_cell("feature_scaling"), style=""),
        Column("Success rate", _success_cell),
    ),
    columns=(Column("", _score_cell),),
    rows=_build_score_rows,
    pivot_by="heading",
    key=("feature_scaling", "method"),
    label="Ranks and scores of {study}",
    lead_text="<em>Success rate</em>: the share of the selected fits that are certified or met the published "
    "rule. The column of a metric has the <em>scaled score</em>, from 0 for the worst to 1 for the best "
    "method of a data set, and below it the rank. Both are means over the data sets.",
)


def _format_test_notes(rows: pd.DataFrame) -> str:
    """Write the notes of a test: missing splits, data sets that do not count."""
    first = rows.iloc[0]
    ranked, unranked = (rows[rows["mean_rank"].notna() == has_rank] for has_rank in (True, False))
    reason = untested_reason(first["n_datasets"], first["n_methods"])
    if len(ranked):  # what is said of the splits, too
        reason = ranked["note"].iloc[0]
    notes = [f"{reason}." if reason not in ("", "none") else ""]
    notes += [f"Not counted: {first['left_out']}." if first["left_out"] != "none" else ""]
    notes += [f"{method_label(row['method'])}: {row['note']}." for _, row in unranked.iterrows()]
    return " ".join(filter(None, notes))


def _build_test_rows(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Build the rows of the tests of all methods, one a feature scaling and metric."""
    tests = tables["ranks"].groupby(["feature_scaling", "metric"], sort=False)
    return pd.DataFrame(
        [rows.iloc[0].to_dict() | {"test_notes": _format_test_notes(rows) or "none"} for _, rows in tests]
    )


TESTS_VIEW = View(
    "rank_tests",
    "",
    lead=(
        Column("Metric", _label_metric, style=""),
        Column("Features", text_cell("feature_scaling"), style=""),
    ),
    columns=(
        Column(
            "Data sets", lambda row: number_cell(row["n_datasets"], "{:.0f}".format, title=row["datasets"])
        ),
        *number_columns(("Methods", "n_methods", ".0f")),
        _p_value_column("Friedman p", "friedman_p"),
        _p_value_column("Iman–Davenport p", "iman_davenport_p"),
        *number_columns(("Critical difference", "critical_difference", ".2f")),
        Column("Note", text_cell("test_notes"), detail=True),
    ),
    rows=_build_test_rows,
    label="Tests of all methods of {study}",
)


def _mean_cell(name: str) -> Callable[[Row], Cell]:
    """Show the mean of a method; on a single data set it leads to its fits."""

    def make(row: Row) -> Cell:
        """Make the cell of a mean.

        Parameters
        ----------
        row : Row
            Row of the table.

        Returns
        -------
        Cell
            The mean; on a single data set with a link to its fits.
        """
        fits = "" if row["dataset"] == ALL_DATASETS else fits_key({**row, "method": row[name]})
        return number_cell(row[f"{name}_mean"], format_short, fits=fits)

    return make


def _dataset_cell(row: Row) -> Cell:
    """Show a data set, with its feature scaling below it unless it is raw."""
    sub_texts = (SubText("" if row["feature_scaling"] == "raw" else row["feature_scaling"]),)
    return Cell(row["dataset"], sub_texts=sub_texts)


def _counts_cell(row: Row) -> Cell:
    """Show wins, ties and losses, sorted by wins minus losses."""
    text = "/".join(f"{row[name]:.0f}" for name in ("wins", "ties", "losses"))
    return Cell(text, row["wins"] - row["losses"])


def _format_difference(row: Row, value: float) -> str:
    """Write a difference; of logarithms it is a factor."""
    return f"× {10**value:.3g}" if row["metric"] in LOGARITHMIC else _format_signed(value, ".3g")


def _format_signed(value: float, format_spec: str) -> str:
    """Write a difference with its sign; rounding errors (`ROUNDING_TOL`) as 0."""
    return "0" if abs(value) < ROUNDING_TOL else f"{value:+{format_spec}}"


def _difference_cell(row: Row) -> Cell:
    """Show the mean difference, and its interval below."""
    ends = [_format_difference(row, row[end]) for end in ("low", "high") if not math.isnan(row[end])]
    sub_texts = (SubText(" to ".join(ends)),)
    return number_cell(
        row["mean_difference"], lambda value: _format_difference(row, value), sub_texts=sub_texts
    )


def _pair_columns(rows: pd.DataFrame) -> Iterator[Column]:
    """Yield the columns of the comparison of two methods."""
    yield Column("First", _mean_cell("method"))
    yield Column("Second", _mean_cell("rival"))
    yield Column("Wins / ties / losses", _counts_cell)
    yield Column("Difference", _difference_cell)
    yield _p_value_column("Holm p", "wilcoxon_holm", level=SIGNIFICANCE_LEVEL)
    yield Column(
        "Pairs",
        lambda row: Cell(format_count(row["n"], row["of"].removesuffix("s")), row["n"]),
        detail=True,
    )
    yield Column(
        "Effect",
        lambda row: number_cell(row["rank_biserial"], lambda v: _format_signed(v, ".2f")),
        detail=True,
    )
    yield _p_value_column("Wilcoxon p", "wilcoxon_p", detail=True)
    if rows["corrected_t_p"].notna().any():
        yield _p_value_column("Corrected t p", "corrected_t_p", detail=True)


PAIRS_VIEW = View(
    "pairwise",
    "Two methods compared",
    lead=(Column("Data set", _dataset_cell, style=""), Column("Metric", _label_metric, style="")),
    columns=_pair_columns,
    label="Two methods of {study}",
    small=True,
)
