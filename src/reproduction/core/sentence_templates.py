"""Sentences with computed numbers: Jinja2 templates for prose, and the filters that write numbers in them.

A claim's evidence, the reason of a verdict and the description of a figure are templates; the numbers in
them are facts computed from result files. `fill_template` is the only place that joins the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from string import Formatter

from jinja2 import Environment, StrictUndefined, Template

from reproduction.core.formatting import typeset_minus


def format_number(number: float, form: str) -> str:
    """Write a number: ``{{ gap | format_number(".1e") }}``, a negative one with the sign of mathematics."""
    return typeset_minus(format(number, form))


def group_digits(number: float) -> str:
    """Write a count with thin groups of three digits: 500 000."""
    return f"{number:,.0f}".replace(",", "\u202f")


def format_each(items: Iterable[Mapping], template: str, otherwise: str = "") -> list[str]:
    """Fill a format string for each item, or ``otherwise`` where an item lacks one of its fields."""
    fields = [field for _, field, *_ in Formatter().parse(template) if field]
    return [
        (template if all(item.get(field) is not None for field in fields) else otherwise).format(**item)
        for item in items
    ]


def join_and(words: Iterable[str]) -> str:
    """Join words as a sentence does: a, b and c."""
    words = list(words)
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else "none"


def format_power(number: float) -> str:
    """Write a small power of ten without leading zeros: 1e-6."""
    return f"{number:g}".replace("e-0", "e-")


FILTERS = {
    "to": format_number,
    "grouped": group_digits,
    "each": format_each,
    "joined": join_and,
    "power": format_power,
}
"""Filters of the templates, beside Jinja2's own."""

ENVIRONMENT = Environment(undefined=StrictUndefined)  # plain text: the page escapes it, and LaTeX too
ENVIRONMENT.filters |= FILTERS


@cache
def _compile_template(template: str) -> Template:
    return ENVIRONMENT.from_string(template)


def fill_template(template: str, facts: Mapping) -> str:
    """Fill a template; a fact that it names and that is missing is an error.

    Line breaks and repeated spaces of the template become one space.
    """
    return re.sub(r"[ \n]+", " ", _compile_template(template).render(facts)).strip()
