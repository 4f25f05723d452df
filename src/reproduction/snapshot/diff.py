"""The tables of two runs, or of a run and a snapshot: which table, row and column differ.

``python -m reproduction.snapshot compare OLD NEW --rtol 1e-6 --skip-times`` lists the differences.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reproduction.core.formatting import format_count
from reproduction.snapshot.archive import BENCH_FOLDER

ROW_KEYS = (
    "artefact",
    "claim",
    "dataset",
    "feature_scaling",
    "metric",
    "solver",
    "method",
    "rival",
    "quantity",
)
"""Columns that name a row in a message, as far as a table has them."""

TIME_WORD = "seconds"
"""Part of the names of columns, metrics and quantities that depend on the machine."""

HOST_TABLES = ("provenance.csv",)
"""Tables that say when and where files were written, and differ between any two runs."""

MAX_LINES = 20
"""Differences of one table that are listed; the others are counted."""


class RunError(ValueError):
    """A folder lacks a part of a run; the message is one sentence with the remedy."""


def compare_runs(old: str | Path, new: str | Path, rtol: float = 0.0, skip_times: bool = False) -> list[str]:
    """Compare every table of a run with the same table of another one.

    Parameters
    ----------
    old, new : str or Path
        Folders of two finished runs, or of snapshots of them. Tables of `old` are looked for in `new`. The
        benchmark against other solvers is measured by ``snakemake bench`` and left out.
    rtol : float
        Relative difference that two numbers may have; at 0 they must be written alike.
    skip_times : bool
        Whether columns and rows of times are left out.

    Returns
    -------
    list of str
        A sentence for each difference; of one table at most `MAX_LINES` and how many more there are.

    Raises
    ------
    RunError
        If `old` holds no comparison.csv.
    """
    old, new = Path(old), Path(new)
    if not (old / "comparison.csv").is_file():
        raise RunError(f"{old} holds no comparison.csv: name the folder of a finished run or of a snapshot.")
    lines = []
    for path in sorted([*old.glob("*.csv"), *old.glob("*/*.csv")]):
        name = path.relative_to(old)
        # running times of the race and provenance differ between any two runs
        if name.parts[0] == BENCH_FOLDER or name.name in HOST_TABLES:
            continue
        if not (new / name).is_file():
            lines.append(f"{name} is missing in {new}.")
            continue
        tables = (_read_table(path, skip_times), _read_table(new / name, skip_times))
        differences = [f"{name}, {difference}" for difference in compare_tables(*tables, rtol)]
        lines += differences[:MAX_LINES]
        if len(differences) > MAX_LINES:
            lines.append(f"{name}: {len(differences) - MAX_LINES} more differences.")
    return lines


def compare_tables(old: pd.DataFrame, new: pd.DataFrame, rtol: float = 0.0) -> Iterator[str]:
    """Yield the cells in which two tables of text differ, numbers by more than a relative tolerance.

    Parameters
    ----------
    old, new : pandas.DataFrame
        Their cells are text; rows are compared in their order.
    rtol : float
        Relative difference that two numbers may have, also those of parameters and weights in JSON; at 0
        they must be written alike.

    Yields
    ------
    str
        The row by its place and its keys, the column, and both cells; or one sentence where columns or the
        number of rows differ.
    """
    if list(old) != list(new):
        changed = sorted(set(old) ^ set(new)) or ["their order"]
        yield f"columns: {', '.join(changed)} differ."
        return
    if len(old) != len(new):
        yield f"{format_count(len(new), 'row')} in place of {len(old)}."
        return
    # rows are compared by place: tables are written in a fixed order
    old, new = old.reset_index(drop=True), new.reset_index(drop=True)
    differs = old != new
    if rtol > 0:
        numbers = (table.apply(pd.to_numeric, errors="coerce").astype(float) for table in (old, new))
        # Text that is no number is NaN on both sides, never close, and still differs.
        differs &= ~np.isclose(*numbers, rtol=rtol, atol=0.0)
    keys = [key for key in ROW_KEYS if key in old]
    # one sentence a differing cell, located by the keys that the table has
    for row, column in np.argwhere(differs.to_numpy()):
        if rtol > 0 and _have_close_numbers(old.iat[row, column], new.iat[row, column], rtol):
            continue
        keys_text = ", ".join(old.loc[row, keys])
        location = f"row {row + 1}" + (f" ({keys_text})" if keys_text else "")
        yield f"{location}, {old.columns[column]}: {old.iat[row, column]!r} is now {new.iat[row, column]!r}."


def _have_close_numbers(old: str, new: str, rtol: float) -> bool:
    """Tell whether two cells are JSON, such as parameters and weights, with close numbers and else alike."""
    if not old[:1] == new[:1] in ("{", "["):
        return False
    try:
        return _is_close(json.loads(old), json.loads(new), rtol)
    except json.JSONDecodeError:  # a message, such as that of an error of the system, may begin so too
        return False


def _is_close(first: Any, second: Any, rtol: float) -> bool:
    """Compare two values of JSON; numbers that are not whole may differ by a relative tolerance."""
    match first, second:
        case dict(), dict():
            return list(first) == list(second) and _is_close([*first.values()], [*second.values()], rtol)
        case list(), list():
            return len(first) == len(second) and all(
                _is_close(*pair, rtol) for pair in zip(first, second, strict=True)
            )
        case float(), float():
            return math.isclose(first, second, rel_tol=rtol)
    return first == second


def _read_table(path: Path, skip_times: bool) -> pd.DataFrame:
    """Read a table as text, without its columns and rows of times if they are left out."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if not skip_times:
        return table
    for key in {"metric", "quantity"} & set(table):
        table = table[~table[key].str.contains(TIME_WORD)]
    return table[[column for column in table if TIME_WORD not in column]]
