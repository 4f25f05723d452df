"""Findings on L14: the printed constant, FenchelRank's early stop, and the script behind NDCG@10."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reproduction.labels import row_id
from reproduction.papers.laporte2014 import constant_figure as printed_constant
from reproduction.papers.laporte2014 import early_stop_figure as early_stop
from reproduction.papers.laporte2014.inputs import MEAN, short_queries
from reproduction.papers.laporte2014.significance import BEST
from reproduction.report.findings.finding import (
    Evidence,
    Finding,
    figure,
    joined,
    of_protocol,
    power,
    rows,
    spread,
)
from reproduction.report.studies import StudyReport

FENCHEL, CONVEX = "fenchelrank", "l1_ranksvm"


def constant_topic(studies: Sequence[StudyReport]) -> Finding | None:
    """Say what the printed Lipschitz constant costs."""
    found = _beside(studies, "constant", printed_constant.measured)
    if not found:
        return None
    table = pd.concat([rows for _, rows in found], ignore_index=True)
    by_solver = dict(list(table.groupby("solver")))
    trace, exact, newton = (by_solver[name] for name in printed_constant.COMPARED)
    keys = ["dataset", "split", "share"]
    both = trace.merge(exact, on=keys, suffixes=("", "_exact"))
    ratios = trace.drop_duplicates("dataset")["ratio"]
    times = (both["iterations"] / both["iterations_exact"])[both["reached"] & both["reached_exact"]]
    said = [
        "For FISTA Laporte et al. add up the squared norms of all pairs (proof of Proposition 1). With the "
        "factor 2 that the proof loses, and without which the step is too long, that is the trace of a "
        f"matrix whose largest eigenvalue would do: on one fold of "
        f"{joined(dict.fromkeys(table['dataset']))} it is {spread(ratios, '.2g')} times as large.",
        f"To within {power(table['level'].iloc[0])} of the certified optimum of ℓ₁ RankSVM FISTA needs "
        f"{spread(trace['iterations'])} iterations with it and {spread(exact['iterations'])} with the exact "
        f"one, proximal Newton {spread(newton['iterations'])} steps.",
    ]
    if len(times):
        said.append(
            f"So the printed constant takes {spread(times, '.2g')} times the iterations; its excess alone "
            f"explains {spread(ratios**0.5, '.2g')}, as an accelerated method needs iterations in "
            "proportion to √L."
        )
    seconds = [block["seconds"].sum() for block in (trace, exact, newton)]
    dearer = ": a first-order method costs more than its constant" if _is_method_dearer(*seconds) else ""
    said.append(
        f"The {len(both)} problems took {seconds[0]:.2g} s with the printed constant, {seconds[1]:.2g} s "
        f"with the exact one and {seconds[2]:.2g} s by proximal Newton{dearer}."
    )
    missed = table[~table["reached"]]
    if len(missed):
        worst = missed.loc[missed["excess"].idxmax()]
        said.append(
            f"A limit ended {len(missed)} of {len(table)} runs before that; the farthest, "
            f"{printed_constant.COMPARED[worst['solver']].label} on {worst['dataset']} at "
            f"{worst['share']:g} λ_max, was {worst['excess']:.1e} above the optimum."
        )
    evidence: Evidence = ()
    for study, _ in found:
        evidence += figure(study, "constant", "iterations to the optimum")
        table4 = study.tables["table4"]
        evidence += rows(table4[(table4["method"] == CONVEX) & (table4["splits_used"] > 0)])
    return Finding(
        "What the printed Lipschitz constant costs", " ".join(said), evidence, tuple(s.name for s, _ in found)
    )


def _is_method_dearer(trace: float, exact: float, newton: float) -> bool:
    """Ask whether the way from FISTA to proximal Newton saves more seconds than the exact constant does."""
    return exact - newton > trace - exact


def stop_topic(studies: Sequence[StudyReport]) -> Finding | None:
    """Say how far FenchelRank's sparsity is that of its early stop."""
    found = _beside(studies, "early_stop", early_stop.measured)
    said: list[str] = []
    for study, _ in found:
        said += _ends_sentence(study)
    if not found or not said:
        return None
    table = pd.concat([rows for _, rows in found], ignore_index=True)
    fewer = table["variables"] < table["optimum_variables"]
    more = table["variables"] > table["optimum_variables"]
    said.append(
        f"On one fold of {joined(dict.fromkeys(table['dataset']))} it uses fewer variables than the optimum "
        f"in the same ball, certified to a gap of {table['optimum_gap'].max():.1g}, in {int(fewer.sum())} of "
        f"{len(table)} balls, and more in {int(more.sum())}."
    )
    capped = table["status"] == early_stop.CAPPED
    parts = []
    for is_part, words in ((capped, "where the steps ended it"), (~capped, "where it met its gap")):
        part = table[is_part]
        if len(part):
            parts.append(
                f"{words}, it uses {part['variables'].mean():.3g} on average and the optimum "
                f"{part['optimum_variables'].mean():.3g}"
            )
    text = "; ".join(parts)
    said.append(f"{text[0].upper()}{text[1:]}.")
    missing = table["optimum_variables"] - table["variables"]
    if missing.max() > 0:
        widest = table.loc[missing.idxmax()]
        said.append(
            f"The early stop removes most on {widest['dataset']} at radius {widest['radius']:g}, "
            f"{widest['variables']:.0f} variables against {widest['optimum_variables']:.0f}, "
            f"{widest['excess']:.2%} above the optimum."
        )
    evidence: Evidence = ()
    for study, _ in found:
        said += _ratio_sentence(study)
        evidence += figure(study, "early_stop", "variables against the radius")
        table4 = study.tables["table4"]
        both = table4[table4["method"].isin([FENCHEL, CONVEX]) & (table4["splits_used"] > 0)]
        evidence += rows(both.head(6))
    return Finding(
        "How far FenchelRank's sparsity is that of its early stop",
        " ".join(said),
        evidence,
        tuple(study.name for study, _ in found),
    )


def _ends_sentence(study: StudyReport) -> list[str]:
    """Count how the fits of FenchelRank end."""
    fits = study.fits[(study.fits["method"] == FENCHEL) & study.fits["relative_gap"].notna()]
    chosen = fits[fits["role"] == "chosen"]
    if chosen.empty:
        return []
    search = fits[fits["role"] == "search"]
    capped, met = ((chosen["status"] == status).sum() for status in (early_stop.CAPPED, "optimal"))
    along = (
        f" (of {len(search)} along the grid the limit ended "
        f"{(search['status'] == early_stop.CAPPED).mean():.0%})"
        if len(search)
        else ""
    )
    return [
        f"Of FenchelRank's {len(chosen)} chosen fits its limit of steps ended {capped}, and {met} met its "
        f"loose gap{along}; the median relative gap is {chosen['relative_gap'].median():.1e}, the largest "
        f"{chosen['relative_gap'].max():.1e}."
    ]


def _ratio_sentence(study: StudyReport) -> list[str]:
    """Compare the sparsity of FenchelRank as chosen with that of ℓ₁ RankSVM as chosen."""
    table = study.tables["table4"]
    table = table[(table["dataset"] != MEAN) & table["sparsity_ratio_mean"].notna()]
    wide = table.pivot_table(index=["dataset", "features"], columns="method", values="sparsity_ratio_mean")
    if not {FENCHEL, CONVEX} <= set(wide):
        return []
    wide = wide[[FENCHEL, CONVEX]].dropna()
    sparser = int((wide[FENCHEL] < wide[CONVEX]).sum())
    return [
        f"As chosen on the validation part it is sparser than ℓ₁ RankSVM, which is solved to the optimum, on "
        f"{sparser} of {len(wide)} data sets (mean ratio {wide[FENCHEL].mean():.2f} against "
        f"{wide[CONVEX].mean():.2f})."
    ]


def script_topic(studies: Sequence[StudyReport]) -> Finding | None:
    """Say which evaluation script explains the printed NDCG@10."""
    for study in of_protocol(studies, "query_ranking"):
        table = study.tables["table6"]
        rows = table[(table["printed_relation"] == BEST) & table["ndcg10_mean"].notna()]
        rows = rows[rows["ndcg10_standard_mean"].notna()]
        if rows.empty:
            continue
        letor = (rows["ndcg10_mean"] - rows["printed_value"]).abs()
        standard = (rows["ndcg10_standard_mean"] - rows["printed_value"]).abs()
        names = ("LETOR's script", "the printed formula")
        nearer, other = names if letor.mean() < standard.mean() else names[::-1]
        widest = (rows["ndcg10_mean"] - rows["ndcg10_standard_mean"]).abs().idxmax()
        row = rows.loc[widest]
        said = [
            "LETOR's script gives 0 to a query with fewer than ten documents and does not discount the "
            "second rank; the formula that Laporte et al. print has neither rule.",
            f"For the printed best method of each data set obtained, NDCG@10 lies on average "
            f"{letor.mean():.3f} from the printed value by the script and {standard.mean():.3f} by the "
            f"formula: {nearer} explains the print better than {other}, and the script is nearer on "
            f"{int((letor < standard).sum())} of {len(rows)} data sets.",
            f"They differ most on {row['dataset']}: printed {row['printed_value']:.4f}, script "
            f"{row['ndcg10_mean']:.4f}, formula {row['ndcg10_standard_mean']:.4f}.",
        ]
        said += _short_sentence(study, rows["dataset"])
        evidence: Evidence = tuple(
            (f"{row['dataset']}, NDCG@10 by both", row_id(row)) for _, row in rows.iterrows()
        )
        return Finding("Which evaluation script explains NDCG@10", " ".join(said), evidence, (study.name,))
    return None


def _short_sentence(study: StudyReport, datasets: pd.Series) -> list[str]:
    """Count the queries with fewer than ten documents."""
    if study.queries is None:
        return []
    counted = short_queries(study.queries).set_index("dataset")
    named = [
        f"{name} {counted.loc[name, 'short']:.0f} of {counted.loc[name, 'queries']:.0f}"
        for name in datasets
        if name in counted.index
    ]
    return [f"Queries with fewer than ten documents: {joined(named)}."] if named else []


def _beside(studies: Sequence[StudyReport], name: str, measured) -> list[tuple[StudyReport, pd.DataFrame]]:
    """Find the studies with a measured block, and its rows."""
    found = [
        (study, measured(study.tables[name]))
        for study in of_protocol(studies, "query_ranking")
        if name in study.tables
    ]
    return [(study, rows) for study, rows in found if len(rows)]
