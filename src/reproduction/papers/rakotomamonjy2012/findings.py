"""What a study of the infinite push found beyond its table, in sentences computed from the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.labels import method_label
from reproduction.papers.rakotomamonjy2012.figures import exponent
from reproduction.statistics import wilcoxon_p
from reproduction.study import Study

SPARSE = "l1_infinite_push"


def observe(study: Study) -> list[str]:
    """Say what was found beyond the table of a study, and in its blocks."""
    toy, times = (
        study.table(name) if study.settings.get(block) else None
        for block, name in (("toy", "figure1"), ("times", "figure3"))
    )
    return findings(study.fits, study.table("table1"), toy, times)


def findings(
    fits: pd.DataFrame, table: pd.DataFrame, toy: pd.DataFrame | None, times: pd.DataFrame | None
) -> list[str]:
    """Collect the findings; one that does not apply is left out.

    Parameters
    ----------
    fits, table : pandas.DataFrame
        Rows of `inputs.read_fits` and of `infinite_push.table1.table1`.
    toy, times : pandas.DataFrame or None
        Rows of `toy.figure1_table` and of the running times.

    Returns
    -------
    list of str
    """
    said = [
        gap_finding(fits),
        variables_finding(table),
        sparser_finding(fits, table),
        readings_finding(table),
    ]
    said += [toy_finding(toy) if toy is not None else "", times_finding(times) if times is not None else ""]
    return [sentence for sentence in said if sentence]


def gap_finding(fits: pd.DataFrame) -> str:
    """Say how tightly every fit is certified."""
    solved = fits[fits["relative_gap"].notna()]
    if solved.empty:
        return ""
    return (
        f"The largest relative duality gap over all {len(solved)} fits is "
        f"{solved['relative_gap'].max():.1e}, in {solved['seconds'].sum():.0f} s of fitting."
    )


def variables_finding(table: pd.DataFrame) -> str:
    """Say on how many printed data sets the number of variables lies within one printed deviation."""
    rows = table[(table["method"] == SPARSE) & table["printed_variables_mean"].notna()]
    rows = rows[rows["variables_mean"].notna()]
    if rows.empty:
        return ""
    distance = (rows["variables_mean"] - rows["printed_variables_mean"]).abs()
    agree = rows.assign(agrees=distance <= rows["printed_variables_std"]).groupby(
        "printed_dataset", sort=False
    )
    in_some_reading = agree["agrees"].any()
    named = ", ".join(in_some_reading.index[in_some_reading]) or "none"
    return (
        f"The number of variables of the {method_label(SPARSE)} lies within the printed mean ± standard "
        f"deviation on {int(in_some_reading.sum())} of {len(in_some_reading)} printed data sets in at least "
        f"one reading of the labels ({named})."
    )


def sparser_finding(fits: pd.DataFrame, table: pd.DataFrame) -> str:
    """Say where the sparse infinite push uses fewer variables than the sparse RankSVM, as printed."""
    chosen = fits[(fits["role"] == "chosen") & fits["n_variables"].notna()]
    fewer, more = [], []
    for dataset in dict.fromkeys(table["dataset"]):
        by_method = chosen[chosen["dataset"] == dataset].pivot_table(
            index="split", columns="method", values="n_variables"
        )
        if not {SPARSE, "l1_ranksvm"} <= set(by_method):
            continue
        push, rank = by_method[SPARSE], by_method["l1_ranksvm"]
        p_value = wilcoxon_p(push, rank)
        words = f"{dataset} ({push.mean():.3g} against {rank.mean():.3g}, p = {p_value:.2g})"
        (fewer if push.mean() < rank.mean() else more).append(words)
    if not fewer and not more:
        return ""
    return (
        f"The {method_label(SPARSE)} uses fewer variables than the {method_label('l1_ranksvm')} on "
        f"{', '.join(fewer) or 'no data set'}; not on {', '.join(more) or 'none'}."
    )


def readings_finding(table: pd.DataFrame) -> str:
    """Say which reading of the labels comes nearer to the printed rates, where there are two.

    The distance of a reading is the mean over the printed methods of |ours − printed| / printed standard
    deviation.
    """
    rows = table[table["printed_rate_at_top_mean"].notna() & table["rate_at_top_mean"].notna()]
    distance = (rows["rate_at_top_mean"] - rows["printed_rate_at_top_mean"]).abs()
    found = rows.assign(distance=distance / rows["printed_rate_at_top_std"])
    means = found.groupby(["printed_dataset", "dataset"], sort=False)["distance"].mean()
    said = []
    for name, block in means.groupby(level="printed_dataset", sort=False):
        if len(block) > 1:
            ranked = block.droplevel(0).sort_values()
            others = ", ".join(f"{dataset} {value:.2g}" for dataset, value in ranked.iloc[1:].items())
            said.append(f"{name}: {ranked.index[0]} ({ranked.iloc[0]:.2g}; {others})")
    if not said:
        return ""
    return (
        "The paper names no positive class. The reading whose rates are nearer to the printed ones (mean "
        f"distance in printed standard deviations): {'; '.join(said)}."
    )


def toy_finding(table: pd.DataFrame) -> str:
    """Say how often the sparse infinite push is the best on the toy problem, and how often it is beaten."""
    if table.empty:
        return ""
    means = table.pivot_table(index=["noise", "rows"], columns="method", values="mean")
    if SPARSE not in means:
        return ""
    best = int((means.idxmax(axis=1) == SPARSE).sum())
    rivals = table[table["p_value"].notna()]
    ours = means[SPARSE].reindex(pd.MultiIndex.from_frame(rivals[["noise", "rows"]])).to_numpy()
    significant = rivals["p_value"].to_numpy() < 0.05
    wins, losses = significant & (ours > rivals["mean"]), significant & (ours < rivals["mean"])
    beaten_by = ", ".join(dict.fromkeys(map(method_label, rivals.loc[losses, "method"])))
    return (
        f"Toy problem: of {len(means)} sizes the {method_label(SPARSE)} has the best mean rate at the top on "
        f"{best}; of {len(rivals)} comparisons with a rival it is better in {int(np.sum(wins))} and worse in "
        f"{int(np.sum(losses))} at the level of .05 (Wilcoxon)"
        f"{f', worse than {beaten_by}' if beaten_by else ''}."
    )


def times_finding(times: pd.DataFrame) -> str:
    """Say the exponents of the running times, and what the m + n solver needs where the pairs are most."""
    if times.empty:
        return ""
    lines = {key: block.sort_values("pairs") for key, block in times.groupby(["solver", "noise"], sort=True)}
    exponents = ", ".join(
        f"{method_label(solver)} with {noise:.0f} noise features {exponent(line):.2f}"
        for (solver, noise), line in lines.items()
    )
    largest = times[times["solver"] == SPARSE].nlargest(1, "pairs")
    last = "".join(
        f" {row.pairs:.1e} pairs with {row.noise:.0f} noise features take the exact solver "
        f"{row.seconds:.2g} s, to a relative gap of {row.relative_gap:.0e}."
        for row in largest.itertuples()
    )
    return f"Exponent of the time in the number of pairs: {exponents}.{last}"
