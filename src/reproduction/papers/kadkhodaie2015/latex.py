"""Table 1 of K15 as LaTeX: one booktabs tabular, the printed value beside ours for every feature block."""

from __future__ import annotations

import math

import pandas as pd

from reproduction.labels import features_key, method_label
from reproduction.tables import NOT_OBTAINED, NOT_RUN
from reproduction.text import escape, fitted, with_spread

HEADER = """\
% Written by toprank; needs \\usepackage{booktabs}\\usepackage{graphicx}. \\input it inside a table.
% Type of 6 pt, made smaller where the text is narrower than the table.
% $\\bullet$, $\\star$: the paper's marks, by the decimal exponent of the mean, ours as the printed ones.
% Excess: median / maximum relative distance to the certified optimum of objective (11), in per cent.
"""


def latex_table1(table: pd.DataFrame) -> str:
    """Write Table 1 as a tabular.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `top_ranking.table1.table1`.

    Returns
    -------
    str
        A tabular and, below it, the data sets that have no measured number, with the reason.
    """
    blocks = sorted(set(table["features"]), key=features_key)
    n = len(blocks)
    names = " & ".join(escape(block) for block in blocks)
    lines = [
        HEADER + r"\begingroup\fontsize{6}{6.8}\selectfont\setlength{\tabcolsep}{2pt}%",
        rf"\begin{{tabular}}{{ll*{{{3 * n + 2}}}{{r}}}}",
        r"\toprule",
        rf"& & \multicolumn{{{n + 1}}}{{c}}{{Pos@Top}} & \multicolumn{{{n + 1}}}{{c}}{{Training time (s)}} & "
        rf"\multicolumn{{{n}}}{{c}}{{Excess}} \\",
        rf"\cmidrule(lr){{3-{n + 3}}}\cmidrule(lr){{{n + 4}-{2 * n + 4}}}",
        rf"\cmidrule(lr){{{2 * n + 5}-{3 * n + 4}}}",
        rf"Data set & Method & printed & {names} & printed & {names} & {names} \\",
    ]
    for dataset, rows in table.groupby("dataset", sort=False):
        lines.append(r"\midrule")
        for i, (method, by_block) in enumerate(rows.groupby("method", sort=False)):
            cells = [escape(dataset) if i == 0 else "", escape(method_label(method))]
            lines.append(" & ".join(cells + _cells(by_block.set_index("features"), blocks)) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    notes = table[table["data_status"] != "obtained"].drop_duplicates("dataset")
    for _, row in notes.iterrows():
        lines.append(
            rf"\par {escape(row['dataset'])} ({escape(row['data_status'])}): {escape(row['reason'])}"
        )
    return fitted("\n".join([*lines, r"\endgroup", ""]))


def _cells(rows: pd.DataFrame, blocks: list[str]) -> list[str]:
    """Write the cells of one data set and method: Pos@Top, seconds (printed, then ours), excess."""
    cells = []
    for quantity, mark, sign in (("pos_at_top", "mark_best", r"\bullet"), ("seconds", "mark_fast", r"\star")):
        first = rows.iloc[0]
        cells.append(_number(first, f"printed_{quantity}", f"printed_{mark}", sign, "not printed"))
        for block in blocks:
            if block in rows.index:
                status = rows.loc[block, "data_status"]
                word = status if status in (NOT_OBTAINED, NOT_RUN) else "none"
                cells.append(_number(rows.loc[block], quantity, mark, sign, word))
            else:
                cells.append("not run")
    for block in blocks:
        cells.append(_excess(rows.loc[block]) if block in rows.index else "not run")
    return cells


def _number(row: pd.Series, quantity: str, mark: str, sign: str, word: str) -> str:
    """One mean ± std with its mark, or the word that says why there is none."""
    mean, std = row[f"{quantity}_mean"], row[f"{quantity}_std"]
    if math.isnan(mean):
        return word
    number = with_spread(mean, std).replace("±", r"$\pm$")
    return rf"{number} ${sign}$" if row[mark] == "1" else number


def _excess(row: pd.Series) -> str:
    """Median and maximal excess over the certified optimum."""
    if math.isnan(row["excess_median"]):
        return row["data_status"] if row["data_status"] in (NOT_OBTAINED, NOT_RUN) else "not defined"
    return f"{_in_per_cent(row['excess_median'])} / {_in_per_cent(row['excess_max'])}"


def _in_per_cent(share: float) -> str:
    """Two significant digits; what is below 1e-5 of the optimum is shown as such."""
    return (
        r"$<$.001" if share < 1e-5 else f"{100 * share:.2g}" if 100 * share < 9.95 else f"{100 * share:.0f}"
    )
