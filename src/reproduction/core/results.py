"""Readers of the result files, with one clear sentence for a file that is not as it should be."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from reproduction.core.result_columns import FITS_KEY, VERIFICATION_COLUMNS
from reproduction.core.row_order import sort_fits

QUERIES_TEXT_COLUMNS = ("study", "dataset", "feature_scaling", "method", "qid")
QUERIES_KEY = ("dataset", "feature_scaling", "method", "split", "qid")

FITS_TEXT_COLUMNS = (
    *("study", "dataset", "feature_scaling", "method", "role", "params", "status", "message"),
    *("ties", "variables_at", "chosen_by"),
)
PROVENANCE_KEY = ("study", "dataset", "feature_scaling", "method", "split_batch")
DATA_COLUMNS = ("dataset", "status", "reason", "verdict")
DIAGNOSIS_COLUMNS = ("dataset", "feature_scaling", "split", "lambda_max", "zero_is_optimal")


class ResultsError(ValueError):
    """A result file cannot be used; the message names the file and the remedy."""


STATUS_NOT_OBTAINED = "not obtained"
"""Status of a data set that is not there, and of all that would need it."""

STATUS_NOT_RUN = "not run"
"""Stands for a number that is not part of this run."""

MEAN_DATASET = "mean"
"""Stands for the data set in a row that averages over data sets."""


def missing_reason(table: pd.DataFrame) -> str:
    """Say why a table has no numbers.

    Parameters
    ----------
    table : pd.DataFrame
        Table of a study, with a column ``status`` where data may be missing.

    Returns
    -------
    str
        The reason; empty where some of the rows are of a data set that was obtained.
    """
    if "status" not in table or table.empty or not (table["status"] == STATUS_NOT_OBTAINED).all():
        return ""
    return str(table["message"].iloc[0]) if "message" in table else STATUS_NOT_OBTAINED


def drop_rows_not_run(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out the rows of a table that stand for what this run was not asked to run.

    Parameters
    ----------
    table : pd.DataFrame
        Table of a study, with a column ``data_status`` where parts may not be run.

    Returns
    -------
    pd.DataFrame
    """
    if "data_status" not in table:
        return table
    return table[table["data_status"] != STATUS_NOT_RUN].reset_index(drop=True)


def is_empty(table: pd.DataFrame) -> bool:
    """Return whether a table has no row, or no number but 0 in its columns of numbers.

    Parameters
    ----------
    table : pd.DataFrame
        Any table; missing numbers count as 0.

    Returns
    -------
    bool
    """
    # a row of zeros only, such as counts of nothing, says nothing
    numbers = table.select_dtypes("number")
    return table.empty or (numbers.shape[1] > 0 and not numbers.fillna(0.0).to_numpy().any())


def rerun_hint(path: str | Path) -> str:
    """Say how to repair the file of a job.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    str
    """
    return f"delete it and run again (rm {path})."


def read_text(path: str | Path, columns: Sequence[str]) -> pd.DataFrame:
    """Read a CSV file with every cell as the text that it holds.

    Parameters
    ----------
    path : str or Path
        CSV file.
    columns : Sequence[str]
        Columns that must be there.

    Returns
    -------
    pd.DataFrame
        Strings only; an empty cell is the empty string.

    Raises
    ------
    ResultsError
        If the file is missing, empty, damaged or cut off, or if it lacks a column.
    """
    path = Path(path)
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise ResultsError(f"{path} does not exist: run the rule that writes it.") from None
    except pd.errors.EmptyDataError:
        raise ResultsError(f"{path} is empty: {rerun_hint(path)}") from None
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        message = " ".join(str(error).split()).rstrip(".")
        raise ResultsError(f"{path} is damaged ({message}): {rerun_hint(path)}") from None
    if not isinstance(rows.index, pd.RangeIndex):  # rows with a cell too many make the first column an index
        raise ResultsError(f"{path} is damaged (rows of different length): {rerun_hint(path)}")
    with path.open("rb") as file:
        file.seek(-1, 2)
        # A file that was cut within its last cell is still readable CSV: only the missing line end tells.
        if file.read() != b"\n":
            raise ResultsError(f"{path} is cut off in its last line: {rerun_hint(path)}")
    lacking = [column for column in columns if column not in rows.columns]
    if lacking:
        raise ResultsError(f"{path} lacks the column {lacking[0]!r}: it has {', '.join(rows.columns)}.")
    return rows


def to_numbers(rows: pd.DataFrame, columns: Iterable[str], path: str | Path) -> pd.DataFrame:
    """Turn columns of text into floats; an empty cell becomes NaN.

    Parameters
    ----------
    rows : pd.DataFrame
        Table of text.
    columns : Iterable[str]
        Columns to convert.
    path : str or Path
        File of the table, for the message.

    Returns
    -------
    pd.DataFrame
        A copy with these columns as floats.

    Raises
    ------
    ResultsError
        If a cell holds neither a number nor nothing; the message names the file, the column and the cell.
    """
    rows = rows.copy()
    for column in columns:
        text = rows[column]
        numbers = pd.to_numeric(text, errors="coerce").astype(float)
        # words in a column of numbers are an error, except for missing values
        is_invalid = numbers.isna() & ~text.str.strip().str.lower().isin(["", "nan"])
        if is_invalid.any():
            raise ResultsError(
                f"{path}: column {column!r} holds {text[is_invalid].iloc[0]!r} where a number should stand."
            )
        rows[column] = numbers
    return rows


def read_fits(path: str | Path, numbers: Sequence[str], optional: Sequence[str] = ()) -> pd.DataFrame:
    """Read the collected fits of a study, sorted by identity, numbers as floats.

    Parameters
    ----------
    path : str or Path
        CSV file of the fits.
    numbers : Sequence[str]
        Columns of numbers that must be there beside the identity, the status and the message of a fit.
    optional : Sequence[str], optional
        Columns of numbers that an older file may lack: NaN there.

    Returns
    -------
    pd.DataFrame
        The fits.
    """
    columns = (*FITS_KEY, "status", "message", *numbers)
    rows = read_text(path, columns)
    rows = rows.assign(**{name: "" for name in optional if name not in rows})
    columns = (*columns, *optional)
    rows = to_numbers(rows, [c for c in columns if c not in FITS_TEXT_COLUMNS], path)
    return sort_fits(rows)


def read_queries(path: str | Path) -> pd.DataFrame:
    """Read the metrics of each query of the test parts under the chosen fits.

    Parameters
    ----------
    path : str or Path
        CSV file of the queries.

    Returns
    -------
    pd.DataFrame
        Sorted by identity; the id of a query is text.

    Raises
    ------
    ResultsError
        If the file lacks a column, or if a query stands twice for one method.
    """
    numbers = ("split", "n_documents", "n_relevant", "average_precision", "ndcg10", "ndcg10_standard")
    rows = to_numbers(read_text(path, [*QUERIES_TEXT_COLUMNS, *numbers]), numbers, path)
    check_unique(rows, path)
    return rows.sort_values(list(QUERIES_KEY), ignore_index=True)


def check_unique(queries: pd.DataFrame, source: str | Path) -> None:
    """Check that no query stands twice for one method.

    Parameters
    ----------
    queries : pd.DataFrame
        Table with the columns `QUERIES_KEY`.
    source : str or Path
        File of the table, for the message.

    Raises
    ------
    ResultsError
        If a query is repeated.
    """
    is_repeated = queries.duplicated(subset=list(QUERIES_KEY))
    if is_repeated.any():
        row = queries[is_repeated].iloc[0]
        raise ResultsError(
            f"{source}: query {row['qid']} of {row['dataset']} occurs twice for {row['method']}, split "
            f"{row['split']}: remove the stale file and rerun."
        )


def read_data(path: str | Path) -> pd.DataFrame:
    """Read the table of data sets, as text, sorted by name.

    Parameters
    ----------
    path : str or Path
        CSV file.

    Returns
    -------
    pd.DataFrame
        Columns `DATA_COLUMNS` and any others, as text.
    """
    return read_text(path, DATA_COLUMNS).sort_values("dataset", ignore_index=True)


def read_diagnosis(path: str | Path) -> pd.DataFrame:
    """Read the diagnosis of a study (λ_max, and whether w = 0 is optimal, for each split).

    Parameters
    ----------
    path : str or Path
        CSV file with the columns `DIAGNOSIS_COLUMNS`.

    Returns
    -------
    pd.DataFrame
        Sorted by data set, feature scaling and split; ``zero_is_optimal`` holds booleans or missing values.
    """
    rows = to_numbers(read_text(path, DIAGNOSIS_COLUMNS), ["split", "lambda_max"], path)
    rows["zero_is_optimal"] = _booleans(rows["zero_is_optimal"], path)
    return rows.sort_values(["dataset", "feature_scaling", "split"], ignore_index=True)


def read_verification(path: str | Path) -> pd.DataFrame:
    """Read the verification of the solvers.

    Parameters
    ----------
    path : str or Path
        CSV file with the columns `VERIFICATION_COLUMNS`.

    Returns
    -------
    pd.DataFrame
        Sorted by method and case; the column ``passed`` holds booleans, a missing one as False.
    """
    rows = read_text(path, VERIFICATION_COLUMNS)
    rows["passed"] = _booleans(rows["passed"], path).fillna(False).astype(bool)
    return rows.sort_values(["method", "case"], ignore_index=True)


def read_parameter(params: str, name: str) -> float | None:
    """Return one hyper-parameter of a fit from its JSON text.

    Parameters
    ----------
    params : str
        JSON object of the parameters, or an empty text.
    name : str
        Name of the parameter.

    Returns
    -------
    float or None
        Rounded to twelve significant digits; None where the fit has no parameter of that name.
    """
    value = json.loads(params).get(name) if params else None
    # Twelve digits: 1e-4 from a configuration and 10**-4 from a grid are the same alpha.
    return None if value is None else float(f"{value:.12g}")


def _booleans(column: pd.Series, path: str | Path) -> pd.Series:
    """Read True/False, true/false, 1/0; an empty cell is missing."""
    words = {"true": True, "1": True, "false": False, "0": False, "": None}
    # pandas writes True, JSON true, and a spreadsheet 1.
    text = column.str.strip().str.lower()
    is_invalid = ~text.isin(words)
    if is_invalid.any():
        raise ResultsError(
            f"{path}: column {column.name!r} holds {column[is_invalid].iloc[0]!r} instead of True or False."
        )
    return text.map(words).astype("boolean")
