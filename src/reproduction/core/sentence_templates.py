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
    """Write a number, a negative one with the sign of mathematics: ``{{ gap | to(".1e") }}``.

    Parameters
    ----------
    number : float
        The number.
    form : str
        Format specification of Python.

    Returns
    -------
    str
        The text.
    """
    return typeset_minus(format(number, form))


def group_digits(number: float) -> str:
    """Write a count with thin groups of three digits: 500 000.

    Parameters
    ----------
    number : float
        The count.

    Returns
    -------
    str
        The count with narrow no-break spaces (U+202F).
    """
    return f"{number:,.0f}".replace(",", "\u202f")


def format_each(items: Iterable[Mapping], template: str, otherwise: str = "") -> list[str]:
    """Fill a format string for each item, or ``otherwise`` where an item lacks one of its fields.

    Parameters
    ----------
    items : Iterable[Mapping]
        Items with the fields of the templates.
    template : str
        Format string.
    otherwise : str, optional
        Format string of an item that lacks a field of the first.

    Returns
    -------
    list[str]
        A text for each item.
    """
    fields = [field for _, field, *_ in Formatter().parse(template) if field]
    return [
        (template if all(item.get(field) is not None for field in fields) else otherwise).format(**item)
        for item in items
    ]


def join_and(words: Iterable[str]) -> str:
    """Join words as a sentence does: a, b and c.

    Parameters
    ----------
    words : Iterable[str]
        The words.

    Returns
    -------
    str
        The phrase; "none" where there are no words.
    """
    words = list(words)
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else "none"


def format_power(number: float) -> str:
    """Write a small power of ten without leading zeros: 1e-6.

    Parameters
    ----------
    number : float
        The number.

    Returns
    -------
    str
        The text.
    """
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
    """Compile a template once."""
    return ENVIRONMENT.from_string(template)


def fill_template(template: str, facts: Mapping) -> str:
    """Fill a template; line breaks and repeated spaces of it become one space.

    Parameters
    ----------
    template : str
        Jinja2 template of a sentence.
    facts : Mapping
        Values of the names in the template.

    Returns
    -------
    str
        The sentence.

    Raises
    ------
    jinja2.UndefinedError
        If a fact that the template names is missing.
    """
    return re.sub(r"[ \n]+", " ", _compile_template(template).render(facts)).strip()
