"""Published Tables III to VI of L14 in the form of our tables, and inputs of its experiments."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reproduction.core.results import STATUS_NOT_OBTAINED
from reproduction.papers.laporte2014.significance import METHODS
from reproduction.specs.published_values import pivot_counts, select_artefact

COUNTS = (
    *("features", "queries", "query_document_pairs", "preferences"),
    *("documents_per_query", "relevant_per_query"),
)
"""Columns of Table III."""


def published_tables(published: pd.DataFrame | None) -> dict[str, pd.DataFrame]:
    """Pivot the published Tables III to VI.

    Parameters
    ----------
    published : DataFrame or None
        Published values of the paper.

    Returns
    -------
    dict of DataFrame
        The tables that are published, in the order of the paper. Table III: a row a data set, with the
        columns of `COUNTS`. Table IV: dataset, method, sparsity_ratio, the row of means too. Tables V and VI:
        a row a data set and method, with dataset, method, best_method, best_value, relation ("best", "worse"
        or "~"), decrease_percent, p_value.
    """
    pivots = {
        "table3": _pivot_table3,
        "table4": _pivot_table4,
        "table5": _pivot_relations,
        "table6": _pivot_relations,
    }
    rows = {name: select_artefact(published, name) for name in pivots}
    return {name: pivots[name](table_rows) for name, table_rows in rows.items() if table_rows is not None}


def _pivot_table3(rows: pd.DataFrame) -> pd.DataFrame:
    """Lay the counts out, a row a data set."""
    return pivot_counts(rows).rename(columns=lambda name: name.removesuffix("_count")).reset_index()


def _pivot_table4(rows: pd.DataFrame) -> pd.DataFrame:
    """Name the sparsity ratios."""
    renamed = rows.rename(columns={"number": "sparsity_ratio"})
    return renamed[["dataset", "method", "sparsity_ratio"]].reset_index(drop=True)


def _pivot_relations(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete Tables V and VI, which name the best method and those that are significantly worse.

    A method of which the paper says nothing is equivalent to the best ("~").
    """
    table = []
    for dataset, block in rows.groupby("dataset", sort=False):
        # quantities are <metric>_<end>, as map_p_value; the value itself has no end
        quantities = block["quantity"].str.partition("_")[2]
        by_quantity = block.set_index([quantities, "method"])
        (best,) = by_quantity.loc["best_method"].index
        for method in METHODS:
            relation = "best" if method == best else by_quantity["value"].get(("relation", method), "~")
            row = {"dataset": dataset, "method": method, "best_method": best, "relation": relation}
            row["best_value"] = by_quantity["number"]["", best]
            row["decrease_percent"] = by_quantity["number"].get(("decrease", method), float("nan"))
            table.append(row | {"p_value": by_quantity["value"].get(("p_value", method), "none")})
    return pd.DataFrame(table)


def list_split_inputs(settings: Mapping) -> list[tuple[str, int]]:
    """List the split of each data set that an experiment needs.

    Parameters
    ----------
    settings : mapping
        Settings of the experiment: ``datasets`` and ``split``.

    Returns
    -------
    list of (str, int)
        Data set and split.
    """
    return [(name, settings["split"]) for name in settings["datasets"]]


def select_obtained(table: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of the data sets that were obtained.

    Parameters
    ----------
    table : DataFrame
        Rows of an experiment, with the column status.

    Returns
    -------
    DataFrame
        Rows with a result, in their own types.
    """
    rows = table[table["status"] != STATUS_NOT_OBTAINED]
    return rows.infer_objects()  # beside a set without numbers pandas reads truth values as objects
