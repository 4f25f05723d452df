"""Findings on K15: where w = 0 is the optimum, what a loose stop does, and what the marks mean."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reproduction.labels import method_label
from reproduction.papers.kadkhodaie2015 import convergence
from reproduction.papers.kadkhodaie2015.marks import marks_reproduced
from reproduction.papers.kadkhodaie2015.table1 import printed_table1
from reproduction.printed import read_printed
from reproduction.report.findings.finding import (
    Evidence,
    Finding,
    blocks_named,
    figure,
    joined,
    of_protocol,
    rows,
    spread,
)
from reproduction.report.studies import StudyReport
from reproduction.results import parameter

BLOCK = ["study", "dataset", "features"]
SHOWN = 4
"""Rows of one kind that the evidence leads to."""


def zero_topic(studies: Sequence[StudyReport]) -> Finding | None:
    """Say where w = 0 is the exact optimum at every regularisation."""
    top = of_protocol(studies, "top_ranking")
    table = _tables(top)
    zero = table[table["zero_optimal_share"] > 0] if len(table) else table
    if zero.empty:
        return None
    blocks = zero.drop_duplicates(BLOCK)
    everywhere = bool((blocks["zero_optimal_share"] == 1).all())
    splits = (
        "on every split"
        if everywhere
        else f"on {blocks['zero_optimal_share'].min():.0%} or more of the splits"
    )
    said = [
        f"On {blocks_named(blocks)} w = 0 is the exact optimum of objective (11) of Kadkhodaie et al. at "
        f"every regularisation, {splits}: the mean of the positives lies in the convex hull of the negatives "
        "(λ_max is 0).",
        "In every direction the highest negative then rises at least as fast as the mean of the positives, "
        "so that no step away from 0 can pay.",
    ]
    exact = zero[zero["method"] == "exact"]
    if len(exact):
        share = exact["constant_share"].mean()
        where = "all splits" if share == 1 else f"{share:.0%} of the splits"
        said.append(
            f"The exact solver ends there with all weights 0 on {where}, and with a mean Pos@Top of "
            f"{spread(exact['pos_at_top_mean'], '.3g')}."
        )
    others = zero[(zero["method"] != "exact") & zero["pos_at_top_mean"].notna()]
    if (others["pos_at_top_mean"] > 0).any():
        printed = others["printed_pos_at_top_mean"].dropna()
        beside = f" (printed {spread(printed, '.3g')})" if len(printed) else ""
        said.append(
            "What the other methods score there, a mean Pos@Top of "
            f"{spread(others['pos_at_top_mean'], '.3g')}{beside}, is that of weights that have not come to "
            "0: their direction ranks, whether the objective is near its optimum or far (median excess "
            f"{spread(others['excess_median'], '.2g')})."
        )
    said += _push_sentences(studies)
    largest = others.sort_values("pos_at_top_mean", ascending=False, kind="stable")
    names = dict.fromkeys([*zero["study"], *(s.name for s in of_protocol(studies, "infinite_push"))])
    return Finding(
        "Where w = 0 is the exact optimum",
        " ".join(said),
        rows(exact.head(6)) + rows(largest.drop_duplicates(BLOCK).head(SHOWN)),
        tuple(names),
    )


def _push_sentences(studies: Sequence[StudyReport]) -> list[str]:
    """Say whether the sets of the infinite push have such a case."""
    table = _tables(of_protocol(studies, "infinite_push"))
    table = table[table["lambda_max_median"].notna()] if len(table) else table
    if table.empty:
        return []
    blocks = table.drop_duplicates(BLOCK)
    zero = blocks[blocks["zero_optimal_share"] > 0]
    if len(zero):
        return [f"The infinite push has such a case too: {blocks_named(zero)}."]
    nearest = blocks.loc[blocks["lambda_max_median"].idxmin()]
    smallest = f"{nearest['lambda_max_median']:.2g}"
    if len(blocks) == 1:
        return [f"{nearest['dataset']}, of the infinite push, is no such case (median λ_max {smallest})."]
    return [
        f"None of the {len(blocks)} data sets and readings of the infinite push is such a case: the smallest "
        f"median λ_max is {smallest}, on {nearest['dataset']}."
    ]


def pairs_with_optimum(fits: pd.DataFrame) -> pd.DataFrame:
    """Set TopPush with its published stop beside the certified optimum of the same problem.

    Parameters
    ----------
    fits : pandas.DataFrame
        Rows of `inputs.read_fits`.

    Returns
    -------
    pandas.DataFrame
        One row a data set, block of features, split and alpha: excess, and Pos@Top on test and training part
        of TopPush (suffix ``_stopped``) and of the optimum.
    """
    whole = fits[fits["role"].isin(["path", "chosen"]) & fits["objective"].notna()]
    whole = whole[whole["method"].isin(["toppush", "exact"])]
    whole = whole.assign(alpha=[parameter(params, "alpha") for params in whole["params"]])
    keys = [*BLOCK, "split", "alpha"]
    values = [*keys, "objective", "positives_at_top", "positives_at_top_train"]
    exact, stopped = (
        whole.loc[whole["method"] == method, values].drop_duplicates(keys) for method in ("exact", "toppush")
    )
    both = exact.merge(stopped, on=keys, suffixes=("", "_stopped"))
    return both.assign(excess=both["objective_stopped"] / both["objective"] - 1.0)


def stop_topic(studies: Sequence[StudyReport]) -> Finding | None:
    """Say what the published stop of TopPush does to Pos@Top."""
    top = of_protocol(studies, "top_ranking")
    found = [pairs_with_optimum(study.fits) for study in top]
    both = pd.concat(found, ignore_index=True) if found else pd.DataFrame()
    table = _tables(top)
    if both.empty or table.empty:
        return None
    # where w = 0 is the optimum, its Pos@Top is 0 and says nothing
    zero = table[table["zero_optimal_share"] > 0].drop_duplicates(BLOCK)
    is_zero = pd.MultiIndex.from_frame(both[BLOCK]).isin(pd.MultiIndex.from_frame(zero[BLOCK]))
    both = both[~is_zero]
    if both.empty:
        return None
    means = both.groupby(BLOCK, sort=False)[[c for c in both if c.startswith("positives_at_top")]].mean()
    train, test = "positives_at_top_train", "positives_at_top"
    lower = means[f"{train}_stopped"] < means[train]
    higher = means[f"{test}_stopped"] > means[test]
    widest = (means[f"{train}_stopped"] - means[train]).idxmin()
    one = means.loc[widest]
    said = [
        f"Stopped by its published rule, TopPush ends a median {both['excess'].median():.1%} above the "
        f"certified optimum of the same problem ({len(both)} problems, a split and a regularisation each; "
        f"the largest excess is {both['excess'].max():.3g} times the optimum; sets whose optimum is w = 0 "
        "are left out).",
        f"On the training part its mean Pos@Top is below that of the optimum on {int(lower.sum())} of "
        f"{len(means)} data sets and blocks of features"
        + (
            f" (most on {widest[1]}, {widest[2]}: {one[f'{train}_stopped']:.0f} against {one[train]:.0f})"
            if lower.any()
            else ""
        )
        + f", on the test part it is above it on {int(higher.sum())}.",
    ]
    if lower.mean() > 0.5 and higher.mean() > 0.5:
        said.append("The loose stop acts like a regularisation of its own, which no printed parameter names.")
    evidence: Evidence = ()
    for study in top:
        sentence = _early_sentence(study)
        if sentence:
            said.append(sentence)
            evidence += figure(study, "figure2", "iteration by iteration")
        evidence += figure(study, "suboptimality", "iterations to the optimum")
    at = table[table["method"].isin(["toppush", "exact"])].set_index(BLOCK)
    at = at.loc[at.index.isin(means.index)].reset_index()
    at = at.sort_values("excess_median", ascending=False, kind="stable")
    order = at.loc[at["method"] == "toppush", BLOCK].head(SHOWN)
    return Finding(
        "What the loose published stop of TopPush does to Pos@Top",
        " ".join(said),
        evidence + rows(order.merge(at, on=BLOCK)),
        tuple(study.name for study in top),
    )


def _early_sentence(study: StudyReport) -> str:
    """Name the iterates that score more on the test part than the certified optimum."""
    table = study.tables.get("figure2")
    if table is None or convergence.is_missing(table) or not (table["method"] == "exact").any():
        return ""
    at_optimum = table.loc[table["method"] == "exact", "positives_at_top"].iloc[-1]
    found = []
    for method, run in convergence.runs(table):
        run = run[run["positives_at_top"].notna()]
        if method == "exact" or run.empty:
            continue
        most = run.loc[run["positives_at_top"].idxmax()]
        if most["positives_at_top"] > at_optimum:
            found.append(
                f"{method_label(method)} {most['positives_at_top']:.0f} at iteration {most['iteration']:.0f}"
            )
    if not found:
        return ""
    first = table.iloc[0]
    return (
        f"Early iterates can score higher still: on {first['dataset']} ({first['features']}, split "
        f"{first['split']:.0f}, λ = {first['alpha']:g}) the most on the test part is {joined(found)}, where "
        f"the certified optimum has {at_optimum:.0f}."
    )


def marks_topic(studies: Sequence[StudyReport]) -> Finding | None:
    """Say by which rule the marks of the printed Table 1 were set."""
    for study in of_protocol(studies, "top_ranking"):
        printed = printed_table1(read_printed(study.published))
        if printed is None:
            continue
        found = marks_reproduced(printed)
        by_set = found.groupby("dataset", sort=False)[["exponent_rule", "factor_rule"]].all()
        exponent, factor = int(by_set["exponent_rule"].sum()), int(by_set["factor_rule"].sum())
        if exponent <= factor:
            continue
        apart = by_set.index[by_set["exponent_rule"] & ~by_set["factor_rule"]]
        left = by_set.index[~by_set["exponent_rule"]]
        table = study.tables["table1"]
        said = [
            "The caption of Table 1 of Kadkhodaie et al. says that a mark stands for a mean at least 10 "
            "times better than the rest.",
            f"That rule reproduces all printed marks of {factor} of {len(by_set)} data sets; the decimal "
            f"exponents of the means, in the scientific notation of the print, explain those of {exponent} "
            f"({joined(apart)} by the exponents alone).",
        ]
        if len(left):
            said.append(f"The exponents do not explain {joined(left)}.")
        said.append(
            "So a mean can be marked that is far less than 10 times better; ours are marked in the same way."
        )
        at = table[table["dataset"].isin(apart) & (table["method"] == "toppush")]
        return Finding(
            "What the marks of the printed Table 1 mean",
            " ".join(said),
            figure(study, "figure_table1", "the means") + rows(at.drop_duplicates("dataset").head(SHOWN)),
            (study.name,),
        )
    return None


def _tables(studies: Sequence[StudyReport]) -> pd.DataFrame:
    """Join the Tables 1 of several studies."""
    tables = [study.tables["table1"] for study in studies]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
