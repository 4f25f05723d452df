"""The microarray sets: colon (Alon et al. 1999), yeast (Eisen et al. 1998, classes of Brown et al. 2000)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reproduction.core.errors import DataError
from reproduction.datasets.readers.columns import parse_numbers
from reproduction.datasets.readers.delimited import read_frame
from reproduction.datasets.table import Table

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet


def read_colon(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read expression.csv (a row a tissue, a column a gene) and ids.txt (a tissue a line; negative = tumour).

    Parameters
    ----------
    spec : DataSet
    paths : dict of str to Path
        Local copies of the two files.

    Returns
    -------
    Table
        Labels "tumour" and "normal".

    Raises
    ------
    DataError
        The shapes of the two files do not fit each other or the entry.
    """
    frame = read_frame(paths["expression.csv"], "expression.csv")
    ids = read_frame(paths["ids.txt"], "ids.txt")
    if ids.shape[1] != 1:
        raise DataError(f"ids.txt has {ids.shape[1]} columns where one is expected: {spec.remedy}")
    if frame.shape != (len(ids), spec.features_in_files):
        raise DataError(
            f"expression.csv has {frame.shape[0]} rows and {frame.shape[1]} columns where the {len(ids)} "
            f"tissues of ids.txt and {spec.features_in_files} genes are expected: one row a tissue."
        )
    X, _ = parse_numbers(frame, list(frame.columns), "expression.csv")
    # A negative number of a tissue marks a tumour (Alon et al. 1999).
    tissue, _ = parse_numbers(ids, [0], "ids.txt")
    return Table(X, np.where(tissue[:, 0] < 0, "tumour", "normal"))


def read_yeast(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read yeast.data: the classes of a gene (``-1`` = none, ``0;1`` = two of them), then 79 expressions.

    Genes with exactly one class that counts are kept. A gene of one other class (Brown's helix-turn-helix
    control) is dropped.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["classes"]`` maps the code of each class that counts to its name.
    paths : dict of str to Path

    Returns
    -------
    Table
        Labels are the names of the classes; ``dropped`` counts the other genes by reason.
    """
    (file,) = spec.files
    classes = spec.options["classes"]
    frame = read_frame(paths[file.name], file.name, text_columns=[0])
    codes = np.char.strip(frame[0].to_numpy(dtype=str))
    X, _ = parse_numbers(frame, list(frame.columns[1:]), file.name)
    # A gene of two classes is neither a positive nor a negative of one of them.
    has_several = np.array([";" in code for code in codes])
    is_unclassified = codes == "-1"
    is_kept = np.isin(codes, list(classes))
    reasons = {
        "in no class": is_unclassified,
        "in more than one class": has_several,
        f"in another class than {', '.join(classes.values())}": ~(is_unclassified | has_several | is_kept),
    }
    dropped = tuple({"count": int(rows.sum()), "why": why} for why, rows in reasons.items() if rows.any())
    return Table(X[is_kept], np.array([classes[c] for c in codes[is_kept]]), dropped=dropped)
