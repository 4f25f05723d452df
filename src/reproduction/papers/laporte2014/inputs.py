"""Reading the result files of a study of L14: fits, queries, the printed Tables III to VI."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from reproduction.results import FITS_TEXT, ResultsError, read_fits, read_text, to_numbers
from reproduction.schema import QUERY_FITS

FITS_NUMBERS = tuple(c for c in QUERY_FITS if c not in (*FITS_TEXT, "split", "fold", "weights"))
"""Columns of fits.csv beyond the identity of a fit."""

PRINTED_METHODS = {
    "fenchelrank": "fenchelrank",
    "l1": "l1_ranksvm",
    "fsmrank": "fsmrank",
    "mcp": "mcp_ranksvm",
    "log": "log_ranksvm",
    "l0.5": "lp_ranksvm",
}
"""How a method is called in the files of printed numbers -> in the study; in the order of Table IV."""

COUNTS = (
    "features",
    "queries",
    "query_document_pairs",
    "preferences",
    "documents_per_query",
    "relevant_per_query",
)
"""Columns of Table III."""

TEN = 10
"""Rank at which NDCG@10 is cut."""

MEAN = "mean"
"""What stands for the data set in a row that averages over them."""


def read_query_fits(path: str | Path) -> pd.DataFrame:
    """Read the collected fits of a study of L14, sorted by identity, numbers as floats."""
    return read_fits(path, FITS_NUMBERS)


def short_queries(queries: pd.DataFrame) -> pd.DataFrame:
    """Count the queries with fewer than ten documents, to which LETOR's script gives an NDCG@10 of 0.

    Parameters
    ----------
    queries : pandas.DataFrame
        Rows of `read_queries`.

    Returns
    -------
    pandas.DataFrame
        dataset, queries, short.
    """
    each = queries.drop_duplicates(["dataset", "split", "qid"])
    short = (each["n_documents"] < TEN).groupby(each["dataset"], sort=False)
    return pd.DataFrame({"queries": short.size(), "short": short.sum()}).reset_index()


def read_manifests(paths: Iterable[str | Path]) -> dict[str, dict]:
    """Read the manifests of prepared data sets, by name."""
    manifests = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    return {manifest["dataset"]: manifest for manifest in manifests}


def read_printed(published: Mapping[str, str | None] | None) -> dict[str, pd.DataFrame]:
    """Read the printed Tables III to VI, in the order of the paper.

    Parameters
    ----------
    published : mapping of table to path-like, or None
        Keys among "table3", "table4", "table5", "table6".

    Returns
    -------
    dict of str to pandas.DataFrame
        Of those that are given. Table III: a row a data set with the columns of `COUNTS`. Table IV: dataset,
        method, sparsity_ratio, the mean row as data set `MEAN`. Tables V and VI: dataset, method,
        best_method, best_value, relation ("best", "worse" or "~"), decrease_percent, p_value, a row for every
        data set and method.
    """
    readers = {"table3": _table3, "table4": _table4, "table5": _relations, "table6": _relations}
    given = {name: path for name, path in (published or {}).items() if path}
    return {name: readers[name](path) for name, path in given.items()}


def _table3(path: str | Path) -> pd.DataFrame:
    return to_numbers(read_text(path, ["dataset", *COUNTS]), COUNTS, path)


def _table4(path: str | Path) -> pd.DataFrame:
    wide = to_numbers(read_text(path, ["dataset", *PRINTED_METHODS]), PRINTED_METHODS, path)
    rows = [
        (row["dataset"], ours, row[theirs])
        for _, row in wide.iterrows()
        for theirs, ours in PRINTED_METHODS.items()
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "sparsity_ratio"])


def _relations(path: str | Path) -> pd.DataFrame:
    """Tables V and VI name the best method and those that are significantly worse; the others are alike."""
    text = read_text(
        path, ["dataset", "best_method", "method", "relation_to_best", "decrease_percent", "p_value"]
    )
    (best_column,) = [name for name in text.columns if name.startswith("best_") and name != "best_method"]
    unknown = (set(text["best_method"]) | set(text["method"])) - {*PRINTED_METHODS, ""}
    if unknown:
        raise ResultsError(
            f"{path} names the method {min(unknown)!r}: it is none of {', '.join(PRINTED_METHODS)}."
        )
    values = to_numbers(text, [best_column, "decrease_percent"], path)
    rows = []
    for dataset, block in values.groupby("dataset", sort=False):
        best = block["best_method"].iloc[0]
        worse = block[block["relation_to_best"] == "worse"].set_index("method")
        for theirs, ours in PRINTED_METHODS.items():
            is_worse = theirs in worse.index
            rows.append(
                {
                    "dataset": dataset,
                    "method": ours,
                    "best_method": PRINTED_METHODS[best],
                    "best_value": block[best_column].iloc[0],
                    "relation": "best" if theirs == best else "worse" if is_worse else "~",
                    "decrease_percent": worse.loc[theirs, "decrease_percent"] if is_worse else float("nan"),
                    "p_value": (worse.loc[theirs, "p_value"] or "none") if is_worse else "none",
                }
            )
    return pd.DataFrame(rows)
