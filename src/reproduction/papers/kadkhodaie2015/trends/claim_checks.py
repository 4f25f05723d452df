"""Checks of what K15 claims of Figures 2 and 3, on each split, data set and feature scaling that was run.

A case is a split of a data set in one feature scaling; the first is that of the paper's figures. Each check
takes the rows of one case and returns the facts that the sentence of its claim is filled with, and whether
the claim ``holds``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from reproduction.comparison.claims import DEFAULT
from reproduction.comparison.dataset_outcomes import all_hold
from reproduction.core.results import STATUS_NOT_OBTAINED
from reproduction.papers.kadkhodaie2015.dirty_model.trace_analysis import ACCELERATED, ADMM, FAMILY, RESTARTED
from reproduction.papers.kadkhodaie2015.trends.experiment import TOLERANCES, TOPPUSH
from reproduction.specs.labels import method_label

CASE_COLUMNS = {"dataset": "data set", "feature_scaling": "features", "split": "split"}
"""Columns that tell the cases apart -> their names in sentences."""

MAX_FEW_HUNDRED = 1000
"""Most iterations that count as "a few hundred": the widest reading of the words."""

MAX_FEW_THOUSAND = 10_000
"""Most iterations that count as "a few thousands": the widest reading of the words."""

MAX_TOP_DIFFERENCE = 0.05
"""Difference of two rates at the top up to which they are similar: the margin of a rate."""


def group_by_case(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Group the rows by data set, feature scaling and split.

    Parameters
    ----------
    table : DataFrame
        Rows of trends.csv.

    Returns
    -------
    dict of str to DataFrame
        How a case differs from the first, such as "data set=splice; split=2", or `DEFAULT` for the first ->
        its rows. Cases whose data were not obtained are left out.
    """
    # the first case is the figure's own: others are named by what differs from it
    first, cases = table.iloc[0], {}
    for values, rows in table.groupby(list(CASE_COLUMNS), sort=False):
        if (rows["status"] == STATUS_NOT_OBTAINED).all():
            continue
        changes = [
            f"{CASE_COLUMNS[column]}={value}"
            for column, value in zip(CASE_COLUMNS, values, strict=True)
            if value != first[column]
        ]
        cases["; ".join(changes) or DEFAULT] = rows
    return cases


def _describe_case(rows: pd.DataFrame) -> dict:
    """Return the data set, the features and the split of a case, for sentences."""
    first = rows.iloc[0]
    return {"case": f"split {first['split']:.0f} of {first['feature_scaling']} {first['dataset']}"}


def _select_methods(rows: pd.DataFrame, methods: Iterable[str]) -> list[dict] | None:
    """Return the rows of some methods with their labels, in their order; None where one is missing."""
    by_method = rows.assign(label=rows["method"].map(method_label)).set_index("method")
    methods = list(methods)
    return by_method.loc[methods].to_dict("records") if set(methods) <= set(by_method.index) else None


def check_convergence(
    rows: pd.DataFrame,
    methods: Iterable[str],
    limit: float,
    more_than: float = 0,
    column: str = "within_permille",
) -> dict | None:
    """Check whether the objective of some methods converges within a number of iterations, and not sooner.

    Parameters
    ----------
    rows : DataFrame
        Rows of one case.
    methods : iterable of str
    limit : float
        Most iterations that the claim allows.
    more_than : float, default=0
        The claim needs more iterations than this.
    column : str
        Column of the iteration from which on the objective is near its limit, in `TOLERANCES`.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``, None if the runs are too short to tell; None in place of
        the facts where a method is missing.
    """
    runs = _select_methods(rows, methods)
    if runs is None:
        return None
    facts, answers = [], []
    for run in runs:
        fact = {"method": run["label"], "last": run["last"]}
        # infinite: the run never came within the tolerance
        if np.isfinite(run[column]):
            fact["iteration"] = run[column]
            answers.append(bool(more_than < run[column] <= limit))
        else:  # a run that ended before the limit says nothing, unless it diverged
            answers.append(False if run["last"] >= limit or run["status"] == "diverged" else None)
        facts.append(fact)
    holds = all_hold(answers)
    return _describe_case(rows) | {"holds": holds, "tolerance": TOLERANCES[column], "methods": facts}


def check_settled_top(
    rows: pd.DataFrame, method: str, holds: Callable[[float, float], bool], column: str = "last_change"
) -> dict | None:
    """Check a condition on the iteration from which Pos@Top on the test part is final.

    Parameters
    ----------
    rows : DataFrame
        Rows of one case.
    method : str
    holds : callable
        (iteration, last iteration) -> whether the claim holds.
    column : {"last_change", "near_end"}
        Whether final is the last change, or the beginning of the last stay near the final value.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``: None for runs shorter than `MAX_FEW_THOUSAND`, which
        cannot tell what is final. None in place of the facts where the method is missing.
    """
    runs = _select_methods(rows, [method])
    if runs is None:
        return None
    (run,) = runs
    is_settled = holds(run[column], run["last"])
    facts = {"method": run["label"], "last_change": run["last_change"], "near_end": run["near_end"]}
    facts |= {"last": run["last"], "final": run["final_positives_at_top"]}
    # What changes late can only be told of a run of a few thousand iterations (section 5.4 on TopPush).
    return _describe_case(rows) | facts | {"holds": is_settled if run["last"] >= MAX_FEW_THOUSAND else None}


def is_early(iteration: float, last: float) -> bool:
    """Return whether an iteration is among the first few hundred.

    Parameters
    ----------
    iteration, last : float
        The iteration and the last one of its run.

    Returns
    -------
    bool
    """
    return bool(iteration <= MAX_FEW_HUNDRED)


def is_late(iteration: float, last: float) -> bool:
    """Return whether an iteration is in the second half of a run.

    Parameters
    ----------
    iteration, last : float
        The iteration and the last one of its run.

    Returns
    -------
    bool
    """
    return bool(iteration > last / 2)


def check_residual_decay(rows: pd.DataFrame, column: str = "published_stop") -> dict | None:
    """Check whether the residuals of both accelerated methods decay faster than those of ADMM.

    Parameters
    ----------
    rows : DataFrame
        Rows of one case.
    column : {"published_stop", "residual"}
        Whether they meet the published tolerance sooner, or are smaller after `MAX_FEW_HUNDRED` iterations.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``: None if no method has a number. None in place of the
        facts where a method of the family is missing.
    """
    runs = _select_methods(rows, FAMILY)
    if runs is None:
        return None
    admm, *accelerated = (run[column] if np.isfinite(run[column]) else np.inf for run in runs)
    # Section 5.4: "the residuals decay faster for the accelerated variants". The slower of the two counts; a
    # method that never meets the tolerance counts as infinite; if none does, the data do not decide.
    holds = max(accelerated) < admm if min(admm, *accelerated) < np.inf else None
    methods = [
        {"method": run["label"]}
        | ({"stop": run["published_stop"]} if np.isfinite(run["published_stop"]) else {})
        for run in runs
    ]
    return _describe_case(rows) | {"holds": holds, "methods": methods}


def check_roc_order(rows: pd.DataFrame) -> dict | None:
    """Check whether the methods come in the paper's order at the top of the list.

    The order of section 5.3: A2DM2 with restart, then TopPush and A2DM2 in either order, then ADMM.

    Parameters
    ----------
    rows : DataFrame
        Rows of one case.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``: None if no method has a positive at the top. None in
        place of the facts where a method is missing.
    """
    runs = _select_methods(rows, (RESTARTED, TOPPUSH, ACCELERATED, ADMM))
    if runs is None:
        return None
    restarted, *middle, admm = (run["rate_at_top"] for run in runs)
    # Section 5.3 (Figure 3 b): A2DM2+Restart first, TopPush and A2DM2 next, ADMM last; ties keep the order.
    holds = restarted >= max(middle) and min(middle) >= admm
    methods = [{"method": run["label"], "top": run["rate_at_top"]} for run in runs]
    # With no positive at the top at all, every order holds.
    is_decided = max(restarted, *middle, admm) > 0
    return _describe_case(rows) | {"holds": bool(holds) if is_decided else None, "methods": methods}


def check_similar_tops(rows: pd.DataFrame, *, is_relative: bool = False) -> dict | None:
    """Check whether all methods rank a similar share of the positives above all negatives.

    Parameters
    ----------
    rows : DataFrame
        Rows of one case.
    is_relative : bool
        Whether the largest share may be at most twice the smallest; else they differ by at most .05.

    Returns
    -------
    dict or None
        As `check_roc_order` returns it.
    """
    facts = check_roc_order(rows)
    if facts is None or facts["holds"] is None:
        return facts
    tops = [curve["top"] for curve in facts["methods"]]
    # "Similar" (section 5.3) has two readings: a difference of .05, the margin of a rate, or a factor of 2.
    holds = max(tops) <= 2 * min(tops) if is_relative else max(tops) - min(tops) <= MAX_TOP_DIFFERENCE
    return facts | {"holds": bool(holds)}


SENTENCES: Mapping[str, Callable[[pd.DataFrame], dict | None]] = {
    "the ADMM family converges within a few hundred iterations": partial(
        check_convergence, methods=FAMILY, limit=MAX_FEW_HUNDRED
    ),
    "TopPush needs a few thousand": partial(
        check_convergence, methods=(TOPPUSH,), limit=MAX_FEW_THOUSAND, more_than=MAX_FEW_HUNDRED
    ),
    "the Pos@Top of A2DM2 is final after a few hundred": partial(
        check_settled_top, method=ACCELERATED, holds=is_early
    ),
    "that of TopPush is not stable": partial(check_settled_top, method=TOPPUSH, holds=is_late),
    "the residuals of the accelerated methods decay faster": check_residual_decay,
}
"""What section 5.4 says of Figures 2 and 3, in the first reading of each sentence."""


def check_same_trends(table: pd.DataFrame, reading: str = "each") -> dict | None:
    """Check whether the other cases show the trends of section 5.4.

    Parameters
    ----------
    table : DataFrame
        Rows of trends.csv.
    reading : {"each", "most", "figure"}
        Whether each sentence holds in each other case; holds in more than half of them; or comes out in each
        as it does in the case of the figures.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``: None if a sentence is decided in no other case. None in
        place of the facts without another case.
    """
    cases = group_by_case(table)
    first = cases.pop(DEFAULT, None)
    if not cases:
        return None
    sentences, answers = [], []
    for sentence, check in SENTENCES.items():
        # Readings of "same trends": the sentence holds in each other case, in most of them, or as in the
        # figure's own.
        decided = [holds for holds in (_answer(check, rows) for rows in cases.values()) if holds is not None]
        own = None if first is None else _answer(check, first)
        sentences.append({"sentence": sentence, "yes": sum(decided), "of": len(decided), "own": own})
        if not decided or (reading == "figure" and own is None):
            answers.append(None)
        elif reading == "most":
            answers.append(sum(decided) > len(decided) / 2)
        else:
            expected = own if reading == "figure" else True
            answers.append(all(holds == expected for holds in decided))
    return {"holds": all_hold(answers), "sentences": sentences, "cases": len(cases)}


def _answer(check: Callable[[pd.DataFrame], dict | None], rows: pd.DataFrame) -> bool | None:
    """Return whether a sentence holds in a case."""
    facts = check(rows)
    return None if facts is None else facts["holds"]
