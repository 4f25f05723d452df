"""What the page shows of the tables of a study of L14, every cell as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pandas as pd

from reproduction.labels import method_label, row_id
from reproduction.papers.laporte2014.inputs import COUNTS, MEAN
from reproduction.papers.laporte2014.latex import (
    count_text,
    printed_text,
    ratio_text,
    relation_text,
    small_p,
    value_text,
)
from reproduction.papers.laporte2014.significance import BEST
from reproduction.papers.laporte2014.tables import MEASURE_TABLES, methods_of
from reproduction.report.page.cells import cell as plain_cell
from reproduction.report.page.cells import fits_key, grouped, has_fits, word_for
from reproduction.tables import NOT_OBTAINED, NOT_RUN
from reproduction.text import short, with_spread

MEASURE_NAMES = {"map": "MAP", "ndcg10": "NDCG@10", "ndcg10_standard": "NDCG@10, printed formula"}
BLOCKS = (("paper", "Methods of the paper"), ("beyond", "Beyond the paper"))


def context(tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare Tables III to VI, the tests and the fits.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        "table3" to "table6", and "tests".

    Returns
    -------
    dict
    """
    ratios = tables["table4"]
    wide = {"table4": {"title": "Table IV: sparsity ratio", "blocks": wide_blocks(ratios, ratio_cell)}}
    for name, measure in MEASURE_TABLES.items():

        def cell(row: pd.Series, measure=measure) -> dict:
            return measure_cell(row, measure)

        number = {"table5": "V", "table6": "VI"}[name]
        title = f"Table {number}: {MEASURE_NAMES[measure]}"
        wide[name] = {"title": title, "blocks": wide_blocks(tables[name], cell)}
    return {
        "counts": [count_row(row) for _, row in tables["table3"].iterrows()],
        "wide": wide,
        "tests": grouped([test_row(row) for _, row in tables["tests"].iterrows()], ("dataset", "measure")),
        "details": details(tables),
    }


def count_row(row: pd.Series) -> dict:
    """Format one data set of Table III; a printed count stands below where it differs."""
    cells = []
    for name in COUNTS:
        ours, printed = count_text(row[name], name), count_text(row[f"printed_{name}"], name)
        aside = f"printed {printed}" if printed and printed != ours else ""
        cells.append(_cell(ours or word_for(row), aside, row[name]))
    identity = {"study": row["study"], "dataset": row["dataset"], "features": "raw", "method": "data"}
    return {"id": row_id(identity), **_named(row), "cells": cells}


def wide_blocks(table: pd.DataFrame, cell: Callable[[pd.Series], dict]) -> list[dict]:
    """Lay a table out with a row a data set and a column a method, the paper's methods apart."""
    blocks = []
    for block, title in BLOCKS:
        methods = methods_of(table, block)
        if not methods:
            continue
        rows = []
        of_block = table[table["block"] == block]
        for (_, features), of_set in of_block.groupby(["dataset", "features"], sort=False):
            found = {row["method"]: cell(row) for _, row in of_set.iterrows()}
            cells = [found.get(method, _cell(NOT_RUN)) for method in methods]
            rows.append(_named(of_set.iloc[0]) | {"features": features, "cells": cells})
        blocks.append({"title": title, "methods": list(map(method_label, methods)), "rows": rows})
    return blocks


def ratio_cell(row: pd.Series) -> dict:
    """Format one sparsity ratio, the printed one below it."""
    ours = ratio_text(row["sparsity_ratio_mean"], row["sparsity_ratio_std"])
    printed = ratio_text(row["printed_sparsity_ratio"], math.nan)
    return _cell(ours or word_for(row), _printed(printed), row["sparsity_ratio_mean"], _fits(row))


def measure_cell(row: pd.Series, measure: str) -> dict:
    """Format one MAP or NDCG@10 with its relation to the best, the printed one below it."""
    ours = value_text(row[f"{measure}_mean"], row[f"{measure}_std"])
    printed = printed_text(row)
    cell = _cell(ours or word_for(row), _printed(printed), row[f"{measure}_mean"], _fits(row))
    is_best = row["relation"] == BEST
    return cell | {
        "best": is_best,
        "printed_best": row["printed_relation"] == BEST,
        "relation": relation_text(row),
    }


def test_row(row: pd.Series) -> dict:
    """Format one comparison with the best method."""
    p_values = ("t_p", "t_p_by_folds", "wilcoxon_p", "wilcoxon_holm", "permutation_p")
    return {
        "dataset": row["dataset"],
        "measure": MEASURE_NAMES[row["measure"]],
        "method": method_label(row["method"]),
        "beyond": row["block"] == "beyond",
        "best": method_label(row["best"]),
        "queries": _number(row["n_queries"], "{:.0f}".format),
        "difference": _number(row["difference"], lambda value: f"{value:+.4f}".replace("-", "−")),
        "p_values": [_number(row[name], small_p) for name in p_values],
        "relation": row["relation"],
    }


def details(tables: Mapping[str, pd.DataFrame]) -> list[dict]:
    """Format what every row of Table IV holds beyond its ratio, and NDCG@10 by both conventions."""
    keys = ["dataset", "features", "method"]
    gains = tables["table6"].set_index(keys)
    rows = []
    for _, row in tables["table4"].iterrows():
        key = tuple(row[k] for k in keys)
        gain = gains.loc[key] if key in gains.index else None
        near = f"{row['near_mean']:.2g}: {row['near_ratio_min']:.2f} to {row['near_ratio_max']:.2f}"
        is_nonconvex = math.isnan(row["relative_gap_max"])
        rows.append(
            {
                "id": row_id(row),
                **_named(row),
                "fits": _fits(row),
                "method": method_label(row["method"]),
                "cells": [
                    _number(
                        row["variables_mean"], lambda mean, row=row: with_spread(mean, row["variables_std"])
                    ),
                    _number(row["near_mean"], lambda _, near=near: near),
                    _number(row["edge_splits"], lambda n: f"{n:.0f}"),
                    _number(row["seconds_mean"], short),
                    _number(row["relative_gap_max"], lambda gap: f"{gap:.1e}"),
                    _number(row["kkt_max"] if is_nonconvex else math.nan, lambda kkt: f"{kkt:.1e}"),
                    _gain(gain, "ndcg10"),
                    _gain(gain, "ndcg10_standard"),
                ],
                "statuses": row["statuses"],
            }
        )
    return grouped(rows, ("dataset",))


def _gain(gain: pd.Series | None, name: str) -> dict:
    return _number(math.nan if gain is None else gain[f"{name}_mean"], lambda value: f"{value:.4f}")


def _named(row: pd.Series) -> dict:
    """Name the data set of a row, with what is to be said of it."""
    said = row["reason"] if row["data_status"] in (NOT_OBTAINED, NOT_RUN) else row["note"]
    aside = row["data_status"] if row["data_status"] != "obtained" else ""
    if row["dataset"] == MEAN or (not aside and said != "none"):
        aside = said if row["dataset"] == MEAN else "see the note"
    name = row["dataset"]
    return {"dataset": name, "aside": aside, "title": "" if said == "none" else said, "repeats": False}


def _cell(text: str, aside: str = "", value: float = math.nan, fits: str = "") -> dict:
    """Make a cell with a second line; it is absent where it has no number."""
    more = {"aside": aside, "best": False, "printed_best": False, "relation": "", "fits": fits}
    return plain_cell(text, value, absent=math.isnan(value), **more)


def _number(value: float, shown: Callable[[float], str]) -> dict:
    """Format a number, or a dash where there is none."""
    return _cell("–" if math.isnan(value) else shown(value), value=value)


def _printed(text: str) -> str:
    return f"printed {text}" if text else ""


def _fits(row: pd.Series) -> str:
    """Name the fits behind a cell; a mean over the data sets has none of its own, nor what was not run."""
    return "" if row["dataset"] == MEAN or not has_fits(row) else fits_key(row)
