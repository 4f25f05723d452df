"""What a study of K15, and a run with it, show beyond the tables."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reproduction.finding import Evidence, Finding, Run, blocks, figure, rows, whole_tables
from reproduction.papers.kadkhodaie2015.convergence import findings as convergence
from reproduction.papers.kadkhodaie2015.dirty_model import findings as dirty_model
from reproduction.papers.kadkhodaie2015.scale import costs as scale
from reproduction.papers.kadkhodaie2015.suboptimality import profiles as suboptimality
from reproduction.papers.kadkhodaie2015.table1 import marks_reproduced, nearer_features, printed_table1
from reproduction.printed import read_printed
from reproduction.results import parameter, why_missing

BLOCK = ["study", "dataset", "features"]
PROBLEM = [*BLOCK, "split", "alpha"]
SHOWN = 4
"""Rows of one kind that the evidence leads to."""


def certified(fits: pd.DataFrame) -> dict | None:
    """Find the largest gap of the exact solver, and what it costs beside TopPush."""
    exact, both = _solved(fits, "exact"), pairs_with_optimum(fits)
    if both.empty:
        return None
    facts = {"problems": len(exact), "gap": exact["relative_gap"].max(), "seconds": exact["seconds"].sum()}
    facts |= {"both": len(both), "gap_toppush": both["relative_gap_stopped"].median()}
    return facts | {"seconds_exact": both["seconds"].sum(), "seconds_toppush": both["seconds_stopped"].sum()}


def features(table: pd.DataFrame) -> dict | None:
    """Count which feature block comes nearer to the printed numbers."""
    found = nearer_features(table)
    if found.empty:
        return None
    sets, means = found.iloc[:-1], found.iloc[-1].filter(like="distance_")
    wins = sets["nearer"].value_counts().sort_index()
    return {
        "sets": len(sets),
        "wins": [{"block": block, "sets": n} for block, n in wins.items()],
        "means": [{"block": name.removeprefix("distance_"), "mean": mean} for name, mean in means.items()],
    }


def zero_optimum(run: Run) -> dict | None:
    """Find where w = 0 is the exact optimum at every regularisation, and what the methods score there."""
    table = whole_tables(run.studies)
    zero = table[table["zero_optimal_share"] > 0] if len(table) else table
    if zero.empty:
        return None
    sets, is_exact = zero.drop_duplicates(BLOCK), zero["method"] == "exact"
    exact, others = zero[is_exact], zero[~is_exact & zero["pos_at_top_mean"].notna()]
    largest = others.sort_values("pos_at_top_mean", ascending=False, kind="stable").drop_duplicates(BLOCK)
    return {
        "sets": blocks(sets),
        "share": sets["zero_optimal_share"].min(),
        "exact": {"share": exact["constant_share"].mean(), "at_top": exact["pos_at_top_mean"]},
        "others": others["pos_at_top_mean"],
        "printed": others["printed_pos_at_top_mean"].dropna(),
        "excess": others["excess_median"],
        "evidence": rows(exact.head(6)) + rows(largest.head(SHOWN)),
        "studies": zero["study"],
    }


def pairs_with_optimum(fits: pd.DataFrame) -> pd.DataFrame:
    """Set TopPush with its published stop beside the certified optimum of the same problem.

    Returns: one row a data set, block of features, split and alpha: excess, and the columns of the fits of
    TopPush (suffix ``_stopped``) and of the optimum.
    """
    exact, stopped = (_solved(fits, method) for method in ("exact", "toppush"))
    both = exact.merge(stopped, on=PROBLEM, suffixes=("", "_stopped"))
    return both.assign(excess=both["objective_stopped"] / both["objective"] - 1.0)


def _solved(fits: pd.DataFrame, method: str) -> pd.DataFrame:
    """Select the problems that a method solved: a split and an alpha, on the whole training part."""
    own = fits[fits["role"].isin(["path", "chosen"]) & (fits["method"] == method) & fits["objective"].notna()]
    alpha = [parameter(params, "alpha") for params in own["params"]]
    return own.assign(alpha=alpha).drop_duplicates(PROBLEM)


def loose_stop(run: Run) -> dict | None:
    """Measure what the published stop of TopPush does to Pos@Top."""
    table = whole_tables(run.studies)
    found = [pairs_with_optimum(study.fits) for study in run.studies]
    both = pd.concat(found, ignore_index=True) if found else pd.DataFrame()
    if both.empty or table.empty:
        return None
    # where w = 0 is the optimum, its Pos@Top is 0 and says nothing
    zero = pd.MultiIndex.from_frame(table.loc[table["zero_optimal_share"] > 0, BLOCK])
    both = both[~pd.MultiIndex.from_frame(both[BLOCK]).isin(zero)]
    if both.empty:
        return None
    train, test = "positives_at_top_train", "positives_at_top"
    means = both.groupby(BLOCK, sort=False)[[test, train, f"{test}_stopped", f"{train}_stopped"]].mean()
    lower, higher = means[f"{train}_stopped"] < means[train], means[f"{test}_stopped"] > means[test]
    widest = (means[f"{train}_stopped"] - means[train]).idxmin()
    values = {"stopped": means.loc[widest, f"{train}_stopped"], "optimum": means.loc[widest, train]}
    early = [at for study in run.studies if (at := early_iterates(study.tables.get("figure2")))]
    return {
        "excess": both["excess"],
        "blocks": len(means),
        "lower": lower.sum(),
        "higher": higher.sum(),
        "widest": dict(zip(BLOCK, widest, strict=True)) | values,
        "is_regularisation": lower.mean() > 0.5 and higher.mean() > 0.5,
        "early": early,
        "evidence": _evidence_of_stop(run.studies, table, means.index),
        "studies": [study.name for study in run.studies],
    }


def _evidence_of_stop(studies: Sequence, table: pd.DataFrame, shown: pd.Index) -> Evidence:
    """Lead to the figures, and to the rows of TopPush and of the optimum that lie farthest apart."""
    found: Evidence = ()
    for study in studies:
        if early_iterates(study.tables.get("figure2")):
            found += figure(study, "figure2", "iteration by iteration")
        found += figure(study, "suboptimality", "iterations to the optimum")
    at = table[table["method"].isin(["toppush", "exact"])]
    at = at[pd.MultiIndex.from_frame(at[BLOCK]).isin(shown)]
    at = at.sort_values("excess_median", ascending=False, kind="stable")
    order = at.loc[at["method"] == "toppush", BLOCK].head(SHOWN)
    return found + rows(order.merge(at, on=BLOCK))


def early_iterates(figure2: pd.DataFrame | None) -> dict | None:
    """Find the iterates of Figure 2 that score more on the test part than the certified optimum."""
    if figure2 is None or why_missing(figure2) or not (figure2["method"] == "exact").any():
        return None
    optimum = figure2.loc[figure2["method"] == "exact", "positives_at_top"].iloc[-1]
    higher = figure2[(figure2["method"] != "exact") & (figure2["positives_at_top"] > optimum)]
    if higher.empty:
        return None
    methods = list(convergence.last_changes(higher).values())
    return figure2.iloc[0].to_dict() | {"methods": methods, "at_optimum": optimum}


def marks(run: Run) -> dict | None:
    """Ask by which rule the marks of the printed Table 1 were set."""
    for study in run.studies:
        printed = read_printed(study.published)
        if printed is None:
            continue
        by_set = marks_reproduced(printed_table1(printed)).groupby("dataset", sort=False)
        rules = by_set[["exponent_rule", "factor_rule"]].all()
        exponent, factor = rules["exponent_rule"], rules["factor_rule"]
        if exponent.sum() <= factor.sum():
            continue
        apart, table = list(rules.index[exponent & ~factor]), study.tables["table1"]
        at = table[table["dataset"].isin(apart) & (table["method"] == "toppush")].drop_duplicates("dataset")
        return {
            "factor": factor.sum(),
            "of": len(rules),
            "exponent": exponent.sum(),
            "apart": apart,
            "left": list(rules.index[~exponent]),
            "evidence": figure(study, "figure_table1", "the means") + rows(at.head(SHOWN)),
            "studies": [study.name],
        }
    return None


FINDINGS = (
    Finding(
        "certified",
        "How tightly the exact solver certifies its optima",
        """The exact solver solved {{ problems }} problems (a split and an alpha) in {{ seconds | to(".3g") }}
        s in all, with a largest relative gap of {{ gap | to(".1e") }}. On the {{ both }} that TopPush ran
        on too, the exact solver took {{ seconds_exact | to(".3g") }} s. TopPush with its published stop took
        {{ seconds_toppush | to(".3g") }} s, with a median relative gap of {{ gap_toppush | to(".1e") }}.""",
        certified,
        ("fits",),
    ),
    Finding(
        "features",
        "Which features are nearer to the print",
        """Of {{ sets }} data sets with both blocks of features, nearer to the printed Pos@Top:
        {{ wins | each("{block} on {sets}") | join(", ") }}. Mean distance in printed standard deviations:
        {{ means | each("{block} {mean:.2g}") | join(", ") }}.""",
        features,
        ("table1",),
    ),
    *dirty_model.FINDINGS,
    *convergence.FINDINGS,
    *suboptimality.FINDINGS,
    *scale.FINDINGS,
    Finding(
        "zero-optimum",
        "Where w = 0 is the exact optimum",
        """On {{ sets | joined }} w = 0 is the exact optimum of objective (11) of Kadkhodaie et al. at every
        regularisation, {% if share == 1 %}on every split{% else %}on {{ share | to(".0%") }} or more of
        the splits
        {%- endif %}: the mean of the positives lies in the convex hull of the negatives (λ_max is 0). In
        every direction the highest negative then rises at least as fast as the mean of the positives. So no
        step away from 0 lowers the objective. This holds for the paper's runs as well, and explains no
        difference between
        its numbers and ours.
        {% if exact.at_top | length %}The exact solver ends there with w = 0 on
        {% if exact.share == 1 %}all splits{% else %}{{ exact.share | to(".0%") }} of the splits{% endif %},
        and with a mean Pos@Top of {{ exact.at_top | spread(".3g") }}.{% endif %}
        {% if others.max() > 0 %}The other methods score a mean Pos@Top of {{ others | spread(".3g") }} there
        {%- if printed | length %} (printed {{ printed | spread(".3g") }}){% endif %}. Their weights are not
        yet 0, and their direction still ranks. This holds whether their objective is near
        its optimum or far from it (median excess {{ excess | spread(".2g") }}).{% endif %}""",
        zero_optimum,
    ),
    Finding(
        "loose-stop",
        "What the loose published stop of TopPush does to Pos@Top",
        """Stopped by its published rule, TopPush ends a median {{ excess.median() | to(".1%") }} above the
        certified optimum of the same problem. These are {{ excess | length }} problems, a split and a
        regularisation each; sets whose optimum is w = 0 are left out. The largest excess is
        {{ excess.max() | to(".3g") }} times the optimum. On the training part the mean Pos@Top of TopPush
        is lower than at the optimum on {{ lower }} of {{ blocks }} data sets and blocks of features
        {%- if lower %} (most on {{ widest.dataset }}, {{ widest.features }}: {{ widest.stopped | to(".0f") }}
        against {{ widest.optimum | to(".0f") }}){% endif %}. On the test part it is higher on {{ higher }}.
        {% if is_regularisation %}The loose stop acts as a further regularisation, which no printed parameter
        describes.{% endif %}
        {% for one in early %}Early iterates can score even higher. On {{ one.dataset }} ({{ one.features }},
        split {{ one.split | to(".0f") }}, λ = {{ one.alpha | to("g") }}) the highest test Pos@Top is {{
        one.methods | each("{method} {most:.0f} at iteration {first:.0f}") | joined }}. The certified
        optimum has {{ one.at_optimum | to(".0f") }}. {% endfor %}""",
        loose_stop,
    ),
    Finding(
        "marks",
        "What the marks of the printed Table 1 mean",
        """The caption of Table 1 of Kadkhodaie et al. says that a mark stands for a mean at least 10 times
        better than the rest. This rule gives all printed marks on {{ factor }} of {{ of }} data sets. The
        decimal exponents of the means, in the scientific notation of the print, give all marks on
        {{ exponent }} ({{ apart | joined }} by the exponents alone).
        {% if left %}The exponents do not explain {{ left | joined }}.{% endif %} So a marked mean can be far
        less than 10 times better. Ours are marked in the same way.""",
        marks,
    ),
)
"""The findings on K15, in the order in which they are shown."""
