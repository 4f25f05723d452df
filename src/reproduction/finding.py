"""Findings: what one can learn from a study or from a run, as a template and the facts that fill it.

The sentences of a finding are one Jinja2 template; the numbers in them are facts, computed by a function that
returns None where the finding does not apply. Whoever has a `Finding` calls `Finding.state`; nothing else
puts words and numbers together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from string import Formatter

import pandas as pd
from jinja2 import Environment, StrictUndefined, Template

from reproduction.labels import method_label, row_id
from reproduction.results import why_missing
from reproduction.text import minus

Evidence = tuple[tuple[str, str], ...]
"""Pairs of words and an anchor of the page."""


@dataclass(frozen=True)
class Finding:
    """What can be learned, if the results show it.

    Attributes
    ----------
    name : str
        Unique within a paper.
    title : str
        A few words.
    template : str
        The sentences, as a Jinja2 template. It names every fact that it needs; line breaks do not count.
        `FILTERS` are the filters beside Jinja2's own.
    facts : callable
        Returns a mapping of names to numbers, words, and lists of such mappings; None where the finding does
        not apply. The keys ``evidence`` (see `Evidence`) and ``studies`` (names) are optional.
    reads : tuple of str
        Tables of a study, "fits" among them, which `facts` takes in this order: such a finding is an
        observation on one study. Without any, the finding is about the run, and `facts` takes a `Run`.
    """

    name: str
    title: str
    template: str
    facts: Callable[..., Mapping | None]
    reads: tuple[str, ...] = ()

    def state(self, *given) -> Statement | None:
        """Fill the template with the facts of what `facts` takes; None where the finding does not apply.

        It does not apply to a table of data sets that were not obtained.
        """
        if any(why_missing(table) for table in given if isinstance(table, pd.DataFrame)):
            return None
        facts = self.facts(*given)
        if facts is None:
            return None
        evidence = tuple(dict.fromkeys(facts.get("evidence", ())))
        studies = tuple(dict.fromkeys(facts.get("studies", ())))
        return Statement(self.name, self.title, fill(self.template, facts), evidence, studies)

    def say(self, *given) -> str:
        """Return the filled template alone; nothing where the finding does not apply."""
        stated = self.state(*given)
        return stated.paragraph if stated else ""


@dataclass(frozen=True)
class Statement:
    """A finding that applies, in words.

    Attributes
    ----------
    paragraph : str
        A few plain sentences; every number in them is computed from result files.
    evidence : tuple of (str, str)
        Words and the anchor of the page that they lead to.
    studies : tuple of str
        Names of the studies that a finding of the run rests on.
    """

    name: str
    title: str
    paragraph: str
    evidence: Evidence = ()
    studies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """What a finding of the run looks at.

    Attributes
    ----------
    studies : sequence of StudyReport
        Those of the paper that the finding belongs to.
    data : pandas.DataFrame
        Rows of `results.read_data`.
    """

    studies: Sequence
    data: pd.DataFrame


def of_one_study(ask: Callable[..., Mapping | None]) -> Callable[[Run], Mapping | None]:
    """Make the facts of a run from the first study that has any. `ask`: a study -> facts, or None."""

    @wraps(ask)
    def asked(run: Run) -> Mapping | None:
        found = ((study.name, ask(study)) for study in run.studies)
        return next(({"studies": [name], **facts} for name, facts in found if facts is not None), None)

    return asked


def figure(study, name: str, words: str) -> Evidence:
    """Lead to a figure of a study, where it has the figure."""
    has = any(drawing.name == name for drawing in study.drawings)
    return ((words, f"{study.name}-{name}"),) if has else ()


def rows(table: pd.DataFrame, words: str = "{dataset} ({features}), {label}") -> Evidence:
    """Lead to rows of a study's table; the words may name any column, and the label of the method."""
    return tuple(
        (words.format(label=method_label(row["method"]), **row), row_id(row))
        for row in table.to_dict("records")
    )


def whole_tables(studies: Iterable) -> pd.DataFrame:
    """Join Table 1 of several studies; empty without studies."""
    tables = [study.tables["table1"] for study in studies]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def blocks(table: pd.DataFrame) -> list[str]:
    """Name the data sets of a table, with their blocks of features where that tells more than "raw"."""
    named = []
    for dataset, block in table.groupby("dataset", sort=False):
        features = list(dict.fromkeys(block["features"]))
        named.append(dataset if features == ["raw"] else f"{dataset} ({joined(features)})")
    return named


# The filters of the templates.


def to(number: float, form: str) -> str:
    """Write a number: ``{{ gap | to(".1e") }}``, a negative one with the sign of mathematics."""
    return minus(format(number, form))


def grouped(number: float) -> str:
    """Write a count with thin groups of three digits: 500 000."""
    return f"{number:,.0f}".replace(",", "\u202f")


def each(items: Iterable[Mapping], template: str, otherwise: str = "") -> list[str]:
    """Fill a format string for each item, or ``otherwise`` where an item lacks one of its fields."""
    fields = [field for _, field, *_ in Formatter().parse(template) if field]
    return [
        (template if all(item.get(field) is not None for field in fields) else otherwise).format(**item)
        for item in items
    ]


def joined(words: Iterable[str]) -> str:
    """Join words as a sentence does: a, b and c."""
    words = list(words)
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else "none"


def spread(values: pd.Series, form: str = ".0f") -> str:
    """Write the range of some numbers, or the number where they are alike."""
    low, high = (format(value, form) for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def power(number: float) -> str:
    """Write a small power of ten without leading zeros: 1e-6."""
    return f"{number:g}".replace("e-0", "e-")


FILTERS = {"to": to, "grouped": grouped, "each": each, "joined": joined, "spread": spread, "power": power}
ENVIRONMENT = Environment(undefined=StrictUndefined)  # plain text: the page escapes it, and LaTeX too
ENVIRONMENT.filters |= FILTERS


@cache
def _compiled(template: str) -> Template:
    return ENVIRONMENT.from_string(template)


def fill(template: str, facts: Mapping) -> str:
    """Fill a template; a fact that it names and that is missing is an error."""
    return re.sub(r"[ \n]+", " ", _compiled(template).render(facts)).strip()
