"""Does the comparison show every printed number? An audit that walks the files of printed numbers themselves.

It reads the files cell by cell and not through the readers of the tables, so that what a reader drops is
missed here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from reproduction.comparison.counts import PRINTED_COUNTS
from reproduction.comparison.verdicts import VERDICTS, cell_number
from reproduction.labels import features_key
from reproduction.papers.laporte2014.inputs import COUNTS, PRINTED_METHODS
from reproduction.papers.laporte2014.tables import MEASURE_TABLES
from reproduction.results import ResultsError, read_text

CELL_COLUMNS = ("study", "artefact", "file", "dataset", "method", "quantity", "column", "text", "value")
COLUMNS = ("study", "artefact", "quantity", "printed_cells", "printed_numbers", *VERDICTS)
ALL = "all"
"""What stands for the study, artefact or quantity in a row of totals."""

_MOMENTS = {"mean": "published", "std": "published_std"}
_TABLE1 = {
    **{
        f"{theirs}_{moment}": (ours, column)
        for theirs, ours in (
            ("pos_at_top", "pos_at_top"),
            ("seconds", "seconds"),
            ("top", "rate_at_top"),
            ("variables", "variables"),
        )
        for moment, column in _MOMENTS.items()
    },
    "marked_best_pos_at_top": ("best_pos_at_top_mark", "published"),
    "marked_fast": ("fast_mark", "published"),
}
"""Column of a printed Table 1, of one method -> quantity and column of the comparison that show it."""

_RELATIONS = {"relation_to_best": "relation", "decrease_percent": "decrease", "p_value": "p_value"}
"""Column of Tables V and VI, of the method named beside the best one -> the end of the quantity."""


def printed_cells(study: str, published: str | Path | Mapping[str, str | None] | None) -> pd.DataFrame:
    """List the printed numbers of a study, and where the comparison has to show each.

    Parameters
    ----------
    study : str
    published : path-like, mapping of str to path-like, or None
        The file of a printed Table 1, or those of L14's Tables III to VI by their names.

    Returns
    -------
    pandas.DataFrame
        The columns of `CELL_COLUMNS`: a row for each cell that is not blank and names no data set or method.
        A number that is printed once and stands in the file in the row of every method is one row. A column
        of the file that has no place in the comparison has an empty quantity.

    Raises
    ------
    ResultsError
        If a file is missing or names no data sets, or if its table is none that is compared.
    """
    named = published if isinstance(published, Mapping) else {"table1": published}
    unknown = [artefact for artefact, path in named.items() if path and artefact not in _WALKS]
    if unknown:
        raise ResultsError(
            f"{named[unknown[0]]} is given as the printed {unknown[0]!r}: the comparison knows only "
            f"{', '.join(_WALKS)}."
        )
    rows = [
        (study, artefact, Path(path).name, *place, text, cell_number(text))
        for artefact, path in named.items()
        if path
        for place, text in _WALKS[artefact](artefact, read_text(path, ["dataset"]))
        if text != ""
    ]
    return pd.DataFrame(rows, columns=list(CELL_COLUMNS)).drop_duplicates(ignore_index=True)


def _walk_table1(artefact: str, rows: pd.DataFrame) -> Iterator[tuple[tuple, str]]:
    for row in rows.to_dict("records"):
        dataset, method = row.pop("dataset"), row.pop("method", "")
        for name, text in row.items():
            if name in PRINTED_COUNTS:
                yield (dataset, "data", PRINTED_COUNTS[name], "published"), text
            else:
                yield (dataset, method, *_TABLE1.get(name, ("", name))), text


def _walk_table3(artefact: str, rows: pd.DataFrame) -> Iterator[tuple[tuple, str]]:
    for row in rows.to_dict("records"):
        dataset = row.pop("dataset")
        for name, text in row.items():
            place = (f"{name}_count", "published") if name in COUNTS else ("", name)
            yield (dataset, "data", *place), text


def _walk_table4(artefact: str, rows: pd.DataFrame) -> Iterator[tuple[tuple, str]]:
    for row in rows.to_dict("records"):
        dataset = row.pop("dataset")
        for name, text in row.items():
            place = ("sparsity_ratio", "published") if name in PRINTED_METHODS else ("", name)
            yield (dataset, PRINTED_METHODS.get(name, name), *place), text


def _walk_measure(artefact: str, rows: pd.DataFrame) -> Iterator[tuple[tuple, str]]:
    """Tables V and VI: the best method and its value, and what is said of the method beside it."""
    measure = MEASURE_TABLES[artefact]
    for row in rows.to_dict("records"):
        dataset, method = row.pop("dataset"), row.pop("method", "")
        best = PRINTED_METHODS.get(row.get("best_method", ""), "")
        method = PRINTED_METHODS.get(method, method)
        for name, text in row.items():
            if name == "best_method":
                yield (dataset, best, f"{measure}_best_method", "published"), best or text
            elif name == f"best_{measure}":
                yield (dataset, best, measure, "published"), text
            else:
                place = (f"{measure}_{_RELATIONS[name]}", "published") if name in _RELATIONS else ("", name)
                yield (dataset, method, *place), text


_WALKS = {
    "table1": _walk_table1,
    "table3": _walk_table3,
    "table4": _walk_table4,
    **dict.fromkeys(MEASURE_TABLES, _walk_measure),
}


def shown_rows(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Find the row of the comparison that shows each printed cell.

    Where a printed number has rows with several blocks of features, the first by `labels.features_key`
    counts: raw, the features as distributed, wherever it is there; the others are context. So are the rows
    of a substitute, of another reading of the labels, and of what a paper says in words or by omission (a
    claim, a relation that is not printed because nothing is significant): they show no printed cell.

    Parameters
    ----------
    cells : pandas.DataFrame
        Rows of `printed_cells`.
    comparison : pandas.DataFrame
        Rows of `verdicts.read_comparison`.

    Returns
    -------
    pandas.DataFrame
        The cells with the columns ``features``, ``verdict``, ``reason``, ``row`` (index in the comparison, −1
        for none) and ``why`` (empty where the cell is shown, else what is wrong).
    """
    order = sorted(comparison.index, key=lambda i: features_key(comparison.at[i, "features"]))
    keys = ["study", "artefact", "dataset", "method", "quantity"]
    first = comparison.loc[order].drop_duplicates(keys).reset_index(names="row").set_index(keys)
    found = []
    for cell in cells.to_dict("records"):
        key = tuple(cell[name] for name in keys)
        if cell["quantity"] == "" or key not in first.index:
            found.append({"row": -1, "features": "none", "verdict": "none", "reason": ""})
            found[-1]["why"] = "no row shows it" if cell["quantity"] else "its column has no quantity"
            continue
        row = first.loc[key]
        shown = row[cell["column"]]
        why = ""
        if math.isnan(cell["value"]) or not math.isclose(shown, cell["value"], rel_tol=1e-9):
            why = f"the row shows {shown:g}"
        elif row["verdict"] not in VERDICTS or not str(row["reason"]).strip():
            why = "its row has no verdict or no reason"
        found.append({name: row[name] for name in ("row", "features", "verdict", "reason")} | {"why": why})
    columns = ["row", "features", "verdict", "reason", "why"]
    return cells.join(pd.DataFrame(found, columns=columns, index=cells.index))


def not_shown(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """List the printed cells that the comparison does not show; ``why`` says what is wrong."""
    found = shown_rows(cells, comparison)
    return found[found["why"] != ""].reset_index(drop=True)


def coverage(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Count the printed numbers of every quantity by their verdict.

    Parameters
    ----------
    cells, comparison : pandas.DataFrame
        As for `shown_rows`, which says which row counts.

    Returns
    -------
    pandas.DataFrame
        The columns of `COLUMNS`, a row for each quantity, one for each study and one for all (`ALL`). A mean
        and its standard deviation are two cells and one number. A number that is not shown has no verdict.
        Empty where nothing is printed.
    """
    found = shown_rows(cells, comparison)
    numbers = found[found["column"] != "published_std"]
    rows = []

    def counted(names: tuple[str, str, str], of_cells: pd.DataFrame, of_numbers: pd.DataFrame) -> tuple:
        shown = of_numbers[of_numbers["why"] == ""]
        verdicts = (int((shown["verdict"] == verdict).sum()) for verdict in VERDICTS)
        return (*names, len(of_cells), len(of_numbers), *verdicts)

    for study, of_study in found.groupby("study", sort=False):
        for (artefact, quantity), block in of_study.groupby(["artefact", "quantity"], sort=False):
            of_quantity = numbers.loc[numbers.index.intersection(block.index)]
            rows.append(counted((study, artefact, quantity or "no quantity"), block, of_quantity))
        rows.append(counted((study, ALL, ALL), of_study, numbers[numbers["study"] == study]))
    if rows:
        rows.append(counted((ALL, ALL, ALL), found, numbers))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def totals(table: pd.DataFrame) -> list[str]:
    """Say the totals of each study in a line; empty where nothing is printed."""
    lines = []
    for row in table[table["artefact"] == ALL].to_dict("records"):
        name = "all studies" if row["study"] == ALL else row["study"]
        verdicts = ", ".join(f"{verdict} {row[verdict]}" for verdict in VERDICTS)
        lines.append(f"{name}: {row['printed_numbers']} ({row['printed_cells']} cells): {verdicts}")
    return lines
