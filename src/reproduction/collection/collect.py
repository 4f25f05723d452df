"""Join the rows of all jobs of a study, in an order that does not depend on which job ended first."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from reproduction.core import provenance
from reproduction.core.result_columns import FITS_KEY, LIST_FIT_COLUMNS, QUERY_COLUMNS
from reproduction.core.results import (
    PROVENANCE_KEY,
    QUERIES_KEY,
    ResultsError,
    check_unique,
    read_text,
    rerun_hint,
)
from reproduction.core.row_order import numeric_sort_key, sort_fits

NAMED_QUERIES = 5
"""So many of the queries that a method lacks are named."""


def collect_fits(paths: Iterable[str | Path], columns: Sequence[str] = LIST_FIT_COLUMNS) -> pd.DataFrame:
    """Join the files of the jobs of one study, every cell as it was written.

    Rows that are no fits (roles "query" and "provenance") are left out.

    Parameters
    ----------
    paths : iterable of path-like
        One CSV file for each job.
    columns : sequence of str
        The columns that the fits of the paper have.

    Returns
    -------
    pandas.DataFrame
        Strings, these columns, sorted by the identity of the fit (`FITS_KEY`).

    Raises
    ------
    ResultsError
        If there is no file; if one is empty, cut off or lacks a column; if a split of its split batch
        has not exactly one chosen fit; or if two rows claim to be the same fit.
    """
    frames = []
    for path in paths:
        rows = read_text(path, columns)
        # A job's file holds three kinds of rows: fits, metrics of queries, and one row on what made it.
        rows = rows[~rows["role"].isin(("query", provenance.PROVENANCE_ROLE))]
        if rows.empty:
            raise ResultsError(
                f"{path} holds no row: a job writes one row per fit, whatever its status; run it again."
            )
        check_complete(path, rows)
        frames.append(rows[list(columns)])
    if not frames:
        raise ResultsError("There is no file of fits to collect: the study names no data set or no method.")
    fits = sort_fits(pd.concat(frames, ignore_index=True))
    # A data set that was not obtained has one row for each job, which are alike on purpose.
    obtained = fits[fits["status"] != "not obtained"]
    is_repeated = obtained.duplicated(subset=list(FITS_KEY))
    if is_repeated.any():
        row = obtained[is_repeated].iloc[0]
        identity = ", ".join(f"{name} {row[name]}" for name in FITS_KEY if row[name] != "")
        raise ResultsError(
            f"The same fit occurs twice in the collected rows ({identity}): remove the stale file and rerun."
        )
    return fits


def check_complete(path: str | Path, rows: pd.DataFrame) -> None:
    """Check that each split of a job's split batch has exactly one chosen fit.

    Parameters
    ----------
    path : path-like
        File of the job; its name ends with the split batch: ``.<first split>-<last split>.csv``.
    rows : pandas.DataFrame
        Rows of the fits of the file, as text.

    Raises
    ------
    ResultsError
        If a split has none or several, or if a chosen fit is of a split outside the split batch.
    """
    # The file's name ends with its first and last split, as in sonar.raw.toppush.0-9.csv.
    split_batch = re.search(r"\.(\d+)-(\d+)$", Path(path).stem)
    chosen = rows.loc[rows["role"] == "chosen"]
    # A data set that was not obtained has one row for the whole batch.
    if split_batch is None or ((chosen["status"] == "not obtained").all() and len(chosen)):
        return
    # count down: what is left in the end are splits outside the split batch
    counts = chosen["split"].value_counts()
    for split in map(str, range(int(split_batch[1]), int(split_batch[2]) + 1)):
        if (number := counts.pop(split) if split in counts else 0) != 1:
            raise ResultsError(
                f"{path} holds {number} chosen fits of split {split}, not one: {rerun_hint(path)}"
            )
    if len(counts):
        raise ResultsError(
            f"{path} holds a fit of split {counts.index[0]}, not of its split batch: {rerun_hint(path)}"
        )


def collect_queries(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Join the rows of role "query" of the jobs of one study, every cell as it was written.

    Parameters
    ----------
    paths : iterable of path-like
        One CSV file for each job.

    Returns
    -------
    pandas.DataFrame
        Strings, the columns of `QUERY_COLUMNS`, sorted by the identity of the query (`QUERIES_KEY`).

    Raises
    ------
    ResultsError
        If a file lacks a column, if a query stands twice for one method, or if a method lacks queries
        that another one has.
    """
    frames = [pd.DataFrame(columns=list(QUERY_COLUMNS), dtype=str)]
    for path in paths:
        rows = read_text(path, (*QUERY_COLUMNS, "role"))
        frames.append(rows.loc[rows["role"] == "query", list(QUERY_COLUMNS)])
    queries = pd.concat(frames, ignore_index=True)
    check_unique(queries, "The collected rows")
    check_queries_complete(queries)

    return queries.sort_values(list(QUERIES_KEY), key=numeric_sort_key, kind="stable", ignore_index=True)


def check_queries_complete(queries: pd.DataFrame) -> None:
    """Check that all methods have the same queries of each test part.

    Parameters
    ----------
    queries : pandas.DataFrame
        Rows of role "query" of a study.

    Raises
    ------
    ResultsError
        If a method lacks queries of a test part (data set, feature scaling, split) that another one has.
    """
    part_key = ["dataset", "feature_scaling", "split"]
    for (dataset, scaling, split), part in queries.groupby(part_key, sort=False):
        # without the list of queries at hand, those of all methods together are the reference
        all_queries = set(part["qid"])
        for method, own_queries in part.groupby("method", sort=False)["qid"]:
            # Sorted as numbers where they are such: shorter ones first.
            missing = sorted(all_queries.difference(own_queries), key=lambda qid: (len(qid), qid))
            if missing:
                more = len(missing) - NAMED_QUERIES
                names = ", ".join(missing[:NAMED_QUERIES]) + (f" and {more} more" if more > 0 else "")
                raise ResultsError(
                    f"The fits of {method} on {dataset} ({scaling}) lack queries of split {split} ({names}): "
                    "delete their file and run again."
                )


def join_provenance(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Join the provenance of the files of the jobs of one study.

    Parameters
    ----------
    paths : iterable of path-like
        One CSV file for each job.

    Returns
    -------
    pandas.DataFrame
        Strings, one row a file: the columns of `PROVENANCE_KEY` (study, dataset, feature_scaling, method,
        split_batch), then those of `provenance.PROVENANCE_COLUMNS`.

    Raises
    ------
    ResultsError
        If a file does not hold exactly one row of provenance.
    """
    records = []
    for path in paths:
        rows = read_text(path, FITS_KEY)
        provenance_rows = rows[rows["role"] == provenance.PROVENANCE_ROLE]
        if len(provenance_rows) != 1:
            raise ResultsError(f"{path} holds no provenance: {rerun_hint(path)}")
        row = provenance_rows.iloc[0]
        # The record holds its facts as JSON in the column of messages.
        facts = {name: str(value) for name, value in json.loads(row["message"]).items()}
        records.append({**row[list(PROVENANCE_KEY[:-1])], "split_batch": row["split"], **facts})
    columns = [*PROVENANCE_KEY, *provenance.PROVENANCE_COLUMNS]
    return pd.DataFrame(records, columns=columns, dtype=str).sort_values(
        list(PROVENANCE_KEY), ignore_index=True
    )
