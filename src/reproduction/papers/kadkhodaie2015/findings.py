"""What a study found beyond its table, in sentences that are computed from the rows."""

from __future__ import annotations

import pandas as pd

from reproduction.papers.kadkhodaie2015 import convergence, dirty_model, scale, suboptimality
from reproduction.papers.kadkhodaie2015.features import nearer_features
from reproduction.study import Study


def observe(study: Study) -> list[str]:
    """Say what was found beyond the table of a study, and in its blocks."""
    said = findings(study.fits, study.table("table1"))
    for module, block in (
        (dirty_model, "dirty_model"),
        (convergence, "convergence"),
        (suboptimality, "suboptimality"),
        (scale, "scale"),
    ):
        if study.settings.get(block):
            tables = study.paper.block(block).tables
            said += module.findings(*(study.table(table.name) for table in tables))
    return said


def findings(fits: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """Collect the findings of a study; one that does not apply is left out.

    Parameters
    ----------
    fits, table : pandas.DataFrame
        Rows of `inputs.read_fits` and `tables.read_table1`.

    Returns
    -------
    list of str
        Sentences.
    """
    return [sentence for sentence in (exact_finding(fits), features_finding(table)) if sentence]


def exact_finding(fits: pd.DataFrame) -> str:
    """Say how tightly the exact solver certifies every split and alpha, and what it costs beside TopPush.

    A problem is a split and an alpha, on the whole training part (roles "path" and "chosen").
    """
    keys = ["dataset", "features", "split", "params"]
    whole = fits[fits["role"].isin(["path", "chosen"]) & fits["seconds"].notna()]
    solved = {
        method: whole[whole["method"] == method].drop_duplicates(keys) for method in ("exact", "toppush")
    }
    exact = solved["exact"]
    both = exact.merge(solved["toppush"], on=keys, suffixes=("", "_toppush"))
    if both.empty:
        return ""
    return (
        f"The exact solver's largest relative gap over {len(exact)} problems (a split and an alpha) is "
        f"{exact['relative_gap'].max():.1e}, in {exact['seconds'].sum():.3g} s in all; on the {len(both)} "
        f"that TopPush solved too it took {both['seconds'].sum():.3g} s, TopPush with its published stop "
        f"{both['seconds_toppush'].sum():.3g} s, to a median relative gap of "
        f"{both['relative_gap_toppush'].median():.1e}."
    )


def features_finding(table: pd.DataFrame) -> str:
    """Say which feature block comes nearer to the printed numbers; empty if no data set has two blocks."""
    found = nearer_features(table)
    if found.empty:
        return ""
    sets, last = found.iloc[:-1], found.iloc[-1]
    wins = ", ".join(f"{block} on {n}" for block, n in sets["nearer"].value_counts().sort_index().items())
    means = ", ".join(
        f"{c.removeprefix('distance_')} {last[c]:.2g}" for c in found.columns if c.startswith("distance_")
    )
    return (
        f"Nearer to the printed Pos@Top, of {len(sets)} data sets with both blocks: {wins}. "
        f"Mean distance in printed standard deviations: {means}."
    )
