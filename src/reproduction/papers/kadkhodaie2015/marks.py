"""The two marks of K15's Table 1, and which rule the printed ones follow.

The caption says that ★ stands for "at least an order of magnitude faster compared to the remaining ones" and
● for "at least 10 times greater than the Pos@Top achieved by the rest". Read as a factor of ten, that is not
what is printed: on splice 115 and 114 are marked against 99.9. What reproduces every printed mark is a
comparison of the decimal exponents of the means in scientific notation, the form in which the table prints
them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

PRINTED_MARKS = (("pos_at_top_mean", "pos_at_top_mark", False), ("seconds_mean", "seconds_mark", True))
"""Quantity, column of its mark, and whether a low value is good."""


def decimal_exponent(value: float) -> float:
    """Return the exponent of a value as printed with three significant digits (9.996 as 1.00 × 10¹).

    Zero has no exponent and counts as below every other value: −∞.
    """
    return -math.inf if value == 0 else int(f"{value:.2e}".partition("e")[2])


def exponent_marks(values: Mapping[str, float], lower_is_better: bool) -> dict[str, bool]:
    """Mark the methods whose mean has the best decimal exponent; none where all have the same.

    `values`: method -> its mean on one data set. `lower_is_better`: for seconds (★), not for Pos@Top (●).
    """
    exponents = {method: decimal_exponent(value) for method, value in values.items()}
    if len(set(exponents.values())) < 2:
        return dict.fromkeys(exponents, False)
    best = (min if lower_is_better else max)(exponents.values())
    return {method: exponent == best for method, exponent in exponents.items()}


def factor_marks(values: Mapping[str, float], lower_is_better: bool) -> dict[str, bool]:
    """Mark as the caption says: the best methods, if each is at least ten times better than the rest."""
    ranked = sorted(
        values, key=lambda method: (values[method] if lower_is_better else -values[method], method)
    )
    for i in range(1, len(ranked)):
        good, bad = values[ranked[i - 1]], values[ranked[i]]
        if good != bad and (bad >= 10 * good if lower_is_better else good >= 10 * bad):
            return {method: method in ranked[:i] for method in values}
    return dict.fromkeys(values, False)


def marks_reproduced(published: pd.DataFrame) -> pd.DataFrame:
    """Ask of both readings of the caption whether they reproduce all printed marks.

    `published`: rows of `table1.printed_table1`. Returns: a row for each data set and mark, with the columns
    exponent_rule and factor_rule.
    """
    rows = []
    for dataset, block in published.groupby("dataset", sort=False):
        for quantity, column, lower in PRINTED_MARKS:
            values = dict(zip(block["method"], block[quantity], strict=True))
            printed = {m: bool(mark) for m, mark in zip(block["method"], block[column], strict=True)}
            rules = {"exponent_rule": exponent_marks, "factor_rule": factor_marks}
            holds = {name: rule(values, lower) == printed for name, rule in rules.items()}
            rows.append({"dataset": dataset, "mark": column} | holds)
    return pd.DataFrame(rows)
