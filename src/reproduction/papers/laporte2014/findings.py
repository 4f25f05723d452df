"""What a study of L14 found beyond its tables, in sentences computed from the rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from reproduction.comparison.verdicts import within
from reproduction.labels import method_label
from reproduction.papers.laporte2014.inputs import MEAN
from reproduction.papers.laporte2014.significance import BEST, WORSE
from reproduction.papers.laporte2014.tables import MEASURE_TABLES, methods_of
from reproduction.study import Study

SPARSEST = ("log_ranksvm", "lp_ranksvm")
"""The two that the paper finds sparsest."""

CONVEX = "l1_ranksvm"
CERTIFIED = ("l1_ranksvm", "adaptive_l1_ranksvm")
FIXED = {
    "mcp_ranksvm_tuned": "mcp_ranksvm",
    "log_ranksvm_tuned": "log_ranksvm",
    "lp_ranksvm_tuned": "lp_ranksvm",
}
"""Method that tunes its parameter -> the one that fixes it as the paper does."""


def observe(study: Study) -> list[str]:
    """Say what was found in the tables of a study."""
    names = ("table3", "table4", "table5", "table6")
    return findings(study.fits, {name: study.table(name) for name in names})


def findings(fits: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Collect the findings; one that does not apply is left out.

    Parameters
    ----------
    fits : pandas.DataFrame
        Rows of `query_ranking.inputs.read_query_fits`.
    tables : mapping of str to pandas.DataFrame
        "table3" to "table6".

    Returns
    -------
    list of str
    """
    ratios, maps, gains = (tables[name] for name in ("table4", "table5", "table6"))
    said = [
        *notes(ratios),
        ratios_finding(ratios),
        order_finding(ratios),
        difference_finding(ratios),
        best_finding(maps, "table5"),
        best_finding(gains, "table6"),
        relations_finding(maps, gains),
        folds_finding(maps, gains),
        file_order_finding(fits),
        gap_finding(fits),
        tuned_finding(ratios, maps),
    ]
    return [sentence for sentence in said if sentence]


def notes(table: pd.DataFrame) -> list[str]:
    """Repeat what is special about the data and the methods of which numbers are shown."""
    have = table[(table["dataset"] != MEAN) & (table["splits_used"] > 0)]
    said = [
        f"{row.dataset}: {row.note.rstrip('.')}."
        for row in have.drop_duplicates("dataset").itertuples()
        if row.note != "none"
    ]
    if (have["method"] == "fsmrank").any():
        said.append(
            "FSMRank is reconstructed from its papers: its code was given on demand only and its grid is "
            "declared, so that its numbers here are those of our reading."
        )
    return said


def ratios_finding(table: pd.DataFrame) -> str:
    """Say how many of the printed sparsity ratios are met."""
    rows = _both(table)
    if rows.empty:
        return ""
    distance = (rows["sparsity_ratio_mean"] - rows["printed_sparsity_ratio"]).abs()
    agree = sum(
        within(ours, printed, np.nan)
        for ours, printed in zip(rows["sparsity_ratio_mean"], rows["printed_sparsity_ratio"], strict=True)
    )
    spread = (distance <= rows["sparsity_ratio_std"]).sum()
    return (
        f"Of {len(rows)} printed sparsity ratios on {rows['dataset'].nunique()} data sets {agree} agree "
        f"within .02 and {spread} lie within one standard deviation of ours over the folds; the median "
        f"distance is {distance.median():.2g}."
    )


def order_finding(table: pd.DataFrame) -> str:
    """Say whether the penalties that the paper finds sparsest are sparser than ℓ₁ here."""
    rows = table[(table["dataset"] != MEAN) & table["sparsity_ratio_mean"].notna()]
    by_set = rows.pivot_table(
        index=["dataset", "features"], columns="method", values="sparsity_ratio_mean", sort=False
    )
    present = [method for method in SPARSEST if method in by_set]
    if CONVEX not in by_set or not present:
        return ""
    said = []
    for method in present:
        both = by_set[[method, CONVEX]].dropna()
        below = both[method] < both[CONVEX]
        said.append(
            f"{method_label(method)} on {int(below.sum())} of {len(both)} data sets "
            f"(mean {both[method].mean():.2f} against {both[CONVEX].mean():.2f})"
        )
    means = by_set[[method for method in methods_of(rows, "paper") if method in by_set]].dropna().mean()
    ranked = ", ".join(f"{method_label(method)} {means[method]:.2f}" for method in means.sort_values().index)
    tail = f" Mean over the data sets, sparsest first: {ranked}." if means.notna().any() else ""
    printed = (
        _both(table).pivot_table(index="dataset", columns="method", values="printed_sparsity_ratio").mean()
    )
    if len(printed):
        ranked = ", ".join(f"{method_label(m)} {printed[m]:.2f}" for m in printed.sort_values().index)
        tail += f" As printed for the same data sets: {ranked}."
    return f"Sparser than {method_label(CONVEX)}: {'; '.join(said)}.{tail}"


def difference_finding(table: pd.DataFrame) -> str:
    """Say where ours is farthest from the printed sparsity ratio, and on which side the differences lie."""
    rows = _both(table)
    if rows.empty:
        return ""
    signed = rows["sparsity_ratio_mean"] - rows["printed_sparsity_ratio"]
    far = rows.loc[signed.abs().sort_values(ascending=False, kind="stable").index[:3]]
    named = ", ".join(
        f"{method_label(row.method)} on {row.dataset} ({row.sparsity_ratio_mean:.2f} against "
        f"{row.printed_sparsity_ratio:.2f})"
        for row in far.itertuples()
    )
    denser, sparser = int((signed > 0.02).sum()), int((signed < -0.02).sum())
    return (
        f"Of the others ours uses more features than printed in {denser} and fewer in {sparser}; the largest "
        f"distances are those of {named}."
    )


def best_finding(table: pd.DataFrame, name: str) -> str:
    """Say how near the best values come to the printed ones, and whether the same method is the best."""
    measure = MEASURE_TABLES[name]
    rows = table[(table["printed_relation"] == BEST) & table[f"{measure}_mean"].notna()]
    if rows.empty:
        return ""
    said = [
        f"{row['dataset']} {method_label(row['method'])} {row[f'{measure}_mean']:.4f} against "
        f"{row['printed_value']:.4f}"
        for _, row in rows.iterrows()
    ]
    same = int((rows["relation"] == BEST).sum())
    title = "MAP" if name == "table5" else "NDCG@10"
    named = ", ".join(said)
    return f"{title} of the printed best method: {named}; it is the best here on {same} of {len(rows)}."


def relations_finding(maps: pd.DataFrame, gains: pd.DataFrame) -> str:
    """Say how many of the printed relations to the best are found again."""
    said = []
    for title, table in (("MAP", maps), ("NDCG@10", gains)):
        rows = table[table["printed_relation"].isin(["~", WORSE]) & (table["relation"] != "none")]
        if len(rows):
            agree = ((rows["relation"] == WORSE) == (rows["printed_relation"] == WORSE)).sum()
            worse = rows[(rows["relation"] == WORSE) | (rows["printed_relation"] == WORSE)]
            both = ((worse["relation"] == WORSE) & (worse["printed_relation"] == WORSE)).sum()
            only_ours = (worse["printed_relation"] != WORSE).sum()
            only_print = (worse["relation"] != WORSE).sum()
            tested = rows[rows["relation_by_folds"] != "none"]
            by_folds = (tested["relation_by_folds"] == WORSE) == (tested["printed_relation"] == WORSE)
            said.append(
                f"{title} {agree} of {len(rows)} (worse in both {both}, in ours only {only_ours}, in print "
                f"only {only_print}), with the test on the folds {by_folds.sum()} of {len(tested)}"
            )
    return f"Relations to the best method as printed: {'; '.join(said)}." if said else ""


def folds_finding(maps: pd.DataFrame, gains: pd.DataFrame) -> str:
    """Say what the test on folds and the corrected tests leave of the significant decreases."""
    rows = pd.concat([maps, gains], ignore_index=True)
    rows = rows[(rows["block"] == "paper") & rows["t_p"].notna()]
    if rows.empty:
        return ""
    counts = {
        "worse by the paper's test on the queries": rows["relation"] == WORSE,
        "by the same test on the folds": rows["relation_by_folds"] == WORSE,
        "by Holm's two-sided Wilcoxon test": (rows["wilcoxon_holm"] < 0.05) & (rows["decrease_percent"] > 0),
        "by the two-sided permutation test": (rows["permutation_p"] < 0.05) & (rows["decrease_percent"] > 0),
    }
    said = ", ".join(f"{words} {int(found.sum())}" for words, found in counts.items())
    return f"Of {len(rows)} comparisons with the best (MAP and NDCG@10) {said}."


def file_order_finding(fits: pd.DataFrame) -> str:
    """Say where the order of the file alone, which breaks ties, ranks better than every model."""
    search = fits[(fits["role"] == "search") & fits["validation_map"].notna()]
    none = search["n_variables"] == 0
    keys = ["dataset", "features", "split"]
    alike = search[none].groupby(keys, sort=False)["validation_map"].max()
    best = search[~none].groupby(keys, sort=False)["validation_map"].max()
    both = pd.concat({"alike": alike, "best": best}, axis=1).dropna()
    beaten = both[both["alike"] > both["best"]]
    if beaten.empty:
        return ""
    said = []
    for (dataset, _), rows in beaten.groupby(level=["dataset", "features"], sort=False):
        folds = len(both.loc[dataset])
        means = both.loc[dataset].mean()
        said.append(
            f"on {dataset} better than that of every model on {len(rows)} of {folds} folds (on average "
            f"{means['alike']:.3f}, the best models {means['best']:.3f})"
        )
    return (
        "Ties are broken by the order of the file, which is not neutral: the validation MAP of a model that "
        f"scores all documents alike is {'; '.join(said)}. Such a model ranks nothing, and is never chosen."
    )


def gap_finding(fits: pd.DataFrame) -> str:
    """Say how tightly the convex fits are certified and how stationary the others are."""
    solved = fits[fits["method"].isin(CERTIFIED) & fits["relative_gap"].notna()]
    others = fits[fits["relative_gap"].isna() & fits["kkt"].notna()]
    said = []
    if len(solved):
        said.append(
            f"over {len(solved)} fits under a plain or weighted ℓ₁ norm the largest relative duality gap is "
            f"{solved['relative_gap'].max():.1e} and the largest violation of the optimality conditions "
            f"{solved['kkt'].max():.1e} λ"
        )
    if len(others):
        said.append(
            f"over {len(others)} nonconvex fits the largest violation of stationarity is "
            f"{others['kkt'].max():.1e} λ"
        )
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}; {fits['seconds'].sum():.0f} s of fitting in all." if said else ""


def tuned_finding(ratios: pd.DataFrame, maps: pd.DataFrame) -> str:
    """Say what it brings to tune the parameter that the paper fixes."""
    keys = ["dataset", "features"]
    said = []
    for tuned, fixed in FIXED.items():
        changes = []
        for table, column in ((ratios[ratios["dataset"] != MEAN], "sparsity_ratio_mean"), (maps, "map_mean")):
            by_set = table.pivot_table(index=keys, columns="method", values=column)
            if not {tuned, fixed} <= set(by_set):
                break
            changes.append((by_set[tuned] - by_set[fixed]).mean())
        else:
            words = f"{method_label(tuned)} {changes[0]:+.2f} and {changes[1]:+.4f}"
            said.append(words.replace("-", "−"))
    if not said:
        return ""
    return (
        "Beyond the paper, tuning changes sparsity ratio and MAP, on average over the data sets: "
        f"{'; '.join(said)}."
    )


def _both(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of single data sets with a number of ours and a printed one."""
    rows = table[(table["dataset"] != MEAN) & table["printed_sparsity_ratio"].notna()]
    return rows[rows["sparsity_ratio_mean"].notna()]
