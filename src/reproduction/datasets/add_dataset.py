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

from reproduction.core.atomic_io import atomic_write_text, lock_folder
from reproduction.core.errors import DataError
from reproduction.core.formatting import format_count
from reproduction.datasets import registry
from reproduction.datasets.column_advice import describe_repetition, list_warnings, suggest_query_ids
from reproduction.datasets.download import archives
from reproduction.datasets.entry_drafts import draft_entry, get_unpacked_name
from reproduction.datasets.prepare import read_table
from reproduction.datasets.readers import delimited
from reproduction.datasets.registry_schema import parse_entry
from reproduction.datasets.row_counts import count_queries
from reproduction.datasets.specs import USER_FAMILY

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet
    from reproduction.datasets.table import Table

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
{% else %}  label     {{ positive }} (positive, {{ format_count(counts.positives, "row") }}) \
against {{ negative }} ({{ format_count(counts.negatives, "row") }})
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

    Parameters
    ----------
    paths : sequence of Path
        A file, a folder of LETOR's folds, or several files of SVMlight text that make one set.
    registry_file : Path
        Made if it is not there.
    name : str, optional
        By default the name of the first file.
    replace : bool, default=False
        Whether an entry of that name may be overwritten.
    follow : bool, default=False
        Write no checksum, so that the content decides whenever the file changes.
    **user_options
        ``label``, ``positive``, ``query``, ``left_out``, ``separator`` and ``header``, guessed if not given;
        ``one_hot`` (whether the values of columns of text become features), ``categories`` (such columns by
        name), ``group`` (a file with the sizes of the queries), ``missing`` (``"drop"`` or ``"median"``) and
        ``mark``.

    Returns
    -------
    str
        What was understood, in a few lines.

    Raises
    ------
    DataError
        One sentence with the remedy; nothing is written then.
    """
    # 1. refuse missing files and names that are taken
    if user_options.get("group"):
        paths = [*paths, Path(user_options["group"])]
    for path in paths:
        if not path.exists():
            raise DataError(f"There is no file {path}: correct the path.")
    name = name or _make_slug(get_unpacked_name(paths[0]))
    if name in registry.list_project_names():
        raise DataError(f"{name!r} is a data set of the project: add --name with another name.")
    _read_other_entries(registry_file, name, replace)
    # 2. draft an entry from the unpacked files, and read the table by it
    with tempfile.TemporaryDirectory() as folder:
        entry, local_paths, summary = draft_entry(paths, Path(folder), user_options)
        spec = parse_entry(name, entry, {USER_FAMILY: registry.USER_FAMILY_ENTRY})
        table, summary = _read_labels(spec, entry, local_paths, user_options, summary)
        column_info = summary.pop("columns", None)
        summary["warnings"] = (
            list_warnings(table, *column_info) if column_info else describe_repetition(table)
        )
    # 3. enter checksums and counts, check the entry as a run will, and write it
    _pin_content(entry, summary, paths, registry_file, follow)
    spec = parse_entry(name, entry, {USER_FAMILY: registry.USER_FAMILY_ENTRY}, registry_path=registry_file)
    with lock_folder(registry_file.resolve().parent):  # another command may have added an entry meanwhile
        registry.read_user_registry.cache_clear()
        _write_registry(registry_file, _read_other_entries(registry_file, name, replace) | {name: entry})
    facts = {"name": name, "registry": registry_file, "dropped": sum(d["count"] for d in table.dropped)}
    features = ", ".join(table.names[:8]) + (", ..." if len(table.names) > 8 else "")
    facts |= {"features": features, "notes": table.notes}
    return SUMMARY_TEMPLATE.render(summary | facts, counts=summary["counts"], format_count=format_count)


def _read_labels(
    spec: DataSet, entry: dict, local_paths: dict[str, Path], user_options: Mapping, summary: dict
) -> tuple[Table, dict]:
    """Read the table, decide which labels are positive, and count."""
    if spec.task == "graded":
        # all grades that an entry may name; those that occur replace them below
        entry["label"]["grades"] = list(range(31))
        spec = parse_entry(spec.name, entry, {USER_FAMILY: registry.USER_FAMILY_ENTRY})
    if "columns" in summary:
        spec = replace(spec, expected={})  # a draft expects no number of features
    # the number of features comes from the reader, in the form in which runs read the file
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
    # digests of the unpacked files, which the entry pins
    content = {name: archives.compute_sha256(path) for name, path in local_paths.items()}
    return table, summary | label_summary | {"counts": counts, "digests": content}


def _choose_classes(
    name: str, counted: Mapping[str, int], user_options: Mapping
) -> tuple[list[str], list[str] | str]:
    """Return the raw labels of the positives, and of the negatives."""
    positives = user_options.get("positive")
    label_counts = list(counted.items())[:12]
    label_list = ", ".join(f"{label} ({format_count(count, 'row')})" for label, count in label_counts)
    # more than 30 values: rather a measured quantity than classes
    if len(counted) < 2 or (not positives and len(counted) > 30):
        raise DataError(
            f"The label of {name} has {len(counted)} different values: two classes are needed, so name "
            "another column with --label, or the relevant ones with --positive."
        )
    if not positives:
        # the two usual codings of two classes need no word of the user
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
                f"--positive names {label!r}, which is not a label of {name}; there are {label_list}."
            )
    negatives = [label for label in counted if label not in positives]
    if not negatives:
        raise DataError(f"--positive names all labels of {name}: name those that are relevant.")
    # of more than two labels the others are the rest
    return list(positives), negatives if len(counted) == 2 else "rest"


def _pin_content(
    entry: dict, summary: Mapping, paths: Sequence[Path], registry_file: Path, follow: bool
) -> None:
    """Enter paths, checksums and counts; to follow the content only what the reader needs."""
    folder = registry_file.resolve().parent
    for file, path in zip(entry["files"], paths, strict=True):
        # relative where the file lies below the registry, so that both can be moved together
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


def _read_other_entries(path: Path, name: str, replace: bool) -> dict[str, dict]:
    """Return the entries of a registry; a name that is taken is refused if its entry may not be replaced."""
    entries = dict(registry.read_user_registry(path)) if path.exists() else {}
    if name in entries and not replace:
        raise DataError(f"{path} has a data set {name!r} already: add --replace, or --name another.")
    return entries


def _write_registry(path: Path, entries: Mapping) -> None:
    """Write the registry anew and forget what was read of it."""
    text = REGISTRY_HEADER + yaml.safe_dump(
        {"datasets": entries}, sort_keys=False, allow_unicode=True, width=110
    )
    atomic_write_text(path, text)
    registry.read_user_registry.cache_clear()


def _make_slug(name: str) -> str:
    """Make a valid name of a data set from the name of a file."""
    stem = name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "mine"
