"""What chance would give, on the page: placebo of the verdicts, and the order of the methods.

`build_chance_tables` lays both tables out; `describe_chance` is the sentence beside the headline of a study.
"""

from __future__ import annotations

import math

import pandas as pd

from reproduction.comparison.placebo import (
    ALL_TABLES,
    BEST_COMBINATION,
    EXPLAINED_ROWS,
    N_PERMUTATIONS,
    PERMUTED_METHODS,
    REPRODUCED_NUMBERS,
)
from reproduction.comparison.table import RESULT
from reproduction.comparison.verdicts import REPRODUCED
from reproduction.core.sentence_templates import fill_template
from reproduction.reporting.page.table import build_view_context
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.labels import format_identity
from reproduction.specs.table_cells import number_columns, text_cell
from reproduction.specs.table_views import Cell, Column, Row, View

CHANCE_LEVEL = 0.05
"""A count that more than this share of the permutations reaches is no more than chance."""

CHANCE_TEXT = """{{ sentence }}; by chance {{ "%.1f" | format(chance_mean) }}
({{ "%.0f" | format(chance_upper) }}): {{ finding }}"""

STATISTIC_TEXTS = {
    REPRODUCED_NUMBERS: "{{ observed }} of {{ total }} measured numbers agree or are consistent"
    "{% if not_permuted %} ({{ not_permuted }} more cannot be permuted){% endif %}",
    EXPLAINED_ROWS: "other choices explain {{ observed }} of {{ total }} rows with a number that differs",
    BEST_COMBINATION: "{% if combination == 'none' %}no single combination recovers more numbers than it "
    "loses{% else %}the best single combination, {{ combination | replace('; ', ' and ') }}, recovers "
    "{{ observed }} more than it loses, of {{ total }} that differ{% endif %}",
}
"""Statistic -> the sentence with its observed count."""


def _chance_cell(row: Row) -> Cell:
    """Show the mean count of the permutations, with its 95 % point."""
    return Cell(f"{row['chance_mean']:.1f} ({row['chance_upper']:.0f})", row["chance_mean"])


PLACEBO_VIEW = View(
    "placebo",
    "Agreement expected by chance",
    lead=(
        Column("Table", text_cell("table"), style="", choices="table"),
        Column("Count", text_cell("statistic"), style="", choices="statistic"),
        Column("Permuted", text_cell("permuted"), style=""),
    ),
    columns=(
        Column("Observed", lambda row: Cell(f"{row['observed']} of {row['total']}", row["observed"])),
        Column("By chance (95 % point)", _chance_cell),
        *number_columns(("p", "p_value", ".3f"), ("p by Holm", "p_holm", ".3f")),
        Column("Finding", text_cell("finding"), style=""),
        Column("Combination", text_cell("combination"), style="words", detail=True),
    ),
    label="Placebo of {study}",
    small=True,
    folded="counts",
    lead_text=f"The published values are permuted {N_PERMUTATIONS} times, among the methods of each data set "
    "or as whole rows among the data sets, and judged by the same rules, with the search for explanations "
    "repeated each time. A number that has nothing to be exchanged with does not count. A count that "
    "permuted values reach as well is no evidence about what was permuted; the p-values are corrected over "
    "the counts of a table. The best combination is the one that recovers most numbers beyond those that it "
    "loses; this excess is counted.",
)

METHOD_ORDER_VIEW = View(
    "method_order",
    "Is the order of the methods reproduced?",
    lead=(
        Column("Table", text_cell("table"), style=""),
        Column("Quantity", text_cell("quantity"), style=""),
        Column("Data set", text_cell("dataset"), style="", choices="dataset"),
    ),
    columns=(
        *number_columns(("Methods", "methods", ".0f"), ("Data sets with a τ", "datasets_with_tau", ".0f")),
        *number_columns(("Kendall's τ", "tau", "+.2f"), ("p", "p_value", ".3f")),
    ),
    label="Order of the methods of {study}",
    filtered=True,
    small=True,
    folded="orders",
    lead_text="Kendall's τ between the published means and ours, and the share of the permutations of the "
    "methods that reach it. The rows of all data sets have the mean of those with a τ: where all means of "
    "one side are equal, there is none.",
)


def build_chance_tables(study: StudyReport) -> list[dict]:
    """Lay out what chance would give, and the order of the methods.

    Parameters
    ----------
    study : StudyReport
        The study with its comparison.

    Returns
    -------
    list of dict
        Tables as `table.build_view_context` returns them; none for a study without comparison.
    """
    placebo = label_tables(study.comparison.placebo, study)
    orders = label_tables(study.comparison.method_order, study)
    # no combination is an empty cell: most counts have none
    placebo = placebo.assign(
        finding=[describe_level(p_value) for p_value in placebo["p_holm"]],
        combination=placebo["combination"].astype(object).fillna("").replace("none", ""),
    )
    orders = orders.assign(
        quantity=[format_identity("quantity", name) for name in orders["quantity"]],
        dataset=["all data sets" if name == ALL_TABLES else name for name in orders["dataset"]],
    )
    tables = ((PLACEBO_VIEW, placebo), (METHOD_ORDER_VIEW, orders))
    contexts = [build_view_context(view, {view.name: rows}, study.name) for view, rows in tables if len(rows)]
    return [context for context in contexts if context]


def label_tables(rows: pd.DataFrame, study: StudyReport) -> pd.DataFrame:
    """Add the names of the published tables that readers see.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows with the column artefact.
    study : StudyReport
        The study, whose paper names its tables.

    Returns
    -------
    pandas.DataFrame
        The rows with the column table.
    """
    names = ["All tables" if name == ALL_TABLES else study.label_artefact(name) for name in rows["artefact"]]
    return rows.assign(table=names)


def describe_level(p_value: float) -> str:
    """Say whether a count is more than chance.

    Parameters
    ----------
    p_value : float
        Share of the permutations that reach the count, corrected for the number of counts; NaN without a
        number that can be permuted.

    Returns
    -------
    str
        "more than chance" if it is at most `CHANCE_LEVEL`.
    """
    if math.isnan(p_value):
        return "cannot be permuted"
    return "more than chance" if p_value <= CHANCE_LEVEL else "no more than chance"


def describe_chance(study: StudyReport) -> list[str]:
    """Write what is reproduced and explained in a study beside what permuted values get.

    Parameters
    ----------
    study : StudyReport
        The study with its comparison.

    Returns
    -------
    list of str
        A clause for each count, with the mean of the permutations among methods and their 95 % point; empty
        for a study without measured numbers.
    """
    clauses = []
    for level in _list_levels(study):
        sentence = fill_template(STATISTIC_TEXTS[level["statistic"]], level)
        facts = level | {"sentence": sentence, "finding": describe_level(level["p_holm"])}
        clauses.append(fill_template(CHANCE_TEXT, facts))
    return clauses


def measure_chance_level(study: StudyReport) -> dict:
    """Measure how many numbers of a study chance would reproduce, for the mark on the bar of its verdicts.

    Parameters
    ----------
    study : StudyReport
        The study with its comparison.

    Returns
    -------
    dict
        ``observed``; ``mean`` and ``upper`` (95 % point) of the permutations among methods; ``share``, the
        mean in per cent of the published results; ``finding``. Numbers that cannot be permuted count in all
        of them as they are. Empty for a study without measured numbers.
    """
    rows = study.comparison.rows
    # of all results, measured or not, as the bar of the verdicts has them
    total = int((rows["kind"] == RESULT).sum()) if len(rows) else 0
    level = next((row for row in _list_levels(study) if row["statistic"] == REPRODUCED_NUMBERS), None)
    if level is None or not total:
        return {}
    reproduced = int(rows.loc[rows["kind"] == RESULT, "verdict"].isin(REPRODUCED).sum())
    fixed = reproduced - level["observed"]
    mean = float(level["chance_mean"] + fixed)
    return {
        "observed": reproduced,
        "mean": mean,
        "upper": f"{level['chance_upper'] + fixed:.0f}",
        "share": f"{100 * mean / total:.2f}",
        "finding": describe_level(level["p_holm"]),
    }


def _list_levels(study: StudyReport) -> list[dict]:
    """List the placebo of each count, among methods: the row of all tables, or the only table."""
    rows = study.comparison.placebo
    rows = rows.assign(combination=rows["combination"].astype(object).fillna("none"))
    # permutations among methods only: those of whole rows keep the level of each data set
    rows = rows[(rows["permuted"] == PERMUTED_METHODS) & (rows["total"] > 0)]
    # The rows of all tables come last, where there are several tables.
    return rows.drop_duplicates("statistic", keep="last").to_dict("records")
