"""Tables III to VI of L14 as LaTeX: a row a data set, a column a method, the printed value beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.labels import method_label
from reproduction.papers.laporte2014.inputs import COUNTS, MEAN
from reproduction.papers.laporte2014.significance import BEST, BETTER, SAME, WORSE
from reproduction.papers.laporte2014.tables import MEASURE_TABLES, methods_of
from reproduction.tables import NOT_OBTAINED, NOT_RUN
from reproduction.text import escape, fitted, short

HEAD = [
    r"% Written by toprank; needs \usepackage{booktabs}\usepackage{graphicx}. \input it inside a table.",
    r"\begingroup\fontsize{6}{6.8}\selectfont\setlength{\tabcolsep}{2.5pt}%",
]
COUNT_HEADS = ("features", "queries", "query-document pairs", "preferences", "documents", "relevant")


def latex_tables(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """Write Tables III to VI, each as tabulars with a note on every data set that needs one.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        "table3" to "table6".

    Returns
    -------
    dict of str to str
        In the order of the paper.
    """
    return {
        "table3": latex_table3(tables["table3"]),
        "table4": latex_table4(tables["table4"]),
        **{name: latex_measure(tables[name], name) for name in MEASURE_TABLES},
    }


def latex_table3(table: pd.DataFrame) -> str:
    """Write Table III: each count, and the printed one in parentheses."""
    lines = [
        *HEAD,
        r"\begin{tabular}{l*{6}{r}}",
        r"\toprule",
        r"& & & & & \multicolumn{2}{c}{per query} \\",
        r"\cmidrule(lr){6-7}",
        "Data set & " + " & ".join(COUNT_HEADS) + r" \\",
        r"\midrule",
    ]
    for _, row in table.iterrows():
        cells = [
            _beside(row, count_text(row[name], name), count_text(row[f"printed_{name}"], name))
            for name in COUNTS
        ]
        lines.append(" & ".join([escape(row["dataset"]), *cells]) + r" \\")
    return _closed(lines, table)


def latex_table4(table: pd.DataFrame) -> str:
    """Write Table IV: mean and standard deviation of the ratio, and the printed one in parentheses."""

    def cell(row: pd.Series) -> str:
        ours = ratio_text(row["sparsity_ratio_mean"], row["sparsity_ratio_std"]).replace("±", r"$\pm$")
        return _beside(row, ours, ratio_text(row["printed_sparsity_ratio"], math.nan))

    return _closed(_wide(table, lambda row: [cell(row)]), table)


def latex_measure(table: pd.DataFrame, name: str) -> str:
    """Write Table V or VI: the best in bold, ~ for alike, significant decreases with p, then the print."""
    measure = MEASURE_TABLES[name]

    def cells(row: pd.Series) -> list[str]:
        text = value_text(row[f"{measure}_mean"], row[f"{measure}_std"]).replace("±", r"$\pm$")
        relation = _math(relation_text(row))
        ours = rf"\textbf{{{text}}}" if row["relation"] == BEST else text
        said = _math(printed_text(row))
        return [
            ours or _word(row),
            relation,
            rf"\textbf{{{said}}}" if row["printed_relation"] == BEST else said,
        ]

    return _closed(_wide(table, cells, ("ours", "to the best", "printed")), table)


def count_text(value: float, name: str) -> str:
    """Write a count of Table III as the paper does, the averages with one decimal; "" where there is none."""
    if math.isnan(value):
        return ""
    return f"{value:.1f}" if name.endswith("per_query") else f"{value:.0f}"


def ratio_text(mean: float, std: float) -> str:
    """Write a ratio and its standard deviation with two decimals as printed; "" where there is none."""
    if math.isnan(mean):
        return ""
    return f"{mean:.2f}" if math.isnan(std) else f"{mean:.2f} ± {std:.2f}"


def value_text(mean: float, std: float) -> str:
    """Write MAP or NDCG with four decimals as printed, its deviation with three; "" where there is none."""
    if math.isnan(mean):
        return ""
    return f"{mean:.4f}" if math.isnan(std) else f"{mean:.4f} ± {std:.3f}"


def relation_text(row: pd.Series) -> str:
    """Write the relation to the best as the paper does: ``~``, or ``−3 % (p = 0.02)``; "" of the best."""
    if row["relation"] in (SAME, WORSE, BETTER):
        return _relation(row["relation"], row["decrease_percent"], row["t_p"])
    return ""


def printed_text(row: pd.Series) -> str:
    """Write what is printed of a method: the best value, ``~``, or ``−3 % (p = .02)``."""
    if row["printed_relation"] == BEST:
        return f"{row['printed_value']:.4f}"
    if row["printed_relation"] == SAME:
        return SAME
    if row["printed_relation"] != WORSE:
        return ""
    decrease = f"−{row['printed_decrease_percent']:.2g} %"
    p_value = row["printed_p_value"]
    return decrease if p_value == "none" else f"{decrease} (p {with_sign(p_value)})"


def _relation(relation: str, decrease: float, p_value: float) -> str:
    if relation == SAME:
        return SAME
    sign = "−" if decrease >= 0 else "+"
    shown = "better" if relation == BETTER else f"p {with_sign(small_p(p_value))}"
    return f"{sign}{abs(decrease):.2g} % ({shown})"


def small_p(p_value: float) -> str:
    """Write a p-value as the paper does: ``0.042``, ``<0.001``."""
    return "<0.001" if p_value < 0.001 else short(p_value)


def with_sign(p_value: str) -> str:
    """Put the sign before a p-value: ``= 0.02``, ``< 0.001``."""
    return p_value.replace("<", "< ") if p_value.startswith("<") else f"= {p_value}"


def _math(text: str) -> str:
    """Put what is no text into mathematics."""
    text = escape(text).replace(r"\textasciitilde{}", r"$\sim$")
    return text.replace(r"\textless{}", "$<$").replace("=", "$=$").replace(" \\%", r"\,\%")


def _word(row: pd.Series) -> str:
    return row["data_status"] if row["data_status"] in (NOT_OBTAINED, NOT_RUN) else "none"


def _beside(row: pd.Series, ours: str, printed: str) -> str:
    """Put the printed value in parentheses behind ours."""
    return f"{ours or _word(row)} ({printed})" if printed else ours or _word(row)


def _wide(table: pd.DataFrame, cells, names: tuple[str, ...] = ()) -> list[str]:
    """Lay a table out with a column a method, a tabular for the paper's methods and one for the others.

    `cells` gives the lines of one row of the table; `names` are those of the lines, if there are several.
    """
    lines = list(HEAD)
    for block, title in (("paper", "Methods of the paper"), ("beyond", "Beyond the paper")):
        methods = methods_of(table, block)
        if not methods:
            continue
        lead = "ll" if names else "l"
        heads = ["Data set", *[""] * bool(names), *(escape(method_label(method)) for method in methods)]
        lines += [
            rf"\par\medskip {title}\par" if block == "beyond" else rf"{title}\par",
            rf"\begin{{tabular}}{{{lead}*{{{len(methods)}}}{{r}}}}",
            r"\toprule",
            " & ".join(heads) + r" \\",
            r"\midrule",
        ]
        of_block = table[table["block"] == block]
        for (dataset, _), rows in of_block.groupby(["dataset", "features"], sort=False):
            found = {row["method"]: cells(row) for _, row in rows.iterrows()}
            for i in range(max(map(len, found.values()))):
                if not any(of_method[i] for of_method in found.values()):
                    continue
                lead_cells = [escape(dataset) if i == 0 else "", *names[i : i + 1]]
                body = [found.get(method, ["not run", "", ""])[i] for method in methods]
                if dataset == MEAN and i == 0:
                    lines.append(r"\midrule")
                lines.append(" & ".join([*lead_cells, *body]) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
    return lines if len(lines) > len(HEAD) else [*lines, r"\begin{tabular}{l}", "nothing", r"\end{tabular}"]


def _closed(lines: list[str], table: pd.DataFrame) -> str:
    """Close the table and note below it what was not obtained and what is special about data sets."""
    if lines[-1] != r"\end{tabular}":
        lines = [*lines, r"\bottomrule", r"\end{tabular}"]
    for _, row in table[table["dataset"] != MEAN].drop_duplicates("dataset").iterrows():
        if row["data_status"] != "obtained":
            lines.append(
                rf"\par {escape(row['dataset'])} ({escape(row['data_status'])}): {escape(row['reason'])}"
            )
        if row["note"] != "none":
            lines.append(rf"\par {escape(row['dataset'])}: {escape(row['note'])}")
    return fitted("\n".join([*lines, r"\endgroup", ""]))
