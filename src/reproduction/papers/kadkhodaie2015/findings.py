"""What a study found beyond its table, in sentences that are computed from the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.labels import features_key


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


def nearer_features(table: pd.DataFrame) -> pd.DataFrame:
    """Measure which feature block comes nearer to the printed Pos@Top: a finding, not a knob.

    The distance of a block on a data set is the mean over the printed methods of |ours − printed| / printed
    standard deviation.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `tables.read_table1`.

    Returns
    -------
    pandas.DataFrame
        study, dataset, one column ``distance_<block>`` for each block, nearer; only data sets with at least
        two blocks, and a last row "all" with the mean distances over those data sets. Empty if there are
        none.
    """
    rows = table[table["printed_pos_at_top_mean"].notna() & table["pos_at_top_mean"].notna()]
    gap = (rows["pos_at_top_mean"] - rows["printed_pos_at_top_mean"]).abs() / rows["printed_pos_at_top_std"]
    found = rows.assign(distance=gap).pivot_table(
        index=["study", "dataset"], columns="features", values="distance", sort=False
    )
    found = found[found.notna().sum(axis=1) > 1]
    if found.empty:
        return pd.DataFrame(columns=["study", "dataset", "nearer"])
    blocks = sorted(found.columns, key=features_key)
    found = found[blocks]
    found.loc[(found.index[0][0], "all"), :] = found.mean()
    nearer = [blocks[int(np.nanargmin(distances))] for distances in found.to_numpy()]
    return found.add_prefix("distance_").assign(nearer=nearer).rename_axis(columns=None).reset_index()


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
