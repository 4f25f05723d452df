"""The numbers that a paper prints, in one tidy file with a row a number, and their format."""

import difflib
import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from reproduction.core.results import ResultsError, read_text
from reproduction.specs.labels import METHOD_STYLE

PUBLISHED_COLUMNS = ("artefact", "dataset", "method", "quantity", "value", "spread", "mark")
NUMBER_KEY = ["artefact", "dataset", "method", "quantity"]
DATA_COUNT = "data"
"""Stands for the method if a number is a count of a data set."""

RELATION_VALUES = {"~": 0.0, "worse": 1.0}
"""What is published of a method beside the best one, in columns of numbers."""

WORD_VALUES = {
    "relation": RELATION_VALUES,
    "mark": {"marked": 1.0, "not marked": 0.0},
    "best_method": {method: float(i) for i, method in enumerate(METHOD_STYLE)},
}
"""Ends of the quantities of which a word is published -> the words and the numbers that stand for them."""

MARK_QUANTITIES = {"pos_at_top": "best_pos_at_top_mark", "seconds": "fast_mark"}
"""Quantity beside which a mark may be published -> the quantity of the comparison that shows the mark."""

_METRICS = ("map", "ndcg10")
_COUNTS = (
    *("positives", "negatives", "features", "first", "second"),
    *("queries", "query_document_pairs", "preferences", "documents_per_query", "relevant_per_query"),
)
QUANTITIES = (
    *("pos_at_top", "seconds", "rate_at_top", "variables", "sparsity_ratio", *_METRICS),
    *(f"{metric}_{end}" for metric in _METRICS for end in ("best_method", "relation", "decrease", "p_value")),
    *(f"{name}_count" for name in _COUNTS),
)
"""All published quantities."""


def read_published_values(path: str | Path | None) -> pd.DataFrame | None:
    """Read the published numbers of a paper, in the order of its file.

    Parameters
    ----------
    path : str or Path
        CSV file, or None.

    Returns
    -------
    pd.DataFrame | None
        The columns of `PUBLISHED_COLUMNS` as text, and as numbers ``number``, ``deviation`` (the spread) and
        ``marked``, NaN where nothing is published. A word is its number in `WORD_VALUES`, a bound is
        negative. None without a path.

    Raises
    ------
    ResultsError
        If a column, a name or a value is missing, a quantity is unknown, a number stands twice, or a cell
        holds no number. The message says where.
    """
    if not path:
        return None
    rows = read_text(path, PUBLISHED_COLUMNS)[list(PUBLISHED_COLUMNS)]
    numbers = {
        "number": list(map(_parse_number, rows["quantity"], rows["value"])),
        "deviation": [_parse_number("", text) for text in rows["spread"]],
        "marked": [WORD_VALUES["mark"].get(text, math.nan) for text in rows["mark"]],
    }
    rows = rows.assign(**numbers)
    for problem in _find_problems(rows):
        raise ResultsError(f"{path}: {problem}.")
    return rows


def _parse_number(quantity: str, text: str) -> float:
    """Read a published cell of a quantity; NaN where it holds nothing that can stand there."""
    words = _words_of(quantity)
    if words:
        return words.get(text, math.nan)
    is_bound = text.startswith("<") and quantity.endswith("p_value")
    number = float(pd.to_numeric(text.removeprefix("<") if is_bound else text, errors="coerce"))
    # A bound such as <0.001 is stored as −0.001: p-values are not negative, so that it cannot be mistaken.
    return -number if is_bound else number


def _words_of(quantity: str) -> dict[str, float]:
    """Return the words that stand for numbers of a quantity, by the ending of its name."""
    return next((words for ending, words in WORD_VALUES.items() if quantity.endswith(ending)), {})


def _find_problems(rows: pd.DataFrame) -> Iterator[str]:
    """Say what is wrong with the rows of a file, one sentence each."""
    # line 1 of the file is its header
    for line, row in enumerate(rows.to_dict("records"), 2):
        place = f"line {line} ({row['quantity']} of {row['dataset']}, {row['method']})"
        for column in (*NUMBER_KEY, "value"):
            if row[column].strip() == "":
                yield f"line {line} has no {column}"
        if row["quantity"] not in QUANTITIES:
            close_names = difflib.get_close_matches(row["quantity"], QUANTITIES, 1)
            hint = f"did you mean {close_names[0]!r}" if close_names else f"known are {', '.join(QUANTITIES)}"
            yield f"line {line} has the unknown quantity {row['quantity']!r}; {hint}"
        # a cell that is not empty has to mean a number
        for column, number in (("value", "number"), ("spread", "deviation"), ("mark", "marked")):
            if row[column] != "" and not math.isfinite(row[number]):
                yield f"{place} has the {column} {row[column]!r}, which is not a number"
        if row["mark"] != "" and row["quantity"] not in MARK_QUANTITIES:
            yield f"{place} has a mark, but of {row['quantity']} none is compared"
    for row in rows[rows.duplicated(NUMBER_KEY)].to_dict("records"):
        yield f"{row['quantity']} of {row['dataset']}, {row['method']} occurs twice in {row['artefact']}"


def select_artefact(values: pd.DataFrame | None, artefact: str) -> pd.DataFrame | None:
    """Select the published numbers of one table.

    Parameters
    ----------
    values : pd.DataFrame
        Rows of `read_published_values`, or None.
    artefact : str
        Name of the table.

    Returns
    -------
    pd.DataFrame | None
        The rows; None where nothing is published there.
    """
    rows = None if values is None else values[values["artefact"] == artefact]
    return None if rows is None or rows.empty else rows


def pivot_counts(values: pd.DataFrame) -> pd.DataFrame:
    """Pivot the published counts: a row a data set, a column a quantity, in the order of the file.

    Parameters
    ----------
    values : pd.DataFrame
        Rows of `read_published_values`, of one table.

    Returns
    -------
    pd.DataFrame
        The counts, with the data set as index.
    """
    return _pivot(values[values["method"] == DATA_COUNT], ["dataset"], "number")


def pivot_by_method(values: pd.DataFrame | None, artefact: str) -> pd.DataFrame | None:
    """Pivot a published table: a row for each data set and method, in the order of the file.

    Parameters
    ----------
    values : pd.DataFrame
        Rows of `read_published_values`.
    artefact : str
        Name of the table.

    Returns
    -------
    pd.DataFrame | None
        dataset, method; of each quantity of a method ``<quantity>_mean``, ``<quantity>_std`` and
        ``<quantity>_mark``; the counts of the data set under their own names. None where nothing is
        published.
    """
    rows = select_artefact(values, artefact)
    if rows is None:
        return None
    method_rows, key = rows[rows["method"] != DATA_COUNT], ["dataset", "method"]
    columns = {"number": "mean", "deviation": "std", "marked": "mark"}
    parts = [_pivot(method_rows, key, name).add_suffix(f"_{end}") for name, end in columns.items()]
    return pd.concat(parts, axis=1).join(pivot_counts(rows), on="dataset").reset_index()


def _pivot(rows: pd.DataFrame, key: list[str], values: str) -> pd.DataFrame:
    """Set the quantities side by side; rows and columns stay in the order of their first cells."""
    # unstack sorts: rows and columns are put back into the order of the file
    first = rows.drop_duplicates(key).set_index(key).index
    wide = rows.set_index([*key, "quantity"])[values].unstack("quantity")
    return wide.reindex(index=first, columns=rows["quantity"].unique()).rename_axis(columns=None)


def format_cell(quantity: str, value: float) -> str:
    """Write a number of the comparison: the word that it stands for, a bound (``<0.001``), or its digits.

    Parameters
    ----------
    quantity : str
        Name of the quantity; its ending decides which words stand for numbers.
    value : float
        The number; a bound on a p-value is negative.

    Returns
    -------
    str
        The cell.

    Examples
    --------
    >>> format_cell("map_relation", 1.0), format_cell("map_p_value", -0.001), format_cell("map", 0.4513)
    ('worse', '<0.001', '0.4513')
    """
    word = next((word for word, number in _words_of(quantity).items() if number == value), None)
    if word is None and quantity.endswith("p_value") and value < 0:
        return f"<{-value:.10g}"
    return f"{value:.10g}" if word is None else word


def parse_cell(text: str) -> float:
    """Read back what `format_cell` wrote; NaN where it is a word that stands for no number.

    A published bound on a p-value is a negative number, which no p-value is.

    Parameters
    ----------
    text : str
        The cell.

    Returns
    -------
    float
        The number.

    Examples
    --------
    >>> parse_cell("worse"), parse_cell("<0.001"), parse_cell("0.4513"), parse_cell("not published")
    (1.0, -0.001, 0.4513, nan)
    """
    number = next((numbers[text] for numbers in WORD_VALUES.values() if text in numbers), None)
    return _parse_number("p_value", text) if number is None else number
