"""How a reader sees the tables of a study of L14."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pandas as pd

from reproduction.core.formatting import escape_latex, format_mean_std, format_percent, format_short
from reproduction.core.formatting import format_latex_number as written
from reproduction.papers.laporte2014.inputs import COUNTS
from reproduction.papers.laporte2014.significance import BEST, BETTER, SAME, WORSE
from reproduction.reporting.latex.run_tables import (
    format_longtable,
    format_paragraph_columns,
    method_to_latex,
)
from reproduction.specs.labels import method_label
from reproduction.specs.table_views import (
    DATASET,
    DATASET_NAME,
    METHOD,
    STATUSES,
    Cell,
    Column,
    LatexLayout,
    Row,
    SubText,
    View,
    has_fits,
    has_value,
    missing_text,
    number_cell,
    number_columns,
    text_cell,
    without_filter,
)

MEASURE_NAMES = {"map": "MAP", "ndcg10": "NDCG@10", "ndcg10_standard": "NDCG@10, printed formula"}
IN_PRINT = MEASURE_NAMES | {"ndcg10_standard": "NDCG@10, standard"}
BLOCKS = {"paper": "Methods of the paper", "beyond": "Beyond the paper"}


def _decimals(mean: float, std: float, places: int, of_std: int) -> str:
    """Write a mean and its standard deviation with as many decimals as printed."""
    return f"{mean:.{places}f}" if math.isnan(std) else f"{mean:.{places}f} ± {std:.{of_std}f}"


def relation_text(row: Row) -> str:
    """Write the relation to the best as the paper does: ``~``, or ``−3 % (p = 0.02)``; "" of the best."""
    if row["relation_by_folds"] == SAME:
        return SAME
    if row["relation_by_folds"] not in (WORSE, BETTER):
        return ""
    sign = "−" if row["decrease_percent"] >= 0 else "+"
    shown = "better" if row["relation_by_folds"] == BETTER else f"p {with_sign(small_p(row['t_p_by_folds']))}"
    return f"{sign}{format_percent(abs(row['decrease_percent']) / 100)} ({shown})"


def printed_text(row: Row) -> str:
    """Write what is printed of a method: the best value, ``~``, or ``−3 % (p = .02)``."""
    if row["printed_relation"] == BEST:
        return f"{row['printed_value']:.4f}"
    if row["printed_relation"] == SAME:
        return SAME
    if row["printed_relation"] != WORSE:
        return ""
    decrease = f"−{row['printed_decrease_percent']:g} %"
    p_value = row["printed_p_value"]
    return decrease if p_value == "none" else f"{decrease} (p {with_sign(p_value)})"


def small_p(p_value: float) -> str:
    """Write a p-value as the paper does: ``0.042``, ``<0.001``."""
    return "<0.001" if p_value < 0.001 else format_short(p_value)


def with_sign(p_value: str) -> str:
    """Put the sign before a p-value: ``= 0.02``, ``< 0.001``."""
    return p_value.replace("<", "< ") if p_value.startswith("<") else f"= {p_value}"


def _count(name: str) -> Callable[[Row], Cell]:
    """Show a count of Table III, the averages with one decimal; the printed one where it differs."""
    shown = "{:.1f}".format if name.endswith("per_query") else "{:.0f}".format

    def make(row: Row) -> Cell:
        ours, printed = row[name], row[f"printed_{name}"]
        beside = "" if math.isnan(printed) else shown(printed)
        differs = math.isnan(ours) or shown(ours) != beside
        return number_cell(
            ours, shown, missing_text(row), sub_texts=(SubText(beside, "printed", on_page=differs),)
        )

    return make


HEADS = (
    ("Features", "features", ""),
    ("Queries", "queries", ""),
    ("Query-document pairs", "query-document pairs", ""),
    ("Preferences", "preferences", ""),
    ("Documents per query", "documents", "per query"),
    ("Relevant per query", "relevant", "per query"),
)
"""Of the counts: on the page, and in print with what stands above."""

TABLE3 = View(
    "table3",
    "Table III: data sets",
    lead=(without_filter(DATASET),),
    columns=tuple(
        Column(heading, _count(name), latex_heading=in_print, group=group)
        for name, (heading, in_print, group) in zip(COUNTS, HEADS, strict=True)
    ),
    anchored=True,
    label="Table III of {study}",
    lead_text="Counted in the prepared files; a printed count stands below where it differs. A document is "
    "relevant from grade 1 on.",
)


def _wide(
    name: str, title: str, cell: Callable[[Row], Cell], quantity: str, say: str, paper: LatexLayout
) -> View:
    """Describe a table with a row a data set and a column a method, the paper's methods apart."""
    column = Column("Method", cell, latex_heading="Method", fits=has_fits, quantity=quantity)
    return View(
        name,
        title,
        lead=(without_filter(DATASET),),
        columns=(column,),
        pivot_by="method",
        key=("dataset", "features"),
        group_titles=BLOCKS,
        label="{title}, {block}, of {study}",
        lead_text=say,
        latex_layout=paper,
    )


def _ratio(row: Row) -> Cell:
    printed = row["printed_sparsity_ratio"]
    return number_cell(
        row["sparsity_ratio_mean"],
        lambda mean: _decimals(mean, row["sparsity_ratio_std"], 2, 2),
        missing_text(row),
        sub_texts=(SubText("" if math.isnan(printed) else f"{printed:.2f}", "printed"),),
    )


TABLE4 = _wide(
    "table4",
    "Table IV: sparsity ratio",
    _ratio,
    "sparsity_ratio",
    "Share of the varying features that a model uses: mean ± standard deviation over the folds, below it "
    "the printed value. The last row is the mean over the data sets obtained, beside the printed mean over "
    "the same ones. The paper leaves three choices open. Our grids are in config.yaml (λ relative to "
    "λ<sub>max</sub>, FenchelRank's radius, the two weights of the reconstructed FSMRank). Ties go to fewer "
    "variables, then to the stronger regularisation. MCP and SCAD have their own λ of 1; "
    "with 1/C they would bend far above all weights and equal the ℓ₁ norm.",
    LatexLayout(),
)


def _measure(name: str) -> Callable[[Row], Cell]:
    """Show MAP or NDCG@10 with its relation to the best, and what is printed."""

    def make(row: Row) -> Cell:
        said = SubText(relation_text(row), style="mark")
        printed = SubText(printed_text(row), "printed", strong=row["printed_relation"] == BEST)
        return number_cell(
            row[f"{name}_mean"],
            lambda mean: _decimals(mean, row[f"{name}_std"], 4, 3),
            missing_text(row),
            strong=row["relation"] == BEST,
            sub_texts=(said, printed),
        )

    return make


MEASURED = (
    "Mean ± standard deviation over the folds. <strong>Bold</strong>: the best of the paper's six. "
    '<span class="mark">~</span>: not worse than the best by a paired one-sided Student test at .05 on the '
    "means of the five folds. The pairs are our choice: the paper names none. Otherwise: the decrease in "
    "per cent and <em>p</em>. Methods beyond the paper can also be better."
)
BY_SCRIPT = (
    " By LETOR's script, in which a query of fewer than ten documents counts 0; NDCG@10 by the printed "
    'formula is below <a href="#{{ study }}-fits">with the fits</a>.'
)
LINES = LatexLayout(lines=("ours", "to the best", "printed"))
TABLE5 = _wide("table5", "Table V: MAP", _measure("map"), "map", MEASURED, LINES)
TABLE6 = _wide("table6", "Table VI: NDCG@10", _measure("ndcg10"), "ndcg10", MEASURED + BY_SCRIPT, LINES)


def _tested(row: Row) -> Cell:
    return Cell(
        method_label(row["method"]), sub_texts=(SubText("beyond the paper" * (row["block"] == "beyond")),)
    )


def _p_value(heading: str, name: str, **more) -> Column:
    return Column(heading, lambda row: number_cell(row[name], small_p), **more)


TESTS = View(
    "tests",
    "Tests against the best method",
    lead=(DATASET_NAME,),
    columns=(
        Column("Measure", lambda row: MEASURE_NAMES[row["measure"]], style="", choices="measure"),
        Column("Method", _tested, style="", choices="method"),
        Column("Best", lambda row: method_label(row["best"]), style=""),
        *number_columns(("Queries", "n_queries", ".0f"), detail=True),
        *number_columns(("Difference", "difference", "+.4f")),
        _p_value("Student, queries", "t_p"),
        _p_value("Student, folds", "t_p_by_folds"),
        _p_value("Wilcoxon", "wilcoxon_p", detail=True),
        _p_value("Wilcoxon, Holm", "wilcoxon_holm", detail=True),
        _p_value("Permutation", "permutation_p", detail=True),
        Column("Relation", text_cell("relation"), style="", detail=True),
    ),
    groups=("dataset", "measure"),
    label="Tests of {study}",
    filtered=True,
    folded="tests",
    lead_text="<em>Queries</em> and <em>folds</em>: the paper's paired one-sided Student test, on the "
    "queries and on the means of the folds. Beyond the paper, on the queries: two-sided Wilcoxon "
    "signed-rank test, the same with Holm's correction over the methods of a block, and a two-sided "
    "sign-flip permutation test.",
    empty_text="No data set of this study has a second method: there is nothing to test.",
)


def latex_tests(table: pd.DataFrame) -> str:
    """Write the tests for print: every method against the best one, by data set and measure."""
    names = ("Data set", "Measure", "Best", "Method")
    heads = (*names, r"Decrease (\%)", "Student", "by folds", "Wilcoxon", "Holm", "Permutation")
    rows, last = [], None
    for row in table.to_dict("records"):
        of = (row["dataset"], row["measure"])
        measure = IN_PRINT.get(row["measure"], row["measure"])
        shown = [escape_latex(row["dataset"]), escape_latex(measure), method_to_latex(row["best"])]
        columns = ("t_p", "t_p_by_folds", "wilcoxon_p", "wilcoxon_holm", "permutation_p")
        cells = [written(row[column]) for column in ("decrease_percent", *columns)]
        rows.append([*(shown if of != last else ("", "", "")), method_to_latex(row["method"]), *cells])
        last = of
    caption = (
        r"Every method against the best of the paper's six: the decrease of the mean, and $p$-values. "
        r"Student: paired, one-sided, on queries and on means of folds. Wilcoxon, Holm (its correction) and "
        r"permutation (sign flips): two-sided, on queries."
    )
    columns = f"ll{format_paragraph_columns(0.12, 0.17)}*{{6}}{{r}}"
    return format_longtable(heads, columns, rows, caption, "tiny")


def _with_gains(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    keys = ["dataset", "features", "method"]
    return tables["table4"].merge(
        tables["table6"][[*keys, "ndcg10_mean", "ndcg10_standard_mean"]], on=keys, how="left"
    )


def _variables(row: Row) -> Cell:
    return number_cell(row["variables_mean"], lambda mean: format_mean_std(mean, row["variables_std"]))


def _near(row: Row) -> Cell:
    said = "{near_mean:.2g}: {near_ratio_min:.2f} to {near_ratio_max:.2f}"
    return number_cell(row["near_mean"], lambda _: said.format(**row))


def _violation(row: Row) -> Cell:
    """Only of a nonconvex objective, which has no gap."""
    return number_cell(row["kkt_max"] if math.isnan(row["relative_gap_max"]) else math.nan, "{:.1e}".format)


FITS = View(
    "fits",
    "Fits",
    lead=(DATASET,),
    columns=(
        METHOD,
        Column("Variables", _variables, fits=has_value("variables_mean")),
        Column("As good", _near),
        *number_columns(("End", "edge_splits", ".0f"), ("Seconds", "seconds_mean", "")),
        *number_columns(("Gap", "relative_gap_max", ".1e"), detail=True),
        Column("Violation", _violation, detail=True),
        *number_columns(("NDCG@10, LETOR's script", "ndcg10_mean", ".4f")),
        *number_columns(("NDCG@10, printed formula", "ndcg10_standard_mean", ".4f"), detail=True),
        STATUSES,
    ),
    rows=_with_gains,
    groups=("dataset",),
    anchored=True,
    filtered=True,
    folded="rows of fits",
    lead_text="The chosen fits. <em>As good</em>: how many candidates are within .005 of the best MAP on the "
    "validation part (mean over the folds), and the range of their sparsity ratios. <em>End</em>: folds on "
    "which an end of the grid was chosen.",
)
