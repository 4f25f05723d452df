"""A user's own file becomes an entry of a registry: its form is guessed, shown and written down."""

import itertools
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import jinja2
import numpy as np
import yaml

from reproduction.core.atomic_io import atomic_write_text
from reproduction.core.errors import BadArchiveError, DataError
from reproduction.datasets import registry
from reproduction.datasets.column_advice import hint_on_queries, repetition, warnings_on
from reproduction.datasets.download import archives
from reproduction.datasets.download.validate import find_members
from reproduction.datasets.prepare import query_counts, read_table
from reproduction.datasets.readers import delimited, letor, parquet
from reproduction.datasets.readers.cells import is_distinct, text_columns
from reproduction.datasets.readers.columns import position
from reproduction.datasets.registry_schema import check_separator, parse
from reproduction.datasets.specs import ARCHIVES, DROP, MEDIAN, OWN, PACKED, DataFile

LABELS = ("label", "target", "class", "relevance", "outcome", "y")
"""Names of a column that is the label where none is named."""
SIZES = (".query", ".group")
"""Endings of a file with the sizes of queries, as LightGBM and XGBoost call it."""
LOOKED_AT = 50
"""First lines of a file that show whether it is SVMlight text."""
_LINE = re.compile(rb"\s*[-+]?[\d.][\d.eE+-]*(\s+qid:\S+)?(\s+\d+:\S+)*\s*(#.*)?\s*")
_LAST = re.compile(rb"(\d+):\S+\s*$")
HEAD = "# Data sets of one's own; `python -m reproduction.datasets add` writes it, and keeps no comments.\n"
UNDERSTOOD = jinja2.Template(
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


def add(paths, registry_file, name=None, replace=False, follow=False, **told):
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
    if told.get("group"):
        paths = [*paths, Path(told["group"])]
    for path in paths:
        if not path.exists():
            raise DataError(f"There is no file {path}: correct the path.")
    name = name or _slug(_unpacked_name(paths[0]))
    entries = dict(registry.read_own(registry_file)) if registry_file.exists() else {}
    if name in registry.project_names():
        raise DataError(f"{name!r} is a data set of the project: add --name with another name.")
    if name in entries and not replace:
        raise DataError(f"{registry_file} has a data set {name!r} already: add --replace, or --name another.")
    with tempfile.TemporaryDirectory() as folder:
        entry, local, about = _draft(paths, Path(folder), told)
        spec = parse(name, entry, {OWN: registry.OWN_FAMILY})
        table, about = _labelled(spec, entry, local, told, about)
        of_columns = about.pop("columns", None)
        about["warnings"] = warnings_on(table, *of_columns) if of_columns else repetition(table)
    _pin(entry, about, paths, registry_file, follow)
    spec = parse(name, entry, {OWN: registry.OWN_FAMILY}, beside=registry_file)
    _write(registry_file, entries | {name: entry})
    said = {"name": name, "registry": registry_file, "dropped": sum(d["count"] for d in table.dropped)}
    features = ", ".join(table.names[:8]) + (", ..." if len(table.names) > 8 else "")
    said |= {"features": features, "notes": table.notes}
    return UNDERSTOOD.render(about | said, counts=about["counts"])


def _draft(paths, folder, told):
    """Return an entry without its labels and checksums, the unpacked files by name, and what was seen."""
    if _holds_folds(paths[0]):
        return _letor(paths, folder)
    names = [_unpacked_name(path) for path in paths]
    if len({*names}) < len(names):
        raise DataError(f"Two files are named {max(names, key=names.count)}: give each another name.")
    local = {}
    for path in paths:
        archives.unpack_file(path, (_unpacked_name(path),), folder / _unpacked_name(path))
        local[_unpacked_name(path)] = folder / _unpacked_name(path)
    first = next(iter(local.values()))
    sizes = _unpacked_name(paths[-1]) if told.get("group") else None
    if sizes is None and first.suffix in SIZES:
        raise DataError(
            f"{paths[0]} looks like the sizes of queries: add the file of their rows, and --group {paths[0]}."
        )
    files = [{"path": str(path), "name": name} for path, name in zip(paths, local, strict=True)]
    entry = {"files": files, "label": {"positive": [], "negative": "rest"}}
    if _is_svmlight(first):
        features, has_queries = _shape_of({name: path for name, path in local.items() if name != sizes})
        has_queries = has_queries or sizes is not None
        if sizes:
            entry["options"] = {"group_sizes": sizes}
        entry |= {"reader": "svmlight", "expected": {"features": features}}
        entry["label"] = {"grades": []} if has_queries else entry["label"]
        with_queries = " with query ids" if has_queries else " without query ids"
        return entry, local, {"form": f"SVMlight text{with_queries}"}
    if len(paths) - bool(sizes) > 1:
        raise DataError(f"{paths[0]} is no SVMlight text, and only such files make one set together.")
    return _table_of_columns(entry, first, local, told)


def _table_of_columns(entry, path, local, told):
    """Find label, query and features among the columns of a table."""
    frame, names, options, form = _read_columns(entry, path, told)
    width = frame.shape[1]

    def column(given):
        return (
            given
            if given is None or (names and given in names) or not delimited.is_number(given)
            else int(given)
        )

    label = column(told.get("label"))
    if label is None:
        found = [each for each in names or () if each.lower() in LABELS]
        if len(found) != 1:
            known = ", ".join(names[:20]) if names else f"0 to {width - 1}"
            raise DataError(f"Say with --label which column of {path.name} is the label; they are {known}.")
        label = found[0]
    options["label_column"] = label
    if told.get("query") is not None:
        options["query_column"] = column(told["query"])
        entry["label"] = {"grades": []}
    if told.get("group"):
        options["group_sizes"] = _unpacked_name(Path(told["group"]))
        entry["label"] = {"grades": []}
    if told.get("left_out"):
        options["left_out"] = [column(each) for each in told["left_out"]]
    options |= _missing_cells(told)
    apart = {
        position(each, names, width, "A column that is named", path.name)
        for each in (label, options.get("query_column", label), *options.get("left_out", ()))
    }
    columns = [each for each in range(width) if each not in apart]
    categories = [column(each) for each in told.get("categories") or ()]
    if told.get("one_hot"):
        known = {position(each, names, width, "A column that is named", path.name) for each in categories}
        of_text = text_columns(frame, set(columns) - known, (told.get("mark"),))
        kinds = [each for each in of_text if not is_distinct(frame[each])]  # others are refused as ids
        categories += [names[each] if names and names.count(names[each]) == 1 else each for each in kinds]
    if categories:
        options["one_hot"] = categories
    # how many features there are is known once the table is read
    entry |= {"options": options, "expected": {"features": 0}}
    return entry, local, {"form": form, "columns": (frame, columns, names)}


def _read_columns(entry, path, told):
    """Read a table; returns it, the names of its columns or None, options of the reader, and its form."""
    if path.read_bytes()[:4] == b"PAR1":
        entry["reader"] = "parquet"
        return *parquet.read_frame(path, path.name), {}, "a Parquet file"
    entry["reader"] = "delimited"
    separator = told.get("separator") or delimited.guess_separator(path)
    check_separator(separator, "the command")
    header = told.get("header")
    header = delimited.has_header(path, path.name, separator) if header is None else header
    options = {"header": True} if header else {}
    options |= {"separator": separator} if separator != "," else {}
    names = delimited.read_names(path, path.name, separator) if header else None
    frame = delimited.read_frame(path, path.name, separator=separator, headed=header)
    delimited.check_names(names, frame, path.name, "correct the file.")
    form = f"a table of cells split at {separator!r}, {'with' if header else 'without'} a header"
    return frame, names, options, form


def _missing_cells(told):
    """Return the options of the reader on missing cells."""
    mark, treatment = told.get("mark"), told.get("missing")
    if treatment not in (None, DROP, MEDIAN):
        raise DataError(
            f"--missing says what becomes of missing cells, {DROP} or {MEDIAN}, and not {treatment!r}: give "
            "the mark of a missing cell by --mark."
        )
    if mark is None and treatment is None:
        return {}
    return ({} if mark is None else {"missing": mark}) | {"missing_cells": treatment or DROP}


def _letor(paths, folder):
    """Return the entry of LETOR's folds, below a folder or in an archive."""
    members = {f"Fold{k}/{part}.txt": None for k in range(1, 6) for part in ("train", "vali", "test")}
    inside = find_members(paths[0], DataFile(OWN, paths[0].name, members=members))
    local = {member: folder / member for member in members}
    archives.unpack_members(paths[0], {inside[member]: path for member, path in local.items()})
    tests = {member: local[member] for member in (letor.fold_files(k)["test"] for k in range(1, 6))}
    features, _ = _shape_of(tests)
    files = [{"path": str(paths[0]), "members": members}]
    entry = {"files": files, "reader": "letor", "label": {"grades": []}, "expected": {"features": features}}
    return entry, local, {"form": "LETOR's five folds", "has_parts": True}


def _labelled(spec, entry, local, told, about):
    """Read the table, decide which labels are positive, and count."""
    if spec.task == "graded":
        entry["label"]["grades"] = list(range(31))
        spec = parse(spec.name, entry, {OWN: registry.OWN_FAMILY})
    if "columns" in about:
        spec = replace(spec, expected={})  # a draft expects no number of features
    table = read_table(spec, local)
    entry["expected"]["features"] = table.X.shape[1]
    counts = {"rows": table.X.shape[0], "features": table.X.shape[1]}
    if not counts["rows"] or not counts["features"]:
        raise DataError(
            f"{spec.files[0].name} has no {'features' if counts['rows'] else 'rows'}: {spec.remedy}"
        )
    if spec.task == "graded":
        entry["label"]["grades"] = grades = [int(g) for g in np.unique(table.labels)]
        counted = query_counts(table.labels, table.qid)
        counts |= {key: counted[key] for key in ("queries", "preferences")}
        seen = {"grades": ", ".join(map(str, grades)), "has_parts": about.get("has_parts", False)}
        if not counts["preferences"]:
            raise DataError(f"No query of {spec.name} has two relevances: there is nothing to rank.")
    else:
        raw, times = np.unique(table.labels, return_counts=True)
        positive, negative = _classes(spec.name, dict(zip(raw.tolist(), times.tolist(), strict=True)), told)
        entry["label"] = {"positive": positive, "negative": negative}
        positives = int(np.isin(table.labels, positive).sum())
        counts |= {"positives": positives, "negatives": counts["rows"] - positives}
        shown = "all others" if negative == "rest" else ", ".join(negative)
        seen = {"grades": "", "positive": ", ".join(positive), "negative": shown}
    content = {name: archives.sha256(path) for name, path in local.items()}
    return table, about | seen | {"counts": counts, "digests": content}


def _classes(name, counted, told):
    """Return the raw labels of the positives, and of the negatives."""
    given = told.get("positive")
    shown = ", ".join(f"{label} ({count} rows)" for label, count in list(counted.items())[:12])
    if len(counted) < 2 or (not given and len(counted) > 30):
        raise DataError(
            f"The label of {name} has {len(counted)} different values: two classes are needed, so name "
            "another column with --label, or the relevant ones with --positive."
        )
    if not given:
        as_number = {float(label): label for label in counted if delimited.is_number(label)}
        if len(counted) != 2 or {*as_number} not in ({0.0, 1.0}, {-1.0, 1.0}):
            raise DataError(
                f"Say with --positive which labels of {name} are relevant; there are {shown}."
                f"{hint_on_queries(counted)}"
            )
        given = [as_number[1.0]]
    for label in given:
        if label not in counted:
            raise DataError(f"--positive names {label!r}, which is no label of {name}; there are {shown}.")
    others = [label for label in counted if label not in given]
    if not others:
        raise DataError(f"--positive names all labels of {name}: name those that are relevant.")
    return list(given), others if len(counted) == 2 else "rest"


def _pin(entry, about, paths, registry_file, follow):
    """Enter paths, checksums and counts; to follow the content only what the reader needs."""
    folder = registry_file.resolve().parent
    for file, path in zip(entry["files"], paths, strict=True):
        whole = path.resolve()
        file["path"] = str(whole.relative_to(folder) if whole.is_relative_to(folder) else whole)
        if "members" in file:
            file["members"] = {m: None if follow else about["digests"][m] for m in file["members"]}
            continue
        file["sha256"] = None if follow else about["digests"][file["name"]]
        if file["name"] == whole.name:
            del file["name"]
    if not follow:
        entry["expected"] = about["counts"]
    about["content"] = (
        "no checksum: what the file holds when a run begins"
        if follow
        else "pinned by its checksum: a changed file is refused until it is added again (or --follow)"
    )


def _write(path, entries):
    text = HEAD + yaml.safe_dump({"datasets": entries}, sort_keys=False, allow_unicode=True, width=110)
    atomic_write_text(path, text)
    registry.read_own.cache_clear()


def _holds_folds(path):
    try:
        held = archives.members(path) if path.is_dir() or path.name.endswith(ARCHIVES) else []
    except BadArchiveError as error:
        raise DataError(str(error)) from error
    if path.is_dir() and not any("fold1/" in member.lower() for member in held):
        raise DataError(f"{path} is a folder without LETOR's Fold1 to Fold5: name a file, or that folder.")
    return any("fold1/" in member.lower() for member in held)


def _is_svmlight(path):
    """Whether the first lines are a label and pairs of a feature and a value."""
    with open(path, "rb") as stream:
        lines = [line for line in itertools.islice(stream, LOOKED_AT) if line.split(b"#")[0].strip()]
    return any(b":" in line for line in lines) and all(map(_LINE.fullmatch, lines))


def _shape_of(local):
    """Return the highest feature of some files, and whether each line has the id of a query.

    Raises `DataError`: some lines have one and some have none, or a feature is numbered 0.
    """
    highest, with_query, without = 0, 0, 0
    for name, path in local.items():
        with open(path, "rb") as stream:
            for number, line in enumerate(stream, start=1):
                content = line.split(b"#", 1)[0]
                if not content.strip():
                    continue
                with_query, without = with_query + (b"qid:" in content), without + (b"qid:" not in content)
                if with_query and without:
                    raise DataError(
                        f"{name}: line {number} {'has' if b'qid:' in content else 'lacks'} a qid, other than "
                        "the lines before: give all lines one, or none."
                    )
                if b" 0:" in content:
                    raise DataError(f"{name}: line {number} has a feature 0: number the features from 1.")
                last = _LAST.search(content)
                highest = max(highest, int(last[1])) if last else highest
    return highest, bool(with_query)


def _unpacked_name(path):
    return path.name.removesuffix(path.suffix) if path.suffix in PACKED else path.name


def _slug(name):
    stem = name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "mine"
