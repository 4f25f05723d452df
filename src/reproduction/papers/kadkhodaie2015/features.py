"""Which block of features comes nearer to the numbers that K15 prints."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.labels import features_key
from reproduction.tables import Plain

FEATURE_BLOCKS = Plain(absent="not run")


def nearer_features(table: pd.DataFrame) -> pd.DataFrame:
    """Measure which feature block comes nearer to the printed Pos@Top: a finding, not a knob.

    The distance of a block on a data set is the mean over the printed methods of |ours − printed| / printed
    standard deviation.

    `table`: Table 1. Returns: study, dataset, one column ``distance_<block>`` for each block, nearer; only
    data sets with at least two blocks, and a last row "all" with the mean distances over them.
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
