"""Draft the entry of a user's own files: guess reader, label column, query column and features."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction.core.errors import DataError
from reproduction.datasets.download import archives
from reproduction.datasets.download.validate import find_members
from reproduction.datasets.file_formats import has_letor_folds, is_svmlight, scan_svmlight
from reproduction.datasets.readers import delimited, letor, parquet
from reproduction.datasets.readers.cells import find_text_columns, is_distinct
from reproduction.datasets.readers.columns import find_column
from reproduction.datasets.registry_schema import check_separator
from reproduction.datasets.specs import COMPRESSION_SUFFIXES, DROP, MEDIAN, USER_FAMILY, DataFile

if TYPE_CHECKING:
    import pandas as pd

LABEL_COLUMN_NAMES = ("label", "target", "class", "relevance", "outcome", "y")
"""Names of a column that is the label where none is named."""
TABLE_OPTIONS = (
    *("label", "query", "left_out", "one_hot", "categories", "mark", "missing", "separator", "header"),
)
"""Options of a user that tables alone have."""
QUERY_SIZE_SUFFIXES = (".query", ".group")
"""Endings of a file with the sizes of queries, as LightGBM and XGBoost call it."""


def draft_entry(
    paths: Sequence[Path], folder: Path, user_options: Mapping
) -> tuple[dict, dict[str, Path], dict]:
    """Draft the entry of a data set from its files.

    Parameters
    ----------
    paths : sequence of Path
        As the user names them; a file with the sizes of the queries is the last one.
    folder : Path
        Where the files are unpacked.
    user_options : mapping
        As :func:`reproduction.datasets.add_dataset.add_dataset` takes them.

    Returns
    -------
    entry : dict
        Without its labels and checksums.
    local_paths : dict of str to Path
        The unpacked files by name.
    summary : dict
        What was seen: ``form``, for a table ``columns`` and for LETOR's folds ``has_parts``.

    Raises
    ------
    DataError
        The files do not fit together, or the label column is not clear.
    """
    if has_letor_folds(paths[0]):
        if len(paths) > 1:
            raise DataError(
                f"{paths[0]} holds LETOR's five folds, which are a data set alone: leave the rest out."
            )
        _refuse_table_options(f"{paths[0]} holds LETOR's five folds", user_options)
        return _draft_letor(paths, folder)
    names = [get_unpacked_name(path) for path in paths]
    if len({*names}) < len(names):
        raise DataError(f"Two files are named {max(names, key=names.count)}: give each another name.")
    local_paths = {}
    for path in paths:
        archives.unpack_file(path, (get_unpacked_name(path),), folder / get_unpacked_name(path))
        local_paths[get_unpacked_name(path)] = folder / get_unpacked_name(path)
    first = next(iter(local_paths.values()))
    sizes = get_unpacked_name(paths[-1]) if user_options.get("group") else None
    if sizes is None and first.suffix in QUERY_SIZE_SUFFIXES:
        raise DataError(
            f"{paths[0]} looks like the sizes of queries: add the file of their rows, and --group {paths[0]}."
        )
    files = [{"path": str(path), "name": name} for path, name in zip(paths, local_paths, strict=True)]
    entry = {"files": files, "label": {"positive": [], "negative": "rest"}}
    # SVMlight text: the width and query ids are read off the lines
    if is_svmlight(first):
        _refuse_table_options(f"{first.name} is SVMlight text", user_options)
        features, has_queries = scan_svmlight(
            {name: path for name, path in local_paths.items() if name != sizes}
        )
        has_queries = has_queries or sizes is not None
        if sizes:
            entry["options"] = {"group_sizes": sizes}
        entry |= {"reader": "svmlight", "expected": {"features": features}}
        entry["label"] = {"grades": []} if has_queries else entry["label"]
        with_queries = " with query ids" if has_queries else " without query ids"
        return entry, local_paths, {"form": f"SVMlight text{with_queries}"}
    if len(paths) - bool(sizes) > 1:
        raise DataError(f"{paths[0]} is not SVMlight text, and only such files make one set together.")
    return _draft_table(entry, first, local_paths, user_options)


def _draft_table(
    entry: dict, path: Path, local_paths: dict[str, Path], user_options: Mapping
) -> tuple[dict, dict[str, Path], dict]:
    """Find label, query and features among the columns of a table."""
    frame, names, options, form = _read_columns(entry, path, user_options)
    width = frame.shape[1]

    def parse_column(text: str | None) -> str | int | None:
        """Return a column as the entry names it: a text that is a number and no column name is a position.

        Parameters
        ----------
        text : str or None
            What the user wrote; None where nothing.

        Returns
        -------
        str or int or None
            Name, position, or None where nothing was written.
        """
        is_position = text is not None and re.fullmatch(r"-?\d+", text) and not (names and text in names)
        return int(text) if is_position else text

    # 1. the label: named by the user, or by a usual name of its column
    label = parse_column(user_options.get("label"))
    if label is None:
        # exactly one column of a usual name: of two, the user has to choose
        candidates = [column for column in names or () if column.lower() in LABEL_COLUMN_NAMES]
        if len(candidates) != 1:
            column_list = ", ".join(names[:20]) if names else f"0 to {width - 1}"
            raise DataError(
                f"Say with --label which column of {path.name} is the label; they are {column_list}."
            )
        label = candidates[0]
    options["label_column"] = label
    # 2. queries, columns left out, missing cells
    if user_options.get("query") is not None:
        options["query_column"] = parse_column(user_options["query"])
        entry["label"] = {"grades": []}
    if user_options.get("group"):
        options["group_sizes"] = get_unpacked_name(Path(user_options["group"]))
        entry["label"] = {"grades": []}
    if user_options.get("left_out"):
        options["left_out"] = [parse_column(column) for column in user_options["left_out"]]
    options |= _missing_cell_options(user_options)
    excluded = {
        find_column(column, names, width, "A column that is named", path.name)
        for column in (label, options.get("query_column", label), *options.get("left_out", ()))
    }
    # 3. features: all other columns; categories are named, or columns of text
    columns = [column for column in range(width) if column not in excluded]
    categories = [parse_column(column) for column in user_options.get("categories") or ()]
    if user_options.get("one_hot"):
        category_positions = {
            find_column(column, names, width, "A column that is named", path.name) for column in categories
        }
        text_columns = find_text_columns(
            frame, set(columns) - category_positions, (user_options.get("mark"),)
        )
        # a column without repeated values looks like an id; the reader refuses it with a remedy
        category_columns = [column for column in text_columns if not is_distinct(frame[column])]
        categories += [
            names[column] if names and names.count(names[column]) == 1 else column
            for column in category_columns
        ]
    if categories:
        options["one_hot"] = categories
    # how many features there are is known once the table is read
    entry |= {"options": options, "expected": {"features": 0}}
    return entry, local_paths, {"form": form, "columns": (frame, columns, names)}


def _read_columns(
    entry: Mapping, path: Path, user_options: Mapping
) -> tuple[pd.DataFrame, list[str] | None, dict, str]:
    """Read a table; returns it, the names of its columns or None, options of the reader, and its form."""
    # the magic bytes of Parquet
    if path.read_bytes()[:4] == b"PAR1":
        entry["reader"] = "parquet"
        return *parquet.read_frame(path, path.name), {}, "a Parquet file"
    entry["reader"] = "delimited"
    separator = user_options.get("separator") or delimited.guess_separator(path)
    check_separator(separator, "the command")
    header = user_options.get("header")
    if header is None:
        header, is_clear = delimited.detect_header(path, path.name, separator)
        if not is_clear:
            raise DataError(
                f"The first row of {path.name} has numbers, and words above numbers: say with --header or "
                "--no-header whether it names the columns."
            )
    options = {"header": True} if header else {}
    options |= {"separator": separator} if separator != "," else {}
    names = delimited.read_names(path, path.name, separator) if header else None
    frame = delimited.read_frame(path, path.name, separator=separator, with_header=header)
    delimited.check_names(names, frame, path.name, "correct the file.")
    form = f"a table of cells split at {separator!r}, {'with' if header else 'without'} a header"
    return frame, names, options, form


def _refuse_table_options(subject: str, user_options: Mapping) -> None:
    """Refuse options on the columns of a table for files that have none."""
    for name in TABLE_OPTIONS:
        if user_options.get(name) not in (None, False, (), []):
            raise DataError(f"{subject}, which has no columns to name: leave out --{name.replace('_', '-')}.")


def _missing_cell_options(user_options: Mapping) -> dict:
    """Return the options of the reader on missing cells."""
    mark, treatment = user_options.get("mark"), user_options.get("missing")
    if treatment not in (None, DROP, MEDIAN):
        raise DataError(
            f"--missing states how to treat missing cells, {DROP} or {MEDIAN}, and not {treatment!r}: give "
            "the mark of a missing cell by --mark."
        )
    if mark is None and treatment is None:
        return {}
    return ({} if mark is None else {"missing": mark}) | {"missing_cells": treatment or DROP}


def _draft_letor(paths: Sequence[Path], folder: Path) -> tuple[dict, dict[str, Path], dict]:
    """Return the entry of LETOR's folds, below a folder or in an archive."""
    # five folds of three files, below whatever folders the archive has
    members = {f"Fold{k}/{part}.txt": None for k in range(1, 6) for part in ("train", "vali", "test")}
    member_paths = find_members(paths[0], DataFile(USER_FAMILY, paths[0].name, members=members))
    local_paths = {member: folder / member for member in members}
    archives.unpack_members(paths[0], {member_paths[member]: path for member, path in local_paths.items()})
    # the five test files hold each part once
    tests = {member: local_paths[member] for member in (letor.get_part_files(k)["test"] for k in range(1, 6))}
    features, _ = scan_svmlight(tests)
    files = [{"path": str(paths[0]), "members": members}]
    entry = {"files": files, "reader": "letor", "label": {"grades": []}, "expected": {"features": features}}
    return entry, local_paths, {"form": "LETOR's five folds", "has_parts": True}


def get_unpacked_name(path: Path) -> str:
    """Return the name of a file without the ending of its compression.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str
    """
    return path.name.removesuffix(path.suffix) if path.suffix in COMPRESSION_SUFFIXES else path.name
