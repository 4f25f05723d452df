"""Sentences with computed numbers: what the filters write, and what a template lacks."""

import pytest
from jinja2 import UndefinedError

from reproduction.core.sentence_templates import fill_template, format_each, format_power, join_and


def test_words():
    assert join_and(["a"]) == "a" and join_and(["a", "b"]) == "a and b" and join_and("abc") == "a, b and c"
    assert join_and([]) == "none" and format_power(1e-6) == "1e-6" and format_power(0.5) == "0.5"
    items = [{"name": "a", "n": 2}, {"name": "b", "n": None}, {"name": "c"}]
    assert format_each(items, "{name} {n:.1f}", "{name} never") == ["a 2.0", "b never", "c never"]
    assert fill_template("{{ n | grouped }}", {"n": 1234567}) == "1\u202f234\u202f567"
    assert fill_template("{{ n | to('.1e') }}", {"n": -1.2e-7}) == "\N{MINUS SIGN}1.2e-07"


def test_a_template_is_filled_with_facts_and_with_nothing_else():
    template = "{{ a | to('.2f') }} and\n  {{ b }}{% if c %}, {{ c }}{% endif %}."
    assert fill_template(template, {"a": 1, "b": "<2>", "c": 0}) == "1.00 and <2>."
    with pytest.raises(UndefinedError, match="'b' is undefined"):
        fill_template(template, {"a": 1})
