"""What chance would give, on the page: placebo of the verdicts, and the order of the methods.

`build_chance_tables` lays both tables out; `describe_chance` is the sentence beside the headline of a study.
"""

from __future__ import annotations

import pandas as pd

from reproduction.comparison.placebo import ALL_TABLES
from reproduction.core.sentence_templates import fill_template
from reproduction.reporting.page.table import build_view_context
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.labels import format_identity
from reproduction.specs.table_cells import number_columns, text_cell
from reproduction.specs.table_views import Column, View

CHANCE_LEVEL = 0.05
"""A count that at least this share of the permutations reaches is no more than chance."""

CHANCE_TEXT = """
{{ reproduced }} of {{ numbers }} measured numbers agree or are consistent. With the published values permuted
among the methods of each data set, {{ "%.1f" | format(mean) }} would on average, and up to
{{ "%.0f" | format(upper) }} in 95 % of the permutations:
{{ "no more than chance" if is_chance else "more than chance" }}.
"""

PLACEBO_VIEW = View(
    "placebo",
    "What chance would give",
    lead=(Column("Table", text_cell("table"), style=""), Column("Permuted", text_cell("permuted"), style="")),
    columns=(
        *number_columns(("Numbers", "numbers", ".0f"), ("Agree or consistent", "reproduced", ".0f")),
        *number_columns(("By chance", "chance_mean", ".1f"), ("95 % point", "chance_upper", ".0f")),
        *number_columns(("p", "p_value", ".3f")),
        Column("Finding", text_cell("finding"), style=""),
    ),
    label="Placebo of {study}",
    small=True,
    lead_text="The published values are permuted 2000 times, among the methods of each data set or as whole "
    "rows among the data sets, and judged by the same rules. A count that permuted values reach as well says "
    "nothing about what was permuted.",
)

METHOD_ORDER_VIEW = View(
    "method_order",
    "Does the order of the methods come back?",
    lead=(
        Column("Table", text_cell("table"), style=""),
        Column("Quantity", text_cell("quantity"), style=""),
        Column("Data set", text_cell("dataset"), style="", choices="dataset"),
    ),
    columns=(
        *number_columns(("Methods", "methods", ".0f")),
        *number_columns(("Kendall's τ", "tau", "+.2f"), ("p", "p_value", ".3f")),
    ),
    label="Order of the methods of {study}",
    filtered=True,
    small=True,
    folded="orders",
    lead_text="Kendall's τ between the published means and ours, and the share of the permutations of the "
    "methods that reach it. The rows of all data sets have the mean.",
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
    tables = (
        (PLACEBO_VIEW, _label_rows(study.comparison.placebo)),
        (
            METHOD_ORDER_VIEW,
            _label_rows(study.comparison.method_order),
        ),
    )
    contexts = [build_view_context(view, {view.name: rows}, study.name) for view, rows in tables if len(rows)]
    return [context for context in contexts if context]


def _label_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the names that readers see."""
    labelled = rows.assign(
        table=[
            "All tables" if name == ALL_TABLES else format_identity("artefact", name)
            for name in rows["artefact"]
        ]
    )
    if "quantity" in rows:
        return labelled.assign(
            quantity=[format_identity("quantity", name) for name in rows["quantity"]],
            dataset=["all data sets" if name == ALL_TABLES else name for name in rows["dataset"]],
        )
    return labelled.assign(finding=list(map(_describe_level, rows["p_value"])))


def _describe_level(p_value: float) -> str:
    """Say whether a count is more than chance."""
    return "no more than chance" if p_value > CHANCE_LEVEL else "more than chance"


def describe_chance(study: StudyReport) -> str:
    """Write the count of reproduced numbers of a study beside what permuted values get.

    Parameters
    ----------
    study : StudyReport
        The study with its comparison.

    Returns
    -------
    str
        A sentence; empty for a study without measured numbers.
    """
    rows = study.comparison.placebo
    rows = rows[(rows["permuted"] == "methods") & (rows["numbers"] > 0)] if len(rows) else rows
    if not len(rows):
        return ""
    # the row of all tables, or the only table
    total = rows.iloc[-1]
    facts = {
        "numbers": int(total["numbers"]),
        "reproduced": int(total["reproduced"]),
        "mean": total["chance_mean"],
        "upper": total["chance_upper"],
        "is_chance": total["p_value"] > CHANCE_LEVEL,
    }
    return fill_template(CHANCE_TEXT, facts)
