"""A user's own file becomes an entry of a registry: its form is guessed, shown and written down."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
import numpy as np
import yaml

from reproduction.core.atomic_io import atomic_write_text
from reproduction.core.errors import DataError
from reproduction.datasets import registry
from reproduction.datasets.column_advice import describe_repetition, list_warnings, suggest_query_ids
from reproduction.datasets.download import archives
from reproduction.datasets.download.validate import find_members
from reproduction.datasets.file_formats import has_letor_folds, is_svmlight, scan_svmlight
from reproduction.datasets.prepare import count_queries, read_table
from reproduction.datasets.readers import delimited, letor, parquet
from reproduction.datasets.readers.cells import find_text_columns, is_distinct
from reproduction.datasets.readers.columns import find_column
from reproduction.datasets.registry_schema import check_separator, parse_entry
from reproduction.datasets.specs import (
    COMPRESSION_SUFFIXES,
    DROP,
    MEDIAN,
    USER_FAMILY,
    DataFile,
)

if TYPE_CHECKING:
    import pandas as pd

    from reproduction.datasets.specs import DataSet
    from reproduction.datasets.table import Table

LABEL_COLUMN_NAMES = ("label", "target", "class", "relevance", "outcome", "y")
"""Names of a column that is the label where none is named."""
QUERY_SIZE_SUFFIXES = (".query", ".group")
"""Endings of a file with the sizes of queries, as LightGBM and XGBoost call it."""
REGISTRY_HEADER = (
    "# Data sets of one's own; `python -m reproduction.datasets add` writes it, and keeps no comments.\n"
)
SUMMARY_TEMPLATE = jinja2.Template(
    """\
{{ name }}: {{ form }}
  rows      {{ counts.rows }}{% if dropped %}, without {{ dropped }} that have a missing value{% endif %}
{% for note in notes %}  missing   {{ note }}
{% endfor %}  features  {{ counts.features }}{% if features %}: {{ features }}{% endif %}
{% if grades %}  queries   {{ counts.queries }}, \
{% if has_parts %}in LETOR's{% else %}dealt out to{% endif %} five parts
  relevance {{ grades }}; {{ counts.preferences }} preferences
{% else %}  label     {{ positive }} (positive, {{ counts.positives }} rows) against {{ negative }} \
({{ counts.negatives }} rows)
{% endif %}  content   {{ content }}
{% for warning in warnings %}  warning   {{ warning }}
{% endfor %}Written to {{ registry }}. To rank it, name {{ name }} below `datasets` of a study: see \
docs/own_data.md.""",
    undefined=jinja2.StrictUndefined,
)


def add_dataset(
    paths: Sequence[str | Path],
    registry_file: str | Path,
    name: str | None = None,
    replace: bool = False,
    follow: bool = False,
    **user_options: object,
) -> str:
    """Write the entry of a data set of the user's own.

    `paths`: a file, a folder of LETOR's folds, or several files of SVMlight text that make one set.
    `registry_file`: made if it is not there. `name`: by default the name of the first file. `replace`:
    whether an entry of that name may be overwritten. `follow`: write no checksum, so that the content decides
    whenever the file changes. `**told`: ``label``, ``positive``, ``query``, ``left_out``, ``separator`` and
    ``header``, guessed if not given, and ``one_hot`` (whether the values of columns of text become features),
    ``categories`` (such columns by name), ``group`` (a file with the sizes of the
    queries), ``missing`` (``"drop"`` or ``"median"``) and ``mark``. Returns: what was understood, in a few
    lines. Raises `DataError`: one sentence with the remedy; nothing is written then.
    """
    if user_options.get("group"):
        paths = [*paths, Path(user_options["group"])]
    for path in paths:
        if not path.exists():
            raise DataError(f"There is no file {path}: correct the path.")
    name = name or _make_slug(_unpacked_name(paths[0]))
    entries = dict(registry.read_user_registry(registry_file)) if registry_file.exists() else {}
    if name in registry.list_project_names():
        raise DataError(f"{name!r} is a data set of the project: add --name with another name.")
    if name in entries and not replace:
        raise DataError(f"{registry_file} has a data set {name!r} already: add --replace, or --name another.")
    with tempfile.TemporaryDirectory() as folder:
        entry, local_paths, summary = _draft_entry(paths, Path(folder), user_options)
        spec = parse_entry(name, entry, {USER_FAMILY: registry.USER_FAMILY_ENTRY})
        table, summary = _read_labels(spec, entry, local_paths, user_options, summary)
        column_info = summary.pop("columns", None)
        summary["warnings"] = (
            list_warnings(table, *column_info) if column_info else describe_repetition(table)
        )
    _pin_content(entry, summary, paths, registry_file, follow)
    spec = parse_entry(name, entry, {USER_FAMILY: registry.USER_FAMILY_ENTRY}, registry_path=registry_file)
    _write_registry(registry_file, entries | {name: entry})
    facts = {"name": name, "registry": registry_file, "dropped": sum(d["count"] for d in table.dropped)}
    features = ", ".join(table.names[:8]) + (", ..." if len(table.names) > 8 else "")
    facts |= {"features": features, "notes": table.notes}
    return SUMMARY_TEMPLATE.render(summary | facts, counts=summary["counts"])


def _draft_entry(
    paths: Sequence[Path], folder: Path, user_options: Mapping
) -> tuple[dict, dict[str, Path], dict]:
    """Return an entry without its labels and checksums, the unpacked files by name, and what was seen."""
    if has_letor_folds(paths[0]):
        return _draft_letor(paths, folder)
    names = [_unpacked_name(path) for path in paths]
    if len({*names}) < len(names):
        raise DataError(f"Two files are named {max(names, key=names.count)}: give each another name.")
    local_paths = {}
    for path in paths:
        archives.unpack_file(path, (_unpacked_name(path),), folder / _unpacked_name(path))
        local_paths[_unpacked_name(path)] = folder / _unpacked_name(path)
    first = next(iter(local_paths.values()))
    sizes = _unpacked_name(paths[-1]) if user_options.get("group") else None
    if sizes is None and first.suffix in QUERY_SIZE_SUFFIXES:
        raise DataError(
            f"{paths[0]} looks like the sizes of queries: add the file of their rows, and --group {paths[0]}."
        )
    files = [{"path": str(path), "name": name} for path, name in zip(paths, local_paths, strict=True)]
    entry = {"files": files, "label": {"positive": [], "negative": "rest"}}
    if is_svmlight(first):
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
        raise DataError(f"{paths[0]} is no SVMlight text, and only such files make one set together.")
    return _draft_table(entry, first, local_paths, user_options)


def _draft_table(
    entry: dict, path: Path, local_paths: dict[str, Path], user_options: Mapping
) -> tuple[dict, dict[str, Path], dict]:
    """Find label, query and features among the columns of a table."""
    frame, names, options, form = _read_columns(entry, path, user_options)
    width = frame.shape[1]

    def parse_column(text: str | None) -> str | int | None:
        return (
            text if text is None or (names and text in names) or not delimited.is_number(text) else int(text)
        )

    label = parse_column(user_options.get("label"))
    if label is None:
        candidates = [column for column in names or () if column.lower() in LABEL_COLUMN_NAMES]
        if len(candidates) != 1:
            column_list = ", ".join(names[:20]) if names else f"0 to {width - 1}"
            raise DataError(
                f"Say with --label which column of {path.name} is the label; they are {column_list}."
            )
        label = candidates[0]
    options["label_column"] = label
    if user_options.get("query") is not None:
        options["query_column"] = parse_column(user_options["query"])
        entry["label"] = {"grades": []}
    if user_options.get("group"):
        options["group_sizes"] = _unpacked_name(Path(user_options["group"]))
        entry["label"] = {"grades": []}
    if user_options.get("left_out"):
        options["left_out"] = [parse_column(column) for column in user_options["left_out"]]
    options |= _missing_cell_options(user_options)
    excluded = {
        find_column(column, names, width, "A column that is named", path.name)
        for column in (label, options.get("query_column", label), *options.get("left_out", ()))
    }
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
    if path.read_bytes()[:4] == b"PAR1":
        entry["reader"] = "parquet"
        return *parquet.read_frame(path, path.name), {}, "a Parquet file"
    entry["reader"] = "delimited"
    separator = user_options.get("separator") or delimited.guess_separator(path)
    check_separator(separator, "the command")
    header = user_options.get("header")
    header = delimited.has_header(path, path.name, separator) if header is None else header
    options = {"header": True} if header else {}
    options |= {"separator": separator} if separator != "," else {}
    names = delimited.read_names(path, path.name, separator) if header else None
    frame = delimited.read_frame(path, path.name, separator=separator, with_header=header)
    delimited.check_names(names, frame, path.name, "correct the file.")
    form = f"a table of cells split at {separator!r}, {'with' if header else 'without'} a header"
    return frame, names, options, form


def _missing_cell_options(user_options: Mapping) -> dict:
    """Return the options of the reader on missing cells."""
    mark, treatment = user_options.get("mark"), user_options.get("missing")
    if treatment not in (None, DROP, MEDIAN):
        raise DataError(
            f"--missing says what becomes of missing cells, {DROP} or {MEDIAN}, and not {treatment!r}: give "
            "the mark of a missing cell by --mark."
        )
    if mark is None and treatment is None:
        return {}
    return ({} if mark is None else {"missing": mark}) | {"missing_cells": treatment or DROP}


def _draft_letor(paths: Sequence[Path], folder: Path) -> tuple[dict, dict[str, Path], dict]:
    """Return the entry of LETOR's folds, below a folder or in an archive."""
    members = {f"Fold{k}/{part}.txt": None for k in range(1, 6) for part in ("train", "vali", "test")}
    member_paths = find_members(paths[0], DataFile(USER_FAMILY, paths[0].name, members=members))
    local_paths = {member: folder / member for member in members}
    archives.unpack_members(paths[0], {member_paths[member]: path for member, path in local_paths.items()})
    tests = {member: local_paths[member] for member in (letor.get_part_files(k)["test"] for k in range(1, 6))}
    features, _ = scan_svmlight(tests)
    files = [{"path": str(paths[0]), "members": members}]
    entry = {"files": files, "reader": "letor", "label": {"grades": []}, "expected": {"features": features}}
    return entry, local_paths, {"form": "LETOR's five folds", "has_parts": True}


def _read_labels(
    spec: DataSet, entry: dict, local_paths: dict[str, Path], user_options: Mapping, summary: dict
) -> tuple[Table, dict]:
    """Read the table, decide which labels are positive, and count."""
    if spec.task == "graded":
        entry["label"]["grades"] = list(range(31))
        spec = parse_entry(spec.name, entry, {USER_FAMILY: registry.USER_FAMILY_ENTRY})
    if "columns" in summary:
        spec = replace(spec, expected={})  # a draft expects no number of features
    table = read_table(spec, local_paths)
    entry["expected"]["features"] = table.X.shape[1]
    counts = {"rows": table.X.shape[0], "features": table.X.shape[1]}
    if not counts["rows"] or not counts["features"]:
        raise DataError(
            f"{spec.files[0].name} has no {'features' if counts['rows'] else 'rows'}: {spec.remedy}"
        )
    if spec.task == "graded":
        entry["label"]["grades"] = grades = [int(g) for g in np.unique(table.labels)]
        counted = count_queries(table.labels, table.qid)
        counts |= {key: counted[key] for key in ("queries", "preferences")}
        label_summary = {"grades": ", ".join(map(str, grades)), "has_parts": summary.get("has_parts", False)}
        if not counts["preferences"]:
            raise DataError(f"No query of {spec.name} has two relevances: there is nothing to rank.")
    else:
        label_values, label_counts = np.unique(table.labels, return_counts=True)
        positive, negative = _choose_classes(
            spec.name, dict(zip(label_values.tolist(), label_counts.tolist(), strict=True)), user_options
        )
        entry["label"] = {"positive": positive, "negative": negative}
        positives = int(np.isin(table.labels, positive).sum())
        counts |= {"positives": positives, "negatives": counts["rows"] - positives}
        negative_text = "all others" if negative == "rest" else ", ".join(negative)
        label_summary = {"grades": "", "positive": ", ".join(positive), "negative": negative_text}
    content = {name: archives.compute_sha256(path) for name, path in local_paths.items()}
    return table, summary | label_summary | {"counts": counts, "digests": content}


def _choose_classes(
    name: str, counted: Mapping[str, int], user_options: Mapping
) -> tuple[list[str], list[str] | str]:
    """Return the raw labels of the positives, and of the negatives."""
    positives = user_options.get("positive")
    label_list = ", ".join(f"{label} ({count} rows)" for label, count in list(counted.items())[:12])
    if len(counted) < 2 or (not positives and len(counted) > 30):
        raise DataError(
            f"The label of {name} has {len(counted)} different values: two classes are needed, so name "
            "another column with --label, or the relevant ones with --positive."
        )
    if not positives:
        as_number = {float(label): label for label in counted if delimited.is_number(label)}
        if len(counted) != 2 or {*as_number} not in ({0.0, 1.0}, {-1.0, 1.0}):
            raise DataError(
                f"Say with --positive which labels of {name} are relevant; there are {label_list}."
                f"{suggest_query_ids(counted)}"
            )
        positives = [as_number[1.0]]
    for label in positives:
        if label not in counted:
            raise DataError(
                f"--positive names {label!r}, which is no label of {name}; there are {label_list}."
            )
    negatives = [label for label in counted if label not in positives]
    if not negatives:
        raise DataError(f"--positive names all labels of {name}: name those that are relevant.")
    return list(positives), negatives if len(counted) == 2 else "rest"


def _pin_content(
    entry: dict, summary: Mapping, paths: Sequence[Path], registry_file: Path, follow: bool
) -> None:
    """Enter paths, checksums and counts; to follow the content only what the reader needs."""
    folder = registry_file.resolve().parent
    for file, path in zip(entry["files"], paths, strict=True):
        absolute_path = path.resolve()
        file["path"] = str(
            absolute_path.relative_to(folder) if absolute_path.is_relative_to(folder) else absolute_path
        )
        if "members" in file:
            file["members"] = {m: None if follow else summary["digests"][m] for m in file["members"]}
            continue
        file["sha256"] = None if follow else summary["digests"][file["name"]]
        if file["name"] == absolute_path.name:
            del file["name"]
    if not follow:
        entry["expected"] = summary["counts"]
    summary["content"] = (
        "no checksum: what the file holds when a run begins"
        if follow
        else "pinned by its checksum: a changed file is refused until it is added again (or --follow)"
    )


def _write_registry(path: Path, entries: Mapping) -> None:
    text = REGISTRY_HEADER + yaml.safe_dump(
        {"datasets": entries}, sort_keys=False, allow_unicode=True, width=110
    )
    atomic_write_text(path, text)
    registry.read_user_registry.cache_clear()


def _unpacked_name(path: Path) -> str:
    return path.name.removesuffix(path.suffix) if path.suffix in COMPRESSION_SUFFIXES else path.name


def _make_slug(name: str) -> str:
    stem = name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "mine"
