"""Axes of what a paper leaves open, their levels, and every number in every universe.

A universe is one level of each axis. The *default* universe has the declared default of each. A paper hands
its axes over with its record; a study says in its configuration which levels it looks at.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from numbers import Real

import numpy as np
import pandas as pd

from reproduction.core.results import ResultsError

DEFAULT = "default"
"""Name of the universe in which no level differs from its default."""

IDENTITY = ("universe", "changes", "dataset", "method", "split")
COLUMNS = (
    *("study", "artefact", "dataset", "method", "quantity", "published", "published_std"),
    *("universe", "changes", "ours_mean", "ours_std", "splits", "zero_models", "default_mean"),
)
"""Columns of multiverse.csv: one row a printed number and universe. `splits`: on how many there is a number
of ours; `zero_models`: on how many of them the chosen model is w = 0; `default_mean`: of the default universe
on the same splits, so that a level that was fitted on fewer of them is told from other splits."""


@dataclass(frozen=True)
class Axis:
    """One thing that a paper leaves open.

    Attributes
    ----------
    name : str
        Key of the configuration.
    title : str
        For readers.
    place : str
        Where in the paper the choice is open, and what stands there.
    default : str or number, or callable
        The declared level; or settings of the study -> that level.
    levels : mapping of str to str, or None
        Level -> what it means. None: the level is a number, or the default.
    reuses : bool
        Whether a level selects among fits that are there, and fits nothing anew.
    """

    name: str
    title: str
    place: str
    default: str | float | Callable[[Mapping], str | float]
    levels: Mapping[str, str] | None = None
    reuses: bool = True

    def __post_init__(self):
        if not callable(self.default) and self._problem(self.default):
            raise ValueError(f"axis {self.name!r}: the default {self._problem(self.default)}")

    def default_of(self, settings: Mapping) -> str:
        """Return the default level of a study, as text."""
        return as_text(self.default(settings) if callable(self.default) else self.default)

    def problems(self, levels: Sequence, default: str) -> Iterator[str]:
        """Yield what is wrong with the levels that a study names."""
        for level in levels:
            if problem := self._problem(level):
                yield f"the level {problem}"
        if default not in map(as_text, levels):
            yield f"its default, {default}, is missing: name it too"

    def _problem(self, level) -> str:
        if self.levels is None:
            is_number = isinstance(level, Real) and not isinstance(level, bool) and level >= 0
            return "" if is_number or level == self.default else f"{level!r} is no number"
        is_known = as_text(level) in self.levels
        return "" if is_known else f"{level!r} is not known; known are {', '.join(self.levels)}"


def as_text(level) -> str:
    """Write a level as universes name it: 1e-05, 0.06, 1000."""
    return level if isinstance(level, str) else f"{level:g}"


class Universes:
    """The axes of a study: their levels, their defaults, and the names of universes.

    Parameters
    ----------
    settings : mapping
        Part of the configuration of the study; without the key ``multiverse`` each axis has its default only.
    """

    def __init__(self, axes: Iterable[Axis], settings: Mapping):
        named = settings.get("multiverse", {}).get("axes", {})
        self.axes = {axis.name: axis for axis in axes}
        self.defaults = {name: axis.default_of(settings) for name, axis in self.axes.items()}
        self.levels = {
            name: list(map(as_text, named.get(name, [default]))) for name, default in self.defaults.items()
        }

    def others(self, axis: str) -> list[str]:
        """List the levels of an axis without its default; none if the paper does not have the axis."""
        return [level for level in self.levels.get(axis, ()) if level != self.defaults[axis]]

    def crossed(self, *names: str) -> list[dict[str, str]]:
        """List all combinations of the levels of some axes."""
        return [dict(zip(names, levels, strict=True)) for levels in product(*(self.levels[n] for n in names))]

    def named(self, chosen: Mapping[str, str]) -> dict:
        """Return ``universe`` and ``changes`` of the universe with these levels and otherwise the defaults.

        Raises `KeyError`: if there is no such axis.
        """
        changed = [n for n in self.axes if n in chosen and chosen[n] != self.defaults[n]]
        if set(chosen) - set(self.axes):
            raise KeyError(f"no such axis: {', '.join(sorted(set(chosen) - set(self.axes)))}")
        name = "; ".join(f"{axis}={chosen[axis]}" for axis in changed) or DEFAULT
        return {"universe": name, "changes": len(changed)}


def refuse_missing(found: Iterable, wanted: Iterable, where: str) -> None:
    """Raise a ResultsError that names the first universe whose fits are missing."""
    found = set(found)
    for universe in wanted:
        if universe not in found:
            named = ", ".join(map(str, universe))
            raise ResultsError(
                f"{where} holds no fit of the universe ({named}): delete the file and run the rule that "
                "writes it."
            )


def levels_of(universe: str) -> dict[str, str]:
    """Return the levels that a universe changes: ``features=scaled; stop=combined`` -> a dictionary."""
    return {} if universe == DEFAULT else dict(pair.split("=", 1) for pair in universe.split("; "))


def whole_universes(readings: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split the readings by universe, and complete each.

    A universe has rows only for the data sets and methods that its changes affect. The other rows come from
    the universe that has them and shares most of its changes; the default one comes last.

    `readings`: with the columns universe, dataset, method, split and the measures.
    """
    own = readings.groupby("universe", sort=False).indices
    changes = {universe: set(levels_of(universe).items()) for universe in own}
    # a number for each pair of a data set and a method
    pair = readings.groupby(["dataset", "method"], sort=False).ngroup().to_numpy()
    whole = {}
    for universe in own:
        within = [other for other in own if changes[other] <= changes[universe]]
        parts, is_seen = [], np.zeros(len(readings), dtype=bool)
        for other in sorted(within, key=lambda other: -len(changes[other])):
            fresh = own[other][~is_seen[pair[own[other]]]]
            parts.append(fresh)
            is_seen[pair[fresh]] = True
        whole[universe] = readings.take(np.concatenate(parts)).reset_index(drop=True)
    return whole


def aggregated(readings: pd.DataFrame, quantities: Sequence[str]) -> pd.DataFrame:
    """Average readings over splits.

    `readings`: the columns of `IDENTITY`, ``zero_model``, and one column a quantity. Returns: one row a
    universe, data set, method and quantity: ours_mean, ours_std (of one split: NaN), splits, zero_models and
    default_mean.
    """
    key = ["universe", "changes", "dataset", "method"]
    long = readings.melt([*key, "split", "zero_model"], list(quantities), "quantity", "value")
    long = long[long["value"].notna()]
    same = ["dataset", "method", "split", "quantity"]
    default = long.loc[long["universe"] == DEFAULT, [*same, "value"]]
    long = long.merge(default.rename(columns={"value": "of_default"}), on=same, how="left")
    groups = long.groupby([*key, "quantity"], sort=False)
    found = groups["value"].agg(ours_mean="mean", ours_std="std", splits="count")
    more = {"zero_models": groups["zero_model"].sum(), "default_mean": groups["of_default"].mean()}
    return found.assign(**more).reset_index()


def multiverse(study: str, readings: pd.DataFrame, printed: pd.DataFrame | None):
    """Set every printed result beside ours in every universe.

    `readings`: see `aggregated`; its other columns are no quantities. `printed`: rows of
    `printed.read_printed`. None: the rows are what was measured. Returns: the columns of `COLUMNS`. A printed
    number that nothing was measured for has one row, of the default universe, without a number.
    """
    quantities = [name for name in readings.columns if name not in (*IDENTITY, "zero_model", "status")]
    ours = aggregated(readings, quantities)
    if printed is None:
        whole = ours.assign(artefact="none", published=np.nan, published_std=np.nan)
    else:
        columns = {"number": "published", "deviation": "published_std"}
        results = printed[printed["quantity"].isin(quantities)].rename(columns=columns)
        results = results[["artefact", "dataset", "method", "quantity", "published", "published_std"]]
        whole = results.merge(ours, on=["dataset", "method", "quantity"], how="left")
        whole["universe"] = whole["universe"].fillna(DEFAULT)
        whole = whole.fillna({"changes": 0, "splits": 0, "zero_models": 0})
    counts = dict.fromkeys(("changes", "splits", "zero_models"), int)
    return whole.assign(study=study)[list(COLUMNS)].astype(counts)
