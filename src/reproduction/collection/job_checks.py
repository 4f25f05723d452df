"""Whether the file of a job belongs to its study: unchanged, of this seed, data and code, complete."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reproduction.core import provenance
from reproduction.core.results import STATUS_NOT_OBTAINED, ResultsError, read_text, rerun_hint, to_numbers
from reproduction.fitting.method import STATUS_NOT_FEASIBLE, expand_grid
from reproduction.fitting.multi_metric import subsample_grid
from reproduction.fitting.ranking_metrics import METRICS
from reproduction.specs.metrics import RANGES

MULTI_METRIC_SEARCH = "reproduction.fitting.multi_metric"
"""The search in which each metric makes a choice, and a fold of one class is left out."""

ROLES = ("search", "path", "chosen", "alternative", "query", provenance.PROVENANCE_ROLE)


@dataclass(frozen=True)
class ExpectedJob:
    """What a study expects of the file of one job.

    Attributes
    ----------
    data : str
        SHA-256 of the arrays of its data set.
    code : str
        Digest of the code of its method.
    search : str
        Module that searches, as the paper names it.
    grid, path : mapping of str to list
        As the rule of its method has them.
    ties : sequence of str
        Levels of the rule for ties, each of which chooses a row.
    folds : int
        Inner folds of a split.
    limits : mapping
        ``candidates``, where only so many points of the grid are tried; ``further_metrics``, where others
        choose beside the usual ones.
    study : str
        Name of the study.
    seed : int
        Master seed.
    """

    study: str
    seed: int
    data: str
    code: str
    search: str
    grid: Mapping = field(default_factory=dict)
    path: Mapping = field(default_factory=dict)
    ties: Sequence[str] = ()
    folds: int = 1
    limits: Mapping = field(default_factory=dict)


def check_job(path: str | Path, expected: ExpectedJob) -> None:
    """Check that the file of a job is what its study asks for.

    Checked are the provenance (seed, digests of rows, data and code), the names, the roles, the ranges of the
    metrics, and that each split has all rows of its search, its path and its choices.

    Parameters
    ----------
    path : path-like
        File of the job: ``<data set>.<feature scaling>.<method>.<split batch>.csv``.
    expected : ExpectedJob
        What the study expects.

    Raises
    ------
    ResultsError
        If it is not; the message says what differs and the remedy.
    """
    path = Path(path)
    rows = read_text(
        path, ("study", "dataset", "feature_scaling", "method", "split", "role", "fold", "params")
    )
    _check_provenance(path, rows, expected)
    dataset, scaling, method, split_batch = path.stem.split(".")
    names = {"study": expected.study, "dataset": dataset, "feature_scaling": scaling, "method": method}
    for column, name in names.items():
        if (is_other := rows[column] != name).any():
            raise ResultsError(
                f"{path} holds a row of the {column} {rows.loc[is_other, column].iloc[0]!r}: "
                f"{rerun_hint(path)}"
            )
    if (is_other := ~rows["role"].isin(ROLES)).any():
        raise ResultsError(
            f"{path} holds a row of role {rows.loc[is_other, 'role'].iloc[0]!r}: {rerun_hint(path)}"
        )
    check_ranges(path, rows)
    fits = rows[~rows["role"].isin(("query", provenance.PROVENANCE_ROLE))]
    if (fits["status"] == STATUS_NOT_OBTAINED).all():
        return
    # the name of the file ends with the first and the last split, both included
    first, last = map(int, split_batch.split("-"))
    for split in range(first, last + 1):
        _check_split(path, split, fits[fits["split"] == str(split)], expected)


ROUNDING = 1e-12
"""How far a metric may lie outside its range: the sum of a perfect ranking may round to 1 + 1e-15."""


def check_ranges(path: str | Path, rows: pd.DataFrame) -> None:
    """Check that each metric lies within its range; an empty cell was not measured.

    Parameters
    ----------
    path : path-like
        File of the rows, for the message.
    rows : pandas.DataFrame
        Rows of the file, as text.

    Raises
    ------
    ResultsError
        If a metric lies outside its range (`specs.metrics.RANGES`).
    """
    limits = {column: RANGES[column] for column in rows.columns if column in RANGES}
    # A range may end at another column: positives at the top are at most the positives of the test part.
    bounds = {largest for _, largest in limits.values() if isinstance(largest, str)} & set(rows.columns)
    numbers = to_numbers(rows, {*limits, *bounds}, path)
    for column, (least, largest) in limits.items():
        upper = numbers[largest] if isinstance(largest, str) else largest
        values = numbers[column]
        is_outside = (values < least - ROUNDING) | (values > upper + ROUNDING)
        if is_outside.any():
            row = rows[is_outside].iloc[0]
            limit = row[largest] if isinstance(largest, str) else f"{largest:g}"
            raise ResultsError(
                f"{path}: {column} is {row[column]} (role {row['role']}, split {row['split']}), outside its "
                f"range from {least:g} to {limit}: {rerun_hint(path)}"
            )


def _check_provenance(path: Path, rows: pd.DataFrame, expected: ExpectedJob) -> None:
    """Check the last row, which says what made the file, against the file and the study."""
    if rows.empty or rows["role"].iloc[-1] != provenance.PROVENANCE_ROLE:
        raise ResultsError(f"{path} holds no provenance in its last row: {rerun_hint(path)}")
    facts = json.loads(rows["message"].iloc[-1])
    text = path.read_bytes().decode("utf-8")
    # the digest is over all rows before the row of provenance
    rows_text = text[: text.rstrip("\n").rfind("\n") + 1]
    if facts.get(provenance.DIGEST_KEY) != provenance.digest_rows(rows_text, facts):
        raise ResultsError(
            f"{path} is not as its job wrote it (the digest of its rows differs): {rerun_hint(path)}"
        )
    for key, name in (("seed", "seed"), ("data", "digest of the data"), ("code", "digest of the code")):
        if facts.get(key) != (expected_value := getattr(expected, key)):
            raise ResultsError(
                f"{path} has the {name} {facts.get(key)}, but its study has {expected_value}: "
                f"{rerun_hint(path)}"
            )


def _check_split(path: Path, split: int, rows: pd.DataFrame, expected: ExpectedJob) -> None:
    """Check that a split has each row of its search, its path and its choices once, and no other."""
    place = f"{path}, split {split}"
    chosen = rows[rows["role"] == "chosen"]
    if len(chosen) != 1:
        raise ResultsError(
            f"{path} holds {len(chosen)} chosen fits of split {split}, not one: {rerun_hint(path)}"
        )
    # a split on which nothing could be chosen may end before its search, its path, or both
    has_ended = chosen["status"].iloc[0] in ("failed", STATUS_NOT_FEASIBLE)
    is_multi_metric = expected.search == MULTI_METRIC_SEARCH
    grid = (
        subsample_grid(expected.grid, expected.limits.get("candidates")) if is_multi_metric else expected.grid
    )
    folds = [str(fold) for fold in range(expected.folds)]
    if is_multi_metric and len(expand_grid(grid)) == 1:
        grid = {}
    searched = _list_points_of_role(rows, "search", grid)
    if is_multi_metric:
        # The search for all metrics leaves out inner folds with a single class: those that are there must be
        # complete.
        folds = sorted({fold for fold, _ in searched}) or folds
    expected_points = {
        "search": [(fold, point) for fold in folds for point in _format_grid_points(grid)] if grid else []
    }
    expected_points["path"] = (
        [("", point) for point in _format_grid_points(expected.path)] if expected.path else []
    )
    for role, points in expected_points.items():
        present = searched if role == "search" else _list_points_of_role(rows, role, expected.path)
        # Multisets: neither a missing row nor one that stands twice goes unseen.
        if Counter(present) == Counter(points) or (has_ended and not present):
            continue
        lacking, further = Counter(points) - Counter(present), Counter(present) - Counter(points)
        difference = (
            f"lacks {lacking.total()} of {len(points)}" if lacking else f"has {further.total()} further"
        )
        fold, point = next(iter(lacking or further))
        point_text = f"{point}{f', fold {fold}' if fold else ''}"
        raise ResultsError(
            f"{place}, {difference} rows of role {role} (first: {point_text}): {rerun_hint(path)}"
        )
    _check_choices(path, place, rows, expected, has_ended)


def _check_choices(
    path: Path, place: str, rows: pd.DataFrame, expected: ExpectedJob, has_ended: bool
) -> None:
    """Check that each metric, or each rule for ties, has chosen one row."""
    column = "chosen_by" if expected.search == MULTI_METRIC_SEARCH else "ties"
    if column not in rows or has_ended:
        return
    final_rows = rows[rows["role"].isin(("chosen", "alternative"))]
    # Several metrics, or rules for ties, may choose the same candidate: its one row names all of them.
    present = Counter(word for cell in final_rows[column] for word in cell.split())
    metrics = (*METRICS, *expected.limits.get("further_metrics", ()))
    expected_counts = Counter(metrics if expected.search == MULTI_METRIC_SEARCH else expected.ties)
    if present != expected_counts:
        word = next(iter((expected_counts - present) or (present - expected_counts)))
        raise ResultsError(
            f"{place}, has {present[word]} rows chosen by {word!r}, not {expected_counts[word]}: "
            f"{rerun_hint(path)}"
        )


def _map_short_names(grid: Mapping) -> dict[str, str]:
    """Map the names of a grid as rows show them to those of the grid."""
    return {name.rpartition("__")[2]: name for name in grid}


def _format_grid_points(grid: Mapping) -> list[str]:
    """List the points of a grid as text."""
    names = _map_short_names(grid)
    return [
        json.dumps({name: point[full_name] for name, full_name in names.items()})
        for point in expand_grid(grid)
    ]


def _list_points_of_role(rows: pd.DataFrame, role: str, grid: Mapping) -> list[tuple[str, str]]:
    """List fold and point of each row of a role."""
    role_rows = rows[rows["role"] == role]
    names, params_of_rows = _map_short_names(grid), map(json.loads, role_rows["params"])
    points = [json.dumps({name: params.get(name) for name in names}) for params in params_of_rows]
    return list(zip(role_rows["fold"], points, strict=True))
