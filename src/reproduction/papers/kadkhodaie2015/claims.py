"""What K15 says of its Figures 1 to 3, which print no numbers, sentence by sentence against our rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pandas as pd

from reproduction.comparison.verdicts import AGREES, DIFFERS
from reproduction.finding import each
from reproduction.labels import method_label
from reproduction.papers.kadkhodaie2015 import convergence, dirty_model
from reproduction.printed import HOLDS, HOLDS_NOT
from reproduction.tables import NOT_OBTAINED

COLUMNS = (
    *("study", "artefact", "dataset", "features", "method", "quantity"),
    *("published", "published_std", "ours_mean", "ours_std", "verdict", "reason", "shown_in"),
)

FEW_HUNDRED = 1000
"""What still counts as "a few hundred" iterations."""

FEW_THOUSAND = 10_000
"""What still counts as "a few thousands" of iterations."""

AFTER = "after {restarts:.0f} of {iterations} iterations at η = {eta:g}"
FAMILY = ("admm", "a2dm2", "a2dm2_restart")


def claims(study: str, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Set the paper's sentences beside ours.

    Parameters
    ----------
    study : str
    tables : mapping of str to pandas.DataFrame
        figure1, figure2 and figure3 of the study, those that it has.

    Returns
    -------
    pandas.DataFrame
        The columns of `COLUMNS`; the quantity is "claim", `HOLDS` is published, and
        ours is `HOLDS`, `HOLDS_NOT` or, where the data could not be had, NaN.
    """
    rows = []
    for artefact, judged in (
        ("figure1", _of_figure1),
        ("figure2", _of_figure2),
        ("figure3", _of_figure3),
    ):
        table = tables.get(artefact)
        if table is None:
            continue
        dataset, features = _subject(table)
        for method, sentence, holds, evidence in judged(table):
            verdict = NOT_OBTAINED if holds is None else AGREES if holds else DIFFERS
            ours = math.nan if holds is None else HOLDS if holds else HOLDS_NOT
            names = (study, artefact, dataset, features, method, "claim")
            numbers = (HOLDS, math.nan, ours, math.nan)
            where = f"{study}/{artefact}.csv"
            rows.append((*names, *numbers, verdict, f"the paper says: {sentence}; {evidence}", where))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _subject(table: pd.DataFrame) -> tuple[str, str]:
    """Name the data set and the block of features that a figure shows."""
    if "dataset" in table:
        return table["dataset"].iloc[0], table["features"].iloc[0]
    return "dirty model", "generated"


def _of_figure1(table: pd.DataFrame) -> Iterator[tuple[str, str, bool, str]]:
    """Who is lowest in the three panels, by medians over the draws after the last iteration."""
    last = dirty_model.last_medians(table)
    if not set(FAMILY) <= set(last.columns):
        return
    said = "; ".join(
        f"{measure.replace('_', ' ')} " + ", ".join(f"{method_label(m)} {row[m]:.1e}" for m in FAMILY)
        for measure, row in last.iterrows()
    )
    evidence = f"medians over the draws after {table['iteration'].max()} iterations: {said}"
    below = bool((last["a2dm2"] < last["admm"]).all())
    yield "a2dm2", "A2DM2 performs better than ADMM in terms of all three measures", below, evidence
    best = bool((last["a2dm2_restart"] < last[["admm", "a2dm2"]].min(axis=1)).all())
    counts = f"{evidence}; the rule of eq. (9) restarts {', '.join(each(dirty_model.restarts(table), AFTER))}"
    yield "a2dm2_restart", "the best performance is observed for A2DM2 + restart", best, counts


def _of_figure2(table: pd.DataFrame) -> Iterator[tuple[str, str, bool | None, str]]:
    """How many iterations the objective and Pos@Top need to settle."""
    missing = convergence.is_missing(table)
    settled = {} if missing else convergence.settled(table)
    changes = {} if missing else convergence.last_changes(table)
    most = table["iteration"].max()
    converges = "converges in only a few hundred iterations"
    wanted = {method: (f"{method_label(method)} {converges}", FEW_HUNDRED) for method in FAMILY}
    wanted["toppush"] = (
        "TopPush needs a few thousands of iterations to reach the optimal objective value",
        FEW_THOUSAND,
    )
    near = f"within {convergence.SETTLED:.1%} of the optimum of what it minimises"
    for method, (sentence, limit) in wanted.items():
        if missing:
            yield method, sentence, None, table["message"].iloc[0]
        elif method in settled:
            row = settled[method]
            at = math.inf if row is None else row["iteration"]
            evidence = (
                f"{near} after {at:.0f} iterations" if at < math.inf else f"not {near} after {most:.0f}"
            )
            yield method, sentence, bool(at <= limit), f"{evidence} (up to {limit} count as agreement)"
    if missing:
        return
    if "a2dm2" in changes:
        sentence = "A2DM2 converges to its final Pos@Top on the test part after a few hundred iterations"
        evidence = f"it changes for the last time at iteration {changes['a2dm2']:.0f} of {most:.0f}"
        yield "a2dm2", sentence, changes["a2dm2"] <= FEW_HUNDRED, evidence
    if "toppush" in changes:
        sentence = "TopPush does not seem to achieve a stable Pos@Top"
        evidence = f"it changes for the last time at iteration {changes['toppush']:.0f} of {most:.0f}"
        yield "toppush", sentence, changes["toppush"] > most / 2, evidence


def _of_figure3(table: pd.DataFrame) -> Iterator[tuple[str, str, bool | None, str]]:
    """Whose residuals fall first, and who ranks best at the top."""
    faster = "the residuals decay faster for the accelerated variants than for ADMM"
    order = "A2DM2 + restart has the highest Pos@Top, followed by TopPush and A2DM2, and finally ADMM"
    if convergence.is_missing(table):
        message = table["message"].iloc[0]
        yield from (("a2dm2", faster, None, message), ("a2dm2_restart", order, None, message))
        return
    stops = convergence.residual_stops(table)
    for method in FAMILY[1:]:
        if {"admm", method} <= set(stops):
            evidence = (
                f"they meet the published tolerance at iteration {stops[method]:.0f}, those of ADMM at "
                f"iteration {stops['admm']:.0f}"
            )
            yield method, faster, stops[method] < stops["admm"], evidence
    tops = convergence.shares_at_top(table, "published stop")
    if {"toppush", *FAMILY} <= set(tops):
        middle = (tops["toppush"], tops["a2dm2"])
        holds = tops["a2dm2_restart"] >= max(middle) and min(middle) >= tops["admm"]
        shares = ", ".join(f"{method_label(method)} {tops[method]:.1%}" for method in ("toppush", *FAMILY))
        evidence = f"positives before the first negative, after the published stops, one split: {shares}"
        yield "a2dm2_restart", order, bool(holds), evidence
