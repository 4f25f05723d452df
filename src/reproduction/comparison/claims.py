"""Claims: sentences of a paper that could be false, judged under every choice that the paper leaves open.

A claim about measured methods is judged once in each specification, one choice of all that is left open. A
claim about an experiment is judged once, on the experiment's tables. A vague sentence is judged in several
readings. A claim holds if it holds wherever the data decide; they must decide under the default choices and
in most specifications, else the verdict is “cannot tell”. A data set of which only a part was obtained counts
as missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from reproduction.comparison.dataset_outcomes import DatasetOutcomes
from reproduction.core.results import missing_reason
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.multiverse import DEFAULT, changed_options

if TYPE_CHECKING:
    from reproduction.specs.study_results import Study

HOLDS, HOLDS_SOMETIMES, REFUTED, UNDECIDED = (
    "holds",
    "holds under some choices",
    "does not hold",
    "cannot tell",
)
VERDICTS = (HOLDS, HOLDS_SOMETIMES, REFUTED, UNDECIDED)
OUTCOMES = "outcomes"
"""The table with a row for each specification, data set, method and split."""

READING = "reading"
"""Name of the choice among the readings of a vague sentence."""

STUDY_ATTRIBUTES = ("published_values", "data")
"""Attributes of the study that a claim may read beside its tables."""


MISSING_TABLE_TEXT = """This run has no table “{{ table }}”{% if why %}: {{ why }}{% endif %}."""
NO_DATA_TEXT = "This run did not measure what the claim is about."
SPECIFICATIONS_TEXT = """{% if not decided %}None of {{ open }} specifications can be decided by the data.
{%- elif holds == decided %}It holds in {{ "all " if holds > 1 }}{{ holds }} specification
{%- if holds > 1 %}s{% endif %}.
{%- elif not holds %}It holds in none of {{ decided }} specifications.
{%- else %}It holds in {{ holds }} of {{ decided }} specifications
{%- if default is not none %}, {{ "also" if default else "but not" }} with the default choices{% endif %}.
{% if choice %}{{ "The deciding choice is" if choice.alone else "The most influential choice is" }}
{{ choice.name }}: it holds {{ choice.options | each("in {holds} of {of} with {name}") | join(", ") }}.
{%- else %}No single choice is decisive.{% endif %}{% endif %}
{% if open and decided %}{{ open }} more cannot be decided by the data.{% endif %}"""


def make_outcomes_template(finding: str, details: str = "") -> str:
    """Make the template of a finding on several data sets; its fact ``sets`` is a `DatasetOutcomes`.

    Parameters
    ----------
    finding : str
        A statement (a template as well), without the data sets on which it holds and without a full stop.
    details : str
        Template of what follows the data sets on which it holds.

    Returns
    -------
    str
        The template.
    """
    return (
        "{% if sets.yes or sets.no %}"
        + finding
        + """ on {{ sets.yes | length }} of {{ sets.yes | length + sets.no | length }} measured data sets
{%- if sets.yes %} ({{ sets.yes | join(", ") }}){% endif %}"""
        + details
        + """{% if sets.no %}; it does not hold on {{ sets.no | join(", ") }}{% endif %}.{% endif %}
{% if sets.missing %}Not measured: {{ sets.missing | join(", ") }}
({{ sets.missing | length }} of {{ sets.n_datasets }} data sets).{% endif %}"""
    )


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
        The evidence, as a Jinja2 template with the filters of `reproduction.core.sentence_templates`.
    judge : callable
        Takes what is named in `inputs`, in this order. Returns the facts of the template, with ``holds``
        (True, False, or None: the data cannot decide); None where nothing of what it needs is there.
    inputs : tuple of str
        Tables of the study, or names of `STUDY_ATTRIBUTES`. A claim that reads `OUTCOMES`, as the first, is
        judged in each specification, on the rows of that specification.
    split_by_specification : callable, optional
        First table -> specification -> its rows, for an experiment that was measured in several settings.
    choices : tuple of str
        The choices that touch its rows; none: all may. Specifications that change another one would only be
        copies.
    reading : str
        What is measured, in words; of a vague sentence all its readings.
    other_readings : mapping of str to callable
        Name of a further reading -> its judge, which gives the same facts.
    reads_partial_data : bool
        Whether the judge takes the rows of data sets of which only a part was obtained, and reads their
        status itself.
    """

    name: str
    place: str
    sentence: str
    template: str
    judge: Callable[..., Mapping | None]
    inputs: tuple[str, ...] = ()
    split_by_specification: Callable[[pd.DataFrame], Mapping[str, pd.DataFrame]] | None = None
    choices: tuple[str, ...] = field(default=(), kw_only=True)
    reading: str = field(default="", kw_only=True)
    other_readings: Mapping[str, Callable[..., Mapping | None]] = field(default_factory=dict, kw_only=True)
    reads_partial_data: bool = field(default=False, kw_only=True)

    def evaluate(self, study: Study) -> ClaimJudgement:
        """Judge the claim by the results of a study.

        Parameters
        ----------
        study : Study
            Study with its tables.

        Returns
        -------
        ClaimJudgement
            The judgement.
        """
        inputs = {name: _read_input(study, name) for name in self.inputs}
        # Two kinds of a missing table: one that this configuration does not make (then the claim is not part
        # of the run), and one that was asked for and could not be obtained (then it is, and nothing can be
        # told).
        for name, table in inputs.items():
            if table is None or table.empty:
                reason = fill_template(MISSING_TABLE_TEXT, {"table": name, "why": ""})
                return ClaimJudgement(self, UNDECIDED, reason, is_in_run=False)
            if reason := missing_reason(table):
                return ClaimJudgement(
                    self,
                    UNDECIDED,
                    fill_template(MISSING_TABLE_TEXT, {"table": name, "why": reason.rstrip(".")}),
                )
        if self.is_judged_once:
            return self._evaluate_specifications(self._judge_readings(DEFAULT, *inputs.values()))
        first_input, *other_inputs = inputs.values()
        # A claim about measured methods: the first table is cut by specification, the others (experiments,
        # published values, data) are the same in all of them.
        rows_of = (
            self.split_by_specification(first_input) if self.split_by_specification else study.specifications
        )
        incomplete = () if self.reads_partial_data else _list_partial_datasets(study)
        facts: dict[str, Mapping | None] = {}
        for specification, rows in rows_of.items():
            if self.choices and not {*changed_options(specification)} <= {*self.choices}:
                continue
            if incomplete and "dataset" in rows:
                rows = rows[~rows["dataset"].isin(incomplete)]
            facts |= self._judge_readings(specification, rows, *other_inputs)
        return self._evaluate_specifications(facts)

    @property
    def is_judged_once(self) -> bool:
        """Whether the claim has the same tables in all specifications."""
        return self.split_by_specification is None and OUTCOMES not in self.inputs

    def _judge_readings(self, specification: str, *inputs: Any) -> dict[str, Mapping | None]:
        """Judge the claim in one specification, in each of its readings: a further choice."""
        facts = {specification: self.judge(*inputs)}
        for name, judge in self.other_readings.items():
            changes = [] if specification == DEFAULT else [specification]
            facts["; ".join([*changes, f"{READING}={name}"])] = judge(*inputs)
        return facts

    def _evaluate_specifications(self, facts: Mapping[str, Mapping | None]) -> ClaimJudgement:
        """Judge a claim by its facts in each specification."""
        holds = {
            specification: _truth_value(specification_facts)
            for specification, specification_facts in facts.items()
        }
        # The evidence shown comes from the default choices, or from the first specification with facts if the
        # default has none.
        shown_facts = facts.get(DEFAULT) or next(filter(None, facts.values()), None)
        if shown_facts is None:
            return ClaimJudgement(self, UNDECIDED, NO_DATA_TEXT, is_in_run=False)
        verdict = combine_verdicts(holds.values(), holds.get(DEFAULT))
        evidence, has_data = fill_template(self.template, shown_facts), _has_data(shown_facts)
        if self.is_judged_once and not self.other_readings:
            return ClaimJudgement(self, verdict, evidence, is_in_run=has_data)
        decided = {specification: answer for specification, answer in holds.items() if answer is not None}
        summary = {
            "holds": sum(decided.values()),
            "decided": len(decided),
            "open": len(holds) - len(decided),
            "default": holds.get(DEFAULT),
            "choice": find_deciding_choice(decided),
        }
        robustness = fill_template(SPECIFICATIONS_TEXT, summary)
        share = summary["holds"] / len(decided) if decided and verdict != UNDECIDED else math.nan
        return ClaimJudgement(self, verdict, evidence, share, robustness, has_data)


@dataclass(frozen=True)
class ClaimJudgement:
    """The judgement on a claim.

    Attributes
    ----------
    verdict : str
        One of `VERDICTS`.
    evidence : str
        The filled template, in the default specification; or why the claim cannot be judged.
    share : float
        Of the specifications that decide, those in which it holds; NaN where the claim is judged once or
        cannot be told.
    robustness : str
        In how many specifications it holds, and which choice is decisive.
    is_in_run : bool
        Whether the run holds anything that the claim is about.
    claim : Claim
    """

    claim: Claim
    verdict: str
    evidence: str
    share: float = math.nan
    robustness: str = ""
    is_in_run: bool = True


def combine_verdicts(holds: Iterable[bool | None], default: bool | None) -> str:
    """Combine the answers in each specification.

    With missing data sets, “on some data set” can be decided in one direction only, and so can “on all”. The
    specifications that decide are then a biased sample, which does not stand for the others.

    Parameters
    ----------
    holds : Iterable[bool]
        Answers; None where the data do not decide.
    default : bool or None
        Answer under the default choices.

    Returns
    -------
    str
        One of `VERDICTS`.
    """
    if default is None:
        return UNDECIDED
    answers = list(holds)
    # One specification in which it fails and one in which it holds; `default` is usually among `holds`.
    if {True, False} <= {*answers, default}:
        return HOLDS_SOMETIMES
    if answers and 2 * answers.count(None) >= len(answers):
        return UNDECIDED
    return HOLDS if default else REFUTED


def find_deciding_choice(holds: Mapping[str, bool]) -> dict | None:
    """Find the choice whose options best predict where a claim holds.

    Parameters
    ----------
    holds : Mapping[str, bool]
        Answer of each specification.

    Returns
    -------
    dict | None
        name, options (each with name, holds, of) and alone: whether they tell it everywhere. None if no
        choice predicts better than the majority of all specifications.
    """
    # A choice must beat the guess of the more frequent answer without looking at any choice. As a tree of
    # depth one: predict the majority within each option, and count the right predictions.
    best, most_predicted = None, max(sum(holds.values()), len(holds) - sum(holds.values()))
    for choice in dict.fromkeys(
        choice for specification in holds for choice in changed_options(specification)
    ):
        answers_of: dict[str, list[bool]] = {}
        for specification, answers in holds.items():
            answers_of.setdefault(changed_options(specification).get(choice, DEFAULT), []).append(answers)
        predicted = sum(max(sum(answers), len(answers) - sum(answers)) for answers in answers_of.values())
        if predicted > most_predicted:
            counts = [
                {"name": n, "holds": sum(answers), "of": len(answers)} for n, answers in answers_of.items()
            ]
            best, most_predicted = (
                {"name": choice, "options": counts, "alone": predicted == len(holds)},
                predicted,
            )
    return best


def _read_input(study: Study, name: str) -> Any:
    """Return what a claim reads; None where the study does not have it."""
    if name == "data" and not study.file("data.csv"):
        return None
    if name in STUDY_ATTRIBUTES:
        return getattr(study, name)
    is_available = name in study.tables or study.file(f"{name}.csv")
    return study.table(name) if is_available else None


def _list_partial_datasets(study: Study) -> list[str]:
    """List the data sets of which only a part was obtained."""
    data = _read_input(study, "data")
    return [] if data is None else data.loc[data["status"] == "partial", "dataset"].tolist()


def _has_data(facts: Mapping) -> bool:
    """Whether any data set of a claim was measured; one without data sets was."""
    outcomes = [fact for fact in facts.values() if isinstance(fact, DatasetOutcomes)]
    return not outcomes or any(fact.yes or fact.no for fact in outcomes)


def _truth_value(facts: Mapping | None) -> bool | None:
    """Whether a claim holds by some facts, as Python's own truth value."""
    return None if facts is None or facts["holds"] is None else bool(facts["holds"])
