"""Claims: sentences of a paper that could be false, judged under every reading of what the paper leaves open.

A claim about measured methods is judged once in each universe, one reading of all that is left open, and
holds if it holds in all of them. A claim about a block is judged once, on the block's tables. A claim that
the data do not decide gets the verdict “cannot tell”.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

import pandas as pd

from reproduction.core.results import missing_reason, read_text
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.multiverse import DEFAULT, changed_options

if TYPE_CHECKING:
    from pathlib import Path

    from reproduction.collection.study_results import Study

HOLDS, SOME, HOLDS_NOT, UNDECIDED = "holds", "holds under some choices", "does not hold", "cannot tell"
VERDICTS = (HOLDS, SOME, HOLDS_NOT, UNDECIDED)
READINGS = "readings"
"""The table with a row for each universe, data set, method and split."""

OF_THE_STUDY = ("published_values",)
"""Attributes of the study that a claim may read beside its tables."""

COLUMNS = ("study", "claim", "place", "sentence", "verdict", "share", "readings", "evidence")
NO_SHARE = "none"
"""Stands for the share of a claim that is judged once, or in no universe."""

MISSING = """This run has no table “{{ table }}”{% if why %}: {{ why }}{% endif %}."""
NOTHING = "This run did not measure what the claim is about."
UNIVERSES = """{% if not decided %}The data decide none of {{ open }} readings.
{%- elif holds == decided %}It holds in {{ "all " if holds > 1 }}{{ holds }} reading{{ "s" if holds > 1 }}.
{%- elif not holds %}It holds in none of {{ decided }} readings.
{%- else %}It holds in {{ holds }} of {{ decided }} readings
{%- if default is not none %}, {{ "and so" if default else "but not" }} with the default choices{% endif %}.
{% if axis %}{{ "The deciding choice is" if axis.alone else "The choice that matters most is" }}
{{ axis.name }}: it holds {{ axis.levels | each("in {holds} of {of} with {name}") | join(", ") }}.
{%- else %}No single choice decides it.{% endif %}{% endif %}
{% if open and decided %}The data do not decide {{ open }} more.{% endif %}"""
SETS = """{% if sets.yes %}Yes: {{ sets.yes | join(", ") }}.{% endif %}
{% if sets.no %}No: {{ sets.no | join(", ") }}.{% endif %}
{% if sets.missing %}Not measured: {{ sets.missing | join(", ") }}
({{ sets.missing | length }} of {{ sets.of }} data sets).{% endif %}"""
"""Answers a question on several data sets at the end of a template; its fact ``sets`` is a `Sets`."""


@dataclass(frozen=True)
class Sets:
    """The data sets of a claim, by whether a condition holds on them."""

    yes: tuple[str, ...]
    no: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def of(self) -> int:
        """How many data sets there are."""
        return len(self.yes) + len(self.no) + len(self.missing)

    def at_least(self, wanted: int) -> bool | None:
        """Whether the condition holds on at least so many; None if that depends on missing ones."""
        if len(self.yes) >= wanted:
            return True
        return False if len(self.yes) + len(self.missing) < wanted else None

    @property
    def on_most(self) -> bool | None:
        """Whether the condition holds on more than half."""
        return self.at_least(self.of // 2 + 1)

    @property
    def on_all(self) -> bool | None:
        """Whether the condition holds on all."""
        return self.at_least(self.of)

    @property
    def on_one(self) -> bool | None:
        """Whether the condition holds on at least one."""
        return self.at_least(1)


def once(ask: Callable) -> Callable:
    """Cache the answers to a question by its rows: many universes differ in other rows only.

    `ask`: takes rows, with the columns that it is about and no others, and hashable values.
    """
    answers: dict[tuple, object] = {}

    @wraps(ask)
    def answered(rows: pd.DataFrame, *others):
        columns = (rows[name].to_numpy() for name in rows)
        held = (tuple(column) if column.dtype == object else column.tobytes() for column in columns)
        key = (*rows.columns, *held, *others)
        if key not in answers:
            answers[key] = ask(rows, *others)
        return answers[key]

    return answered


def all_hold(answers: Iterable[bool | None]) -> bool | None:
    """Whether all answers are yes; None if that depends on missing ones."""
    found = set(answers)
    return False if False in found else None if None in found else True


def sort_sets(wanted: Iterable[str], found: Mapping[str, bool]) -> Sets:
    """Sort the data sets of a claim by what was found; those that `found` lacks are missing."""
    wanted = list(dict.fromkeys(wanted))
    return Sets(
        tuple(name for name in wanted if found.get(name)),
        tuple(name for name in wanted if name in found and not found[name]),
        tuple(name for name in wanted if name not in found),
    )


def by_set(rows: pd.DataFrame, wanted: Iterable[str], holds: Callable[[pd.DataFrame], bool | None]) -> Sets:
    """Ask something of the rows of each data set; a set whose rows do not say (None) is missing."""
    wanted, groups = list(wanted), dict(list(rows.groupby("dataset", sort=False)))
    answers = {name: holds(groups[name]) for name in wanted if name in groups}
    return sort_sets(wanted, {name: one for name, one in answers.items() if one is not None})


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and how it is judged.

    Attributes
    ----------
    name : str
        Unique within a paper.
    place : str
        Section, table or figure.
    sentence : str
        A short quotation, or nearly so.
    template : str
        What was found, as a Jinja2 template with the filters of `reproduction.core.sentence_templates`.
    judge : callable
        Takes what is named in `reads`, in this order. Returns the facts of the template, with ``holds``
        (True, False, or None: the data cannot decide); None where nothing of what it needs is there.
    reads : tuple of str
        Tables of the study, or names of `OF_THE_STUDY`. A claim that reads `READINGS`, as the first, is
        judged in each universe, on the rows of that universe.
    over : callable, optional
        First table -> universe -> its rows, for a block that was measured in several settings.
    """

    name: str
    place: str
    sentence: str
    template: str
    judge: Callable[..., Mapping | None]
    reads: tuple[str, ...] = ()
    over: Callable[[pd.DataFrame], Mapping[str, pd.DataFrame]] | None = None

    def judged(self, study: Study) -> Judgement:
        """Judge the claim by what a study measured."""
        given = {name: _given(study, name) for name in self.reads}
        for name, table in given.items():
            if table is None or table.empty:
                why = fill_template(MISSING, {"table": name, "why": ""})
                return Judgement(self, UNDECIDED, why, is_on_the_run=False)
            if why := missing_reason(table):
                return Judgement(
                    self, UNDECIDED, fill_template(MISSING, {"table": name, "why": why.rstrip(".")})
                )
        if self.over is None and READINGS not in given:
            facts = self.judge(*given.values())
            if facts is None:
                return Judgement(self, UNDECIDED, NOTHING, is_on_the_run=False)
            held = _is_measured(facts)
            return Judgement(
                self, verdict([_truth(facts)]), fill_template(self.template, facts), is_on_the_run=held
            )
        first, *others = given.values()
        parts = self.over(first) if self.over else study.specifications
        return self._in_universes({name: self.judge(rows, *others) for name, rows in parts.items()})

    def _in_universes(self, facts: Mapping[str, Mapping | None]) -> Judgement:
        holds = {universe: _truth(found) for universe, found in facts.items()}
        shown = facts.get(DEFAULT) or next(filter(None, facts.values()), None)
        if shown is None:
            return Judgement(self, UNDECIDED, NOTHING, is_on_the_run=False)
        decided = {universe: one for universe, one in holds.items() if one is not None}
        about = {
            "holds": sum(decided.values()),
            "decided": len(decided),
            "open": len(holds) - len(decided),
            "default": holds.get(DEFAULT),
            "axis": deciding_axis(decided),
        }
        said = fill_template(UNIVERSES, about)
        share = about["holds"] / len(decided) if decided else math.nan
        held = _is_measured(shown)
        return Judgement(
            self, verdict(holds.values()), fill_template(self.template, shown), share, said, held
        )


@dataclass(frozen=True)
class Judgement:
    """The judgement on a claim.

    Attributes
    ----------
    verdict : str
        One of `VERDICTS`.
    evidence : str
        The filled template, in the default universe; or why the claim cannot be judged.
    share : float
        Of the universes that decide, those in which it holds; NaN where the claim is judged once.
    readings : str
        In how many universes it holds, and which choice decides.
    is_on_the_run : bool
        Whether the run holds anything that the claim is about.
    """

    claim: Claim
    verdict: str
    evidence: str
    share: float = math.nan
    readings: str = ""
    is_on_the_run: bool = True


def verdict(holds: Iterable[bool | None]) -> str:
    """Combine what was found in each universe.

    A claim holds in all, or in none, only if the data decide in every one of them.
    """
    found = set(holds)
    if {True, False} <= found:
        return SOME
    return {frozenset({True}): HOLDS, frozenset({False}): HOLDS_NOT}.get(frozenset(found), UNDECIDED)


def deciding_axis(holds: Mapping[str, bool]) -> dict | None:
    """Find the axis whose levels best predict where a claim holds.

    `holds`: by universe. Returns: name, levels (each with name, holds, of) and alone: whether they tell it
    everywhere. None if no axis predicts better than the majority of all universes.
    """
    best, most = None, max(sum(holds.values()), len(holds) - sum(holds.values()))
    for axis in dict.fromkeys(axis for universe in holds for axis in changed_options(universe)):
        by_level: dict[str, list[bool]] = {}
        for universe, found in holds.items():
            by_level.setdefault(changed_options(universe).get(axis, DEFAULT), []).append(found)
        right = sum(max(sum(found), len(found) - sum(found)) for found in by_level.values())
        if right > most:
            counts = [{"name": n, "holds": sum(found), "of": len(found)} for n, found in by_level.items()]
            best, most = {"name": axis, "levels": counts, "alone": right == len(holds)}, right
    return best


def as_rows(study: str, judgements: Sequence[Judgement]) -> pd.DataFrame:
    """Lay the judgements of a study out as rows of claims.csv; no cell is blank."""
    rows = [
        (
            *(study, one.claim.name, one.claim.place, one.claim.sentence, one.verdict),
            NO_SHARE if math.isnan(one.share) else f"{one.share:.10g}",
            *(one.readings or "judged once", one.evidence),
        )
        for one in judgements
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def read_claims(path: str | Path) -> pd.DataFrame:
    """Read claims.csv: the columns of `COLUMNS` as text, the share a number or NaN."""
    rows = read_text(path, COLUMNS)[list(COLUMNS)]
    return rows.assign(share=pd.to_numeric(rows["share"], errors="coerce"))


def counts(claims: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Count the verdicts: study -> verdict -> how many, all verdicts in their order."""
    return {
        study: {name: int((rows["verdict"] == name).sum()) for name in VERDICTS}
        for study, rows in claims.groupby("study", sort=False)
    }


def totals(claims: pd.DataFrame) -> list[str]:
    """Say how many claims of each study got which verdict, in a line each."""
    return [
        f"Claims of {study}: {sum(verdicts.values())}: "
        + ", ".join(f"{name} {count}" for name, count in verdicts.items() if count)
        for study, verdicts in counts(claims).items()
    ]


def _given(study: Study, name: str):
    """Return what a claim reads; None where the study does not have it."""
    if name in OF_THE_STUDY:
        return getattr(study, name)
    has = name in study.tables or study.file(f"{name}.csv")
    return study.table(name) if has else None


def _is_measured(facts: Mapping) -> bool:
    """Whether any data set of a claim was measured; one without data sets was."""
    of_sets = [fact for fact in facts.values() if isinstance(fact, Sets)]
    return not of_sets or any(fact.yes or fact.no for fact in of_sets)


def _truth(facts: Mapping | None) -> bool | None:
    """Whether a claim holds by some facts, as Python's own truth value."""
    return None if facts is None or facts["holds"] is None else bool(facts["holds"])
