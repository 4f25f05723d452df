"""Collecting the rows of the jobs of a study of queries: its fits, and what each query is worth."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from reproduction import artefacts
from reproduction.artefacts import QUERIES_COLUMNS
from reproduction.results import ResultsError, read_text

FITS_COLUMNS = artefacts.FITS_COLUMNS["query_ranking"]
"""Columns of fits.csv in a study of the protocol query_ranking."""

QUERIES_KEY = ("dataset", "features", "method", "split", "qid")


def collect_queries(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Join the rows of role "query" of the jobs of one study, every cell as it was written.

    Parameters
    ----------
    paths : iterable of path-like
        One CSV file for each job.

    Returns
    -------
    pandas.DataFrame
        Strings, the columns of `QUERIES_COLUMNS`, sorted by the identity of the query.

    Raises
    ------
    ResultsError
        If a file lacks a column, or if a query stands twice for one method.
    """
    frames = [pd.DataFrame(columns=list(QUERIES_COLUMNS), dtype=str)]
    for path in paths:
        rows = read_text(path, (*QUERIES_COLUMNS, "role"))
        frames.append(rows.loc[rows["role"] == "query", list(QUERIES_COLUMNS)])
    queries = pd.concat(frames, ignore_index=True)
    twice = queries.duplicated(subset=list(QUERIES_KEY))
    if twice.any():
        row = queries[twice].iloc[0]
        identity = ", ".join(f"{name} {row[name]}" for name in QUERIES_KEY)
        raise ResultsError(
            f"The same query stands twice in the collected rows ({identity}): remove the stale file, rerun."
        )

    def as_key(column: pd.Series) -> pd.Series:
        return pd.to_numeric(column) if column.name in ("split", "qid") else column

    return queries.sort_values(list(QUERIES_KEY), key=as_key, kind="stable", ignore_index=True)
